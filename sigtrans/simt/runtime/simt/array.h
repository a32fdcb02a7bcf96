// What an array handle (cudaArray_t) points to: plain rows of texels, for the texture units.
#pragma once

#include <cstddef>

namespace simt {

struct Array {
    char *data;              // row by row, slice by slice, with no gaps
    size_t width;            // in texels
    size_t height, depth;    // 0 where the array has no such dimension; layers count as depth
    int bits[4];             // of each channel
    int kind;                // cudaChannelFormatKind: 0 signed, 1 unsigned, 2 float
    unsigned texel;          // bytes
    unsigned flags;          // cudaArrayLayered, ...

    size_t rows() const { return height ? height : 1; }
    size_t slices() const { return depth ? depth : 1; }
    size_t pitch() const { return width * texel; }
    size_t size() const { return pitch() * rows() * slices(); }
};

struct MipmappedArray {
    unsigned levels;
    Array *level[32];
};

inline Array *array_of(const void *handle) { return static_cast<Array *>(const_cast<void *>(handle)); }

}  // namespace simt
