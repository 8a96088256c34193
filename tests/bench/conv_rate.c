/* How fast the model's convolution core is: multiply-accumulates per second of a 3x3 layer of 256 channels and 256
 * kernels on a 14x14 input, from the contents of CBUF to the results that SDP takes, everything in between included.
 *
 * usage: conv_rate CONFIG int8|int16|fp16|winograd [THREADS]
 * Prints GMAC/s of the fastest of several runs, wall-clock time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/csc_run.h"

enum { SIZE = 14, CHANNELS = 256, KERNELS = 256, RUNS = 7 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct csc_layer layer_of(const struct nvdla_config *config, const char *kind) {
    bool winograd = strcmp(kind, "winograd") == 0;
    size_t element = strcmp(kind, "int8") == 0 ? 1 : 2, size = winograd ? 16 : SIZE;
    return (struct csc_layer){
        .mode = winograd ? CSC_WINOGRAD : CSC_FEATURE,
        .precision = element == 1 ? NVDLA_INT8 : strcmp(kind, "fp16") == 0 ? NVDLA_FP16 : NVDLA_INT16,
        .valid = true,
        .data_banks = (size_t)config->cbuf_banks / 2,
        .weight_banks = (size_t)config->cbuf_banks / 2,
        .width = winograd ? size + 4 : size,
        .height = winograd ? size + 4 : size,
        .channels = CHANNELS,
        .pixel = 1,
        .batches = 1,
        .kernel_width = winograd ? 4 : 3,
        .kernel_height = winograd ? 4 : 3,
        .kernels = KERNELS,
        .kernel_group = (size_t)config->atomic_k / element,
        .extension = 1,
        .slice_entries = size * CHANNELS * element / ((size_t)config->mem_atom),
        .out_width = size,
        .positions = size * size,
        .release = 1,
        .stride_x = 1,
        .stride_y = 1,
        .dilation_x = 1,
        .dilation_y = 1,
        .pad_left = winograd ? 0 : 1,
        .pad_top = winograd ? 0 : 1,
    };
}

/* Seconds of one layer. */
static double run_layer(struct csc *csc, struct cdma *cdma, struct cbuf *cbuf, struct pool *pool, int32_t *results) {
    double start = now();
    struct csc_run *run = csc_run_new(csc, cdma, cbuf, NULL, 0, pool);
    if (!run) {
        return 0;
    }
    for (size_t i = 0; i < csc_layer_groups(&csc->layer) * csc->layer.positions; i += csc->layer.out_width) {
        csc_run_next(run, results, csc->layer.out_width);
    }
    csc_run_free(run);
    return now() - start;
}

int main(int argc, char **argv) {
    const struct nvdla_config *config = argc > 2 ? nvdla_config_find(argv[1]) : NULL;
    if (!config) {
        fprintf(stderr, "usage: conv_rate CONFIG int8|int16|fp16|winograd [THREADS]\n");
        return 1;
    }
    struct cbuf cbuf;
    struct cdma cdma;
    struct csc csc;
    struct pool *pool = pool_new(argc > 3 ? strtoul(argv[3], NULL, 10) : 1);
    int32_t *results = malloc(16 * 64 * sizeof *results);
    if (!pool || !results || !cbuf_init(&cbuf, config)) {
        return 1;
    }
    cdma_init(&cdma, config);
    csc_init(&csc, config);
    csc.layer = layer_of(config, argv[2]);
    for (size_t i = 0; i < cbuf.entries * cbuf.entry; i++) {
        cbuf.bytes[i] = (uint8_t)((i * 2654435761u) >> 13);
    }
    double best = 0;
    for (int i = 0; i < RUNS; i++) {
        double seconds = run_layer(&csc, &cdma, &cbuf, pool, results);
        best = best == 0 || seconds < best ? seconds : best;
    }
    printf("%.3f\n", 1e-9 * (double)csc_layer_work(&csc.layer) / best);
    free(results);
    csc_free(&csc);
    cdma_free(&cdma);
    cbuf_free(&cbuf);
    pool_free(pool);
    return 0;
}
