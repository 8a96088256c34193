/* The clients of MCIF and CVIF, and which of them these two answer with the weights that software gave them. */
#include "model/ports.h"

#include "model/dma.h"
#include "nvdla_offsets.h"

/* AXI IDs of chapter 70 section 3. */
enum axi_id {
    AXI_BDMA = 0,
    AXI_SDP = 1,
    AXI_PDP = 2,
    AXI_CDP = 3,
    AXI_RUBIK = 4,
    AXI_SDP_B = 5,
    AXI_SDP_N = 6,
    AXI_SDP_E = 7,
    AXI_CDMA_DAT = 8,
    AXI_CDMA_WT = 9
};

const struct client client_bdma_read = {AXI_BDMA, MCIF_CFG_RD_WEIGHT_0, MCIF_CFG_RD_WEIGHT_0__RD_WEIGHT_BDMA_LSB};
const struct client client_sdp_read = {AXI_SDP, MCIF_CFG_RD_WEIGHT_0, MCIF_CFG_RD_WEIGHT_0__RD_WEIGHT_SDP_LSB};
const struct client client_pdp_read = {AXI_PDP, MCIF_CFG_RD_WEIGHT_0, MCIF_CFG_RD_WEIGHT_0__RD_WEIGHT_PDP_LSB};
const struct client client_cdp_read = {AXI_CDP, MCIF_CFG_RD_WEIGHT_0, MCIF_CFG_RD_WEIGHT_0__RD_WEIGHT_CDP_LSB};
const struct client client_rubik_read = {AXI_RUBIK, MCIF_CFG_RD_WEIGHT_2, MCIF_CFG_RD_WEIGHT_2__RD_WEIGHT_RBK_LSB};
const struct client client_operand_read[SDP_STAGES] = {
    {AXI_SDP_B, MCIF_CFG_RD_WEIGHT_1, MCIF_CFG_RD_WEIGHT_1__RD_WEIGHT_SDP_B_LSB},
    {AXI_SDP_N, MCIF_CFG_RD_WEIGHT_1, MCIF_CFG_RD_WEIGHT_1__RD_WEIGHT_SDP_N_LSB},
    {AXI_SDP_E, MCIF_CFG_RD_WEIGHT_1, MCIF_CFG_RD_WEIGHT_1__RD_WEIGHT_SDP_E_LSB},
};
const struct client client_data_read = {AXI_CDMA_DAT, MCIF_CFG_RD_WEIGHT_1,
                                        MCIF_CFG_RD_WEIGHT_1__RD_WEIGHT_CDMA_DAT_LSB};
const struct client client_weight_read = {AXI_CDMA_WT, MCIF_CFG_RD_WEIGHT_2,
                                          MCIF_CFG_RD_WEIGHT_2__RD_WEIGHT_CDMA_WT_LSB};
const struct client client_bdma_write = {AXI_BDMA, MCIF_CFG_WR_WEIGHT_0, MCIF_CFG_WR_WEIGHT_0__WR_WEIGHT_BDMA_LSB};
const struct client client_sdp_write = {AXI_SDP, MCIF_CFG_WR_WEIGHT_0, MCIF_CFG_WR_WEIGHT_0__WR_WEIGHT_SDP_LSB};
const struct client client_pdp_write = {AXI_PDP, MCIF_CFG_WR_WEIGHT_0, MCIF_CFG_WR_WEIGHT_0__WR_WEIGHT_PDP_LSB};
const struct client client_cdp_write = {AXI_CDP, MCIF_CFG_WR_WEIGHT_0, MCIF_CFG_WR_WEIGHT_0__WR_WEIGHT_CDP_LSB};
const struct client client_rubik_write = {AXI_RUBIK, MCIF_CFG_WR_WEIGHT_1, MCIF_CFG_WR_WEIGHT_1__WR_WEIGHT_RBK_LSB};

int client_blocked_by(const struct model *model, const struct client *client, bool primary) {
    const struct register_group *port = &model->units[primary ? NVDLA_MCIF : NVDLA_CVIF];
    const struct nvdla_config *config = model->dev.config;
    uint32_t limits = register_group_value(port, MCIF_CFG_OUTSTANDING_CNT);
    uint32_t limit = client->weight >= MCIF_CFG_WR_WEIGHT_0
                         ? REGISTER_FIELD(limits, MCIF_CFG_OUTSTANDING_CNT__WR_OS_CNT)
                         : REGISTER_FIELD(limits, MCIF_CFG_OUTSTANDING_CNT__RD_OS_CNT);
    if ((register_group_value(port, client->weight) >> client->lsb & 0xff) == 0) {
        return (int)client->weight;
    }
    /* Layers whose bursts are all short would get through; they are not told apart. */
    int burst = primary ? config->dbb_burst_beats : config->cvsram_burst_beats;
    return (int)limit + 1 < burst ? (int)MCIF_CFG_OUTSTANDING_CNT : CLIENT_NOT_BLOCKED;
}

bool client_served(const struct model *model, const struct client *client, bool primary) {
    return model->dev.memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY] &&
           client_blocked_by(model, client, primary) == CLIENT_NOT_BLOCKED;
}

void client_open_read(struct model *model, struct dma *dma, const struct client *client, bool primary,
                      enum nvdla_unit unit) {
    dma_init(dma, &model->dev, &model->outside, primary, unit, client->axi_id, model_ordinal(model, unit),
             &model->read_beats[client->axi_id]);
}

void client_open_write(struct model *model, struct dma *dma, const struct client *client, bool primary,
                       enum nvdla_unit unit) {
    dma_init(dma, &model->dev, &model->outside, primary, unit, client->axi_id, model_ordinal(model, unit),
             &model->write_beats[client->axi_id]);
}
