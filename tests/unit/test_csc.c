/* The convolution core alone: accumulators that saturate. Its layers are compared by tests/naive. */
#include "model/cacc.h"
#include "model/csc_run.h"
#include "tests/unit/test.h"

static void put_operand(struct cbuf *cbuf, struct cbuf_ring ring, size_t byte, int16_t value) {
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)((uint16_t)value >> 8)};
    cbuf_write(cbuf, ring, byte, bytes, 2);
}

/* One output of 25 taps of 8192 channels. */
static const struct csc_layer deep_layer = {
    .mode = CSC_FEATURE,
    .precision = NVDLA_INT16,
    .valid = true,
    .data_banks = 1,
    .weight_banks = 14,
    .slice_entries = 8192 / 64,
    .pixel = 1,
    .batches = 1,
    .width = 1,
    .height = 1,
    .channels = 8192,
    .kernels = 1,
    .kernel_group = 16,
    .kernel_width = 5,
    .kernel_height = 5,
    .extension = 1,
    .stride_x = 1,
    .stride_y = 1,
    .dilation_x = 1,
    .dilation_y = 1,
    .pad_left = 4, /* the only pixel is the last of the first window */
    .pad_top = 4,
    .pad = INT16_MIN,
    .out_width = 1,
    .positions = 1,
    .release = 1,
};

/* Section 9.4: sums that leave 48 bits saturate at the atomic operation where they do; what comes later counts from
 * there. 95-compiled-representation section B.4: the slow path. */
TEST(wide_accumulators_saturate) {
    const struct nvdla_config *config = nvdla_config_find("full");
    struct cbuf cbuf;
    struct cdma cdma;
    struct csc csc;
    struct thread_pool *pool = pool_new(1);
    struct csc_run *run = csc_run_new(pool, true);
    assert_true(pool && run);
    cbuf_init(&cbuf, config);
    cdma_init(&cdma, config);
    csc_init(&csc, config);
    csc.layer = deep_layer;
    const struct cbuf_ring data_ring = cbuf_data_ring(&cbuf, 1), weight_ring = cbuf_weight_ring(&cbuf, 1, 14);
    int64_t sum = 0;
    size_t byte = 0;
    for (size_t block = 0; block < 8192; block += 64) {
        for (size_t tap = 0; tap < 25; tap++) {
            int64_t atom = 0;
            for (size_t c = 0; c < 64; c++, byte += 2) {
                int16_t weight = block < 8192 - 320 ? INT16_MIN : 12345;
                int16_t data = tap == 24 ? (int16_t)(block + c) : INT16_MIN;
                put_operand(&cbuf, weight_ring, byte, weight);
                put_operand(&cbuf, data_ring, 2 * (block + c), (int16_t)(block + c));
                atom += data * weight;
            }
            sum = cacc_add(sum, atom, 48);
        }
    }
    bool saturated;
    int32_t want = cacc_deliver(sum, 17, &saturated), result[16];
    assert_true(sum < (INT64_C(1) << 47) - 1); /* came back from the limit */
    csc_run_begin(run, &csc, &cdma, &cbuf, NULL, 17);
    csc_run_next(run, result, 1);
    assert_int_equal(result[0], want);
    for (size_t k = 1; k < 16; k++)
        assert_int_equal(result[k], 0);
    csc_run_free(run);
    pool_free(pool);
    csc_free(&csc);
    cdma_free(&cdma);
    cbuf_free(&cbuf);
}
