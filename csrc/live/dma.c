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
static const struct live_dma *volatile mapped;

static void replace_page(int number, siginfo_t *info, void *context) {
    (void)context;
    const uintptr_t at = (uintptr_t)info->si_addr & ~(uintptr_t)(MEMORY_PAGE - 1);
    const struct live_dma *dma = mapped;
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

static bool is_by_messages(const struct live_dma *dma, uint64_t address) {
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
    struct live_dma *dma = ear->dma;
    if (dma->recording)
        record(ear, true, address, n);
    if (!dma->by_messages || !is_by_messages(dma, address))
        return;
    ranges_add(&dma->written, address, n);
}

void dma_open(struct live_dma *dma, struct device *dev, struct recording *recording) {
    *dma = (struct live_dma){.dev = dev, .recording = recording};
    mapped = dma;
    for (int space = 0; space < SPACE_COUNT; space++) {
        dma->ears[space] = (struct dma_ear){dma, (enum memory_space)space};
        if (dev->memory[space])
            memory_listen(dev->memory[space], (struct memory_listener){.written = note_written,
                                                                       .read = recording ? note_read : NULL,
                                                                       .context = &dma->ears[space]});
    }
}

/* Takes what lies in a range out of others. */
static void cut(struct ranges *ranges, uint64_t first, uint64_t last) {
    struct ranges rest = {0};
    for (size_t i = 0; i < ranges->count; i++) {
        const uint64_t start = ranges->list[i].start, end = start + ranges->list[i].size;
        if (start < first)
            ranges_add(&rest, start, (end < first ? end : first) - start);
        if (end - 1 > last)
            ranges_add(&rest, start > last ? start : last + 1, end - (start > last ? start : last + 1));
    }
    ranges_free(ranges);
    *ranges = rest;
}

static void end_map(struct live_dma *dma, size_t index) {
    const struct dma_map map = dma->maps[index];
    if (!map.bytes) {
        cut(&dma->wanted, map.address, map.address + (map.size - 1));
        cut(&dma->written, map.address, map.address + (map.size - 1));
        cut(&dma->sent, map.address, map.address + (map.size - 1));
    }
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

void dma_close(struct live_dma *dma) {
    while (dma->count > 0)
        end_map(dma, 0);
    for (int space = 0; space < SPACE_COUNT; space++)
        if (dma->dev->memory[space])
            memory_listen(dma->dev->memory[space], (struct memory_listener){0});
    free(dma->maps);
    ranges_free(&dma->wanted);
    ranges_free(&dma->written);
    ranges_free(&dma->sent);
    mapped = NULL;
}

/* Maps the pages of a descriptor; NULL with an error number and a message. */
static void *map_pages(const struct vfio_dma_map *map, int fd, int *number, struct error *err) {
    struct stat status;
    const bool writable = map->flags & VFIO_MAP_WRITE;
    *number = EINVAL;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        error_set(err, "DMA_MAP: the descriptor is neither memory nor a file");
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
        error_set(err, "DMA_MAP: the descriptor's pages cannot be mapped: %m");
        return NULL;
    }
    return bytes;
}

/* Error number with a message, 0 if a map could be added. */
static int check_map(const struct live_dma *dma, const struct vfio_dma_map *map, struct error *err) {
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

int dma_map(struct live_dma *dma, const struct vfio_dma_map *map, int fd, struct error *err) {
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
    *xadd(dma->maps, dma->count) = added;
    return 0;
}

int dma_unmap(struct live_dma *dma, const struct vfio_dma_unmap *range, struct error *err) {
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

void dma_want(struct live_dma *dma, const struct launch *launch) {
    struct memory_extent extents[LAUNCH_EXTENTS];
    const size_t extent_count = dma->by_messages ? launch_reads(dma->dev->config, launch, extents) : 0;
    for (size_t i = 0; i < extent_count; i++) {
        const uint64_t most = UINT64_MAX - extents[i].start; /* registers can say anything */
        const uint64_t size = extents[i].size < most ? extents[i].size : most, end = extents[i].start + size;
        for (size_t m = 0; m < dma->count; m++) {
            const struct dma_map *map = &dma->maps[m];
            const uint64_t from = extents[i].start > map->address ? extents[i].start : map->address;
            const uint64_t map_last = map->address + (map->size - 1);
            if (map->bytes || from > map_last || from >= end)
                continue;
            ranges_add(&dma->wanted, from, (end - 1 < map_last ? end - 1 : map_last) - from + 1);
        }
    }
}

void dma_forget(struct live_dma *dma) {
    dma->wanted.count = 0;
}

bool dma_wants(const struct live_dma *dma) {
    return dma->wanted.count > 0;
}

bool dma_owes(const struct live_dma *dma) {
    return dma->written.count > 0 || dma->sent.count > 0;
}

/* Takes a piece of at most so many bytes. */
static bool take_piece(struct ranges *ranges, uint32_t most, struct range *piece) {
    if (ranges->count == 0)
        return false;
    struct range *last = &ranges->list[ranges->count - 1];
    *piece = (struct range){last->start, last->size < most ? last->size : most};
    last->start += piece->size;
    last->size -= piece->size;
    ranges->count -= last->size == 0;
    return true;
}

bool dma_next_read(struct live_dma *dma, uint32_t most, struct range *piece) {
    return take_piece(&dma->wanted, most, piece);
}

bool dma_next_write(struct live_dma *dma, uint32_t most, struct range *piece) {
    if (dma->sent.count == 0) {
        const struct ranges empty = dma->sent;
        dma->sent = dma->written;
        dma->written = empty;
        ranges_sort(&dma->sent);
    }
    return take_piece(&dma->sent, most, piece);
}

/* Overwrites with what the device has, where it has written: that is newer. */
static void keep_written(const struct live_dma *dma, const struct ranges *ranges, uint64_t address, uint8_t *bytes,
                         size_t n) {
    for (size_t i = 0; i < ranges->count; i++) {
        const struct range *range = &ranges->list[i];
        const uint64_t from = range->start > address ? range->start : address;
        const uint64_t to = range->start + range->size < address + n ? range->start + range->size : address + n;
        if (from < to)
            dma_get(dma, from, bytes + (from - address), (size_t)(to - from));
    }
}

void dma_put(struct live_dma *dma, uint64_t address, const void *bytes, size_t n) {
    autofree uint8_t *whole = xmalloc(n);
    memcpy(whole, bytes, n);
    keep_written(dma, &dma->written, address, whole, n);
    keep_written(dma, &dma->sent, address, whole, n);
    for (int space = 0; space < SPACE_COUNT; space++)
        if (dma->dev->memory[space])
            memory_write(dma->dev->memory[space], address, whole, n, NULL, NULL);
}

void dma_get(const struct live_dma *dma, uint64_t address, void *bytes, size_t n) {
    memory_read(dma->dev->memory[SPACE_PRIMARY], address, bytes, n);
}

/* ---- memory without contents ---- */

enum { LOOK_PAGES = 4096 };

/* Larger maps are taken to hold something. */
#define LOOK_MOST (UINT64_C(1) << 36)

static bool is_zero(const uint8_t *bytes, size_t n) {
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0;
}

/* A page that is in no file is not touched: that would put it there. */
static bool map_is_zero(const struct dma_map *map) {
    unsigned char resident[LOOK_PAGES];
    if (map->size > LOOK_MOST)
        return false;
    for (uint64_t at = 0, n; at < map->size; at += n) {
        uint8_t *bytes = (uint8_t *)map->bytes + at;
        n = map->size - at < (uint64_t)LOOK_PAGES * MEMORY_PAGE ? map->size - at : (uint64_t)LOOK_PAGES * MEMORY_PAGE;
        if (mincore(bytes, n, resident) != 0)
            memset(resident, 1, sizeof resident);
        for (uint64_t page = 0; page < n / MEMORY_PAGE; page++)
            if ((resident[page] & 1) && !is_zero(bytes + page * MEMORY_PAGE, MEMORY_PAGE))
                return false;
    }
    return true;
}

bool dma_is_empty(const struct live_dma *dma) {
    bool any = false;
    for (size_t i = 0; i < dma->count; i++) {
        if (!dma->maps[i].bytes)
            continue;
        if (!map_is_zero(&dma->maps[i]))
            return false;
        any = true;
    }
    return any;
}
