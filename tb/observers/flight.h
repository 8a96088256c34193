/* Launches in flight: since when each has been running, as far as the ports tell it, so for any RTL. Only the launches
 * count that fetch their input from memory (CDMA and the read DMAs, RUBIK, BDMA): the engines behind them start later.
 *
 * A launch starts when it is armed, or when its first beat of data is read if that can be told, at the earliest so long
 * before as a read may take. It is done when the layer has written all that it writes; where the layer writes nothing,
 * or its beats cannot be counted, when the second launch after it is armed, for a unit has two groups of registers.
 */
#ifndef TB_OBSERVERS_FLIGHT_H
#define TB_OBSERVERS_FLIGHT_H

#include "device/beat.h"
#include "device/device.h"
#include "nvdla/config.h"
#include "tb/observers/observer.h"

struct flight;

/* read_latency: clocks that a read may take. */
struct flight *flight_new(const struct nvdla_config *config, uint64_t read_latency);

/* Frees the flight when it is released. */
struct observer flight_observer(struct flight *flight);

/* What the memories tell it of their beats (axi_memory_listen). */
struct axi_listener flight_axi(struct flight *flight);

/* The launches that ran in that clock, which is past by not much: what was done before the present launches were armed
 * is forgotten. Returns their number, at most `room`. */
size_t flight_at(const struct flight *flight, uint64_t cycle, struct device_launch *launches, size_t room);

#endif
