"""What is code: the skip-lexer, and the only importer of tree_sitter.

The lexer is the authority on comments, strings and names: it finds, in one pass each, everything
that is not code and every name that could matter, and looks at nothing else. tree-sitter gives
structure (declarations, scopes, build files) and is asked only where structure decides.
"""

from __future__ import annotations

import importlib
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from sigtrans.source import LONE_CR

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Tree

# A backslash at the end of a line continues it, blanks after it included; CR LF counts as one line
# end, a lone CR as another (clang, hence mcc, reads it so).
LINE_SPLICE = rb"\\[ \t]*(?:\r\n|[\r\n])"
_COMMENT = (
    rb"/(?:" + LINE_SPLICE + rb")*(?:/[^\\\r\n]*(?:(?:" + LINE_SPLICE + rb"|\\)[^\\\r\n]*)*"
    rb"|\*[\s\S]*?(?:\*/|\Z))"
)
# Only one of the two can match at a backslash: else a quote that nothing closes takes forever.
_SPLICED = rb"(?:(?:" + LINE_SPLICE + rb"|\\[^\r\n])[^%s\\\r\n]*)*"
_DELIMITER = rb"([^()\\\s\"]{0,16})\([\s\S]*?(?:\)\%d\"|\Z)"
_STRING = (
    b'"(?:'
    + b"|".join(
        rb'(?<=\b%sR")' % prefix + _DELIMITER.replace(b"%d", b"%d" % group)
        for group, prefix in enumerate((b"", b"[LuU]", b"u8"), 1)
    )
    + rb'|[^"\\\r\n]*'
    + _SPLICED.replace(b"%s", b'"')
    + b'"?)'
)
# After a digit or letter an apostrophe separates digits (1'000) or stands in prose (#error don't).
_CHARACTER = (
    rb"'(?:(?<![\w$\x80-\xff]')|(?<=\b[uUL]')|(?<=\bu8'))[^'\\\r\n]*"
    + _SPLICED.replace(b"%s", b"'")
    + b"'"
)
_BLANK = re.compile(_COMMENT + b"|" + _STRING + b"|" + _CHARACTER)

# Names that could be CUDA's, by family. The look-ahead in `make_pattern` lists their first letters:
# the regular expression engine then skips everything else without entering the alternatives.
_FIRST = b"_acnpmtswCNDLMPSTV"
_FAMILIES = (
    # Not just `cu`: that would stop at every cute, cutlass, current and custom of a tree.
    rb"_*(?:cu(?:[A-Z_]|da|blas|fft|rand|sparse|solver|dnn|pti|uint|vid|tensor|dss|statevec|\b)|CU(?!T(?:E|LASS)_)|Cuda"
    rb"|[nN][vV]|p?nccl|NCCL|make_cu|PFN_cu)[\w$\x80-\xff]*"
    rb"|[nN]pp[A-Zisc]\w*|NPP_\w+"
    rb"|__(?:shfl|match_|reduce_|ballot|any|all|activemask|ld[gcl]|st[cw]|nanosleep|pipeline_|cvta_|is[SGCL]"
    rb"|cluster_dims|grid_constant|int128|uint128|low2bf|high2bf|[fd](?:add|sub|mul|maf?|div|sqrt|rcp)_r)\w*"
    rb"|_*(?:CHANNEL|DEVICE|DRIVER|LIBRARY|MATH|SURFACE|TEXTURE|VECTOR|COOPERATIVE)_[A-Z_]+_H_*\b"
    rb"|(?:__asm__|__asm|asm)\b|warpSize\b|wmma\b|tex(?:ture|[123]D|Cubemap)\w*|surf(?:ace|[123]D)\w*"
    rb"|atomic[A-Z][A-Za-z]*_system\b"
)


@lru_cache(maxsize=8)
def make_pattern(extra: tuple[bytes, ...] = ()) -> re.Pattern[bytes]:
    """What `lex` looks for: the CUDA families, and `extra` names outside them."""
    plain = make_pattern() if extra else None
    others = sorted({n for n in extra if plain and not plain.fullmatch(n)}, reverse=True)
    first = bytes(sorted({*_FIRST, *(name[0] for name in others)}))
    more = b"".join(b"|" + re.escape(name) + rb"(?![\w$\x80-\xff])" for name in others)
    return re.compile(rb"\b(?=[" + first + rb"])(?:" + _FAMILIES + more + rb")")


_BOM = b"\xef\xbb\xbf"
_SPACE = frozenset(b" \t\r\n\f\v\\")
_NAME = re.compile(rb"[\w$\x80-\xff]+")
IDENTIFIER_BYTES = frozenset(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$" + bytes(range(128, 256))
)

Word = tuple[int, int, bytes]  # start, end, text


@dataclass(frozen=True, slots=True)
class Lexed:
    """One C-family file, cut into what is code and what is not."""

    data: bytes
    blanks: list[tuple[int, int]]  # comments and literals, in order
    words: list[Word]  # possible CUDA names in code
    quoted: list[Word]  # possible CUDA names inside string literals

    def blank_at(self, at: int) -> tuple[int, int] | None:
        """The comment or literal that covers byte `at`."""
        n = bisect_right(self.blanks, (at, len(self.data) + 1)) - 1
        if n >= 0 and self.blanks[n][0] <= at < self.blanks[n][1]:
            return self.blanks[n]
        return None

    def with_blanks(self) -> Lexed:
        """The same with `blanks` found, where no name made `lex` look for them."""
        if self.blanks:
            return self
        return Lexed(self.data, find_blanks(self.data), self.words, self.quoted)

    def is_comment(self, blank: tuple[int, int]) -> bool:
        return self.data[blank[0]] == 0x2F

    def code(self, start: int, end: int) -> bytes:
        """The bytes of a range without its comments; each leaves one space behind."""
        n = max(0, bisect_right(self.blanks, (start, -1)) - 1)
        out: list[bytes] = []
        at = start
        while n < len(self.blanks) and self.blanks[n][0] < end:
            left, right = self.blanks[n]
            if right > at and self.is_comment((left, right)):
                out += [self.data[at : max(at, left)], b" "]
                at = min(right, end)
            n += 1
        out.append(self.data[at:end])
        return b"".join(out)

    def literals(self, start: int, end: int) -> list[tuple[int, int]]:
        """The strings and characters that touch a range, cut to it."""
        n = max(0, bisect_right(self.blanks, (start, -1)) - 1)
        found: list[tuple[int, int]] = []
        while n < len(self.blanks) and self.blanks[n][0] < end:
            left, right = max(self.blanks[n][0], start), min(self.blanks[n][1], end)
            if left < right and not self.is_comment(self.blanks[n]):
                found.append((left, right))
            n += 1
        return found

    def before(self, at: int) -> int:
        """Index of the last significant byte before `at`, which is no comment's, or -1."""
        data = self.data
        at -= 1
        ends_line = False
        while at >= 0:
            byte = data[at]
            if byte in _SPACE:
                ends_line = ends_line or byte == 0x0A or byte == 0x0D
                at -= 1
                continue
            if byte != 0x2F and not ends_line:
                return at  # a comment ends with its line or with */
            blank = self.blank_at(at)
            if blank is None or not self.is_comment(blank):
                return at
            at = blank[0] - 1
        return -1

    def after(self, at: int) -> int:
        """Index of the first significant byte at or after `at`, or the file's length."""
        data = self.data
        while at < len(data):
            if data[at] in _SPACE:
                at += 1
                continue
            if data[at] != 0x2F:
                return at
            blank = self.blank_at(at)
            if blank is None:
                return at
            at = blank[1]
        return len(data)

    def name_ending_at(self, at: int) -> bytes:
        """The identifier whose last byte is `at` ("" when there is none)."""
        start = at
        while start >= 0 and self.data[start] in IDENTIFIER_BYTES:
            start -= 1
        return self.data[start + 1 : at + 1]

    def name_starting_at(self, at: int) -> bytes:
        """The identifier that starts at `at` ("" when there is none)."""
        match = _NAME.match(self.data, at)
        return match.group() if match else b""

    def logical_line(self, at: int) -> tuple[int, int]:
        """The line around `at` with its continuation lines, without the final line end."""
        data = self.data
        start = at
        while True:
            newline = max(data.rfind(b"\n", 0, start), data.rfind(b"\r", 0, start))
            if newline < 0:
                start = 0
                break
            body = newline - 1 if data[newline - 1 : newline + 1] == b"\r\n" else newline
            if not self._is_continued(body):
                start = newline + 1
                break
            start = body
        end = at
        while True:
            match = _LINE_END.search(data, end)
            if match is None:
                return start, len(data)
            if not self._is_continued(match.start()):
                return start, match.start()
            end = match.end()

    def _is_continued(self, end: int) -> bool:
        """Does a backslash, blanks after it or not, stand before the line end at `end`?"""
        while end > 0 and self.data[end - 1] in b" \t":
            end -= 1
        return self.data[end - 1 : end] == b"\\"

    def arguments(self, open_at: int) -> list[tuple[int, int]]:
        """Byte ranges of the arguments of a call whose `(` is at `open_at`; [] if unbalanced."""
        data = self.data
        depth = 0
        found: list[tuple[int, int]] = []
        start = at = open_at + 1
        limit = open_at + 65536  # an argument list, not half a file with a lost parenthesis
        while True:
            match = _BRACKET.search(data, at, limit)
            if match is None:
                return []
            at = match.end()
            blank = self.blank_at(match.start())
            if blank is not None:
                at = max(at, blank[1])
                continue
            byte = match.group()
            if byte in b"([{":
                depth += 1
            elif byte == b"," and depth == 0:
                found.append((start, match.start()))
                start = at
            elif byte in b")]}":
                if depth == 0:
                    found.append((start, match.start()))
                    return found
                depth -= 1

    def list_start(self, at: int) -> tuple[int, int]:
        """Where the list around `at` begins: its open bracket or the `;` before it, and the commas
        passed on the way back; (-1, 0) when that is too far."""
        data = self.data
        depth = commas = 0
        limit = max(0, at - 4096)
        left = data.rfind(b"(", limit, at + 1)
        if left >= 0 and _NOT_FLAT.search(data, left + 1, at + 1) is None:
            return left, data.count(b",", left + 1, at + 1)  # nothing nested: most lists
        while at >= limit:
            byte = data[at]
            if byte in b")]}\"'/":
                blank = self.blank_at(at)
                if blank is not None:
                    at = blank[0] - 1
                    continue
                depth += byte != 0x2F
            elif byte in b"([{":
                if depth == 0:
                    return at, commas
                depth -= 1
            elif depth == 0 and byte == 0x2C:
                commas += 1
            elif depth == 0 and byte == 0x3B:
                return at, commas
            at -= 1
        return -1, 0


_LINE_END = re.compile(rb"\r\n|[\r\n]")
_BRACKET = re.compile(rb"[()\[\]{},]")
_NOT_FLAT = re.compile(rb"[)\[\]{}\"'/;]")


def lex(data: bytes, pattern: re.Pattern[bytes] | None = None) -> Lexed:
    """Find comments, literals and possible CUDA names. Never fails, whatever the bytes are."""
    found = (pattern or make_pattern()).finditer(data)
    first = next(found, None)
    if first is None:  # nothing to decide: spare the second pass
        return Lexed(data, [], [], [])
    blanks = find_blanks(data)
    words: list[Word] = []
    quoted: list[Word] = []
    limit = len(data) + 1
    rest = iter(blanks)
    start, end = next(rest, (limit, limit))
    for match in chain((first,), found):
        at, stop = match.span()
        while end <= at:
            start, end = next(rest, (limit, limit))
        if start > at:
            if (
                at == 0
                or data[at - 1] not in IDENTIFIER_BYTES
                or (at == 3 and data.startswith(_BOM))
            ):
                words.append((at, stop, match.group()))
        elif data[start] == 0x22:
            quoted.append((at, stop, match.group()))
    return Lexed(data, blanks, words, quoted)


def find_blanks(data: bytes) -> list[tuple[int, int]]:
    """Comments and literals, in order."""
    return [match.span() for match in _BLANK.finditer(data)]


def find_words(data: bytes, pattern: re.Pattern[bytes] | None = None) -> list[bytes]:
    """Every possible CUDA name in `data`, comments and strings included, in order."""
    return (pattern or make_pattern()).findall(data)


@cache
def _language(name: str) -> Language:
    from tree_sitter import Language

    return Language(importlib.import_module(f"tree_sitter_{name}").language())


@lru_cache(maxsize=2)  # a pass and the gate that checks it look at the same bytes
def parse(language: str, data: bytes) -> Tree:
    """Syntax tree of `data`; `language` is cuda or python. Never raises."""
    from tree_sitter import Parser

    # The grammars take a lone CR for blank space; a line feed in its place keeps every offset.
    return Parser(_language(language)).parse(LONE_CR.sub(b"\n", data))


def walk(node: Node) -> Iterator[Node]:
    """`node` and everything below it, in source order; not recursive, so depth is no limit."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))
