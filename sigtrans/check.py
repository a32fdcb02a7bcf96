"""The semantic check of a ported tree: which files are translation units, what the compiler says
about each, and which of that this tool stands behind.

Without an SDK the declarations are our own (`surface`), and a header of somebody else's may be
missing. An error that may follow from such a hole is no finding: see `_Judge`.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sigtrans import store, surface
from sigtrans.discover import CompileCommand, Found, Options, find_files, load_compile_commands
from sigtrans.plan import FileResult, Plan, Progress, Status
from sigtrans.port import load_state
from sigtrans.sdk import Mcc, find_sdk
from sigtrans.semantics import Fault, Libclang, Reading, Toolchain, Unit, load, read_guarded
from sigtrans.source import Diagnostic, Severity, SigtransError, SourceFile, Span, line_starts

if TYPE_CHECKING:
    from concurrent.futures import Future

    from sigtrans.config import Config
    from sigtrans.names import NameTable

RULE = "check"
_DEVICE = (".mu", ".cu")
_HOST = (".cpp", ".cc", ".cxx", ".c++", ".cp", ".C")
_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".muh", ".cuh", ".inl", ".inc", ".ipp", ".tpp", ".icc")
_SHARED = frozenset(("common", "include", "includes", "inc", "util", "utils", "shared", "lib"))
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
_MUSA_TEXT = re.compile(rb"\bmusa[A-Z_]|\bMUSA|\bmu(?:blas|fft|rand|sparse|solver|dnn)|\bmccl")


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked of a check, beside the tree."""

    includes: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    standard: str = ""
    compile_commands: Path | None = None
    sdk_path: Path | None = None
    targets: tuple[str, ...] = ("mp_31",)
    jobs: int = 0
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings as a plan, for the report writers, and how much they rest on."""

    plan: Plan
    toolchain: str
    units: int
    partly: int  # units with an include that was not found
    unread: int  # units that could not be read at all
    alone: int  # files about MUSA that no unit includes


def check_tree(
    tree: Path,
    table: NameTable,
    config: Config,
    request: Request,
    progress: Progress | None = None,
) -> Checked:
    """Check every translation unit of a ported tree; nothing in it is written."""
    if not tree.is_dir():
        raise SigtransError(f"{tree}: not a folder; name the folder of a port")
    root = os.path.realpath(tree)
    ported = frozenset(
        f.path
        for f in find_files(tree, request.options)
        if not f.skip or f.skip.startswith("already MUSA")
    )
    # What was only copied is no unit of the check, but a unit may include it.
    everything = replace(request.options, port_vendored=True, respect_gitignore=False)
    found = [f for f in find_files(tree, everything) if f.kind not in ("folder", "link")]
    sources = _Sources(root, found, ported)
    sdk = find_sdk(request.sdk_path)
    mcc = sdk is not None and sdk.mcc is not None
    headers = {} if mcc else surface.make_headers(table)
    units = sources.find_units(request, _read_commands(tree, request), frozenset(headers))
    if mcc:
        assert sdk is not None
        readings = _read_all(Mcc(sdk, request.targets), units, request.jobs, progress)
    else:
        load()
        with store.scratch_folder(_laid_out(headers)) as folder:
            arch = int(request.targets[-1].rpartition("_")[2]) * 10
            readings = _read_all(Libclang(str(folder), arch), units, request.jobs, progress)
            readings = [_without_folder(r, str(folder)) for r in readings]
    judge = _Judge(root, table, surface.find_declared(surface.load_rows()), mcc, sources)
    diagnostics: dict[str, set[Diagnostic]] = {}
    for unit, reading in zip(units, readings, strict=True):
        for path, diagnostic in judge.find(unit, reading):
            diagnostics.setdefault(path, set()).add(diagnostic)
    reached = sources.find_reached(units)
    checked = {os.path.relpath(u.path, root).replace(os.sep, "/") for u in units}
    results = []
    for each in found:
        if each.path in checked or each.path in diagnostics:
            results.append(_result(root, each, diagnostics.get(each.path, set()), config))
    plan = Plan(str(tree), request.targets, "", tuple(results))
    return Checked(
        plan,
        "mcc" if mcc else "libclang",
        len(units),
        sum(any(_is_missing(f) for f in r.faults) for r in readings),
        sum(bool(r.why) for r in readings),
        len((sources.musa & ported) - reached),
    )


def _laid_out(headers: Mapping[str, bytes]) -> dict[str, bytes]:
    """The headers as clang looks for them: those of a compiler in its resource folder."""
    prefix = "builtin/"
    return {
        f"resource/include/{name[len(prefix) :]}" if name.startswith(prefix) else name: text
        for name, text in headers.items()
    }


def _without_folder(reading: Reading, folder: str) -> Reading:
    """Errors inside our own headers follow from something else, or are our own fault."""
    return replace(
        reading, faults=tuple(f for f in reading.faults if not f.path.startswith(folder))
    )


def _result(
    root: str, found: Found, diagnostics: Iterable[Diagnostic], config: Config
) -> FileResult:
    kept = []
    silenced = 0
    for each in diagnostics:
        severity = config.severity_of(each.code, found.path, each.severity)
        if severity is None:
            silenced += 1
        else:
            kept.append(replace(each, severity=severity))
    placed: tuple[Diagnostic, ...] = ()
    if kept:
        placed = _folded(SourceFile(found.path, _read(root, found.path)).place(kept))
    kind = "musa" if found.path.endswith((".mu", ".muh")) else "c++"
    return FileResult(
        found.path, found.path, kind, Status.UNCHANGED, size=found.size,
        diagnostics=placed, silenced=silenced,
    )  # fmt: skip


def _folded(placed: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What is said about many places of a file in the same words is said at the first of them."""
    groups: dict[tuple[str, str], list[Diagnostic]] = {}
    for each in placed:
        groups.setdefault((each.code, each.message), []).append(each)
    return tuple(
        same[0]
        if len(same) == 1
        else replace(same[0], message=f"{same[0].message} (and {len(same) - 1} more here)")
        for same in groups.values()
    )


def _read(root: str, path: str) -> bytes:
    try:
        return Path(root, path).read_bytes()
    except OSError:
        return b""


# --- translation units ----------------------------------------------------------------------------


def _read_commands(tree: Path, request: Request) -> dict[str, CompileCommand]:
    """How the build compiles the files of the port; a database of its source serves as well."""
    if request.compile_commands is None:
        return {}
    commands = dict(load_compile_commands(request.compile_commands, tree).files)
    state = load_state(tree)
    if state is None:
        return commands
    plan, source = state
    before, after = os.path.realpath(source), os.path.realpath(tree)
    moved = {f.path: f.port_path for f in plan.files if f.port_path}
    for path, command in load_compile_commands(request.compile_commands, source).files.items():
        includes = tuple(
            after + folder[len(before) :] if folder.startswith(before) else folder
            for folder in command.includes
        )
        if path in moved and moved[path] not in commands:
            commands[moved[path]] = replace(command, includes=includes)
    return commands


class _Sources:
    """The C-family files of the tree and what they include."""

    def __init__(self, root: str, found: Iterable[Found], ported: frozenset[str]) -> None:
        self.root = root
        self.paths: list[str] = []
        self.ported: set[str] = set()
        self.by_name: dict[str, list[str]] = {}
        self.includes: dict[str, tuple[tuple[bool, str], ...]] = {}
        self.musa: set[str] = set()
        self.device: set[str] = set()  # files with text for the device alone
        for each in found:
            suffix = posixpath.splitext(each.path)[1]
            if suffix not in (*_DEVICE, *_HOST, *_HEADERS, ".c") or each.failed:
                continue
            data = _read(root, each.path)
            self.paths.append(each.path)
            if each.path in ported:
                self.ported.add(each.path)
            self.by_name.setdefault(posixpath.basename(each.path), []).append(each.path)
            self.includes[each.path] = tuple(
                (m[1] == b'"', m[2].decode("utf-8", "surrogateescape").strip())
                for m in _INCLUDE.finditer(data)
            )
            if b"__MUSA_ARCH__" in data:
                self.device.add(each.path)
            if _MUSA_TEXT.search(data) or suffix in _DEVICE:
                self.musa.add(each.path)
        self.known = frozenset(self.paths)
        self.programs = {
            posixpath.dirname(p)
            for p in self.paths
            if posixpath.splitext(p)[1] in (*_DEVICE, *_HOST, ".c")
        }
        self.closures: dict[str, set[str]] = {}  # unit -> itself and what it includes

    def find_reached(self, units: Iterable[Unit]) -> set[str]:
        """Every file that some unit reads."""
        return {path for unit in units for path in self.closures[self.name(unit.path)]}

    def name(self, path: str) -> str:
        """A path of the file system as the tree's own."""
        real = posixpath.normpath(path)
        return real[len(self.root) + 1 :] if real.startswith(self.root + "/") else real

    def find_units(
        self, request: Request, commands: Mapping[str, CompileCommand], stubs: frozenset[str]
    ) -> list[Unit]:
        """Files that a build compiles by themselves and that have to do with MUSA."""
        own = tuple(str(Path(os.path.abspath(p))) for p in request.includes)  # noqa: PTH100
        units: list[Unit] = []
        included: set[str] = set()
        for path in self.paths:
            suffix = posixpath.splitext(path)[1]
            if suffix in _HEADERS or path not in self.ported:
                continue
            command = commands.get(path)
            folders = (*own, *(command.includes if command else ()))
            closure, guessed = self._follow(path, folders, stubs)
            self.closures[path] = closure
            included |= closure - {path}
            language = "musa" if suffix in _DEVICE else "c" if suffix == ".c" else "c++"
            if command is not None and command.language in ("cuda", "musa"):
                language = "musa"
            defines = (*request.defines, *(command.defines if command else ()))
            units.append(
                Unit(f"{self.root}/{path}", language, folders, guessed, defines, request.standard)
            )
        kept = []
        for unit in units:
            path = self.name(unit.path)
            alone = path in commands or path not in included
            if alone and not self.closures[path].isdisjoint(self.musa):
                device = not self.closures[path].isdisjoint(self.device)
                kept.append(replace(unit, device=device))
        return kept

    def _follow(
        self, path: str, folders: Sequence[str], stubs: frozenset[str]
    ) -> tuple[set[str], tuple[str, ...]]:
        """What a file includes, however deep, and the folders that no option names for it."""
        closure = {path}
        guessed: dict[str, None] = {}
        inside = [
            os.path.relpath(f, self.root).replace(os.sep, "/")
            for f in folders
            if f.startswith(self.root)
        ]
        left = [path]
        while left:
            here = left.pop()
            for quoted, name in self.includes[here]:
                target, folder = self._resolve(here, quoted, name, (*inside, *guessed), stubs)
                if folder:
                    guessed[folder] = None
                if target and target not in closure:
                    closure.add(target)
                    left.append(target)
        return closure, tuple(posixpath.normpath(f"{self.root}/{f}") for f in guessed)

    def _resolve(
        self, here: str, quoted: bool, name: str, folders: Sequence[str], stubs: frozenset[str]
    ) -> tuple[str, str]:
        """The file of the tree, and the folder to add when nothing led to it."""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(here), name))
        if quoted and beside in self.known:
            return beside, ""
        for folder in folders:
            path = posixpath.normpath(posixpath.join(folder, name))
            if path in self.known:
                return path, ""
        if name in stubs or _is_of_the_host(name):
            return "", ""
        wanted = [
            p
            for p in self.by_name.get(posixpath.basename(name), ())
            if p == name or p.endswith("/" + name)
        ]
        if not wanted or name.startswith(("/", "../")):
            return "", ""
        best = max(wanted, key=lambda p: (self._is_shared(p, here), _shared(p, here), -len(p), p))
        return best, best[: -len(name)].rstrip("/") or "."

    def _is_shared(self, header: str, here: str) -> bool:
        """Whether a header lies above the file, or in a folder without programs of its own."""
        folder = posixpath.dirname(header)
        above = f"{here}/".startswith(f"{folder}/" * bool(folder))
        named = posixpath.basename(folder).lower() in _SHARED
        return above or named or folder not in self.programs


def _shared(one: str, two: str) -> int:
    """How many folders two paths begin with together."""
    return len(
        posixpath.commonpath([posixpath.dirname(one) or ".", posixpath.dirname(two) or "."]).split(
            "/"
        )
    )


@cache
def _host_folders() -> tuple[str, ...]:
    patterns = (
        "include",
        "local/include",
        "include/c++/*",
        "include/*-linux-gnu",
    )
    return tuple(str(f) for pattern in patterns for f in sorted(Path("/usr").glob(pattern)))


@cache
def _is_of_the_host(name: str) -> bool:
    return any(Path(folder, name).is_file() for folder in _host_folders())


# --- running --------------------------------------------------------------------------------------


def _read_all(
    toolchain: Toolchain, units: Sequence[Unit], jobs: int, progress: Progress | None
) -> list[Reading]:
    """Every unit in a worker process; one that ends its process is tried again alone."""
    from concurrent.futures.process import BrokenProcessPool

    readings: dict[int, Reading] = {}
    workers = min(jobs or os.cpu_count() or 1, len(units)) or 1
    try:
        for number, reading in _in_processes(toolchain, dict(enumerate(units)), workers):
            readings[number] = reading
            if progress is not None:
                progress("checking", len(readings), len(units))
    except BrokenProcessPool:
        for number, unit in enumerate(units):
            if number in readings:
                continue
            try:
                for _, reading in _in_processes(toolchain, {number: unit}, 1):
                    readings[number] = reading
            except BrokenProcessPool:
                readings[number] = Reading(why="the compiler took too long on it, or ended itself")
    return [readings[number] for number in range(len(units))]


def _in_processes(
    toolchain: Toolchain, units: Mapping[int, Unit], workers: int
) -> Iterator[tuple[int, Reading]]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed

    fork = "fork" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if fork else "spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        futures: dict[Future[Reading], int] = {
            pool.submit(read_guarded, toolchain, unit): number for number, unit in units.items()
        }
        for future in as_completed(futures):
            yield futures[future], future.result()


# --- judging --------------------------------------------------------------------------------------

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


def render_end(checked: Checked) -> list[str]:
    """The last lines of what a person reads."""
    files = checked.plan.files
    errors = sum(any(d.severity is Severity.ERROR for d in f.diagnostics) for f in files)
    clean = len(files) - errors
    share = f" ({100 * clean / len(files):.1f} %)" if files else ""
    how = (
        "mcc and the headers of the SDK"
        if checked.toolchain == "mcc"
        else "libclang and sigtrans' own declarations of MUSA"
    )
    lines = [
        f"Checked    {checked.units:,} translation units with {how}",
        f"Files      {len(files):,}: {clean:,} without an error{share}, {errors:,} with one",
    ]
    if checked.partly:
        lines.append(f"In part    {checked.partly:,} units include something that was not found")
    if checked.unread:
        lines.append(f"Not read   {checked.unread:,} units")
    if checked.alone:
        lines.append(f"Not seen   {checked.alone:,} files that no unit includes")
    return lines


def _is_missing(fault: Fault) -> bool:
    return _MISSING.search(fault.text) is not None


class _Judge:
    """Which errors of a compiler become findings, and under which code.

    With real headers every error in the tree is one. With our own declarations, a unit whose
    includes were all found is held to the same standard. Where one was not found, what is left is
    what does not depend on it: a name that only a header of MUSA or CUDA can declare, and a call of
    a function that the tables declare.
    """

    def __init__(
        self, root: str, table: NameTable, declared: frozenset[str], exact: bool, sources: _Sources
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
            data = _read(self.root, path)
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
