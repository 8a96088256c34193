/* The functions of nvcosim.h: memory of both kinds, two devices, the interrupt's descriptor, errors, a device that
 * dies.
 *
 * usage: library DUT [killed] */
#include <nvcosim.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SOURCE = 0x80000000,
    RESULT = 0x90000000,
    SIZE = 8192,
    SDP_RDMA = 0x8000,
    SDP = 0x9000,
    S_INTR_MASK = 0x1004,
    S_INTR_STATUS = 0x100c
};

static int failed;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                     \
            failed = 1;                                                                                                \
        }                                                                                                              \
    } while (0)

static const struct {
    uint32_t address, value;
} layer[] = {
    {SDP_RDMA + 0x0c, 1},  {SDP_RDMA + 0x10, 1}, {SDP_RDMA + 0x14, 7}, {SDP_RDMA + 0x18, SOURCE}, {SDP_RDMA + 0x20, 16},
    {SDP_RDMA + 0x24, 32}, {SDP_RDMA + 0x70, 0}, {SDP_RDMA + 0x74, 1}, {SDP + 0x3c, 1},           {SDP + 0x40, 1},
    {SDP + 0x44, 7},       {SDP + 0x48, RESULT}, {SDP + 0x50, 16},     {SDP + 0x54, 32},          {SDP + 0xb4, 1},
    {SDP + 0xbc, 0},       {SDP + 0xc4, 2},      {SDP + 0xc8, 0},      {SDP_RDMA + 0x08, 1},      {SDP + 0x38, 1},
};

static int readable(struct nvcosim *nvdla) {
    struct pollfd polled = {.fd = nvcosim_interrupt_fd(nvdla), .events = POLLIN};
    return poll(&polled, 1, 0);
}

static void run_layer(struct nvcosim *nvdla) {
    uint32_t status;
    for (size_t i = 0; i < sizeof layer / sizeof *layer; i++)
        CHECK(nvcosim_write(nvdla, layer[i].address, layer[i].value) == 0);
    CHECK(!readable(nvdla));
    CHECK(nvcosim_clocks(nvdla, 100000, 1) == 0);
    CHECK(readable(nvdla) && nvcosim_interrupt(nvdla) == 1);
    CHECK(nvcosim_read(nvdla, S_INTR_STATUS, &status) == 0 && status == 1);
    CHECK(nvcosim_write(nvdla, S_INTR_STATUS, 1) == 0);
    CHECK(nvcosim_clocks(nvdla, 200, 0) == 0);
    CHECK(nvcosim_interrupt(nvdla) == 0 && !readable(nvdla));
}

static int doubled(const uint8_t *from, const uint8_t *to) {
    for (int i = 0; i < 32; i++)
        if (to[i] != 2 * from[i])
            return 0;
    return 1;
}

static void test_pages(const char *dut, uint64_t *clocks) {
    static const char *const more[] = {"--latency=50", NULL};
    const struct nvcosim_options options = {.dut = dut, .options = more};
    static uint8_t source[SIZE], result[SIZE];
    char error[256];
    uint64_t begin;
    unsigned findings;
    struct nvcosim *nvdla = nvcosim_open(&options, error, sizeof error);
    CHECK(nvdla);
    if (!nvdla) {
        puts(error);
        return;
    }
    for (int i = 0; i < 32; i++)
        source[i] = (uint8_t)(i + 1);
    memset(result, 0, sizeof result);
    CHECK(nvcosim_pages(nvdla, SOURCE, SIZE, source) == 0);
    CHECK(nvcosim_pages(nvdla, RESULT, SIZE, result) == 0);
    CHECK(nvcosim_time(nvdla, &begin) == 0);
    run_layer(nvdla);
    CHECK(doubled(source, result));
    CHECK(nvcosim_time(nvdla, clocks) == 0 && *clocks > begin);
    CHECK(nvcosim_findings(nvdla, &findings) == 0 && findings == 0);
    CHECK(nvcosim_reset(nvdla) == 0);
    source[0] = 42;
    run_layer(nvdla);
    CHECK(doubled(source, result));
    nvcosim_close(nvdla);
}

/* A layer that reads 64 MiB of the caller's memory, an atom in each 64 KiB. */
static void test_much(const char *dut) {
    enum { LINES = 1024, STRIDE = 65536, LINE_STRIDE = SDP_RDMA + 0x20, ATOM = 8 };
    const struct nvcosim_options options = {.dut = dut};
    static uint8_t result[SIZE];
    char error[256];
    uint8_t *source = calloc(LINES, STRIDE);
    struct nvcosim *nvdla = nvcosim_open(&options, error, sizeof error);
    CHECK(nvdla && source);
    if (!nvdla || !source)
        return;
    for (int i = 0; i < LINES * ATOM; i++)
        source[(size_t)(i / ATOM) * STRIDE + (size_t)(i % ATOM)] = (uint8_t)(i % 61);
    CHECK(nvcosim_pages(nvdla, SOURCE, (size_t)LINES * STRIDE, source) == 0);
    CHECK(nvcosim_pages(nvdla, RESULT, SIZE, result) == 0);
    for (size_t i = 0; i < sizeof layer / sizeof *layer; i++) {
        const uint32_t address = layer[i].address, value = layer[i].value;
        const uint32_t part = address - (address < SDP ? SDP_RDMA : SDP), width = address < SDP ? 0x0c : 0x3c;
        CHECK(nvcosim_write(nvdla, address,
                            part == width            ? 0
                            : part == width + 4      ? LINES - 1
                            : address == LINE_STRIDE ? STRIDE
                            : address == SDP + 0x50  ? ATOM
                                                     : value) == 0);
    }
    CHECK(nvcosim_clocks(nvdla, 1000000, 1) == 0 && nvcosim_interrupt(nvdla) == 1);
    for (int i = 0; i < LINES * ATOM; i++)
        CHECK(result[i] == 2 * (i % 61));
    nvcosim_close(nvdla);
    free(source);
}

static void test_two(const char *dut) {
    const struct nvcosim_options options = {.dut = dut};
    char error[256], text[256];
    uint32_t value;
    unsigned findings = 0;
    struct nvcosim *one = nvcosim_open(&options, error, sizeof error), *two = nvcosim_open(NULL, error, sizeof error);
    CHECK(one && two);
    if (!one || !two)
        return;
    uint8_t *source = nvcosim_memory(one, SOURCE, SIZE), *result = nvcosim_memory(one, RESULT, SIZE);
    CHECK(source && result);
    CHECK(!nvcosim_memory(one, SOURCE, SIZE) && strstr(nvcosim_error(one), "overlaps"));
    CHECK(nvcosim_pages(one, 5, SIZE, text) == -1 && strstr(nvcosim_error(one), "multiples of 4096"));
    CHECK(!nvcosim_memory(one, 0, 0) && strstr(nvcosim_error(one), "no size"));
    for (int i = 0; i < 32; i++)
        source[i] = (uint8_t)(63 - i);
    CHECK(nvcosim_write(two, S_INTR_MASK, 5) == 0);
    run_layer(one);
    CHECK(doubled(source, result));
    CHECK(nvcosim_read(two, S_INTR_MASK, &value) == 0 && value == 5);
    CHECK(nvcosim_read(one, 0x40000, &value) == -1 && strstr(nvcosim_error(one), "refused"));
    CHECK(nvcosim_read(one, S_INTR_MASK, &value) == 0 && value == 0);
    CHECK(nvcosim_unmap(one, RESULT) == 0 && nvcosim_unmap(one, RESULT) == -1);
    CHECK(nvcosim_reset(one) == 0);
    run_layer(one); /* writes to no memory */
    CHECK(nvcosim_findings(one, &findings) == 0 && findings > 0);
    CHECK(nvcosim_finding(one, 0, text, sizeof text) == 0 && strstr(text, "0x90000000"));
    CHECK(nvcosim_finding(one, 99, text, sizeof text) == -1);
    nvcosim_close(one);
    nvcosim_close(two);
    nvcosim_close(NULL);
}

static void test_errors(void) {
    struct nvcosim_options options = {.config = "nosuch"};
    char error[512];
    CHECK(!nvcosim_open(&options, error, sizeof error) && strstr(error, "nosuch"));
    options = (struct nvcosim_options){.dut = "rtl:Nosuch"};
    CHECK(!nvcosim_open(&options, error, sizeof error) && strstr(error, "--dut"));
    options = (struct nvcosim_options){.program = "/nonexistent/nvcosim"};
    CHECK(!nvcosim_open(&options, error, sizeof error) && strstr(error, "/nonexistent/nvcosim cannot be started"));
    options = (struct nvcosim_options){.program = "/bin/true"};
    CHECK(!nvcosim_open(&options, error, sizeof error) && strstr(error, "the device has ended"));
}

/* The process of the only device. */
static pid_t child(void) {
    char path[64];
    int pid = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    CHECK(file && fscanf(file, "%d", &pid) == 1);
    if (file)
        fclose(file);
    return pid;
}

/* A layer at work in a device of which it takes long; NULL: failed. */
static struct nvcosim *start_long_layer(const char *dut) {
    static const char *const more[] = {"--latency=1000000", NULL};
    const struct nvcosim_options options = {.dut = dut, .options = strcmp(dut, "rtl") == 0 ? more : NULL};
    char error[256];
    struct nvcosim *nvdla = nvcosim_open(&options, error, sizeof error);
    CHECK(nvdla && nvcosim_memory(nvdla, SOURCE, SIZE) && nvcosim_memory(nvdla, RESULT, SIZE));
    for (size_t i = 0; nvdla && i < sizeof layer / sizeof *layer; i++)
        CHECK(nvcosim_write(nvdla, layer[i].address, layer[i].value) == 0);
    return nvdla;
}

/* kill -9 of the device's process: an error with text, and the program lives on. */
static void test_killed(const char *dut) {
    uint32_t value;
    for (int i = 0; i < 10; i++) {
        struct nvcosim *nvdla = start_long_layer(dut);
        const pid_t pid = nvdla ? child() : 0;
        if (pid <= 0)
            return;
        kill(pid, SIGKILL);
        CHECK(nvcosim_clocks(nvdla, 1000, 1) == -1 && strstr(nvcosim_error(nvdla), "signal 9 ended it"));
        CHECK(nvcosim_read(nvdla, S_INTR_STATUS, &value) == -1 && nvcosim_reset(nvdla) == -1);
        nvcosim_close(nvdla);
        CHECK(kill(pid, 0) != 0);
    }
}

int main(int argc, char **argv) {
    if (argc == 3) { /* a program that is killed in the middle of a layer: prints the ID of its device's process */
        struct nvcosim *nvdla = start_long_layer(argv[1]);
        printf("%d\n", (int)child());
        fflush(stdout);
        return nvdla ? nvcosim_clocks(nvdla, UINT64_MAX, 0) + pause() : 1;
    }
    const char *dut = argc > 1 ? argv[1] : "model";
    uint64_t clocks[2] = {0, 0};
    test_pages(dut, &clocks[0]);
    test_pages(dut, &clocks[1]);
    test_much(dut);
    CHECK(clocks[0] == clocks[1]); /* the same program, the same clocks */
    test_two(dut);
    test_errors();
    test_killed(dut);
    return failed;
}
