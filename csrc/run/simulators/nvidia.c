/* The file list for NVIDIA's own RTL. See nvidia.h. */
#include "run/simulators/nvidia.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

const char *const nvidia_pins[NVIDIA_PIN_COUNT] = {"tmc2slcg_disable_clock_gating=1"};

#define MANUAL "docs/other-rtl.md"

/* The list under construction. */
struct list {
    const char *vmod;
    struct text text;
};

static bool is_directory(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_file(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* The entries of a directory, sorted by name, without those that begin with a dot. Returns their number, 0 if it cannot
 * be read. Free them and the array. */
static size_t entries(const char *directory, char ***names) {
    DIR *dir = opendir(directory);
    *names = NULL;
    size_t count = 0;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (entry->d_name[0] == '.')
            continue;
        *names = xgrow(*names, count, sizeof **names);
        (*names)[count++] = xstrdup(entry->d_name);
    }
    if (dir)
        closedir(dir);
    for (size_t i = 1; i < count; i++) {
        char *name = (*names)[i];
        size_t at = i;
        for (; at > 0 && strcmp((*names)[at - 1], name) > 0; at--)
            (*names)[at] = (*names)[at - 1];
        (*names)[at] = name;
    }
    return count;
}

static void entries_free(char **names, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* True if a directory has a file with that suffix. */
static bool holds(const char *directory, const char *suffix) {
    char **names;
    const size_t count = entries(directory, &names);
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= text_ends_with(names[i], suffix);
    entries_free(names, count);
    return found;
}

/* "; there is RTL of nv_large, nv_medium_512" for the projects that were generated. */
static char *generated_projects(const char *outdir) {
    char **names;
    const size_t count = entries(outdir, &names);
    struct text found = {0};
    for (size_t i = 0; i < count; i++) {
        char *top = xprintf("%s/%s/vmod/nvdla/top/NV_nvdla.v", outdir, names[i]);
        if (is_file(top))
            text_printf(&found, "%s%s", found.n ? ", " : "; there is RTL of ", names[i]);
        free(top);
    }
    entries_free(names, count);
    return found.text ? found.text : xstrdup("");
}

/* The vmod folder of a configuration in a checkout. */
static char *find_vmod(const struct nvdla_config *config, const char *checkout, struct error *err) {
    if (!is_directory(checkout)) {
        error_set(err, "--nvidia: %s: %s; expected a checkout of NVIDIA's repository", checkout,
                  errno == ENOENT ? strerror(errno) : "not a folder");
        return NULL;
    }
    char *paths[] = {xprintf("%s/outdir/nv_%s/vmod", checkout, config->name), xprintf("%s/vmod", checkout)};
    const bool fixed = strcmp(config->name, "full") == 0; /* checked in, not generated */
    char *vmod = NULL;
    for (int i = 0; i < (fixed ? 2 : 1) && !vmod; i++) {
        char *top = xprintf("%s/nvdla/top/NV_nvdla.v", paths[i]);
        if (is_file(top))
            vmod = xstrdup(paths[i]);
        free(top);
    }
    if (!vmod && fixed) {
        error_set(err,
                  "--nvidia: %s/nvdla/top/NV_nvdla.v does not exist; full is on branch nvdlav1: git -C %s checkout "
                  "nvdlav1 (" MANUAL ")",
                  paths[1], checkout);
    } else if (!vmod) {
        char *outdir = xprintf("%s/outdir", checkout), *others = generated_projects(outdir);
        error_set(err,
                  "--nvidia: %s/nvdla/top/NV_nvdla.v does not exist%s; generate it on branch master, with a tree.make "
                  "that names project nv_%s: cd %s && ./tools/bin/tmake -build vmod (" MANUAL ")",
                  paths[0], others, config->name, checkout);
        free(outdir);
        free(others);
    }
    free(paths[0]);
    free(paths[1]);
    return vmod;
}

/* The folder of RAM models: vmod's, or the one that `rams` names. */
static char *find_rams(const char *vmod, const char *rams, bool full, struct error *err) {
    static const char *const places[] = {"", "/rams/fpga/model", "/vmod/rams/fpga/model"};
    if (!rams && full) {
        error_set(err, "--nvidia: the RAM models of branch nvdlav1 do not work under Verilator; use --nvidia-rams DIR "
                       "with those of branch master (vmod/rams/fpga/model of a checkout)");
        return NULL;
    }
    for (size_t i = rams ? 0 : 1; i < (rams ? sizeof places / sizeof *places : 2); i++) {
        char *path = xprintf("%s%s", rams ? rams : vmod, places[i]);
        if (holds(path, ".v"))
            return path;
        free(path);
    }
    if (rams)
        error_set(err,
                  "--nvidia-rams: %s holds no RAM models (*.v); expected the folder vmod/rams/fpga/model of a checkout "
                  "of branch master, or that checkout",
                  rams);
    else
        error_set(err,
                  "--nvidia: %s/rams/fpga/model holds no RAM models (*.v); generate vmod again: ./tools/bin/tmake "
                  "-build vmod (" MANUAL ")",
                  vmod);
    return NULL;
}

static void add(struct list *list, const char *option, const char *path) {
    text_printf(&list->text, "%s%s/%s\n", option, list->vmod, path);
}

/* Checks that a path of the list exists. */
static bool require(const struct list *list, const char *path, bool directory, struct error *err) {
    char *whole = xprintf("%s/%s", list->vmod, path);
    const bool there = directory ? is_directory(whole) : is_file(whole);
    if (!there)
        error_set(err,
                  "--nvidia: %s does not exist; the RTL was not generated completely: ./tools/bin/tmake -build vmod "
                  "(" MANUAL ")",
                  whole);
    free(whole);
    return there;
}

long nvidia_resolve(const char *text, size_t n, char *out, int *line) {
    enum { DEEPEST = 32 };
    bool kept[DEEPEST + 1] = {true};
    int depth = 0;
    size_t used = 0;
    *line = 0;
    for (size_t at = 0; at < n;) {
        const char *start = text + at, *end = memchr(start, '\n', n - at);
        const size_t length = end ? (size_t)(end - start) + 1 : n - at;
        at += length;
        ++*line;
        if (start[0] != '#') {
            if (kept[depth])
                used = (size_t)((char *)mempcpy(out + used, start, length) - out);
        } else if (depth < DEEPEST && !strncmp(start, "#ifdef ", 7)) {
            kept[depth + 1] = kept[depth];
            depth++;
        } else if (depth < DEEPEST && !strncmp(start, "#ifndef ", 8)) {
            kept[++depth] = false;
        } else if (depth > 0 && !strncmp(start, "#else", 5)) {
            kept[depth] = kept[depth - 1] && !kept[depth];
        } else if (depth > 0 && !strncmp(start, "#endif", 6)) {
            depth--;
        } else {
            return -1;
        }
    }
    return depth == 0 ? (long)used : -1;
}

/* Copies the files of nvdla/top that have conditional lines, resolved, to DIRECTORY/resolved. *any: there were some. */
static bool resolve_top(const struct list *list, const char *directory, bool *any, struct error *err) {
    char *top = xprintf("%s/nvdla/top", list->vmod), **names;
    const size_t count = entries(top, &names);
    bool ok = true;
    *any = false;
    for (size_t i = 0; ok && i < count; i++) {
        if (!text_ends_with(names[i], ".v"))
            continue;
        char *path = xprintf("%s/%s", top, names[i]), *text = NULL;
        size_t n;
        int line;
        ok = file_read(path, &text, &n, err);
        if (ok && (text[0] == '#' || strstr(text, "\n#if"))) {
            char *copy = xprintf("%s/resolved", directory), *out = xmalloc(n + 1);
            long length = nvidia_resolve(text, n, out, &line);
            ok = length >= 0 ? directory_make(copy, err)
                             : error_set(err,
                                         "--nvidia: %s:%d: expected #ifdef NAME, #ifndef NAME, #else or #endif in "
                                         "pairs",
                                         path, line);
            if (ok) {
                char *target = xprintf("%s/%s", copy, names[i]);
                ok = file_write(target, out, (size_t)length, err);
                free(target);
                *any = true;
            }
            free(copy);
            free(out);
        }
        free(text);
        free(path);
    }
    entries_free(names, count);
    free(top);
    return ok;
}

/* -y and +incdir+ for each folder of nvdla/. */
static void add_units(struct list *list) {
    char *nvdla = xprintf("%s/nvdla", list->vmod), **names;
    const size_t count = entries(nvdla, &names);
    for (size_t i = 0; i < count; i++) {
        char *unit = xprintf("nvdla/%s", names[i]), *path = xprintf("%s/%s", nvdla, names[i]);
        if (is_directory(path)) {
            add(list, "-y ", unit);
            add(list, "+incdir+", unit);
        }
        free(unit);
        free(path);
    }
    entries_free(names, count);
    free(nvdla);
}

/* -v for each file of fifos/: they have several modules each, so -y does not find them. The branch of full has no such
 * folder: its FIFOs are in the files of the modules that use them. */
static bool add_fifos(struct list *list, bool full, struct error *err) {
    char *fifos = xprintf("%s/fifos", list->vmod), **names;
    const size_t count = entries(fifos, &names);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!text_ends_with(names[i], ".v"))
            continue;
        char *path = xprintf("fifos/%s", names[i]);
        add(list, "-v ", path);
        free(path);
        any = true;
    }
    entries_free(names, count);
    if (!any && !full)
        error_set(err, "--nvidia: %s holds no *.v; generate vmod again: ./tools/bin/tmake -build vmod (" MANUAL ")",
                  fifos);
    free(fifos);
    return any || full;
}

static bool fill(struct list *list, const struct nvdla_config *config, const char *rams, const char *own,
                 const char *directory, struct error *err) {
    static const char *const libraries[] = {"nvdla/nocif/NV_NVDLA_XXIF_libs.v", "vlibs/RANDFUNC.vlib",
                                            "vlibs/nv_assert_no_x.vlib"};
    static const char *const defines[] = {"NO_PLI_OR_EMU", "NO_PLI", "DESIGNWARE_NOEXIST", "SYNTHESIS", "FPGA"};
    static const char *const full_defines[] = {"NV_FPGA_FIFOGEN", "FIFOGEN_MASTER_CLK_GATING_DISABLED",
                                               "VLIB_BYPASS_POWER_CG"};
    const bool full = strcmp(config->name, "full") == 0;
    bool resolved = false;
    if (!require(list, "vlibs", true, err) || !require(list, "include", true, err) ||
        (full && !resolve_top(list, directory, &resolved, err)))
        return false;
    char *models = find_rams(list->vmod, rams, full, err);
    if (!models)
        return false;
    if (resolved) /* before nvdla/top: the first match counts */
        text_printf(&list->text, "-y %s/resolved\n", directory);
    text_printf(&list->text, "-v %s/NV_DW02_tree.sv\n", own); /* before vlibs, likewise */
    add_units(list);
    text_printf(&list->text, "-y %s\n", models);
    free(models);
    add(list, "-y ", "vlibs");
    add(list, "+incdir+", "include");
    text_printf(&list->text, "+libext+.v+.vlib\n");
    if (!add_fifos(list, full, err))
        return false;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (!require(list, libraries[i], false, err))
            return false;
        add(list, "-v ", libraries[i]);
    }
    for (size_t i = 0; i < sizeof defines / sizeof *defines; i++)
        text_printf(&list->text, "+define+%s\n", defines[i]);
    for (size_t i = 0; full && i < sizeof full_defines / sizeof *full_defines; i++)
        text_printf(&list->text, "+define+%s\n", full_defines[i]);
    char *top = xprintf("%s/resolved/NV_nvdla.v", directory);
    if (resolved && is_file(top))
        text_printf(&list->text, "%s\n", top);
    else
        add(list, "", "nvdla/top/NV_nvdla.v");
    free(top);
    return true;
}

double nvidia_memory(const struct nvdla_config *config) {
    return strcmp(config->name, "full") == 0 ? 6.6e9 : 0; /* measured, with Verilator 5.006 */
}

char *nvidia_file_list(const struct nvdla_config *config, const char *checkout, const char *rams, const char *own,
                       const char *directory, struct error *err) {
    char *root = realpath(checkout, NULL), *models = rams ? realpath(rams, NULL) : NULL;
    char *vmod = rams && !models ? (error_set(err, "--nvidia-rams: %s: %s", rams, strerror(errno)), NULL)
                                 : find_vmod(config, root ? root : checkout, err);
    char *path = NULL;
    if (vmod && (strpbrk(vmod, " \t\n") || strpbrk(directory, " \t\n") || (models && strpbrk(models, " \t\n")))) {
        error_set(err, "--nvidia: Verilator's file lists take no path with spaces; rename or link one of %s, %s%s%s",
                  vmod, directory, models ? ", " : "", models ? models : "");
    } else if (vmod && directory_make(directory, err)) {
        struct list list = {.vmod = vmod};
        path = xprintf("%s/vmod.f", directory);
        if (!fill(&list, config, models, own, directory, err) || !file_write(path, list.text.text, list.text.n, err)) {
            free(path);
            path = NULL;
        }
        free(list.text.text);
    }
    free(vmod);
    free(models);
    free(root);
    return path;
}
