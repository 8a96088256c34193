/* Strings. See text.h. */
#include "nvdla/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

void text_free(struct text *text) {
    free(text->text);
}

void text_add(struct text *text, const void *bytes, size_t n) {
    if (text->n + n + 1 > text->capacity) {
        text->capacity = (text->n + n + 1) * 2;
        text->text = xrealloc(text->text, text->capacity);
    }
    if (n)
        memcpy(text->text + text->n, bytes, n);
    text->n += n;
    text->text[text->n] = 0;
}

void text_put(struct text *text, const char *more) {
    text_add(text, more, strlen(more));
}

void text_printf(struct text *text, const char *format, ...) {
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof small) {
        text_add(text, small, (size_t)n);
    } else if (n > 0) {
        autofree char *big = xmalloc((size_t)n + 1);
        vsnprintf(big, (size_t)n + 1, format, again);
        text_add(text, big, (size_t)n);
    }
    va_end(again);
}

/* Bytes of the UTF-8 character at text if it may be shown unchanged. 0: a control character (U+0080 to U+009F, too) or
 * a malformed sequence. */
static size_t printable(const unsigned char *text, size_t n) {
    if (text[0] < 0x80)
        return text[0] >= 0x20 && text[0] != 0x7f;
    const size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    const bool long_form = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    const bool outside = (text[0] == 0xed && text[1] >= 0xa0) || (text[0] == 0xf4 && text[1] >= 0x90);
    const bool control = text[0] == 0xc2 && text[1] < 0xa0;
    return long_form || outside || control ? 0 : length;
}

char *text_shown_bytes(const char *text, size_t n, char *out, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < n;) {
        char piece[5];
        size_t length = printable((const unsigned char *)text + i, n - i), taken = length ? length : 1;
        if (length) {
            memcpy(piece, text + i, length);
        } else if (text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
            length = 2;
            piece[0] = '\\';
            piece[1] = text[i] == '\n' ? 'n' : text[i] == '\t' ? 't' : 'r';
        } else {
            length = (size_t)snprintf(piece, sizeof piece, "\\x%02x", (unsigned)(unsigned char)text[i]);
        }
        if (used + length >= size)
            break;
        memcpy(out + used, piece, length);
        used += length;
        i += taken;
    }
    if (size)
        out[used] = '\0';
    return out;
}

char *text_shown_into(const char *text, char *out, size_t size) {
    return text_shown_bytes(text, strlen(text), out, size);
}

enum { GUESS_LENGTH = sizeof((struct guess *)0)->best, GUESS_DISTANCE = 2 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edit distance of two words: letters changed, left out, added or swapped with their neighbour. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb) {
    size_t rows[3][GUESS_LENGTH + 1]; /* of the last three prefixes of a */
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *row = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            const bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            row[j] = least(before[j - 1] + !same, least(before[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 2]) &&
                tolower((unsigned char)a[i - 2]) == tolower((unsigned char)b[j - 1]))
                row[j] = least(row[j], earlier[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

void guess_try(struct guess *guess, const char *candidate) {
    const size_t n = strlen(candidate), most = least(GUESS_DISTANCE, (guess->n - (guess->n > 0)) / 2);
    if (guess->n >= GUESS_LENGTH || n >= GUESS_LENGTH || n + most < guess->n || guess->n + most < n)
        return;
    const size_t found = distance(guess->word, guess->n, candidate, n);
    if (found > most || (guess->best[0] && found >= guess->distance))
        return;
    memcpy(guess->best, candidate, n + 1);
    guess->distance = found;
}

char *guess_hint(const struct guess *guess, char text[96]) {
    snprintf(text, 96, guess->best[0] ? "; did you mean %s?" : "%s", guess->best);
    return text;
}

const char *text_plural(uint64_t n, const char *one, const char *many) {
    return n == 1 ? one : many;
}

bool text_ends_with(const char *text, const char *suffix) {
    const size_t n = strlen(text), m = strlen(suffix);
    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

char *text_shown(const char *text) {
    const size_t n = strlen(text);
    char *shown = xmalloc(4 * n + 1);
    return text_shown_bytes(text, n, shown, 4 * n + 1);
}

void text_print_line(FILE *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    autofree char *line = xvprintf(format, arguments), *shown = text_shown(line);
    va_end(arguments);
    fprintf(out, "%s\n", shown);
}

/* Whether a byte continues a character that began before it. */
static bool goes_on(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t text_columns(const char *text) {
    size_t columns = 0;
    for (; *text; text++)
        columns += !goes_on(*text);
    return columns;
}

char *text_quoted(const char *text) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
    struct text quoted = {0};
    const size_t n = strlen(text);
    if (n > 0 && strspn(text, plain) == n) {
        text_add(&quoted, text, n);
        return quoted.text;
    }
    text_add(&quoted, "'", 1);
    for (const char *c = text; *c; c++)
        if (*c == '\'')
            text_printf(&quoted, "'\\''");
        else
            text_add(&quoted, c, 1);
    text_add(&quoted, "'", 1);
    return quoted.text;
}

bool text_number(const char *text, uint64_t max, uint64_t *value) {
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    const int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
    const unsigned long long parsed = strtoull(text, &end, base);
    if (errno || *end || end == text || parsed > max)
        return false;
    *value = parsed;
    return true;
}

char *text_last_line(const char *text, size_t n) {
    size_t end = text ? n : 0;
    while (end > 0 && text[end - 1] == '\n')
        end--;
    size_t start = end;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    while (start < end && (text[start] == ' ' || text[start] == '\t'))
        start++;
    return end > 0 ? xstrndup(text + start, end - start) : xstrdup("");
}

static void add_word(struct words *words, char *word) {
    words->items = xrealloc(words->items, (words->count + 2) * sizeof *words->items);
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
}

void words_add(struct words *words, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_word(words, xvprintf(format, arguments));
    va_end(arguments);
}

void words_put(struct words *words, const char *word) {
    add_word(words, xstrdup(word));
}

void words_free(struct words *words) {
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct words){0};
}
