// What nvcc includes before every .cu file: the runtime API with its C++ forms, the vector types,
// and, in device code, the functions that need no header.
#pragma once
#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"
#include "driver_types.h"
#include "vector_functions.h"
#include "vector_types.h"

#ifdef __cplusplus
#ifdef SIMT_DEVICE_CODE
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "device_atomic_functions.h"
#include "device_functions.h"
#include "math_functions.h"
#endif
#endif
