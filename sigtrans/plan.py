"""All passes over a tree, as one plan: every file once, every edit, every open question."""

from __future__ import annotations

import hashlib
import importlib
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sigtrans.config import Config
from sigtrans.discover import Found, Options, find_files, find_generated, folder_of
from sigtrans.names import load as load_names
from sigtrans.passes import BuildContext, CodeFindings
from sigtrans.passes.code import find_protected
from sigtrans.passes.pipeline import Port, helper_name, helper_text
from sigtrans.passes.pipeline import find as find_code
from sigtrans.source import (
    Applied,
    Diagnostic,
    Edit,
    Findings,
    Safety,
    Severity,
    SigtransError,
    SourceFile,
    Span,
    apply,
    decode,
)
from sigtrans.symbols import FileFacts, Project, find_facts, merge
from sigtrans.syntax import IDENTIFIER_BYTES, Lexed, lex, make_pattern

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class Status(str, Enum):
    """What became of one input file."""

    PORTED = "ported"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FileResult:
    """One input file: what is done to it and what is said about it."""

    path: str  # relative to the source tree, with `/`
    port_path: str  # where it lands in the port; "" when nothing is written for it
    kind: str  # cuda, c++, cmake, make, python, toml, bazel, meson, xmake, shell, musa, other
    status: Status
    reason: str = ""  # why it was skipped or failed
    size: int = 0  # bytes
    edits: tuple[Edit, ...] = ()  # the edits that were taken
    diagnostics: tuple[Diagnostic, ...] = ()  # placed
    silenced: int = 0  # diagnostics silenced by configuration or by marks in the file
    helpers: tuple[str, ...] = ()  # topics of the helper headers that its port includes


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole tree. Same input, same plan, byte for byte."""

    root: str  # the source tree as it was given
    targets: tuple[str, ...]  # MUSA architectures
    sdk: str  # MUSA SDK version
    files: tuple[FileResult, ...]  # sorted by path, every input file exactly once
    diagnostics: tuple[Diagnostic, ...] = ()  # about the run as a whole

    @property
    def helpers(self) -> Mapping[str, bytes]:
        """The headers that the port brings along: path in the port -> bytes."""
        topics = {topic for file in self.files for topic in file.helpers}
        present = {file.path for file in self.files}  # the port of a port has them
        names = {topic: helper_name(topic) for topic in sorted(topics)}
        return {n: helper_text(t) for t, n in names.items() if n not in present}


Row = list[Any]  # a result as plain values: for other processes, and for the next run


def to_row(result: FileResult) -> Row:
    """The result as JSON-like values; pickling those is many times cheaper than dataclasses."""
    return [
        result.path,
        result.port_path,
        result.kind,
        result.status.value,
        result.reason,
        result.size,
        [
            (e.span.start, e.span.end, e.text.decode("latin-1"), e.rule, int(e.safety))
            for e in result.edits
        ],
        [
            (
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
            )
            for d in result.diagnostics
        ],
        result.silenced,
        list(result.helpers),
    ]


def from_row(row: Row) -> FileResult:
    """The inverse of `to_row`."""
    path, port_path, kind, status, reason, size, edits, diagnostics, silenced, helpers = row
    return FileResult(
        path,
        port_path,
        kind,
        Status(status),
        reason,
        size,
        tuple(Edit(Span(a, b), t.encode("latin-1"), r, Safety(s)) for a, b, t, r, s in edits),
        tuple(Diagnostic(Span(a, b), c, Severity(s), *rest) for a, b, c, s, *rest in diagnostics),
        silenced,
        tuple(helpers),
    )


# --- making a plan ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked of a run, beside the tree itself."""

    targets: tuple[str, ...] = ("mp_31",)
    sdk: str = "5.2"
    keep_extensions: bool = False
    strict: bool = False
    jobs: int = 0  # 0: as many as pay off
    tables: tuple[Path, ...] = ()  # more name tables (TSV), the user's own
    renames: tuple[tuple[str, tuple[bytes, ...]], ...] = ()  # rows from the user's rules
    config: Config = field(default_factory=Config)
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class Drafted:
    """A plan and, for every file it changes, the bytes of the port."""

    plan: Plan
    drafts: Mapping[str, bytes]  # source path -> ported bytes
    digests: Mapping[str, str]  # source path -> SHA-256 of the bytes that were read


Progress = Callable[[str, int, int], None]  # stage, files done, files in all


def make_plan(root: Path, settings: Settings, progress: Progress | None = None) -> Drafted:
    """Plan the port of the tree (or the one file) at `root`; nothing is written."""
    with Planning(root, settings, tuple(find_files(root, settings.options))) as planning:
        return planning.finish(progress)


class Planning:
    """A plan in the making: worker processes read the tree while the caller does other things."""

    def __init__(self, root: Path, settings: Settings, found: tuple[Found, ...]) -> None:
        self.root = root
        self.settings = settings
        self.found = found
        self.pool = _Pool(str(folder_of(root)), settings, [f for f in found if _is_read(f)])

    def __enter__(self) -> Planning:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        *_: object,
    ) -> None:
        self.pool.close(kind is not None)

    def settled(self) -> Iterator[FileResult]:
        """The files that nothing is planned for: they are only copied, or left out."""
        return (_untouched(f, None) for f in self.found if not _is_read(f) and f.kind != "link")

    def finish(self, progress: Progress | None = None) -> Drafted:
        """Wait for the plan."""
        found, settings, pool = self.found, self.settings, self.pool
        scans = {scan.path: scan for scan in pool.scan(progress)}
        renamed, clashes = _find_renames(found, scans, settings.keep_extensions)
        project = merge(
            (scan.facts for scan in scans.values() if scan.facts is not None),
            (f.path for f in found if f.kind != "folder"),
            renamed,
        )
        outcomes = {outcome.result.path: outcome for outcome in pool.plan(project, progress)}
        results: list[FileResult] = []
        for each in found:
            outcome = outcomes.get(each.path)
            result = outcome.result if outcome else _untouched(each, scans.get(each.path))
            if each.path in renamed and each.kind == "link":
                result = replace(result, port_path=renamed[each.path], status=Status.PORTED)
            if each.path in clashes:
                result = _with(result, clashes[each.path], settings.config)
            results.append(result)
        results = _said_once(_with_foreign_helpers(results, scans, settings.config))
        plan = Plan(
            root=str(self.root),
            targets=settings.targets,
            sdk=settings.sdk,
            files=tuple(sorted(results, key=lambda r: r.path)),
        )
        return Drafted(
            plan=plan,
            drafts={p: o.draft for p, o in sorted(outcomes.items()) if o.draft is not None},
            digests={p: s.digest for p, s in sorted(scans.items())},
        )


_SOURCE_SUFFIX = re.compile(r"\.(?:cuh?|c|cc|cpp|cxx|h|hh|hpp|hxx|inl|inc|ipp|tpp|mu|muh)$")
_BUILD_KINDS = frozenset(
    ("cmake", "make", "python", "toml", "bazel", "meson", "xmake", "shell", "manifest")
)


def _is_read(found: Found) -> bool:
    """Files that are ported, and skipped sources whose includes may break when a header moves."""
    if found.failed or found.kind in ("folder", "link"):
        return False
    if found.skip:
        large = found.skip.startswith("larger than")
        return found.copied and found.kind == "source" and not large
    return found.kind == "source" or found.kind in _BUILD_KINDS


def _untouched(found: Found, scan: Scan | None) -> FileResult:
    """A file that no worker planned: only copied, or left out."""
    reason = found.skip or (scan.skip if scan is not None else "")
    failed = found.failed or (scan is not None and scan.failed)
    status = Status.FAILED if failed else Status.SKIPPED if reason else Status.UNCHANGED
    kind = found.kind
    if scan is not None:
        kind = scan.kind
    elif kind == "source":
        kind = "musa" if found.path.endswith((".mu", ".muh")) else "c++"
    elif failed and kind in _BUILD_KINDS:
        kind = "other"
    return FileResult(
        path=found.path,
        port_path="" if failed or not found.copied or found.kind == "folder" else found.path,
        kind=kind,
        status=status,
        reason=reason,
        size=found.size,
    )


# The same sentence about every file of a tree, or of a folder, is said at the first of them.
_ONCE_A_TREE = frozenset(("SIG707",))
_ONCE_A_FOLDER = frozenset(("SIG012",))


def _said_once(results: list[FileResult]) -> list[FileResult]:
    """Fold repeated remarks: the first keeps its place and says how many there are."""
    seen: dict[tuple[str, str, str], list[int]] = {}
    for at, result in enumerate(results):
        for each in result.diagnostics:
            if each.code in _ONCE_A_TREE or each.code in _ONCE_A_FOLDER:
                tree = each.code in _ONCE_A_TREE
                folder = "" if tree else posixpath.dirname(result.path)
                seen.setdefault((each.code, folder, each.message), []).append(at)
    folded = dict(enumerate(results))
    for (code, _, message), places in seen.items():
        others = len(set(places)) - 1
        more = f"{message} (and {others} more files here)" if others else message
        first = True
        for at in dict.fromkeys(places if len(places) > 1 else ()):
            kept: list[Diagnostic] = []
            for each in folded[at].diagnostics:
                if (each.code, each.message) != (code, message):
                    kept.append(each)
                elif first:
                    kept.append(replace(each, message=more))
                    first = False
            folded[at] = replace(folded[at], diagnostics=tuple(kept))
    return list(folded.values())


def _with_foreign_helpers(
    results: list[FileResult], scans: Mapping[str, Scan], config: Config
) -> list[FileResult]:
    """A file of the tree that stands where a helper header has to be."""
    topics = sorted({topic for result in results for topic in result.helpers})
    places = {helper_name(topic): helper_text(topic) for topic in topics}
    for at, result in enumerate(results):
        text = places.get(result.path)
        scan = scans.get(result.path)
        if text is None or (scan and scan.digest == hashlib.sha256(text).hexdigest()):
            continue
        said = Diagnostic(
            Span(0, 0),
            "SIG017",
            Severity.ERROR,
            "the port needs a helper header of this name, and this file is another one (or of "
            "another version); it is kept",
            "take the header from a fresh port, or rename this file if it is yours",
            "helpers/other",
            1,
            1,
        )
        results[at] = _with(result, said, config)
    return results


def _with(result: FileResult, diagnostic: Diagnostic, config: Config) -> FileResult:
    kept, silenced = _judge([diagnostic], result.path, config)
    return replace(
        result,
        diagnostics=tuple(sorted({*result.diagnostics, *kept})),
        silenced=result.silenced + silenced,
    )


def _judge(
    diagnostics: Iterable[Diagnostic], path: str, config: Config
) -> tuple[list[Diagnostic], int]:
    """Apply the user's severities; the second value counts what they silence."""
    if not config.severity and not config.per_path_ignore:
        return list(diagnostics), 0
    kept: list[Diagnostic] = []
    silenced = 0
    for diagnostic in diagnostics:
        severity = config.severity_of(diagnostic.code, path, diagnostic.severity)
        if severity is None:
            silenced += 1
        else:
            kept.append(replace(diagnostic, severity=severity))
    return kept, silenced


# --- file names -----------------------------------------------------------------------------------

_RENAMES = {".cu": ".mu", ".cuh": ".muh"}
_VENDOR_HEADERS = re.compile(r"(?:^|/)(?:cub|thrust)/")  # these keep .cuh in the MUSA SDK as well


def _find_renames(
    found: Iterable[Found], scans: Mapping[str, Scan], keep: bool
) -> tuple[dict[str, str], dict[str, Diagnostic]]:
    """Source path -> port path for files whose extension changes, and what stands in the way."""
    if keep:
        return {}, {}
    taken = {f.path for f in found}
    lowered: dict[str, str] = {}
    for path in sorted(taken):
        lowered.setdefault(path.lower(), path)
    renamed: dict[str, str] = {}
    clashes: dict[str, Diagnostic] = {}
    for each in sorted(found, key=lambda f: f.path):
        stem, dot, suffix = each.path.rpartition(".")
        after = _RENAMES.get(dot + suffix)
        if after is None or each.kind != "source" or each.skip or each.failed:
            continue
        scan = scans.get(each.path)
        if scan is None or scan.skip or _VENDOR_HEADERS.search(each.path):
            continue
        target = stem + after
        other = lowered.get(target.lower())
        if target in taken or (other is not None and other != each.path):
            clashes[each.path] = Diagnostic(
                Span(0, 0),
                "SIG010",
                Severity.ERROR,
                f"cannot become '{target}': the tree already holds '{other or target}'"
                + ("" if target in taken else ", which differs only in case"),
                "rename one of the two, or use --keep-extensions",
                "files/name-clash",
                1,
                1,
            )
            continue
        lowered[target.lower()] = target
        renamed[each.path] = target
    for each in found:  # a link to a renamed file is renamed with it
        stem, dot, suffix = each.path.rpartition(".")
        after = _RENAMES.get(dot + suffix)
        if each.kind == "link" and after and each.target in renamed and stem + after not in taken:
            renamed[each.path] = stem + after
    return renamed, clashes


# --- one file -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scan:
    """The first look at one file."""

    path: str
    kind: str  # cuda, c++, musa, or a build kind
    digest: str
    skip: str = ""
    failed: bool = False
    facts: FileFacts | None = None
    fault: str = ""  # traceback of an internal error


@dataclass(frozen=True, slots=True)
class Outcome:
    """What planning made of one file."""

    result: FileResult
    draft: bytes | None = None


@dataclass(slots=True)
class _Held:
    """A file between the two stages; kept by the process that read it."""

    file: SourceFile
    found: Found
    scan: Scan
    lexed: Lexed | None


class Worker:
    """Scans files and then plans them, holding their bytes in between."""

    def __init__(self, folder: str, settings: Settings) -> None:
        self.folder = folder
        self.settings = settings
        self.table = load_names(settings.tables, settings.renames)
        self.held: dict[str, _Held] = {}

    def scan(self, found: Found) -> Scan:
        """Read and lex one file; an unreadable file is a result, not an error."""
        try:
            data = _read(f"{self.folder}/{found.path}", found.size)
        except OSError as error:
            return Scan(found.path, "other", "", f"unreadable: {error.strerror}", failed=True)
        digest = hashlib.sha256(data).hexdigest()
        file = SourceFile(found.path, data)
        if found.kind != "source":
            scan = Scan(found.path, found.kind, digest, found.skip)
            self.held[found.path] = _Held(file, found, scan, None)
            return scan
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return Scan(found.path, "other", digest, "UTF-16 text: convert it to UTF-8 first")
        try:
            lexed = lex(data, self._pattern(data))
            facts = find_facts(file, lexed, self.table)
            kind, skip = self._kind(found, lexed, facts)
        except Exception:  # the file boundary: a fault of ours is one file's result
            scan = Scan(found.path, "other", digest, fault=_traceback())
            self.held[found.path] = _Held(file, found, scan, None)
            return scan
        scan = Scan(found.path, kind, digest, found.skip or skip, facts=facts)
        if not (found.skip or skip) or facts.includes:
            self.held[found.path] = _Held(file, found, scan, lexed)
        return scan

    def _pattern(self, data: bytes) -> re.Pattern[bytes]:
        marks = (b"torch", b"ATen/", b"c10", b"is_cuda", b"kCUDA", b"at::")
        torch = any(mark in data for mark in marks)
        words = self.table.torch_words if torch else ()
        return make_pattern((*self.table.extra_words, *words))  # compiled once

    def _kind(self, found: Found, lexed: Lexed, facts: FileFacts) -> tuple[str, str]:
        if found.path.endswith((".mu", ".muh")):
            return "musa", ""  # discovery says why it is skipped
        data = lexed.data
        musa = cuda = False
        if facts.includes:
            protected = find_protected(lexed) if b"MUSA" in data else None
            for include in facts.includes:
                name = include.path
                musa = musa or (
                    _MUSA_HEADER.match(name) is not None
                    and not (protected and protected.why(include.start))
                )
                cuda = cuda or name in self.table.headers
        if musa and not cuda:
            return "musa", "already MUSA"
        if b"skip-file" in data and find_protected(lexed).why(0) and _SKIP_FILE.search(data):
            return "c++", "excluded by a mark (sigtrans: skip-file)"
        if found.path.endswith((".cu", ".cuh")) or cuda:
            return "cuda", ""
        if b"__global__" in data or b"__device__" in data or b"<<<" in data:
            return "cuda", ""
        targets, flags = self.table.targets, self.table.flags
        telling = any(
            w[2] in targets or (w[2] in flags and flags[w[2]].tells_cuda) for w in lexed.words
        )
        return "cuda" if telling else "c++", ""

    def plan(self, path: str, project: Project) -> Outcome:
        """Never raises: a fault of ours becomes SIG999 on that file."""
        held = self.held.pop(path)
        try:
            if held.scan.fault:
                raise InternalFault(held.scan.fault)
            return self._plan(held, project)
        except Exception as fault:
            detail = held.scan.fault or _traceback()
            import logging  # only where something has gone wrong: start-up counts

            logging.getLogger("sigtrans").warning("internal fault in %s\n%s", path, detail)
            port_path = project.renamed.get(path, path)  # others already refer to the new name
            return Outcome(_internal(held, port_path, fault, detail))

    def _plan(self, held: _Held, project: Project) -> Outcome:
        file, found, scan = held.file, held.found, held.scan
        if scan.skip:
            said = tuple(_broken_includes(held, project))
            kept, silenced = _judge(said, file.path, self.settings.config)
            return Outcome(
                FileResult(
                    file.path,
                    file.path if found.copied else "",
                    scan.kind,
                    Status.SKIPPED,
                    scan.skip,
                    len(file.data),
                    diagnostics=file.place(kept),
                    silenced=silenced,
                )
            )
        alone: tuple[Diagnostic, ...] = ()
        if len(project.files) == 1 and scan.facts is not None:
            alone = tuple(_left_behind(self.folder, file, scan.facts))
        if held.lexed is not None and scan.facts is not None:
            findings = self._code_findings(file, held.lexed, scan, project)
        else:
            build = self._build_findings(scan.kind, file, project)
            findings = CodeFindings(build.edits, build.diagnostics)
        applied = apply(file.data, findings.edits)
        refused = [
            Diagnostic(
                edit.span,
                "SIG011",
                Severity.WARNING,
                f"an edit of rule '{edit.rule}' was not made: it overlaps another edit",
                "change this place by hand",
                edit.rule,
            )
            for edit in applied.refused
            if edit.safety > Safety.HINT
        ]
        gate = _gate(held, applied) if applied.taken else ""
        if findings.reshaped and not gate:
            gate = self._again(held, applied.data, project, findings.reshaped)
        kept, silenced = _judge(
            [*findings.diagnostics, *refused, *alone], file.path, self.settings.config
        )
        port_path = project.renamed.get(file.path, file.path)
        if gate:
            kept.append(
                Diagnostic(
                    Span(0, 0),
                    "SIG998",
                    Severity.ERROR,
                    f"the port of this file failed a check of ours and was dropped: {gate}",
                    "port this file by hand and send us the file if you can",
                    "gate",
                )
            )
            return Outcome(
                FileResult(
                    file.path,
                    port_path,
                    scan.kind,
                    Status.FAILED,
                    gate,
                    len(file.data),
                    diagnostics=file.place(kept),
                    silenced=silenced + findings.protected,
                )
            )
        changed = bool(applied.taken) or port_path != file.path
        return Outcome(
            FileResult(
                file.path,
                port_path,
                scan.kind,
                Status.PORTED if changed else Status.UNCHANGED,
                "",
                len(file.data),
                applied.taken,
                file.place(kept),
                silenced + findings.protected,
                tuple(sorted(findings.helpers)),
            ),
            applied.data if changed else None,
        )

    def _code_findings(
        self,
        file: SourceFile,
        lexed: Lexed,
        scan: Scan,
        project: Project,
        passes: tuple[str, ...] | None = None,
    ) -> CodeFindings:
        assert scan.facts is not None
        port = Port(self.settings.targets, self.settings.sdk, self.settings.strict)
        found = find_code(
            file, lexed, scan.facts, project, self.table, port, scan.kind == "cuda", passes
        )
        return _with_generated(file, found) if found.edits else found

    def _again(self, held: _Held, draft: bytes, project: Project, passes: tuple[str, ...]) -> str:
        """Why the draft of a C-family file is not the end ("" when it is): what a second run over
        it would change. Asked of the names and of the passes that edited; that the others find
        nothing in what those write is a law that the tests try."""
        if held.lexed is None:
            return ""
        file = SourceFile(held.file.path, draft)
        lexed = lex(draft, self._pattern(draft))
        scan = replace(held.scan, facts=find_facts(file, lexed, self.table))
        found = self._code_findings(file, lexed, scan, project, passes)
        if not found.edits:
            return ""
        first = min(found.edits)
        return (
            f"a second run would change it again (rule '{first.rule}', offset {first.span.start})"
        )

    def _build_findings(self, kind: str, file: SourceFile, project: Project) -> Findings:
        context = BuildContext(self.settings.targets, self.settings.sdk, project.renamed)
        module = _BUILD_PASSES[kind]
        find: Callable[[SourceFile, BuildContext], Findings] = importlib.import_module(
            f"sigtrans.passes.{module}"
        ).find
        findings = find(file, context)
        moved = any(b"musa_extension" in edit.text for edit in findings.edits)
        if moved and b"load_inline" in file.data:
            from sigtrans.passes.inline_source import find as find_inline  # few files need it

            port = Port(self.settings.targets, self.settings.sdk, self.settings.strict)
            findings = find_inline(file, findings, self.table, port)
        return _with_kept(file, findings, project) if findings.edits else findings


_CU_PATTERN = re.compile(rb"[*?\]][^\s\"'();]*\.cuh?\b")
_FOLDER = re.compile(rb"[^\s\"'();=]*\Z")  # what stands before a pattern
_NO_FOLDER = re.compile(r"(?:\$\{\w+\}|\*|\.{0,2})/")


def _with_kept(file: SourceFile, findings: Findings, project: Project) -> Findings:
    """A pattern that now asks for .mu no longer finds the files that keep .cu."""
    said: list[Diagnostic] = []
    for match in _CU_PATTERN.finditer(file.data):
        start, end = match.span()
        folder = _FOLDER.search(file.data, max(0, start - 400), start)
        pattern = decode((folder.group() if folder else b"") + match.group())
        while head := _NO_FOLDER.match(pattern):
            pattern = pattern[head.end() :]
        wanted = "*/" + re.sub(r"\$\{\w+\}", "*", pattern)
        if not any(e.span.start < end and start < e.span.end for e in findings.edits):
            continue
        left = sorted(
            path
            for path in project.files
            if path not in project.renamed and fnmatchcase("/" + path, wanted)
        )
        if left:
            said.append(
                Diagnostic(
                    Span(start, end),
                    "SIG706",
                    Severity.WARNING,
                    f"this pattern no longer matches '{left[0]}'"
                    + (f" and {len(left) - 1} more files" if len(left) > 1 else "")
                    + " (kept under the old name)",
                    "name those files beside the pattern if it is to find them",
                    "build/pattern",
                )
            )
    return Findings(findings.edits, (*findings.diagnostics, *said)) if said else findings


def _left_behind(folder: str, file: SourceFile, facts: FileFacts) -> Iterator[Diagnostic]:
    """A file ported by itself: the headers beside it were not looked at."""
    for include in facts.includes:
        name = include.path.decode("utf-8", "replace")
        place = posixpath.join(folder, posixpath.dirname(file.path), name)
        if not include.angled and os.path.isfile(place):  # noqa: PTH113
            yield Diagnostic(
                Span(include.start, include.end),
                "SIG013",
                Severity.WARNING,
                f"only this file was ported; '{name}', which it includes, was not looked at",
                "port the folder that holds both",
                "files/alone",
            )


def _with_generated(file: SourceFile, findings: CodeFindings) -> CodeFindings:
    """Say so when a generator would undo the port."""
    marker = find_generated(file.data[:4096])
    if not marker:
        return findings
    note = Diagnostic(
        Span(0, 0),
        "SIG012",
        Severity.NOTE,
        f"this file says that it is generated ('{marker[:60]}'); it is ported all the same",
        "port its generator too, or the next run of it undoes the port",
        "files/generated",
    )
    return replace(findings, diagnostics=(*findings.diagnostics, note))


def _traceback() -> str:
    import traceback

    return traceback.format_exc()


class InternalFault(Exception):
    """A fault found while scanning, carried to the planning stage."""


_BUILD_PASSES = {
    "cmake": "cmake",
    "make": "make",
    "python": "python_build",
    "toml": "python_build",
    "manifest": "python_build",
    "bazel": "other_build",
    "meson": "other_build",
    "xmake": "other_build",
    "shell": "other_build",
}
_SKIP_FILE = re.compile(rb"sigtrans:[ \t]*skip-file\b")
_MUSA_HEADER = re.compile(
    rb"(?:musa(?:_runtime|_runtime_api|_fp16|_bf16|_fp8)?\.h|mu(?:blas|fft|rand|sparse|solver|dnn)\w*\.h"
    rb"|mccl\.h|torch_musa/)"
)


def _read(path: str, size: int) -> bytes:
    """The file's bytes; O_NONBLOCK so that a file that became a FIFO cannot hang us."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        chunks = [os.read(handle, size + 1)]
        while chunks[-1]:
            chunks.append(os.read(handle, 1 << 20))
        return b"".join(chunks)
    finally:
        os.close(handle)


def _broken_includes(held: _Held, project: Project) -> Iterator[Diagnostic]:
    """A file that is not ported includes a header that is renamed."""
    if held.scan.facts is None or not project.renamed:
        return
    for include in held.scan.facts.includes:
        if not include.path.endswith((b".cuh", b".cu")):
            continue
        name = include.path.decode("utf-8", "replace")
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(held.file.path), name))
        paths = project.by_name.get(name.rpartition("/")[2], ())
        tail = "/" + name.lstrip("./")
        hits = [p for p in paths if p == beside or ("/" + p).endswith(tail)]
        moved = [p for p in hits if p in project.renamed]
        if moved and beside not in (set(hits) - set(moved)):
            yield Diagnostic(
                Span(include.start, include.end),
                "SIG132",
                Severity.ERROR,
                f"this file is not ported ({held.scan.skip}), but includes '{name}', which "
                f"becomes '{project.renamed[moved[0]]}'",
                "change the include by hand, port this file too, or use --keep-extensions",
                "headers/unported-includer",
            )


def _gate(held: _Held, applied: Applied) -> str:
    """Why a draft must not be used ("" when it may): the finished bytes against what was planned.

    In C-family files every edit swaps one name (or the path of an include) for another, so a draft
    parses as the original did and a second run finds nothing new, provided that each new text
    stands at its place, joins no neighbour, and all else is the original's bytes.
    """
    before, after = held.file.data, applied.data
    at = to = 0
    for edit in applied.taken:
        start, end, text = edit.span.start, edit.span.end, edit.text
        kept = start - at
        if after[to : to + kept] != before[at:start]:
            return f"bytes before offset {start} are not the original's"
        to += kept
        stop = to + len(text)
        if after[to:stop] != text:
            return f"the edit at offset {start} is not what was planned"
        if held.lexed is not None and (_joins(after, to) or _joins(after, stop)):
            return f"the new name at offset {start} would join its neighbour"
        at, to = end, stop
    if after[to:] != before[at:]:
        return "bytes after the last edit are not the original's"
    return _parse_gate(held.scan.kind, before, applied)


def _joins(data: bytes, at: int) -> bool:
    """Would the bytes on both sides of `at` read as one name?"""
    if not 0 < at < len(data) or (at == 3 and data.startswith(b"\xef\xbb\xbf")):
        return False
    return data[at - 1] in IDENTIFIER_BYTES and data[at] in IDENTIFIER_BYTES


def _parse_gate(kind: str, before: bytes, applied: Applied) -> str:
    """A build file parses no worse than it did."""
    after = applied.data
    if kind == "python":
        return "" if not _compiles(before) or _compiles(after) else "it is no valid Python any more"
    # In CMake only these bytes shape a command; an edit that keeps them cannot break one.
    if kind == "cmake" and any(
        before[e.span.start : e.span.end].translate(None, _CMAKE_PLAIN)
        != e.text.translate(None, _CMAKE_PLAIN)
        for e in applied.taken
    ):
        from sigtrans.passes.cmake import is_whole

        return "" if is_whole(after) or not is_whole(before) else "a command is not closed any more"
    return ""


_CMAKE_PLAIN = bytes(set(range(256)) - set(b'()"\\#[]\n'))


def _compiles(data: bytes) -> bool:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the user's escapes, not about us
            compile(data, "draft", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def _internal(held: _Held, port_path: str, fault: Exception, detail: str) -> FileResult:
    last = detail.strip().splitlines()[-1]
    said = Diagnostic(
        Span(0, 0),
        "SIG999",
        Severity.ERROR,
        f"internal error, this file is left as it was: {last[:200]}",
        "please report it with the file; --verbose shows the traceback",
        "internal",
    )
    return FileResult(
        held.file.path,
        port_path,
        held.scan.kind,
        Status.FAILED,
        f"internal error: {type(fault).__name__}",
        len(held.file.data),
        diagnostics=held.file.place([said]),
    )


# --- one process or several --------------------------------------------------------------------

_WEIGHT = {"cmake": 10, "make": 6, "python": 2}  # cost of a byte, against one of C++
_PAYS_OFF = 4 * 1024 * 1024  # bytes of source per process; below that start-up costs more


class _Pool:
    """Runs `Worker`s: in this process, or in several that each keep the files they have read."""

    def __init__(self, folder: str, settings: Settings, work: list[Found]) -> None:
        self.total = len(work)
        size = sum(f.size for f in work)
        wanted = settings.jobs or min(os.cpu_count() or 1, 1 + size // _PAYS_OFF)
        self.jobs = max(1, min(wanted, len(work)))
        # The largest first, each to the least loaded: an even split that depends on nothing else.
        self.parts: list[list[Found]] = [[] for _ in range(self.jobs)]
        loads = [0] * self.jobs
        for each in sorted(work, key=lambda f: (-f.size * _WEIGHT.get(f.kind, 1), f.path)):
            least = loads.index(min(loads))
            self.parts[least].append(each)
            loads[least] += each.size * _WEIGHT.get(each.kind, 1) + 2000
        self.local = Worker(folder, settings) if self.jobs == 1 else None
        self.pipes: list[Connection] = []
        self.processes: list[Any] = []
        if self.local is None:
            self._start(folder, settings)

    def _start(self, folder: str, settings: Settings) -> None:
        import multiprocessing

        fork = "fork" in multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context("fork" if fork else "spawn")
        worker = Worker(folder, settings) if fork else None  # its tables are then shared
        for _ in self.parts:
            here, there = context.Pipe()
            process = context.Process(
                target=_serve, args=(there, folder, settings, worker), daemon=True
            )
            process.start()
            there.close()
            self.pipes.append(here)
            self.processes.append(process)
        for pipe, part in zip(self.pipes, self.parts, strict=True):
            pipe.send(part)  # they begin at once

    def close(self, at_once: bool) -> None:
        """End the worker processes."""
        for pipe in self.pipes:
            pipe.close()
        for process in self.processes:
            if at_once:
                process.terminate()
            process.join()

    def scan(self, progress: Progress | None) -> list[Scan]:
        """The first look at every file."""
        if self.local is not None:
            done: list[Scan] = []
            for each in self.parts[0]:
                done.append(self.local.scan(each))
                if progress is not None:
                    progress("reading", len(done), self.total)
            return done
        return self._collect("reading", progress)

    def plan(self, project: Project, progress: Progress | None) -> list[Outcome]:
        """The plan of every file that some worker holds."""
        if self.local is not None:
            done: list[Outcome] = []
            paths = sorted(self.local.held)
            for path in paths:
                done.append(self.local.plan(path, project))
                if progress is not None:
                    progress("planning", len(done), len(paths))
            return done
        for pipe in self.pipes:
            pipe.send(project)
        rows = self._collect("planning", progress)
        return [Outcome(from_row(row), draft) for row, draft in rows]

    def _collect(self, stage: str, progress: Progress | None) -> list[Any]:
        from multiprocessing.connection import wait

        done: list[Any] = []
        open_pipes = list(self.pipes)
        while open_pipes:
            for ready in wait(open_pipes):
                pipe = cast("Connection", ready)
                try:
                    chunk = pipe.recv()
                except EOFError:
                    raise SigtransError(
                        f"a worker process died while {stage} (out of memory?); nothing was "
                        "written; try again with --jobs 1"
                    ) from None
                if chunk is None:
                    open_pipes.remove(pipe)
                    continue
                done += chunk
                if progress is not None:
                    progress(stage, len(done), self.total)
        return done


def _serve(pipe: Connection, folder: str, settings: Settings, worker: Worker | None) -> None:
    """A worker process: scan what is sent, then plan it; results go back in chunks."""
    worker = worker or Worker(folder, settings)
    try:
        _send_chunks(pipe, (_for_parent(worker.scan(each)) for each in pipe.recv()))
        project = pipe.recv()
        outcomes = (worker.plan(path, project) for path in sorted(worker.held))
        _send_chunks(pipe, ((to_row(o.result), o.draft) for o in outcomes))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        return  # the parent is gone or was interrupted; it says so itself


def _for_parent(scan: Scan) -> Scan:
    """Without the includes, which only the worker needs."""
    facts = scan.facts
    if facts is None or not facts.includes:
        return scan
    return replace(scan, facts=replace(facts, includes=()))


def _send_chunks(pipe: Connection, results: Iterable[object]) -> None:
    chunk: list[object] = []
    for each in results:
        chunk.append(each)
        if len(chunk) == 32:
            pipe.send(chunk)
            chunk = []
    pipe.send(chunk)
    pipe.send(None)
