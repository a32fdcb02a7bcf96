// Programmatic dependent launch for a port to MUSA, which has none: the launch attribute is ignored
// (torchada: src/torchada/_mapping.py), so a kernel starts when the one before it has ended. Then
// there is nothing to wait for and nothing to announce.
// sigtrans: skip-file
#pragma once

#if defined(__MUSACC__) || defined(__CUDACC__) || defined(SIGTRANS_HOST_TEST)
#if defined(__MUSACC__)
#include <musa_runtime.h>
#endif

namespace sigtrans {

// cudaGridDependencySynchronize: the grid before this one has ended already.
__device__ __forceinline__ void launchGridDependencySynchronize() {}

// cudaTriggerProgrammaticLaunchCompletion: no grid waits for this one to say so.
__device__ __forceinline__ void launchTriggerProgrammaticLaunchCompletion() {}

}  // namespace sigtrans
#endif
