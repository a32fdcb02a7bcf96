// What AddressSanitizer has to be told about our memory; nothing in a build without it.
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

}  // namespace simt
