/* The register and memory accesses of a live device as a log, in the format of the virtual platform's
 * (80-trace-formats section 4), which import reads. A part of it ends at each reset of the device. */
#pragma once

#include <stdio.h>

#include "memory/space.h"
#include "nvdla/config.h"
#include "nvdla/error.h"

/* Follows a recording, to keep only its end (live/recording_end.h). */
struct recording_keeper {
    void (*access)(void *context, bool write, uint32_t address, uint32_t value);
    /* A launch that writes memory has been armed. */
    void (*layer)(void *context);
    /* True if the recording can begin now, as far as the registers are concerned. */
    bool (*can_cut)(const void *context);
    /* The next access can be the first one. *log: the recording so far; it may become another, empty file. */
    void (*cut)(void *context, FILE **log);
    /* The device was reset, and the log is empty. */
    void (*reset)(void *context);
    void *context; /* NULL: everything is kept */
};

struct recording {
    const struct nvdla_config *config;
    FILE *log;
    uint64_t writes, skipped; /* of this part: register writes; accesses to addresses without a register, left out */
    int part;                 /* parts that were finished */
    struct recording_keeper keeper;
    /* Makes a trace of part number `part`, which is not counted yet. False with a message. */
    bool (*finish)(void *context, const struct recording *recording, int part, struct error *err);
    void *context;
};

/* Begins a log in a temporary file. False with a message. */
bool recording_open(struct recording *recording, struct error *err);
void recording_close(struct recording *recording);

/* address: as in live_device.h. */
void recording_register(struct recording *recording, bool write, uint32_t address, uint32_t value);
void recording_memory(struct recording *recording, bool write, enum memory_space space, uint64_t address,
                      const uint8_t *bytes, size_t n);

/* A register access as a line of the log. */
void recording_put(FILE *log, bool write, uint32_t address, uint32_t value);

/* Finishes what there is of a part, if it has register writes; it continues. False with a message. */
bool recording_show(struct recording *recording, struct error *err);

/* Ends a part: finishes it if it has register writes, and begins the next one. False with a message. */
bool recording_end(struct recording *recording, struct error *err);
