/* BDMA as mathematics: the copies of a launched group, line by line (chapter 64 section 3). */
#include "naive.h"

static uint64_t word_pair(const struct naive_copy *copy, uint32_t low, uint32_t high) {
    return (uint64_t)copy->words[high / 4] << 32 | copy->words[low / 4];
}

bool naive_bdma_copy(struct naive *m, int group) {
    for (int i = 0; i < m->bdma.count[group]; i++) {
        const struct naive_copy *copy = &m->bdma.group[group][i];
        const size_t line = ((size_t)copy->words[BDMA_CFG_LINE / 4] + 1) * 32;
        const uint32_t lines = copy->words[BDMA_CFG_LINE_REPEAT / 4] + 1,
                       surfaces = copy->words[BDMA_CFG_SURF_REPEAT / 4] + 1;
        const struct memory *src = naive_memory(m, (int)(copy->words[BDMA_CFG_CMD / 4] & 1));
        struct memory *dst = naive_memory(m, (int)(copy->words[BDMA_CFG_CMD / 4] >> 1 & 1));
        if (!src || !dst)
            return false;
        if (lines > 8192 || surfaces > 8192)
            return naive_unsupported(m, "BDMA: %u lines, %u surfaces", lines, surfaces);
        autofree uint8_t *bytes = xmalloc(line);
        for (uint32_t z = 0; z < surfaces; z++)
            for (uint32_t y = 0; y < lines; y++) {
                memory_read(src,
                            word_pair(copy, BDMA_CFG_SRC_ADDR_LOW, BDMA_CFG_SRC_ADDR_HIGH) +
                                (uint64_t)z * copy->words[BDMA_CFG_SRC_SURF / 4] +
                                (uint64_t)y * copy->words[BDMA_CFG_SRC_LINE / 4],
                            bytes, line);
                naive_store(m, dst, NVDLA_BDMA,
                            word_pair(copy, BDMA_CFG_DST_ADDR_LOW, BDMA_CFG_DST_ADDR_HIGH) +
                                (uint64_t)z * copy->words[BDMA_CFG_DST_SURF / 4] +
                                (uint64_t)y * copy->words[BDMA_CFG_DST_LINE / 4],
                            bytes, line);
            }
    }
    return true;
}
