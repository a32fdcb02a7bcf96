// Inline PTX that was translated to C++: the helper header that ports to MUSA get, with the few
// names of MUSA's device functions that it uses.
#pragma once

#include "engine.h"

// A statement without a translation: building code that would run it is an error that says why;
// code that is never emitted (a template nobody uses, a dead branch) does no harm.
#define SIMT_PASTE_(a, b) a##b
#define SIMT_PASTE(a, b) SIMT_PASTE_(a, b)
#define SIMT_STOP_(message, name) \
    do { \
        void name() __attribute__((error(message))); \
        name(); \
    } while (0)

namespace simt {
inline int ptx_lane() { return static_cast<int>(lane()); }
}  // namespace simt

#define __get_laneid() ::simt::ptx_lane()
#include "sigtrans_ptx.h"
#undef __get_laneid
#undef SIGTRANS_PTX_STOP
#define SIGTRANS_PTX_STOP(message) SIMT_STOP_(message, SIMT_PASTE(simt_stop_, __COUNTER__))
