/* exp, log and pow of the runtime's processor operations, from basic operations alone: library versions and processors
 * differ in the last bit, but a trace must have the same bytes everywhere. Spec: 87-loadables section 8. */
#pragma once

/* Values of binary32. Each result is computed in binary64 with a relative error below 2^-44 and rounded once to
 * nearest: it is correctly rounded except for about one in 2^20 arguments; for whole powers up to 256 and 0.5, pow is
 * also correct if the exact result is a tie. Infinities, NaNs and zeros follow C's Annex F. */
float elementary_exp(float x);
float elementary_log(float x);
float elementary_pow(float x, float y);
