// What AddressSanitizer and ThreadSanitizer have to be told about fibers and our own memory. Each
// call is nothing in a build without them. ThreadSanitizer is on when SIMT_TSAN is defined: the
// runtime itself is built without -fsanitize=thread, so that its own accesses do not count.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif

#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#ifdef SIMT_TSAN
extern "C" {
void *__tsan_create_fiber(unsigned flags);
void *__tsan_get_current_fiber();
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void AnnotateNewMemory(const char *file, int line, const volatile void *memory, size_t size);
}
#endif

namespace simt {

inline void poison([[maybe_unused]] const void *memory, [[maybe_unused]] size_t size) {
#ifdef SIMT_ASAN
    __asan_poison_memory_region(memory, size);
#endif
}

inline void unpoison([[maybe_unused]] const void *memory, [[maybe_unused]] size_t size) {
#ifdef SIMT_ASAN
    __asan_unpoison_memory_region(memory, size);
#endif
}

// Memory whose earlier accesses are of no concern any more: a new block's shared memory, a stack.
inline void renew([[maybe_unused]] void *memory, [[maybe_unused]] size_t size) {
#ifdef SIMT_TSAN
    AnnotateNewMemory("", 0, memory, size);
#endif
}

// What happened before release(x) in one thread is known to another after acquire(x).
inline void release([[maybe_unused]] void *object) {
#ifdef SIMT_TSAN
    __tsan_release(object);
#endif
}

inline void acquire([[maybe_unused]] void *object) {
#ifdef SIMT_TSAN
    __tsan_acquire(object);
#endif
}

}  // namespace simt
