// Correct programs whose accesses come close to what is not allowed.
#include "faults.h"

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
    {"bytes_of_one_word", bytes_of_one_word},
    {"padded_struct_copy", padded_struct_copy},
    {"union_of_views", union_of_views},
    {"end_pointer_not_read", end_pointer_not_read},
    {"negative_offset_inside", negative_offset_inside},
    {"one_allocation_three_arrays", one_allocation_three_arrays},
    {"recursion", recursion},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
