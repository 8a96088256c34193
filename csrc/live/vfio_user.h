/* The vfio-user protocol, version 0.0, as QEMU's docs/interop/vfio-user.rst describes it: messages on a Unix stream
 * socket, little-endian, each a header and a payload. Descriptors travel with the first byte of a message. */
#pragma once

#include <stdint.h>

enum vfio_command {
    VFIO_VERSION = 1,
    VFIO_DMA_MAP,
    VFIO_DMA_UNMAP,
    VFIO_GET_INFO,
    VFIO_GET_REGION_INFO,
    VFIO_GET_REGION_IO_FDS,
    VFIO_GET_IRQ_INFO,
    VFIO_SET_IRQS,
    VFIO_REGION_READ,
    VFIO_REGION_WRITE,
    VFIO_DMA_READ,
    VFIO_DMA_WRITE,
    VFIO_RESET,
};

/* Flags of a header. */
enum { VFIO_REPLY = 1, VFIO_TYPE = 15, VFIO_NO_REPLY = 16, VFIO_ERROR = 32 };

struct vfio_header {
    uint16_t id, command;
    uint32_t size; /* of header and payload */
    uint32_t flags, error;
};

struct vfio_dma_map {
    uint32_t argsz, flags; /* VFIO_MAP_READ, VFIO_MAP_WRITE */
    uint64_t offset, address, size;
};
enum { VFIO_MAP_READ = 1, VFIO_MAP_WRITE = 2 };

struct vfio_dma_unmap {
    uint32_t argsz, flags; /* VFIO_UNMAP_ALL */
    uint64_t address, size;
};
enum { VFIO_UNMAP_ALL = 2 };

struct vfio_info {
    uint32_t argsz, flags, regions, irqs;
};
enum { VFIO_INFO_RESET = 1, VFIO_INFO_PCI = 2 };

struct vfio_region_info {
    uint32_t argsz, flags, index, capability;
    uint64_t size, offset;
};
enum { VFIO_REGION_READABLE = 1, VFIO_REGION_WRITABLE = 2 };

struct vfio_irq_info {
    uint32_t argsz, flags, index, count;
};
enum { VFIO_IRQ_EVENTFD = 1, VFIO_IRQ_MASKABLE = 2, VFIO_IRQ_AUTOMASKED = 4, VFIO_IRQ_NORESIZE = 8 };

struct vfio_set_irqs {
    uint32_t argsz, flags, index, start, count;
};
enum {
    VFIO_DATA_NONE = 1,
    VFIO_DATA_BOOL = 2,
    VFIO_DATA_EVENTFD = 4,
    VFIO_DATA = 7,
    VFIO_MASK = 8,
    VFIO_UNMASK = 16,
    VFIO_TRIGGER = 32
};

/* Payload of VFIO_REGION_READ and VFIO_REGION_WRITE; bytes follow. */
struct vfio_access {
    uint64_t offset;
    uint32_t region, count;
};

/* Payload of VFIO_DMA_READ and VFIO_DMA_WRITE, sent by the server; bytes follow. */
struct vfio_dma_access {
    uint64_t address, count;
};

/* Regions and interrupts of a PCI device; region 0 is BAR0. */
enum { VFIO_BAR0 = 0, VFIO_CONFIG_SPACE = 7, VFIO_REGIONS = 9, VFIO_IRQ_INTX = 0, VFIO_IRQ_MSI = 1, VFIO_IRQS = 5 };

/* Region of this project's own, for a client that owns the clock (docs/live.md, live/control.h). */
enum { VFIO_CONTROL = VFIO_REGIONS };

/* Bytes of data in a message: QEMU's client mistakes a part for the whole of what exceeds a socket's buffer. */
enum { VFIO_DATA_MOST = 65536, VFIO_FDS_MOST = 16 };
