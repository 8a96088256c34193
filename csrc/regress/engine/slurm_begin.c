/* Before the first job: the names of jobs, their script, what an earlier runner has left. See slurm_parts.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/engine/slurm_files.h"
#include "regress/engine/slurm_parts.h"

/* The name of the jobs of this night, made by the first runner. */
static bool find_name(struct slurm *slurm, struct error *err) {
    char *path = xprintf("%s/slurm/name", slurm->job->folder), *text = NULL;
    size_t n;
    bool ok = true;
    slurm->leftovers = access(path, F_OK) == 0;
    if (slurm->leftovers) {
        ok = file_read(path, &text, &n, err);
        if (ok) {
            text[strcspn(text, "\n")] = '\0';
            ok = text[0] || error_set(err, "%s: found nothing, expected the name of the night's jobs", path);
        }
    } else {
        uint64_t number = 0;
        if (getrandom(&number, sizeof number, 0) != sizeof number)
            number = (uint64_t)time(NULL);
        text = xprintf("nvcosim-%08x", (unsigned)number);
        char *line = xprintf("%s\n", text);
        ok = file_write(path, line, strlen(line), err);
        free(line);
    }
    slurm->name = text;
    free(path);
    return ok;
}

/* Writes what all jobs run: this program on their chunk. */
static bool write_script(struct slurm *slurm, struct error *err) {
    char program[4096];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0)
        return error_set(err, "/proc/self/exe: %s", strerror(errno));
    program[n] = '\0';
    char *quoted = text_quoted(program), *folder = text_quoted(slurm->job->folder);
    struct text text = {0};
    text_printf(&text,
                "#!/bin/sh\n"
                "# A job of `nvcosim regress --engine slurm`: runs chunk FIRST + number of the task in its array.\n"
                "# usage: job.sh FIRST\n"
                "program=%s\n"
                "if [ ! -x \"$program\" ]; then\n"
                "    echo \"$program is missing on this node: it has to be in a folder that all nodes share\" >&2\n"
                "    exit 127\n"
                "fi\n"
                "exec \"$program\" regress --worker=%s $(($1 + SLURM_ARRAY_TASK_ID))\n",
                quoted, folder);
    slurm->script = xprintf("%s/slurm/job.sh", slurm->job->folder);
    const bool ok = file_write(slurm->script, text.text, text.n, err);
    free(text.text);
    free(folder);
    free(quoted);
    return ok;
}

/* The nodes that an option of sbatch leaves out, NULL if it is another one. next: the word after it, or NULL. */
static const char *excluded(const char *word, const char *next) {
    static const char form[] = "--exclude=";
    if (strcmp(word, "--exclude") == 0 || strcmp(word, "-x") == 0)
        return next;
    if (strncmp(word, form, strlen(form)) == 0)
        return word + strlen(form);
    return strncmp(word, "-x", 2) == 0 ? word + 2 : NULL;
}

/* Nodes that the user leaves out: of several lists sbatch takes the last one alone. */
static void find_excluded(struct slurm *slurm) {
    for (char *const *word = slurm->options.items; word && *word; word++) {
        const char *list = excluded(word[0], word[1]);
        if (list)
            text_printf(&slurm->exclude, "%s%s", slurm->exclude.n ? "," : "", list);
    }
}

bool slurm_prepare(struct slurm *slurm, struct error *err) {
    const struct engine_job *job = slurm->job;
    for (size_t i = 0; i < job->count; i++)
        if (job->order[i] >= slurm->limit)
            slurm->limit = job->order[i] + 1;
    slurm->wanted = xcalloc(slurm->limit, sizeof *slurm->wanted);
    slurm->done = xcalloc(slurm->limit, sizeof *slurm->done);
    slurm->failures = xcalloc(slurm->limit, sizeof *slurm->failures);
    for (size_t i = 0; i < job->count; i++)
        slurm->wanted[job->order[i]] = true;
    if (job->slurm_options && !words_split(job->slurm_options, &slurm->options, err))
        return error_prefix(err, "--slurm-options: ");
    find_excluded(slurm);
    if (!slurm_folders(job->folder, err) || !find_name(slurm, err) || !write_script(slurm, err))
        return false;
    slurm->old = slurm->submitted = slurm->written = slurm_chunk_count(job->folder);
    for (size_t i = 0; i < slurm->old; i++)
        slurm_add_work(slurm, 0)->state = WORK_OVER;
    return true;
}

void slurm_release(struct slurm *slurm) {
    for (size_t i = 0; i < slurm->work_count; i++) {
        free(slurm->work[i].tests);
        free(slurm->work[i].started);
        free(slurm->work[i].node);
        free(slurm->work[i].refused);
    }
    free(slurm->work);
    free(slurm->submissions);
    free(slurm->wanted);
    free(slurm->done);
    free(slurm->failures);
    free(slurm->name);
    free(slurm->script);
    free(slurm->waiting);
    free(slurm->exclude.text);
    words_free(&slurm->options);
    words_free(&slurm->bad);
    words_free(&slurm->to_cancel);
    words_free(&slurm->to_exclude);
    command_free(&slurm->command);
}
