/* SPDX-License-Identifier: GPL-2.0 */
/* For exported programs, which include it, in the kernel, which has no <stdint.h>. */
#include <linux/types.h>
