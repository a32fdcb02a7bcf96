"""`sigtrans run`: programs are built and run as nvcc and a card would have done it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from simt import ROOT, run, write

if shutil.which("g++") is None and shutil.which("clang++") is None:
    pytest.skip("no C++ compiler", allow_module_level=True)

CHECK = """#include <cstdio>
#include <cstddef>
static int bad = 0;
#define CHECK(x) do { cudaDeviceSynchronize(); \\
    if (!(x)) { bad++; printf("line %d: %s\\n", __LINE__, #x); } } while (0)
"""

LAUNCHES = (
    CHECK
    + """
__managed__ int got;
struct Big { int a[100]; };
template <int N> struct V { float v[N]; };
struct Owner {  // as owners of device memory are: it converts, and a copy would be a second owner
    int *p;
    explicit Owner(int *q) : p(q) {}
    Owner(const Owner &) = delete;
    operator int *() const { return p; }
};
__global__ void plain(int *p, float f) {
    if (!p) got = (int)f;
    else if (threadIdx.x == 0) p[0] = (int)f;
}
__global__ void over(int x) { got = x; }
__global__ void over(float x) { got = (int)(x * 100); }
__global__ void with_default(int a, int b = 7) { got = a + b; }
__global__ void big(Big b, V<3> v) { got = b.a[99] + (int)v.v[2]; }
__global__ void own_copy(int n, int *out) { n += threadIdx.x; out[threadIdx.x] = n; }
template <class T> __global__ void deduced(T x, T *o) { *o = x; }
template <class T, int N> __global__ void sized(T *p, int n) { *p = n + N; }
template <class F> __global__ void apply(F f, int *o) { o[threadIdx.x] = f(threadIdx.x); }
struct S {
    template <int N> static void go(int *p) { sized<int, N><<<1, 1>>>(p, N); }
    void (*fp)(int *, float);
};
template <class T> void dependent(int *p) { T::template go<8>(p); }
#define LAUNCH(K, ...) do { \\
    K<<<1, \\
      2>>>(__VA_ARGS__); } while (0)
int main() {
    int *p;
    cudaMallocManaged(&p, 4096);
    plain<<<1, 2>>>(NULL, 3); CHECK(got == 3);
    plain<<<1, 2>>>(0, 4); CHECK(got == 4);
    plain<<<1, 1>>>(Owner(p), 5); CHECK(p[0] == 5);
    LAUNCH(plain, p, 9); CHECK(p[0] == 9);
    LAUNCH((sized<int, 2>), p, 9); CHECK(p[0] == 11);
    over<<<1, 1>>>(2); CHECK(got == 2);
    over<<<1, 1>>>(2.5f); CHECK(got == 250);
    with_default<<<1, 1>>>(1); CHECK(got == 8);
    with_default<<<1, 1>>>(1, 1); CHECK(got == 2);
    Big b; b.a[99] = 5;
    big<<<1, 1>>>(b, {1, 2, 3}); CHECK(got == 8);
    own_copy<<<1, 4>>>(10, p); CHECK(p[0] == 10 && p[3] == 13);
    sized<float,
          4>
    <<<dim3(1, 1), (1 > 2 ? 2 : 1), sizeof(V<3>), 0>>>  // a comment
    ((float *)p, 1); CHECK(*(float *)p == 5);
    deduced<<<1, 1>>>(0, p); CHECK(p[0] == 0);
    dependent<S>(p); CHECK(p[0] == 16);
    S s; s.fp = plain;
    s.fp<<<1, 1>>>(p, 12); CHECK(p[0] == 12);
    (&s)->fp<<<1, 1>>>(p, 13); CHECK(p[0] == 13);
    (*s.fp)<<<1, 1>>>(NULL, 14); CHECK(got == 14);
    float f = 21;
    void *args[] = {&p, &f};
    CHECK(cudaLaunchKernel((void *)plain, dim3(1), dim3(1), args, 0, 0) == cudaSuccess);
    CHECK(p[0] == 21);
    int n = 22;
    args[1] = &n;
    CHECK(cudaLaunchKernel((const void *)&sized<int, 16>, dim3(1), dim3(1), args, 0, 0) == 0);
    CHECK(p[0] == 38);
    int w = 3;
    apply<<<1, 4>>>([=] __device__ (int i) { return i * w; }, p); CHECK(p[3] == 9);
    return bad;
}
"""
)

SHARED = (
    CHECK
    + """
#define SHMEM(n, t) extern __shared__ t n[]; \\
    t *n##_first = n
#define DYNAMIC extern __shared__
#define SHARED __shared__
#define TILE(name, N) __shared__ int name##_tile[N]
template <int N> struct V { float v[N]; };
__shared__ int of_file[4], one;
extern __shared__ float dynamic_of_file[];
__constant__ float coefficient[4];
__device__ int counter = 5;
template <class T, int N> __global__ void declared(T *p, int n) {
    __shared__ T a[N][N + 1], *b,  // a comment
        c;
    static __shared__ __align__(64) char q[3];
    volatile __shared__ struct { int x; float y; } s, t[2];
    float __shared__ (*pa)[32];
    __shared__ union { int i; float f; } u;
    __shared__ V<N + 1> v;
    SHARED alignas(32) unsigned char w[5];
    TILE(left, 4);
    if (threadIdx.x == 0) {
        c = T(n); b = &c; a[1][N] = 2; s.x = 1; t[1].y = 3; pa = nullptr; u.f = 1.0f;
        for (auto &x : v.v) x = 1;
        left_tile[3] = 100;
    }
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
        T sum = 0;
        for (auto x : v.v) sum += T(x);
        *p = *b + a[1][N] + s.x + T(t[1].y) + (pa == nullptr) + (u.i == 0x3f800000) + sum +
             left_tile[3] + ((size_t)q % 64 == 0) + ((size_t)w % 32 == 0) +
             T(sizeof(a) / sizeof(T));
    }
}
__global__ void dynamic(int *o) {
    extern __shared__ alignas(16) double rows[][4];
    SHMEM(words, int);
    DYNAMIC char bytes[];
    of_file[threadIdx.x] = threadIdx.x; one = 3; dynamic_of_file[1] = 1.0f;
    __syncthreads();
    if (threadIdx.x == 0)
        *o = of_file[3] + one + (words[1] == 0x3f800000) + (bytes[7] == 0x3f) +
             (((float *)rows[0])[1] == 1.0f) + (words_first == words);
}
__global__ void each_block_its_own(int *o) {
    __shared__ int mine;
    if (threadIdx.x == 0) mine = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 1) o[blockIdx.x] = mine;
}
int main() {
    int *p;
    cudaMallocManaged(&p, 4096);
    declared<int, 16><<<1, 32>>>(p, 7);
    CHECK(p[0] == 7 + 2 + 1 + 3 + 1 + 1 + 17 + 100 + 1 + 1 + 16 * 17);
    declared<float, 4><<<1, 32>>>((float *)p, 7);
    CHECK(*(float *)p == 7 + 2 + 1 + 3 + 1 + 1 + 5 + 100 + 1 + 1 + 4 * 5);
    dynamic<<<1, 4, 64>>>(p); CHECK(p[0] == 3 + 3 + 4);
    each_block_its_own<<<3, 2>>>(p); CHECK(p[0] == 0 && p[1] == 1 && p[2] == 2);
    float h[4] = {1, 2, 3, 4};
    CHECK(cudaMemcpyToSymbol(coefficient, h, sizeof h) == cudaSuccess && coefficient[3] == 4);
    int c = 0;
    CHECK(cudaMemcpyFromSymbol(&c, counter, sizeof c) == cudaSuccess && c == 5);
    return bad;
}
"""
)

PTX = (
    CHECK
    + """
__global__ void lanes(unsigned *o) {
    unsigned x;
    asm volatile("mov.u32 %0, %laneid;"
                 : "=r"(x));
    o[threadIdx.x] = x;
    if (__LINE__ != 12) o[threadIdx.x] = 99;
}
template <class T> __device__ void unused(T *p) {
    asm volatile("tcgen05.fence::before_thread_sync;");
}
int main() {
    unsigned *p;
    cudaMallocManaged(&p, 4096);
    lanes<<<1, 64>>>(p); CHECK(p[0] == 0 && p[31] == 31 && p[33] == 1);
    return bad;
}
"""
)


@pytest.mark.parametrize("text", [LAUNCHES, SHARED, PTX], ids=["launches", "shared", "ptx"])
def test_lowered_program_is_right(text: str, tmp_path: Path) -> None:
    ended = run(write(tmp_path, {"a.cu": text}) / "a.cu")
    assert (ended.code, ended.out) == (0, ""), ended


def test_ptx_without_a_translation_is_an_error_where_it_would_run(tmp_path: Path) -> None:
    text = '__global__ void k() { asm volatile("tcgen05.fence::before_thread_sync;"); }\n'
    text += "int main() { k<<<1, 1>>>(); }\n"
    ended = run(write(tmp_path, {"a.cu": text}) / "a.cu")
    assert ended.code == 2
    assert "tcgen05.fence" in ended.err and "a.cu:1" in ended.err


def test_input_arguments_and_exit_code_are_the_programs(tmp_path: Path) -> None:
    text = """#include <cstdio>
int main(int argc, char **argv) {
    int n = 0;
    if (std::scanf("%d", &n) != 1) return 9;
    std::printf("%d %s %d\\n", argc, argv[2], n);
    return 7;
}
"""
    path = write(tmp_path, {"a.cu": text}) / "a.cu"
    ended = run(path, "--", "-o", "two words", stdin="42\n")
    assert (ended.code, ended.out) == (7, "3 two words 42\n")


FOLDER = {
    "main.cu": '#include "sub/scale.cuh"\n#include <cstdio>\nint other(int);\n'
    'extern "C" int plain_c(int);\n__constant__ int factor = 2;\n'
    "__device__ int helper() { return 1; }\n"
    "__global__ void k(int *o) { *o = scale(factor) + helper(); }\n"
    "int main() {\n  int *p; cudaMallocManaged(&p, 4);\n  k<<<1, 1>>>(p);\n"
    '  cudaDeviceSynchronize();\n  std::printf("%d %d %d\\n", *p, other(0), plain_c(3));\n}\n',
    # The same names, which are each file's own.
    "other.cu": "__constant__ int factor = 50;\n__device__ int helper() { return 4; }\n"
    "__global__ void k2(int *o) { *o = factor + helper(); }\n"
    "int other(int) {\n  int *p; cudaMallocManaged(&p, 4);\n  k2<<<1, 1>>>(p);\n"
    "  cudaDeviceSynchronize();\n  return *p;\n}\n",
    "plain.c": "int plain_c(int class) { return class * N; }\n",
    "sub/scale.cuh": '#pragma once\n#include "../root.h"\n'
    "__device__ int scale(int x) { __shared__ int s; s = x * ROOT; return s; }\n",
    "root.h": "#define ROOT 10\n",
}


def test_folder_of_cuda_cpp_and_c(tmp_path: Path) -> None:
    folder = write(tmp_path, FOLDER)
    assert run(folder, "-DN=5").out == "21 54 15\n"
    # A header that changes is seen, though the command is the same.
    (folder / "root.h").write_text("#define ROOT 20\n")
    assert run(folder, "-DN=5").out == "41 54 15\n"


def test_relocatable_device_code_shares_names(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        {
            "a.cu": "#include <cstdio>\nextern __device__ int shared_one;\n__device__ int f(int);\n"
            "__global__ void k(int *o) { *o = f(shared_one); }\nint main() { int *p; "
            "cudaMallocManaged(&p, 4);\n k<<<1, 1>>>(p); cudaDeviceSynchronize(); "
            'std::printf("%d\\n", *p); }\n',
            "b.cu": "__device__ int shared_one = 6;\n"
            "__device__ int f(int x) { return x + shared_one; }\n",
        },
    )
    assert run(folder, "-rdc=true").out == "12\n"
    assert run(folder).code == 2, "as nvcc without -rdc: each file for itself"


def test_several_programs_in_a_folder_are_named(tmp_path: Path) -> None:
    main = "int main() { return 0; }\n"
    ended = run(write(tmp_path, {"a.cu": main, "b.cu": main}))
    assert ended.code == 2
    assert "a.cu" in ended.err and "b.cu" in ended.err and "main" in ended.err


def test_errors_name_the_line_of_the_source(tmp_path: Path) -> None:
    text = "__global__ void k(int *p)\n{\n  __shared__ int s[4],\n    t;\n  p[0] = nothing;\n}\n"
    ended = run(write(tmp_path, {"a.cu": text + "int main() {}\n"}) / "a.cu")
    assert ended.code == 2
    assert "a.cu:5" in ended.err and "nothing" in ended.err


def test_finding_comes_at_the_end_with_its_place(tmp_path: Path) -> None:
    text = """#include <cstdio>
__global__ void k() {
    if (threadIdx.x < 3)
        __syncthreads();
    else
        __syncthreads();
}
int main() { k<<<1, 32>>>(); cudaDeviceSynchronize(); std::puts("ended"); }
"""
    folder = write(tmp_path, {"a.cu": text})
    ended = run("a.cu", cwd=folder)
    assert ended.out == "ended\n"
    assert "a.cu:4:" in ended.err and "SIG8" in ended.err


def test_output_is_a_program_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, {"a.cu": "int main() { return 5; }\n"}) / "a.cu"
    assert run(path, "--build-only", "-o", tmp_path / "prog").code == 0
    assert subprocess.run([tmp_path / "prog"], check=False).returncode == 5


def test_program_without_end_is_ended(tmp_path: Path) -> None:
    path = write(tmp_path, {"a.cu": "int main() { for (;;) { volatile int x = 0; (void)x; } }\n"})
    ended = run(path / "a.cu", "--time-limit", "1")
    assert ended.code == 2 and "1" in ended.err


def test_unknown_musa_name_does_not_compile(tmp_path: Path) -> None:
    """A blanket alias of every CUDA name would hide what a port gets wrong."""
    head = "#include <musa_runtime.h>\nint main() { void *p = nullptr; return "
    calls = {
        "good.mu": "musaMalloc(&p, 4) + musaFree(p)",
        "bad.mu": "musaProfilerInitialize(0, 0, 0)",
        "cuda.mu": "cudaMalloc(&p, 4)",
    }
    folder = write(tmp_path, {name: f"{head}{call}; }}\n" for name, call in calls.items()})
    assert run(folder / "good.mu").code == 0
    for name, word in (("bad.mu", "musaProfilerInitialize"), ("cuda.mu", "cudaMalloc")):
        ended = run(folder / name)
        assert ended.code == 2 and word in ended.err


def test_port_of_the_example_prints_what_the_original_prints(tmp_path: Path) -> None:
    original = ROOT / "examples" / "gridstat"
    port = tmp_path / "port"
    subprocess.run(
        [sys.executable, "-m", "sigtrans", "port", original, "-o", port, "-q"], check=False,
        cwd=ROOT, capture_output=True,
    )  # fmt: skip
    ran = []
    for tree, ending in ((original, "cu"), (port, "mu")):
        files = sorted((tree / "src").glob(f"*.{ending}"))
        files += [tree / "src/host.cpp", tree / "tests/test_gridstat.cpp"]
        ran.append(run(*files, f"-I{tree / 'include'}", f"-I{tree}"))
    outs = [re.sub(r"[\d.]+ ms", "TIME", each.out) for each in ran]
    assert ran[0].code == 0 and "passed in TIME" in outs[0], ran[0]
    assert (ran[1].code, outs[1]) == (0, outs[0]), ran[1].err
