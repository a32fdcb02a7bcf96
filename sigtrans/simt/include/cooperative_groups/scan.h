// Running sums over a group, in the order of ranks.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class Group, class T, class Operation>
inline T inclusive_scan(
    const Group &group, T value, Operation &&operation, details::Site site = details::Site::here()
) {
    for (unsigned d = 1; d < group.size(); d *= 2) {
        const T lower = group.shfl_up(value, d, site);
        if (group.thread_rank() >= d) value = operation(lower, value);
    }
    return value;
}
template <class Group, class T>
inline T inclusive_scan(const Group &group, T value, details::Site site = details::Site::here()) {
    return inclusive_scan(group, value, plus<T>(), site);
}

template <class Group, class T, class Operation>
inline T exclusive_scan(
    const Group &group, T value, Operation &&operation, details::Site site = details::Site::here()
) {
    const T lower = group.shfl_up(inclusive_scan(group, value, operation, site), 1, site);
    return group.thread_rank() ? lower : T{};
}
template <class Group, class T>
inline T exclusive_scan(const Group &group, T value, details::Site site = details::Site::here()) {
    return exclusive_scan(group, value, plus<T>(), site);
}

}  // namespace cooperative_groups
