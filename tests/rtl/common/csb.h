// The register windows of an engine, one access at a time: software's side.
#pragma once
#include <deque>

#include "common/design.h"

extern "C" {
#include "nvdla/registers.h"
#include "nvdla_offsets.h"
}

// A window: its unit, the request pin (or the bit of it that selects this window), and where answers come.
struct Window {
    nvdla_unit unit;
    CData *request;
    CData select;
    const IData *data;
};

class Csb : public Agent {
  public:
    int percent = 100; // of the clocks in which an access that waits begins

    Csb(Design &design, std::vector<Window> windows, uint64_t seed)
        : design_(design), windows_(std::move(windows)), random_(seed) {
        design.add(*this);
    }
    void write(size_t window, uint32_t offset, uint32_t value) {
        wait();
        access(window, true, offset, value);
    }
    uint32_t read(size_t window, uint32_t offset) {
        wait();
        access(window, false, offset, 0);
        const uint32_t value = *windows_[window].data;
        for (const Window &other : windows_) {
            if (other.data != windows_[window].data && *other.data != 0) {
                checks.fail("clock %" PRIu64 ": the window of %s answers a read of %s", design_.now,
                            nvdla_unit_names[other.unit], nvdla_unit_names[windows_[window].unit]);
            }
        }
        design_.clock();
        return value;
    }
    const char *name(size_t window) const {
        return nvdla_unit_names[windows_[window].unit];
    }
    nvdla_unit unit(size_t window) const {
        return windows_[window].unit;
    }
    size_t windows() const {
        return windows_.size();
    }
    // In-window byte offset of a register that every engine has.
    uint32_t offset(size_t window, const char *register_name) const {
        return nvdla_register_find(config, unit(window), register_name)->address & 0xfff;
    }

    void drive() override {
    }
    void sample() override {
    }

  private:
    void wait() {
        while (!random_.percent(percent))
            design_.clock();
    }
    void access(size_t window, bool write, uint32_t offset, uint32_t value) {
        *windows_[window].request = windows_[window].select;
        design_.top.csb_write_i = write;
        design_.top.csb_addr_i = static_cast<SData>(offset / 4);
        design_.top.csb_wdata_i = value;
        design_.clock();
        *windows_[window].request = 0;
    }
    Design &design_;
    std::vector<Window> windows_;
    Random random_;
};
