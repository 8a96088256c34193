/* Writes a trace as a C program. */
#pragma once

#include "trace/program.h"

enum c_platform {
    PLATFORM_BARE,  /* no operating system, no library: the platform is a set of macros */
    PLATFORM_LINUX, /* a user-space program over UIO or /dev/mem */
};

/* Writes a sequential program (order.h) as one C99 file: a table of operations, an interpreter, the platform. seed: of
 * random fills. Clears checked memory first, because memory of a simulation starts as 0. False with a message; then
 * nothing is written. */
bool export_c(const struct program *ordered, enum c_platform platform, uint64_t seed, const char *path,
              struct error *err);
