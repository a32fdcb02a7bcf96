// Indices and extents: the one vector type and the one extent type that the engine itself needs.
#pragma once

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

// What the running GPU thread is. Plain globals, set at each switch: one OS thread at a time runs a
// grid (see engine.h), so there is nothing to keep apart, and a read costs a load.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
extern int warpSize;  // a variable, not a macro: it is a member of the property structure, too
