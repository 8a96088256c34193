/* Contents of a wave file: its signals, and which of them change. Read by the simulator that wrote it, with the same
 * library. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wave_signal {
    char *name;         /* "TOP.tb_top.dut.u_sdp.run" */
    char range[24];     /* "[31:0]", "" for one bit */
    int bits;           /* width */
    bool enumeration;   /* the file has names for its values */
    bool constant;      /* a parameter of the source */
    uint32_t handle;    /* shared by all names of a signal */
    bool wanted, moves; /* see wave_index_moves() */
};

struct wave_index {
    struct wave_signal *signals; /* in the order of the file, which is that of the source */
    size_t count;
    uint64_t first, last; /* times */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the names. NULL if it is not a complete wave file. Release with wave_index_free(). */
struct wave_index *wave_index_read(const char *path);

/* Finds which of the wanted signals have more than one value in the file. */
void wave_index_moves(const char *path, struct wave_index *index);

void wave_index_free(struct wave_index *index);

#ifdef __cplusplus
}
#endif
