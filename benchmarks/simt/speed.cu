// What an emulated kernel costs, beside the same work in a plain serial loop of the same program.
// Prints: name, milliseconds emulated (best of five), milliseconds serial, and for the two last
// nanoseconds for each thread and operation.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <vector>

static double now() {
    using clock = std::chrono::steady_clock;
    return std::chrono::duration<double, std::milli>(clock::now().time_since_epoch()).count();
}

template <class F>
static double best(F work) {
    double least = 1e30;
    for (int i = 0; i < 5; i++) {
        const double start = now();
        work();
        cudaDeviceSynchronize();
        const double took = now() - start;
        if (took < least) least = took;
    }
    return least;
}

__global__ void add(const float *a, const float *b, float *c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void multiply(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void reduce(const float *in, float *out, int n) {
    __shared__ float partial[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d, 32);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
        for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d, 32);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}

__global__ void barriers(int count) {
    for (int i = 0; i < count; i++) __syncthreads();
}

__global__ void shuffles(int count, float *out) {
    float v = threadIdx.x;
    for (int i = 0; i < count; i++) v += __shfl_xor_sync(0xffffffffu, v, 1 + i % 31, 32);
    out[threadIdx.x] = v;
}

int main() {
    const int n = 1 << 20, side = 256, rounds = 2000;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) a[i] = i % 7, b[i] = i % 5;
    float *da, *db, *dc;
    cudaMalloc(&da, n * sizeof(float));
    cudaMalloc(&db, n * sizeof(float));
    cudaMalloc(&dc, n * sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    const double add_gpu = best([&] { add<<<n / 256, 256>>>(da, db, dc, n); });
    const double add_cpu = best([&] {
        for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
    });
    std::printf("add %.2f %.2f\n", add_gpu, add_cpu);

    const double multiply_gpu = best([&] { multiply<<<dim3(16, 16), dim3(16, 16)>>>(da, db, dc, side); });
    const double multiply_cpu = best([&] {
        for (int i = 0; i < side; i++) {
            for (int j = 0; j < side; j++) {
                float sum = 0;
                for (int k = 0; k < side; k++) sum += a[i * side + k] * b[k * side + j];
                c[i * side + j] = sum;
            }
        }
    });
    std::printf("multiply %.2f %.2f\n", multiply_gpu, multiply_cpu);

    const double reduce_gpu = best([&] { reduce<<<256, 256>>>(da, dc, n); });
    volatile float total = 0;
    const double reduce_cpu = best([&] {
        float sum = 0;
        for (int i = 0; i < n; i++) sum += a[i];
        total = sum;
    });
    std::printf("reduce %.2f %.2f\n", reduce_gpu, reduce_cpu);

    for (const int threads : {32, 256, 1024}) {
        const double took = best([&] { barriers<<<1, threads>>>(rounds); });
        std::printf("barrier-%d %.2f 0 %.1f\n", threads, took, took * 1e6 / rounds / threads);
    }
    const double took = best([&] { shuffles<<<1, 256>>>(rounds, dc); });
    std::printf("shuffle %.2f 0 %.1f\n", took, took * 1e6 / rounds / 256);
    return cudaGetLastError() != cudaSuccess;
}
