"""Half functions, atomics by type and scope, types that a target lacks, clang's strictness."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from porting import port

from sigtrans.names import data_dir
from sigtrans.passes.device_words import _WHEN, HEAD, Row, rows
from sigtrans.passes.pipeline import helper_text

ALL = ("mp_21", "mp_22", "mp_31")


def body(text: str, parameters: str = "") -> str:
    return f"__global__ void k({parameters}) {{ {text} }}"


def ported(source: str, targets: tuple[str, ...] = ("mp_31",), sdk: str = "5.2") -> str:
    lines = port(source, targets=targets, sdk=sdk).text.splitlines()
    return "\n".join(line for line in lines if not line.startswith('#include "sigtrans_'))


# --- the table ------------------------------------------------------------------------------------

TABLE = [
    row
    for family in ("memory", "clusters", "groups", "half", "device", "atomics")
    for row in rows(family).values()
]


def test_every_row_belongs_to_a_family_that_is_asked_for() -> None:
    head, *lines = (data_dir() / "device.tsv").read_text("utf-8").splitlines()
    assert head == HEAD
    assert len(lines) == len(TABLE)
    assert lines == sorted(lines)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name.decode())
def test_rows(row: Row) -> None:
    assert _WHEN.fullmatch(row.when)
    assert row.places in ("first", "all")
    assert bool(row.to) == bool(row.helper)
    assert row.message.format(name="x", targets="y")
    if row.to:
        name = row.to.removeprefix(b"sigtrans::").removesuffix(b"_system")
        texts = [helper_text(row.helper), helper_text("half" if row.helper == "bf16" else "device")]
        assert any(name in text for text in texts), "the helper header has it"


# --- half and bfloat16 ----------------------------------------------------------------------------

HALF = "#include <cuda_fp16.h>\n"


def test_half_functions_go_through_float() -> None:
    got = port(HALF + body("p[0] = hexp(p[1]); p[0] = ::h2rsqrt(p[1]);", "half2 *p"))
    assert "p[0] = sigtrans::hexp(p[1]); p[0] = sigtrans::h2rsqrt(p[1]);" in got.text
    assert got.helpers == {"half"}
    assert got.codes == {"SIG332"}


def test_bfloat16_brings_its_own_header() -> None:
    got = port("#include <cuda_bf16.h>\n" + body("p[0] = hlog(p[1]);", "__nv_bfloat16 *p"))
    assert got.helpers == {"half", "bf16"}
    got = port(body("p[0] = __low2bfloat16(a[0]);", "__nv_bfloat162 *a, __nv_bfloat16 *p"))
    assert "sigtrans::low2bfloat16(a[0])" in got.text


def test_masks_come_with_sdk_4_3() -> None:
    source = HALF + body("m[0] = __hgt2_mask(a[0], a[1]);", "half2 *a, unsigned *m")
    assert "sigtrans::hgt2_mask(" in ported(source, sdk="4.2")
    assert " __hgt2_mask(" in ported(source, sdk="4.3")
    assert " __hgt2_mask(" in ported(source, sdk="4.10")


@pytest.mark.parametrize(
    "source",
    [
        body("p[0] = hexp(p[1]);", "real *p"),  # no half type anywhere
        HALF + "template <class T> T hexp(T x);\n" + body("p[0] = hexp(p[1]);", "half *p"),
        HALF + body("p[0] = hexp<half>(p[1]); p[0] = math::hexp(p[1]);", "half *p"),
        HALF + "// hexp(x)",
    ],
)
def test_half_functions_of_the_project(source: str) -> None:
    got = port(source)
    assert "sigtrans" not in got.text
    assert "SIG332" not in got.codes


BF16 = body("p[0] = p[1];", "__nv_bfloat16 *p")


def test_bfloat16_needs_mp_22() -> None:
    assert "SIG330" in {d.code for d in port(BF16, targets=ALL).diagnostics}
    assert port(BF16, targets=("mp_22", "mp_31")).codes == set()
    (said,) = (d for d in port(BF16, targets=ALL).diagnostics if d.code == "SIG330")
    assert (said.severity.value, "mp_21" in said.message) == ("error", True)
    guarded = f"#ifdef ENABLE_BF16\n{BF16}\n#endif\n"
    (said,) = (d for d in port(guarded, targets=ALL).diagnostics if d.code == "SIG330")
    assert said.severity.value == "note"


def test_bfloat16_from_an_integer_literal() -> None:
    source = body("__nv_bfloat16 a = 0; a = __nv_bfloat16(-12); a = __nv_bfloat16{255}; f(a, 0);")
    assert ported(source) == body(
        "__mt_bfloat16 a = 0.0f; a = __mt_bfloat16(-12.0f); a = __mt_bfloat16{255}; f(a, 0);"
    )
    assert port(ported(source)).edits == ()
    same = body("__nv_bfloat16 a = 0.0f; a = __nv_bfloat16(n); /* __nv_bfloat16(0) */ f[0] = 0;")
    assert ported(same) == same.replace("__nv", "__mt", 2)


def test_fp8_needs_mp_31() -> None:
    source = body("p[0] = p[1];", "__nv_fp8_e4m3 *p")
    (said,) = (d for d in port(source, targets=ALL).diagnostics if d.code == "SIG331")
    assert "mp_21, mp_22" in said.message
    assert "SIG331" not in port(source, targets=("mp_31",)).codes


# --- atomics --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "call", "after"),
    [
        ("long long *p", "atomicAdd(p, 1LL)", "sigtrans::atomicAdd(p, 1LL)"),
        ("int64_t *p", "atomicAdd(&p[i[0]], 1)", "sigtrans::atomicAdd(&p[i[0]], 1)"),
        ("std::int64_t *__restrict__ p", "::atomicAdd(p + i[1], 1)",
         "sigtrans::atomicAdd(p + i[1], 1)"),
        ("long long **p", "atomicAdd(p[0], 1)", "sigtrans::atomicAdd(p[0], 1)"),
        ("size_t p[]", "atomicAdd(&p[1], 1)", "sigtrans::atomicAdd(&p[1], 1)"),
        ("short *p", "atomicAdd(p, 1)", "sigtrans::atomicAdd(p, 1)"),
        ("void *p", "atomicAdd((long long *)p, 1)", "sigtrans::atomicAdd((long long *)p, 1)"),
        ("void *p", "atomicAdd(reinterpret_cast<int64_t *>(p), 1)",
         "sigtrans::atomicAdd(reinterpret_cast<int64_t *>(p), 1)"),
        ("unsigned long long *p", "atomicMax(p, 1)", "sigtrans::atomicMax(p, 1)"),
        ("long long *p", "atomicMin(p, 1)", "sigtrans::atomicMin(p, 1)"),
        ("float4 *p", "atomicAdd(p, v)", "sigtrans::atomicAddVector4(p, v)"),
        ("half *p", "h = atomicAdd(p, v)", "h = sigtrans::atomicAdd16(p, v)"),
        ("int *p", "__shared__ long long s; atomicAdd(&s, 1)",
         "__shared__ long long s; sigtrans::atomicAdd(&s, 1)"),
        ("int *p", "atomicAdd(&total, 1)", "sigtrans::atomicAdd(&total, 1)"),
        ("ll *p", "atomicAdd(p, 1)", "sigtrans::atomicAdd(p, 1)"),
    ],
)  # fmt: skip
def test_atomics_by_type(parameters: str, call: str, after: str) -> None:
    source = "typedef long long ll;\n__device__ long long total;\n" + body(call + ";", parameters)
    got = port(source)
    assert after + "; }" in got.text
    assert got.helpers == {"device"}
    assert got.codes == {"SIG336"}
    assert port(got.text).edits == ()


@pytest.mark.parametrize(
    ("parameters", "call"),
    [
        ("int *p", "atomicAdd(p, 1)"),
        ("unsigned long long *p", "atomicAdd(p, 1ull)"),
        ("double *p", "atomicAdd(p, 1.0)"),
        ("half *p", "atomicAdd(p, v)"),  # the old value is not looked at
        ("unsigned *p", "atomicMin(p, 1)"),
        ("T *p", "atomicAdd(p, 1)"),
        ("long long **p", "atomicAdd(p, 1)"),
        ("long long *p", "atomicAdd(q->p, 1)"),
        ("long long *p", "atomicAdd(f(p), 1)"),
        ("long long *p", "atomicAdd((unsigned long long *)p, 1)"),
        ("long long *p", "atomicAdd(p)"),
        ("long long *p", "my::atomicAdd(p, 1)"),
        ("long long *p", "atomicCAS(p, 1, 2)"),
    ],
)
def test_atomics_that_stay(parameters: str, call: str) -> None:
    source = body(call + ";", parameters)
    assert port(source).text == source


def test_atomics_of_the_project_stay() -> None:
    source = "__device__ long long atomicAdd(long long *p, long long v) { return 0; }\n"
    source += body("atomicAdd(p, 1);", "long long *p")
    assert port(source).text == source


def test_system_atomics_get_fences() -> None:
    got = port(body("atomicAdd_system(p, 1); atomicCAS_system(p, 1, 2); atomicAdd_block(p, 1);"))
    assert "sigtrans::atomicAdd_system(p, 1); sigtrans::atomicCAS_system(p, 1, 2);" in got.text
    assert " atomicAdd_block(p, 1)" in got.text
    assert "SIG304" in got.loud


# --- other intrinsics and types -------------------------------------------------------------------


def test_a_sleep() -> None:
    got = port(body("__nanosleep(100);"))
    assert "sigtrans::nanosleep(100);" in got.text
    assert "SIG205" in got.codes - got.loud


def test_dot_products() -> None:
    source = body("p[0] = __dp4a(p[1], p[2], p[3]);", "int *p")
    assert port(source, targets=("mp_31",)).codes == set()
    got = port(source, targets=("mp_22", "mp_31"))
    assert (got.text, got.codes) == (source, {"SIG333"})


@pytest.mark.parametrize(
    ("inside", "code", "targets"),
    [
        ("__int128 a = b / c;", "SIG307", ("mp_31",)),
        ("unsigned __int128 a;", "SIG307", ("mp_31",)),
        ("__uint128_t a;", "SIG307", ("mp_31",)),
        ("long double a;", "SIG334", ("mp_31",)),
        ("double a;", "SIG335", ("mp_21",)),
    ],
)
def test_wide_types(inside: str, code: str, targets: tuple[str, ...]) -> None:
    assert port(body(inside), targets=targets).codes == {code}
    assert port(f"__device__ void f() {{ {inside} }}", targets=targets).codes == {code}
    assert port(f"void f() {{ {inside} }}", targets=targets).codes == set()
    assert port(f"// {inside}\n" + body(""), targets=targets).codes == set()


def test_double_elsewhere() -> None:
    assert port(body("double a;"), targets=("mp_22", "mp_31")).codes == set()


# --- clang ----------------------------------------------------------------------------------------


def test_dependent_members_get_the_word_template() -> None:
    source = "template <class T, int N> __device__ void f(T a, const T &b, T *c) {{ {} }}"
    got = port(source.format("a.g<N>(); use(b.h<0, 1>(2)); c->i<int *>(); T d = a; d.g<1>();"))
    assert got.text == source.format(
        "a.template g<N>(); use(b.template h<0, 1>(2)); c->template i<int *>(); T d = a; "
        "d.template g<1>();"
    )
    assert "SIG339" in got.codes
    assert port(got.text).edits == ()


@pytest.mark.parametrize(
    "source",
    [
        "template <class T> __device__ void f(T a) { a.template g<1>(); a.n < 3; a.g(); }",
        "template <class T> __device__ void f(S a) { a.g<1>(); }",
        "template <int N> __device__ void f(S a) { a.g<N>(); }",
        "__device__ void f(S a) { a.g<1>(); }",
        "template <class T> __device__ void f(Traits a) { a.g<1>(); }",
        "template <class T> __device__ void f(T a) { /* a.g<1>(); */ }",
    ],
)
def test_members_that_stay(source: str) -> None:
    assert port(source).text == source


def test_restrict_on_members() -> None:
    assert "SIG340" in port("struct P { int n; float *__restrict__ p; };").codes
    assert "SIG340" in port("struct P { float *__restrict__ p; };").codes
    assert port("void f(float *__restrict__ p);").codes == set()
    assert (
        port("void f(float *__restrict__ p, int n) { float *__restrict__ q = p; }").codes == set()
    )


# --- laws -----------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    (
        *(
            "atomicAdd(",
            "atomicMin(",
            "p",
            "&p",
            "[1]",
            ", 1)",
            ";",
            "{",
            "}",
            "(",
            ")",
            "long long ",
        ),
        *("half ", "*", "template <class T> ", "T ", "a.g<1>()", "->", "__device__ ", "void f"),
        *("hexp(p)", "::", "__nanosleep(1)", "double ", "__int128 ", "struct S ", "/*", "*/", '"'),
        *("\n", "#if X\n", "#endif\n", "(long long *)", "__nv_bfloat16 ", "__restrict__ p", "= "),
    )
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_twice_is_once(source: str) -> None:
    got = port(source, targets=ALL, sdk="4.2")
    assert port(got.after, targets=ALL, sdk="4.2").after == got.after
