/* For nvcosim doctor --output: what each fault of a bus makes of the same output, from runs on the RTL. */
#pragma once

#include "doctor/bus_likeness.h"
#include "trace/program.h"

/* Plays the program as far as a check of its output with --bus-fault, kind after kind, and takes the bytes that each
 * run leaves into the ranking. Continues with other parameters, at most `rounds` of each kind, until a few rounds
 * after a run left the very bytes of bytes->found, or the runs are worth that many clocks. *runs: how many there were;
 * 0 if the simulator of the configuration is not built or the network is too large. False with a message. */
bool doctor_plays(const struct program *prog, const struct op *check, const struct output_bytes *bytes, uint64_t clocks,
                  unsigned rounds, struct fault_ranking *ranking, unsigned *runs, struct error *err);
