"""Warps: which numbers count on 32 lanes, what is edited, what is said, and the helper header."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from porting import find_compiler, port, table

from sigtrans.passes import Code
from sigtrans.passes.code import find_protected
from sigtrans.passes.warp_sites import Site, find_sites
from sigtrans.source import SourceFile
from sigtrans.symbols import FileFacts, Project
from sigtrans.syntax import lex

ROOT = Path(__file__).resolve().parent.parent
WIDE = ("mp_22",)
_MARKED = re.compile(r"«([\w-]+) ([^»]*)»")


def sites_of(source: str) -> tuple[Site, ...]:
    data = source.encode()
    lexed = lex(data).with_blanks()
    facts = FileFacts("a.cu")
    code = Code(
        SourceFile("a.cu", data), lexed, facts, Project(), table(), find_protected(lexed),
        ("mp_31",), "5.2", True, (),
    )  # fmt: skip
    return find_sites(code)


def marked(source: str) -> str:
    """The source with every site that is found marked, calls left out."""
    out, at = [], 0
    data = source.encode()
    for site in sites_of(source):
        if site.role != "call":
            word = data[site.start : site.end].decode()
            out += [data[at : site.start].decode(), f"«{site.role} {word}»"]
            at = site.end
    return "".join([*out, data[at:].decode()])


# Every number that counts on 32 lanes is marked with its role; nothing else may be found.
ROLES = {
    "lane-modulo": "__global__ void k() { int lane = threadIdx.x % «lane-id 32»; f(lane); }",
    "lane-and": "__global__ void k() { int lane = threadIdx.x & «lane-id 31»; f(lane); }",
    "lane-hex": "__global__ void k() { unsigned l = threadIdx.x & «lane-id 0x1f»; if (l == 0) g(); "
    "__syncwarp(); }",
    "lane-of-a-variable": """
__device__ void f(float *s) {
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  const int lane = tid & «lane-id 31»;
  if (lane == «lane-id 31») s[tid «warp-id / 32»] = 0;
}""".replace("«warp-id / 32»", "/ «warp-id 32»"),
    "lane-by-less-one": "__device__ int f(int tid) { int lane_id = tid & («lane-id 32» - 1); "
    "return lane_id; }",
    "lane-of-a-grid-index": """
__global__ void k(int *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int warp = i / «warp-id 32», lane = i % «lane-id 32»;
  p[warp] = lane;
}""",
    "lane-in-a-condition": """
__global__ void k(int *p) {
  if (threadIdx.x % «lane-id 32» == 0) p[0] = 1;
}""",
    "lane-by-subtraction": """
__global__ void k(int *p) {
  int warp = threadIdx.x >> «warp-id 5»;
  int lane = threadIdx.x - warp * «warp-id 32»;
  p[lane] = «lane-id 31» - lane;
}""",
    "lane-from-a-rank": """
__global__ void k(int *p) {
  auto block = cg::this_thread_block();
  int warp_id = block.thread_rank() / «warp-id 32»;
  p[warp_id] = block.thread_rank() % «lane-id 32»;
}""",
    "lane-stride": """
__global__ void k(float *p, int n) {
  int lane = threadIdx.x % «lane-id 32»;
  for (int i = lane; i < n; i += «lane-id 32») p[i] = 0;
}""",
    "lane-stride-beside": """
__global__ void k(float *p, int at, int n) {
  int lane = threadIdx.x % «lane-id 32»;
  for (; any(at + lane < n); at += «lane-id 32») p[at + lane] = 0;
}""",
    "lane-stride-after": """
__device__ void f(float *p, int at, int n, int lane) {
  for (at += lane; at < n; at += «lane-id 32») p[at] = 0;
}""",
    "lane-ahead": "__device__ int f(int lane_id, int *p) { return p[lane_id + «lane-id 32»]; }",
    "lane-source": """
__device__ int f(int v) {
  return __shfl_sync(«mask 0xffffffff», v, «lane-id 31»);
}""",
    "lane-wraps": """
__device__ float f(float v, int l) {
  int from = (threadIdx.x + (1 << l)) & «lane-id 31»;
  return __shfl_sync(«mask 0xffffffffu», v, from, «width 32»);
}""",
    "lane-by-assembly": """
__device__ int f(int *p) {
  unsigned me;
  asm("mov.u32 %0, %%laneid;" : "=r"(me));
  return me < «lane-id 31» ? p[me] : 0;
}""",
    "lane-from-a-ballot": """
__device__ int f(int x) {
  unsigned votes = __ballot_sync(«mask 0xffffffff», x);
  return «lane-id 31» - __clz(votes);
}""",
    "warp-shift": "__global__ void k(int *p) { int wid = threadIdx.x >> «warp-id 5»; p[wid] = 1; }",
    "warp-base": "__device__ int f(int warp_id) { return warp_id * «warp-id 32»; }",
    "warp-base-shift": """
__device__ int f(int warp_id, int lane) {
  return (warp_id << «warp-id 5») + lane;
}""",
    "warp-mask": """
__device__ int f() {
  int first = threadIdx.x & ~«warp-id 31»;
  __syncwarp();
  return first;
}""",
    "warp-assigned": "__device__ int f(int tid) { tid /= «warp-id 32»; return tid; }",
    "first-warp": """
__global__ void k(float *s) {
  if (threadIdx.x < «warp-id 32») s[0] = warpReduce(s[threadIdx.x]);
}""",
    "count-of-warps": "__global__ void k(int *p) { p[0] = blockDim.x / «warps-sized 32»; }",
    "count-rounded-up": """
__global__ void k(int *p) {
  p[0] = (blockDim.x + «warps-sized 31») / «warps-sized 32»;
}""",
    "count-by-function": """
void f(int threads) {
  int warps = ceil_div(threads, «warps-sized 32»);
  g(warps);
}""",
    "count-checked": """
template <int kThreads> __global__ void k() {
  static_assert(kThreads % «warps-sized 32» == 0);
}""",
    "threads-of-warps": "constexpr int kThreads = kNumWarps * «warps-sized 32»;",
    "block-rounded-up": """
void f(int n) {
  int threads = min((n + «warps-sized 31») / «warps-sized 32» * «warps-sized 32», 1024);
  dim3 block((n + «warps-sized 31») / «warps-sized 32» * «warps-sized 32»);
  block.x = (n + «warps-sized 31») >> «warps-sized 5» << «warps-sized 5»;
  block_dim *= «warps-sized 32»;
  size_t bytes = (n + 31) / 32 * 32;
}""",
    "group-of-threads": """
template <int N> __global__ void k(int v) {
  constexpr int THREADS_PER_GROUP = std::min(std::min(«warps-sized 32u», N), 8);
  static_assert(«warp-size 32» % N == 0);
  __shfl_xor_sync(m, v, 1, THREADS_PER_GROUP);
}""",
    "block-of-a-multiple": "void f(int c) { int block_size = lcm(«warps-sized 32», c); }",
    "warps-of-a-grid": """
__global__ void k(int *p) { p[0] = blockDim.x * gridDim.x / «warps-sized 32»; }""",
    "macro-of-a-lane": """
#define LANE ((threadIdx.x + blockIdx.x * blockDim.x) & «lane-id 31»)
#define WARP(i) ((i) >> «warp-id 5»)
""",
    "row-and-lane": "__device__ int f(int row, int lane) { return row * «lane-id 32» + lane; }",
    "threads-of-a-kernel": """
template <int M> __global__ void k() {
  const int nThreads = M * «warps-sized 32»;
  __syncwarp();
}""",
    "shared-by-constant": """
template <int BLOCK_SIZE> __global__ void k(float *p) {
  __shared__ float sums[BLOCK_SIZE / «warps-sized 32»];
  sums[threadIdx.x / «warp-id 32»] = p[0];
}""",
    "shared-by-number": """
__device__ float f(float v) {
  __shared__ float partial[«warps-sized 32»];
  int lane = threadIdx.x % «lane-id 32», wid = threadIdx.x / «warp-id 32»;
  if (lane == 0) partial[wid] = v;
  return partial[lane];
}""",
    "shared-by-warp-and-lane": """
__global__ void k(float *p) {
  __shared__ float s[8][«warps-sized 32»];
  int warp = threadIdx.x / «warp-id 32», lane = threadIdx.x % «lane-id 32»;
  s[warp][lane] = p[0];
}""",
    "shared-by-warps": """
template <int nWarps> __global__ void k() {
  __shared__ volatile int s[nWarps][«warps-sized 32»];
}""",
    "warp-of-a-grid": """
__global__ void k(int *p) {
  int i = blockIdx.x * blockDim.x / «warp-id 32» + threadIdx.x / «warp-id 32»;
  p[i] = 0;
}""",
    "shared-by-host": """
__global__ void k(float *p) { p[0] = __shfl_sync(«mask 0xffffffff», p[0], 0); }
void run(float *p, int block_size) {
  k<<<1, block_size, block_size / «warps-sized 32» * sizeof(float)>>>(p);
}""",
    "launch-of-warps": """
__global__ void k(float *p) { p[0] = __shfl_sync(«mask 0xffffffff», p[0], 0); }
void run(float *p, int rows, int block_size) {
  const int grid_size = ceil_div(rows * «warps-sized 32», block_size);
  k<<<grid_size, block_size>>>(p);
}""",
    "mask-argument": "__device__ int f(int v) { return __any_sync(«mask 0xFFFFFFFF», v); }",
    "mask-minus-one": "__device__ int f(int v) { return __all_sync(«mask -1», v); }",
    "mask-not-zero": "__device__ int f(int v) { return __ballot_sync(«mask ~0u», v); }",
    "mask-variable": """
__device__ float f(float v) {
  const unsigned all = «mask 0xffffffff»;
  return __shfl_xor_sync(all, v, 1);
}""",
    "mask-parameter": """
__device__ float f(float v, unsigned m = «mask 0xffffffff») { return __shfl_xor_sync(m, v, 1); }""",
    "mask-macro": """
#define FULL_MASK «mask 0xffffffff»
__device__ float f(float v) { return __shfl_xor_sync(FULL_MASK, v, 1); }""",
    "mask-constant": "constexpr unsigned kFullWarpMask = «mask 0xffffffffu»;",
    "mask-shifted": "__device__ unsigned f(int lane) { return «mask 0xffffffffu» << lane; }",
    "mask-compared": """
__device__ bool f(int x) {
  return __ballot_sync(m, x) == «mask 0xffffffff»;
}""",
    "mask-of-a-collective": """
__device__ int f(int lane, int v) { return warp_scan_inclusive(lane, «mask 0xffffffff», v); }""",
    "mask-syncwarp": "__device__ void f() { __syncwarp(«mask 0xffffffff»); }",
    "fold-down": """
__device__ float f(float v) {
  for (int d = «fold 16»; d > 0; d >>= 1) v += __shfl_down_sync(«mask 0xffffffff», v, d);
  return v;
}""",
    "fold-half-of-32": """
__device__ float f(float v) {
  for (int d = «fold 32» / 2; d > 0; d /= 2) v += __shfl_xor_sync(«mask 0xffffffff», v, d);
  return v;
}""",
    "fold-up": """
__device__ int f(int v) {
  for (int d = 1; d < «fold 32»; d *= 2) v += __shfl_up_sync(«mask 0xffffffff», v, d);
  return v;
}""",
    "fold-by-log": """
__device__ int f(int v) {
  for (int i = 0; i < «fold 5»; ++i) v += __shfl_xor_sync(«mask 0xffffffff», v, 1 << i);
  return v;
}""",
    "fold-unrolled": """
__device__ int f(int v) {
  v += __shfl_xor_sync(«mask 0xffffffff», v, «fold 16»);
  v += __shfl_xor_sync(«mask 0xffffffff», v, 8);
  return v;
}""",
    "fold-in-lockstep": """
__device__ void f(volatile float *s, int tid) {
  s[tid] += s[tid + «fold 32»];
  s[tid] += s[tid + «fold 16»];
  s[tid] += s[tid + 8];
  s[tid] += s[tid + 4];
}""",
    "fold-of-a-block": """
__device__ float f(float *s, int tid) {
  for (int n = blockDim.x / 2; n > «fold 32»; n >>= 1) {
    if (tid < n) s[tid] += s[tid + n];
    __syncthreads();
  }
  if (tid < «warp-id 32») return warpReduce(s[tid] + s[tid + «fold 32»]);
  return 0;
}""",
    "width-argument": "__device__ int f(int v) { return __shfl_up_sync(m, v, 1, «width 32»); }",
    "width-legacy": "__device__ int f(int v) { return __shfl_up(v, 1, «width 32»); }",
    "width-variable": """
__device__ int f(int v) { const int w = «width 32»; return __shfl_sync(m, v, 0, w); }""",
    "width-parameter": """
template <int Width = «width 32»>
__device__ int f(int v) { return __shfl_sync(m, v, 0, Width); }""",
    "tile": """
__global__ void k() {
  auto t = cg::tiled_partition<«tile 32»>(cg::this_thread_block());
}""",
    "tile-type": "__device__ void f(cg::thread_block_tile<«tile 32»> &t) { t.sync(); }",
    "tile-dynamic": "__global__ void k() { auto t = cg::tiled_partition(b, «tile 32»); }",
    "tile-cub": "using Reduce = cub::WarpReduce<float, «tile 32»>;",
    "tile-cub-shuffle": """
__device__ int f(int v) { return cub::ShuffleIndex<«tile 32»>(v, 0, «mask 0xffffffff»); }""",
    "tile-template": "__device__ float f(float v) { return warp_reduce_sum<«tile 32»>(v); }",
    "bounds": "__global__ void __launch_bounds__(4 * «launch-bounds 32», 2) k() {}",
    "size-macro": "#define WARP_SIZE «warp-size 32»\n",
    "size-constant": "constexpr int kWarpSize = «warp-size 32»;",
    "size-enum": "enum { THREADS_PER_WARP = «warp-size 32» };",
    "size-log": "#define LOG2_WARP_SIZE «warp-size 5»\n",
    "size-function": "__host__ __device__ constexpr int WarpThreads() { return «warp-size 32»; }",
    "size-used": """
#define WARP_SIZE «warp-size 32»
__global__ void k(int *p) {
  p[threadIdx.x / «warp-id WARP_SIZE»] = threadIdx.x % «lane-id WARP_SIZE»;
}""",
    "size-built-in": "__global__ void k(int *p) { p[0] = threadIdx.x / «warp-id warpSize»; }",
    "size-of-a-group": "static_assert(«warp-size 32» % kThreadsPerRow == 0, \"lanes\");",
    "size-per-warp": "constexpr int kColsPerWarp = «warp-size 32» / kThreadsPerRow;",
    "vote-count": """
__global__ void k(int *p) {
  int lane = threadIdx.x & «lane-id 31»;
  unsigned votes = __ballot_sync(«mask 0xffffffffu», p[lane] > 0);
  p[lane] = __popc(votes & ((1u << lane) - 1));
}""",
}  # fmt: skip


@pytest.mark.parametrize("source", ROLES.values(), ids=ROLES.keys())
def test_roles(source: str) -> None:
    assert marked(_MARKED.sub(r"\2", source)) == source


# Not one number here is a warp's.
ORDINARY = {
    "tile-of-shared-memory": """
__global__ void transpose(float *o, const float *i) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = i[y * 1024 + x];
  __syncthreads();
  o[x * 1024 + y] = tile[threadIdx.x][threadIdx.y];
}""",
    "tile-by-one-index": """
__global__ void k(float *p) {
  __shared__ float t[32][32];
  int row = threadIdx.x / 32, col = threadIdx.x % 32;
  t[row][col] = p[threadIdx.x];
}""",
    "tile-subscripts": """
__global__ void k(float *p, int s) {
  __shared__ float t[64][32];
  t[threadIdx.y][(s + threadIdx.x) % 32] = p[0];
}""",
    "loads-of-a-tile": """
__global__ void k(float *p) {
  __shared__ float t[64][32];
  for (int i = threadIdx.x; i < 64 * 32; i += blockDim.x) t[i / 32][i % 32] = p[i];
}""",
    "bits-of-a-word": """
__device__ bool f(const unsigned *bits, int i) { return bits[i >> 5] >> (i & 31) & 1; }""",
    "bit-of-a-thread": """
__global__ void k(unsigned *bits, const int *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (p[i]) atomicOr(&bits[i / 32], 1u << (i % 32));
}""",
    "bit-named": """
__global__ void k(unsigned *words) {
  int bit = threadIdx.x % 32, word = threadIdx.x / 32;
  words[word] |= 1u << bit;
}""",
    "hash": """
__device__ unsigned f(unsigned h) {
  h ^= h >> 16;
  h *= 5;
  return (h << 5) - (h >> 31);
}""",
    "fill": "__device__ unsigned f(unsigned x) { return x == 0xffffffff ? 0 : x & 0xffffffffu; }",
    "sentinel": "__global__ void k(unsigned *p) { unsigned best = 0xffffffff; p[0] = best; }",
    "high-word": "__device__ unsigned f(unsigned long long x) { return x >> 32; }",
    "leading-zeros": "__device__ int f(unsigned n) { return 31 - __clz(n); }",
    "unrolled": """
__global__ void k(float *p) {
#pragma unroll 32
  for (int i = 0; i < 32; ++i) p[i] = 0;
}""",
    "shape-of-a-block": """
void f(float *p) {
  dim3 block(32, 8);
  dim3 grid(n / 32, n / 8);
  k<<<grid, block>>>(p);
}""",
    "plain-launch": "void f() { k<<<32, 256>>>(); k<<<1, 32>>>(); }",
    "bounds": "__global__ void __launch_bounds__(256, 5) k() {}",
    "alignment": """
struct __align__(32) S {
  char c[32];
  };
  void f(size_t n) { g((n + 31) & ~31);
  g((n + 31) / 32);
}""",
    "switch": """
void f(int threads) {
  switch (threads) { case 32: k<32>();
  break;
  case 16: k<16>();
  }
}""",
    "sizes-of-blocks": "int block_sizes[] = {32, 64, 128, 256};",
    "head-dimension": """
template <> void run<32>() {
  constexpr int kHeadDim = 32;
  launch<kHeadDim, 32, 4>();
}""",
    "block-fold-with-barriers": """
__global__ void k(float *s) {
  int t = threadIdx.x;
  if (t < 32) s[t] += s[t + 32];
  __syncthreads();
  if (t < 16) s[t] += s[t + 16];
  __syncthreads();
  if (t < 8) s[t] += s[t + 8];
}""",
    "block-scan-with-barriers": """
template <int BLOCK_SIZE> __device__ void f(int *s) {
  if (BLOCK_SIZE > 32) { if (threadIdx.x >= 32) s[threadIdx.x] += s[threadIdx.x - 32]; }
  __syncthreads();
}""",
    "number-of-warps": "constexpr int kNumWarps = 32;",
    "warp-group": "constexpr int kWarpGroups = 5;",
    "strings-and-comments": """
const char *s = "threadIdx.x % 32"; // lane = tid & 31
/* warp = tid >> 5 */""",
    "longer-numbers": """
__global__ void k(int *p) {
  p[0] = threadIdx.x % 320 + threadIdx.x / 32.0f;
}""",
    "own-method": "void f(Image &w) { w.warp(32); int x = w.width % 32; }",
    "decoding": "__device__ int f(unsigned v) { return (v >> 5) & 0x1f; }",
    "channel-description": """
void f() {
  auto d = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
}""",
    "small-shuffle": "__device__ int f(int v) { return __shfl_xor_sync(m, v, 2, 4); }",
    "divergence-elsewhere": """
void f(int n) {
  for (int i = 16;
  i > 0;
  i >>= 1) g(i);
  for (int i = 1;
  i < 32;
  i *= 2) g(i);
}""",
    "column-layout": """
__global__ void k(char *o, const char *i, int m) {
  int t = threadIdx.x;
  __syncwarp();
  o[(t & 0xffffffe0) * m + (blockIdx.x << 5) + (t & 31)] = i[t];
}""",
    "steps-of-a-block": """
__global__ void k(int *p, int n) {
  for (int i = 0; i < n; ++i) {
    int c = threadIdx.x + i * blockDim.x;
    p[c] = c & 31;
  }
}""",
    "items-of-a-thread": "constexpr int kWords = (ITEMS_PER_THREAD + 31) / 32;",
    "constant-named-after-warps": "constexpr int row_stride_warp = 32 * 8 / 32;",
    "item-of-a-loop": """
__global__ void k(int *p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    p[i / 32] = i % 32;
}""",
}  # fmt: skip


@pytest.mark.parametrize("source", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_numbers(source: str) -> None:
    assert marked(source) == source


@pytest.mark.parametrize(
    ("call", "is_site"),
    [
        ("__shfl_down_sync(m, v, 1)", True),
        ("__shfl_down_sync(m, v, 1, 8)", False),
        ("__shfl_xor(v, 1)", True),
        ("__ballot_sync(m, v)", True),
        ("__any(v)", True),
        ("__activemask()", True),
        ("__match_any_sync(m, v)", True),
        ("__reduce_max_sync(m, v)", True),
        ("__syncwarp()", False),
        ("x.__shfl_xor(v, 1)", False),
    ],
)
def test_calls_are_sites(call: str, is_site: bool) -> None:
    source = f"__device__ int f(int v) {{ return {call}; }}"
    found = [s for s in sites_of(source) if s.role == "call"]
    assert bool(found) is is_site
    for site in found:
        assert source[site.start :].startswith("__")


@given(st.text(alphabet="(){}[];<>,=+-*/%&|32 5x\n\"'", max_size=200))
def test_analysis_never_fails(text: str) -> None:
    source = f"__global__ void k() {{ int lane = threadIdx.x % 32; {text}"
    for site in sites_of(source):
        assert 0 <= site.start < site.end <= len(source.encode())


@pytest.mark.parametrize(
    "piece",
    ["(tid % 32) + ", "a[32]; int b[32];", "((((", "x = y +", "for (;i < 32;) {", "f<32, ",
     "s[tid + 32",      "- ", "p.p.warpSize", "while (atomicCAS(", "__shfl(", "#if HIP\n"],
)  # fmt: skip
def test_analysis_is_quick_on_hostile_input(piece: str) -> None:
    """Twice the input may not take much more than twice the work: counted, not timed."""
    import sys

    def work(times: int) -> int:
        count = 0

        def tick(frame: object, event: str, argument: object) -> None:
            nonlocal count
            count += 1

        source = "__global__ void k(int tid) { __syncwarp(); " + piece * times
        sys.setprofile(tick)
        try:
            port(source)
        finally:
            sys.setprofile(None)
        return count

    work(1)  # loads the tables
    assert work(1200) < 3.5 * work(400) + 20000


# What is a warp only by what another function does.
KERNEL = """
__global__ void k(float *p, int n) {
  p[threadIdx.x] = warpReduceSum(p[threadIdx.x]);
}"""
PLAIN = """
__global__ void k(float *p, int n) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = n;
}"""
BLOCKS = {
    "literal": "void f(float *p) { k<<<8, «warp-size 32»>>>(p, 4); }",
    "dim3": "void f(float *p) { k<<<8, dim3(«warp-size 32», 4)>>>(p, 4); }",
    "variable": "void f(float *p) { dim3 t(«warp-size 32», 4, 1); k<<<8, t, 0, s>>>(p, 4); }",
    "braces": "void f(float *p) { const dim3 t{«warp-size 32», 4}; k<<<8, t>>>(p, 4); }",
    "list": "void f(float *p) { dim3 t = {«warp-size 32», 4, 8}; k<<<8, t>>>(p, 4); }",
    "member": "void f(float *p) { dim3 t; t.x = «warp-size 32»; t.y = 8; k<<<8, t>>>(p, 4); }",
    "two-steps": """
void f(float *p) {
  const int block_size_x = «warp-size 32»;
  k<<<dim3(8), dim3(block_size_x, 4)>>>(p, 4);
}""",
    "one-of-two": "void f(float *p) { k<<<8, n > 9 ? 128 : «warp-size 32»>>>(p, 4); }",
    "constant": "#define WIDE «warp-size 32»\nvoid f(float *p) { k<<<8, WIDE>>>(p, 4); }",
    "parameter": """
void f(float *p, int threads) { k<<<8, threads>>>(p, 4); }
void g(float *p) { f(p, «warp-size 32»); }""",
    "product": "void f(float *p) { k<<<8, 4 * «warps-sized 32»>>>(p, 4); }",
    "runtime": """
void f(void **a) { cudaLaunchKernel((void *)k, 8, dim3(«warp-size 32»), a, 0, 0); }""",
    "pointer": "void f(float *p) { auto run = &k; run<<<8, «warp-size 32»>>>(p, 4); }",
    "lambda": "void f(float *p) { DISPATCH(t, [&] { k<<<8, «warp-size 32»>>>(p, 4); }); }",
    "macro": "#define RUN(p) \\\n  k<<<8, «warp-size 32», 0>>>(p, 4)\n",
    "rows": """
void f(float *p, int threads) {
  int block_y = threads / «warps-sized 32»;
  k<<<8, dim3(«warp-size 32», block_y)>>>(p, 4);
}""",
}  # fmt: skip


@pytest.mark.parametrize("host", BLOCKS.values(), ids=BLOCKS.keys())
def test_a_block_is_a_warp_where_its_kernel_works_by_warps(host: str) -> None:
    plain = re.sub(_MARKED, r"\2", host)
    assert marked(KERNEL + plain) == KERNEL + host
    if "threads / 32" not in plain:  # threads of a block over 32 are warps by themselves
        assert marked(PLAIN + plain) == PLAIN + plain


def test_a_kernel_that_calls_a_warp_function_works_by_warps() -> None:
    source = """
__device__ float sum(float v) { return v + __shfl_xor_sync(m, v, 1, 32); }
__device__ float all(float v) { return sum(v) / 4; }
template <typename T> __global__ void k(T *p) { p[0] = all(p[1]); }
void f(float *p) { k<float><<<8, dim3(32, 4)>>>(p); }
"""
    assert "dim3(«warp-size 32», 4)" in marked(source)
    assert "dim3(32, 4)" in marked(source.replace("sum(v)", "other(v)"))


def test_a_kernel_of_another_file_is_told_by_its_name() -> None:
    assert "«warp-size 32»" in marked("void f() { warp_softmax<<<8, 32>>>(); }")
    assert "«warp-size" not in marked("void f() { softmax<<<8, 32>>>(); swarp<<<8, 32>>>(); }")


def test_each_launch_has_the_block_of_its_own_branch() -> None:
    source = (
        KERNEL
        + """
__global__ void plain(int *p) { p[0] = 1; }
void f(float *p, int *q) {
  if (q) { dim3 block(32, 8); plain<<<8, block>>>(q); }
  else { dim3 block(32, 4); k<<<8, block>>>(p, 4); }
}"""
    )
    assert "block(32, 8)" in marked(source)
    assert "block(«warp-size 32», 4)" in marked(source)


def test_a_constant_of_more_tiles_than_warps_is_a_tile() -> None:
    host = "void f() { k<<<1, dim3(TILE, 8)>>>(); a<<<1, dim3(TILE, 8)>>>(); b<<<1, TILE>>>(); }"
    others = "__global__ void a() { g(); }\n__global__ void b() { g(); }\n"
    source = "const int TILE = 32;\n" + KERNEL + others + host
    assert marked(source) == source


FLOWS = {
    "slots-of-a-wide-block": """
__global__ void k(int *p) {
  __shared__ int sums[«warps-sized 32»][9];
  sums[threadIdx.x][threadIdx.y] = __shfl_up_sync(m, p[0], 1, 8);
}""",
    "slots-by-a-third-dimension": """
__global__ void k(int *p) {
  __shared__ float part[N][«warps-sized 32»][M];
  int group = threadIdx.z;
  part[1][group][0] = __shfl_down_sync(m, p[0], 1, 4);
}
void f(int *p, int n) { dim3 block = {4, 8, 4}; k<<<1, block>>>(p); }""",
    "slots-of-a-tile": """
__global__ void k(int *p) {
  __shared__ int tile[32][33];
  tile[threadIdx.y][threadIdx.x] = p[threadIdx.x];
}
void f(int *p) { k<<<1, dim3(32, 8)>>>(p); }""",
    "slots-of-another-block": """
__global__ void k(int *p) {
  __shared__ int tile[32][8];
  tile[threadIdx.y][threadIdx.x] = __any_sync(m, p[0]);
}
void f(int *p) { k<<<1, dim3(8, 16)>>>(p); }""",
    "area-behind-slots": """
__device__ void fold(int *s, int v) {
  int warp = threadIdx.x / «warp-id 32»;
  s[warp] = warpReduceSum(v);
}
__global__ void k(int *p) {
  static __shared__ int memory[160];
  int *second = &memory[«warps-sized 32»];
  fold(memory, p[0]);
}""",
    "area-in-bytes": """
__global__ void k(char *p) {
  float *means = (float *)(p + threadIdx.z * «warps-sized 32» * sizeof(float));
  means[threadIdx.y] = warpReduceSum(p[0]);
}""",
    "area-of-something-else": """
__global__ void k(float *p, float *scratch) {
  scratch += 32;
  float *row = p + 32 * n;
  row[n] = warpReduceSum(p[0]);
}""",
    "group-in-a-block": """
__global__ void k(float *p) {
  constexpr int bdx = 4;
  constexpr int bdy = «warp-size 32» / bdx;
  assert(blockDim.y == bdy);
  p[0] = __shfl_down_sync(m, p[0], 1, 4);
}""",
    "group-of-bits": """
__global__ void k(float *p) {
  constexpr int values = 32 / bits;
  p[values] = __shfl_down_sync(m, p[0], 1, 4);
}""",
    "group-that-lanes-cover": """
template <int N> __global__ void k(float *p, int lane_id) {
  static_assert(N <= «warp-size 32»);
  if (lane_id < N) p[0] = __shfl_down_sync(m, p[0], 1, 4);
}""",
    "group-of-rows": """
template <int N> __global__ void k(float *p, int lane_id) {
  static_assert(N <= 32);
  for (int i = 0; i < N; ++i) p[i] = __shfl_down_sync(m, p[0], 1, 4);
}""",
    "columns-demanded": """
__global__ void k(float *p, int c) {
  int lane_id = threadIdx.x % «lane-id 32»;
  for (int i = lane_id; i < c; i += «lane-id 32») p[i] = __shfl_down_sync(m, p[0], 1, 4);
}
void f(float *p, int c, int r) {
  assert(c % «warp-size 32» == 0);
  assert(r % 32 == 0);
  k<<<r, 256>>>(p, c);
}""",
    "columns-of-a-grid": """
__global__ void k(float *p, int c) {
  int first = blockIdx.x * «warp-size warpSize»;
  p[first] = __shfl_down_sync(m, p[0], 1, 4);
}
void f(float *p, int c) {
  TORCH_CHECK(c % «warp-size 32» == 0, "columns");
  const int grid = (c + «warp-size 31») / «warp-size 32»;
  k<<<grid, 256>>>(p, c);
}""",
    "columns-of-a-tile": """
__global__ void k(float *p, int c) { p[blockIdx.x * 32] = c; }
void f(float *p, int c) {
  assert(c % 32 == 0);
  k<<<(c + 31) / 32, dim3(32, 8)>>>(p, c);
}""",
    "columns-padded": """
void f(float *p, int c) {
  const int padded = (c + 31) / 32 * 32;
  warp_k<<<padded / n, 256>>>(p, c);
  __any(1);
}""",
    "rows-of-a-warp": """
void f(float *p, int rows) {
  k<<<ceil_div(«warps-sized 32» / 8 * rows, threads), 256>>>(p, rows);
}""",
    "rows-by-a-macro": """
#define BLOCKS(T, N) (T * N + 255) / 256
void f(float *p, int rows) { k<<<BLOCKS(«warp-size 32», rows), 256>>>(p, rows); }""",
    "share-of-a-warp": """
__global__ void k(float *p) {
  int c = threadIdx.x * pack::size;
  p[c] = __shfl_down_sync(m, p[0], 1, 4);
}
void f(float *p, int c) {
  int rounded = CEIL_DIV(c, («warp-size 32» * pack::size)) * («warp-size 32» * pack::size);
  int other = CEIL_DIV(c, 32 * page::size);
  k<<<8, 64>>>(p);
}""",
    "neighbours": """
__device__ int g() { return __activemask(); }
void f(int n) {
  int num_warps = ceil_div(n, «warps-sized 31»);
  int blocks = ceil_div(n, «warps-sized 31» * «warps-sized 32»);
  int other = ceil_div(m, 31);
}""",
    "width-of-a-launch": """
__global__ void k(int *p, int width) { p[0] = __shfl_up_sync(m, p[0], 1, width); }
void f(int *p) { k<<<8, 256, 4>>>(p, «width 32»); }""",
    "width-through-two": """
__device__ int up(int v, int n, int width) { return __shfl_up_sync(m, v, n, width); }
__device__ int one(int v, int w) { return up(v, 1, w); }
__global__ void k(int *p) { p[0] = one(p[1], «width 32»); p[2] = up(p[1], 32, 8); }""",
    "width-of-a-template": """
template <typename T, int W> __device__ T up(T v) { return __shfl_up_sync(m, v, 1, W); }
__global__ void k(int *p) { p[0] = up<int, «width 32»>(p[1]); }""",
    "constant-of-a-tile": """
#define SIDE «warp-size 32»
__global__ void k(int *p) { auto g = cg::tiled_partition<SIDE>(block); }""",
    "constant-of-a-fold": """
__device__ void f(int *s, cg::thread_block_tile<«tile 32»> &tile) {
  const int VEC = «warp-size 32»;
  for (int i = VEC / 2; i > 0; i >>= 1) s[0] += s[i];
}""",
    "constant-of-a-mask": """
__global__ void k(int *s) {
  const int VEC = «warp-size 32»;
  s[threadIdx.x & (VEC - 1)] = __any_sync(m, 1);
}""",
    "constant-of-a-vector": """
__global__ void k(int *s) {
  const int VEC = 32;
  for (int i = 0; i < VEC; ++i) s[i] = __any_sync(m, 1);
}""",
    "walk-of-a-wide-block": """
__global__ void k(float *p, int n) {
  for (int i = threadIdx.x; i < n; i += «lane-id 32») p[i] = 0;
  for (int i = threadIdx.y; i < n; i += 32) p[i] = 0;
  p[threadIdx.y * «lane-id 32» + threadIdx.x] = warpReduceSum(p[0]);
  p[threadIdx.y * 32 + threadIdx.x * 4] = 0;
}
void f(float *p) { k<<<4, dim3(«warp-size 32», 4)>>>(p, 1); }""",
    "walk-of-another-block": """
__global__ void k(float *p, int n) {
  for (int i = threadIdx.x; i < n; i += 32) p[i] = warpReduceSum(p[0]);
}
void f(float *p) { k<<<4, dim3(16, 4)>>>(p, 1); }""",
    "walk-of-a-tile": """
__global__ void k(float *p, int n) {
  for (int i = threadIdx.x; i < n; i += 32) p[threadIdx.y * 32 + threadIdx.x] = 0;
}
void f(float *p) { k<<<4, dim3(32, 4)>>>(p, 1); }""",
    "walk-of-an-unknown-block": """
__global__ void k(float *p, int row) {
  p[row * 32 + threadIdx.x] = warpReduceSum(p[0]);
  p[threadIdx.y * «lane-id 32» + threadIdx.x] = 0;
}""",
    "constant-of-a-class": """
struct Shape { static constexpr int kThreads = «warp-size 32», kRows = 32; };
void f(float *p) { warp_k<<<4, Shape::kThreads>>>(p, Shape::kRows); }""",
    "lanes-ahead": """
__device__ void f(float *p, int lane_id) {
  for (int i = 0; i < 4; ++i) { int d = lane_id + i * «lane-id 32»; p[d] = 0; }
}""",
    "lane-by-the-left": """
__global__ void k(float *p, int tid) {
  int lane = «lane-id 31» & tid;
  int bits = 31 & word;
  p[lane] = __shfl_down_sync(m, p[0], 1, 4);
}""",
    "room-of-many-warps": """
__global__ void k() { __shared__ float room[LOOP * WARPS_PER_BLOCK * ROWS * «warps-sized 32»]; }
__global__ void l() { __shared__ float room[LOOP * WORDS_PER_BLOCK * ROWS * 32]; }""",
    "constant-number-of-warps": "const int warps_per_cta = 1024 / «warps-sized 32»;",
    "short-name-of-the-size": "constexpr int WARP_SZ = «warp-size 32»;",
    "mask-of-few": """
__global__ void k(int n) {
  unsigned mask = n == «warp-size 32» ? FULL_MASK : (1u << n) - 1;
  int v = n == 32 ? 4 : 8;
  __syncwarp(mask);
}""",
    "lanes-that-reduce-elsewhere": """
__device__ int some(int v) { return __any_sync(m, v); }
template <int N, int M> __global__ void k(float *p) {
  static_assert(N <= «warp-size 32»);
  static_assert(M <= 32);
  p[0] = Allreduce<N>::run(p[0]);
}""",
    "most-of-a-warp": """
template <int V> __global__ void k(float *p, int lane_id) {
  p[lane_id * V] = __shfl_down_sync(m, p[0], 1, 4);
}
template <int V> void f(float *p, int n) {
  if (n <= V * «warp-size 32») k<V><<<4, 128>>>(p, 1);
  if (n <= W * 32) k<V><<<4, 128>>>(p, 1);
}""",
    "block-of-tensor-instructions": """
__global__ void k(int *p) { asm volatile("mma.sync.aligned.m16n8k16 {}, {}, {}, {};"); }
void f(int *p) { k<<<1, dim3(«warp-size 32», 4)>>>(p); }""",
    "loop-down-to-a-warp": """
__global__ void k(int *s, int count) {
  auto tile = cg::tiled_partition<«tile 32»>(block);
  while (count >= «fold 32») { s[0] += s[count]; count >>= 1; }
}""",
    "loop-over-chunks": """
__global__ void k(int *s, int count) {
  auto tile = cg::tiled_partition<«tile 32»>(block);
  while (count >= 32) { s[0] += s[count]; --count; }
}""",
    "columns-in-a-kernel": """
template <int C> __global__ void k(int *p) {
  static_assert(C % «warp-size 32» == 0);
  for (int c = «lane-id 32» * blockIdx.x; c + threadIdx.x % «lane-id 32» < C;
       c += «lane-id 32» * gridDim.x)
    p[c + threadIdx.x % «lane-id 32»] = __any_sync(m, 1);
}""",
}  # fmt: skip


@pytest.mark.parametrize("source", FLOWS.values(), ids=FLOWS.keys())
def test_roles_that_come_from_elsewhere(source: str) -> None:
    if "k<<<" in source and "k(" not in source.replace("warp_k", ""):
        source = KERNEL + source
    assert marked(re.sub(_MARKED, r"\2", source)) == source


@pytest.mark.parametrize(
    "piece",
    ["const int a = 32; ", "k<<<a, b>>>(a, 32); ", "void k(int a) { k(32); } ", "a = a + 32; ",
     "dim3 b(32, a); k<<<b, b>>>(); ", "if (a % 32 == 0) assert(a % 32 == 0); "],
)  # fmt: skip
@pytest.mark.parametrize("inside", [True, False])
def test_launches_are_followed_quickly_on_hostile_input(piece: str, inside: bool) -> None:
    import sys

    def work(times: int) -> int:
        count = 0

        def tick(frame: object, event: str, argument: object) -> None:
            nonlocal count
            count += 1

        head = KERNEL + ("void f(int a) { " if inside else "")
        source = head + piece * times
        sys.setprofile(tick)
        try:
            sites_of(source)
        finally:
            sys.setprofile(None)
        return count

    work(1)
    assert work(1200) < 3.5 * work(400) + 20000


# --- edits ------------------------------------------------------------------------------------


def body(text: str, **kwargs: object) -> str:
    """A statement of a kernel after the port."""
    head = "__global__ void k(int *p, float v, int n) { "
    got = port(head + text + " }", **kwargs).text  # type: ignore[arg-type]
    return got.partition(head)[2].removesuffix(" }")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("v = __shfl_sync(m, v, 0);", "v = __shfl_sync(m, v, 0, 32);"),
        ("v = __shfl_up_sync(m, v, 1);", "v = __shfl_up_sync(m, v, 1, 32);"),
        ("v = __shfl_down_sync(m, v, f(a, b));", "v = __shfl_down_sync(m, v, f(a, b), 32);"),
        ("v = __shfl_xor_sync(m, f<1, 2>(v), 1);", "v = __shfl_xor_sync(m, f<1, 2>(v), 1, 32);"),
        ("v = __shfl_sync<float>(m, v, 0);", "v = __shfl_sync<float>(m, v, 0, 32);"),
        ("v = __shfl_sync(m, v, 0 /* lane */ );", "v = __shfl_sync(m, v, 0, 32 /* lane */ );"),
        ("v = __shfl_sync(m,\nv,\n0 // lane\n);", "v = __shfl_sync(m,\nv,\n0, 32 // lane\n);"),
        ("v = ::__shfl_sync(m, v, 0);", "v = ::__shfl_sync(m, v, 0, 32);"),
        (
            "v = __shfl_sync(m, __shfl_up_sync(m, v, 1), 0);",
            "v = __shfl_sync(m, __shfl_up_sync(m, v, 1, 32), 0, 32);",
        ),
        ("v = __shfl(v, 0);", "v = __shfl_sync(0xffffffff, v, 0, 32);"),
        ("v = __shfl_xor(v, 1, 8);", "v = __shfl_xor_sync(0xffffffff, v, 1, 8);"),
        ("n = __ballot(v > 0);", "n = __ballot_sync(0xffffffff, v > 0);"),
        ("n = __any(n);", "n = __any_sync(0xffffffff, n);"),
        ("n = __all (n);", "n = __all_sync (0xffffffff, n);"),
        ("n = threadIdx.x % warpSize;", "n = threadIdx.x % 32;"),
        ("v = __shfl_sync(m, v, 0, warpSize);", "v = __shfl_sync(m, v, 0, 32);"),
        ("p[0] = __reduce_add_sync(m, n);", "p[0] = sigtrans::reduce_add_sync(m, n);"),
        ("p[0] = __match_any_sync(m, n);", "p[0] = sigtrans::match_any_sync(m, n);"),
        ("p[0] = __match_all_sync(m, n, &n);", "p[0] = sigtrans::match_all_sync(m, n, &n);"),
    ],
)  # fmt: skip
def test_calls_are_edited(before: str, after: str) -> None:
    assert body(before) == after
    again = port("__global__ void k() { " + after + " }")
    assert not again.edits


@pytest.mark.parametrize(
    "same",
    [
        "v = __shfl_sync(m, v, 0, 32);",
        "v = __shfl_sync(m, v, 0, width);",
        "v = x.__shfl(v, 0);",
        "v = mine::__shfl_sync(m, v, 0);",
        "v = __shfl_synchronous(m, v, 0);",
        "// __shfl(v, 0) warpSize",
        'f("__shfl(v, 0) warpSize");',
        "v = __shfl(v, 0); // sigtrans: skip-line",
        "n = __activemask(); __syncwarp(); __syncwarp(m);",
        "n = x.warpSize + warpSizeOf(n) + my_warpSize;",
        "int warpSize = 64; n = warpSize;",
        "n = threadIdx.x / 32 + __ballot_sync(0xffffffff, n);",
        "\n#ifdef __MUSA__\nv = __shfl(v, 0);\n#endif\n",
        "\n#ifdef __HIP_PLATFORM_AMD__\nv = __shfl(v, 0);\n#endif\n",
        "\n#if defined(USE_ROCM)\nv = __shfl_xor(v, 1, warpSize);\n#endif\n",
    ],
)
def test_left_alone(same: str) -> None:
    assert body(same) == same


def test_a_warp_size_of_ones_own_reaches_as_far_as_its_scope() -> None:
    source = """
__global__ void k(int *p) { p[0] = threadIdx.x / warpSize; }
void f(cudaDeviceProp prop) { int warpSize = prop.major; g(warpSize); }
#define HALF(warpSize) (warpSize / 2)
"""
    want = source.replace("cudaDeviceProp", "musaDeviceProp")
    assert port(source.replace("#define HALF(warpSize) (warpSize / 2)\n", "")).text == want.replace(
        "#define HALF(warpSize) (warpSize / 2)\n", ""
    ).replace("threadIdx.x / warpSize", "threadIdx.x / 32")
    got = port(source)
    assert got.text == want
    assert [d.severity.value for d in got.diagnostics if d.code == "SIG204"] == ["warning"]


@pytest.mark.parametrize(
    "source",
    [
        "struct F { __device__ int operator()(int i) const { return i & (warpSize - 1); } };",
        "HD int f(int i) { return i % warpSize; }",
        "__device__ int f(int w = warpSize);",
    ],
)
def test_a_warp_size_of_no_known_side_is_said(source: str) -> None:
    got = port(source, targets=WIDE)
    said = [d for d in got.diagnostics if d.code == "SIG204"]
    assert got.text == source
    assert [(d.severity.value, d.span.start) for d in said] == [
        ("warning", source.index("warpSize"))
    ]
    assert "SIG204" not in port(source).codes  # 32 either way


def test_coalesced_threads_are_said_once() -> None:
    use = "  if (x) { auto g = cg::coalesced_threads(); }\n"
    source = "__global__ void k(int x) {\n  // coalesced_threads()\n" + use + use + "}\n"
    got = port(source)
    said = [d for d in got.diagnostics if d.code == "SIG202"]
    assert got.text == source
    assert [d.span.start for d in said] == [source.index("coalesced_threads(); }")]


def test_the_branch_beside_amds_is_edited() -> None:
    source = "\n#ifndef USE_ROCM\nv = __shfl(v, 0);\n#else\nv = __shfl_xor(v, 0);\n#endif\n"
    assert body(source) == source.replace("__shfl(v, 0)", "__shfl_sync(0xffffffff, v, 0, 32)")


def test_a_wrapper_of_the_project_is_its_own() -> None:
    source = """
#define __shfl_down(v, d) __shfl_down_sync(0xffffffff, v, d)
__global__ void k(float v) { v += __shfl_down(v, 1); }
"""
    got = port(source)
    assert got.text == source.replace("v, d)\n__global", "v, d, 32)\n__global")
    assert "SIG201" not in got.codes


@pytest.mark.parametrize(
    "source",
    [
        "struct S { __device__ int __shfl_sync(unsigned, int, int); };\n",
        "__device__ double2 __shfl_xor_sync(unsigned, double2, int);\n"
        "__device__ double2 f(double2 v) { return __shfl_xor_sync(~0u, v, 1); }\n",
        "__device__ int __ballot(int);\n__device__ int f(int p) { return __ballot(p); }\n",
        "template <class T> __device__ T __shfl(T v, int lane);\n",
    ],
)
def test_a_declaration_of_the_project_is_left(source: str) -> None:
    assert port(source).text == source


def test_a_return_and_a_macro_are_no_declarations() -> None:
    source = "#define ONE __shfl_sync(m, v, 0)\nBODY(f) { return __shfl_sync(m, v, 0); }\n"
    assert port(source).text == source.replace("v, 0)", "v, 0, 32)")


def test_an_overload_leaves_cudas_own_calls_in_doubt() -> None:
    source = (
        "__device__ float4 __shfl_down_sync(unsigned m, float4 v, unsigned d) {\n"
        "  v.x = __shfl_down_sync(m, v.x, d);\n"
        "  v.y = __shfl_down_sync(m, v.y, d, 32);\n  return v;\n}\n"
    )
    got = port(source, targets=WIDE)
    said = [d for d in got.diagnostics if d.code == "SIG208"]
    assert got.text == source and [d.span.start for d in said] == [
        source.index("__shfl_down_sync(m, v.x")
    ]
    assert "SIG208" not in port(source).codes  # 32 lanes are the default there


def test_hidden_arguments_are_said() -> None:
    source = "#define SHFL(...) __shfl_sync(__VA_ARGS__)\n"
    got = port(source)
    assert got.text == source and got.codes == {"SIG208"}


def test_host_code_that_shares_the_name_is_left() -> None:
    source = "int f(int v) { return __shfl(v, 0) + warpSize; }\n"
    assert port(source, path="a.cpp", is_cuda=False).text == source


@pytest.mark.parametrize(
    ("declared", "value", "is_half"),
    [
        ("half v = p[0];", "v", True),
        ("__nv_bfloat16 v;", "v", True),
        ("const __half2 v = f();", "v", True),
        ("__half v[4];", "v[i]", True),
        ("const half *v = p;", "v[i]", True),
        ("at::BFloat16 v;", "v", True),
        ("", "__float2half(x)", True),
        ("const half *v = p;", "v", False),
        ("half w; float v = 0;", "v", False),
        ("half_thing v;", "v", False),
        ("half w;", "w.x", False),
    ],
)
def test_shuffles_of_16_bits(declared: str, value: str, is_half: bool) -> None:
    source = (
        f"__global__ void k(int i, float x) {{ {declared} f(__shfl_down_sync(m, {value}, 1)); }}"
    )
    got = port(source)
    name = "sigtrans::shfl_down_sync" if is_half else "__shfl_down_sync"
    assert f"f({name}(m, {value}, 1, 32));" in got.text
    assert ("SIG209" in got.codes) is is_half
    assert got.helpers == ({"warp"} if is_half else frozenset())


def test_a_parameter_of_16_bits_and_a_legacy_call() -> None:
    got = port("__device__ half f(half v) { return __shfl_xor(v, 1); }")
    assert "return sigtrans::shfl_xor_sync(0xffffffff, v, 1, 32);" in got.text
    assert got.codes == {"SIG201", "SIG209"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("dim3 block(prop.warpSize, 4);", "dim3 block(32, 4);"),
        ("k<<<n, prop->warpSize>>>();", "k<<<n, 32>>>();"),
        ("int threads = props[0].warpSize * 4;", "int threads = 32 * 4;"),
        ("size_t smem = get()->warpSize * 4;", "size_t smem = 32 * 4;"),
        ("int threads = at::cuda::warp_size() * 4;", "int threads = 32 * 4;"),
        ("int warps = prop.warpSize;", "int warps = prop.warpSize;"),
        ("int warps = (*prop).warpSize;", "int warps = (*prop).warpSize;"),
        ("g(prop->warpSize, 4);", "g(prop->warpSize, 4);"),
        ("int x = at::cuda::warp_size();", "int x = at::musa::warp_size();"),
        (
            'printf("threads = %d", prop.warpSize);',
            'printf("threads = %d", prop.warpSize);',
        ),
    ],
)
def test_sizes_on_the_host(before: str, after: str) -> None:
    head = "#include <ATen/cuda/CUDAContext.h>\nvoid f(cudaDeviceProp *prop) { "
    got = port(head + before + " }", targets=WIDE)
    assert got.text.endswith("{ " + after + " }")
    said = [d for d in got.diagnostics if d.code == "SIG204"]
    assert [d.severity.value for d in said] == ["note" if "printf" in before else "warning"]
    assert "SIG204" not in port(head + before + " }").codes  # 32 on both sides of mp_31


def test_an_attribute_is_said() -> None:
    source = "void f(int *w) { cudaDeviceGetAttribute(w, cudaDevAttrWarpSize, 0); }"
    assert "SIG204" in port(source, targets=WIDE).codes
    assert "SIG204" not in port("enum E { cudaDevAttrWarpSize = 10 };", targets=WIDE).codes


def test_a_member_of_ones_own_is_left() -> None:
    source = "void f(Shape s) { int threads = s.warpSize; }"
    got = port(source, targets=WIDE)
    assert got.text == source and not got.codes


@pytest.mark.parametrize(
    "use",
    [
        'printf("%d", prop.«warp-size warpSize»);',
        "int w = prop.«warp-size warpSize»;",
        "g(props->«warp-size warpSize», 4);",
        "std::cout << props[0].«warp-size warpSize»;",
        "return get_properties().«warp-size warpSize»;",
        "int s = shape.warpSize + shape.warp_width;",
    ],
)
def test_the_hosts_property_is_a_site(use: str) -> None:
    source = "int f() { " + re.sub(_MARKED, r"\2", use) + " }"
    assert marked(source) == "int f() { " + use + " }"


def test_a_property_is_not_told_twice() -> None:
    source = "void f(cudaDeviceProp p) { g(p.warpSize); }"
    assert port(source, targets=WIDE).codes == {"SIG204"}


# --- what is said -----------------------------------------------------------------------------

FOLD = """
__global__ void k(volatile int *s, int tid) {
  if (tid < 32) {
    s[tid] += s[tid + 32];%s
    s[tid] += s[tid + 16];%s
    s[tid] += s[tid + 8];
  }
}
"""


@pytest.mark.parametrize(
    ("between", "targets", "severity"),
    [
        ("", WIDE, "warning"),
        ("", ("mp_31",), ""),
        (" __syncwarp();", WIDE, ""),
        (" __syncthreads();", WIDE, ""),
        (" tile.sync();", WIDE, ""),
    ],
)
def test_lockstep(between: str, targets: tuple[str, ...], severity: str) -> None:
    got = port(FOLD % (between, between), targets=targets)
    said = [d.severity.value for d in got.diagnostics if d.code == "SIG210"]
    assert said == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("loop", "is_lock"),
    [
        ("while (atomicCAS(l, 0, 1) != 0);", True),
        ("while (atomicCAS(l, 0, 1)) {}", True),
        ("while (0 != atomicCAS(l, 0, 1)) { __nanosleep(20); }", True),
        ("while (atomicExch(l, 1) == 1) ;", True),
        ("do { n = p[0]; } while (atomicCAS(l, n, n + 1) != n);", False),
        ("while (atomicCAS(l, n, n + 1) != n) { n = p[0]; }", False),
        ("while (n != m) { m = n; n = atomicCAS(l, m, m + 1); }", False),
        ("atomicCAS(l, 0, 1);", False),
    ],
)
def test_locks(loop: str, is_lock: bool) -> None:
    got = port(f"__device__ void f(int *l, int *p, int n, int m) {{ {loop} }}")
    assert ("SIG211" in got.codes) is is_lock
    assert "SIG211" not in port(f"void f(int *l) {{ {loop} }}").codes


@pytest.mark.parametrize(
    ("text", "code", "severity"),
    [
        ("if (n > 3) p[0] = __activemask();", "SIG202", "warning"),
        ("while (n) { p[0] = __activemask(); }", "SIG202", "warning"),
        ("if (n) return; p[0] = __activemask();", "SIG202", "warning"),
        ("p[0] = __activemask();", "SIG202", "note"),
        ("p[0] = __popc(__ballot_sync(m, n));", "SIG202", "note"),
        ("auto t = cg::tiled_partition<64>(cg::this_thread_block());", "SIG206", "error"),
        ("typedef cub::WarpReduce<float, 64> R;", "SIG206", "error"),
        ("n = __ballot_sync(0xffffffffffffffffull, n);", "SIG212", "warning"),
        ("n = __ballot_sync(~0ULL, n);", "SIG212", "warning"),
        ("n = __any(n);", "SIG201", "warning"),
        ("n = __match_any_sync(m, n);", "SIG203", "note"),
        ("n = __reduce_add_sync(m);", "SIG203", "error"),
        ("n = warpSize;", "SIG204", "note"),
    ],
)
def test_said(text: str, code: str, severity: str) -> None:
    got = port("__global__ void k(int *p, int n) { " + text + " }", targets=WIDE)
    assert [d.severity.value for d in got.diagnostics if d.code == code] == [severity]


@pytest.mark.parametrize(
    "text",
    [
        "n = __ballot_sync(0xffffffff, n);",
        "auto t = cg::tiled_partition<32>(cg::this_thread_block()); __syncwarp();",
        "n = __shfl_sync(m, n, 0, 16);",
    ],
)
def test_not_said(text: str) -> None:
    got = port("__global__ void k(int *p, int n) { " + text + " }", targets=WIDE)
    assert not got.codes - {"SIG207"}


def test_ballots_are_only_doubted_on_wide_cards() -> None:
    source = "__device__ int f(int n) { return __popc(__ballot_sync(0xffffffff, n)); }"
    assert not port(source).codes
    assert "SIG202" in port(source, targets=("mp_21",)).codes


def test_one_note_for_a_function() -> None:
    source = """
__global__ void k(int *p) {
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  if (lane == 31) p[warp] = __ballot_sync(0xffffffff, lane);
}
__global__ void plain(int *p) { p[threadIdx.x] = 32; }
"""
    (note,) = (d for d in port(source, targets=WIDE).diagnostics if d.code == "SIG207")
    assert note.line == 3
    assert "'k'" in note.message and "lane id in lines 3, 5" in note.message
    assert "SIG207" not in port(source).codes  # where every card has 32 lanes


def test_a_legacy_call_beside_its_sync_form_is_a_note() -> None:
    source = """
__device__ float f(float v) {
#if CUDART_VERSION >= 9000
  return __shfl_xor_sync(0xffffffff, v, 1, 32);
#else
  return __shfl_xor(v, 1, 32);
#endif
}
"""
    (said,) = (d for d in port(source).diagnostics if d.code == "SIG201")
    assert said.severity.value == "note"


# --- the helper header ------------------------------------------------------------------------

HARNESS = r"""
// A warp on the host: 32 lanes as coroutines that meet at every shuffle.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#define __device__
#define __forceinline__ inline

static ucontext_t warp, lanes[32];
static char stacks[32][65536];
static int me;
struct Slot { unsigned long long bits; int round; };
static Slot slots[2][32];
static int rounds[32];

static void fail(const char *what) { std::printf("FAIL %s\n", what); std::exit(1); }

static unsigned long long meet(unsigned mask, unsigned long long bits, int source) {
  int lane = me;
  if (!(mask >> lane & 1)) fail("a lane outside of its mask");
  int round = ++rounds[lane];
  slots[round & 1][lane] = {bits, round};
  swapcontext(&lanes[lane], &warp);
  me = lane;
  if (!(mask >> source & 1)) return 0xdeadbeefdeadbeefull;  // undefined in CUDA
  if (slots[round & 1][source].round != round) fail("lanes are not at the same call");
  return slots[round & 1][source].bits;
}
template <class T> T moved(unsigned mask, T value, int source) {
  unsigned long long bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = meet(mask, bits, source);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T> T __shfl_sync(unsigned m, T v, int lane, int w) {
  return moved(m, v, (me & ~(w - 1)) + (lane & (w - 1)));
}
template <class T> T __shfl_xor_sync(unsigned m, T v, int x, int w) {
  int source = me ^ x;
  return moved(m, v, (source & ~(w - 1)) <= (me & ~(w - 1)) ? source : me);
}
template <class T> T __shfl_up_sync(unsigned m, T v, unsigned d, int w) {
  return moved(m, v, (me & (w - 1)) >= (int)d ? me - (int)d : me);
}
template <class T> T __shfl_down_sync(unsigned m, T v, unsigned d, int w) {
  return moved(m, v, (me & (w - 1)) + (int)d < w ? me + (int)d : me);
}
static int __ffs(int x) { return __builtin_ffs(x); }

#include "sigtrans_warp.h"

struct Half { std::uint16_t bits; };
static char op[32];
static unsigned mask;
static unsigned long long values[32], results[32];
static int preds[32];

template <class T> T as(unsigned long long bits) {
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
template <class T> void match() {
  int lane = me;
  T value = as<T>(values[lane]);
  if (!std::strncmp(op, "any", 3)) results[lane] = sigtrans::match_any_sync(mask, value);
  else {
    int p = 7;
    unsigned r = sigtrans::match_all_sync(mask, value, &p);
    results[lane] = r; preds[lane] = p;
  }
}
static void run() {
  int lane = me;
  unsigned u = (unsigned)values[lane];
  int i = as<int>(values[lane]);
  Half h = {(std::uint16_t)values[lane]};
#define OP(name, call) if (!std::strcmp(op, name)) results[lane] = (unsigned)(call);
  OP("add_u", sigtrans::reduce_add_sync(mask, u))
  OP("add_i", sigtrans::reduce_add_sync(mask, i))
  OP("min_u", sigtrans::reduce_min_sync(mask, u))
  OP("min_i", sigtrans::reduce_min_sync(mask, i))
  OP("max_u", sigtrans::reduce_max_sync(mask, u))
  OP("max_i", sigtrans::reduce_max_sync(mask, i))
  OP("and_u", sigtrans::reduce_and_sync(mask, u))
  OP("or_u", sigtrans::reduce_or_sync(mask, u))
  OP("xor_u", sigtrans::reduce_xor_sync(mask, u))
  OP("half", sigtrans::shfl_sync(mask, h, 5).bits)
  OP("half_up", sigtrans::shfl_up_sync(mask, h, 3u).bits)
  OP("half_down", sigtrans::shfl_down_sync(mask, h, 3u, 16).bits)
  OP("half_xor", sigtrans::shfl_xor_sync(mask, h, 2).bits)
  if (!std::strcmp(op, "any_int") || !std::strcmp(op, "all_int")) match<int>();
  if (!std::strcmp(op, "any_unsigned") || !std::strcmp(op, "all_unsigned")) match<unsigned>();
  if (!std::strcmp(op, "any_long") || !std::strcmp(op, "all_long")) match<long>();
  if (!std::strcmp(op, "any_ull") || !std::strcmp(op, "all_ull")) match<unsigned long long>();
  if (!std::strcmp(op, "any_float") || !std::strcmp(op, "all_float")) match<float>();
  if (!std::strcmp(op, "any_double") || !std::strcmp(op, "all_double")) match<double>();
  if (!std::strcmp(op, "any_char") || !std::strcmp(op, "all_char")) match<signed char>();
}
static bool done[32];
static void start() { int lane = me; run(); done[lane] = true; swapcontext(&lanes[lane], &warp); }

int main() {
  while (std::scanf("%31s %x", op, &mask) == 2) {
    for (auto &v : values) if (std::scanf("%llx", &v) != 1) return 1;
    for (int i = 0; i < 32; ++i) {
      rounds[i] = 0; slots[0][i].round = slots[1][i].round = -1; preds[i] = -1;
      done[i] = !(mask >> i & 1);
      getcontext(&lanes[i]);
      lanes[i].uc_stack.ss_sp = stacks[i];
      lanes[i].uc_stack.ss_size = sizeof stacks[i];
      makecontext(&lanes[i], start, 0);
    }
    for (bool more = true; more;) {
      more = false;
      for (int i = 0; i < 32; ++i)
        if (!done[i]) { me = i; swapcontext(&warp, &lanes[i]); more = more || !done[i]; }
    }
    for (int i = 0; i < 32; ++i)
      if (mask >> i & 1) std::printf("%llx:%d ", results[i], preds[i]);
    std::printf("\n");
  }
}
"""

MATCHED = {
    "int": 32, "unsigned": 32, "long": 64, "ull": 64, "float": 32, "double": 64, "char": 8,
}  # fmt: skip
REDUCED = ("add_u", "add_i", "min_u", "min_i", "max_u", "max_i", "and_u", "or_u", "xor_u")
SHUFFLED = ("half", "half_up", "half_down", "half_xor")


def signed(bits: int) -> int:
    return bits - (1 << 32) if bits >> 31 else bits


def expected(op: str, mask: int, values: list[int]) -> list[str]:
    """What CUDA's programming guide says each lane of the mask gets."""
    lanes = [lane for lane in range(32) if mask >> lane & 1]
    kind, _, type_ = op.partition("_")
    if kind in ("any", "all") and type_ in MATCHED:
        cut = [v & ((1 << MATCHED[type_]) - 1) for v in values]
        same = {lane: sum(1 << m for m in lanes if cut[m] == cut[lane]) for lane in lanes}
        if kind == "any":
            return [f"{same[lane]:x}:-1" for lane in lanes]
        agree = len({cut[lane] for lane in lanes}) == 1
        return [f"{mask if agree else 0:x}:{int(agree)}"] * len(lanes)
    if kind == "half":
        out = []
        for lane in lanes:
            source = {
                "": 5,
                "up": lane - 3 if lane >= 3 else lane,
                "down": lane + 3 if lane % 16 + 3 < 16 else lane,
                "xor": lane ^ 2,
            }[type_]
            out.append(f"{values[source] & 0xFFFF:x}:-1")
        return out
    numbers = [values[lane] & 0xFFFFFFFF for lane in lanes]
    if type_ == "i":
        numbers = [signed(n) for n in numbers]
    result = numbers[0]
    for n in numbers[1:]:
        result = {
            "add": result + n, "min": min(result, n), "max": max(result, n),
            "and": result & n, "or": result | n, "xor": result ^ n,
        }[kind]  # fmt: skip
    return [f"{result & 0xFFFFFFFF:x}:-1"] * len(lanes)


def test_helper_header_against_a_model(tmp_path: Path) -> None:
    (tmp_path / "test.cpp").write_text(HARNESS)
    program = tmp_path / "test"
    include = ROOT / "templates" / "helpers"
    subprocess.run(
        [find_compiler(), "-std=c++14", "-O1", "-Wall", "-Werror", "-Wno-class-memaccess",
         "-DSIGTRANS_HOST_TEST", f"-I{include}", str(tmp_path / "test.cpp"), "-o", str(program)],
        check=True,
    )  # fmt: skip
    numbers = random.Random(1)
    cases: list[tuple[str, int, list[int]]] = []
    for op in (*REDUCED, *(f"{k}_{t}" for k in ("any", "all") for t in MATCHED)):
        for mask in (
            0xFFFFFFFF,
            1,
            0x80000000,
            0xFFFF,
            0x55555555,
            *numbers.choices(range(1, 1 << 32), k=12),
        ):
            few = [numbers.getrandbits(64) for _ in range(numbers.choice((1, 2, 5, 40)))]
            few += [0, 1 << 31, 1 << 63, (1 << 64) - 1] if len(few) > 5 else []
            cases.append((op, mask, [numbers.choice(few) for _ in range(32)]))
    for op in SHUFFLED:
        cases.append((op, 0xFFFFFFFF, [numbers.getrandbits(16) for _ in range(32)]))
    text = "\n".join(f"{op} {mask:x} " + " ".join(f"{v:x}" for v in vs) for op, mask, vs in cases)
    done = subprocess.run(
        [str(program)], input=text, capture_output=True, text=True, timeout=120, check=False
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(cases), lines[-1:]
    for (op, mask, values), line in zip(cases, lines, strict=True):
        assert line.split() == expected(op, mask, values), (op, hex(mask))


def test_helper_header_is_nothing_to_a_host_compiler(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        f'#include "{ROOT}/templates/helpers/sigtrans_warp.h"\nint x;\n'
    )
    subprocess.run(
        [
            find_compiler(),
            "-std=c++11",
            "-Wall",
            "-Werror",
            "-fsyntax-only",
            str(tmp_path / "a.cpp"),
        ],
        check=True,
    )
