"""The CPU backend's engine, by itself: scenes in C++, what they print and what they report."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from porting import find_compiler

import sigtrans

RUNTIME = Path(sigtrans.__file__).parent / "simt" / "runtime"
SCENES = Path(__file__).with_name("simt_engine.cpp")
CORE = ("engine", "fiber", "report")


@pytest.fixture(scope="module", params=["", "-DSIMT_UCONTEXT", "-fsanitize=address"])
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with the scenes, built with each way to switch stacks."""
    out = tmp_path_factory.mktemp("engine") / "engine"
    sources = [str(SCENES), *(str(p) for p in sorted(RUNTIME.glob("*.cpp")) if p.stem in CORE)]
    flags = ["-std=c++17", "-O1", "-g", "-Wall", "-Wextra", "-Werror", *request.param.split()]
    command = [find_compiler(), *flags, "-I", str(RUNTIME), *sources, "-o", str(out)]
    subprocess.run([*command, "-lpthread", "-ldl"], check=True)
    return out


def play(engine: Path, scene: str, **switches: object) -> tuple[str, str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SIMT_")}
    environment |= {f"SIMT_{k.upper()}": str(v) for k, v in switches.items()}
    done = subprocess.run(
        [str(engine), scene], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


SCENE_OUTPUT = {
    "barrier": "fault none\n9 8 7 6 5 4 3 2 1 0 19 18 17 16 15 14 13 12 11 10 \n",
    "order": "fault none\n0 1 2 3 4 5 | 0 1 2 3 4 5 \n",
    # 0, 7, ... 63 are ten multiples of seven below 70.
    "reductions": "fault none\n10 1 1 0\n",
    # down 1, up 2 in eights, xor 5, lane 11 % 8 = 3 of the own eight
    "shuffles": "fault none\n1000503 2010403 8050203 9081311 31292627 \n",
    "diverged warps": "fault none\n0:aaaa 0:ffe00000\n",
    # lanes 1, 2 (mod 3) make a first round, lanes 2 (mod 3) a second; all meet afterwards
    "converged": "fault none\n0:b6db6db6 0:24924924 0:ffffffff\n",
    "returned lanes": "fault none\n0:ffffffef\n",
    "match": "fault none\n0:42108421 0:21084210\n",
    "clusters": "fault none\n10 20 30 0 50 60 70 40 \n",
    "named": "fault none\nin order\n",
    "fill": "cdcdcdcd cdcdcdcd\nfault none\n",
    "after": "parent\nparent\nchild\nfault none\nfault none\n",
}


@pytest.mark.parametrize("scene", SCENE_OUTPUT)
def test_scene(engine: Path, scene: str) -> None:
    assert play(engine, scene) == (SCENE_OUTPUT[scene], "")


def test_threads_start_and_go_on_in_the_order_asked_for(engine: Path) -> None:
    assert play(engine, "order", order="down")[0] == "fault none\n5 4 3 2 1 0 | 0 1 2 3 4 5 \n"
    assert play(engine, "order", wake="down")[0] == "fault none\n0 1 2 3 4 5 | 5 4 3 2 1 0 \n"
    shuffled = play(engine, "order", order=7)[0]
    assert shuffled == play(engine, "order", order=7)[0] != SCENE_OUTPUT["order"]
    assert sorted(shuffled.split()[2:8]) == list("012345")


def test_a_warp_of_128_lanes(engine: Path) -> None:
    out, _ = play(engine, "wide warp", warp=128)
    bits = sum(1 << i for i in (0, 50, 100))
    high = 1 << (150 - 128)
    low = f"{bits >> 64:x}:{bits & (1 << 64) - 1:x}"
    assert out == f"fault none\n128 {low} 0:{high:x} 100\n"


def test_divergent_barrier_names_both_places(engine: Path) -> None:
    out, err = play(engine, "divergent")
    assert out == "fault none\n"
    assert err.startswith("simt: user.cu:41: divergent-barrier: ")
    assert "here and at user.cu:57" in err


def test_deadlock_counts_who_waits_where(engine: Path) -> None:
    out, err = play(engine, "deadlock")
    assert out == "fault deadlock\nfault none\n"
    assert "40 at a block barrier (user.cu:7), 24 in a warp function (user.cu:9)" in err


def test_mask_that_does_not_name_its_caller(engine: Path) -> None:
    assert "simt: user.cu:3: mask-without-caller: ballot: " in play(engine, "foreign mask")[1]


def test_grid_barrier(engine: Path) -> None:
    out, err = play(engine, "grid")
    assert out == "fault none\n780 780\nfault trap\n"  # 0 + ... + 39
    assert "user.cu:12: device-fault: grid barrier in a kernel that was not launched" in err


def test_waiting_for_memory(engine: Path) -> None:
    out, err = play(engine, "wait until")
    assert out == "seen\nfault none\nfault deadlock\n"
    assert "1 waiting for memory to change (user.cu:2)" in err


def test_shared_memory_beyond_the_limit(engine: Path) -> None:
    out, err = play(engine, "shared limit")
    assert out == "fault shared_limit\n"
    assert "user.cu:6: device-fault: 101 bytes of shared memory" in err


def test_bad_switch_is_refused(engine: Path) -> None:
    environment = {**os.environ, "SIMT_WARP": "33"}
    done = subprocess.run([str(engine), "barrier"], env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "simt: SIMT_WARP=33: expected 32, 64 or 128\n"


class TestFaults:
    """Faults of a GPU thread end the grid, not the process; a sanitizer ends the process."""

    @pytest.fixture(autouse=True)
    def plain(self, request: pytest.FixtureRequest, engine: Path) -> None:
        if "sanitize" in request.node.name:
            pytest.skip("the sanitizer stops the process at a fault")

    def test_faults(self, engine: Path) -> None:
        out, err = play(engine, "faults")
        faults = ("illegal_address", "arithmetic", "trap", "assertion", "stack_overflow")
        assert out == "".join(f"fault {f}\n" for f in faults) + "still here\nfault none\n"
        assert "illegal access to address 0x40" in err
        assert "user.cu:4: device-fault: said so" in err

    def test_overruns_of_shared_memory(self, engine: Path) -> None:
        out, err = play(engine, "shared overrun")
        assert out == "fault none\nfault none\nfault illegal_address\n"
        assert "user.cu:6: shared-overrun: memory behind the shared variable narrow" in err
        assert "behind the shared variable (dynamic)" in err
        assert ", behind the block's shared memory" in err

    def test_polling(self, engine: Path) -> None:
        assert play(engine, "spin on a later block", patience=5)[0] == "fault none\n"
        out, err = play(engine, "endless", patience=1)
        assert out == "fault endless\n"
        assert "no thread got anywhere in 1 s" in err
