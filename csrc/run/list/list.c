/* Plays a list of tests. See list.h. */
#include "run/list/list.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "run/jobs/pool.h"
#include "run/list/input.h"
#include "run/result/result.h"

/* Answers are sent that often, and at once while no test waits: the other program need not wake up for each. */
#define SEND_SECONDS 0.1

/* A write of so many bytes to a pipe that poll() calls ready does not block. */
enum { PIECE = 4096, RECEIVED_AT_ONCE = 64 << 10, NOT_SENT_MOST = 64 << 10 };

enum { IN, OUT }; /* in pool.also */

struct list {
    const struct list_options *options;
    struct pool pool;
    struct list_input input;
    struct list_test **waiting; /* from `next` on: in their order */
    size_t waiting_count, next;
    struct list_test **ended; /* whose results are to be sent */
    size_t ended_count;
    struct text answers; /* not sent yet */
    size_t sent;         /* bytes of them that are */
    double last;         /* process_clock() when they were sent */
    bool stopped;        /* nothing more starts */
    bool killed;         /* those that ran were ended without a result */
    bool gone;           /* no one reads the answers */
    int status;
};

/* ---- answers ---- */

static void send_answers(struct list *list) {
    struct text *answers = &list->answers;
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    list->last = process_clock();
    while (list->sent < answers->n && !list->gone && poll(&out, 1, 0) > 0) {
        const size_t left = answers->n - list->sent;
        const ssize_t n = write(STDOUT_FILENO, answers->text + list->sent, left < PIECE ? left : PIECE);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            list->gone = true;
        list->sent += n > 0 ? (size_t)n : 0;
    }
    if (list->sent == answers->n)
        list->sent = answers->n = 0;
}

static bool to_send(const struct list *list) {
    return list->sent < list->answers.n;
}

/* Sends the answers if it is time. */
static void send_some(struct list *list) {
    const bool now = list->next == list->waiting_count || list->answers.n - list->sent > NOT_SENT_MOST ||
                     process_clock() - list->last >= SEND_SECONDS;
    if (to_send(list) && now)
        send_answers(list);
    list->pool.also[OUT].events = to_send(list) && now ? POLLOUT : 0;
}

static void send_all(struct list *list) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    for (send_answers(list); to_send(list) && !list->gone; send_answers(list))
        poll(&out, 1, -1);
}

/* ---- tests ---- */

/* Notes that a test is done; its result is sent when the next one has started. */
static void add_ended(struct list *list, struct list_test *test) {
    *xadd(list->ended, list->ended_count) = test;
}

/* True if the ledger has the result: noted by the process of the test, or now. */
static bool note(const struct list *list, const struct list_test *test, const char *result) {
    char host[256] = "";
    if (test->noted || !list->options->ledger)
        return test->noted;
    gethostname(host, sizeof host - 1);
    return test->result.same || ledger_note(list->options->ledger, test->job.number, host, result);
}

static void send_results(struct list *list) {
    for (size_t i = 0; i < list->ended_count; i++) {
        struct list_test *test = list->ended[i];
        autofree char *line = test->result.config ? result_json(&test->result) : xstrdup("null");
        const bool noted = test->result.config && note(list, test, line);
        text_printf(&list->answers, "{\"done\":%zu,\"noted\":%s,\"result\":", test->job.number,
                    noted ? "true" : "false");
        text_put(&list->answers, line);
        text_put(&list->answers, "}\n");
        list_test_free(test);
    }
    list->ended_count = 0;
}

static void start(struct list *list, struct list_test *test) {
    struct error err;
    list->pool.to_come = list->waiting_count - list->next;
    if (test->set->why)
        error_set(&err, "%s", test->set->why);
    else if (pool_start(&list->pool, &test->job, &test->options, list->options->progress, &err)) {
        text_printf(&list->answers, "{\"started\":%zu}\n", test->job.number);
        return;
    }
    test->result = job_failed(&test->job, &test->options, err.text);
    add_ended(list, test);
}

static void start_more(struct list *list) {
    while (!list->stopped && list->next < list->waiting_count && list->pool.count < (size_t)list->options->jobs)
        start(list, list->waiting[list->next++]);
    if (list->next == list->waiting_count)
        list->next = list->waiting_count = 0;
}

static void on_progress(void *context, struct job *job, size_t printed) {
    struct list *list = context;
    struct list_test *test = (struct list_test *)job;
    (void)printed;
    if (!list->options->progress || job->part == test->shown)
        return;
    test->shown = job->part;
    text_printf(&list->answers, "{\"progress\":%zu,\"part\":%.4f}\n", job->number, job->part);
}

static void on_ended(void *context, struct job *job) {
    struct list *list = context;
    struct list_test *test = (struct list_test *)job;
    if (list->killed) {
        job_abandon(job);
        list_test_free(test);
        return;
    }
    test->result = job_result(job, &test->options);
    add_ended(list, test);
}

static struct job_listener listener_of(struct list *list) {
    return (struct job_listener){.progress = on_progress, .ended = on_ended, .context = list};
}

/* ---- orders ---- */

/* Ends all that runs, now. */
static void kill_all(struct list *list) {
    const struct job_listener listener = listener_of(list);
    list->stopped = list->killed = true;
    pool_signal(&list->pool, SIGKILL);
    while (list->pool.count > 0)
        pool_wait(&list->pool, -1, &listener);
}

static void add_test(struct list *list, struct list_test *test) {
    if (list->options->simulators)
        test->options.simulators = list->options->simulators;
    test->job.ledger = list->options->ledger;
    if (test->noted) {
        job_noted(&test->job, &test->options, test->noted, &test->result);
        add_ended(list, test);
        return;
    }
    *xadd(list->waiting, list->waiting_count) = test;
}

static void refuse(struct list *list, const char *why) {
    autofree char *shown = text_shown(why);
    fprintf(stderr, "nvcosim play-list: %s\n", shown);
    list->status = EXIT_BAD_INPUT;
    kill_all(list);
}

/* Handles the lines that have arrived. */
static void take_lines(struct list *list) {
    struct list_test *test;
    struct error err;
    enum list_order order;
    for (bool more = true; more && !list->killed;) {
        if (!list_next(&list->input, &order, &test, &more, &err)) {
            refuse(list, err.text);
            return;
        }
        if (order == LIST_TEST)
            add_test(list, test);
        else if (order == LIST_STOP)
            list->stopped = true;
        else if (order == LIST_KILL)
            kill_all(list);
    }
}

/* Reads what has arrived. */
static void receive(struct list *list) {
    char bytes[RECEIVED_AT_ONCE];
    const ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0) {
        text_add(&list->input.text, bytes, (size_t)n);
        take_lines(list);
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        list->pool.also[IN].fd = -1;
        if (!list->input.complete)
            refuse(list, "the list ended without {\"end\": true}; what ran was ended");
    }
}

static bool is_over(const struct list *list) {
    return list->killed ||
           (list->pool.count == 0 && (list->stopped || (list->input.complete && list->next == list->waiting_count)));
}

static void play_all(struct list *list) {
    const struct job_listener listener = listener_of(list);
    while (!is_over(list)) {
        send_some(list);
        const int number = pool_wait(&list->pool, -1, &listener);
        if (number) {
            list->status = 128 + number;
            kill_all(list);
            break;
        }
        if (list->pool.also[IN].revents)
            receive(list);
        if (list->gone || (list->pool.also[OUT].revents & (POLLERR | POLLHUP)))
            refuse(list, "no one reads the results; what ran was ended");
        start_more(list);
        send_results(list);
    }
    send_results(list);
}

/* ---- the command ---- */

static bool open_pool(struct list *list, struct error *err) {
    sigset_t set;
    signal(SIGINT, SIG_IGN); /* the other program has got them too, and decides */
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (!pool_open(&list->pool, true, err))
        return false;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    list->pool.also[IN] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    list->pool.also[OUT] = (struct pollfd){.fd = STDOUT_FILENO};
    list->pool.also_count = POOL_ALSO;
    return true;
}

int list_play(const struct list_options *options) {
    struct list list = {.options = options, .status = EXIT_OK};
    struct error err;
    if (!open_pool(&list, &err)) {
        fprintf(stderr, "nvcosim play-list: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    play_all(&list);
    for (; list.next < list.waiting_count; list.next++)
        list_test_free(list.waiting[list.next]);
    pool_close(&list.pool);
    text_printf(&list.answers, "{\"ended\":\"%s\"}\n", list.killed ? "killed" : list.stopped ? "stopped" : "done");
    send_all(&list);
    list_input_free(&list.input);
    free(list.waiting);
    free(list.ended);
    free(list.answers.text);
    return list.status;
}
