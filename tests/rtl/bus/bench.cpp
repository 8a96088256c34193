// Register bus, GLB, register windows and reset of NV_nvdla, at several relations of the two clocks.
//
// The expected contents of the register space come from the generated tables (csrc/nvdla/registers.h). Spec: 10-system.
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "Vbench.h"
#include "common/bench.h"
#include "verilated.h"
extern "C" {
#include "nvdla/registers.h"
}

const uint64_t usual_seeds = 20;

namespace {

enum : uint32_t {
    GLB = 0x1000,
    MCIF = 0x2000,
    SDP_RDMA = 0x8000,
    SDP = 0x9000,
    PDP = 0xb000,
    INTR_MASK = GLB + 4,
    INTR_SET = GLB + 8,
    INTR_STATUS = GLB + 12
};
struct Request {
    bool write, nposted;
    uint32_t address, data; // byte address
};
struct Response {
    bool complete; // of a non-posted write, else read data
    uint32_t data;
    uint64_t time;
};

// NV_nvdla with two clocks of their own periods and the CSB pins. Time in units of which both half periods are whole
// numbers.
class Bus {
  public:
    Bus(uint64_t csb_half, uint64_t core_half) : csb_half_(csb_half), core_half_(core_half) {
        top_.dla_reset_rstn = 0;
        top_.direct_reset_ = 1;
        top_.nvdla_core2dbb_ar_arready = 1;
        top_.nvdla_core2dbb_aw_awready = 1;
        top_.nvdla_core2dbb_w_wready = 1;
        top_.eval();
        run(4 * (csb_half_ > core_half_ ? csb_half_ : core_half_) * 2);
    }
    void release() {
        top_.dla_reset_rstn = 1;
        clocks(20);
        run(20 * core_half_ * 2);
    }
    void reset() {
        top_.dla_reset_rstn = 0;
        run(2 * (csb_half_ + core_half_));
        release();
        responses.clear();
    }
    Vbench &pins() {
        return top_;
    }
    // Runs n csb clocks. The pins are driven after the rising edge; what is sampled before it goes to `responses`.
    void clocks(int n) {
        for (int i = 0; i < n; i++)
            csb_clock();
    }
    // Sends one request and returns when it is accepted; false if it never is.
    bool send(const Request &r) {
        top_.csb2nvdla_valid = 1;
        top_.csb2nvdla_addr = (uint16_t)(r.address >> 2);
        top_.csb2nvdla_wdat = r.data;
        top_.csb2nvdla_write = r.write;
        top_.csb2nvdla_nposted = r.nposted;
        for (int i = 0; i < 1000; i++) {
            const bool ready = csb_clock();
            if (ready) {
                top_.csb2nvdla_valid = 0;
                return true;
            }
        }
        top_.csb2nvdla_valid = 0;
        return false;
    }
    void write(uint32_t address, uint32_t data) {
        send({true, true, address, data});
        take();
    }
    void post(uint32_t address, uint32_t data) {
        send({true, false, address, data});
    }
    uint32_t read(uint32_t address) {
        send({false, false, address, 0});
        return take();
    }
    // Waits for the next response; 0xdeadbeef if none comes.
    uint32_t take() {
        for (int i = 0; i < 1000 && responses.empty(); i++)
            csb_clock();
        if (responses.empty())
            return 0xdeadbeef;
        const Response r = responses.front();
        responses.pop_front();
        return r.data;
    }
    std::deque<Response> responses;
    uint64_t csb_cycle = 0;
    bool both = false; // both kinds of response in one clock

  private:
    // One rising csb edge; true if a request was accepted at it.
    bool csb_clock() {
        bool accepted = false, edge = false;
        while (!edge) {
            const uint64_t next_csb = (csb_edges_ + 1) * csb_half_, next_core = (core_edges_ + 1) * core_half_;
            now_ = next_csb < next_core ? next_csb : next_core;
            if (now_ == next_csb) {
                csb_edges_++;
                edge = csb_edges_ & 1;
                if (edge) {
                    accepted = top_.csb2nvdla_valid && top_.csb2nvdla_ready;
                    if (top_.nvdla2csb_valid && top_.nvdla2csb_wr_complete)
                        both = true;
                    if (top_.nvdla2csb_valid)
                        responses.push_back({false, top_.nvdla2csb_data, csb_cycle});
                    if (top_.nvdla2csb_wr_complete)
                        responses.push_back({true, 0, csb_cycle});
                    csb_cycle++;
                }
                top_.dla_csb_clk = csb_edges_ & 1;
            }
            if (now_ == next_core)
                top_.dla_core_clk = ++core_edges_ & 1;
            top_.eval();
        }
        return accepted;
    }
    void run(uint64_t time) {
        const uint64_t end = now_ + time;
        while (now_ < end)
            csb_clock();
    }
    Vbench top_;
    uint64_t csb_half_, core_half_, now_ = 0, csb_edges_ = 0, core_edges_ = 0;
};

bool is_present(const nvdla_register *r) {
    return r && nvdla_has_unit(config, r->unit);
}

// Registers that are no storage: the state of CDMA's zero fill, and the port of CDP's table, which moves when accessed.
bool is_live(const nvdla_register *r) {
    return r &&
           (!strcmp(r->name, "S_CBUF_FLUSH_STATUS") || (r->unit == NVDLA_CDP && !strncmp(r->name, "S_LUT_ACCESS", 12)));
}

// What a register reads after `written` was written to it while nothing is armed; live status registers excepted.
uint32_t stored(const nvdla_register *r, uint32_t written) {
    return (written & r->stored_mask) | (r->reset & ~r->stored_mask);
}

std::string ratio(int csb, int core) {
    return " (half periods csb " + std::to_string(csb) + ", core " + std::to_string(core) + ")";
}

void reset_values(Bus &bus) {
    checks.start("every word of the 256 KiB register space after reset");
    for (uint32_t a = 0; a < 0x40000 && !checks.failing(); a += 4) {
        // Outside the known windows every 16th word is enough.
        const nvdla_register *r = nvdla_register_at(config, a);
        if ((!r && a >= 0x12000 && a % 64) || is_live(r))
            continue;
        const uint32_t got = bus.read(a), expected = is_present(r) ? r->reset : 0;
        char what[80];
        snprintf(what, sizeof what, "address 0x%05x", a);
        checks.equal(what, got, expected);
    }
}

void write_masks(Bus &bus) {
    checks.start("write masks of all registers, both groups, four patterns");
    const nvdla_register_map &map = nvdla_register_maps[config->map];
    std::map<std::pair<uint32_t, int>, uint32_t> shadow;
    for (uint32_t pattern : {0xffffffffu, 0u, 0xa5a5a5a5u, 0x5a5a5a5au})
        for (int group = 0; group < 2; group++)
            for (size_t i = 0; i < map.count; i++) {
                const nvdla_register *r = &map.registers[i];
                const bool arms = !strcmp(r->name, "D_OP_ENABLE"), pointer = !strcmp(r->name, "S_POINTER");
                if (!nvdla_register_at(config, r->address) || arms || pointer || is_live(r) || r->address == INTR_SET)
                    continue;
                const uint32_t p = r->grouped ? pattern ^ (group ? 0x00ff0f0fu : 0) : pattern;
                const uint32_t base = r->address & ~0xfffu;
                if (r->grouped)
                    bus.post(base + 4, (uint32_t)group);
                bus.post(r->address, p);
                shadow[{r->address, r->grouped ? group : 0}] = is_present(r) ? stored(r, p) : 0;
            }
    // The last pattern must be in both groups, each with its own value.
    for (const auto &entry : shadow) {
        const uint32_t a = entry.first.first;
        if (nvdla_register_at(config, a)->grouped)
            bus.write((a & ~0xfffu) + 4, (uint32_t)entry.first.second);
        char what[80];
        snprintf(what, sizeof what, "address 0x%05x group %d", a, entry.first.second);
        checks.equal(what, bus.read(a), entry.second);
    }
    for (uint32_t pattern : {0xffffffffu, 0u, 0xa5a5a5a5u})
        for (size_t i = 0; i < map.count; i++) {
            const nvdla_register *r = &map.registers[i];
            if (!is_present(nvdla_register_at(config, r->address)) || !r->stored_mask || is_live(r) ||
                !strcmp(r->name, "S_POINTER"))
                continue;
            bus.write(r->address, pattern);
            checks.equal(r->name, bus.read(r->address), stored(r, pattern));
        }
}

void vectors(Bus &bus) {
    checks.start("hardware version, configuration ROM, unmapped windows");
    checks.equal("GLB+0", bus.read(GLB), 0x00303031);
    checks.equal("CFGROM+0", bus.read(0), 0x00010001);
    checks.equal("CFGROM+0x24", bus.read(0x24), 0x00340003);
    checks.equal("0x3f000", bus.read(0x3f000), 0);
    bus.write(0x3f000, 0xffffffff);
    checks.equal("0x3f000 after a write", bus.read(0x3f000), 0);
    bus.write(GLB, 0xffffffff);
    checks.equal("GLB+0 after a write", bus.read(GLB), 0x00303031);
    checks.equal("MCIF.STATUS", bus.read(MCIF + 0x18), 0x100);

    checks.start("interrupt: set, clear, mask, pin");
    bus.write(INTR_SET, 4);
    bus.clocks(20);
    checks.equal("status", bus.read(INTR_STATUS), 4);
    checks.equal("dla_intr", bus.pins().dla_intr, 1);
    bus.write(INTR_STATUS, ~4u);
    checks.equal("status", bus.read(INTR_STATUS), 4);
    bus.write(INTR_STATUS, 4);
    checks.equal("status", bus.read(INTR_STATUS), 0);
    bus.clocks(20);
    checks.equal("dla_intr", bus.pins().dla_intr, 0);
    bus.write(INTR_MASK, 1);
    bus.write(INTR_SET, 1);
    bus.clocks(20);
    checks.equal("dla_intr, masked", bus.pins().dla_intr, 0);
    checks.equal("status, masked", bus.read(INTR_STATUS), 1);
    bus.write(INTR_MASK, 0);
    bus.clocks(20);
    checks.equal("dla_intr, unmasked", bus.pins().dla_intr, 1);
    bus.write(INTR_SET, 0xffffffff);
    checks.equal("status of all ones", bus.read(INTR_STATUS), 0x003f003f);
    checks.equal("S_INTR_SET reads", bus.read(INTR_SET), 0);
    bus.write(INTR_MASK, 0xffffffff);
    checks.equal("mask of all ones", bus.read(INTR_MASK), 0x003f03ff);
    bus.clocks(20);
    checks.equal("dla_intr, all masked", bus.pins().dla_intr, 0);
    bus.write(INTR_STATUS, 0xffffffff);
    bus.write(INTR_MASK, 0);
    checks.equal("status cleared", bus.read(INTR_STATUS), 0);

    checks.start("a reset ends a layer that is armed");
    bus.write(SDP + 0x38, 1);
    checks.equal("status, one armed", bus.read(SDP), 1);
    bus.reset();
    checks.equal("status after reset", bus.read(SDP), 0);
}

// Random requests with random gaps: every response, in order, with the right data. Posted writes are seen by later
// reads.
void stream(Bus &bus, uint64_t seed, int count, int gap_percent) {
    Random random(seed);
    std::deque<Response> expected;
    std::map<uint32_t, uint32_t> shadow;
    std::vector<uint32_t> addresses = {
        INTR_MASK, MCIF, MCIF + 4, MCIF + 0x14, SDP_RDMA + 0xc, SDP + 0x3c, PDP + 0xc, 0x3f000, 0xf010, GLB, 0};
    for (uint32_t a : addresses)
        shadow[a] = is_present(nvdla_register_at(config, a)) ? bus.read(a) : 0;
    bus.responses.clear();
    for (int i = 0; i < count; i++) {
        Request r = {random.percent(50), random.percent(50), addresses[random.below((uint32_t)addresses.size())],
                     random.bits()};
        const nvdla_register *reg = nvdla_register_at(config, r.address);
        if (r.write && is_present(reg))
            shadow[r.address] = stored(reg, r.data);
        if (!r.write)
            expected.push_back({false, shadow[r.address], 0});
        else if (r.nposted)
            expected.push_back({true, 0, 0});
        if (!bus.send(r))
            return checks.fail("request %d was never accepted", i);
        if (random.percent(gap_percent))
            bus.clocks((int)random.below(12));
    }
    bus.clocks(300);
    checks.equal("number of responses", bus.responses.size(), expected.size());
    while (!expected.empty() && !bus.responses.empty()) {
        checks.equal("kind of response", bus.responses.front().complete, expected.front().complete);
        checks.equal("data of response", bus.responses.front().data, expected.front().data);
        expected.pop_front();
        bus.responses.pop_front();
    }
    checks.equal("two responses in one clock", bus.both, false);
    for (uint32_t a : addresses)
        if (a != GLB && a != 0)
            bus.write(a, is_present(nvdla_register_at(config, a)) ? nvdla_register_at(config, a)->reset : 0);
}

void latency(Bus &bus) {
    checks.start("latency with equal clocks, data pin keeps its value");
    bus.clocks(10);
    bus.responses.clear();
    bus.send({false, false, GLB, 0});
    const uint64_t accepted = bus.csb_cycle - 1;
    bus.clocks(30);
    checks.equal("responses", bus.responses.size(), 1);
    if (bus.responses.size() == 1 && bus.responses[0].time - accepted > 18)
        checks.equal("clocks to read data", bus.responses[0].time - accepted, 18);
    checks.equal("nvdla2csb_data long after the response", bus.pins().nvdla2csb_data, 0x00303031);
    bus.responses.clear();
    bus.post(INTR_SET, 1);
    int clocks = 0;
    while (!bus.pins().dla_intr && clocks < 100)
        bus.clocks(1), clocks++;
    if (clocks > 14)
        checks.equal("clocks from S_INTR_SET to dla_intr", (uint64_t)clocks, 14);
    bus.write(INTR_STATUS, 1);
    checks.equal("dla_intr when the clearing write has completed", bus.pins().dla_intr, 0);
}

} // namespace

void directed_cases() {
    {
        Bus bus(5, 5);
        checks.start("outputs during reset");
        checks.equal("csb2nvdla_ready", bus.pins().csb2nvdla_ready, 1);
        checks.equal("r_rready", bus.pins().nvdla_core2dbb_r_rready, 1);
        checks.equal("b_bready", bus.pins().nvdla_core2dbb_b_bready, 1);
        checks.equal("valids",
                     (uint64_t)(bus.pins().nvdla_core2dbb_ar_arvalid | bus.pins().nvdla_core2dbb_aw_awvalid |
                                bus.pins().nvdla_core2dbb_w_wvalid | bus.pins().nvdla2csb_valid |
                                bus.pins().nvdla2csb_wr_complete | bus.pins().dla_intr),
                     0);
        checks.equal("nvdla2csb_data", bus.pins().nvdla2csb_data, 0);
        bus.release();
        reset_values(bus);
        vectors(bus);
        write_masks(bus);
        bus.reset();
        latency(bus);
        checks.start("a reset of one clock clears everything");
        bus.write(INTR_MASK, 0x3f);
        bus.pins().dla_reset_rstn = 0;
        bus.clocks(1);
        bus.pins().dla_reset_rstn = 1;
        bus.clocks(7);
        bus.post(INTR_SET, 2); // the first request that must not be lost
        bus.clocks(40);
        checks.equal("mask", bus.read(INTR_MASK), 0);
        checks.equal("status", bus.read(INTR_STATUS), 2);
        checks.start("test mode: direct_reset_ resets in place of dla_reset_rstn");
        bus.pins().test_mode = 1;
        bus.write(INTR_MASK, 0x3f);
        bus.pins().dla_reset_rstn = 0;
        bus.clocks(2);
        checks.equal("mask with dla_reset_rstn = 0", bus.read(INTR_MASK), 0x3f);
        bus.pins().direct_reset_ = 0;
        bus.clocks(2);
        bus.pins().direct_reset_ = 1;
        bus.clocks(2);
        checks.equal("mask after direct_reset_ = 0", bus.read(INTR_MASK), 0);
    }
    const int ratios[][2] = {{5, 5}, {5, 10}, {5, 15}, {5, 20}, {10, 5}, {20, 5}, {50, 3}, {7, 10}, {11, 3}, {3, 37}};
    for (const auto &r : ratios) {
        checks.start("random requests, responses in order and complete" + ratio(r[0], r[1]));
        Bus bus((uint64_t)r[0], (uint64_t)r[1]);
        bus.release();
        stream(bus, 1, 1500, 0);
        stream(bus, 2, 500, 50);
    }
}

// A stream of requests at clocks of any relation.
void random_case(uint64_t seed) {
    Random random(seed);
    const int csb = random.range(1, 60), core = random.range(1, 60);
    checks.detail("stream" + ratio(csb, core));
    Bus bus((uint64_t)csb, (uint64_t)core);
    bus.release();
    stream(bus, seed, 400, random.percent(50) ? 0 : random.below(100));
}
