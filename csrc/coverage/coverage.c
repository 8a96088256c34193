/* Counts bins over the layers of traces, merges counts, prints the table. See coverage.h. */
#include "coverage/coverage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coverage/coverage_sort.h"
#include "memory/file.h"
#include "nvdla/xalloc.h"

enum { VALUES_MAX = 64 /* of an aspect */ };

struct bin {
    char *name;
    unsigned needs; /* COVERAGE_NEEDS_... */
    uint64_t count;
};

/* A row of the table: the bins of an aspect or of a cross. */
struct row {
    char *name; /* "sdp.bs_alu*bs_mul" */
    size_t first, count;
    int values[COVERAGE_CROSS_ASPECTS]; /* number of values of each aspect */
};

/* Rows and bins of an engine: the bin of its layers, its aspects in order, its crosses in order. */
struct section {
    size_t layers; /* bin */
    size_t first_row, row_count;
};

struct coverage {
    struct bin *bins;    /* NULL if only bits are needed: naming the bins takes most of the time */
    unsigned char *bits; /* of the caller, if there are no bins */
    size_t bin_count;
    struct row *rows;
    size_t row_count;
    struct section sections[COVERAGE_ENGINES];
};

/* Values of an aspect as separate strings. */
struct values {
    char names[VALUES_MAX][32];
    unsigned needs[VALUES_MAX];
    int count;
};

static unsigned feature(const char *name) {
    static const struct {
        const char *name;
        unsigned needs;
    } features[] = {
        {"int16", COVERAGE_NEEDS_INT16},
        {"fp16", COVERAGE_NEEDS_FP16},
        {"compression", COVERAGE_NEEDS_COMPRESSION},
        {"winograd", COVERAGE_NEEDS_WINOGRAD},
        {"batch", COVERAGE_NEEDS_BATCH},
        {"ew", COVERAGE_NEEDS_EW},
        {"lut", COVERAGE_NEEDS_LUT},
        {"secondary", COVERAGE_NEEDS_SECONDARY},
        {"wide", COVERAGE_NEEDS_WIDE},
        {"bdma", COVERAGE_NEEDS_BDMA},
        {"rubik", COVERAGE_NEEDS_RUBIK},
        {"c64", COVERAGE_NEEDS_C64},
        {"k16", COVERAGE_NEEDS_K16},
        {"k32", COVERAGE_NEEDS_K32},
        {"a16", COVERAGE_NEEDS_A16},
        {"a32", COVERAGE_NEEDS_A32},
    };
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
        if (strcmp(name, features[i].name) == 0)
            return features[i].needs;
    abort(); /* the table names a feature that does not exist */
}

static void add_value(struct values *values, const char *name, size_t n) {
    if (values->count == VALUES_MAX || n >= sizeof values->names[0])
        abort(); /* the table is too large for its arrays */
    memcpy(values->names[values->count], name, n);
    values->names[values->count][n] = '\0';
    char *at = strchr(values->names[values->count], '@');
    values->needs[values->count] = at ? feature(at + 1) : 0;
    if (at)
        *at = '\0';
    values->count++;
}

static void values_of(const struct coverage_aspect *aspect, struct values *values) {
    values->count = 0;
    if (!aspect->values) {
        for (int i = 0; i < nvdla_config_count; i++)
            add_value(values, nvdla_configs[i].name, strlen(nvdla_configs[i].name));
        return;
    }
    for (const char *at = aspect->values; *at;) {
        const size_t n = strcspn(at, " ");
        add_value(values, at, n);
        at += n + (at[n] == ' ');
    }
}

/* ---- where the bins lie ---------------------------------------------------------------------- */

static int count_values(const struct coverage_aspect *aspect) {
    int count = 1;
    for (const char *c = aspect->values ? aspect->values : ""; *c; c++)
        count += *c == ' ';
    return aspect->values ? count : nvdla_config_count;
}

/* Adds the row of a tuple of aspects (an aspect alone is a tuple of one), with a bin for every combination; the last
 * aspect varies fastest. */
static void add_row(struct coverage *coverage, const struct coverage_engine *engine, const struct coverage_cross *of) {
    struct row *row = xadd(coverage->rows, coverage->row_count);
    *row = (struct row){.first = coverage->bin_count, .count = 1};
    for (int i = 0; i < of->aspect_count; i++) {
        row->values[i] = count_values(&engine->aspects[of->aspects[i]]);
        row->count *= (size_t)row->values[i];
    }
    coverage->bin_count += row->count;
}

static struct coverage_cross alone(size_t aspect) {
    return (struct coverage_cross){.aspects = {(int)aspect}, .aspect_count = 1};
}

static struct coverage *lay_out(void) {
    struct coverage *coverage = xcalloc(1, sizeof *coverage);
    for (int e = 0; e < COVERAGE_ENGINES; e++) {
        const struct coverage_engine *engine = coverage_engines[e];
        struct section *section = &coverage->sections[e];
        *section = (struct section){.layers = coverage->bin_count++, .first_row = coverage->row_count};
        for (size_t i = 0; i < engine->aspect_count; i++) {
            const struct coverage_cross tuple = alone(i);
            add_row(coverage, engine, &tuple);
        }
        for (size_t i = 0; i < engine->cross_count; i++)
            add_row(coverage, engine, &engine->crosses[i]);
        section->row_count = coverage->row_count - section->first_row;
    }
    return coverage;
}

/* ---- names and needs of the bins ------------------------------------------------------------- */

/* "ENGINE.ASPECT*ASPECT=VALUE,VALUE" of a combination. */
static char *bin_name(const char *title, const struct values *values, const int *choice, int count) {
    struct text text = {0};
    text_put(&text, title);
    for (int i = 0; i < count; i++) {
        text_put(&text, i ? "," : "=");
        text_put(&text, values[i].names[choice[i]]);
    }
    return text.text;
}

static void name_row(struct coverage *coverage, struct row *row, const struct coverage_engine *engine,
                     const struct coverage_cross *of) {
    struct values values[COVERAGE_CROSS_ASPECTS] = {0};
    struct text title = {0};
    text_printf(&title, "%s.", engine->name);
    for (int i = 0; i < of->aspect_count; i++) {
        const struct coverage_aspect *aspect = &engine->aspects[of->aspects[i]];
        values_of(aspect, &values[i]);
        text_printf(&title, "%s%s", i ? "*" : "", aspect->name);
    }
    row->name = title.text;
    int choice[COVERAGE_CROSS_ASPECTS] = {0};
    for (size_t index = 0; index < row->count; index++) {
        struct bin *bin = &coverage->bins[row->first + index];
        bin->needs = engine->needs | (of->needs ? of->needs(choice) : 0);
        for (int i = 0; i < of->aspect_count; i++)
            bin->needs |= engine->aspects[of->aspects[i]].needs | values[i].needs[choice[i]];
        bin->name = bin_name(row->name, values, choice, of->aspect_count);
        for (int i = of->aspect_count - 1; i >= 0 && ++choice[i] == values[i].count; i--)
            choice[i] = 0;
    }
}

static void name_engine(struct coverage *coverage, int index) {
    const struct coverage_engine *engine = coverage_engines[index];
    const struct section *section = &coverage->sections[index];
    struct row *row = &coverage->rows[section->first_row];
    coverage->bins[section->layers] = (struct bin){
        .name = xprintf("%s.%s", engine->name, index == COVERAGE_TRACE ? "traces" : "layers"), .needs = engine->needs};
    for (size_t i = 0; i < engine->aspect_count; i++) {
        const struct coverage_cross tuple = alone(i);
        name_row(coverage, row++, engine, &tuple);
    }
    for (size_t i = 0; i < engine->cross_count; i++)
        name_row(coverage, row++, engine, &engine->crosses[i]);
}

struct coverage *coverage_new(void) {
    struct coverage *coverage = lay_out();
    coverage->bins = xcalloc(coverage->bin_count, sizeof *coverage->bins);
    for (int i = 0; i < COVERAGE_ENGINES; i++)
        name_engine(coverage, i);
    return coverage;
}

void coverage_free(struct coverage *coverage) {
    if (!coverage)
        return;
    for (size_t i = 0; coverage->bins && i < coverage->bin_count; i++)
        free(coverage->bins[i].name);
    for (size_t i = 0; i < coverage->row_count; i++)
        free(coverage->rows[i].name);
    free(coverage->bins);
    free(coverage->rows);
    free(coverage);
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_bin(struct coverage *coverage, size_t index) {
    if (coverage->bins)
        coverage->bins[index].count++;
    else
        coverage->bits[index / 8] |= (unsigned char)(1 << index % 8);
}

/* Counts a sample in the row of a tuple, unless one of its aspects does not apply. */
static void count_tuple(struct coverage *coverage, const struct row *row, const struct coverage_cross *of,
                        const int *sample) {
    size_t index = 0;
    for (int i = 0; i < of->aspect_count; i++) {
        const int value = sample[of->aspects[i]];
        if (value < 0)
            return;
        if (value >= row->values[i])
            abort(); /* the classifier and the table disagree */
        index = index * (size_t)row->values[i] + (size_t)value;
    }
    count_bin(coverage, row->first + index);
}

static void take(void *context, const struct coverage_sample *sample) {
    struct coverage *coverage = context;
    const struct coverage_engine *engine = coverage_engines[sample->engine];
    const struct section *section = &coverage->sections[sample->engine];
    const struct row *row = &coverage->rows[section->first_row];
    count_bin(coverage, section->layers);
    for (size_t i = 0; i < engine->aspect_count; i++) {
        const struct coverage_cross tuple = alone(i);
        count_tuple(coverage, row++, &tuple, sample->values);
    }
    for (size_t i = 0; i < engine->cross_count; i++)
        count_tuple(coverage, row++, &engine->crosses[i], sample->values);
}

static void take_corners(struct coverage *coverage, const struct corners *corners) {
    const struct section *section = &coverage->sections[COVERAGE_VALUES];
    int aspect;
    uint32_t values;
    for (size_t i = 0; corners && corners_reached(corners, i, &aspect, &values); i++) {
        count_bin(coverage, section->layers);
        for (int value = 0; values >> value; value++)
            if (values >> value & 1)
                count_bin(coverage, coverage->rows[section->first_row + (size_t)aspect].first + (size_t)value);
    }
}

void coverage_add(struct coverage *coverage, const struct program *prog, const struct layer_tracker *launches,
                  const struct corners *corners) {
    coverage_sort(prog, launches, take, coverage);
    take_corners(coverage, corners);
}

static struct bin *find(const struct coverage *coverage, const char *name) {
    for (size_t i = 0; i < coverage->bin_count; i++)
        if (strcmp(coverage->bins[i].name, name) == 0)
            return &coverage->bins[i];
    return NULL;
}

bool coverage_count(const struct coverage *coverage, const char *bin, uint64_t *count) {
    const struct bin *found = find(coverage, bin);
    if (found)
        *count = found->count;
    return found != NULL;
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* FNV-1a of a text and its end. */
static uint64_t hashed(uint64_t hash, const char *text) {
    const size_t n = strlen(text) + 1;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A hash of everything that defines the bins: the same bins in the same order have the same mark. Never 0. */
static uint64_t hash_of_bins(void) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int e = 0; e < COVERAGE_ENGINES; e++) {
        const struct coverage_engine *engine = coverage_engines[e];
        hash = hashed(hash, engine->name);
        for (size_t i = 0; i < engine->aspect_count; i++) {
            hash = hashed(hash, engine->aspects[i].name);
            for (int c = 0; !engine->aspects[i].values && c < nvdla_config_count; c++)
                hash = hashed(hash, nvdla_configs[c].name);
            if (engine->aspects[i].values)
                hash = hashed(hash, engine->aspects[i].values);
        }
        for (size_t i = 0; i < engine->cross_count; i++)
            for (int j = 0; j < engine->crosses[i].aspect_count; j++)
                hash = hashed(hash, engine->aspects[engine->crosses[i].aspects[j]].name);
    }
    return hash ? hash : 1;
}

static void mark_of_bins(unsigned char mark[COVERAGE_MARK]) {
    static uint64_t hash; /* it takes most of the time of adding bits */
    if (!hash)
        hash = hash_of_bins();
    for (int i = 0; i < COVERAGE_MARK; i++)
        mark[i] = (unsigned char)(hash >> 8 * (COVERAGE_MARK - 1 - i));
}

static size_t bits_size(const struct coverage *coverage) {
    return COVERAGE_MARK + (coverage->bin_count + 7) / 8;
}

unsigned char *coverage_bits(const struct program *prog, const struct layer_tracker *launches,
                             const struct corners *corners, size_t *n) {
    struct coverage *coverage = lay_out();
    *n = bits_size(coverage);
    unsigned char *bits = xcalloc(*n, 1);
    mark_of_bins(bits);
    coverage->bits = bits + COVERAGE_MARK;
    coverage_add(coverage, prog, launches, corners);
    coverage_free(coverage);
    return bits;
}

bool coverage_add_bits(struct coverage *coverage, const unsigned char *bits, size_t n) {
    unsigned char mark[COVERAGE_MARK];
    mark_of_bins(mark);
    if (n != bits_size(coverage) || memcmp(bits, mark, sizeof mark) != 0)
        return false;
    for (size_t i = 0; i < coverage->bin_count; i++)
        if (bits[COVERAGE_MARK + i / 8] == 0)
            i |= 7; /* most bytes are 0 */
        else
            coverage->bins[i].count += bits[COVERAGE_MARK + i / 8] >> i % 8 & 1;
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Reads "BIN COUNT" from a line; an empty line or a comment gives *bin = NULL. */
static bool parse_line(const struct coverage *coverage, char *line, const char *path, int number, struct bin **bin,
                       uint64_t *count, struct error *err) {
    char *rest = line;
    *bin = NULL;
    line[strcspn(line, "#")] = '\0';
    const char *name = strtok_r(line, " \t\r", &rest);
    const char *value = strtok_r(NULL, " \t\r", &rest);
    const char *more = strtok_r(NULL, " \t\r", &rest);
    if (!name)
        return true;
    char *end = NULL;
    *count = value ? strtoull(value, &end, 10) : 0;
    if (!value || value[0] < '0' || value[0] > '9' || *end || more)
        return error_set(err, "%s:%d: expected the name of a bin and a count", path, number);
    *bin = find(coverage, name);
    if (!*bin)
        return error_set(err, "%s:%d: found the unknown bin '%s'; the file may come from another version", path, number,
                         name);
    return true;
}

bool coverage_merge(struct coverage *coverage, const char *path, struct error *err) {
    char *text;
    size_t size;
    if (!file_read(path, &text, &size, err))
        return false;
    autofree uint64_t *counts = xcalloc(coverage->bin_count, sizeof *counts);
    char *rest = text;
    int number = 0;
    bool ok = true;
    for (char *line = strsep(&rest, "\n"); ok && line; line = strsep(&rest, "\n")) {
        struct bin *bin;
        uint64_t count;
        ok = parse_line(coverage, line, path, ++number, &bin, &count, err);
        if (ok && bin)
            counts[bin - coverage->bins] += count;
    }
    for (size_t i = 0; ok && i < coverage->bin_count; i++)
        coverage->bins[i].count += counts[i];
    free(text);
    return ok;
}

bool coverage_write(const struct coverage *coverage, const char *path, struct error *err) {
    autotext struct text text = {0};
    text_printf(&text, "# functional coverage of nvcosim: bin, count\n");
    for (size_t i = 0; i < coverage->bin_count; i++)
        if (coverage->bins[i].count > 0)
            text_printf(&text, "%s %" PRIu64 "\n", coverage->bins[i].name, coverage->bins[i].count);
    return file_write(path, text.text, text.n, err);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Whether any configuration seen can reach the bin; before the first trace, any configuration at all. */
static bool reachable(const struct coverage *coverage, const struct bin *bin) {
    const struct row *configs = &coverage->rows[coverage->sections[COVERAGE_TRACE].first_row + COVERAGE_TRACE_CONFIG];
    const struct bin *seen = &coverage->bins[configs->first];
    const struct bin *values = &coverage->bins[coverage->sections[COVERAGE_VALUES].layers];
    bool any = false;
    if (bin >= seen && bin < seen + configs->count)
        return bin->count > 0; /* no set of traces needs every configuration */
    for (size_t i = 0; i < configs->count; i++)
        any = any || seen[i].count > 0;
    if (any && bin >= values && values->count == 0)
        return false; /* nothing was played */
    for (size_t i = 0; i < configs->count; i++)
        if ((seen[i].count > 0 || !any) && (bin->needs & ~coverage_features(&nvdla_configs[i])) == 0)
            return true;
    return false;
}

static struct coverage_total total_of(const struct coverage *coverage, const struct row *row) {
    struct coverage_total total = {0};
    for (size_t i = row->first; i < row->first + row->count; i++) {
        if (!reachable(coverage, &coverage->bins[i]))
            continue;
        total.reachable++;
        total.exercised += coverage->bins[i].count > 0;
    }
    return total;
}

struct coverage_total coverage_total(const struct coverage *coverage) {
    struct coverage_total total = {0};
    for (size_t i = 0; i < coverage->row_count; i++) {
        const struct coverage_total row = total_of(coverage, &coverage->rows[i]);
        total.reachable += row.reachable;
        total.exercised += row.exercised;
    }
    return total;
}

bool coverage_row(const struct coverage *coverage, size_t index, struct coverage_row *row) {
    if (index >= coverage->row_count)
        return false;
    const struct row *own = &coverage->rows[index];
    *row = (struct coverage_row){.name = own->name, .total = total_of(coverage, own)};
    for (size_t i = own->first; i < own->first + own->count; i++)
        if (coverage->bins[i].count == 0 && reachable(coverage, &coverage->bins[i]))
            words_add(&row->holes, "%s", strchr(coverage->bins[i].name, '=') + 1);
    return true;
}

/* Prints names in lines of limited width. */
static void print_names(struct text *out, const struct words *names) {
    enum { INDENT = 60, WIDTH = 130 };
    int column = 0;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        if (column > 0 && column + 1 + (int)strlen(name) > WIDTH) {
            text_printf(out, "\n%*s", INDENT - 2, "");
            column = 0;
        }
        column += column > 0 ? 0 : INDENT - 2;
        const char *gap = column > INDENT - 2 ? " " : "  ";
        text_printf(out, "%s%s", gap, name);
        column += (int)(strlen(gap) + strlen(name));
    }
}

static void print_row(struct text *out, const struct coverage *coverage, size_t index) {
    struct coverage_row row;
    if (!coverage_row(coverage, index, &row) || row.total.reachable == 0)
        return;
    text_printf(out, "  %-44s%4zu of %4zu", strchr(row.name, '.') + 1, row.total.exercised, row.total.reachable);
    if (row.total.exercised == 0)
        text_printf(out, "  none of them");
    else
        print_names(out, &row.holes);
    text_printf(out, "\n");
    words_free(&row.holes);
}

static void print_section(struct text *out, const struct coverage *coverage, int index) {
    const struct coverage_engine *engine = coverage_engines[index];
    const struct section *section = &coverage->sections[index];
    const struct bin *layers = &coverage->bins[section->layers];
    if (!reachable(coverage, layers))
        return;
    text_printf(out, "%s, %" PRIu64 " %s%s\n", engine->name, layers->count, engine->what,
                layers->count == 1 ? "" : "s");
    for (size_t i = section->first_row; i < section->first_row + section->row_count; i++)
        print_row(out, coverage, i);
}

char *coverage_text(const struct coverage *coverage) {
    struct text text = {0};
    text_printf(&text, "%48s%10s  %s\n", "", "exercised", "never exercised");
    for (int i = 0; i < COVERAGE_ENGINES; i++)
        print_section(&text, coverage, i);
    const struct coverage_total total = coverage_total(coverage);
    text_printf(&text, "%zu of %zu bins exercised, %.1f %%\n", total.exercised, total.reachable,
                total.reachable ? 100.0 * (double)total.exercised / (double)total.reachable : 0.0);
    return text.text;
}
