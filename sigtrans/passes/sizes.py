"""Constants and sizes of types, as far as one file shows them; None where it does not.

Shared memory has to be added up without a compiler: arrays of builtin and plain struct types, with
dimensions over literals, macros, enumerators, constants and template arguments. What a file takes
from its headers is unknown here and stays unknown; nothing is guessed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sigtrans.passes import Code
from sigtrans.passes.functions import Function
from sigtrans.syntax import LINE_SPLICE, Lexed

_SCALARS = {
    1: "char bool int8_t uint8_t uchar __nv_fp8_e4m3 __nv_fp8_e5m2 __mt_fp8_e4m3 __mt_fp8_e5m2",
    2: "short int16_t uint16_t ushort half __half __nv_half nv_half __nv_bfloat16 nv_bfloat16"
    " __mt_bfloat16",
    4: "int unsigned float int32_t uint32_t uint half2 __half2 __nv_half2 nv_half2"
    " __nv_bfloat162 nv_bfloat162 __mt_bfloat162",
    8: "long double int64_t uint64_t size_t ssize_t ptrdiff_t intptr_t uintptr_t ulong"
    " ulonglong longlong cudaTextureObject_t cudaSurfaceObject_t clock_t",
    16: "__int128 __int128_t __uint128_t",
}
_LAYOUTS: dict[bytes, tuple[int, int]] = {  # size, alignment
    name.encode(): (size, size) for size, names in _SCALARS.items() for name in names.split()
}
_LAYOUTS |= {
    b"dim3": (12, 4),
    b"uint3": (12, 4),
    **dict.fromkeys((b"cuComplex", b"cuFloatComplex", b"cufftComplex"), (8, 8)),
    **dict.fromkeys((b"cuDoubleComplex", b"cufftDoubleComplex"), (16, 16)),
}
_VECTOR = re.compile(rb"u?(char|short|int|longlong|long|float|double)([1234])")
_WIDTHS = {b"char": 1, b"short": 2, b"int": 4, b"float": 4}
_WORDS = frozenset(b"unsigned signed long short int char".split())
_DROPPED = re.compile(
    rb"\b(?:(?:const|volatile|static|extern|inline|register|typename|struct|class|enum|union|mutable"
    rb"|constexpr|__shared__|__constant__|__device__|__restrict__|__restrict|__host__)\b|std::)"
)
_ALIGN = re.compile(rb"\b(?:__align__|alignas|__attribute__)\s*\(")
_TOKEN = re.compile(
    rb"\s*(?:(0[xX][0-9a-fA-F']+|\d[\d']*)[uUlL]*|[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)*"
    rb"|<<|>>|[<>=!]=|&&|\|\||[-+*/%()<>&|^~!?:,\[\].])"
)
_LEVELS: tuple[tuple[bytes, ...], ...] = (
    (b"||",), (b"&&",), (b"|",), (b"^",), (b"&",), (b"==", b"!="), (b"<", b">", b"<=", b">="),
    (b"<<", b">>"), (b"+", b"-"), (b"*", b"/", b"%"),
)  # fmt: skip
_CASTS = frozenset(
    b"int unsigned size_t long uint32_t int32_t uint64_t int64_t uint short char bool".split()
)
_EXTREMES: dict[bytes, Callable[[int, int], int]] = {
    **dict.fromkeys((b"max", b"MAX", b"std::max"), max),
    **dict.fromkeys((b"min", b"MIN", b"std::min"), min),
}
_DEEP = 40


class _UnknownError(Exception):
    """The expression has a part that this file does not show."""


@dataclass(frozen=True, slots=True)
class Names:
    """What names stand for at one place: nearer scopes first. A text of None is ambiguous."""

    scopes: tuple[Mapping[bytes, bytes | None], ...] = ()
    layouts: Mapping[bytes, tuple[int, int] | None] = field(default_factory=dict)

    def within(self, scope: Mapping[bytes, bytes | None]) -> Names:
        return Names((scope, *self.scopes), self.layouts) if scope else self

    def text(self, name: bytes) -> bytes | None:
        for scope in self.scopes:
            if name in scope:
                return scope[name]
        return None

    def number(self, text: bytes, deep: int = 0) -> int | None:
        """The value of a constant expression."""
        try:
            return _Expression(text, self, deep).value()
        except _UnknownError:
            return None

    def layout(self, text: bytes, deep: int = 0) -> tuple[int, int] | None:
        """Size and alignment of a type."""
        text = _DROPPED.sub(b" ", text).strip()
        if b"*" in text:
            return 8, 8
        words = text.split()
        if not words or deep > _DEEP:
            return None
        if len(words) > 1:
            return _arithmetic(words)
        name = words[0]
        if name in (b"unsigned", b"signed"):
            return 4, 4
        for scope in self.scopes:  # an alias or a template argument hides a type of that name
            if name in scope:
                meant = scope[name]
                return self.layout(meant, deep + 1) if meant and meant != name else None
        if name in self.layouts:
            return self.layouts[name]
        vector = _VECTOR.fullmatch(name)
        if vector is not None:
            width, count = _WIDTHS.get(vector.group(1), 8), int(vector.group(2))
            return width * count, width if count == 3 else min(width * count, 16)
        return _LAYOUTS.get(name)


def _arithmetic(words: list[bytes]) -> tuple[int, int] | None:
    """`unsigned long long`, `long double`, and so on."""
    if words in ([b"long", b"double"], [b"double", b"long"]):
        return 16, 16
    if not _WORDS.issuperset(words):
        return None
    size = 1 if b"char" in words else 2 if b"short" in words else 8 if b"long" in words else 4
    return size, size


class _Expression:
    """One constant expression of C++ while it is read."""

    def __init__(self, text: bytes, names: Names, deep: int) -> None:
        if deep > _DEEP or len(text) > 2000:
            raise _UnknownError
        self.names, self.deep = names, deep
        self.tokens: list[bytes] = []
        at = 0
        text = text.strip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise _UnknownError
            self.tokens.append(match.group(1) or match.group())
            at = match.end()
        self.at = self.open = 0

    def value(self) -> int:
        value = self._choice()
        if self.at < len(self.tokens):
            raise _UnknownError
        return value

    def _peek(self) -> bytes:
        return self.tokens[self.at].strip() if self.at < len(self.tokens) else b""

    def _take(self) -> bytes:
        token = self._peek()
        self.at += 1
        return token

    def _expect(self, token: bytes) -> None:
        if self._take() != token:
            raise _UnknownError

    def _choice(self) -> int:
        self.open += 1
        if self.open > _DEEP:
            raise _UnknownError
        value = self._binary(0)
        if self._peek() == b"?":
            self._take()
            first = self._choice()
            self._expect(b":")
            second = self._choice()
            value = first if value else second
        self.open -= 1
        return value

    def _binary(self, level: int) -> int:
        if level == len(_LEVELS):
            return self._unary()
        value = self._binary(level + 1)
        while self._peek() in _LEVELS[level]:
            operator = self._take()
            value = _compute(operator, value, self._binary(level + 1))
        return value

    def _unary(self) -> int:
        token = self._take()
        self.open += 1
        if self.open > 4 * _DEEP:
            raise _UnknownError
        try:
            return self._primary(token)
        finally:
            self.open -= 1

    def _primary(self, token: bytes) -> int:
        if token in (b"-", b"+", b"~", b"!"):
            value = self._unary()
            return {b"-": -value, b"+": value, b"~": ~value, b"!": int(not value)}[token]
        if token[:1].isdigit():
            digits = token.replace(b"'", b"").lower()
            octal = digits[:1] == b"0" and digits[1:].isdigit()
            try:
                return int(digits, 8 if octal else 0)
            except ValueError:
                raise _UnknownError from None
        if token == b"(":
            if self._is_cast():
                return self._unary()
            value = self._choice()
            self._expect(b")")
            return value
        if token in (b"sizeof", b"alignof"):
            return self._sizeof(token == b"sizeof")
        if token == b"static_cast":
            self._until(b"<", b">")
            self._expect(b"(")
            value = self._choice()
            self._expect(b")")
            return value
        if token in (b"true", b"false"):
            return int(token == b"true")
        if token in _CASTS and self._peek() == b"(":
            self._take()
            value = self._choice()
            self._expect(b")")
            return value
        if token in _EXTREMES and self._peek() in (b"(", b"<"):
            if self._peek() == b"<":
                self._until(b"<", b">")
            return self._extreme(_EXTREMES[token])
        meant = self.names.text(token)
        if meant is None or self._peek() in (b"(", b"[", b"<", b"."):
            raise _UnknownError
        value_ = self.names.number(meant, self.deep + 1)
        if value_ is None:
            raise _UnknownError
        return value_

    def _extreme(self, choose: Callable[[int, int], int]) -> int:
        self._expect(b"(")
        value = choose(self._choice(), self._second())
        self._expect(b")")
        return value

    def _second(self) -> int:
        self._expect(b",")
        return self._choice()

    def _is_cast(self) -> bool:
        """`(int)`, `(size_t)`, … just read up to the parenthesis that opens it."""
        at = self.at
        while at < len(self.tokens) and self.tokens[at].strip() in _CASTS:
            at += 1
        if at > self.at and at < len(self.tokens) and self.tokens[at].strip() == b")":
            self.at = at + 1
            return True
        return False

    def _until(self, left: bytes, right: bytes) -> bytes:
        """What stands between two brackets, as text."""
        self._expect(left)
        depth = 1
        taken: list[bytes] = []
        while True:
            token = self._take()
            if not token:
                raise _UnknownError
            depth += (token == left) - (token == right)
            if not depth:
                return b" ".join(taken)
            taken.append(token)

    def _sizeof(self, size: bool) -> int:
        layout = self.names.layout(self._until(b"(", b")"), self.deep + 1)
        if layout is None:
            raise _UnknownError
        return layout[0] if size else layout[1]


def _compute(operator: bytes, a: int, b: int) -> int:
    if operator in (b"/", b"%"):
        if b == 0:
            raise _UnknownError
        whole = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return whole if operator == b"/" else a - whole * b
    if operator in (b"<<", b">>"):
        if not 0 <= b < 64:
            raise _UnknownError
        return a << b if operator == b"<<" else a >> b
    return int(_OPERATORS[operator](a, b))


_OPERATORS: dict[bytes, Callable[[int, int], int]] = {
    b"||": lambda a, b: bool(a or b),
    b"&&": lambda a, b: bool(a and b),
    b"|": lambda a, b: a | b,
    b"^": lambda a, b: a ^ b,
    b"&": lambda a, b: a & b,
    b"==": lambda a, b: a == b,
    b"!=": lambda a, b: a != b,
    b"<": lambda a, b: a < b,
    b">": lambda a, b: a > b,
    b"<=": lambda a, b: a <= b,
    b">=": lambda a, b: a >= b,
    b"+": lambda a, b: a + b,
    b"-": lambda a, b: a - b,
    b"*": lambda a, b: a * b,
}


# --- what a file defines --------------------------------------------------------------------------

_DEFINE = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+((?:[^\r\n\\]|" + LINE_SPLICE + rb"|\\[^\r\n])*)",
    re.MULTILINE,
)
_CONSTANT = re.compile(
    rb"\bconst(?:expr)?\s+(?:(?:static|inline|const|constexpr|unsigned|signed|__device__)\s+){0,5}"
    rb"(?:int|unsigned|long|short|char|bool|auto|uint|(?:std::)?(?:size_t|u?int\d+_t))\s+"
    rb"(?:(?:int|long|const)\s+){0,3}(\w+)\s*(?:=|\{)"
)
_ENUM = re.compile(rb"\benum\b[^;{}()]{0,200}\{([^{}]*)\}")
_ALIAS = re.compile(rb"\b(?:using\s+(\w+)\s*=\s*([^;{}]{1,200});|typedef\s+([^;{}]{1,200});)")
_STRUCT = re.compile(
    rb"\b(?:struct|class|union)\s+([^;{}()=<>]{0,80}(?:\([^()]*\)[^;{}()=<>]{0,80})?)\{"
)
_TYPEDEF = re.compile(rb"\s*(\w+)\s*;")
_MEMBER = re.compile(rb"([\w:\s*]*[\s*])(\w+)\s*((?:\[[^\[\]]*\]\s*)*)$")
_DIMENSION = re.compile(rb"\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class Shown:
    """The constants, aliases and plain structs that one file defines."""

    code: Code
    top: Names
    local: Mapping[int, Mapping[bytes, bytes | None]]  # body of a function -> its own

    def inside(self, function: Function | None) -> Names:
        """What names stand for in a function's body."""
        return self.top.within(self.local.get(function.body[0], {})) if function else self.top


def find_shown(code: Code) -> Shown:
    """Everything that a file defines, by scope."""
    data, lexed = code.data, code.lexed
    top: dict[bytes, bytes | None] = {}
    local: dict[int, dict[bytes, bytes | None]] = {}
    classes = list(_classes(code))
    inside = _merge((start, end) for start, end, _, _ in classes)

    def add(at: int, name: bytes, text: bytes) -> None:
        function = code.function_at(at)
        scope = top
        if function is not None and function.body[0] <= at:
            scope = local.setdefault(function.body[0], {})
        elif (n := bisect_right(inside, (at, at)) - 1) >= 0 and at < inside[n][1]:
            return  # of a class: not looked up
        text = text.strip()
        scope[name] = text if scope.get(name, text) == text else None

    for match in _DEFINE.finditer(data) if b"define" in data else ():
        if lexed.blank_at(match.start()) is None:
            text = lexed.code(*match.span(2)).replace(b"\\", b" ").strip()
            top[match.group(1)] = text if top.get(match.group(1), text) == text else None
    for match in _CONSTANT.finditer(data) if b"const" in data else ():
        if lexed.blank_at(match.start()) is None:
            for name, text in _initialised(lexed, match.start(1)):
                add(match.start(), name, text)
    for match in _ENUM.finditer(data) if b"enum" in data else ():
        if lexed.blank_at(match.start()) is None:
            first, steps = b"0", 0
            for item in split(lexed.code(*match.span(1))):
                name, equals, text = item.partition(b"=")
                first, steps = (text.strip(), 0) if equals else (first, steps)
                add(match.start(), name.strip(), b"(" + first + b")+%d" % steps)
                steps += 1
    for match in _ALIAS.finditer(data):
        if lexed.blank_at(match.start()) is not None:
            continue
        if match.group(1):
            add(match.start(), match.group(1), match.group(2))
        else:
            text, _, name = match.group(3).strip().rpartition(b" ")
            if re.fullmatch(rb"\w+", name):
                add(match.start(), name, text)
    names = Names((top,))
    layouts: dict[bytes, tuple[int, int] | None] = {}
    for start, end, name, union in classes:
        if name:
            layout = _struct(lexed.code(start + 1, end - 1), Names((top,), layouts), union)
            layouts[name] = layout if layouts.get(name, layout) == layout else None
    return Shown(code, Names(names.scopes, layouts), local)


def _merge(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if not merged or start >= merged[-1][1]:
            merged.append((start, end))
    return merged


def _initialised(lexed: Lexed, at: int) -> Iterator[tuple[bytes, bytes]]:
    """`name = text` of the declarators from `at` to the semicolon."""
    end = lexed.data.find(b";", at, at + 2000)
    if end < 0:
        return
    for piece in split(lexed.code(at, end)):
        name, equals, text = piece.partition(b"=")
        if not equals:
            name, _, text = piece.rstrip().removesuffix(b"}").partition(b"{")
        if re.fullmatch(rb"\s*\w+\s*", name):
            yield name.strip(), text


def _classes(code: Code) -> Iterator[tuple[int, int, bytes, bool]]:
    """Body, name and kind of every class, struct and union; a name of b"" is unknown."""
    data = code.data
    if not any(word in data for word in (b"struct", b"class", b"union")):
        return
    closing = _pairs(code.lexed)
    for match in _STRUCT.finditer(data):
        end = closing.get(match.end() - 1, 0)
        if not end or code.lexed.blank_at(match.start()) is not None:
            continue
        head = _drop_calls(_ALIGN, match.group(1))
        aligned = head != match.group(1)
        words = [w for w in head.partition(b":")[0].split() if w != b"final"]
        name = words[-1] if words and not aligned and b":" not in head else b""
        after = _TYPEDEF.match(data, end)
        before = data[max(0, match.start() - 20) : match.start()].rstrip()
        if after and before.endswith(b"typedef") and not aligned:
            name = after.group(1)
        if before.endswith(b">"):
            name = b""  # a template
        union = data.startswith(b"union", match.start())
        yield match.end() - 1, end, name, union


def _pairs(lexed: Lexed) -> dict[int, int]:
    """Every { of the code with the place after its }."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for match in re.finditer(rb"[{}]", lexed.data):
        if lexed.blank_at(match.start()) is not None:
            continue
        if match.group() == b"{":
            stack.append(match.start())
        elif stack:
            found[stack.pop()] = match.end()
    return found


def _struct(body: bytes, names: Names, union: bool) -> tuple[int, int] | None:
    """Layout of a struct whose members are plain; anything else is not known."""
    if len(body) > 20000 or any(m in body for m in (b"(", b"{", b"#", b"virtual", b"=")):
        return None
    size, align = 0, 1
    body = re.sub(rb"\b(?:public|private|protected)\s*:", b"", body)
    for statement in body.split(b";"):
        if not statement.strip() or re.match(rb"\s*(?:static|using|typedef|friend)\b", statement):
            continue
        base = b""
        for declarator in split(statement[:500]):
            match = _MEMBER.fullmatch((base + b" " + declarator).strip())
            if match is None:
                return None
            base = base or match.group(1).rstrip(b"* \t\r\n")
            one = array_layout(match.group(1), match.group(3), names)
            if one is None:
                return None
            align = max(align, one[1])
            start = 0 if union else -(-size // one[1]) * one[1]
            size = max(size, start + one[0])
    return (-(-size // align) * align, align) if size else None


def array_layout(type_: bytes, dimensions: bytes, names: Names) -> tuple[int, int] | None:
    """Layout of an array (or of one object: no dimensions)."""
    layout = names.layout(type_)
    if layout is None:
        return None
    count = 1
    for dimension in _DIMENSION.findall(dimensions):
        one = names.number(dimension)
        if one is None or one < 0:
            return None
        count *= one
    return layout[0] * count, layout[1]


# --- declarations ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variable:
    """One declarator of a __shared__ or __constant__ declaration."""

    at: int
    name: bytes
    type: bytes
    dimensions: bytes  # "[4][BLOCK]"
    extern: bool

    @property
    def is_dynamic(self) -> bool:
        """Sized at launch."""
        return re.match(rb"\[\s*\]", self.dimensions) is not None

    def size(self, names: Names) -> int | None:
        layout = array_layout(self.type, self.dimensions, names)
        return layout[0] if layout else None


def find_variables(code: Code, keyword: bytes) -> Iterator[Variable]:
    """Every variable declared with `keyword`; one whose form is not understood has no type."""
    data, lexed = code.data, code.lexed
    at = data.find(keyword)
    while at >= 0:
        here, at = at, data.find(keyword, at + 1)
        around = data[here - 1 : here] + data[here + len(keyword) : here + len(keyword) + 1]
        if re.search(rb"\w", around) or not code.is_open(here) or in_directive(lexed, here):
            continue
        start = max(data.rfind(byte, max(0, here - 80), here) for byte in (b";", b"{", b"}"))
        stop = _STOP.search(data, here, here + 1000)
        end = stop.start() if stop else len(data)
        if end - here > 500:
            continue
        extern = b"extern" in data[max(start, here - 80) + 1 : end].split()
        text = _drop_calls(_ALIGN, _DROPPED.sub(b" ", lexed.code(here, end)))
        pieces = list(split(text, angles=True))
        if stop and stop.group() == b"{" and not re.search(rb"\w\s*\]?\s*$", text.strip() or b""):
            pieces = [b""]
        base = b""
        for piece in pieces:
            match = _VARIABLE.fullmatch((base + b" " + piece).strip())
            if match is None:
                if not base:
                    yield Variable(here, b"", b"", b"", extern)
                break
            base = base or match.group(1).rstrip(b"* \t\r\n")
            yield Variable(here, match.group(2), match.group(1), match.group(3), extern)


_STOP = re.compile(rb"[;{=]")
_VARIABLE = re.compile(
    rb"([^\[\]()]*[\s*&>])(\w+)\s*((?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)?\]\s*)*)"
)


def in_directive(lexed: Lexed, at: int) -> bool:
    """Does `at` stand in a preprocessor directive? Lines far before it are not looked at."""
    data = lexed.data
    start = at
    for _ in range(100):
        start = data.rfind(b"\n", max(0, start - 2000), start)
        if start < 1 or not data[max(0, start - 20) : start].rstrip().endswith(b"\\"):
            break
    return data[start + 1 : at].lstrip(b" \t").startswith(b"#")


def _drop_calls(pattern: re.Pattern[bytes], text: bytes) -> bytes:
    """`text` without what `pattern` finds, up to the parenthesis that closes."""
    match = pattern.search(text)
    for _ in range(8):
        if match is None:
            break
        depth, end = 1, match.end()
        while end < len(text) and depth:
            depth += (text[end] == 0x28) - (text[end] == 0x29)
            end += 1
        text = text[: match.start()] + b" " + text[end:]
        match = pattern.search(text)
    return text


def split(text: bytes, angles: bool = False) -> list[bytes]:
    """A list cut at its commas, but not inside brackets (< > too with `angles`)."""
    found: list[bytes] = []
    depth = start = 0
    left, right = (b"([{<", b")]}>") if angles else (b"([{", b")]}")
    for at in range(len(text)):
        byte = text[at : at + 1]
        if byte in left:
            depth += 1
        elif byte in right:
            depth -= 1
        elif byte == b"," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    found.append(text[start:])
    return [piece for piece in found if piece.strip()]
