// Functions of CUDA's math library beyond the C library's, and the fast ones with their loss.
#pragma once
#define __MATH_FUNCTIONS_H__

#include <math.h>
#include <stdlib.h>

#include <cmath>

#include "simt/fast_math.h"

// --- beyond the C library ----------------------------------------------------------------------

inline float rsqrtf(float x) { return simt::reciprocal_root(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return float(1 / cbrt(double(x))); }
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline float rhypotf(float x, float y) { return float(1 / hypot(double(x), double(y))); }
inline double rhypot(double x, double y) { return 1 / hypot(x, y); }
inline float fdividef(float x, float y) { return x / y; }
inline double sinpi(double x) { return simt::sine_pi(x); }
inline double cospi(double x) { return simt::cosine_pi(x); }
inline float sinpif(float x) { return float(simt::sine_pi(x)); }
inline float cospif(float x) { return float(simt::cosine_pi(x)); }
inline void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
inline void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
inline float normcdff(float x) { return float(normcdf(double(x))); }
inline double erfcx(double x) { return simt::scaled_erfc(x); }
inline float erfcxf(float x) { return float(simt::scaled_erfc(x)); }
inline double erfinv(double x) { return simt::inverse_erf(x); }
inline float erfinvf(float x) { return float(simt::inverse_erf(x)); }
inline double erfcinv(double x) { return simt::inverse_erfc(x); }
inline float erfcinvf(float x) { return float(simt::inverse_erfc(x)); }
inline double normcdfinv(double x) { return -1.41421356237309504880 * simt::inverse_erfc(2 * x); }
inline float normcdfinvf(float x) { return float(normcdfinv(double(x))); }
inline double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
inline double norm4d(double a, double b, double c, double d) { return hypot(norm3d(a, b, c), d); }
inline double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
inline double rnorm4d(double a, double b, double c, double d) { return 1 / norm4d(a, b, c, d); }
inline float norm3df(float a, float b, float c) { return float(norm3d(a, b, c)); }
inline float norm4df(float a, float b, float c, float d) { return float(norm4d(a, b, c, d)); }
inline float rnorm3df(float a, float b, float c) { return float(1 / norm3d(a, b, c)); }
inline float rnorm4df(float a, float b, float c, float d) { return float(1 / norm4d(a, b, c, d)); }

// --- the smaller and the larger ----------------------------------------------------------------

#define SIMT_EXTREMES(A, B, R) \
    inline R min(A x, B y) { const R a = (R)x, b = (R)y; return a < b ? a : b; } \
    inline R max(A x, B y) { const R a = (R)x, b = (R)y; return a < b ? b : a; }
SIMT_EXTREMES(int, int, int)
SIMT_EXTREMES(unsigned int, unsigned int, unsigned int)
SIMT_EXTREMES(int, unsigned int, unsigned int)
SIMT_EXTREMES(unsigned int, int, unsigned int)
SIMT_EXTREMES(long int, long int, long int)
SIMT_EXTREMES(unsigned long int, unsigned long int, unsigned long int)
SIMT_EXTREMES(long int, unsigned long int, unsigned long int)
SIMT_EXTREMES(unsigned long int, long int, unsigned long int)
SIMT_EXTREMES(long long int, long long int, long long int)
SIMT_EXTREMES(unsigned long long int, unsigned long long int, unsigned long long int)
SIMT_EXTREMES(long long int, unsigned long long int, unsigned long long int)
SIMT_EXTREMES(unsigned long long int, long long int, unsigned long long int)
#undef SIMT_EXTREMES
// A number wins over what is none.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
inline long long llmin(long long a, long long b) { return a < b ? a : b; }
inline long long llmax(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }

// --- fast ones: what is documented to be lost is lost --------------------------------------------

// The C library declares some of these names as functions of C; these are the same functions then.
inline float __sinf(float x) noexcept { return simt::fast_sine(x); }
inline float __cosf(float x) noexcept { return simt::fast_cosine(x); }
inline float __tanf(float x) noexcept { return simt::fast_sine(x) / simt::fast_cosine(x); }
inline void __sincosf(float x, float *s, float *c) noexcept { *s = __sinf(x), *c = __cosf(x); }
inline float __expf(float x) noexcept { return simt::fast_exp2(x * 1.4426950408889634f); }
inline float __exp10f(float x) noexcept { return simt::fast_exp2(x * 3.3219280948873623f); }
inline float __log2f(float x) noexcept { return simt::fast_log2(x); }
inline float __logf(float x) noexcept { return simt::fast_log2(x) * 0.69314718055994531f; }
inline float __log10f(float x) noexcept { return simt::fast_log2(x) * 0.30102999566398120f; }
inline float __powf(float x, float y) noexcept { return simt::fast_exp2(y * simt::fast_log2(x)); }
inline float __fdividef(float x, float y) noexcept { return simt::fast_divide(x, y); }
inline float __saturatef(float x) noexcept { return x >= 1 ? 1.0f : x > 0 ? x : 0.0f; }
inline float saturate(float x) { return __saturatef(x); }

// -use_fast_math: calls of these names take the fast ones.
#ifdef SIMT_FAST_MATH
#define sinf(x) __sinf(x)
#define cosf(x) __cosf(x)
#define tanf(x) __tanf(x)
#define sincosf(x, s, c) __sincosf(x, s, c)
#define expf(x) __expf(x)
#define exp10f(x) __exp10f(x)
#define logf(x) __logf(x)
#define log2f(x) __log2f(x)
#define log10f(x) __log10f(x)
#define powf(x, y) __powf(x, y)
#define fdividef(x, y) __fdividef(x, y)
#endif
