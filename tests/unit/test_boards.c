/* Scoreboards on traffic made up for the purpose: what engines tell each other and CACC's credits, CBUF, and the memory
 * interface. The engine that gets it wrong is named, and no other one. Cases of boards.txt. */
#include "tb/observers/account_board.h"
#include "tb/observers/cbuf_board.h"
#include "tb/observers/mif_board.h"
#include "tests/unit/register_steps.h"
#include "tests/unit/stream_steps.h"
#include "tests/unit/test.h"

enum { MOST = 8 };

struct bench {
    struct shown_streams shown;
    uint32_t moves[2 * MOVE_WORDS];
    uint64_t cycle;
    struct observer observer;
    struct account account;
    struct cbuf_board *cbuf;
    struct scoreboard result;
    struct tap_listeners listeners;
    struct mif_board *mif;
    struct mif_difference told[MOST];
    int count;
};

static const uint32_t *read_words(void *context, enum rtl_stream stream, int count) {
    struct bench *b = context;
    assert_true(count <= STREAM_WORDS);
    return b->shown.words[stream];
}

static struct tap_sink open_nothing(void *context, const struct tap_stream *stream) {
    (void)context;
    (void)stream;
    return (struct tap_sink){.elements = NULL};
}

static void take(void *context, const struct mif_difference *difference) {
    struct bench *b = context;
    assert_true(b->count < MOST);
    b->told[b->count++] = *difference;
}

TEST_KEEPS(keep_board, struct mif_board, mif_board_free)

/* "accounts small", "cbuf full wide": the design writes data in parts of an entry; "mif full". */
static void *begin(const char *title) {
    struct bench *b = test_new(sizeof *b);
    struct stream_source source = {.context = b, .read = read_words};
    char kind[16], config[32];
    const bool wide = strstr(title, " wide") != NULL;
    assert_int_equal(sscanf(title, "%15s %31[a-z_0-9]", kind, config), 2);
    b->shown.config = nvdla_config_find(config);
    memset(source.has, true, sizeof source.has);
    if (strcmp(kind, "mif") == 0) {
        tap_listen(&b->listeners, (struct tap_listener){.context = b, .open = open_nothing, .memory = take});
        b->mif = keep_board(mif_board_new(b->shown.config, &b->listeners));
        mif_board_compare(b->mif, true);
        return b;
    }
    if (strcmp(kind, "cbuf") == 0) {
        source.has[STREAM_CBUF_WR_DAT] = !wide;
        b->cbuf = cbuf_board_new(b->shown.config, &source, &b->result);
        cbuf_board_compare(b->cbuf, true);
        b->observer = cbuf_board_observer(b->cbuf);
    } else {
        source.has[STREAM_CBUF_DAT] = !wide;
        b->observer = account_board_observer(account_board_new(b->shown.config, &source, &b->account));
    }
    test_keep(b->observer.context, b->observer.release);
    b->observer.reset(b->observer.context);
    return b;
}

static void moved(struct bench *b) {
    b->observer.moved(b->observer.context, b->cycle++, b->moves);
    memset(b->moves, 0, sizeof b->moves);
}

static void move(struct bench *b, enum rtl_stream stream) {
    b->moves[stream / 32] |= UINT32_C(1) << stream % 32;
}

/* So many clocks in which a stream moves. */
static void beats(struct bench *b, enum rtl_stream stream, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        move(b, stream);
        moved(b);
    }
}

/* A stream of an entry: all its lanes have the byte. */
static void entry(struct bench *b, const struct step *step) {
    const enum rtl_stream stream = stream_named(step->word[1]);
    const struct stream_layout layout = rtl_stream_layout(b->shown.config, stream);
    memset(b->shown.words[stream], (int)step_number(step, 3), (size_t)layout.lanes);
    b->shown.words[stream][layout.address] = stream_value(step, 2);
    if (layout.flags >= 0)
        b->shown.words[stream][layout.flags] = stream_value(step, 4);
    move(b, stream);
}

static void print_difference(const struct scoreboard *result, const struct step *step, FILE *found) {
    const struct scoreboard_difference *first = &result->first;
    fprintf(found, "%" PRIu64, result->compared);
    if (!first->port)
        return;
    fprintf(found, " %s entry %" PRIu64 " of %zu bytes at %" PRIu64 ":", first->port, first->address, first->bytes,
            first->cycle);
    for (size_t i = 1; i < step->count; i++)
        fprintf(found, " %d/%d", first->expected[step_number(step, i)], first->got[step_number(step, i)]);
}

static bool stream_step(struct bench *b, const struct step *step, FILE *found) {
    if (step_is_writes(step))
        FOR_WRITES(b->shown.config, step,
                   b->observer.write(b->observer.context, write_.address, write_.value, b->cycle))
    else if (step_is(step, "beat"))
        beats(b, stream_named(step->word[1]), step->count > 2 ? stream_value(step, 2) : 1);
    else if (step_is(step, "rows"))
        for (uint32_t i = 0; i < stream_value(step, 1); i++) {
            beats(b, STREAM_ROW_ISSUED, 1);
            beats(b, STREAM_CACC_SAT, stream_value(step, 2));
            beats(b, STREAM_ROW_CREDIT, stream_value(step, 3));
        }
    else if (step_is(step, "tell")) {
        memcpy(b->shown.words[stream_named(step->word[1])],
               ((const uint32_t[]){stream_value(step, 2), stream_value(step, 3)}), 8);
        move(b, stream_named(step->word[1]));
        moved(b);
    } else if (step_is(step, "account")) {
        if (b->account.differs)
            fprintf(found, "%s at %" PRIu64 ": %s", nvdla_engine_folder(b->account.engine), b->account.cycle,
                    b->account.text);
        else
            fprintf(found, "%" PRIu64, b->account.entries);
    } else if (step_is(step, "entry"))
        entry(b, step);
    else if (step_is(step, "clock"))
        moved(b);
    else if (step_is(step, "at"))
        b->cycle = step_number(step, 1);
    else if (step_is(step, "compare"))
        cbuf_board_compare(b->cbuf, step_number(step, 1));
    else if (step_is(step, "found"))
        print_difference(&b->result, step, found);
    else if (step_is(step, "reset"))
        b->observer.reset(b->observer.context);
    else
        return stream_shown_step(&b->shown, step);
    return true;
}

static const uint8_t *bytes_of(int value) {
    static uint8_t atom[TAP_ATOM];
    memset(atom, value, sizeof atom);
    return atom;
}

static enum nvdla_client client_of(const char *name) {
    for (enum nvdla_client client = 0; client < NVDLA_CLIENT_COUNT; client++) {
        const struct nvdla_client_facts *facts = &nvdla_clients[client];
        const size_t n = strlen(facts->write ? "write:" : "read:");
        if (strncmp(name, facts->write ? "write:" : "read:", n) == 0 && strcmp(name + n, facts->name) == 0)
            return client;
    }
    fail_msg("%s: no such client", name);
    return NVDLA_CLIENT_COUNT;
}

static void print_told(const struct bench *b, FILE *found) {
    static const char *const faults[] = {
        [MIF_ADDRESS] = "address", [MIF_BYTES] = "bytes", [MIF_UNASKED] = "unasked", [MIF_UNANSWERED] = "unanswered"};
    for (int i = 0; i < b->count; i++) {
        const struct mif_difference *told = &b->told[i];
        fprintf(found, "%s%s %s #%d at %" PRIu64 ": 0x%" PRIx64 "/0x%" PRIx64 " %d/%d", i ? ", " : "",
                nvdla_clients[told->client].name, faults[told->fault], told->ordinal, told->cycle, told->address,
                told->port_address, told->expected[0], told->got[0]);
    }
}

static bool memory_step(struct bench *b, const struct step *step, FILE *found) {
    struct mif_atom atom = {0};
    int ordinal = -1;
    if (step_is(step, "told"))
        print_told(b, found);
    else if (step_is(step, "compare"))
        mif_board_compare(b->mif, step_number(step, 1));
    else if (step_is(step, "reset"))
        mif_board_reset(b->mif);
    else if (step_is(step, "ask"))
        mif_board_ask(b->mif, client_of(step->word[1]), (int)step_number(step, 2), step_number(step, 3),
                      (int)step_number(step, 4), atoi(step->word[5]));
    else if (step_is(step, "axi") || step_is(step, "atom")) {
        const enum nvdla_client client = client_of(step->word[1]);
        const uint64_t cycle = step_number(step, 2);
        const uint8_t *bytes = strcmp(step->word[3], "-") == 0 ? NULL : bytes_of((int)step_number(step, 3));
        if (step_is(step, "axi") ? mif_board_axi(b->mif, client, 0, cycle, 3, step_number(step, 4), bytes, &atom)
                                 : mif_board_atom(b->mif, client, cycle, bytes, &atom))
            fprintf(found, "0x%" PRIx64 " #%d at %" PRIu64, atom.address, atom.ordinal, atom.cycle);
    } else if (step_is(step, "wants")) {
        const bool wanted = mif_board_wants(b->mif, client_of(step->word[1]), step_number(step, 2),
                                            strcmp(step->word[3], "again") == 0, &ordinal);
        fprintf(found, "%d", wanted);
        if (ordinal >= 0)
            fprintf(found, " #%d", ordinal);
    } else if (step_is(step, "begins"))
        fprintf(found, "%d", mif_board_begins(b->mif, client_of(step->word[1]), strcmp(step->word[2], "again") == 0));
    else
        return false;
    return true;
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    return b->mif ? memory_step(b, step, found) : stream_step(b, step, found);
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/boards.txt", &(struct steps_player){begin, act});
}

/* Many pieces under way at the same time, not aligned. */
TEST(legal_traffic_is_equal) {
    struct mif_atom atom;
    struct bench *b = begin("mif small");
    for (uint64_t i = 0; i < 300; i++)
        mif_board_ask(b->mif, NVDLA_READ_SDP, 0, 0x1000 + 32 * i + i % 8, 4, -1);
    for (int i = 0; i < 1200; i++)
        assert_false(
            mif_board_axi(b->mif, NVDLA_READ_SDP, 0, 10, 3, 0x1000 + 8 * (uint64_t)i, bytes_of(i % 251), &atom));
    for (int i = 0; i < 1200; i++) {
        assert_true(mif_board_atom(b->mif, NVDLA_READ_SDP, 20, bytes_of(i % 251), &atom));
        assert_true(atom.address == 0x1000 + 8 * (uint64_t)i && atom.cycle == 20 && atom.ordinal == 3);
    }
    assert_int_equal(b->count, 0);
}

TEST(a_table_without_the_streams_has_no_scoreboard) {
    struct account account;
    struct scoreboard result;
    struct stream_source source = {.read = read_words};
    assert_null(account_board_new(nvdla_config_find("small"), &source, &account));
    memset(source.has, true, sizeof source.has);
    source.has[STREAM_CBUF_RD_WT] = false;
    assert_null(cbuf_board_new(nvdla_config_find("small"), &source, &result));
}
