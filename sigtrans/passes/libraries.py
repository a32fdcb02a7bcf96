"""Calls whose MUSA signature differs, names that need a newer SDK, and what stands in for NVTX,
cuDNN and muSPARSE.

`rules/calls/*.tsv` says what becomes of a call with so many arguments; a name table cannot, since
it sees the name alone. The name itself was judged and renamed by the names pass before, so only its
renames are looked at here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sigtrans.names import data_dir
from sigtrans.passes import Code, CodeFindings, Finder
from sigtrans.source import Edit, Safety, Severity, Span

ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE


@dataclass(frozen=True, slots=True)
class Change:
    """One row: what a call of this form becomes, or what is said about it."""

    counts: frozenset[int]  # numbers of arguments it speaks of; empty: any use of the name
    null: int  # this argument has to be a null pointer; 0: no matter
    sdk: str  # "<5.1", ">=5.1", "" for every SDK
    where: str  # "c", "host" (C++ that mcc does not compile), "" anywhere
    template: str  # the new call, with $1, $2, … and $* for all; "": no edit
    code: str  # "" when nothing has to be said
    severity: str
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class Topic:
    """What is said once in every file that needs a helper header."""

    code: str
    severity: Severity
    message: str
    help: str


@cache
def changes() -> Mapping[bytes, tuple[Change, ...]]:
    """CUDA name -> its rows, in order: the first that fits counts."""
    found: dict[bytes, tuple[Change, ...]] = {}
    for path in sorted((data_dir() / "calls").glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            name, counts, condition, sdk, where, template, code, severity, message, help, *_ = (
                line.split("\t")
            )
            null = int(condition[1:].partition("=")[0]) if condition else 0
            change = Change(
                _counts(counts), null, sdk, where, template, code, severity, message, help
            )
            found[name.encode()] = (*found.get(name.encode(), ()), change)
    return found


@cache
def topics() -> Mapping[str, Topic]:
    """What there is to say about each helper header of this pass."""
    lines = (data_dir() / "helpers.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return {topic: Topic(code, Severity(sev), text, help) for topic, code, sev, text, help in rows}


def _counts(text: str) -> frozenset[int]:
    counts: set[int] = set()
    for piece in text.split(",") if text else ():
        first, _, last = piece.partition("-")
        counts.update(range(int(first), int(last or first) + 1))
    return frozenset(counts)


def is_since(needed: str, sdk: str) -> bool:
    """Does SDK `sdk` reach `needed`, as in "5.1" and "4.3"?"""
    return _version(sdk) >= _version(needed)


@cache
def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", text)))


def find(code: Code) -> CodeFindings:
    """Edits, reports and helper headers of one file."""
    return _Libraries(code).run()


class _Libraries(Finder):
    """Calls of the libraries in one file."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.wanted: dict[str, int] = {}  # helper -> first place
        self.topics: dict[str, int] = {}  # topics without a header
        self.foreign: dict[str, dict[bytes, int]] = {}  # topic -> names in C
        self.cautions: dict[str, dict[bytes, int]] = {}  # note -> names -> place
        self.newer: dict[str, dict[bytes, int]] = {}  # SDK -> names -> place

    def run(self) -> CodeFindings:
        code = self.code
        known, cautions = changes(), code.table.cautions
        needs = code.table.newer_than(code.sdk)
        for rename in code.renames:
            start, end = rename.span.start, rename.span.end
            name = code.data[start:end]
            if rename.rule == "headers/rename":
                name = code.table.header_row(name)
                if rename.text.startswith(b"mupti"):
                    self.topics.setdefault("cupti", start)
            elif rename.rule != "names/rename":
                continue
            if rename.text.startswith((b"sigtrans::", b"sigtrans_")):
                self._stand_in(rename)
            elif name in known:
                self._call(start, end, name, known[name])
            elif name in cautions and name not in needs:
                self._caution(name, start)
            if name in needs:
                self.newer.setdefault(needs[name], {}).setdefault(name, start)
        for include in code.facts.includes:
            self._include(include.start, include.path)
        if b"<<<" in code.data:
            self._device_launches()
        if b"nvrtcCompileProgram" in code.data:
            self._compile_options()
        if b"GreenCtx" in code.data:
            self._green_contexts()
        if any(word in code.data for word in (b"cub::", b"thrust::", b"CUB_N", b"THRUST_N")):
            self._newer_parts()
        self._sum_up()
        self.helpers.update(self.wanted)
        return self.findings

    # --- what stands in --------------------------------------------------------------------------

    def _stand_in(self, rename: Edit) -> None:
        """A name that became a function, type or header of ours."""
        text = rename.text.decode()
        start, end = rename.span.start, rename.span.end
        if rename.rule == "headers/rename":
            self._replace_include(start, text.removeprefix("sigtrans_").removesuffix(".h"))
            return
        after = self.code.lexed.after(end)
        if self.code.data[after : after + 1] == b"(" and self._is_declared(start):
            name = self.code.data[start:end].decode()
            self.say(
                start,
                end,
                "SIG143",
                ERROR,
                f"'{name}' is declared here, and a helper header has it under another name",
                "drop the declaration",
                "calls/declared",
            )
        if text.startswith("sigtrans_"):
            topic = "nvtx"
        else:
            match = _TOPIC.match(text.removeprefix("sigtrans::"))
            topic = match.group().lower() if match else ""
            if self.code.file.path.endswith(".c"):
                self.foreign.setdefault(topic, {}).setdefault(self.code.data[start:end], start)
        self.wanted.setdefault(topic, start)

    def _replace_include(self, start: int, topic: str) -> None:
        """The include of a header that has no counterpart gives way to a word about it."""
        code = self.code
        line, _ = code.lexed.logical_line(start)
        match = _INCLUDE.match(code.data, line)
        if match is None or not match.start(1) <= start <= match.end():
            return  # a macro that names a header: left for the names pass to say
        path = match.group(2).decode("latin-1")
        text = f"// {path}: MUSA has none, sigtrans_{topic}.h stands in"
        rest = code.data[match.end() : code.lexed.logical_line(start)[1]]
        if rest.strip() and not rest.lstrip().startswith(b"//"):
            text = f"/* {text[3:]} */"
        self.edits.append(Edit(Span(match.start(1), match.end()), text.encode(), "calls/include"))
        self.wanted.setdefault(topic, start)

    # --- calls -----------------------------------------------------------------------------------

    def _call(self, start: int, end: int, name: bytes, rows: tuple[Change, ...]) -> None:
        code = self.code
        rows = tuple(row for row in rows if self._applies(row))
        general = next((row for row in rows if not row.counts), None)
        arguments = self._arguments(end)
        if arguments is None or self._is_declared(start):
            if general is not None:
                self._report(start, end, name, general)
            elif any(row.template or row.severity == "error" for row in rows):
                declared = arguments is not None or self._is_declared(start)
                if not declared:
                    self._unfit(start, end, name, "has no arguments")
            return
        values = [code.data[a:b].strip() for a, b in arguments]
        for row in rows:
            fits = not row.counts or len(arguments) in row.counts
            if not fits or (row.null and not _NULL.fullmatch(values[row.null - 1])):
                continue
            if not row.template:
                self._report(start, end, name, row)
            elif any(_DIRECTIVE.search(value) for value in values):
                self._unfit(start, end, name, "has a directive among its arguments")
            else:
                self._rewrite(start, arguments, row)
                self._report(start, end, name, row)
            return
        if rows:
            count = len(arguments)
            self._unfit(start, end, name, f"has {count} argument{'s' if count != 1 else ''}")
        elif name in code.table.cautions:
            self._caution(name, start)

    def _applies(self, row: Change) -> bool:
        path, sdk = self.code.file.path, self.code.sdk
        if row.where == "c" and not path.endswith(".c"):
            return False
        if row.where == "host" and not path.endswith((".cpp", ".cc", ".cxx", ".C")):
            return False
        if row.sdk.startswith("<"):
            return not is_since(row.sdk[1:], sdk)
        return not row.sdk or is_since(row.sdk[2:], sdk)

    def _arguments(self, end: int) -> list[tuple[int, int]] | None:
        """Where the arguments of the call stand, without the space around them; None: no call."""
        code = self.code
        at = code.lexed.after(end)
        if code.data[at : at + 1] != b"(":
            return None
        found = code.lexed.arguments(at)
        if not found:
            return None
        if len(found) == 1 and code.lexed.after(found[0][0]) >= found[0][1]:
            return []
        trimmed: list[tuple[int, int]] = []
        for start, stop in found:
            text = code.data[start:stop]
            first = start + len(text) - len(text.lstrip())
            trimmed.append((first, max(first, code.lexed.before(stop) + 1)))
        return trimmed

    def _is_declared(self, start: int) -> bool:
        """`cudaError_t name(…)`, `#define name(…)`: no call of it."""
        code = self.code
        at = code.lexed.before(start)
        word = code.lexed.name_ending_at(at)
        if not word or word.isdigit() or word in _BEFORE_A_CALL:
            return False
        line, end = code.lexed.logical_line(at)
        if end >= start:
            return True
        # The word ends another line: a directive, a macro that stands alone, or a type.
        if code.data[line:end].lstrip().startswith(b"#"):
            return False
        opened = code.lexed.after(start + len(code.lexed.name_starting_at(start)))
        parameters = code.lexed.arguments(opened)
        return any(_TYPE_AND_NAME.search(code.lexed.code(*each)) for each in parameters)

    def _rewrite(self, start: int, arguments: list[tuple[int, int]], row: Change) -> None:
        """Edit what stands between the arguments; these stay where they are, with their renames
        and whatever other rules make of them."""
        code = self.code
        every = ", ".join(f"${n}" for n in range(1, len(arguments) + 1))
        literals: list[str] = []
        kept: list[int] = []
        for n, piece in enumerate(_PLACE.split(row.template.replace("$*", every))):
            if n % 2:
                kept.append(int(piece))
            else:
                literals.append(piece)
        close = code.lexed.after(arguments[-1][1]) if arguments else -1
        bounds = [start]
        for n in kept:
            bounds += arguments[n - 1]
        bounds.append(close + 1)
        for literal, first, last in zip(literals, bounds[::2], bounds[1::2], strict=True):
            if literal.endswith(")") and last == close + 1:
                literal, last = literal[:-1], close  # what is added comes before any comment
            gap = code.ported(first, last) if first == start else code.lexed.code(first, last)
            if b"".join(gap.split()) == literal.replace(" ", "").encode():
                continue
            last = last if gap.strip() else first
            self.edits.append(
                Edit(Span(first, last), literal.encode(), "calls/arguments", Safety.REVIEW)
            )
        match = _HELPER.search(row.template)
        if match:
            topic = _TOPIC.match(match.group(1))
            if topic:
                self.wanted.setdefault(topic.group().lower(), start)

    def _report(self, start: int, end: int, name: bytes, row: Change) -> None:
        if not row.code:
            return
        target = self.code.table.targets.get(name, name).decode()
        done = row.template and not row.template.startswith("sigtrans")
        subject = name.decode() if done else target
        self.say(
            start,
            end,
            row.code,
            Severity(row.severity),
            f"'{subject}' {row.message}",
            row.help,
            "calls/signature",
        )

    def _unfit(self, start: int, end: int, name: bytes, why: str) -> None:
        rows = [row for row in changes()[name] if self._applies(row)]
        forms = [row for row in rows if row.template]
        # CUDA has a form that is the same on MUSA: this may well be that one.
        same = any(row.counts and not row.template and not row.code for row in rows)
        shown = " or ".join(dict.fromkeys(row.template for row in forms))
        self.say(
            start,
            end,
            "SIG143",
            WARNING if same else ERROR,
            f"'{name.decode()}' differs on MUSA in its arguments, and this use {why}: only renamed",
            f"write it by hand: {shown}" if shown else "compare the call with the MUSA header",
            "calls/unfit",
        )

    # --- cautions, SDKs --------------------------------------------------------------------------

    def _caution(self, name: bytes, start: int) -> None:
        entry = self.code.table.explain(name.decode("latin-1"))
        if entry is None or not entry.note:
            return
        needed = entry.sdk.removeprefix(">=")
        if needed and f"SDK {needed}" in entry.note and is_since(needed, self.code.sdk):
            return  # it speaks of older SDKs alone
        note = "; ".join(c for c in entry.note.split("; ") if self._concerns_us(c))
        if note:
            self.cautions.setdefault(note, {}).setdefault(name, start)

    def _concerns_us(self, clause: str) -> bool:
        """Not so where a clause speaks of cards that the port is not for."""
        named = set(re.findall(r"\bmp_\d\d\b", clause))
        if clause.endswith(" only"):
            return not named or not named.issuperset(self.code.targets)
        return not named or not named.isdisjoint(self.code.targets)

    def _include(self, start: int, path: bytes) -> None:
        """A header that keeps its name, and has a word said about it."""
        table = self.code.table
        row = table.header_row(path)
        if row not in table.cautions or table.find_header(path) != path:
            return
        base = path.rpartition(b"/")[2].decode("latin-1")
        if base not in self.code.project.by_name and not self.code.protected.why(start):
            self._caution(row, start)

    def _sum_up(self) -> None:
        for needed, names in self.newer.items():
            shown = _enumerate(names)
            first = min(names, key=lambda n: names[n])
            entry = self.code.table.explain(first.decode("latin-1"))
            verb = "needs" if len(names) == 1 else "need"
            self.say(
                names[first],
                names[first] + len(first),
                "SIG140",
                ERROR,
                f"{shown} {verb} MUSA SDK {needed}; this port is for SDK {self.code.sdk}",
                (entry.note if entry else "")
                or f"port for SDK {needed} (--sdk), or guard the code out of this build",
                "names/sdk",
            )
        for note, names in self.cautions.items():
            shown = _enumerate(names)
            first = min(names, key=lambda n: names[n])
            what = "is not only a rename" if len(names) == 1 else "are not only renames"
            self.say(
                names[first],
                names[first] + len(first),
                "SIG107",
                WARNING,
                f"{shown} {what}: {note}",
                f"check it against the MUSA header; see sigtrans explain {first.decode('latin-1')}",
                "names/caution",
            )
        for topic, names in self.foreign.items():
            first = min(names, key=lambda n: names[n])
            self.say(
                names[first],
                names[first] + len(first),
                "SIG149",
                ERROR,
                f"this file is C, and sigtrans_{topic}.h, which serves {_enumerate(names)}, is C++",
                "compile the file as C++, or write MUSA's own calls",
                "calls/helper-language",
            )
        for topic, start in (*self.wanted.items(), *self.topics.items()):
            said = topics()[topic]
            word = self.code.lexed.name_starting_at(start)
            self.say(
                start,
                start + max(1, len(word)),
                said.code,
                said.severity,
                said.message,
                said.help,
                f"calls/{topic}",
            )

    # --- what no name shows ----------------------------------------------------------------------

    def _device_launches(self) -> None:
        """A kernel launched from device code: dynamic parallelism."""
        code = self.code
        at = code.data.find(b"<<<")
        while at >= 0:
            function = code.function_at(at) if code.is_open(at) else None
            if function is not None and function.kind in ("kernel", "device"):
                host = b"__host__" in code.data[function.head : function.params[0]]
                if not host and function.body[0] < at:
                    self.say(
                        at,
                        at + 3,
                        "SIG141",
                        WARNING,
                        "a kernel launches a kernel: the vendor names dynamic parallelism as a "
                        "feature, without syntax, flag or limits",
                        "test it on the card, or launch from the host",
                        "launch/dynamic-parallelism",
                    )
            at = code.data.find(b"<<<", at + 3)

    def _green_contexts(self) -> None:
        """Event calls in a file that makes green contexts."""
        code = self.code
        words = {code.data[r.span.start : r.span.end] for r in code.renames}
        if not any(word.startswith(b"cuGreenCtx") for word in words):
            return
        places = [
            r.span
            for r in code.renames
            if code.data[r.span.start : r.span.end] in _EVENT_CALLS and r.rule == "names/rename"
        ]
        if places:
            more = f" ({len(places)} places in this file)" if len(places) > 1 else ""
            self.say(
                places[0].start,
                places[0].end,
                "SIG151",
                WARNING,
                "events inside a green context need calls of their own; the usual ones do not "
                f"serve there{more}",
                "where the stream belongs to a green context: muGreenCtxRecordEvent and "
                "muGreenCtxWaitEvent; take 2 to 64 multiprocessors, in steps of 2",
                "driver/green-context-events",
            )

    def _compile_options(self) -> None:
        """NVRTC's options in the strings of a file that compiles with it."""
        code = self.code
        seen: dict[bytes, int] = {}
        for start, end in code.lexed.blanks:
            if code.data[start] != 0x22 or code.protected.why(start):
                continue
            option = _OPTION.match(code.data, start + 1, end)
            if option:
                seen.setdefault(option.group(), start)
        for text, start in seen.items():
            self.say(
                start,
                start + len(text) + 2,
                "SIG154",
                WARNING,
                f"'{text.decode('latin-1')}' reads like an option of NVRTC; MTRTC takes mcc's",
                "write mcc's option (--offload-arch=mp_31 for an architecture, which is the "
                "default), or drop it",
                "nvrtc/option",
            )

    def _newer_parts(self) -> None:
        """Parts of CUB and Thrust that came after the version that MUSA's were made from."""
        code = self.code
        seen: set[bytes] = set()
        vendored: dict[str, bool] = {}  # does the tree bring the library along?
        for match in _NEWER.finditer(code.data):
            name = match.group(1)
            library = "cub" if name[:3].lower() == b"cub" else "thrust"
            if library not in vendored:
                vendored[library] = any(f"{library}/" in path for path in code.project.files)
            if vendored[library] or not code.is_open(match.start()):
                continue
            if name == b"thrust::cuda::par_nosync":
                self._synchronous_policy(match.end(), name not in seen)
            if name in seen:
                continue
            seen.add(name)
            if name == b"thrust::cuda::par_nosync":
                continue
            self.say(
                *match.span(),
                "SIG152",
                WARNING,
                f"'{name.decode()}' is newer than version 1.12.1, which MUSA's {library} is made "
                "from",
                f"look into the SDK's include/{library}; else bring that part along, or write it "
                "with what 1.12 has",
                f"{library}/newer",
            )

    def _synchronous_policy(self, end: int, first: bool) -> None:
        """par_nosync allows an algorithm to return early; par, which is older, does not."""
        start = end - len(b"par_nosync")
        self.edits.append(Edit(Span(start, end), b"par", "thrust/par-nosync", Safety.REVIEW))
        if first:
            self.say(
                start,
                end,
                "SIG144",
                NOTE,
                "'par_nosync' is newer than Thrust 1.12.1, which MUSA's is made from: 'par' does "
                "the same and waits for the result",
                "",
                "thrust/par-nosync",
            )


def _enumerate(names: Mapping[bytes, int]) -> str:
    ordered = sorted(names, key=lambda n: names[n])
    shown = ", ".join(f"'{name.decode('latin-1')}'" for name in ordered[:6])
    return shown if len(ordered) <= 6 else f"{shown} and {len(ordered) - 6} more names"


_TOPIC = re.compile(r"[a-z]+|[A-Z]+(?=_)")
_HELPER = re.compile(r"\bsigtrans::(\w+)")
_PLACE = re.compile(r"\$(\d+)")
_TYPE_AND_NAME = re.compile(rb"[\w>]\s+[A-Za-z_]")
_NULL = re.compile(rb"nullptr|NULL|0|\(void\s*\*\s*\)\s*0")
_DIRECTIVE = re.compile(rb"^[ \t]*#", re.MULTILINE)
_INCLUDE = re.compile(rb"[ \t]*(#[ \t]*include[ \t]*[<\"]([^>\"\r\n]+)[>\"])")
_BEFORE_A_CALL = frozenset(
    b"return else do case throw goto and or not co_return co_await co_yield sizeof".split()
)
_EVENT_CALLS = frozenset((b"cuEventRecord", b"cuStreamWaitEvent", b"cudaEventRecord",
                          b"cudaStreamWaitEvent"))  # fmt: skip
_OPTION = re.compile(
    rb"--?(?:gpu-architecture|arch|use_fast_math|fmad|ftz|prec-(?:div|sqrt)|maxrregcount|dc|rdc"
    rb"|relocatable-device-code|device-(?:c|debug)|(?:generate-)?line-?info|default-device|dlto"
    rb"|extra-device-vectorization|ptxas-options|extended-lambda|expt-[\w-]+|restrict|dopt"
    rb"|minimal|pch\w*|builtin-\w+|diag-\w+|brief-diagnostics|std|dlink)(?:=[^\"]*)?(?=\")"
)
# Names that MooreThreads/muAlg and MooreThreads/muThrust, made from 1.12.1, do not have.
_NEWER = re.compile(
    rb"\b((?:cub::(?:Device(?:MergeSort|SegmentedSort|AdjacentDifference|Memcpy|Copy|For|Transform"
    rb"|TopK|Merge|Find)|DeviceScan::(?:In|Ex)clusive(?:Sum|Scan)ByKey|Block(?:MergeSort"
    rb"|RunLengthDecode|LoadToShared)|Warp(?:MergeSort|Load|Store|Mask)|FutureValue)"
    rb"|thrust::(?:cuda::par_nosync|(?:make_)?(?:tabulate_output|strided|offset)_iterator"
    rb"|universal_host_pinned_vector)|(?:CUB|THRUST)_(?:NS_QUALIFIER|NAMESPACE_BEGIN"
    rb"|WRAPPED_NAMESPACE))\b)"
)
