// Reads of texture objects.
#pragma once
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#include "channel_descriptor.h"
#include "simt/texture.h"
#include "texture_types.h"

namespace simt {

inline const Texture &texture_of(cudaTextureObject_t object) {
    return *reinterpret_cast<const Texture *>(object);
}

// The channels of a read as the type that the program asks for.
template <class T>
inline T converted(const Texture &texture, const Texel &texel) {
    using Part = typename Component<T>::type;
    constexpr int count = Component<T>::count;
    Part parts[count];
    const bool floating = is_float(texture);
    for (int n = 0; n < count; ++n) {
        parts[n] = floating ? Part(texel.f[n]) : Part(texel.i[n]);
    }
    T result;
    __builtin_memcpy(&result, parts, sizeof result);
    return result;
}

template <class T>
inline T read_texture(
    cudaTextureObject_t object, int dimensions, float x, float y, float z, int layer, float lod
) {
    const Texture &texture = texture_of(object);
    return converted<T>(texture, sample(texture, dimensions, x, y, z, layer, lod));
}

}  // namespace simt

// Each function in the form that returns the value and the one that stores it.
#define SIMT_TEXTURE(name, parameters, arguments, ...)                     \
    template <class T>                                                     \
    inline T name parameters {                                             \
        return __VA_ARGS__;                                                \
    }                                                                      \
    template <class T>                                                     \
    inline void name(T *result, SIMT_STRIP parameters) {                   \
        *result = name<T> arguments;                                       \
    }
#define SIMT_STRIP(...) __VA_ARGS__

SIMT_TEXTURE(
    tex1Dfetch, (cudaTextureObject_t object, int x), (object, x),
    simt::converted<T>(simt::texture_of(object), simt::fetch(simt::texture_of(object), x))
)
SIMT_TEXTURE(
    tex1D, (cudaTextureObject_t object, float x), (object, x),
    simt::read_texture<T>(object, 1, x, 0, 0, -1, 0)
)
SIMT_TEXTURE(
    tex2D, (cudaTextureObject_t object, float x, float y), (object, x, y),
    simt::read_texture<T>(object, 2, x, y, 0, -1, 0)
)
SIMT_TEXTURE(
    tex3D, (cudaTextureObject_t object, float x, float y, float z), (object, x, y, z),
    simt::read_texture<T>(object, 3, x, y, z, -1, 0)
)
SIMT_TEXTURE(
    tex1DLayered, (cudaTextureObject_t object, float x, int layer), (object, x, layer),
    simt::read_texture<T>(object, 1, x, 0, 0, layer, 0)
)
SIMT_TEXTURE(
    tex2DLayered, (cudaTextureObject_t object, float x, float y, int layer), (object, x, y, layer),
    simt::read_texture<T>(object, 2, x, y, 0, layer, 0)
)
SIMT_TEXTURE(
    tex1DLod, (cudaTextureObject_t object, float x, float lod), (object, x, lod),
    simt::read_texture<T>(object, 1, x, 0, 0, -1, lod)
)
SIMT_TEXTURE(
    tex2DLod, (cudaTextureObject_t object, float x, float y, float lod), (object, x, y, lod),
    simt::read_texture<T>(object, 2, x, y, 0, -1, lod)
)
SIMT_TEXTURE(
    tex3DLod, (cudaTextureObject_t object, float x, float y, float z, float lod),
    (object, x, y, z, lod), simt::read_texture<T>(object, 3, x, y, z, -1, lod)
)
SIMT_TEXTURE(
    texCubemap, (cudaTextureObject_t object, float x, float y, float z), (object, x, y, z),
    simt::converted<T>(
        simt::texture_of(object), simt::sample_cube(simt::texture_of(object), x, y, z, 0)
    )
)
SIMT_TEXTURE(
    texCubemapLayered, (cudaTextureObject_t object, float x, float y, float z, int layer),
    (object, x, y, z, layer),
    simt::converted<T>(
        simt::texture_of(object), simt::sample_cube(simt::texture_of(object), x, y, z, layer)
    )
)
#undef SIMT_TEXTURE
#undef SIMT_STRIP

template <class T>
inline T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
    const simt::Texture &texture = simt::texture_of(object);
    return simt::converted<T>(texture, simt::gather(texture, x, y, component));
}

// The level that fits the longer of two steps.
template <class T>
inline T tex2DGrad(cudaTextureObject_t object, float x, float y, float2 dx, float2 dy) {
    const simt::Texture &texture = simt::texture_of(object);
    const float width = texture.normalized ? float(texture.level[0].width) : 1;
    const float height = texture.normalized ? float(texture.level[0].rows()) : 1;
    const float a = __builtin_hypotf(dx.x * width, dx.y * height);
    const float b = __builtin_hypotf(dy.x * width, dy.y * height);
    return simt::read_texture<T>(object, 2, x, y, 0, -1, __builtin_log2f(a < b ? b : a));
}
