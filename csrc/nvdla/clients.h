/* The table of clients that read or write memory through MCIF and CVIF. scripts/gen_tables.py generates it, and the
 * arbiter slots and IDs of the RTL, from clients.csv: a new client is one row there.
 *
 * enum nvdla_client names them: NVDLA_READ_SDP_B, NVDLA_WRITE_PDP; NVDLA_CLIENT_COUNT. Spec: 70-memory-interface
 * section 3. */
#pragma once

#include "nvdla/config.h"
#include "nvdla_names.h"

enum { AXI_IDS = 16 }; /* AXI IDs 0..15; readers and writers are numbered separately */

struct nvdla_client_facts {
    const char *name;                /* "SDP_B" */
    int id;                          /* AXI ID */
    bool write;                      /* writes; otherwise it reads */
    enum nvdla_unit unit;            /* unit whose layers it serves */
    enum nvdla_engine engine;        /* engine it belongs to */
    uint32_t ram_register, ram_mask; /* field in that unit that selects the port: 1 primary, 0 secondary */
    uint32_t weight_register;        /* register with its arbiter weight, at the same offset in MCIF and CVIF */
    unsigned weight_lsb;             /* 8 bits from here */
    size_t condition;                /* see nvdla_config_meets */
    int slot[NVDLA_MAP_COUNT];       /* its turn at the arbiter; -1: the map has no such client */
};

extern const struct nvdla_client_facts nvdla_clients[NVDLA_CLIENT_COUNT];

/* True if the configuration has the client. */
bool nvdla_client_exists(const struct nvdla_config *config, enum nvdla_client client);

/* True if the launches of a unit read memory. */
bool nvdla_unit_reads(enum nvdla_unit unit);

/* The client with an AXI ID on the read or write channels; NVDLA_CLIENT_COUNT: no configuration has one. */
enum nvdla_client nvdla_client_find(int id, bool write);

/* IDs of the configuration's clients that read or write: bit i is ID i. */
uint32_t nvdla_client_ids(const struct nvdla_config *config, bool write);

/* Name of the client with an AXI ID 0..15; "ID12" if there is none. */
const char *nvdla_client_name(int id, bool write);
