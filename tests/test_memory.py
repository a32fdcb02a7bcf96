"""Shared and constant memory against the targets' limits, copies, hints, barriers, clusters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from porting import port

ALL = ("mp_21", "mp_22", "mp_31")


def said(source: str, code: str, targets: tuple[str, ...] = ALL) -> list[str]:
    return [d.message for d in port(source, targets=targets).diagnostics if d.code == code]


# --- static shared memory -------------------------------------------------------------------------

OVER = {
    "array": ("__global__ void k() { __shared__ float s[8192]; }", 32768),
    "two dimensions": ("__global__ void k() { __shared__ float s[128][64]; }", 32768),
    "several": ("__global__ void k() { __shared__ int a[4096]; __shared__ long b[2048]; }", 32768),
    "macro": (
        "#define T 128\n__global__ void k() { __shared__ half s[T][T + 1]; }", 2 * 128 * 129
    ),
    "constant of the function": (
        "__global__ void k() { constexpr int T = 96; __shared__ float s[T][T]; }", 36864
    ),
    "struct": (
        "struct P { char c; float4 v; };\n__global__ void k() { __shared__ P s[1024]; }", 32768
    ),
    "template": (
        "template <typename T, int N> __global__ void k() { __shared__ T s[N]; }\n"
        "void f() { k<double, 4096><<<1, 1>>>(); k<float, 16><<<1, 1>>>(); }", 32768
    ),
    "template default": (
        "template <int N = 8192> __global__ void k() { __shared__ float s[N]; }\n"
        "void f() { k<<<1, 1>>>(); }", 32768
    ),
    "callee": (
        "__device__ float g() { __shared__ float s[8192]; return s[0]; }\n"
        "__device__ float h() { return g(); }\n"
        "__global__ void k(float *p) { p[0] = h() + g(); }", 32768
    ),
    "template callee": (
        "template <int N> __device__ void g() { __shared__ float s[N]; }\n"
        "template <int N> __global__ void k() { g<N>(); g<N * 2>(); }\n"
        "void f() { k<4096><<<1, 1>>>(); }", 49152
    ),
    "largest branch": (
        "__global__ void k() {\n#ifdef A\n__shared__ float s[8192];\n#else\n__shared__ int s[64];\n"
        "#endif\n}", 32768
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OVER)
def test_static_sums(name: str) -> None:
    source, size = OVER[name]
    (message,) = said(source, "SIG308")
    assert f" {size} bytes" in message
    assert "mp_21 has 28672" in message
    assert "mp_22" not in message
    assert "SIG308" not in port(source, targets=("mp_22", "mp_31")).codes


UNDER = {
    "fits": "__global__ void k() { __shared__ float s[7168]; }",
    "in one branch each": (
        "__global__ void k() {\n#ifdef A\n__shared__ float s[5000];\n#else\n"
        "__shared__ float s[5001];\n#endif\n}"
    ),
    "never compiled": "__global__ void k() {\n#if 0\n__shared__ float s[8192];\n#endif\n}",
    "two kernels": (
        "__global__ void k() { __shared__ float s[7000]; }\n"
        "__global__ void l() { __shared__ float s[7000]; }"
    ),
    "sized at launch": "__global__ void k() { extern __shared__ float s[]; }",
    "comment": "__global__ void k() { /* __shared__ float s[8192]; */ }",
    "string": 'const char *s = "__shared__ float s[8192];";',
    "excluded": "__global__ void k() { __shared__ float s[8192]; // sigtrans: skip-line\n}",
    "another name": "__global__ void k() { my__shared__ float s[8192]; }",
    "branch of MUSA": (
        "#ifdef __MUSA__\n__global__ void k() { __shared__ float s[8192]; }\n#endif"
    ),
}


@pytest.mark.parametrize("name", UNDER)
def test_no_claim(name: str) -> None:
    assert said(UNDER[name], "SIG308") == []


UNKNOWN = {
    "constant of a header": "__global__ void k() { __shared__ float s[TILE]; }",
    "type of a header": "__global__ void k() { __shared__ Thing s; }",
    "two meanings": (
        "#ifdef A\n#define N 1\n#else\n#define N 9999\n#endif\n"
        "__global__ void k() { __shared__ float s[N]; }"
    ),
    "template without a launch": (
        "template <int N> __global__ void k() { __shared__ float s[N]; }"
    ),
    "constant of a class": (
        "struct A { static const int N = 9999; };\n"
        "__global__ void k() { __shared__ float s[A::N]; }"
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_is_said_and_not_guessed(name: str) -> None:
    assert said(UNKNOWN[name], "SIG308") == []
    (message,) = said(UNKNOWN[name], "SIG311")
    assert "'k' (s)" in message
    assert said(UNKNOWN[name], "SIG311", ("mp_22", "mp_31")) == [], "CUDA's 48 KiB fit there"


def test_a_known_part_can_be_too_large_by_itself() -> None:
    (message,) = said("__global__ void k() { __shared__ float s[8192], t[N]; }", "SIG308")
    assert "at least 32768 bytes" in message


# --- launches and opt-ins -------------------------------------------------------------------------

KERNEL = "__global__ void k() { extern __shared__ char d[]; __shared__ float s[256]; }\n"


@pytest.mark.parametrize(
    ("launch", "size", "broken"),
    [
        ("k<<<1, 2, 100 * 1024>>>();", 102400, ["mp_21", "mp_22"]),
        ("int n = 200; size_t b = n * 1024; k<<<1, 2, b, s>>>();", 204800, ALL),
        ("k<<<dim3(1, 2), 2, 196608 - 1024>>>();", 195584, ["mp_21", "mp_22"]),
        ("k<<<1, 2, 196608 - 1023>>>();", 195585, ALL),
    ],
)
def test_dynamic_sizes(launch: str, size: int, broken: list[str]) -> None:
    (message,) = said(KERNEL + f"void f(int s) {{ {launch} }}", "SIG308")
    assert f" {size} bytes" in message
    assert [t for t in ALL if t in message] == list(broken)


@pytest.mark.parametrize(
    "launch",
    [
        "k<<<1, 2>>>();",
        "k<<<1, 2, 0>>>();",
        "k<<<1, 2, 1024>>>();",
        "k<<<1, 2, n * 1024>>>();",
        "int b = 300000; b = n; k<<<1, 2, b>>>();",
        "int b = 300000; set(&b); k<<<1, 2, b>>>();",
    ],
)
def test_dynamic_sizes_that_fit_or_are_unknown(launch: str) -> None:
    assert said(KERNEL + f"void f(int n) {{ {launch} }}", "SIG308") == []


def opt_in(size: str, checked: bool = True) -> str:
    call = f"cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, {size})"
    return KERNEL + f"void f(int n) {{ {f'check({call})' if checked else call}; }}"


def test_opt_in() -> None:
    got = port(opt_in("64 * 1024"), targets=ALL)
    assert "musaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024" in got.text
    (message,) = said(opt_in("64 * 1024"), "SIG308")
    assert "65536 bytes" in message
    assert "mp_21" in message and "mp_22" not in message
    assert port(opt_in("64 * 1024"), targets=("mp_22", "mp_31")).codes == set()
    assert port(opt_in("n"), targets=("mp_31",)).codes == {"SIG312"}
    assert port(opt_in("1024", checked=False), targets=("mp_31",)).codes == {"SIG313"}


# --- constant memory ------------------------------------------------------------------------------


def test_constant_memory() -> None:
    source = "__constant__ float a[1500];\n__constant__ int b, c[600];\n"
    (message,) = said(source, "SIG309")
    assert "8404 bytes" in message and "'a', 6000" in message
    assert "mp_21" not in message, "its size is not known"
    assert said("__constant__ float a[2048];\nextern __constant__ float b[99];", "SIG309") == []
    assert said("// __constant__ float a[9999];", "SIG309") == []


# --- edits ----------------------------------------------------------------------------------------

EDITS = {
    "hints": (
        "void f(float *p, const float *q) { __stcg(p, __ldcg(q)); __stcs(p, ::__ldcv(q)); }",
        "void f(float *p, const float *q) { sigtrans::stcg(p, sigtrans::ldcg(q)); "
        "sigtrans::stcs(p, sigtrans::ldcv(q)); }",
    ),
    "renames inside": (
        "void f(cudaStream_t *p) { use(__ldcs(reinterpret_cast<cudaStream_t *>(p))); }",
        "void f(musaStream_t *p) { use(sigtrans::ldcs(reinterpret_cast<musaStream_t *>(p))); }",
    ),
    "macro": ("#define LOAD(p) __ldcs(p)", "#define LOAD(p) sigtrans::ldcs(p)"),
    "pipeline": (
        "#include <cuda_pipeline.h>\nvoid f(int4 *a) {\n__pipeline_memcpy_async(a, a + 1, 16);\n"
        "__pipeline_commit();\n__pipeline_wait_prior(0); }",
        "void f(int4 *a) {\nsigtrans::pipeline_memcpy_async(a, a + 1, 16);\n"
        "sigtrans::pipeline_commit();\nsigtrans::pipeline_wait_prior(0); }",
    ),
    "group copy": (
        "#include <cooperative_groups/memcpy_async.h>\nnamespace cg = cooperative_groups;\n"
        "void f(cg::thread_block b, int *s, int *g) { cg::memcpy_async(b, s, g, 64); "
        "cg::wait(b); cooperative_groups::wait_prior<1>(b); }",
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        "void f(cg::thread_block b, int *s, int *g) { sigtrans::memcpy_async(b, s, g, 64); "
        "sigtrans::wait(b); sigtrans::wait_prior<1>(b); }",
    ),
}


def ported(source: str, targets: tuple[str, ...] = ("mp_31",)) -> str:
    lines = port(source, targets=targets).text.splitlines()
    return "\n".join(line for line in lines if not line.startswith('#include "sigtrans_'))


@pytest.mark.parametrize("name", EDITS)
def test_edits(name: str) -> None:
    before, after = EDITS[name]
    got = port(before)
    assert ported(before) == after
    assert got.helpers == {"memory"}
    assert port(got.text).edits == (), "a second port finds nothing"


@pytest.mark.parametrize(
    "source",
    [
        "// __ldcs(p)",
        'const char *s = "__ldcs(p)";',
        "int my__ldcs(int); void f() { my__ldcs(1); }",
        "void f(A a) { a.__ldcs(1); b->__ldcs(1); mine::__ldcs(p); }",
        "__device__ float __ldcs(const float *p) { return *p; }\nvoid f() { __ldcs(p); }",
        "__device__ float __ldcs(const float *);\nvoid f() { __ldcs(p); }",
        "#define __ldcs(p) *(p)\nvoid f() { __ldcs(p); }",
        "void f() { __ldcs(p); } // sigtrans: skip-line",
        "#ifdef __MUSA__\nvoid f() { __ldcs(p); }\n#endif",
        "namespace cg = cooperative_groups; void f() { wait(b); future.wait(); std::wait(1); }",
    ],
)
def test_same(source: str) -> None:
    got = port(source)
    assert got.text == source
    assert got.helpers == frozenset()


def test_a_name_that_is_not_called_is_said() -> None:
    got = port("auto f = __pipeline_commit;")
    assert got.text == "auto f = __pipeline_commit;"
    assert "SIG310" in got.loud


def test_grid_constants_are_dropped() -> None:
    source = "__global__ void k(const __grid_constant__ P p, int *q) { q[0] = p.a; }"
    got = port(source)
    assert got.text == source.replace("__grid_constant__ ", "")
    assert "SIG306" in got.loud
    (message,) = said("__global__ void k(const __grid_constant__ P p) { use(&p); }", "SIG306")
    assert "takes the parameter's address" in message


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("void f(__mbarrier_t *b) { __mbarrier_init(b, 3); }", "SIG302"),
        ("void f(__mbarrier_t *b) { __pipeline_arrive_on(b); }", "SIG302"),
        ("namespace cg = cooperative_groups; __device__ void f() { cg::this_cluster().sync(); }",
         "SIG305"),
        ("__global__ void __cluster_dims__(2, 1, 1) k() {}", "SIG305"),
        ("namespace cg = cooperative_groups; void f() "
         "{ cg::memcpy_async(b, s, g, cuda::aligned_size_t<16>(64)); cg::wait(b); }", "SIG302"),
        ("void f(int *p) { p[0] = __cvta_generic_to_shared(p); }", "SIG505"),
    ],
)  # fmt: skip
def test_what_has_no_counterpart(source: str, code: str) -> None:
    got = port(source)
    assert code in got.loud
    assert "sigtrans" not in got.text


def test_host_code_is_left_alone() -> None:
    assert port("int __ldcs(int); int a = __ldcs(1);", "a.cpp", is_cuda=False).edits == ()


# --- laws -----------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    (
        "__shared__ ",
        "float ",
        "s[4]",
        "[N]",
        ";",
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        "<<<1, 2, 3>>>",
        "k",
        "template <int N> ",
        "__global__ void k",
        "__device__ ",
        "#if 0\n",
        "#else\n",
        "#endif\n",
        "\n",
        "\\\n",
        ",",
        "struct S ",
        "enum ",
        "const int N = 4",
        "#define N ",
        "__constant__ ",
        "__ldcg(p)",
        "/*",
        "*/",
        '"',
        "'",
        "__pipeline_commit()",
        "cg::memcpy_async",
        "__grid_constant__ ",
        "namespace cg = cooperative_groups;",
        "cudaFuncSetAttribute(k, MaxDynamicSharedMemorySize, N)",
        "union ",
        "typedef ",
        "using T = ",
        "=",
        "sizeof(",
        "0x",
        "1 << 3",
        "alignas(",
    )
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_twice_is_once(source: str) -> None:
    got = port(source, targets=ALL)
    assert port(got.after, targets=ALL).after == got.after
    for diagnostic in got.diagnostics:
        assert diagnostic.span.end <= len(got.before)


def test_groups_formed_at_run_time_are_reported() -> None:
    head = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
    use = "{ p[0] = cg::labeled_partition(cg::this_thread_block(), p[1]).size(); }\n"
    got = port(head + "__global__ void k(int *p) " + use)
    assert "SIG213" in got.codes
    assert "SIG213" not in port("__global__ void k(int *p) { mine::labeled_partition(p); }\n").codes
