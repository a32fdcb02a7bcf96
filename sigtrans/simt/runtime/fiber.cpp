#include "simt/fiber.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#include "simt/sanitizers.h"

#ifndef SIMT_UCONTEXT
extern "C" void simt_switch(void **save, void *load);

// Saves what a function has to keep, stores the stack pointer, loads the other one, restores.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl simt_switch
    .type simt_switch, @function
simt_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size simt_switch, .-simt_switch
    .section .note.GNU-stack, "", @progbits
    .text
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl simt_switch
    .type simt_switch, %function
simt_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size simt_switch, .-simt_switch
    .section .note.GNU-stack, "", %progbits
    .text
)");
#endif
#endif

namespace simt {

Fiber *make_fiber(size_t size) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size = (size + page - 1) / page * page;
    void *memory = mmap(
        nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0
    );
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, page, PROT_NONE);
    auto *fiber = new Fiber;
    fiber->stack = static_cast<char *>(memory) + page;
    fiber->size = size;
    return fiber;
}

void prepare_fiber(Fiber &fiber, void (*entry)()) {
    unpoison(fiber.stack, fiber.size);  // an abandoned stack keeps the marks of its frames
#ifdef SIMT_UCONTEXT
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack;
    fiber.context.uc_stack.ss_size = fiber.size;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, entry, 0);
#else
    auto **top = reinterpret_cast<void **>(fiber.stack + fiber.size);
#if defined(__x86_64__)
    *--top = nullptr;  // where entry() would return to; leaves the stack 8 off 16, as after a call
    *--top = reinterpret_cast<void *>(entry);
    for (int i = 0; i < 6; i++) *--top = nullptr;
#else
    top -= 20;
    for (int i = 0; i < 20; i++) top[i] = nullptr;
    top[11] = reinterpret_cast<void *>(entry);  // x30, the link register
#endif
    fiber.top = top;
#endif
}

void adopt_thread(Fiber &fiber) {
    pthread_attr_t attributes;
    void *stack = nullptr;
    size_t size = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &stack, &size);
    pthread_attr_destroy(&attributes);
    fiber.stack = static_cast<char *>(stack);
    fiber.size = size;
}

void switch_fiber(Fiber &from, Fiber &to) {
#ifdef SIMT_ASAN
    __sanitizer_start_switch_fiber(&from.asan, to.stack, to.size);
#endif
#ifdef SIMT_UCONTEXT
    swapcontext(&from.context, &to.context);
#else
    simt_switch(&from.top, to.top);
#endif
#ifdef SIMT_ASAN
    __sanitizer_finish_switch_fiber(from.asan, nullptr, nullptr);
#endif
}

void fiber_started() {
#ifdef SIMT_ASAN
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

}  // namespace simt
