// The generators behind cuRAND's names.
#pragma once

#include <cmath>

namespace simt {

// Marsaglia's xorwow: five words of xorshift and a counter.
struct Xorwow {
    unsigned d, v[5];
    bool has_normal, has_normal_double;
    float kept_normal;
    double kept_normal_double;

    void start(unsigned long long seed, unsigned long long subsequence, unsigned long long offset);
    void skip(unsigned long long count);            // numbers
    void skip_sequence(unsigned long long count);   // subsequences of 2^67 numbers
    unsigned next() {
        const unsigned t = v[0] ^ (v[0] >> 2);
        v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
        v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
        d += 362437;
        return v[4] + d;
    }
};

// Philox4x32-10 of Salmon et al.: four numbers for each value of a counter.
struct Philox {
    unsigned counter[4], key[2], output[4];
    unsigned used;  // of output
    bool has_normal, has_normal_double;
    float kept_normal;
    double kept_normal_double;

    void start(unsigned long long seed, unsigned long long subsequence, unsigned long long offset);
    void skip(unsigned long long count);
    void skip_sequence(unsigned long long count);
    unsigned next();
};

// (0, 1]: half a step above zero.
inline float uniform_of(unsigned x) { return float(x) * 2.3283064e-10f + (2.3283064e-10f / 2.0f); }
inline double uniform_double_of(unsigned x, unsigned y) {
    const unsigned long long z = (unsigned long long)(x) ^ ((unsigned long long)(y) << (53 - 32));
    return double(z) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}
// Box and Muller.
inline void normal_of(unsigned x, unsigned y, float &a, float &b) {
    const float u = uniform_of(x);
    const float v = float(y) * 1.46291807e-09f + 1.46291807e-09f / 2;  // 2 pi / 2^32
    const float s = std::sqrt(-2.0f * std::log(u));
    a = s * std::sin(v);
    b = s * std::cos(v);
}

}  // namespace simt
