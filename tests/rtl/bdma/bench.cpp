// nvdla_bdma alone against the C model: random lists of descriptors, launched in both groups, all combinations of
// memories, a memory with stalls. Software pushes behind a launch as soon as the launch has been accepted, and
// sometimes loses pushes in the full queue. At the end memories and registers must be equal, and every launch must have
// had its interrupt, in order. Directed cases: the requests of the chapter's examples, STATUS, launches that go wrong,
// the rate of some copies.
#include <map>

#include "common/csb.h"
#include "common/dma_client.h"
#include "common/interrupts.h"
#include "common/reference.h"

const uint64_t usual_seeds = 200;

namespace {

struct Descriptor {
    uint64_t source, destination;
    uint32_t atoms, lines, surfaces; // numbers
    uint32_t source_line, destination_line, source_surface, destination_surface;
    bool source_primary, destination_primary;
};

std::string describe(const Descriptor &d) {
    char text[300];
    snprintf(text, sizeof text, "%ux%ux%u src %d:%" PRIx64 "+%x,%x dst %d:%" PRIx64 "+%x,%x", d.atoms, d.lines,
             d.surfaces, d.source_primary, d.source, d.source_line, d.source_surface, d.destination_primary,
             d.destination, d.destination_line, d.destination_surface);
    return text;
}

enum Theme { ANY, SINGLE, SHORT, LONG, FAR, BROADCAST, THEMES };

Descriptor draw(Random &r, Theme theme) {
    Descriptor d = {};
    d.atoms = theme == SINGLE ? 1 : theme == LONG ? r.range(1u, 300u) : r.range(1u, r.percent(50) ? 4u : 20u);
    d.lines = theme == LONG ? r.range(1u, 3u) : r.range(1u, theme == SINGLE ? 3u : 12u);
    d.surfaces = theme == LONG ? 1 : r.range(1u, theme == SINGLE ? 2u : 4u);
    auto stride = [&](uint32_t bytes) { return bytes + (r.percent(50) ? 0 : 32 * r.below(5u)); };
    d.source_line = stride(32 * d.atoms);
    d.destination_line = stride(32 * d.atoms);
    d.source_surface = stride(d.source_line * d.lines);
    d.destination_surface = stride(d.destination_line * d.lines);
    if (theme == FAR) { // strides beyond 2^31, addresses that carry
        d.lines = r.range(1u, 3u);
        d.surfaces = r.range(1u, 3u);
        d.source_line = (r.bits() | 0x80000000u) & ~31u;
        d.source_surface = r.bits() & ~31u;
    }
    if (theme == BROADCAST) {
        d.source_line = r.percent(50) ? 0 : 32 * r.below(3u);
        d.source_surface = r.percent(50) ? 0 : d.source_surface;
    }
    d.source_primary = r.percent(50);
    d.destination_primary = r.percent(50);
    return d;
}

struct RegisterWrite {
    uint32_t offset, value;
};

std::vector<RegisterWrite> writes_of(const Descriptor &d) {
    return {{BDMA_CFG_SRC_ADDR_LOW, static_cast<uint32_t>(d.source)},
            {BDMA_CFG_SRC_ADDR_HIGH, static_cast<uint32_t>(d.source >> 32)},
            {BDMA_CFG_DST_ADDR_LOW, static_cast<uint32_t>(d.destination)},
            {BDMA_CFG_DST_ADDR_HIGH, static_cast<uint32_t>(d.destination >> 32)},
            {BDMA_CFG_LINE, d.atoms - 1},
            {BDMA_CFG_CMD, static_cast<uint32_t>(d.source_primary) | static_cast<uint32_t>(d.destination_primary) << 1},
            {BDMA_CFG_LINE_REPEAT, d.lines - 1},
            {BDMA_CFG_SRC_LINE, d.source_line},
            {BDMA_CFG_DST_LINE, d.destination_line},
            {BDMA_CFG_SURF_REPEAT, d.surfaces - 1},
            {BDMA_CFG_SRC_SURF, d.source_surface},
            {BDMA_CFG_DST_SURF, d.destination_surface}};
}

// Design and model get the same accesses, and must come to the same registers and memories.
class Run {
  public:
    enum { LastStored = BDMA_CFG_STATUS, LastRegister = BDMA_STATUS_GRP1_WRITE_STALL };
    Random random;
    Design design;
    Memory memory;
    ReadClient reader;
    WriteClient writer;
    Csb csb;
    Interrupts done;
    std::vector<int> launches;   // groups, in order
    std::vector<uint64_t> reads; // addresses of beats
    bool counted = false;

    Run(const Behaviour &behaviour, uint64_t seed)
        : random(seed), memory(design, behaviour, seed ^ 0x5a5a5a5a),
          reader(design, memory, "reading client", read_port(design.top.r_mif_o, design.top.r_mif_i)),
          writer(design, memory, "writing client", write_port(design.top.w_mif_o, design.top.w_mif_i)),
          csb(design, {{NVDLA_BDMA, &design.top.csb_req_i, 1, &design.top.csb_rdata_o}}, seed ^ 0xa5a5),
          done(design, design.top.done_intr_o) {
        model_options options{};
        options.allow_undefined = true; // engines are compared here, whatever the chapter leaves open
        model_ = model_new(config, &options);
        model_->ops->reset(model_, nullptr);
        memory.declare(0, UINT64_MAX);
        reader.wanted = [this](bool, uint64_t address) { reads.push_back(address); };
        for (::memory *space : model_->memory)
            memory_declare(space, 0, UINT64_MAX);
    }
    ~Run() {
        model_->ops->destroy(model_);
    }
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

    void write(uint32_t offset, uint32_t value) {
        model_->ops->csb_write(model_, nvdla_unit_base(config, NVDLA_BDMA) + offset, value, true, nullptr);
        csb.write(0, offset, value);
    }
    void compare(uint32_t offset) {
        uint32_t expected = 0;
        model_->ops->csb_read(model_, nvdla_unit_base(config, NVDLA_BDMA) + offset, &expected, nullptr);
        const uint32_t got = csb.read(0, offset);
        if (got != expected)
            checks.fail("register 0x%02x reads 0x%08x, the model 0x%08x", offset, got, expected);
    }
    // Carries out on the model what is launched.
    void run_model() {
        while (model_->ops->advance(model_, UINT64_MAX, false, nullptr) != DEVICE_IDLE) {
        }
    }
    // Lets time pass until so many launches are done; false, and a failure, if that takes too long.
    bool wait_done(size_t count) {
        for (const uint64_t end = design.now + 2000000; done.groups.size() < count; design.clock())
            if (checks.failing() || design.now >= end) {
                checks.fail("hang: %zu of %zu launches done", done.groups.size(), count);
                return false;
            }
        return true;
    }

    // Random bytes where a descriptor reads; its places are its own.
    void place(Descriptor &d, Theme theme) {
        const uint64_t region = UINT64_C(0x100000) * ++places_;
        auto base = [&](uint64_t from) { return from + 32 * random.below(UINT64_C(64)); };
        d.source = base(theme == FAR ? (random.percent(50) ? UINT64_C(0xfffffff0) << 32 : 0) + UINT64_C(0xffff0000) +
                                           (places_ << 36)
                                     : region);
        d.destination =
            base(region + 0x80000 + (random.percent(30) ? UINT64_C(0xfffff800) - 0x80000 - (region & 0xffffffff) : 0) +
                 (random.percent(30) ? places_ << 40 : 0));
        for (uint32_t z = 0; z < d.surfaces; z++)
            for (uint32_t y = 0; y < d.lines; y++) {
                std::vector<uint8_t> bytes(32 * size_t{d.atoms});
                for (uint8_t &b : bytes)
                    b = static_cast<uint8_t>(random.bits());
                const uint64_t at = d.source + z * uint64_t(d.source_surface) + y * uint64_t(d.source_line);
                for (::memory *side : {memory.space(d.source_primary),
                                       model_->memory[d.source_primary ? SPACE_PRIMARY : SPACE_SECONDARY]})
                    memory_write(side, at, bytes.data(), bytes.size(), nullptr, nullptr);
            }
    }
    // Writes what has changed, and pushes. bits: of the write to CFG_OP.
    void push(const Descriptor &d) {
        std::vector<RegisterWrite> writes = writes_of(d);
        random.shuffle(writes);
        for (const RegisterWrite &w : writes) {
            uint32_t &now = stored_[w.offset];
            if (now != w.value || random.percent(20))
                write(w.offset,
                      w.value |
                          (w.offset >= BDMA_CFG_SRC_LINE && w.offset != BDMA_CFG_SURF_REPEAT ? random.below(32u) : 0));
            now = w.value;
        }
        if (random.percent(10))
            write(BDMA_CFG_OP, random.bits() & ~1u);
        write(BDMA_CFG_OP, random.bits() | 1);
        checks.detail(describe(d));
    }
    void launch(int group) {
        launches.push_back(group);
        write(group ? BDMA_CFG_LAUNCH1 : BDMA_CFG_LAUNCH0, random.bits() | 1);
    }
    uint32_t status() {
        return csb.read(0, BDMA_STATUS);
    }
    bool busy(int group) {
        return (status() >> (group ? BDMA_STATUS__GRP1_BUSY_LSB : BDMA_STATUS__GRP0_BUSY_LSB) & 1) != 0;
    }
    // Lets time pass until a group is free; false, and a failure, if that takes too long.
    bool wait_idle(int group) {
        for (const uint64_t end = design.now + 2000000; busy(group);)
            if (checks.failing() || design.now > end) {
                checks.fail("group %d stays busy", group);
                return false;
            }
        return true;
    }

    // Launches what has been pushed, on both sides, and compares.
    void play(int group) {
        launch(group);
        run_model();
        check_all();
    }
    void check_all() {
        if (checks.failing() || !wait_done(launches.size()))
            return;
        for (int quiet = 0; quiet < 2000; quiet++) { // whatever has no interrupt
            quiet = reader.under_way() + writer.under_way() > 0 ? 0 : quiet;
            design.clock();
        }
        if (done.groups != launches)
            checks.fail("%zu interrupts for %zu launches, or in another order", done.count(), launches.size());
        if (reader.under_way() + writer.under_way() > 0)
            checks.fail("%zu atoms of reads, %zu writes are left over", reader.under_way(), writer.under_way());
        compare_memory(memory, model_, NVDLA_BDMA);
        for (uint32_t offset = 0; offset <= LastRegister + 8; offset += 4) {
            const bool free = offset > BDMA_STATUS && offset <= LastRegister;
            if (free && csb.read(0, offset) != 0 && !counted)
                checks.fail("stalls are counted without STALL_COUNT_EN");
            if (!free)
                compare(offset);
        }
    }

  private:
    device *model_;
    uint64_t places_ = 0;
    std::map<uint32_t, uint32_t> stored_;
};

// ---- cases ----

// The beats that are read.
void examples() {
    checks.start("requests of the chapter's examples");
    Run run(Behaviour::quiet(20), 1);
    Descriptor d = {UINT64_C(0xffffff00), 0, 8, 3, 2, 0x100, 0x100, 0x300, 0x300, true, true};
    run.push(d);
    d = {0, UINT64_C(0x0123456789abcde0), 1, 2, 2, 0xffffffe0, 0x80000000, 0xc0000000, 0xffffffe0, true, true};
    run.push(d);
    run.play(0);
    std::vector<uint64_t> want; // beats of 64 bytes
    for (uint64_t line : {UINT64_C(0xffffff00), UINT64_C(0x100000000), UINT64_C(0x100000100), UINT64_C(0x100000200),
                          UINT64_C(0x100000300), UINT64_C(0x100000400)})
        for (uint64_t i = 0; i < 4; i++)
            want.push_back(line + 64 * i);
    for (uint64_t line : {UINT64_C(0), UINT64_C(0xffffffe0), UINT64_C(0xc0000000), UINT64_C(0x1bfffffe0)})
        want.push_back(line & ~UINT64_C(63));
    if (run.reads != want)
        checks.fail("other beats are read, or in another order");
}

// FREE_SLOT and IDLE after each push, and a queue that overflows: the last descriptor is carried out again.
void status_of_queue() {
    checks.start("STATUS after pushes, launches of nothing, a queue that overflows");
    Run run(Behaviour::quiet(20), 2);
    run.compare(BDMA_STATUS);
    for (uint32_t n = 0; n < 24; n++) {
        Descriptor d = {0x1000 + 64 * n, 0x8000 + 64 * n, 1, 1, 1, 32, 32, 32, 32, true, true};
        run.push(d);
        run.design.clocks(10);
        run.compare(BDMA_STATUS);
    }
    run.play(1);
    const std::vector<uint64_t> &r = run.reads;
    if (r.size() != 24 || r[20] != r[21] || r[20] != r[23] || r[19] == r[20])
        checks.fail("%zu descriptors carried out", r.size());
    // nothing to launch: busy, without an interrupt
    run.write(BDMA_CFG_LAUNCH0, 1);
    run.design.clocks(10);
    run.run_model();
    run.compare(BDMA_STATUS);
    Descriptor d = {0x2000, 0x9000, 3, 1, 1, 32, 32, 32, 32, false, true};
    run.push(d);
    run.play(0);
}

// Another launch behind one that waits takes its place, and what is pushed joins it. Here its number is that of the
// group that is being loaded, whose interrupt comes for both.
void overtaken_launch() {
    checks.start("a launch that waits is overtaken");
    Run run(Behaviour::quiet(300), 3);
    const Descriptor slow = {0x1000, 0x8000, 64, 40, 1, 2048, 2048, 0, 0, true, true};
    const Descriptor next = {0x100020, 0x200000, 5, 1, 1, 0, 0, 0, 0, true, false};
    const Descriptor other = {0x110020, 0x210020, 4, 1, 1, 0, 0, 0, 0, true, false};
    run.push(slow);
    run.launch(0);
    run.push(next);
    run.write(BDMA_CFG_LAUNCH1, 1);
    run.push(other);
    run.write(BDMA_CFG_LAUNCH0, 1); // instead of group 1, which stays busy
    run.run_model();
    run.check_all();
    const uint32_t status = run.status();
    if (status != 0x514)
        checks.fail("STATUS is 0x%x, expected 0x514", status);
}

// A copy without stalls takes no more clocks than its beats need, and `extra`.
void rate(uint32_t atoms, uint32_t lines, bool odd_source, bool odd_destination, uint64_t beats, int extra) {
    checks.start("rate of " + std::to_string(lines) + " lines of " + std::to_string(atoms) +
                 (odd_source ? ", odd source" : "") + (odd_destination ? ", odd destination" : ""));
    Run run(Behaviour::quiet(32), 4);
    const uint32_t stride = 32 * (atoms + 2) & ~63u;
    Descriptor d = {0x100000, 0x800000, atoms, lines, 1, stride, stride, 0, 0, true, true};
    d.source += 32 * odd_source;
    d.destination += 32 * odd_destination;
    run.push(d);
    const uint64_t from = run.design.now;
    run.play(0);
    if (!checks.failing())
        checks.at_most("clocks", run.done.times[0] - from, beats + static_cast<uint64_t>(extra));
}

} // namespace

void directed_cases() {
    examples();
    status_of_queue();
    overtaken_launch();
    // 32 clocks of memory latency, 4 to the response
    rate(1, 1, false, false, 1, 55);
    rate(1, 300, false, true, 300, 60);
    rate(4096, 1, false, false, 2048, 60);
    rate(1000, 1, true, false, 501, 60);
    rate(64, 20, false, true, 20 * 33, 80);
    rate(63, 20, true, true, 20 * 33, 80);
}

void random_case(uint64_t seed) {
    Random r(seed);
    Run run(random_behaviour(r), seed);
    run.csb.percent = r.percent(25) ? 100 : r.range(20, 100);
    if (r.percent(40)) {
        run.counted = true;
        run.write(BDMA_CFG_STATUS, 1);
    }
    int group = r.below(2);
    for (int launch = r.range(1, 5); launch > 0; launch--) {
        if (!run.wait_idle(group))
            return;
        const int count = r.percent(10) ? r.range(18, 23) : r.range(1, 5);
        const bool many = count > 10; // the whole queue is wanted
        if (many && !run.wait_done(run.launches.size()))
            return;
        for (int n = 0; n < count; n++) {
            const Theme theme = static_cast<Theme>(r.percent(70) ? (seed + static_cast<uint64_t>(launch)) % THEMES
                                                                 : r.below<uint64_t>(THEMES));
            Descriptor d = draw(run.random, many ? SINGLE : theme);
            run.place(d, theme);
            // Pushes behind a launch that has not been taken would join it.
            run.push(d);
        }
        run.launch(group);
        run.run_model();
        // Two groups are open at most. What has been lost in the full queue would be made up for from what is pushed
        // later.
        if (!run.wait_done(run.launches.size() - (many || r.percent(20) ? 0 : 1)))
            return;
        group = r.percent(80) ? 1 - group : group;
    }
    run.check_all();
}
