"""Types and functions of device code that MUSA has in another form, or not on every target.

A pattern rule could not do it: what is right depends on the type behind a pointer, on the targets
and the SDK, and on whether a name stands in device code. Calls that only get another name are in
rules/device.tsv. Types that a file does not show are not guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sigtrans import target
from sigtrans.passes import Code, CodeFindings, Finder
from sigtrans.passes.code import DIRECTIVE
from sigtrans.passes.device_words import Call, find_calls, swap
from sigtrans.passes.functions import Function
from sigtrans.passes.sizes import Names, find_shown, find_variables, split
from sigtrans.source import Edit, Safety, Severity, Span

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


def find(code: Code) -> CodeFindings:
    """Types, atomics and intrinsics that need another form, or a word."""
    return _Pass(code).run()


class _Pass(Finder):
    """Types and intrinsics of one file."""

    def run(self) -> CodeFindings:
        data = self.code.data
        if _HALF.search(data):
            self.take(*swap(self.code, "half"))
            if self.helpers and b"bfloat16" in data:
                self.helpers.add("bf16")
            if "bf16" in self.helpers:
                self.helpers.add("half")  # bf16 includes it
            self._narrow_types()
            if b"bfloat16" in data:
                self._literals()
        if b"__nanosleep" in data or b"__dp" in data:
            self.take(*swap(self.code, "device"))
        if b"atomic" in data:
            if b"_system" in data:
                self.take(*swap(self.code, "atomics"))
            if _TYPED_ATOMIC.search(data):
                self._atomics()
        self._wide_types()
        if b"template" in data and _MEMBER_TEMPLATE.search(data):
            self._member_templates()
        if b"__restrict__" in data:
            self._restricted_members()
        return self.findings

    def _lacking(self, fact: str, value: object) -> list[str]:
        return [t for t in self.code.targets if target.load(t).value(fact) == value]

    # --- types of 16 and 8 bits ---------------------------------------------------------------

    def _narrow_types(self) -> None:
        for pattern, fact, code, what, rule in _NARROW:
            lacking = self._lacking(fact, False)
            if not lacking:
                continue
            places = [m.span() for m in pattern.finditer(self.code.data) if self._is_open(m)]
            if not places:
                continue
            guarded = list(_guarded(self.code))
            bare = [p for p in places if not any(a < p[0] < b for a, b in guarded)]
            where = (bare or places)[0]
            only = "" if bare else "; every use stands under an #if that may leave it out there"
            self.say(
                *where,
                code,
                ERROR if bare else NOTE,
                f"{', '.join(lacking)} has no {what}"
                + (f" ({len(places)} places in this file)" if len(places) > 1 else "")
                + only,
                f"leave this code out for {', '.join(lacking)} (test __MUSA_ARCH__), or use "
                "float there",
                rule,
            )

    def _literals(self) -> None:
        """A bfloat16 made from an integer literal is ambiguous on MUSA; a float has its value."""
        for match in _BF16_LITERAL.finditer(self.code.data):
            if self.code.is_open(match.start()):
                place = match.span(1) if match.group(1) else match.span(2)
                text = self.code.data[slice(*place)] + b".0f"
                self.edits.append(Edit(Span(*place), text, "types/bf16-literal"))

    def _is_open(self, match: re.Match[bytes]) -> bool:
        return self.code.is_open(match.start())

    # --- types of 64 bits and more ------------------------------------------------------------

    def _wide_types(self) -> None:
        data = self.code.data
        partial = self._lacking("fp64", "partial") if b"double" in data else []
        if b"int128" in data:
            self._first_in_device_code(
                _INT128,
                "SIG307",
                WARNING,
                "'{name}': 128-bit division crashes mcc, and a variable shift fails to compile "
                "(SDK 4.3.6 and 5.2.0)",
                "avoid division, remainder and variable shifts of 128-bit values in device code",
                "math/int128",
            )
        if b"double" in data and b"long" in data:
            self._first_in_device_code(
                _LONG_DOUBLE,
                "SIG334",
                WARNING,
                "'{name}' in device code: math functions are ambiguous for it on MUSA",
                "use double",
                "math/long-double",
            )
        if partial:
            self._first_in_device_code(
                _DOUBLE,
                "SIG335",
                NOTE,
                f"double in device code: {', '.join(partial)} supports it in part (one reduction "
                "of torch_musa is refused there for a compiler fault)",
                "compile and test it for that target",
                "math/fp64",
            )

    def _first_in_device_code(
        self,
        pattern: re.Pattern[bytes],
        code: str,
        severity: Severity,
        message: str,
        help: str,
        rule: str,
    ) -> None:
        for match in pattern.finditer(self.code.data):
            if not self.code.is_open(match.start()):
                continue
            function = self.code.function_at(match.start())
            if function is not None and function.kind in ("kernel", "device"):
                name = b" ".join(match.group().split()).decode("latin-1")
                self.say(*match.span(), code, severity, message.format(name=name), help, rule)
                return

    # --- atomics by type ----------------------------------------------------------------------

    def _atomics(self) -> None:
        types = _Types(self.code)
        done: list[tuple[Call, bytes]] = []
        for call in find_calls(self.code, (b"atomicAdd", b"atomicMin", b"atomicMax")):
            arguments = self.code.lexed.arguments(call.open) if call.open >= 0 else []
            if len(arguments) != 2:
                continue
            element = types.element(self.code.lexed.code(*arguments[0]), call.start)
            becomes = self._replacement(call, element, arguments[-1][1])
            if becomes:
                self.edits.append(
                    Edit(Span(call.start, call.end), b"sigtrans::" + becomes, "atomics/type")
                )
                self.helpers.add("device")
                done.append((call, element))
        if done:
            shown = dict.fromkeys(f"{c.name.decode()} on {e.decode('latin-1')}" for c, e in done)
            more = f" ({len(done)} places in this file)" if len(done) > 1 else ""
            self.say(
                *(done[0][0].name_at, done[0][0].end),
                "SIG336",
                NOTE,
                f"{', '.join(list(shown)[:4])}{more}: not in MUSA's table of atomics; a helper "
                "makes it of those that are",
                "nothing; loops of compare and swap are slower where many threads meet",
                "atomics/type",
            )

    def _replacement(self, call: Call, element: bytes, close: int) -> bytes:
        """What a call becomes for a type, b"" where it can stay or the type is not known."""
        if call.name in (b"atomicMin", b"atomicMax"):
            return call.name if element in _SIGNED_64 | _UNSIGNED_64 else b""
        if element in _SIGNED_64 | _LONG_UNSIGNED | _SHORT:
            return call.name
        if element in (b"float2", b"float4"):
            return b"atomicAddVector" + element[-1:]
        if element in _FLOAT_16 and self._is_used(call, close):
            return b"atomicAdd16"
        return b""

    def _is_used(self, call: Call, close: int) -> bool:
        """Is the old value that the call returns looked at?"""
        data, lexed = self.code.data, self.code.lexed
        before = lexed.before(call.start)
        after = lexed.after(close + 1)
        alone = before < 0 or data[before : before + 1] in (b";", b"{", b"}", b")", b":")
        alone = alone or lexed.name_ending_at(before) == b"else"
        return not (alone and data[after : after + 1] == b";")

    # --- clang is stricter --------------------------------------------------------------------

    def _member_templates(self) -> None:
        """`x.f<N>()` with x of a template parameter's type: clang asks for `x.template f<N>()`."""
        data = self.code.data
        done: list[tuple[int, int]] = []
        for match in _MEMBER_TEMPLATE.finditer(data):
            if not self.code.is_open(match.start()):
                continue
            function = self.code.function_at(match.start())
            owner = self.code.lexed.name_ending_at(self.code.lexed.before(match.start()))
            if function is None or not owner or not _is_dependent(self.code, function, owner):
                continue
            at = match.start(1)
            self.edits.append(
                Edit(Span(at, at), b"template ", "language/template-keyword", Safety.REVIEW)
            )
            done.append(match.span(1))
        if done:
            more = f" ({len(done)} places in this file)" if len(done) > 1 else ""
            self.say(
                *done[0],
                "SIG339",
                NOTE,
                f"'template' is put before this member{more}: its class depends on a template "
                "parameter, and clang reads a comparison otherwise",
                "nothing",
                "language/template-keyword",
            )

    def _restricted_members(self) -> None:
        places: list[tuple[int, int]] = []
        for match in _RESTRICT.finditer(self.code.data):
            if not self.code.is_open(match.start()) or self.code.function_at(match.start()):
                continue
            start, _ = self.code.lexed.list_start(match.start() - 1)
            if start >= 0 and self.code.data[start : start + 1] in (b"{", b";"):
                places.append((match.start(), match.start() + len(b"__restrict__")))
        if places:
            more = f" ({len(places)} places in this file)" if len(places) > 1 else ""
            self.say(
                *places[0],
                "SIG340",
                NOTE,
                f"'__restrict__' on a member{more}: copies of such classes gave trouble with mcc",
                "if the copy of the class does not compile, drop the word: it is a hint",
                "language/restrict-member",
            )


_HALF = re.compile(rb"half|Half|bfloat16|fp8")
_NARROW = (
    (
        re.compile(rb"\b(?:__nv_bfloat16|nv_bfloat16)2?\b"),
        *("bf16", "SIG330", "usable bfloat16", "types/bf16"),
    ),
    (re.compile(rb"\b__nv_fp8\w*"), *("fp8", "SIG331", "fp8 types", "types/fp8")),
)
_BF16_LITERAL = re.compile(  # up to 256 every integer is a bfloat16
    rb"\b(?:__)?(?:nv|mt)_bfloat16(?:\s*[({]\s*(-?(?:0|[1-9]\d?|1\d\d))\s*[)}]"
    rb"|\s+\w+\s*=\s*(-?(?:0|[1-9]\d?|1\d\d))\s*[;,])"
)
_INT128 = re.compile(rb"\b__u?int128(?:_t)?\b")
_LONG_DOUBLE = re.compile(rb"\blong\s+double\b")
_DOUBLE = re.compile(rb"\bdouble[234]?\b")
_TYPED_ATOMIC = re.compile(rb"\batomic(?:Add|Min|Max)\b")
_MEMBER_TEMPLATE = re.compile(rb"(?:\.|->)\s*([A-Za-z_]\w*)<[\w\s:,*]{0,100}>\s*\(")
_RESTRICT = re.compile(rb"__restrict__\s+\w+\s*[;=,{]")
_SIGNED_64 = frozenset(
    b"long|long int|long long|long long int|signed long long|int64_t|longlong|ptrdiff_t|ssize_t"
    b"|intptr_t".split(b"|")
)
_LONG_UNSIGNED = frozenset(
    b"unsigned long|unsigned long int|uint64_t|size_t|ulong|uintptr_t".split(b"|")
)
_UNSIGNED_64 = _LONG_UNSIGNED | {
    b"unsigned long long", b"unsigned long long int", b"ulonglong",
}  # fmt: skip
_SHORT = frozenset(
    b"short|short int|signed short|unsigned short|unsigned short int|int16_t|uint16_t|ushort".split(
        b"|"
    )
)
_FLOAT_16 = frozenset((b"half", b"__half", b"__nv_half", b"__nv_bfloat16", b"nv_bfloat16"))
_QUALIFIERS = re.compile(
    rb"\b(?:const|volatile|static|extern|register|__shared__|__device__|__constant__|__managed__"
    rb"|__restrict__|__restrict|typename|struct|mutable|inline)\b|\bstd::"
)
_CAST = re.compile(rb"(?:reinterpret_cast|static_cast)\s*<([^<>]{1,60})>\s*\(")
_C_CAST = re.compile(rb"\(\s*([A-Za-z_][\w\s:]{0,50}\*)\s*\)\s*[&(\w]")
_ROOT = re.compile(rb"(&?)\s*\(*\s*([A-Za-z_]\w*)\s*([\[+)-]|$)")


class _Types:
    """Types behind pointers, from declarations in the same function or file."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.names: Names | None = None
        self.local: dict[tuple[bytes, int], set[tuple[bytes, int]]] = {}
        self.shared: dict[bytes, set[tuple[bytes, int]]] | None = None

    def element(self, expression: bytes, at: int) -> bytes:
        """What the pointer `expression` points to; b"" where the file does not show it."""
        expression = expression.strip()
        cast = _CAST.match(expression) or _C_CAST.match(expression)
        if cast is not None:
            kind, stars = _plain(cast.group(1))
            return self._meant(kind) if stars == 1 else b""
        root = _ROOT.match(expression)
        if (
            root is None
            or b"->" in expression
            or re.search(rb"[\w\]]\s*\.\s*[A-Za-z_]", expression)
        ):
            return b""
        function = self.code.function_at(at)
        found = self._declared(root.group(2), function)
        if found is None:
            return b""
        kind, depth = found
        depth += bool(root.group(1)) - _indices(expression, root.end(2))
        return self._meant(kind) if depth == 1 else b""

    def _meant(self, kind: bytes) -> bytes:
        """The type that an alias of this file stands for."""
        if kind in _KNOWN:
            return kind
        if self.names is None:
            self.names = find_shown(self.code).top
        for _ in range(4):
            text = self.names.text(kind)
            if text is None:
                break
            kind = _plain(text)[0]
        return kind

    def _declared(self, name: bytes, function: Function | None) -> tuple[bytes, int] | None:
        """Type and pointer depth (arrays count as pointers) of a variable; None if not seen."""
        if function is not None:
            key = (name, function.head)
            if key not in self.local:
                found = set(self._in_range(name, *function.body))
                self.local[key] = found or set(self._in_range(name, *function.params))
            if self.local[key]:
                return _single(self.local[key])
        if self.shared is None:
            self.shared = {}
            for keyword in (b"__device__", b"__shared__", b"__managed__"):
                for one in find_variables(self.code, keyword):
                    if one.type and self.code.function_at(one.at) is None:
                        kind, stars = _plain(one.type)
                        depth = stars + one.dimensions.count(b"[")
                        self.shared.setdefault(one.name, set()).add((kind, depth))
        return _single(self.shared.get(name, set()))

    def _in_range(self, name: bytes, start: int, end: int) -> Iterator[tuple[bytes, int]]:
        text = self.code.data[start:end]
        if name not in text:
            return
        word = re.compile(
            rb"(?:^|[;{}(,>])\s*([A-Za-z_][^;{}(),=<>\[\]]{0,100}?[\s*&])" + re.escape(name)
            + rb"\s*((?:\[[^\[\]]{0,100}\]\s*)*)(?=[;,=)({]|$)"
        )  # fmt: skip
        for match in word.finditer(text):
            kind, stars = _plain(match.group(1))
            if self.code.is_open(start + match.start(1)) and kind not in _NO_TYPE:
                yield kind, stars + match.group(2).count(b"[")


def _single(found: set[tuple[bytes, int]]) -> tuple[bytes, int] | None:
    return next(iter(found)) if len(found) == 1 else None


def _indices(expression: bytes, at: int) -> int:
    """How many [ ] follow a name at once."""
    count = depth = 0
    for byte in expression[at:]:
        if byte in b"([":
            count += byte == 0x5B and not depth
            depth += 1
        elif byte in b")]":
            depth -= 1
        elif not depth and byte not in b" \t\r\n":
            break
    return count


_NO_TYPE = frozenset((b"return", b"else", b"case", b"delete", b"new", b"goto", b"throw", b""))
_KNOWN = _SIGNED_64 | _UNSIGNED_64 | _SHORT | _FLOAT_16 | {b"int", b"unsigned", b"float", b"double"}


def _plain(text: bytes) -> tuple[bytes, int]:
    """A type without qualifiers, and how many pointers it has."""
    text = _QUALIFIERS.sub(b" ", text)
    stars = text.count(b"*")
    words = text.replace(b"*", b" ").replace(b"&", b" ").split()
    if words[1:2] == [b"unsigned"]:
        words.reverse()
    return b" ".join(words), stars


def _is_dependent(code: Code, function: Function, owner: bytes) -> bool:
    """Is `owner` a parameter or variable whose type is a template parameter of the function?"""
    head = code.lexed.code(function.head, function.params[0])
    match = re.match(rb"\s*template\s*<", head)
    if match is None or _AT_LINE_START.search(code.data, *function.body):
        return False
    names = [
        name.group(1)
        for piece in split(head[match.end() :], angles=True)
        if (name := re.match(rb"\s*(?:typename|class)\s+(\w+)\s*(?:=|>|$)", piece))
    ]
    if not names:
        return False
    declared = re.compile(
        rb"(?:^|[;{(,])\s*(?:const\s+)?(?:" + b"|".join(map(re.escape, names)) + rb")"
        rb"(?:\s+const)?[\s&*]+" + re.escape(owner) + rb"\b\s*(?=[,);=({]|$)"
    )
    places = (function.params, function.body)
    return any(declared.search(code.data[start:end]) for start, end in places)


_AT_LINE_START = re.compile(rb"^(?:template|__global__)\b", re.MULTILINE)  # braces do not nest


def _guarded(code: Code) -> Iterator[tuple[int, int]]:
    """Ranges under an #if about an architecture, a version or the type itself."""
    stack: list[tuple[int, bool]] = []
    for match in DIRECTIVE.finditer(code.data):
        if code.lexed.blank_at(match.start(1)) is not None:
            continue
        if match.group(1) == b"endif":
            if stack:
                start, telling = stack.pop()
                if telling:
                    yield start, match.end()
        elif match.group(1).startswith(b"if"):
            stack.append((match.start(), _TELLING.search(match.group(2)) is not None))


_TELLING = re.compile(rb"ARCH|VERSION|BF16|BFLOAT16|bf16|FP8|fp8|LOWP")
