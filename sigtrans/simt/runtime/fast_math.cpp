#include "simt/fast_math.h"

#include <cmath>
#include <limits>

namespace simt {

namespace {

constexpr double pi = 3.14159265358979323846;

// x reduced to [-1, 1] without an error: sin(pi x) has period 2.
double reduced(double x) { return std::remainder(x, 2.0); }

// Cuts off what lies below a multiple of 2^-bits.
float cut(double x, double bits) {
    const double scale = std::exp2(bits);
    return static_cast<float>(std::trunc(x * scale) / scale);
}

// Loses up to `units` units in the last place.
float blur(double x, int units) {
    const auto rounded = static_cast<float>(x);
    if (!std::isfinite(rounded) || rounded == 0) return rounded;
    int exponent;
    std::frexp(rounded, &exponent);
    const double unit = std::ldexp(1.0, exponent - 24) * units;
    return static_cast<float>(std::trunc(x / unit) * unit);
}

// Halley's steps on erf from a start that is right to three digits.
double erf_root(double target, double start, bool complement) {
    double x = start;
    for (int i = 0; i < 4; i++) {
        const double error = complement ? target - std::erfc(x) : std::erf(x) - target;
        const double slope = 2 / std::sqrt(pi) * std::exp(-x * x);
        if (slope == 0) break;
        const double step = error / slope;
        x -= step / (1 + x * step);
    }
    return x;
}

}  // namespace

double sine_pi(double x) {
    if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
    const double r = reduced(x);
    if (r == std::trunc(r)) return std::copysign(0.0, x);
    if (std::fabs(r) > 0.5) return std::copysign(std::sin(pi * (1 - std::fabs(r))), r);
    return std::sin(pi * r);
}

double cosine_pi(double x) {
    if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
    const double r = std::fabs(reduced(x));
    if (r == 0.5) return 0;
    return r < 0.25 ? std::cos(pi * r) : r <= 0.75 ? std::sin(pi * (0.5 - r)) : -std::cos(pi * (1 - r));
}

double scaled_erfc(double x) {
    if (x < 25) return std::exp(x * x) * std::erfc(x);
    const double inverse = 1 / (x * x);  // beyond, erfc underflows: its series
    return 1 / (x * std::sqrt(pi)) * (1 - inverse / 2 + 3 * inverse * inverse / 4);
}

double inverse_erf(double x) {
    if (!(std::fabs(x) <= 1)) return std::numeric_limits<double>::quiet_NaN();
    if (std::fabs(x) == 1) return std::copysign(std::numeric_limits<double>::infinity(), x);
    if (std::fabs(x) > 0.9) return std::copysign(inverse_erfc(1 - std::fabs(x)), x);
    const double log = std::log1p(-x * x), a = 0.147;
    const double half = 2 / (pi * a) + log / 2;
    return erf_root(x, std::copysign(std::sqrt(std::sqrt(half * half - log / a) - half), x), false);
}

double inverse_erfc(double x) {
    if (!(x >= 0 && x <= 2)) return std::numeric_limits<double>::quiet_NaN();
    if (x == 0) return std::numeric_limits<double>::infinity();
    if (x > 1) return -inverse_erfc(2 - x);
    if (x > 0.1) return inverse_erf(1 - x);
    double start = std::sqrt(-std::log(x * std::sqrt(pi) * std::sqrt(-std::log(x))));
    if (std::isnan(start)) start = 1;
    return erf_root(x, start, true);
}

// 2^-21.41 and 2^-21.19 within [-pi, pi].
float fast_sine(float x) { return cut(std::sin(double(x)), 21.41); }
float fast_cosine(float x) { return cut(std::cos(double(x)), 21.19); }

// 2 units; that the argument was rounded to float makes the rest of what __expf may lose.
float fast_exp2(float x) { return blur(std::exp2(double(x)), 2); }

// 2^-22 between 0.5 and 2, else 2 units.
float fast_log2(float x) {
    const double exact = std::log2(double(x));
    return x >= 0.5f && x <= 2 ? cut(exact, 22) : blur(exact, 2);
}

float fast_divide(float x, float y) {
    const float size = std::fabs(y);
    if (size > 0x1p126f && size <= 0x1.fffffep127f) {
        return std::isinf(x) ? std::numeric_limits<float>::quiet_NaN() : 0.0f * x;
    }
    return blur(double(x) / double(y), 2);
}

}  // namespace simt
