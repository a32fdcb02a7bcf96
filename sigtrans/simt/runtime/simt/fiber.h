// Fibers: a stack and a saved stack pointer. x86-64 and aarch64 switch with a dozen instructions,
// since the system call in swapcontext makes it forty times dearer; others use it.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(SIMT_UCONTEXT)
#define SIMT_UCONTEXT 1
#endif
#ifdef SIMT_UCONTEXT
#include <ucontext.h>
#endif

namespace simt {

struct Fiber {
    void *top = nullptr;     // saved stack pointer while not running
    char *stack = nullptr;   // lowest usable byte; null for the OS thread's own stack
    size_t size = 0;
    void *asan = nullptr;
#ifdef SIMT_UCONTEXT
    ucontext_t context;
#endif
};

// A fiber with a stack of `size` bytes and a guard page below it. Throws std::bad_alloc.
Fiber *make_fiber(size_t size);

// The next switch_fiber() to it starts entry() on its empty stack. entry() never returns.
void prepare_fiber(Fiber &fiber, void (*entry)());

// Describes the OS thread that calls, so that fibers can switch back to it.
void adopt_thread(Fiber &fiber);

// Runs `to` until somebody switches back to `from`.
void switch_fiber(Fiber &from, Fiber &to);

// What a fiber does first when it was started by a switch.
void fiber_started();

}  // namespace simt
