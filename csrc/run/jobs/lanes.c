/* Work and reports of lanes. See lanes.h. */
#include "run/jobs/lanes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvdla/xalloc.h"

/* Size of the result pipe, so that no test waits for the runner to read it; the part of it that is urgent to read when
 * it arrives between two reads; and the bytes kept of a line of a job that is being ended: it may contain a mark. */
enum { PIPE_BYTES = 1 << 20, BUSY_PART = 4, MARK_MOST = 256 };

struct lane {
    pid_t pid;
    struct server *server;
    int result_end, output_end; /* read ends; -1: closed */
    int signals;                /* write end */
    int room;                   /* bytes in the pipe of results */
    struct text lines, printed; /* received and not handled yet */
    struct job *job;            /* that it plays; NULL: no job was reported */
    uint64_t id;                /* of that job */
    struct job *printing;       /* that prints what comes next */
};

/* ---- jobs ---- */

static struct lane_entry *entry_of(const struct lanes *lanes, uint64_t id) {
    return id >= lanes->first && id - lanes->first < lanes->entry_count ? &lanes->entries[id - lanes->first] : NULL;
}

static void close_entry(struct lanes *lanes, struct lane_entry *entry) {
    entry->job = NULL;
    if (--lanes->open > 0)
        return;
    lanes->first += lanes->entry_count;
    lanes->entry_count = 0;
}

bool lanes_queue(struct lanes *lanes, struct server *server, struct job *job, const struct run_options *options,
                 bool progress) {
    if (!job_queue(job, options, progress, server, lanes->first + lanes->entry_count))
        return false;
    lanes->entries = xgrow(lanes->entries, lanes->entry_count, sizeof *lanes->entries);
    lanes->entries[lanes->entry_count++] = (struct lane_entry){.job = job, .server = server};
    lanes->open++;
    return true;
}

static void lose(struct lanes *lanes, struct lane_entry *entry, const struct job_listener *listener) {
    struct job *job = entry->job;
    close_entry(lanes, entry);
    job->lane.pid = 0;
    job->state = JOB_WAITING;
    listener->lost(listener->context, job);
}

static void take_back(struct lanes *lanes, struct server *server, const struct job_listener *listener) {
    for (uint64_t id; server_take_back(server, &id);) {
        struct lane_entry *entry = entry_of(lanes, id);
        if (entry && entry->job)
            lose(lanes, entry, listener);
    }
}

void lanes_take_back(struct lanes *lanes, const struct servers *servers, const struct job_listener *listener) {
    for (size_t i = 0; i < servers->count; i++)
        take_back(lanes, servers->items[i], listener);
}

/* ---- starting ---- */

size_t lanes_of(const struct lanes *lanes, const struct server *server) {
    size_t count = 0;
    for (size_t i = 0; i < lanes->count; i++)
        count += lanes->items[i]->server == server;
    return count;
}

static void close_all(int *files, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (files[i] >= 0)
            close(files[i]);
}

/* Makes the server start a lane with pipes, whose ends are in the lane. Returns whether it runs. */
static bool start(struct lane *lane, int ledger) {
    enum { RESULT, OUTPUT = 2, SIGNALS = 4, NUL = 6, ENDS };
    int ends[ENDS] = {-1, -1, -1, -1, -1, -1, -1};
    for (int i = 0; i < NUL; i += 2)
        if (pipe2(&ends[i], O_CLOEXEC) != 0)
            break;
    ends[NUL] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int files[LANE_QUEUE] = {ends[NUL], ends[OUTPUT + 1], ends[OUTPUT + 1], ends[RESULT + 1],
                                   ledger ? ledger : ends[NUL]};
    bool well = true;
    for (int i = 0; i < ENDS; i++)
        well = well && ends[i] >= 0;
    if (well) {
        fcntl(ends[RESULT], F_SETFL, O_NONBLOCK);
        fcntl(ends[OUTPUT], F_SETFL, O_NONBLOCK);
        fcntl(ends[SIGNALS + 1], F_SETFL, O_NONBLOCK);
        fcntl(ends[RESULT], F_SETPIPE_SZ, PIPE_BYTES); /* else it is smaller */
        lane->room = fcntl(ends[RESULT], F_GETPIPE_SZ);
        lane->pid = server_lane(lane->server, files, ends[SIGNALS]);
    }
    if (!well || lane->pid < 0) {
        close_all(ends, ENDS);
        return false;
    }
    lane->result_end = ends[RESULT];
    lane->output_end = ends[OUTPUT];
    lane->signals = ends[SIGNALS + 1];
    close_all((int[]){ends[RESULT + 1], ends[OUTPUT + 1], ends[SIGNALS], ends[NUL]}, 4);
    return true;
}

bool lanes_start(struct lanes *lanes, struct server *server, int ledger, const struct process_guard *guard,
                 const struct job_listener *listener) {
    struct lane *lane = xcalloc(1, sizeof *lane);
    *lane = (struct lane){.server = server, .result_end = -1, .output_end = -1, .signals = -1};
    if (!start(lane, ledger)) {
        free(lane);
        if (lanes_of(lanes, server) == 0)
            take_back(lanes, server, listener);
        return false;
    }
    process_guard_add(guard, lane->pid);
    lanes->items = xgrow(lanes->items, lanes->count, sizeof *lanes->items);
    lanes->items[lanes->count++] = lane;
    return true;
}

/* ---- what they send ---- */

/* The number after a word and a blank; *rest: what follows. */
static bool number_of(const char **rest, uint64_t *number) {
    char *end;
    if (**rest < '0' || **rest > '9')
        return false;
    *number = strtoull(*rest, &end, 10);
    *rest = *end == ' ' ? end + 1 : end;
    return true;
}

static bool real_of(const char **rest, double *number) {
    char *end;
    *number = strtod(*rest, &end);
    const bool well = end != *rest;
    *rest = *end == ' ' ? end + 1 : end;
    return well;
}

/* True if the line is a mark of the lane: the start of a job, or the end of the current one. */
static bool take_mark(struct lanes *lanes, struct lane *lane, const char *line, const struct job_listener *listener) {
    const bool starts = strncmp(line, "#start ", 7) == 0;
    const char *rest = line + (starts ? 7 : 5);
    uint64_t id, status;
    if ((!starts && strncmp(line, "#end ", 5) != 0) || !number_of(&rest, &id))
        return false;
    struct lane_entry *entry = entry_of(lanes, id);
    struct job *job = entry ? entry->job : NULL;
    if (!job || entry->server != lane->server || (starts ? lane->job != NULL : lane->job != job))
        return false;
    if (starts) {
        if (!real_of(&rest, &job->start))
            return false;
        job->state = JOB_RUNNING;
        job->lane = (struct job_lane){.pid = lane->pid, .signals = lane->signals, .id = id};
        lane->job = job;
        lane->id = id;
        listener->started(listener->context, job);
        return true;
    }
    struct job_end end;
    if (!number_of(&rest, &status) || !real_of(&rest, &end.seconds) || !real_of(&rest, &end.cpu_seconds) ||
        !number_of(&rest, &end.memory_peak))
        return false;
    end.wait_status = (int)status;
    job_has_played(job, &end);
    lane->job = NULL;
    if (lane->printing == job)
        lane->printing = NULL;
    close_entry(lanes, entry);
    listener->ended(listener->context, job);
    return true;
}

static void take_lines(struct lanes *lanes, struct lane *lane, const struct job_listener *listener) {
    char *rest = lane->lines.text, *end;
    size_t n = lane->lines.n;
    for (; n > 0 && (end = memchr(rest, '\n', n)) != NULL; rest = end + 1) {
        const size_t size = (size_t)(end + 1 - rest);
        *end = '\0';
        n -= size;
        if ((rest[0] != '#' || !take_mark(lanes, lane, rest, listener)) && lane->job && size > 1)
            job_says(lane->job, rest, size);
    }
    if (lane->job && n > 0)
        job_says(lane->job, NULL, n);
    if (n > MARK_MOST && lane->job && lane->job->exceeded) { /* no one reads that */
        rest += n - MARK_MOST;
        n = MARK_MOST;
    }
    if (!rest)
        return;
    memmove(lane->lines.text, rest, n);
    lane->lines.n = n;
    lane->lines.text[n] = '\0';
}

/* Hands the printed text to the jobs that printed it. */
static void take_printed(const struct lanes *lanes, struct lane *lane) {
    enum { LONGEST = 24 };
    const char mark = LANE_PRINTS[0];
    const char *rest = lane->printed.text;
    size_t n = lane->printed.n;
    while (n > 0) {
        const char *begin = memchr(rest, mark, n);
        const size_t before = begin ? (size_t)(begin - rest) : n;
        if (before > 0 && lane->printing)
            job_prints(lane->printing, rest, before);
        rest += before;
        n -= before;
        if (n == 0)
            break;
        const char *end = memchr(rest + 1, mark, n - 1), *digits = rest + 1;
        if (!end && n < LONGEST)
            break; /* the rest has not arrived yet */
        uint64_t id;
        const struct lane_entry *entry = end && number_of(&digits, &id) && digits == end ? entry_of(lanes, id) : NULL;
        if (entry && entry->server == lane->server) {
            lane->printing = entry->job;
            n -= (size_t)(end + 1 - rest);
            rest = end + 1;
            continue;
        }
        if (lane->printing)
            job_prints(lane->printing, rest, 1);
        rest++;
        n--;
    }
    if (rest)
        memmove(lane->printed.text, rest, n);
    lane->printed.n = n;
}

/* Reads what is available. Returns the number of bytes the lane has sent. */
static size_t hear(struct lanes *lanes, struct lane *lane, const struct job_listener *listener) {
    const size_t said = job_drain(&lane->result_end, &lane->lines);
    job_drain(&lane->output_end, &lane->printed); /* all that jobs printed before the end that is reported */
    take_printed(lanes, lane);
    if (said > 0)
        take_lines(lanes, lane, listener);
    if (said > 0 && lane->job && listener->progress)
        listener->progress(listener->context, lane->job, 0);
    return said;
}

bool lanes_hear(struct lanes *lanes, const struct job_listener *listener) {
    bool busy = false;
    for (size_t i = 0; i < lanes->count; i++) {
        struct lane *lane = lanes->items[i];
        const struct job *job = lane->job;
        const uint64_t printed = job ? job->printed : 0;
        const size_t said = hear(lanes, lane, listener), most = (size_t)lane->room / BUSY_PART;
        busy = busy || said >= (most < JOB_DRAIN ? most : JOB_DRAIN);
        busy = busy || (lane->job == job && job && job->printed - printed >= JOB_BUSY);
    }
    return busy;
}

/* ---- their end ---- */

static void lane_free(struct lane *lane) {
    close_all((int[]){lane->result_end, lane->output_end, lane->signals}, 3);
    free(lane->lines.text);
    free(lane->printed.text);
    free(lane);
}

/* Gives up all jobs of the server of which no more reports can come. */
static void lose_rest(struct lanes *lanes, struct server *server, const struct job_listener *listener) {
    const uint64_t first = lanes->first;
    for (size_t i = 0; lanes->first == first && i < lanes->entry_count; i++)
        if (lanes->entries[i].job && lanes->entries[i].server == server)
            lose(lanes, &lanes->entries[i], listener);
}

static void let_go(struct lanes *lanes, size_t index, const struct process_guard *guard,
                   const struct job_listener *listener) {
    struct lane *lane = lanes->items[index];
    int status;
    process_guard_dismiss(guard, lane->pid);
    while (hear(lanes, lane, listener) > 0)
        continue;
    while (waitpid(lane->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    memmove(&lanes->items[index], &lanes->items[index + 1], (--lanes->count - index) * sizeof *lanes->items);
    if (lane->job)
        lose(lanes, entry_of(lanes, lane->id), listener);
    if (process_status(status) != 0)
        server_lane_died(lane->server);
    if (lanes_of(lanes, lane->server) == 0 && !server_has_queue(lane->server))
        lose_rest(lanes, lane->server, listener);
    lane_free(lane);
}

bool lanes_let_go(struct lanes *lanes, const struct process_guard *guard, const struct job_listener *listener) {
    bool gone = false;
    for (size_t i = 0; i < lanes->count;)
        if (process_has_ended(lanes->items[i]->pid)) {
            gone = true;
            let_go(lanes, i, guard, listener);
        } else
            i++;
    return gone;
}

/* ---- limits and signals ---- */

void lanes_check(struct lanes *lanes, const struct job_listener *listener) {
    for (size_t i = 0; i < lanes->count; i++) {
        struct lane *lane = lanes->items[i];
        struct job *job = lane->job;
        const uint64_t id = lane->id, memory = job ? job_memory(job) : 0;
        if (job && memory > job->memory)
            hear(lanes, lane, listener); /* the memory may be the next job's, whose start is reported first */
        if (job && lane->job && lane->id == id)
            job_check(job, memory);
    }
}

void lanes_signal(const struct lanes *lanes, int number) {
    for (size_t i = 0; i < lanes->count; i++)
        kill(-lanes->items[i]->pid, number);
}

size_t lanes_pids(const struct lanes *lanes, pid_t *pids, size_t room) {
    size_t count = 0;
    for (; count < lanes->count && count < room; count++)
        pids[count] = lanes->items[count]->pid;
    return count;
}

void lanes_free(struct lanes *lanes) {
    free(lanes->items);
    free(lanes->entries);
    *lanes = (struct lanes){0};
}
