/* Memory by messages: what launches read is asked for with DMA_READ, what the device has written is sent with
 * DMA_WRITE.
 *
 * Few messages are open at a time: the replies to more would exceed the buffer of the client's socket, which QEMU does
 * not notice, and a client that waits for room to reply does not read. What is read is newer than what was written
 * before, so writes go first. Until all that launches read has arrived, the device waits for its memory. */
#pragma once

#include "live/channel.h"
#include "live/dma.h"

/* Messages of a kind that are open at a time. */
enum { TRANSFER_OPEN = 2 };

struct transfer {
    struct channel *channel;
    struct live_dma *dma;
    uint32_t most;        /* bytes of a message */
    size_t reads, writes; /* open */
    struct transfer_read {
        uint16_t id; /* of the message */
        struct range range;
    } pending[TRANSFER_OPEN];
};

/* Sends what may be sent. False with a message: the client has left. */
bool transfer_pump(struct transfer *transfer, struct error *err);

/* Takes the client's reply to such a message, and sends the next. False with a message. */
bool transfer_take_reply(struct transfer *transfer, const struct vfio_message *message, struct error *err);

/* Nothing that was asked for is wanted any longer: the launches are gone. */
void transfer_forget(struct transfer *transfer);

/* True while the device waits for memory that it needs: its time must not pass. */
static inline bool transfer_waits(const struct transfer *transfer) {
    return transfer->reads > 0 || dma_wants(transfer->dma);
}

/* True if the client may not have all that the device has written. */
static inline bool transfer_owes(const struct transfer *transfer) {
    return transfer->writes > 0 || dma_owes(transfer->dma);
}
