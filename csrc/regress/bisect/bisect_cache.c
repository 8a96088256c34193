/* The cache of simulators of bisections. See bisect_cache.h. */
#include "regress/bisect/bisect_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum { HASH = 16 /* hex digits */ };

struct kept {
    char name[sizeof "bisect_" + HASH]; /* of the RTL: "bisect_0123456789abcdef" */
    struct timespec used;
};

/* The name of the RTL in that of a file; NULL: it is not from a bisection. */
static const char *rtl_of(const char *file) {
    static const char mark[] = "-bisect_";
    const char *at = strstr(file, mark);
    return at && strspn(at + sizeof mark - 1, "0123456789abcdef") >= HASH ? at + 1 : NULL;
}

static int later(const void *a, const void *b) {
    const struct timespec *x = &((const struct kept *)a)->used, *y = &((const struct kept *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec > y->tv_sec ? -1 : 1;
    return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

void bisect_cache_use(const char *path) {
    utimensat(AT_FDCWD, path, NULL, 0);
}

/* Removes all files of an RTL. */
static void drop(DIR *directory, const char *name) {
    rewinddir(directory);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *rtl = rtl_of(entry->d_name);
        if (rtl && strncmp(rtl, name, strlen(name)) == 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
}

void bisect_cache_trim(const char *folder, size_t most) {
    DIR *directory = opendir(folder);
    struct kept *kept = NULL;
    size_t count = 0;
    if (!directory)
        return;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *rtl = strncmp(entry->d_name, "nvcosim-", 8) == 0 ? rtl_of(entry->d_name) : NULL;
        struct stat found;
        if (!rtl || rtl[sizeof "bisect_" - 1 + HASH] != '\0' /* a variant of it */ ||
            fstatat(dirfd(directory), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        kept = xgrow(kept, count, sizeof *kept);
        memcpy(kept[count].name, rtl, sizeof kept->name);
        kept[count++].used = found.st_mtim;
    }
    if (count > most)
        qsort(kept, count, sizeof *kept, later);
    for (size_t i = most; i < count; i++)
        drop(directory, kept[i].name);
    closedir(directory);
    free(kept);
}
