// Programs with one data race each. list.tsv says where.
#include "faults.h"

__global__ void histogram_plain_add_kernel(const int *keys, int *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        bins[keys[i]]++;
    }
}

static bool histogram_plain_add() {
    Buffer<int> keys(2048, [](int i) { return small(i, 16); });
    Buffer<int> bins(16);
    histogram_plain_add_kernel<<<4, 128>>>(keys.device, bins.device, keys.n);
    return agrees(bins, [&](int bin) {
        int count = 0;
        for (int i = 0; i < keys.n; ++i) count += keys[i] == bin;
        return count;
    });
}

__global__ void histogram_shared_plain_kernel(const unsigned char *text, int *bins, int n) {
    __shared__ int local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) local[text[i] >> 2] += 1;
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static bool histogram_shared_plain() {
    Buffer<unsigned char> text(1000, [](int i) { return static_cast<unsigned char>(noise(i)); });
    Buffer<int> bins(64);
    histogram_shared_plain_kernel<<<4, 256>>>(text.device, bins.device, text.n);
    return agrees(bins, [&](int bin) {
        int count = 0;
        for (int i = 0; i < text.n; ++i) count += text[i] >> 2 == bin;
        return count;
    });
}

__global__ void block_match_count_kernel(const int *data, int *counts, int wanted) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (data[blockIdx.x * blockDim.x + threadIdx.x] == wanted) {
        found = found + 1;
    }
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = found;
}

static bool block_match_count() {
    Buffer<int> data(1024, [](int i) { return small(i, 4); });
    Buffer<int> counts(4);
    block_match_count_kernel<<<4, 256>>>(data.device, counts.device, 3);
    return agrees(counts, [&](int block) {
        int count = 0;
        for (int i = 0; i < 256; ++i) count += data[block * 256 + i] == 3;
        return count;
    });
}

__global__ void compaction_plain_slot_kernel(const int *in, int *out, int *used, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 3 != 0) return;
    const int slot = *used;
    *used = slot + 1;
    out[slot] = in[i];
}

static bool compaction_plain_slot() {
    Buffer<int> in(1024, [](int i) { return small(i, 1000); });
    Buffer<int> out(1024), used(1);
    compaction_plain_slot_kernel<<<4, 256>>>(in.device, out.device, used.device, in.n);
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

__global__ void smooth_in_place_kernel(int *data, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 || i >= n - 1) return;
    const int sum = data[i - 1] + 2 * data[i] + data[i + 1];
    data[i] = sum;
    out[i] = sum;
}

static bool smooth_in_place() {
    auto value = [](int i) { return small(i, 100); };
    Buffer<int> data(1000, value), out(1000);
    smooth_in_place_kernel<<<8, 128>>>(data.device, out.device, data.n);
    return agrees(out, [&](int i) {
        return i < 1 || i >= 999 ? 0 : value(i - 1) + 2 * value(i) + value(i + 1);
    });
}

__global__ void partial_of_left_block_sums(const int *in, int *partial) {
    __shared__ int sums[128];
    const int t = threadIdx.x;
    sums[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) sums[t] += sums[t + step];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
    if (t == 0 && blockIdx.x > 0) partial[gridDim.x + blockIdx.x] = partial[blockIdx.x - 1];
}

static bool partial_of_left_block() {
    Buffer<int> in(1024, [](int i) { return small(i); });
    Buffer<int> partial(16);
    partial_of_left_block_sums<<<8, 128>>>(in.device, partial.device);
    return agrees(partial, [&](int k) {
        const int block = k < 8 ? k : k - 9;
        int sum = 0;
        for (int i = 0; block >= 0 && i < 128; ++i) sum += in[block * 128 + i];
        return sum;
    });
}

__global__ void reverse_in_place_kernel(int *data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const int mirrored = data[n - 1 - i];
        data[i] = mirrored;
    }
}

static bool reverse_in_place() {
    auto value = [](int i) { return small(i, 1000); };
    Buffer<int> data(900, value);
    reverse_in_place_kernel<<<8, 128>>>(data.device, data.n);
    return agrees(data, [&](int i) { return value(899 - i); });
}

__global__ void maximum_plain_kernel(const int *in, int *best, int n) {
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        mine = in[i] > mine ? in[i] : mine;
    }
    if (mine > *best) *best = mine;
}

static bool maximum_plain() {
    Buffer<int> in(2000, [](int i) { return small(i, 1 << 20); });
    Buffer<int> best(1);
    maximum_plain_kernel<<<4, 128>>>(in.device, best.device, in.n);
    return agrees(best, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want = in[i] > want ? in[i] : want;
        return want;
    });
}

__global__ void argmin_mixed_kernel(const int *in, int *least, int *where, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(least, in[i]);
    if (*least == in[i]) *where = i;
}

static bool argmin_mixed() {
    Buffer<int> in(1000, [](int i) { return 10 + (i * 7919 + 50000) % 100003; });
    Buffer<int> least(1, [](int) { return 1 << 30; }), where(1);
    argmin_mixed_kernel<<<8, 128>>>(in.device, least.device, where.device, in.n);
    return agrees(where, [&](int) {
        int best = 0;
        for (int i = 0; i < in.n; ++i) best = in[i] < in[best] ? i : best;
        return best;
    });
}

__global__ void counter_reset_inside_kernel(const int *in, int *count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *count = 0;
    if (i < n && in[i] > 4) atomicAdd(count, 1);
}

static bool counter_reset_inside() {
    Buffer<int> in(1000, [](int i) { return small(i); });
    Buffer<int> count(1, [](int) { return 77; });
    counter_reset_inside_kernel<<<8, 128>>>(in.device, count.device, in.n);
    return agrees(count, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i] > 4;
        return want;
    });
}

__global__ void last_writer_wins_kernel(const int *keys, int *end, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && keys[i] >= 0) *end = i + 1;
}

static bool last_writer_wins() {
    Buffer<int> keys(1000, [](int i) { return i < 700 ? small(i) : -1; });
    Buffer<int> end(1);
    last_writer_wins_kernel<<<8, 128>>>(keys.device, end.device, keys.n);
    return agrees(end, [](int) { return 700; });
}

__global__ void bfs_visited_plain_kernel(const int *edges, int degree, const int *frontier,
                                         int size, int *visited,
                          int *next, int *next_size) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size * degree) return;
    const int vertex = edges[frontier[i / degree] * degree + i % degree];
    if (visited[vertex] == 0) {
        visited[vertex] = i + 1;
        next[atomicAdd(next_size, 1)] = vertex;
    }
}

static bool bfs_visited_plain() {
    const int degree = 8;
    Buffer<int> edges(256 * degree, [](int i) { return small(i, 256); });
    Buffer<int> frontier(64, [](int i) { return i * 4; });
    Buffer<int> visited(256), next(512), next_size(1);
    bfs_visited_plain_kernel<<<4, 128>>>(edges.device, degree, frontier.device, 64, visited.device,
                                         next.device,
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

__global__ void odd_even_overlapping_pairs_kernel(int *data, int n) {
    __shared__ int keys[256];
    const int t = threadIdx.x;
    keys[t] = data[t];
    __syncthreads();
    for (int round = 0; round < n; ++round) {
        if (t + 1 < n) {
            const int a = keys[t], b = keys[t + 1];
            if (a > b) {
                keys[t] = b;
                keys[t + 1] = a;
            }
        }
        __syncthreads();
    }
    data[t] = keys[t];
}

static bool odd_even_overlapping_pairs() {
    auto value = [](int i) { return (i * 37 + 11) % 128; };
    Buffer<int> data(128, value);
    odd_even_overlapping_pairs_kernel<<<1, 128>>>(data.device, data.n);
    return agrees(data, [](int i) { return i; });
}

__global__ void warp_bins_plain_kernel(const int *in, int *out) {
    __shared__ int bins[8];
    const int lane = threadIdx.x;
    if (lane < 8) bins[lane] = 0;
    __syncthreads();
    bins[in[blockIdx.x * 32 + lane] & 7] += lane;
    __syncthreads();
    if (lane < 8) out[blockIdx.x * 8 + lane] = bins[lane];
}

static bool warp_bins_plain() {
    Buffer<int> in(128, [](int i) { return small(i, 100); });
    Buffer<int> out(32);
    warp_bins_plain_kernel<<<4, 32>>>(in.device, out.device);
    return agrees(out, [&](int k) {
        int sum = 0;
        for (int i = 0; i < 32; ++i) sum += (in[k / 8 * 32 + i] & 7) == k % 8 ? i : 0;
        return sum;
    });
}

struct queue_tail_plain_queue {
    int reserved, tail;
    int items[512];
};

__global__ void queue_tail_plain_push(queue_tail_plain_queue *queue, const int *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] < 5) return;
    const int slot = atomicAdd(&queue->reserved, 1);
    queue->items[slot] = in[i];
    queue->tail = slot + 1;
}

__global__ void queue_tail_plain_drain(queue_tail_plain_queue *queue, int *sum) {
    for (int i = threadIdx.x; i < queue->tail; i += blockDim.x) atomicAdd(sum, queue->items[i]);
}

static bool queue_tail_plain() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> sum(1);
    Buffer<queue_tail_plain_queue> queue(1);
    queue_tail_plain_push<<<4, 128>>>(queue.device, in.device, in.n);
    queue_tail_plain_drain<<<1, 64>>>(queue.device, sum.device);
    return agrees(sum, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i] < 5 ? 0 : in[i];
        return want;
    });
}

__global__ void matvec_split_columns_kernel(const float *matrix, const float *x, float *y, int rows,
                                            int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const int width = columns / gridDim.y, first = blockIdx.y * width;
    if (row >= rows) return;
    float sum = 0;
    for (int c = first; c < first + width; ++c) sum += matrix[row * columns + c] * x[c];
    y[row] += sum;
}

static bool matvec_split_columns() {
    const int rows = 100, columns = 64;
    Buffer<float> matrix(rows * columns, [](int i) { return float(small(i)); });
    Buffer<float> x(columns, [](int i) { return float(small(i + 7)); }), y(rows);
    matvec_split_columns_kernel<<<dim3(2, 4), 64>>>(matrix.device, x.device, y.device, rows,
                                                    columns);
    return agrees(y, [&](int row) {
        float sum = 0;
        for (int c = 0; c < columns; ++c) sum += matrix[row * columns + c] * x[c];
        return sum;
    });
}

__global__ void bitmap_plain_or_kernel(const int *members, unsigned *bits, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int member = members[i];
    bits[member >> 5] |= 1u << (member & 31);
}

static bool bitmap_plain_or() {
    Buffer<int> members(300, [](int i) { return (i * 389) % 1024; });
    Buffer<unsigned> bits(32);
    bitmap_plain_or_kernel<<<3, 128>>>(members.device, bits.device, members.n);
    return agrees(bits, [&](int word) {
        unsigned want = 0;
        for (int i = 0; i < members.n; ++i) {
            if (members[i] >> 5 == word) want |= 1u << (members[i] & 31);
        }
        return want;
    });
}

__global__ void centre_before_sum_is_done_kernel(const int *in, int *sum, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]);
    __syncthreads();
    if (i < n) out[i] = in[i] - *sum / n;
}

static bool centre_before_sum_is_done() {
    Buffer<int> in(1000, [](int i) { return small(i, 500); });
    Buffer<int> sum(1), out(1000);
    centre_before_sum_is_done_kernel<<<4, 256>>>(in.device, sum.device, out.device, in.n);
    int total = 0;
    for (int i = 0; i < in.n; ++i) total += in[i];
    return agrees(out, [&](int i) { return in[i] - total / 1000; });
}

__global__ void two_streams_no_event_scale(const int *in, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 3 * in[i];
}

__global__ void two_streams_no_event_shift(const int *in, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[(i + 1) % n];
}

static bool two_streams_no_event() {
    Buffer<int> in(1000, [](int i) { return small(i, 100); });
    Buffer<int> middle(1000), out(1000);
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    two_streams_no_event_scale<<<8, 128, 0, first>>>(in.device, middle.device, in.n);
    two_streams_no_event_shift<<<8, 128, 0, second>>>(middle.device, out.device, in.n);
    const bool right = agrees(out, [&](int i) { return 3 * in[(i + 1) % 1000]; });
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return right;
}

__global__ void host_reads_before_wait_kernel(int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i * i;
}

static bool host_reads_before_wait() {
    const int n = 1000;
    Buffer<int> out(n);
    int *pinned;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    memset(pinned, 0, n * sizeof(int));
    host_reads_before_wait_kernel<<<8, 128, 0, stream>>>(out.device, n);
    CHECK(cudaMemcpyAsync(pinned, out.device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    const bool right = agrees(pinned, n, [](int i) { return i * i; });
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaStreamDestroy(stream));
    return right;
}

static const Case cases[] = {
    {"histogram_plain_add", histogram_plain_add},
    {"histogram_shared_plain", histogram_shared_plain},
    {"block_match_count", block_match_count},
    {"compaction_plain_slot", compaction_plain_slot},
    {"smooth_in_place", smooth_in_place},
    {"partial_of_left_block", partial_of_left_block},
    {"reverse_in_place", reverse_in_place},
    {"maximum_plain", maximum_plain},
    {"argmin_mixed", argmin_mixed},
    {"counter_reset_inside", counter_reset_inside},
    {"last_writer_wins", last_writer_wins},
    {"bfs_visited_plain", bfs_visited_plain},
    {"odd_even_overlapping_pairs", odd_even_overlapping_pairs},
    {"warp_bins_plain", warp_bins_plain},
    {"queue_tail_plain", queue_tail_plain},
    {"matvec_split_columns", matvec_split_columns},
    {"bitmap_plain_or", bitmap_plain_or},
    {"centre_before_sum_is_done", centre_before_sum_is_done},
    {"two_streams_no_event", two_streams_no_event},
    {"host_reads_before_wait", host_reads_before_wait},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
