/* The version of the program: that of the file VERSION, and the commit that it was built from. */
#ifndef RUN_VERSION_H
#define RUN_VERSION_H

/* "0.1.0 (4984f9c)", "0.1.0" outside of a git tree. */
const char *nvcosim_version(void);

#endif
