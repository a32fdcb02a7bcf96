// Findings about the user's program: said once for each place, on stderr and in SIMT_REPORT.
#pragma once

#include <string>

namespace simt {

// A place in the user's source. The default is the caller's place, through default arguments.
struct Site {
    const char *file;
    int line;
    static constexpr Site here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        return Site{file, line};
    }
};

// `kind` is a short fixed word such as "deadlock" or "divergent-barrier": the tool behind turns it
// into a diagnostic. `text` says what happened and what it means. With a GPU thread running, its
// block and thread are added. Printed on stderr, or, where SIMT_REPORT names a file, only there.
void finding(const char *kind, Site site, const std::string &text);

// The same for a place in the machine code: the record names the module and the offset in it, from
// which debug information gives the line. `other` is a second place of the same module, or null.
void finding_at(const char *kind, const void *pc, const std::string &text, const void *other = nullptr);

}  // namespace simt
