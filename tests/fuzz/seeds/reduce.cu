#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cstdio>

#include "helpers.cuh"

namespace cg = cooperative_groups;

constexpr int kWarp = 32;

template <typename T, int kThreads>
__global__ void __launch_bounds__(kThreads) sum_kernel(const T *__restrict__ in, T *out, size_t n)
{
    __shared__ T partial[kThreads / kWarp];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    T value = T(0);
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
        value += __ldg(&in[i]);
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffffu, value, offset);
    if (tile.thread_rank() == 0) partial[threadIdx.x / kWarp] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        T sum = T(0);
        for (int i = 0; i < kThreads / kWarp; ++i) sum += partial[i];
        atomicAdd(out, sum);
    }
}

int main(int argc, char **argv)
{
    const size_t n = 1u << 20;
    float *in = nullptr, *out = nullptr;
    CHECK(cudaMalloc(&in, n * sizeof(float)));
    CHECK(cudaMalloc((void **)&out, sizeof(float)));
    CHECK(cudaMemset(out, 0, sizeof(float)));
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    sum_kernel<float, 256><<<dim3(120), dim3(256), 0, stream>>>(in, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    float host = 0;
    CHECK(cudaMemcpyAsync(&host, out, sizeof host, cudaMemcpyDeviceToHost, stream));
    printf("cudaMemcpy gave %f\n", host);  // cudaMemcpy in a comment
    cudaFree(in), cudaFree(out);
    return cudaStreamDestroy(stream) == cudaSuccess ? 0 : 1;
}
