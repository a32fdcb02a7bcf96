// cuSPARSE's SpMM, SpSV and SpSM on top of muSPARSE, for host code in C++.
//
// Below MUSPARSE_VERSION 12000 muSPARSE has one call for each, which takes a stage, a size and a
// buffer, and no descriptor (FlagOS sparse benchmark, native muSPARSE backend, SDK 4.3.5: buffer
// size, then preprocess, then compute). From 12000 on it follows cuSPARSE 12 by the account of
// torch_musa, and these functions only forward.
//
// SpMM preprocesses before every computation, because cuSPARSE does not ask its users to.
//
// Where the headers of MUSA are missing (a build for the host alone), there is nothing in here.
// sigtrans: skip-file
#pragma once

#if defined(SIGTRANS_HOST_TEST)
#define SIGTRANS_HAS_SPARSE
#elif defined(__has_include)
#if __has_include(<musparse.h>)
#include <musparse.h>
#define SIGTRANS_HAS_SPARSE
#endif
#endif

#ifdef SIGTRANS_HAS_SPARSE

#include <stddef.h>

namespace sigtrans {

#if defined(MUSPARSE_VERSION) && MUSPARSE_VERSION >= 12000

typedef musparseSpSVDescr_t sparseSpSVDescr_t;
typedef musparseSpSMDescr_t sparseSpSMDescr_t;

template <class... T> musparseStatus_t sparseSpMM_bufferSize(T... arguments) {
  return musparseSpMM_bufferSize(arguments...);
}
template <class... T> musparseStatus_t sparseSpMM_preprocess(T... arguments) {
  return musparseSpMM_preprocess(arguments...);
}
template <class... T> musparseStatus_t sparseSpMM(T... arguments) {
  return musparseSpMM(arguments...);
}
template <class... T> musparseStatus_t sparseSpSV_createDescr(T... arguments) {
  return musparseSpSV_createDescr(arguments...);
}
template <class... T> musparseStatus_t sparseSpSV_destroyDescr(T... arguments) {
  return musparseSpSV_destroyDescr(arguments...);
}
template <class... T> musparseStatus_t sparseSpSV_bufferSize(T... arguments) {
  return musparseSpSV_bufferSize(arguments...);
}
template <class... T> musparseStatus_t sparseSpSV_analysis(T... arguments) {
  return musparseSpSV_analysis(arguments...);
}
template <class... T> musparseStatus_t sparseSpSV_solve(T... arguments) {
  return musparseSpSV_solve(arguments...);
}
template <class... T> musparseStatus_t sparseSpSM_createDescr(T... arguments) {
  return musparseSpSM_createDescr(arguments...);
}
template <class... T> musparseStatus_t sparseSpSM_destroyDescr(T... arguments) {
  return musparseSpSM_destroyDescr(arguments...);
}
template <class... T> musparseStatus_t sparseSpSM_bufferSize(T... arguments) {
  return musparseSpSM_bufferSize(arguments...);
}
template <class... T> musparseStatus_t sparseSpSM_analysis(T... arguments) {
  return musparseSpSM_analysis(arguments...);
}
template <class... T> musparseStatus_t sparseSpSM_solve(T... arguments) {
  return musparseSpSM_solve(arguments...);
}

#else

// The algorithm is a template parameter: its type is named by no source that we know.
template <class Alg>
musparseStatus_t sparseSpMM_bufferSize(musparseHandle_t handle, musparseOperation_t op_a,
                                       musparseOperation_t op_b, const void *alpha,
                                       musparseSpMatDescr_t a, musparseDnMatDescr_t b,
                                       const void *beta, musparseDnMatDescr_t c,
                                       musaDataType_t type, Alg alg, size_t *size) {
  return musparseSpMM(handle, op_a, op_b, alpha, a, b, beta, c, type, alg,
                      MUSPARSE_SPMM_STAGE_BUFFER_SIZE, size, nullptr);
}
template <class Alg>
musparseStatus_t sparseSpMM_preprocess(musparseHandle_t handle, musparseOperation_t op_a,
                                       musparseOperation_t op_b, const void *alpha,
                                       musparseSpMatDescr_t a, musparseDnMatDescr_t b,
                                       const void *beta, musparseDnMatDescr_t c,
                                       musaDataType_t type, Alg alg, void *buffer) {
  return musparseSpMM(handle, op_a, op_b, alpha, a, b, beta, c, type, alg,
                      MUSPARSE_SPMM_STAGE_PREPROCESS, nullptr, buffer);
}
template <class Alg>
musparseStatus_t sparseSpMM(musparseHandle_t handle, musparseOperation_t op_a,
                            musparseOperation_t op_b, const void *alpha, musparseSpMatDescr_t a,
                            musparseDnMatDescr_t b, const void *beta, musparseDnMatDescr_t c,
                            musaDataType_t type, Alg alg, void *buffer) {
  musparseStatus_t status =
      sparseSpMM_preprocess(handle, op_a, op_b, alpha, a, b, beta, c, type, alg, buffer);
  if (status != MUSPARSE_STATUS_SUCCESS) return status;
  return musparseSpMM(handle, op_a, op_b, alpha, a, b, beta, c, type, alg,
                      MUSPARSE_SPMM_STAGE_COMPUTE, nullptr, buffer);
}

// What cuSPARSE keeps in a descriptor between analysis and solution is the buffer alone.
struct SparseSolve {
  void *buffer;
};
typedef SparseSolve *sparseSpSVDescr_t;
typedef SparseSolve *sparseSpSMDescr_t;

inline musparseStatus_t sparseSpSV_createDescr(sparseSpSVDescr_t *descr) {
  *descr = new SparseSolve();
  return MUSPARSE_STATUS_SUCCESS;
}
inline musparseStatus_t sparseSpSV_destroyDescr(sparseSpSVDescr_t descr) {
  delete descr;
  return MUSPARSE_STATUS_SUCCESS;
}
template <class Alg>
musparseStatus_t sparseSpSV_bufferSize(musparseHandle_t handle, musparseOperation_t op,
                                       const void *alpha, musparseSpMatDescr_t a,
                                       musparseDnVecDescr_t x, musparseDnVecDescr_t y,
                                       musaDataType_t type, Alg alg, sparseSpSVDescr_t,
                                       size_t *size) {
  return musparseSpSV(handle, op, alpha, a, x, y, type, alg, MUSPARSE_SPSV_STAGE_BUFFER_SIZE, size,
                      nullptr);
}
template <class Alg>
musparseStatus_t sparseSpSV_analysis(musparseHandle_t handle, musparseOperation_t op,
                                     const void *alpha, musparseSpMatDescr_t a,
                                     musparseDnVecDescr_t x, musparseDnVecDescr_t y,
                                     musaDataType_t type, Alg alg, sparseSpSVDescr_t descr,
                                     void *buffer) {
  descr->buffer = buffer;
  return musparseSpSV(handle, op, alpha, a, x, y, type, alg, MUSPARSE_SPSV_STAGE_PREPROCESS,
                      nullptr, buffer);
}
template <class Alg>
musparseStatus_t sparseSpSV_solve(musparseHandle_t handle, musparseOperation_t op,
                                  const void *alpha, musparseSpMatDescr_t a,
                                  musparseDnVecDescr_t x, musparseDnVecDescr_t y,
                                  musaDataType_t type, Alg alg, sparseSpSVDescr_t descr) {
  return musparseSpSV(handle, op, alpha, a, x, y, type, alg, MUSPARSE_SPSV_STAGE_COMPUTE, nullptr,
                      descr->buffer);
}

inline musparseStatus_t sparseSpSM_createDescr(sparseSpSMDescr_t *descr) {
  return sparseSpSV_createDescr(descr);
}
inline musparseStatus_t sparseSpSM_destroyDescr(sparseSpSMDescr_t descr) {
  return sparseSpSV_destroyDescr(descr);
}
template <class Alg>
musparseStatus_t sparseSpSM_bufferSize(musparseHandle_t handle, musparseOperation_t op_a,
                                       musparseOperation_t op_b, const void *alpha,
                                       musparseSpMatDescr_t a, musparseDnMatDescr_t b,
                                       musparseDnMatDescr_t c, musaDataType_t type, Alg alg,
                                       sparseSpSMDescr_t, size_t *size) {
  return musparseSpSM(handle, op_a, op_b, alpha, a, b, c, type, alg,
                      MUSPARSE_SPSM_STAGE_BUFFER_SIZE, size, nullptr);
}
template <class Alg>
musparseStatus_t sparseSpSM_analysis(musparseHandle_t handle, musparseOperation_t op_a,
                                     musparseOperation_t op_b, const void *alpha,
                                     musparseSpMatDescr_t a, musparseDnMatDescr_t b,
                                     musparseDnMatDescr_t c, musaDataType_t type, Alg alg,
                                     sparseSpSMDescr_t descr, void *buffer) {
  descr->buffer = buffer;
  return musparseSpSM(handle, op_a, op_b, alpha, a, b, c, type, alg,
                      MUSPARSE_SPSM_STAGE_PREPROCESS, nullptr, buffer);
}
template <class Alg>
musparseStatus_t sparseSpSM_solve(musparseHandle_t handle, musparseOperation_t op_a,
                                  musparseOperation_t op_b, const void *alpha,
                                  musparseSpMatDescr_t a, musparseDnMatDescr_t b,
                                  musparseDnMatDescr_t c, musaDataType_t type, Alg alg,
                                  sparseSpSMDescr_t descr) {
  return musparseSpSM(handle, op_a, op_b, alpha, a, b, c, type, alg, MUSPARSE_SPSM_STAGE_COMPUTE,
                      nullptr, descr->buffer);
}

#endif

}  // namespace sigtrans
#endif  // SIGTRANS_HAS_SPARSE
