// Textures and surfaces as the device functions see them.
#pragma once

#include "array.h"
#include "report.h"

namespace simt {

enum class Address : unsigned char { wrap, clamp, mirror, border };

struct Texture {
    int levels = 1;          // of a mipmap
    Array level[32];         // linear and pitched memory: an array without copies
    size_t pitch = 0;        // of pitched memory; 0: rows without gaps
    bool linear_memory = false;
    Address address[3] = {Address::clamp, Address::clamp, Address::clamp};
    bool filter = false;     // linear filtering
    bool mip_filter = false;
    bool normalized = false;  // coordinates
    bool to_float = false;    // integers become fractions of their range
    float border[4] = {0, 0, 0, 0};
    bool layered = false, cube = false;
};

// Four channels; which member counts is what is_float() says.
union Texel {
    float f[4];
    int i[4];
};

bool is_float(const Texture &texture);

// One read at coordinates as the program gives them; `dimensions` says how many there are, `layer`
// is -1 without layers, `lod` the level of a mipmap.
Texel sample(const Texture &texture, int dimensions, float x, float y, float z, int layer, float lod);
Texel sample_cube(const Texture &texture, float x, float y, float z, int layer);
Texel fetch(const Texture &texture, int index);  // tex1Dfetch
Texel gather(const Texture &texture, float x, float y, int component);

// The bytes of a surface at (x in bytes, y, z), or null where the mode says that nothing is there.
void *surface_place(const Array &array, int x, int y, int z, unsigned size, int mode, Site site);

}  // namespace simt
