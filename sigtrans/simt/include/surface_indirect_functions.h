// Reads and writes of surface objects; x counts bytes.
#pragma once
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#include "simt/texture.h"
#include "texture_types.h"

namespace simt {

template <class T>
inline T read_surface(cudaSurfaceObject_t object, int x, int y, int z, int mode, Site site) {
    T value{};
    const void *place = surface_place(
        *array_of(reinterpret_cast<const void *>(object)), x, y, z, sizeof(T), mode, site
    );
    if (place) __builtin_memcpy(&value, place, sizeof value);
    return value;
}

template <class T>
inline void write_surface(
    T value, cudaSurfaceObject_t object, int x, int y, int z, int mode, Site site
) {
    void *place = surface_place(
        *array_of(reinterpret_cast<const void *>(object)), x, y, z, sizeof(T), mode, site
    );
    if (place) __builtin_memcpy(place, &value, sizeof value);
}

}  // namespace simt

#define SIMT_SURFACE(name, parameters, x, y, z)                                                \
    template <class T>                                                                         \
    inline T name##read(                                                                       \
        cudaSurfaceObject_t object, SIMT_STRIP parameters,                                     \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                              \
        simt::Site site = simt::Site::here()                                                   \
    ) {                                                                                        \
        return simt::read_surface<T>(object, x, y, z, mode, site);                             \
    }                                                                                          \
    template <class T>                                                                         \
    inline void name##read(                                                                    \
        T *result, cudaSurfaceObject_t object, SIMT_STRIP parameters,                          \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                              \
        simt::Site site = simt::Site::here()                                                   \
    ) {                                                                                        \
        *result = simt::read_surface<T>(object, x, y, z, mode, site);                          \
    }                                                                                          \
    template <class T>                                                                         \
    inline void name##write(                                                                   \
        T value, cudaSurfaceObject_t object, SIMT_STRIP parameters,                            \
        enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                              \
        simt::Site site = simt::Site::here()                                                   \
    ) {                                                                                        \
        simt::write_surface(value, object, x, y, z, mode, site);                               \
    }
#define SIMT_STRIP(...) __VA_ARGS__
SIMT_SURFACE(surf1D, (int x), x, 0, 0)
SIMT_SURFACE(surf2D, (int x, int y), x, y, 0)
SIMT_SURFACE(surf3D, (int x, int y, int z), x, y, z)
SIMT_SURFACE(surf1DLayered, (int x, int layer), x, 0, layer)
SIMT_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
#undef SIMT_SURFACE
#undef SIMT_STRIP
