// What the host interfaces of both vendors stand on: launches, streams, memory, errors. Neutral
// names and plain types; the vendor headers are thin over this, and libraries use it directly.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "engine.h"
#include "watch.h"

namespace simt {

// Streams and events are opaque here: cudaStream_t is a pointer to a vendor-named empty struct.
using Stream = void *;

// Queues work on a stream: it runs at once or as late as the rules allow (config().streams).
// `what` names it in reports. Work may use on_device() == false APIs only. A stream that records a
// graph keeps the work as a node, which may run more than once.
void enqueue(Stream stream, const char *what, std::function<void()> work);

// Runs everything that was queued on the stream (and what it waits for).
void drain(Stream stream);
void drain_all();

struct LaunchConfig {
    dim3 grid, block;
    size_t shared = 0;
    Stream stream = nullptr;
    bool cooperative = false;
    dim3 cluster = dim3(1, 1, 1);
};

// What each thread of a grid runs: run(held.get()). No std::function, whose own code would be
// compiled into the program and be taken for it by a checked build.
struct Body {
    void (*run)(void *) = nullptr;
    std::shared_ptr<void> held;
    void operator()() const { run(held.get()); }
};

// Checks a launch against the limits of the device, sets the error if it cannot be, else queues
// it. `kernel` is the address of the kernel's function where it has one, else null. Returns the
// vendor's error code (0: accepted).
int launch(
    const LaunchConfig &config, const void *kernel, const char *name, Body body, Site site
);

// A body that applies `kernel` to arguments: each GPU thread changes a copy of its own only.
template <class Kernel, class... Arguments>
Body make_body(Kernel kernel, std::tuple<Arguments...> arguments) {
    using Held = std::pair<Kernel, std::tuple<Arguments...>>;
    auto *held = new Held(std::move(kernel), std::move(arguments));
    if (watcher) watcher->allocated(held, sizeof(Held), Memory::parameters, true);
    Body body;
    body.held = std::shared_ptr<void>(held, [](void *it) {
        if (watcher) watcher->freed(it);
        delete static_cast<Held *>(it);
    });
    body.run = [](void *it) {
        auto mine = *static_cast<Held *>(it);
        std::apply(mine.first, mine.second);
    };
    return body;
}

// --- kernels by address --------------------------------------------------------------------------

// Makes a body from the addresses of a kernel's arguments, as cudaLaunchKernel gets them.
using Bind = Body (*)(const void *kernel, void *const *arguments);
void register_kernel(const void *kernel, Bind bind, const size_t *sizes, size_t count);

template <class... P, size_t... I>
Body bind_arguments(void (*kernel)(P...), void *const *arguments, std::index_sequence<I...>) {
    (void)arguments;
    return make_body(kernel, std::tuple<P...>(*static_cast<P *>(arguments[I])...));
}

template <class... P>
Body bind_kernel(const void *kernel, void *const *arguments) {
    auto function = reinterpret_cast<void (*)(P...)>(const_cast<void *>(kernel));
    return bind_arguments(function, arguments, std::index_sequence_for<P...>());
}

// A kernel whose address goes where its type is lost, such as `(void *)kernel`, is written
// `(void *)simt::registered(kernel)`: the same function, known from then on by its address.
template <class... P>
auto registered(void (&kernel)(P...)) -> void (&)(P...) {
    static const size_t sizes[] = {sizeof(P)..., 0};
    register_kernel(reinterpret_cast<const void *>(&kernel), bind_kernel<P...>, sizes, sizeof...(P));
    return kernel;
}

// --- variables -----------------------------------------------------------------------------------

// A __device__, __constant__ or __managed__ variable: known as device memory from then on.
enum class Space : unsigned char { device, constant, managed };
bool declare_variable(const void *address, size_t size, const char *name, Space space);

}  // namespace simt
