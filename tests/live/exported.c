/* An exported C program (`nvcosim export --to c`) on a device of libnvcosim: the platform that tests/export/shim.h asks
 * for, from nothing but nvcosim.h. Its memory comes from the library, a block when the program first touches it.
 *
 * usage: exported model|rtl      exit status: the program's; 2: the device failed */
#include <nvcosim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/export/shim.h"

enum { BLOCK = 1 << 20, BLOCKS = 512, CLOCKS = 4096 };

int nvdla_main(void);

static struct nvcosim *device;
static struct {
    uint64_t address;
    unsigned char *bytes;
} blocks[BLOCKS];
static size_t block_count;

static _Noreturn void broken(const char *text) {
    fprintf(stderr, "exported: %s\n", text);
    exit(2);
}

/* The byte at an address; *n becomes what there is of its block. */
static unsigned char *place(int space, uint64_t address, uint32_t *n) {
    const uint64_t base = address & ~(uint64_t)(BLOCK - 1);
    const uint32_t left = (uint32_t)(base + BLOCK - address);
    size_t i = 0;
    if (space != 0)
        broken("the program uses a memory that the configuration does not have");
    while (i < block_count && blocks[i].address != base)
        i++;
    if (i == BLOCKS)
        broken("the program uses too many blocks of memory");
    if (i == block_count) {
        blocks[i].address = base;
        blocks[i].bytes = nvcosim_memory(device, base, BLOCK);
        if (!blocks[i].bytes)
            broken(nvcosim_error(device));
        block_count++;
    }
    if (*n > left)
        *n = left;
    return blocks[i].bytes + (address - base);
}

uint32_t shim_read(uint32_t offset) {
    uint32_t value;
    if (nvcosim_read(device, offset, &value) != 0)
        broken(nvcosim_error(device));
    return value;
}

void shim_write(uint32_t offset, uint32_t value) {
    if (nvcosim_write(device, offset, value) != 0)
        broken(nvcosim_error(device));
}

void shim_put(int space, uint64_t address, const unsigned char *bytes, uint32_t n) {
    for (uint32_t part; n > 0; n -= part, address += part, bytes += part) {
        part = n;
        unsigned char *to = place(space, address, &part);
        memcpy(to, bytes, part);
    }
}

void shim_get(int space, uint64_t address, unsigned char *bytes, uint32_t n) {
    for (uint32_t part; n > 0; n -= part, address += part, bytes += part) {
        part = n;
        const unsigned char *from = place(space, address, &part);
        memcpy(bytes, from, part);
    }
}

void shim_delay(void) {
    if (nvcosim_clocks(device, CLOCKS, !nvcosim_interrupt(device)) != 0)
        broken(nvcosim_error(device));
}

void shim_print(const char *text) {
    fputs(text, stdout);
}

int main(int argc, char **argv) {
    char error[200];
    const struct nvcosim_options options = {.dut = argc > 1 ? argv[1] : NULL};
    device = nvcosim_open(&options, error, sizeof error);
    if (!device)
        broken(error);
    const int status = nvdla_main();
    nvcosim_close(device);
    return status;
}
