// Corrected twins of programs in uninitialised.cu: nothing is wrong here.
#include "faults.h"

__global__ void shared_counter_fixed_kernel(const int *in, int *counts) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (in[blockIdx.x * 128 + threadIdx.x] > 4) atomicAdd(&found, 1);
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = found;
}

static bool shared_counter_fixed() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> counts(4);
    shared_counter_fixed_kernel<<<4, 128>>>(in.device, counts.device);
    return agrees(counts, [&](int block) {
        int count = 0;
        for (int i = 0; i < 128; ++i) count += in[block * 128 + i] > 4;
        return count;
    });
}

__global__ void global_accumulator_fixed_kernel(const int *in, int *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]);
}

static bool global_accumulator_fixed() {
    Buffer<int> in(500, [](int i) { return small(i); });
    int *sum, got;
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMemset(sum, 0, sizeof(int)));
    global_accumulator_fixed_kernel<<<4, 128>>>(in.device, sum, in.n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, sum, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(sum));
    return agrees(&got, 1, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i];
        return want;
    });
}

__global__ void compacted_tail_fixed_keep(const int *in, int *out, int *kept, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 6) out[atomicAdd(kept, 1)] = in[i];
}

__global__ void compacted_tail_fixed_sum(const int *values, const int *kept, int *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i < *kept) atomicAdd(sum, values[i]);
}

static bool compacted_tail_fixed() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> kept(1), sum(1);
    int *values;
    CHECK(cudaMalloc(&values, in.n * sizeof(int)));
    compacted_tail_fixed_keep<<<4, 128>>>(in.device, values, kept.device, in.n);
    compacted_tail_fixed_sum<<<4, 128>>>(values, kept.device, sum.device, in.n);
    const bool right = agrees(sum, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i] > 6 ? in[i] : 0;
        return want;
    });
    CHECK(cudaFree(values));
    return right;
}

__global__ void local_sums_fixed_kernel(const int *in, int *out, int n) {
    int sums[4];
    for (int k = 0; k < 4; ++k) sums[k] = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sums[in[i] & 3] += in[i];
    for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = sums[k];
}

static bool local_sums_fixed() {
    Buffer<int> in(640, [](int i) { return small(i, 50); });
    Buffer<int> out(256);
    local_sums_fixed_kernel<<<1, 64>>>(in.device, out.device, in.n);
    return agrees(out, [&](int slot) {
        int sum = 0;
        for (int i = slot / 4; i < in.n; i += 64) sum += (in[i] & 3) == slot % 4 ? in[i] : 0;
        return sum;
    });
}

__global__ void halo_at_the_border_fixed_kernel(const int *in, int *out, int n) {
    __shared__ int cell[130];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    cell[t + 1] = in[i];
    if (t == 0) cell[0] = i > 0 ? in[i - 1] : 0;
    if (t == 127) cell[129] = i < n - 1 ? in[i + 1] : 0;
    __syncthreads();
    out[i] = cell[t] + cell[t + 1] + cell[t + 2];
}

static bool halo_at_the_border_fixed() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    halo_at_the_border_fixed_kernel<<<4, 128>>>(in.device, out.device, in.n);
    return agrees(out, [&](int i) {
        return (i > 0 ? in[i - 1] : 0) + in[i] + (i < 511 ? in[i + 1] : 0);
    });
}

__global__ void distances_partly_cleared_fixed_kernel(const int *hops, int *distance, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) distance[i] += hops[i];
}

static bool distances_partly_cleared_fixed() {
    const int n = 512;
    Buffer<int> hops(n, [](int i) { return small(i); });
    int *distance, host[n];
    CHECK(cudaMalloc(&distance, n * sizeof(int)));
    CHECK(cudaMemset(distance, 0, n * sizeof(int)));
    distances_partly_cleared_fixed_kernel<<<4, 128>>>(hops.device, distance, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, distance, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(distance));
    return agrees(host, n, [&](int i) { return hops[i]; });
}

static const Case cases[] = {
    {"shared_counter_fixed", shared_counter_fixed},
    {"global_accumulator_fixed", global_accumulator_fixed},
    {"compacted_tail_fixed", compacted_tail_fixed},
    {"local_sums_fixed", local_sums_fixed},
    {"halo_at_the_border_fixed", halo_at_the_border_fixed},
    {"distances_partly_cleared_fixed", distances_partly_cleared_fixed},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
