/* The table of engines: whose registers control them, where their sources and instances are, which interrupt they
 * raise, how reports show them. scripts/gen_tables.py generates it and the register bus of the RTL from engines.csv,
 * whose columns scripts/tables.py explains.
 *
 * enum nvdla_engine names them in the order of the data path: ENGINE_SDP_RDMA; ENGINE_COUNT. Parts outside the design
 * that can stop it have rows, too: ENGINE_MEMORY, ENGINE_TRACE. enum nvdla_interrupt names the interrupts in bit order:
 * INTERRUPT_CDMA_WT; INTERRUPT_COUNT. */
#pragma once

#include "nvdla/config.h"
#include "nvdla_names.h"

/* GTKWave's numbers, without blue and indigo (5 and 6), which are hard to see on black. */
enum nvdla_wave_colour { WAVE_NONE, WAVE_RED, WAVE_ORANGE, WAVE_YELLOW, WAVE_GREEN, WAVE_VIOLET = 7 };

struct nvdla_engine_facts {
    const char *name;               /* for reports: "CDMA data" */
    const char *folder;             /* source folder under rtl/: "cdma"; engines may share one */
    enum nvdla_unit unit;           /* whose launches it works on; NVDLA_UNIT_COUNT: of no unit */
    bool waits;                     /* can be in a chain of waits (replay/hang_triage.h) */
    enum nvdla_interrupt interrupt; /* interrupt it raises; INTERRUPT_COUNT: none */
    const char *lane;               /* name of its lane over time, "CDMA"; NULL: no lane */
    enum nvdla_unit lane_unit;      /* unit whose launches say when it has work */
    enum nvdla_wave_colour wave;    /* colour of its group in GTKWave */
};

extern const struct nvdla_engine_facts nvdla_engines[ENGINE_COUNT];

enum { NVDLA_NO_WINDOW = 0xffff };

struct nvdla_unit_facts {
    enum nvdla_engine engine;          /* engine that represents it */
    enum nvdla_interrupt interrupt;    /* interrupt that ends its launches; INTERRUPT_COUNT: it has no launches */
    uint16_t windows[NVDLA_MAP_COUNT]; /* address / 0x1000 in each map; NVDLA_NO_WINDOW: not in that map */
    size_t condition;                  /* see nvdla_config_meets */
};

extern const struct nvdla_unit_facts nvdla_units[NVDLA_UNIT_COUNT];

struct nvdla_interrupt_facts {
    const char *names[2];     /* of groups 0 and 1: "CDMA_WT_0" */
    unsigned bit;             /* bit of group 0 in GLB's interrupt registers; group 1 has the next */
    enum nvdla_engine engine; /* engine that raises it */
    enum nvdla_unit unit;     /* unit it is raised for */
    uint32_t ends;            /* bit enum nvdla_unit: units whose launches it ends; 0: none */
};

extern const struct nvdla_interrupt_facts nvdla_interrupts[INTERRUPT_COUNT];

/* The folder under rtl/ of an engine; NULL for ENGINE_COUNT, which stands for none where an engine is to blame. */
static inline const char *nvdla_engine_folder(enum nvdla_engine engine) {
    return engine < ENGINE_COUNT ? nvdla_engines[engine].folder : NULL;
}

/* True if both have their sources in one folder, as SDP and its read DMA do; false if one is ENGINE_COUNT. */
bool nvdla_same_folder(enum nvdla_engine a, enum nvdla_engine b);

/* The folder under rtl/ of a unit's engine. */
static inline const char *nvdla_unit_folder(enum nvdla_unit unit) {
    return nvdla_engines[nvdla_units[unit].engine].folder;
}

/* The interrupt that ends launches of a unit's group, as a bit of S_INTR_STATUS; 0 if there is none. */
static inline uint32_t nvdla_unit_interrupt(enum nvdla_unit unit, int group) {
    const enum nvdla_interrupt interrupt = nvdla_units[unit].interrupt;
    return interrupt != INTERRUPT_COUNT && nvdla_interrupts[interrupt].unit == unit
               ? UINT32_C(1) << (nvdla_interrupts[interrupt].bit + (unsigned)group)
               : 0;
}

/* The interrupt with that bit in S_INTR_STATUS, INTERRUPT_COUNT if there is none. */
enum nvdla_interrupt nvdla_interrupt_at(int bit);

/* The unit that raises it, NVDLA_UNIT_COUNT if the bit belongs to no interrupt. */
static inline enum nvdla_unit nvdla_interrupt_unit(int bit) {
    const enum nvdla_interrupt interrupt = nvdla_interrupt_at(bit);
    return interrupt == INTERRUPT_COUNT ? NVDLA_UNIT_COUNT : nvdla_interrupts[interrupt].unit;
}

struct nvdla_instance {
    const char *name; /* "u_sdp.u_rdma" */
    enum nvdla_engine engine;
};

extern const struct nvdla_instance nvdla_instances[];
extern const size_t nvdla_instance_count;

/* The engine of the innermost instance in a hierarchical name below the design's top ("u_cdma.u_dat_read.u_fifo":
 * ENGINE_MCIF); ENGINE_COUNT if none is known. */
enum nvdla_engine nvdla_instance_engine(const char *instance);

/* The unit whose launches an instance works on: that of the longest known instance that the name begins with;
 * NVDLA_UNIT_COUNT if there is none. */
enum nvdla_unit nvdla_unit_of_instance(const char *instance);
