/* Starts server and QEMU, and follows the guest; see guest.h. */
#include "run/guest/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/guest/archive.h"
#include "run/guest/qemu.h"
#include "run/process/process.h"
#include "run/simulators/install_paths.h"

enum { WAIT_MS = 50, GRACE_MS = 3000, LAST_LINES = 10, LINE_BYTES = 4096, MEGABYTES = 1024, DIFFERENT = 1, BAD = 2 };

struct guest {
    const struct guest_options *options;
    char *folder;  /* of the kernel */
    char work[64]; /* temporary */
    char *socket;  /* in it */
    char *initrd;  /* in it */
    pid_t server;  /* 0: none */
    char *last[LAST_LINES];
    size_t lines;          /* of the serial line */
    bool failed;           /* a program of the self-test, or the guest said so */
    bool broken;           /* the guest could not do its work */
    bool done;             /* the guest said that it was */
    bool abandoned;        /* by its server */
    char line[LINE_BYTES]; /* of the serial line, as far as it has come */
    size_t have;
};

/* ---- what the guest is made of ---- */

static bool find_folder(struct guest *guest, struct error *err) {
    struct install_paths paths;
    if (guest->options->folder) {
        guest->folder = xstrdup(guest->options->folder);
    } else {
        if (!install_paths_find(&paths, err))
            return false;
        guest->folder = xprintf("%s/guest", paths.build);
        install_paths_free(&paths);
    }
    char *kernel = xprintf("%s/vmlinuz", guest->folder);
    const bool good = access(kernel, R_OK) == 0;
    if (!good)
        error_set(err, "%s: %s; `make guest` makes it", kernel, strerror(errno));
    free(kernel);
    return good;
}

/* Adds a file to the guest's /job. False with a message. */
static bool add_file(FILE *archive, const char *path, const char *name, struct error *err) {
    char *bytes;
    size_t n;
    if (!file_read(path, &bytes, &n, err))
        return false;
    archive_put(archive, name, bytes, n);
    free(bytes);
    return true;
}

/* The network and its picture, which keeps the end of its name: the runtime knows its form by that. */
static bool add_job(const struct guest_options *options, FILE *archive, struct error *err) {
    const char *dot = strrchr(options->picture, '.');
    char *picture = xprintf("picture%s", dot && !strchr(dot, '/') ? dot : ""), *place = xprintf("job/%s", picture);
    archive_begin(archive);
    archive_put(archive, "job", NULL, 0);
    archive_put(archive, "job/picture_name", picture, strlen(picture));
    const bool good =
        add_file(archive, options->network, "job/net.nvdla", err) && add_file(archive, options->picture, place, err);
    archive_end(archive);
    free(picture);
    free(place);
    return good;
}

static bool make_initrd(struct guest *guest, struct error *err) {
    char *from = xprintf("%s/initrd.gz", guest->folder);
    if (!guest->options->network) {
        guest->initrd = from;
        return true;
    }
    guest->initrd = xprintf("%s/initrd", guest->work);
    char *const copy[] = {(char *)"cp", (char *)"--", from, guest->initrd, NULL};
    int status;
    char *output = process_output(copy, &status, err);
    bool good = output != NULL;
    if (good && status != 0)
        good = error_set(err, "%s cannot be copied: %s", from, output);
    FILE *archive = good ? fopen(guest->initrd, "r+b") : NULL;
    if (good)
        good =
            archive ? add_job(guest->options, archive, err) : error_set(err, "%s: %s", guest->initrd, strerror(errno));
    if (archive && fclose(archive) != 0 && good)
        good = error_set(err, "%s: %s", guest->initrd, strerror(errno));
    free(output);
    free(from);
    return good;
}

/* ---- the server ---- */

static bool start_server(struct guest *guest, struct error *err) {
    const struct guest_options *options = guest->options;
    struct words words = {0};
    struct stat status;
    words_put(&words, "/proc/self/exe");
    words_put(&words, "serve");
    words_put(&words, "--once");
    words_add(&words, "--socket=%s", guest->socket);
    words_add(&words, "--config=%s", options->config->name);
    if (options->dut)
        words_add(&words, "--dut=%s", options->dut);
    for (size_t i = 0; i < options->server.count; i++)
        words_put(&words, options->server.items[i]);
    const int files[] = {fcntl(STDIN_FILENO, F_DUPFD, 3), fcntl(STDOUT_FILENO, F_DUPFD, 3),
                         fcntl(STDERR_FILENO, F_DUPFD, 3)};
    const pid_t pid = process_spawn(
        &(struct process_program){.words = words.items, .files = files, .file_count = 3, .own_group = true}, err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        close(files[i]);
    words_free(&words);
    if (pid < 0)
        return false;
    guest->server = pid;
    while (stat(guest->socket, &status) != 0) { /* it may build a simulator first */
        if (process_has_ended(pid))
            return error_set(err, "the server ended before the guest began");
        poll(NULL, 0, WAIT_MS);
    }
    return true;
}

/* ---- QEMU ---- */

static void add_machine(const struct guest *guest, struct words *words) {
    const struct guest_options *options = guest->options;
    const char *platform = strncmp(options->config->name, "large", 5) == 0 ? "nv_large"
                           : strcmp(options->config->name, "full") == 0    ? "nvdla_os_initial"
                                                                           : "nv_small";
    static const char *const fixed[] = {"-M",          "virt,memory-backend=ram",
                                        "-cpu",        "cortex-a57",
                                        "-accel",      "tcg",
                                        "-nodefaults", "-no-reboot",
                                        "-display",    "none",
                                        "-serial",     "stdio",
                                        NULL};
    for (size_t i = 0; fixed[i]; i++)
        words_put(words, fixed[i]);
    words_add(words, "-m");
    words_add(words, "%dM", MEGABYTES);
    words_add(words, "-object");
    words_add(words, "memory-backend-memfd,id=ram,size=%dM,share=on", MEGABYTES);
    words_add(words, "-kernel");
    words_add(words, "%s/vmlinuz", guest->folder);
    words_add(words, "-initrd");
    words_put(words, guest->initrd);
    words_add(words, "-append");
    words_add(words, "console=ttyAMA0 panic=-1 quiet cma=512M nvdla=%s nvdla_config=%s",
              options->selftest  ? "selftest"
              : options->network ? "run"
                                 : "shell",
              platform);
    words_add(words, "-device");
    words_add(words,
              "{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":\"%s\"},"
              "\"x-msg-timeout\":3600000}",
              guest->socket);
}

/* A line that begins with "guest: " is for the user; the others are kept, for when something goes wrong. */
static void take_line(struct guest *guest, char *line) {
    static const char mark[] = "guest: ";
    line[strcspn(line, "\r")] = '\0';
    char **last = &guest->last[guest->lines++ % LAST_LINES];
    free(*last);
    *last = xstrdup(line);
    if (strncmp(line, mark, sizeof mark - 1) != 0)
        return;
    const char *text = line + sizeof mark - 1;
    guest->done |= strcmp(text, "done") == 0;
    guest->broken |= strncmp(text, "error: ", 7) == 0;
    guest->failed |= strstr(text, "FAILED: ") != NULL;
    if (strcmp(text, "done") != 0)
        text_print_line(strncmp(text, "error: ", 7) == 0 ? stderr : stdout, "%s", text);
    fflush(stdout);
}

/* Takes what has arrived on the serial line; false at its end. */
static bool take_bytes(struct guest *guest, int fd) {
    const ssize_t n = read(fd, guest->line + guest->have, sizeof guest->line - 1 - guest->have);
    if (n <= 0)
        return false;
    guest->have += (size_t)n;
    guest->line[guest->have] = '\0';
    for (char *end; (end = strchr(guest->line, '\n')) != NULL;) {
        *end++ = '\0';
        take_line(guest, guest->line);
        guest->have -= (size_t)(end - guest->line);
        memmove(guest->line, end, guest->have + 1);
    }
    if (guest->have == sizeof guest->line - 1) { /* no line is that long */
        take_line(guest, guest->line);
        guest->have = 0;
    }
    return true;
}

/* Follows the guest to its end. A server that ends first leaves it waiting for ever: QEMU is ended then. */
static void follow(struct guest *guest, int fd, pid_t qemu) {
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    int alone = 0;
    while (poll(&polled, 1, WAIT_MS) == 0 || take_bytes(guest, fd)) {
        if (process_has_ended(guest->server) && ++alone == GRACE_MS / WAIT_MS) {
            guest->abandoned = true;
            kill(qemu, SIGTERM);
        }
    }
}

/* Runs QEMU to its end; its serial line is read here, or is the terminal. */
static bool run_qemu(struct guest *guest, const struct words *words, struct error *err) {
    const bool shell = !guest->options->network && !guest->options->selftest;
    int serial[2] = {-1, -1};
    if (!shell && pipe2(serial, O_CLOEXEC) != 0)
        return error_set(err, "no pipe: %s", strerror(errno));
    const int files[] = {shell ? fcntl(STDIN_FILENO, F_DUPFD, 3) : open("/dev/null", O_RDWR | O_CLOEXEC),
                         fcntl(shell ? STDOUT_FILENO : serial[1], F_DUPFD, 3), fcntl(STDERR_FILENO, F_DUPFD, 3)};
    const pid_t pid =
        process_spawn(&(struct process_program){.words = words->items, .files = files, .file_count = 3}, err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        close(files[i]);
    if (serial[1] >= 0)
        close(serial[1]);
    if (pid < 0) {
        if (serial[0] >= 0)
            close(serial[0]);
        return false;
    }
    if (serial[0] >= 0)
        follow(guest, serial[0], pid);
    if (serial[0] >= 0)
        close(serial[0]);
    const int status = process_wait(pid, NULL, NULL);
    if (guest->abandoned)
        return error_set(err, "the server ended while the guest ran");
    if (status != 0)
        return error_set(err, "QEMU ended with status %d", status);
    if (shell || guest->done || guest->broken)
        return true;
    for (size_t i = guest->lines < LAST_LINES ? 0 : guest->lines - LAST_LINES; i < guest->lines; i++)
        text_print_line(stderr, "guest: %s", guest->last[i % LAST_LINES]);
    return error_set(err, "the guest ended early; its last lines are above");
}

/* ---- all ---- */

static bool play(struct guest *guest, struct error *err) {
    struct words words = {0};
    bool good = find_folder(guest, err) && qemu_find(&words, err);
    strcpy(guest->work, "/tmp/nvcosim-linux-XXXXXX");
    if (good && !mkdtemp(guest->work))
        good = error_set(err, "%s: %s", guest->work, strerror(errno));
    if (good) {
        guest->socket = xprintf("%s/socket", guest->work);
        good = make_initrd(guest, err) && start_server(guest, err);
    }
    if (good) {
        add_machine(guest, &words);
        good = run_qemu(guest, &words, err);
    }
    words_free(&words);
    return good;
}

static void clean(struct guest *guest) {
    if (guest->socket) {
        if (guest->initrd && guest->options->network)
            unlink(guest->initrd);
        unlink(guest->socket);
        rmdir(guest->work);
    }
    for (size_t i = 0; i < LAST_LINES; i++)
        free(guest->last[i]);
    free(guest->socket);
    free(guest->initrd);
    free(guest->folder);
}

int guest_run(const struct guest_options *options) {
    struct guest guest = {.options = options};
    struct error err;
    const bool good = play(&guest, &err);
    int status = good ? guest.broken ? BAD : guest.failed ? DIFFERENT : 0 : BAD;
    if (guest.server > 0) { /* it ends with its client; without one, it is ended */
        if (!good)
            kill(guest.server, SIGTERM);
        const int server = process_wait(guest.server, NULL, NULL);
        if (server == DIFFERENT && status == 0)
            status = DIFFERENT;
        else if (server > DIFFERENT && good)
            status = BAD;
    }
    if (!good)
        text_print_line(stderr, "nvcosim linux: %s", err.text);
    clean(&guest);
    return status;
}
