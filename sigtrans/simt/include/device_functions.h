// Device functions that need no header in CUDA: synchronisation, warps, bits, conversions and
// arithmetic with a rounding direction.
#pragma once
#define __DEVICE_FUNCTIONS_H__

#include <time.h>

#include <type_traits>

#include "device_types.h"
#include "simt/lanes.h"
#include "simt/rounding.h"
#include "vector_functions.h"

#define SIMT_HERE simt::Site site = simt::Site::here()

// --- synchronisation ---------------------------------------------------------------------------

inline void __syncthreads(SIMT_HERE) { simt::block_sync(site); }
inline int __syncthreads_count(int predicate, SIMT_HERE) {
    return simt::block_sync_count(predicate, site);
}
inline int __syncthreads_and(int predicate, SIMT_HERE) {
    return simt::block_sync_and(predicate, site);
}
inline int __syncthreads_or(int predicate, SIMT_HERE) {
    return simt::block_sync_or(predicate, site);
}
// Barrier 0 is the one of __syncthreads.
inline void __barrier_sync(unsigned id, SIMT_HERE) {
    if (id == 0) return simt::block_sync(site);
    simt::named_sync(id, blockDim.x * blockDim.y * blockDim.z, site);
}
inline void __barrier_sync_count(unsigned id, unsigned count, SIMT_HERE) {
    simt::named_sync(id, count, site);
}
inline void __syncwarp(unsigned mask = 0xffffffff, SIMT_HERE) {
    simt::warp_sync(simt::widen(mask, site), site);
}

// One OS thread runs all GPU threads, so that memory needs no fence; but a checked build wants to
// see it, and a thread that fences may well wait for another.
inline void __threadfence(SIMT_HERE) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    simt::pause(site);
}
inline void __threadfence_block(SIMT_HERE) { __threadfence(site); }
inline void __threadfence_system(SIMT_HERE) { __threadfence(site); }
inline void __nanosleep(unsigned, SIMT_HERE) { simt::pause(site); }

// --- time and traps ----------------------------------------------------------------------------

// Nanoseconds stand for cycles: a GPU of 1 GHz.
inline long long clock64() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

[[noreturn]] inline void __trap(SIMT_HERE) { simt::fail(simt::Fault::trap, site, "__trap()"); }
[[noreturn]] inline void __brkpt(SIMT_HERE) { simt::fail(simt::Fault::trap, site, "__brkpt()"); }

// --- warps -------------------------------------------------------------------------------------

#define SIMT_SHUFFLES(T) \
    inline T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize, SIMT_HERE) { \
        return simt::shuffled( \
            simt::widen(mask, site), value, simt::Shuffle::index, lane, width, site \
        ); \
    } \
    inline T __shfl_up_sync( \
        unsigned mask, T value, unsigned delta, int width = warpSize, SIMT_HERE \
    ) { \
        return simt::shuffled( \
            simt::widen(mask, site), value, simt::Shuffle::up, int(delta), width, site \
        ); \
    } \
    inline T __shfl_down_sync( \
        unsigned mask, T value, unsigned delta, int width = warpSize, SIMT_HERE \
    ) { \
        return simt::shuffled( \
            simt::widen(mask, site), value, simt::Shuffle::down, int(delta), width, site \
        ); \
    } \
    inline T __shfl_xor_sync( \
        unsigned mask, T value, int lane_mask, int width = warpSize, SIMT_HERE \
    ) { \
        return simt::shuffled( \
            simt::widen(mask, site), value, simt::Shuffle::exclusive_or, lane_mask, width, site \
        ); \
    } \
    inline T __shfl(T value, int lane, int width = warpSize, SIMT_HERE) { \
        return simt::shuffled_converged(value, simt::Shuffle::index, lane, width, site); \
    } \
    inline T __shfl_up(T value, unsigned delta, int width = warpSize, SIMT_HERE) { \
        return simt::shuffled_converged(value, simt::Shuffle::up, int(delta), width, site); \
    } \
    inline T __shfl_down(T value, unsigned delta, int width = warpSize, SIMT_HERE) { \
        return simt::shuffled_converged(value, simt::Shuffle::down, int(delta), width, site); \
    } \
    inline T __shfl_xor(T value, int lane_mask, int width = warpSize, SIMT_HERE) { \
        return simt::shuffled_converged( \
            value, simt::Shuffle::exclusive_or, lane_mask, width, site \
        ); \
    }
SIMT_SHUFFLES(int)
SIMT_SHUFFLES(unsigned int)
SIMT_SHUFFLES(long)
SIMT_SHUFFLES(unsigned long)
SIMT_SHUFFLES(long long)
SIMT_SHUFFLES(unsigned long long)
SIMT_SHUFFLES(float)
SIMT_SHUFFLES(double)

// Masks that device code sees have 32 bits: of a wider warp, the lanes 0 to 31.
inline unsigned __ballot_sync(unsigned mask, int predicate, SIMT_HERE) {
    return unsigned(simt::ballot(simt::widen(mask, site), predicate != 0, site));
}
inline int __any_sync(unsigned mask, int predicate, SIMT_HERE) {
    return simt::ballot(simt::widen(mask, site), predicate != 0, site) != 0;
}
inline int __all_sync(unsigned mask, int predicate, SIMT_HERE) {
    return simt::ballot(simt::widen(mask, site), predicate == 0, site) == 0;
}
inline int __uni_sync(unsigned mask, int predicate, SIMT_HERE) {
    const int value = predicate != 0;
    return simt::match_all(simt::widen(mask, site), &value, sizeof value, site);
}
inline unsigned __ballot(int predicate, SIMT_HERE) {
    return unsigned(simt::ballot_converged(predicate != 0, site));
}
inline int __any(int predicate, SIMT_HERE) {
    return simt::ballot_converged(predicate != 0, site) != 0;
}
inline int __all(int predicate, SIMT_HERE) {
    return simt::ballot_converged(predicate == 0, site) == 0;
}
inline unsigned __activemask(SIMT_HERE) { return unsigned(simt::ballot_converged(true, site)); }

#define SIMT_MATCHES(T) \
    inline unsigned __match_any_sync(unsigned mask, T value, SIMT_HERE) { \
        return unsigned(simt::match_any(simt::widen(mask, site), &value, sizeof(T), site)); \
    } \
    inline unsigned __match_all_sync(unsigned mask, T value, int *predicate, SIMT_HERE) { \
        *predicate = simt::match_all(simt::widen(mask, site), &value, sizeof(T), site); \
        return *predicate ? mask : 0; \
    }
SIMT_MATCHES(int)
SIMT_MATCHES(unsigned int)
SIMT_MATCHES(long)
SIMT_MATCHES(unsigned long)
SIMT_MATCHES(long long)
SIMT_MATCHES(unsigned long long)
SIMT_MATCHES(float)
SIMT_MATCHES(double)

#define SIMT_REDUCTION(T, name, expression) \
    inline T name(unsigned mask, T value, SIMT_HERE) { \
        return simt::fold_lanes( \
            simt::widen(mask, site), value, [](T a, T b) -> T { return expression; }, #name, site \
        ); \
    }
SIMT_REDUCTION(unsigned int, __reduce_add_sync, a + b)
SIMT_REDUCTION(unsigned int, __reduce_min_sync, b < a ? b : a)
SIMT_REDUCTION(unsigned int, __reduce_max_sync, a < b ? b : a)
SIMT_REDUCTION(int, __reduce_add_sync, int(unsigned(a) + unsigned(b)))
SIMT_REDUCTION(int, __reduce_min_sync, b < a ? b : a)
SIMT_REDUCTION(int, __reduce_max_sync, a < b ? b : a)
SIMT_REDUCTION(unsigned int, __reduce_and_sync, a & b)
SIMT_REDUCTION(unsigned int, __reduce_or_sync, a | b)
SIMT_REDUCTION(unsigned int, __reduce_xor_sync, a ^ b)

#undef SIMT_SHUFFLES
#undef SIMT_MATCHES
#undef SIMT_REDUCTION

// --- address spaces ----------------------------------------------------------------------------

inline unsigned __isShared(const void *pointer) { return simt::is_shared(pointer); }

// --- loads and stores with a cache hint --------------------------------------------------------

namespace simt {

template <class T>
constexpr bool hinted = false;  // types that have them

template <class T>
struct SameType {
    using type = T;
};
template <class T>
using Same = typename SameType<T>::type;  // takes no part in deduction

}  // namespace simt

#define SIMT_HINTED(T) \
    template <> \
    constexpr bool simt::hinted<T> = true;
SIMT_HINTED(char)
SIMT_HINTED(signed char)
SIMT_HINTED(unsigned char)
SIMT_HINTED(short)
SIMT_HINTED(unsigned short)
SIMT_HINTED(int)
SIMT_HINTED(unsigned int)
SIMT_HINTED(long)
SIMT_HINTED(unsigned long)
SIMT_HINTED(long long)
SIMT_HINTED(unsigned long long)
SIMT_HINTED(float)
SIMT_HINTED(double)
SIMT_HINTED(char2)
SIMT_HINTED(char4)
SIMT_HINTED(short2)
SIMT_HINTED(short4)
SIMT_HINTED(int2)
SIMT_HINTED(int4)
SIMT_HINTED(longlong2)
SIMT_HINTED(uchar2)
SIMT_HINTED(uchar4)
SIMT_HINTED(ushort2)
SIMT_HINTED(ushort4)
SIMT_HINTED(uint2)
SIMT_HINTED(uint4)
SIMT_HINTED(ulonglong2)
SIMT_HINTED(float2)
SIMT_HINTED(float4)
SIMT_HINTED(double2)

#define SIMT_LOAD(name) \
    template <class T, class = std::enable_if_t<simt::hinted<T>>> \
    inline T name(const T *pointer) { \
        return *pointer; \
    }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldcs)
SIMT_LOAD(__ldcv)
SIMT_LOAD(__ldlu)

#define SIMT_STORE(name) \
    template <class T, class = std::enable_if_t<simt::hinted<T>>> \
    inline void name(T *pointer, simt::Same<T> value) { \
        *pointer = value; \
    }
SIMT_STORE(__stcg)
SIMT_STORE(__stcs)
SIMT_STORE(__stwb)
SIMT_STORE(__stwt)

#undef SIMT_LOAD
#undef SIMT_STORE

// --- bits --------------------------------------------------------------------------------------

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)(x)) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)(__brev(unsigned(x))) << 32 | __brev(unsigned(x >> 32));
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long both = (unsigned long long)(y) << 32 | x;
    unsigned result = 0;
    for (int n = 0; n < 4; ++n) {
        result |= (unsigned(both >> 8 * (selector >> 4 * n & 7)) & 0xff) << 8 * n;
    }
    return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((unsigned long long)(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return unsigned(((unsigned long long)(high) << 32 | low) >> (shift & 31));
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
// The |offset|-th set bit from `base` on, upwards or downwards; 0: the bit at `base` itself.
inline unsigned __fns(unsigned mask, unsigned base, int offset) {
    if (offset == 0) return base < 32 && mask >> base & 1 ? base : ~0u;
    int left = offset > 0 ? offset : -offset;
    for (int at = int(base); at >= 0 && at < 32; at += offset > 0 ? 1 : -1) {
        if (mask >> at & 1 && --left == 0) return unsigned(at);
    }
    return ~0u;
}

// --- integer arithmetic ------------------------------------------------------------------------

inline int __mulhi(int x, int y) { return int((long long)(x)*y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
    return unsigned((unsigned long long)(x)*y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
    return (long long)((__int128)(x)*y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)(x)*y >> 64);
}
inline int __mul24(int x, int y) {
    return int(unsigned(int(unsigned(x) << 8) >> 8) * unsigned(int(unsigned(y) << 8) >> 8));
}
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
inline int mul24(int x, int y) { return __mul24(x, y); }
inline unsigned umul24(unsigned x, unsigned y) { return __umul24(x, y); }
inline int mulhi(int x, int y) { return __mulhi(x, y); }
inline unsigned umulhi(unsigned x, unsigned y) { return __umulhi(x, y); }
inline long long mul64hi(long long x, long long y) { return __mul64hi(x, y); }
inline unsigned long long umul64hi(unsigned long long x, unsigned long long y) {
    return __umul64hi(x, y);
}
inline unsigned __sad(int x, int y, unsigned z) {
    return z + (x < y ? unsigned(y) - unsigned(x) : unsigned(x) - unsigned(y));
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x < y ? y - x : x - y); }
inline int __hadd(int x, int y) { return int(((long long)(x) + y) >> 1); }
inline int __rhadd(int x, int y) { return int(((long long)(x) + y + 1) >> 1); }
inline unsigned __uhadd(unsigned x, unsigned y) {
    return unsigned(((unsigned long long)(x) + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
    return unsigned(((unsigned long long)(x) + y + 1) >> 1);
}

namespace simt {

// Products of the bytes of `b` with bytes (dp4a) or 16-bit halves (dp2a) of `a`, added to c.
template <class A, class B>
inline unsigned dot4(unsigned a, unsigned b, unsigned c) {
    for (int n = 0; n < 32; n += 8) c += unsigned(int(A(a >> n)) * int(B(b >> n)));
    return c;
}
template <class A, class B>
inline unsigned dot2(unsigned a, unsigned b, unsigned c) {
    return c + unsigned(int(A(a)) * int(B(b))) + unsigned(int(A(a >> 16)) * int(B(b >> 8)));
}

}  // namespace simt

inline int __dp4a(int a, int b, int c) {
    return int(simt::dot4<signed char, signed char>(unsigned(a), unsigned(b), unsigned(c)));
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    return simt::dot4<unsigned char, unsigned char>(a, b, c);
}
inline int __dp4a(char4 a, char4 b, int c) {
    return __dp4a(simt::bit_cast<int>(a), simt::bit_cast<int>(b), c);
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
    return __dp4a(simt::bit_cast<unsigned>(a), simt::bit_cast<unsigned>(b), c);
}
inline int __dp2a_lo(int a, int b, int c) {
    return int(simt::dot2<short, signed char>(unsigned(a), unsigned(b), unsigned(c)));
}
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
    return simt::dot2<unsigned short, unsigned char>(a, b, c);
}
inline int __dp2a_hi(int a, int b, int c) {
    return int(simt::dot2<short, signed char>(unsigned(a), unsigned(b) >> 16, unsigned(c)));
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
    return simt::dot2<unsigned short, unsigned char>(a, b >> 16, c);
}
inline int __dp2a_lo(short2 a, char4 b, int c) {
    return __dp2a_lo(simt::bit_cast<int>(a), simt::bit_cast<int>(b), c);
}
inline unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
    return __dp2a_lo(simt::bit_cast<unsigned>(a), simt::bit_cast<unsigned>(b), c);
}
inline int __dp2a_hi(short2 a, char4 b, int c) {
    return __dp2a_hi(simt::bit_cast<int>(a), simt::bit_cast<int>(b), c);
}
inline unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
    return __dp2a_hi(simt::bit_cast<unsigned>(a), simt::bit_cast<unsigned>(b), c);
}

// --- the same bits as another type -------------------------------------------------------------

inline int __float_as_int(float x) { return simt::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return simt::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return simt::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return simt::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return simt::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return simt::bit_cast<double>(x); }
inline int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return int(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
    return simt::bit_cast<double>((unsigned long long)(unsigned(high)) << 32 | unsigned(low));
}
inline int float_as_int(float x) { return __float_as_int(x); }
inline unsigned float_as_uint(float x) { return __float_as_uint(x); }
inline float int_as_float(int x) { return __int_as_float(x); }
inline float uint_as_float(unsigned x) { return __uint_as_float(x); }

// --- conversions with a rounding direction -----------------------------------------------------

inline int __float2int_rn(float x) { return simt::to_integer<int>(x, simt::Round::nearest); }
inline int __float2int_rz(float x) { return simt::to_integer<int>(x, simt::Round::zero); }
inline int __float2int_rd(float x) { return simt::to_integer<int>(x, simt::Round::down); }
inline int __float2int_ru(float x) { return simt::to_integer<int>(x, simt::Round::up); }
inline unsigned __float2uint_rn(float x) {
    return simt::to_integer<unsigned>(x, simt::Round::nearest);
}
inline unsigned __float2uint_rz(float x) {
    return simt::to_integer<unsigned>(x, simt::Round::zero);
}
inline unsigned __float2uint_rd(float x) {
    return simt::to_integer<unsigned>(x, simt::Round::down);
}
inline unsigned __float2uint_ru(float x) { return simt::to_integer<unsigned>(x, simt::Round::up); }
inline long long __float2ll_rn(float x) {
    return simt::to_integer<long long>(x, simt::Round::nearest);
}
inline long long __float2ll_rz(float x) {
    return simt::to_integer<long long>(x, simt::Round::zero);
}
inline long long __float2ll_rd(float x) {
    return simt::to_integer<long long>(x, simt::Round::down);
}
inline long long __float2ll_ru(float x) { return simt::to_integer<long long>(x, simt::Round::up); }
inline unsigned long long __float2ull_rn(float x) {
    return simt::to_integer<unsigned long long>(x, simt::Round::nearest);
}
inline unsigned long long __float2ull_rz(float x) {
    return simt::to_integer<unsigned long long>(x, simt::Round::zero);
}
inline unsigned long long __float2ull_rd(float x) {
    return simt::to_integer<unsigned long long>(x, simt::Round::down);
}
inline unsigned long long __float2ull_ru(float x) {
    return simt::to_integer<unsigned long long>(x, simt::Round::up);
}
inline int __double2int_rn(double x) { return simt::to_integer<int>(x, simt::Round::nearest); }
inline int __double2int_rz(double x) { return simt::to_integer<int>(x, simt::Round::zero); }
inline int __double2int_rd(double x) { return simt::to_integer<int>(x, simt::Round::down); }
inline int __double2int_ru(double x) { return simt::to_integer<int>(x, simt::Round::up); }
inline unsigned __double2uint_rn(double x) {
    return simt::to_integer<unsigned>(x, simt::Round::nearest);
}
inline unsigned __double2uint_rz(double x) {
    return simt::to_integer<unsigned>(x, simt::Round::zero);
}
inline unsigned __double2uint_rd(double x) {
    return simt::to_integer<unsigned>(x, simt::Round::down);
}
inline unsigned __double2uint_ru(double x) {
    return simt::to_integer<unsigned>(x, simt::Round::up);
}
inline long long __double2ll_rn(double x) {
    return simt::to_integer<long long>(x, simt::Round::nearest);
}
inline long long __double2ll_rz(double x) {
    return simt::to_integer<long long>(x, simt::Round::zero);
}
inline long long __double2ll_rd(double x) {
    return simt::to_integer<long long>(x, simt::Round::down);
}
inline long long __double2ll_ru(double x) {
    return simt::to_integer<long long>(x, simt::Round::up);
}
inline unsigned long long __double2ull_rn(double x) {
    return simt::to_integer<unsigned long long>(x, simt::Round::nearest);
}
inline unsigned long long __double2ull_rz(double x) {
    return simt::to_integer<unsigned long long>(x, simt::Round::zero);
}
inline unsigned long long __double2ull_rd(double x) {
    return simt::to_integer<unsigned long long>(x, simt::Round::down);
}
inline unsigned long long __double2ull_ru(double x) {
    return simt::to_integer<unsigned long long>(x, simt::Round::up);
}
inline float __int2float_rn(int x) { return float(x); }
inline float __int2float_rz(int x) { return simt::to_float(double(x), simt::Round::zero); }
inline float __int2float_rd(int x) { return simt::to_float(double(x), simt::Round::down); }
inline float __int2float_ru(int x) { return simt::to_float(double(x), simt::Round::up); }
inline float __uint2float_rn(unsigned x) { return float(x); }
inline float __uint2float_rz(unsigned x) { return simt::to_float(double(x), simt::Round::zero); }
inline float __uint2float_rd(unsigned x) { return simt::to_float(double(x), simt::Round::down); }
inline float __uint2float_ru(unsigned x) { return simt::to_float(double(x), simt::Round::up); }
inline float __ll2float_rn(long long x) { return float(x); }
inline float __ll2float_rz(long long x) { return simt::to_float(x, simt::Round::zero); }
inline float __ll2float_rd(long long x) { return simt::to_float(x, simt::Round::down); }
inline float __ll2float_ru(long long x) { return simt::to_float(x, simt::Round::up); }
inline float __ull2float_rn(unsigned long long x) { return float(x); }
inline float __ull2float_rz(unsigned long long x) { return simt::to_float(x, simt::Round::zero); }
inline float __ull2float_rd(unsigned long long x) { return simt::to_float(x, simt::Round::down); }
inline float __ull2float_ru(unsigned long long x) { return simt::to_float(x, simt::Round::up); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return double(x); }
inline double __ll2double_rz(long long x) { return simt::to_double(x, simt::Round::zero); }
inline double __ll2double_rd(long long x) { return simt::to_double(x, simt::Round::down); }
inline double __ll2double_ru(long long x) { return simt::to_double(x, simt::Round::up); }
inline double __ull2double_rn(unsigned long long x) { return double(x); }
inline double __ull2double_rz(unsigned long long x) { return simt::to_double(x, simt::Round::zero); }
inline double __ull2double_rd(unsigned long long x) { return simt::to_double(x, simt::Round::down); }
inline double __ull2double_ru(unsigned long long x) { return simt::to_double(x, simt::Round::up); }
inline float __double2float_rn(double x) { return float(x); }
inline float __double2float_rz(double x) { return simt::to_float(x, simt::Round::zero); }
inline float __double2float_rd(double x) { return simt::to_float(x, simt::Round::down); }
inline float __double2float_ru(double x) { return simt::to_float(x, simt::Round::up); }

// --- arithmetic with a rounding direction ------------------------------------------------------

inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1 / x; }
inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline float __fmaf_ieee_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline float __fadd_rz(float x, float y) { return simt::add(x, y, simt::Round::zero); }
inline float __fsub_rz(float x, float y) { return simt::add(x, -y, simt::Round::zero); }
inline float __fmul_rz(float x, float y) { return simt::multiply(x, y, simt::Round::zero); }
inline float __fdiv_rz(float x, float y) { return simt::divide(x, y, simt::Round::zero); }
inline float __frcp_rz(float x) { return simt::divide(float(1), x, simt::Round::zero); }
inline float __fsqrt_rz(float x) { return simt::square_root(x, simt::Round::zero); }
inline float __fmaf_rz(float x, float y, float z) {
    return simt::fused(x, y, z, simt::Round::zero);
}
inline float __fmaf_ieee_rz(float x, float y, float z) {
    return simt::fused(x, y, z, simt::Round::zero);
}
inline float __fadd_rd(float x, float y) { return simt::add(x, y, simt::Round::down); }
inline float __fsub_rd(float x, float y) { return simt::add(x, -y, simt::Round::down); }
inline float __fmul_rd(float x, float y) { return simt::multiply(x, y, simt::Round::down); }
inline float __fdiv_rd(float x, float y) { return simt::divide(x, y, simt::Round::down); }
inline float __frcp_rd(float x) { return simt::divide(float(1), x, simt::Round::down); }
inline float __fsqrt_rd(float x) { return simt::square_root(x, simt::Round::down); }
inline float __fmaf_rd(float x, float y, float z) {
    return simt::fused(x, y, z, simt::Round::down);
}
inline float __fmaf_ieee_rd(float x, float y, float z) {
    return simt::fused(x, y, z, simt::Round::down);
}
inline float __fadd_ru(float x, float y) { return simt::add(x, y, simt::Round::up); }
inline float __fsub_ru(float x, float y) { return simt::add(x, -y, simt::Round::up); }
inline float __fmul_ru(float x, float y) { return simt::multiply(x, y, simt::Round::up); }
inline float __fdiv_ru(float x, float y) { return simt::divide(x, y, simt::Round::up); }
inline float __frcp_ru(float x) { return simt::divide(float(1), x, simt::Round::up); }
inline float __fsqrt_ru(float x) { return simt::square_root(x, simt::Round::up); }
inline float __fmaf_ru(float x, float y, float z) { return simt::fused(x, y, z, simt::Round::up); }
inline float __fmaf_ieee_ru(float x, float y, float z) {
    return simt::fused(x, y, z, simt::Round::up);
}
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __drcp_rn(double x) { return 1 / x; }
inline double __dsqrt_rn(double x) { return __builtin_sqrt(x); }
inline double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline double __dadd_rz(double x, double y) { return simt::add(x, y, simt::Round::zero); }
inline double __dsub_rz(double x, double y) { return simt::add(x, -y, simt::Round::zero); }
inline double __dmul_rz(double x, double y) { return simt::multiply(x, y, simt::Round::zero); }
inline double __ddiv_rz(double x, double y) { return simt::divide(x, y, simt::Round::zero); }
inline double __drcp_rz(double x) { return simt::divide(double(1), x, simt::Round::zero); }
inline double __dsqrt_rz(double x) { return simt::square_root(x, simt::Round::zero); }
inline double __fma_rz(double x, double y, double z) {
    return simt::fused(x, y, z, simt::Round::zero);
}
inline double __dadd_rd(double x, double y) { return simt::add(x, y, simt::Round::down); }
inline double __dsub_rd(double x, double y) { return simt::add(x, -y, simt::Round::down); }
inline double __dmul_rd(double x, double y) { return simt::multiply(x, y, simt::Round::down); }
inline double __ddiv_rd(double x, double y) { return simt::divide(x, y, simt::Round::down); }
inline double __drcp_rd(double x) { return simt::divide(double(1), x, simt::Round::down); }
inline double __dsqrt_rd(double x) { return simt::square_root(x, simt::Round::down); }
inline double __fma_rd(double x, double y, double z) {
    return simt::fused(x, y, z, simt::Round::down);
}
inline double __dadd_ru(double x, double y) { return simt::add(x, y, simt::Round::up); }
inline double __dsub_ru(double x, double y) { return simt::add(x, -y, simt::Round::up); }
inline double __dmul_ru(double x, double y) { return simt::multiply(x, y, simt::Round::up); }
inline double __ddiv_ru(double x, double y) { return simt::divide(x, y, simt::Round::up); }
inline double __drcp_ru(double x) { return simt::divide(double(1), x, simt::Round::up); }
inline double __dsqrt_ru(double x) { return simt::square_root(x, simt::Round::up); }
inline double __fma_ru(double x, double y, double z) {
    return simt::fused(x, y, z, simt::Round::up);
}
inline float __frsqrt_rn(float x) { return simt::reciprocal_root(x); }

#include "simt/video.h"
