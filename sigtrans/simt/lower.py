"""CUDA or MUSA source becomes plain C++17; every line stays on its line.

Kernels and device functions are ordinary functions already, once the headers have defined the
qualifiers away. What is left for a rewrite: launches, shared variables, inline PTX, and what
whole-program compilation means for the names of device variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sigtrans.simt.kernels import Kernel, Kernels
from sigtrans.simt.scan import KEYWORDS, View, line_ends
from sigtrans.source import Diagnostic, Edit, Severity, SourceFile, Span, apply
from sigtrans.syntax import IDENTIFIER_BYTES, LINE_SPLICE, Lexed, find_blanks

MARKS = (
    *(b"<<", b"__shared__", b"__device__", b"__constant__", b"__managed__"),
    *(b"asm", b"__CUDA_ARCH__", b"__MUSA_ARCH__"),
)

# nvcc takes `<< <` as well, which is nothing else in C++.
_LAUNCH = re.compile(rb"(?<!<)(?<!operator)<<[ \t]*<(?![<=])")
_CLOSE = re.compile(rb"[()\[\]{};]|>{3,}")
_CLOSE_SPACED = re.compile(rb"[()\[\]{};]|>>[ \t]*>")
_ASM = re.compile(rb"\b(?:asm|__asm__|__asm)\b")
_ARCH = re.compile(rb"\b__(?:CUDA|MUSA)_ARCH__\b")
_DEVICE_NAME = re.compile(rb"\b__(?:device|constant|managed)__\b")
_ALIAS = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+((?:(?:extern|static|volatile)[ \t]+)*)__shared__"
    rb"[ \t]*\r?$",
    re.MULTILINE,
)
_ALIGN = re.compile(rb"\b(?:__align__|alignas|__attribute__)\s*(?=\()")
_NULL = re.compile(rb"NULL|0[lLuU]*")
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_NAME = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*(?:\s*##\s*[\w$\x80-\xff]+)*")
_SPECIFIERS = re.compile(rb"\b(?:__shared__|static|extern|inline|__device__)\b")
_SPACES = re.compile(rb"(?:" + LINE_SPLICE + rb"|\s)+")
_PARAMETERS = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+\w+\(([^()]*)\)")
_NO_TYPE = frozenset(b"decltype typeof __typeof__ sizeof alignof __alignof__".split())
_CAST = re.compile(
    rb"(?:\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)"
    rb"|\breinterpret_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>\s*\()\s*&?\s*(?=[A-Za-z_:])"
)


@dataclass(frozen=True, slots=True)
class Context:
    """What the rest of a build says about one file."""

    kernels: Kernels = field(default_factory=dict)
    shared_words: Mapping[bytes, bool] = field(default_factory=dict)  # see find_shared_words
    relocatable: bool = False  # -rdc=true: device names are shared between files


@dataclass(frozen=True, slots=True)
class Lowered:
    """Plain C++ of one file, and what could not be said in it."""

    data: bytes
    diagnostics: tuple[Diagnostic, ...] = ()


def needs_lowering(data: bytes, context: Context) -> bool:
    """A quick look: could there be anything to do?"""
    if any(mark in data for mark in MARKS) or any(w in data for w in context.shared_words):
        return True
    return bool(context.kernels) and _CAST.search(data) is not None


def find_shared_words(data: bytes) -> dict[bytes, bool]:
    """Macros of a file that stand for `__shared__`, and whether `extern` stands before it."""
    if b"__shared__" not in data:
        return {}
    return {match.group(1): b"extern" in match.group(2) for match in _ALIAS.finditer(data)}


def lower(path: str, data: bytes, context: Context) -> Lowered:
    """Lower one file; `path` is what compilers and reports call it."""
    head = b'#line 1 "%s"\n' % path.replace("\\", "\\\\").replace('"', '\\"').encode()
    if not needs_lowering(data, context):
        return Lowered(head + data)
    lexed = Lexed(data, find_blanks(data), [], [])
    work = _Lowering(SourceFile(path, data), View(lexed), context)
    work.run()
    applied = apply(data, work.edits)
    assert not applied.refused, applied.refused[0]
    return Lowered(work.prefix + head + applied.data, work.file.place(work.said))


class _Lowering:
    """One file."""

    def __init__(self, file: SourceFile, view: View, context: Context) -> None:
        self.file = file
        self.data = file.data
        self.view = view
        self.context = context
        self.edits: list[Edit] = []
        self.said: list[Diagnostic] = []
        self.prefix = b""

    def run(self) -> None:
        data = self.data
        if b"asm" in data:
            self._assembly()
        if b"<<" in data:
            self._launches()
        self._shared()
        self._device_names()
        self._kernel_addresses()
        if match := _ARCH.search(self.view.text):
            self._say(
                match.start(), match.end(), "SIG834", Severity.NOTE,
                f"'{match.group().decode()}' is not defined on the CPU: one pass compiles host and "
                "device code, so this file takes the branches of the host",
                "what stands in the other branches was not run",
            )  # fmt: skip

    def _edit(self, start: int, end: int, text: bytes, rule: str) -> None:
        self.edits.append(Edit(Span(start, end), text, rule))

    def _say(
        self, start: int, end: int, code: str, severity: Severity, message: str, help: str = ""
    ) -> None:
        self.said.append(Diagnostic(Span(start, end), code, severity, message, help, "simt"))

    def _code(self, start: int, end: int) -> bytes:
        """A piece of code on one line, without comments."""
        return _SPACES.sub(b" ", self.view.lexed.code(start, end)).strip()

    # --- launches -------------------------------------------------------------------------------

    def _launches(self) -> None:
        for match in _LAUNCH.finditer(self.view.text):
            fault = self._launch(*match.span())
            if fault:
                self._say(
                    match.start(), match.end(), "SIG830", Severity.ERROR,
                    f"this launch cannot be run on the CPU: {fault}", "write it in a plainer form",
                )  # fmt: skip

    def _launch(self, at: int, inside: int) -> str:
        view, text = self.view, self.view.text
        close, behind = self._end_of_configuration(inside, spaced=inside - at > 3)
        if close < 0:
            return "the >>> that ends it was not found"
        left = view.after(behind)
        if text[left : left + 1] != b"(":
            return "no arguments follow its >>>"
        right = view.find_close(left)
        if right < 0:
            return "the ) that ends its arguments was not found"
        start = self._kernel_start(view.before(at))
        if start < 0:
            return "the kernel's name was not found"
        kernel = self._code(start, at)
        arguments = view.split(left + 1, right)
        known = self._known(start, at, arguments)
        if known:
            target = kernel
        else:
            target = b"[=](auto &...p_) { " + kernel + b"(p_...); }"
            self._null_arguments(kernel, arguments)
            if any(text[view.after(a)] == 0x7B for a, _ in arguments):
                return "a braced argument, and the kernel's parameters are not known"
        cluster = b".cluster(" + known.cluster + b")" if known and known.cluster else b""
        self._edit(
            start, inside, b"::simt::Launch(" + line_ends(self.data[start:at]), "simt/launch"
        )
        self._edit(
            close, left + 1,
            b")" + cluster + b".of(SIMT_NAME(" + kernel + b"), " + target + b")("
            + line_ends(self.data[close:left]), "simt/launch",
        )  # fmt: skip
        return ""

    def _end_of_configuration(self, at: int, spaced: bool) -> tuple[int, int]:
        """Where the >>> (or, if the launch began so, >> >) that ends it begins and ends."""
        depth = 0
        for match in (_CLOSE_SPACED if spaced else _CLOSE).finditer(self.view.text, at, at + 8000):
            byte = match.group()[0]
            if byte in b"([{":
                depth += 1
            elif byte in b")]}":
                depth -= 1
                if depth < 0:
                    return -1, -1
            elif byte == 0x3E:
                if depth == 0:
                    return (match.start() if spaced else match.end() - 3), match.end()
            elif depth == 0:
                return -1, -1
        return -1, -1

    def _kernel_start(self, last: int) -> int:
        """Where the expression begins whose last byte is `last`: a name, perhaps with scopes,
        template arguments and objects before it, or something in parentheses."""
        view, text = self.view, self.view.text
        start = -1
        while last >= 0:
            byte = text[last]
            if byte in b")]":
                start = view.find_open(last)
                if start < 0:
                    return -1
                last = view.before(start)
                if last < 0 or not (text[last] in IDENTIFIER_BYTES or text[last] in b")]>"):
                    return start
                if text[view.name_start(last) : last + 1] in KEYWORDS:
                    return start
                continue
            if byte == 0x3E:
                left = view.open_angle(last)
                if left < 0:
                    return start
                last = view.before(left)
                if last < 0 or text[last] not in IDENTIFIER_BYTES:
                    return start
                continue
            if byte not in IDENTIFIER_BYTES:
                return start
            begin = view.name_start(last)
            if text[begin : last + 1] in KEYWORDS:
                return start
            start = begin
            last = view.before(begin)
            if text[last - 1 : last + 1] == b"##":
                last = view.before(last - 1)
                continue
            if last >= 7 and text[last - 7 : last + 1] == b"template":
                start = last - 7
                last = view.before(start)
            if text[last - 1 : last + 1] == b"::":
                start = last - 1
                last = view.before(start)
                if last < 0 or not (text[last] == 0x3E or text[last] in IDENTIFIER_BYTES):
                    return start
                if text[view.name_start(last) : last + 1] in KEYWORDS:
                    return start
            elif text[last - 1 : last + 1] == b"->":
                last = view.before(last - 1)
            elif text[last : last + 1] == b"." and text[last - 1] != 0x2E:
                last = view.before(last)
            else:
                return start
        return start

    def _known(self, start: int, at: int, arguments: list[tuple[int, int]]) -> Kernel | None:
        """The kernel, where its address alone says which function is meant."""
        view, text = self.view, self.view.text
        last = view.before(at)
        given = 0
        if text[last] == 0x3E:
            left = view.open_angle(last)
            given = len(view.split(left + 1, last))
            last = view.before(left)
        if text[last] not in IDENTIFIER_BYTES:
            return None
        begin = view.name_start(last)
        kernel = self.context.kernels.get(text[begin : last + 1])
        if kernel is None or kernel.template != given or kernel.parameters != len(arguments):
            return None
        if text[view.before(begin)] in b".>#":  # a member that happens to have the same name
            return None
        if any(b"..." in text[a:b] or b"__VA_ARGS__" in text[a:b] for a, b in arguments):
            return None
        return kernel

    def _null_arguments(self, kernel: bytes, arguments: list[tuple[int, int]]) -> None:
        """A literal null for a parameter of unknown type: an object that becomes either."""
        name = kernel.rpartition(b"::")[2].strip()
        known = self.context.kernels.get(name)
        if known is not None and known.template:
            return  # deduced: it is an int there, too
        for start, end in arguments:
            first = self.view.after(start)
            word = self.view.text[first:end].rstrip()
            if _NULL.fullmatch(word):
                self._edit(first, first + len(word), b"::simt::Null()", "simt/null")

    # --- shared variables -----------------------------------------------------------------------

    def _shared(self) -> None:
        words = {b"__shared__", *self.context.shared_words}
        if not any(word in self.data for word in words):
            return
        pattern = re.compile(rb"\b(?:" + b"|".join(map(re.escape, sorted(words))) + rb")\b")
        done = 0
        for match in pattern.finditer(self.view.text):
            at = match.start()
            if at < done:
                continue
            directive = self.view.in_directive(at)
            if directive and self._is_definition_of_word(at):
                continue
            start = self._declaration_start(at)
            end = self._declaration_end(match.end())
            if end < 0 or b"#" in self.view.text[start:end].replace(b"##", b"  "):
                what = "its end was not found" if end < 0 else "it has a directive inside"
                self._refuse_shared(at, match.end(), what)
                continue
            fault = self._declare(start, end, at, pattern, directive)
            if fault:
                self._refuse_shared(at, match.end(), fault)
            done = end

    def _refuse_shared(self, start: int, end: int, why: str) -> None:
        self._say(
            start, end, "SIG831", Severity.ERROR,
            f"this shared variable cannot be run on the CPU: {why}", "declare it by itself",
        )  # fmt: skip

    def _is_definition_of_word(self, at: int) -> bool:
        """`#define SHARED __shared__`, `#ifdef __shared__`: nothing is declared."""
        start, end = self.view.lexed.logical_line(at)
        return b";" not in self.view.text[start:end]

    def _declaration_start(self, at: int) -> int:
        """Back over what may stand before `__shared__`: specifiers, attributes, the type."""
        view, text = self.view, self.view.text
        directive = view.in_directive(at)
        start, last = at, view.before(at)
        while last >= 0:
            if not directive and view.in_directive(last):
                break
            byte = text[last]
            if byte in IDENTIFIER_BYTES:
                begin = view.name_start(last)
                word = text[begin : last + 1]
                if word in (b"else", b"do", b"define") or word in KEYWORDS - {b"static", b"const"}:
                    break
                if directive and self._is_macro_head(begin):
                    break
                start = begin
            elif byte == 0x3A and text[last - 1] == 0x3A:
                start = last - 1
            elif byte == 0x3E:
                start = view.open_angle(last)
                if start < 0:
                    return at
            elif byte == 0x29:
                left = view.find_open(last)
                name = view.before(left)
                word = text[view.name_start(name) : name + 1] if left > 0 else b""
                if word not in (b"__align__", b"alignas", b"__attribute__", b"decltype"):
                    break
                start = view.name_start(name)
            else:
                break
            last = view.before(start)
        return start

    def _is_macro_head(self, begin: int) -> bool:
        last = self.view.before(begin)
        return self.view.text[self.view.name_start(last) : last + 1] == b"define"

    def _declaration_end(self, at: int) -> int:
        """The `;` that ends the declaration."""
        text = self.view.text
        while at < len(text):
            byte = text[at]
            if byte == 0x3B:
                return at
            if byte in b"([{":
                at = self.view.find_close(at)
                if at < 0:
                    return -1
            elif byte in b")]}":
                return -1
            at += 1
        return -1

    def _declare(
        self, start: int, end: int, at: int, words: re.Pattern[bytes], directive: bool
    ) -> str:
        """Replace one declaration; what it cannot say is the answer."""
        view = self.view
        is_extern = b"extern" in _WORD.findall(view.text[start:end])
        word = view.lexed.name_starting_at(at)
        is_extern = is_extern or self.context.shared_words.get(word, False)
        declarators = view.split(start, end)
        alignments: list[bytes] = []
        pieces = [self._clean(s, e, words, alignments) for s, e in declarators]
        first = _split_declarator(pieces[0])
        if first is None:
            return "its name was not found"
        base, prefix, name, suffix = first
        if not base:
            return "its type was not found"
        rest = [_split_declarator(b"int " + piece) for piece in pieces[1:]]
        names = [(prefix, name, suffix)]
        for each in rest:
            if each is None:
                return "one of its names was not found"
            names.append(each[1:])
        if any(b"=" in suffix for _, _, suffix in names):
            return "shared variables cannot be initialized"
        parameters = self._macro_parameters(at) if directive else frozenset()
        outside = not directive and view.at_file_scope(at)
        head = base if len(names) == 1 else _paste(b"simt_B_", names[0][1], parameters)
        out = [] if len(names) == 1 else [b"typedef " + base + b" " + head]
        for prefix, name, suffix in names:
            out += _declare_one(
                head, prefix, name, suffix, b" ".join(alignments), parameters,
                dynamic=is_extern, outside=outside,
            )  # fmt: skip
        text = b"; ".join(out) + b";" + line_ends(self.data[start:end])
        self._edit(start, end + 1, text, "simt/shared")
        return ""

    def _clean(
        self, start: int, end: int, words: re.Pattern[bytes], alignments: list[bytes]
    ) -> bytes:
        """A declarator on one line, without storage words and alignment."""
        code = self.view.lexed.code(start, end)
        code = _SPACES.sub(b" ", code)
        code = _SPECIFIERS.sub(b" ", words.sub(b" ", code))
        while match := _ALIGN.search(code):
            depth, at = 0, match.end()
            while at < len(code):
                depth += (code[at] == 0x28) - (code[at] == 0x29)
                at += 1
                if depth == 0:
                    break
            alignments.append(code[match.start() : at])
            code = code[: match.start()] + b" " + code[at:]
        return code.strip()

    def _macro_parameters(self, at: int) -> frozenset[bytes]:
        start, end = self.view.lexed.logical_line(at)
        match = _PARAMETERS.match(self.view.text[start:end])
        return frozenset(p.strip() for p in match.group(1).split(b",")) if match else frozenset()

    # --- names of device code -------------------------------------------------------------------

    def _device_names(self) -> None:
        """Device variables are made known as such. Without -rdc they and device functions belong to
        their file alone, whatever the declaration says."""
        done = 0
        for match in _DEVICE_NAME.finditer(self.view.text):
            at = match.start()
            if at < done or self.view.in_directive(at) or not self.view.at_file_scope(at):
                continue
            start = self._declaration_start(at)
            head, done, is_variable = self._declaration_head(start)
            if self._follows(start, 0x22):  # extern "C"
                continue
            is_plain = head and not _LINKED.search(head) and _is_plain_name(head)
            if is_plain and not self.context.relocatable:
                self._edit(start, start, b"static ", "simt/whole-program")
            if is_variable and not _NOT_VARIABLE.search(head):
                self._variable(start, head)

    def _variable(self, start: int, head: bytes) -> None:
        end = self._declaration_end(start)
        if end < 0:
            return
        space = next(s for s in (b"constant", b"managed", b"device") if b"__%s__" % s in head)
        out = []
        for n, piece in enumerate(self.view.split(start, end)):
            code = _ALIGNED.sub(b" ", self.view.lexed.code(*piece))
            split = _split_declarator((b"int " if n else b"") + _SPACES.sub(b" ", code).strip())
            if split is None or b"::" in split[0][-2:]:
                return
            name = split[2]
            out.append(
                b" static const bool simt_V_%s = ::simt::declare_variable(&%s, sizeof(%s), "
                b"SIMT_NAME(%s), ::simt::Space::%s);" % (name, name, name, name, space)
            )
        self._edit(end + 1, end + 1, b"".join(out), "simt/variable")

    def _follows(self, at: int, byte: int) -> bool:
        """Is `byte` the last of the code before `at`, directives aside?"""
        before = self.view.before(at)
        return before >= 0 and self.view.text[before] == byte and not self.view.in_directive(before)

    def _declaration_head(self, at: int) -> tuple[bytes, int, bool]:
        """A declaration up to its parameters, initializer or end ("" for what is no such thing),
        where that is, and whether it is a variable's."""
        text = self.view.text
        out: list[bytes] = []
        start = at
        if self._follows(at, 0x3E):
            return b"", at + 1, False  # a template
        while at < len(text) and at - start < 2000:
            byte = text[at]
            if byte == 0x28:
                last = self.view.before(at)
                word = text[self.view.name_start(last) : last + 1]
                close = self.view.find_close(at)
                if close < 0:
                    return b"", at, False
                if word not in (b"__align__", b"alignas", b"__attribute__", b"__launch_bounds__"):
                    return b"".join(out), close, False
                at = close
            elif byte in b";={[":
                return b"".join(out), at, True
            elif byte == 0x3C:
                at = self.view.close_angle(at)
                if at < 0:
                    return b"", start + 1, False
            else:
                out.append(text[at : at + 1])
            at += 1
        return b"", at, False

    def _kernel_addresses(self) -> None:
        """`(void *)kernel` loses the type that a launch through the address needs: register it."""
        if not any(self.context.kernels.values()):
            return
        for match in _CAST.finditer(self.view.text):
            start, at = match.span()
            end = self._kernel_end(at)
            if end > 0 and not any(e.span.start <= start < e.span.end for e in self.edits):
                self._edit(at, at, b"::simt::registered(", "simt/address")
                self._edit(end, end, b")", "simt/address")

    def _kernel_end(self, at: int) -> int:
        """Behind the kernel's name and template arguments at `at`; -1 if no kernel is named."""
        text = self.view.text
        while True:
            name = self.view.lexed.name_starting_at(at)
            end = at + len(name)
            next_ = self.view.after(end)
            if text[next_ : next_ + 2] == b"::":
                at = self.view.after(next_ + 2)
                continue
            kernel = self.context.kernels.get(name)
            if kernel is None:
                return -1
            if text[next_ : next_ + 1] == b"<":
                close = self.view.close_angle(next_)
                return close + 1 if close > 0 else -1
            return end if not kernel.template else -1

    # --- inline PTX -----------------------------------------------------------------------------

    def _assembly(self) -> None:
        if not _ASM.search(self.view.text):
            return
        from sigtrans.names import NameTable
        from sigtrans.passes import Code, Protected
        from sigtrans.passes.inline_asm import find
        from sigtrans.symbols import FileFacts, Project

        code = Code(
            self.file, self.view.lexed, FileFacts(self.file.path), Project(), NameTable(),
            Protected(), (), "", is_cuda=True,
        )  # fmt: skip
        found = find(code)
        for edit in found.edits:
            span = edit.span
            lost = line_ends(self.data[span.start : span.end])
            text = re.sub(rb"[ \t]*\r?\n[ \t]*", b" ", edit.text)
            self._edit(span.start, span.end, text + lost, "simt/asm")
        for each in found.diagnostics:
            if each.severity is Severity.ERROR:
                self._say(
                    each.span.start, each.span.end, "SIG832", Severity.WARNING,
                    f"{each.message}: code that is built with it does not compile on the CPU",
                    "",
                )  # fmt: skip
            elif each.code == "SIG506":
                self._say(
                    each.span.start, each.span.end, "SIG833", Severity.NOTE,
                    f"{each.message} (on the CPU as in a port)",
                )  # fmt: skip
        if found.edits:
            self.prefix = b'#include "simt/ptx.h"\n'


_LINKED = re.compile(
    rb"\b(?:static|extern|inline|constexpr|template|friend|typedef|using|__global__|__host__|"
    rb"__forceinline__|__inline__|__inline|struct|class|operator|return|case)\b"
)
_NOT_VARIABLE = re.compile(rb"\b(?:extern|template|friend|typedef|using|struct|class|union)\b|^$")
_ALIGNED = re.compile(rb"\b(?:__align__|alignas|__attribute__)\s*\((?:[^()]|\([^()]*\))*\)")


def _is_plain_name(head: bytes) -> bool:
    """Does a declaration end with a name of its own scope, and a type before it?"""
    words = _WORD.findall(head)
    words = [w for w in words if not w.startswith(b"__")]
    return len(words) > 1 and not re.search(rb"::\s*[~\w$]+\s*$", head)


# --- one shared variable ------------------------------------------------------------------------


def _split_declarator(code: bytes) -> tuple[bytes, bytes, bytes, bytes] | None:
    """(base type, what stands before the name, the name, what stands behind it)."""
    at, depth = 0, 0
    first = len(code)  # where the declarator's brackets begin
    while at < len(code):
        byte = code[at]
        if byte in b"{<(":
            if byte == 0x28 and depth == 0:
                word = _last_word(code[:at])
                if word not in _NO_TYPE and re.match(rb"\(\s*[*&]", code[at:]):
                    return _split_parenthesized(code, at)
            depth += 1
        elif byte in b"})" or (byte == 0x3E and code[at - 1 : at] != b"-"):
            depth -= 1
        elif depth == 0 and byte in b"[=":
            first = at
            break
        at += 1
    head, suffix = code[:first].rstrip(), code[first:]
    names = list(_NAME.finditer(head))
    if not names or names[-1].end() != len(head):
        return None
    match = names[-1]
    name, head = match.group(), head[: match.start()].rstrip()
    stars = re.search(rb"[*&][*&\s]*(?:(?:const|volatile|__restrict__)[*&\s]*)*$", head)
    # From the first star on, template arguments aside: `T<int *> const *const p`.
    prefix = b""
    if stars:
        prefix, head = head[stars.start() :], head[: stars.start()].rstrip()
    return head, prefix, name, suffix


def _split_parenthesized(code: bytes, at: int) -> tuple[bytes, bytes, bytes, bytes] | None:
    """`T (*name)[N]`."""
    match = re.compile(rb"\(\s*[*&][*&\s]*(?:(?:const|volatile)\s+)*").match(code, at)
    name = _NAME.match(code, match.end()) if match else None
    if match is None or name is None:
        return None
    return code[:at].rstrip(), code[at : match.end()], name.group(), code[name.end() :]


def _last_word(code: bytes) -> bytes:
    words = _WORD.findall(code)
    return words[-1] if words and code.rstrip().endswith(words[-1]) else b""


def _paste(prefix: bytes, name: bytes, parameters: frozenset[bytes]) -> bytes:
    """An identifier of ours made of the variable's, in a macro with ## where that is needed."""
    name = _SPACES.sub(b"", name)
    parts = name.split(b"##")
    return prefix + (b"##" if parts[0] in parameters else b"") + name


def _declare_one(
    base: bytes, prefix: bytes, name: bytes, suffix: bytes, alignment: bytes,
    parameters: frozenset[bytes], *, dynamic: bool, outside: bool,
) -> Iterator[bytes]:  # fmt: skip
    """The statements that stand for one shared variable."""
    kind = _paste(b"simt_T_", name, parameters)
    key = _paste(b"simt_K_", name, parameters)
    yield b"typedef " + base + b" " + prefix + kind + suffix
    if dynamic and not outside:
        yield kind + b" &" + name + b" = *(" + kind + b" *)::simt::dynamic_shared()"
    elif dynamic:
        yield b"static ::simt::DynamicShared<" + kind + b"> " + name
    elif outside:
        yield b"struct " + alignment + b" " + key + b" {}"
        yield b"static ::simt::FileShared<" + kind + b", " + key + b"> " + name
    else:
        yield b"struct " + alignment + b" " + key + b" {}"
        yield (
            kind + b" &" + name + b" = ::simt::shared<" + kind + b", " + key + b">(SIMT_NAME("
            + name + b"))"
        )  # fmt: skip
