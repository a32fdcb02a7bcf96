// Programs that are right with 32 lanes a warp and wrong with 128. list.tsv says where.
#include "faults.h"
#include <cooperative_groups.h>

__global__ void row_head_broadcast_kernel(const int *in, int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int head = __shfl_sync(0xffffffff, in[i], 0);
    out[i] = in[i] - head;
}

static bool row_head_broadcast() {
    Buffer<int> in(256, [](int i) { return small(i, 100); });
    Buffer<int> out(256);
    row_head_broadcast_kernel<<<2, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) { return in[i] - in[i / 32 * 32]; });
}

__global__ void leader_every_32_kernel(const int *in, int *sum) {
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = warpSize / 2; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

static bool leader_every_32() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> sum(1);
    leader_every_32_kernel<<<4, 128>>>(in.device, sum.device);
    return agrees(sum, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i];
        return want;
    });
}

__global__ void partials_by_literal_kernel(const int *in, int *sums) {
    __shared__ int part[32];
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = warpSize / 2; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x % warpSize == 0) part[threadIdx.x / warpSize] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < blockDim.x / 32; ++k) sum += part[k];
        sums[blockIdx.x] = sum;
    }
}

static bool partials_by_literal() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> sums(2);
    partials_by_literal_kernel<<<2, 256>>>(in.device, sums.device);
    return agrees(sums, [&](int block) {
        int want = 0;
        for (int i = 0; i < 256; ++i) want += in[block * 256 + i];
        return want;
    });
}

__global__ void tree_from_sixteen_kernel(const int *in, int *sum) {
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x % warpSize == 0) atomicAdd(sum, v);
}

static bool tree_from_sixteen() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> sum(1);
    tree_from_sixteen_kernel<<<2, 256>>>(in.device, sum.device);
    return agrees(sum, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i];
        return want;
    });
}

__global__ void ballot_population_kernel(const int *in, int *counts) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned votes = __ballot_sync(0xffffffff, in[i] > 4);
    if (threadIdx.x % 32 == 0) counts[i / 32] = __popc(votes);
}

static bool ballot_population() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> counts(16);
    ballot_population_kernel<<<4, 128>>>(in.device, counts.device);
    return agrees(counts, [&](int row) {
        int count = 0;
        for (int i = 0; i < 32; ++i) count += in[row * 32 + i] > 4;
        return count;
    });
}

__global__ void ballot_compaction_kernel(const int *in, int *out, int *used) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    const bool keep = in[t] % 3 == 0;
    const unsigned votes = __ballot_sync(0xffffffff, keep);
    int base = 0;
    if (lane == 0) base = atomicAdd(used, __popc(votes));
    base = __shfl_sync(0xffffffff, base, 0);
    const int place = base + __popc(votes & ((1u << lane) - 1));
    if (keep) out[place] = in[t];
}

static bool ballot_compaction() {
    Buffer<int> in(512, [](int i) { return 1 + small(i, 100); });
    Buffer<int> out(1024), used(1);
    ballot_compaction_kernel<<<4, 128>>>(in.device, out.device, used.device);
    out.fetch();
    used.fetch();
    int want = 0, got = 0;
    for (int i = 0; i < 512; ++i) want += in[i] % 3 == 0 ? in[i] : 0;
    for (int i = 0; i < 1024; ++i) got += out[i];
    printf("%d %d\n", used[0], got);
    return got == want;
}

__global__ void lane_bit_of_warpsize_kernel(const int *in, unsigned *words) {
    __shared__ unsigned set[4];
    if (threadIdx.x < 4) set[threadIdx.x] = 0;
    __syncthreads();
    const int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
    if (in[blockIdx.x * 128 + threadIdx.x] > 7) atomicOr(&set[warp], 1u << lane);
    __syncthreads();
    if (threadIdx.x < 4) words[blockIdx.x * 4 + threadIdx.x] = set[threadIdx.x];
}

static bool lane_bit_of_warpsize() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<unsigned> words(16);
    lane_bit_of_warpsize_kernel<<<4, 128>>>(in.device, words.device);
    return agrees(words, [&](int word) {
        unsigned bits = 0;
        for (int k = 0; k < 32; ++k) bits |= (in[word * 32 + k] > 7 ? 1u : 0u) << k;
        return bits;
    });
}

__global__ void scan_total_of_lane_31_kernel(const int *in, int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int sum = in[i];
    for (int step = 1; step < 32; step *= 2) {
        const int left = __shfl_up_sync(0xffffffff, sum, step, 32);
        if (lane >= step) sum += left;
    }
    const int total = __shfl_sync(0xffffffff, sum, 31);
    out[i] = total - sum;
}

static bool scan_total_of_lane_31() {
    Buffer<int> in(256, [](int i) { return small(i); });
    Buffer<int> out(256);
    scan_total_of_lane_31_kernel<<<2, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) {
        int sum = 0;
        for (int k = i + 1; k < i / 32 * 32 + 32; ++k) sum += in[k];
        return sum;
    });
}

__global__ void any_in_row_kernel(const int *in, int *hit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int found = __any_sync(0xffffffff, in[i] == 77);
    if (threadIdx.x % 32 == 0) hit[i / 32] = found != 0;
}

static bool any_in_row() {
    Buffer<int> in(512, [](int i) { return i % 192 == 70 ? 77 : small(i); });
    Buffer<int> hit(16);
    any_in_row_kernel<<<4, 128>>>(in.device, hit.device);
    return agrees(hit, [&](int row) {
        int found = 0;
        for (int i = 0; i < 32; ++i) found |= in[row * 32 + i] == 77;
        return found;
    });
}

__global__ void all_in_row_kernel(const int *in, int *full) {
    const int row = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int positive = __all_sync(0xffffffff, in[threadIdx.x] > 0);
    if (lane == 0) full[row] = positive != 0 ? 1 : 0;
}

static bool all_in_row() {
    Buffer<int> in(256, [](int i) { return i / 32 % 2 == 0 ? 1 + small(i) : small(i) - 1; });
    Buffer<int> full(8);
    all_in_row_kernel<<<1, 256>>>(in.device, full.device);
    return agrees(full, [](int row) { return row % 2 == 0 ? 1 : 0; });
}

__global__ void rows_by_launch_of_32_kernel(const int *matrix, int *sums, int rows, int columns) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    const int lane = threadIdx.x % warpSize;
    if (row >= rows) return;
    int sum = 0;
    for (int c = lane; c < columns; c += warpSize) sum += matrix[row * columns + c];
    for (int step = warpSize / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0) sums[row] = sum;
}

static bool rows_by_launch_of_32() {
    const int rows = 16, columns = 150;
    Buffer<int> matrix(rows * columns, [](int i) { return 1 + small(i); });
    Buffer<int> sums(rows);
    rows_by_launch_of_32_kernel<<<rows * 32 / 128, 128>>>(matrix.device, sums.device, rows,
                                                          columns);
    return agrees(sums, [&](int row) {
        int sum = 0;
        for (int c = 0; c < columns; ++c) sum += matrix[row * columns + c];
        return sum;
    });
}

__global__ void match_leader_kernel(const int *keys, int *bins) {
    const int key = keys[blockIdx.x * blockDim.x + threadIdx.x], lane = threadIdx.x & 31;
    const unsigned same = __match_any_sync(0xffffffff, key);
    if (__ffs(same) - 1 == lane) atomicAdd(&bins[key], __popc(same));
}

static bool match_leader() {
    Buffer<int> keys(512, [](int i) { return small(i, 8) + i / 32 % 4 * 8; });
    Buffer<int> bins(32);
    match_leader_kernel<<<4, 128>>>(keys.device, bins.device);
    return agrees(bins, [&](int bin) {
        int count = 0;
        for (int i = 0; i < keys.n; ++i) count += keys[i] == bin;
        return count;
    });
}

__global__ void aggregated_append_kernel(const int *in, int *out, int *used) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    const unsigned askers = __ballot_sync(0xffffffff, in[i] > 4);
    if (in[i] <= 4) return;
    const int leader = __ffs(askers) - 1;
    int start = 0;
    if (lane == leader) start = atomicAdd(used, __popc(askers));
    start = __shfl_sync(askers, start, leader);
    const int place = start + __popc(askers & ((1u << lane) - 1));
    if (place >= 0 && place < 512) out[place] = in[i];
}

static bool aggregated_append() {
    Buffer<int> in(512, [](int i) { return small(i); });
    Buffer<int> out(512), used(1);
    aggregated_append_kernel<<<4, 128>>>(in.device, out.device, used.device);
    out.fetch();
    int want = 0, got = 0;
    for (int i = 0; i < 512; ++i) {
        want += in[i] > 4 ? in[i] : 0;
        got += out[i];
    }
    printf("%d\n", got);
    return got == want;
}

__global__ void mirror_in_row_kernel(const int *in, int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    out[i] = __shfl_sync(0xffffffff, in[i], 31 - lane);
}

static bool mirror_in_row() {
    Buffer<int> in(256, [](int i) { return small(i, 1000); });
    Buffer<int> out(256);
    mirror_in_row_kernel<<<2, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) { return in[i / 32 * 32 + 31 - i % 32]; });
}

__global__ void rotate_in_row_kernel(int *data, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int v = data[i];
    for (int r = 0; r < rounds; ++r) v = 2 * v + __shfl_sync(0xffffffff, v, (lane + 1) & 31);
    data[i] = v;
}

static bool rotate_in_row() {
    auto value = [](int i) { return small(i, 100); };
    Buffer<int> data(256, value);
    rotate_in_row_kernel<<<2, 128>>>(data.device, 2);
    return agrees(data, [&](int i) {
        const int row = i / 32 * 32;
        return 4 * value(i) + 4 * value(row + (i + 1) % 32) + value(row + (i + 2) % 32);
    });
}

__global__ void row_end_at_lane_31_kernel(const int *in, int *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize;
    int right = __shfl_down_sync(0xffffffff, in[i], 1);
    if (lane == 31) right = 0;
    if (i == gridDim.x * blockDim.x - 1) right = 0;
    out[i] = right - in[i];
}

static bool row_end_at_lane_31() {
    Buffer<int> in(256, [](int i) { return 1 + small(i, 100); });
    Buffer<int> out(256);
    row_end_at_lane_31_kernel<<<2, 128>>>(in.device, out.device);
    return agrees(out, [&](int i) { return (i % 32 == 31 ? 0 : in[i + 1]) - in[i]; });
}

__global__ void half_warp_mask_kernel(const int *in, int *sums) {
    const int lane = threadIdx.x & 31, row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (lane < 16) {
        int v = in[row * 16 + lane];
        for (int step = 8; step > 0; step /= 2) v += __shfl_xor_sync(0x0000ffff, v, step);
        sums[row * 16 + lane] = v;
    }
}

static bool half_warp_mask() {
    Buffer<int> in(128, [](int i) { return small(i); });
    Buffer<int> sums(128);
    half_warp_mask_kernel<<<2, 128>>>(in.device, sums.device);
    return agrees(sums, [&](int i) {
        int sum = 0;
        for (int k = 0; k < 16; ++k) sum += in[i / 16 * 16 + k];
        return sum;
    });
}

__global__ void row_stride_of_32_kernel(const int *matrix, const int *x, int *y, int rows,
                                        int columns) {
    const int lane = threadIdx.x % warpSize, warps = gridDim.x * blockDim.x / warpSize;
    for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize; row < rows; row += warps) {
        int sum = 0;
        for (int c = lane; c < columns; c += 32) sum += matrix[row * columns + c] * x[c];
        for (int step = warpSize / 2; step > 0; step /= 2) {
            sum += __shfl_xor_sync(0xffffffff, sum, step);
        }
        if (lane == 0) y[row] = sum;
    }
}

static bool row_stride_of_32() {
    const int rows = 16, columns = 100;
    Buffer<int> matrix(rows * columns, [](int i) { return small(i); });
    Buffer<int> x(columns, [](int i) { return 1 + small(i + 3000); }), y(rows);
    row_stride_of_32_kernel<<<2, 256>>>(matrix.device, x.device, y.device, rows, columns);
    return agrees(y, [&](int row) {
        int sum = 0;
        for (int c = 0; c < columns; ++c) sum += matrix[row * columns + c] * x[c];
        return sum;
    });
}

__global__ void bitmap_words_by_ballot_kernel(const float *in, unsigned *words, float limit) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned word = __ballot_sync(0xffffffff, in[i] < limit);
    if ((threadIdx.x & 31) == 0) words[i >> 5] = word;
}

static bool bitmap_words_by_ballot() {
    Buffer<float> in(512, [](int i) { return float(small(i)); });
    Buffer<unsigned> words(16);
    bitmap_words_by_ballot_kernel<<<2, 256>>>(in.device, words.device, 3.5f);
    return agrees(words, [&](int word) {
        unsigned bits = 0;
        for (int k = 0; k < 32; ++k) bits |= (in[word * 32 + k] < 3.5f ? 1u : 0u) << k;
        return bits;
    });
}

__global__ void first_match_in_row_kernel(const int *in, int *first, int wanted) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const unsigned hits = __ballot_sync(0xffffffffu, in[row * 32 + lane] == wanted);
    if (lane == 0) first[row] = hits != 0 ? __ffs(hits) - 1 : -1;
}

static bool first_match_in_row() {
    Buffer<int> in(512, [](int i) { return small(i, 12); });
    Buffer<int> first(16);
    first_match_in_row_kernel<<<4, 128>>>(in.device, first.device, 5);
    return agrees(first, [&](int row) {
        for (int k = 0; k < 32; ++k) {
            if (in[row * 32 + k] == 5) return k;
        }
        return -1;
    });
}

static const Case cases[] = {
    {"row_head_broadcast", row_head_broadcast},
    {"leader_every_32", leader_every_32},
    {"partials_by_literal", partials_by_literal},
    {"tree_from_sixteen", tree_from_sixteen},
    {"ballot_population", ballot_population},
    {"ballot_compaction", ballot_compaction},
    {"lane_bit_of_warpsize", lane_bit_of_warpsize},
    {"scan_total_of_lane_31", scan_total_of_lane_31},
    {"any_in_row", any_in_row},
    {"all_in_row", all_in_row},
    {"rows_by_launch_of_32", rows_by_launch_of_32},
    {"match_leader", match_leader},
    {"aggregated_append", aggregated_append},
    {"mirror_in_row", mirror_in_row},
    {"rotate_in_row", rotate_in_row},
    {"row_end_at_lane_31", row_end_at_lane_31},
    {"half_warp_mask", half_warp_mask},
    {"row_stride_of_32", row_stride_of_32},
    {"bitmap_words_by_ballot", bitmap_words_by_ballot},
    {"first_match_in_row", first_match_in_row},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
