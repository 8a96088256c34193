/* Look-ups in the table of memory clients. See clients.h. */
#include "nvdla/clients.h"

bool nvdla_client_exists(const struct nvdla_config *config, enum nvdla_client client) {
    return nvdla_config_meets(config, nvdla_clients[client].condition);
}

bool nvdla_unit_reads(enum nvdla_unit unit) {
    for (int i = 0; i < NVDLA_CLIENT_COUNT; i++)
        if (nvdla_clients[i].unit == unit && !nvdla_clients[i].write)
            return true;
    return false;
}

enum nvdla_client nvdla_client_find(int id, bool write) {
    int client = 0;
    while (client < NVDLA_CLIENT_COUNT && !(nvdla_clients[client].id == id && nvdla_clients[client].write == write))
        client++;
    return (enum nvdla_client)client;
}

uint32_t nvdla_client_ids(const struct nvdla_config *config, bool write) {
    uint32_t ids = 0;
    for (int i = 0; i < NVDLA_CLIENT_COUNT; i++)
        if (nvdla_clients[i].write == write && nvdla_client_exists(config, (enum nvdla_client)i))
            ids |= UINT32_C(1) << nvdla_clients[i].id;
    return ids;
}

const char *nvdla_client_name(int id, bool write) {
    static const char *const others[AXI_IDS] = {"ID0", "ID1", "ID2",  "ID3",  "ID4",  "ID5",  "ID6",  "ID7",
                                                "ID8", "ID9", "ID10", "ID11", "ID12", "ID13", "ID14", "ID15"};
    const enum nvdla_client client = nvdla_client_find(id, write);
    return client < NVDLA_CLIENT_COUNT ? nvdla_clients[client].name : others[id & (AXI_IDS - 1)];
}
