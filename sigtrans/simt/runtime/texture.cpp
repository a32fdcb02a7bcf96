// Texture units: addressing, filtering with the documented 8 bits of fraction, conversion.
#include "simt/texture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>

#include "internal.h"
#include "simt/engine.h"

namespace simt {

bool is_float(const Texture &texture) { return texture.level[0].kind == cudaChannelFormatKindFloat || texture.to_float; }

namespace {

float half_to_float(uint16_t bits) {
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = exponent == 31 ? (fraction ? NAN : INFINITY)
                  : exponent     ? std::ldexp(float(1024 + fraction), int(exponent) - 25)
                                 : std::ldexp(float(fraction), -24);
    return bits >> 15 ? -value : value;
}

Texel read(const Texture &texture, const Array &array, size_t x, size_t y, size_t z) {
    const size_t pitch = texture.pitch ? texture.pitch : array.pitch();
    const char *at = array.data + (z * array.rows() + y) * pitch + x * array.texel;
    Texel result{};
    for (int channel = 0; channel < 4; channel++) {
        const int bits = array.bits[channel];
        if (!bits) continue;
        if (array.kind == cudaChannelFormatKindFloat) {
            if (bits == 16) {
                uint16_t half;
                std::memcpy(&half, at, sizeof half);
                result.f[channel] = half_to_float(half);
            } else {
                std::memcpy(&result.f[channel], at, sizeof(float));
            }
        } else {
            uint32_t raw = 0;
            std::memcpy(&raw, at, static_cast<size_t>(bits) / 8);
            int64_t value = raw;
            if (array.kind == cudaChannelFormatKindSigned && bits < 32) value = int32_t(raw << (32 - bits)) >> (32 - bits);
            else if (array.kind == cudaChannelFormatKindSigned) value = int32_t(raw);
            if (texture.to_float) {
                const double most = std::ldexp(1.0, bits - (array.kind == cudaChannelFormatKindSigned)) - 1;
                result.f[channel] = float(std::max(-1.0, double(value) / most));
            } else {
                result.i[channel] = int(value);
            }
        }
        at += bits / 8;
    }
    return result;
}

// Where a coordinate that may lie outside lands; -1: on the border.
long place(Address mode, long at, long size, bool normalized) {
    if (at >= 0 && at < size) return at;
    if (mode == Address::border) return -1;
    if (normalized && mode == Address::wrap) return ((at % size) + size) % size;
    if (normalized && mode == Address::mirror) {
        const long twice = ((at % (2 * size)) + 2 * size) % (2 * size);
        return twice < size ? twice : 2 * size - 1 - twice;
    }
    return at < 0 ? 0 : size - 1;
}

Texel at(const Texture &texture, const Array &array, const long index[3], int dimensions, long slice) {
    const long size[3] = {long(array.width), long(array.rows()), long(array.slices())};
    long where[3] = {0, 0, 0};
    for (int d = 0; d < dimensions; d++) {
        where[d] = place(texture.address[d], index[d], size[d], texture.normalized);
        if (where[d] < 0) {
            Texel border{};
            if (is_float(texture)) std::memcpy(border.f, texture.border, sizeof border.f);
            return border;
        }
    }
    return read(texture, array, size_t(where[0]), size_t(where[1]), size_t(slice >= 0 ? slice : where[2]));
}

Texel sample_level(
    const Texture &texture, const Array &array, int dimensions, const float coordinate[3], long slice
) {
    const size_t size[3] = {array.width, array.rows(), array.slices()};
    float x[3];
    for (int d = 0; d < dimensions; d++) x[d] = texture.normalized ? coordinate[d] * float(size[d]) : coordinate[d];
    long index[3] = {0, 0, 0};
    if (!texture.filter || !is_float(texture)) {
        for (int d = 0; d < dimensions; d++) index[d] = long(std::floor(x[d]));
        return at(texture, array, index, dimensions, slice);
    }
    float weight[3] = {0, 0, 0};
    for (int d = 0; d < dimensions; d++) {
        const float shifted = x[d] - 0.5f;
        index[d] = long(std::floor(shifted));
        weight[d] = std::rint((shifted - std::floor(shifted)) * 256) / 256;  // 8 bits of fraction
    }
    Texel result{};
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        float share = 1;
        long where[3] = {0, 0, 0};
        for (int d = 0; d < dimensions; d++) {
            const int high = corner >> d & 1;
            share *= high ? weight[d] : 1 - weight[d];
            where[d] = index[d] + high;
        }
        if (share == 0) continue;
        const Texel part = at(texture, array, where, dimensions, slice);
        for (int c = 0; c < 4; c++) result.f[c] += share * part.f[c];
    }
    return result;
}

}  // namespace

Texel sample(const Texture &texture, int dimensions, float x, float y, float z, int layer, float lod) {
    const float coordinate[3] = {x, y, z};
    const Array &first = texture.level[0];
    long slice = -1;
    if (layer >= 0) slice = std::min<long>(layer, long(first.slices()) - 1);
    if (texture.levels == 1) return sample_level(texture, first, dimensions, coordinate, slice);
    const float level = std::max(0.0f, std::min(lod, float(texture.levels - 1)));
    const int low = int(texture.mip_filter ? std::floor(level) : std::rint(level));
    Texel a = sample_level(texture, texture.level[low], dimensions, coordinate, slice);
    const float weight = texture.mip_filter ? std::rint((level - float(low)) * 256) / 256 : 0;
    if (weight == 0) return a;
    const Texel b = sample_level(texture, texture.level[low + 1], dimensions, coordinate, slice);
    for (int c = 0; c < 4; c++) a.f[c] += weight * (b.f[c] - a.f[c]);
    return a;
}

Texel sample_cube(const Texture &texture, float x, float y, float z, int layer) {
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    int face;
    float s, t, m;
    if (ax >= ay && ax >= az) face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
    else if (ay >= az) face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
    else face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
    Texture flat = texture;
    flat.normalized = true;
    flat.address[0] = flat.address[1] = Address::clamp;
    return sample(flat, 2, (s / m + 1) / 2, (t / m + 1) / 2, 0, (layer > 0 ? layer * 6 : 0) + face, 0);
}

Texel fetch(const Texture &texture, int index) {
    const Array &array = texture.level[0];
    if (index < 0 || size_t(index) >= array.width) return Texel{};
    return read(texture, array, size_t(index), 0, 0);
}

Texel gather(const Texture &texture, float x, float y, int component) {
    const Array &array = texture.level[0];
    const float u = texture.normalized ? x * float(array.width) : x;
    const float v = texture.normalized ? y * float(array.rows()) : y;
    const long i = long(std::floor(u - 0.5f)), j = long(std::floor(v - 0.5f));
    const long corner[4][3] = {{i, j + 1, 0}, {i + 1, j + 1, 0}, {i + 1, j, 0}, {i, j, 0}};
    Texel result{};
    for (int c = 0; c < 4; c++) {
        const Texel one = at(texture, array, corner[c], 2, -1);
        result.i[c] = one.i[component];
    }
    return result;
}

void *surface_place(const Array &array, int x, int y, int z, unsigned size, int mode, Site site) {
    const long width = long(array.pitch()), height = long(array.rows()), depth = long(array.slices());
    long px = x, py = y, pz = z;
    if (px < 0 || px + long(size) > width || py < 0 || py >= height || pz < 0 || pz >= depth) {
        if (mode == cudaBoundaryModeZero) return nullptr;
        if (mode == cudaBoundaryModeTrap) fail(Fault::trap, site, "a surface is accessed outside of its bounds");
        px = std::max(0l, std::min(px, width - long(size)));
        py = std::max(0l, std::min(py, height - 1));
        pz = std::max(0l, std::min(pz, depth - 1));
    }
    return array.data + (pz * height + py) * width + px;
}

}  // namespace simt

using namespace simt;

// --- the API -------------------------------------------------------------------------------------

namespace {

struct Kept {
    Texture texture;
    cudaResourceDesc resource;
    cudaTextureDesc description;
};

std::set<Kept *> &kept() {
    static auto *it = new std::set<Kept *>;
    return *it;
}

Array described(const void *data, const cudaChannelFormatDesc &format, size_t width, size_t height) {
    const int bits = format.x + format.y + format.z + format.w;
    return Array{static_cast<char *>(const_cast<void *>(data)), width, height, 0,
                 {format.x, format.y, format.z, format.w}, format.f, unsigned(bits / 8), 0};
}

}  // namespace

cudaError_t cudaCreateTextureObject(
    cudaTextureObject_t *object, const cudaResourceDesc *resource, const cudaTextureDesc *description,
    const cudaResourceViewDesc *
) {
    return api(SIMT_CALLER, [&] {
        if (!object || !resource || !description) return cudaErrorInvalidValue;
        auto *it = new Kept{Texture(), *resource, *description};
        Texture &t = it->texture;
        switch (resource->resType) {
            case cudaResourceTypeArray: t.level[0] = *array_of(resource->res.array.array); break;
            case cudaResourceTypeMipmappedArray: {
                const auto *map = reinterpret_cast<const MipmappedArray *>(resource->res.mipmap.mipmap);
                t.levels = int(map->levels);
                for (unsigned i = 0; i < map->levels; i++) t.level[i] = *map->level[i];
                break;
            }
            case cudaResourceTypeLinear: {
                const auto &from = resource->res.linear;
                const int bytes_each = (from.desc.x + from.desc.y + from.desc.z + from.desc.w) / 8;
                if (!bytes_each) return cudaErrorInvalidChannelDescriptor;
                t.level[0] = described(from.devPtr, from.desc, from.sizeInBytes / size_t(bytes_each), 0);
                t.linear_memory = true;
                break;
            }
            case cudaResourceTypePitch2D: {
                const auto &from = resource->res.pitch2D;
                t.level[0] = described(from.devPtr, from.desc, from.width, from.height);
                t.pitch = from.pitchInBytes;
                break;
            }
        }
        for (int d = 0; d < 3; d++) t.address[d] = static_cast<Address>(description->addressMode[d]);
        t.filter = description->filterMode == cudaFilterModeLinear;
        t.mip_filter = description->mipmapFilterMode == cudaFilterModeLinear;
        t.normalized = description->normalizedCoords != 0;
        t.to_float = description->readMode == cudaReadModeNormalizedFloat && t.level[0].kind != cudaChannelFormatKindFloat;
        std::memcpy(t.border, description->borderColor, sizeof t.border);
        t.layered = t.level[0].flags & cudaArrayLayered;
        t.cube = t.level[0].flags & cudaArrayCubemap;
        if (watcher) watcher->allocated(it, sizeof *it, Memory::parameters, true);
        kept().insert(it);
        *object = reinterpret_cast<cudaTextureObject_t>(it);
        return cudaSuccess;
    });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    return api(SIMT_CALLER, [&] {
        auto *it = reinterpret_cast<Kept *>(object);
        if (!object) return cudaSuccess;
        if (!kept().erase(it)) return cudaErrorInvalidValue;
        if (watcher) watcher->freed(it);
        delete it;
        return cudaSuccess;
    });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *to, cudaTextureObject_t object) {
    return api(SIMT_CALLER, [&] {
        auto *it = reinterpret_cast<Kept *>(object);
        if (!to || !kept().count(it)) return cudaErrorInvalidValue;
        *to = it->resource;
        return cudaSuccess;
    });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const cudaResourceDesc *resource) {
    return api(SIMT_CALLER, [&] {
        if (!object || !resource || resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
        *object = reinterpret_cast<cudaSurfaceObject_t>(resource->res.array.array);
        return cudaSuccess;
    });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) {
    return api(SIMT_CALLER, [] { return cudaSuccess; });
}
