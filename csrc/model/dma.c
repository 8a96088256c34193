/* Runs of atoms read and written, region checks, provenance and beat counts. See dma.h. */
#include "model/dma.h"

#include <inttypes.h>
#include <string.h>

#include "memory/space.h"
#include "nvdla/sizes.h"

/* Findings of one client in one layer: a wrong base address hits every atom, the first ones suffice. */
enum { COMPLAINTS = 2 };

/* Runs written outside every region before a layer is aborted: at most 256 MiB if they are whole pages. */
enum { OUTSIDE_RUNS = 65536 };

void dma_init(struct dma *dma, struct device *dev, struct dma_outside *outside, bool primary, enum nvdla_unit unit,
              int axi_id, int ordinal, uint64_t *beats) {
    const struct nvdla_config *config = dev->config;
    uint64_t last = config->addr_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << config->addr_bits) - 1;
    dma->dev = dev;
    dma->outside = outside;
    dma->mem = dev->memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY];
    dma->beats = beats;
    dma->origin = (struct memory_origin){.unit = (int16_t)unit, .axi_id = (int16_t)axi_id, .ordinal = ordinal};
    dma->address_mask = last & ~((uint64_t)config->mem_atom - 1);
    dma->last_address = last;
    dma->atom = (size_t)config->mem_atom;
    dma->beat = (size_t)(primary ? config->dbb_data_bits : config->cvsram_data_bits) / 8;
    dma->complaints = COMPLAINTS;
    dma->outside_left = OUTSIDE_RUNS;
    dma->pending_address = 0;
    dma->pending_count = 0;
}

static struct finding finding_of(const struct dma *dma, const char *rule, uint64_t address) {
    return (struct finding){.rule = rule,
                            .address = address,
                            .kind = FINDING_ACCESS,
                            .owner = {.unit = dma->origin.unit, .ordinal = dma->origin.ordinal}};
}

/* Counts an atom outside every region, and reports it if it is not allowed. */
static void complain(struct dma *dma, const char *rule, const char *verb, uint64_t address) {
    dma->outside->count++;
    if (dma->outside->allowed || dma->complaints == 0)
        return;
    dma->complaints--;
    bool primary = dma->mem == dma->dev->memory[SPACE_PRIMARY];
    const struct finding finding = finding_of(dma, rule, address);
    device_report(dma->dev, &finding,
                  "%s %zu bytes at 0x%" PRIx64 " on the %s port (AXI ID %d), outside every declared or loaded region",
                  verb, dma->atom, address, memory_space_name(primary ? SPACE_PRIMARY : SPACE_SECONDARY),
                  dma->origin.axi_id);
}

static void check_read(struct dma *dma, uint64_t address, size_t size) {
    if (memory_all_declared(dma->mem, address, size))
        return;
    for (size_t at = 0; at < size; at += dma->atom)
        if (!memory_any_declared(dma->mem, address + at, dma->atom))
            complain(dma, "region-read", "reads", address + at);
}

/* Checks a run that is about to be written. Returns false if it must be dropped. */
static bool check_write(struct dma *dma, uint64_t address, size_t size) {
    if (memory_all_declared(dma->mem, address, size) && memory_writable(dma->mem, address))
        return true;
    for (size_t at = 0; at < size; at += dma->atom)
        if (!memory_all_declared(dma->mem, address + at, dma->atom) || !memory_writable(dma->mem, address + at))
            complain(dma, "region-write", "writes", address + at);
    bool flooded = dma->outside_left == 0;
    if (!flooded && !memory_any_declared(dma->mem, address, size) && --dma->outside_left == 0) {
        const struct finding finding = finding_of(dma, "region-flood", address);
        device_report(dma->dev, &finding,
                      "wrote %d runs outside every declared or loaded region; what follows is dropped", OUTSIDE_RUNS);
    }
    return !flooded;
}

/* Bytes from address to the end of the address space, at most size. */
static size_t before_wrap(const struct dma *dma, uint64_t address, size_t size) {
    uint64_t rest = dma->last_address - address;
    return rest < size - 1 ? (size_t)rest + 1 : size;
}

/* Counts the beats of a run of `size` bytes. Chapter 70 section 4. */
static void count_beats(struct dma *dma, uint64_t address, size_t size) {
    size_t begin = (size_t)(address % dma->beat);
    *dma->beats += ceil_div(begin + size, dma->beat);
}

void dma_read(struct dma *dma, uint64_t address, void *bytes, size_t atoms) {
    uint8_t *to = bytes;
    size_t size = atoms * dma->atom;
    address &= dma->address_mask;
    count_beats(dma, address, size);
    while (size > 0) {
        size_t part = before_wrap(dma, address, size);
        check_read(dma, address, part);
        memory_read_for(dma->mem, address, to, part, &dma->origin);
        to += part;
        size -= part;
        address = 0;
    }
}

void dma_flush(struct dma *dma) {
    if (dma->pending_count > 0 && check_write(dma, dma->pending_address, dma->pending_count))
        memory_write(dma->mem, dma->pending_address, dma->pending, dma->pending_count, NULL, &dma->origin);
    dma->pending_count = 0;
}

void dma_write(struct dma *dma, uint64_t address, const void *bytes, size_t atoms) {
    const uint8_t *from = bytes;
    size_t size = atoms * dma->atom;
    address &= dma->address_mask;
    count_beats(dma, address, size);
    while (size > 0) {
        if (address != dma->pending_address + dma->pending_count)
            dma_flush(dma);
        if (dma->pending_count == 0)
            dma->pending_address = address;
        /* Pages end at the end of the address space, so a part never wraps around. */
        size_t room = MEMORY_PAGE - (size_t)(address % MEMORY_PAGE);
        size_t part = size < room ? size : room;
        memcpy(dma->pending + dma->pending_count, from, part);
        dma->pending_count += part;
        if (part == room)
            dma_flush(dma);
        from += part;
        size -= part;
        address = (address + part) & dma->address_mask;
    }
}
