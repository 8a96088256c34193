/* Reads the laws of an RTL. See laws.h. */
#include "estimate/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimate/laws.embed.h"
#include "memory/file.h"
#include "nvdla/xalloc.h"

static const char *const names[ESTIMATE_LAWS] = {
    [LAW_READ] = "read",
    [LAW_READ_HOLD] = "read_hold",
    [LAW_WRITE] = "write",
    [LAW_ARM] = "arm",
    [LAW_CDMA_BEGIN] = "cdma_begin",
    [LAW_CDMA_BANKS] = "cdma_banks",
    [LAW_CDMA_REPORT] = "cdma_report",
    [LAW_CDMA_IMAGE] = "cdma_image",
    [LAW_CDMA_LINE] = "cdma_line",
    [LAW_CSC_FILL] = "csc_fill",
    [LAW_CSC_ATOM] = "csc_atom",
    [LAW_CSC_END] = "csc_end",
    [LAW_CACC_ROW] = "cacc_row",
    [LAW_CACC_CREDIT] = "cacc_credit",
    [LAW_SDP_BEGIN] = "sdp_begin",
    [LAW_SDP_PIPE] = "sdp_pipe",
    [LAW_SDP_STAGE] = "sdp_stage",
    [LAW_SDP_OPERAND] = "sdp_operand",
    [LAW_SDP_READ] = "sdp_read",
    [LAW_PDP_BEGIN] = "pdp_begin",
    [LAW_PDP_PIPE] = "pdp_pipe",
    [LAW_PDP_SURFACE] = "pdp_surface",
    [LAW_CDP_BEGIN] = "cdp_begin",
    [LAW_CDP_PIPE] = "cdp_pipe",
    [LAW_MOVE_BEGIN] = "move_begin",
    [LAW_MOVE_LINE] = "move_line",
};

/* One line after the first. */
static bool read_law(const char *line, struct estimate_laws *laws, bool found[ESTIMATE_LAWS]) {
    char name[24], comma;
    double clocks;
    if (sscanf(line, "%23[a-z_],%lf%c", name, &clocks, &comma) != 3 || comma != ',' || !(clocks >= 0 && clocks < 1e6))
        return false;
    for (int law = 0; law < ESTIMATE_LAWS; law++)
        if (strcmp(name, names[law]) == 0) {
            laws->clocks[law] = clocks;
            found[law] = true;
            return true;
        }
    return false;
}

bool estimate_laws_read(const char *path, struct estimate_laws *laws, struct error *err) {
    static const char head[] = "law,clocks,meaning";
    const char *const shown = path ? path : "laws";
    char *text = NULL, *rest;
    size_t size;
    unsigned number = 0;
    bool found[ESTIMATE_LAWS] = {false}, good = true;
    if (!path)
        text = xstrdup(laws_csv);
    else if (!file_read(path, &text, &size, err))
        return false;
    rest = text;
    for (char *line; good && (line = strsep(&rest, "\n"));)
        if (number++ == 0)
            good = strcmp(line, head) == 0 || error_set(err, "%s:1: expected the line '%s'", shown, head);
        else if (*line)
            good = read_law(line, laws, found) ||
                   error_set(err, "%s:%u: found '%s', expected the name of a law, its clocks and its meaning", shown,
                             number, line);
    for (int law = 0; good && law < ESTIMATE_LAWS; law++)
        good = found[law] || error_set(err, "%s: the law '%s' is missing", shown, names[law]);
    free(text);
    return good;
}
