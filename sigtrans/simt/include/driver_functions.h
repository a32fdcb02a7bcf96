// Makers of the plain types of the runtime API.
#pragma once
#define __DRIVER_FUNCTIONS_H__

#include "driver_types.h"

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width, size_t height) {
    struct cudaPitchedPtr it = {pointer, pitch, width, height};
    return it;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos it = {x, y, z};
    return it;
}
static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    struct cudaExtent it = {width, height, depth};
    return it;
}
