/* The memory that a client gives: maps of its pages, behind the AXI ports of a device.
 *
 * A map with a descriptor is mapped into this process, and the device works in it (memory_map). Without one, the device
 * has a copy: what a launch reads is fetched before it is armed, and what the device writes is sent back, both by
 * messages (function.h). Both AXI ports see the same memory. */
#pragma once

#include "device/device.h"
#include "layers/tracker.h"
#include "live/recording.h"
#include "live/vfio_user.h"
#include "memory/ranges.h"

struct dma_map {
    uint64_t address, size;
    void *bytes; /* NULL: by messages */
    bool writable;
};

struct live_dma;

/* Hears the accesses of one memory. */
struct dma_ear {
    struct live_dma *dma;
    enum memory_space space;
};

struct live_dma {
    struct device *dev;
    struct recording *recording; /* NULL: none */
    struct dma_ear ears[SPACE_COUNT];
    struct dma_map *maps;
    size_t count, by_messages;
    /* Of maps without bytes: what launches read and the client was not asked for yet; what the device has written, and
     * what of that is being sent: not yet sent. */
    struct ranges wanted, written, sent;
};

/* recording: gets what the device writes, and what a model reads; NULL: none. */
void dma_open(struct live_dma *dma, struct device *dev, struct recording *recording);
/* Ends all maps. */
void dma_close(struct live_dma *dma);

/* Adds a map; fd: a descriptor, which stays the caller's, or -1. Returns 0, or an error number with a message: a size
 * or an address that is not of whole pages, a descriptor that is not memory or is too short, an overlap. */
int dma_map(struct live_dma *dma, const struct vfio_dma_map *map, int fd, struct error *err);

/* Ends the maps that lie in the range, of which there may be none. Returns an error number with a message if a map is
 * only partly in it. */
int dma_unmap(struct live_dma *dma, const struct vfio_dma_unmap *range, struct error *err);

/* Wants what a launch reads of maps without bytes. A launch that reads much, or says so, costs nothing. */
void dma_want(struct live_dma *dma, const struct launch *launch);
/* Wants nothing any longer: the launches are gone. */
void dma_forget(struct live_dma *dma);
bool dma_wants(const struct live_dma *dma);
/* True if the device has written what was not sent yet. */
bool dma_owes(const struct live_dma *dma);

/* Takes the next piece, of at most so many bytes, that is to be read from the client, or written to it. False: none. */
bool dma_next_read(struct live_dma *dma, uint32_t most, struct range *piece);
bool dma_next_write(struct live_dma *dma, uint32_t most, struct range *piece);

/* Bytes of such a map for the device, or from it. */
void dma_put(struct live_dma *dma, uint64_t address, const void *bytes, size_t n);
void dma_get(const struct live_dma *dma, uint64_t address, void *bytes, size_t n);

/* True if the client has given descriptors and none of their pages holds a byte that is not 0: another process then
 * works in copies of them. */
bool dma_is_empty(const struct live_dma *dma);

/* From now on, a page of a map that its file no longer has reads as 0 and is this process's own, instead of ending it.
 * The maps are those of the last dma_open(). */
void dma_survive_truncation(void);
