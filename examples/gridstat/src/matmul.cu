#include <gridstat/check.h>
#include <gridstat/gridstat.h>

namespace gridstat {
namespace {

constexpr int kTile = 16;

__global__ void matmul_kernel(const float *__restrict__ a, const float *__restrict__ b,
                              float *__restrict__ c, int n) {
    __shared__ float tile_a[kTile][kTile];
    __shared__ float tile_b[kTile][kTile + 1];
    const int row = blockIdx.y * kTile + threadIdx.y;
    const int column = blockIdx.x * kTile + threadIdx.x;

    float total = 0.0f;
    for (int start = 0; start < n; start += kTile) {
        const int k_a = start + threadIdx.x;
        const int k_b = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < n && k_a < n ? a[row * n + k_a] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = k_b < n && column < n ? b[k_b * n + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < kTile; ++k) total += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = total;
}

}  // namespace

void matmul(const float *a, const float *b, float *c, int n, cudaStream_t stream) {
    if (n <= 0) return;
    const dim3 block(kTile, kTile);
    const dim3 grid((n + kTile - 1) / kTile, (n + kTile - 1) / kTile);
    matmul_kernel<<<grid, block, 0, stream>>>(a, b, c, n);
    GRIDSTAT_CHECK(cudaGetLastError());
}

}  // namespace gridstat
