"""One piece of text repeated for 40 KB: time must not grow with the square of the length."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest
from checks import find_faults

from sigtrans.plan import Settings

_SIZE = 40_000
_CODE = b'#include <cuda_runtime.h>\nint x = cudaSuccess;\nconst char *s = ".so .ptx";\n'
_BEFORE = {
    "a.cu": _CODE,
    "CMakeLists.txt": b"project(a CUDA)\n",
    "Makefile": b"NVCC=nvcc\nall:\n\tnvcc a.cu\n",
    "setup.py": b"from torch.utils.cpp_extension import CUDAExtension\nimport torch\n",
    "build.sh": b"nvcc a.cu\n",
}
_PIECES: dict[str, tuple[bytes, ...]] = {
    "a.cu": (
        b"a", b"_", b".", b"/", b"cu", b" ", b"\\\n", b"(", b"/*", b'"', b'R"(', b"template <",
        b"namespace a {", b"cudaMalloc(", b"cudaFoo ", b"#if A\n", b"#define A \\\n", b"a##cuda",
        b"__has_include(<", b'#include "a.cuh"\n', b'dlsym(h, "cudaMalloc")', b"<<<", b"\xff",
        b"struct A { int cudaMalloc(int); };\n", b"int cudaMalloc(int);\n", b"asm(", b'a.ptx"',
        b"// sigtrans: off\n", b"#ifdef USE_MUSA\n", b"using namespace cuda;\n", b"cuda::",
    ),
    "CMakeLists.txt": (
        b" ", b"\n", b"\r", b"(", b"${", b"$<", b"[", b'"', b"#", b"\\\n", b";",
        b"if(CUDA_FOUND)\n", b'set(CMAKE_CUDA_FLAGS "-O3")\n',
        b"target_compile_options(a PRIVATE -arch=sm_80)\n",
    ),
    "Makefile": (
        b" ", b"\n", b"\\\n", b"$(", b"nvcc ", b"a: b\n\tnvcc c.cu\n", b"ifdef CUDA\n", b"a.cu ",
        b"-gencode arch=compute_80,code=sm_80 ",
    ),
    "setup.py": (
        b" ", b"\n", b"\\\n", b"(", b"[", b'"""', b'f"{', b"torch.cuda.x ", b'"cuda" ', b'"a" + ',
        b"-gencode arch=compute_80,code=sm_80 ",
    ),
    "build.sh": (b"nvcc ", b"$(", b"`", b"\\\n", b"-gencode arch=compute_80,code=sm_80 "),
}  # fmt: skip


@pytest.mark.parametrize("name", _PIECES)
def test_repeated_text(name: str, tmp_path: Path) -> None:
    with mock.patch("checks.LIMIT", 6.0):  # CPU seconds for one stage; all take well under one
        for number, piece in enumerate(_PIECES[name]):
            data = _BEFORE[name] + piece * (_SIZE // len(piece))
            scratch = tmp_path / str(number)
            faults, _ = find_faults({name: data}, Settings(jobs=1), scratch)
            assert faults == [], piece
