"""The MUSA headers of the CPU backend: the CUDA ones, renamed by the same tables that a port is.

A CUDA name that MUSA does not have becomes `simt_absent_NAME`, so that no MUSA spelling of it
exists and a program that uses one does not compile. That the tables are right is not shown by this;
that a port uses only names that they hold is.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from sigtrans.syntax import lex, make_pattern

if TYPE_CHECKING:
    from sigtrans.names import NameTable

_INCLUDE = re.compile(rb'^([ \t]*#[ \t]*include[ \t]*[<"])([^>"\n]+)', re.MULTILINE)
_VENDOR = re.compile(
    rb"(?:cuda|cu|cublas(?:Lt)?|curand|cufft|cusparse|cusolver(?:Dn|Sp)?|nvrtc|nvtx|nccl)[A-Z]\w*"
    rb"|(?:CUDA|CU|CUDART|CUBLAS(?:LT)?|CURAND|CUFFT|CUSPARSE|CUSOLVER|NVRTC|NCCL)_[A-Z]\w*"
)
_VERSION = re.compile(rb"^([ \t]*#[ \t]*define[ \t]+MUSA(?:RT)?_VERSION)[ \t]+\d+", re.MULTILINE)
ABSENT = "simt_absent"  # folder of headers that MUSA lacks and others of ours still include


def make_musa_headers(include: Path, table: NameTable, sdk: str) -> dict[str, bytes]:
    """The MUSA headers by path: `include` is our folder of CUDA headers, `sdk` the release that
    version macros speak of."""
    files = {
        PurePosixPath(path.relative_to(include).as_posix()): path.read_bytes()
        for path in sorted(include.rglob("*"))
        if path.is_file()
    }
    places = _places(files, table)
    return {str(places[path]): _rename(data, table, places, sdk) for path, data in files.items()}


def _places(
    files: dict[PurePosixPath, bytes], table: NameTable
) -> dict[PurePosixPath, PurePosixPath]:
    """Where each header goes. Of two that one MUSA header stands for, the one that includes the
    other gets the name."""
    places = {path: _place(path, table) for path in files}
    for path, place in places.items():
        others = [p for p in files if p != path and places[p] == place]
        if any(b'"%s"' % str(path).encode() in files[other] for other in others):
            places[path] = ABSENT / path
    return places


def _place(path: PurePosixPath, table: NameTable) -> PurePosixPath:
    target = table.find_header(str(path).encode())
    if target is None:
        return ABSENT / path
    return PurePosixPath(target.decode()) if target else path


def _rename(
    data: bytes, table: NameTable, places: dict[PurePosixPath, PurePosixPath], sdk: str
) -> bytes:
    def include(match: re.Match[bytes]) -> bytes:
        place = places.get(PurePosixPath(match.group(2).decode()))
        return match.group(1) + (str(place).encode() if place else match.group(2))

    out: list[bytes] = []
    at = 0
    lexed = lex(data, make_pattern())
    for start, end, name in lexed.words:
        target = find_musa_name(name, table)
        if target != name:
            out += [data[at:start], target]
            at = end
    out.append(data[at:])
    text = _INCLUDE.sub(include, b"".join(out))
    major, _, minor = sdk.partition(".")
    return _VERSION.sub(rb"\1 %d" % (int(major) * 10000 + int(minor) * 100), text)


def find_musa_name(name: bytes, table: NameTable) -> bytes:
    """What a name of the CUDA headers is called in the MUSA ones."""
    target = table.targets.get(name)
    if target is not None:
        return b"simt_absent_" + name if _is_stand_in(name, target, table) else target
    if name in table.same or name in table.flags:
        return name
    if name in table.guards and not name.lower().endswith(
        b"_h__"
    ):  # nobody knows MUSA's include guards
        return table.guards[name] or b"simt_absent_" + name
    if name in table.absent or name in table.guards or _VENDOR.fullmatch(name):
        return b"simt_absent_" + name
    return name


def _is_stand_in(name: bytes, target: bytes, table: NameTable) -> bool:
    """Does a port write another enumerator for this one, which itself has that MUSA name?"""
    sources = table.find_sources(target.decode())
    own = target.decode().replace("musa", "cuda", 1).replace("mu", "cu", 1)
    if len(sources) < 2 or own not in sources or own == name.decode():
        return False
    entry = table.explain(name.decode())
    return entry is not None and entry.kind == "enum"
