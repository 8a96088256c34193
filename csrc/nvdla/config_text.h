/* Configurations by the words in which people give them, and which of them are legal (chapter 10 section 1.1).
 *
 * A text is the name of a row of configurations.csv, or NAME,KEY=VALUE,... with the keys of nvdla_parameters, or
 *
 *   macs=CxK      the MAC array: input channels by kernels; with it the atom of memory (K bytes), the width of CBUF's
 *                 banks (C bytes) and of the ports (8 K bits, in the map full 16 K); in the map full also the
 *                 throughputs (SDP K / 2, PDP and CDP K / 4), and without Winograd, BDMA and RUBIK where the array or
 *                 the atom has none
 *   macs=N        32, 64, 128, 256, 512, 1024 or 2048 multipliers, with all sizes of the configuration that has them
 *   cbuf=N        bytes of CBUF, with K or M: its banks get another depth
 *   port=BITS, sdp=N   other words for bus=, and for bs= and bn=
 *   bus=BITS      both ports, where the second one has the width of the first one
 *   secondary=0|1 the port of the second memory, like the first one if it has not been there
 *
 * (their order does not count), or the name of a file, NAME.spec, NAME.yml or NAME.yaml (nvdla_config_file).
 *
 * Configurations of the same values are one object, which lives to the end of the program: pointers may be compared.
 * Its name is that of the row of these values, or the text with the fewest changes that gives them, in characters that
 * file names and make take: "small+macs-16x16" for small,macs=16x16. Such a name is read, too. */
#pragma once

#include <stdio.h>

#include "nvdla/config.h"
#include "nvdla/error.h"
#include "nvdla/text.h"

/* One column of configurations.csv. */
struct nvdla_parameter {
    const char *key;
    const char *spec; /* its name in a .spec file: SPEC_VALUE, or SPEC_ENABLE and SPEC_DISABLE of one that is 0 or 1 */
    const char *column; /* in configurations.csv */
    size_t offset;      /* of an int in struct nvdla_config */
    /* Values that an RTL is made for, in rising order: "8 16"; "1-65536": a range. */
    const char *legal[NVDLA_MAP_COUNT];
    const char *meaning;
};

extern const struct nvdla_parameter nvdla_parameters[];
extern const size_t nvdla_parameter_count;

/* Value of a parameter in a configuration. */
int nvdla_parameter_value(const struct nvdla_config *config, const struct nvdla_parameter *parameter);

/* NULL with a message, which names keys and values; the values need not be legal. */
const struct nvdla_config *nvdla_config_read(const char *text, struct error *err);

/* Sets a value, as KEY=VALUE of a text does. False with a message. */
bool nvdla_config_set(struct nvdla_config *config, const char *key, const char *value, struct error *err);

/* Keys of a text or a YAML file are set in turns, 0 first, so that their order there does not count: the array before
 * what follows from it, the first port before the second one, banks before their depth. */
enum { NVDLA_CONFIG_TURNS = 6 };
int nvdla_config_turn(const char *key);

/* Reads a file: NVIDIA's NAME.spec, lines of "#define SPEC_VALUE"; or a YAML file with a line "base: NAME" and lines of
 * "KEY: VALUE". ignored: gets the words that have no effect here, or NULL. False with a message, with FILE:LINE. */
bool nvdla_config_file(const char *path, struct nvdla_config *config, struct text *ignored, struct error *err);

/* Prints a configuration of the map small as a .spec file. */
void nvdla_config_print_spec(FILE *out, const struct nvdla_config *config);

/* The row of configurations.csv that its name begins with. */
const struct nvdla_config *nvdla_config_base(const struct nvdla_config *config);

/* Whether there is an RTL of it, and programs can be made for it. False with one sentence: what was found, the nearest
 * legal value, and the parameter that it depends on. */
bool nvdla_config_legal(const struct nvdla_config *config, struct error *err);

/* Whether clocks can be estimated for it: sizes that divide each other. False with one sentence. */
bool nvdla_config_divides(const struct nvdla_config *config, struct error *err);
