// An engine with one reading and one writing client, beside the C model: the player plays a program of layers on both.
// What must be equal then: the atoms that are read, and their order; memory; interrupts; all registers of both groups.
// Windows: Main is the engine's own, Rdma that of its reading unit if it has one (`rdma` is `main` otherwise).
#pragma once
#include "common/dma_client.h"
#include "common/front.h"
#include "common/interrupts.h"
#include "common/reference.h"

// The windows of an engine with a reading unit that has registers of its own, or without.
template <class Top>
auto engine_windows(Top &top, nvdla_unit main, nvdla_unit rdma, int)
    -> decltype(top.csb_rdma_req_i, std::vector<Window>()) {
    return {{main, &top.csb_req_i, 1, &top.csb_rdata_o}, {rdma, &top.csb_rdma_req_i, 1, &top.csb_rdma_rdata_o}};
}
template <class Top> std::vector<Window> engine_windows(Top &top, nvdla_unit main, nvdla_unit, long) {
    return {{main, &top.csb_req_i, 1, &top.csb_rdata_o}};
}

struct EngineUnits {
    nvdla_unit main, rdma;
    nvdla_client client; // that reads
    const char *interrupt;
};

class Engine {
  public:
    enum { Main, Rdma };
    Random random;
    Design design;
    Memory memory;
    ReadClient reader;
    WriteClient writer;
    Csb csb;
    Interrupts done;
    Front front;
    Reference reference;

    Engine(const EngineUnits &units, const Program &program, const Behaviour &behaviour, uint64_t seed,
           std::vector<std::pair<tap, Reference::Rows>> takers = {})
        : random(seed), memory(design, behaviour, seed ^ 0x5a5a5a5a),
          reader(design, memory, "reading client", read_port(design.top.r_mif_o, design.top.r_mif_i)),
          writer(design, memory, "writing client", write_port(design.top.w_mif_o, design.top.w_mif_i)),
          csb(design, engine_windows(design.top, units.main, units.rdma, 0), seed ^ 0xa5a5),
          done(design, design.top.done_intr_o), front(design, csb, &memory), reference(program, std::move(takers)),
          units_(units), program_(program) {
        memory.tolerant = true; // reads are judged, and memories compared
        reader.wanted = [this, client = units.client](bool primary, uint64_t address) {
            reference.read(client, primary, address, int(beat_atoms() * memory.atom), design.now);
        };
        done.seen = [this](int group) {
            if (!crowd_)
                end_layer(group);
        };
        front.at_rest = [this] { return reader.under_way() + writer.under_way() == 0; };
    }
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;
    virtual ~Engine() = default;

    // Software looks at S_STATUS instead of the interrupts, so that layers are armed behind finished ones that wait for
    // their acknowledge: two groups alone hold two layers.
    void crowd() {
        crowd_ = true;
        memory.behaviour.write_latency = 3000;
        front.each_clock = [this] {
            const int group = ended_ & 1;
            if (ended_ >= armed() || (csb.read(Main, 0) >> (group ? 16 : 0) & 3) != 0)
                return;
            end_layer(group);
            most_open_ = std::max(most_open_, ended_ - int(done.count()));
        };
    }

    // Software, and whatever else the design waits for, takes its time.
    virtual void hesitate(Random &r) {
        csb.percent = r.percent(25) ? 100 : r.range(20, 100);
    }

    // Plays the program and compares everything with the model.
    virtual void play() {
        if (checks.failing() || !front.play(program_))
            return;
        while (crowd_ && writer.under_way() > 0)
            design.clock();
        design.clocks(60);
        done.check(size_t(program_.layers.count));
        if (crowd_ && most_open_ < 2)
            checks.fail("at most %d layers waited for their acknowledge at a time", most_open_);
        compare_memory(memory, reference.model, units_.main);
        for (nvdla_unit unit : {units_.main, units_.rdma})
            reference.end_reads(unit);
        front.compare_registers(reference.model, [this](size_t window, uint32_t offset, int group) {
            return waited(window, offset, group);
        });
    }

    // On both sides, to the engine's own window.
    void write(uint32_t offset, uint32_t value) {
        csb.write(Main, offset, value);
        reference.model->ops->csb_write(reference.model, nvdla_unit_base(config, units_.main) + offset, value, true,
                                        nullptr);
    }
    void compare(uint32_t offset) {
        uint32_t expected = 0;
        reference.model->ops->csb_read(reference.model, nvdla_unit_base(config, units_.main) + offset, &expected,
                                       nullptr);
        checks.equal(("register " + std::to_string(offset)).c_str(), csb.read(Main, offset), expected);
    }

    // Arms all windows with whatever the registers may hold; such a layer may hang or write anywhere, but time must
    // pass. The model does not take part.
    void undefined_registers(uint64_t clocks) {
        reader.wanted = nullptr;
        done.seen = nullptr;
        checks.rtl_checks = Checks::RtlChecks::Ignored;
        for (uint32_t offset = 0xbc; offset >= 0x8; offset -= 4)
            for (size_t window = 0; window < csb.windows(); window++)
                if (offset != csb.offset(window, "D_OP_ENABLE"))
                    csb.write(window, offset, random.bits());
        for (size_t window = 0; window < csb.windows(); window++)
            csb.write(window, csb.offset(window, "D_OP_ENABLE"), 1);
        design.clocks(clocks);
    }

  protected:
    // The next layer has ended: its interrupts.
    virtual void end_layer(int group) {
        front.raise(units_.interrupt, group);
        ended_++;
    }
    int ended_ = 0; // layers

  private:
    const EngineUnits units_;
    const Program &program_;
    bool crowd_ = false;
    int most_open_ = 0; // layers that waited for their acknowledge at the same time

    int armed() const {
        return front.armed(Main);
    }
    // A register that counts clocks in which a client waits, which the model does not have: 0 unless counting is on.
    uint32_t waited(size_t window, uint32_t offset, int) {
        const uint32_t count = csb.read(window, offset);
        bool counted = false;
        for (int i = 0; i < program_.layers.count; i++)
            counted = counted || (program_.layers.layers[i].perf & 1);
        return counted ? count : 0;
    }
};

// The random case of a seed: layers that gen draws of the engine and vary() changes; in one of twelve the tiny layers,
// which crowd the engine.
template <class Bench>
void random_layers(
    uint64_t seed, const char *engine, const std::vector<Settings> &tiny,
    const std::function<void(gen_case &, Random &)> &vary = [](gen_case &, Random &) {}) {
    Random r(seed);
    const bool crowd = r.percent(8);
    gen_case gen = layers_of(tiny);
    if (!crowd) {
        gen_draw(&gen, config, gen_engines((engine + std::string(r.percent(30) ? ",corners" : "")).c_str()), seed);
        vary(gen, r);
    }
    const Program program(gen);
    Bench bench(program, random_behaviour(r), seed);
    bench.hesitate(r);
    if (crowd)
        bench.crowd();
    bench.play();
}
