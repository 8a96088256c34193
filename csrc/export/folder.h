/* Creates a folder with all its files, or none. */
#pragma once

#include "nvdla/error.h"
#include "nvdla/text.h"

/* Files are written into a temporary folder next to the requested one; it is renamed when complete. */
struct folder {
    char *path, *beside;
    struct words files;
};

/* path must not exist or be an empty folder. False with a message. Finish with folder_close. */
bool folder_open(struct folder *folder, const char *path, struct error *err);
bool folder_put(struct folder *folder, const char *name, const struct text *text, struct error *err);
/* Renames the folder to its final name, or removes it after an error. True on success. */
bool folder_close(struct folder *folder, bool fine, struct error *err);
