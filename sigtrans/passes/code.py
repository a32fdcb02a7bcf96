"""Names, headers, macros and strings of C-family files.

A pattern rule could not do it: whether a name is CUDA's depends on its context (member access,
scope, the project's own declarations), and half of the job is to say what cannot be renamed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from sigtrans.passes import Code, CodeFindings, Finder, Protected
from sigtrans.passes.conditions import parse, truth
from sigtrans.source import (
    LONE_CR,
    Edit,
    Safety,
    Severity,
    Span,
)
from sigtrans.symbols import (
    FOREIGN_HEADER,
    KEYWORDS,
    LOOKALIKE,
    Include,
    Own,
    Reach,
    find_declared,
    is_using,
    scopes_around,
)
from sigtrans.syntax import IDENTIFIER_BYTES, LINE_SPLICE, Lexed, Word

if TYPE_CHECKING:
    pass

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


def find(code: Code) -> CodeFindings:
    """Every name of one C-family file, and what can only be reported about it."""
    return _Pass(code).run()


class _Pass(Finder):
    """The names of one file."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        facts = code.facts
        self.file, self.lexed, self.facts = code.file, code.lexed, facts
        self.project, self.table, self.protected = code.project, code.table, code.protected
        self.strict, self.is_cuda = code.strict, code.is_cuda
        self.includes = (*facts.includes, *self._macro_includes())
        self.left = 0
        self.renamed: list[Word] = []
        self.unproven: dict[bytes, int] = {}  # rule-grade names -> first place
        self.flagged: dict[bytes, list[Word]] = {}
        self.doubted: set[bytes] = set()  # methods that a class of the tree has as well
        self.scopes: dict[bytes, list[Word]] = {}  # namespaces without a counterpart
        self.libcudacxx: dict[bytes, list[int]] = {}  # names after cuda:: -> places
        self.used: dict[bytes, list[tuple[int, int]]] = {}  # names of `using X::name;` -> where
        self.own_files = {o.name for o in facts.own if o.reach is Reach.FILE}
        self.own_ranges: dict[bytes, list[Own]] = {}
        for own in facts.own:
            if own.reach in (Reach.RANGE, Reach.SCOPE):
                self.own_ranges.setdefault(own.name, []).append(own)

    def run(self) -> CodeFindings:
        for include in self.includes:
            self._include(include)
        if self.lexed.words:
            self._words()
            self._own_names()
            self._flags()
            self._absent_scopes()
            self._pasting()
        self._strings()
        self._shape()
        for start, end, what in self.protected.faults:
            self.say(
                start,
                end,
                "SIG016",
                WARNING,
                f"mark '{self.data[start:end].decode('latin-1')}': {what}",
                "use '// sigtrans: off' … '// sigtrans: on', or '// sigtrans: skip-line'",
                "marks",
            )
        return replace(self.findings, protected=self.left)

    # --- names ---------------------------------------------------------------------------------

    def _words(self) -> None:
        targets, absent = self.table.targets, self.table.absent
        guards, flags, same = self.table.guards, self.table.flags, self.table.same
        methods = self.table.methods
        declared = self.project.declared
        paths = {at for i in self.includes for at in range(i.start, i.end)}
        scoped: list[Word] = []
        unknown: list[Word] = []
        for word in self.lexed.words:
            start, _, name = word
            if start in paths:
                continue
            if name in targets:
                if self._is_cudas(word, scoped):
                    self._rename(word)
            elif name in absent:
                if self._is_cudas(word, scoped):
                    self._absent(word)
            elif name in guards:  # another pass decides them
                self.left += bool(self.protected.why(start))
            elif name in flags:
                told = flags[name].code and not self.protected.why(start)
                if told and self._is_flagged(word):
                    self.flagged.setdefault(name, []).append(word)
            elif name in methods:
                if self._access(start) == "member" and not self.protected.why(start):
                    self._method(word)
            elif _NPP.match(name):
                if name not in declared and not self.protected.why(start):
                    self._absent(word)
            elif self.project.pasting and _STEM.match(name) and self._is_stem(word):
                pass
            elif name == b"cuda":
                self._namespace(word)
            elif name == b"CUDA":
                pass  # PyTorch's, or nobody's: torch_ext
            elif (
                name not in declared
                and name not in same
                and LOOKALIKE.match(name)
                and not self.protected.why(start)
                and self._access(start) in ("", "::")
                and not self._is_defined_here(word)
            ):
                unknown.append(word)
        if unknown:
            self._unknown(unknown)
        if scoped:
            self._resolve(scoped)
        if self.unproven:
            self._unproven()
        self._libcudacxx()

    def _access(self, start: int) -> str:
        """`member` after . or ->, `::` for a global name, the scope after `X::`, else nothing."""
        data = self.data
        at = start - 1
        if at < 0:
            return ""
        byte = data[at]
        if byte in b" \t\r\n\\/":
            at = self.lexed.before(start)
            if at < 0:
                return ""
            byte = data[at]
        if byte == 0x2E:  # .
            return "" if data[at - 1 : at] == b"." else "member"
        if byte == 0x3E and at and (data[at - 1] == 0x2D or self._is_split_arrow(at)):  # ->
            return "member"
        if byte == 0x3A and at and data[at - 1] == 0x3A:  # ::
            ahead = self.lexed.before(at - 1)
            if ahead < 0:
                return "::"
            if data[ahead] == 0x3E:  # a<b>::c; before a blank it ends a template's head or compares
                return "a template" if ahead == at - 2 else "::"
            scope = self.lexed.name_ending_at(ahead)
            attribute = scope.startswith(b"__")
            if not scope or scope in KEYWORDS or attribute or self._is_define(ahead, scope):
                return "::"
            return scope.decode("latin-1")
        if byte in b"e":  # p->template name<T>()
            word = self.lexed.name_ending_at(at)
            if word == b"template":
                return "member" if self._access(at - 7) == "member" else ""
        return ""

    def _is_split_arrow(self, at: int) -> bool:
        return self.data[at - 1] in b"\r\n" and self.data[self.lexed.before(at)] == 0x2D

    def _is_define(self, at: int, name: bytes) -> bool:
        """Is the name that ends at `at` the one a #define names?"""
        ahead = self.lexed.before(at - len(name) + 1)
        return ahead >= 0 and self.lexed.name_ending_at(ahead) == b"define"

    def _is_cudas(self, word: Word, scoped: list[Word]) -> bool:
        """False where the name is the project's, or where the user said to leave it."""
        start, end, name = word
        if self.protected.ranges and self.protected.why(start):
            self.left += 1
            return False
        byte = self.data[start - 1] if start else 0x20
        if byte not in b"(,!&*{;[=":
            scope = self._access(start)
            if scope == "::":
                return True
            if scope == "member":
                if name not in self.project.scoped and name not in self.table.methods:
                    self.say(
                        start,
                        end,
                        "SIG115",
                        WARNING,
                        f"member '{name.decode()}' has a CUDA name, but no class of this tree "
                        "declares it; left as it is",
                        "if a macro makes the member from CUDA's name, port the member by hand",
                        "names/unknown-member",
                    )
                return False
            if scope and scope not in _CUDA_SCOPES and name not in self.table.torch_words:
                self.say(
                    start,
                    end,
                    "SIG113",
                    NOTE,
                    f"'{name.decode()}' belongs to {scope} here, not to CUDA; left as it is",
                    rule="names/qualified",
                )
                if is_using(self.lexed, start):
                    block = self.lexed.arguments(start)  # up to the bracket that closes it
                    stop = block[-1][1] if block else len(self.data)
                    self.used.setdefault(name, []).append((start, stop))
                return False
        if name in self.project.owned or name in self.own_files:
            return False
        if any(at < start < stop for at, stop in self.used.get(name, ())):
            return False
        for own in self.own_ranges.get(name, ()):
            if start < own.at and not _BREAK.search(self.data, start, own.at):
                return True  # in the type of its own declaration: decltype(cudaFree) *cudaFree;
            # Labels have a name space of their own.
            if own.start <= start < own.end and (own.what != "label" or self._is_label(start, end)):
                return False
        if name in self.project.scoped:
            if b"offsetof" in self.data and self._argument_of(word)[0] == b"offsetof":
                return False
            scoped.append(word)
            return False
        return True

    def _is_label(self, start: int, end: int) -> bool:
        ahead = self.lexed.before(start)
        if self.lexed.name_ending_at(ahead) == b"goto":
            return True
        if self.lexed.name_ending_at(ahead) == b"case" or self.data[ahead : ahead + 1] == b"?":
            return False  # case X:, a ? X : b
        at = self.lexed.after(end)
        return self.data[at : at + 1] == b":" and self.data[at : at + 2] != b"::"

    def _resolve(self, words: list[Word]) -> None:
        """Names that some class or namespace of the project declares: ask the tree where we are."""
        for word, scopes in zip(
            words, scopes_around(self.data, [(w[0], w[1]) for w in words]), strict=True
        ):
            name = word[2]
            if scopes & self.project.scoped[name]:
                where = b", ".join(sorted(scopes & self.project.scoped[name])).decode("latin-1")
                self.say(
                    word[0],
                    word[1],
                    "SIG110",
                    NOTE,
                    f"'{name.decode()}' is declared in '{where or 'a class'}' here; left as it is",
                    "write ::name where CUDA's function is meant, and run again",
                    "names/own",
                )
            elif name in self.table.targets:
                self._rename(word)
            else:
                self._absent(word)

    def _rename(self, word: Word) -> None:
        start, end, name = word
        if name in self.table.unproven:
            if self.strict:
                self._refused(start, end, name, self.table.targets[name])
                return
            self.unproven.setdefault(name, start)
        self.renamed.append(word)
        self.edits.append(Edit(Span(start, end), self.table.targets[name], "names/rename"))

    def _method(self, word: Word) -> None:
        """A method of PyTorch's tensors, by its name alone: who the object is, nobody knows."""
        start, end, name = word
        target = self.table.methods[name]
        self.edits.append(Edit(Span(start, end), target, "names/method"))
        if name in self.project.declared and name not in self.doubted:
            self.doubted.add(name)
            self.say(
                start,
                end,
                "SIG130",
                WARNING,
                f"'{name.decode()}' becomes '{target.decode()}' in this file, as for a tensor; a "
                "class of this tree has a method of that name, too",
                f"where the object is of that class, write {name.decode()} back",
                "torch/own-method",
            )

    def _refused(self, start: int, end: int, name: bytes, target: bytes) -> None:
        self.say(
            start,
            end,
            "SIG106",
            ERROR,
            f"'{name.decode()}' left: its target '{target.decode()}' follows the naming rule only",
            "run without --strict, or give the name evidence with a rule of your own",
            "names/strict",
        )

    def _absent(self, word: Word) -> None:
        start, end, name = word
        entry = self.table.explain(name.decode())
        note = entry.note if entry else ""
        if entry and entry.kind == "namespace":
            self.scopes.setdefault(name, []).append(word)
            return
        if _NPP.match(name):
            note = "the SDK ships muPP instead, another set of names"
        self.say(
            start,
            end,
            "SIG101",
            ERROR,
            f"'{name.decode()}' has no known MUSA counterpart; left as it is",
            note or "replace the call, or guard it out of the MUSA build",
            "names/absent",
        )

    def _unknown(self, words: list[Word]) -> None:
        """Look-alikes that no declaration was seen of; now ask the syntax tree, too."""
        declared = find_declared(self.data, words)
        for start, end, name in words:
            if name in declared:
                continue
            self.say(
                start,
                end,
                "SIG102",
                WARNING,
                f"'{name.decode(errors='replace')}' looks like a CUDA name, but is in no table "
                "and this tree does not declare it; left as it is",
                "nothing to do if it is yours; if it is CUDA's, add it to a rule folder (--rules)",
                "names/unknown",
            )

    def _is_defined_here(self, word: Word) -> bool:
        """`#define NAME`, `#ifdef NAME`, `defined(NAME)`: a macro of the project or its user."""
        at = self.lexed.before(word[0])
        if at < 0:
            return False
        if self.data[at] == 0x28:  # (
            at = self.lexed.before(at)
        return self.lexed.name_ending_at(at) in (
            b"define",
            b"undef",
            b"ifdef",
            b"ifndef",
            b"defined",
        )

    def _unproven(self) -> None:
        names = sorted(self.unproven)
        shown = ", ".join(n.decode() for n in names[:6]) + (", …" if len(names) > 6 else "")
        first = min(self.unproven.values())
        plural = "name follows" if len(names) == 1 else "names follow"
        self.say(
            first,
            first + len(min(self.unproven, key=lambda n: self.unproven[n])),
            "SIG105",
            NOTE,
            f"{len(names)} {plural} the vendor's naming rule, but no use was seen: {shown}",
            "with a MUSA SDK at hand check them against its headers; --strict refuses them",
            "names/unproven",
        )

    def _namespace(self, word: Word) -> None:
        """`cuda` by itself: the namespace of libcu++, of Thrust, or of the project."""
        start, end, _ = word
        if self.protected.why(start):
            return
        after = self.lexed.after(end)
        qualifies = self.data[after : after + 2] == b"::"
        at = self.lexed.after(after + 2)
        scope = self._access(start)
        if scope in ("torch", "member"):
            return  # PyTorch's: torch_ext
        rule = _CUDA_BACKENDS.get(scope)
        if rule is not None:
            self.edits.append(Edit(Span(start, end), b"musa", rule))
            member = self.lexed.name_starting_at(at) if qualifies else b""
            seen = member in self.table.torch_words or member in self.table.torch_members
            if member and scope in ("at", "c10") and not seen:
                self.say(
                    at,
                    at + len(member),
                    "SIG134",
                    WARNING,
                    f"'{scope}::musa::{member.decode('latin-1')}': torch_musa mirrors this "
                    "namespace, but this name was not seen there",
                    "check torch_musa's headers (torch_musa/csrc/aten/musa, torch_musa/csrc/core)",
                    "torch/unproven",
                )
            return
        if not qualifies and not self._names_namespace(start):
            return
        if scope == "::":
            scope = ""
        if scope or b"cuda" in self.project.declared or b"cuda" in self.project.owned:
            return
        shown = self.lexed.name_starting_at(at) if qualifies else "…".encode()
        inner = self.lexed.after(at + len(shown))
        if shown == b"std" and self.data[inner : inner + 2] == b"::":
            name = self.lexed.name_starting_at(self.lexed.after(inner + 2))
            if name == b"numeric_limits":
                edit = Edit(Span(start, end), b"musa", "names/libcudacxx", Safety.REVIEW)
                self.edits.append(edit)
                return
            shown = b"std::" + name
        self.libcudacxx.setdefault(shown, []).append(start)

    def _libcudacxx(self) -> None:
        """One word about each name of libcu++, however often the file uses it."""
        for name, places in self.libcudacxx.items():
            shown = name.decode("utf-8", "replace")
            more = f" ({len(places)} places in this file)" if len(places) > 1 else ""
            self.say(
                places[0],
                places[0] + 4,
                "SIG131",
                ERROR,
                f"'cuda::{shown}' is libcu++; MUSA ships only a few of its headers (musa/std: "
                f"tuple, utility, limits, type_traits, cstdint, cstddef, cassert){more}",
                f"include its header from musa/std and write musa::{shown} where the SDK has it; "
                "else std:: on the host, own code on the device"
                if shown.startswith("std")
                else "replace it (std:: on the host, own code on the device), or check the SDK's "
                f"include folder for musa/{shown}",
                "names/libcudacxx",
            )

    def _names_namespace(self, start: int) -> bool:
        """`using namespace cuda;` and `namespace x = cuda;`."""
        limit = max(0, start - 400)
        line = max(self.data.rfind(byte, limit, start) for byte in (b";", b"{", b"}", b"\n"))
        line = max(line, limit - 1)
        return _NAMESPACE.match(self.data[line + 1 : start]) is not None

    def _is_stem(self, word: Word) -> bool:
        """A piece such as `cuda` handed to a macro that pastes it."""
        macro, index = self._argument_of(word)
        if self.project.pasting.get(macro, {}).get(index) != "pastes":
            return False
        if self.protected.why(word[0]):
            return True
        self._pasted(word[0], word[2])
        return True

    def _pasted(self, at: int, piece: bytes) -> None:
        self.say(
            at,
            at + len(piece),
            "SIG410",
            ERROR,
            f"token pasting builds a name from '{piece.decode('latin-1')}'; the pasted name is "
            "not ported",
            "write the MUSA stem here when all pasted names follow the naming rule, or spell the "
            "names out",
            "macros/pasted-name",
        )

    def _is_flagged(self, word: Word) -> bool:
        """Is this word really the device feature, and not some name of the project?"""
        start, end, name = word
        if self._access(start) == "member":
            return False
        if name in (b"asm", b"__asm__", b"__asm"):
            if self.is_cuda:
                return True
            # Host code: only what reads like PTX concerns us.
            stop = self.data.find(b";", end)
            return _PTX.search(self.data, end, max(stop, end + 400)) is not None
        if not self.is_cuda:
            return False
        at = self.lexed.after(end)
        follow = self.data[at : at + 1]
        if name.startswith(b"__shfl_") and len(self.lexed.arguments(at)) > 3 and follow == b"(":
            return False  # an explicit width
        if name in (b"texture", b"textureReference"):
            return follow == b"<" or name == b"textureReference"
        return follow in (b"(", b"<") or name in (b"wmma", b"warpSize")

    def _own_names(self) -> None:
        stand_ins: dict[str, list[Own]] = {}
        for own in self.facts.own:
            name = own.name.decode("latin-1")
            end = own.at + len(own.name)
            if self.protected.why(own.at) and own.reach in (Reach.RANGE, Reach.STAND_IN):
                continue
            if own.reach is not Reach.STAND_IN:
                reach = {
                    Reach.RANGE: "inside its scope",
                    Reach.SCOPE: f"inside '{own.scope.decode('latin-1')}'",
                    Reach.FILE: "in this file",
                    Reach.TREE: "in the whole tree",
                }[own.reach]
                self.say(
                    own.at,
                    end,
                    "SIG110",
                    WARNING if own.reach is Reach.TREE else NOTE,
                    f"the project declares '{name}' itself ({own.what}); its uses {reach} are "
                    "left as they are",
                    "rename it, or write ::name where CUDA's is meant, if this is not intended",
                    "names/own",
                )
            else:
                stand_ins.setdefault(own.what, []).append(own)
        for what, owns in stand_ins.items():
            self._stand_ins(what, owns)

    def _stand_ins(self, what: str, owns: list[Own]) -> None:
        """One diagnostic for each, or for all of a long list: a table of entry points, an enum."""
        for own in owns if len(owns) <= 5 else owns[:1]:
            name = own.name.decode("latin-1")
            more = f" (and {len(owns) - 1} more in this file)" if len(owns) > 5 else ""
            if what == "macro":
                self.say(
                    own.at,
                    own.at + len(own.name),
                    "SIG112",
                    WARNING,
                    f"macro '{name}' has the name of a CUDA function, type or macro{more}; "
                    "definition and uses are ported alike",
                    "check that the definition still means the right thing on MUSA",
                    "names/macro-of-both",
                )
            else:
                self.say(
                    own.at,
                    own.at + len(own.name),
                    "SIG111",
                    WARNING,
                    f"this {what} declares CUDA's '{name}' again{more}; declaration and uses are "
                    "ported alike",
                    "compare the declaration with the MUSA header, or include that header instead",
                    "names/stand-in",
                )

    # --- includes ------------------------------------------------------------------------------

    def _include(self, include: Include) -> None:
        if self.protected.why(include.start):
            return
        path = include.path
        if not path.endswith((b".cuh", b".cu")) and not self._may_be_cudas(path):
            return
        span = Span(include.start, include.end)
        found = self._in_tree(include)
        if found is not None:
            self._project_include(include, span, found)
            return
        target = self.table.find_header(include.path)
        row = self.table.header_row(include.path)
        if target is None:
            entry = self.table.explain(row.decode("latin-1"))
            self.say(
                span.start,
                span.end,
                "SIG103",
                ERROR,
                f"header '{include.path.decode('latin-1')}' has no known MUSA counterpart; "
                "left as it is",
                (entry.note if entry else "") or "remove the include and what depends on it",
                "headers/absent",
            )
            return
        if target:
            if target != include.path:
                if self.strict and row in self.table.unproven:
                    self._refused(span.start, span.end, include.path, target)
                    return
                self.edits.append(Edit(span, target, "headers/rename"))
                if row in self.table.unproven:
                    self.unproven.setdefault(row, include.start)
            return
        if include.path.startswith((b"cutlass/", b"cute/")):
            self.say(
                span.start,
                span.end,
                "SIG601",
                ERROR,
                f"'{include.path.decode('latin-1')}' is CUTLASS; it is not ported yet",
                "MUTLASS follows CUTLASS 3.5 in part: most of its 2.x interface and every "
                "SM-numbered atom has no twin",
                "cutlass/include",
            )
            return
        base = include.path.rpartition(b"/")[2]
        if FOREIGN_HEADER.match(include.path) or self.table.find_header(base) not in (b"", base):
            self.say(
                span.start,
                span.end,
                "SIG104",
                WARNING,
                f"header '{include.path.decode('latin-1')}' looks like CUDA's, but is in no table "
                "and not in this tree; left as it is",
                "add it to a rule folder (--rules) if it is CUDA's",
                "headers/unknown",
            )

    def _may_be_cudas(self, path: bytes) -> bool:
        base = path.rpartition(b"/")[2]
        return (
            self.table.find_header(path) != b""
            or base in self.table.headers
            or FOREIGN_HEADER.match(path) is not None
            or path.startswith((b"cutlass/", b"cute/"))
        )

    def _macro_includes(self) -> list[Include]:
        """`#define NAME <header>` where some file of the tree says `#include NAME`."""
        if not self.project.include_macros:
            return []
        found = [
            match
            for match in _HEADER_MACRO.finditer(self.data)
            if match.group(1) in self.project.include_macros
        ]
        if found:
            self.lexed = self.lexed.with_blanks()
        return [
            Include(*match.span(3), match.group(3), match.group(2) == b"<")
            for match in found
            if self.lexed.blank_at(match.start()) is None
        ]

    def _in_tree(self, include: Include) -> list[str] | None:
        """Files of the tree that the include can mean; None when it can only be a system header."""
        try:
            name = include.path.decode("utf-8").replace("\\", "/")
        except UnicodeDecodeError:
            return None
        base = name.rpartition("/")[2]
        candidates = self.project.by_name.get(base)
        if candidates is None:
            return None
        beside = normpath(join(dirname(self.file.path), name))
        if beside in self.project.files and not include.angled:
            return [beside]
        cudas = self.table.find_header(include.path) != b"" and (include.angled or "/" not in name)
        if cudas and (include.angled or beside not in self.project.files):
            return None  # <cuda.h> is CUDA's even if some folder holds a file of that name
        tail = "/" + name.removeprefix("./").lstrip("/")
        while tail.startswith("/../"):
            tail = tail[3:]
        return [path for path in candidates if ("/" + path).endswith(tail)] or None

    def _project_include(self, include: Include, span: Span, found: list[str]) -> None:
        renamed = [path for path in found if path in self.project.renamed]
        if not renamed:
            return
        if len(renamed) < len(found):
            self.say(
                span.start,
                span.end,
                "SIG133",
                ERROR,
                f"'{include.path.decode()}' can mean {len(found)} files of this tree, and not all "
                "of them are renamed; left as it is",
                "include it by a longer path, or use --keep-extensions",
                "headers/ambiguous",
            )
            return
        before = renamed[0].rpartition(".")[2].encode()
        after = self.project.renamed[renamed[0]].rpartition(".")[2].encode()
        if include.path.endswith(b"." + before):
            text = include.path[: -len(before)] + after
            raw = self.data[span.start : span.end]
            self.edits.append(Edit(span, raw.replace(include.path, text), "headers/extension"))

    # --- what is only reported -----------------------------------------------------------------

    def _flags(self) -> None:
        for name, words in self.flagged.items():
            flag = self.table.flags[name]
            places = words if flag.each else words[:1]
            for start, end, _ in places:
                count = len(words)
                more = f" ({count} places in this file)" if count > 1 and not flag.each else ""
                self.say(
                    start, end, flag.code, Severity(flag.severity), flag.message + more, flag.help,
                    flag.rule,
                )  # fmt: skip

    def _absent_scopes(self) -> None:
        """A namespace stands before each of its names: once for the file."""
        for name, words in self.scopes.items():
            entry = self.table.explain(name.decode())
            more = f" ({len(words)} places in this file)" if len(words) > 1 else ""
            self.say(
                words[0][0],
                words[0][1],
                "SIG101",
                ERROR,
                f"'{name.decode()}' has no known MUSA counterpart; left as it is{more}",
                (entry.note if entry else "") or "replace the calls",
                "names/absent",
            )

    def _pasting(self) -> None:
        data = self.data
        if b"##" in data:
            for match in _PASTED.finditer(data):
                piece = match.group(1) or match.group(2)
                at = match.start(1) if match.group(1) else match.start(2)
                if not _STEM.match(piece) or self.lexed.blank_at(at) or self.protected.why(at):
                    continue
                if piece in self.project.declared:
                    continue
                self._pasted(at, piece)
        for macro, parameters in self.facts.pasting.items():
            if "quotes" in parameters.values() and self.renamed:
                at = data.find(macro)
                self.say(
                    at,
                    at + len(macro),
                    "SIG412",
                    NOTE,
                    f"macro '{macro.decode()}' turns its argument into text; CUDA names in it now "
                    "show as MUSA names",
                    rule="macros/quoted-argument",
                )
        # Text made from a name matters where symbols are looked up by it; pasted names always do.
        matters = ("pastes", "quotes") if self.facts.loads_symbols else ("pastes",)
        macros = self.project.pasters if len(matters) == 1 else self.project.pasting.keys()
        if not macros:
            return
        for word in self.renamed:
            if data[word[1] : word[1] + 1] not in _MAY_END_ARGUMENT:
                continue  # a call, a declaration, a statement: most names
            macro, index = self._argument_of(word)
            how = self.project.pasting.get(macro, {}).get(index)
            if how in matters:
                what = f"macro '{macro.decode()}' {how} '{word[2].decode()}'; what it makes of it"
                what += " changes with the name"
            elif macro and how is None and self._is_parameter(word[0], macro):
                what = f"'{word[2].decode()}' is handed to '{macro.decode()}', a parameter of this"
                what += " macro; macros of this tree paste such names into others"
            else:
                continue
            self.say(
                word[0],
                word[1],
                "SIG411",
                WARNING,
                what,
                "check the places that spell the result out",
                "macros/pasted-argument",
            )

    def _is_parameter(self, at: int, name: bytes) -> bool:
        """Does `at` stand in a macro that has `name` as a parameter?"""
        start, _ = self.lexed.logical_line(at)
        match = _MACRO_HEAD.match(self.data, start)
        return match is not None and name in _NAME.findall(match.group(1))

    def _argument_of(self, word: Word) -> tuple[bytes, int]:
        """The call that has `word`, and nothing else, as an argument; (b"", 0) if there is none."""
        data, lexed = self.data, self.lexed
        after = lexed.after(word[1])
        at = lexed.before(word[0])
        if at < 0 or data[at] not in b"(," or data[after : after + 1] not in (b",", b")"):
            return b"", 0
        start, index = lexed.list_start(at)
        if start < 0 or data[start] != 0x28:
            return b"", 0
        return lexed.name_ending_at(lexed.before(start)), index

    def _strings(self) -> None:
        data = text = self.data
        if self.lexed.blanks:  # what matters is in literals: a tenth of most files
            text = b"".join([data[s:e] for s, e in self.lexed.blanks if data[s] != 0x2F])
        files = any(mark in text for mark in _FILE_MARKS)
        sources = any(mark in text for mark in _SOURCE_MARKS)
        if files or sources:
            self.lexed = self.lexed.with_blanks()
        seen: set[int] = set()
        self._quoted_names(seen)
        if files:
            self._quoted_files()
        if sources:
            self._quoted_source(seen)

    def _quoted_names(self, seen: set[int]) -> None:
        for start, end, word in self.lexed.quoted:
            blank = self.lexed.blank_at(start)
            if blank is None or blank[0] in seen or self.protected.why(start):
                continue
            name = _VERSIONED.sub(b"", word)
            if name not in self.table.targets and name not in self.table.absent:
                name = word
            known = name in self.table.targets or name in self.table.absent
            if not known or self.data[blank[0] + 1 : blank[1] - 1] != word:
                continue
            seen.add(blank[0])
            entry = self.table.explain(name.decode())
            loaded = self.project.loads_symbols and entry is not None and entry.kind == "function"
            target = self.table.targets.get(name, b"").decode()
            if target.startswith("sigtrans"):
                target = ""  # a helper header serves it; no library has it
            self.say(
                start,
                end,
                "SIG120" if loaded else "SIG121",
                WARNING if loaded else NOTE,
                f'string "{word.decode()}" is a CUDA name; strings are not changed'
                + (" (this tree loads symbols by name)" if loaded else ""),
                f'write "{target}" if it is looked up in a MUSA library'
                if target
                else "MUSA has no such name: the look-up must go",
                "strings/name",
            )

    def _quoted_files(self) -> None:
        for first, last in self.lexed.blanks:
            match = None
            if self.data[first] == 0x22:
                match = _LOADED_FILE.search(self.data, first + 1, last)
            if match is None or self.protected.why(first) or self._in_include(first + 1):
                continue
            start, end = match.span()
            text = match.group().decode("latin-1")
            if match.group(1):
                code, what = "SIG122", "is a CUDA library"
                help = "name the MUSA library (libmusart.so, …)"
            elif match.group(2):
                base = text.rpartition("/")[2]
                moved = [p for p in self.project.by_name.get(base, ()) if p in self.project.renamed]
                if not moved:
                    continue
                beside = normpath(join(dirname(self.file.path), text))
                one = beside if beside in moved else moved[0]
                becomes = self.project.renamed[one]
                if one != beside and len(moved) > 1:
                    becomes = becomes.rpartition("/")[2]
                code, what = "SIG125", f"becomes '{becomes}' in the port"
                help = "change the string if the file is opened or compiled at run time"
            else:
                code, what = "SIG124", "is a compiled CUDA module"
                help = "build a MUSA fat binary and load that (muModuleLoadData)"
            self.say(
                start,
                end,
                code,
                WARNING,
                f"'{text}' {what}; strings are not changed",
                help,
                "strings/file",
            )

    def _quoted_source(self, seen: set[int]) -> None:
        for marker in _SOURCE_MARKS:
            at = self.data.find(marker)
            while at >= 0:
                blank = self.lexed.blank_at(at)
                quoted = blank is not None and not self.lexed.is_comment(blank)
                if quoted and blank and blank[0] not in seen and not self.protected.why(at):
                    seen.add(blank[0])
                    self.say(
                        at,
                        at + len(marker),
                        "SIG123",
                        ERROR,
                        "CUDA source inside a string is not ported",
                        "port the text by hand, or move it to a file of its own; it is compiled "
                        "at run time",
                        "strings/source",
                    )
                at = self.data.find(marker, at + 1)

    def _in_include(self, at: int) -> bool:
        return any(i.start <= at < i.end for i in self.includes)

    def _shape(self) -> None:
        """What compilers themselves disagree on, or what hides a name from everyone."""
        data = self.data
        for place in _SPLICE_IN_WORD.finditer(data) if b"\\" in data else ():
            begin = place.start()
            while begin and data[begin - 1] in IDENTIFIER_BYTES:
                begin -= 1
            match = _SPLIT_NAME.match(data, begin) if begin < place.start() else None
            if match is None:
                continue
            joined = _SPLICE.sub(b"", match.group())
            known = joined in self.table.targets or joined in self.table.absent
            if not known:
                continue
            self.lexed = self.lexed.with_blanks()
            if self.lexed.blank_at(match.start()) is not None:
                continue
            self.say(
                match.start(),
                match.end(),
                "SIG413",
                ERROR,
                f"'{joined.decode()}' is split by a line continuation and not ported",
                "write the name on one line",
                "language/split-name",
            )
        lone = LONE_CR.search(data) if b"\r" in data else None
        if lone is not None:
            self.say(
                *lone.span(),
                "SIG414",
                WARNING,
                "a carriage return alone ends a line for MUSA's compiler (clang), not for gcc",
                "convert the file's line ends",
                "language/lone-cr",
            )
        if self.lexed.blanks:
            start, end = self.lexed.blanks[-1]
            if end == len(data) and data[start : start + 2] == b"/*" and data[-2:] != b"*/":
                self.say(
                    start,
                    start + 2,
                    "SIG415",
                    WARNING,
                    "this comment never ends; nothing after it is ported",
                    "close the comment",
                    "language/open-comment",
                )


_NAMESPACE = re.compile(rb"\s*(?:using\s+namespace\s*(?:::\s*)?|namespace\s+\w+\s*=\s*(?:::\s*)?)$")
_CUDA_SCOPES = frozenset(("nvcuda", "cooperative_groups", "std"))
_CUDA_BACKENDS = {  # X::cuda that is X::musa on MUSA
    "thrust": "thrust/cuda-namespace",
    "system": "thrust/cuda-namespace",
    "at": "torch/cuda-namespace",
    "c10": "torch/cuda-namespace",
}
_PTX = re.compile(
    rb"%(?:laneid|warpid|smid|clock|lanemask|globaltimer)|\b(?:membar|fence|bar|ld|st|mov|cvt|mma|shfl"
    rb"|cp|red|atom|prmt|wgmma|mbarrier|ldmatrix|setmaxnreg|griddepcontrol|elect)\.|\.[bsuf](?:32|64)\b"
)
_COMMENT = re.compile(rb"/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|//.*", re.DOTALL)
_NAME = re.compile(rb"[A-Za-z_]\w*")
_PASTED = re.compile(rb"([A-Za-z_]\w*)[ \t]*##|##[ \t]*([A-Za-z_]\w*)")
_HEADER_MACRO = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+([<\"])([\w./+-]+)[>\"]")
_MACRO_HEAD = re.compile(rb"[ \t]*#[ \t]*define[ \t]+\w+\(([^)]*)\)")
_BREAK = re.compile(rb"[;{},(\n]")
_MAY_END_ARGUMENT = frozenset(
    (b"", b",", b")", b" ", b"\t", b"\r", b"\n", b"\f", b"\v", b"\\", b"/")
)
_NPP = re.compile(rb"[nN]pp[A-Zisc]|NPP_")
_STEM = re.compile(
    rb"(?:cuda|cu|CU|CUDA|cublas|cublasLt|cufft|curand|cusparse|cusolver|cusolverDn|cudnn|nccl"
    rb"|nvrtc|nvml|nvtx|cupti|CUBLAS|CUFFT|CURAND|CUSPARSE|CUSOLVER|CUDNN|NCCL|NVRTC)(?:_|[A-Z]\w*)?$"
)
_LOADED_FILE = re.compile(
    rb"\b(lib(?:cuda|cudart|cublas|cublasLt|cufft|curand|cusparse|cusolver|cudnn|nccl|nvrtc|cupti"
    rb"|nvidia-ml|nvToolsExt)[\w-]*\.(?:so|a|dylib)\b"
    rb"|(?:nvcuda|cudart\w*|cublas\w*|cufft\w*|nvrtc\w*)\.dll\b)"
    rb"|(?<=\")(?:([\w./-]+\.cuh?)|[\w%./-]*\.(?:ptx|cubin|fatbin))(?=\")"
)
_SPLIT_NAME = re.compile(rb"(?:[A-Za-z_]\w*" + LINE_SPLICE + rb")+\w+")
_SPLICE_IN_WORD = re.compile(LINE_SPLICE + rb"(?=\w)")
_SPLICE = re.compile(LINE_SPLICE)
_VERSIONED = re.compile(rb"(?:_ptsz|_ptds|_v\d)+$")
_FILE_MARKS = (b".so", b".dll", b".ptx", b'bin"', b".cu", b".a", b".dylib")
_SOURCE_MARKS = (b"__global__", b"__device__", b"<cuda_", b"<curand_")


# --- what is left alone ---------------------------------------------------------------------

_MARK = re.compile(rb"sigtrans:[ \t]*([\w-]+)|MUSIFY_EXCL_(START|STOP|LINE)\b")
_MUSA = re.compile(
    rb"\b(?:__MUSA__|__MUSACC__|__MUSA_ARCH__|MUSA_VERSION|MUSART_VERSION|(?:\w+_)?USE_MUSA"
    rb"|(?:\w+_)?(?:WITH|ENABLE|HAVE|HAS)_MUSA)\b"
)
DIRECTIVE = re.compile(
    rb"^(?:\xef\xbb\xbf)?[ \t]*(?:#|%:)[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b"
    rb"((?:[^\r\n\\]|" + LINE_SPLICE + rb"|\\[^\r\n])*)",
    re.MULTILINE,
)


def find_protected(lexed: Lexed) -> Protected:
    """Ranges that the user marked, and branches that are MUSA's already."""
    data = lexed.data
    ranges: list[tuple[int, int, str]] = []
    faults: list[tuple[int, int, str]] = []
    marked = b"sigtrans:" in data or b"MUSIFY_EXCL_" in data
    branches = b"MUSA" in data and _MUSA.search(data) is not None
    if not marked and not branches:
        return Protected()
    lexed = lexed.with_blanks()
    if marked:
        ranges += _marked(lexed, faults)
    if branches:
        ranges += [(start, end, "MUSA branch") for start, end in _musa_branches(lexed)]
    merged: list[tuple[int, int, str]] = []
    for start, end, why in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
        else:
            merged.append((start, end, why))
    return Protected(tuple(merged), tuple(faults))


def _marked(lexed: Lexed, faults: list[tuple[int, int, str]]) -> Iterable[tuple[int, int, str]]:
    data = lexed.data
    why = "excluded by a mark"
    opened: tuple[int, re.Match[bytes]] | None = None
    for match in _MARK.finditer(data):
        blank = lexed.blank_at(match.start())
        if blank is None or not lexed.is_comment(blank):
            continue
        word = match.group(1) or match.group(2)
        start, end = lexed.logical_line(match.start())
        if word in (b"off", b"START"):
            opened = opened or (start, match)
        elif word in (b"on", b"STOP"):
            if opened is None:
                faults.append((*match.span(), "there is nothing to end here"))
            else:
                yield opened[0], end, why
            opened = None
        elif word == b"skip-file":
            yield 0, len(data), why
        elif word in (b"skip-line", b"LINE"):
            yield start, end, why
        else:
            faults.append(
                (*match.span(), "unknown mark; there are off, on, skip-line and skip-file")
            )
    if opened is not None:
        faults.append((*opened[1].span(), "never ended; the rest of the file is left alone"))
        yield opened[0], len(data), why


def _musa_branches(lexed: Lexed) -> list[tuple[int, int]]:
    """Branches of #if chains that only a MUSA build compiles, and the conditions of such chains.

    The conditions stay, too: renaming the CUDA test beside a hand-written MUSA branch would make
    both branches true, and the first would win.
    """
    data = lexed.data
    found: list[tuple[int, int]] = []
    stack: list[_Chain] = []
    for match in DIRECTIVE.finditer(data):
        if lexed.blank_at(match.start(1)) is not None:
            continue
        kind = match.group(1)
        condition = _COMMENT.sub(b" ", match.group(2)).replace(b"\\", b" ")
        if kind in (b"if", b"ifdef", b"ifndef"):
            stack.append(_Chain())
        if not stack:
            continue
        chain = stack[-1]
        if chain.branch >= 0:
            found.append((chain.branch, match.start()))
            chain.branch = -1
        if kind == b"endif":
            stack.pop()
            if chain.musa:
                found += chain.conditions
            continue
        if kind == b"else":
            if chain.without:
                chain.branch = match.end()
            continue
        sign = musa_sign(kind, condition)
        chain.conditions.append((match.start(), match.end()))
        chain.musa = chain.musa or _MUSA.search(condition) is not None
        chain.without = chain.without or sign < 0
        if sign > 0:
            chain.branch = match.end()
    return found


@dataclass(slots=True)
class _Chain:
    """One #if … #endif while its directives go by."""

    branch: int = -1  # where a MUSA branch has begun, -1 outside of one
    musa: bool = False  # some condition speaks of MUSA
    without: bool = False  # some branch was for builds without MUSA: #else is MUSA's
    conditions: list[tuple[int, int]] = field(default_factory=list)


def musa_sign(kind: bytes, condition: bytes) -> int:
    """1: only a MUSA build takes this branch; -1: only a build without MUSA; 0: cannot tell."""
    if _MUSA.search(condition) is None:
        return 0
    if kind.endswith(b"ifdef") or kind == b"elifdef":
        return 1
    if kind.endswith(b"ifndef") or kind == b"elifndef":
        return -1
    if _evaluate(condition, musa=False) is False:
        return 1
    return -1 if _evaluate(condition, musa=True) is False else 0


def _evaluate(condition: bytes, musa: bool) -> bool | None:
    """The condition's truth when MUSA's macros are 1 (or undefined); None: depends on others."""
    node = parse(condition, 0, len(condition))
    known = int(musa)
    if node is None:
        return None
    return truth(node, lambda n: known if n.kind != "call" and _MUSA.fullmatch(n.text) else None)
