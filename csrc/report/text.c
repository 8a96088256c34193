/* The report as text. See text.h. */
#include "report/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "report/histograms.h"

enum { FAILURES_SHOWN = 50 }; /* maximum failed checks; the JSON has all */

/* Prints rows of both images around `first`, a mark under every byte that differs. */
static void print_window(FILE *out, const struct memory *expected, const char *expected_name, const struct memory *got,
                         const char *got_name, uint64_t first) {
    const uint64_t base = report_window(first), end = base + REPORT_WINDOW;
    int width = (int)(strlen(expected_name) > strlen(got_name) ? strlen(expected_name) : strlen(got_name));
    for (uint64_t row = base; row != end; row += REPORT_ROW) {
        uint8_t a[REPORT_ROW], b[REPORT_ROW];
        memory_read(expected, row, a, REPORT_ROW);
        memory_read(got, row, b, REPORT_ROW);
        bool differs = memcmp(a, b, REPORT_ROW) != 0;
        fprintf(out, "    0x%08" PRIx64 "  %-*s ", row, width, expected_name);
        for (int i = 0; i < REPORT_ROW; i++)
            fprintf(out, " %02x", a[i]);
        fputc('\n', out);
        if (differs) {
            fprintf(out, "    %*s  %-*s ", 10, "", width, got_name);
            for (int i = 0; i < REPORT_ROW; i++)
                fprintf(out, " %02x", b[i]);
            fprintf(out, "\n    %*s  %-*s ", 10, "", width, "");
            int last = REPORT_ROW - 1;
            while (last > 0 && a[last] == b[last])
                last--;
            for (int i = 0; i <= last; i++)
                fputs(a[i] != b[i] ? " ^^" : "   ", out);
            fputc('\n', out);
        }
    }
}

static void print_output(FILE *out, const struct launch_output *output) {
    const struct cube *cube = &output->cube;
    if (output->block >= 0) {
        fprintf(out, "descriptor %d: %dx%dx%d (atoms x lines x surfaces)", output->block, cube->width, cube->height,
                cube_surfaces(cube));
    } else {
        fprintf(out, "%dx%dx%d (width x height x channels), %d-byte elements in %d-byte atoms", cube->width,
                cube->height, cube->channels, cube->element_bytes, cube->atom);
    }
    fprintf(out, ", line stride 0x%x, surface stride 0x%x", cube->line_stride, cube->surface_stride);
    if (cube->batches > 1)
        fprintf(out, ", %d batches, batch stride 0x%x", cube->batches, cube->batch_stride);
}

static void print_register(void *context, const struct nvdla_register *reg, uint32_t value) {
    FILE *out = context;
    char decoded[512];
    if (value != reg->reset)
        fprintf(out, "      %-32s 0x%08x  %s\n", reg->name, value,
                nvdla_register_decode(reg, value, decoded, sizeof decoded));
}

static void print_launch(FILE *out, const struct report *report, const struct launch *launch, int block) {
    char name[64], position[REPORT_POSITION];
    fprintf(out, "    registers of %s, group %d, ", report_launch_name(launch, name, sizeof name), launch->group);
    if (block >= 0)
        fprintf(out, "descriptor %d, ", block);
    fprintf(out, "armed at %s (those at their reset value left out):\n",
            report_launch_position(report, launch, position, sizeof position));
    report_each_register(report, launch, block, print_register, out);
}

/* Registers of a launch and of those that feed it. */
static void print_layer(FILE *out, const struct report *report, const struct launch_output *output) {
    const struct launch *feeders[REPORT_FEEDERS];
    const int count = report_feeders(report, output->launch, feeders);
    print_launch(out, report, output->launch, output->block);
    for (int i = 0; i < count; i++)
        print_launch(out, report, feeders[i], -1);
}

static void print_mismatch(FILE *out, const struct report *report, const struct mismatch *mismatch) {
    const struct memory *got = report_memory(report, 0, mismatch->space);
    const struct memory *expected = report_memory(report, 1, mismatch->space);
    const char *got_name = report->input.played[0].dev->name, *expected_name = report->input.played[1].dev->name;
    const struct launch_output *output = mismatch->output;
    char name[128], position[REPORT_POSITION], text[REPORT_LINE];
    fprintf(out, "%s memory, ", memory_space_name(mismatch->space));
    if (output) {
        fprintf(out, "output of layer %s (armed at %s) at 0x%" PRIx64 ", ",
                report_launch_name(output->launch, name, sizeof name),
                report_launch_position(report, output->launch, position, sizeof position), mismatch->base);
        print_output(out, output);
        fputc('\n', out);
    } else {
        fprintf(out, "%s 0x%" PRIx64 ", 0x%" PRIx64 " bytes\n",
                mismatch->kind == AREA_REGION ? "region" : "outside every region, page", mismatch->base,
                mismatch->size);
    }
    fprintf(out, "    %" PRIu64 " %s, first at 0x%" PRIx64 ", last at 0x%" PRIx64 "\n", mismatch->count,
            text_plural(mismatch->count, "byte differs", "bytes differ"), mismatch->first, mismatch->last);
    if (output)
        fprintf(out, "    first: %s\n", report_element(output, mismatch->first, text, sizeof text));
    for (int i = 0; i < PLAYED_MAX; i++)
        fprintf(out, "    first byte on the %s: %s\n", report->input.played[i].dev->name,
                report_origin(report, i, mismatch->space, mismatch->first, output, text, sizeof text));
    print_window(out, expected, expected_name, got, got_name, mismatch->first);
    fprintf(out, "    dumps: %s", report_area_dump(report, mismatch, 0, name, sizeof name));
    fprintf(out, " and %s\n", report_area_dump(report, mismatch, 1, name, sizeof name));
    if (output)
        print_layer(out, report, output);
    fputc('\n', out);
}

/* A row of the beat's bytes: actual, or expected where known. */
static void print_bytes(FILE *out, const char *name, const uint8_t *bytes, int count, uint64_t known) {
    fprintf(out, "    %-8s ", name);
    for (int i = 0; i < count; i++)
        if (known >> i & 1)
            fprintf(out, " %02x", bytes[i]);
        else
            fputs(" --", out);
    fputc('\n', out);
}

static void print_wrong(FILE *out, const struct report *report) {
    const struct wrong_beat *wrong = report->input.wrong;
    const struct launch_output *output = report->wrong_output;
    const struct launch *launch = report_wrong_launch(report);
    char text[REPORT_LINE];
    fprintf(out, "%s\n", report_wrong(report, text, sizeof text));
    print_bytes(out, "expected", wrong->expected, wrong->beat.bytes, wrong->known);
    print_bytes(out, "got", wrong->got, wrong->beat.bytes, UINT64_MAX);
    fprintf(out, "    %-8s ", "");
    for (int i = 0; i < wrong->beat.bytes; i++)
        fputs(wrong->wrong >> i & 1 ? " ^^" : wrong->beat.strobe >> i & 1 ? "   " : " ..", out);
    fputs("   (..: not enabled; what memory holds)\n", out);
    fprintf(out, "    the run ended here: later layers did not run\n");
    if (output) {
        fputs("    ", out);
        print_output(out, output);
        fputc('\n', out);
        print_layer(out, report, output);
    } else if (launch)
        print_launch(out, report, launch, -1);
    fputc('\n', out);
}

static void print_failure(FILE *out, const struct report *report, int played, const struct play_failure *failure) {
    const struct op *op = &report->input.prog->ops[failure->op];
    const struct device *dev = report->input.played[played].dev;
    char text[REPORT_LINE], name[128];
    fprintf(out, "%s\n", report_failure(report, &report->input.played[played], failure, text, sizeof text));
    if (op->kind != OP_MEM_CHECK)
        return;
    struct memory *golden = report_golden(op);
    const struct launch_output *output = report_output(report, op->space, failure->first);
    if (output) {
        char position[REPORT_POSITION];
        fprintf(out, "    first: output of layer %s (armed at %s), %s\n",
                report_launch_name(output->launch, name, sizeof name),
                report_launch_position(report, output->launch, position, sizeof position),
                report_element(output, failure->first, text, sizeof text));
    }
    fprintf(out, "    first byte on the %s: %s\n", dev->name,
            report_origin(report, played, op->space, failure->first, output, text, sizeof text));
    print_window(out, golden, "golden", dev->memory[op->space], dev->name, failure->first);
    fprintf(out, "    dumps: %s", report_check_dump(report, op, NULL, name, sizeof name));
    fprintf(out, " and %s\n", report_check_dump(report, op, dev, name, sizeof name));
    if (output && report->mismatch_count == 0)
        print_layer(out, report, output);
    memory_free(golden);
}

static void print_played(FILE *out, const struct report *report, int index) {
    const struct played *played = &report->input.played[index];
    const struct play_result *result = played->result;
    const struct device_statistics *statistics = &result->statistics;
    fprintf(out,
            "%s: %s, %zu checks done, %zu failed, %zu not compared (not built), %zu volatile reads differ, "
            "%" PRIu64 " interrupts serviced\n",
            played->dev->name, report_outcome_text(result->outcome), result->checks_done, result->failure_count,
            result->checks_skipped, result->volatile_mismatches, result->interrupts);
    if (statistics->cycles > 0)
        fprintf(out,
                "    %" PRIu64 " cycles, %" PRIu64 " from the first D_OP_ENABLE to the last interrupt, %" PRIu64
                " beats read, %" PRIu64 " written\n",
                statistics->cycles, statistics->op_cycles, device_beats(statistics->read_beats),
                device_beats(statistics->write_beats));
    if (result->message)
        fprintf(out, "    %s\n", result->message);
    for (size_t i = 0; i < result->failure_count && i < FAILURES_SHOWN; i++) {
        fputs("  ", out);
        print_failure(out, report, index, &result->failures[i]);
    }
    if (result->failure_count > FAILURES_SHOWN)
        fprintf(out, "  and %zu more failed checks (report.json lists all)\n", result->failure_count - FAILURES_SHOWN);
    for (size_t i = 0; i < played->dev->finding_count; i++) {
        const struct finding *finding = &played->dev->findings[i];
        fprintf(out, "  cycle %" PRIu64 ", rule %s: %s\n", finding->cycle, finding->rule, finding->text);
    }
    if (played->dev->findings_dropped > 0)
        fprintf(out, "  and %" PRIu64 " more findings\n", played->dev->findings_dropped);
    for (size_t i = 0; i < played->dev->warning_count; i++) {
        char text[REPORT_LINE];
        fprintf(out, "  warning: %s\n", report_warning(report, &played->dev->warnings[i], text, sizeof text));
    }
    if (played->dev->warnings_dropped > 0)
        fprintf(out, "  and %" PRIu64 " more warnings\n", played->dev->warnings_dropped);
    fputc('\n', out);
}

/* The result of `nvcosim debug`. */
static void print_diagnosis(FILE *out, const struct diagnosis *diagnosis) {
    const struct walk *walk = &diagnosis->walk;
    fprintf(out, "\n%s\n", walk->sentence);
    for (size_t i = 0; i < diagnosis->evidence.count; i++)
        fprintf(out, "%s\n", diagnosis->evidence.items[i]);
    fprintf(out, "\nalong the data path:\n");
    for (size_t i = 0; i < walk->count; i++) {
        const struct walk_step *step = &walk->steps[i];
        if (step->state == WALK_UNSEEN)
            continue;
        fprintf(out, "%s %-5s %-20s ", i == walk->first ? "->" : "  ", nvdla_engine_folder(step->engine), step->stream);
        if (step->elements > 0)
            fprintf(out, "%10" PRIu64 " elements equal%s", step->elements, step->text[0] ? ", then " : "");
        else
            fprintf(out, "%16s%s", "",
                    step->state == WALK_EQUAL    ? "equal"
                    : step->state == WALK_PASSED ? "passed on unchanged"
                                                 : "");
        fputs(step->text, out);
        if (step->cycle)
            fprintf(out, " (cycle %" PRIu64 ")", step->cycle);
        fputc('\n', out);
    }
}

char *report_text(const struct report *report) {
    char *text = NULL;
    size_t size;
    FILE *out = xmemstream(&text, &size);
    const struct report_input *in = &report->input;
    char name[REPORT_LINE];
    fprintf(out, "%s %s\n", report_status_text(report->status), text_shown_into(in->name, name, sizeof name));
    if (report->reason[0])
        fprintf(out, "%s\n", report->reason);
    if (report->dissent.sentence[0] &&
        (!in->diagnosis || strcmp(report->dissent.sentence, in->diagnosis->walk.sentence) != 0))
        fprintf(out, "%s\n", report->dissent.sentence);
    if (in->diagnosis)
        print_diagnosis(out, in->diagnosis);
    fprintf(out, "\ntrace %s, configuration %s, %zu operations, %zu launches\n\n",
            text_shown_into(in->prog->files[0], name, sizeof name), in->prog->config->name, in->prog->count,
            layer_tracker_count(in->launches));
    const struct wrong_read *read = report_first_wrong_read(in);
    if (read)
        fprintf(out, "cycle %" PRIu64 ": %s\n\n", read->beat.cycle, report_wrong_read(in, read, name, sizeof name));
    if (in->wrong)
        print_wrong(out, report);
    for (size_t i = 0; i < report->mismatch_count; i++) {
        fprintf(out, "mismatch %zu: ", i + 1);
        print_mismatch(out, report, &report->mismatches[i]);
    }
    if (in->played_count > 1 && report_stopped(report))
        fprintf(out, "the %s was stopped (--stop-at-first): memory of %s and %s is not compared\n\n",
                in->played[0].dev->name, in->played[0].dev->name, in->played[1].dev->name);
    else if (in->played_count > 1 && report->mismatch_count == 0)
        fprintf(out, "memory of %s and %s is equal\n\n", in->played[0].dev->name, in->played[1].dev->name);
    for (int i = 0; i < in->played_count; i++)
        print_played(out, report, i);
    if (in->histograms)
        histograms_print(out, in->histograms);
    xmemstream_close(out);
    return text;
}
