// sigtrans_half.h: half functions of CUDA that MUSA's headers lack, by way of float.
// sigtrans: skip-file
//
// hexp and its like are missing, hidden or without a body in MUSA's headers; conversions to and from
// float are there. Evidence: compile report, mp_22, SDK 3.1; InfiniCore: src/infiniop/ops/
// causal_softmax/moore/causal_softmax_kernel.h; half2 masks from runtime 4.3 (whisper.cpp:
// ggml/src/ggml-cuda/common.cuh).
#pragma once

#if defined(__MUSACC__) || defined(__CUDACC__) || defined(SIGTRANS_HOST_TEST)

#include <math.h>
#include <musa_fp16.h>

namespace sigtrans {
namespace by_float {

__device__ __forceinline__ float widen(__half x) { return __half2float(x); }
__device__ __forceinline__ __half narrow(__half, float x) { return __float2half_rn(x); }
__device__ __forceinline__ float low(__half2 x) { return __low2float(x); }
__device__ __forceinline__ float high(__half2 x) { return __high2float(x); }
__device__ __forceinline__ __half2 join(__half2, float a, float b) {
  return __floats2half2_rn(a, b);
}

} // namespace by_float
} // namespace sigtrans

// One function for __half and __half2 (and the bfloat16 pair, in sigtrans_bf16.h) from one on float.
#define SIGTRANS_HALF_FUNCTION(Scalar, Pair, one, two, expression)                                 \
  __device__ __forceinline__ Scalar one(Scalar value) {                                            \
    const float x = by_float::widen(value);                                                        \
    return by_float::narrow(value, expression);                                                    \
  }                                                                                                \
  __device__ __forceinline__ Pair two(Pair value) {                                                \
    float x = by_float::low(value);                                                                \
    const float a = expression;                                                                    \
    x = by_float::high(value);                                                                     \
    return by_float::join(value, a, expression);                                                   \
  }
#define SIGTRANS_HALF_FUNCTIONS(Scalar, Pair)                                                      \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hexp, h2exp, expf(x))                                       \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hexp2, h2exp2, exp2f(x))                                    \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hexp10, h2exp10, powf(10.0f, x))                            \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hlog, h2log, logf(x))                                       \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hlog2, h2log2, log2f(x))                                    \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hlog10, h2log10, log10f(x))                                 \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hsin, h2sin, sinf(x))                                       \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hcos, h2cos, cosf(x))                                       \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, htanh, h2tanh, tanhf(x))                                    \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, htanh_approx, h2tanh_approx, tanhf(x))                      \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hsqrt, h2sqrt, sqrtf(x))                                    \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hrsqrt, h2rsqrt, 1.0f / sqrtf(x))                           \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hrcp, h2rcp, 1.0f / x)                                      \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hceil, h2ceil, ceilf(x))                                    \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hfloor, h2floor, floorf(x))                                 \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, hrint, h2rint, rintf(x))                                    \
  SIGTRANS_HALF_FUNCTION(Scalar, Pair, htrunc, h2trunc, truncf(x))

// Masks of two comparisons, 0xffff where one holds; the u forms hold for NaN as well.
#define SIGTRANS_HALF_MASK(Pair, name, ordered, unordered)                                         \
  __device__ __forceinline__ unsigned name(Pair left, Pair right) {                                \
    float a = by_float::low(left), b = by_float::low(right);                                       \
    const unsigned low = (ordered) ? 0xffffu : 0u;                                                 \
    a = by_float::high(left), b = by_float::high(right);                                           \
    return low | ((ordered) ? 0xffff0000u : 0u);                                                   \
  }                                                                                                \
  __device__ __forceinline__ unsigned unordered(Pair left, Pair right) {                           \
    float a = by_float::low(left), b = by_float::low(right);                                       \
    const unsigned low = ((ordered) || a != a || b != b) ? 0xffffu : 0u;                           \
    a = by_float::high(left), b = by_float::high(right);                                           \
    return low | (((ordered) || a != a || b != b) ? 0xffff0000u : 0u);                             \
  }
#define SIGTRANS_HALF_MASKS(Pair)                                                                  \
  SIGTRANS_HALF_MASK(Pair, heq2_mask, a == b, hequ2_mask)                                          \
  SIGTRANS_HALF_MASK(Pair, hne2_mask, a < b || a > b, hneu2_mask)                                  \
  SIGTRANS_HALF_MASK(Pair, hle2_mask, a <= b, hleu2_mask)                                          \
  SIGTRANS_HALF_MASK(Pair, hge2_mask, a >= b, hgeu2_mask)                                          \
  SIGTRANS_HALF_MASK(Pair, hlt2_mask, a < b, hltu2_mask)                                           \
  SIGTRANS_HALF_MASK(Pair, hgt2_mask, a > b, hgtu2_mask)

namespace sigtrans {

SIGTRANS_HALF_FUNCTIONS(__half, __half2)
SIGTRANS_HALF_MASKS(__half2)

} // namespace sigtrans

#endif
