/* DMA messages in flight; see transfer.h. */
#include "live/transfer.h"

#include <inttypes.h>

static void hold(const struct transfer *transfer) {
    for (int space = 0; space < SPACE_COUNT; space++)
        if (transfer->dma->dev->memory[space])
            memory_hold(transfer->dma->dev->memory[space], transfer_waits(transfer));
}

void transfer_forget(struct transfer *transfer) {
    dma_forget(transfer->dma);
    hold(transfer);
}

static bool send_write(struct transfer *transfer, const struct range *piece, struct error *err) {
    const struct vfio_dma_access access = {piece->start, piece->size};
    uint8_t bytes[VFIO_DATA_MOST];
    dma_get(transfer->dma, access.address, bytes, access.count);
    transfer->writes++;
    return channel_command(transfer->channel, VFIO_DMA_WRITE, &access, sizeof access, bytes, access.count, NULL, 0) >=
               0 ||
           error_set(err, "the client left while memory was written");
}

static bool send_read(struct transfer *transfer, const struct range *piece, struct error *err) {
    const struct vfio_dma_access access = {piece->start, piece->size};
    const int id = channel_command(transfer->channel, VFIO_DMA_READ, &access, sizeof access, NULL, 0, NULL, 0);
    transfer->pending[transfer->reads++] = (struct transfer_read){(uint16_t)id, *piece};
    return id >= 0 || error_set(err, "the client left while memory was read");
}

bool transfer_pump(struct transfer *transfer, struct error *err) {
    struct range piece;
    while (transfer->reads == 0 && transfer->writes < TRANSFER_OPEN &&
           dma_next_write(transfer->dma, transfer->most, &piece))
        if (!send_write(transfer, &piece, err))
            return false;
    while (transfer->reads < TRANSFER_OPEN && !dma_owes(transfer->dma) &&
           dma_next_read(transfer->dma, transfer->most, &piece))
        if (!send_read(transfer, &piece, err))
            return false;
    hold(transfer);
    return true;
}

static bool take_read(struct transfer *transfer, size_t i, const struct vfio_message *message, struct error *err) {
    const struct range read = transfer->pending[i].range;
    transfer->pending[i] = transfer->pending[--transfer->reads];
    if ((message->header.flags & VFIO_ERROR) || message->size != sizeof(struct vfio_dma_access) + read.size)
        return error_set(err, "DMA_READ of %" PRIu64 " bytes at 0x%" PRIx64 " was answered with error %u and %u bytes",
                         read.size, read.start, (unsigned)message->header.error, (unsigned)message->size);
    dma_put(transfer->dma, read.start, message->payload + sizeof(struct vfio_dma_access), read.size);
    return true;
}

bool transfer_take_reply(struct transfer *transfer, const struct vfio_message *message, struct error *err) {
    const struct vfio_header *header = &message->header;
    size_t i = 0;
    while (i < transfer->reads && transfer->pending[i].id != header->id)
        i++;
    if (header->command == VFIO_DMA_WRITE && transfer->writes > 0) {
        transfer->writes--;
        if (header->flags & VFIO_ERROR)
            return error_set(err, "the client refused DMA_WRITE with error %u", (unsigned)header->error);
    } else if (header->command != VFIO_DMA_READ || i == transfer->reads) {
        return error_set(err, "found a reply to a message that was not sent (command %u, id %u)",
                         (unsigned)header->command, (unsigned)header->id);
    } else if (!take_read(transfer, i, message, err)) {
        return false;
    }
    return transfer_pump(transfer, err);
}
