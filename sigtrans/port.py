"""The main job: plan a tree, write the port, remember it so that the next run is quick."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sigtrans import __version__, store
from sigtrans.discover import Found, find_files
from sigtrans.names import data_dir
from sigtrans.plan import Drafted, FileResult, Plan, Progress, Settings, Status, make_plan
from sigtrans.source import (
    Diagnostic,
    Edit,
    Safety,
    Severity,
    SigtransError,
    SourceFile,
    Span,
    apply,
)


@dataclass(frozen=True, slots=True)
class Ported:
    """What a run did; `landed` is where the port is."""

    plan: Plan
    landed: str
    committed: store.Committed | None
    recovered: store.Recovered | None
    unchanged: bool = False  # nothing had changed since the last run


def default_output(source: Path) -> Path:
    """`./src` becomes `./src-musa`, a single file lands in `<folder>-musa` beside its folder."""
    folder = source if source.is_dir() else source.parent
    if folder.name in ("", ".."):  # `.` and the like: its real name decides
        folder = folder.resolve()
    if not folder.name:
        raise SigtransError(f"{source}: cannot port the root folder; name a project folder")
    return folder.with_name(folder.name + "-musa")


def scan(source: Path, settings: Settings, progress: Progress | None = None) -> Plan:
    """The plan alone; nothing is written."""
    _check_source(source)
    return make_plan(source, settings, progress).plan


def plan_drafts(source: Path, settings: Settings, progress: Progress | None = None) -> Drafted:
    """The plan with the bytes of every changed file; nothing is written."""
    _check_source(source)
    return make_plan(source, settings, progress)


def port_copy(
    source: Path,
    output: Path,
    settings: Settings,
    *,
    only_changed: bool = False,
    annotate: bool = False,
    progress: Progress | None = None,
) -> Ported:
    """Write the port of `source` as the tree `output`; the input is not touched."""
    _check_source(source)
    if output.exists() and not output.is_dir():
        raise SigtransError(f"{output}: is not a folder; choose another place with -o")
    recovered = store.recover(source) or store.recover(output)
    key = ""
    found = None
    if source.is_dir():
        found = tuple(find_files(source, settings.options))
        key = _fingerprint(source, found, settings, (only_changed, annotate))
        before = _remembered(output, key)
        if before is not None and _is_there(output, before, only_changed):
            waiting = store.Committed(conflicts=store.find_conflicts(output))
            return Ported(before, str(output), waiting, recovered, unchanged=True)
    drafted = make_plan(source, settings, progress, found)
    drafts = _annotated(drafted, source) if annotate else drafted.drafts
    state = _dump_state(drafted.plan, source, key)
    folder = Path(os.path.abspath(source if source.is_dir() else source.parent))  # noqa: PTH100
    committed = store.commit_copy(
        folder,
        output,
        _copies(folder, drafted, drafts, only_changed),
        only_changed=only_changed,
        state=state,
    )
    return Ported(drafted.plan, str(output), committed, recovered)


def port_in_place(
    source: Path, settings: Settings, *, annotate: bool = False, progress: Progress | None = None
) -> Ported:
    """Port the files of `source` themselves: all or none; `sigtrans undo` takes it back."""
    _check_source(source)
    folder = source if source.is_dir() else source.parent
    recovered = store.recover(folder)
    drafted = make_plan(source, settings, progress)
    drafts = _annotated(drafted, source) if annotate else drafted.drafts
    changes = list(_replacements(folder, drafted, drafts))
    if not drafts:
        return Ported(drafted.plan, str(folder), store.Committed(), recovered)
    committed = store.commit_in_place(folder, changes)
    return Ported(drafted.plan, str(folder), committed, recovered)


def _is_there(output: Path, plan: Plan, only_changed: bool) -> bool:
    """Nobody has deleted a file of the port since."""
    place = os.fspath(output)
    return all(
        os.path.lexists(f"{place}/{f.port_path}")
        for f in plan.files
        if f.port_path and (f.status is Status.PORTED or not only_changed)
    )


def _check_source(source: Path) -> None:
    if not source.exists():
        raise SigtransError(f"{source}: no such file or folder")
    if not source.is_dir() and not source.is_file():
        raise SigtransError(f"{source}: is neither a file nor a folder")


def _copies(
    folder: Path, drafted: Drafted, drafts: Mapping[str, bytes], only_changed: bool
) -> Iterator[store.Change]:
    for result in drafted.plan.files:
        if not result.port_path:
            continue
        draft = drafts.get(result.path)
        if draft is None and only_changed:
            continue
        yield store.Change(result.port_path, draft, folder / result.path)


def _replacements(
    folder: Path, drafted: Drafted, drafts: Mapping[str, bytes]
) -> Iterator[store.Change]:
    for result in drafted.plan.files:
        draft = drafts.get(result.path)
        if result.kind == "link" and result.port_path:
            yield store.Change(result.port_path, origin=folder / result.path)
            if result.port_path != result.path:
                yield store.Change(result.path, remove=True)
            continue
        if draft is None:
            continue
        digest = drafted.digests[result.path]
        if result.port_path == result.path:
            yield store.Change(result.path, draft, before=digest)
        else:
            yield store.Change(result.port_path, draft, folder / result.path)
            yield store.Change(result.path, remove=True, before=digest)


def _annotated(drafted: Drafted, source: Path) -> dict[str, bytes]:
    """Drafts with the diagnostics as comments; files without edits get a draft for them too."""
    from sigtrans.annotate import find_annotations

    folder = source if source.is_dir() else source.parent
    drafts = dict(drafted.drafts)
    for result in drafted.plan.files:
        if not result.port_path or result.status not in (Status.PORTED, Status.UNCHANGED):
            continue
        wanted = tuple(d for d in result.diagnostics if d.severity is not Severity.NOTE)
        if not wanted:
            continue
        file = SourceFile(result.path, (folder / result.path).read_bytes())
        notes = find_annotations(file, result.kind, wanted)
        if notes:
            drafts[result.path] = apply(file.data, (*result.edits, *notes)).data
    return drafts


# --- the next run ---------------------------------------------------------------------------------


def _fingerprint(
    source: Path, found: tuple[Found, ...], settings: Settings, more: tuple[object, ...]
) -> str:
    """Equal fingerprints, equal port: the tree, the settings, the rules and the tool itself."""
    digest = hashlib.sha256()
    digest.update(f"{__version__}\n{source.resolve()}\n{settings!r}\n{more!r}\n".encode())
    for path in (*_rule_files(), *settings.tables):
        stat = path.stat()
        digest.update(f"{path}\t{stat.st_size}\t{stat.st_mtime_ns}\n".encode())
    for each in found:
        digest.update(
            f"{each.path}\t{each.kind}\t{each.size}\t{each.mtime_ns}\t{each.ctime_ns}\t"
            f"{each.inode}\t{each.mode}\t{each.skip}\n".encode("utf-8", "surrogateescape")
        )
    return digest.hexdigest()


def _rule_files() -> Iterator[Path]:
    yield data_dir() / "flags.tsv"
    yield from sorted((data_dir() / "names").glob("*.tsv"))
    package = Path(__file__).parent  # a checkout changes without its version changing
    yield from sorted(package.glob("*.py"))
    yield from sorted(package.glob("passes/*.py"))


def _dump_state(plan: Plan, source: Path, key: str) -> bytes:
    files = [
        [
            f.path,
            f.port_path,
            f.kind,
            f.status.value,
            f.reason,
            f.size,
            [
                [e.span.start, e.span.end, e.text.decode("latin-1"), e.rule, int(e.safety)]
                for e in f.edits
            ],
            [_dump_diagnostic(d) for d in f.diagnostics],
            f.silenced,
        ]
        for f in plan.files
    ]
    return json.dumps(
        {
            "schema": 1,
            "key": key,
            "source": os.fspath(source.resolve()),
            "root": plan.root,
            "targets": plan.targets,
            "sdk": plan.sdk,
            "files": files,
            "diagnostics": [_dump_diagnostic(d) for d in plan.diagnostics],
        },
        separators=(",", ":"),
        ensure_ascii=True,
    ).encode()


def _dump_diagnostic(d: Diagnostic) -> list[object]:
    return [
        d.span.start,
        d.span.end,
        d.code,
        d.severity.value,
        d.message,
        d.help,
        d.rule,
        d.line,
        d.column,
        d.excerpt,
    ]


def load_state(output: Path) -> tuple[Plan, Path, str] | None:
    """The plan, source and fingerprint of the last port written to `output`; None if unreadable."""
    raw = store.read_state(output)
    if raw is None:
        return None
    try:
        state = json.loads(raw)
        if state["schema"] != 1:
            return None
        plan = Plan(
            state["root"],
            tuple(state["targets"]),
            state["sdk"],
            tuple(_load_file(f) for f in state["files"]),
            tuple(_load_diagnostic(d) for d in state["diagnostics"]),
        )
        return plan, Path(state["source"]), str(state["key"])
    except (ValueError, KeyError, TypeError, IndexError):
        return None  # written by another version, or damaged: plan anew


def _load_file(f: list) -> FileResult:  # type: ignore[type-arg]  # rows of JSON
    return FileResult(
        f[0],
        f[1],
        f[2],
        Status(f[3]),
        f[4],
        f[5],
        tuple(Edit(Span(a, b), t.encode("latin-1"), r, Safety(s)) for a, b, t, r, s in f[6]),
        tuple(_load_diagnostic(d) for d in f[7]),
        f[8],
    )


def _load_diagnostic(d: list) -> Diagnostic:  # type: ignore[type-arg]
    return Diagnostic(Span(d[0], d[1]), d[2], Severity(d[3]), *d[4:])


def _remembered(output: Path, key: str) -> Plan | None:
    state = load_state(output)
    return state[0] if state is not None and state[2] == key else None


def find_pairs(output: Path) -> tuple[Plan, Path]:
    """The plan and the source folder of a port that sigtrans wrote to `output`."""
    state = load_state(output)
    if state is None:
        raise SigtransError(f"{output}: holds no port made by sigtrans; name a folder that does")
    plan, source, _ = state
    folder = source if source.is_dir() else source.parent
    if not folder.is_dir():
        raise SigtransError(f"{output}: its source {source} is gone; put it back or port again")
    return plan, folder


ReadSource = Callable[[str], "bytes | None"]


def read_source(folder: Path) -> ReadSource:
    """Reads original files for reports; None for what cannot be read."""

    def read(path: str) -> bytes | None:
        try:
            return (folder / path).read_bytes()
        except OSError:
            return None

    return read
