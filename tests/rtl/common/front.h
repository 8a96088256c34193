// The design as a device of the player (replay/player.h): its windows are at their places in the register map, behind a
// GLB of the bench's own. Units that have no window take all writes and answer 1.
#pragma once
#include <array>

#include "common/csb.h"
#include "common/memory.h"
#include "common/program.h"

extern "C" {
#include "layers/view.h"
#include "nvdla/engines.h"
}

class Front {
  public:
    std::function<bool()> at_rest = [] { return true; }; // nothing moves between the design and its memory
    std::function<void()> each_clock = [] {};            // called while the program waits
    uint64_t armed_at = 0;                               // clock of the last D_OP_ENABLE

    // own: the design's memories take what the program loads; else memories that no one reads.
    Front(Design &design, Csb &csb, Memory *own = nullptr) : design_(design), csb_(csb), own_(own != nullptr) {
        static const device_ops ops = operations();
        device_.front = this;
        device_.dev.ops = &ops;
        device_.dev.name = "design";
        device_.dev.config = config;
        device_.dev.still_limit = 400000;
        device_.dev.units = 1u << NVDLA_GLB;
        for (size_t i = 0; i < csb.windows(); i++)
            device_.dev.units |= 1u << csb.unit(i);
        for (bool primary : {false, true})
            device_.dev.memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY] = own ? own->space(primary) : memory_new();
    }
    ~Front() {
        for (::memory *&space : device_.dev.memory)
            space = own_ ? nullptr : space;
        device_release(&device_.dev);
    }
    Front(const Front &) = delete;
    Front &operator=(const Front &) = delete;

    // Plays the program; what it loads lies in memories of its own.
    bool play(const Program &program) {
        return program.play(&device_.dev);
    }
    // D_OP_ENABLE writes.
    int armed(size_t window) const {
        return armed_[window];
    }
    void raise(const char *interrupt, int group) {
        status_ |= UINT32_C(1) << (nvdla_interrupt_bit(interrupt) + group);
    }
    // All registers of both groups, against the model. waited: a counter of clocks in which a client waits.
    void compare_registers(device *model,
                           const std::function<uint32_t(size_t window, uint32_t offset, int group)> &waited) {
        for (uint32_t group = 0; group < 2; group++)
            for (size_t window = 0; window < csb_.windows(); window++) {
                const uint32_t base = nvdla_unit_base(config, csb_.unit(window));
                csb_.write(window, CSC_S_POINTER, group);
                model->ops->csb_write(model, base + CSC_S_POINTER, group, true, nullptr);
                for (uint32_t offset = 0; offset < 0x100; offset += 4) {
                    uint32_t expected = 0;
                    model->ops->csb_read(model, base + offset, &expected, nullptr);
                    if (nvdla_register_is(config, base + offset, REGISTER_WAIT))
                        expected = waited(window, offset, int(group));
                    const uint32_t got = csb_.read(window, offset);
                    if (got != expected)
                        checks.fail("%s register 0x%02x of group %u is 0x%08x, expected 0x%08x", csb_.name(window),
                                    offset, group, got, expected);
                }
            }
    }
    // The registers as they were written last.
    registers_view view() const {
        registers_view view{};
        view.config = config;
        for (size_t i = 0; i < csb_.windows(); i++)
            view.units[csb_.unit(i)] = {words_[i].data(), words_[i].size()};
        return view;
    }

  private:
    struct Device {
        device dev; // first member
        Front *front;
    } device_{};
    Design &design_;
    Csb &csb_;
    bool own_;
    uint32_t status_ = 0, mask_ = 0; // GLB
    std::array<int, 8> armed_{};
    std::array<std::array<uint32_t, 256>, 8> words_{};

    static Front &of(device *dev) {
        return *reinterpret_cast<Device *>(dev)->front;
    }
    static device_ops operations() {
        device_ops ops{};
        ops.reset = [](device *, error *) { return true; };
        ops.csb_write = [](device *dev, uint32_t address, uint32_t value, bool, error *) {
            of(dev).csb_write(address, value);
            return true;
        };
        ops.csb_read = [](device *dev, uint32_t address, uint32_t *value, error *) {
            *value = of(dev).csb_read(address);
            return true;
        };
        ops.advance = [](device *dev, uint64_t cycles, bool until_interrupt, error *err) {
            return of(dev).advance(cycles, until_interrupt, err);
        };
        ops.interrupt = [](device *dev) { return of(dev).interrupt(); };
        ops.at_rest = [](device *dev) { return of(dev).at_rest(); };
        ops.time = [](device *dev) { return of(dev).design_.now; };
        ops.statistics = [](device *, device_statistics *statistics) { *statistics = device_statistics{}; };
        return ops;
    }
    bool interrupt() const {
        return (status_ & ~mask_) != 0;
    }
    void csb_write(uint32_t address, uint32_t value) {
        const nvdla_unit unit = nvdla_unit_at(config, address);
        const uint32_t offset = address - nvdla_unit_base(config, unit);
        if (unit == NVDLA_GLB && offset == GLB_S_INTR_STATUS)
            status_ &= ~value;
        if (unit == NVDLA_GLB && offset == GLB_S_INTR_MASK)
            mask_ = value;
        for (size_t i = 0; i < csb_.windows(); i++) {
            if (csb_.unit(i) != unit)
                continue;
            csb_.write(i, offset, value);
            words_[i][offset / 4] = value;
            if (offset == csb_.offset(i, "D_OP_ENABLE")) {
                armed_at = design_.now - 1;
                armed_[i]++;
            }
        }
    }
    uint32_t csb_read(uint32_t address) {
        const nvdla_unit unit = nvdla_unit_at(config, address);
        const uint32_t offset = address - nvdla_unit_base(config, unit);
        if (unit == NVDLA_GLB)
            return offset == GLB_S_INTR_STATUS ? status_ : mask_;
        for (size_t i = 0; i < csb_.windows(); i++)
            if (csb_.unit(i) == unit)
                return csb_.read(i, offset);
        return 1; // the zero fill of a CDMA that is not here is over
    }
    device_state advance(uint64_t cycles, bool until_interrupt, error *err) {
        for (; cycles > 0; cycles--) {
            if (until_interrupt && interrupt())
                return DEVICE_INTERRUPT;
            if (checks.failing()) {
                error_set(err, "see above");
                return DEVICE_FAILED;
            }
            each_clock();
            design_.clock();
        }
        return DEVICE_RUNNING;
    }
};
