// The design under test with its clock and reset, and the agents around it: whatever drives its inputs and looks at its
// outputs.
#pragma once
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "Vbench.h"
#include "common/bench.h"
#include "verilated.h"

// A port of the Verilated design, of any width.
class Pin {
  public:
    template <class Port> Pin(Port &port) : at_(&port), bytes_(sizeof port) {
    }
    // Of ports up to 64 bits.
    uint64_t value() const {
        uint64_t v = 0;
        memcpy(&v, at_, bytes_ < sizeof v ? bytes_ : sizeof v);
        return v;
    }
    void set(uint64_t value) {
        memcpy(at_, &value, bytes_ < sizeof value ? bytes_ : sizeof value);
    }
    // The first n bytes of wider ones; n is at most the width.
    void get(void *bytes, size_t n) const {
        memcpy(bytes, at_, n);
    }
    void put(const void *bytes, size_t n) {
        memcpy(at_, bytes, n);
    }

  private:
    void *at_;
    size_t bytes_;
};

class Agent {
  public:
    virtual ~Agent() = default;
    // Sets inputs for the clock that begins.
    virtual void drive() = 0;
    // Looks at all ports when they have settled, before the rising edge.
    virtual void sample() = 0;
};

class Design {
  public:
    Vbench top;
    uint64_t now = 0; // clocks since reset was released

    Design() {
        top.rst_ni = 0;
        for (int i = 0; i < 4; i++) {
            edges();
        }
        top.rst_ni = 1;
    }
    ~Design() {
        top.final();
    }
    Design(const Design &) = delete;
    Design &operator=(const Design &) = delete;

    // Agents act in the order in which they were added.
    void add(Agent &agent) {
        agents_.push_back(&agent);
    }
    void clock() {
        for (Agent *agent : agents_) {
            agent->drive();
        }
        top.clk_i = 0;
        top.eval();
        for (Agent *agent : agents_) {
            agent->sample();
        }
        top.clk_i = 1;
        top.eval();
        now++;
    }
    void clocks(uint64_t n) {
        for (; n > 0; n--) {
            clock();
        }
    }

  private:
    void edges() {
        top.clk_i = 0;
        top.eval();
        top.clk_i = 1;
        top.eval();
    }
    std::vector<Agent *> agents_;
};
