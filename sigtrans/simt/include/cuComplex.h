// Complex numbers as pairs.
#pragma once
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define SIMT_COMPLEX(T, R, f, make)                                                              \
    static inline R cuCreal##f(T x) { return x.x; }                                              \
    static inline R cuCimag##f(T x) { return x.y; }                                              \
    static inline T make(R a, R b) {                                                             \
        T r;                                                                                     \
        r.x = a, r.y = b;                                                                        \
        return r;                                                                                \
    }                                                                                            \
    static inline T cuConj##f(T x) { return make(x.x, -x.y); }                                   \
    static inline T cuCadd##f(T x, T y) { return make(x.x + y.x, x.y + y.y); }                   \
    static inline T cuCsub##f(T x, T y) { return make(x.x - y.x, x.y - y.y); }                   \
    static inline T cuCmul##f(T x, T y) { return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); } \
    static inline T cuCdiv##f(T x, T y) {                                                        \
        const R s = (R)fabs(y.x) + (R)fabs(y.y), o = 1 / s;                                      \
        const R a = x.x * o, b = x.y * o, c = y.x * o, d = y.y * o, n = 1 / (c * c + d * d);     \
        return make((a * c + b * d) * n, (b * c - a * d) * n);                                   \
    }                                                                                            \
    static inline R cuCabs##f(T x) { return (R)hypot(x.x, x.y); }                                \
    static inline T cuCfma##f(T x, T y, T d) { return cuCadd##f(cuCmul##f(x, y), d); }
SIMT_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex)
SIMT_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex)
#undef SIMT_COMPLEX
static inline cuComplex make_cuComplex(float a, float b) { return make_cuFloatComplex(a, b); }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
    return make_cuDoubleComplex(c.x, c.y);
}
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
    return make_cuFloatComplex((float)c.x, (float)c.y);
}
