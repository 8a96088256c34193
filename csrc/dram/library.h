/* A shared object instead of this project's DRAM, for those who have another simulator of memories: five C functions.
 *
 *     void *nvcosim_memory_new(const char *parameters);   the text library_parameters; NULL: it cannot
 *     int nvcosim_memory_request(void *memory, uint64_t address, int write, uint32_t tag);
 *                                                         an access to a burst; 0: not now
 *     void nvcosim_memory_tick(void *memory);             one clock of the memory
 *     int nvcosim_memory_completion(void *memory, uint32_t *tag);
 *                                                         takes a completed access; 0: there is none
 *     void nvcosim_memory_free(void *memory);
 *
 * They have to be deterministic, and keep their state in the memory of the process: it is forked. */
#pragma once

#include <stdint.h>

#include "nvdla/error.h"

struct dram_library {
    void *handle, *memory;
    int (*request)(void *memory, uint64_t address, int write, uint32_t tag);
    void (*tick)(void *memory);
    int (*completion)(void *memory, uint32_t *tag);
    void (*free)(void *memory);
};

/* True if the file can be loaded and has the functions. */
bool dram_library_check(const char *path, struct error *err);

/* Loads it and makes a memory. False with a message. */
bool dram_library_open(struct dram_library *library, const char *path, const char *parameters, struct error *err);
void dram_library_close(struct dram_library *library);
