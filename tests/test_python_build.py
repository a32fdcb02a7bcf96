from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigtrans.passes import BuildContext, python_build
from sigtrans.source import Edit, Findings, Safety, Severity, SourceFile, apply

RENAMED = {
    "csrc/ops.cu": "csrc/ops.mu",
    "csrc/detail/ops_cuda.cu": "csrc/detail/ops_cuda.mu",
    "csrc/reduce.cuh": "csrc/reduce.muh",
    "ext/inner.cu": "ext/inner.mu",
}
CONTEXT = BuildContext(("mp_22", "mp_31"), "5.2", RENAMED)
HEAD = "from torch.utils.cpp_extension import CUDAExtension\n"
PORTED_HEAD = "from torch_musa.utils.musa_extension import MUSAExtension\n"


def find(text: str | bytes, path: str = "setup.py", context: BuildContext = CONTEXT) -> Findings:
    data = text if isinstance(text, bytes) else dedent(text).encode()
    return python_build.find(SourceFile(path, data), context)


def port(text: str, path: str = "setup.py", context: BuildContext = CONTEXT) -> str:
    text = dedent(text)
    return apply(text.encode(), find(text, path, context).edits).data.decode()


def codes(found: Findings) -> list[str]:
    return [d.code for d in found.diagnostics]


PORTS = {
    "all names move in place": (
        "from torch.utils.cpp_extension import CUDAExtension, BuildExtension\n"
        "x = CUDAExtension('a', [])\n",
        "from torch_musa.utils.musa_extension import MUSAExtension, BuildExtension\n"
        "x = MUSAExtension('a', [])\n",
    ),
    "what torch_musa lacks stays with torch": (
        "from torch.utils.cpp_extension import (\n"
        "    CppExtension,\n    CUDAExtension,\n    CUDA_HOME,\n)\n"
        "ok = CUDA_HOME is not None\n",
        "from torch.utils.cpp_extension import CppExtension\n"
        "from torch_musa.utils.musa_extension import MUSAExtension, MUSA_HOME\n"
        "ok = MUSA_HOME is not None\n",
    ),
    "indented, with a comment inside": (
        "try:\n    from torch.utils.cpp_extension import (\n        CppExtension,  # host\n"
        "        CUDAExtension)\nexcept ImportError:\n    CUDAExtension = None\n",
        "try:\n    # host\n    from torch.utils.cpp_extension import CppExtension\n"
        "    from torch_musa.utils.musa_extension import MUSAExtension\n"
        "except ImportError:\n    MUSAExtension = None\n",
    ),
    "two statements on one line": (
        "if 1: from torch.utils.cpp_extension import CppExtension, CUDAExtension\n",
        "if 1: from torch.utils.cpp_extension import CppExtension; "
        "from torch_musa.utils.musa_extension import MUSAExtension\n",
    ),
    "an alias is kept": (
        "from torch.utils.cpp_extension import CUDAExtension as Ext\nExt('a', [])\n",
        "from torch_musa.utils.musa_extension import MUSAExtension as Ext\nExt('a', [])\n",
    ),
    "a name with a second meaning gets an alias": (
        "from torch.utils.cpp_extension import CUDA_HOME\ndef f(CUDA_HOME): return CUDA_HOME\n",
        "from torch_musa.utils.musa_extension import MUSA_HOME as CUDA_HOME\n"
        "def f(CUDA_HOME): return CUDA_HOME\n",
    ),
    "a star import gets a companion": (
        "from torch.utils.cpp_extension import *\nx = CUDAExtension('a', [])\n",
        "from torch.utils.cpp_extension import *\n"
        "from torch_musa.utils.musa_extension import MUSAExtension\nx = MUSAExtension('a', [])\n",
    ),
    "a star import whose name cannot be taken over gets an alias": (
        "from torch.utils.cpp_extension import *\n# MUSAExtension later\nCUDAExtension('a', [])\n",
        "from torch.utils.cpp_extension import *\n"
        "from torch_musa.utils.musa_extension import MUSAExtension as CUDAExtension\n"
        "# MUSAExtension later\nCUDAExtension('a', [])\n",
    ),
    "an alias behind a tab": (
        "from torch.utils.cpp_extension import CUDAExtension as\tExt\nExt('a', [])\n",
        "from torch_musa.utils.musa_extension import MUSAExtension as Ext\nExt('a', [])\n",
    ),
    "a block that two lists leave empty": (
        HEAD + "a_nvcc_flags = ['-O3']\nb_nvcc_flags = ['-O3']\nif x:\n"
        "    a_nvcc_flags.append('--expt-relaxed-constexpr')\n"
        "    b_nvcc_flags.append('--expt-relaxed-constexpr')\n",
        PORTED_HEAD + "a_nvcc_flags = ['-O3']\nb_nvcc_flags = ['-O3']\nif x:\n    pass\n",
    ),
    "the module itself": (
        "from torch.utils import cpp_extension\ncpp_extension.CUDAExtension('a', [])\n",
        "from torch_musa.utils import musa_extension\nmusa_extension.MUSAExtension('a', [])\n",
    ),
    "the module for both": (
        "from torch.utils import cpp_extension\ncpp_extension.CUDAExtension('a', [])\n"
        "cpp_extension.CppExtension('b', [])\n",
        "from torch.utils import cpp_extension\nfrom torch_musa.utils import musa_extension\n"
        "musa_extension.MUSAExtension('a', [])\ncpp_extension.CppExtension('b', [])\n",
    ),
    "the module by its full name": (
        "import torch.utils.cpp_extension\n"
        "torch.utils.cpp_extension.CUDAExtension('a', [])\nx = torch.zeros(1)\n",
        "import torch.utils.cpp_extension\nfrom torch_musa.utils import musa_extension\n"
        "musa_extension.MUSAExtension('a', [])\nx = torch.zeros(1)\n",
    ),
    "the module under another name": (
        "import torch.utils.cpp_extension as ext\next.CUDAExtension('a', [])\n",
        "import torch_musa.utils.musa_extension as ext\next.MUSAExtension('a', [])\n",
    ),
    "load takes other keywords": (
        "from torch.utils.cpp_extension import load\n"
        "m = load('m', ['csrc/ops.cu'], extra_cuda_cflags=['--use_fast_math', '-O3'], "
        "with_cuda=True)\n",
        "from torch_musa.utils.musa_extension import load\n"
        "m = load('m', ['csrc/ops.mu'], extra_musa_cflags=['-O3'], with_musa=True)\n",
    ),
    "the key and its list": (
        HEAD + "a = {'cxx': ['-O3'], 'nvcc': ['-O3', '--expt-relaxed-constexpr']}\n",
        PORTED_HEAD + "a = {'cxx': ['-O3'], 'mcc': ['-O3']}\n",
    ),
    "the key in a subscript": (
        HEAD + "extra_compile_args = {'cxx': []}\nextra_compile_args['nvcc'] = ['-lineinfo']\n",
        PORTED_HEAD
        + "extra_compile_args = {'cxx': []}\nextra_compile_args['mcc'] = ['-gline-tables-only']\n",
    ),
    "an architecture in two words": (
        HEAD + "nvcc_flags = ['-gencode', 'arch=compute_80,code=sm_80', '-O2']\n",
        PORTED_HEAD + "nvcc_flags = ['--offload-arch=mp_22', '--offload-arch=mp_31', '-O2']\n",
    ),
    "architectures appended": (
        HEAD + "f = []\nf.append('-gencode')\nf.append('arch=compute_70,code=sm_70')\n"
        "f.append('-gencode')\nf.append('arch=compute_80,code=sm_80')\n"
        "CUDAExtension('a', [], extra_compile_args={'nvcc': f})\n",
        PORTED_HEAD + "f = []\nf.append('--offload-arch=mp_22')\n"
        "f.append('--offload-arch=mp_31')\n"
        "MUSAExtension('a', [], extra_compile_args={'mcc': f})\n",
    ),
    "a block is not left empty": (
        HEAD + "f = []\nif new:\n    f.append('--expt-relaxed-constexpr')\n"
        "CUDAExtension('a', [], extra_compile_args={'nvcc': f})\n",
        PORTED_HEAD + "f = []\nif new:\n    pass\n"
        "MUSAExtension('a', [], extra_compile_args={'mcc': f})\n",
    ),
    "through a function and its parameter": (
        HEAD + "def threads(flags):\n    return flags + ['--threads', N]\n"
        "def archs(out):\n    out += ['-gencode', f'arch=compute_{n},code=sm_{n}']\n"
        "g = []\narchs(g)\n"
        "CUDAExtension('a', [], extra_compile_args={'nvcc': threads(['-O3'] + g)})\n",
        PORTED_HEAD + "def threads(flags):\n    return flags + []\n"
        "def archs(out):\n    out += ['--offload-arch=mp_22', '--offload-arch=mp_31']\n"
        "g = []\narchs(g)\n"
        "MUSAExtension('a', [], extra_compile_args={'mcc': threads(['-O3'] + g)})\n",
    ),
    "comments in a list survive": (
        HEAD + "nvcc_flags = [\n    '-O3',\n    '--expt-relaxed-constexpr',  # for eigen\n"
        "    # '-G',\n]\n",
        PORTED_HEAD + "nvcc_flags = [\n    '-O3',\n    # for eigen\n    # '-G',\n]\n",
    ),
    "words in one string": (
        HEAD + "nvcc_flags = ['-O3 --expt-relaxed-constexpr']\n",
        PORTED_HEAD + "nvcc_flags = ['-O3']\n",
    ),
    "a computed argument of -Xcompiler": (
        HEAD + "nvcc_flags = ['-Xcompiler', '-fPIC', '-Xcompiler', flag]\n",
        PORTED_HEAD + "nvcc_flags = ['-fPIC', flag]\n",
    ),
    "quotes of both kinds": (
        HEAD + """nvcc_flags = ["-Xcompiler", '-DX="y"']\n""",
        PORTED_HEAD + """nvcc_flags = ['-DX="y"']\n""",
    ),
    "source files": (
        HEAD + "s = ['csrc/ops.cu', './csrc/ops.cu', '../../csrc/ops.cu', 'csrc/main.cpp']\n",
        PORTED_HEAD
        + "s = ['csrc/ops.mu', './csrc/ops.mu', '../../csrc/ops.mu', 'csrc/main.cpp']\n",
    ),
    "the last part of a path": (
        HEAD + "s = [os.path.join(here, 'csrc', 'ops.cu'), here / 'csrc' / 'ops.cu']\n",
        PORTED_HEAD + "s = [os.path.join(here, 'csrc', 'ops.mu'), here / 'csrc' / 'ops.mu']\n",
    ),
    "patterns and computed names": (
        HEAD + "s = glob.glob('csrc/*.cu') + [f'{n}_cuda.cu'] + list(p.rglob('*.cuh'))\n",
        PORTED_HEAD + "s = glob.glob('csrc/*.mu') + [f'{n}_cuda.mu'] + list(p.rglob('*.muh'))\n",
    ),
    "an extension that is asked for": (
        HEAD + "s = [f for f in fs if f.endswith(('.cpp', '.cu')) or ext == '.cu']\n",
        PORTED_HEAD + "s = [f for f in fs if f.endswith(('.cpp', '.mu')) or ext == '.mu']\n",
    ),
    "architecture list with a literal": (
        HEAD + "if os.environ.get('TORCH_CUDA_ARCH_LIST') is None:\n"
        "    os.environ['TORCH_CUDA_ARCH_LIST'] = '8.0;9.0+PTX'\n"
        "os.environ.setdefault('TORCH_CUDA_ARCH_LIST', '8.0')\n",
        PORTED_HEAD + "if os.environ.get('TORCH_MUSA_ARCH_LIST') is None:\n"
        "    os.environ['TORCH_MUSA_ARCH_LIST'] = '22;31'\n"
        "os.environ.setdefault('TORCH_MUSA_ARCH_LIST', '22;31')\n",
    ),
    "libraries": (
        HEAD + "CUDAExtension('a', [], libraries=['cudart', 'cublas', 'z'], "
        "extra_link_args=['-lcufft', '-arch', 'arm64'], "
        "include_dirs=['/usr/local/cuda/include', here])\n",
        PORTED_HEAD + "MUSAExtension('a', [], libraries=['musart', 'mublas', 'z'], "
        "extra_link_args=['-lmufft', '-arch', 'arm64'], "
        "include_dirs=['/usr/local/musa/include', here])\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), PORTS.values(), ids=PORTS.keys())
def test_port(before: str, after: str) -> None:
    assert port(before) == after
    ast.parse(after)
    assert find(after).edits == (), "a second run must find nothing"


SAME = {
    "comments and docstrings": (
        "# CUDAExtension 'nvcc' csrc/ops.cu\nimport setuptools\n'csrc/ops.cu'\n"
    ),
    "an extension for the host": (
        "from torch.utils.cpp_extension import BuildExtension, CppExtension\n"
        "x = CppExtension('a', ['a.cpp'])\n"
    ),
    "a lookup of another kind": (
        HEAD.replace("CUDAExtension", "CppExtension") + "v = VERSIONS['nvcc']\nd = {'nvcc': [1]}\n"
    ),
    "a file that is not renamed": "import setuptools\ns = ['csrc/other.cu']\n",
    "an extension put on a name": "import setuptools\nout = stem + '.cu'\n",
    "device strings": "import setuptools, torch\nx = torch.zeros(1, device='cuda')\n",
    "own names": ("from setuptools import setup\nclass CUDAExtension: pass\nx = CUDAExtension()\n"),
    "already MUSA": (
        "import torch_musa\nfrom torch.utils.cpp_extension import CUDAExtension\n"
        "x = CUDAExtension('a', ['csrc/ops.cu'])\n"
    ),
    "does not parse": "from torch.utils.cpp_extension import CUDAExtension\nx = [(\n",
    "one list for host and device": (
        "from torch.utils.cpp_extension import CppExtension\nf = ['-O3', '--use_fast_math']\n"
        "e = {'cxx': f}\n"
    ),
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME.keys())
def test_same(text: str) -> None:
    assert port(text) == text


SAYS = {
    "flags that are CMake's": (HEAD + "cuda_args = ['-DCMAKE_CUDA_FLAGS=x']\n", "SIG751"),
    "a name torch_musa does not have": (
        "from torch.utils.cpp_extension import CUDAExtension, _get_cuda_arch_flags\n",
        "SIG731",
    ),
    "torch.cuda decides": (HEAD + "if torch.cuda.is_available(): pass\n", "SIG740"),
    "torch's CUDA version": (HEAD + "v = torch.version.cuda\n", "SIG740"),
    "nvcc is run": (HEAD + "subprocess.check_output([CUDA_HOME + '/bin/nvcc', '-V'])\n", "SIG739"),
    "architecture list is read": (HEAD + "a = os.environ['TORCH_CUDA_ARCH_LIST']\n", "SIG737"),
    "a list where a dictionary has to be": (
        HEAD + "CUDAExtension('a', [], extra_compile_args=['-O3'])\n",
        "SIG735",
    ),
    "source in a string": (
        "from torch.utils.cpp_extension import load_inline\n"
        "m = load_inline('m', '', cuda_sources=[text])\n",
        "SIG741",
    ),
    "a flag that goes nowhere known": (HEAD + "run(['x', '-gencode'])\n", "SIG734"),
    "flags for both compilers": (
        HEAD + "f = ['--use_fast_math']\ne = {'cxx': f, 'nvcc': f}\n",
        "SIG734",
    ),
    "the module as a value": (
        "from torch.utils import cpp_extension\nf(cpp_extension)\n"
        "cpp_extension.CUDAExtension('a', [])\n",
        "SIG732",
    ),
    "from another file": ("import setuptools\nfrom helpers import CUDAExtension\n", "SIG732"),
    "a wheel with CUDA inside": (HEAD + "w = f'a-{v}+cu{c}-{abi}.whl'\n", "SIG743"),
    "a package for NVIDIA": (HEAD + "r = ['nvidia-cublas-cu12==1.0']\n", "SIG744"),
    "a setting for CMake": (HEAD + "a = ['-DCMAKE_CUDA_COMPILER=x']\n", "SIG751"),
    "a library without a twin": (HEAD + "CUDAExtension('a', [], libraries=['cudnn'])\n", "SIG719"),
    "an unknown source file": (HEAD + "s = ['gone.cu']\n", "SIG736"),
    "syntax": ("import setuptools\nx = CUDA_HOME + [(\n", "SIG752"),
    "already MUSA": ("import torch_musa\nimport setuptools\nx = 'nvcc'\n", "SIG730"),
    "torch's BuildExtension": (
        "from torch.utils.cpp_extension import BuildExtension\nfrom x import cuda_modules\n",
        "SIG731",
    ),
}


@pytest.mark.parametrize(("text", "code"), SAYS.values(), ids=SAYS.keys())
def test_says(text: str, code: str) -> None:
    assert code in codes(find(text))


def test_extensions_that_are_kept_are_an_error() -> None:
    kept = BuildContext(("mp_31",), "5.2")
    found = find(HEAD + "CUDAExtension('a', ['csrc/ops.cu'])\n", context=kept)
    assert [(d.code, d.severity) for d in found.diagnostics] == [("SIG753", Severity.ERROR)]


def test_guessed_file_names_are_for_review() -> None:
    found = find(HEAD + "s = ['csrc/ops.cu', join('x', 'ops.cu')]\n")
    safety = {e.span.start: e.safety for e in found.edits if e.rule == "python/source"}
    assert list(safety.values()) == [Safety.EXACT, Safety.REVIEW]


def test_paths_are_also_read_from_the_script_s_folder() -> None:
    assert port("import setuptools\ns = ['inner.cu']\n", "ext/setup.py").endswith("['inner.mu']\n")


ORDINARY = """
    import torch
    def f(x, device="cuda"):
        '''Move to "cuda" and call torch.cuda.'''
        # torch.cuda.synchronize()
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        y = x.cuda().to("cuda:0")
        dist.init_process_group(backend="nccl")
        assert y.is_cuda and self.use_cuda and cuda_graphs
"""


def test_an_ordinary_file_gets_one_line_for_each_kind() -> None:
    found = find(ORDINARY, "model.py")
    assert found.edits == ()
    said = {(d.rule, d.message.partition(": ")[2]) for d in found.diagnostics}
    assert said == {
        ("python/cuda-device", "may ask for a CUDA device (4 places in this file, the first here)"),
        (
            "python/torch-cuda",
            "is the CUDA side of PyTorch; MUSA devices do not answer to it "
            "(2 places in this file, the first here)",
        ),
        ("python/nccl-backend", "names the NCCL backend"),
    }


def test_the_first_place_is_where_the_diagnostic_stands() -> None:
    text = dedent(ORDINARY).encode()
    file = SourceFile("model.py", text)
    lines = {d.rule: d.line for d in file.place(find(text, "model.py").diagnostics)}
    assert lines == {"python/cuda-device": 3, "python/torch-cuda": 6, "python/nccl-backend": 9}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('S = """\n__global__ void k(float *p) { }\n"""\n', "SIG741"),
        ("S = '#include <cuda_runtime.h>\\n'\n", "SIG741"),
        ("import cupy as cp\n", "SIG748"),
        ("from numba import cuda\n", "SIG748"),
        ("lib = CDLL('libcudart.so.12')\n", "SIG738"),
        ("lib.cudaMalloc(p, 1)\n", "SIG747"),
        ("f = getattr(lib, 'ncclAllReduce')\n", "SIG747"),
        ("os.environ['CUDA_VISIBLE_DEVICES'] = '0'\n", "SIG742"),
        ("p = '/usr/local/cuda/bin'\n", "SIG742"),
        ("src = root / 'ops.cu'\n", "SIG736"),
        ("run('nvcc -O3 x.cu')\n", "SIG736"),
        ("cmd = ['nvcc', '-gencode']\n", "SIG734"),
    ],
)
def test_an_ordinary_file_says(text: str, code: str) -> None:
    assert code in codes(find(text, "tool.py"))


@pytest.mark.parametrize(
    "text",
    [
        "is_cuda_build = True\n",
        "def cuda_version(): return 1\n",
        "print('this needs a cuda device')\n",
        "accumulate(documents)\nx = 'bare.cue'\n",
        "#'''\nx = 1 # torch.cuda.f()\n",
    ],
)
def test_an_ordinary_file_says_nothing(text: str) -> None:
    assert find(text, "tool.py") == Findings()


def test_manifest() -> None:
    before = (
        "include README.md\nrecursive-include csrc *.cu *.cuh *.h\n# *.cu\ninclude csrc/ops.cu\n"
        "recursive-include other *.cup\n"
    )
    after = (
        "include README.md\nrecursive-include csrc *.mu *.muh *.h\n# *.cu\ninclude csrc/ops.mu\n"
        "recursive-include other *.cup\n"
    )
    assert port(before, "MANIFEST.in") == after
    assert port(after, "MANIFEST.in") == after


def test_pyproject() -> None:
    text = """
        [build-system]
        requires = ["setuptools", "torch>=2.1"]  # torch
        [project]
        name = "torch"
        keywords = ["cuda"]
        dependencies = [
            "torch==2.1.0+cu121",
            "nvidia-cublas-cu12",
            "torchvision",
        ]
        [tool.scikit-build.cmake.define]
        CMAKE_CUDA_ARCHITECTURES = "80"
    """
    data = dedent(text).encode()
    found = find(data, "pyproject.toml")
    assert found.edits == ()
    placed = SourceFile("pyproject.toml", data).place(found.diagnostics)
    assert [(d.line, d.code) for d in placed] == [
        (3, "SIG744"),
        (8, "SIG744"),
        (9, "SIG744"),
        (13, "SIG750"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[build-system]\nrequires = [\n  "numpy==1.26",\n  "torch",\n]\n', ["SIG744"]),
        ('[build-system] # pep\nrequires = ["torch"]\n', ["SIG744"]),
        ('[tool.black]\na = 1\n[project] # x\ndescription = "CUDA kernels"\n', []),
        ('[tool.sigtrans]\nexclude = ["csrc/cuda/"]\n', []),
    ],
)
def test_pyproject_tables_and_keys(text: str, expected: list[str]) -> None:
    assert codes(find(text, "pyproject.toml")) == expected


def test_a_call_that_moved_is_no_leftover() -> None:
    found = find(
        "from torch.utils import cpp_extension\n"
        "m = cpp_extension.load(name='x', sources=['csrc/ops.cu'], with_cuda=True)\n"
    )
    assert codes(found) == []


def test_a_script_in_another_encoding_keeps_its_bytes() -> None:
    before = (
        "# coding: gbk\nfrom torch.utils.cpp_extension import (\n    CUDAExtension,  # 中文\n"
        "    CppExtension)\nCUDAExtension('a', ['csrc/ops.cu'])\n"
    ).encode("gbk")
    after = apply(before, find(before).edits).data
    assert after.decode("gbk") == (
        "# coding: gbk\n# 中文\nfrom torch.utils.cpp_extension import CppExtension\n"
        "from torch_musa.utils.musa_extension import MUSAExtension\n"
        "MUSAExtension('a', ['csrc/ops.mu'])\n"
    )


def test_a_command_with_a_file_that_keeps_its_name_is_still_a_command() -> None:
    kept = BuildContext(("mp_31",), "5.2", {})
    assert "SIG739" in codes(find("import os\nos.system('nvcc -c k.cu')\n", context=kept))


def test_bytes_around_edits_stay() -> None:
    before = (
        b"\xef\xbb\xbf" + HEAD.encode().replace(b"\n", b"\r\n") + b"s = ['csrc/ops.cu']  # \xb4\xf3"
    )
    after = apply(before, find(before).edits).data
    assert after == (
        b"\xef\xbb\xbf"
        + PORTED_HEAD.encode().replace(b"\n", b"\r\n")
        + b"s = ['csrc/ops.mu']  # \xb4\xf3"
    )


def test_split_imports_keep_the_file_s_newlines() -> None:
    before = "from torch.utils.cpp_extension import CppExtension, CUDAExtension\r\nx = 1\r\n"
    after = apply(before.encode(), find(before.encode()).edits).data
    assert after.count(b"\r\n") == after.count(b"\n") == 3


SNIPPETS = [before for before, _ in PORTS.values()] + list(SAME.values())
PIECES = st.lists(
    st.sampled_from(
        [*SNIPPETS, "'", '"""', "(", "]", "\\\n", "\r", "#", "if x:\n", "    ", "\x00"]
    ),
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(PIECES, st.integers(0, 400), st.binary(max_size=3))
def test_laws(pieces: list[str], at: int, noise: bytes) -> None:
    """Any input: never raises, no edit is refused, and the second run edits nothing."""
    data = "".join(pieces).encode()
    data = data[:at] + noise + data[at:]
    found = find(data)
    once = apply(data, found.edits)
    assert once.refused == ()
    for diagnostic in found.diagnostics:
        assert diagnostic.span.end <= len(data)
    if _parses(data):
        assert _parses(once.data), once.data
    assert find(once.data).edits == (), once.data


def _parses(data: bytes) -> bool:
    try:
        ast.parse(data)
    except (SyntaxError, ValueError):
        return False
    return True


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    for path in ("setup.py", "a.py", "pyproject.toml", "MANIFEST.in"):
        found = find(b"cuda " + data, path)
        assert apply(b"cuda " + data, found.edits).refused == ()


def test_edits_name_their_rule() -> None:
    edits: tuple[Edit, ...] = find(PORTS["libraries"][0]).edits
    assert {e.rule for e in edits} == {
        "python/import",
        "python/library",
        "python/flags",
        "python/folder",
    }
