// The driver API over the runtime: one context for each device.
#include "cuda.h"

#include <cstdio>
#include <cstring>

#include "internal.h"

using namespace simt;

namespace {

CUresult result(cudaError_t error) { return static_cast<CUresult>(error); }

CUresult no_module(const char *what) {
    report("module", std::string(what) + ": there is no PTX and no cubin on a CPU");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

void *plain(CUdeviceptr pointer) { return reinterpret_cast<void *>(pointer); }
CUcontext context_of(int device) { return reinterpret_cast<CUcontext>(static_cast<uintptr_t>(device) + 1); }

}  // namespace

CUresult cuInit(unsigned flags) { return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) { return result(cudaDriverGetVersion(version)); }

CUresult cuGetErrorName(CUresult error, const char **name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = cudaGetErrorName(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = cudaGetErrorString(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) { return result(cudaGetDeviceCount(count)); }
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    if (!device || ordinal < 0 || ordinal >= device_count()) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice) {
    if (!name || length < 1) return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, static_cast<size_t>(length), "%s", properties().name);
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    return result(cudaDeviceGetAttribute(value, attribute, device));
}
CUresult cuDeviceTotalMem(size_t *size, CUdevice) {
    if (!size) return CUDA_ERROR_INVALID_VALUE;
    *size = properties().totalGlobalMem;
    return CUDA_SUCCESS;
}
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice) {
    if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
    *major = properties().major;
    *minor = properties().minor;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *context, unsigned, CUdevice device) {
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = cudaSetDevice(device);
    *context = context_of(device);
    return result(error);
}
CUresult cuCtxDestroy(CUcontext) { return result(cudaDeviceSynchronize()); }
CUresult cuCtxGetCurrent(CUcontext *context) {
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    *context = context_of(current_device());
    return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
    return context ? result(cudaSetDevice(static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1)) : CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *device) { return result(cudaGetDevice(device)); }
CUresult cuCtxSynchronize() { return result(cudaDeviceSynchronize()); }
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) { return cuCtxCreate(context, 0, device); }
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }

CUresult cuMemGetInfo(size_t *available, size_t *total) { return result(cudaMemGetInfo(available, total)); }
CUresult cuMemAlloc(CUdeviceptr *pointer, size_t size) {
    if (!pointer) return CUDA_ERROR_INVALID_VALUE;
    void *made = nullptr;
    const cudaError_t error = cudaMalloc(&made, size);
    *pointer = reinterpret_cast<CUdeviceptr>(made);
    return result(error);
}
CUresult cuMemFree(CUdeviceptr pointer) { return result(cudaFree(plain(pointer))); }
CUresult cuMemAllocHost(void **pointer, size_t size) { return result(cudaMallocHost(pointer, size)); }
CUresult cuMemFreeHost(void *pointer) { return result(cudaFreeHost(pointer)); }
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size) {
    return result(cudaMemcpy(plain(to), from, size, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size) {
    return result(cudaMemcpy(to, plain(from), size, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size) {
    return result(cudaMemcpy(plain(to), plain(from), size, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream) {
    return result(cudaMemcpyAsync(plain(to), from, size, cudaMemcpyHostToDevice, stream));
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream) {
    return result(cudaMemcpyAsync(to, plain(from), size, cudaMemcpyDeviceToHost, stream));
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) { return result(cudaMemset(plain(to), value, count)); }

CUresult cuStreamCreate(CUstream *stream, unsigned flags) { return result(cudaStreamCreateWithFlags(stream, flags)); }
CUresult cuStreamDestroy(CUstream stream) { return result(cudaStreamDestroy(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return result(cudaStreamSynchronize(stream)); }
CUresult cuEventCreate(CUevent *event, unsigned flags) { return result(cudaEventCreateWithFlags(event, flags)); }
CUresult cuEventDestroy(CUevent event) { return result(cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return result(cudaEventRecord(event, stream)); }
CUresult cuEventSynchronize(CUevent event) { return result(cudaEventSynchronize(event)); }
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
    return result(cudaEventElapsedTime(milliseconds, start, end));
}

CUresult cuModuleLoad(CUmodule *, const char *) { return no_module("cuModuleLoad"); }
CUresult cuModuleLoadData(CUmodule *, const void *) { return no_module("cuModuleLoadData"); }
CUresult cuModuleLoadDataEx(CUmodule *, const void *, unsigned, CUjit_option *, void **) {
    return no_module("cuModuleLoadDataEx");
}
CUresult cuModuleUnload(CUmodule) { return CUDA_ERROR_INVALID_HANDLE; }
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *) { return CUDA_ERROR_INVALID_HANDLE; }
CUresult cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *) { return CUDA_ERROR_INVALID_HANDLE; }

// A function is a kernel's address, as cudaGetFuncBySymbol gives it.
CUresult cuLaunchKernel(
    CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
    unsigned block_z, unsigned shared, CUstream stream, void **parameters, void **extra
) {
    if (!function || extra) return CUDA_ERROR_INVALID_VALUE;
    return result(cudaLaunchKernel(
        reinterpret_cast<const void *>(function), dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z),
        parameters, shared, stream
    ));
}
