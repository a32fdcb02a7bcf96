// Half precision: numbers, pairs of them, and their functions. Every operation rounds once.
#pragma once
#define __CUDA_FP16_H__

#include <math.h>

#include "device_atomic_functions.h"
#include "device_functions.h"
#include "simt/half.h"
#include "vector_types.h"

struct __attribute__((aligned(2))) __half_raw {
    unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) __half {
    unsigned short __x;

    __half() = default;  // leaves it as it is: shared memory and unions hold such numbers
    constexpr __half(const __half_raw &raw) : __x(raw.x) {}
    __half(float value) : __x(simt::half_from_double(value)) {}
    __half(double value) : __x(simt::half_from_double(value)) {}
    __half(int value) : __x(simt::half_from_double(value)) {}
    __half(unsigned value) : __x(simt::half_from_double(value)) {}
    __half(short value) : __x(simt::half_from_double(value)) {}
    __half(unsigned short value) : __x(simt::half_from_double(value)) {}
    __half(long value) : __x(simt::half_from_double(double(value))) {}
    __half(unsigned long value) : __x(simt::half_from_double(double(value))) {}
    __half(long long value) : __x(simt::half_from_double(double(value))) {}
    __half(unsigned long long value) : __x(simt::half_from_double(double(value))) {}

    operator float() const { return simt::float_from_half(__x); }
    operator __half_raw() const { return __half_raw{__x}; }
    explicit operator bool() const { return (__x & 0x7fff) != 0; }
    explicit operator signed char() const { return (signed char)float(*this); }
    explicit operator unsigned char() const { return (unsigned char)float(*this); }
    explicit operator short() const { return short(float(*this)); }
    explicit operator unsigned short() const { return (unsigned short)float(*this); }
    explicit operator int() const { return int(float(*this)); }
    explicit operator unsigned() const { return unsigned(float(*this)); }
    explicit operator long long() const { return (long long)float(*this); }
    explicit operator unsigned long long() const { return (unsigned long long)float(*this); }

    __half &operator=(float value) { return *this = __half(value); }
    __half &operator=(double value) { return *this = __half(value); }
    __half &operator=(int value) { return *this = __half(value); }
};

struct __attribute__((aligned(4))) __half2 {
    __half x, y;

    __half2() = default;
    __half2(__half a, __half b) : x(a), y(b) {}
    __half2(const __half2_raw &raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
};

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

namespace simt {
inline __half simt_h(double value, Round how = Round::nearest) { return __half_raw{simt::half_from_double(value, how)}; }
inline double wide(__half value) { return simt::float_from_half(value.__x); }
inline bool is_nan(__half value) { const float f = value; return f != f; }
}  // namespace simt

// --- conversions -------------------------------------------------------------------------------

inline __half __float2half(float a) { return __half(a); }
inline __half __double2half(double a) { return __half(a); }
inline __half __float2half_rn(float a) { return simt::simt_h(a, simt::Round::nearest); }
inline __half __float2half_rz(float a) { return simt::simt_h(a, simt::Round::zero); }
inline __half __float2half_rd(float a) { return simt::simt_h(a, simt::Round::down); }
inline __half __float2half_ru(float a) { return simt::simt_h(a, simt::Round::up); }
inline float __half2float(__half a) { return a; }
inline __half __int2half_rn(int a) { return simt::simt_h(double(a), simt::Round::nearest); }
inline int __half2int_rn(__half a) { return simt::to_integer<int>(float(a), simt::Round::nearest); }
inline __half __int2half_rz(int a) { return simt::simt_h(double(a), simt::Round::zero); }
inline int __half2int_rz(__half a) { return simt::to_integer<int>(float(a), simt::Round::zero); }
inline __half __int2half_rd(int a) { return simt::simt_h(double(a), simt::Round::down); }
inline int __half2int_rd(__half a) { return simt::to_integer<int>(float(a), simt::Round::down); }
inline __half __int2half_ru(int a) { return simt::simt_h(double(a), simt::Round::up); }
inline int __half2int_ru(__half a) { return simt::to_integer<int>(float(a), simt::Round::up); }
inline __half __uint2half_rn(unsigned int a) { return simt::simt_h(double(a), simt::Round::nearest); }
inline unsigned int __half2uint_rn(__half a) { return simt::to_integer<unsigned int>(float(a), simt::Round::nearest); }
inline __half __uint2half_rz(unsigned int a) { return simt::simt_h(double(a), simt::Round::zero); }
inline unsigned int __half2uint_rz(__half a) { return simt::to_integer<unsigned int>(float(a), simt::Round::zero); }
inline __half __uint2half_rd(unsigned int a) { return simt::simt_h(double(a), simt::Round::down); }
inline unsigned int __half2uint_rd(__half a) { return simt::to_integer<unsigned int>(float(a), simt::Round::down); }
inline __half __uint2half_ru(unsigned int a) { return simt::simt_h(double(a), simt::Round::up); }
inline unsigned int __half2uint_ru(__half a) { return simt::to_integer<unsigned int>(float(a), simt::Round::up); }
inline __half __short2half_rn(short a) { return simt::simt_h(double(a), simt::Round::nearest); }
inline short __half2short_rn(__half a) { return (short)simt::to_integer<int>(float(a), simt::Round::nearest); }
inline __half __short2half_rz(short a) { return simt::simt_h(double(a), simt::Round::zero); }
inline short __half2short_rz(__half a) { return (short)simt::to_integer<int>(float(a), simt::Round::zero); }
inline __half __short2half_rd(short a) { return simt::simt_h(double(a), simt::Round::down); }
inline short __half2short_rd(__half a) { return (short)simt::to_integer<int>(float(a), simt::Round::down); }
inline __half __short2half_ru(short a) { return simt::simt_h(double(a), simt::Round::up); }
inline short __half2short_ru(__half a) { return (short)simt::to_integer<int>(float(a), simt::Round::up); }
inline __half __ushort2half_rn(unsigned short a) { return simt::simt_h(double(a), simt::Round::nearest); }
inline unsigned short __half2ushort_rn(__half a) { return (unsigned short)simt::to_integer<int>(float(a), simt::Round::nearest); }
inline __half __ushort2half_rz(unsigned short a) { return simt::simt_h(double(a), simt::Round::zero); }
inline unsigned short __half2ushort_rz(__half a) { return (unsigned short)simt::to_integer<int>(float(a), simt::Round::zero); }
inline __half __ushort2half_rd(unsigned short a) { return simt::simt_h(double(a), simt::Round::down); }
inline unsigned short __half2ushort_rd(__half a) { return (unsigned short)simt::to_integer<int>(float(a), simt::Round::down); }
inline __half __ushort2half_ru(unsigned short a) { return simt::simt_h(double(a), simt::Round::up); }
inline unsigned short __half2ushort_ru(__half a) { return (unsigned short)simt::to_integer<int>(float(a), simt::Round::up); }
inline __half __ll2half_rn(long long a) { return simt::simt_h(double(a), simt::Round::nearest); }
inline long long __half2ll_rn(__half a) { return simt::to_integer<long long>(float(a), simt::Round::nearest); }
inline __half __ll2half_rz(long long a) { return simt::simt_h(double(a), simt::Round::zero); }
inline long long __half2ll_rz(__half a) { return simt::to_integer<long long>(float(a), simt::Round::zero); }
inline __half __ll2half_rd(long long a) { return simt::simt_h(double(a), simt::Round::down); }
inline long long __half2ll_rd(__half a) { return simt::to_integer<long long>(float(a), simt::Round::down); }
inline __half __ll2half_ru(long long a) { return simt::simt_h(double(a), simt::Round::up); }
inline long long __half2ll_ru(__half a) { return simt::to_integer<long long>(float(a), simt::Round::up); }
inline __half __ull2half_rn(unsigned long long a) { return simt::simt_h(double(a), simt::Round::nearest); }
inline unsigned long long __half2ull_rn(__half a) { return simt::to_integer<unsigned long long>(float(a), simt::Round::nearest); }
inline __half __ull2half_rz(unsigned long long a) { return simt::simt_h(double(a), simt::Round::zero); }
inline unsigned long long __half2ull_rz(__half a) { return simt::to_integer<unsigned long long>(float(a), simt::Round::zero); }
inline __half __ull2half_rd(unsigned long long a) { return simt::simt_h(double(a), simt::Round::down); }
inline unsigned long long __half2ull_rd(__half a) { return simt::to_integer<unsigned long long>(float(a), simt::Round::down); }
inline __half __ull2half_ru(unsigned long long a) { return simt::simt_h(double(a), simt::Round::up); }
inline unsigned long long __half2ull_ru(__half a) { return simt::to_integer<unsigned long long>(float(a), simt::Round::up); }
inline __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
inline __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
inline __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
inline float2 __half22float2(__half2 a) { return float2{float(a.x), float(a.y)}; }
inline float __low2float(__half2 a) { return a.x; }
inline float __high2float(__half2 a) { return a.y; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline __half2 __half2half2(__half a) { return __half2(a, a); }
inline __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
inline __half2 make_half2(__half a, __half b) { return __half2(a, b); }
inline __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
inline __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
inline __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
inline __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
inline __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
inline short __half_as_short(__half a) { return short(a.__x); }
inline unsigned short __half_as_ushort(__half a) { return a.__x; }
inline __half __short_as_half(short a) { return __half_raw{(unsigned short)a}; }
inline __half __ushort_as_half(unsigned short a) { return __half_raw{a}; }

// --- arithmetic --------------------------------------------------------------------------------

inline __half __hadd(__half a, __half b) { return simt::simt_h(simt::wide(a) + simt::wide(b)); }
inline __half __hsub(__half a, __half b) { return simt::simt_h(simt::wide(a) - simt::wide(b)); }
inline __half __hmul(__half a, __half b) { return simt::simt_h(simt::wide(a) * simt::wide(b)); }
inline __half __hdiv(__half a, __half b) { return simt::simt_h(simt::wide(a) / simt::wide(b)); }
inline __half __hadd_rn(__half a, __half b) { return __hadd(a, b); }
inline __half2 __hadd2(__half2 a, __half2 b) { return __half2(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
inline __half2 __hadd2_rn(__half2 a, __half2 b) { return __hadd2(a, b); }
inline __half __hadd_sat(__half a, __half b) { return __half(__saturatef(__hadd(a, b))); }
inline __half2 __hadd2_sat(__half2 a, __half2 b) { return __half2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
inline __half __hsub_rn(__half a, __half b) { return __hsub(a, b); }
inline __half2 __hsub2(__half2 a, __half2 b) { return __half2(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
inline __half2 __hsub2_rn(__half2 a, __half2 b) { return __hsub2(a, b); }
inline __half __hsub_sat(__half a, __half b) { return __half(__saturatef(__hsub(a, b))); }
inline __half2 __hsub2_sat(__half2 a, __half2 b) { return __half2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
inline __half __hmul_rn(__half a, __half b) { return __hmul(a, b); }
inline __half2 __hmul2(__half2 a, __half2 b) { return __half2(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
inline __half2 __hmul2_rn(__half2 a, __half2 b) { return __hmul2(a, b); }
inline __half __hmul_sat(__half a, __half b) { return __half(__saturatef(__hmul(a, b))); }
inline __half2 __hmul2_sat(__half2 a, __half2 b) { return __half2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
inline __half2 __h2div(__half2 a, __half2 b) { return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
inline __half __hfma(__half a, __half b, __half c) { return simt::simt_h(simt::fused_odd(simt::wide(a), simt::wide(b), simt::wide(c))); }
inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
inline __half __hfma_sat(__half a, __half b, __half c) { return __half(__saturatef(__hfma(a, b, c))); }
inline __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
inline __half __hfma_relu(__half a, __half b, __half c) { const __half r = __hfma(a, b, c); return float(r) > 0 || simt::is_nan(r) ? r : __half(0.0f); }
inline __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) { return __half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
inline __half __hneg(__half a) { return __half_raw{(unsigned short)(a.__x ^ 0x8000)}; }
inline __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
inline __half __habs(__half a) { return __half_raw{(unsigned short)(a.__x & 0x7fff)}; }
inline __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }

// --- comparisons: false with a NaN, and (u) true with one ---------------------------------------

inline bool __heq(__half a, __half b) { return float(a) == float(b); }
inline bool __hequ(__half a, __half b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) == float(b); }
inline __half2 __heq2(__half2 a, __half2 b) { return __half2(__half(__heq(a.x, b.x) ? 1.0f : 0.0f), __half(__heq(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbeq2(__half2 a, __half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
inline __half2 __hequ2(__half2 a, __half2 b) { return __half2(__half(__hequ(a.x, b.x) ? 1.0f : 0.0f), __half(__hequ(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbequ2(__half2 a, __half2 b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
inline bool __hne(__half a, __half b) { return float(a) != float(b) && !simt::is_nan(a) && !simt::is_nan(b); }
inline bool __hneu(__half a, __half b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) != float(b); }
inline __half2 __hne2(__half2 a, __half2 b) { return __half2(__half(__hne(a.x, b.x) ? 1.0f : 0.0f), __half(__hne(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
inline __half2 __hneu2(__half2 a, __half2 b) { return __half2(__half(__hneu(a.x, b.x) ? 1.0f : 0.0f), __half(__hneu(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbneu2(__half2 a, __half2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
inline bool __hle(__half a, __half b) { return float(a) <= float(b); }
inline bool __hleu(__half a, __half b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) <= float(b); }
inline __half2 __hle2(__half2 a, __half2 b) { return __half2(__half(__hle(a.x, b.x) ? 1.0f : 0.0f), __half(__hle(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hble2(__half2 a, __half2 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
inline __half2 __hleu2(__half2 a, __half2 b) { return __half2(__half(__hleu(a.x, b.x) ? 1.0f : 0.0f), __half(__hleu(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbleu2(__half2 a, __half2 b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
inline bool __hge(__half a, __half b) { return float(a) >= float(b); }
inline bool __hgeu(__half a, __half b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) >= float(b); }
inline __half2 __hge2(__half2 a, __half2 b) { return __half2(__half(__hge(a.x, b.x) ? 1.0f : 0.0f), __half(__hge(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbge2(__half2 a, __half2 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
inline __half2 __hgeu2(__half2 a, __half2 b) { return __half2(__half(__hgeu(a.x, b.x) ? 1.0f : 0.0f), __half(__hgeu(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbgeu2(__half2 a, __half2 b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }
inline bool __hlt(__half a, __half b) { return float(a) < float(b); }
inline bool __hltu(__half a, __half b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) < float(b); }
inline __half2 __hlt2(__half2 a, __half2 b) { return __half2(__half(__hlt(a.x, b.x) ? 1.0f : 0.0f), __half(__hlt(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hblt2(__half2 a, __half2 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
inline __half2 __hltu2(__half2 a, __half2 b) { return __half2(__half(__hltu(a.x, b.x) ? 1.0f : 0.0f), __half(__hltu(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbltu2(__half2 a, __half2 b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
inline bool __hgt(__half a, __half b) { return float(a) > float(b); }
inline bool __hgtu(__half a, __half b) { return simt::is_nan(a) || simt::is_nan(b) || float(a) > float(b); }
inline __half2 __hgt2(__half2 a, __half2 b) { return __half2(__half(__hgt(a.x, b.x) ? 1.0f : 0.0f), __half(__hgt(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbgt2(__half2 a, __half2 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
inline __half2 __hgtu2(__half2 a, __half2 b) { return __half2(__half(__hgtu(a.x, b.x) ? 1.0f : 0.0f), __half(__hgtu(a.y, b.y) ? 1.0f : 0.0f)); }
inline bool __hbgtu2(__half2 a, __half2 b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
inline bool __hisnan(__half a) { return simt::is_nan(a); }
inline int __hisinf(__half a) { const float f = a; return isinf(f) ? (f > 0 ? 1 : -1) : 0; }
inline __half2 __hisnan2(__half2 a) { return __half2(__half(__hisnan(a.x) ? 1.0f : 0.0f), __half(__hisnan(a.y) ? 1.0f : 0.0f)); }
inline __half __hmin(__half a, __half b) { return simt::is_nan(a) ? b : simt::is_nan(b) ? a : float(b) < float(a) ? b : a; }
inline __half __hmax(__half a, __half b) { return simt::is_nan(a) ? b : simt::is_nan(b) ? a : float(a) < float(b) ? b : a; }
inline __half __hmin_nan(__half a, __half b) { return simt::is_nan(a) ? a : simt::is_nan(b) ? b : __hmin(a, b); }
inline __half __hmax_nan(__half a, __half b) { return simt::is_nan(a) ? a : simt::is_nan(b) ? b : __hmax(a, b); }
inline __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
inline __half2 __hmin2_nan(__half2 a, __half2 b) { return __half2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
inline __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
inline __half2 __hmax2_nan(__half2 a, __half2 b) { return __half2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }

// --- functions ---------------------------------------------------------------------------------

inline __half hsqrt(__half a) { const double x = simt::wide(a); return simt::simt_h(sqrt(x)); }
inline __half2 h2sqrt(__half2 a) { return __half2(hsqrt(a.x), hsqrt(a.y)); }
inline __half hrsqrt(__half a) { const double x = simt::wide(a); return simt::simt_h(1 / sqrt(x)); }
inline __half2 h2rsqrt(__half2 a) { return __half2(hrsqrt(a.x), hrsqrt(a.y)); }
inline __half hrcp(__half a) { const double x = simt::wide(a); return simt::simt_h(1 / x); }
inline __half2 h2rcp(__half2 a) { return __half2(hrcp(a.x), hrcp(a.y)); }
inline __half hexp(__half a) { const double x = simt::wide(a); return simt::simt_h(exp(x)); }
inline __half2 h2exp(__half2 a) { return __half2(hexp(a.x), hexp(a.y)); }
inline __half hexp2(__half a) { const double x = simt::wide(a); return simt::simt_h(exp2(x)); }
inline __half2 h2exp2(__half2 a) { return __half2(hexp2(a.x), hexp2(a.y)); }
inline __half hexp10(__half a) { const double x = simt::wide(a); return simt::simt_h(exp10(x)); }
inline __half2 h2exp10(__half2 a) { return __half2(hexp10(a.x), hexp10(a.y)); }
inline __half hlog(__half a) { const double x = simt::wide(a); return simt::simt_h(log(x)); }
inline __half2 h2log(__half2 a) { return __half2(hlog(a.x), hlog(a.y)); }
inline __half hlog2(__half a) { const double x = simt::wide(a); return simt::simt_h(log2(x)); }
inline __half2 h2log2(__half2 a) { return __half2(hlog2(a.x), hlog2(a.y)); }
inline __half hlog10(__half a) { const double x = simt::wide(a); return simt::simt_h(log10(x)); }
inline __half2 h2log10(__half2 a) { return __half2(hlog10(a.x), hlog10(a.y)); }
inline __half hsin(__half a) { const double x = simt::wide(a); return simt::simt_h(sin(x)); }
inline __half2 h2sin(__half2 a) { return __half2(hsin(a.x), hsin(a.y)); }
inline __half hcos(__half a) { const double x = simt::wide(a); return simt::simt_h(cos(x)); }
inline __half2 h2cos(__half2 a) { return __half2(hcos(a.x), hcos(a.y)); }
inline __half hceil(__half a) { const double x = simt::wide(a); return simt::simt_h(ceil(x)); }
inline __half2 h2ceil(__half2 a) { return __half2(hceil(a.x), hceil(a.y)); }
inline __half hfloor(__half a) { const double x = simt::wide(a); return simt::simt_h(floor(x)); }
inline __half2 h2floor(__half2 a) { return __half2(hfloor(a.x), hfloor(a.y)); }
inline __half htrunc(__half a) { const double x = simt::wide(a); return simt::simt_h(trunc(x)); }
inline __half2 h2trunc(__half2 a) { return __half2(htrunc(a.x), htrunc(a.y)); }
inline __half hrint(__half a) { const double x = simt::wide(a); return simt::simt_h(rint(x)); }
inline __half2 h2rint(__half2 a) { return __half2(hrint(a.x), hrint(a.y)); }
inline __half htanh(__half a) { const double x = simt::wide(a); return simt::simt_h(tanh(x)); }
inline __half2 h2tanh(__half2 a) { return __half2(htanh(a.x), htanh(a.y)); }

// --- operators ---------------------------------------------------------------------------------

inline __half operator+(__half a, __half b) { return __hadd(a, b); }
inline __half &operator+=(__half &a, __half b) { return a = __hadd(a, b); }
inline __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
inline __half2 &operator+=(__half2 &a, __half2 b) { return a = __hadd2(a, b); }
inline __half operator-(__half a, __half b) { return __hsub(a, b); }
inline __half &operator-=(__half &a, __half b) { return a = __hsub(a, b); }
inline __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
inline __half2 &operator-=(__half2 &a, __half2 b) { return a = __hsub2(a, b); }
inline __half operator*(__half a, __half b) { return __hmul(a, b); }
inline __half &operator*=(__half &a, __half b) { return a = __hmul(a, b); }
inline __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
inline __half2 &operator*=(__half2 &a, __half2 b) { return a = __hmul2(a, b); }
inline __half operator/(__half a, __half b) { return __hdiv(a, b); }
inline __half &operator/=(__half &a, __half b) { return a = __hdiv(a, b); }
inline __half2 operator/(__half2 a, __half2 b) { return __h2div(a, b); }
inline __half2 &operator/=(__half2 &a, __half2 b) { return a = __h2div(a, b); }
inline __half operator-(__half a) { return __hneg(a); }
inline __half operator+(__half a) { return a; }
inline __half2 operator-(__half2 a) { return __hneg2(a); }
inline __half &operator++(__half &a) { return a = a + __half(1.0f); }
inline __half &operator--(__half &a) { return a = a - __half(1.0f); }
inline bool operator==(__half a, __half b) { return __heq(a, b); }
inline bool operator!=(__half a, __half b) { return __hneu(a, b); }
inline bool operator<(__half a, __half b) { return __hlt(a, b); }
inline bool operator>(__half a, __half b) { return __hgt(a, b); }
inline bool operator<=(__half a, __half b) { return __hle(a, b); }
inline bool operator>=(__half a, __half b) { return __hge(a, b); }
inline bool operator==(__half2 a, __half2 b) { return __hbeq2(a, b); }
inline bool operator!=(__half2 a, __half2 b) { return __hbneu2(a, b); }

// --- warps and memory --------------------------------------------------------------------------

inline __half __shfl_sync(
    unsigned mask, __half value, int lane, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::index, int(lane), width, site);
}
inline __half __shfl_up_sync(
    unsigned mask, __half value, unsigned delta, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::up, int(delta), width, site);
}
inline __half __shfl_down_sync(
    unsigned mask, __half value, unsigned delta, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::down, int(delta), width, site);
}
inline __half __shfl_xor_sync(
    unsigned mask, __half value, int bits, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::exclusive_or, int(bits), width, site);
}
inline __half __ldg(const __half *pointer) { return *pointer; }
inline __half __ldca(const __half *pointer) { return *pointer; }
inline __half __ldcg(const __half *pointer) { return *pointer; }
inline __half __ldcs(const __half *pointer) { return *pointer; }
inline void __stcg(__half *pointer, __half value) { *pointer = value; }
inline void __stcs(__half *pointer, __half value) { *pointer = value; }
inline void __stwb(__half *pointer, __half value) { *pointer = value; }
inline void __stwt(__half *pointer, __half value) { *pointer = value; }
inline __half atomicAdd(__half *address, __half value, simt::Site site = simt::Site::here()) {
    return simt::exchange_by(address, [=](__half old) { return old + value; }, site);
}
inline __half2 __shfl_sync(
    unsigned mask, __half2 value, int lane, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::index, int(lane), width, site);
}
inline __half2 __shfl_up_sync(
    unsigned mask, __half2 value, unsigned delta, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::up, int(delta), width, site);
}
inline __half2 __shfl_down_sync(
    unsigned mask, __half2 value, unsigned delta, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::down, int(delta), width, site);
}
inline __half2 __shfl_xor_sync(
    unsigned mask, __half2 value, int bits, int width = warpSize, simt::Site site = simt::Site::here()
) {
    return simt::shuffled(simt::widen(mask, site), value, simt::Shuffle::exclusive_or, int(bits), width, site);
}
inline __half2 __ldg(const __half2 *pointer) { return *pointer; }
inline __half2 __ldca(const __half2 *pointer) { return *pointer; }
inline __half2 __ldcg(const __half2 *pointer) { return *pointer; }
inline __half2 __ldcs(const __half2 *pointer) { return *pointer; }
inline void __stcg(__half2 *pointer, __half2 value) { *pointer = value; }
inline void __stcs(__half2 *pointer, __half2 value) { *pointer = value; }
inline void __stwb(__half2 *pointer, __half2 value) { *pointer = value; }
inline void __stwt(__half2 *pointer, __half2 value) { *pointer = value; }
inline __half2 atomicAdd(__half2 *address, __half2 value, simt::Site site = simt::Site::here()) {
    return simt::exchange_by(address, [=](__half2 old) { return old + value; }, site);
}
