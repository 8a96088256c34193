// Streams with valid and ready: what feeds the design, and what takes from it.
#pragma once
#include <deque>

#include "common/design.h"

struct StreamPins {
    Pin valid, ready, data;
};
// Streams into and out of the design: NAME_valid, NAME_ready, NAME_data.
#define STREAM_IN(top, name)                                                                                           \
    StreamPins {                                                                                                       \
        (top).name##_valid_i, (top).name##_ready_o, (top).name##_data_i                                                \
    }
#define STREAM_OUT(top, name)                                                                                          \
    StreamPins {                                                                                                       \
        (top).name##_valid_o, (top).name##_ready_i, (top).name##_data_o                                                \
    }

// Offers whole beats; an offer stays until it is taken.
class StreamSource : public Agent {
  public:
    int percent = 100; // of the clocks in which a beat is offered
    StreamSource(Design &design, const StreamPins &pins, size_t beat, uint64_t seed)
        : pins_(pins), beat_(beat), random_(seed) {
        design.add(*this);
    }
    void feed(const void *bytes, size_t n) {
        const uint8_t *first = static_cast<const uint8_t *>(bytes);
        bytes_.insert(bytes_.end(), first, first + n);
    }
    size_t left() const {
        return bytes_.size();
    }
    void drive() override {
        offered_ = bytes_.size() >= beat_ && (offered_ || random_.percent(percent));
        pins_.valid.set(offered_);
        if (offered_) {
            uint8_t beat[256];
            std::copy_n(bytes_.begin(), beat_, beat);
            pins_.data.put(beat, beat_);
        }
    }
    void sample() override {
        if (offered_ && pins_.ready.value()) {
            bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(beat_));
            offered_ = false;
        }
    }

  private:
    StreamPins pins_;
    size_t beat_;
    Random random_;
    bool offered_ = false;
    std::deque<uint8_t> bytes_;
};

// Takes beats; an offer of the design must stay until it is taken.
class StreamSink : public Agent {
  public:
    int percent = 100; // of the clocks in which a beat is taken
    std::vector<uint8_t> taken;
    StreamSink(Design &design, const StreamPins &pins, const char *name, size_t beat, uint64_t seed)
        : design_(design), pins_(pins), name_(name), beat_(beat), random_(seed) {
        design.add(*this);
    }
    void drive() override {
        pins_.ready.set(random_.percent(percent));
    }
    void sample() override {
        const bool valid = pins_.valid.value() != 0;
        std::vector<uint8_t> now(beat_);
        pins_.data.get(now.data(), beat_);
        if (!held_.empty() && (!valid || now != held_))
            checks.fail("clock %" PRIu64 ": %s: data changed while they waited", design_.now, name_);
        held_.clear();
        if (valid && pins_.ready.value())
            taken.insert(taken.end(), now.begin(), now.end());
        else if (valid)
            held_ = now;
    }

  private:
    Design &design_;
    StreamPins pins_;
    const char *name_;
    size_t beat_;
    Random random_;
    std::vector<uint8_t> held_; // offered and not taken
};
