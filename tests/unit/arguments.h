/* The arguments of the program of unit tests, whose tests have a main() without any. */
#ifndef TESTS_UNIT_ARGUMENTS_H
#define TESTS_UNIT_ARGUMENTS_H

extern int arguments_count;
extern char **arguments;

#endif
