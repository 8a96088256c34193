/* Framing on a socket that does not block; see channel.h. */
#include "live/channel.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "nvdla/xalloc.h"

void channel_open(struct channel *channel, int socket, int stop) {
    *channel =
        (struct channel){.socket = socket, .stop = stop, .door = -1, .message = xcalloc(1, sizeof *channel->message)};
}

void channel_close(struct channel *channel) {
    if (!channel->message)
        return;
    channel_close_fds(channel->message);
    close(channel->socket);
    free(channel->message);
    channel->message = NULL;
}

int channel_take_fd(struct vfio_message *message) {
    if (message->fd_count == 0)
        return -1;
    const int fd = message->fds[0];
    message->fd_count--;
    memmove(message->fds, message->fds + 1, (size_t)message->fd_count * sizeof message->fds[0]);
    return fd;
}

void channel_close_fds(struct vfio_message *message) {
    while (message->fd_count > 0)
        close(message->fds[--message->fd_count]);
}

/* Keeps the descriptors that came with a part of a message. */
static void take_descriptors(struct channel *channel, struct msghdr *part) {
    struct vfio_message *message = channel->message;
    channel->cut |= (part->msg_flags & MSG_CTRUNC) != 0;
    for (struct cmsghdr *control = CMSG_FIRSTHDR(part); control; control = CMSG_NXTHDR(part, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
            continue;
        const size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(control) + i * sizeof fd, sizeof fd);
            if (message->fd_count < VFIO_FDS_MOST) {
                message->fds[message->fd_count++] = fd;
            } else {
                close(fd);
                channel->cut = true;
            }
        }
    }
}

/* Receives up to n bytes. Returns their number, 0 if nothing is there, -1 at the end of the connection. */
static ssize_t receive_part(struct channel *channel, void *to, size_t n) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * VFIO_FDS_MOST)];
    } control;
    struct iovec io = {.iov_base = to, .iov_len = n};
    struct msghdr part = {
        .msg_iov = &io, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    const ssize_t got = recvmsg(channel->socket, &part, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    take_descriptors(channel, &part);
    return got == 0 ? -1 : got;
}

enum channel_event channel_receive(struct channel *channel, struct error *err) {
    struct vfio_message *message = channel->message;
    struct vfio_header *header = &message->header;
    err->text[0] = '\0';
    if (channel->have == 0)
        channel_close_fds(message);
    for (;;) {
        const bool in_header = channel->have < sizeof *header;
        const size_t want = in_header ? sizeof *header - channel->have : header->size - channel->have;
        uint8_t *to = in_header ? (uint8_t *)header + channel->have : message->payload + channel->have - sizeof *header;
        const ssize_t got = want ? receive_part(channel, to, want) : 0;
        if (got < 0)
            return CHANNEL_CLOSED;
        if (got == 0 && want)
            return CHANNEL_NONE;
        channel->have += (size_t)got;
        if (channel->have < sizeof *header)
            continue;
        if (header->size < sizeof *header || header->size > sizeof *header + CHANNEL_PAYLOAD) {
            error_set(err, "found a message of %u bytes, expected %zu to %zu", (unsigned)header->size, sizeof *header,
                      sizeof *header + (size_t)CHANNEL_PAYLOAD);
            return CHANNEL_CLOSED;
        }
        if (channel->have < header->size)
            continue;
        message->size = header->size - (uint32_t)sizeof *header;
        channel->have = 0;
        if (channel->cut) {
            error_set(err, "found a message with more than %d descriptors", VFIO_FDS_MOST);
            return CHANNEL_CLOSED;
        }
        return CHANNEL_MESSAGE;
    }
}

/* Waits for events of the socket; see channel_wait(). */
static bool wait_for(struct channel *channel, short events, int milliseconds) {
    struct pollfd polled[3] = {{.fd = channel->socket, .events = events},
                               {.fd = channel->stop, .events = POLLIN},
                               {.fd = channel->door, .events = POLLIN}};
    poll(polled, events == POLLIN ? 3 : 2, milliseconds);
    channel->knocks = polled[2].revents != 0;
    return polled[1].revents == 0;
}

bool channel_ready(const struct channel *channel) {
    struct pollfd polled = {.fd = channel->socket, .events = POLLIN};
    return poll(&polled, 1, 0) == 1;
}

bool channel_ended(const struct channel *channel) {
    struct pollfd polled[2] = {{.fd = channel->socket, .events = POLLRDHUP}, {.fd = channel->stop, .events = POLLIN}};
    return poll(polled, 2, 0) > 0;
}

bool channel_wait(struct channel *channel, int milliseconds) {
    return wait_for(channel, POLLIN, milliseconds);
}

/* Sends the parts, with a descriptor unless fd is NULL. */
static bool send_parts(struct channel *channel, struct iovec *io, size_t count, const int *fd) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr part = {.msg_iov = io, .msg_iovlen = count};
    if (fd) {
        part.msg_control = control.bytes;
        part.msg_controllen = sizeof control.bytes;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&part);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof *fd);
        memcpy(CMSG_DATA(rights), fd, sizeof *fd);
    }
    while (part.msg_iovlen > 0) {
        ssize_t sent = sendmsg(channel->socket, &part, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (sent < 0) {
            if (!wait_for(channel, POLLOUT, -1))
                return false;
            continue;
        }
        part.msg_control = NULL;
        part.msg_controllen = 0;
        while (part.msg_iovlen > 0 && (size_t)sent >= part.msg_iov->iov_len) {
            sent -= (ssize_t)part.msg_iov->iov_len;
            part.msg_iov++;
            part.msg_iovlen--;
        }
        if (part.msg_iovlen > 0) {
            part.msg_iov->iov_base = (char *)part.msg_iov->iov_base + sent;
            part.msg_iov->iov_len -= (size_t)sent;
        }
    }
    return true;
}

bool channel_reply(struct channel *channel, const struct vfio_header *command, const void *data, size_t n, int error) {
    if (command->flags & VFIO_NO_REPLY)
        return true;
    struct vfio_header header = {.id = command->id, .command = command->command, .flags = VFIO_REPLY};
    if (error) {
        header.flags |= VFIO_ERROR;
        header.error = (uint32_t)error;
        n = 0;
    }
    header.size = (uint32_t)(sizeof header + n);
    struct iovec io[2] = {{&header, sizeof header}, {(void *)data, n}};
    return send_parts(channel, io, n ? 2 : 1, NULL);
}

int channel_command(struct channel *channel, enum vfio_command command, const void *head, size_t head_size,
                    const void *data, size_t n, const int *fd, uint32_t flags) {
    const uint16_t id = channel->next++;
    struct vfio_header header = {
        .id = id, .command = (uint16_t)command, .size = (uint32_t)(sizeof header + head_size + n), .flags = flags};
    struct iovec io[3] = {{&header, sizeof header}, {(void *)head, head_size}, {(void *)data, n}};
    return send_parts(channel, io, n ? 3 : 2, fd) ? id : -1;
}
