"""Findings as comments beside the code they are about (`--annotate`)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from sigtrans.report import plain
from sigtrans.source import LONE_CR, Diagnostic, Edit, Safety, SourceFile, Span, line_starts

RULE = "report/annotate"

_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=]")  # Python looks for it in the first two lines

_C = b"//"
_HASH = b"#"
_COMMENT = {"cuda": _C, "c++": _C, "musa": _C, "cmake": _HASH, "make": _HASH, "python": _HASH}

# Tokens that may hold a line end which does not end the line they are in. Everything between two
# of them is plain code. Names and numbers are tokens so that the R of FOOR"(" and the quote of
# 1'000 do not start a string.
_C_TOKENS = re.compile(
    rb'(?:u8|u|U|L)?R"(?P<tag>[^()\\\s]{0,16})\((?s:.*?)(?:\)(?P=tag)"|\Z)'
    rb"|\.?[0-9](?:'?[0-9A-Za-z_.])*"
    rb"|[A-Za-z_][0-9A-Za-z_]*"
    rb"|//(?:[^\\\r\n]|\\[ \t]*(?:\r\n|\r|\n)|\\)*"
    rb"|/\*(?s:.*?)(?:\*/|\Z)"
    rb'|"(?:[^"\\\r\n]|\\[ \t]*(?:\r\n|\r|\n)|\\.)*"?'
    rb"|'(?:[^'\\\r\n]|\\[ \t]*(?:\r\n|\r|\n)|\\.)*'?"
    rb"|(?:\\|\?\?/)[ \t]*(?:\r\n|\r|\n)"
)
_CMAKE_TOKENS = re.compile(
    rb"(?:#|(?<![^\s(]))\[(?P<tag>=*)\[(?s:.*?)(?:\](?P=tag)\]|\Z)"
    rb"|#[^\r\n]*"
    rb'|"(?s:[^"\\]|\\.)*"?'
    rb"|\\."
)
_MAKE_TOKENS = re.compile(
    rb"(?m:^[ \t]*(?:override[ \t]+|export[ \t]+)*define\b)(?s:.*?)(?:(?m:^[ \t]*endef\b)|\Z)"
    rb"|\\(?:\r\n|\r|\n)"
)
_PYTHON_TOKENS = re.compile(
    rb"'''(?s:[^\\]|\\.)*?(?:'''|\Z)"
    rb'|"""(?s:[^\\]|\\.)*?(?:"""|\Z)'
    rb"|#[^\r\n]*"
    rb"|'(?:[^'\\\r\n]|\\(?:\r\n|\r|\n|.))*'?"
    rb'|"(?:[^"\\\r\n]|\\(?:\r\n|\r|\n|.))*"?'
    rb"|\\(?:\r\n|\r|\n)"
)
_TOKENS = {"cmake": _CMAKE_TOKENS, "make": _MAKE_TOKENS, "python": _PYTHON_TOKENS}


def find_annotations(
    file: SourceFile, kind: str, diagnostics: Iterable[Diagnostic]
) -> tuple[Edit, ...]:
    """Edits that put each diagnostic on a comment line above the code it is about.

    What an earlier run left there is replaced, so that doing it twice is doing it once. Kinds of
    file whose comments are not known to be safe get none.
    """
    comment = _COMMENT.get(kind)
    if comment is None or LONE_CR.search(file.data):  # to a compiler a lone CR ends no comment
        return ()
    starts = line_starts(file.data)
    inside = _inside_lines(file.data, starts, _TOKENS.get(kind, _C_TOKENS))
    ours = re.compile(
        rb"[ \t]*" + re.escape(comment) + rb" SIG[0-9]{3} (?:error|warning|note):[^\r\n]*"
    )
    at_line: dict[int, list[Diagnostic]] = defaultdict(list)
    for diagnostic in sorted(diagnostics):
        offset = min(diagnostic.span.start, len(file.data))
        line = bisect_right(starts, offset) - 1
        while line and line in inside:
            line -= 1
        while line + 1 < len(starts) and ours.fullmatch(_text(file.data, starts, line)):
            line += 1  # it is about a comment of ours: what follows that comment has the place
        at_line[line].append(diagnostic)
    edits = (
        _annotation(file.data, starts, inside, line, wanted, kind, comment, ours)
        for line, wanted in sorted(at_line.items())
    )
    return tuple(edit for edit in edits if edit is not None)


def _inside_lines(data: bytes, starts: Sequence[int], tokens: re.Pattern[bytes]) -> set[int]:
    """Lines that begin inside something: a comment line before them would change the program."""
    inside: set[int] = set()
    for token in tokens.finditer(data):
        first = bisect_right(starts, token.start())
        last = bisect_right(starts, token.end()) - 1
        inside.update(range(first, last + 1))
    return inside


def _annotation(
    data: bytes,
    starts: Sequence[int],
    inside: set[int],
    line: int,
    diagnostics: Sequence[Diagnostic],
    kind: str,
    comment: bytes,
    ours: re.Pattern[bytes],
) -> Edit | None:
    if _is_fixed(data, starts, line, kind):
        return None
    top = line
    while top and not {top - 1, top} & inside and ours.fullmatch(_text(data, starts, top - 1)):
        top -= 1
    bom = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    first, at = max(bom, starts[top]), max(bom, starts[line])
    indent = b"" if kind == "make" else _indent(data[at:])
    newline = _newline(data)
    utf8 = _is_utf8(data)
    texts = dict.fromkeys(_words(diagnostic, utf8) for diagnostic in diagnostics)
    block = b"".join(indent + comment + b" " + text + newline for text in texts)
    if data[first:at] == block:
        return None
    return Edit(Span(first, at), block, RULE, Safety.EXACT)


def _is_fixed(data: bytes, starts: Sequence[int], line: int, kind: str) -> bool:
    """Whether nothing may come before this line; the report still has what is found there."""
    if line == 0 and data.startswith(b"#!"):
        return True
    head = [_text(data, starts, n) for n in range(min(2, len(starts)))]
    return kind == "python" and line < 2 and any(_COOKIE.match(text) for text in head)


def _text(data: bytes, starts: Sequence[int], line: int) -> bytes:
    end = starts[line + 1] if line + 1 < len(starts) else len(data)
    text = data[starts[line] : end].rstrip(b"\r\n")
    return text if line else text.removeprefix(b"\xef\xbb\xbf")


def _indent(rest: bytes) -> bytes:
    return rest[: len(rest) - len(rest.lstrip(b" \t"))]


def _newline(data: bytes) -> bytes:
    """What most lines of the file end with."""
    pairs = data.count(b"\r\n")
    return b"\r\n" if 2 * pairs > data.count(b"\n") else b"\n"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _words(diagnostic: Diagnostic, utf8: bool) -> bytes:
    """One comment line that cannot become anything but a comment."""
    text = f"{diagnostic.code} {diagnostic.severity.value}: {plain(diagnostic.message)}"
    # a quoted mark ("// sigtrans: off") must not act as one
    text = re.sub(r"(?i)sigtrans(\s*):", r"sigtrans\1 -", text)
    text = text.replace("MUSIFY_EXCL", "MUSIFY-EXCL")
    # in GBK the second byte of a character may be a backslash: outside UTF-8, ASCII alone is safe
    data = text.encode("utf-8" if utf8 else "ascii", "backslashreplace").rstrip()
    if data.endswith((b"\\", b"??/")):
        data += b" ."
    return data
