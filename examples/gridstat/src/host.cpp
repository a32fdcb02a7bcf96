// The parts that need no device compiler: cuBLAS, and what the runtime says about the card.
#include <gridstat/check.h>
#include <gridstat/gridstat.h>

namespace gridstat {

cublasStatus_t matmul_blas(cublasHandle_t blas, const float *a, const float *b, float *c, int n,
                           cudaStream_t stream) {
    const cublasStatus_t status = cublasSetStream(blas, stream);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    const float one = 1.0f;
    const float zero = 0.0f;
    // cublasSgemm is column-major, we are not: c' = b' * a'.
    return cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n);
}

namespace {

// `cudaError` is a parameter here, not the enumeration.
const char *describe(cudaError_t cudaError) {
    return cudaError == cudaSuccess ? "ready" : cudaGetErrorName(cudaError);
}

}  // namespace

void print_device(int device) {
    cudaDeviceProp properties;
    const cudaError_t found = cudaGetDeviceProperties(&properties, device);
    int version = 0;
    GRIDSTAT_CHECK(cudaRuntimeGetVersion(&version));
    std::printf("cudaGetDeviceProperties(%d): %s, %d processors, runtime %d, %s\n", device,
                found == cudaSuccess ? properties.name : "no device",
                found == cudaSuccess ? properties.multiProcessorCount : 0, version,
                describe(found));
}

}  // namespace gridstat
