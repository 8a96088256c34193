/* The C model's CDP on its own, fed with the same register writes as the RTL under test: register groups, tables and
 * memory of the model, no other unit. */
#ifndef CDP_REFERENCE_H
#define CDP_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct reference;

/* Facts of the configuration that the bench needs. */
struct reference_shape {
    int atom;     /* bytes, lanes */
    int cdp;      /* elements per clock */
    int memories; /* 1 or 2 */
};

enum reference_side { REFERENCE_MODEL, REFERENCE_RTL, REFERENCE_SIDES };

/* NULL if there is no such configuration or no memory. */
struct reference *reference_new(const char *config, struct reference_shape *shape);
void reference_free(struct reference *ref);

/* Memory of the model and of the RTL; primary: 1 MC, 0 CV. */
void reference_load(struct reference *ref, bool primary, uint64_t address, const void *bytes, size_t n); /* into both */
void reference_read(struct reference *ref, enum reference_side side, bool primary, uint64_t address, void *bytes,
                    size_t n);
void reference_write(struct reference *ref, enum reference_side side, bool primary, uint64_t address, const void *bytes,
                     size_t n);
/* First address where the two sides differ; false if they do not. */
bool reference_difference(struct reference *ref, bool *primary, uint64_t *address);

/* Registers, in-window byte offset, the table port of CDP included. rdma: CDP_RDMA, else CDP. */
void reference_register_write(struct reference *ref, bool rdma, uint32_t offset, uint32_t value);
uint32_t reference_register_read(struct reference *ref, bool rdma, uint32_t offset);

/* Runs the layer of the CONSUMER groups. Returns false if they are not both armed or memory is exhausted. */
bool reference_run(struct reference *ref);

#ifdef __cplusplus
}
#endif
#endif
