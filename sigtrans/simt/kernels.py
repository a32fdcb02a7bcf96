"""Which kernels a set of files declares, and what is known of each from its text alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sigtrans.simt.scan import View
from sigtrans.syntax import IDENTIFIER_BYTES

_GLOBAL = re.compile(rb"\b__global__\b")
_ATTRIBUTES = frozenset(
    b"__launch_bounds__ __attribute__ __cluster_dims__ __maxnreg__ __block_size__ alignas".split()
)
_CLUSTER = re.compile(rb"\b__cluster_dims__\s*\(([^()]*)\)")
_NAME = re.compile(rb"[\w$\x80-\xff]+")
_SPACES = re.compile(rb"\s+")


@dataclass(frozen=True, slots=True)
class Kernel:
    """One declaration of a kernel."""

    name: bytes  # without its scope
    parameters: int
    template: int  # how many template parameters; 0: no template, -1: not a plain list
    types: bytes  # the parameter list without names and blanks, to tell overloads apart
    cluster: bytes  # what __cluster_dims__ says


Kernels = Mapping[bytes, Kernel | None]  # None: the name means several things


def find_kernels(view: View) -> list[Kernel]:
    """The kernels that a file declares, as far as its text tells."""
    found = []
    for match in _GLOBAL.finditer(view.text):
        kernel = _read(view, *match.span())
        if kernel is not None:
            found.append(kernel)
    return found


def merge(kernels: Iterable[Kernel]) -> dict[bytes, Kernel | None]:
    """By name; a name that is declared in two ways says nothing."""
    table: dict[bytes, Kernel | None] = {}
    for kernel in kernels:
        known = table.setdefault(kernel.name, kernel)
        if known is not None and known != kernel:
            same = (known.parameters, known.template, known.types)
            if same != (kernel.parameters, kernel.template, kernel.types):
                table[kernel.name] = None
            elif not known.cluster:  # a declaration without it, and the definition with it
                table[kernel.name] = kernel
    return table


def _read(view: View, start: int, at: int) -> Kernel | None:
    text = view.text
    limit = min(len(text), at + 4000)
    while at < limit:
        byte = text[at]
        if byte == 0x28:
            close = view.find_close(at)
            if close < 0:
                return None
            last = view.before(at)
            if last < 0 or text[last] not in IDENTIFIER_BYTES:
                return None  # a specialization k<int>(...), an operator
            begin = view.name_start(last)
            if text[begin : last + 1] not in _ATTRIBUTES:
                return _make(view, start, begin, last + 1, at, close)
            at = close
        elif byte in b";{}#":
            return None
        at += 1
    return None


def _make(view: View, start: int, begin: int, end: int, open_at: int, close: int) -> Kernel:
    text = view.text
    parameters = view.split(open_at + 1, close)
    if len(parameters) == 1 and text[slice(*parameters[0])].strip() == b"void":
        parameters = []
    types = b",".join(_type(text[slice(*p)]) for p in parameters)
    if any(b"..." in text[slice(*p)] for p in parameters):
        return Kernel(text[begin:end], -1, -1, types, b"")
    cluster = _CLUSTER.search(text, start, open_at)
    return Kernel(
        text[begin:end], len(parameters), _template(view, start), types,
        _SPACES.sub(b" ", cluster.group(1)) if cluster else b"",
    )  # fmt: skip


def _type(parameter: bytes) -> bytes:
    """The text of a parameter without default, name and blanks."""
    parameter = parameter.partition(b"=")[0]
    words = _NAME.findall(parameter)
    if len(words) > 1 and parameter.rstrip().endswith(words[-1]):
        parameter = parameter.rstrip()[: -len(words[-1])]
    return _SPACES.sub(b"", parameter.replace(b"__restrict__", b"").replace(b"const", b""))


def _template(view: View, start: int) -> int:
    """How many template parameters the declaration around `start` has; -1: who knows."""
    text = view.text
    at = view.before(start)
    while at >= 0 and (text[at] in IDENTIFIER_BYTES or text[at] == 0x22):
        at = text.rfind(b'"', 0, at) if text[at] == 0x22 else view.name_start(at)
        at = view.before(at)
    if at < 0 or text[at] != 0x3E:
        return 0
    left = view.open_angle(at)
    if left < 0:
        return -1
    last = view.before(left)
    if text[view.name_start(last) : last + 1] != b"template":
        return -1
    inside = view.split(left + 1, at)
    return -1 if b"..." in text[left:at] else len(inside)
