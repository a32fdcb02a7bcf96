"""The scorer of benchmarks/labels.py, on texts of our own; the public trees are a benchmark."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sigtrans.plan import FileResult, Status
from sigtrans.source import Diagnostic, Edit, Severity, Span

ROOT = Path(__file__).resolve().parent.parent


def load_benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("labels", ROOT / "benchmarks" / "labels.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["labels"] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


labels = load_benchmark()

PLACE = ("tree", "a.cu")
TEXT = b"""int lane = threadIdx.x % 32;
__shared__ float tile[32][8];
v += __shfl_xor_sync(0xffffffff, v, 16);
"""


def tokens(data: bytes) -> list[bytes]:
    return [data[span.start : span.end] for span in labels.find_sites(data)]


def span_of(token: bytes, data: bytes = TEXT) -> Span:
    start = data.index(token)
    return Span(start, start + len(token))


def site(line: int, column: int, text: str, label: str) -> object:
    return labels.Site(*PLACE, line, column, text, label)


LANE = site(1, 26, "32", "lane-id")
TILE = site(2, 23, "32", "none")
MASK = site(3, 22, "0xffffffff", "mask")
FOLD = site(3, 37, "16", "fold")
SITES = [LANE, TILE, MASK, FOLD]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a = 32u + 0x20 + 31UL;", ["32u", "0x20", "31UL"]),
        ("m = 0xFFFFFFFFu ^ ~0u ^ ~ 0;", ["0xFFFFFFFFu", "~0u", "~ 0"]),
        ("__shfl_sync(-1, v, 0); x = f(-1, y);", ["-1"]),
        ("w = t >> 5; h = h<<5u; x = t >> 15; y = a > 5;", ["5", "5u"]),
        ("#define LOG_WARP_SIZE 5\n#define LIMIT 5\n#define WARPS (5)\n", ["5", "5"]),
        ("for (int i = 16; i > 0; i /= 2) x[16] = 16;", ["16"]),
        ("v = __shfl_down_sync(m, v, 16);\nv = f(16);", ["16"]),
        ("n = warpSize; p = prop.warpSize; my_warpSize = warpSizes;", ["warpSize", "warpSize"]),
        ("float32 x32 = 32.0f + 0.32 + 3.2e32 + 320 + 1'032 + 0x32;", []),
        ("// 32\n/* 31 */ s = \"32\"; c = '32';", []),
    ],
)
def test_sites(text: str, wanted: list[str]) -> None:
    assert [token.decode() for token in tokens(text.encode())] == wanted


def warps(*spans: Span) -> dict[tuple[str, str], object]:
    return {PLACE: labels.Findings(warps=spans)}


def test_a_site_is_found_by_a_span_that_touches_it() -> None:
    score = labels.score_warps(SITES, warps(span_of(b"threadIdx.x % 32")), {PLACE: TEXT})
    assert score.found == {LANE}
    assert score.precision == 1
    assert score.recall == pytest.approx(1 / 3)


def test_a_finding_on_an_ordinary_number_costs_precision_only() -> None:
    found = warps(span_of(b"0xffffffff"), span_of(b"tile[32]"))
    score = labels.score_warps(SITES, found, {PLACE: TEXT})
    assert score.found == {MASK, TILE}
    assert score.precision == 0.5
    assert score.recall == pytest.approx(1 / 3)


def test_a_finding_beside_a_site_is_near_and_counts_for_neither() -> None:
    score = labels.score_warps(SITES, warps(span_of(b"__shfl_xor_sync")), {PLACE: TEXT})
    assert not score.found
    assert score.near == {MASK, FOLD}
    assert math.isnan(score.precision)
    assert score.recall == 0


def test_a_span_ends_with_its_line() -> None:
    whole = Span(0, len(TEXT))
    score = labels.score_warps(SITES, warps(whole), {PLACE: TEXT})
    assert score.found == {LANE}


def test_a_site_that_does_not_stand_there_is_an_error() -> None:
    with pytest.raises(labels.LabelError, match=r"a\.cu:1:1: '32'"):
        labels.score_warps([site(1, 1, "32", "none")], {}, {PLACE: TEXT})


GUARDED = b"""#if __CUDA_ARCH__ >= 800 && \\
    defined(FAST)
x();
#endif
"""
GUARD = labels.Guard(*PLACE, 1, "#if __CUDA_ARCH__ >= 800 … FAST", "bf16")


@pytest.mark.parametrize(
    ("kind", "token", "wanted"),
    [
        ("guards", b"__CUDA_ARCH__", "reported"),
        ("guards", b"FAST", "reported"),  # the same logical line
        ("edits", b"__CUDA_ARCH__", "edited"),
        ("others", b"FAST", "other"),
        ("guards", b"x()", "silent"),
        ("edits", b"#endif", "silent"),
    ],
)
def test_guards(kind: str, token: bytes, wanted: str) -> None:
    findings = {PLACE: labels.Findings(**{kind: (span_of(token, GUARDED),)})}
    assert labels.score_guards([GUARD], findings, {PLACE: GUARDED}) == {GUARD: wanted}


def test_a_diagnostic_about_the_file_is_not_about_its_second_line() -> None:
    second = labels.Guard(*PLACE, 4, "#endif", "presence")
    findings = {PLACE: labels.Findings(guards=(Span(0, 0),))}
    verdicts = labels.score_guards([GUARD, second], findings, {PLACE: GUARDED})
    assert verdicts == {GUARD: "reported", second: "silent"}


def test_what_counts_of_a_plan() -> None:
    def said(code: str, at: int) -> Diagnostic:
        return Diagnostic(Span(at, at + 1), code, Severity.WARNING, "")

    result = FileResult(
        "a.cu",
        "a.mu",
        "cuda",
        Status.PORTED,
        edits=(Edit(Span(0, 1), b"", "warp/lane"), Edit(Span(2, 3), b"", "runtime/memory")),
        diagnostics=(said("SIG204", 4), said("SIG410", 6), said("SIG101", 8)),
    )
    assert labels.findings_of(result, (Span(7, 8),)) == labels.Findings(
        warps=(Span(7, 8),),
        guards=(Span(6, 7),),
        edits=(Span(0, 1), Span(2, 3)),
        others=(Span(4, 5), Span(8, 9)),
    )


def file(sites: str, data: bytes = TEXT) -> object:
    digest = hashlib.sha256(data).hexdigest()
    return labels.File(*PLACE, digest, "owner/name", "0" * 40, sites)


def faults(
    files: list[object], sites: list[object], guards: list[object], data: bytes | None
) -> list[str]:
    texts = {} if data is None else {PLACE: data}
    made = labels.Labels(tuple(files), tuple(sites), tuple(guards))
    return list(labels.check(made, texts))


def test_check_accepts_what_fits() -> None:
    assert faults([file("all")], SITES, [], TEXT) == []
    assert faults([file("none", GUARDED)], [], [GUARD], GUARDED) == []


@pytest.mark.parametrize(
    ("sites", "data", "wanted"),
    [
        (SITES, None, "not there"),
        (SITES, TEXT + b"\n", "another version"),
        (SITES[1:], TEXT, "a.cu:1: a site without a label"),
        ([*SITES, site(1, 5, "lane", "none")], TEXT, "labelled, but no site"),
        ([*SITES, site(9, 1, "32", "none")], TEXT, "'32' is not there"),
    ],
)
def test_check_finds(sites: list[object], data: bytes | None, wanted: str) -> None:
    (fault,) = faults([file("all")], sites, [], data)
    assert wanted in fault


def test_check_finds_a_guard_that_moved() -> None:
    moved = labels.Guard(*PLACE, 3, "#if __CUDA_ARCH__ >= 800", "bf16")
    (fault,) = faults([file("none", GUARDED)], [], [moved], GUARDED)
    assert "a.cu:3" in fault


def test_the_tables_are_sound() -> None:
    made = labels.load()
    assert {each.label for each in made.sites} <= labels.ROLES | {labels.NONE}
    some = {each.place for each in made.files if each.sites != "none"}
    assert some == {each.place for each in made.sites}
    assert len(made.sites) >= 220
    assert len(made.guards) >= 220


def write_tables(folder: Path, warps_row: str, files_row: str) -> None:
    heads = {
        "files": "tree\tpath\tsha256\trepository\tcommit\tsites",
        "warps": "tree\tpath\tline\tcolumn\ttext\tlabel\twhy",
        "guards": "tree\tpath\tline\ttext\tfeature\twhy",
    }
    rows = {"files": files_row, "warps": warps_row, "guards": ""}
    for name, head in heads.items():
        (folder / f"{name}.tsv").write_text(f"{head}\n{rows[name]}", encoding="utf-8")


FILE_ROW = "t\ta.cu\tff\to/n\t00\tall\n"


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ("t\ta.cu\t1\t1\t32\twarps\twhy\n", "label cannot be 'warps'"),
        ("t\ta.cu\tone\t1\t32\tnone\twhy\n", "line is no number"),
        ("t\ta.cu\t1\t1\t32\tnone\n", "field 'why' is empty"),
        ("t\ta.cu\t1\t1\t32\tnone\twhy\tmore\n", "too many"),
        ("t\tb.cu\t1\t1\t32\tnone\twhy\n", "no row for t/b.cu"),
        ("t\ta.cu\t1\t1\t32\tnone\twhy\n" * 2, "two rows for t/a.cu:1:1"),
    ],
)
def test_wrong_tables_are_refused(tmp_path: Path, row: str, wanted: str) -> None:
    write_tables(tmp_path, row, FILE_ROW)
    with pytest.raises(labels.LabelError, match=wanted.replace(".", r"\.")):
        labels.load(tmp_path)


def test_a_tree_is_planned_from_its_labelled_files_only(tmp_path: Path) -> None:
    texts = {
        ("tree", "src/a.cu"): b"__global__ void k(int *p) { *p = warpSize; }\n",
        ("other", "b.cu"): TEXT,
    }
    results = labels.plan_tree("tree", texts, tmp_path)
    assert set(results) >= {("tree", "src/a.cu")}
    assert ("other", "b.cu") not in results
    roles = labels.find_roles("tree", texts)
    findings = {place: labels.findings_of(r, roles.get(place, ())) for place, r in results.items()}
    here = labels.Site("tree", "src/a.cu", 1, 34, "warpSize", "warp-size")
    assert labels.score_warps([here], findings, texts).found == {here}
