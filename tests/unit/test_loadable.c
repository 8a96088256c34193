/* Loadables: decoding of descriptors, memory contents, the bounds of the reader. The
 * whole way is tested by tests/loadable. */
#include "loadable/descriptors.h"
#include "loadable/flat.h"
#include "loadable/loadable.h"
#include "tests/unit/test.h"

/* Both layouts of cubes, CONV: 4 bytes less for each of five (87-loadables section 4.3). */
TEST(cubes_of_both_layouts) {
    uint8_t operation[OPERATION_BYTES] = {0}, surface[SURFACE_BYTES] = {0};
    struct operation op = {.type = TYPE_CONV};
    surface[96] = 2;                      /* new: type of the source */
    surface[128 + 2] = 9;                 /* position of the destination */
    surface[128 + 4] = 0x40;              /* its offset */
    surface[128 + 12] = 7;                /* its width */
    surface[160] = 0x10;                  /* second plane */
    operation[48] = 0x34;                 /* bytes of a kernel */
    operation[74] = operation[75] = 0xff; /* padding value */
    operation_decode(operation, surface, false, &op);
    assert_int_equal(op.src.type, CUBE_ON_THE_FLY);
    assert_int_equal(op.dst.position, 9);
    assert_int_equal(op.dst.offset, 0x40);
    assert_int_equal(op.dst.width, 7);
    assert_int_equal(op.conv.u_offset, 0x10);
    assert_int_equal(op.conv.bytes_per_kernel, 0x34);
    assert_int_equal(op.conv.pad_value, -1);

    memset(surface, 0, sizeof surface);
    surface[84] = 2;
    surface[112 + 2] = 9;
    surface[112 + 8] = 7;
    surface[140] = 0x10;
    operation_decode(operation, surface, true, &op);
    assert_int_equal(op.src.type, CUBE_ON_THE_FLY);
    assert_int_equal(op.dst.position, 9);
    assert_int_equal(op.dst.offset, 0);
    assert_int_equal(op.dst.width, 7);
    assert_int_equal(op.conv.u_offset, 0x10);
}

TEST(tables_are_decoded) {
    uint8_t bytes[TABLE_BYTES] = {0};
    struct lut_param lut;
    bytes[128] = 0xfe, bytes[129] = 0xff; /* LE[64] */
    bytes[642] = 5;                       /* LO[256] */
    bytes[644] = 0x80;
    bytes[679] = 1; /* the highest byte of LO's end */
    bytes[692] = 3, bytes[694] = 0xff;
    bytes[699] = 1;
    lut_decode(bytes, &lut);
    assert_int_equal(lut.le[64], -2);
    assert_int_equal(lut.lo[256], 5);
    assert_int_equal(lut.le_offset, -128);
    assert_true(lut.lo_end == UINT64_C(1) << 56);
    assert_int_equal(lut.lo_overflow.scale, 3);
    assert_int_equal(lut.lo_overflow.shift, -1);
    assert_int_equal(lut.method, 1);
}

TEST(contents_overlay_zeros) {
    uint8_t first[] = {1, 2, 3, 4}, second[] = {9, 8}, got[8];
    struct loadable_blob blobs[] = {{.bytes = first, .n = 4}, {.bytes = second, .n = 2}};
    struct loadable_content contents[] = {{.blob = 0, .offset = 2}, {.blob = 1, .offset = 5}};
    const struct loadable loadable = {.blobs = blobs, .blob_count = 2};
    const struct loadable_memory memory = {.size = 10, .contents = contents, .content_count = 2};
    loadable_content(&loadable, &memory, 0, got, sizeof got);
    assert_memory_equal(got, ((uint8_t[]){0, 0, 1, 2, 3, 9, 8, 0}), sizeof got);
    loadable_content(&loadable, &memory, 3, got, 3);
    assert_memory_equal(got, ((uint8_t[]){2, 3, 9}), 3);
}

/* A vector that refers to itself costs nothing: what may be read in all is bounded. */
TEST(reading_is_bounded) {
    uint8_t bytes[64] = {0};
    struct error err = {.text = ""};
    struct flat flat = flat_open("x", bytes, sizeof bytes, &err);
    bytes[0] = 20;               /* root */
    bytes[8] = 6, bytes[10] = 8; /* its vtable: one field, 4 bytes into the table */
    bytes[12] = 4;
    bytes[20] = 12;
    bytes[24] = 4;  /* the vector follows */
    bytes[28] = 30; /* elements */
    const struct flat_table root = flat_root(&flat, "root");
    assert_false(flat.failed);
    for (int i = 0; i < 4; i++)
        assert_int_equal(flat_vector(&flat, &root, 0, 1, "list").count, 30);
    assert_int_equal(flat_vector(&flat, &root, 0, 1, "list").count, 0);
    assert_true(flat.failed);
    assert_non_null(strstr(err.text, "x: offset 0x1c: vectors and strings hold more than twice the 64 bytes"));
}
