/* Writes a report to disk. See report.h. */
#include "report/report.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "report/histograms.h"

/* Dumps [base, base + size) of a memory, REPORT_DUMP_MAX bytes at most. */
static bool dump(const struct memory *mem, uint64_t base, uint64_t size, const char *directory, const char *name,
                 struct error *err) {
    autofree char *path = xprintf("%s/%s", directory, name);
    return memory_dump(mem, base, size < REPORT_DUMP_MAX ? size : REPORT_DUMP_MAX, path, err);
}

static bool dump_mismatch(const struct report *report, const struct mismatch *mismatch, const char *directory,
                          struct error *err) {
    char name[128];
    for (int i = 0; i < report->input.played_count; i++)
        if (!dump(report_memory(report, i, mismatch->space), mismatch->base, mismatch->size, directory,
                  report_area_dump(report, mismatch, i, name, sizeof name), err))
            return false;
    return true;
}

/* Dumps the golden bytes of every failed memory check, and those of the device. */
static bool dump_failures(const struct report *report, const struct played *played, const char *directory,
                          struct error *err) {
    char name[128];
    for (size_t i = 0; i < played->result->failure_count; i++) {
        const struct op *op = &report->input.prog->ops[played->result->failures[i].op];
        if (op->kind != OP_MEM_CHECK)
            continue;
        struct memory *golden = report_golden(op);
        const bool good = dump(golden, op->base, op->blob->extent, directory,
                               report_check_dump(report, op, NULL, name, sizeof name), err) &&
                          dump(played->dev->memory[op->space], op->base, op->blob->extent, directory,
                               report_check_dump(report, op, played->dev, name, sizeof name), err);
        memory_free(golden);
        if (!good)
            return false;
    }
    return true;
}

static bool write_text(const char *directory, const char *file, char *text, struct error *err) {
    const bool good = file_write_in(directory, file, text, strlen(text), err);
    free(text);
    return good;
}

/* True for names of files written by report_write. */
static bool is_own(const char *name) {
    static const char *const files[] = {"report.txt", "report.json", "report.html", "histogram.json", "histogram.svg"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(name, files[i]) == 0)
            return true;
    for (int space = 0; space < SPACE_COUNT; space++) {
        const char *prefix = memory_space_name((enum memory_space)space);
        const size_t n = strlen(prefix);
        if (strncmp(name, prefix, n) == 0 && name[n] == '_' && text_ends_with(name, ".bin.gz")) {
            const size_t digits = strspn(name + n + 1, "0123456789abcdef");
            return digits >= 8 && name[n + 1 + digits] == '_';
        }
    }
    return false;
}

bool report_clean(const char *directory, struct error *err) {
    DIR *dir = opendir(directory);
    if (!dir && errno == ENOTDIR)
        return error_set(err,
                         "%s: found a file, expected a folder or nothing: the report goes there; move the file or "
                         "choose another --out",
                         directory);
    if (!dir)
        return errno == ENOENT || error_set(err, "%s: cannot list the directory: %m", directory);
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(dir));) {
        if (!is_own(entry->d_name))
            continue;
        if (unlinkat(dirfd(dir), entry->d_name, 0) != 0 && errno != ENOENT)
            good = error_set(err, "%s/%s: cannot remove the report of an earlier run: %m", directory, entry->d_name);
    }
    closedir(dir);
    if (good)
        rmdir(directory); /* stays if it is not empty */
    return good;
}

bool report_has_page(const struct report *report) {
    return report->input.html || report->status != REPORT_PASSED;
}

bool report_write(const struct report *report, const char *directory, struct error *err) {
    if (!report_clean(directory, err) || !directory_make(directory, err))
        return false;
    for (size_t i = 0; i < report->mismatch_count; i++)
        if (!dump_mismatch(report, &report->mismatches[i], directory, err))
            return false;
    for (int i = 0; i < report->input.played_count; i++)
        if (!dump_failures(report, &report->input.played[i], directory, err))
            return false;
    if (report->input.histograms && !histograms_write(report->input.histograms, report->input.name, directory, err))
        return false;
    if (report_has_page(report) &&
        !write_text(directory, "report.html", report_html(report, report_value(report)), err))
        return false;
    return write_text(directory, "report.json", report_json(report), err) &&
           write_text(directory, "report.txt", report_text(report), err);
}
