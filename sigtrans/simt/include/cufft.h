// Fourier transforms of any size, in one to three dimensions, batched, in either precision.
#pragma once
#define _CUFFT_H_

#include "cuComplex.h"
#include "cuda_runtime_api.h"

typedef enum cufftResult_t {
    CUFFT_SUCCESS = 0x0, CUFFT_INVALID_PLAN = 0x1, CUFFT_ALLOC_FAILED = 0x2,
    CUFFT_INVALID_TYPE = 0x3, CUFFT_INVALID_VALUE = 0x4, CUFFT_INTERNAL_ERROR = 0x5,
    CUFFT_EXEC_FAILED = 0x6, CUFFT_SETUP_FAILED = 0x7, CUFFT_INVALID_SIZE = 0x8,
    CUFFT_UNALIGNED_DATA = 0x9, CUFFT_INCOMPLETE_PARAMETER_LIST = 0xA, CUFFT_INVALID_DEVICE = 0xB,
    CUFFT_PARSE_ERROR = 0xC, CUFFT_NO_WORKSPACE = 0xD, CUFFT_NOT_IMPLEMENTED = 0xE,
    CUFFT_LICENSE_ERROR = 0xF, CUFFT_NOT_SUPPORTED = 0x10
} cufftResult;

typedef enum cufftType_t {
    CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c,
    CUFFT_Z2Z = 0x69
} cufftType;

#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef int cufftHandle;

#ifdef __cplusplus
extern "C" {
#endif
cufftResult cufftCreate(cufftHandle *plan) SIMT_AS("FftCreate");
cufftResult cufftDestroy(cufftHandle plan) SIMT_AS("FftDestroy");
cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch) SIMT_AS("FftPlan1d");
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type) SIMT_AS("FftPlan2d");
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type) SIMT_AS("FftPlan3d");
cufftResult cufftPlanMany(
    cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
    int ostride, int odist, cufftType type, int batch
) SIMT_AS("FftPlanMany");
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *work)
    SIMT_AS("FftMakePlan1d");
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *work)
    SIMT_AS("FftMakePlan2d");
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *work)
    SIMT_AS("FftMakePlan3d");
cufftResult cufftMakePlanMany(
    cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
    int ostride, int odist, cufftType type, int batch, size_t *work
) SIMT_AS("FftMakePlanMany");
cufftResult cufftGetSize(cufftHandle plan, size_t *work) SIMT_AS("FftGetSize");
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) SIMT_AS("FftSetStream");
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction)
    SIMT_AS("FftExecC2C");
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out) SIMT_AS("FftExecR2C");
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out) SIMT_AS("FftExecC2R");
cufftResult cufftExecZ2Z(
    cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction
) SIMT_AS("FftExecZ2Z");
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out)
    SIMT_AS("FftExecD2Z");
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out)
    SIMT_AS("FftExecZ2D");
#ifdef __cplusplus
}
#endif
