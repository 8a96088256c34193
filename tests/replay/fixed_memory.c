/* A memory as a shared object (csrc/dram/library.h): every access takes as many clocks as its parameters say. */
#include <stdint.h>
#include <stdlib.h>

enum { ROOM = 1024 };

struct fixed {
    uint64_t clock, latency, due[ROOM];
    uint32_t tags[ROOM];
    unsigned head, count;
};

void *nvcosim_memory_new(const char *parameters) {
    struct fixed *fixed = calloc(1, sizeof *fixed);
    fixed->latency = strtoull(parameters, NULL, 10);
    return fixed;
}

int nvcosim_memory_request(void *memory, uint64_t address, int write, uint32_t tag) {
    struct fixed *fixed = memory;
    (void)address, (void)write;
    if (fixed->count == ROOM)
        return 0;
    const unsigned at = (fixed->head + fixed->count++) % ROOM;
    fixed->due[at] = fixed->clock + fixed->latency;
    fixed->tags[at] = tag;
    return 1;
}

void nvcosim_memory_tick(void *memory) {
    struct fixed *fixed = memory;
    fixed->clock++;
}

int nvcosim_memory_completion(void *memory, uint32_t *tag) {
    struct fixed *fixed = memory;
    if (!fixed->count || fixed->due[fixed->head] > fixed->clock)
        return 0;
    *tag = fixed->tags[fixed->head];
    fixed->head = (fixed->head + 1) % ROOM;
    fixed->count--;
    return 1;
}

void nvcosim_memory_free(void *memory) {
    free(memory);
}
