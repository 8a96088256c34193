/* The search for a smaller trace that fails in the same way. Each attempt is a run in a process of its own. */
#pragma once

#include "gen/shrink.h"
#include "run/options/options.h"
#include "run/process/progress.h"

enum { SHRINK_PATH_SIZE = 4096, SHRINK_DIRECTORY_SIZE = 512 };

/* How a run failed. Two runs fail in the same way if all of this is equal. */
struct failure {
    int status;     /* of `nvcosim run` */
    char kind[160]; /* "hang of rtl", "mismatch", "check", "finding RULE", "crash with status 139" */
    char who[16];   /* disagrees: "trace", "rtl", ...; "": not known */
};

struct shrink_search {
    struct run_options run;
    uint64_t attempts, seconds; /* seconds: wall time of the search, 0: no limit */
    bool keep_options;          /* also memory options that the failure does not need */
    const char *out;            /* NULL: NAME-shrunk.nvt beside the trace; below SHRINK_PATH_SIZE */
    bool quiet;
    int (*play)(int argc, char **argv); /* `nvcosim run` */
    struct words given;                 /* run options of the attempts */
    /* the search */
    char directory[SHRINK_DIRECTORY_SIZE]; /* of the attempts */
    struct failure wanted;
    char reason[512]; /* of the last run that failed as wanted */
    int total;        /* attempts at most */
    double end;       /* process_clock() of the end of the search; 0: none */
    struct shrink shrink;
    bool described; /* the attempts are cases of `nvcosim gen` */
    struct progress progress;
};

/* Searches, writes the smallest trace found, and prints what it does. The exit status of the smallest trace; 0: the
 * trace passes; EXIT_BAD_INPUT with a message. */
int shrink_search(struct shrink_search *search);
