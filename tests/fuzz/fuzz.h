/* What the fuzzers of the trace readers share. Side files are looked up in a directory that does not exist. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/cfg.h"
#include "export/order.h"
#include "export/streams.h"
#include "export/txn.h"
#include "trace/formats.h"
#include "trace/network.h"
#include "trace/nvt.h"

#define FUZZ_DIRECTORY "/nonexistent/"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Whatever was read has an order, a form as input.txn and one as .cfg, or a message why not. Fills that are large only
 * cost time. The program is used up. */
static inline void fuzz_export(struct program *prog, bool as_cfg) {
    struct error err = {.text = ""};
    size_t changed = 0;
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_MEM_FILL && prog->ops[i].size > 1 << 16)
            prog->ops[i].size = 1 << 16;
    struct program *whole = as_cfg ? program_in_streams(prog, &changed, &err) : program_in_order(prog, &err);
    struct program *form = !whole   ? NULL
                           : as_cfg ? cfg_form(whole, &changed, &err)
                                    : txn_form(whole, 1, &changed, &err);
    if (!form && !err.text[0])
        abort(); /* a refusal without a message */
    program_free(form);
    program_free(whole);
}

/* What was read must survive being written as .nvt and read back, and be written the same way again. */
static inline void fuzz_round_trip(struct program *prog, const struct error *err) {
    if (!prog) {
        if (!err->text[0])
            abort(); /* an error without a message */
        return;
    }
    struct network network;
    struct error network_err = {.text = ""};
    if (network_read(prog, &network, &network_err)) {
        for (size_t i = 0; i < network.output_count; i++) {
            const struct network_output *output = &network.outputs[i];
            if (output->tensor &&
                network_place(output, output->n - 1, output->c - 1, output->h - 1, output->w - 1) >= output->size)
                abort(); /* an element outside its output */
        }
        network_free(&network);
    } else if (!network_err.text[0])
        abort();
    size_t n, m;
    struct error again_err = {.text = ""};
    char *text = nvt_text(prog, &n);
    struct program *again = trace_parse(trace_read_nvt, FUZZ_DIRECTORY "again.nvt", text, n, NULL, &again_err);
    if (!again) {
        fprintf(stderr, "%s\n%s\n", again_err.text, text);
        abort();
    }
    char *second = nvt_text(again, &m);
    if (n != m || memcmp(text, second, n) != 0 || prog->count != again->count) {
        fprintf(stderr, "--- first\n%s\n--- second\n%s\n", text, second);
        abort();
    }
    free(text);
    free(second);
    fuzz_export(prog, false);
    fuzz_export(again, true);
    program_free(prog);
    program_free(again);
}
