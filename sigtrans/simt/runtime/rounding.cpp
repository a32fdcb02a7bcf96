// Directed rounding by the processor's own mode. The optimiser knows nothing of that mode, so that
// operands come out of, and results go into, an empty asm that it must not move or see through.
#include "simt/rounding.h"

#include <cfenv>
#include <cmath>

namespace simt {

namespace {

template <class T>
inline void opaque(T &value) {
    asm volatile("" : "+m"(value) : : "memory");
}

class Mode {
  public:
    explicit Mode(Round how) : saved_(std::fegetround()) {
        constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        std::fesetround(modes[int(how)]);
    }
    ~Mode() { std::fesetround(saved_); }

  private:
    int saved_;
};

template <class Result, class Operation, class... Operands>
inline Result directed(Round how, Operation operation, Operands... operands) {
    const Mode mode(how);
    (opaque(operands), ...);
    Result result = operation(operands...);
    opaque(result);
    return result;
}

template <class T>
T directed_sum(T a, T b, Round how) {
    return directed<T>(how, [](T x, T y) { return x + y; }, a, b);
}
template <class T>
T directed_product(T a, T b, Round how) {
    return directed<T>(how, [](T x, T y) { return x * y; }, a, b);
}
template <class T>
T directed_quotient(T a, T b, Round how) {
    return directed<T>(how, [](T x, T y) { return x / y; }, a, b);
}
template <class T>
T directed_root(T a, Round how) {
    return directed<T>(how, [](T x) { return std::sqrt(x); }, a);
}
template <class T>
T directed_fused(T a, T b, T c, Round how) {
    return directed<T>(how, [](T x, T y, T z) { return std::fma(x, y, z); }, a, b, c);
}
template <class To, class From>
To directed_cast(From a, Round how) {
    return directed<To>(how, [](From x) { return static_cast<To>(x); }, a);
}

}  // namespace

float add(float a, float b, Round how) { return directed_sum(a, b, how); }
float multiply(float a, float b, Round how) { return directed_product(a, b, how); }
float divide(float a, float b, Round how) { return directed_quotient(a, b, how); }
float square_root(float a, Round how) { return directed_root(a, how); }
float fused(float a, float b, float c, Round how) { return directed_fused(a, b, c, how); }
double add(double a, double b, Round how) { return directed_sum(a, b, how); }
double multiply(double a, double b, Round how) { return directed_product(a, b, how); }
double divide(double a, double b, Round how) { return directed_quotient(a, b, how); }
double square_root(double a, Round how) { return directed_root(a, how); }
double fused(double a, double b, double c, Round how) { return directed_fused(a, b, c, how); }

float to_float(double a, Round how) { return directed_cast<float>(a, how); }
float to_float(long long a, Round how) { return directed_cast<float>(a, how); }
float to_float(unsigned long long a, Round how) { return directed_cast<float>(a, how); }
double to_double(long long a, Round how) { return directed_cast<double>(a, how); }
double to_double(unsigned long long a, Round how) { return directed_cast<double>(a, how); }

// A double's worth of the root is corrected by what its square misses, so that its error lies far
// below the distance of any such root from the middle between two floats.
float reciprocal_root(float a) {
    if (!(a > 0) || std::isinf(a)) return 1 / std::sqrt(a);
    const double x = a, r = 1 / std::sqrt(x);
    const double square = r * r, missed = std::fma(r, r, -square);
    const double error = std::fma(-x, square, 1.0) - x * missed;
    const double step = r * error / 2;
    double sum = r + step;
    const double lost = step - (sum - r);
    // To odd, so that rounding again does no harm.
    uint64_t bits = bit_cast<uint64_t>(sum);
    if (lost != 0 && !(bits & 1)) bits += lost > 0 ? 1 : -1;
    return static_cast<float>(bit_cast<double>(bits));
}

}  // namespace simt
