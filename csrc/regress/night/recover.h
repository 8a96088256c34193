/* Results that a runner which was killed has left in the ledger of its night, and not in the database. */
#ifndef REGRESS_NIGHT_RECOVER_H
#define REGRESS_NIGHT_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "regress/store/store.h"

/* Brings what stands in an open ledger (run/result/ledger.h) into the database: of each test that has no result yet the
 * final one, else what its own process has noted. The ledger is empty then. False with a message; nothing is changed
 * then. */
bool recover_night(struct store *store, int64_t night, const char *folder, int ledger, struct error *err);

/* The same for all nights of a database whose runner is gone and has left a ledger. Nothing is done where there is no
 * database. */
bool recover_nights(const char *database, struct error *err);

#endif
