// A project with names of its own that look like CUDA's.
#include <cuda_runtime_api.h>
#include <string>

namespace cudax {
enum class cudaMode { cudaFast, cudaSlow };
struct cudaBuffer {
    void *cudaMalloc(size_t n);
    void cudaFree() { ::cudaFree(data_); }
    cudaError_t cudaMemcpy = cudaSuccess;
    void *data_ = nullptr;
};
void *cudaBuffer::cudaMalloc(size_t n) { return ::cudaMalloc(&data_, n) == cudaSuccess ? data_ : nullptr; }
}  // namespace cudax

typedef int cudaHandle_t;
static cudaHandle_t cudaOpenAll(int cudaStream_t) { return cudaStream_t + 1; }
#define cudaCheckLocal(x) ((x) == cudaSuccess)

int cuInit(unsigned flags, int more);

int use(cudax::cudaBuffer &b, cudax::cudaBuffer *p)
{
    b.cudaMalloc(16); p->cudaFree();
    b . cudaMemcpy = ::cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault);
    cudax::cudaMode m = cudax::cudaMode::cudaFast;
    int cudaDeviceProp = 3;
    for (int cudaFree = 0; cudaFree < cudaDeviceProp; ++cudaFree) m = cudax::cudaMode::cudaSlow;
    auto f = [](int cudaEvent_t) { return cudaEvent_t; };
    return f(cuInit(0, 1)) + cudaOpenAll(2) + int(m) + cudaCheckLocal(cudaDeviceSynchronize());
}
