#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

namespace gridstat {

// Pointers are device memory; the work is queued on `stream`.

// Sum of `count` values into `*total`.
void sum(const float *values, int count, float *total, cudaStream_t stream);

// Counts of values in `bins` equal parts of [low, high); what lies outside goes to the end bins.
void histogram(const float *values, int count, float low, float high, unsigned *counts, int bins,
               cudaStream_t stream);

// c = a * b for square row-major matrices: our tiled kernel, and cuBLAS.
void matmul(const float *a, const float *b, float *c, int n, cudaStream_t stream);
cublasStatus_t matmul_blas(cublasHandle_t blas, const float *a, const float *b, float *c, int n,
                           cudaStream_t stream);

// One line about the device, for logs.
void print_device(int device);

}  // namespace gridstat
