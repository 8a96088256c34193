/* The walk and the verdict, on streams made up for the purpose: which engine is named, why, and what speaks for it. */
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "observe/recorder.h"
#include "tests/unit/test.h"
#include "triage/triage.h"

enum { RTL, MODEL, SIDES, ELEMENTS = 8 };

struct bench {
    char root[64];
    char *folder[SIDES];
    struct recorder *recorder[SIDES];
    struct layer_tracker *launches;
};

static struct bench bench_open(void) {
    struct bench bench = {.root = "/tmp/test_triage_XXXXXX"};
    assert_non_null(mkdtemp(bench.root));
    for (int side = 0; side < SIDES; side++) {
        bench.folder[side] = xprintf("%s/%s", bench.root, side == RTL ? "rtl" : "model");
        char *command = kept(xprintf("mkdir %s", bench.folder[side]));
        assert_int_equal(0, system(command));
        bench.recorder[side] = recorder_new(bench.folder[side]);
    }
    bench.launches = layer_tracker_new(nvdla_config_find("small"));
    return bench;
}

/* Records a stream of 8 elements, one a beat, 10 clocks apart from `cycle` on; of the RTL the element `wrong` is one
 * too high (-1: none), and only the first `count` come. */
static void record(struct bench *bench, enum nvdla_unit unit, enum tap tap, uint64_t cycle, int wrong, int count) {
    for (int side = 0; side < SIDES; side++) {
        const struct tap_stream stream = {.unit = unit, .tap = tap, .format = TAP_INT32, .width = 32};
        const struct tap_listener listener = recorder_listener(bench->recorder[side]);
        const struct tap_sink sink = listener.open(listener.context, &stream);
        for (int i = 0; i < (side == RTL ? count : ELEMENTS); i++) {
            const int32_t value = 100 + i + (side == RTL && i == wrong);
            const struct tap_place place = {.channel = i, .cycle = side == RTL ? cycle + 10 * (uint64_t)i : 0};
            sink.elements(sink.context, &stream, &place, &value, 1, 1, 1);
        }
    }
}

static void release_diagnosis(struct diagnosis *diagnosis) {
    diagnosis_free(diagnosis);
    free(diagnosis);
}
TEST_KEEPS(keep_diagnosis, struct diagnosis, release_diagnosis)

static struct diagnosis conclude(struct bench *bench, struct triage_input input) {
    struct diagnosis *diagnosis = keep_diagnosis(xcalloc(1, sizeof *diagnosis));
    diagnosis->engine = ENGINE_COUNT;
    struct error err;
    for (int side = 0; side < SIDES; side++)
        assert_true(recorder_close(bench->recorder[side], &err));
    input.config = nvdla_config_find("small");
    input.launches = bench->launches;
    input.rtl = bench->folder[RTL];
    input.model = bench->folder[MODEL];
    assert_true(triage(&input, diagnosis, &err));
    char *command = kept(xprintf("rm -r %s", bench->root));
    assert_int_equal(0, system(command));
    free(bench->folder[RTL]);
    free(bench->folder[MODEL]);
    layer_tracker_free(bench->launches);
    return *diagnosis;
}

TEST_ON(first_in_time_is_to_blame, struct bench bench, bench_open()) {
    record(&bench, NVDLA_CSC, TAP_CSC_DAT, 1000, -1, ELEMENTS);
    record(&bench, NVDLA_CMAC_A, TAP_CMAC_SUM, 1010, 3, ELEMENTS);
    record(&bench, NVDLA_CACC, TAP_CACC_SAT, 1100, 0, ELEMENTS);
    record(&bench, NVDLA_SDP, TAP_SDP_OUT, 1200, 0, ELEMENTS);
    struct diagnosis found = conclude(&bench, (struct triage_input){.config = NULL});
    assert_int_equal(DIAGNOSIS_VALUE, found.kind);
    assert_string_equal("cmac", nvdla_engine_folder(found.engine));
    assert_string_equal("CMAC_SUM", found.tap);
    assert_int_equal(1040, found.cycle);
    assert_string_equal("103", found.expected);
    assert_string_equal("104", found.got);
    assert_non_null(strstr(found.element, "kernel 3"));
    assert_true(found.beats.count >= 1);
    const struct beat_row *row = &found.beats.rows[found.beats.count - 1];
    assert_string_equal(row->stream, found.tap);
    for (size_t i = 0; i < row->count; i++)
        assert_true((row->beats[i].cycle == found.cycle) == (row->beats[i].expected != NULL));
    assert_string_equal("cmac", nvdla_engine_folder(found.walk.steps[found.walk.first].engine));
}

/* A table of an RTL without the streams that enter the engine. */
TEST(nothing_enters_that_is_known) {
    for (int known = 0; known < 2; known++) {
        struct bench bench = bench_open();
        if (known)
            record(&bench, NVDLA_CMAC_A, TAP_CMAC_SUM, 1010, -1, ELEMENTS);
        record(&bench, NVDLA_CACC, TAP_CACC_SAT, 1100, 0, ELEMENTS);
        struct diagnosis found = conclude(&bench, (struct triage_input){.config = NULL});
        assert_string_equal("cacc", nvdla_engine_folder(found.engine));
        assert_int_equal(found.or_before, !known);
        assert_int_equal(found.certainty, known ? LIKELY : POSSIBLE);
        assert_true(!known == (strstr(found.walk.sentence, "cacc or an engine before it is to blame: ") != NULL));
    }
}

/* The wrong write has another cause than atoms of which CMAC makes the right sums. */
TEST(contradicted_streams_are_doubted) {
    const struct triage_write wrong = {
        .engine = ENGINE_SDP, .client = "SDP", .feeder = ENGINE_CACC, .cycle = 1300, .address = 64};
    struct bench bench = bench_open();
    record(&bench, NVDLA_CSC, TAP_CSC_DAT, 1000, 3, ELEMENTS);
    record(&bench, NVDLA_CMAC_A, TAP_CMAC_SUM, 1010, -1, ELEMENTS);
    record(&bench, NVDLA_CACC, TAP_CACC_SAT, 1100, -1, ELEMENTS);
    record(&bench, NVDLA_SDP, TAP_SDP_OUT, 1200, 2, ELEMENTS);
    struct diagnosis found = conclude(&bench, (struct triage_input){.wrong = &wrong});
    assert_string_equal("sdp", nvdla_engine_folder(found.engine));
    assert_false(found.or_before);
    bool doubted = false;
    for (size_t i = 0; i < found.walk.count; i++)
        doubted = doubted || strstr(found.walk.steps[i].text, "; doubted: what the next engine makes of it is right");
    assert_true(doubted);
}

/* The right value in a wrong place: both places are reported. */
TEST_ON(place_may_be_wrong, struct bench bench, bench_open()) {
    for (int side = 0; side < SIDES; side++) {
        const struct tap_stream stream = {.unit = NVDLA_CSC, .tap = TAP_CSC_WT, .format = TAP_INT8, .width = 8};
        const struct tap_listener listener = recorder_listener(bench.recorder[side]);
        const struct tap_sink sink = listener.open(listener.context, &stream);
        const struct tap_place place = {.channel = side == RTL ? 6 : 1, .cycle = side == RTL ? 900 : 0};
        sink.elements(sink.context, &stream, &place, &(int8_t){7}, 1, 1, 1);
    }
    struct diagnosis found = conclude(&bench, (struct triage_input){.config = NULL});
    assert_string_equal("csc", nvdla_engine_folder(found.engine));
    assert_string_equal("7 at launch 0, kernel 1, y 0, x 0", found.expected);
    assert_string_equal("it at launch 0, kernel 6, y 0, x 0, cycle 900", found.got);
}

/* A layer behind another one: what is wrong first in time lies further down the path. */
TEST_ON(time_beats_the_path, struct bench bench, bench_open()) {
    record(&bench, NVDLA_CDMA, TAP_CBUF_DAT, 5000, 2, ELEMENTS);
    record(&bench, NVDLA_SDP, TAP_SDP_OUT, 1000, 5, ELEMENTS);
    struct diagnosis found = conclude(&bench, (struct triage_input){.config = NULL});
    assert_string_equal("sdp", nvdla_engine_folder(found.engine));
    assert_int_equal(1050, found.cycle);
}

TEST_ON(passage_without_model, struct bench bench, bench_open()) {
    record(&bench, NVDLA_CSC, TAP_CSC_DAT, 1000, 3, ELEMENTS);
    const struct triage_passage passages[] = {
        {.engine = ENGINE_MCIF, .name = "memory interface", .before = NVDLA_UNIT_COUNT},
        {.engine = ENGINE_CBUF,
         .name = "CBUF",
         .before = NVDLA_CSC,
         .sure = true,
         .differs = true,
         .cycle = 1028,
         .address = 64,
         .expected = "00",
         .got = "01"}};
    struct diagnosis found = conclude(&bench, (struct triage_input){.passages = passages, .passage_count = 2});
    assert_int_equal(DIAGNOSIS_VALUE, found.kind);
    assert_string_equal("cbuf", nvdla_engine_folder(found.engine));
    assert_string_equal("01", found.got);
    assert_non_null(strstr(found.walk.sentence, "at address 0x40 expected 00, got 01 (certain)"));
    assert_int_equal(found.certainty, CERTAIN);
}

/* A passage that says itself what is wrong, and earlier than any element. */
TEST_ON(passage_with_words_of_its_own, struct bench bench, bench_open()) {
    record(&bench, NVDLA_CSC, TAP_CSC_DAT, 1000, 3, ELEMENTS);
    const struct triage_passage passage = {.engine = ENGINE_PDP,
                                           .name = "reads at the ports",
                                           .before = NVDLA_UNIT_COUNT,
                                           .differs = true,
                                           .cycle = 1029,
                                           .text = "reads too much"};
    struct diagnosis found = conclude(&bench, (struct triage_input){.passages = &passage, .passage_count = 1});
    assert_string_equal("pdp", nvdla_engine_folder(found.engine));
    assert_int_equal(found.cycle, 1029);
    assert_non_null(strstr(found.walk.sentence, "reads too much (likely)"));
}

TEST_ON(hang_names_its_engine, struct bench bench, bench_open()) {
    record(&bench, NVDLA_CACC, TAP_CACC_SAT, 1000, -1, 5);
    record(&bench, NVDLA_SDP, TAP_SDP_OUT, 1100, -1, 5);
    const struct triage_sign hang = {.engine = ENGINE_CSC, .cycle = 1200, .text = "waits"};
    struct diagnosis found = conclude(&bench, (struct triage_input){.hang = &hang});
    assert_int_equal(DIAGNOSIS_HANG, found.kind);
    assert_string_equal("csc", nvdla_engine_folder(found.engine));
}

TEST_ON(a_stream_that_ends_early, struct bench bench, bench_open()) {
    record(&bench, NVDLA_CSC, TAP_CSC_DAT, 1000, -1, ELEMENTS);
    record(&bench, NVDLA_CACC, TAP_CACC_SAT, 1000, -1, 5);
    record(&bench, NVDLA_SDP, TAP_SDP_OUT, 1100, -1, 4);
    const struct triage_sign hang = {.engine = ENGINE_COUNT, .cycle = 1200};
    struct diagnosis found = conclude(&bench, (struct triage_input){.hang = &hang});
    assert_int_equal(DIAGNOSIS_HANG, found.kind);
    assert_string_equal("cacc", nvdla_engine_folder(found.engine));
}

TEST_ON(signs_when_all_is_equal, struct bench bench, bench_open()) {
    record(&bench, NVDLA_SDP, TAP_SDP_OUT, 1100, -1, ELEMENTS);
    const struct triage_sign signs[] = {
        {.engine = ENGINE_COUNT, .name = "unknown"},
        {.engine = ENGINE_PDP, .name = "StripStable", .cycle = 77, .text = "it failed"}};
    struct diagnosis found = conclude(&bench, (struct triage_input){.signs = signs, .sign_count = 2});
    assert_int_equal(DIAGNOSIS_CHECK, found.kind);
    assert_string_equal("pdp", nvdla_engine_folder(found.engine));
    assert_string_equal("StripStable", found.tap);
}

/* An RTL whose inside is not seen: the model's streams alone say nothing, the first wrong beat does. */
TEST_ON(ports_alone, struct bench bench, bench_open()) {
    record(&bench, NVDLA_PDP, TAP_PDP_OUT, 0, -1, 0);
    const struct triage_write wrong = {
        .engine = ENGINE_PDP, .client = "PDP", .feeder = ENGINE_SDP, .cycle = 900, .address = 64};
    struct diagnosis found = conclude(&bench, (struct triage_input){.wrong = &wrong, .stopped = true});
    assert_int_equal(DIAGNOSIS_VALUE, found.kind);
    assert_string_equal("pdp", nvdla_engine_folder(found.engine));
    assert_string_equal("AXI_WRITE of PDP", found.tap);
    assert_int_equal(900, found.cycle);
    assert_true(found.or_before);
    assert_string_equal("pdp or an engine before it is to blame: client PDP writes the first wrong beat, cycle 900, "
                        "address 0x40; no stream between them is known (possible)",
                        found.walk.sentence);
}

/* Of an engine that reads memory no other can be guilty, though nothing inside is seen. */
TEST_ON(ports_alone_of_a_reader, struct bench bench, bench_open()) {
    const struct triage_write wrong = {
        .engine = ENGINE_BDMA, .client = "BDMA", .feeder = ENGINE_COUNT, .cycle = 900, .address = 64};
    struct diagnosis found = conclude(&bench, (struct triage_input){.wrong = &wrong, .stopped = true});
    assert_false(found.or_before);
    assert_string_equal(
        "bdma is to blame: client BDMA writes the first wrong beat, cycle 900, address 0x40; its data comes "
        "from memory, no engine feeds it (likely)",
        found.walk.sentence);
}

/* Streams that are right clear the engines that made them. */
TEST_ON(right_streams_clear_engines, struct bench bench, bench_open()) {
    record(&bench, NVDLA_CACC, TAP_CACC_SAT, 800, -1, ELEMENTS);
    const struct triage_write wrong = {
        .engine = ENGINE_SDP, .client = "SDP", .feeder = ENGINE_CACC, .cycle = 900, .address = 64};
    struct diagnosis found = conclude(&bench, (struct triage_input){.wrong = &wrong, .stopped = true});
    assert_false(found.or_before);
    assert_non_null(strstr(found.walk.sentence, "sdp is to blame, after CACC_SAT, which is right: client SDP"));
}

/* Streams have no lanes for channels that a layer has not. */
TEST_ON(padding_clears_no_engine, struct bench bench, bench_open()) {
    record(&bench, NVDLA_CACC, TAP_CACC_SAT, 800, -1, ELEMENTS);
    record(&bench, NVDLA_SDP, TAP_SDP_OUT, 810, -1, ELEMENTS);
    const struct triage_write wrong = {
        .engine = ENGINE_SDP, .client = "SDP", .feeder = ENGINE_CACC, .cycle = 900, .address = 64, .padding = true};
    struct diagnosis found = conclude(&bench, (struct triage_input){.wrong = &wrong, .stopped = true});
    assert_true(found.or_before);
    assert_string_equal("sdp or an engine before it is to blame: client SDP writes the first wrong beat, cycle 900, "
                        "address 0x40; the byte is padding of the last atom, which is in no stream (possible)",
                        found.walk.sentence);
}

static const struct triage_sign write_check = {.engine = ENGINE_MCIF,
                                               .in = ENGINE_PDP,
                                               .instance = "u_pdp.u_wdma.u_output.u_dma",
                                               .name = "check-DataStable",
                                               .cycle = 870};

/* All is right until it leaves the engine: the error is behind that, and the check that failed there is its first sign.
 */
TEST_ON(between_the_last_stream_and_memory, struct bench bench, bench_open()) {
    record(&bench, NVDLA_SDP, TAP_SDP_OUT, 800, -1, ELEMENTS);
    record(&bench, NVDLA_PDP, TAP_PDP_OUT, 810, -1, 5); /* the run was ended */
    const struct triage_write wrong = {
        .engine = ENGINE_PDP, .client = "PDP", .feeder = ENGINE_SDP, .cycle = 900, .address = 64};
    struct diagnosis found = conclude(
        &bench, (struct triage_input){.wrong = &wrong, .stopped = true, .signs = &write_check, .sign_count = 1});
    assert_int_equal(DIAGNOSIS_VALUE, found.kind);
    assert_string_equal("pdp", nvdla_engine_folder(found.engine));
    assert_string_equal("check-DataStable", found.tap);
    assert_int_equal(870, found.cycle);
    assert_string_equal(
        "pdp is to blame, between PDP_OUT, which is right, and its write DMA: check-DataStable of "
        "u_pdp.u_wdma.u_output.u_dma fails first, at cycle 870; client PDP writes the first wrong beat, "
        "cycle 900, address 0x40 (likely)",
        found.walk.sentence);
}

TEST_ON(atoms_lost_behind_the_last_stream, struct bench bench, bench_open()) {
    record(&bench, NVDLA_PDP, TAP_PDP_OUT, 810, -1, ELEMENTS);
    const struct triage_sign hang = {.engine = ENGINE_PDP, .cycle = 1000, .text = "PDP has given 4 of 8 atoms"};
    struct diagnosis found =
        conclude(&bench, (struct triage_input){.hang = &hang, .owed = 4, .signs = &write_check, .sign_count = 1});
    assert_int_equal(DIAGNOSIS_HANG, found.kind);
    assert_int_equal(870, found.cycle);
    assert_string_equal(
        "pdp is to blame: 4 atoms were lost between PDP_OUT, which is right, and its write DMA; "
        "check-DataStable of u_pdp.u_wdma.u_output.u_dma fails first, at cycle 870; PDP has given 4 of 8 atoms "
        "(likely)",
        found.walk.sentence);
}

/* A wrong access or interrupt makes engines go wrong, and layers hang; the check of GLB or of the bus comes before. */
TEST(check_of_the_control) {
    const struct triage_sign hang = {.engine = ENGINE_CDP, .cycle = 1000, .text = "CDP waits"};
    struct triage_sign signs[] = {
        {.engine = ENGINE_SDP, .instance = "u_sdp", .name = "check-PdpStable", .cycle = 700},
        {.engine = ENGINE_GLB, .instance = "u_glb", .name = "check-AnswersWithItsRegister", .cycle = 790}};
    for (int late = 0; late < 2; late++) {
        struct bench bench = bench_open();
        record(&bench, NVDLA_SDP, TAP_SDP_OUT, 800, 0, ELEMENTS);
        signs[1].cycle += (uint64_t)late * 20;
        struct diagnosis found = conclude(&bench, (struct triage_input){.signs = signs, .sign_count = 2});
        assert_string_equal(late ? "sdp" : "glb", nvdla_engine_folder(found.engine));
        assert_string_equal(late ? "SDP_OUT" : "check-AnswersWithItsRegister", found.tap);
    }
    struct bench bench = bench_open();
    struct diagnosis found = conclude(&bench, (struct triage_input){.hang = &hang, .signs = signs, .sign_count = 2});
    assert_string_equal("glb", nvdla_engine_folder(found.engine));
}

/* An engine that asks or takes wrongly disturbs the memory interface; its own check fails before. */
TEST(check_before_the_memory_interface) {
    const struct triage_passage passage = {.engine = ENGINE_MCIF,
                                           .name = "reads of CDMA_DAT",
                                           .before = NVDLA_UNIT_COUNT,
                                           .differs = true,
                                           .cycle = 1029,
                                           .expected = "00",
                                           .got = "01"};
    struct triage_sign check = {.engine = ENGINE_CDMA_DAT,
                                .in = ENGINE_CDMA_DAT,
                                .instance = "u_cdma.u_dc",
                                .name = "check-AllLinesAreReported",
                                .cycle = 1021};
    for (int late = 0; late < 2; late++) {
        struct bench bench = bench_open();
        check.cycle += (uint64_t)late * 8;
        struct diagnosis found = conclude(
            &bench, (struct triage_input){.passages = &passage, .passage_count = 1, .signs = &check, .sign_count = 1});
        assert_string_equal(late ? "mcif" : "cdma", nvdla_engine_folder(found.engine));
        assert_string_equal(late ? "reads of CDMA_DAT" : "check-AllLinesAreReported", found.tap);
    }
}

TEST_ON(nobody_is_named_without_reason, struct bench bench, bench_open()) {
    record(&bench, NVDLA_SDP, TAP_SDP_OUT, 1100, -1, ELEMENTS);
    struct diagnosis found = conclude(&bench, (struct triage_input){.config = NULL});
    assert_int_equal(DIAGNOSIS_NONE, found.kind);
    assert_null(nvdla_engine_folder(found.engine));
    assert_true(found.walk.first == found.walk.count);
}
