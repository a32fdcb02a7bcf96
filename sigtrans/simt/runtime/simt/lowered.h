// What lowered files use beside the vendor's headers; included before each of them.
#pragma once

#include "launch.h"
#include "shared.h"
