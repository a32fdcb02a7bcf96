"""Which errors of a compiler become findings, and under which code."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sigtrans import surface
from sigtrans.semantics import Fault, Reading, Unit
from sigtrans.source import Diagnostic, Severity, Span, line_starts
from sigtrans.units import Sources, read_file

if TYPE_CHECKING:
    from sigtrans.names import NameTable
    from sigtrans.plan import Plan

# What the port said of one of its files: a name in it -> the code.
Opened = Mapping[str, Mapping[str, str]]

RULE = "check"
_MISSING = re.compile(r"'([^']+)' file not found")
_UNDECLARED = re.compile(
    r"(?:use of undeclared identifier|unknown type name|unknown class name|no template named"
    r"|use of undeclared|no type named|implicit declaration of function"
    r"|call to undeclared (?:library )?function|undeclared identifier)[^']*'([^']+)'"
)
_NO_MATCH = re.compile(
    r"no matching (?:function|kernel function|constructor) for call to '([^']+)'"
)
_COUNT = re.compile(
    r"too (?:few|many) arguments to (?:\w+ )*function call, (?:expected )?(.+), have (\d+)"
)
_NOTE_COUNT = re.compile(r"requires (.+?) arguments?, but (\d+) (?:was|were) provided")
_NOTE_TYPE = re.compile(
    r"(?:no known conversion from|cannot convert argument of (?:incomplete )?type) (.+) to (.+)"
    r" for (\w+) argument"
)
# A launch from a kernel: clang refuses it; of mcc only the claim is known that it can be done.
_NESTED = re.compile(
    r"(?:reference|call) to __global__ function .*(?:in|from) __(?:global|device)__"
)
_PARAMETER = re.compile(r"cannot initialize a parameter of type (.+) with an? (\w+) of type (.+)")
_DECLARED_HERE = re.compile(r"'([^']+)' declared here")
_MUSA_NAME = re.compile(
    r"_{0,2}musa|MUSA|mu(?:blas|fft|rand|sparse|solver|dnn|pti|C[a-z])"
    r"|MU_|MU(?:BLAS|FFT|RAND|SPARSE|SOLVER)|mccl|mtrtc|__mt_|mtmusa|mu[A-Z]\w+|MU[a-z]\w+"
)
# What hardly anybody else declares: libraries have a MUSAStream, projects a MUSA_CHECK.
_MUSA_ALONE = re.compile(r"(?:__)?musa[A-Z]|mu(?:blas|fft|rand|sparse|solver)[A-Z]|mccl[A-Z]")


# Where the port ends a MUSA build on purpose: `#error`, or a static assertion about PTX.
_STOP = re.compile(
    r"^\"?sigtrans (SIG\d{3}): (.+?)\"?$|^static assertion failed.*?(SIG\d{3}): (.+)$"
)
# Clang says this of what a constant is made of when that has an error of its own.
_NOT_CONSTANT = re.compile(r"is not an integral constant expression|is not a constant expression")
_QUOTED = re.compile(r"'([^']+)'")


def find_opened(plan: Plan, table: NameTable) -> Opened:
    """What the port itself said is left to do: names that one of its errors is about."""
    opened: dict[str, dict[str, str]] = {}
    for file in plan.files:
        for diagnostic in file.diagnostics:
            if diagnostic.severity is Severity.ERROR:
                names = opened.setdefault(file.port_path, {})
                for name in _QUOTED.findall(diagnostic.message):
                    target = table.targets.get(name.encode("utf-8", "surrogateescape"))
                    names.setdefault(name, diagnostic.code)
                    names.setdefault(target.decode() if target else name, diagnostic.code)
    return opened


def is_missing(fault: Fault) -> bool:
    return _MISSING.search(fault.text) is not None


class Judge:
    """Which errors of a compiler become findings, and under which code.

    With real headers every error in the tree is one. With our own declarations, a unit whose
    includes were all found is held to the same standard. Where one was not found, what is left is
    what does not depend on it: a name that only a header of MUSA or CUDA can declare, and a call of
    a function that the tables declare.
    """

    def __init__(
        self,
        root: str,
        table: NameTable,
        declared: frozenset[str],
        exact: bool,
        sources: Sources,
        opened: Opened,
    ) -> None:
        self.root = root
        self.opened = opened
        self.table = table
        self.declared = declared
        self.exact = exact
        self.sources = sources
        self.added = frozenset(table.extra_words)  # the user's own rows: their targets are theirs
        self.bytes: dict[str, tuple[bytes, list[int]]] = {}
        self.closure: set[str] = set()  # of the unit at hand
        guards = {g for g, target in table.guards.items() if target is None}
        guards -= surface.find_assumed()
        self.tests = re.compile(
            rb"^[ \t]*#[ \t]*if.*?\b(" + b"|".join(sorted(guards)) + rb")\b", re.M
        )

    def find(self, unit: Unit, reading: Reading) -> Iterator[tuple[str, Diagnostic]]:
        """The findings of one unit, each with the file it is in."""
        if reading.why:
            yield self.sources.name(unit.path), _made(
                Span(0, 0), "SIG817", Severity.WARNING, f"not checked: {reading.why}",
                "compile it with mcc -fsyntax-only where the SDK is",
            )  # fmt: skip
            return
        self.closure = self.sources.closures[self.sources.name(unit.path)]
        placed = [(self.sources.name(fault.path), fault) for fault in reading.faults]
        placed = [(path, fault) for path, fault in placed if path in self.sources.known]
        missing = [m[1] for f in reading.faults if (m := _MISSING.search(f.text))]
        own = {name for name in missing if _MUSA_NAME.match(posixpath.basename(name))}
        self.stopped = {
            w for path, f in placed if _STOP.match(f.text) for w in self._block(path, f)
        }
        unfinished = {path for path, fault in placed if _UNDECLARED.search(fault.text)}
        for path, fault in placed:
            if path in unfinished and _NOT_CONSTANT.search(fault.text):
                continue
            span = self._span(path, fault)
            name, diagnostic = self._judge(fault, span, bool(missing), bool(own))
            if diagnostic is not None:
                yield path, self._carried(diagnostic, path, name)

    def _span(self, path: str, fault: Fault) -> Span:
        """The word (or the include) that the compiler points at."""
        data, starts = self._text(path)
        line = min(max(fault.line, 1), len(starts))
        start = min(starts[line - 1] + max(fault.column, 1) - 1, len(data))
        word = re.compile(rb'[<"][^>"\n]*[>"]|\w+').match(data, start)
        return Span(start, word.end() if word else min(start + 1, len(data)))

    def _block(self, path: str, fault: Fault) -> set[str]:
        """The words of a condition in which the port stops the build: no branch is chosen yet."""
        data, starts = self._text(path)
        start = starts[min(fault.line, len(starts)) - 1]
        return set(
            re.findall(r"[A-Za-z_]\w*", data[start : _end_of_block(data, start)].decode("latin-1"))
        )

    def _carried(self, made: Diagnostic, path: str, name: str) -> Diagnostic:
        """The finding; as an open item where the port has an error about the same name there."""
        code = self.opened.get(path, {}).get(name)
        if code is None or made.severity is not Severity.ERROR:
            return made
        return _open(made.span, f"{code}: {made.message}")

    def _text(self, path: str) -> tuple[bytes, list[int]]:
        if path not in self.bytes:
            data = read_file(self.root, path)
            self.bytes[path] = (data, line_starts(data))
        return self.bytes[path]

    def _hidden(self, name: str) -> tuple[str, str]:
        """Where an included file has the name behind a test of a macro that only CUDA defines."""
        word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
        for path in sorted(self.closure):
            data, _ = self._text(path)
            for test in self.tests.finditer(data):
                if word.search(data, test.end(), _end_of_block(data, test.end())):
                    return path, test[1].decode()
        return "", ""

    def _behind(self, name: str, text: str, span: Span) -> Diagnostic | None:
        """The finding about a name that such a test hides."""
        path, macro = self._hidden(name)
        if not path:
            return None
        text += f": {path} has it behind a test of {macro}, which MUSA does not define"
        made = _made(span, "SIG816", Severity.ERROR, text, "change that test, see SIG403")
        return self._carried(made, path, macro)

    def _judge(
        self, fault: Fault, span: Span, holes: bool, own: bool
    ) -> tuple[str, Diagnostic | None]:
        """The name that an error is about, and the finding."""
        if match := _STOP.match(fault.text):
            return "", _open(span, f"{match[1] or match[3]}: {match[2] or match[4]}")
        if match := _MISSING.search(fault.text):
            return match[1], self._missing(match[1], span)
        if match := _UNDECLARED.search(fault.text):
            name = match[1].rpartition("::")[2]
            return name, self._undeclared(name, fault, span, holes, own)
        if not self.exact and _NESTED.search("\n".join((fault.text, *fault.notes))):
            return "", None
        callee, made = self._call(fault, span)
        ours = callee in self.declared
        if callee in self.stopped and not ours:
            return callee, None
        if made is not None and callee and not ours and not holes:
            made = self._behind(callee, f"no form of '{callee}' fits", span) or made
        if holes and not self.exact and (made is None or not ours):
            return callee, None
        return callee, made or _made(
            span,
            "SIG816",
            Severity.ERROR,
            fault.text,
            "mcc is a clang and says the same: change it",
        )

    def _missing(self, name: str, span: Span) -> Diagnostic:
        raw = name.encode("utf-8", "surrogateescape")
        row = self.table.header_row(raw)
        target = self.table.find_header(raw)
        if row and target is None:
            return _made(
                span, "SIG814", Severity.ERROR, f"<{name}> is a header of CUDA without a MUSA one",
                "what needs it has to be rewritten: see the port's own report",
            )  # fmt: skip
        if row and target != raw and target:
            return _made(
                span, "SIG814", Severity.ERROR, f"<{name}> is a header of CUDA",
                f"include <{target.decode()}>",
            )  # fmt: skip
        stem, suffix = posixpath.splitext(name)
        moved = {".cu": ".mu", ".cuh": ".muh"}.get(suffix)
        if moved and self.sources.by_name.get(posixpath.basename(stem) + moved):
            other = posixpath.basename(stem) + moved
            text = f"{name} is called {other} in this tree"
            return _made(span, "SIG813", Severity.ERROR, text, "change the include")
        return _made(
            span, "SIG815", Severity.NOTE,
            f"include not found: {name}; what depends on it was not checked",
            "name its folder with -I, or give the build's compile_commands.json with -p",
        )  # fmt: skip

    def _undeclared(
        self, name: str, fault: Fault, span: Span, holes: bool, own: bool
    ) -> Diagnostic | None:
        raw = name.encode()
        table = self.table
        if name in self.declared and not self.exact:
            # A header of somebody else's may well include MUSA's.
            return None if holes else _made(
                span, "SIG813", Severity.ERROR, f"'{name}' is used without its header",
                "include the MUSA header that declares it",
            )  # fmt: skip
        if raw in table.targets or raw in table.absent or raw in table.guards:
            return _made(
                span, "SIG814", Severity.ERROR, f"'{name}' is a name of CUDA",
                f"see sigtrans explain {name}",
            )  # fmt: skip
        if _MUSA_NAME.match(name):
            mine = any(table.targets.get(word) == raw for word in self.added)
            if mine or (own and not self.exact):
                return None
            if holes and not self.exact and not _MUSA_ALONE.match(name):
                return None
            text = f"'{name}' is declared by no MUSA header known here"
            help = "check its spelling, and whether the SDK at hand has it"
            unsure = holes and not self.exact
            return _made(span, "SIG810", Severity.WARNING if unsure else Severity.ERROR, text, help)
        if holes and not self.exact:
            return None
        if name in self.stopped:
            return None
        if made := self._behind(name, f"'{name}' is not declared", span):
            return made
        return _made(
            span, "SIG816", Severity.ERROR, fault.text, "declare it, or include what declares it"
        )

    def _call(self, fault: Fault, span: Span) -> tuple[str, Diagnostic | None]:
        """A call whose arguments do not fit."""
        notes = "\n".join(fault.notes)
        if match := _NO_MATCH.search(fault.text):
            callee = match[1]
            counts = _NOTE_COUNT.findall(notes)
            types = _NOTE_TYPE.search(notes)
            if types and not (counts and len(counts) == len(fault.notes) - 1 > 1):
                text = (
                    f"'{callee}': the {types[3]} argument is {types[1]}, and {types[2]} is wanted"
                )
                return callee, _made(span, "SIG812", Severity.ERROR, text, "give what it takes")
            if counts:
                wanted, given = counts[0]
                text = f"'{callee}' takes {_wanted(wanted)}, and {given} {_are(given)} given"
                return callee, _made(span, "SIG811", Severity.ERROR, text, "give what it takes")
            return callee, None
        declared = _DECLARED_HERE.search(notes)
        callee = declared[1] if declared else ""
        if match := _COUNT.search(fault.text):
            who = f"'{callee}'" if callee else "this call"
            text = f"{who} takes {_wanted(match[1])}, and {match[2]} {_are(match[2])} given"
            return callee, _made(span, "SIG811", Severity.ERROR, text, "give what it takes")
        if match := _PARAMETER.search(fault.text):
            text = f"a parameter of type {match[1]} is given a value of type {match[3]}"
            return callee, _made(span, "SIG812", Severity.ERROR, text, "give what it takes")
        return callee, None


_BLOCK = re.compile(rb"^[ \t]*#[ \t]*(if|endif)", re.MULTILINE)


def _end_of_block(data: bytes, start: int) -> int:
    """Where the #endif of the condition stands that begins before `start`."""
    depth = 1
    for directive in _BLOCK.finditer(data, start):
        depth += 1 if directive[1] == b"if" else -1
        if depth == 0:
            return directive.start()
    return len(data)


def _wanted(text: str) -> str:
    text = text.removeprefix("single argument ").removeprefix("expected ")
    return f"{text} argument{'' if text.split()[-1] == '1' else 's'}"


def _are(number: str) -> str:
    return "is" if number == "1" else "are"


def _open(span: Span, what: str) -> Diagnostic:
    return _made(
        span, "SIG818", Severity.WARNING, f"open item of the port, {what}",
        "the port's own report says what to do",
    )  # fmt: skip


def _made(span: Span, code: str, severity: Severity, message: str, help: str) -> Diagnostic:
    return Diagnostic(span, code, severity, message, help, f"{RULE}/{code[3:]}")
