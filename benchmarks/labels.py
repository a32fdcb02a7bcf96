"""Score the warp and guard analyses against the hand-made labels in tests/labels.

    python benchmarks/labels.py TREES_FOLDER [--misses N] [--json FILE]

TREES_FOLDER holds clones of the repositories that tests/labels/files.tsv names, each in a folder of
the tree's name and at its commit; every labelled file is checked by its SHA-256. Only the labelled
files are copied, tree by tree, and planned as `sigtrans port` would plan them.

**Warps.** A site is a token that `find_sites` finds. A site is *found* when the analysis behind the
warp pass (`sigtrans.passes.warp_sites.find_sites`) gives it a role: a span that shares at least one
byte with the token. Most such places are right as they are and need no word in the report, so edits
and diagnostics alone would not show what the analysis knows.

- recall = found sites whose label is a warp role / all sites whose label is a warp role
- precision = found sites whose label is a warp role / all found sites

Findings on tokens that are not sites (the name of a call, say) count for neither. They are shown
as *near*: sites that are not found, but whose logical line has such a finding somewhere.

**Guards.** A guard is *reported* when a diagnostic with a code SIG4xx has a span that shares a byte
with the guard's logical line (an empty span: lies on it), else *edited* when an edit of any rule
does; both count as handled. Whether the edit is right for what the branch needs is not judged here,
which is why the two are shown apart. Else any other diagnostic there makes the guard *other*, and a
guard with nothing at all is *silent*.

Exits with 1 when the labels and the trees do not belong together: a file is missing or differs, a
label stands on no site, or a file that is said to be labelled in full has a site without a label.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sigtrans.names import load as load_names  # noqa: E402
from sigtrans.passes import Code, warp_sites  # noqa: E402
from sigtrans.passes.code import find_protected  # noqa: E402
from sigtrans.plan import FileResult, Settings, Status, make_plan  # noqa: E402
from sigtrans.source import SourceFile, Span, line_starts  # noqa: E402
from sigtrans.symbols import find_facts, merge  # noqa: E402
from sigtrans.syntax import Lexed, find_blanks, lex, make_pattern  # noqa: E402

LABELS = ROOT / "tests" / "labels"
ROLES = frozenset(
    (
        "lane-id",
        "warp-id",
        "mask",
        "fold",
        "warps-sized",
        "tile",
        "launch-bounds",
        "width",
        "warp-size",
    )
)
NONE = "none"
FEATURES = frozenset(
    (
        "presence",
        "fp16-arith",
        "bf16",
        "fp8",
        "async-copy",
        "mma-f16",
        "mma-bf16",
        "mma-int8",
        "dp4a",
        "atomic-double",
        "atomic-half",
        "warp-sync-intrinsics",
        "cooperative-launch",
        "dynamic-parallelism",
        "cluster",
        "tma",
        "redux",
        "nanosleep",
        "library-version",
        "api-version",
        "compiler-version",
        "double-fp",
        "unified-memory",
        "other",
        "unknown",
    )
)


VERDICTS = ("reported", "edited", "other", "silent")  # the first two are handled


class LabelError(ValueError):
    """A label file is wrong; the message names the file, the line and the field."""


Place = tuple[str, str]  # tree, path


@dataclass(frozen=True, slots=True, order=True)
class File:
    """One labelled file, exactly as it was read when it was labelled."""

    tree: str
    path: str
    sha256: str
    repository: str  # owner/name
    commit: str
    sites: str  # all: every site has a label; some; none: it is here for its guards

    @property
    def place(self) -> Place:
        return self.tree, self.path


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """One token and what it means. Line and column count from 1, the column in bytes."""

    tree: str
    path: str
    line: int
    column: int
    text: str
    label: str

    @property
    def place(self) -> Place:
        return self.tree, self.path


@dataclass(frozen=True, slots=True, order=True)
class Guard:
    """One condition on an architecture or a version, and what its branch needs."""

    tree: str
    path: str
    line: int
    text: str
    feature: str

    @property
    def place(self) -> Place:
        return self.tree, self.path


Row = TypeVar("Row", Site, Guard)


@dataclass(frozen=True, slots=True)
class Labels:
    """Everything that tests/labels says."""

    files: tuple[File, ...]
    sites: tuple[Site, ...]
    guards: tuple[Guard, ...]


# --- reading ------------------------------------------------------------------------------------


def load(folder: Path = LABELS) -> Labels:
    """Read the three tables; a wrong row is an error, not a row less."""
    files = tuple(
        File(r["tree"], r["path"], r["sha256"], r["repository"], r["commit"], r["sites"])
        for r in _rows(folder / "files.tsv", {"sites": frozenset(("all", "some", "none"))})
    )
    sites = tuple(
        Site(r["tree"], r["path"], int(r["line"]), int(r["column"]), r["text"], r["label"])
        for r in _rows(folder / "warps.tsv", {"label": ROLES | {NONE}})
    )
    guards = tuple(
        Guard(r["tree"], r["path"], int(r["line"]), r["text"], r["feature"])
        for r in _rows(folder / "guards.tsv", {"feature": FEATURES})
    )
    known = {file.place for file in files}
    for place in sorted({row.place for row in sites} | {row.place for row in guards}):
        if place not in known:
            raise LabelError(f"files.tsv: no row for {'/'.join(place)}")
    for rows in (files, sites, guards):
        keys = Counter((r.place, getattr(r, "line", 0), getattr(r, "column", 0)) for r in rows)
        for (place, line, column), count in keys.items():
            if count > 1:
                raise LabelError(f"two rows for {'/'.join(place)}:{line}:{column}")
    return Labels(files, sites, guards)


def _rows(path: Path, allowed: Mapping[str, frozenset[str]]) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        table = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        for row in table:
            where = f"{path.name}:{table.line_num}"
            for name, value in row.items():
                if not isinstance(name, str) or not value:
                    raise LabelError(f"{where}: field '{name}' is empty, or there are too many")
                if name in allowed and value not in allowed[name]:
                    raise LabelError(f"{where}: {name} cannot be '{value}'")
                if name in ("line", "column") and not value.isdecimal():
                    raise LabelError(f"{where}: {name} is no number: '{value}'")
            yield row


# --- sites --------------------------------------------------------------------------------------

_SUFFIX = rb"(?:[uU][lL]{0,2}|[lL]{1,2}[uU]?)?(?![\w.'])"
_SITE = re.compile(
    rb"(?<![\w.'])(?:32|31|0[xX]0*(?:20|1[fF]|[fF]{8}))" + _SUFFIX  # a warp, its last lane, all
    + rb"|\bwarpSize\b|~[ \t]*0" + _SUFFIX  # the built-in, a device property; another full mask
    + rb"|(?<=_sync\()-1(?=[ \t]*,)"  # and another
    + rb"|(?<=>>)[ \t]*5" + _SUFFIX + rb"|(?<=<<)[ \t]*5" + _SUFFIX  # by warps
    + rb"|(?<![\w.'])(?:5|16)" + _SUFFIX  # only where the line says so, see `_is_site`
)  # fmt: skip
_STARTS_LOOP = re.compile(rb"\bfor[ \t]*\([^;]*=[ \t]*\Z")
_NAMES_WARP = re.compile(rb"[ \t]*#[ \t]*define[ \t]+\w*WARP\w*[ \t]+\(?[ \t]*\Z")


def find_sites(data: bytes) -> list[Span]:
    """Every token that could stand for a warp, in code.

    These are: the integers 32, 31, 0x20, 0x1f and 0xffffffff in any spelling; `~0`; `-1` as the
    mask of a `_sync` call; 5 as the distance of a shift, or as the value of a macro with WARP in
    its name; 16 as the start of a `for` loop or on a line that names a shuffle; and `warpSize`,
    the built-in as well as the device property.
    """
    blanks = Lexed(data, find_blanks(data), [], [])
    found: list[Span] = []
    for match in _SITE.finditer(data):
        token = match.group().lstrip()
        start = match.end() - len(token)
        if blanks.blank_at(start) is None and _is_site(data, start, token):
            found.append(Span(start, match.end()))
    return found


def _is_site(data: bytes, start: int, token: bytes) -> bool:
    digits = token.rstrip(b"uUlL")
    if digits not in (b"5", b"16"):
        return True
    before = data[data.rfind(b"\n", 0, start) + 1 : start]
    if digits == b"5":
        return before.rstrip().endswith((b">>", b"<<")) or _NAMES_WARP.match(before) is not None
    end = data.find(b"\n", start)
    line = before + data[start : end if end >= 0 else len(data)]
    return b"shfl" in line.lower() or _STARTS_LOOP.search(before) is not None


class Lines:
    """Byte offsets of lines, columns and logical lines of one file."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.starts = line_starts(data)
        self.lexed = Lexed(data, [], [], [])

    def span(self, line: int, column: int, text: str) -> Span | None:
        """Where `text` stands at that place, None when something else does."""
        if not 0 < line <= len(self.starts):
            return None
        start = self.starts[line - 1] + column - 1
        end = start + len(text.encode())
        return Span(start, end) if self.data[start:end] == text.encode() else None

    def logical(self, at: int) -> Span:
        return Span(*self.lexed.logical_line(at))

    def logical_of(self, line: int) -> Span:
        return self.logical(self.starts[line - 1]) if line <= len(self.starts) else Span(0, 0)


def overlaps(one: Span, other: Span) -> bool:
    """Do they share a byte? An empty span shares the one at its place."""
    end = max(one.end, one.start + 1)
    other_end = max(other.end, other.start + 1)
    return one.start < other_end and other.start < end


# --- checking -----------------------------------------------------------------------------------


def check(labels: Labels, texts: Mapping[Place, bytes]) -> Iterator[str]:
    """What does not fit between the labels and the files they are about."""
    lines = {place: Lines(data) for place, data in texts.items()}
    labelled: dict[Place, set[Span]] = {}
    for file in labels.files:
        data = texts.get(file.place)
        if data is None:
            yield f"{file.tree}/{file.path}: not there"
        elif hashlib.sha256(data).hexdigest() != file.sha256:
            yield f"{file.tree}/{file.path}: another version; wanted commit {file.commit}"
    for site in labels.sites:
        if site.place not in texts:
            continue
        span = lines[site.place].span(site.line, site.column, site.text)
        if span is None:
            yield f"{_at(site)}: '{site.text}' is not there"
        else:
            labelled.setdefault(site.place, set()).add(span)
    for place, data in texts.items():
        sites = set(find_sites(data)) if labelled.get(place) else set()
        for span in sorted(labelled.get(place, set()) - sites):
            yield f"{'/'.join(place)}: byte {span.start}: labelled, but no site"
    for file in labels.files:
        if file.sites == "all" and file.place in texts:
            rest = set(find_sites(texts[file.place])) - labelled.get(file.place, set())
            for span in sorted(rest):
                line = texts[file.place].count(b"\n", 0, span.start) + 1
                yield f"{file.tree}/{file.path}:{line}: a site without a label"
    for guard in labels.guards:
        if guard.place in texts:
            span = lines[guard.place].logical_of(guard.line)
            said = _squeeze(texts[guard.place][span.start : span.end].decode("utf-8", "replace"))
            if not all(_squeeze(part) in said for part in guard.text.split("…")):
                yield f"{guard.tree}/{guard.path}:{guard.line}: '{guard.text}' is not there"


def _squeeze(text: str) -> str:
    return re.sub(r"[\s\\]+", "", text)


def _at(site: Site) -> str:
    return f"{site.tree}/{site.path}:{site.line}:{site.column}"


# --- scoring ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Findings:
    """What a plan says about one file, as far as it counts here."""

    warps: tuple[Span, ...] = ()  # places with a role
    guards: tuple[Span, ...] = ()  # diagnostics SIG4xx
    edits: tuple[Span, ...] = ()  # of any rule
    others: tuple[Span, ...] = ()  # diagnostics of any other code


def find_roles(tree: str, texts: Mapping[Place, bytes]) -> dict[Place, tuple[Span, ...]]:
    """What the warp analysis finds in the labelled files of one tree, taken together."""
    table = load_names()
    files = [SourceFile(path, data) for (name, path), data in sorted(texts.items()) if name == tree]
    pattern = make_pattern((*table.extra_words, *table.torch_words))
    read = [(file, lex(file.data, pattern).with_blanks()) for file in files]
    facts = {file.path: find_facts(file, lexed, table) for file, lexed in read}
    project = merge(facts.values(), facts, {})
    found: dict[Place, tuple[Span, ...]] = {}
    for file, lexed in read:
        code = Code(
            file, lexed, facts[file.path], project, table, find_protected(lexed),
            ("mp_31",), "5.2", True, (),
        )  # fmt: skip
        sites = warp_sites.find_sites(code)
        found[tree, file.path] = tuple(Span(site.start, site.end) for site in sites)
    return found


def findings_of(result: FileResult, roles: tuple[Span, ...] = ()) -> Findings:
    """The spans of one planned file, by what they can count for."""
    edits = [(e.span, e.rule) for e in result.edits]
    said = [(d.span, d.code) for d in result.diagnostics]
    return Findings(
        warps=roles,
        guards=tuple(span for span, code in said if code.startswith("SIG4")),
        edits=tuple(span for span, _ in edits),
        others=tuple(span for span, code in said if not code.startswith("SIG4")),
    )


@dataclass(frozen=True, slots=True)
class WarpScore:
    """Which sites were found, and which have a finding on their line only."""

    found: frozenset[Site]
    near: frozenset[Site]
    sites: tuple[Site, ...]

    @property
    def hits(self) -> int:
        return sum(site.label != NONE for site in self.found)

    @property
    def precision(self) -> float:
        return self.hits / len(self.found) if self.found else float("nan")

    @property
    def recall(self) -> float:
        roles = sum(site.label != NONE for site in self.sites)
        return self.hits / roles if roles else float("nan")


def score_warps(
    sites: Sequence[Site], findings: Mapping[Place, Findings], texts: Mapping[Place, bytes]
) -> WarpScore:
    """See the module's docstring for what counts."""
    found: set[Site] = set()
    near: set[Site] = set()
    for place, group in _grouped(sites):
        lines = Lines(texts[place])
        spans: list[Span] = []
        for span in findings.get(place, Findings()).warps:
            end = lines.logical(span.start).end
            spans.append(Span(span.start, max(span.start, min(span.end, end))))
        for site in group:
            token = lines.span(site.line, site.column, site.text)
            if token is None:
                raise LabelError(f"{_at(site)}: '{site.text}' is not there")
            if any(overlaps(token, span) for span in spans):
                found.add(site)
            elif any(overlaps(lines.logical(token.start), span) for span in spans):
                near.add(site)
    return WarpScore(frozenset(found), frozenset(near), tuple(sites))


def score_guards(
    guards: Sequence[Guard], findings: Mapping[Place, Findings], texts: Mapping[Place, bytes]
) -> dict[Guard, str]:
    """Guard -> one of VERDICTS."""
    verdicts: dict[Guard, str] = {}
    for place, group in _grouped(guards):
        lines = Lines(texts[place])
        seen = findings.get(place, Findings())
        for guard in group:
            line = lines.logical_of(guard.line)
            kinds = zip(VERDICTS, (seen.guards, seen.edits, seen.others), strict=False)
            verdicts[guard] = next(
                (name for name, spans in kinds if any(overlaps(line, s) for s in spans)), "silent"
            )
    return verdicts


def _grouped(rows: Iterable[Row]) -> Iterator[tuple[Place, list[Row]]]:
    groups: dict[Place, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.place, []).append(row)
    yield from sorted(groups.items())


# --- the run ------------------------------------------------------------------------------------


def read_trees(files: Iterable[File], trees: Path) -> dict[Place, bytes]:
    """The bytes of every labelled file that is there."""
    places = {file.place: trees / file.tree / file.path for file in files}
    return {place: path.read_bytes() for place, path in places.items() if path.is_file()}


def plan_tree(tree: str, texts: Mapping[Place, bytes], scratch: Path) -> dict[Place, FileResult]:
    """Plan a copy of the labelled files of one tree."""
    root = scratch / tree
    for (name, path), data in texts.items():
        if name == tree:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
    plan = make_plan(root, Settings(jobs=1)).plan
    shutil.rmtree(root)
    return {(tree, result.path): result for result in plan.files}


def show_warps(score: WarpScore, misses: int) -> None:
    """A row for each label, the two figures, and where the tool is wrong."""
    print("label            sites  found   near   rest")
    for label in (*sorted(ROLES), NONE):
        sites = [site for site in score.sites if site.label == label]
        found = sum(site in score.found for site in sites)
        near = sum(site in score.near for site in sites)
        print(
            f"{label:15s}  {len(sites):5d}  {found:5d}  {near:5d}  {len(sites) - found - near:5d}"
        )
    print(f"precision {score.precision:.3f}  recall {score.recall:.3f}")
    missed = [s for s in score.sites if s.label != NONE and s not in score.found]
    wrong = [s for s in score.sites if s.label == NONE and s in score.found]
    for name, group in (("MISSED", missed), ("WRONG", wrong)):
        for site in group[:misses]:
            near_it = "  (finding on the line)" if site in score.near else ""
            print(f"{name} {_at(site)} {site.text} {site.label}{near_it}")
        if len(group) > misses:
            print(f"{name} and {len(group) - misses} more")


def show_guards(verdicts: Mapping[Guard, str], misses: int) -> None:
    """A row for each feature, and the guards that nothing was said about."""
    print("feature               guards  " + "  ".join(f"{name:>8s}" for name in VERDICTS))
    counts = Counter((guard.feature, verdict) for guard, verdict in verdicts.items())
    for feature in (*sorted({guard.feature for guard in verdicts}), "all"):
        row = [
            sum(n for (f, v), n in counts.items() if feature in (f, "all") and v == verdict)
            for verdict in VERDICTS
        ]
        cells = "  ".join(f"{cell:8d}" for cell in row)
        print(f"{feature:20s}  {sum(row):6d}  {cells}")
    unhandled = sorted(g for g, verdict in verdicts.items() if verdict in ("other", "silent"))
    for guard in unhandled[:misses]:
        verdict = verdicts[guard].upper()
        print(f"{verdict} {guard.tree}/{guard.path}:{guard.line} {guard.text} [{guard.feature}]")
    if len(unhandled) > misses:
        print(f"UNHANDLED and {len(unhandled) - misses} more")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("trees", type=Path, help="folder that holds the clones")
    parser.add_argument("--misses", type=int, default=1000, metavar="N", help="how many to list")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    args = parser.parse_args()
    labels = load()
    texts = read_trees(labels.files, args.trees)
    faults = list(check(labels, texts))
    for fault in faults:
        print(f"FAULT {fault}")
    if faults:
        return 1
    results: dict[Place, FileResult] = {}
    roles: dict[Place, tuple[Span, ...]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for tree in sorted({file.tree for file in labels.files}):
            results |= plan_tree(tree, texts, Path(scratch))
            roles |= find_roles(tree, texts)
    for file in labels.files:
        result = results[file.place]
        if result.status in (Status.SKIPPED, Status.FAILED):
            print(f"NOT PORTED {file.tree}/{file.path}: {result.reason}")
    findings = {place: findings_of(r, roles.get(place, ())) for place, r in results.items()}
    warps = score_warps(labels.sites, findings, texts)
    guards = score_guards(labels.guards, findings, texts)
    show_warps(warps, args.misses)
    show_guards(guards, args.misses)
    if args.json:
        verdicts = Counter(guards.values())
        figures = {
            "sites": len(labels.sites),
            "roles": sum(site.label != NONE for site in labels.sites),
            "found": len(warps.found),
            "hits": warps.hits,
            "guards": len(guards),
            **{f"guards {name}": count for name, count in sorted(verdicts.items())},
        }
        args.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
