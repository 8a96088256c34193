/* Sums of products of FP16: exponents, alignment, guard bits, NaN and infinity. See cmac_fp16.h.
 *
 * The multiplier gives a product as a pair of numbers whose sum is the product plus BIAS. Each is shifted right by four
 * times the distance of the product's exponent from the largest, and then they are added. So the term is the shifted
 * product, minus one if the bits that both numbers lose would have carried. For distances 1 and 2, the common case, the
 * carry depends only on the low four or eight bits of weight and data and is looked up. Products further away are
 * collected and computed together, kernels and elements mixed. */
#include "model/cmac_fp16.h"

#include <pthread.h>
#include <string.h>

#include "model/cmac_fp16_parts.h"
#include "nvdla/fp.h"
#include "nvdla/sizes.h"
#include "nvdla/wide.h"

struct cmac_fp16_carries cmac_fp16_carries;

static const struct cmac_fp16_machine *const kinds[] = {
    &cmac_fp16_plain,
#ifdef SEVERAL_MACHINES
    &cmac_fp16_avx2,
    &cmac_fp16_avx512,
#endif
};

size_t cmac_fp16_kinds(void) {
#ifdef SEVERAL_MACHINES
    if (!__builtin_cpu_supports("avx2"))
        return 1;
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi")
               ? 3
               : 2;
#else
    return 1;
#endif
}

void cmac_fp16_weights_choose(struct cmac_fp16_weights *weights, size_t kind) {
    weights->machine = kinds[kind];
}

/* ---- tables ---- */

static void fill_once(void) {
    kinds[cmac_fp16_kinds() - 1]->fill_tables();
}

/* ---- operands ---- */

/* The next `size` bytes of a memory. */
static void *take(uint8_t **memory, size_t size) {
    uint8_t *taken = *memory;
    *memory += size;
    return taken;
}

void cmac_fp16_weights_begin(struct cmac_fp16_weights *weights, size_t kernels, size_t elements, size_t atoms) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_once);
    const size_t blocks = ceil_div(kernels, LANES), nans = blocks * atoms;
    const size_t cells =
        (blocks * elements + GROUP) * LANES; /* a whole number of cache lines, except the last member */
    *weights =
        (struct cmac_fp16_weights){.blocks = blocks, .elements = elements, .atoms = atoms, .memory = weights->memory};
    cmac_fp16_weights_choose(weights, cmac_fp16_kinds() - 1);
    buffer_reserve(&weights->memory, 1,
                   LINE + cells * (sizeof *weights->mantissas + 3) + nans * (LANES * sizeof *weights->nans + 1));
    uint8_t *memory = weights->memory.bytes;
    memory += -(uintptr_t)memory % LINE;
    weights->mantissas = take(&memory, cells * sizeof *weights->mantissas);
    weights->exponents = take(&memory, cells);
    weights->keys = take(&memory, cells);
    weights->bits = take(&memory, cells);
    weights->nans = take(&memory, nans * LANES * sizeof *weights->nans);
    weights->has_nan = take(&memory, nans);
    const size_t end = blocks * elements * LANES, rest = cells - end;
    memset(weights->mantissas + end, 0, rest * sizeof *weights->mantissas);
    memset(weights->exponents + end, ZERO_EXPONENT, rest);
    memset(weights->keys + end, 0, rest);
    memset(weights->bits + end, 1, rest); /* as for a zero: AVX2 needs a bit */
}

void cmac_fp16_weights_free(struct cmac_fp16_weights *weights) {
    buffer_free(&weights->memory);
}

void cmac_fp16_weights_clear(struct cmac_fp16_weights *weights) {
    memset(weights->nans, 0, weights->blocks * weights->atoms * LANES * sizeof *weights->nans);
    memset(weights->has_nan, 0, weights->blocks * weights->atoms * sizeof *weights->has_nan);
}

/* The weights of a block for an element. Returns whether there is a NaN among them. */
WIDE static bool place_lanes(const uint16_t *restrict values, uint32_t *restrict mantissas, int8_t *restrict exponents,
                             uint8_t *restrict keys, uint8_t *restrict bits) {
    uint16_t nans = 0;
    for (size_t k = 0; k < LANES; k++) {
        int16_t mantissa;
        nans |= decode(values[k], &mantissa, &exponents[k]);
        const uint16_t negative = values[k] >> 15, magnitude = magnitude_of(values[k], mantissa);
        mantissas[k] = (uint16_t)mantissa;
        keys[k] = (uint8_t)((magnitude >> 4 & 15) << 2 | negative << 1 | (magnitude >> 3 & 1));
        bits[k] = (uint8_t)((magnitude & 4 ? 16 : 1) * (magnitude & 2 ? 4 : 1) * (magnitude & 1 ? 2 : 1));
    }
    return nans != 0;
}

void cmac_fp16_weights_place(struct cmac_fp16_weights *weights, size_t i, size_t atom, const int16_t *from, size_t step,
                             size_t kernels, size_t count) {
    for (size_t block = 0; block < weights->blocks; block++, from += LANES * step) {
        const size_t first = block * LANES, some = kernels > first ? lesser(kernels - first, LANES) : 0;
        for (size_t n = 0; n < count; n++) {
            uint16_t values[LANES] = {0};
            for (size_t k = 0; k < some; k++)
                values[k] = (uint16_t)from[k * step + n];
            const size_t at = (block * weights->elements + i + n) * LANES, cell = block * weights->atoms + atom;
            if (!place_lanes(values, weights->mantissas + at, weights->exponents + at, weights->keys + at,
                             weights->bits + at))
                continue;
            weights->has_nan[cell] = true;
            for (size_t k = 0; k < some; k++) {
                uint16_t *nan = &weights->nans[cell * LANES + k];
                if (*nan == 0 && fp16_is_nan(values[k]))
                    *nan = values[k];
            }
        }
    }
}

void cmac_fp16_data_read(struct cmac_fp16_data *data, const struct cmac_fp16_weights *weights, const int16_t *window,
                         const struct cmac_piece *pieces, size_t count) {
    weights->machine->read(data, window, pieces, count);
}

/* ---- atomic operations ---- */

/* A cell with a NaN sends the first one of its weights, otherwise of the data. */
static void send_nans(const uint16_t *nans, uint16_t of_data, size_t outputs, struct cmac_fp16_sums *sums) {
    for (size_t k = 0; k < LANES; k++) {
        uint16_t nan = nans[k] != 0 ? nans[k] : of_data;
        if (nan == 0)
            continue;
        sums->exponent[k] = NAN_EXPONENT;
        for (size_t o = 0; o < outputs; o++)
            sums->mantissa[o][k] = (int64_t)(nan >> 15 << 10 | (nan & 1023)) << 27;
    }
}

void cmac_fp16_atom(const struct cmac_fp16_weights *weights, size_t block, size_t atom, size_t first,
                    const struct cmac_fp16_data *data, bool tile, struct cmac_fp16_sums *sums) {
    const size_t at = block * weights->elements + first, cell = block * weights->atoms + atom;
    if (data->nan == 0) /* otherwise no cell sends a number */
        (tile ? weights->machine->tile : weights->machine->direct)(weights, at, data, sums);
    if (data->nan != 0 || weights->has_nan[cell])
        send_nans(weights->nans + cell * LANES, data->nan, tile ? CMAC_FP16_OUTPUTS : 1, sums);
}
