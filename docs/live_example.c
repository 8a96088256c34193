/* A program of one layer: a convolution of 2 x 2 pixels with 8 channels by 8 kernels of 1 x 1, which double the numbers (docs/live.md).
 *
 * usage: example [DUT]      "model" (the default), "rtl" or "rtl:NAME" */
#include <nvcosim.h>
#include <stdio.h>

enum { MEMORY = 0x80000000, WEIGHTS = 1024, RESULT = 2048, CDMA = 0x3000, CSC = 0x4000, CMAC_A = 0x5000, CMAC_B = 0x6000, CACC = 0x7000, SDP = 0x9000 };
enum { S_INTR_MASK = 0x1004, S_INTR_STATUS = 0x100c, S_CBUF_FLUSH_STATUS = CDMA + 0x0c };

static const struct { uint32_t address, value; } layer[] = { /* INT8; sizes are minus 1 */
    {CDMA + 0x14, 0}, {CDMA + 0x18, 0}, {CDMA + 0x1c, 0x10001}, {CDMA + 0x20, 7}, {CDMA + 0x24, 0x10001}, {CDMA + 0x2c, 1},
    {CDMA + 0x34, MEMORY}, {CDMA + 0x40, 16}, {CDMA + 0x48, 32}, {CDMA + 0x4c, 0x10001}, {CDMA + 0x60, 1}, {CDMA + 0x6c, 7},
    {CDMA + 0x70, 7}, {CDMA + 0x74, 1}, {CDMA + 0x7c, MEMORY + WEIGHTS}, {CDMA + 0x80, 128},
    {CSC + 0x0c, 0}, {CSC + 0x14, 0x10001}, {CSC + 0x18, 7}, {CSC + 0x24, 1}, {CSC + 0x30, 0x70007}, {CSC + 0x34, 128},
    {CSC + 0x3c, 0x10001}, {CSC + 0x40, 7}, {CSC + 0x44, 3}, {CSC + 0x48, 1}, {CMAC_A + 0x0c, 0}, {CMAC_B + 0x0c, 0},
    {CACC + 0x0c, 0}, {CACC + 0x10, 0x10001}, {CACC + 0x14, 7}, {CACC + 0x20, 16}, {CACC + 0x24, 32},
    {SDP + 0x3c, 1}, {SDP + 0x40, 1}, {SDP + 0x44, 7}, {SDP + 0x48, MEMORY + RESULT}, {SDP + 0x50, 16}, {SDP + 0x54, 32},
    {SDP + 0x58, 1}, {SDP + 0x6c, 1}, {SDP + 0x80, 1}, {SDP + 0xb0, 1}, {SDP + 0xb4, 1}, {SDP + 0xbc, 0}, {SDP + 0xc4, 1},
    {SDP + 0x38, 1}, {CACC + 8, 1}, {CMAC_A + 8, 1}, {CMAC_B + 8, 1}, {CSC + 8, 1}, {CDMA + 0x10, 1}, /* start */
};

int main(int argc, char **argv) {
    char error[256];
    const struct nvcosim_options options = {.config = "small", .dut = argc > 1 ? argv[1] : "model"};
    struct nvcosim *nvdla = nvcosim_open(&options, error, sizeof error);
    int8_t *memory = nvdla ? nvcosim_memory(nvdla, MEMORY, 4096) : NULL;
    uint32_t status = 0, clear = 0;
    if (!memory)
        return fprintf(stderr, "%s\n", nvdla ? nvcosim_error(nvdla) : error), 1;
    for (int i = 0; i < 32; i++)
        memory[i] = (int8_t)i;
    for (int i = 0; i < 8; i++)
        memory[WEIGHTS + 9 * i] = 2; /* kernel i has a weight for channel i only */
    while (!clear && !nvcosim_clocks(nvdla, 1000, 0) && !nvcosim_read(nvdla, S_CBUF_FLUSH_STATUS, &clear)) { }
    nvcosim_write(nvdla, S_INTR_MASK, ~1u); /* an interrupt when SDP is done */
    for (size_t i = 0; i < sizeof layer / sizeof *layer; i++)
        nvcosim_write(nvdla, layer[i].address, layer[i].value);
    if (nvcosim_clocks(nvdla, 10000, 1) || nvcosim_read(nvdla, S_INTR_STATUS, &status))
        fprintf(stderr, "%s\n", nvcosim_error(nvdla));
    printf("S_INTR_STATUS = 0x%x, result:", (unsigned)status);
    for (int i = 0; i < 32; i++)
        printf(" %d", memory[RESULT + i]);
    putchar('\n');
    nvcosim_close(nvdla);
    return 0;
}
