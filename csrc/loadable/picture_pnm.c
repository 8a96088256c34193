/* PGM and PPM, plain (P2, P3) and raw (P5, P6), of 8 and 16 bits. */

#include "loadable/picture.h"
#include "loadable/picture_parts.h"

struct scan {
    const struct picture_source *source;
    size_t at;
};

static bool blank(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next number of a header or of plain samples, after any blanks and comments. */
static bool number(struct scan *scan, unsigned long most, const char *what, unsigned long *value, struct error *err) {
    const uint8_t *bytes = scan->source->bytes;
    const size_t n = scan->source->n;
    while (scan->at < n && (blank(bytes[scan->at]) || bytes[scan->at] == '#'))
        if (bytes[scan->at++] == '#')
            while (scan->at < n && bytes[scan->at] != '\n')
                scan->at++;
    const size_t start = scan->at;
    *value = 0;
    while (scan->at < n && bytes[scan->at] >= '0' && bytes[scan->at] <= '9' && *value <= most)
        *value = *value * 10 + (unsigned long)(bytes[scan->at++] - '0');
    if (scan->at == n && start == n)
        return error_set(err, "%s: the file ends at byte %zu; expected %s", scan->source->path, n, what);
    if (scan->at == start || *value > most)
        return error_set(err, "%s: byte %zu: found %s; expected %s, a number from 0 to %lu", scan->source->path, start,
                         scan->at == start ? "no number" : "a greater number", what, most);
    return true;
}

bool picture_parse_pnm(const struct picture_source *source, struct picture *picture, struct error *err) {
    const char kind = (char)source->bytes[1];
    if (kind != '2' && kind != '3' && kind != '5' && kind != '6')
        return error_set(err, "%s: found a portable picture of kind P%c; expected P2 or P5 (PGM), P3 or P6 (PPM)",
                         source->path, kind);
    struct scan scan = {source, 2};
    unsigned long width, height, maximum;
    if (!number(&scan, 1000000, "the width", &width, err) || !number(&scan, 1000000, "the height", &height, err) ||
        !number(&scan, 65535, "the greatest sample", &maximum, err))
        return false;
    if (maximum == 0)
        return error_set(err, "%s: found 0 as the greatest sample; expected 1 to 65535", source->path);
    const bool plain = kind < '5';
    const unsigned channels = kind == '3' || kind == '6' ? 3 : 1, wide = maximum > 255 ? 2 : 1;
    /* One blank after the header of raw samples; a plain sample takes a digit and a blank, the last one perhaps only a
     * digit. */
    if (!plain && (scan.at >= source->n || !blank(source->bytes[scan.at++])))
        return error_set(err, "%s: byte %zu: found no blank after the header", source->path, scan.at);
    const uint64_t samples = (uint64_t)width * height * channels;
    const uint64_t needed = plain ? 2 * samples - (samples > 0) : samples * wide;
    if (samples <= PICTURE_SAMPLES_MAX && source->n - scan.at < needed)
        return error_set(err, "%s: found %zu bytes after the header; expected at least %llu for %lu x %lu pixels",
                         source->path, source->n - scan.at, (unsigned long long)needed, width, height);
    if (!picture_allocate(source, width, height, channels, (unsigned)maximum, picture, err))
        return false;
    const uint8_t *raw = source->bytes + scan.at;
    for (size_t i = 0; i < samples; i++) {
        unsigned long value;
        if (plain) {
            if (!number(&scan, maximum, "a sample", &value, err))
                return false;
        } else {
            value = wide == 2 ? (unsigned long)(raw[2 * i] << 8 | raw[2 * i + 1]) : raw[i];
            if (value > maximum)
                return error_set(err, "%s: byte %zu: found a sample of %lu; expected 0 to %lu, as the header says",
                                 source->path, scan.at + i * wide, value, maximum);
        }
        picture->samples[i] = (uint16_t)value;
    }
    return true;
}
