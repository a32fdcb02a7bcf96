// The engine: a GPU thread is a fiber, started lazily; one OS thread at a time runs a grid.
//
// A fiber runs GPU threads one after another; only when a thread has to wait does the engine take
// another fiber for the next one. A kernel that never waits never switches. Blocks run one after
// another, all blocks of a cooperative grid together; a block whose threads only spin lets further
// blocks in.
//
// Everything a header or a library needs from the engine is declared here. Functions marked
// [device] may be called from GPU threads only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "config.h"
#include "dim.h"
#include "report.h"

namespace simt {

using mask_t = unsigned __int128;  // one bit a lane; a warp has at most 128

constexpr mask_t all_lanes(int width) {
    return width >= 128 ? ~mask_t(0) : (mask_t(1) << width) - 1;
}

// --- running a grid ---------------------------------------------------------------------------

// Why a grid ended. The host API turns these into its own codes.
enum class Fault : int {
    none, deadlock, illegal_address, stack_overflow, assertion, trap, endless, arithmetic, shared_limit
};

struct Grid {
    dim3 grid, block;
    size_t dynamic_shared = 0;  // bytes
    size_t shared_limit = 0;    // bytes a block may use, static and dynamic together; 0: no limit
    bool cooperative = false;
    const char *kernel = "";  // name for reports
    dim3 cluster = dim3(1, 1, 1);
};

// Runs body(argument) once for each thread of the grid and returns when all have ended. Never
// throws. Host only; other OS threads wait their turn.
Fault run_grid(const Grid &grid, void (*body)(void *), void *argument);

// [device] Keeps host work until the running grid has ended, which counts as a part of the grid: how
// a kernel launches kernels.
void run_after(std::function<void()> work);

bool on_device();  // is a GPU thread running on this OS thread?
const Grid &running_grid();  // [device]

// --- who am I [device] -------------------------------------------------------------------------

unsigned thread_rank();  // in the block, x fastest
bool on_own_stack(const void *pointer);  // lies on the running thread's stack?
unsigned lane();
unsigned warp_in_block();
mask_t live_lanes();  // lanes of this warp that exist and have not returned

// --- waiting [device] --------------------------------------------------------------------------

void block_sync(Site site = Site::here());
int block_sync_count(int predicate, Site site = Site::here());
int block_sync_and(int predicate, Site site = Site::here());
int block_sync_or(int predicate, Site site = Site::here());
void grid_sync(Site site = Site::here());
void cluster_sync(Site site = Site::here());

// A barrier of `count` threads that share `key` (named barriers, tiles, partitions). Keys are
// local to the block.
void named_sync(uint64_t key, unsigned count, Site site = Site::here());

// As named_sync, without waiting: arrives and goes on.
void named_arrive(uint64_t key, unsigned count, Site site = Site::here());

// Lets the other threads go on first. Nothing depends on it; it makes orders visible.
void yield();

// Called where a thread polls: atomics now and then, sleeps, fences, failed try_wait. Lets others
// go on and counts towards "endless".
void pause(Site site = Site::here());

// Called at each atomic: every so often it pauses, since the thread may poll.
void poll(Site site = Site::here());

// Waits until ready(context) is true; polled whenever anything in the block went on. For barriers
// in memory (mbarrier) and pipelines.
void wait_until(bool (*ready)(void *), void *context, const char *what, Site site = Site::here());

// --- warps [device] ----------------------------------------------------------------------------

// What the lanes of a collective left: a pointer each, for the lanes in `lanes`.
struct Gather {
    mask_t lanes;
    int width;          // lanes of a warp
    void *slot[128];
};

// Every lane of `mask` leaves `slot` and waits; the last to arrive runs combine(gather, context)
// for all, then all go on. Slots may lie on the lanes' stacks. Lanes that returned do not count.
// `what` names the operation in reports. Groups are kept apart by mask.
using Combine = void (*)(const Gather &, void *context);
void collective(
    mask_t mask, void *slot, Combine combine, void *context, const char *what, Site site = Site::here()
);

// The same for whichever lanes come here together: all live lanes if they all come, else those
// that did when nothing else in the grid can go on. Lanes meet at the same `site` only.
void collective_converged(
    void *slot, Combine combine, void *context, const char *what, Site site = Site::here()
);

void warp_sync(mask_t mask, Site site = Site::here());
mask_t ballot(mask_t mask, bool predicate, Site site = Site::here());
mask_t ballot_converged(bool predicate, Site site = Site::here());
mask_t match_any(mask_t mask, const void *value, unsigned size, Site site = Site::here());

enum class Shuffle : unsigned char { index, up, down, exclusive_or };

// One shuffle of `size` bytes; `width` is the sub-warp, 0 for the whole warp. Returns whether the
// source lane was in range. A source lane that takes no part gives the caller's own value (strict:
// a finding).
bool shuffle(
    mask_t mask, const void *in, void *out, unsigned size, Shuffle kind, int argument, int width,
    Site site = Site::here()
);
bool shuffle_converged(
    const void *in, void *out, unsigned size, Shuffle kind, int argument, int width,
    Site site = Site::here()
);

// A mask as programs write it, 32 bits, for the running warp model: at 128 lanes 0xffffffff stands
// for all of them (strict: a finding), any other mask for the lanes 0 to 31 that it names.
mask_t widen(unsigned mask, Site site = Site::here());

// --- shared memory [device] --------------------------------------------------------------------

// The block's copy of one static shared variable; `key` is unique for each variable (and template
// instance). Filled with the configured pattern, never zero by itself.
void *shared_variable(const void *key, size_t size, size_t align, const char *name, Site site);
void *dynamic_shared();
size_t dynamic_shared_size();
size_t total_shared_size();
bool is_shared(const void *pointer);  // lies in the shared memory of the running block?

// The 32-bit shared-window address of a pointer and back. Both fail on what is not shared memory.
unsigned shared_offset(const void *pointer, Site site = Site::here());
void *shared_pointer(unsigned offset, Site site = Site::here());

// The same place in another block of the cluster (distributed shared memory).
void *cluster_pointer(const void *pointer, unsigned block_rank, Site site = Site::here());

// Key is a type of its own for each variable; it carries what the declaration says of alignment.
template <class T, class Key>
inline T &shared(const char *name, Site site = Site::here()) {
    static char key;
    constexpr size_t align = alignof(T) > alignof(Key) ? alignof(T) : alignof(Key);
    return *static_cast<T *>(shared_variable(&key, sizeof(T), align, name, site));
}

// --- faults [device] ---------------------------------------------------------------------------

[[noreturn]] void fail(Fault fault, Site site, const char *text);

}  // namespace simt
