// mma.sync, ldmatrix, stmatrix and movmatrix of PTX without matrix units. Written by sigtrans.
// sigtrans: skip-file
//
// Each function takes the registers of the instruction in its order and follows the layouts that
// the PTX manual gives (with g = lane / 4 and t = lane % 4):
//   C, D  registers 0, 1 hold row g, columns 2t and 2t+1; registers 2, 3 row g+8.
//   A     a register holds p = 32 / bits neighbours in k. Block j of k spans 4p columns; registers
//         2j and 2j+1 hold rows g and g+8, columns 4p*j + p*t and on.
//   B     register j holds column g, rows 4p*j + p*t and on.
// Sums start with C and go in order of k, in float for the small float types, so last bits differ
// from matrix units; f16 results are rounded once, at the end. All 32 lanes must take part, as in
// PTX. Exchange is by __shfl_sync with an explicit width of 32, of 32-bit and 64-bit values, which
// the vendor's page on warp functions lists for every card.
// Addresses are ordinary (generic) pointers, not offsets into shared memory.
#pragma once

#if defined(__MUSACC__) || defined(__CUDACC__) || defined(SIGTRANS_HOST_TEST)

#ifndef SIGTRANS_HOST_TEST
#include <musa_fp16.h>
#endif

namespace sigtrans {
namespace mma {

__device__ __forceinline__ int lane() {
  return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) &
                          31u);
}

template <class T>
__device__ __forceinline__ T from_lane(T value, int source) {
  return __shfl_sync(0xffffffffu, value, source, 32);
}

template <class To, class From>
__device__ __forceinline__ To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "a register keeps its size");
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

// --- what the bits of a register mean -----------------------------------------------------------

struct f16 {
  typedef unsigned reg;
  enum { count = 2 };
  static __device__ __forceinline__ float get(unsigned r, int e) {
    return __half2float(same_bits<__half>(static_cast<unsigned short>(r >> (16 * e))));
  }
};

struct bf16 {
  typedef unsigned reg;
  enum { count = 2 };
  static __device__ __forceinline__ float get(unsigned r, int e) {
    return same_bits<float>(e ? r & 0xffff0000u : r << 16);
  }
};

struct tf32 {  // the low 13 bits do not count
  typedef unsigned reg;
  enum { count = 1 };
  static __device__ __forceinline__ float get(unsigned r, int) {
    return same_bits<float>(r & 0xffffe000u);
  }
};

struct e5m2 {  // the upper half of an f16
  typedef unsigned reg;
  enum { count = 4 };
  static __device__ __forceinline__ float get(unsigned r, int e) {
    const unsigned short bits = static_cast<unsigned short>((r >> (8 * e) & 0xffu) << 8);
    return __half2float(same_bits<__half>(bits));
  }
};

struct e4m3 {  // no infinity, NaN is all ones
  typedef unsigned reg;
  enum { count = 4 };
  static __device__ __forceinline__ float get(unsigned r, int e) {
    const unsigned bits = r >> (8 * e), magnitude = bits & 0x7fu, sign = (bits & 0x80u) << 24;
    const unsigned normal = magnitude == 0x7fu ? 0x7fffffffu : (magnitude << 20) + (120u << 23);
    const unsigned tiny = same_bits<unsigned>(static_cast<float>(magnitude) * 0.001953125f);
    return same_bits<float>(sign | (magnitude < 8u ? tiny : normal));
  }
};

struct s8 {
  typedef unsigned reg;
  enum { count = 4 };
  static __device__ __forceinline__ int get(unsigned r, int e) {
    return static_cast<signed char>(r >> (8 * e) & 0xffu);
  }
};

struct u8 {
  typedef unsigned reg;
  enum { count = 4 };
  static __device__ __forceinline__ int get(unsigned r, int e) {
    return static_cast<int>(r >> (8 * e) & 0xffu);
  }
};

struct f64 {
  typedef double reg;
  enum { count = 1 };
  static __device__ __forceinline__ double get(double r, int) { return r; }
};

// --- sums and results ---------------------------------------------------------------------------

typedef unsigned wrapping;     // integer sums that overflow wrap
typedef long long saturating;  // or stay at the end of the range of s32

__device__ __forceinline__ void add(float& sum, float a, float b) { sum += a * b; }
__device__ __forceinline__ void add(double& sum, double a, double b) { sum += a * b; }
__device__ __forceinline__ void add(wrapping& sum, int a, int b) {
  sum += static_cast<unsigned>(a * b);
}
__device__ __forceinline__ void add(saturating& sum, int a, int b) { sum += a * b; }

__device__ __forceinline__ unsigned finish(wrapping v) { return v; }
__device__ __forceinline__ unsigned finish(saturating v) {
  const long long most = 2147483647LL, least = -most - 1;
  return static_cast<unsigned>(static_cast<int>(v > most ? most : v < least ? least : v));
}

__device__ __forceinline__ unsigned pack(float low, float high) {
  return same_bits<unsigned short>(__float2half_rn(low)) |
         static_cast<unsigned>(same_bits<unsigned short>(__float2half_rn(high))) << 16;
}

// acc += A * B, where A has 8 * Rows rows, B has 8 columns, and k spans `Blocks` blocks.
template <class A, class B, int Rows, int Blocks, class Sum>
__device__ __forceinline__ void multiply(Sum (&acc)[2 * Rows],
                                         const typename A::reg (&a)[Rows * Blocks],
                                         const typename B::reg (&b)[Blocks]) {
  static_assert(static_cast<int>(A::count) == static_cast<int>(B::count), "same size of elements");
  const int me = lane(), quad = me & 28, column = 8 * (me & 3);
#pragma unroll
  for (int j = 0; j < Blocks; ++j) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      typename A::reg rows[Rows];
#pragma unroll
      for (int r = 0; r < Rows; ++r) rows[r] = from_lane(a[Rows * j + r], quad + q);
      const typename B::reg even = from_lane(b[j], column + q);
      const typename B::reg odd = from_lane(b[j], column + 4 + q);
#pragma unroll
      for (int e = 0; e < A::count; ++e) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
          add(acc[2 * r], A::get(rows[r], e), B::get(even, e));
          add(acc[2 * r + 1], A::get(rows[r], e), B::get(odd, e));
        }
      }
    }
  }
}

}  // namespace mma

// --- mma.sync, one function per form of the registers -------------------------------------------

// m16n8, float result, A in 4 registers and B in 2: k is 8 (tf32), 16 (f16, bf16), 32 (8 bits).
template <class A, class B>
__device__ __forceinline__ void mma_m16n8_f32(float& d0, float& d1, float& d2, float& d3,
                                              unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                              unsigned b0, unsigned b1, float c0, float c1,
                                              float c2, float c3) {
  const unsigned a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};
  float acc[4] = {c0, c1, c2, c3};
  mma::multiply<A, B, 2, 2>(acc, a, b);
  d0 = acc[0], d1 = acc[1], d2 = acc[2], d3 = acc[3];
}

// The same with A in 2 registers and B in 1: half the k.
template <class A, class B>
__device__ __forceinline__ void mma_m16n8_f32(float& d0, float& d1, float& d2, float& d3,
                                              unsigned a0, unsigned a1, unsigned b0, float c0,
                                              float c1, float c2, float c3) {
  const unsigned a[2] = {a0, a1}, b[1] = {b0};
  float acc[4] = {c0, c1, c2, c3};
  mma::multiply<A, B, 2, 1>(acc, a, b);
  d0 = acc[0], d1 = acc[1], d2 = acc[2], d3 = acc[3];
}

// m16n8 with f16 results, two in a register.
template <class A, class B>
__device__ __forceinline__ void mma_m16n8_f16(unsigned& d0, unsigned& d1, unsigned a0, unsigned a1,
                                              unsigned a2, unsigned a3, unsigned b0, unsigned b1,
                                              unsigned c0, unsigned c1) {
  const unsigned a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};
  float acc[4] = {mma::f16::get(c0, 0), mma::f16::get(c0, 1), mma::f16::get(c1, 0),
                  mma::f16::get(c1, 1)};
  mma::multiply<A, B, 2, 2>(acc, a, b);
  d0 = mma::pack(acc[0], acc[1]);
  d1 = mma::pack(acc[2], acc[3]);
}

template <class A, class B>
__device__ __forceinline__ void mma_m16n8_f16(unsigned& d0, unsigned& d1, unsigned a0, unsigned a1,
                                              unsigned b0, unsigned c0, unsigned c1) {
  const unsigned a[2] = {a0, a1}, b[1] = {b0};
  float acc[4] = {mma::f16::get(c0, 0), mma::f16::get(c0, 1), mma::f16::get(c1, 0),
                  mma::f16::get(c1, 1)};
  mma::multiply<A, B, 2, 1>(acc, a, b);
  d0 = mma::pack(acc[0], acc[1]);
  d1 = mma::pack(acc[2], acc[3]);
}

// 8-bit integers; Sum is mma::wrapping, or mma::saturating for the forms with .satfinite.
// m16n8, A in 4 registers and B in 2: k is 32.
template <class A, class B, class Sum>
__device__ __forceinline__ void mma_m16n8_s32(unsigned& d0, unsigned& d1, unsigned& d2,
                                              unsigned& d3, unsigned a0, unsigned a1, unsigned a2,
                                              unsigned a3, unsigned b0, unsigned b1, int c0, int c1,
                                              int c2, int c3) {
  const unsigned a[4] = {a0, a1, a2, a3}, b[2] = {b0, b1};
  Sum acc[4] = {static_cast<Sum>(c0), static_cast<Sum>(c1), static_cast<Sum>(c2),
                static_cast<Sum>(c3)};
  mma::multiply<A, B, 2, 2>(acc, a, b);
  d0 = mma::finish(acc[0]), d1 = mma::finish(acc[1]);
  d2 = mma::finish(acc[2]), d3 = mma::finish(acc[3]);
}

// m16n8k16: A in 2 registers and B in 1.
template <class A, class B, class Sum>
__device__ __forceinline__ void mma_m16n8_s32(unsigned& d0, unsigned& d1, unsigned& d2,
                                              unsigned& d3, unsigned a0, unsigned a1, unsigned b0,
                                              int c0, int c1, int c2, int c3) {
  const unsigned a[2] = {a0, a1}, b[1] = {b0};
  Sum acc[4] = {static_cast<Sum>(c0), static_cast<Sum>(c1), static_cast<Sum>(c2),
                static_cast<Sum>(c3)};
  mma::multiply<A, B, 2, 1>(acc, a, b);
  d0 = mma::finish(acc[0]), d1 = mma::finish(acc[1]);
  d2 = mma::finish(acc[2]), d3 = mma::finish(acc[3]);
}

template <class A, class B, class Sum>
__device__ __forceinline__ void mma_m8n8k16_s32(unsigned& d0, unsigned& d1, unsigned a0,
                                                unsigned b0, int c0, int c1) {
  const unsigned a[1] = {a0}, b[1] = {b0};
  Sum acc[2] = {static_cast<Sum>(c0), static_cast<Sum>(c1)};
  mma::multiply<A, B, 1, 1>(acc, a, b);
  d0 = mma::finish(acc[0]), d1 = mma::finish(acc[1]);
}

__device__ __forceinline__ void mma_m8n8k4_f64(double& d0, double& d1, double a0, double b0,
                                               double c0, double c1) {
  const double a[1] = {a0}, b[1] = {b0};
  double acc[2] = {c0, c1};
  mma::multiply<mma::f64, mma::f64, 1, 1>(acc, a, b);
  d0 = acc[0], d1 = acc[1];
}

// --- ldmatrix, stmatrix, movmatrix --------------------------------------------------------------

namespace mma {

// Row r of matrix i starts at the address that lane 8i + r passes; a row is 8 values of 16 bits.
__device__ __forceinline__ char* row_address(const void* mine, int matrix, int row) {
  const unsigned long long bits = reinterpret_cast<unsigned long long>(mine);
  return reinterpret_cast<char*>(from_lane(bits, 8 * matrix + row));
}

__device__ __forceinline__ void load_rows(unsigned& r, int matrix, const void* address) {
  const int me = lane();
  const char* row = row_address(address, matrix, me >> 2);
  r = *reinterpret_cast<const unsigned*>(row + 4 * (me & 3));
}

__device__ __forceinline__ void load_columns(unsigned& r, int matrix, const void* address) {
  const int me = lane(), row = 2 * (me & 3), column = 2 * (me >> 2);
  const char* low = row_address(address, matrix, row) + column;
  const char* high = row_address(address, matrix, row + 1) + column;
  r = *reinterpret_cast<const unsigned short*>(low) |
      static_cast<unsigned>(*reinterpret_cast<const unsigned short*>(high)) << 16;
}

__device__ __forceinline__ void store_rows(const void* address, int matrix, unsigned r) {
  const int me = lane();
  *reinterpret_cast<unsigned*>(row_address(address, matrix, me >> 2) + 4 * (me & 3)) = r;
}

__device__ __forceinline__ void store_columns(const void* address, int matrix, unsigned r) {
  const int me = lane(), row = 2 * (me & 3), column = 2 * (me >> 2);
  char* low = row_address(address, matrix, row) + column;
  char* high = row_address(address, matrix, row + 1) + column;
  *reinterpret_cast<unsigned short*>(low) = static_cast<unsigned short>(r & 0xffffu);
  *reinterpret_cast<unsigned short*>(high) = static_cast<unsigned short>(r >> 16);
}

}  // namespace mma

// The lanes meet first, so that all see what one of them stored before.
__device__ __forceinline__ void ldmatrix_x1(unsigned& r0, const void* address) {
  __syncwarp();
  mma::load_rows(r0, 0, address);
}

__device__ __forceinline__ void ldmatrix_x2(unsigned& r0, unsigned& r1, const void* address) {
  __syncwarp();
  mma::load_rows(r0, 0, address);
  mma::load_rows(r1, 1, address);
}

__device__ __forceinline__ void ldmatrix_x4(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3,
                                            const void* address) {
  __syncwarp();
  mma::load_rows(r0, 0, address);
  mma::load_rows(r1, 1, address);
  mma::load_rows(r2, 2, address);
  mma::load_rows(r3, 3, address);
}

__device__ __forceinline__ void ldmatrix_x1_trans(unsigned& r0, const void* address) {
  __syncwarp();
  mma::load_columns(r0, 0, address);
}

__device__ __forceinline__ void ldmatrix_x2_trans(unsigned& r0, unsigned& r1, const void* address) {
  __syncwarp();
  mma::load_columns(r0, 0, address);
  mma::load_columns(r1, 1, address);
}

__device__ __forceinline__ void ldmatrix_x4_trans(unsigned& r0, unsigned& r1, unsigned& r2,
                                                  unsigned& r3, const void* address) {
  __syncwarp();
  mma::load_columns(r0, 0, address);
  mma::load_columns(r1, 1, address);
  mma::load_columns(r2, 2, address);
  mma::load_columns(r3, 3, address);
}

// The lanes meet before, so that none of them still reads, and after, so that all see the stores.
__device__ __forceinline__ void stmatrix_x1(const void* address, unsigned r0) {
  __syncwarp();
  mma::store_rows(address, 0, r0);
  __syncwarp();
}

__device__ __forceinline__ void stmatrix_x2(const void* address, unsigned r0, unsigned r1) {
  __syncwarp();
  mma::store_rows(address, 0, r0);
  mma::store_rows(address, 1, r1);
  __syncwarp();
}

__device__ __forceinline__ void stmatrix_x4(const void* address, unsigned r0, unsigned r1,
                                            unsigned r2, unsigned r3) {
  __syncwarp();
  mma::store_rows(address, 0, r0);
  mma::store_rows(address, 1, r1);
  mma::store_rows(address, 2, r2);
  mma::store_rows(address, 3, r3);
  __syncwarp();
}

__device__ __forceinline__ void stmatrix_x1_trans(const void* address, unsigned r0) {
  __syncwarp();
  mma::store_columns(address, 0, r0);
  __syncwarp();
}

__device__ __forceinline__ void stmatrix_x2_trans(const void* address, unsigned r0, unsigned r1) {
  __syncwarp();
  mma::store_columns(address, 0, r0);
  mma::store_columns(address, 1, r1);
  __syncwarp();
}

__device__ __forceinline__ void stmatrix_x4_trans(const void* address, unsigned r0, unsigned r1,
                                                  unsigned r2, unsigned r3) {
  __syncwarp();
  mma::store_columns(address, 0, r0);
  mma::store_columns(address, 1, r1);
  mma::store_columns(address, 2, r2);
  mma::store_columns(address, 3, r3);
  __syncwarp();
}

// Transposes an 8x8 matrix of 16-bit values that lies in the registers of the warp.
__device__ __forceinline__ void movmatrix_trans(unsigned& d, unsigned a) {
  const int me = mma::lane(), row = 2 * (me & 3), column = me >> 2;
  const unsigned low = mma::from_lane(a, 4 * row + (column >> 1));
  const unsigned high = mma::from_lane(a, 4 * (row + 1) + (column >> 1));
  const int shift = 16 * (column & 1);
  d = (low >> shift & 0xffffu) | (high >> shift & 0xffffu) << 16;
}

}  // namespace sigtrans

#endif
