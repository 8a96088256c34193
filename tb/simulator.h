/* What a simulator's main program (Verilator's or Icarus's) provides to the testbench: the clock, waves, coverage,
 * checks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One whole core clock: a rising edge with the inputs that were last put, then a call of put_inputs(arg), then the
 * falling edge and settling. */
struct clock_source {
    void (*clock)(void *context, void (*put_inputs)(void *arg), void *arg);
    void *context;
};

struct activity;
struct error;
struct wave_index;

/* Text shown in the waves as a signal marks.NAME of 32 * count bits: four characters a word, the last one in the lowest
 * bits of the first word. */
struct wave_mark {
    const char *name;
    const uint32_t *words; /* current value, which may change at any time */
    int count;
};

/* Contents of a wave file. */
struct wave_content {
    const struct wave_mark *marks;
    size_t mark_count;
    const uint64_t *changes;   /* total of all marks */
    const char *const *scopes; /* struct wave_options */
};

/* Provided by the simulator's main program. */
struct simulator {
    void *context; /* of the functions below */
    struct clock_source clock;
    /* NULL if this build has no waves. The marks stay valid until the file is closed. */
    void (*wave_open)(void *context, const char *path, const struct wave_content *content);
    void (*wave_dump)(void *context, uint64_t time);
    void (*wave_close)(void *context);
    /* wave_index.h */
    struct wave_index *(*wave_index_read)(const char *path);
    void (*wave_index_moves)(const char *path, struct wave_index *index);
    void (*wave_index_free)(struct wave_index *index);
    /* wave_saif.h */
    bool (*wave_saif_write)(const char *waves, const char *path, struct activity *activity, struct error *err);
    void (*coverage_write)(void *context, const char *path); /* NULL if this build counts no coverage */
    /* Sets the callbacks (NULL: none) for failing checks and for layers that start and end (observers/checks.h). NULL
     * if the design of this build has no checks. */
    void (*checks_connect)(void *context,
                           void (*failed)(void *arg, const char *name, const char *scope, bool of_others),
                           void (*layer)(void *arg, const char *scope, int event), void *arg);
    /* Evaluates the checks of the end of a run (NVDLA_FINAL); NULL as checks_connect. */
    void (*checks_final)(void *context);
    /* Planted faults of the design, as in struct rtl_statistics. */
    uint8_t *faults_met;
    uint32_t fault_count;
    /* Where the simulator keeps a signal of tb_top, in words of 32 bits, the lowest first: reading it every clock then
     * needs no VPI. NULL, or a NULL result: VPI is the only way. */
    uint32_t *(*signal)(void *context, const char *name);
    bool four_state; /* X is visible (Icarus) */
};
