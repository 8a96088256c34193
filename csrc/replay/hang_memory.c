/* The state of the memory interface for each client, and what stops engines that read or write there. */
#include "replay/hang_reasoning.h"

#include <inttypes.h>

static bool memory_owes(const struct reasoning *r, bool write, int id) {
    for (size_t i = 0; i < r->waits->burst_count; i++) {
        const struct wait_burst *burst = &r->waits->bursts[i];
        if (burst->write == write && burst->id == id && (!write || burst->beats == 0))
            return true;
    }
    return false;
}

/* The address of a write was accepted, but its data is incomplete. */
static bool announced(const struct reasoning *r, int id) {
    for (size_t i = 0; i < r->waits->burst_count; i++)
        if (r->waits->bursts[i].write && r->waits->bursts[i].beats && r->waits->bursts[i].id == id)
            return true;
    return false;
}

const struct hang_blocked *hang_blocked(const struct reasoning *r, enum nvdla_client client) {
    const struct nvdla_client_facts *facts = &nvdla_clients[client];
    for (size_t i = 0; i < r->hang->blocked_count; i++) {
        const struct hang_blocked *b = &r->hang->blocked[i];
        if ((b->reg->address & 0xfff) == facts->weight_register && (unsigned)b->field->lsb == facts->weight_lsb)
            return b;
    }
    return NULL;
}

/* Compares the interface's count of beats in flight with those that the memory owes. */
static bool flight_wrong(const struct reasoning *r, bool write) {
    uint64_t open = 0;
    for (int id = 0; id < 16; id++)
        open += write ? 0 : on_ports(r->waits->read_asked, id) - on_ports(r->waits->read_given, id);
    for (size_t i = 0; write && i < r->waits->burst_count; i++)
        open += r->waits->bursts[i].write;
    const uint64_t counted = write ? counter(r, WAIT_COUNTER_MCIF_WRITE) + (uint64_t)counter(r, WAIT_COUNTER_CVIF_WRITE)
                                   : counter(r, WAIT_COUNTER_MCIF_READ) + (uint64_t)counter(r, WAIT_COUNTER_CVIF_READ);
    return open == 0 && counted != 0;
}

static struct hang_answer judge_read(const struct reasoning *r, const struct client_links *c) {
    const int id = nvdla_clients[c->client].id;
    const char *name = nvdla_clients[c->client].name;
    const uint64_t asked = on_ports(r->waits->read_asked, id), given = on_ports(r->waits->read_given, id);
    const uint64_t request = pair(r, c->request)->moved, data = pair(r, c->data)->moved;
    const uint64_t atoms = pair(r, c->ask)->moved, taken = pair(r, c->take)->moved;
    const uint64_t due = hang_beat_is_atom(r->config) ? atoms : pair(r, c->due)->moved;
    const int ordinal = flow(r, c->ask)->ordinal;
    if (taken > atoms)
        return hang_guilty(EXCESS, ordinal, "sent %s %" PRIu64 " atoms, which requested %" PRIu64, name, taken, atoms);
    if (!r->moving && asked != request && !refused(r, c->request))
        return hang_guilty(LOST, ordinal,
                           "accepted requests of %s for %" PRIu64 " beats but asked the memory for %" PRIu64, name,
                           request, asked);
    if (!r->moving && given != data)
        return hang_guilty(LOST, ordinal, "received %" PRIu64 " beats for %s from the memory and passed on %" PRIu64,
                           given, name, data);
    if (refused(r, c->take))
        return hang_waits_for(c->engine, pair(r, c->take)->since, "holds atoms that %s does not take",
                              nvdla_engines[c->engine].name);
    if (asked > given)
        return hang_waits_for(ENGINE_MEMORY, hang_waited(r, c->data), "waits for %" PRIu64 " beats from the memory",
                              asked - given);
    if (!r->moving && taken != atoms && data >= due)
        return hang_guilty(LOST, ordinal,
                           "DMA client of %s received all %" PRIu64 " beats and passed on %" PRIu64 " of %" PRIu64
                           " atoms",
                           name, data, taken, atoms);
    const uint64_t held = hang_beat_atoms(r->config) - 1; /* may wait for the first half of the next beat */
    const uint64_t beats = hang_atom_beats(r->config);
    if (!r->moving && ((taken + held) * beats + beats - 1 < data || taken * beats > data * hang_beat_atoms(r->config)))
        return hang_guilty(LOST, ordinal, "DMA client of %s received %" PRIu64 " beats and passed on %" PRIu64 " atoms",
                           name, data, taken);
    if (due > request || refused(r, c->ask)) {
        if (refused(r, c->request) && hang_blocked(r, c->client))
            return hang_waits_for(ENGINE_TRACE, pair(r, c->request)->since,
                                  "never answers %s, whose arbiter weight is 0", name);
        if (refused(r, c->request) && flight_wrong(r, false))
            return hang_guilty(LOST, ordinal,
                               "counts beats in flight that the memory does not owe, and takes no request of %s", name);
        if (refused(r, c->request))
            return hang_guilty(COMPLETE, ordinal, "does not take the requests of %s, with nothing in flight", name);
        return hang_guilty(COMPLETE, ordinal,
                           "DMA client of %s has requests for %" PRIu64 " beats but passed on %" PRIu64, name, due,
                           request);
    }
    if (due < request)
        return hang_guilty(LOST, ordinal, "DMA client of %s was asked for %" PRIu64 " beats but asked for %" PRIu64,
                           name, due, request);
    return hang_nothing("answered every request of %s", name);
}

static struct hang_answer judge_write(const struct reasoning *r, const struct client_links *c) {
    const int id = nvdla_clients[c->client].id;
    const char *name = nvdla_clients[c->client].name;
    const uint64_t commands = pair(r, c->ask)->moved, put = pair(r, c->take)->moved;
    const uint64_t request = pair(r, c->request)->moved, beats = pair(r, c->data)->moved;
    const uint64_t written = on_ports(r->waits->written, id);
    const int ordinal = flow(r, c->ask)->ordinal;
    if (written > beats)
        return hang_guilty(EXCESS, ordinal, "wrote %" PRIu64 " beats for %s, which sent %" PRIu64, written, name,
                           beats);
    if (announced(r, id) && request == written && !r->moving)
        return hang_guilty(LOST, ordinal, "announced a write for %s that was never requested", name);
    if (memory_owes(r, true, id))
        return hang_waits_for(ENGINE_MEMORY, hang_waited(r, c->acknowledged), "waits for the acknowledges of %s", name);
    if (!r->moving && written != beats)
        return hang_guilty(LOST, ordinal, "took %" PRIu64 " beats of %s and wrote %" PRIu64, beats, name, written);
    if (!r->moving && request < beats)
        return hang_guilty(LOST, ordinal, "took %" PRIu64 " beats of %s for requests of %" PRIu64, beats, name,
                           request);
    /* A request longer than a burst has several responses. */
    if (!r->moving && hang_beat_is_atom(r->config) &&
        pair(r, c->acknowledged)->moved != on_ports(r->waits->acknowledged, id))
        return hang_guilty(LOST, ordinal, "received %" PRIu64 " acknowledges for %s and passed on %" PRIu64,
                           on_ports(r->waits->acknowledged, id), name, pair(r, c->acknowledged)->moved);
    const uint64_t atoms = commands < put ? commands : put; /* requests with command and data */
    const uint64_t due = hang_beat_is_atom(r->config) ? atoms : pair(r, c->due)->moved;
    /* One atom may wait for the other half of its beat. */
    if (!r->moving && (due + 1) * hang_beat_atoms(r->config) - 1 < atoms * hang_atom_beats(r->config))
        return hang_guilty(LOST, ordinal,
                           "DMA client of %s received %" PRIu64 " atoms with their commands and made %" PRIu64 " beats",
                           name, atoms, due);
    if (beats < due) {
        if (refused(r, c->request) && hang_blocked(r, c->client))
            return hang_waits_for(ENGINE_TRACE, pair(r, c->request)->since,
                                  "never takes writes of %s, whose arbiter weight is 0", name);
        if (flight_wrong(r, true))
            return hang_guilty(LOST, ordinal,
                               "counts beats in flight that the memory does not owe, and takes no write of %s", name);
        return hang_guilty(COMPLETE, ordinal, "has %" PRIu64 " beats of %s with their commands but wrote %" PRIu64, due,
                           name, beats);
    }
    if (beats > due)
        return hang_guilty(LOST, ordinal, "wrote %" PRIu64 " beats of %s, which sent %" PRIu64 " with commands", beats,
                           name, due);
    if (pair(r, c->last)->moved > pair(r, c->done)->moved && commands == put)
        return hang_guilty(COMPLETE, ordinal, "acknowledged all writes of %s but not the layer", name);
    if (put > commands || commands > put)
        return hang_waits_for(c->engine, hang_waited(r, c->take),
                              "has %" PRIu64 " atoms of %s and commands for %" PRIu64, put, name, commands);
    return hang_nothing("wrote all that %s sent", name);
}

struct hang_answer hang_of_clients(const struct reasoning *r, enum nvdla_engine engine, struct hang_answer best) {
    for (const struct client_links *c = hang_client_links; c < hang_client_links + HANG_CLIENTS; c++) {
        if (engine != ENGINE_COUNT && c->engine != engine)
            continue;
        const struct hang_answer f = r->waits->borders            ? hang_border_client(r, c)
                                     : c->interrupt == WAIT_COUNT ? judge_read(r, c)
                                                                  : judge_write(r, c);
        if ((f.kind == GUILTY && (best.kind != GUILTY || f.strength > best.strength)) ||
            (f.kind == WAITS && best.kind == NOTHING))
            best = f;
    }
    return best;
}

struct hang_answer hang_judge_mcif(const struct reasoning *r) {
    const struct hang_answer best = hang_nothing("answered every request");
    if (!r->waits->inside)
        return best;
    for (size_t i = 0; i < r->waits->burst_count; i++) {
        const struct wait_burst *burst = &r->waits->bursts[i];
        if (nvdla_client_find(burst->id, burst->write) == NVDLA_CLIENT_COUNT)
            return hang_guilty(EXCESS, -1, "uses AXI ID %d to %s, which no client has", burst->id,
                               burst->write ? "write" : "read");
    }
    return hang_of_clients(r, ENGINE_COUNT, best);
}

/* ---- its clients ---- */

struct hang_answer hang_judge_asking(const struct reasoning *r, enum wait_index ask, enum wait_index take,
                                     enum nvdla_unit unit) {
    if (flow(r, ask)->beyond)
        return hang_too_many(r, ask);
    if (refused(r, ask))
        return hang_waits_for_output(r, ENGINE_MCIF, ask);
    if (pair(r, take)->moved < pair(r, ask)->moved && !refused(r, take))
        return hang_waits_for(ENGINE_MCIF, hang_waited(r, take),
                              "waits for %s: received %" PRIu64 " of the %" PRIu64 " it requested", pair(r, take)->name,
                              pair(r, take)->moved, pair(r, ask)->moved);
    if (hang_owed(r, ask) && hang_jobs(r, unit) == 0)
        return hang_ended_early(r, ask);
    return hang_none();
}

struct hang_answer hang_judge_reading(const struct reasoning *r, const struct client_links *c) {
    const int id = nvdla_clients[c->client].id;
    const struct link_flow *data = flow(r, c->data);
    if (hang_blocked(r, c->client))
        return hang_waits_for(ENGINE_TRACE, hang_waited(r, c->data), "reads as %s, whose arbiter weight is 0",
                              nvdla_clients[c->client].name);
    if (on_ports(r->waits->read_asked, id) > on_ports(r->waits->read_given, id))
        return hang_waits_for(ENGINE_MEMORY, hang_waited(r, c->data), "waits for %s: received %" PRIu64 " of %" PRIu64,
                              pair(r, c->data)->name, data->moved_of, data->required_of);
    return hang_guilty(IDLE, data->ordinal, "read %" PRIu64 " of %" PRIu64 " atoms and requests no more",
                       data->moved_of, data->required_of);
}

struct hang_answer hang_judge_silenced(const struct reasoning *r, const struct client_links *out) {
    if (!hang_blocked(r, out->client))
        return hang_none();
    return hang_waits_for(ENGINE_TRACE, hang_waited(r, out->data), "writes as %s, whose arbiter weight is 0",
                          nvdla_clients[out->client].name);
}

struct hang_answer hang_judge_holding(const struct reasoning *r, enum wait_index input,
                                      const struct client_links *out) {
    enum { INSIDE = 2 }; /* atoms that it may hold without being stopped */
    const struct link_flow *in = flow(r, input), *written = flow(r, out->data);
    if (hang_owed(r, out->data) && hang_blocked(r, out->client))
        return hang_judge_silenced(r, out);
    if (in->known && in->owed && hang_owed(r, out->data) && in->moved_of > written->moved_of + INSIDE)
        return hang_guilty(IDLE, written->ordinal, "read %" PRIu64 " atoms of %" PRIu64 " and wrote %" PRIu64,
                           in->moved_of, in->required_of, written->moved_of);
    return hang_none();
}

struct hang_answer hang_judge_writing(const struct reasoning *r, size_t client, bool input_complete) {
    const struct client_links *c = &hang_client_links[client];
    if (flow(r, c->ask)->beyond || flow(r, c->take)->beyond)
        return hang_too_many(r, flow(r, c->ask)->beyond ? c->ask : c->take);
    if (refused(r, c->take) && !refused(r, c->ask) && pair(r, c->take)->moved > pair(r, c->ask)->moved)
        return hang_guilty(COMPLETE, flow(r, c->ask)->ordinal,
                           "sent %" PRIu64 " atoms to write and commands for %" PRIu64, pair(r, c->take)->moved,
                           pair(r, c->ask)->moved);
    if (refused(r, c->take))
        return hang_waits_for_output(r, ENGINE_MCIF, c->take);
    if (refused(r, c->ask) && !hang_owed(r, c->take))
        return hang_waits_for_output(r, ENGINE_MCIF, c->ask);
    if (!input_complete)
        return hang_none();
    if (hang_owed(r, c->take))
        return hang_owes(r, c->take);
    if (hang_owed(r, c->ask))
        return hang_owes(r, c->ask);
    if (hang_owed(r, c->last))
        return hang_guilty(COMPLETE, flow(r, c->last)->ordinal, "did not mark the last command of its layer");
    if (pair(r, c->last)->moved > pair(r, c->done)->moved && hang_owed(r, c->interrupt))
        return hang_waits_for(ENGINE_MCIF, hang_waited(r, c->acknowledged),
                              "wrote everything and waits for the acknowledge");
    return hang_none();
}
