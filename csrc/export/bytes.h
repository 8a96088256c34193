/* Replaces CRC checks by checks of bytes. */
#pragma once

#include "device/device.h"
#include "trace/program.h"

/* Replaces every OP_MEM_CRC of a sequential program by a check of the bytes that the device, a model, has there at that
 * point. Plays the program once if it has a CRC. False with a message if the bytes have a different CRC (FILE:LINE of
 * the check), or if the program does not finish on the device. */
bool crc_to_bytes(struct program *prog, struct device *dev, uint64_t seed, struct error *err);
