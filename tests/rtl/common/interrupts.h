// Done interrupts of the design.
#pragma once
#include "common/design.h"

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
