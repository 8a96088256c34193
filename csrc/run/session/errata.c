/* Compares a failed run with NVIDIA's errata. See errata.h. */
#include "run/session/errata.h"

#include <stdlib.h>
#include <string.h>

#include "layers/pairing.h"
#include "model/model.h"
#include "nvdla/xalloc.h"

static bool same_memories(const struct device *a, const struct device *b) {
    uint64_t address;
    for (int space = 0; space < SPACE_COUNT; space++)
        if (a->memory[space] && b->memory[space] &&
            memory_next_difference(a->memory[space], b->memory[space], 0, &address))
            return false;
    return true;
}

/* True if the bytes of the first wrong beat are those that the model leaves there. */
static bool beat_is_right(const struct wrong_beat *wrong, const struct device *model) {
    const struct axi_beat *beat = &wrong->beat;
    for (unsigned i = 0; i < WRONG_BYTES; i++) {
        uint8_t byte;
        if (!(wrong->wrong >> i & 1))
            continue;
        memory_read(model->memory[beat->port], beat->address + i, &byte, 1);
        if (byte != wrong->got[i])
            return false;
    }
    return true;
}

/* True if RTL and the judging model differ in what they have written. */
static bool differs(const struct report_input *input) {
    return input->wrong || (input->played_count > 1 && !same_memories(input->played[0].dev, input->played[1].dev));
}

/* True if a model writes what the RTL, which differs from the judging model, has written. */
static bool computes(const struct report_input *input, const struct device *model) {
    return input->wrong ? beat_is_right(input->wrong, model) : same_memories(input->played[0].dev, model);
}

static bool is_cause(const struct run_options *options, const struct report_input *input, const struct device *model,
                     const struct play_result *result) {
    if (differs(input))
        return options->foreign && computes(input, model);
    return input->played[0].result->failure_count > 0 && result->failure_count == 0;
}

/* True if RTL and model agree, and the trace expects other bytes: perhaps those of a chip. */
static bool only_bytes_expected(const struct report_input *input) {
    const struct play_result *played = input->played[0].result;
    if (differs(input))
        return false;
    for (size_t i = 0; i < played->failure_count; i++) {
        const enum op_kind kind = input->prog->ops[played->failures[i].op].kind;
        if (kind != OP_MEM_CHECK && kind != OP_MEM_CRC)
            return false;
    }
    return played->failure_count > 0;
}

/* The first erratum that the model has met; NULL: none. */
static const struct device_warning *first_erratum(const struct device *model) {
    for (size_t i = 0; i < model->warning_count; i++)
        if (model->warnings[i].effect == RULE_ERRATUM)
            return &model->warnings[i];
    return NULL;
}

/* The launch that has written the first wrong bytes; without a judge of every write, those at the lowest address. NULL:
 * unknown. */
static const struct launch *first_writer(const struct report_input *input) {
    int unit = input->wrong ? input->wrong->beat.owner.unit : -1;
    int ordinal = input->wrong ? input->wrong->beat.owner.ordinal : 0;
    for (int space = 0; unit < 0 && input->played_count > 1 && space < SPACE_COUNT; space++) {
        const struct memory *played = input->played[0].dev->memory[space];
        const struct memory *other = input->played[1].dev->memory[space];
        struct memory_origin origin;
        uint64_t address;
        if (played && other && memory_next_difference(played, other, 0, &address) &&
            memory_origin_of(played, address, &origin)) {
            unit = origin.unit;
            ordinal = origin.ordinal;
        }
    }
    return unit < 0 ? NULL : layer_tracker_find(input->launches, (enum nvdla_unit)unit, ordinal);
}

/* The erratum of unknown bytes in the layer of the first wrong ones; NULL: none. */
static const struct device_warning *likely_erratum(const struct report_input *input, const struct device *model) {
    const struct launch *written = first_writer(input);
    const struct launch *core = written ? layer_tracker_feeder(input->launches, written, NVDLA_CSC) : NULL;
    for (size_t i = 0; core && i < model->warning_count; i++) {
        const struct device_warning *warning = &model->warnings[i];
        if (warning->effect == RULE_ERRATUM && strstr(warning->rule, "(E2") && warning->unit == NVDLA_CSC &&
            warning->ordinal == core->ordinal)
            return warning;
    }
    return NULL;
}

/* "FILE:LINE: CSC launch 0: CSC.D_... = 0x..: NVIDIA's hardware computes this layer wrongly: ..." */
static char *describe(const struct report_input *input, const struct device_warning *warning) {
    const struct launch *launch = layer_tracker_find(input->launches, warning->unit, warning->ordinal);
    char position[REPORT_POSITION] = "";
    if (launch)
        op_position(input->prog, &input->prog->ops[launch->tag], position, sizeof position);
    return xprintf("%s%s%s launch %d: %s", position, launch ? ": " : "", nvdla_unit_names[warning->unit],
                   warning->ordinal, warning->text);
}

/* True if a layer of the trace has image input. */
static bool has_image(const struct layer_tracker *launches) {
    for (size_t i = 0; i < layer_tracker_count(launches); i++) {
        const struct launch *launch = layer_tracker_launch(launches, i);
        if (launch->unit == NVDLA_CSC && launch_register(launch, CSC_D_DATAIN_FORMAT) != 0)
            return true;
    }
    return false;
}

/* Plays the trace on a model whatever it does. */
static struct device *play_model(const struct run_options *options, const struct report_input *input,
                                 const struct nvdla_config *config, bool errata, struct play_result *result) {
    const struct model_options model_options = {
        .allow_outside = true, .allow_undefined = true, .errata = errata, .threads = (size_t)options->threads};
    struct play_options play_options = options->play;
    play_options.seed = options->seed;
    play_options.stop_at_first = false;
    struct device *model = model_new(config, &model_options);
    play(input->prog, model, &play_options, result);
    return model;
}

enum { MISTAKEN_BYTES = 3 };

/* True if both hang with the same groups armed. */
static bool same_hang(const struct play_result *a, const struct play_result *b) {
    if (a->outcome != PLAY_HUNG || b->outcome != PLAY_HUNG || a->hang->armed_count != b->hang->armed_count)
        return false;
    for (size_t i = 0; i < a->hang->armed_count; i++)
        if (a->hang->armed[i].unit != b->hang->armed[i].unit || a->hang->armed[i].group != b->hang->armed[i].group)
            return false;
    return true;
}

static bool has_same_ports(const struct nvdla_config *a, const struct nvdla_config *b) {
    return a->map == b->map && a->dbb_data_bits == b->dbb_data_bits && a->cvsram_data_bits == b->cvsram_data_bits &&
           a->mem_atom == b->mem_atom;
}

/* A configuration with the same ports whose model computes what the RTL does, or hangs where only the RTL does; NULL:
 * none. */
static const struct nvdla_config *mistaken(const struct run_options *options, const struct report_input *input) {
    const struct nvdla_config *own = input->prog->config, *found = NULL;
    const struct play_result *rtl = input->played[0].result;
    if (!*options->rtl_name)
        return NULL;
    const bool hangs =
        input->played_count > 1 && rtl->outcome == PLAY_HUNG && input->played[1].result->outcome != PLAY_HUNG;
    if (!hangs && !differs(input))
        return NULL;
    /* A beat with few wrong bytes can be that of another model by chance, especially in a copy of this RTL. */
    if (input->wrong && (!options->foreign || __builtin_popcountll(input->wrong->wrong) < MISTAKEN_BYTES))
        return NULL;
    for (int i = 0; !found && i < nvdla_config_count; i++) {
        const struct nvdla_config *other = &nvdla_configs[i];
        struct play_result result;
        if (other == own || !has_same_ports(other, own))
            continue;
        struct device *model = play_model(options, input, other, false, &result);
        if ((!hangs || same_hang(rtl, &result)) && computes(input, model))
            found = other;
        play_result_free(&result);
        model->ops->destroy(model);
    }
    return found;
}

enum errata_part errata_part(const struct run_options *options, const struct report_input *input, char **text) {
    struct play_result result;
    enum errata_part part = ERRATA_NO_PART;
    *text = NULL;
    const struct nvdla_config *other = mistaken(options, input);
    if (other && input->played[0].result->outcome == PLAY_HUNG) {
        *text =
            xprintf("possibly the RTL of configuration %s, which has the same ports: the model of %s waits here, too. "
                    "If so, build it with --config %s",
                    other->name, other->name, other->name);
        return ERRATA_POSSIBLE;
    }
    if (other) {
        *text = xprintf("likely the RTL of configuration %s, which has the same ports: it computes what the model of "
                        "%s does. Build it with --config %s",
                        other->name, other->name, other->name);
        return ERRATA_LIKELY;
    }
    if (input->played[0].result->outcome == PLAY_HUNG || options->errata || !has_image(input->launches))
        return part;
    struct device *model = play_model(options, input, input->prog->config, true, &result);
    const struct device_warning *erratum = first_erratum(model), *likely = likely_erratum(input, model);
    if (erratum && is_cause(options, input, model, &result))
        part = ERRATA_CAUSE;
    else if (likely && options->foreign)
        part = ERRATA_LIKELY;
    else if (erratum && (options->foreign || only_bytes_expected(input)))
        part = ERRATA_POSSIBLE;
    if (part != ERRATA_NO_PART) {
        static const char *const forms[] = {
            [ERRATA_POSSIBLE] = "an erratum of NVIDIA's hardware may have a part in it: %s%s",
            [ERRATA_LIKELY] = "likely an erratum of NVIDIA's hardware, no new fault: %s%s",
            [ERRATA_CAUSE] = "an erratum of NVIDIA's hardware, no new fault: %s%s"};
        static const char *const ends[] = {[ERRATA_POSSIBLE] = "",
                                           [ERRATA_LIKELY] = ". What it computes is not known",
                                           [ERRATA_CAUSE] = ". --errata nvidia lets the model compute it alike"};
        autofree char *layer = describe(input, part == ERRATA_LIKELY ? likely : erratum);
        *text = xprintf(forms[part], layer, ends[part]);
    }
    play_result_free(&result);
    model->ops->destroy(model);
    return part;
}
