// sigtrans_bf16.h: bfloat16 functions of CUDA that MUSA's headers lack, by way of float.
// sigtrans: skip-file
//
// The bfloat16 forms of hexp and its like fail, and __low2bfloat16, __high2bfloat16 are missing.
// Evidence: InfiniCore: src/infiniop/ops/rope/moore/rope_kernel_moore.h and
// src/infiniop/ops/causal_softmax/moore/causal_softmax_kernel.h.
#pragma once

#include "sigtrans_half.h"

#if defined(__MUSACC__) || defined(__CUDACC__) || defined(SIGTRANS_HOST_TEST)

#include <musa_bf16.h>

namespace sigtrans {
namespace by_float {

__device__ __forceinline__ float widen(__mt_bfloat16 x) { return __bfloat162float(x); }
__device__ __forceinline__ __mt_bfloat16 narrow(__mt_bfloat16, float x) {
  return __float2bfloat16(x);
}
__device__ __forceinline__ float low(__mt_bfloat162 x) { return __low2float(x); }
__device__ __forceinline__ float high(__mt_bfloat162 x) { return __high2float(x); }
__device__ __forceinline__ __mt_bfloat162 join(__mt_bfloat162, float a, float b) {
  return __floats2bfloat162_rn(a, b);
}

} // namespace by_float

SIGTRANS_HALF_FUNCTIONS(__mt_bfloat16, __mt_bfloat162)
SIGTRANS_HALF_MASKS(__mt_bfloat162)

__device__ __forceinline__ __mt_bfloat16 low2bfloat16(__mt_bfloat162 x) {
  return __float2bfloat16(__low2float(x));
}
__device__ __forceinline__ __mt_bfloat16 high2bfloat16(__mt_bfloat162 x) {
  return __float2bfloat16(__high2float(x));
}

} // namespace sigtrans

#endif
