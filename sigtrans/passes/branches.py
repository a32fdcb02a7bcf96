"""What stands in the branches of a file: directives, and the features and names that code uses.

rules/guards.yaml has the features, and what is known of them on MUSA.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from sigtrans.catalogue import data_file
from sigtrans.passes import Code
from sigtrans.passes.code import DIRECTIVE
from sigtrans.syntax import LINE_SPLICE, Word


@dataclass(frozen=True, slots=True)
class Feature:
    """Something that code asks for by a number, and the cards of MUSA that have it."""

    name: str
    since: tuple[int, ...]  # compute capabilities that code compares with to get it
    cards: tuple[int, ...]  # those that have it, where that is no matter of a first one
    musa: int  # lowest __MUSA_ARCH__, 0 where no card has it
    emulated: bool  # by other code of the port, here or on the cards below `musa`
    by_hand: bool  # code for older cards is no replacement
    assembly: bool  # inline assembly of any kind
    written: bool  # by inline assembly that the port writes in C++
    code: re.Pattern[bytes] | None
    text: re.Pattern[bytes] | None  # inside string literals
    stand_in: re.Pattern[bytes] | None  # what replaces it on older cards


@dataclass(frozen=True, slots=True)
class Rules:
    """rules/guards.yaml."""

    features: tuple[Feature, ...]
    written: tuple[Feature, ...]  # the same, where the port writes the assembly that asks for them
    architectures: tuple[int, ...]
    musa: tuple[int, ...]
    floor: int  # thresholds up to here are true in every toolkit's builds
    releases: tuple[int, ...]
    certain: int
    reached: int
    everyday: frozenset[bytes]
    reshaped: frozenset[bytes]
    refusal: re.Pattern[bytes]  # a branch that gives up
    nothing: re.Pattern[bytes]  # a branch that only leaves


@cache
def load_rules() -> Rules:
    """The table, read when the first guard needs it."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    raw = yaml.load(data_file("rules", "guards.yaml").read_bytes(), Loader=loader)
    architectures = tuple(raw["architectures"])
    lowest = min(raw["musa"])
    features = tuple(map(_read_feature, raw["features"]))
    return Rules(
        features=features,
        written=tuple(
            replace(
                feature,
                since=architectures if feature.assembly else feature.since,
                musa=lowest,
                emulated=each.get("written") == "emulated",
                written=True,
            )
            for feature, each in zip(features, raw["features"], strict=True)
        ),
        architectures=architectures,
        musa=tuple(raw["musa"]),
        floor=raw["compiled_by_every_toolkit"],
        releases=tuple(raw["releases"]),
        certain=raw["level"]["certain"],
        reached=raw["level"]["reached"],
        everyday=frozenset(raw["everyday"].encode().split()),
        reshaped=frozenset(raw["reshaped"].encode().split()),
        refusal=re.compile("|".join(raw["refusal"][:-1]).encode()),
        nothing=re.compile(raw["refusal"][-1].encode()),
    )


def _read_feature(raw: Mapping[str, Any]) -> Feature:
    def pattern(key: str) -> re.Pattern[bytes] | None:
        return re.compile(raw[key].encode()) if key in raw else None

    musa = {"never": 0, "by hand": 0, "emulated": 210}.get(raw["musa"], raw["musa"])
    code, stand_in = pattern("code"), pattern("stand_in")
    text = re.compile(_FIRST.sub(_INSTRUCTION, raw["text"]).encode()) if "text" in raw else None
    emulated = "emulated" in (raw["musa"], raw.get("below"))
    by_hand = raw["musa"] == "by hand"
    assembly = raw["from"] == "any"
    cards = tuple(raw.get("cards", ()))
    return Feature(
        raw["name"],
        () if assembly else tuple(raw["from"]),
        cards,
        musa,
        emulated,
        by_hand,
        assembly,
        False,
        code,
        text,
        stand_in,
    )


# An instruction begins after an escape of its literal, too (`"\\tmembar.gl;"`), and `fence.` inside
# `wgmma.fence.` does not begin one.
_FIRST = re.compile(r"\\b(?=[a-z]|\(\?:)")
_INSTRUCTION = r"(?:(?<![\\w.\\\\])|(?<=\\\\[nrt]))"


# --- branches -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Directive:
    """One #if, #elif, #else or #endif."""

    index: int
    kind: bytes
    start: int  # of the line
    word: tuple[int, int]  # the keyword
    end: int  # of the line
    chain: list[Directive] = field(repr=False)
    place: int  # in the chain
    guards: list[Word] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Range:
    """Code, and the branch that owns it."""

    start: int
    end: int
    owner: int


@dataclass(frozen=True, slots=True)
class Sides:
    """What is compiled when a condition holds, and when it does not."""

    true: tuple[Range, ...]
    false: tuple[Range, ...]
    whole_true: bool = False  # this side does the work of the other
    whole_false: bool = False

    def turned(self) -> Sides:
        return Sides(self.false, self.true, self.whole_false, self.whole_true)


def find_directives(code: Code) -> list[Directive]:
    """The conditional directives in order, each with its chain."""
    found: list[Directive] = []
    stack: list[list[Directive]] = []
    for match in DIRECTIVE.finditer(code.data):
        if code.lexed.blank_at(match.start(1)) is not None:
            continue
        kind = match.group(1)
        if kind in (b"if", b"ifdef", b"ifndef") or not stack:
            stack.append([])
        chain = stack[-1]
        place = match.start(), match.span(1), match.end()
        chain.append(Directive(len(found), kind, *place, chain, len(chain)))
        found.append(chain[-1])
        if kind == b"endif":
            stack.pop()
    return found


class Evidence:
    """Features, names and refusals of a file, sorted by the branch that holds them.

    A branch of a chain that compares numbers owns what stands in it: the code under an inner test
    says nothing about an outer one. So every question costs two searches in a short list.
    """

    def __init__(
        self, code: Code, directives: Sequence[Directive], numeric: Container[int]
    ) -> None:
        self.code = code
        self._starts: list[int] = [0]
        self._owners: list[int] = [-1]
        self._own(directives, numeric)
        self._features: dict[int, dict[int, list[int]]] = {}  # owner -> feature -> places
        self._written: dict[int, dict[int, list[int]]] = {}  # in asm that the port writes in C++
        self._wrappers: dict[bytes, bool] | None = None  # functions with asm: all of it written?
        self._stand_ins: dict[int, dict[int, list[int]]] = {}
        self._names: dict[int, list[tuple[int, bytes]]] = {}
        self._absent: dict[int, list[tuple[int, bytes]]] = {}
        self._refusals: dict[int, list[int]] = {}
        self._looked: list[tuple[int, int]] = []  # where features were looked for; sorted, apart
        self._collect_names()

    def _own(self, directives: Sequence[Directive], numbers: Container[int]) -> None:
        stack: list[int] = [-1]
        chains = {id(d.chain) for d in directives if d.index in numbers}
        for each in directives:
            numeric = id(each.chain) in chains
            if each.kind in (b"if", b"ifdef", b"ifndef"):
                stack.append(each.index if numeric else stack[-1])
            elif each.kind == b"endif":
                if len(stack) > 1:
                    stack.pop()
            elif numeric and len(stack) > 1:
                stack[-1] = each.index
            self._starts.append(each.end)
            self._owners.append(stack[-1])

    def owner_at(self, at: int) -> int:
        """The innermost branch of a numeric chain around `at`, -1 for none."""
        return self._owners[bisect_right(self._starts, at) - 1]

    def _look(self, ranges: Iterable[Range]) -> None:
        """Look for features in these ranges, in no byte twice."""
        for each in ranges:
            at = each.start
            n = bisect_left(self._looked, (at, 0))
            if n and self._looked[n - 1][1] > at:
                n -= 1
            first = n
            start, end = each.start, each.end
            while n < len(self._looked) and self._looked[n][0] < each.end:
                start, end = min(start, self._looked[n][0]), max(end, self._looked[n][1])
                self._collect(at, self._looked[n][0])
                at = max(at, self._looked[n][1])
                n += 1
            self._collect(at, each.end)
            self._looked[first:n] = [(start, end)]

    def _collect(self, start: int, end: int) -> None:
        if start >= end:
            return
        code, rules = self.code, load_rules()
        data = code.data
        literals = code.lexed.literals(start, end)
        for n, feature in enumerate(rules.features):
            for match in feature.code.finditer(data, start, end) if feature.code else ():
                at = match.start()
                if code.is_open(at):
                    written = (
                        code.in_assembly(at)
                        if feature.assembly
                        else feature.text and self._wraps(at)
                    )
                    self._add(self._written if written else self._features, n, at)
            if feature.text:
                for literal in literals:
                    for match in feature.text.finditer(data, *literal):
                        written = code.in_assembly(match.start())
                        self._add(self._written if written else self._features, n, match.start())
            for match in feature.stand_in.finditer(data, start, end) if feature.stand_in else ():
                if code.is_open(match.start()):
                    self._add(self._stand_ins, n, match.start())
        for match in rules.refusal.finditer(data, start, end):
            blank = code.lexed.blank_at(match.start())
            if blank is None or not code.lexed.is_comment(blank):
                insort(self._refusals.setdefault(self.owner_at(match.start()), []), match.start())

    def _wraps(self, at: int) -> bool:
        """Is the name at `at` a function of this file whose assembly the port writes, all of it?"""
        code = self.code
        if not code.assembly:
            return False
        if self._wrappers is None:
            self._wrappers = {}
            for function in code.functions:
                said = [m.start() for m in _ASM.finditer(code.data, *function.body)]
                all_written = [code.in_assembly(s) for s in said if code.is_open(s)]
                if all_written:
                    known = self._wrappers.get(function.name, True)
                    self._wrappers[function.name] = known and all(all_written)
        name = code.lexed.name_ending_at(at - 1) + code.lexed.name_starting_at(at)
        return self._wrappers.get(name, False)

    def _collect_names(self) -> None:
        code = self.code
        table = code.table
        for start, _, name in code.lexed.words:
            if name in table.targets or name in table.same:
                self._name(self._names, start, name)
            elif name in table.absent:
                self._name(self._absent, start, name)
        for include in code.facts.includes:
            header = table.find_header(include.path)
            if header is None:
                self._name(self._absent, include.start, include.path)
            elif header:
                self._name(self._names, include.start, include.path)
        for each in (self._names, self._absent):
            for entries in each.values():
                entries.sort()

    def _add(self, where: dict[int, dict[int, list[int]]], n: int, at: int) -> None:
        insort(where.setdefault(self.owner_at(at), {}).setdefault(n, []), at)

    def _name(self, where: dict[int, list[tuple[int, bytes]]], at: int, name: bytes) -> None:
        if not self.code.protected.why(at):
            where.setdefault(self.owner_at(at), []).append((at, name))

    def features(self, ranges: Iterable[Range]) -> list[Feature]:
        """What the code in these ranges uses."""
        wanted = tuple(ranges)
        rules = load_rules()
        return self._matching(self._features, wanted) + self._matching(
            self._written, wanted, rules.written
        )

    def stand_ins(self, ranges: Iterable[Range], also_uses: bool) -> list[Feature]:
        """What the code in these ranges replaces, or (`also_uses`) defines for older cards."""
        wanted = tuple(ranges)
        found = self._matching(self._stand_ins, wanted)
        return found + (self._matching(self._features, wanted) if also_uses else [])

    def _matching(
        self,
        where: Mapping[int, Mapping[int, list[int]]],
        ranges: Sequence[Range],
        features: Sequence[Feature] = (),
    ) -> list[Feature]:
        self._look(ranges)
        found = {
            n for r in ranges for n, places in where.get(r.owner, {}).items() if _holds(places, r)
        }
        features = features or load_rules().features
        return [features[n] for n in sorted(found)]

    def names(self, ranges: Iterable[Range]) -> set[bytes]:
        """CUDA names in these ranges that MUSA has."""
        return {n for r in ranges for n in _slice(self._names.get(r.owner, ()), r)}

    def absent(self, ranges: Iterable[Range]) -> list[str]:
        """CUDA names in these ranges that MUSA has not."""
        names = {n for r in ranges for n in _slice(self._absent.get(r.owner, ()), r)}
        return [n.decode("latin-1") for n in sorted(names)]

    def has_code(self, ranges: Iterable[Range]) -> bool:
        """Is there anything but comments in these ranges (as far as their first page goes)?"""
        code = self.code.lexed.code
        return any(_INK.search(code(r.start, min(r.end, r.start + _PAGE))) for r in ranges)

    def is_whole(self, branch: Range) -> bool:
        """Does a branch work by itself: code, no refusal, nothing that MUSA has not?"""
        short = branch.end - branch.start < _PAGE
        self._look((branch,))
        return (
            self.has_code((branch,))
            and not (
                short and load_rules().nothing.match(self.code.lexed.code(branch.start, branch.end))
            )
            and not _holds(self._refusals.get(branch.owner, ()), branch)
            and all(f.musa for f in self.features((branch,)))
            and not self.absent((branch,))
        )

    def only_defines(self, ranges: Sequence[Range]) -> bool:
        """Do these ranges only define macros? Not defining them is what older cards get."""
        if any(r.end - r.start > _PAGE for r in ranges) or not ranges:
            return False
        text = b"\n".join(self.code.lexed.code(r.start, r.end) for r in ranges)
        lines = SPLICE.sub(b" ", text).splitlines()
        return all(not line.strip() or DEFINE.match(line) for line in lines)


_PAGE = 4000
_ASM = re.compile(rb"\b(?:asm|__asm__|__asm)\b")
_INK = re.compile(rb"[^\s\\]")


def _holds(places: Sequence[int], within: Range) -> bool:
    n = bisect_left(places, within.start)
    return n < len(places) and places[n] < within.end


def _slice(entries: Sequence[tuple[int, bytes]], within: Range) -> list[bytes]:
    first = bisect_left(entries, (within.start, b""))
    return [name for _, name in entries[first : bisect_left(entries, (within.end, b""))]]


# --- statements -----------------------------------------------------------------------------------


def statements(code: Code, evidence: Evidence, at: int) -> Sides:
    """The statement that an `if` ending at `at` guards, and the one under its else."""
    owner = evidence.owner_at(at)
    end = _statement_end(code, at)
    true = Range(at, end, owner)
    after = code.lexed.after(end)
    if code.lexed.name_starting_at(after) != b"else":
        return Sides((true,), ())
    false = Range(after + 4, _statement_end(code, after + 4), owner)
    return Sides((true,), (false,), False, evidence.is_whole(false))


def _statement_end(code: Code, at: int) -> int:
    """Just after a block or a plain statement; where it begins when it is neither."""
    start = code.lexed.after(at)
    if code.data[start : start + 1] == b"{":
        inner = code.lexed.arguments(start)
        return inner[-1][1] + 1 if inner else start
    if code.lexed.name_starting_at(start) in (b"if", b"for", b"while", b"do", b"switch", b"try"):
        return start
    end = code.data.find(b";", start, start + _PAGE)
    while end >= 0 and code.lexed.blank_at(end) is not None:
        end = code.data.find(b";", end + 1, start + _PAGE)
    return end + 1 if end >= 0 else start


BRANCHES = 24  # of one chain, or uses of one macro, that are looked at
DEFINE = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*(?:#|%:)[ \t]*(define|undef)[ \t]+")
SPLICE = re.compile(LINE_SPLICE)
