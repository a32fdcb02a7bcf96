"""Row sums for PyTorch: pip install --no-build-isolation ."""

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="gridstat_torch",
    ext_modules=[
        CUDAExtension(
            name="gridstat_torch",
            sources=["binding.cpp", "row_sum.cu"],
            extra_compile_args={
                "cxx": ["-O3"],
                "nvcc": ["-O3", "--use_fast_math", "-gencode=arch=compute_80,code=sm_80"],
            },
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
