// A warp of 32 lanes on the host, for helper headers compiled with SIGTRANS_HOST_TEST: each lane is
// a fiber, and they take turns at every collective operation. Also 16-bit floats, slow and plain.
#pragma once

#include <ucontext.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#define __device__
#define __host__
#define __forceinline__ inline

struct dim3_model {
  unsigned x, y, z;
};
static dim3_model threadIdx, blockDim;

namespace warp {

static const int LANES = 32;
static ucontext_t scheduler, lanes[LANES];
static std::vector<char> stacks[LANES];
static bool done[LANES];
static int current;
static unsigned char slots[2][LANES][8];  // what each lane gave, for even and odd operations
static unsigned operations[LANES];
static std::function<void(int)> kernel;

inline void enter() {
  kernel(current);
  done[current] = true;
}

// Every lane runs up to its next collective operation, then the next lane has its turn.
inline void meet() {
  const int me = current;
  ++operations[me];
  swapcontext(&lanes[me], &scheduler);
}

inline void run(const std::function<void(int)>& body) {
  kernel = body;
  blockDim = {8, 2, 4};  // two warps; the second is run, so that the lane is not threadIdx.x
  for (int l = 0; l < LANES; ++l) {
    stacks[l].resize(256 * 1024);
    getcontext(&lanes[l]);
    lanes[l].uc_stack.ss_sp = stacks[l].data();
    lanes[l].uc_stack.ss_size = stacks[l].size();
    lanes[l].uc_link = &scheduler;
    makecontext(&lanes[l], enter, 0);
    done[l] = false;
    operations[l] = 0;
  }
  for (bool running = true; running;) {
    running = false;
    for (current = 0; current < LANES; ++current) {
      if (done[current]) continue;
      const unsigned linear = 32u + static_cast<unsigned>(current);
      threadIdx = {linear % 8, linear / 8 % 2, linear / 16};
      swapcontext(&scheduler, &lanes[current]);
      running = true;
    }
    for (int l = 1; l < LANES; ++l) {
      if (operations[l] != operations[0] || done[l] != done[0]) {
        std::printf("lane %d has left the others\n", l);
        std::exit(1);
      }
    }
  }
}

}  // namespace warp

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "MUSA shuffles 32 and 64 bits");
  const int me = warp::current;
  if (mask != 0xffffffffu || width != 32 || source < 0 || source >= 32) {
    std::printf("shuffle: mask %x, width %d, lane %d\n", mask, width, source);
    std::exit(1);
  }
  const unsigned parity = warp::operations[me] % 2;
  std::memcpy(warp::slots[parity][me], &value, sizeof(T));
  warp::meet();
  std::memcpy(&value, warp::slots[parity][source], sizeof(T));
  return value;
}

inline void __syncwarp() { warp::meet(); }

// --- 16-bit floats: `fraction` bits after the point, exponents down to `least` ------------------

inline double widen(unsigned bits, int fraction, int exponents) {
  const unsigned mantissa = bits & ((1u << fraction) - 1);
  const int bias = (1 << (exponents - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction & ((1u << exponents) - 1));
  const double sign = bits >> (fraction + exponents) & 1 ? -1 : 1;
  if (exponent == (1 << exponents) - 1) return mantissa ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - fraction);
  return sign * std::ldexp(mantissa + (1u << fraction), exponent - bias - fraction);
}

inline unsigned narrow(double v, int fraction, int exponents) {
  const unsigned sign = std::signbit(v) ? 1u << (fraction + exponents) : 0;
  const unsigned infinity = ((1u << exponents) - 1) << fraction;
  const int bias = (1 << (exponents - 1)) - 1;
  if (std::isnan(v)) return infinity | 1;
  const double size = std::fabs(v);
  if (size == 0 || std::isinf(v)) return sign | (size == 0 ? 0 : infinity);
  int exponent = 0;
  std::frexp(size, &exponent);
  if (exponent - 1 < 1 - bias) exponent = 2 - bias;  // subnormal
  // Nearest, ties to even, in units of the last place; one more in the exponent if it carries.
  const double units = std::nearbyint(std::ldexp(size, fraction + 1 - exponent));
  const unsigned bits =
      static_cast<unsigned>(units) + (static_cast<unsigned>(exponent - 2 + bias) << fraction);
  return sign | (bits > infinity ? infinity : bits);
}

struct __half {
  unsigned short bits;
  __half() = default;
  __half(float v) : bits(static_cast<unsigned short>(narrow(v, 10, 5))) {}
};
struct __mt_bfloat16 {
  unsigned short bits;
  __mt_bfloat16() = default;
  __mt_bfloat16(float v) : bits(static_cast<unsigned short>(narrow(v, 7, 8))) {}
};
typedef __half half;

inline float __half2float(__half v) { return static_cast<float>(widen(v.bits, 10, 5)); }
inline __half __float2half_rn(float v) { return __half(v); }
inline float __bfloat162float(__mt_bfloat16 v) { return static_cast<float>(widen(v.bits, 7, 8)); }

// --- what the tests say -------------------------------------------------------------------------

static int failures;

inline void expect(bool ok, const char* what, int row, int column, double got, double wanted) {
  if (ok) return;
  if (++failures <= 10) {
    std::printf("%s: (%d, %d) is %.17g, not %.17g\n", what, row, column, got, wanted);
  }
}

inline int finish(int checks) {
  std::printf("%d checks, %d failures\n", checks, failures);
  return failures ? 1 : 0;
}
