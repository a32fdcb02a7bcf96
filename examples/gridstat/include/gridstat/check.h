#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

// Every cudaXxx call goes through this macro; cudaGetErrorString() makes the text readable.
#define GRIDSTAT_CHECK(call)                                                  \
    do {                                                                      \
        const cudaError_t status_ = (call);                                   \
        if (status_ != cudaSuccess) {                                         \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,           \
                         cudaGetErrorString(status_));                        \
            std::exit(EXIT_FAILURE);                                          \
        }                                                                     \
    } while (0)

namespace gridstat {

// Ours, in spite of the name: typed device memory, or the end of the program.
template <typename T>
T *cudaMallocHelper(std::size_t count) {
    void *memory = nullptr;
    GRIDSTAT_CHECK(cudaMalloc(&memory, count * sizeof(T)));
    return static_cast<T *>(memory);
}

}  // namespace gridstat
