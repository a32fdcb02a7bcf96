// Corrected twins of programs in width.cu and lockstep.cu: nothing is wrong here.
#include "faults.h"
#include <cooperative_groups.h>

__global__ void row_head_broadcast_fixed_kernel(const int *in, int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int head = __shfl_sync(0xffffffff, in[i], 0, 32);
    out[i] = in[i] - head;
}

static bool row_head_broadcast_fixed() {
    Buffer<int> in(256, [](int i) { return small(i, 100); });
    Buffer<int> out(256);
    row_head_broadcast_fixed_kernel<<<2, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) { return in[i] - in[i / 32 * 32]; });
}

__global__ void partials_by_literal_fixed_kernel(const int *in, int *sums) {
    __shared__ int part[32];
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = warpSize / 2; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < blockDim.x / warpSize; ++k) sum += part[k];
        sums[blockIdx.x] = sum;
    }
}

static bool partials_by_literal_fixed() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> sums(2);
    partials_by_literal_fixed_kernel<<<2, 256>>>(in.device, sums.device);
    return agrees(sums, [&](int block) {
        int want = 0;
        for (int i = 0; i < 256; ++i) want += in[block * 256 + i];
        return want;
    });
}

__global__ void tree_from_sixteen_fixed_kernel(const int *in, int *sum) {
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = warpSize / 2; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x % warpSize == 0) atomicAdd(sum, v);
}

static bool tree_from_sixteen_fixed() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> sum(1);
    tree_from_sixteen_fixed_kernel<<<2, 256>>>(in.device, sum.device);
    return agrees(sum, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i];
        return want;
    });
}

__global__ void ballot_population_fixed_kernel(const int *in, int *counts) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    namespace cg = cooperative_groups;
    const unsigned votes = cg::tiled_partition<32>(cg::this_thread_block()).ballot(in[i] > 4);
    if (threadIdx.x % 32 == 0) counts[i / 32] = __popc(votes);
}

static bool ballot_population_fixed() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> counts(16);
    ballot_population_fixed_kernel<<<4, 128>>>(in.device, counts.device);
    return agrees(counts, [&](int row) {
        int count = 0;
        for (int i = 0; i < 32; ++i) count += in[row * 32 + i] > 4;
        return count;
    });
}

__global__ void scan_total_of_lane_31_fixed_kernel(const int *in, int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int sum = in[i];
    for (int step = 1; step < 32; step *= 2) {
        const int left = __shfl_up_sync(0xffffffff, sum, step, 32);
        if (lane >= step) sum += left;
    }
    const int total = __shfl_sync(0xffffffff, sum, 31, 32);
    out[i] = total - sum;
}

static bool scan_total_of_lane_31_fixed() {
    Buffer<int> in(256, [](int i) { return small(i); });
    Buffer<int> out(256);
    scan_total_of_lane_31_fixed_kernel<<<2, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = i + 1; k < i / 32 * 32 + 32; ++k) sum += in[k];
        return sum;
    });
}

__global__ void any_in_row_fixed_kernel(const int *in, int *hit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    namespace cg = cooperative_groups;
    const int found = cg::tiled_partition<32>(cg::this_thread_block()).any(in[i] == 77);
    if (threadIdx.x % 32 == 0) hit[i / 32] = found != 0;
}

static bool any_in_row_fixed() {
    Buffer<int> in(512, [](int i) { return i % 192 == 70 ? 77 : small(i); });
    Buffer<int> hit(16);
    any_in_row_fixed_kernel<<<4, 128>>>(in.device, hit.device);
    return agrees(hit, [&](int row) {
        int found = 0;
        for (int i = 0; i < 32; ++i) found |= in[row * 32 + i] == 77;
        return found;
    });
}

__global__ void mirror_in_row_fixed_kernel(const int *in, int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    out[i] = __shfl_sync(0xffffffff, in[i], 31 - lane, 32);
}

static bool mirror_in_row_fixed() {
    Buffer<int> in(256, [](int i) { return small(i, 1000); });
    Buffer<int> out(256);
    mirror_in_row_fixed_kernel<<<2, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) { return in[i / 32 * 32 + 31 - i % 32]; });
}

__global__ void row_stride_of_32_fixed_kernel(const int *matrix, const int *x, int *y, int rows,
                                              int columns) {
    const int lane = threadIdx.x % warpSize, warps = gridDim.x * blockDim.x / warpSize;
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize; row < rows; row += warps) {
        int sum = 0;
        for (int c = lane; c < columns; c += warpSize) sum += matrix[row * columns + c] * x[c];
        for (int step = warpSize / 2; step > 0; step /= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        }
        if (lane == 0) y[row] = sum;
    }
}

static bool row_stride_of_32_fixed() {
    const int rows = 16, columns = 100;
    Buffer<int> matrix(rows * columns, [](int i) { return small(i); });
    Buffer<int> x(columns, [](int i) { return 1 + small(i + 3000); }), y(rows);
    row_stride_of_32_fixed_kernel<<<2, 256>>>(matrix.device, x.device, y.device, rows, columns);
    return agrees(y, [&](int row) {
        int sum = 0;
        for (int c = 0; c < columns; ++c) sum += matrix[row * columns + c] * x[c];
        return sum;
    });
}

__global__ void last_warp_volatile_fixed_kernel(const int *in, int *sums) {
    __shared__ int part[128];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 64) part[t] = part[t] + part[t + 64];
    __syncthreads();
    for (int step = 32; step > 0; step /= 2) {
        if (t < step) part[t] = part[t] + part[t + step];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

static bool last_warp_volatile_fixed() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> sums(4);
    last_warp_volatile_fixed_kernel<<<4, 128>>>(in.device, sums.device);
    return agrees(sums, [&](int block) {
        int sum = 0;
        for (int i = 0; i < 128; ++i) sum += in[block * 128 + i];
        return sum;
    });
}

__global__ void warp_tree_plain_fixed_kernel(const int *in, int *best) {
    __shared__ int part[32];
    const int lane = threadIdx.x;
    part[lane] = in[blockIdx.x * 32 + lane];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        if (lane < step) part[lane] = max(part[lane], part[lane + step]);
        __syncwarp();
    }
    if (lane == 0) best[blockIdx.x] = part[0];
}

static bool warp_tree_plain_fixed() {
    Buffer<int> in(128, [](int i) { return small(i, 1000); });
    Buffer<int> best(4);
    warp_tree_plain_fixed_kernel<<<4, 32>>>(in.device, best.device);
    return agrees(best, [&](int block) {
        int want = 0;
        for (int i = 0; i < 32; ++i) want = max(want, in[block * 32 + i]);
        return want;
    });
}

__global__ void warp_scan_volatile_fixed_kernel(const int *in, int *out) {
    __shared__ volatile int sums[64];
    const int lane = threadIdx.x;
    sums[lane] = 0;
    sums[lane + 32] = in[blockIdx.x * 32 + lane];
    __syncwarp();
    for (int step = 1; step < 32; step *= 2) {
        const int left = sums[lane + 32 - step];
        __syncwarp();
        sums[lane + 32] = sums[lane + 32] + left;
        __syncwarp();
    }
    out[blockIdx.x * 32 + lane] = sums[lane + 32];
}

static bool warp_scan_volatile_fixed() {
    Buffer<int> in(128, [](int i) { return small(i); });
    Buffer<int> out(128);
    warp_scan_volatile_fixed_kernel<<<4, 32>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = i / 32 * 32; k <= i; ++k) sum += in[k];
        return sum;
    });
}

__global__ void warp_transpose_4x8_fixed_kernel(const int *in, int *out) {
    __shared__ int tile[4][8];
    const int lane = threadIdx.x, first = blockIdx.x * 32;
    tile[lane / 8][lane % 8] = in[first + lane];
    __syncwarp();
    out[first + lane] = tile[lane % 4][lane / 4];
}

static bool warp_transpose_4x8_fixed() {
    Buffer<int> in(128, [](int i) { return small(i, 1000); });
    Buffer<int> out(128);
    warp_transpose_4x8_fixed_kernel<<<4, 32>>>(in.device, out.device);
    return agrees(out, [&](int i) { return in[i / 32 * 32 + i % 4 * 8 + i % 32 / 4]; });
}

__global__ void warp_exchange_global_fixed_kernel(const int *in, volatile int *scratch, int *out) {
    const int lane = threadIdx.x, first = blockIdx.x * 32;
    scratch[first + lane] = in[first + lane] * 2;
    __syncwarp();
    out[first + lane] = scratch[first + 31 - lane];
}

static bool warp_exchange_global_fixed() {
    Buffer<int> in(128, [](int i) { return 1 + small(i); });
    Buffer<int> scratch(128), out(128);
    warp_exchange_global_fixed_kernel<<<4, 32>>>(in.device, scratch.device, out.device);
    return agrees(out, [&](int i) { return 2 * in[i / 32 * 32 + 31 - i % 32]; });
}

__global__ void warp_butterfly_fixed_kernel(int *data) {
    __shared__ volatile int x[32];
    const int lane = threadIdx.x;
    x[lane] = data[blockIdx.x * 32 + lane];
    __syncwarp();
    for (int gap = 1; gap < 32; gap *= 2) {
        const int mine = x[lane], theirs = x[lane ^ gap];
        __syncwarp();
        x[lane] = (lane & gap) == 0 ? mine + theirs : theirs - mine;
        __syncwarp();
    }
    data[blockIdx.x * 32 + lane] = x[lane];
}

static bool warp_butterfly_fixed() {
    auto value = [](int i) { return small(i); };
    Buffer<int> data(64, value);
    warp_butterfly_fixed_kernel<<<2, 32>>>(data.device);
    return agrees(data, [&](int i) {
        int sum = 0;
        for (int k = 0; k < 32; ++k) {
            int odd = 0;
            for (int bits = k & i; bits != 0; bits &= bits - 1) odd ^= 1;
            sum += odd ? -value(i / 32 * 32 + k) : value(i / 32 * 32 + k);
        }
        return sum;
    });
}

static const Case cases[] = {
    {"row_head_broadcast_fixed", row_head_broadcast_fixed},
    {"partials_by_literal_fixed", partials_by_literal_fixed},
    {"tree_from_sixteen_fixed", tree_from_sixteen_fixed},
    {"ballot_population_fixed", ballot_population_fixed},
    {"scan_total_of_lane_31_fixed", scan_total_of_lane_31_fixed},
    {"any_in_row_fixed", any_in_row_fixed},
    {"mirror_in_row_fixed", mirror_in_row_fixed},
    {"row_stride_of_32_fixed", row_stride_of_32_fixed},
    {"last_warp_volatile_fixed", last_warp_volatile_fixed},
    {"warp_tree_plain_fixed", warp_tree_plain_fixed},
    {"warp_scan_volatile_fixed", warp_scan_volatile_fixed},
    {"warp_transpose_4x8_fixed", warp_transpose_4x8_fixed},
    {"warp_exchange_global_fixed", warp_exchange_global_fixed},
    {"warp_butterfly_fixed", warp_butterfly_fixed},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
