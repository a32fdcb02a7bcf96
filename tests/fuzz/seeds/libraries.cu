#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <curand_kernel.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <nccl.h>
#include <nvToolsExt.h>
#include <nvml.h>
#include <thrust/device_vector.h>
#include <thrust/transform_reduce.h>
#include <cub/block/block_reduce.cuh>

__global__ void setup(curandState *state, unsigned long long seed)
{
    curand_init(seed, threadIdx.x, 0, &state[threadIdx.x]);
    using Reduce = cub::BlockReduce<float, 128>;
    __shared__ typename Reduce::TempStorage storage;
    float sum = Reduce(storage).Sum(curand_uniform(&state[threadIdx.x]));
    if (!threadIdx.x) printf("%f", sum);
}

int gemm(cublasHandle_t handle, int m, const float *a, const float *b, float *c, ncclComm_t comm)
{
    const float one = 1.f, zero = 0.f;
    cublasStatus_t s = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, m, m, &one, a, m, b, m, &zero, c, m);
    if (s != CUBLAS_STATUS_SUCCESS) return 1;
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, m, m, &one, a, CUDA_R_16F, m, b, CUDA_R_16F, m, &zero, c,
                 CUDA_R_32F, m, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
    cufftHandle plan;
    cufftPlan1d(&plan, m, CUFFT_C2C, 1);
    cufftExecC2C(plan, (cufftComplex *)a, (cufftComplex *)c, CUFFT_FORWARD);
    ncclAllReduce(a, c, m, ncclFloat, ncclSum, comm, 0);
    nvtxRangePushA("gemm"); nvtxRangePop();
    nvmlInit_v2();
    thrust::device_vector<float> v(m);
    cusparseHandle_t sparse; cusparseCreate(&sparse);
    cusolverDnHandle_t dn; cusolverDnCreate(&dn);
    return thrust::reduce(thrust::device, v.begin(), v.end()) > 0;
}
