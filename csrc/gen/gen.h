/* Random legal programs: a seed makes a case (gen/spec.h), a case makes a program. The same on every machine.
 *
 * Legal means: allowed by the "Illegal or undefined programming" lists of chapters 20 to 66, by sections 2 and 3 of
 * chapter 98, and by the sizes of the configuration's buffers, so that RTL and model must agree and nothing may hang.
 * Corners are preferred: sizes of 1 and around an atom, odd strides, saturation, pads, dilation, reuse of CBUF content,
 * both register groups, fused chains, precisions that change from layer to layer, NaN and infinities of FP16. */
#pragma once

#include "gen/spec.h"
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "trace/program.h"

/* Deconvolution is software: convolutions, then a RUBIK contract (20-data-formats section 5.4). */
enum gen_engine {
    GEN_ENGINE_CONV,
    GEN_ENGINE_IMG,
    GEN_ENGINE_SDP,
    GEN_ENGINE_PDP,
    GEN_ENGINE_CDP,
    GEN_ENGINE_BDMA,
    GEN_ENGINE_RUBIK,
    GEN_ENGINE_DECONV,
    GEN_ENGINE_COUNT
};

#define GEN_ENGINES_ALL ((UINT32_C(1) << GEN_ENGINE_COUNT) - 1)

/* Beside engines: layers are aimed at corners of values. */
#define GEN_CORNERS (UINT32_C(1) << 31)

/* The engines named by a text: conv, img, sdp, pdp, cdp, bdma, rubik, deconv, several of them separated by commas, or
 * mix: all that the configuration has; then perhaps ",corners". 0 for any other text. */
uint32_t gen_engines(const char *name);

/* The engines that layers of the configuration can use. */
uint32_t gen_config_engines(const struct nvdla_config *config);

/* A legal configuration of at most 512 MACs; of seeds that four divides of the map full, else of small. */
const struct nvdla_config *gen_config_draw(uint64_t seed);

/* Their name in a file name: commas become '-', "mix" for all; "-corners". size: GEN_ENGINES_NAME is enough. Returns
 * text. */
char *gen_engines_name(uint32_t engines, char *text, size_t size);

/* Draws the case of a seed from those of the engines that the configuration has, at least one. The case is always
 * legal. */
void gen_draw(struct gen_case *gen, const struct nvdla_config *config, uint32_t engines, uint64_t seed);

/* Checks a case. False with a message if it is not legal. */
bool gen_legal(const struct gen_case *gen, struct error *err);

/* The program of a legal case, with its description in comments at the beginning; path is its name in messages. NULL
 * with a message if the case is not legal. */
struct program *gen_build(const struct gen_case *gen, const char *path, struct error *err);

/* Clock cycles of the case, a rough estimate; 0 if it is not legal. */
int64_t gen_cycles(const struct gen_case *gen);
