// Operations of a warp's lanes that the device headers share, on top of engine.h.
#pragma once

#include "engine.h"

namespace simt {

// The values of all lanes of `mask`, folded in the order of the lanes.
template <class T, class Operation>
inline T fold_lanes(mask_t mask, T value, Operation operation, const char *what, Site site) {
    struct Slot {
        T value;
        Operation *operation;
    } slot{value, &operation};
    collective(
        mask, &slot,
        [](const Gather &all, void *) {
            Slot *first = nullptr;
            T result{};
            for (int n = 0; n < all.width; ++n) {
                if (!(all.lanes >> n & 1)) continue;
                Slot *one = static_cast<Slot *>(all.slot[n]);
                result = first ? (*one->operation)(result, one->value) : one->value;
                if (!first) first = one;
            }
            for (int n = 0; n < all.width; ++n) {
                if (all.lanes >> n & 1) static_cast<Slot *>(all.slot[n])->value = result;
            }
        },
        nullptr, what, site
    );
    return slot.value;
}

// Have all lanes of `mask` the same bits?
inline bool match_all(mask_t mask, const void *value, unsigned size, Site site) {
    struct Slot {
        const void *value;
        unsigned size;
        bool same;
    } slot{value, size, true};
    collective(
        mask, &slot,
        [](const Gather &all, void *) {
            const Slot *first = nullptr;
            bool same = true;
            for (int n = 0; n < all.width; ++n) {
                if (!(all.lanes >> n & 1)) continue;
                const Slot *one = static_cast<const Slot *>(all.slot[n]);
                if (!first) first = one;
                same = same && !__builtin_memcmp(first->value, one->value, one->size);
            }
            for (int n = 0; n < all.width; ++n) {
                if (all.lanes >> n & 1) static_cast<Slot *>(all.slot[n])->same = same;
            }
        },
        nullptr, "match_all", site
    );
    return slot.same;
}

inline int count_lanes(mask_t mask) {
    return __builtin_popcountll((unsigned long long)(mask)) +
           __builtin_popcountll((unsigned long long)(mask >> 64));
}

template <class T>
inline T shuffled(mask_t mask, T value, Shuffle kind, int argument, int width, Site site) {
    T result;
    shuffle(mask, &value, &result, sizeof(T), kind, argument, width, site);
    return result;
}
template <class T>
inline T shuffled_converged(T value, Shuffle kind, int argument, int width, Site site) {
    T result;
    shuffle_converged(&value, &result, sizeof(T), kind, argument, width, site);
    return result;
}

}  // namespace simt
