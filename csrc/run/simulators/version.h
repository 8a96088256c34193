/* The version of the program, from the file VERSION. */
#ifndef RUN_SIMULATORS_VERSION_H
#define RUN_SIMULATORS_VERSION_H

/* "0.2.0" */
const char *nvcosim_version(void);

#endif
