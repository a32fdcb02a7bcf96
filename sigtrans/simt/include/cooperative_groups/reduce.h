// Sums and the like over a group.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
inline T reduce(
    const Group &group, T value, Operation &&operation, details::Site site = details::Site::here()
) {
    return simt::fold_lanes(
        group.simt_mask(), value, [&](T a, T b) -> T { return operation(a, b); }, "reduce", site
    );
}

template <class Group, class T, class V, class Operation>
inline void reduce_update_async(const Group &group, T &target, V value, Operation &&operation) {
    const V all = reduce(group, value, operation);
    if (group.thread_rank() == 0) target.fetch_add(all);
}

template <class Group, class T, class V, class Operation>
inline void reduce_store_async(const Group &group, T &target, V value, Operation &&operation) {
    const V all = reduce(group, value, operation);
    if (group.thread_rank() == 0) target.store(all);
}

}  // namespace cooperative_groups
