// Number formats of the libraries: complex numbers with the plain product (std::complex checks for
// NaN in every one), and half and bfloat16 as they lie in memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace simt {

template <class T>
struct Complex {
    T re = 0, im = 0;
    Complex() = default;
    Complex(T r, T i = 0) : re(r), im(i) {}
    Complex &operator+=(Complex b) { re += b.re; im += b.im; return *this; }
    Complex &operator-=(Complex b) { re -= b.re; im -= b.im; return *this; }
    Complex &operator*=(Complex b) { return *this = *this * b; }
    friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend Complex operator-(Complex a) { return {-a.re, -a.im}; }
    friend Complex operator*(Complex a, Complex b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    friend Complex operator*(T a, Complex b) { return {a * b.re, a * b.im}; }
    friend Complex operator/(Complex a, Complex b) {  // scaled, so that squares do not overflow
        T scale = std::fabs(b.re) + std::fabs(b.im), re = b.re / scale, im = b.im / scale;
        T norm = (re * re + im * im) * scale;
        return {(a.re * re + a.im * im) / norm, (a.im * re - a.re * im) / norm};
    }
    friend bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
    friend bool operator!=(Complex a, Complex b) { return !(a == b); }
};

template <class T> struct RealOf { using type = T; };
template <class T> struct RealOf<Complex<T>> { using type = T; };
template <class T> using Real = typename RealOf<T>::type;
template <class T> constexpr bool is_complex = !std::is_same<T, Real<T>>::value;

template <class T> T conjugate(T x) { return x; }
template <class T> Complex<T> conjugate(Complex<T> x) { return {x.re, -x.im}; }
template <class T> T real_part(T x) { return x; }
template <class T> T real_part(Complex<T> x) { return x.re; }
template <class T> T magnitude(T x) { return std::fabs(x); }
template <class T> T magnitude(Complex<T> x) { return std::hypot(x.re, x.im); }
// |re| + |im|: what the index of the largest element goes by.
template <class T> T taxicab(T x) { return std::fabs(x); }
template <class T> T taxicab(Complex<T> x) { return std::fabs(x.re) + std::fabs(x.im); }
template <class T> T square(T x) { return x * x; }
template <class T> T square(Complex<T> x) { return x.re * x.re + x.im * x.im; }

struct Half { uint16_t bits; };
struct Brain { uint16_t bits; };

inline float from_bits(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}

inline uint32_t to_bits(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits;
}

inline float widen(Half half) {
    uint32_t sign = uint32_t(half.bits & 0x8000) << 16, rest = half.bits & 0x7fff;
    if (rest >= 0x7c00) return from_bits(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest >= 0x400) return from_bits(sign | (rest + (112 << 10)) << 13);
    float small = float(rest) * 0x1p-24f;  // subnormal: exact
    return sign ? -small : small;
}

inline float widen(Brain brain) { return from_bits(uint32_t(brain.bits) << 16); }

inline Half to_half(float value) {  // to nearest, ties to even
    uint32_t bits = to_bits(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) return {uint16_t(0x7fff)};
    if (rest >= 0x477ff000) return {uint16_t(sign | 0x7c00)};
    if (rest < 0x38800000) {  // subnormal: the unit in the last place is 2^-24, as in float + 0.5
        return {uint16_t(sign | (to_bits(from_bits(rest) + 0.5f) - to_bits(0.5f)))};
    }
    rest += 0xfff + (rest >> 13 & 1);
    return {uint16_t(sign | (rest - (112u << 23)) >> 13)};
}

inline Brain to_brain(float value) {
    uint32_t bits = to_bits(value);
    if ((bits & 0x7fffffff) > 0x7f800000) return {uint16_t(0x7fff)};
    return {uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

// The 10 bits of mantissa that TF32 keeps of a float.
inline float to_tf32(float value) {
    uint32_t bits = to_bits(value);
    if ((bits & 0x7f800000) == 0x7f800000) return value;
    return from_bits((bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu);
}

inline void load(float &to, float from) { to = from; }
inline void load(float &to, Half from) { to = widen(from); }
inline void load(float &to, Brain from) { to = widen(from); }
inline void load(float &to, int8_t from) { to = from; }
inline void load(int32_t &to, int32_t from) { to = from; }
inline void load(int32_t &to, int8_t from) { to = from; }
inline void load(double &to, double from) { to = from; }
template <class T> void load(Complex<T> &to, Complex<T> from) { to = from; }

template <class T> void store(T &to, T from) { to = from; }
inline void store(Half &to, float from) { to = to_half(from); }
inline void store(Brain &to, float from) { to = to_brain(from); }

}  // namespace simt
