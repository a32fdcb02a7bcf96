// cuBLAS: types, and each routine once for each of its element types. The work is done in
// runtime/lib_blas.cpp; what is not declared here does not exist on this backend.
#pragma once
#define CUBLAS_API_H_

#include <cstdint>
#include <cstdio>

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime_api.h"
#include "driver_types.h"
#include "library_types.h"
#include "simt/blas.h"

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 4
#define CUBLAS_VER_PATCH 5
#define CUBLAS_VER_BUILD 8
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)
#define CUBLASAPI

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11, CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef cublasStatus_t cublasStatus;

typedef enum {
    CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
    CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_ALGO0 = 0, CUBLAS_GEMM_ALGO1 = 1,
    CUBLAS_GEMM_ALGO2 = 2, CUBLAS_GEMM_ALGO3 = 3, CUBLAS_GEMM_ALGO4 = 4, CUBLAS_GEMM_ALGO5 = 5,
    CUBLAS_GEMM_ALGO6 = 6, CUBLAS_GEMM_ALGO7 = 7, CUBLAS_GEMM_ALGO8 = 8, CUBLAS_GEMM_ALGO9 = 9,
    CUBLAS_GEMM_ALGO10 = 10, CUBLAS_GEMM_ALGO11 = 11, CUBLAS_GEMM_ALGO12 = 12,
    CUBLAS_GEMM_ALGO13 = 13, CUBLAS_GEMM_ALGO14 = 14, CUBLAS_GEMM_ALGO15 = 15,
    CUBLAS_GEMM_ALGO16 = 16, CUBLAS_GEMM_ALGO17 = 17, CUBLAS_GEMM_ALGO18 = 18,
    CUBLAS_GEMM_ALGO19 = 19, CUBLAS_GEMM_ALGO20 = 20, CUBLAS_GEMM_ALGO21 = 21,
    CUBLAS_GEMM_ALGO22 = 22, CUBLAS_GEMM_ALGO23 = 23, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99, CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
    CUBLAS_GEMM_ALGO1_TENSOR_OP = 101, CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
    CUBLAS_GEMM_ALGO3_TENSOR_OP = 103, CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
    CUBLAS_GEMM_ALGO5_TENSOR_OP = 105, CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
    CUBLAS_GEMM_ALGO7_TENSOR_OP = 107, CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
    CUBLAS_GEMM_ALGO9_TENSOR_OP = 109, CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
    CUBLAS_GEMM_ALGO11_TENSOR_OP = 111, CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
    CUBLAS_GEMM_ALGO13_TENSOR_OP = 113, CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
    CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC = 65, CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69, CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75, CUBLAS_COMPUTE_32F_FAST_TF32 = 77, CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71, CUBLAS_COMPUTE_32I = 72, CUBLAS_COMPUTE_32I_PEDANTIC = 73
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;

struct cublasContext;
typedef struct cublasContext *cublasHandle_t;
typedef void (*cublasLogCallback)(const char *msg);

namespace simt {

template <class T> constexpr Type type_of = Type::r32f;
template <> inline constexpr Type type_of<double> = Type::r64f;
template <> inline constexpr Type type_of<cuComplex> = Type::c32f;
template <> inline constexpr Type type_of<cuDoubleComplex> = Type::c64f;
template <> inline constexpr Type type_of<__half> = Type::r16f;
template <> inline constexpr Type type_of<__nv_bfloat16> = Type::r16bf;

inline blas::Handle *blas_handle(cublasHandle_t handle) {
    return reinterpret_cast<blas::Handle *>(handle);
}

// Arrays of typed pointers, seen as arrays of plain ones.
template <class T>
const void *const *pointers(const T *const *array) {
    return reinterpret_cast<const void *const *>(array);
}
template <class T>
void *const *mutable_pointers(T *const *array) {
    return reinterpret_cast<void *const *>(array);
}

}  // namespace simt

// --- handles -----------------------------------------------------------------------------------

inline cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
    return cublasStatus_t(simt::blas::create(reinterpret_cast<simt::blas::Handle **>(handle)));
}
inline cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    return cublasStatus_t(simt::blas::destroy(simt::blas_handle(handle)));
}
inline cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version) {
    if (!version) return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value) {
    if (!value || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
    *value = type == MAJOR_VERSION   ? CUBLAS_VER_MAJOR
        : type == MINOR_VERSION      ? CUBLAS_VER_MINOR
                                     : CUBLAS_VER_PATCH;
    return CUBLAS_STATUS_SUCCESS;
}
inline const char *cublasGetStatusName(cublasStatus_t status) {
    return simt::blas::status_name(status);
}
inline const char *cublasGetStatusString(cublasStatus_t status) {
    return simt::blas::status_text(status);
}

// A setting and its getter: NAME and GETTER read and write `member` of the handle.
#define SIMT_SETTING(NAME, GETTER, VALUE, member) \
    inline cublasStatus_t NAME(cublasHandle_t handle, VALUE value) { \
        if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED; \
        simt::blas_handle(handle)->member = decltype(simt::blas::Handle::member)(value); \
        return CUBLAS_STATUS_SUCCESS; \
    } \
    inline cublasStatus_t GETTER(cublasHandle_t handle, VALUE *value) { \
        if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED; \
        if (!value) return CUBLAS_STATUS_INVALID_VALUE; \
        *value = VALUE(simt::blas_handle(handle)->member); \
        return CUBLAS_STATUS_SUCCESS; \
    }
SIMT_SETTING(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
SIMT_SETTING(
    cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, device_scalars
)
SIMT_SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics)
SIMT_SETTING(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math_mode)
SIMT_SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, int, sm_count)
#undef SIMT_SETTING

// The workspace is the library's to use or not; here it does not need one.
inline cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (reinterpret_cast<uintptr_t>(workspace) % 256) return CUBLAS_STATUS_INVALID_VALUE;
    return workspace || !bytes ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

// Logging is accepted and stays silent: nothing in a program's result hangs on it.
inline cublasStatus_t cublasLoggerConfigure(int, int, int, const char *) {
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetLoggerCallback(cublasLogCallback) { return CUBLAS_STATUS_SUCCESS; }

// --- copies ------------------------------------------------------------------------------------

namespace simt {

inline cublasStatus_t blas_copied(cudaError_t error) {
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
inline bool bad_copy(int64_t rows, int64_t columns, int64_t size, int64_t ldx, int64_t ldy) {
    return rows < 0 || columns < 0 || size <= 0 || ldx <= 0 || ldy <= 0;
}

}  // namespace simt

#define SIMT_COPY(VECTOR, VECTOR_ASYNC, MATRIX, MATRIX_ASYNC, KIND) \
    inline cublasStatus_t VECTOR(int n, int size, const void *x, int incx, void *y, int incy) { \
        if (simt::bad_copy(n, 1, size, incx, incy)) return CUBLAS_STATUS_INVALID_VALUE; \
        if (n == 0) return CUBLAS_STATUS_SUCCESS; \
        if (incx == 1 && incy == 1) return simt::blas_copied(cudaMemcpy(y, x, size_t(n) * size, KIND)); \
        return simt::blas_copied( \
            cudaMemcpy2D(y, size_t(incy) * size, x, size_t(incx) * size, size, n, KIND) \
        ); \
    } \
    inline cublasStatus_t VECTOR_ASYNC( \
        int n, int size, const void *x, int incx, void *y, int incy, cudaStream_t stream \
    ) { \
        if (simt::bad_copy(n, 1, size, incx, incy)) return CUBLAS_STATUS_INVALID_VALUE; \
        if (n == 0) return CUBLAS_STATUS_SUCCESS; \
        return simt::blas_copied(cudaMemcpy2DAsync( \
            y, size_t(incy) * size, x, size_t(incx) * size, size, n, KIND, stream \
        )); \
    } \
    inline cublasStatus_t MATRIX( \
        int rows, int columns, int size, const void *a, int lda, void *b, int ldb \
    ) { \
        if (simt::bad_copy(rows, columns, size, lda, ldb)) return CUBLAS_STATUS_INVALID_VALUE; \
        if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS; \
        return simt::blas_copied(cudaMemcpy2D( \
            b, size_t(ldb) * size, a, size_t(lda) * size, size_t(rows) * size, columns, KIND \
        )); \
    } \
    inline cublasStatus_t MATRIX_ASYNC( \
        int rows, int columns, int size, const void *a, int lda, void *b, int ldb, \
        cudaStream_t stream \
    ) { \
        if (simt::bad_copy(rows, columns, size, lda, ldb)) return CUBLAS_STATUS_INVALID_VALUE; \
        if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS; \
        return simt::blas_copied(cudaMemcpy2DAsync( \
            b, size_t(ldb) * size, a, size_t(lda) * size, size_t(rows) * size, columns, KIND, \
            stream \
        )); \
    }
SIMT_COPY(
    cublasSetVector, cublasSetVectorAsync, cublasSetMatrix, cublasSetMatrixAsync,
    cudaMemcpyHostToDevice
)
SIMT_COPY(
    cublasGetVector, cublasGetVectorAsync, cublasGetMatrix, cublasGetMatrixAsync,
    cudaMemcpyDeviceToHost
)
#undef SIMT_COPY

// Each macro below defines routines under their full names, one use for each element type.
#define SIMT_ROUTINE(NAME, PARAMETERS, CALL) \
    inline cublasStatus_t NAME PARAMETERS { return cublasStatus_t(simt::blas::CALL); }
#define SIMT_H simt::blas_handle(handle)

// --- level 1 -----------------------------------------------------------------------------------

#define SIMT_AXPY(NAME, T) \
    SIMT_ROUTINE( \
        NAME, (cublasHandle_t handle, int n, const T *alpha, const T *x, int incx, T *y, int incy), \
        axpy(SIMT_H, simt::type_of<T>, n, alpha, x, incx, y, incy) \
    )
SIMT_AXPY(cublasSaxpy_v2, float)
SIMT_AXPY(cublasDaxpy_v2, double)
SIMT_AXPY(cublasCaxpy_v2, cuComplex)
SIMT_AXPY(cublasZaxpy_v2, cuDoubleComplex)

#define SIMT_TWO(NAME, T, CONST, call) \
    SIMT_ROUTINE( \
        NAME, (cublasHandle_t handle, int n, CONST T *x, int incx, T *y, int incy), \
        call(SIMT_H, simt::type_of<T>, n, x, incx, y, incy) \
    )
SIMT_TWO(cublasScopy_v2, float, const, copy)
SIMT_TWO(cublasDcopy_v2, double, const, copy)
SIMT_TWO(cublasCcopy_v2, cuComplex, const, copy)
SIMT_TWO(cublasZcopy_v2, cuDoubleComplex, const, copy)
SIMT_TWO(cublasSswap_v2, float, , swap)
SIMT_TWO(cublasDswap_v2, double, , swap)
SIMT_TWO(cublasCswap_v2, cuComplex, , swap)
SIMT_TWO(cublasZswap_v2, cuDoubleComplex, , swap)

#define SIMT_SCAL(NAME, T, FACTOR) \
    SIMT_ROUTINE( \
        NAME, (cublasHandle_t handle, int n, const FACTOR *alpha, T *x, int incx), \
        scal(SIMT_H, simt::type_of<T>, simt::type_of<FACTOR>, n, alpha, x, incx) \
    )
SIMT_SCAL(cublasSscal_v2, float, float)
SIMT_SCAL(cublasDscal_v2, double, double)
SIMT_SCAL(cublasCscal_v2, cuComplex, cuComplex)
SIMT_SCAL(cublasCsscal_v2, cuComplex, float)
SIMT_SCAL(cublasZscal_v2, cuDoubleComplex, cuDoubleComplex)
SIMT_SCAL(cublasZdscal_v2, cuDoubleComplex, double)

#define SIMT_DOT(NAME, T, conjugated) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, int n, const T *x, int incx, const T *y, int incy, T *result), \
        dot(SIMT_H, simt::type_of<T>, conjugated, n, x, incx, y, incy, result) \
    )
SIMT_DOT(cublasSdot_v2, float, false)
SIMT_DOT(cublasDdot_v2, double, false)
SIMT_DOT(cublasCdotu_v2, cuComplex, false)
SIMT_DOT(cublasCdotc_v2, cuComplex, true)
SIMT_DOT(cublasZdotu_v2, cuDoubleComplex, false)
SIMT_DOT(cublasZdotc_v2, cuDoubleComplex, true)

#define SIMT_NORM(NAME, T, RESULT, call) \
    SIMT_ROUTINE( \
        NAME, (cublasHandle_t handle, int n, const T *x, int incx, RESULT *result), \
        call(SIMT_H, simt::type_of<T>, n, x, incx, result) \
    )
SIMT_NORM(cublasSnrm2_v2, float, float, nrm2)
SIMT_NORM(cublasDnrm2_v2, double, double, nrm2)
SIMT_NORM(cublasScnrm2_v2, cuComplex, float, nrm2)
SIMT_NORM(cublasDznrm2_v2, cuDoubleComplex, double, nrm2)
SIMT_NORM(cublasSasum_v2, float, float, asum)
SIMT_NORM(cublasDasum_v2, double, double, asum)
SIMT_NORM(cublasScasum_v2, cuComplex, float, asum)
SIMT_NORM(cublasDzasum_v2, cuDoubleComplex, double, asum)

#define SIMT_EXTREME(NAME, T, largest) \
    SIMT_ROUTINE( \
        NAME, (cublasHandle_t handle, int n, const T *x, int incx, int *result), \
        extreme(SIMT_H, simt::type_of<T>, largest, n, x, incx, result) \
    )
SIMT_EXTREME(cublasIsamax_v2, float, true)
SIMT_EXTREME(cublasIdamax_v2, double, true)
SIMT_EXTREME(cublasIcamax_v2, cuComplex, true)
SIMT_EXTREME(cublasIzamax_v2, cuDoubleComplex, true)
SIMT_EXTREME(cublasIsamin_v2, float, false)
SIMT_EXTREME(cublasIdamin_v2, double, false)
SIMT_EXTREME(cublasIcamin_v2, cuComplex, false)
SIMT_EXTREME(cublasIzamin_v2, cuDoubleComplex, false)

#define SIMT_ROT(NAME, T, C, S) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, int n, T *x, int incx, T *y, int incy, const C *c, const S *s), \
        rot(SIMT_H, simt::type_of<T>, simt::type_of<S>, n, x, incx, y, incy, c, s) \
    )
SIMT_ROT(cublasSrot_v2, float, float, float)
SIMT_ROT(cublasDrot_v2, double, double, double)
SIMT_ROT(cublasCrot_v2, cuComplex, float, cuComplex)
SIMT_ROT(cublasCsrot_v2, cuComplex, float, float)
SIMT_ROT(cublasZrot_v2, cuDoubleComplex, double, cuDoubleComplex)
SIMT_ROT(cublasZdrot_v2, cuDoubleComplex, double, double)

#define SIMT_ROTG(NAME, T, C) \
    SIMT_ROUTINE( \
        NAME, (cublasHandle_t handle, T *a, T *b, C *c, T *s), \
        rotg(SIMT_H, simt::type_of<T>, a, b, c, s) \
    )
SIMT_ROTG(cublasSrotg_v2, float, float)
SIMT_ROTG(cublasDrotg_v2, double, double)
SIMT_ROTG(cublasCrotg_v2, cuComplex, float)
SIMT_ROTG(cublasZrotg_v2, cuDoubleComplex, double)

#define SIMT_ROTM(NAME, T) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, int n, T *x, int incx, T *y, int incy, const T *parameters), \
        rotm(SIMT_H, simt::type_of<T>, n, x, incx, y, incy, parameters) \
    )
SIMT_ROTM(cublasSrotm_v2, float)
SIMT_ROTM(cublasDrotm_v2, double)

// --- level 2 -----------------------------------------------------------------------------------

#define SIMT_GEMV(NAME, BATCHED, STRIDED, T) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, cublasOperation_t operation, int m, int n, const T *alpha, \
         const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy), \
        gemv(SIMT_H, simt::type_of<T>, operation, m, n, alpha, a, lda, x, incx, beta, y, incy) \
    ) \
    SIMT_ROUTINE( \
        BATCHED, \
        (cublasHandle_t handle, cublasOperation_t operation, int m, int n, const T *alpha, \
         const T *const a[], int lda, const T *const x[], int incx, const T *beta, T *const y[], \
         int incy, int count), \
        gemv_batched( \
            SIMT_H, simt::type_of<T>, operation, m, n, alpha, simt::pointers(a), lda, \
            simt::pointers(x), incx, beta, simt::mutable_pointers(y), incy, count \
        ) \
    ) \
    SIMT_ROUTINE( \
        STRIDED, \
        (cublasHandle_t handle, cublasOperation_t operation, int m, int n, const T *alpha, \
         const T *a, int lda, long long stride_a, const T *x, int incx, long long stride_x, \
         const T *beta, T *y, int incy, long long stride_y, int count), \
        gemv( \
            SIMT_H, simt::type_of<T>, operation, m, n, alpha, a, lda, x, incx, beta, y, incy, \
            stride_a, stride_x, stride_y, count \
        ) \
    )
SIMT_GEMV(cublasSgemv_v2, cublasSgemvBatched, cublasSgemvStridedBatched, float)
SIMT_GEMV(cublasDgemv_v2, cublasDgemvBatched, cublasDgemvStridedBatched, double)
SIMT_GEMV(cublasCgemv_v2, cublasCgemvBatched, cublasCgemvStridedBatched, cuComplex)
SIMT_GEMV(cublasZgemv_v2, cublasZgemvBatched, cublasZgemvStridedBatched, cuDoubleComplex)

#define SIMT_GBMV(NAME, T) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, cublasOperation_t operation, int m, int n, int kl, int ku, \
         const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy), \
        gbmv( \
            SIMT_H, simt::type_of<T>, operation, m, n, kl, ku, alpha, a, lda, x, incx, beta, y, incy \
        ) \
    )
SIMT_GBMV(cublasSgbmv_v2, float)
SIMT_GBMV(cublasDgbmv_v2, double)
SIMT_GBMV(cublasCgbmv_v2, cuComplex)
SIMT_GBMV(cublasZgbmv_v2, cuDoubleComplex)

#define SIMT_GER(NAME, T, conjugated) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, int m, int n, const T *alpha, const T *x, int incx, const T *y, \
         int incy, T *a, int lda), \
        ger(SIMT_H, simt::type_of<T>, conjugated, m, n, alpha, x, incx, y, incy, a, lda) \
    )
SIMT_GER(cublasSger_v2, float, false)
SIMT_GER(cublasDger_v2, double, false)
SIMT_GER(cublasCgeru_v2, cuComplex, false)
SIMT_GER(cublasCgerc_v2, cuComplex, true)
SIMT_GER(cublasZgeru_v2, cuDoubleComplex, false)
SIMT_GER(cublasZgerc_v2, cuDoubleComplex, true)

// Symmetric or Hermitian times a vector: full, banded, packed.
#define SIMT_SYMV(FULL, BANDED, PACKED, T, hermitian) \
    SIMT_ROUTINE( \
        FULL, \
        (cublasHandle_t handle, cublasFillMode_t fill, int n, const T *alpha, const T *a, int lda, \
         const T *x, int incx, const T *beta, T *y, int incy), \
        symv( \
            SIMT_H, simt::type_of<T>, hermitian, simt::blas::Storage::full, fill, n, 0, alpha, a, \
            lda, x, incx, beta, y, incy \
        ) \
    ) \
    SIMT_ROUTINE( \
        BANDED, \
        (cublasHandle_t handle, cublasFillMode_t fill, int n, int k, const T *alpha, const T *a, \
         int lda, const T *x, int incx, const T *beta, T *y, int incy), \
        symv( \
            SIMT_H, simt::type_of<T>, hermitian, simt::blas::Storage::banded, fill, n, k, alpha, a, \
            lda, x, incx, beta, y, incy \
        ) \
    ) \
    SIMT_ROUTINE( \
        PACKED, \
        (cublasHandle_t handle, cublasFillMode_t fill, int n, const T *alpha, const T *a, \
         const T *x, int incx, const T *beta, T *y, int incy), \
        symv( \
            SIMT_H, simt::type_of<T>, hermitian, simt::blas::Storage::packed, fill, n, 0, alpha, a, \
            1, x, incx, beta, y, incy \
        ) \
    )
SIMT_SYMV(cublasSsymv_v2, cublasSsbmv_v2, cublasSspmv_v2, float, false)
SIMT_SYMV(cublasDsymv_v2, cublasDsbmv_v2, cublasDspmv_v2, double, false)
SIMT_SYMV(cublasChemv_v2, cublasChbmv_v2, cublasChpmv_v2, cuComplex, true)
SIMT_SYMV(cublasZhemv_v2, cublasZhbmv_v2, cublasZhpmv_v2, cuDoubleComplex, true)
#define SIMT_SYMV_FULL(NAME, T) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, cublasFillMode_t fill, int n, const T *alpha, const T *a, int lda, \
         const T *x, int incx, const T *beta, T *y, int incy), \
        symv( \
            SIMT_H, simt::type_of<T>, false, simt::blas::Storage::full, fill, n, 0, alpha, a, lda, \
            x, incx, beta, y, incy \
        ) \
    )
SIMT_SYMV_FULL(cublasCsymv_v2, cuComplex)
SIMT_SYMV_FULL(cublasZsymv_v2, cuDoubleComplex)

#define SIMT_SYR(NAME, T, ALPHA, hermitian) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, cublasFillMode_t fill, int n, const ALPHA *alpha, const T *x, \
         int incx, T *a, int lda), \
        syr(SIMT_H, simt::type_of<T>, hermitian, simt::blas::Storage::full, fill, n, alpha, x, \
            incx, a, lda) \
    )
SIMT_SYR(cublasSsyr_v2, float, float, false)
SIMT_SYR(cublasDsyr_v2, double, double, false)
SIMT_SYR(cublasCsyr_v2, cuComplex, cuComplex, false)
SIMT_SYR(cublasZsyr_v2, cuDoubleComplex, cuDoubleComplex, false)
SIMT_SYR(cublasCher_v2, cuComplex, float, true)
SIMT_SYR(cublasZher_v2, cuDoubleComplex, double, true)

#define SIMT_SPR(NAME, T, ALPHA, hermitian) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, cublasFillMode_t fill, int n, const ALPHA *alpha, const T *x, \
         int incx, T *a), \
        syr(SIMT_H, simt::type_of<T>, hermitian, simt::blas::Storage::packed, fill, n, alpha, x, \
            incx, a, 1) \
    )
SIMT_SPR(cublasSspr_v2, float, float, false)
SIMT_SPR(cublasDspr_v2, double, double, false)
SIMT_SPR(cublasChpr_v2, cuComplex, float, true)
SIMT_SPR(cublasZhpr_v2, cuDoubleComplex, double, true)

#define SIMT_SYR2(NAME, T, hermitian) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, cublasFillMode_t fill, int n, const T *alpha, const T *x, int incx, \
         const T *y, int incy, T *a, int lda), \
        syr2(SIMT_H, simt::type_of<T>, hermitian, simt::blas::Storage::full, fill, n, alpha, x, \
             incx, y, incy, a, lda) \
    )
SIMT_SYR2(cublasSsyr2_v2, float, false)
SIMT_SYR2(cublasDsyr2_v2, double, false)
SIMT_SYR2(cublasCsyr2_v2, cuComplex, false)
SIMT_SYR2(cublasZsyr2_v2, cuDoubleComplex, false)
SIMT_SYR2(cublasCher2_v2, cuComplex, true)
SIMT_SYR2(cublasZher2_v2, cuDoubleComplex, true)

// Triangular times, or solved for, a vector: full, banded, packed.
#define SIMT_TRMV(FULL, BANDED, PACKED, T, solve) \
    SIMT_ROUTINE( \
        FULL, \
        (cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, \
         cublasDiagType_t diagonal, int n, const T *a, int lda, T *x, int incx), \
        trmv(SIMT_H, simt::type_of<T>, solve, simt::blas::Storage::full, fill, operation, diagonal, \
             n, 0, a, lda, x, incx) \
    ) \
    SIMT_ROUTINE( \
        BANDED, \
        (cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, \
         cublasDiagType_t diagonal, int n, int k, const T *a, int lda, T *x, int incx), \
        trmv(SIMT_H, simt::type_of<T>, solve, simt::blas::Storage::banded, fill, operation, \
             diagonal, n, k, a, lda, x, incx) \
    ) \
    SIMT_ROUTINE( \
        PACKED, \
        (cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, \
         cublasDiagType_t diagonal, int n, const T *a, T *x, int incx), \
        trmv(SIMT_H, simt::type_of<T>, solve, simt::blas::Storage::packed, fill, operation, \
             diagonal, n, 0, a, 1, x, incx) \
    )
SIMT_TRMV(cublasStrmv_v2, cublasStbmv_v2, cublasStpmv_v2, float, false)
SIMT_TRMV(cublasDtrmv_v2, cublasDtbmv_v2, cublasDtpmv_v2, double, false)
SIMT_TRMV(cublasCtrmv_v2, cublasCtbmv_v2, cublasCtpmv_v2, cuComplex, false)
SIMT_TRMV(cublasZtrmv_v2, cublasZtbmv_v2, cublasZtpmv_v2, cuDoubleComplex, false)
SIMT_TRMV(cublasStrsv_v2, cublasStbsv_v2, cublasStpsv_v2, float, true)
SIMT_TRMV(cublasDtrsv_v2, cublasDtbsv_v2, cublasDtpsv_v2, double, true)
SIMT_TRMV(cublasCtrsv_v2, cublasCtbsv_v2, cublasCtpsv_v2, cuComplex, true)
SIMT_TRMV(cublasZtrsv_v2, cublasZtbsv_v2, cublasZtpsv_v2, cuDoubleComplex, true)

// --- level 3 -----------------------------------------------------------------------------------

#define SIMT_GEMM(NAME, BATCHED, STRIDED, T) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, \
         const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc), \
        gemm(SIMT_H, simt::type_of<T>, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) \
    ) \
    SIMT_ROUTINE( \
        BATCHED, \
        (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, \
         const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta, \
         T *const c[], int ldc, int count), \
        gemm_batched( \
            SIMT_H, simt::type_of<T>, ta, tb, m, n, k, alpha, simt::pointers(a), lda, \
            simt::pointers(b), ldb, beta, simt::mutable_pointers(c), ldc, count \
        ) \
    ) \
    SIMT_ROUTINE( \
        STRIDED, \
        (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, \
         const T *alpha, const T *a, int lda, long long stride_a, const T *b, int ldb, \
         long long stride_b, const T *beta, T *c, int ldc, long long stride_c, int count), \
        gemm( \
            SIMT_H, simt::type_of<T>, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, \
            stride_a, stride_b, stride_c, count \
        ) \
    )
SIMT_GEMM(cublasSgemm_v2, cublasSgemmBatched, cublasSgemmStridedBatched, float)
SIMT_GEMM(cublasDgemm_v2, cublasDgemmBatched, cublasDgemmStridedBatched, double)
SIMT_GEMM(cublasCgemm_v2, cublasCgemmBatched, cublasCgemmStridedBatched, cuComplex)
SIMT_GEMM(cublasZgemm_v2, cublasZgemmBatched, cublasZgemmStridedBatched, cuDoubleComplex)
SIMT_GEMM(cublasHgemm, cublasHgemmBatched, cublasHgemmStridedBatched, __half)

#define SIMT_TYPE(type) simt::Type(int(type))
#define SIMT_COMPUTE(type) simt::blas::Compute(int(type))

SIMT_ROUTINE(
    cublasGemmEx,
    (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
     const void *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
     cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c, int ldc,
     cublasComputeType_t compute, cublasGemmAlgo_t),
    gemm_ex(SIMT_H, ta, tb, m, n, k, alpha, a, SIMT_TYPE(type_a), lda, b, SIMT_TYPE(type_b), ldb,
            beta, c, SIMT_TYPE(type_c), ldc, SIMT_COMPUTE(compute))
)
SIMT_ROUTINE(
    cublasGemmBatchedEx,
    (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
     const void *alpha, const void *const a[], cudaDataType type_a, int lda, const void *const b[],
     cudaDataType type_b, int ldb, const void *beta, void *const c[], cudaDataType type_c, int ldc,
     int count, cublasComputeType_t compute, cublasGemmAlgo_t),
    gemm_batched_ex(SIMT_H, ta, tb, m, n, k, alpha, a, SIMT_TYPE(type_a), lda, b,
                    SIMT_TYPE(type_b), ldb, beta, c, SIMT_TYPE(type_c), ldc, count,
                    SIMT_COMPUTE(compute))
)
SIMT_ROUTINE(
    cublasGemmStridedBatchedEx,
    (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
     const void *alpha, const void *a, cudaDataType type_a, int lda, long long stride_a,
     const void *b, cudaDataType type_b, int ldb, long long stride_b, const void *beta, void *c,
     cudaDataType type_c, int ldc, long long stride_c, int count, cublasComputeType_t compute,
     cublasGemmAlgo_t),
    gemm_ex(SIMT_H, ta, tb, m, n, k, alpha, a, SIMT_TYPE(type_a), lda, b, SIMT_TYPE(type_b), ldb,
            beta, c, SIMT_TYPE(type_c), ldc, SIMT_COMPUTE(compute), stride_a, stride_b, stride_c,
            count)
)

// The forms from before CUDA 11 give the compute type as a data type.
namespace simt {

inline blas::Compute compute_of(cudaDataType type) {
    switch (type) {
        case CUDA_R_16F: return blas::Compute::f16;
        case CUDA_R_32F: case CUDA_C_32F: return blas::Compute::f32;
        case CUDA_R_64F: case CUDA_C_64F: return blas::Compute::f64;
        case CUDA_R_32I: return blas::Compute::i32;
        default: return blas::Compute(0);
    }
}

}  // namespace simt

SIMT_ROUTINE(
    cublasGemmEx,
    (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
     const void *alpha, const void *a, cudaDataType type_a, int lda, const void *b,
     cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c, int ldc,
     cudaDataType compute, cublasGemmAlgo_t),
    gemm_ex(SIMT_H, ta, tb, m, n, k, alpha, a, SIMT_TYPE(type_a), lda, b, SIMT_TYPE(type_b), ldb,
            beta, c, SIMT_TYPE(type_c), ldc, simt::compute_of(compute))
)
SIMT_ROUTINE(
    cublasGemmBatchedEx,
    (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
     const void *alpha, const void *const a[], cudaDataType type_a, int lda, const void *const b[],
     cudaDataType type_b, int ldb, const void *beta, void *const c[], cudaDataType type_c, int ldc,
     int count, cudaDataType compute, cublasGemmAlgo_t),
    gemm_batched_ex(SIMT_H, ta, tb, m, n, k, alpha, a, SIMT_TYPE(type_a), lda, b,
                    SIMT_TYPE(type_b), ldb, beta, c, SIMT_TYPE(type_c), ldc, count,
                    simt::compute_of(compute))
)
SIMT_ROUTINE(
    cublasGemmStridedBatchedEx,
    (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
     const void *alpha, const void *a, cudaDataType type_a, int lda, long long stride_a,
     const void *b, cudaDataType type_b, int ldb, long long stride_b, const void *beta, void *c,
     cudaDataType type_c, int ldc, long long stride_c, int count, cudaDataType compute,
     cublasGemmAlgo_t),
    gemm_ex(SIMT_H, ta, tb, m, n, k, alpha, a, SIMT_TYPE(type_a), lda, b, SIMT_TYPE(type_b), ldb,
            beta, c, SIMT_TYPE(type_c), ldc, simt::compute_of(compute), stride_a, stride_b,
            stride_c, count)
)
#undef SIMT_TYPE
#undef SIMT_COMPUTE

#define SIMT_SYMM(NAME, T, hermitian) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, int m, int n, \
         const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc), \
        symm( \
            SIMT_H, simt::type_of<T>, hermitian, side, fill, m, n, alpha, a, lda, b, ldb, beta, c, \
            ldc \
        ) \
    )
SIMT_SYMM(cublasSsymm_v2, float, false)
SIMT_SYMM(cublasDsymm_v2, double, false)
SIMT_SYMM(cublasCsymm_v2, cuComplex, false)
SIMT_SYMM(cublasZsymm_v2, cuDoubleComplex, false)
SIMT_SYMM(cublasChemm_v2, cuComplex, true)
SIMT_SYMM(cublasZhemm_v2, cuDoubleComplex, true)

#define SIMT_SYRK(NAME, T, FACTOR, hermitian) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, int n, int k, \
         const FACTOR *alpha, const T *a, int lda, const FACTOR *beta, T *c, int ldc), \
        syrk( \
            SIMT_H, simt::type_of<T>, hermitian, simt::blas::Update::rank_k, fill, operation, n, k, \
            alpha, a, lda, a, lda, beta, c, ldc \
        ) \
    )
SIMT_SYRK(cublasSsyrk_v2, float, float, false)
SIMT_SYRK(cublasDsyrk_v2, double, double, false)
SIMT_SYRK(cublasCsyrk_v2, cuComplex, cuComplex, false)
SIMT_SYRK(cublasZsyrk_v2, cuDoubleComplex, cuDoubleComplex, false)
SIMT_SYRK(cublasCherk_v2, cuComplex, float, true)
SIMT_SYRK(cublasZherk_v2, cuDoubleComplex, double, true)

#define SIMT_SYR2K(NAME, T, BETA, hermitian, update) \
    SIMT_ROUTINE( \
        NAME, \
        (cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation, int n, int k, \
         const T *alpha, const T *a, int lda, const T *b, int ldb, const BETA *beta, T *c, int ldc), \
        syrk( \
            SIMT_H, simt::type_of<T>, hermitian, simt::blas::Update::update, fill, operation, n, k, \
            alpha, a, lda, b, ldb, beta, c, ldc \
        ) \
    )
SIMT_SYR2K(cublasSsyr2k_v2, float, float, false, rank_2k)
SIMT_SYR2K(cublasDsyr2k_v2, double, double, false, rank_2k)
SIMT_SYR2K(cublasCsyr2k_v2, cuComplex, cuComplex, false, rank_2k)
SIMT_SYR2K(cublasZsyr2k_v2, cuDoubleComplex, cuDoubleComplex, false, rank_2k)
SIMT_SYR2K(cublasCher2k_v2, cuComplex, float, true, rank_2k)
SIMT_SYR2K(cublasZher2k_v2, cuDoubleComplex, double, true, rank_2k)
SIMT_SYR2K(cublasSsyrkx, float, float, false, single)
SIMT_SYR2K(cublasDsyrkx, double, double, false, single)
SIMT_SYR2K(cublasCsyrkx, cuComplex, cuComplex, false, single)
SIMT_SYR2K(cublasZsyrkx, cuDoubleComplex, cuDoubleComplex, false, single)
SIMT_SYR2K(cublasCherkx, cuComplex, float, true, single)
SIMT_SYR2K(cublasZherkx, cuDoubleComplex, double, true, single)

#define SIMT_TRIANGULAR(TRMM, TRSM, TRSM_BATCHED, T) \
    SIMT_ROUTINE( \
        TRMM, \
        (cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, \
         cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n, const T *alpha, \
         const T *a, int lda, const T *b, int ldb, T *c, int ldc), \
        trmm( \
            SIMT_H, simt::type_of<T>, side, fill, operation, diagonal, m, n, alpha, a, lda, b, ldb, \
            c, ldc \
        ) \
    ) \
    SIMT_ROUTINE( \
        TRSM, \
        (cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, \
         cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n, const T *alpha, \
         const T *a, int lda, T *b, int ldb), \
        trsm( \
            SIMT_H, simt::type_of<T>, side, fill, operation, diagonal, m, n, alpha, a, lda, b, ldb \
        ) \
    ) \
    SIMT_ROUTINE( \
        TRSM_BATCHED, \
        (cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, \
         cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n, const T *alpha, \
         const T *const a[], int lda, T *const b[], int ldb, int count), \
        trsm_batched( \
            SIMT_H, simt::type_of<T>, side, fill, operation, diagonal, m, n, alpha, \
            simt::pointers(a), lda, simt::mutable_pointers(b), ldb, count \
        ) \
    )
SIMT_TRIANGULAR(cublasStrmm_v2, cublasStrsm_v2, cublasStrsmBatched, float)
SIMT_TRIANGULAR(cublasDtrmm_v2, cublasDtrsm_v2, cublasDtrsmBatched, double)
SIMT_TRIANGULAR(cublasCtrmm_v2, cublasCtrsm_v2, cublasCtrsmBatched, cuComplex)
SIMT_TRIANGULAR(cublasZtrmm_v2, cublasZtrsm_v2, cublasZtrsmBatched, cuDoubleComplex)

// --- what only this library has ----------------------------------------------------------------

#define SIMT_EXTENSIONS(GEAM, DGMM, GETRF, GETRI, GETRS, MATINV, T) \
    SIMT_ROUTINE( \
        GEAM, \
        (cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, \
         const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc), \
        geam(SIMT_H, simt::type_of<T>, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc) \
    ) \
    SIMT_ROUTINE( \
        DGMM, \
        (cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T *a, int lda, \
         const T *x, int incx, T *c, int ldc), \
        dgmm(SIMT_H, simt::type_of<T>, side, m, n, a, lda, x, incx, c, ldc) \
    ) \
    SIMT_ROUTINE( \
        GETRF, \
        (cublasHandle_t handle, int n, T *const a[], int lda, int *pivots, int *info, int count), \
        getrf_batched( \
            SIMT_H, simt::type_of<T>, n, simt::mutable_pointers(a), lda, pivots, info, count \
        ) \
    ) \
    SIMT_ROUTINE( \
        GETRI, \
        (cublasHandle_t handle, int n, const T *const a[], int lda, const int *pivots, \
         T *const c[], int ldc, int *info, int count), \
        getri_batched( \
            SIMT_H, simt::type_of<T>, n, simt::pointers(a), lda, pivots, \
            simt::mutable_pointers(c), ldc, info, count \
        ) \
    ) \
    SIMT_ROUTINE( \
        GETRS, \
        (cublasHandle_t handle, cublasOperation_t operation, int n, int columns, \
         const T *const a[], int lda, const int *pivots, T *const b[], int ldb, int *info, \
         int count), \
        getrs_batched( \
            SIMT_H, simt::type_of<T>, operation, n, columns, simt::pointers(a), lda, pivots, \
            simt::mutable_pointers(b), ldb, info, count \
        ) \
    ) \
    SIMT_ROUTINE( \
        MATINV, \
        (cublasHandle_t handle, int n, const T *const a[], int lda, T *const c[], int ldc, \
         int *info, int count), \
        matinv_batched( \
            SIMT_H, simt::type_of<T>, n, simt::pointers(a), lda, simt::mutable_pointers(c), ldc, \
            info, count \
        ) \
    )
SIMT_EXTENSIONS(
    cublasSgeam, cublasSdgmm, cublasSgetrfBatched, cublasSgetriBatched, cublasSgetrsBatched,
    cublasSmatinvBatched, float
)
SIMT_EXTENSIONS(
    cublasDgeam, cublasDdgmm, cublasDgetrfBatched, cublasDgetriBatched, cublasDgetrsBatched,
    cublasDmatinvBatched, double
)
SIMT_EXTENSIONS(
    cublasCgeam, cublasCdgmm, cublasCgetrfBatched, cublasCgetriBatched, cublasCgetrsBatched,
    cublasCmatinvBatched, cuComplex
)
SIMT_EXTENSIONS(
    cublasZgeam, cublasZdgmm, cublasZgetrfBatched, cublasZgetriBatched, cublasZgetrsBatched,
    cublasZmatinvBatched, cuDoubleComplex
)

#undef SIMT_AXPY
#undef SIMT_DOT
#undef SIMT_EXTENSIONS
#undef SIMT_EXTREME
#undef SIMT_GBMV
#undef SIMT_GEMM
#undef SIMT_GEMV
#undef SIMT_GER
#undef SIMT_H
#undef SIMT_NORM
#undef SIMT_ROT
#undef SIMT_ROTG
#undef SIMT_ROTM
#undef SIMT_ROUTINE
#undef SIMT_SCAL
#undef SIMT_SPR
#undef SIMT_SYMM
#undef SIMT_SYMV
#undef SIMT_SYMV_FULL
#undef SIMT_SYR
#undef SIMT_SYR2
#undef SIMT_SYR2K
#undef SIMT_SYRK
#undef SIMT_TRIANGULAR
#undef SIMT_TRMV
#undef SIMT_TWO
