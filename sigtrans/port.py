"""The main job: plan a tree, write the port, remember it so that the next run is quick."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sigtrans import __version__, store
from sigtrans.discover import Found, find_files, folder_of
from sigtrans.names import data_dir
from sigtrans.plan import (
    Drafted,
    Plan,
    Planning,
    Progress,
    Settings,
    Status,
    from_row,
    make_plan,
    to_row,
)
from sigtrans.source import Severity, SigtransError, SourceFile, apply

if TYPE_CHECKING:
    from sigtrans.report import ReadSource


@dataclass(frozen=True, slots=True)
class Ported:
    """What a run did; `landed` is where the port is."""

    landed: str
    committed: store.Committed | None
    recovered: tuple[store.Recovered, ...]
    made: Plan | None = None  # None: nothing had changed since the last run
    summary: Mapping[str, object] = field(default_factory=dict)  # what that run kept for this one

    @property
    def plan(self) -> Plan:
        """The plan, read back from the port when nothing had to be planned."""
        if self.made is not None:
            return self.made
        return find_pairs(Path(self.landed))[0]


def default_output(source: Path) -> Path:
    """`./src` becomes `./src-musa`, a single file lands in `<folder>-musa` beside its folder."""
    folder = folder_of(source)
    if folder.name in ("", ".."):  # `.` and the like: its real name decides
        folder = folder.resolve()
    if not folder.name:
        raise SigtransError(f"{source}: cannot port the root folder; name a project folder")
    return folder.with_name(folder.name + "-musa")


def scan(source: Path, settings: Settings, progress: Progress | None = None) -> Plan:
    """The plan alone; nothing is written."""
    return plan_drafts(source, settings, progress).plan


def plan_drafts(
    source: Path, settings: Settings, progress: Progress | None = None, *, annotate: bool = False
) -> Drafted:
    """The plan with the bytes of every changed file; nothing is written."""
    _check_source(source)
    drafted = make_plan(source, settings, progress)
    return replace(drafted, drafts=_annotated(drafted, source)) if annotate else drafted


def port_copy(
    source: Path,
    output: Path,
    settings: Settings,
    *,
    only_changed: bool = False,
    annotate: bool = False,
    progress: Progress | None = None,
    summarize: Callable[[Plan], Mapping[str, object]] = lambda plan: {},
) -> Ported:
    """Write the port of `source` as the tree `output`; the input is not touched.

    What `summarize` makes of the plan is kept, and handed back while nothing changes.
    """
    _check_source(source)
    if output.exists() and not output.is_dir():
        raise SigtransError(f"{output}: is not a folder; choose another place with -o")
    recovered = _recover(folder_of(source), output)
    key = ""
    found = tuple(find_files(source, settings.options))
    if source.is_dir():
        key = _fingerprint(source, found, settings, (only_changed, annotate))
        summary = _remembered(output, key)
        if summary is not None:
            waiting = store.Committed(conflicts=store.find_conflicts(output))
            return Ported(str(output), waiting, recovered, summary=summary)
    folder = os.path.abspath(folder_of(source))  # noqa: PTH100
    made: list[Plan] = []
    said: list[Mapping[str, object]] = []

    def changes(planning: Planning) -> Iterator[store.Change]:
        """What is only copied first: meanwhile the workers read and plan the rest."""
        settled = {result.path: result for result in planning.settled()}
        for result in settled.values():
            if result.port_path:
                yield store.Change(result.port_path, None, f"{folder}/{result.path}")
        drafted = planning.finish(progress)
        drafts = _annotated(drafted, source) if annotate else drafted.drafts
        made.append(drafted.plan)
        for result in drafted.plan.files:
            if result.port_path and result.path not in settled:
                draft = drafts.get(result.path)
                yield store.Change(result.port_path, draft, f"{folder}/{result.path}")
        for path, text in drafted.plan.helpers.items():
            yield store.Change(path, text)

    def state() -> bytes:
        said.append(summarize(made[0]))
        return _dump_state(made[0], source, key, said[0], only_changed)

    with Planning(source, settings, found) as planning:
        committed = store.commit_copy(
            Path(folder), output, changes(planning), only_changed=only_changed, state=state
        )
    return Ported(str(output), committed, recovered, made[0], said[0])


def port_in_place(
    source: Path, settings: Settings, *, annotate: bool = False, progress: Progress | None = None
) -> Ported:
    """Port the files of `source` themselves: all or none; `sigtrans undo` takes it back."""
    _check_source(source)
    folder = folder_of(source)
    recovered = _recover(folder)
    drafted = plan_drafts(source, settings, progress, annotate=annotate)
    changes = list(_replacements(folder, drafted))
    if not drafted.drafts:
        return Ported(str(folder), store.Committed(), recovered, drafted.plan)
    committed = store.commit_in_place(folder, changes)
    return Ported(str(folder), committed, recovered, drafted.plan)


def _recover(*folders: Path) -> tuple[store.Recovered, ...]:
    return tuple(done for done in map(store.recover, folders) if done is not None)


def _check_source(source: Path) -> None:
    if not source.exists():
        raise SigtransError(f"{source}: no such file or folder")
    if not source.is_dir() and not source.is_file():
        raise SigtransError(f"{source}: is neither a file nor a folder")


def _replacements(folder: Path, drafted: Drafted) -> Iterator[store.Change]:
    for result in drafted.plan.files:
        draft = drafted.drafts.get(result.path)
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
    for path, text in drafted.plan.helpers.items():
        yield store.Change(path, text)


def _annotated(drafted: Drafted, source: Path) -> dict[str, bytes]:
    """Drafts with the diagnostics as comments; files without edits get a draft for them too."""
    from sigtrans.annotate import find_annotations

    folder = folder_of(source)
    drafts = dict(drafted.drafts)
    for result in drafted.plan.files:
        if not result.port_path or result.status not in (Status.PORTED, Status.UNCHANGED):
            continue
        wanted = tuple(d for d in result.diagnostics if d.severity is not Severity.NOTE)
        if not wanted:
            continue
        file = SourceFile(result.path, (folder / result.path).read_bytes())
        if hashlib.sha256(file.data).hexdigest() != drafted.digests.get(result.path):
            raise SigtransError(f"{result.path}: changed while it was being ported; run again")
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
    asked = replace(settings, jobs=0)  # how many processes makes no difference to the port
    digest.update(f"{__version__}\n{source.resolve()}\n{asked!r}\n{more!r}\n".encode())
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
    yield from sorted(path for path in data_dir().rglob("*") if path.is_file())
    package = Path(__file__).parent  # a checkout changes without its version changing
    yield from sorted(package.glob("*.py"))
    yield from sorted(package.glob("passes/*.py"))


def _dump_state(
    plan: Plan, source: Path, key: str, summary: Mapping[str, object], only_changed: bool
) -> bytes:
    """Two lines of JSON: what a run over an unchanged tree needs, and the plan."""
    head = {
        "schema": 1,
        "key": key,
        "source": os.fspath(source.resolve()),
        "summary": summary,
        "present": [
            f.port_path
            for f in plan.files
            if f.port_path and (f.status is Status.PORTED or not only_changed)
        ]
        + list(plan.helpers),
    }
    body = {
        "root": plan.root,
        "targets": plan.targets,
        "sdk": plan.sdk,
        "files": [to_row(f) for f in plan.files],
    }
    lines = (json.dumps(part, check_circular=False, separators=(",", ":")) for part in (head, body))
    return "\n".join(lines).encode()


def load_state(output: Path) -> tuple[Plan, Path] | None:
    """The plan and the source of the last port written to `output`; None if unreadable."""
    raw = store.read_state(output)
    if raw is None:
        return None
    try:
        first, _, second = raw.partition(b"\n")
        head, body = json.loads(first), json.loads(second)
        if head["schema"] != 1:
            return None
        files = tuple(from_row(row) for row in body["files"])
        return Plan(body["root"], tuple(body["targets"]), body["sdk"], files), Path(head["source"])
    except (ValueError, KeyError, TypeError, IndexError):
        return None  # written by another version, or damaged: plan anew


def _remembered(output: Path, key: str) -> Mapping[str, object] | None:
    """What the last run said, when neither the tree nor the port has changed since."""
    raw = store.read_state(output)
    if raw is None:
        return None
    try:
        head = json.loads(raw.partition(b"\n")[0])
        if head["schema"] != 1 or head["key"] != key:
            return None
        place = os.fspath(output)
        if not all(os.path.lexists(f"{place}/{path}") for path in head["present"]):
            return None
        summary: Mapping[str, object] = head["summary"]
        return summary
    except (ValueError, KeyError, TypeError):
        return None


def find_pairs(output: Path) -> tuple[Plan, Path]:
    """The plan and the source folder of a port that sigtrans wrote to `output`."""
    state = load_state(output)
    if state is None:
        raise SigtransError(f"{output}: holds no port made by sigtrans; name a folder that does")
    plan, source = state
    folder = folder_of(source)
    if not folder.is_dir():
        raise SigtransError(f"{output}: its source {source} is gone; put it back or port again")
    return plan, folder


def read_source(folder: Path) -> ReadSource:
    """Reads original files for reports; None for what cannot be read."""

    def read(path: str) -> bytes | None:
        try:
            return (folder / path).read_bytes()
        except OSError:
            return None

    return read
