"""PTX text: the instructions of an asm template, with their registers and operands."""

from __future__ import annotations

import re
from dataclasses import dataclass


class PtxError(Exception):
    """The text is no straight-line PTX; the message says why."""


@dataclass(frozen=True, slots=True)
class Arg:
    """`%0`: an operand of the asm statement."""

    index: int


@dataclass(frozen=True, slots=True)
class Reg:
    """A register that the text declares itself; `name` is unique in the text."""

    name: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Imm:
    """A literal number, as PTX writes it."""

    text: str


@dataclass(frozen=True, slots=True)
class Special:
    """`%laneid` and its like, without the %."""

    name: str


@dataclass(frozen=True, slots=True)
class Vector:
    items: tuple[Arg | Reg | Imm | Special, ...]


@dataclass(frozen=True, slots=True)
class Address:
    base: Arg | Reg | Imm | Special
    offset: int


Value = Arg | Reg | Imm | Special | Vector | Address


@dataclass(frozen=True, slots=True)
class Instruction:
    name: str  # with all modifiers: ld.global.nc.v4.u32
    operands: tuple[Value, ...]
    guard: Reg | None  # @p, @!p

    @property
    def opcode(self) -> str:
        return self.name.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Program:
    instructions: tuple[Instruction, ...]
    registers: dict[str, str]  # unique name -> type: pred, b32, f32, …


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(
    r"\s*(?:(?P<arg>%\d+|%\[\s*\w+\s*\])|(?P<special>%{1,2}[A-Za-z_]\w*(?:\.[xyzw])?)"
    r"|(?P<number>-?(?:0[fFdD][0-9a-fA-F]+|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?"
    r"|\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+U?))"
    r"|(?P<word>[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_0-9:]+)*)"
    r"|(?P<directive>\.[A-Za-z]\w*)|(?P<mark>[{}\[\](),;:@!|+<>=-]))"
)
_TYPES = {
    "pred": "pred", "b8": "b8", "u8": "b8", "s8": "b8",
    "b16": "b16", "u16": "b16", "s16": "b16", "f16": "b16", "bf16": "b16",
    "b32": "b32", "u32": "b32", "s32": "b32", "f16x2": "b32", "bf16x2": "b32",
    "b64": "b64", "u64": "b64", "s64": "b64", "f32": "f32", "f64": "f64",
}  # fmt: skip


@dataclass(slots=True)
class _Reader:
    tokens: list[tuple[str, str]]
    names: dict[str, int]  # symbolic operands
    at: int = 0

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "")

    def take(self) -> tuple[str, str]:
        token = self.peek()
        if not token[0]:
            raise PtxError("an instruction is not complete")
        self.at += 1
        return token

    def have(self, mark: str) -> bool:
        if self.peek() == ("mark", mark):
            self.at += 1
            return True
        return False

    def need(self, mark: str) -> None:
        if not self.have(mark):
            raise PtxError(f"'{mark}' is missing before '{self.peek()[1]}'")


def parse(text: str, names: dict[str, int]) -> Program:
    """Read an asm template; `names` are the symbolic operands (`%[x]`)."""
    reader = _Reader(_tokens(_COMMENT.sub(" ", text)), names)
    registers: dict[str, str] = {}
    scopes: list[dict[str, str]] = [{}]
    found: list[Instruction] = []
    while reader.peek()[0]:
        if reader.have("{"):
            scopes.append({})
        elif reader.have("}"):
            if len(scopes) == 1:
                raise PtxError("a '}' closes nothing")
            scopes.pop()
        elif reader.have(";"):
            pass
        elif reader.peek()[0] == "directive":
            _declare(reader, scopes, registers)
        else:
            found.append(_instruction(reader, scopes))
    if len(scopes) > 1:
        raise PtxError("a block spans several asm statements")
    return Program(tuple(found), registers)


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    at = 0
    end = len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise PtxError(f"'{text[at:].strip()[:20]}' is no PTX")
        kind = match.lastgroup or ""
        tokens.append((kind, re.sub(r"\s+", "", match.group(kind))))
        at = match.end()
    return tokens


def _declare(reader: _Reader, scopes: list[dict[str, str]], registers: dict[str, str]) -> None:
    words: list[str] = []
    while reader.peek()[0] == "directive":
        words.append(reader.take()[1][1:])
    if words[:1] != ["reg"]:
        raise PtxError(f"the directive '.{words[0]}' has no translation")
    if len(words) != 2 or words[1] not in _TYPES:
        raise PtxError(f"registers of type '.{'.'.join(words[1:])}' have no translation")
    while True:
        kind, name = reader.take()
        if kind == "special":
            name = name.lstrip("%")
        elif kind != "word" or "." in name:
            raise PtxError(f"'{name}' cannot be a register")
        count = 0
        if reader.have("<"):
            count = int(reader.take()[1])
            reader.need(">")
        if count > 256:
            raise PtxError("too many registers")
        for each in [f"{name}{n}" for n in range(count)] if count else [name]:
            unique = each.replace("$", "_")
            while unique in registers:
                unique += "_"
            registers[unique] = _TYPES[words[1]]
            scopes[-1][each] = unique
        if not reader.have(","):
            break
    reader.need(";")


def _instruction(reader: _Reader, scopes: list[dict[str, str]]) -> Instruction:
    guard: Reg | None = None
    if reader.have("@"):
        negated = reader.have("!")
        value = _scalar(reader, scopes)
        if not isinstance(value, Reg):
            raise PtxError("a predicate is no register of this statement")
        guard = Reg(value.name, negated)
    kind, name = reader.take()
    if kind != "word":
        raise PtxError(f"'{name}' stands where an instruction should")
    if reader.peek() == ("mark", ":"):
        raise PtxError(f"it has a label ('{name}'), so control flow inside the assembly")
    if name.partition(".")[0] in ("bra", "brx", "call", "ret"):
        raise PtxError(f"it has control flow inside the assembly ('{name}')")
    operands: list[Value] = []
    if not reader.have(";") and reader.peek()[0] and reader.peek() != ("mark", "}"):
        while True:
            operands.append(_operand(reader, scopes))
            if reader.have("|"):
                operands.append(_operand(reader, scopes))
                name += "#"  # two results: another row than the one without
            if reader.have(","):
                continue
            if reader.have(";") or not reader.peek()[0] or reader.peek() == ("mark", "}"):
                break
            raise PtxError(f"'{reader.peek()[1]}' stands where ',' or ';' should")
    return Instruction(name, tuple(operands), guard)


def _operand(reader: _Reader, scopes: list[dict[str, str]]) -> Value:
    if reader.have("{"):
        items = [_scalar(reader, scopes)]
        while reader.have(","):
            items.append(_scalar(reader, scopes))
        reader.need("}")
        return Vector(tuple(items))
    if reader.have("["):
        base = _scalar(reader, scopes)
        offset = 0
        while not reader.have("]"):
            negative = False
            if not reader.have("+"):
                negative = reader.have("-")
            kind, text = reader.take()
            if kind != "number":
                raise PtxError("an address is no register and constant")
            offset += -number(text) if negative else number(text)
        return Address(base, offset)
    if reader.have("!"):
        value = _scalar(reader, scopes)
        if isinstance(value, Reg):
            return Reg(value.name, True)
        raise PtxError("'!' stands before what is no predicate")
    return _scalar(reader, scopes)


def _scalar(reader: _Reader, scopes: list[dict[str, str]]) -> Arg | Reg | Imm | Special:
    kind, text = reader.take()
    if kind == "arg":
        if text[1] == "[":
            name = text[2:-1]
            if name not in reader.names:
                raise PtxError(f"there is no operand '{name}'")
            return Arg(reader.names[name])
        return Arg(int(text[1:]))
    if kind == "number":
        return Imm(text)
    if kind == "mark" and text == "-" and reader.peek()[0] == "number":
        return Imm("-" + reader.take()[1])
    if kind in ("word", "special"):
        name = text.lstrip("%")
        for scope in reversed(scopes):
            if name in scope:
                return Reg(scope[name])
        if kind == "special":
            return Special(name)
        raise PtxError(f"'{name}' is declared outside this statement")
    raise PtxError(f"'{text}' stands where an operand should")


def number(text: str) -> int:
    """The value of a PTX integer literal."""
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("-").rstrip("U")
    try:
        if digits[:2] in ("0x", "0X"):
            return sign * int(digits, 16)
        if digits[:2] in ("0b", "0B"):
            return sign * int(digits, 2)
        if len(digits) > 1 and digits[0] == "0":
            return sign * int(digits, 8)
        return sign * int(digits)
    except ValueError:
        raise PtxError(f"'{text}' is no integer") from None
