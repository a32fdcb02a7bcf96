"""Guards: what each number becomes, and that nothing is decided without a reason.

Sources are ours; the real guard lines that the table was checked against are counted in
docs/decisions/0008-guards.md.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from porting import Port, announced, find_compiler, find_silent, port, port_tree, table, texts
from porting import codes as tree_codes

from sigtrans.passes.branches import load_rules
from sigtrans.passes.conditions import evaluate, number, parse
from sigtrans.passes.guards import has_number
from sigtrans.passes.pipeline import PASSES
from sigtrans.source import Severity

ARCH = "__CUDA_ARCH__"
BF16 = "__nv_bfloat16 x;"
ADD = "__device__ double atomicAdd(double *a, double v) { return __longlong_as_double(f(a, v)); }"


def check(source: str, after: str, said: str) -> None:
    once = port(source)
    assert once.text == after
    assert once.codes == set(said.split())
    twice = port(once.after)
    assert twice.text == after, "a second run changes nothing"
    own = announced(once.diagnostics)
    assert find_silent(once.before, once.edits, once.diagnostics, own) == []
    for d in once.diagnostics:
        assert d.span.start < d.span.end <= len(once.before) and d.rule
        assert d.help or d.severity is Severity.NOTE, f"{d.code} does not say what to do"


# --- presence -------------------------------------------------------------------------------------

PRESENCE = [
    ("ifdef", "#ifdef __CUDACC__\n#endif\n", "#ifdef __MUSACC__\n#endif\n", ""),
    ("ifndef", "#ifndef __CUDACC__\n#endif\n", "#ifndef __MUSACC__\n#endif\n", ""),
    ("defined", "#if defined(__CUDACC__)\n#endif\n", "#if defined(__MUSACC__)\n#endif\n", ""),
    (
        "defined-bare",
        "#if defined __CUDACC__ && !defined(__CUDA_ARCH__)\n#endif\n",
        "#if defined __MUSACC__ && !defined(__MUSA_ARCH__)\n#endif\n",
        "",
    ),
    (
        "elif-defined",
        "#if X\n#elif defined(__CUDACC__)\n#endif\n",
        "#if X\n#elif defined(__MUSACC__)\n#endif\n",
        "",
    ),
    ("elifdef", "#if X\n#elifdef __CUDACC__\n#endif\n", "#if X\n#elifdef __MUSACC__\n#endif\n", ""),
    ("arch-present", "#ifdef __CUDA_ARCH__\n#endif\n", "#ifdef __MUSA_ARCH__\n#endif\n", ""),
    ("arch-as-flag", "#if __CUDA_ARCH__\n#endif\n", "#if __MUSA_ARCH__\n#endif\n", ""),
    (
        "arch-as-flag-negated",
        "#if !__CUDA_ARCH__ && X\n#endif\n",
        "#if !__MUSA_ARCH__ && X\n#endif\n",
        "",
    ),
    ("version-present", "#ifdef CUDA_VERSION\n#endif\n", "#ifdef MUSA_VERSION\n#endif\n", ""),
    (
        "runtime-included",
        "#ifdef __DRIVER_TYPES_H__\n#endif\n#if !defined(__CUDA_RUNTIME_H__)\n#endif\n",
        "#ifdef MUSART_VERSION\n#endif\n#if !defined(MUSART_VERSION)\n#endif\n",
        "",
    ),
    ("nvcc-present", "#ifdef __NVCC__\n#endif\n", "#ifdef __MUSACC__\n#endif\n", ""),
    (
        "guard-continued",
        "#if defined(A) || \\\n  defined(__CUDACC__)\n#endif\n",
        "#if defined(A) || \\\n  defined(__MUSACC__)\n#endif\n",
        "",
    ),
    (
        "guard-comment",
        "#if defined(__CUDACC__) // __CUDA_ARCH__ >= 800\n#endif\n",
        "#if defined(__MUSACC__) // __CUDA_ARCH__ >= 800\n#endif\n",
        "",
    ),
    ("guard-undefined", "#undef __CUDACC__\n", "#undef __MUSACC__\n", ""),
    ("guard-bom", "\ufeff#ifdef __CUDACC__\n#endif\n", "\ufeff#ifdef __MUSACC__\n#endif\n", ""),
]


@pytest.mark.parametrize(
    ("source", "after", "said"), [pytest.param(*row[1:], id=row[0]) for row in PRESENCE]
)
def test_presence(source: str, after: str, said: str) -> None:
    check(source, after, said)


# --- thresholds by feature ------------------------------------------------------------------------


def branch(condition: str, body: str = BF16, rest: str = "#else\nfloat x;\n") -> str:
    return f"#if {condition}\n{body}\n{rest}#endif\n"


CONDITIONS = [
    ("ge", "__CUDA_ARCH__ >= 800", "__MUSA_ARCH__ >= 220"),
    ("turned", "800 <= __CUDA_ARCH__", "220 <= __MUSA_ARCH__"),
    ("gt", "__CUDA_ARCH__ > 750", "__MUSA_ARCH__ >= 220"),
    ("gt-odd", "__CUDA_ARCH__ > 799", "__MUSA_ARCH__ >= 220"),
    ("lt-turned", "750 < __CUDA_ARCH__", "220 <= __MUSA_ARCH__"),
    ("not-lt", "!(__CUDA_ARCH__ < 800)", "!(__MUSA_ARCH__ < 220)"),
    ("hex", "__CUDA_ARCH__ >= 0x320", "__MUSA_ARCH__ >= 220"),
    ("suffix", "__CUDA_ARCH__ >= 800U", "__MUSA_ARCH__ >= 220"),
    ("separator", "__CUDA_ARCH__ >= 8'00", "__MUSA_ARCH__ >= 220"),
    ("no-space", "(__CUDA_ARCH__>=800)", "(__MUSA_ARCH__>=220)"),
    ("brackets", "((__CUDA_ARCH__) >= (800))", "((__MUSA_ARCH__) >= (220))"),
    ("comment", "__CUDA_ARCH__ /* sm_80 */ >= 800 // up", "__MUSA_ARCH__ /* sm_80 */ >= 220 // up"),
    ("continued", "__CUDA_ARCH__ \\\n  >= 800", "__MUSA_ARCH__ \\\n  >= 220"),
    ("divided", "__CUDA_ARCH__ / 100 >= 8", "__MUSA_ARCH__ >= 220"),
    (
        "and-defined",
        "defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 800)",
        "defined(__MUSA_ARCH__) && (__MUSA_ARCH__ >= 220)",
    ),
    (
        "or-host",
        "!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800",
        "!defined(__MUSA_ARCH__) || __MUSA_ARCH__ >= 220",
    ),
    (
        "with-others",
        "defined(X) && !defined Y && Z > 3 && __CUDA_ARCH__ >= 800",
        "defined(X) && !defined Y && Z > 3 && __MUSA_ARCH__ >= 220",
    ),
    ("words", "defined X and not (__CUDA_ARCH__ < 800)", "defined X and not (__MUSA_ARCH__ < 220)"),
    ("flag-and", "__CUDA_ARCH__ && __CUDA_ARCH__ >= 800", "__MUSA_ARCH__ >= 220"),
]


@pytest.mark.parametrize(
    ("before", "after"), [pytest.param(*row[1:], id=row[0]) for row in CONDITIONS]
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_condition(before: str, after: str, newline: str) -> None:
    source = branch(before).replace("\n", newline)
    ported = branch(after, "__mt_bfloat16 x;").replace("\n", newline)
    check(source, ported, "SIG406")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("__CUDA_ARCH__ < 800", "__MUSA_ARCH__ < 220", id="lt"),
        pytest.param("800 > __CUDA_ARCH__", "220 > __MUSA_ARCH__", id="turned"),
        pytest.param("__CUDA_ARCH__ <= 750", "__MUSA_ARCH__ < 220", id="le"),
        pytest.param("!(__CUDA_ARCH__ >= 800)", "!(__MUSA_ARCH__ >= 220)", id="not-ge"),
    ],
)
def test_the_old_branch_first(before: str, after: str) -> None:
    rest = f"#else\n{BF16}\n"
    check(
        branch(before, "float x;", rest),
        branch(after, "float x;", rest.replace("nv", "mt")),
        "SIG406",
    )


# (id, condition, guarded code, other branch, condition of the port, code)
FEATURES = [
    ("fp8", ">= 890", "__nv_fp8_e4m3 x;", "float x;", ">= 310", "SIG406"),
    ("fp8-and-bf16", ">= 900", "f(__nv_bfloat16(__nv_fp8_e4m3(1)));", "x;", ">= 310", "SIG406"),
    ("half", ">= 530", "x = __hadd(a, b);", "x = a + b;", ">= 210", "SIG406"),
    ("half-later", ">= 600", "x = __hfma2(a, b, c);", "x = a;", ">= 210", "SIG406"),
    ("double-add", ">= 600", "atomicAdd((double *)p, x);", "f(p, x);", ">= 210", "SIG406"),
    ("dot", ">= 610", "x = __dp4a(a, b, c);", "x = f(a, b, c);", ">= 210", "SIG406"),
    ("dynamic", ">= 200", 'printf("x");', "", ">= 210", "SIG406"),
    ("kepler", ">= 350", "x = __ldg(p);", "x = *p;", ">= 210", "SIG406"),
    ("kepler-any", ">= 300", "int x = 3;", "int x = 2;", ">= 210", "SIG406"),
    ("shared", ">= 200", "const int n = 48 * 1024;", "const int n = 16384;", ">= 220", "SIG406"),
    ("reduce", ">= 800", "x = __reduce_add_sync(m, v);", "", ">= 210", "SIG406"),
]


@pytest.mark.parametrize(
    ("test", "body", "rest", "after", "said"), [pytest.param(*r[1:], id=r[0]) for r in FEATURES]
)
def test_feature(test: str, body: str, rest: str, after: str, said: str) -> None:
    once = port(branch(f"{ARCH} {test}", body, f"#else\n{rest}\n"))
    assert f"#if __MUSA_ARCH__ {after}\n" in once.text
    assert {c for c in once.codes if c.startswith("SIG4")} == {"SIG406"}


def test_a_stand_in_for_older_cards_tells_the_feature() -> None:
    check(
        f"#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#else\n{ADD}\n#endif\n",
        f"#if !defined(__MUSA_ARCH__) || __MUSA_ARCH__ >= 210\n#else\n{ADD}\n#endif\n",
        "SIG406",
    )
    check(
        f"#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600\n{ADD}\n#endif\n",
        f"#if defined(__MUSA_ARCH__) && __MUSA_ARCH__ < 210\n{ADD}\n#endif\n",
        "SIG406",
    )


# (id, condition, guarded code, other branch): MUSA lacks it and the other branch works
NEVER = [
    ("ptx", ">= 750", 'asm("tanh.approx.f32 %0,%1;" : "=f"(r) : "f"(x));', "r = tanhf(x);"),
    ("wgmma", ">= 900", "warpgroup_mma(a, b);", "mma(a, b);"),
    ("cluster", ">= 900", "cluster_arrive();", "block_sync();"),
    ("one-card", "== 900", "wgmma_ss(a, b);", "mma(a, b);"),
    ("tanh-too", "> 720", 'asm("tanh.approx.f32 %0,%1;" : "=f"(r) : "f"(x));', "r = tanhf(x);"),
    ("ldmatrix", ">= 750", "using A = C<SM75_U32x4_LDSM_N, T>;", "using A = C<Copy, T>;"),
]


@pytest.mark.parametrize(("test", "body", "rest"), [pytest.param(*r[1:], id=r[0]) for r in NEVER])
def test_the_other_branch_where_no_card_has_the_feature(test: str, body: str, rest: str) -> None:
    once = port(branch(f"{ARCH} {test} && X", body, f"#else\n{rest}\n"))
    assert once.text.startswith(f"#if 0 /* {ARCH} {test}: no ")
    assert " on MUSA */ && X\n" in once.text
    assert port(once.after).text == once.text
    turned = port(branch(f"!({ARCH} {test})", rest, f"#else\n{body}\n"))
    assert turned.text.startswith(f"#if !(0 /* {ARCH} {test}: no ")
    assert {c for c in (once.codes | turned.codes) if c.startswith("SIG4")} == {"SIG406"}


def test_a_branch_without_the_fence_is_no_replacement() -> None:
    rest = "#else\n*(volatile int *)p = x;\n"
    body = 'asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(p), "r"(x));'
    for text in (body, body.replace('"st', '"\\tst'), body.replace('"st', '"\\n\\tst')):
        assert "#if __MUSA_ARCH__ >= 210\n" in port(branch(f"{ARCH} >= 700", text, rest)).text
        text = text.replace("[%0]", "[%2]")  # there is none
        once = port(branch(f"{ARCH} >= 700", text, rest))
        assert "SIG408" in once.codes and "#error" in once.text


@pytest.mark.parametrize("name", ["wgmma.fence.sync.aligned", "my_fence.sc", "x.bar.sync"])
def test_the_tail_of_another_instruction_orders_nothing(name: str) -> None:
    once = port(branch(f"{ARCH} >= 900", f'asm volatile("{name};");', f"#else\n{BF16}\n"))
    assert "SIG406" in once.codes and "#error" not in once.text


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param("", id="none"),
        pytest.param("#else\n", id="empty"),
        pytest.param("#else\n// later\n", id="comment"),
        pytest.param('#else\n#error "sm_90"\n', id="error"),
        pytest.param("#else\nassert(false);\n", id="assert"),
        pytest.param("#else\n__trap();\n", id="trap"),
        pytest.param("#else\nCUTE_INVALID_CONTROL_PATH(x);\n", id="invalid"),
        pytest.param('#else\nprintf("needs sm_90");\n', id="message"),
        pytest.param("#else\nreturn {};\n", id="return"),
        pytest.param("#else\nvoid f() {\n}\n", id="no-body"),
        pytest.param('#else\nasm("mov.u32 %0, 1;");\n', id="assembly-too"),
        pytest.param("#elif X\nf();\n", id="no-else"),
    ],
)
def test_no_branch_that_works_stops_the_build(rest: str) -> None:
    once = port(branch(f"{ARCH} >= 900", "wgmma_ss(a, b);", rest))
    assert "SIG408" in once.codes
    assert '#if defined(__MUSA_ARCH__)\n#error "sigtrans SIG408: ' in once.text
    assert port(once.after).text == once.text


@pytest.mark.parametrize(
    ("rest", "after"), [("", "210"), ("#else\nf();\n", "310")], ids=["alone", "with-another"]
)
def test_emulated_below(rest: str, after: str) -> None:
    """wmma has units on mp_31; below, the port's arithmetic only where nothing else is there."""
    body = "wmma::fill_fragment(c, 0.0f);"
    assert port(branch(f"{ARCH} >= 700", body, rest)).text.startswith(
        f"#if __MUSA_ARCH__ >= {after}"
    )


def test_a_target_without_the_feature_is_a_warning() -> None:
    source = branch(f"{ARCH} >= 800", BF16, "")
    assert "SIG406" in port(source, targets=("mp_22",)).codes
    assert "SIG407" in port(source, targets=("mp_21", "mp_22")).loud
    both = branch(f"{ARCH} >= 800", BF16, "#else\nf();\n")
    assert "SIG407" not in port(both, targets=("mp_21", "mp_22")).codes


def test_a_branch_that_works_is_better_than_an_emulation() -> None:
    once = port(branch(f"{ARCH} >= 800", "x = __reduce_add_sync(m, v);", "#else\nx = f(v);\n"))
    assert "#if 0 /* __CUDA_ARCH__ >= 800: the other branch works without " in once.text


def test_a_macro_that_is_not_defined_is_an_answer() -> None:
    source = "#if __CUDA_ARCH__ >= 900\n#define LIB_MMA_SM90_ENABLED 1\n#endif\n"
    after = source.replace(
        "__CUDA_ARCH__ >= 900",
        "0 /* __CUDA_ARCH__ >= 900: no warpgroup matrix multiply (wgmma) on MUSA */",
    )
    check(source, after, "SIG406")


RESIDENT = "#define MAX_1024_THREADS_BLOCKS {}"


@pytest.mark.parametrize(
    ("test", "open_"),
    [
        ("__CUDA_ARCH__ == 800 || __CUDA_ARCH__ >= 900", False),
        ("900 <= __CUDA_ARCH__ || 800 == __CUDA_ARCH__", False),
        ("__CUDA_ARCH__ >= 800 && !(__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900)", False),
        ("__CUDA_ARCH__ >= 300 && __CUDA_ARCH__ < 750", False),
        ("__CUDA_ARCH__ == 800", True),
        ("__CUDA_ARCH__ == 800 || __CUDA_ARCH__ >= 890", True),
        ("__CUDA_ARCH__ == 860 || __CUDA_ARCH__ >= 900", True),
        ("__CUDA_ARCH__ >= 800", True),
        ("__CUDA_ARCH__ != 860", True),
    ],
)
def test_a_test_for_the_cards_that_have_something(test: str, open_: bool) -> None:
    """2048 threads of a multiprocessor: 8.0 and 9.0 have them, 7.5 and 8.6 to 8.9 have not."""
    source = branch(test, RESIDENT.format(2), f"#else\n{RESIDENT.format(1)}\n")
    once = port(source)
    if open_:
        assert codes(once) == {"SIG401"}
    else:
        check(source, source.replace(test, "__MUSA_ARCH__ >= 210"), "SIG406")
    assert codes(port(branch(test, "int x;"))) == {"SIG401"}, "the code has to speak of threads"


OLD_BF16 = (
    "defined(B) && (__CUDACC_VER_MAJOR__ < 12) "
    "&& !((__CUDA_ARCH__ >= 800) || !defined(__CUDA_ARCH__))"
)


def test_a_version_that_no_card_of_the_port_gets_to() -> None:
    once = port(branch(OLD_BF16, BF16, ""))
    assert once.text.startswith(
        "#if defined(B) && (0 /* __CUDACC_VER_MAJOR__ < 12: the condition does not hold without "
        "it, on the host and on mp_31 */) && !((__MUSA_ARCH__ >= 220) || !defined(__MUSA_ARCH__))\n"
    )
    assert codes(once) == {"SIG406"} and port(once.after).text == once.text
    assert codes(port(branch(OLD_BF16, BF16, ""), targets=("mp_21", "mp_31"))) == {"SIG401"}
    for other in (
        OLD_BF16.replace(") || !defined(__CUDA_ARCH__)", ")"),  # the host gets there
        OLD_BF16.replace("&& !", "|| !"),
        "(__CUDACC_VER_MAJOR__ < 12) && !defined(__CUDA_ARCH__)",
    ):
        assert codes(port(branch(other, BF16, ""))) == {"SIG401"}
    either = port(
        branch(
            "CUDART_VERSION >= 12000 || __CUDA_ARCH__ >= 530 || !defined(__CUDA_ARCH__)",
            "half2 x;",
            "",
        )
    )
    assert "#if 0 /* CUDART_VERSION >= 12000: the condition holds without it" in either.text


# --- assembly that the port writes in C++ ---------------------------------------------------------

LANE = 'asm volatile("mov.u32 %0, %%laneid;" : "=r"(x));'
LOGIC = 'asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(x) : "r"(a), "r"(b), "r"(c));'
COPY = (
    'asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: '
    '"r"((unsigned)__cvta_generic_to_shared(d)), "l"(s));'
)
FENCE = 'asm volatile("fence.acq_rel.gpu;" ::: "memory");'
STOPPED = 'asm volatile("mov.u32 %0, %%smid;" : "=r"(x));'
REVIEWED = 'asm("tanh.approx.f32 %0,%1;" : "=f"(r) : "f"(x));'
OLDER = "#else\nx = f(a);\n"


def codes(once: Port, *words: str) -> set[str]:
    return {c for c in once.codes if c.startswith(words or "SIG4")}


@pytest.mark.parametrize("rest", [OLDER, ""], ids=["older", "alone"])
@pytest.mark.parametrize("number", [700, 800, 900, 1000])
@pytest.mark.parametrize("body", [LOGIC, LANE, FENCE], ids=["logic", "lane", "fence"])
def test_assembly_that_is_written_exactly_is_there(body: str, number: int, rest: str) -> None:
    once = port(branch(f"{ARCH} >= {number}", body, rest))
    assert once.text.count("#if __MUSA_ARCH__ >= 210\n") == 1
    assert codes(once) == {"SIG406"} and "asm" not in once.text
    assert port(once.after).text == once.text
    turned = port(branch(f"{ARCH} < {number}", "x = f(a);", f"#else\n{body}\n"))
    assert "#if __MUSA_ARCH__ < 210\n" in turned.text and codes(turned) == {"SIG406"}


@pytest.mark.parametrize(
    ("body", "after"),
    [
        pytest.param(f"{LOGIC}\n{BF16}", ">= 220", id="bfloat16"),
        pytest.param(f"{LOGIC}\n__nv_fp8_e4m3 y;", ">= 310", id="fp8"),
    ],
)
def test_what_else_stands_there_is_asked_for(body: str, after: str) -> None:
    assert f"#if __MUSA_ARCH__ {after}\n" in port(branch(f"{ARCH} >= 900", body, OLDER)).text


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{LOGIC}\n{REVIEWED}", id="review"),
        pytest.param(f"{LOGIC}\n{STOPPED}", id="stopped"),
        pytest.param(f"{LOGIC}\nwgmma_ss(a, b);", id="absent"),
        pytest.param('asm volatile("cp.async.wait_group 0;");', id="a-wait-alone"),
        pytest.param(LOGIC.replace("asm", "ASM").replace("ASM", "asm goto"), id="goto"),
    ],
)
def test_what_is_not_written_exactly_gives_way(body: str) -> None:
    once = port(branch(f"{ARCH} >= 900", body, OLDER))
    assert f"#if 0 /* {ARCH} >= 900: no " in once.text
    alone = port(branch(f"{ARCH} >= 900", body, ""))
    assert "#error" in alone.text and codes(alone) == {"SIG408"}


def test_another_spelling_of_asm_is_assembly() -> None:
    for word in ("__asm__", "__asm"):
        once = port(branch(f"{ARCH} >= 900", STOPPED.replace("asm", word), OLDER))
        assert f"#if 0 /* {ARCH} >= 900: no inline assembly on MUSA */" in once.text


def test_a_copy_without_waiting_is_no_better_than_a_branch_without() -> None:
    """The newer branch often counts on more shared memory for its stages; the older works as is."""
    once = port(branch(f"{ARCH} >= 800", COPY, OLDER))
    assert f"#if 0 /* {ARCH} >= 800: the other branch works without async" in once.text
    alone = port(branch(f"{ARCH} >= 800", COPY, ""))
    assert "#if __MUSA_ARCH__ >= 210\n" in alone.text and codes(alone) == {"SIG406"}


def test_a_function_of_this_file_is_what_its_assembly_is() -> None:
    both = f"__device__ void cp_async4(void *d, void *s) {{\n{COPY}\n}}\n"
    source = branch(
        f"{ARCH} < 800",
        "// none",
        f"#else\n{both}#endif\n#if {ARCH} >= 800\n" + "f(); cp_async4(d, s);\n",
    )
    once = port(source)
    assert once.text.count("#if __MUSA_ARCH__ < 210\n") == 1
    assert once.text.count("#if __MUSA_ARCH__ >= 210\n") == 1 and codes(once) == {"SIG406"}
    for wrong in (
        source.replace("cp.async.cg", "cp.async.bulk"),
        source.replace("cp_async4(d", "cp_async8(d"),
        f"{source}__device__ void cp_async4(int) {{ {STOPPED} }}\n",
    ):
        assert codes(port(wrong)) >= {"SIG408"}


def test_memory_order_never_gives_way() -> None:
    for more in (COPY, "wgmma_ss(a, b);", STOPPED):
        once = port(branch(f"{ARCH} >= 900", f"{FENCE}\n{more}", OLDER))
        assert "#if 0" not in once.text
        assert ("#error" in once.text) is (more != COPY)


def test_memory_order_on_a_card_that_lacks_the_rest() -> None:
    source = branch(f"{ARCH} >= 900", f"{FENCE}\n{BF16}", OLDER)
    assert "#if __MUSA_ARCH__ >= 220\n" in port(source, targets=("mp_22", "mp_31")).text
    lacking = port(source, targets=("mp_21", "mp_31"))
    assert "#error" in lacking.text and codes(lacking) == {"SIG408"}


def test_an_older_branch_with_assembly_is_whole() -> None:
    once = port(branch(f"{ARCH} >= 900", "wgmma_ss(a, b);", f"#else\n{LOGIC}\n"))
    assert f"#if 0 /* {ARCH} >= 900: no " in once.text


def test_assembly_for_older_cards_alone_tells_nothing() -> None:
    for source in (
        branch(f"{ARCH} < 700", LOGIC, ""),
        branch(f"{ARCH} >= 700", "", f"#else\n{LOGIC}\n"),
    ):
        assert codes(port(source)) == {"SIG401"}


def test_assembly_for_one_card() -> None:
    once = port(branch(f"{ARCH} == 900", LOGIC, OLDER))
    assert f"#if 0 /* {ARCH} == 900: the other branch works without inline assembly */" in once.text
    assert codes(port(branch(f"{ARCH} == 900", LOGIC, ""))) == {"SIG401"}


def test_assembly_under_a_version() -> None:
    once = port(branch("CUDA_VERSION >= 11000", LOGIC, OLDER))
    assert "#if 1 /* CUDA_VERSION >= 11000: " in once.text and codes(once) == {"SIG406"}
    assert "#if 0 /* CUDA" in port(branch("CUDA_VERSION >= 11000", COPY, OLDER)).text
    assert "#if 0 /* CUDA" in port(branch("CUDA_VERSION >= 11000", STOPPED, OLDER)).text


def test_chain() -> None:
    source = (
        "#if __CUDA_ARCH__ >= 900\ncluster_wait();\n#elif __CUDA_ARCH__ >= 800\n__nv_bfloat16 x;\n"
        "#else\nf();\n#endif\n"
    )
    after = (
        "#if 0 /* __CUDA_ARCH__ >= 900: no thread block clusters on MUSA */\ncluster_wait();\n"
        "#elif __MUSA_ARCH__ >= 220\n__mt_bfloat16 x;\n#else\nf();\n#endif\n"
    )
    check(source, after, "SIG406")


def test_an_inner_guard_speaks_for_itself() -> None:
    """The bfloat16 below belongs to the inner test, so nothing tells what 700 is for."""
    once = port(f"#if {ARCH} >= 700\nf();\n#if {ARCH} >= 800\n{BF16}\n#endif\n#endif\n")
    assert "#elif __CUDA_ARCH__ >= 700" in once.text and "#if __MUSA_ARCH__ >= 220" in once.text


def test_comments_and_strings_are_no_evidence() -> None:
    for body in ("f(); // __nv_bfloat16", 'f("__nv_bfloat16");', "/* cp.async */ f();"):
        codes = port(branch(f"{ARCH} >= 800", body)).codes
        assert {c for c in codes if c.startswith("SIG4")} == {"SIG401"}


# --- undecided: reported, and the build stops there -----------------------------------------------

E = "\n#endif\n"
OPEN = [
    ("nothing", "#if __CUDA_ARCH__ >= 800" + E),
    ("plain", "#if __CUDA_ARCH__ >= 800\nconst int stages = 4;" + E),
    ("turned", "#if 800 <= __CUDA_ARCH__" + E),
    ("eq", "#if __CUDA_ARCH__ == 800" + E),
    ("eq-turned", "#if 800 == __CUDA_ARCH__" + E),
    ("ne", "#if __CUDA_ARCH__ != 800" + E),
    ("ne-word", "#if __CUDA_ARCH__ not_eq 800" + E),
    ("range", f"#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 890\n{BF16}" + E),
    ("range-apart", f"#if __CUDA_ARCH__ >= 800 && X && __CUDA_ARCH__ < 890\n{BF16}" + E),
    ("two-places", f"#if __CUDA_ARCH__ >= 800 || (X && __CUDA_ARCH__ > 600)\n{BF16}" + E),
    ("cards", f"#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ >= 900\n{BF16}" + E),
    ("other-number", f"#if __CUDA_ARCH__ >= 750\n{BF16}" + E),
    ("divided", "#if __CUDA_ARCH__ / 10 == 80" + E),
    ("shift", "#if __CUDA_ARCH__ >> 3" + E),
    ("xor", "#if __CUDA_ARCH__ ^ 800" + E),
    ("mask", "#if 1 & __CUDA_ARCH__" + E),
    ("macro-call", f"#if AT_LEAST(__CUDA_ARCH__, 800)\n{BF16}" + E),
    ("max", f"#if MAX(__CUDA_ARCH__, 0) > 1\n{BF16}" + E),
    ("other-macro", f"#if __CUDA_ARCH__ >= LIMIT\n{BF16}" + E),
    ("unreadable", f"#if __CUDA_ARCH__ >= 800 @ 1\n{BF16}" + E),
    ("deep", "#if " + "(" * 60 + "__CUDA_ARCH__ >= 800" + ")" * 60 + E),
    ("elif", "#if 0\n#elif __CUDA_ARCH__ >= 700 || defined(X)" + E),
    ("bom", "\ufeff#if __CUDA_ARCH__ >= 800" + E),
    ("digraph", "%: if __CUDA_ARCH__ >= 800\n%:endif\n"),
    ("no-end", "#if __CUDA_ARCH__ >= 800"),
    ("crlf", "#if __CUDA_ARCH__ >= 800 && \\\r\n X\r\n#endif\r\n"),
    ("version", "#if CUDA_VERSION >= 12000" + E),
    ("version-turned", "#if 11000 > CUDA_VERSION" + E),
    ("version-range", "#if CUDA_VERSION >= 11000 && CUDA_VERSION < 11040\nf();" + E),
    ("version-eq", "#if CUDART_VERSION == 11000\ncudaMallocAsync(p, 1, s);" + E),
    ("everyday", "#if CUDART_VERSION >= 11000\ncudaMalloc(p, 1);" + E),
    ("reshaped", "#if CUDART_VERSION >= 12000\ncudaGraphInstantiate(&e, g, 0);" + E),
    ("compiler", "#if __CUDACC_VER_MAJOR__ >= 11" + E),
    ("build", "#if __CUDACC_VER_BUILD__ >= 200" + E),
    ("nccl", "#if NCCL_VERSION_CODE >= 20000" + E),
    ("patch", "#if CUBLAS_VER_MAJOR == 11 && CUBLAS_VER_PATCH >= 3" + E),
    ("cudnn-eq", "#if CUDNN_VERSION != 8902" + E),
    ("quotes", "#if __CUDA_ARCH__ >= 800 && X == '\"'" + E),
]


@pytest.mark.parametrize("source", [pytest.param(row[1], id=row[0]) for row in OPEN])
def test_open(source: str) -> None:
    once = port(source)
    assert once.codes - {"SIG145"} == {"SIG401"}
    first = next(d for d in once.diagnostics if d.code == "SIG401")
    assert first.severity is Severity.ERROR and "stops" in first.message
    stops = [e for e in once.edits if e.rule == "guards/stop"]
    assert len(stops) == sum(d.code == "SIG401" for d in once.diagnostics) == 1
    match = re.search(
        r"(?:#|%:) ?(?:el)?if defined\(__MUSA.*\r?\n"
        r"(?:#|%:) ?error \"sigtrans SIG401: .*\"\r?\n(?:#|%:) ?elif",
        once.text,
    )
    assert match is not None
    assert port(once.after).text == once.text
    assert "\r\n" not in once.text.replace(source, "") or "\r\n" in source


def test_the_stop_is_for_musa_builds_only() -> None:
    once = port("#if CUDA_VERSION >= 12000\n#endif\n")
    test = "defined(__MUSACC__) || defined(MUSART_VERSION) || defined(MUSA_VERSION)"
    assert once.text.startswith(f"#if {test}\n#error ")
    arch = port("  # if __CUDA_ARCH__ >= 800\n  # endif\n")
    assert arch.text == (
        "  # if defined(__MUSA_ARCH__)\n"
        '  # error "sigtrans SIG401: decide for MUSA: __CUDA_ARCH__ >= 800"\n'
        "  # elif __CUDA_ARCH__ >= 800\n  # endif\n"
    )


DEVICE = ("-D__MUSACC__", "-D__MUSA_ARCH__=220")
OPEN_MACRO = "#define AMPERE (__CUDA_ARCH__ >= 800)\n"


@pytest.mark.parametrize(
    ("source", "defines", "passes"),
    [
        pytest.param("#if __CUDA_ARCH__ >= 800\n#endif\n", DEVICE, False, id="device"),
        pytest.param("#if __CUDA_ARCH__ >= 800\n#endif\n", ("-D__MUSACC__",), True, id="host"),
        pytest.param("#if __CUDA_ARCH__ >= 800\n#endif\n", (), True, id="other-compiler"),
        pytest.param("#if 0\n#elif __CUDA_ARCH__ >= 800\n#endif\n", DEVICE, False, id="elif"),
        pytest.param("#if 1\n#elif __CUDA_ARCH__ >= 800\n#endif\n", DEVICE, True, id="not-reached"),
        pytest.param("#if CUDA_VERSION >= 12000\n#endif\n", (), True, id="version-without-musa"),
        pytest.param(
            "#if CUDA_VERSION >= 12000\n#endif\n", ("-DMUSART_VERSION=1",), False, id="version"
        ),
        pytest.param(OPEN_MACRO, DEVICE, True, id="macro-not-used"),
        pytest.param(f"{OPEN_MACRO}#if AMPERE\n#endif\n", DEVICE, False, id="macro-used"),
        pytest.param(
            f"#if __CUDA_ARCH__ >= 800\nint n = sizeof(short); // {BF16}\n#define B __nv_bfloat16\n"
            "#else\n#error old\n#endif\n",
            DEVICE,
            True,
            id="mapped",
        ),
    ],
)
def test_what_a_compiler_makes_of_it(source: str, defines: tuple[str, ...], passes: bool) -> None:
    command = [find_compiler(), "-E", "-P", "-x", "c++", *defines, "-"]
    ran = subprocess.run(command, input=port(source).after, capture_output=True, check=False)
    assert (ran.returncode == 0) is passes, ran.stderr.decode()
    if not passes:
        assert re.search(rb"SIG40|expansion of macro .{1,3}AMPERE", ran.stderr)  # gcc's words


def test_every_open_condition_of_a_chain_stops() -> None:
    once = port("#if __CUDA_ARCH__ >= 900\nf();\n#elif __CUDA_ARCH__ >= 800\ng();\n#endif\n")
    assert once.text.count("#error") == 2 and once.text.count("#if ") == 1
    assert once.text.count("#elif") == 3 and once.text.count("#endif") == 1


def test_place_of_a_report() -> None:
    assert port("#if A && \\\n CUDA_VERSION > 11000\n#endif").places == {"2:2 SIG401"}


# --- versions -------------------------------------------------------------------------------------


def version(condition: str, body: str = "f();", rest: str = "#else\ng();\n") -> str:
    """The condition of the port, without the reason that stands in a comment."""
    once = port(branch(condition, body, rest))
    assert port(once.after).text == once.text
    line = once.text.splitlines()[0].removeprefix("#if ")
    assert once.codes & {"SIG401", "SIG406", "SIG407", "SIG408"}
    return re.sub(r" /\* .*? \*/", "", line)


@pytest.mark.parametrize(
    ("condition", "after"),
    [
        ("CUDART_VERSION >= 4000", "1"),
        ("4000 <= CUDART_VERSION", "1"),
        ("CUDART_VERSION < 9000", "0"),
        ("!(CUDA_VERSION < 9000)", "!(0)"),
        ("CUDA_VERSION >= 9000 && X", "1 && X"),
        ("CUDA_VERSION / 1000 < 9", "0"),
        ("__CUDACC_VER_MAJOR__ >= 9", "1"),
        ("__CUDACC_VER_MAJOR__ == 8", "0"),
        (
            "__CUDACC_VER_MAJOR__ > 9 || (__CUDACC_VER_MAJOR__ == 9 && __CUDACC_VER_MINOR__ >= 2)",
            "1",
        ),
        ("defined(CUDART_VERSION) && CUDART_VERSION >= 9000", "defined(MUSART_VERSION) && 1"),
        ("CUDART_VERSION >= 13000", "0"),
        ("(CUDA_VERSION / 1000) >= 13", "(0)"),
    ],
)
def test_level_of_the_interface(condition: str, after: str) -> None:
    assert version(condition).replace("(0) >= 13", "(0)") in (after, after.strip("()"))


@pytest.mark.parametrize(
    ("condition", "body", "after"),
    [
        ("CUDART_VERSION >= 11020", "cudaMallocAsync(&p, n, s);", "1"),
        ("CUDA_VERSION >= 11000", "#include <cuda_bf16.h>", "1"),
        ("CUDA_VERSION < 11020", "cudaMalloc(&p, n);", ""),
        ("NCCL_VERSION_CODE >= NCCL_VERSION(2, 10, 0)", "x = ncclAvg;", "1"),
        ("NCCL_MAJOR > 2 || (NCCL_MAJOR == 2 && NCCL_MINOR >= 10)", "x = ncclAvg;", "1"),
        ("defined(CUBLAS_VERSION) && CUBLAS_VERSION >= 11000", "#include <cublasLt.h>", "1"),
    ],
)
def test_by_the_names_in_the_branch(condition: str, body: str, after: str) -> None:
    if after:
        assert version(condition, body) == after
    else:
        assert version(condition, body, "#else\ncudaMallocAsync(&p, n, s);\n") == "0"


def test_names_that_need_a_newer_sdk() -> None:
    source = branch("CUDART_VERSION >= 11020", "cudaMallocAsync(&p, n, s);", "#else\ng(&p, n);\n")
    assert port(source, sdk="5.1").text.startswith("#if 1 /*")
    assert port(source, sdk="4.3").text.startswith("#if 0 /*")


def test_names_that_musa_lacks() -> None:
    body = "cudaGetParameterBufferV2(f, g, b, 0);"
    assert version("CUDART_VERSION >= 12000", body) == "0"
    once = port(branch("CUDART_VERSION >= 12000", body, ""))
    assert "SIG408" in once.codes and "#error" in once.text


def test_thin_evidence_is_a_warning() -> None:
    name = next(
        n.decode()
        for n in sorted(table().unproven)
        if n in table().targets and n.startswith(b"cublasLt")
    )
    once = port(branch("CUDART_VERSION >= 11000", f"{name} x;", ""))
    assert once.text.startswith("#if 1 /*") and "SIG407" in once.loud


def test_a_branch_with_evidence_is_better_than_one_without() -> None:
    new = "cudaMemLocation x;"
    assert b"cudaMemLocation" in table().unproven
    proven = port(branch("CUDART_VERSION >= 12080", new, "#else\ncudaMallocAsync(p, 1, s);\n"))
    assert proven.text.startswith("#if 0 /* CUDART_VERSION >= 12080: cudaMemLocation follows ")
    assert codes(proven) == {"SIG406"}
    turned = port(branch("CUDART_VERSION < 12080", "f(a);", f"#else\n{new}\n"))
    assert turned.text.startswith("#if 1 /* CUDART_VERSION < 12080: cudaMemLocation follows ")
    for rest in ("", "#else\n#error old\n", "#else\ncudaMemLocationType x;\n"):
        thin = port(branch("CUDART_VERSION >= 12080", new, rest))
        assert thin.text.startswith("#if 1 /*") and codes(thin) == {"SIG407"}


def test_one_file_one_answer() -> None:
    """Two branches under one test that speak for opposite answers decide nothing."""
    test = "CUDART_VERSION >= 11020"
    one = branch(test, "cudaMallocAsync(&p, n, s);", "#else\ng();\n")
    two = branch(test, "cudaGetParameterBufferV2(f, g, b, 0);", "#else\ng();\n")
    assert "#error" not in port(one).text and "#error" not in port(two).text
    assert port(one + two).text.count("#error") == 2


def test_api_version_counts_like_cuda() -> None:
    check(
        "#if __CUDART_API_VERSION >= 10020\n#endif\n",
        "#if __MUSART_API_VERSION >= 10020\n#endif\n",
        "SIG406",
    )


# --- macros and code ------------------------------------------------------------------------------


def test_macro_that_names_its_feature() -> None:
    check(
        "#define HAS_BF16 (__CUDA_ARCH__ >= 800)\n",
        "#define HAS_BF16 (__MUSA_ARCH__ >= 220)\n",
        "SIG406",
    )


def test_macro_whose_uses_tell_its_feature() -> None:
    source = f"#define MODERN (__CUDA_ARCH__ >= 800)\n#if MODERN\n{BF16}\n#endif\n"
    assert port(source).text.startswith("#define MODERN (__MUSA_ARCH__ >= 220)\n")
    function = f"#define MODERN(x) (__CUDA_ARCH__ >= 800 && x)\n#if MODERN(1)\n{BF16}\n#endif\n"
    assert port(function).text.startswith("#define MODERN(x) (__MUSA_ARCH__ >= 220 && x)\n")


def test_macro_that_nothing_explains_does_not_compile() -> None:
    check(
        "#define AMPERE (__CUDA_ARCH__ >= 800)\n#if AMPERE\n#endif\n",
        "#define AMPERE (SIGTRANS_SIG402(__CUDA_ARCH__) >= 800)\n#if AMPERE\n#endif\n",
        "SIG402",
    )
    check(
        "#define A (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800)\n",
        "#define A (defined(__CUDA_ARCH__) && SIGTRANS_SIG402(__CUDA_ARCH__) >= 800)\n",
        "SIG402",
    )


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("int x = __CUDA_ARCH__;", id="code"),
        pytest.param("static_assert(__CUDA_ARCH__ >= 800);", id="assert"),
        pytest.param('printf("%d", CUDA_VERSION);', id="printed"),
        pytest.param("#define __CUDACC__ 1\n", id="defined"),
        pytest.param("#undef __CUDACC__\n#define __CUDACC__\n", id="defined-again"),
        pytest.param("#ifndef CUDA_VERSION\n#define CUDA_VERSION 0\n#endif\n", id="default"),
        pytest.param("void f() { if (__CUDA_ARCH__ >= 800) g(); }", id="if"),
        pytest.param("void f() { if (__CUDA_ARCH__ >= 800) for (;;) bf16(); }", id="if-for"),
    ],
)
def test_value(source: str) -> None:
    check(source, source, "SIG402")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        pytest.param("#define A \\\n  __CUDA_ARCH__\n", ARCH, id="macro-is-the-number"),
        pytest.param("#define MAJOR (CUDART_VERSION / 1000)\n", "CUDART_VERSION", id="computes"),
        pytest.param("#define NEW(x) f(x, __CUDA_ARCH__)\n", ARCH, id="macro-hands-on"),
    ],
)
def test_a_macro_with_the_number_does_not_compile(source: str, name: str) -> None:
    check(source, source.replace(name, f"SIGTRANS_SIG402({name})"), "SIG402")


# --- macros that stand for a number ---------------------------------------------------------------

ALIAS = f"#define CARD {ARCH}\n"
STOPPED_ALIAS = f"#define CARD SIGTRANS_SIG402({ARCH})\n"


@pytest.mark.parametrize(
    ("head", "after", "name"),
    [
        pytest.param(ALIAS, STOPPED_ALIAS, "CARD", id="plain"),
        pytest.param(
            f"#define CARD ({ARCH}) // sm\n", f"#define CARD (SIGTRANS_SIG402({ARCH})) // sm\n",
            "CARD", id="brackets",
        ),
        pytest.param(
            f"{ALIAS}#define SM CARD\n#define LEVEL (SM)\n",
            f"{STOPPED_ALIAS}#define SM CARD\n#define LEVEL (SM)\n", "LEVEL", id="second",
        ),
        pytest.param(
            f"#ifdef {ARCH}\n{ALIAS}#else\n#define CARD 0\n#endif\n",
            f"#ifdef __MUSA_ARCH__\n{STOPPED_ALIAS}#else\n#define CARD 0\n#endif\n", "CARD",
            id="host-zero",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("test", "ported"),
    [
        ("{} >= 800", "__MUSA_ARCH__ >= 220"),
        ("800 <= {}", "220 <= __MUSA_ARCH__"),
        ("defined({}) && !({} < 800)", "defined({}) && !(__MUSA_ARCH__ < 220)"),
    ],
)
def test_alias(head: str, after: str, name: str, test: str, ported: str) -> None:
    source = head + branch(test.replace("{}", name))
    check(source, after + branch(ported.replace("{}", name), "__mt_bfloat16 x;"), "SIG406")


def test_alias_of_a_version() -> None:
    source = "#define RT CUDART_VERSION\n#if RT >= 10000\nf();\n#endif\n"
    once = port(source)
    assert "#define RT SIGTRANS_SIG402(CUDART_VERSION)\n#if 1 /* RT >= 10000: " in once.text
    assert port(once.after).text == once.text


def test_alias_that_is_only_asked_for() -> None:
    for test in ("#ifdef CARD", "#ifndef CARD", "#if defined CARD", "#undef CARD\n#if X"):
        check(f"{ALIAS}{test}\n#endif\n", f"{STOPPED_ALIAS}{test}\n#endif\n", "SIG402")


def test_alias_in_code_and_in_macros() -> None:
    statement = f"{ALIAS}void f() {{ if (CARD >= 800) {{ {BF16} }} else g(); }}"
    assert "if (__MUSA_ARCH__ >= 220)" in port(statement).text
    assert (
        "#define NEW (__MUSA_ARCH__ >= 220)"
        in port(f"{ALIAS}#define NEW (CARD >= 800)\n#if NEW\n{BF16}\n#endif\n").text
    )
    used = port(f"{ALIAS}int x = CARD;\n")
    assert {d.line for d in used.diagnostics if d.code == "SIG402"} == {1, 2}


def test_alias_that_is_not_decided_stops() -> None:
    once = port(f"{ALIAS}#if CARD >= 800\nconst int n = 4;\n#endif\n")
    assert (
        '#error "sigtrans SIG401: decide for MUSA: CARD >= 800"\n#elif __CUDA_ARCH__ >= 800\n'
        in once.text
    )
    assert codes(once) == {"SIG401", "SIG402"} and port(once.after).text == once.text
    two = port(f"#ifdef X\n{ALIAS}#else\n#define CARD 900\n#endif\n{branch('CARD >= 800')}")
    assert "#error" in two.text and codes(two) == {"SIG401", "SIG402"}
    odd = port(f"{ALIAS}{branch('CARD >= 800 @ 1')}")
    assert "#error" in odd.text


def test_alias_from_another_file(tmp_path: Path) -> None:
    files = {
        "a.h": f"#ifndef __CUDACC__\n#endif\n{ALIAS}",
        "b.cu": f'#include "a.h"\n{branch("CARD >= 800")}int x = CARD;\n',
        "c.cpp": '#include "a.h"\n#if CARD\nint y;\n#endif\n',
        "e.cu": f"#define TIER {ARCH}\n",
        "f.cpp": "#if TIER\n#endif\n",
        "d.cpp": "#define CARD 900\n#if CARD >= 800\n#endif\n",
    }
    drafted = port_tree(tmp_path, files)
    ported = texts(drafted)
    assert STOPPED_ALIAS in ported["a.h"]
    assert "#if defined(__MUSA_ARCH__)\n#error" in ported["b.mu"]
    assert "#elif __CUDA_ARCH__ >= 800" in ported["b.mu"]
    assert "#error" in ported["c.cpp"] and not {"d.cpp", "f.cpp"} & ported.keys()
    assert "SIG401" in tree_codes(drafted, "b.cu")
    assert "SIG401" in tree_codes(drafted, "c.cpp")


def test_a_project_that_has_a_default_keeps_its_conditions() -> None:
    source = (
        "#ifndef CUDA_VERSION\n#define CUDA_VERSION 0\n#endif\n#if CUDA_VERSION > 9000\n#endif\n"
    )
    check(source, source, "SIG402")


@pytest.mark.parametrize("keyword", ["if", "if constexpr"])
def test_statement(keyword: str) -> None:
    before = "void f() { %s (__CUDA_ARCH__ >= 800) { __nv_bfloat16 x; } else g(); }"
    after = "void f() { %s (__MUSA_ARCH__ >= 220) { __mt_bfloat16 x; } else g(); }"
    check(before % keyword, after % keyword, "SIG406")


def test_never_defined() -> None:
    source = "#ifdef __CUDACC_EXTENDED_LAMBDA__\n#endif\n"
    check(source, source, "SIG403")


@pytest.mark.parametrize(
    "source",
    [
        "#if 0 // __CUDA_ARCH__ >= 800\n#endif\n",
        'f("__CUDA_ARCH__ >= 800");',
        "#if MY__CUDA_ARCH__ >= 800\n#endif\n",
        "#if THE_CUDA_VERSION >= 12000\n#endif\n",
        "#if __MUSA_ARCH__ >= 220\n#elif __CUDA_ARCH__ >= 800\n#endif\n",
        "#if defined(USE_MUSA) || CUDA_VERSION >= 11000\n#endif\n",
        "// sigtrans: off\n#if __CUDA_ARCH__ >= 800\n#endif\n// sigtrans: on\n",
    ],
)
def test_same(source: str) -> None:
    check(source, source, "")


def test_strict_leaves_unproven_macros() -> None:
    once = port("#ifdef CUBLAS_VERSION\n#endif\n", strict=True)
    assert once.text == "#ifdef CUBLAS_VERSION\n#endif\n" and "SIG403" in once.codes


# --- run time -------------------------------------------------------------------------------------

P = "cudaDeviceProp p;\n"


def runtime(code: str, targets: tuple[str, ...] = ("mp_22", "mp_31")) -> tuple[str, set[str]]:
    once = port(P + code, targets=targets)
    assert port(once.after, targets=targets).text == once.text
    return once.text.split("\n", 1)[1], {c for c in once.codes if c.startswith("SIG4")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("p.major >= 8", "p.major * 10 + p.minor >= 22"),
        ("8 <= p.major", "p.major * 10 + p.minor >= 22"),
        ("p.major > 7", "p.major * 10 + p.minor >= 22"),
        ("p.major * 10 + p.minor >= 80", "p.major * 10 + p.minor >= 22"),
        ("(p.major * 100 + p.minor * 10) >= 800", "p.major * 10 + p.minor >= 22"),
    ],
)
def test_capability_by_feature(before: str, after: str) -> None:
    text, codes = runtime(f"if ({before}) {{ run<__nv_bfloat16>(); }}")
    assert text == f"if ({after}) {{ run<__mt_bfloat16>(); }}"
    assert codes == {"SIG416"}


@pytest.mark.parametrize(
    "code",
    [
        "if (p.major < 2) exit(1);",
        "if (p.major >= 2) f();",
        "if (p.major < 1 || (p.major == 1 && p.minor < 3)) f();",
        "if (p.major == 9999 && p.minor == 9999) f();",
        "if (p.major * 10 + p.minor <= 12) f();",
    ],
)
def test_capability_that_is_right_on_musa(code: str) -> None:
    assert runtime(code) == (code, {"SIG417"})


@pytest.mark.parametrize(
    "code",
    ['printf("%d.%d", p.major, p.minor);', "std::cout << p.major;", "p.major = 0;", "q.major();"],
)
def test_capability_that_is_only_shown(code: str) -> None:
    assert runtime(code) == (code, set())


@pytest.mark.parametrize(
    "code",
    [
        "if (p.major >= 8) f();",
        "if (p.major == 7 && p.minor == 5) f();",
        "if (p.major < 5 || (p.major == 5 && p.minor < 3)) exit(1);",
        "bool ok = p.major >= 8;",
        "int cc = p.major * 10 + p.minor;",
        "f(p.major, p.minor);",
        "if (p.major >= 9) { wgmma_ss(a, b); }",
        "if (p.major >= 8 && x) { run<__nv_bfloat16>(); }",
    ],
)
def test_capability_that_is_wrong_on_musa(code: str) -> None:
    text, codes = runtime(code)
    assert text.replace("mt_", "nv_") == code and codes == {"SIG405"}


def test_capability_depends_on_the_targets() -> None:
    assert runtime("if (p.major >= 3) f();", ("mp_31",))[1] == {"SIG417"}
    assert runtime("if (p.major >= 3) f();", ("mp_22", "mp_31"))[1] == {"SIG405"}


Q = (
    "cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);\n"
    "cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);\n"
)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("if (major < 2) f();", {"SIG417"}),
        ("if (major == 9999 && minor == 9999) f();", {"SIG417"}),
        ("if (major >= 7) f();", {"SIG405"}),
        ("if (7 <= major) f();", {"SIG405"}),
        ("if ((major == 8 && minor == 0) || (major == 8 && minor == 6)) f();", {"SIG405"}),
        ("if (major > wanted) f();", {"SIG405"}),
        ("f(major, minor);", {"SIG405"}),
        ("x = y.major; z.minor = 3;", {"SIG405"}),
        ('printf("%d.%d", major, minor);', set()),
    ],
)
def test_capability_in_variables(code: str, said: set[str]) -> None:
    once = port(Q + code)
    assert once.text.endswith(code)
    assert {c for c in once.codes if c.startswith("SIG4")} == said


def test_capability_of_the_driver() -> None:
    once = port("cuDeviceComputeCapability(&a, &b, d);\nif (a >= 8) f();\n")
    assert "SIG405" in once.codes


@pytest.mark.parametrize(
    "code",
    [
        "template <int Arch> void f() { if constexpr (Arch >= 80) g(); }",
        "if (getSMVersion() >= 75) f();",
        "if (80 <= sm_version) f();",
        "x = sm == 70 ? 1 : 2;",
        "if (compute_capability < 900) f();",
    ],
)
def test_own_numbers(code: str) -> None:
    check(f"{code} // cuda\n", f"{code} // cuda\n", "SIG409")


@pytest.mark.parametrize(
    "code", ["if (sm >= 1) f();", "if (march >= 80) f();", "if (small > 80) f();", "x = sm + 80;"]
)
def test_other_numbers(code: str) -> None:
    check(f"{code} // cuda\n", f"{code} // cuda\n", "")


# --- conditions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 == 7", 1),
        ("(1 || X) && !0", 1),
        ("X && 0", 0),
        ("X", None),
        ("X ? 1 : 2", None),
        ("0 ? X : 2", 2),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("1 / 0", None),
        ("0x10 | 010 | 0b1", 25),
        ("1 << 3 >> 1", 4),
        ("1 << 99", None),
        ("~0 & 6 ^ 1", 7),
        ("not 0 and 2 bitor 1", 1),
        ("10'000u", 10000),
        ("defined(X)", None),
    ],
)
def test_evaluate(text: str, value: int | None) -> None:
    node = parse(text.encode(), 0, len(text))
    assert node is not None and evaluate(node, lambda _: None) == value


@pytest.mark.parametrize("text", ["", "1 +", "(1", "1)", "1 2", "defined", "'a'", "1 @ 2", "? 1"])
def test_no_condition(text: str) -> None:
    assert parse(text.encode(), 0, len(text)) is None


OPERATORS = st.sampled_from(["+", "-", "*", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^"])
EXPRESSIONS = st.recursive(
    st.integers(0, 99).map(str),
    lambda inner: (
        st.tuples(inner, OPERATORS, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
        | inner.map(lambda e: f"(-{e})")
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
@settings(max_examples=200, deadline=None)
def test_evaluate_agrees_with_python(text: str) -> None:
    """Python's operators mean the same on integers, but for division."""
    node = parse(text.encode(), 0, len(text))
    assert node is not None and evaluate(node, lambda _: None) == int(eval(text))


def test_number() -> None:
    assert number(b"0x1F") == 31 and number(b"1'2") == 12
    assert number(b"08") is None and number(b"1.5") is None


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (b"defined(A)", False),
        (b"A && B", False),
        (b"!A || defined A", False),
        (b"A >= 3", True),
        (b"3 <= (A)", True),
        (b"F(A)", True),
        (b"A / 10 == 8", True),
    ],
)
def test_has_number(condition: bytes, expected: bool) -> None:
    assert has_number(condition, b"A") is expected


# --- data -----------------------------------------------------------------------------------------


def test_every_guard_has_a_mark() -> None:
    missing = [n for n in table().guards if not any(mark in n for mark in PASSES["guards"].marks)]
    assert missing == []


def test_features_are_sound() -> None:
    rules = load_rules()
    names = [f.name for f in rules.features]
    assert len(names) == len(set(names))
    for feature in rules.features:
        assert feature.musa == 0 or feature.musa in rules.musa
        assert set(feature.since) <= set(rules.architectures)
        for pattern in (feature.code, feature.text, feature.stand_in):
            assert pattern is None or pattern.search(b"") is None
    assert list(rules.architectures) == sorted(rules.architectures)
    assert list(rules.releases) == sorted(rules.releases)
    assert rules.certain in rules.releases and rules.reached in rules.releases


def test_names_of_the_table_are_names() -> None:
    rules, names = load_rules(), table()
    for name in rules.everyday | rules.reshaped:
        assert name in names, name


# --- laws -----------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        *("\n", "\r\n", " \\\n", " ", "/* */", "//", "(", ")", "!", " && ", " || ", "X"),
        *("#if ", "#elif ", "#else\n", "#endif\n", "#ifdef __CUDACC__\n", "#define A "),
        *("__CUDA_ARCH__", " >= 800", "800 <= ", " < 700", " == 900", "defined(__CUDA_ARCH__)"),
        *("CUDART_VERSION", " >= 11020", "__CUDACC_VER_MAJOR__", " >= 9", "NCCL_VERSION(2, 8, 0)"),
        *("__nv_bfloat16 x;\n", "cudaMallocAsync(p);\n", "asm(x);\n", "wgmma();\n", "f();\n"),
        *("if (", ") {", "}", ";", "p.major", "p.major * 10 + p.minor", "cudaDeviceProp", "sm"),
    ]
)
SOUP = st.lists(PIECES, max_size=40).map(lambda parts: "".join(parts).encode())


@given(SOUP)
@settings(max_examples=300, deadline=None)
def test_laws(data: bytes) -> None:
    once = port(data)
    assert port(once.after).after == once.after, "a second run changes nothing"
    own = announced(once.diagnostics)
    assert find_silent(data, once.edits, once.diagnostics, own) == []
    for d in once.diagnostics:
        assert 0 <= d.span.start < d.span.end <= len(data)


@given(SOUP)
@settings(max_examples=200, deadline=None)
def test_code_outside_of_guards_is_left_to_the_other_passes(data: bytes) -> None:
    for edit in port(data).edits:
        if edit.rule == "guards/stop":
            line = data[: edit.span.end].splitlines()[-1]
            assert re.fullmatch(rb"[ \t]*(?:#|%:)[ \t]*(?:el)?if", line)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("#if " + "defined(__CUDACC__) && " * 4000 + "1\n", id="one-long-condition"),
        pytest.param("#if __CUDA_ARCH__ >= 800\n" * 8000, id="many-open-conditions"),
        pytest.param(
            "#if X\n" + "#elif __CUDA_ARCH__ >= 800\n__nv_bfloat16 x;\n" * 4000, id="long-chain"
        ),
        pytest.param("#define A (__CUDA_ARCH__ >= 800)\n#if A\n#endif\n" * 1000, id="many-macros"),
        pytest.param("#if " + "(" * 9000 + "__CUDA_ARCH__ >= 8", id="many-brackets"),
        pytest.param("p.major >= 8 && " * 5000 + "cudaDeviceProp", id="many-comparisons"),
        pytest.param("if (__CUDA_ARCH__ >= 800) " * 3000, id="many-statements"),
        pytest.param("__CUDA_ARCH__ " + "sm_" * 40000 + " >= 80", id="long-name"),
    ],
)
def test_time_grows_with_the_file_and_not_with_its_square(source: str) -> None:
    start = process_time()
    port(source)
    assert process_time() - start < 3, "a linear pass takes a tenth of this"
