"""Every known difference between CUDA and MUSA: a port of its example does what the table says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from porting import port_tree, texts

from sigtrans import target
from sigtrans.config import TARGETS
from sigtrans.plan import Settings
from sigtrans.source import Severity

ROOT = Path(__file__).resolve().parent.parent
ENTRIES: list[dict[str, Any]] = yaml.safe_load((ROOT / "rules/differences.yaml").read_text())
FIELDS = {"id", "what", "does", "how", "evidence", "example", "fact", "has", "lacks", "codes"}
FIELDS |= {"target", "sdk", "path", "loud"}
WITH_EXAMPLE = [pytest.param(e, id=e["id"]) for e in ENTRIES if "example" in e]


def test_the_table_is_well_formed() -> None:
    ids = [entry["id"] for entry in ENTRIES]
    assert len(ids) == len(set(ids))
    for entry in ENTRIES:
        assert set(entry) <= FIELDS, entry["id"]
        assert all(entry.get(key) for key in ("what", "how", "evidence")), entry["id"]
        assert entry["does"] in ("edit", "report", "keep", "fact"), entry["id"]
        assert "index:" not in entry["evidence"], entry["id"]
        if "example" in entry:
            assert {"has", "lacks", "codes", "loud"} & set(entry), f"{entry['id']}: expects nothing"


def test_every_fact_about_the_targets_is_used_or_named() -> None:
    """A target fact that no entry names must be about the card alone, not about a program."""
    named = {entry["fact"] for entry in ENTRIES if "fact" in entry}
    known = {key for name in TARGETS for key in target.load(name).facts}
    assert named <= known


@pytest.mark.parametrize("entry", WITH_EXAMPLE)
def test_example(entry: dict[str, Any], tmp_path: Path) -> None:
    path = entry.get("path", "a.cu")
    settings = Settings(
        jobs=1, targets=(entry.get("target", "mp_31"),), sdk=entry.get("sdk", "5.2")
    )
    drafted = port_tree(tmp_path, {path: entry["example"]}, settings)
    (file,) = (f for f in drafted.plan.files if f.path == path)
    text = texts(drafted).get(file.port_path, entry["example"])
    codes = {d.code for d in file.diagnostics}
    for piece in entry.get("has", ()):
        assert piece in text
    for piece in entry.get("lacks", ()):
        assert piece not in text
    assert set(entry.get("codes", ())) <= codes
    if entry.get("loud"):
        assert any(d.severity is not Severity.NOTE for d in file.diagnostics)
