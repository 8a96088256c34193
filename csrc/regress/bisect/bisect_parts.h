/* The parts of nvcosim bisect (bisect.h) share one state: git (bisect_git.c), a revision that is built and played
 * (bisect_play.c), and what is printed (bisect_report.c). bisect.c searches, and removes the checkout. */
#ifndef REGRESS_BISECT_BISECT_PARTS_H
#define REGRESS_BISECT_BISECT_PARTS_H

#include <stdbool.h>

#include "nvdla/error.h"
#include "run/process/progress.h"

enum { SHORT_HASH = 10 /* letters of a hash for a person */ };

struct bisect_options;

struct bisect {
    const struct bisect_options *options;
    char *program;     /* nvcosim itself */
    char *top;         /* of the repository */
    char *good, *bad;  /* full hashes */
    char *folder;      /* temporary: tree/, gen/ and list.f */
    char *tree;        /* checkout in it */
    char *out;         /* absolute */
    char *wanted;      /* signature at bad; NULL: any failure */
    const char *doing; /* for progress */
    struct progress progress;
};

/* ---- git (bisect_git.c) ---- */

/* Runs git in a folder. Returns what it prints, stdout and stderr, without the last line end; free() it. NULL with a
 * message if it cannot be run. status: of git. */
char *git_text(const char *folder, int *status, struct error *err, const char *const *more);
#define GIT(folder, status, err, ...) git_text(folder, status, err, (const char *const[]){__VA_ARGS__, NULL})

/* The same where git has to succeed. */
char *git_well(const char *folder, struct error *err, const char *const *more);
#define GIT_WELL(folder, err, ...) git_well(folder, err, (const char *const[]){__VA_ARGS__, NULL})

/* The full hash of a commit; free() it. NULL with a message. */
char *git_commit(const char *folder, const char *name, struct error *err);

/* What `git bisect` says when it is done: it has found the commit, or only skipped ones remain. */
bool git_found(const char *said);
bool git_skipped_remain(const char *said);

/* ---- one revision (bisect_play.c) ---- */

enum bisect_state {
    BISECT_GOOD,
    BISECT_BAD,
    BISECT_OTHERWISE, /* it fails in another way than bad */
    BISECT_SKIP
};

/* A revision that was looked at. */
struct look {
    enum bisect_state state;
    bool cached;     /* its simulator was there */
    char *signature; /* of the failure; NULL */
    char *text;      /* for a person: "FAIL value:SDP", "it does not build: see ..." */
    double build_seconds, run_seconds;
};

/* Builds and plays what the checkout holds. False with a message if the search cannot continue. */
bool look_at(struct bisect *bisect, const char *hash, struct look *look, struct error *err);
void look_free(struct look *look);

/* ---- what is printed (bisect_report.c) ---- */

/* The line of a revision. what: "bad ", "step 3:"; more: after the result. */
void bisect_say(const struct bisect *bisect, const char *what, const char *hash, const struct look *look,
                const char *more);

/* What was found, by the last words of git; returns the exit status. */
int bisect_conclude(const struct bisect *bisect, const char *said);

#endif
