/* Bytes in place of CRCs. */
#ifndef EXPORT_BYTES_H
#define EXPORT_BYTES_H

#include "device/device.h"
#include "trace/program.h"

/* Makes every OP_MEM_CRC of a sequential program a check of bytes: those that the device, a model, has there when the
 * program gets to that place. It is played once, unless the program has no CRC. False with a message: the CRC of those
 * bytes is another one (FILE:LINE of the check), or the program does not come to its end on the device. */
bool crc_to_bytes(struct program *prog, struct device *dev, uint64_t seed, struct error *err);

#endif
