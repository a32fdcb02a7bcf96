"""What counts on 32 lanes by way of another function: launches, their arguments, their constants.

`warp_sites` follows values through one function. Here a file is looked at as a whole, for the 32s
that were left: which kernels work by warps, by themselves or through what they call; which blocks
they are launched with; what is handed to them as the width of a shuffle; and which constants of
either side are the same number again.

- A block whose x dimension is 32, where the kernel works by warps: followed from the launch through
  variables, `dim3`, constants and parameters to the literal. The same 32 of another kernel is the
  side of a tile.
- The grid of such a kernel, where a block has one warp's share of columns, or a row has one warp;
  what the launcher demands of those columns.
- Shared arrays of such a kernel with a slot for each lane or warp.
- `32 / n`, `n <= 32` where a group of n lanes shuffles; `32 * n` where a lane has n items.
- A constant that a tile, a lane or a fold is made of, whatever its name.
- An argument that serves as the width of a shuffle.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sigtrans.passes.functions import Function
from sigtrans.passes.warp_values import File, Scope

_WORKS = frozenset(("lane-id", "warp-id", "fold", "mask", "tile", "width", "call"))
_DEMANDS = re.compile(rb"(?i)assert|check|require|expect|enforce|ensure")
_BEGINS = frozenset((b"=", b"+=", b"?", b":", b"+"))
_BOUNDS = frozenset((b"<", b"<=", b"%", b"/"))
_CUDA_LAUNCH = re.compile(rb"cu(?:da)?Launch(?:Cooperative)?Kernel\Z")
_WARP_KERNEL = re.compile(rb"(?i)(?<!s)warp|shfl|shuffle")
_SAYS = re.compile(rb"(?i)\b\w+_?per_?warp\b")
_REDUCES = re.compile(rb"(?i)(?:warp|quad|all)_?(?:all_?)?reduce")
_SPECIFIERS = frozenset(b"const constexpr static unsigned int auto dim3 uint3 size_t".split())
_DEPTH = 5  # assignments and calls that a value is followed through
_USES = 400  # uses of one name that are looked at


@dataclass(frozen=True, slots=True)
class _Launch:
    """One launch: what, with what, from where. Ranges of tokens."""

    scope: Scope
    kernels: frozenset[bytes]
    by_warps: bool
    grid: tuple[int, int]
    block: tuple[int, int]
    memory: tuple[int, int] | None
    arguments: list[tuple[int, int]]


def find_launched(
    file: File, wanted: Sequence[int], found: Mapping[int, str]
) -> Iterator[tuple[int, str]]:
    """Tokens of those in `wanted` that are not `found` (place: role) yet, and their roles."""
    rest = [t for t in wanted if file.starts[t] not in found and file.number(t) in (31, 32)]
    return _Launches(file, rest, found).run() if rest else iter(())


class _Launches:
    def __init__(self, file: File, rest: list[int], found: Mapping[int, str]) -> None:
        self.file = file
        self.rest = rest
        self.is_left = frozenset(rest)
        # What hostile code could make a square of is counted.
        self.budget = 20 * len(file.words) + 100000
        self.everything = file.whole()
        self.named: dict[bytes, list[Scope]] = {}
        for scope in file.scopes:
            if scope.function is not None and scope.function.name:
                self.named.setdefault(scope.function.name, []).append(scope)
        starts = [file.offset(scope.start) for scope in file.scopes]
        self.telling = {
            id(file.scopes[n])
            for place, role in found.items()
            if (role in _WORKS or file.is_builtin_size(place))
            and (n := bisect_left(starts, place + 1) - 1) >= 0
        }
        self.calls: dict[bytes, list[int]] = {}
        self.assigned: dict[int, dict[bytes, list[tuple[int, int]]]] = {}
        self.working: dict[int, bool] = {}
        self.sites: dict[int, str] = {}

    def run(self) -> Iterator[tuple[int, str]]:
        words = self.file.words
        for at in range(len(words) - 1):
            if words[at] in self.named and words[at + 1] in (b"(", b"<", b"<<<"):
                self.calls.setdefault(words[at], []).append(at)
        if not self.by_warps and not self.launching:
            return iter(())
        self._note_blocks()
        self._handed_widths()
        for at in self.rest:
            if at not in self.sites:
                self._note(at, self._role(at))
        return iter(sorted(self.sites.items()))

    def _note(self, at: int, role: str) -> None:
        if role and at >= 0:
            self.sites.setdefault(at, role)

    # --- functions -------------------------------------------------------------------------------

    def works(self, scope: Scope) -> bool:
        """Does device code work by warps in this very function?"""
        if scope.function is None or scope.function.kind == "host":
            return False
        known = self.working.get(id(scope))
        if known is None:
            known = id(scope) in self.telling or self.file.works_by_warps(scope)
            known = known or self.file.has_warp_asm(scope)
            known = known or _SAYS.search(self.file.code_of(scope)) is not None
            self.working[id(scope)] = known
        return known

    @cached_property
    def by_warps(self) -> frozenset[bytes]:
        """Names of device functions that work by warps, or call one that does."""
        names = {name for name, scopes in self.named.items() if any(map(self.works, scopes))}
        callers: dict[bytes, set[bytes]] = {}
        for name, places in self.calls.items():
            for at in places:
                caller = self.file.scope_of(at).function
                if caller is not None and caller.kind != "host":
                    callers.setdefault(name, set()).add(caller.name)
        todo = list(names)
        while todo:
            for caller_name in callers.get(todo.pop(), ()):
                if caller_name not in names:
                    names.add(caller_name)
                    todo.append(caller_name)
        return frozenset(names)

    @cached_property
    def launches(self) -> tuple[_Launch, ...]:
        return tuple(self._launches())

    @cached_property
    def launching(self) -> dict[int, list[_Launch]]:
        """Launches of what works by warps, by the function that they stand in."""
        found: dict[int, list[_Launch]] = {}
        for launch in self.launches:
            launches = found.setdefault(id(launch.scope), []) if launch.by_warps else []
            if len(launches) < 50:
                launches.append(launch)
        return found

    def _launches(self) -> Iterator[_Launch]:
        file = self.file
        for at, word in enumerate(file.words):
            if word == b"<<<":
                parts, end = self._configuration(at)
                if len(parts) >= 2:
                    kernels, warps = self._launched(file.scope_of(at), self._name_before(at), at)
                    arguments = file.arguments(end + 1)
                    memory = parts[2] if len(parts) > 2 else None
                    yield _Launch(
                        file.scope_of(at), kernels, warps, parts[0], parts[1], memory, arguments
                    )
            elif word[:2] == b"cu" and _CUDA_LAUNCH.match(word):
                parts = file.arguments(at + 1)
                if len(parts) >= 4:
                    names = frozenset(file.names(*parts[0])) & self.named.keys()
                    scope = file.scope_of(at)
                    yield _Launch(
                        scope, names, bool(names & self.by_warps), parts[1], parts[2], None, []
                    )

    def _configuration(self, at: int) -> tuple[list[tuple[int, int]], int]:
        """What stands between <<< and >>>, and where that ends."""
        file = self.file
        found: list[tuple[int, int]] = []
        start = n = at + 1
        while n < min(at + 200, len(file.words)):
            word = file.words[n]
            if word in (b"(", b"[", b"{"):
                n = file.pairs.get(n, n)
            elif word in (b",", b">>>"):
                found.append((start, n))
                start = n + 1
                if word == b">>>":
                    return found, n
            elif word in (b";", b"}", b"<<<"):
                break
            n += 1
        return [], at

    def _name_before(self, at: int) -> bytes:
        file = self.file
        if file.word(at - 1) == b">":
            at = file.angle_left(at - 1)
        while file.word(at - 1) == b")":  # (k<T>)<<<, (*kernel)<<<
            at -= 1
            if file.word(at - 1) == b">":
                at = file.angle_left(at - 1)
        return file.word(at - 1)

    def _launched(self, scope: Scope, name: bytes, at: int) -> tuple[frozenset[bytes], bool]:
        """The kernels that a name can stand for, and whether one of them works by warps."""
        kernels = frozenset((name,)) & self.named.keys()
        if not kernels:  # auto kernel = &k<T>; void (*kernel)(int *) = k;
            for lo, hi in self._values(scope, name, at):
                kernels |= frozenset(self.file.names(lo, hi)) & self.named.keys()
        if kernels:
            return kernels, bool(kernels & self.by_warps)
        return kernels, _WARP_KERNEL.search(name) is not None

    # --- values ----------------------------------------------------------------------------------

    def _values(self, scope: Scope, name: bytes, at: int) -> list[tuple[int, int]]:
        """What is assigned to a name of one function before `at`, from its last declaration on."""
        known = self.assigned.get(id(scope))
        if known is None:
            known = self.assigned[id(scope)] = {}
            for key, *span in self._assignments(scope):
                known.setdefault(key, []).append((span[0], span[1]))
        values = known.get(name, [])[:_USES]
        before = [span for span in values if span[0] <= at]
        for n in range(len(before) - 1, 0, -1):
            if self._declares(before[n][0]):
                return before[n:]
        return before or values

    def _declares(self, at: int) -> bool:
        """Is the value at `at` that of a declaration? `auto k = ...`, `dim3 b(...)`"""
        file = self.file
        name = at - 2 if file.word(at - 1) == b"=" else at - 1
        before = file.word(name - 1)
        return before[:1].isalpha() or before[:1] == b"_" or before in (b"*", b"&", b">")

    def _assignments(self, scope: Scope) -> Iterator[tuple[bytes, int, int]]:
        file, words = self.file, self.file.words
        for at in range(scope.start + 1, scope.end):
            word = words[at]
            if word == b"=":
                name = words[at - 1]
                if file.word(at - 2) == b"." and name == b"x":
                    name = file.word(at - 3)
                elif name == b")":  # void (*kernel)(int *) = k
                    left = file.pairs.get(file.pairs.get(at - 1, 0) - 1, 0)
                    name = file.word(left + 2)
                yield name, at + 1, file.end_of_value(at + 1, scope.end)
            elif word in (b"(", b"{") and words[at - 2] in _SPECIFIERS:
                right = file.pairs.get(at, at)
                if 1 < right - at < 40 and file.word(right + 1) in (b";", b","):
                    # dim3 is read by its first part, whatever the brackets are
                    yield words[at - 1], at, right + 1

    def _note_blocks(self) -> None:
        """The blocks of kernels that work by warps."""
        shared: Counter[int] = Counter()  # constants of the file: more of such launches or others?
        for launch in self.launches:
            for at, role in self._block(launch.scope, *launch.block, 0):
                if at >= 0 and self.file.scope_of(at).function is None:
                    shared[at] += 1 if launch.by_warps else -1
                elif launch.by_warps:
                    self._note(at, role)
            if launch.by_warps:
                self._note_rows(launch)
        for at, balance in shared.items():
            self._note(at, "warp-size" if balance >= 0 else "")

    def _note_rows(self, launch: _Launch) -> None:
        """`dim3(32, threads / 32)`: as many rows as warps."""
        file = self.file
        spans = [launch.block]
        for _ in range(3):
            more: list[tuple[int, int]] = []
            for lo, hi in spans[:8]:
                for at in range(lo, min(hi, lo + 40)):
                    name = file.words[at]
                    if name == b"/" and file.number(at + 1) == 32 and at + 1 in self.is_left:
                        if file.is_count(launch.scope, file.left_of(at, 9), at):
                            self._note(at + 1, "warps-sized")
                    elif name[:1].isalpha() and file.word(at + 1) != b"(":
                        more += self._values(launch.scope, name, launch.block[0])
            spans = more

    def _literals(self, scope: Scope, lo: int, hi: int, depth: int) -> Iterator[int]:
        """The tokens 32 that an expression is, through names."""
        for at, role in self._block(scope, lo, hi, depth):
            if role == "warp-size":
                yield at

    def _block(self, scope: Scope, lo: int, hi: int, depth: int) -> Iterator[tuple[int, str]]:
        """Tokens 32 that the x dimension of a block comes from; -1 for a constant named so."""
        file, words = self.file, self.file.words
        while lo < hi and words[lo] == b"\\":
            lo += 1
        while lo < hi and words[hi - 1] == b"\\":
            hi -= 1
        self.budget -= hi - lo
        if depth > _DEPTH or hi <= lo or hi - lo > 80 or self.budget < 0:
            return
        if words[lo] in (b"(", b"{") and file.pairs.get(lo) == hi - 1:
            if words[lo] == b"(" and file.is_cast(hi - 1):
                return
            lo, hi = lo + 1, hi - 1
            yield from self._block(scope, lo, self._first(lo, hi), depth + 1)
            return
        if words[lo] == b"(" and file.is_cast(file.pairs.get(lo, lo)):
            yield from self._block(scope, file.pairs[lo] + 1, hi, depth + 1)
            return
        if hi - lo == 1 or (hi - lo == 3 and words[lo + 1 : hi] == [b".", b"x"]):
            yield from self._block_of_word(scope, lo, depth)
            return
        if words[hi - 2] == b"::":  # a constant of some class, where its name is one
            places = self._constant_places.get(words[hi - 1], [])
            if len(places) == 1:
                yield places[0], "warp-size"
            return
        question = next((n for n in range(lo, hi) if words[n] == b"?"), -1)
        if question > 0:
            colon = next((n for n in range(question, hi) if words[n] == b":"), hi)
            yield from self._block(scope, question + 1, colon, depth + 1)
            yield from self._block(scope, colon + 1, hi, depth + 1)
            return
        if hi - lo == 3 and words[lo + 1] == b"*":
            for at, other in ((lo, lo + 2), (lo + 2, lo)):
                if file.number(at) == 32 and file.number(other) != 32:
                    yield at, "warps-sized"
            return
        left = hi - 1
        if words[left] in (b")", b"}"):
            left = file.pairs.get(left, lo)
            called = words[lo:left]
            if called[-1:] == [b"dim3"] or called[:1] in ([b"static_cast"], [b"int"]):
                yield from self._block(scope, left + 1, self._first(left + 1, hi - 1), depth + 1)

    def _block_of_word(self, scope: Scope, at: int, depth: int) -> Iterator[tuple[int, str]]:
        file, word = self.file, self.file.words[at]
        if word[:1].isdigit():
            if file.number(at) == 32:
                yield at, "warp-size"
            return
        if file.is_size(word):
            yield -1, "warp-size"
            return
        values = self._values(scope, word, at)
        for lo, hi in values:
            yield from self._block(scope, lo, hi, depth + 1)
        if values:
            return
        function = scope.function
        if function is not None and (place := self._parameter(scope, word)) >= 0:
            for call, arguments, _ in self._calls(function.name):
                if place < len(arguments) and not scope.start <= call < scope.end:
                    caller = file.scope_of(call)
                    yield from self._block(caller, *arguments[place], depth + 1)
            return
        for constant in self._constant_places.get(word, ()):
            yield constant, "warp-size"

    @cached_property
    def _constant_places(self) -> dict[bytes, list[int]]:
        """Constants of the file that are 32, and where that is written."""
        found: dict[bytes, list[int]] = {}
        for at in self.rest:
            if self.file.number(at) != 32:
                continue
            name = self.file.defines(at)
            if not name and self.file.word(at - 1) == b"=":
                inside = self.file.scope_of(at).function is not None
                name = b"" if inside else self.file.word(at - 2)
            if name:
                found.setdefault(name, []).append(at)
        return found

    def _first(self, lo: int, hi: int) -> int:
        """Where the first of a list of expressions ends."""
        n = lo
        while n < hi:
            word = self.file.words[n]
            if word in (b"(", b"[", b"{"):
                n = self.file.pairs.get(n, n)
            elif word == b",":
                return n
            n += 1
        return hi

    # --- parameters ------------------------------------------------------------------------------

    def _parameters(self, function: Function) -> list[bytes]:
        file = self.file
        left = bisect_left(file.starts, function.params[0]) - 1
        return [self._declared(lo, hi) for lo, hi in file.arguments(left)]

    def _parameter(self, scope: Scope, name: bytes) -> int:
        if scope.function is None:
            return -1
        names = self._parameters(scope.function)
        return names.index(name) if name in names else -1

    def _declared(self, lo: int, hi: int) -> bytes:
        """The name that a parameter declares."""
        words = self.file.words
        end = next((n for n in range(lo, hi) if words[n] == b"="), hi)
        names = list(self.file.names(lo, end))
        return names[-1] if names else b""

    def _template(self, scope: Scope) -> list[bytes]:
        """The names in a function's template head."""
        file, at = self.file, scope.start
        if file.word(at) != b"template":
            return []
        return [self._declared(lo, hi) for lo, hi in self._angle(at + 1)]

    def _angle(self, left: int) -> list[tuple[int, int]]:
        file = self.file
        close = file.angle_right(left)
        if close < 0:
            return []
        found: list[tuple[int, int]] = []
        start = n = left + 1
        depth = 0
        while n < close:
            word = file.words[n]
            if word in (b"(", b"[", b"{"):
                n = file.pairs.get(n, n)
            elif word == b"<":
                depth += 1
            elif word in (b">", b">>"):
                depth -= len(word)
            elif word == b"," and depth == 0:
                found.append((start, n))
                start = n + 1
            n += 1
        found.append((start, close))
        return found

    def _calls(
        self, name: bytes
    ) -> Iterator[tuple[int, list[tuple[int, int]], list[tuple[int, int]]]]:
        """Calls and launches of a function: place, arguments, template arguments."""
        file = self.file
        for at in self.calls.get(name, ())[:_USES]:
            templates: list[tuple[int, int]] = []
            n = at + 1
            if file.words[n] == b"<":
                templates = self._angle(n)
                n = file.angle_right(n) + 1
            if file.word(n) == b"<<<":
                n = self._configuration(n)[1] + 1
            if n > at and file.word(n) == b"(":
                yield at, file.arguments(n), templates

    def _handed_widths(self) -> None:
        """32 as an argument whose parameter ends as the width of a shuffle."""
        file = self.file
        todo: list[tuple[Scope, bytes]] = []
        for scopes in self.named.values():
            for scope in scopes:
                todo += [(scope, name) for name in file.widths_in(scope)]
        seen: set[tuple[int, bytes]] = set()
        while todo:
            scope, name = todo.pop()
            if (id(scope), name) in seen or scope.function is None:
                continue
            seen.add((id(scope), name))
            place = self._parameter(scope, name)
            heads = self._template(scope)
            if place < 0 and name not in heads:
                continue
            for call, arguments, templates in self._calls(scope.function.name):
                given = arguments if place >= 0 else templates
                index = place if place >= 0 else heads.index(name)
                if index >= len(given) or scope.start <= call < scope.end:
                    continue
                lo, hi = given[index]
                caller = file.scope_of(call)
                passed = file.words[lo] if hi - lo == 1 else b""
                if self._parameter(caller, passed) >= 0 or passed in self._template(caller):
                    todo.append((caller, passed))
                else:
                    for at in self._literals(caller, lo, hi, _DEPTH - 2):
                        self._note(at, "width")

    # --- the 32s that are left -------------------------------------------------------------------

    def _role(self, at: int) -> str:
        file = self.file
        scope = file.scope_of(at)
        value = file.number(at)
        if file.word(at - 1) == b"#":
            return ""
        if value == 31:
            return self._role_of_neighbours(scope, at)
        role = self._role_of_constant(scope, at)
        if role or scope.function is None:
            return role
        if scope.function.kind == "host":
            if id(scope) not in self.launching:
                return ""
            return (
                self._role_in_grid(scope, at)
                or self._role_in_memory(scope, at)
                or self._role_of_demand(scope, at)
                or self._role_of_share(scope, at)
            )
        if not self.works(scope) and scope.function.name not in self.by_warps:
            return self._role_of_reduced(scope, at)
        return (
            self._role_of_columns(scope, at)
            or self._role_of_walk(scope, at)
            or self._role_of_area(scope, at)
            or self._role_of_slots(scope, at)
            or self._role_of_groups(scope, at)
            or self._role_of_share(scope, at)
            or self._role_of_loop(scope, at)
            or self._role_of_choice(at)
        )

    @cached_property
    def places(self) -> dict[bytes, list[int]]:
        found: dict[bytes, list[int]] = {}
        for at, word in enumerate(self.file.words):
            if word[:1].isalpha() or word[:1] == b"_":
                found.setdefault(word, []).append(at)
        return found

    def _uses(self, scope: Scope, name: bytes) -> Iterator[int]:
        places = self.places.get(name, [])
        first = bisect_left(places, scope.start)
        for at in places[first : first + _USES]:
            self.budget -= 20
            if at >= scope.end or self.budget < 0:
                return
            yield at

    def _role_of_neighbours(self, scope: Scope, at: int) -> str:
        """`num_warps = ceil_div(n, 31)`: 31 items of a warp and one that it looks at."""
        file = self.file
        left = file.enclosing(at)
        if left < 0 or not file.is_ceil(file.called(left)):
            return ""
        arguments = file.arguments(left)
        if len(arguments) != 2 or arguments[1][0] != at:
            return ""
        if arguments[1][1] == at + 1:
            return "warps-sized" if file.is_warps(file.target(left, scope)) else ""
        if file.words[at + 1 : arguments[1][1]] == [b"*", b"32"]:  # 32 warps of 31
            items = file.words[slice(*arguments[0])]
            for other in self.rest:
                if other == at or self.sites.get(other) != "warps-sized":
                    continue
                outer = file.enclosing(other)
                span = file.arguments(outer)[0] if outer >= 0 and file.arguments(outer) else (0, 0)
                if scope.start <= other < scope.end and file.words[slice(*span)] == items:
                    self._note(at + 2, "warps-sized")
                    return "warps-sized"
        return ""

    def _role_of_constant(self, scope: Scope, at: int) -> str:
        """`const int VEC = 32`, where tiles, lanes or folds are made of it."""
        file = self.file
        name = file.defines(at)
        if not name and file.word(at - 1) == b"=" and file.word(at + 1) in (b";", b",", b">"):
            name = file.word(at - 2)
        if not name or not (name[:1].isalpha() or name[:1] == b"_"):
            return ""
        inside = scope if scope.function is not None else self.everything
        for place in self._uses(inside, name):
            user = file.scope_of(place)
            if place != at - 2 and self._makes_warps(user, place):
                return "warp-size"
        return ""

    def _makes_warps(self, scope: Scope, at: int) -> bool:
        """Is the name at `at` what a tile, a lane or a fold is made of?"""
        file = self.file
        before, after = file.word(at - 1), file.word(at + 1)
        if before == b"<" and after == b">":
            return file.word(at - 2) in (b"tiled_partition", b"thread_block_tile")
        if not self.works(scope):
            return False
        follows = file.word(at + 2)
        if before == b"=" and (after, follows) in ((b"/", b"2"), (b">>", b"1")):
            left = file.enclosing(at)
            head = file.words[left : file.pairs.get(left, left)] if left > 0 else []
            halves = any(w in (b">>=", b"/=") for w in head)
            return halves and file.word(left - 1) == b"for" and file.works_by_warps(scope)
        if _SAYS.fullmatch(file.target(at, scope)) and b"*" in (before, after):
            return True
        if before == b"(" and file.word(at - 2) == b"&" and (after, follows) == (b"-", b"1"):
            file.follow(scope)
            return file.is_thread(scope, file.left_of(at - 2, 4), at - 2)
        return False

    def _role_in_grid(self, scope: Scope, at: int) -> str:
        """A grid by the columns of one warp, or threads of one warp a row."""
        file = self.file
        before, after = file.word(at - 1), file.word(at + 1)
        left = file.enclosing(at)
        called = file.called(left) if left >= 0 and file.word(left) == b"(" else b""
        arguments = file.arguments(left) if called else []
        is_ceil = file.is_ceil(called) and len(arguments) == 2 and arguments[1] == (at, at + 1)
        divides = before == b"/" or is_ceil
        for launch in self.launching[id(scope)]:
            if not self._within(launch, launch.grid, at):
                continue
            if divides:
                if any(self._has_columns(name) for name in launch.kernels):
                    self._note_round_up(at)
                    return "warp-size"
            elif before == b"*" or after == b"*" or self._is_part_of_warp(at):
                if self._is_divided(at, self._flowing(launch, launch.grid, at)[1]):
                    return "warps-sized"
            elif called and len(arguments) > 1 and (at, at + 1) in arguments:
                is_macro = called != b"dim3" and not file.is_ceil(called)
                if is_macro and self._multiplies(called, arguments.index((at, at + 1))):
                    return "warp-size"
        return ""

    def _is_divided(self, at: int, end: int) -> bool:
        """`(rows * 32 + threads - 1) / threads`, `ceil_div(rows * 32, threads)`"""
        file = self.file
        left = file.enclosing(at)
        if left >= 0 and file.is_ceil(file.called(left)):
            return True
        return any(
            file.words[n] == b"/" and file.word(n - 1) == b")" and file.number(n + 1) is None
            for n in range(at + 1, end)
        )

    def _role_in_memory(self, scope: Scope, at: int) -> str:
        """Shared memory for a launch, with one slot for each warp."""
        if not self._is_bytes(at):
            return ""
        kernels = (
            name
            for launch in self.launching[id(scope)]
            if launch.memory is not None and self._within(launch, launch.memory, at)
            for name in launch.kernels
        )
        return "warps-sized" if any(map(self._has_shared_slots, kernels)) else ""

    def _has_shared_slots(self, name: bytes) -> bool:
        file = self.file
        for scope in self.named.get(name, ()):
            for at in self._uses(scope, b"__shared__"):
                ends = (b"[", b";", b"=")
                end = next((n for n in range(at, at + 12) if file.word(n) in ends), at)
                if self._is_by_warp(scope, file.word(end - 1)):
                    return True
        return False

    def _is_part_of_warp(self, at: int) -> bool:
        """`32 / 8 * rows`"""
        words = self.file.words
        return words[at + 1] == b"/" and words[at + 2][:1].isdigit() and words[at + 3] == b"*"

    def _note_round_up(self, at: int) -> None:
        """`(n + 31) / 32`: the 31 goes with it."""
        file = self.file
        if file.words[at - 2 : at] == [b")", b"/"] and at - 3 in self.is_left:
            self._note(at - 3, "warp-size" if file.number(at - 3) == 31 else "")

    def _within(self, launch: _Launch, span: tuple[int, int], at: int) -> bool:
        return self._flowing(launch, span, at) != (0, 0)

    def _flowing(self, launch: _Launch, span: tuple[int, int], at: int) -> tuple[int, int]:
        """The expression around a token that a part of a launch is made of."""
        lo, hi = span
        if lo <= at < hi:
            return lo, hi
        names = list(self.file.names(lo, hi))
        for _ in range(2):
            more: list[bytes] = []
            for name in names[:8]:
                for start, end in self._values(launch.scope, name, lo):
                    if start <= at < end:
                        return start, end
                    if end - start < 40:
                        more += self.file.names(start, end)
            names = more
        return 0, 0

    def _multiplies(self, name: bytes, place: int) -> bool:
        """Does a macro of the file multiply a parameter, as in `BLOCKS(threads, n)`?"""
        file = self.file
        for at in self._uses(self.everything, name):
            if file.word(at - 1) == b"define":
                names = [self._declared(lo, hi) for lo, hi in file.arguments(at + 1)]
                close = file.pairs.get(at + 1, at)
                if place >= len(names):
                    return False
                body = file.words[close : close + 40]
                return any(
                    w == names[place] and b"*" in body[max(0, n - 3) : n + 3]
                    for n, w in enumerate(body)
                )
        return False

    def _has_columns(self, name: bytes) -> bool:
        """Does a block of this kernel begin at `blockIdx.x * 32`?"""
        file, words = self.file, self.file.words
        for scope in self.named.get(name, ()):
            for at in self._uses(scope, b"blockIdx"):
                if words[at + 3 : at + 4] == [b"*"]:
                    by = file.word(at + 4)
                    if by == b"32" or file.is_size(by):
                        return True
                    if by == b"blockDim" and name in self.wide:
                        return True
        return False

    @cached_property
    def wide(self) -> frozenset[bytes]:
        """Kernels that are launched with a block of 32 in x, or of 32 in x and y."""
        found: set[bytes] = set()
        for launch in self.launches:
            roles = {role for _, role in self._block(launch.scope, *launch.block, 0)}
            if "warp-size" in roles or self._is_one_warp(launch):
                found |= launch.kernels
        return frozenset(found)

    def _is_one_warp(self, launch: _Launch) -> bool:
        """`dim3 block = {4, 8, warps}`."""
        file = self.file
        lo, hi = launch.block
        spans = self._values(launch.scope, file.words[lo], lo) if hi - lo == 1 else [(lo, hi)]
        for start, end in spans:
            numbers = [file.number(n) for n in range(start, end) if file.words[n][:1].isdigit()]
            if len(numbers) >= 2 and (numbers[0] or 0) * (numbers[1] or 0) == 32:
                return True
        return False

    @cached_property
    def launched(self) -> frozenset[bytes]:
        return frozenset(name for launch in self.launches for name in launch.kernels)

    def _role_of_demand(self, scope: Scope, at: int) -> str:
        """`assert(columns % 32 == 0)` before a launch by columns of one warp."""
        file = self.file
        if file.word(at - 1) != b"%" or file.word(at + 1) not in (b"==", b"!="):
            return ""
        left = file.enclosing(at)
        if left < 0 or not _DEMANDS.search(file.called(left)):
            return ""
        name = file.word(at - 2)
        for launch in self.launching[id(scope)]:
            spans = [launch.grid]
            for each in file.names(*launch.grid):
                spans += self._values(scope, each, launch.grid[0])
            in_grid = any(
                name in file.words[lo:hi]
                and any(w == b"32" or file.is_size(w) for w in file.words[lo:hi])
                for lo, hi in spans
            )
            in_grid = in_grid and any(map(self._has_columns, launch.kernels))
            if in_grid or self._is_walked(launch, name):
                return "warp-size"
        return ""

    def _is_walked(self, launch: _Launch, name: bytes) -> bool:
        """Do the lanes of the launched kernel walk along what is handed over as `name`?"""
        file = self.file
        given = [n for n, (lo, hi) in enumerate(launch.arguments) if file.words[lo:hi] == [name]]
        for kernel in (s for k in launch.kernels for s in self.named.get(k, ())):
            if kernel.function is None:
                continue
            names = self._parameters(kernel.function)
            file.follow(kernel)
            for place in given:
                if place < len(names) and self._is_bound(kernel, names[place]):
                    return True
        return False

    def _is_bound(self, scope: Scope, name: bytes) -> bool:
        """`for (i = lane; i < name; ...)`."""
        file = self.file
        return any(
            file.word(at - 1) == b"<" and file.is_lane(scope, file.left_of(at - 1, 6), at - 1)
            for at in self._uses(scope, name)
        ) or any(  # i < (n + 1) * name
            file.word(left - 1) == b"<" and file.is_lane(scope, file.left_of(left - 1, 6), left - 1)
            for at in self._uses(scope, name)
            if file.word(at - 1) == b"*" and (left := file.left_of(at - 1, 9))
        )

    def _role_of_slots(self, scope: Scope, at: int) -> str:
        """A shared array with a slot for each thread along x or each warp."""
        file, words = self.file, self.file.words
        if file.word(at - 1) != b"[" or file.word(at + 1) != b"]":
            return ""
        n, place = at - 1, 0
        while file.word(n - 1) == b"]":
            n = file.pairs.get(n - 1, -1)
            place += 1
            if n < 0:
                return ""
        if b"__shared__" not in words[max(scope.start, n - 8) : n]:
            return ""
        if not self._is_wide(scope):
            return ""
        file.follow(scope)
        name = file.word(n - 1)
        for use in self._uses(scope, name):
            if use == n - 1 or file.word(use + 1) != b"[":
                continue
            index = use + 1
            for _ in range(place):
                index = file.pairs.get(index, -2) + 1
            if file.word(index) != b"[":
                continue
            right = file.pairs.get(index, index)
            if right - index <= 4 and file.is_thread(scope, index + 1, right):
                return "warps-sized"
        return ""

    def _role_of_columns(self, scope: Scope, at: int) -> str:
        """`columns % 32 == 0`, `for (c = 32 * block; c + lane < columns; c += 32 * blocks)`."""
        file = self.file
        if file.word(at - 1) == b"%" and file.word(at + 1) in (b"==", b"!="):
            file.follow(scope)
            return "warp-size" if self._is_bound(scope, file.word(at - 2)) else ""
        if file.word(at + 1) == b"*" and file.word(at - 1) in _BEGINS:
            file.follow(scope)
            return "lane-id" if file.is_strided(scope, file.target(at, scope)) else ""
        return ""

    def _role_of_walk(self, scope: Scope, at: int) -> str:
        """`for (i = threadIdx.x; i < n; i += 32)`, `row * 32 + threadIdx.x`; blocks are so wide."""
        file, words = self.file, self.file.words
        column = [b"threadIdx", b".", b"x"]
        if not self._is_wide(scope):
            return ""
        if file.word(at - 1) == b"+=":
            values = self._values(scope, file.word(at - 2), at)
            starts = any(words[lo:hi] == column for lo, hi in values)
            return "lane-id" if starts and file.word(at + 1) in (b")", b";") else ""
        if file.word(at - 1) == b"*":
            lo, hi = file.primary_left(at - 2), at + 1
        elif file.word(at + 1) == b"*":
            lo, hi = at, file.primary_right(at + 2)
        else:
            return ""
        sure = scope.function is not None and scope.function.name in self.wide
        if not sure and b"threadIdx" not in words[lo:hi]:
            return ""  # the side of a tile, for all that is known
        behind = file.word(hi) == b"+" and words[hi + 1 : hi + 4] == column
        behind = behind and file.word(hi + 4) not in (b"*", b"/", b"%", b"<<", b">>")
        ahead = file.word(lo - 1) == b"+" and words[lo - 4 : lo - 1] == column
        ahead = ahead and file.word(lo - 5) not in (b"*", b"/", b"%", b"-")
        return "lane-id" if behind or ahead else ""

    def _role_of_area(self, scope: Scope, at: int) -> str:
        """A place in shared memory behind one slot for each warp or lane."""
        file = self.file
        before, after = file.word(at - 1), file.word(at + 1)
        if (before == b"[" and after == b"]") or (before == b"+" and after in (b";", b",", b")")):
            name = file.word(at - 2)
            if before == b"[" and file.word(at - 3) != b"&":
                return ""
            return "warps-sized" if self._has_slots(scope, name) else ""
        target = file.target(at, scope)
        is_area = target and self._is_bytes(at) and self._has_slots(scope, target)
        return "warps-sized" if is_area else ""

    def _is_bytes(self, at: int) -> bool:
        """`32 * sizeof(float)`, `sizeof(float) * 32`"""
        file = self.file
        if file.word(at + 1) == b"*" and file.word(at + 2) == b"sizeof":
            return True
        left = file.pairs.get(at - 2, 0)
        return file.word(at - 1) == b"*" and file.word(left - 1) == b"sizeof"

    def _has_slots(self, scope: Scope, name: bytes) -> bool:
        """Is memory indexed by warps or lanes, here or where it is handed to?"""
        file = self.file
        file.follow(scope)
        for use in self._uses(scope, name):
            if file.word(use + 1) == b"[":
                right = file.pairs.get(use + 1, use + 1)
                if file.is_by_warp(scope, use + 2, right):
                    return True
                is_short = right - use <= 5 and self._is_wide(scope)
                if is_short and file.is_thread(scope, use + 2, right):
                    return True
            elif file.word(use + 1) in (b",", b")") and file.word(use - 1) in (b",", b"("):
                left = file.enclosing(use)
                called = file.called(left) if left >= 0 else b""
                for callee in self.named.get(called, ()) if called != name else ():
                    if callee.function is None or callee is scope:
                        continue
                    names = self._parameters(callee.function)
                    place = next(
                        (n for n, (lo, _) in enumerate(file.arguments(left)) if lo == use), -1
                    )
                    if 0 <= place < len(names) and self._is_by_warp(callee, names[place]):
                        return True
        return False

    def _is_by_warp(self, scope: Scope, name: bytes) -> bool:
        file = self.file
        file.follow(scope)
        return any(
            file.word(use + 1) == b"["
            and file.is_by_warp(scope, use + 2, file.pairs.get(use + 1, use + 1))
            for use in self._uses(scope, name)
        )

    def _is_wide(self, scope: Scope) -> bool:
        """Can blocks of this function be 32 wide, for all that the file says?"""
        name = scope.function.name if scope.function is not None else b""
        return name in self.wide or name not in self.launched

    def _role_of_reduced(self, scope: Scope, at: int) -> str:
        """`static_assert(n <= 32)` where n lanes reduce, by a function of another file."""
        file = self.file
        if file.words[max(0, at - 4) : at - 2] != [b"static_assert", b"("]:
            return ""
        reduced = any(
            file.word(use - 1) == b"<" and _REDUCES.search(file.word(use - 2))
            for use in self._uses(scope, file.word(at - 2))
        )
        return "warp-size" if file.word(at - 1) == b"<=" and reduced else ""

    def _role_of_groups(self, scope: Scope, at: int) -> str:
        """`32 / n`, `n <= 32`: groups of n lanes."""
        file = self.file
        if file.word(at + 1) == b"/" and file.word(at - 1) != b"/":
            name, target = file.word(at + 2), file.target(at, scope)
            if name[:1].isdigit() or not name:
                return ""
            return "warp-size" if self._is_group(scope, name, target) else ""
        if file.word(at - 1) in (b"<=", b"==") and b"assert" in b" ".join(
            file.words[max(scope.start, at - 8) : at]
        ):
            name = file.word(at - 2)
            if name[:1].isalpha() or name[:1] == b"_":
                return "warp-size" if self._is_group(scope, name, b"") else ""
        return ""

    def _is_group(self, scope: Scope, name: bytes, target: bytes) -> bool:
        """Do that many lanes shuffle together, or make a row of the block?"""
        file = self.file
        if name in file.widths_in(scope):
            return True
        file.follow(scope)
        for each in (name, target) if target else (name,):
            for at in self._uses(scope, each):
                if self._groups(scope, at, each == name, target):
                    return True
        return False

    def _groups(self, scope: Scope, at: int, is_size: bool, target: bytes) -> bool:
        """Does the use at `at` make groups of that many lanes?"""
        file = self.file
        before, after = file.word(at - 1), file.word(at + 1)
        if before == b"==":
            return file.word(at - 4) == b"blockDim"
        if before in (b"%", b"/"):
            return is_size and file.is_thread(scope, file.left_of(at - 1, 9), at - 1)
        if before == b"(" and file.word(at - 2) == b"&" and after == b"-":
            return file.is_thread(scope, file.left_of(at - 2, 4), at - 2)
        if before == b"<" and after == b">":
            return _REDUCES.search(file.word(at - 2)) is not None
        is_bound = before == b"<" and is_size and not target
        return is_bound and file.is_lane(scope, file.left_of(at - 1, 6), at - 1)

    @cached_property
    def _items(self) -> frozenset[tuple[bytes, ...]]:
        """What a lane's number is multiplied with: the items of one lane."""
        file, words = self.file, self.file.words
        found: set[tuple[bytes, ...]] = set()
        for scope in file.scopes:
            if not self.works(scope):
                continue
            file.follow(scope)
            for at in range(scope.start, scope.end):
                if words[at] == b"*" and (words[at + 1][:1].isalpha() or words[at + 1][:1] == b"_"):
                    end = file.primary_right(at + 1)
                    lo = file.primary_left(at - 1)
                    if end - at < 8 and file.is_thread(scope, lo, at):
                        found.add(tuple(words[at + 1 : end]))
        return frozenset(found)

    def _role_of_share(self, scope: Scope, at: int) -> str:
        """`32 * items`: what one warp takes at a time."""
        file, words = self.file, self.file.words
        if file.word(at - 1) == b"*" and file.word(at - 3) in _BOUNDS:  # n <= items * 32
            return "warp-size" if (words[at - 2],) in self._items else ""
        if file.word(at + 1) != b"*" or not words[at + 2][:1].isalpha():
            return ""
        end = file.primary_right(at + 2)
        if tuple(words[at + 2 : end]) not in self._items:
            return ""
        before = file.word(at - 1)
        while before == b"(":
            at -= 1
            before = file.word(at - 1)
        left = file.enclosing(at)
        is_ceil = left >= 0 and file.is_ceil(file.called(left))
        return "warp-size" if is_ceil or before in (b"%", b"/", b"*", b"+=", b"=") else ""

    def _role_of_choice(self, at: int) -> str:
        """`lanes == 32 ? FULL_MASK : (1 << lanes) - 1`"""
        file = self.file
        n = at + 1
        while file.word(n) == b")":
            n += 1
        is_mask = file.word(n) == b"?" and file.is_mask(file.word(n + 1))
        return "warp-size" if is_mask and file.word(at - 1) in (b"==", b">=") else ""

    def _role_of_loop(self, scope: Scope, at: int) -> str:
        """`while (count >= 32)`, where the body makes it smaller and a warp does the rest."""
        file = self.file
        left = file.enclosing(at)
        if left < 0 or file.word(left - 1) != b"while" or file.word(at - 1) not in (b">", b">="):
            return ""
        name = file.word(at - 2)
        right = file.pairs.get(left, -1)
        end = min(file.body(right), scope.end)
        for n in range(right, end - 1):
            if file.words[n] != name:
                continue
            by, amount = file.word(n + 1), file.word(n + 2)
            if (by, amount) in ((b">>=", b"1"), (b"/=", b"2"), (b">>=", b"5"), (b"/=", b"32")):
                return "fold"
        return ""
