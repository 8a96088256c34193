/* Memory access of one read or write client for one layer, in runs of atoms: provenance of writes, beat counts of the
 * client's AXI ID, check against declared regions.
 *
 * Spec: 70-memory-interface sections 3, 4 and 7, 20-data-formats section 9. */
#pragma once

#include "device/device.h"
#include "model/register_group.h"

/* Accesses outside the declared regions by all clients of a device. */
struct dma_outside {
    bool allowed;   /* they are not findings */
    uint64_t count; /* atoms */
};

struct dma {
    struct device *dev; /* owns the memory and the findings */
    struct dma_outside *outside;
    struct memory *mem; /* memory of the port selected by the layer */
    uint64_t *beats;    /* counter of the client's data beats: port lines that a run of atoms touches */
    struct memory_origin origin;
    uint64_t address_mask;    /* the configuration's address bits, without those inside an atom */
    uint64_t last_address;    /* highest byte address; runs wrap around after it */
    size_t atom;              /* bytes */
    size_t beat;              /* bytes of a data beat of the port */
    int complaints;           /* findings that this client may still report in this layer */
    int outside_left;         /* runs that may still be written outside every region in this layer */
    uint64_t pending_address; /* contiguous writes are collected up to the end of a page: */
    size_t pending_count;     /* bytes waiting for dma_flush() */
    uint8_t pending[MEMORY_PAGE];
};

/* Sets up a client.
 *
 * outside  counts what misses the regions primary  RAM_TYPE of the layer: 1 MC, 0 CV; the port must exist unit, axi_id,
 * ordinal  identify it: launch ordinal of the unit, AXI ID of chapter 70 section 3 beats    counter that grows by the
 * beats of each run */
void dma_init(struct dma *dma, struct device *dev, struct dma_outside *outside, bool primary, enum nvdla_unit unit,
              int axi_id, int ordinal, uint64_t *beats);

/* Reads / writes `atoms` contiguous atoms. The address is cut to the configuration's address bits, and its low bits
 * inside an atom are dropped. An atom read of which no byte is declared, or written with an undeclared byte, counts in
 * `outside` and is a finding unless that is allowed; both are executed. But a layer that has written 65536 runs outside
 * every region writes nothing more, so that wild registers do not fill the host's memory (finding "region-flood", even
 * if such accesses are allowed, because the result differs from a design's). Written bytes may reach the memory only
 * with dma_flush(), which ends every layer. */
void dma_read(struct dma *dma, uint64_t address, void *bytes, size_t atoms);
void dma_write(struct dma *dma, uint64_t address, const void *bytes, size_t atoms);
void dma_flush(struct dma *dma);
