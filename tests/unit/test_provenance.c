/* From AXI ID and atom count to unit and launch. */

#include "nvdla/registers.h"
#include "nvdla_offsets.h"
#include "tb/provenance.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"

TEST_KEEPS(keep_provenance, struct provenance, provenance_free)

/* A register write; true if it armed a group. */
static bool put(struct provenance *prov, const struct nvdla_config *config, enum nvdla_unit unit, uint32_t offset,
                uint32_t value) {
    return provenance_register_write(prov, nvdla_unit_base(config, unit) + offset, value, 0);
}

#define PUT(prov, config, unit, ...) FOR_ROWS(put(prov, config, unit, offset_, value_), __VA_ARGS__)

/* Arms SDP and SDP_RDMA for a memory to memory layer of w x h x c elements on the primary or the secondary port. */
static void arm_sdp(struct provenance *prov, const struct nvdla_config *config, uint32_t group, uint32_t w, uint32_t h,
                    uint32_t c, bool to_pdp, bool primary) {
    PUT(prov, config, NVDLA_SDP, {SDP_S_POINTER, group}, {SDP_D_DATA_CUBE_WIDTH, w - 1},
        {SDP_D_DATA_CUBE_HEIGHT, h - 1}, {SDP_D_DATA_CUBE_CHANNEL, c - 1},
        {SDP_D_FEATURE_MODE_CFG, to_pdp ? SDP_D_FEATURE_MODE_CFG__OUTPUT_DST_MASK : 0}, {SDP_D_DST_DMA_CFG, primary});
    PUT(prov, config, NVDLA_SDP_RDMA, {SDP_RDMA_S_POINTER, group}, {SDP_RDMA_D_DATA_CUBE_WIDTH, w - 1},
        {SDP_RDMA_D_DATA_CUBE_HEIGHT, h - 1}, {SDP_RDMA_D_DATA_CUBE_CHANNEL, c - 1}, {SDP_RDMA_D_SRC_DMA_CFG, primary},
        {SDP_RDMA_D_FEATURE_MODE_CFG, 0});
    assert_false(put(prov, config, NVDLA_SDP, SDP_D_OP_ENABLE, 0));
    assert_true(put(prov, config, NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE, 1));
    assert_true(put(prov, config, NVDLA_SDP, SDP_D_OP_ENABLE, 1));
}

enum { ATOM = 8 /* bytes, in small */ };

static void expect(struct provenance *prov, int port, int id, bool write, unsigned atoms, int unit, int ordinal) {
    const struct owner owner = provenance_move(prov, port, id, write, atoms * ATOM);
    assert_int_equal(owner.unit, unit);
    assert_int_equal(owner.ordinal, ordinal);
}

TEST(atoms_are_counted_off_launch_by_launch) {
    const struct nvdla_config *config = nvdla_config_find("small");
    struct provenance *prov = keep_provenance(provenance_new(config));
    expect(prov, 0, 1, true, 1, NVDLA_SDP, -1);      /* nothing armed */
    arm_sdp(prov, config, 0, 3, 2, 17, false, true); /* 3 x 2 x 3 surfaces */
    arm_sdp(prov, config, 1, 2, 1, 8, true, true);   /* to PDP: reads 2 atoms, writes none */
    arm_sdp(prov, config, 0, 4, 1, 8, false, true);
    for (int i = 0; i < 18; i++) {
        expect(prov, 0, 1, false, 1, NVDLA_SDP_RDMA, 0);
        expect(prov, 0, 1, true, 1, NVDLA_SDP, 0);
    }
    expect(prov, 0, 1, false, 2, NVDLA_SDP_RDMA, 1);
    expect(prov, 0, 1, false, 1, NVDLA_SDP_RDMA, 2);
    for (int i = 0; i < 4; i++)
        expect(prov, 0, 1, true, 1, NVDLA_SDP, 2);
    expect(prov, 0, 1, true, 1, NVDLA_SDP, -1); /* more than was asked for */
    arm_sdp(prov, config, 1, 1, 1, 1, false, true);
    expect(prov, 0, 1, true, 1, NVDLA_SDP, 3);
}

TEST(ports_are_counted_apart) {
    const struct nvdla_config *config = nvdla_config_find("large");
    enum { WIDE = 32 / ATOM }; /* atoms of large */
    struct provenance *prov = keep_provenance(provenance_new(config));
    arm_sdp(prov, config, 0, 2, 1, 32, false, true);
    arm_sdp(prov, config, 1, 3, 1, 32, false, false);
    arm_sdp(prov, config, 0, 1, 1, 32, false, true);
    expect(prov, 1, 1, true, WIDE, NVDLA_SDP, 1);
    expect(prov, 0, 1, true, WIDE, NVDLA_SDP, 0);
    expect(prov, 0, 1, true, WIDE, NVDLA_SDP, 0);
    expect(prov, 0, 1, true, WIDE, NVDLA_SDP, 2);
    expect(prov, 1, 1, true, WIDE, NVDLA_SDP, 1);
    expect(prov, 1, 1, false, WIDE * 3, NVDLA_SDP_RDMA, 1);
}

TEST(ids_without_client_have_no_owner) {
    struct provenance *prov = keep_provenance(provenance_new(nvdla_config_find("small")));
    char text[64];
    expect(prov, 0, 10, false, 1, -1, -1);
    expect(prov, 0, 255, true, 1, -1, -1);
    expect(prov, 0, 5, true, 1, -1, -1);
    expect(prov, 0, 9, false, 1, NVDLA_CDMA, -1);
    assert_string_equal(owner_name((struct owner){-1, -1}, 12, text, sizeof text), "AXI ID 12 (no such client)");
    assert_string_equal(owner_name((struct owner){NVDLA_PDP, -1}, 2, text, sizeof text), "PDP (no launch)");
    assert_string_equal(owner_name((struct owner){NVDLA_SDP_RDMA, 3}, 5, text, sizeof text), "SDP_RDMA launch 3");
    provenance_free(NULL);
}

/* BDMA has no D_OP_ENABLE: the launch registers arm what CFG_OP has pushed. */
TEST(launches_of_bdma_are_armed_by_its_launch_registers) {
    const struct nvdla_config *config = nvdla_config_find("full");
    struct provenance *prov = keep_provenance(provenance_new(config));
    assert_false(put(prov, config, NVDLA_BDMA, BDMA_CFG_OP, 1));
    assert_false(put(prov, config, NVDLA_BDMA, BDMA_CFG_LAUNCH1, 0));
    assert_true(put(prov, config, NVDLA_BDMA, BDMA_CFG_LAUNCH1, 1));
}
