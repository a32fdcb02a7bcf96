"""`sigtrans explain`: what a code means, what a name maps to, what is known of a target."""

from __future__ import annotations

import re
from textwrap import wrap

from sigtrans import catalogue, target
from sigtrans.names import Entry, NameTable, load

GRADES = {
    "sdk": "found in the headers of the SDK on this machine",
    "seen": "used in hand-written public MUSA code, or in a real loader's list",
    "docs": "on the vendor's documentation pages",
    "rule": "follows the vendor's naming rule; no use was seen",
    "differs": "an exception to the naming rule, with evidence",
    "absent": "known to be missing, or no MUSA name is known",
}


def explain(word: str, width: int = 80) -> tuple[str, bool]:
    """Text about a code, a target, a CUDA name or a MUSA name; False when nothing is known."""
    if re.fullmatch(r"(?i)sig\d{3}", word):
        return catalogue.explain(word, width), True
    if re.fullmatch(r"(?i)mp_?\d\d", word):
        return target.render("mp_" + word[-2:]), True
    table = load()
    word = word.rpartition("::")[2] if "::" in word and table.explain(word) is None else word
    entry = table.explain(word)
    if entry is not None:
        return _entry(entry, width), True
    header = table.find_header(word.encode())
    if header:
        return f"{word} -> {header.decode()} (by its folder)", True
    sources = table.find_sources(word)
    if sources:
        parts = [f"{word} is the MUSA name of {', '.join(sources)}"]
        parts += [_entry(e, width) for e in map(table.explain, sources) if e is not None]
        return "\n\n".join(parts), True
    return _unknown(word, table), False


def _entry(entry: Entry, width: int) -> str:
    becomes = entry.musa or "no MUSA counterpart is known"
    if entry.musa == entry.cuda:
        becomes = f"{entry.musa} (the name stays)"
    rows = [("kind", f"{entry.kind}, {entry.family}")]
    rows.append(("grade", f"{entry.grade}: {GRADES[entry.grade]}"))
    if entry.sdk:
        rows.append(("SDK", entry.sdk))
    if entry.evidence:
        rows.append(("evidence", entry.evidence))
    if entry.note:
        rows.append(("note", entry.note))
    lines = [f"{entry.cuda} -> {becomes}"]
    for name, text in rows:
        first, *rest = wrap(text, width - 12) or [""]
        lines.append(f"  {name:<9} {first}")
        lines += [" " * 12 + line for line in rest]
    return "\n".join(lines)


def _unknown(word: str, table: NameTable) -> str:
    similar = table.find_similar(word)
    hint = f"; did you mean {', '.join(similar)}?" if similar else ""
    return f"{word}: no code, CUDA name or MUSA name that sigtrans knows{hint}"
