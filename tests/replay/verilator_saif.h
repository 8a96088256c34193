// Instead of tb/wave_file.h in a simulator of verilator_saif.sh: Verilator itself counts the activity, from the times
// at which waves would be recorded, into a file beside theirs. There are no waves, so the functions that read them have
// no work.
#pragma once

#include <string>

#include "Vtb_top.h"
#include "verilated_saif_c.h"

extern "C" {
#include "tb/simulator.h"
}
#include "tb/wave_index.h"
#include "tb/wave_saif.h"

class WaveFile {
  public:
    WaveFile(Vtb_top *top, const char *path, const struct wave_content *) {
        top->trace(&m_file, 1000);
        m_file.open((std::string{path} + ".saif").c_str());
    }
    ~WaveFile() {
        m_file.close();
    }
    // Verilator counts from time 0 on.
    void dump(uint64_t time) {
        if (!m_begun)
            m_first = time;
        m_begun = true;
        m_file.dump(time - m_first);
    }

  private:
    VerilatedSaifC m_file;
    uint64_t m_first = 0;
    bool m_begun = false;
};

extern "C" {
inline struct wave_index *wave_index_read(const char *) {
    return nullptr;
}
inline void wave_index_moves(const char *, struct wave_index *) {
}
inline void wave_index_free(struct wave_index *) {
}
inline bool wave_saif_write(const char *, const char *, struct activity *, struct error *) {
    return false;
}
}
