"""An installed MUSA SDK: where it is, what its headers declare, and its compiler as a toolchain."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sigtrans import surface
from sigtrans.names import NameTable
from sigtrans.run import run
from sigtrans.semantics import LIMIT, Fault, Reading, Unit
from sigtrans.source import SigtransError

VARIABLES = ("MUSA_PATH", "MUSA_HOME", "MUSA_INSTALL_PATH")
DEFAULT = Path("/usr/local/musa")


@dataclass(frozen=True, slots=True)
class Sdk:
    """An SDK on this machine."""

    root: Path
    mcc: Path | None  # its compiler, when it can be run
    version: str  # "" when no header says


def find_sdk(explicit: Path | None, environment: Mapping[str, str] = os.environ) -> Sdk | None:
    """The SDK the user names, else the one the environment names, else the usual folder."""
    if explicit is not None:
        if not (explicit / "include").is_dir():
            raise SigtransError(f"--sdk-path {explicit}: has no folder include; name an SDK's root")
        return _look(explicit)
    for name in VARIABLES:
        place = environment.get(name)
        if place and Path(place, "include").is_dir():
            return _look(Path(place))
    return _look(DEFAULT) if (DEFAULT / "include").is_dir() else None


def _look(root: Path) -> Sdk:
    compiler = root / "bin" / "mcc"
    usable = compiler.is_file() and os.access(compiler, os.X_OK)
    return Sdk(root, compiler if usable else None, _read_version(root))


_VERSION = re.compile(rb"#[ \t]*define[ \t]+MUSART_VERSION[ \t]+(\d+)")


def _read_version(root: Path) -> str:
    for name in ("musart_version.h", "musa_runtime_api.h", "musa_runtime.h"):
        try:
            match = _VERSION.search((root / "include" / name).read_bytes())
        except OSError:
            continue
        if match:
            number = int(match[1])
            return f"{number // 10000}.{number // 100 % 100}"
    return ""


# --- the compiler ---------------------------------------------------------------------------------

_MESSAGE = re.compile(r"^(.+?):(\d+):(\d+): (fatal error|error|note|warning): (.*)$")


@dataclass(frozen=True, slots=True)
class Mcc:
    """The SDK's own compiler, which is asked for the syntax check only."""

    sdk: Sdk
    targets: tuple[str, ...]
    name: str = field(default="mcc", init=False)

    def read(self, unit: Unit) -> Reading:
        """The errors of one unit."""
        done = run(self.command(unit), seconds=LIMIT)
        if done.code is None:
            return Reading(why=f"mcc took longer than {LIMIT} seconds on it")
        faults = tuple(read_messages(done.err.splitlines()))
        if done.code != 0 and not faults:
            last = (done.err.strip().splitlines() or ["no word of why"])[-1]
            return Reading(why=f"mcc ended with {done.code}: {last}")
        return Reading(faults)

    def command(self, unit: Unit) -> list[str]:
        """The command line of mcc for a unit."""
        language = ["-x", unit.language] if unit.language != "musa" else ["-x", "musa"]
        command = [str(self.sdk.mcc), "-fsyntax-only", "-ferror-limit=0", "-w", *language]
        if unit.language == "musa":
            command += [f"--offload-arch={target}" for target in self.targets]
        command += [f"-std={unit.standard}"] if unit.standard else []
        command += [f"-D{define}" for define in unit.defines]
        command += [f"-I{folder}" for folder in unit.includes]
        command += [f"-I{self.sdk.root / 'include'}"]
        for folder in unit.guessed:
            command += ["-idirafter", folder]
        return [*command, "--", unit.path]


def read_messages(lines: Iterable[str]) -> Iterator[Fault]:
    """Errors in the form clang prints them, each with its notes."""
    fault: Fault | None = None
    notes: list[str] = []
    for line in lines:
        match = _MESSAGE.match(line)
        if match is None:
            continue
        path, row, column, kind, text = match.groups()
        if kind == "note":
            notes.append(text)
            continue
        if fault is not None:
            yield Fault(fault.path, fault.line, fault.column, fault.text, tuple(notes))
        notes = []
        fault = Fault(path, int(row), int(column), text) if "error" in kind else None
    if fault is not None:
        yield Fault(fault.path, fault.line, fault.column, fault.text, tuple(notes))


# --- what its headers declare ---------------------------------------------------------------------

_SUFFIXES = (".h", ".hpp", ".cuh", ".muh", ".inl", "")
_LARGEST = 16 * 1024 * 1024
_NO_CODE = re.compile(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_WORD = re.compile(rb"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Index:
    """Every name in the code of an SDK's headers, and the headers."""

    headers: frozenset[str]  # as they are included
    words: frozenset[bytes]


def index_sdk(sdk: Sdk) -> Index:
    """Read every header of an SDK."""
    top = sdk.root / "include"
    headers: set[str] = set()
    words: set[bytes] = set()
    for path in sorted(top.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file() and path.stat().st_size <= _LARGEST:
            headers.add(path.relative_to(top).as_posix())
            words.update(_WORD.findall(_NO_CODE.sub(b" ", path.read_bytes())))
    return Index(frozenset(headers), frozenset(words))


@dataclass(frozen=True, slots=True)
class Confirmed:
    """How the names of one family of ours stand against an SDK."""

    family: str
    confirmed: int
    denied: tuple[str, ...]  # a header of the family is there, and does not have the name
    unknown: int  # no header of the family is there


# Tables whose names no header of the SDK need declare: the compiler, the tests of macros, torch.
_UNDECLARED = frozenset(("compiler", "device", "header-guards", "torch", "headers"))


def confirm(table: NameTable, index: Index) -> tuple[Confirmed, ...]:
    """Every MUSA name of our tables against the headers: one row a family, and one of headers."""
    present = {surface.find_family(header) for header in index.headers}
    rows = []
    for family, targets in sorted(table.find_libraries().items()):
        if family in _UNDECLARED:
            continue
        there = family_headers(family) & present
        confirmed = {t for t in targets if t in index.words}
        rest = sorted(t.decode() for t in targets - confirmed)
        if confirmed or there:
            rows.append(Confirmed(family, len(confirmed), tuple(rest), 0))
        elif targets:
            rows.append(Confirmed(family, 0, (), len(rest)))
    headers = {t.decode() for t in table.headers.values() if t and not t.endswith(b"/")}
    found = headers & index.headers
    rows.append(Confirmed("headers", len(found), tuple(sorted(headers - found)), 0))
    return tuple(rows)


_FAMILIES = {
    "types": ("half", "fp8", "complex"),
    "cublaslt": ("cublaslt",),
}


def family_headers(family: str) -> frozenset[str]:
    """The families of headers that declare the names of one table."""
    return frozenset(_FAMILIES.get(family, (family,)))


def render_doctor(sdk: Sdk, index: Index, rows: Iterable[Confirmed], most: int = 10) -> str:
    """What `sigtrans doctor` prints."""
    rows = tuple(rows)
    version = f", version {sdk.version}" if sdk.version else ", version unknown"
    compiler = str(sdk.mcc) if sdk.mcc else "no bin/mcc that can be run"
    lines = [
        f"SDK        {sdk.root}{version}",
        f"Compiler   {compiler}",
        f"Headers    {len(index.headers):,} with {len(index.words):,} names",
        "",
        f"{'family':14} {'confirmed':>9} {'denied':>7} {'unknown':>8}",
    ]
    for row in rows:
        lines.append(f"{row.family:14} {row.confirmed:9,} {len(row.denied):7,} {row.unknown:8,}")
    total = [sum(r.confirmed for r in rows), sum(len(r.denied) for r in rows)]
    unknown = sum(r.unknown for r in rows)
    lines.append(f"{'all':14} {total[0]:9,} {total[1]:7,} {unknown:8,}")
    for row in rows:
        if row.denied:
            shown = ", ".join(row.denied[:most])
            more = len(row.denied) - most
            lines += [
                "",
                f"Denied in {row.family}: {shown}" + (f" and {more:,} more" if more > 0 else ""),
            ]
    return "\n".join(lines) + "\n"


def dump_doctor(sdk: Sdk, index: Index, rows: Iterable[Confirmed]) -> str:
    """The same for other programs, with every denied name."""
    return (
        json.dumps(
            {
                "sdk": str(sdk.root),
                "version": sdk.version,
                "mcc": str(sdk.mcc) if sdk.mcc else None,
                "headers": len(index.headers),
                "families": [
                    {
                        "family": row.family,
                        "confirmed": row.confirmed,
                        "denied": list(row.denied),
                        "unknown": row.unknown,
                    }
                    for row in rows
                ],
            },
            indent=2,
        )
        + "\n"
    )
