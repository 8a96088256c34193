/* Reasons why MCIF and CVIF do not serve clients. See ports.h. */
#include "model/ports.h"

#include "model/dma.h"
#include "nvdla_offsets.h"

const enum nvdla_client client_operands[SDP_STAGES] = {
    [SDP_BS] = NVDLA_READ_SDP_B, [SDP_BN] = NVDLA_READ_SDP_N, [SDP_EW] = NVDLA_READ_SDP_E};

int client_blocked_by(const struct model *model, enum nvdla_client client, bool primary) {
    const struct nvdla_client_facts *facts = &nvdla_clients[client];
    const struct register_group *port = &model->units[primary ? NVDLA_MCIF : NVDLA_CVIF];
    const struct nvdla_config *config = model->dev.config;
    uint32_t limits = register_group_value(port, MCIF_CFG_OUTSTANDING_CNT);
    uint32_t limit = facts->write ? REGISTER_FIELD(limits, MCIF_CFG_OUTSTANDING_CNT__WR_OS_CNT)
                                  : REGISTER_FIELD(limits, MCIF_CFG_OUTSTANDING_CNT__RD_OS_CNT);
    if ((register_group_value(port, facts->weight_register) >> facts->weight_lsb & 0xff) == 0)
        return (int)facts->weight_register;
    /* Layers with short bursts only would get through; they are not distinguished. */
    int burst = primary ? config->dbb_burst_beats : config->cvsram_burst_beats;
    return (int)limit + 1 < burst ? (int)MCIF_CFG_OUTSTANDING_CNT : CLIENT_NOT_BLOCKED;
}

bool client_served(const struct model *model, enum nvdla_client client, bool primary) {
    return model->dev.memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY] &&
           client_blocked_by(model, client, primary) == CLIENT_NOT_BLOCKED;
}

void client_open(struct model *model, struct dma *dma, enum nvdla_client client, bool primary) {
    const struct nvdla_client_facts *facts = &nvdla_clients[client];
    uint64_t *beats = facts->write ? model->write_beats : model->read_beats;
    dma_init(dma, &model->dev, &model->outside, primary, facts->unit, facts->id, model_ordinal(model, facts->unit),
             &beats[facts->id]);
}
