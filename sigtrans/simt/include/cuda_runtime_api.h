// The runtime API: declarations alone. Each function is bound to a neutral symbol of the runtime
// library (SIMT_AS), so that the headers of another vendor, which are made from this one by renaming,
// reach the same code.
#pragma once
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "driver_types.h"

#define CUDART_VERSION 12040

#define SIMT_AS(symbol) __asm__("simt_host_" symbol)
#ifdef __cplusplus
#define SIMT_OR(value) = value
extern "C" {
#else
#define SIMT_OR(value)
#endif

typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *userData);

// --- errors -------------------------------------------------------------------------------------

cudaError_t cudaGetLastError(void) SIMT_AS("GetLastError");
cudaError_t cudaPeekAtLastError(void) SIMT_AS("PeekAtLastError");
const char *cudaGetErrorString(cudaError_t error) SIMT_AS("GetErrorString");

// The name has the vendor's prefix, which the spelling of one constant tells.
const char *simt_error_name(int error, const char *success);
#define SIMT_SPELL(name) #name
static inline const char *cudaGetErrorName(cudaError_t error) {
    return simt_error_name((int)error, SIMT_SPELL(cudaSuccess));
}

// --- devices ------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int *count) SIMT_AS("GetDeviceCount");
cudaError_t cudaGetDevice(int *device) SIMT_AS("GetDevice");
cudaError_t cudaSetDevice(int device) SIMT_AS("SetDevice");
cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
    SIMT_AS("InitDevice");
cudaError_t cudaSetValidDevices(int *devices, int count) SIMT_AS("SetValidDevices");
cudaError_t cudaSetDeviceFlags(unsigned int flags) SIMT_AS("SetDeviceFlags");
cudaError_t cudaGetDeviceFlags(unsigned int *flags) SIMT_AS("GetDeviceFlags");
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
    SIMT_AS("GetDeviceProperties");
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
    SIMT_AS("DeviceGetAttribute");
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties)
    SIMT_AS("ChooseDevice");
cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device) SIMT_AS("DeviceGetPCIBusId");
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) SIMT_AS("DeviceGetByPCIBusId");
cudaError_t cudaDeviceSynchronize(void) SIMT_AS("DeviceSynchronize");
cudaError_t cudaDeviceReset(void) SIMT_AS("DeviceReset");
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) SIMT_AS("DeviceSetLimit");
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) SIMT_AS("DeviceGetLimit");
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) SIMT_AS("DeviceGetCacheConfig");
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) SIMT_AS("DeviceSetCacheConfig");
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
    SIMT_AS("DeviceGetSharedMemConfig");
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
    SIMT_AS("DeviceSetSharedMemConfig");
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
    SIMT_AS("DeviceGetStreamPriorityRange");
cudaError_t cudaDriverGetVersion(int *version) SIMT_AS("DriverGetVersion");
cudaError_t cudaRuntimeGetVersion(int *version) SIMT_AS("RuntimeGetVersion");
cudaError_t cudaCtxResetPersistingL2Cache(void) SIMT_AS("CtxResetPersistingL2Cache");

cudaError_t cudaThreadSynchronize(void) SIMT_AS("DeviceSynchronize");
cudaError_t cudaThreadExit(void) SIMT_AS("DeviceReset");
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) SIMT_AS("DeviceSetLimit");
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit) SIMT_AS("DeviceGetLimit");
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) SIMT_AS("DeviceSetCacheConfig");

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
    SIMT_AS("DeviceCanAccessPeer");
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
    SIMT_AS("DeviceEnablePeerAccess");
cudaError_t cudaDeviceDisablePeerAccess(int peer) SIMT_AS("DeviceDisablePeerAccess");
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int source, int target)
    SIMT_AS("DeviceGetP2PAttribute");

// --- functions ----------------------------------------------------------------------------------

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
    SIMT_AS("FuncGetAttributes");
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
    SIMT_AS("FuncSetAttribute");
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
    SIMT_AS("FuncSetCacheConfig");
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
    SIMT_AS("FuncSetSharedMemConfig");
cudaError_t cudaLaunchKernel(
    const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream
) SIMT_AS("LaunchKernel");
cudaError_t cudaLaunchCooperativeKernel(
    const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream
) SIMT_AS("LaunchCooperativeKernel");
cudaError_t cudaLaunchKernelExC(
    const cudaLaunchConfig_t *config, const void *function, void **arguments
) SIMT_AS("LaunchKernelExC");
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
    SIMT_AS("LaunchHostFunc");
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, const void *function)
    SIMT_AS("GetFuncBySymbol");
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *function, int blockSize, size_t dynamicShared
) SIMT_AS("OccupancyMaxActiveBlocksPerMultiprocessor");
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int blockSize, size_t dynamicShared, unsigned int flags
) SIMT_AS("OccupancyMaxActiveBlocksPerMultiprocessorWithFlags");
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *bytes, const void *function, int blocks, int blockSize
) SIMT_AS("OccupancyAvailableDynamicSMemPerBlock");
cudaError_t cudaOccupancyMaxPotentialClusterSize(
    int *size, const void *function, const cudaLaunchConfig_t *config
) SIMT_AS("OccupancyMaxPotentialClusterSize");
cudaError_t cudaOccupancyMaxActiveClusters(
    int *clusters, const void *function, const cudaLaunchConfig_t *config
) SIMT_AS("OccupancyMaxActiveClusters");

// --- allocation ---------------------------------------------------------------------------------

cudaError_t cudaMalloc(void **pointer, size_t size) SIMT_AS("Malloc");
cudaError_t cudaFree(void *pointer) SIMT_AS("Free");
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
    SIMT_AS("MallocPitch");
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
    SIMT_AS("Malloc3D");
cudaError_t cudaMallocHost(void **pointer, size_t size) SIMT_AS("MallocHost");
cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags) SIMT_AS("HostAlloc");
cudaError_t cudaFreeHost(void *pointer) SIMT_AS("FreeHost");
cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags)
    SIMT_AS("HostRegister");
cudaError_t cudaHostUnregister(void *pointer) SIMT_AS("HostUnregister");
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
    SIMT_AS("HostGetDevicePointer");
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) SIMT_AS("HostGetFlags");
cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags SIMT_OR(cudaMemAttachGlobal))
    SIMT_AS("MallocManaged");
cudaError_t cudaMallocArray(
    cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t width,
    size_t height SIMT_OR(0), unsigned int flags SIMT_OR(0)
) SIMT_AS("MallocArray");
cudaError_t cudaMalloc3DArray(
    cudaArray_t *array, const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
    unsigned int flags SIMT_OR(0)
) SIMT_AS("Malloc3DArray");
cudaError_t cudaFreeArray(cudaArray_t array) SIMT_AS("FreeArray");
cudaError_t cudaMallocMipmappedArray(
    cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *format,
    struct cudaExtent extent, unsigned int levels, unsigned int flags SIMT_OR(0)
) SIMT_AS("MallocMipmappedArray");
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) SIMT_AS("FreeMipmappedArray");
cudaError_t cudaGetMipmappedArrayLevel(
    cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned int index
) SIMT_AS("GetMipmappedArrayLevel");
cudaError_t cudaArrayGetInfo(
    struct cudaChannelFormatDesc *format, struct cudaExtent *extent, unsigned int *flags,
    cudaArray_t array
) SIMT_AS("ArrayGetInfo");
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
    SIMT_AS("GetChannelDesc");
cudaError_t cudaMemGetInfo(size_t *available, size_t *total) SIMT_AS("MemGetInfo");
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
    SIMT_AS("PointerGetAttributes");

// --- stream-ordered allocation ------------------------------------------------------------------

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
    SIMT_AS("MallocAsync");
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) SIMT_AS("FreeAsync");
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream)
    SIMT_AS("MallocFromPoolAsync");
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
    SIMT_AS("MemPoolCreate");
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) SIMT_AS("MemPoolDestroy");
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) SIMT_AS("MemPoolTrimTo");
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
    SIMT_AS("MemPoolSetAttribute");
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
    SIMT_AS("MemPoolGetAttribute");
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count)
    SIMT_AS("MemPoolSetAccess");
cudaError_t cudaMemPoolGetAccess(
    enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location
) SIMT_AS("MemPoolGetAccess");
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
    SIMT_AS("DeviceGetDefaultMemPool");
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) SIMT_AS("DeviceGetMemPool");
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) SIMT_AS("DeviceSetMemPool");

// --- copies -------------------------------------------------------------------------------------

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
    SIMT_AS("Memcpy");
cudaError_t cudaMemcpyAsync(
    void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream SIMT_OR(0)
) SIMT_AS("MemcpyAsync");
cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t size)
    SIMT_AS("MemcpyPeer");
cudaError_t cudaMemcpyPeerAsync(
    void *to, int toDevice, const void *from, int fromDevice, size_t size,
    cudaStream_t stream SIMT_OR(0)
) SIMT_AS("MemcpyPeerAsync");
cudaError_t cudaMemcpy2D(
    void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
    enum cudaMemcpyKind kind
) SIMT_AS("Memcpy2D");
cudaError_t cudaMemcpy2DAsync(
    void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height,
    enum cudaMemcpyKind kind, cudaStream_t stream SIMT_OR(0)
) SIMT_AS("Memcpy2DAsync");
cudaError_t cudaMemcpy2DToArray(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
    enum cudaMemcpyKind kind
) SIMT_AS("Memcpy2DToArray");
cudaError_t cudaMemcpy2DToArrayAsync(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
    enum cudaMemcpyKind kind, cudaStream_t stream SIMT_OR(0)
) SIMT_AS("Memcpy2DToArrayAsync");
cudaError_t cudaMemcpy2DFromArray(
    void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
    enum cudaMemcpyKind kind
) SIMT_AS("Memcpy2DFromArray");
cudaError_t cudaMemcpy2DFromArrayAsync(
    void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height,
    enum cudaMemcpyKind kind, cudaStream_t stream SIMT_OR(0)
) SIMT_AS("Memcpy2DFromArrayAsync");
cudaError_t cudaMemcpy2DArrayToArray(
    cudaArray_t to, size_t toX, size_t toY, cudaArray_const_t from, size_t fromX, size_t fromY,
    size_t width, size_t height, enum cudaMemcpyKind kind SIMT_OR(cudaMemcpyDeviceToDevice)
) SIMT_AS("Memcpy2DArrayToArray");
cudaError_t cudaMemcpyToArray(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind
) SIMT_AS("MemcpyToArray");
cudaError_t cudaMemcpyToArrayAsync(
    cudaArray_t to, size_t x, size_t y, const void *from, size_t size, enum cudaMemcpyKind kind,
    cudaStream_t stream SIMT_OR(0)
) SIMT_AS("MemcpyToArrayAsync");
cudaError_t cudaMemcpyFromArray(
    void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind
) SIMT_AS("MemcpyFromArray");
cudaError_t cudaMemcpyFromArrayAsync(
    void *to, cudaArray_const_t from, size_t x, size_t y, size_t size, enum cudaMemcpyKind kind,
    cudaStream_t stream SIMT_OR(0)
) SIMT_AS("MemcpyFromArrayAsync");
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy) SIMT_AS("Memcpy3D");
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream SIMT_OR(0))
    SIMT_AS("Memcpy3DAsync");
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *copy) SIMT_AS("Memcpy3DPeer");
cudaError_t cudaMemcpy3DPeerAsync(
    const struct cudaMemcpy3DPeerParms *copy, cudaStream_t stream SIMT_OR(0)
) SIMT_AS("Memcpy3DPeerAsync");

cudaError_t cudaMemset(void *pointer, int value, size_t size) SIMT_AS("Memset");
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream SIMT_OR(0))
    SIMT_AS("MemsetAsync");
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
    SIMT_AS("Memset2D");
cudaError_t cudaMemset2DAsync(
    void *pointer, size_t pitch, int value, size_t width, size_t height,
    cudaStream_t stream SIMT_OR(0)
) SIMT_AS("Memset2DAsync");
cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent)
    SIMT_AS("Memset3D");
cudaError_t cudaMemset3DAsync(
    struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, cudaStream_t stream SIMT_OR(0)
) SIMT_AS("Memset3DAsync");

cudaError_t cudaMemPrefetchAsync(
    const void *pointer, size_t size, int device, cudaStream_t stream SIMT_OR(0)
) SIMT_AS("MemPrefetchAsync");
cudaError_t cudaMemAdvise(
    const void *pointer, size_t size, enum cudaMemoryAdvise advice, int device
) SIMT_AS("MemAdvise");
cudaError_t cudaMemRangeGetAttribute(
    void *data, size_t dataSize, enum cudaMemRangeAttribute attribute, const void *pointer, size_t size
) SIMT_AS("MemRangeGetAttribute");
cudaError_t cudaStreamAttachMemAsync(
    cudaStream_t stream, void *pointer, size_t length SIMT_OR(0),
    unsigned int flags SIMT_OR(cudaMemAttachSingle)
) SIMT_AS("StreamAttachMemAsync");

// --- streams and events -------------------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t *stream) SIMT_AS("StreamCreate");
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
    SIMT_AS("StreamCreateWithFlags");
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
    SIMT_AS("StreamCreateWithPriority");
cudaError_t cudaStreamDestroy(cudaStream_t stream) SIMT_AS("StreamDestroy");
cudaError_t cudaStreamSynchronize(cudaStream_t stream) SIMT_AS("StreamSynchronize");
cudaError_t cudaStreamQuery(cudaStream_t stream) SIMT_AS("StreamQuery");
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags SIMT_OR(0))
    SIMT_AS("StreamWaitEvent");
cudaError_t cudaStreamAddCallback(
    cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned int flags
) SIMT_AS("StreamAddCallback");
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) SIMT_AS("StreamGetFlags");
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) SIMT_AS("StreamGetPriority");
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) SIMT_AS("StreamGetId");
cudaError_t cudaStreamSetAttribute(
    cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value
) SIMT_AS("StreamSetAttribute");
cudaError_t cudaStreamGetAttribute(
    cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue *value
) SIMT_AS("StreamGetAttribute");
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
    SIMT_AS("StreamCopyAttributes");

cudaError_t cudaEventCreate(cudaEvent_t *event) SIMT_AS("EventCreate");
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
    SIMT_AS("EventCreateWithFlags");
cudaError_t cudaEventDestroy(cudaEvent_t event) SIMT_AS("EventDestroy");
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream SIMT_OR(0))
    SIMT_AS("EventRecord");
cudaError_t cudaEventRecordWithFlags(
    cudaEvent_t event, cudaStream_t stream SIMT_OR(0), unsigned int flags SIMT_OR(0)
) SIMT_AS("EventRecordWithFlags");
cudaError_t cudaEventQuery(cudaEvent_t event) SIMT_AS("EventQuery");
cudaError_t cudaEventSynchronize(cudaEvent_t event) SIMT_AS("EventSynchronize");
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
    SIMT_AS("EventElapsedTime");

// --- textures and surfaces -----------------------------------------------------------------------

cudaError_t cudaCreateTextureObject(
    cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
    const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view
) SIMT_AS("CreateTextureObject");
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) SIMT_AS("DestroyTextureObject");
cudaError_t cudaGetTextureObjectResourceDesc(
    struct cudaResourceDesc *resource, cudaTextureObject_t object
) SIMT_AS("GetTextureObjectResourceDesc");
cudaError_t cudaCreateSurfaceObject(
    cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource
) SIMT_AS("CreateSurfaceObject");
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) SIMT_AS("DestroySurfaceObject");

cudaError_t cudaProfilerStart(void) SIMT_AS("ProfilerStart");
cudaError_t cudaProfilerStop(void) SIMT_AS("ProfilerStop");

#include "simt/graph_api.h"

// Streams with the number 0 in this source: the legacy default stream, or the thread's own.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
void simt_default_stream_per_thread(void);
__attribute__((constructor)) static void simt_use_default_stream_per_thread(void) {
    simt_default_stream_per_thread();
}
#endif

#ifdef __cplusplus
}
#endif

#endif
