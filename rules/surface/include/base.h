/* The MUSA C++ language as this project declares it for `sigtrans check`: qualifiers, built-in
   variables, vector types, launches. Declarations only; nothing here can be linked or run. */
#ifndef SIGTRANS_BASE_H
#define SIGTRANS_BASE_H

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Headers that keep CUDA's name are taken to keep CUDA's guard too; code tests these. */
#define __CHANNEL_DESCRIPTOR_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_FUNCTIONS_H__
#define __DRIVER_TYPES_H__
#define __LIBRARY_TYPES_H__
#define __MATH_CONSTANTS_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_TYPES_H__
#define __MUSA_RUNTIME_H__
#define __MUSA_RUNTIME_API_H__

#ifdef __MUSACC__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __managed__ __attribute__((device)) __attribute__((annotate("managed")))
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(...)
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
/* __noinline__ is a keyword of clang here; as a macro it would spoil the C++ library. */
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __MUSA_ALIGN__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#define MUSARTAPI
#define MUSART_CB
#define MUSAAPI
#define MUSA_CB
#ifdef __cplusplus
#define SIGTRANS_OR(...) = __VA_ARGS__
#else
#define SIGTRANS_OR(...)
#endif

#define SIGTRANS_VECTOR(T, name) \
  typedef struct name##1 { T x; } name##1; \
  typedef struct __attribute__((aligned(2 * sizeof(T) > 16 ? 16 : 2 * sizeof(T)))) name##2 { \
    T x, y; \
  } name##2; \
  typedef struct name##3 { T x, y, z; } name##3; \
  typedef struct __attribute__((aligned(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)))) name##4 { \
    T x, y, z, w; \
  } name##4;
SIGTRANS_VECTOR(signed char, char)
SIGTRANS_VECTOR(unsigned char, uchar)
SIGTRANS_VECTOR(short, short)
SIGTRANS_VECTOR(unsigned short, ushort)
SIGTRANS_VECTOR(int, int)
SIGTRANS_VECTOR(unsigned int, uint)
SIGTRANS_VECTOR(long, long)
SIGTRANS_VECTOR(unsigned long, ulong)
SIGTRANS_VECTOR(long long, longlong)
SIGTRANS_VECTOR(unsigned long long, ulonglong)
SIGTRANS_VECTOR(float, float)
SIGTRANS_VECTOR(double, double)
#undef SIGTRANS_VECTOR

typedef struct MUuuid_st { char bytes[16]; } MUuuid;

typedef struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
  __host__ __device__ dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1);
  __host__ __device__ dim3(uint3 v);
  __host__ __device__ operator uint3() const;
#endif
} dim3;

#ifdef __MUSACC__
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;

struct MUstream_st;
/* The compiler calls this name for every <<<grid, block, shared, stream>>>. */
extern "C" __host__ __device__ unsigned int __cudaPushCallConfiguration(
    dim3 grid, dim3 block, size_t shared = 0, struct MUstream_st *stream = 0);
extern "C" __host__ __device__ int cudaConfigureCall(
    dim3 grid, dim3 block, size_t shared = 0, struct MUstream_st *stream = 0);

#include <assert.h>
#if __has_include(<cmath>)
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>
#endif
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ void __assert_fail(const char *, const char *, unsigned int, const char *);
__device__ void *operator new(size_t);
__device__ void *operator new(size_t, void *) noexcept;
__device__ void *operator new[](size_t, void *) noexcept;
__device__ void *operator new[](size_t);
__device__ void operator delete(void *) noexcept;
__device__ void operator delete[](void *) noexcept;
__device__ void operator delete(void *, size_t) noexcept;
__device__ void operator delete[](void *, size_t) noexcept;
#endif

#endif
