"""Kill a port in place at random instants and count what recovery leaves.

    python benchmarks/kill.py --kills 1000

Exits with 1 when a file is torn, a tree is half-ported or anything is left lying about.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "crash")]

from harness import run_kills  # noqa: E402 - found through the line above


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", help="where to work (default: the temporary folder)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        counts = run_kills(Path(folder).resolve(), args.kills, args.files, args.seed)
    print(f"{args.files} files, seed {args.seed}")
    for name, count in sorted(counts.items()):
        print(f"{count:6d}  {name}")
    bad = ("after recovery: torn", "after recovery: half-ported", "strays")
    return int(any(counts[name] for name in (*bad, "undo after recovery not exact")))


if __name__ == "__main__":
    sys.exit(main())
