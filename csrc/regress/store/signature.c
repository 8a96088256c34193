/* Signatures of failures. See signature.h. */
#include "regress/store/signature.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

static char *of_crash(const struct result *result) {
    const char *name = result->exit_status > 128 ? sigabbrev_np(result->exit_status - 128) : NULL;
    return name ? xprintf("crash:SIG%s", name) : xprintf("crash:%d", result->exit_status);
}

static char *of_hang(const struct result *result) {
    if (result->limit && strcmp(result->limit, "--still") != 0) /* it still moved */
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

/* ---- by the words of the reason ---- */

enum { WORDS_KEPT = 120 };

/* A word without what differs from trace to trace: a path is "...", and so is what is too long to be a word, numbers
 * are "#". */
static void add_word(struct text *text, const char *word, size_t n) {
    if (text->n > 0)
        text_add(text, " ", 1);
    if (memchr(word, '/', n) || n > WORDS_KEPT) {
        text_add(text, "...", 3);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)word[i])) {
            text_add(text, &word[i], 1);
            continue;
        }
        text_add(text, "#", 1);
        while (i + 1 < n && (isxdigit((unsigned char)word[i + 1]) || (word[i] == '0' && word[i + 1] == 'x')))
            i++;
    }
}

static void add_words(struct text *text, const char *reason) {
    const size_t most = text->n + WORDS_KEPT;
    while (*reason && text->n < most) {
        reason += strspn(reason, " \t\n");
        const size_t n = strcspn(reason, " \t\n");
        if (n > 0)
            add_word(text, reason, n);
        reason += n;
    }
}

char *result_likeness(const struct result *result) {
    char *signature = result_signature(result);
    const bool compared = result->dut && strchr(result->dut, '+'); /* rtl+model */
    const bool telling = result->verdict == VERDICT_FAIL || result->verdict == VERDICT_HANG;
    if (!signature || (telling && compared) || !result->reason || !result->reason[0])
        return signature;
    struct text text = {0};
    text_printf(&text, "%s:", signature);
    add_words(&text, result->reason);
    free(signature);
    return text.text;
}
