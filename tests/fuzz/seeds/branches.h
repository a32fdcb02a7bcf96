#ifndef BRANCHES_H
#define BRANCHES_H
/* Three back ends: // not a comment end *\/ still one
 */
#if defined(USE_CUDA)
#  include <cuda_runtime.h>
#  define gpuMalloc cudaMalloc
#  define gpuError_t cudaError_t
#elif defined(USE_MUSA)
#  include <musa_runtime.h>
#  define gpuMalloc musaMalloc
#  define gpuError_t musaError_t
#elif defined USE_HIP
#  include <hip/hip_runtime.h>
#  define gpuMalloc hipMalloc
#  define gpuError_t hipError_t
#else
#  error "no back end"
#endif

#if __has_include(<cub/cub.cuh>) && !defined(NO_CUB)
#include <cub/cub.cuh>
#endif
#define HEADER <cuda_profiler_api.h>
#include HEADER
#ifdef __MUSA__
int only_musa(cudaStream_t kept);
#else
int other(cudaStream_t ported);
#endif
#if CUDA_VERSION < 12000 || \
    (CUDA_VERSION >= 12030 && \
     __CUDACC_VER_MAJOR__ > 11)
extern texture<float, 2, cudaReadModeElementType> tex;
#endif
// sigtrans: off
gpuError_t left_alone(cudaEvent_t e);
// sigtrans: on
gpuError_t line(cudaEvent_t e); // sigtrans: skip-line
/* MUSIFY_EXCL_START */ void v(cudaGraph_t); /* MUSIFY_EXCL_STOP */
#endif
