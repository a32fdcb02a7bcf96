"""wmma and mma.sync: where they go, what is said, and that the helpers compute what they should."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from porting import codes, find_compiler, port, port_tree, texts

from sigtrans.catalogue import data_file
from sigtrans.fragments import Fragment, blank_out, find_fragments, verdict
from sigtrans.plan import Settings
from sigtrans.syntax import find_blanks

BOTH = ("mp_22", "mp_31")
MODEL = Path(__file__).parent / "warp_model"
HELPERS = data_file("templates", "helpers/sigtrans_wmma.h").parent


def kernel(body: str, head: str = "#include <mma.h>\nusing namespace nvcuda;\n") -> str:
    return f"{head}__global__ void k(half *a, float *c, int lane) {{\n{body}\n}}\n"


LISTED = (
    "  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;\n"
    "  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;\n"
    "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;\n"
    "  wmma::fill_fragment(acc, 0.0f);\n"
    "  wmma::load_matrix_sync(fa, a, 16);\n"
    "  wmma::load_matrix_sync(fb, a, 16);\n"
    "  wmma::mma_sync(acc, fa, fb, acc);\n"
    "  wmma::store_matrix_sync(c, acc, 16, wmma::mem_row_major);"
)
WIDE = LISTED.replace("16, 16, 16", "32, 8, 16")
HALF = LISTED.replace("16, float>", "16, half>")


# --- where it goes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "targets", "space", "said"),
    [
        (LISTED, ("mp_31",), "mtmusa", {"SIG502"}),
        (LISTED.replace("half", "__nv_bfloat16"), ("mp_31",), "mtmusa", {"SIG502"}),
        (LISTED, BOTH, "sigtrans::per_card", {"SIG502", "SIG523"}),
        (LISTED, ("mp_22",), "sigtrans::emulated", {"SIG523"}),
        (LISTED, ("mp_21", "mp_22"), "sigtrans::emulated", {"SIG523"}),
        (WIDE, ("mp_31",), "sigtrans::emulated", {"SIG523"}),
        (HALF, ("mp_31",), "sigtrans::emulated", {"SIG523"}),
        (HALF, BOTH, "sigtrans::emulated", {"SIG523"}),
        (LISTED.replace("half", "signed char"), ("mp_31",), "sigtrans::emulated", {"SIG523"}),
        ("  float x = wmma::__float_to_tf32(c[0]);", ("mp_31",), "sigtrans::emulated", {"SIG523"}),
    ],
)
def test_the_namespace_follows_fragments_and_targets(
    body: str, targets: tuple[str, ...], space: str, said: set[str]
) -> None:
    got = port(kernel(body), targets=targets)
    assert not [d for d in got.diagnostics if d.code == "SIG107" and "nv_bf" not in d.message]
    assert f"using namespace {space};" in got.text
    assert "nvcuda" not in got.text
    assert got.codes == said
    if space == "mtmusa":
        assert got.helpers == frozenset()
        assert "#include <mma.h>" in got.text
    else:
        assert got.helpers == {"wmma"}
        assert '#include "sigtrans_wmma.h"' in got.text
        assert "#include <mma.h>" not in got.text
        assert "#include <musa_fp16.h>" in got.text
    assert port(got.text, targets=targets).text == got.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("namespace w = nvcuda::wmma;", "namespace w = sigtrans::emulated::wmma;"),
        ("using nvcuda::wmma::fragment;", "using sigtrans::emulated::wmma::fragment;"),
        ("::nvcuda::wmma::row_major r;", "::sigtrans::emulated::wmma::row_major r;"),
        ("using namespace /* x */ nvcuda ;", "using namespace /* x */ sigtrans::emulated ;"),
    ],
)
def test_every_way_to_name_it(before: str, after: str) -> None:
    assert after in port(before + "\n").text


@pytest.mark.parametrize(
    "same",
    [
        "// nvcuda::wmma and #include <mma.h>\n",
        'const char *s = "nvcuda::wmma";\n',
        "int my_nvcuda, nvcuda2;\n",
        "// sigtrans: off\nusing namespace nvcuda;\n// sigtrans: on\n",
        "namespace wmma = mtmusa::wmma;\nwmma::fragment<wmma::matrix_a, 8, 8, 4, double> f;\n",
        "using namespace sigtrans::emulated;\nwmma::fragment<wmma::matrix_a, 8, 8, 4, double> f;\n",
        '#include "mma.h"\n',
    ],
)
def test_left_alone(same: str) -> None:
    got = port(same)
    assert got.text == same
    assert not got.helpers
    assert not {c for c in got.codes if c.startswith("SIG52")}


def test_a_header_of_the_project_called_mma(tmp_path: Path) -> None:
    files = {"k.cu": kernel(WIDE).replace("<mma.h>", '"mma.h"'), "mma.h": "#pragma once\n"}
    text = texts(port_tree(tmp_path, files))["k.mu"]
    assert '#include "mma.h"\n' in text
    assert "sigtrans::emulated" in text


def test_files_that_share_fragments_get_the_same(tmp_path: Path) -> None:
    header = "#pragma once\n#include <mma.h>\nusing namespace nvcuda;\n"
    listed = kernel(LISTED, '#include "common.cuh"\nusing namespace nvcuda;\n')
    other = kernel(WIDE, '#include "common.cuh"\n')
    alike = port_tree(tmp_path / "a", {"common.cuh": header, "k.cu": listed})
    assert "namespace mtmusa" in texts(alike)["common.muh"]
    assert "namespace mtmusa" in texts(alike)["k.mu"]
    mixed = port_tree(tmp_path / "b", {"common.cuh": header, "k.cu": listed, "m.cu": other})
    assert "namespace sigtrans::emulated" in texts(mixed)["common.muh"]
    assert "namespace sigtrans::emulated" in texts(mixed)["k.mu"]
    assert "SIG523" in codes(mixed, "k.cu")


def test_files_without_a_shared_header_decide_for_themselves(tmp_path: Path) -> None:
    drafted = port_tree(tmp_path, {"a.cu": kernel(LISTED), "b.cu": kernel(WIDE)})
    assert "namespace mtmusa" in texts(drafted)["a.mu"]
    assert "namespace sigtrans::emulated" in texts(drafted)["b.mu"]
    assert "sigtrans_wmma.h" in drafted.plan.helpers


def test_the_port_of_a_port_is_the_same(tmp_path: Path) -> None:
    settings = Settings(jobs=1, targets=BOTH)
    first = port_tree(tmp_path / "a", {"k.cu": kernel(LISTED)}, settings)
    assert texts(port_tree(tmp_path / "b", texts(first), settings)) == {}


# --- reading fragments ----------------------------------------------------------------------------


def read(source: str) -> list[Fragment]:
    data = source.encode()
    return list(find_fragments(blank_out(data, find_blanks(data))))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("fragment<matrix_a, 16, 16, 16, half, row_major> f;", "matrix_a 16x16x16 of f16"),
        ("wmma::fragment<wmma::matrix_b,8,32,16,__nv_bfloat16,wmma::col_major> f;",
         "matrix_b 8x32x16 of bf16"),
        ("nvcuda::wmma::fragment <nvcuda::wmma::accumulator, 8, 8, 4, double> f;",
         "accumulator 8x8x4 of f64"),
        ("fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> f;",
         "matrix_a 16x16x8 of tf32"),
        ("#define M 16\nfragment<accumulator, M, (M), 0x10, int> f;",
         "accumulator 16x16x16 of s32"),
        ("const int M = 32, N = 8, K = 16;\nfragment<accumulator, M, N, K, float> f;",
         "accumulator 32x8x16 of f32"),
        ("struct S { static constexpr int K{16}; enum { M = 16, N = 16 }; };\n"
         "fragment<accumulator, S::M, S::N, S::K, float> f;", "accumulator 16x16x16 of f32"),
        ("#define A 16\n#define B A\nfragment<accumulator, B, B, B, float> f;",
         "accumulator 16x16x16 of f32"),
        ("using T = half; typedef T U;\nfragment<matrix_a, 16, 16, 16, U, row_major> f;",
         "matrix_a 16x16x16 of f16"),
        ("#ifdef X\n#define M 16\n#else\n#define M 32\n#endif\n"
         "fragment<accumulator, M, 8, 16, float> f;", "accumulator ?x8x16 of f32"),
        ("template <int M, typename T> void g() { fragment<accumulator, M, 16, 16, T> f; }",
         "accumulator ?x16x16 of an unknown type"),
        ("constexpr int M = 16; template <int M = 8> void g(fragment<accumulator,M,8,8,int> f);",
         "accumulator ?x8x8 of s32"),
        ("#define M M\nfragment<accumulator, M, 8, 8, int> f;", "accumulator ?x8x8 of s32"),
        ("template <class U> void g(fragment<U, 16, 16, 16, half> &f);",
         "fragment 16x16x16 of f16"),
        ("fragment<matrix_a, 8, 8, 32, experimental::precision::u4, row_major> f;",
         "matrix_a 8x8x32 of sub-byte"),
    ],
)  # fmt: skip
def test_shape_and_type(source: str, shown: str) -> None:
    (found,) = read(source)
    assert str(found) == shown
    assert verdict(b"nvcuda " + source.encode()) == ("listed" if found.on_list else "other")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("fragment<accumulator, 8, 8, 4, double> a, b[2][3], *c; int d;", ["a", "b", "c"]),
        ("void g(fragment<accumulator, 8, 8, 4, double> &a, float b);", ["a"]),
        ("using F = fragment<accumulator, 8, 8, 4, double>; F a; F b[2], c;", ["a", "b", "c"]),
        ("typedef fragment<accumulator, 8, 8, 4, double> F; void g(const F &a);", ["a"]),
    ],
)
def test_variables(source: str, names: list[str]) -> None:
    assert [n.decode() for f in read(source) for n in f.names] == names


@pytest.mark.parametrize(
    "source", ["int fragment; if (fragment < 3) f();", "// fragment<matrix_a, 8, 8, 4, half> f;",
               "template <> struct fragment<matrix_a, 8, 8, 4, half> {};"]
)  # fmt: skip
def test_no_fragment(source: str) -> None:
    assert read(source) == []


# --- fragment.x -----------------------------------------------------------------------------------

LOOP = "  for (int i = 0; i < acc.num_elements; i++) "


def said_of(body: str) -> set[tuple[str, str]]:
    got = port(kernel(LISTED + "\n" + body))
    return {(d.rule, d.severity.value) for d in got.diagnostics if d.code == "SIG521"}


@pytest.mark.parametrize(
    "body",
    [
        LOOP + "acc.x[i] *= 2.0f;",
        LOOP + "{ acc.x[i] = fmaxf(acc.x[i], 0.0f); }",
        LOOP + "{\n float v = acc.x[i];\n v = v > 0 ? v : 0;\n acc.x[i] = v; }",
        LOOP.replace("acc", "fa") + "fa.x[i] = __hmul(fa.x[i], fa.x[i]);",
        "  for (int i = 0; i < 8; i++) acc.x[i] *= 2.0f;",
        "  const int all = fa.num_elements;\n"
        "  for (int i = 0; i < all; i++) fa.x[i] = __hneg(fa.x[i]);",
        "  float sum = 0;\n" + LOOP + "sum += acc.x[i];",
        "  int warp = threadIdx.x / 32;\n" + LOOP + "acc.x[i] *= c[warp];",
        "  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;\n"
        + LOOP + "acc.x[i] *= c[warp];",
        "  int id = threadIdx.x, warp = 0; warp = id >> 5;\n" + LOOP + "acc.x[i] *= c[warp];",
        "  int4 p; p.x = 1; // acc.x[lane]",
        "  struct { int x[4]; } other; other.x[lane] = 1;",
    ],
)  # fmt: skip
def test_the_same_for_every_element(body: str) -> None:
    assert said_of(body) == set()


@pytest.mark.parametrize(
    ("body", "kind", "severity"),
    [
        (LOOP + "c[lane * 8 + i] = acc.x[i];", "lane", "error"),
        (LOOP + "{ int row = lane / 4 + i; if (row > 3) acc.x[i] = 0; }", "lane", "error"),
        ("  int group = threadIdx.x % 32 / 4;\n  int row = group + 8;\n"
         + LOOP + "if (row < 9) acc.x[i] = 0;", "lane", "error"),
        ("  a[threadIdx.x] = fa.x[threadIdx.x % 4];", "lane", "error"),
        (LOOP + "acc.x[i] += __shfl_xor_sync(0xffffffff, acc.x[i], 1, 32);", "lane", "error"),
        (LOOP + "fa.x[i] = __float2half(acc.x[i]);", "mixed", "error"),
        ("  acc.x[0] = 1;", "index", "warning"),
        (LOOP + "acc.x[i ^ 1] = 1;", "index", "warning"),
        ("  float2 *p = (float2 *)acc.x;", "index", "warning"),
        (LOOP + "{ int row = i % 4; acc.x[i] += c[row]; }", "index", "warning"),
        (LOOP + "acc.x[i] += c[i];", "index", "warning"),
        ("  for (int i = 0; i < 16; i++) fa.x[i] = 0;", "count", "error"),
        ("  int most = 16; for (int i = 0; i < most; i++) fa.x[i] = 0;", "count", "error"),
        ("  float sum = 0;\n" + LOOP.replace("acc", "fa") + "sum += __half2float(fa.x[i]);",
         "held", "warning"),
    ],
)  # fmt: skip
def test_elements_by_place(body: str, kind: str, severity: str) -> None:
    assert said_of(body) == {(f"matrix/fragment-{kind}", severity)}


def test_said_once_per_function() -> None:
    body = "  acc.x[0] = 1; acc.x[1] = 2;\n  acc.x[2] = 3;"
    got = port(kernel(LISTED + "\n" + body))
    (one,) = (d for d in got.diagnostics if d.code == "SIG521")
    assert "3 places in this function" in one.message


@pytest.mark.parametrize(
    "source",
    [
        "using namespace nvcuda;\nwmma::fragment<wmma::matrix_a, 8, 8, 32,"
        " wmma::experimental::precision::u4, wmma::row_major> f;\n",
        "void f() { nvcuda::wmma::bmma_sync(d, a, b, c); }\n",
        "namespace nvcuda { namespace wmma { void more(); } }\n",
    ],
)
def test_without_counterpart(source: str) -> None:
    got = port(source)
    (one,) = (d for d in got.diagnostics if d.code == "SIG522")
    assert one.severity.value == "error"


@given(
    st.lists(
        st.sampled_from(
            ["nvcuda", "::", "wmma", "fragment", "<", ">", "matrix_a", ",", "16", "half", "acc",
             ".x[", "]", "(", ")", "{", "}", ";", "for", "i", "=", "lane", "#define M 16\n", " ",
             "using namespace ", "/*", "*/", '"', "\n"]
        ),
        max_size=60,
    )
)  # fmt: skip
def test_any_text_is_read_and_settled(words: list[str]) -> None:
    got = port("".join(words), targets=BOTH)
    assert port(got.after, targets=BOTH).after == got.after


# --- the helpers ----------------------------------------------------------------------------------


def compile_host(source: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [find_compiler(), "-std=c++14", "-O1", "-Wall", "-Wextra", "-Werror"]
    command += ["-Wno-unknown-pragmas", "-I", str(HELPERS), "-I", str(MODEL), str(source), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["wmma", "mma"])
def test_helpers_compute_matrix_products(name: str, tmp_path: Path) -> None:
    built = compile_host(MODEL / f"{name}.cpp", "-o", str(tmp_path / name))
    assert built.returncode == 0, built.stderr
    run = subprocess.run([str(tmp_path / name)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    checks = int(run.stdout.split()[0])
    assert checks > 20000, run.stdout


def test_every_row_calls_a_function_of_the_helper(tmp_path: Path) -> None:
    rows = yaml.safe_load(data_file("rules", "ptx/matrix.yaml").read_text(encoding="utf-8"))
    assert len({row["id"] for row in rows}) == len(rows)
    types = {"f32": "float", "f64": "double", "b32": "unsigned", "s32": "int", "shared": "char *"}
    bodies: list[str] = []
    for n, row in enumerate(rows):
        names: dict[str, str] = {}
        for name, kind in (item.split("=") for item in row["operands"].split()):
            base, _, count = kind.partition("x")
            each = [f"{name}{i}" for i in range(int(count))] if count else [name]
            names |= dict.fromkeys(each, types[base])
        declared = " ".join(f"{kind} {name} = {{}};" for name, kind in names.items())
        call = row["code"].format(**{name: name for name in names})
        assert all(call.count(name) for name in names), row["id"]
        bodies.append(f"void row{n}() {{ {declared} {call}; }}")
    source = tmp_path / "rows.cpp"
    source.write_text(
        '#include "warp.h"\n#define SIGTRANS_HOST_TEST\n#include "sigtrans_mma.h"\n'
        + "\n".join(bodies)
        + "\nint main() {}\n"
    )
    built = compile_host(source, "-fsyntax-only", "-Wno-unused")
    assert built.returncode == 0, built.stderr
