"""Port public trees and prove that nothing changed that was not to change.

    python benchmarks/roundtrip.py TREE... [--reencode] [--determinism TREE]

For every file of the port on disk: without an edit its bytes are the source's, with edits they are
the source's outside the edits. The port is then ported again, which must change nothing. With
--reencode each tree is checked once more with its source and build files put into awkward forms by
turns, since public trees hold few of some. With --determinism the JSON report of that tree is made
under several hash seeds, orders of folder entries and 1 to 8 processes, and must be the same bytes
each time. Exits with 1 on any fault.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fuzz")]

from checks import SORTS, Fault, check_written, sorts_of  # noqa: E402

from sigtrans.plan import Settings, Status, make_plan  # noqa: E402
from sigtrans.port import find_pairs  # noqa: E402

_SHUFFLED = """
import sys
sys.path[:0] = [{root!r}, {checks!r}]
from checks import shuffled_folders
from sigtrans.cli import main
with shuffled_folders({seed}):
    sys.exit(main(sys.argv[1:]))
"""


def check_tree(tree: Path, scratch: Path, counts: Counter[str]) -> Iterator[Fault]:
    """Port `tree` twice by the command line; what was seen goes to `counts`."""
    out, again = scratch / "port", scratch / "again"
    sigtrans("port", str(tree), "-o", str(out), "-q", "--no-gitignore")
    plan, folder = find_pairs(out)
    for result in plan.files:
        if not result.port_path or result.kind in ("folder", "link"):
            continue
        data = (folder / result.path).read_bytes()
        counts["files"] += 1
        counts["bytes"] += len(data)
        counts["files edited" if result.edits else "files not edited"] += 1
        counts[result.status.value] += 1
        counts["edits"] += len(result.edits)
        text = result.status is not Status.SKIPPED and result.kind != "other"
        for sort in sorts_of(data):
            counts[f"{'source and build files' if text else 'other files'}: {sort}"] += 1
        for diagnostic in result.diagnostics:
            if diagnostic.code in ("SIG998", "SIG999"):
                yield Fault(diagnostic.code, diagnostic.message, result.path)
    yield from check_written(plan, folder, out)
    second = make_plan(out, Settings(jobs=1))
    for result in second.plan.files:
        if result.edits:
            edit = result.edits[0]
            yield Fault("not idempotent", edit.rule, result.path, f"{edit.span} {edit.text!r}")
        elif result.status in (Status.PORTED, Status.FAILED):
            yield Fault("not idempotent", result.status.value, result.path, result.reason)
    sigtrans("port", str(out), "-o", str(again), "-q", "--no-gitignore")
    for path in sorted(p for p in out.rglob("*") if p.is_file()):
        relative = path.relative_to(out)
        if relative.parts[0] == ".sigtrans":
            continue
        twin = again / relative
        if not twin.is_file() or twin.read_bytes() != path.read_bytes():
            yield Fault("port of the port differs", "", str(relative))


_REENCODE: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: b"\xef\xbb\xbf" + data,
    lambda data: data.replace(b"\n", b"\r\n"),
    lambda data: data.replace(b"\n", b"\r"),
    lambda data: data.replace(b"{\n", b"{\r\n"),
    lambda data: data.rstrip(b"\r\n"),
    lambda data: data.replace(b"\n", "  // 核函数的说明\n".encode("gb18030"), 3),
    lambda data: data.replace(b"\n", b"  // caf\xe9 d\xfc\xff\n", 3),
    lambda data: data + b'static const char pad[] = "\0";\n\0',
)


def write_reencoded(tree: Path, copy: Path) -> None:
    """A copy of `tree` whose source and build files each have one of the awkward forms."""
    shutil.copytree(tree, copy, symlinks=True)
    read = sorted(make_plan(tree, Settings(jobs=1)).digests)
    for number, path in enumerate(read):
        place = copy / path
        place.write_bytes(_REENCODE[number % len(_REENCODE)](place.read_bytes()))


def sigtrans(*arguments: str) -> None:
    """A run of the command line in a process of its own."""
    done = subprocess.run([sys.executable, "-m", "sigtrans", *arguments], cwd=ROOT, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"sigtrans {' '.join(arguments)}: exit code {done.returncode}")


def find_digests(tree: Path) -> dict[str, str]:
    """SHA-256 of the JSON report under different circumstances."""
    scan = ["scan", str(tree), "--output-format", "json"]
    plain = [sys.executable, "-m", "sigtrans"]
    digests: dict[str, str] = {}
    for seed in ("0", "1", "4711", "random"):
        digests[f"hash seed {seed}"] = digest([*plain, *scan, "-j", "1"], seed)
    for jobs in range(1, 9):
        digests[f"{jobs} processes"] = digest([*plain, *scan, "-j", str(jobs)], "random")
    for order in (1, 2, 3):
        code = _SHUFFLED.format(root=str(ROOT), checks=str(ROOT / "tests" / "fuzz"), seed=order)
        digests[f"order {order}, {order} processes"] = digest(
            [sys.executable, "-c", code, *scan, "-j", str(order)], "random"
        )
    return digests


def digest(command: list[str], seed: str) -> str:
    env = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"{' '.join(command[:3])}: exit code {done.returncode}")
    return hashlib.sha256(done.stdout).hexdigest()


def show(counts: Counter[str]) -> None:
    for name in ("files", "bytes", "edits", "files edited", "files not edited"):
        print(f"{counts[name]:12d}  {name}")
    for group in ("source and build files", "other files"):
        for sort in SORTS:
            print(f"{counts[f'{group}: {sort}']:12d}  {group}: {sort}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("trees", type=Path, nargs="*")
    parser.add_argument("--reencode", action="store_true", help="awkward copies of TREE as well")
    parser.add_argument("--determinism", type=Path, action="append", default=[], metavar="TREE")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    reencoded: Counter[str] = Counter()
    faults: list[Fault] = []
    for tree in args.trees:
        with tempfile.TemporaryDirectory() as scratch:
            found = list(check_tree(tree.resolve(), Path(scratch), counts))
        print(f"{tree.name}: {len(found)} faults")
        faults += found
        if args.reencode:
            with tempfile.TemporaryDirectory() as scratch:
                copy = Path(scratch) / tree.name
                write_reencoded(tree.resolve(), copy)
                found = list(check_tree(copy, Path(scratch), reencoded))
            print(f"{tree.name}, re-encoded: {len(found)} faults")
            faults += found
    show(counts)
    if args.reencode:
        print("re-encoded:")
        show(reencoded)
    bad = len(faults)
    for fault in faults[:60]:
        print(f"FAULT {fault.kind} [{fault.signature}] {fault.path} {fault.detail}")
    for tree in args.determinism:
        digests = find_digests(tree.resolve())
        same = len(set(digests.values())) == 1
        bad += not same
        verdict = "the same bytes" if same else "DIFFERENT BYTES"
        print(f"{tree.name}: {len(digests)} JSON reports, {verdict}")
        for name, value in digests.items() if not same else ():
            print(f"  {value[:16]}  {name}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
