/* Cubes in memory (chapter 20 section 2). Feature cubes: surfaces of atoms, an atom holds mem_atom bytes of channels.
 * Planar cubes (66-rubik section 2): an atom is one element, so a surface is a plane of one channel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cube {
    uint64_t base;                        /* byte address */
    uint32_t line_stride, surface_stride; /* bytes */
    int width, height, channels;          /* elements, >= 1 */
    int atom;                             /* bytes of an atom */
    int element_bytes;                    /* 1 or 2 */
    bool packed_1x1;  /* W=H=1: atoms are contiguous, strides are ignored (SDP; chapter 50 section 8.1) */
    int align;        /* bytes, power of 2: addresses are rounded down to a multiple of it; 0: no rounding */
    int min_surfaces; /* moved even if the channels need fewer (SDP precision conversion); 0: as needed */
    int min_columns;  /* moved even if the cube is narrower (tails of planar lines); 0: as needed */
    int batches;      /* equal cubes, batch_stride bytes apart (convolution with batches); 0: one */
    uint32_t batch_stride;
};

struct cube_element {
    int batch;
    int surface, line, column, channel; /* channel >= cube.channels: a pad lane of the last surface; column >=
                                           cube.width: the tail of a planar line */
    int byte;                           /* byte inside the element */
};

/* Surfaces of the cube: ceil(channels * element_bytes / atom), at least min_surfaces. */
int cube_surfaces(const struct cube *cube);

/* Columns moved per line: the width, at least min_columns. */
int cube_columns(const struct cube *cube);

/* Byte address of the atom of a surface at (line, column), first batch. */
uint64_t cube_atom_address(const struct cube *cube, int surface, int line, int column);

/* Finds the element that a byte address belongs to. Returns false if the address is in no atom of the cube. If strides
 * make atoms overlap, it is the last one in the order batch, surface, line, column: the one whose write stays. */
bool cube_locate(const struct cube *cube, uint64_t address, struct cube_element *element);

/* True if the address is in an atom of the cube. *run: the answer is the same for at least that many bytes from there
 * on (UINT64_MAX: for all that follow). */
bool cube_run(const struct cube *cube, uint64_t address, uint64_t *run);

/* Bytes from the first atom to the end of the last one, all batches: cube_atom_address(cube, 0, 0, 0) + extent is past
 * the cube. */
uint64_t cube_extent(const struct cube *cube);
