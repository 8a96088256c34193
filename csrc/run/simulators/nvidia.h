/* NVIDIA's own RTL: the file list that Verilator needs for a checkout of their repository.
 *
 * Two layouts are known. The configurable generation (branch master) generates the RTL of a project into
 * outdir/PROJECT/vmod; the one configuration of branch nvdlav1, full, lies in vmod as it is.
 */
#ifndef RUN_SIMULATORS_NVIDIA_H
#define RUN_SIMULATORS_NVIDIA_H

#include <stdbool.h>
#include <stddef.h>

#include "nvdla/config.h"
#include "nvdla/error.h"

/* Static inputs that this RTL needs for whole networks, as NAME=VALUE for --pin. Single layers run 1.4 to 1.7 times as
 * fast with clock gates that may close. */
extern const char *const nvidia_pins[];
enum { NVIDIA_PIN_COUNT = 1 };

/* Writes the list of a checkout to DIRECTORY/vmod.f, and beside it copies of files that need mending before Verilator
 * reads them. The directory is made.
 *
 * config    which RTL of the checkout: project nv_CONFIG in outdir, or vmod for full
 * checkout  path of the repository's working tree
 * rams      NULL, or where RAM models are taken from: a folder of them, a vmod, or a checkout. full needs it: the
 * models of its branch do not work under Verilator
 *
 * Returns the path of the list (malloc'd), NULL with a message that names what is missing and the step that makes it.
 */
char *nvidia_file_list(const struct nvdla_config *config, const char *checkout, const char *rams, const char *directory,
                       struct error *err);

/* Resolves the conditional lines that a C preprocessor would have: #ifdef NAME ... #else ... #endif with every NAME
 * defined. Writes the rest of the text to out, which is as large as the text. Returns its length, or -1 with *line at a
 * directive that is not of this kind or has no partner. */
long nvidia_resolve(const char *text, size_t n, char *out, int *line);

#endif
