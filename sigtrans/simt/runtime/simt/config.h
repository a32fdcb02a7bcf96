// Switches of a run, read once from the environment. docs/simt.md lists them for users.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

enum class Order : unsigned char { up, down, shuffled };

struct Config {
    int warp = 32;              // SIMT_WARP        lanes of a warp in device code: 32 or 128
    int host_warp = 32;         // SIMT_HOST_WARP   what the device property says to the host
    Order order = Order::up;    // SIMT_ORDER       up | down | a seed: the order in which threads start
    Order wake = Order::up;     // SIMT_WAKE        up | down | a seed: the order in which waiters go on
    uint64_t order_seed = 0, wake_seed = 0;
    Order streams = Order::up;  // SIMT_STREAMS     up: work runs when it is queued; down: as late as the rules
    uint64_t stream_seed = 0;   //                  allow; a seed: late, streams interleaved at random
    int fill = 0xCB;            // SIMT_FILL        byte for new device memory; -1 leaves it as it comes
    int shared_fill = 0xCD;     // SIMT_SHARED_FILL byte for a block's shared memory; -1 for as it comes
    bool strict = false;        // SIMT_STRICT      report what hardware usually forgives
    size_t stack = 128 << 10;   // SIMT_STACK       bytes of stack of a GPU thread
    double patience = 20;       // SIMT_PATIENCE    seconds that a grid may go on without any progress
    uint64_t interleave = 0;    // SIMT_INTERLEAVE  a seed: switch threads at memory accesses (hooks build)
    bool lockstep = false;      // SIMT_LOCKSTEP    lanes of a warp go on together (hooks build)
    const char *target = "";    // SIMT_TARGET      sm_90, mp_22, ...: limits and properties of the device
    const char *report = "";    // SIMT_REPORT      file that findings are appended to, a JSON object a line
};

const Config &config();

}  // namespace simt
