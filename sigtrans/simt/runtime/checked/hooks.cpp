// The checked build: programs compiled with -fsanitize=thread call these functions at each access.
// From them come data races, reads of memory that nobody wrote, accesses outside of what exists,
// host code that touches device memory and the reverse, and switches between accesses
// (SIMT_INTERLEAVE, SIMT_LOCKSTEP).
//
// Races are found by happens-before. What orders two accesses on a GPU has few forms, so stamps
// stay small: a block counts its barriers, a lane knows how far it has seen the lanes of its warp,
// and what passes through fences, atomics and named barriers is a map that hardly anybody needs.
// Compiled without -fsanitize=thread.

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "../simt/engine.h"
#include "../simt/watch.h"

extern "C" void *__libc_malloc(size_t);
extern "C" void __libc_free(void *);

namespace simt {

namespace {

enum class How : unsigned char { plain, relaxed };  // relaxed: atomic or volatile

// One access that a later one may be in conflict with. `block` 0: none.
struct Stamp {
    uint32_t block, clock, epoch, pc;
    uint16_t rank;
    unsigned char bytes;  // of the granule, a bit each
    How how;
};

// What is known of four bytes.
struct Cell {
    Stamp write, read[2];
    unsigned char written;  // bytes that have contents
};

constexpr size_t granule = 4;

struct Variable {
    size_t begin, size;
    const char *name;
};

struct Region {
    uintptr_t begin = 0;
    size_t size = 0;
    Memory kind = Memory::fixed;
    bool written = true;
    Cell *cells = nullptr;
    std::vector<Variable> variables;  // of shared memory

    size_t cells_size() const { return (size / granule + 2) * sizeof(Cell); }
};

// What a thread knows of others: all barriers of a block before an epoch, single threads up to a
// clock.
struct Known {
    std::map<uint32_t, uint32_t> blocks;
    std::map<uint64_t, uint32_t> threads;  // block << 16 | rank
};
using KnownPtr = std::shared_ptr<const Known>;

struct ThreadState {
    uint32_t clock = 1;
    KnownPtr known, fenced;
    std::vector<uint32_t> lanes;  // how far it has seen each lane of its warp
};

struct BlockState {
    uint32_t serial = 0, epoch = 1;
    KnownPtr known;
    std::vector<ThreadState> threads;
};

KnownPtr join(const KnownPtr &a, const KnownPtr &b) {
    if (!a || a == b) return b;
    if (!b) return a;
    auto out = std::make_shared<Known>(*a);
    for (const auto &[key, value] : b->blocks) out->blocks[key] = std::max(out->blocks[key], value);
    for (const auto &[key, value] : b->threads) out->threads[key] = std::max(out->threads[key], value);
    return out;
}

uint64_t thread_key(uint32_t block, unsigned rank) { return uint64_t(block) << 16 | rank; }

bool busy = false;  // our own code runs: its memory is of no interest
struct Busy {
    bool before = busy;
    Busy() { busy = true; }
    ~Busy() { busy = before; }
};

uint64_t random_state = config().interleave;
uint64_t next_random() {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

const char *name_of(Memory kind) {
    switch (kind) {
        case Memory::device: return "device memory";
        case Memory::pinned: return "pinned memory";
        case Memory::managed: return "managed memory";
        case Memory::parameters: return "launch arguments";
        case Memory::heap: return "memory from malloc() in the kernel";
        case Memory::shared: return "shared memory";
        default: return "a variable of the program";
    }
}

class Checker final : public Watcher {
  public:
    Checker() {
        Dl_info info;
        static const int anchor = 0;
        if (dladdr(&anchor, &info)) base_ = reinterpret_cast<uintptr_t>(info.dli_fbase);
        dl_iterate_phdr(add_image, this);
    }

    void allocated(const void *memory, size_t size, Memory kind, bool written) override {
        const Busy guard;
        const auto begin = reinterpret_cast<uintptr_t>(memory);
        auto found = regions_.find(begin);
        if (found == regions_.end() || found->second->size != size) {
            remove(begin, begin + size);
            auto region = std::make_unique<Region>();
            region->begin = begin;
            region->size = size;
            void *cells = mmap(
                nullptr, region->cells_size(), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0
            );
            region->cells = cells == MAP_FAILED ? nullptr : static_cast<Cell *>(cells);
            found = regions_.insert_or_assign(begin, std::move(region)).first;
        } else if (found->second->cells) {
            madvise(found->second->cells, found->second->cells_size(), MADV_DONTNEED);
        }
        found->second->kind = kind;
        found->second->written = written;
        found->second->variables.clear();
        if (kind == Memory::device) {
            device_begin_ = std::min(device_begin_, begin);
            device_end_ = std::max(device_end_, begin + size);
        }
    }

    void freed(const void *memory) override {
        const Busy guard;
        const auto begin = reinterpret_cast<uintptr_t>(memory);
        remove(begin, begin + 1);
    }

    void written(const void *memory, size_t size) override {
        const Busy guard;
        mark_written(reinterpret_cast<uintptr_t>(memory), size);
    }

    void copied(void *to, const void *from, size_t size) override {
        const Busy guard;
        const auto source = reinterpret_cast<uintptr_t>(from), target = reinterpret_cast<uintptr_t>(to);
        const Region *in = find(source);
        Region *out = find(target);
        if (!out || out->written) return;
        if (!in || in->written || !in->cells) {
            mark_written(target, size);
            return;
        }
        for (size_t i = 0; i < size; i++) {
            const Cell &cell = in->cells[(source + i - in->begin) / granule];
            if (cell.written >> ((source + i) % granule) & 1) mark_written(target + i, 1);
        }
    }

    void grid_begins() override { first_block_ = last_block_ + 1; }

    void grid_ends() override {
        const Busy guard;
        settle();
        blocks_.clear();  // a fault leaves some open
        objects_.clear();
        cached_ = nullptr;
    }

    void block_opens(uint64_t block, unsigned threads) override {
        const Busy guard;
        last_block_ = static_cast<uint32_t>(block);
        auto &it = blocks_[last_block_];
        it.serial = last_block_;
        it.threads.resize(threads);
        cached_ = nullptr;
    }

    void block_closes(uint64_t block) override {
        const Busy guard;
        blocks_.erase(static_cast<uint32_t>(block));
        cached_ = nullptr;
    }

    void shared_declared(void *memory, size_t size, const char *name) override {
        const Busy guard;
        const auto begin = reinterpret_cast<uintptr_t>(memory);
        if (Region *it = find(begin)) {
            it->written = false;
            it->variables.push_back(Variable{begin, size, name});
        }
    }

    void block_joined(uint64_t block) override {
        const Busy guard;
        BlockState &it = state(static_cast<uint32_t>(block));
        KnownPtr last = it.known;
        for (ThreadState &thread : it.threads) {
            if (thread.known && thread.known != last) {
                it.known = join(it.known, thread.known);
                last = thread.known;
            }
            thread.known = nullptr;
        }
        it.epoch++;
    }

    void warp_joined(uint64_t block, unsigned first, unsigned __int128 lanes) override {
        const Busy guard;
        BlockState &it = state(static_cast<uint32_t>(block));
        const auto width = static_cast<unsigned>(warpSize);
        std::vector<uint32_t> seen(width, 0);
        KnownPtr known;
        const unsigned count = std::min<unsigned>(width, unsigned(it.threads.size()) - first);
        for (unsigned i = 0; i < count; i++) {
            if (!(lanes >> i & 1)) continue;
            ThreadState &thread = it.threads[first + i];
            seen[i] = std::max(seen[i], thread.clock);
            for (unsigned k = 0; k < thread.lanes.size(); k++) seen[k] = std::max(seen[k], thread.lanes[k]);
            known = join(known, thread.known);
        }
        for (unsigned i = 0; i < count; i++) {
            if (!(lanes >> i & 1)) continue;
            it.threads[first + i].lanes = seen;
            it.threads[first + i].known = known;
            it.threads[first + i].clock++;
        }
    }

    void grid_joined() override {
        const Busy guard;
        auto all = std::make_shared<Known>();
        for (auto &[serial, it] : blocks_) all->blocks[serial] = ++it.epoch;
        for (auto &[serial, it] : blocks_) {
            it.known = all;
            for (ThreadState &thread : it.threads) thread.known = nullptr;
        }
    }

    void released(const void *object) override {
        const Busy guard;
        KnownPtr &it = objects_[reinterpret_cast<uintptr_t>(object)];
        it = join(it, snapshot());
    }

    void acquired(const void *object) override {
        const Busy guard;
        const auto found = objects_.find(reinterpret_cast<uintptr_t>(object));
        if (found != objects_.end()) me().known = join(me().known, found->second);
    }

    void fence() override {
        const Busy guard;
        me().fenced = snapshot();
    }

    void access(uintptr_t address, size_t size, bool write, How how, const void *pc);
    void synchronise(uintptr_t address, bool load, bool store, int order);
    void settle();

  private:
    static int add_image(dl_phdr_info *info, size_t, void *self) {
        auto *it = static_cast<Checker *>(self);
        uintptr_t begin = ~uintptr_t(0), end = 0;
        for (int i = 0; i < info->dlpi_phnum; i++) {
            const auto &header = info->dlpi_phdr[i];
            if (header.p_type != PT_LOAD) continue;
            begin = std::min<uintptr_t>(begin, info->dlpi_addr + header.p_vaddr);
            end = std::max<uintptr_t>(end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
        }
        if (begin < end) it->allocated(reinterpret_cast<void *>(begin), end - begin, Memory::fixed, true);
        return 0;
    }

    void remove(uintptr_t begin, uintptr_t end) {
        for (auto &it : cache_) it = nullptr;
        auto at = regions_.lower_bound(begin);
        if (at != regions_.begin()) {
            auto before = std::prev(at);
            if (before->first + before->second->size > begin) at = before;
        }
        while (at != regions_.end() && at->first < end) {
            if (at->second->cells) munmap(at->second->cells, at->second->cells_size());
            at = regions_.erase(at);
        }
    }

    Region *find(uintptr_t address) {
        Region *&cached = cache_[address >> 12 & (cache_.size() - 1)];
        if (cached && address - cached->begin < cached->size) return cached;
        auto at = regions_.upper_bound(address);
        if (at == regions_.begin()) return nullptr;
        Region *it = std::prev(at)->second.get();
        if (address - it->begin >= it->size) return nullptr;
        return cached = it;
    }

    void mark_written(uintptr_t address, size_t size) {
        Region *it = find(address);
        if (!it || it->written || !it->cells) return;
        size = std::min(size, it->begin + it->size - address);
        for (uintptr_t at = address; at < address + size;) {
            const size_t from = at % granule;
            const size_t count = std::min(granule - from, address + size - at);
            Cell &cell = it->cells[(at - it->begin) / granule];
            cell.written |= static_cast<unsigned char>(((1u << count) - 1) << from);
            at += count;
        }
    }

    BlockState &state(uint32_t block) {
        if (!cached_ || cached_->serial != block) cached_ = &blocks_[block];
        return *cached_;
    }
    BlockState &my_block() { return state(static_cast<uint32_t>(block_serial())); }
    ThreadState &me() { return my_block().threads[thread_rank()]; }

    // Everything that the running thread did or knows of.
    KnownPtr snapshot() {
        BlockState &block = my_block();
        ThreadState &thread = me();
        auto out = std::make_shared<Known>();
        if (const KnownPtr both = join(thread.known, block.known)) *out = *both;
        out->blocks[block.serial] = std::max(out->blocks[block.serial], block.epoch);
        const unsigned rank = thread_rank(), width = static_cast<unsigned>(warpSize);
        for (unsigned i = 0; i < thread.lanes.size(); i++) {
            if (!thread.lanes[i]) continue;
            uint32_t &clock = out->threads[thread_key(block.serial, rank / width * width + i)];
            clock = std::max(clock, thread.lanes[i]);
        }
        out->threads[thread_key(block.serial, rank)] = thread.clock++;
        return out;
    }

    static bool knows(const KnownPtr &known, const Stamp &stamp) {
        if (!known) return false;
        const auto block = known->blocks.find(stamp.block);
        if (block != known->blocks.end() && block->second > stamp.epoch) return true;
        const auto thread = known->threads.find(thread_key(stamp.block, stamp.rank));
        return thread != known->threads.end() && thread->second >= stamp.clock;
    }

    bool ordered(const Stamp &stamp, const BlockState &block, const ThreadState &thread, unsigned rank) {
        if (stamp.block < first_block_) return true;  // another grid; also: no stamp
        if (stamp.block == block.serial) {
            if (stamp.rank == rank || stamp.epoch < block.epoch) return true;
            const auto width = static_cast<unsigned>(warpSize);
            if (stamp.rank / width == rank / width) {
                const unsigned lane = stamp.rank % width;
                if (lane < thread.lanes.size() && thread.lanes[lane] >= stamp.clock) return true;
            }
        }
        return knows(thread.known, stamp) || knows(block.known, stamp);
    }

    std::string describe(const Region &region, uintptr_t address) const {
        if (region.kind == Memory::shared) {
            for (const Variable &it : region.variables) {
                if (address - it.begin < it.size) {
                    return std::string("shared variable ") + it.name + ", byte " + std::to_string(address - it.begin);
                }
            }
        }
        std::string text = name_of(region.kind);
        if (region.kind == Memory::fixed) return text;
        return text + " of " + std::to_string(region.size) + " bytes, byte " + std::to_string(address - region.begin);
    }

    void race(const Region &region, uintptr_t address, const Stamp &other, bool write, bool other_write, const void *pc) {
        std::string text = "data race on " + describe(region, address) + ": this " +
                           (write ? "write" : "read") + " and a" + (other_write ? " write" : " read");
        const BlockState &mine = my_block();
        const auto width = static_cast<unsigned>(warpSize);
        if (other.block != mine.serial) text += " by another block";
        else if (other.rank / width == thread_rank() / width) text += " by another lane of the warp";
        else text += " by another warp of the block";
        finding_at("race", pc, text + " are not ordered", pc_of(other));
    }

    const void *pc_of(const Stamp &stamp) const { return reinterpret_cast<const void *>(base_ + stamp.pc); }

    void check_cell(const Region &region, Cell &cell, uintptr_t address, unsigned char bytes, bool write, How how, const void *pc);
    void unknown(uintptr_t address, size_t size, bool write, const void *pc);

    uintptr_t base_ = 0;
    unsigned since_pause_ = 0, polls_ = 0;
    uintptr_t device_begin_ = ~uintptr_t(0), device_end_ = 0;
    std::map<uintptr_t, std::unique_ptr<Region>> regions_;
    std::array<Region *, 1024> cache_{};
    std::map<uint32_t, BlockState> blocks_;
    BlockState *cached_ = nullptr;
    uint32_t first_block_ = 1, last_block_ = 0;
    std::unordered_map<uintptr_t, KnownPtr> objects_;

    // Two writes that race, of which the second has not been done yet: where both write the same
    // value, nothing can be told apart.
    struct Pending {
        bool any = false;
        uintptr_t address = 0;
        unsigned char old[granule] = {};
        Region *region = nullptr;
        Stamp other{};
        const void *pc = nullptr;
        uint3 block{}, thread{};
    } pending_;
};

void Checker::settle() {
    if (!pending_.any) return;
    pending_.any = false;
    const bool same = !std::memcmp(reinterpret_cast<const void *>(pending_.address), pending_.old, granule);
    if (!same || config().strict) {
        std::string text = "data race on " + describe(*pending_.region, pending_.address) +
                           ": this write and a write by another thread are not ordered";
        if (same) text += " (both write the same value)";
        finding_at("race", pending_.pc, text, pc_of(pending_.other));
    }
}

void Checker::check_cell(
    const Region &region, Cell &cell, uintptr_t address, unsigned char bytes, bool write, How how, const void *pc
) {
    BlockState &block = my_block();
    const unsigned rank = thread_rank();
    ThreadState &thread = block.threads[rank];
    const auto conflict = [&](const Stamp &it) {
        return it.block && it.bytes & bytes && !(how == How::relaxed && it.how == How::relaxed) &&
               !ordered(it, block, thread, rank);
    };
    if (region.kind != Memory::parameters) {
        if (conflict(cell.write)) {
            if (write && how == How::plain && cell.write.how == How::plain) {
                pending_.any = true;
                pending_.address = address & ~uintptr_t(granule - 1);
                std::memcpy(pending_.old, reinterpret_cast<const void *>(pending_.address), granule);
                pending_.region = const_cast<Region *>(&region);
                pending_.other = cell.write;
                pending_.pc = pc;
            } else {
                race(region, address, cell.write, write, true, pc);
            }
        }
        if (write) {
            for (const Stamp &it : cell.read) {
                if (conflict(it)) race(region, address, it, write, false, pc);
            }
        }
    }
    Stamp mine{};
    mine.block = block.serial;
    mine.clock = thread.clock;
    mine.epoch = block.epoch;
    mine.pc = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pc) - base_);
    mine.rank = static_cast<uint16_t>(rank);
    mine.bytes = bytes;
    mine.how = how;
    if (write) {
        cell.write = mine;
        cell.written |= bytes;
    } else {
        Stamp &slot = cell.read[cell.read[0].block == mine.block && cell.read[0].rank == mine.rank ? 0 : 1];
        if (&slot == &cell.read[1] && ordered(cell.read[0], block, thread, rank)) cell.read[0] = mine;
        else slot = mine;
    }
}

void Checker::unknown(uintptr_t address, size_t size, bool write, const void *pc) {
    const char *what = write ? "writes" : "reads";
    auto at = regions_.upper_bound(address);
    if (at != regions_.begin()) {
        const Region &before = *std::prev(at)->second;
        const size_t beyond = address - (before.begin + before.size);
        if (before.kind != Memory::fixed && beyond < 65536) {
            finding_at(
                "overrun", pc,
                std::string(what) + " " + std::to_string(size) + " bytes, " + std::to_string(beyond) + " behind the end of " +
                    name_of(before.kind) + " of " + std::to_string(before.size) + " bytes"
            );
            return;
        }
    }
    if (at != regions_.end() && at->first - address <= 65536 && at->second->kind != Memory::fixed) {
        finding_at(
            "overrun", pc,
            std::string(what) + " " + std::to_string(size) + " bytes, " + std::to_string(at->first - address) +
                " before the begin of " + name_of(at->second->kind) + " of " +
                std::to_string(at->second->size) + " bytes"
        );
        return;
    }
    finding_at("host-memory", pc, std::string("a kernel ") + what + " memory that only the host may touch");
}

void Checker::access(uintptr_t address, size_t size, bool write, How how, const void *pc) {
    if (busy) return;
    if (acting_device() && !on_device()) {
        const Busy guard;
        if (write) mark_written(address, size);
        return;
    }
    if (!on_device()) {
        if (address >= device_begin_ && address < device_end_) {
            const Busy guard;
            const Region *region = find(address);
            if (region && region->kind == Memory::device) {
                finding_at(
                    "device-memory-on-host", pc,
                    std::string("host code ") + (write ? "writes" : "reads") + " " + describe(*region, address)
                );
            }
        }
        if (write) {
            const Busy guard;
            mark_written(address, size);
        }
        return;
    }
    if (on_own_stack(reinterpret_cast<const void *>(address))) return;
    if (++since_pause_ == 65536 || (how == How::relaxed && !write && ++polls_ == 64)) {
        since_pause_ = polls_ = 0;
        pause(Site{"", 0});  // it may wait for another thread
    }
    if (config().lockstep || (config().interleave && next_random() % 4 == 0)) yield();
    const Busy guard;
    settle();
    Region *region = find(address);
    if (!region) {
        unknown(address, size, write, pc);
        return;
    }
    if (region->kind == Memory::shared) {
        const Variable *inside = nullptr, *before = nullptr;
        for (const Variable &it : region->variables) {
            if (address - it.begin < it.size) inside = &it;
            if (it.begin + it.size <= address && (!before || it.begin > before->begin)) before = &it;
        }
        if (!inside || address + size > inside->begin + inside->size) {
            const Variable *near = inside ? inside : before;
            std::string text = std::string(write ? "writes " : "reads ") + std::to_string(size) + " bytes ";
            if (near) {
                text += "at byte " + std::to_string(address - near->begin) + " of the shared variable " +
                        near->name + ", which has " + std::to_string(near->size);
            } else {
                text += "of shared memory before the first shared variable";
            }
            finding_at("overrun", pc, text);
            return;
        }
    }
    if (address + size > region->begin + region->size) {
        unknown(region->begin + region->size, address + size - (region->begin + region->size), write, pc);
        size = region->begin + region->size - address;
    }
    if (!region->cells) return;
    if (!write && !region->written) {
        bool none = true;
        for (uintptr_t at = address / granule * granule; at < address + size; at += granule) {
            const Cell &cell = region->cells[(at - region->begin / granule * granule) / granule];
            none = none && !cell.written;
        }
        if (none) {
            finding_at("uninitialised", pc, "reads " + describe(*region, address) + ", which nobody has written");
            mark_written(address, size);
        }
    }
    for (uintptr_t at = address; at < address + size;) {
        const size_t from = at % granule;
        const size_t count = std::min(granule - from, address + size - at);
        const auto bytes = static_cast<unsigned char>(((1u << count) - 1) << from);
        check_cell(*region, region->cells[(at - region->begin / granule * granule) / granule], at, bytes, write, how, pc);
        at += count;
    }
}

// What an atomic or volatile access orders. `order` is the memory order of C++ as a number. A load
// takes what the last fences and releases before stores to the address made known; hardware wants
// a fence for that, too, but code without it is common and works.
void Checker::synchronise(uintptr_t address, bool load, bool store, int order) {
    if (busy || !on_device()) return;
    const Busy guard;
    ThreadState &thread = me();
    if (load) {
        const auto found = objects_.find(address);
        if (found != objects_.end()) thread.known = join(thread.known, found->second);
    }
    if (store) {
        const bool releases = order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
        const KnownPtr mine = releases ? snapshot() : thread.fenced;
        if (mine) {
            KnownPtr &it = objects_[address];
            it = join(it, mine);
        }
    }
}

Checker &checker() {
    static auto *it = [] {
        const Busy guard;
        auto *made = new Checker;
        watcher = made;
        return made;
    }();
    return *it;
}

[[gnu::constructor]] void start() { checker(); }

using Address = const volatile void *;

inline void plain(Address address, size_t size, bool write, const void *pc) {
    checker().access(reinterpret_cast<uintptr_t>(address), size, write, How::plain, pc);
}

inline void relaxed(Address address, size_t size, bool write, const void *pc) {
    const auto at = reinterpret_cast<uintptr_t>(address);
    checker().access(at, size, write, How::relaxed, pc);
    checker().synchronise(at, !write, write, __ATOMIC_RELAXED);
}

}  // namespace

}  // namespace simt

// One byte before the return address lies in the call, whose line is the access's.
#define SIMT_PC (static_cast<const char *>(__builtin_return_address(0)) - 1)

#define SIMT_HOOKS(size)                                                                         \
    void __tsan_read##size(void *p) { simt::plain(p, size, false, SIMT_PC); }                     \
    void __tsan_write##size(void *p) { simt::plain(p, size, true, SIMT_PC); }                     \
    void __tsan_unaligned_read##size(void *p) { simt::plain(p, size, false, SIMT_PC); }           \
    void __tsan_unaligned_write##size(void *p) { simt::plain(p, size, true, SIMT_PC); }           \
    void __tsan_read_write##size(void *p) {                                                      \
        simt::plain(p, size, false, SIMT_PC);                                                    \
        simt::plain(p, size, true, SIMT_PC);                                                     \
    }                                                                                            \
    void __tsan_unaligned_read_write##size(void *p) {                                            \
        simt::plain(p, size, false, SIMT_PC);                                                    \
        simt::plain(p, size, true, SIMT_PC);                                                     \
    }                                                                                            \
    void __tsan_volatile_read##size(void *p) { simt::relaxed(p, size, false, SIMT_PC); }          \
    void __tsan_volatile_write##size(void *p) { simt::relaxed(p, size, true, SIMT_PC); }          \
    void __tsan_unaligned_volatile_read##size(void *p) { simt::relaxed(p, size, false, SIMT_PC); } \
    void __tsan_unaligned_volatile_write##size(void *p) { simt::relaxed(p, size, true, SIMT_PC); }

#define SIMT_ATOMIC_PRE(bits, write)                                                             \
    simt::checker().access(                                                                      \
        reinterpret_cast<uintptr_t>(p), bits / 8, write, simt::How::relaxed, SIMT_PC              \
    )

#define SIMT_READ_MODIFY_WRITE(bits, type, name)                                                 \
    type __tsan_atomic##bits##_##name(volatile type *p, type v, int order) {                     \
        SIMT_ATOMIC_PRE(bits, false);                                                            \
        SIMT_ATOMIC_PRE(bits, true);                                                             \
        simt::checker().synchronise(reinterpret_cast<uintptr_t>(p), true, true, order);           \
        return __atomic_##name(p, v, __ATOMIC_SEQ_CST);                                           \
    }

#define SIMT_COMPARE(bits, type)                                                                 \
    static int compare##bits(volatile type *p, type *expected, type v, int order, const void *pc) { \
        const auto at = reinterpret_cast<uintptr_t>(p);                                           \
        simt::checker().access(at, bits / 8, false, simt::How::relaxed, pc);                      \
        const bool done =                                                                        \
            __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        if (done) simt::checker().access(at, bits / 8, true, simt::How::relaxed, pc);             \
        simt::checker().synchronise(at, true, done, order);                                      \
        return done;                                                                             \
    }                                                                                            \
    int __tsan_atomic##bits##_compare_exchange_strong(                                           \
        volatile type *p, type *expected, type v, int order, int                                 \
    ) {                                                                                          \
        return compare##bits(p, expected, v, order, SIMT_PC);                                     \
    }                                                                                            \
    int __tsan_atomic##bits##_compare_exchange_weak(                                             \
        volatile type *p, type *expected, type v, int order, int                                 \
    ) {                                                                                          \
        return compare##bits(p, expected, v, order, SIMT_PC);                                     \
    }                                                                                            \
    type __tsan_atomic##bits##_compare_exchange_val(                                             \
        volatile type *p, type expected, type v, int order, int                                  \
    ) {                                                                                          \
        compare##bits(p, &expected, v, order, SIMT_PC);                                           \
        return expected;                                                                         \
    }

#define SIMT_ATOMICS(bits, type)                                                                 \
    type __tsan_atomic##bits##_load(const volatile type *p, int order) {                         \
        SIMT_ATOMIC_PRE(bits, false);                                                            \
        simt::checker().synchronise(reinterpret_cast<uintptr_t>(p), true, false, order);          \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                              \
    }                                                                                            \
    void __tsan_atomic##bits##_store(volatile type *p, type v, int order) {                      \
        SIMT_ATOMIC_PRE(bits, true);                                                             \
        simt::checker().synchronise(reinterpret_cast<uintptr_t>(p), false, true, order);          \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                 \
    }                                                                                            \
    type __tsan_atomic##bits##_exchange(volatile type *p, type v, int order) {                   \
        SIMT_ATOMIC_PRE(bits, false);                                                            \
        SIMT_ATOMIC_PRE(bits, true);                                                             \
        simt::checker().synchronise(reinterpret_cast<uintptr_t>(p), true, true, order);           \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                       \
    }                                                                                            \
    SIMT_READ_MODIFY_WRITE(bits, type, fetch_add)                                                \
    SIMT_READ_MODIFY_WRITE(bits, type, fetch_sub)                                                \
    SIMT_READ_MODIFY_WRITE(bits, type, fetch_and)                                                \
    SIMT_READ_MODIFY_WRITE(bits, type, fetch_or)                                                 \
    SIMT_READ_MODIFY_WRITE(bits, type, fetch_xor)                                                \
    SIMT_READ_MODIFY_WRITE(bits, type, fetch_nand)                                               \
    SIMT_COMPARE(bits, type)

extern "C" {

SIMT_HOOKS(1)
SIMT_HOOKS(2)
SIMT_HOOKS(4)
SIMT_HOOKS(8)
SIMT_HOOKS(16)
SIMT_ATOMICS(8, uint8_t)
SIMT_ATOMICS(16, uint16_t)
SIMT_ATOMICS(32, uint32_t)
SIMT_ATOMICS(64, uint64_t)

void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void **) {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_atomic_signal_fence(int) {}

void __tsan_atomic_thread_fence(int) {
    if (simt::on_device()) simt::checker().fence();
}

void __tsan_read_range(void *p, unsigned long size) { simt::plain(p, size, false, SIMT_PC); }
void __tsan_write_range(void *p, unsigned long size) { simt::plain(p, size, true, SIMT_PC); }

// The compiler turns copies into calls of the C library, which nobody instruments.
static void check_copy(void *to, const void *from, size_t size, const void *pc) {
    if (simt::busy || simt::in_engine() || !size || !simt::watcher) return;
    if (from && (simt::on_device() || simt::acting_device())) simt::plain(from, size, false, pc);
    simt::plain(to, size, true, pc);
}

void *memmove(void *to, const void *from, size_t size) {
    check_copy(to, from, size, SIMT_PC);
    auto *out = static_cast<volatile char *>(to);
    const auto *in = static_cast<const volatile char *>(from);
#if defined(__x86_64__)
    if (out <= in || out >= in + size) {
        void *t = to;
        const void *f = from;
        size_t n = size;
        asm volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(n) : : "memory");
        return to;
    }
#endif
    if (out <= in) {
        for (size_t i = 0; i < size; i++) out[i] = in[i];
    } else {
        for (size_t i = size; i-- > 0;) out[i] = in[i];
    }
    return to;
}

void *memcpy(void *__restrict to, const void *__restrict from, size_t size) {
    check_copy(to, from, size, SIMT_PC);
#if defined(__x86_64__)
    void *t = to;
    const void *f = from;
    asm volatile("rep movsb" : "+D"(t), "+S"(f), "+c"(size) : : "memory");
#else
    auto *out = static_cast<volatile char *>(to);
    const auto *in = static_cast<const volatile char *>(from);
    for (size_t i = 0; i < size; i++) out[i] = in[i];
#endif
    return to;
}

void *memset(void *to, int value, size_t size) {
    check_copy(to, nullptr, size, SIMT_PC);
#if defined(__x86_64__)
    void *t = to;
    asm volatile("rep stosb" : "+D"(t), "+c"(size) : "a"(value) : "memory");
#else
    auto *out = static_cast<volatile char *>(to);
    for (size_t i = 0; i < size; i++) out[i] = static_cast<char>(value);
#endif
    return to;
}

void *malloc(size_t size) {
    void *memory = __libc_malloc(size);
    if (memory && simt::watcher && !simt::busy && !simt::in_engine() && simt::on_device()) {
        simt::watcher->allocated(memory, size, simt::Memory::heap, false);
    }
    return memory;
}

void free(void *memory) {
    if (memory && simt::watcher && !simt::busy && !simt::in_engine() && simt::on_device()) simt::watcher->freed(memory);
    __libc_free(memory);
}

}  // extern "C"
