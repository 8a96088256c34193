/* Outputs of networks; see outputs.h. */
#include "run/network/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "loadable/half.h"
#include "memory/file.h"
#include "nvdla/bytes.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

/* Byte of the cube at which element i of the file lies, of a network whose file says the order. */
static uint64_t place_of_element(const struct network_output *output, size_t i) {
    const size_t place = element_place(&output->order, i), pixel = place / output->c;
    return network_place(output, 0, (unsigned)(place % output->c), (unsigned)(pixel / output->w),
                         (unsigned)(pixel % output->w));
}

/* The elements of an output alone, in the file's order. */
static bool write_elements(const struct network_output *output, struct memory *memory, const char *folder,
                           const char *name, struct error *err) {
    const size_t count = element_count(&output->order), wide = network_type_bytes(output->type);
    autofree uint8_t *cube = xmalloc(output->size), *elements = xmalloc(count * wide);
    memory_read(memory, output->base, cube, output->size);
    for (size_t i = 0; i < count; i++)
        memcpy(elements + i * wide, cube + place_of_element(output, i), wide);
    return file_write_in(folder, name, elements, count * wide, err);
}

bool outputs_write(const struct program *prog, struct memory *const memory[SPACE_COUNT], const char *folder,
                   struct error *err) {
    struct network network;
    if (!network_read(prog, &network, err))
        return false;
    bool fine = directory_make(folder, err);
    for (size_t i = 0; fine && i < network.output_count; i++) {
        const struct network_output *output = &network.outputs[i];
        autofree char *name = xprintf("%s.bin", output->name), *path = xprintf("%s/%s", folder, name);
        fine = output->order.rank ? write_elements(output, memory[output->space], folder, name, err)
                                  : memory_dump(memory[output->space], output->base, output->size, path, err);
    }
    network_free(&network);
    return fine || error_prefix(err, "--outputs: ");
}

/* The value of an element. */
static float value_at(const struct network_output *output, const uint8_t *bytes, uint64_t place) {
    switch (output->type) {
    case NETWORK_INT8:
        return (float)(output->scale * (int8_t)bytes[place]);
    case NETWORK_INT16:
        return (float)(output->scale * (int16_t)load_16(bytes + place));
    default:
        return (float)(output->scale * half_to_float(load_16(bytes + place)));
    }
}

float *outputs_values(const struct network_output *output, const uint8_t *bytes, size_t *count) {
    *count = (size_t)output->n * output->c * output->h * output->w;
    float *values = xcalloc(*count, sizeof *values);
    size_t i = 0;
    for (unsigned n = 0; n < output->n; n++)
        for (unsigned c = 0; c < output->c; c++)
            for (unsigned y = 0; y < output->h; y++)
                for (unsigned x = 0; x < output->w; x++)
                    values[i++] = value_at(output, bytes, network_place(output, n, c, y, x));
    return values;
}

/* ---- files ---- */

static bool write_form(const char *folder, const struct network_output *output, const char *suffix,
                       const struct text *text, struct error *err) {
    autofree char *name = xprintf("%s.%s", output->name, suffix);
    return file_write_in(folder, name, text->text, text->n, err);
}

/* numpy's format, version 1.0: a header padded to 64 bytes, then the elements, in the file's order if that is known. */
static bool write_npy(const char *folder, const struct network_output *output, const uint8_t *bytes,
                      const float *values, size_t count, struct error *err) {
    char header[128], shape[64] = "";
    for (unsigned d = 0; d < output->order.rank; d++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%u, ", output->order.sides[d].size);
    if (!output->order.rank)
        snprintf(shape, sizeof shape, "%u, %u, %u, %u", output->n, output->c, output->h, output->w);
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    const int n =
        snprintf(header + 10, sizeof header - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", shape);
    header[10 + n] = ' ';
    header[sizeof header - 1] = '\n';
    autotext struct text text = {0};
    text_add(&text, header, sizeof header);
    for (size_t i = 0; i < count; i++) {
        const float value = output->order.rank ? value_at(output, bytes, place_of_element(output, i)) : values[i];
        text_add(&text, &value, sizeof value);
    }
    return write_form(folder, output, "npy", &text, err);
}

/* The tensor as the driver's tests dump it: its format taken literally with its strides, even if the configuration's
 * atoms are smaller. */
static struct network_output literally(const struct network_output *output) {
    struct network_output literal = *output;
    literal.atom = output->format == NETWORK_FEATURE_8 ? 8 : 32 / network_type_bytes(output->type);
    return literal;
}

enum { DIMG_HEADER = 36 };

/* Of a batch, only the first. */
static bool write_dimg(const char *folder, const struct network_output *output, const uint8_t *bytes,
                       struct error *err) {
    const bool atoms_of_8 = output->format == NETWORK_FEATURE_8;
    if (output->atom * network_type_bytes(output->type) == 16)
        return error_set(err,
                         "--dimg: output %s: found atoms of 16 bytes, expected 8 or 32: NVIDIA's format has no others",
                         output->name);
    const unsigned wide = network_type_bytes(output->type);
    const uint32_t code = output->type == NETWORK_INT8    ? (atoms_of_8 ? 41 : 40)
                          : output->type == NETWORK_INT16 ? 41
                                                          : 42;
    const struct network_output literal = literally(output);
    const uint32_t header[] = {0,         code,         output->w,       output->h,
                               output->c, output->line, output->surface, (uint32_t)output->size};
    autotext struct text text = {0};
    text_add(&text, "DIMG", 4);
    text_add(&text, header, sizeof header);
    bool fine = true;
    for (unsigned c = 0; fine && c < output->c; c++)
        for (unsigned y = 0; fine && y < output->h; y++)
            for (unsigned x = 0; fine && x < output->w; x++) {
                const uint64_t place = network_place(&literal, 0, c, y, x);
                if (place + wide > output->size)
                    fine = error_set(err,
                                     "--dimg: output %s: found %u bytes of an element at 0x%llx, as format %u has it; "
                                     "expected all inside its %llu bytes",
                                     output->name, wide, (unsigned long long)place, code,
                                     (unsigned long long)output->size);
                else
                    text_add(&text, bytes + place, wide);
            }
    fine = fine && write_form(folder, output, "dimg", &text, err);
    return fine;
}

/* ---- in print ---- */

/* Reads the lines of a file of labels; no words without a file. */
static bool read_labels(const char *path, struct words *labels, struct error *err) {
    char *text, *rest;
    size_t n;
    if (!path)
        return true;
    if (!file_read(path, &text, &n, err))
        return error_prefix(err, "--labels: ");
    for (char *line = text; line && *line; line = rest) {
        rest = strchr(line, '\n');
        if (rest)
            *rest++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        autofree char *shown = text_shown(line);
        words_add(labels, "%s", shown);
    }
    free(text);
    return true;
}

bool outputs_can_be_shown(const struct outputs_style *style, struct error *err) {
    autowords struct words labels = {0};
    return read_labels(style->labels, &labels, err);
}

/* The largest unmarked element, the first of equals. A NaN is less than everything. */
static size_t greatest(const float *values, const bool *marked, size_t count) {
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (!marked[i] &&
            (best == count || values[i] > values[best] || (values[best] != values[best] && values[i] == values[i])))
            best = i;
    return best;
}

/* Prints the largest elements of one picture of a batch, one a line. */
static void print_top(FILE *out, const struct network_output *output, const float *values, unsigned top,
                      const struct words *labels) {
    const size_t pixels = (size_t)output->h * output->w, count = output->c * pixels;
    autofree bool *marked = xcalloc(count, sizeof *marked);
    size_t widest = 0;
    for (size_t i = 0; i < labels->count; i++)
        if (text_columns(labels->items[i]) > widest)
            widest = text_columns(labels->items[i]);
    for (unsigned k = 0; k < top && k < count; k++) {
        const size_t i = greatest(values, marked, count), c = i / pixels;
        const size_t named = network_has_indices(output) ? (size_t)values[i] : c;
        marked[i] = true;
        if (pixels == 1)
            fprintf(out, "  %4zu", c);
        else
            fprintf(out, "  channel %zu, y %zu, x %zu", c, i % pixels / output->w, i % output->w);
        if (widest > 0)
            fprintf(out, "  %s%*s", named < labels->count ? labels->items[named] : "",
                    (int)(widest - (named < labels->count ? text_columns(labels->items[named]) : 0)), "");
        if (output->real != 0)
            fprintf(out, "  %4.0f  %.6g\n", (double)values[i], output->real * ((double)values[i] - output->zero));
        else
            fprintf(out, "  %.6g\n", (double)values[i]);
    }
}

/* The bytes of an output's memory, from what outputs_write() wrote. */
static bool read_written(const struct network_output *output, const char *folder, char **bytes, size_t *n,
                         struct error *err) {
    const size_t wide = network_type_bytes(output->type), count = element_count(&output->order);
    const size_t expected = output->order.rank ? count * wide : output->size;
    autofree char *path = xprintf("%s/%s.bin", folder, output->name);
    bool fine = file_read(path, bytes, n, err);
    if (!fine)
        *bytes = NULL;
    else if (*n != expected)
        fine = error_set(err, "%s: found %zu bytes; expected %zu", path, *n, expected);
    if (!fine || !output->order.rank)
        return fine;
    char *cube = xcalloc(output->size, 1);
    for (size_t i = 0; i < count; i++)
        memcpy(cube + place_of_element(output, i), *bytes + i * wide, wide);
    free(*bytes);
    *bytes = cube;
    return true;
}

static bool show(FILE *out, const struct network_output *output, const char *folder, const struct outputs_style *style,
                 const struct words *labels, struct error *err) {
    char *bytes;
    size_t n;
    bool fine = read_written(output, folder, &bytes, &n, err);
    if (fine && !output->tensor) {
        if (out)
            fprintf(out, "output %s: %zu %s\n", output->name, n, text_plural(n, "byte", "bytes"));
    } else if (fine) {
        size_t count;
        autofree float *values = outputs_values(output, (const uint8_t *)bytes, &count);
        for (unsigned k = 0; out && k < output->n; k++) {
            fprintf(out, "output %s", output->name);
            if (output->n > 1)
                fprintf(out, ", picture %u", k);
            fprintf(out, ": %u x %u x %u (c, h, w) of %s", output->c, output->h, output->w,
                    network_type_names[output->type]);
            if (output->scale != 1)
                fprintf(out, ", times %.6g", output->scale);
            if (output->real != 0)
                fprintf(out, ", codes and (code %+d) * %.6g", -output->zero, output->real);
            fputs(":\n", out);
            print_top(out, output, values + k * (count / output->n), style->top, labels);
        }
        fine = (!style->npy || write_npy(folder, output, (const uint8_t *)bytes, values, count, err)) &&
               (!style->dimg || write_dimg(folder, output, (const uint8_t *)bytes, err));
    }
    free(bytes);
    return fine;
}

bool outputs_show(FILE *out, const struct program *prog, const char *folder, const struct outputs_style *style,
                  struct error *err) {
    struct network network;
    autowords struct words labels = {0};
    bool fine = network_read(prog, &network, err) && read_labels(style->labels, &labels, err);
    for (size_t i = 0; fine && i < network.output_count; i++)
        fine = show(out, &network.outputs[i], folder, style, &labels, err);
    network_free(&network);
    return fine;
}
