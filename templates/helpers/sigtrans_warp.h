// Warp functions of CUDA that MUSA does not document, built from shuffles. Part of a port made by
// sigtrans; the code around it calls sigtrans::name where CUDA has __name.
// sigtrans: skip-file
//
// Only shuffles of 32-bit and 64-bit integers with a width of 32 are used: the vendor lists them for
// every card (docs.mthreads.com, MUSA SDK, programming guide, warp functions), and they were measured
// exact on a card whose hardware warp has 128 lanes (S4000, SDK 5.1.0). No ballot is used: whether one
// sees the 32 lanes of its caller alone is not proven on such a card.
//
// As in CUDA, a lane must be in the mask that it passes, and all lanes of the mask must call together.
#pragma once

#if defined(__MUSACC__) || defined(__CUDACC__) || defined(SIGTRANS_HOST_TEST)

namespace sigtrans {

namespace warp_detail {

__device__ __forceinline__ unsigned from_lane(unsigned mask, unsigned bits, int lane) {
  return __shfl_sync(mask, bits, lane, 32);
}

__device__ __forceinline__ unsigned long long from_lane(unsigned mask, unsigned long long bits,
                                                        int lane) {
  return __shfl_sync(mask, bits, lane, 32);
}

template <int Size>
struct Bits;
template <>
struct Bits<4> {
  using Type = unsigned;
};
template <>
struct Bits<8> {
  using Type = unsigned long long;
};

// The bits of an int, a long, a float, …: match compares these, as CUDA's instruction does.
template <typename T>
__device__ __forceinline__ typename Bits<sizeof(T)>::Type bits_of(T value) {
  typename Bits<sizeof(T)>::Type bits;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

struct Add {
  __device__ __forceinline__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};
struct Min {
  __device__ __forceinline__ unsigned operator()(unsigned a, unsigned b) const {
    return b < a ? b : a;
  }
};
struct Max {
  __device__ __forceinline__ unsigned operator()(unsigned a, unsigned b) const {
    return a < b ? b : a;
  }
};
struct And {
  __device__ __forceinline__ unsigned operator()(unsigned a, unsigned b) const { return a & b; }
};
struct Or {
  __device__ __forceinline__ unsigned operator()(unsigned a, unsigned b) const { return a | b; }
};
struct Xor {
  __device__ __forceinline__ unsigned operator()(unsigned a, unsigned b) const { return a ^ b; }
};

// Every operation is exact in any order, so a tree may stand for CUDA's unspecified one.
template <typename Operation>
__device__ __forceinline__ unsigned reduce(unsigned mask, unsigned value, Operation operation) {
  if (mask == 0xffffffffu) {
    for (int distance = 16; distance > 0; distance >>= 1) {
      value = operation(value, __shfl_xor_sync(mask, value, distance, 32));
    }
    return value;
  }
  unsigned result = from_lane(mask, value, __ffs(static_cast<int>(mask)) - 1);
  for (unsigned rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
    result = operation(result, from_lane(mask, value, __ffs(static_cast<int>(rest)) - 1));
  }
  return result;
}

// Signed order as unsigned order.
__device__ __forceinline__ unsigned ordered(int value) {
  return static_cast<unsigned>(value) ^ 0x80000000u;
}

__device__ __forceinline__ int unordered(unsigned value) {
  return static_cast<int>(value ^ 0x80000000u);
}

template <typename T>
__device__ __forceinline__ unsigned short_bits(T value) {
  static_assert(sizeof(T) <= 4, "for types of 16 bits and pairs of them");
  unsigned bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <typename T>
__device__ __forceinline__ T short_value(unsigned bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace warp_detail

// __match_any_sync: the lanes of the mask whose value has the caller's bits.
template <typename T>
__device__ __forceinline__ unsigned match_any_sync(unsigned mask, T value) {
  const auto bits = warp_detail::bits_of(+value);  // a char or a bool is an int here
  unsigned same = 0;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = __ffs(static_cast<int>(rest)) - 1;
    if (warp_detail::from_lane(mask, bits, lane) == bits) {
      same |= 1u << lane;
    }
  }
  return same;
}

// __match_all_sync: the mask where all its lanes have the same bits, else 0; *pred says which.
template <typename T>
__device__ __forceinline__ unsigned match_all_sync(unsigned mask, T value, int *pred) {
  *pred = match_any_sync(mask, value) == mask;
  return *pred ? mask : 0u;
}

// __reduce_*_sync
__device__ __forceinline__ unsigned reduce_add_sync(unsigned mask, unsigned value) {
  return warp_detail::reduce(mask, value, warp_detail::Add());
}

__device__ __forceinline__ int reduce_add_sync(unsigned mask, int value) {
  return static_cast<int>(reduce_add_sync(mask, static_cast<unsigned>(value)));
}

__device__ __forceinline__ unsigned reduce_min_sync(unsigned mask, unsigned value) {
  return warp_detail::reduce(mask, value, warp_detail::Min());
}

__device__ __forceinline__ int reduce_min_sync(unsigned mask, int value) {
  return warp_detail::unordered(reduce_min_sync(mask, warp_detail::ordered(value)));
}

__device__ __forceinline__ unsigned reduce_max_sync(unsigned mask, unsigned value) {
  return warp_detail::reduce(mask, value, warp_detail::Max());
}

__device__ __forceinline__ int reduce_max_sync(unsigned mask, int value) {
  return warp_detail::unordered(reduce_max_sync(mask, warp_detail::ordered(value)));
}

__device__ __forceinline__ unsigned reduce_and_sync(unsigned mask, unsigned value) {
  return warp_detail::reduce(mask, value, warp_detail::And());
}

__device__ __forceinline__ unsigned reduce_or_sync(unsigned mask, unsigned value) {
  return warp_detail::reduce(mask, value, warp_detail::Or());
}

__device__ __forceinline__ unsigned reduce_xor_sync(unsigned mask, unsigned value) {
  return warp_detail::reduce(mask, value, warp_detail::Xor());
}

// __shfl*_sync of half, bfloat16 and pairs of them: MUSA lists 32-bit and 64-bit types only.
template <typename T>
__device__ __forceinline__ T shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const unsigned bits = warp_detail::short_bits(value);
  return warp_detail::short_value<T>(__shfl_sync(mask, bits, lane, width));
}

template <typename T>
__device__ __forceinline__ T shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned bits = warp_detail::short_bits(value);
  return warp_detail::short_value<T>(__shfl_up_sync(mask, bits, delta, width));
}

template <typename T>
__device__ __forceinline__ T shfl_down_sync(unsigned mask, T value, unsigned delta,
                                            int width = 32) {
  const unsigned bits = warp_detail::short_bits(value);
  return warp_detail::short_value<T>(__shfl_down_sync(mask, bits, delta, width));
}

template <typename T>
__device__ __forceinline__ T shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  const unsigned bits = warp_detail::short_bits(value);
  return warp_detail::short_value<T>(__shfl_xor_sync(mask, bits, lane_mask, width));
}

}  // namespace sigtrans

#endif
