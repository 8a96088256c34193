/* The faults that are planted in an RTL (scripts/plant.py), and the state of each: rows of table fault. */
#ifndef REGRESS_FAULTS_FAULTS_H
#define REGRESS_FAULTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nvdla/error.h"
#include "regress/faults/equivalents.h"
#include "regress/store/store.h"

enum fault_state {
    FAULT_OPEN,       /* not known yet */
    FAULT_NOTICED,    /* a test does not pass with it */
    FAULT_SURVIVED,   /* every test that could notice it passes */
    FAULT_UNREACHED,  /* in every test the changed expression has the original value */
    FAULT_EQUIVALENT, /* the list of equivalents has it: it is not played */
    FAULT_STATES,
};
extern const char *const fault_state_names[FAULT_STATES]; /* "open", "noticed", ... */

struct fault {
    char *folder, *file, *module; /* folder and file relative to the RTL */
    int line;
    char *original, *changed; /* an operator or a constant, and what takes its place */
    char *statement;          /* on one line, with the change marked: a [[+ -> -]] b */
    enum fault_state state;
    char *reason;        /* of FAULT_EQUIVALENT */
    char *noticed_by;    /* key of the test */
    const char *verdict; /* of that test */
    size_t reached;      /* tests in which the changed expression has another value */
    size_t runs;         /* tests that were played with it */
    double seconds;      /* CPU time */
};

struct faults {
    struct fault *items; /* number N is items[N - 1] */
    size_t count;
    size_t broken, gone; /* places that were replaced by others: the copy did not compile, the elaborated design does
                            not have it */
    struct words statements; /* of all places: "FILE\tSTATEMENT" */
};

/* Reads faults.json. False with a message. Free it either way. */
bool faults_read(const char *path, struct faults *faults, struct error *err);
void faults_free(struct faults *faults);

/* Marks those that are in the list of equivalents. stale: called for entries of the list that fit no place of the RTL.
 */
void faults_exempt(struct faults *faults, const struct equivalents *list,
                   void (*stale)(const struct equivalent *entry));

/* The rows of a new night, in one transaction. */
bool faults_begin(struct store *store, int64_t night, const struct faults *faults, struct error *err);
/* Reads the states that an earlier call of the night stored. False with a message: also if the faults are not those of
 * the night. */
bool faults_resume(struct store *store, int64_t night, struct faults *faults, struct error *err);
/* Stores the state of fault `number`. */
bool faults_keep(struct store *store, int64_t night, size_t number, const struct fault *fault, struct error *err);

/* Per cent of the faults that are not equivalent that were noticed; 100 if there are none. */
double faults_share(const struct faults *faults);

/* The table by folder and module, then every fault that no test noticed. */
void faults_print(FILE *out, const struct faults *faults);

#endif
