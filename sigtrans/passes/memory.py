"""Memory of the device: shared and constant memory against the limits of each target, copies to
shared memory, cache hints, barriers, clusters.

A pattern rule could not do it: sizes have to be added up over types, constant expressions, template
arguments and called functions. What a file does not show is unknown and said to be; sums are lower
bounds, so an array over a limit is one. Calls that only get another name are in rules/device.tsv.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sigtrans import target
from sigtrans.passes import Code, CodeFindings, Finder
from sigtrans.passes.code import DIRECTIVE
from sigtrans.passes.device_words import Call, find_calls, rows, swap
from sigtrans.passes.functions import Function
from sigtrans.passes.sizes import Names, Shown, Variable, find_shown, find_variables, split
from sigtrans.source import Edit, Safety, Severity, Span

_GROUPS = (b"labeled_partition", b"binary_partition")
ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE
_CUDA_STATIC = 48 * 1024  # nvcc refuses more, so only a target below can overflow without opt-in
_CUDA_MOST = 227 * 1024  # opt-in of the largest card
_HINTS = (b"__ldc", b"__ldlu", b"__stc", b"__stw", b"__pipeline_", b"__mbarrier_")


def find(code: Code) -> CodeFindings:
    """Sizes over a limit, and memory operations that are others on MUSA."""
    return _Pass(code).run()


class _Pass(Finder):
    """Sizes and memory operations of one file."""

    shown: Shown | None = None

    def run(self) -> CodeFindings:
        data = self.code.data
        if b"MaxDynamicSharedMemorySize" in data or b"MAX_DYNAMIC_SHARED_SIZE_BYTES" in data:
            self._opt_in()
        if self.code.is_cuda:
            if any(mark in data for mark in _HINTS):
                self.take(*swap(self.code, "memory"))
            if b"cuda_pipeline" in data:
                self._pipeline_header()
            if b"memcpy_async" in data:
                self._group_copies()
            if b"luster" in data:
                self._groups("clusters")
            if any(mark in data for mark in _GROUPS):
                self._groups("groups")
            if b"__grid_constant__" in data:
                self._grid_constants()
            if b"__shared__" in data or b"<<<" in data:
                self._shared()
            if b"__constant__" in data:
                self._constants()
        return self.findings

    def _shown(self) -> Shown:
        if self.shown is None:
            self.shown = find_shown(self.code)
        return self.shown

    # --- shared memory ------------------------------------------------------------------------

    def _shared(self) -> None:
        limits = shared_limits(self.code.targets)
        if not limits:
            return
        if min(limits.values()) >= _CUDA_STATIC and b"MaxDynamicShared" not in self.code.data:
            return  # CUDA gives no more without being asked, and who asks is judged at that call
        launches = list(find_launches(self.code)) if b"<<<" in self.code.data else []
        least = min(limits.values())
        sums = SharedSums(self._shown())
        unknown: dict[bytes, tuple[str, ...]] = {}
        over: dict[bytes, frozenset[str]] = {}  # kernel -> targets that it is too large for
        by_name: dict[bytes, list[Launch]] = {}
        for launch in launches:
            by_name.setdefault(launch.name, []).append(launch)
        kernels = [f for f in self.code.functions if f.kind == "kernel"]
        for kernel in kernels:
            uses = by_name.get(kernel.name, [])
            worst: tuple[Sum, bytes] | None = None
            for arguments in sums.instances(kernel, uses):
                one = sums.static(kernel, arguments)
                if worst is None or one.size > worst[0].size:
                    worst = one, arguments
                if one.unknown and least < _CUDA_STATIC:
                    unknown.setdefault(kernel.name, one.unknown)
            if worst is not None:
                over[kernel.name] = self._over(kernel, *worst, limits)
        counts = Counter(kernel.name for kernel in kernels)
        only = {kernel.name: kernel for kernel in kernels if counts[kernel.name] == 1}
        for launch in launches:
            if launch.dynamic:
                left = {t: n for t, n in limits.items() if t not in over.get(launch.name, ())}
                self._launch(launch, only.get(launch.name), sums, left)
        if unknown:
            self._unknown(unknown)

    def _over(
        self, kernel: Function, size: Sum, arguments: bytes, limits: dict[str, int]
    ) -> frozenset[str]:
        broken = {t: n for t, n in limits.items() if size.size > n}
        if not broken:
            return frozenset()
        at = self.code.data.rfind(kernel.name, kernel.head, kernel.params[0])
        shown = kernel.name + (b"<" + arguments + b">" if arguments else b"")
        most = "at least " if size.unknown else ""
        some = " in one of its #if branches" if size.branched else ""
        self.say(
            *(at, at + len(kernel.name)),
            "SIG308",
            ERROR,
            f"kernel '{_text(shown)}' declares {most}{size.size} bytes of shared memory{some}; "
            + _limits(broken),
            "make the tiles smaller for these targets, or leave them out of the build",
            "memory/shared-limit",
        )
        return frozenset(broken)

    def _launch(
        self, launch: Launch, kernel: Function | None, sums: SharedSums, limits: dict[str, int]
    ) -> None:
        size = sums.dynamic(launch)
        if not size:
            return
        static = Sum()
        if kernel is not None:
            arguments = sums.instances(kernel, [launch])
            static = max((sums.static(kernel, a) for a in arguments), key=lambda one: one.size)
        broken = {t: n for t, n in limits.items() if size + static.size > n}
        if broken:
            plus = f" and declares {static.size}" if static.size else ""
            self.say(
                *(launch.at, launch.at + len(launch.name)),
                "SIG308",
                ERROR,
                f"this launch gives '{_text(launch.name)}' {size} bytes of shared memory{plus}; "
                + _limits(broken),
                "give a smaller size for these targets, or leave them out of the build",
                "memory/shared-limit",
            )

    def _unknown(self, unknown: dict[bytes, tuple[str, ...]]) -> None:
        first = next(f for f in self.code.functions if f.name in unknown and f.kind == "kernel")
        at = self.code.data.rfind(first.name, first.head, first.params[0])
        shown = [f"'{_text(name)}' ({', '.join(why[:3])})" for name, why in unknown.items()]
        more = f" and {len(shown) - 3} more" if len(shown) > 3 else ""
        self.say(
            *(at, at + len(first.name)),
            "SIG311",
            NOTE,
            "shared memory that this file alone does not tell the size of: "
            + ", ".join(shown[:3])
            + more,
            "compare it with the limits: " + _limits(shared_limits(self.code.targets)),
            "memory/shared-unknown",
        )

    # --- asking for more ----------------------------------------------------------------------

    def _opt_in(self) -> None:
        limits = shared_limits(self.code.targets)
        calls = [
            (call, arguments)
            for call in find_calls(self.code, (b"cudaFuncSetAttribute", b"cuFuncSetAttribute"))
            if call.open >= 0
            and len(arguments := self.code.lexed.arguments(call.open)) == 3
            and _OPT_IN.search(self.code.data, *arguments[1])
        ]
        if not calls or not limits:
            return
        sums = SharedSums(self._shown())
        hidden: list[Call] = []
        unchecked: list[Call] = []
        for call, arguments in calls:
            text = self.code.lexed.code(*arguments[2])
            size = sums.value(text, call.start)
            broken = {t: n for t, n in limits.items() if size is not None and size > n}
            if broken:
                self.say(
                    *(call.name_at, call.end),
                    "SIG308",
                    ERROR,
                    f"this asks for {size} bytes of shared memory per block; " + _limits(broken),
                    "ask for less on these targets, or leave them out of the build",
                    "memory/shared-limit",
                )
            elif size is None:
                hidden.append(call)
            before = self.code.lexed.before(call.start)
            if before < 0 or self.code.data[before : before + 1] in (b";", b"{", b"}"):
                unchecked.append(call)
        if hidden and min(limits.values()) < _CUDA_MOST:
            self.say(
                *(hidden[0].name_at, hidden[0].end),
                "SIG312",
                WARNING,
                "this file does not tell how much shared memory is asked for here" + _more(hidden)
                + "; " + _limits(limits),
                "see that the size stays below, or choose smaller tiles on these targets",
                "memory/dynamic-opt-in",
            )  # fmt: skip
        if unchecked:
            self.say(
                *(unchecked[0].name_at, unchecked[0].end),
                "SIG313",
                NOTE,
                "nothing looks at what this call returns" + _more(unchecked) + ": a size above "
                "the card's limit shows only at the launch",
                "check it; how far the opt-in goes is not documented for every card",
                "memory/dynamic-opt-in",
            )

    # --- constant memory ----------------------------------------------------------------------

    def _constants(self) -> None:
        known = {t: target.load(t).number("constant_memory") for t in self.code.targets}
        limits = {t: n for t, n in known.items() if n is not None}
        variables = [v for v in find_variables(self.code, b"__constant__") if not v.extern]
        if not limits or not variables:
            return
        shown = self._shown()
        total, largest, unknown = 0, (0, variables[0]), 0
        for variable in variables:
            size = variable.size(shown.top)
            total += size or 0
            unknown += size is None
            if size is not None and size > largest[0]:
                largest = size, variable
        broken = {t: n for t, n in limits.items() if total > n}
        if broken:
            at = largest[1].at
            rest = f", and {unknown} more of a size that it does not tell" if unknown else ""
            self.say(
                *(at, at + len(b"__constant__")),
                "SIG309",
                WARNING,
                f"this file declares {total} bytes of __constant__ memory{rest} (largest: "
                f"'{_text(largest[1].name)}', {largest[0]}); "
                + ", ".join(f"{t} reports {n} in all" for t, n in broken.items()),
                "test it: whether larger arrays work is not known; move tables to global memory "
                "(const __restrict__ pointers, __ldg) where they do not",
                "memory/constant-limit",
            )

    # --- copies to shared memory --------------------------------------------------------------

    def _pipeline_header(self) -> None:
        """The helper stands in for the header, unless the file uses its C++ classes."""
        data = self.code.data
        if b"experimental" in data or b"__mbarrier" in data or b"__pipeline_arrive_on" in data:
            return
        for include in self.code.facts.includes:
            if not _PIPELINE_HEADER.fullmatch(include.path):
                continue
            start, end = self.code.lexed.logical_line(include.start)
            if self.code.protected.why(start) or not _WHOLE_INCLUDE.fullmatch(data[start:end]):
                continue
            end += 2 if data[end : end + 2] == b"\r\n" else 1 if end < len(data) else 0
            self.edits.append(Edit(Span(start, end), b"", "memory/async-copy"))
            self.helpers.add("memory")

    def _group_copies(self) -> None:
        """cooperative_groups::memcpy_async and its waits, where the arguments are plain."""
        scopes = {b"cooperative_groups"}
        scopes |= {m.group(1) for m in _ALIAS.finditer(self.code.data)}
        names = (b"memcpy_async", b"wait", b"wait_prior")
        calls = [
            call
            for call in find_calls(self.code, names, scopes, templates=True)
            if call.start < call.name_at and self.code.data[call.start : call.start + 1] != b":"
        ]
        copies = [call for call in calls if call.name == b"memcpy_async"]
        if not copies:
            return
        hard = [c for c in copies if not self._is_plain_copy(c)]
        for call in hard:
            self.say(
                *(call.name_at, call.end),
                "SIG302",
                ERROR,
                "this copy of a group takes a shape or a barrier of libcu++, which MUSA lacks",
                "give the number of bytes, and wait with cooperative_groups::wait",
                "memory/async-copy",
            )
        if hard:
            return
        for call in calls:
            self.edits.append(
                Edit(Span(call.start, call.end), b"sigtrans::" + call.name, "memory/async-copy")
            )
        self.helpers.add("memory")
        self.say(
            *(copies[0].name_at, copies[0].end),
            "SIG310",
            NOTE,
            f"'{_text(copies[0].name)}': the group copies at once{_more(copies)}; right, but the "
            "copy no longer overlaps with anything",
            "for speed on a named architecture use __musa_memcpy_g2s by hand",
            "memory/async-copy",
        )
        for include in self.code.facts.includes:
            if include.path == b"cooperative_groups/memcpy_async.h":
                span = Span(include.start, include.end)
                raw = self.code.data[span.start : span.end]
                text = raw.replace(include.path, b"cooperative_groups.h")
                self.edits.append(Edit(span, text, "memory/async-copy"))

    def _is_plain_copy(self, call: Call) -> bool:
        arguments = self.code.lexed.arguments(call.open) if call.open >= 0 else []
        texts = [self.code.lexed.code(*a) for a in arguments]
        return len(texts) in (4, 5) and not any(_LIBCUDACXX.search(t) for t in texts)

    # --- what is not there --------------------------------------------------------------------

    def _groups(self, family: str) -> None:
        scopes = {b"cooperative_groups"} | {m.group(1) for m in _ALIAS.finditer(self.code.data)}
        table = rows(family)
        calls = [c for c in find_calls(self.code, table, scopes) if c.open >= 0]
        if calls:
            row = table[calls[0].name]
            self.say(
                *(calls[0].name_at, calls[0].end),
                row.code,
                row.severity,
                row.message.format(name=_text(calls[0].name)) + _more(calls),
                row.help,
                row.rule,
            )

    def _grid_constants(self) -> None:
        """The attribute goes: a parameter of a kernel has the same value without it."""
        taken: list[Call] = []
        calls = list(find_calls(self.code, (b"__grid_constant__",)))
        for call in calls:
            data = self.code.data
            end = call.end
            while data[end : end + 1] in (b" ", b"\t"):
                end += 1
            self.edits.append(
                Edit(Span(call.start, end), b"", "language/grid-constant", Safety.REVIEW)
            )
            function = self.code.function_at(call.start)
            if function is not None and self._takes_address(function, call):
                taken.append(call)
        if calls:
            place = (taken or calls)[0]
            why = (
                "the kernel takes the parameter's address, which is then that of a copy per thread"
                if taken
                else "the parameter has the same value without it"
            )
            self.say(
                *(place.name_at, place.end),
                "SIG306",
                WARNING,
                f"'__grid_constant__' is dropped{_more(calls)}: only the vendor's development "
                f"compiler is known to have it; {why}",
                "see that nothing hands the address to other threads or to a tensor map",
                "language/grid-constant",
            )

    def _takes_address(self, function: Function, call: Call) -> bool:
        text = self.code.lexed.code(call.end, function.params[1])
        name = re.search(rb"(\w+)\s*$", split(text, angles=True)[0]) if text.strip() else None
        if name is None:
            return False
        address = re.compile(rb"&\s*" + re.escape(name.group(1)) + rb"\b")
        return address.search(self.code.data, *function.body) is not None


_OPT_IN = re.compile(rb"MaxDynamicSharedMemorySize|MAX_DYNAMIC_SHARED_SIZE_BYTES")
_PIPELINE_HEADER = re.compile(rb"cuda_pipeline(?:_primitives|_helpers)?\.h")
_WHOLE_INCLUDE = re.compile(rb"[ \t]*#[ \t]*include[ \t]*[<\"][\w./]+[>\"][ \t]*(?://[^\r\n]*)?")
_ALIAS = re.compile(rb"\bnamespace\s+(\w+)\s*=\s*(?:::\s*)?cooperative_groups\s*;")
_LIBCUDACXX = re.compile(
    rb"\bcuda\s*::|\baligned_size_t\b|\b\w*(?:[bB]arrier|[pP]ipe(?:line)?)\w*\s*$"
)


def _text(name: bytes) -> str:
    return name.decode("latin-1")


def _limits(limits: dict[str, int]) -> str:
    return ", ".join(f"{name} has {limit} per block" for name, limit in limits.items())


def _more(calls: Iterable[Call]) -> str:
    count = len(list(calls))
    return f" ({count} places in this file)" if count > 1 else ""


def shared_limits(targets: Iterable[str]) -> dict[str, int]:
    """Shared memory per block of each target of which it is known."""
    limits: dict[str, int] = {}
    for name in targets:
        facts = target.load(name)
        static = facts.number("shared_mem_per_block_static")
        if static is not None:
            limits[name] = max(static, facts.number("shared_mem_per_block_optin") or 0)
    return limits


# --- launches -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Launch:
    """One `name<arguments><<<grid, block, dynamic, stream>>>(…)`."""

    at: int  # of the name
    name: bytes
    arguments: bytes  # of the template
    dynamic: bytes  # third launch argument, b"" where there is none


def find_launches(code: Code) -> Iterator[Launch]:
    """Every launch whose kernel is named."""
    data, lexed = code.data, code.lexed
    at = data.find(b"<<<")
    while at >= 0:
        here, at = at, data.find(b"<<<", at + 3)
        end = data.find(b">>>", here, here + 2000)
        if end < 0 or not code.is_open(here):
            continue
        before = lexed.before(here)
        arguments = b""
        if data[before : before + 1] == b">":
            start = _open_angle(data, before)
            if start < 0:
                continue
            arguments = b" ".join(lexed.code(start + 1, before).split())
            before = lexed.before(start)
        name = lexed.name_ending_at(before) if before >= 0 else b""
        parts = split(lexed.code(here + 3, end))
        dynamic = parts[2].strip() if len(parts) > 2 else b""
        if name:
            yield Launch(
                before - len(name) + 1, name, arguments, b"" if dynamic == b"0" else dynamic
            )


def _open_angle(data: bytes, at: int) -> int:
    """The < of the template arguments that end at `at`, -1 if it is not near."""
    depth = 0
    for place in range(at, max(-1, at - 400), -1):
        byte = data[place]
        if byte in b";{}":
            return -1
        depth += (byte in b">)") - (byte in b"<(")
        if not depth:
            return place
    return -1


# --- sums -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sum:
    """Bytes that are known, and what is not."""

    size: int = 0
    unknown: tuple[str, ...] = ()
    branched: bool = False  # the most of what #if branches declare


class SharedSums:
    """Static shared memory of kernels, with the device functions that they call."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self.code = shown.code
        self.variables: dict[int, list[Variable]] = {}  # body -> its declarations
        for variable in find_variables(self.code, b"__shared__"):
            function = self.code.function_at(variable.at)
            if function is not None and not variable.extern and not variable.is_dynamic:
                self.variables.setdefault(function.body[0], []).append(variable)
        device = [f for f in self.code.functions if f.kind in ("device", "macro")]
        self.callees: dict[bytes, list[Function]] = {}
        for function in device:
            self.callees.setdefault(function.name, []).append(function)
        self.uses = self._users(device)
        self.done: dict[tuple[int, bytes], Sum] = {}

    def _users(self, device: list[Function]) -> frozenset[bytes]:
        """Device functions that have shared memory, by themselves or through others."""
        found = {f.name for f in device if f.body[0] in self.variables}
        if not found:
            return frozenset()
        calls = {f.name: set(_NAME.findall(self.code.data, *f.body)) for f in device}
        for _ in range(20):  # calls of calls: deeper than anyone reads
            more = {name for name, called in calls.items() if called & found} - found
            if not more:
                break
            found |= more
        return frozenset(found)

    def instances(self, kernel: Function, launches: Iterable[Launch]) -> list[bytes]:
        """The template arguments that the file shows for a kernel; one b"" where it shows none."""
        shown = {n.arguments for n in launches if n.name == kernel.name and n.arguments}
        return sorted(shown) if shown and self._parameters(kernel) else [b""]

    def static(self, kernel: Function, arguments: bytes) -> Sum:
        """What a kernel declares, with the functions that it calls; each instance counts once."""
        key = (kernel.head, arguments)
        if key not in self.done:
            self.done[key] = self._visit(kernel, arguments, set())
        return self.done[key]

    def _visit(
        self, function: Function, arguments: bytes, seen: set[tuple[int, bytes]], deep: int = 0
    ) -> Sum:
        variables = self.variables.get(function.body[0], [])
        if (function.head, arguments) in seen or deep > 20 or not (variables or self.uses):
            return Sum()
        seen.add((function.head, arguments))
        if variables and self.code.data.find(b"__global__", *function.body) >= 0:
            # Braces that do not nest in the branches of an #if: more than one function.
            return Sum(0, ("where the function ends",))
        names = self.shown.inside(function).within(self._bind(function, arguments))
        parts = [(v.at, _sum(v, names)) for v in variables]
        for at, name, given in self._calls(function, names) if self.uses else ():
            every = self.callees[name]
            one = Sum(0, (f"{_text(name)}(): several functions",))
            if len(every) == 1:
                one = self._visit(every[0], given, seen, deep + 1)
            parts.append((at, one))
        total, branched = _most(self.code, function, [(at, one.size) for at, one in parts])
        unknown = dict.fromkeys(why for _, one in parts for why in one.unknown)
        return Sum(total, tuple(unknown), branched or any(one.branched for _, one in parts))

    def _calls(self, function: Function, names: Names) -> Iterator[tuple[int, bytes, bytes]]:
        """Calls of functions that have shared memory: place, name, template arguments."""
        for match in _CALL.finditer(self.code.data, *function.body):
            if match.group(1) in self.uses and self.code.lexed.blank_at(match.start()) is None:
                yield match.start(), match.group(1), _resolved(match.group(2) or b"", names)

    def _parameters(self, function: Function) -> list[tuple[bytes, bytes]]:
        """Names and defaults of a function's template parameters."""
        head = self.code.lexed.code(function.head, function.params[0])
        match = re.match(rb"\s*template\s*<", head)
        if match is None:
            return []
        end = _close_angle(head, match.end())
        found: list[tuple[bytes, bytes]] = []
        for piece in split(head[match.end() : end], angles=True):
            left, _, default = piece.partition(b"=")
            name = re.search(rb"(\w+)\s*$", left)
            found.append((name.group(1) if name else b"", default.strip()))
        return found

    def _bind(self, function: Function, arguments: bytes) -> dict[bytes, bytes | None]:
        parameters = self._parameters(function)
        given = split(arguments, angles=True) if arguments else []
        bound: dict[bytes, bytes | None] = {}
        for n, (name, default) in enumerate(parameters):
            text = given[n].strip() if n < len(given) else default
            bound[name] = text if text and text != name else None
        return bound

    def dynamic(self, launch: Launch) -> int | None:
        """The launch's third argument, where it is constant."""
        return self.value(launch.dynamic, launch.at)

    def value(self, text: bytes, at: int) -> int | None:
        """An expression at a place in a function, local variables that never change included."""
        function = self.code.function_at(at)
        names = self.shown.inside(function)
        if function is not None:
            local: dict[bytes, bytes | None] = {}
            wanted = set(_NAME.findall(text))
            for _ in range(4):
                fresh = wanted - local.keys()
                for name in fresh:
                    given = _assigned_once(self.code, function, name, at)
                    if given is not None:
                        local[name] = given
                        wanted |= set(_NAME.findall(given))
                if not fresh:
                    break
            bound = {n: None for n, _ in self._parameters(function) if n}
            names = names.within({**bound, **local})
        return names.number(text)


_NAME = re.compile(rb"[A-Za-z_]\w*")
_CALL = re.compile(rb"\b([A-Za-z_]\w*)\s*(?:<([^<>;{}()]{0,200})>\s*)?\(")


def _sum(variable: Variable, names: Names) -> Sum:
    size = variable.size(names)
    name = _text(variable.name) or "a declaration of another form"
    return Sum(0, (name,)) if size is None else Sum(size)


def _resolved(arguments: bytes, names: Names) -> bytes:
    """Template arguments as seen by who is called: numbers and types instead of local names."""
    out: list[bytes] = []
    for piece in split(arguments, angles=True) if arguments else []:
        number = names.number(piece)
        text = names.text(piece.strip())
        out.append(b"%d" % number if number is not None else text or piece.strip())
    return b", ".join(out)


def _close_angle(text: bytes, at: int) -> int:
    depth = 1
    for place in range(at, len(text)):
        byte = text[place]
        depth += (byte in b"<(") - (byte in b">)")
        if not depth:
            return place
    return len(text)


def _assigned_once(code: Code, function: Function, name: bytes, at: int) -> bytes | None:
    """What a local variable is set to, if that is its declaration and nothing else changes it."""
    word = re.escape(name)
    given = re.compile(
        rb"\b(?:int|unsigned|long|size_t|auto|uint32_t|uint64_t|int64_t|uint)(?:\s+const)?\s+"
        + word
        + rb"\s*=\s*([^;{}]{1,400});"
    ).search(code.data, function.body[0], at)
    if given is None or not code.is_open(given.start()):
        return None
    changes = re.compile(
        rb"\b"
        + word
        + rb"\s*(?:=(?!=)|[-+*/%|&^]=|<<=|>>=|\+\+|--)|(?:\+\+|--|&)\s*"
        + word
        + rb"\b"
    )
    found = [m for m in changes.finditer(code.data, *function.body) if code.is_open(m.start())]
    text = code.lexed.code(*given.span(1))
    return b"(" + text + b")" if len(found) == 1 and len(split(text)) == 1 else None


def _most(code: Code, function: Function, sizes: list[tuple[int, int]]) -> tuple[int, bool]:
    """The sum of sizes by place; of the branches of an #if only the largest counts."""
    events: list[tuple[int, bytes, int]] = [(at, b"", size) for at, size in sizes]
    for match in DIRECTIVE.finditer(code.data, *function.body):
        if code.lexed.blank_at(match.start(1)) is None:
            off = match.group(1) == b"if" and match.group(2).strip() == b"0"
            events.append((match.start(), match.group(1), int(off)))
    frames = [[0, 0, 0]]  # of this branch, most of the branches before, 1: is never compiled
    branched = False
    for _, kind, number in sorted(events):
        frame = frames[-1]
        if not kind:
            frame[0] += 0 if frame[2] else number
        elif kind.startswith(b"if"):
            frames.append([0, 0, number])
        elif len(frames) > 1:
            branched = branched or frame[0] > 0
            most = max(frame[0], frame[1])
            if kind == b"endif":
                frames.pop()
                frames[-1][0] += most
            else:
                frames[-1] = [0, most, 0]
    while len(frames) > 1:
        frame = frames.pop()
        frames[-1][0] += max(frame[0], frame[1])
    return frames[0][0], branched
