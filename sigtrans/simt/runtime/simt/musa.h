// Device functions that MUSA has under names of its own; included before MUSA's device code.
#pragma once

#include "engine.h"

inline int __get_laneid() { return static_cast<int>(simt::lane()); }
