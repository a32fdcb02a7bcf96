// What `kernel<<<grid, block, shared, stream>>>(arguments)` is lowered to:
//     ::simt::Launch(grid, block, shared, stream).call("kernel", address or nullptr,
//         [=](auto &...p_) { kernel(p_...); }, arguments)
// Arguments are evaluated once and copied; each GPU thread gets copies of its own, as on hardware,
// where parameters are private. The launch may run later than this statement.
#pragma once

#include <tuple>
#include <utility>

#include "host.h"

namespace simt {

class Launch {
  public:
    Launch(dim3 grid, dim3 block, size_t shared = 0, Stream stream = nullptr) {
        config_.grid = grid;
        config_.block = block;
        config_.shared = shared;
        config_.stream = stream;
    }

    template <class Kernel, class... Arguments>
    int call(
        const char *name, const void *address, Site site, Kernel kernel, Arguments... arguments
    ) {
        Body body = make_body(std::move(kernel), std::tuple<Arguments...>(std::move(arguments)...));
        return launch(config_, address, name, std::move(body), site);
    }

  private:
    LaunchConfig config_;
};

}  // namespace simt
