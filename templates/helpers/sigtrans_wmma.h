// nvcuda::wmma for cards whose matrix units cannot do what the code asks for. Written by sigtrans.
// sigtrans: skip-file
//
// sigtrans::emulated::wmma has the interface of nvcuda::wmma and computes with plain arithmetic:
// the same products, summed in order of k in float (int, double for those types), rounded once at
// the end. Last bits differ from matrix units, and it is many times slower than they are.
//
// sigtrans::per_card::wmma is mtmusa::wmma on mp_31 and the emulation elsewhere. sigtrans chooses
// it only where every fragment of a file is 16x16x16, half or bfloat16 with float accumulators,
// which is what kernels in public code use of mtmusa::wmma. On mp_22 its operations need all 128
// lanes of a hardware warp together, so code written for warps of 32 gets the emulation there.
// The host pass always sees the emulation: a fragment cannot be a template argument of a kernel.
//
// Layout (any is right as long as it stays inside this header, CUDA leaves it open): the 32 lanes
// form 4 rows of 8. Lane l owns the accumulator elements of rows l/8, l/8+4, ... and columns l%8,
// l%8+8, ..., row after row, each element in one lane. A matrix_a fragment holds these whole rows,
// a matrix_b fragment these whole columns, so that mma_sync reads nothing of other lanes. Elements
// of matrix_a and matrix_b are therefore held by several lanes each.
#pragma once

#if defined(__MUSACC__) || defined(__CUDACC__) || defined(SIGTRANS_HOST_TEST)

#include <cstddef>

#ifndef SIGTRANS_HOST_TEST
#include <musa_fp16.h>
#if !defined(__MUSA_ARCH__) || __MUSA_ARCH__ >= 220  // mp_21 has no bfloat16
#include <musa_bf16.h>
#define SIGTRANS_WMMA_BF16
#endif
#if defined(__MUSA_ARCH__) && __MUSA_ARCH__ == 310
#include <mma.h>
#define SIGTRANS_WMMA_UNITS
#endif
#endif

namespace sigtrans {
namespace emulated {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {};
}  // namespace precision

namespace emulation {

// How an element is kept in a fragment, and the type it is multiplied and summed in.
template <class T>
struct element;

template <>
struct element<float> {
  typedef float stored;
  typedef float sum;
  static __device__ __forceinline__ float widen(float v) { return v; }
  static __device__ __forceinline__ float narrow(float v) { return v; }
};

template <>
struct element<precision::tf32> : element<float> {};

template <>
struct element<__half> {
  typedef __half stored;
  typedef float sum;
  static __device__ __forceinline__ float widen(__half v) { return __half2float(v); }
  static __device__ __forceinline__ __half narrow(float v) { return __float2half_rn(v); }
};

#ifdef SIGTRANS_WMMA_BF16
template <>
struct element<__mt_bfloat16> {
  typedef __mt_bfloat16 stored;
  typedef float sum;
  static __device__ __forceinline__ float widen(__mt_bfloat16 v) { return __bfloat162float(v); }
};
#endif

template <>
struct element<double> {
  typedef double stored;
  typedef double sum;
  static __device__ __forceinline__ double widen(double v) { return v; }
  static __device__ __forceinline__ double narrow(double v) { return v; }
};

// Integers are summed as unsigned: a sum that overflows wraps, as on CUDA.
template <class T>
struct small_integer {
  typedef T stored;
  typedef unsigned sum;
  static __device__ __forceinline__ unsigned widen(T v) {
    return static_cast<unsigned>(static_cast<int>(v));
  }
};

template <>
struct element<signed char> : small_integer<signed char> {};
template <>
struct element<unsigned char> : small_integer<unsigned char> {};
template <>
struct element<char> : small_integer<char> {};

template <>
struct element<int> {
  typedef int stored;
  typedef unsigned sum;
  static __device__ __forceinline__ unsigned widen(int v) { return static_cast<unsigned>(v); }
  static __device__ __forceinline__ int narrow(unsigned v) { return static_cast<int>(v); }
};

template <class T, int Count>
struct elements {
  typedef T element_type;
  typedef T storage_element_type;
  enum { num_elements = Count, num_storage_elements = Count };
  alignas(8) T x[Count];
};

__device__ __forceinline__ int lane() {
  return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) &
                          31u);
}
__device__ __forceinline__ int first_row() { return lane() >> 3; }
__device__ __forceinline__ int first_column() { return lane() & 7; }

__device__ __forceinline__ size_t place(row_major, int row, int column, unsigned ldm) {
  return static_cast<size_t>(row) * ldm + static_cast<size_t>(column);
}
__device__ __forceinline__ size_t place(col_major, int row, int column, unsigned ldm) {
  return static_cast<size_t>(column) * ldm + static_cast<size_t>(row);
}
__device__ __forceinline__ size_t place(layout_t layout, int row, int column, unsigned ldm) {
  return layout == mem_row_major ? place(row_major(), row, column, ldm)
                                 : place(col_major(), row, column, ldm);
}

}  // namespace emulation

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment;

template <int M, int N, int K, class T, class Layout>
struct fragment<matrix_a, M, N, K, T, Layout>
    : emulation::elements<typename emulation::element<T>::stored, M / 4 * K> {
  static_assert(M % 4 == 0 && N % 8 == 0, "the lanes form 4 rows of 8");
};

template <int M, int N, int K, class T, class Layout>
struct fragment<matrix_b, M, N, K, T, Layout>
    : emulation::elements<typename emulation::element<T>::stored, N / 8 * K> {
  static_assert(M % 4 == 0 && N % 8 == 0, "the lanes form 4 rows of 8");
};

template <int M, int N, int K, class T>
struct fragment<accumulator, M, N, K, T, void> : emulation::elements<T, (M / 4) * (N / 8)> {
  static_assert(M % 4 == 0 && N % 8 == 0, "the lanes form 4 rows of 8");
};

template <class Use, int M, int N, int K, class T, class Layout>
__device__ __forceinline__ void fill_fragment(
    fragment<Use, M, N, K, T, Layout>& f,
    typename fragment<Use, M, N, K, T, Layout>::element_type value) {
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = value;
}

// The lanes meet before they read: what one of them stored before is then seen by all.
template <int M, int N, int K, class T, class Layout>
__device__ __forceinline__ void load_matrix_sync(fragment<matrix_a, M, N, K, T, Layout>& f,
                                                 const typename emulation::element<T>::stored* p,
                                                 unsigned ldm) {
  const int row = emulation::first_row();
  __syncwarp();
#pragma unroll
  for (int r = 0; r < M / 4; ++r) {
#pragma unroll
    for (int k = 0; k < K; ++k) f.x[r * K + k] = p[emulation::place(Layout(), row + 4 * r, k, ldm)];
  }
}

template <int M, int N, int K, class T, class Layout>
__device__ __forceinline__ void load_matrix_sync(fragment<matrix_b, M, N, K, T, Layout>& f,
                                                 const typename emulation::element<T>::stored* p,
                                                 unsigned ldm) {
  const int column = emulation::first_column();
  __syncwarp();
#pragma unroll
  for (int c = 0; c < N / 8; ++c) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      f.x[c * K + k] = p[emulation::place(Layout(), k, column + 8 * c, ldm)];
    }
  }
}

template <int M, int N, int K, class T>
__device__ __forceinline__ void load_matrix_sync(fragment<accumulator, M, N, K, T>& f,
                                                 const typename emulation::element<T>::stored* p,
                                                 unsigned ldm, layout_t layout) {
  const int row = emulation::first_row(), column = emulation::first_column();
  __syncwarp();
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i) {
    f.x[i] = p[emulation::place(layout, row + 4 * (i / (N / 8)), column + 8 * (i % (N / 8)), ldm)];
  }
}

// The lanes meet before, so that none of them still reads, and after, so that all see the stores.
template <int M, int N, int K, class T>
__device__ __forceinline__ void store_matrix_sync(typename emulation::element<T>::stored* p,
                                                  const fragment<accumulator, M, N, K, T>& f,
                                                  unsigned ldm, layout_t layout) {
  const int row = emulation::first_row(), column = emulation::first_column();
  __syncwarp();
#pragma unroll
  for (int i = 0; i < f.num_elements; ++i) {
    p[emulation::place(layout, row + 4 * (i / (N / 8)), column + 8 * (i % (N / 8)), ldm)] = f.x[i];
  }
  __syncwarp();
}

template <int M, int N, int K, class D, class T, class La, class Lb, class C>
__device__ __forceinline__ void mma_sync(fragment<accumulator, M, N, K, D>& d,
                                         const fragment<matrix_a, M, N, K, T, La>& a,
                                         const fragment<matrix_b, M, N, K, T, Lb>& b,
                                         const fragment<accumulator, M, N, K, C>& c) {
  typedef emulation::element<T> in;
#pragma unroll
  for (int i = 0; i < d.num_elements; ++i) {
    const int row = i / (N / 8) * K, column = i % (N / 8) * K;
    typename in::sum sum = emulation::element<C>::widen(c.x[i]);
#pragma unroll
    for (int k = 0; k < K; ++k) sum += in::widen(a.x[row + k]) * in::widen(b.x[column + k]);
    d.x[i] = emulation::element<D>::narrow(sum);
  }
}

// With `saturate` an integer sum that leaves the range of int stays at its end.
template <int M, int N, int K, class T, class La, class Lb>
__device__ __forceinline__ void mma_sync(fragment<accumulator, M, N, K, int>& d,
                                         const fragment<matrix_a, M, N, K, T, La>& a,
                                         const fragment<matrix_b, M, N, K, T, Lb>& b,
                                         const fragment<accumulator, M, N, K, int>& c,
                                         bool saturate) {
  if (!saturate) {
    mma_sync(d, a, b, c);
    return;
  }
#pragma unroll
  for (int i = 0; i < d.num_elements; ++i) {
    const int row = i / (N / 8) * K, column = i % (N / 8) * K;
    long long sum = c.x[i];
#pragma unroll
    for (int k = 0; k < K; ++k) {
      sum += static_cast<int>(a.x[row + k]) * static_cast<int>(b.x[column + k]);
    }
    const long long most = 2147483647LL, least = -most - 1;
    d.x[i] = static_cast<int>(sum > most ? most : sum < least ? least : sum);
  }
}

// Nearest number with 10 bits of fraction, ties away from zero.
__device__ __forceinline__ float __float_to_tf32(float v) {
  union {
    float number;
    unsigned bits;
  } u;
  u.number = v;
  if ((u.bits & 0x7f800000u) != 0x7f800000u) u.bits = (u.bits + 0x1000u) & 0xffffe000u;
  return u.number;
}

}  // namespace wmma
}  // namespace emulated

namespace per_card {
#ifdef SIGTRANS_WMMA_UNITS
namespace wmma = ::mtmusa::wmma;
#else
namespace wmma = ::sigtrans::emulated::wmma;
#endif
}  // namespace per_card
}  // namespace sigtrans

#endif
