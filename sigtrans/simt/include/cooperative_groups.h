// Cooperative groups: sets of threads that synchronise and exchange values.
#pragma once
#define _COOPERATIVE_GROUPS_H_

#include <type_traits>

#include "simt/lanes.h"
#include "vector_types.h"

namespace cooperative_groups {

namespace details {

using Site = simt::Site;

inline unsigned long long block_number() {
    return blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
}
inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

// How many lanes of `mask` lie below `lane`.
inline unsigned rank_in(simt::mask_t mask, unsigned lane) {
    return unsigned(simt::count_lanes(mask & ((simt::mask_t(1) << lane) - 1)));
}

// The lane of the rank-th member.
inline unsigned lane_of(simt::mask_t mask, unsigned rank) {
    for (unsigned lane = 0; lane < 128; ++lane) {
        if (mask >> lane & 1 && rank-- == 0) return lane;
    }
    return simt::lane();
}

// A mask of members, lowest rank first, as programs see it.
inline unsigned packed(simt::mask_t mask, simt::mask_t set) {
    unsigned result = 0, rank = 0;
    for (unsigned lane = 0; lane < 128 && rank < 32; ++lane) {
        if (!(mask >> lane & 1)) continue;
        result |= unsigned(set >> lane & 1) << rank;
        ++rank;
    }
    return result;
}

template <class T>
inline T fetch(simt::mask_t mask, T value, unsigned lane, Site site) {
    // Values of any size, in pieces of 16 bytes; every member takes part in each.
    T result;
    const auto *in = reinterpret_cast<const char *>(&value);
    auto *out = reinterpret_cast<char *>(&result);
    for (size_t at = 0; at < sizeof(T); at += 16) {
        const auto size = unsigned(sizeof(T) - at < 16 ? sizeof(T) - at : 16);
        simt::shuffle(mask, in + at, out + at, size, simt::Shuffle::index, int(lane), 0, site);
    }
    return result;
}

}  // namespace details

struct grid_group;

// The threads of a block.
struct thread_block {
    void sync(details::Site site = details::Site::here()) const { simt::block_sync(site); }
    struct arrival_token {};
    arrival_token arrive() const { return {}; }
    void wait(arrival_token &&, details::Site site = details::Site::here()) const { simt::block_sync(site); }
    static unsigned thread_rank() { return simt::thread_rank(); }
    static unsigned size() { return details::block_size(); }
    static unsigned num_threads() { return details::block_size(); }
    static uint3 thread_index() { return threadIdx; }
    static dim3 dim_threads() { return blockDim; }
    static dim3 group_dim() { return blockDim; }
    static uint3 group_index() { return blockIdx; }
};

inline thread_block this_thread_block() { return {}; }

// All threads of a cooperative launch.
struct grid_group {
    bool is_valid() const { return simt::running_grid().cooperative; }
    void sync(details::Site site = details::Site::here()) const { simt::grid_sync(site); }
    struct arrival_token {};
    arrival_token arrive() const { return {}; }
    void wait(arrival_token &&, details::Site site = details::Site::here()) const { simt::grid_sync(site); }
    static unsigned long long thread_rank() {
        return details::block_number() * details::block_size() + simt::thread_rank();
    }
    static unsigned long long size() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * details::block_size();
    }
    static unsigned long long num_threads() { return size(); }
    static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long block_rank() { return details::block_number(); }
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_blocks() { return gridDim; }
    static uint3 block_index() { return blockIdx; }
};

inline grid_group this_grid() { return {}; }

// The blocks of a cluster.
struct cluster_group {
    static dim3 dim_blocks() { return simt::running_grid().cluster; }
    static unsigned num_blocks() {
        const dim3 c = dim_blocks();
        return c.x * c.y * c.z;
    }
    static uint3 block_index() {
        const dim3 c = dim_blocks();
        return uint3{blockIdx.x % c.x, blockIdx.y % c.y, blockIdx.z % c.z};
    }
    static unsigned block_rank() {
        const dim3 c = dim_blocks();
        const uint3 at = block_index();
        return at.x + c.x * (at.y + c.y * at.z);
    }
    static unsigned thread_rank() { return block_rank() * details::block_size() + simt::thread_rank(); }
    static unsigned num_threads() { return num_blocks() * details::block_size(); }
    static unsigned size() { return num_threads(); }
    static void sync(details::Site site = details::Site::here()) { simt::cluster_sync(site); }
    struct arrival_token {};
    static arrival_token barrier_arrive() { return {}; }
    static void barrier_wait(arrival_token &&, details::Site site = details::Site::here()) {
        simt::cluster_sync(site);
    }
    static void barrier_wait(details::Site site = details::Site::here()) { simt::cluster_sync(site); }
    template <class T>
    static T *map_shared_rank(T *pointer, int rank, details::Site site = details::Site::here()) {
        return static_cast<T *>(simt::cluster_pointer(pointer, unsigned(rank), site));
    }
};

inline cluster_group this_cluster() { return {}; }

// Lanes of one warp: what tiles and coalesced groups have in common.
class lane_group {
  public:
    unsigned thread_rank() const { return rank_; }
    unsigned size() const { return count_; }
    unsigned num_threads() const { return count_; }
    unsigned meta_group_rank() const { return part_; }
    unsigned meta_group_size() const { return parts_; }

    void sync(details::Site site = details::Site::here()) const { simt::warp_sync(mask_, site); }
    template <class T>
    T shfl(T value, int rank, details::Site site = details::Site::here()) const {
        return details::fetch(mask_, value, lane(unsigned(rank) % count_), site);
    }
    template <class T>
    T shfl_up(T value, unsigned delta, details::Site site = details::Site::here()) const {
        return details::fetch(mask_, value, lane(rank_ < delta ? rank_ : rank_ - delta), site);
    }
    template <class T>
    T shfl_down(T value, unsigned delta, details::Site site = details::Site::here()) const {
        return details::fetch(mask_, value, lane(rank_ + delta < count_ ? rank_ + delta : rank_), site);
    }
    template <class T>
    T shfl_xor(T value, unsigned bits, details::Site site = details::Site::here()) const {
        const unsigned other = rank_ ^ bits;
        return details::fetch(mask_, value, lane(other < count_ ? other : rank_), site);
    }
    unsigned ballot(int predicate, details::Site site = details::Site::here()) const {
        return details::packed(mask_, simt::ballot(mask_, predicate != 0, site));
    }
    int any(int predicate, details::Site site = details::Site::here()) const {
        return simt::ballot(mask_, predicate != 0, site) != 0;
    }
    int all(int predicate, details::Site site = details::Site::here()) const {
        return simt::ballot(mask_, predicate == 0, site) == 0;
    }
    template <class T>
    unsigned match_any(T value, details::Site site = details::Site::here()) const {
        return details::packed(mask_, simt::match_any(mask_, &value, sizeof value, site));
    }
    template <class T>
    unsigned match_all(T value, int &same, details::Site site = details::Site::here()) const {
        same = simt::match_all(mask_, &value, sizeof value, site);
        return same ? details::packed(mask_, mask_) : 0;
    }

    simt::mask_t simt_mask() const { return mask_; }

  protected:
    lane_group() = default;
    lane_group(simt::mask_t mask, unsigned part, unsigned parts)
        : mask_(mask), rank_(details::rank_in(mask, simt::lane())),
          count_(unsigned(simt::count_lanes(mask))), part_(part), parts_(parts) {}

    unsigned lane(unsigned rank) const { return details::lane_of(mask_, rank); }

    simt::mask_t mask_ = 0;
    unsigned rank_ = 0, count_ = 0, part_ = 0, parts_ = 1;

    friend struct tile_maker;
};

// Whichever lanes are together.
class coalesced_group : public lane_group {
  public:
    coalesced_group() = default;
    explicit coalesced_group(simt::mask_t mask, unsigned part = 0, unsigned parts = 1)
        : lane_group(mask, part, parts) {}
};

inline coalesced_group coalesced_threads(details::Site site = details::Site::here()) {
    return coalesced_group(simt::ballot_converged(true, site));
}

namespace details {

// Threads of a block in parts of `size`, at most a warp each: the lanes of the caller's part.
inline simt::mask_t part_mask(unsigned size) {
    const unsigned width = unsigned(warpSize);
    const unsigned first = simt::lane() / size * size;
    const unsigned in_block = block_size() - simt::warp_in_block() * width;
    const unsigned last = in_block < width ? in_block : width;  // a partial warp ends the block
    const unsigned end = first + size < last ? first + size : last;
    return simt::all_lanes(int(end)) & ~simt::all_lanes(int(first));
}

}  // namespace details

template <unsigned N, class Parent = void>
class thread_block_tile;

// A part of a block that is a power of two and no larger than a warp: its lanes know each other.
template <unsigned N>
class thread_block_tile<N, void> : public lane_group {
    static_assert((N & (N - 1)) == 0 && N <= 1024, "the size of a tile is a power of two");

  public:
    thread_block_tile(const lane_group &it, bool) : lane_group(it) {}
    thread_block_tile(simt::mask_t mask, unsigned part, unsigned parts) : lane_group(mask, part, parts) {}
    static constexpr unsigned size() { return N; }
    static constexpr unsigned num_threads() { return N; }
};

template <unsigned N, class Parent>
class thread_block_tile : public thread_block_tile<N, void> {
  public:
    using thread_block_tile<N, void>::thread_block_tile;
};

// A tile of several warps: a barrier of its own, values through the lanes' own memory.
class warps_tile {
  public:
    explicit warps_tile(unsigned size) : size_(size) {}
    unsigned thread_rank() const { return simt::thread_rank() % size_; }
    unsigned meta_group_rank() const { return simt::thread_rank() / size_; }
    unsigned meta_group_size() const { return (details::block_size() + size_ - 1) / size_; }
    unsigned num_threads() const { return size_; }
    unsigned size() const { return size_; }
    void sync(details::Site site = details::Site::here()) const {
        simt::named_sync(0x100000u + meta_group_rank(), size_, site);
    }

  private:
    unsigned size_;
};

#define SIMT_WARPS_TILE(N)                                                       \
    template <>                                                                  \
    class thread_block_tile<N, void> : public warps_tile {                       \
      public:                                                                    \
        thread_block_tile() : warps_tile(N) {}                                   \
        static constexpr unsigned size() { return N; }                           \
        static constexpr unsigned num_threads() { return N; }                    \
    };                                                                           \
    template <class Parent>                                                      \
    class thread_block_tile<N, Parent> : public thread_block_tile<N, void> {};
SIMT_WARPS_TILE(64)
SIMT_WARPS_TILE(128)
SIMT_WARPS_TILE(256)
SIMT_WARPS_TILE(512)
SIMT_WARPS_TILE(1024)
#undef SIMT_WARPS_TILE

// Any group, asked at run time.
class thread_group {
  public:
    thread_group(const thread_block &) : block_(true) {}
    thread_group(const coalesced_group &it) : lanes_(it) {}
    template <unsigned N, class P>
    thread_group(const thread_block_tile<N, P> &it) : lanes_(it.simt_mask(), it.meta_group_rank(), it.meta_group_size()) {}
    void sync(details::Site site = details::Site::here()) const {
        if (block_) simt::block_sync(site);
        else lanes_.sync(site);
    }
    unsigned thread_rank() const { return block_ ? simt::thread_rank() : lanes_.thread_rank(); }
    unsigned size() const { return block_ ? details::block_size() : lanes_.size(); }
    unsigned num_threads() const { return size(); }
    const coalesced_group &simt_lanes() const { return lanes_; }
    bool simt_is_block() const { return block_; }

  private:
    bool block_ = false;
    coalesced_group lanes_;
};

// The calling thread alone.
struct thread_group_of_one {
    static void sync() {}
    static unsigned thread_rank() { return 0; }
    static unsigned size() { return 1; }
    static unsigned num_threads() { return 1; }
};
inline thread_group_of_one this_thread() { return {}; }

// --- parts ---------------------------------------------------------------------------------------

template <unsigned N, class Parent>
inline thread_block_tile<N, Parent> simt_tile_of_block() {
    if constexpr (N > 32) {
        return {};
    } else {
        const unsigned parts = (details::block_size() + N - 1) / N;
        return {details::part_mask(N), simt::thread_rank() / N, parts};
    }
}

template <unsigned N>
inline thread_block_tile<N, thread_block> tiled_partition(const thread_block &) {
    return simt_tile_of_block<N, thread_block>();
}
// A part of a tile: ranks in the tile, which are lanes in a row.
template <unsigned N, unsigned M, class P>
inline thread_block_tile<N, thread_block_tile<M, P>> tiled_partition(const thread_block_tile<M, P> &tile) {
    static_assert(N <= M, "a part is no larger than the whole");
    if constexpr (M > 32) {
        if constexpr (N > 32) return {};
        else return {details::part_mask(N), tile.thread_rank() / N, M / N};
    } else {
        return {tile.simt_mask() & details::part_mask(N), tile.thread_rank() / N, M / N};
    }
}
// Parts of a coalesced group, by rank.
inline coalesced_group tiled_partition(const coalesced_group &group, unsigned size) {
    const unsigned part = group.thread_rank() / size;
    simt::mask_t mask = 0;
    for (unsigned rank = part * size; rank < part * size + size && rank < group.size(); ++rank) {
        mask |= simt::mask_t(1) << details::lane_of(group.simt_mask(), rank);
    }
    return coalesced_group(mask, part, (group.size() + size - 1) / size);
}
template <unsigned N>
inline coalesced_group tiled_partition(const coalesced_group &group) {
    return tiled_partition(group, N);
}
inline thread_group tiled_partition(const thread_group &group, unsigned size) {
    if (!group.simt_is_block()) return tiled_partition(group.simt_lanes(), size);
    const unsigned parts = (details::block_size() + size - 1) / size;
    return coalesced_group(details::part_mask(size), simt::thread_rank() / size, parts);
}
inline thread_group tiled_partition(const thread_block &block, unsigned size) {
    return tiled_partition(thread_group(block), size);
}

template <class Group>
inline coalesced_group labeled_partition(
    const Group &group, int label, details::Site site = details::Site::here()
) {
    return coalesced_group(simt::match_any(group.simt_mask(), &label, sizeof label, site));
}
template <class Group>
inline coalesced_group binary_partition(
    const Group &group, bool predicate, details::Site site = details::Site::here()
) {
    const simt::mask_t yes = simt::ballot(group.simt_mask(), predicate, site);
    return coalesced_group(predicate ? yes : group.simt_mask() & ~yes);
}

// --- free functions --------------------------------------------------------------------------------

template <class Group>
inline void sync(const Group &group, details::Site site = details::Site::here()) {
    group.sync(site);
}
template <class Group>
inline auto thread_rank(const Group &group) {
    return group.thread_rank();
}
template <class Group>
inline auto group_size(const Group &group) {
    return group.size();
}

// One member runs the function; all wait for it.
template <class Group, class F, class... A>
inline void invoke_one(const Group &group, F &&function, A &&...arguments) {
    if (group.thread_rank() == 0) function(static_cast<A &&>(arguments)...);
    group.sync();
}
template <class Group, class F, class... A>
inline auto invoke_one_broadcast(const Group &group, F &&function, A &&...arguments) {
    decltype(function(static_cast<A &&>(arguments)...)) result{};
    if (group.thread_rank() == 0) result = function(static_cast<A &&>(arguments)...);
    return group.shfl(result, 0);
}

// Operations of reduce() and the scans.
template <class T = void>
struct plus {
    T operator()(T a, T b) const { return T(a + b); }
};
template <class T = void>
struct less {
    T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
    T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
    T operator()(T a, T b) const { return T(a & b); }
};
template <class T = void>
struct bit_or {
    T operator()(T a, T b) const { return T(a | b); }
};
template <class T = void>
struct bit_xor {
    T operator()(T a, T b) const { return T(a ^ b); }
};

}  // namespace cooperative_groups
