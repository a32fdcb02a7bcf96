"""Running what was built: switches, findings as diagnostics, the whole matrix."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sigtrans.run import run, run_through
from sigtrans.simt.build import Built, Program, build
from sigtrans.simt.matrix import (
    RUNS,
    Finding,
    Matrix,
    Mode,
    Outcome,
    Run,
    read_report,
    read_sanitizers,
    run_matrix,
)
from sigtrans.simt.toolchain import HERE
from sigtrans.source import Severity

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

# Kind of a finding -> its code, how bad it is, what to do.
CODES: dict[str, tuple[str, Severity, str]] = {
    "race": ("SIG840", ERROR, "order the two accesses: a barrier, __syncwarp(), or atomics"),
    "overrun": ("SIG841", ERROR, "stay inside of what was allocated"),
    "shared-overrun": ("SIG841", ERROR, "stay inside of the shared variable"),
    "address": ("SIG841", ERROR, "stay inside of what was allocated"),
    "uninitialised": ("SIG842", ERROR, "write it before it is read"),
    "unwritten": ("SIG842", ERROR, "write memory before it is read"),
    "host-memory": ("SIG843", ERROR, "copy it to memory of the device, or allocate it there"),
    "device-memory-on-host": ("SIG843", ERROR, "copy it to the host, or use managed memory"),
    "deadlock": ("SIG844", ERROR, "let all threads reach the same barriers"),
    "endless": ("SIG844", ERROR, "see what the threads wait for"),
    "time": ("SIG844", WARNING, "give more time, or a smaller input"),
    "divergent-barrier": ("SIG845", ERROR, "move the barrier out of the branch"),
    "barrier-after-return": ("SIG845", WARNING, "let all threads reach the barrier"),
    "mask-without-caller": ("SIG846", ERROR, "name the calling lane in the mask"),
    "shuffle-absent-lane": ("SIG846", WARNING, "let the lane that is read take part"),
    "shuffle-width": ("SIG846", ERROR, "use a power of two"),
    "narrow-mask": ("SIG846", NOTE, "use a mask as wide as the warp"),
    "device-fault": ("SIG847", ERROR, "every later call of the runtime returns an error"),
    "order": ("SIG848", ERROR, "look for a race, a missing barrier, or float atomics"),
    "width": ("SIG849", WARNING, "use warpSize, or shuffles with an explicit width"),
    "lockstep": ("SIG850", ERROR, "synchronise the lanes with __syncwarp()"),
    "streams": ("SIG851", ERROR, "wait for the stream or the event before using its results"),
    "undefined": ("SIG852", WARNING, "the C++ standard leaves this open; compilers use that"),
}
OTHER = ("SIG853", WARNING, "see the documentation of the call")


@dataclass(frozen=True, slots=True)
class Ended:
    """One run: the program's exit code (None: out of time) and what was found."""

    code: int | None
    findings: tuple[Finding, ...]


def environment(switches: Mapping[str, str], report: Path) -> dict[str, str]:
    return {**os.environ, **switches, "SIMT_REPORT": str(report)}


def run_program(
    built: Built, arguments: Sequence[str], switches: Mapping[str, str], seconds: float | None
) -> Ended:
    """Run on the user's own input and output, as the program would without us."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        command = (str(built.executable), *arguments)
        code = run_through(command, seconds=seconds, environment=environment(switches, report))
        return Ended(code, tuple(_findings(report)))


def _findings(report: Path) -> list[Finding]:
    return read_report(report.read_text(errors="replace"), HERE) if report.exists() else []


def play_matrix(
    program: Program,
    arguments: Sequence[str],
    switches: Mapping[str, str],
    seconds: float,
    runs: Sequence[Run] = RUNS,
    say: Callable[[str], None] = lambda _: None,
) -> Matrix:
    """Build in each way that the runs ask for, run each, compare."""
    built: dict[Mode, Built] = {}
    for one in runs:
        if one.mode not in built:
            built[one.mode] = build(program, one.mode, say)

    def play(one: Run) -> Outcome:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report"
            given = environment({**switches, **one.switches, **_QUIET}, report)
            ran = run(
                (str(built[one.mode].executable), *arguments), seconds=seconds, environment=given
            )
            found = _findings(report)
            if one.mode == "sanitized":
                found += read_sanitizers(ran.err, HERE)
            return Outcome(ran.code, ran.out, tuple(found))

    return run_matrix(play, runs)


# A fault abandons what its threads had allocated, as on a GPU.
_QUIET = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=0"}


def render_findings(found: Iterable[tuple[Finding, Sequence[str]]], root: Path) -> str:
    """A line for each finding as compilers write them, and what to do."""
    lines = []
    for finding, runs in found:
        code, severity, help = CODES.get(finding.kind, OTHER)
        text = finding.text if finding.kind in CODES else f"{finding.kind}: {finding.text}"
        if finding.other and finding.other[1]:
            other = f"{_shorten(finding.other[0], root)}:{finding.other[1]}"
            text += f"; the other access is at {other}"
        where = f" (run: {', '.join(runs)})" if runs else ""
        place = (
            f"{_shorten(finding.path, root)}:{finding.line}:1: " if finding.line else "sigtrans: "
        )
        lines.append(f"{place}{severity.value} {code}: {text}{where}\n    {help}\n")
    return "".join(lines)


def _shorten(path: str, root: Path) -> str:
    return os.path.relpath(path, root) if path.startswith(f"{root}{os.sep}") else path


def worst(found: Iterable[Finding]) -> Severity | None:
    """The gravest severity among findings."""
    severities = {CODES.get(f.kind, OTHER)[1] for f in found}
    return next((s for s in (ERROR, WARNING, NOTE) if s in severities), None)
