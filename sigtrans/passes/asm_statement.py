"""The C side of inline assembly: finds `asm` statements and reads template, operands and clobbers.

A statement is read from its own text, so that one with an #if inside can be read once per branch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sigtrans.syntax import Lexed, find_blanks


class Unreadable(Exception):
    """The statement cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Operand:
    """`[name] "constraint" (text)`."""

    name: str
    constraint: str
    text: str  # the expression: no comments, single blanks

    @property
    def letter(self) -> str:
        return self.constraint.lstrip("=+&")


@dataclass(frozen=True, slots=True)
class Statement:
    """One asm statement, read."""

    is_volatile: bool
    template: str
    outputs: tuple[Operand, ...]
    inputs: tuple[Operand, ...]
    clobbers: tuple[str, ...]

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.outputs + self.inputs


@dataclass(frozen=True, slots=True)
class Place:
    """Where an asm statement stands: from the keyword to its closing parenthesis."""

    start: int
    open: int  # its (, or -1 when there is none
    end: int
    head: bytes  # asm volatile
    in_define: bool  # part of a macro's replacement


_ASM = re.compile(rb"\b(?:asm|__asm__|__asm)\b")
_QUALIFIER = re.compile(rb"(?:volatile|__volatile__|__volatile|inline|goto)\b")
_BRACKET = re.compile(rb"[()]")
_DEFINE = re.compile(rb"[ \t]*#[ \t]*define[ \t]+\w+")
_ALIAS = re.compile(rb"[ \t]*#[ \t]*define[ \t]+\w+[ \t]+(?:asm|__asm__|__asm)\b[ \t\w]*$")
_LONGEST = 65536
_UNCLOSED = 50  # statements without an end after which the rest of a file is not read


def find_places(lexed: Lexed) -> Iterator[Place]:
    """Every asm statement in code; labels of declarations (`f() asm("g")`) are none."""
    data = lexed.data
    done = line_end = unclosed = 0
    defines = False
    for match in _ASM.finditer(data):
        start = match.start()
        if start < done or lexed.blank_at(start) is not None or _is_member(lexed, start):
            continue
        at = lexed.after(match.end())
        head = match.group()
        while (word := _QUALIFIER.match(data, at)) is not None:
            head += b" " + word.group()
            at = lexed.after(word.end())
        if data[at : at + 1] == b"{":  # another compiler's form: not for the device
            yield Place(start, -1, match.end(), head, False)
        if data[at : at + 1] != b"(":
            if _ALIAS.match(data, *lexed.logical_line(start)):  # #define X asm volatile
                yield Place(start, -1, match.end(), head, True)
            continue
        end = _closing(lexed, at)
        if end < 0:
            unclosed += 1
            if unclosed > _UNCLOSED:
                return
            continue
        if start >= line_end:
            line_start, line_end = lexed.logical_line(start)
            defines = _DEFINE.match(data, line_start) is not None
        if defines or not _is_label(lexed, start, (at, end), head):
            done = end
            yield Place(start, at, end, head, defines)


def _closing(lexed: Lexed, at: int) -> int:
    """Just after the parenthesis that closes the one at `at`; -1 when there is none."""
    data = lexed.data
    depth = 0
    limit = at + _LONGEST
    while (match := _BRACKET.search(data, at, limit)) is not None:
        at = match.end()
        blank = lexed.blank_at(match.start())
        if blank is not None:
            at = max(at, blank[1])
            continue
        depth += 1 if match.group() == b"(" else -1
        if depth == 0:
            return at
    return -1


def _is_member(lexed: Lexed, start: int) -> bool:
    at = lexed.before(start)
    return at >= 0 and (lexed.data[at] == 0x2E or lexed.data[at - 1 : at + 1] == b"->")


# The name of a symbol, or macros that make one: no instruction ends without ; and has no operands.
_SYMBOL = re.compile(rb'\(\s*(?:(?:"[\w.$@]*"|\w+(?:\([\w\s,]*\))?)\s*)+\)')


def _is_label(lexed: Lexed, start: int, place: tuple[int, int], head: bytes) -> bool:
    """Does `asm("name")` only name the symbol of the declaration before it?"""
    data = lexed.data
    at = lexed.before(start)
    return (
        at >= 0
        and data[at] not in b";{}:"
        and lexed.name_ending_at(at) not in (b"else", b"do")
        and b" " not in head
        and _SYMBOL.fullmatch(data, *place) is not None
    )


# --- reading --------------------------------------------------------------------------------------

_SPLICE = re.compile(r"\\[ \t]*(?:\r\n|[\r\n])")
_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(\w+)[^\r\n\\]*(?:(?:\\[ \t]*(?:\r\n|[\r\n])|\\)[^\r\n\\]*)*(?:\r\n|[\r\n])?",
    re.MULTILINE,
)
_MOST = 16


def find_variants(text: bytes) -> list[str]:
    """The text between the parentheses without comments, once for every branch of an #if inside."""
    out: list[bytes] = []
    at = 0
    for start, end in find_blanks(text):
        if text[start] == 0x2F:
            out += [text[at:start], b" "]
            at = end
    out.append(text[at:])
    plain = b"".join(out).decode("latin-1")
    if not any(m.group(1) for m in _DIRECTIVE.finditer(plain)):
        return [_SPLICE.sub(" ", plain)]
    pieces: list[str] = []  # text, directive, text, directive, …, text
    at = 0
    for match in _DIRECTIVE.finditer(plain):
        pieces += [plain[at : match.start()], match.group(1)]
        at = match.end()
    pieces.append(plain[at:])
    variants, rest = _branches(pieces, 0)
    if rest != len(pieces):
        raise Unreadable("the branches of an #if inside it do not fit together")
    return [_SPLICE.sub(" ", v) for v in variants]


def _branches(pieces: list[str], at: int) -> tuple[list[str], int]:
    """Every way through pieces[at:], up to the directive that ends this level."""
    found = [pieces[at]]
    at += 1
    while at < len(pieces):
        word = pieces[at]
        if word in ("elif", "else", "endif"):
            return found, at
        if word not in ("if", "ifdef", "ifndef"):
            raise Unreadable(f"there is a #{word} inside it")
        options: list[str] = []
        closed = False  # does one of the branches always apply?
        while True:
            inner, at = _branches(pieces, at + 1)
            options += inner
            if at >= len(pieces):
                raise Unreadable("an #if inside it does not end")
            if pieces[at] == "endif":
                break
            closed = closed or pieces[at] == "else"
        if not closed:
            options.append("")
        found = [f + o + pieces[at + 1] for f in found for o in options]
        if len(found) > _MOST:
            raise Unreadable("there are too many #if branches inside it")
        at += 2
    return found, at


def parse(text: str, head: bytes, resolve: Callable[[str], list[str]]) -> list[Statement]:
    """Read what stands between the parentheses; one statement per value of a macro in the template.

    `resolve` gives the replacement texts of a macro that the file defines.
    """
    if b"goto" in head:
        raise Unreadable("'asm goto' jumps to labels of the program")
    sections = _split_sections(text)
    if len(sections) > 4:
        raise Unreadable("it has more than four parts")
    sections += [[]] * (4 - len(sections))
    outputs = tuple(_operand(item) for item in sections[1])
    inputs = tuple(_operand(item) for item in sections[2])
    clobbers = tuple(_literal(item) for item in sections[3])
    for each in outputs:
        if each.constraint[:1] not in ("=", "+"):
            raise Unreadable(f'the output constraint "{each.constraint}" is unknown')
    is_volatile = b"volatile" in head or not outputs
    return [
        Statement(is_volatile, template, outputs, inputs, clobbers)
        for template in _template(",".join(sections[0]), resolve, 0)
    ]


_PUNCTUATION = re.compile(r"[()\[\]{}:,]")


def _split_sections(text: str) -> list[list[str]]:
    """The parts between colons, each cut at its commas; parts without anything are empty."""
    data = text.encode("latin-1")
    literals = find_blanks(data)
    n = depth = start = 0
    sections: list[list[str]] = [[]]

    def cut(end: int) -> None:
        piece = text[start:end].strip()
        if piece:
            sections[-1].append(piece)

    for match in _PUNCTUATION.finditer(text):
        at = match.start()
        while n < len(literals) and literals[n][1] <= at:
            n += 1
        if n < len(literals) and literals[n][0] <= at:
            continue
        byte = match.group()
        if byte in "([{":
            depth += 1
        elif byte in ")]}":
            depth -= 1
            if (
                depth == 0
                and byte == ")"
                and len(sections) > 1
                and text[at + 1 :].lstrip()[:1] in ('"', "[")
            ):
                cut(at + 1)  # nvcc does without the comma between operands
                start = at + 1
        elif depth == 0:
            cut(at)
            start = at + 1
            if byte == ":":
                sections.append([])
    cut(len(text))
    return sections


_OPERAND = re.compile(r'(?:\[\s*(\w+)\s*\]\s*)?((?:"[^"\\]*"\s*)+)\((.*)\)\s*$', re.DOTALL)
# Macros of NVIDIA's headers that stand for a constraint and its parenthesis.
_CONSTRAINTS = {"_CG_ASM_PTR_CONSTRAINT": "l"}
_CONSTRAINT_CALL = re.compile(r"(\w+)\s*\((.*)\)\s*$", re.DOTALL)


def _operand(item: str) -> Operand:
    match = _OPERAND.match(item)
    if match is not None:
        constraint = "".join(re.findall(r'"([^"]*)"', match.group(2))).strip()
        return Operand(match.group(1) or "", constraint, tidy(match.group(3)))
    call = _CONSTRAINT_CALL.match(item)
    if call is not None and call.group(1) in _CONSTRAINTS:
        return Operand("", _CONSTRAINTS[call.group(1)], tidy(call.group(2)))
    raise Unreadable(
        f"the operand '{tidy(item)[:40]}' is not of the form \"constraint\"(expression)"
    )


def tidy(text: str) -> str:
    """An expression on one line, single blanks outside literals."""
    data = text.encode("latin-1")
    out: list[str] = []
    at = 0
    for start, end in find_blanks(data):
        out += [re.sub(r"\s+", " ", text[at:start]), text[start:end]]
        at = end
    out.append(re.sub(r"\s+", " ", text[at:]))
    return "".join(out).strip()


def _literal(item: str) -> str:
    match = re.fullmatch(r'"([^"\\]*)"', item.strip())
    if match is None:
        raise Unreadable(f"the clobber '{item[:40]}' is no string")
    return match.group(1)


_PIECE = re.compile(
    r'\s*(?:(?P<raw>R"(?P<delimiter>[^()\\\s"]{0,16})\((?P<inside>.*?)\)(?P=delimiter)")'
    r'|"(?P<text>(?:[^"\\]|\\.)*)"|(?P<name>[A-Za-z_]\w*))',
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "a": "\a", "b": "\b"}


def _unescape(match: re.Match[str]) -> str:
    what = match.group(1)
    if what[0] == "x":
        return chr(int(what[1:], 16) & 0xFF)
    if what[0] in "01234567":
        return chr(int(what, 8) & 0xFF)
    return _ESCAPES.get(what, what)


def _template(text: str, resolve: Callable[[str], list[str]], depth: int) -> list[str]:
    """Every value of a sequence of string literals and macros that stand for them."""
    if depth > 8:
        raise Unreadable("the macros of its template refer to each other")
    found = [""]
    at = 0
    while text[at:].strip():
        match = _PIECE.match(text, at)
        if match is None:
            what = text[at:].strip()[:20]
            raise Unreadable(f"its template is built by a macro or a parameter ('{what}')")
        at = match.end()
        if match.group("name") is not None:
            name = match.group("name")
            values = [] if text[at:].lstrip()[:1] == "(" else resolve(name)
            if not values:
                raise Unreadable(f"its template is built by the macro '{name}'")
            options = [v for value in values for v in _template(value, resolve, depth + 1)]
        elif match.group("raw") is not None:
            options = [match.group("inside")]
        else:
            options = [_ESCAPE.sub(_unescape, match.group("text"))]
        found = [f + o for f in found for o in dict.fromkeys(options)]
        if len(found) > _MOST:
            raise Unreadable("its template has too many values")
    return found
