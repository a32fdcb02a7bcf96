"""Rules of the user's own: YAML files with their own proof, and name tables as TSV.

A rule file holds one rule or a list of them. Each carries examples, at least one pair of before and
after and one `same` that it must leave alone; without them it does not load.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from sigtrans.source import SigtransError, SourceFile, apply

if TYPE_CHECKING:
    from sigtrans.names import NameTable

Rows = tuple[str, tuple[bytes, ...]]  # where they come from; cells of a name table, row after row


class RuleError(SigtransError):
    """A rule file is wrong; the message names the file, the rule and the field."""


@dataclass(frozen=True, slots=True)
class Example:
    before: str
    after: str  # equal to `before` when the rule must leave it alone


@dataclass(frozen=True, slots=True)
class Rule:
    """A set of renames with its evidence and its examples."""

    id: str
    summary: str
    rename: tuple[tuple[str, str], ...]
    headers: tuple[tuple[str, str], ...]
    evidence: str
    examples: tuple[Example, ...]
    path: str

    @property
    def rows(self) -> Rows:
        """The rule as rows of a name table."""
        cells: list[bytes] = []
        for kind, pairs in (("function", self.rename), ("header", self.headers)):
            for before, after in pairs:
                cells += (
                    cell.encode()
                    for cell in (before, after, kind, "seen", "", self.evidence or self.path, "")
                )
        return f"{self.path}: {self.id}", tuple(cells)


def find_tables(folders: Iterable[Path]) -> tuple[Path, ...]:
    """The name tables (*.tsv) in the user's rule folders."""
    return tuple(p for folder in folders for p in sorted(_checked(folder).rglob("*.tsv")))


def load_folders(folders: Iterable[Path]) -> tuple[Rows, ...]:
    """The rules (*.yaml) in the user's rule folders, as rows."""
    paths = [p for folder in folders for p in _rule_files(folder)]
    return tuple(rule.rows for path in paths for rule in load(path))


def _checked(folder: Path) -> Path:
    if not folder.exists():
        raise SigtransError(f"{folder}: no such rule folder")
    return folder


def _rule_files(path: Path) -> list[Path]:
    if _checked(path).is_file():
        return [path]
    return sorted([*path.rglob("*.yaml"), *path.rglob("*.yml")])


def load(path: Path) -> list[Rule]:
    """The rules of one file, checked."""
    import yaml
    from pydantic import BaseModel, ConfigDict, ValidationError

    class ExampleFields(BaseModel):
        model_config = ConfigDict(extra="forbid")
        before: str | None = None
        after: str | None = None
        same: str | None = None

    class RuleFields(BaseModel):
        model_config = ConfigDict(extra="forbid")
        id: str
        summary: str
        rename: dict[str, str] = {}
        headers: dict[str, str] = {}
        evidence: str = ""
        examples: list[ExampleFields]

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(path.read_bytes())
        node = loader.get_single_node()
        _refuse_duplicates(path, node)
        raw: Any = loader.construct_document(node) if node is not None else None
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise RuleError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from None
    found: list[Rule] = []
    for item in raw if isinstance(raw, list) else [raw]:
        name = item.get("id", "?") if isinstance(item, dict) else "?"
        try:
            fields = RuleFields.model_validate(item)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise RuleError(f"{path}: {name}: {where}: {first['msg']}") from None
        if not re.fullmatch(r"[a-z0-9-]+(?:/[a-z0-9-]+)+", fields.id):
            raise RuleError(f"{path}: {name}: id: is not of the form family/topic")
        examples = [_example(path, name, e.before, e.after, e.same) for e in fields.examples]
        if not any(e.before != e.after for e in examples):
            raise RuleError(f"{path}: {name}: needs one example with before and after")
        if not any(e.before == e.after for e in examples):
            raise RuleError(f"{path}: {name}: needs one 'same' example it must leave alone")
        if not fields.rename and not fields.headers:
            raise RuleError(f"{path}: {name}: rename: there is nothing to rename")
        if re.search(r"[\t\r\n]", fields.evidence):
            raise RuleError(f"{path}: {name}: evidence: holds a tab or a line end")
        for before, after in fields.headers.items():
            if not before.strip() or re.search(r"[\s<>\"]", before + after):
                raise RuleError(f"{path}: {name}: headers: '{before}: {after}' is not two paths")
        for before, after in fields.rename.items():
            if not before.isidentifier() or not after.isidentifier():
                raise RuleError(f"{path}: {name}: rename: '{before}: {after}' is not two names")
        found.append(
            Rule(
                fields.id,
                fields.summary,
                tuple(fields.rename.items()),
                tuple(fields.headers.items()),
                fields.evidence,
                tuple(examples),
                str(path),
            )
        )
    return found


def _refuse_duplicates(path: Path, top: object) -> None:
    """YAML readers take the last of two equal keys in silence."""
    import yaml

    stack = [top]
    seen: set[int] = set()  # an alias is the node again, and may stand inside it
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            stack += node.value
        elif isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value]
            for key in {k for k in keys if isinstance(k, str) and keys.count(k) > 1}:
                raise RuleError(f"{path}: {key}: is there twice")
            stack += [value for _, value in node.value]


def _example(
    path: Path, name: str, before: str | None, after: str | None, same: str | None
) -> Example:
    if same is not None and before is None and after is None:
        return Example(same, same)
    if same is None and before is not None and after is not None:
        return Example(before, after)
    raise RuleError(f"{path}: {name}: an example has 'before' and 'after', or 'same'")


def port_text(text: str, table: NameTable, path: str = "example.cu") -> str:
    """Port one snippet by itself, as the examples are."""
    from sigtrans.passes.pipeline import Port, find
    from sigtrans.symbols import find_facts, merge
    from sigtrans.syntax import lex, make_pattern

    file = SourceFile(str(PurePosixPath(path)), text.encode())
    lexed = lex(file.data, make_pattern(table.extra_words))
    facts = find_facts(file, lexed, table)
    project = merge([facts], [file.path], {})
    found = find(file, lexed, facts, project, table, Port(), is_cuda=True)
    return apply(file.data, found.edits).data.decode()


def make_traps(name: str) -> tuple[str, ...]:
    """Places where a rename must not fire, for any name."""
    return (
        f"// {name} stays in a comment\n",
        f"/* {name} */\n",
        f'const char *s = "{name}";\n',
        f'const char *s = R"x({name}("))x";\n',
        f"int my_{name}, {name}_mine;\n",
        f"void f(S *s) {{ s->{name} = 1; (*s).{name} = 2; }}\n",
        f"void f(int {name}) {{ g({name}); }}\n",
        f"// one \\\n{name} is still the comment\n",
    )


def run_tests(path: Path) -> tuple[list[str], int]:
    """Every example and every generated trap; the failures, and how many were tried."""
    from sigtrans.names import load as load_names

    failures: list[str] = []
    tried = 0
    for file in _rule_files(path):
        for rule in load(file):
            table = load_names(rows=[rule.rows])
            for n, example in enumerate(rule.examples):
                tried += 1
                got = port_text(example.before, table)
                if got != example.after:
                    failures.append(f"{file}: {rule.id}[{n}]: gives {got!r}")
                elif port_text(got, table) != got:
                    failures.append(f"{file}: {rule.id}[{n}]: a second run changes it again")
            for before, _ in rule.rename:
                for trap in make_traps(before):
                    tried += 1
                    if port_text(trap, table) != trap:
                        failures.append(f"{file}: {rule.id}: '{before}' fires in {trap!r}")
                branch = f"#if 0\n{before}(x);\n#else\n{before}(y);\n#endif\n"
                tried += 1
                if before in port_text(branch, table):
                    failures.append(f"{file}: {rule.id}: '{before}' is left in a branch")
    return failures, tried


_NEW = """\
id: {id}
summary: One sentence on what is renamed and why the meaning stays.
evidence: where the MUSA names were seen (repository and path, or a page)
rename:
  cudaOldName: musaNewName
examples:
  - before: |
      void f(void) {{ cudaOldName(); }}
    after: |
      void f(void) {{ musaNewName(); }}
  - same: |
      // cudaOldName stays as it is in a comment
"""


def render_new(path: Path) -> bytes:
    """A rule to start from, for the file `path`."""
    if path.exists():
        raise SigtransError(f"{path}: is there already; choose another name")
    if path.suffix not in (".yaml", ".yml"):
        raise SigtransError(f"{path}: a rule file ends in .yaml")
    topic = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "rule"
    return _NEW.format(id=f"mine/{topic}").encode()
