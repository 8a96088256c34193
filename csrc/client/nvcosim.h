/* libnvcosim: NVDLA, as RTL or as a bit-exact model, for a C program (docs/live.md, nvcosim(3)).
 *
 * A device is a process of its own, which ends with the last reference to it, so a device that fails does not take the
 * program along. The library has no global state, prints nothing and never exits. Devices may be used by several
 * threads, each by one at a time.
 *
 * Functions that return int return 0, or -1 if they failed; nvcosim_error() then says why. Register addresses are byte
 * offsets from the start of NVDLA's register space, multiples of 4, below 0x40000. */
#ifndef NVCOSIM_H
#define NVCOSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nvcosim;

struct nvcosim_options {
    const char *config;         /* configuration, NULL: "small" */
    const char *dut;            /* "model", "rtl" or "rtl:NAME" (nvcosim build), NULL: "model" */
    const char *program;        /* nvcosim; NULL: beside this library, else in PATH */
    const char *const *options; /* more options of nvcosim serve, such as "--latency=200", NULL-terminated; or NULL */
};

/* Opens a device, reset. options: NULL for the defaults. NULL with a message in error if it cannot be opened. */
struct nvcosim *nvcosim_open(const struct nvcosim_options *options, char *error, size_t size);
void nvcosim_close(struct nvcosim *device);

/* Why the last function failed; "" if none has. */
const char *nvcosim_error(const struct nvcosim *device);

/* Memory for the device, which it sees at the address. Addresses and sizes are multiples of 4096.
 *
 * nvcosim_memory() returns memory of the library, which the device works in; it lasts until it is unmapped or the
 * device is closed. NULL: failed. nvcosim_pages() gives memory of the caller, which must last as long: what a layer
 * reads is copied when it is armed, and what it writes arrives before the function that let the time pass returns. */
void *nvcosim_memory(struct nvcosim *device, uint64_t address, size_t size);
int nvcosim_pages(struct nvcosim *device, uint64_t address, size_t size, void *bytes);
int nvcosim_unmap(struct nvcosim *device, uint64_t address);

int nvcosim_write(struct nvcosim *device, uint32_t address, uint32_t value);
int nvcosim_read(struct nvcosim *device, uint32_t address, uint32_t *value);

/* Lets so many core clocks pass, or fewer if until_interrupt is not 0 and the interrupt rises or is 1. Apart from
 * register accesses, time passes here only. The model has no clocks: each lets one layer run. */
int nvcosim_clocks(struct nvcosim *device, uint64_t clocks, int until_interrupt);

/* Core clocks since the device was opened. */
int nvcosim_time(struct nvcosim *device, uint64_t *clocks);

/* Level of the interrupt line: 1 or 0; -1: failed. */
int nvcosim_interrupt(struct nvcosim *device);

/* A descriptor that is readable while the interrupt line is 1, as of the last nvcosim_clocks() or nvcosim_interrupt();
 * for poll(). It belongs to the device: do not read or close it. */
int nvcosim_interrupt_fd(const struct nvcosim *device);

/* dla_reset_rstn; memory stays. */
int nvcosim_reset(struct nvcosim *device);

/* What no correct design does, such as an access outside its memory: how many so far, and the text of one, from 0; only
 * the first 100 have texts. */
int nvcosim_findings(struct nvcosim *device, unsigned *count);
int nvcosim_finding(struct nvcosim *device, unsigned index, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
