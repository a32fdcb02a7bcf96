"""The semantic check of a ported tree: which files are translation units, what the compiler says
about each, and which of that this tool stands behind.

Without an SDK the declarations are our own (`surface`), and a header of somebody else's may be
missing. An error that may follow from such a hole is no finding: see `Judge`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sigtrans import store, surface
from sigtrans.discover import CompileCommand, Found, Options, find_files, load_compile_commands
from sigtrans.judge import Judge, find_opened, is_missing
from sigtrans.plan import FileResult, Plan, Progress, Status
from sigtrans.port import load_state
from sigtrans.sdk import Mcc, find_sdk
from sigtrans.semantics import Libclang, Reading, Toolchain, Unit, load, read_guarded
from sigtrans.source import Diagnostic, Severity, SigtransError, SourceFile
from sigtrans.units import Sources, read_file

if TYPE_CHECKING:
    from concurrent.futures import Future

    from sigtrans.config import Config
    from sigtrans.names import NameTable


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
    state = load_state(tree)
    sources = Sources(root, found, ported)
    sdk = find_sdk(request.sdk_path)
    mcc = sdk is not None and sdk.mcc is not None
    headers = {} if mcc else surface.make_headers(table)
    units = sources.find_units(
        request.includes,
        request.defines,
        request.standard,
        _read_commands(tree, request, state),
        frozenset(headers),
    )
    if mcc:
        assert sdk is not None
        readings = _read_all(Mcc(sdk, request.targets), units, request.jobs, progress)
    else:
        load()
        with store.scratch_folder(_laid_out(headers)) as folder:
            arch = int(request.targets[-1].rpartition("_")[2]) * 10
            readings = _read_all(Libclang(str(folder), arch), units, request.jobs, progress)
            readings = [_without_folder(r, str(folder)) for r in readings]
    opened = find_opened(state[0], table) if state else {}
    declared = surface.find_declared(surface.load_rows())
    judge = Judge(root, table, declared, mcc, sources, opened)
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
        sum(any(is_missing(f) for f in r.faults) for r in readings),
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
        placed = _folded(SourceFile(found.path, read_file(root, found.path)).place(kept))
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


def _read_commands(
    tree: Path, request: Request, state: tuple[Plan, Path] | None
) -> dict[str, CompileCommand]:
    """How the build compiles the files of the port; a database of its source serves as well."""
    if request.compile_commands is None:
        return {}
    commands = dict(load_compile_commands(request.compile_commands, tree).files)
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


def _files_with(checked: Checked, fits: Callable[[Diagnostic], bool]) -> set[str]:
    return {file.path for file in checked.plan.files if any(map(fits, file.diagnostics))}


def render_end(checked: Checked) -> list[str]:
    """The last lines of what a person reads."""
    files = checked.plan.files
    errors = _files_with(checked, lambda d: d.severity is Severity.ERROR)
    opened = _files_with(checked, lambda d: d.code == "SIG818") - errors
    clean = len(files) - len(errors)
    share = f" ({100 * clean / len(files):.1f} %)" if files else ""
    how = (
        "mcc and the headers of the SDK"
        if checked.toolchain == "mcc"
        else "libclang and sigtrans' own declarations of MUSA"
    )
    lines = [
        f"Checked    {checked.units:,} translation units with {how}",
        f"Files      {len(files):,}: {clean:,} without an error{share}, {len(errors):,} with one",
    ]
    if opened:
        lines.append(f"Open       {len(opened):,} of those without hold open items of the port")
    if checked.partly:
        lines.append(f"In part    {checked.partly:,} units include something that was not found")
    if checked.unread:
        lines.append(f"Not read   {checked.unread:,} units")
    if checked.alone:
        lines.append(f"Not seen   {checked.alone:,} files that no unit includes")
    return lines
