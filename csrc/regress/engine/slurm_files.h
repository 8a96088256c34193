/* How the runner of a night and its jobs on a Slurm cluster communicate: by files in the folder of the night, which all
 * machines share. Each has one writer, and a job's file of news only ever grows by whole lines, so that the file system
 * has to do no more than show what was synced (NFS does).
 *
 *   slurm/chunks/N    what job N is to do. Written before it is submitted, and removed when the runner has given the
 *                     job up, which is the only way to stop it if Slurm has lost a node that still works.
 *   slurm/results/N   the news of job N, line by line; made empty together with chunks/N.
 *   slurm/logs/       what the jobs printed.
 */
#ifndef REGRESS_ENGINE_SLURM_FILES_H
#define REGRESS_ENGINE_SLURM_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "nvdla/error.h"
#include "regress/plan/test.h"
#include "run/result/result.h"

/* FOLDER/slurm/WHAT/N: what is "chunks" or "results". free() it. */
char *slurm_path(const char *folder, const char *what, size_t chunk);

/* Makes the folders below FOLDER/slurm. */
bool slurm_folders(const char *folder, struct error *err);

/* How many chunks there have been in the folder: one more than the highest number. */
size_t slurm_chunk_count(const char *folder);

/* Tests that one job runs, one after the other or as many at a time as it has processors. */
struct chunk {
    struct test *tests;
    size_t *numbers; /* of the tests in the night */
    size_t count;
    double end; /* time of day in seconds since 1970 after which no test starts; 0: never */
};

/* Writes chunks/N and an empty results/N; false with a message. */
bool chunk_write(const char *folder, size_t chunk, const struct chunk *content, struct error *err);

/* Removes chunks/N: its job ends as soon as it sees that. */
void chunk_give_up(const char *folder, size_t chunk);

/* Reads chunks/N. False with FILE:LINE: what was found. */
bool chunk_read(const char *folder, size_t chunk, struct chunk *content, struct error *err);
void chunk_free(struct chunk *content);

/* Divides `count` jobs of work among chunks: the longest first, each to the chunk that has least. seconds: of each, in
 * the order given; chunk_seconds: what one job is to take; processors: of the cluster: there are at least as many
 * chunks as that, unless their jobs took less than CHUNK_SHORTEST seconds. chunk_of gets a chunk for each; returns how
 * many chunks there are. */
enum { CHUNK_SHORTEST = 60 };
size_t chunks_cut(const double *seconds, size_t count, double chunk_seconds, size_t processors, size_t *chunk_of);

/* What a job reports. */
enum news_kind {
    NEWS_BEGUN,    /* text: name of the node */
    NEWS_STARTED,  /* test */
    NEWS_PROGRESS, /* test, part */
    NEWS_DONE,     /* test, result */
    NEWS_REFUSED,  /* text: why it does not continue */
    NEWS_ENDED,    /* all was done, or the end of the night has come */
};
struct news {
    enum news_kind kind;
    size_t test; /* number in the night */
    double part; /* 0 to 1 */
    char *text;
    struct result result;
};

/* The line, with its end; free() it. */
char *news_line(const struct news *news);

/* Reads such a line (without its end). False if it is none. */
bool news_parse(const char *line, struct news *news);
void news_free(struct news *news);

#endif
