"""Arguments in, calls, prints; no logic. argparse, since start-up counts on every run."""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from sigtrans import __version__
from sigtrans.source import SigtransError

if TYPE_CHECKING:
    from sigtrans.plan import Drafted, Plan, Progress, Settings
    from sigtrans.report import FindGrade, ReadSource

DONE, ATTENTION, FAILED = 0, 1, 2
REPORTS = (".json", ".sarif", ".html", ".htm", ".txt")
FORMATS = ("full", "concise", "json", "sarif", "github")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"sigtrans: {message}\nTry '{self.prog} --help'.", file=sys.stderr)
        raise SystemExit(FAILED)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 done, 1 done but something needs attention, 2 could not run."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that is not UTF-8 must not end the run
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    gc.set_threshold(200_000)  # a short run that makes many small values: collect seldom
    parser = _make_parser()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["run"]:  # nvcc's options are not ours to know, the program's even less
        end = words.index("--") if "--" in words else len(words)
        options, unknown = parser.parse_known_args(words[:end])
        options.rest = (unknown, words[end + 1 :])
    else:
        options = parser.parse_args(words)
    if options.command is None:
        parser.print_help()
        return DONE
    if options.verbose:
        import logging

        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="%(message)s")
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        code = run(options)
        sys.stdout.flush()
        return code
    except SigtransError as error:
        print(f"sigtrans: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("sigtrans: interrupted; nothing is half written", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _drop_output()  # `| head` closed it
        return DONE
    except OSError as error:
        print(f"sigtrans: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        _drop_output()
        return FAILED


def _drop_output() -> None:
    """What is left in the buffer cannot go out either: no traceback at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


# --- arguments --------------------------------------------------------------------------------


def _make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="sigtrans",
        description="Port CUDA source trees to MUSA, and say what could not be ported.",
        epilog="exit codes: 0 done · 1 done, something needs attention · 2 could not run",
    )
    parser.add_argument("--version", action="version", version=f"sigtrans {__version__}")
    parser.set_defaults(command=None, verbose=False)
    commands = parser.add_subparsers(dest="command", metavar="command", parser_class=_Parser)
    _add_port(commands)
    _add_scan(commands)
    _add_check(commands)
    _add_doctor(commands)
    _add_run(commands)
    _add_diff(commands)
    _add_undo(commands)
    _add_explain(commands)
    _add_rule(commands)
    return parser


Commands = argparse._SubParsersAction  # the type is not exported under another name


def _add(commands: Commands[_Parser], name: str, help: str, run: object) -> _Parser:
    parser = commands.add_parser(
        name,
        help=help,
        description=help[0].upper() + help[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def _add_port(commands: Commands[_Parser]) -> None:
    parser = _add(
        commands, "port", "port a tree or a file; the input is not touched unless --in-place", _port
    )
    parser.add_argument("source", type=Path, help="folder or file to port")
    where = parser.add_argument_group("where the port goes")
    where.add_argument(
        "-o", "--output", type=Path, metavar="DIR", help="folder of the port (default: SOURCE-musa)"
    )
    where.add_argument(
        "--only-changed", action="store_true", help="write only the files that change"
    )
    where.add_argument(
        "--in-place",
        action="store_true",
        help="change SOURCE itself, all files or none; 'sigtrans undo' takes it back",
    )
    where.add_argument("--dry-run", action="store_true", help="write nothing")
    where.add_argument("--diff", action="store_true", help="print the diffs; write nothing")
    where.add_argument(
        "--annotate", action="store_true", help="put the diagnostics beside the code as comments"
    )
    _add_tree_options(parser)
    _add_report_options(parser)


def _add_scan(commands: Commands[_Parser]) -> None:
    parser = _add(
        commands,
        "scan",
        "say what would change, what cannot, and how much work it is; writes nothing",
        _scan,
    )
    parser.add_argument("source", type=Path, help="folder or file to look at")
    _add_tree_options(parser)
    _add_report_options(parser)


def _add_check(commands: Commands[_Parser]) -> None:
    parser = _add(
        commands,
        "check",
        "let a compiler read a port: undeclared names, arguments that do not fit, includes",
        _check,
    )
    parser.add_argument("tree", type=Path, help="the folder of a port")
    how = parser.add_argument_group("how the files are compiled")
    how.add_argument("-I", action="append", type=Path, metavar="DIR", help="a folder of headers")
    how.add_argument("-D", action="append", metavar="NAME[=VALUE]", help="define a macro")
    how.add_argument("--std", metavar="STD", help="the C++ standard (default: what fits best)")
    how.add_argument(
        "-p",
        "--compile-commands",
        type=Path,
        metavar="FILE",
        help="compile_commands.json of the port, or of its source",
    )
    _add_sdk_path(how)
    how.add_argument("--target", action="append", metavar="MP", help="architecture for mcc (mp_31)")
    files = parser.add_argument_group("which files")
    files.add_argument("--exclude", action="append", metavar="PATTERN", help="do not check")
    run = parser.add_argument_group("the run")
    run.add_argument("--config", type=Path, metavar="FILE", help="a sigtrans.toml")
    run.add_argument(
        "--rules", action="append", type=Path, metavar="DIR", help="a folder with rules of your own"
    )
    run.add_argument("-j", "--jobs", type=int, metavar="N", help="processes (default: all CPUs)")
    run.add_argument("-q", "--quiet", action="store_true", help="no progress, no summary")
    run.add_argument("-v", "--verbose", action="store_true", help="show internal tracebacks")
    _add_report_options(parser)


def _add_doctor(commands: Commands[_Parser]) -> None:
    parser = _add(
        commands, "doctor", "say which of the known MUSA names an installed SDK has", _doctor
    )
    _add_sdk_path(parser)
    parser.add_argument("--output-format", choices=("full", "json"), default="full")
    parser.add_argument("-v", "--verbose", action="store_true", help="show internal tracebacks")


def _add_run(commands: Commands[_Parser]) -> None:
    parser = _add(
        commands, "run", "build a CUDA or MUSA program for the CPU and run it, with no card", _run
    )
    parser.usage = "sigtrans run [options] [nvcc's options] FILE|DIR ... [-- ARGUMENTS]"
    parser.add_argument("what", nargs="*", metavar="FILE|DIR", help="sources, or a folder of them")
    how = parser.add_argument_group("how the program is built")
    how.add_argument("--musa", action="store_true", help="MUSA sources (the default for .mu)")
    how.add_argument("--sdk", default="5.2", metavar="X.Y", help="the MUSA SDK its macros tell")
    how.add_argument("--compiler", default="", metavar="CXX", help="g++, clang++ or zig")
    how.add_argument("--build-only", action="store_true", help="do not run it")
    how.add_argument("-o", "--output", type=Path, metavar="FILE", help="keep the executable here")
    how.add_argument(
        "--check",
        action="store_true",
        help="look at each access: races, overruns, unwritten memory (slower)",
    )
    run = parser.add_argument_group("how it is run")
    run.add_argument("--matrix", action="store_true", help="run it in every way that may differ")
    run.add_argument("--warp", choices=("32", "128", "host128"), help="lanes of a warp")
    run.add_argument("--order", metavar="up|down|SEED", help="the order in which threads run")
    run.add_argument("--streams", metavar="up|down|SEED", help="work at once, late, interleaved")
    run.add_argument("--device", metavar="NAME", help="limits of the device: sm_80, mp_22 …")
    run.add_argument("--time-limit", type=float, metavar="S", help="seconds (matrix: for each run)")
    run.add_argument("-q", "--quiet", action="store_true", help="nothing but the program's output")
    run.add_argument("-v", "--verbose", action="store_true", help="show internal tracebacks")


def _add_sdk_path(parser: _Parser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--sdk-path",
        type=Path,
        metavar="DIR",
        help="the MUSA SDK (default: MUSA_PATH, MUSA_HOME, MUSA_INSTALL_PATH, /usr/local/musa)",
    )


def _add_tree_options(parser: _Parser) -> None:
    target = parser.add_argument_group("what to port to")
    target.add_argument(
        "--target",
        action="append",
        metavar="MP",
        help="MUSA architecture: mp_21, mp_22 or mp_31 (default); several with commas or repeated",
    )
    target.add_argument("--sdk", metavar="X.Y", help="MUSA SDK version, 3.1 to 5.2 (default 5.2)")
    target.add_argument(
        "--strict",
        action="store_true",
        default=None,
        help="refuse target names that only follow the naming rule",
    )
    target.add_argument(
        "--rules", action="append", type=Path, metavar="DIR", help="a folder with rules of your own"
    )
    target.add_argument(
        "--keep-extensions",
        action="store_true",
        default=None,
        help="leave .cu and .cuh as they are (default: .mu and .muh)",
    )
    files = parser.add_argument_group("which files")
    files.add_argument("--exclude", action="append", metavar="PATTERN", help="copy, do not port")
    files.add_argument(
        "--include", action="append", metavar="PATTERN", help="port even if ignored or vendored"
    )
    files.add_argument(
        "--port-vendored", action="store_true", default=None, help="port third_party folders too"
    )
    files.add_argument(
        "--no-gitignore", action="store_true", default=None, help="do not read .gitignore files"
    )
    files.add_argument("--max-file-size", metavar="SIZE", help="larger files are copied (8MB)")
    files.add_argument(
        "-p",
        "--compile-commands",
        type=Path,
        metavar="FILE",
        help="compile_commands.json: what it compiles as CUDA is CUDA",
    )
    run = parser.add_argument_group("the run")
    run.add_argument("--config", type=Path, metavar="FILE", help="a sigtrans.toml")
    run.add_argument("-j", "--jobs", type=int, metavar="N", help="processes (default: what pays)")
    run.add_argument("-q", "--quiet", action="store_true", help="no progress, no summary")
    run.add_argument("-v", "--verbose", action="store_true", help="show internal tracebacks")


def _add_report_options(parser: _Parser) -> None:
    report = parser.add_argument_group("the report")
    report.add_argument(
        "--output-format", choices=FORMATS, default="full", help="what to print (default: full)"
    )
    report.add_argument(
        "--report",
        action="append",
        type=Path,
        metavar="FILE",
        help="also write a report: .json, .sarif or .html; may be repeated",
    )
    report.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def _add_diff(commands: Commands[_Parser]) -> None:
    parser = _add(commands, "diff", "show what a port changed, file by file", _diff)
    parser.add_argument("port", type=Path, help="a folder that sigtrans port wrote")
    parser.add_argument("files", nargs="*", help="only these (paths in source or port)")
    parser.add_argument("--stat", action="store_true", help="one line a file")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def _add_undo(commands: Commands[_Parser]) -> None:
    parser = _add(commands, "undo", "take the last port in place back, byte for byte", _undo)
    parser.add_argument("tree", type=Path, help="the folder that was ported in place")
    parser.add_argument("--force", action="store_true", help="even over edits made since")


def _add_explain(commands: Commands[_Parser]) -> None:
    parser = _add(
        commands, "explain", "tell what a code means, or what a CUDA name maps to and why", _explain
    )
    parser.add_argument("what", nargs="+", help="SIG401, cudaMalloc, cublas_v2.h, musaMalloc …")


def _add_rule(commands: Commands[_Parser]) -> None:
    parser = _add(commands, "rule", "test rules, or start a new one", _rule)
    parser.add_argument("action", choices=("test", "new"))
    parser.add_argument("what", type=Path, help="test: a rule file or folder · new: the file")


# --- commands -----------------------------------------------------------------------------------


def _port(options: argparse.Namespace) -> int:
    from sigtrans import port

    _check_reports(options.report or ())
    settings = _settings(options)
    if options.in_place and options.output:
        raise SigtransError("--in-place and --output exclude each other; give one of them")
    if options.in_place and options.only_changed:
        raise SigtransError("--in-place always writes only what changes; drop --only-changed")
    if options.diff and options.output_format in ("json", "sarif"):
        raise SigtransError(f"--diff does not go with --output-format {options.output_format}")
    if options.dry_run or options.diff:
        with _Progress(options) as progress:
            drafted = port.plan_drafts(
                options.source, settings, progress, annotate=options.annotate
            )
        if options.diff:
            _print_diffs(drafted, options)
        return _finish(drafted.plan, options, settings, "")
    with _Progress(options) as progress:
        if options.in_place:
            done = port.port_in_place(
                options.source, settings, annotate=options.annotate, progress=progress
            )
        else:
            done = port.port_copy(
                options.source,
                options.output or port.default_output(options.source),
                settings,
                only_changed=options.only_changed,
                annotate=options.annotate,
                progress=progress,
                summarize=lambda plan: _summary(plan, options),
            )
    for recovered in done.recovered:
        _say(f"an earlier run was interrupted: {recovered.how}")
        for path in recovered.kept:
            _say(f"  kept an edited file: {path}")
    code = _repeat(done.summary, options)
    if code is None:
        code = _finish(done.plan, options, settings, done.landed)
    if options.quiet or options.output_format != "full":
        return code
    if done.made is None:
        print("\nNothing has changed since the last run; nothing was written.")
    if done.committed is not None:
        for path in done.committed.conflicts:
            _say(
                f"{path}: edited in the port since the last run and left alone; "
                f"the new version is {done.landed}/.sigtrans/new/{path}"
            )
        for path in done.committed.dangling:
            _say(f"{path}: a link whose target is not part of the port")
    return max(code, ATTENTION) if done.committed and done.committed.conflicts else code


def _scan(options: argparse.Namespace) -> int:
    from sigtrans import port
    from sigtrans.report import render_effort

    _check_reports(options.report or ())
    settings = _settings(options)
    with _Progress(options) as progress:
        plan = port.scan(options.source, settings, progress)
    code = _finish(plan, options, settings, "", actions=False)
    if options.output_format == "full" and not options.quiet:
        print("\n" + render_effort(plan, _width()), end="")
    return code


def _check(options: argparse.Namespace) -> int:
    from sigtrans import check, names, report, rules, store
    from sigtrans import config as configuration
    from sigtrans.discover import Options
    from sigtrans.port import read_source

    _check_reports(options.report or ())
    if not options.tree.exists():
        raise SigtransError(f"{options.tree}: no such folder")
    if options.jobs is not None and options.jobs < 1:
        raise SigtransError(f"--jobs {options.jobs}: give a number of processes, 1 or more")
    config = configuration.load(options.tree, options.config)
    targets = config.targets
    if options.target:
        targets = configuration.parse_targets(
            [t for text in options.target for t in text.split(",")], "--target"
        )
    folders = (*config.rules, *(options.rules or ()))
    table = names.load(rules.find_tables(folders), rules.load_folders(folders))
    request = check.Request(
        includes=tuple(options.I or ()),
        defines=tuple(options.D or ()),
        standard=options.std or "",
        compile_commands=options.compile_commands,
        sdk_path=options.sdk_path,
        targets=targets,
        jobs=options.jobs or config.jobs,
        options=Options(exclude=(*config.exclude, *(options.exclude or ()))),
    )
    with _Progress(options) as progress:
        checked = check.check_tree(options.tree, table, config, request, progress)
    plan, read = checked.plan, read_source(options.tree)
    for path in options.report or ():
        text = _render(path.suffix, plan, read, table.grade, "")
        store.write_file(path, text.encode("utf-8", "replace"))
    match options.output_format:
        case "full" if not options.quiet:
            ending = check.render_end(checked)
            sys.stdout.write(report.render_checked(plan, ending, _width(), _color(options)))
        case "concise":
            sys.stdout.write(report.render_concise(plan))
        case "json":
            sys.stdout.write(report.render_json(plan, read, table.grade))
        case "sarif":
            sys.stdout.write(report.render_sarif(plan, read))
        case "github":
            sys.stdout.write(report.render_github(plan))
    return _judge(plan)


def _doctor(options: argparse.Namespace) -> int:
    from sigtrans import names, sdk

    found = sdk.find_sdk(options.sdk_path)
    if found is None:
        raise SigtransError(
            f"no MUSA SDK: {', '.join(sdk.VARIABLES)} name none and {sdk.DEFAULT} is not there; "
            "give --sdk-path"
        )
    index = sdk.index_sdk(found)
    rows = sdk.confirm(names.load(), index)
    full = options.output_format == "full"
    sys.stdout.write((sdk.render_doctor if full else sdk.dump_doctor)(found, index, rows))
    return ATTENTION if any(row.denied for row in rows) else DONE


def _run(options: argparse.Namespace) -> int:
    from sigtrans.simt import command

    return command.run_command(options, options.rest)


def _diff(options: argparse.Namespace) -> int:
    from sigtrans import port
    from sigtrans.report import render_diff

    plan, folder = port.find_pairs(options.port)
    wanted = {str(Path(name)) for name in options.files}
    found = 0
    for result in plan.files:
        if result.status.value != "ported":
            continue
        if wanted and not {result.path, result.port_path} & wanted:
            continue
        found += 1
        before = port.read_source(folder)(result.path)
        after = port.read_source(options.port)(result.port_path)
        if before is None or after is None:
            _say(f"{result.path}: cannot be read any more")
            continue
        if options.stat:
            moved = f" -> {result.port_path}" if result.port_path != result.path else ""
            count = len(result.edits)
            what = f"{count} change{'s' * (count != 1)}" if count else "renamed"
            print(f"{result.path}{moved}: {what}")
        else:
            sys.stdout.write(
                render_diff(result.path, before, after, _color(options), port_path=result.port_path)
            )
    if wanted and not found:
        raise SigtransError(f"none of {', '.join(sorted(wanted))} was ported; see --stat")
    return DONE


def _undo(options: argparse.Namespace) -> int:
    from sigtrans import store

    if not options.tree.is_dir():
        raise SigtransError(f"{options.tree}: no such folder")
    done = store.undo(options.tree, force=options.force)
    print(f"{len(done.restored)} files restored, {len(done.removed)} removed")
    return DONE


def _explain(options: argparse.Namespace) -> int:
    from sigtrans.explain import explain

    return DONE if all([_print_explained(explain(word, _width())) for word in options.what]) else 1


def _print_explained(text: tuple[str, bool]) -> bool:
    print(text[0])
    return text[1]


def _rule(options: argparse.Namespace) -> int:
    from sigtrans import rules, store

    if options.action == "new":
        store.write_file(options.what, rules.render_new(options.what), parents=True)
        print(f"{options.what}: written; fill it in, then: sigtrans rule test {options.what}")
        return DONE
    failures, tested = rules.run_tests(options.what)
    for failure in failures:
        print(failure)
    print(f"{tested} examples and traps, {len(failures)} failed")
    return ATTENTION if failures else DONE


# --- shared ---------------------------------------------------------------------------------------


def _settings(options: argparse.Namespace) -> Settings:
    from dataclasses import replace

    from sigtrans import config as configuration
    from sigtrans import rules
    from sigtrans.discover import Options
    from sigtrans.plan import Settings

    if not options.source.exists():
        raise SigtransError(f"{options.source}: no such file or folder")
    config = configuration.load(options.source, options.config)
    if options.jobs is not None and options.jobs < 1:
        raise SigtransError(f"--jobs {options.jobs}: give a number of processes, 1 or more")
    targets = config.targets
    if options.target:
        targets = configuration.parse_targets(
            [t for text in options.target for t in text.split(",")], "--target"
        )
    sdk = configuration.parse_sdk(options.sdk, "--sdk") if options.sdk else config.sdk
    size = config.max_file_size
    if options.max_file_size:
        size = configuration.parse_size_option(options.max_file_size, "--max-file-size")
    folders = (*config.rules, *(options.rules or ()))
    keep = config.keep_extensions if options.keep_extensions is None else True
    return Settings(
        targets=targets,
        sdk=sdk,
        keep_extensions=keep,
        strict=config.strict if options.strict is None else True,
        jobs=options.jobs or config.jobs,
        tables=rules.find_tables(folders),
        renames=rules.load_folders(folders),
        config=replace(config, path=""),
        options=Options(
            exclude=(*config.exclude, *(options.exclude or ())),
            include=(*config.include, *(options.include or ())),
            respect_gitignore=config.respect_gitignore and not options.no_gitignore,
            port_vendored=config.port_vendored or bool(options.port_vendored),
            max_size=size,
            compile_commands=options.compile_commands,
        ),
    )


def _finish(
    plan: Plan,
    options: argparse.Namespace,
    settings: Settings,
    landed: str,
    *,
    actions: bool = True,
) -> int:
    """Write the reports, print the chosen format, and judge the exit code."""
    from sigtrans import port, report, store
    from sigtrans.discover import folder_of

    read = port.read_source(folder_of(options.source))

    grade = _grade_finder(settings)
    for path in options.report or ():
        text = _render(path.suffix, plan, read, grade, landed)
        store.write_file(path, text.encode("utf-8", "replace"))
    text = ""
    match options.output_format:
        case "full":
            if not options.quiet:
                text = report.render_full(
                    plan,
                    _width(),
                    _color(options),
                    landed=landed,
                    in_place=bool(landed) and options.in_place,
                    actions=actions,
                )
        case "concise":
            text = report.render_concise(plan)
        case "json":
            text = report.render_json(plan, read, grade)
        case "sarif":
            text = report.render_sarif(plan, read)
        case "github":
            text = report.render_github(plan)
    sys.stdout.write(text)
    return _judge(plan)


def _summary(plan: Plan, options: argparse.Namespace) -> dict[str, object]:
    """What a later run over the unchanged tree needs to say the same."""
    summary: dict[str, object] = {"code": _judge(plan)}
    if options.output_format == "full" and not options.quiet:
        from sigtrans import report

        output = options.output or _default_output(options)
        for color in (False, True):
            text = report.render_full(plan, _width(), color, landed=str(output))
            summary[f"text {_width()} {color} {output}"] = text
    return summary


def _repeat(summary: Mapping[str, object], options: argparse.Namespace) -> int | None:
    """Say again what the last run said; None when it kept no such text."""
    if options.report or options.output_format != "full":
        return None
    output = options.output or _default_output(options)
    text = "" if options.quiet else summary.get(f"text {_width()} {_color(options)} {output}")
    code = summary.get("code")
    if not isinstance(text, str) or not isinstance(code, int):
        return None
    sys.stdout.write(text)
    return code


def _default_output(options: argparse.Namespace) -> Path:
    from sigtrans.port import default_output

    return default_output(options.source)


def _judge(plan: Plan) -> int:
    needs = any(f.status.value == "failed" for f in plan.files) or any(
        d.severity.value != "note" for f in plan.files for d in f.diagnostics
    )
    return ATTENTION if needs else DONE


def _check_reports(paths: Sequence[Path]) -> None:
    """A report that cannot be written is said before the work, not after it."""
    for path in paths:
        if path.suffix not in REPORTS:
            known = ", ".join(REPORTS)
            raise SigtransError(f"--report {path}: no format for '*{path.suffix}'; use {known}")
        if not path.parent.is_dir():
            raise SigtransError(f"--report {path}: there is no folder {path.parent}")


def _render(suffix: str, plan: Plan, read: ReadSource, grade: FindGrade, landed: str) -> str:
    from sigtrans import report

    match suffix:
        case ".json":
            return report.render_json(plan, read, grade)
        case ".sarif":
            return report.render_sarif(plan, read)
        case ".html" | ".htm":
            return report.render_html(plan, read, grade, landed=landed)
        case ".txt":
            return report.render_concise(plan)
    raise AssertionError(suffix)  # checked before the run


def _grade_finder(settings: Settings) -> FindGrade:
    """Grades by the tables of this run, which are read when the first grade is asked for."""
    from functools import cache

    from sigtrans.names import load

    table = cache(lambda: load(settings.tables, settings.renames))
    return lambda name: table().grade(name)


def _print_diffs(drafted: Drafted, options: argparse.Namespace) -> None:
    from sigtrans.discover import folder_of
    from sigtrans.report import render_diff

    folder = folder_of(options.source)
    for result in drafted.plan.files:
        draft = drafted.drafts.get(result.path)
        if draft is not None:
            sys.stdout.write(
                render_diff(
                    result.path,
                    (folder / result.path).read_bytes(),
                    draft,
                    _color(options),
                    port_path=result.port_path,
                )
            )


def _say(text: str) -> None:
    print(f"sigtrans: {text}", file=sys.stderr)


def _width() -> int:
    import shutil

    return max(60, min(shutil.get_terminal_size((80, 24)).columns, 120))


def _color(options: argparse.Namespace) -> bool:
    if options.color != "auto":
        return bool(options.color == "always")
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


class _Progress:
    """A counter on one line of the terminal, on long runs only; silent when piped."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.shown = sys.stderr.isatty() and not options.quiet
        self.drawn = False

    def __enter__(self) -> Progress | None:
        if not self.shown:
            return None
        import time

        begun = last = time.monotonic()

        def step(stage: str, done: int, total: int) -> None:
            nonlocal last
            now = time.monotonic()
            if now - begun > 0.5 and now - last > 0.1:
                last = now
                self.drawn = True
                sys.stderr.write(f"\r\x1b[K{stage} {done}/{total} files")
                sys.stderr.flush()

        return step

    def __exit__(self, *_: object) -> None:
        if self.drawn:
            sys.stderr.write("\r\x1b[K")


if __name__ == "__main__":
    raise SystemExit(main())
