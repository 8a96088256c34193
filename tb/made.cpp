// How a simulator was made, for its --version and nvcosim info --build: lines "KEY: VALUE". The compiler identifies
// itself, the rest is written by scripts/build_simulator.sh.
#include "made.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

extern "C" const char *simulator_made() {
    return "compiler: " COMPILER "\n" MADE;
}
