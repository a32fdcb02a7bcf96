// bfloat16 precision: numbers, pairs of them, and their functions. Every operation rounds once.
#pragma once
#define __CUDA_BF16_H__

#include <math.h>

#include "device_atomic_functions.h"
#include "device_functions.h"
#include "simt/half.h"
#include "vector_types.h"

struct __attribute__((aligned(2))) __nv_bfloat16_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) __nv_bfloat16 {
    unsigned short __x;

    __nv_bfloat16() = default;  // leaves it as it is: shared memory and unions hold such numbers
    constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
    __nv_bfloat16(float value) : __x(simt::bfloat_from_double(value)) {}
    __nv_bfloat16(double value) : __x(simt::bfloat_from_double(value)) {}
    __nv_bfloat16(int value) : __x(simt::bfloat_from_double(value)) {}
    __nv_bfloat16(unsigned value) : __x(simt::bfloat_from_double(value)) {}
    __nv_bfloat16(short value) : __x(simt::bfloat_from_double(value)) {}
    __nv_bfloat16(unsigned short value) : __x(simt::bfloat_from_double(value)) {}
    __nv_bfloat16(long value) : __x(simt::bfloat_from_double(double(value))) {}
    __nv_bfloat16(unsigned long value) : __x(simt::bfloat_from_double(double(value))) {}
    __nv_bfloat16(long long value) : __x(simt::bfloat_from_double(double(value))) {}
    __nv_bfloat16(unsigned long long value) : __x(simt::bfloat_from_double(double(value))) {}

    operator float() const { return simt::float_from_bfloat(__x); }
    operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
    explicit operator bool() const { return (__x & 0x7fff) != 0; }
    explicit operator signed char() const { return (signed char)float(*this); }
    explicit operator unsigned char() const { return (unsigned char)float(*this); }
    explicit operator short() const { return short(float(*this)); }
    explicit operator unsigned short() const { return (unsigned short)float(*this); }
    explicit operator int() const { return int(float(*this)); }
    explicit operator unsigned() const { return unsigned(float(*this)); }
    explicit operator long long() const { return (long long)float(*this); }
    explicit operator unsigned long long() const { return (unsigned long long)float(*this); }

    __nv_bfloat16 &operator=(float value) { return *this = __nv_bfloat16(value); }
    __nv_bfloat16 &operator=(double value) { return *this = __nv_bfloat16(value); }
    __nv_bfloat16 &operator=(int value) { return *this = __nv_bfloat16(value); }
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
    __nv_bfloat162(const __nv_bfloat162_raw &raw) : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

namespace simt {
inline __nv_bfloat16 simt_b(double value, Round how = Round::nearest) { return __nv_bfloat16_raw{simt::bfloat_from_double(value, how)}; }
inline double wide(__nv_bfloat16 value) { return simt::float_from_bfloat(value.__x); }
inline bool is_nan(__nv_bfloat16 value) { const float f = value; return f != f; }
}  // namespace simt

// --- conversions -------------------------------------------------------------------------------

inline __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return simt::simt_b(a, simt::Round::nearest); }
inline __nv_bfloat16 __float2bfloat16_rz(float a) { return simt::simt_b(a, simt::Round::zero); }
inline __nv_bfloat16 __float2bfloat16_rd(float a) { return simt::simt_b(a, simt::Round::down); }
inline __nv_bfloat16 __float2bfloat16_ru(float a) { return simt::simt_b(a, simt::Round::up); }
inline float __bfloat162float(__nv_bfloat16 a) { return a; }
inline __nv_bfloat16 __int2bfloat16_rn(int a) { return simt::simt_b(double(a), simt::Round::nearest); }
inline int __bfloat162int_rn(__nv_bfloat16 a) { return simt::to_integer<int>(float(a), simt::Round::nearest); }
inline __nv_bfloat16 __int2bfloat16_rz(int a) { return simt::simt_b(double(a), simt::Round::zero); }
inline int __bfloat162int_rz(__nv_bfloat16 a) { return simt::to_integer<int>(float(a), simt::Round::zero); }
inline __nv_bfloat16 __int2bfloat16_rd(int a) { return simt::simt_b(double(a), simt::Round::down); }
inline int __bfloat162int_rd(__nv_bfloat16 a) { return simt::to_integer<int>(float(a), simt::Round::down); }
inline __nv_bfloat16 __int2bfloat16_ru(int a) { return simt::simt_b(double(a), simt::Round::up); }
inline int __bfloat162int_ru(__nv_bfloat16 a) { return simt::to_integer<int>(float(a), simt::Round::up); }
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned int a) { return simt::simt_b(double(a), simt::Round::nearest); }
inline unsigned int __bfloat162uint_rn(__nv_bfloat16 a) { return simt::to_integer<unsigned int>(float(a), simt::Round::nearest); }
inline __nv_bfloat16 __uint2bfloat16_rz(unsigned int a) { return simt::simt_b(double(a), simt::Round::zero); }
inline unsigned int __bfloat162uint_rz(__nv_bfloat16 a) { return simt::to_integer<unsigned int>(float(a), simt::Round::zero); }
inline __nv_bfloat16 __uint2bfloat16_rd(unsigned int a) { return simt::simt_b(double(a), simt::Round::down); }
inline unsigned int __bfloat162uint_rd(__nv_bfloat16 a) { return simt::to_integer<unsigned int>(float(a), simt::Round::down); }
inline __nv_bfloat16 __uint2bfloat16_ru(unsigned int a) { return simt::simt_b(double(a), simt::Round::up); }
inline unsigned int __bfloat162uint_ru(__nv_bfloat16 a) { return simt::to_integer<unsigned int>(float(a), simt::Round::up); }
inline __nv_bfloat16 __short2bfloat16_rn(short a) { return simt::simt_b(double(a), simt::Round::nearest); }
inline short __bfloat162short_rn(__nv_bfloat16 a) { return (short)simt::to_integer<int>(float(a), simt::Round::nearest); }
inline __nv_bfloat16 __short2bfloat16_rz(short a) { return simt::simt_b(double(a), simt::Round::zero); }
inline short __bfloat162short_rz(__nv_bfloat16 a) { return (short)simt::to_integer<int>(float(a), simt::Round::zero); }
inline __nv_bfloat16 __short2bfloat16_rd(short a) { return simt::simt_b(double(a), simt::Round::down); }
inline short __bfloat162short_rd(__nv_bfloat16 a) { return (short)simt::to_integer<int>(float(a), simt::Round::down); }
inline __nv_bfloat16 __short2bfloat16_ru(short a) { return simt::simt_b(double(a), simt::Round::up); }
inline short __bfloat162short_ru(__nv_bfloat16 a) { return (short)simt::to_integer<int>(float(a), simt::Round::up); }
inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short a) { return simt::simt_b(double(a), simt::Round::nearest); }
inline unsigned short __bfloat162ushort_rn(__nv_bfloat16 a) { return (unsigned short)simt::to_integer<int>(float(a), simt::Round::nearest); }
inline __nv_bfloat16 __ushort2bfloat16_rz(unsigned short a) { return simt::simt_b(double(a), simt::Round::zero); }
inline unsigned short __bfloat162ushort_rz(__nv_bfloat16 a) { return (unsigned short)simt::to_integer<int>(float(a), simt::Round::zero); }
inline __nv_bfloat16 __ushort2bfloat16_rd(unsigned short a) { return simt::simt_b(double(a), simt::Round::down); }
inline unsigned short __bfloat162ushort_rd(__nv_bfloat16 a) { return (unsigned short)simt::to_integer<int>(float(a), simt::Round::down); }
inline __nv_bfloat16 __ushort2bfloat16_ru(unsigned short a) { return simt::simt_b(double(a), simt::Round::up); }
inline unsigned short __bfloat162ushort_ru(__nv_bfloat16 a) { return (unsigned short)simt::to_integer<int>(float(a), simt::Round::up); }
inline __nv_bfloat16 __ll2bfloat16_rn(long long a) { return simt::simt_b(double(a), simt::Round::nearest); }
inline long long __bfloat162ll_rn(__nv_bfloat16 a) { return simt::to_integer<long long>(float(a), simt::Round::nearest); }
inline __nv_bfloat16 __ll2bfloat16_rz(long long a) { return simt::simt_b(double(a), simt::Round::zero); }
inline long long __bfloat162ll_rz(__nv_bfloat16 a) { return simt::to_integer<long long>(float(a), simt::Round::zero); }
inline __nv_bfloat16 __ll2bfloat16_rd(long long a) { return simt::simt_b(double(a), simt::Round::down); }
inline long long __bfloat162ll_rd(__nv_bfloat16 a) { return simt::to_integer<long long>(float(a), simt::Round::down); }
inline __nv_bfloat16 __ll2bfloat16_ru(long long a) { return simt::simt_b(double(a), simt::Round::up); }
inline long long __bfloat162ll_ru(__nv_bfloat16 a) { return simt::to_integer<long long>(float(a), simt::Round::up); }
inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long a) { return simt::simt_b(double(a), simt::Round::nearest); }
inline unsigned long long __bfloat162ull_rn(__nv_bfloat16 a) { return simt::to_integer<unsigned long long>(float(a), simt::Round::nearest); }
inline __nv_bfloat16 __ull2bfloat16_rz(unsigned long long a) { return simt::simt_b(double(a), simt::Round::zero); }
inline unsigned long long __bfloat162ull_rz(__nv_bfloat16 a) { return simt::to_integer<unsigned long long>(float(a), simt::Round::zero); }
inline __nv_bfloat16 __ull2bfloat16_rd(unsigned long long a) { return simt::simt_b(double(a), simt::Round::down); }
inline unsigned long long __bfloat162ull_rd(__nv_bfloat16 a) { return simt::to_integer<unsigned long long>(float(a), simt::Round::down); }
inline __nv_bfloat16 __ull2bfloat16_ru(unsigned long long a) { return simt::simt_b(double(a), simt::Round::up); }
inline unsigned long long __bfloat162ull_ru(__nv_bfloat16 a) { return simt::to_integer<unsigned long long>(float(a), simt::Round::up); }
inline __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a)); }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y)); }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return float2{float(a.x), float(a.y)}; }
inline float __low2float(__nv_bfloat162 a) { return a.x; }
inline float __high2float(__nv_bfloat162 a) { return a.y; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
inline short __bfloat16_as_short(__nv_bfloat16 a) { return short(a.__x); }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
inline __nv_bfloat16 __short_as_bfloat16(short a) { return __nv_bfloat16_raw{(unsigned short)a}; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16_raw{a}; }

// --- arithmetic --------------------------------------------------------------------------------

inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::simt_b(simt::wide(a) + simt::wide(b)); }
inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::simt_b(simt::wide(a) - simt::wide(b)); }
inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::simt_b(simt::wide(a) * simt::wide(b)); }
inline __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::simt_b(simt::wide(a) / simt::wide(b)); }
inline __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
inline __nv_bfloat162 __hadd2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
inline __nv_bfloat16 __hadd_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__saturatef(__hadd(a, b))); }
inline __nv_bfloat162 __hadd2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
inline __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
inline __nv_bfloat162 __hsub2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
inline __nv_bfloat16 __hsub_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__saturatef(__hsub(a, b))); }
inline __nv_bfloat162 __hsub2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
inline __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
inline __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
inline __nv_bfloat162 __hmul2_rn(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
inline __nv_bfloat16 __hmul_sat(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16(__saturatef(__hmul(a, b))); }
inline __nv_bfloat162 __hmul2_sat(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
inline __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return simt::simt_b(simt::fused_odd(simt::wide(a), simt::wide(b), simt::wide(c))); }
inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
inline __nv_bfloat16 __hfma_sat(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16(__saturatef(__hfma(a, b, c))); }
inline __nv_bfloat162 __hfma2_sat(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
inline __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { const __nv_bfloat16 r = __hfma(a, b, c); return float(r) > 0 || simt::is_nan(r) ? r : __nv_bfloat16(0.0f); }
inline __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
inline __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __nv_bfloat16_raw{(unsigned short)(a.__x ^ 0x8000)}; }
inline __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __nv_bfloat162(__hneg(a.x), __hneg(a.y)); }
inline __nv_bfloat16 __habs(__nv_bfloat16 a) { return __nv_bfloat16_raw{(unsigned short)(a.__x & 0x7fff)}; }
inline __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __nv_bfloat162(__habs(a.x), __habs(a.y)); }

// --- comparisons: false with a NaN, and (u) true with one ---------------------------------------

inline bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return float(a) == float(b); }
inline bool __hequ(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) == float(b); }
inline __nv_bfloat162 __heq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__heq(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__heq(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
inline __nv_bfloat162 __hequ2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hequ(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hequ(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbequ2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
inline bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return float(a) != float(b) && !simt::is_nan(a) && !simt::is_nan(b); }
inline bool __hneu(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) != float(b); }
inline __nv_bfloat162 __hne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hne(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hne(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
inline __nv_bfloat162 __hneu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hneu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hneu(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbneu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
inline bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return float(a) <= float(b); }
inline bool __hleu(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) <= float(b); }
inline __nv_bfloat162 __hle2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hle(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hle(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
inline __nv_bfloat162 __hleu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hleu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hleu(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbleu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
inline bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return float(a) >= float(b); }
inline bool __hgeu(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) >= float(b); }
inline __nv_bfloat162 __hge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hge(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hge(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
inline __nv_bfloat162 __hgeu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hgeu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgeu(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbgeu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }
inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return float(a) < float(b); }
inline bool __hltu(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) < float(b); }
inline __nv_bfloat162 __hlt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hlt(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hlt(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
inline __nv_bfloat162 __hltu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hltu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hltu(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbltu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
inline bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return float(a) > float(b); }
inline bool __hgtu(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) > float(b); }
inline __nv_bfloat162 __hgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hgt(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgt(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
inline __nv_bfloat162 __hgtu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(__hgtu(a.x, b.x) ? 1.0f : 0.0f), __nv_bfloat16(__hgtu(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbgtu2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
inline bool __hisnan(__nv_bfloat16 a) { return simt::is_nan(a); }
inline int __hisinf(__nv_bfloat16 a) { const float f = a; return isinf(f) ? (f > 0 ? 1 : -1) : 0; }
inline __nv_bfloat162 __hisnan2(__nv_bfloat162 a) { return __nv_bfloat162(__nv_bfloat16(__hisnan(a.x) ? 1.0f : 0.0f), __nv_bfloat16(__hisnan(a.y) ? 1.0f : 0.0f)); }
inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::is_nan(a) ? b : simt::is_nan(b) ? a : float(b) < float(a) ? b : a; }
inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::is_nan(a) ? b : simt::is_nan(b) ? a : float(a) < float(b) ? b : a; }
inline __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::is_nan(a) ? a : simt::is_nan(b) ? b : __hmin(a, b); }
inline __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return simt::is_nan(a) ? a : simt::is_nan(b) ? b : __hmax(a, b); }
inline __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
inline __nv_bfloat162 __hmin2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
inline __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
inline __nv_bfloat162 __hmax2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }

// --- functions ---------------------------------------------------------------------------------

inline __nv_bfloat16 hsqrt(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(sqrt(x)); }
inline __nv_bfloat162 h2sqrt(__nv_bfloat162 a) { return __nv_bfloat162(hsqrt(a.x), hsqrt(a.y)); }
inline __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(1 / sqrt(x)); }
inline __nv_bfloat162 h2rsqrt(__nv_bfloat162 a) { return __nv_bfloat162(hrsqrt(a.x), hrsqrt(a.y)); }
inline __nv_bfloat16 hrcp(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(1 / x); }
inline __nv_bfloat162 h2rcp(__nv_bfloat162 a) { return __nv_bfloat162(hrcp(a.x), hrcp(a.y)); }
inline __nv_bfloat16 hexp(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(exp(x)); }
inline __nv_bfloat162 h2exp(__nv_bfloat162 a) { return __nv_bfloat162(hexp(a.x), hexp(a.y)); }
inline __nv_bfloat16 hexp2(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(exp2(x)); }
inline __nv_bfloat162 h2exp2(__nv_bfloat162 a) { return __nv_bfloat162(hexp2(a.x), hexp2(a.y)); }
inline __nv_bfloat16 hexp10(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(exp10(x)); }
inline __nv_bfloat162 h2exp10(__nv_bfloat162 a) { return __nv_bfloat162(hexp10(a.x), hexp10(a.y)); }
inline __nv_bfloat16 hlog(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(log(x)); }
inline __nv_bfloat162 h2log(__nv_bfloat162 a) { return __nv_bfloat162(hlog(a.x), hlog(a.y)); }
inline __nv_bfloat16 hlog2(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(log2(x)); }
inline __nv_bfloat162 h2log2(__nv_bfloat162 a) { return __nv_bfloat162(hlog2(a.x), hlog2(a.y)); }
inline __nv_bfloat16 hlog10(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(log10(x)); }
inline __nv_bfloat162 h2log10(__nv_bfloat162 a) { return __nv_bfloat162(hlog10(a.x), hlog10(a.y)); }
inline __nv_bfloat16 hsin(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(sin(x)); }
inline __nv_bfloat162 h2sin(__nv_bfloat162 a) { return __nv_bfloat162(hsin(a.x), hsin(a.y)); }
inline __nv_bfloat16 hcos(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(cos(x)); }
inline __nv_bfloat162 h2cos(__nv_bfloat162 a) { return __nv_bfloat162(hcos(a.x), hcos(a.y)); }
inline __nv_bfloat16 hceil(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(ceil(x)); }
inline __nv_bfloat162 h2ceil(__nv_bfloat162 a) { return __nv_bfloat162(hceil(a.x), hceil(a.y)); }
inline __nv_bfloat16 hfloor(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(floor(x)); }
inline __nv_bfloat162 h2floor(__nv_bfloat162 a) { return __nv_bfloat162(hfloor(a.x), hfloor(a.y)); }
inline __nv_bfloat16 htrunc(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(trunc(x)); }
inline __nv_bfloat162 h2trunc(__nv_bfloat162 a) { return __nv_bfloat162(htrunc(a.x), htrunc(a.y)); }
inline __nv_bfloat16 hrint(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(rint(x)); }
inline __nv_bfloat162 h2rint(__nv_bfloat162 a) { return __nv_bfloat162(hrint(a.x), hrint(a.y)); }
inline __nv_bfloat16 htanh(__nv_bfloat16 a) { const double x = simt::wide(a); return simt::simt_b(tanh(x)); }
inline __nv_bfloat162 h2tanh(__nv_bfloat162 a) { return __nv_bfloat162(htanh(a.x), htanh(a.y)); }

// --- operators ---------------------------------------------------------------------------------

inline __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __hadd(a, b); }
inline __nv_bfloat16 &operator+=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = __hadd(a, b); }
inline __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
inline __nv_bfloat162 &operator+=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = __hadd2(a, b); }
inline __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __hsub(a, b); }
inline __nv_bfloat16 &operator-=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = __hsub(a, b); }
inline __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return __hsub2(a, b); }
inline __nv_bfloat162 &operator-=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = __hsub2(a, b); }
inline __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __hmul(a, b); }
inline __nv_bfloat16 &operator*=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = __hmul(a, b); }
inline __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return __hmul2(a, b); }
inline __nv_bfloat162 &operator*=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = __hmul2(a, b); }
inline __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __hdiv(a, b); }
inline __nv_bfloat16 &operator/=(__nv_bfloat16 &a, __nv_bfloat16 b) { return a = __hdiv(a, b); }
inline __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) { return __h2div(a, b); }
inline __nv_bfloat162 &operator/=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = __h2div(a, b); }
inline __nv_bfloat16 operator-(__nv_bfloat16 a) { return __hneg(a); }
inline __nv_bfloat16 operator+(__nv_bfloat16 a) { return a; }
inline __nv_bfloat162 operator-(__nv_bfloat162 a) { return __hneg2(a); }
inline __nv_bfloat16 &operator++(__nv_bfloat16 &a) { return a = a + __nv_bfloat16(1.0f); }
inline __nv_bfloat16 &operator--(__nv_bfloat16 &a) { return a = a - __nv_bfloat16(1.0f); }
inline bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) { return __heq(a, b); }
inline bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hneu(a, b); }
inline bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) { return __hlt(a, b); }
inline bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) { return __hgt(a, b); }
inline bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hle(a, b); }
inline bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) { return __hge(a, b); }
inline bool operator==(__nv_bfloat162 a, __nv_bfloat162 b) { return __hbeq2(a, b); }
inline bool operator!=(__nv_bfloat162 a, __nv_bfloat162 b) { return __hbneu2(a, b); }

// --- warps and memory --------------------------------------------------------------------------

inline __nv_bfloat16 __shfl_sync(
    unsigned mask, __nv_bfloat16 value, int lane, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::index, int(lane), width, site);
}
inline __nv_bfloat16 __shfl_up_sync(
    unsigned mask, __nv_bfloat16 value, unsigned delta, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::up, int(delta), width, site);
}
inline __nv_bfloat16 __shfl_down_sync(
    unsigned mask, __nv_bfloat16 value, unsigned delta, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::down, int(delta), width, site);
}
inline __nv_bfloat16 __shfl_xor_sync(
    unsigned mask, __nv_bfloat16 value, int bits, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::exclusive_or, int(bits), width, site);
}
inline __nv_bfloat16 __ldg(const __nv_bfloat16 *pointer) { return *pointer; }
inline __nv_bfloat16 __ldca(const __nv_bfloat16 *pointer) { return *pointer; }
inline __nv_bfloat16 __ldcg(const __nv_bfloat16 *pointer) { return *pointer; }
inline __nv_bfloat16 __ldcs(const __nv_bfloat16 *pointer) { return *pointer; }
inline void __stcg(__nv_bfloat16 *pointer, __nv_bfloat16 value) { *pointer = value; }
inline void __stcs(__nv_bfloat16 *pointer, __nv_bfloat16 value) { *pointer = value; }
inline void __stwb(__nv_bfloat16 *pointer, __nv_bfloat16 value) { *pointer = value; }
inline void __stwt(__nv_bfloat16 *pointer, __nv_bfloat16 value) { *pointer = value; }
inline __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 value, simt::Site site = simt::Site::here()) {
    return simt::exchange_by(address, [=](__nv_bfloat16 old) { return old + value; }, site);
}
inline __nv_bfloat162 __shfl_sync(
    unsigned mask, __nv_bfloat162 value, int lane, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::index, int(lane), width, site);
}
inline __nv_bfloat162 __shfl_up_sync(
    unsigned mask, __nv_bfloat162 value, unsigned delta, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::up, int(delta), width, site);
}
inline __nv_bfloat162 __shfl_down_sync(
    unsigned mask, __nv_bfloat162 value, unsigned delta, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::down, int(delta), width, site);
}
inline __nv_bfloat162 __shfl_xor_sync(
    unsigned mask, __nv_bfloat162 value, int bits, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::exclusive_or, int(bits), width, site);
}
inline __nv_bfloat162 __ldg(const __nv_bfloat162 *pointer) { return *pointer; }
inline __nv_bfloat162 __ldca(const __nv_bfloat162 *pointer) { return *pointer; }
inline __nv_bfloat162 __ldcg(const __nv_bfloat162 *pointer) { return *pointer; }
inline __nv_bfloat162 __ldcs(const __nv_bfloat162 *pointer) { return *pointer; }
inline void __stcg(__nv_bfloat162 *pointer, __nv_bfloat162 value) { *pointer = value; }
inline void __stcs(__nv_bfloat162 *pointer, __nv_bfloat162 value) { *pointer = value; }
inline void __stwb(__nv_bfloat162 *pointer, __nv_bfloat162 value) { *pointer = value; }
inline void __stwt(__nv_bfloat162 *pointer, __nv_bfloat162 value) { *pointer = value; }
inline __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value, simt::Site site = simt::Site::here()) {
    return simt::exchange_by(address, [=](__nv_bfloat162 old) { return old + value; }, site);
}
