/* What stops an engine of which only the borders are visible: NVIDIA's RTL with tb/nvidia/waits_*.csv. An engine that
 * has all its input and whose output is free is guilty. See hang_reasoning.h. */
#include "replay/hang_reasoning.h"

#include <inttypes.h>

#include "layers/cubes.h"

enum { ROWS_IN_FLIGHT = 2 }; /* CACC has room for at least that many rows for each kernel of a group */

/* The engine has atoms in the latency FIFO of a client that it does not process. */
static bool holds(const struct reasoning *r, const struct client_links *c) {
    return pair(r, c->take)->counted && pair(r, c->take)->moved < pair(r, c->data)->moved;
}

/* A reader of memory whose requests or their answers do not come through. */
static struct hang_answer unanswered(const struct reasoning *r, const struct client_links *c) {
    if (holds(r, c))
        return hang_none();
    if (refused(r, c->ask))
        return hang_waits_for_output(r, ENGINE_MCIF, c->ask);
    if (pair(r, c->data)->moved < pair(r, c->ask)->moved)
        return hang_waits_for(ENGINE_MCIF, hang_waited(r, c->data), "waits for %s: received %" PRIu64 " of %" PRIu64,
                              pair(r, c->data)->name, pair(r, c->data)->moved, pair(r, c->ask)->moved);
    return hang_none();
}

/* ---- the memory interface ---- */

static struct hang_answer judge_reads(const struct reasoning *r, const struct client_links *c) {
    const int id = nvdla_clients[c->client].id, ordinal = flow(r, c->ask)->ordinal;
    const char *name = nvdla_clients[c->client].name;
    const uint64_t asked = on_ports(r->waits->read_asked, id), given = on_ports(r->waits->read_given, id);
    const uint64_t atoms = pair(r, c->ask)->moved, data = pair(r, c->data)->moved;
    if (asked > given)
        return hang_waits_for(ENGINE_MEMORY, hang_waited(r, c->data), "waits for %" PRIu64 " beats from the memory",
                              asked - given);
    if (refused(r, c->data) || ((refused(r, c->ask) || asked < atoms) && holds(r, c)))
        return hang_waits_for(c->engine, hang_waited(r, c->take), "holds atoms that %s does not take",
                              nvdla_engines[c->engine].name);
    if (data > atoms || asked > atoms)
        return hang_guilty(EXCESS, ordinal, "sent %s %" PRIu64 " atoms, which requested %" PRIu64, name,
                           data > atoms ? data : asked, atoms);
    if (!r->moving && data != given)
        return hang_guilty(LOST, ordinal, "received %" PRIu64 " beats for %s from the memory and passed on %" PRIu64,
                           given, name, data);
    if (hang_blocked(r, c->client))
        return hang_waits_for(ENGINE_TRACE, pair(r, c->ask)->since, "never answers %s, whose arbiter weight is 0",
                              name);
    if (asked < atoms || refused(r, c->ask))
        return hang_guilty(COMPLETE, ordinal,
                           "has requests of %s for %" PRIu64 " atoms but asked the memory for %" PRIu64, name, atoms,
                           asked);
    return hang_nothing("answered every request of %s", name);
}

static struct hang_answer judge_writes(const struct reasoning *r, const struct client_links *c) {
    const int id = nvdla_clients[c->client].id, ordinal = flow(r, c->ask)->ordinal;
    const char *name = nvdla_clients[c->client].name;
    const uint64_t commands = pair(r, c->ask)->moved, put = pair(r, c->take)->moved;
    const uint64_t written = on_ports(r->waits->written, id);
    for (size_t i = 0; i < r->waits->burst_count; i++)
        if (r->waits->bursts[i].write && r->waits->bursts[i].id == id && !r->waits->bursts[i].beats)
            return hang_waits_for(ENGINE_MEMORY, hang_waited(r, c->done), "waits for the acknowledges of %s", name);
    if (written > put)
        return hang_guilty(EXCESS, ordinal, "wrote %" PRIu64 " atoms for %s, which sent %" PRIu64, written, name, put);
    if (hang_blocked(r, c->client))
        return hang_waits_for(ENGINE_TRACE, pair(r, c->ask)->since,
                              "never takes writes of %s, whose arbiter weight "
                              "is 0",
                              name);
    if (put < commands && !refused(r, c->take))
        return hang_waits_for(c->engine, hang_waited(r, c->take),
                              "has %" PRIu64 " atoms of %s and commands for %" PRIu64, put, name, commands);
    if (written < put || refused(r, c->ask) || refused(r, c->take))
        return hang_guilty(COMPLETE, ordinal, "has %" PRIu64 " atoms of %s but wrote %" PRIu64, put, name, written);
    if (pair(r, c->last)->moved > pair(r, c->done)->moved)
        return hang_guilty(COMPLETE, ordinal, "wrote everything for %s but does not acknowledge it", name);
    return hang_nothing("wrote all that %s sent", name);
}

struct hang_answer hang_border_client(const struct reasoning *r, const struct client_links *c) {
    const bool known = pair(r, c->ask)->seen && hang_beat_is_atom(r->config);
    return !known                       ? hang_nothing("is not seen for %s", nvdla_clients[c->client].name)
           : c->interrupt == WAIT_COUNT ? judge_reads(r, c)
                                        : judge_writes(r, c);
}

/* ---- the convolution ---- */

/* CBUF has no room for one more line of the input, or for more weights. */
static bool cbuf_is_full(const struct reasoning *r, bool weights) {
    const int now = hang_current(r, NVDLA_CDMA);
    const struct launch *launch = now < 0 ? NULL : hang_launch(r, NVDLA_CDMA, now);
    if (!launch)
        return false;
    const struct registers_view view = launch_view(r->config, launch);
    const uint64_t bank = (uint64_t)r->config->cbuf_bank_depth;
    if (weights)
        return pair(r, WAIT_WT_ENTRIES)->moved - pair(r, WAIT_FREE_WEIGHTS)->moved + 1 >=
               (FIELD(&view, CDMA, D_BANK, WEIGHT_BANK) + (uint64_t)1) * bank;
    const uint64_t line = FIELD(&view, CDMA, D_ENTRY_PER_SLICE, ENTRIES) + (uint64_t)1;
    return (pair(r, WAIT_SLICES)->moved - pair(r, WAIT_FREE_SLICES)->moved + 1) * line >
           (FIELD(&view, CDMA, D_BANK, DATA_BANK) + (uint64_t)1) * bank;
}

static struct hang_answer judge_cdma(const struct reasoning *r, bool weights) {
    const struct client_links *c = &hang_client_links[weights ? L_CDMA_WT : L_CDMA_DAT];
    const enum wait_index out = weights ? WAIT_KERNELS : WAIT_SLICES;
    const enum wait_index interrupt = weights ? WAIT_INTR_CDMA_WT : WAIT_INTR_CDMA_DAT;
    const int ordinal = hang_current(r, NVDLA_CDMA);
    struct hang_answer f;
    if (flow(r, out)->beyond)
        return hang_too_many(r, out);
    if ((f = unanswered(r, c)).kind != NOTHING)
        return f;
    if (hang_owed(r, out)) {
        if (ordinal < 0)
            return hang_ended_early(r, out);
        if (cbuf_is_full(r, weights))
            return hang_waits_for(ENGINE_CSC, hang_waited(r, weights ? WAIT_FREE_WEIGHTS : WAIT_FREE_SLICES),
                                  "waits for room in CBUF for %s", weights ? "weights" : "data");
        if (hang_current(r, NVDLA_CSC) >= 0 && hang_current(r, NVDLA_CSC) < ordinal && !flow(r, out)->moved_of)
            return hang_waits_for(ENGINE_CSC, hang_waited(r, out), "waits for the end of CSC's layer %d",
                                  hang_current(r, NVDLA_CSC));
        return hang_guilty(
            COMPLETE, ordinal, "has room in CBUF and %" PRIu64 " atoms, but sent %" PRIu64 " of %" PRIu64 " %s",
            pair(r, c->data)->moved, flow(r, out)->moved_of, flow(r, out)->required_of, pair(r, out)->name);
    }
    const bool both = !hang_owed(r, WAIT_KERNELS) && !hang_owed(r, WAIT_SLICES);
    if (hang_owed(r, interrupt) || (both && ordinal >= 0))
        return hang_does_not_end(r, NVDLA_CDMA);
    return hang_nothing("fetched all its %s", weights ? "weights" : "data");
}

static struct hang_answer judge_csc(const struct reasoning *r) {
    const int ordinal = hang_current(r, NVDLA_CSC);
    if (flow(r, WAIT_ATOMS)->beyond || flow(r, WAIT_ROWS)->beyond)
        return hang_too_many(r, flow(r, WAIT_ATOMS)->beyond ? WAIT_ATOMS : WAIT_ROWS);
    if (!hang_owed(r, WAIT_ATOMS))
        return ordinal >= 0 ? hang_does_not_end(r, NVDLA_CSC) : hang_nothing("sent all its atoms");
    if (ordinal < 0)
        return hang_ended_early(r, WAIT_ATOMS);
    if (hang_missing(r, WAIT_SLICES, NVDLA_CSC))
        return hang_waits_for_input(r, ENGINE_CDMA_DAT, WAIT_SLICES);
    if (hang_missing(r, WAIT_KERNELS, NVDLA_CSC) && !cbuf_is_full(r, true))
        return hang_waits_for_input(r, ENGINE_CDMA_WT, WAIT_KERNELS);
    const uint64_t issued = hang_rows(r, pair(r, WAIT_ROWS)->moved), back = pair(r, WAIT_CREDITS)->moved;
    if (issued > back && (refused(r, WAIT_RESULTS) ||
                          issued - back + hang_conv_now(r).results > ROWS_IN_FLIGHT * (uint64_t)r->config->atomic_k))
        return hang_waits_for(ENGINE_CACC, hang_waited(r, WAIT_CREDITS),
                              "waits for credits of CACC: it got back %" PRIu64 " of %" PRIu64, back, issued);
    return hang_owes(r, WAIT_ATOMS);
}

static struct hang_answer judge_cmac(const struct reasoning *r) {
    if (!r->moving && pair(r, WAIT_SUMS)->moved != pair(r, WAIT_ATOMS)->moved)
        return hang_guilty(LOST, flow(r, WAIT_SUMS)->ordinal, "received %" PRIu64 " atoms and sent %" PRIu64 " sums",
                           pair(r, WAIT_ATOMS)->moved, pair(r, WAIT_SUMS)->moved);
    if (hang_missing(r, WAIT_SUMS, NVDLA_CMAC_A))
        return hang_waits_for_input(r, ENGINE_CSC, WAIT_ATOMS);
    for (enum nvdla_unit unit = NVDLA_CMAC_A; unit <= NVDLA_CMAC_B; unit++)
        if (hang_jobs(r, unit) > 0)
            return hang_does_not_end(r, unit);
    return hang_nothing("sent all its sums");
}

static struct hang_answer judge_cacc(const struct reasoning *r) {
    const uint64_t beats = hang_row_results(r->config) / (uint64_t)nvdla_sdp_lanes(r->config);
    const uint64_t rows = pair(r, WAIT_RESULTS)->moved / beats;
    if (flow(r, WAIT_RESULTS)->beyond)
        return hang_too_many(r, WAIT_RESULTS);
    if (!r->moving && pair(r, WAIT_CREDITS)->moved != rows)
        return hang_guilty(LOST, flow(r, WAIT_RESULTS)->ordinal,
                           "SDP took %" PRIu64 " rows, CACC returned %" PRIu64 " credits", rows,
                           pair(r, WAIT_CREDITS)->moved);
    /* Sums of other rows have come behind them, so that their stripe is complete. */
    const bool complete =
        !r->moving && hang_conv_now(r).batches == 1 && pair(r, WAIT_SUM_ROWS)->last < pair(r, WAIT_SUMS)->last;
    return hang_cacc_gives(r, hang_rows(r, pair(r, WAIT_SUM_ROWS)->moved), complete);
}

/* ---- the engines behind it ---- */

/* SDP_RDMA, PDP_RDMA, CDP_RDMA: its clients are those from first to last. */
static struct hang_answer judge_rdma(const struct reasoning *r, enum nvdla_unit unit, size_t first, size_t last) {
    struct hang_answer f;
    for (size_t i = first; i <= last; i++) {
        const struct client_links *c = &hang_client_links[i];
        if (flow(r, c->ask)->beyond)
            return hang_too_many(r, c->ask);
        if (pair(r, c->ask)->seen && (f = unanswered(r, c)).kind != NOTHING)
            return f;
    }
    for (size_t i = first; i <= last; i++) {
        const struct client_links *c = &hang_client_links[i];
        if (hang_owed(r, c->ask))
            return hang_guilty(IDLE, flow(r, c->ask)->ordinal,
                               "requests no more after %" PRIu64 " of %" PRIu64 " atoms", flow(r, c->ask)->moved_of,
                               flow(r, c->ask)->required_of);
        if (holds(r, c))
            return hang_guilty(IDLE, flow(r, c->ask)->ordinal, "does not pass on the atoms that arrived");
    }
    return hang_jobs(r, unit) > 0 ? hang_does_not_end(r, unit) : hang_nothing("sent all its data");
}

/* The end of an engine that has all its input. */
static struct hang_answer judge_output(const struct reasoning *r, enum nvdla_unit unit, const struct client_links *c) {
    if (hang_owed(r, c->take) || hang_owed(r, c->ask)) {
        const enum wait_index owed = hang_owed(r, c->take) ? c->take : c->ask;
        return hang_jobs(r, unit) > 0 ? hang_owes(r, owed) : hang_ended_early(r, owed);
    }
    if (hang_owed(r, c->last) && pair(r, c->last)->counted)
        return hang_guilty(COMPLETE, flow(r, c->last)->ordinal, "did not mark the last command of its layer");
    if (pair(r, c->last)->moved > pair(r, c->done)->moved)
        return hang_waits_for(ENGINE_MCIF, hang_waited(r, c->done), "wrote everything and waits for the acknowledge");
    if (hang_jobs(r, unit) > 0 || hang_owed(r, c->interrupt))
        return hang_does_not_end(r, unit);
    return hang_nothing("finished its layers");
}

/* SDP, PDP, CDP. input: what another engine gives it; WAIT_COUNT: it works on what its readers from first to last, of
 * engine rdma, take from memory. */
static struct hang_answer judge_writer(const struct reasoning *r, enum nvdla_unit unit, const struct client_links *out,
                                       enum nvdla_engine from, enum wait_index input, enum nvdla_engine rdma,
                                       size_t first, size_t last) {
    if (flow(r, out->ask)->beyond || flow(r, out->take)->beyond)
        return hang_too_many(r, flow(r, out->ask)->beyond ? out->ask : out->take);
    for (int i = 0; i < 2; i++)
        if (refused(r, i ? out->ask : out->take))
            return hang_waits_for_output(r, ENGINE_MCIF, i ? out->ask : out->take);
    if (hang_jobs(r, unit) > 0) {
        if (input != WAIT_COUNT && hang_missing(r, input, unit) && !pair(r, input)->valid)
            return hang_waits_for_input(r, from, input);
        for (size_t i = first; i <= last; i++)
            if (hang_missing(r, hang_client_links[i].data, unit) && pair(r, hang_client_links[i].data)->counted)
                return hang_waits_for_input(r, rdma, hang_client_links[i].data);
        if (input != WAIT_COUNT && hang_missing(r, input, unit))
            return hang_guilty(IDLE, hang_current(r, unit), "does not take %s, with nothing in its way",
                               pair(r, input)->name);
    }
    return judge_output(r, unit, out);
}

/* The bit of a register of the current launch of a unit, or of its last one. */
static bool has_bit(const struct reasoning *r, enum nvdla_unit unit, uint32_t offset, uint32_t mask) {
    const int now = hang_current(r, unit), ordinal = now < 0 ? hang_launch_count(r, unit) - 1 : now;
    const struct launch *launch = ordinal < 0 ? NULL : hang_launch(r, unit, ordinal);
    return launch && launch_register(launch, offset) & mask;
}

static struct hang_answer judge_sdp(const struct reasoning *r) {
    const bool flying = has_bit(r, NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK);
    if (refused(r, WAIT_FLY))
        return hang_waits_for_output(r, ENGINE_PDP, WAIT_FLY);
    if (flow(r, WAIT_FLY)->beyond)
        return hang_too_many(r, WAIT_FLY);
    const struct hang_answer f = judge_writer(r, NVDLA_SDP, &hang_client_links[L_SDP_W], ENGINE_CACC,
                                              flying ? WAIT_RESULTS : WAIT_COUNT, ENGINE_SDP_RDMA, L_SDP, L_SDP_E);
    return f.kind == NOTHING && hang_owed(r, WAIT_FLY) ? hang_ended_early(r, WAIT_FLY) : f;
}

static struct hang_answer judge_pdp(const struct reasoning *r) {
    const bool memory = has_bit(r, NVDLA_PDP, PDP_D_OPERATION_MODE_CFG, PDP_D_OPERATION_MODE_CFG__FLYING_MODE_MASK);
    return judge_writer(r, NVDLA_PDP, &hang_client_links[L_PDP_W], ENGINE_SDP, memory ? WAIT_COUNT : WAIT_FLY,
                        ENGINE_PDP_RDMA, L_PDP, L_PDP);
}

struct hang_answer hang_border_judge(const struct reasoning *r, enum nvdla_engine engine) {
    switch (engine) {
    case ENGINE_MCIF:
        return hang_of_clients(r, ENGINE_COUNT, hang_nothing("answered every request"));
    case ENGINE_CDMA_DAT:
    case ENGINE_CDMA_WT:
        return judge_cdma(r, engine == ENGINE_CDMA_WT);
    case ENGINE_CSC:
        return judge_csc(r);
    case ENGINE_CMAC:
        return judge_cmac(r);
    case ENGINE_CACC:
        return judge_cacc(r);
    case ENGINE_SDP_RDMA:
        return judge_rdma(r, NVDLA_SDP_RDMA, L_SDP, L_SDP_E);
    case ENGINE_SDP:
        return judge_sdp(r);
    case ENGINE_PDP_RDMA:
        return judge_rdma(r, NVDLA_PDP_RDMA, L_PDP, L_PDP);
    case ENGINE_PDP:
        return judge_pdp(r);
    case ENGINE_CDP_RDMA:
        return judge_rdma(r, NVDLA_CDP_RDMA, L_CDP, L_CDP);
    case ENGINE_CDP:
        return judge_writer(r, NVDLA_CDP, &hang_client_links[L_CDP_W], ENGINE_COUNT, WAIT_COUNT, ENGINE_CDP_RDMA, L_CDP,
                            L_CDP);
    default:
        return hang_none();
    }
}
