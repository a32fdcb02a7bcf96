// Compares every kernel with a plain loop on the host.
#include <gridstat/check.h>
#include <gridstat/gridstat.h>

#include <cmath>
#include <vector>

namespace {

constexpr int kSide = 200;
constexpr int kCount = kSide * kSide;
constexpr int kBins = 64;

bool near(float found, float wanted, const char *what) {
    if (std::fabs(found - wanted) <= 1e-3f * (1.0f + std::fabs(wanted))) return true;
    std::fprintf(stderr, "%s: %g, but %g was wanted\n", what, found, wanted);
    return false;
}

template <typename T>
std::vector<T> copy_back(const T *device, std::size_t count) {
    std::vector<T> host(count);
    GRIDSTAT_CHECK(
        cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

}  // namespace

int main() {
    gridstat::print_device(0);
    std::vector<float> values(kCount);
    for (int i = 0; i < kCount; ++i) values[i] = static_cast<float>(i * 37 % 1000) / 1000.0f;

    cudaStream_t stream;
    cudaEvent_t start, stop;
    GRIDSTAT_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    GRIDSTAT_CHECK(cudaEventCreate(&start));
    GRIDSTAT_CHECK(cudaEventCreate(&stop));
    cublasHandle_t blas;
    if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) {
        std::fprintf(stderr, "cublasCreate failed\n");
        return EXIT_FAILURE;
    }

    float *input = gridstat::cudaMallocHelper<float>(kCount);
    float *total = gridstat::cudaMallocHelper<float>(1);
    float *tiled = gridstat::cudaMallocHelper<float>(kCount);
    float *by_blas = gridstat::cudaMallocHelper<float>(kCount);
    unsigned *counts = gridstat::cudaMallocHelper<unsigned>(kBins);
    GRIDSTAT_CHECK(cudaMemcpyAsync(input, values.data(), kCount * sizeof(float),
                                   cudaMemcpyHostToDevice, stream));

    GRIDSTAT_CHECK(cudaEventRecord(start, stream));
    gridstat::sum(input, kCount, total, stream);
    gridstat::histogram(input, kCount, 0.0f, 1.0f, counts, kBins, stream);
    gridstat::matmul(input, input, tiled, kSide, stream);
    const cublasStatus_t status =
        gridstat::matmul_blas(blas, input, input, by_blas, kSide, stream);
    GRIDSTAT_CHECK(cudaEventRecord(stop, stream));
    GRIDSTAT_CHECK(cudaStreamSynchronize(stream));

    float wanted = 0.0f;
    std::vector<unsigned> wanted_counts(kBins);
    for (float value : values) {
        wanted += value;
        ++wanted_counts[static_cast<int>(value * kBins)];
    }
    bool good = status == CUBLAS_STATUS_SUCCESS;
    good &= near(copy_back(total, 1)[0], wanted, "sum");
    good &= copy_back(counts, kBins) == wanted_counts;
    const std::vector<float> ours = copy_back(tiled, kCount);
    const std::vector<float> theirs = copy_back(by_blas, kCount);
    for (int i = 0; i < kCount && good; ++i) good = near(ours[i], theirs[i], "matmul");

    float milliseconds = 0.0f;
    GRIDSTAT_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    std::printf("%s in %.2f ms\n", good ? "passed" : "FAILED", milliseconds);

    cublasDestroy(blas);
    for (void *memory : {static_cast<void *>(input), static_cast<void *>(total),
                         static_cast<void *>(tiled), static_cast<void *>(by_blas),
                         static_cast<void *>(counts)})
        GRIDSTAT_CHECK(cudaFree(memory));
    GRIDSTAT_CHECK(cudaEventDestroy(stop));
    GRIDSTAT_CHECK(cudaEventDestroy(start));
    GRIDSTAT_CHECK(cudaStreamDestroy(stream));
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
