"""`sigtrans run`: from its arguments to a program that runs, and what was found."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from sigtrans.simt import options as nvcc
from sigtrans.simt.build import Program, build, find_sources
from sigtrans.simt.execute import play_matrix, render_findings, run_program, worst
from sigtrans.simt.matrix import Matrix
from sigtrans.simt.toolchain import BuildError
from sigtrans.source import Diagnostic, Severity, SigtransError, SourceFile
from sigtrans.store import write_file

DONE, ATTENTION, FAILED = 0, 1, 2


def run_command(options: argparse.Namespace, rest: tuple[list[str], list[str]]) -> int:
    """Exit code: the program's own; with --matrix 1 if something was found."""
    unknown, arguments = rest
    compile_, left, _ = nvcc.split(unknown)
    paths = [Path(word) for word in (*options.what, *(w for w in left if not w.startswith("-")))]
    strange = [w for w in left if w.startswith("-")]
    if strange:
        raise SigtransError(
            f"{' '.join(strange)}: not an option of sigtrans run, nor one of nvcc's"
        )
    if not paths:
        raise SigtransError("run: name a source file or a folder")
    sources = find_sources(paths)
    musa = options.musa or any(path.suffix == ".mu" for path in sources)
    program = Program(sources, compile_, musa, options.sdk, options.compiler)
    switches = _switches(options)
    say = _quiet if options.quiet else _say
    try:
        if options.matrix:
            return _matrix(program, arguments, switches, options, say)
        built = build(program, "checked" if options.check else "plain", say)
    except BuildError as fault:
        _tell(fault.diagnostics, options)
        raise
    _tell(built.diagnostics, options)
    if options.output:
        write_file(options.output, built.executable.read_bytes(), 0o755)
    if options.build_only:
        if not options.output and not options.quiet:
            print(built.executable)
        return DONE
    ended = run_program(built, arguments, switches, options.time_limit)
    if not options.quiet:
        sys.stdout.flush()
        sys.stderr.write(render_findings(((f, ()) for f in ended.findings), Path.cwd()))
    if ended.code is None:
        raise SigtransError(f"{built.executable.name}: did not end within {options.time_limit} s")
    return 128 - ended.code if ended.code < 0 else ended.code  # a signal, as a shell says it


def _switches(options: argparse.Namespace) -> dict[str, str]:
    switches = {}
    if options.warp == "host128":
        switches["SIMT_HOST_WARP"] = "128"
    elif options.warp:
        switches["SIMT_WARP"] = options.warp
    if options.order:
        switches |= {"SIMT_ORDER": options.order, "SIMT_WAKE": options.order}
    if options.streams:
        switches["SIMT_STREAMS"] = options.streams
    if options.device:
        switches["SIMT_TARGET"] = options.device
    return switches


def _matrix(
    program: Program,
    arguments: list[str],
    switches: dict[str, str],
    options: argparse.Namespace,
    say: Callable[[str], None],
) -> int:
    done = play_matrix(
        program, arguments, switches, options.time_limit or 60.0,
        say=say,
    )  # fmt: skip
    sys.stdout.write(_render(done))
    findings = [finding for finding, _ in done.findings]
    return ATTENTION if worst(findings) in (Severity.ERROR, Severity.WARNING) else DONE


def _render(done: Matrix) -> str:
    width = max(len(row.run.name) for row in done.rows)
    lines = []
    for row in done.rows:
        code = "out of time" if row.outcome.code is None else f"exit code {row.outcome.code}"
        same = "" if row is done.rows[0] else ", same result" if row.same else ", ANOTHER RESULT"
        count = len(row.outcome.findings)
        found = f", {count} finding{'s' if count > 1 else ''}" if count else ""
        lines.append(f"{row.run.name:<{width}}  {code}{same}{found}\n")
    text = render_findings(done.findings, Path.cwd())
    return "".join(lines) + ("\n" + text if text else "\nnothing found\n")


def _tell(diagnostics: Sequence[tuple[Path, Diagnostic]], options: argparse.Namespace) -> None:
    """What lowering had to say; notes would drown the program's own output."""
    for path, diagnostic in diagnostics:
        if options.quiet or diagnostic.severity is Severity.NOTE:
            continue
        placed = SourceFile(str(path), path.read_bytes()).place([diagnostic])[0]
        print(
            f"{path}:{placed.line}:{placed.column}: {placed.severity.value} {placed.code}: "
            f"{placed.message}",
            file=sys.stderr,
        )


def _say(text: str) -> None:
    print(f"sigtrans: {text}", file=sys.stderr)


def _quiet(_: str) -> None:
    pass
