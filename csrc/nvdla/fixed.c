/* The external definitions of the inline functions, for calls that the compiler does not inline. */
#include "nvdla/fixed.h"

extern inline int64_t fixed_saturate(int64_t value, int bits);
extern inline int64_t fixed_sign_extend(int64_t value, int bits);
extern inline int64_t fixed_round_shift(int64_t value, unsigned shift);
extern inline int64_t fixed_convert(int64_t value, int64_t offset, int64_t scale, unsigned shift, int bits);
extern inline struct fixed_rounding fixed_rounding(unsigned shift);
extern inline int64_t fixed_round(struct fixed_rounding rounding, int64_t value);
