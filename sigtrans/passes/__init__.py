"""Rewrites that data cannot express, one module per topic.

Every pass is a function `find(file, context) -> Findings`: it reads one file and proposes edits and
diagnostics; it never writes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sigtrans.source import Diagnostic, Edit, Safety, Severity, Span


@dataclass(frozen=True, slots=True)
class BuildContext:
    """What a build-file pass needs to know about the run."""

    targets: tuple[str, ...]  # MUSA architectures, e.g. ("mp_22", "mp_31")
    sdk: str  # MUSA SDK version, e.g. "5.2"
    renamed: Mapping[str, str] = field(default_factory=dict)  # source path -> port path


@dataclass(slots=True)
class Draft:
    """Edits and remarks on one command of a build file; the first edit of a place wins."""

    rule: str
    edits: list[Edit] = field(default_factory=list)  # sorted by place, none overlaps another
    remarks: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def edit(self, start: int, end: int, text: str, safety: Safety = Safety.EXACT) -> None:
        span = Span(start, end)
        at = bisect_left(self.edits, span, key=lambda edit: edit.span)
        taken = at < len(self.edits) and self.edits[at].span == span
        if not taken and not self.touched(start, end):
            self.edits.insert(at, Edit(span, text.encode("latin-1"), self.rule, safety))

    def touched(self, start: int, end: int) -> bool:
        at = bisect_right(self.edits, start, key=lambda edit: edit.span.end)
        return at < len(self.edits) and self.edits[at].span.start < end

    def remark(self, code: str, message: str, help: str = "") -> None:
        said = self.remarks.setdefault(code, [])
        if (message, help) not in said:
            said.append((message, help))

    def diagnose(
        self, span: Span, severities: Mapping[str, Severity], helps: Mapping[str, str]
    ) -> Iterator[Diagnostic]:
        """One diagnostic per code, however many words of the command it is about."""
        for code, said in sorted(self.remarks.items()):
            message = "; ".join(message for message, _ in said)
            own = list(dict.fromkeys(help_ for _, help_ in said if help_))
            help_ = " ".join(own or [helps.get(code, "")])
            yield Diagnostic(span, code, severities[code], message, help_, self.rule)
