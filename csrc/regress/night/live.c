/* Live lines and the block on a terminal. See live.h. */
#include "regress/night/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "run/process/process.h"
#include "run/process/progress.h"

/* Seconds between two drawings of the block. */
#define DRAW_SECONDS 0.2

enum { TENTHS = 10, BAR_MOST = 30, NAME_MOST = 60, ROWS_DEFAULT = 24, COLUMNS_DEFAULT = 80 };

enum state { WAITING, RUNNING, DONE };

struct watched {
    enum state state;
    double start, part;
};

struct live {
    const struct test_list *tests;
    const struct schedule *schedule;
    size_t before, done, running; /* done: with those before */
    size_t total;
    int jobs;
    struct watched *watched;      /* of each test */
    size_t passed, failed, known; /* of this call; known: failures */
    double expected, took;        /* seconds of those done that had an expectation */
    double all_took;              /* of all that are done */
    double start;                 /* process_clock() */
    size_t printed;               /* tenths that have had their line */
    bool terminal, colour, colour_out;
    double drawn; /* process_clock() of the last drawing */
    int *lengths; /* columns of the lines of the block on the screen */
    size_t lines; /* how many */
};

char *live_time(double seconds, char *text) {
    const long n = seconds > 0 ? (long)(seconds + 0.5) : 0;
    if (n >= 3600)
        snprintf(text, LIVE_TIME, "%ld:%02ld:%02ld", n / 3600, n / 60 % 60, n % 60);
    else
        snprintf(text, LIVE_TIME, "%ld:%02ld", n / 60, n % 60);
    return text;
}

struct live *live_open(const struct test_list *tests, const struct schedule *schedule, size_t before, int jobs) {
    const char *terminal = getenv("TERM");
    struct live *live = xcalloc(1, sizeof *live);
    *live = (struct live){.tests = tests,
                          .schedule = schedule,
                          .before = before,
                          .done = before,
                          .total = before + schedule->count,
                          .jobs = jobs,
                          .start = process_clock(),
                          .watched = xcalloc(tests->count, sizeof *live->watched),
                          .terminal = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0,
                          .colour = terminal_has_colour(STDERR_FILENO),
                          .colour_out = terminal_has_colour(STDOUT_FILENO)};
    live->printed = live->total ? live->done * TENTHS / live->total : 0;
    return live;
}

bool live_on_terminal(const struct live *live) {
    return live->terminal;
}

/* ---- the time left ---- */

/* Seconds that a test of that expectation takes here and now. */
static double scaled(const struct live *live, double expected) {
    if (expected > 0)
        return live->expected > 0 ? expected * live->took / live->expected : expected;
    const size_t done = live->done - live->before;
    return done > 0 ? live->all_took / (double)done : 0;
}

/* Seconds left; negative: not known. A second of a test costs at least its part of a process, and as much more as it
 * has cost until now: short tests take longer to be started and stored than to run. */
static double time_left(const struct live *live) {
    const double now = process_clock();
    double work = 0, longest = 0, done = live->all_took;
    for (size_t i = 0; i < live->schedule->count; i++) {
        const size_t test = live->schedule->order[i];
        const struct watched *watched = &live->watched[test];
        const double whole = scaled(live, live->schedule->seconds[test]), elapsed = now - watched->start;
        if (watched->state == DONE)
            continue;
        if (whole <= 0 && watched->state == WAITING)
            return -1;
        double rest = whole;
        if (watched->state == RUNNING) {
            rest = watched->part > 0.05 ? elapsed * (1 - watched->part) / watched->part
                   : whole > elapsed    ? whole - elapsed
                                        : 0;
            done += elapsed;
        }
        work += rest;
        longest = rest > longest ? rest : longest;
    }
    const double share = 1 / (double)(live->running > (size_t)live->jobs ? live->running : (size_t)live->jobs),
                 cost = done > 0 ? (now - live->start) / done : 0;
    work *= cost > share ? cost : share;
    return work > longest ? work : longest;
}

/* ", 2:35 left", "" if it is not known. */
static char *left_text(const struct live *live, char text[LIVE_TIME + 16]) {
    char time[LIVE_TIME];
    const double left = time_left(live);
    text[0] = '\0';
    if (left >= 0 && live->done < live->total)
        snprintf(text, LIVE_TIME + 16, ", %s left", live_time(left > 1 ? left : 1, time));
    return text;
}

/* ---- the block ---- */

/* Columns of a text without control characters. */
static int columns(const char *text) {
    int n = 0;
    for (const char *c = text; *c; c++)
        n += (*c & 0xc0) != 0x80;
    return n;
}

/* The text, cut to so many columns. */
static void cut(char *text, int most) {
    for (char *c = text; *c; c++)
        if ((*c & 0xc0) != 0x80 && most-- <= 0) {
            *c = '\0';
            return;
        }
}

/* Goes up to the first line of the block on the screen. A terminal that was made narrower has wrapped its lines. */
static void go_up(const struct live *live, struct text *out, int width) {
    int rows = 0;
    for (size_t i = 0; i < live->lines; i++)
        rows += live->lengths[i] > width ? (live->lengths[i] + width - 1) / width : 1;
    if (rows > 0)
        text_printf(out, "\033[%dA", rows);
    text_printf(out, "\r");
}

/* Adds a line, cut to the width. Takes it. */
static void add_line(struct live *live, struct text *out, int width, char *line) {
    cut(line, width - 1);
    text_printf(out, "%s\033[K\n", line);
    live->lengths = xrealloc(live->lengths, (live->lines + 1) * sizeof *live->lengths);
    live->lengths[live->lines++] = columns(line);
    free(line);
}

static char *counts_text(const struct live *live) {
    struct text text = {0};
    text_printf(&text, "%zu passed, %zu failed", live->passed, live->failed);
    if (live->known)
        text_printf(&text, ", %zu as known", live->known);
    return text.text;
}

static char *head_line(const struct live *live, int width) {
    char left[LIVE_TIME + 16], bar[BAR_MOST + 1];
    char *counts = counts_text(live);
    left_text(live, left);
    int room = width - 1 - (int)(strlen(counts) + strlen(left) + sizeof "12345 of 12345 done []: ");
    room = room > BAR_MOST ? BAR_MOST : room;
    const int full = live->total && room > 0 ? (int)((size_t)room * live->done / live->total) : 0;
    for (int i = 0; i < room; i++)
        bar[i] = i < full ? '#' : '.';
    bar[room > 0 ? room : 0] = '\0';
    char *line = xprintf("%s%s%s%zu of %zu done: %s%s", room > 5 ? "[" : "", room > 5 ? bar : "", room > 5 ? "] " : "",
                         live->done, live->total, counts, left);
    free(counts);
    return line;
}

static char *test_line(const struct live *live, size_t test, int width) {
    enum { FIGURES = sizeof "  100 %    1:02:03" };
    const struct watched *watched = &live->watched[test];
    char time[LIVE_TIME];
    char *name = text_shown(live->tests->tests[test].key);
    int room = width - 1 - FIGURES - 2;
    room = room > NAME_MOST ? NAME_MOST : room > 8 ? room : 8;
    cut(name, room);
    char *line = xprintf("  %s%*s %4.0f %% %8s", name, room - columns(name), "", 100 * watched->part,
                         live_time(process_clock() - watched->start, time));
    free(name);
    return line;
}

static void get_size(int *rows, int *width) {
    struct winsize window;
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0;
    *rows = known && window.ws_row > 1 ? window.ws_row : ROWS_DEFAULT;
    *width = known && window.ws_col > 1 ? window.ws_col : COLUMNS_DEFAULT;
}

static void put_out(struct text *out) {
    fflush(stdout);
    for (size_t at = 0; at < out->n;) {
        const ssize_t n = write(STDERR_FILENO, out->text + at, out->n - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    free(out->text);
}

static void draw(struct live *live) {
    struct text out = {0};
    int rows, width;
    get_size(&rows, &width);
    go_up(live, &out, width);
    live->lines = 0;
    text_printf(&out, "\033[?7l"); /* no line breaks, should the terminal have become narrower just now */
    add_line(live, &out, width, head_line(live, width));
    size_t room = rows > 2 ? (size_t)rows - 2 : 0;
    if (live->running > room)
        room = room > 0 ? room - 1 : 0;
    size_t shown = 0;
    for (size_t i = 0; i < live->schedule->count && shown < room && shown < live->running; i++)
        if (live->watched[live->schedule->order[i]].state == RUNNING) {
            add_line(live, &out, width, test_line(live, live->schedule->order[i], width));
            shown++;
        }
    if (shown < live->running && rows > 2)
        add_line(live, &out, width, xprintf("  and %zu more", live->running - shown));
    text_printf(&out, "\033[?7h\033[J");
    put_out(&out);
}

/* Takes the block away, so that a line can be printed. */
static void clear(struct live *live) {
    struct text out = {0};
    int rows, width;
    if (live->lines == 0)
        return;
    get_size(&rows, &width);
    go_up(live, &out, width);
    text_printf(&out, "\033[J");
    live->lines = 0;
    live->drawn = 0;
    put_out(&out);
}

void live_tick(struct live *live) {
    const double now = process_clock();
    if (!live->terminal || now - live->drawn < DRAW_SECONDS || tcgetpgrp(STDERR_FILENO) != getpgrp())
        return;
    live->drawn = now;
    draw(live);
}

/* ---- lines ---- */

static const char *const colours[VERDICT_COUNT] = {
    [VERDICT_PASS] = "\033[32m",    [VERDICT_FAIL] = "\033[31m",    [VERDICT_HANG] = "\033[35m",
    [VERDICT_REFUSED] = "\033[33m", [VERDICT_CRASH] = "\033[1;31m", [VERDICT_ERROR] = "\033[33m"};

/* A row on a terminal, all of it elsewhere: the summary and the page have the rest. */
static void print_result(struct live *live, const struct test *test, const struct result *result) {
    const char *verdict = verdict_names[result->verdict];
    const int width = terminal_columns(STDOUT_FILENO);
    char *line = result->verdict != VERDICT_PASS ? xprintf("%s: %s", test->key, result->reason ? result->reason : "")
                                                 : xprintf("%s: known to fail until %s: %s", test->key,
                                                           test->known_until ? test->known_until : "?", test->known);
    char *shown = text_shown(line);
    if (width > 0)
        cut(shown, width - (int)strlen(verdict) - 1);
    clear(live);
    printf("%s%s%s %s\n", live->colour_out ? colours[result->verdict] : "", verdict, live->colour_out ? "\033[0m" : "",
           shown);
    fflush(stdout);
    free(shown);
    free(line);
}

/* If stderr is not a terminal, a line every tenth. */
static void print_tenth(struct live *live) {
    char left[LIVE_TIME + 16];
    const size_t tenth = live->done * TENTHS / live->total;
    if (live->terminal || tenth == live->printed || live->done == live->total)
        return;
    live->printed = tenth;
    char *counts = counts_text(live);
    printf("%zu of %zu done: %s%s\n", live->done, live->total, counts, left_text(live, left));
    fflush(stdout);
    free(counts);
}

void live_started(struct live *live, size_t test) {
    live->running += live->watched[test].state != RUNNING; /* it may run again, where a machine was lost */
    live->watched[test] = (struct watched){.state = RUNNING, .start = process_clock()};
}

void live_progress(struct live *live, size_t test, double part) {
    live->watched[test].part = part;
}

void live_ended(struct live *live, size_t test) {
    live->running -= live->watched[test].state == RUNNING;
    live->watched[test].state = DONE;
}

void live_result(struct live *live, size_t test, const struct result *result) {
    const struct test *is = &live->tests->tests[test];
    const bool passed = result->verdict == VERDICT_PASS;
    live_ended(live, test);
    live->done++;
    live->passed += passed;
    live->known += !passed && is->known;
    live->failed += !passed && !is->known;
    live->all_took += result->seconds;
    if (live->schedule->seconds[test] > 0) {
        live->expected += live->schedule->seconds[test];
        live->took += result->seconds;
    }
    if (passed == (is->known != NULL))
        print_result(live, is, result);
    print_tenth(live);
}

void live_message(struct live *live, const char *line) {
    clear(live);
    fprintf(stderr, "nvcosim: %s\n", line);
}

void live_close(struct live *live) {
    clear(live);
    free(live->lengths);
    free(live->watched);
    free(live);
}
