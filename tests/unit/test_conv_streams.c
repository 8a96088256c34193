/* Streams of the convolution path: the order of the hardware written out by hand for small layers, conv_order.txt, and
 * CDMA's data in both orders. The streams of whole layers are compared with those of the RTL (tests/replay/taps.sh). */
#include "layers/conv_order.h"
#include "model_run.h"
#include "nvdla_offsets.h"
#include "observe/tap.h"
#include "tests/unit/random.h"
#include "tests/unit/register_steps.h"
#include "tests/unit/test.h"

/* ---- order ---- */

struct bench {
    const struct nvdla_config *config;
    bool specified; /* stripes of chapter 40 */
    uint32_t words[64];
    struct conv_order order;
};

static struct conv_order order_with(const struct nvdla_config *config, uint32_t *words, bool specified) {
    struct registers_view view = {.config = config};
    view.units[NVDLA_CSC] = (struct view_unit){words, 64};
    return conv_order(&view, specified);
}

static void *begin(const char *title) {
    struct bench *b = test_new(sizeof *b);
    b->config = title_config(title);
    b->specified = strstr(title, " specified,") != NULL;
    return b;
}

/* kernel+kernels first+positions channel+channels row+lines column index, then E for channel end and L for layer end.
 */
static void print_operation(const struct conv_operation *operation, FILE *found) {
    fprintf(found, "%zu+%zu %zu+%zu %zu+%zu %zu+%zu %zu %zu%s%s", operation->kernel, operation->kernels,
            operation->first, operation->positions, operation->channel, operation->channels, operation->row,
            operation->lines, operation->column, operation->index, operation->channel_end ? "E" : "",
            operation->layer_end ? "L" : "");
}

static void print_operations(const struct conv_order *order, bool stripes, FILE *found) {
    struct conv_operation operation = conv_order_first(order);
    for (const char *between = "";; between = stripes ? " " : ", ") {
        fputs(between, found);
        if (stripes)
            fprintf(found, "%zu", operation.positions);
        else
            print_operation(&operation, found);
        if (operation.layer_end)
            break;
        operation = conv_order_next(order, &operation);
    }
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    b->order = order_with(b->config, b->words, b->specified);
    const struct conv_operation first = conv_order_first(&b->order);
    if (step_is_writes(step))
        FOR_WRITES(b->config, step, b->words[write_.offset / 4] = write_.value)
    else if (step_is(step, "operations") || step_is(step, "stripes"))
        print_operations(&b->order, step_is(step, "stripes"), found);
    else if (step_is(step, "lane"))
        fprintf(found, "%zu", (size_t)conv_operation_lane(&b->order, step_number(step, 1)));
    else if (step_is(step, "cell"))
        fprintf(found, "%zu", (size_t)b->order.cell);
    else if (step_is(step, "atoms"))
        fprintf(found, "%zu", conv_operation_atoms(&b->order, &first));
    else if (step_is(step, "places")) /* batch, y, x of the atoms of the first operation, with their flags */
        for (size_t i = 0; i < conv_operation_atoms(&b->order, &first); i++) {
            const struct conv_place place = conv_operation_place(&b->order, &first, i);
            fprintf(found, "%s%d.%d.%d", i ? " " : "", (int)place.batch, (int)place.y, (int)place.x);
            if (conv_operation_flags(&b->order, &first, i))
                fprintf(found, "f%u", conv_operation_flags(&b->order, &first, i));
        }
    else
        return false;
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/conv_order.txt", &(struct steps_player){begin, act});
}

/* The last stripe has at least as many positions as a group has kernels, if there are as many. */
TEST(stripes_hide_the_loading_of_weights) {
    static const size_t positions[] = {1, 7, 16, 17, 23, 24, 25, 31, 32, 33, 100, 8192};
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
        uint32_t words[64] = {[CSC_D_ATOMICS / 4] = (uint32_t)positions[i] - 1,
                              [CSC_D_DATAOUT_SIZE_0 / 4] = (uint32_t)positions[i] - 1};
        const struct conv_order order = order_with(nvdla_config_find("small"), words, false);
        struct conv_operation operation = conv_order_first(&order);
        size_t covered = operation.positions;
        assert_int_equal(conv_operation_flags(&order, &operation, 0) & CONV_STRIPE_START, CONV_STRIPE_START);
        for (; !operation.layer_end; covered += operation.positions) {
            assert_true(operation.positions >= 8 && operation.positions <= 16);
            operation = conv_order_next(&order, &operation);
        }
        assert_true(operation.positions <= 16 && (operation.positions >= 8 || positions[i] < 8));
        assert_int_equal(covered, positions[i]);
        assert_int_equal(conv_operation_flags(&order, &operation, operation.positions - 1) &
                             ~(unsigned)CONV_STRIPE_START,
                         CONV_STRIPE_END | CONV_CHANNEL_END | CONV_LAYER_END);
    }
}

/* ---- CDMA into CBUF ---- */

static int32_t element_at(const struct tap_stream *stream, const void *values, size_t i) {
    if (stream->format == TAP_INT8)
        return ((const int8_t *)values)[i];
    return stream->format == TAP_INT16 ? ((const int16_t *)values)[i] : ((const uint16_t *)values)[i];
}

/* What is written, without its order; how often an atom has a lower address than the one before. */
struct written {
    uint64_t elements, sum, descents, last;
};

static void take_written(void *context, const struct tap_stream *stream, const struct tap_place *place,
                         const void *values, size_t rows, size_t lanes, size_t stride) {
    struct written *written = context;
    assert_true(rows == 1 && lanes <= stride);
    for (size_t i = 0; i < lanes; i++) {
        uint64_t state = place->address << 32 ^ (uint64_t)(uint32_t)place->channel << 16 ^
                         (uint64_t)(uint32_t)place->y << 8 ^ (uint64_t)(uint32_t)place->x;
        state ^= (i << 56) + (uint64_t)(uint32_t)element_at(stream, values, i);
        written->sum += state * UINT64_C(0x9e3779b97f4a7c15) >> 7;
    }
    written->elements += lanes;
    written->descents += place->address < written->last;
    written->last = place->address;
}

static struct tap_sink open_written(void *context, const struct tap_stream *stream) {
    return (struct tap_sink){.elements = stream->tap == TAP_CBUF_DAT ? take_written : NULL, .context = context};
}

static struct written written_by(const struct program *prog, bool specified) {
    struct written written = {0};
    struct model_options options = {.specified_stripes = specified};
    tap_listen(&options.taps, (struct tap_listener){.context = &written, .open = open_written});
    struct device *dev = model_played(prog, &options);
    dev->ops->destroy(dev);
    return written;
}

/* NVIDIA's full is compared by addresses: the same atoms, which go up within the slices that are there at once. */
TEST(data_by_addresses_are_the_same) {
    for (uint64_t seed = 1; seed <= seeds_of(12); seed++) {
        autoprogram struct program *prog = random_program(nvdla_config_find("full"), seed % 3 ? "conv" : "img", seed);
        const struct written own = written_by(prog, false), specified = written_by(prog, true);
        assert_true(own.elements > 0 && own.elements == specified.elements && own.sum == specified.sum);
        assert_true(specified.descents <= own.descents);
    }
}
