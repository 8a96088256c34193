/* The version of the program, from the file VERSION. */
#pragma once

/* "0.2.0" */
const char *nvcosim_version(void);
