"""nvcuda::wmma: matrix units where the card's are known to fit, plain arithmetic elsewhere.

A table of names cannot decide it: the answer hangs on the shapes and types of all fragments of a
file and on the targets. And which element a lane holds is no part of the interface, so code that
relies on it has to be found by how it uses `fragment.x`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain, takewhile

from sigtrans.fragments import Fragment, blank_out, find_fragments, uses_wmma, verdict
from sigtrans.passes import Code, CodeFindings
from sigtrans.source import Diagnostic, Edit, Safety, Severity, Span
from sigtrans.target import load

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


def find(code: Code) -> CodeFindings:
    """Where nvcuda::wmma goes, and which uses of it do not survive the move."""
    if not uses_wmma(code.data) or not (b"nvcuda" in code.data or code.project.wmma):
        return CodeFindings()
    spaces = [e for e in code.renames if code.data[e.span.start : e.span.end] == b"nvcuda"]
    text = blank_out(code.data, code.lexed.blanks)
    fragments = tuple(f for f in find_fragments(text) if code.is_open(f.at))
    said = [*_unsupported(code, text, fragments), *_element_access(code, text, fragments)]
    if not spaces:
        return CodeFindings((), tuple(said))
    place = _choose(code, text)
    said += _say_place(code, place, spaces[0].span, fragments)
    if place.space == b"mtmusa":  # what the names pass writes
        return CodeFindings((), tuple(said))
    edits = [Edit(e.span, place.space, "matrix/wmma", Safety.REVIEW) for e in spaces]
    # CUDA's mma.h brings cuda_fp16.h along; MUSA's is included by the helper, where it is needed.
    edits += [
        Edit(Span(i.start, i.end), b"musa_fp16.h", "matrix/header")
        for i in code.facts.includes
        if i.path in (b"mma.h", b"crt/mma.h")
        and (i.angled or "mma.h" not in code.project.by_name)
        and not code.protected.why(i.start)
    ]
    return CodeFindings(tuple(edits), tuple(said), frozenset(("wmma",)))


# --- where it goes --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    space: bytes  # what stands for nvcuda in the port
    units: tuple[str, ...]  # targets that use their matrix units
    plain: tuple[str, ...]  # targets that do without


def _choose(code: Code, text: bytes) -> _Place:
    listed = (code.project.wmma or verdict(text)) == "listed"
    units = tuple(t for t in code.targets if listed and _fits(t))
    plain = tuple(t for t in code.targets if t not in units)
    if not plain:
        return _Place(b"mtmusa", units, plain)
    return _Place(b"sigtrans::per_card" if units else b"sigtrans::emulated", units, plain)


def _fits(target: str) -> bool:
    """Do the 32 lanes of a warp multiply 16x16x16 tiles of 16-bit floats there?"""
    fact = load(target).value("mma_warp")
    return isinstance(fact, dict) and [16, 16, 16] in fact["shapes"]


def _say_place(
    code: Code, place: _Place, span: Span, fragments: tuple[Fragment, ...]
) -> Iterator[Diagnostic]:
    if place.units:
        yield Diagnostic(
            span,
            "SIG502",
            WARNING,
            f"matrix units of {', '.join(place.units)}: every fragment of this file is 16x16x16 of "
            "half or bfloat16 with float accumulators, which public kernels use mtmusa::wmma for; "
            "nobody ran this port",
            "compare the results of the kernels on the card",
            "matrix/units",
        )
    if not place.plain:
        return
    other = next((f for f in fragments if not f.on_list), None)
    if place.units:
        why = "mtmusa::wmma is not known to work by warps of 32 there"
    elif other is not None and not (other.element and all(other.shape)):
        why = f"not all of '{other}' can be seen in this file"
    elif other is not None:
        why = f"'{other}' is not on the list of what mtmusa::wmma is known to do"
    elif not any(_fits(t) for t in code.targets):
        why = "mtmusa::wmma is not known to work by warps of 32 there"
    elif fragments:
        why = "a header of the tree shares fragments that are not on the list"
    else:
        why = "no fragment is declared in this file"
    yield Diagnostic(
        span,
        "SIG523",
        NOTE,
        f"without matrix units on {', '.join(place.plain)}, much slower: {why}",
        "for speed use muBLAS, muDNN, mutlass or mate",
        "matrix/emulated",
    )


# --- what has no counterpart ----------------------------------------------------------------------

_EXPERIMENTAL = re.compile(rb"\bwmma\s*::\s*experimental\b|\bbmma_sync\b")
_REOPENED = re.compile(rb"\bnamespace\s+(nvcuda)\b[\s\w:]*\{")


def _unsupported(code: Code, text: bytes, fragments: tuple[Fragment, ...]) -> Iterator[Diagnostic]:
    small = [(f.at, f.at + 8) for f in fragments if f.element == "sub-byte"]
    small += [m.span() for m in _EXPERIMENTAL.finditer(text) if code.is_open(m.start())]
    if small:
        start, end = min(small)
        yield Diagnostic(
            Span(start, end),
            "SIG522",
            ERROR,
            f"elements of less than a byte have no counterpart{_places(len(small))}",
            "widen them to 8 bits, or rewrite the kernel",
            "matrix/sub-byte",
        )
    for match in _REOPENED.finditer(text):
        if code.is_open(match.start()):
            yield Diagnostic(
                Span(*match.span(1)),
                "SIG522",
                ERROR,
                "the project adds to the namespace nvcuda, so every use of it in the tree "
                "stays, and no header of MUSA declares it",
                "declare it in a namespace of the project, and run again",
                "matrix/reopened",
            )


def _places(count: int) -> str:
    return f" ({count} places in this file)" if count > 1 else ""


# --- fragment.x -----------------------------------------------------------------------------------

_LANE = re.compile(
    rb"\b(?:\w*_)?lane(?:_?[iI]d\w*|_\w+)?\b|\b\w*Lane(?:I\w+)?\b|\b\w*LANE_?ID\b"
    rb"|\bthreadIdx\s*\.\s*x\b"
)
# Behind the number of a thread: the number of its warp, which its lanes share.
_WARP = re.compile(rb"\s*\)*\s*(?:/|>>)\s*(?:32|5|0x20|warpSize|\w*(?:WARP|[wW]arp)\w*)\b")
_ASSIGNED = re.compile(rb"\b([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)([^;{}]{1,300})[;}]")
_FOR = re.compile(rb"\bfor\s*\(")
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
# Bytes: a loop, or around a place outside every known function; a statement; a head or an index.
_REACH, _STATEMENT, _SHORT = 3000, 500, 200
_LOOPS = 8  # nested or before one another, that are looked at for the counter of an index

_BY_LANE = "which element a lane holds in x[i] is not what it is on CUDA"
_FINDINGS = {  # kind -> severity, message, help
    "lane": (
        ERROR,
        f"'{{}}.x' is used together with the lane: {_BY_LANE}",
        "store_matrix_sync to memory and take rows and columns from there",
    ),
    "mixed": (
        ERROR,
        f"elements move between fragments of different use: {_BY_LANE}",
        "store_matrix_sync the one and load_matrix_sync the other",
    ),
    "index": (
        WARNING,
        f"elements of '{{}}' are told apart by number: {_BY_LANE}",
        "right if every element is treated alike; else go through memory",
    ),
    "count": (
        ERROR,
        "the loop does not run to '{}.num_elements': matrix_a and matrix_b hold another number of "
        "elements than on CUDA",
        "let the loop run to num_elements",
    ),
    "held": (
        WARNING,
        "'{}.x' is read out: elements of matrix_a and matrix_b are held by several lanes each",
        "right if a value may count several times; else go through memory",
    ),
}


@dataclass(frozen=True, slots=True)
class _Access:
    """One `name.x` or `name.x[index]`."""

    start: int
    end: int  # after the closing bracket
    name: bytes
    index: bytes | None  # None: the array as a whole


@dataclass(frozen=True, slots=True)
class _Loop:
    head: int  # of the word `for`
    body: int
    end: int


def _element_access(
    code: Code, text: bytes, fragments: tuple[Fragment, ...]
) -> Iterator[Diagnostic]:
    scopes: dict[int, dict[bytes, set[str]]] = {}  # where a function's body begins -> its variables
    for fragment in fragments:
        scope = scopes.setdefault(_body(code, fragment.at)[0], {})
        for name in fragment.names:
            scope.setdefault(name, set()).add(fragment.use)
    found: dict[tuple[int, str], list[_Access]] = {}
    by_lane: dict[int, list[int]] = {}
    accesses = list(_accesses(text, {name for scope in scopes.values() for name in scope}))
    for access in accesses:
        body = _body(code, access.start)
        uses = scopes.get(-1, {}) | scopes.get(body[0], {})
        if access.name not in uses or not code.is_open(access.start):
            continue
        if body[0] < 0:
            body = (max(0, access.start - _REACH), min(len(text), access.start + _REACH))
        if body[0] not in by_lane:
            by_lane[body[0]] = _lane_places(text, body)
        kind = _judge(text, body, access, accesses, uses, by_lane[body[0]])
        if kind:
            found.setdefault((body[0], kind), []).append(access)
    for (_, kind), places in found.items():
        severity, message, help_ = _FINDINGS[kind]
        first = places[0]
        more = f" ({len(places)} places in this function)" if len(places) > 1 else ""
        yield Diagnostic(
            Span(first.start, first.end),
            "SIG521",
            severity,
            message.format(first.name.decode()) + more,
            help_,
            f"matrix/fragment-{kind}",
        )


def _body(code: Code, at: int) -> tuple[int, int]:
    """The body of the function around `at`, (-1, -1) where there is none."""
    function = code.function_at(at)
    return function.body if function else (-1, -1)


def _accesses(text: bytes, names: Collection[bytes]) -> Iterator[_Access]:
    if not names:
        return
    either = b"|".join(re.escape(name) for name in sorted(names))
    pattern = re.compile(
        rb"\b(" + either + rb")\s*(?:\[[^\[\]]{0,80}\]\s*){0,4}(?:\.|->)\s*x\b\s*(\[)?"
    )
    for match in pattern.finditer(text):
        if not match.group(2):
            yield _Access(match.start(), match.end(), match.group(1), None)
            continue
        close = _closing(text, match.end() - 1)
        index = text[match.end() : close].strip()
        yield _Access(match.start(), min(close + 1, len(text)), match.group(1), index)


_BRACKET = re.compile(rb"[(\[{]|[)\]}]")


def _closing(text: bytes, at: int, limit: int = _SHORT) -> int:
    """Where the bracket at `at` is closed, or as far as we look."""
    depth = 0
    stop = min(len(text), at + limit)
    for match in _BRACKET.finditer(text, at, stop):
        depth += 1 if match.group() in b"([{" else -1
        if depth == 0:
            return match.start()
    return stop


def _judge(
    text: bytes,
    body: tuple[int, int],
    access: _Access,
    accesses: list[_Access],
    uses: dict[bytes, set[str]],
    by_lane: list[int],
) -> str:
    """What is wrong with this access, "" for nothing."""
    start, end = _statement(text, body, access)
    loop = _loop(text, body, access)
    first, last = (loop.head, loop.end) if loop else (start, end)
    n = bisect_left(by_lane, first)
    if (n < len(by_lane) and by_lane[n] < last) or _ACROSS.search(text, start, end):
        return "lane"
    around = accesses[bisect_left(accesses, start, key=_start) :]
    beside = list(takewhile(lambda a: a.start < end, around))
    if len({use for a in beside for use in uses.get(a.name, ())} - {""}) > 1:
        return "mixed"
    if access.index is None or loop is None or not _IDENTIFIER.fullmatch(access.index):
        return "index"
    if uses[access.name] & {"matrix_a", "matrix_b"}:
        if not _runs_over_all(text[loop.head : loop.body], text[body[0] : loop.head]):
            return "count"
        if not any(_ASSIGNMENT.match(text, a.end) for a in beside):
            return "held"
    return "index" if _counts_else(text[loop.body : loop.end], access.index) else ""


def _runs_over_all(head: bytes, before: bytes) -> bool:
    """Does a loop end at num_elements, or at a variable that was given it?"""
    if _ALL.search(head):
        return True
    bound = _BOUND.search(head)
    return bound is not None and any(
        match.group(1) == bound.group(1) for match in _IS_ALL.finditer(before)
    )


def _counts_else(body: bytes, counter: bytes) -> bool:
    """Does the body of a loop use its counter for anything but the elements?"""
    name = rb"\b" + re.escape(counter) + rb"\b"
    elements = re.findall(rb"(?:\.|->)\s*x\s*\[\s*" + name + rb"\s*\]", body)
    return len(re.findall(name, body)) > len(elements)


_ALL = re.compile(rb"\bnum_(?:storage_)?elements\b")
_BOUND = re.compile(rb"(?:<|!=)\s*([A-Za-z_]\w*)\s*;")
_IS_ALL = re.compile(rb"\b([A-Za-z_]\w*)\s*=[^;={}]{0,200}\bnum_(?:storage_)?elements\b")
_ACROSS = re.compile(rb"\b__shfl|\basm\b")
_ASSIGNMENT = re.compile(rb"\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)")


def _start(access: _Access) -> int:
    return access.start


def _statement(text: bytes, body: tuple[int, int], access: _Access) -> tuple[int, int]:
    """From the end of the statement before, conditions and loop heads included, to its own end."""
    depth = 0
    start = access.start
    while start > max(body[0], access.start - _STATEMENT):
        byte = text[start - 1]
        if byte == 0x29:
            depth += 1
        elif byte == 0x28:
            depth -= 1
        elif byte in b";{}" and depth <= 0:
            break
        start -= 1
    end = access.end
    while end < min(body[1], access.end + _STATEMENT) and text[end] not in b";{}":
        end += 1
    return start, end


def _loop(text: bytes, body: tuple[int, int], access: _Access) -> _Loop | None:
    """The innermost loop around an access whose head counts its index."""
    if not access.index:
        return None
    counters = {m.group() for m in _IDENTIFIER.finditer(access.index)}
    first = max(body[0], access.start - _REACH)
    for match in list(_FOR.finditer(text, first, access.start))[: -_LOOPS - 1 : -1]:
        close = _closing(text, match.end() - 1)
        head = {m.group() for m in _IDENTIFIER.finditer(text, match.end(), close)}
        if close > access.start or not counters & head:
            continue
        end = close + 1
        while end < body[1] and text[end] not in b";{":
            end += 1
        if end < body[1] and text[end] == 0x7B:
            end = _closing(text, end, _REACH)
        if end >= access.start:
            return _Loop(match.start(), close, end)
    return None


def _lane_places(text: bytes, body: tuple[int, int]) -> list[int]:
    """Where a function names something whose value may differ from lane to lane of a warp."""
    names: set[bytes] = set()
    for match in _ASSIGNED.finditer(text, *body):
        right = match.group(2).strip()
        whole = right.startswith(b"(") and _WARP.fullmatch(right, _closing(right, 0))
        if not whole and next(_find_lane(right, 0, len(right), names), None) is not None:
            names.add(match.group(1))
    return sorted(_find_lane(text, *body, names))


def _find_lane(text: bytes, start: int, end: int, names: set[bytes]) -> Iterator[int]:
    for match in chain(_LANE.finditer(text, start, end), _IDENTIFIER.finditer(text, start, end)):
        thread = match.re is _LANE or match.group() in names
        if thread and not _WARP.match(text, match.end()):
            yield match.start()
