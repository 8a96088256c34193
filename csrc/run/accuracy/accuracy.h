/* Accuracy of a network over a set of labelled pictures: all on the model, a random sample on the RTL too. */
#ifndef RUN_ACCURACY_ACCURACY_H
#define RUN_ACCURACY_ACCURACY_H

#include <stdio.h>

#include "run/accuracy/labels.h"
#include "run/network/compile.h"
#include "run/options/options.h"

struct accuracy_options {
    const char *network, *inputs, *labels; /* files; inputs: a folder */
    const char *classes;                   /* file with the names of the classes, one a line; NULL: none */
    size_t rtl;                            /* pictures to play on the RTL too */
    size_t list;                           /* pictures to list of each kind of failure */
    bool json;                             /* print an object instead of text */
    struct run_options *run;               /* processes, seed, and how the RTL plays */
    struct compile_options *compile;
};

enum { ACCURACY_TOP = 5 };

enum picture_state { PICTURE_PENDING, PICTURE_DONE, PICTURE_MISSING, PICTURE_DAMAGED };

/* What became of a picture. It lies in memory that processes share. */
struct picture_outcome {
    enum picture_state state;
    unsigned top[ACCURACY_TOP]; /* the greatest classes, of equals the first; as many as there are classes */
    unsigned rank;              /* of the label: number of classes before it */
    struct error why;           /* PICTURE_MISSING, PICTURE_DAMAGED: why */
};

/* A picture that was played on the RTL. */
struct rtl_outcome {
    size_t picture; /* index of its label */
    char *trace;
    bool ended;
    int status;             /* enum exit_status */
    char *verdict, *reason; /* as nvcosim run prints them; NULL: it did not end */
};

struct accuracy {
    const struct accuracy_options *options;
    const struct nvdla_config *config;
    struct words classes;
    size_t class_count;
    struct labels labels;
    struct picture_outcome *outcomes; /* one for each label */
    struct words unlabelled;          /* pictures in the folder without a label, ordered by name */
    struct rtl_outcome *rtl;
    size_t rtl_count;
};

/* Counts over all pictures. */
struct accuracy_counts {
    size_t done, top1, top5, missing, damaged, differ;
};
struct accuracy_counts accuracy_count(const struct accuracy *accuracy);

/* Prints the outcome as text, or as an object of JSON. */
void accuracy_print(FILE *out, const struct accuracy *accuracy);
void accuracy_print_json(FILE *out, const struct accuracy *accuracy);

/* Does everything, prints the outcome to stdout and the rest to stderr. Returns the exit status: 0; 1 if RTL and model
 * differ for a picture; 2 if labels have no picture, or pictures cannot be read; of the RTL as nvcosim run. */
int accuracy_run(const struct accuracy_options *options);

#endif
