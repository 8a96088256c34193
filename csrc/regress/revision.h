/* What stands in a folder, as git says it. */
#ifndef REGRESS_REVISION_H
#define REGRESS_REVISION_H

struct revision {
    char *commit; /* full hash; NULL: the folder is in no git repository, it has no commit, or git did not answer */
    int dirty;    /* 1: files that git knows have changes that are not committed; 0: none; -1: not known */
};

/* Asks git, which has ten seconds for each of two answers. free() commit. */
struct revision revision_of(const char *folder);

#endif
