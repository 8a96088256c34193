/* A folder that is there whole or not at all. */
#ifndef EXPORT_FOLDER_H
#define EXPORT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "nvdla/error.h"
#include "nvdla/text.h"

/* Files are written into a folder beside the one that is asked for; it gets its name when all of them are there. */
struct folder {
    char *path, *beside;
    struct words files;
};

/* path must not exist, or be an empty folder. False with a message. Then end with folder_close. */
bool folder_open(struct folder *folder, const char *path, struct error *err);
bool folder_put(struct folder *folder, const char *name, const struct text *text, struct error *err);
/* Gives the folder its name if all went well, else removes it. Returns whether it is there. */
bool folder_close(struct folder *folder, bool fine, struct error *err);

#endif
