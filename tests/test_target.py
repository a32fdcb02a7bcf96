"""Target facts: each value with evidence, null where unknown, and the numbers passes rely on."""

from __future__ import annotations

import pytest

from sigtrans import target
from sigtrans.config import TARGETS
from sigtrans.source import SigtransError


def test_there_is_a_file_for_every_target() -> None:
    assert target.names() == TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_no_value_without_evidence(name: str) -> None:
    for key, fact in target.load(name).facts.items():
        if fact.value is None:
            assert (fact.evidence, fact.confidence) == (None, None), key
        else:
            assert fact.evidence, key
            assert fact.confidence in target.CONFIDENCE, key
            assert "index:" not in fact.evidence and "docs:" not in fact.evidence, key


def test_numbers_that_passes_rely_on() -> None:
    loaded = [target.load(name) for name in TARGETS]
    assert [t.arch for t in loaded] == [210, 220, 310]
    assert [t.number("shared_mem_per_block_static") for t in loaded] == [28672, 73728, 196608]
    assert [t.number("hardware_warp_size") for t in loaded] == [128, 128, 32]
    assert [t.number("logical_warp_size") for t in loaded] == [32, 32, 32]
    assert [t.number("constant_memory") for t in loaded] == [None, 8192, 8192]
    assert [t.value("bf16") for t in loaded] == [False, True, True]


def test_unknown_target() -> None:
    with pytest.raises(SigtransError, match=r"unknown target 'mp_99'; there are mp_21, mp_22"):
        target.load("mp_99")
    with pytest.raises(SigtransError, match="unknown target 'sdk'"):
        target.load("sdk")


def test_rendered() -> None:
    text = target.render("mp_21")
    assert "shared mem per block static: 28672\n    seen: " in text
    assert "cooperative launch: unknown\n" in text
