/* The memory ports: who asks, and whether MCIF and CVIF answer. Spec: 70-memory-interface sections 3 and 7. */
#ifndef MODEL_PORTS_H
#define MODEL_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine.h"

/* A client of the memory ports. */
struct client {
    int axi_id;
    uint32_t weight; /* MCIF and CVIF have the same layout: offset of the register with its arbiter weight, */
    unsigned lsb;    /* and where in it */
};

extern const struct client client_bdma_read, client_sdp_read, client_pdp_read, client_cdp_read, client_rubik_read,
    client_operand_read[SDP_STAGES], client_data_read, client_weight_read;
extern const struct client client_bdma_write, client_sdp_write, client_pdp_write, client_cdp_write, client_rubik_write;

/* The register of a port that keeps the client from being answered, as offset in the port's window: its weight is 0, or
 * a burst has more data beats than may be in flight; CLIENT_NOT_BLOCKED: none does. The port exists.
 *
 * primary  RAM_TYPE: 1 MC, 0 CV
 * Sections 3.1 and 3.3. */
enum { CLIENT_NOT_BLOCKED = -1 };
int client_blocked_by(const struct model *model, const struct client *client, bool primary);

/* True if requests of the client are answered: the port exists and lets them out. Section 7. */
bool client_served(const struct model *model, const struct client *client, bool primary);

/* Sets dma up for the layer that the unit is working on; its beats count as the client's. The client is served. */
void client_open_read(struct model *model, struct dma *dma, const struct client *client, bool primary,
                      enum nvdla_unit unit);
void client_open_write(struct model *model, struct dma *dma, const struct client *client, bool primary,
                       enum nvdla_unit unit);

#endif
