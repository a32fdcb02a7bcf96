"""Device functions that the port calls by another name, or that need a word: `rules/device.tsv`.

One row says for one CUDA function what its calls become (a function of a helper header, or nothing)
and what is reported. Passes ask for the rows of their topics; what data cannot say stays with them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from sigtrans import target
from sigtrans.names import data_dir
from sigtrans.passes import Code
from sigtrans.passes.sizes import in_directive
from sigtrans.source import Diagnostic, Edit, Safety, Severity, Span
from sigtrans.syntax import IDENTIFIER_BYTES

HEAD = "name\tto\thelper\twhen\tcode\tseverity\tplaces\trule\tmessage\thelp"
_WHEN = re.compile(r"always|sdk<(\d+(?:\.\d+)*)|arch<(\d+)")
_NO_TYPE = frozenset(
    b"return else case throw co_return co_yield and or not do goto in __grid_constant__".split()
)


@dataclass(frozen=True, slots=True)
class Row:
    """What is done with the calls of one device function."""

    name: bytes
    to: bytes  # b"" keeps the name
    helper: str
    when: str  # always, sdk<4.3, arch<310 (some target is below)
    code: str
    severity: Severity
    places: str  # first or all
    rule: str
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a device function, or of a name like it."""

    start: int  # of the name, or of a :: before it
    name_at: int
    end: int
    name: bytes
    open: int  # its parenthesis, -1 where it is not called


@cache
def rows(family: str) -> dict[bytes, Row]:
    """The rows whose rule begins with `family/`, by name."""
    found: dict[bytes, Row] = {}
    for line in (data_dir() / "device.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        name, to, helper, when, code, severity, places, rule, message, help_ = line.split("\t")
        if rule.partition("/")[0] == family:
            to, helper = to.replace("-", ""), helper.replace("-", "")
            found[name.encode()] = Row(
                name.encode(), to.encode(), helper, when, code, Severity(severity), places, rule,
                message, help_,
            )  # fmt: skip
    return found


@cache
def pattern(names: frozenset[bytes]) -> re.Pattern[bytes]:
    """Any of `names` as a whole word; what comes before has to be looked at."""
    ordered = sorted(names, key=lambda name: (-len(name), name))
    start = ordered[0] if ordered else b""  # what all begin with: the engine can skip to it
    while not all(name.startswith(start) for name in ordered):
        start = start[:-1]
    ends = b"|".join(re.escape(name[len(start) :]) for name in ordered)
    first = b"".join(sorted({re.escape(name[:1]) for name in ordered}))
    before = b"" if start else rb"\b(?=[" + first + b"])"
    return re.compile(before + re.escape(start) + b"(?:" + ends + rb")(?![\w$])")


def applies(when: str, code: Code) -> bool:
    """Does a row's condition hold for the targets and the SDK of this port?"""
    match = _WHEN.fullmatch(when)
    assert match is not None  # the tests read every row
    if match.group(1):
        return version(code.sdk) < version(match.group(1))
    if match.group(2):
        return any(target.load(t).arch < int(match.group(2)) for t in code.targets)
    return True


def version(text: str) -> tuple[int, ...]:
    """5.2 as (5, 2), for comparisons."""
    return tuple(int(part) for part in re.findall(r"\d+", text))


def find_calls(
    code: Code,
    names: Collection[bytes],
    scopes: Collection[bytes] = (),
    templates: bool = False,
) -> Iterator[Call]:
    """Uses of CUDA's functions: not members, not of other scopes, not the project's own."""
    data, lexed = code.data, code.lexed
    calls: list[Call] = []
    found = list(pattern(frozenset(names)).finditer(data))
    own = {f.name for f in code.functions} if found else set()
    for match in found:
        start, end = match.span()
        name = match.group()
        if start and data[start - 1] in IDENTIFIER_BYTES:
            continue
        if name in own or not code.is_open(start):
            continue
        before = lexed.before(start)
        byte = data[before : before + 1]
        if byte == b"." or (byte == b">" and data[before - 1 : before] == b"-"):
            continue
        at = start
        if byte == b":" and data[before - 1 : before] == b":":
            at = before - 1
            ahead = lexed.before(at)
            scope = lexed.name_ending_at(ahead) if ahead >= 0 else b""
            if (scope and scope not in scopes and scope not in _NO_TYPE) or (
                data[ahead : ahead + 1] == b">" and data[ahead - 1 : ahead] != b"-"
            ):
                continue
            if scope in scopes:
                at = ahead - len(scope) + 1
        elif byte.isalnum() or byte == b"_":
            word = lexed.name_ending_at(before)
            if word in (b"define", b"undef"):
                own.add(name)
                continue
            after = lexed.after(end)
            if word not in _NO_TYPE and data[after : after + 1] == b"(" and declares(code, start):
                own.add(name)
                continue
        after = lexed.after(end)
        if not templates and data[after : after + 1] == b"<":
            continue  # CUDA's are none
        calls.append(Call(at, start, end, name, after if data[after : after + 1] == b"(" else -1))
    for call in calls:
        if call.name not in own:
            yield call


def declares(code: Code, at: int) -> bool:
    """`float name(` outside of any body declares a function of the project."""
    function = code.function_at(at)
    return (function is None or at < function.body[0]) and not in_directive(code.lexed, at)


def swap(code: Code, family: str) -> tuple[list[Edit], list[Diagnostic], set[str]]:
    """What the table's rows of one family do to a file."""
    table = rows(family)
    edits: list[Edit] = []
    said: list[Diagnostic] = []
    helpers: set[str] = set()
    calls: dict[str, list[Call]] = {}
    for call in find_calls(code, table):
        row = table[call.name]
        if call.open < 0 and row.to:
            said.append(_say(row, call, code, "is not called here, and left as it is"))
            continue
        if not applies(row.when, code) or call.open < 0:
            continue
        if row.to:
            edits.append(Edit(Span(call.start, call.end), row.to, row.rule, _SAFETY[row.severity]))
            helpers.add(row.helper)
        key = f"{row.code} {row.rule}"
        calls.setdefault(key, []).append(call)
    for same in calls.values():
        row = table[same[0].name]
        if row.places == "all":
            said += [_say(table[c.name], c, code) for c in same]
        else:
            more = f" ({len(same)} places in this file)" if len(same) > 1 else ""
            said.append(_say(row, same[0], code, "", more))
    return edits, said, helpers


_SAFETY = {
    Severity.NOTE: Safety.EXACT,
    Severity.WARNING: Safety.REVIEW,
    Severity.ERROR: Safety.REVIEW,
}


def _say(row: Row, call: Call, code: Code, instead: str = "", more: str = "") -> Diagnostic:
    name = call.name.decode()
    span = Span(call.name_at, call.end)
    if instead:
        return Diagnostic(
            span, row.code, Severity.WARNING, f"'{name}' {instead}",
            f"call {row.to.decode()} there, from the helper header", row.rule,
        )  # fmt: skip
    targets = ", ".join(code.targets)
    message = row.message.format(name=name, targets=targets) + more
    return Diagnostic(span, row.code, row.severity, message, row.help, row.rule)
