// BLAS on the CPU behind cublas_v2.h. Matrices are column-major; operations are 0 N, 1 T, 2 C;
// sides 0 left, 1 right; fills 0 lower, 1 upper; diagonals 0 stored, 1 unit. Returns the status
// numbers of the CUDA library.
#pragma once

#include "lib.h"

namespace simt::blas {

enum Status : int {
    success = 0, not_initialized = 1, allocation_failed = 3, invalid_value = 7,
    execution_failed = 13, internal_error = 14, not_supported = 15
};

struct Handle : LibraryHandle {
    int math_mode = 0;
    int atomics = 0;
    int sm_count = 0;
};

// What products are computed in: the numbers of the vendors' compute type enumeration.
enum class Compute : int {
    f16 = 64, f16_pedantic = 65, f32 = 68, f32_pedantic = 69, f32_fast_f16 = 74, f32_fast_bf16 = 75,
    f32_fast_tf32 = 77, f64 = 70, f64_pedantic = 71, i32 = 72, i32_pedantic = 73
};

using Size = int64_t;

int create(Handle **handle);
int destroy(Handle *handle);
const char *status_name(int status);
const char *status_text(int status);

int axpy(Handle *, Type, Size n, const void *alpha, const void *x, Size incx, void *y, Size incy);
int copy(Handle *, Type, Size n, const void *x, Size incx, void *y, Size incy);
int swap(Handle *, Type, Size n, void *x, Size incx, void *y, Size incy);
// A real factor for a complex vector has its own type.
int scal(Handle *, Type, Type factor, Size n, const void *alpha, void *x, Size incx);
int dot(
    Handle *, Type, bool conjugated, Size n, const void *x, Size incx, const void *y, Size incy,
    void *result
);
int nrm2(Handle *, Type, Size n, const void *x, Size incx, void *result);
int asum(Handle *, Type, Size n, const void *x, Size incx, void *result);
int extreme(Handle *, Type, bool largest, Size n, const void *x, Size incx, int *result);
// The sine of a rotation may be complex while the vectors are.
int rot(
    Handle *, Type, Type sine, Size n, void *x, Size incx, void *y, Size incy, const void *c,
    const void *s
);
int rotg(Handle *, Type, void *a, void *b, void *c, void *s);
int rotm(Handle *, Type, Size n, void *x, Size incx, void *y, Size incy, const void *param);

int gemv(
    Handle *, Type, int operation, Size m, Size n, const void *alpha, const void *a, Size lda,
    const void *x, Size incx, const void *beta, void *y, Size incy, Size stride_a = 0,
    Size stride_x = 0, Size stride_y = 0, int count = 1
);
int gemv_batched(
    Handle *, Type, int operation, Size m, Size n, const void *alpha, const void *const *a,
    Size lda, const void *const *x, Size incx, const void *beta, void *const *y, Size incy,
    int count
);
int gbmv(
    Handle *, Type, int operation, Size m, Size n, Size below, Size above, const void *alpha,
    const void *a, Size lda, const void *x, Size incx, const void *beta, void *y, Size incy
);
int ger(
    Handle *, Type, bool conjugated, Size m, Size n, const void *alpha, const void *x, Size incx,
    const void *y, Size incy, void *a, Size lda
);
// Symmetric or Hermitian: full, banded (band = super-diagonals) and packed storage.
enum class Storage : unsigned char { full, banded, packed };
int symv(
    Handle *, Type, bool hermitian, Storage, int fill, Size n, Size band, const void *alpha,
    const void *a, Size lda, const void *x, Size incx, const void *beta, void *y, Size incy
);
int syr(
    Handle *, Type, bool hermitian, Storage, int fill, Size n, const void *alpha, const void *x,
    Size incx, void *a, Size lda
);
int syr2(
    Handle *, Type, bool hermitian, Storage, int fill, Size n, const void *alpha, const void *x,
    Size incx, const void *y, Size incy, void *a, Size lda
);
int trmv(
    Handle *, Type, bool solve, Storage, int fill, int operation, int diagonal, Size n, Size band,
    const void *a, Size lda, void *x, Size incx
);

int gemm(
    Handle *, Type, int ta, int tb, Size m, Size n, Size k, const void *alpha, const void *a,
    Size lda, const void *b, Size ldb, const void *beta, void *c, Size ldc, Size stride_a = 0,
    Size stride_b = 0, Size stride_c = 0, int count = 1
);
int gemm_batched(
    Handle *, Type, int ta, int tb, Size m, Size n, Size k, const void *alpha,
    const void *const *a, Size lda, const void *const *b, Size ldb, const void *beta,
    void *const *c, Size ldc, int count
);
int gemm_ex(
    Handle *, int ta, int tb, Size m, Size n, Size k, const void *alpha, const void *a, Type,
    Size lda, const void *b, Type, Size ldb, const void *beta, void *c, Type, Size ldc, Compute,
    Size stride_a = 0, Size stride_b = 0, Size stride_c = 0, int count = 1
);
int gemm_batched_ex(
    Handle *, int ta, int tb, Size m, Size n, Size k, const void *alpha, const void *const *a,
    Type, Size lda, const void *const *b, Type, Size ldb, const void *beta, void *const *c, Type,
    Size ldc, int count, Compute
);
int symm(
    Handle *, Type, bool hermitian, int side, int fill, Size m, Size n, const void *alpha,
    const void *a, Size lda, const void *b, Size ldb, const void *beta, void *c, Size ldc
);
// rank-k, and with b also rank-2k; `single` is A B^T alone (syrkx).
enum class Update : unsigned char { rank_k, rank_2k, single };
int syrk(
    Handle *, Type, bool hermitian, Update, int fill, int operation, Size n, Size k,
    const void *alpha, const void *a, Size lda, const void *b, Size ldb, const void *beta, void *c,
    Size ldc
);
int trmm(
    Handle *, Type, int side, int fill, int operation, int diagonal, Size m, Size n,
    const void *alpha, const void *a, Size lda, const void *b, Size ldb, void *c, Size ldc
);
int trsm(
    Handle *, Type, int side, int fill, int operation, int diagonal, Size m, Size n,
    const void *alpha, const void *a, Size lda, void *b, Size ldb
);
int trsm_batched(
    Handle *, Type, int side, int fill, int operation, int diagonal, Size m, Size n,
    const void *alpha, const void *const *a, Size lda, void *const *b, Size ldb, int count
);
int geam(
    Handle *, Type, int ta, int tb, Size m, Size n, const void *alpha, const void *a, Size lda,
    const void *beta, const void *b, Size ldb, void *c, Size ldc
);
int dgmm(
    Handle *, Type, int side, Size m, Size n, const void *a, Size lda, const void *x, Size incx,
    void *c, Size ldc
);
int getrf_batched(
    Handle *, Type, Size n, void *const *a, Size lda, int *pivots, int *info, int count
);
int getri_batched(
    Handle *, Type, Size n, const void *const *a, Size lda, const int *pivots, void *const *c,
    Size ldc, int *info, int count
);
int getrs_batched(
    Handle *, Type, int operation, Size n, Size columns, const void *const *a, Size lda,
    const int *pivots, void *const *b, Size ldb, int *info, int count
);
int matinv_batched(
    Handle *, Type, Size n, const void *const *a, Size lda, void *const *c, Size ldc, int *info,
    int count
);

// One matrix product with an epilogue, as cublasLtMatmul describes it.
struct Layout {
    Type type;
    uint64_t rows, columns;
    int64_t ld;
    int order;  // 0 columns, 1 rows
    int count;
    int64_t stride;
};

struct Epilogue {
    enum Kind : int {
        none = 1, relu = 2, bias = 4, gelu = 32, aux = 128, drelu = 8 | 128, dgelu = 64 | 128,
        bias_gradient = 16, bias_gradient_a = 256, bias_gradient_b = 512
    };
    int kind = none;
    void *bias_pointer = nullptr;
    int64_t bias_stride = 0;
    Type bias_type = Type::r32f;
    void *aux_pointer = nullptr;
    int64_t aux_ld = 0, aux_stride = 0;
    Type aux_type = Type::r32f;
};

int lt_supported(
    const Layout &a, const Layout &b, const Layout &c, const Layout &d, int ta, int tb, Compute,
    Type scale, const Epilogue &
);
int lt_matmul(
    Stream, int ta, int tb, Compute, Type scale, bool device_scalars, const void *alpha,
    const void *a, const Layout &, const void *b, const Layout &, const void *beta, const void *c,
    const Layout &, void *d, const Layout &, const Epilogue &
);

}  // namespace simt::blas
