"""The table of PTX instructions with a translation: rules/ptx/*.yaml, checked and expanded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sigtrans.catalogue import data_file
from sigtrans.source import Safety, SigtransError

C_TYPES = {
    "pred": "bool", "b8": "unsigned char", "u8": "unsigned char", "s8": "signed char",
    "b16": "unsigned short", "u16": "unsigned short", "s16": "short",
    "b32": "unsigned", "u32": "unsigned", "s32": "int",
    "b64": "unsigned long long", "u64": "unsigned long long", "s64": "long long",
    "f32": "float", "f64": "double",
}  # fmt: skip
KINDS = frozenset((*C_TYPES, "imm", "address", "shared"))


class PtxTableError(SigtransError):
    """A row is wrong; the message names file, row and field."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One operand of an instruction, as a row expects it."""

    name: str
    kind: str  # b32, address, imm, … or #31: exactly this constant
    count: int = 0  # elements of a vector; 0: no vector

    @property
    def names(self) -> tuple[str, ...]:
        if self.count:
            return tuple(f"{self.name}{n}" for n in range(self.count))
        return (self.name,)


@dataclass(frozen=True, slots=True)
class Example:
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Row:
    """One instruction (its type settled) and what to write for it."""

    id: str
    instruction: str  # a pattern of names, see `matches`
    slots: tuple[Slot, ...]
    outputs: frozenset[str]
    value: str  # expression for the one output, or ""
    code: str  # statement without its ;, or ""
    helper: str
    safety: Safety
    note: str
    dropped: bool  # nothing is left of it: a hint
    examples: tuple[Example, ...]
    type: str = ""

    @property
    def opcode(self) -> str:
        match = re.match(r"%?\w+", self.instruction)
        return match.group() if match else ""

    def matches(self, name: str) -> bool:
        """Is `name`, in canonical form, an instruction of this row?"""
        return _pattern(self.instruction).fullmatch(name) is not None


_REQUIRED = ("id", "instruction", "operands", "semantics", "evidence", "examples")
_OPTIONAL = (
    "types", "outputs", "value", "code", "helper", "safety", "note", "dropped",
)  # fmt: skip
_SLOT = re.compile(r"(\w+)=(#-?\w+|[a-zA-Z]\w*?)(?:x(\d+))?$")
_HINT = r"(?:\.L1::evict_\w+|\.L1::no_allocate|\.L2::evict_\w+|\.L2::(?:64|128|256)B)*"


@cache
def rows() -> dict[str, tuple[Row, ...]]:
    """Opcode -> its rows; special registers stand under their name with the %."""
    return index(load(*sorted(data_file("rules", "ptx").glob("*.yaml"))))


def index(found: list[Row]) -> dict[str, tuple[Row, ...]]:
    by_opcode: dict[str, list[Row]] = {}
    for row in found:
        by_opcode.setdefault(row.opcode, []).append(row)
    return {opcode: tuple(each) for opcode, each in by_opcode.items()}


def load(*paths: Path) -> list[Row]:
    """The rows of some files; what is wrong in one is named with its place."""
    import yaml

    found: list[Row] = []
    ids: set[str] = set()
    for path in paths:
        try:
            raw = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except yaml.YAMLError as fault:
            raise PtxTableError(f"{path.name}: {fault}") from fault
        if not isinstance(raw, list):
            raise PtxTableError(f"{path.name}: must be a list of rows")
        for number, fields in enumerate(raw, 1):
            where = f"{path.name}: row {number}"
            for row in _expand(where, fields):
                if row.id in ids and not row.type:
                    raise PtxTableError(f"{where} ({row.id}): the id is there twice")
                found.append(row)
            ids.add(found[-1].id)
    return found


def _expand(where: str, fields: object) -> Iterator[Row]:
    if not isinstance(fields, dict):
        raise PtxTableError(f"{where}: must be a mapping")
    where = f"{where} ({fields.get('id', 'no id')})"
    if unknown := sorted(map(str, set(fields) - set(_REQUIRED) - set(_OPTIONAL))):
        raise PtxTableError(f"{where}: unknown field '{unknown[0]}'")
    for name in _REQUIRED:
        if name != "operands" and not str(fields.get(name) or "").strip():
            raise PtxTableError(f"{where}: needs '{name}'")
    if not re.fullmatch(r"ptx/[a-z0-9-]+", str(fields["id"])):
        raise PtxTableError(f"{where}: id: is not of the form ptx/topic")
    if bool(fields.get("value")) == bool(fields.get("code")):
        raise PtxTableError(f"{where}: needs 'value' or 'code', not both")
    safety = str(fields.get("safety", "exact"))
    if safety not in ("exact", "review"):
        raise PtxTableError(f"{where}: safety must be exact or review")
    if safety == "review" and not fields.get("note"):
        raise PtxTableError(f"{where}: a review needs a 'note' that says why")
    for each in fields.get("types") or [""]:
        yield _row(where, {k: v for k, v in fields.items()}, str(each), Safety[safety.upper()])


def _row(where: str, fields: dict[str, object], each: str, safety: Safety) -> Row:
    def settle(text: object) -> str:
        return re.sub(r"\bT(?=x\d|\b)", each, str(text or "")) if each else str(text or "")

    slots = tuple(_slot(where, item) for item in settle(fields["operands"]).split())
    outputs = str(fields.get("outputs") or (slots[0].name if slots else "-"))
    written = frozenset(() if outputs == "-" else outputs.split())
    if unknown := written - {slot.name for slot in slots}:
        raise PtxTableError(f"{where}: outputs: '{min(unknown)}' is no operand")
    if fields.get("value") and (
        len(written) != 1 or any(s.count for s in slots if s.name in written)
    ):
        raise PtxTableError(f"{where}: value: needs exactly one scalar output")
    c_type = C_TYPES.get(each, "")
    value, code = (str(fields.get(name) or "").replace("{T}", c_type) for name in ("value", "code"))
    known = {name for slot in slots for name in slot.names} | {"v", "cc"}
    for name in re.findall(r"\{(\w+)\}", value + code):
        if name not in known:
            raise PtxTableError(f"{where}: '{{{name}}}' is no operand")
    raw = fields["examples"]
    if not isinstance(raw, list) or not all(
        isinstance(e, dict) and set(e) == {"before", "after"} for e in raw
    ):
        raise PtxTableError(f"{where}: every example has 'before' and 'after'")
    return Row(
        str(fields["id"]),
        settle(fields["instruction"]),
        slots,
        written,
        value,
        code,
        str(fields.get("helper", "ptx")),
        safety,
        str(fields.get("note") or ""),
        bool(fields.get("dropped", False)),
        tuple(Example(str(e["before"]), str(e["after"])) for e in raw),
        each,
    )


def _slot(where: str, item: str) -> Slot:
    match = _SLOT.match(item)
    if match is None or not (match.group(2)[0] == "#" or match.group(2) in KINDS):
        raise PtxTableError(f"{where}: operands: '{item}' is not of the form name=kind")
    return Slot(match.group(1), match.group(2), int(match.group(3) or 0))


@cache  # few rows are ever asked
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace(".", r"\.").replace("HINT", _HINT))


@cache
def advice() -> tuple[tuple[str, str], ...]:
    """How names without a row begin, longest first, and what to do instead."""
    text = data_file("rules", "ptx/none.tsv").read_text("utf-8")
    lines = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return tuple(sorted(((c[0], c[1]) for c in lines), key=lambda c: (-len(c[0]), c[0])))


def find_advice(name: str) -> str:
    """What to write instead of the instruction or register `name`."""
    known = (what for prefix, what in advice() if name.startswith(prefix))
    return next(known, "write it in C++ or with intrinsics")


# --- names ----------------------------------------------------------------------------------------

# The order in which the patterns of memory instructions write modifiers; PTX itself is lax.
_ORDER = (
    r"weak|relaxed|acquire|release|acq_rel|volatile|mmio|sc", r"cta|cluster|gpu|sys",
    r"global|shared(?:::\w+)?|local|const|param(?:::\w+)?", r"nc", r"ca|cg|cs|lu|cv|wb|wt",
    r"L1::\w+", r"L2::\w+", r"add|min|max|and|or|xor|exch|cas|inc|dec", r"noftz",
    r"v[248]", r"[busf]\d+(?:x2)?|bf16(?:x2)?",
)  # fmt: skip
_RANKS = tuple(re.compile(f"(?:{words})$") for words in _ORDER)
_MEMORY = frozenset(("ld", "st", "red", "atom"))


def canonical(name: str) -> str:
    """`name` with the modifiers of memory instructions in the order of the table."""
    opcode, *modifiers = name.split(".")
    if opcode not in _MEMORY:
        return name
    return ".".join((opcode, *sorted(modifiers, key=_rank)))


def _rank(modifier: str) -> int:
    return next((n for n, words in enumerate(_RANKS) if words.match(modifier)), len(_RANKS))
