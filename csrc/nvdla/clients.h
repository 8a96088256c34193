/* Clients of the memory interfaces as data: who reads and writes memory through MCIF and CVIF. Generated from
 * clients.csv by scripts/gen_tables.py, which makes the arbiter slots and IDs of the RTL from the same rows; a further
 * client is one row there.
 *
 * enum nvdla_client names them: NVDLA_READ_SDP_B, NVDLA_WRITE_PDP; NVDLA_CLIENT_COUNT.
 * Spec: 70-memory-interface section 3.
 */
#ifndef NVDLA_CLIENTS_H
#define NVDLA_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/config.h"
#include "nvdla_names.h"

enum { AXI_IDS = 16 }; /* AXI IDs 0..15; readers and writers count separately */

struct nvdla_client_facts {
    const char *name;                /* "SDP_B" */
    int id;                          /* AXI ID */
    bool write;                      /* it writes; else it reads */
    enum nvdla_unit unit;            /* whose layers it serves, */
    enum nvdla_engine engine;        /* by which engine, */
    uint32_t ram_register, ram_mask; /* the field there that chooses the port: 1 primary, 0 secondary */
    uint32_t weight_register;        /* MCIF and CVIF have the same layout: the register with its arbiter weight, */
    unsigned weight_lsb;             /* 8 bits from here on */
    size_t condition;                /* see nvdla_config_meets */
};

extern const struct nvdla_client_facts nvdla_clients[NVDLA_CLIENT_COUNT];

/* True if the configuration has the client. */
bool nvdla_client_exists(const struct nvdla_config *config, enum nvdla_client client);

/* True if the launches of a unit read memory. */
bool nvdla_unit_reads(enum nvdla_unit unit);

/* The client behind an AXI ID of the read or write channels; NVDLA_CLIENT_COUNT: no configuration has one. */
enum nvdla_client nvdla_client_find(int id, bool write);

/* IDs of the clients of the configuration that read or write: bit i is ID i. */
uint32_t nvdla_client_ids(const struct nvdla_config *config, bool write);

/* Name of the client behind an AXI ID 0..15, "ID12" where there is none. */
const char *nvdla_client_name(int id, bool write);

#endif
