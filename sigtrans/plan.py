"""All passes over a tree, as one plan: every input file once, every edit and every open question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sigtrans.source import Diagnostic, Edit


class Status(str, Enum):
    """What became of one input file."""

    PORTED = "ported"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FileResult:
    """One input file: what is done to it and what is said about it."""

    path: str  # relative to the source tree, with `/`
    port_path: str  # where it lands in the port; "" when nothing is written for it
    kind: str  # cuda, c++, cmake, make, python, toml, bazel, meson, xmake, shell, musa, other
    status: Status
    reason: str = ""  # why it was skipped or failed
    size: int = 0  # bytes
    edits: tuple[Edit, ...] = ()  # the edits that were taken
    diagnostics: tuple[Diagnostic, ...] = ()  # placed
    silenced: int = 0  # diagnostics silenced by configuration or by marks in the file


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole tree. Same input, same plan, byte for byte."""

    root: str  # the source tree as it was given
    targets: tuple[str, ...]  # MUSA architectures
    sdk: str  # MUSA SDK version
    files: tuple[FileResult, ...]  # sorted by path, every input file exactly once
    diagnostics: tuple[Diagnostic, ...] = ()  # about the run as a whole
