/* A wrong read in words: the address that was read, the one in its place, and the registers that make it up. */
#include <inttypes.h>
#include <stdio.h>

#include "nvdla_offsets.h"
#include "replay/read_judge.h"
#include "report/outcome.h"

/* The registers from which a client's addresses come; line and surface 0: the launch has no such stride. */
static const struct address_registers {
    enum nvdla_client client;
    uint32_t low, high, strides[2];
} address_registers[] = {
    {NVDLA_READ_SDP,
     SDP_RDMA_D_SRC_BASE_ADDR_LOW,
     SDP_RDMA_D_SRC_BASE_ADDR_HIGH,
     {SDP_RDMA_D_SRC_LINE_STRIDE, SDP_RDMA_D_SRC_SURFACE_STRIDE}},
    {NVDLA_READ_SDP_B,
     SDP_RDMA_D_BS_BASE_ADDR_LOW,
     SDP_RDMA_D_BS_BASE_ADDR_HIGH,
     {SDP_RDMA_D_BS_LINE_STRIDE, SDP_RDMA_D_BS_SURFACE_STRIDE}},
    {NVDLA_READ_SDP_N,
     SDP_RDMA_D_BN_BASE_ADDR_LOW,
     SDP_RDMA_D_BN_BASE_ADDR_HIGH,
     {SDP_RDMA_D_BN_LINE_STRIDE, SDP_RDMA_D_BN_SURFACE_STRIDE}},
    {NVDLA_READ_SDP_E,
     SDP_RDMA_D_EW_BASE_ADDR_LOW,
     SDP_RDMA_D_EW_BASE_ADDR_HIGH,
     {SDP_RDMA_D_EW_LINE_STRIDE, SDP_RDMA_D_EW_SURFACE_STRIDE}},
    {NVDLA_READ_PDP,
     PDP_RDMA_D_SRC_BASE_ADDR_LOW,
     PDP_RDMA_D_SRC_BASE_ADDR_HIGH,
     {PDP_RDMA_D_SRC_LINE_STRIDE, PDP_RDMA_D_SRC_SURFACE_STRIDE}},
    {NVDLA_READ_CDP,
     CDP_RDMA_D_SRC_BASE_ADDR_LOW,
     CDP_RDMA_D_SRC_BASE_ADDR_HIGH,
     {CDP_RDMA_D_SRC_LINE_STRIDE, CDP_RDMA_D_SRC_SURFACE_STRIDE}},
    {NVDLA_READ_CDMA_DAT, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0, {CDMA_D_LINE_STRIDE, CDMA_D_SURF_STRIDE}},
    {NVDLA_READ_RUBIK, RBK_D_DAIN_ADDR_LOW, RBK_D_DAIN_ADDR_HIGH, {RBK_D_DAIN_LINE_STRIDE, RBK_D_DAIN_SURF_STRIDE}},
};
enum { CLIENTS = sizeof address_registers / sizeof *address_registers, STEPS_MOST = 64 /* of one stride */ };

/* Adds " (base + 2 * D_BS_SURFACE_STRIDE, FILE:LINE)" if the address is that and the awaited one is not. */
static void add_origin(const struct report_input *in, const struct launch *launch, const struct address_registers *of,
                       const struct wrong_read *read, char *text, size_t size) {
    const uint32_t unit = nvdla_unit_base(in->prog->config, launch->unit);
    const uint64_t base = (uint64_t)launch_register(launch, of->high) << 32 | launch_register(launch, of->low);
    const bool never = read->kind == READ_SKIPPED || read->kind == READ_MISSING;
    const uint64_t distance = (never ? read->expected : read->beat.address) - base;
    for (int i = 1; i >= 0; i--) {
        const uint64_t stride = launch_register(launch, of->strides[i]);
        if (stride <= (uint64_t)in->prog->config->mem_atom || distance == 0 || distance % stride != 0 ||
            distance / stride > STEPS_MOST || (read->awaited && !never && (read->expected - base) % stride == 0))
            continue;
        char name[64], position[REPORT_POSITION] = "", times[24] = "";
        nvdla_register_name(in->prog->config, unit + of->strides[i], name, sizeof name);
        if (distance > stride)
            snprintf(times, sizeof times, "%" PRIu64 " * ", distance / stride);
        for (size_t n = launch->tag; n-- > 0 && !position[0];)
            if (in->prog->ops[n].kind == OP_WRITE && in->prog->ops[n].address == unit + of->strides[i])
                op_position(in->prog, &in->prog->ops[n], position, sizeof position);
        report_add(text, size, " (base + %s%s%s%s)", times, name, position[0] ? ", " : "", position);
        return;
    }
}

const struct wrong_read *report_first_wrong_read(const struct report_input *in) {
    return in->reads && in->reads->first.kind != READ_RIGHT ? &in->reads->first : NULL;
}

char *report_wrong_read(const struct report_input *in, const struct wrong_read *read, char *text, size_t size) {
    const struct axi_beat *beat = &read->beat;
    const enum nvdla_client client = nvdla_client_find(beat->id, false);
    const enum nvdla_unit unit = nvdla_clients[client].unit;
    const struct launch *launch = layer_tracker_find(in->launches, unit, beat->owner.ordinal);
    const bool never = read->kind == READ_SKIPPED || read->kind == READ_MISSING;
    snprintf(text, size, "AXI ID %d (%s) on the %s port %s 0x%" PRIx64, beat->id, nvdla_clients[client].name,
             memory_space_name((enum memory_space)beat->port), never ? "never reads" : "reads",
             never ? read->expected : beat->address);
    for (size_t i = 0; launch && i < CLIENTS; i++)
        if (address_registers[i].client == client)
            add_origin(in, launch, &address_registers[i], read, text, size);
    if (never)
        report_add(text, size, ", which %s #%d needs", nvdla_unit_names[unit], (int)beat->owner.ordinal);
    if (read->kind == READ_SKIPPED)
        report_add(text, size, ": it continues with 0x%" PRIx64 " of the next launch", beat->address);
    else if (read->kind == READ_MISSING)
        report_add(text, size, "; that launch has ended");
    else if (read->kind == READ_NOBODY)
        report_add(text, size, " though no launch of %s has anything left to read", nvdla_unit_names[unit]);
    else if (read->awaited)
        report_add(text, size, ", %s #%d needs 0x%" PRIx64 " there", nvdla_unit_names[unit], (int)beat->owner.ordinal,
                   read->expected);
    else
        report_add(text, size,
                   read->kind == READ_AGAIN ? ", which %s #%d already read" : ", where %s #%d has nothing to read",
                   nvdla_unit_names[unit], (int)beat->owner.ordinal);
    return text;
}
