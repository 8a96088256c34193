/* The AXI slave memory: handshakes to the clock, order, stalls, regions, provenance. The cases of axi_memory.txt, and
 * runs of many bursts. */
#include "tb/axi_memory.h"
#include "tests/unit/axi_steps.h"
#include "tests/unit/test.h"

enum { BASE = 0x80000000, SIZE = 0x10000 };

/* A memory port with the signals of the present clock. */
struct bench {
    struct device dev;
    struct provenance *prov;
    struct axi_memory *mem;
    struct axi_outputs out;
    struct axi_inputs in;
    uint64_t cycle;
};

static void bench_release(struct bench *b) {
    axi_memory_free(b->mem);
    provenance_free(b->prov);
    device_release(&b->dev);
    free(b);
}
TEST_KEEPS(bench_keep, struct bench, bench_release)

static struct bench *bench_new(const struct axi_options *options, int bytes, int atom) {
    struct bench *b = xcalloc(1, sizeof *b);
    b->dev.config = nvdla_config_find("small");
    b->dev.memory[0] = memory_new();
    memory_declare(b->dev.memory[0], BASE, SIZE);
    b->prov = provenance_new(b->dev.config);
    b->mem = axi_memory_new(&b->dev, options, bytes, atom, 0, NULL);
    axi_memory_reset(b->mem, b->prov, &b->in);
    b->out.rready = b->out.bready = true;
    return bench_keep(b);
}

static struct axi_options defaults(void) {
    struct axi_options options;
    axi_options_default(&options);
    return options;
}

static struct bench *bench_default(void) {
    const struct axi_options options = defaults();
    return bench_new(&options, 8, 8);
}

/* Lets the rising edge of the present clock pass. */
static void edge(struct bench *b) {
    axi_memory_clock(b->mem, b->cycle++, &b->out, &b->in);
}

static void set_ar(struct bench *b, int id, uint64_t address, int beats) {
    b->out.arvalid = true;
    b->out.arid = (uint8_t)id;
    b->out.araddr = address;
    b->out.arlen = (uint8_t)(beats - 1);
}

static void set_aw(struct bench *b, int id, uint64_t address, int beats) {
    b->out.awvalid = true;
    b->out.awid = (uint8_t)id;
    b->out.awaddr = address;
    b->out.awlen = (uint8_t)(beats - 1);
}

static void set_w(struct bench *b, uint8_t value, uint64_t strobe, bool last) {
    b->out.wvalid = true;
    b->out.wstrb = strobe;
    b->out.wlast = last;
    memset(b->out.wdata, value, sizeof b->out.wdata);
}

static void idle(struct bench *b) {
    b->out.arvalid = b->out.awvalid = b->out.wvalid = false;
}

/* A write of one beat. */
static void set_write(struct bench *b, int id, uint64_t address, uint8_t value, uint64_t strobe) {
    set_aw(b, id, address, 1);
    set_w(b, value, strobe, true);
}

static uint8_t byte_at(const struct bench *b, uint64_t address) {
    uint8_t byte;
    memory_read(b->dev.memory[0], address, &byte, 1);
    return byte;
}

/* Clocks that pass until data of a read, or a response, is offered. */
static uint64_t wait_for(struct bench *b, bool response) {
    const uint64_t start = b->cycle;
    while (response ? !b->in.bvalid : !b->in.rvalid) {
        assert_true(b->cycle - start < 5000);
        edge(b);
    }
    return b->cycle - start;
}

/* Clocks from the acceptance of a read or write of one beat until its answer is sampled. */
static uint64_t access_time(struct bench *b, bool write, uint64_t address) {
    if (write) {
        set_write(b, 1, address, 1, 0xff);
        assert_true(b->in.awready && b->in.wready);
    } else
        set_ar(b, 1, address, 1);
    while (!write && !b->in.arready)
        edge(b);
    edge(b);
    idle(b);
    const uint64_t clocks = wait_for(b, write) + 1;
    edge(b);
    return clocks;
}

/* ---- cases of axi_memory.txt ---- */

/* BYTES ATOM OPTION=VALUE..., then "," and words. */
static void *begin(const char *title) {
    struct axi_options options = defaults();
    const struct {
        const char *name;
        uint32_t *to;
    } numbers[] = {{"read", &options.read_latency},
                   {"write", &options.write_latency},
                   {"hit", &options.page_hit},
                   {"miss", &options.page_miss}};
    char *words = kept(xprintf("%.*s", (int)strcspn(title, ","), title));
    const int bytes = atoi(strsep(&words, " ")), atom = atoi(strsep(&words, " "));
    for (char *word; (word = strsep(&words, " ")) != NULL;) {
        bool known = strcmp(word, "outside") == 0;
        options.allow_outside |= known;
        const char *value = word + strcspn(word, "=");
        const uint32_t number = *value ? (uint32_t)strtoul(value + 1, NULL, 0) : 0;
        word[strcspn(word, "=")] = '\0';
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            if (strcmp(word, numbers[i].name) == 0) {
                *numbers[i].to = number;
                known = true;
            }
        for (int i = 1; i < BUS_FAULT_KINDS; i++)
            if (strcmp(word, bus_fault_infos[i].name) == 0) {
                options.fault = (struct bus_fault){(enum bus_fault_kind)i, number};
                known = true;
            }
        assert_true(known);
        if (strcmp(word, "miss") == 0)
            options.latency_kind = LATENCY_PAGE;
    }
    return bench_new(&options, bytes, atom);
}

/* What the memory offers: ID, first byte and mark of the last beat; ID of a response. */
static void print_offer(const struct axi_inputs *in, FILE *found) {
    if (in->rvalid)
        fprintf(found, "r %d %d %d%s", in->rid, in->rdata[0], in->rdata[sizeof in->rdata / 2],
                in->rlast ? " last" : "");
    if (in->bvalid)
        fprintf(found, "%sb %d", in->rvalid ? ", " : "", in->bid);
}

static bool look_step(struct bench *b, const struct step *step, FILE *found) {
    const uint64_t n = strtoull(step->word[1], NULL, 0);
    struct memory_origin origin;
    if (step_is(step, "offer"))
        print_offer(&b->in, found);
    else if (step_is(step, "takes"))
        fprintf(found, "%d%d%d", b->in.arready, b->in.awready, b->in.wready);
    else if (step_is(step, "owes"))
        fprintf(found, "%d", axi_memory_owes(b->mem, &b->in));
    else if (step_is(step, "open"))
        fprintf(found, "%d", axi_memory_busy(b->mem));
    else if (step_is(step, "outside"))
        fprintf(found, "%" PRIu64, axi_memory_counts(b->mem)->outside);
    else if (step_is(step, "bytes"))
        for (uint64_t i = 0; i < step_number(step, 2); i++)
            fprintf(found, "%s%d", i ? " " : "", byte_at(b, BASE + n + i));
    else if (step_is(step, "origin")) {
        if (memory_origin_of(b->dev.memory[0], BASE + n, &origin))
            fprintf(found, "%" PRIu64 " %s %d %d", (uint64_t)origin.cycle, nvdla_unit_names[origin.unit], origin.axi_id,
                    origin.ordinal);
        else
            fputs("none", found);
    } else if (step_is(step, "finding")) {
        assert_true(n < b->dev.finding_count);
        fprintf(found, "%s at %" PRIu64 ": %s", b->dev.findings[n].rule, b->dev.findings[n].cycle,
                b->dev.findings[n].text);
    } else if (step_is(step, "findings"))
        fprintf(found, "%zu", b->dev.finding_count);
    else
        return false;
    return true;
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    if (step_is(step, "clock"))
        for (uint64_t i = 0; i < (step->count > 1 ? step_number(step, 1) : 1); i++)
            edge(b);
    else if (step_is(step, "until")) /* it is offered */
        fprintf(found, "%" PRIu64, wait_for(b, step->word[1][0] != 'r'));
    else if (step_is(step, "time"))
        fprintf(found, "%" PRIu64, access_time(b, step->word[1][0] != 'r', BASE + step_number(step, 2)));
    else if (step_is(step, "one")) { /* a write of one beat to its end */
        set_write(b, 1, BASE + step_number(step, 1), (uint8_t)step_number(step, 2), step_number(step, 3));
        edge(b);
        idle(b);
        wait_for(b, true);
        edge(b);
    } else if (step_is(step, "undeclare"))
        memory_undeclare(b->dev.memory[0], BASE + step_number(step, 1), step_number(step, 2));
    else if (step_is(step, "at"))
        b->cycle = step_number(step, 1);
    else if (step_is(step, "ar") || step_is(step, "aw")) { /* addresses from BASE on */
        struct step moved = *step;
        moved.word[2] = kept(xprintf("%llu", BASE + strtoull(step->word[2], NULL, 0)));
        return axi_design_step(&b->out, &moved);
    } else
        return axi_design_step(&b->out, step) || look_step(b, step, found);
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/axi_memory.txt", &(struct steps_player){begin, act});
}

/* ---- many bursts ---- */

TEST_ON(reads_and_writes_stream_one_beat_a_clock, struct bench *b, bench_default()) {
    for (uint64_t i = 0; i < 200; i++) {
        const uint8_t value = (uint8_t)(i + 1);
        memory_write(b->dev.memory[0], BASE + 8 * i, &value, 1, NULL, NULL);
    }
    uint64_t beats = 0, responses = 0;
    for (uint64_t i = 0; i < 240; i++) {
        idle(b);
        assert_true(b->in.arready && b->in.awready && b->in.wready);
        if (i < 200) {
            set_ar(b, i % 2 ? 1 : 5, BASE + 8 * i, 1);
            set_write(b, 1, BASE + 0x8000 + 8 * i, (uint8_t)i, 0xff);
        }
        assert_int_equal(b->in.rvalid, i >= 32 && i < 232);
        assert_int_equal(b->in.bvalid, i >= 4 && i < 204);
        if (b->in.rvalid) {
            assert_int_equal(b->in.rid, beats % 2 ? 1 : 5);
            assert_true(b->in.rlast);
            assert_int_equal(b->in.rdata[0], (uint8_t)(beats + 1));
            beats++;
        }
        responses += b->in.bvalid;
        edge(b);
    }
    assert_int_equal(beats, 200);
    assert_int_equal(responses, 200);
    for (uint64_t i = 0; i < 200; i++)
        assert_int_equal(byte_at(b, BASE + 0x8000 + 8 * i + 7), (uint8_t)i);
    assert_false(axi_memory_busy(b->mem));
    assert_int_equal(b->dev.finding_count, 0);
    assert_int_equal(axi_memory_counts(b->mem)->read_beats[1], 100);
    assert_int_equal(axi_memory_counts(b->mem)->write_beats[1], 200);
}

TEST_ON(uniform_latency_covers_its_range, struct axi_options options, defaults()) {
    options.latency_kind = LATENCY_UNIFORM;
    options.read_latency = 10;
    options.latency_max = 14;
    struct bench *b = bench_new(&options, 8, 8);
    int seen[5] = {0};
    for (int i = 0; i < 500; i++) {
        const uint64_t clocks = access_time(b, false, BASE);
        assert_in_range(clocks, 10, 14);
        seen[clocks - 10]++;
    }
    for (int i = 0; i < 5; i++)
        assert_in_range(seen[i], 60, 140);
}

TEST_ON(bandwidth_caps_both_directions_together, struct axi_options options, defaults()) {
    options.bandwidth = 250;
    struct bench *b = bench_new(&options, 8, 8);
    int reads = 0, writes = 0;
    for (int i = 0; i < 8000; i++) {
        set_ar(b, 1, BASE, 1);
        set_write(b, 1, BASE, 0, 0xff);
        reads += b->in.rvalid;
        writes += b->in.wready;
        edge(b);
    }
    assert_in_range(reads + writes, 1980, 2010);
    assert_in_range(reads, 900, 1100);
}

/* What a run of random traffic is played with, and what it saw. */
struct traffic {
    const struct axi_options *options;
    bool skip_quiet;    /* call axi_memory_clock only where axi_memory_next and the valids ask for it */
    uint64_t overtaken; /* read beats that came before an older one of another ID */
    uint64_t clocks;
    uint64_t ready[3]; /* clocks with valid and ready of AR, AW, W */
    uint64_t valid[3];
};

static uint32_t random_step(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A random design on one port: issues reads and writes, checks the order inside IDs and all data. Returns a hash of
 * what it saw and when. */
static uint64_t run_traffic(struct traffic *t, uint32_t seed) {
    enum { READS = 600, WRITES = 600, IDS = 4 };
    struct bench *b = bench_new(t->options, 8, 8);
    static const uint8_t ids[IDS] = {1, 2, 3, 5};
    uint64_t expected[16][READS];
    int head[16] = {0}, tail[16] = {0};
    int issued_reads = 0, seen_reads = 0, issued_aw = 0, issued_w = 0, responses = 0;
    uint64_t hash = 0;
    for (uint64_t i = 0; i < 2048; i++) {
        uint8_t bytes[8];
        for (int k = 0; k < 8; k++)
            bytes[k] = (uint8_t)(i * 8 + (uint64_t)k * 31 + i / 32);
        memory_write(b->dev.memory[0], BASE + 8 * i, bytes, 8, NULL, NULL);
    }
    bool answered[READS] = {false};
    int oldest = 0;          /* first read, in order of issue, that is not answered */
    int sequence[16][READS]; /* place of an ID's n-th read in the order of issue */
    while (seen_reads < READS || responses < WRITES) {
        assert_true(b->cycle < 200000);
        if (!b->out.arvalid && issued_reads < READS && random_step(&seed) % 3) {
            const int id = ids[random_step(&seed) % IDS];
            const uint64_t address = BASE + 8 * (random_step(&seed) % 2048);
            set_ar(b, id, address, 1);
            sequence[id][tail[id]] = issued_reads;
            expected[id][tail[id]++] = address;
            issued_reads++;
        }
        if (!b->out.awvalid && issued_aw < WRITES && issued_aw <= issued_w && random_step(&seed) % 3) {
            set_aw(b, ids[issued_aw % 3], BASE + 0x8000 + 8 * (uint64_t)issued_aw, 1);
            issued_aw++;
        }
        if (!b->out.wvalid && issued_w < WRITES && issued_w <= issued_aw && random_step(&seed) % 3) {
            set_w(b, (uint8_t)issued_w, 0xff, true);
            issued_w++;
        }
        b->out.rready = random_step(&seed) % 4;
        b->out.bready = random_step(&seed) % 4;
        if (b->in.rvalid && b->out.rready) {
            const int id = b->in.rid;
            assert_true(head[id] < tail[id]);
            uint8_t bytes[8];
            memory_read(b->dev.memory[0], expected[id][head[id]], bytes, 8);
            assert_memory_equal(bytes, b->in.rdata, 8);
            answered[sequence[id][head[id]]] = true;
            while (oldest < issued_reads && answered[oldest])
                oldest++;
            if (oldest < sequence[id][head[id]])
                t->overtaken++;
            head[id]++;
            seen_reads++;
            hash = hash * 31 + b->cycle * 16 + (uint64_t)id;
        }
        if (b->in.bvalid && b->out.bready) {
            responses++;
            hash = hash * 37 + b->cycle;
        }
        bool *const valid[3] = {&b->out.arvalid, &b->out.awvalid, &b->out.wvalid}, quiet = true, taken[3];
        const bool ready[3] = {b->in.arready, b->in.awready, b->in.wready};
        for (int c = 0; c < 3; c++) {
            quiet = quiet && !*valid[c];
            taken[c] = *valid[c] && ready[c];
            t->valid[c] += *valid[c];
            t->ready[c] += taken[c];
        }
        if (t->skip_quiet && quiet && b->cycle < axi_memory_next(b->mem))
            b->cycle++;
        else
            edge(b);
        for (int c = 0; c < 3; c++)
            *valid[c] = *valid[c] && !taken[c];
    }
    for (int i = 0; i < WRITES; i++)
        assert_int_equal(byte_at(b, BASE + 0x8000 + 8 * (uint64_t)i), (uint8_t)i);
    assert_int_equal(b->dev.finding_count, 0);
    t->clocks = b->cycle;
    return hash;
}

TEST(random_traffic_keeps_the_order_inside_ids) {
    for (uint32_t seed = 1; seed <= 12; seed++) {
        struct axi_options options = defaults();
        options.seed = seed;
        options.latency_kind = (enum latency_kind)(seed % 3);
        options.latency_max = 90;
        options.page_hit = 2;
        options.page_miss = 30;
        options.reorder = seed % 2;
        options.bandwidth = seed % 4 == 3 ? 600 : 1000;
        for (int i = 0; i < 5; i++)
            options.stall[i] = seed % 5 * 150;
        struct traffic t = {.options = &options};
        const uint64_t hash = run_traffic(&t, seed);
        assert_int_equal(t.overtaken != 0, options.reorder);
        /* The same seed gives the same run, also if quiet clocks are left out. */
        struct traffic again = {.options = &options, .skip_quiet = true};
        assert_true(run_traffic(&again, seed) == hash);
        assert_int_equal(again.clocks, t.clocks);
        if (seed % 5) {
            options.seed = seed + 100;
            assert_false(run_traffic(&again, seed) == hash);
        }
    }
}

TEST(stalls_take_their_share_of_each_channel) {
    static const int channels[3] = {STALL_AR, STALL_AW, STALL_W};
    for (int c = 0; c < 3; c++) {
        struct axi_options options = defaults();
        options.stall[channels[c]] = 750;
        struct traffic t = {.options = &options};
        run_traffic(&t, 3);
        for (int i = 0; i < 3; i++) {
            const uint64_t share = 100 * t.ready[i] / t.valid[i];
            if (i == c)
                assert_in_range(share, 21, 29);
            else
                assert_int_equal(share, 100);
        }
    }
}

TEST_ON(idle_inputs_do_not_change, struct axi_options options, defaults()) {
    for (int i = 0; i < 5; i++)
        options.stall[i] = 500;
    struct bench *b = bench_new(&options, 8, 8);
    const struct axi_inputs before = b->in;
    for (int i = 0; i < 100; i++)
        edge(b);
    assert_memory_equal(&before, &b->in, sizeof before);
    assert_true(axi_memory_next(b->mem) == UINT64_MAX);
}

TEST_ON(a_design_without_end_is_held_back, struct axi_options options, defaults()) {
    options.read_latency = options.write_latency = 100000;
    struct bench *b = bench_new(&options, 8, 8);
    int reads = 0, writes = 0, beats = 0;
    for (int i = 0; i < 3000; i++) {
        set_ar(b, 1, BASE, 1);
        set_write(b, 1, BASE, 0, 0xff);
        reads += b->in.arready;
        writes += b->in.awready;
        beats += b->in.wready;
        edge(b);
    }
    assert_in_range(reads, 256, 1024);
    assert_in_range(writes, 256, 1024);
    assert_in_range(beats, writes, writes + 64);
}

static struct axi_beat last_beat;
static uint8_t last_data;
static int beats_heard;

static void hear(void *context, const struct axi_beat *beat) {
    (void)context;
    last_beat = *beat;
    last_data = beat->data[0];
    beats_heard++;
}

TEST_ON(every_beat_is_heard, struct bench *b, bench_default()) {
    axi_memory_listen(b->mem, (struct axi_listener){.beat = hear});
    beats_heard = 0;
    access_time(b, true, BASE + 16);
    assert_int_equal(beats_heard, 1);
    assert_true(last_beat.write && last_beat.address == BASE + 16 && last_beat.id == 1 && last_beat.bytes == 8);
    const uint8_t written = last_data;
    access_time(b, false, BASE + 16);
    assert_int_equal(beats_heard, 2);
    assert_true(!last_beat.write && last_beat.address == BASE + 16 && last_data == written);
}
