"""Trees to port, the ways to break off a port, and the judgement of what is left."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import stat
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sigtrans import store
from sigtrans.store import Change

Tree = dict[str, tuple[str, bytes, int]]  # path -> kind, bytes or link text, mode


@contextmanager
def fast_folder() -> Iterator[Path]:
    """A fresh folder, in memory where that can be had: thousands of small trees are made there."""
    memory = Path("/dev/shm")
    usable = memory.is_dir() and os.access(memory, os.W_OK)
    with tempfile.TemporaryDirectory(dir=memory if usable else None) as folder:
        yield Path(folder).resolve()


def snapshot(root: Path) -> Tree:
    """Everything in the tree but our own folder."""
    found: Tree = {}
    for folder, folders, names in os.walk(os.fsencode(root)):
        if folder == os.fsencode(root) and b".sigtrans" in folders:
            folders.remove(b".sigtrans")
        for name in folders + names:
            path = os.path.join(folder, name)  # noqa: PTH118 - bytes: names need not be text
            here = os.lstat(path)
            mode = stat.S_IMODE(here.st_mode)
            shown = os.fsdecode(path[len(os.fsencode(root)) + 1 :])
            if stat.S_ISLNK(here.st_mode):
                found[shown] = ("link", os.readlink(path), 0)  # noqa: PTH115
            elif stat.S_ISDIR(here.st_mode):
                found[shown] = ("folder", b"", mode)
            elif stat.S_ISREG(here.st_mode):
                found[shown] = ("file", Path(os.fsdecode(path)).read_bytes(), mode)
            else:
                found[shown] = ("other", b"", mode)
    return found


def make_tree(root: Path, files: int, size: int = 2000) -> None:
    """A small project: kernels to rename, headers to edit, files to leave, links, odd modes."""
    root.mkdir(parents=True)
    for n in range(files):
        folder = root / f"part{n % 3}" / ("deep" if n % 2 else "")
        folder.mkdir(parents=True, exist_ok=True)
        name, ending = (f"k{n}.cu", b"\r\n") if n % 2 else (f"h{n}.h", b"\n")
        text = b"cudaFree(p);" + ending
        (folder / name).write_bytes(text * (size // len(text)) + b"// %d" % n)
        (folder / name).chmod(0o751 if n % 5 == 0 else 0o644)
    (root / "notes.txt").write_bytes(b"left alone")
    (root / "link.cu").symlink_to("part1/deep/k1.cu")


def ported(data: bytes) -> bytes:
    """A stand-in for the port of one file; the length changes."""
    return data.replace(b"cuda", b"mu_sa_")


def changes_in_place(root: Path) -> Iterator[Change]:
    """The port of `make_tree` within itself."""
    for folder, _, names in os.walk(root):
        if ".sigtrans" in folder:
            continue
        for name in sorted(names):
            at = Path(folder, name)
            path = at.relative_to(root).as_posix()
            if at.is_symlink():
                yield Change(path.replace(".cu", ".mu"), origin=at)
                yield Change(path, remove=True)
            elif name.endswith((".cu", ".h")):
                data = at.read_bytes()
                before = hashlib.sha256(data).hexdigest()
                if name.endswith(".cu"):
                    yield Change(path[:-3] + ".mu", ported(data), at)
                    yield Change(path, remove=True, before=before)
                else:
                    yield Change(path, ported(data), at, before=before)
    yield Change("made/new/port.txt", b"a file of the port")


def changes_copy(root: Path) -> Iterator[Change]:
    """The port of a tree into another place."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        if ".sigtrans" in folder:
            continue
        for name in sorted(names):
            at = Path(folder, name)
            path = at.relative_to(root).as_posix().replace(".cu", ".mu")
            if at.is_symlink() or not name.endswith((".cu", ".h")):
                yield Change(path, origin=at)
            else:
                yield Change(path, ported(at.read_bytes()), at)


def strays(root: Path) -> list[str]:
    """What recovery should have cleaned up, in the tree and beside it."""
    ours = root / ".sigtrans"
    allowed = {".gitignore", "lock", "undo", "state.json", "port.json", "new"}
    names = {path.name for path in ours.iterdir()} if ours.exists() else set()
    found = sorted(names - allowed)
    if names and names <= {".gitignore", "lock"}:
        found.append(".sigtrans")
    return found + [p.name for p in root.parent.iterdir() if p.name.startswith(".sigtrans")]


class Seam:
    """Stands in for `os` in the store and lets `act` decide about each call."""

    PURE = frozenset({"fspath", "getpid", "geteuid", "fsencode"})

    def __init__(self, act: Callable[[int, str, Callable[..., Any], tuple[Any, ...]], Any]) -> None:
        self.act = act
        self.names: list[str] = []

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if not callable(real) or name in self.PURE:
            return real

        def call(*args: Any, **kwargs: Any) -> Any:
            self.names.append(name)
            return self.act(len(self.names), name, lambda *a: real(*a, **kwargs), args)

        return call


def killed_at(n: int, work: Callable[[], object]) -> bool:
    """Run `work` in a child that is killed just before its `n`th call; False: it got through."""

    def act(k: int, name: str, real: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        if k == n:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args)

    pid = os.fork()
    if pid == 0:
        try:
            store._os = Seam(act)  # type: ignore[assignment]
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    assert not os.WIFEXITED(status) or os.WEXITSTATUS(status) == 0, "the work itself failed"
    return os.WIFSIGNALED(status)


def killed_after(seconds: float, work: Callable[[], object], sign: Path | None = None) -> bool:
    """Run `work` in a child and kill it after that time; False: it was through before.

    With `sign` the time runs from the moment when that file appears.
    """
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    limit = time.perf_counter() + 5
    while sign is not None and not sign.exists() and time.perf_counter() < limit:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def judge(root: Path, old: Tree, new: Tree, *, folders: bool = True) -> str:
    """What state the tree is in: "old", "new", "torn" or "half-ported"."""
    now = snapshot(root)
    if not folders:
        now, old, new = (
            {path: item for path, item in tree.items() if item[0] != "folder"}
            for tree in (now, old, new)
        )
    if now == old:
        return "old"
    if now == new:
        return "new"
    whole = all(now[path] in (old.get(path), new.get(path)) for path in now)
    return "half-ported" if whole else "torn"


def run_kills(folder: Path, kills: int, files: int, seed: int) -> Counter[str]:
    """Kill a port in place at random instants, and some recoveries too; count what is left."""
    rng = random.Random(seed)
    keep, root = folder / "keep", folder / "tree"
    journal = root / ".sigtrans" / "txn" / "journal.json"
    make_tree(keep, files)
    old = snapshot(keep)
    shutil.copytree(keep, root, symlinks=True)

    def work() -> None:
        store.commit_in_place(root, changes_in_place(root), state=b"state")

    work()
    new = snapshot(root)
    spans: list[float] = []
    ends: list[float] = []
    for _ in range(9):  # how long the child takes, fork and all; how long from its journal on
        _reset(keep, root)
        begun = seen = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            work()
            os._exit(0)
        there = False
        while not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if not there:
                there, seen = journal.exists(), time.perf_counter()
        os.waitpid(pid, 0)
        spans.append(time.perf_counter() - begun)
        ends.append(time.perf_counter() - seen)
    span, end = (sorted(times)[4] * 1.1 for times in (spans, ends))
    counts: Counter[str] = Counter()
    while counts["kills"] < kills:
        _reset(keep, root)
        # Half of the kills fall anywhere, half into the end, when the tree itself changes.
        late = rng.random() < 0.5
        instant = rng.uniform(0, end if late else span)
        if not killed_after(instant, work, journal if late else None):
            counts["finished before the kill came, not counted"] += 1
            continue
        counts["kills"] += 1
        counts["kills once the journal was there"] += late
        counts[f"before recovery: {judge(root, old, new)}"] += 1
        for _ in range(rng.choice((0, 0, 1, 2))):
            if killed_after(rng.uniform(0, span / 4), lambda: store.recover(root)):
                counts["recoveries killed"] += 1
        found = store.recover(root)
        counts[f"recover said: {found.how if found else 'nothing to do'}"] += 1
        state = judge(root, old, new)
        counts[f"after recovery: {state}"] += 1
        counts["strays"] += len(strays(root))
        if state == "new":
            store.undo(root)
            counts["undo after recovery not exact"] += judge(root, old, new) != "old"
    for name in ("torn", "half-ported"):
        counts[f"after recovery: {name}"] += 0
    return counts


def _reset(keep: Path, root: Path) -> None:
    shutil.rmtree(root)
    shutil.copytree(keep, root, symlinks=True)
