/* nvcosim streams: compares element streams for nvcosim diff, which is written in Python. */
#include <stdlib.h>

#include "cli/commands.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "observe/tap_compare.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

struct streams {
    int status;
    size_t compared;
    struct text only[2]; /* names of streams that only one folder has */
};

static void compare_streams(struct streams *streams, const char *name, const char *a, const char *b) {
    struct tap_difference difference;
    struct error err;
    char text[512];
    if (!tap_compare(a, b, &difference, &err)) {
        fprintf(stderr, "nvcosim diff: %s\n", err.text);
        streams->status = EXIT_BAD_INPUT;
        return;
    }
    streams->compared++;
    const int skipped = difference.skipped_a + difference.skipped_b;
    if (skipped > 0)
        printf("%s: %d launch%s at the beginning of %s left out, which %s does not have\n", name, skipped,
               skipped > 1 ? "es" : "", difference.skipped_a ? "A" : "B", difference.skipped_a ? "B" : "A");
    printf("%s: %s\n", name, tap_difference_text(&difference, "A", "B", text, sizeof text));
    if (difference.differs && streams->status == EXIT_OK)
        streams->status = EXIT_DIFFERENT;
}

static void compare_pair(void *context, const struct tap_pair *pair) {
    struct streams *streams = context;
    if (pair->a && pair->b)
        compare_streams(streams, pair->name, pair->a, pair->b);
    else
        text_printf(&streams->only[pair->b != NULL], " %s", pair->name);
}

static int diff_folders(const char *a, const char *b) {
    struct streams streams = {.status = EXIT_OK};
    tap_pairs(a, b, compare_pair, &streams);
    for (int i = 0; i < 2; i++) {
        if (streams.only[i].text)
            printf("only in %s:%s\n", i ? b : a, streams.only[i].text);
        free(streams.only[i].text);
    }
    if (streams.compared == 0 && streams.status == EXIT_OK) {
        fprintf(stderr, "nvcosim diff: found no element stream (UNIT.TAP.tap) that both %s and %s have\n", a, b);
        return EXIT_BAD_INPUT;
    }
    return streams.status;
}

int streams_main(int argc, char **argv) {
    static const struct argument option_table[] = {{0}};
    static const struct command command = {.options = option_table,
                                           .usage = "A B",
                                           .doc = "Compares two recorded element streams, or two folders of them.",
                                           .operands = {.most = 2, .expected = "two streams or folders"}};
    const char *paths[2] = {NULL, NULL};
    if (!command_read(&command, argc, argv, paths))
        return EXIT_BAD_INPUT;
    if (directory_exists(paths[0]))
        return diff_folders(paths[0], paths[1]);
    struct streams streams = {.status = EXIT_OK};
    compare_streams(&streams, "elements", paths[0], paths[1]);
    return streams.status;
}
