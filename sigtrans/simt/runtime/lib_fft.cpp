// Fourier transforms: powers of two by halves, other sizes as a convolution (Bluestein); always in
// double precision inside, so that single precision results are rounded once.
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <vector>

#include "cufft.h"
#include "simt/host.h"

using namespace simt;

namespace {

using Complex = std::complex<double>;
constexpr double pi = 3.14159265358979323846;

void by_halves(std::vector<Complex> &a, bool inverse) {
    const size_t n = a.size();
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(a[i], a[j]);
    }
    for (size_t length = 2; length <= n; length <<= 1) {
        std::vector<Complex> turn(length / 2);
        for (size_t k = 0; k < length / 2; k++) {
            turn[k] = std::polar(1.0, (inverse ? 2 : -2) * pi * double(k) / double(length));
        }
        for (size_t i = 0; i < n; i += length) {
            for (size_t k = 0; k < length / 2; k++) {
                const Complex u = a[i + k], v = a[i + k + length / 2] * turn[k];
                a[i + k] = u + v;
                a[i + k + length / 2] = u - v;
            }
        }
    }
}

void transform(std::vector<Complex> &a, bool inverse) {
    const size_t n = a.size();
    if (n < 2) return;
    if ((n & (n - 1)) == 0) {
        by_halves(a, inverse);
        return;
    }
    size_t m = 1;
    while (m < 2 * n) m <<= 1;
    std::vector<Complex> chirp(n), x(m), y(m);
    for (size_t k = 0; k < n; k++) {
        const size_t square = k * k % (2 * n);
        chirp[k] = std::polar(1.0, (inverse ? 1 : -1) * pi * double(square) / double(n));
    }
    for (size_t k = 0; k < n; k++) x[k] = a[k] * chirp[k];
    y[0] = std::conj(chirp[0]);
    for (size_t k = 1; k < n; k++) y[k] = y[m - k] = std::conj(chirp[k]);
    by_halves(x, false);
    by_halves(y, false);
    for (size_t k = 0; k < m; k++) x[k] *= y[k];
    by_halves(x, true);
    for (size_t k = 0; k < n; k++) a[k] = x[k] / double(m) * chirp[k];
}

struct Plan {
    std::vector<int> n;  // slowest first
    cufftType type = CUFFT_C2C;
    int batch = 1;
    std::vector<int> in_embed, out_embed;  // empty: as packed
    int in_stride = 1, in_distance = 0, out_stride = 1, out_distance = 0;
    cudaStream_t stream = nullptr;
    bool made = false;
};

std::map<int, Plan> &plans() {
    static auto *it = new std::map<int, Plan>;
    return *it;
}

Plan *plan_of(cufftHandle handle) {
    const auto found = plans().find(handle);
    return found == plans().end() ? nullptr : &found->second;
}

void along_each(std::vector<Complex> &data, const std::vector<int> &n, bool inverse) {
    size_t stride = 1;
    for (size_t d = n.size(); d-- > 0;) {
        const auto length = static_cast<size_t>(n[d]);
        std::vector<Complex> line(length);
        for (size_t start = 0; start < data.size(); start++) {
            if (start / stride % length) continue;
            for (size_t k = 0; k < length; k++) line[k] = data[start + k * stride];
            transform(line, inverse);
            for (size_t k = 0; k < length; k++) data[start + k * stride] = line[k];
        }
        stride *= length;
    }
}

// Where element `index` (of the logical shape `n`) lies in a layout with `embed` rows.
size_t place(size_t index, const std::vector<int> &n, const std::vector<int> &embed, int stride) {
    size_t at = 0, unit = 1;
    for (size_t d = n.size(); d-- > 0;) {
        at += index % size_t(n[d]) * unit;
        index /= size_t(n[d]);
        unit *= size_t(embed[d]);
    }
    return at * size_t(stride);
}

size_t product(const std::vector<int> &n) {
    size_t all = 1;
    for (const int it : n) all *= size_t(it);
    return all;
}

// `In` and `Out` are real or complex; half of a real signal's spectrum is stored.
template <class R>
void execute(const Plan &plan, const R *in, R *out, bool inverse, bool real_in, bool real_out) {
    std::vector<int> half = plan.n;
    half.back() = half.back() / 2 + 1;
    const std::vector<int> &in_shape = real_out ? half : plan.n, &out_shape = real_in ? half : plan.n;
    std::vector<int> in_embed = plan.in_embed.empty() ? in_shape : plan.in_embed;
    std::vector<int> out_embed = plan.out_embed.empty() ? out_shape : plan.out_embed;
    // In place, real rows are padded to the size of their spectrum.
    if (plan.in_embed.empty() && static_cast<const void *>(in) == static_cast<const void *>(out)) {
        if (real_in) in_embed.back() = 2 * half.back();
        if (real_out) out_embed.back() = 2 * half.back();
    }
    const size_t in_distance = plan.in_distance ? size_t(plan.in_distance) : product(in_embed);
    const size_t out_distance = plan.out_distance ? size_t(plan.out_distance) : product(out_embed);
    const size_t size = product(plan.n);
    std::vector<std::vector<Complex>> results;
    for (int b = 0; b < plan.batch; b++) {
        std::vector<Complex> data(size);
        const size_t base = size_t(b) * in_distance;
        if (real_in) {
            for (size_t i = 0; i < size; i++) data[i] = double(in[base + place(i, plan.n, in_embed, plan.in_stride)]);
        } else if (!real_out) {
            for (size_t i = 0; i < size; i++) {
                const R *at = in + 2 * (base + place(i, plan.n, in_embed, plan.in_stride));
                data[i] = Complex(double(at[0]), double(at[1]));
            }
        } else {
            // The missing half is the mirrored conjugate.
            for (size_t i = 0; i < size; i++) {
                size_t rest = i, mirrored = 0, direct = 0, unit = 1, unit_half = 1;
                bool flip = size_t(plan.n.back()) - rest % size_t(plan.n.back()) < size_t(half.back()) &&
                            rest % size_t(plan.n.back()) >= size_t(half.back());
                for (size_t d = plan.n.size(); d-- > 0;) {
                    const auto length = size_t(plan.n[d]);
                    const size_t k = rest % length;
                    rest /= length;
                    mirrored += (length - k) % length * unit_half;
                    direct += k * unit_half;
                    unit_half *= size_t(half[d]);
                    unit *= length;
                }
                const R *at = in + 2 * (base + place(flip ? mirrored : direct, half, in_embed, plan.in_stride));
                data[i] = flip ? Complex(double(at[0]), -double(at[1])) : Complex(double(at[0]), double(at[1]));
            }
        }
        along_each(data, plan.n, inverse);
        results.push_back(std::move(data));
    }
    for (int b = 0; b < plan.batch; b++) {
        const std::vector<Complex> &data = results[size_t(b)];
        const size_t base = size_t(b) * out_distance;
        if (real_out) {
            for (size_t i = 0; i < size; i++) out[base + place(i, plan.n, out_embed, plan.out_stride)] = R(data[i].real());
            continue;
        }
        const size_t count = product(out_shape);
        for (size_t i = 0; i < count; i++) {
            size_t from = i;
            if (real_in) from = i / size_t(half.back()) * size_t(plan.n.back()) + i % size_t(half.back());
            R *at = out + 2 * (base + place(i, out_shape, out_embed, plan.out_stride));
            at[0] = R(data[from].real());
            at[1] = R(data[from].imag());
            if (watcher) watcher->written(at, 2 * sizeof(R));
        }
    }
    if (watcher && real_out) watcher->written(out, product(out_embed) * size_t(plan.batch) * sizeof(R));
}

template <class R>
cufftResult queue_it(cufftHandle handle, cufftType type, const void *in, void *out, bool inverse) {
    Plan *plan = plan_of(handle);
    if (!plan || !plan->made) return CUFFT_INVALID_PLAN;
    if (!in || !out) return CUFFT_INVALID_VALUE;
    if (plan->type != type) return CUFFT_INVALID_PLAN;
    const bool real_in = type == CUFFT_R2C || type == CUFFT_D2Z, real_out = type == CUFFT_C2R || type == CUFFT_Z2D;
    enqueue(plan->stream, "cuFFT", [=, copy = *plan] {
        execute(copy, static_cast<const R *>(in), static_cast<R *>(out), inverse, real_in, real_out);
    });
    return CUFFT_SUCCESS;
}

cufftResult make(cufftHandle handle, std::vector<int> n, cufftType type, int batch, size_t *work) {
    Plan *plan = plan_of(handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    for (const int it : n) {
        if (it < 1) return CUFFT_INVALID_SIZE;
    }
    if (batch < 1) return CUFFT_INVALID_SIZE;
    plan->n = std::move(n);
    plan->type = type;
    plan->batch = batch;
    plan->made = true;
    if (work) *work = 0;
    return CUFFT_SUCCESS;
}

}  // namespace

cufftResult cufftCreate(cufftHandle *plan) {
    static int next = 0;
    if (!plan) return CUFFT_INVALID_VALUE;
    *plan = ++next;
    plans()[*plan] = Plan();
    return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle plan) { return plans().erase(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch) {
    const cufftResult made = cufftCreate(plan);
    return made == CUFFT_SUCCESS ? make(*plan, {nx}, type, batch, nullptr) : made;
}

cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type) {
    const cufftResult made = cufftCreate(plan);
    return made == CUFFT_SUCCESS ? make(*plan, {nx, ny}, type, 1, nullptr) : made;
}

cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type) {
    const cufftResult made = cufftCreate(plan);
    return made == CUFFT_SUCCESS ? make(*plan, {nx, ny, nz}, type, 1, nullptr) : made;
}

cufftResult cufftMakePlanMany(
    cufftHandle handle, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist,
    cufftType type, int batch, size_t *work
) {
    if (rank < 1 || rank > 3 || !n) return CUFFT_INVALID_VALUE;
    const cufftResult made = make(handle, std::vector<int>(n, n + rank), type, batch, work);
    if (made != CUFFT_SUCCESS) return made;
    Plan &plan = *plan_of(handle);
    if (inembed && onembed) {  // without them, strides and distances do not count
        plan.in_embed.assign(inembed, inembed + rank);
        plan.out_embed.assign(onembed, onembed + rank);
        plan.in_stride = istride;
        plan.in_distance = idist;
        plan.out_stride = ostride;
        plan.out_distance = odist;
    }
    return CUFFT_SUCCESS;
}

cufftResult cufftPlanMany(
    cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist,
    cufftType type, int batch
) {
    const cufftResult made = cufftCreate(plan);
    if (made != CUFFT_SUCCESS) return made;
    return cufftMakePlanMany(*plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, nullptr);
}

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *work) { return make(plan, {nx}, type, batch, work); }
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *work) { return make(plan, {nx, ny}, type, 1, work); }
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *work) {
    return make(plan, {nx, ny, nz}, type, 1, work);
}

cufftResult cufftGetSize(cufftHandle plan, size_t *work) {
    if (!plan_of(plan) || !work) return CUFFT_INVALID_PLAN;
    *work = 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
    Plan *plan = plan_of(handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    plan->stream = stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction) {
    return queue_it<float>(plan, CUFFT_C2C, in, out, direction == CUFFT_INVERSE);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out) { return queue_it<float>(plan, CUFFT_R2C, in, out, false); }
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out) { return queue_it<float>(plan, CUFFT_C2R, in, out, true); }
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction) {
    return queue_it<double>(plan, CUFFT_Z2Z, in, out, direction == CUFFT_INVERSE);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out) { return queue_it<double>(plan, CUFFT_D2Z, in, out, false); }
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out) { return queue_it<double>(plan, CUFFT_Z2D, in, out, true); }
