// Corrected twins of programs in barrier.cu: nothing is wrong here.
#include "faults.h"

__global__ void reduce_loop_fixed_kernel(const int *in, int *sums) {
    __shared__ int part[256];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

static bool reduce_loop_fixed() {
    Buffer<int> in(1024, [](int i) { return small(i); });
    Buffer<int> sums(4);
    reduce_loop_fixed_kernel<<<4, 256>>>(in.device, sums.device);
    return agrees(sums, [&](int block) {
        int sum = 0;
        for (int i = 0; i < 256; ++i) sum += in[block * 256 + i];
        return sum;
    });
}

__global__ void reduce_after_load_fixed_kernel(const int *in, int *best, int n) {
    extern __shared__ int part[];
    const int t = threadIdx.x;
    part[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) part[t] = max(part[t], part[t + step]);
        __syncthreads();
    }
    if (t == 0) *best = part[0];
}

static bool reduce_after_load_fixed() {
    Buffer<int> in(250, [](int i) { return small(i, 100000); });
    Buffer<int> best(1);
    reduce_after_load_fixed_kernel<<<1, 256, 256 * sizeof(int)>>>(in.device, best.device, in.n);
    return agrees(best, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want = in[i] > want ? in[i] : want;
        return want;
    });
}

__global__ void broadcast_of_parameter_fixed_kernel(const int *table, const int *in, int *out) {
    __shared__ int factor;
    if (threadIdx.x == 0) factor = table[blockIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = factor * in[i];
}

static bool broadcast_of_parameter_fixed() {
    Buffer<int> table(4, [](int i) { return 2 + i; });
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    broadcast_of_parameter_fixed_kernel<<<4, 128>>>(table.device, in.device, out.device);
    return agrees(out, [&](int i) { return table[i / 128] * in[i]; });
}

__global__ void matmul_after_load_fixed_kernel(const int *a, const int *b, int *c, int n) {
    __shared__ int as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    int sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
        for (int m = 0; m < 16; ++m) sum += as[ty][m] * bs[m][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

static bool matmul_after_load_fixed() {
    const int n = 32;
    Buffer<int> a(n * n, [](int i) { return small(i); });
    Buffer<int> b(n * n, [](int i) { return small(i + 4000); }), c(n * n);
    matmul_after_load_fixed_kernel<<<dim3(2, 2), dim3(16, 16)>>>(a.device, b.device, c.device, n);
    return agrees(c, [&](int i) {
        int sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
        return sum;
    });
}

__global__ void matmul_before_reload_fixed_kernel(const int *a, const int *b, int *c, int n) {
    __shared__ int as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    int sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
        for (int m = 0; m < 16; ++m) sum += as[ty][m] * bs[m][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

static bool matmul_before_reload_fixed() {
    const int n = 48;
    Buffer<int> a(n * n, [](int i) { return small(i); });
    Buffer<int> b(n * n, [](int i) { return small(i + 4000); }), c(n * n);
    matmul_before_reload_fixed_kernel<<<dim3(3, 3), dim3(16, 16)>>>(a.device, b.device, c.device,
                                                                    n);
    return agrees(c, [&](int i) {
        int sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
        return sum;
    });
}

__global__ void transpose_tile_fixed_kernel(const int *in, int *out, int n) {
    __shared__ int tile[16][17];
    const int tx = threadIdx.x, ty = threadIdx.y;
    tile[ty][tx] = in[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx];
    __syncthreads();
    out[(blockIdx.x * 16 + ty) * n + blockIdx.y * 16 + tx] = tile[tx][ty];
}

static bool transpose_tile_fixed() {
    const int n = 48;
    Buffer<int> in(n * n, [](int i) { return small(i, 1000); });
    Buffer<int> out(n * n);
    transpose_tile_fixed_kernel<<<dim3(3, 3), dim3(16, 16)>>>(in.device, out.device, n);
    return agrees(out, [&](int i) { return in[i % n * n + i / n]; });
}

__global__ void scan_two_buffers_fixed_kernel(const int *in, int *out) {
    __shared__ int sums[2][256];
    const int t = threadIdx.x;
    int now = 0;
    sums[0][t] = in[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        sums[1 - now][t] = sums[now][t] + (t >= step ? sums[now][t - step] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[t] = sums[now][t];
}

static bool scan_two_buffers_fixed() {
    Buffer<int> in(256, [](int i) { return small(i); });
    Buffer<int> out(256);
    scan_two_buffers_fixed_kernel<<<1, 256>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = 0; k <= i; ++k) sum += in[k];
        return sum;
    });
}

__global__ void stencil_halo_fixed_kernel(const int *in, int *out, int n) {
    __shared__ int cell[130];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    cell[t + 1] = in[i];
    if (t == 0) cell[0] = i > 0 ? in[i - 1] : 0;
    if (t == 127) cell[129] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    out[i] = cell[t] - 2 * cell[t + 1] + cell[t + 2];
}

static bool stencil_halo_fixed() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    stencil_halo_fixed_kernel<<<4, 128>>>(in.device, out.device, in.n);
    return agrees(out, [&](int i) {
        return (i > 0 ? in[i - 1] : 0) - 2 * in[i] + (i < 511 ? in[i + 1] : 0);
    });
}

__global__ void bitonic_inner_loop_fixed_kernel(int *data) {
    __shared__ int keys[256];
    const int t = threadIdx.x;
    keys[t] = data[t];
    __syncthreads();
    for (int size = 2; size <= 256; size *= 2) {
        for (int gap = size / 2; gap > 0; gap /= 2) {
            const int other = t ^ gap;
            const bool up = (t & size) == 0;
            if (other > t && (keys[t] > keys[other]) == up) {
                const int kept = keys[t];
                keys[t] = keys[other];
                keys[other] = kept;
            }
            __syncthreads();
        }
    }
    data[t] = keys[t];
}

static bool bitonic_inner_loop_fixed() {
    Buffer<int> data(256, [](int i) { return (i * 91 + 17) % 256; });
    bitonic_inner_loop_fixed_kernel<<<1, 256>>>(data.device);
    return agrees(data, [](int i) { return i; });
}

__global__ void histogram_after_clearing_fixed_kernel(const int *in, int *bins) {
    __shared__ int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&local[in[blockIdx.x * 256 + threadIdx.x]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static bool histogram_after_clearing_fixed() {
    Buffer<int> in(1024, [](int i) { return small(i, 256); });
    Buffer<int> bins(256);
    histogram_after_clearing_fixed_kernel<<<4, 256>>>(in.device, bins.device);
    return agrees(bins, [&](int bin) {
        int count = 0;
        for (int i = 0; i < in.n; ++i) count += in[i] == bin;
        return count;
    });
}

__global__ void softmax_reuses_buffer_fixed_kernel(const float *in, float *out) {
    __shared__ float part[128];
    const int t = threadIdx.x;
    const float x = in[blockIdx.x * 128 + t];
    part[t] = x;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) part[t] = fmaxf(part[t], part[t + step]);
        __syncthreads();
    }
    const float e = expf(x - part[0]);
    __syncthreads();
    part[t] = e;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = e / part[0];
}

static bool softmax_reuses_buffer_fixed() {
    Buffer<float> in(256, [](int i) { return float(small(i, 100)) / 10; });
    Buffer<float> out(256);
    softmax_reuses_buffer_fixed_kernel<<<2, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        double sum = 0;
        for (int k = 0; k < 128; ++k) sum += exp(in[i / 128 * 128 + k]);
        return exp(in[i]) / sum;
    });
}

__global__ void layer_norm_mean_fixed_kernel(const float *in, float *out) {
    __shared__ float part[128], mean;
    const int t = threadIdx.x;
    const float x = in[blockIdx.x * 128 + t];
    part[t] = x;
    __syncthreads();
    if (t == 0) {
        float sum = 0;
        for (int k = 0; k < 128; ++k) sum += part[k];
        mean = sum / 128;
    }
    __syncthreads();
    out[blockIdx.x * 128 + t] = x - mean;
}

static bool layer_norm_mean_fixed() {
    Buffer<float> in(512, [](int i) { return float(small(i)); });
    Buffer<float> out(512);
    layer_norm_mean_fixed_kernel<<<4, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        float sum = 0;
        for (int k = 0; k < 128; ++k) sum += in[i / 128 * 128 + k];
        return in[i] - sum / 128;
    });
}

static const Case cases[] = {
    {"reduce_loop_fixed", reduce_loop_fixed},
    {"reduce_after_load_fixed", reduce_after_load_fixed},
    {"broadcast_of_parameter_fixed", broadcast_of_parameter_fixed},
    {"matmul_after_load_fixed", matmul_after_load_fixed},
    {"matmul_before_reload_fixed", matmul_before_reload_fixed},
    {"transpose_tile_fixed", transpose_tile_fixed},
    {"scan_two_buffers_fixed", scan_two_buffers_fixed},
    {"stencil_halo_fixed", stencil_halo_fixed},
    {"bitonic_inner_loop_fixed", bitonic_inner_loop_fixed},
    {"histogram_after_clearing_fixed", histogram_after_clearing_fixed},
    {"softmax_reuses_buffer_fixed", softmax_reuses_buffer_fixed},
    {"layer_norm_mean_fixed", layer_norm_mean_fixed},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
