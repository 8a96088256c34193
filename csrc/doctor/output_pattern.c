/* Patterns of wrong outputs; see output_pattern.h. */
#include "doctor/output_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

enum { PERIOD_MAX = 256, HALF_MAX = 256, WORD_MAX = 64 };

static bool is_wrong(const struct output_bytes *bytes, size_t i) {
    return bytes->found[i] != bytes->expected[i];
}

size_t output_wrong(const struct output_bytes *bytes, size_t *first) {
    size_t wrong = 0;
    for (size_t i = 0; i < bytes->n; i++)
        if (is_wrong(bytes, i) && wrong++ == 0)
            *first = i;
    return wrong;
}

static void offer(struct output_pattern *best, double share, int64_t distance, unsigned phase) {
    if (share > best->share) {
        best->share = share;
        best->distance = distance;
        best->phase = phase;
    }
}

/* Share of the wrong bytes that are equal to another byte of the same place. */
static double share_of(const struct output_bytes *bytes, const uint8_t *other, size_t wrong) {
    size_t same = 0;
    for (size_t i = 0; i < bytes->n; i++)
        same += is_wrong(bytes, i) && bytes->found[i] == (other ? other[i] : 0);
    return (double)same / (double)wrong;
}

static double shifted_share(const struct output_bytes *bytes, size_t distance, bool up, size_t wrong) {
    size_t same = 0;
    for (size_t i = 0; i < bytes->n; i++) {
        const bool inside = up ? i >= distance : distance < bytes->n - i;
        same += is_wrong(bytes, i) && inside && bytes->found[i] == bytes->expected[up ? i - distance : i + distance];
    }
    return (double)same / (double)wrong;
}

static void find_shift(const struct output_bytes *bytes, size_t wrong, struct output_pattern *best) {
    const size_t distances[] = {bytes->atom, bytes->line, bytes->surface, bytes->beat};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
        if (distances[i] && distances[i] < bytes->n) {
            offer(best, shifted_share(bytes, distances[i], true, wrong), (int64_t)distances[i], 0);
            offer(best, shifted_share(bytes, distances[i], false, wrong), -(int64_t)distances[i], 0);
        }
}

/* Wrong bytes that are right at place i ^ mask. */
static double exchanged_share(const struct output_bytes *bytes, size_t mask, size_t wrong) {
    size_t same = 0;
    for (size_t i = 0; i < bytes->n; i++)
        same += is_wrong(bytes, i) && (i ^ mask) < bytes->n && bytes->found[i] == bytes->expected[i ^ mask];
    return (double)same / (double)wrong;
}

static void find_order(const struct output_bytes *bytes, size_t wrong, struct output_pattern *exchanged,
                       struct output_pattern *reversed) {
    for (size_t size = 2; size <= WORD_MAX && size <= bytes->n; size *= 2) {
        offer(exchanged, exchanged_share(bytes, size / 2, wrong), (int64_t)size / 2, 0);
        if (size > 2 && size <= 8) /* 2: the same as exchanged bytes */
            offer(reversed, exchanged_share(bytes, size - 1, wrong), (int64_t)size, 0);
    }
}

/* The largest or smallest integer: 7f or 80 in its highest byte, ff or 00 below. */
static bool is_extreme(const struct output_bytes *bytes, const uint8_t *at) {
    const uint8_t high = at[bytes->element - 1];
    return (high == 0x7f || high == 0x80) && (bytes->element == 1 || at[0] == (high == 0x7f ? 0xff : 0));
}

static double saturated_share(const struct output_bytes *bytes, size_t wrong) {
    size_t extreme = 0;
    for (size_t i = 0; bytes->element && i + bytes->element <= bytes->n; i += bytes->element)
        for (unsigned k = 0; k < bytes->element; k++)
            extreme += is_wrong(bytes, i + k) && is_extreme(bytes, bytes->found + i);
    return (double)extreme / (double)wrong;
}

/* Wrong bytes in one half of each block, and none in the other; the wrong bytes must be in most of the blocks. */
static void find_half(const struct output_bytes *bytes, size_t wrong, struct output_pattern *best) {
    for (size_t half = 2; half <= HALF_MAX && 4 * half <= bytes->n; half *= 2) {
        size_t in_upper = 0, blocks_hit = 0, last = SIZE_MAX;
        for (size_t i = 0; i < bytes->n; i++) {
            const bool bad = is_wrong(bytes, i);
            in_upper += bad && i / half % 2;
            blocks_hit += bad && i / (2 * half) != last;
            last = bad ? i / (2 * half) : last;
        }
        const bool usual = 2 * blocks_hit > bytes->n / (2 * half);
        if (usual && (in_upper == 0 || in_upper == wrong))
            offer(best, 1, (int64_t)half, in_upper != 0);
    }
}

/* All wrong beats are those of one phase, and most beats of that phase are wrong. */
static void find_period(const struct output_bytes *bytes, size_t first, struct output_pattern *best) {
    const size_t beats = (bytes->n + bytes->beat - 1) / bytes->beat, start = first / bytes->beat;
    bool *bad = xcalloc(beats, sizeof *bad);
    for (size_t i = 0; i < bytes->n; i++)
        bad[i / bytes->beat] |= is_wrong(bytes, i);
    for (size_t period = 2; best->share == 0 && period <= PERIOD_MAX && 3 * period <= beats; period++) {
        const size_t phase = start % period;
        size_t in_phase = 0, others = 0, due = 0;
        for (size_t i = 0; i < beats; i++) {
            in_phase += i % period == phase && bad[i];
            others += i % period != phase && bad[i];
            due += i % period == phase;
        }
        if (others == 0 && in_phase * 2 > due)
            offer(best, 1, (int64_t)period, (unsigned)phase);
    }
    free(bad);
}

void output_patterns(const struct output_bytes *bytes, struct output_pattern patterns[PATTERN_KINDS]) {
    size_t first = 0;
    const size_t wrong = output_wrong(bytes, &first);
    for (int kind = 0; kind < PATTERN_KINDS; kind++)
        patterns[kind] = (struct output_pattern){.kind = (enum pattern_kind)kind};
    if (!wrong)
        return;
    patterns[PATTERN_ZEROS].share = share_of(bytes, NULL, wrong);
    patterns[PATTERN_STALE].share = bytes->before ? share_of(bytes, bytes->before, wrong) : 0;
    find_shift(bytes, wrong, &patterns[PATTERN_SHIFTED]);
    find_order(bytes, wrong, &patterns[PATTERN_EXCHANGED], &patterns[PATTERN_REVERSED]);
    patterns[PATTERN_SATURATED].share = saturated_share(bytes, wrong);
    find_half(bytes, wrong, &patterns[PATTERN_HALF]);
    find_period(bytes, first, &patterns[PATTERN_PERIODIC]);
}

static bool occurs(const uint8_t *atom, size_t size, const uint8_t *other, size_t n) {
    for (size_t at = 0; at + size <= n; at += size)
        if (memcmp(other + at, atom, size) == 0)
            return true;
    return false;
}

/* Atoms of equal bytes occur everywhere. */
static bool is_telling(const uint8_t *atom, size_t size) {
    return size > 1 && memcmp(atom, atom + 1, size - 1) != 0;
}

double output_elsewhere(const struct output_bytes *bytes, const uint8_t *other, size_t n) {
    size_t telling = 0, found = 0;
    for (size_t at = 0; telling < ELSEWHERE_ATOMS && bytes->atom && at + bytes->atom <= bytes->n; at += bytes->atom) {
        const uint8_t *atom = bytes->found + at;
        if (memcmp(atom, bytes->expected + at, bytes->atom) == 0 || !is_telling(atom, bytes->atom))
            continue;
        telling++;
        found += occurs(atom, bytes->atom, other, n);
    }
    return telling ? (double)found / (double)telling : 0;
}

static void shift_text(const struct output_bytes *bytes, int64_t distance, char text[PATTERN_TEXT]) {
    const size_t size = (size_t)llabs(distance);
    const char *unit = size == bytes->atom      ? "an atom"
                       : size == bytes->line    ? "a line"
                       : size == bytes->surface ? "a surface"
                                                : "a beat";
    snprintf(text, PATTERN_TEXT, "shifted by %s (%zu bytes) to %s addresses", unit, size,
             distance > 0 ? "higher" : "lower");
}

char *output_pattern_text(const struct output_bytes *bytes, const struct output_pattern *pattern,
                          char text[PATTERN_TEXT]) {
    const long long distance = (long long)pattern->distance;
    switch (pattern->kind) {
    case PATTERN_ZEROS:
        snprintf(text, PATTERN_TEXT, "zeros");
        break;
    case PATTERN_STALE:
        snprintf(text, PATTERN_TEXT, "stale: what the memory held before the run");
        break;
    case PATTERN_SHIFTED:
        shift_text(bytes, pattern->distance, text);
        break;
    case PATTERN_EXCHANGED:
        snprintf(text, PATTERN_TEXT, "exchanged: neighbouring pieces of %lld byte%s", distance,
                 distance == 1 ? "" : "s");
        break;
    case PATTERN_REVERSED:
        snprintf(text, PATTERN_TEXT, "reversed: the bytes of each word of %lld bytes (endianness)", distance);
        break;
    case PATTERN_SATURATED:
        snprintf(text, PATTERN_TEXT, "saturated: the largest or smallest integer (wrong table or scale?)");
        break;
    case PATTERN_HALF:
        snprintf(text, PATTERN_TEXT, "only in the %s half of each block of %lld bytes",
                 pattern->phase ? "upper" : "lower", 2 * distance);
        break;
    default:
        snprintf(text, PATTERN_TEXT, "only in every %lldth beat of %u bytes, from beat %u on", distance, bytes->beat,
                 pattern->phase);
        break;
    }
    return text;
}
