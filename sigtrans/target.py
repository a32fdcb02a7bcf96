"""What is known of each MUSA architecture: limits and features, each with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from sigtrans.catalogue import data_file
from sigtrans.source import SigtransError

CONFIDENCE = ("seen", "docs", "docs-summary", "inferred")


@dataclass(frozen=True, slots=True)
class Fact:
    """One value with what stands behind it; all None where nobody knows."""

    value: object
    evidence: str | None
    confidence: str | None  # one of CONFIDENCE


@dataclass(frozen=True, slots=True)
class Target:
    """One architecture, e.g. mp_31. Sizes are in bytes."""

    name: str
    facts: Mapping[str, Fact]

    def value(self, key: str) -> object:
        """The value of a fact, None where it is unknown; a key that no target has is a mistake."""
        return self.facts[key].value if key in self.facts else None

    def number(self, key: str) -> int | None:
        """The value of a fact that is a number, None where it is unknown."""
        value = self.value(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def evidence(self, key: str) -> str:
        """What stands behind a fact, "" where it is unknown."""
        return (self.facts[key].evidence or "") if key in self.facts else ""

    @property
    def arch(self) -> int:
        """What `__MUSA_ARCH__` is in device code for this target."""
        number = self.number("musa_arch_macro")
        assert number is not None  # every target file gives it; the tests look
        return number


@cache
def load(name: str) -> Target:
    """The facts about the target `name`; the error for an unknown one names those that exist."""
    import yaml

    path = data_file("rules", f"targets/{name}.yaml")
    if not name.startswith("mp_") or not path.is_file():
        raise SigtransError(f"unknown target '{name}'; there are {', '.join(names())}")
    raw = yaml.load(path.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    facts = {k: Fact(f["value"], f["evidence"], f["confidence"]) for k, f in raw.items()}
    return Target(name, MappingProxyType(facts))


def names() -> tuple[str, ...]:
    """All targets, in order."""
    folder = data_file("rules", "targets")
    return tuple(sorted(path.stem for path in folder.glob("mp_*.yaml")))


def render(name: str) -> str:
    """What `sigtrans explain mp_31` prints."""
    lines = [f"{name}: what is known of this architecture", ""]
    for key, fact in load(name).facts.items():
        known = fact.value is not None
        lines.append(f"{key.replace('_', ' ')}: {fact.value if known else 'unknown'}")
        if known:
            lines.append(f"    {fact.confidence}: {fact.evidence}")
    return "\n".join(lines) + "\n"
