// Chains of layers: every layer goes to the other register group of its units than the one before, is armed when that
// group is free, and ends with an interrupt of its group.
#pragma once
#include <array>

#include "common/csb.h"

// Pulses of done_intr_o, one bit for each group.
class Interrupts : public Agent {
  public:
    std::vector<int> groups;
    std::vector<uint64_t> times;         // clocks
    std::function<void(int group)> seen; // called with every interrupt
    bool in_turn = true;                 // layers end one after the other; else both groups may end in one clock

    Interrupts(Design &design, const CData &pin, const char *name = "engine")
        : design_(design), pin_(pin), name_(name) {
        design.add(*this);
    }
    size_t count() const {
        return groups.size();
    }
    void drive() override {
    }
    void sample() override {
        if (pin_ == 3 && in_turn)
            checks.fail("clock %" PRIu64 ": %s: done interrupts of both groups at once", design_.now, name_);
        for (int group = 0; group < 2; group++) {
            if (pin_ >> group & 1) {
                groups.push_back(group);
                times.push_back(design_.now);
                if (seen)
                    seen(group);
            }
        }
    }
    // One interrupt for each layer, the groups in turn.
    void check(size_t layers) {
        if (groups.size() != layers)
            checks.fail("%s: %zu done interrupts, %zu layers", name_, groups.size(), layers);
        for (size_t i = 0; i < groups.size(); i++)
            if (groups[i] != static_cast<int>(i & 1))
                checks.fail("%s: done interrupt %zu is of group %d", name_, i, groups[i]);
    }

  private:
    Design &design_;
    const CData &pin_;
    const char *name_;
};

class Chain {
  public:
    // patience: clocks after which a wait is a hang.
    Chain(Design &design, Csb &csb, Interrupts &done, uint64_t patience)
        : design_(design), csb_(csb), done_(done), patience_(patience), launched_(csb.windows()) {
    }
    // Group that the next layer of the unit takes.
    uint32_t group(size_t window) const {
        return launched_[window] & 1;
    }
    uint32_t launched(size_t window) const {
        return launched_[window];
    }
    // The unit was armed: its next layer takes the other group.
    void armed(size_t window) {
        launched_[window]++;
    }
    // Lets time pass until so many layers are done; false, and a failure, if that takes too long.
    bool wait_done(size_t layers) {
        for (const uint64_t end = design_.now + patience_; done_.count() < layers; design_.clock()) {
            if (checks.failing())
                return false;
            if (design_.now >= end) {
                checks.fail("hang: %zu of %zu layers done after %" PRIu64 " clocks", done_.count(), layers, patience_);
                return false;
            }
        }
        return true;
    }
    // Lets time pass until the group that the next layer of the unit takes is free, by its S_STATUS.
    bool wait_free(size_t window) {
        return wait_group(window, group(window));
    }
    // The same of any group.
    bool wait_group(size_t window, uint32_t which) {
        const uint64_t end = design_.now + patience_;
        while ((csb_.read(window, 0) >> (which ? 16 : 0) & 3) != 0) {
            if (checks.failing())
                return false;
            if (design_.now >= end) {
                checks.fail("hang: group %u of %s stays busy", which, csb_.name(window));
                return false;
            }
        }
        return true;
    }

  private:
    Design &design_;
    Csb &csb_;
    Interrupts &done_;
    uint64_t patience_;
    std::vector<uint32_t> launched_;
};
