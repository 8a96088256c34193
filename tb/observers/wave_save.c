/* GTKWave save files; see wave_save.h. */
#include "tb/observers/wave_save.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "device/rtl_options.h"
#include "memory/file.h"
#include "nvdla/clients.h"
#include "nvdla/engines.h"
#include "nvdla/registers.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "observe/tap.h"
#include "tap_streams.h"
#include "tb/wave_index.h"

/* Flags of a line of a save file (GTKWave's analyzer.h). */
enum {
    FLAG_HEX = 0x2,
    FLAG_DECIMAL = 0x4,
    FLAG_BINARY = 0x8,
    FLAG_RIGHT = 0x20,
    FLAG_BLANK = 0x200,
    FLAG_SIGNED = 0x400,
    FLAG_ASCII = 0x800,
    FLAG_COLLAPSED = 0x1000,
    FLAG_TRANSLATED = 0x2000,
    FLAG_CLOSED = 0x400000,
    FLAG_GROUP_BEGIN = 0x800000,
    FLAG_GROUP_END = 0x1000000,
};
#define FLAG_ENUM 0x100000000ull /* the wave file names the values; numbers in binary */

enum { PATTERNS = 48 };

/* The left column: names longer than NAME_MOST characters lose their outer scopes; VALUE_SHOWN characters of a value
 * are visible beside the longest name. */
enum { NAME_MOST = 28, VALUE_SHOWN = 26, CHARACTER_PIXELS = 8 };

static const enum nvdla_unit NO_REGISTER = NVDLA_UNIT_COUNT; /* beside a signal that is not a field of a register */

/* Signals shown together: names below "TOP/tb_top/", with * for anything except '/', which replaces '.'; names that
 * start with "marks/" are below the root. "name/" followed by two * matches enumerations anywhere below name. */
struct wave_group {
    const char *title;              /* NULL: the engine's lane */
    enum nvdla_engine engine;       /* its engine, */
    enum nvdla_wave_colour color;   /* or, without an engine, its colour */
    bool nvidia;                    /* for NVIDIA's RTL alone; engines without it: not for NVIDIA's */
    const char *patterns[PATTERNS]; /* in screen order */
    const char *labels[PATTERNS];   /* names on the screen instead of those of the signals; NULL: none */
    const char *registers[4];       /* folded: the registers of the running layer */
    enum nvdla_unit units[4];       /* their units */
};

#define MIF_READ(name)                                                                                                 \
    name "_mif_o/valid", name "_mif_i/ready", name "_mif_o/addr", name "_mif_o/len", name "_mif_i/valid",              \
        name "_mif_i/data"
#define MIF_WRITE(name)                                                                                                \
    name "_mif_o/valid", name "_mif_i/ready", name "_mif_o/addr", name "_mif_o/len", name "_mif_o/dat_valid",          \
        name "_mif_i/dat_ready", name "_mif_o/dat_data", name "_mif_i/done"
#define AXI_READ(port)                                                                                                 \
    "marks/" port "_AR", "nvdla_core2" port "_ar_arvalid", "nvdla_core2" port "_ar_arready",                           \
        "nvdla_core2" port "_ar_arid", "nvdla_core2" port "_ar_arlen", "nvdla_core2" port "_ar_araddr",                \
        "marks/" port "_R", "nvdla_core2" port "_r_rvalid", "nvdla_core2" port "_r_rready",                            \
        "nvdla_core2" port "_r_rid", "nvdla_core2" port "_r_rlast", "nvdla_core2" port "_r_rdata"
#define AXI_WRITE(port)                                                                                                \
    "marks/" port "_AW", "nvdla_core2" port "_aw_awvalid", "nvdla_core2" port "_aw_awready",                           \
        "nvdla_core2" port "_aw_awid", "nvdla_core2" port "_aw_awlen", "nvdla_core2" port "_aw_awaddr",                \
        "marks/" port "_W", "nvdla_core2" port "_w_wvalid", "nvdla_core2" port "_w_wready",                            \
        "nvdla_core2" port "_w_wlast", "nvdla_core2" port "_w_wstrb", "nvdla_core2" port "_w_wdata",                   \
        "marks/" port "_B", "nvdla_core2" port "_b_bvalid", "nvdla_core2" port "_b_bready",                            \
        "nvdla_core2" port "_b_bid"

/* In the order of the data. */
static const struct wave_group groups[] = {
    {.title = "Marks",
     .color = WAVE_YELLOW,
     .patterns = {"marks/CSB", "marks/interrupt", "marks/stream_*", "marks/[A-Z]*"}},
    {.title = "CSB and interrupt",
     .color = WAVE_GREEN,
     .patterns = {"clk", "dla_reset_rstn", "csb2nvdla_valid", "csb2nvdla_ready", "csb2nvdla_write", "csb2nvdla_nposted",
                  "csb2nvdla_addr", "csb2nvdla_wdat", "nvdla2csb_valid", "nvdla2csb_data", "nvdla2csb_wr_complete",
                  "dla_intr", "dut/u_glb/status_q", "dut/u_glb/mask_q", "dut/*_done"}},
    {.engine = ENGINE_CDMA_DAT,
     .patterns = {"marks/CDMA", "dut/u_cdma/run", "dut/u_cdma/dat_state_q", "dut/u_cdma/wt_state_q", "dut/u_cdma/**",
                  MIF_READ("dut/u_cdma/dat"), MIF_READ("dut/u_cdma/wt"), "dut/u_cdma/u_data/used_q",
                  "dut/u_cdma/u_data/atom_valid", "dut/u_cdma/u_data/cvt_data", "dut/dat_wr/*", "dut/wt_wr/*",
                  "dut/cdma2csc/*"},
     .registers = {"dut/u_cdma/d/*"},
     .units = {NVDLA_CDMA}},
    {.engine = ENGINE_CBUF,
     .patterns = {"dut/dat_wr/valid", "dut/dat_wr/addr", "dut/dat_wr/data", "dut/wt_wr/valid", "dut/wt_wr/addr",
                  "dut/wt_wr/data", "dut/dat_rd/*", "dut/dat_rd_data", "dut/dat_rd_next/*", "dut/dat_rd_next_data",
                  "dut/wt_rd/*", "dut/wt_rd_data", "dut/mask_rd/*", "dut/mask_rd_data"}},
    {.engine = ENGINE_CSC,
     .patterns = {"marks/CSC",
                  "dut/u_csc/u_layer/run",
                  "dut/u_csc/u_layer/state_q",
                  "dut/u_csc/**",
                  "dut/csc2cdma/*",
                  "dut/u_csc/u_account/slices_q",
                  "dut/u_csc/kernels_avl",
                  "dut/u_csc/op_valid",
                  "dut/u_csc/op_ready",
                  "dut/u_csc/op_kernels",
                  "dut/u_csc/op_tap_x",
                  "dut/u_csc/op_tap_y",
                  "dut/u_csc/data_op_valid",
                  "dut/u_csc/data_op_ready",
                  "dut/u_csc/weight_op_valid",
                  "dut/u_csc/weight_op_ready",
                  "dut/u_csc/credits_q",
                  "dut/atom_valid",
                  "dut/atom_data",
                  "dut/atom_*",
                  "dut/wt_valid",
                  "dut/wt_sel_*",
                  "dut/wt_data"},
     .registers = {"dut/u_csc/u_layer/d/*"},
     .units = {NVDLA_CSC}},
    {.engine = ENGINE_CMAC,
     .patterns = {"marks/CMAC_A", "marks/CMAC_B", "dut/cmac_a_run", "dut/cmac_b_run", "dut/mac_valid", "dut/mac_a_sum",
                  "dut/mac_b_sum", "dut/mac_*"}},
    {.engine = ENGINE_CACC,
     .patterns = {"marks/CACC", "dut/cacc_run", "dut/u_cacc/**", "dut/u_cacc/position_q", "dut/u_cacc/*/u_sums/rows_q",
                  "dut/u_cacc/*/u_sums/wr_row_q", "dut/u_cacc/*/u_sums/base_q", "dut/u_cacc/*/u_sums/rd_row_q",
                  "dut/u_cacc/*/u_sums/beat_q", "dut/credit_valid", "dut/cacc2sdp_valid", "dut/cacc2sdp_ready",
                  "dut/cacc2sdp_data"},
     .registers = {"dut/u_cacc/d/*"},
     .units = {NVDLA_CACC}},
    {.engine = ENGINE_SDP,
     .patterns = {"marks/SDP", "marks/SDP_RDMA", "dut/u_sdp/run", "dut/u_sdp/group", "dut/u_sdp/**",
                  MIF_READ("dut/u_sdp/m"), MIF_READ("dut/u_sdp/b"), MIF_READ("dut/u_sdp/n"), MIF_READ("dut/u_sdp/e"),
                  "dut/u_sdp/*_op_valid", "dut/u_sdp/*_op_ready", "dut/u_sdp/src_*"},
     .registers = {"dut/u_sdp/d/*", "dut/u_sdp/u_rdma/d/*"},
     .units = {NVDLA_SDP, NVDLA_SDP_RDMA}},
    {.title = "SDP pipe and output",
     .engine = ENGINE_SDP,
     .patterns = {"dut/u_sdp/src_valid",
                  "dut/u_sdp/src_ready",
                  "dut/u_sdp/src_data",
                  "dut/u_sdp/bs_valid",
                  "dut/u_sdp/bs_ready",
                  "dut/u_sdp/bs_data",
                  "dut/u_sdp/bn_valid",
                  "dut/u_sdp/bn_ready",
                  "dut/u_sdp/bn_data",
                  "dut/u_sdp/gen_ew/u_y/look_up",
                  "dut/u_sdp/gen_ew/u_y/found",
                  "dut/u_sdp/y_valid",
                  "dut/u_sdp/y_ready",
                  "dut/u_sdp/y_data",
                  "dut/u_sdp/out_valid",
                  "dut/u_sdp/out_ready",
                  "dut/u_sdp/out_data",
                  MIF_WRITE("dut/u_sdp/w"),
                  "dut/sdp2pdp_valid",
                  "dut/sdp2pdp_ready",
                  "dut/sdp2pdp_data"}},
    {.engine = ENGINE_PDP,
     .patterns = {"marks/PDP", "marks/PDP_RDMA", "dut/u_pdp/run", "dut/u_pdp/rdma_run", "dut/u_pdp/**",
                  MIF_READ("dut/u_pdp/r"), "dut/u_pdp/in_*", "dut/u_pdp/beat_*", "dut/u_pdp/beat/*", "dut/u_pdp/tot_*",
                  "dut/u_pdp/out_*", MIF_WRITE("dut/u_pdp/w")},
     .registers = {"dut/u_pdp/d/*", "dut/u_pdp/rdma_d/*"},
     .units = {NVDLA_PDP, NVDLA_PDP_RDMA}},
    {.engine = ENGINE_CDP,
     .patterns = {"marks/CDP", "marks/CDP_RDMA", "dut/u_cdp/run", "dut/u_cdp/rdma_run", "dut/u_cdp/**",
                  MIF_READ("dut/u_cdp/r"), "dut/u_cdp/mem_*", "dut/u_cdp/block_*", "dut/u_cdp/beat_*",
                  "dut/u_cdp/out_*", MIF_WRITE("dut/u_cdp/w")},
     .registers = {"dut/u_cdp/d/*", "dut/u_cdp/rdma_d/*", "dut/u_cdp/s/*"},
     .units = {NVDLA_CDP, NVDLA_CDP_RDMA, NVDLA_CDP}},
    {.engine = ENGINE_BDMA,
     .patterns = {"marks/BDMA", "dut/u_bdma/busy_q", "dut/u_bdma/launch", "dut/u_bdma/push", "dut/u_bdma/free",
                  "dut/u_bdma/u_load/left_q", "dut/u_bdma/job_valid", "dut/u_bdma/job_ready", "dut/u_bdma/job/*",
                  "dut/u_bdma/req_*", MIF_READ("dut/u_bdma/r"), "dut/u_bdma/beat_valid", "dut/u_bdma/beat_ready",
                  "dut/u_bdma/beat", "dut/u_bdma/cmd_*", MIF_WRITE("dut/u_bdma/w"), "dut/u_bdma/ack"}},
    {.engine = ENGINE_RUBIK,
     .patterns = {"marks/RBK", "dut/u_rubik/run", "dut/u_rubik/group", "dut/u_rubik/layer/*", "dut/u_rubik/req_*",
                  MIF_READ("dut/u_rubik/r"), "dut/u_rubik/in_*", "dut/u_rubik/u_turn/full_q", "dut/u_rubik/out_*",
                  "dut/u_rubik/cmd_*", MIF_WRITE("dut/u_rubik/w")},
     .registers = {"dut/u_rubik/d/*"},
     .units = {NVDLA_RBK}},
    NVIDIA_GROUPS,
    {.title = "AXI read, primary", .color = WAVE_GREEN, .patterns = {AXI_READ("dbb")}},
    {.title = "AXI write, primary", .color = WAVE_RED, .patterns = {AXI_WRITE("dbb")}},
    {.title = "AXI read, secondary", .color = WAVE_GREEN, .patterns = {AXI_READ("cvsram")}},
    {.title = "AXI write, secondary", .color = WAVE_RED, .patterns = {AXI_WRITE("cvsram")}},
};

/* Handshake and data of the streams. */
static const char *const tap_signals[][PATTERNS] = {
#define SIGNALS(tap, ...) [TAP_##tap] = {__VA_ARGS__},
    FOR_TAP_SIGNALS(SIGNALS)};

/* Signals of a group or of its registers, in screen order. */
struct chosen {
    size_t *signals;        /* indices */
    enum nvdla_unit *units; /* of registers */
    const char **labels;    /* NULL: their names */
    size_t count;
};

struct save {
    FILE *file;
    struct text commands; /* for Surfer, which has no groups: dividers, and what is not folded away */
    unsigned closed;      /* groups that are folded and not ended */
    const struct nvdla_config *config;
    struct wave_index *index;
    char **paths;                        /* of the signals, with / for '.', below "TOP/tb_top/" or from the root on */
    size_t *lengths;                     /* of these */
    char *folder;                        /* of the translations */
    size_t longest;                      /* characters of the longest name on the screen */
    struct words translations, contents; /* their files, and the contents of each */
    struct error *err;
    bool failed;
};

/* ---- choice ---------------------------------------------------------------------------------- */

/* A pattern, with `plain` literal characters first: the last of these distinguishes most names. */
static bool matches(const struct save *save, size_t i, const char *pattern, size_t plain) {
    const struct wave_signal *signal = &save->index->signals[i];
    const char *path = save->paths[i];
    if (save->lengths[i] < plain || path[plain - 1] != pattern[plain - 1] || memcmp(path, pattern, plain) != 0)
        return false;
    if (signal->constant || strstr(path, "/unused_"))
        return false;
    if (strcmp(pattern + plain, "**") == 0)
        return signal->enumeration;
    return fnmatch(pattern + plain, path + plain, FNM_PATHNAME) == 0;
}

/* True if a signal was chosen already; alias: under any of its names. */
static bool is_chosen(const struct save *save, const struct chosen *chosen, size_t signal, bool alias) {
    for (size_t i = 0; i < chosen->count; i++)
        if (chosen->signals[i] == signal ||
            (alias && save->index->signals[chosen->signals[i]].handle == save->index->signals[signal].handle))
            return true;
    return false;
}

/* Adds the signals of a pattern, in the order of the file: all that it names literally; of those matched by wildcards
 * none twice under two names. */
static void choose(struct save *save, struct chosen *chosen, const char *pattern, enum nvdla_unit unit,
                   const char *label) {
    const size_t plain = strcspn(pattern, "*[");
    const bool alias = pattern[plain] && unit == NO_REGISTER; /* registers may have the same value by chance */
    for (size_t i = 0; i < save->index->count; i++) {
        if (!matches(save, i, pattern, plain) || is_chosen(save, chosen, i, alias))
            continue;
        chosen->signals = xgrow(chosen->signals, chosen->count, sizeof *chosen->signals);
        chosen->units = xgrow(chosen->units, chosen->count, sizeof *chosen->units);
        chosen->labels = xgrow(chosen->labels, chosen->count, sizeof *chosen->labels);
        chosen->labels[chosen->count] = label;
        chosen->units[chosen->count] = unit;
        chosen->signals[chosen->count++] = i;
        save->index->signals[i].wanted = true;
    }
}

/* True if a group has only marks, which the first group shows anyway: an engine of another RTL. */
static bool only_marks(const struct save *save, const struct wave_group *group, const struct chosen *chosen) {
    for (size_t i = 0; i < chosen->count; i++)
        if (strncmp(save->paths[chosen->signals[i]], "marks/", 6) != 0)
            return false;
    return group != groups;
}

static void forget(struct chosen *chosen) {
    free(chosen->signals);
    free(chosen->units);
    free(chosen->labels);
}

/* ---- translations ---------------------------------------------------------------------------- */

/* Number of the translation file with these lines, from 1; written under that name if there is none yet. */
static size_t translation(struct save *save, const char *name, struct text *lines) {
    size_t at = 0;
    while (at < save->translations.count && strcmp(save->contents.items[at], lines->text) != 0)
        at++;
    if (at == save->translations.count) {
        autofree char *path = xprintf("%s/%s.txt", save->folder, name);
        if (!save->failed && !file_write(path, lines->text, lines->n, save->err))
            save->failed = true;
        words_add(&save->translations, "%s", path);
        words_add(&save->contents, "%s", lines->text);
    }
    free(lines->text);
    return at + 1;
}

/* Adds a line for a value as GTKWave looks it up in hexadecimal: with as many digits as the bits need. */
static void translate(struct text *lines, int bits, uint64_t value, const char *name) {
    text_printf(lines, "%0*llx %s\n", (bits + 3) / 4, (unsigned long long)value, name);
}

static size_t translate_addresses(struct save *save, int bits) {
    struct text lines = {0};
    for (uint32_t address = 0; address >> 2 < 1u << 16; address += 4) {
        const struct nvdla_register *reg = nvdla_register_at(save->config, address);
        char name[128];
        if (reg)
            translate(&lines, bits, address >> 2, nvdla_register_name(save->config, address, name, sizeof name));
    }
    return translation(save, "registers", &lines);
}

static size_t translate_clients(struct save *save, int bits, bool write) {
    struct text lines = {0};
    for (int id = 0; id < AXI_IDS; id++)
        translate(&lines, bits, (uint64_t)id, nvdla_client_name(id, write));
    return translation(save, write ? "write_clients" : "read_clients", &lines);
}

static size_t translate_interrupts(struct save *save, int bits) {
    struct text lines = {0};
    for (uint32_t set = 0; set < 4; set++) {
        char name[16];
        snprintf(name, sizeof name, "%s", set == 0 ? "-" : set == 1 ? "group_0" : set == 2 ? "group_1" : "both");
        translate(&lines, bits, set, name);
    }
    return translation(save, "done", &lines);
}

/* The field for a member of a unit's register structure; NULL if there is none of that name. */
static const struct nvdla_field *field_of(const struct save *save, enum nvdla_unit unit, const char *member) {
    const uint32_t base = nvdla_unit_base(save->config, unit);
    for (uint32_t offset = 0; offset < 0x1000; offset += 4) {
        const struct nvdla_register *reg = nvdla_register_at(save->config, base + offset);
        for (size_t i = 0; reg && i < reg->field_count; i++)
            if (strcasecmp(reg->fields[i].name, member) == 0)
                return &reg->fields[i];
    }
    return NULL;
}

/* The translation of a register field with named values, 0 if it has none. Fields with the same names share a file. */
static size_t translate_field(struct save *save, enum nvdla_unit unit, const struct wave_signal *signal) {
    const struct nvdla_field *field = field_of(save, unit, strrchr(signal->name, '.') + 1);
    if (!field || field->enum_count == 0)
        return 0;
    struct text lines = {0};
    for (size_t i = 0; i < field->enum_count; i++)
        translate(&lines, signal->bits, field->enums[i].value, field->enums[i].name);
    autofree char *name = xprintf("%s.%s", nvdla_unit_names[unit], field->name);
    return translation(save, name, &lines);
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool ends(const char *name, const char *end) {
    return text_ends_with(name, end);
}

static bool says(const char *name, const char *const *words) {
    for (; *words; words++)
        if (strstr(name, *words))
            return true;
    return false;
}

/* The number of the translation for a signal, 0 for none. */
static size_t translation_of(struct save *save, const struct wave_signal *signal, enum nvdla_unit unit) {
    const char *name = strrchr(signal->name, '.') + 1;
    if (signal->enumeration)
        return 0;
    if (strcmp(name, "csb2nvdla_addr") == 0)
        return translate_addresses(save, signal->bits);
    if (ends(name, "_arid") || ends(name, "_rid"))
        return translate_clients(save, signal->bits, false);
    if (ends(name, "_awid") || ends(name, "_bid"))
        return translate_clients(save, signal->bits, true);
    if (ends(name, "_done") && signal->bits == 2)
        return translate_interrupts(save, signal->bits);
    return unit == NO_REGISTER ? 0 : translate_field(save, unit, signal);
}

/* The radix of a signal: hexadecimal for addresses, bit sets and everything wide, signed for elements, decimal for
 * counts. */
static uint64_t radix(const struct wave_signal *signal) {
    static const char *const hexadecimal[] = {"addr",   "wdat", "csb",  "strb",   "mask",
                                              "status", "sel",  "base", "stride", NULL};
    static const char *const elements[] = {"data", "sum", NULL};
    const char *name = strrchr(signal->name, '.') + 1;
    if (strncmp(signal->name, "marks.", 6) == 0)
        return FLAG_ASCII;
    if (signal->enumeration)
        return FLAG_BINARY | FLAG_ENUM;
    if (signal->bits == 1)
        return FLAG_BINARY;
    if (says(name, hexadecimal) || signal->bits > 32)
        return FLAG_HEX;
    return says(name, elements) ? FLAG_SIGNED : FLAG_DECIMAL;
}

/* The name shown for a signal: without the scopes of the design and the group's engine, with / because GTKWave cuts
 * names at the last '.'; of a long one its first scope and its end. free() it. */
static char *short_name(const char *path) {
    if (strncmp(path, "marks/", 6) == 0)
        return xstrdup(path + 6);
    if (strncmp(path, "dut/", 4) != 0)
        return xstrdup(path);
    const char *engine = strncmp(path + 4, "u_", 2) == 0 ? strchr(path + 4, '/') : NULL;
    path = engine ? engine + 1 : path + 4;
    const size_t scope = strcspn(path, "/");
    const char *end = path;
    while (scope + 4 + strlen(end) > NAME_MOST && strchr(end, '/'))
        end = strchr(end, '/') + 1;
    return end <= path + scope + 1 ? xstrdup(path) : xprintf("%.*s/~/%s", (int)scope, path, end);
}

/* Returns the name, and widens the column to it. */
static const char *measured(struct save *save, const char *name) {
    const size_t columns = text_columns(name);
    save->longest = columns > save->longest ? columns : save->longest;
    return name;
}

static void print_signal(struct save *save, const struct chosen *chosen, size_t at, enum nvdla_wave_colour color) {
    const size_t i = chosen->signals[at];
    const enum nvdla_unit unit = chosen->units[at];
    const struct wave_signal *signal = &save->index->signals[i];
    const size_t number = translation_of(save, signal, unit);
    const uint64_t flags = FLAG_RIGHT | (number ? FLAG_HEX | FLAG_TRANSLATED : radix(signal));
    fprintf(save->file, "@%llx\n[color] %d\n", (unsigned long long)flags, color);
    if (number)
        fprintf(save->file, "^%zu %s\n", number, save->translations.items[number - 1]);
    char *name = chosen->labels[at] ? xstrdup(chosen->labels[at]) : short_name(save->paths[i]);
    fprintf(save->file, "+{%s} %s%s\n", measured(save, name), signal->name, signal->range);
    free(name);
    if (!save->closed)
        text_printf(&save->commands, "variable_add %s\n", signal->name);
}

/* A title as one word. */
static void add_divider(struct save *save, const char *title) {
    text_put(&save->commands, "divider_add ");
    for (const char *c = title; *c; c++)
        text_add(&save->commands, *c == ' ' ? "_" : c, 1);
    text_put(&save->commands, "\n");
}

static void begin_group(struct save *save, const char *title, bool closed) {
    if (!closed && !save->closed)
        add_divider(save, title);
    save->closed += closed;
    fprintf(save->file, "@%x\n-%s\n", FLAG_GROUP_BEGIN | FLAG_BLANK | (closed ? FLAG_CLOSED : 0),
            measured(save, title));
}

static void end_group(struct save *save, const char *title, bool closed) {
    save->closed -= closed;
    fprintf(save->file, "@%x\n-%s\n", FLAG_GROUP_END | FLAG_BLANK | (closed ? FLAG_CLOSED | FLAG_COLLAPSED : 0), title);
}

/* Prints those that change, or those that do not. */
static void print_signals(struct save *save, const struct chosen *chosen, bool moves, enum nvdla_wave_colour color) {
    for (size_t i = 0; i < chosen->count; i++)
        if (save->index->signals[chosen->signals[i]].moves == moves)
            print_signal(save, chosen, i, color);
}

static void print_folded(struct save *save, const char *title, const struct chosen *chosen, bool both,
                         enum nvdla_wave_colour color) {
    begin_group(save, title, true);
    if (both)
        print_signals(save, chosen, true, color);
    print_signals(save, chosen, false, color);
    end_group(save, title, true);
}

static void print_group(struct save *save, const struct wave_group *group, const struct chosen *chosen,
                        const struct chosen *registers) {
    const struct nvdla_engine_facts *engine = &nvdla_engines[group->engine];
    const char *own = group->title ? group->title : engine->lane;
    const enum nvdla_wave_colour color = group->color ? group->color : engine->wave;
    size_t moving = 0;
    for (size_t i = 0; i < chosen->count; i++)
        moving += save->index->signals[chosen->signals[i]].moves;
    if (only_marks(save, group, chosen))
        return;
    autofree char *title = moving ? xstrdup(own) : xprintf("%s: idle", own);
    begin_group(save, title, moving == 0);
    print_signals(save, chosen, true, color);
    if (registers->count > 0)
        print_folded(save, "registers of the layer", registers, true, color);
    if (moving && moving < chosen->count) {
        autofree char *name = xprintf("%zu that never move", chosen->count - moving);
        print_folded(save, name, chosen, false, color);
    } else {
        print_signals(save, chosen, false, color);
    }
    end_group(save, title, moving == 0);
}

/* The name of a signal as in patterns. */
static char *path_of(const char *name) {
    static const char top[] = "TOP.tb_top.";
    char *path = xstrdup(strncmp(name, top, sizeof top - 1) == 0 ? name + sizeof top - 1 : name);
    for (char *c = path; *c; c++)
        if (*c == '.')
            *c = '/';
    return path;
}

/* The failure: the place of the failed check, the first wrong stream, and the values. */
static void choose_focus(struct save *save, const struct wave_focus *focus, struct chosen *chosen) {
    static const char *const names[] = {"*valid*", "*ready*", "*data*", "*state*"};
    for (size_t tap = 0; focus->stream && tap < sizeof tap_signals / sizeof *tap_signals; tap++)
        for (int i = 0; strcmp(tap_names[tap], focus->stream) == 0 && tap_signals[tap][i]; i++)
            choose(save, chosen, tap_signals[tap][i], NO_REGISTER, NULL);
    for (size_t i = 0; focus->instance && i < sizeof names / sizeof *names; i++) {
        autofree char *scope = path_of(focus->instance), *pattern = xprintf("dut/%s/%s", scope, names[i]);
        choose(save, chosen, pattern, NO_REGISTER, NULL);
    }
}

static void print_text(struct save *save, const char *text) {
    if (text)
        fprintf(save->file, "@%x\n-%s\n", FLAG_BLANK, measured(save, text));
}

static void print_focus(struct save *save, const struct wave_focus *focus, const struct chosen *chosen) {
    static const char title[] = "What went wrong";
    begin_group(save, title, false);
    print_text(save, focus->stream);
    print_text(save, focus->text);
    print_text(save, focus->instance);
    print_signals(save, chosen, true, WAVE_RED);
    print_signals(save, chosen, false, WAVE_RED);
    end_group(save, title, false);
}

/* True for the groups of the engine to blame. */
static bool is_blamed(const struct wave_group *group, const struct wave_focus *focus) {
    return focus && !group->color && nvdla_same_folder(group->engine, focus->engine);
}

/* True for NVIDIA's RTL, by the names of its partitions. */
static bool is_nvidia(const struct save *save) {
    bool found = false;
    for (size_t i = 0; i < save->index->count && !found; i++)
        found = strncmp(save->paths[i], "dut/u_partition_", 16) == 0;
    return found;
}

static void print_file(struct save *save, const char *path, const char *save_path, const struct wave_view *view,
                       void (*find_moves)(const char *path, struct wave_index *index)) {
    enum { COUNT = sizeof groups / sizeof groups[0] };
    struct chosen chosen[COUNT] = {0}, registers[COUNT] = {0}, wrong = {0};
    const bool nvidia = is_nvidia(save);
    if (view->focus)
        choose_focus(save, view->focus, &wrong);
    for (size_t g = 0; g < COUNT; g++) {
        if (!groups[g].color && groups[g].nvidia != nvidia)
            continue;
        for (int i = 0; groups[g].patterns[i]; i++)
            choose(save, &chosen[g], groups[g].patterns[i], NO_REGISTER, groups[g].labels[i]);
        for (int i = 0; groups[g].registers[i]; i++)
            choose(save, &registers[g], groups[g].registers[i], groups[g].units[i], NULL);
    }
    find_moves(path, save->index);
    autofree char *lines = wave_view_lines(view);
    fprintf(
        save->file,
        "[*] nvcosim: 1 ns is 1 core clock, 0 is the first clock after reset\n[dumpfile] \"%s\"\n[savefile] \"%s\"\n"
        "[size] 1600 1000\n[pos] -1 -1\n%s[treeopen] TOP.\n[treeopen] TOP.tb_top.\n[sst_width] 220\n"
        "[sst_expanded] 1\n",
        path, save_path, lines);
    if (view->focus)
        print_focus(save, view->focus, &wrong);
    for (int blamed = 1; blamed >= 0; blamed--)
        for (size_t g = 0; g < COUNT; g++)
            if (is_blamed(&groups[g], view->focus) == blamed)
                print_group(save, &groups[g], &chosen[g], &registers[g]);
    fprintf(save->file, "[signals_width] %zu\n", CHARACTER_PIXELS * (save->longest + VALUE_SHOWN));
    forget(&wrong);
    for (size_t g = 0; g < COUNT; g++) {
        forget(&chosen[g]);
        forget(&registers[g]);
    }
}

/* The same signals as commands for Surfer. */
static bool write_commands(struct save *save, const char *path, const struct wave_view *view) {
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    autofree char *lines = wave_view_commands(view);
    fprintf(file, "%s%s", save->commands.text ? save->commands.text : "", lines);
    const bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

/* Warns of scopes without signals, which are names that do not exist. */
static void warn_of_scopes(const struct save *save, const char *const *scopes) {
    for (; scopes && *scopes; scopes++) {
        char *scope = xstrdup(*scopes), *colon = strrchr(scope, ':');
        if (colon)
            *colon = '\0';
        const char *below = scope;
        below += strncmp(below, "TOP.", 4) == 0 ? 4 : 0;
        below += strncmp(below, "tb_top.", 7) == 0 ? 7 : 0;
        autofree char *prefix = path_of(below);
        const size_t n = strlen(prefix);
        bool found = strcmp(below, "TOP") == 0 || strcmp(below, "tb_top") == 0;
        for (size_t i = 0; !found && i < save->index->count; i++)
            found = strncmp(save->paths[i], prefix, n) == 0 && strchr("/", save->paths[i][n]);
        if (!found)
            fprintf(stderr, "nvcosim: warning: --wave-scope %s: the design has no signal below that name\n", *scopes);
        free(scope);
    }
}

/* In a wrapper NVIDIA's instances are deeper below the top module: their names become as if it were not there. */
static void leave_out_wrapper(struct save *save) {
    enum { TOP = sizeof "dut/" - 1 };
    char *prefix = NULL;
    size_t n = 0;
    for (size_t i = 0; i < save->index->count && !prefix; i++) {
        const char *path = save->paths[i], *part = strncmp(path, "dut/", TOP) ? NULL : strstr(path, "/u_partition_");
        n = part ? (size_t)(part + 1 - path) : 0;
        prefix = n > TOP ? xprintf("%.*s", (int)n, path) : NULL;
        if (n == TOP)
            return;
    }
    for (size_t i = 0; prefix && i < save->index->count; i++) {
        char *path = save->paths[i];
        if (strncmp(path, prefix, n) == 0)
            memmove(path + TOP, path + n, save->lengths[i] + 1 - n);
        save->lengths[i] = strlen(path);
    }
    free(prefix);
}

bool wave_save_write(const char *path, const struct nvdla_config *config, const struct simulator *simulator,
                     const char *const *scopes, const struct wave_view *view, struct error *err) {
    struct save save = {.config = config, .err = err};
    bool good = false;
    autofree char *name = wave_save_path(path), *whole = realpath(path, NULL);
    save.index = simulator->wave_index_read(path);
    if (!save.index || !whole) {
        error_set(err, "%s: the waves cannot be read back for %s: %m", path, name);
        if (save.index)
            simulator->wave_index_free(save.index);
        return false;
    }
    autofree char *whole_save = wave_save_path(whole);
    save.folder = xprintf("%.*s.filters", (int)(strlen(whole_save) - strlen(".gtkw")), whole_save);
    save.paths = xcalloc(save.index->count + 1, sizeof *save.paths);
    save.lengths = xcalloc(save.index->count + 1, sizeof *save.lengths);
    for (size_t i = 0; i < save.index->count; i++)
        save.lengths[i] = strlen(save.paths[i] = path_of(save.index->signals[i].name));
    warn_of_scopes(&save, scopes);
    leave_out_wrapper(&save);
    save.file = directory_make(save.folder, err) ? fopen(name, "w") : NULL;
    if (save.file) {
        print_file(&save, whole, whole_save, view, simulator->wave_index_moves);
        good = !ferror(save.file);
        good = fclose(save.file) == 0 && good;
        autofree char *commands = xprintf("%.*s.sucl", (int)(strlen(name) - strlen(".gtkw")), name);
        good = write_commands(&save, commands, view) && good;
    }
    if (!good)
        error_set(err, "%s: %s beside it: %m", path, name);
    for (size_t i = 0; i < save.index->count; i++)
        free(save.paths[i]);
    free(save.paths);
    free(save.lengths);
    words_free(&save.translations);
    words_free(&save.contents);
    free(save.commands.text);
    simulator->wave_index_free(save.index);
    free(save.folder);
    return good && !save.failed;
}
