/* RUBIK as mathematics (chapter 66). */
#include "naive.h"

enum { CONTRACT, SPLIT, MERGE, ATOM = 32 };

struct rubik {
    int width, height, bytes, lanes; /* lanes: EPA */
    int in_channels, out_channels;
    uint64_t in, in_line, in_surface, in_planar;
    uint64_t out, out_line, out_surface, out_planar;
    uint64_t phase;
    int dx, dy;
    struct naive *m;
    const struct memory *src;
    struct memory *dst;
};

static void contract(const struct rubik *r) {
    const int surfaces = naive_divide_up(r->out_channels, r->lanes);
    uint8_t atom[ATOM];
    for (int z = 0; z < surfaces; z++)
        for (int y = 0; y < r->height; y++)
            for (int v = 0; v < r->dy; v++)
                for (int x = 0; x < r->width; x++)
                    for (int u = 0; u < r->dx; u++) {
                        memory_read(r->src,
                                    r->in + (uint64_t)(v * r->dx + u) * r->phase + (uint64_t)z * r->in_surface +
                                        (uint64_t)y * r->in_line + (uint64_t)x * ATOM,
                                    atom, ATOM);
                        naive_store(r->m, r->dst, NVDLA_RBK,
                                    r->out + (uint64_t)z * r->out_surface + (uint64_t)(y * r->dy + v) * r->out_line +
                                        (uint64_t)(x * r->dx + u) * ATOM,
                                    atom, ATOM);
                    }
}

static void split(const struct rubik *r) {
    const size_t line = (size_t)naive_divide_up(r->width * r->bytes, ATOM) * ATOM;
    autofree uint8_t *bytes = xmalloc(line);
    for (int c = 0; c < r->in_channels; c++)
        for (int y = 0; y < r->height; y++) {
            memset(bytes, 0, line);
            for (int x = 0; x < r->width; x++)
                memory_read(r->src,
                            r->in + (uint64_t)(c / r->lanes) * r->in_surface + (uint64_t)y * r->in_line +
                                (uint64_t)(x * ATOM + c % r->lanes * r->bytes),
                            bytes + x * r->bytes, (size_t)r->bytes);
            naive_store(r->m, r->dst, NVDLA_RBK, r->out + (uint64_t)c * r->out_planar + (uint64_t)y * r->out_line,
                        bytes, line);
        }
}

static void merge(const struct rubik *r) {
    uint8_t atom[ATOM];
    for (int z = 0; z < naive_divide_up(r->in_channels, r->lanes); z++)
        for (int y = 0; y < r->height; y++)
            for (int x = 0; x < r->width; x++) {
                memset(atom, 0, sizeof atom);
                for (int k = 0; k < r->lanes && z * r->lanes + k < r->in_channels; k++)
                    memory_read(r->src,
                                r->in + (uint64_t)(z * r->lanes + k) * r->in_planar + (uint64_t)y * r->in_line +
                                    (uint64_t)(x * r->bytes),
                                atom + k * r->bytes, (size_t)r->bytes);
                naive_store(r->m, r->dst, NVDLA_RBK,
                            r->out + (uint64_t)z * r->out_surface + (uint64_t)y * r->out_line + (uint64_t)x * ATOM,
                            atom, ATOM);
            }
}

bool naive_rubik(struct naive *m) {
    struct rubik r = {
        .width = NAIVE_FIELD(m, RBK, D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1,
        .height = NAIVE_FIELD(m, RBK, D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1,
        .bytes = NAIVE_FIELD(m, RBK, D_MISC_CFG, IN_PRECISION) == NVDLA_INT8 ? 1 : 2,
        .in_channels = NAIVE_FIELD(m, RBK, D_DATAIN_SIZE_1, DATAIN_CHANNEL) + 1,
        .out_channels = NAIVE_FIELD(m, RBK, D_DATAOUT_SIZE_1, DATAOUT_CHANNEL) + 1,
        .in = naive_address(m, NVDLA_RBK, RBK_D_DAIN_ADDR_LOW, RBK_D_DAIN_ADDR_HIGH),
        .in_line = naive_register(m, NVDLA_RBK, RBK_D_DAIN_LINE_STRIDE),
        .in_surface = naive_register(m, NVDLA_RBK, RBK_D_DAIN_SURF_STRIDE),
        .in_planar = naive_register(m, NVDLA_RBK, RBK_D_DAIN_PLANAR_STRIDE),
        .out = naive_address(m, NVDLA_RBK, RBK_D_DAOUT_ADDR_LOW, RBK_D_DAOUT_ADDR_HIGH),
        .out_line = naive_register(m, NVDLA_RBK, RBK_D_DAOUT_LINE_STRIDE),
        .out_surface = naive_register(m, NVDLA_RBK, RBK_D_DAOUT_SURF_STRIDE),
        .out_planar = naive_register(m, NVDLA_RBK, RBK_D_DAOUT_PLANAR_STRIDE),
        .phase = naive_register(m, NVDLA_RBK, RBK_D_CONTRACT_STRIDE_0),
        .dx = NAIVE_FIELD(m, RBK, D_DECONV_STRIDE, DECONV_X_STRIDE) + 1,
        .dy = NAIVE_FIELD(m, RBK, D_DECONV_STRIDE, DECONV_Y_STRIDE) + 1,
        .m = m,
        .src = naive_memory(m, NAIVE_FIELD(m, RBK, D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE)),
        .dst = naive_memory(m, NAIVE_FIELD(m, RBK, D_DAOUT_RAM_TYPE, DATAOUT_RAM_TYPE)),
    };
    r.lanes = ATOM / r.bytes;
    const int mode = NAIVE_FIELD(m, RBK, D_MISC_CFG, RUBIK_MODE);
    if (!r.src || !r.dst)
        return false;
    if (mode > MERGE || (mode != CONTRACT && r.in_channels != r.out_channels))
        return naive_unsupported(m, "RUBIK: mode %d with %d and %d channels", mode, r.in_channels, r.out_channels);
    (mode == CONTRACT ? contract : mode == SPLIT ? split : merge)(&r);
    return true;
}
