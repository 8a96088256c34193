/* A program of one layer: SDP doubles the numbers of a cube of 2 x 2 pixels with 8 channels (docs/live.md).
 *
 * usage: example [DUT]      "model" (the default), "rtl" or "rtl:NAME" */
#include <nvcosim.h>
#include <stdio.h>

enum { MEMORY = 0x80000000, RESULT = 2048, SDP_RDMA = 0x8000, SDP = 0x9000, S_INTR_STATUS = 0x100c };

static const struct { uint32_t address, value; } layer[] = {
    {SDP_RDMA + 0x0c, 1}, {SDP_RDMA + 0x10, 1}, {SDP_RDMA + 0x14, 7}, /* width, height, channels, minus 1 */
    {SDP_RDMA + 0x18, MEMORY}, {SDP_RDMA + 0x20, 16}, {SDP_RDMA + 0x24, 32}, /* source, line and surface stride */
    {SDP_RDMA + 0x70, 0}, {SDP_RDMA + 0x74, 1}, {SDP + 0x3c, 1}, {SDP + 0x40, 1}, {SDP + 0x44, 7},
    {SDP + 0x48, MEMORY + RESULT}, {SDP + 0x50, 16}, {SDP + 0x54, 32}, {SDP + 0xb4, 1},
    {SDP + 0xbc, 0}, {SDP + 0xc4, 2}, {SDP + 0xc8, 0}, /* INT8, scale 2, shift 0 */
    {SDP_RDMA + 0x08, 1}, {SDP + 0x38, 1}, /* start */
};

int main(int argc, char **argv) {
    char error[256];
    const struct nvcosim_options options = {.config = "small", .dut = argc > 1 ? argv[1] : "model"};
    struct nvcosim *nvdla = nvcosim_open(&options, error, sizeof error);
    int8_t *memory = nvdla ? nvcosim_memory(nvdla, MEMORY, 4096) : NULL;
    uint32_t status = 0;
    if (!memory)
        return fprintf(stderr, "%s\n", nvdla ? nvcosim_error(nvdla) : error), 1;
    for (int i = 0; i < 32; i++)
        memory[i] = (int8_t)i;
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
