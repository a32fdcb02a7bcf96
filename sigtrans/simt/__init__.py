"""Run CUDA and MUSA programs on the CPU: lowering to plain C++, compilers, builds, a cache.

The C++ side lies beside: `runtime/` is the engine and the device, `include/` the vendor headers.
"""

from __future__ import annotations
