/* What the import knows about memory while it reads a capture (lift_memory.c), and at its end (lift_finish.c). */
#pragma once

#include "layers/cubes.h"
#include "layers/extents.h"
#include "memory/memory.h"
#include "trace/program.h"

enum {
    BACK_DOOR = -1, /* unit of an origin: initial content, or loaded by something other than the design */
    BY_DESIGN = 0,  /* result of a launch; the ordinal is the index of the output */
    NO_OUTPUT = -1,
};

/* Content for a place in the program; blob offsets are absolute addresses until the end. */
struct slot {
    enum op_kind kind;
    bool placed; /* it has a place in the program */
    int output;  /* output that it checks, or NO_OUTPUT */
    struct blob *blobs[SPACE_COUNT];
    uint64_t base[SPACE_COUNT];
};

struct output_cube {
    struct cube cube;
    enum memory_space space;
    uint64_t start, end; /* bounding range */
};

/* The output of a launch. */
struct output {
    enum nvdla_unit unit;
    int group, slot;
    bool completed;
    struct output_cube *cubes;
    size_t count;
};

/* A launch that reads memory. */
struct reader {
    enum nvdla_unit unit;
    enum nvdla_unit ends; /* unit whose interrupt signals its end */
    int group, slot;      /* place before its arming */
    size_t sequence;      /* number in the order of all armings */
    bool done;
    struct memory_extent *extents;
    size_t count;
};

/* A launch that signals its end by an interrupt. */
struct run {
    enum nvdla_unit unit;
    int group;
    size_t sequence;
    bool done;
};

struct input_range {
    enum memory_space space;
    uint64_t start, size;
};

struct image {
    enum memory_space space;
    struct blob *blob;
    uint64_t base;
    bool golden;
};

struct lift_memory {
    const struct nvdla_config *config;
    struct memory *seen[SPACE_COUNT];    /* known bytes and their origins */
    struct memory *known[SPACE_COUNT];   /* the same as regions */
    struct memory *initial[SPACE_COUNT]; /* initial content, and its regions */
    struct memory *written[SPACE_COUNT]; /* regions: outputs of launches so far */
    struct memory *inputs[SPACE_COUNT];  /* regions: all reads */
    struct slot *slots;
    size_t slot_count;
    struct output *outputs;
    size_t output_count;
    struct reader *readers;
    size_t reader_count;
    struct run *runs;
    size_t run_count;
    size_t armings;
    int last_load;             /* place before the latest arming, -1: no arming yet */
    struct input_range *asked; /* inputs named by launches, sorted */
    size_t asked_count;
    struct input_range *unknown; /* parts of them not written by an earlier launch */
    size_t unknown_count;
    struct image *images;
    size_t image_count;
    int stray;        /* place of bytes that no launch writes, -1: none */
    uint64_t changed; /* bytes changed by something other than the design */
    uint64_t changed_at;
    bool finished; /* blobs are the program's */
    struct op *rest;
    size_t rest_count;
};

/* The output that a byte is known to be part of, or NO_OUTPUT; *is_known: its value is known. Limits *run. */
int lift_memory_writer(const struct lift_memory *memory, enum memory_space space, uint64_t address, uint64_t *run,
                       bool *is_known);
