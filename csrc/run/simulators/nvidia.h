/* NVIDIA's own RTL, in a checkout of their repository. */
#ifndef RUN_SIMULATORS_NVIDIA_H
#define RUN_SIMULATORS_NVIDIA_H

#include "nvdla/config.h"
#include "nvdla/error.h"

/* Pins that this RTL needs for whole networks, as NAME=VALUE for --pin. Single layers run 1.4 to 1.7 times as fast with
 * clock gates that may close. */
extern const char *const nvidia_pins[];
enum { NVIDIA_PIN_COUNT = 1 };

/* Writes the list of its files for Verilator to DIRECTORY/vmod.f, as scripts/nvidia_list.py does; rams may be NULL.
 * Returns the path of the list (malloc'd), or NULL with a message that names what is missing and how to make it. */
char *nvidia_file_list(const struct nvdla_config *config, const char *checkout, const char *rams, const char *directory,
                       struct error *err);

/* Memory in bytes that Verilator needs for this RTL; 0 if that is not remarkable. */
double nvidia_memory(const struct nvdla_config *config);

#endif
