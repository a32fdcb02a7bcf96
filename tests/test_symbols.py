from __future__ import annotations

import pytest
from porting import port, table

from sigtrans.source import SourceFile
from sigtrans.symbols import FileFacts, Project, Reach, find_facts, merge
from sigtrans.syntax import lex


def facts(source: str, path: str = "a.cu") -> FileFacts:
    data = source.encode()
    return find_facts(SourceFile(path, data), lex(data), table())


def own(source: str) -> set[tuple[str, str]]:
    return {(o.name.decode(), o.reach.value) for o in facts(source).own}


F = "cudaFree"
LOCAL, SCOPE, FILE, TREE = "range", "scope", "file", "tree"

# --- what is declared, and how far it reaches -----------------------------------------------------

DECLARED = [
    # parameters
    pytest.param("void f(int cudaFree) { cudaFree; }", LOCAL, id="parameter"),
    pytest.param("void f(unsigned cudaFree) { cudaFree; }", LOCAL, id="parameter-unsigned"),
    pytest.param("void f(const unsigned cudaFree) {}", LOCAL, id="parameter-const-unsigned"),
    pytest.param("void f(float *__restrict__ cudaFree) {}", LOCAL, id="parameter-restrict"),
    pytest.param("void f(int cudaFree);", LOCAL, id="parameter-of-prototype"),
    pytest.param("void f(int cudaFree[]) {}", LOCAL, id="parameter-array"),
    pytest.param("void f(int *cudaFree) {}", LOCAL, id="parameter-pointer"),
    pytest.param("void f(int &cudaFree) {}", LOCAL, id="parameter-reference"),
    pytest.param("template <class T> void f(T &&cudaFree) {}", LOCAL, id="parameter-forwarding"),
    pytest.param("void f(int (&cudaFree)[3]) {}", LOCAL, id="parameter-array-reference"),
    pytest.param("void f(int (*cudaFree)(int)) {}", LOCAL, id="parameter-function-pointer"),
    pytest.param("void f(int cudaFree = 3) {}", LOCAL, id="parameter-default"),
    pytest.param("void f(S<int>::T cudaFree) {}", LOCAL, id="parameter-nested-type"),
    pytest.param("__global__ void k(float *cudaFree, int n) {}", LOCAL, id="kernel-parameter"),
    pytest.param("auto l = [](int cudaFree) { return cudaFree; };", LOCAL, id="lambda-parameter"),
    pytest.param("auto l = [](auto cudaFree) { return 1; };", LOCAL, id="generic-lambda"),
    pytest.param("struct S { S(int cudaFree) : x(cudaFree) {} };", LOCAL, id="constructor"),
    pytest.param("typedef void (*cb)(int cudaFree);", LOCAL, id="parameter-in-typedef"),
    # locals
    pytest.param("void f() { int cudaFree = 1; }", LOCAL, id="local"),
    pytest.param("void f() { unsigned cudaFree = 1; }", LOCAL, id="local-unsigned"),
    pytest.param("void f() { int a, cudaFree; }", LOCAL, id="local-second"),
    pytest.param("void f() { int a = 1, *cudaFree = 0; }", LOCAL, id="local-second-pointer"),
    pytest.param("void f() { S cudaFree(1); }", LOCAL, id="local-constructed"),
    pytest.param("void f() { S cudaFree{1}; }", LOCAL, id="local-braced"),
    pytest.param("void f() { static const S cudaFree = 1; }", LOCAL, id="local-static"),
    pytest.param("void f() { std::vector<int> cudaFree; }", LOCAL, id="local-template-type"),
    pytest.param("__global__ void f() { __shared__ float cudaFree[3]; }", LOCAL, id="shared"),
    pytest.param("void f() { auto [cudaFree, b] = g(); }", LOCAL, id="structured-binding"),
    pytest.param("void f() { auto [a, cudaFree] = g(); }", LOCAL, id="structured-binding-second"),
    pytest.param("void f() { auto &[cudaFree] = g(); }", LOCAL, id="structured-binding-reference"),
    pytest.param("void f() { for (int cudaFree = 0;;) g(); }", LOCAL, id="for"),
    pytest.param("void f() { for (auto cudaFree : v) g(); }", LOCAL, id="range-for"),
    pytest.param("void f() { for (auto &cudaFree : v) g(); }", LOCAL, id="range-for-reference"),
    pytest.param("void f() { if (int cudaFree = g()) h(); }", LOCAL, id="if"),
    pytest.param("void f() { while (int cudaFree = g()) h(); }", LOCAL, id="while"),
    pytest.param("void f() { switch (int cudaFree = g()) {} }", LOCAL, id="switch"),
    pytest.param("void f() { try {} catch (E &cudaFree) {} }", LOCAL, id="catch"),
    pytest.param("auto l = [cudaFree = 1] { return cudaFree; };", LOCAL, id="init-capture"),
    pytest.param("void f() { using cudaError_t = int; }", LOCAL, id="local-alias"),
    pytest.param("void f() { struct cudaError_t {}; }", LOCAL, id="local-struct"),
    pytest.param("template <int cudaFree> int f() { return 1; }", LOCAL, id="template-value"),
    pytest.param("template <typename cudaFree> struct A {};", LOCAL, id="template-type"),
    pytest.param("template <class T, class cudaFree> struct A {};", LOCAL, id="template-class"),
    # members
    pytest.param("struct S { int cudaFree; };", SCOPE, id="member"),
    pytest.param("struct S { int a, cudaFree; };", SCOPE, id="member-second"),
    pytest.param("struct S { unsigned cudaFree; };", SCOPE, id="member-unsigned"),
    pytest.param("struct S { unsigned cudaFree : 3; };", SCOPE, id="member-bit-field"),
    pytest.param("struct S { float *__restrict__ cudaFree; };", SCOPE, id="member-restrict"),
    pytest.param("struct S { void cudaFree(); };", SCOPE, id="method"),
    pytest.param("struct S { void cudaFree() {} };", SCOPE, id="method-with-body"),
    pytest.param("class S { static int cudaFree(int); };", SCOPE, id="static-method"),
    pytest.param("struct S { template <class T> void cudaFree(T); };", SCOPE, id="method-template"),
    pytest.param("struct S { int (*cudaFree)(int); };", SCOPE, id="member-function-pointer"),
    pytest.param("struct S { decltype(&cudaInit) cudaFree; };", SCOPE, id="member-decltype"),
    pytest.param("struct S { FN(x) cudaFree; };", SCOPE, id="member-macro-type"),
    pytest.param("union S { int cudaFree; };", SCOPE, id="member-of-union"),
    pytest.param("class S { using cudaError_t = int; };", SCOPE, id="member-alias"),
    pytest.param("class S { typedef int cudaError_t; };", SCOPE, id="member-typedef"),
    pytest.param("enum class E { cudaSuccess };", SCOPE, id="enum-class"),
    pytest.param("enum class E : int { a, cudaSuccess = 3 };", SCOPE, id="enum-class-second"),
    pytest.param("struct S { enum { cudaSuccess }; };", SCOPE, id="enum-in-class"),
    # namespaces
    pytest.param("namespace n { int cudaFree(int); }", SCOPE, id="namespace-function"),
    pytest.param("namespace n { int cudaFree; }", SCOPE, id="namespace-variable"),
    pytest.param("namespace n { using cudaError_t = int; }", SCOPE, id="namespace-alias"),
    pytest.param("namespace a::b { int cudaFree(int); }", SCOPE, id="nested-namespace"),
    pytest.param("inline namespace n { int cudaFree(int) {} }", SCOPE, id="inline-namespace"),
    pytest.param("namespace { int cudaFree(int x) { return 1; } }", FILE, id="anonymous"),
    # functions
    pytest.param("static int cudaFree(int x) { return x; }", FILE, id="static"),
    pytest.param("int cudaFree(int x) { return x; }", TREE, id="function"),
    pytest.param("void cudaFree() {}", TREE, id="void-function"),
    pytest.param("auto cudaFree(int) -> int { return 1; }", TREE, id="trailing-return"),
    pytest.param("__device__ int cudaFree(int a) { return a; }", TREE, id="device-function"),
    pytest.param('extern "C" int cudaFree(int a) { return a; }', TREE, id="extern-c"),
    pytest.param("template <class T> T cudaFree(T a) { return a; }", TREE, id="template"),
    pytest.param("int *cudaFree(int a) { return 0; }", TREE, id="returns-pointer"),
    pytest.param("namespace cudaFree { int x; }", TREE, id="namespace-name"),
    # stand-ins for CUDA's: own nothing, are ported
    pytest.param("int cudaFree(void *);", "stand-in", id="prototype"),
    pytest.param("cudaError_t cudaFree(void *p) { return x; }", "stand-in", id="stub"),
    pytest.param(
        "static cudaError_t cudaFree(void *p) { return x; }", "stand-in", id="static-stub"
    ),
    pytest.param('extern "C" { int cudaFree(void *); }', "stand-in", id="extern-c-block"),
    pytest.param("struct CUevent_st;", "stand-in", id="forward"),
    pytest.param("typedef struct S *cudaStream_t;", "stand-in", id="typedef"),
    pytest.param("typedef int cudaError_t;", "stand-in", id="typedef-int"),
    pytest.param("typedef struct { int x; } cudaDeviceProp;", "stand-in", id="typedef-struct"),
    pytest.param("typedef enum { a } cudaError_t;", "stand-in", id="typedef-enum"),
    pytest.param("using cudaError_t = int;", "stand-in", id="alias"),
    pytest.param("enum cudaError { a };", "stand-in", id="enum"),
    pytest.param("enum E { cudaSuccess };", "stand-in", id="enumerator"),
    pytest.param("enum { a, cudaSuccess = 3 };", "stand-in", id="enumerator-second"),
    pytest.param("struct cudaDeviceProp { int x; };", "stand-in", id="struct"),
    pytest.param("#define cudaFree free\n", "stand-in", id="macro"),
    pytest.param("#define cudaFree(p) free(p)\n", "stand-in", id="function-macro"),
    pytest.param("int (*cudaFree)(void *);", "stand-in", id="function-pointer"),
    pytest.param("extern int cudaFree;", "stand-in", id="extern-variable"),
]


@pytest.mark.parametrize(("source", "reach"), DECLARED)
def test_declarations(source: str, reach: str) -> None:
    found = own(source)
    assert len(found) == 1 and {r for _, r in found} == {reach}


USES = [
    "void f() { cudaFree(p); }",
    "cudaError_t e = cudaFree(p);",
    "int f() { return cudaSuccess; }",
    "cudaError_t f();",
    "cudaError_t (*fp)(int);",
    "cudaError_t(x);",
    "std::function<cudaError_t(void)> f;",
    "x = (cudaStream_t)0;",
    "auto p = new cudaDeviceProp;",
    "struct cudaDeviceProp p;",
    "void f(struct cudaDeviceProp *p);",
    "struct CUstream_st *s;",
    "k<<<1, 2, 0, cudaStream_t(0)>>>(x);",
    "if (cudaFree(p) == cudaSuccess) {}",
    "x = a * cudaFree(p);",
    "x = a & cudaSuccess;",
    "x = a > cudaSuccess;",
    "x = y ? cudaSuccess : cudaErrorInvalidValue;",
    "switch (e) { case cudaSuccess: break; }",
    "auto f = &cudaFree;",
    "f(&cudaFree, cudaFree);",
    "S s{cudaSuccess, 1};",
    "template <cudaError_t E> void f();",
    "void f(cudaError_t = cudaSuccess);",
    "static_assert(sizeof(cudaError_t) == 4);",
    "int a[cudaSuccess];",
    "typedef cudaError_t err;",
    "using err = cudaError_t;",
    "struct S : cudaDeviceProp {};",
    "void g() { else_(1); cudaFree(p); }",
    "void g() { if (x) cudaFree(p); else cudaFree(q); }",
    "void g() { (void)cudaFree(p); }",
    "void g() { return (void)cudaFree(p); }",
    "void g() { x << cudaFree(p); }",
    "void g() { CHECK(cudaFree(p)); }",
    "#ifdef cudaFree\n#endif\n",
    "enum E { a = cudaSuccess };",
    "operator cudaError_t() const;",
]


@pytest.mark.parametrize("source", USES)
def test_uses_declare_nothing(source: str) -> None:
    assert own(source) == set()


def test_macro_before_a_call_is_no_local_function() -> None:
    # A prototype inside a body is next to never written; a macro before a call often is.
    for source in ("void f() {\n  CHECKED\n  cudaFree(p);\n}", "void f() { VERIFY cudaFree(p); }"):
        assert ("cudaFree", LOCAL) not in own(source)


# --- where a local begins and ends ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "after"),
    [
        pytest.param(
            "void f() { { int cudaFree = 1; } cudaFree(p); }",
            "void f() { { int cudaFree = 1; } musaFree(p); }",
            id="block-ends",
        ),
        pytest.param(
            "void f() { int cudaFree = 1; { g(cudaFree); } }",
            "void f() { int cudaFree = 1; { g(cudaFree); } }",
            id="inner-block",
        ),
        pytest.param(
            "void f() { cudaFree(p); int cudaFree = 3; g(cudaFree); }",
            "void f() { musaFree(p); int cudaFree = 3; g(cudaFree); }",
            id="begins-at-the-declaration",
        ),
        pytest.param(
            "void f(int cudaFree) { cudaFree; } void g() { cudaFree(p); }",
            "void f(int cudaFree) { cudaFree; } void g() { musaFree(p); }",
            id="parameter-ends-with-the-function",
        ),
        pytest.param(
            "void f(int cudaFree); void g() { cudaFree(p); }",
            "void f(int cudaFree); void g() { musaFree(p); }",
            id="parameter-of-prototype",
        ),
        pytest.param(
            "auto l = [](int cudaFree) { return cudaFree; }; void g() { cudaFree(p); }",
            "auto l = [](int cudaFree) { return cudaFree; }; void g() { musaFree(p); }",
            id="lambda",
        ),
        pytest.param(
            "void f() { for (int cudaFree = 0;;) g(cudaFree); cudaFree(p); }",
            "void f() { for (int cudaFree = 0;;) g(cudaFree); musaFree(p); }",
            id="for",
        ),
        pytest.param(
            "void f() { for (int cudaFree : v) g(cudaFree); cudaFree(p); }",
            "void f() { for (int cudaFree : v) g(cudaFree); musaFree(p); }",
            id="range-for",
        ),
        pytest.param(
            "void f() { if (int cudaFree = g()) h(cudaFree); else h(cudaFree); cudaFree(p); }",
            "void f() { if (int cudaFree = g()) h(cudaFree); else h(cudaFree); musaFree(p); }",
            id="if-else",
        ),
        pytest.param(
            "void f() { try { } catch (E &cudaFree) { h(cudaFree); } cudaFree(p); }",
            "void f() { try { } catch (E &cudaFree) { h(cudaFree); } musaFree(p); }",
            id="catch",
        ),
        pytest.param(
            "template <class T> void f(T cudaFree) { cudaFree; } void g() { cudaFree(p); }",
            "template <class T> void f(T cudaFree) { cudaFree; } void g() { musaFree(p); }",
            id="template-function",
        ),
        pytest.param(
            "struct S { void f(int cudaFree) { cudaFree; } void g() { cudaFree(p); } };",
            "struct S { void f(int cudaFree) { cudaFree; } void g() { musaFree(p); } };",
            id="method-parameter",
        ),
        pytest.param(
            "void f(int cudaFree) { ::cudaFree(p); g(cudaFree); }",
            "void f(int cudaFree) { ::musaFree(p); g(cudaFree); }",
            id="global-name-past-a-parameter",
        ),
        pytest.param(
            "struct S { void cudaFree(); void g() { ::cudaFree(p); cudaFree(); } };",
            "struct S { void cudaFree(); void g() { ::musaFree(p); cudaFree(); } };",
            id="global-name-past-a-member",
        ),
        pytest.param(
            "struct S { void cudaFree(); void g(); }; void S::g() { ::cudaFree(p); cudaFree(); }",
            "struct S { void cudaFree(); void g(); }; void S::g() { ::musaFree(p); cudaFree(); }",
            id="global-name-in-a-method-outside",
        ),
        pytest.param(
            "namespace n { int cudaFree(int); void g() { ::cudaFree(p); cudaFree(1); } }",
            "namespace n { int cudaFree(int); void g() { ::musaFree(p); cudaFree(1); } }",
            id="global-name-in-a-namespace",
        ),
        pytest.param(
            "int f(cudaFree) int cudaFree; { return cudaFree; }",
            "int f(musaFree) int musaFree; { return musaFree; }",
            id="k-and-r-parameters-go-alike",
        ),
    ],
)
def test_where_a_name_is_the_projects(source: str, after: str) -> None:
    assert port(source).text == after


# --- look-alikes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "void cudaHelper(int);",
        "int cudaHelper = 1;",
        "#define cudaHelper(x) x\n",
        "struct cudaHelper { };",
        "enum { cudaHelper };",
        "enum class E : int { a, cudaHelper = 3 };",
        "using cudaHelper = int;",
        "template <class T> T cudaHelper(T);",
        "typedef int cudaHelper;",
        "namespace n { void cudaHelper(); }",
    ],
)
def test_declared_look_alikes_are_known(source: str) -> None:
    assert b"cudaHelper" in facts(source).declared
    assert "SIG102" not in port(f"{source}\nauto x = cudaHelper;").codes


# --- includes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param("#include <cuda.h>", [("cuda.h", True)], id="angled"),
        pytest.param('#include "cuda.h"', [("cuda.h", False)], id="quoted"),
        pytest.param("#  include\t<cuda.h>", [("cuda.h", True)], id="spaces"),
        pytest.param("#include<cuda.h>", [("cuda.h", True)], id="no-space"),
        pytest.param("  #include <cuda.h>", [("cuda.h", True)], id="indented"),
        pytest.param("/* */ #include <cuda.h>", [("cuda.h", True)], id="comment-before"),
        pytest.param("#include /* */ <cuda.h>", [("cuda.h", True)], id="comment-inside"),
        pytest.param("# /* */ include <cuda.h>", [("cuda.h", True)], id="comment-after-hash"),
        pytest.param("#include \\\n <cuda.h>", [("cuda.h", True)], id="continued"),
        pytest.param("%:include <cuda.h>", [("cuda.h", True)], id="digraph"),
        pytest.param("#include_next <cuda.h>", [("cuda.h", True)], id="next"),
        pytest.param("#import <cuda.h>", [("cuda.h", True)], id="import"),
        pytest.param("#include < cuda.h >", [("cuda.h", True)], id="inner-space"),
        pytest.param("#if __has_include(<cuda.h>)", [("cuda.h", True)], id="has-include"),
        pytest.param('#if __has_include ( "cuda.h" )', [("cuda.h", False)], id="has-include-space"),
        pytest.param("#if __has_include_next(<cuda.h>)", [("cuda.h", True)], id="has-include-next"),
        pytest.param("\ufeff#include <cuda.h>", [("cuda.h", True)], id="bom"),
        pytest.param("// #include <cuda.h>", [], id="comment"),
        pytest.param("/*\n#include <cuda.h>\n*/", [], id="block-comment"),
        pytest.param('s = "#include <cuda.h>";', [], id="string"),
        pytest.param("int include <cuda.h>;", [], id="no-directive"),
        pytest.param("#include CUDA_H", [], id="macro"),
        pytest.param("my_include(<cuda.h>)", [], id="other-function"),
    ],
)
def test_includes(source: str, found: list[tuple[str, bool]]) -> None:
    assert [(i.path.decode(), i.angled) for i in facts(source).includes] == found


@pytest.mark.parametrize(
    ("source", "names"),
    [
        pytest.param("#include HEADER\n", {b"HEADER"}, id="plain"),
        pytest.param("#include HEADER // x\n", {b"HEADER"}, id="comment"),
        pytest.param("#include <x.h>\n", set(), id="angled"),
        pytest.param("#  include  HEADER", {b"HEADER"}, id="at-the-end"),
    ],
)
def test_include_macros(source: str, names: set[bytes]) -> None:
    assert facts(source).include_macros == names


# --- pasting and quoting --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param("#define A(x) cuda##x\n", {b"A": {0: "pastes"}}, id="after"),
        pytest.param("#define A(x) x##Async\n", {b"A": {0: "pastes"}}, id="before"),
        pytest.param("#define A(x, y) f(y ## _t)\n", {b"A": {1: "pastes"}}, id="second"),
        pytest.param("#define A(x) #x\n", {b"A": {0: "quotes"}}, id="quotes"),
        pytest.param("#define A(x) f(x, # x)\n", {b"A": {0: "quotes"}}, id="quotes-apart"),
        pytest.param("#define A(...) #__VA_ARGS__\n", {b"A": {0: "quotes"}}, id="variadic"),
        pytest.param("#define A(x) \\\n f(x) \\\n #x\n", {b"A": {0: "quotes"}}, id="continued"),
        pytest.param("#define A(x) x##_f(#x)\n", {b"A": {0: "pastes"}}, id="both"),
        pytest.param("#define A(x) f(x)\n", {}, id="neither"),
        pytest.param("#define A(x) #xy\n", {}, id="longer-name"),
        pytest.param("#define A (x) #x\n", {}, id="object-like"),
    ],
)
def test_pasting(source: str, found: dict[bytes, dict[int, str]]) -> None:
    assert facts(source).pasting == found


@pytest.mark.parametrize(
    ("source", "loads"),
    [
        pytest.param('f = dlsym(h, "cudaFree");', True, id="dlsym"),
        pytest.param('f = dlvsym(h, "cudaFree", "v");', True, id="dlvsym"),
        pytest.param('f = GetProcAddress(h, "cudaFree");', True, id="get-proc-address"),
        pytest.param('cuGetProcAddress("cuInit", &f, 1, 0);', True, id="driver-entry"),
        pytest.param("cudaFree(p);", False, id="plain"),
        pytest.param("int my_dlsym(int); cudaFree(p);", False, id="longer-name"),
    ],
)
def test_symbol_loading_is_noticed(source: str, loads: bool) -> None:
    assert facts(source).loads_symbols is loads


# --- merging --------------------------------------------------------------------------------------


def test_merging_does_not_depend_on_the_order() -> None:
    parts = [
        facts("int cudaFree(int x) { return 1; }\n#define A(x) x##y\n", "a.cu"),
        facts("int cudaFree(int x) { return 1; }\n#define A(x) #x\n", "b.cu"),
        facts("namespace n { int cudaMalloc(int); }\n", "c.cu"),
    ]
    files = ["a.cu", "b.cu", "c.cu"]
    forward = merge(parts, files, {"a.cu": "a.mu"})
    assert merge(reversed(parts), reversed(files), {"a.cu": "a.mu"}) == forward
    assert forward.owned == {b"cudaFree": "a.cu"}
    assert forward.scoped == {b"cudaMalloc": frozenset({b"n"})}
    assert forward.pasting == {b"A": {0: "pastes"}}, "pasting is worse than quoting"
    assert forward.by_name["a.cu"] == ("a.cu",)


def test_stand_ins_and_locals_own_nothing_of_the_tree() -> None:
    project = merge([facts("struct CUevent_st;\nvoid f(int cudaFree) {}\n")], ["a.cu"], {})
    assert project == Project(files=frozenset({"a.cu"}), by_name={"a.cu": ("a.cu",)})


def test_an_owner_says_where_it_is() -> None:
    (found,) = facts("struct S {\n  int cudaFree;\n};").own
    assert (found.name, found.at, found.reach, found.scope) == (b"cudaFree", 17, Reach.SCOPE, b"S")
    (said,) = (d for d in port("struct S { int cudaFree; };").diagnostics if d.code == "SIG110")
    assert "member member" not in said.message
    assert "'S'" in said.message
