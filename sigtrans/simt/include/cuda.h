// The driver API as far as programs beside modules use it: devices, contexts, memory, streams,
// events. There is no PTX and no cubin on a CPU: loading a module fails with the driver's own code.
#pragma once
#define __cuda_cuda_h__

#include <stddef.h>

#include "cuda_runtime_api.h"

#define CUDA_VERSION 12040

typedef enum cudaError_enum {
    CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3, CUDA_ERROR_DEINITIALIZED = 4, CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101, CUDA_ERROR_INVALID_IMAGE = 200, CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209, CUDA_ERROR_INVALID_PTX = 218, CUDA_ERROR_INVALID_SOURCE = 300,
    CUDA_ERROR_FILE_NOT_FOUND = 301, CUDA_ERROR_INVALID_HANDLE = 400, CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701, CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_ASSERT = 710, CUDA_ERROR_LAUNCH_FAILED = 719, CUDA_ERROR_NOT_PERMITTED = 800,
    CUDA_ERROR_NOT_SUPPORTED = 801, CUDA_ERROR_UNKNOWN = 999
} CUresult;

typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned long long CUdeviceptr;
typedef enum cudaDeviceAttr CUdevice_attribute;
typedef unsigned long long CUtexObject;
typedef enum CUjit_option_enum { CU_JIT_MAX_REGISTERS = 0 } CUjit_option;

#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK cudaDevAttrMaxThreadsPerBlock
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK cudaDevAttrMaxSharedMemoryPerBlock
#define CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT cudaDevAttrMultiProcessorCount
#define CU_DEVICE_ATTRIBUTE_WARP_SIZE cudaDevAttrWarpSize
#define CU_DEVICE_ATTRIBUTE_CLOCK_RATE cudaDevAttrClockRate
#define CU_DEVICE_ATTRIBUTE_COMPUTE_MODE cudaDevAttrComputeMode
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR cudaDevAttrComputeCapabilityMajor
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR cudaDevAttrComputeCapabilityMinor
#define CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING cudaDevAttrUnifiedAddressing
#define CU_DEVICE_ATTRIBUTE_INTEGRATED cudaDevAttrIntegrated
#define CU_STREAM_DEFAULT 0
#define CU_STREAM_NON_BLOCKING 1
#define CU_EVENT_DEFAULT 0
#define CU_EVENT_BLOCKING_SYNC 1
#define CU_EVENT_DISABLE_TIMING 2
#define CU_CTX_SCHED_AUTO 0
#define CU_CTX_BLOCKING_SYNC 4
#define CU_CTX_MAP_HOST 8

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuInit(unsigned int flags) SIMT_AS("DrvInit");
CUresult cuDriverGetVersion(int *version) SIMT_AS("DrvGetVersion");
CUresult cuGetErrorName(CUresult error, const char **name) SIMT_AS("DrvErrorName");
CUresult cuGetErrorString(CUresult error, const char **text) SIMT_AS("DrvErrorString");
CUresult cuDeviceGet(CUdevice *device, int ordinal) SIMT_AS("DrvDeviceGet");
CUresult cuDeviceGetCount(int *count) SIMT_AS("DrvDeviceGetCount");
CUresult cuDeviceGetName(char *name, int length, CUdevice device) SIMT_AS("DrvDeviceGetName");
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
    SIMT_AS("DrvDeviceGetAttribute");
CUresult cuDeviceTotalMem(size_t *size, CUdevice device) SIMT_AS("DrvDeviceTotalMem");
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
    SIMT_AS("DrvComputeCapability");
CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device) SIMT_AS("DrvCtxCreate");
CUresult cuCtxDestroy(CUcontext context) SIMT_AS("DrvCtxDestroy");
CUresult cuCtxGetCurrent(CUcontext *context) SIMT_AS("DrvCtxGetCurrent");
CUresult cuCtxSetCurrent(CUcontext context) SIMT_AS("DrvCtxSetCurrent");
CUresult cuCtxPushCurrent(CUcontext context) SIMT_AS("DrvCtxSetCurrent");
CUresult cuCtxPopCurrent(CUcontext *context) SIMT_AS("DrvCtxGetCurrent");
CUresult cuCtxGetDevice(CUdevice *device) SIMT_AS("DrvCtxGetDevice");
CUresult cuCtxSynchronize(void) SIMT_AS("DrvCtxSynchronize");
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) SIMT_AS("DrvPrimaryRetain");
CUresult cuDevicePrimaryCtxRelease(CUdevice device) SIMT_AS("DrvPrimaryRelease");
CUresult cuMemGetInfo(size_t *available, size_t *total) SIMT_AS("DrvMemGetInfo");
CUresult cuMemAlloc(CUdeviceptr *pointer, size_t size) SIMT_AS("DrvMemAlloc");
CUresult cuMemFree(CUdeviceptr pointer) SIMT_AS("DrvMemFree");
CUresult cuMemAllocHost(void **pointer, size_t size) SIMT_AS("DrvMemAllocHost");
CUresult cuMemFreeHost(void *pointer) SIMT_AS("DrvMemFreeHost");
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size) SIMT_AS("DrvMemcpyHtoD");
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size) SIMT_AS("DrvMemcpyDtoH");
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size) SIMT_AS("DrvMemcpyDtoD");
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream)
    SIMT_AS("DrvMemcpyHtoDAsync");
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream)
    SIMT_AS("DrvMemcpyDtoHAsync");
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) SIMT_AS("DrvMemsetD8");
CUresult cuStreamCreate(CUstream *stream, unsigned int flags) SIMT_AS("DrvStreamCreate");
CUresult cuStreamDestroy(CUstream stream) SIMT_AS("DrvStreamDestroy");
CUresult cuStreamSynchronize(CUstream stream) SIMT_AS("DrvStreamSynchronize");
CUresult cuEventCreate(CUevent *event, unsigned int flags) SIMT_AS("DrvEventCreate");
CUresult cuEventDestroy(CUevent event) SIMT_AS("DrvEventDestroy");
CUresult cuEventRecord(CUevent event, CUstream stream) SIMT_AS("DrvEventRecord");
CUresult cuEventSynchronize(CUevent event) SIMT_AS("DrvEventSynchronize");
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) SIMT_AS("DrvEventElapsed");
CUresult cuModuleLoad(CUmodule *module, const char *path) SIMT_AS("DrvModuleLoad");
CUresult cuModuleLoadData(CUmodule *module, const void *image) SIMT_AS("DrvModuleLoadData");
CUresult cuModuleLoadDataEx(
    CUmodule *module, const void *image, unsigned int count, CUjit_option *options, void **values
) SIMT_AS("DrvModuleLoadDataEx");
CUresult cuModuleUnload(CUmodule module) SIMT_AS("DrvModuleUnload");
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
    SIMT_AS("DrvModuleGetFunction");
CUresult cuModuleGetGlobal(CUdeviceptr *pointer, size_t *size, CUmodule module, const char *name)
    SIMT_AS("DrvModuleGetGlobal");
CUresult cuLaunchKernel(
    CUfunction function, unsigned int gridX, unsigned int gridY, unsigned int gridZ,
    unsigned int blockX, unsigned int blockY, unsigned int blockZ, unsigned int shared,
    CUstream stream, void **parameters, void **extra
) SIMT_AS("DrvLaunchKernel");
#ifdef __cplusplus
}
#endif
