"""Compute capabilities that a program looks at while it runs.

MUSA's cards report 2.1, 2.2 and 3.1. A comparison that comes out on them as on every NVIDIA card
of the last years stays; one whose statements tell what it is for asks for that; the rest is said.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sigtrans.passes import Code
from sigtrans.passes.branches import Evidence, load_rules, statements
from sigtrans.passes.conditions import parse, shape_of, truth
from sigtrans.source import Diagnostic, Edit, Safety, Severity, Span


@dataclass(frozen=True, slots=True)
class _Level:
    """The MUSA cards that a comparison asks for."""

    value: int
    rising: bool
    why: str


class Capabilities:
    """One file's findings while they are collected."""

    def __init__(self, code: Code, evidence: Callable[[], Evidence]) -> None:
        self.code = code
        self.data = code.data
        self.lexed = code.lexed
        self.evidence = evidence
        self.edits: list[Edit] = []
        self.said: list[Diagnostic] = []

    def _say(
        self, place: tuple[int, int], code: str, severity: Severity, message: str, help: str = ""
    ) -> None:
        rule = "guards/own-number" if code == "SIG409" else "guards/capability"
        self.said.append(Diagnostic(Span(*place), code, severity, message, help, rule))

    def run(self) -> None:
        """Code that looks at the compute capability while the program runs."""
        if b"DeviceProp" in self.data:
            self._properties()
        if self.code.is_cuda:
            self._own_numbers()

    def _properties(self) -> None:
        """`prop.major` and `prop.minor`: comparisons are looked into, other uses get a warning."""
        data = self.data
        last = -1
        for match in _CAPABILITY.finditer(data):
            line = data.rfind(b"\n", 0, match.start())
            if line == last or not self.code.is_open(match.start()):
                continue
            last = line
            compared = self._comparisons(line + 1, match.start())
            if not compared:
                if not self._is_shown(match.start()):
                    self._capability(match.span(2), match.group(2), "")
                continue
            self._compared(compared)

    def _comparisons(self, start: int, at: int) -> list[re.Match[bytes]]:
        """The comparisons of a line, if every use of the capability in it is one."""
        end = _LINE_END.search(self.data, at)
        stop = end.start() if end else len(self.data)
        found = [
            m
            for m in _COMPARED.finditer(self.data, start, stop)
            if self.code.is_open(m.start()) and not (m.group("close") and not m.group("open"))
        ]
        uses = [m.start(2) for m in _CAPABILITY.finditer(self.data, start, stop)]
        return found if all(any(m.start() <= u < m.end() for m in found) for u in uses) else []

    def _is_shown(self, at: int) -> bool:
        """Is the number only printed?"""
        start, _ = self.lexed.list_start(at - 1)
        if start > 0 and self.data[start] == 0x28:
            name = self.lexed.name_ending_at(self.lexed.before(start))
            if name.endswith((b"printf", b"print", b"format", b"cout", b"cerr")):
                return True
        line = self.data[self.data.rfind(b"\n", 0, at) + 1 : at]
        return b"<<" in line

    def _compared(self, matches: Sequence[re.Match[bytes]]) -> None:
        """Keep what comes out as on NVIDIA's cards, map a test whose code tells what it is for."""
        rules = load_rules()
        tests = [_read_comparison(m) for m in matches]
        nvidia = [v for v in rules.architectures if v >= rules.floor]
        cards = [int(t[3:]) * 10 for t in self.code.targets if t[3:].isdigit()] or [*rules.musa]
        if all(len({t.holds(v) for v in (*nvidia, *cards)}) == 1 for t in tests):
            return
        answers = [self._joint(matches, tests, v) for v in (*nvidia, *cards)]
        if answers[0] is not None and len(set(answers)) == 1:
            return
        place = _place(matches[0])[0], _place(matches[-1])[1]
        shown = self.data[slice(*place)]
        verdict = self._by_branch(place, tests[0]) if len(tests) == 1 else None
        if verdict is None:
            here = set(answers[len(nvidia) :])
            told = len(here) == 1 and None not in here
            answer = f"; it is {str(here.pop()).lower()} on every card of the port" if told else ""
            self._capability(place, shown, answer)
            return
        text = tests[0].written(verdict.value, verdict.rising)
        self.edits.append(Edit(Span(*place), text, "guards/feature", Safety.REVIEW))
        was = b" ".join(shown.split()).decode("latin-1")
        self._say(
            place,
            "SIG416",
            Severity.NOTE,
            f"'{was}': now {text.decode('latin-1')} ({verdict.why})",
        )

    def _joint(
        self, matches: Sequence[re.Match[bytes]], tests: Sequence[_Comparison], arch: int
    ) -> bool | None:
        """What all comparisons of a line come to on one card, None if more than they decide it."""
        out: list[bytes] = []
        at = _place(matches[0])[0]
        for match, test in zip(matches, tests, strict=True):
            start, end = _place(match)
            out += [self.data[at:start], b" 1 " if test.holds(arch) else b" 0 "]
            at = end
        text = b"".join(out)
        text += b")" * (text.count(b"(") - text.count(b")"))
        node = parse(text, 0, len(text))
        return None if node is None else truth(node, lambda _: None)

    def _by_branch(self, place: tuple[int, int], test: _Comparison) -> _Level | None:
        """What a comparison means by the statements under its `if`, None where they do not tell."""
        at, _ = self.lexed.list_start(place[0] - 1)
        if at <= 0 or self.lexed.name_ending_at(self.lexed.before(at)) != b"if":
            return None
        inside = self.lexed.arguments(at)
        if len(inside) != 1 or self.lexed.after(at + 1) != place[0]:
            return None
        end = inside[0][1]
        if self.lexed.after(place[1]) != self.lexed.after(end):
            return None  # one of several tests
        values = [test.holds(v) for v in load_rules().architectures]
        shape = shape_of(values)
        if shape == "other":
            return None
        sides = statements(self.code, self.evidence(), end + 1)
        new = sides if shape == "up" else sides.turned()
        found = self.evidence().features(new.true)
        threshold = load_rules().architectures[values.index(values[-1])]
        stands = [f.name for f in found if threshold in f.since]
        if not stands or not all(f.musa for f in found):
            return None
        level = max(f.musa for f in found)
        return _Level(level, shape == "up", ", ".join(stands))

    def _capability(self, place: tuple[int, int], what: bytes, answer: str) -> None:
        shown = b" ".join(what.split()).decode("latin-1")
        self._say(
            place,
            "SIG405",
            Severity.WARNING,
            f"'{shown}': cards report 2.1, 2.2 or 3.1, not NVIDIA's numbers{answer}",
            "ask for the feature, or compare with MUSA's numbers",
        )

    def _own_numbers(self) -> None:
        """`Arch >= 80`, `getSMVersion() == 75`: the project's own copies of NVIDIA's numbers."""
        seen: dict[bytes, list[tuple[int, int]]] = {}
        for pattern in (_NUMBER_LAST, _NUMBER_FIRST):
            for match in pattern.finditer(self.data):
                name = match.group("name")
                if not _ARCH_NAME.fullmatch(name) or name in self.code.table.guards:
                    continue
                if self.code.is_open(match.start("name")):
                    seen.setdefault(name, []).append(match.span())
        for name, places in sorted(seen.items(), key=lambda item: item[1]):
            first = min(places)
            text = b" ".join(self.data[slice(*first)].split()).decode("latin-1")
            more = f" ({len(places)} places in this file)" if len(places) > 1 else ""
            self._say(
                first,
                "SIG409",
                Severity.WARNING,
                f"'{text}' compares '{name.decode('latin-1')}' with one of NVIDIA's compute "
                f"capabilities{more}; left as it is",
                "see where the value comes from: MUSA's cards are 21, 22 and 31",
            )


@dataclass(frozen=True, slots=True)
class _Comparison:
    """`prop.major >= 8` or `prop.major * 10 + prop.minor >= 80`."""

    name: bytes  # the property structure with its dot or arrow
    part: bytes  # major, minor, or both
    sign: bytes
    value: int
    scale: int  # of `both`: 10 or 100

    def holds(self, arch: int) -> bool:
        major, minor = arch // 100, arch % 100 // 10
        both = major * self.scale + minor * (self.scale // 10)
        here = {b"major": major, b"minor": minor}.get(self.part, both)
        return bool(_COMPARE[self.sign](here, self.value))

    def written(self, level: int, rising: bool) -> bytes:
        major, minor = self.name + b"major", self.name + b"minor"
        text = major + b" * 10 + " + minor + b" >= %d" % (level // 10)
        return text if rising else b"!(" + text + b")"


def _place(match: re.Match[bytes]) -> tuple[int, int]:
    """The comparison without a bracket that belongs to what is around it."""
    if match.group("open") and not match.group("close"):
        return match.start("name"), match.end()
    return match.span()


def _read_comparison(match: re.Match[bytes]) -> _Comparison:
    name = match.group("name") or match.group("name2")
    part = match.group("part") or match.group("part2") or b"both"
    sign, value = match.group("sign"), match.group("value")
    if sign is None:
        sign, value = _TURNED[match.group("sign2")], match.group("value2")
    return _Comparison(name, part, sign, int(value), int(match.group("scale") or 10))


_COMPARE: dict[bytes, Callable[[int, int], bool]] = {
    b"==": operator.eq,
    b"!=": operator.ne,
    b"<": operator.lt,
    b">": operator.gt,
    b"<=": operator.le,
    b">=": operator.ge,
}
_TURNED = {b"<": b">", b">": b"<", b"<=": b">=", b">=": b"<=", b"==": b"==", b"!=": b"!="}
_PROPERTY = rb"[A-Za-z_][\w\[\]]{0,60}(?:(?:\.|->)[A-Za-z_][\w\[\]]{0,60}){0,3}?\s*(?:\.|->)\s*"
_SIGN = rb"(?:[=!]=|[<>]=?(?![<>]))"
_COMPARED = re.compile(
    rb"(?P<open>\(\s*)?(?P<name>" + _PROPERTY + rb")(?:(?P<part>major|minor)\b"
    rb"|major\s*\*\s*(?P<scale>100?)\s*\+\s*(?P=name)minor\b(?:\s*\*\s*10\b)?(?P<close>\s*\))?)"
    rb"\s*(?P<sign>" + _SIGN + rb")\s*(?P<value>\d{1,4})\b(?![.\w])"
    rb"|\b(?P<value2>\d{1,4})\s*(?P<sign2>" + _SIGN + rb")\s*(?P<name2>" + _PROPERTY
    + rb")(?P<part2>major|minor)\b(?!\s*[*+-])"
)  # fmt: skip
_CAPABILITY = re.compile(rb"(\.|->)\s*(major|minor)\b(?!\s*(?:\(|=[^=]))")
_CAPABILITIES = (
    rb"(?:(?:[5-9]0|5[23]|6[12]|7[25]|8[06789]|10[013]|12[01])0?)\b(?![.\w])"  # 50 to 121, or x10
)
_NUMBER_LAST = re.compile(
    rb"(?P<name>\b[A-Za-z_]\w{0,40})(?:\(\s*\))?\s*" + _SIGN + rb"\s*" + _CAPABILITIES
)
_NUMBER_FIRST = re.compile(
    rb"(?<![\w.])" + _CAPABILITIES + rb"\s*" + _SIGN + rb"\s*(?P<name>[A-Za-z_]\w{0,40})"
)
_ARCH_NAME = re.compile(
    rb"(?i)(?:\w*_)?(?:k|get_?)?(?:cuda_?|gpu_?|device_?|target_?)?"
    rb"(?:sm|sm_?(?:version|arch|num)|arch|compute_?capability|compute_?cap|cc|ptx_?version)_?"
)
_LINE_END = re.compile(rb"\r\n|[\r\n]")
