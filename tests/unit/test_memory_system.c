/* The memory system: order and clocks of answers, sharing of accesses, limits of the interconnect, the arbiter between
 * masters, and their statistics. */
#include "dram/system.h"
#include "tests/unit/memories.h"
#include "tests/unit/test.h"

/* A port that asks for reads as fast as the system takes them. */
struct port {
    struct memory_system *system;
    uint64_t cycle, asked, answered, address;
    uint32_t bytes;
    bool busy[SYSTEM_TAGS];
};

static struct memory_system *open_system(const char *memory, const char *const *streams) {
    const struct dram_config config = memory_of(memory);
    struct traffic_options traffic = {.count = 0};
    struct error err = {.text = ""};
    for (; streams && *streams; streams++)
        if (!traffic_read(*streams, &traffic, &err))
            fail_msg("%s", err.text);
    struct memory_system *system = memory_system_new(&config, &traffic, 1, &err);
    if (!system)
        fail_msg("%s", err.text);
    return system;
}

static void port_clock(struct port *port) {
    uint32_t tag;
    bool write;
    memory_system_advance(port->system, port->cycle);
    while (memory_system_done(port->system, port->cycle, &tag, &write)) {
        assert_true(port->busy[tag]);
        port->busy[tag] = false;
        port->answered++;
    }
    tag = (uint32_t)(port->asked % SYSTEM_TAGS);
    if (memory_system_ready(port->system, false) && !port->busy[tag]) {
        memory_system_submit(port->system, port->cycle, false, 8, port->address, port->bytes, tag);
        port->busy[tag] = true;
        port->address += port->bytes;
        port->asked++;
    }
    port->cycle++;
}

/* Bytes a clock that the port gets over so many clocks. */
static double bytes_per_clock(const char *memory, uint32_t bytes, uint64_t cycles) {
    struct port port = {.system = open_system(memory, NULL), .bytes = bytes};
    while (port.cycle < cycles)
        port_clock(&port);
    memory_system_free(port.system);
    return (double)port.answered * bytes / (double)cycles;
}

TEST(streams_get_the_bandwidth) {
    assert_true(bytes_per_clock("ddr4-2400", 64, 100000) >= 0.90 * 19.2);
    assert_true(bytes_per_clock("ddr4-2400,reads=512", 32, 100000) >= 0.90 * 19.2); /* two share an access */
    assert_true(bytes_per_clock("ddr4-2400,merge=no", 32, 100000) <= 0.5 * 19.2);
    assert_true(bytes_per_clock("lpddr4-3200", 64, 100000) >= 0.90 * 12.8);
    assert_true(bytes_per_clock("ddr4-2400", 8, 100000) >= 0.97 * 8);        /* a narrow port is the limit */
    const double limited = bytes_per_clock("ddr4-2400,reads=2", 64, 100000); /* two at a time, each some 40 clocks */
    assert_true(limited > 2.5 && limited < 4);
}

/* The clock ratio, and the clocks of the interconnect. */
TEST(latency_is_that_of_the_parameters) {
    static const struct {
        const char *memory;
        uint64_t clocks;
    } cases[] = {
        {"ddr4-2400,core_mhz=1200,latency=0,refresh=no", 1 + 1 + 16 + 16 + 4}, /* to the controller, ACT, READ, data */
        {"ddr4-2400,core_mhz=1200,latency=20,refresh=no", 20 + 1 + 1 + 16 + 16 + 4},
        {"ddr4-2400,core_mhz=600,latency=0,refresh=no", (1 + 1 + 16 + 16 + 4) / 2},
        {"ddr4-2400,core_mhz=100,latency=0,refresh=no", (1 + 1 + 16 + 16 + 4 + 11) / 12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct memory_system *system = open_system(cases[i].memory, NULL);
        uint32_t tag;
        bool write;
        memory_system_submit(system, 0, false, 8, 64, 64, 5);
        uint64_t cycle = 0;
        while (cycle < 1000 && !memory_system_done(system, cycle, &tag, &write)) {
            const uint64_t next = memory_system_next(system, cycle);
            assert_true(next > cycle);
            cycle = next;
            memory_system_advance(system, cycle);
        }
        assert_int_equal(cycle, cases[i].clocks);
        assert_int_equal(tag, 5);
        assert_false(write);
        assert_int_equal(memory_system_next(system, cycle), UINT64_MAX);
        memory_system_free(system);
    }
}

/* Calls in every clock and calls when something can happen give the same answers at the same clocks. */
TEST(answers_do_not_depend_on_the_calls) {
    static const char *const streams[] = {"pattern=random,rate=3000,writes=400", NULL};
    for (int lazy = 0; lazy < 2; lazy++) {
        struct memory_system *system = open_system("lpddr4-3200,core_mhz=700", streams);
        static uint64_t clocks[2][300];
        size_t answered = 0;
        uint32_t tag;
        bool write;
        for (uint64_t cycle = 0; answered < 300; cycle++) {
            if (cycle % 37 == 0 && cycle / 37 < 300) {
                memory_system_advance(system, cycle);
                memory_system_submit(system, cycle, cycle % 74 != 0, 1, cycle * 4096, 64, (uint32_t)(cycle / 37));
            }
            if (lazy && memory_system_next(system, cycle - 1) > cycle)
                continue;
            memory_system_advance(system, cycle);
            while (memory_system_done(system, cycle, &tag, &write))
                clocks[lazy][answered++] = cycle << 16 | tag;
        }
        if (lazy)
            assert_memory_equal(clocks[0], clocks[1], sizeof clocks[0]);
        memory_system_free(system);
    }
}

/* Bytes of each master while all of them ask for more than there is. */
static void compete(const char *memory, const char *const *streams, double shares[4]) {
    struct port port = {.system = open_system(memory, streams), .bytes = 64};
    while (port.cycle < 200000)
        port_clock(&port);
    const struct memory_statistics *statistics = memory_system_statistics(port.system, port.cycle);
    double all = 0;
    for (size_t m = 0; m < statistics->master_count; m++)
        all += shares[m] = (double)(statistics->masters[m].read.count * 64);
    for (size_t m = 0; m < statistics->master_count; m++)
        shares[m] /= all;
    memory_system_free(port.system);
}

TEST(arbiters_share_the_memory) {
    static const char *const streams[] = {"name=a,rate=30000,outstanding=64,base=1G,weight=2,priority=1",
                                          "name=b,rate=30000,outstanding=64,base=2G,weight=5,priority=3", NULL};
    double shares[4];
    compete("ddr4-2400,arbiter=round-robin", streams, shares);
    for (int m = 0; m < 3; m++)
        assert_true(shares[m] > 0.30 && shares[m] < 0.37);
    compete("ddr4-2400,arbiter=weight,weight=3", streams, shares);
    assert_true(shares[0] > 0.27 && shares[0] < 0.33 && shares[1] > 0.17 && shares[1] < 0.23 && shares[2] > 0.47);
    compete("ddr4-2400,arbiter=priority,priority=2", streams, shares);
    assert_true(shares[2] > 0.9 && shares[0] > shares[1]);
}

/* What a stream asks for is what it gets, where there is enough. */
TEST(streams_keep_their_rate) {
    static const char *const streams[] = {"name=a,rate=1000,writes=500,pattern=random",
                                          "name=b,rate=250,burst=16,bytes=256", NULL};
    struct memory_system *system = open_system("ddr4-2400", streams);
    memory_system_advance(system, 1000000);
    const struct memory_statistics *statistics = memory_system_statistics(system, 1000000);
    const struct memory_master *a = &statistics->masters[1], *b = &statistics->masters[2];
    assert_true(a->read_bytes + a->write_bytes > 990000 && a->read_bytes + a->write_bytes < 1010000);
    assert_true(a->write_bytes > 450000 && a->write_bytes < 550000);
    assert_true(b->read_bytes > 245000 && b->read_bytes < 255000 && b->write_bytes == 0);
    uint64_t counted = 0;
    for (int bin = 0; bin < LATENCY_BINS; bin++)
        counted += b->read.bins[bin];
    assert_int_equal(counted, b->read.count);
    memory_system_free(system);
}

/* Names are known without Python, and only its lines are taken. */
TEST(wrong_lines_are_refused) {
    struct error err;
    struct dram_config config;
    autofree char *line = dram_config_line("ddr4-2400", NULL, &err);
    const size_t n = strlen(line);
    for (size_t i = 0; i < n; i++)
        for (const char was = line[i], *wrong = "-,"; wrong[0]; wrong++, line[i] = was) {
            line[i] = wrong[0] == ',' ? '\0' : '-';
            assert_false(dram_config_read("ddr4-2400", line, &config, &err));
        }
    autofree char *library = xprintf("%.*s7:./no.so0:", (int)n - 4, line), *more = xprintf("%s ", line);
    assert_false(dram_config_read("a/b,c", library, &config, &err));
    assert_non_null(strstr(err.text, "a/b: library: ./no.so: "));
    assert_false(dram_config_read("a/b,c", more, &config, &err));
    assert_string_equal(config.name, "");
    assert_true(dram_config_read("./x/y.yml,a=b", line, &config, &err));
    assert_string_equal(config.name, "y.yml");
}

TEST(wrong_streams_are_refused) {
    struct traffic_options traffic = {.count = 0};
    struct error err;
    assert_false(traffic_read("rate=none", &traffic, &err));
    assert_non_null(strstr(err.text, "rate: found 'none', expected MB/s"));
    assert_false(traffic_read("speed=3", &traffic, &err));
    assert_non_null(strstr(err.text, "expected KEY=VALUE with name, pattern"));
    assert_false(traffic_read("size=16,bytes=64", &traffic, &err));
    assert_non_null(strstr(err.text, "size: found 16, expected at least bytes, 64"));
}
