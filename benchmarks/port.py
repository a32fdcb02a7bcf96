"""Time whole runs of `sigtrans port` on a tree, against plain table replacement.

    python benchmarks/port.py TREE [--jobs-check] [--json FILE]

Every figure is a median over alternating runs of whole processes, interpreter start included.
Counted bytes: those of every file that the run reads as a source or build file (not images and
other files that it only copies). CPU is user and system time of the process and its children.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

_PROBE = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from sigtrans.plan import Settings, make_plan
plan = make_plan(Path(sys.argv[2]), Settings(jobs=1))
print(json.dumps([[f.size, f.status.value] for f in plan.plan.files if f.path in plan.digests]))
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took."""

    cpu: float  # seconds
    wall: float
    peak: float  # MB, largest process


def environment(byte_code: Path) -> dict[str, str]:
    """Byte code is kept between runs, as it is for an installed program, but not in the tree."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return {**kept, "PYTHONPYCACHEPREFIX": str(byte_code)}


def run(command: list[str], env: dict[str, str]) -> Run:
    """Run a process to its end; sigtrans exits with 1 when something needs attention."""
    begun = time.perf_counter()
    child = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit code {child.returncode}")
    scale = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Run(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / scale)


def port(tree: Path, out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "sigtrans", "port", str(tree), "-o", str(out), "-q", *more]


def middle(runs: list[Run]) -> Run:
    """Medians, each on its own."""
    return Run(
        median(r.cpu for r in runs), median(r.wall for r in runs), median(r.peak for r in runs)
    )


def fresh(out: Path) -> Path:
    shutil.rmtree(out, ignore_errors=True)
    return out


def count_bytes(tree: Path) -> tuple[int, int]:
    """Files and bytes that a run reads as source or build files."""
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, str(ROOT), str(tree)], capture_output=True, check=True
    )
    rows = json.loads(done.stdout)
    return len(rows), sum(size for size, _ in rows)


def describe_machine() -> str:
    model = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = [x for x in info.read_text().splitlines() if x.startswith("model name")]
        model = lines[0].partition(":")[2].strip() + ", " if lines else ""
    load = ", load {:.1f}".format(os.getloadavg()[0])  # noqa: UP032 - braces in an f-string call
    return f"{model}{os.cpu_count()} cores, Python {platform.python_version()}{load}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--method", default="words", help="of the reference")
    parser.add_argument("--jobs-check", action="store_true", help="-j 2 against -j 1 as well")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    tree = args.tree.resolve()
    files, size = count_bytes(tree)
    reference = [sys.executable, str(ROOT / "benchmarks" / "reference.py")]
    cold: list[Run] = []
    warm: list[Run] = []
    plain: list[Run] = []
    one: list[Run] = []
    two: list[Run] = []
    helps: list[Run] = []
    ratios: list[float] = []
    warm_cpu: list[float] = []
    warm_wall: list[float] = []
    scales: list[float] = []
    shm = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shm if shm.is_dir() else None) as scratch:
        out, other = Path(scratch) / "port", Path(scratch) / "reference"
        env = environment(Path(scratch) / "bytecode")
        run(port(tree, out, "-j", "1"), env)  # fills the file cache and writes the byte code
        for _ in range(args.runs):
            plain.append(
                run([*reference, str(tree), str(fresh(other)), "--method", args.method], env)
            )
            cold.append(run(port(tree, fresh(out), "-j", "1"), env))
            ratios.append(plain[-1].cpu / cold[-1].cpu)
            warm.append(run(port(tree, out, "-j", "1"), env))
            warm_cpu.append(cold[-1].cpu / warm[-1].cpu)
            warm_wall.append(cold[-1].wall / warm[-1].wall)
            helps.append(run([sys.executable, "-m", "sigtrans", "--help"], env))
            if args.jobs_check:
                one.append(run(port(tree, fresh(out), "-j", "1"), env))
                two.append(run(port(tree, fresh(out), "-j", "2"), env))
                scales.append(one[-1].wall / two[-1].wall)
        shutil.rmtree(other, ignore_errors=True)
    c, p, w = middle(cold), middle(plain), middle(warm)
    figures = {
        "files read": files,
        "MB read": round(size / 1e6, 2),
        "cold: CPU s": round(c.cpu, 3),
        "cold: wall s": round(c.wall, 3),
        "cold: MB per CPU second": round(size / 1e6 / c.cpu, 2),
        "cold: best MB per CPU second": round(size / 1e6 / min(r.cpu for r in cold), 2),
        "cold: peak MB": round(c.peak, 1),
        f"reference ({args.method}): CPU s": round(p.cpu, 3),
        f"reference ({args.method}): MB per CPU second": round(size / 1e6 / p.cpu, 2),
        "cold against reference, CPU": round(median(ratios), 2),
        "cold against reference, best of each, CPU": round(
            min(r.cpu for r in plain) / min(r.cpu for r in cold), 2
        ),
        "second run: CPU s": round(w.cpu, 3),
        "second run: wall s": round(w.wall, 3),
        "second run against first, CPU": round(median(warm_cpu), 2),
        "second run against first, wall": round(median(warm_wall), 2),
        "--help: wall s": round(middle(helps).wall, 3),
        "--help: CPU s": round(middle(helps).cpu, 3),
    }
    if scales:
        figures["-j 2 against -j 1, wall"] = round(median(scales), 2)
        best = min(r.wall for r in one) / min(r.wall for r in two)
        figures["-j 2 against -j 1, best of each, wall"] = round(best, 2)
        figures["-j 2: CPU s"] = round(middle(two).cpu, 3)
        figures["-j 2: peak MB of the largest process"] = round(middle(two).peak, 1)
    machine = describe_machine()
    print(f"{tree.name}: {args.runs} runs each, alternating, medians; {machine}")
    for name, value in figures.items():
        print(f"  {value:>10}  {name}")
    if args.json:
        runs = {"cold": cold, "warm": warm, "reference": plain, "-j 2": two}
        report = {
            "tree": tree.name,
            "machine": machine,
            "figures": figures,
            "runs": {k: [asdict(r) for r in v] for k, v in runs.items()},
        }
        args.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
