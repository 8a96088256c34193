/* What stops SDP, PDP, CDP, BDMA, RUBIK and GLB, and the dispatch for all engines. See hang_reasoning.h. */
#include "replay/hang_reasoning.h"

#include <inttypes.h>

#include "layers/cubes.h"

/* A reader of SDP_RDMA, PDP_RDMA or CDP_RDMA, which passes data from memory to the next engine. */
struct rdma_reader {
    size_t client;
    enum wait_index out;
    enum nvdla_engine to;
};

static struct hang_answer judge_rdma(const struct reasoning *r, enum nvdla_unit unit, const struct rdma_reader *readers,
                                     int count) {
    struct hang_answer f = hang_nothing("sent all its data");
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            const struct client_links *c = &hang_client_links[readers[i].client];
            const enum wait_index out = readers[i].out;
            if (pass == 0) {
                if (flow(r, c->ask)->beyond || flow(r, out)->beyond)
                    return hang_too_many(r, flow(r, c->ask)->beyond ? c->ask : out);
                continue;
            }
            if (!r->waits->inside) {
                if (hang_owed(r, c->data))
                    return hang_judge_reading(r, c);
                continue;
            }
            if (refused(r, out) && f.kind != GUILTY) {
                f = hang_waits_for_output(r, readers[i].to, out);
                continue;
            }
            if (refused(r, c->take) && !refused(r, out))
                return hang_guilty(COMPLETE, flow(r, c->ask)->ordinal, "does not take the atoms that arrived");
            const struct hang_answer asking = hang_judge_asking(r, c->ask, c->take, unit);
            if (asking.kind != NOTHING)
                return asking;
            if (hang_owed(r, c->ask))
                return hang_guilty(IDLE, flow(r, c->ask)->ordinal,
                                   "requests no more after %" PRIu64 " of %" PRIu64 " atoms", flow(r, c->ask)->moved_of,
                                   flow(r, c->ask)->required_of);
            if (hang_owed(r, out) && !refused(r, out))
                return hang_owes(r, out);
        }
    if (f.kind == NOTHING && r->waits->inside && hang_jobs(r, unit) > 0)
        return hang_does_not_end(r, unit);
    return f;
}

static struct hang_answer judge_sdp_rdma(const struct reasoning *r) {
    static const struct rdma_reader readers[] = {{L_SDP, WAIT_SDP_MAIN, ENGINE_SDP},
                                                 {L_SDP_B, WAIT_SDP_BS, ENGINE_SDP},
                                                 {L_SDP_N, WAIT_SDP_BN, ENGINE_SDP},
                                                 {L_SDP_E, WAIT_SDP_EW, ENGINE_SDP}};
    return judge_rdma(r, NVDLA_SDP_RDMA, readers, 4);
}

/* Number of launches of a unit, up to a given one, with a given value of a register bit. */
static int launches_with(const struct reasoning *r, enum nvdla_unit unit, int last, uint32_t offset, uint32_t mask,
                         bool set) {
    int count = 0;
    for (int ordinal = 0; ordinal <= last; ordinal++) {
        const struct launch *launch = hang_launch(r, unit, ordinal);
        count += launch && !(launch_register(launch, offset) & mask) == !set;
    }
    return count;
}

/* If only the ports are visible. */
static struct hang_answer judge_sdp_outside(const struct reasoning *r, int ordinal, bool flying) {
    struct hang_answer f;
    if (hang_jobs(r, NVDLA_SDP) == 0)
        return hang_nothing("finished its layers");
    if ((f = hang_judge_holding(r, WAIT_DATA_SDP, &hang_client_links[L_SDP_W])).kind != NOTHING)
        return f;
    if (flying && !pair(r, WAIT_RESULTS)->counted) {
        if (hang_missing(r, WAIT_DATA_CDMA_DAT, NVDLA_SDP))
            return hang_waits_for_input(r, ENGINE_CDMA_DAT, WAIT_DATA_CDMA_DAT);
        if (hang_missing(r, WAIT_DATA_CDMA_WT, NVDLA_SDP))
            return hang_waits_for_input(r, ENGINE_CDMA_WT, WAIT_DATA_CDMA_WT);
        if (hang_cdma_does_not_end(r))
            return hang_waits_for(ENGINE_CDMA_DAT, hang_waited(r, WAIT_DATA_CDMA_DAT),
                                  "waits for CSC, CMAC and CACC, and these for CDMA");
        if (hang_owed(r, WAIT_BEAT_SDP))
            return hang_guilty(IDLE, ordinal,
                               "or CSC, CMAC or CACC before it: CDMA read everything and SDP wrote %" PRIu64
                               " of %" PRIu64 " atoms",
                               flow(r, WAIT_BEAT_SDP)->moved_of, flow(r, WAIT_BEAT_SDP)->required_of);
    }
    if (flying && hang_missing(r, WAIT_RESULTS, NVDLA_SDP))
        return hang_waits_for_input(r, ENGINE_CACC, WAIT_RESULTS);
    if (!flying && hang_missing(r, WAIT_DATA_SDP, NVDLA_SDP))
        return hang_waits_for_input(r, ENGINE_SDP_RDMA, WAIT_DATA_SDP);
    static const enum wait_index operands[] = {WAIT_DATA_SDP_B, WAIT_DATA_SDP_N, WAIT_DATA_SDP_E};
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++)
        if (hang_missing(r, operands[i], NVDLA_SDP))
            return hang_waits_for_input(r, ENGINE_SDP_RDMA, operands[i]);
    if (hang_owed(r, WAIT_BEAT_SDP))
        return hang_owes(r, WAIT_BEAT_SDP);
    return hang_does_not_end(r, NVDLA_SDP);
}

/* Checks that numbers of beats are consistent. */
static struct hang_answer judge_sdp_numbers(const struct reasoning *r, int ordinal) {
    /* If precisions differ between layers, an atom has one or two beats. */
    const bool fixed = !nvdla_has_16_bits(r->config);
    const uint64_t beats = (uint64_t)(r->config->mem_atom / nvdla_sdp_lanes(r->config));
    if (fixed && pair(r, WAIT_PUT_SDP)->moved * beats > pair(r, WAIT_SDP_OUT)->moved)
        return hang_guilty(LOST, ordinal, "made %" PRIu64 " atoms of %" PRIu64 " beats", pair(r, WAIT_PUT_SDP)->moved,
                           pair(r, WAIT_SDP_OUT)->moved);
    /* An atom counts with its last beat; one beat may be after the source. */
    const uint64_t taken = pair(r, WAIT_SDP_MAIN)->moved * beats + pair(r, WAIT_RESULTS)->moved;
    const uint64_t passed = pair(r, WAIT_SDP_SOURCE)->moved;
    if (fixed && !r->moving && (passed + 1 < taken || passed > taken + beats))
        return hang_guilty(LOST, ordinal, "took %" PRIu64 " beats of input and passed %" PRIu64 " to X1", taken,
                           passed);
    return hang_none();
}

/* Finds the stage that does not accept its input. */
static struct hang_answer judge_sdp_stages(const struct reasoning *r, int ordinal) {
    /* A stage that needs operands takes data and operands together. */
    if (refused(r, WAIT_SDP_X2) && !pair(r, WAIT_SDP_EW)->valid && hang_missing(r, WAIT_SDP_EW, NVDLA_SDP))
        return hang_waits_for_input(r, ENGINE_SDP_RDMA, WAIT_SDP_EW);
    if (refused(r, WAIT_SDP_X1) && !pair(r, WAIT_SDP_BN)->valid && hang_missing(r, WAIT_SDP_BN, NVDLA_SDP))
        return hang_waits_for_input(r, ENGINE_SDP_RDMA, WAIT_SDP_BN);
    if (refused(r, WAIT_SDP_SOURCE) && !pair(r, WAIT_SDP_BS)->valid && hang_missing(r, WAIT_SDP_BS, NVDLA_SDP))
        return hang_waits_for_input(r, ENGINE_SDP_RDMA, WAIT_SDP_BS);
    const char *behind_x2 = nvdla_has(r->config, FEATURE_EW) ? "EW" : "the convertor";
    if (refused(r, WAIT_SDP_Y) || refused(r, WAIT_SDP_X2) || refused(r, WAIT_SDP_X1) || refused(r, WAIT_SDP_SOURCE))
        return hang_guilty(IDLE, ordinal, "%s does not take its input, with its operands there and its output free",
                           refused(r, WAIT_SDP_Y)    ? "the convertor"
                           : refused(r, WAIT_SDP_X2) ? behind_x2
                           : refused(r, WAIT_SDP_X1) ? "X2"
                                                     : "X1");
    return hang_none();
}

static struct hang_answer judge_sdp(const struct reasoning *r) {
    struct hang_answer f;
    const int ordinal = hang_current(r, NVDLA_SDP);
    const struct launch *launch = ordinal < 0 ? NULL : hang_launch(r, NVDLA_SDP, ordinal);
    const bool flying =
        launch && REGISTER_FIELD(launch_register(launch, SDP_D_FEATURE_MODE_CFG), SDP_D_FEATURE_MODE_CFG__FLYING_MODE);
    const enum wait_index input = flying ? WAIT_RESULTS : WAIT_SDP_MAIN;
    if (!r->waits->inside)
        return judge_sdp_outside(r, ordinal, flying);
    if (flow(r, WAIT_SDP_SOURCE)->beyond)
        return hang_too_many(r, WAIT_SDP_SOURCE);
    if (flow(r, WAIT_SDP_OUT)->beyond)
        return hang_too_many(r, WAIT_SDP_OUT);
    if ((f = judge_sdp_numbers(r, ordinal)).kind != NOTHING)
        return f;
    if (refused(r, WAIT_FLY))
        return hang_waits_for_output(r, ENGINE_PDP, WAIT_FLY);
    if (!flying && refused(r, WAIT_RESULTS) && flow(r, WAIT_RESULTS)->ordinal >= 0 &&
        launches_with(r, NVDLA_SDP, (ordinal < 0 ? hang_launch_count(r, NVDLA_SDP) : ordinal) - 1,
                      SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK,
                      true) > flow(r, WAIT_RESULTS)->ordinal)
        return hang_guilty(COMPLETE, ordinal, "ended an earlier layer after %" PRIu64 " of %" PRIu64 " %s",
                           flow(r, WAIT_RESULTS)->moved_of, flow(r, WAIT_RESULTS)->required_of,
                           pair(r, WAIT_RESULTS)->name);
    if ((f = hang_judge_writing(r, L_SDP_W, !hang_owed(r, WAIT_SDP_OUT))).kind != NOTHING)
        return f;
    if (hang_owed(r, WAIT_SDP_OUT) && hang_jobs(r, NVDLA_SDP) == 0)
        return hang_ended_early(r, WAIT_SDP_OUT);
    if (refused(r, WAIT_SDP_OUT))
        return hang_guilty(IDLE, ordinal, "does not take its own results, with the way out free");
    if ((f = judge_sdp_stages(r, ordinal)).kind != NOTHING)
        return f;
    if (hang_owed(r, WAIT_SDP_SOURCE)) {
        if (refused(r, input))
            return hang_guilty(IDLE, ordinal, "does not take %s, with nothing in its way", pair(r, input)->name);
        if (hang_missing(r, input, NVDLA_SDP))
            return hang_waits_for_input(r, flying ? ENGINE_CACC : ENGINE_SDP_RDMA, input);
        const enum nvdla_unit unit = flying ? NVDLA_CACC : NVDLA_SDP_RDMA;
        const struct link_flow *source = flow(r, WAIT_SDP_SOURCE);
        return hang_waits_for(ENGINE_TRACE, hang_waited(r, input),
                              "received %" PRIu64 " of %" PRIu64
                              " beats of input, and no armed launch of %s sends more",
                              source->moved_of, source->required_of, nvdla_unit_names[unit]);
    }
    if (hang_owed(r, WAIT_SDP_OUT))
        return hang_owes(r, WAIT_SDP_OUT);
    if (hang_jobs(r, NVDLA_SDP) > 0 || hang_owed(r, WAIT_INTR_SDP))
        return hang_does_not_end(r, NVDLA_SDP);
    return hang_nothing("finished its layers");
}

static struct hang_answer judge_pdp_rdma(const struct reasoning *r) {
    static const struct rdma_reader reader = {L_PDP, WAIT_PDP_MAIN, ENGINE_PDP};
    return judge_rdma(r, NVDLA_PDP_RDMA, &reader, 1);
}

static struct hang_answer judge_cdp_rdma(const struct reasoning *r) {
    static const struct rdma_reader reader = {L_CDP, WAIT_CDP_MAIN, ENGINE_CDP};
    return judge_rdma(r, NVDLA_CDP_RDMA, &reader, 1);
}

/* PDP and CDP: input, something in between, output to memory. */
static struct hang_answer judge_plane(const struct reasoning *r, enum nvdla_unit unit, enum nvdla_engine from,
                                      enum wait_index input, enum wait_index port, enum wait_index out, size_t writer) {
    struct hang_answer f;
    const int ordinal = hang_current(r, unit);
    const enum wait_index interrupt = hang_client_links[writer].interrupt;
    if (!r->waits->inside) {
        if (hang_jobs(r, unit) == 0)
            return hang_nothing("finished its layers");
        if (from == ENGINE_SDP && !pair(r, port)->counted && hang_jobs(r, NVDLA_SDP) > 0)
            return hang_waits_for(ENGINE_SDP, 0, "wrote %" PRIu64 " of %" PRIu64 " atoms, and SDP has not ended",
                                  flow(r, hang_client_links[writer].data)->moved_of,
                                  flow(r, hang_client_links[writer].data)->required_of);
        if (port != WAIT_DATA_PDP && (f = hang_judge_holding(r, port, &hang_client_links[writer])).kind != NOTHING)
            return f;
        if (hang_missing(r, port, unit))
            return hang_waits_for_input(r, from, port);
        const struct link_flow *written = flow(r, hang_client_links[writer].data);
        if (hang_owed(r, hang_client_links[writer].data) && from == ENGINE_SDP && !pair(r, port)->counted)
            return hang_guilty(IDLE, ordinal,
                               "or SDP before it: SDP ended and PDP wrote %" PRIu64 " of %" PRIu64 " atoms",
                               written->moved_of, written->required_of);
        if (hang_owed(r, hang_client_links[writer].data))
            return hang_owes(r, hang_client_links[writer].data);
        return hang_does_not_end(r, unit);
    }
    if (flow(r, out)->beyond)
        return hang_too_many(r, out);
    const bool wants = hang_missing(r, input, unit), input_complete = flow(r, input)->known && !wants;
    if ((f = hang_judge_writing(r, writer, input_complete && !hang_owed(r, out))).kind != NOTHING)
        return f;
    if (hang_jobs(r, unit) == 0 && hang_owed(r, out))
        return hang_ended_early(r, out);
    if (hang_jobs(r, unit) == 0 && refused(r, input))
        return hang_guilty(COMPLETE, hang_launch_count(r, unit) - 1,
                           "finished its layers without taking all its input");
    if (wants && !pair(r, input)->valid)
        return hang_waits_for_input(r, from, input);
    if (wants && refused(r, input))
        return hang_guilty(IDLE, ordinal, "does not take %s, with nothing in its way", pair(r, input)->name);
    if (hang_owed(r, out) && input_complete) {
        if (pair(r, input)->moved == 0 && flow(r, input)->ordinal < 0)
            return hang_waits_for(ENGINE_TRACE, 0, "waits for %s, which is not armed", nvdla_engines[from].name);
        return hang_owes(r, out);
    }
    if (hang_jobs(r, unit) > 0 || hang_owed(r, interrupt))
        return hang_does_not_end(r, unit);
    return hang_nothing("finished its layers");
}

static struct hang_answer judge_pdp(const struct reasoning *r) {
    const int now = hang_current(r, NVDLA_PDP), ordinal = now < 0 ? hang_launch_count(r, NVDLA_PDP) - 1 : now;
    const struct launch *launch = hang_launch(r, NVDLA_PDP, ordinal);
    const bool from_memory = !launch || REGISTER_FIELD(launch_register(launch, PDP_D_OPERATION_MODE_CFG),
                                                       PDP_D_OPERATION_MODE_CFG__FLYING_MODE);
    return judge_plane(r, NVDLA_PDP, from_memory ? ENGINE_PDP_RDMA : ENGINE_SDP, from_memory ? WAIT_PDP_MAIN : WAIT_FLY,
                       from_memory ? WAIT_DATA_PDP : WAIT_FLY, WAIT_PDP_OUT, L_PDP_W);
}

static struct hang_answer judge_cdp(const struct reasoning *r) {
    return judge_plane(r, NVDLA_CDP, ENGINE_CDP_RDMA, WAIT_CDP_MAIN, WAIT_DATA_CDP, WAIT_CDP_OUT, L_CDP_W);
}

/* BDMA and RUBIK: from memory to memory. */
static struct hang_answer judge_mover(const struct reasoning *r, enum nvdla_unit unit, enum client_place reader,
                                      enum client_place writer) {
    const struct client_links *in = &hang_client_links[reader], *out = &hang_client_links[writer];
    struct hang_answer f;
    if (!r->waits->inside) {
        if (hang_jobs(r, unit) == 0)
            return hang_nothing("finished its layers");
        if (hang_owed(r, out->data) && (f = hang_judge_silenced(r, out)).kind != NOTHING)
            return f;
        if (hang_owed(r, in->data))
            return hang_judge_reading(r, in);
        return hang_owed(r, out->data) ? hang_owes(r, out->data) : hang_does_not_end(r, unit);
    }
    if ((f = hang_judge_writing(r, writer, !hang_owed(r, in->ask) && !hang_owed(r, in->take))).kind != NOTHING)
        return f;
    if ((f = hang_judge_asking(r, in->ask, in->take, unit)).kind != NOTHING)
        return f;
    if (refused(r, in->take))
        return hang_guilty(IDLE, flow(r, in->ask)->ordinal, "does not take the atoms that arrived");
    if (hang_owed(r, in->ask))
        return hang_guilty(IDLE, flow(r, in->ask)->ordinal, "requests no more after %" PRIu64 " of %" PRIu64 " atoms",
                           flow(r, in->ask)->moved_of, flow(r, in->ask)->required_of);
    if (hang_jobs(r, unit) > 0 || hang_owed(r, out->interrupt))
        return hang_does_not_end(r, unit);
    return hang_nothing("finished its layers");
}

struct hang_answer hang_judge_glb(const struct reasoning *r) {
    const uint32_t unmasked = r->hang->intr_status & ~r->hang->intr_mask;
    if (r->hang->answers && (unmasked != 0) != r->hang->intr_line)
        return hang_guilty(LOST, -1, "has interrupts 0x%08x that are not masked, and dla_intr is %d", unmasked,
                           r->hang->intr_line);
    if (r->hang->answers && r->hang->intr_status)
        return hang_waits_for(ENGINE_TRACE, 0, "has interrupts 0x%08x that nothing services", r->hang->intr_status);
    return hang_nothing("has no interrupt");
}

/* The unit needs one that the program has not armed: it waits for the program. */
static struct hang_answer without_partner(const struct reasoning *r, enum nvdla_unit unit) {
    static const struct {
        enum nvdla_unit unit, partner;
        uint32_t offset, mask; /* only launches that have this bit need it; mask 0: all */
        bool set;
    } partners[] = {
        {NVDLA_CDMA, NVDLA_CSC, 0, 0, false},
        {NVDLA_CSC, NVDLA_CDMA, 0, 0, false},
        {NVDLA_CSC, NVDLA_CMAC_A, 0, 0, false},
        {NVDLA_CSC, NVDLA_CMAC_B, 0, 0, false},
        {NVDLA_CSC, NVDLA_CACC, 0, 0, false},
        {NVDLA_CMAC_A, NVDLA_CSC, 0, 0, false},
        {NVDLA_CACC, NVDLA_CSC, 0, 0, false},
        {NVDLA_SDP, NVDLA_CACC, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK, true},
        {NVDLA_SDP, NVDLA_SDP_RDMA, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__FLYING_MODE_MASK, false},
        {NVDLA_SDP, NVDLA_PDP, SDP_D_FEATURE_MODE_CFG, SDP_D_FEATURE_MODE_CFG__OUTPUT_DST_MASK, true},
        {NVDLA_PDP, NVDLA_PDP_RDMA, PDP_D_OPERATION_MODE_CFG, PDP_D_OPERATION_MODE_CFG__FLYING_MODE_MASK, true},
        {NVDLA_PDP, NVDLA_SDP, PDP_D_OPERATION_MODE_CFG, PDP_D_OPERATION_MODE_CFG__FLYING_MODE_MASK, false},
        {NVDLA_CDP, NVDLA_CDP_RDMA, 0, 0, false},
        {NVDLA_CDP_RDMA, NVDLA_CDP, 0, 0, false},
        {NVDLA_PDP_RDMA, NVDLA_PDP, 0, 0, false},
        {NVDLA_SDP_RDMA, NVDLA_SDP, 0, 0, false},
    };
    const int ordinal = hang_current(r, unit);
    for (size_t i = 0; ordinal >= 0 && i < sizeof partners / sizeof partners[0]; i++) {
        if (partners[i].unit != unit)
            continue;
        const uint32_t offset = partners[i].offset, mask = partners[i].mask;
        const struct launch *launch = hang_launch(r, unit, ordinal);
        if (!launch || (mask && !(launch_register(launch, offset) & mask) == partners[i].set))
            continue;
        const int needed = mask ? launches_with(r, unit, ordinal, offset, mask, partners[i].set) : ordinal + 1;
        if (hang_launch_count(r, partners[i].partner) >= needed)
            continue;
        return hang_waits_for(ENGINE_TRACE, launch->tag, "works with %s, which is not armed",
                              nvdla_unit_names[partners[i].partner]);
    }
    return hang_none();
}

/* The engine has a layer, during which its clock gate has to be open, and its clock stands. */
static struct hang_answer without_clock(const struct reasoning *r, enum nvdla_engine engine) {
    static const struct {
        enum nvdla_engine engine;
        enum wait_state_index clock;
    } clocks[] = {
        {ENGINE_CDMA_DAT, WAIT_STATE_CDMA_CLOCK}, {ENGINE_PDP, WAIT_STATE_PDP_CLOCK},
        {ENGINE_CDP, WAIT_STATE_CDP_CLOCK},       {ENGINE_BDMA, WAIT_STATE_BDMA_CLOCK},
        {ENGINE_RUBIK, WAIT_STATE_RUBIK_CLOCK},
    };
    const enum nvdla_unit unit = nvdla_engines[engine].unit;
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        if (clocks[i].engine != engine || !in_state(r, clocks[i].clock, "Stands") || hang_jobs(r, unit) == 0)
            continue;
        return hang_guilty(STOPPED, hang_current(r, unit), "has a layer, but its clock is stopped");
    }
    return hang_none();
}

struct hang_answer hang_judge(const struct reasoning *r, enum nvdla_engine engine) {
    struct hang_answer f;
    if (!nvdla_engines[engine].waits)
        return hang_none();
    if ((f = without_clock(r, engine)).kind != NOTHING)
        return f;
    if (nvdla_engines[engine].unit != NVDLA_UNIT_COUNT &&
        (f = without_partner(r, nvdla_engines[engine].unit)).kind != NOTHING)
        return f;
    if (r->waits->borders && engine != ENGINE_GLB && engine != ENGINE_MEMORY)
        return hang_border_judge(r, engine);
    switch (engine) {
    case ENGINE_MCIF:
        return hang_judge_mcif(r);
    case ENGINE_CDMA_DAT:
        return hang_judge_cdma_data(r);
    case ENGINE_CDMA_WT:
        return hang_judge_cdma_weights(r);
    case ENGINE_CSC:
        return hang_judge_csc(r);
    case ENGINE_CMAC:
        return hang_judge_cmac(r);
    case ENGINE_CACC:
        return hang_judge_cacc(r);
    case ENGINE_SDP_RDMA:
        return judge_sdp_rdma(r);
    case ENGINE_SDP:
        return judge_sdp(r);
    case ENGINE_PDP_RDMA:
        return judge_pdp_rdma(r);
    case ENGINE_PDP:
        return judge_pdp(r);
    case ENGINE_CDP_RDMA:
        return judge_cdp_rdma(r);
    case ENGINE_CDP:
        return judge_cdp(r);
    case ENGINE_BDMA:
        return judge_mover(r, NVDLA_BDMA, L_BDMA, L_BDMA_W);
    case ENGINE_RUBIK:
        return judge_mover(r, NVDLA_RBK, L_RUBIK, L_RUBIK_W);
    case ENGINE_GLB:
        return hang_judge_glb(r);
    case ENGINE_MEMORY:
        return hang_nothing(r->waits->burst_count ? "owes answers" : "owes nothing");
    case ENGINE_TRACE:
    case ENGINE_CVIF: /* engines that do not wait */
    case ENGINE_CBUF:
    case ENGINE_CMAC_B:
    case ENGINE_LUT:
    case ENGINE_LUT_SDP:
    case ENGINE_CSB:
    case ENGINE_COUNT:
        break;
    }
    return hang_none();
}
