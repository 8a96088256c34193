/* The git revision of a folder. */
#ifndef REGRESS_STORE_REVISION_H
#define REGRESS_STORE_REVISION_H

struct revision {
    char *commit; /* full hash; NULL: the folder is in no git repository, it has no commit, or git did not answer */
    int dirty;    /* 1: files that git knows have changes that are not committed; 0: none; -1: not known */
};

/* Asks git, which has ten seconds for each of two answers. free() commit. */
struct revision revision_of(const char *folder);

/* The full hash of the commit that a name (branch, tag, first letters of a hash, HEAD~2) has in the repository of a
 * folder; free() it. NULL: there is none. */
char *revision_named(const char *folder, const char *name);

#endif
