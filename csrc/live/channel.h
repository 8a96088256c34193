/* Messages of vfio-user on a socket. What the peer sends is not trusted: sizes are checked, descriptors that no command
 * takes are closed, and half a message never blocks the caller. */
#pragma once

#include <stddef.h>

#include "live/vfio_user.h"
#include "nvdla/error.h"

enum { CHANNEL_PAYLOAD = VFIO_DATA_MOST + 64 };

struct vfio_message {
    struct vfio_header header;
    uint32_t size; /* of the payload */
    int fds[VFIO_FDS_MOST];
    int fd_count;
    uint8_t payload[CHANNEL_PAYLOAD];
};

struct channel {
    int socket;
    int stop;      /* descriptor that becomes readable when the program is to end; -1: none */
    int door;      /* a listening socket at which others may wait; -1: none */
    bool knocks;   /* one did in the last channel_wait() */
    size_t have;   /* bytes of the message that has begun to arrive */
    uint16_t next; /* identifier of the next command of this side */
    bool cut;      /* descriptors were lost: too many in one message */
    struct vfio_message *message;
};

/* Takes a connected socket. */
void channel_open(struct channel *channel, int socket, int stop);
void channel_close(struct channel *channel);

enum channel_event { CHANNEL_NONE, CHANNEL_MESSAGE, CHANNEL_CLOSED };

/* Receives what has arrived, without waiting. CHANNEL_MESSAGE: channel->message is whole, until the next call.
 * CHANNEL_CLOSED: the peer has gone (err->text is ""), or it sent something that is not a message (err says why). */
enum channel_event channel_receive(struct channel *channel, struct error *err);

/* Waits until something arrives, here or at the door, at most that many ms (-1: any time). False if the program is to
 * end. */
bool channel_wait(struct channel *channel, int milliseconds);

/* True if something has arrived that was not received yet. */
bool channel_ready(const struct channel *channel);

/* True if the peer has closed its side, or the program is to end. */
bool channel_ended(const struct channel *channel);

/* Takes a descriptor of the current message; -1 if it has none left. */
int channel_take_fd(struct vfio_message *message);
void channel_close_fds(struct vfio_message *message);

/* Sends a reply to a command: data, or an error number if that is not 0. Does nothing if none is wanted. False if the
 * peer has gone or the program is to end. */
bool channel_reply(struct channel *channel, const struct vfio_header *command, const void *data, size_t n, int error);

/* Sends a command with a payload of two parts. Returns its identifier, -1 as for a reply. */
int channel_command(struct channel *channel, enum vfio_command command, const void *head, size_t head_size,
                    const void *data, size_t n, const int *fd, uint32_t flags);
