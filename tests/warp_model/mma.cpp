// sigtrans_mma.h against plain matrix products, through the register layouts of the PTX manual.
//
// The layouts are written here as the manual gives them, one formula per instruction and matrix;
// the header derives all of them from one rule, so a fault in either shows.
#include "warp.h"

#define SIGTRANS_HOST_TEST
#include "sigtrans_mma.h"

namespace m = sigtrans::mma;

static std::mt19937 random_bits(2);
static int checks;

// --- layouts: element i of the lane with `group` = lane / 4, `thread` = lane % 4 ----------------

struct Place {
  int row, column;
};
typedef Place (*Layout)(int i, int group, int thread);

static Place c_16x8(int i, int group, int thread) {
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}
static Place c_8x8(int i, int group, int thread) { return {group, thread * 2 + (i & 1)}; }

static Place a_16x16_16bit(int i, int group, int thread) {
  const bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
  return {upper ? group : group + 8, thread * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}
static Place b_16x8_16bit(int i, int group, int thread) {
  return {thread * 2 + (i & 1) + (i >= 2 ? 8 : 0), group};
}
static Place a_16x8_16bit(int i, int group, int thread) {
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}
static Place b_8x8_16bit(int i, int group, int thread) { return {thread * 2 + i, group}; }

static Place a_16x8_tf32(int i, int group, int thread) {
  return {i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4};
}
static Place b_8x8_tf32(int i, int group, int thread) {
  return {i == 0 ? thread : thread + 4, group};
}
static Place a_16x4_tf32(int i, int group, int thread) {
  return {i == 0 ? group : group + 8, thread};
}
static Place b_4x8_tf32(int, int group, int thread) { return {thread, group}; }

static Place a_16x32_8bit(int i, int group, int thread) {
  const bool upper = (0 <= i && i < 4) || (8 <= i && i < 12);
  return {upper ? group : group + 8, thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}
static Place b_32x8_8bit(int i, int group, int thread) {
  return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
}
static Place a_16x16_8bit(int i, int group, int thread) {
  return {i < 4 ? group : group + 8, thread * 4 + (i & 3)};
}
static Place b_16x8_8bit(int i, int group, int thread) { return {thread * 4 + i, group}; }
static Place a_8x16_8bit(int i, int group, int thread) { return {group, thread * 4 + i}; }
static Place a_8x4_f64(int, int group, int thread) { return {group, thread}; }

// --- element types: draw bits, and what they mean -----------------------------------------------

struct F16 {
  enum { bits = 16 };
  static double value(unsigned v) { return widen(v, 10, 5); }
  static unsigned small(int v) { return narrow(v, 10, 5); }
};
struct Bf16 {
  enum { bits = 16 };
  static double value(unsigned v) { return widen(v, 7, 8); }
  static unsigned small(int v) { return narrow(v, 7, 8); }
};
struct Tf32 {
  enum { bits = 32 };
  static double value(unsigned v) { return widen(v >> 13, 10, 8); }
  static unsigned small(int v) { return narrow(v, 10, 8) << 13 | (random_bits() & 0x1fff); }
};
struct E4m3 {
  enum { bits = 8 };
  static double value(unsigned v) {
    if ((v & 0x7f) == 0x7f) return NAN;
    const double size = v >> 3 & 15 ? std::ldexp(8 + (v & 7), static_cast<int>(v >> 3 & 15) - 10)
                                    : std::ldexp(v & 7, -9);
    return v & 0x80 ? -size : size;
  }
  static unsigned small(int v) {
    for (unsigned bits = 0;; ++bits)
      if (value(bits) == v) return bits;
  }
};
struct E5m2 {
  enum { bits = 8 };
  static double value(unsigned v) { return widen(v, 2, 5); }
  static unsigned small(int v) { return narrow(v, 2, 5); }
};
struct S8 {
  enum { bits = 8 };
  static double value(unsigned v) { return v < 128 ? v : static_cast<int>(v) - 256; }
  static unsigned small(int v) { return static_cast<unsigned>(v) & 0xff; }
};
struct U8 {
  enum { bits = 8 };
  static double value(unsigned v) { return v; }
  static unsigned small(int v) { return static_cast<unsigned>(v + 4); }
};

struct Matrix {
  int rows, columns;
  std::vector<unsigned> bits;
  Matrix(int r, int c) : rows(r), columns(c), bits(static_cast<size_t>(r * c)) {}
  unsigned& operator()(int r, int c) { return bits[static_cast<size_t>(r * columns + c)]; }
  unsigned& operator()(Place p) { return (*this)(p.row, p.column); }
};

template <class T>
Matrix make(int rows, int columns, bool exact) {
  Matrix made(rows, columns);
  for (unsigned& bits : made.bits) {
    do {
      bits = exact ? T::small(static_cast<int>(random_bits() % 9) - 4)
                   : static_cast<unsigned>(random_bits()) >> (32 - T::bits);
    } while (!(std::fabs(T::value(bits)) <= 1e4));
  }
  return made;
}

template <class T>
void fill(unsigned* registers, int count, Matrix& from, Layout layout, int lane) {
  const int per = 32 / T::bits;
  for (int r = 0; r < count; ++r) {
    registers[r] = 0;
    for (int e = 0; e < per; ++e) {
      const Place p = layout(r * per + e, lane / 4, lane % 4);
      registers[r] |= from(p) << (T::bits * e % 32);
    }
  }
}

static float as_float(unsigned bits) {
  float v;
  std::memcpy(&v, &bits, 4);
  return v;
}
static unsigned as_bits(float v) {
  unsigned bits;
  std::memcpy(&bits, &v, 4);
  return bits;
}

// D of one instruction as the manual defines it, with a bound on what rounding may add.
template <class A, class B>
void reference(Matrix& a, Matrix& b, double c, int row, int column, double& sum, double& size) {
  sum = c;
  size = std::fabs(c);
  for (int k = 0; k < a.columns; ++k) {
    const double product = A::value(a(row, k)) * B::value(b(k, column));
    sum += product;
    size += std::fabs(product);
  }
}

// Float and f16 results. `go` calls the function under test on the registers of one lane.
template <class A, class B, class Go>
void check_float(const char* what, int k, Layout la, Layout lb, int na, int nb, bool halves,
                 Go go) {
  for (int round = 0; round < 8; ++round) {
    const bool exact = round < 4;
    Matrix a = make<A>(16, k, exact), b = make<B>(k, 8, exact);
    Matrix c = make<F16>(16, 8, exact), d(16, 8);
    warp::run([&](int lane) {
      unsigned ra[4], rb[2], rc[4], rd[4];
      fill<A>(ra, na, a, la, lane);
      fill<B>(rb, nb, b, lb, lane);
      if (halves) {
        fill<F16>(rc, 2, c, c_16x8, lane);
      } else {
        for (int i = 0; i < 4; ++i) {
          rc[i] = as_bits(static_cast<float>(F16::value(c(c_16x8(i, lane / 4, lane % 4)))));
        }
      }
      go(rd, ra, rb, rc);
      for (int i = 0; i < 4; ++i) {
        d(c_16x8(i, lane / 4, lane % 4)) = halves ? rd[i / 2] >> (16 * (i % 2)) & 0xffff : rd[i];
      }
    });
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        double sum, size;
        reference<A, B>(a, b, F16::value(c(row, column)), row, column, sum, size);
        const double got = halves ? F16::value(d(row, column)) : as_float(d(row, column));
        // Each of k sums is off by half a unit of a float; a half adds half a unit of its own.
        double bound = exact ? 0 : std::ldexp(size * k, -24);
        if (halves && !exact) bound += std::ldexp(std::fabs(sum), -11) + std::ldexp(1, -25);
        const bool large = halves && std::fabs(sum) > 65000;
        expect(large ? std::fabs(got) > 64000 : std::fabs(got - sum) <= bound, what, row, column,
               got, sum);
        ++checks;
      }
    }
  }
}

template <class A, class B, class TagA, class TagB>
void check_f32_full(const char* what, int k, Layout la, Layout lb) {
  check_float<A, B>(what, k, la, lb, 4, 2, false,
                    [](unsigned* d, const unsigned* a, const unsigned* b, const unsigned* c) {
                      float f[4];
                      sigtrans::mma_m16n8_f32<TagA, TagB>(
                          f[0], f[1], f[2], f[3], a[0], a[1], a[2], a[3], b[0], b[1],
                          as_float(c[0]), as_float(c[1]), as_float(c[2]), as_float(c[3]));
                      for (int i = 0; i < 4; ++i) d[i] = as_bits(f[i]);
                    });
}

template <class A, class B, class TagA, class TagB>
void check_f32_half(const char* what, int k, Layout la, Layout lb) {
  check_float<A, B>(what, k, la, lb, 2, 1, false,
                    [](unsigned* d, const unsigned* a, const unsigned* b, const unsigned* c) {
                      float f[4];
                      sigtrans::mma_m16n8_f32<TagA, TagB>(f[0], f[1], f[2], f[3], a[0], a[1], b[0],
                                                          as_float(c[0]), as_float(c[1]),
                                                          as_float(c[2]), as_float(c[3]));
                      for (int i = 0; i < 4; ++i) d[i] = as_bits(f[i]);
                    });
}

template <class A, class B, class TagA, class TagB>
void check_integers(bool saturate) {
  for (int form = 0; form < 3; ++form) {
    const int k = form == 0 ? 32 : 16, rows = form == 2 ? 8 : 16;
    const Layout la = form == 0 ? a_16x32_8bit : form == 1 ? a_16x16_8bit : a_8x16_8bit;
    const Layout lb = form == 0 ? b_32x8_8bit : b_16x8_8bit;
    const Layout lc = form == 2 ? c_8x8 : c_16x8;
    Matrix a = make<A>(rows, k, false), b = make<B>(k, 8, false), c(rows, 8), d(rows, 8);
    for (unsigned& bits : c.bits) {  // some near the ends of the range
      bits = static_cast<unsigned>(random_bits());
      if (bits % 3 == 0) bits = bits % 2 ? 0x7fffffffu : 0x80000000u;
    }
    warp::run([&](int lane) {
      unsigned ra[4], rb[2], rd[4], rc[4];
      fill<A>(ra, form == 0 ? 4 : form == 1 ? 2 : 1, a, la, lane);
      fill<B>(rb, form == 0 ? 2 : 1, b, lb, lane);
      for (int i = 0; i < 4; ++i) rc[i] = c(lc(i, lane / 4, lane % 4));
      const int s[4] = {static_cast<int>(rc[0]), static_cast<int>(rc[1]), static_cast<int>(rc[2]),
                        static_cast<int>(rc[3])};
      if (form == 0 && saturate) {
        sigtrans::mma_m16n8_s32<TagA, TagB, m::saturating>(rd[0], rd[1], rd[2], rd[3], ra[0], ra[1],
                                                           ra[2], ra[3], rb[0], rb[1], s[0], s[1],
                                                           s[2], s[3]);
      } else if (form == 0) {
        sigtrans::mma_m16n8_s32<TagA, TagB, m::wrapping>(rd[0], rd[1], rd[2], rd[3], ra[0], ra[1],
                                                         ra[2], ra[3], rb[0], rb[1], s[0], s[1],
                                                         s[2], s[3]);
      } else if (form == 1 && saturate) {
        sigtrans::mma_m16n8_s32<TagA, TagB, m::saturating>(rd[0], rd[1], rd[2], rd[3], ra[0], ra[1],
                                                           rb[0], s[0], s[1], s[2], s[3]);
      } else if (form == 1) {
        sigtrans::mma_m16n8_s32<TagA, TagB, m::wrapping>(rd[0], rd[1], rd[2], rd[3], ra[0], ra[1],
                                                         rb[0], s[0], s[1], s[2], s[3]);
      } else if (saturate) {
        sigtrans::mma_m8n8k16_s32<TagA, TagB, m::saturating>(rd[0], rd[1], ra[0], rb[0], s[0],
                                                             s[1]);
      } else {
        sigtrans::mma_m8n8k16_s32<TagA, TagB, m::wrapping>(rd[0], rd[1], ra[0], rb[0], s[0], s[1]);
      }
      for (int i = 0; i < rows / 4; ++i) d(lc(i, lane / 4, lane % 4)) = rd[i];
    });
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < 8; ++column) {
        double sum, size;
        const int start = static_cast<int>(c(row, column));
        reference<A, B>(a, b, start, row, column, sum, size);
        if (saturate) {
          sum = sum > 2147483647.0 ? 2147483647.0 : sum < -2147483648.0 ? -2147483648.0 : sum;
        } else {
          sum = static_cast<int>(static_cast<unsigned>(static_cast<long long>(sum)));
        }
        expect(static_cast<int>(d(row, column)) == sum, "s32", row, column,
               static_cast<int>(d(row, column)), sum);
        ++checks;
      }
    }
  }
}

static void check_f64() {
  std::vector<double> a(32), b(32), c(64), d(64);
  for (auto* each : {&a, &b, &c}) {
    for (double& v : *each) v = static_cast<int>(random_bits() % 2001) - 1000;
  }
  warp::run([&](int lane) {
    const Place pa = a_8x4_f64(0, lane / 4, lane % 4), pb = b_4x8_tf32(0, lane / 4, lane % 4);
    const Place c0 = c_8x8(0, lane / 4, lane % 4), c1 = c_8x8(1, lane / 4, lane % 4);
    sigtrans::mma_m8n8k4_f64(d[c0.row * 8 + c0.column], d[c1.row * 8 + c1.column],
                             a[pa.row * 4 + pa.column], b[pb.row * 8 + pb.column],
                             c[c0.row * 8 + c0.column], c[c1.row * 8 + c1.column]);
  });
  for (int i = 0; i < 64; ++i) {
    double sum = c[i];
    for (int k = 0; k < 4; ++k) sum += a[i / 8 * 4 + k] * b[k * 8 + i % 8];
    expect(d[i] == sum, "f64", i / 8, i % 8, d[i], sum);
    ++checks;
  }
}

// --- ldmatrix, stmatrix, movmatrix --------------------------------------------------------------

// Matrix i, row r, column c holds 64 i + 8 r + c; rows lie apart and out of order in memory.
static unsigned short memory[32 * 24];
static int row_start(int matrix, int row) { return ((matrix * 8 + row) * 13 % 32) * 24 + 8; }

static void check_element(const char* what, unsigned got, int matrix, int row, int column) {
  const int wanted = 64 * matrix + 8 * row + column;
  expect(got == static_cast<unsigned>(wanted), what, row, column, got, wanted);
  ++checks;
}

static void check_ldmatrix(int count, bool trans) {
  for (auto& v : memory) v = 9999;
  for (int i = 0; i < 256; ++i) {
    memory[row_start(i / 64, i / 8 % 8) + i % 8] = static_cast<unsigned short>(i);
  }
  warp::run([&](int lane) {
    // Lanes beyond the matrices pass an address that must not be used.
    const void* p = lane < 8 * count ? &memory[row_start(lane / 8, lane % 8)] : nullptr;
    unsigned r[4] = {0, 0, 0, 0};
    if (count == 1 && !trans) sigtrans::ldmatrix_x1(r[0], p);
    if (count == 2 && !trans) sigtrans::ldmatrix_x2(r[0], r[1], p);
    if (count == 4 && !trans) sigtrans::ldmatrix_x4(r[0], r[1], r[2], r[3], p);
    if (count == 1 && trans) sigtrans::ldmatrix_x1_trans(r[0], p);
    if (count == 2 && trans) sigtrans::ldmatrix_x2_trans(r[0], r[1], p);
    if (count == 4 && trans) sigtrans::ldmatrix_x4_trans(r[0], r[1], r[2], r[3], p);
    for (int i = 0; i < count; ++i) {
      for (int e = 0; e < 2; ++e) {
        const int row = lane / 4, column = lane % 4 * 2 + e;
        const unsigned got = r[i] >> (16 * e) & 0xffff;
        check_element("ldmatrix", got, i, trans ? column : row, trans ? row : column);
      }
    }
  });
}

static void check_stmatrix(int count, bool trans) {
  for (auto& v : memory) v = 9999;
  warp::run([&](int lane) {
    const void* p = lane < 8 * count ? &memory[row_start(lane / 8, lane % 8)] : nullptr;
    unsigned r[4];
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4, column = lane % 4 * 2;
      const int low = trans ? 64 * i + 8 * column + row : 64 * i + 8 * row + column;
      r[i] = static_cast<unsigned>(low | (low + (trans ? 8 : 1)) << 16);
    }
    if (count == 1 && !trans) sigtrans::stmatrix_x1(p, r[0]);
    if (count == 2 && !trans) sigtrans::stmatrix_x2(p, r[0], r[1]);
    if (count == 4 && !trans) sigtrans::stmatrix_x4(p, r[0], r[1], r[2], r[3]);
    if (count == 1 && trans) sigtrans::stmatrix_x1_trans(p, r[0]);
    if (count == 2 && trans) sigtrans::stmatrix_x2_trans(p, r[0], r[1]);
    if (count == 4 && trans) sigtrans::stmatrix_x4_trans(p, r[0], r[1], r[2], r[3]);
  });
  int stored = 0;
  for (const auto v : memory) stored += v != 9999;
  expect(stored == 64 * count, "stmatrix", -1, -1, stored, 64 * count);
  for (int i = 0; i < 64 * count; ++i) {
    check_element("stmatrix", memory[row_start(i / 64, i / 8 % 8) + i % 8], i / 64, i / 8 % 8,
                  i % 8);
  }
}

static void check_movmatrix() {
  warp::run([&](int lane) {
    const unsigned first = static_cast<unsigned>(lane / 4 * 8 + lane % 4 * 2);
    unsigned got = 0;
    sigtrans::movmatrix_trans(got, first | (first + 1) << 16);
    for (int e = 0; e < 2; ++e) {
      check_element("movmatrix", got >> (16 * e) & 0xffff, 0, lane % 4 * 2 + e, lane / 4);
    }
  });
}

static void check_bytes() {  // all values of the 8-bit floats
  for (unsigned v = 0; v < 256; ++v) {
    const double four = m::e4m3::get(v << 16, 2), five = m::e5m2::get(v << 24, 3);
    const double want4 = E4m3::value(v), want5 = E5m2::value(v);
    expect(four == want4 || (std::isnan(four) && std::isnan(want4)), "e4m3", 0, v, four, want4);
    expect(five == want5 || (std::isnan(five) && std::isnan(want5)), "e5m2", 0, v, five, want5);
    checks += 2;
  }
}

int main() {
  check_bytes();
  check_f32_full<F16, F16, m::f16, m::f16>("m16n8k16 f16", 16, a_16x16_16bit, b_16x8_16bit);
  check_f32_full<Bf16, Bf16, m::bf16, m::bf16>("m16n8k16 bf16", 16, a_16x16_16bit, b_16x8_16bit);
  check_f32_full<Tf32, Tf32, m::tf32, m::tf32>("m16n8k8 tf32", 8, a_16x8_tf32, b_8x8_tf32);
  check_f32_full<E4m3, E4m3, m::e4m3, m::e4m3>("k32 e4m3", 32, a_16x32_8bit, b_32x8_8bit);
  check_f32_full<E4m3, E5m2, m::e4m3, m::e5m2>("k32 e4m3 e5m2", 32, a_16x32_8bit, b_32x8_8bit);
  check_f32_full<E5m2, E4m3, m::e5m2, m::e4m3>("k32 e5m2 e4m3", 32, a_16x32_8bit, b_32x8_8bit);
  check_f32_full<E5m2, E5m2, m::e5m2, m::e5m2>("k32 e5m2", 32, a_16x32_8bit, b_32x8_8bit);
  check_f32_half<F16, F16, m::f16, m::f16>("m16n8k8 f16", 8, a_16x8_16bit, b_8x8_16bit);
  check_f32_half<Bf16, Bf16, m::bf16, m::bf16>("m16n8k8 bf16", 8, a_16x8_16bit, b_8x8_16bit);
  check_f32_half<Tf32, Tf32, m::tf32, m::tf32>("m16n8k4 tf32", 4, a_16x4_tf32, b_4x8_tf32);
  check_float<F16, F16>("m16n8k16 f16.f16", 16, a_16x16_16bit, b_16x8_16bit, 4, 2, true,
                        [](unsigned* d, const unsigned* a, const unsigned* b, const unsigned* c) {
                          sigtrans::mma_m16n8_f16<m::f16, m::f16>(d[0], d[1], a[0], a[1], a[2],
                                                                  a[3], b[0], b[1], c[0], c[1]);
                        });
  check_float<F16, F16>("m16n8k8 f16.f16", 8, a_16x8_16bit, b_8x8_16bit, 2, 1, true,
                        [](unsigned* d, const unsigned* a, const unsigned* b, const unsigned* c) {
                          sigtrans::mma_m16n8_f16<m::f16, m::f16>(d[0], d[1], a[0], a[1], b[0],
                                                                  c[0], c[1]);
                        });
  for (int round = 0; round < 6; ++round) {
    check_integers<S8, S8, m::s8, m::s8>(round % 2 != 0);
    check_integers<U8, U8, m::u8, m::u8>(round % 2 != 0);
    check_integers<S8, U8, m::s8, m::u8>(round % 2 != 0);
    check_integers<U8, S8, m::u8, m::s8>(round % 2 != 0);
  }
  check_f64();
  for (int count = 1; count <= 4; count *= 2) {
    for (int trans = 0; trans < 2; ++trans) {
      check_ldmatrix(count, trans != 0);
      check_stmatrix(count, trans != 0);
    }
  }
  check_movmatrix();
  return finish(checks);
}
