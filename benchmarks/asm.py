"""What becomes of the inline assembly of source trees: `python benchmarks/asm.py TREE...`.

Counts every asm statement of every C-family file: translated exactly, translated for review,
stopped, left alone (the host's, another vendor's, empty). With `--list`, one line a statement.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from sigtrans.names import load
from sigtrans.passes import Code
from sigtrans.passes.asm_statement import find_places
from sigtrans.passes.code import find_protected
from sigtrans.passes.inline_asm import find
from sigtrans.source import Safety, SourceFile
from sigtrans.symbols import find_facts, merge
from sigtrans.syntax import lex, make_pattern

SUFFIXES = frozenset((".cu", ".cuh", ".h", ".hpp", ".hh", ".cpp", ".cc", ".c", ".inl", ".cxx"))
LEFT = {"SIG510": "left", "SIG511": "left", "SIG501": "unknown"}


def look(root: Path, verbose: bool) -> tuple[Counter[str], Counter[str]]:
    """(statements by outcome, reasons of stops) of one tree."""
    table = load()
    found: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for path in sorted(p for p in root.rglob("*") if p.suffix in SUFFIXES and p.is_file()):
        data = path.read_bytes()
        if b"asm" not in data:
            continue
        name = path.relative_to(root).as_posix()
        file = SourceFile(name, data)
        lexed = lex(data, make_pattern(table.extra_words)).with_blanks()
        facts = find_facts(file, lexed, table)
        code = Code(
            file, lexed, facts, merge([facts], [name], {}), table, find_protected(lexed),
            ("mp_31",), "5.2", path.suffix in (".cu", ".cuh"), (),
        )  # fmt: skip
        findings = find(code)
        edits = {e.span: e for e in findings.edits}
        said = {d.span.start: d for d in file.place(findings.diagnostics)}
        for place in find_places(lexed):
            edit = next((e for s, e in edits.items() if s.start == place.start), None)
            told = said.get(place.start)
            if edit is not None and edit.rule == "asm/stop":
                outcome = "stopped"
                reasons[told.message if told else "nothing was said"] += 1
            elif edit is not None:
                outcome = "exact" if edit.safety is Safety.EXACT else "review"
                if told is None:
                    outcome = "silent"
            elif told is None:  # one note speaks for all of its kind in a file
                spoken = any(d.code in LEFT for d in findings.diagnostics)
                device = b"__device__" in data or b"__global__" in data
                outcome = "silent" if device and not spoken else "left"
            else:
                outcome = LEFT.get(told.code, "unknown")
            found[outcome] += 1
            if verbose:
                line = data.count(b"\n", 0, place.start) + 1
                print(f"{name}:{line}: {outcome}: {told.message if told else ''}")
    return found, reasons


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true", help="one line a statement")
    parser.add_argument("--reasons", action="store_true", help="why statements were stopped")
    options = parser.parse_args()
    columns = ("exact", "review", "stopped", "left", "unknown", "silent")
    total: Counter[str] = Counter()
    print(f"{'tree':<24}" + "".join(f"{c:>9}" for c in columns) + "   exact of device")
    for tree in options.trees:
        found, reasons = look(tree, options.list)
        total += found
        show(tree.name, found, columns)
        if options.reasons:
            for reason, count in reasons.most_common():
                print(f"  {count:>5}  {reason}")
    show("total", total, columns)


def show(name: str, found: Counter[str], columns: tuple[str, ...]) -> None:
    device = (
        found["exact"] + found["review"] + found["stopped"] + found["unknown"] + found["silent"]
    )
    share = f"{found['exact'] / device:.1%}" if device else "-"
    print(f"{name:<24}" + "".join(f"{found[c]:>9}" for c in columns) + f"   {share:>8}")


if __name__ == "__main__":
    main()
