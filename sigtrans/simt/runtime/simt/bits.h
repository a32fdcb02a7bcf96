// Bits of values, and rounding by hand.
#pragma once

#include <cstdint>

namespace simt {

template <class To, class From>
inline To bit_cast(const From &from) {
    static_assert(sizeof(To) == sizeof(From), "only between types of one size");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}

enum class Round : unsigned char { nearest, zero, down, up };

}  // namespace simt
