/* The subcommands of nvcosim. Each parses its own arguments (argv[0] is its name in messages) and returns the exit
 * status. */
#pragma once

int run_main(int argc, char **argv);
int import_main(int argc, char **argv);
int export_main(int argc, char **argv);
int play_list_main(int argc, char **argv);
int lint_main(int argc, char **argv);
int estimate_main(int argc, char **argv);
int info_main(int argc, char **argv);
int convert_main(int argc, char **argv);
int compile_main(int argc, char **argv);
int serve_main(int argc, char **argv);
int split_main(int argc, char **argv);
int programming_main(int argc, char **argv);
int doctor_network_main(int argc, char **argv);
int streams_main(int argc, char **argv);
int simulators_main(int argc, char **argv);
int gen_main(int argc, char **argv);
int debug_main(int argc, char **argv);
int shrink_main(int argc, char **argv);
int coverage_bins_main(int argc, char **argv);
int calibration_main(int argc, char **argv);
int doctor_main(int argc, char **argv);

/* For a command in Python (python/nvcosim/commands): replaces this process by Python, which runs it with the arguments
 * argv[1], .... Returns an exit status, after a message, only if it cannot. */
int python_command(const char *name, char **argv);
