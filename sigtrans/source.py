"""Bytes, spans, edits and diagnostics: the values that every other module passes around.

A file is kept as it was read. Offsets are bytes into that original from end to end; text is
decoded only to show it to a person.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum

LONE_CR = re.compile(rb"\r(?!\n)")  # ends a line for clang, hence mcc, but not for every tool


class SigtransError(Exception):
    """The request cannot be carried out; the message says what, where and what to do (exit 2)."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open byte range."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"bad span {self.start}..{self.end}")


class Safety(IntEnum):
    """How far an edit may be trusted before it is applied."""

    HINT = 0  # shown, never applied
    REVIEW = 1  # applied and marked: someone should look
    EXACT = 2  # same meaning on every target


class Severity(str, Enum):
    """How much a diagnostic matters to whoever has to make the port work."""

    ERROR = "error"  # the port is wrong or will not build here until someone acts
    WARNING = "warning"  # likely right, but has to be looked at
    NOTE = "note"  # nothing to do; said so that nothing happens in silence


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace `span` of the original by `text`; `rule` names the rule that says so."""

    span: Span
    text: bytes
    rule: str
    safety: Safety = Safety.EXACT


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One thing a person should know, at its place in the original file.

    `line` and `column` count from 1 (column in characters as an editor shows them) and are filled
    in by `SourceFile.place`; `excerpt` is the source line, decoded for display.
    """

    span: Span
    code: str  # SIG123
    severity: Severity
    message: str  # what is wrong
    help: str = ""  # what to do about it
    rule: str = ""
    line: int = 0
    column: int = 0
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What one pass has to say about one file."""

    edits: tuple[Edit, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as it was read: never normalised. `path` is relative to the tree, with `/`."""

    path: str
    data: bytes

    def place(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """The same diagnostics, sorted, with line, column and excerpt filled in."""
        wanted = sorted(set(diagnostics))
        if not wanted:
            return ()
        # Counting line feeds from place to place is quicker than a table of lines, and right
        # unless a carriage return ends a line by itself.
        starts = line_starts(self.data) if LONE_CR.search(self.data) else None
        placed: list[Diagnostic] = []
        line, counted = 1, 0
        for each in wanted:
            at = min(each.span.start, len(self.data))
            if starts is None:
                line += self.data.count(b"\n", counted, at)
                counted = at
                start = self.data.rfind(b"\n", 0, at) + 1
                end = self.data.find(b"\n", at)
            else:
                line = bisect_right(starts, at)
                start = starts[line - 1]
                end = starts[line] if line < len(starts) else -1
            text = self.data[start : end if end >= 0 else None][:4000].rstrip(b"\r\n")
            before = self.data[start:at]
            if line == 1 and before.startswith(b"\xef\xbb\xbf"):
                before = before[3:]
            column, excerpt = len(decode(before)) + 1, decode(text).lstrip("\ufeff")[:400]
            placed.append(  # twice as quick as `replace`, and there can be thousands
                Diagnostic(
                    each.span, each.code, each.severity, each.message, each.help, each.rule,
                    line, column, excerpt,
                )
            )  # fmt: skip
        return tuple(placed)


def line_starts(data: bytes) -> list[int]:
    """Offset of the first byte of every line; LF, CR LF and a lone CR each end a line."""
    starts = [0]
    at = 0
    for line in data.splitlines(keepends=True):  # bytes split on LF, CR and CR LF only
        at += len(line)
        starts.append(at)
    if len(starts) > 1 and not data.endswith((b"\n", b"\r")):
        starts.pop()
    return starts


def decode(data: bytes) -> str:
    """Text for a person: UTF-8, else GB18030 (most users' legacy encoding), else Latin-1."""
    for encoding in ("utf-8", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


@dataclass(frozen=True, slots=True)
class Applied:
    """The outcome of `apply`: every edit is in `taken` or in `refused`, none is lost."""

    data: bytes
    taken: tuple[Edit, ...]
    refused: tuple[Edit, ...]


def _position(edit: Edit) -> tuple[int, int, bytes, str, int]:
    return edit.span.start, edit.span.end, edit.text, edit.rule, edit.safety


def apply(data: bytes, edits: Iterable[Edit], least: Safety = Safety.REVIEW) -> Applied:
    """Splice every edit of at least `least` safety; on overlap the first by position wins."""
    out: list[bytes] = []
    taken: list[Edit] = []
    refused: list[Edit] = []
    at = 0
    last = (-1, -1)
    unique = {_position(edit): edit for edit in edits}  # tuples hash and sort without Python code
    for position in sorted(unique):
        start, end, text, _, safety = position
        edit = unique[position]
        if safety < least or start < at or (start, end) == last or end > len(data):
            refused.append(edit)
            continue
        out += [data[at:start], text]
        at, last = end, (start, end)
        taken.append(edit)
    if not taken:
        return Applied(data, (), tuple(refused))
    out.append(data[at:])
    return Applied(b"".join(out), tuple(taken), tuple(refused))
