"""What a compiler says about one translation unit: the toolchain interface, and libclang behind it.

The only module that imports clang. libclang comes without the headers a compiler brings along, and
there is no MUSA SDK to read, so `Libclang` reads the folder that `surface.make_headers` describes.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sigtrans.source import SigtransError


@dataclass(frozen=True, slots=True)
class Unit:
    """One translation unit and how its build reads it."""

    path: str  # absolute
    language: str  # musa, c++ or c
    includes: tuple[str, ...] = ()  # folders the build names
    guessed: tuple[str, ...] = ()  # folders of the tree that hold what the unit includes
    defines: tuple[str, ...] = ()
    standard: str = ""  # "" when the build does not say
    device: bool = False  # some of it is for the device alone


@dataclass(frozen=True, slots=True)
class Fault:
    """One error of a compiler, at its place; columns count bytes, from 1."""

    path: str
    line: int
    column: int
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a toolchain said about a unit; `why` is set when it could not read it."""

    faults: tuple[Fault, ...] = ()
    why: str = ""


class Toolchain(Protocol):
    """A compiler that reads one unit, wherever it runs."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def read(self, unit: Unit) -> Reading:
        """The errors of one unit."""
        ...


LIMIT = 60  # seconds a unit may take
_KEEP_GOING = 0x200  # a missing header is not the end; the enum of the bindings lacks it
# What newer standards forbid and mcc's default still takes, and the order in which to try them.
_STANDARDS = ("gnu++17", "gnu++20", "gnu++14")
_LENIENT = (
    "-w", "-ferror-limit=0", "-fno-spell-checking", "-Wno-register", "-Wno-dynamic-exception-spec",
    "-Wno-reserved-user-defined-literal", "-Wno-int-conversion", "-Wno-implicit-int",
    "-Wno-implicit-function-declaration",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Libclang:
    """clang as a library over our own declarations in the folder `headers`."""

    headers: str
    arch: int = 310  # what __MUSA_ARCH__ is in the pass for the device
    name: str = field(default="libclang", init=False)

    def read(self, unit: Unit) -> Reading:
        """The errors under the standard that has the fewest, where the build names none."""
        standards: Sequence[str] = (unit.standard,) if unit.standard else _STANDARDS
        if unit.language == "c":
            standards = (unit.standard or "gnu17",)
        best, chosen = self._parse(unit, standards[0]), standards[0]
        for standard in standards[1:]:
            if best.why or all(f.text.endswith("file not found") for f in best.faults):
                break
            reading = self._parse(unit, standard)
            if len(reading.faults) == len(best.faults):
                break  # the standard makes no difference
            if not reading.why and len(reading.faults) < len(best.faults):
                best, chosen = reading, standard
        if unit.device and unit.language == "musa" and not best.why:
            more = self._parse(unit, chosen, device=True)
            return Reading(tuple(dict.fromkeys((*best.faults, *more.faults))), more.why)
        return best

    def arguments(self, unit: Unit, standard: str, device: bool = False) -> list[str]:
        """The command line of clang for a unit."""
        resource = str(Path(self.headers, "resource"))
        arguments = ["-x", "cuda" if unit.language == "musa" else unit.language, f"-std={standard}"]
        arguments += [*_LENIENT, "-resource-dir", resource]
        if unit.language == "musa":
            # Clang takes a MUSA file for CUDA; its own wrapper headers and library stay out.
            arguments += ["-nocudainc", "-nocudalib", "-D__MUSACC__=1", "-D__MUSA__=1"]
            arguments += ["-include", "musa_runtime.h"]
            if device:  # any architecture of clang's will do: no code is made
                arguments += ["--cuda-device-only", "--cuda-gpu-arch=sm_70", "-U__CUDA_ARCH__"]
                arguments.append(f"-D__MUSA_ARCH__={self.arch}")
            else:
                arguments.append("--cuda-host-only")
        arguments += [f"-D{define}" for define in unit.defines]
        arguments += [f"-I{folder}" for folder in unit.includes]
        arguments += ["-isystem", self.headers]
        for folder in unit.guessed:
            arguments += ["-idirafter", folder]
        return arguments

    def _parse(self, unit: Unit, standard: str, device: bool = False) -> Reading:
        cindex = load()
        try:
            parsed = cindex.Index.create().parse(
                unit.path, self.arguments(unit, standard, device), options=_KEEP_GOING
            )
        except cindex.TranslationUnitLoadError:
            return Reading(why="libclang could not read it")
        faults = []
        for diagnostic in parsed.diagnostics:
            place = diagnostic.location
            if diagnostic.severity >= cindex.Diagnostic.Error and place.file is not None:
                notes = tuple(child.spelling for child in diagnostic.children)
                faults.append(
                    Fault(place.file.name, place.line, place.column, diagnostic.spelling, notes)
                )
        return Reading(tuple(faults))


def load() -> Any:  # the bindings have no types
    """The bindings, or one line that says how to get them."""
    try:
        from clang import cindex

        cindex.conf.lib  # noqa: B018  # finds the library, or raises
    except ImportError:
        raise SigtransError("the check needs libclang: pip install 'libclang>=18.1,<19'") from None
    except cindex.LibclangError as fault:
        raise SigtransError(f"libclang cannot be loaded: {fault}") from None
    return cindex


def read_guarded(toolchain: Toolchain, unit: Unit) -> Reading:
    """`read` in a worker process, which the kernel ends when a unit takes too long.

    A signal handler of Python would not run while the library works; the default action does.
    """
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LIMIT)
    try:
        return toolchain.read(unit)
    finally:
        if hasattr(signal, "alarm"):
            signal.alarm(0)
