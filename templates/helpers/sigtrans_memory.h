// sigtrans_memory.h: cache-hinted accesses and asynchronous copies of CUDA without their hints.
// sigtrans: skip-file
//
// MUSA has no cp.async, and no use of cache-hinted loads and stores was seen there. What stands here
// has the same meaning and no hint: copies are done at once by the calling thread (which CUDA allows
// for every copy before its wait), and what bypasses the first-level cache is a volatile access.
// Evidence: tilelang_musa: src/tl_templates/musa/copy.h (no PTX form; builtins differ by compiler).
#pragma once

#if defined(__MUSACC__) || defined(__CUDACC__) || defined(SIGTRANS_HOST_TEST)

#include <stddef.h>

namespace sigtrans {
namespace memory {

template <typename T> struct same { typedef T type; };

// The widest plain type of a size; every hinted access of CUDA has one of these sizes.
template <size_t Size> struct word;
template <> struct word<1> { typedef unsigned char __attribute__((__may_alias__)) type; };
template <> struct word<2> { typedef unsigned short __attribute__((__may_alias__)) type; };
template <> struct word<4> { typedef unsigned int __attribute__((__may_alias__)) type; };
template <> struct word<8> { typedef unsigned long long __attribute__((__may_alias__)) type; };
template <> struct word<16> {
  typedef unsigned int __attribute__((__vector_size__(16), __may_alias__)) type;
};

// One load that is neither merged with another nor taken from a register.
template <typename T> __device__ __forceinline__ T load_again(const T *from) {
  typedef typename word<sizeof(T)>::type Word;
  const Word bits = *reinterpret_cast<const volatile Word *>(from);
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

template <size_t Size> __device__ __forceinline__ void copy_word(void *to, const void *from) {
  typedef typename word<Size>::type Word;
  *static_cast<Word *>(to) = *static_cast<const Word *>(from);
}

} // namespace memory

// __ldcg and __ldcv read past the first-level cache: data that other blocks write.
template <typename T> __device__ __forceinline__ T ldcg(const T *from) {
  return memory::load_again(from);
}
template <typename T> __device__ __forceinline__ T ldcv(const T *from) {
  return memory::load_again(from);
}
template <typename T> __device__ __forceinline__ T ldca(const T *from) { return *from; }
template <typename T> __device__ __forceinline__ T ldcs(const T *from) { return *from; }
template <typename T> __device__ __forceinline__ T ldlu(const T *from) { return *from; }

template <typename T>
__device__ __forceinline__ void stwb(T *to, typename memory::same<T>::type value) {
  *to = value;
}
template <typename T>
__device__ __forceinline__ void stcg(T *to, typename memory::same<T>::type value) {
  *to = value;
}
template <typename T>
__device__ __forceinline__ void stcs(T *to, typename memory::same<T>::type value) {
  *to = value;
}
template <typename T>
__device__ __forceinline__ void stwt(T *to, typename memory::same<T>::type value) {
  *to = value;
}

// 4, 8 or 16 bytes, both pointers aligned to the size; the last `zeros` bytes are set to zero.
__device__ __forceinline__ void pipeline_memcpy_async(void *to, const void *from, size_t size,
                                                      size_t zeros = 0) {
  if (zeros == 0 && size == 16) {
    memory::copy_word<16>(to, from);
  } else if (zeros == 0 && size == 8) {
    memory::copy_word<8>(to, from);
  } else if (zeros == 0 && size == 4) {
    memory::copy_word<4>(to, from);
  } else {
    const size_t whole = zeros < size ? size - zeros : 0;
    for (size_t n = 0; n < size; ++n) {
      static_cast<unsigned char *>(to)[n] =
          n < whole ? static_cast<const unsigned char *>(from)[n] : static_cast<unsigned char>(0);
    }
  }
}

// The copies of the calling thread are done already; other threads still need a block barrier.
__device__ __forceinline__ void pipeline_commit() {}
__device__ __forceinline__ void pipeline_wait_prior(size_t) {}

// cooperative_groups::memcpy_async: the group copies at once, each thread its share. As in CUDA the
// data may be read after a wait of the same group.
template <typename Group>
__device__ __forceinline__ void copy_bytes(const Group &group, void *to, const void *from,
                                           size_t bytes) {
  const size_t threads = static_cast<size_t>(group.size());
  const size_t rank = static_cast<size_t>(group.thread_rank());
  const size_t places =
      reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from) | bytes;
  if (places % 16 == 0) {
    for (size_t n = rank * 16; n < bytes; n += threads * 16)
      memory::copy_word<16>(static_cast<char *>(to) + n, static_cast<const char *>(from) + n);
  } else if (places % 4 == 0) {
    for (size_t n = rank * 4; n < bytes; n += threads * 4)
      memory::copy_word<4>(static_cast<char *>(to) + n, static_cast<const char *>(from) + n);
  } else {
    for (size_t n = rank; n < bytes; n += threads)
      static_cast<char *>(to)[n] = static_cast<const char *>(from)[n];
  }
}

template <typename Group, typename T, typename U>
__device__ __forceinline__ void memcpy_async(const Group &group, T *to, const U *from,
                                             size_t bytes) {
  copy_bytes(group, to, from, bytes);
}
// The form with two lengths counts elements and copies what both have.
template <typename Group, typename T, typename U>
__device__ __forceinline__ void memcpy_async(const Group &group, T *to, size_t to_length,
                                             const U *from, size_t from_length) {
  static_assert(sizeof(T) == sizeof(U), "both sides have elements of one type");
  copy_bytes(group, to, from, (to_length < from_length ? to_length : from_length) * sizeof(T));
}

template <typename Group> __device__ __forceinline__ void wait(const Group &group) {
  group.sync();
}
template <unsigned Stages, typename Group>
__device__ __forceinline__ void wait_prior(const Group &group) {
  group.sync();
}

} // namespace sigtrans

#endif
