#include <gridstat/check.h>
#include <gridstat/gridstat.h>

#include "warp.cuh"

namespace gridstat {
namespace {

constexpr int kThreads = 256;

__global__ void histogram_kernel(const float *values, int count, float low, float scale,
                                 unsigned *counts, int bins, unsigned *outside) {
    extern __shared__ unsigned local[];
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) local[bin] = 0;
    __syncthreads();

    unsigned missed = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const float place = (values[i] - low) * scale;
        const int bin = place < 0.0f ? 0 : place >= bins ? bins - 1 : static_cast<int>(place);
        missed += place < 0.0f || place >= bins;
        atomicAdd(&local[bin], 1u);
    }
    missed = warp_sum(missed);
    if (lane_id() == 0 && missed != 0) atomicAdd(outside, missed);
    __syncthreads();

    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) atomicAdd(&counts[bin], local[bin]);
}

}  // namespace

void histogram(const float *values, int count, float low, float high, unsigned *counts, int bins,
               cudaStream_t stream) {
    unsigned *outside = cudaMallocHelper<unsigned>(1);
    GRIDSTAT_CHECK(cudaMemsetAsync(outside, 0, sizeof(unsigned), stream));
    GRIDSTAT_CHECK(cudaMemsetAsync(counts, 0, bins * sizeof(unsigned), stream));
    const int blocks = (count + kThreads - 1) / kThreads;
    if (blocks > 0)
        histogram_kernel<<<blocks < 512 ? blocks : 512, kThreads, bins * sizeof(unsigned),
                           stream>>>(values, count, low, bins / (high - low), counts, bins,
                                     outside);
    GRIDSTAT_CHECK(cudaGetLastError());

    unsigned missed = 0;
    GRIDSTAT_CHECK(
        cudaMemcpyAsync(&missed, outside, sizeof(missed), cudaMemcpyDeviceToHost, stream));
    GRIDSTAT_CHECK(cudaStreamSynchronize(stream));
    if (missed != 0) std::printf("histogram: %u values lie outside\n", missed);
    GRIDSTAT_CHECK(cudaFree(outside));
}

}  // namespace gridstat
