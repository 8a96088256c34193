/* Owner of an AXI beat: from the AXI ID to the unit and, by counting bytes, to that unit's launch (layers/tracker.h).
 *
 * Each client serves its launches in order, and each launch moves a known number of atoms on a known port, so the n-th
 * byte of an ID on a port belongs to the launch whose share includes it. Fed with register writes as they are accepted
 * and with beats as they move.
 *
 * Spec: 70-memory-interface sections 3 and 7. */
#pragma once

#include "device/beat.h"
#include "layers/tracker.h"
#include "nvdla/config.h"

struct provenance;

struct provenance *provenance_new(const struct nvdla_config *config);
void provenance_free(struct provenance *prov);

/* Feeds one accepted register write: byte address from the NVDLA base, core clock. True if it armed a launch
 * (D_OP_ENABLE; CFG_LAUNCHn of BDMA). */
bool provenance_register_write(struct provenance *prov, uint32_t address, uint32_t value, uint64_t cycle);

/* The n-th launch of a unit, from 0; NULL if it is not armed yet. Valid until the next launch is armed. */
const struct launch *provenance_launch(const struct provenance *prov, enum nvdla_unit unit, int ordinal);

/* Owner of the next `bytes` bytes (>= 1) that an ID moves on a port (0 primary, 1 secondary): a beat or a burst, which
 * never spans two launches. Skips launches whose share on this port is 0. */
struct owner provenance_move(struct provenance *prov, int port, int id, bool write, size_t bytes);

/* The launches armed so far. */
const struct layer_tracker *provenance_launches(const struct provenance *prov);

/* "SDP launch 3", "AXI ID 12 (no such client)", "SDP (no launch)" for messages. Returns text. */
char *owner_name(struct owner owner, int id, char *text, int size);
