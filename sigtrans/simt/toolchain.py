"""The C++ compiler, its flags for each way to build, and the runtime that programs link."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sigtrans.run import run
from sigtrans.simt.cache import cache_folder, digest, kept
from sigtrans.simt.matrix import Mode
from sigtrans.source import Diagnostic, SigtransError

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
RUNTIME = HERE / "runtime"
HELPERS = "templates/helpers"
_LIMIT = 900.0  # seconds for one call of a compiler

# What a user waits for is compilation as much as the run: -O1 builds in about half of -O2's time.
_MODES: dict[Mode, tuple[str, ...]] = {
    "plain": ("-O1",),
    "checked": ("-O1", "-fsanitize=thread", "-ftrivial-auto-var-init=pattern"),
    "sanitized": ("-O1", "-fsanitize=address,undefined", "-fno-sanitize=vptr,alignment"),
}
_VOLATILE = {
    "gcc": ("--param", "tsan-distinguish-volatile=1"),
    "clang": ("-mllvm", "-tsan-distinguish-volatile=1"),
}


class BuildError(SigtransError):
    """The user's program does not build; the message holds what the compiler said."""

    diagnostics: tuple[tuple[Path, Diagnostic], ...] = ()  # what lowering had said before


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler; `command` begins every call."""

    command: tuple[str, ...]
    family: str  # gcc or clang
    identity: str  # changes when the compiler does

    @property
    def flags(self) -> tuple[str, ...]:
        return ("-UNDEBUG",) if "ziglang" in self.command else ()


@cache
def find_compiler(name: str = "") -> Compiler:
    """The compiler called `name` (or $CXX), else g++, clang++, or the package ziglang."""
    asked = name or os.environ.get("CXX", "")
    if asked:
        return _make(asked)
    for candidate in ("g++", "clang++"):
        if shutil.which(candidate):
            return _make(candidate)
    if importlib.util.find_spec("ziglang") is not None:
        return _make("zig")
    raise SigtransError(
        "no C++ compiler: install g++ or clang++, or 'pip install ziglang', or name one with CXX"
    )


def _make(name: str) -> Compiler:
    if name == "zig":
        spec = importlib.util.find_spec("ziglang")
        if spec is None:
            raise SigtransError("zig: the package ziglang is not installed")
        command = (sys.executable, "-m", "ziglang", "c++")
        return Compiler(command, "clang", f"zig {spec.origin}")
    path = shutil.which(name)
    if path is None:
        raise SigtransError(f"{name}: no such compiler")
    stat = Path(path).stat()
    family = "clang" if "clang" in Path(path).resolve().name else "gcc"
    return Compiler((path,), family, f"{path} {stat.st_size} {stat.st_mtime_ns}")


def mode_flags(compiler: Compiler, mode: Mode) -> tuple[str, ...]:
    few = "-fmax-errors=8" if compiler.family == "gcc" else "-ferror-limit=8"
    flags = (*_MODES[mode], *compiler.flags, few)
    return (*flags, *_VOLATILE[compiler.family]) if mode == "checked" else flags


# --- calls ---------------------------------------------------------------------------------------


def compile_all(jobs: Iterable[Callable[[], Path]]) -> list[Path]:
    """Run builds side by side; compilers are processes, so threads do."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda job: job(), jobs))


def call(command: Sequence[str], what: str) -> str:
    """One call of the compiler; its warnings come back, its errors are the user's."""
    ran = run(command, seconds=_LIMIT)
    if ran.code is None:
        raise BuildError(f"{what}: the compiler did not end within {_LIMIT:.0f} s")
    if ran.code != 0:
        raise BuildError(f"{what}: does not compile for the CPU\n{ran.err}")
    return ran.err


# --- the runtime --------------------------------------------------------------------------------


@cache
def runtime_digest() -> str:
    """Changes with any file of the runtime or of the headers."""
    folders = (RUNTIME, INCLUDE)
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    return digest(*(part for p in files for part in (str(p.relative_to(HERE)), p.read_bytes())))


def build_runtime(compiler: Compiler, mode: Mode, say: Callable[[str], None]) -> tuple[Path, ...]:
    """What a program is linked with: an archive, before it what must be linked in any case."""
    folder = cache_folder() / digest(compiler.identity, mode, runtime_digest())
    archive = folder / "libsimt.a"
    checked = [folder / "hooks.o"] if mode == "checked" else []
    if archive.exists() and all(path.exists() for path in checked):
        return (*checked, archive)
    say(f"building the runtime for {compiler.family}, {mode} (once)")
    # Our own accesses are not the program's: no instrumentation but AddressSanitizer's, which has
    # to be everywhere; and no loop may become a call of the memcpy that hooks.cpp defines.
    own = ("-fsanitize=address",) if mode == "sanitized" else ()
    flags = ("-std=c++17", "-O2", "-g1", "-fPIC", "-w", *own, *compiler.flags)
    if compiler.family == "gcc":
        flags = (*flags, "-fno-tree-loop-distribute-patterns")
    includes = ("-I", str(RUNTIME), "-I", str(INCLUDE))

    def make(source: Path, out: Path, extra: tuple[str, ...] = ()) -> Path:
        command = (*compiler.command, *flags, *extra, *includes, "-c", str(source), "-o")
        return kept(out, lambda path: call((*command, str(path)), source.name))

    sources = sorted(RUNTIME.glob("*.cpp"))
    jobs: list[Callable[[], Path]] = [
        lambda source=source: make(source, folder / f"{source.stem}.o")  # type: ignore[misc]
        for source in sources
    ]
    if checked:
        hooks = RUNTIME / "checked" / "hooks.cpp"
        jobs.append(lambda: make(hooks, checked[0], ("-fno-builtin",)))
    objects = [path for path in compile_all(jobs) if path not in checked]
    kept(archive, lambda path: _archive(compiler, path, objects))
    return (*checked, archive)


def _archive(compiler: Compiler, path: Path, objects: Sequence[Path]) -> str:
    tool = (*compiler.command[:-1], "ar") if "ziglang" in compiler.command else ("ar",)
    return call((*tool, "rcs", str(path), *map(str, objects)), path.name)
