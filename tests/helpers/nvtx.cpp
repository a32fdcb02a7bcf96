// What a C++ program does with NVTX, on the helper header.
#include "sigtrans_nvtx.h"
#include <cstdio>
#include <string>
struct mine { static constexpr char const *name{"mine"}; };
int work(int n) {
  NVTX3_FUNC_RANGE();
  nvtx3::scoped_range a{"a"};
  nvtx3::scoped_range_in<mine> b{"b", nvtx3::rgb{1, 2, 3}, nvtx3::payload{n}};
  nvtx3::event_attributes event{"c", nvtx3::category{1}};
  nvtx3::unique_range c{event};
  nvtx3::mark(event);
  auto handle = nvtx3::start_range("d");
  nvtx3::end_range(handle);
  uint64_t kept = nvtx3::start_range_in<mine>(std::string("e")).get_value();
  nvtx3::range_handle again{kept};
  if (again == nvtx3::range_handle{kept} && !again) nvtx3::end_range_in<mine>(again);
  return n + 1;
}
int main() { std::printf("%d", work(1)); }
