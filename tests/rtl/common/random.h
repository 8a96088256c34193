// Random numbers of the benches: every value is a function of the seed alone, on every machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// splitmix64.
class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed * UINT64_C(0x9e3779b97f4a7c15) + 1) {
    }
    uint64_t bits64() {
        uint64_t z = state_ += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        return z ^ (z >> 31);
    }
    uint32_t bits() {
        return static_cast<uint32_t>(bits64() >> 32);
    }
    // 0 .. n - 1; 0 if n is no more than 1.
    template <class T> T below(T n) {
        return n > T(1) ? static_cast<T>(bits64() % static_cast<uint64_t>(n)) : T(0);
    }
    // low .. high, both included.
    template <class A, class B> std::common_type_t<A, B> range(A low, B high) {
        using T = std::common_type_t<A, B>;
        return static_cast<T>(T(low) + below(static_cast<T>(T(high) - T(low) + T(1))));
    }
    bool percent(int p) {
        return below(100) < p;
    }
    // A byte of a cube or of weights; one in ten is the largest or the smallest number.
    uint8_t byte() {
        return static_cast<uint8_t>(percent(10) ? (percent(50) ? 0x80 : 0x7f) : bits());
    }
    // A signed number of any magnitude up to `width` bits, and the corners.
    int64_t corner(int width) {
        const int64_t top = (INT64_C(1) << (width - 1)) - 1;
        switch (below(8)) {
        case 0:
            return top - below(2);
        case 1:
            return -top - below(2);
        case 2:
            return below(5) - 2;
        default: {
            const int64_t magnitude = static_cast<int64_t>(bits64() & (UINT64_MAX >> (64 - width + below(width))));
            const int64_t limited = magnitude < top ? magnitude : top;
            return percent(50) ? limited : -limited;
        }
        }
    }
    template <class C> void shuffle(C &list) {
        for (size_t i = list.size(); i > 1; i--)
            std::swap(list[i - 1], list[below(i)]);
    }

  private:
    uint64_t state_;
};
