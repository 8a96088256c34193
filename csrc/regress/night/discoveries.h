/* What `nvcosim debug` and `nvcosim shrink` have found out about the failures of a night: stored line by line in a file
 * of its folder, as soon as it is known, so that a night that is killed meanwhile can resume where it was. */
#ifndef REGRESS_NIGHT_DISCOVERIES_H
#define REGRESS_NIGHT_DISCOVERIES_H

#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

enum discovery_kind { DISCOVERY_DEBUG, DISCOVERY_SHRINK };

/* Texts are owned; NULL: there is none. Paths are relative to the folder of the night. */
struct discovery {
    enum discovery_kind kind;
    size_t test;     /* number of the test that was looked at */
    double spent;    /* seconds of wall time that all looks of this kind have taken up to its end */
    char *signature; /* of debug: of the failure from now on; of shrink: of what the trace fails with */
    char *note;      /* what went wrong: a clause for a person */
    /* Of debug: */
    char *engine, *tap, *what, *sentence, *page; /* what: "value", "hang", "check" */
    /* Of shrink: */
    char *trace;     /* the shrunk one */
    uint64_t cycles; /* core clocks of it; 0: not known */
};

struct discoveries {
    char *path;
    struct discovery **items; /* stay where they are */
    size_t count;
};

/* Reads what is in the night's folder, except lines that are cut. False with a message. */
bool discoveries_open(const char *folder, struct discoveries *discoveries, struct error *err);
void discoveries_free(struct discoveries *discoveries);

/* Adds a discovery, and stores it on the disk. False with a message if that was not possible: it is known all the same
 * until the program ends. */
bool discoveries_add(struct discoveries *discoveries, struct discovery *discovery, struct error *err);

/* The discovery about a test; NULL: there is none. signature: of a shrunk trace; NULL: whichever. */
const struct discovery *discoveries_find(const struct discoveries *discoveries, enum discovery_kind kind, size_t test,
                                         const char *signature);

/* Seconds that all looks of a kind have taken, and how many there were. */
double discoveries_spent(const struct discoveries *discoveries, enum discovery_kind kind, size_t *count);

#endif
