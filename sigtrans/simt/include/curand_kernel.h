// Random numbers in kernels: XORWOW and Philox4x32-10.
#pragma once
#define CURAND_KERNEL_H_

#include <math.h>

#include "curand.h"
#include "simt/random.h"
#include "vector_types.h"

struct curandStateXORWOW : simt::Xorwow {};
struct curandStatePhilox4_32_10 : simt::Philox {};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateXORWOW curandState;
typedef struct curandStateXORWOW curandState_t;

inline void curand_init(
    unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
    curandStateXORWOW_t *state
) {
    state->start(seed, subsequence, offset);
}
inline void curand_init(
    unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
    curandStatePhilox4_32_10_t *state
) {
    state->start(seed, subsequence, offset);
}

#define SIMT_RANDOM(State)                                                                     \
    inline unsigned int curand(State *state) { return state->next(); }                         \
    inline float curand_uniform(State *state) { return simt::uniform_of(state->next()); }      \
    inline double curand_uniform_double(State *state) {                                        \
        const unsigned x = state->next();                                                      \
        return simt::uniform_double_of(x, state->next());                                      \
    }                                                                                          \
    inline float2 curand_normal2(State *state) {                                               \
        float2 pair;                                                                           \
        const unsigned x = state->next();                                                      \
        simt::normal_of(x, state->next(), pair.x, pair.y);                                     \
        return pair;                                                                           \
    }                                                                                          \
    inline float curand_normal(State *state) {                                                 \
        if (state->has_normal) {                                                               \
            state->has_normal = false;                                                         \
            return state->kept_normal;                                                         \
        }                                                                                      \
        const float2 pair = curand_normal2(state);                                             \
        state->kept_normal = pair.y;                                                           \
        state->has_normal = true;                                                              \
        return pair.x;                                                                         \
    }                                                                                          \
    inline double2 curand_normal2_double(State *state) {                                       \
        const double a = curand_uniform_double(state), b = curand_uniform_double(state);       \
        const double radius = sqrt(-2 * log(a)), angle = 6.283185307179586476925 * b;          \
        return double2{radius * sin(angle), radius * cos(angle)};                              \
    }                                                                                          \
    inline double curand_normal_double(State *state) {                                         \
        if (state->has_normal_double) {                                                        \
            state->has_normal_double = false;                                                  \
            return state->kept_normal_double;                                                  \
        }                                                                                      \
        const double2 pair = curand_normal2_double(state);                                     \
        state->kept_normal_double = pair.y;                                                    \
        state->has_normal_double = true;                                                       \
        return pair.x;                                                                         \
    }                                                                                          \
    inline float curand_log_normal(State *state, float mean, float deviation) {                \
        return expf(mean + deviation * curand_normal(state));                                  \
    }                                                                                          \
    inline double curand_log_normal_double(State *state, double mean, double deviation) {      \
        return exp(mean + deviation * curand_normal_double(state));                            \
    }                                                                                          \
    inline void skipahead(unsigned long long n, State *state) { state->skip(n); }              \
    inline void skipahead_sequence(unsigned long long n, State *state) { state->skip_sequence(n); }
SIMT_RANDOM(curandStateXORWOW_t)
SIMT_RANDOM(curandStatePhilox4_32_10_t)
#undef SIMT_RANDOM

inline uint4 curand4(curandStatePhilox4_32_10_t *state) {
    uint4 r;
    r.x = state->next(), r.y = state->next(), r.z = state->next(), r.w = state->next();
    return r;
}
inline float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
    const uint4 r = curand4(state);
    return float4{simt::uniform_of(r.x), simt::uniform_of(r.y), simt::uniform_of(r.z), simt::uniform_of(r.w)};
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
    const uint4 r = curand4(state);
    return double2{simt::uniform_double_of(r.x, r.y), simt::uniform_double_of(r.z, r.w)};
}
inline float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
    const uint4 r = curand4(state);
    float4 n;
    simt::normal_of(r.x, r.y, n.x, n.y);
    simt::normal_of(r.z, r.w, n.z, n.w);
    return n;
}
