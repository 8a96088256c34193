/* Records the model, gathers the testbench's observations, and puts the verdict into words. See diagnose.h. */
#include "run/session/diagnose.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/wave_view.h"
#include "layers/pairing.h"
#include "nvdla/engines.h"
#include "nvdla/xalloc.h"
#include "replay/hang_facts.h"
#include "replay/hang_triage.h"
#include "report/verdict.h"
#include "report/writers.h"
#include "triage/steps.h"
#include "triage/triage.h"

enum { SIGNS_MOST = 16 };

/* Clocks shown before and after the failure, and the largest distance at which the first wrong write is shown too. */
enum { BEFORE = 40, BEHIND = 30, FAR = 300 };

enum { VALUE_MOST = 24 /* characters of a value beside the waves */ };

struct model_options model_options_of(const struct run_options *options) {
    return (struct model_options){.allow_outside = options->rtl.axi.allow_outside,
                                  .allow_undefined = options->allow_undefined,
                                  .errata = options->errata,
                                  .threads = (size_t)options->threads};
}

/* Plays the trace on a model that delivers its streams. */
static bool record_model(const struct run_options *options, const struct report_input *input, struct taps *taps,
                         struct error *err) {
    struct model_options model_options = model_options_of(options);
    struct play_options play_options = options->play;
    struct play_result result;
    play_options.seed = options->seed;
    play_options.stop_at_first = false;
    model_options.taps = taps->listeners[TAPS_MODEL];
    model_options.specified_stripes = input->played[0].dev->specified_stripes;
    steps_begin_with(taps->folder[TAPS_RTL], taps->recorder[TAPS_MODEL]);
    struct device *model = model_new(input->prog->config, &model_options);
    play(input->prog, model, &play_options, &result);
    play_result_free(&result);
    model->ops->destroy(model);
    return taps_close_side(taps, TAPS_MODEL, err);
}

/* ---- observations of the testbench ---- */

struct signs {
    struct triage_sign item[SIGNS_MOST];
    size_t count;
};

static struct triage_sign *add_sign(struct signs *signs) {
    if (signs->count == SIGNS_MOST)
        return NULL;
    struct triage_sign *sign = &signs->item[signs->count++];
    *sign = (struct triage_sign){.engine = ENGINE_COUNT, .in = ENGINE_COUNT};
    return sign;
}

/* The engine that represents a unit; ENGINE_COUNT for -1 and NVDLA_UNIT_COUNT. */
static enum nvdla_engine engine_of(int unit) {
    return unit < 0 || unit == NVDLA_UNIT_COUNT ? ENGINE_COUNT : nvdla_units[unit].engine;
}

/* The engine that a finding accuses; ENGINE_COUNT: none. */
static enum nvdla_engine accused(const struct finding *finding) {
    switch (finding->kind) {
    case FINDING_AXI: /* the memory interface must keep its rules for every client */
        return ENGINE_MCIF;
    case FINDING_CHECK:
        return finding->of_others ? ENGINE_COUNT : nvdla_instance_engine(finding->instance);
    default:
        return engine_of(finding->owner.unit);
    }
}

/* Failing checks inside the RTL, violations of AXI, accesses outside regions. */
static void add_findings(struct signs *signs, const struct device *dev) {
    for (size_t i = 0; i < dev->finding_count; i++) {
        const struct finding *finding = &dev->findings[i];
        struct triage_sign *sign = add_sign(signs);
        if (!sign)
            return;
        sign->engine = accused(finding);
        sign->instance = finding->instance;
        sign->in = engine_of(finding->owner.unit);
        sign->cycle = finding->cycle;
        snprintf(sign->name, sizeof sign->name, "%s", finding->rule);
        snprintf(sign->text, sizeof sign->text, "cycle %" PRIu64 ", rule %s: %s", finding->cycle, finding->rule,
                 finding->text);
    }
}

static bool interrupt_register(const struct nvdla_config *config, uint32_t address) {
    return address == nvdla_unit_base(config, NVDLA_GLB) + GLB_S_INTR_STATUS;
}

/* A check of memory that fails although all beats so far are right: the layer that writes there reported its end too
 * early. */
static void memory_sign(const struct report_input *input, const struct play_failure *failure,
                        struct triage_sign *sign) {
    const struct op *op = &input->prog->ops[failure->op];
    const uint64_t address = op->kind == OP_MEM_CHECK ? failure->first : op->base;
    struct writers *writers = writers_new(input->launches);
    const struct launch *writer = NULL;
    size_t count;
    const struct launch_output *outputs = writers_outputs(writers, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t run;
        if (outputs[i].launch->tag < failure->op && outputs[i].space == op->space &&
            cube_run(&outputs[i].cube, address, &run))
            writer = outputs[i].launch;
    }
    writers_free(writers);
    snprintf(sign->name, sizeof sign->name, "memory");
    if (!writer)
        return;
    sign->engine = engine_of((int)writer->unit);
    snprintf(sign->text, sizeof sign->text, "%s launch %d had not yet written all it should have, at 0x%" PRIx64,
             nvdla_unit_names[writer->unit], writer->ordinal, address);
}

/* Failing checks of registers: the engine that has the register. */
static void add_failures(struct signs *signs, const struct report_input *input) {
    const struct play_result *result = input->played[0].result;
    for (size_t i = 0; i < result->failure_count; i++) {
        const struct op *op = &input->prog->ops[result->failures[i].op];
        struct triage_sign *sign = add_sign(signs);
        char name[64];
        if (!sign)
            return;
        if (op->kind == OP_MEM_CHECK || op->kind == OP_MEM_CRC) {
            memory_sign(input, &result->failures[i], sign);
            continue;
        }
        enum nvdla_unit unit = nvdla_unit_at(input->prog->config, op->address);
        nvdla_register_name(input->prog->config, op->address, name, sizeof name);
        const int bit = interrupt_register(input->prog->config, op->address)
                            ? __builtin_ffs((int)(result->failures[i].got ^ result->failures[i].expected)) - 1
                            : -1;
        if (nvdla_interrupt_unit(bit) < NVDLA_UNIT_COUNT) /* whose interrupt is unexpected or missing */
            unit = nvdla_interrupt_unit(bit);
        const bool table = nvdla_register_is(input->prog->config, op->address, REGISTER_TABLE_PORT);
        sign->engine = table ? ENGINE_LUT : engine_of((int)unit);
        snprintf(sign->name, sizeof sign->name, "%s", name);
        snprintf(sign->text, sizeof sign->text, "%s reads 0x%08x, expected 0x%08x", name, result->failures[i].got,
                 result->failures[i].expected);
    }
}

/* The client with the first wrong write. */
static bool wrong_write(const struct report_input *input, struct triage_write *write) {
    const struct wrong_beat *wrong = input->wrong;
    if (!wrong || wrong->beat.owner.unit < 0)
        return false;
    const enum nvdla_unit unit = (enum nvdla_unit)wrong->beat.owner.unit;
    const struct launch *launch = layer_tracker_find(input->launches, unit, wrong->beat.owner.ordinal);
    const enum nvdla_unit before = unit == NVDLA_SDP ? NVDLA_CACC : NVDLA_SDP;
    const bool may_be_fed = unit == NVDLA_SDP || unit == NVDLA_PDP;
    const bool fed = may_be_fed && (!launch || layer_tracker_feeder(input->launches, launch, before));
    *write = (struct triage_write){.engine = engine_of((int)unit),
                                   .client = nvdla_client_name(wrong->beat.id, true),
                                   .feeder = fed ? engine_of((int)before) : ENGINE_COUNT,
                                   .cycle = wrong->beat.cycle,
                                   .address = wrong->address};
    return true;
}

/* True if the first wrong value is beyond the channels of its cube. */
static bool in_padding(const struct report *report) {
    const struct wrong_beat *wrong = report->input.wrong;
    const struct launch_output *output = wrong->kind == WRONG_VALUE ? report->wrong_output : NULL;
    struct cube_element element;
    return output && cube_locate(&output->cube, wrong->address, &element) && element.channel >= output->cube.channels;
}

static bool hang_sign(const struct play_result *result, struct triage_sign *sign) {
    if (result->outcome != PLAY_HUNG)
        return false;
    const struct hang_triage *triage = result->hang ? result->hang->triage : NULL;
    *sign = (struct triage_sign){.engine = triage ? triage->engine : ENGINE_COUNT,
                                 .in = ENGINE_COUNT,
                                 .cycle = triage ? triage->cycle : result->statistics.cycles};
    snprintf(sign->text, sizeof sign->text, "%s", triage ? triage->sentence : "nothing moves");
    return true;
}

/* A read that cannot be right is of the register bus, or of what drives its read data. */
static void strange_sign(const struct report *report, struct triage_sign *sign) {
    const struct strange_read *strange = &report->input.played[0].result->strange;
    char text[REPORT_LINE];
    if (strange->known) /* or the unit keeps it wrongly */
        sign->engine = engine_of((int)nvdla_unit_at(report->input.prog->config, strange->address));
    sign->cycle = strange->cycle;
    snprintf(sign->text, sizeof sign->text, "at cycle %" PRIu64 " %s", strange->cycle,
             report_strange_read(report, strange, text, sizeof text));
}

/* Atoms of its launch that the hanging engine has not passed to its write DMA. */
static uint64_t owed_atoms(const struct play_result *result) {
    const struct hang_triage *triage = result->hang ? result->hang->triage : NULL;
    for (size_t i = 0; triage && i < triage->link_count; i++) {
        const struct hang_link *link = &triage->links[i];
        const enum wait_index index = link->pair->index;
        const enum nvdla_engine engine = index == WAIT_PUT_SDP   ? ENGINE_SDP
                                         : index == WAIT_PUT_PDP ? ENGINE_PDP
                                         : index == WAIT_PUT_CDP ? ENGINE_CDP
                                                                 : ENGINE_COUNT;
        if (nvdla_same_folder(engine, triage->engine) && link->counted && link->moved < link->required)
            return link->required - link->moved;
    }
    return 0;
}

/* The unit before whose streams the reads of a client come; writes come last. */
static enum nvdla_unit engine_before(enum nvdla_client client) {
    switch (nvdla_clients[client].write ? NVDLA_UNIT_COUNT : nvdla_clients[client].unit) {
    case NVDLA_SDP_RDMA:
        return NVDLA_SDP;
    case NVDLA_PDP_RDMA:
        return NVDLA_PDP;
    case NVDLA_CDP_RDMA:
        return NVDLA_CDP;
    case NVDLA_CDMA:
        return NVDLA_CDMA;
    default:
        return NVDLA_UNIT_COUNT;
    }
}

/* What the scoreboard of the memory interface observed of a client. */
static void add_client(const struct nvdla_config *config, enum nvdla_client client, const struct mif_client *seen,
                       struct triage_passage *passage) {
    const struct mif_difference *first = &seen->first;
    *passage = (struct triage_passage){.engine = ENGINE_MCIF,
                                       .name = seen->name,
                                       .before = engine_before(client),
                                       .passes = true,
                                       .differs = seen->differs,
                                       .cycle = first->cycle,
                                       .address = first->address};
    if (!seen->differs)
        return;
    const size_t atom = (size_t)config->mem_atom;
    size_t from = 0;
    while (from + 1 < atom && first->expected[from] == first->got[from])
        from++;
    switch (first->fault) {
    case MIF_BYTES:
        scoreboard_number(first->expected, from, atom, passage->expected, sizeof passage->expected);
        scoreboard_number(first->got, from, atom, passage->got, sizeof passage->got);
        break;
    case MIF_ADDRESS:
        snprintf(passage->expected, sizeof passage->expected, "address 0x%" PRIx64, first->address);
        snprintf(passage->got, sizeof passage->got, "address 0x%" PRIx64, first->port_address);
        break;
    case MIF_UNASKED:
        snprintf(passage->expected, sizeof passage->expected, "nothing");
        snprintf(passage->got, sizeof passage->got, "an atom at 0x%" PRIx64, first->port_address);
        break;
    case MIF_UNANSWERED:
        snprintf(passage->expected, sizeof passage->expected, "nothing");
        snprintf(passage->got, sizeof passage->got, "an atom for the engine");
        break;
    }
}

/* The passages of observed clients through the memory interface. Returns their number. */
static size_t add_clients(const struct nvdla_config *config, const struct taps *taps,
                          struct triage_passage passages[NVDLA_CLIENT_COUNT]) {
    size_t count = 0;
    for (int i = 0; i < NVDLA_CLIENT_COUNT; i++)
        if (taps->mif[i].seen)
            add_client(config, (enum nvdla_client)i, &taps->mif[i], &passages[count++]);
    return count;
}

/* What the scoreboard of CBUF observed, if anything. */
static size_t add_cbuf(const struct scoreboard *board, struct triage_passage *passage) {
    const struct scoreboard_difference *first = &board->first;
    *passage = (struct triage_passage){.engine = ENGINE_CBUF,
                                       .name = "CBUF",
                                       .before = NVDLA_CSC,
                                       .sure = true,
                                       .compared = board->compared,
                                       .differs = first->port,
                                       .cycle = first->cycle,
                                       .address = first->address};
    size_t from = 0;
    while (from + 1 < first->bytes && first->expected[from] == first->got[from])
        from++;
    if (first->port) {
        scoreboard_number(first->expected, from, first->bytes, passage->expected, sizeof passage->expected);
        scoreboard_number(first->got, from, first->bytes, passage->got, sizeof passage->got);
    }
    return board->compared > 0;
}

/* What the accounts between CDMA, CSC and CACC showed, if anything. */
static size_t add_account(const struct account *account, struct triage_passage *passage) {
    *passage = (struct triage_passage){.engine = account->differs ? account->engine : ENGINE_CSC,
                                       .name = "accounts of CDMA, CSC and CACC",
                                       .before = NVDLA_CSC,
                                       .compared = account->entries,
                                       .differs = account->differs,
                                       .cycle = account->cycle};
    snprintf(passage->expected, sizeof passage->expected, "%s", account->expected);
    snprintf(passage->got, sizeof passage->got, "%s", account->got);
    snprintf(passage->text, sizeof passage->text, "%s", account->text);
    return account->entries > 0;
}

/* Reads of a client compared with those of the model's launches, at the ports of any RTL. Returns their number. */
static size_t add_reads(const struct report_input *input, struct triage_passage *passages) {
    size_t count = 0;
    for (int i = 0; input->reads && i < NVDLA_CLIENT_COUNT; i++) {
        const enum nvdla_client client = (enum nvdla_client)i;
        const struct client_reads *reads = &input->reads->clients[i];
        const struct wrong_read *wrong = &reads->wrong;
        const bool differs = wrong->kind != READ_RIGHT;
        if (reads->compared == 0 && !differs)
            continue;
        struct triage_passage *passage = &passages[count];
        *passage = (struct triage_passage){.engine = nvdla_clients[client].engine,
                                           .name = reads->name,
                                           .before = engine_before(client),
                                           .compared = reads->compared,
                                           .differs = differs,
                                           .cycle = wrong->beat.cycle,
                                           .address = wrong->beat.address};
        count++;
        if (!differs)
            continue;
        if (wrong->kind == READ_MISSING)
            snprintf(passage->got, sizeof passage->got, "no read");
        else
            snprintf(passage->got, sizeof passage->got, "a read of 0x%" PRIx64, wrong->beat.address);
        if (wrong->awaited)
            snprintf(passage->expected, sizeof passage->expected, "a read of 0x%" PRIx64, wrong->expected);
        else
            snprintf(passage->expected, sizeof passage->expected, "%s",
                     wrong->kind == READ_NOBODY ? "no read" : "a read of another address");
        report_wrong_read(input, wrong, passage->text, sizeof passage->text);
    }
    return count;
}

bool diagnose(const struct run_options *options, const struct report_input *input, struct taps *taps,
              struct diagnosis *diagnosis, struct error *err) {
    struct signs signs = {.count = 0};
    struct triage_sign hang;
    struct triage_write wrong;
    struct triage_passage passages[2 + 2 * NVDLA_CLIENT_COUNT];
    size_t passage_count = add_cbuf(&taps->cbuf, passages);
    passage_count += add_account(&taps->account, passages + passage_count);
    passage_count += add_clients(input->prog->config, taps, passages + passage_count);
    passage_count += add_reads(input, passages + passage_count);
    if (!taps_close_side(taps, TAPS_RTL, err) || !record_model(options, input, taps, err))
        return false;
    add_findings(&signs, input->played[0].dev);
    add_failures(&signs, input);
    const bool beat = wrong_write(input, &wrong);
    const bool hung = hang_sign(input->played[0].result, &hang);
    const struct hang *stuck = hung ? input->played[0].result->hang : NULL;
    struct report *report = report_new(input);
    wrong.padding = beat && in_padding(report);
    const struct dissent dissent = report->dissent;
    struct triage_sign strange = {.engine = ENGINE_CSB, .in = ENGINE_COUNT, .name = "register read"};
    const bool is_strange = report->sign == SIGN_READ;
    if (is_strange)
        strange_sign(report, &strange);
    report_free(report);
    const struct triage_input facts = {
        .config = input->prog->config,
        .launches = input->launches,
        .rtl = taps->folder[TAPS_RTL],
        .model = taps->folder[TAPS_MODEL],
        .passages = passages,
        .passage_count = passage_count,
        .agrees =
            dissent_accuses_rtl(dissent.kind) && !input->bus_fault && !(stuck && stuck->cut) ? NULL : dissent.sentence,
        .open = dissent.kind != DISSENT_RTL,
        .stopped = input->played[0].result->outcome == PLAY_STOPPED,
        .strange = is_strange ? &strange : NULL,
        .hang = hung ? &hang : NULL,
        .owed = owed_atoms(input->played[0].result),
        .wrong = beat ? &wrong : NULL,
        .signs = signs.item,
        .sign_count = signs.count};
    return triage(&facts, diagnosis, err);
}

/* The check inside the RTL that failed first; NULL: none did. */
static const struct finding *first_check(const struct device *dev) {
    const struct finding *first = NULL;
    for (size_t i = 0; i < dev->finding_count; i++)
        if (dev->findings[i].kind == FINDING_CHECK && (!first || dev->findings[i].cycle < first->cycle))
            first = &dev->findings[i];
    return first;
}

bool point_at(const struct report_input *input, const struct diagnosis *diagnosis, struct error *err) {
    struct device *rtl = input->played[0].dev;
    struct wave_marker markers[4 + DEVICE_LAUNCHES];
    char names[DEVICE_LAUNCHES][32];
    struct device_launch running[DEVICE_LAUNCHES];
    size_t count = 0;
    const uint64_t end = input->wrong ? input->wrong->beat.cycle : rtl->ops->time(rtl);
    const uint64_t place = diagnosis->cycle ? diagnosis->cycle : end;
    const struct hang *hang = input->played[0].result->hang;
    const struct finding *check = first_check(rtl);
    if (diagnosis->cycle)
        markers[count++] = (struct wave_marker){diagnosis->check                    ? diagnosis->tap
                                                : diagnosis->kind == DIAGNOSIS_HANG ? "last movement"
                                                                                    : "first wrong element",
                                                diagnosis->cycle};
    if (check && !diagnosis->check)
        markers[count++] = (struct wave_marker){check->rule, check->cycle};
    if (diagnosis->check && hang && hang->triage)
        markers[count++] = (struct wave_marker){"last movement", hang->triage->cycle};
    if (input->wrong)
        markers[count++] = (struct wave_marker){"first wrong write", end};
    const size_t launches = rtl->ops->in_flight ? rtl->ops->in_flight(rtl, place, running, DEVICE_LAUNCHES) : 0;
    for (size_t i = 0; i < launches; i++) {
        snprintf(names[i], sizeof names[i], "%s #%d armed", nvdla_unit_names[running[i].unit], running[i].ordinal);
        markers[count++] = (struct wave_marker){names[i], running[i].armed};
    }
    char *text = diagnosis->expected && diagnosis->got
                     ? xprintf("expected %.*s, got %.*s", VALUE_MOST, diagnosis->expected, VALUE_MOST, diagnosis->got)
                     : NULL;
    const struct wave_focus focus = {.engine = diagnosis->engine,
                                     .stream = diagnosis->tap,
                                     .instance = check ? check->instance : NULL,
                                     .text = text};
    const struct wave_view view = {.from = place > BEFORE ? place - BEFORE : 0,
                                   .to = (end > place && end - place < FAR ? end : place) + BEHIND,
                                   .cursor = (int64_t)place,
                                   .markers = markers,
                                   .marker_count = count,
                                   .focus = &focus};
    const bool good = rtl->ops->show_waves(rtl, &view, err);
    free(text);
    return good;
}

void name_diagnosis(const struct diagnosis *diagnosis, struct result *result) {
    words_add(&result->notes, "%s", diagnosis->walk.sentence);
    for (size_t i = 0; i < diagnosis->evidence.count && i < diagnosis->first_register; i++)
        words_add(&result->notes, "%s", diagnosis->evidence.items[i]);
}
