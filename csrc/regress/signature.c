/* A word for what a failure looks like. See signature.h. */
#include "regress/signature.h"

#include <signal.h>
#include <string.h>

#include "nvdla/xalloc.h"

static char *of_crash(const struct result *result) {
    const char *name = result->exit_status > 128 ? sigabbrev_np(result->exit_status - 128) : NULL;
    return name ? xprintf("crash:SIG%s", name) : xprintf("crash:%d", result->exit_status);
}

static char *of_hang(const struct result *result) {
    if (result->reason && strstr(result->reason, "--still") == NULL) /* another limit was reached */
        return xstrdup("limit");
    for (int i = 0; i < result->device_count; i++)
        if (result->devices[i].engine)
            return xprintf("hang:%s", result->devices[i].engine);
    return xstrdup("hang");
}

static char *of_difference(const struct result *result) {
    const struct result_mismatch *mismatch = &result->mismatch;
    if (result->finding_count > 0)
        return xprintf("rule:%s", result->findings[0].rule);
    if (mismatch->space)
        return xprintf("%s:%s", mismatch->golden ? "golden" : "value", mismatch->unit ? mismatch->unit : "none");
    return xstrdup("check");
}

char *result_signature(const struct result *result) {
    switch (result->verdict) {
    case VERDICT_FAIL:
        return of_difference(result);
    case VERDICT_HANG:
        return of_hang(result);
    case VERDICT_REFUSED:
        return xstrdup("refused");
    case VERDICT_CRASH:
        return of_crash(result);
    case VERDICT_ERROR:
        return xstrdup("error");
    case VERDICT_PASS:
    case VERDICT_COUNT:
        break;
    }
    return NULL;
}
