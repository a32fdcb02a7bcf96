#include <torch/extension.h>

torch::Tensor row_sum_cuda(const torch::Tensor &input);

torch::Tensor row_sum(const torch::Tensor &input) {
    TORCH_CHECK(input.is_cuda(), "row_sum: input must be a CUDA tensor");
    TORCH_CHECK(input.dim() == 2 && input.scalar_type() == torch::kFloat,
                "row_sum: input must be a float matrix");
    return row_sum_cuda(input.contiguous());
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("row_sum", &row_sum, "Sum of every row (CUDA)");
}
