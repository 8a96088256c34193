/* Folders of recorded streams, and the lines that compare them. See taps.h. */
#include "run/session/taps.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/clients.h"
#include "nvdla/xalloc.h"
#include "observe/recorder.h"
#include "observe/tap_compare.h"
#include "run/session/judge.h"

static const char *const side_names[TAPS_SIDES] = {[TAPS_RTL] = "rtl", [TAPS_MODEL] = "model"};
static const char ending[] = ".tap";

/* Calls `with` for every file of a stream in a folder. */
static void each_file(const char *folder, void (*with)(const char *path)) {
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name);
        if (length < sizeof ending || strcmp(entry->d_name + length + 1 - sizeof ending, ending) != 0)
            continue;
        autofree char *path = xprintf("%s/%s", folder, entry->d_name);
        with(path);
    }
    if (directory)
        closedir(directory);
}

/* Empties a stream of an earlier run, to be overwritten: faster than deleting and creating it. */
static void empty(const char *path) {
    if (truncate(path, 0) != 0)
        unlink(path);
}

static void remove_stream(const char *path) {
    unlink(path);
}

static void remove_empty(const char *path) {
    struct stat file;
    if (stat(path, &file) == 0 && file.st_size == 0)
        unlink(path);
}

static struct mif_client *client_of(struct taps *taps, enum nvdla_client index) {
    const struct nvdla_client_facts *facts = &nvdla_clients[index];
    struct mif_client *client = &taps->mif[index];
    client->seen = true;
    snprintf(client->name, sizeof client->name, "%s of %s", facts->write ? "writes" : "reads", facts->name);
    return client;
}

/* Notes which clients are visible on both sides of the memory interface. */
static struct tap_sink open_client(void *context, const struct tap_stream *stream) {
    struct taps *taps = context;
    if (stream->tap == TAP_MIF_READ || stream->tap == TAP_MIF_WRITE)
        client_of(taps, nvdla_client_find(stream->client, stream->tap == TAP_MIF_WRITE));
    return (struct tap_sink){.elements = NULL};
}

static void take_fault(void *context, const struct mif_difference *difference) {
    struct taps *taps = context;
    struct mif_client *client = client_of(taps, difference->client);
    client->differs = true;
    client->first = *difference;
}

static void describe_fault(const struct mif_client *client, struct words *lines) {
    const struct mif_difference *difference = &client->first;
    autotext struct text text = {0};
    text_printf(&text, "memory interface, %s", client->name);
    if (difference->ordinal >= 0)
        text_printf(&text, ", %s launch %d", nvdla_unit_names[nvdla_clients[difference->client].unit],
                    difference->ordinal);
    text_printf(&text, ", cycle %" PRIu64 ": ", difference->cycle);
    switch (difference->fault) {
    case MIF_ADDRESS:
        text_printf(&text, "the AXI port moves 0x%" PRIx64 ", the client requested 0x%" PRIx64,
                    difference->port_address, difference->address);
        break;
    case MIF_BYTES:
        text_printf(&text, "the bytes of 0x%" PRIx64 " change on the way", difference->address);
        break;
    case MIF_UNASKED:
        text_printf(&text, "the AXI port moves 0x%" PRIx64 ", which the client did not request",
                    difference->port_address);
        break;
    case MIF_UNANSWERED:
        text_printf(&text, "the client gets an atom that the memory did not send; it waits for 0x%" PRIx64,
                    difference->address);
        break;
    }
    words_add(lines, "%s", text.text);
}

bool taps_open(struct taps *taps, const struct run_options *options, const char *trace, struct error *err) {
    autofree char *report = report_folder(options, trace);
    bool good = true;
    *taps = (struct taps){.parent = xprintf("%s/taps", report)};
    for (int side = 0; side < TAPS_SIDES; side++) {
        taps->folder[side] = xprintf("%s/%s", taps->parent, side_names[side]);
        good = good && directory_make(taps->folder[side], err);
        if (!good)
            continue;
        each_file(taps->folder[side], empty);
        taps->recorder[side] = recorder_new(taps->folder[side]);
        if (options->tap_units)
            recorder_units(taps->recorder[side], options->tap_units);
        tap_listen(&taps->listeners[side], recorder_listener(taps->recorder[side]));
    }
    tap_listen(&taps->listeners[TAPS_RTL],
               (struct tap_listener){.context = taps, .open = open_client, .memory = take_fault});
    if (options->histogram)
        tap_listen(&taps->listeners[TAPS_RTL], histogram_listener(&taps->counts));
    return good || error_prefix(err, "taps: ");
}

bool taps_close_side(struct taps *taps, enum taps_side side, struct error *err) {
    struct recorder *recorder = taps->recorder[side];
    taps->recorder[side] = NULL;
    const bool good = !recorder || recorder_close(recorder, err);
    if (recorder)
        each_file(taps->folder[side], remove_empty);
    return good;
}

bool taps_close(struct taps *taps, struct error *err) {
    const bool rtl = taps_close_side(taps, TAPS_RTL, err);
    return taps_close_side(taps, TAPS_MODEL, rtl ? err : NULL) && rtl;
}

static void describe_board(struct words *lines, const struct scoreboard *board) {
    const struct scoreboard_difference *first = &board->first;
    char expected[2 * SCOREBOARD_BYTES + 1], got[2 * SCOREBOARD_BYTES + 1];
    if (first->port)
        words_add(lines, "CBUF: cycle %" PRIu64 ", %s reads entry 0x%" PRIx64 ": %s, last written there %s",
                  first->cycle, first->port, first->address,
                  scoreboard_number(first->got, 0, first->bytes, got, sizeof got),
                  scoreboard_number(first->expected, 0, first->bytes, expected, sizeof expected));
    else if (board->compared > 0)
        words_add(lines, "CBUF: %" PRIu64 " entries read, each as it was written", board->compared);
}

static void describe_account(struct words *lines, const struct account *account) {
    if (account->differs)
        words_add(lines, "accounts of CDMA, CSC and CACC: cycle %" PRIu64 ": %s", account->cycle, account->text);
    else if (account->entries > 0)
        words_add(lines, "accounts of CDMA, CSC and CACC: %" PRIu64 " entries, all covered", account->entries);
}

/* The lines of a comparison. */
struct comparison {
    struct words *lines;
    size_t compared, missing, ports; /* streams of both sides; those of the model alone; those of the RTL alone */
};

static void compare_pair(void *context, const struct tap_pair *pair) {
    struct comparison *comparison = context;
    struct words *lines = comparison->lines;
    struct tap_difference found;
    struct error err;
    char text[512];
    comparison->compared += pair->a && pair->b;
    comparison->missing += !pair->a;
    comparison->ports += !pair->b;
    if (!pair->a || !pair->b)
        return;
    if (!tap_compare(pair->a, pair->b, &found, &err)) {
        words_add(lines, "warning: %s", err.text);
        return;
    }
    if (found.skipped_a + found.skipped_b > 0 && !found.differs)
        words_add(lines, "tap %s: the %s has nothing of its first launch", pair->name,
                  found.skipped_b > 0 ? "RTL" : "model");
    words_add(lines, "tap %s: %s", pair->name, tap_difference_text(&found, "RTL", "model", text, sizeof text));
}

static bool same_counts(const struct histogram *a, const struct histogram *b) {
    return a->count == b->count && a->zeros == b->zeros && a->minus_ones == b->minus_ones &&
           a->saturated == b->saturated && a->minimum == b->minimum && a->maximum == b->maximum && a->sum == b->sum &&
           a->squares == b->squares && memcmp(a->positive, b->positive, sizeof a->positive) == 0 &&
           memcmp(a->negative, b->negative, sizeof a->negative) == 0;
}

static void compare_histograms(const struct histogram_set *rtl, const struct histogram_set *model,
                               struct words *lines) {
    size_t equal = 0;
    for (size_t i = 0; i < rtl->count; i++) {
        const struct histogram_entry *entry = rtl->entries[i];
        const struct histogram *other = histogram_find(model, entry->unit, entry->ordinal, entry->tap);
        if (other ? same_counts(&entry->histogram, other) : entry->histogram.count == 0)
            equal++;
        else
            words_add(lines,
                      "histogram %s #%d %s differs: RTL %" PRIu64 " values, %" PRId64 " .. %" PRId64 ", sum %" PRId64
                      "; model %" PRIu64 ", %" PRId64 " .. %" PRId64 ", sum %" PRId64,
                      nvdla_unit_names[entry->unit], entry->ordinal, tap_names[entry->tap], entry->histogram.count,
                      entry->histogram.minimum, entry->histogram.maximum, (int64_t)entry->histogram.sum,
                      other ? other->count : 0, other ? other->minimum : 0, other ? other->maximum : 0,
                      other ? (int64_t)other->sum : 0);
    }
    words_add(lines, "histograms of the RTL's streams: %zu of %zu equal to the model's", equal, rtl->count);
}

void taps_compare(const struct taps *taps, const struct histogram_set *model, struct words *lines) {
    if (!taps->folder[TAPS_RTL])
        return;
    struct comparison comparison = {.lines = lines};
    tap_pairs(taps->folder[TAPS_RTL], taps->folder[TAPS_MODEL], compare_pair, &comparison);
    if (comparison.compared == 0 && comparison.missing > 0 && comparison.ports > 0)
        words_add(lines, "taps: nothing inside the RTL was compared: no table says where it has these streams");
    describe_board(lines, &taps->cbuf);
    describe_account(lines, &taps->account);
    for (int i = 0; i < NVDLA_CLIENT_COUNT; i++)
        if (taps->mif[i].differs)
            describe_fault(&taps->mif[i], lines);
    if (model && taps->counts.count > 0)
        compare_histograms(&taps->counts, model, lines);
}

bool taps_part(struct taps *taps, int part, struct words *lines, struct error *err) {
    bool good = true;
    for (int side = 0; side < TAPS_SIDES; side++)
        recorder_rest(taps->recorder[side]);
    taps_compare(taps, NULL, lines);
    for (int side = 0; good && side < TAPS_SIDES; side++) {
        autofree char *to = xprintf("%s.%d/%s", taps->parent, part, side_names[side]);
        good = directory_make(to, err);
        each_file(to, remove_stream);
        if (good && rename(taps->folder[side], to) != 0)
            good = error_set(err, "taps: %s cannot be moved to %s: %m", taps->folder[side], to);
        good = good && directory_make(taps->folder[side], err);
    }
    return good;
}

bool taps_close_parts(struct taps *taps, struct error *err) {
    const bool good = taps_close(taps, err);
    for (int side = 0; side < TAPS_SIDES; side++) {
        each_file(taps->folder[side], remove_stream); /* begun after the last part */
        rmdir(taps->folder[side]);
    }
    rmdir(taps->parent);
    return good;
}

void taps_free(struct taps *taps) {
    taps_close(taps, NULL);
    histogram_set_free(&taps->counts);
    for (int side = 0; side < TAPS_SIDES; side++)
        free(taps->folder[side]);
    free(taps->parent);
}
