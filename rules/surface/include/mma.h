/* Warp matrix fragments, declared for `sigtrans check`. */
#ifndef SIGTRANS_MMA_H
#define SIGTRANS_MMA_H
#include "musa_runtime.h"
#include "musa_fp16.h"
#include "musa_bf16.h"
#if defined(__cplusplus) && defined(__MUSACC__)
namespace mtmusa {
namespace wmma {
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
struct u4 {};
struct s4 {};
struct b1 {};
}
namespace experimental {
namespace precision { using namespace wmma::precision; }
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}
template <class T> struct element { typedef T type; };
template <> struct element<precision::tf32> { typedef float type; };
template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
  enum { num_elements = 16 };
  typedef typename element<T>::type element_type;
  element_type x[num_elements];
};
template <class F, class T> __device__ void fill_fragment(F &, const T &);
template <class F, class T> __device__ void load_matrix_sync(F &, const T *, unsigned int);
template <class F, class T> __device__ void load_matrix_sync(F &, const T *, unsigned int, layout_t);
template <class T, class F> __device__ void store_matrix_sync(T *, const F &, unsigned int, layout_t);
template <class D, class A, class B, class C>
__device__ void mma_sync(D &, const A &, const B &, const C &, bool = false);
__device__ float __float_to_tf32(float);
}
}
#endif
#endif
