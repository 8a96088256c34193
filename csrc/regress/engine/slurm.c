/* The tests of a night as jobs of a Slurm cluster: arrays of jobs that last some minutes each, whose results come by
 * files in a folder that all nodes share (slurm_files.h). The runner reads these files as they grow, asks squeue for
 * the state of the jobs, and submits again what a job left undone when it, or its node, ended.
 *
 * No result is lost, whatever happens to the job, the controller or the runner: results come from the files alone, each
 * once; a runner that resumes the night reads all its files first and cancels what an earlier one had submitted. Jobs
 * are known by their names, NAME.FIRST, where NAME is made once for the folder of a night and FIRST is the chunk of the
 * array's first task: so jobs are found even if the answer with their number got lost. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "regress/engine/slurm_parts.h"
#include "run/process/process.h"

enum {
    TICK_MS = 100,
    ARRAY_MOST = 1000, /* tasks of one array: Slurm's own default for MaxArraySize is 1001 */
};

static int asked_to_end(const struct slurm *slurm) {
    struct signalfd_siginfo info;
    int number = 0;
    while (read(slurm->signals, &info, sizeof info) == sizeof info)
        number = (int)info.ssi_signo;
    return number;
}

/* One turn of the loop. */
static void step(struct slurm *slurm) {
    if (process_clock() >= slurm->next_read)
        slurm_read_all(slurm);
    if (slurm->job->listener.tick)
        slurm->job->listener.tick(slurm->job->listener.context);
    if (command_ended(&slurm->command))
        slurm_take_answer(slurm);
    slurm_settle(slurm);
    if (slurm->command.pid == 0 && !slurm->broken && !slurm->gone)
        slurm_ask_next(slurm);
}

static int wait_signal(const struct slurm *slurm) {
    struct pollfd fd = {.fd = slurm->signals, .events = POLLIN};
    poll(&fd, 1, TICK_MS);
    return asked_to_end(slurm);
}

/* True if nothing more will come. */
static bool is_stuck(const struct slurm *slurm) {
    const bool more = slurm->submitted < slurm->work_count && !slurm->failed && !slurm_night_is_over(slurm);
    return slurm->gone ||
           (!slurm_any_live(slurm) && !more && (slurm->command.pid == 0 || slurm->asked != ASKED_SUBMIT));
}

/* Until the question that was asked is answered, and jobs of an earlier runner are gone. Returns a signal, or 0. */
static int wait_for_answer(struct slurm *slurm) {
    int number = 0;
    while (number == 0 && !slurm->failed && !slurm->broken &&
           (slurm->command.pid != 0 || slurm->leftovers || slurm->to_cancel.count > 0)) {
        number = wait_signal(slurm);
        step(slurm);
    }
    return number;
}

static enum engine_end run_all(struct slurm *slurm, int *signal, struct error *err) {
    slurm_read_all(slurm);
    slurm_ask_processors(slurm);
    *signal = wait_for_answer(slurm);
    if (*signal == 0 && !slurm->failed && !slurm->broken && slurm->left > 0)
        slurm_cut(slurm);
    while (*signal == 0 && slurm->left > 0 && !slurm->broken && !is_stuck(slurm)) {
        *signal = wait_signal(slurm);
        step(slurm);
    }
    slurm_cancel_all(slurm);
    if (!slurm->broken)
        slurm_read_all(slurm);
    if (slurm->broken)
        return error_set(err, "a result could not be kept"), ENGINE_FAILED;
    if (slurm->left == 0)
        return ENGINE_DONE;
    if (*signal == 0 && slurm->failed) {
        *err = slurm->error;
        return ENGINE_FAILED;
    }
    return ENGINE_INTERRUPTED;
}

enum engine_end engine_slurm(const struct engine_job *job, int *signal, struct error *err) {
    struct slurm slurm = {.job = job, .left = job->count, .batch_most = ARRAY_MOST, .start = process_clock()};
    enum engine_end end = ENGINE_FAILED;
    sigset_t set, before;
    *signal = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &before);
    slurm.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (slurm.signals < 0)
        error_set(err, "signalfd: %s", strerror(errno));
    else if (slurm_prepare(&slurm, err))
        end = run_all(&slurm, signal, err);
    if (slurm.signals >= 0)
        close(slurm.signals);
    slurm_release(&slurm);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return end;
}
