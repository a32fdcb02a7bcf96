"""Constant expressions and type layouts that a file shows: against Python and a C++ compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from porting import find_compiler, table

from sigtrans.passes import Code, Protected
from sigtrans.passes.sizes import Names, find_shown, find_variables, split
from sigtrans.source import SourceFile
from sigtrans.symbols import find_facts, merge
from sigtrans.syntax import lex


def code(source: str) -> Code:
    file = SourceFile("a.cu", source.encode())
    lexed = lex(file.data).with_blanks()
    facts = find_facts(file, lexed, table())
    project = merge([facts], ["a.cu"], {})
    return Code(
        file, lexed, facts, project, table(), Protected(), ("mp_31",), "5.2", True, ()
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("32", 32),
        ("0x20u", 32),
        ("010", 8),
        ("1'024", 1024),
        ("(4 + 4) * 2 - 1", 15),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("1 << 4 | 1", 17),
        ("3 > 2 ? 10 : 20", 10),
        ("sizeof(float) * 4", 16),
        ("sizeof(unsigned long long)", 8),
        ("(int)sizeof(double4)", 32),
        ("static_cast<int>(7)", 7),
        ("max(3, 9)", 9),
        ("std::min(3, 9)", 3),
        ("N", None),
        ("f(3)", None),
        ("4 / 0", None),
        ("sizeof(Thing)", None),
        ("a[3]", None),
        ("1 +", None),
        ("(" * 5000 + "1" + ")" * 5000, None),
        ("", None),
    ],
)
def test_expressions(text: str, value: int | None) -> None:
    assert Names().number(text.encode()) == value


@st.composite
def expressions(draw: st.DrawFn, deep: int = 3) -> str:
    if deep == 0 or draw(st.booleans()):
        return str(draw(st.integers(0, 999)))
    left, right = draw(expressions(deep - 1)), draw(expressions(deep - 1))
    operator = draw(st.sampled_from(("+", "-", "*", "&", "|", "^", "<", ">", "==", "!=")))
    return f"({left} {operator} {right})"


@given(expressions())
def test_expressions_agree_with_python(text: str) -> None:
    assert Names().number(text.encode()) == int(eval(text))


SHOWN = """
#define A 4
#define B (A * 2)
#ifdef X
#define C 1
#else
#define C 2
#endif
constexpr int D = B + 1, E = 3;
const unsigned int F{7};
enum { G, H, I = 10, J };
using real = float;
typedef unsigned long long word;
struct S { char a; double b; real c[A]; };
struct alignas(64) T { int a; };
template <class X> struct U { X x; };
union V { int a; double b; };
struct W { int f(); int x; };
struct Y { static const int K = 5; };
void f() { const int D = 100; }
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("B", 8), ("C", None), ("D", 9), ("E", 3), ("F", 7), ("G", 0), ("H", 1), ("J", 11),
        ("K", None), ("sizeof(real)", 4), ("sizeof(word)", 8), ("sizeof(S)", 32),
        ("sizeof(T)", None), ("sizeof(U)", None), ("sizeof(V)", 8), ("sizeof(W)", None),
        ("sizeof(S *)", 8),
    ],
)  # fmt: skip
def test_what_a_file_shows(text: str, value: int | None) -> None:
    assert find_shown(code(SHOWN)).top.number(text.encode()) == value


def test_a_function_has_its_own() -> None:
    shown = find_shown(code(SHOWN))
    (function,) = shown.code.functions[-1:]
    assert shown.inside(function).number(b"D * E") == 300


MEMBERS = ("char", "short", "int", "long long", "double", "float", "void *", "unsigned short")


def test_layouts_agree_with_a_compiler(tmp_path: Path) -> None:
    structs: list[str] = []
    for n in range(64):
        kinds = [MEMBERS[(n * 7 + k * k * 3 + k) % len(MEMBERS)] for k in range(1 + n % 5)]
        members = " ".join(
            f"{kind} m{k}{f'[{1 + (n + k) % 3}]' if k % 2 else ''};" for k, kind in enumerate(kinds)
        )
        structs.append(f"{'union' if n % 9 == 0 else 'struct'} S{n} {{ {members} }};")
    source = "\n".join(structs)
    program = (
        source + "\n#include <cstdio>\nint main() {\n"
        + "\n".join(f'printf("%zu\\n", sizeof(S{n}));' for n in range(64)) + "\n}\n"
    )  # fmt: skip
    (tmp_path / "a.cpp").write_text(program)
    subprocess.run([find_compiler(), "-o", tmp_path / "a", tmp_path / "a.cpp"], check=True)
    ran = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=True)
    top = find_shown(code(source)).top
    ours = [top.number(b"sizeof(S%d)" % n) for n in range(64)]
    assert ours == [int(line) for line in ran.stdout.split()]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__shared__ float a[4][B];", [("a", "[4][B]", False)]),
        ("extern __shared__ int b[];", [("b", "[]", True)]),
        ("__shared__ int c, d[2], *e;", [("c", "", False), ("d", "[2]", False), ("e", "", False)]),
        ("__shared__ __align__(16) float2 f[8];", [("f", "[8]", False)]),
        ("static __shared__ cub::X<int, 4>::T g;", [("g", "", False)]),
        ("__shared__ union { int a; } h;", [("", "", False)]),
        ("// __shared__ int i;\nconst char *j = \"__shared__ int k;\";", []),
        ("#define L __shared__ int m[3];", []),
        ("int my__shared__n;", []),
    ],
)  # fmt: skip
def test_declarations(source: str, expected: list[tuple[str, str, bool]]) -> None:
    found = find_variables(code(source), b"__shared__")
    assert [(v.name.decode(), v.dimensions.decode(), v.extern) for v in found] == expected


def test_split() -> None:
    assert split(b"a, f(b, c), d[1,2]") == [b"a", b" f(b, c)", b" d[1,2]"]
    assert split(b"A<b, c>, d", angles=True) == [b"A<b, c>", b" d"]
