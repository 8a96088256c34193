/* The failures of a night in buckets of those that look alike, so that a person looks at one of each.
 *
 * Every failure has a coarse signature by its result alone (signature.h; those without an RTL and a model to compare,
 * crashes and errors by the words of their reason too). `nvcosim debug` then looks at some of them, and names engine
 * and tap. Failures of the same coarse signature that it has not looked at belong to the bucket of those that it has,
 * if these agree; else they have one of their own. Known failures have buckets apart, and are not looked at. */
#ifndef REGRESS_NIGHT_BUCKETS_H
#define REGRESS_NIGHT_BUCKETS_H

#include "regress/night/failure_triage.h"

/* Debugs and shrinks failures (look; else what earlier calls found counts), and writes the buckets of the night and the
 * bucket of each result, in one transaction that replaces those of an earlier call. Debug and shrink continue where an
 * earlier call was ended; their errors are in the notes of the buckets. The same failures give the same buckets in the
 * same order: known failures last, the largest first, then by signature. *signal: that ended debug and shrink, else 0;
 * the buckets are written all the same. False with a message if they could not be. */
bool buckets_make(const struct triage_job *job, bool look, int *signal, struct error *err);

#endif
