/* A simulator that plays traces in copies of itself. See serve.h. */
#include "run/serve/serve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "replay/copies.h"

/* Number of open descriptors of this process, without the one used to list them. */
static int open_files(void) {
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count - 1;
}

const char *serve_obstacle(int runner) {
    struct stat printed;
    fflush(NULL);
    if ((int)getppid() != runner)
        return "it is not a child of the runner";
    if (!copies_one_thread())
        return "it has several threads";
    if (open_files() > SERVE_SOCKET + 1)
        return "it has files open";
    if (fstat(STDOUT_FILENO, &printed) == 0 && S_ISREG(printed.st_mode) && printed.st_size > 0)
        return "it prints in its reset";
    return NULL;
}

static bool say(int socket, int32_t number) {
    ssize_t n;
    do
        n = send(socket, &number, sizeof number, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof number;
}

struct message {
    struct serve_order order;
    char words[SERVE_WORDS];
    int files[SERVE_FILES];
    int file_count;
};

/* Waits for an order. False if there will be none. Its files are above the descriptors of a copy. */
static bool receive(int socket, struct message *message) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof message->files)];
    } control;
    struct iovec parts[] = {{&message->order, sizeof message->order}, {message->words, sizeof message->words}};
    struct msghdr header = {
        .msg_iov = parts, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n;
    do
        n = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < (ssize_t)sizeof message->order || (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
        return false;
    const struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    message->file_count = (int)message->order.file_count;
    if (message->file_count > SERVE_FILES || !first ||
        first->cmsg_len != CMSG_LEN((size_t)message->file_count * sizeof(int)))
        return false;
    for (int i = 0; i < message->file_count; i++) {
        int received;
        memcpy(&received, CMSG_DATA(first) + (size_t)i * sizeof received, sizeof received);
        message->files[i] = fcntl(received, F_DUPFD_CLOEXEC, SERVE_FILES);
        close(received);
    }
    return true;
}

static void take_words(const char *word, uint32_t count, struct words *words) {
    for (uint32_t i = 0; i < count; i++) {
        words_put(words, word);
        word += strlen(word) + 1;
    }
}

/* ---- orders ---- */

/* The copy: gives it the state that a simulator started for the trace has. */
static void become(int socket, struct message *message, struct words *words) {
    const struct process_program program = {.files = message->files,
                                            .file_count = message->file_count,
                                            .own_group = message->order.own_group,
                                            .no_core = message->order.no_core,
                                            .data_limit = message->order.data_limit};
    if (!say(socket, (int32_t)getpid())) /* the runner does not know of this copy */
        _exit(EXIT_FAILURE);
    process_confine(&program);
    process_take_files(&program);
    take_words(message->words, message->order.words, words);
}

bool serve(int socket, struct words *words) {
    autofree struct message *message = xcalloc(1, sizeof *message);
    bool copy = false;
    bool on = say(socket, SERVE_READY);
    while (on && !copy && receive(socket, message)) {
        const pid_t pid = process_fork_sibling();
        copy = pid == 0;
        if (copy)
            become(socket, message, words);
        else if (pid < 0)
            on = say(socket, SERVE_FAILED);
        for (int i = 0; i < message->file_count && !copy; i++)
            close(message->files[i]);
    }
    return copy;
}
