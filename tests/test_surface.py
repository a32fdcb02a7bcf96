"""How declarations are taken from headers, and how they become headers again."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sigtrans import surface
from sigtrans.surface import Row, declare, find_family, render

TOOLS = Path(__file__).resolve().parent.parent / "tools"

HEADER = """
#include <stddef.h>
typedef struct CUstream_st *cudaStream_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost = 0, cudaMemcpyHostToDevice = 1 };
typedef enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1 } cudaError_t;
struct cudaExtent { size_t width; size_t height, depth; };
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
extern "C" cudaError_t cudaMemset(void *where, int value, size_t count);
extern "C" cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t count,
                                       enum cudaMemcpyKind kind, cudaStream_t stream = 0);
extern "C" cudaError_t cudaLogsCurrent(void *iterator, unsigned int flags);
template <class T> static inline cudaError_t cudaMalloc(T **where, size_t size) {
  return cudaSuccess;
}
#define cudaEventDefault 0x00
#define cudaNothing 1
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The generator, which imports its neighbour."""
    sys.path.insert(0, str(TOOLS))
    try:
        spec = importlib.util.spec_from_file_location("make_surface", TOOLS / "make_surface.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["make_surface"] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(TOOLS))
    return module


def rows_of(tool: ModuleType, folder: Path, text: str) -> list[str]:
    includes = folder / "include"
    includes.mkdir(parents=True)
    (includes / "cuda_runtime_api.h").write_text(text)
    builtin = surface.surface_dir() / "include" / "builtin"
    found = tool.find_includes(folder)
    unit = tool.parse(found, [str(builtin)])
    assert [d.spelling for d in unit.diagnostics if d.severity >= 3] == []
    return [row.line() for row in tool.find_rows(unit, found, tool.Mapper(tool.load()))]


def test_what_is_taken_from_a_header(tool: ModuleType, tmp_path: Path) -> None:
    assert rows_of(tool, tmp_path, HEADER) == [
        "struct\tMUstream_st",
        "typedef\tmusaStream_t\t\tstruct MUstream_st *",
        "enum\tmusaMemcpyKind\t\tmusaMemcpyHostToHost=0,musaMemcpyHostToDevice=1",
        "enum\tmusaError\t\tmusaSuccess=0,musaErrorInvalidValue=1",
        "typedef\tmusaError_t\t\tenum musaError",
        "struct\tmusaExtent\t\tsize_t width; size_t height; size_t depth;",
        "typedef\tmusaStreamCallback_t\t\tvoid (*)(musaStream_t, musaError_t, void *)",
        "function\tmusaMemset\tmusaError_t\tvoid *, int, size_t",
        "function\tmusaMemcpyAsync\tmusaError_t\t"
        "void *, const void *, size_t, enum musaMemcpyKind, musaStream_t = {}",
        "template\tmusaMalloc\tmusaError_t\tT **, size_t\tclass T;+",
        "macro\tmusaEventDefault\t\t0x00",
    ], "nor what the tables call absent (cudaLogsCurrent) or do not know (cudaNothing)"


def test_releases_are_merged(tool: ModuleType) -> None:
    old = [
        tool.Row("runtime", "function", "f", "int", "int"),
        tool.Row("runtime", "function", "g", "int", "int"),
        tool.Row("runtime", "enum", "e", "", "A=0"),
        tool.Row("runtime", "struct", "s", "", "int a;"),
    ]
    new = [
        tool.Row("runtime", "function", "f", "int", "int, int = {}"),
        tool.Row("runtime", "function", "g", "int", "int"),
        tool.Row("runtime", "enum", "e", "", "A=0,B=1"),
        tool.Row("runtime", "struct", "s", "", "int a; int b;"),
        tool.Row("runtime", "function", "h", "int", ""),
    ]
    ours = [tool.Row("runtime", "function", "h", "int", "float")]
    assert [row.line() for row in tool.merge([old, new], ours)["runtime"]] == [
        "function\tf\tint\tint",
        "function\tg\tint\tint",
        "enum\te\t\tA=0,B=1",
        "struct\ts\t\tint a;",
        "function\tf\tint\tint, int\t+",  # C++ is given both forms
        "function\th\tint\tfloat",  # what is written by hand wins
    ]


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("int", "int n"),
        ("const char *", "const char *n"),
        ("int[3]", "int n[3]"),
        ("unsigned int[2][4]", "unsigned int n[2][4]"),
        ("void (*)(int, char *)", "void (*n)(int, char *)"),
    ],
)
def test_declare(type_: str, expected: str) -> None:
    assert declare(type_, "n") == expected


def test_render() -> None:
    rows = [
        Row("enum", "e", "", "A=0,B=1"),
        Row("struct", "s"),
        Row("struct", "t", "", "int a;"),
        Row("function", "f", "e", "int, s * = {}"),
        Row("function", "d", "void", "", "d"),
        Row("template", "g", "e", "T *", "class T;hd"),
        Row("macro", "M", "", "1"),
        Row("loose", "l", "e"),
    ]
    assert render("base", rows).splitlines() == [
        "#pragma once",
        "typedef enum e { A = 0,B = 1 } e;",
        "typedef struct s s;",
        "typedef struct t { int a; } t;",
        "e f(int, s * SIGTRANS_OR({}));",
        "#if defined(__MUSACC__)",
        "__device__ void d(void);",
        "#endif",
        "#if defined(__cplusplus)",
        "template <class T> __host__ __device__ e g(T *);",
        "#endif",
        "#define M 1",
        "#ifdef __cplusplus",
        "template <class... T> e l(T...);",
        "#else",
        "e l();",
        "#endif",
    ]


@pytest.mark.parametrize(
    ("header", "family"),
    [
        ("musa_runtime.h", "runtime"),
        ("musa.h", "driver"),
        ("mublas.h", "cublas"),
        ("mublasLt.h", "cublaslt"),
        ("murand_kernel.h", "curand_kernel"),
        ("musa_fp16.h", "half"),
        ("mudnn.h", ""),
    ],
)
def test_find_family(header: str, family: str) -> None:
    assert find_family(header) == family
