"""CUDA becomes plain C++: launches, shared variables, device names, PTX; lines stay lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigtrans.simt import lower
from sigtrans.simt.kernels import find_kernels, merge
from sigtrans.simt.options import split
from sigtrans.simt.scan import View
from sigtrans.syntax import lex, make_pattern


def low(text: str, relocatable: bool = False) -> lower.Lowered:
    data = text.encode()
    kernels = merge(find_kernels(View(lex(data, make_pattern()))))
    words = lower.find_shared_words(data)
    return lower.lower("a.cu", data, lower.Context(kernels, words, relocatable))


def body(text: str, relocatable: bool = False) -> str:
    done = low(text, relocatable)
    assert not done.diagnostics
    return done.data.decode().partition('#line 1 "a.cu"\n')[2]


ONE = "__global__ void k(float *p, int n);\n"
TEMPLATE = "template <class T> __global__ void k(T *p, int n = 3);\n"

LAUNCHES = [
    # The kernel's address tells its parameters, so 0 becomes whatever is wanted.
    (ONE, "k<<<2, dim3(3, 4)>>>(p, 0);",
     "::simt::Launch(2, dim3(3, 4)).of(SIMT_NAME(k), k)(p, 0);"),
    (ONE, "ns::k<<<g, b, s, t>>>(p, n);",
     "::simt::Launch(g, b, s, t).of(SIMT_NAME(ns::k), ns::k)(p, n);"),
    (ONE, "k << <1, 2 >> > (p, n);", "::simt::Launch(1, 2 ).of(SIMT_NAME(k), k)(p, n);"),
    # Template arguments to be deduced and defaults need a call.
    (TEMPLATE, "k<<<2, 3>>>(p, 1);",
     "::simt::Launch(2, 3).of(SIMT_NAME(k), [=](auto &...p_) { k(p_...); })(p, 1);"),
    (TEMPLATE, "k<float><<<1, 2>>>(p, 5);",
     "::simt::Launch(1, 2).of(SIMT_NAME(k<float>), k<float>)(p, 5);"),
    (ONE, "k<<<1, 2>>>(p);",
     "::simt::Launch(1, 2).of(SIMT_NAME(k), [=](auto &...p_) { k(p_...); })(p);"),
    # Unknown kernels: a literal null is an object that becomes either.
    ("", "table[i].run<<<1, 2>>>(NULL, a<b, c>(d));",
     "::simt::Launch(1, 2).of(SIMT_NAME(table[i].run), [=](auto &...p_) { table[i].run(p_...); })"
     "(::simt::Null(), a<b, c>(d));"),
    ("", "(*f)<<<n >> 3, (m > 2 ? a : b)>>>();",
     "::simt::Launch(n >> 3, (m > 2 ? a : b)).of(SIMT_NAME((*f)), "
     "[=](auto &...p_) { (*f)(p_...); })();"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "before", "after"), LAUNCHES)
def test_launch(head: str, before: str, after: str) -> None:
    assert body(head + before) == head + after


def test_launch_over_several_lines_keeps_them() -> None:
    before = ONE + "void f() {\n  k\n    <<<1,\n       2>>>\n    (p,\n     n);\n}\n"
    after = body(before)
    assert after.count("\n") == before.count("\n")
    assert after.splitlines()[-2].strip() == "n);"


def test_launch_in_a_macro_keeps_its_continuation() -> None:
    text = "#define RUN(k, ...) \\\n  k<<<1, 2>>>(__VA_ARGS__)\n"
    assert body(text) == (
        "#define RUN(k, ...) \\\n"
        "  ::simt::Launch(1, 2).of(SIMT_NAME(k), [=](auto &...p_) { k(p_...); })(__VA_ARGS__)\n"
    )


def test_what_is_no_launch_stays() -> None:
    for text in ('s = "k<<<1, 2>>>(p)";', "// k<<<1, 2>>>(p)\n", "a <<= 3; b = c << 2 << 1;"):
        assert body(text) == text


def test_launch_that_cannot_be_followed_is_reported() -> None:
    done = low("void f() { k<<<1, 2>>>; }")
    assert [d.code for d in done.diagnostics] == ["SIG830"]
    done = low("void f() { k<<<1, 2>>>({1, 2}); }")
    assert [d.code for d in done.diagnostics] == ["SIG830"]


SHARED = [
    ("__shared__ float a[4][5];",
     "typedef float simt_T_a[4][5]; struct  simt_K_a {}; "
     "simt_T_a &a = ::simt::shared<simt_T_a, simt_K_a>(SIMT_NAME(a));"),
    ("__shared__ __align__(16) int c;",
     "typedef int simt_T_c; struct __align__(16) simt_K_c {}; "
     "simt_T_c &c = ::simt::shared<simt_T_c, simt_K_c>(SIMT_NAME(c));"),
    ("extern __shared__ char d[];",
     "typedef char simt_T_d[]; simt_T_d &d = *(simt_T_d *)::simt::dynamic_shared();"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), SHARED)
def test_shared_variable(before: str, after: str) -> None:
    head = "__global__ void k() { "
    assert body(head + before + " }") == head + after + " }"


def test_shared_variables_of_one_statement_share_its_type() -> None:
    text = body("__global__ void k() { __shared__ T<int, 2> a[3], *b; }")
    assert "typedef T<int, 2> simt_B_a; typedef simt_B_a simt_T_a[3];" in text
    assert "typedef simt_B_a *simt_T_b;" in text


def test_shared_variables_of_a_file() -> None:
    assert "static ::simt::DynamicShared<simt_T_p> p;" in body("extern __shared__ int p[];\n")
    assert "static ::simt::FileShared<simt_T_n, simt_K_n> n;" in body("__shared__ int n;\n")


def test_shared_variable_with_an_initializer_is_reported() -> None:
    done = low("__global__ void k() { __shared__ int a = 3; }")
    assert [d.code for d in done.diagnostics] == ["SIG831"]


def test_device_variables_are_declared_and_belong_to_their_file() -> None:
    text = "__device__ int total = 3;\n"
    declared = (
        " static const bool simt_V_total = ::simt::declare_variable(&total, sizeof(total), "
        "SIMT_NAME(total), ::simt::Space::device);"
    )
    assert body(text) == f"static __device__ int total = 3;{declared}\n"
    assert body(text, relocatable=True) == f"__device__ int total = 3;{declared}\n"


@pytest.mark.parametrize("line", ["#include <a>", '#include "a.h"', "#define LESS >"])
def test_device_variable_after_a_directive(line: str) -> None:
    assert "simt_V_total" in body(f"{line}\n__device__ int total;\n")


def test_kernel_whose_address_loses_its_type_is_registered() -> None:
    text = "__global__ void k(int);\nauto *p = (void *)k;\n"
    assert body(text).splitlines()[1] == "auto *p = (void *)::simt::registered(k);"


def test_inline_ptx_is_translated_as_in_a_port() -> None:
    asm = 'asm("brev.b32 %0, %1;" : "=r"(r) : "r"(x));'
    done = low(f"__device__ void f(unsigned x, unsigned &r) {{ {asm} }}\n")
    assert done.data.startswith(b'#include "simt/ptx.h"\n#line 1 "a.cu"\n')
    assert b"r = sigtrans::ptx_brev_b32(x);" in done.data


def test_unknown_ptx_and_tests_of_the_architecture_are_reported() -> None:
    done = low('__device__ void f() { asm volatile("wgmma.fence.sync.aligned;"); }')
    assert "SIG832" in {d.code for d in done.diagnostics}
    done = low("#if __CUDA_ARCH__ >= 800\n#endif\n")
    assert [d.code for d in done.diagnostics] == ["SIG834"]


PIECES = [
    "k<<<1, 2>>>(p, 0);", "k\n<<<1,\n2>>>(p,\n3);", "__shared__ int\n  a[3],\n  b;", "// <<<\n",
    '"<<<"', "\n", "#define A \\\n  __shared__ int x; k<<<1, 2>>>(p, \\\n 1)\n", "{", "}", "(", ")",
    'asm("bar.sync 0;"\n ::\n: "memory");', "\r\n", "__global__ void k(float *p, int n);", ">>>",
    "__device__ int\ng;\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_lines_are_kept(pieces: list[str]) -> None:
    text = " ".join(pieces)
    after = low(text).data.decode().partition('#line 1 "a.cu"\n')[2]
    assert after.count("\n") == text.count("\n")


def test_options_of_nvcc() -> None:
    options, rest, _ = split(
        ["-Iinc", "-I", "other", "-DN=4", "-arch=sm_80", "-gencode", "arch=compute_80,code=sm_80",
         "-O3", "-std=c++14", "-lcublas", "-Xcompiler", "-fopenmp,-Wall", "--use_fast_math", "a.cu"]
    )  # fmt: skip
    assert options.includes == ("inc", "other")
    assert options.defines == ("-DN=4",)
    assert options.standard == "c++14"
    assert options.libraries == ("-lcublas",)
    assert options.host == ("-fopenmp", "-Wall")
    assert options.fast_math
    assert rest == ["a.cu"]
