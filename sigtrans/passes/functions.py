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
_BRACE = re.compile(rb"[{}]")
_REACH = 300  # bytes before a ( in which the name of a function is looked for


def find_functions(lexed: Lexed) -> tuple[Function, ...]:
    """Every function body in order, those inside classes and namespaces too; not lambdas."""
    data = lexed.data
    found: list[Function] = []
    at = start = 0  # `start`: of the declaration that is being read
    parens: list[int] = []
    lists: list[tuple[int, int]] = []  # parentheses of the declaration that a name stands before
    blanks = _Blanks(lexed)
    while (match := _TOKEN.search(data, at)) is not None:
        place, at = match.start(), match.end()
        if behind := blanks.end_at(place):
            at = behind
            continue
        token = data[place]
        if token not in b"(){};":
            if not parens and lexed.after(start) >= place:
                start = at  # a directive before a declaration is not part of it
        elif token == 0x28:
            parens.append(place)
        elif token == 0x29:
            left = parens.pop() if parens else -1
            if left >= 0 and not parens and _names_function(data, start, left):
                lists.append((left + 1, place))
        elif token == 0x3B:
            if not parens:
                start, lists = at, []
        else:
            fits = [p for p in lists if token == 0x7B and _is_tail(lexed, p[1] + 1, place)]
            if fits and not parens:
                end = _body_end(data, at, blanks)
                if not end:
                    break
                found.append(_make(lexed, lexed.after(start), fits[0], (place, end)))
                at = end
            start, lists, parens = at, [], []
    return tuple(found)


class _Blanks:
    """Comments and literals, asked for in the order of the file."""

    def __init__(self, lexed: Lexed) -> None:
        self._rest = iter(lexed.blanks)
        self._none = (len(lexed.data) + 1, len(lexed.data) + 1)
        self._next = next(self._rest, self._none)

    def end_at(self, at: int) -> int:
        """The end of the comment or literal around `at`; 0 where there is none."""
        while self._next[1] <= at:
            self._next = next(self._rest, self._none)
        return self._next[1] if self._next[0] <= at else 0


def _body_end(data: bytes, at: int, blanks: _Blanks) -> int:
    """Behind the brace that closes a body opened before `at`; 0 where none does."""
    depth = 1
    for match in _BRACE.finditer(data, at):
        place = match.start()
        if not blanks.end_at(place):
            depth += 1 if data[place] == 0x7B else -1
            if not depth:
                return place + 1
    return 0


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
