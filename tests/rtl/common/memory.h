// The memories behind the DMA clients of an engine, as far as an engine sees them: contents, latency, stalls, and other
// clients that keep everything for themselves for a while.
#pragma once
#include "common/design.h"

extern "C" {
#include "memory/memory.h"
}

struct Behaviour {
    int accept = 100;      // per cent of the clocks in which a request is taken
    int data = 100;        // the same of write data, and of answers that are due
    int latency = 32;      // clocks from a request to its data, at least
    int jitter = 0;        // and up to so many more
    int write_latency = 4; // clocks from the last data of a write burst to its response
    int crowd = 0;         // per cent of the clocks in which others begin to crowd the engine out: nothing moves
    int crowd_clocks = 0;  // then, for up to so many clocks

    static Behaviour quiet(int latency) {
        Behaviour b;
        b.latency = latency;
        return b;
    }
};

// The behaviours that random cases of every engine are played with.
inline Behaviour random_behaviour(Random &random) {
    Behaviour b;
    b.latency = random.percent(20) ? random.range(1, 200) : random.range(1, 80);
    b.write_latency = random.percent(20) ? random.range(1, 1500) : random.range(1, 60);
    if (random.percent(25))
        return b;
    b.accept = random.range(10, 100);
    b.data = random.range(10, 100);
    b.jitter = random.percent(50) ? b.latency / 4 : 0;
    if (random.percent(25)) {
        b.crowd = random.range(1, 5);
        b.crowd_clocks = random.range(2, 300);
    }
    return b;
}

class Memory : public Agent {
  public:
    const size_t atom = static_cast<size_t>(config->mem_atom);
    const bool secondary = config->secondary_memory != 0;
    Behaviour behaviour;
    bool tolerant = false; // accesses that no layer should make are no failures: undefined registers

    Memory(Design &design, const Behaviour &b, uint64_t seed) : behaviour(b), design_(design), random_(seed) {
        for (bool primary : {false, true})
            space_[primary] = primary || secondary ? memory_new() : nullptr;
        design.add(*this);
    }
    ~Memory() override {
        for (::memory *space : space_)
            if (space)
                memory_free(space);
    }
    // Contents of one of them; nullptr for a secondary one that the configuration does not have.
    ::memory *space(bool primary) {
        return space_[primary];
    }
    // Declares what layers may access in both; elsewhere every access is a failure.
    void declare(uint64_t address, uint64_t n) {
        for (::memory *space : space_)
            if (space)
                memory_declare(space, address, n);
    }

    // What a client does with an atom. who: its name, for messages.
    virtual void load(bool primary, uint64_t address, uint8_t *bytes, const char *who) {
        if (legal(primary, address, who))
            memory_read(space_[primary], address, bytes, atom);
    }
    virtual void store(bool primary, uint64_t address, const uint8_t *bytes, const char *who) {
        if (legal(primary, address, who))
            memory_write(space_[primary], address, bytes, atom, nullptr, nullptr);
    }

    // Without a secondary memory nothing ever accepts a request to it (chapter 70 section 7).
    bool accepts(bool primary) {
        return !crowded_ && random_.percent(behaviour.accept) && (primary || secondary);
    }
    bool moves() {
        return !crowded_ && random_.percent(behaviour.data);
    }
    uint64_t now() const {
        return design_.now;
    }
    uint64_t data_due() {
        return now() + static_cast<uint64_t>(behaviour.latency + random_.below(behaviour.jitter + 1));
    }
    uint64_t response_due() const {
        return now() + static_cast<uint64_t>(behaviour.write_latency);
    }
    uint64_t aligned(uint64_t address) const {
        return address & ~static_cast<uint64_t>(atom - 1);
    }

    void drive() override {
        if (crowded_ > 0)
            crowded_--;
        else if (behaviour.crowd > 0 && random_.percent(behaviour.crowd))
            crowded_ = random_.range(1, behaviour.crowd_clocks);
    }
    void sample() override {
    }

  private:
    bool legal(bool primary, uint64_t address, const char *who) {
        const bool good = space_[primary] && memory_all_declared(space_[primary], address, atom);
        if (!good && !tolerant) {
            checks.fail("clock %" PRIu64 ": %s: access to 0x%" PRIx64 " of the %s memory, where no layer has anything",
                        now(), who, address, primary ? "primary" : "secondary");
        }
        return space_[primary] != nullptr;
    }
    Design &design_;
    Random random_;
    ::memory *space_[2];
    int crowded_ = 0; // clocks left
};
