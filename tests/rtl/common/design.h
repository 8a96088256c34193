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

// A port of the Verilated design, of any width, or some bits of one.
class Pin {
  public:
    template <class Port> Pin(Port &port) : Pin(port, 0, std::min<size_t>(64, 8 * sizeof port)) {
    }
    template <class Port>
    Pin(Port &port, size_t lsb, size_t width) : at_(reinterpret_cast<uint8_t *>(&port)), lsb_(lsb), width_(width) {
    }
    // Of up to 64 bits.
    uint64_t value() const {
        unsigned __int128 v = 0; // the bytes that hold them, nine at most
        memcpy(&v, at_ + lsb_ / 8, (lsb_ % 8 + std::min<size_t>(width_, 64) + 7) / 8);
        const uint64_t bits = static_cast<uint64_t>(v >> lsb_ % 8);
        return width_ < 64 ? bits & ((UINT64_C(1) << width_) - 1) : bits;
    }
    void set(uint64_t value) {
        for (size_t i = 0; i < width_; i++) {
            const uint8_t bit = static_cast<uint8_t>(1 << (lsb_ + i) % 8);
            uint8_t &byte = at_[(lsb_ + i) / 8];
            byte = static_cast<uint8_t>(value >> i & 1 ? byte | bit : byte & ~bit);
        }
    }
    // The first n bytes of those that begin with a byte.
    void get(void *bytes, size_t n) const {
        memcpy(bytes, at_ + lsb_ / 8, n);
    }
    void put(const void *bytes, size_t n) {
        memcpy(at_ + lsb_ / 8, bytes, n);
    }

  private:
    uint8_t *at_;
    size_t lsb_, width_;
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
        for (int i = 0; i < 4; i++)
            edges();
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
        for (Agent *agent : agents_)
            agent->drive();
        top.clk_i = 0;
        top.eval();
        for (Agent *agent : agents_)
            agent->sample();
        top.clk_i = 1;
        top.eval();
        now++;
    }
    void clocks(uint64_t n) {
        for (; n > 0; n--)
            clock();
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
