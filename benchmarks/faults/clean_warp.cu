// Correct programs at the level of warps, right for any number of lanes a warp.
#include "faults.h"
#include <cooperative_groups.h>

__global__ void tile_sums_kernel(const int *in, int *sums) {
    namespace cg = cooperative_groups;
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = tile.size() / 2; step > 0; step /= 2) v += tile.shfl_down(v, step);
    if (tile.thread_rank() == 0) sums[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = v;
}

static bool tile_sums() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> sums(16);
    tile_sums_kernel<<<4, 128>>>(in.device, sums.device);
    return agrees(sums, [&](int row) {
        int sum = 0;
        for (int i = 0; i < 32; ++i) sum += in[row * 32 + i];
        return sum;
    });
}

__global__ void tile_of_eight_scan_kernel(const int *in, int *out) {
    namespace cg = cooperative_groups;
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned step = 1; step < 8; step *= 2) {
        const int left = tile.shfl_up(sum, step);
        if (tile.thread_rank() >= step) sum += left;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static bool tile_of_eight_scan() {
    Buffer<int> in(192, [](int i) { return small(i); });
    Buffer<int> out(192);
    tile_of_eight_scan_kernel<<<2, 96>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = i / 8 * 8; k <= i; ++k) sum += in[k];
        return sum;
    });
}

__global__ void tile_votes_kernel(const int *in, int *out) {
    namespace cg = cooperative_groups;
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int v = in[threadIdx.x];
    if (tile.meta_group_rank() % 2 == 0) {
        const unsigned votes = tile.ballot(v > 4);
        out[threadIdx.x] = __popc(votes & ((1u << tile.thread_rank()) - 1));
    } else {
        out[threadIdx.x] = (tile.any(v == 9) ? 100 : 200) + tile.shfl(v, 0);
    }
}

static bool tile_votes() {
    Buffer<int> in(128, [](int i) { return small(i); });
    Buffer<int> out(128);
    tile_votes_kernel<<<1, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int before = 0, nine = 0;
        for (int k = i / 16 * 16; k < i; ++k) before += in[k] > 4;
        for (int k = 0; k < 16; ++k) nine |= in[i / 16 * 16 + k] == 9;
        return i / 16 % 2 == 0 ? before : (nine ? 100 : 200) + in[i / 16 * 16];
    });
}

__global__ void shuffle_width_eight_kernel(const float *in, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float best = in[i];
    for (int step = 4; step > 0; step /= 2) {
        best = fmaxf(best, __shfl_xor_sync(0xffffffff, best, step, 8));
    }
    const float e = expf(in[i] - best);
    float sum = e;
    for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step, 8);
    out[i] = e / sum;
}

static bool shuffle_width_eight() {
    Buffer<float> in(256, [](int i) { return float(small(i)); });
    Buffer<float> out(256);
    shuffle_width_eight_kernel<<<2, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        double sum = 0;
        for (int k = 0; k < 8; ++k) sum += exp(in[i / 8 * 8 + k]);
        return exp(in[i]) / sum;
    });
}

__global__ void block_sum_width_32_kernel(const int *in, int *sums) {
    __shared__ int part[8];
    const int t = threadIdx.x;
    int v = in[blockIdx.x * 256 + t];
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step, 32);
    if (t % 32 == 0) part[t / 32] = v;
    __syncthreads();
    v = t < 8 ? part[t] : 0;
    for (int step = 4; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step, 32);
    if (t == 0) sums[blockIdx.x] = v;
}

static bool block_sum_width_32() {
    Buffer<int> in(1024, [](int i) { return small(i); });
    Buffer<int> sums(4);
    block_sum_width_32_kernel<<<4, 256>>>(in.device, sums.device);
    return agrees(sums, [&](int block) {
        int sum = 0;
        for (int i = 0; i < 256; ++i) sum += in[block * 256 + i];
        return sum;
    });
}

__global__ void block_maximum_warpsize_kernel(const int *in, int *best) {
    __shared__ int part[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    const int warps = blockDim.x / warpSize;
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = warpSize / 2; step > 0; step /= 2) {
        v = max(v, __shfl_down_sync(0xffffffff, v, step));
    }
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < warps ? part[lane] : 0;
        for (int step = warpSize / 2; step > 0; step /= 2) {
            v = max(v, __shfl_down_sync(0xffffffff, v, step));
        }
        if (lane == 0) best[blockIdx.x] = v;
    }
}

static bool block_maximum_warpsize() {
    Buffer<int> in(1024, [](int i) { return small(i, 100000); });
    Buffer<int> best(2);
    block_maximum_warpsize_kernel<<<2, 512>>>(in.device, best.device);
    return agrees(best, [&](int block) {
        int want = 0;
        for (int i = 0; i < 512; ++i)
            want = in[block * 512 + i] > want ? in[block * 512 + i] : want;
        return want;
    });
}

__global__ void masks_of_two_halves_kernel(const int *in, int *out) {
    const int lane = threadIdx.x;
    int v = in[blockIdx.x * 32 + lane];
    if (lane < 16) {
        for (int step = 8; step > 0; step /= 2) v += __shfl_xor_sync(0x0000ffff, v, step, 16);
    } else {
        for (int step = 8; step > 0; step /= 2)
            v = max(v, __shfl_xor_sync(0xffff0000, v, step, 16));
    }
    __syncwarp();
    out[blockIdx.x * 32 + lane] = v;
}

static bool masks_of_two_halves() {
    Buffer<int> in(128, [](int i) { return small(i, 100); });
    Buffer<int> out(128);
    masks_of_two_halves_kernel<<<4, 32>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0, best = 0;
        for (int k = i / 16 * 16; k < i / 16 * 16 + 16; ++k) {
            sum += in[k];
            best = in[k] > best ? in[k] : best;
        }
        return i % 32 < 16 ? sum : best;
    });
}

__global__ void warp_block_ballot_rank_kernel(const int *in, int *out, int *kept) {
    const int lane = threadIdx.x;
    const bool keep = in[blockIdx.x * 32 + lane] % 2 == 0;
    const unsigned votes = __ballot_sync(0xffffffff, keep);
    if (keep) out[blockIdx.x * 32 + __popc(votes & ((1u << lane) - 1))] =
        in[blockIdx.x * 32 + lane];
    if (lane == 0) kept[blockIdx.x] = __popc(votes);
}

static bool warp_block_ballot_rank() {
    Buffer<int> in(128, [](int i) { return small(i, 100); });
    Buffer<int> out(128), kept(4);
    warp_block_ballot_rank_kernel<<<4, 32>>>(in.device, out.device, kept.device);
    const bool right = agrees(kept, [&](int block) {
        int count = 0;
        for (int i = 0; i < 32; ++i) count += in[block * 32 + i] % 2 == 0;
        return count;
    });
    return right && agrees(out, [&](int i) {
        int before = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) {
            if (in[k] % 2 == 0 && before++ == i % 32) return in[k];
        }
        return 0;
    });
}

__global__ void warp_queue_kernel(const int *in, int *out) {
    __shared__ int queue[64], size;
    const int lane = threadIdx.x;
    if (lane == 0) size = 0;
    __syncwarp();
    const int v = in[blockIdx.x * 32 + lane];
    if (v > 3) queue[atomicAdd(&size, 1)] = v;
    __syncwarp();
    int sum = 0;
    for (int k = 0; k < size; ++k) sum += queue[k];
    out[blockIdx.x * 32 + lane] = sum;
}

static bool warp_queue() {
    Buffer<int> in(128, [](int i) { return small(i); });
    Buffer<int> out(128);
    warp_queue_kernel<<<4, 32>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = 0; k < 32; ++k) sum += in[i / 32 * 32 + k] > 3 ? in[i / 32 * 32 + k] : 0;
        return sum;
    });
}

__global__ void subset_syncwarp_kernel(const int *in, int *out) {
    __shared__ int cell[8];
    const int lane = threadIdx.x;
    if (lane < 8) {
        cell[lane] = in[blockIdx.x * 32 + lane];
        __syncwarp(0x000000ff);
        out[blockIdx.x * 8 + lane] = cell[7 - lane];
    }
}

static bool subset_syncwarp() {
    Buffer<int> in(128, [](int i) { return small(i, 100); });
    Buffer<int> out(32);
    subset_syncwarp_kernel<<<4, 32>>>(in.device, out.device);
    return agrees(out, [&](int i) { return in[i / 8 * 32 + 7 - i % 8]; });
}

static const Case cases[] = {
    {"tile_sums", tile_sums},
    {"tile_of_eight_scan", tile_of_eight_scan},
    {"tile_votes", tile_votes},
    {"shuffle_width_eight", shuffle_width_eight},
    {"block_sum_width_32", block_sum_width_32},
    {"block_maximum_warpsize", block_maximum_warpsize},
    {"masks_of_two_halves", masks_of_two_halves},
    {"warp_block_ballot_rank", warp_block_ballot_rank},
    {"warp_queue", warp_queue},
    {"subset_syncwarp", subset_syncwarp},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
