/* Looks for QEMU; see qemu.h. */
#include "run/guest/qemu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "run/process/process.h"

enum { MAJOR = 10, MINOR = 1 };

static const char name[] = "qemu-system-aarch64";

/* True if these words start a QEMU that is new enough; else *found gets its version, if it has one. */
static bool is_new_enough(const struct words *words, char **found) {
    struct words ask = {0};
    struct error err;
    int status = 0;
    unsigned major = 0, minor = 0;
    for (size_t i = 0; i < words->count; i++)
        words_put(&ask, words->items[i]);
    words_put(&ask, "--version");
    char *output = process_output(ask.items, &status, &err);
    const bool known = output && status == 0 && sscanf(output, "QEMU emulator version %u.%u", &major, &minor) == 2;
    const bool good = known && (major > MAJOR || (major == MAJOR && minor >= MINOR));
    if (known && !good && !*found)
        *found = xprintf("%u.%u in %s", major, minor, words->items[0]);
    words_free(&ask);
    free(output);
    return good;
}

/* The program of a chroot, by the chroot's own loader and libraries. */
static void add_of_chroot(struct words *words, const char *chroot) {
    words_add(words, "%s/lib64/ld-linux-x86-64.so.2", chroot);
    words_put(words, "--library-path");
    words_add(words, "%s/usr/lib/x86_64-linux-gnu", chroot);
    words_add(words, "%s/usr/bin/%s", chroot, name);
    words_put(words, "-L");
    words_add(words, "%s/usr/share/qemu", chroot);
}

/* Folder of the chroots, as in scripts/on_debian.sh. free() it. */
static char *chroots(void) {
    const char *given = getenv("DEBIAN_CHROOTS"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (given && *given)
        return xstrdup(given);
    return cache && *cache ? xprintf("%s/nvcosim/debian", cache)
                           : xprintf("%s/.cache/nvcosim/debian", home && *home ? home : "/root");
}

bool qemu_find(struct words *words, struct error *err) {
    char *found = NULL, *folder = chroots(), *chroot = xprintf("%s/13", folder);
    char *program = xprintf("%s/usr/bin/%s", chroot, name);
    struct words tried = {0};
    words_put(&tried, name);
    bool good = is_new_enough(&tried, &found);
    if (!good && access(program, X_OK) == 0) {
        words_free(&tried);
        tried = (struct words){0};
        add_of_chroot(&tried, chroot);
        good = is_new_enough(&tried, &found);
    }
    for (size_t i = 0; good && i < tried.count; i++)
        words_put(words, tried.items[i]);
    if (!good)
        error_set(
            err,
            "found %s%s, expected %s %d.%d or later in PATH or in the chroot %s; Debian 13 has it in its "
            "backports (apt-get install -t trixie-backports qemu-system-arm), and `make guest` on an older Debian "
            "makes a chroot with it",
            found ? "QEMU " : "no ", found ? found : name, name, (int)MAJOR, (int)MINOR, chroot);
    words_free(&tried);
    free(program);
    free(chroot);
    free(folder);
    free(found);
    return good;
}
