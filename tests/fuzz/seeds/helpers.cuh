#pragma once
#ifndef HELPERS_CUH_
#define HELPERS_CUH_

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t status_ = (call);                                      \
        if (status_ != cudaSuccess) {                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,  \
                    cudaGetErrorString(status_));                          \
            exit(EXIT_FAILURE);                                            \
        }                                                                  \
    } while (0)

#define CU_CHECK(call) if ((call) != CUDA_SUCCESS) abort()
#define MEMCPY(kind) cudaMemcpy##kind
#define NAME(x) #x
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

#if defined(__CUDACC__) && CUDART_VERSION >= 11000
#define HAS_BF16 1
using bf16 = __nv_bfloat16;
#elif defined(__HIPCC__)
#define HAS_BF16 0
#else
typedef unsigned short bf16;
#endif

#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 800
#define ASYNC_COPY 1
#elif __CUDA_ARCH__ < 700 && !defined(NO_OLD)
#error "too old; don't use"
#endif
#endif

static inline void check_launch(const char *what, cudaStream_t s = nullptr)
{
    cudaError_t e = cudaStreamQuery(s);
    if (e != cudaSuccess && e != cudaErrorNotReady) printf("%s: %s\n", what, cudaGetErrorName(e));
}

#endif  // HELPERS_CUH_
