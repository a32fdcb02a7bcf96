// cuRAND's host interface. The streams are those of the device generators; how cuRAND spreads a
// stream over an output (its "ordering") is not documented in full, so numbers agree in
// distribution and from run to run, not one by one.
#include <cmath>
#include <memory>

#include "curand.h"
#include "simt/host.h"
#include "simt/random.h"

using namespace simt;

struct curandGenerator_st {
    curandRngType_t type = CURAND_RNG_PSEUDO_DEFAULT;
    bool host = false;
    unsigned long long seed = 0, offset = 0;
    cudaStream_t stream = nullptr;
};

namespace {

curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool host) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    if (type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_PHILOX4_32_10) {
        finding("library-missing", Site{"", 0}, "cuRAND generators other than XORWOW and Philox are not there");
        return CURAND_STATUS_TYPE_ERROR;
    }
    *generator = new curandGenerator_st;
    (*generator)->type = type;
    (*generator)->host = host;
    return CURAND_STATUS_SUCCESS;
}

template <class F>
void with_stream(const curandGenerator_st &it, F fill) {
    if (it.type == CURAND_RNG_PSEUDO_PHILOX4_32_10) {
        Philox state;
        state.start(it.seed, 0, it.offset);
        fill(state);
    } else {
        Xorwow state;
        state.start(it.seed, 0, it.offset);
        fill(state);
    }
}

// Queues the work that fills `count` numbers, `words` 32-bit words each, by `make(state, i)`.
template <class T, class F>
curandStatus_t generate(curandGenerator_t generator, T *output, size_t count, unsigned words, F make) {
    if (!generator || (!output && count)) return CURAND_STATUS_NOT_INITIALIZED;
    const curandGenerator_st it = *generator;
    generator->offset += count * words;
    auto work = [=] {
        with_stream(it, [&](auto &state) { make(state, output, count); });
        if (watcher) watcher->written(output, count * sizeof(T));
    };
    if (it.host) work();
    else enqueue(it.stream, "cuRAND", work);
    return CURAND_STATUS_SUCCESS;
}

template <class State>
double double_of(State &state) {
    const unsigned x = state.next();
    return uniform_double_of(x, state.next());
}

}  // namespace

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) { return create(generator, type, false); }
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) { return create(generator, type, true); }

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    delete generator;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    generator->seed = seed;
    generator->offset = 0;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    generator->offset = offset;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    return order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_LEGACY ? CURAND_STATUS_SUCCESS
                                                                                          : CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned *output, size_t count) {
    return generate(generator, output, count, 1, [](auto &state, unsigned *out, size_t n) {
        for (size_t i = 0; i < n; i++) out[i] = state.next();
    });
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *output, size_t count) {
    return generate(generator, output, count, 1, [](auto &state, float *out, size_t n) {
        for (size_t i = 0; i < n; i++) out[i] = uniform_of(state.next());
    });
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *output, size_t count) {
    return generate(generator, output, count, 2, [](auto &state, double *out, size_t n) {
        for (size_t i = 0; i < n; i++) out[i] = double_of(state);
    });
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *output, size_t count, float mean, float deviation) {
    if (count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return generate(generator, output, count, 1, [=](auto &state, float *out, size_t n) {
        for (size_t i = 0; i < n; i += 2) {
            const unsigned x = state.next();
            normal_of(x, state.next(), out[i], out[i + 1]);
            out[i] = mean + deviation * out[i];
            out[i + 1] = mean + deviation * out[i + 1];
        }
    });
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *output, size_t count, float mean, float deviation) {
    if (count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return generate(generator, output, count, 1, [=](auto &state, float *out, size_t n) {
        for (size_t i = 0; i < n; i += 2) {
            const unsigned x = state.next();
            normal_of(x, state.next(), out[i], out[i + 1]);
            out[i] = std::exp(mean + deviation * out[i]);
            out[i + 1] = std::exp(mean + deviation * out[i + 1]);
        }
    });
}

curandStatus_t curandGenerateNormalDouble(
    curandGenerator_t generator, double *output, size_t count, double mean, double deviation
) {
    if (count % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return generate(generator, output, count, 2, [=](auto &state, double *out, size_t n) {
        for (size_t i = 0; i < n; i += 2) {
            const double radius = std::sqrt(-2 * std::log(double_of(state)));
            const double angle = 6.283185307179586476925 * double_of(state);
            out[i] = mean + deviation * radius * std::sin(angle);
            out[i + 1] = mean + deviation * radius * std::cos(angle);
        }
    });
}
