// Correct programs whose barriers, or lack of them, look wrong to a naive detector.
#include "faults.h"
#include <cooperative_groups.h>

__global__ void barrier_in_uniform_branch_kernel(const int *in, int *out) {
    __shared__ int keys[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (blockIdx.x % 2 == 0) {
        keys[t] = in[i];
        __syncthreads();
        out[i] = keys[127 - t];
    } else {
        out[i] = -in[i];
    }
}

static bool barrier_in_uniform_branch() {
    Buffer<int> in(512, [](int i) { return small(i, 100); });
    Buffer<int> out(512);
    barrier_in_uniform_branch_kernel<<<4, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        return i / 128 % 2 == 0 ? in[i / 128 * 128 + 127 - i % 128] : -in[i];
    });
}

__global__ void barrier_in_loop_of_loaded_length_kernel(const int *rounds, int *out) {
    __shared__ int ring[128];
    const int t = threadIdx.x;
    ring[t] = t;
    __syncthreads();
    for (int r = 0; r < rounds[blockIdx.x]; ++r) {
        const int next = ring[(t + 1) % 128];
        __syncthreads();
        ring[t] = next;
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = ring[t];
}

static bool barrier_in_loop_of_loaded_length() {
    Buffer<int> rounds(4, [](int i) { return 3 * i; });
    Buffer<int> out(512);
    barrier_in_loop_of_loaded_length_kernel<<<4, 128>>>(rounds.device, out.device);
    return agrees(out, [](int i) { return (i % 128 + i / 128 * 3) % 128; });
}

__global__ void one_barrier_double_buffer_kernel(const int *a, const int *b, int *c, int n) {
    __shared__ int as[2][16][16], bs[2][16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    int sum = 0;
    for (int k = 0, stage = 0; k < n; k += 16, stage ^= 1) {
        as[stage][ty][tx] = a[row * n + k + tx];
        bs[stage][ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
        for (int m = 0; m < 16; ++m) sum += as[stage][ty][m] * bs[stage][m][tx];
    }
    c[row * n + column] = sum;
}

static bool one_barrier_double_buffer() {
    const int n = 48;
    Buffer<int> a(n * n, [](int i) { return small(i); });
    Buffer<int> b(n * n, [](int i) { return small(i + 4000); }), c(n * n);
    one_barrier_double_buffer_kernel<<<dim3(3, 3), dim3(16, 16)>>>(a.device, b.device, c.device, n);
    return agrees(c, [&](int i) {
        int sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
        return sum;
    });
}

__global__ void block_returns_before_barrier_kernel(const int *active, const int *in, int *out) {
    __shared__ int keys[128];
    if (active[blockIdx.x] == 0) return;
    keys[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = keys[threadIdx.x ^ 64];
}

static bool block_returns_before_barrier() {
    Buffer<int> active(4, [](int i) { return i % 2; });
    Buffer<int> in(512, [](int i) { return small(i, 100); });
    Buffer<int> out(512);
    block_returns_before_barrier_kernel<<<4, 128>>>(active.device, in.device, out.device);
    return agrees(out, [&](int i) { return i / 128 % 2 == 0 ? 0 : in[i ^ 64]; });
}

__global__ void threads_return_after_last_barrier_kernel(const int *in, int *out, int n) {
    __shared__ int part[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    if (i >= n || t % 4 != 0) return;
    out[i / 4] = part[t] + part[t + 1] + part[t + 2] + part[t + 3];
}

static bool threads_return_after_last_barrier() {
    Buffer<int> in(400, [](int i) { return small(i); });
    Buffer<int> out(100);
    threads_return_after_last_barrier_kernel<<<4, 128>>>(in.device, out.device, in.n);
    return agrees(out, [&](int i) {
        return in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
    });
}

__global__ void own_slot_needs_no_barrier_kernel(const int *in, int *out, int n) {
    __shared__ int counts[4][128];
    const int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) counts[k][t] = 0;
    for (int i = t; i < n; i += 128) ++counts[in[i] & 3][t];
    for (int k = 0; k < 4; ++k) atomicAdd(&out[k], counts[k][t]);
}

static bool own_slot_needs_no_barrier() {
    Buffer<int> in(1000, [](int i) { return small(i, 100); });
    Buffer<int> out(4);
    own_slot_needs_no_barrier_kernel<<<1, 128>>>(in.device, out.device, in.n);
    return agrees(out, [&](int k) {
        int count = 0;
        for (int i = 0; i < in.n; ++i) count += (in[i] & 3) == k;
        return count;
    });
}

__global__ void barrier_counts_votes_kernel(const int *in, int *out) {
    const int v = in[blockIdx.x * 128 + threadIdx.x];
    const int odd = __syncthreads_count(v & 1);
    const int any = __syncthreads_or(v == 99), all = __syncthreads_and(v >= 0);
    if (threadIdx.x == 0) out[blockIdx.x] = odd + (any != 0 ? 1000 : 0) + (all != 0 ? 10000 : 0);
}

static bool barrier_counts_votes() {
    Buffer<int> in(512, [](int i) { return i == 200 ? 99 : i == 300 ? -2 : small(i, 50); });
    Buffer<int> out(4);
    barrier_counts_votes_kernel<<<4, 128>>>(in.device, out.device);
    return agrees(out, [&](int block) {
        int odd = 0, any = 0, all = 1;
        for (int t = 0; t < 128; ++t) {
            odd += in[block * 128 + t] & 1;
            any |= in[block * 128 + t] == 99;
            all &= in[block * 128 + t] >= 0;
        }
        return odd + 1000 * any + 10000 * all;
    });
}

template <class T>
__device__ T barriers_in_device_function_total(T value, T *part) {
    const int t = threadIdx.x;
    part[t] = value;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    const T total = part[0];
    __syncthreads();
    return total;
}

__global__ void barriers_in_device_function_kernel(const float *in, float *out) {
    extern __shared__ float part[];
    const float x = in[blockIdx.x * blockDim.x + threadIdx.x];
    const float mean = barriers_in_device_function_total(x, part) / blockDim.x;
    const float variance =
        barriers_in_device_function_total((x - mean) * (x - mean), part) / blockDim.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = (x - mean) / sqrtf(variance + 1e-5f);
}

static bool barriers_in_device_function() {
    Buffer<float> in(256, [](int i) { return float(small(i)); });
    Buffer<float> out(256);
    barriers_in_device_function_kernel<<<2, 128, 128 * sizeof(float)>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        double sum = 0, squares = 0;
        for (int k = 0; k < 128; ++k) sum += in[i / 128 * 128 + k];
        for (int k = 0; k < 128; ++k) squares += pow(in[i / 128 * 128 + k] - sum / 128, 2);
        return (in[i] - sum / 128) / sqrt(squares / 128 + 1e-5);
    });
}

__global__ void halves_of_a_block_kernel(const int *in, int *out) {
    __shared__ int low[64], high[64];
    const int t = threadIdx.x;
    if (t < 64) {
        low[t] = in[t] * 2;
    } else {
        high[t - 64] = in[t] * 3;
    }
    __syncthreads();
    if (t < 64) {
        out[t] = low[63 - t] + high[t];
    } else {
        out[t] = low[t - 64] - high[127 - t];
    }
}

static bool halves_of_a_block() {
    Buffer<int> in(128, [](int i) { return small(i, 100); });
    Buffer<int> out(128);
    halves_of_a_block_kernel<<<1, 128>>>(in.device, out.device);
    return agrees(out, [&](int t) {
        return t < 64 ? 2 * in[63 - t] + 3 * in[64 + t] : 2 * in[t - 64] - 3 * in[191 - t];
    });
}

__global__ void changed_flag_between_barriers_kernel(const int *left, const int *right,
                                                     int *labels) {
    __shared__ int label[128], changed;
    const int t = threadIdx.x;
    label[t] = t;
    do {
        __syncthreads();
        if (t == 0) changed = 0;
        const int least = min(label[left[t]], label[right[t]]);
        __syncthreads();
        if (least < label[t]) {
            label[t] = least;
            atomicOr(&changed, 1);
        }
        __syncthreads();
    } while (changed != 0);
    labels[t] = label[t];
}

static bool changed_flag_between_barriers() {
    Buffer<int> left(128, [](int i) { return i % 8 == 0 ? i : i - 1; });
    Buffer<int> right(128, [](int i) { return i % 8 == 7 ? i : i + 1; });
    Buffer<int> labels(128);
    changed_flag_between_barriers_kernel<<<1, 128>>>(left.device, right.device, labels.device);
    return agrees(labels, [](int i) { return i / 8 * 8; });
}

__global__ void group_barrier_kernel(const int *in, int *out) {
    namespace cg = cooperative_groups;
    const cg::thread_block block = cg::this_thread_block();
    __shared__ int keys[64];
    keys[block.thread_rank()] = in[block.thread_rank()];
    block.sync();
    int rank = 0;
    for (unsigned k = 0; k < block.size(); ++k) rank += keys[k] < keys[block.thread_rank()];
    out[rank] = keys[block.thread_rank()];
}

static bool group_barrier() {
    Buffer<int> in(64, [](int i) { return (i * 29 + 3) % 64; });
    Buffer<int> out(64);
    group_barrier_kernel<<<1, 64>>>(in.device, out.device);
    return agrees(out, [](int i) { return i; });
}

static const Case cases[] = {
    {"barrier_in_uniform_branch", barrier_in_uniform_branch},
    {"barrier_in_loop_of_loaded_length", barrier_in_loop_of_loaded_length},
    {"one_barrier_double_buffer", one_barrier_double_buffer},
    {"block_returns_before_barrier", block_returns_before_barrier},
    {"threads_return_after_last_barrier", threads_return_after_last_barrier},
    {"own_slot_needs_no_barrier", own_slot_needs_no_barrier},
    {"barrier_counts_votes", barrier_counts_votes},
    {"barriers_in_device_function", barriers_in_device_function},
    {"halves_of_a_block", halves_of_a_block},
    {"changed_flag_between_barriers", changed_flag_between_barriers},
    {"group_barrier", group_barrier},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
