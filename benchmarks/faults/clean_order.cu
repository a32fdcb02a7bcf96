// Correct programs that order their accesses by atomics and fences, by streams and events.
#include "faults.h"

__global__ void last_block_finishes_kernel(const int *in, volatile int *partial, unsigned *finished,
                                           int *sum) {
    __shared__ int part[128];
    __shared__ bool last;
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = part[0];
        __threadfence();
        last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        __threadfence();
        int total = 0;
        for (int k = 0; k < gridDim.x; ++k) total += partial[k];
        *sum = total;
    }
}

static bool last_block_finishes() {
    Buffer<int> in(1024, [](int i) { return small(i); });
    Buffer<int> partial(8), sum(1);
    Buffer<unsigned> finished(1);
    last_block_finishes_kernel<<<8, 128>>>(in.device, partial.device, finished.device, sum.device);
    return agrees(sum, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i];
        return want;
    });
}

__global__ void look_back_scan_kernel(const int *in, int *out, int *ticket, int *prefix,
                                      int *ready) {
    __shared__ int sums[128], mine, before;
    const int t = threadIdx.x;
    if (t == 0) mine = atomicAdd(ticket, 1);
    __syncthreads();
    const int tile = mine;
    sums[t] = in[tile * 128 + t];
    __syncthreads();
    for (int step = 1; step < 128; step *= 2) {
        const int left = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    if (t == 0) {
        before = 0;
        if (tile > 0) {
            while (atomicAdd(&ready[tile - 1], 0) == 0) {
            }
            __threadfence();
            before = atomicAdd(&prefix[tile - 1], 0);
        }
        atomicExch(&prefix[tile], before + sums[127]);
        __threadfence();
        atomicExch(&ready[tile], 1);
    }
    __syncthreads();
    out[tile * 128 + t] = before + sums[t];
}

static bool look_back_scan() {
    Buffer<int> in(1024, [](int i) { return small(i); });
    Buffer<int> out(1024), ticket(1), prefix(8), ready(8);
    look_back_scan_kernel<<<8, 128>>>(in.device, out.device, ticket.device, prefix.device,
                                      ready.device);
    int sum = 0;
    return agrees(out, [&](int i) { return sum = i == 0 ? in[0] : sum + in[i]; });
}

__global__ void volatile_flag_between_blocks_kernel(const int *in, volatile int *data,
                                                    volatile int *flag, int *ticket, int *out) {
    __shared__ int role;
    if (threadIdx.x == 0) role = atomicAdd(ticket, 1);
    __syncthreads();
    if (role == 0) {
        data[threadIdx.x] = 5 * in[threadIdx.x];
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) *flag = 1;
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = data[63 - threadIdx.x];
    }
}

static bool volatile_flag_between_blocks() {
    Buffer<int> in(64, [](int i) { return small(i); });
    Buffer<int> data(64), flag(1), ticket(1), out(64);
    volatile_flag_between_blocks_kernel<<<2, 64>>>(in.device, data.device, flag.device,
                                                   ticket.device, out.device);
    return agrees(out, [&](int i) { return 5 * in[63 - i]; });
}

__global__ void lock_of_blocks_kernel(const int *in, int *lock, volatile long long *state) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    state[0] = state[0] + in[blockIdx.x];
    state[1] = state[1] + 1;
    __threadfence();
    atomicExch(lock, 0);
}

static bool lock_of_blocks() {
    Buffer<int> in(32, [](int i) { return small(i, 1000); });
    Buffer<int> lock(1);
    Buffer<long long> state(2);
    lock_of_blocks_kernel<<<32, 32>>>(in.device, lock.device, state.device);
    return agrees(state, [&](int k) {
        long long sum = 0;
        for (int i = 0; i < 32; ++i) sum += in[i];
        return k == 0 ? sum : 32;
    });
}

__device__ void float_maximum_by_cas_raise(int *bits, float value) {
    int seen = atomicAdd(bits, 0);
    while (__int_as_float(seen) < value) {
        const int now = atomicCAS(bits, seen, __float_as_int(value));
        if (now == seen) break;
        seen = now;
    }
}

__global__ void float_maximum_by_cas_kernel(const float *in, int *bits, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) float_maximum_by_cas_raise(bits, in[i]);
}

static bool float_maximum_by_cas() {
    Buffer<float> in(1000, [](int i) { return float(small(i, 100000)) / 8; });
    Buffer<int> bits(1);
    float_maximum_by_cas_kernel<<<4, 256>>>(in.device, bits.device, in.n);
    bits.fetch();
    float got;
    memcpy(&got, bits.host, sizeof got);
    return agrees(&got, 1, [&](int) {
        float want = 0;
        for (int i = 0; i < in.n; ++i) want = in[i] > want ? in[i] : want;
        return want;
    });
}

__global__ void work_queue_kernel(const int *in, int *out, int *next, int tiles) {
    __shared__ int tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(next, 1);
        __syncthreads();
        const int mine = tile;
        __syncthreads();
        if (mine >= tiles) return;
        out[mine * 64 + threadIdx.x] = in[mine * 64 + threadIdx.x] + mine;
    }
}

static bool work_queue() {
    Buffer<int> in(640, [](int i) { return small(i, 100); });
    Buffer<int> out(640), next(1);
    work_queue_kernel<<<3, 64>>>(in.device, out.device, next.device, 10);
    return agrees(out, [&](int i) { return in[i] + i / 64; });
}

__global__ void packed_argmin_kernel(const int *in, unsigned long long *best, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMin(best, static_cast<unsigned long long>(in[i]) << 32 | i);
}

static bool packed_argmin() {
    Buffer<int> in(1000, [](int i) { return 10 + (i * 7919 + 50000) % 100003; });
    Buffer<unsigned long long> best(1, [](int) { return ~0ull; });
    packed_argmin_kernel<<<8, 128>>>(in.device, best.device, in.n);
    best.fetch();
    const int where = static_cast<int>(best[0] & 0xffffffff);
    return agrees(&where, 1, [&](int) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want = in[i] < in[want] ? i : want;
        return want;
    });
}

__global__ void many_small_kernels_kernel(const int *from, int *to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[(i + 1) % n] ^ (from[(i + n - 1) % n] << 1 & 0xffff);
}

static bool many_small_kernels() {
    const int n = 500;
    Buffer<int> a(n, [](int i) { return small(i, 1 << 16); });
    Buffer<int> b(n);
    int host[2][n];
    for (int i = 0; i < n; ++i) host[0][i] = a[i];
    for (int s = 0; s < 10; ++s) {
        int *from = s % 2 == 0 ? a.device : b.device, *to = s % 2 == 0 ? b.device : a.device;
        many_small_kernels_kernel<<<4, 128>>>(from, to, n);
        for (int i = 0; i < n; ++i) {
            const int *old = host[s % 2];
            host[1 - s % 2][i] = old[(i + 1) % n] ^ (old[(i + n - 1) % n] << 1 & 0xffff);
        }
    }
    return agrees(a, [&](int i) { return host[0][i]; });
}

__global__ void fork_and_join_add(const int *in, int *out, int amount, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[n - 1 - i] + amount;
}

__global__ void fork_and_join_join(const int *a, const int *b, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[n - 1 - i] * b[n - 1 - i];
}

static bool fork_and_join() {
    const int n = 400;
    Buffer<int> in(n, [](int i) { return small(i); });
    Buffer<int> first(n), a(n), b(n), out(n);
    cudaStream_t front, side;
    cudaEvent_t forked, joined;
    CHECK(cudaStreamCreateWithFlags(&front, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    fork_and_join_add<<<4, 128, 0, front>>>(in.device, first.device, 1, n);
    CHECK(cudaEventRecord(forked, front));
    CHECK(cudaStreamWaitEvent(side, forked, 0));
    fork_and_join_add<<<4, 128, 0, front>>>(first.device, a.device, 2, n);
    fork_and_join_add<<<4, 128, 0, side>>>(first.device, b.device, 3, n);
    CHECK(cudaEventRecord(joined, side));
    CHECK(cudaStreamWaitEvent(front, joined, 0));
    fork_and_join_join<<<4, 128, 0, front>>>(a.device, b.device, out.device, n);
    CHECK(cudaStreamSynchronize(front));
    const bool right =
        agrees(out, [&](int i) { return (in[n - 1 - i] + 3) * (in[n - 1 - i] + 4); });
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
    CHECK(cudaStreamDestroy(front));
    CHECK(cudaStreamDestroy(side));
    return right;
}

__global__ void pinned_round_trip_kernel(int *data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = data[i] * data[i];
}

static bool pinned_round_trip() {
    const int n = 500;
    int *pinned, *device;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; ++i) pinned[i] = i;
    CHECK(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream));
    pinned_round_trip_kernel<<<4, 128, 0, stream>>>(device, n);
    CHECK(cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    const bool right = agrees(pinned, n, [](int i) { return i * i; });
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaStreamDestroy(stream));
    return right;
}

__global__ void default_stream_orders_all_kernel(const int *in, int *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[n - 1 - i] + 1;
}

static bool default_stream_orders_all() {
    const int n = 300;
    Buffer<int> in(n, [](int i) { return small(i, 100); });
    Buffer<int> a(n), b(n), out(n);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    default_stream_orders_all_kernel<<<3, 128, 0, stream>>>(in.device, a.device, n);
    default_stream_orders_all_kernel<<<3, 128>>>(a.device, b.device, n);
    default_stream_orders_all_kernel<<<3, 128, 0, stream>>>(b.device, out.device, n);
    CHECK(cudaStreamSynchronize(stream));
    const bool right = agrees(out, [&](int i) { return in[n - 1 - i] + 3; });
    CHECK(cudaStreamDestroy(stream));
    return right;
}

__global__ void cleared_in_stream_kernel(const int *in, int *sum, int limit, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] >= limit) atomicAdd(sum, in[i]);
}

static bool cleared_in_stream() {
    Buffer<int> in(500, [](int i) { return small(i); });
    Buffer<int> out(10);
    int *sum;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&sum, sizeof(int)));
    for (int limit = 0; limit < 10; ++limit) {
        CHECK(cudaMemsetAsync(sum, 0, sizeof(int), stream));
        cleared_in_stream_kernel<<<4, 128, 0, stream>>>(in.device, sum, limit, in.n);
        CHECK(cudaMemcpyAsync(out.device + limit, sum, sizeof(int), cudaMemcpyDeviceToDevice,
                              stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    const bool right = agrees(out, [&](int limit) {
        int want = 0;
        for (int i = 0; i < in.n; ++i) want += in[i] >= limit ? in[i] : 0;
        return want;
    });
    CHECK(cudaFree(sum));
    CHECK(cudaStreamDestroy(stream));
    return right;
}

static const Case cases[] = {
    {"last_block_finishes", last_block_finishes},
    {"look_back_scan", look_back_scan},
    {"volatile_flag_between_blocks", volatile_flag_between_blocks},
    {"lock_of_blocks", lock_of_blocks},
    {"float_maximum_by_cas", float_maximum_by_cas},
    {"work_queue", work_queue},
    {"packed_argmin", packed_argmin},
    {"many_small_kernels", many_small_kernels},
    {"fork_and_join", fork_and_join},
    {"pinned_round_trip", pinned_round_trip},
    {"default_stream_orders_all", default_stream_orders_all},
    {"cleared_in_stream", cleared_in_stream},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
