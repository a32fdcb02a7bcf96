// Thrust is one header here.
#pragma once
#include "simt/thrust.h"
