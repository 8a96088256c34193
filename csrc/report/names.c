#include "report/names.h"

const char *axi_client_name(int id, bool write) {
    static const char *const reads[AXI_IDS] = {"BDMA",  "SDP",   "PDP",      "CDP",     "RUBIK", "SDP_B",
                                               "SDP_N", "SDP_E", "CDMA_DAT", "CDMA_WT", "ID10",  "ID11",
                                               "ID12",  "ID13",  "ID14",     "ID15"};
    static const char *const writes[AXI_IDS] = {"BDMA", "SDP", "PDP",  "CDP",  "RUBIK", "ID5",  "ID6",  "ID7",
                                                "ID8",  "ID9", "ID10", "ID11", "ID12",  "ID13", "ID14", "ID15"};
    return write ? writes[id & (AXI_IDS - 1)] : reads[id & (AXI_IDS - 1)];
}
