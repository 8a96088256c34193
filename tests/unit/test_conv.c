/* Parts of the convolution of the model: tables of windows and rings of CBUF. Layers are cases of model.txt. */
#include "model/cbuf.h"
#include "model/crep.h"
#include "tests/unit/test.h"

/* ---- tables of crep ---- */

/* Windows of 1x1 on a line of eight elements. */
static const struct crep_shape point = {.line = 8,
                                        .lines = 1,
                                        .column_step = 1,
                                        .row_step = 1,
                                        .columns = 1,
                                        .column = 1,
                                        .column_spacing = 1,
                                        .rows = 1,
                                        .row_spacing = 1,
                                        .block = 8,
                                        .rows_together = 1,
                                        .out_width = 1,
                                        .out_height = 1};

TEST(the_table_cache_keeps_the_shapes_used_last) {
    struct crep_cache cache = {.count = 0};
    struct crep_shape shape = point;
    const struct crep *first = crep_find(&cache, &shape);
    for (size_t i = 1; i < 2 * CREP_CACHED; i++) {
        shape.out_width = i + 1;
        assert_int_equal(crep_find(&cache, &shape)->shape.out_width, i + 1);
        shape.out_width = 1;
        assert_ptr_equal(crep_find(&cache, &shape), first);
        assert_int_equal(cache.hits, i);
        assert_int_equal(cache.builds, i + 1);
    }
    assert_int_equal(cache.count, CREP_CACHED);
    crep_cache_free(&cache);
}

/* Windows beyond the input see padding alone, however far away they are. */
TEST(far_windows_need_no_memory) {
    struct crep_shape shape = point;
    shape.lines = 4;
    shape.line = 32;
    shape.left = 31 * 8;
    shape.top = 31;
    shape.columns = shape.rows = 3;
    shape.column = shape.block;
    shape.column_step = 8 * 8;
    shape.row_step = 8;
    shape.column_spacing = 32 * 8;
    shape.row_spacing = 32;
    shape.out_width = shape.out_height = 8192;
    assert_true(crep_stored(&shape) <= (31 + 4 + 65) * (31 + 4 + 65) * 8);
    shape.out_width = shape.out_height = 1;
    assert_int_equal(crep_stored(&shape), 65 * 65 * 8);
}

TEST(rings_wrap) {
    struct cbuf cbuf;
    cbuf_init(&cbuf, nvdla_config_find("small"));
    uint8_t bytes[40], back[40];
    for (uint8_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i;
    struct cbuf_ring data = cbuf_data_ring(&cbuf, 2);
    assert_int_equal(data.entries, 1024);
    cbuf_write(&cbuf, data, 1024 * 8 - 16, bytes, sizeof bytes);
    cbuf_read(&cbuf, data, 3 * 1024 * 8 - 16, back, sizeof back);
    assert_memory_equal(bytes, back, sizeof bytes);
    assert_memory_equal(cbuf.bytes, bytes + 16, 24);
    /* A weight area beyond the last bank continues in bank 0. */
    struct cbuf_ring weights = cbuf_weight_ring(&cbuf, 31, 2);
    cbuf_write(&cbuf, weights, 512 * 8 - 8, bytes, sizeof bytes);
    assert_memory_equal(cbuf.bytes + 32 * 512 * 8 - 8, bytes, 8);
    assert_memory_equal(cbuf.bytes, bytes + 8, 32);
    cbuf_free(&cbuf);
}
