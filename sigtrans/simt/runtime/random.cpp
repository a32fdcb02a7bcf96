#include "simt/random.h"

#include <array>
#include <cstdint>

namespace simt {

namespace {

// A step of the xorshift part is linear over the 160 bits: column n is what bit n becomes.
using Word = std::array<unsigned, 5>;
using Matrix = std::array<Word, 160>;

Word apply(const Matrix &matrix, const Word &v) {
    Word out{};
    for (unsigned n = 0; n < 160; n++) {
        if (!(v[n / 32] >> (n % 32) & 1)) continue;
        for (unsigned k = 0; k < 5; k++) out[k] ^= matrix[n][k];
    }
    return out;
}

Matrix squared(const Matrix &matrix) {
    Matrix out;
    for (unsigned n = 0; n < 160; n++) out[n] = apply(matrix, matrix[n]);
    return out;
}

Matrix one_step() {
    Matrix out;
    for (unsigned n = 0; n < 160; n++) {
        Word v{};
        v[n / 32] = 1u << (n % 32);
        const unsigned t = v[0] ^ (v[0] >> 2);
        out[n] = Word{v[1], v[2], v[3], v[4], (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1))};
    }
    return out;
}

// powers()[k]: 2^k steps.
const std::array<Matrix, 131> &powers() {
    static const auto *it = [] {
        auto *made = new std::array<Matrix, 131>;
        (*made)[0] = one_step();
        for (size_t k = 1; k < made->size(); k++) (*made)[k] = squared((*made)[k - 1]);
        return made;
    }();
    return *it;
}

void jump(Xorwow &state, unsigned long long count, unsigned shift) {
    Word v{state.v[0], state.v[1], state.v[2], state.v[3], state.v[4]};
    for (unsigned bit = 0; bit < 64; bit++) {
        if (count >> bit & 1 && bit + shift < powers().size()) v = apply(powers()[bit + shift], v);
    }
    for (unsigned k = 0; k < 5; k++) state.v[k] = v[k];
}

void increment(unsigned *counter, unsigned long long by, unsigned at) {
    for (unsigned k = at; k < 4 && by; k++) {
        by += counter[k];
        counter[k] = unsigned(by);
        by >>= 32;
    }
}

void encrypt(const unsigned *counter, const unsigned *key, unsigned *out) {
    unsigned c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = uint64_t(0xD2511F53u) * c[0], b = uint64_t(0xCD9E8D57u) * c[2];
        const unsigned next[4] = {unsigned(b >> 32) ^ c[1] ^ k[0], unsigned(b), unsigned(a >> 32) ^ c[3] ^ k[1], unsigned(a)};
        for (int n = 0; n < 4; n++) c[n] = next[n];
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    for (int n = 0; n < 4; n++) out[n] = c[n];
}

}  // namespace

void Xorwow::start(unsigned long long seed, unsigned long long subsequence, unsigned long long offset) {
    const unsigned s0 = unsigned(seed) ^ 0xaad26b49u, s1 = unsigned(seed >> 32) ^ 0xf7dcefddu;
    const unsigned t0 = 1099087573u * s0, t1 = 2591861531u * s1;
    d = 6615241 + t1 + t0;
    v[0] = 123456789u + t0;
    v[1] = 362436069u ^ t0;
    v[2] = 521288629u + t1;
    v[3] = 88675123u ^ t1;
    v[4] = 5783321u + t0;
    has_normal = has_normal_double = false;
    kept_normal = 0;
    kept_normal_double = 0;
    skip_sequence(subsequence);
    skip(offset);
}

void Xorwow::skip(unsigned long long count) {
    jump(*this, count, 0);
    d += 362437u * unsigned(count);
}

void Xorwow::skip_sequence(unsigned long long count) { jump(*this, count, 67); }

void Philox::start(unsigned long long seed, unsigned long long subsequence, unsigned long long offset) {
    key[0] = unsigned(seed);
    key[1] = unsigned(seed >> 32);
    counter[0] = counter[1] = 0;
    counter[2] = unsigned(subsequence);
    counter[3] = unsigned(subsequence >> 32);
    used = 0;
    has_normal = has_normal_double = false;
    kept_normal = 0;
    kept_normal_double = 0;
    encrypt(counter, key, output);
    skip(offset);
}

void Philox::skip(unsigned long long count) {
    used += unsigned(count & 3);
    count /= 4;
    if (used > 3) count++, used -= 4;
    increment(counter, count, 0);
    encrypt(counter, key, output);
}

void Philox::skip_sequence(unsigned long long count) {
    increment(counter, count, 2);
    encrypt(counter, key, output);
}

unsigned Philox::next() {
    const unsigned value = output[used++];
    if (used == 4) {
        increment(counter, 1, 0);
        encrypt(counter, key, output);
        used = 0;
    }
    return value;
}

}  // namespace simt
