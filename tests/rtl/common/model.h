// The whole C model beside the design: it gets the same register writes, has memories of its own, and must come to the
// same registers and memories.
#pragma once
#include "common/memory.h"

extern "C" {
#include "model/model.h"
}

class Model {
  public:
    Model() {
        model_options options{};
        options.allow_undefined = true; // engines are compared here, whatever the chapters leave open
        device_ = model_new(config, &options);
        device_->ops->reset(device_, nullptr);
    }
    ~Model() {
        device_->ops->destroy(device_);
    }
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    ::memory *space(bool primary) {
        return device_->memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY];
    }
    void write(nvdla_unit unit, uint32_t offset, uint32_t value) {
        device_->ops->csb_write(device_, nvdla_unit_base(config, unit) + offset, value, true, nullptr);
    }
    uint32_t read(nvdla_unit unit, uint32_t offset) {
        uint32_t value = 0;
        device_->ops->csb_read(device_, nvdla_unit_base(config, unit) + offset, &value, nullptr);
        return value;
    }
    // Carries out everything that is armed.
    void run() {
        while (device_->ops->advance(device_, UINT64_MAX, false, nullptr) != DEVICE_IDLE) {
        }
    }
    // What the model has to say since the last time; the reason why it does not carry out a layer.
    std::string complaint() {
        return device_->finding_count > 0 ? device_->findings[0].text : "it does not say why";
    }

  private:
    device *device_;
};

// Fails the current case at the first byte in which memories of design and model differ.
inline void compare_memories(Memory &rtl, Model &model) {
    for (bool primary : {true, false}) {
        uint64_t address;
        if (rtl.space(primary) && memory_next_difference(rtl.space(primary), model.space(primary), 0, &address)) {
            uint8_t got, expected;
            memory_read(rtl.space(primary), address, &got, 1);
            memory_read(model.space(primary), address, &expected, 1);
            checks.fail("%s memory differs at 0x%" PRIx64 ": rtl %02x, model %02x", primary ? "primary" : "secondary",
                        address, got, expected);
        }
    }
}
