// Corrected twins of programs in race.cu: nothing is wrong here.
#include "faults.h"

__global__ void histogram_plain_add_fixed_kernel(const int *keys, int *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[keys[i]], 1);
    }
}

static bool histogram_plain_add_fixed() {
    Buffer<int> keys(2048, [](int i) { return small(i, 16); });
    Buffer<int> bins(16);
    histogram_plain_add_fixed_kernel<<<4, 128>>>(keys.device, bins.device, keys.n);
    return agrees(bins, [&](int bin) {
        int count = 0;
        for (int i = 0; i < keys.n; ++i) count += keys[i] == bin;
        return count;
    });
}

__global__ void histogram_shared_plain_fixed_kernel(const unsigned char *text, int *bins, int n) {
    __shared__ int local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&local[text[i] >> 2], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static bool histogram_shared_plain_fixed() {
    Buffer<unsigned char> text(1000, [](int i) { return static_cast<unsigned char>(noise(i)); });
    Buffer<int> bins(64);
    histogram_shared_plain_fixed_kernel<<<4, 256>>>(text.device, bins.device, text.n);
    return agrees(bins, [&](int bin) {
        int count = 0;
        for (int i = 0; i < text.n; ++i) count += text[i] >> 2 == bin;
        return count;
    });
}

__global__ void block_match_count_fixed_kernel(const int *data, int *counts, int wanted) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (data[blockIdx.x * blockDim.x + threadIdx.x] == wanted) {
        atomicAdd(&found, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = found;
}

static bool block_match_count_fixed() {
    Buffer<int> data(1024, [](int i) { return small(i, 4); });
    Buffer<int> counts(4);
    block_match_count_fixed_kernel<<<4, 256>>>(data.device, counts.device, 3);
    return agrees(counts, [&](int block) {
        int count = 0;
        for (int i = 0; i < 256; ++i) count += data[block * 256 + i] == 3;
        return count;
    });
}

__global__ void compaction_plain_slot_fixed_kernel(const int *in, int *out, int *used, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 3 != 0) return;
    const int slot = atomicAdd(used, 1);
    out[slot] = in[i];
}

static bool compaction_plain_slot_fixed() {
    Buffer<int> in(1024, [](int i) { return small(i, 1000); });
    Buffer<int> out(1024), used(1);
    compaction_plain_slot_fixed_kernel<<<4, 256>>>(in.device, out.device, used.device, in.n);
    out.fetch();
    used.fetch();
    long long want = 0, got = 0;
    int kept = 0;
    for (int i = 0; i < in.n; ++i) {
        kept += in[i] % 3 == 0;
        want += in[i] % 3 == 0 ? in[i] : 0;
    }
    for (int i = 0; i < used[0] && i < out.n; ++i) got += out[i];
    show(used.host, 1);
    printf("%lld\n", got);
    return used[0] == kept && got == want;
}

__global__ void smooth_in_place_fixed_kernel(const int *data, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1) return;
    const int sum = data[i - 1] + 2 * data[i] + data[i + 1];
    out[i] = sum;
}

static bool smooth_in_place_fixed() {
    auto value = [](int i) { return small(i, 100); };
    Buffer<int> data(1000, value), out(1000);
    smooth_in_place_fixed_kernel<<<8, 128>>>(data.device, out.device, data.n);
    return agrees(out, [&](int i) {
        return i < 1 || i >= 999 ? 0 : value(i - 1) + 2 * value(i) + value(i + 1);
    });
}

__global__ void partial_of_left_block_fixed_sums(const int *in, int *partial) {
    __shared__ int sums[128];
    const int t = threadIdx.x;
    sums[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) sums[t] += sums[t + step];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}

__global__ void partial_of_left_block_fixed_shift(int *partial, int blocks) {
    if (threadIdx.x > 0) partial[blocks + threadIdx.x] = partial[threadIdx.x - 1];
}

static bool partial_of_left_block_fixed() {
    Buffer<int> in(1024, [](int i) { return small(i); });
    Buffer<int> partial(16);
    partial_of_left_block_fixed_sums<<<8, 128>>>(in.device, partial.device);
    partial_of_left_block_fixed_shift<<<1, 8>>>(partial.device, 8);
    return agrees(partial, [&](int k) {
        const int block = k < 8 ? k : k - 9;
        int sum = 0;
        for (int i = 0; block >= 0 && i < 128; ++i) sum += in[block * 128 + i];
        return sum;
    });
}

__global__ void maximum_plain_fixed_kernel(const int *in, int *best, int n) {
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine = in[i] > mine ? in[i] : mine;
    }
    atomicMax(best, mine);
}

static bool maximum_plain_fixed() {
    Buffer<int> in(2000, [](int i) { return small(i, 1 << 20); });
    Buffer<int> best(1);
    maximum_plain_fixed_kernel<<<4, 128>>>(in.device, best.device, in.n);
    return agrees(best, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want = in[i] > want ? in[i] : want;
        return want;
    });
}

__global__ void last_writer_wins_fixed_kernel(const int *keys, int *end, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && keys[i] >= 0 && (i == n - 1 || keys[i + 1] < 0)) *end = i + 1;
}

static bool last_writer_wins_fixed() {
    Buffer<int> keys(1000, [](int i) { return i < 700 ? small(i) : -1; });
    Buffer<int> end(1);
    last_writer_wins_fixed_kernel<<<8, 128>>>(keys.device, end.device, keys.n);
    return agrees(end, [](int) { return 700; });
}

__global__ void bfs_visited_plain_fixed_kernel(const int *edges, int degree, const int *frontier,
                                               int size, int *visited,
                          int *next, int *next_size) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size * degree) return;
    const int vertex = edges[frontier[i / degree] * degree + i % degree];
    if (atomicCAS(&visited[vertex], 0, 1) == 0) {
        next[atomicAdd(next_size, 1)] = vertex;
    }
}

static bool bfs_visited_plain_fixed() {
    const int degree = 8;
    Buffer<int> edges(256 * degree, [](int i) { return small(i, 256); });
    Buffer<int> frontier(64, [](int i) { return i * 4; });
    Buffer<int> visited(256), next(512), next_size(1);
    bfs_visited_plain_fixed_kernel<<<4, 128>>>(edges.device, degree, frontier.device, 64,
                                               visited.device, next.device,
                          next_size.device);
    return agrees(next_size, [&](int) {
        bool seen[256] = {};
        int count = 0;
        for (int i = 0; i < 64 * degree; ++i) {
            bool &one = seen[edges[frontier[i / degree] * degree + i % degree]];
            count += !one;
            one = true;
        }
        return count;
    });
}

__global__ void warp_bins_plain_fixed_kernel(const int *in, int *out) {
    __shared__ int bins[8];
    const int lane = threadIdx.x;
    if (lane < 8) bins[lane] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * 32 + lane] & 7], lane);
    __syncthreads();
    if (lane < 8) out[blockIdx.x * 8 + lane] = bins[lane];
}

static bool warp_bins_plain_fixed() {
    Buffer<int> in(128, [](int i) { return small(i, 100); });
    Buffer<int> out(32);
    warp_bins_plain_fixed_kernel<<<4, 32>>>(in.device, out.device);
    return agrees(out, [&](int k) {
        int sum = 0;
        for (int i = 0; i < 32; ++i) sum += (in[k / 8 * 32 + i] & 7) == k % 8 ? i : 0;
        return sum;
    });
}

__global__ void matvec_split_columns_fixed_kernel(const float *matrix, const float *x, float *y,
                                                  int rows, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int width = columns / gridDim.y, first = blockIdx.y * width;
    if (row >= rows) return;
    float sum = 0;
    for (int c = first; c < first + width; ++c) sum += matrix[row * columns + c] * x[c];
    atomicAdd(&y[row], sum);
}

static bool matvec_split_columns_fixed() {
    const int rows = 100, columns = 64;
    Buffer<float> matrix(rows * columns, [](int i) { return float(small(i)); });
    Buffer<float> x(columns, [](int i) { return float(small(i + 7)); }), y(rows);
    matvec_split_columns_fixed_kernel<<<dim3(2, 4), 64>>>(matrix.device, x.device, y.device, rows,
                                                          columns);
    return agrees(y, [&](int row) {
        float sum = 0;
        for (int c = 0; c < columns; ++c) sum += matrix[row * columns + c] * x[c];
        return sum;
    });
}

__global__ void bitmap_plain_or_fixed_kernel(const int *members, unsigned *bits, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int member = members[i];
    atomicOr(&bits[member >> 5], 1u << (member & 31));
}

static bool bitmap_plain_or_fixed() {
    Buffer<int> members(300, [](int i) { return (i * 389) % 1024; });
    Buffer<unsigned> bits(32);
    bitmap_plain_or_fixed_kernel<<<3, 128>>>(members.device, bits.device, members.n);
    return agrees(bits, [&](int word) {
        unsigned want = 0;
        for (int i = 0; i < members.n; ++i) {
            if (members[i] >> 5 == word) want |= 1u << (members[i] & 31);
        }
        return want;
    });
}

__global__ void centre_before_sum_is_done_fixed_sum(const int *in, int *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]);
}

__global__ void centre_before_sum_is_done_fixed_centre(const int *in, const int *sum, int *out,
                                                       int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] - *sum / n;
}

static bool centre_before_sum_is_done_fixed() {
    Buffer<int> in(1000, [](int i) { return small(i, 500); });
    Buffer<int> sum(1), out(1000);
    centre_before_sum_is_done_fixed_sum<<<4, 256>>>(in.device, sum.device, in.n);
    centre_before_sum_is_done_fixed_centre<<<4, 256>>>(in.device, sum.device, out.device, in.n);
    int total = 0;
    for (int i = 0; i < in.n; ++i) total += in[i];
    return agrees(out, [&](int i) { return in[i] - total / 1000; });
}

__global__ void two_streams_no_event_fixed_scale(const int *in, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3 * in[i];
}

__global__ void two_streams_no_event_fixed_shift(const int *in, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[(i + 1) % n];
}

static bool two_streams_no_event_fixed() {
    Buffer<int> in(1000, [](int i) { return small(i, 100); });
    Buffer<int> middle(1000), out(1000);
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    cudaEvent_t scaled;
    CHECK(cudaEventCreateWithFlags(&scaled, cudaEventDisableTiming));
    two_streams_no_event_fixed_scale<<<8, 128, 0, first>>>(in.device, middle.device, in.n);
    CHECK(cudaEventRecord(scaled, first));
    CHECK(cudaStreamWaitEvent(second, scaled, 0));
    two_streams_no_event_fixed_shift<<<8, 128, 0, second>>>(middle.device, out.device, in.n);
    const bool right = agrees(out, [&](int i) { return 3 * in[(i + 1) % 1000]; });
    CHECK(cudaEventDestroy(scaled));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return right;
}

static const Case cases[] = {
    {"histogram_plain_add_fixed", histogram_plain_add_fixed},
    {"histogram_shared_plain_fixed", histogram_shared_plain_fixed},
    {"block_match_count_fixed", block_match_count_fixed},
    {"compaction_plain_slot_fixed", compaction_plain_slot_fixed},
    {"smooth_in_place_fixed", smooth_in_place_fixed},
    {"partial_of_left_block_fixed", partial_of_left_block_fixed},
    {"maximum_plain_fixed", maximum_plain_fixed},
    {"last_writer_wins_fixed", last_writer_wins_fixed},
    {"bfs_visited_plain_fixed", bfs_visited_plain_fixed},
    {"warp_bins_plain_fixed", warp_bins_plain_fixed},
    {"matvec_split_columns_fixed", matvec_split_columns_fixed},
    {"bitmap_plain_or_fixed", bitmap_plain_or_fixed},
    {"centre_before_sum_is_done_fixed", centre_before_sum_is_done_fixed},
    {"two_streams_no_event_fixed", two_streams_no_event_fixed},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
