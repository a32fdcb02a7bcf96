"""Compile and run CUDA text on the CPU, as `sigtrans run` does, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    out: str
    err: str


def run(*arguments: str | Path, stdin: str = "", cwd: Path | None = None) -> Ended:
    """`sigtrans run` with these arguments."""
    done = subprocess.run(
        [sys.executable, "-m", "sigtrans", "run", *map(str, arguments)], input=stdin, text=True,
        capture_output=True, timeout=300, check=False, cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr)


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """A folder with these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
