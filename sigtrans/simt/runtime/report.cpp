#include "simt/report.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <tuple>

#include "simt/config.h"
#include "simt/engine.h"

namespace simt {

namespace {

[[noreturn]] void refuse(const char *name, const char *value, const char *wanted) {
    std::fprintf(stderr, "simt: %s=%s: expected %s\n", name, value, wanted);
    std::_Exit(2);
}

long long whole(const char *name, long long otherwise, long long least, long long most) {
    const char *value = std::getenv(name);
    if (!value || !*value) return otherwise;
    char *end = nullptr;
    errno = 0;
    const long long number = std::strtoll(value, &end, 0);
    if (*end || errno || number < least || number > most) {
        const std::string wanted =
            "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
        refuse(name, value, wanted.c_str());
    }
    return number;
}

void order(const char *name, Order &into, uint64_t &seed) {
    const char *value = std::getenv(name);
    if (!value || !*value || !std::strcmp(value, "up")) return;
    if (!std::strcmp(value, "down")) {
        into = Order::down;
        return;
    }
    char *end = nullptr;
    seed = std::strtoull(value, &end, 0);
    if (*end) refuse(name, value, "up, down or a seed");
    into = Order::shuffled;
}

Config read_config() {
    Config it;
    it.warp = static_cast<int>(whole("SIMT_WARP", 32, 32, 128));
    if (it.warp != 32 && it.warp != 64 && it.warp != 128) {
        refuse("SIMT_WARP", std::getenv("SIMT_WARP"), "32, 64 or 128");
    }
    it.host_warp = static_cast<int>(whole("SIMT_HOST_WARP", it.warp, 32, 128));
    order("SIMT_ORDER", it.order, it.order_seed);
    order("SIMT_WAKE", it.wake, it.wake_seed);
    order("SIMT_STREAMS", it.streams, it.stream_seed);
    it.fill = static_cast<int>(whole("SIMT_FILL", it.fill, -1, 255));
    it.shared_fill = static_cast<int>(whole("SIMT_SHARED_FILL", it.shared_fill, -1, 255));
    it.strict = whole("SIMT_STRICT", 0, 0, 1) != 0;
    it.stack = static_cast<size_t>(whole("SIMT_STACK", static_cast<long long>(it.stack), 16384, 1 << 30));
    it.patience = static_cast<double>(whole("SIMT_PATIENCE", 20, 1, 1000000));
    it.interleave = static_cast<uint64_t>(whole("SIMT_INTERLEAVE", 0, 0, INT64_MAX));
    it.lockstep = whole("SIMT_LOCKSTEP", 0, 0, 1) != 0;
    if (const char *target = std::getenv("SIMT_TARGET")) it.target = target;
    if (const char *report = std::getenv("SIMT_REPORT")) it.report = report;
    return it;
}

void quote(std::string &out, const char *text) {
    out += '"';
    for (; *text; text++) {
        const auto byte = static_cast<unsigned char>(*text);
        if (byte == '"' || byte == '\\') {
            out += '\\';
            out += *text;
        } else if (byte < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", byte);
            out += code;
        } else {
            out += *text;
        }
    }
    out += '"';
}

std::string triple(uint3 v) {
    return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
}

// Says a finding once; `module` is empty where `site` tells the place.
void say(
    const char *kind, Site site, const std::string &module, uintptr_t offset, uintptr_t other,
    const std::string &text
) {
    static std::mutex mutex;
    static std::set<std::tuple<std::string, std::string, std::string, uintptr_t>> said;
    const std::lock_guard<std::mutex> lock(mutex);
    const std::string file = site.file ? site.file : "";
    if (!said.emplace(kind, file, module, module.empty() ? uintptr_t(site.line) : offset).second) return;

    std::string full = text;
    if (on_device()) {
        full += " [block " + triple(blockIdx) + ", thread " + triple(threadIdx) + ", kernel " +
                running_grid().kernel + "]";
    }
    if (!*config().report) {
        char hex[32];
        std::snprintf(hex, sizeof hex, "+0x%zx", static_cast<size_t>(offset));
        std::string line = "simt: ";
        if (!module.empty()) line += module + hex + ": ";
        else if (!file.empty()) line += file + ":" + std::to_string(site.line) + ": ";
        line += std::string(kind) + ": " + full + "\n";
        std::fflush(stdout);  // what the program printed first stays first
        std::fputs(line.c_str(), stderr);
        return;
    }
    std::string record = "{\"kind\": ";
    quote(record, kind);
    record += ", \"file\": ";
    quote(record, file.c_str());
    record += ", \"line\": " + std::to_string(site.line) + ", \"module\": ";
    quote(record, module.c_str());
    record += ", \"offset\": " + std::to_string(offset) + ", \"other\": " + std::to_string(other);
    record += ", \"text\": ";
    quote(record, full.c_str());
    record += "}\n";
    const int report = open(config().report, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (report < 0 || write(report, record.data(), record.size()) < 0) {
        std::fprintf(stderr, "simt: %s: cannot be written: %s\n", config().report, std::strerror(errno));
    }
    if (report >= 0) close(report);
}

}  // namespace

const Config &config() {
    static const Config it = read_config();
    return it;
}

void finding(const char *kind, Site site, const std::string &text) { say(kind, site, "", 0, 0, text); }

void finding_at(const char *kind, const void *pc, const std::string &text, const void *other) {
    Dl_info info;
    if (dladdr(pc, &info) && info.dli_fname) {
        const auto base = reinterpret_cast<uintptr_t>(info.dli_fbase);
        const uintptr_t second = other ? reinterpret_cast<uintptr_t>(other) - base : 0;
        say(kind, Site{"", 0}, info.dli_fname, reinterpret_cast<uintptr_t>(pc) - base, second, text);
    } else {
        say(kind, Site{"", 0}, "", 0, 0, text);
    }
}

}  // namespace simt
