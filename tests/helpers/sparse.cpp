// A model of muSPARSE before 12000 that prints the stages it is called with.
#include <cstddef>
#include <cstdio>
typedef int musparseStatus_t, musparseOperation_t, musaDataType_t, alg_t;
typedef const char *musparseHandle_t, *musparseSpMatDescr_t, *musparseDnMatDescr_t;
typedef const char *musparseDnVecDescr_t;
enum { MUSPARSE_STATUS_SUCCESS = 0 };
enum stage { SIZE, PREPROCESS, COMPUTE };
#define MUSPARSE_SPMM_STAGE_BUFFER_SIZE SIZE
#define MUSPARSE_SPMM_STAGE_PREPROCESS PREPROCESS
#define MUSPARSE_SPMM_STAGE_COMPUTE COMPUTE
#define MUSPARSE_SPSV_STAGE_BUFFER_SIZE SIZE
#define MUSPARSE_SPSV_STAGE_PREPROCESS PREPROCESS
#define MUSPARSE_SPSV_STAGE_COMPUTE COMPUTE
#define MUSPARSE_SPSM_STAGE_BUFFER_SIZE SIZE
#define MUSPARSE_SPSM_STAGE_PREPROCESS PREPROCESS
#define MUSPARSE_SPSM_STAGE_COMPUTE COMPUTE
static int told(const char *what, stage s, size_t *size, void *buffer) {
  std::printf("%s %d %d %d|", what, int(s), size != nullptr, buffer != nullptr);
  if (size != nullptr) *size = 64;
  return 0;
}
int musparseSpMM(musparseHandle_t, int, int, const void *, musparseSpMatDescr_t, musparseDnMatDescr_t,
                 const void *, musparseDnMatDescr_t, int, alg_t, stage s, size_t *n, void *b) {
  return told("mm", s, n, b);
}
int musparseSpSV(musparseHandle_t, int, const void *, musparseSpMatDescr_t, musparseDnVecDescr_t,
                 musparseDnVecDescr_t, int, alg_t, stage s, size_t *n, void *b) {
  return told("sv", s, n, b);
}
int musparseSpSM(musparseHandle_t, int, int, const void *, musparseSpMatDescr_t, musparseDnMatDescr_t,
                 musparseDnMatDescr_t, int, alg_t, stage s, size_t *n, void *b) {
  return told("sm", s, n, b);
}
#include "sigtrans_sparse.h"
using namespace sigtrans;
int main() {
  size_t size = 0; char buffer[64]; alg_t alg = 1; float one = 1;
  sparseSpMM_bufferSize("h", 0, 0, &one, "A", "B", &one, "C", 0, alg, &size);
  sparseSpMM("h", 0, 0, &one, "A", "B", &one, "C", 0, alg, buffer);
  sparseSpSVDescr_t v; sparseSpSV_createDescr(&v);
  sparseSpSV_bufferSize("h", 0, &one, "A", "x", "y", 0, alg, v, &size);
  sparseSpSV_analysis("h", 0, &one, "A", "x", "y", 0, alg, v, buffer);
  sparseSpSV_solve("h", 0, &one, "A", "x", "y", 0, alg, v);
  sparseSpSV_destroyDescr(v);
  sparseSpSMDescr_t m; sparseSpSM_createDescr(&m);
  sparseSpSM_bufferSize("h", 0, 0, &one, "A", "B", "C", 0, alg, m, &size);
  sparseSpSM_analysis("h", 0, 0, &one, "A", "B", "C", 0, alg, m, buffer);
  sparseSpSM_solve("h", 0, 0, &one, "A", "B", "C", 0, alg, m);
  sparseSpSM_destroyDescr(m);
  std::printf("%d", int(size));
}
