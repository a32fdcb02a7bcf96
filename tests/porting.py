"""What the tests of the code passes share: port a snippet, port a tree, look for silent leftovers.

`find_silent` decides with a scanner of its own what is code, so that a fault in the lexer under
test cannot hide a name from the check as well.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import strategies as st

from sigtrans.names import NameTable, load
from sigtrans.passes.code import find_protected
from sigtrans.passes.pipeline import Port as Goal
from sigtrans.passes.pipeline import find
from sigtrans.plan import Drafted, Settings, make_plan
from sigtrans.source import Diagnostic, Edit, Findings, Severity, SourceFile, apply
from sigtrans.symbols import find_facts, merge
from sigtrans.syntax import lex, make_pattern

# Codes that only tell how well a target is proven; they follow the tables, not the code.
EVIDENCE = frozenset(("SIG105", "SIG107"))


@cache
def table() -> NameTable:
    return load()


@dataclass(frozen=True, slots=True)
class Port:
    """One snippet, ported by itself."""

    before: bytes
    after: bytes
    edits: tuple[Edit, ...]
    diagnostics: tuple[Diagnostic, ...]
    protected: int
    helpers: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        return self.after.decode("utf-8", "surrogateescape")

    @property
    def codes(self) -> set[str]:
        return {d.code for d in self.diagnostics} - EVIDENCE

    @property
    def loud(self) -> set[str]:
        """Codes that make someone look: no mere notes."""
        return {d.code for d in self.diagnostics if d.severity is not Severity.NOTE} - EVIDENCE

    @property
    def places(self) -> set[str]:
        return {f"{d.line}:{d.column} {d.code}" for d in self.diagnostics if d.code not in EVIDENCE}


def port(
    source: str | bytes,
    path: str = "a.cu",
    strict: bool = False,
    targets: tuple[str, ...] = ("mp_31",),
    sdk: str = "5.2",
    is_cuda: bool = True,
) -> Port:
    data = source.encode() if isinstance(source, str) else source
    names = table()
    torch = b"torch" in data or b"ATen/" in data or b"c10/" in data
    words = (*names.extra_words, *names.torch_words) if torch else names.extra_words
    file = SourceFile(path, data)
    lexed = lex(data, make_pattern(words))
    facts = find_facts(file, lexed, names)
    project = merge([facts], [path], {})
    goal = Goal(targets, sdk, strict)
    found = find(file, lexed, facts, project, names, goal, is_cuda)
    applied = apply(data, found.edits)
    assert not applied.refused
    said = file.place(found.diagnostics)
    return Port(data, applied.data, applied.taken, said, found.protected, found.helpers)


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def port_tree(
    root: Path, files: Mapping[str, str | bytes], settings: Settings | None = None
) -> Drafted:
    return make_plan(write_tree(root, files), settings or Settings(jobs=1))


def texts(drafted: Drafted) -> dict[str, str]:
    """Port path -> text of every file that the plan changes."""
    paths = {f.path: f.port_path for f in drafted.plan.files}
    return {paths[p]: d.decode("utf-8", "surrogateescape") for p, d in drafted.drafts.items()}


def codes(drafted: Drafted, path: str) -> set[str]:
    (result,) = (f for f in drafted.plan.files if f.path == path)
    return {d.code for d in result.diagnostics} - EVIDENCE


def find_compiler(language: str = "c++") -> str:
    """The C or C++ compiler of this machine. Only without one is the test left out, and .ci/run
    refuses to begin there."""
    names = {"c": ("gcc", "clang"), "c++": ("g++", "clang++")}[language]
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"no {' or '.join(names)} on this machine")
    return found


# --- laws of the build-file passes ----------------------------------------------------------------


@st.composite
def mutants(draw: st.DrawFn, samples: Sequence[str], pieces: st.SearchStrategy[str]) -> bytes:
    """A sample with pieces cut out and others put in."""
    text = draw(st.sampled_from(samples))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 6)))
        text = text[:start] + draw(pieces) + text[end:]
    return text.encode("latin-1")


def check_edits(data: bytes, find: Callable[[bytes], Findings]) -> None:
    """Every edit fits, every diagnostic lies in the file, and a second port changes nothing."""
    findings = find(data)
    applied = apply(data, findings.edits)
    assert not applied.refused
    assert applied.taken == tuple(sorted(findings.edits))
    for diagnostic in findings.diagnostics:
        assert diagnostic.span.end <= len(data)
    assert find(applied.data).edits == ()


def check_settled(after: bytes, first: Findings, find: Callable[[bytes], Findings]) -> None:
    """The port of a port changes nothing and finds no error that the first did not find."""
    second = find(after)
    assert second.edits == ()
    errors = {d.code for d in first.diagnostics if d.severity is Severity.ERROR}
    assert {d.code for d in second.diagnostics if d.severity is Severity.ERROR} <= errors


# --- nothing in silence ---------------------------------------------------------------------------

_RAW = re.compile(rb'(?:u8|[LuU])?R"([^()\\\s"]{0,16})\(')
_NAME = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_NUMBER = re.compile(rb"\.?\d(?:[\w.$\x80-\xff]|'[\w]|(?<=[eEpP])[+-])*")
_CONTINUED = re.compile(rb"\\[ \t]*(?:\r\n|\r|\n)")


def scan(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Every token of C-family code: names whole, other bytes one by one; no comment, no literal.

    Slow and plain on purpose: one branch per form, no regular expression over the whole file.
    """
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    size = len(data)
    while at < size:
        byte = data[at : at + 1]
        if byte in b" \t\r\n\f\v\0":
            at += 1
        elif (spliced := _CONTINUED.match(data, at)) is not None:
            at = spliced.end()
        elif data.startswith(b"//", at):
            at = _end_of_line(data, at)
        elif data.startswith(b"/*", at):
            end = data.find(b"*/", at + 2)
            at = size if end < 0 else end + 2
        elif (raw := _RAW.match(data, at)) is not None:
            end = data.find(b")" + raw.group(1) + b'"', raw.end())
            at = size if end < 0 else end + len(raw.group(1)) + 2
        elif byte == b'"' or byte == b"'":
            end = _end_of_literal(data, at)
            at = end if end > 0 else at + 1
        elif (number := _NUMBER.match(data, at)) is not None:
            at = number.end()
        elif (name := _NAME.match(data, at)) is not None:
            yield at, name.group()
            at = name.end()
        else:
            yield at, byte
            at += 1


def _end_of_line(data: bytes, at: int) -> int:
    while at < len(data):
        if (spliced := _CONTINUED.match(data, at)) is not None:
            at = spliced.end()
        elif data[at : at + 1] in (b"\n", b"\r"):
            return at
        else:
            at += 1
    return at


def _end_of_literal(data: bytes, at: int) -> int:
    """Just after the closing quote; for a string also at the end of the line; 0 if it is prose."""
    quote = data[at : at + 1]
    at += 1
    while at < len(data):
        byte = data[at : at + 1]
        if byte == b"\\":
            spliced = _CONTINUED.match(data, at)
            at = spliced.end() if spliced is not None else at + 2
        elif byte == quote:
            return at + 1
        elif byte in (b"\n", b"\r"):
            return at if quote == b'"' else 0
        else:
            at += 1
    return at if quote == b'"' else 0


def find_silent(
    data: bytes,
    edits: Iterable[Edit],
    diagnostics: Iterable[Diagnostic],
    own: Iterable[bytes] = (),
) -> list[str]:
    """CUDA names that the port leaves in code without a word; `own` are those of the project."""
    names = table()
    cudas = names.targets.keys() | names.absent.keys() | names.guards.keys()
    edited = {at for e in edits for at in range(e.span.start, e.span.end)}
    said = [(d.span.start, max(d.span.end, d.span.start + 1)) for d in diagnostics]
    protected = find_protected(lex(data))
    mine = frozenset(own)
    found: list[str] = []
    previous: list[bytes] = []
    for at, token in scan(data):
        if token in cudas and at not in edited and token not in mine:
            member = previous[-1:] == [b"."] and previous[-2:] != [b".", b"."]
            member = member or previous[-2:] == [b"-", b">"]
            told = any(start <= at < end for start, end in said)
            line = data.count(b"\n", 0, at) + 1
            if token in names.guards and not told:  # one word for a whole condition
                start, end = lex(data).logical_line(at)
                told = any(start <= place < end for place, _ in said)
            if not (member or told or protected.why(at)):
                found.append(f"{line}: {token.decode('latin-1')}")
        previous = [*previous[-1:], token]
    return found


def announced(diagnostics: Iterable[Diagnostic]) -> frozenset[bytes]:
    """Names that a diagnostic calls the project's own: declared (SIG110) or defined (SIG402)."""
    return frozenset(
        match.group(1).encode("latin-1", "replace")
        for d in diagnostics
        if d.code == "SIG110" or (d.code == "SIG402" and "the project defines" in d.message)
        if (match := re.search(r"'([^']+)'", d.message)) is not None
    )
