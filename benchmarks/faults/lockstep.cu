// Programs that are right only if the lanes of a warp go on together. list.tsv says where.
#include "faults.h"

__global__ void last_warp_volatile_kernel(const int *in, int *sums) {
    __shared__ volatile int part[128];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 64) part[t] = part[t] + part[t + 64];
    __syncthreads();
    if (t < 32) {
        part[t] = part[t] + part[t + 32];
        part[t] = part[t] + part[t + 16];
        part[t] = part[t] + part[t + 8];
        part[t] = part[t] + part[t + 4];
        part[t] = part[t] + part[t + 2];
        part[t] = part[t] + part[t + 1];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

static bool last_warp_volatile() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> sums(4);
    last_warp_volatile_kernel<<<4, 128>>>(in.device, sums.device);
    return agrees(sums, [&](int block) {
        int sum = 0;
        for (int i = 0; i < 128; ++i) sum += in[block * 128 + i];
        return sum;
    });
}

__global__ void warp_tree_plain_kernel(const int *in, int *best) {
    __shared__ int part[32];
    const int lane = threadIdx.x;
    part[lane] = in[blockIdx.x * 32 + lane];
    for (int step = 16; step > 0; step /= 2) {
        if (lane < step) part[lane] = max(part[lane], part[lane + step]);
    }
    if (lane == 0) best[blockIdx.x] = part[0];
}

static bool warp_tree_plain() {
    Buffer<int> in(128, [](int i) { return small(i, 1000); });
    Buffer<int> best(4);
    warp_tree_plain_kernel<<<4, 32>>>(in.device, best.device);
    return agrees(best, [&](int block) {
        int want = 0;
        for (int i = 0; i < 32; ++i) want = max(want, in[block * 32 + i]);
        return want;
    });
}

__global__ void warp_scan_volatile_kernel(const int *in, int *out) {
    __shared__ volatile int sums[64];
    const int lane = threadIdx.x;
    sums[lane] = 0;
    sums[lane + 32] = in[blockIdx.x * 32 + lane];
    for (int step = 1; step < 32; step *= 2) {
        const int left = sums[lane + 32 - step];
        sums[lane + 32] = sums[lane + 32] + left;
    }
    out[blockIdx.x * 32 + lane] = sums[lane + 32];
}

static bool warp_scan_volatile() {
    Buffer<int> in(128, [](int i) { return small(i); });
    Buffer<int> out(128);
    warp_scan_volatile_kernel<<<4, 32>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = i / 32 * 32; k <= i; ++k) sum += in[k];
        return sum;
    });
}

__global__ void warp_shift_in_place_kernel(const int *in, int *out, int rounds) {
    __shared__ volatile int ring[32];
    const int lane = threadIdx.x;
    ring[lane] = in[lane];
    __syncwarp();
    for (int r = 0; r < rounds; ++r) {
        const int next = ring[(lane + 1) % 32];
        ring[lane] = next;
    }
    out[lane] = ring[lane];
}

static bool warp_shift_in_place() {
    Buffer<int> in(32, [](int i) { return small(i, 1000); });
    Buffer<int> out(32);
    warp_shift_in_place_kernel<<<1, 32>>>(in.device, out.device, 5);
    return agrees(out, [&](int i) { return in[(i + 5) % 32]; });
}

__global__ void warp_transpose_4x8_kernel(const int *in, int *out) {
    __shared__ int tile[4][8];
    const int lane = threadIdx.x, first = blockIdx.x * 32;
    tile[lane / 8][lane % 8] = in[first + lane];
    out[first + lane] = tile[lane % 4][lane / 4];
}

static bool warp_transpose_4x8() {
    Buffer<int> in(128, [](int i) { return small(i, 1000); });
    Buffer<int> out(128);
    warp_transpose_4x8_kernel<<<4, 32>>>(in.device, out.device);
    return agrees(out, [&](int i) { return in[i / 32 * 32 + i % 4 * 8 + i % 32 / 4]; });
}

__global__ void warp_leader_value_kernel(const int *in, int *next, int *out) {
    __shared__ volatile int base;
    const int lane = threadIdx.x;
    if (lane == 0) base = atomicAdd(next, 32);
    const int place = base + lane;
    if (place >= 0 && place < 128) out[place] = in[lane] + 1;
}

static bool warp_leader_value() {
    Buffer<int> in(32, [](int i) { return small(i); });
    Buffer<int> next(1), out(128);
    warp_leader_value_kernel<<<4, 32>>>(in.device, next.device, out.device);
    return agrees(out, [&](int i) { return in[i % 32] + 1; });
}

__global__ void warp_odd_even_sort_kernel(int *data) {
    __shared__ volatile int keys[32];
    const int lane = threadIdx.x;
    keys[lane] = data[blockIdx.x * 32 + lane];
    __syncwarp();
    for (int round = 0; round < 32; ++round) {
        const int other = min(max(((lane + round) & 1) != 0 ? lane - 1 : lane + 1, 0), 31);
        const int mine = keys[lane], theirs = keys[other];
        keys[lane] = other > lane ? min(mine, theirs) : max(mine, theirs);
    }
    data[blockIdx.x * 32 + lane] = keys[lane];
}

static bool warp_odd_even_sort() {
    Buffer<int> data(64, [](int i) { return (i * 13 + 5) % 32 + i / 32 * 100; });
    warp_odd_even_sort_kernel<<<2, 32>>>(data.device);
    return agrees(data, [](int i) { return i % 32 + i / 32 * 100; });
}

__global__ void warp_exchange_global_kernel(const int *in, volatile int *scratch, int *out) {
    const int lane = threadIdx.x, first = blockIdx.x * 32;
    scratch[first + lane] = in[first + lane] * 2;
    out[first + lane] = scratch[first + 31 - lane];
}

static bool warp_exchange_global() {
    Buffer<int> in(128, [](int i) { return 1 + small(i); });
    Buffer<int> scratch(128), out(128);
    warp_exchange_global_kernel<<<4, 32>>>(in.device, scratch.device, out.device);
    return agrees(out, [&](int i) { return 2 * in[i / 32 * 32 + 31 - i % 32]; });
}

__global__ void warp_count_then_read_kernel(const int *in, int *out) {
    __shared__ int total;
    const int lane = threadIdx.x;
    if (lane == 0) total = 0;
    __syncwarp();
    atomicAdd(&total, in[blockIdx.x * 32 + lane]);
    out[blockIdx.x * 32 + lane] = total;
}

static bool warp_count_then_read() {
    Buffer<int> in(128, [](int i) { return 1 + small(i); });
    Buffer<int> out(128);
    warp_count_then_read_kernel<<<4, 32>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = 0; k < 32; ++k) sum += in[i / 32 * 32 + k];
        return sum;
    });
}

__global__ void warp_butterfly_kernel(int *data) {
    __shared__ volatile int x[32];
    const int lane = threadIdx.x;
    x[lane] = data[blockIdx.x * 32 + lane];
    for (int gap = 1; gap < 32; gap *= 2) {
        const int mine = x[lane], theirs = x[lane ^ gap];
        x[lane] = (lane & gap) == 0 ? mine + theirs : theirs - mine;
    }
    data[blockIdx.x * 32 + lane] = x[lane];
}

static bool warp_butterfly() {
    auto value = [](int i) { return small(i); };
    Buffer<int> data(64, value);
    warp_butterfly_kernel<<<2, 32>>>(data.device);
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
    {"last_warp_volatile", last_warp_volatile},
    {"warp_tree_plain", warp_tree_plain},
    {"warp_scan_volatile", warp_scan_volatile},
    {"warp_shift_in_place", warp_shift_in_place},
    {"warp_transpose_4x8", warp_transpose_4x8},
    {"warp_leader_value", warp_leader_value},
    {"warp_odd_even_sort", warp_odd_even_sort},
    {"warp_exchange_global", warp_exchange_global},
    {"warp_count_then_read", warp_count_then_read},
    {"warp_butterfly", warp_butterfly},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
