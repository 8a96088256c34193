/* A QEMU that has the vfio-user client: 10.1 or later. */
#ifndef RUN_GUEST_QEMU_H
#define RUN_GUEST_QEMU_H

#include "nvdla/error.h"
#include "nvdla/text.h"

/* Adds the words that start qemu-system-aarch64: the one in PATH, or that of a chroot that scripts/on_debian.sh made,
 * which needs no root. False with a message that names those that are too old. */
bool qemu_find(struct words *words, struct error *err);

#endif
