/* NVIDIA's errata of image layers (nvdla/errata.h), from registers. */
#pragma once

#include "layers/tracker.h"
#include "layers/view.h"
#include "nvdla/errata.h"

/* How NVIDIA's CSC goes along a line of the layer in CSC's registers; row 0 if E1 does not concern such layers. */
struct errata_line image_errata_line(const struct registers_view *view);

/* Whether the layer in the registers of CSC and CDMA has erratum E1, or may have E2. */
bool image_takes_others(const struct registers_view *view);
bool image_pads_are_lost(const struct registers_view *view);

/* Whether a convolution among the launches has one of them. */
bool launches_have_erratum(const struct layer_tracker *launches);
