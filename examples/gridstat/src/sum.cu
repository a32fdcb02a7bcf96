#include <gridstat/check.h>
#include <gridstat/gridstat.h>

#include "warp.cuh"

namespace gridstat {
namespace {

constexpr int kThreads = 256;

__global__ void sum_kernel(const float *values, int count, float *total) {
    __shared__ float partial[kThreads / kLanes];
    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        mine += values[i];
    mine = warp_sum(mine);
    if (lane_id() == 0) partial[threadIdx.x / kLanes] = mine;
    __syncthreads();
    if (threadIdx.x < kLanes) {
        mine = threadIdx.x < kThreads / kLanes ? partial[threadIdx.x] : 0.0f;
        mine = warp_sum(mine);
        if (threadIdx.x == 0) atomicAdd(total, mine);
    }
}

}  // namespace

void sum(const float *values, int count, float *total, cudaStream_t stream) {
    GRIDSTAT_CHECK(cudaMemsetAsync(total, 0, sizeof(float), stream));
    if (count <= 0) return;
    const int blocks = (count + kThreads - 1) / kThreads;
    sum_kernel<<<blocks < 1024 ? blocks : 1024, kThreads, 0, stream>>>(values, count, total);
    GRIDSTAT_CHECK(cudaGetLastError());
}

}  // namespace gridstat
