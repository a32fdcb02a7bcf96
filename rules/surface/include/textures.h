/* Texture and surface references, the old form that has a type of its own. */
#ifndef SIGTRANS_TEXTURES_H
#define SIGTRANS_TEXTURES_H
#include "sigtrans/runtime.h"
#ifdef __cplusplus
template <class T, int dim = 1, enum musaTextureReadMode mode = musaReadModeElementType>
struct texture : public textureReference {
  texture(int normalized = 0, enum musaTextureFilterMode = musaFilterModePoint,
          enum musaTextureAddressMode = musaAddressModeClamp);
  texture(int normalized, enum musaTextureFilterMode, enum musaTextureAddressMode,
          struct musaChannelFormatDesc);
};
template <class T, int dim = 1>
struct surface : public surfaceReference {
  surface();
};
#ifdef __MUSACC__
/* A normalised read gives floats, whatever the texture holds. */
template <class T, enum musaTextureReadMode> struct SigtransTexel { typedef T type; };
#define SIGTRANS_TEXEL(T, R) \
  template <> struct SigtransTexel<T, musaReadModeNormalizedFloat> { typedef R type; };
SIGTRANS_TEXEL(char, float)
SIGTRANS_TEXEL(signed char, float)
SIGTRANS_TEXEL(unsigned char, float)
SIGTRANS_TEXEL(short, float)
SIGTRANS_TEXEL(unsigned short, float)
SIGTRANS_TEXEL(char2, float2)
SIGTRANS_TEXEL(uchar2, float2)
SIGTRANS_TEXEL(short2, float2)
SIGTRANS_TEXEL(ushort2, float2)
SIGTRANS_TEXEL(char4, float4)
SIGTRANS_TEXEL(uchar4, float4)
SIGTRANS_TEXEL(short4, float4)
SIGTRANS_TEXEL(ushort4, float4)
#undef SIGTRANS_TEXEL
#define SIGTRANS_FETCH(name, dim, ...) \
  template <class T, enum musaTextureReadMode mode> \
  __device__ typename SigtransTexel<T, mode>::type name(texture<T, dim, mode>, __VA_ARGS__);
SIGTRANS_FETCH(tex1Dfetch, musaTextureType1D, int)
SIGTRANS_FETCH(tex1D, musaTextureType1D, float)
SIGTRANS_FETCH(tex2D, musaTextureType2D, float, float)
SIGTRANS_FETCH(tex3D, musaTextureType3D, float, float, float)
SIGTRANS_FETCH(tex1DLayered, musaTextureType1DLayered, float, int)
SIGTRANS_FETCH(tex2DLayered, musaTextureType2DLayered, float, float, int)
SIGTRANS_FETCH(texCubemap, musaTextureTypeCubemap, float, float, float)
SIGTRANS_FETCH(tex1DLod, musaTextureType1D, float, float)
SIGTRANS_FETCH(tex2DLod, musaTextureType2D, float, float, float)
SIGTRANS_FETCH(tex3DLod, musaTextureType3D, float, float, float, float)
SIGTRANS_FETCH(tex2Dgather, musaTextureType2D, float, float, int = 0)
#undef SIGTRANS_FETCH
#endif
#endif
#endif
