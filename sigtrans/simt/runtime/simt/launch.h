// What `kernel<<<grid, block, shared, stream>>>(arguments)` is lowered to:
//     ::simt::Launch(grid, block, shared, stream).of(SIMT_NAME(kernel), kernel)(arguments)
// where the kernel's address says which function is meant, and otherwise (template arguments to be
// deduced, default arguments, overloads)
//     ::simt::Launch(...).of(SIMT_NAME(kernel), [=](auto &...p_) { kernel(p_...); })(arguments)
// Arguments are evaluated once, converted as in a call where the parameters are known, and copied;
// parameters are private to each GPU thread, as on hardware. The launch may run later than this
// statement.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "host.h"

// The kernel's name as the program wrote it; in a macro, as it was passed.
#define SIMT_NAME(...) #__VA_ARGS__

namespace simt {

// A literal 0 or NULL for a parameter of unknown type.
struct Null {
    template <
        class T,
        class = std::enable_if_t<
            std::is_pointer_v<T> || std::is_arithmetic_v<T> || std::is_same_v<T, std::nullptr_t>>>
    constexpr operator T() const {
        return T();
    }
};

class Launch {
  public:
    Launch(dim3 grid, dim3 block, size_t shared = 0, Stream stream = nullptr) {
        config_.grid = grid;
        config_.block = block;
        config_.shared = shared;
        config_.stream = stream;
    }

    // What __cluster_dims__ of the kernel says.
    Launch &cluster(unsigned x, unsigned y = 1, unsigned z = 1) {
        config_.cluster = dim3(x, y, z);
        return *this;
    }

    template <class... P>
    struct Known {
        LaunchConfig config;
        const char *name;
        void (*kernel)(P...);
        Site site;

        void operator()(P... arguments) const {
            using Arguments = std::tuple<std::remove_cv_t<P>...>;
            const auto *address = reinterpret_cast<const void *>(kernel);
            Body body = make_body(kernel, Arguments(static_cast<P &&>(arguments)...));
            launch(config, address, name, std::move(body), site);
        }
    };

    template <class Kernel>
    struct Deduced {
        LaunchConfig config;
        const char *name;
        Kernel kernel;
        Site site;

        template <class... Arguments>
        void operator()(Arguments... arguments) const {
            Body body = make_body(kernel, std::tuple<Arguments...>(std::move(arguments)...));
            launch(config, nullptr, name, std::move(body), site);
        }
    };

    template <class... P>
    Known<P...> of(const char *name, void (*kernel)(P...), Site site = Site::here()) const {
        return {config_, name, kernel, site};
    }

    template <class Kernel>
    Deduced<Kernel> of(const char *name, Kernel kernel, Site site = Site::here()) const {
        return {config_, name, std::move(kernel), site};
    }

  private:
    LaunchConfig config_;
};

}  // namespace simt
