"""All passes over one C-family file: names first, then what is more than a rename.

A pass that replaces a span has seen what the names pass would change in it, so its edit stands and
the renames inside go. Where two passes want the same place, the one listed first has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from posixpath import dirname, relpath
from typing import TYPE_CHECKING, NamedTuple

from sigtrans.catalogue import data_file
from sigtrans.passes import Code, CodeFindings
from sigtrans.passes.code import find as find_names
from sigtrans.passes.code import find_protected
from sigtrans.source import Diagnostic, Edit, Safety, Severity, SourceFile, Span

if TYPE_CHECKING:
    from sigtrans.names import NameTable
    from sigtrans.symbols import FileFacts, Project
    from sigtrans.syntax import Lexed


class Pass(NamedTuple):
    """When a pass is run. Its module is not even imported before some file has a mark."""

    marks: tuple[bytes, ...]  # without one of these in a file there is nothing to find
    cuda_only: bool = False  # nothing to do in host code


def _pass(marks: bytes, cuda_only: bool = False) -> Pass:
    return Pass(tuple(marks.split()), cuda_only)


PASSES: Mapping[str, Pass] = {  # in this order
    "inline_asm": _pass(b"asm __cvta_generic_to_shared"),  # guards ask what became of it
    "guards": _pass(
        b"CUDA CUBLAS CUDNN CUFFT CUPTI CURAND CUSOLVER CUSPARSE CU_ NCCL_ NPP NV _H_ cuda Cuda "
        b"Capability"
    ),
    "matrix": _pass(b"nvcuda wmma"),
    "warp": _pass(
        b"__shfl __ballot __any __all __activemask __match_ __reduce_ coalesced_threads warpSize "
        b"WarpSize warp_size WARP_SIZE tiled_partition thread_block_tile WarpReduce WarpScan "
        b"threadIdx volatile atomicCAS atomicExch"
    ),
    "memory": _pass(
        b"__shared__ __constant__ <<< MaxDynamicSharedMemorySize MAX_DYNAMIC_SHARED_SIZE_BYTES "
        b"__pipeline_ cuda_pipeline memcpy_async __ldc __ldlu __stc __stw __mbarrier_ luster "
        b"__grid_constant__ labeled_partition binary_partition"
    ),
    "intrinsics": _pass(
        b"atomic bfloat16 half Half fp8 int128 __nanosleep __dp double template __restrict__",
        cuda_only=True,
    ),
    "libraries": _pass(b"cu CU nccl NCCL nv NV thrust THRUST cooperative <<<"),
    "torch_ext": _pass(b"torch ATen/ c10 at::"),
}


@dataclass(frozen=True, slots=True)
class Port:
    """What the port of one file has to suit."""

    targets: tuple[str, ...] = ("mp_31",)
    sdk: str = "5.2"
    strict: bool = False


def find(
    file: SourceFile,
    lexed: Lexed,
    facts: FileFacts,
    project: Project,
    table: NameTable,
    port: Port,
    is_cuda: bool,
    passes: tuple[str, ...] | None = None,
) -> CodeFindings:
    """Every edit and every open question of one C-family file; `passes`: only those, and names."""
    code = Code(
        file, lexed, facts, project, table, find_protected(lexed), port.targets, port.sdk, is_cuda,
        strict=port.strict,
    )  # fmt: skip
    names = find_names(code)
    aliased = any(alias in file.data for alias in project.aliases)
    if not (is_cuda or lexed.words or lexed.quoted or aliased):
        return names  # host code that names nothing of CUDA's
    wanted = [
        name
        for name, each in PASSES.items()
        if (passes is None or name in passes)
        and (is_cuda or not each.cuda_only)
        and (any(mark in file.data for mark in each.marks) or (aliased and name == "guards"))
    ]
    if not wanted:
        return names
    renames = tuple(sorted(names.edits, key=lambda e: (e.span.start, e.span.end)))
    code = replace(code, lexed=lexed.with_blanks(), renames=renames)
    edits: list[Edit] = []
    said: list[Diagnostic] = list(names.diagnostics)
    helpers: set[str] = set()
    reshaped: list[str] = []
    for name in wanted:
        found = _finder(name)(code)
        if found.edits:
            reshaped.append(name)
        edits += found.edits
        said += found.diagnostics
        helpers |= found.helpers
        if name == "inline_asm":
            code = replace(code, assembly=_exact(found))
    edits = _outermost(edits)
    if helpers:
        edits.append(_include(code, helpers, edits))
    return CodeFindings(
        (*edits, *_outside(renames, edits)),
        tuple(said),
        frozenset(helpers),
        names.protected,
        tuple(reshaped),
    )


def _exact(found: CodeFindings) -> tuple[Span, ...]:
    """The asm statements that were translated without a question."""
    asked = {d.span for d in found.diagnostics if d.severity is not Severity.NOTE}
    exact = {e.span for e in found.edits if e.rule == "asm/translate" and e.safety is Safety.EXACT}
    return tuple(sorted(exact - asked))


@cache
def _finder(name: str) -> Callable[[Code], CodeFindings]:
    find: Callable[[Code], CodeFindings] = import_module(f"sigtrans.passes.{name}").find
    return find


def _outermost(edits: Iterable[Edit]) -> list[Edit]:
    """Without the edits inside a larger one: that one has replaced what they would change."""
    kept: list[Edit] = []
    around = Span(0, 0)
    for edit in sorted(edits, key=lambda e: (e.span.start, -e.span.end)):
        span = edit.span
        begins = around.start if span.start < span.end else around.start + 1
        if span == around or not (begins <= span.start and span.end <= around.end):
            kept.append(edit)
            around = span if span.end > around.end else around
    return kept


def _outside(renames: tuple[Edit, ...], edits: Iterable[Edit]) -> list[Edit]:
    """The renames that no edit of a pass takes in."""
    spans = sorted(e.span for e in edits if e.span.start < e.span.end)
    kept: list[Edit] = []
    n = 0
    for rename in renames:
        while n < len(spans) and spans[n].end <= rename.span.start:
            n += 1
        inside = n < len(spans) and spans[n].start <= rename.span.start
        if not (inside and rename.span.end <= spans[n].end):
            kept.append(rename)
    return kept


# --- helper headers -------------------------------------------------------------------------------


def helper_name(topic: str) -> str:
    """File name of a helper header; it lies in the root folder of the port."""
    return f"sigtrans_{topic}.h"


@cache
def helper_text(topic: str) -> bytes:
    """The header that ships with sigtrans."""
    return data_file("templates", f"helpers/{helper_name(topic)}").read_bytes()


_LINE = re.compile(
    rb"^[ \t]*#[ \t]*(?:(if|ifdef|ifndef|endif)\b|include\b[^\r\n]*(\r\n|[\r\n])?)", re.MULTILINE
)
_DIRECTIVE = re.compile(rb"[ \t]*#")
_ONCE = re.compile(rb"^[ \t]*#[ \t]*pragma[ \t]+once\b[^\r\n]*(?:\r\n|\r|\n)", re.MULTILINE)


def _include(code: Code, helpers: Iterable[str], edits: Iterable[Edit]) -> Edit:
    """One edit that includes the helper headers, at a place where every build passes by."""
    up = relpath(".", dirname(code.file.path) or ".")
    folder = "" if up == "." else up + "/"
    names = [f"{folder}{helper_name(topic)}".encode() for topic in sorted(helpers)]
    at, before, newline = _place(code, _first_use(code, edits))
    lines = b"".join(b'#include "' + name + b'"' + newline for name in names)
    return Edit(Span(at, at), before + lines, "helpers/include", Safety.EXACT)


def _first_use(code: Code, edits: Iterable[Edit]) -> int:
    """Where the first of these edits, which are in order, stands that is in no directive."""
    line_end = -1
    for edit in edits:
        if edit.span.start >= line_end:
            line_start, line_end = code.lexed.logical_line(edit.span.start)
            if not _DIRECTIVE.match(code.data, line_start):
                return edit.span.start
    return len(code.data)


def _place(code: Code, limit: int) -> tuple[int, bytes, bytes]:
    """After the first #include outside every condition and brace (an include guard aside) that
    stands before `limit`, the first use, else after #pragma once, else at the top; what has to
    stand before; the line end of the file."""
    data = code.data
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    depth = -_guard_depth(code)
    nested = at = 0
    for match in _LINE.finditer(data, 0, limit):
        if not code.is_open(match.start()):
            continue
        if match.group(1):
            depth += -1 if match.group(1) == b"endif" else 1
            continue
        text = code.lexed.code(at, match.start())
        nested += text.count(b"{") - text.count(b"}") + text.count(b"(") - text.count(b")")
        at = match.end()
        if depth <= 0 and nested == 0:
            return at, b"" if match.group(2) else newline, newline
    once = _ONCE.search(data)
    if once is not None and code.is_open(once.start()):
        return once.end(), b"", newline
    return 3 if data.startswith(b"\xef\xbb\xbf") else 0, b"", newline


_GUARD = re.compile(
    rb"\s*#[ \t]*if(?:ndef[ \t]+|[ \t]*![ \t]*defined[ \t]*\(?[ \t]*)(\w+)[ \t]*\)?"
    rb"\s*#[ \t]*define[ \t]+\1\b"
)


def _guard_depth(code: Code) -> int:
    """1 where the file begins with an include guard, else 0."""
    head = code.lexed.code(0, min(len(code.data), 20000)).removeprefix(b"\xef\xbb\xbf")
    return 1 if _GUARD.match(head) else 0
