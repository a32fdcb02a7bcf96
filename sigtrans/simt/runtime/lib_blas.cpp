// BLAS levels 1 to 3 and the small batched factorisations.
#include "simt/blas.h"

#include "lib_dense.h"

namespace simt::blas {

namespace {

using dense::View;
using dense::view;
using C32 = Complex<float>;
using C64 = Complex<double>;

// Calls f with a value of the type that `type` stands for; only the four BLAS types.
template <class F>
int by_type(Type type, F f) {
    switch (type) {
        case Type::r32f: f(float()); return success;
        case Type::r64f: f(double()); return success;
        case Type::c32f: f(C32()); return success;
        case Type::c64f: f(C64()); return success;
        default: return not_supported;
    }
}

// Queues f(T()) on the handle's stream.
template <class F>
int queue(const Handle *h, const char *what, Type type, F f) {
    enqueue(h->stream, what, [type, f] { by_type(type, f); });
    return success;
}

Scalar scalar(const Handle *h, const void *pointer, Type type) {
    return {pointer, size_of(type), h->device_scalars};
}

// A result goes to the device when the work runs, or to the host before the call returns.
template <class F>
int deliver(Handle *h, const char *what, void *result, size_t size, F compute) {
    if (!h->device_scalars) {
        unsigned char held[16];
        enqueue(h->stream, what, [&held, compute] { compute(held); });
        drain(h->stream);
        std::memcpy(result, held, size);
        return success;
    }
    enqueue(h->stream, what, [result, compute] { compute(result); });
    return success;
}

template <class T>
struct Vector {  // BLAS strides: a negative one starts at the far end
    T *data;
    Size step;
    Vector(const void *pointer, Size n, Size inc)
        : data(static_cast<T *>(const_cast<void *>(pointer)) + (inc < 0 ? (1 - n) * inc : 0)),
          step(inc) {}
    T &operator[](Size i) const { return data[i * step]; }
};

bool bad_operation(int op) { return op < 0 || op > 2; }
bool bad_flag(int flag) { return flag < 0 || flag > 1; }
Type real_type(Type type) {
    return type == Type::c32f ? Type::r32f : type == Type::c64f ? Type::r64f : type;
}

#define SIMT_REQUIRE(condition) \
    do { \
        if (!h) return not_initialized; \
        if (!(condition)) return invalid_value; \
    } while (0)

}  // namespace

int create(Handle **handle) {
    if (!handle) return invalid_value;
    *handle = new Handle;
    return success;
}

int destroy(Handle *handle) {
    if (!handle) return not_initialized;
    drain(handle->stream);
    delete handle;
    return success;
}

const char *status_name(int status) {
    switch (status) {
        case 0: return "CUBLAS_STATUS_SUCCESS";
        case 1: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
        case 7: return "CUBLAS_STATUS_INVALID_VALUE";
        case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
        case 11: return "CUBLAS_STATUS_MAPPING_ERROR";
        case 13: return "CUBLAS_STATUS_EXECUTION_FAILED";
        case 14: return "CUBLAS_STATUS_INTERNAL_ERROR";
        case 15: return "CUBLAS_STATUS_NOT_SUPPORTED";
        case 16: return "CUBLAS_STATUS_LICENSE_ERROR";
        default: return "CUBLAS_STATUS_UNKNOWN";
    }
}

const char *status_text(int status) {
    switch (status) {
        case 0: return "success";
        case 1: return "the library was not initialized";
        case 3: return "the resource allocation failed";
        case 7: return "an unsupported value or parameter was passed to the function";
        case 8: return "the function requires an architectural feature absent from the device";
        case 11: return "an access to GPU memory space failed";
        case 13: return "the GPU program failed to execute";
        case 14: return "an internal operation failed";
        case 15: return "the functionality requested is not supported";
        case 16: return "the functionality requested requires a license";
        default: return "unknown status";
    }
}

// --- level 1 -----------------------------------------------------------------------------------

int axpy(Handle *h, Type type, Size n, const void *alpha, const void *x, Size incx, void *y, Size incy) {
    SIMT_REQUIRE(alpha);
    if (n <= 0) return success;
    return queue(h, "axpy", type, [=, a = scalar(h, alpha, type)](auto t) {
        using T = decltype(t);
        const Vector<T> vx(x, n, incx), vy(y, n, incy);
        const T factor = a.template get<T>();
        for (Size i = 0; i < n; ++i) vy[i] += factor * vx[i];
    });
}

int copy(Handle *h, Type type, Size n, const void *x, Size incx, void *y, Size incy) {
    SIMT_REQUIRE(true);
    if (n <= 0) return success;
    return queue(h, "copy", type, [=](auto t) {
        using T = decltype(t);
        const Vector<T> vx(x, n, incx), vy(y, n, incy);
        for (Size i = 0; i < n; ++i) vy[i] = vx[i];
    });
}

int swap(Handle *h, Type type, Size n, void *x, Size incx, void *y, Size incy) {
    SIMT_REQUIRE(true);
    if (n <= 0) return success;
    return queue(h, "swap", type, [=](auto t) {
        using T = decltype(t);
        const Vector<T> vx(x, n, incx), vy(y, n, incy);
        for (Size i = 0; i < n; ++i) std::swap(vx[i], vy[i]);
    });
}

int scal(Handle *h, Type type, Type factor, Size n, const void *alpha, void *x, Size incx) {
    SIMT_REQUIRE(alpha);
    if (n <= 0 || incx <= 0) return success;
    return queue(h, "scal", type, [=, a = scalar(h, alpha, factor)](auto t) {
        using T = decltype(t);
        const Vector<T> vx(x, n, incx);
        const T by = factor == type ? a.template get<T>() : T(a.template get<Real<T>>());
        for (Size i = 0; i < n; ++i) vx[i] = by * vx[i];
    });
}

int dot(
    Handle *h, Type type, bool conjugated, Size n, const void *x, Size incx, const void *y,
    Size incy, void *result
) {
    SIMT_REQUIRE(result);
    return deliver(h, "dot", result, size_of(type), [=](void *out) {
        by_type(type, [=](auto t) {
            using T = decltype(t);
            const Vector<T> vx(x, n, incx), vy(y, n, incy);
            T sum{};
            for (Size i = 0; i < n; ++i) sum += (conjugated ? conjugate(vx[i]) : vx[i]) * vy[i];
            std::memcpy(out, &sum, sizeof sum);
        });
    });
}

int nrm2(Handle *h, Type type, Size n, const void *x, Size incx, void *result) {
    SIMT_REQUIRE(result);
    return deliver(h, "nrm2", result, size_of(real_type(type)), [=](void *out) {
        by_type(type, [=](auto t) {
            using T = decltype(t);
            const Vector<T> vx(x, n, incx);
            Real<T> largest = 0, sum = 0;  // scaled by the largest: no overflow in the squares
            for (Size i = 0; incx > 0 && i < n; ++i) largest = std::fmax(largest, taxicab(vx[i]));
            bool finite = largest > 0 && std::isfinite(largest);
            const T scale = T(finite ? largest : Real<T>(1));
            for (Size i = 0; incx > 0 && i < n; ++i) sum += square(vx[i] / scale);
            const Real<T> norm = real_part(scale) * std::sqrt(sum);
            std::memcpy(out, &norm, sizeof norm);
        });
    });
}

int asum(Handle *h, Type type, Size n, const void *x, Size incx, void *result) {
    SIMT_REQUIRE(result);
    return deliver(h, "asum", result, size_of(real_type(type)), [=](void *out) {
        by_type(type, [=](auto t) {
            using T = decltype(t);
            const Vector<T> vx(x, n, incx);
            Real<T> sum = 0;
            for (Size i = 0; incx > 0 && i < n; ++i) sum += taxicab(vx[i]);
            std::memcpy(out, &sum, sizeof sum);
        });
    });
}

int extreme(Handle *h, Type type, bool largest, Size n, const void *x, Size incx, int *result) {
    SIMT_REQUIRE(result);
    return deliver(h, largest ? "iamax" : "iamin", result, sizeof(int), [=](void *out) {
        by_type(type, [=](auto t) {
            using T = decltype(t);
            const Vector<T> vx(x, n, incx);
            int best = n > 0 && incx > 0;  // from 1; 0 for an empty vector
            for (Size i = 1; incx > 0 && i < n; ++i) {
                const auto value = taxicab(vx[i]), old = taxicab(vx[best - 1]);
                if (largest ? value > old : value < old) best = int(i + 1);
            }
            std::memcpy(out, &best, sizeof best);
        });
    });
}

int rot(
    Handle *h, Type type, Type sine, Size n, void *x, Size incx, void *y, Size incy, const void *c,
    const void *s
) {
    SIMT_REQUIRE(c && s);
    if (n <= 0) return success;
    return queue(
        h, "rot", type,
        [=, kc = scalar(h, c, real_type(type)), ks = scalar(h, s, sine)](auto t) {
            using T = decltype(t);
            const Vector<T> vx(x, n, incx), vy(y, n, incy);
            const T cosine = T(kc.template get<Real<T>>());
            const T by = sine == type ? ks.template get<T>() : T(ks.template get<Real<T>>());
            for (Size i = 0; i < n; ++i) {
                const T old = vx[i];
                vx[i] = cosine * old + by * vy[i];
                vy[i] = cosine * vy[i] - conjugate(by) * old;
            }
        }
    );
}

namespace {

template <class T>
void make_rotation(T *a, T *b, T *c, T *s) {
    const T larger = std::fabs(*a) > std::fabs(*b) ? *a : *b;
    const T scale = std::fabs(*a) + std::fabs(*b);
    if (scale == 0) {
        *c = 1;
        *s = *a = *b = 0;
        return;
    }
    const T x = *a / scale, y = *b / scale;
    const T r = std::copysign(scale * std::sqrt(x * x + y * y), larger);
    *c = *a / r;
    *s = *b / r;
    const T z = std::fabs(*a) > std::fabs(*b) ? *s : *c != 0 ? 1 / *c : T(1);
    *a = r;
    *b = z;
}

template <class T>
void make_rotation(Complex<T> *a, Complex<T> *b, T *c, Complex<T> *s) {
    const T left = magnitude(*a), norm = std::hypot(left, magnitude(*b));
    if (left == 0) {
        *c = 0;
        *s = Complex<T>(1);
        *a = *b;
        return;
    }
    const Complex<T> direction = *a / Complex<T>(left);
    *c = left / norm;
    *s = direction * conjugate(*b) / Complex<T>(norm);
    *a = direction * Complex<T>(norm);
}

}  // namespace

int rotg(Handle *h, Type type, void *a, void *b, void *c, void *s) {
    SIMT_REQUIRE(a && b && c && s);
    auto work = [=] {
        by_type(type, [=](auto t) {
            using T = decltype(t);
            make_rotation(
                static_cast<T *>(a), static_cast<T *>(b), static_cast<Real<T> *>(c),
                static_cast<T *>(s)
            );
        });
    };
    if (h->device_scalars) enqueue(h->stream, "rotg", work);
    else work();
    return success;
}

int rotm(Handle *h, Type type, Size n, void *x, Size incx, void *y, Size incy, const void *param) {
    SIMT_REQUIRE(param);
    if (n <= 0) return success;
    // flag, h11, h21, h12, h22: more than a Scalar holds
    unsigned char held[5 * 8] = {};
    const bool device = h->device_scalars;
    if (!device) std::memcpy(held, param, 5 * size_of(type));
    struct Held { unsigned char bytes[40]; } kept;
    std::memcpy(kept.bytes, held, sizeof held);
    return queue(h, "rotm", type, [=](auto t) {
        using T = decltype(t);
        if constexpr (!is_complex<T>) {
            T p[5];
            std::memcpy(p, device ? param : kept.bytes, sizeof p);
            if (p[0] == T(-2)) return;
            T h11 = p[1], h21 = p[2], h12 = p[3], h22 = p[4];
            if (p[0] == T(0)) h11 = h22 = 1;
            if (p[0] == T(1)) h12 = 1, h21 = -1;
            const Vector<T> vx(x, n, incx), vy(y, n, incy);
            for (Size i = 0; i < n; ++i) {
                const T old = vx[i];
                vx[i] = h11 * old + h12 * vy[i];
                vy[i] = h21 * old + h22 * vy[i];
            }
        }
    });
}

// --- level 2 -----------------------------------------------------------------------------------

namespace {

template <class T>
void scale_vector(const Vector<T> &y, Size n, T beta) {
    for (Size i = 0; i < n; ++i) y[i] = beta == T(0) ? T(0) : beta * y[i];
}

template <class T>
void gemv_one(
    int operation, Size m, Size n, T alpha, const T *a, Size lda, const T *x, Size incx, T beta,
    T *y, Size incy
) {
    const Size rows = operation ? n : m, columns = operation ? m : n;
    const Vector<T> vx(x, columns, incx), vy(y, rows, incy);
    const View<const T> op = view(operation, a, lda);
    scale_vector(vy, rows, beta);
    if (alpha == T(0)) return;
    std::vector<T> sums(rows);
    if (operation == 0) {  // along the columns, as they lie in memory
        for (Size j = 0; j < columns; ++j) {
            const T value = vx[j];
            for (Size i = 0; i < rows; ++i) sums[i] += a[i + j * lda] * value;
        }
    } else {
        for (Size i = 0; i < rows; ++i) {
            for (Size j = 0; j < columns; ++j) {
                sums[i] += (op.conjugated ? conjugate(op.at(i, j)) : op.at(i, j)) * vx[j];
            }
        }
    }
    for (Size i = 0; i < rows; ++i) vy[i] += alpha * sums[i];
}

// Where element (i, j) of the stored triangle of a symmetric or triangular matrix lies, or -1 for
// outside the band.
Size place(Storage storage, bool upper, Size n, Size band, Size lda, Size i, Size j) {
    switch (storage) {
        case Storage::full: return i + j * lda;
        case Storage::banded:
            if (std::abs(i - j) > band) return -1;
            return (upper ? band + i - j : i - j) + j * lda;
        case Storage::packed: return upper ? i + j * (j + 1) / 2 : i + j * (2 * n - j - 1) / 2;
    }
    return -1;
}

bool bad_storage(Storage storage, Size n, Size band, Size lda) {
    if (n < 0 || band < 0) return true;
    if (storage == Storage::full) return lda < std::max<Size>(1, n);
    return storage == Storage::banded && lda < band + 1;
}

template <class T>
std::vector<T> stored_triangle(
    Storage storage, bool upper, Size n, Size band, const T *a, Size lda
) {
    std::vector<T> full(n * n);
    for (Size j = 0; j < n; ++j) {
        for (Size i = upper ? 0 : j; i < (upper ? j + 1 : n); ++i) {
            const Size at = place(storage, upper, n, band, lda, i, j);
            if (at >= 0) full[i + j * n] = a[at];
        }
    }
    return full;
}

}  // namespace

int gemv(
    Handle *h, Type type, int operation, Size m, Size n, const void *alpha, const void *a, Size lda,
    const void *x, Size incx, const void *beta, void *y, Size incy, Size stride_a, Size stride_x,
    Size stride_y, int count
) {
    SIMT_REQUIRE(
        !bad_operation(operation) && m >= 0 && n >= 0 && lda >= std::max<Size>(1, m) && incx != 0
        && incy != 0 && alpha && beta && count >= 0
    );
    if (m == 0 || n == 0) return success;
    return queue(
        h, "gemv", type, [=, ka = scalar(h, alpha, type), kb = scalar(h, beta, type)](auto t) {
            using T = decltype(t);
            for (int i = 0; i < count; ++i) {
                gemv_one<T>(
                    operation, m, n, ka.template get<T>(), static_cast<const T *>(a) + i * stride_a,
                    lda, static_cast<const T *>(x) + i * stride_x, incx, kb.template get<T>(),
                    static_cast<T *>(y) + i * stride_y, incy
                );
            }
        }
    );
}

int gemv_batched(
    Handle *h, Type type, int operation, Size m, Size n, const void *alpha, const void *const *a,
    Size lda, const void *const *x, Size incx, const void *beta, void *const *y, Size incy,
    int count
) {
    SIMT_REQUIRE(
        !bad_operation(operation) && m >= 0 && n >= 0 && lda >= std::max<Size>(1, m) && incx != 0
        && incy != 0 && alpha && beta && count >= 0
    );
    if (m == 0 || n == 0) return success;
    return queue(
        h, "gemvBatched", type,
        [=, ka = scalar(h, alpha, type), kb = scalar(h, beta, type)](auto t) {
            using T = decltype(t);
            for (int i = 0; i < count; ++i) {
                gemv_one<T>(
                    operation, m, n, ka.template get<T>(), static_cast<const T *>(a[i]), lda,
                    static_cast<const T *>(x[i]), incx, kb.template get<T>(),
                    static_cast<T *>(y[i]), incy
                );
            }
        }
    );
}

int gbmv(
    Handle *h, Type type, int operation, Size m, Size n, Size below, Size above, const void *alpha,
    const void *a, Size lda, const void *x, Size incx, const void *beta, void *y, Size incy
) {
    SIMT_REQUIRE(
        !bad_operation(operation) && m >= 0 && n >= 0 && below >= 0 && above >= 0
        && lda >= below + above + 1 && incx != 0 && incy != 0 && alpha && beta
    );
    if (m == 0 || n == 0) return success;
    return queue(
        h, "gbmv", type, [=, ka = scalar(h, alpha, type), kb = scalar(h, beta, type)](auto t) {
            using T = decltype(t);
            const T *band = static_cast<const T *>(a);
            std::vector<T> full(m * n);
            for (Size j = 0; j < n; ++j) {
                for (Size i = std::max<Size>(0, j - above); i < std::min(m, j + below + 1); ++i) {
                    full[i + j * m] = band[above + i - j + j * lda];
                }
            }
            gemv_one<T>(
                operation, m, n, ka.template get<T>(), full.data(), m, static_cast<const T *>(x),
                incx, kb.template get<T>(), static_cast<T *>(y), incy
            );
        }
    );
}

int ger(
    Handle *h, Type type, bool conjugated, Size m, Size n, const void *alpha, const void *x,
    Size incx, const void *y, Size incy, void *a, Size lda
) {
    SIMT_REQUIRE(
        m >= 0 && n >= 0 && lda >= std::max<Size>(1, m) && incx != 0 && incy != 0 && alpha
    );
    if (m == 0 || n == 0) return success;
    return queue(h, "ger", type, [=, ka = scalar(h, alpha, type)](auto t) {
        using T = decltype(t);
        const Vector<T> vx(x, m, incx), vy(y, n, incy);
        T *matrix = static_cast<T *>(a);
        for (Size j = 0; j < n; ++j) {
            const T by = ka.template get<T>() * (conjugated ? conjugate(vy[j]) : vy[j]);
            for (Size i = 0; i < m; ++i) matrix[i + j * lda] += vx[i] * by;
        }
    });
}

int symv(
    Handle *h, Type type, bool hermitian, Storage storage, int fill, Size n, Size band,
    const void *alpha, const void *a, Size lda, const void *x, Size incx, const void *beta, void *y,
    Size incy
) {
    SIMT_REQUIRE(
        !bad_flag(fill) && !bad_storage(storage, n, band, lda) && incx != 0 && incy != 0 && alpha
        && beta
    );
    if (n == 0) return success;
    return queue(
        h, "symv", type, [=, ka = scalar(h, alpha, type), kb = scalar(h, beta, type)](auto t) {
            using T = decltype(t);
            const auto half =
                stored_triangle(storage, fill == 1, n, band, static_cast<const T *>(a), lda);
            const auto full = dense::unfold(
                fill == 1, hermitian ? dense::Fold::hermitian : dense::Fold::symmetric, n,
                half.data(), n
            );
            gemv_one<T>(
                0, n, n, ka.template get<T>(), full.data(), n, static_cast<const T *>(x), incx,
                kb.template get<T>(), static_cast<T *>(y), incy
            );
        }
    );
}

int syr(
    Handle *h, Type type, bool hermitian, Storage storage, int fill, Size n, const void *alpha,
    const void *x, Size incx, void *a, Size lda
) {
    SIMT_REQUIRE(!bad_flag(fill) && !bad_storage(storage, n, 0, lda) && incx != 0 && alpha);
    const Type factor = hermitian ? real_type(type) : type;
    return queue(h, "syr", type, [=, ka = scalar(h, alpha, factor)](auto t) {
        using T = decltype(t);
        const Vector<T> vx(x, n, incx);
        const T by = hermitian ? T(ka.template get<Real<T>>()) : ka.template get<T>();
        for (Size j = 0; j < n; ++j) {
            const T right = by * (hermitian ? conjugate(vx[j]) : vx[j]);
            for (Size i = fill ? 0 : j; i < (fill ? j + 1 : n); ++i) {
                T &out = static_cast<T *>(a)[place(storage, fill, n, 0, lda, i, j)];
                out += vx[i] * right;
                if (hermitian && i == j) out = T(real_part(out));
            }
        }
    });
}

int syr2(
    Handle *h, Type type, bool hermitian, Storage storage, int fill, Size n, const void *alpha,
    const void *x, Size incx, const void *y, Size incy, void *a, Size lda
) {
    SIMT_REQUIRE(
        !bad_flag(fill) && !bad_storage(storage, n, 0, lda) && incx != 0 && incy != 0 && alpha
    );
    return queue(h, "syr2", type, [=, ka = scalar(h, alpha, type)](auto t) {
        using T = decltype(t);
        const Vector<T> vx(x, n, incx), vy(y, n, incy);
        const T by = ka.template get<T>();
        auto turn = [=](T value) { return hermitian ? conjugate(value) : value; };
        for (Size j = 0; j < n; ++j) {
            for (Size i = fill ? 0 : j; i < (fill ? j + 1 : n); ++i) {
                T &out = static_cast<T *>(a)[place(storage, fill, n, 0, lda, i, j)];
                out += by * vx[i] * turn(vy[j]) + turn(by) * vy[i] * turn(vx[j]);
                if (hermitian && i == j) out = T(real_part(out));
            }
        }
    });
}

int trmv(
    Handle *h, Type type, bool solve, Storage storage, int fill, int operation, int diagonal,
    Size n, Size band, const void *a, Size lda, void *x, Size incx
) {
    SIMT_REQUIRE(
        !bad_flag(fill) && !bad_operation(operation) && !bad_flag(diagonal)
        && !bad_storage(storage, n, band, lda) && incx != 0
    );
    if (n == 0) return success;
    return queue(h, solve ? "trsv" : "trmv", type, [=](auto t) {
        using T = decltype(t);
        const Vector<T> vx(x, n, incx);
        const auto half =
            stored_triangle(storage, fill == 1, n, band, static_cast<const T *>(a), lda);
        if (solve) {
            return dense::solve_triangle(
                fill == 1, operation, diagonal == 1, n, 1, half.data(), n,
                View<T>{vx.data, vx.step, 0}
            );
        }
        const auto full = dense::unfold(
            fill == 1, diagonal ? dense::Fold::unit_triangular : dense::Fold::triangular, n,
            half.data(), n
        );
        std::vector<T> old(n);
        for (Size i = 0; i < n; ++i) old[i] = vx[i];
        gemv_one<T>(operation, n, n, T(1), full.data(), n, old.data(), 1, T(0), vx.data, vx.step);
    });
}

// --- level 3 -----------------------------------------------------------------------------------

namespace {

bool bad_gemm(int ta, int tb, Size m, Size n, Size k, Size lda, Size ldb, Size ldc) {
    return bad_operation(ta) || bad_operation(tb) || m < 0 || n < 0 || k < 0
        || lda < std::max<Size>(1, ta ? k : m) || ldb < std::max<Size>(1, tb ? n : k)
        || ldc < std::max<Size>(1, m);
}

struct Product {
    int ta, tb;
    Size m, n, k, lda, ldb, ldc;
    Type in, out;  // A and B, C
    Compute compute;

    template <class Acc, class In, class Out>
    void run(Acc alpha, const void *a, const void *b, Acc beta, void *c) const {
        using dense::Rounding;
        Rounding rounding = Rounding::none;
        if (in == Type::r32f || in == Type::c32f) {
            if (compute == Compute::f32_fast_tf32) rounding = Rounding::tf32;
            if (compute == Compute::f32_fast_f16) rounding = Rounding::half;
            if (compute == Compute::f32_fast_bf16) rounding = Rounding::brain;
        }
        if (half_sums()) rounding = Rounding::half_sums;
        dense::gemm<Acc, In, In, Out>(
            m, n, k, alpha, view(ta, static_cast<const In *>(a), lda),
            view(tb, static_cast<const In *>(b), ldb), beta, static_cast<Out *>(c), ldc, rounding
        );
    }

    bool half_sums() const { return compute == Compute::f16 || compute == Compute::f16_pedantic; }

    // Calls run for the types at hand, or returns not_supported; with `dry` it only asks.
    int dispatch(
        const Scalar &alpha, const void *a, const void *b, const Scalar &beta, void *c, bool dry
    ) const {
        auto go = [&](auto acc, auto input, auto output) {
            using Acc = decltype(acc);
            if (dry) return success;
            Acc ka, kb;
            if constexpr (std::is_same<Acc, float>::value) {
                ka = half_sums() ? widen(alpha.get<Half>()) : alpha.get<float>();
                kb = half_sums() ? widen(beta.get<Half>()) : beta.get<float>();
            } else {
                ka = alpha.get<Acc>();
                kb = beta.get<Acc>();
            }
            run<Acc, decltype(input), decltype(output)>(ka, a, b, kb, c);
            return success;
        };
        auto is = [&](Type from, Type to) { return in == from && out == to; };
        switch (compute) {
            case Compute::f16: case Compute::f16_pedantic:
                if (is(Type::r16f, Type::r16f)) return go(float(), Half(), Half());
                break;
            case Compute::f32: case Compute::f32_pedantic:
                if (is(Type::r16f, Type::r16f)) return go(float(), Half(), Half());
                if (is(Type::r16f, Type::r32f)) return go(float(), Half(), float());
                if (is(Type::r16bf, Type::r16bf)) return go(float(), Brain(), Brain());
                if (is(Type::r16bf, Type::r32f)) return go(float(), Brain(), float());
                if (is(Type::r8i, Type::r32f)) return go(float(), int8_t(), float());
                [[fallthrough]];
            case Compute::f32_fast_f16: case Compute::f32_fast_bf16: case Compute::f32_fast_tf32:
                if (is(Type::r32f, Type::r32f)) return go(float(), float(), float());
                if (is(Type::c32f, Type::c32f)) return go(C32(), C32(), C32());
                break;
            case Compute::f64: case Compute::f64_pedantic:
                if (is(Type::r64f, Type::r64f)) return go(double(), double(), double());
                if (is(Type::c64f, Type::c64f)) return go(C64(), C64(), C64());
                break;
            case Compute::i32: case Compute::i32_pedantic:
                if (is(Type::r8i, Type::r32i)) return go(int32_t(), int8_t(), int32_t());
                break;
        }
        return not_supported;
    }

    Type scale() const {
        if (half_sums()) return Type::r16f;
        if (compute == Compute::i32 || compute == Compute::i32_pedantic) return Type::r32i;
        if (in == Type::c32f || in == Type::c64f || in == Type::r64f) return in;
        return Type::r32f;
    }

    int supported() const { return dispatch(Scalar(), nullptr, nullptr, Scalar(), nullptr, true); }
};

// The compute type that the plain routines take for a math mode.
Compute compute_of(const Handle *h, Type type) {
    if (type == Type::r64f || type == Type::c64f) return Compute::f64;
    if (type == Type::r16f) return Compute::f16;
    switch (h->math_mode & 15) {
        case 1: return Compute::f32_fast_f16;
        case 3: return Compute::f32_fast_tf32;
        default: return Compute::f32;
    }
}

template <class T>
const T *moved(const void *pointer, Size bytes) {
    return reinterpret_cast<const T *>(static_cast<const char *>(pointer) + bytes);
}

}  // namespace

int gemm_ex(
    Handle *h, int ta, int tb, Size m, Size n, Size k, const void *alpha, const void *a, Type type_a,
    Size lda, const void *b, Type type_b, Size ldb, const void *beta, void *c, Type type_c, Size ldc,
    Compute compute, Size stride_a, Size stride_b, Size stride_c, int count
) {
    SIMT_REQUIRE(
        !bad_gemm(ta, tb, m, n, k, lda, ldb, ldc) && alpha && beta && count >= 0
    );
    const Product product{ta, tb, m, n, k, lda, ldb, ldc, type_a, type_c, compute};
    if (type_a != type_b) return not_supported;
    if (int status = product.supported()) return status;
    if (m == 0 || n == 0) return success;
    enqueue(
        h->stream, "gemm",
        [=, ka = scalar(h, alpha, product.scale()), kb = scalar(h, beta, product.scale())] {
            for (int i = 0; i < count; ++i) {
                product.dispatch(
                    ka, moved<void>(a, i * stride_a * Size(size_of(type_a))),
                    moved<void>(b, i * stride_b * Size(size_of(type_b))), kb,
                    const_cast<void *>(moved<void>(c, i * stride_c * Size(size_of(type_c)))), false
                );
            }
        }
    );
    return success;
}

int gemm_batched_ex(
    Handle *h, int ta, int tb, Size m, Size n, Size k, const void *alpha, const void *const *a,
    Type type_a, Size lda, const void *const *b, Type type_b, Size ldb, const void *beta,
    void *const *c, Type type_c, Size ldc, int count, Compute compute
) {
    SIMT_REQUIRE(
        !bad_gemm(ta, tb, m, n, k, lda, ldb, ldc) && alpha && beta && count >= 0
    );
    const Product product{ta, tb, m, n, k, lda, ldb, ldc, type_a, type_c, compute};
    if (type_a != type_b) return not_supported;
    if (int status = product.supported()) return status;
    if (m == 0 || n == 0) return success;
    enqueue(
        h->stream, "gemmBatched",
        [=, ka = scalar(h, alpha, product.scale()), kb = scalar(h, beta, product.scale())] {
            for (int i = 0; i < count; ++i) product.dispatch(ka, a[i], b[i], kb, c[i], false);
        }
    );
    return success;
}

int gemm(
    Handle *h, Type type, int ta, int tb, Size m, Size n, Size k, const void *alpha, const void *a,
    Size lda, const void *b, Size ldb, const void *beta, void *c, Size ldc, Size stride_a,
    Size stride_b, Size stride_c, int count
) {
    if (!h) return not_initialized;
    return gemm_ex(
        h, ta, tb, m, n, k, alpha, a, type, lda, b, type, ldb, beta, c, type, ldc,
        compute_of(h, type), stride_a, stride_b, stride_c, count
    );
}

int gemm_batched(
    Handle *h, Type type, int ta, int tb, Size m, Size n, Size k, const void *alpha,
    const void *const *a, Size lda, const void *const *b, Size ldb, const void *beta,
    void *const *c, Size ldc, int count
) {
    if (!h) return not_initialized;
    return gemm_batched_ex(
        h, ta, tb, m, n, k, alpha, a, type, lda, b, type, ldb, beta, c, type, ldc, count,
        compute_of(h, type)
    );
}

int symm(
    Handle *h, Type type, bool hermitian, int side, int fill, Size m, Size n, const void *alpha,
    const void *a, Size lda, const void *b, Size ldb, const void *beta, void *c, Size ldc
) {
    const Size order = side == 0 ? m : n;
    SIMT_REQUIRE(
        !bad_flag(side) && !bad_flag(fill) && m >= 0 && n >= 0 && lda >= std::max<Size>(1, order)
        && ldb >= std::max<Size>(1, m) && ldc >= std::max<Size>(1, m) && alpha && beta
    );
    return queue(
        h, "symm", type, [=, ka = scalar(h, alpha, type), kb = scalar(h, beta, type)](auto t) {
            using T = decltype(t);
            const auto full = dense::unfold(
                fill == 1, hermitian ? dense::Fold::hermitian : dense::Fold::symmetric, order,
                static_cast<const T *>(a), lda
            );
            View<const T> left{full.data(), 1, order}, right{static_cast<const T *>(b), 1, ldb};
            if (side == 1) std::swap(left, right);
            dense::gemm<T, T, T, T>(
                m, n, order, ka.template get<T>(), left, right, kb.template get<T>(),
                static_cast<T *>(c), ldc
            );
        }
    );
}

int syrk(
    Handle *h, Type type, bool hermitian, Update update, int fill, int operation, Size n, Size k,
    const void *alpha, const void *a, Size lda, const void *b, Size ldb, const void *beta, void *c,
    Size ldc
) {
    const bool complex = type == Type::c32f || type == Type::c64f;
    const Size rows = operation == 0 ? n : k;
    SIMT_REQUIRE(
        !bad_flag(fill) && !bad_operation(operation) && n >= 0 && k >= 0
        && lda >= std::max<Size>(1, rows) && ldb >= std::max<Size>(1, rows)
        && ldc >= std::max<Size>(1, n) && alpha && beta
        // the Hermitian forms take N or C, the symmetric complex ones N or T
        && !(complex && operation == (hermitian ? 1 : 2))
    );
    const Type alpha_type = hermitian && update == Update::rank_k ? real_type(type) : type;
    const Type beta_type = hermitian ? real_type(type) : type;
    return queue(
        h, "syrk", type,
        [=, ka = scalar(h, alpha, alpha_type), kb = scalar(h, beta, beta_type)](auto t) {
            using T = decltype(t);
            auto read = [type](const Scalar &s, Type as) {
                return as == type ? s.template get<T>() : T(s.template get<Real<T>>());
            };
            const T by = read(ka, alpha_type), old = read(kb, beta_type);
            auto factor = [&](const void *matrix, Size ld, bool turned) {
                View<const T> v = view((operation != 0) != turned, static_cast<const T *>(matrix), ld);
                // A A^H: the turned factor; A^H A: the first one
                v.conjugated = hermitian && turned == (operation == 0);
                return v;
            };
            std::vector<T> sum(n * n);
            const void *other = update == Update::rank_k ? a : b;
            const Size other_ld = update == Update::rank_k ? lda : ldb;
            dense::gemm<T, T, T, T>(
                n, n, k, by, factor(a, lda, false), factor(other, other_ld, true), T(0), sum.data(),
                n
            );
            if (update == Update::rank_2k) {
                dense::gemm<T, T, T, T>(
                    n, n, k, hermitian ? conjugate(by) : by, factor(b, ldb, false),
                    factor(a, lda, true), T(1), sum.data(), n
                );
            }
            for (Size j = 0; j < n; ++j) {
                for (Size i = fill ? 0 : j; i < (fill ? j + 1 : n); ++i) {
                    T &out = static_cast<T *>(c)[i + j * ldc];
                    out = sum[i + j * n] + (old == T(0) ? T(0) : old * out);
                    if (hermitian && i == j) out = T(real_part(out));
                }
            }
        }
    );
}

int trmm(
    Handle *h, Type type, int side, int fill, int operation, int diagonal, Size m, Size n,
    const void *alpha, const void *a, Size lda, const void *b, Size ldb, void *c, Size ldc
) {
    const Size order = side == 0 ? m : n;
    SIMT_REQUIRE(
        !bad_flag(side) && !bad_flag(fill) && !bad_operation(operation) && !bad_flag(diagonal)
        && m >= 0 && n >= 0 && lda >= std::max<Size>(1, order) && ldb >= std::max<Size>(1, m)
        && ldc >= std::max<Size>(1, m) && alpha
    );
    return queue(h, "trmm", type, [=, ka = scalar(h, alpha, type)](auto t) {
        using T = decltype(t);
        const auto full = dense::unfold(
            fill == 1, diagonal ? dense::Fold::unit_triangular : dense::Fold::triangular, order,
            static_cast<const T *>(a), lda
        );
        // B may be C: the product is complete before C is written
        View<const T> left = view<const T>(operation, full.data(), order);
        View<const T> right{static_cast<const T *>(b), 1, ldb};
        if (side == 1) std::swap(left, right);
        dense::gemm<T, T, T, T>(
            m, n, order, ka.template get<T>(), left, right, T(0), static_cast<T *>(c), ldc
        );
    });
}

int trsm(
    Handle *h, Type type, int side, int fill, int operation, int diagonal, Size m, Size n,
    const void *alpha, const void *a, Size lda, void *b, Size ldb
) {
    SIMT_REQUIRE(
        !bad_flag(side) && !bad_flag(fill) && !bad_operation(operation) && !bad_flag(diagonal)
        && m >= 0 && n >= 0 && lda >= std::max<Size>(1, side == 0 ? m : n)
        && ldb >= std::max<Size>(1, m) && alpha
    );
    return queue(h, "trsm", type, [=, ka = scalar(h, alpha, type)](auto t) {
        using T = decltype(t);
        dense::trsm<T>(
            side == 0, fill == 1, operation, diagonal == 1, m, n, ka.template get<T>(),
            static_cast<const T *>(a), lda, static_cast<T *>(b), ldb
        );
    });
}

int trsm_batched(
    Handle *h, Type type, int side, int fill, int operation, int diagonal, Size m, Size n,
    const void *alpha, const void *const *a, Size lda, void *const *b, Size ldb, int count
) {
    SIMT_REQUIRE(
        !bad_flag(side) && !bad_flag(fill) && !bad_operation(operation) && !bad_flag(diagonal)
        && m >= 0 && n >= 0 && lda >= std::max<Size>(1, side == 0 ? m : n)
        && ldb >= std::max<Size>(1, m) && alpha && count >= 0
    );
    return queue(h, "trsmBatched", type, [=, ka = scalar(h, alpha, type)](auto t) {
        using T = decltype(t);
        for (int i = 0; i < count; ++i) {
            dense::trsm<T>(
                side == 0, fill == 1, operation, diagonal == 1, m, n, ka.template get<T>(),
                static_cast<const T *>(a[i]), lda, static_cast<T *>(b[i]), ldb
            );
        }
    });
}

int geam(
    Handle *h, Type type, int ta, int tb, Size m, Size n, const void *alpha, const void *a, Size lda,
    const void *beta, const void *b, Size ldb, void *c, Size ldc
) {
    // In place is allowed for an operand that is not turned and has C's leading dimension.
    SIMT_REQUIRE(
        !bad_operation(ta) && !bad_operation(tb) && m >= 0 && n >= 0 && alpha && beta
        && lda >= std::max<Size>(1, ta ? n : m) && ldb >= std::max<Size>(1, tb ? n : m)
        && ldc >= std::max<Size>(1, m) && !(a == c && (ta || lda != ldc))
        && !(b == c && (tb || ldb != ldc))
    );
    return queue(
        h, "geam", type, [=, ka = scalar(h, alpha, type), kb = scalar(h, beta, type)](auto t) {
            using T = decltype(t);
            const View<const T> left = view(ta, static_cast<const T *>(a), lda);
            const View<const T> right = view(tb, static_cast<const T *>(b), ldb);
            const T by = ka.template get<T>(), with = kb.template get<T>();
            auto term = [](T factor, const View<const T> &from, Size i, Size j) {
                if (factor == T(0)) return T(0);
                return factor * (from.conjugated ? conjugate(from.at(i, j)) : from.at(i, j));
            };
            for (Size j = 0; j < n; ++j) {
                for (Size i = 0; i < m; ++i) {
                    static_cast<T *>(c)[i + j * ldc] = term(by, left, i, j) + term(with, right, i, j);
                }
            }
        }
    );
}

int dgmm(
    Handle *h, Type type, int side, Size m, Size n, const void *a, Size lda, const void *x,
    Size incx, void *c, Size ldc
) {
    SIMT_REQUIRE(
        !bad_flag(side) && m >= 0 && n >= 0 && lda >= std::max<Size>(1, m)
        && ldc >= std::max<Size>(1, m)
    );
    return queue(h, "dgmm", type, [=](auto t) {
        using T = decltype(t);
        const Vector<T> vx(x, side == 0 ? m : n, incx);
        for (Size j = 0; j < n; ++j) {
            for (Size i = 0; i < m; ++i) {
                const T from = static_cast<const T *>(a)[i + j * lda];
                static_cast<T *>(c)[i + j * ldc] = from * vx[side == 0 ? i : j];
            }
        }
    });
}

// --- batched factorisations --------------------------------------------------------------------

int getrf_batched(
    Handle *h, Type type, Size n, void *const *a, Size lda, int *pivots, int *info, int count
) {
    SIMT_REQUIRE(n >= 0 && lda >= std::max<Size>(1, n) && count >= 0);
    return queue(h, "getrfBatched", type, [=](auto t) {
        using T = decltype(t);
        for (int i = 0; i < count; ++i) {
            info[i] = dense::getrf(n, n, static_cast<T *>(a[i]), lda, pivots ? pivots + i * n : nullptr);
        }
    });
}

int getri_batched(
    Handle *h, Type type, Size n, const void *const *a, Size lda, const int *pivots, void *const *c,
    Size ldc, int *info, int count
) {
    SIMT_REQUIRE(
        n >= 0 && lda >= std::max<Size>(1, n) && ldc >= std::max<Size>(1, n) && count >= 0
    );
    return queue(h, "getriBatched", type, [=](auto t) {
        using T = decltype(t);
        for (int i = 0; i < count; ++i) {
            const T *lu = static_cast<const T *>(a[i]);
            info[i] = 0;
            for (Size j = 0; j < n && !info[i]; ++j) {
                if (lu[j + j * lda] == T(0)) info[i] = int(j + 1);
            }
            if (info[i]) continue;
            T *out = static_cast<T *>(c[i]);
            for (Size j = 0; j < n; ++j) {
                for (Size r = 0; r < n; ++r) out[r + j * ldc] = T(r == j ? 1 : 0);
            }
            dense::getrs(0, n, n, lu, lda, pivots ? pivots + i * n : nullptr, out, ldc);
        }
    });
}

int getrs_batched(
    Handle *h, Type type, int operation, Size n, Size columns, const void *const *a, Size lda,
    const int *pivots, void *const *b, Size ldb, int *info, int count
) {
    if (!h) return not_initialized;
    if (!info) return invalid_value;
    // info lies on the host and names the argument that is wrong
    *info = bad_operation(operation)          ? -1
        : n < 0                               ? -2
        : columns < 0                         ? -3
        : lda < std::max<Size>(1, n)          ? -5
        : ldb < std::max<Size>(1, n)          ? -8
        : count < 0                           ? -10
                                              : 0;
    if (*info) return invalid_value;
    return queue(h, "getrsBatched", type, [=](auto t) {
        using T = decltype(t);
        for (int i = 0; i < count; ++i) {
            dense::getrs(
                operation, n, columns, static_cast<const T *>(a[i]), lda,
                pivots ? pivots + i * n : nullptr, static_cast<T *>(b[i]), ldb
            );
        }
    });
}

int matinv_batched(
    Handle *h, Type type, Size n, const void *const *a, Size lda, void *const *c, Size ldc,
    int *info, int count
) {
    SIMT_REQUIRE(
        n >= 0 && lda >= std::max<Size>(1, n) && ldc >= std::max<Size>(1, n) && count >= 0
    );
    if (n > 32) return invalid_value;  // the library's own limit
    return queue(h, "matinvBatched", type, [=](auto t) {
        using T = decltype(t);
        for (int i = 0; i < count; ++i) {
            std::vector<T> lu(n * n);
            std::vector<int> pivots(n);
            for (Size j = 0; j < n; ++j) {
                const T *from = static_cast<const T *>(a[i]) + j * lda;
                std::copy(from, from + n, &lu[j * n]);
            }
            info[i] = dense::getrf<T>(n, n, lu.data(), n, pivots.data());
            if (info[i]) continue;
            T *out = static_cast<T *>(c[i]);
            for (Size j = 0; j < n; ++j) {
                for (Size r = 0; r < n; ++r) out[r + j * ldc] = T(r == j ? 1 : 0);
            }
            dense::getrs<T>(0, n, n, lu.data(), n, pivots.data(), out, ldc);
        }
    });
}

// --- products with an epilogue -----------------------------------------------------------------

namespace {

Type accumulator(Compute compute, Type scale) {
    if (compute == Compute::i32 || compute == Compute::i32_pedantic) return Type::r32i;
    return scale == Type::r16f ? Type::r32f : scale;
}

template <class Acc>
Acc load_as(const void *base, Type type, int64_t at) {
    Acc value{};
    if constexpr (std::is_same<Acc, float>::value) {
        switch (type) {
            case Type::r16f: return widen(static_cast<const Half *>(base)[at]);
            case Type::r16bf: return widen(static_cast<const Brain *>(base)[at]);
            case Type::r8i: return static_cast<const int8_t *>(base)[at];
            case Type::r32i: return float(static_cast<const int32_t *>(base)[at]);
            default: return static_cast<const float *>(base)[at];
        }
    } else if constexpr (std::is_same<Acc, int32_t>::value) {
        if (type == Type::r8i) return static_cast<const int8_t *>(base)[at];
        return static_cast<const int32_t *>(base)[at];
    } else {
        std::memcpy(&value, static_cast<const Acc *>(base) + at, sizeof value);
    }
    return value;
}

template <class Acc>
void store_as(void *base, Type type, int64_t at, Acc value) {
    if constexpr (std::is_same<Acc, float>::value) {
        switch (type) {
            case Type::r16f: static_cast<Half *>(base)[at] = to_half(value); return;
            case Type::r16bf: static_cast<Brain *>(base)[at] = to_brain(value); return;
            default: static_cast<float *>(base)[at] = value; return;
        }
    } else {
        std::memcpy(static_cast<Acc *>(base) + at, &value, sizeof value);
    }
}

// The tanh form, as the library documents its GELU.
float gelu(float x) {
    return 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
}

float gelu_slope(float x) {
    const float inner = 0.7978845608f * (x + 0.044715f * x * x * x), t = std::tanh(inner);
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * x * x);
}

int64_t at(const Layout &layout, int64_t i, int64_t j, int64_t batch) {
    return batch * layout.stride + (layout.order ? i * layout.ld + j : i + j * layout.ld);
}

template <class Acc>
void lt_run(
    int ta, int tb, Compute compute, Acc alpha, const void *a, const Layout &la, const void *b,
    const Layout &lb, Acc beta, const void *c, const Layout &lc, void *d, const Layout &ld,
    const Epilogue &e
) {
    using dense::Rounding;
    const Size m = ld.rows, n = ld.columns, k = ta ? la.rows : la.columns;
    Rounding rounding = Rounding::none;
    if (la.type == Type::r32f || la.type == Type::c32f) {
        if (compute == Compute::f32_fast_tf32) rounding = Rounding::tf32;
        if (compute == Compute::f32_fast_f16) rounding = Rounding::half;
        if (compute == Compute::f32_fast_bf16) rounding = Rounding::brain;
    }
    if (compute == Compute::f16 || compute == Compute::f16_pedantic) rounding = Rounding::half_sums;
    auto fill = [](const void *from, const Layout &layout, int op, Size rows, Size columns, int batch) {
        std::vector<Acc> out(rows * columns);
        for (Size j = 0; j < columns; ++j) {
            for (Size i = 0; i < rows; ++i) {
                Acc value = load_as<Acc>(
                    from, layout.type, op ? at(layout, j, i, batch) : at(layout, i, j, batch)
                );
                out[i + j * rows] = op == 2 ? conjugate(value) : value;
            }
        }
        return out;
    };
    for (int batch = 0; batch < ld.count; ++batch) {
        const std::vector<Acc> left = fill(a, la, ta, m, k, batch), right = fill(b, lb, tb, k, n, batch);
        std::vector<Acc> sums(m * n);
        if (k > 0) {
            dense::multiply<Acc, Acc, Acc>(
                m, n, k, View<const Acc>{left.data(), 1, m}, View<const Acc>{right.data(), 1, k},
                sums.data(), rounding
            );
        }
        std::vector<Acc> gradient(m);
        for (Size j = 0; j < n; ++j) {
            for (Size i = 0; i < m; ++i) {
                Acc value = alpha * sums[i + j * m];
                if (beta != Acc(0)) value += beta * load_as<Acc>(c, lc.type, at(lc, i, j, batch));
                if constexpr (std::is_same<Acc, float>::value) {
                    const int64_t aux_at = batch * e.aux_stride + j * e.aux_ld + i;
                    auto *bits = static_cast<unsigned char *>(e.aux_pointer);
                    const bool gradient_kind =
                        (e.kind & Epilogue::drelu) == Epilogue::drelu
                        || (e.kind & Epilogue::dgelu) == Epilogue::dgelu;
                    if (e.kind & Epilogue::bias) {
                        value += load_as<float>(e.bias_pointer, e.bias_type, batch * e.bias_stride + i);
                    }
                    if ((e.kind & Epilogue::drelu) == Epilogue::drelu) {
                        // a mask bit an element
                        if (!(bits[aux_at / 8] >> (aux_at % 8) & 1)) value = 0;
                    } else if ((e.kind & Epilogue::dgelu) == Epilogue::dgelu) {
                        value *= gelu_slope(load_as<float>(e.aux_pointer, e.aux_type, aux_at));
                    } else if (e.kind & Epilogue::relu) {
                        const bool positive = value > 0;
                        if (e.kind & Epilogue::aux) {
                            const unsigned char mask = 1 << aux_at % 8;
                            bits[aux_at / 8] = positive ? bits[aux_at / 8] | mask
                                                        : bits[aux_at / 8] & ~mask;
                        }
                        if (value < 0) value = 0;
                    } else if (e.kind & Epilogue::gelu) {
                        if (e.kind & Epilogue::aux) {
                            store_as<float>(e.aux_pointer, e.aux_type, aux_at, value);
                        }
                        value = gelu(value);
                    }
                    if (gradient_kind) gradient[i] += value;
                }
                store_as<Acc>(d, ld.type, at(ld, i, j, batch), value);
            }
        }
        if constexpr (std::is_same<Acc, float>::value) {
            auto out = [&](Size i, float value) {
                store_as<float>(e.bias_pointer, e.bias_type, batch * e.bias_stride + i, value);
            };
            const bool sums_rows = (e.kind & Epilogue::bias_gradient) != 0;
            for (Size i = 0; sums_rows && i < m; ++i) out(i, gradient[i]);
            for (Size i = 0; (e.kind & Epilogue::bias_gradient_a) && i < m; ++i) {
                float sum = 0;
                for (Size p = 0; p < k; ++p) sum += left[i + p * m];
                out(i, sum);
            }
            for (Size j = 0; (e.kind & Epilogue::bias_gradient_b) && j < n; ++j) {
                float sum = 0;
                for (Size p = 0; p < k; ++p) sum += right[p + j * k];
                out(j, sum);
            }
        }
    }
}

}  // namespace

int lt_supported(
    const Layout &a, const Layout &b, const Layout &c, const Layout &d, int ta, int tb,
    Compute compute, Type scale, const Epilogue &e
) {
    if (bad_operation(ta) || bad_operation(tb)) return invalid_value;
    const uint64_t m = ta ? a.columns : a.rows, k = ta ? a.rows : a.columns;
    const uint64_t kb = tb ? b.columns : b.rows, n = tb ? b.rows : b.columns;
    if (k != kb || d.rows != m || d.columns != n || c.rows != m || c.columns != n) {
        return invalid_value;
    }
    for (const Layout *layout : {&a, &b, &c, &d}) {
        if (layout->order < 0 || layout->order > 1) return not_supported;
        const uint64_t least = layout->order ? layout->columns : layout->rows;
        if (layout->ld < 0 || uint64_t(layout->ld) < least) return invalid_value;
        if (layout->count != d.count) return invalid_value;
    }
    if (a.type != b.type || c.type != d.type) return not_supported;
    const Type acc = accumulator(compute, scale);
    Product product{0, 0, 0, 0, 0, 1, 1, 1, a.type, d.type, compute};
    if (int status = product.supported()) return status;
    if (scale != product.scale()) return not_supported;
    const bool plain = e.kind == Epilogue::none;
    const int known = Epilogue::relu | Epilogue::bias | Epilogue::gelu | Epilogue::aux | 8 | 64
        | Epilogue::bias_gradient | Epilogue::bias_gradient_a | Epilogue::bias_gradient_b;
    if (!plain && ((e.kind & ~known) || acc != Type::r32f || d.order)) return not_supported;
    const bool needs_bias = !plain && e.kind & (Epilogue::bias | Epilogue::bias_gradient
        | Epilogue::bias_gradient_a | Epilogue::bias_gradient_b);
    if (needs_bias && !e.bias_pointer) return invalid_value;
    if (!plain && e.kind & Epilogue::aux) {
        if (!e.aux_pointer || e.aux_ld < int64_t(m)) return invalid_value;
    }
    return success;
}

int lt_matmul(
    Stream stream, int ta, int tb, Compute compute, Type scale, bool device_scalars,
    const void *alpha, const void *a, const Layout &la, const void *b, const Layout &lb,
    const void *beta, const void *c, const Layout &lc, void *d, const Layout &ld, const Epilogue &e
) {
    if (!alpha || !beta) return invalid_value;
    if (int status = lt_supported(la, lb, lc, ld, ta, tb, compute, scale, e)) return status;
    const Scalar ka(alpha, size_of(scale), device_scalars), kb(beta, size_of(scale), device_scalars);
    enqueue(stream, "matmul", [=] {
        auto run = [&](auto acc, auto factor, auto old) {
            lt_run<decltype(acc)>(ta, tb, compute, factor, a, la, b, lb, old, c, lc, d, ld, e);
        };
        switch (accumulator(compute, scale)) {
            case Type::r64f: return run(double(), ka.get<double>(), kb.get<double>());
            case Type::c32f: return run(C32(), ka.get<C32>(), kb.get<C32>());
            case Type::c64f: return run(C64(), ka.get<C64>(), kb.get<C64>());
            case Type::r32i: return run(int32_t(), ka.get<int32_t>(), kb.get<int32_t>());
            default:
                if (scale == Type::r16f) {
                    return run(float(), widen(ka.get<Half>()), widen(kb.get<Half>()));
                }
                return run(float(), ka.get<float>(), kb.get<float>());
        }
    });
    return success;
}

}  // namespace simt::blas
