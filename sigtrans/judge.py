"""Which errors of a compiler become findings, and under which code."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sigtrans import surface
from sigtrans.semantics import Fault, Reading, Unit
from sigtrans.source import Diagnostic, Severity, Span, line_starts
from sigtrans.units import Sources, read_file

if TYPE_CHECKING:
    from sigtrans.names import NameTable

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
        self, root: str, table: NameTable, declared: frozenset[str], exact: bool, sources: Sources
    ) -> None:
        self.root = root
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
        missing = [m[1] for f in reading.faults if (m := _MISSING.search(f.text))]
        own = {name for name in missing if _MUSA_NAME.match(posixpath.basename(name))}
        for fault in reading.faults:
            path = self.sources.name(fault.path)
            if path not in self.sources.known:
                continue
            span = self._span(path, fault)
            diagnostic = self._judge(fault, span, bool(missing), bool(own), path)
            if diagnostic is not None:
                yield path, diagnostic

    def _span(self, path: str, fault: Fault) -> Span:
        """The word (or the include) that the compiler points at."""
        data, starts = self._text(path)
        line = min(max(fault.line, 1), len(starts))
        start = min(starts[line - 1] + max(fault.column, 1) - 1, len(data))
        word = re.compile(rb'[<"][^>"\n]*[>"]|\w+').match(data, start)
        return Span(start, word.end() if word else min(start + 1, len(data)))

    def _text(self, path: str) -> tuple[bytes, list[int]]:
        if path not in self.bytes:
            data = read_file(self.root, path)
            self.bytes[path] = (data, line_starts(data))
        return self.bytes[path]

    def _hidden(self, name: str) -> str:
        """Where an included file has the name behind a test of a macro that only CUDA defines."""
        word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
        for path in sorted(self.closure):
            data, _ = self._text(path)
            for test in self.tests.finditer(data):
                if word.search(data, test.end(), _end_of_block(data, test.end())):
                    return f"{path} has it behind a test of {test[1].decode()}"
        return ""

    def _judge(
        self, fault: Fault, span: Span, holes: bool, own: bool, path: str
    ) -> Diagnostic | None:
        if match := _MISSING.search(fault.text):
            return self._missing(match[1], span, path)
        if match := _UNDECLARED.search(fault.text):
            return self._undeclared(match[1].rpartition("::")[2], fault, span, holes, own)
        if not self.exact and _NESTED.search("\n".join((fault.text, *fault.notes))):
            return None
        callee, made = self._call(fault, span)
        if made is not None and (not holes or self.exact or callee in self.declared):
            return made
        if holes and not self.exact:
            return None
        return _made(
            span,
            "SIG816",
            Severity.ERROR,
            fault.text,
            "mcc is a clang and says the same: change it",
        )

    def _missing(self, name: str, span: Span, path: str) -> Diagnostic:
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
        why = self._hidden(name)
        if why:
            text = f"'{name}' is not declared: {why}, which MUSA does not define"
            return _made(span, "SIG816", Severity.ERROR, text, "change that test, see SIG403")
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


def _made(span: Span, code: str, severity: Severity, message: str, help: str) -> Diagnostic:
    return Diagnostic(span, code, severity, message, help, f"{RULE}/{code[3:]}")
