"""The fragments of nvcuda::wmma that a file declares: use, shape, element type, variables.

Read from bytes in which comments and literals are blank, by brackets and by the constants and type
names that the same file defines. What cannot be seen stays unknown and is treated as unsupported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

# Name of a type in a fragment -> what its elements are.
_TYPES = {
    b"half": "f16", b"__half": "f16",
    b"__nv_bfloat16": "bf16", b"nv_bfloat16": "bf16", b"__mt_bfloat16": "bf16",
    b"float": "f32", b"double": "f64", b"tf32": "tf32",
    b"int": "s32", b"int32_t": "s32", b"signed int": "s32",
    b"signed char": "s8", b"int8_t": "s8", b"char": "s8",
    b"unsigned char": "u8", b"uint8_t": "u8",
    b"s4": "sub-byte", b"u4": "sub-byte", b"b1": "sub-byte",
}  # fmt: skip
_USES = {b"matrix_a": "matrix_a", b"matrix_b": "matrix_b", b"accumulator": "accumulator"}

# What public kernels use of mtmusa::wmma on mp_31, and with float accumulators only.
_ON_LIST = frozenset(
    [(use, "f16") for use in ("matrix_a", "matrix_b")]
    + [(use, "bf16") for use in ("matrix_a", "matrix_b")]
    + [("accumulator", "f32")]
)


@dataclass(frozen=True, slots=True)
class Fragment:
    """One `fragment<...>`; "" and 0 for what the file does not show."""

    at: int  # of the word `fragment`
    end: int  # just after the closing >
    use: str  # matrix_a, matrix_b, accumulator
    shape: tuple[int, int, int]
    element: str  # f16, bf16, f32, f64, tf32, s8, u8, s32, sub-byte
    names: tuple[bytes, ...]  # variables declared with it

    @property
    def on_list(self) -> bool:
        """Is this what mtmusa::wmma is known to do on mp_31?"""
        return self.shape == (16, 16, 16) and (self.use, self.element) in _ON_LIST

    def __str__(self) -> str:
        shape = "x".join(str(n) if n else "?" for n in self.shape)
        return f"{self.use or 'fragment'} {shape} of {self.element or 'an unknown type'}"


def blank_out(data: bytes, blanks: Iterable[tuple[int, int]]) -> bytes:
    """The same bytes with spaces for every comment and literal."""
    out = bytearray(data)
    for start, end in blanks:
        out[start:end] = b" " * (end - start)
    return bytes(out)


def uses_wmma(data: bytes) -> bool:
    """May this file use nvcuda::wmma? A quick test on the raw bytes."""
    if b"nvcuda" in data:
        return True
    return b"wmma::" in data and not any(other in data for other in _NOT_CUDAS)


_NOT_CUDAS = (b"mtmusa", b"rocwmma", b"sigtrans::")


def verdict(code: bytes) -> str:
    """`listed` when every fragment is on the list, `other` when one is not, `open` without any;
    "" for a file that does not use nvcuda::wmma."""
    if _SPACE_OF_CUDA.search(code) is None:
        return ""
    fragments = find_fragments(code)
    if not fragments:
        return "open"
    return "listed" if all(f.on_list for f in fragments) else "other"


_SPACE_OF_CUDA = re.compile(rb"\bnvcuda\b|\bwmma[ \t]*::")
_FRAGMENT = re.compile(rb"\bfragment\s*<")
_DECLARED = re.compile(rb"\s*(?:const\b)?\s*[&*]?\s*(?:__restrict__\s*)?([A-Za-z_]\w*)")
_ALIAS = re.compile(
    rb"\b(?:using\s+([A-Za-z_]\w*)\s*=\s*|typedef\s+)(?:typename\s+)?[\w:\s]{0,80}$"
)
_BRACKET = re.compile(rb"[<>(){},;]")
_REACH = 1500  # bytes that the arguments of one fragment may take


def find_fragments(code: bytes) -> tuple[Fragment, ...]:
    """Every fragment type in order."""
    if b"fragment" not in code:
        return ()
    known = _Known(code)
    found: list[Fragment] = []
    for match in _FRAGMENT.finditer(code):
        arguments, end = _split(code, match.end())
        if not arguments or _is_declaration(code, match.start()):
            continue  # a comparison; a class of the project
        if len(arguments) < 5:
            found.append(Fragment(match.start(), end, "", (0, 0, 0), "", _names(code, end)))
            continue
        m, n, k = (known.number(a) for a in arguments[1:4])
        use = _USES.get(_last_name(arguments[0]), "")
        names = _alias(code, match.start(), end) or _names(code, end)
        element = known.element(arguments[4])
        found.append(Fragment(match.start(), end, use, (m, n, k), element, names))
    return tuple(found)


def _split(code: bytes, at: int) -> tuple[list[bytes], int]:
    """The template arguments that start at `at`, and the place after their closing bracket."""
    depth, start = 0, at
    found: list[bytes] = []
    for match in _BRACKET.finditer(code, at, at + _REACH):
        byte = match.group()
        if byte in b"<(":
            depth += 1
        elif byte == b")" or (byte == b">" and depth):
            depth -= 1
        elif byte == b">":
            return [*found, code[start : match.start()].strip()], match.end()
        elif byte == b"," and depth == 0:
            found.append(code[start : match.start()].strip())
            start = match.end()
        elif byte in b"{};":
            break
    return [], at


def _is_declaration(code: bytes, at: int) -> bool:
    """`struct fragment<...>`: a class of the project, or a specialisation."""
    return code[max(0, at - 40) : at].rstrip().endswith((b"struct", b"class"))


def _last_name(text: bytes) -> bytes:
    return text.rpartition(b"::")[2].strip()


def _names(code: bytes, at: int) -> tuple[bytes, ...]:
    """The variables of `fragment<...> a, b[2];`, or the one parameter of that type."""
    found: list[bytes] = []
    while (match := _DECLARED.match(code, at)) is not None:
        found.append(match.group(1))
        at = match.end()
        while (bound := _BOUND.match(code, at)) is not None:
            at = bound.end()
        comma = _COMMA.match(code, at)
        if comma is None:
            break
        at = comma.end()
        word = _DECLARED.match(code, at)
        after = _AFTER.match(code, word.end()) if word else None
        if after is None:  # the next parameter has a type of its own
            break
    return tuple(found)


_BOUND = re.compile(rb"\s*\[[^\[\]]{0,200}\]")
_COMMA = re.compile(rb"\s*,")
_AFTER = re.compile(rb"\s*[\[,;=]")


def _alias(code: bytes, at: int, end: int) -> tuple[bytes, ...]:
    """Variables whose type is a name for this fragment (`using A = fragment<...>; A a;`)."""
    match = _ALIAS.search(code, max(0, at - 160), at)
    if match is None:
        return ()
    name = match.group(1) or next(iter(_names(code, end)), b"")
    if not name:
        return ()
    found: dict[bytes, None] = {}
    for use in re.finditer(rb"\b" + re.escape(name) + rb"\b(?=[\s&*]+[A-Za-z_])", code):
        found.update(dict.fromkeys(_names(code, use.end())))
    return tuple(found) or (name,)


_NUMBER = re.compile(rb"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
_NAME = re.compile(rb"[A-Za-z_]\w*")
_INTEGER = rb"(?:unsigned\s+)?(?:int|unsigned|size_t|auto|\w+_t)"


@dataclass(slots=True)
class _Known:
    """Constants and type names that the file defines, looked for when first asked."""

    code: bytes
    numbers: dict[bytes, int] = field(default_factory=dict)
    elements: dict[bytes, str] = field(default_factory=dict)

    def number(self, text: bytes, depth: int = 4) -> int:
        """The value of a constant expression of one number or name, 0 when it cannot be seen."""
        text = text.strip(b"() \t\r\n")
        if (digits := _NUMBER.fullmatch(text)) is not None:
            return int(digits.group(1), 16 if b"x" in text.lower() else 10)
        name = _last_name(text)
        if not _NAME.fullmatch(name) or depth == 0:
            return 0
        if name not in self.numbers:
            self.numbers[name] = 0  # a constant that is defined by itself ends here
            self.numbers[name] = self._find_number(name, depth)
        return self.numbers[name]

    def _find_number(self, name: bytes, depth: int) -> int:
        word = re.escape(name)
        # A parameter of the name, of a template or function, hides what the file defines.
        if re.search(rb"[<,(]\s*(?:const\s+)?" + _INTEGER + rb"\s+" + word + rb"\b", self.code):
            return 0
        forms = (
            rb"#[ \t]*define[ \t]+" + word + rb"[ \t]+\(?[ \t]*(\w+)[ \t]*\)?[ \t]*(?:[\r\n]|\Z)",
            rb"\b(?:const|constexpr)\b[^;{}()]{0,80}?\b" + word + rb"\s*[={]\s*(\w+)\s*[;,}]",
            rb"\benum\b[^;{}()]{0,80}\{[^{}]{0,400}?\b" + word + rb"\s*=\s*(\w+)\s*[,}]",
        )
        values = {
            self.number(match.group(1), depth - 1)
            for form in forms
            for match in re.finditer(form, self.code)
        }
        return values.pop() if len(values) == 1 else 0

    def element(self, text: bytes, depth: int = 4) -> str:
        """What the type name `text` stands for, "" when it cannot be seen."""
        name = b" ".join(_last_name(text).removeprefix(b"const ").split())
        if name in _TYPES:
            return _TYPES[name]
        if not _NAME.fullmatch(name) or depth == 0:
            return ""
        if name not in self.elements:
            self.elements[name] = ""
            self.elements[name] = self._find_element(name, depth)
        return self.elements[name]

    def _find_element(self, name: bytes, depth: int) -> str:
        word = re.escape(name)
        if re.search(rb"\b(?:typename|class)\s+" + word + rb"\s*[,>=]", self.code):
            return ""
        forms = (
            rb"\busing\s+" + word + rb"\s*=\s*([\w:]+(?: \w+)?)\s*;",
            rb"\btypedef\s+([\w:]+(?: \w+)?)\s+" + word + rb"\s*;",
            rb"#[ \t]*define[ \t]+" + word + rb"[ \t]+([\w:]+(?: \w+)?)[ \t]*(?:[\r\n]|\Z)",
        )
        kinds = {
            self.element(match.group(1), depth - 1)
            for form in forms
            for match in re.finditer(form, self.code)
        }
        return kinds.pop() if len(kinds) == 1 else ""
