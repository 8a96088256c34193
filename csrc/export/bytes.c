/* Plays a copy of the program that has, before every CRC check, a read of an address without a register; a wrapper of
 * the device catches this read and copies the bytes. See bytes.h. */
#include "export/bytes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "replay/player.h"
#include "trace/lex.h"

enum { MARK = 0x3fffc, POSITION = 512, PIECE = 1 << 20 };

struct taker {
    struct device_ops ops; /* the wrapper; first, so that dev is a pointer to this struct */
    const struct device_ops *real;
    struct program *prog;
    size_t at; /* the next CRC check is at or after this operation */
    struct error *err;
    bool failed;
};

static bool take(struct taker *taker, const struct device *dev) {
    struct program *prog = taker->prog;
    char position[POSITION];
    while (prog->ops[taker->at].kind != OP_MEM_CRC)
        taker->at++;
    struct op *op = &prog->ops[taker->at++];
    op_position(prog, op, position, sizeof position);
    if (!dev->memory[op->space] || op->size > TRACE_BLOB_LIMIT)
        return error_set(taker->err, "%s: a CRC of 0x%" PRIx64 " bytes cannot become bytes; at most 1 GiB can",
                         position, op->size);
    const uint32_t crc = memory_crc32(dev->memory[op->space], op->base, op->size);
    if (crc != op->value)
        return error_set(taker->err,
                         "%s: the format compares bytes, and those of the model differ (CRC 0x%08" PRIx32
                         ") from what the trace expects (0x%08" PRIx32 "); look at `nvcosim run --dut model`",
                         position, crc, op->value);
    struct blob *blob = program_blob(prog, blob_new(NULL));
    autofree uint8_t *bytes = xmalloc(PIECE);
    for (uint64_t at = 0; at < op->size; at += PIECE) {
        const size_t n = op->size - at < PIECE ? (size_t)(op->size - at) : PIECE;
        memory_read(dev->memory[op->space], op->base + at, bytes, n);
        blob_append(blob, at, bytes, n);
    }
    op->kind = OP_MEM_CHECK;
    op->blob = blob;
    op->size = blob->extent;
    op->value = 0;
    return true;
}

static bool read_or_take(struct device *dev, uint32_t address, uint32_t *value, struct error *err) {
    struct taker *taker = (struct taker *)dev->ops;
    if (address != MARK)
        return taker->real->csb_read(dev, address, value, err);
    *value = 0;
    if (!taker->failed && !take(taker, dev)) {
        taker->failed = true;
        dev->stop = true;
    }
    return true;
}

/* The operations, with a marking read before each CRC check. */
static struct program *with_marks(const struct program *prog, size_t *marks) {
    struct program *marked = program_like(prog);
    program_stream(marked, "main");
    marked->sequential = true;
    for (size_t i = 0; i < prog->count; i++) {
        struct op mark = op_make(OP_READ, prog->ops[i].line);
        mark.address = MARK;
        mark.at_end = prog->ops[i].at_end;
        if (prog->ops[i].kind == OP_MEM_CRC) {
            program_append(marked, &mark);
            ++*marks;
        } else if (prog->ops[i].kind != OP_MEM_CHECK) {
            program_append(marked, &prog->ops[i]);
        }
    }
    return marked;
}

bool crc_to_bytes(struct program *prog, struct device *dev, uint64_t seed, struct error *err) {
    size_t marks = 0;
    autoprogram struct program *marked = with_marks(prog, &marks);
    struct play_options options;
    struct play_result result;
    struct taker taker = {.ops = *dev->ops, .real = dev->ops, .prog = prog, .err = err};
    play_options_default(&options);
    options.seed = seed;
    bool good = true;
    if (marks > 0) {
        taker.ops.csb_read = read_or_take;
        dev->ops = &taker.ops;
        const enum play_outcome outcome = play(marked, dev, &options, &result);
        dev->ops = taker.real;
        good = !taker.failed;
        if (good && outcome != PLAY_PASSED && outcome != PLAY_CHECK_FAILED)
            good = error_set(err,
                             "%s: the format compares bytes instead of CRCs, and the trace does not finish on the "
                             "model%s%s; look at `nvcosim run --dut model`",
                             prog->files[0], result.message ? ": " : "", result.message ? result.message : "");
        play_result_free(&result);
    }
    return good;
}
