// Programs that leave an object by one access or copy each. list.tsv says where.
#include "faults.h"

__global__ void shared_plus_one_kernel(const int *in, int *out, int n) {
    __shared__ int tile[256];
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[t + 1] = in[i];
    if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0;
    __syncthreads();
    out[i] = tile[t] + (t + 1 < n ? tile[t + 1] : 0);
}

static bool shared_plus_one() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    shared_plus_one_kernel<<<2, 256>>>(in.device, out.device, in.n);
    return agrees(out, [&](int i) { return in[i] + (i > 0 ? in[i - 1] : 0); });
}

__global__ void shared_halo_too_small_kernel(const int *in, int *out, int n) {
    __shared__ int tile[128 + 2];
    const int t = threadIdx.x, first = blockIdx.x * 128 - 2;
    for (int k = t; k < 128 + 4; k += 128) {
        const int i = first + k;
        tile[k] = i >= 0 && i < n ? in[i] : 0;
    }
    __syncthreads();
    out[first + 2 + t] = tile[t] + tile[t + 1] + tile[t + 2] + tile[t + 3] + tile[t + 4];
}

static bool shared_halo_too_small() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    shared_halo_too_small_kernel<<<4, 128>>>(in.device, out.device, in.n);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = i - 2; k <= i + 2; ++k) sum += k >= 0 && k < in.n ? in[k] : 0;
        return sum;
    });
}

__global__ void dynamic_shared_in_elements_kernel(const float *in, float *sums) {
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

static bool dynamic_shared_in_elements() {
    const int threads = 256;
    Buffer<float> in(4 * threads, [](int i) { return float(small(i)); });
    Buffer<float> sums(4);
    dynamic_shared_in_elements_kernel<<<4, threads, threads>>>(in.device, sums.device);
    return agrees(sums, [&](int block) {
        float sum = 0;
        for (int i = 0; i < 256; ++i) sum += in[block * 256 + i];
        return sum;
    });
}

__global__ void dynamic_shared_second_array_kernel(const int *keys, const int *values, int *out) {
    extern __shared__ int memory[];
    int *key = memory, *value = memory + blockDim.x;
    const int t = threadIdx.x, last = blockDim.x - 1;
    key[t] = keys[t];
    value[t] = values[t];
    __syncthreads();
    out[t] = key[last - t] * value[last - t];
}

static bool dynamic_shared_second_array() {
    Buffer<int> keys(128, [](int i) { return small(i); });
    Buffer<int> values(128, [](int i) { return small(i + 500); });
    Buffer<int> out(128);
    dynamic_shared_second_array_kernel<<<1, 128, 128 * sizeof(int)>>>(keys.device, values.device,
                                                                      out.device);
    return agrees(out, [&](int i) { return keys[127 - i] * values[127 - i]; });
}

__global__ void no_guard_kernel(const float *x, float *y, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i] + y[i];
}

static bool no_guard() {
    Buffer<float> x(1000, [](int i) { return float(small(i)); });
    Buffer<float> y(1000, [](int i) { return float(small(i + 3000)); });
    no_guard_kernel<<<(1000 + 127) / 128, 128>>>(x.device, y.device, 2, x.n);
    return agrees(y, [&](int i) { return 2 * x[i] + small(i + 3000); });
}

__global__ void reads_next_of_last_kernel(const int *in, int *difference, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) difference[i] = in[i + 1] - in[i];
}

static bool reads_next_of_last() {
    Buffer<int> in(1024, [](int i) { return small(i, 100); });
    Buffer<int> out(1024);
    reads_next_of_last_kernel<<<8, 128>>>(in.device, out.device, in.n);
    out.fetch();
    return agrees(out.host, 1023, [&](int i) { return in[i + 1] - in[i]; });
}

__global__ void guard_with_equal_kernel(int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = i ^ (i >> 1);
}

static bool guard_with_equal() {
    Buffer<int> out(1000);
    guard_with_equal_kernel<<<8, 128>>>(out.device, out.n);
    return agrees(out, [](int i) { return i ^ (i >> 1); });
}

__global__ void negative_index_global_kernel(const int *in, int *head, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const bool starts = in[i] != in[i - 1];
    head[i] = starts ? 1 : 0;
}

static bool negative_index_global() {
    Buffer<int> in(1000, [](int i) { return 5 + i / 7; });
    Buffer<int> head(1000);
    negative_index_global_kernel<<<8, 128>>>(in.device, head.device, in.n);
    return agrees(head, [](int i) { return i % 7 == 0 ? 1 : 0; });
}

__global__ void negative_index_shared_kernel(const int *in, int *out) {
    __shared__ int sums[128];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        const int left = sums[t - step];
        __syncthreads();
        sums[t] += t >= step ? left : 0;
        __syncthreads();
    }
    out[t] = sums[t];
}

static bool negative_index_shared() {
    Buffer<int> in(128, [](int i) { return small(i); });
    Buffer<int> out(128);
    negative_index_shared_kernel<<<1, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = 0; k <= i; ++k) sum += in[k];
        return sum;
    });
}

__constant__ int constant_table_end_weights[8];

__global__ void constant_table_end_kernel(const int *in, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k <= 8; ++k) sum += constant_table_end_weights[k] * in[i + k];
    out[i] = sum;
}

static bool constant_table_end() {
    const int weights[8] = {1, 2, 3, 4, 4, 3, 2, 1};
    CHECK(cudaMemcpyToSymbol(constant_table_end_weights, weights, sizeof weights));
    Buffer<int> in(520, [](int i) { return small(i); });
    Buffer<int> out(512);
    constant_table_end_kernel<<<4, 128>>>(in.device, out.device, out.n);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = 0; k < 8; ++k) sum += weights[k] * in[i + k];
        return sum;
    });
}

__global__ void local_top_four_kernel(const int *in, int *out, int per_thread) {
    int top[4] = {0, 0, 0, 0};
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

static bool local_top_four() {
    Buffer<int> in(64 * 20, [](int i) { return 1 + small(i, 1000); });
    Buffer<int> out(64 * 4);
    local_top_four_kernel<<<1, 64>>>(in.device, out.device, 20);
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

__global__ void pitch_in_elements_kernel(float *image, size_t pitch, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width || y >= height) return;
    float *row = image + y * pitch;
    row[x] = float(x + 100 * y);
}

static bool pitch_in_elements() {
    const int width = 50, height = 20;
    float *image, host[width * height];
    size_t pitch;
    CHECK(cudaMallocPitch(&image, &pitch, width * sizeof(float), height));
    CHECK(cudaMemset(image, 0, pitch * height));
    pitch_in_elements_kernel<<<dim3(1, height), 64>>>(image, pitch, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2D(host, width * sizeof(float), image, pitch, width * sizeof(float), height,
                       cudaMemcpyDeviceToHost));
    CHECK(cudaFree(image));
    return agrees(host, width * height, [](int i) { return float(i % 50 + 100 * (i / 50)); });
}

__global__ void transposed_row_length_kernel(const int *in, int *out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * width + y] = in[y * width + x];
}

static bool transposed_row_length() {
    const int width = 48, height = 20;
    Buffer<int> in(width * height, [](int i) { return small(i, 1000); });
    Buffer<int> out(width * height);
    transposed_row_length_kernel<<<dim3(3, 2), dim3(16, 16)>>>(in.device, out.device, width,
                                                               height);
    return agrees(out, [&](int i) { return in[i % height * width + i / height]; });
}

__global__ void whole_tile_behind_kernel(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
        for (int m = 0; m < 16 && k + m < n; ++m) sum += as[ty][m] * bs[m][tx];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

static bool whole_tile_behind() {
    const int n = 40;
    Buffer<float> a(n * n, [](int i) { return float(small(i, 5)); });
    Buffer<float> b(n * n, [](int i) { return float(small(i + 4000, 5)); }), c(n * n);
    whole_tile_behind_kernel<<<dim3(3, 3), dim3(16, 16)>>>(a.device, b.device, c.device, n);
    return agrees(c, [&](int i) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
        return sum;
    });
}

__global__ void copy_of_double_size_kernel(const float *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = -in[i];
}

static bool copy_of_double_size() {
    const int n = 512;
    float host[2 * n];
    for (int i = 0; i < 2 * n; ++i) host[i] = float(small(i));
    float *in;
    Buffer<float> out(n);
    CHECK(cudaMalloc(&in, n * sizeof(float)));
    cudaMemcpy(in, host, n * sizeof(double), cudaMemcpyHostToDevice);
    copy_of_double_size_kernel<<<4, 128>>>(in, out.device, n);
    const bool right = agrees(out, [&](int i) { return -host[i]; });
    CHECK(cudaFree(in));
    return right;
}

__global__ void copy_with_offset_kernel(const int *in, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}

static bool copy_with_offset() {
    const int n = 600, head = 200;
    Buffer<int> out(n);
    int host[n], *in;
    for (int i = 0; i < n; ++i) host[i] = small(i);
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMemcpy(in, host, head * sizeof(int), cudaMemcpyHostToDevice));
    cudaMemcpy(in + head, host, n * sizeof(int), cudaMemcpyHostToDevice);
    copy_with_offset_kernel<<<5, 128>>>(in, out.device, n);
    const bool right = agrees(out, [&](int i) { return host[i < head ? i : i - head] + 1; });
    CHECK(cudaFree(in));
    return right;
}

__global__ void memset_in_wrong_units_kernel(const int *in, unsigned char *flags, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2 != 0) flags[i] = 1;
}

static bool memset_in_wrong_units() {
    const int n = 1024;
    Buffer<int> in(n, [](int i) { return small(i); });
    unsigned char *flags, host[n];
    CHECK(cudaMalloc(&flags, n));
    cudaMemset(flags, 0, n * sizeof(int));
    memset_in_wrong_units_kernel<<<8, 128>>>(in.device, flags, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, flags, n, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(flags));
    return agrees(host, n, [&](int i) { return static_cast<unsigned char>(in[i] % 2); });
}

__global__ void histogram_last_bin_kernel(const float *samples, int *bins, int n) {
    __shared__ int local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&local[int(samples[i] * 64)], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static bool histogram_last_bin() {
    Buffer<float> samples(1000, [](int i) { return float(small(i, 257)) / 256; });
    Buffer<int> bins(64);
    histogram_last_bin_kernel<<<4, 256>>>(samples.device, bins.device, samples.n);
    bins.fetch();
    return agrees(bins.host, 63, [&](int bin) {
        int count = 0;
        for (int i = 0; i < samples.n; ++i) count += int(samples[i] * 64) == bin;
        return count;
    });
}

__global__ void row_pointers_one_short_kernel(const int *start, const int *column, const int *x,
                                              int *y, int rows,
                          int entries) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    int sum = 0;
    const int end = start[row + 1];
    for (int e = start[row]; e < end && e < entries; ++e) sum += x[column[e]];
    y[row] = sum;
}

static bool row_pointers_one_short() {
    const int rows = 128, entries = 4 * rows;
    Buffer<int> start(rows, [](int row) { return 4 * row; });
    Buffer<int> column(entries, [](int e) { return small(e, 64); });
    Buffer<int> x(64, [](int i) { return small(i); }), y(rows);
    row_pointers_one_short_kernel<<<1, 128>>>(start.device, column.device, x.device, y.device, rows,
                                              entries);
    y.fetch();
    return agrees(y.host, rows - 1, [&](int row) {
        int sum = 0;
        for (int e = 4 * row; e < 4 * row + 4; ++e) sum += x[column[e]];
        return sum;
    });
}

__global__ void float4_tail_kernel(const float *in, float *sums, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= n) return;
    const float4 v = reinterpret_cast<const float4 *>(in)[i];
    float sum = v.x;
    if (4 * i + 1 < n) sum += v.y;
    if (4 * i + 2 < n) sum += v.z;
    if (4 * i + 3 < n) sum += v.w;
    sums[i] = sum;
}

static bool float4_tail() {
    const int n = 1021;
    Buffer<float> in(n, [](int i) { return float(small(i)); });
    Buffer<float> sums((n + 3) / 4);
    float4_tail_kernel<<<2, 128>>>(in.device, sums.device, n);
    return agrees(sums, [&](int i) {
        float sum = 0;
        for (int k = 4 * i; k < 4 * i + 4 && k < n; ++k) sum += in[k];
        return sum;
    });
}

static const Case cases[] = {
    {"shared_plus_one", shared_plus_one},
    {"shared_halo_too_small", shared_halo_too_small},
    {"dynamic_shared_in_elements", dynamic_shared_in_elements},
    {"dynamic_shared_second_array", dynamic_shared_second_array},
    {"no_guard", no_guard},
    {"reads_next_of_last", reads_next_of_last},
    {"guard_with_equal", guard_with_equal},
    {"negative_index_global", negative_index_global},
    {"negative_index_shared", negative_index_shared},
    {"constant_table_end", constant_table_end},
    {"local_top_four", local_top_four},
    {"pitch_in_elements", pitch_in_elements},
    {"transposed_row_length", transposed_row_length},
    {"whole_tile_behind", whole_tile_behind},
    {"copy_of_double_size", copy_of_double_size},
    {"copy_with_offset", copy_with_offset},
    {"memset_in_wrong_units", memset_in_wrong_units},
    {"histogram_last_bin", histogram_last_bin},
    {"row_pointers_one_short", row_pointers_one_short},
    {"float4_tail", float4_tail},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
