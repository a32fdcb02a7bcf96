"""Function bodies by brackets."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigtrans.passes.functions import find_functions
from sigtrans.syntax import lex


def found(source: str) -> list[tuple[str, str]]:
    return [(f.kind, f.name.decode()) for f in find_functions(lex(source.encode()).with_blanks())]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__global__ void k(int *p) { if (p) { *p = 1; } }", [("kernel", "k")]),
        ("__global__ void __launch_bounds__(256, 2) k(int *p) {}", [("kernel", "k")]),
        ("template <int N>\n__device__ __forceinline__ int f(int x) { return x + N; }",
         [("device", "f")]),
        ("static inline __host__ __device__ float g() { return 0; }", [("device", "g")]),
        ("CUTE_HOST_DEVICE int h(int a) { return a; }", [("macro", "h")]),
        ("int main() { k<<<1, 2>>>(p); return 0; }", [("host", "main")]),
        ("namespace a { struct S { __device__ int m() const { return 1; } }; }\nint z() {}",
         [("device", "m"), ("host", "z")]),
        ("S::S(int a) : x(a), y(2) { f(); }", [("host", "S")]),
        ("auto f(int a) -> decltype(a) { return a; }", [("host", "f")]),
        ("__device__ bool operator==(T a, T b) { return true; }", [("device", "operator==")]),
        ('extern "C" { void f() {} }', [("host", "f")]),
        ("#define K __global__\nint f() {}", [("host", "f")]),
        ("// __global__\nvoid f() { }", [("host", "f")]),
        ("void f(int); int x = g(3); int a[] = {h(1), 2}; struct T { int q; };", []),
        ("MY_API(void) f(int a) { }", [("macro", "f")]),
        ("void f() { const char *s = \"}\"; /* } */ }\nvoid g() {}",
         [("host", "f"), ("host", "g")]),
        ("if (x) { }", []),
    ],
)  # fmt: skip
def test_functions(source: str, expected: list[tuple[str, str]]) -> None:
    assert found(source) == expected


def test_places() -> None:
    source = b"int a;\n#include <x>\n/* c */ __global__ void k(int *p) { }\n"
    (one,) = find_functions(lex(source).with_blanks())
    assert source[one.head :].startswith(b"__global__")
    assert source[slice(*one.params)] == b"int *p"
    assert source[slice(*one.body)] == b"{ }"


@given(st.text('(){};#\n fi_<>:/*"\\', max_size=60))
def test_never_fails_and_never_overlaps(source: str) -> None:
    bodies = [f.body for f in find_functions(lex(source.encode()).with_blanks())]
    assert all(a[1] <= b[0] for a, b in pairwise(bodies))
