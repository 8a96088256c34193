/* VPI handles and vector transfers; see vpi_access.h. */
#include "tb/vpi_access.h"

#include <stdio.h>
#include <string.h>

#include "nvdla_waits.h"
#include "tb/observers/stream.h"

static vpiHandle find(const char *name, int bits, struct error *err) {
    char path[64];
    snprintf(path, sizeof path, "TOP.tb_top.%s", name);
    vpiHandle handle = vpi_handle_by_name(path + 4, NULL);
    if (!handle)
        handle = vpi_handle_by_name(path, NULL);
    if (!handle)
        error_set(err, "the simulator has no signal tb_top.%s; was it built with tb/tb_top.sv?", name);
    else if (vpi_get(vpiSize, handle) != bits)
        error_set(err, "tb_top.%s has %d bits, %d expected: the simulator was built for another configuration", name,
                  (int)vpi_get(vpiSize, handle), bits);
    else
        return handle;
    return NULL;
}

/* The streams that the simulator was built with. */
static bool find_streams(struct vpi_access *vpi, const struct nvdla_config *config, struct error *err) {
    for (int i = 0; i < STREAM_COUNT; i++) {
        char path[64];
        snprintf(path, sizeof path, "TOP.tb_top.t%d", i);
        vpiHandle handle = vpi_handle_by_name(path, NULL);
        if (!handle)
            continue;
        vpi->streams[i] = handle;
        const int bits = 32 * rtl_stream_layout(config, (enum rtl_stream)i).words;
        if (vpi_get(vpiSize, handle) != bits)
            return error_set(err, "tb_top.t%d has %d bits, %d expected: the simulator was built with other streams", i,
                             (int)vpi_get(vpiSize, handle), bits);
    }
    return true;
}

bool vpi_access_open(struct vpi_access *vpi, const struct signal_layout *layout, const struct nvdla_config *config,
                     struct error *err) {
    *vpi = (struct vpi_access){.in_words = layout->in_words, .out_words = layout->out_words};
    vpiHandle id = find("layout", 32, err);
    if (!id)
        return false;
    s_vpi_value value = {.format = vpiVectorVal};
    vpi_get_value(id, &value);
    const uint32_t has = (uint32_t)value.value.vector[0].aval;
    const uint32_t built = has & ~(uint32_t)(LAYOUT_LINKS | LAYOUT_TAPS | LAYOUT_STRIPES);
    vpi->links = has & LAYOUT_LINKS;
    vpi->taps = has & LAYOUT_TAPS;
    vpi->specified_stripes = has & LAYOUT_STRIPES;
    vpi_free_object(id);
    if (built != layout->id)
        return error_set(
            err,
            "the simulator was built for AXI buses of %u and %u bits with %u address bits, the configuration has "
            "%u, %u and %u; build its own with 'make simulator CONFIG=...'",
            (built >> 8 & 0xff) * 8, (built >> 16 & 0xff) * 8, built & 0xff, (layout->id >> 8 & 0xff) * 8,
            (layout->id >> 16 & 0xff) * 8, layout->id & 0xff);
    vpi->in = find("ins", 32 * layout->in_words, err);
    vpi->out = vpi->in ? find("outs", 32 * (layout->out_words + (vpi->taps ? 2 * MOVE_WORDS : 0)), err) : NULL;
    vpi->pins = vpi->out ? find("pins", 32 * SIGNAL_PIN_WORDS, err) : NULL;
    vpi->waits = find("waits", 32 * WAITS_WORDS, NULL);
    return vpi->pins && (!vpi->taps || find_streams(vpi, config, err));
}

void vpi_access_close(struct vpi_access *vpi) {
    vpiHandle handles[] = {vpi->in, vpi->out, vpi->pins, vpi->waits};
    for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++)
        if (handles[i])
            vpi_free_object(handles[i]);
    for (int i = 0; i < STREAM_COUNT; i++)
        if (vpi->streams[i])
            vpi_free_object(vpi->streams[i]);
}

void vpi_access_direct(struct vpi_access *vpi, uint32_t *ins, const uint32_t *outs, uint8_t *put) {
    vpi->ins = ins;
    vpi->put_toggle = put;
    vpi->outs = outs;
    vpi->direct = outs != NULL;
}

void vpi_access_get(struct vpi_access *vpi) {
    s_vpi_value value = {.format = vpiVectorVal};
    vpi->calls++;
    if (vpi->direct)
        return;
    vpi_get_value(vpi->out, &value);
    for (int i = 0; i < vpi->out_words + (vpi->taps ? 2 * MOVE_WORDS : 0); i++) {
        vpi->aval[i] = (uint32_t)value.value.vector[i].aval;
        vpi->bval[i] = (uint32_t)value.value.vector[i].bval;
    }
    vpi->outs = vpi->aval;
    vpi->unknown = vpi->bval;
}

static void get(struct vpi_access *vpi, vpiHandle handle, uint32_t *words, int count) {
    s_vpi_value value = {.format = vpiVectorVal};
    vpi->calls++;
    vpi_get_value(handle, &value);
    for (int i = 0; i < count; i++)
        words[i] = (uint32_t)value.value.vector[i].aval & ~(uint32_t)value.value.vector[i].bval;
}

void vpi_access_get_stream(struct vpi_access *vpi, enum rtl_stream stream, uint32_t *words, int count) {
    get(vpi, vpi->streams[stream], words, count);
}

void vpi_access_get_waits(struct vpi_access *vpi, uint32_t *words) {
    get(vpi, vpi->waits, words, WAITS_WORDS);
}

static void put(struct vpi_access *vpi, vpiHandle handle, const uint32_t *words, int count) {
    for (int i = 0; i < count; i++)
        vpi->words[i].aval = words[i];
    s_vpi_value value = {.format = vpiVectorVal};
    value.value.vector = vpi->words;
    vpi->calls++;
    vpi_put_value(handle, &value, NULL, vpiNoDelay);
}

void vpi_access_put(struct vpi_access *vpi, const uint32_t *words) {
    if (vpi->ins) {
        vpi->calls++;
        memcpy(vpi->ins, words, (size_t)vpi->in_words * sizeof *words);
        if (vpi->put_toggle)
            *vpi->put_toggle ^= 1;
        return;
    }
    put(vpi, vpi->in, words, vpi->in_words);
}

void vpi_access_put_pins(struct vpi_access *vpi, const uint32_t *words) {
    put(vpi, vpi->pins, words, SIGNAL_PIN_WORDS);
}
