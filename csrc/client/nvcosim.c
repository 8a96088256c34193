/* libnvcosim: a client of `nvcosim serve` on a socket pair; see nvcosim.h. Linked on its own: it uses nothing of this
 * project but the descriptions of the messages. */
#include "client/nvcosim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/control.h"
#include "live/vfio_user.h"

#define PUBLIC __attribute__((visibility("default")))

enum { PAGE = 4096, ERROR_TEXT = 1024, WORDS_MOST = 64, CHILD_SOCKET = 3, PAYLOAD_MOST = VFIO_DATA_MOST + 64 };

extern char **environ;

struct mapped_range {
    uint64_t address;
    size_t size;
    uint8_t *bytes;
    bool own; /* memory of the library */
    struct mapped_range *next;
};

struct nvcosim {
    pid_t pid;
    int socket, event, said; /* said: what the process prints to stderr */
    bool high;               /* the event is readable */
    uint16_t id;
    struct mapped_range *ranges;
    char error[ERROR_TEXT];
    uint8_t payload[PAYLOAD_MOST];
};

/* ---- errors ---- */

__attribute__((format(printf, 2, 3))) static int fail(struct nvcosim *device, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(device->error, sizeof device->error, format, arguments);
    va_end(arguments);
    return -1;
}

/* The process has gone: says what it printed last. */
static int fail_gone(struct nvcosim *device) {
    char text[ERROR_TEXT - 64], killed[64] = "it printed no reason";
    int status = 0;
    while (device->pid > 0 && waitpid(device->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    device->pid = 0;
    if (WIFSIGNALED(status))
        snprintf(killed, sizeof killed, "signal %d ended it", WTERMSIG(status));
    const off_t end = lseek(device->said, 0, SEEK_END), room = (off_t)sizeof text - 1;
    const ssize_t n = pread(device->said, text, sizeof text - 1, end > room ? end - room : 0);
    const char *line = killed;
    text[n > 0 ? n : 0] = '\0';
    for (char *rest = text, *next; (next = strsep(&rest, "\n"));) /* not the hints of usage errors */
        if (strncmp(next, "nvcosim", strlen("nvcosim")) == 0)
            line = next;
    return fail(device, "the device has ended: %s", WIFSIGNALED(status) ? killed : line);
}

PUBLIC const char *nvcosim_error(const struct nvcosim *device) {
    return device->error;
}

/* ---- messages ---- */

static bool send_all(struct nvcosim *device, struct iovec *io, size_t count, int fd) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr part = {.msg_iov = io, .msg_iovlen = count};
    if (fd >= 0) {
        part.msg_control = control.bytes;
        part.msg_controllen = sizeof control.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&part);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    }
    while (part.msg_iovlen > 0) {
        const ssize_t sent = sendmsg(device->socket, &part, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        part.msg_control = NULL;
        part.msg_controllen = 0;
        size_t done = (size_t)sent;
        while (part.msg_iovlen > 0 && done >= part.msg_iov->iov_len) {
            done -= part.msg_iov->iov_len;
            part.msg_iov++;
            part.msg_iovlen--;
        }
        if (part.msg_iovlen > 0) {
            part.msg_iov->iov_base = (char *)part.msg_iov->iov_base + done;
            part.msg_iov->iov_len -= done;
        }
    }
    return true;
}

static bool receive_all(struct nvcosim *device, void *bytes, size_t n) {
    for (uint8_t *to = bytes; n > 0;) {
        const ssize_t got = recv(device->socket, to, n, MSG_WAITALL);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        n -= (size_t)got;
    }
    return true;
}

static struct mapped_range *find_range(struct nvcosim *device, uint64_t address, uint64_t n) {
    for (struct mapped_range *range = device->ranges; range; range = range->next)
        if (address >= range->address && n <= range->size && address - range->address <= range->size - n)
            return range;
    return NULL;
}

/* Serves an access of the device to memory of the caller; its message is in payload. */
static bool serve_access(struct nvcosim *device, struct vfio_header *header, size_t n) {
    struct vfio_dma_access access;
    const bool write = header->command == VFIO_DMA_WRITE;
    if ((!write && header->command != VFIO_DMA_READ) || n < sizeof access)
        return false;
    memcpy(&access, device->payload, sizeof access);
    const struct mapped_range *range = find_range(device, access.address, access.count);
    if (!range || access.count > VFIO_DATA_MOST || (write && n - sizeof access != access.count))
        return false;
    uint8_t *bytes = range->bytes + (access.address - range->address);
    if (write)
        memcpy(bytes, device->payload + sizeof access, access.count);
    header->flags = VFIO_REPLY;
    header->size = (uint32_t)(sizeof *header + (write ? 0 : sizeof access + access.count));
    struct iovec io[3] = {{header, sizeof *header}, {&access, sizeof access}, {bytes, access.count}};
    return send_all(device, io, write ? 1 : 3, -1);
}

/* Sends a command and waits for its reply, which must have at least `least` bytes, in payload. Returns 0, or -1 with a
 * message, or the error number of the reply. */
static int call(struct nvcosim *device, enum vfio_command command, const void *head, size_t head_size, const void *data,
                size_t n, int fd, size_t least) {
    struct vfio_header header = {
        .id = device->id++, .command = (uint16_t)command, .size = (uint32_t)(sizeof header + head_size + n)};
    const uint16_t id = header.id;
    struct iovec io[3] = {{&header, sizeof header}, {(void *)head, head_size}, {(void *)data, n}};
    if (!send_all(device, io, n ? 3 : 2, fd))
        return fail_gone(device);
    for (;;) {
        if (!receive_all(device, &header, sizeof header))
            return fail_gone(device);
        const size_t size = header.size - sizeof header;
        if (header.size < sizeof header || size > sizeof device->payload)
            return fail(device, "the device sent a message of %u bytes", (unsigned)header.size);
        if (!receive_all(device, device->payload, size))
            return fail_gone(device);
        if (header.flags & VFIO_REPLY) {
            if (header.flags & VFIO_ERROR)
                return header.error ? (int)header.error : EIO;
            if (header.id != id || size < least)
                return fail(device, "the device sent a reply of %zu bytes that was not expected", size);
            return 0;
        }
        if (!serve_access(device, &header, size))
            return fail(device, "the device sent command %u, which makes no sense", (unsigned)header.command);
    }
}

/* Reads n bytes of a region to bytes, or writes them. */
static int access_region(struct nvcosim *device, bool write, uint32_t region, uint64_t offset, void *bytes, size_t n) {
    const struct vfio_access access = {offset, region, (uint32_t)n};
    const int error = call(device, write ? VFIO_REGION_WRITE : VFIO_REGION_READ, &access, sizeof access, bytes,
                           write ? n : 0, -1, sizeof access + (write ? 0 : n));
    if (!error && !write)
        memcpy(bytes, device->payload + sizeof access, n);
    return error;
}

/* The same; after an error of the device its message is the error. */
static int access_device(struct nvcosim *device, bool write, uint32_t region, uint64_t offset, void *bytes, size_t n) {
    const int error = access_region(device, write, region, offset, bytes, n);
    char text[CONTROL_TEXT] = "";
    if (error <= 0)
        return error;
    if (error == EIO && access_region(device, false, VFIO_CONTROL, CONTROL_FAILURE, text, sizeof text) == 0)
        return fail(device, "%.*s", (int)sizeof text, text);
    return fail(device, "%s of %zu bytes at 0x%llx was refused: %s", write ? "write" : "read", n,
                (unsigned long long)offset, strerror(error));
}

/* ---- device ---- */

PUBLIC int nvcosim_write(struct nvcosim *device, uint32_t address, uint32_t value) {
    return access_device(device, true, VFIO_BAR0, address, &value, sizeof value);
}

PUBLIC int nvcosim_read(struct nvcosim *device, uint32_t address, uint32_t *value) {
    return access_device(device, false, VFIO_BAR0, address, value, sizeof *value);
}

static int read_state(struct nvcosim *device, struct control_state *state) {
    const int error = access_device(device, false, VFIO_CONTROL, CONTROL_STATE, state, sizeof *state);
    eventfd_t count;
    if (error)
        return error;
    if (state->interrupt && !device->high)
        eventfd_write(device->event, 1);
    else if (!state->interrupt && device->high)
        eventfd_read(device->event, &count);
    device->high = state->interrupt;
    return 0;
}

PUBLIC int nvcosim_clocks(struct nvcosim *device, uint64_t clocks, int until_interrupt) {
    struct control_run run = {.clocks = clocks, .until_interrupt = until_interrupt != 0};
    struct control_state state;
    return access_device(device, true, VFIO_CONTROL, CONTROL_RUN, &run, sizeof run) ? -1 : read_state(device, &state);
}

PUBLIC int nvcosim_time(struct nvcosim *device, uint64_t *clocks) {
    struct control_state state;
    if (read_state(device, &state))
        return -1;
    *clocks = state.clock;
    return 0;
}

PUBLIC int nvcosim_interrupt(struct nvcosim *device) {
    struct control_state state;
    return read_state(device, &state) ? -1 : (int)state.interrupt;
}

PUBLIC int nvcosim_interrupt_fd(const struct nvcosim *device) {
    return device->event;
}

PUBLIC int nvcosim_reset(struct nvcosim *device) {
    struct control_state state;
    if (call(device, VFIO_RESET, NULL, 0, NULL, 0, -1, 0))
        return fail_gone(device);
    return read_state(device, &state);
}

PUBLIC int nvcosim_findings(struct nvcosim *device, unsigned *count) {
    struct control_state state;
    if (read_state(device, &state))
        return -1;
    *count = state.findings;
    return 0;
}

PUBLIC int nvcosim_finding(struct nvcosim *device, unsigned index, char *text, size_t size) {
    char whole[CONTROL_TEXT];
    if (access_device(device, false, VFIO_CONTROL, CONTROL_FINDINGS + (uint64_t)index * CONTROL_TEXT, whole,
                      sizeof whole))
        return -1;
    snprintf(text, size, "%.*s", (int)sizeof whole, whole);
    return 0;
}

/* ---- memory ---- */

/* Shows a range to the device, with the descriptor of its memory unless fd is -1. */
static struct mapped_range *add_range(struct nvcosim *device, uint64_t address, size_t size, void *bytes, int fd) {
    const struct vfio_dma_map map = {
        .argsz = sizeof map, .flags = VFIO_MAP_READ | VFIO_MAP_WRITE, .address = address, .size = size};
    struct mapped_range *range = malloc(sizeof *range);
    if (!range) {
        fail(device, "0x%llx, %zu bytes: %s", (unsigned long long)address, size, strerror(ENOMEM));
        return NULL;
    }
    const int error = call(device, VFIO_DMA_MAP, &map, sizeof map, NULL, 0, fd, 0);
    if (error > 0)
        fail(device, "0x%llx, %zu bytes: found no multiples of %d, or memory that overlaps other memory (%s)",
             (unsigned long long)address, size, PAGE, strerror(error));
    if (error) {
        free(range);
        return NULL;
    }
    *range = (struct mapped_range){address, size, bytes, fd >= 0, device->ranges};
    device->ranges = range;
    return range;
}

PUBLIC void *nvcosim_memory(struct nvcosim *device, uint64_t address, size_t size) {
    const int fd = memfd_create("nvcosim", MFD_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (fd >= 0 && size <= SIZE_MAX / 2 && ftruncate(fd, (off_t)size) == 0 && size > 0)
        bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        fail(device, "memory of %zu bytes: %s", size, size ? strerror(errno) : "found no size");
    else if (!add_range(device, address, size, bytes, fd)) {
        munmap(bytes, size);
        bytes = MAP_FAILED;
    }
    if (fd >= 0)
        close(fd);
    return bytes == MAP_FAILED ? NULL : bytes;
}

PUBLIC int nvcosim_pages(struct nvcosim *device, uint64_t address, size_t size, void *bytes) {
    return add_range(device, address, size, bytes, -1) ? 0 : -1;
}

static void free_range(struct mapped_range *range) {
    if (range->own)
        munmap(range->bytes, range->size);
    free(range);
}

PUBLIC int nvcosim_unmap(struct nvcosim *device, uint64_t address) {
    for (struct mapped_range **link = &device->ranges; *link; link = &(*link)->next) {
        struct mapped_range *range = *link;
        const struct vfio_dma_unmap unmap = {.argsz = sizeof unmap, .address = address, .size = range->size};
        if (range->address != address)
            continue;
        const int error = call(device, VFIO_DMA_UNMAP, &unmap, sizeof unmap, NULL, 0, -1, 0);
        if (error)
            return error < 0 ? error : fail(device, "0x%llx cannot be unmapped", (unsigned long long)address);
        *link = range->next;
        free_range(range);
        return 0;
    }
    return fail(device, "0x%llx: found no memory that begins there", (unsigned long long)address);
}

/* ---- opening and closing ---- */

/* nvcosim beside this library: in its build folder, or where it is installed, with a folder for each architecture or
 * without; "nvcosim" (in PATH) if it is in none of them. */
static void find_program(char *path, size_t size) {
    Dl_info info;
    static const char *const places[] = {"../nvcosim", "../bin/nvcosim", "../../bin/nvcosim"};
    struct stat found;
    const char *end = dladdr((void *)&fail_gone, &info) ? strrchr(info.dli_fname, '/') : NULL;
    for (size_t i = 0; end && i < sizeof places / sizeof *places; i++) {
        snprintf(path, size, "%.*s/%s", (int)(end - info.dli_fname), info.dli_fname, places[i]);
        if (stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0)
            return;
    }
    snprintf(path, size, "nvcosim");
}

/* Starts the program with the socket as descriptor CHILD_SOCKET. Returns 0 or an error number. */
static int start(struct nvcosim *device, const char *program, char *const *words, int socket) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, device->said, 2);
    posix_spawn_file_actions_adddup2(&actions, socket, CHILD_SOCKET);
    const int error = posix_spawnp(&device->pid, program, &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Starts the device's process. */
static int start_device(struct nvcosim *device, const struct nvcosim_options *options, int socket) {
    char found[PAGE], config[128], dut[128], connected[32], serve[] = "serve", quiet[] = "--quiet";
    char *words[WORDS_MOST] = {found, serve, connected, config, dut, quiet};
    size_t count = 6;
    if (options && options->program)
        snprintf(found, sizeof found, "%s", options->program);
    else
        find_program(found, sizeof found);
    snprintf(config, sizeof config, "--config=%s", options && options->config ? options->config : "small");
    snprintf(dut, sizeof dut, "--dut=%s", options && options->dut ? options->dut : "model");
    snprintf(connected, sizeof connected, "--connected=%d", CHILD_SOCKET);
    for (const char *const *more = options ? options->options : NULL; more && *more; more++) {
        if (count == WORDS_MOST - 1)
            return fail(device, "found more than %zu options", (size_t)WORDS_MOST - 7);
        words[count++] = (char *)*more;
    }
    const int error = start(device, found, words, socket);
    return error ? fail(device,
                        "%s cannot be started: %s; expected it beside the library or in PATH, or its path as `program` "
                        "of struct nvcosim_options",
                        found, strerror(error))
                 : 0;
}

static int greet(struct nvcosim *device) {
    static const uint16_t version[2] = {0, 0};
    static const char text[] = "{\"capabilities\":{}}";
    const int error = call(device, VFIO_VERSION, version, sizeof version, text, sizeof text, -1, sizeof version);
    return error > 0 ? fail(device, "the device refused the version of this library: %s", strerror(error)) : error;
}

PUBLIC struct nvcosim *nvcosim_open(const struct nvcosim_options *options, char *error, size_t size) {
    struct nvcosim *device = calloc(1, sizeof *device);
    int pair[2];
    if (!device || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        snprintf(error, size, "%s", strerror(errno));
        free(device);
        return NULL;
    }
    device->socket = pair[0];
    device->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    device->said = memfd_create("nvcosim stderr", MFD_CLOEXEC);
    const int failed = start_device(device, options, pair[1]);
    close(pair[1]);
    if (failed || greet(device)) {
        snprintf(error, size, "%s", device->error);
        nvcosim_close(device);
        return NULL;
    }
    return device;
}

PUBLIC void nvcosim_close(struct nvcosim *device) {
    if (!device)
        return;
    close(device->socket); /* the process ends */
    while (device->pid > 0 && waitpid(device->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    while (device->ranges) {
        struct mapped_range *range = device->ranges;
        device->ranges = range->next;
        free_range(range);
    }
    close(device->event);
    close(device->said);
    free(device);
}
