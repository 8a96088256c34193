/* Maps of a client's memory; see dma.h. */
#include "live/dma.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "layers/extents.h"
#include "nvdla/xalloc.h"

enum { MAPS_MOST = 4096 };

/* The maps that a signal handler must know, which gets no argument of its caller's. */
static const struct dma *volatile mapped;

static void replace_page(int number, siginfo_t *info, void *context) {
    (void)context;
    const uintptr_t at = (uintptr_t)info->si_addr & ~(uintptr_t)(MEMORY_PAGE - 1);
    const struct dma *dma = mapped;
    for (size_t i = 0; dma && i < dma->count; i++) {
        const uintptr_t first = (uintptr_t)dma->maps[i].bytes;
        if (first && at >= first && at - first < dma->maps[i].size &&
            mmap((void *)at, MEMORY_PAGE, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
                MAP_FAILED)
            return;
    }
    signal(number, SIG_DFL); /* the access fails again, and ends the process */
}

void dma_survive_truncation(void) {
    struct sigaction action = {.sa_sigaction = replace_page, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &action, NULL);
}

static bool is_by_messages(const struct dma *dma, uint64_t address) {
    for (size_t i = 0; i < dma->count; i++) {
        const struct dma_map *map = &dma->maps[i];
        if (!map->bytes && address >= map->address && address - map->address < map->size)
            return true;
    }
    return false;
}

static void record(const struct dma_ear *ear, bool write, uint64_t address, size_t n) {
    uint8_t bytes[MEMORY_PAGE];
    for (size_t part; n > 0; address += part, n -= part) {
        part = n < sizeof bytes ? n : sizeof bytes;
        memory_read(ear->dma->dev->memory[ear->space], address, bytes, part);
        recording_memory(ear->dma->recording, write, ear->space, address, bytes, part);
    }
}

/* The model has read; as in struct memory_listener. */
static void note_read(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    (void)origin;
    record(context, false, address, n);
}

/* The device has written; as in struct memory_listener. */
static void note_written(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    (void)origin;
    const struct dma_ear *ear = context;
    struct dma *dma = ear->dma;
    if (dma->recording)
        record(ear, true, address, n);
    if (!dma->by_messages || !is_by_messages(dma, address))
        return;
    struct dma_range *last = dma->written_count ? &dma->written[dma->written_count - 1] : NULL;
    if (last && last->address + last->size == address && last->size + n <= VFIO_DATA_MOST) {
        last->size += n;
        return;
    }
    dma->written = xgrow(dma->written, dma->written_count, sizeof *dma->written);
    dma->written[dma->written_count++] = (struct dma_range){address, n};
}

void dma_open(struct dma *dma, struct device *dev, struct recording *recording) {
    *dma = (struct dma){.dev = dev, .recording = recording};
    mapped = dma;
    for (int space = 0; space < SPACE_COUNT; space++) {
        dma->ears[space] = (struct dma_ear){dma, (enum memory_space)space};
        if (dev->memory[space])
            memory_listen(dev->memory[space], (struct memory_listener){.written = note_written,
                                                                       .read = recording ? note_read : NULL,
                                                                       .context = &dma->ears[space]});
    }
}

static void end_map(struct dma *dma, size_t index) {
    const struct dma_map map = dma->maps[index];
    for (int space = 0; space < SPACE_COUNT; space++) {
        struct memory *mem = dma->dev->memory[space];
        if (mem && map.bytes)
            memory_unmap(mem, map.address);
        else if (mem)
            memory_undeclare(mem, map.address, map.size);
    }
    dma->maps[index] = dma->maps[--dma->count];
    if (map.bytes)
        munmap(map.bytes, map.size);
    else
        dma->by_messages--;
}

void dma_close(struct dma *dma) {
    while (dma->count > 0)
        end_map(dma, 0);
    for (int space = 0; space < SPACE_COUNT; space++)
        if (dma->dev->memory[space])
            memory_listen(dma->dev->memory[space], (struct memory_listener){0});
    free(dma->maps);
    free(dma->written);
    mapped = NULL;
}

/* Maps the pages of a descriptor; NULL with an error number and a message. */
static void *map_pages(const struct vfio_dma_map *map, int fd, int *number, struct error *err) {
    struct stat status;
    const bool writable = map->flags & VFIO_MAP_WRITE;
    *number = EINVAL;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        error_set(err, "DMA_MAP: the descriptor is no memory or file");
        return NULL;
    }
    if (map->offset % MEMORY_PAGE != 0 || map->offset > (uint64_t)status.st_size ||
        map->size > (uint64_t)status.st_size - map->offset) {
        error_set(err,
                  "DMA_MAP: found offset 0x%" PRIx64 " and size 0x%" PRIx64 ", expected pages of a file of 0x%" PRIx64
                  " bytes",
                  map->offset, map->size, (uint64_t)status.st_size);
        return NULL;
    }
    void *bytes =
        mmap(NULL, map->size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, (off_t)map->offset);
    if (bytes == MAP_FAILED) {
        *number = errno;
        error_set(err, "DMA_MAP: the descriptor's pages cannot be mapped: %s", strerror(errno));
        return NULL;
    }
    return bytes;
}

/* Error number with a message, 0 if a map could be added. */
static int check_map(const struct dma *dma, const struct vfio_dma_map *map, struct error *err) {
    if (map->size == 0 || (map->address | map->size) % MEMORY_PAGE != 0 || map->size - 1 > UINT64_MAX - map->address ||
        map->size > SIZE_MAX / 2) {
        error_set(err, "DMA_MAP: found address 0x%" PRIx64 " and size 0x%" PRIx64 ", expected multiples of %d",
                  map->address, map->size, (int)MEMORY_PAGE);
        return EINVAL;
    }
    if (dma->count == MAPS_MOST) {
        error_set(err, "DMA_MAP: found more than %d maps", MAPS_MOST);
        return ENOSPC;
    }
    for (size_t i = 0; i < dma->count; i++) {
        const struct dma_map *other = &dma->maps[i];
        if (map->address <= other->address + (other->size - 1) && other->address <= map->address + (map->size - 1)) {
            error_set(err, "DMA_MAP: 0x%" PRIx64 " overlaps the map at 0x%" PRIx64, map->address, other->address);
            return EEXIST;
        }
    }
    return 0;
}

int dma_map(struct dma *dma, const struct vfio_dma_map *map, int fd, struct error *err) {
    int number = check_map(dma, map, err);
    if (number)
        return number;
    struct dma_map added = {.address = map->address, .size = map->size, .writable = map->flags & VFIO_MAP_WRITE};
    if (fd >= 0) {
        added.bytes = map_pages(map, fd, &number, err);
        if (!added.bytes)
            return number;
    }
    for (int space = 0; space < SPACE_COUNT; space++) {
        struct memory *mem = dma->dev->memory[space];
        if (mem && added.bytes)
            memory_map(mem, added.address, added.size, added.bytes, added.writable);
        else if (mem)
            memory_declare(mem, added.address, added.size);
    }
    dma->by_messages += !added.bytes;
    dma->maps = xgrow(dma->maps, dma->count, sizeof *dma->maps);
    dma->maps[dma->count++] = added;
    return 0;
}

int dma_unmap(struct dma *dma, const struct vfio_dma_unmap *range, struct error *err) {
    const bool all = range->flags & VFIO_UNMAP_ALL;
    const uint64_t last = range->address + (range->size - 1);
    if (!all && (range->size == 0 || range->size - 1 > UINT64_MAX - range->address)) {
        error_set(err, "DMA_UNMAP: found address 0x%" PRIx64 " and size 0x%" PRIx64, range->address, range->size);
        return EINVAL;
    }
    for (size_t i = 0; !all && i < dma->count; i++) {
        const struct dma_map *map = &dma->maps[i];
        const uint64_t map_last = map->address + (map->size - 1);
        if (map->address <= last && range->address <= map_last && (map->address < range->address || map_last > last)) {
            error_set(err, "DMA_UNMAP: 0x%" PRIx64 "..0x%" PRIx64 " is a part of the map at 0x%" PRIx64, range->address,
                      last, map->address);
            return EINVAL;
        }
    }
    for (size_t i = 0; i < dma->count;) {
        const struct dma_map *map = &dma->maps[i];
        if (all || (map->address >= range->address && map->address <= last))
            end_map(dma, i);
        else
            i++;
    }
    return 0;
}

/* Adds a range in pieces. */
static size_t add_pieces(struct dma_range range, struct dma_range **pieces, size_t count) {
    while (range.size > 0) {
        const uint64_t n = range.size < VFIO_DATA_MOST ? range.size : VFIO_DATA_MOST;
        *pieces = xgrow(*pieces, count, sizeof **pieces);
        (*pieces)[count++] = (struct dma_range){range.address, n};
        range.address += n;
        range.size -= n;
    }
    return count;
}

size_t dma_reads(const struct dma *dma, const struct launch *launch, struct dma_range **pieces) {
    struct memory_extent extents[LAUNCH_EXTENTS];
    size_t count = 0;
    *pieces = NULL;
    const size_t extent_count = dma->by_messages ? launch_reads(dma->dev->config, launch, extents) : 0;
    for (size_t i = 0; i < extent_count; i++) {
        const uint64_t last = UINT64_MAX - extents[i].start; /* registers can say anything */
        struct dma_range range = {extents[i].start, extents[i].size};
        if (range.size > last)
            range.size = last;
        for (size_t m = 0; m < dma->count; m++) {
            const struct dma_map *map = &dma->maps[m];
            const uint64_t from = range.address > map->address ? range.address : map->address;
            const uint64_t range_end = range.address + range.size, map_end = map->address + (map->size - 1);
            if (map->bytes || from > map_end || from >= range_end)
                continue;
            const uint64_t to = range_end - 1 < map_end ? range_end - 1 : map_end;
            count = add_pieces((struct dma_range){from, to - from + 1}, pieces, count);
        }
    }
    return count;
}

size_t dma_writes(struct dma *dma, struct dma_range **pieces) {
    *pieces = dma->written;
    const size_t count = dma->written_count;
    dma->written = NULL;
    dma->written_count = 0;
    return count;
}

void dma_put(struct dma *dma, uint64_t address, const void *bytes, size_t n) {
    uint8_t *whole = xmalloc(n);
    memcpy(whole, bytes, n);
    for (size_t i = 0; i < dma->written_count; i++) { /* newer than what the client has */
        const struct dma_range *range = &dma->written[i];
        const uint64_t from = range->address > address ? range->address : address;
        const uint64_t to = range->address + range->size < address + n ? range->address + range->size : address + n;
        if (from < to)
            dma_get(dma, from, whole + (from - address), (size_t)(to - from));
    }
    for (int space = 0; space < SPACE_COUNT; space++)
        if (dma->dev->memory[space])
            memory_write(dma->dev->memory[space], address, whole, n, NULL, NULL);
    free(whole);
}

void dma_get(const struct dma *dma, uint64_t address, void *bytes, size_t n) {
    memory_read(dma->dev->memory[SPACE_PRIMARY], address, bytes, n);
}
