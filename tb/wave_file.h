// Writes the waves of a Verilated design, with the marks of the testbench as further signals. Everything that
// Verilator's versions do differently with FST files is in wave_file.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verilated.h"
#include "verilated_fst_c.h"

extern "C" {
#include "tb/simulator.h"
}

class Vtb_top;

class WaveFile {
  public:
    // The design and content stay valid until the file is closed, which its end does.
    WaveFile(Vtb_top *top, const char *path, const struct wave_content *content);
    ~WaveFile();
    WaveFile(const WaveFile &) = delete;
    WaveFile &operator=(const WaveFile &) = delete;
    // Writes what has changed. Later than the time before, in the design's clock edges.
    void dump(uint64_t time);

  private:
    struct Mark {
        std::string name;
        const uint32_t *words;
        int count;
        uint32_t code; // Verilator's number of the signal
    };
    static void declare_marks(void *context, VerilatedFst *file, uint32_t code);
    static void write_marks(void *context, VerilatedFst::Buffer *buffer);
    static void change_marks(void *context, VerilatedFst::Buffer *buffer);

    VerilatedFstC m_file;
    std::vector<Mark> m_marks;
    const uint64_t *m_changes;    // counted by the testbench
    uint64_t m_marks_written = 0; // as far as they were
};
