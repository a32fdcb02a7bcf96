"""Reading C++ by brackets: a copy without comments and strings, and walks over it in both
directions. Everything is an offset; nothing here knows CUDA.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from sigtrans.syntax import IDENTIFIER_BYTES, Lexed

KEYWORDS = frozenset(
    b"return else do case goto throw new delete co_return co_yield and or not if while for switch "
    b"typename sizeof const static using operator default".split()
)
_CLOSERS = {0x29: 0x28, 0x5D: 0x5B, 0x7D: 0x7B}
_OPENERS = {0x28: 0x29, 0x5B: 0x5D, 0x7B: 0x7D}
_NOT_LINE_END = re.compile(rb"[^\r\n]")
_LINE_END = re.compile(rb"\\?[ \t]*(?:\r\n|[\r\n])")
_BRACE = re.compile(rb"[{}]")
_NAMESPACE = re.compile(rb"(?:\bnamespace\b[\w:\s$]*(?:\[\[.*\]\]\s*)?|\bextern\s*\"x*\"\s*)$")
_SPACE = frozenset(b" \t\r\n\f\v")
_WINDOW = 400  # bytes before a brace in which `namespace x` is looked for
_REACH = 20_000  # bytes a bracket may be away from its partner


def mask(lexed: Lexed) -> bytes:
    """The file with comments and line splices blank and literals as x: same length, same lines."""
    data = lexed.data
    out: list[bytes] = []
    at = 0
    for start, end in lexed.blanks:
        out.append(data[at:start])
        text = data[start:end]
        if data[start] == 0x2F:
            out.append(_NOT_LINE_END.sub(b" ", text))
        else:
            out += [
                text[:1],
                _NOT_LINE_END.sub(b"x", text[1:-1]),
                text[-1:] if len(text) > 1 else b"",
            ]
        at = end
    out.append(data[at:])
    return re.sub(rb"\\(?=[ \t]*[\r\n])", b" ", b"".join(out))


def line_ends(data: bytes) -> bytes:
    """The line ends of a piece of source, with their splices: what keeps the line count."""
    return b"".join(_LINE_END.findall(data))


class View:
    """One masked file; positions are those of the original."""

    def __init__(self, lexed: Lexed) -> None:
        self.lexed = lexed
        self.data = lexed.data
        self.text = mask(lexed)
        self._scopes: tuple[list[int], list[bool]] | None = None

    def before(self, at: int) -> int:
        """The last byte of code before `at`, -1 for none."""
        text = self.text
        at -= 1
        while at >= 0 and text[at] in _SPACE:
            at -= 1
        return at

    def after(self, at: int) -> int:
        """The first byte of code at or after `at`; the length for none."""
        text = self.text
        while at < len(text) and text[at] in _SPACE:
            at += 1
        return at

    def name_start(self, last: int) -> int:
        """Where the identifier that ends with byte `last` begins."""
        while last > 0 and self.text[last - 1] in IDENTIFIER_BYTES:
            last -= 1
        return last

    def find_close(self, at: int) -> int:
        """The bracket that closes the one at `at`; -1 for none."""
        text = self.text
        wanted = [_OPENERS[text[at]]]
        for place in range(at + 1, min(len(text), at + _REACH)):
            byte = text[place]
            if byte in _OPENERS:
                wanted.append(_OPENERS[byte])
            elif byte in _CLOSERS:
                if byte != wanted.pop():
                    return -1
                if not wanted:
                    return place
        return -1

    def find_open(self, at: int) -> int:
        """The bracket that opens the one closed at `at`; -1 for none."""
        text = self.text
        wanted = [_CLOSERS[text[at]]]
        for place in range(at - 1, max(-1, at - _REACH), -1):
            byte = text[place]
            if byte in _CLOSERS:
                wanted.append(_CLOSERS[byte])
            elif byte in _OPENERS:
                if byte != wanted.pop():
                    return -1
                if not wanted:
                    return place
        return -1

    def open_angle(self, at: int) -> int:
        """The `<` of the template arguments that end with the `>` at `at`; -1 for none."""
        text = self.text
        depth = 0
        while at >= 0:
            byte = text[at]
            if byte == 0x3E and text[at - 1 : at] != b"-":
                depth += 1
            elif byte == 0x3C:
                depth -= 1
                if depth == 0:
                    return at
            elif byte in _CLOSERS:
                at = self.find_open(at)
            elif byte in b";{":
                return -1
            at -= 1
        return -1

    def close_angle(self, at: int) -> int:
        """The `>` that ends the template arguments begun at `at`; -1 for none."""
        text = self.text
        depth = 0
        while at < len(text):
            byte = text[at]
            if byte == 0x3C:
                depth += 1
            elif byte == 0x3E and text[at - 1 : at] != b"-":
                depth -= 1
                if depth == 0:
                    return at
            elif byte in _OPENERS:
                at = self.find_close(at)
                if at < 0:
                    return -1
            elif byte in b";})":
                return -1
            at += 1
        return -1

    def split(self, start: int, end: int) -> list[tuple[int, int]]:
        """The ranges between the commas of a list, template arguments kept whole.

        A `<` behind a name opens template arguments where its `>` comes before the list ends: in
        `a < b, c > d` nobody can tell, and such an argument has to stand in parentheses."""
        text = self.text
        found: list[tuple[int, int]] = []
        at = first = start
        while at < end:
            byte = text[at]
            if byte in _OPENERS:
                at = max(at, self.find_close(at))
            elif byte == 0x3C and self._is_template(at):
                closed = self.close_angle(at)
                if at < closed < end:
                    at = closed
            elif byte == 0x2C:
                found.append((first, at))
                first = at + 1
            at += 1
        if found or self.after(start) < end:
            found.append((first, end))
        return found

    def _is_template(self, at: int) -> bool:
        last = self.before(at)
        return last >= 0 and self.text[last] in IDENTIFIER_BYTES and self.text[at + 1] != 0x3C

    def in_directive(self, at: int) -> bool:
        """Is `at` on a preprocessor line or a continuation of one?"""
        start, _ = self.lexed.logical_line(at)
        return self.text[self.after(start) : self.after(start) + 1] == b"#"

    def at_file_scope(self, at: int) -> bool:
        """Is `at` outside all braces but those of namespaces and linkage?"""
        if self._scopes is None:
            self._scopes = self._find_scopes()
        places, inside = self._scopes
        n = bisect_right(places, at) - 1
        return n < 0 or not inside[n]

    def _find_scopes(self) -> tuple[list[int], list[bool]]:
        """Places of braces, and whether what follows lies inside some other kind of brace."""
        places: list[int] = []
        inside: list[bool] = []
        stack: list[bool] = []  # of braces that are no namespace's
        for at in self._braces():
            if self.text[at] == 0x7B:
                head = self.text[max(0, at - _WINDOW) : at]
                head = head[max(head.rfind(b";"), head.rfind(b"{"), head.rfind(b"}")) + 1 :]
                stack.append(_NAMESPACE.search(head) is None)
            elif stack:
                stack.pop()
            places.append(at)
            inside.append(any(stack))
        return places, inside

    def _braces(self) -> Iterator[int]:
        """Every brace outside directives; of an #if's branches the first only."""
        text = self.text
        at, depth, skipping = 0, 0, 0
        for match in _TOKEN.finditer(text):
            at = match.start()
            word = match.group(1)
            if word is None:
                if text[at] in b"{}" and not skipping:
                    yield at
            elif word in (b"if", b"ifdef", b"ifndef"):
                depth += 1
            elif word in (b"else", b"elif"):
                skipping = skipping or depth
            elif word == b"endif":
                if skipping == depth:
                    skipping = 0
                depth = max(0, depth - 1)


# A directive as a whole, its continuations found by the caller's masking: after it a splice is a
# blank, so a macro's body reads as lines of code. They hold braces in pairs, as bodies do.
_TOKEN = re.compile(rb"^[ \t]*#[ \t]*(\w*)[^\r\n]*|[{}]", re.MULTILINE)
