/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Put in front of each program that `nvcosim export --to c` writes (-include):
 * its platform is the driver in nvdla_selftest.c.
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <linux/types.h>

u32 selftest_read(u32 offset);
void selftest_write(u32 offset, u32 value);
void selftest_put(int space, u64 address, const void *bytes, u32 n);
void selftest_get(int space, u64 address, void *bytes, u32 n);
void selftest_delay(void);
void selftest_wait(void);
bool selftest_expired(u32 tries);
void selftest_print(const char *text);

#define NVDLA_REG_READ(offset) selftest_read(offset)
#define NVDLA_REG_WRITE(offset, value) selftest_write(offset, value)
#define NVDLA_MEM_PUT(space, address, bytes, n) selftest_put(space, address, bytes, n)
#define NVDLA_MEM_GET(space, address, bytes, n) selftest_get(space, address, bytes, n)
#define NVDLA_DELAY() selftest_delay()
#define NVDLA_WAIT_FOR_INTERRUPT() selftest_wait()
#define NVDLA_EXPIRED(tries) selftest_expired(tries)
#define NVDLA_RESTING(tries) ((tries) >= 100)
#define NVDLA_PRINT(text) selftest_print(text)

#endif
