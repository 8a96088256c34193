/* A device answers register accesses and moves data in memory. There are two kinds, the reference model and a simulated
 * RTL; the player does not depend on the kind.
 *
 * Calls return false with a message if the device cannot continue (broken simulator) or refuses what the spec leaves
 * open (ERROR_REFUSED). advance() reports a program that merely waits for ever.
 *
 * A new kind (a virtual platform, an FPGA board, a recorded capture) defines a struct whose first member is a struct
 * device, and fills:
 *   name, config, units   its name, its configuration, and the units it has
 *   memory[]              DRAM into which programs are loaded and in which results are compared, one per port of the
 *                         configuration. If the real memory is elsewhere, the device copies declared regions there
 *                         before a launch, and written ones back before it shows an interrupt
 *   ops                   all functions, except those that may be NULL. Any driver has reset, csb_write, csb_read,
 *                         interrupt and destroy; advance waits, and returns DEVICE_IDLE only if the device can know
 *   still_limit           and the op still, if it can detect that nothing moves
 *   findings, warnings    through device_report and device_warn, if it checks anything
 *   statistics            zeros for what it cannot count; `rtl` and `model` NULL
 */
#pragma once

#include "device/beat.h"
#include "device/link.h"
#include "device/named.h"
#include "device/rtl_options.h"
#include "memory/memory.h"
#include "memory/space.h"
#include "nvdla/clients.h"
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "nvdla/registers.h"

struct activity; /* device/activity.h */
struct device;
struct device_waits;      /* device/waits.h */
struct timeline;          /* device/timeline.h */
struct wave_view;         /* device/wave_view.h */
struct memory_statistics; /* dram/system.h */

/* A violation of something that every legal design does, or that the run demands: an AXI rule, an access outside
 * regions. Each finding fails the run. */
struct finding {
    uint64_t cycle;
    const char *rule; /* short fixed name, "axi-aw-stable", "region-write", ... */
    enum finding_kind {
        FINDING_PINS,   /* register bus and interrupt, unknown pins */
        FINDING_AXI,    /* a rule of AXI */
        FINDING_ACCESS, /* memory outside the regions */
        FINDING_CHECK,  /* a check inside the RTL */
        FINDING_SIZE,   /* a layer larger than the model computes */
    } kind;
    uint64_t address;            /* FINDING_ACCESS */
    struct owner owner;          /* launch it is about; unit -1: no unit, ordinal -1: unknown launch */
    const char *instance;        /* FINDING_CHECK: instance in the design, "u_sdp.u_out"; lives as long as the device */
    bool of_others;              /* FINDING_CHECK: it checks what other engines do, so it does not accuse its own */
    unsigned subject;            /* bytes of the text that name the launch or instance */
    struct named_launches named; /* launches in the text */
    char text[240]; /* one line for the user, made from the above: launch or instance, what is wrong, address */
};

/* Effects of programming that breaks a rule, from mild to severe. */
enum rule_effect {
    RULE_ERRATUM, /* legal; NVIDIA's hardware computes something else (nvdla/errata.h) */
    RULE_WARNS,   /* a chapter defines the result, which the engine computes */
    RULE_HANGS,   /* the engine waits for ever */
    RULE_REFUSED  /* the chapters leave the result open */
};

enum { WARNING_REGISTERS = 6 };

/* Programming that breaks a rule of the spec (model only). A warning does not fail the run. */
struct device_warning {
    enum nvdla_unit unit; /* the launch that breaks it */
    int ordinal;
    enum rule_effect effect;
    struct warning_register {
        uint32_t address, value;
        bool fields;                /* the text shows its fields, too */
    } registers[WARNING_REGISTERS]; /* the registers that break it */
    size_t register_count;
    const char *section; /* section of the spec, "50-sdp section 4"; a constant */
    char rule[400];      /* what is wrong */
    char text[1024];     /* one line for the user, made from the above: registers, rule, section, effect */
};

/* What only a simulated RTL counts. */
struct rtl_statistics {
    uint64_t vpi_calls;    /* vpi_get_value + vpi_put_value */
    uint64_t quiet_cycles; /* clocks with one VPI access */
    uint64_t most_vpi_per_cycle;
    double eval_share;               /* share of cpu_seconds inside the design's evaluation, 0..1; 0 if not measured */
    uint64_t wave_cycles;            /* cycles in the wave file */
    const struct timeline *timeline; /* device/timeline.h; NULL: not counted */
    const struct activity *activity; /* device/activity.h, over wave_cycles: nothing without a SAIF file */
    /* Planted faults (scripts/plant.py): of byte N, bit 1 if the changed expression of fault N has been evaluated, bit
     * 0 if it differed from the original then; bit 2 if it did before the reset, which alone counts for a constant.
     * NULL: the design has no planted faults. */
    const uint8_t *faults_met;
    uint32_t fault_count;                   /* numbered 1 to fault_count */
    const struct memory_statistics *memory; /* of the DRAM; NULL: latencies. Valid until the next call */
};

/* Statistics of the reference model only: convolutions whose compiled representation was found in the cache, or
 * made. */
struct model_statistics {
    uint64_t table_hits, table_builds;
};

struct device_statistics {
    uint64_t cycles;    /* core clocks since reset was released; 0 for the model */
    uint64_t op_start;  /* clock of the first accepted D_OP_ENABLE = 1 write; 0 if none */
    uint64_t op_cycles; /* from the first accepted D_OP_ENABLE = 1 write to the last rise of dla_intr; 0 if none */
    uint64_t read_beats[AXI_IDS]; /* AXI data beats by ID, primary and secondary port together */
    uint64_t write_beats[AXI_IDS];
    uint64_t outside;                 /* AXI beats (model: atoms) outside the declared regions, reported or allowed */
    double cpu_seconds;               /* CPU time spent in device calls */
    const struct rtl_statistics *rtl; /* of a simulated RTL, otherwise NULL; lives as long as the device */
    const struct model_statistics *model; /* of the reference model, likewise */
};

/* Beats of all clients. */
static inline uint64_t device_beats(const uint64_t beats[AXI_IDS]) {
    uint64_t total = 0;
    for (int id = 0; id < AXI_IDS; id++)
        total += beats[id];
    return total;
}

enum device_state {
    DEVICE_RUNNING,   /* the limit has passed */
    DEVICE_INTERRUPT, /* dla_intr is 1 */
    DEVICE_IDLE,      /* nothing will change without another access (the model knows) */
    DEVICE_FAILED,    /* err says why, and whether the device refused */
};

/* How far a stream between two engines came. */
struct device_link {
    struct link_facts link;
    bool moved;
    uint64_t last; /* cycle, to within some thousands */
};

/* A running launch. */
struct device_launch {
    enum nvdla_unit unit;
    int ordinal;
    uint64_t armed, start; /* clocks; start: when it began to run, or some clocks earlier */
};

enum { DEVICE_LAUNCHES = 16 }; /* most launches that run at a time */

struct device_ops {
    /* Brings the device to its state after dla_reset_rstn. The memory keeps its contents. */
    bool (*reset)(struct device *dev, struct error *err);
    /* Turns a device that was only reset, perhaps in the parent of this process, into that of a run with these memory
     * options; the next reset() does nothing. False if its state could depend on the options: it is then unusable.
     * NULL: reset it again instead. */
    bool (*adopt)(struct device *dev, const struct axi_options *options);
    /* Register write, byte address. Returns once the write has been accepted (posted) or completed (nposted). */
    bool (*csb_write)(struct device *dev, uint32_t address, uint32_t value, bool nposted, struct error *err);
    /* Register read, after all earlier writes. */
    bool (*csb_read)(struct device *dev, uint32_t address, uint32_t *value, struct error *err);
    /* Lets time pass. Returns at once if dla_intr is 1 and until_interrupt is set, otherwise when it rises or after
     * `cycles` clocks. The model executes armed layers here only, completing one layer per call. */
    enum device_state (*advance)(struct device *dev, uint64_t cycles, bool until_interrupt, struct error *err);
    /* Level of dla_intr now. */
    bool (*interrupt)(struct device *dev);
    /* True if no memory traffic is outstanding and none was seen for 200 clocks (chapter 80 section 9.7); model:
     * nothing armed can run. */
    bool (*at_rest)(struct device *dev);
    /* Clocks since anything moved inside the device or between it and its memory; an answer that its memory still owes
     * counts as movement. Register accesses, which the caller knows about, do not count. NULL: unknown. */
    uint64_t (*still)(struct device *dev);
    /* The links between the engines, and when each was last used; NULL, or a result of NULL: unknown. */
    const struct device_link *(*links)(struct device *dev, size_t *count);
    /* What waits for what inside the device and at its memory, for a hung run; valid until the next call. NULL: nothing
     * is visible. */
    const struct device_waits *(*waits)(struct device *dev);
    /* For a hung run: warns of what the device waits for, as far as known; NULL: never known. */
    void (*explain)(struct device *dev);
    /* Clocks since reset was released (model: counts accesses and layers; any growing value is allowed). */
    uint64_t (*time)(struct device *dev);
    void (*statistics)(struct device *dev, struct device_statistics *statistics);
    /* Records waves from now on, as the options say; their strings must outlive the recording. A running recording
     * ends. May be called at any clock, also in a forked process if its parent had recorded nothing. False with a
     * message if this simulator has no waves; NULL: not a simulator. */
    bool (*record_waves)(struct device *dev, const struct wave_options *options, struct error *err);
    /* Writes the save file of the waves that were recorded anew, once they are finished. False with a message if it
     * cannot be written; NULL: not a simulator. */
    bool (*show_waves)(struct device *dev, const struct wave_view *view, struct error *err);
    /* Receives what a stream of the trace waits for, to show it in waves: `text`, "" for nothing. Streams count from 0;
     * the name is that of the trace. NULL: not used. */
    void (*note)(struct device *dev, size_t stream, const char *name, const char *text);
    /* Delivers the streams of the RTL from now on to the listeners (rtl_options.taps) if they were to begin later
     * (rtl_options.taps_later); a stream in the middle of a launch begins with its next launch. NULL: not a
     * simulator. */
    void (*record_taps)(struct device *dev);
    /* The launches that fetch from memory and ran in that recent clock. Returns how many, at most room (DEVICE_LAUNCHES
     * is enough). NULL, or 0 without rtl_options.copies: unknown. */
    size_t (*in_flight)(struct device *dev, uint64_t cycle, struct device_launch *launches, size_t room);
    /* The program has been played, all but what it reads at its end, and the device is at rest: what it still holds
     * inside is a finding. NULL: not visible. */
    void (*played)(struct device *dev);
    /* Closes the files written during the run (waves, coverage) and ends the threads it started. Call it once the
     * program has been played. False with a message if a file could not be written; NULL: nothing to end. */
    bool (*finish)(struct device *dev, struct error *err);
    void (*destroy)(struct device *dev);
};

struct device {
    const struct device_ops *ops;
    const char *name; /* "model", "rtl", "rtl:mine": for messages */
    const struct nvdla_config *config;
    struct memory
        *memory[SPACE_COUNT]; /* owned by the device; secondary NULL if the configuration has no second port */
    uint32_t units;           /* bit per enum nvdla_unit: units whose registers this device has */
    bool timeless;            /* its wait counters (REGISTER_WAIT) stay 0: it has no clock */
    bool specified_stripes;   /* of its streams of convolutions: see conv_order() */
    bool stop;                /* set from outside to end the run: advance() then returns soon; reset() clears it */
    uint64_t still_limit;     /* clocks without movement after which a run counts as hung; 0: the player's default */
    struct finding *findings; /* owned by the device */
    size_t finding_count;
    uint64_t findings_dropped;       /* total; only the first 100 are stored */
    struct device_warning *warnings; /* likewise, oldest first */
    size_t warning_count;
    uint64_t warnings_dropped;
};

/* Records a finding. facts: everything except the text, which says what is wrong (printf format) and follows instance
 * or launch; facts->named: launches in what is printed. The rule must be a string that outlives the device. */
void device_report(struct device *dev, const struct finding *facts, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Records a warning. */
void device_warn(struct device *dev, const struct device_warning *warning);

/* Makes the text of a warning from its other members. */
void device_warning_word(const struct nvdla_config *config, struct device_warning *warning);

/* Frees what struct device itself owns (memory, findings, warnings); for destroy functions. */
void device_release(struct device *dev);
