/* Follows the registers, and finds where a recording can begin; see recording_end.h. */
#include "live/recording_end.h"

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

struct end_access {
    uint32_t address, value;
};

struct recording_cut {
    bool before;     /* it lies in the older file */
    off_t at;        /* byte of its file */
    uint64_t layers; /* since the reset, armed before it */
    uint32_t second; /* units (1 << enum nvdla_unit) whose next layer is that of group 1 */
    struct end_access *registers;
    size_t register_count;
};

struct recording_end {
    const struct nvdla_config *config;
    uint64_t last;   /* layers wanted */
    uint64_t layers; /* since the reset */
    FILE *before;    /* older than the recording's log, or empty */
    bool dropped;    /* what came before the older file */
    uint64_t began;  /* layers when the log began */
    struct device *model;
    bool lost; /* the model cannot follow until the next reset */
    struct recording_cut *cuts;
    size_t cut_count;
};

static FILE *new_file(struct error *err) {
    FILE *file = tmpfile();
    if (!file)
        error_set(err, "--record: no temporary file can be created (%m); is there space for temporary files?");
    return file;
}

static void empty(FILE *file) {
    rewind(file);
    if (ftruncate(fileno(file), 0) != 0)
        clearerr(file);
}

/* Forgets cuts in the older file; the others lie in it now. */
static void age_cuts(struct recording_end *end) {
    size_t left = 0;
    for (size_t i = 0; i < end->cut_count; i++)
        if (end->cuts[i].before)
            free(end->cuts[i].registers);
        else
            end->cuts[left++] = end->cuts[i];
    end->cut_count = left;
    for (size_t i = 0; i < left; i++)
        end->cuts[i].before = true;
}

/* A model in its state after reset. What it writes to memory does not matter. */
static struct device *new_model(const struct nvdla_config *config) {
    const struct model_options options = {.allow_outside = true, .allow_undefined = true, .registers_only = true};
    return model_new(config, &options);
}

struct recording_end *recording_end_new(const struct nvdla_config *config, uint64_t layers, struct error *err) {
    FILE *before = new_file(err);
    if (!before)
        return NULL;
    struct recording_end *end = xcalloc(1, sizeof *end);
    end->config = config;
    end->last = layers;
    end->before = before;
    end->model = new_model(config);
    end->lost = !end->model->ops->reset(end->model, &(struct error){0});
    return end;
}

static void forget(struct recording_end *end) {
    age_cuts(end);
    age_cuts(end);
    end->model->ops->destroy(end->model);
}

void recording_end_free(struct recording_end *end) {
    if (!end)
        return;
    forget(end);
    free(end->cuts);
    fclose(end->before);
    free(end);
}

/* As in struct recording_keeper. */
static void take_reset(void *context) {
    struct recording_end *end = context;
    forget(end);
    empty(end->before);
    end->layers = end->began = 0;
    end->dropped = false;
    end->model = new_model(end->config);
    end->lost = !end->model->ops->reset(end->model, &(struct error){0});
}

static bool write_register(struct recording_end *end, uint32_t address, uint32_t value, struct error *err) {
    struct device *model = end->model;
    enum device_state state = DEVICE_RUNNING;
    if (!model->ops->csb_write(model, address, value, false, err))
        return false;
    while (state == DEVICE_RUNNING && !model->ops->at_rest(model))
        state = model->ops->advance(model, 1, false, err);
    return state != DEVICE_FAILED;
}

/* As in struct recording_keeper. */
static void take_access(void *context, bool write, uint32_t address, uint32_t value) {
    struct recording_end *end = context;
    struct error err;
    if (end->lost || (write ? write_register(end, address, value, &err)
                            : end->model->ops->csb_read(end->model, address, &value, &err)))
        return;
    end->lost = true;
    text_print_line(stderr,
                    "nvcosim: --last: everything from here to the next reset is kept, for the model cannot "
                    "follow the registers: %s",
                    err.text);
}

/* As in struct recording_keeper. */
static void take_layer(void *context) {
    struct recording_end *end = context;
    end->layers++;
}

/* As in struct recording_keeper. */
static bool can_cut(const void *context) {
    const struct recording_end *end = context;
    const uint64_t before = end->cut_count > 0 ? end->cuts[end->cut_count - 1].layers : end->began;
    return !end->lost && end->layers > before && model_at_ease(end->model) && model_cbuf_free(end->model);
}

static void take_register(void *context, uint32_t address, uint32_t value) {
    struct recording_cut *cut = context;
    *xadd(cut->registers, cut->register_count) = (struct end_access){address, value};
}

/* As in struct recording_keeper. */
static void take_cut(void *context, FILE **log) {
    struct recording_end *end = context;
    if (end->layers - end->began >= end->last) {
        FILE *older = end->before;
        end->dropped |= end->began > 0;
        age_cuts(end);
        end->before = *log;
        *log = older;
        empty(older);
        end->began = end->layers;
    }
    struct recording_cut *cut = xadd(end->cuts, end->cut_count);
    *cut = (struct recording_cut){.at = ftello(*log), .layers = end->layers};
    model_registers(end->model, take_register, cut);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (unit_has_groups(end->config, unit))
            cut->second |= (uint32_t)model_consumer(end->model, unit) << unit;
    for (int space = 0; space < SPACE_COUNT; space++)
        if (end->model->memory[space]) { /* what its layers wrote */
            memory_free(end->model->memory[space]);
            end->model->memory[space] = memory_new();
        }
}

struct recording_keeper recording_end_keeper(struct recording_end *end) {
    return (struct recording_keeper){take_access, take_layer, can_cut, take_cut, take_reset, end};
}

/* ---- the recording from a cut on ---- */

/* S_POINTER has the same offset in all units with groups. */
static uint32_t pointer_of(const struct recording_end *end, enum nvdla_unit unit) {
    return nvdla_unit_base(end->config, unit) + SDP_S_POINTER;
}

/* The registers at a cut, and reads that say which group each unit runs next, and that CBUF must be clear. */
static void put_registers(const struct recording_end *end, const struct recording_cut *cut, FILE *to) {
    uint32_t pointers[NVDLA_UNIT_COUNT] = {0};
    for (size_t i = 0; i < cut->register_count; i++) {
        const struct end_access *access = &cut->registers[i];
        const enum nvdla_unit unit = nvdla_unit_at(end->config, access->address);
        recording_put(to, true, access->address, access->value);
        if (unit_has_groups(end->config, unit) && access->address == pointer_of(end, unit))
            pointers[unit] = access->value | (cut->second >> unit & 1) << SDP_S_POINTER__CONSUMER_LSB;
    }
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (unit_has_groups(end->config, unit))
            recording_put(to, false, pointer_of(end, unit), pointers[unit]);
    recording_put(to, false, nvdla_unit_base(end->config, NVDLA_CDMA) + CDMA_S_CBUF_FLUSH_STATUS,
                  CDMA_S_CBUF_FLUSH_STATUS__FLUSH_DONE_MASK);
}

/* The last cut after which enough layers follow; else the first, if there is nothing before it; NULL: the reset. */
static const struct recording_cut *choose(const struct recording_end *end) {
    for (size_t i = end->cut_count; i-- > 0;)
        if (end->layers - end->cuts[i].layers >= end->last)
            return &end->cuts[i];
    return end->dropped ? &end->cuts[0] : NULL;
}

/* Appends a file from a byte on. The file's own position stays. */
static bool copy(FILE *from, off_t at, FILE *to) {
    static const size_t size = 1 << 16;
    autofree char *bytes = xmalloc(size);
    bool good = fflush(from) == 0;
    for (ssize_t n = 1; good && n > 0; at += n) {
        n = pread(fileno(from), bytes, size, at);
        good = n >= 0 && fwrite(bytes, 1, (size_t)n, to) == (size_t)n;
    }
    return good;
}

FILE *recording_end_log(const struct recording_end *end, FILE *log, uint64_t *kept, uint64_t *all, struct error *err) {
    const struct recording_cut *cut = choose(end);
    FILE *to = new_file(err);
    if (!to)
        return NULL;
    if (cut)
        put_registers(end, cut, to);
    const bool older = !cut || cut->before;
    bool good = !older || copy(end->before, cut ? cut->at : 0, to);
    good = good && copy(log, cut && !older ? cut->at : 0, to) && fflush(to) == 0;
    *all = end->layers;
    *kept = end->layers - (cut ? cut->layers : 0);
    if (good)
        return to;
    error_set(err, "--record: the temporary file cannot be written (%m); is there space for temporary files?");
    fclose(to);
    return NULL;
}
