#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

namespace {

// One warp a row.
__global__ void row_sum_kernel(const float *input, float *output, int rows, int columns) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float total = 0.0f;
    for (int column = threadIdx.x; column < columns; column += warpSize)
        total += input[static_cast<long long>(row) * columns + column];
    for (int offset = 16; offset > 0; offset /= 2)
        total += __shfl_down_sync(0xffffffffu, total, offset);
    if (threadIdx.x == 0) output[row] = total;
}

}  // namespace

torch::Tensor row_sum_cuda(const torch::Tensor &input) {
    const at::cuda::CUDAGuard guard(input.device());
    torch::Tensor output = torch::empty({input.size(0)}, input.options());
    const int rows = static_cast<int>(input.size(0));
    if (rows == 0) return output;
    const dim3 block(32, 4);
    const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
    row_sum_kernel<<<(rows + 3) / 4, block, 0, stream>>>(
        input.data_ptr<float>(), output.data_ptr<float>(), rows,
        static_cast<int>(input.size(1)));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return output;
}
