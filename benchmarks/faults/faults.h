// What the programs of this folder share: inputs, copies, digests, and a main that runs one case.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call) check((call), #call, __LINE__)

inline void check(cudaError_t error, const char *call, int line) {
    if (error == cudaSuccess) return;
    printf("line %d: %s: %s\n", line, call, cudaGetErrorString(error));
    exit(1);
}

// The inputs: the same numbers everywhere, without a pattern that could hide a mistake.
inline unsigned noise(unsigned i) {
    i = (i + 0x9e3779b9u) * 0x85ebca6bu;
    i = (i ^ (i >> 15)) * 0xc2b2ae35u;
    return i ^ (i >> 16);
}

inline int small(int i, int below = 10) { return static_cast<int>(noise(i) % below); }

// The same array on the host and on the device. Starts as zeros, or as f(0) f(1) ...
template <class T>
struct Buffer {
    int n;
    T *host;
    T *device = nullptr;

    template <class F>
    Buffer(int count, F f) : n(count), host(new T[count]()) {
        for (int i = 0; i < n; ++i) host[i] = f(i);
        CHECK(cudaMalloc(&device, n * sizeof(T)));
        CHECK(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());  // the copy may still run, and streams do not wait for it
    }
    explicit Buffer(int count) : Buffer(count, [](int) { return T(); }) {}
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() {
        cudaFree(device);
        delete[] host;
    }
    T &operator[](int i) { return host[i]; }
    void fetch() {
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost));
    }
};

// Prints a digest of the first n values and a few of them.
template <class T>
void show(const T *values, int n) {
    unsigned long long digest = 1469598103934665603ull;
    for (int i = 0; i < n; ++i) {
        unsigned char bytes[sizeof(T)];
        memcpy(bytes, &values[i], sizeof(T));
        for (unsigned char byte : bytes) digest = (digest ^ byte) * 1099511628211ull;
    }
    printf("%016llx", digest);
    const int places[] = {0, 1, n / 2, n - 1};
    for (int i : places) {
        if (i < n) printf(" %.9g", static_cast<double>(values[i]));
    }
    printf("\n");
}

// Compares the first n values with f(0) f(1) ..., to 1e-4 where they are floating point.
template <class T, class F>
bool agrees(const T *values, int n, F f) {
    show(values, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        const double want = static_cast<double>(f(i)), got = static_cast<double>(values[i]);
        const double slack = static_cast<T>(0.5) != 0 ? 1e-4 * (1 + fabs(want)) : 0;
        if (fabs(got - want) <= slack) continue;
        if (wrong++ < 3) printf("[%d] is %.9g, not %.9g\n", i, got, want);
    }
    return wrong == 0;
}

template <class T, class F>
bool agrees(Buffer<T> &buffer, F f) {
    buffer.fetch();
    return agrees(buffer.host, buffer.n, f);
}

struct Case {
    const char *name;
    bool (*run)();
};

template <int N>
int run_case(const Case (&cases)[N], int argc, char **argv) {
    for (const Case &one : cases) {
        if (argc < 2) {
            printf("%s\n", one.name);
        } else if (strcmp(argv[1], one.name) == 0) {
            const bool right = one.run();
            printf("%s: %s\n", one.name, right ? "right" : "wrong");
            return right ? 0 : 1;
        }
    }
    if (argc < 2) return 0;
    printf("no case of that name: %s\n", argv[1]);
    return 2;
}
