// Correct programs of several kernels, streams and copies.
#include "faults.h"

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
    cudaStream_t main, side;
    cudaEvent_t forked, joined;
    CHECK(cudaStreamCreateWithFlags(&main, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    fork_and_join_add<<<4, 128, 0, main>>>(in.device, first.device, 1, n);
    CHECK(cudaEventRecord(forked, main));
    CHECK(cudaStreamWaitEvent(side, forked, 0));
    fork_and_join_add<<<4, 128, 0, main>>>(first.device, a.device, 2, n);
    fork_and_join_add<<<4, 128, 0, side>>>(first.device, b.device, 3, n);
    CHECK(cudaEventRecord(joined, side));
    CHECK(cudaStreamWaitEvent(main, joined, 0));
    fork_and_join_join<<<4, 128, 0, main>>>(a.device, b.device, out.device, n);
    CHECK(cudaStreamSynchronize(main));
    const bool right =
        agrees(out, [&](int i) { return (in[n - 1 - i] + 3) * (in[n - 1 - i] + 4); });
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
    CHECK(cudaStreamDestroy(main));
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
    {"many_small_kernels", many_small_kernels},
    {"fork_and_join", fork_and_join},
    {"pinned_round_trip", pinned_round_trip},
    {"default_stream_orders_all", default_stream_orders_all},
    {"cleared_in_stream", cleared_in_stream},
};

int main(int argc, char **argv) { return run_case(cases, argc, argv); }
