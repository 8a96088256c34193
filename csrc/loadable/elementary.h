/* exp, log and pow of the processor's side of the runtime, computed by basic operations alone: libraries differ in the
 * last bit with their version and with the processor, and a trace has the same bytes everywhere. Spec: 87-loadables
 * section 8.
 */
#ifndef LOADABLE_ELEMENTARY_H
#define LOADABLE_ELEMENTARY_H

/* Values of binary32. Each result is that of a binary64 computation with an error below 2^-44 of it, rounded once to
 * nearest: the correctly rounded one but for about one in 2^20 arguments; pow of whole powers up to 256 and of 0.5
 * also where the exact result is a tie. What is infinite, no number or zero, C's Annex F says.
 */
float elementary_exp(float x);
float elementary_log(float x);
float elementary_pow(float x, float y);

#endif
