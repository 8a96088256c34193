/* Recovers results that a killed runner has left in the ledger of its night, and not in the database. */
#ifndef REGRESS_NIGHT_RECOVER_H
#define REGRESS_NIGHT_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "regress/store/store.h"

/* Moves the results of an open ledger (run/result/ledger.h) into the database: of each test without a result the final
 * one, else the one that its own process has noted. The ledger is empty then. False with a message, and nothing is
 * changed. */
bool recover_night(struct store *store, int64_t night, const char *folder, int ledger, struct error *err);

/* The same for all nights of a database whose runner is gone and has left a ledger. Nothing is done where there is no
 * database. */
bool recover_nights(const char *database, struct error *err);

#endif
