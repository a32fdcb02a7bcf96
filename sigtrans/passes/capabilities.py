"""Compute capabilities that a program looks at while it runs.

MUSA's cards report 2.1, 2.2 and 3.1. A comparison that comes out on them as on every NVIDIA card
of the last years stays; one whose statements tell what it is for asks for that; the rest is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sigtrans.passes import Code
from sigtrans.passes.branches import Evidence, load_rules, statements
from sigtrans.passes.conditions import OPERATE, parse, shape_of, truth
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
            self._uses(_MEMBER, _USE, lambda m: _is_paired(m) and _read(m))
        if b"Capability" in self.data or b"CAPABILITY" in self.data:
            self._variables()
        if self.code.is_cuda and any(hint in self.data for hint in _HINTS):
            self._own_numbers()

    def _uses(
        self,
        hints: re.Pattern[bytes],
        pattern: re.Pattern[bytes],
        read: Callable[[re.Match[bytes]], _Comparison | bool],
    ) -> int:
        """Every line that uses the capability: its comparisons are looked into, the rest is said.

        `hints` finds the lines quickly; `pattern` matches a comparison or (its group `use`) any
        other use.
        """
        lines: dict[int, list[re.Match[bytes]]] = {}
        for hint in hints.finditer(self.data):
            start = self.data.rfind(b"\n", 0, hint.start()) + 1
            if start in lines:
                continue
            stop = self.data.find(b"\n", start)
            lines[start] = [
                m
                for m in pattern.finditer(self.data, start, stop if stop >= 0 else len(self.data))
                if self.code.is_open(m.start("use") if m.group("use") else m.start())
            ]
        for matches in filter(None, lines.values()):
            tests = [read(m) for m in matches if not m.group("use")]
            compared = [t for t in tests if isinstance(t, _Comparison)]
            others = [m for m in matches if m.group("use") and not self._is_shown(m.start())]
            if others or len(compared) < len(tests):
                first = (others or matches)[0]
                place = first.span("use") if first.group("use") else _place(first)
                self._capability(place, self.data[slice(*place)], "")
            elif compared:
                self._compared([m for m in matches if not m.group("use")], compared)
        return sum(map(bool, lines.values()))

    def _variables(self) -> None:
        """Variables that a query of the device fills with its capability."""
        parts: dict[bytes, bytes] = {}
        first: tuple[int, int] | None = None
        for match in _QUERY.finditer(self.data):
            if self.code.is_open(match.start()):
                if match.group("name"):
                    parts[match.group("name")] = match.group("part").lower()
                else:
                    parts[match.group("major")] = b"major"
                    parts[match.group("minor")] = b"minor"
                first = first or match.span()
        if not parts or first is None:
            return
        names = b"|".join(map(re.escape, sorted(parts)))
        value = rb"(?P<value>\d{1,4})\b(?![.\w])"
        pattern = re.compile(
            rb"(?<![\w.>&])(?:(?P<name>" + names + rb")\s*(?P<sign>" + _SIGN + rb")\s*" + value
            + rb"|(?P<value2>\b\d{1,4})\s*(?P<sign2>" + _SIGN + rb")\s*(?P<name2>" + names
            + rb")\b(?!\s*[*+-])|(?P<use>" + names + rb")\b(?=\s*(?:[-+*%<>,)]|[!=]=)))"
        )  # fmt: skip

        def read(match: re.Match[bytes]) -> _Comparison:
            name = match.group("name") or match.group("name2")
            sign, digits = match.group("sign"), match.group("value")
            if sign is None:
                sign, digits = _TURNED[match.group("sign2")], match.group("value2")
            return _Comparison(b"", parts[name], sign, int(digits), 10)

        if not self._uses(re.compile(rb"\b(?:" + names + rb")\b"), pattern, read):
            self._capability(first, b"compute capability", "")

    def _is_shown(self, at: int) -> bool:
        """Is the number only printed?"""
        start, _ = self.lexed.list_start(at - 1)
        if start > 0 and self.data[start] == 0x28:
            name = self.lexed.name_ending_at(self.lexed.before(start))
            if name.endswith((b"printf", b"print", b"format", b"cout", b"cerr")):
                return True
        line = self.data[self.data.rfind(b"\n", 0, at) + 1 : at]
        return b"<<" in line

    def _compared(self, matches: Sequence[re.Match[bytes]], tests: Sequence[_Comparison]) -> None:
        """Keep what comes out as on NVIDIA's cards, map a test whose code tells what it is for."""
        rules = load_rules()
        nvidia = [v for v in rules.architectures if v >= rules.floor]
        cards = [int(t[3:]) * 10 for t in self.code.targets if t[3:].isdigit()] or [*rules.musa]
        answers = [self._joint(matches, tests, v) for v in (*nvidia, *cards)]
        place = _place(matches[0])[0], _place(matches[-1])[1]
        shown = self.data[slice(*place)]
        if all(len({t.holds(v) for v in (*nvidia, *cards)}) == 1 for t in tests) or (
            answers[0] is not None and len(set(answers)) == 1
        ):
            self._say(
                place,
                "SIG417",
                Severity.NOTE,
                f"'{_shown(shown)}' comes out on every card of the port as on every NVIDIA card "
                f"since {rules.floor // 100}.0; it stays",
            )
            return
        verdict = self._by_branch(place, tests[0]) if len(tests) == 1 and tests[0].name else None
        if verdict is None:
            here = set(answers[len(nvidia) :])
            told = len(here) == 1 and None not in here
            answer = f"; it is {str(here.pop()).lower()} on every card of the port" if told else ""
            self._capability(place, shown, answer)
            return
        text = tests[0].written(verdict.value, verdict.rising)
        self.edits.append(Edit(Span(*place), text, "guards/feature", Safety.REVIEW))
        self._say(
            place,
            "SIG416",
            Severity.NOTE,
            f"'{_shown(shown)}': now {text.decode('latin-1')} ({verdict.why})",
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
        self._say(
            place,
            "SIG405",
            Severity.WARNING,
            f"'{_shown(what)}': cards report 2.1, 2.2 or 3.1, not NVIDIA's numbers{answer}",
            "ask for the feature, or compare with MUSA's numbers",
        )

    def _own_numbers(self) -> None:
        """`Arch >= 80`, `getSMVersion() == 75`: the project's own copies of NVIDIA's numbers."""
        seen: dict[bytes, list[tuple[int, int]]] = {}
        for match in _NUMBER_LAST.finditer(self.data):
            end = self.lexed.before(match.start())
            if self.data[end : end + 1] == b")":  # getSMVersion() >= 80
                open_at = self.lexed.before(end)
                end = self.lexed.before(open_at) if self.data[open_at : open_at + 1] == b"(" else -1
            name = self.lexed.name_ending_at(end)
            if self._is_architecture(name, match.start()):
                seen.setdefault(name, []).append((end + 1 - len(name), match.end()))
        for match in _NUMBER_FIRST.finditer(self.data):
            name = match.group("name")
            before = self.data[match.start() - 1 : match.start()]
            whole = not before or not (before.isalnum() or before in b"_.$")
            card = whole and _CARDS.fullmatch(match.group("value"))
            if card and self._is_architecture(name, match.start()):
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

    def _is_architecture(self, name: bytes, at: int) -> bool:
        known = name in self.code.table.guards
        return bool(_ARCH_NAME.fullmatch(name)) and not known and self.code.is_open(at)


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
        return bool(OPERATE[self.sign](here, self.value))

    def written(self, level: int, rising: bool) -> bytes:
        major, minor = self.name + b"major", self.name + b"minor"
        text = major + b" * 10 + " + minor + b" >= %d" % (level // 10)
        return text if rising else b"!(" + text + b")"


def _shown(text: bytes) -> str:
    return b" ".join(text.split()).decode("latin-1")


def _place(match: re.Match[bytes]) -> tuple[int, int]:
    """The comparison without a bracket that belongs to what is around it."""
    groups = match.groupdict()
    if groups.get("open") and not groups.get("close"):
        return match.start("name"), match.end()
    return match.span()


def _is_paired(match: re.Match[bytes]) -> bool:
    """Not `f(x, p.major * 10 + p.minor) >= 80`, where a call is compared."""
    return not (match.group("close") and not match.group("open"))


def _read(match: re.Match[bytes]) -> _Comparison:
    name = match.group("name") or match.group("name2")
    part = match.group("part") or match.group("part2") or b"both"
    sign, value = match.group("sign"), match.group("value")
    if sign is None:
        sign, value = _TURNED[match.group("sign2")], match.group("value2")
    return _Comparison(name, part, sign, int(value), int(match.group("scale") or 10))


_TURNED = {b"<": b">", b">": b"<", b"<=": b">=", b">=": b"<=", b"==": b"==", b"!=": b"!="}
_PROPERTY = rb"[A-Za-z_][\w\[\]]{0,60}(?:(?:\.|->)[A-Za-z_][\w\[\]]{0,60}){0,3}?\s*(?:\.|->)\s*"
_SIGN = rb"(?:[=!]=|[<>]=?(?![<>]))"
_USE = re.compile(
    rb"(?P<open>\(\s*)?(?<![\w.>])(?P<name>" + _PROPERTY + rb")(?:(?P<part>major|minor)\b"
    rb"|major\s*\*\s*(?P<scale>100?)\s*\+\s*(?P=name)minor\b(?:\s*\*\s*10\b)?(?P<close>\s*\))?)"
    rb"\s*(?P<sign>" + _SIGN + rb")\s*(?P<value>\d{1,4})\b(?![.\w])"
    rb"|\b(?P<value2>\d{1,4})\s*(?P<sign2>" + _SIGN + rb")\s*(?P<name2>" + _PROPERTY
    + rb")(?P<part2>major|minor)\b(?!\s*[*+-])"
    rb"|(?:\.|->)\s*(?P<use>major|minor)\b(?!\s*(?:\(|=[^=]))"
)  # fmt: skip
_QUERY = re.compile(
    rb"&\s*(?P<name>[A-Za-z_]\w{0,60})\s*,\s*(?:cudaDevAttr|CU_DEVICE_ATTRIBUTE_)"
    rb"(?:ComputeCapability|COMPUTE_CAPABILITY_)(?P<part>Major|Minor|MAJOR|MINOR)\b"
    rb"|\b(?:cu|\w{0,20})DeviceComputeCapability\s*\(\s*&\s*(?P<major>[A-Za-z_]\w{0,60})\s*,"
    rb"\s*&\s*(?P<minor>[A-Za-z_]\w{0,60})"
)
_HINTS = (  # of the names that _ARCH_NAME takes
    *(b"arch", b"Arch", b"ARCH", b"apability", b"COMPUTE_CAP", b"compute_cap", b"ptx", b"PTX"),
    *(b" sm", b"(sm", b"_sm", b"sm_", b"SM", b"cc ", b"CC "),
)
_MEMBER = re.compile(rb"[.>]\s*(?:major|minor)\b")
_CARDS = re.compile(rb"(?:[5-9]0|5[23]|6[12]|7[25]|8[06789]|10[013]|12[01])0?")  # 50 to 121, or x10
# Both begin with a set of single bytes: that is what the engine skips to quickly.
_NUMBER_LAST = re.compile(
    rb"[=!<>](?:=|(?<=[<>])(?![<>]))\s*(?:" + _CARDS.pattern + rb")\b(?![.\w])"
)
_NUMBER_FIRST = re.compile(
    rb"(?P<value>[15-9]\d{1,3})\b\s*" + _SIGN + rb"\s*(?P<name>[A-Za-z_]\w{0,40})"
)
_ARCH_NAME = re.compile(
    rb"(?i)(?:\w*_)?(?:k|get_?)?(?:cuda_?|gpu_?|device_?|target_?)?"
    rb"(?:sm|sm_?(?:version|arch|num)|arch|compute_?capability|compute_?cap|cc|ptx_?version)_?"
)
