/* What a wave file holds: its signals, and which of them move. Read by the simulator that wrote it,
 * with the library that wrote it.
 */
#ifndef TB_WAVE_INDEX_H
#define TB_WAVE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wave_signal {
    char *name;         /* "TOP.tb_top.dut.u_sdp.run" */
    char range[24];     /* "[31:0]", "" of one bit */
    int bits;           /* width */
    bool enumeration;   /* the file knows names of its values */
    bool constant;      /* a parameter of the source */
    uint32_t handle;    /* names of the same signal share it */
    bool wanted, moves; /* wave_index_moves */
};

struct wave_index {
    struct wave_signal *signals; /* in the order of the file: the source's */
    size_t count;
    uint64_t first, last; /* times */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the names. NULL if it is no complete wave file. Release it with wave_index_free. */
struct wave_index *wave_index_read(const char *path);

/* Finds which of the wanted signals have more than one value in the file. */
void wave_index_moves(const char *path, struct wave_index *index);

void wave_index_free(struct wave_index *index);

#ifdef __cplusplus
}
#endif

#endif
