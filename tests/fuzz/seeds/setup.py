import os
import torch
from setuptools import find_packages, setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CUDAExtension, CppExtension

ARCHS = os.getenv("TORCH_CUDA_ARCH_LIST", "7.0;8.0+PTX")
nvcc_flags = ["-O3", "--use_fast_math", "-U__CUDA_NO_HALF_OPERATORS__", "-gencode", "arch=compute_80,code=sm_80"]
if torch.cuda.is_available() and CUDA_HOME is not None:
    cc = torch.cuda.get_device_capability(0)
    nvcc_flags += [f"-gencode=arch=compute_{cc[0]}{cc[1]},code=sm_{cc[0]}{cc[1]}"]
ext = [
    CUDAExtension(
        name="demo._C",
        sources=["csrc/binding.cpp", "reduce.cu", 'tensor.cu'],
        libraries=["cublas", "cudart"],
        include_dirs=[os.path.join(CUDA_HOME or "", "include")],
        extra_compile_args={"cxx": ["-O3"], "nvcc": nvcc_flags},
    )
]
setup(name="demo", packages=find_packages(), ext_modules=ext, cmdclass={"build_ext": BuildExtension})
