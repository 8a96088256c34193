/* What stops CDMA, CSC, CMAC, CACC. */
#include "replay/hang_reasoning.h"

#include <inttypes.h>

#include "layers/traffic.h"
#include "nvdla/buffer_sizes.h"

/* True if the layer changes the banks of data, or also those of weights: CDMA and CSC then reset their counts of CBUF
 * together. Spec: 30-cdma-cbuf section 3. */
static bool changes_banks(const struct reasoning *r, int ordinal, bool data) {
    const struct launch *launch = hang_launch(r, NVDLA_CDMA, ordinal),
                        *before = hang_launch(r, NVDLA_CDMA, ordinal - 1);
    if (!launch || !before)
        return launch;
    const uint32_t banks = launch_register(launch, CDMA_D_BANK) ^ launch_register(before, CDMA_D_BANK);
    return data ? (banks & CDMA_D_BANK__DATA_BANK_MASK) != 0 : banks != 0;
}

/* CDMA ignores a change of banks that CSC waits for, or performs one that its registers do not request. */
static struct hang_answer judge_change(const struct reasoning *r) {
    const int cdma = hang_current(r, NVDLA_CDMA), csc = hang_current(r, NVDLA_CSC);
    const bool data = in_state(r, WAIT_STATE_CDMA_DAT, "Pending"), weights = in_state(r, WAIT_STATE_CDMA_WT, "Pending");
    if ((data && !changes_banks(r, cdma, true)) || (weights && !changes_banks(r, cdma, false)))
        return hang_guilty(COMPLETE, cdma, "changes banks that its registers leave as they were");
    if (!in_state(r, WAIT_STATE_CSC, "Pend") || (cdma >= 0 && cdma < csc) || !hang_launch(r, NVDLA_CDMA, csc) ||
        ((data || !changes_banks(r, csc, true)) && (weights || !changes_banks(r, csc, false))))
        return hang_none();
    return hang_guilty(COMPLETE, csc, "takes no part in the change of banks that its registers ask for");
}

bool hang_cdma_does_not_end(const struct reasoning *r) {
    const struct launch *launch = hang_launch(r, NVDLA_CDMA, hang_current(r, NVDLA_CDMA));
    return launch &&
           launch_atoms(r->config, launch, NVDLA_READ_CDMA_DAT) + launch_atoms(r->config, launch, NVDLA_READ_CDMA_WT) &&
           !hang_owed(r, WAIT_DATA_CDMA_DAT) && !hang_owed(r, WAIT_DATA_CDMA_WT);
}

struct hang_answer hang_judge_cdma_data(const struct reasoning *r) {
    struct hang_answer f;
    if (!r->waits->inside && hang_owed(r, WAIT_DATA_CDMA_DAT))
        return hang_judge_reading(r, &hang_client_links[L_CDMA_DAT]);
    if (!r->waits->inside)
        return hang_cdma_does_not_end(r) ? hang_does_not_end(r, NVDLA_CDMA) : hang_nothing("read all its data");
    if (flow(r, WAIT_SLICES)->beyond)
        return hang_too_many(r, WAIT_SLICES);
    if ((f = judge_change(r)).kind != NOTHING)
        return f;
    if ((f = hang_judge_asking(r, WAIT_ASK_CDMA_DAT, WAIT_TAKE_CDMA_DAT, NVDLA_CDMA)).kind != NOTHING)
        return f;
    const int ordinal = hang_current(r, NVDLA_CDMA);
    if (in_state(r, WAIT_STATE_CDMA_DAT, "Pending") || in_state(r, WAIT_STATE_CDMA_WT, "Pending")) {
        if (hang_launch_count(r, NVDLA_CSC) <= ordinal)
            return hang_waits_for(ENGINE_TRACE, 0,
                                  "waits for CSC, which is not armed, to agree to the change of banks");
        if (hang_current(r, NVDLA_CSC) >= 0 && hang_current(r, NVDLA_CSC) <= ordinal &&
            !in_state(r, WAIT_STATE_CSC, "Pend"))
            return hang_waits_for(ENGINE_CSC, r->waits->states[WAIT_STATE_CDMA_DAT].since,
                                  "waits for CSC to agree to the change of banks");
        return hang_guilty(IDLE, ordinal, "stays in the change of banks");
    }
    if (hang_owed(r, WAIT_ASK_CDMA_DAT)) {
        const struct link_flow *ask = flow(r, WAIT_ASK_CDMA_DAT);
        if (in_state(r, WAIT_STATE_CDMA_DAT, "Done") && ask->ordinal <= ordinal)
            return hang_ended_early(r, WAIT_ASK_CDMA_DAT);
        if (in_state(r, WAIT_STATE_CDMA_DAT, "Busy") && !counter(r, WAIT_COUNTER_SPACE) &&
            counter(r, WAIT_COUNTER_USED))
            return hang_waits_for(ENGINE_CSC, hang_waited(r, WAIT_FREE_SLICES),
                                  "waits for room in CBUF: %u of %u entries are in use", counter(r, WAIT_COUNTER_USED),
                                  counter(r, WAIT_COUNTER_RING));
        if (!in_state(r, WAIT_STATE_CDMA_DAT, "Done"))
            return hang_guilty(IDLE, ask->ordinal, "requests no more after %" PRIu64 " of %" PRIu64 " atoms",
                               ask->moved_of, ask->required_of);
    }
    if (refused(r, WAIT_TAKE_CDMA_DAT))
        return hang_guilty(IDLE, ordinal, "does not take the atoms that arrived");
    if (!r->moving && flow(r, WAIT_CBUF_DAT)->known &&
        pair(r, WAIT_CBUF_DAT)->moved < pair(r, WAIT_TAKE_CDMA_DAT)->moved)
        return hang_guilty(LOST, ordinal, "received %" PRIu64 " atoms and wrote %" PRIu64 " into CBUF",
                           pair(r, WAIT_TAKE_CDMA_DAT)->moved, pair(r, WAIT_CBUF_DAT)->moved);
    if (hang_owed(r, WAIT_SLICES) && !hang_owed(r, WAIT_ASK_CDMA_DAT))
        return hang_owes(r, WAIT_SLICES);
    if (hang_owed(r, WAIT_SLICES) || hang_owed(r, WAIT_INTR_CDMA_DAT))
        return hang_guilty(IDLE, ordinal, "sent everything that it can, and stops");
    return hang_nothing("fetched all its data");
}

struct hang_answer hang_judge_cdma_weights(const struct reasoning *r) {
    struct hang_answer f;
    if (!r->waits->inside)
        return hang_owed(r, WAIT_DATA_CDMA_WT) ? hang_judge_reading(r, &hang_client_links[L_CDMA_WT])
                                               : hang_nothing("read all its weights");
    if (flow(r, WAIT_KERNELS)->beyond)
        return hang_too_many(r, WAIT_KERNELS);
    if ((f = hang_judge_asking(r, WAIT_ASK_CDMA_WT, WAIT_TAKE_CDMA_WT, NVDLA_CDMA)).kind != NOTHING)
        return f;
    const int ordinal = hang_current(r, NVDLA_CDMA);
    if (in_state(r, WAIT_STATE_CDMA_WT, "Pending"))
        return hang_judge_cdma_data(r);
    if (hang_owed(r, WAIT_ASK_CDMA_WT)) {
        const struct link_flow *ask = flow(r, WAIT_ASK_CDMA_WT);
        if (in_state(r, WAIT_STATE_CDMA_WT, "Done") && ask->ordinal <= ordinal)
            return hang_ended_early(r, WAIT_ASK_CDMA_WT);
        if (in_state(r, WAIT_STATE_CDMA_WT, "Busy") && !counter(r, WAIT_COUNTER_WT_FREE))
            return hang_waits_for(ENGINE_CSC, hang_waited(r, WAIT_FREE_WEIGHTS), "waits for room in CBUF for weights");
        if (!in_state(r, WAIT_STATE_CDMA_WT, "Done"))
            return hang_guilty(IDLE, ask->ordinal, "requests no more after %" PRIu64 " of %" PRIu64 " atoms",
                               ask->moved_of, ask->required_of);
    }
    if (!r->moving && flow(r, WAIT_CBUF_WT)->known && pair(r, WAIT_CBUF_WT)->moved < pair(r, WAIT_TAKE_CDMA_WT)->moved)
        return hang_guilty(LOST, ordinal, "received %" PRIu64 " atoms and wrote %" PRIu64 " into CBUF",
                           pair(r, WAIT_TAKE_CDMA_WT)->moved, pair(r, WAIT_CBUF_WT)->moved);
    if (hang_owed(r, WAIT_KERNELS) && !hang_owed(r, WAIT_ASK_CDMA_WT))
        return hang_owes(r, WAIT_KERNELS);
    if (hang_owed(r, WAIT_KERNELS) || hang_owed(r, WAIT_INTR_CDMA_WT))
        return hang_guilty(IDLE, ordinal, "sent everything that it can, and stops");
    return hang_nothing("fetched all its weights");
}

/* CSC begins a layer: with CDMA's response during a change of banks, then when the engines after it run. */
static struct hang_answer judge_csc_begin(const struct reasoning *r) {
    static const struct {
        enum wait_index layer;
        enum nvdla_unit unit;
        enum nvdla_engine engine;
    } partners[] = {{WAIT_LAYER_CMAC_A, NVDLA_CMAC_A, ENGINE_CMAC},
                    {WAIT_LAYER_CMAC_B, NVDLA_CMAC_B, ENGINE_CMAC},
                    {WAIT_LAYER_CACC, NVDLA_CACC, ENGINE_CACC}};
    const int ordinal = hang_current(r, NVDLA_CSC);
    if (in_state(r, WAIT_STATE_CSC, "Pend")) {
        if (hang_launch_count(r, NVDLA_CDMA) <= ordinal)
            return hang_waits_for(ENGINE_TRACE, r->waits->states[WAIT_STATE_CSC].since,
                                  "waits for CDMA, which is not armed, to agree to the change of banks");
        if (!changes_banks(r, ordinal, false))
            return hang_guilty(COMPLETE, ordinal, "changes banks that its registers leave as they were");
        if (hang_current(r, NVDLA_CDMA) == ordinal &&
            in_state(r, WAIT_STATE_CDMA_DAT, "Pending") == changes_banks(r, ordinal, true) &&
            in_state(r, WAIT_STATE_CDMA_WT, "Pending"))
            return hang_guilty(IDLE, ordinal, "stays in the change of banks, to which CDMA agrees");
        return hang_waits_for(ENGINE_CDMA_DAT, r->waits->states[WAIT_STATE_CSC].since,
                              "waits for CDMA to agree to the change of banks");
    }
    if (!in_state(r, WAIT_STATE_CSC, "Wait"))
        return hang_none();
    for (size_t i = 0; i < sizeof partners / sizeof partners[0]; i++) {
        if (pair(r, partners[i].layer)->valid)
            continue;
        const char *name = nvdla_unit_names[partners[i].unit];
        if (hang_launch_count(r, partners[i].unit) <= ordinal)
            return hang_waits_for(ENGINE_TRACE, r->waits->states[WAIT_STATE_CSC].since,
                                  "waits for %s, which is not armed", name);
        return hang_waits_for(partners[i].engine, r->waits->states[WAIT_STATE_CSC].since,
                              "waits for %s to begin its layer", name);
    }
    return hang_guilty(IDLE, ordinal, "does not begin its layer, with CMAC and CACC ready");
}

/* CSC waits for all input before the first operation, and for the weights of each group of kernels. */
static struct hang_answer judge_csc_input(const struct reasoning *r) {
    const int ordinal = hang_current(r, NVDLA_CSC);
    const struct link_flow *slices = flow(r, WAIT_SLICES), *kernels = flow(r, WAIT_KERNELS);
    const uint32_t left = counter(r, WAIT_COUNTER_LEFT), group = (uint32_t)hang_conv_now(r).group;
    const uint32_t want = counter(r, WAIT_COUNTER_SEEN) + (left < group ? left : group);
    if (hang_launch_count(r, NVDLA_CDMA) <= ordinal)
        return hang_waits_for(ENGINE_TRACE, 0, "waits for CDMA, which is not armed");
    if (slices->known && slices->owed && slices->ordinal <= ordinal &&
        counter(r, WAIT_COUNTER_SLICES) < counter(r, WAIT_COUNTER_HEIGHT))
        return hang_waits_for(ENGINE_CDMA_DAT, hang_waited(r, WAIT_SLICES), "waits for input: CBUF has %u of %u lines",
                              counter(r, WAIT_COUNTER_SLICES), counter(r, WAIT_COUNTER_HEIGHT));
    if (kernels->known && kernels->owed && kernels->ordinal <= ordinal && counter(r, WAIT_COUNTER_KERNELS) < want)
        return hang_waits_for(ENGINE_CDMA_WT, hang_waited(r, WAIT_KERNELS),
                              "waits for weights: CBUF has %u of %u kernels", counter(r, WAIT_COUNTER_KERNELS), want);
    return hang_guilty(
        COMPLETE, ordinal,
        "has its input and weights (%u of %u lines, %u of %u kernels) but sent %" PRIu64 " of %" PRIu64 " atoms",
        counter(r, WAIT_COUNTER_SLICES), counter(r, WAIT_COUNTER_HEIGHT), counter(r, WAIT_COUNTER_KERNELS), want,
        flow(r, WAIT_ATOMS)->moved_of, flow(r, WAIT_ATOMS)->required_of);
}

struct hang_answer hang_judge_csc(const struct reasoning *r) {
    struct hang_answer f;
    const int ordinal = hang_current(r, NVDLA_CSC);
    if (flow(r, WAIT_ATOMS)->beyond)
        return hang_too_many(r, WAIT_ATOMS);
    if (flow(r, WAIT_ROWS)->beyond)
        return hang_too_many(r, WAIT_ROWS);
    if (r->waits->inside && !r->moving) {
        const uint64_t all = cacc_rows(r->config), out = hang_rows(r, pair(r, WAIT_ROWS)->moved);
        if (pair(r, WAIT_CREDITS)->moved <= out &&
            counter(r, WAIT_COUNTER_CREDITS) + out != all + pair(r, WAIT_CREDITS)->moved)
            return hang_guilty(LOST, ordinal,
                               "has %u credits, though it spent %" PRIu64 " and got back %" PRIu64 " of %" PRIu64,
                               counter(r, WAIT_COUNTER_CREDITS), out, pair(r, WAIT_CREDITS)->moved, all);
    }
    if (hang_owed(r, WAIT_ATOMS) || hang_owed(r, WAIT_ROWS)) {
        if (hang_jobs(r, NVDLA_CSC) == 0)
            return hang_ended_early(r, hang_owed(r, WAIT_ATOMS) ? WAIT_ATOMS : WAIT_ROWS);
        if (!r->waits->inside) {
            if (hang_missing(r, WAIT_DATA_CDMA_DAT, NVDLA_CSC))
                return hang_waits_for_input(r, ENGINE_CDMA_DAT, WAIT_DATA_CDMA_DAT);
            if (hang_missing(r, WAIT_DATA_CDMA_WT, NVDLA_CSC))
                return hang_waits_for_input(r, ENGINE_CDMA_WT, WAIT_DATA_CDMA_WT);
            return hang_owes(r, WAIT_ATOMS);
        }
        if ((f = judge_csc_begin(r)).kind != NOTHING)
            return f;
        if (!in_state(r, WAIT_STATE_CSC, "Run"))
            return hang_owed(r, WAIT_ROWS) && in_state(r, WAIT_STATE_CSC, "Drain")
                       ? hang_ended_early(r, WAIT_ROWS)
                       : hang_guilty(IDLE, ordinal, "has an armed layer and does not begin it");
        const struct conv_shape shape = hang_conv_now(r);
        const uint64_t room = shape.results * (shape.batches > 1 ? shape.batches + 1 : 1);
        if (refused(r, WAIT_ATOMS) && refused(r, WAIT_ROWS) && counter(r, WAIT_COUNTER_CREDITS) < room)
            return hang_waits_for(ENGINE_CACC, pair(r, WAIT_ATOMS)->since,
                                  "waits for credits: %u of %u rows of CACC are free, %" PRIu64 " are needed",
                                  counter(r, WAIT_COUNTER_CREDITS), cacc_rows(r->config), room);
        if (refused(r, WAIT_ATOMS) && (counter(r, WAIT_COUNTER_LOADED) || pair(r, WAIT_WEIGHTS)->valid))
            return hang_guilty(COMPLETE, ordinal, "holds an atom back, with credits (%u) and its weights",
                               counter(r, WAIT_COUNTER_CREDITS));
        return judge_csc_input(r);
    }
    if (hang_jobs(r, NVDLA_CSC) > 0)
        return hang_does_not_end(r, NVDLA_CSC);
    return hang_nothing("sent all its atoms");
}

struct hang_answer hang_judge_cmac(const struct reasoning *r) {
    const struct wait_pair *atoms = pair(r, WAIT_ATOMS), *sums = pair(r, WAIT_SUMS);
    if (sums->counted && !r->moving && sums->moved != atoms->moved)
        return hang_guilty(LOST, flow(r, WAIT_SUMS)->ordinal, "received %" PRIu64 " atoms and sent %" PRIu64 " sums",
                           atoms->moved, sums->moved);
    if (!r->moving && pair(r, WAIT_ROWS)->moved != pair(r, WAIT_SUM_ROWS)->moved)
        return hang_guilty(LOST, flow(r, WAIT_SUMS)->ordinal,
                           "received %" PRIu64 " atoms that complete a row and sent %" PRIu64 " such sums",
                           pair(r, WAIT_ROWS)->moved, pair(r, WAIT_SUM_ROWS)->moved);
    if (hang_missing(r, WAIT_SUMS, NVDLA_CMAC_A))
        return hang_waits_for_input(r, ENGINE_CSC, WAIT_ATOMS);
    for (enum nvdla_unit unit = NVDLA_CMAC_A; unit <= NVDLA_CMAC_B; unit++)
        if (hang_jobs(r, unit) > 0)
            return hang_guilty(COMPLETE, hang_current(r, unit), "%s sent all its sums, but does not end its layer",
                               nvdla_unit_names[unit]);
    return hang_nothing("sent all its sums");
}

struct hang_answer hang_cacc_gives(const struct reasoning *r, uint64_t rows, bool complete) {
    const uint64_t beats = hang_row_results(r->config) / (uint64_t)nvdla_sdp_lanes(r->config);
    const uint64_t results = pair(r, WAIT_RESULTS)->moved;
    if (refused(r, WAIT_RESULTS))
        return hang_waits_for_output(r, ENGINE_SDP, WAIT_RESULTS);
    if (complete && results < rows * beats)
        return hang_guilty(LOST, flow(r, WAIT_RESULTS)->ordinal,
                           "received all sums of %" PRIu64 " rows and sent %" PRIu64 " results of %" PRIu64, rows,
                           results, rows * beats);
    if (hang_missing(r, WAIT_SUMS, NVDLA_CACC))
        return hang_waits_for_input(r, ENGINE_CMAC, WAIT_SUMS);
    if (hang_owed(r, WAIT_RESULTS))
        return hang_owes(r, WAIT_RESULTS);
    if (hang_jobs(r, NVDLA_CACC) > 0 || hang_owed(r, WAIT_INTR_CACC))
        return hang_does_not_end(r, NVDLA_CACC);
    return hang_nothing("sent all its results");
}

struct hang_answer hang_judge_cacc(const struct reasoning *r) {
    const uint64_t beats = hang_row_results(r->config) / (uint64_t)nvdla_sdp_lanes(r->config);
    const uint64_t rows = hang_rows(r, pair(r, WAIT_SUM_ROWS)->moved), results = pair(r, WAIT_RESULTS)->moved;
    const int ordinal = flow(r, WAIT_RESULTS)->ordinal;
    const bool counts = r->waits->inside && !r->moving;
    if (counts && pair(r, WAIT_CREDITS)->moved != results / beats)
        return hang_guilty(LOST, ordinal, "SDP took %" PRIu64 " rows, CACC returned %" PRIu64 " credits",
                           results / beats, pair(r, WAIT_CREDITS)->moved);
    if (counts && results > rows * beats)
        return hang_guilty(LOST, ordinal, "sent %" PRIu64 " results for %" PRIu64 " rows of %" PRIu64, results, rows,
                           beats);
    /* With batches, rows wait for those of the next column. */
    return hang_cacc_gives(r, rows,
                           counts && (hang_conv_now(r).batches == 1 || !hang_missing(r, WAIT_SUMS, NVDLA_CACC)));
}
