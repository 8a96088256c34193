/* Golden files next to a trace test (chapter 80 section 3.6): NAME_golden_ADDRESS.dat, the final memory, and
 * NAME_regs.csv, the final registers. A file with a similar but wrong name is an error, because ignoring it would
 * silently drop checks. */
#include "trace/cfg_golden.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "trace/hint.h"
#include "trace/lex.h"
#include "trace/side_files.h"

/* The trace that is read. */
struct goldens {
    struct program *prog;
    const char *stem;  /* NAME */
    const char *where; /* its directory, with a slash; "" for the current one */
    struct error *err;
};

/* The space of a golden file: that of a CRC check of the same address, else the one that declares the address. */
static enum memory_space golden_space(const struct program *prog, uint64_t base) {
    bool crc[SPACE_COUNT] = {false}, declared[SPACE_COUNT] = {false};
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        bool region = op->kind == OP_MEM_LOAD || op->kind == OP_MEM_FILL || op->kind == OP_MEM_RESERVE;
        if (op->kind == OP_MEM_CRC && op->base == base)
            crc[op->space] = true;
        if (region && base >= op->base && base - op->base < op->size)
            declared[op->space] = true;
    }
    const bool *known = crc[SPACE_PRIMARY] || crc[SPACE_SECONDARY] ? crc : declared;
    return known[SPACE_SECONDARY] && !known[SPACE_PRIMARY] ? SPACE_SECONDARY : SPACE_PRIMARY;
}

/* A golden file must hold all the bytes that the CRC of its address covers; else it was truncated. */
static void warn_if_shorter(struct program *prog, const struct op *check, const char *path) {
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (op->kind == OP_MEM_CRC && op->space == check->space && op->base == check->base && op->size > check->size) {
            char position[512];
            program_warn(prog, path, 0,
                         "holds 0x%" PRIx64 " bytes, the CRC of %.400s covers 0x%" PRIx64 "; is the file complete?",
                         check->size, op_position(prog, op, position, sizeof position), op->size);
        }
    }
}

/* digits: in the file's name, after the last '_'. */
static bool read_golden_memory(const struct goldens *goldens, const char *name, struct span digits) {
    struct program *prog = goldens->prog;
    struct op op = op_make(OP_MEM_CHECK, 0);
    char hex[20];
    snprintf(hex, sizeof hex, "0x%.*s", (int)digits.n, digits.at);
    span_number((struct span){hex, strlen(hex)}, false, &op.base);
    op.space = golden_space(prog, op.base);
    autofree char *path = xprintf("%s%s", goldens->where, name);
    struct blob *blob = packet_file_read(path, goldens->err);
    if (blob) {
        free(blob->name);
        blob->name = xstrdup(name);
        op.blob = program_blob(prog, blob);
        op.size = blob->extent;
        op.at_end = true;
        op.stream = (uint16_t)program_stream(prog, "memory");
        op.file = program_file(prog, path);
        program_append(prog, &op);
        warn_if_shorter(prog, &op, path);
    }
    return blob != NULL;
}

/* Removes the next column from a row. */
static struct span take_column(struct span *row) {
    const char *comma = row->n ? memchr(row->at, ',', row->n) : NULL;
    struct span column = {row->at, comma ? (size_t)(comma - row->at) : row->n};
    size_t used = column.n + (comma ? 1 : 0);
    row->at += used;
    row->n -= used;
    return span_trim(column);
}

static bool read_golden_row(const struct goldens *goldens, const char *path, int line, struct span row) {
    const struct nvdla_config *config = goldens->prog->config;
    struct error *err = goldens->err;
    char shown[SPAN_SHOW], hint[HINT];
    char unit_name[32] = "", reg_name[100] = "";
    struct span columns = row;
    struct span unit = take_column(&columns), reg = take_column(&columns), value = take_column(&columns);
    uint64_t number;
    if (!unit.n || !reg.n || !value.n || columns.n)
        return fail_at(err, path, line, "found %s; expected unit,register,value", span_show(row, shown));
    if (!span_number(value, false, &number) || number > UINT32_MAX)
        return fail_at(err, path, line, "found %s; expected a register value, 0 to 0xffffffff",
                       span_show(value, shown));
    if (unit.n < sizeof unit_name)
        memcpy(unit_name, unit.at, unit.n);
    enum nvdla_unit index = nvdla_unit_find(unit_name);
    if (index == NVDLA_UNIT_COUNT)
        return fail_at(err, path, line, "unknown unit %s; expected one such as SDP or CDMA%s", span_show(unit, shown),
                       unit_hint(config, unit, hint));
    if (reg.n < sizeof reg_name)
        memcpy(reg_name, reg.at, reg.n);
    const struct nvdla_register *found = nvdla_register_find(config, index, reg_name);
    if (!found)
        return fail_at(
            err, path, line,
            "unknown register %s in unit %s of configuration %s; is that the configuration this trace was made for?%s",
            span_show(reg, shown), nvdla_unit_names[index], config->name, register_hint(config, index, reg, hint));
    struct op op = op_make(OP_READ_CHECK, line);
    op.file = program_file(goldens->prog, path);
    op.address = found->address;
    op.value = (uint32_t)number;
    op.at_end = true;
    op.stream = (uint16_t)program_stream(goldens->prog, nvdla_unit_names[index]);
    program_append(goldens->prog, &op);
    return true;
}

static bool read_golden_registers(const struct goldens *goldens, const char *name) {
    autofree char *path = xprintf("%s%s", goldens->where, name);
    char shown[SPAN_SHOW];
    struct lines lines;
    struct span line = {"", 0};
    size_t rows = 0;
    bool good = lines_open_file(&lines, path, goldens->err);
    if (good) {
        lines_next(&lines, &line);
        line = span_trim(line);
        good = !lines.failed && (span_is(line, "unit,register,value") ||
                                 fail_at(goldens->err, path, 1, "found %s; expected the header unit,register,value",
                                         span_show(line, shown)));
        while (good && lines_next(&lines, &line)) {
            line = span_trim(line);
            if (!line.n)
                continue;
            good = read_golden_row(goldens, path, lines.line, line);
            rows++;
        }
        good = good && !lines.failed;
        if (good && rows == 0)
            good = fail_at(goldens->err, path, lines.line, "found no register after the header; is the file complete?");
    }
    lines_close(&lines);
    return good;
}

/* Classifies a file of the trace's directory. digits: set to the address of a golden file. */
enum kind { KIND_OTHER, KIND_MEMORY, KIND_REGISTERS, KIND_BROKEN };

/* True if the file belongs to another trace of the directory, NAME_golden_... */
static bool belongs_to_another(const struct goldens *goldens, const char *name, const char *middle) {
    for (const char *later = middle; (later = strstr(later + 1, "_golden_"));) {
        static const char *const endings[] = {".cfg", ".cfg.gz"};
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            autofree char *trace = xprintf("%s%.*s%s", goldens->where, (int)(later - name), name, endings[i]);
            if (access(trace, F_OK) == 0)
                return true;
        }
    }
    return false;
}

static enum kind kind_of(const struct goldens *goldens, const char *name, struct span *digits) {
    const size_t n = strlen(goldens->stem);
    if (strncmp(name, goldens->stem, n) != 0)
        return KIND_OTHER;
    if (strcmp(name + n, "_regs.csv") == 0 || strcmp(name + n, "_regs.csv.gz") == 0)
        return KIND_REGISTERS;
    if (strncmp(name + n, "_golden_", 8) != 0 || !(text_ends_with(name, ".dat") || text_ends_with(name, ".dat.gz")))
        return KIND_OTHER;
    const char *text = name + n + 8;
    *digits = (struct span){text, strspn(text, "0123456789abcdefABCDEF")};
    const char *ending = text + digits->n;
    if (digits->n >= 1 && digits->n <= 16 && (strcmp(ending, ".dat") == 0 || strcmp(ending, ".dat.gz") == 0))
        return KIND_MEMORY;
    return belongs_to_another(goldens, name, name + n) ? KIND_OTHER : KIND_BROKEN;
}

static int name_order(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The sorted names of the directory that belong to the trace. */
static bool list_names(const struct goldens *goldens, char ***names, size_t *count) {
    struct span digits;
    *names = NULL;
    *count = 0;
    DIR *dir = opendir(goldens->where[0] ? goldens->where : ".");
    if (!dir && errno != ENOENT)
        return error_set(goldens->err, "%s: cannot list the directory for golden files: %m", goldens->where);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (kind_of(goldens, entry->d_name, &digits) == KIND_OTHER)
            continue;
        *xadd(*names, *count) = xstrdup(entry->d_name);
    }
    if (dir)
        closedir(dir);
    if (*count)
        qsort(*names, *count, sizeof **names, name_order);
    return true;
}

static bool read_golden(const struct goldens *goldens, const char *name) {
    struct span digits;
    switch (kind_of(goldens, name, &digits)) {
    case KIND_MEMORY:
        return read_golden_memory(goldens, name, digits);
    case KIND_REGISTERS:
        return read_golden_registers(goldens, name);
    case KIND_BROKEN:
        return error_set(goldens->err,
                         "%s%s: would not be compared: expected %s_golden_ADDRESS.dat, ADDRESS in 1 to 16 hexadecimal "
                         "digits; give it such a name or remove it",
                         goldens->where, name, goldens->stem);
    case KIND_OTHER:
        break;
    }
    return true;
}

bool cfg_read_goldens(struct program *prog, const char *path, struct error *err) {
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    size_t n = strlen(file);
    if (text_ends_with(file, ".gz"))
        n -= 3;
    if (n > 4 && strncmp(file + n - 4, ".cfg", 4) == 0)
        n -= 4;
    autofree char *stem = xstrndup(file, n);
    autofree char *where = slash ? xstrndup(path, (size_t)(file - path)) : xstrdup("");
    const struct goldens goldens = {.prog = prog, .stem = stem, .where = where, .err = err};
    char **names;
    size_t count;
    bool good = list_names(&goldens, &names, &count);
    for (size_t i = 0; i < count; i++) {
        good = good && read_golden(&goldens, names[i]);
        free(names[i]);
    }
    free(names);
    return good;
}
