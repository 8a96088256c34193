/* Streams of results whose lines do not follow one another: what the model gives line by line goes out as the hardware
 * has it. */

#include "model/ordered_tap.h"
#include "tests/unit/test.h"

enum { MOST = 64, LANES = 2 };

struct heard {
    struct tap_place at[MOST];
    int32_t value[MOST]; /* of the first lane */
    size_t count;
    uint64_t clipped;
};

static void take(void *context, const struct tap_stream *stream, const struct tap_place *place, const void *values,
                 size_t rows, size_t lanes, size_t stride) {
    struct heard *heard = context;
    (void)stream;
    for (size_t row = 0; row < rows; row++) {
        const int32_t *element = (const int32_t *)values + row * stride;
        assert_true(heard->count < MOST);
        for (size_t i = 1; i < lanes; i++)
            assert_int_equal(element[i], element[0] + (int32_t)i);
        heard->at[heard->count] = *place;
        heard->at[heard->count].x += (int32_t)row;
        heard->value[heard->count++] = element[0];
    }
}

static void take_clipped(void *context, uint64_t count) {
    struct heard *heard = context;
    heard->clipped += count;
}

static struct tap_out out_to(struct heard *heard) {
    struct tap_out out = {.count = 1, .stream = {.tap = TAP_CACC_SAT, .format = TAP_INT32, .width = 32}};
    out.sink[0] = (struct tap_sink){.elements = take, .clipped = take_clipped, .context = heard};
    return out;
}

/* One line of a batch, whose elements say where they stand. */
static void send_line(const struct tap_out *out, const struct result_order *order, size_t surface, size_t lanes, int y,
                      int batch) {
    int32_t line[MOST][LANES];
    for (size_t x = 0; x < order->columns; x++)
        for (size_t i = 0; i < LANES; i++)
            line[x][i] = (int32_t)(surface * 10000 + (size_t)y * 1000 + (size_t)batch * 100 + x * 10 + i);
    const struct tap_place place = {.batch = batch, .channel = (int32_t)(surface * LANES), .y = y};
    tap_send(out, place, line, order->columns, lanes, LANES);
}

static void assert_order(const struct heard *heard, const int32_t *expected, size_t count) {
    assert_int_equal(heard->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct tap_place *at = &heard->at[i];
        assert_int_equal(heard->value[i], expected[i]);
        assert_int_equal(at->channel / LANES * 10000 + at->y * 1000 + at->batch * 100 + at->x * 10, expected[i]);
    }
}

/* Two batches: pairs of columns, except for one that has its 64 bytes alone. Three channels: two surfaces. */
TEST(batches_share_pairs_of_columns) {
    static const int32_t expected[] = {0,     10,    100,   110,   20,    120, /* surface 0 */
                                       10000, 10100, 10010, 10020, 10110, 10120};
    const struct result_order order = {
        .columns = 3, .lines = 1, .channels = 3, .batches = 2, .lanes = LANES, .odd_surface = 1};
    struct heard heard = {.count = 0};
    struct ordered_tap tap = {.held = 0};
    const struct tap_out to = out_to(&heard), out = ordered_tap_begin(&tap, &to, &order);
    for (size_t surface = 0; surface < 2; surface++)
        for (int batch = 0; batch < 2; batch++)
            send_line(&out, &order, surface, 2 - surface, 0, batch);
    assert_order(&heard, expected, sizeof expected / sizeof expected[0]);
    tap_clipped(&out, 7);
    assert_int_equal(heard.clipped, 7);
    ordered_tap_free(&tap);
}

TEST(winograd_goes_in_bands_of_four_lines) {
    static const int32_t expected[] = {0,  10, 1000, 1010, 2000, 2010, 3000, 3010,
                                       20, 30, 1020, 1030, 2020, 2030, 3020, 3030};
    const struct result_order order = {
        .columns = 4, .lines = 8, .channels = 2, .batches = 1, .lanes = LANES, .winograd = true};
    struct heard heard = {.count = 0};
    struct ordered_tap tap = {.held = 0};
    const struct tap_out to = out_to(&heard), out = ordered_tap_begin(&tap, &to, &order);
    for (int y = 0; y < 4; y++)
        send_line(&out, &order, 0, LANES, y, 0);
    assert_order(&heard, expected, sizeof expected / sizeof expected[0]);
    for (int y = 4; y < 8; y++)
        send_line(&out, &order, 0, LANES, y, 0);
    assert_int_equal(heard.count, 32);
    assert_int_equal(heard.value[18], 5000);
    ordered_tap_free(&tap);
}

TEST(plain_lines_go_straight_through) {
    const struct result_order order = {.columns = 4, .lines = 2, .channels = 2, .batches = 1, .lanes = LANES};
    struct heard heard = {.count = 0};
    struct ordered_tap tap = {.held = 0};
    const struct tap_out to = out_to(&heard), out = ordered_tap_begin(&tap, &to, &order);
    assert_ptr_equal(out.sink[0].context, &heard);
    const struct tap_out none = {.count = 0};
    assert_int_equal(ordered_tap_begin(&tap, &none, &(struct result_order){.winograd = true}).count, 0);
    ordered_tap_free(&tap);
}
