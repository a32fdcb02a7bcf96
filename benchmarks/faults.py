"""Planted faults and clean kernels: what `sigtrans run --matrix` says of each.

    python benchmarks/faults.py [--file NAME.cu]... [--verbose]

Every case of benchmarks/faults/list.tsv is run through the whole matrix. A faulty case is found
when the matrix reports anything; `on the line` counts those with a finding on a line that the list
names. A clean case with any report but a note is an alarm.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sigtrans.simt.build import Program, build
from sigtrans.simt.execute import CODES, OTHER, play_matrix
from sigtrans.simt.matrix import RUNS, Finding, Matrix
from sigtrans.source import Severity

HERE = Path(__file__).parent / "faults"


@dataclass(frozen=True)
class Case:
    name: str
    file: str
    kind: str
    lines: frozenset[int]


def read_cases() -> list[Case]:
    with (HERE / "list.tsv").open(encoding="utf-8") as lines:
        return [
            Case(
                row["name"], row["file"], row["kind"],
                frozenset(int(n) for n in row["lines"].replace(",", " ").split() if n.isdigit()),
            )
            for row in csv.DictReader(lines, delimiter="\t")
        ]  # fmt: skip


def counts(finding: Finding) -> bool:
    return CODES.get(finding.kind, OTHER)[1] is not Severity.NOTE


def on_line(case: Case, done: Matrix) -> bool:
    places = {
        place
        for finding, _ in done.findings
        for place in ((finding.path, finding.line), finding.other or ("", 0))
    }
    return any(Path(path).name == case.file and line in case.lines for path, line in places)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", action="append", help="only these programs")
    parser.add_argument("--verbose", action="store_true", help="print what was found")
    options = parser.parse_args()
    cases = [c for c in read_cases() if not options.file or c.file in options.file]
    for file in sorted({c.file for c in cases}):
        for mode in ("plain", "checked", "sanitized"):
            build(Program((HERE / file,)), mode)

    def play(case: Case) -> tuple[Case, Matrix]:
        return case, play_matrix(Program((HERE / case.file,)), [case.name], {}, 30.0, RUNS)

    found: dict[str, int] = defaultdict(int)
    exact: dict[str, int] = defaultdict(int)
    total: dict[str, int] = defaultdict(int)
    with ThreadPoolExecutor(2) as pool:
        for case, done in pool.map(play, cases):
            findings = [f for f, _ in done.findings if counts(f)]
            total[case.kind] += 1
            found[case.kind] += bool(findings)
            exact[case.kind] += on_line(case, done)
            wrong = bool(findings) == (case.kind == "clean")
            if wrong or options.verbose:
                print(f"{'WRONG ' if wrong else ''}{case.kind} {case.file} {case.name}")
                for finding, runs in done.findings:
                    place = f"{Path(finding.path).name}:{finding.line}"
                    print(f"    {place} {finding.kind}: {finding.text[:150]} ({', '.join(runs)})")
    for kind in sorted(total):
        print(f"{kind:<14} {found[kind]:>3} of {total[kind]:>3}   on the line {exact[kind]:>3}")


if __name__ == "__main__":
    main()
