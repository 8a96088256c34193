// The other side of an engine's ports to the memory interface: requests are taken, answered in order, and must stay as
// they are while they wait. read_port() and write_port() are the only places that know how the fields lie in the words
// of these ports (mif_rd_req_t and the like, scripts/gen_tables.py).
#pragma once
#include <deque>

#include "common/memory.h"

struct RequestPins {
    Pin valid, ready, ram, addr, len;
};
struct ReadPins {
    RequestPins request;
    Pin rsp_valid, rsp_data;
};
struct WritePins {
    RequestPins request;
    Pin dat_valid, dat_ready, dat_mask, dat_data, rsp;
};

// Atoms of a beat of the ports to the memory interface.
inline size_t beat_atoms() {
    return static_cast<size_t>(config->dbb_data_bits) / (8 * static_cast<size_t>(config->mem_atom));
}

// {valid, ram, addr, len}, and {ready, rsp_valid, rsp_data} back.
template <class Out, class In> ReadPins read_port(Out &out, In &in) {
    const size_t addr = static_cast<size_t>(config->addr_bits), data = static_cast<size_t>(config->dbb_data_bits);
    return {{Pin(out, addr + 5, 1), Pin(in, data + 1, 1), Pin(out, addr + 4, 1), Pin(out, 4, addr), Pin(out, 0, 4)},
            Pin(in, data, 1),
            Pin(in, 0, data)};
}
// {valid, ram, addr, len, dat_valid, dat_mask, dat_data}, and {ready, dat_ready, rsp} back.
template <class Out, class In> WritePins write_port(Out &out, In &in) {
    const size_t addr = static_cast<size_t>(config->addr_bits), data = static_cast<size_t>(config->dbb_data_bits),
                 mask = beat_atoms(), len = data + mask + 1;
    return {{Pin(out, len + addr + 5, 1), Pin(in, 2, 1), Pin(out, len + addr + 4, 1), Pin(out, len + 4, addr),
             Pin(out, len, 4)},
            Pin(out, data + mask, 1),
            Pin(in, 1, 1),
            Pin(out, data, mask),
            Pin(out, 0, data),
            Pin(in, 0, 1)};
}

class DmaClient : public Agent {
  public:
    uint64_t stalled = 0; // clocks in which a request waited
    uint64_t atoms = 0;   // asked for, of writes: written and acknowledged

  protected:
    DmaClient(Design &design, Memory &memory, const char *name, const RequestPins &pins)
        : memory_(memory), name_(name), request_(pins) {
        design.add(*this);
    }
    void drive_request() {
        request_.ready.set(memory_.accepts(request_.ram.value() != 0));
    }
    // True if a request was handed over in this clock.
    bool sample_request() {
        const bool valid = request_.valid.value() != 0;
        const uint64_t now[3] = {request_.addr.value(), request_.ram.value(), request_.len.value()};
        if (waiting_ && (!valid || memcmp(now, held_, sizeof now) != 0))
            checks.fail("clock %" PRIu64 ": %s: request changed while it waited", memory_.now(), name_);
        waiting_ = valid && !request_.ready.value();
        memcpy(held_, now, sizeof now);
        stalled += waiting_;
        return valid && !waiting_;
    }
    bool primary() const {
        return held_[1] != 0;
    }
    // Of the first beat.
    uint64_t address() const {
        return held_[0] & ~static_cast<uint64_t>(beat_bytes - 1);
    }
    uint64_t beats() const {
        return held_[2] + 1;
    }

    Memory &memory_;
    const char *name_;
    const size_t beat_bytes = beat_atoms() * memory_.atom;

  private:
    RequestPins request_;
    bool waiting_ = false;
    uint64_t held_[3] = {}; // address, RAM type, beats - 1
};

class ReadClient : public DmaClient {
  public:
    uint64_t busy = 0;                                          // clocks in which beats were under way
    std::function<void(bool primary, uint64_t address)> wanted; // called with every beat that is requested

    ReadClient(Design &design, Memory &memory, const char *name, const ReadPins &pins)
        : DmaClient(design, memory, name, pins.request), pins_(pins) {
    }
    size_t under_way() const {
        return answers_.size();
    }
    void drive() override {
        drive_request();
        const bool valid = !answers_.empty() && answers_.front().due <= memory_.now() && memory_.moves();
        pins_.rsp_valid.set(valid);
        busy += !answers_.empty();
        if (valid) {
            uint8_t bytes[64] = {};
            for (size_t i = 0; i < beat_bytes; i += memory_.atom)
                memory_.load(answers_.front().primary, answers_.front().address + i, bytes + i, name_);
            pins_.rsp_data.put(bytes, beat_bytes);
            answers_.pop_front();
        }
    }
    void sample() override {
        if (!sample_request())
            return;
        for (uint64_t i = 0; i < beats(); i++) {
            const uint64_t a = address() + i * beat_bytes;
            answers_.push_back({memory_.data_due(), a, primary()});
            atoms += beat_atoms();
            if (wanted)
                wanted(primary(), a);
        }
    }

  private:
    struct Answer {
        uint64_t due, address;
        bool primary;
    };
    ReadPins pins_;
    std::deque<Answer> answers_;
};

class WriteClient : public DmaClient {
  public:
    WriteClient(Design &design, Memory &memory, const char *name, const WritePins &pins)
        : DmaClient(design, memory, name, pins.request), pins_(pins) {
    }
    size_t under_way() const {
        return bursts_.size() + responses_.size();
    }
    void drive() override {
        drive_request();
        pins_.dat_ready.set(!bursts_.empty() && memory_.moves()); // data are taken after their request
        const bool response = !responses_.empty() && responses_.front().due <= memory_.now() && memory_.moves();
        pins_.rsp.set(response);
        if (response) {
            atoms += responses_.front().atoms;
            responses_.pop_front();
        }
    }
    void sample() override {
        if (pins_.dat_valid.value() && pins_.dat_ready.value()) {
            Burst &burst = bursts_.front();
            uint8_t bytes[64];
            pins_.dat_data.get(bytes, beat_bytes);
            for (size_t i = 0; i < beat_atoms(); i++)
                if (pins_.dat_mask.value() >> i & 1) {
                    memory_.store(burst.primary, burst.address + burst.done * beat_bytes + i * memory_.atom,
                                  bytes + i * memory_.atom, name_);
                    burst.atoms++;
                }
            if (++burst.done == burst.beats) {
                responses_.push_back({memory_.response_due(), burst.atoms});
                bursts_.pop_front();
            }
        }
        if (sample_request())
            bursts_.push_back({address(), beats(), 0, 0, primary()});
    }

  private:
    struct Burst {
        uint64_t address, beats, done, atoms; // done: beats that have arrived, with so many atoms
        bool primary;
    };
    struct Response {
        uint64_t due, atoms;
    };
    WritePins pins_;
    std::deque<Burst> bursts_;       // accepted, data missing
    std::deque<Response> responses_; // written
};
