// Corrected twins of programs in overrun.cu: nothing is wrong here.
#include "faults.h"

__global__ void shared_plus_one_fixed_kernel(const int *in, int *out, int n) {
    __shared__ int tile[257];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[t + 1] = in[i];
    if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
    __syncthreads();
    out[i] = tile[t] + (t + 1 < n ? tile[t + 1] : 0);
}

static bool shared_plus_one_fixed() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    shared_plus_one_fixed_kernel<<<2, 256>>>(in.device, out.device, in.n);
    return agrees(out, [&](int i) { return in[i] + (i > 0 ? in[i - 1] : 0); });
}

__global__ void shared_halo_too_small_fixed_kernel(const int *in, int *out, int n) {
    __shared__ int tile[128 + 4];
    const int t = threadIdx.x, first = blockIdx.x * 128 - 2;
    for (int k = t; k < 128 + 4; k += 128) {
        const int i = first + k;
        tile[k] = i >= 0 && i < n ? in[i] : 0;
    }
    __syncthreads();
    out[first + 2 + t] = tile[t] + tile[t + 1] + tile[t + 2] + tile[t + 3] + tile[t + 4];
}

static bool shared_halo_too_small_fixed() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    shared_halo_too_small_fixed_kernel<<<4, 128>>>(in.device, out.device, in.n);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = i - 2; k <= i + 2; ++k) sum += k >= 0 && k < in.n ? in[k] : 0;
        return sum;
    });
}

__global__ void dynamic_shared_in_elements_fixed_kernel(const float *in, float *sums) {
    extern __shared__ float part[];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

static bool dynamic_shared_in_elements_fixed() {
    const int threads = 256;
    Buffer<float> in(4 * threads, [](int i) { return float(small(i)); });
    Buffer<float> sums(4);
    dynamic_shared_in_elements_fixed_kernel<<<4, threads, threads * sizeof(float)>>>(in.device,
                                                                                     sums.device);
    return agrees(sums, [&](int block) {
        float sum = 0;
        for (int i = 0; i < 256; ++i) sum += in[block * 256 + i];
        return sum;
    });
}

__global__ void no_guard_fixed_kernel(const float *x, float *y, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

static bool no_guard_fixed() {
    Buffer<float> x(1000, [](int i) { return float(small(i)); });
    Buffer<float> y(1000, [](int i) { return float(small(i + 3000)); });
    no_guard_fixed_kernel<<<(1000 + 127) / 128, 128>>>(x.device, y.device, 2, x.n);
    return agrees(y, [&](int i) { return 2 * x[i] + small(i + 3000); });
}

__global__ void reads_next_of_last_fixed_kernel(const int *in, int *difference, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) difference[i] = in[i + 1] - in[i];
}

static bool reads_next_of_last_fixed() {
    Buffer<int> in(1024, [](int i) { return small(i, 100); });
    Buffer<int> out(1024);
    reads_next_of_last_fixed_kernel<<<8, 128>>>(in.device, out.device, in.n);
    out.fetch();
    return agrees(out.host, 1023, [&](int i) { return in[i + 1] - in[i]; });
}

__global__ void guard_with_equal_fixed_kernel(int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i ^ (i >> 1);
}

static bool guard_with_equal_fixed() {
    Buffer<int> out(1000);
    guard_with_equal_fixed_kernel<<<8, 128>>>(out.device, out.n);
    return agrees(out, [](int i) { return i ^ (i >> 1); });
}

__global__ void negative_index_global_fixed_kernel(const int *in, int *head, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const bool starts = i == 0 || in[i] != in[i - 1];
    head[i] = starts ? 1 : 0;
}

static bool negative_index_global_fixed() {
    Buffer<int> in(1000, [](int i) { return 5 + i / 7; });
    Buffer<int> head(1000);
    negative_index_global_fixed_kernel<<<8, 128>>>(in.device, head.device, in.n);
    return agrees(head, [](int i) { return i % 7 == 0 ? 1 : 0; });
}

__constant__ int constant_table_end_fixed_weights[8];

__global__ void constant_table_end_fixed_kernel(const int *in, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k < 8; ++k) sum += constant_table_end_fixed_weights[k] * in[i + k];
    out[i] = sum;
}

static bool constant_table_end_fixed() {
    const int weights[8] = {1, 2, 3, 4, 4, 3, 2, 1};
    CHECK(cudaMemcpyToSymbol(constant_table_end_fixed_weights, weights, sizeof weights));
    Buffer<int> in(520, [](int i) { return small(i); });
    Buffer<int> out(512);
    constant_table_end_fixed_kernel<<<4, 128>>>(in.device, out.device, out.n);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = 0; k < 8; ++k) sum += weights[k] * in[i + k];
        return sum;
    });
}

__global__ void local_top_four_fixed_kernel(const int *in, int *out, int per_thread) {
    int top[5] = {0, 0, 0, 0, 0};
    const int *mine = in + threadIdx.x * per_thread;
    for (int k = 0; k < per_thread; ++k) {
        int place = 4;
        while (place > 0 && top[place - 1] < mine[k]) {
            top[place] = top[place - 1];
            --place;
        }
        if (place < 4) top[place] = mine[k];
    }
    for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = top[k];
}

static bool local_top_four_fixed() {
    Buffer<int> in(64 * 20, [](int i) { return 1 + small(i, 1000); });
    Buffer<int> out(64 * 4);
    local_top_four_fixed_kernel<<<1, 64>>>(in.device, out.device, 20);
    return agrees(out, [&](int i) {
        const int *mine = in.host + i / 4 * 20;
        for (int k = 0; k < 20; ++k) {
            int before = 0;
            for (int m = 0; m < 20; ++m)
                before += mine[m] > mine[k] || (mine[m] == mine[k] && m < k);
            if (before == i % 4) return mine[k];
        }
        return -1;
    });
}

__global__ void pitch_in_elements_fixed_kernel(float *image, size_t pitch, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width || y >= height) return;
    float *row = reinterpret_cast<float *>(reinterpret_cast<char *>(image) + y * pitch);
    row[x] = float(x + 100 * y);
}

static bool pitch_in_elements_fixed() {
    const int width = 50, height = 20;
    float *image, host[width * height];
    size_t pitch;
    CHECK(cudaMallocPitch(&image, &pitch, width * sizeof(float), height));
    CHECK(cudaMemset(image, 0, pitch * height));
    pitch_in_elements_fixed_kernel<<<dim3(1, height), 64>>>(image, pitch, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2D(host, width * sizeof(float), image, pitch, width * sizeof(float), height,
                       cudaMemcpyDeviceToHost));
    CHECK(cudaFree(image));
    return agrees(host, width * height, [](int i) { return float(i % 50 + 100 * (i / 50)); });
}

__global__ void whole_tile_behind_fixed_kernel(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = row < n && k + tx < n ? a[row * n + k + tx] : 0;
        bs[ty][tx] = k + ty < n && column < n ? b[(k + ty) * n + column] : 0;
        __syncthreads();
        for (int m = 0; m < 16 && k + m < n; ++m) sum += as[ty][m] * bs[m][tx];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

static bool whole_tile_behind_fixed() {
    const int n = 40;
    Buffer<float> a(n * n, [](int i) { return float(small(i, 5)); });
    Buffer<float> b(n * n, [](int i) { return float(small(i + 4000, 5)); }), c(n * n);
    whole_tile_behind_fixed_kernel<<<dim3(3, 3), dim3(16, 16)>>>(a.device, b.device, c.device, n);
    return agrees(c, [&](int i) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
        return sum;
    });
}

__global__ void copy_of_double_size_fixed_kernel(const float *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = -in[i];
}

static bool copy_of_double_size_fixed() {
    const int n = 512;
    float host[2 * n];
    for (int i = 0; i < 2 * n; ++i) host[i] = float(small(i));
    float *in;
    Buffer<float> out(n);
    CHECK(cudaMalloc(&in, n * sizeof(float)));
    cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice);
    copy_of_double_size_fixed_kernel<<<4, 128>>>(in, out.device, n);
    const bool right = agrees(out, [&](int i) { return -host[i]; });
    CHECK(cudaFree(in));
    return right;
}

__global__ void histogram_last_bin_fixed_kernel(const float *samples, int *bins, int n) {
    __shared__ int local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&local[samples[i] < 1 ? int(samples[i] * 64) : 63], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static bool histogram_last_bin_fixed() {
    Buffer<float> samples(1000, [](int i) { return float(small(i, 257)) / 256; });
    Buffer<int> bins(64);
    histogram_last_bin_fixed_kernel<<<4, 256>>>(samples.device, bins.device, samples.n);
    bins.fetch();
    return agrees(bins.host, 63, [&](int bin) {
        int count = 0;
        for (int i = 0; i < samples.n; ++i) count += int(samples[i] * 64) == bin;
        return count;
    });
}

// The row pointers have an entry behind the last row.
__global__ void row_pointers_one_short_fixed_kernel(const int *start, const int *column,
                                                    const int *x, int *y, int rows,
                          int entries) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int sum = 0;
    const int end = start[row + 1];
    for (int e = start[row]; e < end && e < entries; ++e) sum += x[column[e]];
    y[row] = sum;
}

static bool row_pointers_one_short_fixed() {
    const int rows = 128, entries = 4 * rows;
    Buffer<int> start(rows + 1, [](int row) { return 4 * row; });
    Buffer<int> column(entries, [](int e) { return small(e, 64); });
    Buffer<int> x(64, [](int i) { return small(i); }), y(rows);
    row_pointers_one_short_fixed_kernel<<<1, 128>>>(start.device, column.device, x.device, y.device,
                                                    rows, entries);
    y.fetch();
    return agrees(y.host, rows - 1, [&](int row) {
        int sum = 0;
        for (int e = 4 * row; e < 4 * row + 4; ++e) sum += x[column[e]];
        return sum;
    });
}

static const Case cases[] = {
    {"shared_plus_one_fixed", shared_plus_one_fixed},
    {"shared_halo_too_small_fixed", shared_halo_too_small_fixed},
    {"dynamic_shared_in_elements_fixed", dynamic_shared_in_elements_fixed},
    {"no_guard_fixed", no_guard_fixed},
    {"reads_next_of_last_fixed", reads_next_of_last_fixed},
    {"guard_with_equal_fixed", guard_with_equal_fixed},
    {"negative_index_global_fixed", negative_index_global_fixed},
    {"constant_table_end_fixed", constant_table_end_fixed},
    {"local_top_four_fixed", local_top_four_fixed},
    {"pitch_in_elements_fixed", pitch_in_elements_fixed},
    {"whole_tile_behind_fixed", whole_tile_behind_fixed},
    {"copy_of_double_size_fixed", copy_of_double_size_fixed},
    {"histogram_last_bin_fixed", histogram_last_bin_fixed},
    {"row_pointers_one_short_fixed", row_pointers_one_short_fixed},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
