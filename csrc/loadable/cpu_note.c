/* Writes and reads comments about CPU operations. See cpu_note.h. */
#include "loadable/cpu_note.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

static const char beginning[] = "network cpu ";
static const char expected[] = "network cpu TYPE INT8|FP16 atom N in S out S power P scale S shift S zero Z, then from "
                               "and to with SPACE ADDRESS BYTES W H C line L surface S";

enum { SIZE_MOST = 1 << 28, CUBE_MOST = 8192 };

static char *buffer_note(const struct cpu_buffer *buffer) {
    return xprintf("%s 0x%" PRIx64 " 0x%" PRIx64 " %u %u %u line %" PRIu32 " surface %" PRIu32,
                   memory_space_name(buffer->memory->space), buffer->address, buffer->bytes, buffer->width,
                   buffer->height, buffer->channel, buffer->line_stride, buffer->surface_stride);
}

char *cpu_note(const struct cpu_operation *op) {
    autofree char *from = buffer_note(&op->source), *to = buffer_note(&op->destination);
    return xprintf("%s%s %s atom %u in %.9g out %.9g power %.9g scale %.9g shift %.9g zero %.9g from %s to %s",
                   beginning, cpu_type_names[op->type], op->source.half ? "FP16" : "INT8", op->source.lanes,
                   (double)op->in_scale, (double)op->out_scale, (double)op->power, (double)op->scale, (double)op->shift,
                   (double)op->zero, from, to);
}

/* Whether the elements that an operation of that cube touches lie inside. */
static bool is_inside(const struct cpu_buffer *buffer, const struct cpu_buffer *cube, enum cpu_type type) {
    const uint64_t row = (uint64_t)cube->channel * (buffer->half ? 2 : 1);
    return (cpu_takes_row(type) ? row : cpu_buffer_end(buffer, cube)) <= buffer->bytes;
}

static bool read_buffer(const char **text, struct cpu_buffer *buffer, struct loadable_memory *memory) {
    char space[16];
    int n = 0;
    if (sscanf(*text, " %15s 0x%" SCNx64 " 0x%" SCNx64 " %u %u %u line %" SCNu32 " surface %" SCNu32 "%n", space,
               &buffer->address, &buffer->bytes, &buffer->width, &buffer->height, &buffer->channel,
               &buffer->line_stride, &buffer->surface_stride, &n) != 8 ||
        n == 0 || !memory_space_find(space, &memory->space))
        return false;
    *text += n;
    buffer->memory = memory;
    return buffer->bytes <= SIZE_MOST && buffer->width - 1 < CUBE_MOST && buffer->height - 1 < CUBE_MOST &&
           buffer->channel - 1 < CUBE_MOST;
}

/* Reads a comment that begins like one of these. */
static bool read_note(const char *text, struct cpu_operation *op, struct loadable_memory memories[2]) {
    char type[16], format[8];
    int n = 0;
    *op = (struct cpu_operation){0};
    if (sscanf(text, "network cpu %15s %7s atom %u in %g out %g power %g scale %g shift %g zero %g from%n", type,
               format, &op->source.lanes, &op->in_scale, &op->out_scale, &op->power, &op->scale, &op->shift, &op->zero,
               &n) != 9 ||
        n == 0 || op->source.lanes - 1 >= CUBE_MOST)
        return false;
    op->type = 0;
    while (op->type < CPU_TYPES && strcmp(type, cpu_type_names[op->type]) != 0)
        op->type++;
    op->source.half = op->destination.half = strcmp(format, "FP16") == 0;
    op->destination.lanes = op->source.lanes;
    text += n;
    if (op->type == CPU_TYPES || (!op->source.half && strcmp(format, "INT8") != 0) ||
        !read_buffer(&text, &op->source, &memories[0]) || strncmp(text, " to", 3) != 0)
        return false;
    text += 3;
    if (!read_buffer(&text, &op->destination, &memories[1]) || *text || !is_inside(&op->source, &op->source, op->type))
        return false;
    const bool index = op->type == CPU_ARG_MAX; /* of 16 bits */
    return index ? op->destination.bytes >= 2 : is_inside(&op->destination, &op->source, op->type);
}

static bool is_note(const char *comment) {
    return strncmp(comment, beginning, strlen(beginning)) == 0;
}

bool cpu_notes_check(const struct program *prog, struct error *err) {
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        struct cpu_operation operation;
        struct loadable_memory memories[2] = {{0}};
        char position[512], shown[120];
        if (op->kind == OP_NOTE && is_note(op->text) && !read_note(op->text, &operation, memories))
            return error_set(err, "%s: found '%s', expected %s with all elements inside (traces/FORMAT.md)",
                             op_position(prog, op, position, sizeof position),
                             text_shown_into(op->text, shown, sizeof shown), expected);
    }
    return true;
}

void cpu_note_run(const char *comment, struct memory *const memories[SPACE_COUNT]) {
    struct cpu_operation operation;
    struct loadable_memory places[2] = {{0}};
    if (is_note(comment) && read_note(comment, &operation, places))
        cpu_operation_run(&operation, memories);
}
