/* Memory access of one read or write client for one layer: whole runs of atoms, with the provenance of writes, the beat
 * counts of the client's AXI ID and the check against declared regions.
 *
 * Spec: 70-memory-interface sections 3, 4 and 7, 20-data-formats section 9.
 */
#ifndef MODEL_DMA_H
#define MODEL_DMA_H

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "model/register_group.h"

/* Accesses outside the declared regions by all clients of a device. */
struct dma_outside {
    bool allowed;   /* they are no findings */
    uint64_t count; /* atoms */
};

struct dma {
    struct device *dev; /* whose memory it is and who keeps the findings */
    struct dma_outside *outside;
    struct memory *mem; /* of the port that the layer selected */
    uint64_t *beats;    /* counter of the client's data beats: lines of the port that a run of atoms touches */
    struct memory_origin origin;
    uint64_t address_mask;    /* of the configuration's address bits, low bits inside an atom already dropped */
    uint64_t last_address;    /* highest byte address; runs wrap around behind it */
    size_t atom;              /* bytes */
    size_t beat;              /* bytes of a data beat of the port */
    int complaints;           /* findings that this client may still report in this layer */
    int outside_left;         /* runs that may still be written outside every region in this layer */
    uint64_t pending_address; /* contiguous writes are gathered up to the end of a page: */
    size_t pending_count;     /* bytes that wait for dma_flush() */
    uint8_t pending[MEMORY_PAGE];
};

/* Sets up a client.
 *
 * outside  counts what misses the regions
 * primary  RAM_TYPE of the layer: 1 MC, 0 CV; the port must exist
 * unit, axi_id, ordinal  who it is: launch ordinal of the unit, AXI ID of chapter 70 section 3
 * beats    counter that grows by the beats of each run
 */
void dma_init(struct dma *dma, struct device *dev, struct dma_outside *outside, bool primary, enum nvdla_unit unit,
              int axi_id, int ordinal, uint64_t *beats);

/* Reads / writes `atoms` contiguous atoms. The address is cut to the address bits of the configuration and its low bits
 * inside an atom are dropped. An atom read of which no byte is declared, and one written with a byte that is not,
 * counts in `outside` and is a finding unless that is allowed; both are carried out. But a layer that has written
 * 65536 runs outside every region writes nothing more (finding "region-flood", also if allowed: the result is not what
 * a design writes): wild registers must not fill the host's memory. Written bytes may reach the memory only with
 * dma_flush(), which every layer ends with. */
void dma_read(struct dma *dma, uint64_t address, void *bytes, size_t atoms);
void dma_write(struct dma *dma, uint64_t address, const void *bytes, size_t atoms);
void dma_flush(struct dma *dma);

#endif
