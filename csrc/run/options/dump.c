/* See dump.h. */
#include "run/options/dump.h"

#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"

struct dump {
    enum memory_space space;
    uint64_t address, size;
    const char *file; /* in the text */
};

static bool take_apart(const char *text, struct dump *dump) {
    const char *equal = strchr(text, '=');
    char *range = xstrndup(text, equal ? (size_t)(equal - text) : 0), *size = strrchr(range, ':');
    *dump = (struct dump){.file = equal ? equal + 1 : ""};
    bool good = size && dump->file[0];
    if (good) {
        *size++ = '\0';
        char *colon = strchr(range, ':'), *address = colon ? colon + 1 : range;
        if (colon)
            *colon = '\0';
        good = (!colon || memory_space_find(range, &dump->space)) && text_number(address, UINT64_MAX, &dump->address) &&
               text_number(size, DUMP_MOST, &dump->size) && dump->size > 0 &&
               dump->size - 1 <= UINT64_MAX - dump->address;
    }
    free(range);
    return good;
}

bool dump_check(const char *text, struct error *err) {
    struct dump dump;
    return take_apart(text, &dump) ||
           error_set(err,
                     "found '%s', expected ADDRESS:SIZE=FILE or secondary:ADDRESS:SIZE=FILE, of 1 byte to 1 GiB "
                     "(0x80001000:512=out.bin)",
                     text);
}

bool dumps_write(const struct words *texts, struct memory *const memory[SPACE_COUNT], struct error *err) {
    for (size_t i = 0; i < texts->count; i++) {
        struct dump dump;
        take_apart(texts->items[i], &dump);
        if (!memory[dump.space])
            return error_set(err, "--dump: found '%s', but this configuration has no secondary memory",
                             texts->items[i]);
        if (!memory_dump(memory[dump.space], dump.address, dump.size, dump.file, err))
            return error_prefix(err, "--dump: ");
    }
    return true;
}
