"""Rewrites that data cannot express, one module per topic.

Every pass is a function that reads one file and proposes edits and diagnostics; it never writes.
Build files: `find(file, context) -> Findings`. C-family files: the names pass (`code`) first, then
those that `pipeline` lists, `find(code) -> CodeFindings`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sigtrans.passes.functions import Function, find_functions
from sigtrans.source import Diagnostic, Edit, Safety, Severity, SourceFile, Span

if TYPE_CHECKING:
    from sigtrans.names import NameTable
    from sigtrans.symbols import FileFacts, Project
    from sigtrans.syntax import Lexed


@dataclass(frozen=True, slots=True)
class Protected:
    """Byte ranges that are left alone, and why; sorted, not overlapping."""

    ranges: tuple[tuple[int, int, str], ...] = ()
    faults: tuple[tuple[int, int, str], ...] = ()  # marks that do not fit together

    def why(self, at: int) -> str:
        """The reason `at` is left alone, "" when it is not."""
        if not self.ranges:
            return ""
        n = bisect_right(self.ranges, at, key=lambda r: r[0]) - 1
        return self.ranges[n][2] if n >= 0 and at < self.ranges[n][1] else ""


@dataclass(frozen=True, slots=True)
class Code:
    """One C-family file as its passes see it."""

    file: SourceFile  # every offset refers to its bytes
    lexed: Lexed  # behind the names pass: with its blanks found
    facts: FileFacts
    project: Project  # the symbol table of the whole tree
    table: NameTable
    protected: Protected  # marks of the user, branches that are MUSA's already
    targets: tuple[str, ...]  # the port must be right on each of them
    sdk: str
    is_cuda: bool  # False: host code that at most shares a header with device code
    renames: tuple[Edit, ...] = ()  # of the names pass, in order, none overlapping
    assembly: tuple[Span, ...] = ()  # asm statements that the port writes in C++, exactly; in order
    strict: bool = False  # leave what only follows the naming rule
    _found: list[tuple[Function, ...]] = field(default_factory=list, repr=False, compare=False)

    @property
    def data(self) -> bytes:
        return self.file.data

    def is_open(self, at: int) -> bool:
        """Is `at` code (no comment, no literal) that nobody asked to leave alone?"""
        return self.lexed.blank_at(at) is None and not self.protected.why(at)

    def in_assembly(self, at: int) -> bool:
        """Does `at` stand in an asm statement that the port writes in C++, exactly?"""
        n = bisect_right(self.assembly, at, key=lambda span: span.start) - 1
        return n >= 0 and at < self.assembly[n].end

    def ported(self, start: int, end: int) -> bytes:
        """The bytes of a range with the renames inside it."""
        out: list[bytes] = []
        at = start
        n = bisect_left(self.renames, start, key=lambda e: e.span.start)
        while n < len(self.renames) and self.renames[n].span.end <= end:
            edit = self.renames[n]
            out += [self.data[at : edit.span.start], edit.text]
            at = edit.span.end
            n += 1
        out.append(self.data[at:end])
        return b"".join(out)

    @property
    def functions(self) -> tuple[Function, ...]:
        """Every function with a body, in order; looked for once, when first asked."""
        if not self._found:
            self._found.append(find_functions(self.lexed))
        return self._found[0]

    def function_at(self, at: int) -> Function | None:
        """The function whose head, parameters or body `at` stands in."""
        n = bisect_right(self.functions, at, key=lambda f: f.head) - 1
        return self.functions[n] if n >= 0 and at < self.functions[n].body[1] else None


@dataclass(frozen=True, slots=True)
class CodeFindings:
    """What a pass has to say about one C-family file."""

    edits: tuple[Edit, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    helpers: frozenset[str] = frozenset()  # "warp": the port needs sigtrans_warp.h
    protected: int = 0  # CUDA names left alone on the user's word
    reshaped: tuple[str, ...] = ()  # the passes that edited more than names


@dataclass(frozen=True, slots=True)
class BuildContext:
    """What a build-file pass needs to know about the run."""

    targets: tuple[str, ...]  # MUSA architectures, e.g. ("mp_22", "mp_31")
    sdk: str  # MUSA SDK version, e.g. "5.2"
    renamed: Mapping[str, str] = field(default_factory=dict)  # source path -> port path


class Finder:
    """One C-family file's findings while a pass collects them."""

    family = ""  # what the names of its rules begin with, where they all begin alike

    def __init__(self, code: Code) -> None:
        self.code = code
        self.data = code.data
        self.edits: list[Edit] = []
        self.said: list[Diagnostic] = []
        self.helpers: set[str] = set()

    @property
    def findings(self) -> CodeFindings:
        return CodeFindings(tuple(self.edits), tuple(self.said), frozenset(self.helpers))

    def say(
        self,
        start: int,
        end: int,
        code: str,
        severity: Severity,
        message: str,
        help: str = "",
        rule: str = "",
    ) -> None:
        rule = self.family + rule
        self.said.append(Diagnostic(Span(start, end), code, severity, message, help, rule))

    def take(
        self, edits: Iterable[Edit], said: Iterable[Diagnostic], helpers: Iterable[str]
    ) -> None:
        self.edits += edits
        self.said += said
        self.helpers.update(helpers)


@dataclass(slots=True)
class Draft:
    """Edits and remarks on one command of a build file; the first edit of a place wins."""

    rule: str
    edits: list[Edit] = field(default_factory=list)  # sorted by place, none overlaps another
    remarks: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def edit(self, start: int, end: int, text: str, safety: Safety = Safety.EXACT) -> None:
        span = Span(start, end)
        at = bisect_left(self.edits, span, key=lambda edit: edit.span)
        taken = at < len(self.edits) and self.edits[at].span == span
        if not taken and not self.touched(start, end):
            self.edits.insert(at, Edit(span, text.encode("latin-1"), self.rule, safety))

    def touched(self, start: int, end: int) -> bool:
        at = bisect_right(self.edits, start, key=lambda edit: edit.span.end)
        return at < len(self.edits) and self.edits[at].span.start < end

    def remark(self, code: str, message: str, help: str = "") -> None:
        said = self.remarks.setdefault(code, [])
        if (message, help) not in said:
            said.append((message, help))

    def diagnose(
        self, span: Span, severities: Mapping[str, Severity], helps: Mapping[str, str]
    ) -> Iterator[Diagnostic]:
        """One diagnostic per code, however many words of the command it is about."""
        for code, said in sorted(self.remarks.items()):
            message = "; ".join(message for message, _ in said)
            own = list(dict.fromkeys(help_ for _, help_ in said if help_))
            help_ = " ".join(own or [helps.get(code, "")])
            yield Diagnostic(span, code, severities[code], message, help_, self.rule)
