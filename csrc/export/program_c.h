/* A trace as a C program. */
#ifndef EXPORT_PROGRAM_C_H
#define EXPORT_PROGRAM_C_H

#include "trace/program.h"

enum c_platform {
    PLATFORM_BARE,  /* no operating system, no library: everything the platform has to give is a macro */
    PLATFORM_LINUX, /* a user-space program over UIO or /dev/mem */
};

/* Writes a sequential program (order.h) as one C99 file: a table of operations, an interpreter, the platform. seed: of
 * random fills. Memory that checks cover is cleared first, as a
 * simulation begins with memory that reads 0. False with a message; nothing is left behind then. */
bool export_c(const struct program *ordered, enum c_platform platform, uint64_t seed, const char *path,
              struct error *err);

#endif
