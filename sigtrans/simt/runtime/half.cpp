#include "simt/half.h"

namespace simt {

namespace {

// Rounds to a format with `digits` bits of fraction and the given exponents; the bits as an integer.
uint16_t rounded(double value, int digits, int least, int most, Round how) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const int bias = most, infinity = (2 * most + 1) << digits;
    if (std::isnan(value)) return uint16_t(0x7fff);
    double size = std::fabs(value);
    const bool up = (how == Round::up && !sign) || (how == Round::down && sign);
    if (std::isinf(size)) return uint16_t(sign | infinity);
    int exponent = 0;
    if (size > 0) exponent = std::ilogb(size);
    if (exponent < least) exponent = least;  // subnormal: fixed position
    const double scaled = std::ldexp(size, digits - exponent);
    double whole = std::floor(scaled);
    const double rest = scaled - whole;
    if (how == Round::nearest) {
        if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) == 1)) whole += 1;
    } else if (up && rest > 0) {
        whole += 1;
    }
    // `whole` counts units of the last place; a carry moves into the exponent by itself.
    const auto units = static_cast<uint32_t>(whole);
    const uint32_t implicit = 1u << digits;
    uint32_t bits = units < implicit ? units : (uint32_t(exponent + bias - 1) << digits) + units;
    if (bits >= uint32_t(infinity)) bits = how == Round::nearest || up ? uint32_t(infinity) : uint32_t(infinity - 1);
    return uint16_t(sign | bits);
}

}  // namespace

uint16_t half_from_double(double value, Round how) { return rounded(value, 10, -14, 15, how); }
uint16_t bfloat_from_double(double value, Round how) { return rounded(value, 7, -126, 127, how); }

}  // namespace simt
