// What a checked build observes. Programs for it are compiled with -fsanitize=thread, so that the
// compiler calls a function at each access, and linked with our own hooks.cpp instead of the
// sanitizer's library. Everything here does nothing in other builds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "report.h"

namespace simt {

enum class Memory : unsigned char {
    device,      // cudaMalloc and its kin: the host may not touch it
    pinned,      // both sides may
    managed,     // both sides may
    parameters,  // arguments of launches and other objects of ours that kernels read
    heap,        // malloc in a kernel
    shared,      // of one block
    fixed,       // variables of the program
};

class Watcher {
  public:
    virtual ~Watcher() = default;

    // The memory layer tells what exists. `written`: it has contents that may be read.
    virtual void allocated(const void *memory, size_t size, Memory kind, bool written) = 0;
    virtual void freed(const void *memory) = 0;
    virtual void written(const void *memory, size_t size) = 0;  // by a call of the host interface
    virtual void copied(void *to, const void *from, size_t size) = 0;  // contents and their marks

    // The engine tells what orders accesses.
    virtual void grid_begins() = 0;
    virtual void grid_ends() = 0;
    virtual void block_opens(uint64_t block, unsigned threads) = 0;
    virtual void block_closes(uint64_t block) = 0;
    virtual void shared_declared(void *memory, size_t size, const char *name) = 0;
    virtual void block_joined(uint64_t block) = 0;  // all its threads met at a barrier
    virtual void warp_joined(uint64_t block, unsigned first, unsigned __int128 lanes) = 0;
    virtual void grid_joined() = 0;
    virtual void released(const void *object) = 0;  // what the running thread did is known to ...
    virtual void acquired(const void *object) = 0;  // ... whoever acquires the object later
    virtual void fence() = 0;
};

extern Watcher *watcher;  // null unless the checked build is linked

// While one lives, the OS thread does a device's work: library calls, copies, fills.
class ActingDevice {
  public:
    ActingDevice();
    ~ActingDevice();

  private:
    bool before_;
};
bool acting_device();
bool in_engine();  // the engine's own code runs, on whichever stack

uint64_t block_serial();  // [device] of the running block; never used twice in a process

}  // namespace simt
