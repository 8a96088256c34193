/* Requantisation as TFLite computes it: a factor as a mantissa of 31 bits and an exponent. Spec: 88-quantised-networks
 * section 2.1. */
#pragma once

#include <stdint.h>

/* The two roundings of TFLite: its default path for processors (one rounding), its reference kernels (two). */
enum rounding_rule { RULE_CPU, RULE_MICRO };

/* mantissa * 2^(exponent - 31); mantissa 0 or 2^30 .. 2^31 - 1. */
struct multiplier {
    int32_t mantissa;
    int exponent;
};

/* The multiplier of a factor, 0 <= factor < 2^30. */
struct multiplier multiplier_of(double factor);
double multiplier_value(struct multiplier multiplier);

/* value * multiplier, rounded by the rule; value has at most 32 bits. Saturated to 32 bits. */
int32_t multiplier_apply(struct multiplier multiplier, int64_t value, enum rounding_rule rule);
