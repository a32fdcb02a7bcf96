"""Mutated inputs: no crash, no hang, no damage, nothing to do on a second run."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import pytest
from checks import find_faults
from mutations import Campaign, Ways, load_seeds, run_campaign, shrink

from sigtrans import names, plan, source
from sigtrans.plan import Settings

KERNEL = b"#include <cuda_runtime.h>\nint main()\n{\n    cudaFree(0);\n    return cudaSuccess;\n}\n"


def test_mutated_inputs() -> None:
    cases = int(os.environ.get("SIGTRANS_FUZZ", "600"))
    campaign = run_campaign(cases, 20240, load_seeds())
    assert campaign.cases == cases
    assert campaign.ported > cases // 5, "most seeds hold CUDA; the mutants must still reach it"
    assert campaign.counts == {}, _tell(campaign)


def test_the_same_seed_makes_the_same_cases() -> None:
    first, again = (run_campaign(30, 7, load_seeds()) for _ in range(2))
    assert (first.size, first.ported, first.trees) == (again.size, again.ported, again.trees)


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        (lambda data: data[:-1], "bytes outside the edits changed"),
        (lambda data: data.replace(b"    ", b"\t"), "bytes outside the edits changed"),
        (lambda data: data.replace(b"musaFree", b"musa\xff"), "bytes outside the edits changed"),
    ],
    ids=("cut", "tabs", "other-text"),
)
def test_damage_is_seen(tmp_path: Path, damage: object, kind: str) -> None:
    assert callable(damage)

    def bad_apply(data: bytes, edits: tuple[source.Edit, ...]) -> source.Applied:
        applied = source.apply(data, edits)
        changed = damage(applied.data) if applied.taken else applied.data
        return source.Applied(changed, applied.taken, applied.refused)

    with mock.patch.object(plan, "apply", bad_apply), mock.patch.object(plan, "_gate", _pass):
        faults, _ = find_faults({"a.cu": KERNEL}, Settings(jobs=1), tmp_path)
    assert kind in {f.kind for f in faults}


def test_a_fault_of_ours_is_seen_and_made_small(tmp_path: Path) -> None:
    def crash(*_: object) -> object:
        raise RuntimeError("on purpose")

    files = {"a.cu": KERNEL, "b.cu": KERNEL * 3}
    with (
        mock.patch.object(plan, "find_protected", crash),
        mock.patch.object(plan, "find_code", crash),
    ):
        faults, _ = find_faults(files, Settings(jobs=1), tmp_path / "first")
        assert {(f.kind, f.path) for f in faults if f.kind == "SIG999"} == {
            ("SIG999", "a.cu"),
            ("SIG999", "b.cu"),
        }
        fault = next(f for f in faults if f.path == "b.cu")
        small = shrink(fault, files, Settings(jobs=1), Ways())
    assert list(small) == ["b.cu"]
    assert len(small["b.cu"]) < 10


def test_edits_on_a_second_run_are_seen(tmp_path: Path) -> None:
    table = names.load()
    table.targets[b"cudaFree"] = b"cudaMalloc"
    with mock.patch("checks._tables", lambda *_: table):
        # As a.mu and with a MUSA header the port is left alone, whatever is in it.
        faults, _ = find_faults({"a.cu": KERNEL}, Settings(jobs=1), tmp_path / "plain")
        assert faults == []
        faults, _ = find_faults({"a.cu": KERNEL}, Settings(jobs=1), tmp_path / "whole", whole=True)
        assert [(f.kind, f.signature) for f in faults] == [("not idempotent", "names/rename")]


def test_a_hang_is_seen(tmp_path: Path) -> None:
    def hang(*_: object) -> object:
        while True:
            pass

    with mock.patch.object(plan, "find_facts", hang), mock.patch("checks.LIMIT", 0.05):
        faults, _ = find_faults({"a.cu": KERNEL}, Settings(jobs=1), tmp_path)
    assert [(f.kind, f.path) for f in faults] == [("hang", "a.cu")]


def _pass(*_: object) -> str:
    return ""


def _tell(campaign: Campaign) -> str:
    lines = [f"{n} x {sort}" for sort, n in campaign.counts.most_common()]
    for fault, files, settings, ways in campaign.faults[:3]:
        small = shrink(fault, files, settings, ways, 10)
        lines.append(f"{fault.kind} [{fault.signature}] {fault.path}: {fault.detail}\n  {small!r}")
    return "\n".join(lines)
