/* Launches, register writes and loaded memory as JSON. See programming.h. */
#include "compare/programming.h"

#include <inttypes.h>

#include "layers/extents.h"
#include "trace/launches.h"

/* "[1,2,3]" */
static void print_words(FILE *out, const uint32_t *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%c%" PRIu32, i ? ',' : '[', words[i]);
    fputs(n ? "]" : "[]", out);
}

static void print_reads(FILE *out, const struct nvdla_config *config, const struct launch *launch) {
    struct memory_extent extents[LAUNCH_EXTENTS];
    const size_t count = launch_reads(config, launch, extents);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s[%d,%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
                (int)(extents[i].primary ? SPACE_PRIMARY : SPACE_SECONDARY), extents[i].start, extents[i].size);
}

static void print_launch(FILE *out, const struct program *prog, const struct launch *launch) {
    fprintf(out,
            "{\"unit\":\"%s\",\"ordinal\":%d,\"at\":%zu,\"line\":%d,\"registers\":", nvdla_unit_names[launch->unit],
            launch->ordinal, launch->tag, prog->ops[launch->tag].line);
    print_words(out, launch->registers, launch->word_count);
    fputs(",\"blocks\":[", out);
    for (size_t i = 0; i < launch->block_count; i++) {
        fputs(i ? "," : "", out);
        print_words(out, &launch->blocks[i * LAUNCH_BLOCK_WORDS], LAUNCH_BLOCK_WORDS);
    }
    fputs("],\"reads\":[", out);
    print_reads(out, prog->config, launch);
    fputs("]}", out);
}

static void print_launches(FILE *out, const struct program *prog) {
    struct layer_tracker *launches = program_launches(prog);
    for (size_t i = 0; i < layer_tracker_count(launches); i++) {
        fputs(i ? ",\n" : "", out);
        print_launch(out, prog, layer_tracker_launch(launches, i));
    }
    layer_tracker_free(launches);
}

static void print_writes(FILE *out, const struct program *prog) {
    const char *gap = "";
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (op->kind != OP_WRITE || !nvdla_register_at(prog->config, op->address))
            continue;
        fprintf(out, "%s[%zu,%" PRIu32 ",%" PRIu32 "]", gap, i, op->address, op->value);
        gap = ",";
    }
}

static void load(struct memory *memory, const struct op *op) {
    blob_write(memory, op->base, op->blob);
    for (size_t i = 0; i < op->blob->chunk_count; i++)
        if (op->blob->chunks[i].size)
            memory_declare(memory, op->base + op->blob->chunks[i].offset, op->blob->chunks[i].size);
}

static void print_bytes(FILE *out, const struct memory *memory, uint64_t address, uint64_t size) {
    static const char digits[] = "0123456789abcdef";
    enum { PIECE = 4096 };
    uint8_t bytes[PIECE];
    char text[2 * PIECE];
    for (uint64_t at = 0; at < size; at += PIECE) {
        const size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;
        memory_read(memory, address + at, bytes, n);
        for (size_t i = 0; i < n; i++) {
            text[2 * i] = digits[bytes[i] >> 4];
            text[2 * i + 1] = digits[bytes[i] & 0xf];
        }
        fwrite(text, 2, n, out);
    }
}

static void print_memory(FILE *out, const struct program *prog, enum memory_space space) {
    struct memory *memory = memory_new();
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_MEM_LOAD && prog->ops[i].blob && prog->ops[i].space == space)
            load(memory, &prog->ops[i]);
    for (size_t i = 0; i < memory_region_count(memory); i++) {
        uint64_t address, size;
        memory_region(memory, i, &address, &size);
        fprintf(out, "%s[%" PRIu64 ",\"", i ? ",\n" : "", address);
        print_bytes(out, memory, address, size);
        fputs("\"]", out);
    }
    memory_free(memory);
}

void programming_print(FILE *out, const struct program *prog) {
    fprintf(out, "{\"config\":\"%s\",\"launches\":[", prog->config->name);
    print_launches(out, prog);
    fputs("],\n\"writes\":[", out);
    print_writes(out, prog);
    fputs("],\n\"memory\":[", out);
    for (int space = 0; space < SPACE_COUNT; space++) {
        fputs(space ? "],\n[" : "[", out);
        print_memory(out, prog, (enum memory_space)space);
    }
    fputs("]]}\n", out);
}
