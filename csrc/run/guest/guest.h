/* A Linux guest in QEMU whose NVDLA is a server of this program's (`nvcosim serve`): starts both, and reads what the
 * guest says on its serial line. `make guest` makes the guest, scripts/linux/init is what it does. */
#ifndef RUN_GUEST_GUEST_H
#define RUN_GUEST_GUEST_H

#include <stdbool.h>

#include "nvdla/config.h"
#include "nvdla/text.h"

struct guest_options {
    const struct nvdla_config *config;
    const char *dut;     /* as for serve; NULL: its default */
    const char *folder;  /* with vmlinuz and initrd.gz; NULL: guest/ beside the simulators */
    const char *network; /* .nvdla; NULL: a shell, or the self-test */
    const char *picture; /* its input, in a form that NVIDIA's runtime reads */
    struct words server; /* more options of serve */
    bool selftest;       /* play the programs of the self-test, by MSI and by INTx */
};

/* Runs the guest to its end. Returns the exit status: 0 all well, 1 a program of the self-test failed or the device had
 * findings, 2 with a message. */
int guest_run(const struct guest_options *options);

#endif
