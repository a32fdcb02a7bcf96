"""Function bodies of a C-family file, by brackets alone.

tree-sitter reads 2 MB/s and loses whole functions to one unknown macro; brackets outside comments
and literals are quick to count and hard to break. Where the branches of an #if open a brace twice,
functions after it may be missed until the file ends; nothing fails.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sigtrans.syntax import LINE_SPLICE, Lexed


@dataclass(frozen=True, slots=True)
class Function:
    """One function with a body; offsets into the file."""

    name: bytes  # without its scope
    head: int  # where its declaration begins, template head included
    params: tuple[int, int]  # between the parentheses
    body: tuple[int, int]  # from { to just after }
    kind: str  # kernel, device (__host__ __device__ too), host, or macro (some macro qualifies it)


_TOKEN = re.compile(
    rb"[(){};]|^[ \t]*(?:#|%:)[^\r\n\\]*(?:(?:" + LINE_SPLICE + rb"|\\)[^\r\n\\]*)*", re.MULTILINE
)
_NAME = re.compile(
    rb"(operator[ \t]*[^\s\w(]{1,3}|~?[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)\s*(?:<[^<>;{}()]*>\s*)?$"
)
_NO_FUNCTION = frozenset(
    b"if for while switch catch return sizeof alignof decltype noexcept constexpr defined alignas "
    b"static_assert __attribute__ __declspec __launch_bounds__ __align__ __maxnreg__".split()
)
_TAIL = re.compile(  # between the ) of the parameters and the { of the body
    rb"(?:[\s&]|(?:const|volatile|noexcept|override|final|mutable|[A-Z_][A-Z0-9_]+|__\w+)\b)*"
    rb"(?:->[^;{}]*|:(?!:)[^;{}]*)?$"
)
_MACRO = re.compile(rb"\b[A-Z][A-Z0-9_]{3,}\b")
_REACH = 300  # bytes before a ( in which the name of a function is looked for


def find_functions(lexed: Lexed) -> tuple[Function, ...]:
    """Every function body in order, those inside classes and namespaces too; not lambdas."""
    data = lexed.data
    found: list[Function] = []
    start = 0  # of the declaration that is being read
    parens: list[int] = []
    lists: list[tuple[int, int]] = []  # parentheses of the declaration that a name stands before
    head, params, body, inside = 0, (0, 0), 0, 0  # of the function that is open
    rest = iter(lexed.blanks)
    none = (len(data) + 1, len(data) + 1)
    blank = next(rest, none)
    for match in _TOKEN.finditer(data):
        at = match.start()
        while blank[1] <= at:
            blank = next(rest, none)
        if blank[0] <= at:
            continue
        token = data[at]
        if token not in b"(){};":
            if not inside and not parens and lexed.after(start) >= at:
                start = match.end()  # a directive before a declaration is not part of it
        elif inside:
            inside += (token == 0x7B) - (token == 0x7D)
            if not inside:
                found.append(_make(lexed, head, params, (body, at + 1)))
                start, lists = at + 1, []
        elif token == 0x28:
            parens.append(at)
        elif token == 0x29:
            left = parens.pop() if parens else -1
            if left >= 0 and not parens and _names_function(data, start, left):
                lists.append((left + 1, at))
        elif token == 0x3B:
            if not parens:
                start, lists = at + 1, []
        else:
            fits = [p for p in lists if token == 0x7B and _is_tail(lexed, p[1] + 1, at)]
            if fits and not parens:
                head, params, body, inside = lexed.after(start), fits[0], at, 1
            start, lists, parens = at + 1, [], []
    return tuple(found)


def _names_function(data: bytes, start: int, left: int) -> bool:
    match = _NAME.search(data, max(start, left - _REACH), left)
    return match is not None and match.group(1) not in _NO_FUNCTION


def _is_tail(lexed: Lexed, start: int, end: int) -> bool:
    return end - start < 4000 and _TAIL.match(lexed.code(start, end)) is not None


def _make(lexed: Lexed, head: int, params: tuple[int, int], body: tuple[int, int]) -> Function:
    match = _NAME.search(lexed.data, max(head, params[0] - 1 - _REACH), params[0] - 1)
    name = match.group(1) if match else b""
    before = lexed.code(head, match.start() if match else params[0])
    if b"__global__" in before:
        kind = "kernel"
    elif b"__device__" in before:
        kind = "device"
    else:
        kind = "macro" if _MACRO.search(before) else "host"
    return Function(name, head, params, body, kind)
