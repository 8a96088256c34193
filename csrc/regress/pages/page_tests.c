/* The section of all tests: data from which the script makes the table. See page_parts.h.
 *
 * Columns of texts repeat themselves: a text is 0 if it is that of the test before, [N, "rest"] if it begins like that
 * one with N characters, else a string. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "regress/pages/page_parts.h"

/* How many bytes both begin with, ASCII only: the script counts characters. */
static size_t common(const char *a, const char *b) {
    size_t n = 0;
    while (a[n] && a[n] == b[n] && (unsigned char)a[n] < 0x80)
        n++;
    return n;
}

static void write_texts(FILE *out, const struct review *review, const char *name, size_t offset) {
    enum { WORTH = 8 /* bytes that it takes to say it */ };
    fprintf(out, ",\n\"%s\":[", name);
    char *last = NULL;
    for (size_t i = 0; i < review->test_count; i++) {
        const char *text = *(const char *const *)(const void *)((const char *)&review->tests[i] + offset);
        char *shown = text_shown(text ? text : "");
        const size_t same = last ? common(last, shown) : 0;
        fputs(i ? "," : "", out);
        if (last && strcmp(last, shown) == 0)
            fputc('0', out);
        else if (same >= WORTH) {
            fprintf(out, "[%zu,", same);
            page_json_text(out, shown + same, strlen(shown + same));
            fputc(']', out);
        } else
            page_json_text(out, shown, strlen(shown));
        free(last);
        last = shown;
    }
    free(last);
    fputc(']', out);
}

/* A whole number, which fprintf() takes ten times as long for. */
static void put_number(FILE *out, int64_t number) {
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        digits[--at] = '-';
    fwrite(&digits[at], 1, sizeof digits - at, out);
}

/* A column of what `write` writes for each test. */
#define COLUMN(name, write)                                                                                            \
    do {                                                                                                               \
        fputs(",\n\"" name "\":[", out);                                                                               \
        for (size_t i = 0; i < review->test_count; i++) {                                                              \
            const struct review_test *test = &review->tests[i];                                                        \
            if (i)                                                                                                     \
                fputc(',', out);                                                                                       \
            write;                                                                                                     \
        }                                                                                                              \
        fputc(']', out);                                                                                               \
    } while (0)

#define NUMBERS(name, expression) COLUMN(name, put_number(out, expression))
#define REALS(name, format, expression) COLUMN(name, fprintf(out, format, expression))

/* Bits that the filters of the table ask for. */
enum { NEW_FAILURE = 1, NEW_PASS = 2, FLAKY = 4, KNOWN = 8, EXPIRED = 16 };

static int flags_of(const struct review_test *test) {
    return (test->new_failure ? NEW_FAILURE : 0) | (test->new_pass ? NEW_PASS : 0) |
           (test->flaky != REVIEW_STEADY ? FLAKY : 0) | (test->known ? KNOWN : 0) |
           (test->excuse && !test->known ? EXPIRED : 0);
}

static void write_data(FILE *out, const struct review *review) {
    static const struct {
        const char *name;
        size_t offset;
    } texts[] = {
        {"key", offsetof(struct review_test, key)},
        {"config", offsetof(struct review_test, config)},
        {"dut", offsetof(struct review_test, dut)},
        {"memory", offsetof(struct review_test, memory)},
        {"tags", offsetof(struct review_test, tags)},
        {"reason", offsetof(struct review_test, reason)},
        {"signature", offsetof(struct review_test, signature)},
        {"mismatch", offsetof(struct review_test, mismatch)},
        {"known", offsetof(struct review_test, excuse)},
        {"flaky", offsetof(struct review_test, flaky_text)},
        {"host", offsetof(struct review_test, host)},
        {"page", offsetof(struct review_test, page)},
        {"command", offsetof(struct review_test, command)},
        {"debug", offsetof(struct review_test, debug_command)},
    };
    fputs("<script type=\"application/json\" id=\"tests-data\">{\"verdicts\":[", out);
    for (int v = 0; v < VERDICT_COUNT; v++)
        fprintf(out, "%s\"%s\"", v ? "," : "", verdict_names[v]);
    fprintf(out, "],\"before\":%" PRId64 ",\"buckets\":[", review->before);
    for (size_t i = 0; i < review->bucket_count; i++)
        fprintf(out, "%s%" PRId64, i ? "," : "", review->buckets[i].number);
    fputs("]", out);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        write_texts(out, review, texts[i].name, texts[i].offset);
    fputs(",\n\"past\":[", out);
    for (size_t i = 0; i < review->test_count; i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", review->tests[i].past);
    fputc(']', out);
    NUMBERS("number", test->number);
    NUMBERS("verdict", test->verdict);
    NUMBERS("state", (int)test->state);
    NUMBERS("flags", flags_of(test));
    NUMBERS("bucket", test->bucket);
    NUMBERS("cycles", test->cycles);
    REALS("ratio", "%.5g", test->ratio);
    REALS("seconds", "%.4g", test->seconds);
    REALS("cpu", "%.4g", test->cpu_seconds);
    NUMBERS("peak", test->memory_peak);
    REALS("seed", "\"%" PRIu64 "\"", (uint64_t)test->seed); /* a number of the script has 53 bits */
    REALS("layerSeed", "\"%" PRIu64 "\"", test->random ? (uint64_t)test->layer_seed : 0);
    fputs("}</script>\n", out);
}

void page_tests(FILE *out, const struct review *review) {
    if (review->test_count == 0)
        return;
    html_section(out, "tests", "All tests", NULL);
    fputs(
        "<noscript><p>The table needs JavaScript; nvcosim history shows the same.</p></noscript>\n"
        "<form class=\"filters\" hidden><input type=\"search\" name=\"text\" placeholder=\"text in test, reason, "
        "signature\" aria-label=\"text\"><select name=\"show\" aria-label=\"verdict\"></select><select name=\"config\" "
        "aria-label=\"configuration\"></select><select name=\"tag\" aria-label=\"tag\"></select><select name=\"sort\" "
        "aria-label=\"sort by\"></select><button type=\"reset\">all</button><output></output></form>\n"
        "<div class=\"scroll\"><table class=\"all sortable\"></table></div>\n"
        "<p class=\"more\" hidden><button type=\"button\"></button></p>\n",
        out);
    write_data(out, review);
    fputs("</section>\n", out);
}
