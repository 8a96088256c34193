/* Names of AXI clients (chapter 70 section 3). */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include <stdbool.h>

#include "device/device.h"

/* Name of the client behind an AXI ID 0..15 of the read or write channels: "SDP", "SDP_B", "CDMA_DAT"; "ID12" where
 * there is none. */
const char *axi_client_name(int id, bool write);

#endif
