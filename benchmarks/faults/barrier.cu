// Programs that lack one __syncthreads() each. list.tsv says where.
#include "faults.h"

__global__ void reduce_loop_kernel(const int *in, int *sums) {
    __shared__ int part[256];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}

static bool reduce_loop() {
    Buffer<int> in(1024, [](int i) { return small(i); });
    Buffer<int> sums(4);
    reduce_loop_kernel<<<4, 256>>>(in.device, sums.device);
    return agrees(sums, [&](int block) {
        int sum = 0;
        for (int i = 0; i < 256; ++i) sum += in[block * 256 + i];
        return sum;
    });
}

__global__ void reduce_after_load_kernel(const int *in, int *best, int n) {
    extern __shared__ int part[];
    const int t = threadIdx.x;
    part[t] = t < n ? in[t] : 0;
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) part[t] = max(part[t], part[t + step]);
        __syncthreads();
    }
    if (t == 0) *best = part[0];
}

static bool reduce_after_load() {
    Buffer<int> in(250, [](int i) { return small(i, 100000); });
    Buffer<int> best(1);
    reduce_after_load_kernel<<<1, 256, 256 * sizeof(int)>>>(in.device, best.device, in.n);
    return agrees(best, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want = in[i] > want ? in[i] : want;
        return want;
    });
}

__global__ void broadcast_of_parameter_kernel(const int *table, const int *in, int *out) {
    __shared__ int factor;
    if (threadIdx.x == 0) factor = table[blockIdx.x];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = factor * in[i];
}

static bool broadcast_of_parameter() {
    Buffer<int> table(4, [](int i) { return 2 + i; });
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    broadcast_of_parameter_kernel<<<4, 128>>>(table.device, in.device, out.device);
    return agrees(out, [&](int i) { return table[i / 128] * in[i]; });
}

__global__ void matmul_after_load_kernel(const int *a, const int *b, int *c, int n) {
    __shared__ int as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    int sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + column];
        for (int m = 0; m < 16; ++m) sum += as[ty][m] * bs[m][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

static bool matmul_after_load() {
    const int n = 32;
    Buffer<int> a(n * n, [](int i) { return small(i); });
    Buffer<int> b(n * n, [](int i) { return small(i + 4000); }), c(n * n);
    matmul_after_load_kernel<<<dim3(2, 2), dim3(16, 16)>>>(a.device, b.device, c.device, n);
    return agrees(c, [&](int i) {
        int sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
        return sum;
    });
}

__global__ void matmul_before_reload_kernel(const int *a, const int *b, int *c, int n) {
    __shared__ int as[16][16], bs[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    int sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
        for (int m = 0; m < 16; ++m) sum += as[ty][m] * bs[m][tx];
    }
    c[row * n + column] = sum;
}

static bool matmul_before_reload() {
    const int n = 48;
    Buffer<int> a(n * n, [](int i) { return small(i); });
    Buffer<int> b(n * n, [](int i) { return small(i + 4000); }), c(n * n);
    matmul_before_reload_kernel<<<dim3(3, 3), dim3(16, 16)>>>(a.device, b.device, c.device, n);
    return agrees(c, [&](int i) {
        int sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
        return sum;
    });
}

__global__ void transpose_tile_kernel(const int *in, int *out, int n) {
    __shared__ int tile[16][17];
    const int tx = threadIdx.x, ty = threadIdx.y;
    tile[ty][tx] = in[(blockIdx.y * 16 + ty) * n + blockIdx.x * 16 + tx];
    out[(blockIdx.x * 16 + ty) * n + blockIdx.y * 16 + tx] = tile[tx][ty];
}

static bool transpose_tile() {
    const int n = 48;
    Buffer<int> in(n * n, [](int i) { return small(i, 1000); });
    Buffer<int> out(n * n);
    transpose_tile_kernel<<<dim3(3, 3), dim3(16, 16)>>>(in.device, out.device, n);
    return agrees(out, [&](int i) { return in[i % n * n + i / n]; });
}

__global__ void scan_one_buffer_kernel(const int *in, int *out) {
    __shared__ int sums[256];
    const int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        const int left = t >= step ? sums[t - step] : 0;
        sums[t] += left;
        __syncthreads();
    }
    out[t] = sums[t];
}

static bool scan_one_buffer() {
    Buffer<int> in(256, [](int i) { return small(i); });
    Buffer<int> out(256);
    scan_one_buffer_kernel<<<1, 256>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = 0; k <= i; ++k) sum += in[k];
        return sum;
    });
}

__global__ void scan_two_buffers_kernel(const int *in, int *out) {
    __shared__ int sums[2][256];
    const int t = threadIdx.x;
    int now = 0;
    sums[0][t] = in[t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        sums[1 - now][t] = sums[now][t] + (t >= step ? sums[now][t - step] : 0);
        now = 1 - now;
    }
    out[t] = sums[now][t];
}

static bool scan_two_buffers() {
    Buffer<int> in(256, [](int i) { return small(i); });
    Buffer<int> out(256);
    scan_two_buffers_kernel<<<1, 256>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = 0; k <= i; ++k) sum += in[k];
        return sum;
    });
}

__global__ void scan_sweeps_kernel(const int *in, int *out) {
    __shared__ int node[256];
    const int t = threadIdx.x;
    node[2 * t] = in[2 * t];
    node[2 * t + 1] = in[2 * t + 1];
    for (int pairs = 128, gap = 1; pairs > 0; pairs /= 2, gap *= 2) {
        __syncthreads();
        if (t < pairs) node[gap * (2 * t + 2) - 1] += node[gap * (2 * t + 1) - 1];
    }
    if (t == 127) node[255] = 0;
    for (int pairs = 1, gap = 128; pairs <= 128; pairs *= 2, gap /= 2) {
        if (t < pairs) {
            const int left = gap * (2 * t + 1) - 1, right = gap * (2 * t + 2) - 1;
            const int kept = node[left];
            node[left] = node[right];
            node[right] += kept;
        }
        __syncthreads();
    }
    out[2 * t] = node[2 * t];
    out[2 * t + 1] = node[2 * t + 1];
}

static bool scan_sweeps() {
    Buffer<int> in(256, [](int i) { return small(i); });
    Buffer<int> out(256);
    scan_sweeps_kernel<<<1, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = 0; k < i; ++k) sum += in[k];
        return sum;
    });
}

__global__ void stencil_halo_kernel(const int *in, int *out, int n) {
    __shared__ int cell[130];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    cell[t + 1] = in[i];
    if (t == 0) cell[0] = i > 0 ? in[i - 1] : 0;
    if (t == 127) cell[129] = i + 1 < n ? in[i + 1] : 0;
    out[i] = cell[t] - 2 * cell[t + 1] + cell[t + 2];
}

static bool stencil_halo() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512);
    stencil_halo_kernel<<<4, 128>>>(in.device, out.device, in.n);
    return agrees(out, [&](int i) {
        return (i > 0 ? in[i - 1] : 0) - 2 * in[i] + (i < 511 ? in[i + 1] : 0);
    });
}

__global__ void stencil_time_steps_kernel(const int *in, int *out, int steps) {
    __shared__ int cells[2][128];
    const int t = threadIdx.x;
    cells[0][t] = in[t];
    __syncthreads();
    for (int s = 0; s < steps; ++s) {
        const int *old = cells[s & 1];
        cells[1 - (s & 1)][t] = old[t] ^ old[(t + 1) % 128] ^ (old[(t + 127) % 128] << 1);
    }
    out[t] = cells[steps & 1][t];
}

static bool stencil_time_steps() {
    Buffer<int> in(128, [](int i) { return small(i, 1 << 15); });
    Buffer<int> out(128);
    stencil_time_steps_kernel<<<1, 128>>>(in.device, out.device, 5);
    int cells[2][128];
    for (int i = 0; i < 128; ++i) cells[0][i] = in[i];
    for (int s = 0; s < 5; ++s) {
        const int *old = cells[s & 1];
        for (int t = 0; t < 128; ++t) {
            cells[1 - (s & 1)][t] = old[t] ^ old[(t + 1) % 128] ^ (old[(t + 127) % 128] << 1);
        }
    }
    return agrees(out, [&](int i) { return cells[1][i]; });
}

__global__ void bitonic_inner_loop_kernel(int *data) {
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
        }
        __syncthreads();
    }
    data[t] = keys[t];
}

static bool bitonic_inner_loop() {
    Buffer<int> data(256, [](int i) { return (i * 91 + 17) % 256; });
    bitonic_inner_loop_kernel<<<1, 256>>>(data.device);
    return agrees(data, [](int i) { return i; });
}

__global__ void histogram_after_clearing_kernel(const int *in, int *bins) {
    __shared__ int local[256];
    local[threadIdx.x] = 0;
    atomicAdd(&local[in[blockIdx.x * 256 + threadIdx.x]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static bool histogram_after_clearing() {
    Buffer<int> in(1024, [](int i) { return small(i, 256); });
    Buffer<int> bins(256);
    histogram_after_clearing_kernel<<<4, 256>>>(in.device, bins.device);
    return agrees(bins, [&](int bin) {
        int count = 0;
        for (int i = 0; i < in.n; ++i) count += in[i] == bin;
        return count;
    });
}

__global__ void histogram_before_flush_kernel(const int *in, int *bins) {
    __shared__ int local[128];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 4; ++k) atomicAdd(&local[in[k * 128 + threadIdx.x]], 1);
    bins[threadIdx.x] = local[threadIdx.x];
}

static bool histogram_before_flush() {
    Buffer<int> in(512, [](int i) { return small(i, 128); });
    Buffer<int> bins(128);
    histogram_before_flush_kernel<<<1, 128>>>(in.device, bins.device);
    return agrees(bins, [&](int bin) {
        int count = 0;
        for (int i = 0; i < in.n; ++i) count += in[i] == bin;
        return count;
    });
}

__global__ void softmax_reuses_buffer_kernel(const float *in, float *out) {
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
    part[t] = e;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = e / part[0];
}

static bool softmax_reuses_buffer() {
    Buffer<float> in(256, [](int i) { return float(small(i, 100)) / 10; });
    Buffer<float> out(256);
    softmax_reuses_buffer_kernel<<<2, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        double sum = 0;
        for (int k = 0; k < 128; ++k) sum += exp(in[i / 128 * 128 + k]);
        return exp(in[i]) / sum;
    });
}

__global__ void layer_norm_mean_kernel(const float *in, float *out) {
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
    out[blockIdx.x * 128 + t] = x - mean;
}

static bool layer_norm_mean() {
    Buffer<float> in(512, [](int i) { return float(small(i)); });
    Buffer<float> out(512);
    layer_norm_mean_kernel<<<4, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        float sum = 0;
        for (int k = 0; k < 128; ++k) sum += in[i / 128 * 128 + k];
        return in[i] - sum / 128;
    });
}

__global__ void compaction_block_offset_kernel(const int *in, int *out, int *used) {
    __shared__ int kept, base;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
    const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    const int place = value > 4 ? atomicAdd(&kept, 1) : 0;
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(used, kept);
    if (value > 4 && base >= 0 && base + place < 512) out[base + place] = value;
}

static bool compaction_block_offset() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512), used(1);
    compaction_block_offset_kernel<<<4, 128>>>(in.device, out.device, used.device);
    out.fetch();
    used.fetch();
    int want = 0, got = 0;
    for (int i = 0; i < 512; ++i) {
        want += in[i] > 4 ? in[i] : 0;
        got += out[i];
    }
    printf("%d %d\n", used[0], got);
    return got == want;
}

__global__ void producer_warp_refill_kernel(const int *in, int *out, int stages) {
    __shared__ int stage[64];
    const int t = threadIdx.x;
    int sum = 0;
    for (int s = 0; s < stages; ++s) {
        if (t < 64) stage[t] = in[s * 64 + t];
        __syncthreads();
        for (int k = 0; k < 64; ++k) sum += (k + 1) * stage[(t + k) % 64];
    }
    out[t] = sum;
}

static bool producer_warp_refill() {
    Buffer<int> in(256, [](int i) { return small(i); });
    Buffer<int> out(256);
    producer_warp_refill_kernel<<<1, 256>>>(in.device, out.device, 4);
    return agrees(out, [&](int t) {
        int sum = 0;
        for (int i = 0; i < 256; ++i) sum += (i % 64 + 1) * in[i / 64 * 64 + (t + i) % 64];
        return sum;
    });
}

__global__ void attention_scores_kernel(const int *query, const int *key, const int *value,
                                        int *out) {
    __shared__ int score[128];
    const int t = threadIdx.x, row = blockIdx.x;
    int dot = 0;
    for (int d = 0; d < 8; ++d) dot += query[row * 8 + d] * key[t * 8 + d];
    score[t] = dot;
    if (t < 8) {
        int sum = 0;
        for (int k = 0; k < 128; ++k) sum += score[k] * value[k * 8 + t];
        out[row * 8 + t] = sum;
    }
}

static bool attention_scores() {
    Buffer<int> query(4 * 8, [](int i) { return small(i); });
    Buffer<int> key(128 * 8, [](int i) { return small(i + 100); });
    Buffer<int> value(128 * 8, [](int i) { return small(i + 5000); }), out(4 * 8);
    attention_scores_kernel<<<4, 128>>>(query.device, key.device, value.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = 0; k < 128; ++k) {
            int dot = 0;
            for (int d = 0; d < 8; ++d) dot += query[i / 8 * 8 + d] * key[k * 8 + d];
            sum += dot * value[k * 8 + i % 8];
        }
        return sum;
    });
}

__global__ void graph_changed_flag_kernel(const int *parent, int *depth_out) {
    __shared__ int depth[128], changed;
    const int t = threadIdx.x;
    depth[t] = t == 0 ? 0 : 1000;
    if (t == 0) changed = 0;
    __syncthreads();
    for (int round = 0; round < 200; ++round) {
        const int above = depth[parent[t]] + 1;
        __syncthreads();
        if (above < depth[t]) {
            depth[t] = above;
            atomicExch(&changed, 1);
        }
        __syncthreads();
        const bool done = changed == 0;
        if (t == 0) changed = 0;
        if (done) break;
    }
    depth_out[t] = depth[t];
}

static bool graph_changed_flag() {
    Buffer<int> parent(128, [](int i) { return i == 0 ? 0 : small(i, i); });
    Buffer<int> depth(128);
    graph_changed_flag_kernel<<<1, 128>>>(parent.device, depth.device);
    return agrees(depth, [&](int i) {
        int steps = 0;
        for (int v = i; v != 0; v = parent[v]) ++steps;
        return steps;
    });
}

static const Case cases[] = {
    {"reduce_loop", reduce_loop},
    {"reduce_after_load", reduce_after_load},
    {"broadcast_of_parameter", broadcast_of_parameter},
    {"matmul_after_load", matmul_after_load},
    {"matmul_before_reload", matmul_before_reload},
    {"transpose_tile", transpose_tile},
    {"scan_one_buffer", scan_one_buffer},
    {"scan_two_buffers", scan_two_buffers},
    {"scan_sweeps", scan_sweeps},
    {"stencil_halo", stencil_halo},
    {"stencil_time_steps", stencil_time_steps},
    {"bitonic_inner_loop", bitonic_inner_loop},
    {"histogram_after_clearing", histogram_after_clearing},
    {"histogram_before_flush", histogram_before_flush},
    {"softmax_reuses_buffer", softmax_reuses_buffer},
    {"layer_norm_mean", layer_norm_mean},
    {"compaction_block_offset", compaction_block_offset},
    {"producer_warp_refill", producer_warp_refill},
    {"attention_scores", attention_scores},
    {"graph_changed_flag", graph_changed_flag},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
