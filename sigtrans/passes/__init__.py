"""Rewrites that data cannot express, one module per topic.

Every pass is a function `find(file, context) -> Findings`: it reads one file and proposes edits and
diagnostics; it never writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BuildContext:
    """What a build-file pass needs to know about the run."""

    targets: tuple[str, ...]  # MUSA architectures, e.g. ("mp_22", "mp_31")
    sdk: str  # MUSA SDK version, e.g. "5.2"
    renamed: Mapping[str, str] = field(default_factory=dict)  # source path -> port path
