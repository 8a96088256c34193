/* The RTL as a device: a testbench over VPI around tb_top, inside a simulator whose main program supplies the clock.
 * Its state is in rtl_state.h, its clock loop in rtl_device.c. */
#pragma once

#include "device/device.h"
#include "device/rtl_options.h"
#include "tb/simulator.h"

/* Opens the device and finds tb_top's signals by VPI. Fails if the simulator was built for another configuration. */
struct device *rtl_device_new(const struct nvdla_config *config, const struct rtl_options *options,
                              const struct simulator *simulator, const char *name, struct error *err);
