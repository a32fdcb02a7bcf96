// Arithmetic in a given rounding direction: exact, for every operand.
#pragma once

#include "bits.h"

namespace simt {

float add(float a, float b, Round how);
float multiply(float a, float b, Round how);
float divide(float a, float b, Round how);
float square_root(float a, Round how);
float fused(float a, float b, float c, Round how);
double add(double a, double b, Round how);
double multiply(double a, double b, Round how);
double divide(double a, double b, Round how);
double square_root(double a, Round how);
double fused(double a, double b, double c, Round how);
float reciprocal_root(float a);  // to nearest

float to_float(double a, Round how);
float to_float(long long a, Round how);
float to_float(unsigned long long a, Round how);
double to_double(long long a, Round how);
double to_double(unsigned long long a, Round how);

inline float whole(float a, Round how) {
    switch (how) {
        case Round::nearest: return __builtin_rintf(a);
        case Round::zero: return __builtin_truncf(a);
        case Round::down: return __builtin_floorf(a);
        default: return __builtin_ceilf(a);
    }
}
inline double whole(double a, Round how) {
    switch (how) {
        case Round::nearest: return __builtin_rint(a);
        case Round::zero: return __builtin_trunc(a);
        case Round::down: return __builtin_floor(a);
        default: return __builtin_ceil(a);
    }
}

// A number to an integer as the hardware does it: what does not fit becomes the nearest end. NaN
// becomes 0, or the type's top bit alone when a double or a 64-bit integer is concerned (PTX ISA,
// cvt).
template <class Integer, class Float>
inline Integer to_integer(Float a, Round how) {
    constexpr int bits = 8 * sizeof(Integer);
    constexpr bool is_signed = Integer(-1) < Integer(0);
    constexpr Integer top = Integer(1ull << (bits - 1));
    constexpr Integer least = is_signed ? top : Integer(0), most = Integer(~least);
    if (a != a) return bits == 64 || sizeof(Float) == 8 ? top : Integer(0);
    const Float value = whole(a, how);
    const Float end = Float(1ull << (bits - 1)) * (is_signed ? 1 : 2);  // the first too large
    if (value >= end) return most;
    if (value <= (is_signed ? -end : Float(0))) return least;
    return Integer(value);
}

}  // namespace simt
