"""A program from its sources: which files it is made of, what each becomes, one executable.

Files that a program reaches through #include are mirrored by absolute path into a folder of the
cache, lowered where they have CUDA syntax, linked to where they have none. Relative includes work
there as they do at home, and an include path is looked up in the mirror first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sigtrans.simt.cache import (
    cache_folder,
    digest,
    kept,
    place_file,
    place_link,
    write_tree,
)
from sigtrans.simt.matrix import Mode
from sigtrans.simt.options import Compile
from sigtrans.simt.toolchain import (
    INCLUDE,
    RUNTIME,
    BuildError,
    Compiler,
    build_runtime,
    call,
    compile_all,
    find_compiler,
    mode_flags,
    runtime_digest,
)
from sigtrans.source import Diagnostic, SigtransError

if TYPE_CHECKING:
    from sigtrans.simt.lower import Context

DEVICE = (".cu", ".mu")
HOST = (".cpp", ".cc", ".cxx", ".c++", ".C", ".c")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\r\n]+)[">]', re.MULTILINE)
_MAIN = re.compile(rb"^[^\S\r\n]*(?:\w[\w\s*&]*\s)?\w?main\s*\(", re.MULTILINE)
_SKIPPED = frozenset((".git", "build", "node_modules", "__pycache__"))


@dataclass(frozen=True, slots=True)
class Program:
    """What to build."""

    sources: tuple[Path, ...]
    options: Compile = field(default_factory=Compile)
    musa: bool = False
    sdk: str = "5.2"
    compiler: str = ""


@dataclass(frozen=True, slots=True)
class Built:
    """An executable, and what lowering had to say, by file."""

    executable: Path
    diagnostics: tuple[tuple[Path, Diagnostic], ...]


def find_sources(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The sources among files and folders; of a folder those at its top, or one level below."""
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise SigtransError(f"{path}: no such file or folder")
        if path.is_dir():
            found += _in_folder(path)
        elif path.suffix in (*DEVICE, *HOST):
            found.append(path)
        else:
            raise SigtransError(f"{path}: not a source file ({' '.join((*DEVICE, *HOST))})")
    if not any(path.suffix in DEVICE for path in found) and len(paths) == 1:
        where = paths[0]
        if where.is_dir():
            raise SigtransError(f"{where}: no {' or '.join(DEVICE)} file in it")
    sources = _without_included(tuple(dict.fromkeys(_absolute(path) for path in found)))
    mains = [path for path in sources if _MAIN.search(path.read_bytes())]
    if len(mains) > 1:
        names = ", ".join(path.name for path in mains)
        raise SigtransError(f"more than one main(): {names}; name the files of one program")
    return sources


def _without_included(sources: tuple[Path, ...]) -> tuple[Path, ...]:
    """Kernels often stand in a .cu file that another one includes: those are no sources."""
    included: set[Path] = set()
    todo = list(sources)
    while todo:
        path = todo.pop()
        for quote, name in _INCLUDE.findall(path.read_bytes()):
            other = _absolute(path.parent / os.fsdecode(name))
            if quote == b'"' and other not in included and other.is_file():
                included.add(other)
                todo.append(other)
    return tuple(source for source in sources if source not in included)


def _absolute(path: Path) -> Path:
    """Links kept: relative includes start from where the user sees the file."""
    return Path(os.path.normpath(Path.cwd() / path))


def _in_folder(folder: Path) -> list[Path]:
    found = [p for p in sorted(folder.iterdir()) if p.suffix in (*DEVICE, *HOST)]
    for below in sorted(folder.iterdir()):
        if below.is_dir() and below.name not in _SKIPPED and not below.name.startswith("."):
            found += [p for p in sorted(below.iterdir()) if p.suffix in (*DEVICE, *HOST)]
    return [p for p in found if p.is_file()]


def build(
    program: Program, mode: Mode = "plain", say: Callable[[str], None] = lambda _: None
) -> Built:
    """Build a program; BuildError holds the compiler's words if it does not compile."""
    return _Build(program, mode, say).run()


class _Build:
    def __init__(self, program: Program, mode: Mode, say: Callable[[str], None]) -> None:
        self.program = program
        self.mode: Mode = mode
        self.say = say
        self.compiler: Compiler = find_compiler(program.compiler)
        self.includes = [_absolute(Path(i)) for i in program.options.includes]
        self.reached: dict[Path, bytes] = {}
        self.uses: dict[Path, list[Path]] = {}
        self.lowered: dict[Path, bytes] = {}
        self.diagnostics: list[tuple[Path, Diagnostic]] = []

    def run(self) -> Built:
        for source in self.program.sources:
            self._reach(source)
        self._lower()
        self.mirror = cache_folder() / "mirror" / self._identity()
        for path in self.reached:
            self._mirror(path)
        runtime = build_runtime(self.compiler, self.mode, self.say)
        jobs: list[Callable[[], Path]] = [
            lambda source=source: self._compile(source)  # type: ignore[misc]
            for source in self.program.sources
        ]
        said = tuple(self.diagnostics)
        try:
            return Built(self._link(compile_all(jobs), runtime), said)
        except BuildError as fault:
            fault.diagnostics = said
            raise

    # --- files ----------------------------------------------------------------------------------

    def _reach(self, source: Path) -> None:
        """All project files that `source` includes, and what they do."""
        todo = [source]
        while todo:
            path = todo.pop()
            if path in self.reached:
                continue
            try:
                data = path.read_bytes()
            except OSError as fault:
                raise SigtransError(f"{path}: {fault.strerror}") from None
            self.reached[path] = data
            self.uses[path] = []
            for quote, name in _INCLUDE.findall(data):
                found = self._find(path, quote == b'"', os.fsdecode(name))
                if found is not None:
                    self.uses[path].append(found)
                    todo.append(found)

    def _find(self, path: Path, quoted: bool, name: str) -> Path | None:
        folders = [path.parent, *self.includes] if quoted else self.includes
        for folder in folders:
            candidate = Path(os.path.normpath(folder / name))
            if candidate.is_file():
                return candidate
        return None

    def _lower(self) -> None:
        from sigtrans.simt import lower
        from sigtrans.simt.kernels import find_kernels, merge
        from sigtrans.simt.scan import View
        from sigtrans.syntax import lex, make_pattern

        kernels = []
        shared: dict[bytes, bool] = {}
        for data in self.reached.values():
            if b"__global__" in data:
                kernels += find_kernels(View(lex(data, make_pattern())))
            shared |= lower.find_shared_words(data)
        context: Context = lower.Context(merge(kernels), shared, self.program.options.relocatable)
        for path, data in self.reached.items():
            if path.suffix in HOST and not self.program.options.all_device:
                continue  # a host compiler sees these as they are
            if not lower.needs_lowering(data, context):
                continue
            done = lower.lower(str(path), data, context)
            self.diagnostics += [(path, d) for d in done.diagnostics]
            self.lowered[path] = done.data

    def _mirror(self, path: Path) -> None:
        """A file's place in the mirror: lowered, or a link to it."""
        data = self.lowered.get(path)
        if data is None:
            place_link(self._place(path), path)
        else:
            place_file(self._place(path), data)

    def _place(self, path: Path) -> Path:
        return self.mirror / path.relative_to("/")

    def _identity(self) -> str:
        """One mirror for each program and way to lower it."""
        options = self.program.options
        return digest(*map(str, self.program.sources), str(options.relocatable))[:12]

    # --- compiling ------------------------------------------------------------------------------

    def _compile(self, source: Path) -> Path:
        flags = self._flags(source)
        key = digest(
            self.compiler.identity, runtime_digest(), *flags,
            *(part for p in self._closure(source) for part in (str(p), self._text(p))),
        )  # fmt: skip
        out = cache_folder() / "objects" / key[:2] / f"{key}.o"
        command = (*self.compiler.command, *flags, "-c", str(self._place(source)), "-o")

        def make(path: Path) -> None:
            try:
                call((*command, str(path)), source.name)
            except BuildError as fault:
                raise BuildError(str(fault).replace(str(self.mirror), "")) from None

        return kept(out, make)

    def _text(self, path: Path) -> bytes:
        return self.lowered.get(path) or self.reached[path]

    def _closure(self, source: Path) -> list[Path]:
        seen: dict[Path, None] = {}
        todo = [source]
        while todo:
            path = todo.pop()
            if path not in seen:
                seen[path] = None
                todo += self.uses[path]
        return list(seen)

    def _flags(self, source: Path) -> tuple[str, ...]:
        options = self.program.options
        flags = [*mode_flags(self.compiler, self.mode), "-g", "-fPIC", "-w", "-fno-strict-aliasing"]
        flags.append(f"-ffile-prefix-map={self.mirror}=")
        if options.debug:
            flags.append("-O0")
        device = source.suffix in DEVICE or options.all_device
        if source.suffix == ".c" and not options.all_device:
            flags += ["-x", "c"]
        else:
            standard = options.standard if device or options.standard else ""
            flags += ["-x", "c++", f"-std={_standard(standard)}"]
        flags += [*options.host, *(f for f in options.defines)]
        if options.fast_math:
            flags.append("-DSIMT_FAST_MATH")
        vendor = self._vendor_headers()
        if device:
            runtime = "musa_runtime.h" if self.program.musa else "cuda_runtime.h"
            flags += ["-DSIMT_DEVICE_CODE", "-include", str(RUNTIME / "simt" / "lowered.h")]
            flags += ["-include", runtime]
        for forced in options.forced:
            flags += ["-include", forced]
        for folder in self.includes:
            place = self._place(folder)
            if place.is_dir():
                flags += ["-I", str(place)]
            flags += ["-I", str(folder)]
        flags += ["-iquote", str(source.parent), "-I", str(vendor), "-I", str(RUNTIME)]
        return (*flags, "-I", str(_helpers()))

    def _vendor_headers(self) -> Path:
        if not self.program.musa:
            return INCLUDE
        from sigtrans.names import load
        from sigtrans.simt.headers import make_musa_headers

        folder = cache_folder() / "musa" / digest(runtime_digest(), self.program.sdk)
        headers = make_musa_headers(INCLUDE, load(), self.program.sdk)
        return kept(folder, lambda made: write_tree(made, headers))

    def _link(self, objects: Sequence[Path], runtime: Sequence[Path]) -> Path:
        options = self.program.options
        libraries = [
            library for library in options.libraries
            if not library.startswith("-l") or not _is_vendors(library[2:])
        ]  # fmt: skip
        flags = [f for f in mode_flags(self.compiler, self.mode) if f.startswith("-fsanitize=a")]
        key = digest(
            self.compiler.identity, *map(str, objects), *map(str, runtime), *libraries,
            *options.linker, *flags,
        )  # fmt: skip
        name = next((s.stem for s in self.program.sources if s.suffix in DEVICE), "program")
        command = (
            *self.compiler.command, *flags, *map(str, objects), *map(str, runtime), *libraries,
            *(f"-Wl,{option}" for option in options.linker), "-lpthread", "-ldl", "-lm", "-o",
        )  # fmt: skip
        return kept(
            cache_folder() / "programs" / key / name,
            lambda path: call((*command, str(path)), name),
        )


def _standard(asked: str) -> str:
    """At least C++17, which our headers need; with GNU's extensions, as nvcc's host compiler."""
    number = re.search(r"\d+", asked)
    if number is None or number.group() in ("98", "03", "11", "14", "0x", "1y"):
        return "gnu++17"
    return f"gnu++{number.group()}"


def _is_vendors(library: str) -> bool:
    """Libraries that the runtime stands in for."""
    return library.startswith(
        ("cuda", "cublas", "curand", "cufft", "cusparse", "cusolver", "nvrtc", "nvToolsExt", "musa",
         "mublas", "murand", "mufft", "musparse", "musolver", "culibos", "nvJitLink")
    )  # fmt: skip


def _helpers() -> Path:
    """The helper headers that ports bring along."""
    from sigtrans.names import data_dir

    return data_dir().parent / "templates" / "helpers"
