#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

static const char *kSource = R"(
#include <cuda_fp16.h>
extern "C" __global__ void axpy(float a, const float *x, float *y) {
    y[threadIdx.x] += a * x[threadIdx.x];  // cudaMalloc ")
}
)";
static const char *kOther = R"xyz(a ) " b cudaFree)xyz" u8R"(cuMemAlloc)" L"cudaMalloc" u8"\"cuInit\"";

#define LOAD(name) name##_p = reinterpret_cast<decltype(&name)>(dlsym(handle, #name))

int load_all()
{
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    if (!handle) handle = dlopen("libcudart.so", RTLD_LAZY);
    auto init = (CUresult(*)(unsigned))dlsym(handle, "cuInit");
    CUmodule module; CUfunction fn; CUdeviceptr p;
    nvrtcProgram prog;
    nvrtcCreateProgram(&prog, kSource, "axpy.cu", 0, nullptr, nullptr);
    const char *options[] = {"--gpu-architecture=compute_80", "-default-device"};
    if (nvrtcCompileProgram(prog, 2, options) != NVRTC_SUCCESS) return 1;
    cuModuleLoad(&module, "kernels/axpy.ptx");
    cuModuleGetFunction(&fn, module, "axpy");
    cuMemAlloc(&p, 1'000);
    cuGetProcAddress("cuMemAlloc_v2", (void **)&init, 11000, 0, nullptr);
    return cuLaunchKernel(fn, 1, 1, 1, 'a', 1, 1, 0, 0, 0, 0);
}
