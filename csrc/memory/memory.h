/* A sparse memory image with 64-bit addresses, declared regions and byte-granular write provenance.
 *
 * Pages are made on first write; a byte never written reads as 0. Every byte remembers which write put it there. It
 * prints nothing and does not depend on NVDLA. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

struct memory;

/* Who wrote a byte. Stored once per write call, shared by all bytes of the call. */
struct memory_origin {
    uint64_t cycle;  /* 0 if the writer has no clock */
    int16_t unit;    /* enum nvdla_unit, or -1: back door (loader, fill) */
    int16_t axi_id;  /* -1 if there is none */
    int32_t ordinal; /* launch of that unit (layers.h), -1: unknown */
};

struct memory *memory_new(void);
void memory_free(struct memory *mem);

/* Reads n bytes at address; bytes never written read as 0. */
void memory_read(const struct memory *mem, uint64_t address, void *bytes, size_t n);

/* The same, reported to the listener. */
void memory_read_for(const struct memory *mem, uint64_t address, void *bytes, size_t n,
                     const struct memory_origin *origin);

/* Writes n bytes. origin may be NULL (back door). strobe: bit i of byte i/8 enables byte i; NULL enables all. */
void memory_write(struct memory *mem, uint64_t address, const void *bytes, size_t n, const uint8_t *strobe,
                  const struct memory_origin *origin);

/* Is called for every write that has an origin, once its bytes are in memory, and for reads by memory_read_for. */
struct memory_listener {
    void (*written)(void *context, uint64_t address, size_t n, const struct memory_origin *origin); /* may be NULL */
    void (*read)(void *context, uint64_t address, size_t n, const struct memory_origin *origin);    /* likewise */
    void *context;
};
void memory_listen(struct memory *mem, struct memory_listener listener);

/* Writes n equal bytes by the back door. */
void memory_fill(struct memory *mem, uint64_t address, uint64_t n, uint8_t value);

/* True if the byte was ever written; *origin is then by whom (unit -1: back door). origin may be NULL. */
bool memory_origin_of(const struct memory *mem, uint64_t address, struct memory_origin *origin);

/* The same for the first of n bytes, n >= 1. *run: the answer holds for at least that many bytes (1..n: consecutive
 * bytes of one write, up to the end of a page). */
bool memory_origin_run(const struct memory *mem, uint64_t address, uint64_t n, struct memory_origin *origin,
                       uint64_t *run);

/* CRC-32 (zlib) of n bytes in ascending order, unwritten bytes as 0. Chapter 80 section 3.5. */
uint32_t memory_crc32(const struct memory *mem, uint64_t address, uint64_t n);

/* Declares [address, address + n) as a region that the design may read and write. Overlaps and neighbours merge. */
void memory_declare(struct memory *mem, uint64_t address, uint64_t n);
/* Removes [address, address + n) from the declared regions. */
void memory_undeclare(struct memory *mem, uint64_t address, uint64_t n);
/* True if all n bytes / at least one of n bytes are in declared regions. */
bool memory_all_declared(const struct memory *mem, uint64_t address, size_t n);
bool memory_any_declared(const struct memory *mem, uint64_t address, size_t n);

/* Memory of the caller. [address, address + n) is declared, and its bytes are those at `bytes`, read and written in
 * place at every access, so that others may read and write them too; what a listener hears and who wrote each byte is
 * as for bytes of the image. Writes to a range that is not writable are dropped. Walks and comparisons visit only pages
 * that were written through this memory, or that the other memory has.
 *
 * The bytes must stay until the range is unmapped. False, and nothing is changed, unless address and n > 0 are
 * multiples of MEMORY_PAGE and the range overlaps no other. */
bool memory_map(struct memory *mem, uint64_t address, uint64_t n, void *bytes, bool writable);
/* Ends the mapping that begins at the address: its bytes read as 0, were never written, and are not declared. False if
 * there is none. */
bool memory_unmap(struct memory *mem, uint64_t address);
/* False for bytes of a range that was mapped as not writable. */
bool memory_writable(const struct memory *mem, uint64_t address);

/* From now on, what a write with an origin puts outside the declared regions is dropped, in units of 8 bytes from its
 * first one, so that a design that goes astray cannot fill the computer's memory. */
void memory_confine(struct memory *mem);

/* From now on, the memory is a copy-on-write image of another, which must outlive it: bytes that were never written are
 * those of `base` now, and what is declared and writable there is so here. Only for reads and writes. */
void memory_over(struct memory *mem, const struct memory *base);
/* Makes [address, address + n) never written again. */
void memory_drop(struct memory *mem, uint64_t address, uint64_t n);

/* Held: its bytes are on their way, so the design's reads wait for them. For designs with a clock (tb/axi_memory.h);
 * others must not be given time meanwhile. */
void memory_hold(struct memory *mem, bool held);
bool memory_held(const struct memory *mem);

/* Stored origins, and a fresh start for them in a memory that lives for long: all bytes that were written are now from
 * the back door. */
size_t memory_origins(const struct memory *mem);
void memory_forget_origins(struct memory *mem);

/* Declared regions, disjoint, ascending. */
size_t memory_region_count(const struct memory *mem);
void memory_region(const struct memory *mem, size_t index, uint64_t *address, uint64_t *n);

enum { MEMORY_PAGE = 4096 }; /* bytes of a host page: the unit in which callers walk through memory */

/* A run of bytes that differ. */
struct memory_difference {
    uint64_t count; /* bytes that differ */
    uint64_t first; /* address of the first, valid if count > 0 */
    uint64_t last;  /* address of the last */
};

/* Compares [address, address + n) of two memories. Returns true if equal; *diff is filled either way. */
bool memory_compare(const struct memory *a, const struct memory *b, uint64_t address, uint64_t n,
                    struct memory_difference *diff);

/* First address >= from at which the two memories differ, over all pages of both; false if there is none. */
bool memory_next_difference(const struct memory *a, const struct memory *b, uint64_t from, uint64_t *address);
