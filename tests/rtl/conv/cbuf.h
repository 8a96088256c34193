// CBUF as CDMA fills it: sizes, and what passes its write ports.
#pragma once
#include "common/dma_client.h"

const size_t mem_atom = size_t(config->mem_atom),
             entry_bytes = size_t(config->cbuf_bank_bytes) * (config->int16 ? 2 : 1), slots = entry_bytes / mem_atom,
             cbuf_bytes = size_t(config->cbuf_banks * config->cbuf_bank_bytes * config->cbuf_bank_depth);

// CBUF as CDMA writes it; bytes that were never written: -1. And the clocks of CSC's first and last atom.
class Written : public Agent {
  public:
    std::vector<int16_t> bytes;
    uint64_t first_atom = 0, last_atom = 0;

    explicit Written(Design &design) : bytes(cbuf_bytes, -1), design_(design), top_(design.top) {
        design.add(*this);
    }
    void drive() override {
    }
    void sample() override {
        take(top_.dat_wr_o);
        take(top_.wt_wr_o);
        if (top_.atom_valid_o) {
            first_atom = first_atom ? first_atom : design_.now;
            last_atom = design_.now;
        }
    }

  private:
    Design &design_;
    Vbench &top_;

    // {valid, addr, slot, clear, data}, each of beat_atoms() atoms.
    template <class Port> void take(Port &port) {
        const size_t n = beat_atoms(), slot_bits = slots > 2 ? 2 : 1, clear_at = n * mem_atom * 8,
                     slot_at = clear_at + n, addr_at = slot_at + n * slot_bits;
        size_t addr_bits = 1;
        while (bytes.size() / entry_bytes > size_t(1) << addr_bits)
            addr_bits++;
        const uint64_t valid = Pin(port, addr_at + n * addr_bits, n).value();
        for (size_t a = 0; a < n; a++) {
            if (!(valid >> a & 1))
                continue;
            const size_t entry = Pin(port, addr_at + a * addr_bits, addr_bits).value(),
                         slot = Pin(port, slot_at + a * slot_bits, slot_bits).value();
            uint8_t atom[64];
            Pin(port, a * mem_atom * 8, 64).get(atom, mem_atom);
            const auto to = bytes.begin() + long(entry * entry_bytes);
            if (Pin(port, clear_at + a, 1).value())
                std::fill(to + long(slot * mem_atom), to + long(entry_bytes), int16_t(0));
            std::copy_n(atom, mem_atom, to + long(slot * mem_atom));
        }
    }
};
