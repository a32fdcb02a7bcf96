// What test_simt_engine.py runs: `engine NAME` runs one scene and prints what happened.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "simt/engine.h"

using namespace simt;

static const char *names[] = {"none", "deadlock", "illegal_address", "stack_overflow", "assertion",
                              "trap", "endless", "arithmetic", "shared_limit"};

template <class F>
static void run(dim3 grid, dim3 block, F body, Grid more = Grid()) {
    more.grid = grid;
    more.block = block;
    if (!*more.kernel) more.kernel = "scene";
    const Fault fault = run_grid(more, [](void *it) { (*static_cast<F *>(it))(); }, &body);
    std::printf("fault %s\n", names[static_cast<int>(fault)]);
}

template <class T>
static T shift(mask_t mask, T value, Shuffle kind, int by, int width = 0) {
    T out;
    shuffle(mask, &value, &out, sizeof(T), kind, by, width);
    return out;
}

static std::string hex(mask_t mask) {
    char text[40];
    std::snprintf(text, sizeof text, "%llx:%llx", (unsigned long long)(mask >> 64), (unsigned long long)mask);
    return text;
}

static std::map<std::string, std::function<void()>> scenes = {
    {"barrier", [] {
        std::vector<int> seen;
        run(2, dim3(5, 2), [&] {
            struct key {};
            using Array = int[10];
            Array &s = shared<Array, key>("s");
            s[thread_rank()] = static_cast<int>(thread_rank() + 10 * blockIdx.x);
            block_sync();
            seen.push_back(s[9 - thread_rank()]);
            block_sync();
        });
        for (int v : seen) std::printf("%d ", v);
        std::puts("");
    }},
    {"order", [] {
        std::vector<unsigned> start, wake;
        run(1, 6, [&] {
            start.push_back(thread_rank());
            block_sync();
            wake.push_back(thread_rank());
        });
        for (unsigned v : start) std::printf("%u ", v);
        std::printf("| ");
        for (unsigned v : wake) std::printf("%u ", v);
        std::puts("");
    }},
    {"reductions", [] {
        int count = 0, all = 0, any = 0, none = 0;
        run(1, 70, [&] {
            const int id = static_cast<int>(thread_rank());
            if (id == 3) return;  // who has returned does not count
            const int c = block_sync_count(id % 7 == 0);
            const int a = block_sync_and(id != 3), o = block_sync_or(id == 69), n = block_sync_or(0);
            if (id == 8) count = c, all = a, any = o, none = n;
        });
        std::printf("%d %d %d %d\n", count, all, any, none);
    }},
    {"divergent", [] {
        run(1, 64, [] {
            if (threadIdx.x < 32) block_sync(Site{"user.cu", 41});
            else block_sync(Site{"user.cu", 57});
        });
    }},
    {"deadlock", [] {
        run(1, 64, [] {
            if (threadIdx.x < 40) block_sync(Site{"user.cu", 7});
            else warp_sync(all_lanes(32), Site{"user.cu", 9});
        });
        run(1, 64, [] { block_sync(); });  // the engine goes on after it
    }},
    {"shuffles", [] {
        std::vector<int> got(32);
        run(1, 32, [&] {
            const int id = static_cast<int>(lane());
            const mask_t full = all_lanes(32);
            int v = shift(full, id, Shuffle::down, 1);
            v = v * 100 + shift(full, id, Shuffle::up, 2, 8);
            v = v * 100 + shift(full, id, Shuffle::exclusive_or, 5);
            v = v * 100 + shift(full, id, Shuffle::index, 11, 8);
            got[lane()] = v;
        });
        for (int i : {0, 1, 7, 8, 31}) std::printf("%d ", got[i]);
        std::puts("");
    }},
    {"diverged warps", [] {
        std::vector<std::string> got(32);
        run(1, 32, [&] {
            const mask_t low = 0xffff, high = 0xffff0000u;
            mask_t seen = 0;
            for (int i = 0; i < 3; i++) {
                if (lane() < 16) seen = ballot(low, (lane() + i) % 2);
                else seen = ballot(high, lane() > 20);
            }
            got[lane()] = hex(seen);
        });
        std::printf("%s %s\n", got[0].c_str(), got[16].c_str());
    }},
    {"converged", [] {
        std::vector<mask_t> got(32), later(32);
        run(1, 32, [&] {
            for (unsigned i = 0; i < lane() % 3; i++) got[lane()] = ballot_converged(true, Site{"user.cu", 5});
            later[lane()] = ballot_converged(true, Site{"user.cu", 9});
        });
        std::printf("%s %s %s\n", hex(got[1]).c_str(), hex(got[2]).c_str(), hex(later[0]).c_str());
    }},
    {"returned lanes", [] {
        mask_t got = 0;
        run(1, 40, [&] {
            if (lane() == 4) return;
            const mask_t seen = ballot(all_lanes(warpSize), true);
            if (warp_in_block() == 0 && lane() == 0) got = seen;
        });
        std::printf("%s\n", hex(got).c_str());
    }},
    {"foreign mask", [] {
        run(1, 32, [] { ballot(lane() == 3 ? 0xff0000 : 0xfffffff7u, true, Site{"user.cu", 3}); });
    }},
    {"match", [] {
        std::vector<mask_t> got(32);
        run(1, 32, [&] {
            const int value = static_cast<int>(lane()) % 5;
            got[lane()] = match_any(all_lanes(32), &value, sizeof value);
        });
        std::printf("%s %s\n", hex(got[0]).c_str(), hex(got[4]).c_str());
    }},
    {"wide warp", [] {
        mask_t low = 0, high = 0;
        int from = 0;
        run(1, 200, [&] {
            const mask_t seen = ballot(all_lanes(warpSize), threadIdx.x % 50 == 0);
            const int v = shift(all_lanes(warpSize), static_cast<int>(threadIdx.x), Shuffle::down, 100);
            if (threadIdx.x == 0) low = seen, from = v;
            if (threadIdx.x == 128) high = seen;
        });
        std::printf("%d %s %s %d\n", warpSize, hex(low).c_str(), hex(high).c_str(), from);
    }},
    {"grid", [] {
        std::vector<int> sums(40), cells(40);
        Grid more;
        more.cooperative = true;
        run(40, 33, [&] {
            if (threadIdx.x == 0) cells[blockIdx.x] = static_cast<int>(blockIdx.x);
            grid_sync();
            if (threadIdx.x == 32) {
                for (int v : cells) sums[blockIdx.x] += v;
            }
            grid_sync();
        }, more);
        std::printf("%d %d\n", sums[0], sums[39]);
        run(2, 1, [] { grid_sync(Site{"user.cu", 12}); });
    }},
    {"clusters", [] {
        std::vector<int> got(8);
        Grid more;
        more.cluster = dim3(4);
        run(8, 2, [&] {
            struct key {};
            int &mine = shared<int, key>("mine");
            if (threadIdx.x == 0) mine = static_cast<int>(blockIdx.x) * 10;
            cluster_sync();
            const unsigned next = (blockIdx.x + 1) % 4;
            if (threadIdx.x == 1) got[blockIdx.x] = *static_cast<int *>(cluster_pointer(&mine, next));
            cluster_sync();
        }, more);
        for (int v : got) std::printf("%d ", v);
        std::puts("");
    }},
    {"named", [] {
        std::vector<int> log;
        run(1, 96, [&] {
            if (threadIdx.x < 32) {
                log.push_back(1);
                named_arrive(7, 64);
            } else if (threadIdx.x < 64) {
                named_sync(7, 64);
                log.push_back(2);
            }
        });
        bool sorted = log.size() == 64;
        for (size_t i = 0; i < log.size(); i++) sorted = sorted && log[i] == (i < 32 ? 1 : 2);
        std::printf("%s\n", sorted ? "in order" : "out of order");
    }},
    {"spin on a later block", [] {
        volatile int flag = 0;
        run(3, 2, [&] {
            if (blockIdx.x == 0) while (!flag) {}
            if (blockIdx.x == 2) flag = 1;
        });
    }},
    {"endless", [] {
        volatile int flag = 0;
        run(2, 2, [&] { while (!flag) {} });
    }},
    {"wait until", [] {
        static int value = 0;
        run(1, 2, [] {
            if (threadIdx.x == 0) {
                wait_until([](void *) { return value == 5; }, nullptr, "value");
                std::puts("seen");
            } else {
                value = 5;
            }
        });
        run(1, 1, [] { wait_until([](void *) { return false; }, nullptr, "nothing", Site{"user.cu", 2}); });
    }},
    {"faults", [] {
        int *nowhere = reinterpret_cast<int *>(64);
        run(1, 1, [=] { *reinterpret_cast<volatile int *>(nowhere) = 1; });
        volatile int zero = 0;
        run(1, 1, [&] { zero = 7 / zero; });
        run(1, 1, [] { __builtin_trap(); });
        run(1, 1, [] { fail(Fault::assertion, Site{"user.cu", 4}, "said so"); });
        struct Deep {
            static int go(int n) {
                volatile char room[2048];
                room[n % 2048] = static_cast<char>(n);
                return n > 1000000 ? 0 : go(n + 1) + room[n % 2048];
            }
        };
        run(1, 1, [] { std::printf("%d\n", Deep::go(0)); });
        run(1, 1, [] { std::puts("still here"); });
    }},
    {"shared limit", [] {
        Grid more;
        more.shared_limit = 100;
        more.dynamic_shared = 60;
        run(1, 1, [] {
            struct key {};
            using Array = char[41];
            shared<Array, key>("s", Site{"user.cu", 6})[0] = 1;
        }, more);
    }},
    {"shared overrun", [] {
        Grid more;
        more.dynamic_shared = 12;
        run(1, 1, [] {
            struct key {};
            using Array = volatile char[8];
            shared<Array, key>("narrow", Site{"user.cu", 6})[9] = 1;
        }, more);
        run(1, 1, [] { static_cast<volatile char *>(dynamic_shared())[12] = 1; }, more);
        more.dynamic_shared = 128;
        run(1, 1, [] { static_cast<volatile char *>(dynamic_shared())[128] = 1; }, more);
    }},
    {"fill", [] {
        Grid more;
        more.dynamic_shared = 4;
        run(1, 1, [] {
            struct key {};
            std::printf("%x ", shared<unsigned, key>("u"));
            std::printf("%x\n", *static_cast<unsigned *>(dynamic_shared()));
        }, more);
    }},
    {"after", [] {
        run(1, 2, [] {
            if (threadIdx.x == 0) run_after([] { run(1, 1, [] { std::puts("child"); }); });
            block_sync();
            std::puts("parent");
        });
    }},
};

int main(int, char **arguments) {
    const auto scene = scenes.find(arguments[1]);
    if (scene == scenes.end()) return 2;
    scene->second();
    return 0;
}
