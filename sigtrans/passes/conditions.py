"""Conditions of the preprocessor: parsed with their places, and evaluated for chosen values.

Only what #if accepts; anything else is None, and the caller says so instead of guessing.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sigtrans.syntax import LINE_SPLICE

_TOKEN = re.compile(
    rb"(?:\s|" + LINE_SPLICE + rb"|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|//(?:[^\\\r\n]|" + LINE_SPLICE
    + rb"|\\)*)*(?:(?P<number>\d[\w'.]*)|(?P<name>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)"
    rb"|(?P<sign><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~&|^?:(),.\"'#@`;={}\[\]\\]))?"
)  # fmt: skip
_NUMBER = re.compile(rb"(0[xX][0-9a-fA-F']+|0[bB][01']+|\d[\d']*)[uUlLzZ]{0,3}")
_WORDS = {
    b"and": b"&&", b"or": b"||", b"not": b"!", b"not_eq": b"!=", b"bitand": b"&", b"bitor": b"|",
    b"xor": b"^", b"compl": b"~",
}  # fmt: skip
_LEVEL = {
    b"||": 1, b"&&": 2, b"|": 3, b"^": 4, b"&": 5, b"==": 6, b"!=": 6, b"<": 7, b"<=": 7, b">": 7,
    b">=": 7, b"<<": 8, b">>": 8, b"+": 9, b"-": 9, b"*": 10, b"/": 10, b"%": 10,
}  # fmt: skip
_DEPTH = 40  # of brackets and signs; nobody writes more
_SHIFT = 64


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a condition. `text` is the operator, the name or the digits."""

    kind: str  # || && (any number of parts), ! () number name defined call, or "op" for the rest
    start: int
    end: int
    text: bytes = b""
    parts: tuple[Node, ...] = ()

    def walk(self) -> Iterator[Node]:
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.parts))


class _Bad(Exception):
    """This is no condition."""


def parse(data: bytes, start: int, end: int) -> Node | None:
    """The condition in a range of the file; None when it is none, or too deep."""
    tokens: list[tuple[str, int, int, bytes]] = []
    at = start
    while at < end:
        match = _TOKEN.match(data, at, end)
        if match is None or match.lastgroup is None:
            if match is None or match.end() < end:
                return None
            break
        kind, text = match.lastgroup, match.group(match.lastgroup)
        if text in _WORDS:
            kind, text = "sign", _WORDS[text]
        tokens.append((kind, *match.span(match.lastgroup), text))
        at = match.end()
    parser = _Parser(tokens, end)
    try:
        node = parser.choice(0)
    except _Bad:
        return None
    return node if parser.at == len(tokens) else None


class _Parser:
    def __init__(self, tokens: list[tuple[str, int, int, bytes]], end: int) -> None:
        self.tokens = tokens
        self.end = end
        self.at = 0

    def peek(self) -> bytes:
        return self.tokens[self.at][3] if self.at < len(self.tokens) else b""

    def take(self, wanted: bytes = b"") -> tuple[str, int, int, bytes]:
        if self.at >= len(self.tokens) or (wanted and self.tokens[self.at][3] != wanted):
            raise _Bad
        self.at += 1
        return self.tokens[self.at - 1]

    def choice(self, depth: int) -> Node:
        node = self.binary(1, depth)
        if self.peek() != b"?":
            return node
        if depth > _DEPTH:
            raise _Bad
        self.take()
        first = self.choice(depth + 1)
        self.take(b":")
        second = self.choice(depth + 1)
        return Node("op", node.start, second.end, b"?", (node, first, second))

    def binary(self, least: int, depth: int) -> Node:
        node = self.unary(depth)
        while True:
            sign = self.peek()
            level = _LEVEL.get(sign, 0)
            if level < least or self.tokens[self.at][0] != "sign":
                return node
            self.take()
            other = self.binary(level + 1, depth)
            if level > 2:
                node = Node("op", node.start, other.end, sign, (node, other))
                continue
            parts = [node, other]
            while self.peek() == sign:  # a && b && c is one node: conditions can be very long
                self.take()
                parts.append(self.binary(level + 1, depth))
            node = Node(sign.decode(), node.start, parts[-1].end, sign, tuple(parts))

    def unary(self, depth: int) -> Node:
        if depth > _DEPTH:
            raise _Bad
        kind, start, end, text = self.take()
        if kind == "number":
            return Node("number", start, end, text)
        if text == b"(":
            inner = self.choice(depth + 1)
            return Node("()", start, self.take(b")")[2], text, (inner,))
        if kind == "sign" and text in (b"!", b"-", b"+", b"~"):
            inner = self.unary(depth + 1)
            return Node("!" if text == b"!" else "op", start, inner.end, text, (inner,))
        if kind != "name":
            raise _Bad
        if text == b"defined":
            bracket = self.peek() == b"("
            if bracket:
                self.take()
            kind, left, right, name = self.take()
            if kind != "name":
                raise _Bad
            end = self.take(b")")[2] if bracket else right
            return Node("defined", start, end, name, (Node("name", left, right, name),))
        if self.peek() == b"(":
            return self.call(start, end, text)
        return Node("name", start, end, text)

    def call(self, start: int, end: int, name: bytes) -> Node:
        """A function-like macro; its arguments are kept as tokens, they may be anything."""
        parts = [Node("name", start, end, name)]
        open_brackets = 0
        while True:
            kind, left, right, text = self.take()
            open_brackets += (text == b"(") - (text == b")")
            if kind in ("name", "number"):
                parts.append(Node(kind, left, right, text))
            if not open_brackets:
                return Node("call", start, right, name, tuple(parts))


def number(text: bytes) -> int | None:
    """The value of an integer literal."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    digits = match.group(1).replace(b"'", b"").decode()
    if digits[1:2] in ("x", "X", "b", "B"):
        return int(digits, 0)
    try:
        return int(digits, 8 if digits[0] == "0" else 10)
    except ValueError:
        return None


def evaluate(node: Node, value: Callable[[Node], int | None]) -> int | None:
    """The condition's value when `value` says what names, calls and `defined` are, or None."""
    kind = node.kind
    if kind == "number":
        return number(node.text)
    if kind in ("name", "call", "defined"):
        return value(node)
    if kind in ("||", "&&"):
        ends = kind == "||"
        values = [evaluate(part, value) for part in node.parts]
        if any(v is not None and bool(v) is ends for v in values):
            return int(ends)
        return None if None in values else int(not ends)
    parts = [evaluate(part, value) for part in node.parts]
    if kind == "op" and node.text == b"?":
        return parts[2 if parts[0] == 0 else 1] if parts[0] is not None else None
    known = [p for p in parts if p is not None]
    if len(known) < len(parts):
        return None
    if kind == "()":
        return known[0]
    if kind == "!":
        return int(not known[0])
    if len(known) == 1:
        return {b"-": -known[0], b"~": ~known[0]}.get(node.text, known[0])
    left, right = known
    if node.text in (b"/", b"%"):
        if right == 0:
            return None
        size = abs(left) // abs(right)  # C rounds towards zero
        quotient = size if (left < 0) == (right < 0) else -size
        return quotient if node.text == b"/" else left - quotient * right
    if node.text in (b"<<", b">>") and not 0 <= right < _SHIFT:
        return None
    return int(OPERATE[node.text](left, right))


OPERATE: dict[bytes, Callable[[int, int], int]] = {
    b"|": operator.or_,
    b"^": operator.xor,
    b"&": operator.and_,
    b"==": operator.eq,
    b"!=": operator.ne,
    b"<": operator.lt,
    b"<=": operator.le,
    b">": operator.gt,
    b">=": operator.ge,
    b"<<": operator.lshift,
    b">>": operator.rshift,
    b"+": operator.add,
    b"-": operator.sub,
    b"*": operator.mul,
}


# --- CUDA's numbers -------------------------------------------------------------------------------


_TOOLKIT = re.compile(
    rb"CUDA_VERSION|CUDART_VERSION|__CUDA(?:RT)?_API_VERSION|__CUDACC_VER_(?:MAJOR|MINOR|BUILD)__"
    rb"|__CUDACC_VER__"
)
_LIBRARY = re.compile(
    rb"(CUBLAS|CUDNN|CUFFT|CUPTI|CURAND|CUSOLVER|CUSPARSE|NCCL)_(?:API_)?(?:VER(?:SION)?_?)?"
    rb"(?:CODE|MAJOR|MINOR|PATCH|PATCHLEVEL|BUILD)?"
)
_ARCH = b"__CUDA_ARCH__"


def scale_of(name: bytes) -> str:
    """The scale that a macro counts on, "" for a macro that is no number of CUDA's."""
    if name == _ARCH:
        return "arch"
    if _TOOLKIT.fullmatch(name):
        return "toolkit"
    match = _LIBRARY.fullmatch(name)
    return match.group(1).decode() if match else ""


def truth(node: Node, value: Callable[[Node], int | None]) -> bool | None:
    result = evaluate(node, value)
    return None if result is None else bool(result)


def shape_of(values: Sequence[bool | None]) -> str:
    """up: false, then true; down: true, then false; other."""
    changes = sum(a != b for a, b in pairwise(values))
    if changes != 1:
        return "other"
    return "up" if values[-1] else "down"


@dataclass(frozen=True, slots=True)
class Architecture:
    """__CUDA_ARCH__ on one card."""

    version: int

    def __call__(self, node: Node) -> int | None:
        return self.version


@dataclass(frozen=True, slots=True)
class Release:
    """The macros of one release of CUDA."""

    version: int  # 11020

    def __call__(self, node: Node) -> int | None:
        major, minor = divmod(self.version, 1000)
        name = node.text
        if name == b"__CUDACC_VER_MAJOR__":
            return major
        if name == b"__CUDACC_VER_MINOR__":
            return minor // 10
        if name == b"__CUDACC_VER__":
            return major * 10000 + minor * 10
        return None if name == b"__CUDACC_VER_BUILD__" else self.version


@dataclass(frozen=True, slots=True)
class Library:
    """The macros of one release of a library; small and large numbers are two ways to write it."""

    version: int  # 1106
    large: bool

    def __call__(self, node: Node) -> int | None:
        major, minor = divmod(self.version, 100)
        if node.kind == "call":  # NCCL_VERSION(2, 10, 3)
            digits = [number(p.text) for p in node.parts if p.kind == "number"]
            if len(digits) != 3 or None in digits:
                return None
            x, y, z = (d or 0 for d in digits)
            return x * (10000 if self.large else 1000) + y * 100 + z
        if node.text.endswith(b"MAJOR"):
            return major
        if node.text.endswith(b"MINOR"):
            return minor
        if node.text.endswith((b"PATCH", b"PATCHLEVEL", b"BUILD")):
            return None
        return major * (10000 if self.large else 1000) + minor * 100
