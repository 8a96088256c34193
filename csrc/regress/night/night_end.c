/* Ends a night: buckets of failures, the state in the database, page, JUnit XML, summary. See night_parts.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/night/buckets.h"
#include "regress/night/night.h"
#include "regress/night/night_parts.h"
#include "regress/night/notify.h"
#include "regress/night/recover.h"
#include "regress/pages/junit.h"
#include "regress/pages/page.h"
#include "regress/pages/summary.h"
#include "regress/store/query.h"
#include "run/process/process.h"
#include "run/result/ledger.h"

/* ---- after the tests ---- */

static void print_line(const char *line) {
    printf("%s\n", line);
    fflush(stdout);
}

/* Groups the failures into buckets, and looks at some of them if all tests have run. Returns whether it finished;
 * errors are reported. */
static bool fill_buckets(struct night *night, bool look, int *signal) {
    const struct triage_job job = {.store = night->store,
                                   .night = night->id,
                                   .folder = night->folder,
                                   .tests = &night->tests,
                                   .builds = night->builds,
                                   .jobs = night->jobs,
                                   .settings = night->settings,
                                   .report = print_line};
    struct error err;
    const bool well = buckets_make(&job, look, signal, &err);
    if (!well)
        night_complain(night, err.text);
    return well && !*signal;
}

/* ---- what is written at the end ---- */

/* The exit status by the results. False with a message. */
static bool worst_status(struct night *night, int *status, struct error *err) {
    struct query query =
        query_begin(store_database(night->store), err,
                    "SELECT DISTINCT verdict FROM result WHERE night = ? AND known IS NULL AND verdict "
                    "IS NOT NULL",
                    "i", night->id);
    while (query_next(&query)) {
        const int verdict = verdict_find(query_text(&query, "verdict"));
        *status = verdict < 0 ? *status : worse_status(*status, verdict_status((enum verdict)verdict));
    }
    return query_end(&query);
}

/* The command that resumes the night. free() it. */
static char *resume_command(const struct night *night) {
    struct text text = {0};
    char *database = text_quoted(night->database);
    text_printf(&text, "nvcosim regress --database=%s", database);
    free(database);
    if (night->options->jobs)
        text_printf(&text, " --jobs=%d", night->options->jobs);
    if (night->options->slurm) {
        char *slurm = text_quoted(night->options->slurm);
        text_printf(&text, " --slurm-options=%s", slurm);
        free(slurm);
    }
    if (night->options->chunk_seconds)
        text_printf(&text, " --chunk-seconds=%d", night->options->chunk_seconds);
    if (night->options->notify) {
        char *notify = text_quoted(night->options->notify);
        text_printf(&text, " --notify=%s", notify);
        free(notify);
    }
    text_printf(&text, " --resume=%" PRId64, night->id);
    return text.text;
}

/* The files and the summary of the night. Errors are reported, and the others are written all the same. */
static void write_outputs(struct night *night, const char *state, bool notify) {
    struct error err;
    struct review *review = review_read(store_database(night->store), night->id, &err);
    if (!review) {
        night_complain(night, err.text);
        return;
    }
    review->state = state; /* a full disk may have kept it from the database */
    char *junit = xprintf("%s/junit.xml", night->folder), *page = xprintf("%s/index.html", night->folder);
    if (!junit_write(review, junit, &err))
        night_complain(night, err.text);
    const bool paged = page_write(review, page, &err);
    if (!paged)
        night_complain(night, err.text);
    char *summary = summary_text(review, paged ? page : NULL);
    review_free(review);
    free(junit);
    free(page);
    printf("%s", summary);
    fflush(stdout);
    if (notify && night->options->notify && !notify_run(night->options->notify, summary, &err)) {
        error_prefix(&err, "--notify: ");
        night_complain(night, err.text);
    }
    free(summary);
}

int night_end(struct night *night, enum engine_end end, int signal) {
    struct error err;
    const bool all_run = end == ENGINE_DONE;
    int ended = 0;
    if (!all_run && !night->lost && !recover_night(night->store, night->id, night->folder, night->ledger, &err))
        night_complain(night, err.text);
    process_obey_signals();
    const bool whole = fill_buckets(night, all_run, &ended) && all_run;
    signal = signal ? signal : ended;
    int status = whole ? EXIT_OK : EXIT_DIFFERENT;
    const char *state = whole ? "done" : "interrupted";
    if (!store_state(night->store, night->id, state, process_clock() - night->start, &err))
        night_complain(night, err.text);
    process_obey_signals(); /* Ctrl-C ends what follows */
    if (!worst_status(night, &status, &err))
        night_complain(night, err.text);
    write_outputs(night, state, !signal);
    if (whole)
        builds_remove(night->folder);
    else {
        char *command = resume_command(night);
        printf("\n%s. To continue: %s\n",
               all_run ? "The failures have not all been looked at" : "Not all tests have run", command);
        free(command);
    }
    ledger_close(night->ledger, night->folder, !night->lost);
    night->ledger = -1;
    return signal ? 128 + signal : night->broken ? EXIT_BAD_INPUT : status;
}
