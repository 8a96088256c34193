/* Creates folders of files. See folder.h. */
#include "export/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"

bool folder_open(struct folder *folder, const char *path, struct error *err) {
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    *folder = (struct folder){.path = xstrndup(path, n)};
    folder->beside = xprintf("%s.%ld.part", folder->path, (long)getpid());
    struct stat about;
    if (stat(folder->path, &about) == 0 && rmdir(folder->path) != 0)
        error_set(err, "%s: already exists; expected a new or an empty folder", folder->path);
    else if (mkdir(folder->beside, 0777) != 0)
        error_set(err, "%s: cannot be made: %m", folder->beside);
    else
        return true;
    free(folder->path);
    free(folder->beside);
    return false;
}

bool folder_put(struct folder *folder, const char *name, const struct text *text, struct error *err) {
    words_add(&folder->files, "%s", name);
    return file_write_in(folder->beside, name, text->text ? text->text : "", text->n, err);
}

bool folder_close(struct folder *folder, bool fine, struct error *err) {
    if (fine && rename(folder->beside, folder->path) != 0)
        fine = error_set(err, "%s: cannot be made: %m", folder->path);
    for (size_t i = 0; !fine && i < folder->files.count; i++) {
        autofree char *path = xprintf("%s/%s", folder->beside, folder->files.items[i]);
        unlink(path);
    }
    if (!fine)
        rmdir(folder->beside);
    words_free(&folder->files);
    free(folder->path);
    free(folder->beside);
    return fine;
}
