// Atomic functions of device code. One OS thread runs all GPU threads, so any of them would do as a
// plain operation; they are atomics so that a checked build can tell them from plain accesses.
// Scopes do not differ: what holds for the system holds for a block.
#pragma once
#define __DEVICE_ATOMIC_FUNCTIONS_H__

#include <type_traits>

#include "simt/bits.h"
#include "simt/engine.h"
#include "vector_types.h"

namespace simt {

// old -> operation(old, value), in one step.
template <class T, class Operation>
inline T exchange_by(T *address, Operation operation, Site site) {
    using Bits = std::conditional_t<
        sizeof(T) == 8, unsigned long long,
        std::conditional_t<sizeof(T) == 4, unsigned, std::conditional_t<sizeof(T) == 2, unsigned short, unsigned char>>>;
    poll(site);
    auto *place = reinterpret_cast<Bits *>(address);
    Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
    Bits next;
    do {
        next = bit_cast<Bits>(T(operation(bit_cast<T>(old))));
    } while (!__atomic_compare_exchange_n(place, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return bit_cast<T>(old);
}

}  // namespace simt

#define SIMT_HERE simt::Site site = simt::Site::here()
#define SIMT_ATOMIC(scope, T, name, builtin) \
    inline T name##scope(T *address, T value, SIMT_HERE) { \
        simt::poll(site); \
        return builtin(address, value, __ATOMIC_RELAXED); \
    }
#define SIMT_ATOMIC_BY(scope, T, name, expression) \
    inline T name##scope(T *address, T value, SIMT_HERE) { \
        return simt::exchange_by(address, [=](T old) { return expression; }, site); \
    }
#define SIMT_ATOMIC_CAS(scope, T) \
    inline T atomicCAS##scope(T *address, T compare, T value, SIMT_HERE) { \
        simt::poll(site); \
        __atomic_compare_exchange_n( \
            address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED \
        ); \
        return compare; \
    }

#define SIMT_ATOMICS(scope) \
    SIMT_ATOMIC(scope, int, atomicAdd, __atomic_fetch_add) \
    SIMT_ATOMIC(scope, unsigned int, atomicAdd, __atomic_fetch_add) \
    SIMT_ATOMIC(scope, unsigned long long int, atomicAdd, __atomic_fetch_add) \
    SIMT_ATOMIC_BY(scope, float, atomicAdd, old + value) \
    SIMT_ATOMIC_BY(scope, double, atomicAdd, old + value) \
    SIMT_ATOMIC(scope, int, atomicSub, __atomic_fetch_sub) \
    SIMT_ATOMIC(scope, unsigned int, atomicSub, __atomic_fetch_sub) \
    SIMT_ATOMIC(scope, int, atomicExch, __atomic_exchange_n) \
    SIMT_ATOMIC(scope, unsigned int, atomicExch, __atomic_exchange_n) \
    SIMT_ATOMIC(scope, unsigned long long int, atomicExch, __atomic_exchange_n) \
    SIMT_ATOMIC_BY(scope, float, atomicExch, value) \
    SIMT_ATOMIC_BY(scope, int, atomicMin, value < old ? value : old) \
    SIMT_ATOMIC_BY(scope, unsigned int, atomicMin, value < old ? value : old) \
    SIMT_ATOMIC_BY(scope, long long int, atomicMin, value < old ? value : old) \
    SIMT_ATOMIC_BY(scope, unsigned long long int, atomicMin, value < old ? value : old) \
    SIMT_ATOMIC_BY(scope, int, atomicMax, old < value ? value : old) \
    SIMT_ATOMIC_BY(scope, unsigned int, atomicMax, old < value ? value : old) \
    SIMT_ATOMIC_BY(scope, long long int, atomicMax, old < value ? value : old) \
    SIMT_ATOMIC_BY(scope, unsigned long long int, atomicMax, old < value ? value : old) \
    SIMT_ATOMIC(scope, int, atomicAnd, __atomic_fetch_and) \
    SIMT_ATOMIC(scope, unsigned int, atomicAnd, __atomic_fetch_and) \
    SIMT_ATOMIC(scope, unsigned long long int, atomicAnd, __atomic_fetch_and) \
    SIMT_ATOMIC(scope, int, atomicOr, __atomic_fetch_or) \
    SIMT_ATOMIC(scope, unsigned int, atomicOr, __atomic_fetch_or) \
    SIMT_ATOMIC(scope, unsigned long long int, atomicOr, __atomic_fetch_or) \
    SIMT_ATOMIC(scope, int, atomicXor, __atomic_fetch_xor) \
    SIMT_ATOMIC(scope, unsigned int, atomicXor, __atomic_fetch_xor) \
    SIMT_ATOMIC(scope, unsigned long long int, atomicXor, __atomic_fetch_xor) \
    SIMT_ATOMIC_BY(scope, unsigned int, atomicInc, old >= value ? 0 : old + 1) \
    SIMT_ATOMIC_BY(scope, unsigned int, atomicDec, old == 0 || old > value ? value : old - 1) \
    SIMT_ATOMIC_CAS(scope, int) \
    SIMT_ATOMIC_CAS(scope, unsigned int) \
    SIMT_ATOMIC_CAS(scope, unsigned long long int) \
    SIMT_ATOMIC_CAS(scope, unsigned short int)

SIMT_ATOMICS()
SIMT_ATOMICS(_block)
SIMT_ATOMICS(_system)

#undef SIMT_ATOMIC
#undef SIMT_ATOMIC_BY
#undef SIMT_ATOMIC_CAS
#undef SIMT_ATOMICS

// Component by component, as documented: the whole is not one step.
inline float2 atomicAdd(float2 *address, float2 value, SIMT_HERE) {
    return float2{atomicAdd(&address->x, value.x, site), atomicAdd(&address->y, value.y, site)};
}
inline float4 atomicAdd(float4 *address, float4 value, SIMT_HERE) {
    return float4{
        atomicAdd(&address->x, value.x, site), atomicAdd(&address->y, value.y, site),
        atomicAdd(&address->z, value.z, site), atomicAdd(&address->w, value.w, site)};
}
