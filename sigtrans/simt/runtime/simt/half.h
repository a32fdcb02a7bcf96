// Sixteen-bit numbers: conversions with every rounding, operations rounded once.
#pragma once

#include <cmath>
#include <cstdint>

#include "bits.h"

namespace simt {

// Half precision: 10 bits of fraction, exponent -14 ... 15.
uint16_t half_from_double(double value, Round how = Round::nearest);
inline float float_from_half(uint16_t bits) {
    const uint32_t sign = uint32_t(bits >> 15) << 31, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31) return bit_cast<float>(sign | 0x7f800000 | fraction << 13);
    if (exponent) return bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float tiny = float(fraction) * 0x1p-24f;
    return sign ? -tiny : tiny;
}

// bfloat16: the upper half of a float.
uint16_t bfloat_from_double(double value, Round how = Round::nearest);
inline float float_from_bfloat(uint16_t bits) { return bit_cast<float>(uint32_t(bits) << 16); }

// a * b + c, so that one rounding to sixteen bits is right: the last bit tells that more follows.
inline double fused_odd(double a, double b, double c) {
    const double product = a * b;  // exact for sixteen-bit numbers
    const double sum = product + c;
    if (!std::isfinite(sum)) return sum;
    const double part = sum - product, error = (product - (sum - part)) + (c - part);
    if (error == 0 || bit_cast<uint64_t>(sum) & 1) return sum;
    return std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

}  // namespace simt
