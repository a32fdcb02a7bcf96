// The types that are part of the language.
#pragma once
#include "device_types.h"
#include "driver_types.h"
#include "vector_types.h"
