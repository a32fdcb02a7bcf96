// Corrected twins of programs in lockstep.cu: nothing is wrong here.
#include "faults.h"

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
    {"last_warp_volatile_fixed", last_warp_volatile_fixed},
    {"warp_tree_plain_fixed", warp_tree_plain_fixed},
    {"warp_scan_volatile_fixed", warp_scan_volatile_fixed},
    {"warp_transpose_4x8_fixed", warp_transpose_4x8_fixed},
    {"warp_exchange_global_fixed", warp_exchange_global_fixed},
    {"warp_butterfly_fixed", warp_butterfly_fixed},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
