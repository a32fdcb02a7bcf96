#include "simt/engine.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "simt/fiber.h"
#include "simt/sanitizers.h"
#include "simt/watch.h"

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
int warpSize = simt::config().warp;

namespace simt {

namespace {

constexpr size_t arena_size = 256 << 10;  // no device gives a block more shared memory
constexpr size_t canary_size = 64;        // between and behind shared variables
constexpr unsigned char canary = 0xA5;
constexpr size_t most_resident = 24576;   // GPU threads; each stack takes two of 65,530 mappings

enum class State : unsigned char {
    fresh, ready, running, paused, at_barrier, in_warp, at_grid, at_cluster, named, waiting, returned
};

const char *describe(State state) {
    switch (state) {
        case State::at_barrier: return "at a block barrier";
        case State::in_warp: return "in a warp function";
        case State::at_grid: return "at a grid barrier";
        case State::at_cluster: return "at a cluster barrier";
        case State::named: return "at a named barrier";
        case State::waiting: return "waiting for memory to change";
        case State::paused: return "polling";
        default: return "running";
    }
}

struct Block;

struct Thread {
    Fiber *fiber = nullptr;
    Block *block = nullptr;
    uint3 index{};
    unsigned rank = 0, warp = 0, lane = 0;
    State state = State::fresh;
    int predicate = 0;
    Site site{};
    const char *what = "";
    uint64_t key = 0;                // of the named barrier it waits at
    bool (*until)(void *) = nullptr;  // what it waits for
    void *context = nullptr;
};

// Lanes of a warp that wait for each other.
struct Group {
    mask_t mask = 0;
    mask_t arrived = 0;
    bool converged = false;  // whoever comes; `mask` is not asked
    Combine combine = nullptr;
    void *context = nullptr;
    Site site{};
    void *slot[128];
};

struct Warp {
    mask_t exist = 0, live = 0;
    std::vector<std::unique_ptr<Group>> groups;
};

struct Named {
    uint64_t key;
    unsigned arrived;
};

struct Variable {
    const void *key;
    char *memory;
    size_t size;
    const char *name;
    Site site;
};

struct Block {
    uint3 index{};
    unsigned count = 0, next = 0, returned = 0, arrived = 0;
    int reduction = 0;  // threads whose predicate was true, of the last barrier
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    std::vector<unsigned> start_order;  // empty: as they are
    std::vector<unsigned> wake_order;
    std::vector<Named> named;
    std::vector<Variable> variables;
    char *arena = nullptr;
    char *dynamic = nullptr;
    size_t used = 0;  // bytes of static shared variables, gaps included
    size_t declared = 0;  // without gaps
    unsigned cluster_rank = 0;
    uint64_t serial = 0;

    ~Block() {
        if (arena) munmap(arena, arena_size + static_cast<size_t>(sysconf(_SC_PAGESIZE)));
    }
};

// First in, first out, without an allocation once it is large enough.
class Queue {
  public:
    bool empty() const { return head_ == tail_; }
    void clear() { head_ = tail_ = 0; }
    void push(Thread *thread) {
        if (tail_ - head_ == ring_.size()) grow();
        ring_[tail_++ & (ring_.size() - 1)] = thread;
    }
    Thread *pop() { return ring_[head_++ & (ring_.size() - 1)]; }

  private:
    void grow() {
        std::vector<Thread *> larger(ring_.empty() ? 2048 : ring_.size() * 2);
        size_t count = 0;
        for (size_t i = head_; i < tail_; i++) larger[count++] = ring_[i & (ring_.size() - 1)];
        ring_.swap(larger);
        head_ = 0;
        tail_ = count;
    }
    std::vector<Thread *> ring_;
    size_t head_ = 0, tail_ = 0;
};

struct Engine {
    std::mutex turn;  // one grid at a time
    const Grid *grid = nullptr;
    void (*body)(void *) = nullptr;
    void *argument = nullptr;

    Fiber main;
    Thread *current = nullptr;
    Fiber *fiber = nullptr;  // that runs, while `current` may be null between threads
    std::vector<std::unique_ptr<Fiber>> fibers;
    std::vector<Fiber *> idle;

    std::vector<std::unique_ptr<Block>> spare, resident;
    size_t resident_threads = 0;
    size_t next_fresh = 0;  // index into resident
    uint64_t blocks = 0, next_block = 0;
    std::vector<uint64_t> block_order;  // empty: as they are

    Queue ready;
    std::vector<Thread *> paused, waiting;
    std::vector<std::unique_ptr<Group>> spare_groups;
    unsigned at_grid = 0;
    uint64_t serial = 0;   // of the last block
    uint64_t progress = 0;  // counts what cannot go on for ever without an end
    uint64_t switches = 0;
    Fault fault = Fault::none;
    std::vector<std::function<void()>> after;
};

// Made before the static constructors of programs, which may launch, and never destroyed, since
// their destructors may, too.
Engine *E = nullptr;
struct Start {
    Start() { E = new Engine; }
};
[[gnu::init_priority(150)]] Start start;
thread_local bool acting = false;
std::atomic<bool> inside{false};       // engine code is running; the monitor keeps off
std::atomic<uint64_t> heartbeat{0};    // of scheduling, for the monitor
std::atomic<bool> grid_active{false};
pthread_t owner;
uintptr_t text_begin = 0, text_end = 0;  // the code that may be interrupted: the program's own

// Marks engine code, so that no signal switches fibers in the middle of it.
struct Inside {
    bool before = inside.exchange(true, std::memory_order_relaxed);
    ~Inside() { inside.store(before, std::memory_order_relaxed); }
};

uint64_t next_random(uint64_t &seed) {
    seed += 0x9E3779B97F4A7C15u;
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

template <class T>
void make_order(std::vector<T> &out, size_t count, Order order, uint64_t seed) {
    out.clear();
    if (order == Order::up) return;
    out.reserve(count);
    for (size_t i = 0; i < count; i++) out.push_back(static_cast<T>(i));
    if (order == Order::down) {
        std::reverse(out.begin(), out.end());
    } else {
        for (size_t i = count; i > 1; i--) std::swap(out[i - 1], out[next_random(seed) % i]);
    }
}

// --- blocks ------------------------------------------------------------------------------------

void fill_shared(char *memory, size_t size) {
    if (config().shared_fill >= 0) std::memset(memory, config().shared_fill, size);
}

void check_canary(const Block &block, const char *from, const char *to, const char *name, Site site) {
#ifndef SIMT_ASAN
    for (const char *p = from; p < to; p++) {
        if (static_cast<unsigned char>(*p) == canary) continue;
        blockIdx = block.index;
        finding(
            "shared-overrun", site,
            std::string("memory behind the shared variable ") + name + " was written, byte " +
                std::to_string(p - from) + " after its end"
        );
        return;
    }
#else
    (void)block, (void)from, (void)to, (void)name, (void)site;
#endif
}

void close_block(Block &block) {
    for (const Variable &it : block.variables) {
        const char *end = it.memory + it.size;
        check_canary(block, end, end + canary_size, it.name, it.site);
    }
    if (E->grid->dynamic_shared) {
        const char *end = block.dynamic + E->grid->dynamic_shared;
        check_canary(block, end, block.arena + arena_size, "(dynamic)", Site{"", 0});
    }
}

std::unique_ptr<Block> make_block() {
    if (!E->spare.empty()) {
        auto block = std::move(E->spare.back());
        E->spare.pop_back();
        return block;
    }
    auto block = std::make_unique<Block>();
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void *memory = mmap(
        nullptr, arena_size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0
    );
    if (memory == MAP_FAILED) throw std::bad_alloc();
    block->arena = static_cast<char *>(memory);
    mprotect(block->arena + arena_size, page, PROT_NONE);
    return block;
}

uint3 block_place(uint64_t linear) {
    const dim3 &g = E->grid->grid, &c = E->grid->cluster;
    const uint64_t size = uint64_t(c.x) * c.y * c.z;
    if (size == 1) {
        return uint3{unsigned(linear % g.x), unsigned(linear / g.x % g.y), unsigned(linear / g.x / g.y)};
    }
    const uint64_t cluster = linear / size, rank = linear % size;  // blocks of a cluster in a row
    const unsigned wide = g.x / c.x, high = g.y / c.y;
    return uint3{
        unsigned(cluster % wide) * c.x + unsigned(rank % c.x),
        unsigned(cluster / wide % high) * c.y + unsigned(rank / c.x % c.y),
        unsigned(cluster / wide / high) * c.z + unsigned(rank / c.x / c.y),
    };
}

void open_block(uint64_t number) {
    if (!E->block_order.empty()) number = E->block_order[number];
    auto owned = make_block();
    Block &block = *owned;
    const dim3 &shape = E->grid->block;
    const unsigned count = shape.x * shape.y * shape.z;
    const auto width = static_cast<unsigned>(warpSize);
    block.index = block_place(number);
    block.next = block.returned = block.arrived = 0;
    block.named.clear();
    block.variables.clear();
    block.used = block.declared = 0;
    block.cluster_rank =
        static_cast<unsigned>(number % (uint64_t(E->grid->cluster.x) * E->grid->cluster.y * E->grid->cluster.z));
    if (block.count != count) {
        block.count = count;
        block.threads.assign(count, Thread());
        block.warps.clear();
        block.warps.resize((count + width - 1) / width);
    }
    unsigned x = 0, y = 0, z = 0;
    for (unsigned i = 0; i < count; i++) {
        Thread &it = block.threads[i];
        it.block = &block;
        it.fiber = nullptr;
        it.state = State::fresh;
        it.index = uint3{x, y, z};
        it.rank = i;
        it.warp = i / width;
        it.lane = i % width;
        if (++x == shape.x) {
            x = 0;
            if (++y == shape.y) y = 0, z++;
        }
    }
    for (size_t i = 0; i < block.warps.size(); i++) {
        const unsigned lanes = std::min(width, count - unsigned(i) * width);
        block.warps[i].exist = block.warps[i].live = all_lanes(static_cast<int>(lanes));
        block.warps[i].groups.clear();
    }
    make_order(block.start_order, count, config().order, config().order_seed + number);
    make_order(block.wake_order, count, config().wake, config().wake_seed + number);

    const size_t dynamic = E->grid->dynamic_shared;
    const size_t room = (dynamic + 127) / 128 * 128;
    block.dynamic = block.arena + arena_size - room;  // ends at the guard page
    unpoison(block.arena, arena_size);
    fill_shared(block.dynamic, dynamic);
    std::memset(block.dynamic + dynamic, canary, room - dynamic);
    poison(block.arena, arena_size);
    unpoison(block.dynamic, dynamic);
    block.serial = ++E->serial;
    if (watcher) {
        watcher->block_opens(block.serial, count);
        watcher->allocated(block.arena, arena_size, Memory::shared, true);
        if (dynamic) watcher->shared_declared(block.dynamic, dynamic, "(dynamic)");
    }
    E->resident_threads += count;
    E->resident.push_back(std::move(owned));
    E->progress++;
}

void retire_block(size_t at) {
    close_block(*E->resident[at]);
    if (watcher) watcher->block_closes(E->resident[at]->serial);
    E->resident_threads -= E->resident[at]->count;
    E->spare.push_back(std::move(E->resident[at]));
    E->resident.erase(E->resident.begin() + static_cast<long>(at));
    E->next_fresh = 0;
}

// --- scheduling --------------------------------------------------------------------------------

Block *fresh_block() {
    while (E->next_fresh < E->resident.size()) {
        Block *block = E->resident[E->next_fresh].get();
        if (block->next < block->count) return block;
        E->next_fresh++;
    }
    return nullptr;
}

void thread_fiber();

Fiber *take_fiber() {
    Fiber *fiber;
    if (E->idle.empty()) {
        E->fibers.emplace_back(make_fiber(config().stack));
        fiber = E->fibers.back().get();
    } else {
        fiber = E->idle.back();
        E->idle.pop_back();
    }
    prepare_fiber(*fiber, thread_fiber);
    return fiber;
}

void go_on(Thread *thread) {
    thread->state = State::running;
    E->current = thread;
    threadIdx = thread->index;
    blockIdx = thread->block->index;
}

void make_ready(Thread *thread) {
    thread->state = State::ready;
    E->ready.push(thread);
}

void switch_to(Fiber *self, Fiber *other) {
    E->switches++;
    heartbeat.store(E->switches, std::memory_order_relaxed);
    E->fiber = other;
    switch_fiber(*self, *other);
}

// Gives the OS thread to whoever can go on; returns when the running GPU thread is to go on.
void leave() {
    Thread *self = E->current;
    Fiber *fiber = self->fiber;
    if (fresh_block()) {
        switch_to(fiber, take_fiber());
    } else if (!E->ready.empty()) {
        Thread *next = E->ready.pop();
        go_on(next);
        if (next == self) return;
        switch_to(fiber, next->fiber);
    } else {
        E->current = nullptr;
        switch_to(fiber, &E->main);
    }
}

void check_warp(Block &block, unsigned index);
void check_barrier(Block &block);
void check_grid();
void check_cluster(Block &block);

void thread_returned(Thread *thread) {
    Block &block = *thread->block;
    thread->state = State::returned;
    thread->fiber = nullptr;
    block.returned++;
    E->progress++;
    Warp &warp = block.warps[thread->warp];
    warp.live &= ~(mask_t(1) << thread->lane);
    if (!warp.groups.empty()) check_warp(block, thread->warp);
    if (block.arrived) check_barrier(block);
    if (E->at_grid) check_grid();
    if (E->grid->cluster.x * E->grid->cluster.y * E->grid->cluster.z > 1) check_cluster(block);
}

// What a fiber does: run fresh threads one after another, then hand over to one that waits.
void thread_fiber() {
    fiber_started();
    for (;;) {
        Block *block = fresh_block();
        if (!block) break;
        unsigned i = block->next++;
        if (!block->start_order.empty()) i = block->start_order[i];
        Thread *thread = &block->threads[i];
        thread->fiber = E->fiber;
        go_on(thread);
        inside.store(false, std::memory_order_relaxed);
        E->body(E->argument);
        inside.store(true, std::memory_order_relaxed);
        thread_returned(E->current);
    }
    Fiber *self = E->fiber;
    E->idle.push_back(self);
    if (!E->ready.empty()) {
        Thread *next = E->ready.pop();
        go_on(next);
        switch_to(self, next->fiber);
    }
    E->current = nullptr;
    switch_to(self, &E->main);
    std::abort();  // an idle fiber is prepared anew before it runs again
}

// --- faults ------------------------------------------------------------------------------------

[[noreturn]] void abandon(Fault fault) {
    if (E->fault == Fault::none) E->fault = fault;
    Fiber *self = E->fiber;
    E->current = nullptr;
    switch_to(self, &E->main);
    std::abort();
}

#ifndef SIMT_ASAN
struct sigaction old_segv, old_bus, old_fpe, old_ill;

void on_fault(int signal, siginfo_t *info, void *context) {
    if (!E->current || !pthread_equal(pthread_self(), owner)) {  // not ours: as if we were not here
        const struct sigaction &old = signal == SIGSEGV  ? old_segv
                                      : signal == SIGBUS ? old_bus
                                      : signal == SIGFPE ? old_fpe
                                                         : old_ill;
        if (old.sa_flags & SA_SIGINFO) {
            old.sa_sigaction(signal, info, context);
            return;
        }
        sigaction(signal, &old, nullptr);
        return;  // the instruction runs again and meets the old action
    }
    inside.store(true, std::memory_order_relaxed);
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    const Fiber &fiber = *E->fiber;
    const auto stack = reinterpret_cast<uintptr_t>(fiber.stack);
    Fault fault = Fault::illegal_address;
    char text[160];
    if (signal == SIGFPE) {
        fault = Fault::arithmetic;
        std::snprintf(text, sizeof text, "integer division by zero or overflow");
    } else if (signal == SIGILL) {
        fault = Fault::trap;
        std::snprintf(text, sizeof text, "trap");
    } else if (address >= stack - 65536 && address < stack) {
        fault = Fault::stack_overflow;
        std::snprintf(
            text, sizeof text, "the stack of a GPU thread (%zu bytes, SIMT_STACK) is full", fiber.size
        );
    } else {
        const char *arena = E->current->block->arena;
        const auto end = reinterpret_cast<uintptr_t>(arena) + arena_size;
        const char *hint = address >= end && address < end + 65536 ? ", behind the block's shared memory" : "";
        std::snprintf(text, sizeof text, "illegal access to address %p%s", info->si_addr, hint);
    }
#if defined(__x86_64__)
    const auto pc = static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    const auto pc = static_cast<ucontext_t *>(context)->uc_mcontext.pc;
#else
    const uintptr_t pc = 0;
#endif
    finding_at("device-fault", reinterpret_cast<const void *>(pc), text);
    abandon(fault);
}
#endif

// A thread that runs on and on without asking the engine for anything polls plain memory; when it
// is in the program's own code, where no lock of a library can be held, others may go on.
int poke_signal() { return SIGRTMIN + 7; }

void on_poke(int, siginfo_t *, void *context) {
#if defined(__x86_64__) && defined(REG_RIP)
    const auto pc = static_cast<uintptr_t>(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    const auto pc = static_cast<uintptr_t>(static_cast<ucontext_t *>(context)->uc_mcontext.pc);
#else
    const uintptr_t pc = 0;
#endif
    if (watcher || inside.load(std::memory_order_relaxed) || !E->current) return;  // it counts accesses
    if (!pthread_equal(pthread_self(), owner) || pc < text_begin || pc >= text_end) return;
    const int saved = errno;
    pause(Site{"", 0});
    errno = saved;
}

// A poke moves the heart on by two: away from the thread, and to the next. If nothing else has
// happened since, the next thread spins as well.
constexpr uint64_t poke_switches = 2;

void monitor() {
    sigset_t every;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, nullptr);
    uint64_t seen = ~uint64_t(0);
    bool spinning = false;  // the last look found somebody: look again soon
    for (;;) {
        usleep(spinning ? 500 : 20000);
        const uint64_t now = heartbeat.load(std::memory_order_relaxed);
        spinning = grid_active.load() && now == seen;
        if (spinning) pthread_kill(owner, poke_signal());
        seen = spinning ? now + poke_switches : now;
    }
}

int find_text(dl_phdr_info *info, size_t, void *wanted) {
    const auto address = reinterpret_cast<uintptr_t>(wanted);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &header = info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
        if (header.p_type != PT_LOAD || !(header.p_flags & PF_X)) continue;
        if (address < begin || address >= begin + header.p_memsz) continue;
        text_begin = begin;
        text_end = begin + header.p_memsz;
        return 1;
    }
    return 0;
}

void set_up_signals() {
    static bool done = false;
    if (done) return;
    done = true;
    struct sigaction poke {};
    poke.sa_sigaction = on_poke;
    poke.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    sigemptyset(&poke.sa_mask);
    sigaction(poke_signal(), &poke, nullptr);
    std::thread(monitor).detach();
#ifndef SIMT_ASAN
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &old_segv);
    sigaction(SIGBUS, &action, &old_bus);
    sigaction(SIGFPE, &action, &old_fpe);
    sigaction(SIGILL, &action, &old_ill);
#endif
}

// The stack that faults are handled on: the faulting one may be full.
void set_up_signal_stack() {
#ifndef SIMT_ASAN
    static thread_local bool done = false;
    if (done) return;
    done = true;
    constexpr size_t size = 256 << 10;
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_t stack{};
    stack.ss_sp = memory;
    stack.ss_size = size;
    sigaltstack(&stack, nullptr);
#endif
}

// --- barriers ----------------------------------------------------------------------------------

template <class Wanted>
void wake(Block &block, Wanted wanted) {
    for (unsigned i = 0; i < block.count; i++) {
        Thread &it = block.threads[block.wake_order.empty() ? i : block.wake_order[i]];
        if (wanted(it)) make_ready(&it);
    }
    E->progress++;
}

bool same_place(const Site &a, const Site &b) {
    return a.line == b.line && (a.file == b.file || !std::strcmp(a.file, b.file));
}

std::string place(const Site &site) {
    return std::string(site.file) + ":" + std::to_string(site.line);
}

void check_barrier(Block &block) {
    if (!block.arrived || block.arrived + block.returned != block.count) return;
    const Site *first = nullptr;
    const Site *other = nullptr;
    block.reduction = 0;
    for (const Thread &it : block.threads) {
        if (it.state != State::at_barrier) continue;
        if (!first) first = &it.site;
        else if (!other && !same_place(*first, it.site)) other = &it.site;
        block.reduction += it.predicate != 0;
    }
    if (other) {
        finding(
            "divergent-barrier", *first,
            "threads of one block met at different barriers, here and at " + place(*other) +
                ": a barrier in divergent code is undefined"
        );
    }
    if (block.returned && config().strict) {
        finding(
            "barrier-after-return", *first,
            std::to_string(block.returned) + " threads of the block have returned before this barrier"
        );
    }
    block.arrived = 0;
    if (watcher) watcher->block_joined(block.serial);
    wake(block, [](const Thread &it) { return it.state == State::at_barrier; });
}

int barrier(int predicate, Site site, int kind) {
    const Inside guard;
    Thread *thread = E->current;
    Block &block = *thread->block;
    thread->state = State::at_barrier;
    thread->site = site;
    thread->predicate = predicate;
    block.arrived++;
    const unsigned count = block.count - block.returned;
    check_barrier(block);
    leave();
    if (kind == 0) return block.reduction;
    if (kind == 1) return block.reduction == static_cast<int>(count);
    return block.reduction != 0;
}

void check_grid() {
    size_t count = 0;
    for (const auto &block : E->resident) count += block->count - block->returned;
    if (E->at_grid != count || !count) return;
    E->at_grid = 0;
    if (watcher) watcher->grid_joined();
    for (const auto &block : E->resident) {
        wake(*block, [](const Thread &it) { return it.state == State::at_grid; });
    }
}

void check_cluster(Block &block) {
    const unsigned size = E->grid->cluster.x * E->grid->cluster.y * E->grid->cluster.z;
    std::vector<Block *> members;
    for (const auto &it : E->resident) {
        const uint3 &a = it->index, &b = block.index;
        const dim3 &c = E->grid->cluster;
        if (a.x / c.x == b.x / c.x && a.y / c.y == b.y / c.y && a.z / c.z == b.z / c.z) {
            members.push_back(it.get());
        }
    }
    if (members.size() != size) return;
    unsigned arrived = 0, live = 0;
    for (const Block *it : members) {
        live += it->count - it->returned;
        for (const Thread &thread : it->threads) arrived += thread.state == State::at_cluster;
    }
    if (!arrived || arrived != live) return;
    if (watcher) watcher->grid_joined();
    for (Block *it : members) {
        wake(*it, [](const Thread &thread) { return thread.state == State::at_cluster; });
    }
}

// --- warps -------------------------------------------------------------------------------------

void complete(Block &block, unsigned index, size_t at) {
    Warp &warp = block.warps[index];
    std::unique_ptr<Group> group = std::move(warp.groups[at]);
    warp.groups.erase(warp.groups.begin() + static_cast<long>(at));
    Gather gather;
    gather.lanes = group->arrived & warp.live;
    gather.width = warpSize;
    const auto width = static_cast<unsigned>(warpSize);
    const unsigned first = index * width;
    const unsigned lanes = std::min(width, block.count - first);
    for (unsigned i = 0; i < lanes; i++) {
        if (gather.lanes >> i & 1) gather.slot[i] = group->slot[i];
    }
    if (group->combine) group->combine(gather, group->context);
    if (watcher) watcher->warp_joined(block.serial, first, gather.lanes);
    E->spare_groups.push_back(std::move(group));
    if (block.wake_order.empty()) {
        for (unsigned i = 0; i < lanes; i++) {
            if (gather.lanes >> i & 1) make_ready(&block.threads[first + i]);
        }
    } else {
        for (const unsigned i : block.wake_order) {
            if (i >= first && i < first + lanes && gather.lanes >> (i - first) & 1) {
                make_ready(&block.threads[i]);
            }
        }
    }
    E->progress++;
}

void check_warp(Block &block, unsigned index) {
    Warp &warp = block.warps[index];
    for (size_t i = 0; i < warp.groups.size();) {
        const Group &group = *warp.groups[i];
        const mask_t wanted = (group.converged ? ~mask_t(0) : group.mask) & warp.live;
        if ((wanted & ~group.arrived) == 0 && (group.arrived & warp.live)) complete(block, index, i);
        else if (!(group.arrived & warp.live)) warp.groups.erase(warp.groups.begin() + static_cast<long>(i));
        else i++;
    }
}

void join(Thread *thread, mask_t mask, bool converged, void *slot, Combine combine, void *context, Site site) {
    Block &block = *thread->block;
    Warp &warp = block.warps[thread->warp];
    Group *group = nullptr;
    for (const auto &it : warp.groups) {
        if (it->converged != converged || it->combine != combine) continue;
        if (converged ? !same_place(it->site, site) : it->mask != mask) continue;
        group = it.get();
        break;
    }
    if (!group) {
        if (E->spare_groups.empty()) E->spare_groups.push_back(std::make_unique<Group>());
        warp.groups.push_back(std::move(E->spare_groups.back()));
        E->spare_groups.pop_back();
        group = warp.groups.back().get();
        group->arrived = 0;
        group->mask = mask;
        group->converged = converged;
        group->combine = combine;
        group->context = context;
        group->site = site;
    }
    group->slot[thread->lane] = slot;
    group->arrived |= mask_t(1) << thread->lane;
    thread->state = State::in_warp;
    thread->site = site;
    check_warp(block, thread->warp);
    leave();
}

// Nothing else can go on: in each warp, those that wait for whoever comes have come. The group
// that stands first in the source goes first, since the others may still join a later one.
bool fire_converged() {
    bool any = false;
    for (const auto &block : E->resident) {
        for (unsigned w = 0; w < block->warps.size(); w++) {
            auto &groups = block->warps[w].groups;
            size_t best = groups.size();
            for (size_t i = 0; i < groups.size(); i++) {
                if (!groups[i]->converged) continue;
                if (best == groups.size() || groups[i]->site.line < groups[best]->site.line) best = i;
            }
            if (best == groups.size()) continue;
            complete(*block, w, best);
            any = true;
        }
    }
    return any;
}

bool poll_waiting() {
    bool any = false;
    std::vector<Thread *> still;
    for (Thread *it : E->waiting) {
        if (it->until(it->context)) {
            make_ready(it);
            any = true;
        } else {
            still.push_back(it);
        }
    }
    E->waiting.swap(still);
    if (any) E->progress++;
    return any;
}

void report_standstill(const char *kind, const std::string &what) {
    std::map<std::string, unsigned> where;
    Site first{"", 0};
    const Thread *someone = nullptr;
    for (const auto &block : E->resident) {
        for (const Thread &it : block->threads) {
            if (it.state == State::fresh) continue;
            std::string key = it.state == State::returned ? "returned" : describe(it.state);
            if (it.state != State::returned && it.site.line) key += " (" + place(it.site) + ")";
            where[key]++;
            if (it.state != State::returned && !someone) {
                someone = &it;
                first = it.site;
            }
        }
        if (someone) break;
    }
    std::string text = what;
    const char *separator = ": ";
    for (const auto &[key, count] : where) {
        text += separator + std::to_string(count) + " " + key;
        separator = ", ";
    }
    text += " [kernel " + std::string(E->grid->kernel);
    if (someone) {
        const uint3 &b = someone->block->index;
        text += ", block (" + std::to_string(b.x) + "," + std::to_string(b.y) + "," + std::to_string(b.z) + ")";
    }
    finding(kind, first, text + "]");
}

// From the OS thread's own stack: runs fibers until every block has ended or nothing can go on.
void run_blocks() {
    uint64_t seen = 0;
    unsigned rounds = 0;
    auto since = std::chrono::steady_clock::now();
    const uint64_t cluster = uint64_t(E->grid->cluster.x) * E->grid->cluster.y * E->grid->cluster.z;
    const auto more = [&] { return E->next_block < E->blocks; };
    const auto admit = [&] {
        for (uint64_t i = 0; i < cluster && more(); i++) open_block(E->next_block++);
    };
    if (E->grid->cooperative) {
        while (more()) admit();
    }
    for (;;) {
        if (E->fault != Fault::none) return;
        if (fresh_block()) {
            switch_to(&E->main, take_fiber());
            continue;
        }
        if (!E->ready.empty()) {
            Thread *next = E->ready.pop();
            go_on(next);
            switch_to(&E->main, next->fiber);
            continue;
        }
        if (!E->grid->cooperative) {
            bool all = true;
            for (const auto &it : E->resident) all = all && it->returned == it->count;
            if (all || cluster == 1) {
                for (size_t i = E->resident.size(); i-- > 0;) {
                    if (E->resident[i]->returned == E->resident[i]->count) retire_block(i);
                }
            }
        }
        if (E->resident.empty()) {
            if (!more()) return;
            admit();
            continue;
        }
        if (E->grid->cooperative) {
            bool all = true;
            for (const auto &it : E->resident) all = all && it->returned == it->count;
            if (all) return;
        }
        if (poll_waiting() || fire_converged()) continue;
        const bool room = more() && E->resident_threads + E->resident[0]->count <= most_resident;
        if (!E->paused.empty()) {
            if (E->progress != seen) {
                seen = E->progress;
                rounds = 0;
                since = std::chrono::steady_clock::now();
            } else {
                const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - since;
                if (room && (++rounds >= 64 || waited.count() > 0.1)) {
                    admit();
                    continue;
                }
                if (waited.count() > config().patience) {
                    report_standstill(
                        "endless", "no thread got anywhere in " + std::to_string(int(config().patience)) +
                                       " s (SIMT_PATIENCE)"
                    );
                    E->fault = Fault::endless;
                    return;
                }
            }
            std::vector<Thread *> again;
            again.swap(E->paused);
            for (Thread *it : again) make_ready(it);
            continue;
        }
        if (room && !E->waiting.empty()) {
            admit();
            continue;
        }
        report_standstill("deadlock", "no thread of the block can go on");
        E->fault = Fault::deadlock;
        return;
    }
}

}  // namespace

Watcher *watcher = nullptr;

ActingDevice::ActingDevice() : before_(acting) { acting = true; }
ActingDevice::~ActingDevice() { acting = before_; }
bool acting_device() { return acting; }
bool in_engine() { return inside.load(std::memory_order_relaxed); }

// --- running a grid ----------------------------------------------------------------------------

Fault run_grid(const Grid &grid, void (*body)(void *), void *argument) {
    if (on_device()) {
        std::fputs("simt: run_grid() was called from a GPU thread\n", stderr);
        std::abort();
    }
    const std::lock_guard<std::mutex> lock(E->turn);
    set_up_signals();
    set_up_signal_stack();
    inside.store(true);
    owner = pthread_self();
    dl_iterate_phdr(find_text, reinterpret_cast<void *>(body));
    E->grid = &grid;
    E->body = body;
    E->argument = argument;
    if (watcher) watcher->grid_begins();
    E->fault = Fault::none;
    E->blocks = uint64_t(grid.grid.x) * grid.grid.y * grid.grid.z;
    E->next_block = 0;
    E->next_fresh = 0;
    E->at_grid = 0;
    make_order(E->block_order, E->blocks, grid.cluster.x * grid.cluster.y * grid.cluster.z > 1 ? Order::up : config().order, config().order_seed);
    blockDim = grid.block;
    gridDim = grid.grid;
    adopt_thread(E->main);
    grid_active.store(true);
    run_blocks();
    grid_active.store(false);
    E->current = nullptr;
    E->fiber = nullptr;
    while (!E->resident.empty()) {
        if (E->fault == Fault::none) close_block(*E->resident.back());
        E->spare.push_back(std::move(E->resident.back()));
        E->resident.pop_back();
    }
    if (E->spare.size() > 16) E->spare.resize(16);
    E->resident_threads = 0;
    E->ready.clear();
    E->paused.clear();
    E->waiting.clear();
    E->idle.clear();  // also those that a fault left in the middle of a kernel
    for (const auto &it : E->fibers) E->idle.push_back(it.get());
    const Fault fault = E->fault;
    if (watcher) watcher->grid_ends();
    std::vector<std::function<void()>> after;
    after.swap(E->after);
    E->grid = nullptr;
    inside.store(false);
    if (fault == Fault::none && !after.empty()) {
        E->turn.unlock();  // what it left to do launches grids
        for (const auto &it : after) it();
        E->turn.lock();
    }
    return fault;
}

void run_after(std::function<void()> work) {
    const Inside guard;
    E->after.push_back(std::move(work));
}

bool on_device() { return E && E->current && pthread_equal(pthread_self(), owner); }
const Grid &running_grid() { return *E->grid; }

// --- who am I ----------------------------------------------------------------------------------

unsigned thread_rank() { return E->current->rank; }
bool on_own_stack(const void *pointer) {
    const auto *it = static_cast<const char *>(pointer);
    return it >= E->fiber->stack && it < E->fiber->stack + E->fiber->size;
}
unsigned lane() { return E->current->lane; }
unsigned warp_in_block() { return E->current->warp; }
mask_t live_lanes() { return E->current->block->warps[E->current->warp].live; }

// --- waiting -----------------------------------------------------------------------------------

void block_sync(Site site) { barrier(0, site, 0); }
int block_sync_count(int predicate, Site site) { return barrier(predicate, site, 0); }
int block_sync_and(int predicate, Site site) { return barrier(predicate, site, 1); }
int block_sync_or(int predicate, Site site) { return barrier(predicate, site, 2); }

void grid_sync(Site site) {
    const Inside guard;
    if (!E->grid->cooperative) {
        fail(Fault::trap, site, "grid barrier in a kernel that was not launched cooperatively");
    }
    Thread *thread = E->current;
    thread->state = State::at_grid;
    thread->site = site;
    E->at_grid++;
    check_grid();
    leave();
}

void cluster_sync(Site site) {
    const Inside guard;
    Thread *thread = E->current;
    thread->state = State::at_cluster;
    thread->site = site;
    check_cluster(*thread->block);
    leave();
}

static bool arrive(Block &block, uint64_t key, unsigned count) {
    Named *it = nullptr;
    for (Named &named : block.named) {
        if (named.key == key) it = &named;
    }
    if (!it) {
        block.named.push_back(Named{key, 0});
        it = &block.named.back();
    }
    if (++it->arrived < count) return false;
    it->arrived = 0;
    wake(block, [key](const Thread &t) { return t.state == State::named && t.key == key; });
    return true;
}

void named_sync(uint64_t key, unsigned count, Site site) {
    const Inside guard;
    Thread *thread = E->current;
    thread->state = State::named;
    thread->site = site;
    thread->key = key;
    Block &block = *thread->block;
    if (watcher) watcher->released(&block.named);
    arrive(block, key, count);
    leave();
    if (watcher) watcher->acquired(&block.named);
}

void named_arrive(uint64_t key, unsigned count, Site) {
    const Inside guard;
    Block &block = *E->current->block;
    if (watcher) watcher->released(&block.named);
    arrive(block, key, count);
}

void yield() {
    if (!on_device()) return;
    const Inside guard;
    if (E->ready.empty() && !fresh_block()) return;
    make_ready(E->current);
    leave();
}

void pause(Site site) {
    if (!on_device()) return;
    const Inside guard;
    Thread *thread = E->current;
    thread->state = State::paused;
    if (site.line || !thread->site.line) thread->site = site;
    E->paused.push_back(thread);
    leave();
}

void poll(Site site) {
    static unsigned calls = 0;
    if (++calls % 256 == 0) pause(site);
}

void wait_until(bool (*ready)(void *), void *context, const char *what, Site site) {
    const Inside guard;
    if (ready(context)) return;
    Thread *thread = E->current;
    thread->state = State::waiting;
    thread->site = site;
    thread->what = what;
    thread->until = ready;
    thread->context = context;
    E->waiting.push_back(thread);
    leave();
}

// --- warps -------------------------------------------------------------------------------------

void collective(
    mask_t mask, void *slot, Combine combine, void *context, const char *what, Site site
) {
    const Inside guard;
    Thread *thread = E->current;
    thread->what = what;
    const mask_t mine = mask_t(1) << thread->lane;
    if (!(mask & mine)) {
        finding(
            "mask-without-caller", site,
            std::string(what) + ": a lane called it with a mask that does not name the lane: undefined"
        );
        mask |= mine;
    }
    join(thread, mask, false, slot, combine, context, site);
}

void collective_converged(void *slot, Combine combine, void *context, const char *what, Site site) {
    const Inside guard;
    E->current->what = what;
    join(E->current, 0, true, slot, combine, context, site);
}

void warp_sync(mask_t mask, Site site) { collective(mask, nullptr, nullptr, nullptr, "__syncwarp", site); }

namespace {

struct Vote {
    bool predicate;
    mask_t result;
};

void count_votes(const Gather &gather, void *) {
    mask_t result = 0;
    for (int i = 0; i < gather.width; i++) {
        if (gather.lanes >> i & 1 && static_cast<Vote *>(gather.slot[i])->predicate) result |= mask_t(1) << i;
    }
    for (int i = 0; i < gather.width; i++) {
        if (gather.lanes >> i & 1) static_cast<Vote *>(gather.slot[i])->result = result;
    }
}

struct Match {
    unsigned char value[16];
    unsigned size;
    mask_t result;
};

void find_matches(const Gather &gather, void *) {
    for (int i = 0; i < gather.width; i++) {
        if (!(gather.lanes >> i & 1)) continue;
        auto *mine = static_cast<Match *>(gather.slot[i]);
        mine->result = 0;
        for (int k = 0; k < gather.width; k++) {
            if (!(gather.lanes >> k & 1)) continue;
            const auto *other = static_cast<const Match *>(gather.slot[k]);
            bool equal = true;
            for (unsigned b = 0; b < mine->size; b++) equal = equal && mine->value[b] == other->value[b];
            if (equal) mine->result |= mask_t(1) << k;
        }
    }
}

struct Exchange {
    alignas(16) unsigned char in[16];
    alignas(16) unsigned char out[16];
    unsigned size;
    int argument, width;
    Shuffle kind;
    bool valid, absent;
};

void exchange(const Gather &gather, void *) {
    for (int i = 0; i < gather.width; i++) {
        if (!(gather.lanes >> i & 1)) continue;
        auto &mine = *static_cast<Exchange *>(gather.slot[i]);
        const int width = mine.width;
        const int base = i & ~(width - 1), rank = i - base;
        int from = rank;
        mine.valid = true;
        switch (mine.kind) {
            case Shuffle::index: from = mine.argument & (width - 1); break;
            case Shuffle::up: from = rank - mine.argument; break;
            case Shuffle::down: from = rank + mine.argument; break;
            case Shuffle::exclusive_or: from = rank ^ mine.argument; break;
        }
        // Lanes beyond the sub-warp: xor may still read a lower sub-warp, as hardware lets it.
        if (mine.kind == Shuffle::exclusive_or ? base + from >= base + width : from < 0 || from >= width) {
            from = rank;
            mine.valid = false;
        }
        int source = base + from;
        mine.absent = source < 0 || source >= gather.width || !(gather.lanes >> source & 1);
        if (mine.absent) source = i;
        std::memcpy(mine.out, static_cast<const Exchange *>(gather.slot[source])->in, mine.size);
    }
}

bool finish_shuffle(const Exchange &mine, void *out, Site site) {
    if (mine.absent && config().strict) {
        finding("shuffle-absent-lane", site, "a shuffle reads a lane that takes no part: undefined");
    }
    std::memcpy(out, mine.out, mine.size);
    return mine.valid;
}

Exchange prepare_shuffle(const void *in, unsigned size, Shuffle kind, int argument, int width, Site site) {
    Exchange mine;
    std::memcpy(mine.in, in, size);
    mine.size = size;
    mine.kind = kind;
    mine.argument = argument;
    mine.width = width && width <= warpSize ? width : warpSize;
    mine.absent = false;
    if (width & (width - 1)) {
        finding("shuffle-width", site, "the width of a shuffle is no power of two: undefined");
        mine.width = warpSize;
    }
    return mine;
}

}  // namespace

mask_t ballot(mask_t mask, bool predicate, Site site) {
    Vote mine{predicate, 0};
    collective(mask, &mine, count_votes, nullptr, "ballot", site);
    return mine.result;
}

mask_t ballot_converged(bool predicate, Site site) {
    Vote mine{predicate, 0};
    collective_converged(&mine, count_votes, nullptr, "ballot", site);
    return mine.result;
}

mask_t match_any(mask_t mask, const void *value, unsigned size, Site site) {
    Match mine{};
    std::memcpy(mine.value, value, size);
    mine.size = size;
    collective(mask, &mine, find_matches, nullptr, "match", site);
    return mine.result;
}

bool shuffle(
    mask_t mask, const void *in, void *out, unsigned size, Shuffle kind, int argument, int width, Site site
) {
    Exchange mine = prepare_shuffle(in, size, kind, argument, width, site);
    collective(mask, &mine, exchange, nullptr, "shuffle", site);
    return finish_shuffle(mine, out, site);
}

bool shuffle_converged(
    const void *in, void *out, unsigned size, Shuffle kind, int argument, int width, Site site
) {
    Exchange mine = prepare_shuffle(in, size, kind, argument, width, site);
    collective_converged(&mine, exchange, nullptr, "shuffle", site);
    return finish_shuffle(mine, out, site);
}

mask_t widen(unsigned mask, Site site) {
    if (warpSize <= 32 || mask != 0xffffffffu) return mask;
    if (config().strict) {
        finding("narrow-mask", site, "the mask 0xffffffff names 32 lanes of a warp that has more");
    }
    return all_lanes(warpSize);
}

// --- shared memory -----------------------------------------------------------------------------

void *shared_variable(const void *key, size_t size, size_t align, const char *name, Site site) {
    const Inside guard;
    Block &block = *E->current->block;
    for (const Variable &it : block.variables) {
        if (it.key == key) return it.memory;
    }
    size_t at = (block.used + align - 1) / align * align;
    block.declared = (block.declared + align - 1) / align * align + size;
    const size_t limit = E->grid->shared_limit ? E->grid->shared_limit : arena_size;
    char *memory = block.arena + at;
    if (block.declared + E->grid->dynamic_shared > limit || memory + size + canary_size > block.dynamic) {
        char text[120];
        std::snprintf(
            text, sizeof text, "%zu bytes of shared memory, the device gives a block %zu",
            block.declared + E->grid->dynamic_shared, std::min(limit, arena_size)
        );
        fail(Fault::shared_limit, site, text);
    }
    block.used = at + size + canary_size;
    unpoison(memory, size);
    fill_shared(memory, size);
#ifndef SIMT_ASAN
    std::memset(memory + size, canary, canary_size);
#endif
    if (watcher) watcher->shared_declared(memory, size, name);
    block.variables.push_back(Variable{key, memory, size, name, site});
    return memory;
}

uint64_t block_serial() { return E->current->block->serial; }

void *dynamic_shared() { return E->current->block->dynamic; }
size_t dynamic_shared_size() { return E->grid->dynamic_shared; }
size_t total_shared_size() { return E->grid->dynamic_shared + E->current->block->declared; }

bool is_shared(const void *pointer) {
    if (!on_device()) return false;
    const char *arena = E->current->block->arena;
    return pointer >= arena && pointer < arena + arena_size;
}

unsigned shared_offset(const void *pointer, Site site) {
    const char *arena = E->current->block->arena;
    const auto *it = static_cast<const char *>(pointer);
    if (it < arena || it > arena + arena_size) {
        fail(Fault::illegal_address, site, "a pointer taken for one to shared memory is not");
    }
    return static_cast<unsigned>(it - arena);
}

void *shared_pointer(unsigned offset, Site site) {
    if (offset > arena_size) fail(Fault::illegal_address, site, "an address outside of shared memory");
    return E->current->block->arena + offset;
}

void *cluster_pointer(const void *pointer, unsigned block_rank, Site site) {
    const unsigned offset = shared_offset(pointer, site);
    const uint3 &mine = E->current->block->index;
    const dim3 &c = E->grid->cluster;
    for (const auto &it : E->resident) {
        const uint3 &other = it->index;
        if (it->cluster_rank == block_rank && other.x / c.x == mine.x / c.x &&
            other.y / c.y == mine.y / c.y && other.z / c.z == mine.z / c.z) {
            return it->arena + offset;
        }
    }
    fail(Fault::illegal_address, site, "the cluster has no block of this rank");
}

// --- faults ------------------------------------------------------------------------------------

void fail(Fault fault, Site site, const char *text) {
    inside.store(true, std::memory_order_relaxed);
    finding("device-fault", site, text);
    abandon(fault);
}

}  // namespace simt

// assert() in a kernel is an error of the device, not the end of the process.
extern "C" void __assert_fail(
    const char *expression, const char *file, unsigned line, const char *function
) noexcept {
    if (simt::on_device()) {
        char text[512];
        std::snprintf(text, sizeof text, "assertion `%s` failed in %s", expression, function);
        simt::fail(simt::Fault::assertion, simt::Site{file, static_cast<int>(line)}, text);
    }
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
}
