/* The RTL as a device: a testbench over VPI around tb_top. Opened inside a simulator, whose main program supplies the
 * clock. How it is built: rtl_state.h (what it holds), rtl_device.c (the clock loop).
 */
#ifndef TB_RTL_OPEN_H
#define TB_RTL_OPEN_H

#include "device/device.h"
#include "device/rtl_options.h"
#include "tb/simulator.h"

/* Opens the device. Looks tb_top's signals up by VPI; fails if the simulator was built for another configuration. */
struct device *rtl_device_new(const struct nvdla_config *config, const struct rtl_options *options,
                              const struct simulator *simulator, const char *name, struct error *err);

#endif
