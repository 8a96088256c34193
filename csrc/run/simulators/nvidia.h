/* NVIDIA's own RTL: the file list that Verilator needs for a checkout of their repository.
 *
 * Two layouts are supported. Branch master (the configurable generation) generates the RTL of a project into
 * outdir/PROJECT/vmod. Branch nvdlav1 has one configuration, full, checked in under vmod. */
#ifndef RUN_SIMULATORS_NVIDIA_H
#define RUN_SIMULATORS_NVIDIA_H

#include <stdbool.h>
#include <stddef.h>

#include "nvdla/config.h"
#include "nvdla/error.h"

/* Pins that this RTL needs for whole networks, as NAME=VALUE for --pin. Single layers run 1.4 to 1.7 times as fast with
 * clock gates that may close. */
extern const char *const nvidia_pins[];
enum { NVIDIA_PIN_COUNT = 1 };

/* Writes the list for a checkout to DIRECTORY/vmod.f, with patched copies of files that Verilator cannot read
 * unchanged. Creates the directory.
 *
 *     config    which RTL of the checkout: project nv_CONFIG in outdir, or vmod for full
 *     checkout  path of the repository's working tree
 *     own       absolute path of tb/nvidia: modules of this project that are used instead of those of vlibs
 *     rams      NULL, or the source of RAM models: a folder of them, a vmod, or a checkout. Required for full: the
 *               models of its branch do not work under Verilator
 *
 * Returns the path of the list (malloc'd), or NULL with a message that names what is missing and how to make it. */
char *nvidia_file_list(const struct nvdla_config *config, const char *checkout, const char *rams, const char *own,
                       const char *directory, struct error *err);

/* Memory in bytes that Verilator needs for this RTL; 0 if that is not remarkable. */
double nvidia_memory(const struct nvdla_config *config);

/* Resolves conditional lines (#ifdef NAME ... #else ... #endif) as a C preprocessor does with every NAME defined.
 * Writes the remaining text to out, which must be as large as the text. Returns its length, or -1 with *line at a
 * directive that is of another kind or has no partner. */
long nvidia_resolve(const char *text, size_t n, char *out, int *line);

#endif
