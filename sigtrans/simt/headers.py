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
    places = {path: _place(path, table) for path in files}
    return {str(places[path]): _rename(data, table, places, sdk) for path, data in files.items()}


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
        return target
    if name in table.same or name in table.flags:
        return name
    if name in table.guards:
        return table.guards[name] or b"simt_absent_" + name
    if name in table.absent or _VENDOR.fullmatch(name):
        return b"simt_absent_" + name
    return name
