"""The only module that starts other programs: no shell, a time limit, output as text."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sigtrans.source import SigtransError


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program left behind; `code` is None when it ran out of time."""

    code: int | None
    out: str
    err: str


def run(
    command: Sequence[str],
    *,
    seconds: float,
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ran:
    """Run a program to its end; one that cannot be started is an error of the request."""
    try:
        done = subprocess.run(
            list(command), capture_output=True, timeout=seconds, cwd=folder, check=False,
            stdin=subprocess.DEVNULL, env=dict(environment) if environment is not None else None,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Ran(None, "", "")
    except OSError as fault:
        raise SigtransError(f"{command[0]}: cannot be run: {fault.strerror}") from None
    return Ran(done.returncode, _text(done.stdout), _text(done.stderr))


def run_through(
    command: Sequence[str],
    *,
    seconds: float | None,
    environment: Mapping[str, str] | None = None,
) -> int | None:
    """Run a program on this process's own input and output; None when it ran out of time."""
    try:
        return subprocess.run(
            list(command), timeout=seconds, check=False,
            env=dict(environment) if environment is not None else None,
        ).returncode  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    except OSError as fault:
        raise SigtransError(f"{command[0]}: cannot be run: {fault.strerror}") from None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
