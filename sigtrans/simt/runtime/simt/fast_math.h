// What math_functions.h stands on.
#pragma once

#include "rounding.h"

namespace simt {

double sine_pi(double x);
double cosine_pi(double x);
double scaled_erfc(double x);
double inverse_erf(double x);
double inverse_erfc(double x);

// With the largest errors that are documented for the intrinsics, always towards zero, so that code
// that swaps to them gives another result, the same each time.
float fast_sine(float x);
float fast_cosine(float x);
float fast_exp2(float x);
float fast_log2(float x);
float fast_divide(float x, float y);

}  // namespace simt
