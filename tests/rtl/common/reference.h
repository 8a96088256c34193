// The C model of a program of layers: what it read and wrote, and what CACC gives SDP.
#pragma once
#include <functional>

#include "common/memory.h"
#include "common/program.h"

extern "C" {
#include "model/model.h"
#include "replay/journal.h"
#include "replay/read_judge.h"
}

// Fails at the first byte in which the design's memories differ from the model's, except for what other units
// write.
inline void compare_memory(Memory &memory, const device *model, nvdla_unit unit) {
    for (const memory_space space : {SPACE_PRIMARY, SPACE_SECONDARY}) {
        const ::memory *mine = memory.space(space == SPACE_PRIMARY), *other = model->memory[space];
        uint64_t at = 0;
        for (; mine && !checks.failing() && memory_next_difference(mine, other, at, &at); at++) {
            memory_origin origin;
            if (memory_origin_of(other, at, &origin) && origin.unit >= 0 && origin.unit != int(unit))
                continue;
            uint8_t got, expected;
            memory_read(mine, at, &got, 1);
            memory_read(other, at, &expected, 1);
            checks.fail("byte 0x%" PRIx64 " of memory %d is %02x, expected %02x", at, space, got, expected);
        }
    }
}

class Reference {
  public:
    // Takes the elements of a stream, row by row.
    using Rows = std::function<void(const tap_position &at, const uint8_t *row, size_t bytes)>;

    device *model;
    struct journal *journal;
    std::vector<uint32_t> results; // CACC's stream
    std::vector<size_t> ends;      // of the layers in it
    const gen_layer *const layers;

    // more: takers of further streams.
    explicit Reference(const Program &program, std::vector<std::pair<tap, Rows>> more = {})
        : journal(journal_new()), layers(program.layers.layers), takers_(std::move(more)) {
        takers_.push_back({TAP_CACC_SAT, [this](const tap_position &at, const uint8_t *row, size_t bytes) {
                               delivered(at, row, bytes);
                           }});
        model_options options{};
        tap_listener own{};
        own.context = this;
        own.open = open;
        tap_listen(&options.taps, own);
        tap_listen(&options.taps, journal_listener(journal));
        model = model_new(config, &options);
        journal_watch(journal, model);
        program.play(model);
        ends.push_back(results.size());
        read_judge_open(&reads_, config, journal);
        reads_.complete = true;
    }
    ~Reference() {
        read_judge_close(&reads_);
        model->ops->destroy(model);
        journal_free(journal);
    }
    Reference(const Reference &) = delete;
    Reference &operator=(const Reference &) = delete;

    // The design asks for a beat.
    void read(nvdla_client client, bool primary, uint64_t address, int bytes, uint64_t cycle) {
        axi_beat beat{};
        beat.port = primary ? SPACE_PRIMARY : SPACE_SECONDARY;
        beat.id = nvdla_clients[client].id;
        beat.cycle = cycle;
        beat.address = address;
        beat.bytes = bytes;
        beat.strobe = UINT64_MAX >> (64 - bytes);
        read_judge_take(&reads_, &beat);
        check_reads();
    }
    // All layers are done: what the clients of a unit never read is missing.
    void end_reads(nvdla_unit unit) {
        read_judge_end(
            &reads_, true, [](void *of, nvdla_unit unit, int) { return unit == *static_cast<nvdla_unit *>(of); },
            &unit);
        check_reads();
    }

  private:
    read_judge reads_{};
    std::vector<std::pair<tap, Rows>> takers_;
    int ordinal_ = 0; // of CACC's layer

    static tap_sink open(void *context, const tap_stream *stream) {
        tap_sink sink{};
        for (const auto &[tap, take] : static_cast<Reference *>(context)->takers_)
            if (tap == stream->tap) {
                sink.elements = elements;
                sink.context = const_cast<Rows *>(&take);
            }
        return sink;
    }
    static void elements(void *context, const tap_stream *stream, const tap_place *place, const void *values,
                         size_t rows, size_t lanes, size_t stride) {
        const size_t size = tap_element_bytes(stream->format);
        for (size_t i = 0; i < rows; i++)
            (*static_cast<Rows *>(context))({*stream, *place}, static_cast<const uint8_t *>(values) + i * stride * size,
                                            lanes * size);
    }
    // Results; kernels that a group does not have are 0.
    void delivered(const tap_position &at, const uint8_t *row, size_t bytes) {
        for (; ordinal_ < at.stream.ordinal; ordinal_++)
            ends.push_back(results.size());
        int index = -1; // of the layer among all
        for (int left = ordinal_; left >= 0; left -= layers[index].conv != 0)
            index++;
        const size_t first = results.size();
        results.resize(first +
                       size_t(config->atomic_k / nvdla_element_bytes(nvdla_precision(layers[index].precision))));
        memcpy(&results[first], row, bytes);
    }
    void check_reads() {
        const wrong_read &first = reads_.first;
        if (first.kind != READ_RIGHT && !checks.failing())
            checks.fail("clock %" PRIu64 ": AXI ID %d reads 0x%" PRIx64 ", wrong of kind %d, expected 0x%" PRIx64,
                        first.beat.cycle, first.beat.id, first.beat.address, first.kind, first.expected);
    }
};
