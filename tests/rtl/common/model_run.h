// A run of layers of an engine with one reading and one writing client: design and C model get the same accesses, and
// at the end memories and registers must be equal. Windows: Main is the engine's own, Rdma that of its reading unit if
// it has one (rdma is `main` otherwise).
#pragma once
#include "common/chain.h"
#include "common/dma_client.h"
#include "common/model.h"

// The windows of an engine with a reading unit that has registers of its own, or without.
template <class Top>
auto engine_windows(Top &top, nvdla_unit main, nvdla_unit rdma, int)
    -> decltype(top.csb_rdma_req_i, std::vector<Window>()) {
    return {{main, &top.csb_req_i, 1, &top.csb_rdata_o}, {rdma, &top.csb_rdma_req_i, 1, &top.csb_rdma_rdata_o}};
}
template <class Top> std::vector<Window> engine_windows(Top &top, nvdla_unit main, nvdla_unit, long) {
    return {{main, &top.csb_req_i, 1, &top.csb_rdata_o}};
}

class ModelRun {
  public:
    enum { Main, Rdma };
    Random random;
    Design design;
    Memory memory;
    ReadClient reader;
    WriteClient writer;
    Csb csb;
    Interrupts done;
    Chain chain;
    Model model;

    ModelRun(nvdla_unit main, nvdla_unit rdma, const Behaviour &behaviour, uint64_t seed)
        : random(seed), memory(design, behaviour, seed ^ 0x5a5a5a5a),
          reader(design, memory, "reading client", read_port(design.top.r_mif_o, design.top.r_mif_i)),
          writer(design, memory, "writing client", write_port(design.top.w_mif_o, design.top.w_mif_i)),
          csb(design, engine_windows(design.top, main, rdma, 0), seed ^ 0xa5a5), done(design, design.top.done_intr_o),
          chain(design, csb, done, 2000000) {
        memory.declare(0, UINT64_MAX);
        for (bool primary : {true, false})
            if (memory.space(primary))
                memory_declare(model.space(primary), 0, UINT64_MAX);
    }

    // Bytes into the memories of both sides.
    void load(bool primary, uint64_t address, const std::vector<uint8_t> &bytes) {
        memory_write(memory.space(primary), address, bytes.data(), bytes.size(), nullptr, nullptr);
        memory_write(model.space(primary), address, bytes.data(), bytes.size(), nullptr, nullptr);
    }
    void write(size_t window, uint32_t offset, uint32_t value) {
        model.write(csb.unit(window), offset, value);
        csb.write(window, offset, value);
    }
    // The registers of a layer into the group that is next, in random order.
    void program(size_t window, std::vector<RegisterWrite> writes) {
        write(window, 4, chain.group(window));
        random.shuffle(writes);
        for (const RegisterWrite &w : writes)
            write(window, w.offset, w.value);
    }
    void arm(size_t window) {
        write(window, csb.offset(window, "D_OP_ENABLE"), 1);
        chain.armed(window);
        most_open = std::max(most_open, chain.launched(Main) - done.count());
    }
    // Carries out on the model what is armed; it must take it.
    void run_model() {
        model.run();
        for (size_t window = 0; window < csb.windows(); window++) {
            if (model.read(csb.unit(window), 0) != 0) {
                checks.fail("the model does not carry out the layer of %s: %s", csb.name(window),
                            model.complaint().c_str());
            }
        }
    }
    // Reads a register of the group selected on both sides; they must agree.
    uint32_t compare(size_t window, uint32_t offset) {
        const uint32_t rtl = csb.read(window, offset), expected = model.read(csb.unit(window), offset);
        if (rtl != expected)
            checks.fail("%s register 0x%02x reads 0x%08x, the model 0x%08x", csb.name(window), offset, rtl, expected);
        return rtl;
    }
    void select(uint32_t group) {
        for (size_t window = 0; window < csb.windows(); window++)
            write(window, 4, group);
    }

    // Arms all windows with whatever the registers may hold; such a layer may hang or write anywhere, but time must
    // pass. The model does not take part.
    void undefined_registers(uint64_t clocks) {
        memory.tolerant = true;
        checks.rtl_checks = Checks::RtlChecks::Ignored;
        for (uint32_t offset = 0xbc; offset >= 0x8; offset -= 4) {
            for (size_t window = 0; window < csb.windows(); window++)
                if (offset != csb.offset(window, "D_OP_ENABLE"))
                    csb.write(window, offset, random.bits());
        }
        for (size_t window = 0; window < csb.windows(); window++)
            csb.write(window, csb.offset(window, "D_OP_ENABLE"), 1);
        design.clocks(clocks);
    }

    // Of a chain that crowds the engine with tiny layers whose responses take long: layers must have been armed behind
    // finished ones that waited for their acknowledge. Two groups alone hold two layers.
    void check_crowd() {
        if (!checks.failing() && most_open < 3)
            checks.fail("the chain did not crowd: at most %zu layers were open at a time", most_open);
    }

    // Everything that must hold when all layers are done. last: byte offset of the last register of a window. free: a
    // register that the model does not count (true) is read into counts[window][group].
    void check(uint32_t last, const std::function<bool(size_t window, uint32_t offset)> &free) {
        design.clocks(60);
        done.check(chain.launched(Main));
        if (reader.under_way() + writer.under_way() > 0)
            checks.fail("%zu atoms of reads, %zu writes are left over", reader.under_way(), writer.under_way());
        compare_memories(memory, model);
        for (uint32_t group = 0; group < 2; group++) {
            select(group);
            for (size_t window = 0; window < csb.windows(); window++) {
                for (uint32_t offset = 0; offset <= last; offset += 4)
                    if (free(window, offset))
                        counts[window][group] = csb.read(window, offset);
                    else
                        compare(window, offset);
            }
        }
    }
    uint32_t counts[2][2] = {}; // registers that the model does not count, by window and group
    size_t most_open = 0;       // layers that were armed and not done at the same time
};
