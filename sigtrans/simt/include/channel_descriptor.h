// cudaCreateChannelDesc: from bits, and from a type.
#pragma once
#define __CHANNEL_DESCRIPTOR_H__

#include <limits.h>

#include <type_traits>

#include "driver_types.h"
#include "vector_types.h"

inline cudaChannelFormatDesc cudaCreateChannelDesc(
    int x, int y, int z, int w, enum cudaChannelFormatKind kind
) {
    return cudaChannelFormatDesc{x, y, z, w, kind};
}

namespace simt {
template <class T, class = void>
struct Component {
    using type = T;
    static constexpr int count = 1;
};
template <class T>
struct Component<T, std::void_t<decltype(T::x)>> {
    using type = std::remove_reference_t<decltype(T::x)>;
    static constexpr int count = int(sizeof(T) / sizeof(type));
};
}  // namespace simt

template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    using Part = typename simt::Component<T>::type;
    constexpr int count = simt::Component<T>::count, bits = int(sizeof(Part)) * CHAR_BIT;
    constexpr auto kind = std::is_floating_point_v<Part> ? cudaChannelFormatKindFloat
                          : std::is_signed_v<Part>       ? cudaChannelFormatKindSigned
                                                         : cudaChannelFormatKindUnsigned;
    return cudaChannelFormatDesc{bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
}
template <>
inline cudaChannelFormatDesc cudaCreateChannelDesc<void>() {
    return cudaChannelFormatDesc{0, 0, 0, 0, cudaChannelFormatKindNone};
}
