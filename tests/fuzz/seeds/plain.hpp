#pragma once
// Nothing of CUDA here; custom, cuboid and curly only start alike.
namespace geo { struct cuboid { double curl, cut; }; inline double cube(double x) { return x * x * x; } }
static const int kAccumulate = 1'000'000, kCurrent = 0x1'F;
