"""The measuring set for fault finding: its list says truly what is in its programs."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks" / "faults"
COUNTS = {
    "race": 20,
    "overrun": 20,
    "barrier": 20,
    "width": 20,
    "lockstep": 10,
    "uninitialised": 10,
    "clean": 100,
}


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    file: str
    kind: str
    lines: tuple[int, ...]
    what: str
    shows: str


def read_list() -> list[Program]:
    with (FOLDER / "list.tsv").open(encoding="utf-8", newline="") as rows:
        return [
            Program(
                row["name"],
                row["file"],
                row["kind"],
                () if row["lines"] == "-" else tuple(map(int, row["lines"].split(","))),
                row["what"],
                row["shows"],
            )
            for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


def source_lines(file: str) -> list[str]:
    return (FOLDER / file).read_text(encoding="utf-8").splitlines()


def spans(file: str) -> dict[str, range]:
    """The lines of each case: from its first name to the end of its host function."""
    found: dict[str, range] = {}
    first = 1
    name = ""
    for number, line in enumerate(source_lines(file), 1):
        if start := re.fullmatch(r"static bool (\w+)\(\) \{", line):
            name = start.group(1)
        elif line == "}" and name:
            found[name] = range(first, number + 1)
            first, name = number + 1, ""
    return found


def statement(lines: list[str], number: int) -> str:
    """The whole statement that has a part on this line."""
    first = last = number - 1
    while lines[first - 1] and lines[first - 1][-1] not in ";{}":
        first -= 1
    while lines[last] and lines[last][-1] not in ";{}":
        last += 1
    return " ".join(line.strip() for line in lines[first : last + 1])


PROGRAMS = read_list()
FILES = sorted(path.name for path in FOLDER.glob("*.cu"))


def test_counts() -> None:
    assert Counter(program.kind for program in PROGRAMS) == COUNTS
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS)
    assert {program.file for program in PROGRAMS} == set(FILES)


@pytest.mark.parametrize("file", FILES)
def test_file_holds_the_listed_programs(file: str) -> None:
    listed = [program.name for program in PROGRAMS if program.file == file]
    text = "\n".join(source_lines(file))
    table = re.findall(r"^    \{\"(\w+)\", (\w+)\},$", text, re.MULTILINE)
    assert table == [(name, name) for name in listed]
    assert list(spans(file)) == listed
    clean = file.startswith("clean_")
    assert all((program.kind == "clean") == clean for program in PROGRAMS if program.file == file)


@pytest.mark.parametrize("file", FILES)
def test_faults_lie_in_code_of_their_program(file: str) -> None:
    lines, where = source_lines(file), spans(file)
    for program in PROGRAMS:
        if program.file != file:
            continue
        assert program.what, program.name
        assert bool(program.lines) == (program.kind != "clean"), program.name
        assert (program.shows != "-") == (program.kind != "clean"), program.name
        assert list(program.lines) == sorted(set(program.lines)), program.name
        for number in program.lines:
            assert number in where[program.name], program.name
            code = statement(lines, number)
            # A declaration, a brace, a comment or a barrier is not where an access goes wrong.
            assert re.search(r"\w\[|\*\w|->|[-+|]?= |>>>\(|\w\(", code), (program.name, code)
            assert not re.match(r"//|__shared__|__global__|__sync", code), (program.name, code)


def test_twins_differ_from_the_faulty_program() -> None:
    faulty = {program.name: program for program in PROGRAMS if program.kind != "clean"}
    twins = [program for program in PROGRAMS if program.name.endswith("_fixed")]
    assert {faulty[twin.name[: -len("_fixed")]].kind for twin in twins} == set(COUNTS) - {"clean"}

    def body(program: Program) -> list[str]:
        span = spans(program.file)[program.name]
        lines = source_lines(program.file)[span.start - 1 : span.stop - 1]
        text = " ".join(" ".join(lines).replace("_fixed", "").split())
        return text[text.index("__global__") :].split()

    for twin in twins:
        assert body(twin) != body(faulty[twin.name[: -len("_fixed")]]), twin.name
