"""The helper headers of memory, half and device code, on the host against independent models.

The stand-ins for MUSA's headers convert half and bfloat16 bit by bit; the expected values come from
Python, which has its own conversions (`struct` knows half).
"""

from __future__ import annotations

import math
import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from porting import find_compiler

HELPERS = Path(__file__).resolve().parent.parent / "templates" / "helpers"

PRELUDE = """
#define SIGTRANS_HOST_TEST
#define __device__
#define __forceinline__ inline
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <cstdlib>
"""


def run(folder: Path, source: str, *lines: str) -> list[str]:
    """Compile for C++14, warnings are errors; feed `lines`, give the lines of the output."""
    program, binary = folder / "a.cpp", folder / "a"
    program.write_text(PRELUDE + source)
    subprocess.run(
        [find_compiler(), "-std=c++14", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-psabi",
         "-ffp-contract=off",
         f"-I{HELPERS}", f"-I{folder}", "-pthread", "-o", binary, program],
        check=True,
    )  # fmt: skip
    ran = subprocess.run(
        [binary], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True
    )
    return ran.stdout.splitlines()


# --- half and bfloat16 ----------------------------------------------------------------------------

HALF = """
#pragma once
#include <cmath>
struct __half { uint16_t bits; };
struct __half2 { __half x, y; };
// By definition: sign, exponent, fraction; rounding to nearest even by comparing distances.
inline float __half2float(__half h) {
  int e = h.bits >> 10 & 31, f = h.bits & 1023;
  double v = e == 31 ? (f ? NAN : INFINITY) : e ? std::ldexp(1024 + f, e - 25) : std::ldexp(f, -24);
  return static_cast<float>(h.bits >> 15 ? -v : v);
}
inline __half __float2half_rn(float x) {
  uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (x != x) return {0x7fff};
  double a = std::fabs(x);
  if (a >= 65520.0) return {static_cast<uint16_t>(sign | 0x7c00)};
  int low = 0, high = 0x7c00;  // the largest half that is not above a
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (static_cast<double>(__half2float({static_cast<uint16_t>(middle)})) <= a) low = middle;
    else high = middle;
  }
  double below = __half2float({static_cast<uint16_t>(low)});
  double above = low == 0x7bff ? 65536.0 : __half2float({static_cast<uint16_t>(low + 1)});
  bool up = a - below > above - a || (a - below == above - a && (low & 1));
  return {static_cast<uint16_t>(sign | (low + up))};
}
inline float __low2float(__half2 h) { return __half2float(h.x); }
inline float __high2float(__half2 h) { return __half2float(h.y); }
inline __half2 __floats2half2_rn(float a, float b) {
  return {__float2half_rn(a), __float2half_rn(b)};
}
"""
BF16 = """
#pragma once
struct __mt_bfloat16 { uint16_t bits; };
struct __mt_bfloat162 { __mt_bfloat16 x, y; };
inline float __bfloat162float(__mt_bfloat16 b) {
  uint32_t bits = static_cast<uint32_t>(b.bits) << 16;
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}
inline __mt_bfloat16 __float2bfloat16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  if (x != x) return {0x7fff};
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
inline float __low2float(__mt_bfloat162 b) { return __bfloat162float(b.x); }
inline float __high2float(__mt_bfloat162 b) { return __bfloat162float(b.y); }
inline __mt_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return {__float2bfloat16(a), __float2bfloat16(b)};
}
"""
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "exp": math.exp, "exp2": lambda x: 2.0**x, "exp10": lambda x: 10.0**x, "log": math.log,
    "log2": math.log2, "log10": math.log10, "sin": math.sin, "cos": math.cos, "tanh": math.tanh,
    "sqrt": math.sqrt, "rsqrt": lambda x: 1 / math.sqrt(x), "rcp": lambda x: 1 / x,
    "ceil": math.ceil, "floor": math.floor, "rint": round, "trunc": math.trunc,
    "tanh_approx": math.tanh,
}  # fmt: skip
EXACT = ("sqrt", "rcp", "ceil", "floor", "rint", "trunc")


def half_to_float(bits: int) -> float:
    return float(struct.unpack("<e", struct.pack("<H", bits))[0])


def float_to_half(value: float) -> int:
    try:
        return int(struct.unpack("<H", struct.pack("<e", value))[0])
    except OverflowError:
        return 0xFC00 if value < 0 else 0x7C00


def bf16_to_float(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits << 16))[0])


def float_to_bf16(value: float) -> int:
    try:
        bits = int(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return 0xFF80 if value < 0 else 0x7F80
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def headers(folder: Path) -> None:
    (folder / "musa_fp16.h").write_text(HALF)
    (folder / "musa_bf16.h").write_text(BF16)


@pytest.mark.parametrize("kind", ["half", "bf16"])
def test_half_functions(kind: str, tmp_path: Path) -> None:
    headers(tmp_path)
    scalar, pair = ("__half", "__half2") if kind == "half" else ("__mt_bfloat16", "__mt_bfloat162")
    widen, narrow = (
        (half_to_float, float_to_half) if kind == "half" else (bf16_to_float, float_to_bf16)
    )
    cases = "\n".join(
        f'if (!strcmp(name, "{name}")) {{ r = sigtrans::h{name}({scalar}{{a}}).bits;'
        f" {pair} p = sigtrans::h2{name}({pair}{{{{a}}, {{b}}}}); x = p.x.bits; y = p.y.bits; }}"
        for name in FUNCTIONS
    )
    source = f"""
    #include "sigtrans_{kind}.h"
    int main() {{
      char name[20];
      uint16_t a, b, r = 0, x = 0, y = 0;
      while (scanf("%19s %hu %hu", name, &a, &b) == 3) {{
        {cases}
        printf("%d %d %d\\n", r, x, y);
      }}
    }}
    """
    rng = random.Random(7)
    asked: list[tuple[str, int, int]] = []
    for name in FUNCTIONS:
        for _ in range(300):
            a, b = (narrow(rng.uniform(0.01, 8) * rng.choice((1, 1, 10))) for _ in range(2))
            if name not in ("log", "log2", "log10", "sqrt", "rsqrt") and rng.random() < 0.5:
                a, b = a | 0x8000, b | 0x8000
            asked.append((name, a, b))
    out = run(tmp_path, source, *(f"{n} {a} {b}" for n, a, b in asked))
    assert len(out) == len(asked)
    for (name, a, b), line in zip(asked, out, strict=True):
        got = [int(word) for word in line.split()]
        wanted = [narrow(float(FUNCTIONS[name](widen(bits)))) for bits in (a, a, b)]
        slack = 0 if name in EXACT else 1  # the float function's own error may cross one tie
        for one, other in zip(got, wanted, strict=True):
            same = widen(one) == widen(other) if one & 0x7FFF == 0 else abs(one - other) <= slack
            assert same, (name, a, b, got, wanted)


@pytest.mark.parametrize("kind", ["half", "bf16"])
def test_masks(kind: str, tmp_path: Path) -> None:
    headers(tmp_path)
    pair = "__half2" if kind == "half" else "__mt_bfloat162"
    widen = half_to_float if kind == "half" else bf16_to_float
    names = [f"h{c}{u}2_mask" for c in ("eq", "ne", "lt", "le", "gt", "ge") for u in ("", "u")]
    calls = " ".join(f'printf("%u ", sigtrans::{n}(p, q));' for n in names)
    source = f"""
    #include "sigtrans_{kind}.h"
    int main() {{
      uint16_t a, b, c, d;
      while (scanf("%hu %hu %hu %hu", &a, &b, &c, &d) == 4) {{
        {pair} p{{{{a}}, {{b}}}}, q{{{{c}}, {{d}}}};
        {calls}
        puts("");
      }}
    }}
    """
    nan = 0x7E00 if kind == "half" else 0x7FC0
    values = [0, 0x8000, 0x3C00, 0xBC00, 0x4000, nan]
    asked = [(a, b, c, d) for a in values for b in values[2:] for c in values for d in values[3:]]
    out = run(tmp_path, source, *(" ".join(map(str, four)) for four in asked))
    compare: dict[str, Callable[[float, float], bool]] = {
        "eq": float.__eq__, "lt": float.__lt__, "le": float.__le__, "gt": float.__gt__,
        "ge": float.__ge__, "ne": lambda x, y: x == x and y == y and x != y,
    }  # fmt: skip
    for (a, b, c, d), line in zip(asked, out, strict=True):
        for name, got in zip(names, line.split(), strict=True):
            wanted = 0
            for lane, (x, y) in enumerate(((a, c), (b, d))):
                left, right = widen(x), widen(y)
                unordered = name[3] == "u" and (math.isnan(left) or math.isnan(right))
                if unordered or compare[name[1:3]](left, right):
                    wanted |= 0xFFFF << 16 * lane
            assert int(got) == wanted, (name, a, b, c, d)


def test_halves_of_a_bfloat16_pair_are_exact(tmp_path: Path) -> None:
    headers(tmp_path)
    source = """
    #include "sigtrans_bf16.h"
    int main() {
      for (unsigned n = 0; n < 65536; ++n) {
        __mt_bfloat16 a{static_cast<uint16_t>(n)}, b{static_cast<uint16_t>(65535 - n)};
        const float x = __bfloat162float(a), y = __bfloat162float(b);
        if (x == x && sigtrans::low2bfloat16({a, b}).bits != a.bits) return 1;
        if (y == y && sigtrans::high2bfloat16({a, b}).bits != b.bits) return 2;
      }
      puts("same");
    }
    """
    assert run(tmp_path, source) == ["same"]


# --- memory ---------------------------------------------------------------------------------------

MEMORY = """
#include "sigtrans_memory.h"
struct alignas(16) float4 { float x, y, z, w; };
struct Group {
  unsigned rank, count;
  mutable int *syncs;
  unsigned thread_rank() const { return rank; }
  unsigned size() const { return count; }
  void sync() const { ++*syncs; }
};
"""


def test_hinted_accesses(tmp_path: Path) -> None:
    loads = "".join(
        f"if (memcmp(&v, &(w = sigtrans::{name}(&v), w), sizeof v)) return __LINE__;"
        for name in ("ldca", "ldcg", "ldcs", "ldcv", "ldlu")
    )
    stores = "".join(
        f"memset(&w, 0, sizeof w); sigtrans::{name}(&w, v);"
        " if (memcmp(&v, &w, sizeof v)) return __LINE__;"
        for name in ("stwb", "stcg", "stcs", "stwt")
    )
    source = (
        MEMORY
        + "template <typename T> int check(T v) { T w;" + loads + stores + "return 0; }"
        + """
    int main() {
      if (check<char>('x') || check<short>(-2) || check(7) || check(1.5f) || check(-2.5)) return 1;
      if (check(float4{1, 2, 3, 4}) || check(0x123456789abcdefULL)) return 2;
      float f;
      sigtrans::stcs(&f, 3);  // converts as CUDA's overloads do
      printf("%g\\n", f);
    }
    """
    )  # fmt: skip
    assert run(tmp_path, source) == ["3"]


def test_pipeline_copies(tmp_path: Path) -> None:
    source = (
        MEMORY
        + """
    int main() {
      alignas(16) unsigned char to[16], from[16];
      int size, zeros;
      while (scanf("%d %d", &size, &zeros) == 2) {
        for (int n = 0; n < 16; ++n) from[n] = n + 1, to[n] = 99;
        sigtrans::pipeline_memcpy_async(to, from, size, zeros);
        sigtrans::pipeline_commit();
        sigtrans::pipeline_wait_prior(0);
        for (int n = 0; n < 16; ++n) printf("%d ", to[n]);
        puts("");
      }
    }
    """
    )
    asked = [(size, zeros) for size in (4, 8, 16) for zeros in range(size + 1)]
    out = run(tmp_path, source, *(f"{s} {z}" for s, z in asked))
    for (size, zeros), line in zip(asked, out, strict=True):
        wanted = [n + 1 for n in range(size - zeros)] + [0] * zeros + [99] * (16 - size)
        assert [int(word) for word in line.split()] == wanted


def test_copies_of_a_group(tmp_path: Path) -> None:
    source = (
        MEMORY
        + """
    int main() {
      alignas(16) static unsigned char to[512], from[512];
      int offset, bytes, threads, elements;
      while (scanf("%d %d %d %d", &offset, &bytes, &threads, &elements) == 4) {
        int syncs = 0, wrong = 0;
        for (int n = 0; n < 512; ++n) from[n] = n * 7 + 1, to[n] = 0;
        for (int rank = 0; rank < threads; ++rank) {
          Group group{static_cast<unsigned>(rank), static_cast<unsigned>(threads), &syncs};
          if (elements)
            sigtrans::memcpy_async(group, (int *)(to + offset), elements,
                                   (const int *)(from + offset), bytes / 4);
          else
            sigtrans::memcpy_async(group, to + offset, from + offset, bytes);
          sigtrans::wait(group);
          sigtrans::wait_prior<1>(group);
        }
        const int length = elements && elements * 4 < bytes ? elements * 4 : bytes;
        for (int n = 0; n < 512; ++n)
          wrong += to[n] != (n >= offset && n < offset + length ? from[n] : 0);
        printf("%d %d\\n", wrong, syncs);
      }
    }
    """
    )
    asked = [
        (offset, length, threads, 0)
        for offset in (0, 1, 4, 8, 16)
        for length in (0, 1, 3, 4, 12, 16, 48, 100, 256)
        for threads in (1, 3, 32, 64)
    ]
    asked += [(0, 64, 8, 5), (4, 64, 3, 99)]
    out = run(tmp_path, source, *(" ".join(map(str, four)) for four in asked))
    for four, line in zip(asked, out, strict=True):
        assert line == f"0 {2 * four[2]}", four


# --- atomics --------------------------------------------------------------------------------------

DEVICE = """
#include <thread>
#include <vector>
static int fences;
static void __threadfence_system() { __atomic_add_fetch(&fences, 1, __ATOMIC_SEQ_CST); }
#define PLAIN(name, type, call)                                   \\
  static inline type name(type *p, type v) { return call(p, v, __ATOMIC_SEQ_CST); }
PLAIN(atomicAdd, int, __atomic_fetch_add)
PLAIN(atomicAdd, unsigned, __atomic_fetch_add)
PLAIN(atomicAdd, unsigned long long, __atomic_fetch_add)
PLAIN(atomicSub, int, __atomic_fetch_sub)
PLAIN(atomicExch, int, __atomic_exchange_n)
PLAIN(atomicAnd, int, __atomic_fetch_and)
PLAIN(atomicOr, int, __atomic_fetch_or)
PLAIN(atomicXor, int, __atomic_fetch_xor)
static inline float atomicAdd(float *p, float v) { float old = *p; *p += v; return old; }
static inline int atomicMin(int *p, int v) { int old = *p; if (v < old) *p = v; return old; }
static inline int atomicMax(int *p, int v) { int old = *p; if (v > old) *p = v; return old; }
static inline unsigned atomicInc(unsigned *p, unsigned v) {
  unsigned old = *p; *p = old >= v ? 0 : old + 1; return old;
}
static inline unsigned atomicDec(unsigned *p, unsigned v) {
  unsigned old = *p; *p = old == 0 || old > v ? v : old - 1; return old;
}
template <typename T> static inline T swap_if(T *p, T e, T v) {
  __atomic_compare_exchange_n(p, &e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return e;
}
static inline int atomicCAS(int *p, int e, int v) { return swap_if(p, e, v); }
static inline unsigned short atomicCAS(unsigned short *p, unsigned short e, unsigned short v) {
  return swap_if(p, e, v);
}
static inline unsigned long long atomicCAS(unsigned long long *p, unsigned long long e,
                                           unsigned long long v) { return swap_if(p, e, v); }
struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
#include "sigtrans_device.h"
"""


def test_atomics_from_many_threads(tmp_path: Path) -> None:
    source = (
        DEVICE
        + """
    template <typename T> T sum(int threads, int each, T step) {
      static T total;
      total = 0;
      std::vector<std::thread> all;
      for (int n = 0; n < threads; ++n)
        all.emplace_back([=] { for (int k = 0; k < each; ++k) sigtrans::atomicAdd(&total, step); });
      for (auto &one : all) one.join();
      return total;
    }
    int main() {
      printf("%lld\\n", sum<long long>(4, 20000, -3));
      printf("%ld\\n", sum<long>(4, 20000, -(1L << 40)));
      printf("%lu\\n", sum<unsigned long>(4, 20000, 1UL << 40));
      printf("%d\\n", sum<short>(4, 20000, -1));
      printf("%d\\n", sum<unsigned short>(4, 20000, 3));
      printf("%d\\n", sum<int>(4, 20000, 2));
    }
    """
    )
    out = [int(line) for line in run(tmp_path, source)]
    assert out == [
        -240000, -80000 << 40, 80000 << 40,
        (-80000 + 0x8000) % 0x10000 - 0x8000, 240000 % 0x10000, 160000,
    ]  # fmt: skip


def test_old_values_and_extremes(tmp_path: Path) -> None:
    source = (
        DEVICE
        + """
    template <typename T> void show(T start, T value) {
      T a = start, b = start, c = start;
      const T x = sigtrans::atomicAdd(&a, value), y = sigtrans::atomicMin(&b, value),
              z = sigtrans::atomicMax(&c, value);
      if (x != start || y != start || z != start) puts("old");
      printf("%lld %lld %lld\\n", (long long)a, (long long)b, (long long)c);
    }
    int main() {
      show<long long>(5, -7);
      show<unsigned long long>(5, 1ULL << 62);
      show<long>(-9, -8);
      show<int>(3, -4);
      float4 v{1, 2, 3, 4}, old = sigtrans::atomicAddVector4(&v, {10, 20, 30, 40});
      printf("%g %g %g %g %g %g\\n", v.x, v.y, v.z, v.w, old.x, old.w);
      float2 w{1, 2}, was = sigtrans::atomicAddVector2(&w, {5, 6});
      printf("%g %g %g %g\\n", w.x, w.y, was.x, was.y);
      unsigned short h = 65535;
      unsigned short first = sigtrans::atomicAdd16(&h, 3);
      printf("%d %d\\n", first, h);
    }
    """
    )
    assert run(tmp_path, source) == [
        "-2 -7 5", f"{5 + (1 << 62)} 5 {1 << 62}", "-17 -9 -8", "-1 -4 3",
        "11 22 33 44 1 4", "6 8 1 2", "65535 2",
    ]  # fmt: skip


def test_system_atomics_stand_between_fences(tmp_path: Path) -> None:
    source = (
        DEVICE
        + """
    int main() {
      int p = 12;
      unsigned u = 3;
      long long q = 5;
      printf("%d ", sigtrans::atomicAdd_system(&p, 1)); printf("%d ", p);
      printf("%d ", sigtrans::atomicSub_system(&p, 3)); printf("%d ", p);
      printf("%d ", sigtrans::atomicAnd_system(&p, 6)); printf("%d ", p);
      printf("%d ", sigtrans::atomicOr_system(&p, 9)); printf("%d ", p);
      printf("%d ", sigtrans::atomicXor_system(&p, 1)); printf("%d ", p);
      printf("%d ", sigtrans::atomicExch_system(&p, 70)); printf("%d ", p);
      printf("%d ", sigtrans::atomicCAS_system(&p, 70, 71)); printf("%d ", p);
      printf("%d ", sigtrans::atomicMin_system(&p, 8)); printf("%d ", p);
      printf("%d ", sigtrans::atomicMax_system(&p, 80)); printf("%d ", p);
      printf("%u ", sigtrans::atomicInc_system(&u, 3)); printf("%u ", u);
      printf("%u ", sigtrans::atomicDec_system(&u, 9)); printf("%u ", u);
      printf("%lld ", sigtrans::atomicAdd_system(&q, 2)); printf("%lld\\n", q);
      sigtrans::nanosleep(5);
      printf("%d\\n", fences);
    }
    """
    )
    values = "12 13 13 10 10 2 2 11 11 10 10 70 70 71 71 8 8 80 3 0 0 9 5 7"
    assert run(tmp_path, source) == [values, "24"]


@pytest.mark.parametrize("topic", ["memory", "half", "bf16", "device"])
def test_a_host_compiler_may_see_the_header(topic: str, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(f'#include "sigtrans_{topic}.h"\nint main() {{}}\n')
    subprocess.run(
        [find_compiler(), "-std=c++14", "-Wall", "-Werror", f"-I{HELPERS}", "-c", "-o",
         tmp_path / "a.o", tmp_path / "a.cpp"],
        check=True,
    )  # fmt: skip
    text = (HELPERS / f"sigtrans_{topic}.h").read_text()
    assert "// sigtrans: skip-file" in text
    assert "#pragma once" in text
