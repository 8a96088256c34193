// Faster replacements for parts of Verilator's library that run in every clock, with the same results. Included before
// all code that Verilator generates (verilated.mk).
//
// Sign extension: the library uses "or" of the value and its negated sign bit, which no compiler turns into a
// processor's sign-extending loads and multiplications. As in the library, operands have no bits above lbits.
//
// Triggers, for Verilator 5.006, as newer versions have them so themselves: a bit for each set of clocks and resets
// instead of a byte. Bits are set in a register and tested several at a time; bytes are written one by one and
// immediately read as vectors, which stalls the processor.
#pragma once

#include "verilated.h"

static inline int32_t signed_i(int lbits, IData value) {
    return static_cast<int32_t>(value << (32 - lbits)) >> (32 - lbits);
}

static inline int64_t signed_q(int lbits, QData value) {
    return static_cast<int64_t>(value << (64 - lbits)) >> (64 - lbits);
}

#define VL_EXTENDS_II(obits, lbits, lhs) (static_cast<IData>(signed_i(lbits, lhs)))
#define VL_EXTENDS_QI(obits, lbits, lhs) (static_cast<QData>(signed_q(lbits, lhs)))
#define VL_EXTENDS_QQ(obits, lbits, lhs) (static_cast<QData>(signed_q(lbits, lhs)))

#define VL_MULS_III(lbits, lhs, rhs)                                                                                   \
    (static_cast<IData>(signed_i(lbits, lhs)) * static_cast<IData>(signed_i(lbits, rhs)))
#define VL_MULS_QQQ(lbits, lhs, rhs)                                                                                   \
    (static_cast<QData>(signed_q(lbits, lhs)) * static_cast<QData>(signed_q(lbits, rhs)))

#define VL_GTS_III(lbits, lhs, rhs) (static_cast<IData>(signed_i(lbits, lhs) > signed_i(lbits, rhs)))
#define VL_GTES_III(lbits, lhs, rhs) (static_cast<IData>(signed_i(lbits, lhs) >= signed_i(lbits, rhs)))
#define VL_LTS_III(lbits, lhs, rhs) (static_cast<IData>(signed_i(lbits, lhs) < signed_i(lbits, rhs)))
#define VL_LTES_III(lbits, lhs, rhs) (static_cast<IData>(signed_i(lbits, lhs) <= signed_i(lbits, rhs)))
#define VL_GTS_IQQ(lbits, lhs, rhs) (static_cast<IData>(signed_q(lbits, lhs) > signed_q(lbits, rhs)))
#define VL_GTES_IQQ(lbits, lhs, rhs) (static_cast<IData>(signed_q(lbits, lhs) >= signed_q(lbits, rhs)))
#define VL_LTS_IQQ(lbits, lhs, rhs) (static_cast<IData>(signed_q(lbits, lhs) < signed_q(lbits, rhs)))
#define VL_LTES_IQQ(lbits, lhs, rhs) (static_cast<IData>(signed_q(lbits, lhs) <= signed_q(lbits, rhs)))

#if VERILATOR_VERSION_INTEGER == 5006000
// The interface of VlTriggerVec in Verilator's library.
template <std::size_t T_size> class TriggerBits final {
    static constexpr std::size_t WORDS = (T_size + 63) / 64;
    uint64_t m_words[WORDS] = {};

    class Bit final {
        uint64_t &m_word;
        const unsigned m_at;

      public:
        Bit(uint64_t &word, unsigned at) : m_word{word}, m_at{at} {
        }
        // Takes 0 or 1, as all triggers are.
        Bit &operator=(IData value) {
            m_word = (m_word & ~(1ULL << m_at)) | static_cast<uint64_t>(value & 1) << m_at;
            return *this;
        }
        operator bool() const {
            return m_word >> m_at & 1;
        }
    };

  public:
    void clear() {
        for (uint64_t &word : m_words)
            word = 0;
    }
    Bit at(std::size_t index) {
        return Bit{m_words[index / 64], static_cast<unsigned>(index % 64)};
    }
    bool any() const {
        uint64_t all = 0;
        for (const uint64_t word : m_words)
            all |= word;
        return all;
    }
    void set(const TriggerBits &other) {
        for (std::size_t i = 0; i < WORDS; ++i)
            m_words[i] |= other.m_words[i];
    }
    void andNot(const TriggerBits &a, const TriggerBits &b) {
        for (std::size_t i = 0; i < WORDS; ++i)
            m_words[i] = a.m_words[i] & ~b.m_words[i];
    }
};
#define VlTriggerVec TriggerBits

#endif
