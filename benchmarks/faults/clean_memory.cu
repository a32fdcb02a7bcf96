// Correct programs whose accesses come close to what is not allowed.
// The first ones are twins of programs in uninitialised.cu.
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

__global__ void bytes_of_one_word_kernel(const int *in, unsigned char *out, short *halves, int n) {
    __shared__ unsigned char local[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    local[threadIdx.x] = static_cast<unsigned char>(in[i] * 2);
    __syncthreads();
    if (i < n) {
        out[i] = local[threadIdx.x ^ 1];
        halves[i] = static_cast<short>(in[i] - 50);
    }
}

static bool bytes_of_one_word() {
    Buffer<int> in(512, [](int i) { return small(i, 100); });
    Buffer<unsigned char> out(511);
    Buffer<short> halves(511);
    bytes_of_one_word_kernel<<<4, 128>>>(in.device, out.device, halves.device, 511);
    const bool right = agrees(halves, [&](int i) { return in[i] - 50; });
    return right && agrees(out, [&](int i) { return in[i ^ 1] * 2; });
}

struct padded_struct_copy_item {
    char tag;
    int value;
};

__global__ void padded_struct_copy_fill(padded_struct_copy_item *items) {
    items[threadIdx.x].tag = static_cast<char>('a' + threadIdx.x % 26);
    items[threadIdx.x].value = static_cast<int>(threadIdx.x) * 3;
}

__global__ void padded_struct_copy_move(const padded_struct_copy_item *items, int *out) {
    __shared__ padded_struct_copy_item local[64];
    local[threadIdx.x] = items[threadIdx.x];
    __syncthreads();
    const padded_struct_copy_item item = local[63 - threadIdx.x];
    out[threadIdx.x] = item.tag * 1000 + item.value;
}

static bool padded_struct_copy() {
    padded_struct_copy_item *items;
    Buffer<int> out(64);
    CHECK(cudaMalloc(&items, 64 * sizeof(padded_struct_copy_item)));
    padded_struct_copy_fill<<<1, 64>>>(items);
    padded_struct_copy_move<<<1, 64>>>(items, out.device);
    const bool right =
        agrees(out, [](int i) { return ('a' + (63 - i) % 26) * 1000 + (63 - i) * 3; });
    CHECK(cudaFree(items));
    return right;
}

union union_of_views_view {
    float4 vector;
    float lanes[4];
};

__global__ void union_of_views_kernel(const float *in, float4 *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    union_of_views_view view;
    for (int k = 0; k < 4; ++k) view.lanes[k] = 4 * i + k < n ? in[4 * i + k] : -1;
    if (4 * i < n) out[i] = view.vector;
}

static bool union_of_views() {
    const int n = 1021;
    Buffer<float> in(n, [](int i) { return float(small(i)); });
    float4 *out;
    float host[1024];
    CHECK(cudaMalloc(&out, 256 * sizeof(float4)));
    union_of_views_kernel<<<3, 96>>>(in.device, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return agrees(host, 1024, [&](int i) { return i < n ? in[i] : -1.0f; });
}

__device__ int end_pointer_not_read_count(const int *first, const int *end, int limit) {
    int count = 0;
    while (first != end && *first < limit) {
        ++first;
        ++count;
    }
    return count;
}

__global__ void end_pointer_not_read_kernel(const int *in, int *out, int n) {
    out[threadIdx.x] = end_pointer_not_read_count(in, in + n, 4 * static_cast<int>(threadIdx.x));
}

static bool end_pointer_not_read() {
    Buffer<int> in(100, [](int i) { return 2 * i; });
    Buffer<int> out(64);
    end_pointer_not_read_kernel<<<1, 64>>>(in.device, out.device, in.n);
    return agrees(out, [](int t) { return 2 * t < 100 ? 2 * t : 100; });
}

__global__ void negative_offset_inside_kernel(const int *in, int *out, int n) {
    __shared__ int cell[128 + 8];
    int *centre = cell + 4;
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    centre[t] = in[i];
    if (t < 4) centre[t - 4] = i >= 4 ? in[i - 4] : 0;
    if (t >= 124) centre[t + 4] = i + 4 < n ? in[i + 4] : 0;
    __syncthreads();
    int sum = 0;
    for (int k = -4; k <= 4; ++k) sum += centre[t + k];
    out[i] = sum;
}

static bool negative_offset_inside() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    negative_offset_inside_kernel<<<4, 128>>>(in.device, out.device, in.n);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = i - 4; k <= i + 4; ++k) sum += k >= 0 && k < 512 ? in[k] : 0;
        return sum;
    });
}

__global__ void one_allocation_three_arrays_kernel(const char *tags, int *values, double *weights,
                                                   int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    values[i] = tags[i] * 2;
    weights[i] = values[i] / 4.0;
}

static bool one_allocation_three_arrays() {
    const int n = 101;
    char tags[n], *memory;
    double weights[n];
    for (int i = 0; i < n; ++i) tags[i] = static_cast<char>(small(i, 100));
    const size_t values_at = (n + 15) / 16 * 16,
        weights_at = (values_at + n * sizeof(int) + 15) / 16 * 16;
    CHECK(cudaMalloc(&memory, weights_at + n * sizeof(double)));
    CHECK(cudaMemcpy(memory, tags, n, cudaMemcpyHostToDevice));
    one_allocation_three_arrays_kernel<<<1, 128>>>(memory,
                                                   reinterpret_cast<int *>(memory + values_at),
                          reinterpret_cast<double *>(memory + weights_at), n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(weights, memory + weights_at, n * sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(memory));
    return agrees(weights, n, [&](int i) { return tags[i] / 2.0; });
}

__device__ int recursion_best(const int *weight, const int *gain, int item, int room) {
    if (item < 0) return 0;
    const int without = recursion_best(weight, gain, item - 1, room);
    if (weight[item] > room) return without;
    const int with = gain[item] + recursion_best(weight, gain, item - 1, room - weight[item]);
    return with > without ? with : without;
}

__global__ void recursion_kernel(const int *weight, const int *gain, int *out) {
    out[threadIdx.x] = recursion_best(weight, gain, 4, threadIdx.x);
}

static bool recursion() {
    Buffer<int> weight(5, [](int i) { return 2 + i; });
    Buffer<int> gain(5, [](int i) { return 3 + 2 * i; }), out(32);
    recursion_kernel<<<1, 32>>>(weight.device, gain.device, out.device);
    return agrees(out, [&](int room) {
        int best = 0;
        for (int set = 0; set < 32; ++set) {
            int load = 0, value = 0;
            for (int k = 0; k < 5; ++k) {
                load += set >> k & 1 ? weight[k] : 0;
                value += set >> k & 1 ? gain[k] : 0;
            }
            if (load <= room && value > best) best = value;
        }
        return best;
    });
}

static const Case cases[] = {
    {"shared_counter_fixed", shared_counter_fixed},
    {"global_accumulator_fixed", global_accumulator_fixed},
    {"compacted_tail_fixed", compacted_tail_fixed},
    {"local_sums_fixed", local_sums_fixed},
    {"halo_at_the_border_fixed", halo_at_the_border_fixed},
    {"distances_partly_cleared_fixed", distances_partly_cleared_fixed},
    {"bytes_of_one_word", bytes_of_one_word},
    {"padded_struct_copy", padded_struct_copy},
    {"union_of_views", union_of_views},
    {"end_pointer_not_read", end_pointer_not_read},
    {"negative_offset_inside", negative_offset_inside},
    {"one_allocation_three_arrays", one_allocation_three_arrays},
    {"recursion", recursion},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
