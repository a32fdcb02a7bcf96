// What nvcc includes before every .cu file: the runtime API with its C++ forms, the vector types,
// and, in device code, the functions that need no header.
#pragma once
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "driver_types.h"
#include "vector_functions.h"
#include "vector_types.h"

#ifdef __cplusplus
#include "channel_descriptor.h"
#include "driver_functions.h"
#include "simt/launch.h"

// --- allocation, for any type of pointer ---------------------------------------------------------

template <class T>
inline cudaError_t cudaMalloc(T **pointer, size_t size) {
    return cudaMalloc(reinterpret_cast<void **>(pointer), size);
}
template <class T>
inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags = 0) {
    return cudaHostAlloc(reinterpret_cast<void **>(pointer), size, flags);
}
inline cudaError_t cudaMallocHost(void **pointer, size_t size, unsigned int flags) {
    return cudaHostAlloc(pointer, size, flags);
}
template <class T>
inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags) {
    return cudaHostAlloc(reinterpret_cast<void **>(pointer), size, flags);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
    return cudaHostGetDevicePointer(reinterpret_cast<void **>(device), host, flags);
}
template <class T>
inline cudaError_t cudaMallocManaged(
    T **pointer, size_t size, unsigned int flags = cudaMemAttachGlobal
) {
    return cudaMallocManaged(reinterpret_cast<void **>(pointer), size, flags);
}
template <class T>
inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
    return cudaMallocPitch(reinterpret_cast<void **>(pointer), pitch, width, height);
}
template <class T>
inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
    return cudaMallocAsync(reinterpret_cast<void **>(pointer), size, stream);
}
template <class T>
inline cudaError_t cudaMallocFromPoolAsync(
    T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream
) {
    return cudaMallocFromPoolAsync(reinterpret_cast<void **>(pointer), size, pool, stream);
}
inline cudaError_t cudaMallocAsync(
    void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream
) {
    return cudaMallocFromPoolAsync(pointer, size, pool, stream);
}
template <class T>
inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(reinterpret_cast<void **>(pointer), size, pool, stream);
}
inline cudaError_t cudaStreamAttachMemAsync(
    cudaStream_t stream, char *pointer, size_t length = 0, unsigned int flags = cudaMemAttachSingle
) {
    return cudaStreamAttachMemAsync(stream, static_cast<void *>(pointer), length, flags);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
    return cudaEventCreateWithFlags(event, flags);
}

// --- variables of the device ---------------------------------------------------------------------

namespace simt {
// A copy to or from a variable stays within it.
template <class T>
inline bool fits(const T &, size_t size, size_t offset) {
    return offset <= sizeof(T) && size <= sizeof(T) - offset;
}
template <class T>
inline char *bytes_of(const T &symbol) {
    return reinterpret_cast<char *>(const_cast<std::remove_cv_t<T> *>(&symbol));
}
}  // namespace simt

template <class T>
inline cudaError_t cudaMemcpyToSymbol(
    const T &symbol, const void *from, size_t size, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice
) {
    if (!simt::fits(symbol, size, offset)) return cudaErrorInvalidValue;
    return cudaMemcpy(simt::bytes_of(symbol) + offset, from, size, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(
    void *to, const T &symbol, size_t size, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost
) {
    if (!simt::fits(symbol, size, offset)) return cudaErrorInvalidValue;
    return cudaMemcpy(to, simt::bytes_of(symbol) + offset, size, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(
    const T &symbol, const void *from, size_t size, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0
) {
    if (!simt::fits(symbol, size, offset)) return cudaErrorInvalidValue;
    return cudaMemcpyAsync(simt::bytes_of(symbol) + offset, from, size, kind, stream);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(
    void *to, const T &symbol, size_t size, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0
) {
    if (!simt::fits(symbol, size, offset)) return cudaErrorInvalidValue;
    return cudaMemcpyAsync(to, simt::bytes_of(symbol) + offset, size, kind, stream);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol) {
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = simt::bytes_of(symbol);
    return cudaSuccess;
}
template <class P, class T, class = std::enable_if_t<!std::is_void_v<P>>>
inline cudaError_t cudaGetSymbolAddress(P **pointer, const T &symbol) {
    return cudaGetSymbolAddress(reinterpret_cast<void **>(pointer), symbol);
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t *size, const T &) {
    if (!size) return cudaErrorInvalidValue;
    *size = sizeof(T);
    return cudaSuccess;
}

// --- kernels by their function -------------------------------------------------------------------

namespace simt {
// The address under which a kernel is known from here on.
template <class... P>
inline const void *address_of(void (*kernel)(P...)) {
    return reinterpret_cast<const void *>(&registered(*kernel));
}
}  // namespace simt

template <class... P>
inline cudaError_t cudaLaunchKernel(
    void (*kernel)(P...), dim3 grid, dim3 block, void **arguments, size_t shared = 0,
    cudaStream_t stream = 0
) {
    return cudaLaunchKernel(simt::address_of(kernel), grid, block, arguments, shared, stream);
}
template <class... P>
inline cudaError_t cudaLaunchCooperativeKernel(
    void (*kernel)(P...), dim3 grid, dim3 block, void **arguments, size_t shared = 0,
    cudaStream_t stream = 0
) {
    return cudaLaunchCooperativeKernel(simt::address_of(kernel), grid, block, arguments, shared, stream);
}
template <class... P, class... A>
inline cudaError_t cudaLaunchKernelEx(
    const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments
) {
    std::tuple<std::remove_cv_t<P>...> held(static_cast<P>(std::forward<A>(arguments))...);
    return std::apply(
        [&](auto &...each) {
            void *addresses[] = {const_cast<void *>(static_cast<const void *>(&each))..., nullptr};
            return cudaLaunchKernelExC(config, simt::address_of(kernel), addresses);
        },
        held
    );
}
template <class... P>
inline cudaError_t cudaFuncSetAttribute(
    void (*kernel)(P...), enum cudaFuncAttribute attribute, int value
) {
    return cudaFuncSetAttribute(simt::address_of(kernel), attribute, value);
}
template <class... P>
inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, void (*kernel)(P...)) {
    return cudaFuncGetAttributes(attributes, simt::address_of(kernel));
}
template <class... P>
inline cudaError_t cudaFuncSetCacheConfig(void (*kernel)(P...), enum cudaFuncCache config) {
    return cudaFuncSetCacheConfig(simt::address_of(kernel), config);
}
template <class... P>
inline cudaError_t cudaFuncSetSharedMemConfig(void (*kernel)(P...), enum cudaSharedMemConfig config) {
    return cudaFuncSetSharedMemConfig(simt::address_of(kernel), config);
}
template <class... P>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, void (*kernel)(P...), int blockSize, size_t dynamicShared
) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, simt::address_of(kernel), blockSize, dynamicShared
    );
}
template <class... P>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, void (*kernel)(P...), int blockSize, size_t dynamicShared, unsigned int flags
) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, simt::address_of(kernel), blockSize, dynamicShared, flags
    );
}
template <class... P>
inline cudaError_t cudaOccupancyMaxActiveClusters(
    int *clusters, void (*kernel)(P...), const cudaLaunchConfig_t *config
) {
    return cudaOccupancyMaxActiveClusters(clusters, simt::address_of(kernel), config);
}
template <class... P>
inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, void (*kernel)(P...)) {
    return cudaGetFuncBySymbol(handle, simt::address_of(kernel));
}

// The block size that keeps most threads resident; of equals the largest.
template <class K, class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *minimalGrid, int *blockSize, K kernel, F sharedOf, int limit = 0
) {
    int device = 0, processors = 0, most = 0, best = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, device);
    }
    if (error != cudaSuccess) return error;
    if (limit > 0 && limit < most) most = limit;
    int grid = 0, size = 0;
    for (int threads = most; threads >= 32; threads -= 32) {
        int blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, sharedOf(threads));
        if (error != cudaSuccess) return error;
        if (blocks * threads > best) best = blocks * threads, size = threads, grid = blocks * processors;
    }
    *minimalGrid = grid;
    *blockSize = size;
    return cudaSuccess;
}
template <class K>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(
    int *minimalGrid, int *blockSize, K kernel, size_t dynamicShared = 0, int limit = 0
) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        minimalGrid, blockSize, kernel, [=](int) { return dynamicShared; }, limit
    );
}

#ifdef SIMT_DEVICE_CODE
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "device_atomic_functions.h"
#include "device_functions.h"
#include "math_functions.h"
#if __has_include("texture_indirect_functions.h")
#include "surface_indirect_functions.h"
#include "texture_indirect_functions.h"
#endif
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 131
#endif
#endif
