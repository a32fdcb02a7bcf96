"""What must hold for every port, whatever the input: checks for the fuzzer and the round trips."""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import TypeVar
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sigtrans import names, plan
from sigtrans.annotate import find_annotations
from sigtrans.discover import Found
from sigtrans.plan import (
    Drafted,
    FileResult,
    Outcome,
    Plan,
    Scan,
    Settings,
    Status,
    make_plan,
)
from sigtrans.report import render_json
from sigtrans.source import Edit, Severity, SourceFile, apply
from sigtrans.symbols import Project

LIMIT = 10.0  # seconds of CPU time that one file may take in one stage


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """A promise that was broken; `kind` and `signature` tell faults apart."""

    kind: str
    signature: str
    path: str
    detail: str = ""


class Hang(BaseException):
    """A file took longer than `LIMIT`; not an Exception, so that no file boundary swallows it."""


@dataclass(slots=True)
class Clock:
    """CPU seconds per file, and the file that is being worked on."""

    path: str = ""
    spent: dict[str, float] | None = None

    def add(self, path: str, seconds: float) -> None:
        if self.spent is not None:
            self.spent[path] = self.spent.get(path, 0.0) + seconds


_NEVER = re.compile(rb"(?!)")
_tables = lru_cache(maxsize=None)(names.load)


@contextmanager
def watched(clock: Clock) -> Iterator[None]:
    """Time every file of the plans made inside, stop one that hangs, and read the tables once."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise Hang(clock.path)

    class Timed(plan.Worker):
        def scan(self, found: Found) -> Scan:
            with one(found.path):
                return plan_scan(self, found)

        def plan(self, path: str, project: Project) -> Outcome:
            with one(path):
                return plan_plan(self, path, project)

    @contextmanager
    def one(path: str) -> Iterator[None]:
        clock.path = path
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            clock.add(path, time.process_time() - begun)

    plan_scan, plan_plan = plan.Worker.scan, plan.Worker.plan
    before = signal.signal(signal.SIGPROF, ring)
    with mock.patch.object(plan, "Worker", Timed), mock.patch.object(plan, "load_names", _tables):
        try:
            yield
        finally:
            signal.signal(signal.SIGPROF, before)


def write_tree(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` below `folder`."""
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def find_faults(
    files: Mapping[str, bytes],
    settings: Settings,
    scratch: Path,
    *,
    annotate: bool = False,
    whole: bool = False,
) -> tuple[list[Fault], Drafted | None]:
    """Port `files` as one tree, port the port, and name every promise that was broken.

    `scratch` is an empty folder on a fast file system; both trees stay there. With `whole` the
    second run looks at every file in full, also at those it would leave alone as MUSA's already;
    so that their names do not give them away, extensions are kept.
    """
    if whole:
        settings = replace(settings, keep_extensions=True)
    clock = Clock()
    with watched(clock):
        before, after = scratch / "before", scratch / "after"
        write_tree(before, files)
        try:
            drafted = make_plan(before, settings)
        except Hang as hang:
            return [Fault("hang", "first run", str(hang))], None
        faults = list(_check_plan(drafted, files))
        port = make_port(drafted, files)
        if annotate:
            port = _annotate(drafted, files, port)
        write_tree(after, port)
        try:
            with mock.patch.object(plan, "_MUSA_HEADER", _NEVER if whole else plan._MUSA_HEADER):
                again = make_plan(after, settings)
        except Hang as hang:
            return [*faults, Fault("hang", "second run", _source_of(drafted, str(hang)))], drafted
    kind = "not idempotent" + (" with --annotate" if annotate else "")
    faults += _check_second(drafted, again, port, kind)
    return faults, drafted


def make_port(drafted: Drafted, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of the port by path."""
    return {
        r.port_path: drafted.drafts.get(r.path, files.get(r.path, b""))
        for r in drafted.plan.files
        if r.port_path and r.path in files
    }


def _source_of(drafted: Drafted, port_path: str) -> str:
    return next((r.path for r in drafted.plan.files if r.port_path == port_path), port_path)


def _annotate(
    drafted: Drafted, files: Mapping[str, bytes], port: dict[str, bytes]
) -> dict[str, bytes]:
    out = dict(port)
    for result in drafted.plan.files:
        wanted = tuple(d for d in result.diagnostics if d.severity is not Severity.NOTE)
        if not result.port_path or not wanted or result.path not in files:
            continue
        if result.status in (Status.PORTED, Status.UNCHANGED):
            file = SourceFile(result.path, files[result.path])
            notes = find_annotations(file, result.kind, wanted)
            out[result.port_path] = apply(file.data, (*result.edits, *notes)).data
    return out


# --- single files ---------------------------------------------------------------------------------


def _check_plan(drafted: Drafted, files: Mapping[str, bytes]) -> Iterator[Fault]:
    seen = [r.path for r in drafted.plan.files if r.kind != "folder"]
    for path in sorted(set(files) - set(seen)):
        if not any(path.startswith(r.path + "/") for r in drafted.plan.files):
            yield Fault("missing from the plan", "", path)
    for path, count in Counter(seen).items():
        if count > 1:
            yield Fault("twice in the plan", "", path)
    for result in drafted.plan.files:
        if result.path in files:
            yield from check_result(result, files[result.path], drafted.drafts.get(result.path))


def check_result(result: FileResult, data: bytes, draft: bytes | None) -> Iterator[Fault]:
    """Internal faults, and bytes that changed outside the edits."""
    for diagnostic in result.diagnostics:
        span = diagnostic.span
        if diagnostic.code in ("SIG999", "SIG998"):
            yield Fault(
                diagnostic.code, _shape(diagnostic.message), result.path, diagnostic.message
            )
        if span.end > len(data):
            yield Fault("diagnostic outside the file", diagnostic.code, result.path, str(span))
        try:
            (diagnostic.message + diagnostic.help + diagnostic.excerpt).encode()
        except UnicodeEncodeError as error:
            yield Fault("diagnostic is not text", diagnostic.code, result.path, str(error))
    at = 0
    for edit in result.edits:
        if edit.span.start < at or edit.span.end > len(data):
            yield Fault("overlapping edits", edit.rule, result.path, str(edit))
            return
        if edit.text == data[edit.span.start : edit.span.end]:
            yield Fault("edit changes nothing", edit.rule, result.path, str(edit))
        at = edit.span.end
    expected = splice(data, result.edits)
    if draft is None and result.edits:
        yield Fault("edits without a draft", "", result.path)
    if draft is not None and draft != expected:
        yield Fault("bytes outside the edits changed", "", result.path)
    if draft is not None and result.status is not Status.PORTED:
        yield Fault("a draft of a file that is not ported", result.status.value, result.path)


def splice(data: bytes, edits: Iterable[Edit]) -> bytes:
    """`data` with the edits made, by other means than `apply`."""
    out = bytearray(data)
    for edit in sorted(edits, reverse=True):
        out[edit.span.start : edit.span.end] = edit.text
    return bytes(out)


def _check_second(
    first: Drafted, again: Drafted, port: Mapping[str, bytes], kind: str
) -> Iterator[Fault]:
    sources = {r.port_path: r.path for r in first.plan.files}
    for result in again.plan.files:
        path = sources.get(result.path, result.path)
        if result.edits:
            edit = result.edits[0]
            data = port.get(result.path, b"")
            before = data[edit.span.start : edit.span.end]
            place = data[max(0, edit.span.start - 40) : edit.span.end + 40]
            yield Fault(kind, edit.rule, path, f"{before!r} -> {edit.text!r} in {place!r}")
        elif result.status is Status.PORTED:
            yield Fault(kind, "renamed again", path, result.port_path)
        elif result.status is Status.FAILED:
            yield Fault(kind, "fails the second time: " + _shape(result.reason), path)


def _shape(message: str) -> str:
    return re.sub(r"\d+|'[^']*'|\"[^\"]*\"|b'[^']*'", "_", message)[:120]


# --- whole runs -----------------------------------------------------------------------------------


def check_written(plan: Plan, source: Path, port: Path) -> Iterator[Fault]:
    """Files of a port on disk against the source: nothing changes outside the edits."""
    for result in plan.files:
        if not result.port_path or result.kind in ("folder", "link"):
            continue
        before = (source / result.path).read_bytes()
        place = port / result.port_path
        if not place.is_file():
            yield Fault("not written", "", result.path)
        elif place.read_bytes() != splice(before, result.edits):
            kind = "bytes outside the edits changed" if result.edits else "unedited file changed"
            yield Fault(kind, "", result.path)


SORTS = (
    "CR LF",
    "lone CR",
    "mixed line ends",
    "no last newline",
    "byte order mark",
    "NUL",
    "GB18030, not UTF-8",
    "other 8-bit, not UTF-8",
)


def sorts_of(data: bytes) -> set[str]:
    """Which of the awkward `SORTS` a file is."""
    found: set[str] = set()
    crlf = data.count(b"\r\n")
    lf, cr = data.count(b"\n") - crlf, data.count(b"\r") - crlf
    found |= {"CR LF"} if crlf else set()
    found |= {"lone CR"} if cr else set()
    found |= {"mixed line ends"} if (crlf > 0) + (lf > 0) + (cr > 0) > 1 else set()
    found |= {"no last newline"} if data and data[-1:] not in (b"\n", b"\r") else set()
    found |= {"byte order mark"} if data.startswith(b"\xef\xbb\xbf") else set()
    found |= {"NUL"} if b"\0" in data else set()
    try:
        data.decode()
    except UnicodeDecodeError:
        try:
            data.decode("gb18030")
            found.add("GB18030, not UTF-8")
        except UnicodeDecodeError:
            found.add("other 8-bit, not UTF-8")
    return found


def render_plan(root: Path, settings: Settings) -> str:
    """The JSON report of a tree, as `--report x.json` writes it."""

    def read(path: str) -> bytes | None:
        try:
            return (root / path).read_bytes()
        except OSError:
            return None

    return render_json(make_plan(root, settings).plan, read, lambda before: "")


@contextmanager
def shuffled_folders(seed: int) -> Iterator[None]:
    """Let `os.scandir` and `os.listdir` return their entries in an order of our choice."""
    rng = random.Random(seed)
    scandir, listdir = os.scandir, os.listdir

    class Entries:
        def __init__(self, path: str = ".") -> None:
            with scandir(path) as entries:
                self.entries = iter(_shuffled(rng, sorted(entries, key=lambda e: e.name)))

        def __enter__(self) -> Entries:
            return self

        def __exit__(self, *_: object) -> None:
            return None

        def __iter__(self) -> Entries:
            return self

        def __next__(self) -> os.DirEntry[str]:
            return next(self.entries)

        def close(self) -> None:
            return None

    def names_of(path: str = ".") -> list[str]:
        return _shuffled(rng, sorted(listdir(path)))

    with mock.patch.object(os, "scandir", Entries), mock.patch.object(os, "listdir", names_of):
        yield


_T = TypeVar("_T")


def _shuffled(rng: random.Random, items: list[_T]) -> list[_T]:
    rng.shuffle(items)
    return items
