/* Comparison and triage on hand-made memories, and the description of traces. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "memory/file.h"
#include "nvdla/random.h"
#include "report/explain.h"
#include "report/hang_text.h"
#include "report/report.h"
#include "trace/launches.h"

enum { OUTPUT = 0x80010000 };

struct fixture {
    struct program *prog;
    struct device rtl, model;
    struct play_result rtl_result, model_result;
    struct layer_tracker *launches;
    struct report *report;
    char *text;
};

static void write_register(struct fixture *f, const char *unit, const char *name, uint32_t value) {
    const struct nvdla_register *reg = nvdla_register_find(f->prog->config, nvdla_unit_find(unit), name);
    assert_non_null(reg);
    struct op op = op_make(OP_WRITE, (int)f->prog->count + 1);
    op.stream = (uint16_t)program_stream(f->prog, unit);
    op.address = reg->address;
    op.value = value;
    program_append(f->prog, &op);
}

/* An SDP layer, memory to memory, 4x2x16, lines of 64 bytes, surfaces of 128 bytes, in small (atoms of 8 bytes). */
static void add_layer(struct fixture *f) {
    write_register(f, "SDP_RDMA", "D_DATA_CUBE_WIDTH", 3);
    write_register(f, "SDP_RDMA", "D_OP_ENABLE", 1);
    write_register(f, "SDP", "D_DATA_CUBE_WIDTH", 3);
    write_register(f, "SDP", "D_DATA_CUBE_HEIGHT", 1);
    write_register(f, "SDP", "D_DATA_CUBE_CHANNEL", 15);
    write_register(f, "SDP", "D_DST_BASE_ADDR_LOW", OUTPUT);
    write_register(f, "SDP", "D_DST_LINE_STRIDE", 64);
    write_register(f, "SDP", "D_DST_SURFACE_STRIDE", 128);
    write_register(f, "SDP", "D_DST_DMA_CFG", 1);
    write_register(f, "SDP", "D_OP_ENABLE", 1);
}

/* An empty program of full in place of the layer of small. */
static void start_full(struct fixture *f) {
    program_free(f->prog);
    f->prog = program_new(nvdla_config_find("full"), "dir/t.cfg");
    f->rtl.config = f->model.config = f->prog->config;
}

static int setup(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    const struct nvdla_config *config = nvdla_config_find("small");
    f->prog = program_new(config, "dir/t.cfg");
    f->rtl = (struct device){.name = "rtl", .config = config};
    f->model = (struct device){.name = "model", .config = config};
    f->rtl.memory[SPACE_PRIMARY] = memory_new();
    f->model.memory[SPACE_PRIMARY] = memory_new();
    add_layer(f);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    free(f->text);
    report_free(f->report);
    layer_tracker_free(f->launches);
    play_result_free(&f->rtl_result);
    play_result_free(&f->model_result);
    device_release(&f->rtl);
    device_release(&f->model);
    program_free(f->prog);
    free(f);
    return 0;
}

static void make(struct fixture *f) {
    layer_tracker_free(f->launches);
    f->launches = program_launches(f->prog);
    const struct report_input input = {
        .name = "t",
        .prog = f->prog,
        .launches = f->launches,
        .played = {{&f->rtl, &f->rtl_result}, {&f->model, &f->model_result}},
        .played_count = 2,
    };
    f->report = report_new(&input);
    assert_non_null(f->report);
    f->text = report_text(f->report);
    assert_non_null(f->text);
}

static void has(const char *text, const char *wanted) {
    if (!strstr(text, wanted))
        fail_msg("expected \"%s\" in:\n%s", wanted, text);
}

static json_t *json_of(const struct fixture *f) {
    char *text = report_json(f->report);
    assert_non_null(text);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    free(text);
    return json;
}

static void put(struct device *dev, uint64_t address, uint8_t value, const struct memory_origin *origin) {
    memory_write(dev->memory[SPACE_PRIMARY], address, &value, 1, NULL, origin);
}

static void fail_check(struct fixture *f, struct play_result *result, size_t op, struct play_failure failure) {
    (void)f;
    failure.op = op;
    result->failures = malloc(sizeof failure);
    result->failures[0] = failure;
    result->failure_count = 1;
    result->outcome = PLAY_CHECK_FAILED;
}

static void equal_memories_pass(void **state) {
    struct fixture *f = *state;
    put(&f->rtl, OUTPUT, 7, NULL);
    put(&f->model, OUTPUT, 7, NULL);
    put(&f->model, 0x90000000, 0, NULL); /* written as 0 and never written are equal */
    make(f);
    assert_int_equal(report_status(f->report), REPORT_PASSED);
    assert_string_equal(report_reason(f->report), "");
    has(f->text, "PASS t\n");
    has(f->text, "memory of rtl and model is equal");
}

static void a_mismatch_names_element_layer_and_beat(void **state) {
    struct fixture *f = *state;
    /* surface 1, line 1, column 2, channel 8 + 3 */
    uint64_t address = OUTPUT + 128 + 64 + 2 * 8 + 3;
    struct memory_origin rtl = {.cycle = 4711, .unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0};
    struct memory_origin model = {.cycle = 0, .unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0};
    put(&f->rtl, address, 0x12, &rtl);
    put(&f->model, address, 0x34, &model);
    put(&f->rtl, address + 2, 0x56, &rtl);
    make(f);
    assert_int_equal(report_status(f->report), REPORT_FAILED);
    has(report_reason(f->report), "2 bytes differ between rtl and model, first at primary 0x800100d3");
    has(report_reason(f->report),
        "SDP #0 surface 1, line 1, column 2, channel 11; written by SDP #0 at cycle 4711, AXI ID 1");
    has(f->text, "output of layer SDP #0 (armed at dir/t.cfg:10)");
    has(f->text, "2 bytes differ, first at 0x800100d3, last at 0x800100d5");
    has(f->text, "first byte on the rtl: written by SDP #0 at cycle 4711, AXI ID 1");
    has(f->text, "first byte on the model: written by SDP #0, AXI ID 1");
    has(f->text, "model  00 00 00 34 00 00 00 00");
    has(f->text, "rtl    00 00 00 12 00 56 00 00");
    has(f->text, "                              ^^    ^^\n");
    has(f->text, "D_DST_LINE_STRIDE");
    has(f->text, "registers of SDP_RDMA #0");
    assert_null(strstr(f->text, "D_DST_BASE_ADDR_HIGH")); /* at its reset value */

    json_t *json = json_of(f), *mismatch = json_array_get(json_object_get(json, "mismatches"), 0);
    int surface, line, column, channel, count, cycle, id;
    const char *unit, *first, *position;
    assert_int_equal(json_unpack(mismatch, "{s:{s:i,s:i,s:i,s:i}, s:i, s:s, s:{s:i,s:i}, s:{s:s,s:s}}", "element",
                                 "surface", &surface, "line", &line, "column", &column, "channel", &channel, "count",
                                 &count, "first", &first, "got_origin", "cycle", &cycle, "axi_id", &id, "layer", "unit",
                                 &unit, "position", &position),
                     0);
    assert_int_equal(surface, 1);
    assert_int_equal(line, 1);
    assert_int_equal(column, 2);
    assert_int_equal(channel, 11);
    assert_int_equal(count, 2);
    assert_int_equal(cycle, 4711);
    assert_int_equal(id, 1);
    assert_string_equal(first, "0x800100d3");
    assert_string_equal(unit, "SDP");
    assert_string_equal(position, "dir/t.cfg:10");
    json_t *registers = json_object_get(json_object_get(mismatch, "layer"), "registers");
    assert_true(json_array_size(registers) > 40);
    json_decref(json);
}

/* 16-bit elements of the third batch, and the units in front of SDP. */
static void a_mismatch_of_a_convolution_names_its_batch(void **state) {
    struct fixture *f = *state;
    start_full(f);
    write_register(f, "SDP", "D_DATA_CUBE_WIDTH", 3);
    write_register(f, "SDP", "D_DATA_CUBE_CHANNEL", 31);
    write_register(f, "SDP", "D_DST_BASE_ADDR_LOW", OUTPUT);
    write_register(f, "SDP", "D_DST_SURFACE_STRIDE", 128);
    write_register(f, "SDP", "D_DST_BATCH_STRIDE", 0x400);
    write_register(f, "SDP", "D_DST_DMA_CFG", 1);
    write_register(f, "SDP", "D_DATA_FORMAT", 2 | 2 << 2);
    write_register(f, "SDP", "D_FEATURE_MODE_CFG", 1 | 2 << 8);
    write_register(f, "SDP", "D_OP_ENABLE", 1);
    write_register(f, "SDP_RDMA", "D_OP_ENABLE", 1); /* of another layer: this one has no operands in memory */
    write_register(f, "CACC", "D_CLIP_CFG", 3);
    write_register(f, "CACC", "D_OP_ENABLE", 1);
    write_register(f, "CSC", "D_BATCH_NUMBER", 2);
    write_register(f, "CSC", "D_OP_ENABLE", 1);
    put(&f->model, OUTPUT + 0x800 + 128 + 64 + 5, 1, NULL);
    make(f);
    has(report_reason(f->report), "SDP #0 batch 2, surface 1, line 0, column 2, channel 18, byte 1;");
    has(f->text,
        "4x1x32 (width x height x channels), 2-byte elements in 32-byte atoms, line stride 0x0, surface stride "
        "0x80, 3 batches, batch stride 0x400\n");
    has(f->text, "registers of CACC #0");
    has(f->text, "D_CLIP_CFG ");
    has(f->text, "registers of CSC #0");
    assert_null(strstr(f->text, "registers of SDP_RDMA"));
    json_t *json = json_of(f), *mismatch = json_array_get(json_object_get(json, "mismatches"), 0);
    int batch;
    assert_int_equal(json_unpack(mismatch, "{s:{s:i}}", "element", "batch", &batch), 0);
    assert_int_equal(batch, 2);
    assert_int_equal(json_array_size(json_object_get(mismatch, "input_layers")), 2);
    json_decref(json);
}

/* Two descriptors in one launch: the one that writes there, with the registers that it took. */
static void a_mismatch_of_bdma_names_its_descriptor(void **state) {
    struct fixture *f = *state;
    start_full(f);
    write_register(f, "BDMA", "CFG_SRC_ADDR_LOW", 0x1000);
    write_register(f, "BDMA", "CFG_DST_ADDR_LOW", OUTPUT);
    write_register(f, "BDMA", "CFG_CMD", 3);
    write_register(f, "BDMA", "CFG_LINE", 3);
    write_register(f, "BDMA", "CFG_LINE_REPEAT", 1);
    write_register(f, "BDMA", "CFG_DST_LINE", 0x100);
    write_register(f, "BDMA", "CFG_OP", 1);
    write_register(f, "BDMA", "CFG_DST_ADDR_LOW", OUTPUT + 0x4000);
    write_register(f, "BDMA", "CFG_OP", 1);
    write_register(f, "BDMA", "CFG_LAUNCH1", 1);
    const struct memory_origin origin = {.unit = NVDLA_BDMA, .axi_id = 0, .ordinal = 0};
    put(&f->model, OUTPUT + 0x100 + 2 * 32 + 7, 1, &origin);
    put(&f->model, OUTPUT + 0x4000, 1, &origin);
    make(f);
    has(report_reason(f->report), "BDMA #0 descriptor 0, surface 0, line 1, atom 2, byte 7;");
    has(f->text, "descriptor 0: 4x2x1 (atoms x lines x surfaces), line stride 0x100, surface stride 0x0\n");
    has(f->text, "registers of BDMA #0, group 1, descriptor 0, armed at dir/t.cfg:10");
    has(f->text, "CFG_DST_ADDR_LOW                 0x80010000");
    has(f->text, "mismatch 2: primary memory, output of layer BDMA #0");
    has(f->text, "first: descriptor 1, surface 0, line 0, atom 0, byte 0\n");
    has(f->text, "CFG_DST_ADDR_LOW                 0x80014000");
    json_t *json = json_of(f), *mismatch = json_array_get(json_object_get(json, "mismatches"), 1);
    int descriptor;
    assert_int_equal(json_unpack(mismatch, "{s:{s:i}}", "element", "descriptor", &descriptor), 0);
    assert_int_equal(descriptor, 1);
    json_decref(json);
    char *text = explain_text(f->prog);
    has(text, "BDMA #0, group 1  [t.cfg:10]\n"
              "    descriptor 0, 4x2x1 atoms from primary 0x00001000 (line 0x0, surface 0x0) to primary 0x80010000 "
              "(line 0x100, surface 0x0)\n"
              "    descriptor 1, ");
    free(text);
    text = explain_json(f->prog);
    json = json_loads(text, 0, NULL);
    const json_t *layer = json_array_get(json_object_get(json, "layers"), 0);
    assert_int_equal(json_array_size(json_object_get(layer, "descriptors")), 2);
    json_decref(json);
    free(text);
}

static void differences_are_grouped_by_area(void **state) {
    struct fixture *f = *state;
    memory_declare(f->rtl.memory[SPACE_PRIMARY], 0x90000000, 0x100);
    put(&f->rtl, OUTPUT, 1, NULL);
    put(&f->rtl, OUTPUT + 1, 1, NULL);
    put(&f->rtl, OUTPUT + 40, 1, NULL); /* between two lines of the cube, in no region */
    put(&f->rtl, 0x90000000, 1, NULL);
    put(&f->rtl, 0x900000ff, 1, NULL);
    put(&f->rtl, 0xa0000123, 1, NULL);
    make(f);
    has(f->text, "mismatch 1: primary memory, output of layer SDP #0");
    has(f->text, "mismatch 2: primary memory, outside every region, page 0x80010000");
    has(f->text, "mismatch 3: primary memory, region 0x90000000, 0x100 bytes");
    has(f->text, "2 bytes differ, first at 0x90000000, last at 0x900000ff");
    has(f->text, "mismatch 4: primary memory, outside every region, page 0xa0000000");
}

/* What a layer has from another may lie before it in memory. */
static void the_layer_armed_first_comes_first(void **state) {
    struct fixture *f = *state;
    write_register(f, "SDP", "S_POINTER", 1);
    add_layer(f);
    f->prog->ops[f->prog->count - 5].value = OUTPUT - 0x1000; /* D_DST_BASE_ADDR_LOW of the second */
    put(&f->rtl, 0x100, 1, NULL);
    put(&f->rtl, OUTPUT - 0x1000, 1, NULL);
    put(&f->rtl, OUTPUT, 1, NULL);
    make(f);
    has(report_reason(f->report), "3 bytes differ between rtl and model, first at primary 0x80010000: SDP #0");
    has(f->text, "mismatch 2: primary memory, output of layer SDP #1");
    has(f->text, "mismatch 3: primary memory, outside every region, page 0x0,");
}

static void the_writer_decides_between_cubes_that_overlap(void **state) {
    struct fixture *f = *state;
    write_register(f, "SDP", "S_POINTER", 1);
    add_layer(f); /* the same output, second group */
    struct memory_origin origin = {.cycle = 5, .unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0};
    put(&f->rtl, OUTPUT, 1, &origin);
    make(f);
    has(f->text, "output of layer SDP #0");
}

/* One device did not write what the other did: the layer is the one that should have, whichever device knows of it. */
static void of_two_writers_the_later_one_is_told(void **state) {
    struct fixture *f = *state;
    write_register(f, "SDP", "S_POINTER", 1);
    add_layer(f); /* the same output, second group */
    const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, old[8] = {0}, strobe = 0x7f;
    struct memory_origin first = {.cycle = 5, .unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0}, second = first;
    second.ordinal = 1;
    second.cycle = 9;
    for (int swap = 0; swap < 2; swap++) {
        struct memory *one = (swap ? &f->model : &f->rtl)->memory[SPACE_PRIMARY];
        struct memory *other = (swap ? &f->rtl : &f->model)->memory[SPACE_PRIMARY];
        memory_write(one, OUTPUT, old, 8, NULL, &first);
        memory_write(one, OUTPUT, bytes, 8, &strobe, &second);
        memory_write(other, OUTPUT, bytes, 8, NULL, &second);
        make(f);
        has(report_reason(f->report), "SDP #1 surface 0, line 0, column 0, channel 7");
        if (!swap)
            has(report_reason(f->report), "written by SDP #0 at cycle 5, AXI ID 1; the beat of SDP #1 at cycle 9");
        report_free(f->report);
        free(f->text);
        f->report = NULL;
        f->text = NULL;
    }
}

static void a_failed_golden_check_is_triaged(void **state) {
    struct fixture *f = *state;
    struct blob *blob = program_blob(f->prog, blob_new("t_golden.dat"));
    blob_append(blob, 0, "\1\2\3\4\5\6\7\10", 8);
    struct op op = op_make(OP_MEM_CHECK, 11);
    op.base = OUTPUT;
    op.blob = blob;
    program_append(f->prog, &op);
    put(&f->rtl, OUTPUT + 1, 9, NULL);
    put(&f->model, OUTPUT + 1, 9, NULL);
    fail_check(f, &f->rtl_result, f->prog->count - 1, (struct play_failure){.first = OUTPUT, .count = 8});
    make(f);
    assert_int_equal(report_status(f->report), REPORT_FAILED);
    has(report_reason(f->report), "dir/t.cfg:11: 8 bytes of primary memory differ from t_golden.dat on the rtl, first "
                                  "at 0x80010000: SDP #0 surface "
                                  "0, line 0, column 0, channel 0; never written");
    has(f->text, "first: output of layer SDP #0 (armed at dir/t.cfg:10), surface 0, line 0, column 0, channel 0");
    has(f->text, "golden  01 02 03 04 05 06 07 08");
    has(f->text, "rtl     00 09 00 00");
    has(f->text, "registers of SDP #0");
}

/* A CRC and two goldens, the lower address of the later layer: the reason is the earlier layer's golden. */
static void the_golden_of_the_first_layer_is_the_reason(void **state) {
    struct fixture *f = *state;
    write_register(f, "SDP", "S_POINTER", 1);
    add_layer(f);
    f->prog->ops[f->prog->count - 5].value = OUTPUT - 0x1000; /* D_DST_BASE_ADDR_LOW of the second */
    struct blob *blob = program_blob(f->prog, blob_new("t_golden.dat"));
    blob_append(blob, 0, "\1", 1);
    struct op op = op_make(OP_MEM_CRC, 30);
    op.base = OUTPUT - 0x1000;
    op.size = 4;
    program_append(f->prog, &op);
    op = op_make(OP_MEM_CHECK, 31);
    op.blob = blob;
    op.at_end = true;
    op.base = OUTPUT - 0x1000;
    program_append(f->prog, &op);
    op.line = 32;
    op.base = OUTPUT;
    program_append(f->prog, &op);
    struct play_failure failures[3] = {{.op = f->prog->count - 3, .got = 1},
                                       {.op = f->prog->count - 2, .first = OUTPUT - 0x1000, .count = 1},
                                       {.op = f->prog->count - 1, .first = OUTPUT, .count = 1}};
    f->rtl_result.failures = malloc(sizeof failures);
    memcpy(f->rtl_result.failures, failures, sizeof failures);
    f->rtl_result.failure_count = 1;
    f->rtl_result.outcome = PLAY_CHECK_FAILED;
    make(f);
    has(report_reason(f->report), "dir/t.cfg:30: CRC-32 of primary memory");
    report_free(f->report);
    free(f->text);
    f->rtl_result.failure_count = 3;
    make(f);
    has(report_reason(f->report),
        "dir/t.cfg:32: 1 byte of primary memory differs from t_golden.dat on the rtl, first at "
        "0x80010000: SDP #0 surface 0");
}

static void failed_register_and_crc_checks_are_decoded(void **state) {
    struct fixture *f = *state;
    struct op op = op_make(OP_READ_CHECK, 11);
    op.address = nvdla_register_find(f->prog->config, NVDLA_SDP, "S_STATUS")->address;
    op.value = 0x10002;
    program_append(f->prog, &op);
    fail_check(f, &f->rtl_result, f->prog->count - 1, (struct play_failure){.got = 1, .expected = 0x10002});
    op = op_make(OP_MEM_CRC, 12);
    op.base = OUTPUT;
    op.size = 0x100;
    program_append(f->prog, &op);
    fail_check(f, &f->model_result, f->prog->count - 1, (struct play_failure){.got = 0xabc, .expected = 0xdef});
    make(f);
    has(f->text, "dir/t.cfg:11: SDP.S_STATUS is 0x00000001 on the rtl, expected 0x00010002 (got STATUS_0=");
    has(f->text, "dir/t.cfg:12: CRC-32 of primary memory 0x80010000, 0x100 bytes, is 0x00000abc on the model, expected "
                 "0x00000def");
}

static void findings_and_hangs_are_reasons(void **state) {
    struct fixture *f = *state;
    const struct finding finding = {.cycle = 99, .rule = "axi-aw-stable", .kind = FINDING_AXI, .owner = {-1, -1}};
    device_report(&f->rtl, &finding, "awaddr changed while awvalid waits");
    f->rtl_result.outcome = PLAY_CHECK_FAILED;
    make(f);
    assert_int_equal(report_status(f->report), REPORT_FAILED);
    assert_string_equal(report_reason(f->report), "rtl: axi-aw-stable at cycle 99: awaddr changed while awvalid waits");
    report_free(f->report);
    free(f->text);
    f->rtl_result.outcome = PLAY_HUNG;
    f->rtl_result.message = strdup("no operation got done\n  stream SDP stands at t.cfg:1\n");
    make(f);
    assert_int_equal(report_status(f->report), REPORT_HUNG);
    assert_string_equal(report_reason(f->report), "rtl: no operation got done");
    has(f->text, "stream SDP stands at t.cfg:1");
}

/* What a hang waited for, as facts; names from the trace do not reach a terminal as they are. */
static void a_hang_is_told_in_words_and_as_data(void **state) {
    struct fixture *f = *state;
    static const struct device_ops ops = {.links = NULL};
    struct op op = op_make(OP_SYNC_WAIT, 11);
    op.stream = (uint16_t)program_stream(f->prog, "my\nstream");
    op.event = program_event(f->prog, "\x1b[31mgo");
    program_append(f->prog, &op);
    struct hang_stream stream = {.stream = op.stream, .op = f->prog->count - 1, .index = 4, .count = 5};
    int event = op.event;
    struct hang hang = {.reason = HANG_IDLE,
                        .prog = f->prog,
                        .dev = &f->rtl,
                        .now = 4711,
                        .last_done = 4000,
                        .streams = &stream,
                        .stream_count = 1,
                        .events = &event,
                        .event_count = 1,
                        .answers = true,
                        .intr_status = 1,
                        .armed = {{NVDLA_SDP, 1, true}},
                        .armed_count = 1};
    f->rtl.ops = &ops;
    f->rtl_result.outcome = PLAY_HUNG;
    f->rtl_result.hang = &hang;
    hang_explain(&f->rtl_result);
    make(f);
    has(f->text, "stream my\\nstream stands at dir/t.cfg:11: a wait for event \\x1b[31mgo (operation 5 of 5)");
    has(f->text, "event \\x1b[31mgo is outstanding");
    has(f->text, "armed and not finished: SDP group 1 (after the other group)");
    json_t *json = json_of(f);
    const char *reason, *name, *position, *outstanding, *unit;
    int cycle, group;
    assert_int_equal(json_unpack(json_object_get(json_array_get(json_object_get(json, "devices"), 0), "hang"),
                                 "{s:s, s:i, s:[{s:s, s:s}], s:[s], s:[{s:s, s:i}]}", "reason", &reason, "cycle",
                                 &cycle, "streams", "stream", &name, "position", &position, "outstanding_events",
                                 &outstanding, "armed", "unit", &unit, "group", &group),
                     0);
    assert_string_equal(reason, "idle");
    assert_int_equal(cycle, 4711);
    assert_string_equal(name, "my\nstream");
    assert_string_equal(position, "dir/t.cfg:11");
    assert_string_equal(outstanding, "\x1b[31mgo");
    assert_string_equal(unit, "SDP");
    assert_int_equal(group, 1);
    json_decref(json);
    f->rtl_result.hang = NULL;
    f->rtl.ops = NULL;
}

static void names_that_are_not_utf8_do_not_break_the_json(void **state) {
    struct fixture *f = *state;
    f->rtl_result.outcome = PLAY_BROKEN;
    f->rtl_result.message = strdup("b\xffroken");
    make(f);
    json_t *json = json_of(f);
    assert_string_equal(json_string_value(json_object_get(json, "reason")), "rtl: b?roken");
    json_decref(json);
}

/* The whole area of the RTL differs, a byte in two, over a thousand layers: area by area, not byte by byte. */
static void millions_of_bytes_in_a_thousand_layers_take_no_time(void **state) {
    enum { LAYERS = 1000, BYTES = 16384, BASE = 0x80000000 };
    struct fixture *f = *state;
    uint8_t bytes[BYTES];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i & 1;
    program_free(f->prog);
    f->prog = program_new(f->rtl.config, "dir/t.cfg");
    write_register(f, "SDP", "D_DATA_CUBE_WIDTH", 7);
    write_register(f, "SDP", "D_DATA_CUBE_HEIGHT", 255);
    write_register(f, "SDP", "D_DATA_CUBE_CHANNEL", 7);
    write_register(f, "SDP", "D_DST_LINE_STRIDE", 64);
    write_register(f, "SDP", "D_DST_DMA_CFG", 1);
    for (uint32_t i = 0; i < LAYERS; i++) {
        write_register(f, "SDP", "D_DST_BASE_ADDR_LOW", BASE + i * BYTES);
        write_register(f, "SDP", "D_OP_ENABLE", 1);
        for (size_t at = 0; at < sizeof bytes; at += 8) {
            const struct memory_origin origin = {
                .cycle = 1 + at, .unit = NVDLA_SDP, .axi_id = 1, .ordinal = (int32_t)i};
            memory_write(f->rtl.memory[SPACE_PRIMARY], BASE + (uint64_t)i * BYTES + at, bytes + at, 8, NULL,
                         i % 2 ? &origin : NULL);
        }
    }
    f->launches = program_launches(f->prog);
    const struct report_input input = {.name = "t",
                                       .prog = f->prog,
                                       .launches = f->launches,
                                       .played = {{&f->rtl, &f->rtl_result}, {&f->model, &f->model_result}},
                                       .played_count = 2};
    const clock_t start = clock();
    f->report = report_new(&input);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_int_equal(f->report->mismatch_count, LAYERS);
    for (size_t i = 0; i < LAYERS; i++) {
        const struct mismatch *mismatch = &f->report->mismatches[i];
        assert_int_equal(mismatch->output->launch->ordinal, i);
        assert_int_equal(mismatch->count, BYTES / 2);
        assert_int_equal(mismatch->first, BASE + i * BYTES + 1);
        assert_int_equal(mismatch->last, BASE + (i + 1) * BYTES - 1);
    }
    if (seconds > 2)
        fail_msg("comparing took %.1f s of CPU time", seconds);
}

/* The area of every byte of memories full of overlapping cubes, fills and gaps, found by the walk and one by one. */
static void the_walk_finds_what_a_search_byte_by_byte_finds(void **state) {
    enum { SPAN = 0x3000, BASE = 0x80000000 };
    struct fixture *f = *state;
    uint64_t random = 1;
    for (int round = 0; round < 20; round++) {
        program_free(f->prog);
        f->prog = program_new(f->rtl.config, "dir/t.cfg");
        for (int i = 0; i < 12; i++) {
            write_register(f, "SDP", "D_DATA_CUBE_WIDTH", (uint32_t)(random_next(&random) % 8));
            write_register(f, "SDP", "D_DATA_CUBE_HEIGHT", (uint32_t)(random_next(&random) % 8));
            write_register(f, "SDP", "D_DATA_CUBE_CHANNEL", (uint32_t)(random_next(&random) % 32));
            write_register(f, "SDP", "D_DST_LINE_STRIDE", (uint32_t)(random_next(&random) % 24) * 8);
            write_register(f, "SDP", "D_DST_SURFACE_STRIDE", (uint32_t)(random_next(&random) % 100) * 8);
            write_register(f, "SDP", "D_DST_BASE_ADDR_LOW", BASE + (uint32_t)(random_next(&random) % (SPAN / 8)) * 8);
            write_register(f, "SDP", "D_DST_DMA_CFG", 1);
            write_register(f, "SDP", "D_OP_ENABLE", 1);
        }
        const struct memory *memories[PLAYED_MAX];
        for (int m = 0; m < PLAYED_MAX; m++) {
            struct device *dev = m ? &f->model : &f->rtl;
            memory_free(dev->memory[SPACE_PRIMARY]);
            memories[m] = dev->memory[SPACE_PRIMARY] = memory_new();
            for (int i = 0; i < 200; i++) {
                const struct memory_origin origin = {
                    .cycle = 1, .unit = i % 5 ? NVDLA_SDP : -1, .ordinal = (int32_t)(random_next(&random) % 14) - 1};
                const uint8_t bytes[100] = {0};
                memory_write(dev->memory[SPACE_PRIMARY], BASE + random_next(&random) % SPAN, bytes,
                             random_next(&random) % sizeof bytes, NULL, i % 7 ? &origin : NULL);
            }
        }
        struct layer_tracker *launches = program_launches(f->prog);
        struct writers *writers = writers_new(launches);
        uint64_t end = 0;
        const struct output *walked = NULL;
        for (uint64_t address = BASE - 100; address < BASE + 2 * SPAN; address++) {
            const struct output *found = writers_find(writers, SPACE_PRIMARY, address, memories, PLAYED_MAX);
            uint64_t run;
            if (address >= end) {
                walked = writers_walk(writers, SPACE_PRIMARY, address, memories, PLAYED_MAX, &run);
                assert_true(run > 0);
                end = address + run;
            }
            if (walked != found)
                fail_msg("round %d, address 0x%" PRIx64 ": %s", round, address, walked ? "another output" : "none");
        }
        assert_null(writers_find(writers, SPACE_SECONDARY, BASE, NULL, 0));
        writers_free(writers);
        layer_tracker_free(launches);
    }
}

/* A strobe that was lost: the byte is the trace's, the beat that should have written it is named. */
static void a_beat_that_left_the_byte_out_is_named(void **state) {
    struct fixture *f = *state;
    const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, strobe = 0xf7, none[8] = {0};
    const struct memory_origin rtl = {.cycle = 4711, .unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0};
    const struct memory_origin model = {.unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0};
    memory_write(f->rtl.memory[SPACE_PRIMARY], OUTPUT + 8, none, 8, NULL, NULL);
    memory_write(f->rtl.memory[SPACE_PRIMARY], OUTPUT + 8, bytes, 8, &strobe, &rtl);
    memory_write(f->model.memory[SPACE_PRIMARY], OUTPUT + 8, bytes, 8, NULL, &model);
    make(f);
    static const char text[] = "loaded or filled by the trace, not written since; the beat of SDP #0 at cycle 4711, "
                               "AXI ID 1, to 0x80010008 wrote bytes 0 to 2, 4 to 7 of 8: its strobe left this byte out";
    has(report_reason(f->report), text);
    has(f->text, text);
    json_t *json = json_of(f), *mismatch = json_array_get(json_object_get(json, "mismatches"), 0);
    const char *strobe_text;
    int cycle;
    assert_int_equal(
        json_unpack(mismatch, "{s:{s:s, s:i}}", "got_partial_beat", "strobe", &strobe_text, "cycle", &cycle), 0);
    assert_string_equal(strobe_text, "0xf7");
    const struct mismatch *first = &f->report->mismatches[0];
    assert_int_equal(report_cycle(f->report, 0, first->space, first->first, first->output), 4711);
    assert_int_equal(report_cycle(f->report, 1, first->space, first->first, first->output), 0);
    assert_int_equal(cycle, 4711);
    json_decref(json);
}

/* Size of a file, unpacked; -1 if it does not exist. */
static long unpacked(const char *directory, const char *name) {
    char path[512], *bytes;
    struct error err;
    size_t n;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (!file_read(path, &bytes, &n, &err))
        return -1;
    free(bytes);
    return (long)n;
}

static void a_report_is_written_with_dumps(void **state) {
    struct fixture *f = *state;
    char directory[] = "/tmp/test_report_XXXXXX", nested[256], path[512];
    struct error err;
    assert_non_null(mkdtemp(directory));
    snprintf(nested, sizeof nested, "%s/out/t", directory);
    /* A failed check of fewer bytes than the area that differs: dumps of its own. */
    struct blob *blob = program_blob(f->prog, blob_new("t_golden.dat"));
    blob_append(blob, 0, "\1\2\3\4\5\6\7\10", 8);
    struct op op = op_make(OP_MEM_CHECK, 11);
    op.base = OUTPUT;
    op.blob = blob;
    program_append(f->prog, &op);
    put(&f->rtl, OUTPUT, 0x11, NULL);
    fail_check(f, &f->rtl_result, f->prog->count - 1, (struct play_failure){.first = OUTPUT, .count = 8});
    make(f);
    assert_true(report_write(f->report, nested, &err));
    has(f->text, "    dumps: primary_80010000_rtl.bin.gz and primary_80010000_model.bin.gz\n");
    has(f->text, "    dumps: primary_80010000_check1_golden.bin.gz and primary_80010000_check1_rtl.bin.gz\n");
    assert_true(unpacked(nested, "report.txt") > 0 && unpacked(nested, "report.json") > 0);
    assert_int_equal(unpacked(nested, "primary_80010000_rtl.bin.gz"), 224); /* the extent of the cube */
    assert_int_equal(unpacked(nested, "primary_80010000_model.bin.gz"), 224);
    assert_int_equal(unpacked(nested, "primary_80010000_check1_rtl.bin.gz"), 8);
    assert_int_equal(unpacked(nested, "primary_80010000_check1_golden.bin.gz"), 8);

    /* The folder is the trace's own: what an earlier report left goes, what others put there stays. */
    assert_true(file_write_in(nested, "primary_90000000_rtl.bin.gz", "x", 1, &err));
    assert_true(file_write_in(nested, "primary_mine.bin.gz", "x", 1, &err));
    assert_true(file_write_in(nested, "waves.fst", "x", 1, &err));
    assert_true(report_write(f->report, nested, &err));
    assert_int_equal(unpacked(nested, "primary_90000000_rtl.bin.gz"), -1);
    assert_int_equal(unpacked(nested, "primary_80010000_rtl.bin.gz"), 224);
    assert_true(report_clean(nested, &err));
    assert_int_equal(unpacked(nested, "report.txt"), -1);
    assert_int_equal(unpacked(nested, "primary_80010000_check1_golden.bin.gz"), -1);
    assert_int_equal(unpacked(nested, "primary_mine.bin.gz"), 1);
    assert_int_equal(unpacked(nested, "waves.fst"), 1);
    snprintf(path, sizeof path, "%s/waves.fst", nested);
    unlink(path);
    snprintf(path, sizeof path, "%s/primary_mine.bin.gz", nested);
    unlink(path);
    assert_true(report_clean(nested, &err)); /* removes the directory, too, now that it is empty */
    assert_int_not_equal(access(nested, F_OK), 0);
    assert_true(report_clean(nested, &err)); /* nothing there is fine */
    snprintf(nested, sizeof nested, "%s/out", directory);
    rmdir(nested);
    rmdir(directory);
}

static void a_trace_is_explained(void **state) {
    struct fixture *f = *state;
    struct op op = op_make(OP_MEM_FILL, 11);
    op.base = OUTPUT;
    op.size = 0x100;
    program_append(f->prog, &op);
    op = op_make(OP_INTR_NOTIFY, 12);
    op.bit = 0;
    op.event = program_event(f->prog, "done");
    program_append(f->prog, &op);
    op = op_make(OP_MEM_CRC, 13);
    op.base = OUTPUT;
    op.size = 0x100;
    op.value = 0x1234;
    op.after = program_event(f->prog, "done");
    program_append(f->prog, &op);
    char *text = explain_text(f->prog);
    has(text, "dir/t.cfg: configuration small, 2 streams, 13 operations: register write 10");
    has(text, "register writes of SDP\n");
    has(text, "D_DATA_CUBE_WIDTH                0x00000003  WIDTH=3  [t.cfg:3]");
    has(text, "fill primary 0x80010000, 0x100 bytes with byte 0x00  [t.cfg:11]");
    has(text, "SDP #0, group 0, writes 4x2x16 at primary 0x80010000 (line 0x40, surface 0x80)  [t.cfg:10]");
    has(text, "SDP_0 raises event done  [t.cfg:12]");
    has(text, "CRC-32 of primary 0x80010000, 0x100 bytes == 0x00001234, after event done  [t.cfg:13]");
    free(text);
    text = explain_json(f->prog);
    json_t *json = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(json, "operations")), 13);
    assert_int_equal(json_array_size(json_object_get(json, "layers")), 2);
    json_decref(json);
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(equal_memories_pass),
        TEST(a_mismatch_names_element_layer_and_beat),
        TEST(a_mismatch_of_a_convolution_names_its_batch),
        TEST(a_mismatch_of_bdma_names_its_descriptor),
        TEST(differences_are_grouped_by_area),
        TEST(the_layer_armed_first_comes_first),
        TEST(the_writer_decides_between_cubes_that_overlap),
        TEST(of_two_writers_the_later_one_is_told),
        TEST(a_failed_golden_check_is_triaged),
        TEST(the_golden_of_the_first_layer_is_the_reason),
        TEST(failed_register_and_crc_checks_are_decoded),
        TEST(findings_and_hangs_are_reasons),
        TEST(a_hang_is_told_in_words_and_as_data),
        TEST(names_that_are_not_utf8_do_not_break_the_json),
        TEST(millions_of_bytes_in_a_thousand_layers_take_no_time),
        TEST(the_walk_finds_what_a_search_byte_by_byte_finds),
        TEST(a_beat_that_left_the_byte_out_is_named),
        TEST(a_report_is_written_with_dumps),
        TEST(a_trace_is_explained),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
