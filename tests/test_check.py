"""The semantic check: libclang over our own declarations, on small ports written for it."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest
from porting import write_tree

from sigtrans import check, semantics, store, surface
from sigtrans.check import Checked, Request, check_tree
from sigtrans.cli import main
from sigtrans.config import Config
from sigtrans.discover import find_files
from sigtrans.judge import Judge
from sigtrans.names import load
from sigtrans.plan import Settings
from sigtrans.port import port_copy
from sigtrans.sdk import Mcc, Sdk
from sigtrans.semantics import Fault, Reading, Unit
from sigtrans.units import Sources

ROOT = Path(__file__).resolve().parent.parent
KERNEL = "#include <musa_runtime.h>\n"
TABLE = load()


@pytest.fixture(autouse=True)
def no_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MUSA_PATH", "MUSA_HOME", "MUSA_INSTALL_PATH"):
        monkeypatch.delenv(name, raising=False)


def run(folder: Path, files: Mapping[str, str] | str, request: Request | None = None) -> Checked:
    """Check one kernel file, or several files."""
    if isinstance(files, str):
        files = {"a.mu": files}
    write_tree(folder, files)
    return check_tree(folder, TABLE, Config(), request or Request(jobs=1))


def said(checked: Checked) -> list[str]:
    return [
        f"{file.path}:{d.line}:{d.column} {d.code} {d.message}"
        for file in checked.plan.files
        for d in file.diagnostics
    ]


# --- what is found --------------------------------------------------------------------------------

FOUND = {
    "unknown-name": (
        "void f(void *p) { musaFreee(p); }",
        ["a.mu:2:19 SIG810 'musaFreee' is declared by no MUSA header known here"],
    ),
    "unknown-type": (
        "void f(musaStreem_t s);",
        ["a.mu:2:8 SIG810 'musaStreem_t' is declared by no MUSA header known here"],
    ),
    "cuda-left": (
        "void f(void *p) { cudaFree(p); }",
        ["a.mu:2:19 SIG814 'cudaFree' is a name of CUDA"],
    ),
    "too-few": (
        "void f(void *p) { musaMemset(p, 0); }",
        ["a.mu:2:19 SIG811 'musaMemset' takes 3 arguments, and 2 are given"],
    ),
    "too-few-overloaded": (
        "void f(void *p) { musaMalloc(&p); }",
        ["a.mu:2:19 SIG811 'musaMalloc' takes 2 arguments, and 1 is given"],
    ),
    "wrong-type": (
        "void f(musaEvent_t e) { musaStreamSynchronize(e); }",
        [
            "a.mu:2:25 SIG812 'musaStreamSynchronize': the 1st argument is 'musaEvent_t'"
            " (aka 'MUevent_st *'), and 'musaStream_t' (aka 'MUstream_st *') is wanted"
        ],
    ),
    "launch-count": (
        "__global__ void k(int *p, int n);\nvoid f(int *p) { k<<<1, 32>>>(p); }",
        ["a.mu:3:32 SIG811 'k' takes 2 arguments, and 1 is given"],
    ),
    "launch-type": (
        "__global__ void k(int *p);\nvoid f(float *p) { k<<<1, 32>>>(p); }",
        ["a.mu:3:33 SIG812 a parameter of type 'int *' is given a value of type 'float *'"],
    ),
    "launch-stream": (
        "__global__ void k();\nvoid f(int s) { k<<<1, 32, 0, s>>>(); }",
        [
            "a.mu:3:31 SIG812 a parameter of type 'struct MUstream_st *' is given"
            " a value of type 'int'"
        ],
    ),
    "header-left": (
        "#include <cuda/pipeline>\nint x;",
        ["a.mu:2:10 SIG814 <cuda/pipeline> is a header of CUDA without a MUSA one"],
    ),
    "absent-name": (
        "void f() { cublasDgetrfBatched(0, 0, 0, 0, 0, 0, 0); }",
        ["a.mu:2:12 SIG814 'cublasDgetrfBatched' is a name of CUDA"],
    ),
    "missing-header": (
        "mublasHandle_t h;",
        ["a.mu:2:1 SIG813 'mublasHandle_t' is used without its header"],
    ),
    "host-call-in-kernel": (
        "void h();\n__global__ void k() { h(); }",
        ["a.mu:3:23 SIG816 no matching function for call to 'h'"],
    ),
    "launch-with-spaces": (
        "__global__ void k();\nvoid f() { k<< <1, 1>> >(); }",
        ["a.mu:3:16 SIG816 expected expression (and 2 more here)"],
    ),
    "device-branch": (
        "__device__ void f(int *p) {\n#if __MUSA_ARCH__ >= 220\n  musaSync(p);\n#endif\n}",
        ["a.mu:4:3 SIG810 'musaSync' is declared by no MUSA header known here"],
    ),
    "said-once": (
        "void f() { helper(); helper(); helper(); }",
        ["a.mu:2:12 SIG816 use of undeclared identifier 'helper' (and 2 more here)"],
    ),
}


@pytest.mark.parametrize(("code", "expected"), FOUND.values(), ids=FOUND)
def test_what_is_wrong_is_found_at_its_place(
    tmp_path: Path, code: str, expected: list[str]
) -> None:
    assert said(run(tmp_path, KERNEL + code)) == expected


# --- what is left alone ---------------------------------------------------------------------------

CLEAN = {
    "launch": "__global__ void k(int *p) { p[threadIdx.x + blockIdx.x * blockDim.x] = warpSize; }\n"
    "void f(int *p, musaStream_t s) { k<<<dim3(4), 32>>>(p); k<<<4, dim3(8, 8), 16, s>>>(p); }",
    "template-kernel": "template <class T, int N> __global__ void k(T *p) { p[N] = T(1); }\n"
    "template <class T> void g(T *p) { k<T, 4><<<1, N_>>>(p); }\n".replace("N_", "32")
    + "void f(float *p) { g(p); }",
    "shared": "__global__ void k(float *o) { extern __shared__ float s[]; __shared__ int t[32];\n"
    "  t[threadIdx.x] = 1; __syncthreads(); o[0] = s[0] + t[0]; }",
    "constant": "__constant__ float c[16];\n"
    "void f(const float *p) { musaMemcpyToSymbol(c, p, sizeof c); }",
    "warp": "__global__ void k(float *p) { float v = *p;\n"
    "  for (int m = 16; m; m /= 2) v += __shfl_xor_sync(0xffffffffu, v, m, 32);\n"
    "  if (__ballot_sync(0xffffffffu, v > 0)) atomicAdd(p, v); __syncwarp(); }",
    "math": "__global__ void k(float *p, double *q) { *p = sqrtf(*p) + __expf(*p) + fmaxf(*p, 1);\n"
    "  *q = sqrt(*q) + pow(*q, 2.0) + std::fabs(*q) + fma(*q, *q, *q) + min(1, 2) + rsqrt(*q); }",
    "vectors": "__device__ float4 f(float4 v) { return make_float4(v.x, v.y, 0, v.w); }\n"
    'static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && sizeof(float3) == 12, "");',
    "half": "#include <musa_fp16.h>\n#include <musa_bf16.h>\n"
    "__global__ void k(half *h, __half2 *v, __mt_bfloat16 *b) {\n"
    "  *h = __hadd(*h, __float2half(1.0f)) * *h; *v = __hfma2(*v, *v, *v) + *v;\n"
    "  *b = __float2bfloat16(float(*b) + __half2float(*h)); if (*h > __half(0)) *h += *h; }",
    "printf": "#include <cstdio>\n#include <cassert>\n"
    '__global__ void k(int *p) { assert(p); printf("%d\\n", *p);'
    " int *q = new int[4]; delete[] q; }",
    "texture": "texture<float, 2, musaReadModeElementType> t;\n"
    "__global__ void k(float *p, musaTextureObject_t o) {\n"
    "  *p = tex2D(t, 1.0f, 2.0f) + tex1Dfetch<float>(o, 3); }",
    "groups": "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
    "__global__ void k(int *p) { auto b = cg::this_thread_block();\n"
    "  auto w = cg::tiled_partition<32>(b); *p = w.shfl_down(*p, 1); b.sync(); }",
    "wmma": "#include <mma.h>\nusing namespace mtmusa;\n"
    "__global__ void k(half *a, half *b, float *c) {\n"
    "  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;\n"
    "  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;\n"
    "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z; wmma::fill_fragment(z, 0.0f);\n"
    "  wmma::load_matrix_sync(x, a, 16); wmma::load_matrix_sync(y, b, 16);\n"
    "  wmma::mma_sync(z, x, y, z); wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major); }",
    "libraries": "#include <mublas.h>\n#include <mufft.h>\n#include <murand_kernel.h>\n"
    "void f(mublasHandle_t h, float *p, mufftHandle q) { float one = 1;\n"
    "  mublasSgemm(h, MUBLAS_OP_N, MUBLAS_OP_T, 1, 1, 1, &one, p, 1, p, 1, &one, p, 1);\n"
    "  mufftExecC2C(q, (mufftComplex *)p, (mufftComplex *)p, MUFFT_FORWARD); }\n"
    "__global__ void k(murandState *s, float *p) {\n"
    "  murand_init(1, 2, 3, s); *p = murand_uniform(s); }",
    "thrust": "#include <thrust/device_vector.h>\n#include <thrust/sort.h>\n"
    "#include <thrust/reduce.h>\n#include <thrust/iterator/zip_iterator.h>\n"
    "float f(musaStream_t s) {\n"
    "  thrust::host_vector<float> h(8); thrust::device_vector<float> d = h;\n"
    "  thrust::sort(thrust::musa::par.on(s), d.begin(), d.end(), thrust::greater<float>());\n"
    "  auto z = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), d.begin()));\n"
    "  float *p = thrust::raw_pointer_cast(&d[0]); d[0] = *p + float(d[1]); (void)z;\n"
    "  thrust::copy(d.begin(), d.end(), h.begin());\n"
    "  return thrust::reduce(d.begin(), d.end(), 0.0f, thrust::plus<float>()) + h[0]; }",
    "noinline": "#include <memory>\n__device__ __noinline__ int f() { return 1; }",
    "placement": "struct S { int x; };\n__global__ void k(void *p) { new (p) S; }",
    "lambda": "template <class F> __global__ void k(F f) { f(threadIdx.x); }\n"
    "void f(int *p) { k<<<1, 1>>>([=] __device__(int i) { p[i] = i; }); }",
    "both-forms": "void f(musaGraphExec_t *e, musaGraph_t g) { musaGraphInstantiate(e, g, 0);\n"
    "  musaGraphInstantiate(e, g, nullptr, nullptr, 0); }",
    "device-branch": "__global__ void k(float *p) {\n#ifdef __MUSA_ARCH__\n"
    "  *p = rsqrtf(*p) + std::max(1.0f, *p);\n#else\n  (void)p;\n#endif\n}",
    "launch-in-kernel": "template <int N> __global__ void k(int *p, int n) {\n"
    "#ifdef __MUSA_ARCH__\n  if (n) k<N><<<1, 32, 4>>>(p, n - 1);\n#endif\n}\n"
    "void f(int *p) { k<4><<<1, 32>>>(p, 3); }",
    "bounds": "__global__ void __launch_bounds__(256, 2) k(int *__restrict__ p) { *p = 0; }",
    "comment": '// cudaFree(p)\nconst char *s = "cudaFree";',
    "standard": "#include <span>\n#include <vector>\nint f(std::vector<int> &v) {"
    " return std::span<int>(v).size(); }",
    "old-standard": "int f() { register int i = 0; return i; }",
    "user-shadow": "struct Pool { void musaFreeAll(); };\nvoid f(Pool &p) { p.musaFreeAll(); }",
}


@pytest.mark.parametrize("code", CLEAN.values(), ids=CLEAN)
def test_good_code_is_left_alone(tmp_path: Path, code: str) -> None:
    checked = run(tmp_path, KERNEL + code)
    assert said(checked) == []
    assert checked.units == 1


def test_the_form_of_muSPARSE_is_MUSAs_own(tmp_path: Path) -> None:
    code = (
        "#include <musparse.h>\nvoid f(musparseHandle_t h, musparseSpMatDescr_t a,"
        " musparseDnMatDescr_t b, const void *one, size_t *n, void *w) {\n"
        "  musparseSpMM(h, MUSPARSE_OPERATION_NON_TRANSPOSE, MUSPARSE_OPERATION_NON_TRANSPOSE, one,"
        " a, b, one, b, MUSA_R_32F, MUSPARSE_SPMM_ALG_DEFAULT, REST);\n}"
    )
    good = code.replace("REST", "MUSPARSE_SPMM_STAGE_COMPUTE, n, w")
    assert said(run(tmp_path / "new", {"a.cpp": good})) == []
    (line,) = said(run(tmp_path / "old", {"a.cpp": code.replace("REST", "w")}))
    assert "SIG811 'musparseSpMM' takes 13 arguments, and 11 are given" in line


# --- units and includes ---------------------------------------------------------------------------


def test_project_headers_are_found_beside_and_by_guess(tmp_path: Path) -> None:
    files = {
        "src/a.mu": KERNEL + '#include "near.h"\n#include <proj/far.h>\nint x = NEAR + FAR;',
        "src/near.h": "#define NEAR 1\n",
        "include/proj/far.h": "#define FAR 2\n",
    }
    assert said(run(tmp_path, files)) == []


def test_of_two_headers_the_shared_one_is_taken(tmp_path: Path) -> None:
    files = {
        "apps/a/a.mu": KERNEL + "#include <util.h>\nint x = SHARED;",
        "apps/b/util.h": "#define PRIVATE 1\n",
        "apps/b/b.mu": KERNEL + '#include "util.h"\nint y = PRIVATE;',
        "common/util.h": "#define SHARED 1\n",
    }
    assert said(run(tmp_path, files)) == []


def test_a_header_outside_the_tree_comes_by_option(tmp_path: Path) -> None:
    write_tree(tmp_path / "other", {"deep/z.h": "inline int z() { return 1; }\n"})
    code = KERNEL + "#include <z.h>\nint x = z();"
    tree = tmp_path / "tree"
    (line,) = said(run(tree, code))
    assert line.startswith("a.mu:2:10 SIG815 include not found: z.h")
    request = Request(includes=(tmp_path / "other" / "deep",), jobs=1)
    assert said(run(tree, code, request)) == []


def test_a_database_of_the_source_tree_serves_its_port(tmp_path: Path) -> None:
    source = write_tree(
        tmp_path / "src",
        {
            "a.cu": '#include <cuda_runtime.h>\n#include "gen.h"\nint x = A + GEN;\n',
            "conf/gen.h": "#define GEN 1\n",
            "other/gen.h": "#error not this one\n",
        },
    )
    database = tmp_path / "compile_commands.json"
    command = f"nvcc -DA=1 -I{source}/conf -c {source}/a.cu"
    database.write_text(
        json.dumps([{"directory": str(source), "file": "a.cu", "command": command}])
    )
    port_copy(source, tmp_path / "out", Settings(jobs=1))
    request = Request(compile_commands=database, jobs=1)
    assert said(check_tree(tmp_path / "out", TABLE, Config(), request)) == []
    assert said(check_tree(tmp_path / "out", TABLE, Config(), Request(jobs=1))) != []


def test_what_follows_from_a_hole_is_no_finding(tmp_path: Path) -> None:
    code = (
        KERNEL
        + "#include <opencv2/core.hpp>\n"
        + "cv::Mat make(); MUSAStream s; void g() { MUSA_CHECK(muTable()); }\nvoid f(void *p) {\n"
        + "  cv::Mat m = make(); show(m);\n"
        + "  musaMemset(p, 0);\n  cudaFree(p);\n  musaFreee(p);\n}"
    )
    lines = said(run(tmp_path, code))
    assert [line.split()[:2] for line in lines] == [
        ["a.mu:2:10", "SIG815"],
        ["a.mu:6:3", "SIG811"],
        ["a.mu:7:3", "SIG814"],
        ["a.mu:8:3", "SIG810"],
    ]


def test_a_known_header_without_declarations_is_a_hole(tmp_path: Path) -> None:
    lines = said(run(tmp_path, KERNEL + "#include <mudnn.h>\nmudnnHandle_t h;"))
    assert [line.split()[1] for line in lines] == ["SIG815"]


def test_a_name_behind_a_guard_of_CUDA_says_so(tmp_path: Path) -> None:
    files = {
        "a.mu": KERNEL + '#include "h.h"\n#include "a.h"\nvoid f() { help(); }',
        "h.h": "#ifdef CUBLAS_V2_H_\n#if 1\nvoid help();\n#endif\n#endif\nvoid other();\n",
        "a.h": "#ifdef CUFFT_H_\n#endif\n// help\n",
    }
    (line,) = said(run(tmp_path, files))
    assert line.startswith("a.mu:4:12 SIG816 'help' is not declared: h.h has it behind")
    assert "CUBLAS_V2_H_" in line


def test_an_include_that_the_port_renamed(tmp_path: Path) -> None:
    files = {"a.mu": KERNEL + '#include "gone/k.cuh"\n', "b/k.muh": "\n"}
    assert said(run(tmp_path, files)) == [
        "a.mu:2:10 SIG813 gone/k.cuh is called k.muh in this tree"
    ]


def test_units_are_what_a_build_compiles(tmp_path: Path) -> None:
    files = {
        "main.mu": KERNEL + '#include "part.mu"\nint x = part;',
        "part.mu": "int part = HERE;\n".replace("HERE", "1"),
        "plain.cpp": "int y = undeclared;\n",
        "host.c": "#include <musa_runtime.h>\nint f(void **p) { return musaMalloc(p, 4); }\n",
        "alone.muh": "musaStream_t s;\n",
    }
    checked = run(tmp_path, files)
    assert (
        checked.units == 2
    )  # not what another file includes, nor what has nothing to do with MUSA
    assert checked.alone == 1
    assert said(checked) == []


def test_a_fault_in_a_header_is_said_once_at_the_header(tmp_path: Path) -> None:
    files = {
        "a.mu": KERNEL + '#include "h.muh"\n',
        "b.mu": KERNEL + '#include "h.muh"\n',
        "h.muh": "inline void f(void *p) { musaFreee(p); }\n",
    }
    assert said(run(tmp_path, files)) == [
        "h.muh:1:26 SIG810 'musaFreee' is declared by no MUSA header known here"
    ]


def test_configuration_silences_a_code(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.mu": KERNEL + "void f(void *p) { musaFreee(p); }"})
    config = Config(severity=(("SIG810", None),))
    checked = check_tree(tmp_path, TABLE, config, Request(jobs=1))
    assert said(checked) == []
    assert checked.plan.files[0].silenced == 1


def test_names_of_the_users_own_rules_are_not_denied(tmp_path: Path) -> None:
    row = (b"cudaOurs", b"musaOurs", b"function", b"seen", b"", b"us", b"")
    write_tree(tmp_path, {"a.mu": KERNEL + "void f() { musaOurs(); }"})
    checked = check_tree(tmp_path, load((), [("ours", row)]), Config(), Request(jobs=1))
    assert said(checked) == []


def test_the_example_has_one_open_item_its_stop(tmp_path: Path) -> None:
    port_copy(ROOT / "examples" / "gridstat", tmp_path / "out", Settings(jobs=1))
    checked = check_tree(tmp_path / "out", TABLE, Config(), Request(jobs=1))
    assert checked.units >= 5
    lines = [line for line in said(checked) if line.split()[1] != "SIG815"]
    assert [line.split()[1] for line in lines] == ["SIG818"]
    assert "%smid" in lines[0]


# --- what the port said already -------------------------------------------------------------------


def run_ported(folder: Path, files: Mapping[str, str]) -> Checked:
    """Port a tree, and check the port."""
    source = write_tree(folder / "src", files)
    port_copy(source, folder / "out", Settings(jobs=1))
    return check_tree(folder / "out", TABLE, Config(), Request(jobs=1))


CUDA = "#include <cuda_runtime.h>\n"
STOP = (
    "#if defined(__MUSA_ARCH__)\n"
    '#error "sigtrans SIG401: decide for MUSA: __CUDA_ARCH__ == 800"\n'
    "#elif __CUDA_ARCH__ == 800\n#define BLOCKS 2\n#else\n#define BLOCKS 1\n#endif\n"
)


def test_a_stop_of_the_port_is_said_once_and_what_lies_behind_it_is_checked(tmp_path: Path) -> None:
    use = '#include "h.h"\n__global__ void NAME(int *p) { *p = BLOCKS + other; }\n'
    files = {
        "h.h": STOP,
        "a.mu": KERNEL + use.replace("NAME", "a"),
        "b.mu": KERNEL + use.replace("NAME", "b"),
    }
    checked = run(tmp_path, files)
    assert said(checked) == [
        "a.mu:3:43 SIG816 use of undeclared identifier 'other'",
        "b.mu:3:43 SIG816 use of undeclared identifier 'other'",
        "h.h:2:2 SIG818 open item of the port, SIG401: decide for MUSA: __CUDA_ARCH__ == 800",
    ]
    assert [d.severity for f in checked.plan.files for d in f.diagnostics if f.path == "h.h"] == [
        "warning"
    ]


def test_a_name_of_CUDA_in_a_stopped_condition_is_found_elsewhere(tmp_path: Path) -> None:
    files = {
        "a.mu": KERNEL + STOP.replace("2\n", "cudaFree\n") + "void f(void *p) { cudaFree(p); }"
    }
    codes = [line.split()[1] for line in said(run(tmp_path, files))]
    assert codes == ["SIG818", "SIG814"]


def test_an_error_of_somebody_else_is_no_stop(tmp_path: Path) -> None:
    lines = said(run(tmp_path, KERNEL + '#error "no SIG401: here"\n'))
    assert lines == ['a.mu:2:2 SIG816 "no SIG401: here"']


OPEN = {
    "header": ("#include <npp.h>\nNppStatus s;\n", "SIG103: <npp.h> is a header of CUDA"),
    "name": (CUDA + "int f(int *p) { return nvrtcGetCUBIN(p); }\n", "SIG101: 'nvrtcGetCUBIN' is"),
    "arguments": (
        "#include <cuda.h>\nCUresult f(CUcontext *c, CUctxCreateParams *p) {\n"
        "  return cuCtxCreate(c, p, 0, 0); }\n",
        "SIG142: 'muCtxCreate' takes 3 arguments, and 4 are given",
    ),
    "guard": (
        CUDA + "#ifdef CUBLAS_API_H_\nvoid help();\n#endif\nvoid f() { help(); }\n",
        "SIG403: 'help' is not declared: a.mu has it behind",
    ),
    "overload": (
        CUDA + "#ifdef CUBLAS_API_H_\nvoid help(void *);\n#endif\nvoid help();\n"
        "void f(void *p) { help(p); }\n",
        "SIG403: no form of 'help' fits: a.mu has it behind",
    ),
}


@pytest.mark.parametrize(("code", "expected"), OPEN.values(), ids=OPEN)
def test_what_the_port_reported_is_an_open_item(tmp_path: Path, code: str, expected: str) -> None:
    lines = said(run_ported(tmp_path, {"a.cu": code}))
    assert {line.split()[1] for line in lines} == {"SIG818"}
    assert f"open item of the port, {expected}" in lines[0]


@pytest.mark.parametrize(("code", "expected"), OPEN.values(), ids=OPEN)
def test_without_the_report_of_a_port_it_is_an_error(
    tmp_path: Path, code: str, expected: str
) -> None:
    source = write_tree(tmp_path / "src", {"a.cu": code})
    port_copy(source, tmp_path / "out", Settings(jobs=1))
    shutil.rmtree(tmp_path / "out" / ".sigtrans")
    checked = check_tree(tmp_path / "out", TABLE, Config(), Request(jobs=1))
    (severity,) = {d.severity for f in checked.plan.files for d in f.diagnostics}
    assert severity == "error"


def test_what_was_broken_after_the_port_is_an_error(tmp_path: Path) -> None:
    source = write_tree(tmp_path / "src", {"a.cu": CUDA + "void f(void *p) { cudaFree(p); }\n"})
    port_copy(source, tmp_path / "out", Settings(jobs=1))
    (tmp_path / "out" / "a.mu").write_text(KERNEL + "void f(void *p) { musaFree(p, 1); }\n")
    lines = said(check_tree(tmp_path / "out", TABLE, Config(), Request(jobs=1)))
    assert lines == ["a.mu:2:19 SIG811 'musaFree' takes 1 argument, and 2 are given"]


# --- trouble --------------------------------------------------------------------------------------


class Deadly:
    """A toolchain that ends its process on one file."""

    name = "deadly"

    def read(self, unit: Unit) -> Reading:
        if unit.path.endswith("bad.mu"):
            os._exit(3)
        return Reading((Fault(unit.path, 1, 1, "fault"),))


def test_a_compiler_that_dies_costs_one_file() -> None:
    units = [Unit(f"/{name}.mu", "musa") for name in ("a", "bad", "c")]
    readings = check._read_all(Deadly(), units, 2, None)
    assert [len(r.faults) for r in readings] == [1, 0, 1]
    assert readings[1].why


class Slow:
    name = "slow"

    def read(self, unit: Unit) -> Reading:
        import time

        time.sleep(20)
        return Reading()


def test_a_compiler_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantics, "LIMIT", 1)
    (reading,) = check._read_all(Slow(), [Unit("/a.mu", "musa")], 1, None)
    assert reading.why


def test_a_file_that_was_not_read_is_a_warning(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {"a.mu": KERNEL})
    (found,) = find_files(tree, Request().options)
    sources = Sources(str(tree), [found], frozenset(("a.mu",)))
    (unit,) = sources.find_units((), (), "", {}, frozenset())
    judge = Judge(str(tree), TABLE, frozenset(), False, sources, {})
    ((path, diagnostic),) = judge.find(unit, Reading(why="it hung"))
    assert (path, diagnostic.code, diagnostic.severity) == ("a.mu", "SIG817", "warning")


# --- the declarations -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "standard"),
    [("musa", "gnu++17"), ("musa", "gnu++14"), ("c++", "gnu++11"), ("c", "gnu17")],
)
def test_our_declarations_are_free_of_errors(tmp_path: Path, language: str, standard: str) -> None:
    headers = surface.make_headers(TABLE)
    left = {"cooperative_groups.h", "mma.h"} if language == "c" else set()
    names = sorted(
        n
        for n in headers
        if "/" not in n or (n.startswith("cooperative_groups/") and language != "c")
        if n not in left
    )
    assert len(names) > 60
    source = tmp_path / "all.mu"
    source.write_text("".join(f"#include <{name}>\n" for name in names))
    with store.scratch_folder(check._laid_out(headers)) as folder:
        reading = semantics.Libclang(str(folder)).read(
            Unit(str(source), language, standard=standard)
        )
    assert [f"{f.path}:{f.line}: {f.text}" for f in reading.faults] == []


def test_only_names_that_the_tables_allow_are_declared() -> None:
    allowed = {t.decode() for t in TABLE.targets.values()} | {t.decode() for t in TABLE.same}
    absent = {n.decode() for n in TABLE.absent}
    families = surface.load_rows()
    for family, rows in families.items():
        for row in rows:
            assert row.kind in surface.KINDS
            assert row.name not in absent, row
            if family not in ("device", "half", "texture") and row.kind == "function":
                known = row.name in allowed or not row.name.startswith(("cuda", "cu", "nccl", "nv"))
                assert known, row
    flagged = {n.decode() for n, f in TABLE.flags.items() if f.severity == "error"}
    flagged -= {"texture", "textureReference"}  # the port says that they are unproven, not absent
    assert not flagged & surface.find_declared(families)
    assert {"musaMalloc", "muMemAlloc", "mublasSgemm", "musaSuccess"} <= surface.find_declared(
        families
    )


# --- an SDK ---------------------------------------------------------------------------------------

MCC = """#!/bin/sh
echo "$@" > "{log}"
for last; do :; done
echo "$last:2:3: error: use of undeclared identifier 'musaNew'" >&2
echo "$last:2:9: note: of no account" >&2
echo "$last:4:1: error: too few arguments to function call, expected 2, have 1" >&2
echo "/sdk/x.h:1:1: note: 'musaFoo' declared here" >&2
echo "2 errors generated." >&2
exit 1
"""


@pytest.fixture
def sdk(tmp_path: Path) -> Path:
    root = write_tree(
        tmp_path / "sdk",
        {
            "include/musa_runtime.h": "#define MUSART_VERSION 50200\n"
            "/* musaFree */ int musaMalloc(void **, unsigned long);\n",
            "include/mublas.h": 'void mublasSgemm();\nconst char *s = "mublasDgemm";\n',
            "bin/mcc": MCC.format(log=tmp_path / "log"),
        },
    )
    (root / "bin" / "mcc").chmod(stat.S_IRWXU)
    return root


def test_the_compiler_of_an_sdk_is_asked_for_the_syntax(tmp_path: Path, sdk: Path) -> None:
    tree = write_tree(tmp_path / "tree", {"a.mu": KERNEL + "  int x;\n\n\n", "inc/h.h": ""})
    request = Request(
        sdk_path=sdk, defines=("N=1",), includes=(tree / "inc",), standard="c++17",
        targets=("mp_22", "mp_31"), jobs=1,
    )  # fmt: skip
    checked = check_tree(tree, TABLE, Config(), request)
    assert checked.toolchain == "mcc"
    assert said(checked) == [
        "a.mu:2:3 SIG810 'musaNew' is declared by no MUSA header known here",
        "a.mu:4:1 SIG811 'musaFoo' takes 2 arguments, and 1 is given",
    ]
    words = (tmp_path / "log").read_text().split()
    assert words[:2] == ["-fsyntax-only", "-ferror-limit=0"]
    assert words[words.index("-x") + 1] == "musa"
    assert {"--offload-arch=mp_22", "--offload-arch=mp_31", "-std=c++17", "-DN=1"} <= {*words}
    assert f"-I{tree / 'inc'}" in words
    assert f"-I{sdk / 'include'}" in words
    assert words[-1] == str(tree / "a.mu")


def test_a_compiler_that_fails_without_a_message_did_not_check(tmp_path: Path, sdk: Path) -> None:
    (sdk / "bin" / "mcc").write_text("#!/bin/sh\necho 'no licence' >&2\nexit 7\n")
    reading = Mcc(Sdk(sdk, sdk / "bin" / "mcc", ""), ("mp_31",)).read(Unit("/a.mu", "musa"))
    assert reading.why == "mcc ended with 7: no licence"


def test_doctor(sdk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--sdk-path", str(sdk), "--output-format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["version"] == "5.2"
    rows = {row["family"]: row for row in found["families"]}
    assert rows["runtime"]["confirmed"] == 1  # musaMalloc; MUSART_VERSION is a guard
    assert "musaFree" in rows["runtime"]["denied"], "a comment declares nothing"
    assert rows["cublas"]["confirmed"] == 1
    assert "mublasDgemm" in rows["cublas"]["denied"], "nor does a string"
    assert rows["cufft"]["confirmed"] == 0 and rows["cufft"]["unknown"] > 100
    assert rows["headers"]["confirmed"] == 2
    assert main(["doctor", "--sdk-path", str(sdk)]) == 1
    assert "runtime" in capsys.readouterr().out


def test_doctor_without_an_sdk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sigtrans.sdk.DEFAULT", tmp_path / "none")
    assert main(["doctor"]) == 2
    assert "--sdk-path" in capsys.readouterr().err
    assert main(["doctor", "--sdk-path", str(tmp_path)]) == 2
    monkeypatch.setenv("MUSA_HOME", str(write_tree(tmp_path / "s", {"include/musa.h": ""})))
    assert main(["doctor"]) == 1


# --- the command line -----------------------------------------------------------------------------


def test_the_command_prints_and_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = write_tree(tmp_path / "t", {"a.mu": KERNEL + "void f(void *p) { musaFreee(p); }\n"})
    report = tmp_path / "r.json"
    assert main(["check", str(tree), "-j", "1", "--report", str(report)]) == 1
    out = capsys.readouterr().out
    assert "SIG810" in out and "0 without an error" in out
    assert json.loads(report.read_text())["files"]
    assert main(["check", str(tree), "-j", "1", "--output-format", "concise"]) == 1
    assert capsys.readouterr().out.startswith("a.mu:2:19: error SIG810: ")
    (tree / "a.mu").write_text(KERNEL)
    assert main(["check", str(tree), "-j", "1"]) == 0
    assert "Nothing was found." in capsys.readouterr().out
    assert main(["check", str(tmp_path / "none")]) == 2


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a host compiler's headers")
def test_the_check_writes_nothing_into_the_tree(tmp_path: Path) -> None:
    run(tmp_path, KERNEL)
    assert [p.name for p in tmp_path.rglob("*")] == ["a.mu"]
