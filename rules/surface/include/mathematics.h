/* The C library's functions that device code may call as well. The host has them from its own
   headers; C++'s overloads of std are constexpr there, so device code sees those already. */
#ifndef SIGTRANS_MATHEMATICS_H
#define SIGTRANS_MATHEMATICS_H
#ifdef __MUSACC__
#define SIGTRANS_D1(n) __device__ double n(double); __device__ float n##f(float);
#define SIGTRANS_D2(n) __device__ double n(double, double); __device__ float n##f(float, float);
SIGTRANS_D1(acos) SIGTRANS_D1(acosh) SIGTRANS_D1(asin) SIGTRANS_D1(asinh) SIGTRANS_D1(atan)
SIGTRANS_D1(atanh) SIGTRANS_D1(cbrt) SIGTRANS_D1(ceil) SIGTRANS_D1(cos) SIGTRANS_D1(cosh)
SIGTRANS_D1(erf) SIGTRANS_D1(erfc) SIGTRANS_D1(exp) SIGTRANS_D1(exp2) SIGTRANS_D1(expm1)
SIGTRANS_D1(fabs) SIGTRANS_D1(floor) SIGTRANS_D1(j0) SIGTRANS_D1(j1) SIGTRANS_D1(lgamma)
SIGTRANS_D1(log) SIGTRANS_D1(log10) SIGTRANS_D1(log1p) SIGTRANS_D1(log2) SIGTRANS_D1(logb)
SIGTRANS_D1(nearbyint) SIGTRANS_D1(rint) SIGTRANS_D1(round) SIGTRANS_D1(sin) SIGTRANS_D1(sinh)
SIGTRANS_D1(sqrt) SIGTRANS_D1(tan) SIGTRANS_D1(tanh) SIGTRANS_D1(tgamma) SIGTRANS_D1(trunc)
SIGTRANS_D1(y0) SIGTRANS_D1(y1)
SIGTRANS_D2(atan2) SIGTRANS_D2(copysign) SIGTRANS_D2(fdim) SIGTRANS_D2(fmax) SIGTRANS_D2(fmin)
SIGTRANS_D2(fmod) SIGTRANS_D2(hypot) SIGTRANS_D2(nextafter) SIGTRANS_D2(pow)
SIGTRANS_D2(remainder)
__device__ int abs(int);
__device__ long labs(long);
__device__ long long llabs(long long);
__device__ double fma(double, double, double);
__device__ float fmaf(float, float, float);
__device__ double frexp(double, int *);
__device__ float frexpf(float, int *);
__device__ double ldexp(double, int);
__device__ float ldexpf(float, int);
__device__ double modf(double, double *);
__device__ float modff(float, float *);
__device__ double remquo(double, double, int *);
__device__ float remquof(float, float, int *);
__device__ double scalbn(double, int);
__device__ float scalbnf(float, int);
__device__ double scalbln(double, long);
__device__ float scalblnf(float, long);
__device__ double jn(int, double);
__device__ float jnf(int, float);
__device__ double yn(int, double);
__device__ float ynf(int, float);
__device__ int ilogb(double);
__device__ int ilogbf(float);
__device__ long lrint(double);
__device__ long lrintf(float);
__device__ long lround(double);
__device__ long lroundf(float);
__device__ long long llrint(double);
__device__ long long llrintf(float);
__device__ long long llround(double);
__device__ long long llroundf(float);
__device__ double nan(const char *);
__device__ float nanf(const char *);
__device__ void sincos(double, double *, double *);
__device__ void sincosf(float, float *, float *);
#undef SIGTRANS_D1
#undef SIGTRANS_D2
#if __has_include(<cmath>)
namespace std {
using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2;
using ::atanh; using ::cbrt; using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf;
using ::erfc; using ::exp; using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor;
using ::fma; using ::fmax; using ::fmin; using ::fmod; using ::frexp; using ::hypot; using ::ilogb;
using ::ldexp; using ::lgamma; using ::llrint; using ::llround; using ::log; using ::log10;
using ::log1p; using ::log2; using ::logb; using ::lrint; using ::lround; using ::modf; using ::nan;
using ::nearbyint; using ::nextafter; using ::pow; using ::remainder; using ::remquo; using ::rint;
using ::round; using ::scalbln; using ::scalbn; using ::sin; using ::sinh; using ::sqrt; using ::tan;
using ::tanh; using ::tgamma; using ::trunc;
using ::abs; using ::labs; using ::llabs; using ::malloc; using ::free; using ::memcpy;
using ::memset; using ::printf;
}
#endif
#endif
#endif
