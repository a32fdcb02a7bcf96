"""One program, many executions that the rules allow: what they disagree on is a fault in it.

A plain run tells little: threads start in order, memory is what it is, warps have 32 lanes. Each
run of the matrix changes one of these. A finding comes from a run itself (the runtime reports a
race, an overrun, a deadlock) or from a result that differs from the first run's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from sigtrans.run import run
from sigtrans.source import SigtransError

Mode = Literal["plain", "checked", "sanitized"]


@dataclass(frozen=True, slots=True)
class Run:
    """One execution; `tells` is the kind of finding that another result than the first's is."""

    name: str
    mode: Mode
    switches: Mapping[str, str] = field(default_factory=dict)
    tells: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the runtime said of the program; line 0: no place is known."""

    kind: str
    path: str
    line: int
    text: str
    other: tuple[str, int] | None = None  # the second place of a race


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run left behind; `code` is None when it ran out of time."""

    code: int | None
    out: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One run of the matrix and how it compares with the first."""

    run: Run
    outcome: Outcome
    same: bool


@dataclass(frozen=True, slots=True)
class Matrix:
    """All runs, and each finding once, with the names of the runs that it comes from."""

    rows: tuple[Row, ...]
    findings: tuple[tuple[Finding, tuple[str, ...]], ...]


FIRST = Run("as it is", "plain")
RUNS = (
    FIRST,
    Run("backwards", "plain", {"SIMT_ORDER": "down", "SIMT_WAKE": "down"}, "order"),
    Run("shuffled", "plain", {"SIMT_ORDER": "1", "SIMT_WAKE": "1"}, "order"),
    Run("other contents", "plain", {"SIMT_FILL": "0x35", "SIMT_SHARED_FILL": "0x5a"}, "unwritten"),
    Run("streams late", "plain", {"SIMT_STREAMS": "down"}, "streams"),
    Run("streams mixed", "plain", {"SIMT_STREAMS": "1"}, "streams"),
    Run("128 lanes", "plain", {"SIMT_WARP": "128"}, "width"),
    Run("host says 128", "plain", {"SIMT_HOST_WARP": "128"}, "width"),
    Run("checked", "checked", {}, "unwritten"),  # fills variables of functions, too
    Run("interleaved", "checked", {"SIMT_INTERLEAVE": "1"}, "order"),
    Run("lockstep", "checked", {"SIMT_LOCKSTEP": "1"}, "lockstep"),
    Run("sanitized", "sanitized"),
)

MEANING = {
    "order": "the result depends on the order in which threads run: a race or a missing barrier",
    "unwritten": "the result depends on what memory held before: something is read that "
    "nobody wrote",
    "streams": "the result depends on how streams overlap: a wait is missing, or a stream is wrong",
    "width": "the result depends on the width of a warp: the code assumes 32 lanes",
    "lockstep": "the result is another one where the lanes of a warp go on together: the code "
    "relies on it; __syncwarp() is missing, or a barrier",
}

_MEASURED = re.compile(
    r"[-+]?\d[\d.,]*(?:e[-+]?\d+)?(?=\s*\(?(?:ms|msec|us|usec|ns|s|secs?|seconds?|[KMG]?B/s|[KMG]iB/s|"
    r"[KMGT]?FLOPS?(?:/s)?|[KMG]?Elements/s|Hz|[KMG]Hz|cycles)\b)",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b(?:time|elapsed|bandwidth|throughput|performance|clock)\b", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)\b")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")


def same_output(first: str, second: str, tolerance: float = 1e-5) -> bool:
    """Equal but for measured times, addresses, and rounding in numbers with a fraction."""
    lines = zip_longest(first.splitlines(), second.splitlines())
    return all(
        a == b or (a is not None and b is not None and _same(a, b, tolerance)) for a, b in lines
    )


def _same(first: str, second: str, tolerance: float) -> bool:
    if _CLOCK.search(first) and _CLOCK.search(second):
        return _NUMBER.sub("#", first) == _NUMBER.sub("#", second)
    a, b = (_ADDRESS.sub("@", _MEASURED.sub("#", line)) for line in (first, second))
    if _NUMBER.sub("#", a) != _NUMBER.sub("#", b):
        return False
    return all(map(_close, _NUMBER.findall(a), _NUMBER.findall(b), [tolerance] * len(a)))


def _close(a: str, b: str, tolerance: float) -> bool:
    if a == b:
        return True
    if a.lstrip("+-").isdigit() and b.lstrip("+-").isdigit():
        return False
    x, y = float(a), float(b)
    return abs(x - y) <= tolerance * max(abs(x), abs(y), 1e-3)


def run_matrix(play: Callable[[Run], Outcome], runs: Sequence[Run] = RUNS) -> Matrix:
    """Play every run (the first is the measure of the others) and gather what they tell."""
    rows: list[Row] = []
    for one in runs:
        outcome = play(one)
        first = rows[0].outcome if rows else outcome
        rows.append(Row(one, outcome, _agrees(first, outcome)))
    return Matrix(tuple(rows), tuple(_gather(rows)))


def _agrees(first: Outcome, other: Outcome) -> bool:
    return first.code == other.code and same_output(first.out, other.out)


def _gather(rows: Iterable[Row]) -> Iterable[tuple[Finding, tuple[str, ...]]]:
    said: dict[tuple[str, str, int], tuple[Finding, list[str]]] = {}
    for row in rows:
        found = list(row.outcome.findings)
        if row.outcome.code is None:
            found.append(Finding("time", "", 0, "the run did not end in its time"))
        elif row.run.tells and not row.same:
            found.append(Finding(row.run.tells, "", 0, MEANING[row.run.tells]))
        for one in found:
            said.setdefault((one.kind, one.path, one.line), (one, []))[1].append(row.run.name)
    for finding, names in said.values():
        yield finding, tuple(names)


# --- what a run reported -----------------------------------------------------------------------


def read_report(text: str, ours: Path) -> list[Finding]:
    """The runtime's records (SIMT_REPORT, one JSON object a line), places looked up; `ours` is the
    folder of our own headers, which is never the place that a user wants to see."""
    records = [json.loads(line) for line in text.splitlines()]
    places = _find_lines(
        {(r["module"], r[key]) for r in records for key in ("offset", "other") if r["module"]}, ours
    )
    found: dict[tuple[str, str, int], Finding] = {}  # inlining puts one line in several places
    for r in records:
        path, line, other = r["file"], r["line"], None
        if r["module"]:
            path, line = places.get((r["module"], r["offset"]), ("", 0))
            if r["other"]:
                other = places.get((r["module"], r["other"]))
        key = r["kind"], path, line
        found.setdefault(key, Finding(r["kind"], path, line, r["text"], other))
    return list(found.values())


def _find_lines(wanted: set[tuple[str, int]], ours: Path) -> dict[tuple[str, int], tuple[str, int]]:
    """The user's line behind each offset in a module, innermost first among inlined calls."""
    found: dict[tuple[str, int], tuple[str, int]] = {}
    for module in {module for module, _ in wanted}:
        offsets = sorted(offset for name, offset in wanted if name == module)
        try:
            ran = run(
                ["addr2line", "-a", "-i", "-e", module, *map(hex, offsets)], seconds=60
            )  # fmt: skip
        except SigtransError:  # no binutils: the place stays unknown
            continue
        at = -1
        for line in ran.out.splitlines():
            if line.startswith("0x"):
                at = int(line, 16)
                continue
            path, _, number = line.partition(" ")[0].rpartition(":")
            if number.isdigit() and not _is_ours(path, ours):
                found.setdefault((module, at), (path, int(number)))
    return found


def _is_ours(path: str, ours: Path) -> bool:
    return path in ("", "??") or path.startswith((str(ours), "/usr/"))


_UNDEFINED = re.compile(
    r"^(?P<path>.+?):(?P<line>\d+):\d+: runtime error: (?P<text>.*)$", re.MULTILINE
)
_ADDRESS_ERROR = re.compile(r"ERROR: AddressSanitizer: (?P<what>[\w-]+)(?P<rest>.*)")
_FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ in .* (?P<path>/[^ :]+):(?P<line>\d+)", re.MULTILINE)
_ACCESS = re.compile(r"^(READ|WRITE) of size \d+", re.MULTILINE)


def read_sanitizers(text: str, ours: Path) -> list[Finding]:
    """What AddressSanitizer and UndefinedBehaviorSanitizer printed."""
    found = [
        Finding("undefined", m["path"], int(m["line"]), m["text"])
        for m in _UNDEFINED.finditer(text)
        if not _is_ours(m["path"], ours)
    ]
    error = _ADDRESS_ERROR.search(text)
    if error:
        access = _ACCESS.search(text, error.end())
        said = f"{error['what']}{', ' + access[0] if access else ''}"
        frames = _FRAME.finditer(text, error.end())
        place = next((f for f in frames if not _is_ours(f["path"], ours)), None)
        path, line = (place["path"], int(place["line"])) if place else ("", 0)
        found.append(Finding("address", path, line, said))
    return found
