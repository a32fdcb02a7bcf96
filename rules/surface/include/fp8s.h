/* The 8-bit types; their functions stand in the table beside this folder. */
#ifndef SIGTRANS_FP8S_H
#define SIGTRANS_FP8S_H
#include "sigtrans/half.h"
typedef unsigned char __mt_fp8_storage_t;
typedef unsigned short __mt_fp8x2_storage_t;
typedef unsigned int __mt_fp8x4_storage_t;
#ifdef __cplusplus
#define SIGTRANS_FP8(name) \
  struct name { \
    __mt_fp8_storage_t __x; \
    name() = default; \
    template <class T> SIGTRANS_HD explicit name(T); \
    SIGTRANS_HD explicit operator float() const; \
    SIGTRANS_HD explicit operator double() const; \
    SIGTRANS_HD explicit operator __half() const; \
    SIGTRANS_HD explicit operator __mt_bfloat16() const; \
    SIGTRANS_HD explicit operator bool() const; \
    SIGTRANS_HD explicit operator int() const; \
    SIGTRANS_HD explicit operator unsigned int() const; \
  };
#define SIGTRANS_FP8S(name, storage) \
  struct name { \
    storage __x; \
    name() = default; \
    template <class... T> SIGTRANS_HD explicit name(T...); \
    SIGTRANS_HD explicit operator float2() const; \
    SIGTRANS_HD explicit operator float4() const; \
    SIGTRANS_HD explicit operator __half2() const; \
  };
SIGTRANS_FP8(__mt_fp8_e4m3)
SIGTRANS_FP8(__mt_fp8_e5m2)
SIGTRANS_FP8S(__mt_fp8x2_e4m3, __mt_fp8x2_storage_t)
SIGTRANS_FP8S(__mt_fp8x2_e5m2, __mt_fp8x2_storage_t)
SIGTRANS_FP8S(__mt_fp8x4_e4m3, __mt_fp8x4_storage_t)
SIGTRANS_FP8S(__mt_fp8x4_e5m2, __mt_fp8x4_storage_t)
#undef SIGTRANS_FP8
#undef SIGTRANS_FP8S
#endif
#endif
