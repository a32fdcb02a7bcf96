// cudaProfilerStart and cudaProfilerStop are among the runtime functions.
#pragma once
#include "cuda_runtime_api.h"
