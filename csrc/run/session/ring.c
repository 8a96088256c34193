/* Follows the registers, and finds where a recording can begin; see ring.h. */
#include "run/session/ring.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/model.h"
#include "model/snapshot.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "trace/exchange.h"

struct access {
    uint32_t address, value;
};

struct cut {
    bool before;     /* it lies in the older file */
    off_t at;        /* byte of its file */
    uint64_t layers; /* since the reset, armed before it */
    uint32_t second; /* units (1 << enum nvdla_unit) whose next layer is that of group 1 */
    struct access *registers;
    size_t register_count;
};

struct ring {
    const struct nvdla_config *config;
    uint64_t last;   /* layers wanted */
    uint64_t layers; /* since the reset */
    FILE *before;    /* older than the recording's log, or empty */
    bool dropped;    /* what came before the older file */
    uint64_t began;  /* layers when the log began */
    struct device *model;
    bool lost; /* the model cannot follow until the next reset */
    struct cut *cuts;
    size_t cut_count;
};

static FILE *new_file(struct error *err) {
    FILE *file = tmpfile();
    if (!file)
        error_set(err, "--record: no temporary file can be created (%s); is there space for temporary files?",
                  strerror(errno));
    return file;
}

static void empty(FILE *file) {
    rewind(file);
    if (ftruncate(fileno(file), 0) != 0)
        clearerr(file);
}

/* Forgets cuts in the older file; the others lie in it now. */
static void age_cuts(struct ring *ring) {
    size_t left = 0;
    for (size_t i = 0; i < ring->cut_count; i++)
        if (ring->cuts[i].before)
            free(ring->cuts[i].registers);
        else
            ring->cuts[left++] = ring->cuts[i];
    ring->cut_count = left;
    for (size_t i = 0; i < left; i++)
        ring->cuts[i].before = true;
}

/* A model in its state after reset. What it writes to memory does not matter. */
static struct device *new_model(const struct nvdla_config *config) {
    const struct model_options options = {.allow_outside = true, .allow_undefined = true, .registers_only = true};
    return model_new(config, &options);
}

struct ring *ring_new(const struct nvdla_config *config, uint64_t layers, struct error *err) {
    FILE *before = new_file(err);
    if (!before)
        return NULL;
    struct ring *ring = xcalloc(1, sizeof *ring);
    ring->config = config;
    ring->last = layers;
    ring->before = before;
    ring->model = new_model(config);
    ring->lost = !ring->model->ops->reset(ring->model, &(struct error){0});
    return ring;
}

static void forget(struct ring *ring) {
    age_cuts(ring);
    age_cuts(ring);
    ring->model->ops->destroy(ring->model);
}

void ring_free(struct ring *ring) {
    if (!ring)
        return;
    forget(ring);
    free(ring->cuts);
    fclose(ring->before);
    free(ring);
}

/* As in struct recording_keeper. */
static void take_reset(void *context) {
    struct ring *ring = context;
    forget(ring);
    empty(ring->before);
    ring->layers = ring->began = 0;
    ring->dropped = false;
    ring->model = new_model(ring->config);
    ring->lost = !ring->model->ops->reset(ring->model, &(struct error){0});
}

static bool write_register(struct ring *ring, uint32_t address, uint32_t value, struct error *err) {
    struct device *model = ring->model;
    enum device_state state = DEVICE_RUNNING;
    if (!model->ops->csb_write(model, address, value, false, err))
        return false;
    while (state == DEVICE_RUNNING && !model->ops->at_rest(model))
        state = model->ops->advance(model, 1, false, err);
    return state != DEVICE_FAILED;
}

/* As in struct recording_keeper. */
static void take_access(void *context, bool write, uint32_t address, uint32_t value) {
    struct ring *ring = context;
    struct error err;
    if (ring->lost || (write ? write_register(ring, address, value, &err)
                             : ring->model->ops->csb_read(ring->model, address, &value, &err)))
        return;
    ring->lost = true;
    text_print_line(stderr,
                    "nvcosim: --last: everything from here to the next reset is kept, for the model cannot "
                    "follow the registers: %s",
                    err.text);
}

/* As in struct recording_keeper. */
static void take_layer(void *context) {
    struct ring *ring = context;
    ring->layers++;
}

/* As in struct recording_keeper. */
static bool can_cut(const void *context) {
    const struct ring *ring = context;
    const uint64_t before = ring->cut_count > 0 ? ring->cuts[ring->cut_count - 1].layers : ring->began;
    return !ring->lost && ring->layers > before && model_at_ease(ring->model) && model_cbuf_free(ring->model);
}

static void take_register(void *context, uint32_t address, uint32_t value) {
    struct cut *cut = context;
    cut->registers = xgrow(cut->registers, cut->register_count, sizeof *cut->registers);
    cut->registers[cut->register_count++] = (struct access){address, value};
}

/* As in struct recording_keeper. */
static void take_cut(void *context, FILE **log) {
    struct ring *ring = context;
    if (ring->layers - ring->began >= ring->last) {
        FILE *older = ring->before;
        ring->dropped |= ring->began > 0;
        age_cuts(ring);
        ring->before = *log;
        *log = older;
        empty(older);
        ring->began = ring->layers;
    }
    ring->cuts = xgrow(ring->cuts, ring->cut_count, sizeof *ring->cuts);
    struct cut *cut = &ring->cuts[ring->cut_count++];
    *cut = (struct cut){.at = ftello(*log), .layers = ring->layers};
    model_registers(ring->model, take_register, cut);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (unit_has_groups(ring->config, unit))
            cut->second |= (uint32_t)model_consumer(ring->model, unit) << unit;
    for (int space = 0; space < SPACE_COUNT; space++)
        if (ring->model->memory[space]) { /* what its layers wrote */
            memory_free(ring->model->memory[space]);
            ring->model->memory[space] = memory_new();
        }
}

struct recording_keeper ring_keeper(struct ring *ring) {
    return (struct recording_keeper){take_access, take_layer, can_cut, take_cut, take_reset, ring};
}

/* ---- the recording from a cut on ---- */

/* S_POINTER has the same offset in all units with groups. */
static uint32_t pointer_of(const struct ring *ring, enum nvdla_unit unit) {
    return nvdla_unit_base(ring->config, unit) + SDP_S_POINTER;
}

/* The registers at a cut, and reads that say which group each unit runs next, and that CBUF must be clear. */
static void put_registers(const struct ring *ring, const struct cut *cut, FILE *to) {
    uint32_t pointers[NVDLA_UNIT_COUNT] = {0};
    for (size_t i = 0; i < cut->register_count; i++) {
        const struct access *access = &cut->registers[i];
        const enum nvdla_unit unit = nvdla_unit_at(ring->config, access->address);
        recording_put(to, true, access->address, access->value);
        if (unit_has_groups(ring->config, unit) && access->address == pointer_of(ring, unit))
            pointers[unit] = access->value | (cut->second >> unit & 1) << SDP_S_POINTER__CONSUMER_LSB;
    }
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (unit_has_groups(ring->config, unit))
            recording_put(to, false, pointer_of(ring, unit), pointers[unit]);
    recording_put(to, false, nvdla_unit_base(ring->config, NVDLA_CDMA) + CDMA_S_CBUF_FLUSH_STATUS,
                  CDMA_S_CBUF_FLUSH_STATUS__FLUSH_DONE_MASK);
}

/* The last cut after which enough layers follow; else the first, if there is nothing before it; NULL: the reset. */
static const struct cut *choose(const struct ring *ring) {
    for (size_t i = ring->cut_count; i-- > 0;)
        if (ring->layers - ring->cuts[i].layers >= ring->last)
            return &ring->cuts[i];
    return ring->dropped ? &ring->cuts[0] : NULL;
}

/* Appends a file from a byte on. The file's own position stays. */
static bool copy(FILE *from, off_t at, FILE *to) {
    static const size_t size = 1 << 16;
    char *bytes = xmalloc(size);
    bool good = fflush(from) == 0;
    for (ssize_t n = 1; good && n > 0; at += n) {
        n = pread(fileno(from), bytes, size, at);
        good = n >= 0 && fwrite(bytes, 1, (size_t)n, to) == (size_t)n;
    }
    free(bytes);
    return good;
}

FILE *ring_log(const struct ring *ring, FILE *log, uint64_t *kept, uint64_t *all, struct error *err) {
    const struct cut *cut = choose(ring);
    FILE *to = new_file(err);
    if (!to)
        return NULL;
    if (cut)
        put_registers(ring, cut, to);
    const bool older = !cut || cut->before;
    bool good = !older || copy(ring->before, cut ? cut->at : 0, to);
    good = good && copy(log, cut && !older ? cut->at : 0, to) && fflush(to) == 0;
    *all = ring->layers;
    *kept = ring->layers - (cut ? cut->layers : 0);
    if (good)
        return to;
    error_set(err, "--record: the temporary file cannot be written (%s); is there space for temporary files?",
              strerror(errno));
    fclose(to);
    return NULL;
}
