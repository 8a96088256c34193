/* What a person sees while a night runs.
 *
 * A line on stdout for every test that does not pass, as soon as that is known, and for every test that passes although
 * it is known to fail. If stderr is a terminal, a block below them is redrawn all the time: how many are done, passed
 * and failed, the time left, and the running tests, each with the part of its work that is done. Otherwise there is a
 * line on stdout every tenth of the tests. */
#ifndef REGRESS_NIGHT_LIVE_H
#define REGRESS_NIGHT_LIVE_H

#include "regress/engine/schedule.h"
#include "regress/plan/plan.h"
#include "run/result/result.h"

struct live;

/* tests: of the night; schedule: of those that run now; both must outlive it. before: how many had results already;
 * jobs: tests at a time. */
struct live *live_open(const struct test_list *tests, const struct schedule *schedule, size_t before, int jobs);

/* True if the block is shown, which needs the progress of single tests. */
bool live_on_terminal(const struct live *live);

void live_started(struct live *live, size_t test);
/* part: 0 to 1 */
void live_progress(struct live *live, size_t test, double part);
/* It no longer runs; its result may come later. */
void live_ended(struct live *live, size_t test);
void live_result(struct live *live, size_t test, const struct result *result);

/* A line for a person, above the block. */
void live_message(struct live *live, const char *line);

/* Draws the block if it is time to: to be called a few times a second. */
void live_tick(struct live *live);

/* Removes the block from the screen, and frees. */
void live_close(struct live *live);

/* "3:05", "1:02:03": text has room for LIVE_TIME bytes. Returns text. */
enum { LIVE_TIME = 32 };
char *live_time(double seconds, char *text);

#endif
