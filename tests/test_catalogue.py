from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from sigtrans import catalogue
from sigtrans.source import Severity, SigtransError

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"\bSIG\d{3}\b")


def test_the_quick_titles_are_the_real_ones() -> None:
    assert dict(catalogue.titles()) == {e.code: e.title for e in catalogue.entries().values()}


def load_make_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "tools" / "make_docs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_docs"] = module
    spec.loader.exec_module(module)
    return module


make_docs = load_make_docs()
ENTRIES = [pytest.param(entry, id=entry.code) for entry in catalogue.entries().values()]


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_says_what_it_means_and_what_to_do(entry: catalogue.Entry) -> None:
    assert re.fullmatch(r"SIG\d{3}", entry.code)
    assert entry.code[:4] in make_docs.RANGES
    assert len(entry.title) <= 72 and not entry.title.endswith(".")
    assert len(entry.meaning.split()) >= 8 and entry.action
    assert re.fullmatch(r"\d+\.\d+\.\d+", entry.since)
    assert not entry.after or entry.before, "an 'after' needs its 'before'"


@pytest.mark.parametrize("entry", ENTRIES)
def test_explain_prints_the_whole_entry(entry: catalogue.Entry) -> None:
    text = catalogue.explain(entry.code.lower())
    assert text.startswith(f"{entry.code}: {entry.title}\n")
    squeezed = "".join(text.split())
    for part in (entry.meaning, entry.action, entry.before, entry.after):
        assert "".join(part.split()) in squeezed


def strings(path: Path) -> Iterator[str]:
    """The string literals of a module, without docstrings: those may name a code as an example."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield str(node.value)


def emitted_codes() -> set[str]:
    """Codes in the package and in the rules, which may name the code they report."""
    texts = [text for path in (ROOT / "sigtrans").rglob("*.py") for text in strings(path)]
    rules = (
        path
        for path in (ROOT / "rules").rglob("*.*")
        if path.name not in ("effort.tsv", "differences.yaml") and path.parent.name != "diagnostics"
    )
    texts += [path.read_text("utf-8") for path in rules]
    return {code for text in texts for code in CODE.findall(text)}


def test_every_code_that_is_emitted_is_in_the_catalogue() -> None:
    assert emitted_codes() - set(catalogue.entries()) == set()


def test_every_code_in_the_catalogue_is_emitted() -> None:
    assert set(catalogue.entries()) - emitted_codes() == set()


def test_pages_are_up_to_date() -> None:
    pages = make_docs.make_pages(catalogue.entries())
    assert make_docs.find_stale(ROOT / "docs" / "codes", pages) == []


def test_stale_pages_are_found(tmp_path: Path) -> None:
    pages = {"README.md": "index\n", "SIG001.md": "one\n"}
    (tmp_path / "README.md").write_text("old\n")
    (tmp_path / "SIG002.md").write_text("gone\n")
    assert make_docs.find_stale(tmp_path, pages) == [
        "README.md: out of date",
        "SIG001.md: missing",
        "SIG002.md: no such code any more",
    ]


def test_unknown_code_names_its_neighbours() -> None:
    with pytest.raises(SigtransError, match=r"no diagnostic has the code 'SIG99'.*SIG999"):
        catalogue.explain("SIG99")


GOOD = """
- code: SIG001
  title: A title
  severity: warning
  meaning: What it means.
  action: What to do.
  since: 0.1.0
"""


def test_a_good_file_loads(tmp_path: Path) -> None:
    path = tmp_path / "diagnostics.yaml"
    path.write_text(GOOD)
    entry = catalogue.load(path)["SIG001"]
    assert (entry.severity, entry.meaning) == (Severity.WARNING, "What it means.")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (GOOD.replace("  action: What to do.\n", ""), "SIG001.*needs 'action'"),
        (GOOD.replace("action:", "cure: x\n  action:"), "SIG001.*unknown field 'cure'"),
        (GOOD.replace("warning", "fatal"), "SIG001.*severity must be one of"),
        (GOOD + GOOD, "SIG001 is there twice"),
        ("code: SIG001", "must be a list"),
        ("- [", "diagnostics.yaml"),
        ("- SIG001", "must be a mapping"),
    ],
)
def test_a_bad_file_is_refused_with_its_place(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "diagnostics.yaml"
    path.write_text(text)
    with pytest.raises(SigtransError, match=fault):
        catalogue.load(path)
