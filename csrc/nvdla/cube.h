/* Feature cubes in memory (chapter 20 section 2): surfaces of atoms, an atom holds mem_atom bytes of channels. */
#ifndef NVDLA_CUBE_H
#define NVDLA_CUBE_H

#include <stdbool.h>
#include <stdint.h>

struct cube {
    uint64_t base;                        /* byte address */
    uint32_t line_stride, surface_stride; /* bytes */
    int width, height, channels;          /* elements, >= 1 */
    int atom;                             /* bytes of an atom */
    int element_bytes;                    /* 1 or 2 */
    bool packed_1x1;  /* W=H=1: atoms are contiguous, strides ignored (SDP; chapter 50 section 8.1) */
    int align;        /* bytes, power of 2: sums of base and strides are rounded down to it; 0: not */
    int min_surfaces; /* moved even if channels need fewer (SDP precision conversion); 0: as needed */
};

struct cube_element {
    int surface, line, column, channel; /* channel may be >= cube.channels: a pad lane of the last surface */
    int byte;                           /* byte inside the element */
};

/* Surfaces of the cube: ceil(channels * element_bytes / atom), at least min_surfaces. */
int cube_surfaces(const struct cube *cube);

/* Byte address of the atom of a surface at (line, column). */
uint64_t cube_atom_address(const struct cube *cube, int surface, int line, int column);

/* Finds the element a byte address belongs to. Returns false if the address lies in no atom of the cube. Where strides
 * make atoms overlap it is the last one in the order surface, line, column: the one whose write stays. */
bool cube_locate(const struct cube *cube, uint64_t address, struct cube_element *element);

/* Bytes from the first atom to the end of the last, so that cube_atom_address(cube, 0, 0, 0) + extent is past the cube.
 */
uint64_t cube_extent(const struct cube *cube);

#endif
