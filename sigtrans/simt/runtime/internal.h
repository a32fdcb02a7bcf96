// What the parts of the host runtime share: errors, devices, the registry of memory, streams.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_runtime_api.h"
#include "simt/array.h"
#include "simt/graph.h"
#include "simt/host.h"

namespace simt {

// --- errors and entry ----------------------------------------------------------------------------

// One lock for the state of the host runtime. Queued work runs with it released.
std::recursive_mutex &state_lock();

cudaError_t set_error(cudaError_t error);  // records it for this host thread
cudaError_t device_fault();                // of the current device: stays until a reset
void set_device_fault(int device, cudaError_t error);
cudaError_t code_of(Fault fault);

// A finding at the place in the user's code that called the API.
void report(const char *kind, const std::string &text);
std::string bytes(size_t count);

bool in_callback();  // host functions in streams must not call the API

enum class Needs : unsigned char { nothing, context };

cudaError_t enter(const void *code, Needs needs);

// The frame of every API function: the lock, faults of the device, the error of this thread.
template <class F>
inline cudaError_t api(const void *code, F body, Needs needs = Needs::context) {
    std::lock_guard<std::recursive_mutex> held(state_lock());
    cudaError_t error = enter(code, needs);
    if (error == cudaSuccess) error = body();
    return error == cudaSuccess ? error : set_error(error);
}
#define SIMT_CALLER __builtin_return_address(0)

// --- devices -------------------------------------------------------------------------------------

const cudaDeviceProp &properties();
int device_count();
int current_device();
size_t shared_limit();  // of a block, with the opt-in
bool is_peer(int device, int peer);

struct KernelInfo {
    Bind bind = nullptr;
    std::vector<size_t> sizes;
    size_t dynamic_limit = 0;  // cudaFuncAttributeMaxDynamicSharedMemorySize; 0: as the device has it
    int carveout = -1;
    bool large_cluster = false;
};
KernelInfo &kernel_info(const void *kernel);
cudaError_t check_launch(const LaunchConfig &config, const void *kernel, const char *name);
int resident_blocks(unsigned threads, size_t shared);  // on one multiprocessor
cudaError_t configure(const cudaLaunchConfig_t &from, LaunchConfig &to);

// --- memory --------------------------------------------------------------------------------------

enum class Kind : unsigned char { host, device, managed, pinned, registered, array, variable };

struct Block {
    char *base = nullptr;
    size_t size = 0;
    Kind kind = Kind::host;
    int device = 0;
    unsigned flags = 0;
    char *mapping = nullptr;  // what was mapped for it, guard pages included
    size_t mapped = 0;
    size_t slack = 0;  // bytes behind `size` that hold the canary
    const void *origin = nullptr;  // code that allocated it
    cudaMemPool_t pool = nullptr;
    const char *name = nullptr;  // of a variable
    bool dying = false;  // a stream-ordered free is queued
};

Block *find_block(const void *pointer);
const Block *find_freed(const void *pointer);
cudaError_t allocate(void **pointer, size_t size, Kind kind, unsigned flags = 0);
void release(Block &block);  // checks the canary; the block is gone then
std::string describe(const void *pointer);
bool add_variable(const void *address, size_t size, const char *name);  // false: known already
void forget_memory();

// A copy of up to three dimensions between plain addresses; widths and pitches in bytes.
struct Copy {
    char *to = nullptr;
    const char *from = nullptr;
    size_t width = 0, height = 1, depth = 1;
    size_t to_pitch = 0, to_slice = 0, from_pitch = 0, from_slice = 0;
    cudaMemcpyKind kind = cudaMemcpyDefault;
    cudaMemcpy3DParms parameters = {};  // as they came, for graph nodes
};
cudaError_t copy_of(const cudaMemcpy3DParms &parameters, Copy &copy);
Copy linear_copy(void *to, const void *from, size_t size, cudaMemcpyKind kind);
cudaError_t check_copy(const Copy &copy);
void run_copy(const Copy &copy);

struct Fill {
    char *to = nullptr;
    unsigned value = 0;
    unsigned element = 1;  // bytes
    size_t pitch = 0, width = 0, height = 1;  // width in elements
    size_t slice = 0, depth = 1;              // in bytes
};
cudaError_t check_fill(const Fill &fill);
void run_fill(const Fill &fill);

// --- streams -------------------------------------------------------------------------------------

struct GraphNode;
struct Graph;

// Work on a stream. It may start when all it waits for is done.
struct Op {
    enum State : unsigned char { waiting, running, done };
    std::function<void()> work;
    std::vector<std::shared_ptr<Op>> after;
    const char *what = "";
    uint64_t number = 0;  // in the order of queueing
    State state = waiting;
    bool callback = false;  // calls the user's function: nothing may be locked
    int device = 0;
};
using OpRef = std::shared_ptr<Op>;

struct StreamState;
StreamState *stream_of(cudaStream_t stream);  // null: no such stream
bool capturing(StreamState *stream);

// Queues an operation. `node` makes the graph node if the stream records one.
struct Work {
    const char *what;
    std::function<void()> run;
    std::function<GraphNode *()> node;  // empty: cannot be part of a graph
    bool callback = false;
    OpRef after;  // beside what the stream orders
};
cudaError_t queue(cudaStream_t stream, Work work, OpRef *made = nullptr);
Work kernel_work(
    const LaunchConfig &config, const void *kernel, const char *name, Body body
);
void finish(const OpRef &op);  // runs it and everything before it
void finish_stream(StreamState *stream);
void finish_device();
void forget_streams();
cudaStream_t default_stream();
cudaError_t check_no_capture();  // calls that may not be made while a stream records

// --- graphs --------------------------------------------------------------------------------------

GraphNode *kernel_node(
    const LaunchConfig &config, const void *kernel, const char *name, Body body
);
GraphNode *copy_node(const Copy &copy);
GraphNode *fill_node(const Fill &fill);

}  // namespace simt
