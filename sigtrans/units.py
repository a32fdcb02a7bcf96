"""Which files of a ported tree are translation units, and what each of them includes."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from sigtrans.discover import CompileCommand, Found
from sigtrans.semantics import Unit

DEVICE = (".mu", ".cu")
_HOST = (".cpp", ".cc", ".cxx", ".c++", ".cp", ".C")
_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".muh", ".cuh", ".inl", ".inc", ".ipp", ".tpp", ".icc")
_SHARED = frozenset(("common", "include", "includes", "inc", "util", "utils", "shared", "lib"))
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
_MUSA_TEXT = re.compile(rb"\bmusa[A-Z_]|\bMUSA|\bmu(?:blas|fft|rand|sparse|solver|dnn)|\bmccl")


def read_file(root: str, path: str) -> bytes:
    """What a file of the tree holds; nothing when it cannot be read."""
    try:
        return Path(root, path).read_bytes()
    except OSError:
        return b""


class Sources:
    """The C-family files of the tree and what they include."""

    def __init__(self, root: str, found: Iterable[Found], ported: frozenset[str]) -> None:
        self.root = root
        self.paths: list[str] = []
        self.ported: set[str] = set()
        self.by_name: dict[str, list[str]] = {}
        self.includes: dict[str, tuple[tuple[bool, str], ...]] = {}
        self.musa: set[str] = set()
        self.device: set[str] = set()  # files with text for the device alone
        for each in found:
            suffix = posixpath.splitext(each.path)[1]
            if suffix not in (*DEVICE, *_HOST, *_HEADERS, ".c") or each.failed:
                continue
            data = read_file(root, each.path)
            self.paths.append(each.path)
            if each.path in ported:
                self.ported.add(each.path)
            self.by_name.setdefault(posixpath.basename(each.path), []).append(each.path)
            self.includes[each.path] = tuple(
                (m[1] == b'"', m[2].decode("utf-8", "surrogateescape").strip())
                for m in _INCLUDE.finditer(data)
            )
            if b"__MUSA_ARCH__" in data:
                self.device.add(each.path)
            if _MUSA_TEXT.search(data) or suffix in DEVICE:
                self.musa.add(each.path)
        self.known = frozenset(self.paths)
        self.programs = {
            posixpath.dirname(p)
            for p in self.paths
            if posixpath.splitext(p)[1] in (*DEVICE, *_HOST, ".c")
        }
        self.closures: dict[str, set[str]] = {}  # unit -> itself and what it includes

    def find_reached(self, units: Iterable[Unit]) -> set[str]:
        """Every file that some unit reads."""
        return {path for unit in units for path in self.closures[self.name(unit.path)]}

    def name(self, path: str) -> str:
        """A path of the file system as the tree's own."""
        real = posixpath.normpath(path)
        return real[len(self.root) + 1 :] if real.startswith(self.root + "/") else real

    def find_units(
        self,
        includes: Iterable[Path],
        defines: Sequence[str],
        standard: str,
        commands: Mapping[str, CompileCommand],
        stubs: frozenset[str],
    ) -> list[Unit]:
        """Files that a build compiles by themselves and that have to do with MUSA."""
        own = tuple(str(Path(os.path.abspath(p))) for p in includes)  # noqa: PTH100
        units: list[Unit] = []
        included: set[str] = set()
        for path in self.paths:
            suffix = posixpath.splitext(path)[1]
            if suffix in _HEADERS or path not in self.ported:
                continue
            command = commands.get(path)
            folders = (*own, *(command.includes if command else ()))
            closure, guessed = self._follow(path, folders, stubs)
            self.closures[path] = closure
            included |= closure - {path}
            language = "musa" if suffix in DEVICE else "c" if suffix == ".c" else "c++"
            if command is not None and command.language in ("cuda", "musa"):
                language = "musa"
            defines = (*defines, *(command.defines if command else ()))
            units.append(Unit(f"{self.root}/{path}", language, folders, guessed, defines, standard))
        kept = []
        for unit in units:
            path = self.name(unit.path)
            alone = path in commands or path not in included
            if alone and not self.closures[path].isdisjoint(self.musa):
                device = not self.closures[path].isdisjoint(self.device)
                kept.append(replace(unit, device=device))
        return kept

    def _follow(
        self, path: str, folders: Sequence[str], stubs: frozenset[str]
    ) -> tuple[set[str], tuple[str, ...]]:
        """What a file includes, however deep, and the folders that no option names for it."""
        closure = {path}
        guessed: dict[str, None] = {}
        inside = [
            os.path.relpath(f, self.root).replace(os.sep, "/")
            for f in folders
            if f.startswith(self.root)
        ]
        left = [path]
        while left:
            here = left.pop()
            for quoted, name in self.includes[here]:
                target, folder = self._resolve(here, quoted, name, (*inside, *guessed), stubs)
                if folder:
                    guessed[folder] = None
                if target and target not in closure:
                    closure.add(target)
                    left.append(target)
        return closure, tuple(posixpath.normpath(f"{self.root}/{f}") for f in guessed)

    def _resolve(
        self, here: str, quoted: bool, name: str, folders: Sequence[str], stubs: frozenset[str]
    ) -> tuple[str, str]:
        """The file of the tree, and the folder to add when nothing led to it."""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(here), name))
        if quoted and beside in self.known:
            return beside, ""
        for folder in folders:
            path = posixpath.normpath(posixpath.join(folder, name))
            if path in self.known:
                return path, ""
        if name in stubs or _is_of_the_host(name):
            return "", ""
        wanted = [
            p
            for p in self.by_name.get(posixpath.basename(name), ())
            if p == name or p.endswith("/" + name)
        ]
        if not wanted or name.startswith(("/", "../")):
            return "", ""
        best = max(wanted, key=lambda p: (self._is_shared(p, here), _shared(p, here), -len(p), p))
        return best, best[: -len(name)].rstrip("/") or "."

    def _is_shared(self, header: str, here: str) -> bool:
        """Whether a header lies above the file, or in a folder without programs of its own."""
        folder = posixpath.dirname(header)
        above = f"{here}/".startswith(f"{folder}/" * bool(folder))
        named = posixpath.basename(folder).lower() in _SHARED
        return above or named or folder not in self.programs


def _shared(one: str, two: str) -> int:
    """How many folders two paths begin with together."""
    return len(
        posixpath.commonpath([posixpath.dirname(one) or ".", posixpath.dirname(two) or "."]).split(
            "/"
        )
    )


@cache
def _host_folders() -> tuple[str, ...]:
    patterns = (
        "include",
        "local/include",
        "include/c++/*",
        "include/*-linux-gnu",
    )
    return tuple(str(f) for pattern in patterns for f in sorted(Path("/usr").glob(pattern)))


@cache
def _is_of_the_host(name: str) -> bool:
    return any(Path(folder, name).is_file() for folder in _host_folders())
