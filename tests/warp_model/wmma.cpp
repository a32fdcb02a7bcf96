// load, mma, store of sigtrans_wmma.h against a plain matrix product.
#include "warp.h"

#define SIGTRANS_HOST_TEST
#define SIGTRANS_WMMA_BF16
#include "sigtrans_wmma.h"

using namespace sigtrans::per_card;

static std::mt19937 random_bits(1);
static int checks;

static double as_double(float v) { return v; }
static double as_double(double v) { return v; }
static double as_double(__half v) { return __half2float(v); }
static double as_double(__mt_bfloat16 v) { return __bfloat162float(v); }
static double as_double(int v) { return v; }
static double as_double(signed char v) { return v; }
static double as_double(unsigned char v) { return v; }

template <class T>
struct Memory {
  typedef T type;
};
template <>
struct Memory<wmma::precision::tf32> {
  typedef float type;
};

// Small integers (every sum exact) or anything between -1 and 1.
template <class T>
T draw(bool exact, T*) {
  if (exact) return T(static_cast<float>(static_cast<int>(random_bits() % 9) - 4));
  return T(std::ldexp(static_cast<float>(random_bits() % 2097152), -20) - 1.0f);
}
static signed char draw(bool, signed char*) { return static_cast<signed char>(random_bits()); }
static unsigned char draw(bool, unsigned char*) {
  return static_cast<unsigned char>(random_bits());
}
static int draw(bool, int*) { return static_cast<int>(random_bits() % 2000) - 1000; }

static float plus(float a, float b) { return a + b; }
static __half plus(__half a, __half b) { return __half(__half2float(a) + __half2float(b)); }
static int plus(int a, int b) { return a + b; }
static double plus(double a, double b) { return a + b; }

template <class Layout>
size_t where(int row, int column, int ldm);
template <>
size_t where<wmma::row_major>(int row, int column, int ldm) {
  return static_cast<size_t>(row * ldm + column);
}
template <>
size_t where<wmma::col_major>(int row, int column, int ldm) {
  return static_cast<size_t>(column * ldm + row);
}

template <int M, int N, int K, class T, class La, class Lb, class C, class D>
void check(const char* what, bool exact, double bound, wmma::layout_t layout) {
  typedef typename Memory<T>::type E;
  const int ld = 40;  // more than any row or column has
  std::vector<E> a(40 * 40, E(77)), b(40 * 40, E(77));
  std::vector<C> c(40 * 40, C(77));
  std::vector<D> d(40 * 40, D(99));
  for (int m = 0; m < M; ++m)
    for (int k = 0; k < K; ++k) a[where<La>(m, k, ld)] = draw(exact, static_cast<E*>(nullptr));
  for (int k = 0; k < K; ++k)
    for (int n = 0; n < N; ++n) b[where<Lb>(k, n, ld)] = draw(exact, static_cast<E*>(nullptr));
  const auto at = layout == wmma::mem_row_major ? where<wmma::row_major> : where<wmma::col_major>;
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) c[at(m, n, ld)] = draw(exact, static_cast<C*>(nullptr));
  warp::run([&](int) {
    wmma::fragment<wmma::matrix_a, M, N, K, T, La> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, Lb> fb;
    wmma::fragment<wmma::accumulator, M, N, K, C> fc;
    wmma::fragment<wmma::accumulator, M, N, K, D> fd, one;
    static_assert(fd.num_elements * 32 == M * N, "each element is in one lane");
    wmma::load_matrix_sync(fa, a.data(), ld);
    wmma::load_matrix_sync(fb, b.data(), ld);
    wmma::load_matrix_sync(fc, c.data(), ld, layout);
    wmma::mma_sync(fd, fa, fb, fc);
    wmma::fill_fragment(one, D(1));
    for (int i = 0; i < fd.num_elements; i++) fd.x[i] = plus(fd.x[i], one.x[i]);
    wmma::store_matrix_sync(d.data(), fd, ld, layout);
  });
  int kept = 0;
  for (size_t i = 0; i < d.size(); ++i) kept += as_double(d[i]) == 99;
  expect(kept == 1600 - M * N || exact, what, -1, -1, kept, 1600 - M * N);
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      double sum = as_double(c[at(m, n, ld)]);
      for (int k = 0; k < K; ++k) {
        sum += as_double(a[where<La>(m, k, ld)]) * as_double(b[where<Lb>(k, n, ld)]);
      }
      sum += 1;
      const double got = as_double(d[at(m, n, ld)]);
      expect(std::fabs(got - sum) <= (exact ? 0 : bound), what, m, n, got, sum);
      ++checks;
    }
  }
}

template <int M, int N, int K, class T, class C, class D>
void check_layouts(const char* what, bool exact, double bound = 0) {
  using wmma::col_major;
  using wmma::mem_col_major;
  using wmma::mem_row_major;
  using wmma::row_major;
  check<M, N, K, T, row_major, row_major, C, D>(what, exact, bound, mem_row_major);
  check<M, N, K, T, row_major, col_major, C, D>(what, exact, bound, mem_col_major);
  check<M, N, K, T, col_major, row_major, C, D>(what, exact, bound, mem_col_major);
  check<M, N, K, T, col_major, col_major, C, D>(what, exact, bound, mem_row_major);
}

template <int M, int N, int K>
void check_shape() {
  check_layouts<M, N, K, half, float, float>("half, float", true);
  check_layouts<M, N, K, half, half, half>("half, half", true);
  check_layouts<M, N, K, half, float, half>("half, float to half", true);
  check_layouts<M, N, K, __mt_bfloat16, float, float>("bfloat16, float", true);
  check_layouts<M, N, K, signed char, int, int>("s8", true);
  check_layouts<M, N, K, unsigned char, int, int>("u8", true);
  check_layouts<M, N, K, half, float, float>("half, float, random", false, 1e-5);
  check_layouts<M, N, K, half, half, half>("half, half, random", false, 0.02);
  check_layouts<M, N, K, __mt_bfloat16, float, float>("bfloat16, random", false, 1e-5);
}

static void check_saturation() {
  using namespace wmma;
  int got[2] = {0, 0};
  std::vector<signed char> ones(16 * 16, 1);
  std::vector<int> start(16 * 16, 2147483640), end(16 * 16);
  for (int saturate = 0; saturate < 2; ++saturate) {
    warp::run([&](int) {
      fragment<matrix_a, 16, 16, 16, signed char, row_major> a;
      fragment<matrix_b, 16, 16, 16, signed char, col_major> b;
      fragment<accumulator, 16, 16, 16, int> c;
      load_matrix_sync(a, ones.data(), 16);
      load_matrix_sync(b, ones.data(), 16);
      load_matrix_sync(c, start.data(), 16, mem_row_major);
      mma_sync(c, a, b, c, saturate != 0);
      store_matrix_sync(end.data(), c, 16, mem_row_major);
    });
    got[saturate] = end[255];
  }
  expect(got[0] == -2147483640, "wraps", 0, 0, got[0], -2147483640);
  expect(got[1] == 2147483647, "saturates", 0, 0, got[1], 2147483647);
  checks += 2;
}

static void check_tf32() {
  const float cases[][2] = {{1.0f, 1.0f},
                            {1.0f + 1.0f / 2048, 1.0f + 1.0f / 1024},  // a tie goes away from zero
                            {-1.0f - 1.0f / 2048, -1.0f - 1.0f / 1024},
                            {1.0f + 1.0f / 4096, 1.0f},
                            {INFINITY, INFINITY},
                            {0.0f, 0.0f}};
  for (const auto& each : cases) {
    const float got = wmma::__float_to_tf32(each[0]);
    expect(got == each[1], "tf32", 0, 0, got, each[1]);
    ++checks;
  }
  const float nan = wmma::__float_to_tf32(NAN);
  expect(std::isnan(nan), "tf32", 0, 0, nan, NAN);
}

int main() {
  check_shape<16, 16, 16>();
  check_shape<32, 8, 16>();
  check_shape<8, 32, 16>();
  check_layouts<16, 16, 8, wmma::precision::tf32, float, float>("tf32", true);
  check_layouts<16, 16, 8, wmma::precision::tf32, float, float>("tf32, random", false, 1e-5);
  check_layouts<8, 8, 4, double, double, double>("double", true);
  check_layouts<8, 8, 4, double, double, double>("double, random", false, 1e-14);
  check_saturation();
  check_tf32();
  return finish(checks);
}
