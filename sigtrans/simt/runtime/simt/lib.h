// What the host versions of the vendor libraries share. The vendor headers (cublas_v2.h, ...) are
// thin over the functions that simt/blas.h, simt/fft.h ... declare: plain types, status numbers
// as int. All work goes through enqueue() on the handle's stream.
#pragma once

#include <cstdint>
#include <cstring>

#include "host.h"

namespace simt {

// Element types, numbered as the vendors' data type enumeration is.
enum class Type : int {
    r32f = 0, r64f = 1, r16f = 2, r8i = 3, c32f = 4, c64f = 5, r32i = 10, r16bf = 14
};

constexpr size_t size_of(Type type) {
    switch (type) {
        case Type::r64f: case Type::c32f: return 8;
        case Type::c64f: return 16;
        case Type::r16f: case Type::r16bf: return 2;
        case Type::r8i: return 1;
        default: return 4;
    }
}

// alpha and beta: a host pointer is read at the call, a device pointer when the work runs.
class Scalar {
  public:
    Scalar() = default;
    Scalar(const void *pointer, size_t size, bool on_device) {
        if (on_device) device_ = pointer;
        else std::memcpy(held_, pointer, size);
    }

    template <class T>
    T get() const {
        T value;
        std::memcpy(&value, device_ ? device_ : held_, sizeof value);
        return value;
    }

  private:
    const void *device_ = nullptr;
    unsigned char held_[16] = {};
};

// The part of every library handle that says where its work goes and where its scalars lie.
struct LibraryHandle {
    Stream stream = nullptr;
    bool device_scalars = false;
};

}  // namespace simt
