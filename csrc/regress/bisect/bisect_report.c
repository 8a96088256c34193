/* What nvcosim bisect prints: each revision, and at the end the commit, its files and how to debug it. See
 * bisect_parts.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "regress/bisect/bisect.h"
#include "regress/bisect/bisect_parts.h"
#include "run/options/options.h"

/* "1a2b3c4d5e 2026-01-31 subject"; free() it. */
static char *title_of(const struct bisect *bisect, const char *hash) {
    struct error err;
    char *text = GIT_WELL(bisect->top, &err, "log", "-1", "--no-show-signature", "--format=%cs %s", hash);
    char *shown = text_shown(text ? text : "");
    free(text);
    shown[text_fitting(shown, 60)] = '\0';
    char *title = xprintf("%.*s %s", SHORT_HASH, hash, shown);
    free(shown);
    return title;
}

void bisect_say(const struct bisect *bisect, const char *what, const char *hash, const struct look *look,
                const char *more) {
    static const enum {
        GREEN,
        RED,
        YELLOW
    } colours[] = {[BISECT_GOOD] = GREEN, [BISECT_BAD] = RED, [BISECT_OTHERWISE] = YELLOW, [BISECT_SKIP] = YELLOW};
    static const char *const codes[] = {[GREEN] = "\033[32m", [RED] = "\033[31m", [YELLOW] = "\033[33m"};
    const bool colour = terminal_has_colour(STDOUT_FILENO);
    char *title = title_of(bisect, hash);
    printf("%s %s\n  %s%s%s%s", what, title, colour ? codes[colours[look->state]] : "", look->text,
           colour ? "\033[0m" : "", more);
    if (look->cached)
        printf(" (built before, run %.1f s)\n", look->run_seconds);
    else if (look->run_seconds > 0)
        printf(" (build %.1f s, run %.1f s)\n", look->build_seconds, look->run_seconds);
    else
        putchar('\n');
    fflush(stdout);
    free(title);
}

/* Prints the lines of git about a commit. */
static void print_git(const struct bisect *bisect, const char *indent, const char *const *more) {
    struct error err;
    char *text = git_well(bisect->top, &err, more), *rest = text;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        for (char *tab = line; (tab = strchr(tab, '\t'));)
            *tab = ' ';
        char *shown = text_shown(line);
        if (shown[0])
            printf("%s%s\n", indent, shown);
        free(shown);
    }
    free(text);
}

static void print_debug(const struct bisect *bisect, const char *hash) {
    const struct bisect_options *options = bisect->options;
    char *checkout = xprintf("%s/tree-%.*s", bisect->out, SHORT_HASH, hash), *repo = text_quoted(bisect->top),
         *tree = text_quoted(checkout), *trace = text_quoted(options->trace);
    printf("debug it with:\n  git -C %s worktree add --detach %s %.*s\n", repo, tree, SHORT_HASH, hash);
    if (options->prepare) {
        char *prepare = text_quoted(options->prepare);
        printf("  (cd %s && eval %s)\n", tree, prepare);
        free(prepare);
    }
    struct text given = {0};
    for (size_t i = 0; i < options->run.count; i++) {
        char *word = text_quoted(options->run.items[i]);
        text_printf(&given, " %s", word);
        free(word);
    }
    if (options->filelist) {
        printf("  nvcosim build --config=%s --filelist=%s/%s --name=bad", options->config, tree, options->filelist);
        if (options->top)
            printf(" --top=%s", options->top);
        for (size_t i = 0; i < options->verilator.count; i++) {
            char *word = text_quoted(options->verilator.items[i]);
            printf(" --verilator-option=%s", word);
            free(word);
        }
        printf("\n  nvcosim debug --config=%s --dut=rtl:bad%s %s\n", options->config, given.text ? given.text : "",
               trace);
    } else
        printf("  make -C %s build && %s/build/nvcosim debug --config=%s%s %s\n", tree, tree, options->config,
               given.text ? given.text : "", trace);
    free(given.text);
    free(checkout);
    free(repo);
    free(tree);
    free(trace);
}

int bisect_conclude(const struct bisect *bisect, const char *said) {
    char hash[65] = "";
    if (git_skipped_remain(said)) {
        printf("the first bad commit is one of these; those between could not be judged:\n");
        char *copy = xstrdup(said), *rest = copy;
        for (char *line; (line = strsep(&rest, "\n"));)
            if (strlen(line) >= 40 && strspn(line, "0123456789abcdef") == strlen(line))
                print_git(bisect, "  ", (const char *const[]){"log", "-1", "--format=%h %an, %cs: %s", line, NULL});
        free(copy);
        printf("logs: %s\n", bisect->out);
        return EXIT_DIFFERENT;
    }
    const char *at = strstr(said, " is the first bad commit");
    while (at > said && strchr("0123456789abcdef", at[-1]))
        at--;
    snprintf(hash, sizeof hash, "%.*s", (int)strspn(at, "0123456789abcdef"), at);
    printf("%s is the first bad commit\n", hash);
    print_git(bisect, "  ",
              (const char *const[]){"log", "-1", "--no-show-signature", "--format=author: %an <%ae>, %ad%nsubject: %s",
                                    "--date=iso", hash, NULL});
    printf("  files:\n");
    print_git(bisect, "    ",
              (const char *const[]){"diff-tree", "-r", "-m", "--first-parent", "--root", "--no-commit-id",
                                    "--name-status", hash, NULL});
    print_debug(bisect, hash);
    printf("logs and reports: %s\n", bisect->out);
    return EXIT_OK;
}
