// sigtrans_device.h: atomics by type and scope, and a sleep, where MUSA differs from CUDA.
// sigtrans: skip-file
//
// The vendor's table has add for int, unsigned, unsigned long long, float and double, and compare and
// swap for 16, 32 and 64 bits; what is missing is made of these. The _system forms sent a clang-14
// mcc into an endless loop: here they are the plain atomic between system fences. Evidence:
// torch_musa: torch_musa/csrc/aten/musa/MUSAAtomic.muh; tilelang_musa: src/tl_templates/musa/atomic.h;
// the Mooncake port (fences, and __musa_nanosleep from __MUSA_ARCH__ 310).
#pragma once

#if defined(__MUSACC__) || defined(__CUDACC__) || defined(SIGTRANS_HOST_TEST)

namespace sigtrans {
namespace atomics {

template <typename T> struct same { typedef T type; };

template <int Size> struct bits;
template <> struct bits<2> { typedef unsigned short type; };
template <> struct bits<8> { typedef unsigned long long type; };

// Repeat `change` on the bits of a value until no other thread came between.
template <typename T, typename Change>
__device__ __forceinline__ T repeat(T *address, Change change) {
  typedef typename bits<sizeof(T)>::type Bits;
  Bits *const place = reinterpret_cast<Bits *>(address);
  Bits seen = *static_cast<volatile Bits *>(place);
  for (;;) {
    T old;
    __builtin_memcpy(&old, &seen, sizeof(T));
    const T next = change(old);
    Bits wanted;
    __builtin_memcpy(&wanted, &next, sizeof(T));
    const Bits found = ::atomicCAS(place, seen, wanted);
    if (found == seen)
      return old;
    seen = found;
  }
}

template <typename T> struct plus {
  T value;
  __device__ __forceinline__ T operator()(T old) const { return static_cast<T>(old + value); }
};
template <typename T> struct least {
  T value;
  __device__ __forceinline__ T operator()(T old) const { return value < old ? value : old; }
};
template <typename T> struct greatest {
  T value;
  __device__ __forceinline__ T operator()(T old) const { return old < value ? value : old; }
};

template <typename T> struct add {
  static __device__ __forceinline__ T run(T *address, T value) {
    return ::atomicAdd(address, value);
  }
};
// Signed 64-bit sums have the bits of unsigned ones.
template <> struct add<long long> {
  static __device__ __forceinline__ long long run(long long *address, long long value) {
    return static_cast<long long>(::atomicAdd(reinterpret_cast<unsigned long long *>(address),
                                              static_cast<unsigned long long>(value)));
  }
};
template <> struct add<long> {
  static_assert(sizeof(long) == 8, "64-bit Linux only");
  static __device__ __forceinline__ long run(long *address, long value) {
    return static_cast<long>(::atomicAdd(reinterpret_cast<unsigned long long *>(address),
                                         static_cast<unsigned long long>(value)));
  }
};
template <> struct add<unsigned long> {
  static __device__ __forceinline__ unsigned long run(unsigned long *address,
                                                      unsigned long value) {
    return static_cast<unsigned long>(::atomicAdd(
        reinterpret_cast<unsigned long long *>(address), static_cast<unsigned long long>(value)));
  }
};
template <> struct add<short> {
  static __device__ __forceinline__ short run(short *address, short value) {
    return repeat(address, plus<short>{value});
  }
};
template <> struct add<unsigned short> {
  static __device__ __forceinline__ unsigned short run(unsigned short *address,
                                                       unsigned short value) {
    return repeat(address, plus<unsigned short>{value});
  }
};

template <typename T, int Size> struct extreme { // 32 bits: as they are
  static __device__ __forceinline__ T smallest(T *address, T value) {
    return ::atomicMin(address, value);
  }
  static __device__ __forceinline__ T largest(T *address, T value) {
    return ::atomicMax(address, value);
  }
};
template <typename T> struct extreme<T, 8> {
  static __device__ __forceinline__ T smallest(T *address, T value) {
    return repeat(address, least<T>{value});
  }
  static __device__ __forceinline__ T largest(T *address, T value) {
    return repeat(address, greatest<T>{value});
  }
};

} // namespace atomics

template <typename T>
__device__ __forceinline__ T atomicAdd(T *address, typename atomics::same<T>::type value) {
  return atomics::add<T>::run(address, value);
}
template <typename T>
__device__ __forceinline__ T atomicMin(T *address, typename atomics::same<T>::type value) {
  return atomics::extreme<T, sizeof(T)>::smallest(address, value);
}
template <typename T>
__device__ __forceinline__ T atomicMax(T *address, typename atomics::same<T>::type value) {
  return atomics::extreme<T, sizeof(T)>::largest(address, value);
}

// An addition to a 16-bit float that returns the old value.
template <typename T>
__device__ __forceinline__ T atomicAdd16(T *address, typename atomics::same<T>::type value) {
  return atomics::repeat(address, atomics::plus<T>{value});
}

// Vectors of float, component by component as in CUDA.
template <typename T>
__device__ __forceinline__ T atomicAddVector2(T *address, typename atomics::same<T>::type value) {
  T old;
  old.x = ::atomicAdd(&address->x, value.x);
  old.y = ::atomicAdd(&address->y, value.y);
  return old;
}
template <typename T>
__device__ __forceinline__ T atomicAddVector4(T *address, typename atomics::same<T>::type value) {
  T old;
  old.x = ::atomicAdd(&address->x, value.x);
  old.y = ::atomicAdd(&address->y, value.y);
  old.z = ::atomicAdd(&address->z, value.z);
  old.w = ::atomicAdd(&address->w, value.w);
  return old;
}

#define SIGTRANS_SYSTEM_ATOMIC(name)                                                               \
  template <typename T>                                                                            \
  __device__ __forceinline__ T name##_system(T *address, typename atomics::same<T>::type value) {  \
    __threadfence_system();                                                                        \
    const T old = ::name(address, value);                                                          \
    __threadfence_system();                                                                        \
    return old;                                                                                    \
  }
SIGTRANS_SYSTEM_ATOMIC(atomicAnd)
SIGTRANS_SYSTEM_ATOMIC(atomicDec)
SIGTRANS_SYSTEM_ATOMIC(atomicExch)
SIGTRANS_SYSTEM_ATOMIC(atomicInc)
SIGTRANS_SYSTEM_ATOMIC(atomicOr)
SIGTRANS_SYSTEM_ATOMIC(atomicSub)
SIGTRANS_SYSTEM_ATOMIC(atomicXor)
#undef SIGTRANS_SYSTEM_ATOMIC

#define SIGTRANS_SYSTEM_ATOMIC(name)                                                               \
  template <typename T>                                                                            \
  __device__ __forceinline__ T name##_system(T *address, typename atomics::same<T>::type value) {  \
    __threadfence_system();                                                                        \
    const T old = sigtrans::name(address, value);                                                  \
    __threadfence_system();                                                                        \
    return old;                                                                                    \
  }
SIGTRANS_SYSTEM_ATOMIC(atomicAdd)
SIGTRANS_SYSTEM_ATOMIC(atomicMax)
SIGTRANS_SYSTEM_ATOMIC(atomicMin)
#undef SIGTRANS_SYSTEM_ATOMIC

template <typename T>
__device__ __forceinline__ T atomicCAS_system(T *address, typename atomics::same<T>::type expected,
                                              typename atomics::same<T>::type value) {
  __threadfence_system();
  const T old = ::atomicCAS(address, expected, value);
  __threadfence_system();
  return old;
}

// CUDA lets a sleep end at any time from zero on.
__device__ __forceinline__ void nanosleep(unsigned nanoseconds) {
#if defined(__MUSA_ARCH__) && __MUSA_ARCH__ >= 310
  __musa_nanosleep(nanoseconds);
#else
  (void)nanoseconds;
#endif
}

} // namespace sigtrans

#endif
