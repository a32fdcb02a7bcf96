#include <cuda_fp8.h>
#include <mma.h>
#include <cuda/std/atomic>
#include <cuda/barrier>
using namespace nvcuda;
using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ __forceinline__ unsigned lane() { unsigned r; asm volatile("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }

__device__ void copy16(void *dst, const void *src)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"((unsigned)__cvta_generic_to_shared(dst)), "l"(src));
#endif
}

__global__ void mma_kernel(const half *a, const half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    unsigned ballot = __ballot_sync(__activemask(), lane() & 1);
    if (__popc(ballot) > 3 && __any_sync(~0u, threadIdx.x < warpSize)) __nanosleep(20);
    __nv_fp8_e4m3 x(c[0]);
    __half2 h = __floats2half2_rn(1.f, 2.f);
    c[1] = __half2float(__low2half(h)) + atomicAdd_system(c, float(x));
}

void launch(void **args) { cudaLaunchCooperativeKernel((void *)mma_kernel, 1, 32, args); }
