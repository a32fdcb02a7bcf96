"""asm statements: what is read, what becomes of it, what is left alone."""

from __future__ import annotations

import operator
import random
import re
import subprocess
from collections.abc import Callable
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from porting import check_edits, find_compiler, mutants, port, port_tree, table, texts

from sigtrans.catalogue import data_file
from sigtrans.passes import CodeFindings, ptx_table
from sigtrans.passes.asm_statement import Unreadable, find_places, find_variants, parse
from sigtrans.passes.pipeline import Port as Goal
from sigtrans.passes.pipeline import find, helper_text
from sigtrans.passes.ptx import Address, Arg, Imm, PtxError, Reg, Special, Vector
from sigtrans.passes.ptx import parse as parse_ptx
from sigtrans.source import Safety, Severity, SourceFile
from sigtrans.symbols import find_facts, merge
from sigtrans.syntax import lex, make_pattern

FILES = sorted(data_file("rules", "ptx").glob("*.yaml"))
EXAMPLES = [
    pytest.param(row, example, id=f"{row.id}[{n}]")
    for path in FILES
    for row in {r.id: r for r in reversed(ptx_table.load(path))}.values()
    for n, example in enumerate(row.examples)
]


def body(statement: str, **how: str) -> str:
    """A statement of a kernel after the port."""
    words = ", ".join(f"unsigned long long {name}" for name in "abcdehvxy")
    head = f"__global__ void k({words}) {{\n  "
    text = port(head + statement + "\n}\n", **how).text  # type: ignore[arg-type]
    return text.partition(head)[2].removesuffix("\n}\n")


# --- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("row", "example"), EXAMPLES)
def test_example(row: ptx_table.Row, example: ptx_table.Example) -> None:
    assert body(example.before.strip()) == example.after.strip()
    once = port(f"__global__ void k() {{\n  {example.before}\n}}\n")
    wanted = "SIG506" if row.safety is Safety.REVIEW else "SIG508" if row.dropped else "SIG507"
    assert once.codes == {wanted}
    assert all(e.safety is row.safety for e in once.edits if e.rule == "asm/translate")
    assert port(once.after).edits == (), "a second run must find nothing"


@pytest.mark.parametrize(("row", "example"), EXAMPLES)
def test_an_example_stays_where_it_is_no_code(
    row: ptx_table.Row, example: ptx_table.Example
) -> None:
    line = " ".join(example.before.split())
    quoted = line.replace("\\", "\\\\").replace('"', '\\"')
    text = f'// {line}\n/* {line} */\nconst char *s = "{quoted}";\nint my_asm, asm_of;\n'
    assert port(text).text == text


def row_text(**fields: str) -> str:
    given = {
        "id": "ptx/x", "instruction": "x.u32", "operands": "d=u32 a=u32", "value": "'f({a})'",
        "semantics": "s", "evidence": "e", "examples": "[{before: b, after: a}]",
    }  # fmt: skip
    given.update(fields)
    return "- " + "\n  ".join(f"{name}: {value}" for name, value in given.items() if value) + "\n"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"id": "x"}, "id: is not of the form ptx/topic"),
        ({"evidence": ""}, "needs 'evidence'"),
        ({"examples": "[{before: b}]"}, "every example has 'before' and 'after'"),
        ({"value": ""}, "needs 'value' or 'code'"),
        ({"code": "x"}, "needs 'value' or 'code'"),
        ({"safety": "hint"}, "safety must be exact or review"),
        ({"safety": "review"}, "a review needs a 'note'"),
        ({"operands": "d=u32 a=u33"}, "operands: 'a=u33' is not of the form"),
        ({"operands": "d=u32x2 a=u32"}, "value: needs exactly one scalar output"),
        ({"value": "'f({b})'"}, "'{b}' is no operand"),
        ({"outputs": "z"}, "outputs: 'z' is no operand"),
        ({"colour": "red"}, "unknown field 'colour'"),
    ],
)
def test_a_wrong_row_is_named(tmp_path: Path, fields: dict[str, str], said: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(row_text(**fields))
    with pytest.raises(ptx_table.PtxTableError, match=re.escape(said)):
        ptx_table.load(path)


def test_an_id_stands_once(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(row_text() + row_text(instruction="y.u32"))
    with pytest.raises(ptx_table.PtxTableError, match="the id is there twice"):
        ptx_table.load(path)


def test_the_modifiers_of_memory_instructions_come_in_any_order() -> None:
    assert ptx_table.canonical("ld.global.acquire.gpu.b32") == "ld.acquire.gpu.global.b32"
    assert ptx_table.canonical("atom.add.release.gpu.u32") == "atom.release.gpu.add.u32"
    assert ptx_table.canonical("ld.global.cs.nc.v2.s32") == "ld.global.nc.cs.v2.s32"
    assert ptx_table.canonical("shf.l.wrap.b32") == "shf.l.wrap.b32"


def test_advice_for_what_has_no_row() -> None:
    lines = data_file("rules", "ptx/none.tsv").read_text("utf-8").splitlines()[1:]
    prefixes = [line.split("\t")[0] for line in lines]
    assert len(prefixes) == len(set(prefixes))
    assert all(len(line.split("\t")) == 3 and "index:" not in line for line in lines)
    assert "__musa_async_init_arrival" in ptx_table.find_advice("mbarrier.init.shared.b64")
    assert "clusters" in ptx_table.find_advice("barrier.cluster.arrive")
    assert ptx_table.find_advice("unknown.b32") == "write it in C++ or with intrinsics"
    got = port('__global__ void k() { asm volatile("bar.sync 1, 64;"); }\n')
    (said,) = (d for d in got.diagnostics if d.code == "SIG503")
    assert "__syncthreads()" in said.help


# --- reading C ------------------------------------------------------------------------------------


def read(text: str, **macros: str) -> list[tuple[str, list[str], list[str], tuple[str, ...]]]:
    """(template, outputs, inputs, clobbers) of every variant of `asm(text)`."""
    return [
        (
            s.template,
            [f"{o.constraint} {o.text}" for o in s.outputs],
            [f"{o.constraint} {o.text}" for o in s.inputs],
            s.clobbers,
        )
        for variant in find_variants(text.encode())
        for s in parse(variant, b"asm", lambda name: [macros[name]] if name in macros else [])
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('"trap;"', ("trap;", [], [], ())),
        ('"a" "b\\n\\t" : "=r"(x)', ("ab\n\t", ["=r x"], [], ())),
        ('"a" :: "r"(x), "n"(f<a, b>::v) : "memory"', ("a", [], ["r x", "n f<a, b>::v"],
                                                     ("memory",))),
        ('"a" : "+f"(x [ 1 ] ) , "=l"(p->q)', ("a", ["+f x [ 1 ]", "=l p->q"], [], ())),
        ('"a" ::"r"(x) "l"(y) : "memory"', ("a", [], ["r x", "l y"], ("memory",))),
        ('"a" : : "r"(c ? a : b)', ("a", [], ["r c ? a : b"], ())),
        ('"a" :: "r"(std::min(a, b))', ("a", [], ["r std::min(a, b)"], ())),
        ('"a" /* :: */ :: "r"(x // y\n + 1)', ("a", [], ["r x + 1"], ())),
        ('R"(a\nb)"', ("a\nb", [], [], ())),
        ('"a" \\\n :: "r"(x \\\n + 1)', ("a", [], ["r x + 1"], ())),
        ('"\\x41\\101"', ("AA", [], [], ())),
    ],
)  # fmt: skip
def test_a_statement_is_read(
    text: str, wanted: tuple[str, list[str], list[str], tuple[str, ...]]
) -> None:
    assert read(text) == [wanted]


def test_macros_stand_for_strings() -> None:
    assert [s[0] for s in read('A "b" B', A='"x" "y"', B="A")] == ["xybxy"]


@pytest.mark.parametrize(
    "text", ['A(x) "b"', "A", '"a" :: "r"', '"a" : "r"(x)', '"a" : : : : : ""', "#x", '"a" : A(x)']
)
def test_what_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text)


def test_an_if_inside_is_read_once_per_branch() -> None:
    text = '"a"\n#if X\n"b"\n#elif Y\n"c"\n#endif\n"d" :: "r"(x)'
    assert [s[0] for s in read(text)] == ["abd", "acd", "ad"]
    text = '"a"\n#if X\n#ifdef Z\n"b"\n#endif\n#else\n"c"\n#endif\n'
    assert [s[0] for s in read(text)] == ["ab", "a", "ac"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('asm("a");', ["asm"]),
        ('asm volatile("a");', ["asm volatile"]),
        ('__asm__ __volatile__ ("a");', ["__asm__ __volatile__"]),
        ('if (x) asm("a;"); else asm("b;");', ["asm", "asm"]),
        ('#define X(a) asm volatile("b" :: "r"(a))\n', ["asm volatile"]),
        ('#define X asm("b")\n', ["asm"]),
        ('int f(int) asm("g");', []),
        ('extern int x __asm__("y");', []),
        ('void f();\nasm("a");', ["asm"]),
        ('UNROLL(4) asm("trap;");', ["asm"]),
        ('UNROLL asm("a" :: "r"(x));', ["asm"]),
        ('void f()\n  asm("g");', []),
        ("int x asm(NAME(a) );", []),
        ("__asm { int 3 }", ["__asm"]),
        ('int asm_; s.asm_("x"); "asm(1)"; // asm("a")', []),
        ("asm(", []),
    ],
)
def test_where_statements_are(text: str, found: list[str]) -> None:
    data = text.encode()
    assert [p.head.decode() for p in find_places(lex(data).with_blanks())] == found


# --- reading PTX ----------------------------------------------------------------------------------


def test_ptx_is_read() -> None:
    program = parse_ptx(
        "{ .reg .pred p, q; .reg.b32 r<2>; // note\n"
        " setp.ne.b32 p|q, %0, -5; @!p ld.v2.u32 {r0, r1}, [%1+0x10]; /* x */"
        " mov.u32 %0, %%tid.x; }",
        {},
    )
    first, second, third = program.instructions
    assert (first.name, first.operands) == (
        "setp.ne.b32#", (Reg("p"), Reg("q"), Arg(0), Imm("-5")),
    )  # fmt: skip
    assert second.guard == Reg("p", True)
    assert second.operands == (Vector((Reg("r0"), Reg("r1"))), Address(Arg(1), 16))
    assert third.operands == (Arg(0), Special("tid.x"))
    assert program.registers == {"p": "pred", "q": "pred", "r0": "b32", "r1": "b32"}


def test_inner_blocks_have_registers_of_their_own() -> None:
    program = parse_ptx("{ .reg .b32 t; { .reg .b64 t; mov.b64 t, %0; } mov.b32 t, %1; }", {})
    inner, outer = (i.operands[0] for i in program.instructions)
    assert isinstance(inner, Reg) and isinstance(outer, Reg)
    assert (program.registers[inner.name], program.registers[outer.name]) == ("b64", "b32")


@pytest.mark.parametrize(
    "text",
    [
        "L: bra L;", "@p bra L;", "{ .reg .pred p; L: @p bra L; }", "call f;", ".shared .b32 x;",
        "mov.b32 x, %0;", "{ mov.b32 %0, %1;", "}", "mov.b32 %0 %1;", "ld.u32 %0, [%1+%2];", "1;",
        "mov.b32 %0, ?;", ".reg .b128 x;", "ld.u32 %0, [%1", "mov.b32 %0,", "@!",
    ],
)  # fmt: skip
def test_what_is_no_straight_ptx_says_so(text: str) -> None:
    with pytest.raises(PtxError):
        parse_ptx(text, {})


# --- writing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # operands are evaluated as often as before
        (
            'asm("add.u32 %0, %0, 1;" : "+r"(*p++));',
            "do {\n      auto &ptx_0r = *p++;\n      unsigned ptx_0 = (unsigned)(ptx_0r);\n"
            "      ptx_0 = (unsigned)ptx_0 + (unsigned)1;\n      ptx_0r = ptx_0;\n  } while (0);",
        ),
        ('asm("mov.b32 %0, {%1, %1};" : "=r"(d) : "h"(a));', "d = sigtrans::ptx_pair(a, a);"),
        (
            'asm("mov.b32 %0, {%1, %1};" : "=r"(d) : "h"(f()));',
            "do {\n      unsigned ptx_0;\n"
            "      const unsigned short ptx_1 = (unsigned short)(f());\n"
            "      ptx_0 = sigtrans::ptx_pair(ptx_1, ptx_1);\n      d = ptx_0;\n  } while (0);",
        ),
        ('asm("prefetch.L2 [%0];" :: "l"(p));', "(void)0;"),
        (
            'asm("prefetch.L2 [%0];" :: "l"(next()));',
            "do {\n      const unsigned long long ptx_0 = (unsigned long long)(next());\n"
            "  } while (0);",
        ),
        ('asm("trap;" :: "r"(x));', "__trap();"),
        ('asm("trap;" :: "r"(x++));', "do {\n      (void)(x++);\n      __trap();\n  } while (0);"),
        # registers of another kind
        (
            'asm("cvt.rn.f16.f32 %0, %1;" : "=h"(d) : "r"(bits));',
            "d = sigtrans::ptx_to_half(sigtrans::ptx_float(bits));",
        ),
        (
            'asm("ld.global.nc.b32 %0, [%1];" : "=f"(x) : "l"(p));',
            "x = sigtrans::ptx_float(sigtrans::ptx_load<unsigned>(p));",
        ),
        (
            'asm("st.global.b32 [%0+4], %1;" :: "l"(p), "f"(x));',
            "sigtrans::ptx_store_volatile<unsigned>(sigtrans::ptx_address(p) + 4, "
            "sigtrans::ptx_bits(x));",
        ),
        # constants
        ('asm("add.u32 %0, %1, 0xFFFFFFFF;" : "=r"(d) : "r"(a));',
         "d = (unsigned)a + (unsigned)0xFFFFFFFFu;"),
        ('asm("add.f32 %0, %1, 0f3F800000;" : "=f"(d) : "f"(a));',
         "d = __fadd_rn(a, sigtrans::ptx_float(0x3F800000u));"),
        ('asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(A | B));',
         "d = sigtrans::ptx_lop3(a, b, c, (A | B));"),
        ('asm("lop3.b32 %0, %0, %1, %2, 0xea;" : "+r"(r[i]) : "n"(x), "n"(y));',
         "r[i] = sigtrans::ptx_lop3(r[i], x, y, 0xea);"),
        # names and one percent sign
        ('asm("mov.u32 %0, %laneid;" : "=r"(d));', "d = sigtrans::ptx_laneid();"),
        ('asm("mov.b32 %[d], %[a];" : [d] "=r"(x) : [a] "r"(y));', "x = y;"),
        # an output that may stay unwritten keeps what it held
        (
            'asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p mov.b32 %0, %1; }"'
            ' : "=r"(d) : "r"(a), "r"(g));',
            "do {\n      unsigned ptx_0 = (unsigned)(d);\n"
            "      const unsigned ptx_1 = (unsigned)(a);\n"
            "      const unsigned ptx_2 = (unsigned)(g);\n      bool ptx_p = 0;\n"
            "      ptx_p = (int)ptx_2 != (int)0;\n      if (ptx_p) { ptx_0 = ptx_1; }\n"
            "      d = ptx_0;\n  } while (0);",
        ),
        # names of the user's that look like ours
        (
            'asm("mov.b32 %0, {%1, %1};" : "=r"(d) : "h"(f(ptx_1)));',
            "do {\n      unsigned ptxx_0;\n      const unsigned short ptxx_1 = (unsigned short)"
            "(f(ptx_1));\n      ptxx_0 = sigtrans::ptx_pair(ptxx_1, ptxx_1);\n      d = ptxx_0;\n"
            "  } while (0);",
        ),
        # CUDA names inside operands
        ('asm("mov.b32 %0, %1;" : "=r"(d) : "r"(cudaSuccess));', "d = musaSuccess;"),
    ],
)  # fmt: skip
def test_what_is_written(before: str, after: str) -> None:
    assert body(before) == after


def test_a_statement_stays_one_statement() -> None:
    text = body(
        'if (x) asm("trap;"); else asm("mov.b32 {%0, %1}, %2;" : "=h"(a), "=h"(b) : "r"(c));'
    )
    assert text.startswith("if (x) __trap(); else do {") and text.endswith("} while (0);")


def test_in_a_macro_it_stays_one_line() -> None:
    got = port(
        "#define UNPACK(a, b, c) \\\n"
        '  asm("mov.b32 {%0, %1}, %2;" \\\n : "=h"(a), "=h"(b) : "r"(c))\n'
        "__global__ void k() { UNPACK(x, y, z); }\n"
    )
    (line,) = (line for line in got.text.splitlines() if "do {" in line)
    assert line.endswith("a = ptx_0; b = ptx_1; } while (0)") and got.codes == {"SIG507"}


def test_branches_of_an_if_that_mean_the_same() -> None:
    hint = 'asm("ld.global"\n#if X\n".L2::128B"\n#endif\n".u32 %0, [%1];" : "=r"(d) : "l"(p));'
    assert body(hint) == "d = sigtrans::ptx_load<unsigned>(p);"
    other = 'asm("ld.global"\n#if X\n".v"\n#endif\n".u32 %0, [%1];" : "=r"(d) : "l"(p));'
    assert "SIGTRANS_PTX_STOP" in body(other)
    both = 'asm(\n#if X\n"clz.b32 %0, %1;"\n#else\n"popc.b32 %0, %1;"\n#endif\n: "=r"(d) : "r"(p));'
    assert "SIG504" in body(both)


@pytest.mark.parametrize(
    ("statement", "code", "word"),
    [
        ('asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(a));', "SIG503", "mbarrier.init"),
        ('asm volatile("bar.sync 1, 64;");', "SIG503", "bar.sync"),
        ('asm("mov.u32 %0, %%smid;" : "=r"(d));', "SIG503", "%smid"),
        ('asm("{ .reg .pred p; L: mbarrier.test_wait.b64 p, [%0], %1; @!p bra L; }" :: "r"(a),'
         ' "r"(b));', "SIG504", "control flow"),
        ('asm("ld.shared.u32 %0, [%1];" : "=r"(d) : "r"(address));', "SIG505", "address"),
        ('asm(TEMPLATE : "=r"(d));', "SIG504", "TEMPLATE"),
        ('asm("addc.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));', "SIG504", "carry"),
        ('asm("mov.b32 %0, %1;" : "=r"(d) : "x"(a));', "SIG504", "constraint"),
        ('asm("mov.b32 %0, %2;" : "=r"(d) : "r"(a));', "SIG504", "%2"),
        ('asm("mov.b32 %1, %0;" : "=r"(d) : "r"(a));', "SIG504", "input"),
        ('asm("mov.b64 %0, %1;" : "=r"(d) : "r"(a));', "SIG504", "wide"),
        ('asm("st.global.u32 [%0], %1;" :: "r"(p), "r"(a));', "SIG505", "'p'"),
        ('asm goto("mov.b32 %0, 0;" :: "r"(d) :: l);', "SIG504", "goto"),
        ('asm("popc.b32 %0, %1; unknown.b32 %0, %0;" : "=r"(d) : "r"(a));', "SIG503", "unknown"),
    ],
)  # fmt: skip
def test_a_stop_names_what_is_missing(statement: str, code: str, word: str) -> None:
    got = port(f"__global__ void k() {{\n  {statement}\n}}\n", path="a/b.cu")
    (said,) = (d for d in got.diagnostics if d.rule == "asm/inline")
    assert (said.code, said.severity, said.line) == (code, Severity.ERROR, 2)
    assert word in said.message
    stop = re.search(r'SIGTRANS_PTX_STOP\("([^"]*)"\);\n', got.text)
    assert stop is not None and stop.group(1).startswith(f"{code}: ")
    assert stop.group(1).endswith("(a/b.cu:2)")
    assert got.helpers == {"ptx"} and "asm vol" not in got.text and "asm(" not in got.text
    assert port(got.after).edits == ()


# --- addresses of shared memory -------------------------------------------------------------------

DECLARE = "unsigned s = static_cast<unsigned>(__cvta_generic_to_shared(p));"
LOAD = 'asm volatile("ld.shared.u32 %0, [%1];" : "=r"(d) : "r"(s));'


def test_an_address_made_from_a_pointer_becomes_the_pointer() -> None:
    got = port(f"__device__ int f(int *p) {{ int d; {DECLARE} {LOAD} return d; }}\n")
    assert got.text.partition("{ int d; ")[2] == (
        "unsigned char *s = sigtrans::ptx_shared(p); "
        "d = sigtrans::ptx_load_volatile<unsigned>(s); return d; }\n"
    )
    assert got.codes == {"SIG507"}


def test_bytes_may_be_added_to_it() -> None:
    text = body(f"{DECLARE} {LOAD.replace('(s)', '(s + 16)')}")
    assert "ptx_load_volatile<unsigned>(s + 16)" in text


def test_registers_of_any_name() -> None:
    """`t1` and `cc` are names that the writer might want for itself."""
    text = (
        'asm("{ .reg .b32 t1, cc; .reg .b16 lo; mov.b32 {lo, %0}, %1; mov.b32 t1, %1;'
        ' add.cc.u32 cc, t1, t1; addc.u32 %2, cc, 0; }" : "=h"(a), "+r"(b), "=r"(c));'
    )
    names = re.findall(r"^ *(?:const )?unsigned(?: short)? (\w+)", body(text), re.MULTILINE)
    assert len(names) == len(set(names)) == 7


def test_an_offset_in_the_text() -> None:
    text = 'asm("ld.shared.u32 %0, [%1+8];" : "=r"(d) : "r"((int)__cvta_generic_to_shared(p)));'
    assert "ptx_load_volatile" not in body(text)
    assert "ptx_load<unsigned>(sigtrans::ptx_shared(p) + 8)" in body(text)


def test_an_asm_that_makes_the_address() -> None:
    make = (
        'unsigned s; asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }"'
        ' : "=r"(s) : "l"(p + 1));'
    )
    assert body(f"{make} {LOAD}").startswith(
        "unsigned char *s; s = sigtrans::ptx_shared(p + 1); d ="
    )


@pytest.mark.parametrize(
    "use",
    ["g(s);", "t = s ^ 32;", "s += 16;", 'asm("mov.b32 %0, %1;" : "=r"(d) : "r"(s));',
     LOAD.replace("(s)", "(s ^ 16)"), LOAD.replace("(s)", "(s - n)"),
     'asm volatile("unknown.shared.u32 %0, [%1];" : "=r"(d) : "r"(s));'],
)  # fmt: skip
def test_an_address_that_is_computed_with_stays_a_number(use: str) -> None:
    got = port(f"__global__ void k() {{ {DECLARE} {LOAD} {use} }}\n")
    assert DECLARE in got.text and "SIGTRANS_PTX_STOP" in got.text
    assert "SIG505" in got.codes


def test_two_scopes_with_one_name() -> None:
    got = port(f"__global__ void k() {{ {{ {DECLARE} {LOAD} }} {{ {DECLARE} g(s); {LOAD} }} }}\n")
    assert got.text.count("unsigned char *s") == 1 and got.text.count("STOP(") == 1


def test_an_address_without_assembly_is_reported() -> None:
    got = port("__global__ void k(int *p) { g(__cvta_generic_to_shared(p)); }\n")
    assert got.places == {"1:31 SIG505"} and got.edits == ()


# --- what is no PTX -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('long f() { long t; asm volatile("rdtsc" : "=a"(t)); return t; }\n', {"SIG510"}),
        ('void f() { asm("add.s $f0, $f1, $f2"); asm("mov %0, %1" : "=r"(a) : "r"(b)); }\n',
         {"SIG510"}),
        ('__device__ void f() { asm("v_add_f16 %0, %1, %2" : "=v"(c) : "v"(a), "v"(b)); }\n',
         {"SIG510"}),
        ('__device__ void f() { asm volatile("" ::: "memory"); }\n', {"SIG511"}),
        ('__host__ __device__ void f() { asm("pause"); }\n', {"SIG501"}),
        ("__asm { int 3 }\n", {"SIG510"}),
        ('int f(int) asm("g");\n', set()),
        ('// sigtrans: off\n__device__ void f() { asm("trap;"); }\n// sigtrans: on\n', set()),
        ('#ifdef __MUSACC__\n__device__ void f() { asm("LOAD.U32 %0" : "=R"(x)); }\n#endif\n',
         set()),
    ],
)  # fmt: skip
def test_what_is_no_ptx_is_left(text: str, codes: set[str]) -> None:
    got = port(text)
    assert got.text == text and got.codes == codes


def test_host_code_is_not_talked_about() -> None:
    text = 'long f() { long t; asm volatile("rdtsc" : "=a"(t)); return t; }\n'
    assert port(text, path="a.cpp", is_cuda=False).diagnostics == ()


@pytest.mark.parametrize(
    "head", ["__device__ void f()", "auto f = [=] __device__ (int x)", "GPU_CALLABLE void f()"]
)
def test_ptx_is_ptx_wherever_it_stands(head: str) -> None:
    text = f'void g() {{}}\n{head} {{ asm("mov.b32 %0, %1;" : "=r"(d) : "r"(a)); }}\n'
    assert "{ d = a; }" in port(text).text


def test_a_header_that_only_names_the_device() -> None:
    text = 'MY_DEVICE\nstatic void f(int a) { asm volatile("bar.sync %0, 64;" :: "r"(a)); }\n'
    assert "SIG503" in port(text, path="a.hpp", is_cuda=False).codes


def test_a_host_compiler_still_reads_a_header(tmp_path: Path) -> None:
    source = (
        "#define __device__\nstatic inline __device__ void f(int *p) {\n"
        '  asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(p));\n'
        '  int x; asm volatile("ld.global.v2.s32 {%0, %0}, [%1];" : "=r"(x) : "l"(p));\n}\n'
    )
    once = port(source, path="a.h")
    assert once.text.count("SIGTRANS_PTX_DEVICE(") == 2 and port(once.after, path="a.h").edits == ()
    assert "SIGTRANS_PTX_DEVICE" not in port(source).text
    (tmp_path / "a.h").write_text(once.text)
    (tmp_path / "a.cpp").write_text('#include "a.h"\n')
    (tmp_path / "sigtrans_ptx.h").write_bytes(helper_text("ptx"))
    subprocess.run([find_compiler(), "-fsyntax-only", str(tmp_path / "a.cpp")], check=True)


def test_a_wait_is_dropped_in_silence_only_beside_its_copies() -> None:
    wait = 'asm volatile("cp.async.wait_all;");'
    copy = (
        'asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::'
        ' "r"((unsigned)__cvta_generic_to_shared(d)), "l"(s));'
    )
    for text, loud in ((wait, {"SIG508"}), (copy + wait, set())):
        once = port(f"__global__ void k() {{ {text} }}\n")
        assert "SIG508" in once.codes and once.loud == loud
        assert not any("speed" in d.message for d in once.diagnostics)


def test_a_port_brings_the_helper(tmp_path: Path) -> None:
    source = (
        '#include <a>\n__global__ void k() { asm("trap;"); asm("unknown.b32 %0;" :: "r"(1)); }\n'
    )
    drafted = port_tree(tmp_path, {"sub/k.cu": source})
    assert '#include "../sigtrans_ptx.h"' in texts(drafted)["sub/k.mu"]
    assert set(drafted.plan.helpers) == {"sigtrans_ptx.h"}


# --- laws -----------------------------------------------------------------------------------------

SAMPLES = [
    "__global__ void k() { " + param.values[1].before + " }\n"  # type: ignore[union-attr]
    for param in EXAMPLES[::9]
] + [f"__global__ void k() {{ {DECLARE} {LOAD} }}\n"]
PIECES = st.sampled_from(
    ['"', "(", ")", ":", ",", "{", "}", ";", "\\\n", "asm", "asm(", "%0", "%", '"=r"(x)',
     "\n#if X\n", "\n#endif\n", "@p ", "[", "]", "/*", "//", ".reg .pred p;", "'", "0x", " "]
)  # fmt: skip


def find_in(data: bytes) -> CodeFindings:
    names = table()
    file = SourceFile("a.cu", data)
    lexed = lex(data, make_pattern(names.extra_words))
    facts = find_facts(file, lexed, names)
    return find(file, lexed, facts, merge([facts], ["a.cu"], {}), names, Goal(), True)


@given(mutants(SAMPLES, PIECES))
def test_whatever_stands_there_a_second_port_changes_nothing(data: bytes) -> None:
    check_edits(data, find_in)  # type: ignore[arg-type]


@given(mutants(SAMPLES, PIECES))
def test_no_statement_is_changed_in_silence(data: bytes) -> None:
    found = find_in(data)
    told = {d.span.start for d in found.diagnostics}
    for edit in found.edits:
        assert (
            not edit.rule.startswith("asm/")
            or edit.rule == "asm/shared-address"
            or (edit.span.start in told)
        )


@pytest.mark.parametrize(
    "piece",
    ['asm(', 'asm("', 'asm("a" : ', ') asm("a")', 'asm("{ .reg .pred p; ', "#define A asm(\\\n",
     "int a=", "unsigned s = __cvta_generic_to_shared(", "asm volatile(a)(",
     'asm("mov.b32 %0, %1;" : "=r"(a) : "r"(b)) '],
)  # fmt: skip
def test_hostile_text_takes_no_time(piece: str) -> None:
    import time

    start = time.perf_counter()
    find_in(("__device__ void f() { " + piece * 4000).encode())
    assert time.perf_counter() - start < 10


# --- the helper header ----------------------------------------------------------------------------

SHIM = r"""
#include <math.h>
#include <cstdio>
#include <cstring>
#define __device__
#define __forceinline__ inline
#define SIGTRANS_HOST_TEST
struct xyz { unsigned x, y, z; };
static xyz threadIdx, blockIdx, blockDim, gridDim;
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
static inline void __syncthreads() {}
static inline void __syncwarp(unsigned) {}
static inline void __trap() {}
static inline void __musa_exit() {}
static inline unsigned __get_laneid() { return 37; }
static inline unsigned __activemask() { return 1; }
static inline unsigned __ballot_sync(unsigned, int p) { return p; }
static inline int __any_sync(unsigned, int p) { return p; }
static inline int __all_sync(unsigned, int p) { return p; }
static inline long long clock64() { return 0; }
static inline float rsqrtf(float x) { return 1 / x; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __frcp_rn(float a) { return 1 / a; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline unsigned __shfl_sync(unsigned, unsigned v, unsigned, int) { return v; }
static inline unsigned __shfl_xor_sync(unsigned, unsigned v, unsigned, int) { return v; }
static inline unsigned __shfl_up_sync(unsigned, unsigned v, unsigned, int) { return v; }
static inline unsigned __shfl_down_sync(unsigned, unsigned v, unsigned, int) { return v; }
#define ATOMIC(name) template <class T> static T name(T *p, T v) { T o = *p; *p = v; return o; }
ATOMIC(atomicAdd) ATOMIC(atomicMin) ATOMIC(atomicMax) ATOMIC(atomicAnd) ATOMIC(atomicOr)
ATOMIC(atomicXor) ATOMIC(atomicExch) ATOMIC(atomicInc) ATOMIC(atomicDec)
template <class T> static T atomicCAS(T *p, T a, T b) { T o = *p; if (o == a) *p = b; return o; }
"""
LETTERS = {"r": "unsigned", "h": "unsigned short", "l": "unsigned long long", "f": "float",
           "d": "double", "n": "const int"}  # fmt: skip


def compile_and_run(folder: Path, code: str, *flags: str) -> subprocess.CompletedProcess[str]:
    header = data_file("templates", "helpers/sigtrans_ptx.h")
    (folder / "x.cpp").write_text(f'{SHIM}\n#include "{header}"\n{code}')
    built = subprocess.run(
        [find_compiler(), "-std=c++14", "-Wall", "-Werror", "-Wno-unused", *flags, "-o",
         str(folder / "x"), str(folder / "x.cpp")],
        capture_output=True, text=True,
    )  # fmt: skip
    if built.returncode:
        return built
    return subprocess.run([str(folder / "x")], capture_output=True, text=True)


def declared(example: str, wide: str = "") -> str:
    """Variables for the operands of an example; `wide`: what those of 64 bits are."""
    inside = re.search(r"asm(?: volatile)?\((.*)\);", example, re.DOTALL)
    assert inside is not None
    (statement,) = parse(inside.group(1), b"asm", lambda name: [])
    found = {}
    for operand in statement.operands:
        name = re.sub(r"^\(unsigned\)__cvta_generic_to_shared\((\w+)\)$", r"\1", operand.text)
        addressed = name != operand.text or (name in ("p", "s") and operand.letter == "l")
        kind = wide if wide and operand.letter == "l" else LETTERS[operand.letter]
        found[name] = f"int *{name} = 0;" if addressed else f"{kind} {name} = 0;"
    return " ".join(found.values())


def test_every_translation_compiles(tmp_path: Path) -> None:
    parts: list[str] = []
    for param in EXAMPLES:
        row, example = param.values
        if row.helper == "ptx":  # type: ignore[union-attr]
            after = example.after  # type: ignore[union-attr]
            parts.append(
                f"static void f{len(parts)}() {{ {declared(example.before)}\n{after}\n}}"  # type: ignore[union-attr]
            )
    ran = compile_and_run(tmp_path, "\n".join(parts) + "\nint main() {}\n", "-O0")
    assert ran.returncode == 0, ran.stderr[:3000]


@pytest.mark.parametrize("kind", ["char *", "void *", "const float *", "long", "int (*)()"])
def test_64_bits_may_be_a_pointer(tmp_path: Path, kind: str) -> None:
    """asm takes pointers for "l", in and out."""
    alias = "typedef int (*word)();" if "(" in kind else f"typedef {kind} word;"
    parts = [alias]
    for param in EXAMPLES:
        row, example = param.values
        before = example.before  # type: ignore[union-attr]
        if row.helper == "ptx" and '"l"' in before.replace("=", "").replace("+", ""):  # type: ignore[union-attr]
            text = port(f"__device__ void f{len(parts)}() {{\n{before}\n}}\n").text
            names = declared(before, "word")
            parts.append(text.replace("{\n", "{\n" + names, 1).replace("__device__", "static"))
    code = "\n".join(parts).replace('#include "sigtrans_ptx.h"', "")
    ran = compile_and_run(tmp_path, code + "\nint main() {}\n", "-O0")
    assert ran.returncode == 0, ran.stderr[:3000]


WARP = r"""
#include <cstdio>
#include <cstring>
#define __device__
#define __forceinline__ inline
#define SIGTRANS_HOST_TEST
static unsigned lane, given[32];  // the lane that runs, and what every lane hands in
static unsigned __get_laneid() { return lane; }
static int __ffs(int v) { return __builtin_ffs(v); }
static void __threadfence() {}
static void __threadfence_block() {}
static void __threadfence_system() {}
template <class T> static T __shfl_sync(unsigned, T, unsigned from, int) { return given[from]; }
static unsigned __shfl_xor_sync(unsigned, unsigned, unsigned b, int) { return given[lane ^ b]; }
static unsigned __shfl_down_sync(unsigned, unsigned v, unsigned b, int) {
  return lane + b < 32 ? given[lane + b] : v;
}
static unsigned __shfl_up_sync(unsigned, unsigned v, unsigned b, int) {
  return lane >= b ? given[lane - b] : v;
}
static int voted(unsigned m, int want) {
  for (int n = 0; n < 32; ++n) if (m >> n & 1 && (given[n] != 0) == want) return 1;
  return 0;
}
static int __any_sync(unsigned m, int) { return voted(m, 1); }
static int __all_sync(unsigned m, int) { return !voted(m, 0); }
"""


def ptx_shuffle(mode: str, lane: int, b: int, handed: list[int]) -> tuple[int, int]:
    """(value, predicate) of shfl.sync over 32 lanes, after the pseudocode of the PTX ISA."""
    b &= 31
    other = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": b}[mode]
    inside = other >= 0 if mode == "up" else other <= 31
    return handed[other if inside else lane], int(inside)


FOLDS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "min": min, "max": max, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor,
}  # fmt: skip


def test_warp_instructions(tmp_path: Path) -> None:
    source = random.Random(5)
    handed = [source.choice((0, 3, 3, 0x80000000, source.getrandbits(32))) for _ in range(32)]
    masks = (0xFFFFFFFF, 0x0000FF00, 0x80000001, 0x00001000)
    shuffles = ("up", "down", "bfly", "idx")
    text = (
        "__device__ unsigned all(int k, unsigned a, unsigned b, unsigned m) {\n  unsigned d = 0;\n"
    )
    instructions = [
        f"{{ .reg .pred p; .reg .u32 q; shfl.sync.{mode}.b32 %0|p, %1, %2, "
        f"{0 if mode == 'up' else 31}, -1; selp.u32 q, 1, 0, p; add.u32 %0, %0, q; }}"
        for mode in shuffles
    ]
    # The shim hands on what the lanes were given; the helper's signed min and max shuffle other
    # bits. test_warp has a model for these.
    operations = ("add.u32", "add.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32")
    instructions += [
        "match.any.sync.b32 %0, %1, %3;", "match.all.sync.b32 %0, %1, %3;",
        "{ .reg .pred p; match.all.sync.b32 %0|p, %1, %3; @p add.u32 %0, %0, 1; }",
        "{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.uni.pred q, p, %3; "
        "selp.u32 %0, 1, 0, q; }", *(f"redux.sync.{o} %0, %1, %3;" for o in operations),
    ]  # fmt: skip
    for n, each in enumerate(instructions):
        text += (
            f'  if (k == {n}) {{ asm volatile("{each}" : "=r"(d) : "r"(a), "r"(b), "r"(m)); }}\n'
        )
    once = port(text + "  return d;\n}\n")
    assert "asm" not in once.text and once.codes == {"SIG507"}
    folder = data_file("templates", "helpers")
    code = (
        WARP + f'#include "{folder}/sigtrans_warp.h"\n#include "{folder}/sigtrans_ptx.h"\n'
        + re.sub(r'#include "sigtrans_.*"\n', "", once.text)
        + "int main() {\n  const unsigned g[] = {" + ", ".join(f"{v}u" for v in handed)
        + "};\n  std::memcpy(given, g, sizeof g);\n"
        + "  for (int k = 0; k < 4; ++k) for (lane = 0; lane < 32; ++lane)"
        + " for (unsigned b = 0; b < 70; ++b)\n"
        + '    std::printf("%u\\n", all(k, given[lane], b, ~0u));\n'
        + f"  const unsigned masks[] = {{{', '.join(map(str, masks))}u}};\n"
        + f"  for (int k = 4; k < {len(instructions)}; ++k) for (unsigned m : masks)"
        + " for (lane = 0; lane < 32; ++lane)\n"
        + '    if (m >> lane & 1 && (k < 8 || m != ~0u)) std::printf("%u\\n", '
        + "all(k, given[lane], 0, m));\n}\n"
    )  # fmt: skip
    (tmp_path / "w.cpp").write_text(code)
    command = [find_compiler(), "-std=c++14", "-w", "-o", str(tmp_path / "w"), "w.cpp"]
    subprocess.run(command, check=True, cwd=tmp_path)
    got = [int(x) for x in subprocess.check_output([str(tmp_path / "w")], text=True).split()]
    wanted: list[int] = []
    for mode in shuffles:
        for lane in range(32):
            for b in range(70):
                value, inside = ptx_shuffle(mode, lane, b, handed)
                wanted.append((value + inside) & 0xFFFFFFFF)
    for k in range(4, len(instructions)):
        for m in masks:
            lanes = [n for n in range(32) if m >> n & 1]
            values = [handed[n] for n in lanes]
            for lane in lanes:
                if k >= 8 and m == 0xFFFFFFFF:  # a tree of shuffles: test_warp has its model
                    continue
                same = sum(1 << n for n in lanes if handed[n] == handed[lane])
                whole = m if len(set(values)) == 1 else 0
                uniform = int(len({v != 0 for v in values}) == 1)
                if k < 8:
                    wanted.append((same, whole, whole + (whole == m) & 0xFFFFFFFF, uniform)[k - 4])
                    continue
                name = operations[k - 8].split(".")[0]
                wanted.append(reduce(FOLDS[name], values) & 0xFFFFFFFF)
    assert got == wanted


def test_memory(tmp_path: Path) -> None:
    code = r"""
int main() {
  alignas(16) unsigned char from[32], to[32];
  for (int n = 0; n < 32; ++n) from[n] = 100 + n;
  for (unsigned size = 0; size <= 20; ++size) {
    std::memset(to, 0xee, 32);
    sigtrans::ptx_copy_fill<16>(to, from, size);
    for (unsigned n = 0; n < 32; ++n) {
      const int wanted = n >= 16 ? 0xee : n < size ? 100 + n : 0;
      if (to[n] != wanted) { std::printf("fill %u %u\n", size, n); return 1; }
    }
  }
  std::memset(to, 0xee, 32);
  sigtrans::ptx_copy<8>((unsigned long long)to, (const void *)(from + 8));
  if (std::memcmp(to, from + 8, 8) || to[8] != 0xee) { std::printf("copy\n"); return 1; }
  unsigned a, b, c, d;
  sigtrans::ptx_load4_volatile<unsigned>(a, b, c, d, from);
  sigtrans::ptx_store4<unsigned>(to, a, b, c, d);
  if (std::memcmp(to, from, 16)) { std::printf("four\n"); return 1; }
  float x, y;
  sigtrans::ptx_load2<float>(x, y, sigtrans::ptx_address(from) + 8);
  sigtrans::ptx_store2_volatile<float>(sigtrans::ptx_address(to + 24) - 8, x, y);
  if (std::memcmp(to + 16, from + 8, 8)) { std::printf("two\n"); return 1; }
  const signed char minus = -3;
  const unsigned wide = sigtrans::ptx_load<signed char>(&minus);
  if (wide != 0xfffffffdu || sigtrans::ptx_load_volatile<unsigned char>(&minus) != 0xfd) return 1;
  sigtrans::ptx_store<unsigned char>(to, (unsigned char)wide);
  if (to[0] != 0xfd || to[1] != 101) { std::printf("byte\n"); return 1; }
  if (sigtrans::ptx_laneid() != 5 || sigtrans::ptx_lanemask_lt() != 0x1f) return 1;
  if (sigtrans::ptx_lanemask_le() != 0x3f || sigtrans::ptx_lanemask_eq() != 0x20) return 1;
  if (sigtrans::ptx_lanemask_gt() != ~0x3fu || sigtrans::ptx_lanemask_ge() != ~0x1fu) return 1;
}
"""
    ran = compile_and_run(tmp_path, code, "-O2")
    assert ran.returncode == 0, ran.stderr + ran.stdout


def test_a_stop_fails_in_the_device_pass_only(tmp_path: Path) -> None:
    code = '#line 1\nvoid f(int x) { if (x) SIGTRANS_PTX_STOP("SIG503: y (z.cu:1)"); else f(0); }\n'
    assert compile_and_run(tmp_path, code + "int main() {}\n").returncode == 0
    failed = compile_and_run(tmp_path, code + "int main() {}\n", "-DSIGTRANS_TEST_STOP")
    assert failed.returncode and "SIG503: y (z.cu:1)" in failed.stderr


def test_the_compiler_moves_nothing_past_a_volatile_access(tmp_path: Path) -> None:
    code = (
        "#include <atomic>\n#include <thread>\nint data; unsigned flag;\n"
        "__attribute__((noinline)) int wait() {\n"
        "  const int before = data;\n"
        "  while (!sigtrans::ptx_load_volatile<unsigned>(&flag)) {}\n"
        "  return before + data;\n}\n"
        "int main() {\n  std::thread other([] {\n"
        "    std::this_thread::sleep_for(std::chrono::milliseconds(200));\n"
        "    data = 7;\n    std::atomic_thread_fence(std::memory_order_seq_cst);\n"
        "    sigtrans::ptx_store_volatile<unsigned>(&flag, 1u);\n  });\n"
        '  std::printf("%d\\n", wait());\n  other.join();\n}\n'
    )
    ran = compile_and_run(tmp_path, code, "-O2", "-pthread")
    assert ran.stdout == "7\n", ran.stderr
