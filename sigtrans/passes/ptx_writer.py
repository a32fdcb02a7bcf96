"""C++ for one asm statement: operands, registers and predicates become locals, instructions rows of
the table.

One instruction becomes one expression where that evaluates every operand as often as the statement
did; else the statement becomes a block.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sigtrans.passes.asm_statement import Operand, Statement
from sigtrans.passes.ptx import (
    Address,
    Arg,
    Imm,
    Instruction,
    Program,
    PtxError,
    Reg,
    Special,
    Value,
    Vector,
    number,
)
from sigtrans.passes.ptx import parse as parse_ptx
from sigtrans.passes.ptx_table import C_TYPES, Row, Slot, canonical, find_advice, rows
from sigtrans.source import Safety


class Stop(Exception):
    """The statement has no translation: the code that says so, the message, what to do."""

    def __init__(self, code: str, message: str, help: str) -> None:
        super().__init__(message)
        self.code, self.message, self.help = code, message, help


@dataclass(frozen=True, slots=True)
class Translation:
    """What to write for one statement, and what there is to say about it."""

    lines: tuple[str, ...]  # statements of a block, or one expression
    is_block: bool
    names: tuple[str, ...]  # the instructions
    safety: Safety
    notes: tuple[str, ...]
    helpers: frozenset[str]
    dropped: bool  # only hints: nothing is left of it
    pointers: frozenset[str] = frozenset()  # variables that have to become pointers


def unreadable(why: str) -> Stop:
    return Stop(
        "SIG504",
        f"inline assembly is not translated: {why}",
        "write it in C++ or with intrinsics",
    )


def untraced(text: str) -> Stop:
    return Stop(
        "SIG505",
        f"inline PTX uses a shared-memory address as a number ('{text[:60]}')",
        "pass the pointer to the function that holds the assembly and use it instead",
    )


# --- shared-memory addresses ----------------------------------------------------------------------

_CVTA = re.compile(r"\b__cvta_generic_to_shared\s*\(")
_CASTS = re.compile(
    r"\s*(?:(?:static_cast|reinterpret_cast)\s*<\s*[\w:\s]+>\s*\(|"
    r"\(\s*(?:unsigned|int|long|uint32_t|std::uint32_t|size_t|uint64_t|uintptr_t|uint)"
    r"(?:\s+(?:int|long))*\s*\)|(?:uint32_t|unsigned|size_t|uint)\s*\(|\()\s*"
)


def shared_pointer(text: str) -> str:
    """X of `(casts)__cvta_generic_to_shared(X)`, "" when it is anything else."""
    text = text.strip()
    open_count = 0
    while (match := _CASTS.match(text)) is not None and not _CVTA.match(text):
        open_count += match.group().rstrip().endswith("(")
        text = text[match.end() :]
    call = _CVTA.match(text)
    if call is None:
        return ""
    depth = 1
    at = call.end()
    while at < len(text) and depth:
        depth += (text[at] == "(") - (text[at] == ")")
        at += 1
    rest = text[at:].strip()
    if depth or rest.replace(" ", "") != ")" * open_count:
        return ""
    return text[call.end() : at - 1].strip()


_PLUS = re.compile(r"([A-Za-z_]\w*)(?:\s*\+\s*(\d+|0x[0-9a-fA-F]+))?$")


def base_name(text: str) -> str:
    match = _PLUS.match(text.strip().strip("()"))
    return match.group(1) if match else ""


# --- one statement --------------------------------------------------------------------------------

_CLASSES = {"r": "b32", "h": "b16", "l": "b64", "f": "f32", "d": "f64"}
_WIDTH = {"8": 8, "6": 16, "2": 32, "4": 64}
_PURE = re.compile(r"[\w\s.:\[\]*&+\-/<>^|~%]*(?:->[\w\s.:\[\]]*)*$")
_CHANGES = re.compile(r"\+\+|--|=|\(")
_SIMPLE_CAST = re.compile(
    r"\(\s*(?:const\s+)?(?:unsigned|int|float|double|char|short|long|void|bool|u?int\d*_t|uint|size_t)"
    r"[\s\w*]*\)|(?:reinterpret|static|const)_cast\s*<[^<>()]*>"
)


_BARE = re.compile(
    r"\((unsigned(?: char| short| long long)?|int|short|long long|signed char|float|double)\)"
    r"\((\w+)\)"
)


def _width(kind: str) -> int:
    return 1 if kind == "pred" else int(kind.lstrip("busf"))


def _is_pure(text: str) -> bool:
    """May `text` be evaluated twice, or not at all?"""
    plain = _SIMPLE_CAST.sub("", text)
    return "(" not in re.sub(r"(?<![\w\]])\(", "", plain) and not re.search(
        r"\+\+|--|(?<![=!<>])=(?!=)", plain
    )


@dataclass(slots=True)
class _Cell:
    """A value that instructions read or write: text, class, and whether it is a variable."""

    text: str
    kind: str
    shared: bool = False


class Writer:
    """Writes C++ for one statement."""

    def __init__(
        self,
        statement: Statement,
        pointers: frozenset[str],
        is_number: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.statement = statement
        self.is_number = is_number  # is an expression known to be no pointer?
        self.operands = statement.operands
        self.pointers = (
            pointers  # variables that hold shared-memory addresses and may become pointers
        )
        self.used: set[str] = set()
        self.shared_regs: set[str] = set()
        self.body: list[str] = []
        self.notes: list[str] = []
        self.helpers: set[str] = set()
        self.safety = Safety.EXACT
        self.dropped = True
        self.temporaries = 0
        self.carry = False
        self.touched: set[int] = set()
        self.locals_shared: set[int] = set()
        texts = " ".join(o.text for o in self.operands)
        self.prefix = "ptx"
        while re.search(rf"\b{self.prefix}_", texts.replace("sigtrans::ptx_", "")):
            self.prefix += "x"

    def translate(self) -> Translation:
        names = {o.name: n for n, o in enumerate(self.operands) if o.name}
        try:
            program = parse_ptx(self.statement.template, names)
        except PtxError as fault:
            raise unreadable(str(fault)) from None
        if not program.instructions:
            raise unreadable("its text holds no instruction")
        self._check(program)
        self.program = program
        rows = [self._row(i) for i in program.instructions]
        self.direct = self._is_direct(program, rows[0]) if len(rows) == 1 else False
        for instruction, row in zip(program.instructions, rows, strict=True):
            self._write(instruction, row)
        lines = tuple(self.body) if self.direct else self._block(program)
        return Translation(
            lines,
            not self.direct,
            tuple(i.name for i in program.instructions),
            self.safety,
            tuple(dict.fromkeys(self.notes)),
            frozenset(
                self.helpers | ({"ptx"} if any("sigtrans::ptx_" in x for x in lines) else set())
            ),
            self.dropped,
            frozenset(self.used),
        )

    def _check(self, program: Program) -> None:
        for operand in self.operands:
            letter = operand.letter
            if letter not in ("r", "h", "l", "f", "d", "n") and not letter.isdigit():
                raise unreadable(f'the constraint "{operand.constraint}" is unknown')
        for n in self._arguments(program.instructions):
            if n >= len(self.operands):
                raise unreadable(f"there is no operand %{n}")

    def _arguments(self, instructions: tuple[Instruction, ...]) -> list[int]:
        return [
            value.index
            for instruction in instructions
            for operand in instruction.operands
            for value in _scalars(operand)
            if isinstance(value, Arg)
        ]

    def _row(self, instruction: Instruction) -> Row:
        name = canonical(instruction.name)
        candidates = rows().get(instruction.opcode, ())
        matched = [row for row in candidates if row.matches(name)]
        for row in matched:
            if self._fits(instruction, row):
                return row
        shown = instruction.name.rstrip("#")
        how = " with these operands" if matched else ""
        message = f"PTX instruction '{shown}' has no translation{how}"
        raise Stop("SIG503", message, find_advice(shown))

    def _fits(self, instruction: Instruction, row: Row) -> bool:
        if len(instruction.operands) != len(row.slots):
            return False
        for value, slot in zip(instruction.operands, row.slots, strict=True):
            if isinstance(value, Vector):
                # `{%0}` is a vector of one: the element itself
                if len(value.items) != (slot.count or 1):
                    return False
            elif slot.count > 1:
                return False
            if (slot.kind in ("address", "shared")) != isinstance(value, Address):
                return False
            if slot.kind.startswith("#") and self._constant(value) != number(slot.kind[1:]):
                return False
            if slot.kind == "imm" and not self._is_constant(value):
                return False
        return True

    def _is_constant(self, value: Value) -> bool:
        return isinstance(value, Imm) or (
            isinstance(value, Arg) and self.operands[value.index].letter == "n"
        )

    def _constant(self, value: Value) -> int | None:
        try:
            if isinstance(value, Imm):
                return number(value.text)
            if isinstance(value, Arg) and self.operands[value.index].letter == "n":
                return int(self.operands[value.index].text.rstrip("uUlL"), 0)
        except (ValueError, PtxError):
            return None
        return None

    # --- direct: one expression -------------------------------------------------------------------

    def _is_direct(self, program: Program, row: Row) -> bool:
        """Can the statement be one expression, each operand evaluated as often as before?"""
        (instruction,) = program.instructions
        text = row.value + row.code
        if instruction.guard is not None or program.registers or "{cc}" in text:
            return False
        if (row.code and row.outputs) or any(o.letter.isdigit() for o in self.operands):
            return False
        counts = [0] * len(self.operands)  # how often the expression would evaluate each
        for value, slot in zip(instruction.operands, row.slots, strict=True):
            for item, name in zip(_scalars(value), slot.names, strict=True):
                if isinstance(item, Arg):
                    written = slot.name in row.outputs
                    counts[item.index] += 1 if written else text.count("{" + name + "}")
        if 0 in counts[: len(self.statement.outputs)]:
            return False
        return all(
            count == 1 or _is_pure(operand.text)
            for count, operand in zip(counts, self.operands, strict=True)
        )

    # --- operands ---------------------------------------------------------------------------------

    def _cell(self, value: Arg | Reg | Imm | Special) -> _Cell:
        if isinstance(value, Reg):
            return _Cell(f"{self.prefix}_{value.name}", self.program.registers[value.name],
                         value.name in self.shared_regs)  # fmt: skip
        if isinstance(value, Special):
            return self._special(value)
        if isinstance(value, Imm):
            return _Cell(value.text, "imm")
        self.touched.add(value.index)
        operand = self._tied(value.index)
        letter = operand.letter
        if letter == "n":
            return _Cell(operand.text, "imm")
        kind = _CLASSES[letter]
        if self.direct:
            return _Cell(operand.text, kind)
        return _Cell(f"{self.prefix}_{value.index}", kind)

    def _tied(self, index: int) -> Operand:
        operand = self.operands[index]
        if operand.letter.isdigit():
            other = int(operand.letter)
            if other >= len(self.statement.outputs):
                raise unreadable(f'the constraint "{operand.constraint}" is unknown')
            return Operand(operand.name, self.operands[other].letter, operand.text)
        return operand

    def _special(self, value: Special) -> _Cell:
        name = "%" + value.name
        for row in rows().get(name.partition(".")[0], ()):
            if row.matches(name):
                self._use(row)
                return _Cell(row.value, row.slots[0].kind)
        raise Stop(
            "SIG503",
            f"PTX register '{name}' has no translation",
            find_advice(name),
        )

    def _read(self, value: Value, slot: Slot) -> str:
        """C++ text of an operand that is read."""
        if isinstance(value, Vector):
            (value,) = value.items
        if isinstance(value, Address):
            return self._address(value, slot)
        if slot.kind == "imm":
            return self._immediate(value, "u32")
        if slot.kind.startswith("#"):
            return str(number(slot.kind[1:]))
        if isinstance(value, Imm):
            return self._immediate(value, slot.kind)
        cell = self._cell(value)
        if isinstance(value, Reg) and value.negated:
            if slot.kind != "pred" or cell.kind != "pred":
                raise unreadable("'!' stands before what is no predicate")
            return f"!{cell.text}"
        return self._convert(cell, slot.kind)

    def _number(self, item: Value, slot: Slot, name: str, row: Row) -> str:
        """C++ text of an operand; what may be a pointer where a number is read becomes one."""
        text = self._read(item, slot)
        if not self.direct or not isinstance(item, Arg) or slot.kind not in ("b64", "u64", "s64"):
            return text
        uses = (row.value or row.code).split("{" + name + "}")[:-1]
        if self._tied(item.index).letter != "l" or all(u.endswith("long long)(") for u in uses):
            return text
        return text if self.is_number(text) else f"(unsigned long long)({text})"

    def _convert(self, cell: _Cell, kind: str) -> str:
        have = cell.kind
        if have == "imm":
            if not re.fullmatch(r"[\w:.]+", cell.text):
                return f"({cell.text})"
            return cell.text
        if (have == "pred") != (kind == "pred"):
            raise unreadable("a predicate stands where a number should, or the other way round")
        if have == "pred":
            return cell.text
        if have[0] == "f" and kind[0] == "f":
            if have != kind:
                raise unreadable("a register is not as wide as the instruction says")
            return cell.text
        if _width(kind) > _width(have) or (have[0] == "f" and _width(kind) != _width(have)):
            raise unreadable("a register is not as wide as the instruction says")
        if have[0] == "f":
            return f"sigtrans::ptx_bits({cell.text})"
        if kind[0] == "f":
            if _width(kind) != _width(have):
                raise unreadable("a register is not as wide as the instruction says")
            name = "ptx_float" if kind == "f32" else "ptx_double"
            return f"sigtrans::{name}({cell.text})"
        return cell.text

    def _immediate(self, value: Value, kind: str) -> str:
        if isinstance(value, Arg):
            text = self._cell(value).text
            return text if re.fullmatch(r"[\w:.]+", text) else f"({text})"
        assert isinstance(value, Imm)
        text = value.text
        if text[:2] in ("0f", "0F"):
            return f"sigtrans::ptx_float(0x{text[2:]}u)"
        if text[:2] in ("0d", "0D"):
            return f"sigtrans::ptx_double(0x{text[2:]}ull)"
        if kind[0] == "f":
            if "." in text or "e" in text.lower():
                return text + ("f" if kind == "f32" else "")
            raise unreadable(f"'{text}' is no floating-point constant")
        try:
            amount = number(text)
        except PtxError as fault:
            raise unreadable(str(fault)) from None
        if kind == "pred":
            return "true" if amount else "false"
        bits = 64 if kind.endswith("64") else 32
        shown = text.rstrip("U") if text[:2] in ("0x", "0X") else str(amount)
        if amount >= 1 << (bits - 1) or (bits == 64 and amount >= 1 << 31):
            return shown + ("ull" if bits == 64 else "u")
        return shown

    def _address(self, value: Address, slot: Slot) -> str:
        base = value.base
        if isinstance(base, (Imm, Special)):
            raise unreadable("an address is a constant")
        text = self._shared(base) if slot.kind == "shared" else self._pointer(base)
        if value.offset:
            sign = "+" if value.offset > 0 else "-"
            make = "ptx_shared" if slot.kind == "shared" else "ptx_address"
            return f"sigtrans::{make}({text}) {sign} {abs(value.offset)}"
        return text

    def _pointer(self, base: Arg | Reg) -> str:
        cell = self._cell(base)
        if cell.kind != "b64":
            raise untraced(cell.text)
        return cell.text

    def _shared(self, base: Arg | Reg) -> str:
        if isinstance(base, Reg):
            if base.name not in self.shared_regs:
                raise untraced(base.name)
            return self._cell(base).text
        operand = self.operands[base.index]
        self.touched.add(base.index)
        pointer = shared_pointer(operand.text)
        name = base_name(operand.text)
        if not pointer and name in self.pointers:
            self.used.add(name)
            pointer = operand.text
        if not pointer:
            raise untraced(operand.text)
        self.locals_shared.add(base.index)
        return pointer if self.direct else f"{self.prefix}_{base.index}"

    # --- instructions -----------------------------------------------------------------------------

    def _use(self, row: Row) -> None:
        self.safety = min(self.safety, row.safety)
        if row.safety is Safety.REVIEW:
            self.notes.append(row.note)
        if row.helper != "ptx":
            self.helpers.add(row.helper)
        self.dropped = self.dropped and row.dropped

    def _write(self, instruction: Instruction, row: Row) -> None:
        self._use(row)
        values: dict[str, str] = {"v": "_volatile" if self._keeps_order() else "",
                                  "cc": f"{self.prefix}_0c"}  # fmt: skip
        after: list[str] = []
        target: tuple[_Cell, str] | None = None
        before: list[str] = []
        sources = {
            item
            for value, slot in zip(instruction.operands, row.slots, strict=True)
            for item in _scalars(value)
            if slot.name not in row.outputs
        }
        for value, slot in zip(instruction.operands, row.slots, strict=True):
            items = value.items if isinstance(value, Vector) else (value,)
            for item, name in zip(items, slot.names, strict=True):
                if slot.name not in row.outputs:
                    values[name] = self._number(item, slot, name, row)
                    continue
                if not isinstance(item, (Arg, Reg)):
                    raise unreadable("a result goes to what is no register")
                self._check_output(item)
                cell = self._cell(item)
                if row.value:
                    target = (cell, slot.kind)
                elif C_TYPES[cell.kind] == C_TYPES[slot.kind] and item not in sources:
                    values[name] = cell.text
                else:
                    self.temporaries += 1
                    temporary = f"{self.prefix}_{self.temporaries}t"  # no register has such a name
                    before.append(f"{C_TYPES[slot.kind]} {temporary};")
                    values[name] = temporary
                    after.append(f"{cell.text} = {self._result(temporary, slot.kind, cell)};")
        text = re.sub(r"\{(\w+)\}", lambda m: values[m.group(1)], row.value or row.code)
        if "{cc}" in row.value + row.code:
            self._carry(row)
        text = _BARE.sub(r"(\1)\2", text)
        if target is not None:
            text = self._result(text, target[1], target[0])
            if self.direct and target[0].kind == "b64":
                text = self._word(target[0].text, text)
            text = f"{target[0].text} = {text}"
        if row.id == "ptx/cvta-to-shared":
            out = instruction.operands[0]
            if not isinstance(out, Reg):
                raise untraced("cvta.to.shared")
            self.shared_regs.add(out.name)
        elif instruction.operands and isinstance(instruction.operands[0], Reg):
            self.shared_regs.discard(instruction.operands[0].name)
        if self.direct:
            self.body.append(text)
            return
        if row.dropped and not row.outputs:
            return
        statements = [*before, text + ";", *after]
        if instruction.guard is not None:
            cell = self._cell(instruction.guard)
            mark = "!" if instruction.guard.negated else ""
            if cell.kind != "pred":
                raise unreadable("a guard is no predicate")
            joined = " ".join(statements)
            self.body.append(f"if ({mark}{cell.text}) {{ {joined} }}")
        elif len(statements) > 1:
            self.body.append("{ " + " ".join(statements) + " }")
        else:
            self.body += statements

    def _keeps_order(self) -> bool:
        return self.statement.is_volatile or "memory" in self.statement.clobbers

    def _check_output(self, item: Arg | Reg) -> None:
        if isinstance(item, Arg) and item.index >= len(self.statement.outputs):
            raise unreadable(f"it writes to its input %{item.index}")

    def _carry(self, row: Row) -> None:
        writes = ".cc" in row.instruction
        reads = row.opcode in ("addc", "subc", "madc")
        if reads and not self.carry:
            raise unreadable("it takes the carry of another asm statement")
        self.carry = self.carry or writes

    def _result(self, text: str, kind: str, cell: _Cell) -> str:
        """`text`, a value of `kind`, as what `cell` holds."""
        have = cell.kind
        if have == "imm" or (have == "pred") != (kind == "pred"):
            raise unreadable("a result goes to a register of another kind")
        if kind == "pred":
            return text
        if have[0] != "f" and kind[0] != "f":
            if _width(kind) > _width(have):
                raise unreadable("a register is not as wide as the instruction says")
            return text
        if _width(kind) != _width(have):
            raise unreadable("a register is not as wide as the instruction says")
        if have[0] == kind[0]:
            return text
        if have[0] == "f":
            return f"sigtrans::{'ptx_float' if have == 'f32' else 'ptx_double'}({text})"
        return f"sigtrans::ptx_bits({text})"

    # --- a block ----------------------------------------------------------------------------------

    def _block(self, program: Program) -> tuple[str, ...]:
        lines: list[str] = []
        targets = [operand.text for operand in self.statement.outputs]
        outputs = len(targets)
        guarded = self._guarded(program)
        for n, operand in enumerate(self.operands):
            letter = self._tied(n).letter
            name = f"{self.prefix}_{n}"
            if n < outputs:
                kind = C_TYPES[_CLASSES[letter]]
                starts = operand.constraint.startswith("+") or n in guarded
                if starts and not _is_pure(operand.text):  # read and written, evaluated once
                    targets[n] = f"{name}r"  # no register has such a name
                    lines.append(f"auto &{name}r = {operand.text};")
                first = f" = ({kind})({targets[n]})" if starts else ""
                lines.append(f"{kind} {name}{first};")
            elif n not in self.touched:
                if not _is_pure(operand.text):
                    lines.append(f"(void)({operand.text});")
            elif n in self.locals_shared:
                pointer = shared_pointer(operand.text) or operand.text
                lines.append(f"unsigned char *const {name} = sigtrans::ptx_shared({pointer});")
            elif letter != "n":
                kind = C_TYPES[_CLASSES[letter]]
                lines.append(f"const {kind} {name} = ({kind})({operand.text});")
        for register, kind in program.registers.items():
            lines.append(f"{C_TYPES[kind]} {self.prefix}_{register} = 0;")
        if self.carry:
            lines.append(f"unsigned {self.prefix}_0c = 0;")
        lines += self.body
        for n, target in enumerate(targets):
            value = f"{self.prefix}_{n}"
            if self._tied(n).letter == "l":
                value = self._word(self.operands[n].text, value)
            lines.append(f"{target} = {value};")
        return tuple(lines)

    def _word(self, target: str, value: str) -> str:
        """A 64-bit result as what its variable is, which may be a pointer."""
        return value if self.is_number(target) else f"sigtrans::ptx_word({value})"

    def _guarded(self, program: Program) -> set[int]:
        """Outputs that may stay unwritten: they keep the value their variable had."""
        settled: set[int] = set()
        for instruction in program.instructions:
            if instruction.guard is None:
                row = self._row(instruction)
                for value, slot in zip(instruction.operands, row.slots, strict=True):
                    if slot.name in row.outputs:
                        settled |= {v.index for v in _scalars(value) if isinstance(v, Arg)}
        return set(range(len(self.statement.outputs))) - settled


def _scalars(value: Value) -> tuple[Arg | Reg | Imm | Special, ...]:
    if isinstance(value, Vector):
        return value.items
    if isinstance(value, Address):
        return (value.base,)
    return (value,)
