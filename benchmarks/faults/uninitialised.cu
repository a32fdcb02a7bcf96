// Programs that read memory that nobody wrote. list.tsv says where.
#include "faults.h"

__global__ void shared_counter_kernel(const int *in, int *counts) {
    __shared__ int found;
    if (in[blockIdx.x * 128 + threadIdx.x] > 4) atomicAdd(&found, 1);
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = found;
}

static bool shared_counter() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> counts(4);
    shared_counter_kernel<<<4, 128>>>(in.device, counts.device);
    return agrees(counts, [&](int block) {
        int count = 0;
        for (int i = 0; i < 128; ++i) count += in[block * 128 + i] > 4;
        return count;
    });
}

__global__ void shared_histogram_kernel(const int *in, int *bins) {
    __shared__ int local[96];
    const int t = threadIdx.x;
    if (t < 64) local[t] = 0;
    __syncthreads();
    for (int k = t; k < 512; k += 64) atomicAdd(&local[in[k]], 1);
    __syncthreads();
    for (int k = t; k < 96; k += 64) bins[k] = local[k];
}

static bool shared_histogram() {
    Buffer<int> in(512, [](int i) { return small(i, 96); });
    Buffer<int> bins(96);
    shared_histogram_kernel<<<1, 64>>>(in.device, bins.device);
    return agrees(bins, [&](int bin) {
        int count = 0;
        for (int i = 0; i < in.n; ++i) count += in[i] == bin;
        return count;
    });
}

__global__ void global_accumulator_kernel(const int *in, int *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]);
}

static bool global_accumulator() {
    Buffer<int> in(500, [](int i) { return small(i); });
    int *sum, got;
    CHECK(cudaMalloc(&sum, sizeof(int)));
    global_accumulator_kernel<<<4, 128>>>(in.device, sum, in.n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, sum, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(sum));
    return agrees(&got, 1, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i];
        return want;
    });
}

__global__ void compacted_tail_keep(const int *in, int *out, int *kept, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 6) out[atomicAdd(kept, 1)] = in[i];
}

__global__ void compacted_tail_sum(const int *values, const int *kept, int *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && *kept > 0) atomicAdd(sum, values[i]);
}

static bool compacted_tail() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> kept(1), sum(1);
    int *values;
    CHECK(cudaMalloc(&values, in.n * sizeof(int)));
    compacted_tail_keep<<<4, 128>>>(in.device, values, kept.device, in.n);
    compacted_tail_sum<<<4, 128>>>(values, kept.device, sum.device, in.n);
    const bool right = agrees(sum, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i] > 6 ? in[i] : 0;
        return want;
    });
    CHECK(cudaFree(values));
    return right;
}

__global__ void local_sums_kernel(const int *in, int *out, int n) {
    int sums[4];
    for (int k = 0; k < 2; ++k) sums[k] = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sums[in[i] & 3] += in[i];
    for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = sums[k];
}

static bool local_sums() {
    Buffer<int> in(640, [](int i) { return small(i, 50); });
    Buffer<int> out(256);
    local_sums_kernel<<<1, 64>>>(in.device, out.device, in.n);
    return agrees(out, [&](int slot) {
        int sum = 0;
        for (int i = slot / 4; i < in.n; i += 64) sum += (in[i] & 3) == slot % 4 ? in[i] : 0;
        return sum;
    });
}

__global__ void local_set_in_one_branch_kernel(const int *keys, const int *wanted, int *where,
                                               int n) {
    int place;
    for (int k = 0; k < n; ++k) {
        if (keys[k] == wanted[threadIdx.x]) place = k;
    }
    where[threadIdx.x] = place;
}

static bool local_set_in_one_branch() {
    Buffer<int> keys(64, [](int i) { return 3 * i; });
    Buffer<int> wanted(128, [](int i) { return i; }), where(128);
    local_set_in_one_branch_kernel<<<1, 128>>>(keys.device, wanted.device, where.device, keys.n);
    return agrees(where, [](int i) { return i % 3 == 0 ? i / 3 : 0; });
}

__global__ void halo_at_the_border_kernel(const int *in, int *out, int n) {
    __shared__ int cell[130];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    cell[t + 1] = in[i];
    if (t == 0 && i > 0) cell[0] = in[i - 1];
    if (t == 127 && i < n - 1) cell[129] = in[i + 1];
    __syncthreads();
    out[i] = cell[t] + cell[t + 1] + cell[t + 2];
}

static bool halo_at_the_border() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    halo_at_the_border_kernel<<<4, 128>>>(in.device, out.device, in.n);
    return agrees(out, [&](int i) {
        return (i > 0 ? in[i - 1] : 0) + in[i] + (i < 511 ? in[i + 1] : 0);
    });
}

__global__ void padded_matrix_kernel(const float *a, const float *x, float *y, int stride) {
    float sum = 0;
    for (int k = 0; k < stride; ++k) sum += a[threadIdx.x * stride + k] * x[k];
    y[threadIdx.x] = sum;
}

static bool padded_matrix() {
    const int n = 50, stride = 64;
    float a[n * n], *padded;
    for (int i = 0; i < n * n; ++i) a[i] = float(small(i));
    Buffer<float> x(stride, [](int i) { return float(1 + small(i + 3000)); }), y(n);
    CHECK(cudaMalloc(&padded, n * stride * sizeof(float)));
    CHECK(cudaMemcpy2D(padded, stride * sizeof(float), a, n * sizeof(float), n * sizeof(float), n,
                       cudaMemcpyHostToDevice));
    padded_matrix_kernel<<<1, n>>>(padded, x.device, y.device, stride);
    const bool right = agrees(y, [&](int row) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += a[row * n + k] * x[k];
        return sum;
    });
    CHECK(cudaFree(padded));
    return right;
}

__global__ void distances_partly_cleared_kernel(const int *hops, int *distance, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) distance[i] += hops[i];
}

static bool distances_partly_cleared() {
    const int n = 512;
    Buffer<int> hops(n, [](int i) { return small(i); });
    int *distance, host[n];
    CHECK(cudaMalloc(&distance, n * sizeof(int)));
    CHECK(cudaMemset(distance, 0, n));
    distances_partly_cleared_kernel<<<4, 128>>>(hops.device, distance, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, distance, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(distance));
    return agrees(host, n, [&](int i) { return hops[i]; });
}

__global__ void first_offset_scan(const int *sizes, int *offsets, int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += sizes[i];
        offsets[i + 1] = sum;
    }
}

__global__ void first_offset_lengths(const int *offsets, int *lengths) {
    lengths[threadIdx.x] = offsets[threadIdx.x + 1] - offsets[threadIdx.x];
}

static bool first_offset() {
    Buffer<int> sizes(64, [](int i) { return small(i); });
    Buffer<int> lengths(64);
    int *offsets;
    CHECK(cudaMalloc(&offsets, 65 * sizeof(int)));
    first_offset_scan<<<1, 1>>>(sizes.device, offsets, 64);
    first_offset_lengths<<<1, 64>>>(offsets, lengths.device);
    const bool right = agrees(lengths, [&](int i) { return sizes[i]; });
    CHECK(cudaFree(offsets));
    return right;
}

static const Case cases[] = {
    {"shared_counter", shared_counter},
    {"shared_histogram", shared_histogram},
    {"global_accumulator", global_accumulator},
    {"compacted_tail", compacted_tail},
    {"local_sums", local_sums},
    {"local_set_in_one_branch", local_set_in_one_branch},
    {"halo_at_the_border", halo_at_the_border},
    {"padded_matrix", padded_matrix},
    {"distances_partly_cleared", distances_partly_cleared},
    {"first_offset", first_offset},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
