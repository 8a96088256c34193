/* Writes the parts of HTML pages. See markup.h. */
#include "report/markup.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "report/base.embed.h"
#include "report/escape.h"

void html_text(FILE *out, const char *text) {
    escape_text(out, text);
}

void html_printf(FILE *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = xvprintf(format, arguments);
    va_end(arguments);
    html_text(out, text);
    free(text);
}

char *html_count(uint64_t value, char text[HTML_NUMBER]) {
    char digits[HTML_NUMBER];
    const int n = snprintf(digits, sizeof digits, "%" PRIu64, value);
    int length = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            text[length++] = ',';
        text[length++] = digits[i];
    }
    text[length] = '\0';
    return text;
}

char *html_bytes(uint64_t value, char text[HTML_NUMBER]) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    double size = (double)value;
    size_t unit = 0;
    while (size >= 10000 && unit + 1 < sizeof units / sizeof *units) {
        size /= 1000;
        unit++;
    }
    snprintf(text, HTML_NUMBER, unit == 0 ? "%.0f %s" : "%.1f %s", size, units[unit]);
    return text;
}

double html_step(double span, int most) {
    static const double factors[] = {1, 2, 5, 10};
    const double least = span / most, unit = pow(10, floor(log10(least)));
    for (size_t i = 0; i + 1 < sizeof factors / sizeof *factors; i++)
        if (factors[i] * unit >= least * (1 - 1e-9))
            return factors[i] * unit;
    return 10 * unit;
}

void html_section(FILE *out, const char *id, const char *title, const char *about) {
    fprintf(out, "<section id=\"%s\" aria-labelledby=\"%s-title\"><h2 id=\"%s-title\">%s</h2>\n", id, id, id, title);
    if (about)
        fprintf(out, "<p class=\"about\">%s</p>\n", about);
}

void html_begin(FILE *out, const char *status, const char *title, const char *css) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    html_text(out, status);
    fputc(' ', out);
    html_text(out, title);
    fputs("</title>\n<style>\n", out);
    fputs(base_css, out);
    fputs(css, out);
    fputs("</style>\n</head>\n<body>\n<button id=\"theme\" type=\"button\" hidden>light / dark</button>\n", out);
}

void html_end(FILE *out, const char *js) {
    fputs("<script>\n", out);
    fputs(base_js, out);
    fputs(js, out);
    fputs("</script>\n</body>\n</html>\n", out);
}
