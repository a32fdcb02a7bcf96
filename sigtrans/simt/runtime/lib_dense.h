// Dense linear algebra on column-major matrices in host memory: what the BLAS and the solver
// library are made of. One thread and one fixed order of additions, so results never depend on
// the machine's load.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib_types.h"

namespace simt::dense {

using Index = std::ptrdiff_t;

// A matrix operand: element (i, j) is data[i * rows + j * columns].
template <class T>
struct View {
    T *data;
    Index rows, columns;
    bool conjugated = false;
    T &at(Index i, Index j) const { return data[i * rows + j * columns]; }
};

// op(A) of a column-major A: 'N', 'T' or 'C' as 0, 1, 2.
template <class T>
View<T> view(int operation, T *data, Index ld) {
    return operation == 0 ? View<T>{data, 1, ld} : View<T>{data, ld, 1, operation == 2};
}

// How inputs are rounded before they are multiplied, and sums while they grow.
enum class Rounding : unsigned char { none, tf32, half, brain, half_sums };

template <class Acc>
void round_input(Acc &, Rounding) {}
inline void round_input(float &x, Rounding rounding) {
    if (rounding == Rounding::tf32) x = to_tf32(x);
    else if (rounding == Rounding::half) x = widen(to_half(x));
    else if (rounding == Rounding::brain) x = widen(to_brain(x));
}
inline void round_input(Complex<float> &x, Rounding rounding) {
    round_input(x.re, rounding);
    round_input(x.im, rounding);
}
template <class Acc>
void round_sum(Acc &) {}
inline void round_sum(float &x) { x = widen(to_half(x)); }

// Copies rows [0, m) x [0, k) of a view into strips of `strip` rows, each k columns of `strip`
// elements, the last strip filled up with zeros.
template <class Acc, class T>
void pack(Acc *to, View<const T> a, Index m, Index k, Index strip, Rounding rounding) {
    for (Index i0 = 0; i0 < m; i0 += strip) {
        for (Index p = 0; p < k; ++p) {
            for (Index i = i0; i < i0 + strip; ++i, ++to) {
                *to = Acc();
                if (i >= m) continue;
                load(*to, a.at(i, p));
                if (a.conjugated) *to = conjugate(*to);
                if (rounding != Rounding::none) round_input(*to, rounding);
            }
        }
    }
}

// One tile of rows x columns sums in registers.
template <class Acc, int rows, int columns>
void tile(const Acc *__restrict a, const Acc *__restrict b, Index k, Acc *__restrict out) {
    Acc sum[columns][rows] = {};
    for (Index p = 0; p < k; ++p, a += rows, b += columns) {
#pragma GCC unroll 4
        for (int j = 0; j < columns; ++j) {
#pragma GCC unroll 8
            for (int i = 0; i < rows; ++i) sum[j][i] += a[i] * b[j];
        }
    }
    for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < rows; ++i) out[j * rows + i] = sum[j][i];
    }
}

// sums (m x n, leading dimension m) = A (m x k) * B (k x n), blocked for the caches.
template <class Acc, class TA, class TB>
void multiply(
    Index m, Index n, Index k, View<const TA> a, View<const TB> b, Acc *sums, Rounding rounding
) {
    constexpr int rows = 8, columns = 4;
    // Tensor cores that sum in half precision round about every 16 products.
    const Index deep = rounding == Rounding::half_sums ? 16 : 256, high = 128, wide = 512;
    auto up = [](Index x, Index to) { return (x + to - 1) / to * to; };
    std::vector<Acc> left(up(std::min(m, high), rows) * std::min(k, deep)),
        right(up(std::min(n, wide), columns) * std::min(k, deep));
    std::fill(sums, sums + m * n, Acc());
    for (Index j0 = 0; j0 < n; j0 += wide) {
        const Index nj = std::min(wide, n - j0);
        for (Index p0 = 0; p0 < k; p0 += deep) {
            const Index np = std::min(deep, k - p0);
            View<const TB> turned{&b.at(p0, j0), b.columns, b.rows, b.conjugated};
            pack(right.data(), turned, nj, np, columns, rounding);
            for (Index i0 = 0; i0 < m; i0 += high) {
                const Index ni = std::min(high, m - i0);
                View<const TA> part{&a.at(i0, p0), a.rows, a.columns, a.conjugated};
                pack(left.data(), part, ni, np, rows, rounding);
                for (Index j = 0; j < nj; j += columns) {
                    for (Index i = 0; i < ni; i += rows) {
                        Acc out[rows * columns];
                        tile<Acc, rows, columns>(&left[i * np], &right[j * np], np, out);
                        for (Index c = 0; c < std::min<Index>(columns, nj - j); ++c) {
                            Acc *to = sums + (j0 + j + c) * m + i0 + i;
                            for (Index r = 0; r < std::min<Index>(rows, ni - i); ++r) {
                                to[r] += out[c * rows + r];
                                if (rounding == Rounding::half_sums) round_sum(to[r]);
                            }
                        }
                    }
                }
            }
        }
    }
}

// C = alpha * A * B + beta * C. With beta zero C is not read, as BLAS says.
template <class Acc, class TA, class TB, class TC>
void gemm(
    Index m, Index n, Index k, Acc alpha, View<const TA> a, View<const TB> b, Acc beta, TC *c,
    Index ldc, Rounding rounding = Rounding::none
) {
    if (m == 0 || n == 0) return;
    std::vector<Acc> sums(m * n);
    if (k > 0 && alpha != Acc(0)) multiply(m, n, k, a, b, sums.data(), rounding);
    for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < m; ++i) {
            Acc value = alpha * sums[j * m + i];
            if (beta != Acc(0)) {
                Acc old;
                load(old, c[i + j * ldc]);
                value += beta * old;
            }
            store(c[i + j * ldc], value);
        }
    }
}

// The whole of a triangular or symmetric n x n matrix of which one triangle is stored.
enum class Fold : unsigned char { symmetric, hermitian, triangular, unit_triangular };

template <class T>
std::vector<T> unfold(bool upper, Fold fold, Index n, const T *a, Index lda) {
    std::vector<T> full(n * n);
    for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < n; ++i) {
            T value{};
            if (i == j) {
                value = fold == Fold::unit_triangular ? T(1) : a[i + j * lda];
                if (fold == Fold::hermitian) value = T(real_part(value));
            } else if ((i < j) == upper) {
                value = a[i + j * lda];
            } else if (fold == Fold::symmetric) {
                value = a[j + i * lda];
            } else if (fold == Fold::hermitian) {
                value = conjugate(a[j + i * lda]);
            }
            full[i + j * n] = value;
        }
    }
    return full;
}

// Solves op(A) X = B in place for one triangle of A, m x m, and n right-hand sides whose elements
// are at b.at(i, j).
template <class T>
void solve_triangle(
    bool upper, int operation, bool unit, Index m, Index n, const T *a, Index lda, View<T> b
) {
    const View<const T> op = view<const T>(operation, a, lda);
    auto element = [&](Index i, Index j) {
        return op.conjugated ? conjugate(op.at(i, j)) : op.at(i, j);
    };
    const bool backward = upper == (operation == 0);
    for (Index j = 0; j < n; ++j) {
        for (Index step = 0; step < m; ++step) {
            const Index i = backward ? m - 1 - step : step;
            T &x = b.at(i, j);
            if (!unit) x = x / element(i, i);
            const Index first = backward ? 0 : i + 1, last = backward ? i : m;
            for (Index r = first; r < last; ++r) b.at(r, j) -= element(r, i) * x;
        }
    }
}

// B = alpha op(A)^-1 B (left) or alpha B op(A)^-1 (right).
template <class T>
void trsm(
    bool left, bool upper, int operation, bool unit, Index m, Index n, T alpha, const T *a,
    Index lda, T *b, Index ldb
) {
    for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < m; ++i) {
            T &x = b[i + j * ldb];
            x = alpha == T(0) ? T(0) : alpha * x;
        }
    }
    if (alpha == T(0)) return;
    if (left) return solve_triangle(upper, operation, unit, m, n, a, lda, View<T>{b, 1, ldb});
    // X op(A) = B is op(A)^T X^T = B^T; for 'C' the conjugate of A takes the place of A.
    if (operation != 2) {
        return solve_triangle(upper, 1 - operation, unit, n, m, a, lda, View<T>{b, ldb, 1});
    }
    std::vector<T> mirrored(n * n);
    for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < n; ++i) {
            if (i == j || (i < j) == upper) mirrored[i + j * n] = conjugate(a[i + j * lda]);
        }
    }
    solve_triangle(upper, 0, unit, n, m, mirrored.data(), n, View<T>{b, ldb, 1});
}

// P A = L U in place; pivots count from 1, null for no pivoting. Returns 0, or the first i
// (from 1) with U(i, i) exactly zero.
template <class T>
int getrf(Index m, Index n, T *a, Index lda, int *pivots) {
    int info = 0;
    for (Index k = 0; k < std::min(m, n); ++k) {
        Index best = k;
        if (pivots) {
            for (Index i = k + 1; i < m; ++i) {
                if (taxicab(a[i + k * lda]) > taxicab(a[best + k * lda])) best = i;
            }
            pivots[k] = int(best + 1);
        }
        if (a[best + k * lda] == T(0)) {
            if (!info) info = int(k + 1);
            continue;
        }
        if (best != k) {
            for (Index j = 0; j < n; ++j) std::swap(a[k + j * lda], a[best + j * lda]);
        }
        const T pivot = a[k + k * lda];
        for (Index i = k + 1; i < m; ++i) a[i + k * lda] = a[i + k * lda] / pivot;
        for (Index j = k + 1; j < n; ++j) {
            const T u = a[k + j * lda];
            for (Index i = k + 1; i < m; ++i) a[i + j * lda] -= a[i + k * lda] * u;
        }
    }
    return info;
}

template <class T>
void swap_rows(Index n, Index columns, T *b, Index ldb, const int *pivots, bool backward) {
    for (Index step = 0; step < n; ++step) {
        const Index i = backward ? n - 1 - step : step, other = pivots[i] - 1;
        if (other == i) continue;
        for (Index j = 0; j < columns; ++j) std::swap(b[i + j * ldb], b[other + j * ldb]);
    }
}

// Solves op(A) X = B from getrf's result.
template <class T>
void getrs(
    int operation, Index n, Index columns, const T *a, Index lda, const int *pivots, T *b, Index ldb
) {
    const View<T> x{b, 1, ldb};
    if (operation == 0) {
        if (pivots) swap_rows(n, columns, b, ldb, pivots, false);
        solve_triangle(false, 0, true, n, columns, a, lda, x);
        solve_triangle(true, 0, false, n, columns, a, lda, x);
    } else {
        solve_triangle(true, operation, false, n, columns, a, lda, x);
        solve_triangle(false, operation, true, n, columns, a, lda, x);
        if (pivots) swap_rows(n, columns, b, ldb, pivots, true);
    }
}

// A = L L^H or U^H U in one triangle; returns 0 or the order of the first minor that is not
// positive.
template <class T>
int potrf(bool upper, Index n, T *a, Index lda) {
    // The upper triangle is the transposed lower one: swap the strides.
    const Index row = upper ? lda : 1, column = upper ? 1 : lda;
    auto at = [&](Index i, Index j) -> T & { return a[i * row + j * column]; };
    for (Index j = 0; j < n; ++j) {
        Real<T> diagonal = real_part(at(j, j));
        for (Index p = 0; p < j; ++p) diagonal -= square(at(j, p));
        if (!(diagonal > 0)) return int(j + 1);
        diagonal = std::sqrt(diagonal);
        at(j, j) = T(diagonal);
        for (Index i = j + 1; i < n; ++i) {
            T sum = at(i, j);
            for (Index p = 0; p < j; ++p) sum -= at(i, p) * conjugate(at(j, p));
            at(i, j) = sum / T(diagonal);
        }
    }
    return 0;
}

}  // namespace simt::dense
