"""What every diagnostic code means: read once from rules/diagnostics/."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from sigtrans.source import Severity, SigtransError

REQUIRED = ("code", "title", "severity", "meaning", "action", "since")
OPTIONAL = ("title_zh", "before", "after")
_TITLE = re.compile(r'^- code: (SIG\d{3})\n  title: (?:"(.+)"|(.+))$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One code: what it means and what to do about it."""

    code: str
    title: str
    severity: Severity  # the usual one; configuration and context may say otherwise
    meaning: str
    action: str
    since: str
    title_zh: str = ""
    before: str = ""  # code that gets this diagnostic
    after: str = ""  # the same code once it has been dealt with


def data_file(folder: str, name: str) -> Path:
    """A file that ships with sigtrans, in an installed wheel as in a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "_data" / folder
    return (installed if installed.is_dir() else package.parent / folder) / name


@cache
def entries() -> Mapping[str, Entry]:
    """Every known code, in order."""
    return load(*_files())


def _files() -> list[Path]:
    return sorted(data_file("rules", "diagnostics").glob("*.yaml"))


def load(*paths: Path) -> Mapping[str, Entry]:
    """The entries of catalogue files; what is wrong in one is named, with its place."""
    found: dict[str, Entry] = {}
    for path in paths:
        for entry in _read(path):
            if entry.code in found:
                raise SigtransError(f"{path.name}: {entry.code} is there twice")
            found[entry.code] = entry
    return MappingProxyType(dict(sorted(found.items())))


def _read(path: Path) -> Iterator[Entry]:
    import yaml

    try:
        raw = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as fault:
        raise SigtransError(f"{path.name}: {fault}") from fault
    if not isinstance(raw, list):
        raise SigtransError(f"{path.name}: must be a list of entries")
    for number, fields in enumerate(raw, 1):
        yield _make_entry(f"{path.name}: entry {number}", fields)


def _make_entry(where: str, fields: object) -> Entry:
    if not isinstance(fields, dict):
        raise SigtransError(f"{where}: must be a mapping")
    where = f"{where} ({fields.get('code', 'no code')})"
    if unknown := sorted(map(str, set(fields) - set(REQUIRED) - set(OPTIONAL))):
        raise SigtransError(f"{where}: unknown field '{unknown[0]}'")
    for name in REQUIRED:
        if not str(fields.get(name, "")).strip():
            raise SigtransError(f"{where}: needs '{name}'")
    text = {name: str(value).strip("\n") for name, value in fields.items()}
    try:
        severity = Severity(text.pop("severity"))
    except ValueError as fault:
        allowed = ", ".join(s.value for s in Severity)
        raise SigtransError(f"{where}: severity must be one of {allowed}") from fault
    return Entry(severity=severity, **text)


def find(code: str) -> Entry | None:
    """The entry of `code`, or None when there is no such code."""
    return entries().get(code.strip().upper())


@cache
def titles() -> Mapping[str, str]:
    """Code → a few words. Read without a YAML parser: the summary of every run needs nothing else,
    and importing one would cost more than all the rest of the summary."""
    texts = (path.read_text("utf-8") for path in _files())
    return MappingProxyType({m[1]: m[2] or m[3] for t in texts for m in _TITLE.finditer(t)})


def explain(code: str, width: int = 80) -> str:
    """What `sigtrans explain CODE` prints; unknown codes raise with the nearest known ones."""
    entry = find(code)
    if entry is None:
        raise SigtransError(_unknown(code))
    lines = [f"{entry.code}: {entry.title}"]
    if entry.title_zh:
        lines.append(f"        {entry.title_zh}")
    lines += [f"Usually {_article(entry.severity)}; known since {entry.since}.", ""]
    lines += ["What it means", *_wrapped(entry.meaning, width), ""]
    lines += ["What to do", *_wrapped(entry.action, width)]
    for name, code_text in (("Before", entry.before), ("After", entry.after)):
        if code_text:
            lines += ["", name, *textwrap.indent(code_text, "    ").splitlines()]
    return "\n".join(lines) + "\n"


def _unknown(code: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(code.strip().upper(), list(entries()), n=3, cutoff=0.6)
    hint = f"; near it: {', '.join(near)}" if near else ""
    return f"no diagnostic has the code {code.strip()!r}{hint}"


def _article(severity: Severity) -> str:
    return f"an {severity.value}" if severity is Severity.ERROR else f"a {severity.value}"


def _wrapped(text: str, width: int) -> list[str]:
    """Paragraphs filled to `width`; indented lines are code or lists and stay as they are."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        if lines:
            lines.append("")
        if any(line.startswith((" ", "- ")) for line in paragraph.splitlines()):
            lines += ["  " + line for line in paragraph.splitlines()]
        else:
            lines += textwrap.wrap(
                paragraph,
                width,
                initial_indent="  ",
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
    return lines
