/* The testbench's accesses to tb_top's vectors: found by VPI once, read and written whole, and counted. Those of every
 * clock access the simulator's memory directly if possible (struct simulator), otherwise VPI. */
#pragma once

#include <vpi_user.h>

#include "nvdla/error.h"
#include "tb/signals.h"

struct vpi_access {
    vpiHandle in, out, pins;
    vpiHandle streams[STREAM_COUNT]; /* NULL: not in the simulator's table of taps */
    vpiHandle waits;                 /* NULL: not in this simulator */
    bool taps;                       /* outs shows which streams move */
    bool specified_stripes;          /* see conv_order() */
    int in_words, out_words;
    s_vpi_vecval words[SIGNAL_IN_WORDS]; /* passed to VPI; bval stays 0 */
    uint32_t *ins;                       /* where the simulator keeps them; NULL: VPI is the only way */
    uint8_t *put_toggle;                 /* NULL: writing ins has effect at once */
    const uint32_t *outs, *unknown;      /* last read; unknown: bits that are X or Z, NULL in two states */
    bool direct;                         /* outs is the simulator's memory */
    uint32_t aval[SIGNAL_OUT_WORDS], bval[SIGNAL_OUT_WORDS]; /* otherwise copied here */
    uint64_t calls;                                          /* accesses: reads and writes of a vector */
    bool links;                                              /* outs shows the links between the engines */
};

/* Finds tb_top's vectors (in a Verilated model under TOP) and checks their widths against the layout. Fails with a
 * message if the simulator was built for another configuration. */
bool vpi_access_open(struct vpi_access *vpi, const struct signal_layout *layout, const struct nvdla_config *config,
                     struct error *err);

void vpi_access_close(struct vpi_access *vpi);

/* Sets where the simulator keeps ins, outs and put, whose change makes the design see ins and pins; NULL: not known. */
void vpi_access_direct(struct vpi_access *vpi, uint32_t *ins, const uint32_t *outs, uint8_t *put);

/* Reads outs into vpi->outs and vpi->unknown, valid until the next clock. */
void vpi_access_get(struct vpi_access *vpi);

/* Reads the first `count` words of a stream that the simulator has; unknown bits are 0. */
void vpi_access_get_stream(struct vpi_access *vpi, enum rtl_stream stream, uint32_t *words, int count);

/* Reads waits: WAITS_WORDS words. */
void vpi_access_get_waits(struct vpi_access *vpi, uint32_t *words);

/* Writes ins. */
void vpi_access_put(struct vpi_access *vpi, const uint32_t *words);

/* Writes pins. */
void vpi_access_put_pins(struct vpi_access *vpi, const uint32_t *words);
