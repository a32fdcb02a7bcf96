"""What a run found, for every reader: terminal, editors, CI, other programs, a browser.

Every `render_` function is pure: a plan in, text out. Positions are those of the original file.
What comes from the user's tree (names, code, messages that quote them) never reaches a terminal or
a page unescaped.
"""

from __future__ import annotations

import json
import re
import shlex
import textwrap
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from sigtrans import __version__, catalogue
from sigtrans.plan import FileResult, Plan, Status
from sigtrans.source import (
    Diagnostic,
    Edit,
    Safety,
    Severity,
    SigtransError,
    decode,
    line_starts,
)

if TYPE_CHECKING:
    from pathlib import Path

# The original bytes of a file of the plan; None when it cannot be read any more.
ReadSource = Callable[[str], bytes | None]
# Evidence grade ("seen", "rule", …) of the edit that replaces these original bytes; "" if none.
FindGrade = Callable[[bytes], str]

SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


# ---------------------------------------------------------------------------------------- counting


@dataclass(frozen=True, slots=True)
class Counts:
    """The totals that every report shows; the four kinds of file add up to `files`."""

    files: int
    ported: int
    unchanged: int
    skipped: int
    failed: int
    exact: int  # edits nobody needs to look at
    review: int  # edits someone should look at
    errors: int
    warnings: int
    notes: int
    silenced: int

    @property
    def edits(self) -> int:
        return self.exact + self.review

    @property
    def findings(self) -> int:
        return self.errors + self.warnings + self.notes


def count(plan: Plan) -> Counts:
    """The totals of a plan."""
    status = Counter(file.status for file in plan.files)
    safety = Counter(edit.safety for file in plan.files for edit in file.edits)
    severity = Counter(diagnostic.severity for _, diagnostic in _all_places(plan))
    return Counts(
        files=len(plan.files),
        ported=status[Status.PORTED],
        unchanged=status[Status.UNCHANGED],
        skipped=status[Status.SKIPPED],
        failed=status[Status.FAILED],
        exact=safety[Safety.EXACT],
        review=safety[Safety.REVIEW],
        errors=severity[Severity.ERROR],
        warnings=severity[Severity.WARNING],
        notes=severity[Severity.NOTE],
        silenced=sum(file.silenced for file in plan.files),
    )


Place = tuple[str, Diagnostic]  # path and diagnostic; the path is "" for the run as a whole


def _all_places(plan: Plan) -> Iterator[Place]:
    for diagnostic in plan.diagnostics:
        yield "", diagnostic
    for file in plan.files:
        for diagnostic in file.diagnostics:
            yield file.path, diagnostic


def _order(place: Place) -> tuple[str, int, int]:
    path, diagnostic = place
    return path, diagnostic.line, diagnostic.column


# ------------------------------------------------------------------------------------------ effort


@dataclass(frozen=True, slots=True)
class FileEffort:
    """Work on one file: edits that are done, edits to look at, places to change by hand."""

    path: str
    kind: str
    automatic: int
    review: int
    by_hand: int
    minutes: float


@dataclass(frozen=True, slots=True)
class CodeEffort:
    """Work on one kind of finding: `reading` once, then `minutes - reading` at the places."""

    code: str
    severity: Severity
    places: int
    files: int
    reading: float
    minutes: float
    first: str  # where to start: path:line
    title: str


@dataclass(frozen=True, slots=True)
class Effort:
    """An estimate of the work that is left; the total is the codes plus the edits to look at."""

    minutes: float
    review_minutes: float
    codes: tuple[CodeEffort, ...]  # most work first
    files: tuple[FileEffort, ...]  # most work first, only files with something in them


@dataclass(frozen=True, slots=True)
class EffortTable:
    """Minutes as rules/effort.tsv gives them: for reading up once, and then at every place."""

    minutes: Mapping[str, tuple[float, float]]  # code, hundred, severity or edit

    def find(self, diagnostic: Diagnostic) -> tuple[float, float]:
        """Minutes to understand this kind of finding once, and minutes at each place."""
        if diagnostic.severity is Severity.NOTE:
            return 0.0, 0.0
        for key in (diagnostic.code, diagnostic.code[:4]):
            if key in self.minutes:
                return self.minutes[key]
        return self.minutes[diagnostic.severity.value]

    @property
    def exact_edit(self) -> float:
        return self.minutes["exact-edit"][1]

    @property
    def review_edit(self) -> float:
        return self.minutes["review-edit"][1]


def load_effort(path: Path) -> EffortTable:
    """The table in `path`; what is wrong in it is named, with its line."""
    minutes: dict[str, tuple[float, float]] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        try:
            what, reading, place, _ = line.split("\t")
            minutes[what] = float(reading), float(place)
        except ValueError as fault:
            raise SigtransError(f"{path.name}:{number}: needs what, reading, place, why") from fault
    if missing := {"exact-edit", "review-edit", "error", "warning"} - set(minutes):
        raise SigtransError(f"{path.name}: needs a line '{min(missing)}'")
    return EffortTable(minutes)


@cache
def _effort_table() -> EffortTable:
    return load_effort(catalogue.data_file("rules", "effort.tsv"))


def find_effort(plan: Plan) -> Effort:
    """The work that is left after the port, by kind of finding and by file."""
    table = _effort_table()
    codes = _code_efforts(_find_groups(plan), table)
    files = [_file_effort(file, table) for file in plan.files if file.edits or file.diagnostics]
    review = sum(file.review for file in files) * table.review_edit
    automatic = sum(file.automatic for file in files) * table.exact_edit
    return Effort(
        minutes=sum(code.minutes for code in codes) + review + automatic,
        review_minutes=review,
        codes=codes,
        files=tuple(sorted(files, key=lambda f: (-f.minutes, -f.by_hand, f.path))),
    )


def _code_efforts(groups: Iterable[_Group], table: EffortTable) -> tuple[CodeEffort, ...]:
    """Most work first."""
    codes = []
    for group in groups:
        minutes = Counter[tuple[float, float]](table.find(d) for _, d in group.places)
        reading = max(reading for reading, _ in minutes)
        codes.append(
            CodeEffort(
                code=group.code,
                severity=group.severity,
                places=len(group.places),
                files=len(group.by_file),
                reading=reading,
                minutes=reading + sum(place * number for (_, place), number in minutes.items()),
                first=_where(group.examples[0]),
                title=_heading(group),
            )
        )
    return tuple(sorted(codes, key=lambda c: (-c.minutes, -c.places, c.code)))


def _file_effort(file: FileResult, table: EffortTable) -> FileEffort:
    review = sum(edit.safety is Safety.REVIEW for edit in file.edits)
    automatic = len(file.edits) - review
    minutes = sum(table.find(diagnostic)[1] for diagnostic in file.diagnostics)
    return FileEffort(
        path=file.path,
        kind=file.kind,
        automatic=automatic,
        review=review,
        by_hand=sum(d.severity is not Severity.NOTE for d in file.diagnostics),
        minutes=minutes + review * table.review_edit + automatic * table.exact_edit,
    )


def render_effort(plan: Plan, width: int = 80, *, most: int = 25) -> str:
    """What `sigtrans scan` says about the work: by kind of finding, then the worst files."""
    effort = find_effort(plan)
    totals = count(plan)
    lines = [
        f"Work left: {_duration(effort.minutes)}, as an estimate: "
        f"{_duration(sum(file.minutes for file in effort.files))} in the files and the rest to "
        "read up, once,",
        "on each kind of finding.",
        f"{totals.exact:,} edits are certain, {totals.review:,} to be looked at, "
        f"{totals.errors + totals.warnings:,} places left to a person.",
    ]
    codes = [code for code in effort.codes if code.minutes > 0]
    if codes:
        rows = [
            [
                code.code,
                f"{code.places:,} in {_count(code.files, 'file'):<{len('1 files')}}",
                _duration(code.minutes),
                plain(code.title),
            ]
            for code in codes[:most]
        ]
        lines += ["", "By kind of finding", *_table(rows, width, right={1, 2})]
        lines += _more(len(codes) - most, "kind")
    files = [file for file in effort.files if file.minutes > 0]
    if files:
        rows = [
            [
                _duration(file.minutes),
                f"{file.automatic:,} done",
                f"{file.review:,} to review",
                f"{file.by_hand:,} by hand",
                plain(file.path),
            ]
            for file in files[:most]
        ]
        lines += ["", "By file", *_table(rows, width, right={0, 1, 2, 3})]
        lines += _more(len(files) - most, "file")
    return "\n".join(lines) + "\n"


def _more(left: int, noun: str) -> list[str]:
    return [f"  … and {_count(left, f'more {noun}')}"] if left > 0 else []


def _duration(minutes: float) -> str:
    """Rounded so that it does not pretend to be exact."""
    if minutes < 1:
        return "none"
    if minutes < 60:
        return f"{max(5, round(minutes / 5) * 5)} min"
    hours = minutes / 60
    return f"{hours:.1f} h" if hours < 10 else f"{hours:,.0f} h"


# ------------------------------------------------------------------------------- text for terminals


def plain(text: str) -> str:
    """`text` on one line and harmless: control, bidi and invisible characters as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if _harmless(c) else _escape(c) for c in text)


def _harmless(char: str) -> bool:
    return char.isprintable() or unicodedata.category(char) == "Zs"


def _escape(char: str) -> str:
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    code = ord(char)
    return named.get(char) or (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def _cells(char: str) -> int:
    """Terminal columns of one character."""
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _width(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cut(text: str, width: int) -> str:
    """`text`, shortened with an ellipsis to at most `width` columns."""
    if _width(text) <= width:
        return text
    out = ""
    left = width - 1
    for char in text:
        left -= _cells(char)
        if left < 0:
            break
        out += char
    return out + "…"


def _cut_path(path: str, width: int) -> str:
    """`path`, shortened at its front, where it says least."""
    if _width(path) <= width:
        return path
    out = ""
    left = width - 1
    for char in reversed(path):
        left -= _cells(char)
        if left < 0:
            break
        out = char + out
    return "…" + out


def _fill(text: str, width: int, indent: str, most: int) -> list[str]:
    """`text` wrapped, at most `most` lines."""
    lines = textwrap.wrap(
        text, max(20, width - len(indent)), max_lines=most, placeholder=" …", break_on_hyphens=False
    )
    return [_cut(indent + line, width) for line in lines]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _table(rows: Sequence[Sequence[str]], width: int, right: set[int]) -> list[str]:
    """Aligned columns; the last one is cut to what is left of `width`."""
    widths = [max(_width(row[n]) for row in rows) for n in range(len(rows[0]))]
    lines = []
    for row in rows:
        line = "  "
        for n, cell in enumerate(row[:-1]):
            pad = " " * (widths[n] - _width(cell))
            line += (pad + cell if n in right else cell + pad) + "  "
        lines.append(_cut(line + row[-1], width))
    return lines


class _Style:
    """ANSI colours, or nothing at all."""

    CODES: Mapping[str, str] = {
        "error": "1;31",
        "warning": "1;33",
        "note": "1;36",
        "bold": "1",
        "dim": "2",
        "ok": "1;32",
        "before": "31",
        "after": "32",
        "before-word": "1;31;7",
        "after-word": "1;32;7",
        "hunk": "36",
    }

    def __init__(self, color: bool) -> None:
        self.color = color

    def __call__(self, name: str, text: str) -> str:
        return f"\x1b[{self.CODES[name]}m{text}\x1b[0m" if self.color and text else text


def _where(place: Place) -> str:
    path, diagnostic = place
    if not path:
        return "the run as a whole"
    return f"{plain(path)}:{diagnostic.line}" if diagnostic.line else plain(path)


def render_concise(plan: Plan) -> str:
    """Every diagnostic on one line that editors and grep understand; nothing when there is none."""
    lines = []
    for path, diagnostic in sorted(_all_places(plan), key=_order):
        at = f"{plain(path)}:{max(1, diagnostic.line)}:{max(1, diagnostic.column)}"
        place = at if path else "sigtrans"
        lines.append(
            f"{place}: {diagnostic.severity.value} {diagnostic.code}: {plain(diagnostic.message)}\n"
        )
    return "".join(lines)


# ----------------------------------------------------------------------------- the terminal summary


@dataclass(frozen=True, slots=True)
class _Group:
    """All places of one kind of finding, in order."""

    code: str
    severity: Severity  # the worst of its places
    places: Sequence[Place]
    by_file: Mapping[str, Sequence[Place]]  # the file with most of them first
    examples: Sequence[Place]  # where to look first


_EXAMPLES = 3


def _find_groups(plan: Plan) -> list[_Group]:
    """Errors first, then by how often."""
    groups: dict[str, list[Place]] = defaultdict(list)
    for place in _all_places(plan):
        groups[place[1].code].append(place)
    found = [_make_group(code, places) for code, places in groups.items()]
    return sorted(found, key=lambda g: (SEVERITIES.index(g.severity), -len(g.places), g.code))


def _make_group(code: str, places: Sequence[Place]) -> _Group:
    severity = min((d.severity for _, d in places), key=SEVERITIES.index)
    files: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        files[place[0]].append(place)
    by_file = dict(sorted(files.items(), key=lambda item: (-len(item[1]), item[0])))
    examples = _find_examples(by_file, severity)
    return _Group(code, severity, places, by_file, examples)


def _find_examples(by_file: Mapping[str, Sequence[Place]], worst: Severity) -> list[Place]:
    """The first place of the fullest file, then places that say something else, then any."""
    seen: set[str] = set()
    new: list[Place] = []
    again: list[Place] = []
    for places in by_file.values():
        for place in places:
            known = place[1].message in seen or place[1].severity is not worst
            if known and len(again) < _EXAMPLES:
                again.append(place)
            elif not known:
                seen.add(place[1].message)
                new.append(place)
            if len(new) == _EXAMPLES:
                return new
    return (new + again)[:_EXAMPLES]


def _heading(group: _Group) -> str:
    """The title of the code; what its first place says where the catalogue has no entry."""
    return catalogue.titles().get(group.code) or group.places[0][1].message


# How much room a group gets, least first: examples with source, lines about further files.
_DETAIL = ((0, 0), (1, 0), (1, 3), (2, 3), (3, 4))


def render_full(
    plan: Plan,
    width: int = 80,
    color: bool = False,
    *,
    landed: str = "",
    in_place: bool = False,
    actions: bool = True,
    lines: int = 70,
) -> str:
    """The summary a person reads after a run.

    It keeps to about `lines` lines however much was found. `landed` is where the port was written,
    "" when nothing was; `actions` False leaves out what `render_effort` says at length.
    """
    width = max(40, width)
    style = _Style(color)
    groups = _find_groups(plan)
    if not groups:
        return _joined([*_clean_end(plan, style), *_landing(landed, in_place)])
    end = _end(plan, groups, width, style, actions)
    end += _where_to_look(plan, count(plan), groups[0].code, landed, in_place)
    body = _body(groups, width, style, max(12, lines - len(end) - 1))
    return _joined([*body, "", *end])


def render_checked(
    plan: Plan, ending: Sequence[str], width: int = 80, color: bool = False, lines: int = 70
) -> str:
    """The findings of a check, as `render_full` shows them, above the last lines given."""
    width = max(40, width)
    style = _Style(color)
    groups = _find_groups(plan)
    if not groups:
        return _joined([*ending, "Nothing was found."])
    code = groups[0].code
    end = [*ending, f"Findings   {_findings_text(count(plan))}"]
    end += ["", f"What a code means:  sigtrans explain {code}"]
    body = _body(groups, width, style, max(12, lines - len(end) - 1))
    return _joined([*body, "", *end])


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _body(groups: Sequence[_Group], width: int, style: _Style, room: int) -> list[str]:
    """The groups, as much of each as fits: all get a row, then the first ones get more."""
    shown = groups[: max(3, room // 3)] if len(groups) > room // 2 else groups
    hidden = groups[len(shown) :]
    detail = [0] * len(shown)
    left = room - len(shown) - 4  # the table has a heading, a blank line and perhaps two more lines
    for level in range(1, len(_DETAIL)):
        for n, group in enumerate(shown):
            if group.severity is Severity.NOTE or detail[n] != level - 1:
                continue
            now = len(_block(group, level - 1, width, style)) if level > 1 else 1
            wanted = len(_block(group, level, width, style)) - now
            if wanted <= left:
                detail[n] = level
                left -= wanted
    out: list[str] = []
    for n, group in enumerate(shown):
        if detail[n]:
            out += _block(group, detail[n], width, style)
    rows = [group for n, group in enumerate(shown) if not detail[n]]
    if rows:
        out += [style("bold", "Also found" if out else "Found"), *_rows(rows, width, style)]
    if hidden:
        places = sum(len(group.places) for group in hidden)
        out.append(f"  … and {_count(len(hidden), 'more kind')}, {_count(places, 'place')}")
    while out and not out[-1]:
        out.pop()
    return out


def _rows(groups: Sequence[_Group], width: int, style: _Style) -> list[str]:
    """One line per group."""
    counts = [f"{len(group.places):,}" for group in groups]
    widest = max(map(len, counts))
    lines = []
    for group, number in zip(groups, counts, strict=True):
        head = f"{group.severity.value:7} {group.code}"
        where = _where(group.places[0])
        room = width - 2 - len(head) - 2 - widest - 2
        text = _cut(plain(_heading(group)), room)
        spare = room - _width(text) - 2
        text += "  " + style("dim", _cut_path(where, spare)) if spare >= 16 else ""
        lines.append(f"  {style(group.severity.value, head)}  {number:>{widest}}  {text}")
    return lines


def _block(group: _Group, level: int, width: int, style: _Style) -> list[str]:
    """One group with its worst places."""
    examples, files = _DETAIL[level]
    by_file = group.by_file
    total = f"{_count(len(group.places), 'place')} in {_count(len(by_file), 'file')}"
    head = f"{group.severity.value} {group.code}"
    title = _cut(plain(_heading(group)), max(10, width - len(head) - len(total) - 4))
    lines = [f"{style(group.severity.value, head)}  {style('bold', title)}  {style('dim', total)}"]
    places = group.examples[:examples]
    helps: set[str] = set()
    for place in places:
        lines += _example(place, width, style)
        if place[1].help and place[1].help not in helps:
            helps.add(place[1].help)
            arrow = _fill("→ " + plain(place[1].help), width - 2, "      ", 3)
            lines += arrow[:1] + ["  " + line for line in arrow[1:]]
    shown = Counter(path for path, _ in places)
    rest = {path: len(found) - shown[path] for path, found in by_file.items()}
    rest = {path: number for path, number in rest.items() if number}
    named = list(rest)[:files]
    if named:
        chosen = set(map(id, places))
        lines += _file_rows(
            [(path, [x for x in by_file[path] if id(x) not in chosen]) for path in named],
            width,
            style,
        )
    places_left = sum(rest.values()) - sum(rest[path] for path in named)
    files_left = len(rest) - len(named)
    if places_left:
        lines.append(style("dim", f"  … and {places_left:,} more in {_count(files_left, 'file')}"))
    return [*lines, ""]


def _file_rows(
    files: Sequence[tuple[str, Sequence[Place]]], width: int, style: _Style
) -> list[str]:
    """`path  12 more: lines 3, 8, 14, …`"""
    room = max(16, width // 2)
    names = [_cut_path(plain(path) or "the run as a whole", room) for path, _ in files]
    widest = max(map(_width, names))
    lines = []
    for name, (path, places) in zip(names, files, strict=True):
        numbers = list(dict.fromkeys(place[1].line for place in places))
        text = f"{len(places):,} more"
        if path:
            text += ": line " if len(numbers) == 1 else ": lines "
            text += ", ".join(map(str, numbers[:12])) + (", …" if len(numbers) > 12 else "")
        pad = " " * (widest - _width(name))
        lines.append(f"  {name}{pad}  " + style("dim", _cut(text, width - widest - 4)))
    return lines


def _example(place: Place, width: int, style: _Style) -> list[str]:
    """Where it is, the line of code with the place marked, and what is wrong."""
    path, diagnostic = place
    at = f":{diagnostic.line}:{diagnostic.column}" if path and diagnostic.line else ""
    name = _cut_path(plain(path) or "the run as a whole", width - len(at) - 2)
    lines = [f"  {style('bold', name + at)}"]
    number = str(diagnostic.line)
    if diagnostic.excerpt.strip():
        code, start, length = _excerpt(diagnostic, width - len(number) - 7)
        mark = " " * start + style(diagnostic.severity.value, "^" + "~" * (length - 1))
        lines.append(f"    {style('dim', number + ' │')} {code}")
        lines.append(f"    {style('dim', ' ' * len(number) + ' │')} {mark}")
    return lines + _fill(plain(diagnostic.message), width, "      ", 4)


def _excerpt(diagnostic: Diagnostic, room: int) -> tuple[str, int, int]:
    """The source line for display in `room` columns, and where its marked part starts and ends."""
    text = diagnostic.excerpt
    skipped = len(text) - len(text.lstrip(" \t"))
    first = min(max(diagnostic.column - 1, skipped), len(text))
    last = first + _marked_length(text[first:], diagnostic)
    cells = [" " if c == "\t" else plain(c) for c in text]
    code = "".join(cells[skipped:])
    start = _width("".join(cells[skipped:first]))
    length = max(1, _width("".join(cells[first:last])))
    if _width(code) <= room:
        return code, start, length
    if start + min(length, room // 2) > room - 1:  # the marked part would fall off the right edge
        drop = 0
        gone = 0
        while start - gone > room // 4 and drop < len(code) - 1:
            gone += _cells(code[drop])
            drop += 1
        code = "…" + code[drop:]
        start = start - gone + 1
    code = _cut(code, room)
    return code, start, max(1, min(length, _width(code) - start))


def _marked_length(text: str, diagnostic: Diagnostic) -> int:
    """Characters of `text` that the span covers; the span is in bytes, so walk along."""
    left = diagnostic.span.end - diagnostic.span.start
    for number, char in enumerate(text):
        if left <= 0:
            return number
        left -= len(char.encode("utf-8", "replace"))
    return len(text.rstrip())


def _end(
    plan: Plan, groups: Sequence[_Group], width: int, style: _Style, actions: bool
) -> list[str]:
    """Totals and what to do next."""
    totals = count(plan)
    table = _effort_table()
    codes = _code_efforts(groups, table)
    review = totals.review * table.review_edit
    minutes = sum(code.minutes for code in codes) + review + totals.exact * table.exact_edit
    rows = [
        ("Files", _files_text(totals)),
        ("Edits", _edits_text(totals)),
        ("Findings", _findings_text(totals)),
    ]
    if plan.helpers:
        rows.append(("Helpers", f"{', '.join(plan.helpers)}, in the port's root folder"))
    rows += _reasons(plan, Status.SKIPPED, "Skipped")
    rows += _failed(plan)
    if minutes:
        rows.append(("Work left", f"{_duration(minutes)} by hand, as an estimate"))
    lines = []
    for name, text in rows:
        filled = textwrap.wrap(text, width - 11, max_lines=2, placeholder=" …") or [""]
        lines.append(style("bold", f"{name:11}") + filled[0])
        lines += [" " * 11 + line for line in filled[1:]]
    return [*lines, "", *(_actions(codes, totals.review, review, width, style) if actions else [])]


def _files_text(totals: Counts) -> str:
    return (
        f"{totals.files:,}: {totals.ported:,} ported, {totals.unchanged:,} unchanged, "
        f"{totals.skipped:,} skipped, {totals.failed:,} failed"
    )


def _edits_text(totals: Counts) -> str:
    if not totals.edits:
        return "none"
    if not totals.review:
        return f"{totals.edits:,}, all certain"
    return f"{totals.edits:,}: {totals.exact:,} certain, {totals.review:,} to look at"


def _findings_text(totals: Counts) -> str:
    numbers = (
        (totals.errors, "error"),
        (totals.warnings, "warning"),
        (totals.notes, "note"),
    )
    text = ", ".join(_count(number, noun) for number, noun in numbers if number) or "none"
    return text + _silenced_text(totals)


def _silenced_text(totals: Counts) -> str:
    if not totals.silenced:
        return ""
    return f" ({totals.silenced:,} more silenced by configuration or marks)"


def _reasons(plan: Plan, status: Status, name: str) -> list[tuple[str, str]]:
    """`12 binary, 3 too large`, most common first."""
    reasons = Counter(file.reason for file in plan.files if file.status is status)
    if not reasons:
        return []
    common = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    text = "; ".join(f"{number:,} {plain(why) or 'without a reason'}" for why, number in common[:4])
    more = len(common) - 4
    return [(name, text + (f"; {_count(more, 'more reason')}" if more > 0 else ""))]


def _failed(plan: Plan) -> list[tuple[str, str]]:
    failed = [file for file in plan.files if file.status is Status.FAILED]
    rows = [("Failed", f"{plain(file.path)}: {plain(file.reason)}") for file in failed[:3]]
    if len(failed) > 3:
        rows.append(("", f"… and {_count(len(failed) - 3, 'more file')}; each was left as it was"))
    return rows


def _actions(
    codes: Sequence[CodeEffort], reviews: int, review_minutes: float, width: int, style: _Style
) -> list[str]:
    """What to do next: what costs most first, five lines at most."""
    todo = [
        (
            code.minutes,
            f"{code.code} {plain(code.title)}",
            f"{code.places:,} places from " if code.places > 1 else "",
            code.first,
        )
        for code in codes
        if code.minutes > 0
    ]
    if review_minutes:
        what = f"Look at {_count(reviews, 'edit')} that {'is' if reviews == 1 else 'are'} marked"
        todo.append((review_minutes, what, "", ""))
    if not todo:
        return []
    todo.sort(key=lambda item: -item[0])
    lines = [style("bold", "What to do next, most work first")]
    for number, (minutes, what, many, where) in enumerate(todo[:5], 1):
        head = f"  {number}. {_duration(minutes):>6}  "
        room = width - len(head)
        what = _cut(what, room)
        spare = room - _width(what) - 2 - len(many)
        if where and spare >= 14:
            what += "  " + style("dim", many + _cut_path(where, spare))
        lines.append(head + what)
    if len(todo) > 5:
        rest = sum(minutes for minutes, *_ in todo[5:])
        lines.append(f"     {_duration(rest):>6}  {_count(len(todo) - 5, 'more kind')} of work")
    return [*lines, ""]


def _where_to_look(plan: Plan, totals: Counts, code: str, landed: str, in_place: bool) -> list[str]:
    root = shlex.quote(plain(plan.root))
    again = (
        "with --output-format concise, or --report findings.html, before the port"
        if in_place
        else f"sigtrans scan {root} --output-format concise"
    )
    return [
        *_landing(landed, in_place),
        f"All {_count(totals.findings, 'finding')}, one a line:  {again}",
        f"What a code means:  sigtrans explain {code}",
    ]


def _landing(landed: str, in_place: bool) -> list[str]:
    if not landed:
        return ["Nothing was written."]
    place = shlex.quote(plain(landed))
    if in_place:
        return [f"{plain(landed)} was ported in place; take it back:  sigtrans undo {place}"]
    return [f"The port is in {plain(landed)}; every edit:  sigtrans diff {place}"]


def _clean_end(plan: Plan, style: _Style) -> list[str]:
    """Nothing was found."""
    totals = count(plan)
    edits = _edits_text(totals)
    left = "nothing is left to do by hand" if totals.ported else "nothing here looks like CUDA"
    if totals.review:
        left = "look at those, nothing else is left to do"
    lines = [style("bold", f"{'Files':11}") + _files_text(totals)]
    lines += [style("bold", f"{name:11}") + text for name, text in _failed(plan)]
    lines.append(style("bold", f"{'Edits':11}") + f"{edits}; {left}{_silenced_text(totals)}.")
    return lines


# ----------------------------------------------------------------------- for other programs, and CI


class _Positions:
    """Offsets of one file as lines and columns, both from 1, counted as an editor counts them."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.starts = line_starts(data)
        self.ascii = data.isascii()

    def at(self, offset: int) -> tuple[int, int]:
        offset = min(offset, len(self.data))
        line = bisect_right(self.starts, offset)
        start = self.starts[line - 1]
        if self.ascii:
            return line, offset - start + 1
        before = self.data[start:offset]
        if line == 1 and before.startswith(b"\xef\xbb\xbf"):
            before = before[3:]
        return line, len(decode(before)) + 1


def _positions(file: FileResult, read_source: ReadSource) -> _Positions | None:
    if not file.edits and not file.diagnostics:
        return None
    data = read_source(file.path)
    return None if data is None else _Positions(data)


_UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
_DUMPS = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_SURROGATE = re.compile("[\ud800-\udfff]")


def _dump(value: object, depth: int) -> str:
    """JSON that any UTF-8 reader takes and that is harmless in a terminal.

    Objects and lists down to `depth` get a line per member, what is deeper stays on one line: it
    can be searched line by line, and is written ten times faster than with an indent everywhere.
    """
    text = _dump_lines(value, depth, "") + "\n"
    if not text.isascii():
        # a lone surrogate stands for a byte of a file name that is not UTF-8: JSON has none
        text = _SURROGATE.sub(lambda found: f"\\\\x{ord(found[0]) & 0xFF:02x}", text)
    return _UNSEEN.sub(_json_escape, text)


def _dump_lines(value: object, depth: int, indent: str) -> str:
    inner = indent + "  "
    if depth and value and isinstance(value, dict):
        members = [
            f"{inner}{_DUMPS(key)}: {_dump_lines(item, depth - 1, inner)}"
            for key, item in value.items()
        ]
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if depth and value and isinstance(value, list):
        members = [inner + _dump_lines(item, depth - 1, inner) for item in value]
        return "[\n" + ",\n".join(members) + f"\n{indent}]"
    return _DUMPS(value)


def _json_escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def render_json(plan: Plan, read_source: ReadSource, find_grade: FindGrade | None = None) -> str:
    """Everything about the run; docs/report.md describes every field."""
    totals = count(plan)
    effort = find_effort(plan)
    return _dump(
        {
            "schema": 1,
            "tool": {"name": "sigtrans", "version": __version__},
            "root": plan.root,
            "targets": list(plan.targets),
            "sdk": plan.sdk,
            "totals": _totals_json(totals),
            "effort": _effort_json(effort),
            "helpers": list(plan.helpers),
            "diagnostics": [_diagnostic_json(d, None) for d in plan.diagnostics],
            "files": [_file_json(file, read_source, find_grade) for file in plan.files],
        },
        depth=2,
    )


def _totals_json(totals: Counts) -> dict[str, int]:
    return {
        "files": totals.files,
        "ported": totals.ported,
        "unchanged": totals.unchanged,
        "skipped": totals.skipped,
        "failed": totals.failed,
        "edits": totals.edits,
        "edits_exact": totals.exact,
        "edits_review": totals.review,
        "diagnostics": totals.findings,
        "errors": totals.errors,
        "warnings": totals.warnings,
        "notes": totals.notes,
        "silenced": totals.silenced,
    }


def _effort_json(effort: Effort) -> dict[str, object]:
    return {
        "hours": round(effort.minutes / 60, 2),
        "review_hours": round(effort.review_minutes / 60, 2),
        "codes": [
            {
                "code": code.code,
                "severity": code.severity.value,
                "places": code.places,
                "files": code.files,
                "reading_hours": round(code.reading / 60, 2),
                "hours": round(code.minutes / 60, 2),
            }
            for code in effort.codes
        ],
    }


def _file_json(
    file: FileResult, read_source: ReadSource, find_grade: FindGrade | None
) -> dict[str, object]:
    positions = _positions(file, read_source)
    work = _file_effort(file, _effort_table())
    return {
        "path": file.path,
        "port_path": file.port_path,
        "kind": file.kind,
        "status": file.status.value,
        "reason": file.reason,
        "size": file.size,
        "silenced": file.silenced,
        "effort": {
            "automatic": work.automatic,
            "review": work.review,
            "by_hand": work.by_hand,
            "hours": round(work.minutes / 60, 2),
        },
        "edits": [_edit_json(edit, positions, find_grade) for edit in file.edits],
        "diagnostics": [_diagnostic_json(d, positions) for d in file.diagnostics],
    }


def _edit_json(
    edit: Edit, positions: _Positions | None, find_grade: FindGrade | None
) -> dict[str, object]:
    before = None if positions is None else positions.data[edit.span.start : edit.span.end]
    return {
        **_range_json(edit.span.start, edit.span.end, positions),
        "before": None if before is None else decode(before),
        "after": decode(edit.text),
        "rule": edit.rule,
        "safety": edit.safety.name.lower(),
        "grade": find_grade(before) if find_grade and before is not None else "",
    }


def _diagnostic_json(diagnostic: Diagnostic, positions: _Positions | None) -> dict[str, object]:
    place = _range_json(diagnostic.span.start, diagnostic.span.end, positions)
    if positions is None and diagnostic.line:
        place |= {"line": diagnostic.line, "column": diagnostic.column}
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "title": catalogue.titles().get(diagnostic.code, ""),
        "message": diagnostic.message,
        "help": diagnostic.help,
        "rule": diagnostic.rule,
        **place,
        "excerpt": diagnostic.excerpt,
    }


def _range_json(start: int, end: int, positions: _Positions | None) -> dict[str, object]:
    line, column = positions.at(start) if positions else (None, None)
    end_line, end_column = positions.at(end) if positions else (None, None)
    return {
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "start": start,
        "end": end,
    }


def render_sarif(plan: Plan, read_source: ReadSource) -> str:
    """SARIF 2.1.0; the edits that want a look come as fixes."""
    codes = sorted({d.code for _, d in _all_places(plan)})
    results: list[dict[str, object]] = []
    for index, file in enumerate(plan.files):
        results += _sarif_results(file, index, _positions(file, read_source), codes)
    run = {
        "tool": {
            "driver": {
                "name": "sigtrans",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_sarif_rule(code) for code in codes],
            }
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {
                        "descriptor": {"id": d.code},
                        "level": d.severity.value,
                        "message": {"text": _sentence(d)},
                    }
                    for d in plan.diagnostics
                ],
            }
        ],
        "originalUriBaseIds": {
            "SOURCE": {"description": {"text": "The source tree that sigtrans was given."}}
        },
        "columnKind": "unicodeCodePoints",
        "artifacts": [_sarif_artifact(file) for file in plan.files],
        "results": results,
        "properties": {"targets": list(plan.targets), "sdk": plan.sdk},
    }
    return _dump(
        {
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
            "sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        },
        depth=4,
    )


def _sentence(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.message}\n{diagnostic.help}" if diagnostic.help else diagnostic.message


def _sarif_rule(code: str) -> dict[str, object]:
    entry = catalogue.find(code)
    if entry is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.meaning},
        "help": {
            "text": f"{entry.meaning}\n\nWhat to do: {entry.action}",
            "markdown": f"{entry.meaning}\n\n**What to do.** {entry.action}",
        },
        "defaultConfiguration": {"level": entry.severity.value},
    }


def _sarif_uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path.encode("utf-8", "surrogateescape"), safe="/")


def _sarif_location(file: FileResult, index: int) -> dict[str, object]:
    return {"uri": _sarif_uri(file.path), "uriBaseId": "SOURCE", "index": index}


def _sarif_artifact(file: FileResult) -> dict[str, object]:
    properties = {"status": file.status.value, "kind": file.kind}
    if file.reason:
        properties["reason"] = file.reason
    if file.port_path:
        properties["portPath"] = file.port_path
    return {
        "location": {"uri": _sarif_uri(file.path), "uriBaseId": "SOURCE"},
        "length": file.size,
        "properties": properties,
    }


def _sarif_results(
    file: FileResult, index: int, positions: _Positions | None, codes: Sequence[str]
) -> Iterator[dict[str, object]]:
    to_review = [edit for edit in file.edits if edit.safety is Safety.REVIEW]
    fixed: set[Edit] = set()
    seen: Counter[str] = Counter()
    for diagnostic in file.diagnostics:
        start, end = diagnostic.span.start, diagnostic.span.end
        region = _sarif_region(start, end, positions)
        if positions is None:
            region = {"startLine": max(1, diagnostic.line)}
            region |= {"startColumn": diagnostic.column} if diagnostic.column else {}
        fixes = [e for e in to_review if e.span.start <= end and start <= e.span.end]
        fixed.update(fixes)
        result: dict[str, object] = {
            "ruleId": diagnostic.code,
            "ruleIndex": codes.index(diagnostic.code),
            "level": diagnostic.severity.value,
            "message": {"text": _sentence(diagnostic)},
            "locations": [_sarif_place(file, index, region)],
            "partialFingerprints": _fingerprint(diagnostic.code, diagnostic.excerpt, seen),
        }
        if fixes and positions:
            result["fixes"] = [_sarif_fix(file, index, fixes, positions)]
        yield result
    for edit in to_review:
        if positions is None or edit in fixed:
            continue
        region = _sarif_region(edit.span.start, edit.span.end, positions)
        before = decode(positions.data[edit.span.start : edit.span.end])
        yield {
            "ruleId": edit.rule,
            "kind": "review",
            "level": "none",
            "message": {"text": f"Look at this edit: '{before}' becomes '{decode(edit.text)}'."},
            "locations": [_sarif_place(file, index, region)],
            "partialFingerprints": _fingerprint(edit.rule, before, seen),
            "fixes": [_sarif_fix(file, index, [edit], positions)],
        }


def _sarif_place(file: FileResult, index: int, region: Mapping[str, int]) -> dict[str, object]:
    return {
        "physicalLocation": {"artifactLocation": _sarif_location(file, index), "region": region}
    }


def _sarif_region(start: int, end: int, positions: _Positions | None) -> dict[str, int]:
    if positions is None:
        return {"startLine": 1}
    line, column = positions.at(start)
    end_line, end_column = positions.at(max(start, end))
    return {
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
    }


def _sarif_fix(
    file: FileResult, index: int, edits: Sequence[Edit], positions: _Positions
) -> dict[str, object]:
    replacements = [
        {
            "deletedRegion": _sarif_region(edit.span.start, edit.span.end, positions),
            "insertedContent": {"text": decode(edit.text)},
        }
        for edit in edits
    ]
    return {
        "description": {"text": f"What the port does here ({edits[0].rule})."},
        "artifactChanges": [
            {"artifactLocation": _sarif_location(file, index), "replacements": replacements}
        ],
    }


def _fingerprint(code: str, line: str, seen: Counter[str]) -> dict[str, str]:
    """The same for the same finding when lines above it come or go."""
    from hashlib import sha256

    text = code + "\n" + "".join(line.split())
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    seen[digest] += 1
    return {"primaryLocationLineHash": f"{digest}:{seen[digest]}"}


def render_github(plan: Plan) -> str:
    """Workflow commands that GitHub shows beside the lines of a pull request."""
    names = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
    lines = []
    for path, diagnostic in sorted(_all_places(plan), key=_order):
        fields = {"title": diagnostic.code}
        if path:
            fields = {
                "file": path,
                "line": str(max(1, diagnostic.line)),
                "col": str(max(1, diagnostic.column)),
                **fields,
            }
        text = ",".join(f"{key}={_github_field(value)}" for key, value in fields.items())
        message = _github_text(_sentence(diagnostic))
        lines.append(f"::{names[diagnostic.severity]} {text}::{message}\n")
    return "".join(lines)


def _github_text(text: str) -> str:
    """Line ends as the runner's escapes, other control characters made visible."""
    kept = re.split(r"(\r\n|[\r\n%])", text)
    codes = {"%": "%25", "\r\n": "%0A", "\r": "%0A", "\n": "%0A"}
    return "".join(codes.get(part) or plain(part) for part in kept)


def _github_field(text: str) -> str:
    return plain(text).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


# ------------------------------------------------------------------------------- before and after


def render_diff(
    path: str, before: bytes, after: bytes, color: bool = False, *, port_path: str = ""
) -> str:
    """A unified diff for the terminal; "" when nothing changed. Not for `patch`: it is decoded."""
    if before == after:
        return ""
    style = _Style(color)
    old, new = _lines(before), _lines(after)
    out = [
        style("bold", f"--- {plain(path)}"),
        style("bold", f"+++ {plain(port_path or path)}"),
    ]
    for group in _grouped(_opcodes(old, new), 3):
        first, last = group[0], group[-1]
        old_range = _hunk_range(first[1], last[2])
        new_range = _hunk_range(first[3], last[4])
        out.append(style("hunk", f"@@ -{old_range} +{new_range} @@"))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                out += [" " + _shown(line) for line in old[i1:i2]]
            else:
                out += _changed(old[i1:i2], new[j1:j2], style)
    return "\n".join(out) + "\n"


Opcode = tuple[str, int, int, int, int]


def _lines(data: bytes) -> list[str]:
    """Decoded lines, each with its own line end."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z", decode(data))


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """What changed, line by line; renames keep the line count, so try that before searching."""
    top = 0
    while top < min(len(old), len(new)) and old[top] == new[top]:
        top += 1
    tail = 0
    while tail < min(len(old), len(new)) - top and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    i_end, j_end = len(old) - tail, len(new) - tail
    middle: list[Opcode]
    if len(old) == len(new):
        middle = []
        for n in range(top, i_end):
            tag = "equal" if old[n] == new[n] else "replace"
            if middle and middle[-1][0] == tag:
                _, i1, _, j1, _ = middle[-1]
                middle[-1] = (tag, i1, n + 1, j1, n + 1)
            else:
                middle.append((tag, n, n + 1, n, n + 1))
    else:
        from difflib import SequenceMatcher

        matcher = SequenceMatcher(None, old[top:i_end], new[top:j_end], autojunk=True)
        middle = [
            (tag, i1 + top, i2 + top, j1 + top, j2 + top)
            for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        ]
    head: list[Opcode] = [("equal", 0, top, 0, top)] if top else []
    end: list[Opcode] = [("equal", i_end, len(old), j_end, len(new))] if tail else []
    return [*head, *middle, *end]


def _grouped(opcodes: Sequence[Opcode], context: int) -> Iterator[list[Opcode]]:
    """Changes with `context` equal lines around them; near ones together."""
    group: list[Opcode] = []
    for n, (tag, i1, i2, j1, j2) in enumerate(opcodes):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        first, last = n == 0, n == len(opcodes) - 1
        if not first and (last or i2 - i1 > 2 * context):
            keep = min(context, i2 - i1)
            group.append((tag, i1, i1 + keep, j1, j1 + keep))
            yield group
            group = []
            if last:
                return
        if first or not group:
            keep = min(context, i2 - i1)
            i1, j1 = i2 - keep, j2 - keep
        group.append((tag, i1, i2, j1, j2))
    if any(tag != "equal" for tag, *_ in group):
        yield group


def _hunk_range(start: int, end: int) -> str:
    length = end - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _changed(old: Sequence[str], new: Sequence[str], style: _Style) -> list[str]:
    """Removed and added lines; where they pair up, the changed words stand out."""
    if len(old) != len(new) or not style.color:
        ends = _ends_differ(old, new)
        return [
            *(style("before", "-" + _shown(line, ends)) for line in old),
            *(style("after", "+" + _shown(line, ends)) for line in new),
        ]
    minus, plus = [], []
    for before, after in zip(old, new, strict=True):
        ends = _ends_differ([before], [after])
        one, two = _marked_words(_shown(before, ends), _shown(after, ends), style)
        minus.append(style("before", "-") + one)
        plus.append(style("after", "+") + two)
    return minus + plus


def _ends_differ(old: Sequence[str], new: Sequence[str]) -> bool:
    ends = {_line_end(line) for line in old}, {_line_end(line) for line in new}
    return all(ends) and ends[0] != ends[1]


def _line_end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _shown(line: str, end: bool = False) -> str:
    """One line for display, tabs kept; `end` also shows what ends the line."""
    body = line.rstrip("\r\n")
    text = "\t".join(plain(part) for part in body.split("\t"))
    if not _line_end(line):
        return text + "  (no newline at the end)"
    return text + plain(_line_end(line)) if end else text


_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


def _marked_words(before: str, after: str, style: _Style) -> tuple[str, str]:
    from difflib import SequenceMatcher

    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) + len(new) > 600:
        return style("before", before), style("after", after)
    one, two = "", ""
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        suffix = "" if tag == "equal" else "-word"
        one += style("before" + suffix, "".join(old[i1:i2]))
        two += style("after" + suffix, "".join(new[j1:j2]))
    return one, two


# -------------------------------------------------------------------------------- one page of HTML

# A page with 1,000 ported files has to open at once: this is how much code it may carry.
FILE_LINES = 3_000  # lines of diff of one file
FILE_CHARACTERS = 200_000
PAGE_CHARACTERS = 16_000_000  # all files together; later files keep their findings, not their diff
_CONTEXT = 3

Piece = str | list[object]  # text, or [before, after, rule, safety, grade]


def render_html(
    plan: Plan,
    read_source: ReadSource,
    find_grade: FindGrade | None = None,
    *,
    landed: str = "",
) -> str:
    """One page, nothing from outside: totals, files, diffs with the findings beside them."""
    from hashlib import sha256

    from jinja2 import Environment, StrictUndefined

    def digest(script: str) -> str:
        import base64

        return base64.b64encode(sha256(script.encode()).digest()).decode()

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["sha256"] = digest
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    template = catalogue.data_file("templates", "report.html.j2").read_text("utf-8")
    totals = count(plan)
    effort = find_effort(plan)
    data = _page_data(plan, effort, read_source, find_grade)
    return environment.from_string(template).render(
        root=plain(plan.root),
        version=__version__,
        targets=plain(", ".join(plan.targets)),
        sdk=plain(plan.sdk),
        landed=plain(landed),
        counts=totals,
        parts=[
            (status.value, sum(file.status is status for file in plan.files)) for status in Status
        ],
        work=_duration(effort.minutes),
        run=[
            {
                "severity": d.severity,
                "code": d.code,
                "message": plain(d.message),
                "help": plain(d.help),
            }
            for d in plan.diagnostics
        ],
        kinds=data["kinds"],
        data=data,
    )


def _page_data(
    plan: Plan, effort: Effort, read_source: ReadSource, find_grade: FindGrade | None
) -> dict[str, object]:
    names = _Names()
    left = PAGE_CHARACTERS
    files = []
    for file in plan.files:
        shown, used = _page_file(file, read_source, find_grade, names, left)
        left -= used
        files.append(shown)
    minutes = {code.code: code.minutes for code in effort.codes}
    kinds = [
        {
            "code": group.code,
            "severity": group.severity.value,
            "title": plain(_heading(group)),
            "places": len(group.places),
            "files": len(group.by_file),
            "work": _duration(minutes[group.code]) if minutes[group.code] else "",
        }
        for group in _find_groups(plan)
    ]
    codes = {}
    for kind in kinds:
        if entry := catalogue.find(str(kind["code"])):
            codes[entry.code] = {"meaning": entry.meaning, "action": entry.action}
    return {
        "kinds": kinds,
        "codes": codes,
        "rules": list(names.rules),
        "grades": list(names.grades),
        "files": files,
    }


class _Names:
    """Rules and grades, each named once on the page and then by number."""

    def __init__(self) -> None:
        self.rules: dict[str, int] = {}
        self.grades: dict[str, int] = {}

    def rule(self, name: str) -> int:
        return self.rules.setdefault(plain(name), len(self.rules))

    def grade(self, name: str) -> int:
        return self.grades.setdefault(plain(name), len(self.grades)) + 1 if name else 0


def _page_file(
    file: FileResult,
    read_source: ReadSource,
    find_grade: FindGrade | None,
    names: _Names,
    left: int,
) -> tuple[dict[str, object], int]:
    positions = _positions(file, read_source)
    hunks: list[list[object]] = []
    used = 0
    missing = ""
    if positions is None and (file.edits or file.diagnostics):
        missing = "The original cannot be read any more, so its code is not shown."
    elif positions is not None:
        room = min(FILE_CHARACTERS, left)
        hunks, used, gone = _page_hunks(file, positions, find_grade, names, room)
        if gone:
            missing = (
                f"{_count(gone, 'more changed region')} left out to keep this page small; "
                "sigtrans diff shows them."
            )
    review = sum(edit.safety is Safety.REVIEW for edit in file.edits)
    return {
        "p": plain(file.path),
        "q": plain(file.port_path),
        "k": file.kind,
        "s": file.status.value,
        "r": plain(file.reason),
        "n": file.silenced,
        "e": [len(file.edits) - review, review],
        "d": [
            [d.line, d.column, d.severity.value, d.code, plain(d.message), plain(d.help)]
            for d in file.diagnostics
        ],
        "h": hunks,
        "x": missing,
    }, used


def _page_hunks(
    file: FileResult,
    positions: _Positions,
    find_grade: FindGrade | None,
    names: _Names,
    room: int,
) -> tuple[list[list[object]], int, int]:
    """The changed regions of one file, how many characters they take, how many were left out."""
    regions = _regions(file, positions)
    decoder = _Decoder(positions.data)
    edits = sorted(file.edits)
    hunks: list[list[object]] = []
    used = lines = at = shift = 0
    for number, (first, last) in enumerate(regions):
        start = positions.starts[first - 1]
        end = positions.starts[last] if last < len(positions.starts) else len(positions.data)
        lines += last - first + 1
        size = end - start
        inside = []
        while at < len(edits) and edits[at].span.start < end:
            inside.append(edits[at])
            size += len(edits[at].text)
            at += 1
        if at < len(edits) and edits[at].span.start == end == len(positions.data):
            inside += edits[at:]
            at = len(edits)
        if used + size > room or lines > FILE_LINES:
            return hunks, used, len(regions) - number
        used += size
        pieces: list[Piece] = []
        hunks.append([first, first + shift, pieces])
        position = start
        for edit in inside:
            if edit.span.start > position:
                pieces.append(decoder(positions.data[position : edit.span.start]))
            before = positions.data[edit.span.start : edit.span.end]
            grade = find_grade(before) if find_grade else ""
            old, new = decoder(before), decoder(edit.text)
            pieces.append([old, new, names.rule(edit.rule), int(edit.safety), names.grade(grade)])
            shift += new.count("\n") - old.count("\n")
            position = max(position, edit.span.end)
        if position < end:
            pieces.append(decoder(positions.data[position:end]))
    return hunks, used, 0


def _regions(file: FileResult, positions: _Positions) -> list[tuple[int, int]]:
    """First and last line of everything worth showing, with context, near ones together."""
    spans = [(edit.span.start, edit.span.end) for edit in file.edits]
    # a finding about many lines (a whole kernel) is shown at its first
    spans += [(d.span.start, d.span.start) for d in file.diagnostics if d.line]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        first = max(1, positions.at(start)[0] - _CONTEXT)
        last = min(len(positions.starts), positions.at(end)[0] + _CONTEXT)
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


class _Decoder:
    """Pieces of one file as text: one encoding for all, line ends as `\\n`, nothing invisible."""

    def __init__(self, data: bytes) -> None:
        self.encoding = "latin-1"
        for encoding in ("utf-8", "gb18030"):
            try:
                data.decode(encoding)
            except UnicodeDecodeError:
                continue
            self.encoding = encoding
            break

    def __call__(self, data: bytes) -> str:
        text = data.decode(self.encoding, "replace").removeprefix("\ufeff")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
            return text
        return "".join(c if c in "\n\t" or _harmless(c) else _escape(c) for c in text)
