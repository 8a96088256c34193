/* Steps (steps.h) of what the streams of an RTL show:
 *
 *     set STREAM WORD...                       words, the others 0
 *     lane STREAM LANE BITS VALUE              a lane of so many bits; B: those of the layout, 2B: twice as many
 *     bytes STREAM FROM COUNT VALUE            bytes
 *     flags, select, address STREAM VALUE...   other fields
 */
#pragma once

#include "tb/observers/stream.h"
#include "tests/unit/steps.h"

struct shown_streams {
    const struct nvdla_config *config;
    uint32_t words[STREAM_COUNT][STREAM_WORDS];
};

static inline enum rtl_stream stream_named(const char *name) {
#define STREAM_NAME(stream, ...) [STREAM_##stream] = #stream,
    static const char *const names[STREAM_COUNT] = {FOR_LAYOUTS(STREAM_NAME)};
    enum rtl_stream stream = 0;
    while (stream < STREAM_COUNT && (!names[stream] || strcmp(names[stream], name) != 0))
        stream++;
    if (stream == STREAM_COUNT)
        fail_msg("'%s' is not a stream", name);
    return stream;
}

static inline uint32_t stream_value(const struct step *step, size_t i) {
    return (uint32_t)strtoll(step->word[i], NULL, 0);
}

/* The lanes have no gaps. */
static inline void stream_lane(uint32_t *words, size_t lane, size_t bits, uint64_t value) {
    for (size_t i = 0; i < bits; i++) {
        const size_t at = bits * lane + i;
        words[at / 32] = (words[at / 32] & ~(1u << at % 32)) | (uint32_t)(value >> i & 1) << at % 32;
    }
}

static inline bool stream_shown_step(struct shown_streams *shown, const struct step *step) {
    const bool flags = step_is(step, "flags"), select = step_is(step, "select"), address = step_is(step, "address");
    const bool set = step_is(step, "set"), lane = step_is(step, "lane"), bytes = step_is(step, "bytes");
    if (!flags && !select && !address && !set && !lane && !bytes)
        return false;
    const enum rtl_stream stream = stream_named(step->word[1]);
    const struct stream_layout layout = rtl_stream_layout(shown->config, stream);
    uint32_t *words = shown->words[stream];
    if (lane) {
        const size_t own = (size_t)layout.bits, bits = strcmp(step->word[3], "B") == 0    ? own
                                                       : strcmp(step->word[3], "2B") == 0 ? 2 * own
                                                                                          : stream_value(step, 3);
        stream_lane(words, stream_value(step, 2), bits, step_number(step, 4));
    } else if (bytes) {
        memset((uint8_t *)words + step_number(step, 2), (int)step_number(step, 4), step_number(step, 3));
    } else {
        const size_t at = set ? 0 : (size_t)(flags ? layout.flags : select ? layout.select : layout.address);
        if (set)
            memset(words, 0, sizeof shown->words[0]);
        for (size_t i = 2; i < step->count; i++)
            words[at + i - 2] = stream_value(step, i);
    }
    return true;
}
