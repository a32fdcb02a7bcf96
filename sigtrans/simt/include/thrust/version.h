// Thrust is one header here.
#pragma once
#include "crt/thrust.h"
