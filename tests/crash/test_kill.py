"""A port is killed: at random instants, and just before each of its calls in turn."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness import fast_folder, killed_at, run_kills
from test_faults import SCENARIOS, Bench

from sigtrans import store


def test_kills_at_random_instants(tmp_path: Path) -> None:
    kills = int(os.environ.get("SIGTRANS_KILLS", "60"))
    counts = run_kills(tmp_path, kills, files=60, seed=kills)
    assert counts["kills"] == kills
    assert counts["after recovery: old"] + counts["after recovery: new"] == kills
    assert counts["strays"] == 0
    assert counts["undo after recovery not exact"] == 0


@pytest.mark.parametrize("name", SCENARIOS, ids=lambda name: name.replace(" ", "-"))
def test_kill_before_each_call(name: str) -> None:
    with fast_folder() as folder:
        bench = Bench(folder, SCENARIOS[name])
        states = []
        for n in range(1, len(bench.calls) + 2):
            bench.reset()
            killed = killed_at(n, lambda: bench.scenario.work(bench.folder))
            assert killed == (n <= len(bench.calls))
            states.append(bench.check_settled(f"killed before call {n}"))
        assert states == sorted(states, reverse=True), "once it is new it stays new"
        assert {"old", "new"} == set(states)


@pytest.mark.parametrize("name", SCENARIOS, ids=lambda name: name.replace(" ", "-"))
def test_kill_before_each_call_of_a_recovery(name: str) -> None:
    with fast_folder() as folder:
        bench = Bench(folder, SCENARIOS[name])
        changing = [
            n for n, call in enumerate(bench.calls, 1) if call in ("rename", "unlink", "rmdir")
        ]
        for at in changing[:: max(1, len(changing) // 3)]:
            n, killed = 0, True
            while killed:
                n += 1
                bench.reset()
                killed_at(at, lambda: bench.scenario.work(bench.folder))
                killed = killed_at(n, lambda: store.recover(bench.tree))
                bench.check_settled(f"killed before call {at}, recovery before call {n}")
            assert n > 2
