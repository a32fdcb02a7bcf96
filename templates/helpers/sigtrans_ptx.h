// What PTX instructions mean, in C++. Made by sigtrans for ports to MUSA; keep it beside the port.
// sigtrans: skip-file
//
// Arithmetic is plain C++ and holds bit for bit what the PTX ISA says, unless the port said
// otherwise at the place of use. MUSA names used here and where they were seen: __threadfence and
// its _block and _system forms, atomic functions, __syncthreads (vendor's C++ language pages, SDK
// 5.2); __get_laneid (MooreThreads/muAlg, cub/util_ptx.cuh); __trap, __musa_exit
// (MooreThreads/mutlass, mutlass/detail/helper_macros.hpp); __fadd_rn and its family
// (tilelang_musa's IEEE operations).
#pragma once

// A statement without a translation: the device pass fails here and says why. The host pass never
// runs the statement.
#if defined(__MUSA_ARCH__) || defined(SIGTRANS_TEST_STOP)
#define SIGTRANS_PTX_STOP(message) \
  do { \
    static_assert(false, message); \
  } while (0)
#else
#define SIGTRANS_PTX_STOP(message) ((void)0)
#endif

// A statement in a header: a host compiler may read the function around it, but never runs it.
#if defined(__MUSACC__) || defined(__CUDACC__) || defined(SIGTRANS_HOST_TEST)
#define SIGTRANS_PTX_DEVICE(...) __VA_ARGS__
#else
#define SIGTRANS_PTX_DEVICE(...) ((void)0)
#endif

#if defined(__MUSACC__) || defined(__CUDACC__) || defined(SIGTRANS_HOST_TEST)

#define SIGTRANS_PTX __device__ __forceinline__

namespace sigtrans {

// --- bits and addresses ----------------------------------------------------------------------

template <class To, class From>
SIGTRANS_PTX To ptx_same_bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "only between types of one size");
  union {
    From from;
    To to;
  } both;
  both.from = value;
  return both.to;
}

SIGTRANS_PTX unsigned ptx_bits(float value) { return ptx_same_bits<unsigned>(value); }
SIGTRANS_PTX unsigned long long ptx_bits(double value) {
  return ptx_same_bits<unsigned long long>(value);
}
SIGTRANS_PTX float ptx_float(unsigned bits) { return ptx_same_bits<float>(bits); }
SIGTRANS_PTX double ptx_double(unsigned long long bits) { return ptx_same_bits<double>(bits); }

// A 64-bit address, given as a pointer or as a number.
struct ptx_address {
  unsigned char *at;
  template <class T>
  SIGTRANS_PTX ptx_address(T *pointer) : at((unsigned char *)pointer) {}
  SIGTRANS_PTX ptx_address(unsigned long long number) : at((unsigned char *)number) {}
  SIGTRANS_PTX ptx_address(unsigned long number) : at((unsigned char *)number) {}
  SIGTRANS_PTX ptx_address(long long number) : at((unsigned char *)number) {}
  SIGTRANS_PTX ptx_address(long number) : at((unsigned char *)number) {}
  SIGTRANS_PTX ptx_address operator+(long long bytes) const { return ptx_address(at + bytes); }
  SIGTRANS_PTX ptx_address operator-(long long bytes) const { return ptx_address(at - bytes); }
};

// A 64-bit result: a number, or a pointer, as its variable is.
struct ptx_word {
  unsigned long long bits;
  SIGTRANS_PTX explicit ptx_word(unsigned long long value) : bits(value) {}
  SIGTRANS_PTX operator unsigned long long() const { return bits; }
  template <class T>
  SIGTRANS_PTX operator T *() const {
    return (T *)bits;
  }
};

// Instead of a 32-bit address of shared memory: the generic pointer itself.
SIGTRANS_PTX unsigned char *ptx_shared(const volatile void *pointer) {
  return (unsigned char *)pointer;
}

// --- loads and stores ------------------------------------------------------------------------
// A vector is one access, as in PTX; volatile where the assembly was.

template <class T, int N>
struct ptx_vector {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};

template <class T>
SIGTRANS_PTX T ptx_load(ptx_address from) {
  return *(const T *)from.at;
}
// What "memory" among the clobbers says: the compiler moves no access past this place.
SIGTRANS_PTX void ptx_order() { __asm__ __volatile__("" ::: "memory"); }
template <class T>
SIGTRANS_PTX T ptx_load_volatile(ptx_address from) {
  ptx_order();
  const T value = *(const volatile T *)from.at;
  ptx_order();
  return value;
}
template <class T>
SIGTRANS_PTX void ptx_load2(T &a, T &b, ptx_address from) {
  typedef typename ptx_vector<T, 2>::type V;
  const V v = *(const V *)from.at;
  a = v[0], b = v[1];
}
template <class T>
SIGTRANS_PTX void ptx_load2_volatile(T &a, T &b, ptx_address from) {
  typedef typename ptx_vector<T, 2>::type V;
  ptx_order();
  const V v = *(const volatile V *)from.at;
  ptx_order();
  a = v[0], b = v[1];
}
template <class T>
SIGTRANS_PTX void ptx_load4(T &a, T &b, T &c, T &d, ptx_address from) {
  typedef typename ptx_vector<T, 4>::type V;
  const V v = *(const V *)from.at;
  a = v[0], b = v[1], c = v[2], d = v[3];
}
template <class T>
SIGTRANS_PTX void ptx_load4_volatile(T &a, T &b, T &c, T &d, ptx_address from) {
  typedef typename ptx_vector<T, 4>::type V;
  ptx_order();
  const V v = *(const volatile V *)from.at;
  ptx_order();
  a = v[0], b = v[1], c = v[2], d = v[3];
}
template <class T>
SIGTRANS_PTX void ptx_store(ptx_address to, T value) {
  *(T *)to.at = value;
}
template <class T>
SIGTRANS_PTX void ptx_store_volatile(ptx_address to, T value) {
  ptx_order();
  *(volatile T *)to.at = value;
  ptx_order();
}
template <class T>
SIGTRANS_PTX void ptx_store2(ptx_address to, T a, T b) {
  typedef typename ptx_vector<T, 2>::type V;
  V v = {a, b};
  *(V *)to.at = v;
}
template <class T>
SIGTRANS_PTX void ptx_store2_volatile(ptx_address to, T a, T b) {
  typedef typename ptx_vector<T, 2>::type V;
  V v = {a, b};
  ptx_order();
  *(volatile V *)to.at = v;
  ptx_order();
}
template <class T>
SIGTRANS_PTX void ptx_store4(ptx_address to, T a, T b, T c, T d) {
  typedef typename ptx_vector<T, 4>::type V;
  V v = {a, b, c, d};
  *(V *)to.at = v;
}
template <class T>
SIGTRANS_PTX void ptx_store4_volatile(ptx_address to, T a, T b, T c, T d) {
  typedef typename ptx_vector<T, 4>::type V;
  V v = {a, b, c, d};
  ptx_order();
  *(volatile V *)to.at = v;
  ptx_order();
}

// cp.async: the copy may be done at any time from its issue on, so at once is right. Waits need
// nothing; other threads see the data after the barrier that they need on CUDA as well.
template <int N>
SIGTRANS_PTX void ptx_copy(ptx_address to, ptx_address from) {
  static_assert(N == 4 || N == 8 || N == 16, "cp.async copies 4, 8 or 16 bytes");
  typedef typename ptx_vector<unsigned, N / 4>::type V;
  *(V *)to.at = *(const V *)from.at;
}
// The first `size` bytes are copied, the rest of the N bytes is zero.
template <int N>
SIGTRANS_PTX void ptx_copy_fill(ptx_address to, ptx_address from, unsigned size) {
  static_assert(N == 4 || N == 8 || N == 16, "cp.async copies 4, 8 or 16 bytes");
  typedef typename ptx_vector<unsigned, N / 4>::type V;
  if (size >= (unsigned)N) {
    *(V *)to.at = *(const V *)from.at;
    return;
  }
  V v = {0u};
  for (unsigned n = 0; n < size; ++n) {
    v[n / 4] |= (unsigned)from.at[n] << (n % 4 * 8);
  }
  *(V *)to.at = v;
}

// --- integers --------------------------------------------------------------------------------

SIGTRANS_PTX unsigned long long ptx_mul_wide_u32(unsigned a, unsigned b) {
  return (unsigned long long)a * b;
}
SIGTRANS_PTX long long ptx_mul_wide_s32(int a, int b) { return (long long)a * b; }
SIGTRANS_PTX unsigned ptx_mul_wide_u16(unsigned short a, unsigned short b) {
  return (unsigned)a * b;
}
SIGTRANS_PTX int ptx_mul_wide_s16(short a, short b) { return (int)a * b; }
SIGTRANS_PTX unsigned ptx_mul_hi_u32(unsigned a, unsigned b) {
  return (unsigned)(((unsigned long long)a * b) >> 32);
}
SIGTRANS_PTX int ptx_mul_hi_s32(int a, int b) { return (int)(((long long)a * b) >> 32); }
SIGTRANS_PTX unsigned long long ptx_mul_hi_u64(unsigned long long a, unsigned long long b) {
  const unsigned long long mask = 0xffffffffull;
  const unsigned long long a0 = a & mask, a1 = a >> 32, b0 = b & mask, b1 = b >> 32;
  const unsigned long long low = a0 * b0, x = a1 * b0, y = a0 * b1;
  const unsigned long long middle = (low >> 32) + (x & mask) + (y & mask);
  return a1 * b1 + (x >> 32) + (y >> 32) + (middle >> 32);
}
SIGTRANS_PTX long long ptx_mul_hi_s64(long long a, long long b) {
  unsigned long long high = ptx_mul_hi_u64((unsigned long long)a, (unsigned long long)b);
  if (a < 0) high -= (unsigned long long)b;
  if (b < 0) high -= (unsigned long long)a;
  return (long long)high;
}

template <class T>
SIGTRANS_PTX T ptx_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
SIGTRANS_PTX T ptx_max(T a, T b) {
  return a < b ? b : a;
}

SIGTRANS_PTX int ptx_abs_s32(int a) { return (int)(a < 0 ? 0u - (unsigned)a : (unsigned)a); }
SIGTRANS_PTX long long ptx_abs_s64(long long a) {
  return (long long)(a < 0 ? 0ull - (unsigned long long)a : (unsigned long long)a);
}

// Shifts by the width or more give 0, or the sign.
SIGTRANS_PTX unsigned short ptx_shl_b16(unsigned short a, unsigned n) {
  return n > 15 ? 0 : (unsigned short)(a << n);
}
SIGTRANS_PTX unsigned ptx_shl_b32(unsigned a, unsigned n) { return n > 31 ? 0 : a << n; }
SIGTRANS_PTX unsigned long long ptx_shl_b64(unsigned long long a, unsigned n) {
  return n > 63 ? 0 : a << n;
}
SIGTRANS_PTX unsigned short ptx_shr_u16(unsigned short a, unsigned n) {
  return n > 15 ? 0 : (unsigned short)(a >> n);
}
SIGTRANS_PTX short ptx_shr_s16(short a, unsigned n) { return (short)(a >> (n > 15 ? 15 : n)); }
SIGTRANS_PTX unsigned ptx_shr_u32(unsigned a, unsigned n) { return n > 31 ? 0 : a >> n; }
SIGTRANS_PTX int ptx_shr_s32(int a, unsigned n) { return a >> (n > 31 ? 31 : n); }
SIGTRANS_PTX unsigned long long ptx_shr_u64(unsigned long long a, unsigned n) {
  return n > 63 ? 0 : a >> n;
}
SIGTRANS_PTX long long ptx_shr_s64(long long a, unsigned n) { return a >> (n > 63 ? 63 : n); }

SIGTRANS_PTX unsigned ptx_shf_l_wrap(unsigned a, unsigned b, unsigned c) {
  const unsigned n = c & 31;
  return n ? b << n | a >> (32 - n) : b;
}
SIGTRANS_PTX unsigned ptx_shf_r_wrap(unsigned a, unsigned b, unsigned c) {
  const unsigned n = c & 31;
  return n ? b << (32 - n) | a >> n : a;
}
SIGTRANS_PTX unsigned ptx_shf_l_clamp(unsigned a, unsigned b, unsigned c) {
  return c > 31 ? a : ptx_shf_l_wrap(a, b, c);
}
SIGTRANS_PTX unsigned ptx_shf_r_clamp(unsigned a, unsigned b, unsigned c) {
  return c > 31 ? b : ptx_shf_r_wrap(a, b, c);
}

SIGTRANS_PTX unsigned ptx_clz_b32(unsigned a) {
  unsigned n = 0;
  if (a == 0) return 32;
  if (a >> 16 == 0) n += 16, a <<= 16;
  if (a >> 24 == 0) n += 8, a <<= 8;
  if (a >> 28 == 0) n += 4, a <<= 4;
  if (a >> 30 == 0) n += 2, a <<= 2;
  return n + (a >> 31 == 0);
}
SIGTRANS_PTX unsigned ptx_clz_b64(unsigned long long a) {
  return a >> 32 ? ptx_clz_b32((unsigned)(a >> 32)) : 32 + ptx_clz_b32((unsigned)a);
}
SIGTRANS_PTX unsigned ptx_popc_b32(unsigned a) {
  a -= a >> 1 & 0x55555555u;
  a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
  return ((a + (a >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
SIGTRANS_PTX unsigned ptx_popc_b64(unsigned long long a) {
  return ptx_popc_b32((unsigned)a) + ptx_popc_b32((unsigned)(a >> 32));
}
SIGTRANS_PTX unsigned ptx_brev_b32(unsigned a) {
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
  a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
  return a >> 16 | a << 16;
}
SIGTRANS_PTX unsigned long long ptx_brev_b64(unsigned long long a) {
  return (unsigned long long)ptx_brev_b32((unsigned)a) << 32 | ptx_brev_b32((unsigned)(a >> 32));
}
// Place of the highest bit that is not the sign; all ones when there is none.
SIGTRANS_PTX unsigned ptx_bfind_u32(unsigned a) { return 31u - ptx_clz_b32(a); }
SIGTRANS_PTX unsigned ptx_bfind_s32(int a) { return ptx_bfind_u32((unsigned)(a < 0 ? ~a : a)); }
SIGTRANS_PTX unsigned ptx_bfind_u64(unsigned long long a) { return 63u - ptx_clz_b64(a); }
SIGTRANS_PTX unsigned ptx_bfind_s64(long long a) {
  return ptx_bfind_u64((unsigned long long)(a < 0 ? ~a : a));
}
SIGTRANS_PTX unsigned ptx_bfind_shift_u32(unsigned a) { return a ? ptx_clz_b32(a) : ~0u; }

SIGTRANS_PTX unsigned ptx_bfe_u32(unsigned a, unsigned b, unsigned c) {
  const unsigned at = b & 0xff, size = c & 0xff;
  const unsigned value = ptx_shr_u32(a, at);
  return size > 31 ? value : value & ((1u << size) - 1);
}
SIGTRANS_PTX unsigned long long ptx_bfe_u64(unsigned long long a, unsigned b, unsigned c) {
  const unsigned at = b & 0xff, size = c & 0xff;
  const unsigned long long value = ptx_shr_u64(a, at);
  return size > 63 ? value : value & ((1ull << size) - 1);
}
// The field is filled up with its highest bit; past the register that is the register's.
SIGTRANS_PTX int ptx_bfe_s32(int a, unsigned b, unsigned c) {
  const unsigned at = b & 0xff, size = c & 0xff;
  if (size == 0) return 0;
  if (at + size > 31) return ptx_shr_s32(a, at);
  return (int)((unsigned)a << (32 - at - size)) >> (32 - size);
}
SIGTRANS_PTX long long ptx_bfe_s64(long long a, unsigned b, unsigned c) {
  const unsigned at = b & 0xff, size = c & 0xff;
  if (size == 0) return 0;
  if (at + size > 63) return ptx_shr_s64(a, at);
  return (long long)((unsigned long long)a << (64 - at - size)) >> (64 - size);
}
SIGTRANS_PTX unsigned ptx_bfi_b32(unsigned a, unsigned b, unsigned c, unsigned d) {
  const unsigned at = c & 0xff, size = d & 0xff;
  const unsigned field = ptx_shl_b32(size > 31 ? ~0u : (1u << size) - 1, at);
  return (b & ~field) | (ptx_shl_b32(a, at) & field);
}
SIGTRANS_PTX unsigned long long ptx_bfi_b64(unsigned long long a, unsigned long long b,
                                            unsigned c, unsigned d) {
  const unsigned at = c & 0xff, size = d & 0xff;
  const unsigned long long field = ptx_shl_b64(size > 63 ? ~0ull : (1ull << size) - 1, at);
  return (b & ~field) | (ptx_shl_b64(a, at) & field);
}

// Every nibble of `selector` names a byte of b:a; its top bit spreads that byte's sign.
SIGTRANS_PTX unsigned ptx_prmt(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned result = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const unsigned how = selector >> (4 * n);
    unsigned byte = (unsigned)(both >> (8 * (how & 7))) & 0xff;
    if (how & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * n);
  }
  return result;
}
// Any function of three bits: bit 4a+2b+c of the table.
SIGTRANS_PTX unsigned ptx_lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  if (table & 0x01) result |= ~a & ~b & ~c;
  if (table & 0x02) result |= ~a & ~b & c;
  if (table & 0x04) result |= ~a & b & ~c;
  if (table & 0x08) result |= ~a & b & c;
  if (table & 0x10) result |= a & ~b & ~c;
  if (table & 0x20) result |= a & ~b & c;
  if (table & 0x40) result |= a & b & ~c;
  if (table & 0x80) result |= a & b & c;
  return result;
}

// Sums and differences that hand on a carry.
SIGTRANS_PTX unsigned ptx_add_cc(unsigned a, unsigned b, unsigned &carry) {
  const unsigned sum = a + b;
  carry = sum < a;
  return sum;
}
SIGTRANS_PTX unsigned ptx_addc_cc(unsigned a, unsigned b, unsigned &carry) {
  const unsigned long long sum = (unsigned long long)a + b + carry;
  carry = (unsigned)(sum >> 32);
  return (unsigned)sum;
}
SIGTRANS_PTX unsigned ptx_sub_cc(unsigned a, unsigned b, unsigned &borrow) {
  borrow = a < b;
  return a - b;
}
SIGTRANS_PTX unsigned ptx_subc_cc(unsigned a, unsigned b, unsigned &borrow) {
  const unsigned long long difference = (unsigned long long)a - b - borrow;
  borrow = (unsigned)(difference >> 63);
  return (unsigned)difference;
}
SIGTRANS_PTX unsigned long long ptx_add_cc(unsigned long long a, unsigned long long b,
                                           unsigned &carry) {
  const unsigned long long sum = a + b;
  carry = sum < a;
  return sum;
}
SIGTRANS_PTX unsigned long long ptx_addc_cc(unsigned long long a, unsigned long long b,
                                            unsigned &carry) {
  const unsigned long long sum = a + b, all = sum + carry;
  carry = (sum < a) | (all < sum);
  return all;
}
SIGTRANS_PTX unsigned long long ptx_sub_cc(unsigned long long a, unsigned long long b,
                                           unsigned &borrow) {
  borrow = a < b;
  return a - b;
}
SIGTRANS_PTX unsigned long long ptx_subc_cc(unsigned long long a, unsigned long long b,
                                            unsigned &borrow) {
  const unsigned long long difference = a - b, all = difference - borrow;
  borrow = (a < b) | (difference < borrow);
  return all;
}

SIGTRANS_PTX unsigned ptx_sad_u32(unsigned a, unsigned b, unsigned c) {
  return c + (a < b ? b - a : a - b);
}
SIGTRANS_PTX unsigned ptx_sad_s32(int a, int b, unsigned c) {
  return c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}
SIGTRANS_PTX unsigned ptx_vabsdiff4_add(unsigned a, unsigned b, unsigned c) {
  for (unsigned n = 0; n < 32; n += 8) c = ptx_sad_u32(a >> n & 0xff, b >> n & 0xff, c);
  return c;
}
template <class A, class B>
SIGTRANS_PTX unsigned ptx_dp4a(unsigned a, unsigned b, unsigned c) {
  for (unsigned n = 0; n < 32; n += 8) c += (unsigned)((int)(A)(a >> n) * (int)(B)(b >> n));
  return c;
}

// --- halves, as their bits -------------------------------------------------------------------

SIGTRANS_PTX float ptx_from_half(unsigned short half) {
  const unsigned sign = (half & 0x8000u) << 16, rest = half & 0x7fffu;
  if (rest >= 0x7c00u) return ptx_float(sign | 0x7f800000u | (rest & 0x3ff) << 13);
  const float value = rest < 0x400 ? (float)rest * 5.9604644775390625e-08f  // 2^-24
                                   : ptx_float((rest << 13) + (112u << 23));
  return ptx_float(ptx_bits(value) | sign);
}
// To nearest, ties to even.
SIGTRANS_PTX unsigned short ptx_to_half(float value) {
  const unsigned bits = ptx_bits(value), x = bits & 0x7fffffffu;
  const unsigned sign = bits >> 16 & 0x8000u;
  if (x > 0x7f800000u) return 0x7fff;
  if (x >= 0x47800000u) return (unsigned short)(sign | 0x7c00u);
  if (x >= 0x38800000u) {
    return (unsigned short)(sign | (x - (112u << 23) + 0xfffu + (x >> 13 & 1)) >> 13);
  }
  const unsigned shift = 126 - (x >> 23);
  if (shift > 24) return (unsigned short)sign;
  const unsigned whole = (x & 0x7fffffu) | 0x800000u;
  unsigned result = whole >> shift;
  const unsigned rest = whole & ((1u << shift) - 1), tie = 1u << (shift - 1);
  result += rest > tie || (rest == tie && (result & 1));
  return (unsigned short)(sign | result);
}
SIGTRANS_PTX float ptx_from_bf16(unsigned short value) { return ptx_float((unsigned)value << 16); }
SIGTRANS_PTX unsigned short ptx_to_bf16(float value) {
  const unsigned bits = ptx_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
SIGTRANS_PTX unsigned ptx_pair(unsigned short low, unsigned short high) {
  return (unsigned)high << 16 | low;
}
SIGTRANS_PTX unsigned short ptx_low(unsigned pair) { return (unsigned short)pair; }
SIGTRANS_PTX unsigned short ptx_high(unsigned pair) { return (unsigned short)(pair >> 16); }

// A float holds the exact sum of two halves closely enough (24 >= 2 * 11 + 2 bits) that rounding
// it again gives the rounded sum; their product it holds exactly.
SIGTRANS_PTX unsigned short ptx_add_f16(unsigned short a, unsigned short b) {
  return ptx_to_half(ptx_from_half(a) + ptx_from_half(b));
}
SIGTRANS_PTX unsigned short ptx_sub_f16(unsigned short a, unsigned short b) {
  return ptx_to_half(ptx_from_half(a) - ptx_from_half(b));
}
SIGTRANS_PTX unsigned short ptx_mul_f16(unsigned short a, unsigned short b) {
  return ptx_to_half(ptx_from_half(a) * ptx_from_half(b));
}
// The sum of product and c is rounded to odd first, so that rounding again does no harm.
SIGTRANS_PTX unsigned short ptx_fma_f16(unsigned short a, unsigned short b, unsigned short c) {
#if defined(__clang__)
#pragma clang fp reassociate(off)
#endif
  const float product = ptx_from_half(a) * ptx_from_half(b), addend = ptx_from_half(c);
  const float sum = product + addend;
  if ((ptx_bits(sum) & 0x7f800000u) == 0x7f800000u) return ptx_to_half(sum);
  const float part = sum - product;
  const float lost = (product - (sum - part)) + (addend - part);
  unsigned bits = ptx_bits(sum);
  if (lost != 0.0f && !(bits & 1)) bits += (lost > 0.0f) == (sum > 0.0f) ? 1u : ~0u;
  return ptx_to_half(ptx_float(bits));
}
// A number beats NaN, +0 is above -0.
template <int Exponent>
SIGTRANS_PTX unsigned short ptx_max_16(unsigned short a, unsigned short b) {
  const bool a_nan = (a & 0x7fff) > Exponent, b_nan = (b & 0x7fff) > Exponent;
  if (a_nan) return b_nan ? (unsigned short)0x7fff : b;
  if (b_nan) return a;
  const int x = a & 0x8000 ? -1 - (a & 0x7fff) : a, y = b & 0x8000 ? -1 - (b & 0x7fff) : b;
  return x < y ? b : a;
}
template <int Exponent>
SIGTRANS_PTX unsigned short ptx_min_16(unsigned short a, unsigned short b) {
  const bool a_nan = (a & 0x7fff) > Exponent, b_nan = (b & 0x7fff) > Exponent;
  if (a_nan) return b_nan ? (unsigned short)0x7fff : b;
  if (b_nan) return a;
  const int x = a & 0x8000 ? -1 - (a & 0x7fff) : a, y = b & 0x8000 ? -1 - (b & 0x7fff) : b;
  return y < x ? b : a;
}
SIGTRANS_PTX unsigned short ptx_max_f16(unsigned short a, unsigned short b) {
  return ptx_max_16<0x7c00>(a, b);
}
SIGTRANS_PTX unsigned short ptx_min_f16(unsigned short a, unsigned short b) {
  return ptx_min_16<0x7c00>(a, b);
}
SIGTRANS_PTX unsigned short ptx_max_bf16(unsigned short a, unsigned short b) {
  return ptx_max_16<0x7f80>(a, b);
}
SIGTRANS_PTX unsigned short ptx_min_bf16(unsigned short a, unsigned short b) {
  return ptx_min_16<0x7f80>(a, b);
}
#define SIGTRANS_PTX_PAIRS(name, one) \
  SIGTRANS_PTX unsigned name(unsigned a, unsigned b) { \
    return ptx_pair(one(ptx_low(a), ptx_low(b)), one(ptx_high(a), ptx_high(b))); \
  }
SIGTRANS_PTX_PAIRS(ptx_add_f16x2, ptx_add_f16)
SIGTRANS_PTX_PAIRS(ptx_sub_f16x2, ptx_sub_f16)
SIGTRANS_PTX_PAIRS(ptx_mul_f16x2, ptx_mul_f16)
SIGTRANS_PTX_PAIRS(ptx_max_f16x2, ptx_max_f16)
SIGTRANS_PTX_PAIRS(ptx_min_f16x2, ptx_min_f16)
SIGTRANS_PTX_PAIRS(ptx_max_bf16x2, ptx_max_bf16)
SIGTRANS_PTX_PAIRS(ptx_min_bf16x2, ptx_min_bf16)
#undef SIGTRANS_PTX_PAIRS
SIGTRANS_PTX unsigned ptx_fma_f16x2(unsigned a, unsigned b, unsigned c) {
  return ptx_pair(ptx_fma_f16(ptx_low(a), ptx_low(b), ptx_low(c)),
                  ptx_fma_f16(ptx_high(a), ptx_high(b), ptx_high(c)));
}
// The first operand of cvt goes to the upper half.
SIGTRANS_PTX unsigned ptx_to_half2(float high, float low) {
  return ptx_pair(ptx_to_half(low), ptx_to_half(high));
}
SIGTRANS_PTX unsigned ptx_to_bf162(float high, float low) {
  return ptx_pair(ptx_to_bf16(low), ptx_to_bf16(high));
}
// .relu: what is below zero becomes zero, NaN the canonical NaN.
SIGTRANS_PTX unsigned short ptx_relu(unsigned short value) {
  return value & 0x8000 ? (unsigned short)0 : value;
}
SIGTRANS_PTX unsigned ptx_relu2(unsigned pair) {
  return ptx_pair(ptx_relu(ptx_low(pair)), ptx_relu(ptx_high(pair)));
}
// set: all ones in the half where the comparison holds. Kind 0: ==, 1: <, 2: <=; unordered: also
// where one of the two is NaN.
template <int Kind, bool Unordered>
SIGTRANS_PTX unsigned short ptx_set_f16(unsigned short a, unsigned short b) {
  const float x = ptx_from_half(a), y = ptx_from_half(b);
  const bool nan = (a & 0x7fff) > 0x7c00 || (b & 0x7fff) > 0x7c00;
  const bool holds = Kind == 0 ? x == y : Kind == 1 ? x < y : x <= y;
  return (nan ? Unordered : holds) ? (unsigned short)0xffff : (unsigned short)0;
}
template <int Kind, bool Unordered>
SIGTRANS_PTX unsigned ptx_set_f16x2(unsigned a, unsigned b) {
  return ptx_pair(ptx_set_f16<Kind, Unordered>(ptx_low(a), ptx_low(b)),
                  ptx_set_f16<Kind, Unordered>(ptx_high(a), ptx_high(b)));
}

// --- floats ----------------------------------------------------------------------------------

SIGTRANS_PTX float ptx_max_f32(float a, float b) {
  const bool a_nan = (ptx_bits(a) & 0x7fffffffu) > 0x7f800000u;
  const bool b_nan = (ptx_bits(b) & 0x7fffffffu) > 0x7f800000u;
  if (a_nan) return b_nan ? ptx_float(0x7fffffffu) : b;
  if (b_nan) return a;
  if (a == b) return ptx_float(ptx_bits(a) & ptx_bits(b));  // +0 is above -0
  return a < b ? b : a;
}
SIGTRANS_PTX float ptx_min_f32(float a, float b) {
  const bool a_nan = (ptx_bits(a) & 0x7fffffffu) > 0x7f800000u;
  const bool b_nan = (ptx_bits(b) & 0x7fffffffu) > 0x7f800000u;
  if (a_nan) return b_nan ? ptx_float(0x7fffffffu) : b;
  if (b_nan) return a;
  if (a == b) return ptx_float(ptx_bits(a) | ptx_bits(b));
  return b < a ? b : a;
}
SIGTRANS_PTX float ptx_abs_f32(float a) { return ptx_float(ptx_bits(a) & 0x7fffffffu); }
SIGTRANS_PTX float ptx_neg_f32(float a) { return ptx_float(ptx_bits(a) ^ 0x80000000u); }

// Floats to integers by bits: the result is the nearest value of the type, NaN gives 0, or for
// 64 bits the type's highest bit (PTX ISA, cvt).
template <int Rounding>  // 0: to nearest, ties to even, 1: to zero, 2: down, 3: up
SIGTRANS_PTX unsigned long long ptx_whole(float value, bool &negative, bool &over) {
  const unsigned bits = ptx_bits(value), exponent = bits >> 23 & 0xff;
  negative = bits >> 31;
  over = exponent >= 127 + 64;
  if (over) return 0;
  const unsigned long long mantissa = (bits & 0x7fffffu) | (exponent ? 0x800000u : 0);
  if (exponent >= 150) return mantissa << (exponent - 150);
  const unsigned shift = 150 - exponent;
  unsigned long long whole = shift > 24 ? 0 : mantissa >> shift;
  const unsigned long long rest = shift > 24 ? mantissa : mantissa & ((1ull << shift) - 1);
  const unsigned long long tie = shift > 25 ? ~0ull : 1ull << (shift - 1);
  if (Rounding == 0) whole += rest > tie || (rest == tie && (whole & 1));
  if (Rounding == 2) whole += rest != 0 && negative;
  if (Rounding == 3) whole += rest != 0 && !negative;
  return whole;
}
template <int Rounding>
SIGTRANS_PTX long long ptx_to_signed(float value, int bits) {
  const long long most = (long long)((1ull << (bits - 1)) - 1);
  if ((ptx_bits(value) & 0x7fffffffu) > 0x7f800000u) return bits == 64 ? -most - 1 : 0;
  bool negative, over;
  const unsigned long long whole = ptx_whole<Rounding>(value, negative, over);
  if (over || whole > (unsigned long long)most) {
    return negative ? -most - 1 : most;
  }
  return negative ? -(long long)whole : (long long)whole;
}
template <int Rounding>
SIGTRANS_PTX unsigned long long ptx_to_unsigned(float value, int bits) {
  const unsigned long long most = bits == 64 ? ~0ull : (1ull << bits) - 1;
  if ((ptx_bits(value) & 0x7fffffffu) > 0x7f800000u) return bits == 64 ? 1ull << 63 : 0;
  bool negative, over;
  const unsigned long long whole = ptx_whole<Rounding>(value, negative, over);
  if (negative) return 0;
  return over || whole > most ? most : whole;
}
SIGTRANS_PTX long long ptx_saturate(long long value, long long least, long long most) {
  return value < least ? least : value > most ? most : value;
}
// tf32: 10 bits of mantissa, to nearest, ties away from zero.
SIGTRANS_PTX unsigned ptx_to_tf32(float value) {
  const unsigned bits = ptx_bits(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return bits;
  return (bits + 0x1000u) & ~0x1fffu;
}

// --- threads and memory order ----------------------------------------------------------------

// The kernels are written for 32 lanes; a hardware warp of mp_21 and mp_22 holds four such groups.
SIGTRANS_PTX unsigned ptx_laneid() { return (unsigned)__get_laneid() & 31u; }
SIGTRANS_PTX unsigned ptx_lanemask_eq() { return 1u << ptx_laneid(); }
SIGTRANS_PTX unsigned ptx_lanemask_lt() { return (1u << ptx_laneid()) - 1u; }
SIGTRANS_PTX unsigned ptx_lanemask_le() { return (2u << ptx_laneid()) - 1u; }
SIGTRANS_PTX unsigned ptx_lanemask_gt() { return ~((2u << ptx_laneid()) - 1u); }
SIGTRANS_PTX unsigned ptx_lanemask_ge() { return ~((1u << ptx_laneid()) - 1u); }

SIGTRANS_PTX void ptx_fence_cta() { __threadfence_block(); }
SIGTRANS_PTX void ptx_fence_gpu() { __threadfence(); }
SIGTRANS_PTX void ptx_fence_sys() { __threadfence_system(); }

#define SIGTRANS_PTX_SCOPE(scope) \
  template <class T> \
  SIGTRANS_PTX T ptx_load_acquire_##scope(ptx_address from) { \
    const T value = ptx_load_volatile<T>(from); \
    ptx_fence_##scope(); \
    return value; \
  } \
  template <class T> \
  SIGTRANS_PTX void ptx_store_release_##scope(ptx_address to, T value) { \
    ptx_fence_##scope(); \
    ptx_store_volatile<T>(to, value); \
  }
SIGTRANS_PTX_SCOPE(cta)
SIGTRANS_PTX_SCOPE(gpu)
SIGTRANS_PTX_SCOPE(sys)
#undef SIGTRANS_PTX_SCOPE

}  // namespace sigtrans

#endif
