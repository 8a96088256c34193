/* Launches in flight, with the clock at which each started, as far as the ports show it: works for any RTL. Only
 * launches that fetch their input from memory count (CDMA, the read DMAs, RUBIK, BDMA): the engines after them start
 * later.
 *
 * A launch starts when it is armed or, if its first beat of read data can be identified, at most one read time before
 * that beat. It is done when the layer has written all its bytes. If the layer writes nothing, or its beats cannot be
 * counted, it is done when the second launch after it is armed, because a unit has two groups of registers. */
#pragma once

#include "device/beat.h"
#include "device/device.h"
#include "nvdla/config.h"
#include "tb/observers/observer.h"

struct flight;

/* read_latency: longest time of a read, in clocks. */
struct flight *flight_new(const struct nvdla_config *config, uint64_t read_latency);

/* Releasing the observer frees the flight. */
struct observer flight_observer(struct flight *flight);

/* Listener for the beats of the memories (axi_memory_listen). */
struct axi_listener flight_axi(struct flight *flight);

/* The launches that ran in a recent clock: launches done before the current ones were armed are forgotten. Returns
 * their number, at most `room`. */
size_t flight_at(const struct flight *flight, uint64_t cycle, struct device_launch *launches, size_t room);
