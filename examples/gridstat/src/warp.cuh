#pragma once

namespace gridstat {

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

__device__ __forceinline__ float warp_sum(float value) {
    for (int offset = kLanes / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(kAllLanes, value, offset);
    return value;
}

__device__ __forceinline__ unsigned warp_sum(unsigned value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(kAllLanes, value);
#else
    for (int offset = kLanes / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(kAllLanes, value, offset);
    return value;
#endif
}

__device__ __forceinline__ int lane_id() {
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

__device__ __forceinline__ unsigned multiprocessor() {
    unsigned id;
    asm("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

}  // namespace gridstat
