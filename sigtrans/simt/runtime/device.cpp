// Devices: what they are, what they allow, errors, and launches checked against the limits.
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "internal.h"

namespace simt {

// --- errors --------------------------------------------------------------------------------------

namespace {

struct ErrorText {
    int code;
    const char *name;  // without the vendor's prefix
    const char *text;
};

const ErrorText error_texts[] = {
    {0, "Success", "no error"},
    {1, "ErrorInvalidValue", "invalid argument"},
    {2, "ErrorMemoryAllocation", "out of memory"},
    {3, "ErrorInitializationError", "initialization error"},
    {4, "ErrorCudartUnloading", "driver shutting down"},
    {5, "ErrorProfilerDisabled", "profiler disabled"},
    {6, "ErrorProfilerNotInitialized", "profiler not initialized"},
    {7, "ErrorProfilerAlreadyStarted", "profiler already started"},
    {8, "ErrorProfilerAlreadyStopped", "profiler already stopped"},
    {9, "ErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "ErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "ErrorInvalidSymbol", "invalid device symbol"},
    {16, "ErrorInvalidHostPointer", "invalid host pointer"},
    {17, "ErrorInvalidDevicePointer", "invalid device pointer"},
    {18, "ErrorInvalidTexture", "invalid texture reference"},
    {19, "ErrorInvalidTextureBinding", "texture is not bound to a pointer"},
    {20, "ErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    {21, "ErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {22, "ErrorAddressOfConstant", "invalid address of constant"},
    {23, "ErrorTextureFetchFailed", "fetch from texture failed"},
    {24, "ErrorTextureNotBound", "cannot fetch from a texture that is not bound"},
    {25, "ErrorSynchronizationError", "incorrect use of __syncthreads()"},
    {26, "ErrorInvalidFilterSetting", "linear filtering not supported for non-float type"},
    {27, "ErrorInvalidNormSetting", "read as normalized float not supported for 32-bit non float type"},
    {28, "ErrorMixedDeviceExecution", "device emulation mode and device execution mode cannot be mixed"},
    {31, "ErrorNotYetImplemented", "feature not yet implemented"},
    {32, "ErrorMemoryValueTooLarge", "memory size or pointer value too large to fit in 32 bit"},
    {34, "ErrorStubLibrary", "CUDA driver is a stub library"},
    {35, "ErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    {36, "ErrorCallRequiresNewerDriver", "API call is not supported in the installed CUDA driver"},
    {37, "ErrorInvalidSurface", "invalid surface reference"},
    {43, "ErrorDuplicateVariableName", "duplicate global variable looked up by string name"},
    {44, "ErrorDuplicateTextureName", "duplicate texture looked up by string name"},
    {45, "ErrorDuplicateSurfaceName", "duplicate surface looked up by string name"},
    {46, "ErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {49, "ErrorIncompatibleDriverContext", "incompatible driver context"},
    {52, "ErrorMissingConfiguration", "__global__ function call is not configured"},
    {53, "ErrorPriorLaunchFailure", "unspecified launch failure in prior launch"},
    {65, "ErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"},
    {66, "ErrorLaunchFileScopedTex", "file-scoped textures cannot be used in this launch"},
    {67, "ErrorLaunchFileScopedSurf", "file-scoped surfaces cannot be used in this launch"},
    {68, "ErrorSyncDepthExceeded", "cudaDeviceSynchronize is nested too deeply"},
    {69, "ErrorLaunchPendingCountExceeded", "too many launches are pending"},
    {98, "ErrorInvalidDeviceFunction", "invalid device function"},
    {100, "ErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "ErrorInvalidDevice", "invalid device ordinal"},
    {102, "ErrorDeviceNotLicensed", "device doesn't have valid Grid license"},
    {103, "ErrorSoftwareValidityNotEstablished", "integrity checks failed"},
    {127, "ErrorStartupFailure", "startup failure in cuda runtime"},
    {200, "ErrorInvalidKernelImage", "device kernel image is invalid"},
    {201, "ErrorDeviceUninitialized", "invalid device context"},
    {205, "ErrorMapBufferObjectFailed", "mapping of buffer object failed"},
    {206, "ErrorUnmapBufferObjectFailed", "unmapping of buffer object failed"},
    {207, "ErrorArrayIsMapped", "array is mapped"},
    {208, "ErrorAlreadyMapped", "resource already mapped"},
    {209, "ErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    {210, "ErrorAlreadyAcquired", "resource already acquired"},
    {211, "ErrorNotMapped", "resource not mapped"},
    {212, "ErrorNotMappedAsArray", "resource not mapped as array"},
    {213, "ErrorNotMappedAsPointer", "resource not mapped as pointer"},
    {214, "ErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {215, "ErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {216, "ErrorDeviceAlreadyInUse", "exclusive-thread device already in use by a different thread"},
    {217, "ErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
    {218, "ErrorInvalidPtx", "a PTX JIT compilation failed"},
    {219, "ErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"},
    {220, "ErrorNvlinkUncorrectable", "uncorrectable NVLink error detected during the execution"},
    {221, "ErrorJitCompilerNotFound", "PTX JIT compiler library not found"},
    {222, "ErrorUnsupportedPtxVersion", "PTX version is not supported"},
    {223, "ErrorJitCompilationDisabled", "PTX JIT compilation was disabled"},
    {224, "ErrorUnsupportedExecAffinity", "the provided execution affinity is not supported"},
    {225, "ErrorUnsupportedDevSideSync", "cudaDeviceSynchronize cannot be called from device code"},
    {300, "ErrorInvalidSource", "device kernel image is invalid"},
    {301, "ErrorFileNotFound", "file not found"},
    {302, "ErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
    {303, "ErrorSharedObjectInitFailed", "shared object initialization failed"},
    {304, "ErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
    {400, "ErrorInvalidResourceHandle", "invalid resource handle"},
    {401, "ErrorIllegalState", "the operation cannot be performed in the present state"},
    {402, "ErrorLossyQuery", "attempted introspection would be semantically lossy"},
    {500, "ErrorSymbolNotFound", "named symbol not found"},
    {600, "ErrorNotReady", "device not ready"},
    {700, "ErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "ErrorLaunchOutOfResources", "too many resources requested for launch"},
    {702, "ErrorLaunchTimeout", "the launch timed out and was terminated"},
    {703, "ErrorLaunchIncompatibleTexturing", "launch uses incompatible texturing mode"},
    {704, "ErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {705, "ErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {708, "ErrorSetOnActiveProcess", "cannot set while device is active in this process"},
    {709, "ErrorContextIsDestroyed", "context is destroyed"},
    {710, "ErrorAssert", "device-side assert triggered"},
    {711, "ErrorTooManyPeers", "peer mapping resources exhausted"},
    {712, "ErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
    {713, "ErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    {714, "ErrorHardwareStackError", "hardware stack error"},
    {715, "ErrorIllegalInstruction", "an illegal instruction was encountered"},
    {716, "ErrorMisalignedAddress", "misaligned address"},
    {717, "ErrorInvalidAddressSpace", "operation not supported on global/shared address space"},
    {718, "ErrorInvalidPc", "invalid program counter"},
    {719, "ErrorLaunchFailure", "unspecified launch failure"},
    {720, "ErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    {800, "ErrorNotPermitted", "operation not permitted"},
    {801, "ErrorNotSupported", "operation not supported"},
    {802, "ErrorSystemNotReady", "system not yet initialized"},
    {803, "ErrorSystemDriverMismatch", "system has unsupported display driver / cuda driver combination"},
    {804, "ErrorCompatNotSupportedOnDevice", "forward compatibility is not supported on this device"},
    {805, "ErrorMpsConnectionFailed", "MPS: connection failed"},
    {806, "ErrorMpsRpcFailure", "MPS: remote call failed"},
    {807, "ErrorMpsServerNotReady", "MPS: server is not ready"},
    {808, "ErrorMpsMaxClientsReached", "MPS: no more clients can connect"},
    {809, "ErrorMpsMaxConnectionsReached", "MPS: no more connections"},
    {810, "ErrorMpsClientTerminated", "MPS: client terminated by the server"},
    {811, "ErrorCdpNotSupported", "dynamic parallelism is not supported in this configuration"},
    {812, "ErrorCdpVersionMismatch", "versions of dynamic parallelism do not work together"},
    {900, "ErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {901, "ErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
    {902, "ErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"},
    {903, "ErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"},
    {904, "ErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {905, "ErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"},
    {906, "ErrorStreamCaptureImplicit", "the legacy stream would depend on a capturing blocking stream"},
    {907, "ErrorCapturedEvent", "the event was last recorded in a capturing stream"},
    {908, "ErrorStreamCaptureWrongThread", "a thread-local capture sequence is ended from another thread"},
    {909, "ErrorTimeout", "wait operation timed out"},
    {910, "ErrorGraphExecUpdateFailure", "the graph update was not performed because of changes that an update cannot make"},
    {911, "ErrorExternalDevice", "error in an external device"},
    {912, "ErrorInvalidClusterSize", "cluster cannot be launched"},
    {999, "ErrorUnknown", "unknown error"},
};

const ErrorText *text_of(int code) {
    for (const ErrorText &it : error_texts) {
        if (it.code == code) return &it;
    }
    return nullptr;
}

struct ThreadState {
    cudaError_t error = cudaSuccess;
    const void *caller = nullptr;  // the place in the user's code: an address,
    Site site = {"", 0};           // or a line, where that is known
    int device = 0;
};
thread_local ThreadState self;

}  // namespace

std::recursive_mutex &state_lock() {
    static std::recursive_mutex it;
    return it;
}

cudaError_t set_error(cudaError_t error) {
    if (error != cudaSuccess) self.error = error;
    return error;
}

cudaError_t code_of(Fault fault) {
    switch (fault) {
        case Fault::none: return cudaSuccess;
        case Fault::deadlock:
        case Fault::endless: return cudaErrorLaunchTimeout;
        case Fault::illegal_address: return cudaErrorIllegalAddress;
        case Fault::stack_overflow: return cudaErrorHardwareStackError;
        case Fault::assertion: return cudaErrorAssert;
        case Fault::trap:
        case Fault::shared_limit:
        case Fault::arithmetic: return cudaErrorLaunchFailure;
    }
    return cudaErrorUnknown;
}

void report(const char *kind, const std::string &text) {
    if (self.site.line) finding(kind, self.site, text);
    else finding_at(kind, static_cast<const char *>(self.caller) - 1, text);  // a call ends before it
}

std::string bytes(size_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

// --- devices -------------------------------------------------------------------------------------

namespace {

// What differs between targets. MUSA's numbers are those of rules/targets/*.yaml; where nobody
// knows a number, the most cautious one stands.
struct Target {
    const char *target, *name;
    int major, minor, processors;
    int shared, shared_optin, shared_processor, shared_reserved;
    int registers, registers_processor, threads_processor, blocks_processor;
    int constant, depth, grid_y;  // depth: the z extent of a block
    int clock, memory_clock, bus, l2;
    long long memory;
    bool cluster;
};

constexpr int k64 = 65536, most = INT_MAX;
constexpr long long gb = 1ll << 30;

const Target targets[] = {
    {"sm_70", "SIMT sm_70", 7, 0, 80, 49152, 98304, 98304, 0, k64, k64, 2048, 32, k64, 64, 65535,
     1380000, 877000, 4096, 6 << 20, 16 * gb, false},
    {"sm_75", "SIMT sm_75", 7, 5, 40, 49152, 65536, 65536, 0, k64, k64, 1024, 16, k64, 64, 65535,
     1590000, 5001000, 256, 4 << 20, 16 * gb, false},
    {"sm_80", "SIMT sm_80", 8, 0, 108, 49152, 166912, 167936, 1024, k64, k64, 2048, 32, k64, 64,
     65535, 1410000, 1215000, 5120, 40 << 20, 40 * gb, false},
    {"sm_86", "SIMT sm_86", 8, 6, 84, 49152, 101376, 102400, 1024, k64, k64, 1536, 16, k64, 64,
     65535, 1695000, 9751000, 384, 6 << 20, 24 * gb, false},
    {"sm_89", "SIMT sm_89", 8, 9, 128, 49152, 101376, 102400, 1024, k64, k64, 1536, 24, k64, 64,
     65535, 2520000, 10501000, 384, 72 << 20, 24 * gb, false},
    {"sm_90", "SIMT sm_90", 9, 0, 132, 49152, 232448, 233472, 1024, k64, k64, 2048, 32, k64, 64,
     65535, 1980000, 2619000, 5120, 50 << 20, 80 * gb, true},
    {"mp_21", "SIMT mp_21", 2, 1, 32, 28672, 28672, 28672, 0, 262144, 131072, 6144, 32, 8192, 64,
     most, 1800000, 7000000, 256, 4 << 20, 16 * gb, false},
    {"mp_22", "SIMT mp_22", 2, 2, 56, 73728, 73728, 73728, 0, 262144, 262144, 6144, 32, 8192, 64,
     most, 1750000, 8000000, 384, 4 << 20, 48 * gb, false},
    {"mp_31", "SIMT mp_31", 3, 1, 56, 196608, 196608, 196608, 0, 131072, 131072, 3072, 32, 8192,
     1024, most, 1750000, 8000000, 640, 60 << 20, 80 * gb, false},
};

const Target &target() {
    static const Target *it = [] {
        const char *wanted = *config().target ? config().target : "sm_80";
        for (const Target &each : targets) {
            if (!std::strcmp(each.target, wanted)) return &each;
        }
        std::fprintf(stderr, "simt: SIMT_TARGET=%s: expected one of", wanted);
        for (const Target &each : targets) std::fprintf(stderr, " %s", each.target);
        std::fputc('\n', stderr);
        std::_Exit(2);
    }();
    return *it;
}

// A card's memory, but not more than this machine can stand for it.
size_t device_memory() {
    const auto pages = static_cast<long long>(sysconf(_SC_PHYS_PAGES));
    return static_cast<size_t>(std::min(target().memory, pages * sysconf(_SC_PAGESIZE) / 2));
}

cudaDeviceProp make_properties() {
    const Target &t = target();
    cudaDeviceProp p = {};
    std::snprintf(p.name, sizeof p.name, "%s", t.name);
    std::memcpy(p.uuid.bytes, t.name, std::min<size_t>(16, std::strlen(t.name)));
    p.totalGlobalMem = device_memory();
    p.sharedMemPerBlock = static_cast<size_t>(t.shared);
    p.regsPerBlock = t.registers;
    p.warpSize = config().host_warp;
    p.memPitch = INT_MAX;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = t.depth;
    p.maxGridSize[0] = INT_MAX;
    p.maxGridSize[1] = p.maxGridSize[2] = t.grid_y;
    p.clockRate = t.clock;
    p.totalConstMem = static_cast<size_t>(t.constant);
    p.major = t.major;
    p.minor = t.minor;
    p.textureAlignment = 512;
    p.texturePitchAlignment = 32;
    p.deviceOverlap = 1;
    p.multiProcessorCount = t.processors;
    p.canMapHostMemory = 1;
    p.computeMode = cudaComputeModeDefault;
    p.maxTexture1D = 131072;
    p.maxTexture1DMipmap = 32768;
    p.maxTexture1DLinear = 268435456;
    p.maxTexture2D[0] = 131072;
    p.maxTexture2D[1] = 65536;
    p.maxTexture2DMipmap[0] = p.maxTexture2DMipmap[1] = 32768;
    p.maxTexture2DLinear[0] = 131072;
    p.maxTexture2DLinear[1] = 65000;
    p.maxTexture2DLinear[2] = 2097120;
    p.maxTexture2DGather[0] = p.maxTexture2DGather[1] = 32768;
    for (int &it : p.maxTexture3D) it = 16384;
    p.maxTexture3DAlt[0] = p.maxTexture3DAlt[1] = 8192;
    p.maxTexture3DAlt[2] = 32768;
    p.maxTextureCubemap = 32768;
    p.maxTexture1DLayered[0] = p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = 32768;
    p.maxTexture1DLayered[1] = p.maxTexture2DLayered[2] = 2048;
    p.maxTextureCubemapLayered[0] = 32768;
    p.maxTextureCubemapLayered[1] = 2046;
    p.maxSurface1D = p.maxSurface1DLayered[0] = 32768;
    p.maxSurface2D[0] = 131072;
    p.maxSurface2D[1] = 65536;
    for (int &it : p.maxSurface3D) it = 16384;
    p.maxSurface1DLayered[1] = p.maxSurface2DLayered[2] = 2048;
    p.maxSurface2DLayered[0] = p.maxSurface2DLayered[1] = 32768;
    p.maxSurfaceCubemap = p.maxSurfaceCubemapLayered[0] = 32768;
    p.maxSurfaceCubemapLayered[1] = 2046;
    p.surfaceAlignment = 512;
    p.concurrentKernels = 1;
    p.pciBusID = 1;
    p.asyncEngineCount = 3;
    p.unifiedAddressing = 1;
    p.memoryClockRate = t.memory_clock;
    p.memoryBusWidth = t.bus;
    p.l2CacheSize = t.l2;
    p.persistingL2CacheMaxSize = t.major >= 8 ? t.l2 * 3 / 4 : 0;
    p.maxThreadsPerMultiProcessor = t.threads_processor;
    p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = p.localL1CacheSupported = 1;
    p.sharedMemPerMultiprocessor = static_cast<size_t>(t.shared_processor);
    p.regsPerMultiprocessor = t.registers_processor;
    p.managedMemory = 1;
    p.singleToDoublePrecisionPerfRatio = 2;
    p.concurrentManagedAccess = 1;
    p.computePreemptionSupported = 1;
    p.canUseHostPointerForRegisteredMem = 1;
    p.cooperativeLaunch = 1;
    p.sharedMemPerBlockOptin = static_cast<size_t>(t.shared_optin);
    p.maxBlocksPerMultiProcessor = t.blocks_processor;
    p.accessPolicyMaxWindowSize = t.major >= 8 ? 134213632 : 0;
    p.reservedSharedMemPerBlock = static_cast<size_t>(t.shared_reserved);
    p.hostRegisterSupported = 1;
    p.memoryPoolsSupported = 1;
    p.clusterLaunch = t.cluster;
    return p;
}

struct DeviceState {
    cudaError_t fault = cudaSuccess;
    unsigned flags = 0;
    std::vector<int> peers;
    std::map<int, size_t> limits;
    cudaFuncCache cache = cudaFuncCachePreferNone;
};

std::vector<DeviceState> &devices() {
    static std::vector<DeviceState> it(static_cast<size_t>(device_count()));
    return it;
}

DeviceState &device() { return devices()[static_cast<size_t>(self.device)]; }

bool is_device(int number) { return number >= 0 && number < device_count(); }

}  // namespace

const cudaDeviceProp &properties() {
    static const cudaDeviceProp it = make_properties();
    return it;
}

int device_count() {
    static const int it = [] {
        const char *wanted = std::getenv("SIMT_DEVICES");
        const int count = wanted && *wanted ? std::atoi(wanted) : 1;
        if (count < 0 || count > 64) {
            std::fprintf(stderr, "simt: SIMT_DEVICES=%s: expected a number from 0 to 64\n", wanted);
            std::_Exit(2);
        }
        return count;
    }();
    return it;
}

int current_device() { return self.device; }
size_t shared_limit() { return properties().sharedMemPerBlockOptin; }

bool is_peer(int of, int peer) {
    const auto &list = devices()[static_cast<size_t>(of)].peers;
    return of == peer || std::find(list.begin(), list.end(), peer) != list.end();
}

cudaError_t device_fault() { return device_count() ? device().fault : cudaSuccess; }

void set_device_fault(int number, cudaError_t error) {
    cudaError_t &fault = devices()[static_cast<size_t>(number)].fault;
    if (fault == cudaSuccess) fault = error;  // the first one stays
}

cudaError_t enter(const void *code, Needs needs) {
    self.caller = code;
    self.site = Site{"", 0};
    if (in_callback()) {
        report("api-in-callback", "a host function on a stream calls the API, which is not allowed");
        return cudaErrorNotPermitted;
    }
    if (needs == Needs::nothing) return cudaSuccess;
    if (!device_count()) return cudaErrorNoDevice;
    return device_fault();
}

// --- launches ------------------------------------------------------------------------------------

namespace {

std::unordered_map<const void *, KernelInfo> &kernels() {
    static auto *it = new std::unordered_map<const void *, KernelInfo>;
    return *it;
}

size_t constant_bytes = 0;  // of all variables that the program declares

std::string triple(dim3 v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

}  // namespace

KernelInfo &kernel_info(const void *kernel) { return kernels()[kernel]; }

void register_kernel(const void *kernel, Bind bind, const size_t *sizes, size_t count) {
    const std::lock_guard<std::recursive_mutex> held(state_lock());
    KernelInfo &info = kernel_info(kernel);
    if (info.bind) return;
    info.bind = bind;
    info.sizes.assign(sizes, sizes + count);
}

// Says at once why a launch is refused: programs that do not look at errors go on with old data.
cudaError_t check_launch(const LaunchConfig &launch, const void *kernel, const char *name) {
    const cudaDeviceProp &limit = properties();
    const auto refuse = [&](cudaError_t code, const std::string &why) {
        report("launch-refused", std::string(name) + ": " + why);
        return code;
    };
    const dim3 &g = launch.grid, &b = launch.block;
    const uint64_t threads = uint64_t(b.x) * b.y * b.z;
    if (!threads || !g.x || !g.y || !g.z) {
        return refuse(
            cudaErrorInvalidConfiguration,
            "an extent is zero: grid " + triple(g) + ", block " + triple(b)
        );
    }
    const auto over = [](unsigned value, int most) { return value > static_cast<unsigned>(most); };
    if (threads > static_cast<uint64_t>(limit.maxThreadsPerBlock)) {
        return refuse(
            cudaErrorInvalidConfiguration,
            "a block of " + std::to_string(threads) + " threads; the device allows " +
                std::to_string(limit.maxThreadsPerBlock)
        );
    }
    const int *most_b = limit.maxThreadsDim, *most_g = limit.maxGridSize;
    if (over(b.x, most_b[0]) || over(b.y, most_b[1]) || over(b.z, most_b[2])) {
        return refuse(cudaErrorInvalidConfiguration, "block " + triple(b) + " is too large");
    }
    if (over(g.x, most_g[0]) || over(g.y, most_g[1]) || over(g.z, most_g[2])) {
        return refuse(cudaErrorInvalidConfiguration, "grid " + triple(g) + " is too large");
    }
    size_t allowed = limit.sharedMemPerBlock;
    if (kernel) {
        const auto known = kernels().find(kernel);
        if (known != kernels().end()) allowed = std::max(allowed, known->second.dynamic_limit);
    }
    if (launch.shared > allowed) {
        return refuse(
            cudaErrorInvalidValue,
            bytes(launch.shared) + " of dynamic shared memory; " + bytes(allowed) +
                " are allowed without cudaFuncAttributeMaxDynamicSharedMemorySize, " +
                bytes(limit.sharedMemPerBlockOptin) + " with it"
        );
    }
    if (constant_bytes > limit.totalConstMem) {
        return refuse(
            cudaErrorInvalidKernelImage,
            bytes(constant_bytes) + " of constant memory; the device has " + bytes(limit.totalConstMem)
        );
    }
    const dim3 &c = launch.cluster;
    const uint64_t cluster = uint64_t(c.x) * c.y * c.z;
    if (cluster > 1) {
        if (!limit.clusterLaunch) {
            return refuse(cudaErrorNotSupported, "the device has no clusters of blocks");
        }
        const uint64_t largest = kernel && kernel_info(kernel).large_cluster ? 16 : 8;
        if (cluster > largest || g.x % c.x || g.y % c.y || g.z % c.z) {
            return refuse(
                cudaErrorInvalidClusterSize,
                "cluster " + triple(c) + " does not fit the grid " + triple(g)
            );
        }
    }
    if (launch.cooperative) {
        const uint64_t resident = uint64_t(resident_blocks(static_cast<unsigned>(threads), launch.shared)) *
                                  static_cast<uint64_t>(limit.multiProcessorCount);
        const uint64_t blocks = uint64_t(g.x) * g.y * g.z;
        if (blocks > resident) {
            return refuse(
                cudaErrorCooperativeLaunchTooLarge,
                std::to_string(blocks) + " blocks in a cooperative launch; " + std::to_string(resident) +
                    " are resident at once"
            );
        }
    }
    return cudaSuccess;
}

// By threads, blocks and dynamic shared memory: registers and static shared memory are not known
// before a compiler for the device has seen the kernel.
int resident_blocks(unsigned threads, size_t shared) {
    const cudaDeviceProp &p = properties();
    const unsigned warp = static_cast<unsigned>(p.warpSize);
    const unsigned rounded = (threads + warp - 1) / warp * warp;
    int blocks = std::min(
        p.maxBlocksPerMultiProcessor, p.maxThreadsPerMultiProcessor / static_cast<int>(std::max(rounded, warp))
    );
    const size_t each = shared + p.reservedSharedMemPerBlock;
    if (each) blocks = static_cast<int>(std::min<size_t>(static_cast<size_t>(blocks), p.sharedMemPerMultiprocessor / each));
    return blocks;
}

namespace {

// A launch that has been checked, as a piece of work. It does not run on a device with a fault.
std::function<void()> grid_work(
    const LaunchConfig &config, const void *kernel, const char *name, Body body
) {
    Grid grid;
    grid.grid = config.grid;
    grid.block = config.block;
    grid.cluster = config.cluster;
    grid.dynamic_shared = config.shared;
    grid.cooperative = config.cooperative;
    grid.kernel = name;
    const cudaDeviceProp &limit = properties();
    const bool opted = kernel && kernel_info(kernel).dynamic_limit > limit.sharedMemPerBlock;
    grid.shared_limit = opted ? limit.sharedMemPerBlockOptin : limit.sharedMemPerBlock;
    return [grid, number = self.device, body = std::move(body)]() {
        if (devices()[static_cast<size_t>(number)].fault != cudaSuccess) return;
        const Fault fault = run_grid(grid, body.run, body.held.get());
        if (fault != Fault::none) set_device_fault(number, code_of(fault));
    };
}

}  // namespace

Work kernel_work(
    const LaunchConfig &config, const void *kernel, const char *name, Body body
) {
    Work work;
    work.what = name;
    work.node = [=] { return kernel_node(config, kernel, name, body); };
    work.run = grid_work(config, kernel, name, std::move(body));
    return work;
}

int launch(
    const LaunchConfig &config, const void *kernel, const char *name, Body body,
    Site site
) {
    if (on_device()) {
        // From a kernel: after the grid that launches. Its state is not this host thread's.
        if (check_launch(config, kernel, name) != cudaSuccess) return set_error(cudaErrorInvalidConfiguration);
        run_after(grid_work(config, kernel, name, std::move(body)));
        return cudaSuccess;
    }
    const std::lock_guard<std::recursive_mutex> held(state_lock());
    cudaError_t error = enter(self.caller, Needs::context);
    self.site = site;
    if (error == cudaSuccess) error = check_launch(config, kernel, name);
    if (error == cudaSuccess) {
        error = queue(static_cast<cudaStream_t>(config.stream), kernel_work(config, kernel, name, std::move(body)));
    }
    return set_error(error);
}

namespace {

// A launch by address: the kernel must be known.
cudaError_t launch_address(const void *kernel, LaunchConfig config, void **arguments) {
    const auto known = kernels().find(kernel);
    if (!kernel || known == kernels().end() || !known->second.bind) {
        report(
            "kernel-unknown",
            "a kernel is launched by an address whose parameters are not known: its name was never "
            "seen with its type"
        );
        return cudaErrorInvalidDeviceFunction;
    }
    if (!arguments && !known->second.sizes.empty()) return cudaErrorInvalidValue;
    const char *name = "kernel";
    const cudaError_t error = check_launch(config, kernel, name);
    if (error != cudaSuccess) return error;
    auto body = known->second.bind(kernel, arguments);
    return queue(static_cast<cudaStream_t>(config.stream), kernel_work(config, kernel, name, std::move(body)));
}

}  // namespace

cudaError_t configure(const cudaLaunchConfig_t &from, LaunchConfig &to) {
    to.grid = from.gridDim;
    to.block = from.blockDim;
    to.shared = from.dynamicSmemBytes;
    to.stream = from.stream;
    for (unsigned i = 0; i < from.numAttrs; i++) {
        const cudaLaunchAttribute &it = from.attrs[i];
        switch (it.id) {
            case cudaLaunchAttributeCooperative: to.cooperative = it.val.cooperative != 0; break;
            case cudaLaunchAttributeClusterDimension:
                to.cluster = dim3(it.val.clusterDim.x, it.val.clusterDim.y, it.val.clusterDim.z);
                break;
            case cudaLaunchAttributeIgnore:
            case cudaLaunchAttributeAccessPolicyWindow:
            case cudaLaunchAttributeSynchronizationPolicy:
            case cudaLaunchAttributeClusterSchedulingPolicyPreference:
            case cudaLaunchAttributePriority:
            case cudaLaunchAttributeMemSyncDomainMap:
            case cudaLaunchAttributeMemSyncDomain:
            // A kernel may start early under this one; it need not.
            case cudaLaunchAttributeProgrammaticStreamSerialization: break;
            default: return cudaErrorNotSupported;
        }
    }
    return cudaSuccess;
}

bool declare_variable(const void *address, size_t size, const char *name, Space space) {
    const std::lock_guard<std::recursive_mutex> held(state_lock());
    if (add_variable(address, size, name) && space == Space::constant) constant_bytes += size;
    return true;
}

}  // namespace simt

using namespace simt;

// --- the API: errors -----------------------------------------------------------------------------

cudaError_t cudaGetLastError() {
    const cudaError_t error = self.error;
    if (error == cudaSuccess || error != device_fault()) self.error = cudaSuccess;  // faults stay
    return error;
}

cudaError_t cudaPeekAtLastError() { return self.error; }

const char *cudaGetErrorString(cudaError_t error) {
    const ErrorText *it = text_of(error);
    return it ? it->text : "unrecognized error code";
}

const char *simt_error_name(int error, const char *success) {
    const ErrorText *it = text_of(error);
    if (!it) return "unrecognized error code";
    static std::map<std::string, std::string> names;
    const std::lock_guard<std::recursive_mutex> held(state_lock());
    const std::string prefix(success, std::strlen(success) - std::strlen("Success"));
    return names.try_emplace(prefix + it->name, prefix + it->name).first->second.c_str();
}

// --- the API: devices ----------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int *count) {
    return api(SIMT_CALLER, [&] {
        if (!count) return cudaErrorInvalidValue;
        *count = device_count();
        return *count ? cudaSuccess : cudaErrorNoDevice;
    }, Needs::nothing);
}

cudaError_t cudaGetDevice(int *number) {
    return api(SIMT_CALLER, [&] {
        if (!number) return cudaErrorInvalidValue;
        if (!device_count()) return cudaErrorNoDevice;
        *number = self.device;
        return cudaSuccess;
    }, Needs::nothing);
}

cudaError_t cudaSetDevice(int number) {
    return api(SIMT_CALLER, [&] {
        if (!device_count()) return cudaErrorNoDevice;
        if (!is_device(number)) return cudaErrorInvalidDevice;
        self.device = number;
        return cudaSuccess;
    }, Needs::nothing);
}

cudaError_t cudaInitDevice(int number, unsigned, unsigned) {
    return api(SIMT_CALLER, [&] { return is_device(number) ? cudaSuccess : cudaErrorInvalidDevice; }, Needs::nothing);
}

cudaError_t cudaSetValidDevices(int *list, int count) {
    return api(SIMT_CALLER, [&] {
        if (count < 0 || (count && !list)) return cudaErrorInvalidValue;
        for (int i = 0; i < count; i++) {
            if (!is_device(list[i])) return cudaErrorInvalidDevice;
        }
        if (count) self.device = list[0];
        return cudaSuccess;
    }, Needs::nothing);
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return api(SIMT_CALLER, [&] {
        const unsigned schedule = flags & cudaDeviceScheduleMask;
        if (flags & ~unsigned(cudaDeviceMask) || (schedule & (schedule - 1))) return cudaErrorInvalidValue;
        if (device_count()) device().flags = flags;
        return cudaSuccess;
    }, Needs::nothing);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    return api(SIMT_CALLER, [&] {
        if (!flags) return cudaErrorInvalidValue;
        *flags = device().flags | cudaDeviceMapHost;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *to, int number) {
    return api(SIMT_CALLER, [&] {
        if (!to) return cudaErrorInvalidValue;
        if (!is_device(number)) return cudaErrorInvalidDevice;
        *to = properties();
        to->pciBusID = number + 1;
        to->uuid.bytes[15] = static_cast<char>(number);
        return cudaSuccess;
    }, Needs::nothing);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int number) {
    return api(SIMT_CALLER, [&] {
        if (!value) return cudaErrorInvalidValue;
        if (!is_device(number)) return cudaErrorInvalidDevice;
        const cudaDeviceProp &p = properties();
        switch (attribute) {
            case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
            case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
            case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
            case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
            case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
            case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
            case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
            case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(p.sharedMemPerBlock); break;
            case cudaDevAttrTotalConstantMemory: *value = static_cast<int>(p.totalConstMem); break;
            case cudaDevAttrWarpSize: *value = p.warpSize; break;
            case cudaDevAttrMaxPitch: *value = static_cast<int>(p.memPitch); break;
            case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
            case cudaDevAttrClockRate: *value = p.clockRate; break;
            case cudaDevAttrTextureAlignment: *value = static_cast<int>(p.textureAlignment); break;
            case cudaDevAttrGpuOverlap: *value = p.deviceOverlap; break;
            case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
            case cudaDevAttrKernelExecTimeout: *value = p.kernelExecTimeoutEnabled; break;
            case cudaDevAttrIntegrated: *value = p.integrated; break;
            case cudaDevAttrCanMapHostMemory: *value = p.canMapHostMemory; break;
            case cudaDevAttrComputeMode: *value = p.computeMode; break;
            case cudaDevAttrMaxTexture1DWidth: *value = p.maxTexture1D; break;
            case cudaDevAttrMaxTexture2DWidth: *value = p.maxTexture2D[0]; break;
            case cudaDevAttrMaxTexture2DHeight: *value = p.maxTexture2D[1]; break;
            case cudaDevAttrMaxTexture3DWidth: *value = p.maxTexture3D[0]; break;
            case cudaDevAttrMaxTexture3DHeight: *value = p.maxTexture3D[1]; break;
            case cudaDevAttrMaxTexture3DDepth: *value = p.maxTexture3D[2]; break;
            case cudaDevAttrMaxTexture2DLayeredWidth: *value = p.maxTexture2DLayered[0]; break;
            case cudaDevAttrMaxTexture2DLayeredHeight: *value = p.maxTexture2DLayered[1]; break;
            case cudaDevAttrMaxTexture2DLayeredLayers: *value = p.maxTexture2DLayered[2]; break;
            case cudaDevAttrSurfaceAlignment: *value = static_cast<int>(p.surfaceAlignment); break;
            case cudaDevAttrConcurrentKernels: *value = p.concurrentKernels; break;
            case cudaDevAttrEccEnabled: *value = p.ECCEnabled; break;
            case cudaDevAttrPciDeviceId: *value = p.pciDeviceID; break;
            case cudaDevAttrTccDriver: *value = p.tccDriver; break;
            case cudaDevAttrMemoryClockRate: *value = p.memoryClockRate; break;
            case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
            case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
            case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
            case cudaDevAttrAsyncEngineCount: *value = p.asyncEngineCount; break;
            case cudaDevAttrUnifiedAddressing: *value = p.unifiedAddressing; break;
            case cudaDevAttrMaxTexture1DLayeredWidth: *value = p.maxTexture1DLayered[0]; break;
            case cudaDevAttrMaxTexture1DLayeredLayers: *value = p.maxTexture1DLayered[1]; break;
            case cudaDevAttrMaxTexture2DGatherWidth: *value = p.maxTexture2DGather[0]; break;
            case cudaDevAttrMaxTexture2DGatherHeight: *value = p.maxTexture2DGather[1]; break;
            case cudaDevAttrMaxTexture3DWidthAlt: *value = p.maxTexture3DAlt[0]; break;
            case cudaDevAttrMaxTexture3DHeightAlt: *value = p.maxTexture3DAlt[1]; break;
            case cudaDevAttrMaxTexture3DDepthAlt: *value = p.maxTexture3DAlt[2]; break;
            case cudaDevAttrPciDomainId: *value = p.pciDomainID; break;
            case cudaDevAttrTexturePitchAlignment: *value = static_cast<int>(p.texturePitchAlignment); break;
            case cudaDevAttrMaxTextureCubemapWidth: *value = p.maxTextureCubemap; break;
            case cudaDevAttrMaxTextureCubemapLayeredWidth: *value = p.maxTextureCubemapLayered[0]; break;
            case cudaDevAttrMaxTextureCubemapLayeredLayers: *value = p.maxTextureCubemapLayered[1]; break;
            case cudaDevAttrMaxSurface1DWidth: *value = p.maxSurface1D; break;
            case cudaDevAttrMaxSurface2DWidth: *value = p.maxSurface2D[0]; break;
            case cudaDevAttrMaxSurface2DHeight: *value = p.maxSurface2D[1]; break;
            case cudaDevAttrMaxSurface3DWidth: *value = p.maxSurface3D[0]; break;
            case cudaDevAttrMaxSurface3DHeight: *value = p.maxSurface3D[1]; break;
            case cudaDevAttrMaxSurface3DDepth: *value = p.maxSurface3D[2]; break;
            case cudaDevAttrMaxSurface1DLayeredWidth: *value = p.maxSurface1DLayered[0]; break;
            case cudaDevAttrMaxSurface1DLayeredLayers: *value = p.maxSurface1DLayered[1]; break;
            case cudaDevAttrMaxSurface2DLayeredWidth: *value = p.maxSurface2DLayered[0]; break;
            case cudaDevAttrMaxSurface2DLayeredHeight: *value = p.maxSurface2DLayered[1]; break;
            case cudaDevAttrMaxSurface2DLayeredLayers: *value = p.maxSurface2DLayered[2]; break;
            case cudaDevAttrMaxSurfaceCubemapWidth: *value = p.maxSurfaceCubemap; break;
            case cudaDevAttrMaxSurfaceCubemapLayeredWidth: *value = p.maxSurfaceCubemapLayered[0]; break;
            case cudaDevAttrMaxSurfaceCubemapLayeredLayers: *value = p.maxSurfaceCubemapLayered[1]; break;
            case cudaDevAttrMaxTexture1DLinearWidth: *value = p.maxTexture1DLinear; break;
            case cudaDevAttrMaxTexture2DLinearWidth: *value = p.maxTexture2DLinear[0]; break;
            case cudaDevAttrMaxTexture2DLinearHeight: *value = p.maxTexture2DLinear[1]; break;
            case cudaDevAttrMaxTexture2DLinearPitch: *value = p.maxTexture2DLinear[2]; break;
            case cudaDevAttrMaxTexture2DMipmappedWidth: *value = p.maxTexture2DMipmap[0]; break;
            case cudaDevAttrMaxTexture2DMipmappedHeight: *value = p.maxTexture2DMipmap[1]; break;
            case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
            case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
            case cudaDevAttrMaxTexture1DMipmappedWidth: *value = p.maxTexture1DMipmap; break;
            case cudaDevAttrStreamPrioritiesSupported: *value = p.streamPrioritiesSupported; break;
            case cudaDevAttrGlobalL1CacheSupported: *value = p.globalL1CacheSupported; break;
            case cudaDevAttrLocalL1CacheSupported: *value = p.localL1CacheSupported; break;
            case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = static_cast<int>(p.sharedMemPerMultiprocessor); break;
            case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
            case cudaDevAttrManagedMemory: *value = p.managedMemory; break;
            case cudaDevAttrIsMultiGpuBoard: *value = p.isMultiGpuBoard; break;
            case cudaDevAttrMultiGpuBoardGroupID: *value = p.multiGpuBoardGroupID; break;
            case cudaDevAttrHostNativeAtomicSupported: *value = p.hostNativeAtomicSupported; break;
            case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = p.singleToDoublePrecisionPerfRatio; break;
            case cudaDevAttrPageableMemoryAccess: *value = p.pageableMemoryAccess; break;
            case cudaDevAttrConcurrentManagedAccess: *value = p.concurrentManagedAccess; break;
            case cudaDevAttrComputePreemptionSupported: *value = p.computePreemptionSupported; break;
            case cudaDevAttrCanUseHostPointerForRegisteredMem: *value = p.canUseHostPointerForRegisteredMem; break;
            case cudaDevAttrCooperativeLaunch: *value = p.cooperativeLaunch; break;
            case cudaDevAttrCooperativeMultiDeviceLaunch: *value = p.cooperativeMultiDeviceLaunch; break;
            case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = static_cast<int>(p.sharedMemPerBlockOptin); break;
            case cudaDevAttrHostRegisterSupported: *value = p.hostRegisterSupported; break;
            case cudaDevAttrPageableMemoryAccessUsesHostPageTables: *value = p.pageableMemoryAccessUsesHostPageTables; break;
            case cudaDevAttrDirectManagedMemAccessFromHost: *value = p.directManagedMemAccessFromHost; break;
            case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
            case cudaDevAttrMaxPersistingL2CacheSize: *value = p.persistingL2CacheMaxSize; break;
            case cudaDevAttrMaxAccessPolicyWindowSize: *value = p.accessPolicyMaxWindowSize; break;
            case cudaDevAttrReservedSharedMemoryPerBlock: *value = static_cast<int>(p.reservedSharedMemPerBlock); break;
            case cudaDevAttrSparseCudaArraySupported: *value = p.sparseCudaArraySupported; break;
            case cudaDevAttrHostRegisterReadOnlySupported: *value = p.hostRegisterReadOnlySupported; break;
            case cudaDevAttrTimelineSemaphoreInteropSupported: *value = p.timelineSemaphoreInteropSupported; break;
            case cudaDevAttrMemoryPoolsSupported: *value = p.memoryPoolsSupported; break;
            case cudaDevAttrGPUDirectRDMASupported: *value = p.gpuDirectRDMASupported; break;
            case cudaDevAttrGPUDirectRDMAFlushWritesOptions: *value = static_cast<int>(p.gpuDirectRDMAFlushWritesOptions); break;
            case cudaDevAttrGPUDirectRDMAWritesOrdering: *value = p.gpuDirectRDMAWritesOrdering; break;
            case cudaDevAttrMemoryPoolSupportedHandleTypes: *value = static_cast<int>(p.memoryPoolSupportedHandleTypes); break;
            case cudaDevAttrClusterLaunch: *value = p.clusterLaunch; break;
            case cudaDevAttrDeferredMappingCudaArraySupported: *value = p.deferredMappingCudaArraySupported; break;
            case cudaDevAttrIpcEventSupport: *value = p.ipcEventSupported; break;
            case cudaDevAttrPciBusId: *value = number + 1; break;
            case cudaDevAttrHostNumaId: *value = 0; break;
            case cudaDevAttrCanFlushRemoteWrites:
            case cudaDevAttrMemSyncDomainCount:
            case cudaDevAttrNumaConfig:
            case cudaDevAttrNumaId:
            case cudaDevAttrMpsEnabled: *value = 0; break;
            default: return cudaErrorInvalidValue;
        }
        return cudaSuccess;
    }, Needs::nothing);
}

cudaError_t cudaChooseDevice(int *number, const cudaDeviceProp *wanted) {
    return api(SIMT_CALLER, [&] {
        if (!number || !wanted) return cudaErrorInvalidValue;
        *number = 0;  // they are all alike
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int number) {
    return api(SIMT_CALLER, [&] {
        if (!id || length < 13) return cudaErrorInvalidValue;
        if (!is_device(number)) return cudaErrorInvalidDevice;
        std::snprintf(id, static_cast<size_t>(length), "0000:%02X:00.0", number + 1);
        return cudaSuccess;
    }, Needs::nothing);
}

cudaError_t cudaDeviceGetByPCIBusId(int *number, const char *id) {
    return api(SIMT_CALLER, [&] {
        if (!number || !id) return cudaErrorInvalidValue;
        unsigned domain = 0, bus = 0;
        if (std::sscanf(id, "%x:%x:", &domain, &bus) != 2 || !is_device(static_cast<int>(bus) - 1)) {
            return cudaErrorInvalidDevice;
        }
        *number = static_cast<int>(bus) - 1;
        return cudaSuccess;
    }, Needs::nothing);
}

cudaError_t cudaDriverGetVersion(int *version) {
    return api(SIMT_CALLER, [&] {
        if (!version) return cudaErrorInvalidValue;
        *version = CUDART_VERSION;
        return cudaSuccess;
    }, Needs::nothing);
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    return api(SIMT_CALLER, [&] {
        if (!version) return cudaErrorInvalidValue;
        *version = CUDART_VERSION;
        return cudaSuccess;
    }, Needs::nothing);
}

// Waiting from a kernel for the kernels that it launched is no longer part of CUDA.
cudaError_t cudaDeviceSynchronize() {
    return api(SIMT_CALLER, [] {
        if (on_device()) {
            report("device-side-sync", "cudaDeviceSynchronize in a kernel: removed in CUDA 12");
            return cudaErrorUnsupportedDevSideSync;
        }
        const cudaError_t recording = check_no_capture();
        if (recording != cudaSuccess) return recording;
        finish_device();
        return device_fault();
    });
}

cudaError_t cudaDeviceReset() {
    return api(SIMT_CALLER, [] {
        if (!device_count()) return cudaErrorNoDevice;
        if (device().fault == cudaSuccess) finish_device();
        forget_streams();
        forget_memory();
        device() = DeviceState();
        self.error = cudaSuccess;
        return cudaSuccess;
    }, Needs::nothing);
}

namespace {

size_t usual_limit(int limit) {
    switch (limit) {
        case cudaLimitStackSize: return 1024;
        case cudaLimitPrintfFifoSize: return 1 << 20;
        case cudaLimitMallocHeapSize: return 8 << 20;
        case cudaLimitDevRuntimeSyncDepth: return 2;
        case cudaLimitDevRuntimePendingLaunchCount: return 2048;
        case cudaLimitMaxL2FetchGranularity: return 64;
        default: return 0;
    }
}

}  // namespace

// The stack of GPU threads is SIMT_STACK's, which is larger than any card's usual one; the other
// limits do not bind here. They are kept, so that a program reads what it wrote.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    return api(SIMT_CALLER, [&] {
        if (limit < cudaLimitStackSize || limit > cudaLimitPersistingL2CacheSize) return cudaErrorUnsupportedLimit;
        if (limit == cudaLimitPersistingL2CacheSize) {
            value = std::min(value, static_cast<size_t>(properties().persistingL2CacheMaxSize));
        }
        device().limits[limit] = value;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
    return api(SIMT_CALLER, [&] {
        if (!value) return cudaErrorInvalidValue;
        if (limit < cudaLimitStackSize || limit > cudaLimitPersistingL2CacheSize) return cudaErrorUnsupportedLimit;
        const auto set = device().limits.find(limit);
        *value = set == device().limits.end() ? usual_limit(limit) : set->second;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
    return api(SIMT_CALLER, [&] {
        if (!config) return cudaErrorInvalidValue;
        *config = device().cache;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    return api(SIMT_CALLER, [&] {
        if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
        device().cache = config;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *config) {
    return api(SIMT_CALLER, [&] {
        if (!config) return cudaErrorInvalidValue;
        *config = cudaSharedMemBankSizeFourByte;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
    return api(SIMT_CALLER, [&] {
        return config >= cudaSharedMemBankSizeDefault && config <= cudaSharedMemBankSizeEightByte
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    return api(SIMT_CALLER, [&] {
        if (least) *least = 0;
        if (greatest) *greatest = -5;
        return cudaSuccess;
    });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
    return api(SIMT_CALLER, [] { return cudaSuccess; });
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int of, int peer) {
    return api(SIMT_CALLER, [&] {
        if (!can) return cudaErrorInvalidValue;
        if (!is_device(of) || !is_device(peer)) return cudaErrorInvalidDevice;
        *can = of != peer;
        return cudaSuccess;
    }, Needs::nothing);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return api(SIMT_CALLER, [&] {
        if (flags) return cudaErrorInvalidValue;
        if (!is_device(peer) || peer == self.device) return cudaErrorInvalidDevice;
        if (is_peer(self.device, peer)) return cudaErrorPeerAccessAlreadyEnabled;
        device().peers.push_back(peer);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return api(SIMT_CALLER, [&] {
        if (!is_device(peer)) return cudaErrorInvalidDevice;
        if (peer == self.device || !is_peer(self.device, peer)) return cudaErrorPeerAccessNotEnabled;
        auto &list = device().peers;
        list.erase(std::find(list.begin(), list.end(), peer));
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int from, int to) {
    return api(SIMT_CALLER, [&] {
        if (!value) return cudaErrorInvalidValue;
        if (!is_device(from) || !is_device(to) || from == to) return cudaErrorInvalidDevice;
        *value = attribute != cudaDevP2PAttrPerformanceRank;
        return cudaSuccess;
    }, Needs::nothing);
}

// --- the API: functions --------------------------------------------------------------------------

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *to, const void *function) {
    return api(SIMT_CALLER, [&] {
        if (!to) return cudaErrorInvalidValue;
        if (!function) return cudaErrorInvalidDeviceFunction;
        const KernelInfo &info = kernel_info(function);
        *to = {};
        to->maxThreadsPerBlock = properties().maxThreadsPerBlock;
        to->numRegs = 32;  // a guess: no device compiler has seen the kernel
        to->ptxVersion = to->binaryVersion = properties().major * 10 + properties().minor;
        to->maxDynamicSharedSizeBytes = static_cast<int>(
            info.dynamic_limit ? info.dynamic_limit : properties().sharedMemPerBlock
        );
        to->preferredShmemCarveout = info.carveout;
        to->nonPortableClusterSizeAllowed = info.large_cluster;
        return cudaSuccess;
    });
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
    return api(SIMT_CALLER, [&] {
        if (!function) return cudaErrorInvalidDeviceFunction;
        KernelInfo &info = kernel_info(function);
        switch (attribute) {
            case cudaFuncAttributeMaxDynamicSharedMemorySize:
                if (value < 0 || static_cast<size_t>(value) > shared_limit()) {
                    report(
                        "launch-refused",
                        std::to_string(value) + " bytes of dynamic shared memory are asked for; the "
                        "device allows " + std::to_string(shared_limit())
                    );
                    return cudaErrorInvalidValue;
                }
                info.dynamic_limit = static_cast<size_t>(value);
                return cudaSuccess;
            case cudaFuncAttributePreferredSharedMemoryCarveout:
                if (value < -1 || value > 100) return cudaErrorInvalidValue;
                info.carveout = value;
                return cudaSuccess;
            case cudaFuncAttributeNonPortableClusterSizeAllowed:
                info.large_cluster = value != 0;
                return cudaSuccess;
            default: return cudaErrorInvalidValue;
        }
    });
}

cudaError_t cudaFuncSetCacheConfig(const void *function, cudaFuncCache config) {
    return api(SIMT_CALLER, [&] {
        if (!function) return cudaErrorInvalidDeviceFunction;
        return config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, cudaSharedMemConfig config) {
    return api(SIMT_CALLER, [&] {
        if (!function) return cudaErrorInvalidDeviceFunction;
        return config >= cudaSharedMemBankSizeDefault && config <= cudaSharedMemBankSizeEightByte
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, const void *function) {
    return api(SIMT_CALLER, [&] {
        if (!handle) return cudaErrorInvalidValue;
        if (!function) return cudaErrorInvalidDeviceFunction;
        *handle = static_cast<cudaFunction_t>(const_cast<void *>(function));
        return cudaSuccess;
    });
}

cudaError_t cudaLaunchKernel(
    const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream
) {
    return api(SIMT_CALLER, [&] {
        return launch_address(function, LaunchConfig{grid, block, shared, stream, false, dim3()}, arguments);
    });
}

cudaError_t cudaLaunchCooperativeKernel(
    const void *function, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream
) {
    return api(SIMT_CALLER, [&] {
        return launch_address(function, LaunchConfig{grid, block, shared, stream, true, dim3()}, arguments);
    });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
    return api(SIMT_CALLER, [&] {
        if (!config || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
        LaunchConfig launch;
        const cudaError_t error = configure(*config, launch);
        return error == cudaSuccess ? launch_address(function, launch, arguments) : error;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int size, size_t shared, unsigned
) {
    return api(SIMT_CALLER, [&] {
        if (!blocks || size <= 0) return cudaErrorInvalidValue;
        if (!function) return cudaErrorInvalidDeviceFunction;
        const KernelInfo &info = kernel_info(function);
        const size_t allowed = std::max(properties().sharedMemPerBlock, info.dynamic_limit);
        const bool fits = size <= properties().maxThreadsPerBlock && shared <= allowed;
        *blocks = fits ? resident_blocks(static_cast<unsigned>(size), shared) : 0;
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *function, int size, size_t shared
) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, size, shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *available, const void *function, int blocks, int size
) {
    return api(SIMT_CALLER, [&] {
        if (!available || blocks <= 0 || size <= 0) return cudaErrorInvalidValue;
        if (!function) return cudaErrorInvalidDeviceFunction;
        const size_t share = properties().sharedMemPerMultiprocessor / static_cast<size_t>(blocks);
        const size_t reserved = properties().reservedSharedMemPerBlock;
        *available = std::min(shared_limit(), share > reserved ? share - reserved : 0);
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(
    int *size, const void *function, const cudaLaunchConfig_t *config
) {
    return api(SIMT_CALLER, [&] {
        if (!size || !config) return cudaErrorInvalidValue;
        if (!function) return cudaErrorInvalidDeviceFunction;
        if (!properties().clusterLaunch) return cudaErrorNotSupported;
        *size = kernel_info(function).large_cluster ? 16 : 8;
        return cudaSuccess;
    });
}

cudaError_t cudaOccupancyMaxActiveClusters(
    int *clusters, const void *function, const cudaLaunchConfig_t *config
) {
    return api(SIMT_CALLER, [&] {
        if (!clusters || !config) return cudaErrorInvalidValue;
        if (!function) return cudaErrorInvalidDeviceFunction;
        if (!properties().clusterLaunch) return cudaErrorNotSupported;
        LaunchConfig launch;
        const cudaError_t error = configure(*config, launch);
        if (error != cudaSuccess) return error;
        const dim3 &b = launch.block, &c = launch.cluster;
        const int resident = resident_blocks(b.x * b.y * b.z, launch.shared);
        *clusters = resident * properties().multiProcessorCount / static_cast<int>(c.x * c.y * c.z);
        return cudaSuccess;
    });
}

// Nothing measures here.
cudaError_t cudaProfilerStart() {
    return api(SIMT_CALLER, [] { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
    return api(SIMT_CALLER, [] { return cudaSuccess; });
}

// The linker's names of these, for C files that call functions which they never declared.
#define SIMT_ALIAS(name) asm(".globl cuda" #name "\n.set cuda" #name ", simt_host_" #name "\n");
SIMT_ALIAS(SetDevice)
SIMT_ALIAS(GetDevice)
SIMT_ALIAS(GetDeviceCount)
SIMT_ALIAS(DeviceSynchronize)
SIMT_ALIAS(DeviceReset)
SIMT_ALIAS(GetLastError)
SIMT_ALIAS(GetErrorString)
