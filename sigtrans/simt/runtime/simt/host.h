// What the host interfaces of both vendors stand on: launches, streams, memory, errors. Neutral
// names and plain types; the vendor headers are thin over this, and libraries use it directly.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "engine.h"

namespace simt {

// Streams and events are opaque here: cudaStream_t is a pointer to a vendor-named empty struct.
using Stream = void *;

// Queues work on a stream: it runs at once or as late as the rules allow (config().streams).
// `what` names it in reports. Work may use on_device() == false APIs only.
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

}  // namespace simt
