"""CUDA source in the strings of Python files that hand it to `load_inline`.

Strings are not changed elsewhere, because nobody can tell what becomes of them. Here one can:
`load_inline` compiles the text, and `python_build` has moved the call to torch_musa. So the text is
ported like a file of its own, where it stands as written: no escapes, nothing filled in later.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sigtrans.passes.pipeline import Port
from sigtrans.passes.pipeline import find as find_code
from sigtrans.passes.python_words import SOURCE, find_tokens
from sigtrans.source import Diagnostic, Edit, Findings, Severity, SourceFile, Span
from sigtrans.symbols import find_facts, merge
from sigtrans.syntax import lex, make_pattern

if TYPE_CHECKING:
    from sigtrans.names import NameTable


def find(file: SourceFile, build: Findings, table: NameTable, port: Port) -> Findings:
    """The findings of a Python file, with those of the CUDA source in its strings."""
    edits: list[Edit] = []
    said: list[Diagnostic] = []
    all_ported = True
    for start, end in find_tokens(file.data):
        inner = _inner(file.data, start, end)
        text = file.data[inner.start : inner.end]
        if not SOURCE.pattern.search(text) and not _CPP.search(text):
            continue
        found = _port(text, table, port) if _is_plain(file.data, start, end, inner) else None
        if found is None:
            all_ported = False
            continue
        edits += [replace(e, span=_shifted(e.span, inner.start)) for e in found.edits]
        said += [replace(d, span=_shifted(d.span, inner.start)) for d in found.diagnostics]
        if found.edits:
            said.append(
                Diagnostic(
                    Span(start, start + 3),
                    "SIG172",
                    Severity.NOTE,
                    "CUDA source in a string that load_inline compiles: ported in its place",
                    "",
                    "python/inline-source",
                )
            )
    kept = [d for d in build.diagnostics if not (all_ported and d.code == SOURCE.code)]
    taken = [e.span for e in build.edits]
    free = [
        e for e in edits if not any(s.start < e.span.end and e.span.start < s.end for s in taken)
    ]
    return Findings(tuple(sorted({*build.edits, *free})), tuple(sorted({*kept, *said})))


def _inner(data: bytes, start: int, end: int) -> Span:
    """The text between the quotes."""
    quote = 3 if data[start : start + 3] in (b'"""', b"'''") else 1
    return Span(min(start + quote, end), max(end - quote, min(start + quote, end)))


def _is_plain(data: bytes, start: int, end: int, inner: Span) -> bool:
    """Is the text what Python hands on, byte for byte?"""
    prefix = _PREFIX.search(data, max(0, start - 3), start)
    letters = prefix.group().lower() if prefix else b""
    if letters not in (b"", b"r", b"u"):
        return False
    if b"\\" in data[inner.start : inner.end] and letters != b"r":
        return False
    first = start - len(letters)
    before = data[max(0, first - 200) : first].rstrip()[-1:]
    after = data[end : end + 200].lstrip()
    return before not in (b"+", b"%") and not after.startswith((b".", b"%", b"+", b'"', b"'"))


def _port(text: bytes, table: NameTable, port: Port) -> Findings | None:
    """The findings of the source by itself; None where its port needs more than the string."""
    file = SourceFile("inline.cu", text)
    lexed = lex(text, make_pattern((*table.extra_words, *table.torch_words)))
    facts = find_facts(file, lexed, table)
    found = find_code(file, lexed, facts, merge([facts], [file.path], {}), table, port, True)
    if found.helpers or any(_UNFIT.search(edit.text) for edit in found.edits):
        return None
    return Findings(found.edits, found.diagnostics)


def _shifted(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


_CPP = re.compile(rb"\b(?:torch|at|c10)::\w")
_PREFIX = re.compile(rb"(?<![\w.])[A-Za-z]{1,2}\Z")
_UNFIT = re.compile(rb"[\\\"']")  # would end the string, or be an escape in it
