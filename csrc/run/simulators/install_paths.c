/* Checkout, read-only checkout or installation. See install_paths.h. */
#include "run/simulators/install_paths.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

/* DIRECTORY if it has a Makefile, else NULL. Takes ownership of the string. */
static char *with_makefile(char *directory) {
    autofree char *makefile = xprintf("%s/Makefile", directory);
    const bool there = access(makefile, R_OK) == 0;
    if (there)
        return directory;
    free(directory);
    return NULL;
}

/* The user's cache for these sources; NULL if the environment has no home folder. */
static char *cache_of(const char *sources) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const unsigned long id = crc32(0, (const unsigned char *)sources, (unsigned)strlen(sources));
    if (cache && cache[0] == '/')
        return xprintf("%s/nvcosim/%08lx", cache, id);
    return home && home[0] == '/' ? xprintf("%s/.cache/nvcosim/%08lx", home, id) : NULL;
}

bool install_paths_find(struct install_paths *paths, struct error *err) {
    static const char here = 0;
    char directory[PATH_MAX];
    Dl_info own; /* a library if the simulator is the program (tb/icarus.c) */
    ssize_t n = -1;
    if (!dladdr(&here, &own) || !text_ends_with(own.dli_fname, ".vpi"))
        n = readlink("/proc/self/exe", directory, sizeof directory - 1);
    else if (realpath(own.dli_fname, directory))
        n = (ssize_t)strlen(directory);
    if (n <= 0)
        return error_set(err, "/proc/self/exe: %m; simulators are searched beside nvcosim");
    directory[n] = '\0';
    *strrchr(directory, '/') = '\0';
    char *slash = strrchr(directory, '/');
    const char *above = slash ? directory : "";
    const int length = slash ? (int)(slash - directory) : 0;
    *paths = (struct install_paths){.sources = with_makefile(xprintf("%.*s", length, above))};
    if (!paths->sources && text_ends_with(directory, "/bin"))
        paths->sources = with_makefile(xprintf("%.*s/share/nvcosim", length, above));
    const bool installed = paths->sources && text_ends_with(paths->sources, "/share/nvcosim");
    paths->ready = installed ? xprintf("%.*s/lib/nvcosim", length, above) : xstrdup(directory);
    paths->cached = paths->sources && (installed || access(directory, W_OK) != 0);
    paths->build = paths->cached ? cache_of(paths->sources) : xstrdup(directory);
    return true;
}

void install_paths_free(struct install_paths *paths) {
    free(paths->sources);
    free(paths->ready);
    free(paths->build);
}

bool install_paths_prepare(const struct install_paths *paths, struct error *err) {
    if (!paths->sources)
        return error_set(
            err,
            "%s/../Makefile: not found; simulators can only be built from the source tree that nvcosim was "
            "built in, or that was installed with it",
            paths->ready);
    if (!paths->build)
        return error_set(
            err, "%s cannot be written, and neither XDG_CACHE_HOME nor HOME names a folder to build simulators in",
            paths->ready);
    return directory_make(paths->build, err);
}
