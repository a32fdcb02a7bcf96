"""Each file-system call of the store fails once in turn: the tree is old or new, never mixed."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from harness import (
    Seam,
    changes_copy,
    changes_in_place,
    fast_folder,
    judge,
    killed_at,
    make_tree,
    snapshot,
    strays,
)

from sigtrans import store
from sigtrans.source import SigtransError

FAULTS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EACCES": errno.EACCES}


@dataclass(frozen=True)
class Scenario:
    """A prepared folder, the work to disturb, and the tree to look at."""

    prepare: Callable[[Path], None]
    work: Callable[[Path], object]
    tree: str


def prepare_source(folder: Path) -> None:
    make_tree(folder / "src", 5, 200)


def prepare_update(folder: Path) -> None:
    """A port whose source has since changed, lost a file and gained one; one output is edited."""
    prepare_source(folder)
    store.commit_copy(folder / "src", folder / "out", changes_copy(folder / "src"), state=b"1")
    src = folder / "src"
    (src / "part0" / "h0.h").write_bytes(b"cudaMalloc")
    (src / "part1" / "deep" / "k1.cu").write_bytes(b"cudaFree(edited)")
    (src / "part2" / "h2.h").unlink()
    (src / "more" / "yet").mkdir(parents=True)
    (src / "more" / "yet" / "x.h").write_bytes(b"cudaNew")
    (folder / "out" / "part1" / "deep" / "k1.mu").write_bytes(b"by hand")


def prepare_undo(folder: Path) -> None:
    prepare_source(folder)
    store.commit_in_place(folder / "src", changes_in_place(folder / "src"), state=b"1")


def work_copy(folder: Path) -> object:
    src = folder / "src"
    return store.commit_copy(src, folder / "out", changes_copy(src), state=b"2")


def work_in_place(folder: Path) -> object:
    return store.commit_in_place(folder / "src", changes_in_place(folder / "src"), state=b"2")


def work_twice(folder: Path) -> object:
    """A port in place over an earlier one, whose undo it replaces."""
    before = hashlib.sha256(b"left alone").hexdigest()
    changes = [
        store.Change("notes.txt", b"second", before=before),
        store.Change("new.txt", b"third"),
    ]
    return store.commit_in_place(folder / "src", changes, state=b"2")


SCENARIOS = {
    "copy": Scenario(prepare_source, work_copy, "out"),
    "update": Scenario(prepare_update, work_copy, "out"),
    "in place": Scenario(prepare_source, work_in_place, "src"),
    "in place again": Scenario(prepare_undo, work_twice, "src"),
    "undo": Scenario(prepare_undo, lambda folder: store.undo(folder / "src"), "src"),
}


class Bench:
    """Runs one scenario again and again from the same start."""

    def __init__(self, folder: Path, scenario: Scenario) -> None:
        self.folder, self.scenario = folder / "now", scenario
        self.start = folder / "start"
        self.settled = 0
        self.start.mkdir()
        scenario.prepare(self.start)
        self.old = snapshot(self.start / scenario.tree)
        self.reset()
        names = Seam(lambda k, name, real, args: real(*args))
        self.seam(names)
        self.calls = names.names
        self.new = snapshot(self.tree)
        assert self.old != self.new
        assert not strays(self.tree)

    @property
    def tree(self) -> Path:
        return self.folder / self.scenario.tree

    def reset(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.start, self.folder, symlinks=True)

    def seam(self, seam: Seam) -> None:
        store._os = seam  # type: ignore[assignment]
        try:
            self.scenario.work(self.folder)
        finally:
            store._os = os

    def judge(self, *, folders: bool = True) -> str:
        """Without `folders`, one that is empty but not yet removed does not matter."""
        return judge(self.tree, self.old, self.new, folders=folders)

    def check_settled(self, where: str) -> str:
        """Recover; then all must be old or new, nothing left over, and the work can be done.

        (The last only now and then: it takes most of the time.)
        """
        self.settled += 1
        store.recover(self.tree)
        state = self.judge()
        assert state in ("old", "new"), where
        assert not strays(self.tree), where
        if state == "old" and self.settled % 5 == 0:
            self.scenario.work(self.folder)
            assert self.judge() == "new", where
        return state


@pytest.fixture(params=SCENARIOS, ids=lambda name: name.replace(" ", "-"))
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    with fast_folder() as folder:
        yield Bench(folder, SCENARIOS[request.param])


def raising(n: int, code: int, until: int) -> Seam:
    """Calls `n` to `until` fail; a failing close closes all the same, as Linux has it."""

    def act(k: int, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        if not n <= k <= until or name == "sync":  # sync cannot fail
            return real(*args)
        if name == "access":
            return False
        if name == "close":
            real(*args)
        raise OSError(code, os.strerror(code), args[0] if isinstance(args[0], str) else None)

    return Seam(act)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_call_failing_once_leaves_old_or_new(bench: Bench, fault: str) -> None:
    for n, name in enumerate(bench.calls, 1):
        where = f"{fault} at call {n}, {name}"
        bench.reset()
        said = ""
        try:
            bench.seam(raising(n, FAULTS[fault], n))
        except SigtransError as refused:
            said = str(refused)
            assert "\n" not in said
        state = bench.judge(folders=False)
        assert state in ("old", "new"), where
        assert state == "new" or said, f"{where}: nothing done and nothing said"
        if said.endswith("nothing was changed"):
            assert state == "old", where
        assert bench.check_settled(where) == state


def test_a_disk_that_stays_broken_is_put_right_later(bench: Bench) -> None:
    for n, name in enumerate(bench.calls, 1):
        bench.reset()
        with pytest.raises(SigtransError) if n == 1 else _either():
            bench.seam(raising(n, errno.EIO, 1 << 30))
        bench.check_settled(f"EIO from call {n}, {name}, on")


def test_short_writes_are_carried_on(bench: Bench) -> None:
    writes = [n for n, name in enumerate(bench.calls, 1) if name == "write"]
    assert writes

    def act(k: int, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        if k == short and name == "write":
            return real(args[0], bytes(args[1])[: len(args[1]) // 2] or b"\0"[: len(args[1])])
        return real(*args)

    for short in writes:
        bench.reset()
        bench.seam(Seam(act))
        assert bench.judge() == "new", f"short write at call {short}"


def test_a_write_that_claims_too_much_is_noticed(bench: Bench) -> None:
    """As seen near a full disk: fewer bytes are written than the call says."""
    for n, name in enumerate(bench.calls, 1):

        def act(
            k: int, name: str, real: Callable[..., Any], args: tuple[Any, ...], n: int = n
        ) -> Any:
            if k == n:
                real(args[0], bytes(args[1])[:-1])
                return len(args[1])
            return real(*args)

        if name != "write":
            continue
        bench.reset()
        with _either():
            bench.seam(Seam(act))
        assert bench.judge() in ("old", "new")
        bench.check_settled(f"lying write at call {n}")


def test_recovery_failing_is_repeated(bench: Bench) -> None:
    """Killed while the tree changes; then each call of the recovery fails once in turn."""
    at = _middle(bench.calls)
    n = 0
    while True:
        n += 1
        bench.reset()
        killed_at(at, lambda: bench.scenario.work(bench.folder))
        store._os = seam = raising(n, errno.EIO, n)  # type: ignore[assignment]
        try:
            with _either():
                store.recover(bench.tree)
        finally:
            store._os = os
        bench.check_settled(f"killed at {at}, recovery failing at {n}")
        if len(seam.names) < n:
            break
    assert n > 5


def test_content_is_on_disk_before_it_gets_its_name(bench: Bench) -> None:
    """Recorded order: every file renamed into the tree was synced after its last write."""
    dirty: dict[int, str] = {}
    unsynced: set[str] = set()
    renames = 0

    def act(k: int, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        nonlocal renames
        result = real(*args)
        if name == "open" and args[1] & os.O_CREAT:
            dirty[result] = args[0]
        elif name == "write":
            unsynced.add(dirty[args[0]])
        elif name == "fsync" and args[0] in dirty:
            unsynced.discard(dirty[args[0]])
        elif name == "close":
            dirty.pop(args[0], None)
        elif name == "sync":
            unsynced.clear()
        elif name == "rename":
            renames += 1
            assert not [path for path in unsynced if path.startswith(args[0])], args[0]
        return result

    bench.reset()
    bench.seam(Seam(act))
    assert renames


def _middle(calls: list[str]) -> int:
    """A call in the thick of it: half of the renames and removals are done."""
    places = [n for n, name in enumerate(calls, 1) if name in ("rename", "unlink")]
    return places[len(places) // 2]


class _either:
    """Refused or not, both are fine here; anything but a refusal is not."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, fault: object, trace: object) -> bool:
        return isinstance(fault, SigtransError)
