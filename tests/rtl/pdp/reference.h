/* The C model's PDP on its own, fed with the same register writes as the RTL under test: register groups and memory of
 * the model, no other unit. */
#ifndef PDP_REFERENCE_H
#define PDP_REFERENCE_H

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
    int pdp;      /* elements per clock */
    int sdp;      /* lanes of a beat from SDP */
    int memories; /* 1 or 2 */
    int latency;  /* design latency of the primary memory, clocks */
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

/* Registers, in-window byte offset. rdma: PDP_RDMA, else PDP. */
void reference_register_write(struct reference *ref, bool rdma, uint32_t offset, uint32_t value);
uint32_t reference_register_read(struct reference *ref, bool rdma, uint32_t offset);

/* Runs the layer of the CONSUMER groups. stream: the cube from SDP in processing order, for an on-the-fly layer.
 * Returns false with a reason if the model does not take the layer. */
bool reference_run(struct reference *ref, const uint8_t *stream, size_t stream_bytes, const char **reason);

#ifdef __cplusplus
}
#endif
#endif
