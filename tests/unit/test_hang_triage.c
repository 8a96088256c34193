/* The chain of waits on made-up stops of a small convolution and of an SDP layer from memory: which engine is named. */
#include <ctype.h>

#include "layers/tracker.h"
#include "nvdla/clients.h"
#include "replay/hang_facts.h"
#include "replay/hang_triage.h"
#include "tb/observers/waits.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"

struct stop {
    struct program prog;
    struct device dev;
    struct device_waits waits;
    struct layer_tracker *launches;
    struct hang hang;
    struct op ops[2]; /* of the trace */
    int events[2];    /* that it waits for */
};

static void put(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct stop *s = context;
    const uint32_t address = nvdla_unit_base(s->prog.config, unit) + offset;
    layer_tracker_write(s->launches, address, value, layer_tracker_count(s->launches));
}

static void set(struct stop *s, const char *text) {
    register_text(s->prog.config, text, put, s);
}

/* Arms a unit; running: its launch has not ended. */
static void arm(struct stop *s, enum nvdla_unit unit, bool running) {
    put(s, unit,
        nvdla_register_find(s->prog.config, unit, "D_OP_ENABLE")->address - nvdla_unit_base(s->prog.config, unit), 1);
    if (running)
        s->hang.armed[s->hang.armed_count++] = (struct hang_armed){.unit = unit};
}

TEST_KEEPS(keep_launches, struct layer_tracker, layer_tracker_free)

static struct stop *begin(const char *config) {
    struct stop *s = test_new(sizeof *s);
    s->prog.config = nvdla_config_find(config);
    s->launches = keep_launches(layer_tracker_new(s->prog.config));
    waits_begin(&s->waits, 5000);
    s->waits.moved = 1000;
    s->waits.inside = true;
    s->waits.launches = s->launches;
    for (int i = 0; i < WAIT_COUNT; i++)
        s->waits.pairs[i].counted = s->waits.pairs[i].seen = true;
    s->hang = (struct hang){.prog = &s->prog, .dev = &s->dev, .waits = &s->waits, .answers = true, .events = s->events};
    s->prog.ops = s->ops;
    strcpy(s->waits.states[WAIT_STATE_CDMA_DAT].value, "Idle");
    strcpy(s->waits.states[WAIT_STATE_CDMA_WT].value, "Idle");
    strcpy(s->waits.states[WAIT_STATE_CSC].value, "Run");
    s->waits.counters[WAIT_COUNTER_CREDITS].value = 4 * 8;
    return s;
}

/* What the triage of a stop finds has this line. */
static void end(struct stop *s, const char *expected) {
    struct hang_triage *triage = hang_triage_new(&s->hang);
    char *found = NULL;
    size_t size;
    assert_non_null(triage);
    FILE *out = xmemstream(&found, &size);
    fprintf(out, "\n%s\n%s\nsays %s\nlaunch %d, cycle %" PRIu64 "\nchain", nvdla_engines[triage->engine].name,
            triage->inside ? "inside" : "outside", triage->sentence, triage->ordinal, triage->cycle);
    for (size_t i = 0; i < triage->chain_count; i++)
        fprintf(out, " %s", triage->chain[i].engine->name);
    for (size_t i = 0; i < triage->link_count; i++) {
        const struct hang_link *link = &triage->links[i];
        if (link->stuck && link->counted)
            fprintf(out, "\nstuck %s %" PRIu64 " of %" PRIu64 ", %" PRIu64 " owed", link->pair->name, link->moved,
                    link->required, link->owed);
    }
    xmemstream_close(out);
    if (!strstr(kept(xprintf("%s\n", found)), kept(xprintf("\n%s\n", expected))))
        fail_msg("expected the line '%s', found '%s'", expected, found);
    free(found);
    hang_triage_free(triage);
    waits_begin(&s->waits, 0);
}

/* ---- hang_triage.txt ---- */

/* Number of a name in a list of rtl/waits.csv, without what all of them begin with; -1: there is none. */
static int number_in(const char *const *names, int count, size_t prefix, const char *name) {
    int index = count - 1;
    while (index >= 0 && strcmp(names[index] + prefix, name) != 0)
        index--;
    return index;
}

#define NAME(index, ...) #index,

static int pair_named(const char *name) {
    static const char *const names[] = {WAIT_PAIRS(NAME)};
    const int index = number_in(names, WAIT_COUNT, strlen("WAIT_"), name);
    if (index < 0)
        fail_msg("there is no pair %s", name);
    return index;
}

/* A client of the memory, READ_SDP or WRITE_SDP, and a number: "READ_SDP:16"; "READ_SDP:12:10": 10 are given. */
static void set_beats(struct stop *s, char *text, bool write) {
    const char *name = strsep(&text, ":"), *asked = strsep(&text, ":"), *given = text ? text : asked;
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++) {
        const struct nvdla_client_facts *facts = &nvdla_clients[client];
        if (facts->write != write || strcmp(facts->name, strchr(name, '_') + 1) != 0)
            continue;
        uint64_t(*first)[16] = write ? s->waits.written : s->waits.read_asked;
        uint64_t(*second)[16] = write ? s->waits.acknowledged : s->waits.read_given;
        first[0][facts->id] = strtoull(asked, NULL, 0);
        second[0][facts->id] = strtoull(given, NULL, 0);
        return;
    }
    fail_msg("there is no client %s", name);
}

/* Nothing inside the design is seen. */
static void see_outside(struct stop *s, bool borders) {
    s->waits.inside = false;
    s->waits.borders = borders;
    for (int i = 0; i < WAIT_COUNT && !borders; i++)
        s->waits.pairs[i].counted = s->waits.pairs[i].seen = false;
}

static void add_hang(struct stop *s, enum nvdla_unit unit) {
    s->hang.armed[s->hang.armed_count++] = (struct hang_armed){.unit = unit};
}

static bool set_counter(struct stop *s, const char *name, const char *value) {
    static const char *const names[] = {WAIT_COUNTERS(NAME)}, *const states[] = {WAIT_STATES(NAME)};
    const int counter = strncmp(name, "counter.", 8) != 0
                            ? -1
                            : number_in(names, WAIT_COUNTER_COUNT, strlen("WAIT_COUNTER_"), name + 8);
    const int state =
        strncmp(name, "state.", 6) != 0 ? -1 : number_in(states, WAIT_STATE_COUNT, strlen("WAIT_STATE_"), name + 6);
    if (counter >= 0)
        s->waits.counters[counter].value = (uint32_t)atoi(value);
    else if (state >= 0)
        snprintf(s->waits.states[state].value, sizeof s->waits.states[state].value, "%s", value);
    return counter >= 0 || state >= 0;
}

/* The trace notifies of an interrupt by its next event. */
static void add_notify(struct stop *s, const char *name) {
    struct op *op = &s->ops[s->prog.count];
    *op = op_make(OP_INTR_NOTIFY, 1);
    op->bit = nvdla_interrupt_bit(name);
    op->event = (int)s->prog.count++;
}

static void add_burst(struct stop *s, const char *text) {
    struct wait_burst burst = {.write = false};
    assert_int_equal(sscanf(text, "%d:%d", &burst.id, &burst.beats), 2);
    s->waits.bursts = xgrow(s->waits.bursts, s->waits.burst_count, sizeof burst);
    s->waits.bursts[s->waits.burst_count++] = burst;
}

/* Does what a word NAME=VALUE says; `unit`: of registers. */
static void assign(struct stop *s, const char *unit, const char *name, char *value) {
    struct wait_pair *pairs = s->waits.pairs;
    if (strncmp(name, "D_", 2) == 0)
        set(s, kept(xprintf("%s %s=%s", unit, name, value)));
    else if (strcmp(name, "arm") == 0 || strcmp(name, "run") == 0)
        arm(s, nvdla_unit_find(value), name[0] == 'r');
    else if (strcmp(name, "hangs") == 0)
        add_hang(s, nvdla_unit_find(value));
    else if (strcmp(name, "read") == 0 || strcmp(name, "write") == 0)
        set_beats(s, value, name[0] == 'w');
    else if (strcmp(name, "later") == 0)
        pairs[pair_named(value)].last++;
    else if (strcmp(name, "counted") == 0)
        pairs[pair_named(value)].counted = true;
    else if (strcmp(name, "offer") == 0 || strcmp(name, "accept") == 0) {
        pairs[pair_named(value)].valid = name[0] == 'o';
        pairs[pair_named(value)].ready = name[0] == 'a';
    } else if (strcmp(name, "status") == 0)
        s->hang.intr_status = (uint32_t)strtoul(value, NULL, 0);
    else if (strcmp(name, "notify") == 0)
        add_notify(s, value);
    else if (strcmp(name, "awaits") == 0)
        s->events[s->hang.event_count++] = atoi(value);
    else if (strcmp(name, "burst") == 0)
        add_burst(s, value);
    else if (!set_counter(s, name, value)) {
        struct wait_pair *pair = &pairs[pair_named(name)];
        pair->moved = strtoull(value, NULL, 0);
        pair->last = pair->moved ? 1000 : 0;
    }
}

/* The logical rows of the file, with those that continue them. */
static char *next_row(char **rest) {
    char *row = test_row(rest);
    while (row && *rest && **rest == ' ') {
        (*rest)[-1] = ' ';
        strsep(rest, "\n");
    }
    return row;
}

static struct stop *stop_of(struct stop *s, const char *words);

/* The words of a part; NULL: there is no such part. */
static const char *part_named(const char *name) {
    char *rest = test_text("tests/unit/hang_triage.txt");
    const size_t n = strlen(name);
    for (const char *row; (row = next_row(&rest)) != NULL;)
        if (strncmp(row, name, n) == 0 && row[n] == ':' && !isupper((unsigned char)name[0]))
            return row + n + 1;
    return NULL;
}

/* Makes a stop of the words, or adds them to one. */
static struct stop *stop_of(struct stop *s, const char *words) {
    char *rest = kept(xprintf("%s", words));
    const char *unit = "", *part;
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        if (!*word)
            continue;
        if (value && strcmp(word, "config") == 0)
            s = begin(value);
        else if (value)
            assign(s, unit, word, value);
        else if (strcmp(word, "ended") == 0)
            s->hang.armed_count = 0;
        else if (strcmp(word, "borders") == 0 || strcmp(word, "ports") == 0)
            see_outside(s, word[0] == 'b');
        else if ((part = part_named(word)) != NULL)
            s = stop_of(s, part);
        else
            unit = word;
    }
    return s;
}

TEST(the_engine_is_named) {
    char *rest = test_text("tests/unit/hang_triage.txt");
    int cases = 0;
    for (char *row; (row = next_row(&rest)) != NULL;) {
        char *engine = strstr(row, " => ");
        if (!engine)
            continue;
        *engine = '\0';
        end(stop_of(NULL, row), engine + strlen(" => "));
        cases++;
    }
    assert_true(cases > 20);
}
