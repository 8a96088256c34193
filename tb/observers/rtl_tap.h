/* Taps of an RTL (observe/tap.h): the same streams as the model's, for whoever listens.
 *
 *   of every RTL       the atoms that each client of the memory reads and writes, in the order of their beats
 *   of this project's, where the simulator was built with them (variant waves)
 *                      what CACC hands to SDP (CACC_SAT) and what leaves SDP (SDP_OUT), launch by launch, with places
 * in the cube and without the lanes that hold no channel: element by element what the model delivers
 */
#ifndef TB_OBSERVERS_RTL_TAP_H
#define TB_OBSERVERS_RTL_TAP_H

#include "nvdla/config.h"
#include "observe/tap.h"
#include "tb/axi_memory.h"
#include "tb/observers/observer.h"
#include "tb/signals.h"

struct rtl_tap;

/* layout: of tb_top's vectors; both and the listeners outlive the observer. internal: the device shows tb_top's taps.
 */
struct rtl_tap *rtl_tap_new(const struct nvdla_config *config, const struct signal_layout *layout,
                            const struct tap_listeners *listeners, bool internal);

/* Delivers from now on: a tap counts first, so that it knows launches and places, and delivers nothing. */
void rtl_tap_record(struct rtl_tap *tap);

/* Frees the tap when it is released. */
struct observer rtl_tap_observer(struct rtl_tap *tap);

/* What the memories tell the tap of their beats (axi_memory_listen). */
struct axi_listener rtl_tap_axi(struct rtl_tap *tap);

#endif
