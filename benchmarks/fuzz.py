"""Port mutated inputs and count what goes wrong: crashes, hangs, damage, edits on a second run.

    python benchmarks/fuzz.py --cases 20000 --seed 1 --corpus TREE --keep FOLDER

Exits with 1 when anything went wrong; failing inputs are made small and written to --keep.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "fuzz")]

from mutations import Campaign, keep, load_seeds, run_campaign, shrink  # noqa: E402

_SHARE = 500  # cases handed to a process at a time


def _work(task: tuple[int, int, list[Path]]) -> Campaign:
    cases, seed, corpora = task
    return run_campaign(cases, seed, load_seeds(corpora))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, action="append", default=[])
    parser.add_argument("--keep", type=Path, help="folder for failing inputs")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--shrink", type=float, default=20.0, help="seconds per failing input")
    args = parser.parse_args()

    seeds = load_seeds(args.corpus)
    rest = args.cases
    tasks: list[tuple[int, int, list[Path]]] = []
    while rest > 0:
        tasks.append((min(_SHARE, rest), args.seed * 1_000_003 + len(tasks), args.corpus))
        rest -= _SHARE
    begun = time.monotonic()
    total = Campaign()
    with multiprocessing.Pool(args.jobs) as pool:
        for done in pool.imap(_work, tasks):
            total.cases += done.cases
            total.size += done.size
            total.ported += done.ported
            total.trees += done.trees
            total.faults += done.faults
            total.counts += done.counts
            total.slowest = sorted(total.slowest + done.slowest, reverse=True)[:5]
            print(f"\r{total.cases} cases, {sum(total.counts.values())} faults", end="", flush=True)
    print(
        f"\r{total.cases} cases in {total.trees} trees from {len(seeds)} seeds, seed {args.seed}: "
        f"{total.size / 1e6:.1f} MB, {total.ported} files ported, "
        f"{time.monotonic() - begun:.0f} s with {args.jobs} processes"
    )
    for seconds, size, name in total.slowest:
        print(f"  slow: {seconds:.2f} CPU s, {size} bytes, from {name} (both runs and checks)")
    for sort, count in total.counts.most_common():
        print(f"  {count:6d}  {sort}")
    kept = set()
    for fault, files, settings, ways in sorted(total.faults, key=lambda f: len(f[1])):
        label = (fault.kind, fault.signature)
        if args.keep and label not in kept:
            kept.add(label)
            small = shrink(fault, files, settings, ways, args.shrink)
            print(f"kept {keep(args.keep, fault, small, settings)}")
            for path, data in small.items():
                print(f"  {path}: {data[:600]!r}")
            print(f"  {fault.detail[:600]}")
    if not total.counts:
        print("  no faults")
    return int(bool(total.counts))


if __name__ == "__main__":
    sys.exit(main())
