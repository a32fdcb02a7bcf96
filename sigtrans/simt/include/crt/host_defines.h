// The words of the language that a C++ compiler does not know.
//
// __shared__ is not among them: the lowering turns it into a block's own storage, and one that it
// missed must not become a plain variable.
#pragma once
#define __HOST_DEFINES_H__

#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __grid_constant__
#define __tile_builtin__
#define __device_builtin__
#define __cudart_builtin__
#define __nv_pure__
#define __inline_hint__
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB

#ifndef __cplusplus
#define __forceinline__ __inline__ __attribute__((unused))
#else
#define __forceinline__ inline
#endif
// Empty, since system headers write __attribute__((__noinline__)).
#define __noinline__
#define __no_return__ __attribute__((noreturn))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __location__(a)
