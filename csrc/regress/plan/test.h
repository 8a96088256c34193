/* One test of a night: a trace (or a random layer) on a configuration and a device under test, with one memory setting
 * and one seed. Plain data, made from a plan (expand.h), kept in the database (store.h), written to files for the jobs
 * of a cluster. */
#ifndef REGRESS_PLAN_TEST_H
#define REGRESS_PLAN_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "nvdla/text.h"
#include "run/options/options.h"

struct test {
    /* Names the test in every night and in no night another one: ITEM/NAME[,CONFIG][,DUT][@MEMORY][+RESEED]. CONFIG is
     * there where it is not the trace's own (of random layers: not small), DUT where it is not "both" (rtl:mine is
     * written rtl-mine). Random layers are counted, so that the key stays when the seed of the night changes:
     * random/mix-0017. */
    char *key;
    char *item;      /* of the plan */
    char *trace;     /* path of the trace, absolute; of a random layer relative to the folder of the night, where it is
                        written. Tests that differ in memory, DUT or --seed alone play the same layer, from one file. */
    char *generator; /* of a random layer: engines as gen_engines() reads them; NULL: the trace exists already */
    uint64_t layer_seed;  /* of a random layer: seed of gen_draw() */
    char *config;         /* name of the configuration */
    char *dut;            /* argument of --dut: "both", "model", "rtl", "rtl:mine" */
    char *memory;         /* name of the memory setting, "" for the default one */
    uint64_t seed;        /* --seed: of everything random while it runs */
    struct words options; /* further options of nvcosim run: those of the memory setting and of the item */
    struct words tags;
    double max_seconds;  /* wall time; 0: no limit */
    uint64_t max_cycles; /* core clocks; 0: no limit */
    uint64_t max_memory; /* bytes resident; 0: no limit */
    /* A known failure: why, and until when (YYYY-MM-DD) it is one; NULL: the test has to pass. It does not fail the
     * night until then; passing is reported. */
    char *known, *known_until;
    double expected_seconds; /* wall time by history; negative: not known */
};

void test_free(struct test *test);

/* One line of JSON without the line end; free() it. */
char *test_json(const struct test *test);

/* Reads such a line. False with a message that names the member that is wrong. */
bool test_parse(const char *line, struct test *test, struct error *err);

/* A number for a text, the same on every machine: FNV-1a, 64 bits. */
uint64_t test_hash(const char *text);

/* The path of the trace that is played. folder: of the night. free() it. */
char *test_trace(const struct test *test, const char *folder);

/* The name of the test where it has to be one of a file: the key with '.' for its '/', other characters than letters,
 * digits and "_-.,@+" as ~HH. No two keys have the same. It is the name of the trace in what `nvcosim run` prints and
 * of the folder of its report. free() it. */
char *test_name(const struct test *test);

/* The options of `nvcosim run` that say what is played, as words ("--config=small", ...): device, seed, memory, limits
 * of cycles and time. */
void test_options(const struct test *test, struct words *words);

/* The options of `nvcosim run` that play the test, as words ("--config=small", ...), without the trace: all that
 * `struct test` says but the limit of memory, which is the engine's. folder: of the night; reports go to
 * FOLDER/reports; the result says which functional bins the trace exercises. */
void test_words(const struct test *test, const char *folder, struct words *words);

/* The command that plays it again in any folder, for a person to paste, the generation of a random layer included (into
 * the folder "layers" there). free() it. */
char *test_command(const struct test *test);

#endif
