// Corrected twins of programs in width.cu: nothing is wrong here.
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

static const Case cases[] = {
    {"row_head_broadcast_fixed", row_head_broadcast_fixed},
    {"partials_by_literal_fixed", partials_by_literal_fixed},
    {"tree_from_sixteen_fixed", tree_from_sixteen_fixed},
    {"ballot_population_fixed", ballot_population_fixed},
    {"scan_total_of_lane_31_fixed", scan_total_of_lane_31_fixed},
    {"any_in_row_fixed", any_in_row_fixed},
    {"mirror_in_row_fixed", mirror_in_row_fixed},
    {"row_stride_of_32_fixed", row_stride_of_32_fixed},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
