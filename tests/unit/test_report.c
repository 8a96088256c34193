/* Comparison and triage on hand-made memories: what the reports say of them, as text, as JSON and as the data of the
 * page (golden.h); and the description of traces. What a browser makes of a page: tests/replay/html.sh. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "nvdla/random.h"
#include "report/explain.h"
#include "report/hang_text.h"
#include "report/report.h"
#include "report/verdict.h"
#include "tests/unit/golden.h"
#include "tests/unit/test.h"
#include "trace/launches.h"

enum { OUTPUT = 0x80010000 };

struct fixture {
    struct program *prog;
    struct device rtl, model;
    struct play_result rtl_result, model_result;
    struct layer_tracker *launches;
    struct report_input input;
    struct report *report;
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

/* Writes of registers, "SDP.D_DATA_CUBE_WIDTH=3 ...", in the streams of their units. */
static void write_registers(struct fixture *f, const char *text) {
    char unit[16], name[64];
    long long value;
    int used;
    for (; sscanf(text, " %15[^.].%63[^=]=%lli%n", unit, name, &value, &used) == 3; text += used)
        write_register(f, unit, name, (uint32_t)value);
    assert_string_equal(text, "");
}

/* An SDP layer, memory to memory, 4x2x16, lines of 64 bytes, surfaces of 128 bytes, in small (atoms of 8 bytes). */
static void add_layer(struct fixture *f) {
    write_registers(f, "SDP_RDMA.D_DATA_CUBE_WIDTH=3 SDP_RDMA.D_OP_ENABLE=1 SDP.D_DATA_CUBE_WIDTH=3 "
                       "SDP.D_DATA_CUBE_HEIGHT=1 SDP.D_DATA_CUBE_CHANNEL=15 SDP.D_DST_BASE_ADDR_LOW=0x80010000 "
                       "SDP.D_DST_LINE_STRIDE=64 SDP.D_DST_SURFACE_STRIDE=128 SDP.D_DST_DMA_CFG=1 "
                       "SDP.D_OP_ENABLE=1");
}

/* An empty program of full in place of the layer of small. */
static void start_full(struct fixture *f) {
    program_free(f->prog);
    f->prog = program_new(nvdla_config_find("full"), "dir/t.cfg");
    f->rtl.config = f->model.config = f->prog->config;
}

static void fixture_release(struct fixture *f) {
    report_free(f->report);
    layer_tracker_free(f->launches);
    play_result_free(&f->rtl_result);
    play_result_free(&f->model_result);
    device_release(&f->rtl);
    device_release(&f->model);
    program_free(f->prog);
}
TEST_KEEPS(fixture_keep, struct fixture, fixture_release)

static struct fixture *fixture_new(void) {
    struct fixture *f = fixture_keep(test_new(sizeof *f));
    const struct nvdla_config *config = nvdla_config_find("small");
    f->prog = program_new(config, "dir/t.cfg");
    f->rtl = (struct device){.name = "rtl", .config = config};
    f->model = (struct device){.name = "model", .config = config};
    f->rtl.memory[SPACE_PRIMARY] = memory_new();
    f->model.memory[SPACE_PRIMARY] = memory_new();
    add_layer(f);
    return f;
}

#define TEST_REPORT(label) TEST_ON(label, struct fixture *f, fixture_new())

static void make(struct fixture *f) {
    layer_tracker_free(f->launches);
    report_free(f->report);
    f->launches = program_launches(f->prog);
    f->input.name = f->input.name ? f->input.name : "t";
    f->input.prog = f->prog;
    f->input.launches = f->launches;
    f->input.played[0] = (struct played){&f->rtl, &f->rtl_result};
    f->input.played[1] = (struct played){&f->model, &f->model_result};
    f->input.played_count = 2;
    f->report = report_new(&f->input);
    for (size_t i = 0; i < f->report->named.count; i++) {
        const struct named_launch *named = &f->report->named.items[i];
        assert_int_equal(atoi(report_reason(f->report) + named->at), named->launch.ordinal);
    }
}

/* The text has the registers, and the bytes. */
static void without_registers(json_t *json) {
    static const char *const members[] = {"registers", "window", "elements"};
    json_t *item;
    size_t i;
    const char *name;
    for (i = 0; i < sizeof members / sizeof *members; i++)
        if (json_is_array(json_object_get(json, members[i])))
            json_object_del(json, members[i]);
    json_object_foreach(json, name, item) without_registers(item);
    json_array_foreach(json, i, item) without_registers(item);
}

/* A line for each member, and for each value of a list. */
static void print_members(FILE *out, json_t *json) {
    json_t *item, *value;
    const char *name;
    size_t i;
    json_object_foreach(json, name, item) {
        fprintf(out, "%s: ", name);
        if (!json_is_array(item))
            json_dumpf(item, out, JSON_ENCODE_ANY);
        json_array_foreach(item, i, value) {
            fputs("\n  ", out);
            json_dumpf(value, out, JSON_ENCODE_ANY);
        }
        fputc('\n', out);
    }
}

/* Compares report.txt and, if asked, report.json and what the page has beyond it. */
static void says(struct fixture *f, const char *name, bool data) {
    char *all = NULL, *file = kept(xprintf("%s.txt", name));
    size_t size;
    make(f);
    char *text = kept(report_text(f->report));
    FILE *out = xmemstream(&all, &size);
    fputs(text, out);
    if (data) {
        json_t *json = report_value(f->report), *page_json = report_value(f->report);
        free(report_html(f->report, json_incref(page_json)));
        without_registers(json);
        without_registers(page_json);
        fputs("---- report.json\n", out);
        print_members(out, json);
        fputs("---- page\n", out);
        print_members(out, json_object_get(page_json, "page"));
        json_decref(page_json);
        json_decref(json);
    }
    xmemstream_close(out);
    golden(file, all);
    free(all);
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

/* What `nvcosim info` says about the trace. */
static void explained(struct fixture *f, const char *name) {
    char *all = NULL, *file = kept(xprintf("%s.txt", name)), *text = kept(explain_text(f->prog)),
         *data = kept(explain_json(f->prog));
    size_t size;
    FILE *out = xmemstream(&all, &size);
    json_t *json = json_loads(data, 0, NULL);
    fputs(text, out);
    print_members(out, json);
    xmemstream_close(out);
    golden(file, all);
    json_decref(json);
    free(all);
}

TEST_REPORT(equal_memories_pass) {
    put(&f->rtl, OUTPUT, 7, NULL);
    put(&f->model, OUTPUT, 7, NULL);
    put(&f->model, 0x90000000, 0, NULL); /* written as 0 and never written are equal */
    says(f, "passed", false);
}

TEST_REPORT(a_mismatch_names_element_layer_and_beat) {
    /* surface 1, line 1, column 2, channel 8 + 3 */
    uint64_t address = OUTPUT + 128 + 64 + 2 * 8 + 3;
    struct memory_origin rtl = {.cycle = 4711, .unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0};
    struct memory_origin model = {.cycle = 0, .unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0};
    put(&f->rtl, address, 0x12, &rtl);
    put(&f->model, address, 0x34, &model);
    put(&f->rtl, address + 2, 0x56, &rtl);
    says(f, "mismatch", true);
}

/* 16-bit elements of the third batch, and the units in front of SDP. */
TEST_REPORT(a_mismatch_of_a_convolution_names_its_batch) {
    start_full(f);
    write_registers(f, "SDP.D_DATA_CUBE_WIDTH=3 SDP.D_DATA_CUBE_CHANNEL=31 SDP.D_DST_BASE_ADDR_LOW=0x80010000 "
                       "SDP.D_DST_SURFACE_STRIDE=128 SDP.D_DST_BATCH_STRIDE=0x400 SDP.D_DST_DMA_CFG=1 "
                       "SDP.D_DATA_FORMAT=0xa SDP.D_FEATURE_MODE_CFG=0x201 SDP.D_OP_ENABLE=1 "
                       "SDP_RDMA.D_OP_ENABLE=1 CACC.D_CLIP_CFG=3 CACC.D_OP_ENABLE=1 CSC.D_BATCH_NUMBER=2 "
                       "CSC.D_OP_ENABLE=1");
    put(&f->model, OUTPUT + 0x800 + 128 + 64 + 5, 1, NULL);
    says(f, "mismatch_conv", true);
}

/* Two descriptors in one launch: the one that writes there, with the registers that it took. */
TEST_REPORT(a_mismatch_of_bdma_names_its_descriptor) {
    start_full(f);
    write_registers(f, "BDMA.CFG_SRC_ADDR_LOW=0x1000 BDMA.CFG_DST_ADDR_LOW=0x80010000 BDMA.CFG_CMD=3 "
                       "BDMA.CFG_LINE=3 BDMA.CFG_LINE_REPEAT=1 BDMA.CFG_DST_LINE=0x100 BDMA.CFG_OP=1 "
                       "BDMA.CFG_DST_ADDR_LOW=0x80014000 BDMA.CFG_OP=1 BDMA.CFG_LAUNCH1=1");
    const struct memory_origin origin = {.unit = NVDLA_BDMA, .axi_id = 0, .ordinal = 0};
    put(&f->model, OUTPUT + 0x100 + 2 * 32 + 7, 1, &origin);
    put(&f->model, OUTPUT + 0x4000, 1, &origin);
    says(f, "mismatch_bdma", true);
    explained(f, "explained_bdma");
}

TEST_REPORT(differences_are_grouped_by_area) {
    memory_declare(f->rtl.memory[SPACE_PRIMARY], 0x90000000, 0x100);
    put(&f->rtl, OUTPUT, 1, NULL);
    put(&f->rtl, OUTPUT + 1, 1, NULL);
    put(&f->rtl, OUTPUT + 40, 1, NULL); /* between two lines of the cube, in no region */
    put(&f->rtl, 0x90000000, 1, NULL);
    put(&f->rtl, 0x900000ff, 1, NULL);
    put(&f->rtl, 0xa0000123, 1, NULL);
    says(f, "areas", false);
}

/* What a layer has from another may lie before it in memory. */
TEST_REPORT(the_layer_armed_first_comes_first) {
    write_register(f, "SDP", "S_POINTER", 1);
    add_layer(f);
    f->prog->ops[f->prog->count - 5].value = OUTPUT - 0x1000; /* D_DST_BASE_ADDR_LOW of the second */
    put(&f->rtl, 0x100, 1, NULL);
    put(&f->rtl, OUTPUT - 0x1000, 1, NULL);
    put(&f->rtl, OUTPUT, 1, NULL);
    says(f, "order", false);
}

TEST_REPORT(the_writer_decides_between_cubes_that_overlap) {
    write_register(f, "SDP", "S_POINTER", 1);
    add_layer(f); /* the same output, second group */
    struct memory_origin origin = {.cycle = 5, .unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0};
    put(&f->rtl, OUTPUT, 1, &origin);
    says(f, "overlap", false);
}

/* One device did not write what the other did: the layer is the one that should have, whichever device knows of it. */
TEST_REPORT(of_two_writers_the_later_one_is_told) {
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
        says(f, swap ? "two_writers_model" : "two_writers_rtl", false);
        assert_int_equal(f->report->named.count, swap ? 2 : 3);
    }
}

TEST_REPORT(a_failed_golden_check_is_triaged) {
    struct blob *blob = program_blob(f->prog, blob_new("t_golden.dat"));
    blob_append(blob, 0, "\1\2\3\4\5\6\7\10", 8);
    struct op op = op_make(OP_MEM_CHECK, 11);
    op.base = OUTPUT;
    op.blob = blob;
    program_append(f->prog, &op);
    put(&f->rtl, OUTPUT + 1, 9, NULL);
    put(&f->model, OUTPUT + 1, 9, NULL);
    fail_check(f, &f->rtl_result, f->prog->count - 1, (struct play_failure){.first = OUTPUT, .count = 8});
    says(f, "golden", true);
}

/* A CRC and two goldens, the lower address of the later layer: the reason is the earlier layer's golden. */
TEST_REPORT(the_golden_of_the_first_layer_is_the_reason) {
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
    says(f, "crc", false);
    f->rtl_result.failure_count = 3;
    says(f, "goldens", false);
}

TEST_REPORT(failed_register_and_crc_checks_are_decoded) {
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
    says(f, "checks", true);
}

TEST_REPORT(findings_and_hangs_are_reasons) {
    const struct finding finding = {.cycle = 99, .rule = "axi-aw-stable", .kind = FINDING_AXI, .owner = {-1, -1}};
    device_report(&f->rtl, &finding, "awaddr changed while awvalid waits");
    const struct finding check = {.cycle = 101,
                                  .rule = "rtl-check",
                                  .kind = FINDING_CHECK,
                                  .owner = {NVDLA_SDP, 0},
                                  .instance = "u_sdp.u_out",
                                  .of_others = true};
    device_report(&f->rtl, &check, "an atom is lost");
    f->rtl_result.outcome = PLAY_CHECK_FAILED;
    says(f, "findings", true);
    f->rtl_result.outcome = PLAY_HUNG;
    f->rtl_result.message = strdup("no operation got done\n  stream SDP stands at t.cfg:1\n");
    says(f, "hang_message", false);
}

/* What a hang waited for, as facts; names from the trace do not reach a terminal as they are. */
TEST_REPORT(a_hang_is_told_in_words_and_as_data) {
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
    says(f, "hang", true);
    f->rtl_result.hang = NULL;
    f->rtl.ops = NULL;
}

TEST_REPORT(names_that_are_not_utf8_do_not_break_the_json) {
    f->rtl_result.outcome = PLAY_BROKEN;
    f->rtl_result.message = strdup("b\xffroken");
    says(f, "not_utf8", true);
}

/* A strobe that was lost: the byte is the trace's, the beat that should have written it is named. */
TEST_REPORT(a_beat_that_left_the_byte_out_is_named) {
    const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, strobe = 0xf7, none[8] = {0};
    const struct memory_origin rtl = {.cycle = 4711, .unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0};
    const struct memory_origin model = {.unit = NVDLA_SDP, .axi_id = 1, .ordinal = 0};
    memory_write(f->rtl.memory[SPACE_PRIMARY], OUTPUT + 8, none, 8, NULL, NULL);
    memory_write(f->rtl.memory[SPACE_PRIMARY], OUTPUT + 8, bytes, 8, &strobe, &rtl);
    memory_write(f->model.memory[SPACE_PRIMARY], OUTPUT + 8, bytes, 8, NULL, &model);
    says(f, "left_out", true);
    const struct mismatch *first = &f->report->mismatches[0];
    assert_int_equal(report_cycle(f->report, 0, first->space, first->first, first->output), 4711);
    assert_int_equal(report_cycle(f->report, 1, first->space, first->first, first->output), 0);
}

TEST_REPORT(a_trace_is_explained) {
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
    explained(f, "explained");
}

/* Nothing in a name ends the data of the page, or becomes an element. */
TEST_REPORT(names_are_shown_and_not_obeyed) {
    program_free(f->prog);
    f->prog = program_new(f->rtl.config, "dir/</script><b>&\"'t\x1b\xe2\x80\xa8.cfg");
    add_layer(f);
    f->input.name = "</title><!--<script>alert(1)</script>";
    says(f, "hostile", true);
    char *page = kept(report_html(f->report, report_value(f->report))), *rest = page;
    int scripts = 0;
    for (; (rest = strstr(rest, "<script")); rest++)
        scripts++;
    assert_int_equal(scripts, 2); /* its data and its own */
    assert_null(strstr(page, "<!--"));
    assert_non_null(strstr(page, "<title>PASS &lt;/title&gt;&lt;!--&lt;script&gt;alert(1)&lt;/script&gt;</title>"));
    assert_null(strstr(page, "http:"));
    assert_null(strstr(page, "https:"));
}

TEST_REPORT(maps_mark_the_atoms_that_differ) {
    const uint64_t atom = OUTPUT + 128 + 64 + 3 * 8; /* surface 1, line 1, column 3 */
    put(&f->rtl, atom + 5, 0x5a, NULL);
    put(&f->rtl, atom + 6, 0x5b, NULL);
    put(&f->rtl, atom - 8, 0x5c, NULL); /* column 2 */
    says(f, "map", true);
}

/* Every byte of two million wrong: the cells become larger, none is lost, and the page stays small. */
TEST_REPORT(large_maps_have_larger_cells) {
    enum { WIDTH = 1024, HEIGHT = 250, BYTES = WIDTH * HEIGHT * 8 };
    write_register(f, "SDP", "S_POINTER", 1);
    write_register(f, "SDP", "D_DATA_CUBE_WIDTH", WIDTH - 1);
    write_register(f, "SDP", "D_DATA_CUBE_HEIGHT", HEIGHT - 1);
    write_registers(f, "SDP.D_DATA_CUBE_CHANNEL=7 SDP.D_DST_BASE_ADDR_LOW=0x80010000");
    write_register(f, "SDP", "D_DST_LINE_STRIDE", WIDTH * 8);
    write_registers(f, "SDP.D_DST_DMA_CFG=1 SDP.D_OP_ENABLE=1");
    uint8_t *bytes = xmalloc(BYTES);
    memset(bytes, 0x11, BYTES);
    const struct memory_origin origin = {.unit = NVDLA_SDP, .axi_id = 1, .ordinal = 1};
    memory_write(f->rtl.memory[SPACE_PRIMARY], OUTPUT, bytes, BYTES, NULL, &origin);
    free(bytes);
    make(f);
    json_t *maps = html_maps(f->report), *map = json_array_get(json_object_get(maps, "items"), 0), *panel, *cell;
    size_t p, c, cells = 0;
    json_int_t sum = 0;
    json_array_foreach(json_object_get(map, "panels"), p, panel)
        json_array_foreach(json_object_get(panel, "cells"), c, cell) {
        sum += json_integer_value(json_array_get(cell, 2));
        cells++;
    }
    assert_int_equal(sum, BYTES);
    assert_int_equal(json_integer_value(json_object_get(map, "step")), 16);
    assert_int_equal(cells, 64 * 16);
    json_decref(maps);
    char *page = kept(report_html(f->report, report_value(f->report)));
    assert_in_range(strlen(page), 1, 500000);
}

TEST_REPORT(a_walk_marks_its_first_wrong_stream) {
    struct walk_step steps[] = {{ENGINE_CDMA_DAT, "CBUF_DAT", WALK_EQUAL, 128, 0, ""},
                                {ENGINE_CMAC, "CMAC_SUM", WALK_DIFFERS, 64, 8811, "kernel 3: <expected> 5, got 7"},
                                {ENGINE_CACC, "CACC_SAT", WALK_DIFFERS, 64, 8900, ""},
                                {ENGINE_SDP, "SDP_IN", WALK_UNSEEN, 0, 0, ""},
                                {ENGINE_SDP, "SDP_OUT", WALK_SHORT, 10, 0, ""},
                                {ENGINE_PDP, "PDP_IN", WALK_UNSEEN, 0, 0, ""},
                                {ENGINE_CDP, "CDP_IN", WALK_UNSEEN, 0, 0, ""},
                                {ENGINE_LUT, "LUT_OUT", WALK_UNSEEN, 0, 0, ""},
                                {ENGINE_CDP, "CDP_OUT", WALK_UNSEEN, 0, 0, ""}};
    const struct diagnosis diagnosis = {
        .kind = DIAGNOSIS_VALUE,
        .engine = ENGINE_CMAC,
        .expected = "5",
        .cycle = 8811,
        .evidence = {.items = (char *[]){"sum of 17 atoms < 8", NULL}, .count = 1},
        .certainty = LIKELY,
        .walk = {.steps = steps, .count = sizeof steps / sizeof *steps, .first = 1, .sentence = "cmac made it"}};
    put(&f->rtl, OUTPUT, 1, NULL);
    f->input.diagnosis = &diagnosis;
    f->input.again = "nvcosim debug 'a b.nvt'";
    f->input.wave = "out/a b/wave.fst";
    says(f, "debug", true);
}

/* The whole area of the RTL differs, a byte in two, over a thousand layers: area by area, not byte by byte. */
TEST_REPORT(millions_of_bytes_in_a_thousand_layers_take_no_time) {
    enum { LAYERS = 1000, BYTES = 16384, BASE = 0x80000000 };
    uint8_t bytes[BYTES];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i & 1;
    program_free(f->prog);
    f->prog = program_new(f->rtl.config, "dir/t.cfg");
    write_registers(f, "SDP.D_DATA_CUBE_WIDTH=7 SDP.D_DATA_CUBE_HEIGHT=255 SDP.D_DATA_CUBE_CHANNEL=7 "
                       "SDP.D_DST_LINE_STRIDE=64 SDP.D_DST_DMA_CFG=1");
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
    const clock_t start = clock();
    make(f);
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
TEST_REPORT(the_walk_finds_what_a_search_byte_by_byte_finds) {
    enum { SPAN = 0x3000, BASE = 0x80000000 };
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

TEST_REPORT(a_report_is_written_with_dumps) {
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
