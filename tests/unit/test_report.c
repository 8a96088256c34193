/* Comparison and triage on hand-made memories: what the reports say of them, as text, as JSON and as the data of the
 * page (golden.h); and the description of traces. What a browser makes of a page: tests/replay/html.sh. */
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "legal_layers.h"
#include "nvdla/random.h"
#include "report/explain.h"
#include "report/hang_text.h"
#include "report/report.h"
#include "report/verdict.h"
#include "tests/unit/folder.h"
#include "tests/unit/golden.h"
#include "tests/unit/steps.h"
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
static void add_layer(struct fixture *f, uint32_t output) {
    write_registers(f, "SDP_RDMA.D_DATA_CUBE_WIDTH=3 SDP_RDMA.D_OP_ENABLE=1 SDP.D_DATA_CUBE_WIDTH=3 "
                       "SDP.D_DATA_CUBE_HEIGHT=1 SDP.D_DATA_CUBE_CHANNEL=15");
    write_register(f, "SDP", "D_DST_BASE_ADDR_LOW", output);
    write_registers(f, "SDP.D_DST_LINE_STRIDE=64 SDP.D_DST_SURFACE_STRIDE=128 SDP.D_DST_DMA_CFG=1 SDP.D_OP_ENABLE=1");
}

/* An empty program in place of the layer of small. */
static void restart(struct fixture *f, const char *config, const char *name) {
    program_free(f->prog);
    f->prog = program_new(nvdla_config_find(config), name);
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
    add_layer(f, OUTPUT);
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

/* ---- cases of report.txt ---- */

/* Bytes of the primary memory of a device that a launch of SDP, or no launch, wrote. */
static void put_bytes(struct fixture *f, const struct step *step) {
    const struct device *dev = step_is(step, "rtl") ? &f->rtl : &f->model;
    struct memory_origin origin = {.unit = NVDLA_SDP, .axi_id = 1};
    const char *hex = step->word[2];
    uint8_t bytes[8];
    size_t n = 0;
    for (; hex[2 * n] && n < sizeof bytes; n++) {
        const char digits[3] = {hex[2 * n], hex[2 * n + 1]};
        bytes[n] = (uint8_t)strtoul(digits, NULL, 16);
    }
    /* UNIT ORDINAL CYCLE [STROBES] of the writer */
    if (step->count > 3) {
        origin.unit = (int16_t)nvdla_unit_find(step->word[3]);
        origin.axi_id = origin.unit != NVDLA_BDMA;
        origin.ordinal = atoi(step->word[4]);
        origin.cycle = step_number(step, 5);
    }
    const uint8_t strobe = step->count > 6 ? (uint8_t)step_number(step, 6) : 0xff;
    memory_write(dev->memory[SPACE_PRIMARY], OUTPUT + (uint64_t)strtoll(step->word[1], NULL, 0), bytes, n,
                 step->count > 6 ? &strobe : NULL, step->count > 3 ? &origin : NULL);
}

/* An operation of the trace at an offset: crc SIZE, golden BYTES, fill SIZE, check UNIT.REGISTER VALUE, notify. */
static bool operation_step(struct fixture *f, const struct step *step) {
    struct op op = op_make(OP_MEM_CRC, (int)f->prog->count + 1);
    if (step_is(step, "check")) {
        const struct legal_write write = legal_write_of(f->prog->config, step->word[1]);
        op.kind = OP_READ_CHECK;
        op.address = write.address;
        op.value = write.value;
    } else if (step_is(step, "notify")) {
        op.kind = OP_INTR_NOTIFY;
        op.event = program_event(f->prog, "done");
    } else if (step_is(step, "crc") || step_is(step, "fill") || step_is(step, "golden")) {
        op.base = OUTPUT + (uint64_t)strtoll(step->word[1], NULL, 0);
        op.size = step_number(step, 2);
        op.kind = step_is(step, "crc") ? OP_MEM_CRC : step_is(step, "fill") ? OP_MEM_FILL : OP_MEM_CHECK;
        if (op.kind == OP_MEM_CRC && step->count > 3) {
            op.value = (uint32_t)step_number(step, 3);
            op.after = program_event(f->prog, "done");
        }
        if (op.kind == OP_MEM_CHECK) {
            struct blob *blob = program_blob(f->prog, blob_new("t_golden.dat"));
            blob_append(blob, 0, "\1\2\3\4\5\6\7\10", op.size);
            op.blob = blob;
            op.at_end = step->count > 3;
            op.size = 0;
        }
    } else
        return false;
    program_append(f->prog, &op);
    return true;
}

/* The operation before the last `back` ones has failed on a device. */
static void add_failure(struct fixture *f, const struct step *step) {
    struct play_result *result = strcmp(step->word[1], "rtl") == 0 ? &f->rtl_result : &f->model_result;
    result->failures = xgrow(result->failures, result->failure_count, sizeof *result->failures);
    struct play_failure *failure = &result->failures[result->failure_count++];
    *failure = (struct play_failure){.op = f->prog->count - 1 - step_number(step, 2)};
    failure->got = (uint32_t)strtoul(step->word[3], NULL, 0);
    failure->expected = (uint32_t)strtoul(step->word[4], NULL, 0);
    if (f->prog->ops[failure->op].kind == OP_MEM_CHECK) {
        failure->first = OUTPUT + (uint64_t)strtoll(step->word[3], NULL, 0);
        failure->count = failure->expected;
        failure->got = failure->expected = 0;
    }
    result->outcome = PLAY_CHECK_FAILED;
}

static void *begin(const char *title) {
    struct fixture *f = fixture_new();
    if (strncmp(title, "full", 4) == 0)
        restart(f, "full", "dir/t.cfg");
    return f;
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct fixture *f = context;
    if (strchr(step->word[0], '.') && strchr(step->word[0], '='))
        write_registers(f, step->count > 1 ? kept(xprintf("%s %s", step->word[0], step->text)) : step->word[0]);
    else if (step_is(step, "layer"))
        add_layer(f, (uint32_t)(OUTPUT + strtoll(step->word[1], NULL, 0)));
    else if (step_is(step, "rtl") || step_is(step, "model"))
        put_bytes(f, step);
    else if (step_is(step, "declare"))
        memory_declare(f->rtl.memory[SPACE_PRIMARY], OUTPUT + step_number(step, 1), step_number(step, 2));
    else if (step_is(step, "failed"))
        add_failure(f, step);
    else if (step_is(step, "says")) /* NAME of the golden file; data: report.json and the page, too */
        says(f, step->word[1], strcmp(step->word[2], "data") == 0);
    else if (step_is(step, "explained"))
        explained(f, step->word[1]);
    else if (step_is(step, "named"))
        fprintf(found, "%zu", f->report->named.count);
    else if (step_is(step, "cycles")) {
        const struct mismatch *first = &f->report->mismatches[0];
        for (int side = 0; side < 2; side++)
            fprintf(found, "%s%" PRIu64, side ? " " : "",
                    report_cycle(f->report, side, first->space, first->first, first->output));
    } else
        return operation_step(f, step);
    return true;
}

TEST(cases_are_reported_as_their_golden_files) {
    steps_play("tests/unit/report.txt", &(struct steps_player){begin, act});
}

/* ---- more than a text can say ---- */

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
    f->rtl_result.message = xstrdup("no operation got done\n  stream SDP stands at t.cfg:1\n");
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
    f->rtl_result.message = xstrdup("b\xffroken");
    says(f, "not_utf8", true);
}

/* Nothing in a name ends the data of the page, or becomes an element. */
TEST_REPORT(names_are_shown_and_not_obeyed) {
    restart(f, "small", "dir/</script><b>&\"'t\x1b\xe2\x80\xa8.cfg");
    add_layer(f, OUTPUT);
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

/* Every byte of two million wrong: the cells become larger, none is lost, and the page stays small. */
TEST_REPORT(large_maps_have_larger_cells) {
    enum { BYTES = 1024 * 250 * 8 };
    write_registers(f, "SDP.S_POINTER=1 SDP.D_DATA_CUBE_WIDTH=1023 SDP.D_DATA_CUBE_HEIGHT=249 "
                       "SDP.D_DATA_CUBE_CHANNEL=7 SDP.D_DST_BASE_ADDR_LOW=0x80010000 SDP.D_DST_LINE_STRIDE=8192 "
                       "SDP.D_DST_DMA_CFG=1 SDP.D_OP_ENABLE=1");
    autofree uint8_t *bytes = xmalloc(BYTES);
    memset(bytes, 0x11, BYTES);
    const struct memory_origin origin = {.unit = NVDLA_SDP, .axi_id = 1, .ordinal = 1};
    memory_write(f->rtl.memory[SPACE_PRIMARY], OUTPUT, bytes, BYTES, NULL, &origin);
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
    memory_write(f->rtl.memory[SPACE_PRIMARY], OUTPUT, "\1", 1, NULL, NULL);
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
    restart(f, "small", "dir/t.cfg");
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
        restart(f, "small", "dir/t.cfg");
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
        const struct launch_output *walked = NULL;
        for (uint64_t address = BASE - 100; address < BASE + 2 * SPAN; address++) {
            const struct launch_output *found = writers_find(writers, SPACE_PRIMARY, address, memories, PLAYED_MAX);
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
    const char *nested = kept(xprintf("%s/out/t", folder_new()));
    struct error err;
    /* A failed check of fewer bytes than the area that differs: dumps of its own. */
    struct blob *blob = program_blob(f->prog, blob_new("t_golden.dat"));
    blob_append(blob, 0, "\1\2\3\4\5\6\7\10", 8);
    struct op op = op_make(OP_MEM_CHECK, 11);
    op.base = OUTPUT;
    op.blob = blob;
    program_append(f->prog, &op);
    memory_write(f->rtl.memory[SPACE_PRIMARY], OUTPUT, "\x11", 1, NULL, NULL);
    f->rtl_result.failures = xmalloc(sizeof *f->rtl_result.failures);
    f->rtl_result.failures[0] = (struct play_failure){.op = f->prog->count - 1, .first = OUTPUT, .count = 8};
    f->rtl_result.failure_count = 1;
    f->rtl_result.outcome = PLAY_CHECK_FAILED;
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
    unlink(kept(xprintf("%s/waves.fst", nested)));
    unlink(kept(xprintf("%s/primary_mine.bin.gz", nested)));
    assert_true(report_clean(nested, &err)); /* removes the directory, too, now that it is empty */
    assert_int_not_equal(access(nested, F_OK), 0);
    assert_true(report_clean(nested, &err)); /* nothing there is fine */
}
