/* The reference model behind a pipe, for drivers that tests write: what software and design do goes to stdout as a log
 * of the virtual platform (80-trace-formats section 4).
 *
 * usage: import_device CONFIG SEED, commands on stdin, numbers in hex:
 *   w OFFSET VALUE   r OFFSET        a register; of a read the value is also answered on stderr
 *   step N                           N layers at most run (decimal)
 *   load ADDRESS BYTES               software puts bytes into primary memory, which no log tells
 * The pieces in which memory accesses are printed differ by seed: words, cache lines, unaligned heads and tails. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

static uint64_t clock_value;
static unsigned seed;

static unsigned draw(unsigned n) {
    seed = seed * 1103515245u + 12345u;
    return seed / 65536 % n;
}

static void prefix(void) {
    static const char *const units[] = {"s", "ms", "us", "ns"};
    clock_value += draw(50) == 0;
    if (draw(20) == 0)
        printf("[ %u.%06u] console text of the guest\r\n", draw(100), draw(1000000));
    if (draw(8) != 0)
        printf("%" PRIu64 " %s: ", clock_value, units[draw(4)]);
}

static void print_piece(bool is_write, bool secondary, uint64_t address, const uint8_t *bytes, size_t n) {
    prefix();
    printf("Info: nvdla.%s: GP: iswrite=%d addr=0x%" PRIx64 " len=%zu data=0x",
           secondary ? "sram_adaptor" : "dbb_adaptor", is_write, address, n);
    for (size_t at = 0; at < n;) {
        const size_t head = 4 - (address + at) % 4, part = head < n - at ? head : n - at;
        putchar(' ');
        if (part == 4 && draw(16) != 0)
            printf("%02x%02x%02x%02x", bytes[at + 3], bytes[at + 2], bytes[at + 1], bytes[at]);
        else
            for (size_t i = 0; i < part; i++)
                printf("%s%02x", i ? "_" : "", bytes[at + i]);
        at += part;
    }
    printf(" resp=TLM_OK_RESPONSE%s\n", draw(9) == 0 ? "\r" : "");
}

static void print_memory(bool is_write, bool secondary, const struct memory *memory, uint64_t address, size_t n) {
    uint8_t bytes[256];
    while (n > 0) {
        static const size_t longest[] = {8, 8, 32, 64, 256, 5};
        size_t part = longest[draw(6)];
        if (part > n)
            part = n;
        memory_read(memory, address, bytes, part);
        print_piece(is_write, secondary, address, bytes, part);
        address += part;
        n -= part;
    }
}

struct ear {
    const struct memory *memory;
    bool secondary;
};

static void heard_write(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    const struct ear *ear = context;
    if (origin->unit >= 0)
        print_memory(true, ear->secondary, ear->memory, address, n);
}

static void heard_read(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    const struct ear *ear = context;
    (void)origin;
    print_memory(false, ear->secondary, ear->memory, address, n);
}

static void print_access(bool is_write, uint32_t address, uint32_t value) {
    prefix();
    printf("Info: nvdla.csb_adaptor: GP: iswrite=%d addr=0x%x len=4 data=0x %08x resp=TLM_OK_RESPONSE\n", is_write,
           address, value);
}

static void load(struct memory *memory, const char *text) {
    char *digits;
    uint64_t address = strtoull(text, &digits, 16);
    for (digits += strspn(digits, " "); digits[0] > ' ' && digits[1] > ' '; digits += 2) {
        const char pair[3] = {digits[0], digits[1], 0};
        const uint8_t byte = (uint8_t)strtoul(pair, NULL, 16);
        memory_write(memory, address++, &byte, 1, NULL, NULL);
    }
}

int main(int argc, char **argv) {
    const struct nvdla_config *config = argc == 3 ? nvdla_config_find(argv[1]) : NULL;
    if (!config) {
        fprintf(stderr, "usage: import_device CONFIG SEED <commands\n");
        return 2;
    }
    seed = (unsigned)atoi(argv[2]);
    struct device *model = model_new(config, &(struct model_options){.allow_outside = true});
    struct ear ears[SPACE_COUNT];
    struct error err = {0};
    bool good = model->ops->reset(model, &err);
    for (int space = 0; space < SPACE_COUNT; space++) {
        ears[space] = (struct ear){model->memory[space], space == SPACE_SECONDARY};
        if (model->memory[space])
            memory_listen(
                model->memory[space],
                (struct memory_listener){.written = heard_write, .read = heard_read, .context = &ears[space]});
    }
    char *line = NULL;
    size_t room = 0;
    while (good && getline(&line, &room, stdin) > 0) {
        uint32_t address, value;
        int steps;
        if (sscanf(line, "w %" SCNx32 " %" SCNx32, &address, &value) == 2) {
            print_access(true, address, value);
            good = model->ops->csb_write(model, address, value, false, &err);
        } else if (sscanf(line, "r %" SCNx32, &address) == 1) {
            good = model->ops->csb_read(model, address, &value, &err);
            print_access(false, address, value);
            fprintf(stderr, "%x\n", value);
        } else if (sscanf(line, "step %d", &steps) == 1) {
            enum device_state state = DEVICE_RUNNING;
            while (good && steps-- > 0 && state != DEVICE_IDLE) {
                state = model->ops->advance(model, 100000, false, &err);
                good = state != DEVICE_FAILED;
            }
        } else if (strncmp(line, "load ", 5) == 0)
            load(model->memory[SPACE_PRIMARY], line + 5);
    }
    if (!good)
        fprintf(stderr, "!%s\n", err.text);
    free(line);
    model->ops->destroy(model);
    return !good;
}
