/* The memory ports: whether MCIF and CVIF answer a client. Spec: 70-memory-interface sections 3 and 7. */
#pragma once

#include "model/machine.h"
#include "nvdla/clients.h"

/* The clients that read the operands of SDP's stages. */
extern const enum nvdla_client client_operands[SDP_STAGES];

/* The register of a port that blocks the client, as offset in the port's window: its weight is 0, or a burst has more
 * data beats than may be in flight. CLIENT_NOT_BLOCKED: not blocked. The port must exist.
 *
 * primary  RAM_TYPE: 1 MC, 0 CV Sections 3.1 and 3.3. */
enum { CLIENT_NOT_BLOCKED = -1 };
int client_blocked_by(const struct model *model, enum nvdla_client client, bool primary);

/* True if requests of the client are answered: the port exists and does not block them. Section 7. */
bool client_served(const struct model *model, enum nvdla_client client, bool primary);

/* Sets dma up for the current layer of the client's unit; its beats count as the client's. The client must be
 * served. */
void client_open(struct model *model, struct dma *dma, enum nvdla_client client, bool primary);
