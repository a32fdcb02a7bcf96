"""Version and architecture guards: each number becomes the condition of the feature behind it.

Which feature a number stands for is read from the guarded code (rules/guards.yaml has the features
and what is known of them on MUSA), so no pattern rule could do it. What cannot be told is reported,
and the port stops there instead of compiling the wrong branch: docs/decisions/0008-guards.md.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from sigtrans.passes import Code, CodeFindings, Finder
from sigtrans.passes.branches import (
    BRANCHES,
    DEFINE,
    SPLICE,
    Directive,
    Evidence,
    Feature,
    Range,
    Sides,
    find_directives,
    load_rules,
    statements,
)
from sigtrans.passes.capabilities import Capabilities
from sigtrans.passes.conditions import (
    Architecture,
    Library,
    Node,
    Release,
    number,
    parse,
    scale_of,
    shape_of,
    truth,
)
from sigtrans.source import Edit, Safety, Severity, Span
from sigtrans.symbols import IS_NUMBER
from sigtrans.syntax import LINE_SPLICE, Word

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


# --- values ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Atom:
    """A part of a condition that is about one scale of numbers."""

    scale: str  # arch, toolkit, or a library
    node: Node
    sense: int  # 1: true takes the branch
    lead: Node | None = None  # the defined(X) right before it


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What an atom becomes."""

    how: str  # keep, level (>= value or < value), constant, open
    value: int = 0
    rising: bool = True
    why: str = ""
    code: str = "SIG406"

    def holds(self, card: int) -> bool | None:
        """What it comes to with this __MUSA_ARCH__ (0: on the host), None where nobody knows."""
        if self.how == "level":
            return (card >= self.value) == self.rising
        return bool(self.value) if self.how == "constant" else None


@dataclass(frozen=True, slots=True)
class _Condition:
    """A condition with its verdicts, before anything is edited."""

    atoms: tuple[_Atom, ...]
    verdicts: tuple[_Verdict, ...]
    presence: tuple[Node, ...]  # names that are only tested for being there
    loose: str = ""  # why the condition as a whole cannot be read

    @property
    def open(self) -> tuple[str, str]:
        """Code and reason where the condition cannot be decided."""
        if self.loose:
            return "SIG401", self.loose
        for verdict in self.verdicts:
            if verdict.how == "open":
                return verdict.code, verdict.why
        return "", ""


# --- the pass -------------------------------------------------------------------------------------


def find(code: Code) -> CodeFindings:
    """Edits and reports for every guard of one file."""
    guards = code.table.guards
    words = [w for w in code.lexed.words if w[2] in guards and not code.protected.why(w[0])]
    finder = _Guards(code)
    words += finder.aliased()
    if words:
        finder.run(sorted(words))
    capabilities = Capabilities(code, lambda: finder.evidence)
    capabilities.run()
    return CodeFindings((*finder.edits, *capabilities.edits), (*finder.said, *capabilities.said))


class _Guards(Finder):
    """The guards of one file."""

    family = "guards/"

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.lexed = code.lexed
        self.table = code.table
        self.own = code.facts.guards | code.project.guards  # the project defines them itself
        self.line = (1, 0)  # the logical line looked at last
        self.directives: list[Directive] = []
        self.numeric: frozenset[int] = frozenset()  # those that compare a number
        self.computed: dict[bytes, tuple[list[bool | None], set[bool | None]]] = {}
        self.decided: dict[int, bool] = {}  # `if (`: was its condition decided?
        self._evidence: Evidence | None = None
        self.aliases: dict[bytes, bytes] = {}  # macros -> the number of CUDA's that they stand for
        self.doubts: dict[bytes, str] = {}  # aliases -> why a condition cannot be decided by them
        self.settled: dict[
            bytes, bool
        ] = {}  # number -> did all tests of its aliases get an answer?
        self.defining: list[tuple[Word, bytes]] = []  # words that an alias is defined by

    @property
    def evidence(self) -> Evidence:
        """What stands in the branches; looked for when the first number asks."""
        if self._evidence is None:
            self._evidence = Evidence(self.code, self.directives, self.numeric)
        return self._evidence

    def aliased(self) -> list[Word]:
        """Every use of a macro that stands for one of CUDA's numbers, under the number's name; of
        those of other files only uses in directives (in code, they do not compile any more)."""
        own = {a: n for a, n in self.code.facts.aliases.items() if n not in self.own}
        foreign = {
            a: (n, path)
            for a, (n, path) in self.code.project.aliases.items()
            if a not in own and n not in self.own and a in self.data
        }
        if not own and not foreign:
            return []
        for match in _DEFINITION.finditer(self.data):
            name, value = match.group(1), match.group(2)
            if self.lexed.blank_at(match.start(1)) is not None:
                continue
            foreign.pop(name, None)  # this file has one of its own
            if name in own and value.strip(b" \t()\\\r\n") not in (b"0", own[name], *own):
                self.doubts[name] = f"'{name.decode('latin-1')}' is defined in more than one way"
        for name, (number_, path) in foreign.items():
            self.doubts[name] = f"'{name.decode('latin-1')}' is {number_.decode()} in {path}"
        self.aliases = own | {a: n for a, (n, _) in foreign.items()}
        if not self.aliases:
            return []
        names = b"|".join(map(re.escape, sorted(self.aliases)))
        found: list[Word] = []
        for match in re.finditer(rb"(?<![\w$])(?:" + names + rb")(?![\w$])", self.data):
            start, end = match.span()
            before = self.lexed.name_ending_at(self.lexed.before(start))
            if not self.code.is_open(start) or before in _NAMED:
                continue
            if match.group() in own or self._in_directive(start):
                found.append((start, end, self.aliases[match.group()]))
        return found

    def _in_directive(self, at: int) -> bool:
        return self.data[self.lexed.logical_line(at)[0] : at].lstrip().startswith((b"#", b"%:"))

    def run(self, words: Sequence[Word]) -> None:
        self.directives = find_directives(self.code)
        starts = [d.start for d in self.directives]
        others: list[Word] = []
        for word in words:
            n = bisect_right(starts, word[0]) - 1
            if n >= 0 and word[0] < self.directives[n].end:
                self.directives[n].guards.append(word)
            elif not self._is_member(word[0]):
                others.append(word)
        self.numeric = frozenset(
            d.index
            for d in self.directives
            if d.kind in (b"if", b"elif")
            and any(scale_of(name) and name not in self.own for _, _, name in d.guards)
        )
        conditions = [
            (d, self._read(d))
            for d in self.directives
            if d.guards and d.kind not in _ENDS and not self._is_stopped(d)
        ]
        for directive, condition in self._agreed(conditions):
            self._write(directive, condition)
        for word in others:
            self._elsewhere(word)
        for word, alias in self.defining:
            self._alias(word, alias)

    def _is_stopped(self, directive: Directive) -> bool:
        """Has an earlier port put a branch with an #error before this one?"""
        before = directive.chain[directive.place - 1]
        return (
            directive.place > 0 and _STOP.match(self.data, before.end, directive.start) is not None
        )

    def _is_member(self, start: int) -> bool:
        at = self.lexed.before(start)
        if self.data[at : at + 1] == b".":
            return self.data[at - 1 : at] != b"."
        return at > 0 and self.data[at - 1 : at + 1] == b"->"

    # --- conditions -------------------------------------------------------------------------------

    def _read(self, directive: Directive) -> _Condition:
        """What each part of a condition is about and becomes."""
        if directive.kind not in (b"if", b"elif"):
            nodes = (Node("name", *w[:2], w[2]) for w in directive.guards)
            return _Condition((), (), tuple(nodes))
        start = directive.word[1]
        node = self._parse(start, directive.end)
        if node is None or self._goes_on(directive):
            condition = self.lexed.code(start, directive.end)
            names = {self.data[w[0] : w[1]] for w in directive.guards if w[2] not in self.own}
            if any(has_number(condition, n) for n in names):
                return _Condition((), (), (), "the condition cannot be read")
            nodes = (Node("name", *w[:2], w[2]) for w in directive.guards)
            return _Condition((), (), tuple(nodes))
        return self._judge(node, self._sides(directive), {w[0] for w in directive.guards})

    def _parse(self, start: int, end: int) -> Node | None:
        """A condition, with CUDA's own names in place of macros that stand for them."""
        node = parse(self.data, start, end)
        return _renamed(node, self.aliases) if node is not None and self.aliases else node

    def _doubt(self, node: Node) -> str:
        """Why the condition cannot be decided although its numbers could."""
        for each in node.walk() if self.doubts else ():
            name = self.data[each.start : each.end]
            if each.kind == "name" and each.text != name and name in self.doubts:
                return self.doubts[name]
        return ""

    def _is_alias(self, start: int, end: int, name: bytes) -> bool:
        return bool(self.aliases) and self.data[start:end] != name

    def _goes_on(self, directive: Directive) -> bool:
        """Does a comment hide the line end, and the condition continue after it?"""
        blank = self.lexed.blank_at(directive.end)
        if blank is None or blank[1] <= directive.end:
            return False
        stop = _LINE_END.search(self.data, blank[1])
        return bool(self.data[blank[1] : stop.start() if stop else None].strip())

    def _judge(self, node: Node, sides: Sides, places: set[int]) -> _Condition:
        """Verdicts on a condition; `places` are its guards that nobody asked to leave alone."""
        split = _Split(self.own, self.table.guards.keys(), places)
        split.walk(node, 1)
        split.loose = self._doubt(node) or split.loose
        atoms = tuple(split.atoms)
        seen = [a.scale for a in atoms]
        if "arch" in seen and seen.count("arch") > 1:
            split.loose = "it compares the architecture in more than one place"
        verdicts = tuple(
            self._decide(atom, sides if atom.sense > 0 else sides.turned()) for atom in atoms
        )
        if any(v.how == "open" for v in verdicts):
            verdicts = self._without_open(node, atoms, verdicts)
        return _Condition(atoms, verdicts, tuple(split.presence), split.loose)

    def _without_open(
        self, node: Node, atoms: tuple[_Atom, ...], verdicts: tuple[_Verdict, ...]
    ) -> tuple[_Verdict, ...]:
        """The verdicts, where the rest of a condition decides it on every card of the port and on
        the host: then nothing depends on what is open."""
        cards = [int(t[3:]) * 10 for t in self.code.targets if t[3:].isdigit()]
        results = set[bool | None]()
        for card in (0, *cards):
            answers: dict[tuple[int, int], bool | None] = {}
            for atom, verdict in zip(atoms, verdicts, strict=True):
                answers[atom.node.start, atom.node.end] = verdict.holds(card)
            results.add(_answer(node, answers, card > 0))
        if len(results) > 1 or None in results or not cards:
            return verdicts
        here = "holds" if results == {True} else "does not hold"
        why = f"the condition {here} without it, on the host and on {', '.join(self.code.targets)}"
        return tuple(_Verdict("constant", 0, why=why) if v.how == "open" else v for v in verdicts)

    def _sides(self, directive: Directive) -> Sides:
        chain, at = directive.chain, directive.place
        body = self._branch(directive)
        later = [d for d in chain[at + 1 : at + 2 + BRANCHES] if d.kind != b"endif"]
        rest = tuple(map(self._branch, later))
        whole = bool(later) and later[-1].kind == b"else"
        return Sides(
            (body,),
            rest,
            self.evidence.is_whole(body),
            whole and self.evidence.is_whole(rest[-1]),
        )

    def _branch(self, directive: Directive) -> Range:
        chain, at = directive.chain, directive.place
        end = chain[at + 1].start if at + 1 < len(chain) else len(self.data)
        owner = self.evidence.owner_at(directive.end)
        return Range(directive.end, max(end, directive.end), owner)

    def _agreed(
        self, conditions: Iterable[tuple[Directive, _Condition]]
    ) -> list[tuple[Directive, _Condition]]:
        """The same version test decided both ways in one file is decided by nobody."""
        listed = list(conditions)
        said: dict[bytes, set[int]] = {}
        for _, condition in listed:
            for atom, verdict in zip(condition.atoms, condition.verdicts, strict=True):
                if atom.scale != "arch" and verdict.how == "constant":
                    said.setdefault(self._text(atom.node), set()).add(verdict.value)
        split = {text for text, values in said.items() if len(values) > 1}
        if not split:
            return listed
        reason = "the branches under the same test in this file speak for both answers"
        agreed: list[tuple[Directive, _Condition]] = []
        for directive, condition in listed:
            verdicts = tuple(
                _Verdict("open", why=reason, code="SIG401") if self._text(a.node) in split else v
                for a, v in zip(condition.atoms, condition.verdicts, strict=True)
            )
            agreed.append((directive, replace(condition, verdicts=verdicts)))
        return agreed

    # --- verdicts ---------------------------------------------------------------------------------

    def _decide(self, atom: _Atom, sides: Sides) -> _Verdict:
        if atom.scale == "arch":
            return self._by_architecture(atom.node, sides)
        return self._by_version(atom, sides)

    def _computed(
        self,
        node: Node,
        steps: Sequence[int],
        musa: Sequence[int],
        make: Callable[[int], Callable[[Node], int | None]],
    ) -> tuple[list[bool | None], set[bool | None]]:
        """What a test comes to at each step of CUDA's scale, and with MUSA's own numbers."""
        key = self.data[node.start : node.end]
        if key not in self.computed:  # a file has the same few tests again and again
            values = [truth(node, make(v)) for v in steps]
            self.computed[key] = values, {truth(node, make(v)) for v in musa}
        return self.computed[key]

    def _by_architecture(self, node: Node, sides: Sides) -> _Verdict:
        rules = load_rules()
        values, musa = self._computed(node, rules.architectures, rules.musa, Architecture)
        if None in values:
            return _Verdict("open", why="its value cannot be worked out", code="SIG401")
        if len({*values, *musa}) == 1 and _asks_presence(node):
            return _Verdict("keep")
        shape = shape_of(values)
        new, old = sides, sides.turned()  # the code for newer cards is on the true side of `new`
        if shape == "down":
            new, old = old, new
        found = self.evidence.features(new.true)
        absent = self.evidence.absent(new.true)
        missing = [f.name for f in found if not f.musa] + absent
        if missing:
            return self._without(missing, new, int(shape == "down"))
        lowest = min(rules.musa)
        spared = self._spared(found, new, single=shape == "other")
        if spared:
            why = f"the other branch works without {spared}"
            return _Verdict("constant", int(shape == "down"), why=why)
        if shape == "other":
            picked = [f for f in found if f.cards and _picks(values, f.cards)]
            if picked:
                level = max(f.musa for f in found)
                return self._level(level, True, ", ".join(f.name for f in picked), new)
            return _Verdict(
                "open", why="it picks out single architectures or a range", code="SIG401"
            )
        threshold = rules.architectures[values.index(values[-1])]
        rising = shape == "up"
        stands = [f for f in found if threshold in f.since]
        if not stands:
            has_code = self.evidence.has_code(new.true)
            stands = [
                f
                for f in self.evidence.stand_ins(old.true, also_uses=not has_code)
                if threshold in f.since and f.musa
            ]
        needed = (f for f in (*found, *stands) if new.whole_false or not f.emulated)
        level = max([lowest, *(f.musa for f in needed)])
        if stands:
            names = dict.fromkeys(f.name for f in stands)
            level_names = [f.name for f in found if f.musa == level and f.name not in names]
            if level > max(f.musa for f in stands):
                names = dict.fromkeys((*names, *level_names))
            return self._level(level, rising, ", ".join(names), new)
        if threshold <= rules.floor:
            why = f"CUDA 12 compiles for nothing below {threshold}"
            return self._level(level, rising, why, new)
        return _Verdict(
            "open", why=f"nothing in the guarded code tells what {threshold} stands for",
            code="SIG401",
        )  # fmt: skip

    def _spared(self, found: Sequence[Feature], new: Sides, single: bool = False) -> str:
        """What the port only emulates, where the other branch works without it; "" for nothing.

        Under a test for single cards (`single`), so is assembly that the port writes in C++: the
        branch is as good, but what the test means stays unknown.
        """
        lowest = min(load_rules().musa)
        if not new.whole_false or any(f.by_hand for f in found):
            return ""
        spared = (f.name for f in found if f.musa == lowest and f.emulated)
        written = (f.name for f in found if single and f.written)
        return next(chain(spared, written), "")

    def _level(self, level: int, rising: bool, why: str, new: Sides) -> _Verdict:
        """A threshold of MUSA's; a warning where some target has nothing in place of the code."""
        below = [t for t in self.code.targets if t[3:].isdigit() and int(t[3:]) * 10 < level]
        ordering = next((f.name for f in self.evidence.features(new.true) if f.by_hand), "")
        if below and ordering:
            return _Verdict(
                "open",
                why=f"{', '.join(below)} must do without {why}, and with it without {ordering}, "
                "which an older branch often lacks",
                code="SIG408",
            )
        if not below or new.whole_false or self.evidence.only_defines(new.true):
            return _Verdict("level", level, rising, why)
        why += f"; {', '.join(below)} must do without it, and no other branch does the work"
        return _Verdict("level", level, rising, why, "SIG407")

    def _without(self, missing: list[str], new: Sides, away: int) -> _Verdict:
        """The code for newer cards needs what MUSA has not: the other branch, if it will do."""
        shown = ", ".join(dict.fromkeys(missing[:3]))
        by_hand = any(f.by_hand for f in self.evidence.features(new.true))
        if not by_hand and (new.whole_false or self.evidence.only_defines(new.true)):
            return _Verdict("constant", away, why=f"no {shown} on MUSA")
        rest = "no other branch does the work"
        if by_hand:
            rest = "an older branch often lacks the ordering"
        return _Verdict(
            "open", why=f"the guarded code uses {shown}, which MUSA has not, and {rest}",
            code="SIG408",
        )  # fmt: skip

    def _by_version(self, atom: _Atom, sides: Sides) -> _Verdict:
        rules = load_rules()
        node = atom.node
        names = {n.text for n in node.walk() if n.kind == "name"}
        if names == {b"__CUDART_API_VERSION"}:
            return _Verdict("keep", why="__MUSART_API_VERSION counts like CUDA", code="SIG406")
        if atom.scale == "toolkit":
            steps: Sequence[int] = rules.releases
            values, here = self._computed(node, steps, _SDKS, Release)
        else:
            large = any((number(n.text) or 0) >= 20000 for n in node.walk() if n.kind == "number")
            steps = [m * 100 + n for m in range(1, 15) for n in range(12)]
            make = partial(Library, large=large)
            values, here = self._computed(node, steps, _LIBRARIES, make)
        if None in values:
            return _Verdict("open", why="its value cannot be worked out", code="SIG401")
        if len({*values, *here}) == 1 and _asks_presence(node):
            if any(self.table.guards[n] is None for n in names & self.table.guards.keys()):
                return _Verdict("open", why="MUSA has no such macro", code="SIG401")
            return _Verdict("keep")
        if atom.scale == "toolkit":
            level = {
                v for r, v in zip(steps, values, strict=True) if rules.certain <= r <= rules.reached
            }
            if len(level) == 1:
                return self._by_level(bool(level.pop()), values, sides)
        return self._by_names(values, sides)

    def _by_level(self, holds: bool, values: Sequence[bool | None], sides: Sides) -> _Verdict:
        rules = load_rules()
        chosen = sides if holds else sides.turned()
        absent = self.evidence.absent(chosen.true)
        if (
            absent
            and not self.evidence.absent(chosen.false)
            and self.evidence.has_code(chosen.false)
        ):
            return _Verdict(
                "open",
                why=f"the branch for this level of CUDA needs {absent[0]}, which MUSA has not",
                code="SIG401",
            )
        sure = values[-1] == holds
        why = f"MUSA's interface is at the level of CUDA 10.2 to {rules.reached // 1000}"
        why += f".{rules.reached % 1000 // 10}"
        return _Verdict("constant", int(holds), why=why, code="SIG406" if sure else "SIG407")

    def _by_names(self, values: Sequence[bool | None], sides: Sides) -> _Verdict:
        shape = shape_of(values)
        if shape == "other":
            return _Verdict("open", why="it picks out single releases or a range", code="SIG401")
        new = sides if shape == "up" else sides.turned()
        found = self.evidence.features(new.true)
        missing = [f.name for f in found if not f.musa]
        missing += self.evidence.absent(new.true)
        if missing:
            return self._without(missing, new, int(shape == "down"))
        written = [f.name for f in found if f.written]
        spared = self._spared(found, new) if written else ""
        if spared:
            why = f"the other branch works without {spared}"
            return _Verdict("constant", int(shape == "down"), why=why)
        rules = load_rules()
        names = self.evidence.names(new.true) - self.evidence.names(new.false)
        later = [f"{n.decode()} (SDK {s})" for n in sorted(names) if (s := self._later(n))]
        if later:
            return self._without(later, new, int(shape == "down"))
        changed = sorted(names & rules.reshaped | self._called_alike(new))
        if changed:
            return _Verdict(
                "open",
                why=f"{changed[0].decode()} takes other arguments from one release to another",
                code="SIG401",
            )
        telling = sorted(names - rules.everyday)
        if not telling and written:
            why = f"{written[0]} is there: the port writes the assembly in C++"
            return _Verdict("constant", int(shape == "up"), why=why)
        if not telling:
            return _Verdict(
                "open", why="no name in the guarded code tells what the version stands for",
                code="SIG401",
            )  # fmt: skip
        unproven = [n for n in telling if n in self.table.unproven]
        shown = ", ".join(n.decode() for n in (unproven or telling)[:3])
        if unproven:
            why = f"{shown} follow" + ("s" if len(unproven) == 1 else "") + " the naming rule only"
            if new.whole_false and not self.evidence.names(new.false) & self.table.unproven:
                why += ", and the other branch does without"
                return _Verdict("constant", int(shape == "down"), why=why)
            return _Verdict("constant", int(shape == "up"), why=why, code="SIG407")
        return _Verdict("constant", int(shape == "up"), why=f"MUSA has {shown}")

    def _later(self, name: bytes) -> str:
        """The SDK that a name needs, where the port is for an older one."""
        entry = self.table.explain(name.decode("latin-1"))
        needs = entry.sdk.removeprefix(">=") if entry and entry.sdk.startswith(">=") else ""
        return needs if needs and _numbers(needs) > _numbers(self.code.sdk) else ""

    def _called_alike(self, new: Sides) -> set[bytes]:
        """Calls that changed their arguments, in both branches."""
        here, there = self.evidence.names(new.true), self.evidence.names(new.false)
        return here & there & load_rules().reshaped

    # --- edits ------------------------------------------------------------------------------------

    def _write(self, directive: Directive, condition: _Condition) -> None:
        code, reason = condition.open
        shown = self._shown(directive)
        if code:
            first = self._first_number(directive, condition)
            self._stop(directive, first, code, shown, reason)
            for start, end, name in directive.guards:
                if self._is_alias(start, end, name):
                    self._edit(start, end, name)  # the macro itself does not compile any more
                    self.settled[name] = False
            return
        for start, end, name in directive.guards if condition.atoms or condition.presence else ():
            if self._is_alias(start, end, name):
                self.settled.setdefault(name, True)
        if not self._presence(condition):
            return
        self._atoms(condition, shown)

    def _atoms(self, condition: _Condition, shown: str) -> None:
        """Replace the numbers; one note says what decided."""
        notes: list[tuple[str, str, str]] = []
        place: tuple[int, int] | None = None
        for atom, verdict in zip(condition.atoms, condition.verdicts, strict=True):
            names = [n for n in atom.node.walk() if n.kind == "name" and scale_of(n.text)]
            place = place or (names[0].start, names[0].end)
            if verdict.how == "keep":
                for name in names:
                    self._rename(name)
                if verdict.why:
                    notes.append((verdict.code, self._shown_node(atom.node), verdict.why))
                continue
            text = self._replace(atom, verdict)
            notes.append((verdict.code, text, verdict.why))
        if notes and place:
            code = max(n[0] for n in notes)
            become = "; ".join(f"{text} ({why})" for _, text, why in notes)
            help = (
                "check the choice against the headers of your SDK, or write the missing branch"
                if code == "SIG407"
                else ""
            )
            severity = WARNING if code == "SIG407" else NOTE
            self.say(*place, code, severity, f"'{shown}': now {become}", help, "feature")

    def _replace(self, atom: _Atom, verdict: _Verdict) -> str:
        node = atom.node
        if verdict.how == "level":
            sign = b">=" if verdict.rising else b"<"
            new = b"__MUSA_ARCH__ " + sign + b" %d" % verdict.value
            if not self._comparison(node, verdict):
                self._edit(node.start, node.end, new)
            return new.decode()
        start = node.start
        if atom.lead is not None and atom.lead.text in self.table.unproven:
            start = atom.lead.start
        was = self._text(Node("()", start, node.end))
        why = verdict.why.encode().replace(b"*/", b"* /")
        self._edit(start, node.end, b"%d /* " % verdict.value + was + b": " + why + b" */")
        return str(verdict.value)

    def _comparison(self, node: Node, verdict: _Verdict) -> bool:
        """Edit only the name, the sign and the number of a plain comparison."""
        if node.kind != "op" or node.text not in (b">=", b">", b"<", b"<="):
            return False
        left, right = map(_bare, node.parts)
        if {left.kind, right.kind} != {"name", "number"}:
            return False
        name, digits = (left, right) if left.kind == "name" else (right, left)
        sign = b">=" if verdict.rising else b"<"
        if name is right:
            sign = b"<=" if verdict.rising else b">"
        at = self.lexed.after(node.parts[0].end)
        if self.data[at : at + len(node.text)] != node.text:
            return False
        self._edit(name.start, name.end, b"__MUSA_ARCH__")
        if sign != node.text:
            self._edit(at, at + len(node.text), sign)
        value = b"%d" % verdict.value
        if self.data[digits.start : digits.end] != value:
            self._edit(digits.start, digits.end, value)
        return True

    def _edit(self, start: int, end: int, text: bytes) -> None:
        self.edits.append(Edit(Span(start, end), text, "guards/feature", Safety.REVIEW))

    def _rename(self, name: Node) -> None:
        target = self.table.guards[name.text]
        if target is not None:
            if name.text in self.table.unproven:
                self._unproven(name, target)
            self.edits.append(
                Edit(Span(name.start, name.end), target, "guards/presence", Safety.REVIEW)
            )

    def _presence(self, condition: _Condition) -> bool:
        """Rename what is only tested for being there; False where MUSA has no such macro."""
        folded = {
            id(a.lead.parts[0])
            for a, v in zip(condition.atoms, condition.verdicts, strict=True)
            if a.lead is not None and v.how == "constant" and a.lead.text in self.table.unproven
        }
        names = [n for n in condition.presence if id(n) not in folded and n.text not in self.own]
        for name in names:
            target = self.table.guards[name.text]
            if target is None or (self.code.strict and name.text in self.table.unproven):
                entry = self.table.explain(name.text.decode())
                self.say(
                    name.start,
                    name.end,
                    "SIG403",
                    ERROR,
                    f"'{name.text.decode()}' is not known to be defined by MUSA: this test changes "
                    "its meaning",
                    (entry.note if entry else "")
                    or "test for __MUSACC__, or for the MUSA header's own guard",
                    "undefined",
                )
                return False
        for name in names:
            self._rename(name)
        return True

    def _unproven(self, name: Node, target: bytes) -> None:
        self.say(
            name.start,
            name.end,
            "SIG404",
            WARNING,
            f"'{name.text.decode()}' becomes '{target.decode()}' by the naming rule; no use of "
            "that macro was seen, and the test fails where it is not defined",
            "check that your SDK defines it",
            "unproven",
        )

    def _stop(
        self, directive: Directive, place: tuple[int, int], code: str, shown: str, reason: str
    ) -> None:
        """Report, and put a branch before this one in which a MUSA build ends."""
        self.say(
            *place,
            code,
            ERROR,
            f"'{shown}' depends on a CUDA version or architecture number: {reason}; the port stops "
            "a MUSA build here",
            _HELP[code],
            "threshold",
        )
        scales = {scale_of(n) for _, _, n in directive.guards if n not in self.own} - {""}
        test = b"defined(__MUSA_ARCH__)"
        if scales != {"arch"}:
            test = b"defined(__MUSACC__) || defined(MUSART_VERSION) || defined(MUSA_VERSION)"
        start, (word, end) = directive.start, directive.word
        if self.data.startswith(b"\xef\xbb\xbf", start):
            start += 3
        head = self.data[start:word]  # blanks and the #
        newline = _LINE_END.search(self.data, directive.end)
        stop = newline.group() if newline else b"\n"
        quoted = _QUOTES.sub(b"'", shown.encode())[:90]
        message = b'"sigtrans ' + code.encode() + b": decide for MUSA: " + quoted + b'"'
        lines = (
            head + directive.kind + b" " + test + stop + head + b"error " + message + stop
            + head + b"elif"
        )  # fmt: skip
        self.edits.append(Edit(Span(start, end), lines, "guards/stop", Safety.REVIEW))

    def _first_number(self, directive: Directive, condition: _Condition) -> tuple[int, int]:
        for atom, verdict in zip(condition.atoms, condition.verdicts, strict=True):
            if verdict.how == "open" and not condition.loose:
                name = next(n for n in atom.node.walk() if n.kind == "name" and scale_of(n.text))
                return name.start, name.end
        names = [w for w in directive.guards if w[2] not in self.own]
        first = next((w for w in names if scale_of(w[2])), names[0])
        return first[0], first[1]

    def _shown(self, directive: Directive) -> str:
        text = self._text(Node("()", directive.word[1], directive.end))
        return text[:90].decode("latin-1")

    def _shown_node(self, node: Node) -> str:
        return self._text(node)[:90].decode("latin-1")

    def _text(self, node: Node) -> bytes:
        """A part of a condition on one line, without its comments."""
        text = SPLICE.sub(b" ", self.lexed.code(node.start, node.end))
        return b" ".join(text.split()).replace(b"*/", b"").replace(b"/*", b"")

    # --- outside of conditions --------------------------------------------------------------------

    def _elsewhere(self, word: Word) -> None:
        start, end, name = word
        if not self.line[0] <= start <= self.line[1]:  # many guards can share one long line
            self.line = self.lexed.logical_line(start)
        line_start, line_end = self.line
        defined = DEFINE.match(self.data, line_start, line_end)
        if defined and defined.end() == start:
            self._defined(word, defined.group(1))
            return
        if name in self.own:
            return  # said at its definition
        if defined and defined.group(1) == b"define":
            alias = self.lexed.name_starting_at(defined.end())
            if alias in self.code.facts.aliases:
                self.defining.append((word, alias))
                return
            if self._macro(word, defined.end()):
                return
            if scale_of(name):  # in an #if it would be 0 without a word
                self._edit(start, end, _STOPPED + b"(" + self.data[start:end] + b")")
        elif self._statement(word):
            return
        shown = self.data[start:end].decode("latin-1")
        self.say(
            start,
            end,
            "SIG402",
            ERROR,
            f"'{shown}' is used as a value; MUSA's numbers have another scale",
            "test the feature instead, or use MUSA's own version macro with its own numbers",
            "value",
        )

    def _alias(self, word: Word, alias: bytes) -> None:
        """`#define ARCH __CUDA_ARCH__`: its tests in this file have been decided by the number; any
        other use does not compile."""
        start, end, name = word
        if self._is_alias(start, end, name):
            return  # a second name: said where the first is defined
        shown = f"'{alias.decode('latin-1')}' stands for '{name.decode()}'"
        self._edit(start, end, _STOPPED + b"(" + name + b")")
        if self.settled.get(name) and alias not in self.doubts:
            self.say(
                start, end, "SIG406", NOTE,
                f"{shown}: its tests in this file ask for what the number is for; a use that is "
                "left does not compile on MUSA",
                "", "alias",
            )  # fmt: skip
            return
        self.say(
            start, end, "SIG402", ERROR,
            f"{shown}; MUSA's numbers have another scale, and what uses it does not compile there",
            f"test the feature where '{alias.decode('latin-1')}' is used, and write MUSA's own "
            f"macro in place of {_STOPPED.decode()}(…)",
            "alias",
        )  # fmt: skip

    def _defined(self, word: Word, directive: bytes) -> None:
        """`#define` or `#undef` of a macro that CUDA or its compiler defines."""
        start, end, name = word
        target = self.table.guards[name]
        if directive == b"undef" and name in self.own:
            return  # said at its definition
        if target is not None and directive == b"undef" and not IS_NUMBER.search(name):
            self._rename(Node("name", start, end, name))
            return
        self.say(
            start,
            end,
            "SIG402",
            ERROR,
            f"the project {'un' if directive == b'undef' else ''}defines '{name.decode()}' itself; "
            "left as it is, with its uses in this file",
            "decide what the MUSA build should see here",
            "defined-by-project",
        )

    def _macro(self, word: Word, name_at: int) -> bool:
        """A macro that wraps a test: decided by the code under it in this file, or made to stop."""
        start, end, _ = word
        if _STOPPED in self.data[name_at : self.line[1]]:
            return True  # an earlier port has made it stop
        head = _MACRO.match(self.data, name_at, self.line[1])
        node = self._parse(head.end(), self.line[1]) if head else None
        if head is None or node is None:
            return False
        names = [n for n in node.walk() if n.kind == "name" and n.text in self.table.guards]
        if not any(scale_of(n.text) for n in names) or not _is_test(node):
            return False
        if names[0].start != start:
            return True  # decided with the first of its line
        places = {n.start for n in names if self.code.is_open(n.start)}
        sides, uses = self._uses(head.group(1), self.line)
        condition = self._judge(node, sides, places)
        code, reason = condition.open
        shown = self._text(Node("()", name_at, self.line[1]))[:90].decode("latin-1")
        if not code and (condition.atoms or condition.presence):
            if self._presence(condition):
                self._atoms(condition, shown)
            return True
        more = f"; {uses} conditions of this file use it" if uses > 1 else ""
        if uses == 1:
            more = "; one condition of this file uses it"
        self.say(
            start,
            end,
            "SIG402",
            ERROR,
            f"'{shown}' depends on a CUDA version or architecture number: {reason}{more}; what "
            "uses it does not compile on MUSA",
            f"decide what '{head.group(1).decode()}' means on MUSA and write that in place of "
            f"{_STOPPED.decode()}(…)",
            "macro",
        )
        tested = {n.parts[0].start for n in node.walk() if n.kind == "defined"}
        for name in names:
            if name.start in places - tested and scale_of(name.text):
                text = _STOPPED + b"(" + name.text + b")"
                self._edit(name.start, name.end, text)
        return True

    def _uses(self, macro: bytes, line: tuple[int, int]) -> tuple[Sides, int]:
        """The code of this file that stands under a macro; its definition tells something, too."""
        here = Range(*line, self.evidence.owner_at(line[0]))
        true, false = [here], list[Range]()
        uses = whole = 0
        for directive in self.directives:
            if directive.kind not in (b"if", b"elif") or uses >= BRANCHES:
                continue
            if macro not in self.data[directive.word[1] : directive.end]:
                continue
            node = parse(self.data, directive.word[1], directive.end)
            sense = _sense(node, macro, 1) if node is not None else 0
            if not sense:
                continue
            uses += 1
            sides = self._sides(directive)
            sides = sides if sense > 0 else sides.turned()
            true += sides.true
            false += sides.false
            whole += sides.whole_false
        return Sides(tuple(true), tuple(false), False, 0 < uses == whole), uses

    def _statement(self, word: Word) -> bool:
        """`if (__CUDA_ARCH__ >= 800) …` and `if constexpr`: by the statements it guards."""
        start = word[0]
        at, _ = self.lexed.list_start(start - 1)
        while at > 0 and self.data[at] == 0x28:
            ahead = self.lexed.before(at)
            keyword = self.lexed.name_ending_at(ahead)
            if keyword == b"constexpr":
                keyword = self.lexed.name_ending_at(self.lexed.before(ahead - 8))
            if keyword == b"if":
                break
            at, _ = self.lexed.list_start(at - 1)
        else:
            return False
        arguments = self.lexed.arguments(at)
        if at not in self.decided:
            self.decided[at] = len(arguments) == 1 and self._if(*arguments[0])
        return self.decided[at]

    def _if(self, start: int, end: int) -> bool:
        """Decide the condition of a statement; False where its names are reported as values."""
        node = self._parse(start, end)
        if node is None:
            return False
        names = [n for n in node.walk() if n.kind == "name" and n.text in self.table.guards]
        places = {n.start for n in names if self.code.is_open(n.start)}
        condition = self._judge(node, statements(self.code, self.evidence, end + 1), places)
        if condition.open[0] or not condition.atoms or condition.presence:
            return False
        self._atoms(condition, self._text(Node("()", start, end))[:90].decode("latin-1"))
        return True


_COMPARISONS = (b"==", b"!=", b"<", b"<=", b">", b">=")
_PLAIN = ("name", "number")
_ENDS = (b"else", b"endif")
_NAMED = (b"define", b"undef", b"ifdef", b"ifndef", b"elifdef", b"elifndef")
_DEFINITION = re.compile(
    rb"^[ \t]*(?:#|%:)[ \t]*define[ \t]+([A-Za-z_]\w*)(?![\w(])((?:[^/\r\n\\]|"
    + LINE_SPLICE + rb")*)", re.MULTILINE
)  # fmt: skip
_SDKS = (30100, 40300, 50100, 50200)  # values of MUSART_VERSION
_LIBRARIES = (100, 101, 204, 304, 900)  # and of MUSA's libraries, as far as known
_STOPPED = b"SIGTRANS_SIG402"
_STOP = re.compile(rb"\s*(?:#|%:)[ \t]*error \"sigtrans SIG4")
_HELP = {
    "SIG401": "find out which feature the number stands for and test for that: __MUSA_ARCH__ is "
    "210, 220 or 310, MUSART_VERSION counts SDK releases (5.2 is 50200); then remove the #error",
    "SIG408": "write a branch for MUSA in place of the #error, or leave the code out of the MUSA "
    "build",
}
_LINE_END = re.compile(rb"\r\n|[\r\n]")
_QUOTES = re.compile(rb"[\"\\]")
_MACRO = re.compile(rb"([A-Za-z_]\w*)(?:\([\w\s,.]*\))?")


# --- parts of a condition -------------------------------------------------------------------------


class _Split:
    """Cuts a condition into parts that are each about one scale."""

    def __init__(
        self, own: Iterable[bytes], guards: Iterable[bytes], places: Iterable[int]
    ) -> None:
        self.own = frozenset(own)
        self.guards = guards
        self.places = frozenset(places)
        self.atoms: list[_Atom] = []
        self.presence: list[Node] = []
        self.loose = ""

    def walk(self, node: Node, sense: int) -> None:
        if node.kind == "()":
            self.walk(node.parts[0], sense)
        elif node.kind == "!":
            self.walk(node.parts[0], -sense)
        elif node.kind in ("&&", "||"):
            self._list(node, sense)
        elif node.kind == "defined":
            if self._is_guard(node.parts[0]):
                self.presence.append(node.parts[0])
        elif node.kind == "name":  # tested for truth
            if self._is_guard(node):
                self.presence.append(node)
        elif self.scale(node):
            self.atoms.append(_Atom(self.scale(node), node, sense))
        else:
            self._loose(node)

    def _loose(self, node: Node) -> None:
        """A guard in a place where its value matters together with something else."""
        for each in node.walk():
            if each.kind == "name" and self._is_guard(each):
                self.loose = f"'{each.text.decode()}' is computed with something else"

    def _list(self, node: Node, sense: int) -> None:
        scales = [self.scale(part) for part in node.parts]
        at = 0
        while at < len(scales):
            end = at + 1
            while end < len(scales) and scales[at] and scales[end] == scales[at]:
                end += 1
            part = node.parts[at]
            lead = node.parts[at - 1] if at and node.kind == "&&" else None
            if end > at + 1:
                both = Node(
                    node.kind, part.start, node.parts[end - 1].end, node.text, node.parts[at:end]
                )
                self.atoms.append(_Atom(scales[at], both, sense))
            elif scales[at] and part.kind not in ("()", "!", "&&", "||", "name"):
                guarded = lead is not None and lead.kind == "defined"
                self.atoms.append(_Atom(scales[at], part, sense, lead if guarded else None))
            else:
                self.walk(part, sense)
            if scales[at] and scales[at] in scales[end:]:
                self.loose = "it tests the same number in several places"
            at = end

    def _is_guard(self, name: Node) -> bool:
        return name.text in self.guards and name.text not in self.own and name.start in self.places

    def scale(self, node: Node) -> str:
        """The one scale of all macros in a part of a condition, "" if there is none or more."""
        found = ""
        for each in node.walk():
            if each.kind == "defined" or (each.kind == "call" and each.text != b"NCCL_VERSION"):
                return ""
            if each.kind != "name":
                continue
            scale = scale_of(each.text) if self._is_guard(each) else ""
            if not scale or found not in ("", scale):
                return ""
            found = scale
        return found


def _answer(
    node: Node, answers: Mapping[tuple[int, int], bool | None], on_device: bool
) -> bool | None:
    """What a condition comes to by the answers to its parts, None if others decide it."""
    span = node.start, node.end
    if span in answers:
        return answers[span]
    if node.kind == "defined":
        return on_device if node.text == b"__CUDA_ARCH__" else None
    parts = [_answer(part, answers, on_device) for part in node.parts]
    if node.kind == "()":
        return parts[0]
    if node.kind == "!":
        return None if parts[0] is None else not parts[0]
    if node.kind in ("&&", "||"):
        ends = node.kind == "||"
        if ends in parts:
            return ends
        return None if None in parts else not ends
    return None


def _picks(values: Sequence[bool | None], cards: Sequence[int]) -> bool:
    """Does a test hold on just these cards, as far as its numbers reach, and on more than one?"""
    listed = load_rules().architectures
    changes = [n for n in range(1, len(values)) if values[n] != values[n - 1]]
    within = range(changes[0], changes[-1] + 1)
    held = [values[n] for n in within]
    return held.count(True) > 1 and held == [listed[n] in cards for n in within] and not values[0]


def _renamed(node: Node, names: Mapping[bytes, bytes]) -> Node:
    """The same with other names, where `defined` does not ask for the name itself."""
    if node.kind == "defined":
        return node
    text = names.get(node.text, node.text) if node.kind == "name" else node.text
    return replace(node, text=text, parts=tuple(_renamed(p, names) for p in node.parts))


def _sense(node: Node, name: bytes, sense: int) -> int:
    """1 where the condition holds with the macro, -1 where it holds without, 0 if it is unclear."""
    if node.kind == "name":
        return sense if node.text == name else 0
    if node.kind == "call":
        return sense if node.text == name else 0
    if node.kind == "!":
        return _sense(node.parts[0], name, -sense)
    if node.kind in ("()", "&&", "||"):
        return next((s for p in node.parts if (s := _sense(p, name, sense))), 0)
    return 0


def _bare(node: Node) -> Node:
    while node.kind == "()":
        node = node.parts[0]
    return node


def _is_test(node: Node) -> bool:
    """Is this true or false, and not a number?"""
    node = _bare(node)
    return node.kind in ("&&", "||", "!", "defined") or node.text in _COMPARISONS


def _asks_presence(node: Node) -> bool:
    """`X > 0`, `X != 0`, `X >= 1`: is it there at all?"""
    bare = _bare(node)
    if bare.text not in _COMPARISONS or not all(_bare(p).kind in _PLAIN for p in bare.parts):
        return False
    return all((number(n.text) or 0) <= 1 for n in node.walk() if n.kind == "number")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def has_number(condition: bytes, name: bytes) -> bool:
    """Is `name` more than tested for presence or truth in this #if condition?"""
    rest = re.sub(rb"\bdefined\s*(?:\(\s*" + name + rb"\s*\)|" + name + rb"\b)", b"1", condition)
    for match in re.finditer(rb"(?<![\w$])" + name + rb"(?![\w$])", rest):
        before = _LEFT.sub(b"", rest[: match.start()])
        after = _RIGHT.sub(b"", rest[match.end() :])
        alone = (not before or before.endswith((b"&&", b"||", b"!"))) and (
            not after or after.startswith((b"&&", b"||"))
        )
        if not alone:
            return True
    return False


_LEFT = re.compile(rb"(?:(?<![\w$])\(|\s|\\|!)*$")  # grouping, not the ( of a call
_RIGHT = re.compile(rb"^(?:\)|\s|\\)*")
