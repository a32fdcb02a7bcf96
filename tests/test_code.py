from __future__ import annotations

import os
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from porting import announced, find_silent, port, table

from sigtrans.plan import Settings, make_plan
from sigtrans.source import Severity, apply

F = "cudaFree(p);"
M = "musaFree(p);"

# --- before and after: the whole result, and every code that is said (evidence apart) -------------

PORTED = [
    # uses
    ("call", "void f() { cudaFree(p); }", "void f() { musaFree(p); }", ""),
    ("global-call", "::cudaMalloc(p, 1);", "::musaMalloc(p, 1);", ""),
    ("global-after-return", "return ::cudaFree(p);", "return ::musaFree(p);", ""),
    ("global-in-parentheses", "(::cudaFree)(p);", "(::musaFree)(p);", ""),
    ("global-in-ternary", "x ? ::cudaFree(p) : 0;", "x ? ::musaFree(p) : 0;", ""),
    ("global-const", "void f(const ::cudaStream_t s);", "void f(const ::musaStream_t s);", ""),
    ("global-static", "static ::cudaError_t f();", "static ::musaError_t f();", ""),
    ("global-extern", "extern ::cudaError_t e;", "extern ::musaError_t e;", ""),
    ("global-inline", "inline ::cudaError_t f();", "inline ::musaError_t f();", ""),
    ("global-new", "x = new ::cudaDeviceProp;", "x = new ::musaDeviceProp;", ""),
    ("global-sizeof", "x = sizeof ::cudaDeviceProp;", "x = sizeof ::musaDeviceProp;", ""),
    ("global-co-return", "co_return ::cudaFree(p);", "co_return ::musaFree(p);", ""),
    ("global-typename", "f<typename ::cudaStream_t>();", "f<typename ::musaStream_t>();", ""),
    ("global-using", "using ::cudaFree;", "using ::musaFree;", ""),
    ("global-host", "__host__ ::cudaError_t f();", "__host__ ::musaError_t f();", ""),
    ("global-in-macro", "#define Z ::cudaFree\n", "#define Z ::musaFree\n", ""),
    ("launch", "k<<<g, b, 0, cudaStream_t(0)>>>(x);", "k<<<g, b, 0, musaStream_t(0)>>>(x);", ""),
    ("launch-argument", "k<<<g, b>>>(cudaSuccess);", "k<<<g, b>>>(musaSuccess);", ""),
    (
        "nested-template",
        "V<P<cudaEvent_t,cudaStream_t>> v;",
        "V<P<musaEvent_t,musaStream_t>> v;",
        "",
    ),
    (
        "function-type",
        "std::function<cudaError_t(void)> f;",
        "std::function<musaError_t(void)> f;",
        "",
    ),
    ("cast", "x = (cudaStream_t)0;", "x = (musaStream_t)0;", ""),
    ("static-cast", "static_cast<cudaStream_t>(0);", "static_cast<musaStream_t>(0);", ""),
    ("sizeof", "sizeof(cudaDeviceProp);", "sizeof(musaDeviceProp);", ""),
    ("decltype", "decltype(&cudaMalloc) f;", "decltype(&musaMalloc) f;", ""),
    ("return", "int f() { return cudaSuccess; }", "int f() { return musaSuccess; }", ""),
    ("function-pointer", "cudaError_t (*fp)(int);", "musaError_t (*fp)(int);", ""),
    ("pointer-to-api", "fp = &cudaMalloc;", "fp = &musaMalloc;", ""),
    ("new", "auto p = new cudaDeviceProp[3];", "auto p = new musaDeviceProp[3];", ""),
    (
        "operator",
        "struct A { operator cudaError_t(); };",
        "struct A { operator musaError_t(); };",
        "",
    ),
    ("base-class", "struct S : cudaDeviceProp {};", "struct S : musaDeviceProp {};", ""),
    ("case", "switch (e) { case cudaSuccess: ; }", "switch (e) { case musaSuccess: ; }", ""),
    ("attribute", "[[nodiscard]] cudaError_t f();", "[[nodiscard]] musaError_t f();", ""),
    ("value-of-initialiser", "S s = {.x = cudaSuccess};", "S s = {.x = musaSuccess};", ""),
    ("index", "a[cudaSuccess] = 1;", "a[musaSuccess] = 1;", ""),
    ("ellipsis-before", "f(x...,cudaSuccess);", "f(x...,musaSuccess);", ""),
    (
        "pack-ellipsis",
        "template <cudaError_t...E> void f();",
        "template <musaError_t...E> void f();",
        "",
    ),
    ("member-type", "struct S { cudaStream_t s; };", "struct S { musaStream_t s; };", ""),
    (
        "member-bit-field-type",
        "struct S { cudaError_t x : 3; };",
        "struct S { musaError_t x : 3; };",
        "",
    ),
    ("default-argument", "void f(cudaStream_t s = 0);", "void f(musaStream_t s = 0);", ""),
    (
        "default-template",
        "template <class T = cudaError_t> struct A;",
        "template <class T = musaError_t> struct A;",
        "",
    ),
    ("comment-between", "cudaFree/* x */(p);", "musaFree/* x */(p);", ""),
    ("no-newline", "x = cudaSuccess", "x = musaSuccess", ""),
    ("crlf", "cudaFree(p);\r\ncudaFree(q);\r\n", "musaFree(p);\r\nmusaFree(q);\r\n", ""),
    ("bom", "\ufeffcudaFree(p);", "\ufeffmusaFree(p);", ""),
    ("chinese", "变量 = cudaSuccess; // 注释", "变量 = musaSuccess; // 注释", ""),
    (
        "every-branch",
        f"#if 0\n{F}\n#elif X\n{F}\n#else\n{F}\n#endif\n",
        f"#if 0\n{M}\n#elif X\n{M}\n#else\n{M}\n#endif\n",
        "",
    ),
    ("driver", "CUcontext c; cuInit(0);", "MUcontext c; muInit(0);", ""),
    ("nccl", "ncclComm_t c; x = ncclFloat;", "mcclComm_t c; x = mcclFloat;", ""),
    # macros
    (
        "macro-body",
        "#define A(x) do { \\\n  cudaFree(x); \\\n } while (0)\n",
        "#define A(x) do { \\\n  musaFree(x); \\\n } while (0)\n",
        "",
    ),
    (
        "macro-body-crlf",
        "#define A\t\\\r\n  cudaFree(p) \\\r\n  ;\r\n",
        "#define A\t\\\r\n  musaFree(p) \\\r\n  ;\r\n",
        "",
    ),
    ("macro-alias", "#define gpuFree cudaFree\n", "#define gpuFree musaFree\n", ""),
    ("macro-digraph", "%:define A cudaSuccess\n", "%:define A musaSuccess\n", ""),
    (
        "define-of-api",
        "#define cudaFree free\nvoid f() { cudaFree(p); }",
        "#define musaFree free\nvoid f() { musaFree(p); }",
        "SIG112",
    ),
    (
        "wrapper-macro",
        "#define CHECK(x) do { cudaError_t e = (x); } while (0)\nvoid f() { CHECK(cudaFree(p)); }",
        "#define CHECK(x) do { musaError_t e = (x); } while (0)\nvoid f() { CHECK(musaFree(p)); }",
        "",
    ),
    (
        "quoting-wrapper",
        "#define CHECK(x) g(x, #x)\nvoid f() { CHECK(cudaFree(p)); }",
        "#define CHECK(x) g(x, #x)\nvoid f() { CHECK(musaFree(p)); }",
        "SIG412",
    ),
    (
        "x-macro",
        "#define API(f) f(cudaFree) f(cudaMalloc)\n",
        "#define API(f) f(musaFree) f(musaMalloc)\n",
        "",
    ),
    (
        "pasted-argument",
        "#define A(x) x##Async\nA(cudaMemcpy)(p, 1);",
        "#define A(x) x##Async\nA(musaMemcpy)(p, 1);",
        "SIG411",
    ),
    (
        "loader-macro",
        "#define L(n) dlsym(h, #n)\nL(cudaFree);",
        "#define L(n) dlsym(h, #n)\nL(musaFree);",
        "SIG411 SIG412",
    ),
    # stand-ins
    ("prototype", "cudaError_t cudaFree(void *p);", "musaError_t musaFree(void *p);", "SIG111"),
    (
        "prototype-extern-c",
        'extern "C" { cudaError_t cudaFree(void *p); }',
        'extern "C" { musaError_t musaFree(void *p); }',
        "SIG111",
    ),
    (
        "stub",
        "static cudaError_t cudaFree(void *p) { return cudaSuccess; }",
        "static musaError_t musaFree(void *p) { return musaSuccess; }",
        "SIG111",
    ),
    (
        "handle-typedef",
        "typedef struct CUstream_st *cudaStream_t;",
        "typedef struct MUstream_st *musaStream_t;",
        "SIG111",
    ),
    ("forward", "struct CUevent_st;", "struct MUevent_st;", "SIG111"),
    (
        "enum-stand-in",
        "enum cudaError { cudaSuccess };",
        "enum musaError { musaSuccess };",
        "SIG111",
    ),
    (
        "enumerator-stand-in",
        "enum E { cudaSuccess }; int x = cudaSuccess;",
        "enum E { musaSuccess }; int x = musaSuccess;",
        "SIG111",
    ),
    (
        "typedef-struct-stand-in",
        "typedef struct { int x; } cudaDeviceProp;",
        "typedef struct { int x; } musaDeviceProp;",
        "SIG111",
    ),
    (
        "local-prototype",
        "void f() { extern cudaError_t cudaFree(void *); cudaFree(p); }",
        "void f() { extern musaError_t musaFree(void *); musaFree(p); }",
        None,
    ),
    (
        "friend",
        "struct A { friend int cudaFree(A &); };\nint g(A &a) { return cudaFree(a); }",
        "struct A { friend int musaFree(A &); };\nint g(A &a) { return musaFree(a); }",
        "SIG111",
    ),
    # includes
    ("include-angled", "#include <cuda_runtime.h>\n", "#include <musa_runtime.h>\n", ""),
    ("include-quoted", '#include "cuda_runtime.h"\n', '#include "musa_runtime.h"\n', ""),
    ("include-no-space", "#include<cuda.h>\n", "#include<musa.h>\n", ""),
    ("include-spaces", "#  include\t<cuda.h> // x\n", "#  include\t<musa.h> // x\n", ""),
    ("include-bom", "\ufeff#include <cuda.h>\n", "\ufeff#include <musa.h>\n", ""),
    ("include-next", "#include_next <cuda.h>\n", "#include_next <musa.h>\n", ""),
    ("include-comment-before", "/* */ #include <cuda.h>\n", "/* */ #include <musa.h>\n", ""),
    ("include-comment-inside", "#include /* */ <cuda.h>\n", "#include /* */ <musa.h>\n", ""),
    ("include-continued", "#include \\\n<cuda.h>\n", "#include \\\n<musa.h>\n", ""),
    ("include-digraph", "%:include <cuda.h>\n", "%:include <musa.h>\n", ""),
    (
        "has-include",
        "#if __has_include(<cuda.h>)\n#endif\n",
        "#if __has_include(<musa.h>)\n#endif\n",
        "",
    ),
    (
        "has-include-two",
        '#if __has_include("cuda.h") && __has_include( <cuda_fp16.h> )\n',
        '#if __has_include("musa.h") && __has_include( <musa_fp16.h> )\n',
        "",
    ),
    (
        "include-macro-angled",
        "#define H <cuda_runtime.h>\n#include H\n",
        "#define H <musa_runtime.h>\n#include H\n",
        "",
    ),
    (
        "include-macro-quoted",
        '#define H "cuda_runtime.h"\n#include H\n',
        '#define H "musa_runtime.h"\n#include H\n',
        "",
    ),
    (
        "include-thrust-backend",
        "#include <thrust/system/cuda/execution_policy.h>\n",
        "#include <thrust/system/musa/execution_policy.h>\n",
        "",
    ),
    # MUSA regions
    (
        "musa-then-cuda",
        f"#ifdef __MUSA__\n{F}\n#else\n{F}\n#endif\n",
        f"#ifdef __MUSA__\n{F}\n#else\n{M}\n#endif\n",
        "",
    ),
    (
        "not-musa",
        f"#ifndef USE_MUSA\n{F}\n#else\n{F}\n#endif\n{F}",
        f"#ifndef USE_MUSA\n{M}\n#else\n{F}\n#endif\n{M}",
        "",
    ),
    (
        "musa-elif",
        f"#if defined(USE_MUSA)\n{F}\n#elif defined(USE_CUDA)\n{F}\n#endif\n",
        f"#if defined(USE_MUSA)\n{F}\n#elif defined(USE_CUDA)\n{M}\n#endif\n",
        "",
    ),
    (
        "either",
        f"#if defined(USE_CUDA) || defined(USE_MUSA)\n{F}\n#endif\n",
        f"#if defined(USE_CUDA) || defined(USE_MUSA)\n{M}\n#endif\n",
        "",
    ),
    (
        "nested-in-musa",
        f"#ifdef __MUSA__\n#ifdef A\n{F}\n#else\n{F}\n#endif\n{F}\n#endif\n{F}\n",
        f"#ifdef __MUSA__\n#ifdef A\n{F}\n#else\n{F}\n#endif\n{F}\n#endif\n{M}\n",
        "",
    ),
    ("musa-number", f"#if !USE_MUSA\n{F}\n#endif\n", f"#if !USE_MUSA\n{M}\n#endif\n", ""),
    ("musa-equals-0", f"#if USE_MUSA == 0\n{F}\n#endif\n", f"#if USE_MUSA == 0\n{M}\n#endif\n", ""),
    ("musa-0-equals", f"#if 0 == USE_MUSA\n{F}\n#endif\n", f"#if 0 == USE_MUSA\n{M}\n#endif\n", ""),
    (
        "musa-not-word",
        f"#if not defined(__MUSA__)\n{F}\n#endif\n",
        f"#if not defined(__MUSA__)\n{M}\n#endif\n",
        "",
    ),
    (
        "musa-not-parenthesis",
        f"#if !(defined(__MUSA__))\n{F}\n#endif\n",
        f"#if !(defined(__MUSA__))\n{M}\n#endif\n",
        "",
    ),
    (
        "musa-not-both",
        f"#if !(defined(USE_MUSA) && X)\n{F}\n#endif\n",
        f"#if !(defined(USE_MUSA) && X)\n{M}\n#endif\n",
        "",
    ),
    (
        "musa-not-either",
        f"#if !(defined(USE_MUSA) || defined(X))\n{F}\n#endif\n",
        f"#if !(defined(USE_MUSA) || defined(X))\n{M}\n#endif\n",
        "",
    ),
    (
        "musa-in-comment",
        f"#ifdef X // __MUSA__\n{F}\n#endif\n",
        f"#ifdef X // __MUSA__\n{M}\n#endif\n",
        "",
    ),
    (
        "musa-in-block-comment",
        f"#if X /* not __MUSA__ */\n{F}\n#endif\n",
        f"#if X /* not __MUSA__ */\n{M}\n#endif\n",
        "",
    ),
    (
        "musa-unlike",
        f"#ifdef MUSA_TABLE_X\n{F}\n#endif\n",
        f"#ifdef MUSA_TABLE_X\n{M}\n#endif\n",
        "",
    ),
    (
        "musa-default",
        f"#ifndef USE_MUSA\n#define USE_MUSA 0\n#endif\n{F}",
        f"#ifndef USE_MUSA\n#define USE_MUSA 0\n#endif\n{M}",
        "",
    ),
    # marks
    (
        "mark-off-on",
        f"// sigtrans: off\n{F}\n// sigtrans: on\n{F}",
        f"// sigtrans: off\n{F}\n// sigtrans: on\n{M}",
        "",
    ),
    ("mark-skip-line", f"{F} // sigtrans: skip-line\n{F}", f"{F} // sigtrans: skip-line\n{M}", ""),
    (
        "mark-musify",
        f"// MUSIFY_EXCL_START\n{F}\n// MUSIFY_EXCL_STOP\n{F}",
        f"// MUSIFY_EXCL_START\n{F}\n// MUSIFY_EXCL_STOP\n{M}",
        "",
    ),
    ("mark-musify-line", f"{F} // MUSIFY_EXCL_LINE\n{F}", f"{F} // MUSIFY_EXCL_LINE\n{M}", ""),
    (
        "mark-block-comment",
        f"/* sigtrans: off */\n{F}\n/* sigtrans: on */\n{F}",
        f"/* sigtrans: off */\n{F}\n/* sigtrans: on */\n{M}",
        "",
    ),
    (
        "mark-in-string",
        f'const char *s = "sigtrans: off"; {F}',
        f'const char *s = "sigtrans: off"; {M}',
        "",
    ),
    ("mark-as-code", f"int MUSIFY_EXCL_START; {F}", f"int MUSIFY_EXCL_START; {M}", ""),
    ("mark-longer-word", f"// sigtrans: offline\n{F}", f"// sigtrans: offline\n{M}", "SIG016"),
    (
        "mark-whole-macro",
        f"#define A \\\n {F} \\\n {F} // sigtrans: skip-line\n{F}",
        f"#define A \\\n {F} \\\n {F} // sigtrans: skip-line\n{M}",
        "",
    ),
    (
        "mark-include",
        "// sigtrans: off\n#include <cuda.h>\n// sigtrans: on\n#include <cuda.h>",
        "// sigtrans: off\n#include <cuda.h>\n// sigtrans: on\n#include <musa.h>",
        "",
    ),
    # the project's own
    (
        "own-function",
        "int cudaFree(int a) { return a; }\nint x = cudaMalloc(0, 1);",
        "int cudaFree(int a) { return a; }\nint x = musaMalloc(0, 1);",
        "SIG110",
    ),
    (
        "own-member-and-api",
        "struct S { int cudaFree; };\nvoid f() { cudaFree(p); }",
        "struct S { int cudaFree; };\nvoid f() { musaFree(p); }",
        "SIG110",
    ),
    (
        "own-namespace-and-api",
        "namespace n { int cudaFree(int); }\nvoid f() { cudaFree(p); n::cudaFree(1); }",
        "namespace n { int cudaFree(int); }\nvoid f() { musaFree(p); n::cudaFree(1); }",
        "SIG110 SIG113",
    ),
    (
        "own-enum-class",
        "enum class E { cudaSuccess }; E e = E::cudaSuccess; int x = cudaSuccess;",
        "enum class E { cudaSuccess }; E e = E::cudaSuccess; int x = musaSuccess;",
        "SIG110 SIG113",
    ),
    (
        "own-catch",
        "void f() { try { } catch (E &cudaFree) { g(cudaFree); } cudaFree(p); }",
        "void f() { try { } catch (E &cudaFree) { g(cudaFree); } musaFree(p); }",
        "SIG110",
    ),
    (
        "macro-before-call",
        "void f() {\n  CHECKED\n  cudaFree(p);\n}",
        "void f() {\n  CHECKED\n  musaFree(p);\n}",
        None,
    ),
    # torch
    (
        "torch",
        "#include <torch/torch.h>\nauto s = at::cuda::getCurrentCUDAStream(); C10_CUDA_CHECK(x);",
        "#include <torch/torch.h>\nauto s = at::musa::getCurrentMUSAStream(); C10_MUSA_CHECK(x);",
        None,
    ),
    (
        "torch-headers",
        "#include <ATen/cuda/CUDAContext.h>\n#include <c10/cuda/CUDAGuard.h>\n",
        "#include <torch_musa/csrc/aten/musa/MUSAContext.h>\n"
        "#include <torch_musa/csrc/core/MUSAGuard.h>\n",
        "",
    ),
    ("thrust-backend", "auto p = thrust::cuda::par;", "auto p = thrust::musa::par;", ""),
]


def check(source: str, after: str, said: str | None) -> None:
    once = port(source)
    assert once.text == after
    if said is not None:
        assert once.codes == set(said.split())
    twice = port(once.after)
    assert twice.text == after, "a second run changes nothing"
    own = announced(once.diagnostics)
    assert find_silent(once.before, once.edits, once.diagnostics, own) == []
    for d in once.diagnostics:
        assert d.line >= 1 and d.column >= 1 and d.rule
        assert d.span.start < d.span.end <= len(once.before)
        assert len(d.message) > 20
        assert d.help or d.severity is Severity.NOTE, f"{d.code} does not say what to do"
        assert d.excerpt


@pytest.mark.parametrize(
    ("source", "after", "said"), [pytest.param(*row[1:], id=row[0]) for row in PORTED]
)
def test_ported(source: str, after: str, said: str | None) -> None:
    assert source != after
    check(source, after, said)


# --- left alone, with the codes that are said -----------------------------------------------------

SAME = [
    ("comment", "// cudaFree", ""),
    ("block-comment", "/* cudaFree\n cudaFree */", ""),
    ("string", 's = "cudaFree failed";', ""),
    ("raw-string", 's = R"x(cudaFree(")x";', ""),
    ("character", "x = 'cuda';", ""),
    ("longer-names", "int my_cudaFree, x_cudaFree_t;", ""),
    ("identifier-with-dollar", "int $cudaFree;", ""),
    ("chinese-identifier", "int 变cudaFree;", ""),
    ("spliced-comment", "// a \\\ncudaFree\n", ""),
    ("member-dot", "obj.cudaFree();", "SIG115"),
    ("member-arrow", "p->cudaFree();", "SIG115"),
    ("member-this", "this->cudaFree();", "SIG115"),
    ("member-chain", "f().a[1].cudaFree;", "SIG115"),
    ("member-spaced", "p -> /* x */ cudaFree;\np .\n cudaFree;", "SIG115"),
    ("member-splice", "p->\\\ncudaFree();", "SIG115"),
    ("member-template", "p->template cudaFree<int>();", "SIG115"),
    ("designated", "S s = {.cudaFree = 1};", "SIG115"),
    ("designated-braces", "S s{.cudaFree{1}};", "SIG115"),
    ("qualified", "my::cudaFree(p);", "SIG113"),
    ("qualified-spaced", "x = ns :: cudaFree;", "SIG113"),
    ("qualified-template", "T<x>::cudaFree();", "SIG113"),
    ("qualified-dependent", "typename T::cudaFree x;", "SIG113"),
    ("qualified-enum", "E e = E::cudaSuccess;", "SIG113"),
    ("parameter", "void f(int cudaFree) { g(cudaFree); }", "SIG110"),
    ("local", "void f() { int cudaFree = 1; g(cudaFree); }", "SIG110"),
    ("lambda-parameter", "auto l = [](int cudaFree) { return cudaFree; };", "SIG110"),
    ("init-capture", "auto l = [cudaFree = 1] { return cudaFree; };", "SIG110"),
    ("structured-binding", "void f() { auto [cudaFree, b] = g(); h(cudaFree); }", "SIG110"),
    ("template-type", "template <typename cudaFree> struct A { cudaFree x; };", "SIG110"),
    ("template-value", "template <int cudaFree> int f() { return cudaFree; }", "SIG110"),
    ("method", "struct S { void cudaFree(); };\nvoid S::cudaFree() {}", "SIG110 SIG113"),
    (
        "method-body",
        "struct S { void cudaFree(); void g(); };\nvoid S::g() { cudaFree(); }",
        "SIG110",
    ),
    ("member-two", "struct S { int a, cudaFree; };\nint f(S *s) { return s->cudaFree; }", "SIG110"),
    (
        "member-unsigned",
        "struct S { unsigned cudaFree : 3; };\nint f(S s) { return s.cudaFree; }",
        "SIG110",
    ),
    ("static-function", "static int cudaFree(int x) { return x; }\nint y = cudaFree(1);", "SIG110"),
    ("tree-function", "int cudaFree(int x) { return x; }\nint y = cudaFree(1);", "SIG110"),
    (
        "overloads",
        "int cudaFree(int a) { return a; }\nint cudaFree(char a) { return a; }",
        "SIG110",
    ),
    (
        "anonymous-namespace",
        "namespace { int cudaFree(int x) { return x; } }\nint y = cudaFree(1);",
        "SIG110",
    ),
    (
        "using-namespace",
        "namespace n { int cudaFree(int); }\nusing namespace n;\nint y = cudaFree(1);",
        "SIG110",
    ),
    (
        "using-declaration",
        "namespace n { int cudaFree(int); }\nusing n::cudaFree;\nint y = cudaFree(1);",
        None,
    ),
    # includes
    ("include-in-comment", "// #include <cuda.h>\n", ""),
    ("include-in-string", 's = "#include <cuda.h>";', ""),
    ("include-own-name", '#include "my_cuda_utils.h"\n', ""),
    ("include-like-cuda", "#include <cuda_mine.h>\n", "SIG104"),
    ("include-cub", "#include <cub/cub.cuh>\n#include <thrust/device_vector.h>\n", ""),
    ("include-libcudacxx", "#include <cuda/atomic>\n", "SIG103"),
    ("include-nvml", "#include <nvml.h>\n", "SIG103"),
    ("include-cutlass", "#include <cutlass/cutlass.h>\n", "SIG601"),
    # MUSA's own
    ("musa-only", f"#ifdef __MUSA__\n{F}\n#endif\n", ""),
    ("musa-bom", f"\ufeff#ifdef __MUSA__\n{F}\n#endif\n", ""),
    ("musa-version", f"#if MUSA_VERSION >= 50000\n{F}\n#endif\n", ""),
    ("musa-project-macro", f"#ifdef MYLIB_USE_MUSA\n{F}\n#endif\n", ""),
    ("musa-number", f"#if USE_MUSA\n{F}\n#endif\n", ""),
    ("musa-code", "musaFree(p); mublasCreate(&h); MUcontext c;", ""),
    ("skip-file", f"// sigtrans: skip-file\n{F}", ""),
    ("skip-file-late", f"{F}\n// sigtrans: skip-file\n", ""),
    # strings, files, sources
    ("dlsym", 'void *f = dlsym(h, "cudaMalloc");', "SIG120"),
    ("dlsym-versioned", 'void *f = dlsym(h, "cuMemAlloc_v2");', "SIG120"),
    ("get-proc-address", 'void *f = GetProcAddress(h, "cudaMalloc");', "SIG120"),
    (
        "load-table",
        'const char *n[] = {"cuInit", "cuCtxCreate"}; auto f = dlsym(h, n[0]);',
        "SIG120",
    ),
    ("name-in-string", 'x = "cudaMalloc";', "SIG121"),
    ("dlopen", 'void *h = dlopen("libcuda.so.1", 1);', "SIG122"),
    ("dlopen-cudart", 'void *h = dlopen("libcudart.so", 1);', "SIG122"),
    ("static-library", 'link("libcudart.a"); // cudaFree', "SIG122"),
    ("library-in-comment", 'x(); // cudaFree, link("libcudart.so")', ""),
    ("source-in-string", 'const char *k = "__global__ void k() {}";', "SIG123"),
    ("source-in-raw-string", 'const char *k = R"(__global__ void k() {})";', "SIG123"),
    # reported only
    ("asm-volatile", 'asm volatile("x");', "SIG501"),
    ("asm-gnu", '__asm__ __volatile__("x");', "SIG501"),
    ("asm-in-macro", "#define ASM asm volatile\n", "SIG501"),
    ("asm-member", "x.asm(1);", ""),
    ("warp-size-member", "x = prop.warpSize;", ""),
    ("texture", "texture<float> t;", "SIG301"),
    ("absent", "nvmlShutdown();", "SIG101"),
    ("unknown", "cudaNoSuchThing(p);", "SIG102"),
    (
        "member-declared",
        "struct S { int cudaFree; };\nint f(S *s) { return s->cudaFree; }",
        "SIG110",
    ),
    ("unknown-member", "x.cudaNoSuchThing();", ""),
    ("unknown-declared", "void cudaMine(int);\nvoid f() { cudaMine(1); }", ""),
    ("libcudacxx", "cuda::atomic<int> a;", "SIG131"),
    ("libcudacxx-alias", "namespace c = cuda;", "SIG131"),
    ("libcudacxx-using", "using namespace cuda;", "SIG131"),
    ("own-namespace-cuda", "namespace cuda { int x; }\nint y = cuda::x;", ""),
    # pasting
    ("paste-stem", "#define A(x) cuda##x\nA(Free)(p);", "SIG410"),
    ("paste-stem-driver", "#define A(x) cu ## x\nA(Init)(0);", "SIG410"),
    ("paste-through-macro", "#define CAT(a, b) a##b\nCAT(cuda, Free)(p);", "SIG410"),
    ("paste-in-comment", "// cuda##x\nint cudaMine = 1;", ""),
    # shapes
    ("split-name", "cuda\\\nFree(p);", "SIG413"),
    ("split-name-crlf", "cuda\\\r\nFree(p);", "SIG413"),
    ("split-name-thrice", "cud\\\na\\\nFree(p);", "SIG413"),
    ("split-name-early", "c\\\nudaFree(p);", "SIG413"),
    ("open-comment", "/* cudaFree\ncudaFree", "SIG415"),
]


@pytest.mark.parametrize(("source", "said"), [pytest.param(*row[1:], id=row[0]) for row in SAME])
def test_same(source: str, said: str | None) -> None:
    check(source, source, said)


@pytest.mark.parametrize(
    ("source", "left"),
    [
        pytest.param("x;\ncudaFree(p);", ["2: cudaFree"], id="call"),
        pytest.param("#ifdef __CUDACC__\n", ["1: __CUDACC__"], id="guard"),
        pytest.param('f("x", nvmlShutdown());', ["1: nvmlShutdown"], id="absent"),
        pytest.param("x..cudaFree; x...cudaFree", ["1: cudaFree", "1: cudaFree"], id="dots"),
        pytest.param("a > cudaSuccess", ["1: cudaSuccess"], id="greater"),
        pytest.param('// cudaFree\n\'"\' + "cudaFree"; R"(cudaFree)"', [], id="no-code"),
        pytest.param("x.cudaFree(); x->cudaFree();", [], id="members"),
    ],
)
def test_the_check_for_silence_can_fail(source: str, left: list[str]) -> None:
    data = source.encode()
    assert find_silent(data, [], []) == left
    assert find_silent(data, [], [], [name.partition(" ")[2].encode() for name in left]) == []


def test_case_names_are_unique() -> None:
    for cases in (PORTED, SAME):
        names = [row[0] for row in cases]
        assert len(names) == len(set(names))


# --- places -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "places"),
    [
        pytest.param("a;\nb = nvmlShutdown();", {"2:5 SIG101"}, id="second-line"),
        pytest.param("变量 = nvmlShutdown();", {"1:6 SIG101"}, id="columns-are-characters"),
        pytest.param("\ufeffx = nvmlShutdown();", {"1:5 SIG101"}, id="bom-is-no-column"),
        pytest.param("a;\r\n\tnvmlShutdown();", {"2:2 SIG101"}, id="crlf-and-tab"),
        pytest.param("nvmlShutdown(); nvmlShutdown();", {"1:1 SIG101", "1:17 SIG101"}, id="each"),
        pytest.param("x\n#include <cuda/atomic>\n", {"2:11 SIG103"}, id="include"),
        pytest.param('f("cuInit", "cuInit");', {"1:4 SIG121", "1:14 SIG121"}, id="strings"),
        pytest.param("void f(int cudaFree) {}", {"1:12 SIG110"}, id="declaration"),
    ],
)
def test_places(source: str, places: set[str]) -> None:
    assert port(source).places == places


# --- right, or said aloud: which of the two is free ---------------------------------------------


@pytest.mark.parametrize(
    ("source", "right"),
    [
        pytest.param(
            "#ifdef __CUDACC__\ncudaFree(p);\n#elif defined(__MUSACC__)\nmusaFree(p);\n#endif\n",
            "#ifdef __CUDACC__\nmusaFree(p);\n#elif defined(__MUSACC__)\nmusaFree(p);\n#endif\n",
            id="musa-branch-after-cuda",
        ),
        pytest.param(
            "#if defined(__CUDACC__) && !defined(__MUSACC__)\ncudaFree(p);\n#endif\n",
            "#if defined(__CUDACC__) && !defined(__MUSACC__)\nmusaFree(p);\n#endif\n",
            id="cuda-but-not-musa",
        ),
        pytest.param(
            "struct B { void cudaFree(int); };\nstruct D : B { void k() { cudaFree(1); } };",
            "struct B { void cudaFree(int); };\nstruct D : B { void k() { cudaFree(1); } };",
            id="inherited-member",
        ),
        pytest.param(
            "struct A {\n#define X(n) decltype(&n) n;\nX(cudaFree)\n};\nint f(A a) "
            "{ return a.cudaFree(p); }",
            None,
            id="x-macro-member",
        ),
        pytest.param(
            "struct A { int cudaFree; };\nint o = offsetof(A, cudaFree);",
            "struct A { int cudaFree; };\nint o = offsetof(A, cudaFree);",
            id="offsetof",
        ),
        pytest.param(
            "struct A { decltype(&cudaFree) cudaFree; };\nint f(A a) { return a.cudaFree(p); }",
            "struct A { decltype(&musaFree) cudaFree; };\nint f(A a) { return a.cudaFree(p); }",
            id="member-named-as-its-type",
        ),
        pytest.param(
            "#define D(n) void *p_##n;\n#define X(f) f(cudaFree)\nX(D)\nint y = p_cudaFree;",
            None,
            id="x-macro-that-pastes",
        ),
        pytest.param("// sigtrans: off\ncudaFree(p);", None, id="mark-never-closed"),
        pytest.param("// sigtrans: of\ncudaFree(p);", None, id="mark-misspelt"),
        pytest.param("// MUSIFY_EXCL_START\ncudaFree(p);", None, id="vendor-mark-never-closed"),
        pytest.param(
            "// sigtrans: off\nint cudaFree(int a) { return a; }\n// sigtrans: on\n"
            "void f() { cudaFree(p); }",
            None,
            id="owner-inside-a-mark",
        ),
        pytest.param("#import <cuda.h>\n", "#import <musa.h>\n", id="import"),
        pytest.param("#include <torch/cuda.h>\n", None, id="torch-cuda-header"),
        pytest.param('#include "x/cuda_runtime.h"\n', None, id="cuda-header-in-a-folder"),
        pytest.param("p-\\\n>cudaFree();", "p-\\\n>cudaFree();", id="split-arrow"),
        pytest.param("cuda\\ \nFree(p);", None, id="split-name-with-space"),
    ],
)
def test_right_or_said_aloud(source: str, right: str | None) -> None:
    """`right` None: only a warning or an error will do."""
    once = port(source)
    assert once.loud or (right is not None and once.text == right)


def test_protected_names_are_counted() -> None:
    once = port(f"// sigtrans: off\n{F} {F}\n// sigtrans: on\n{F}")
    assert once.protected == 2


def test_strict_leaves_what_only_the_rule_says() -> None:
    name = min(n for n in table().unproven if n in table().targets).decode()
    assert name not in port(f"x = {name};").text
    strict = port(f"x = {name};", strict=True)
    assert strict.text == f"x = {name};"
    assert "SIG106" in strict.codes


def test_strict_covers_headers_and_guards() -> None:
    names = table()
    header = min(
        h for h in names.headers if h in names.unproven and names.headers[h] not in (None, h)
    )
    guard = min(g for g in names.guards if g in names.unproven and names.guards[g])
    for source in (f"#include <{header.decode()}>\n", f"#ifdef {guard.decode()}\n#endif\n"):
        assert port(source).text != source
        strict = port(source, strict=True)
        assert strict.text == source and strict.loud


def test_unproven_names_are_told_once_per_file() -> None:
    name = min(n for n in table().unproven if n in table().targets).decode()
    said = [d for d in port(f"{name};\n{name};\n{name};").diagnostics if d.code == "SIG105"]
    assert [(d.line, d.severity) for d in said] == [(1, Severity.NOTE)]


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("#define A(x) x##y\n" * 4000 + "A(cudaFree)\n" * 4000, id="many-pastings"),
        pytest.param("void f(int cudaFree) { cudaFree; }\n" * 2000, id="many-owners"),
        pytest.param("// \\\n" * 40000 + "cudaFree", id="many-splices"),
        pytest.param('R"x(' * 40000 + "cudaFree", id="many-raw-openers"),
        pytest.param("/\\\n" * 40000 + "cudaFree", id="many-spliced-slashes"),
    ],
)
def test_time_grows_with_the_file_and_not_with_its_square(source: str) -> None:
    start = process_time()
    port(source)
    assert process_time() - start < 3, "a linear pass takes a tenth of this"


# --- laws -----------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        "cudaFree(p);",
        "cudaError_t e;",
        " ",
        "\n",
        "\r\n",
        "\r",
        "\\\n",
        '"',
        "'",
        "//",
        "/*",
        "*/",
        'R"(',
        ')"',
        "#include <cuda.h>\n",
        "#ifdef __CUDACC__\n",
        "#if __CUDA_ARCH__ >= 800\n",
        "#else\n",
        "#endif\n",
        "#ifdef __MUSA__\n",
        "#define A(x) cuda##x\n",
        "// sigtrans: off\n",
        "// sigtrans: on\n",
        "void f(int cudaFree) {",
        "}",
        "{",
        "(",
        ")",
        ";",
        "struct S { int cudaFree; };",
        "namespace n {",
        "::",
        "->",
        ".",
        "n",
        "nvmlShutdown()",
        "cudaNope",
        "变",
        "\ufeff",
        "\0",
        "static int cudaMalloc(int x) { return x; }",
        "\n#define B \\\n cudaFree(p) \\\n x\n",
        "asm(",
        "##",
    ]
)
SOUP = st.lists(PIECES, max_size=30).map(lambda parts: "".join(parts).encode())


@given(SOUP)
@settings(max_examples=200, deadline=None)
def test_twice_is_once(data: bytes) -> None:
    once = port(data)
    again = port(once.after)
    assert again.after == once.after


@given(SOUP)
@settings(max_examples=200, deadline=None)
def test_bytes_outside_the_edits_are_unchanged(data: bytes) -> None:
    once = port(data)
    at = 0
    rest = once.after
    for edit in once.edits:
        kept = data[at : edit.span.start]
        assert rest.startswith(kept + edit.text)
        rest = rest[len(kept) + len(edit.text) :]
        at = edit.span.end
    assert rest == data[at:]


@given(SOUP)
@settings(max_examples=200, deadline=None)
def test_line_structure_is_kept(data: bytes) -> None:
    once = port(data)
    edits = [e for e in once.edits if e.rule != "guards/stop"]  # that is three lines for one
    if once.helpers:  # an #include more, blocks of several lines
        return
    after = apply(data, edits).data
    assert after.count(b"\n") == data.count(b"\n")
    assert after.count(b"\r") == data.count(b"\r")


@given(SOUP)
@settings(max_examples=200, deadline=None)
def test_every_diagnostic_points_into_the_file(data: bytes) -> None:
    for d in port(data).diagnostics:
        assert 0 <= d.span.start < d.span.end <= len(data)
        assert d.line >= 1 and d.column >= 1 and d.message


# --- places where one rule had been written more than once ---------------------------------------

A = "struct A { void cudaFree(void *); };\n"
G = "void g(void *q) { cudaFree(q); }\n"
LABEL = "if (e) goto cudaErrorUnknown; cudaErrorUnknown:"

SETTLED = [
    # blanks between a backslash and its line end change nothing
    ("string", 'auto s = "a \\ \ncudaMalloc";', None),
    ("protected", "#if defined(USE_MUSA) || \\ \n defined(__CUDACC__)\n#endif\n", None),
    ("include", "#include \\ \n <cuda_runtime.h>\n", "#include \\ \n <musa_runtime.h>\n"),
    # a using-declaration reaches as far as the block around it
    (
        "using-in-a-function",
        A + "void f(void *q) { using A::cudaFree; cudaFree(q); }\n" + G,
        A + "void f(void *q) { using A::cudaFree; cudaFree(q); }\n" + G.replace("cuda", "musa"),
    ),
    (
        "using-after-a-comment",
        "namespace A { int cudaFree(void *); } // x\nusing A::cudaFree;\n" + G,
        None,
    ),
    (
        "using-in-a-class",
        A + "struct B : A { using A::cudaFree; void h(void *); };\n"
        "void B::h(void *q) { cudaFree(q); }\n" + G,
        A + "struct B : A { using A::cudaFree; void h(void *); };\n"
        "void B::h(void *q) { cudaFree(q); }\n" + G.replace("cuda", "musa"),
    ),
    # what a base class declares is visible in members defined outside the class
    (
        "base",
        A + "struct __align__(16) B final : public virtual A { void h(void *); };\n"
        "void B::h(void *q) { cudaFree(q); }\n",
        None,
    ),
    (
        "base-of-a-base",
        "template <class T> " + A + "template <> struct B<int> : private A<int>, X {};\n"
        "struct C : n::B<int> { void h(void *); };\nvoid C::h(void *q) { cudaFree(q); }\n",
        None,
    ),
    # labels have a name space of their own
    (
        "label",
        "void f(int e) { "
        + LABEL
        + " ; }\nint g(int e) { switch (e) { case cudaErrorUnknown: ; } }",
        "void f(int e) { "
        + LABEL
        + " ; }\nint g(int e) { switch (e) { case musaErrorUnknown: ; } }",
    ),
    (
        "label-and-condition",
        "int f(int e) { " + LABEL + " return e ? cudaErrorUnknown : 0; }",
        "int f(int e) { " + LABEL + " return e ? musaErrorUnknown : 0; }",
    ),
    # a `>` before `::` closes an argument list only when it stands right before it
    (
        "template-head",
        "template <typename T> ::cudaError_t f(T);\nbool b = e > ::cudaSuccess;\n",
        "template <typename T> ::musaError_t f(T);\nbool b = e > ::musaSuccess;\n",
    ),
    ("template-argument", "auto x = S<int>::cudaSuccess;\n", None),
]


@pytest.mark.parametrize(
    ("before", "after"), [pytest.param(*row[1:], id=row[0]) for row in SETTLED]
)
def test_a_rule_holds_wherever_it_applies(before: str, after: str | None) -> None:
    assert port(before).text == (before if after is None else after)


def test_an_unknown_name_of_the_global_namespace_is_said() -> None:
    assert port("void f() { ::cudaFrobnicate(1); }").places == {"1:14 SIG102"}


@pytest.mark.parametrize("source", ["// c\\\nudaMalloc\n", 'auto s = "c\\\nudaMalloc";\n'])
def test_a_name_split_in_a_comment_or_string_is_nobodys(source: str) -> None:
    assert port(source).places == set()


def test_another_mat_is_not_pytorchs() -> None:
    found = port('void f() { auto m = cv::Mat::zeros(1); auto s = "cuda"; m.cuda(); cudaFree(0); }')
    assert found.places == set()


def test_a_header_below_a_known_folder_gets_the_advice_of_the_folder() -> None:
    (said,) = port("#include <nvtx3/other.hpp>\n").diagnostics
    assert said.code == "SIG103"
    assert "macro" in said.help


def test_a_name_of_the_project_that_looks_like_npps_is_its_own() -> None:
    assert port("int nppCount = 0;\nvoid f() { nppCount++; }\n").places == set()
    assert port("void f() { nppSetStream(0); }").places == {"1:12 SIG101"}


# --- real trees, when there are any -------------------------------------------------------------

TREES = os.environ.get("SIGTRANS_TREES", "")


@pytest.mark.skipif(not TREES, reason="set SIGTRANS_TREES to a folder of CUDA trees to run this")
@pytest.mark.parametrize("name", ["llm.c", "gpu-rodinia"])
def test_nothing_is_left_in_silence(name: str) -> None:
    root = Path(TREES) / name
    if not root.is_dir():
        pytest.skip(f"{root} is not there")
    plan = make_plan(root, Settings(jobs=1)).plan
    own = announced(d for f in plan.files for d in f.diagnostics)
    left = [
        f"{f.path}:{each}"
        for f in plan.files
        if f.kind in ("cuda", "c++") and f.status.value in ("ported", "unchanged")
        for each in find_silent((root / f.path).read_bytes(), f.edits, f.diagnostics, own)
    ]
    assert left == []


def test_a_torch_device_is_known_by_its_namespace_too() -> None:
    found = port('#include "w.h"\nauto d = torch::Device("cuda", 0);\n')
    assert "SIG130" in found.codes


def test_a_namespace_without_counterpart_is_said_once_a_file() -> None:
    source = "cudnn_frontend::Tensor f(cudnn_frontend::Tensor t);\ncudnn_frontend::Tensor a;\n"
    got = port(source, path="a.cpp", is_cuda=False)
    said = [d for d in got.diagnostics if d.code == "SIG101"]
    assert got.text == source
    assert [d.span.start for d in said] == [0] and "(3 places in this file)" in said[0].message
