/* Put in front of an exported C program (-include): its registers and memory are those of a model of NVDLA, in the
 * program that loads it (device.c). */
#pragma once

#include <stdint.h>

uint32_t shim_read(uint32_t offset);
void shim_write(uint32_t offset, uint32_t value);
void shim_put(int space, uint64_t address, const unsigned char *bytes, uint32_t n);
void shim_get(int space, uint64_t address, unsigned char *bytes, uint32_t n);
void shim_delay(void);
void shim_print(const char *text);

#define NVDLA_REG_READ(offset) shim_read(offset)
#define NVDLA_REG_WRITE(offset, value) shim_write(offset, value)
#define NVDLA_MEM_PUT(space, address, bytes, n) shim_put(space, address, bytes, n)
#define NVDLA_MEM_GET(space, address, bytes, n) shim_get(space, address, bytes, n)
#define NVDLA_DELAY() shim_delay()
#define NVDLA_WAIT_FOR_INTERRUPT() shim_delay()
#define NVDLA_POLL_LIMIT 20000
#define NVDLA_REST_POLLS 100
#define NVDLA_MAIN nvdla_main
#define NVDLA_PRINT(text) shim_print(text)
