/* The progress line on a terminal. */
#include "run/process/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "run/process/process.h"

struct progress progress_start(void) {
    return (struct progress){.start = process_clock(), .terminal = isatty(STDERR_FILENO)};
}

bool progress_due(struct progress *progress) {
    const double now = process_clock();
    if (!progress->terminal || now - progress->start < 2 || now - progress->last < 0.2)
        return false;
    progress->last = now;
    return true;
}

int terminal_columns(int file) {
    enum { USUAL = 80 };
    struct winsize window;
    if (ioctl(file, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        return window.ws_col;
    return isatty(file) ? USUAL : 0;
}

void progress_show(struct progress *progress, const char *format, ...) {
    va_list arguments;
    if (!progress->terminal)
        return;
    va_start(arguments, format);
    autofree char *text = xvprintf(format, arguments);
    va_end(arguments);
    const int width = terminal_columns(STDERR_FILENO) - 1;
    fprintf(stderr, "\r%.*s\033[K", width > 0 ? width : 0, text);
    fflush(stderr);
    progress->shown = true;
}

void progress_clear(struct progress *progress) {
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

char *progress_left(const struct progress *progress, double done, double total, char *text, size_t size) {
    text[0] = '\0';
    if (done > 0 && total >= done) {
        const long left = (long)((process_clock() - progress->start) * (total - done) / done + 0.5);
        if (left >= 3600)
            snprintf(text, size, ", %ld:%02ld:%02ld left", left / 3600, left / 60 % 60, left % 60);
        else
            snprintf(text, size, ", %ld:%02ld left", left / 60, left % 60);
    }
    return text;
}

char *progress_number(double value, char *text, size_t size) {
    static const char *const units[] = {"", "k", "M", "G"};
    int unit = 0;
    for (; value >= 1000 && unit < 3; unit++)
        value /= 1000;
    snprintf(text, size, "%.*f%s", unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2, value, units[unit]);
    return text;
}

void progress_count(struct progress *progress, const char *what, size_t done, size_t total, const char *things) {
    char left[48];
    if (progress_due(progress))
        progress_show(progress, "%s: %zu of %zu %s%s", what, done, total, things,
                      progress_left(progress, (double)done, (double)total, left, sizeof left));
}

bool terminal_has_colour(int file) {
    const char *forbidden = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(file) && !(forbidden && *forbidden) && terminal && strcmp(terminal, "dumb") != 0;
}
