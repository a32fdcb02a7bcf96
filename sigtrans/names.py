"""The name tables: what a CUDA name is called on MUSA, and what stands behind that claim.

`targets` renames, `same` keeps, `absent` has no MUSA name, `guards` are macros whose tests cannot
simply be renamed, `headers` are include names. Every name is in exactly one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sigtrans.source import SigtransError

HEAD = b"cuda\tmusa\tkind\tgrade\tsdk\tevidence\tnote"
KINDS = frozenset(
    {
        *("function", "type", "enum", "macro", "guard", "header", "variable", "intrinsic"),
        "method",
        "namespace",
    }
)
GRADES = frozenset({"seen", "docs", "rule", "differs", "absent"})
_WIDTH = 7


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: a CUDA name, its MUSA name (None when there is none) and the evidence."""

    cuda: str
    musa: str | None
    kind: str
    grade: str
    sdk: str  # lowest SDK that has it, as in ">=5.1"; "" when any does or nobody knows
    evidence: str
    note: str
    family: str  # the table it stands in: runtime, cublas, …


_TELLING = frozenset(
    (
        *("warp/legacy", "warp/ballot", "warp/shuffle", "warp/match", "warp/reduce"),
        *("memory/async-copy", "atomics/system", "clusters/dims"),
    )
)


@dataclass(frozen=True, slots=True)
class Flag:
    """A name that is not renamed but needs a word."""

    code: str  # "" where a pass of its own says it
    severity: str
    each: bool  # say it at every place, not only at the first of a file
    rule: str
    message: str
    help: str

    @property
    def tells_cuda(self) -> bool:
        """Does this name alone show that a file is CUDA? Assembly and textures exist elsewhere."""
        return self.rule in _TELLING


# Notes that tell where a name was seen, and not what a user has to mind.
_PROVENANCE = frozenset(
    (
        b"profiler id",
        b"seen in converted code only",
        b"mupti*.h ship with the SDK",
        b"no use seen",
        b"NVLink is spelt Mtlink",
        b"NVLink is spelt MTLINK",
        b"NvSci is spelt MtSci; profiler id",
        b"COLUMN is spelt out",
        b"keeps SM",
        b"MUSA keeps the older spelling with ADDRESS",
        b"torch_musa includes musolver.h",
        b"version 1.12.1: newer interfaces are missing",  # said of each such part: SIG152
        b"tiles above 32 lanes are wrong on mp_21 and mp_22",  # said at such a tile: SIG206
        b"mp_21 has no usable bf16",  # said where mp_21 is a target: SIG330
        b"mp_31 only",  # said where another is a target: SIG331
    )
)


def data_dir() -> Path:
    """Where the rules lie: inside an installed wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "_data" / "rules"
    return installed if installed.is_dir() else package.parent / "rules"


class NameTable:
    """All tables at once; the plain dicts are for hot loops, the methods for everything else."""

    __slots__ = (
        "_cells",
        "_newer",
        "_sources",
        "_tables",
        "absent",
        "cautions",
        "extra_words",
        "flags",
        "guards",
        "headers",
        "methods",
        "same",
        "targets",
        "torch_members",
        "torch_words",
        "unproven",
    )

    def __init__(self) -> None:
        self.targets: dict[bytes, bytes] = {}
        self.same: set[bytes] = set()
        self.absent: dict[bytes, bytes] = {}  # name -> what to do instead
        self.guards: dict[bytes, bytes | None] = {}
        self.headers: dict[bytes, bytes | None] = {}  # a key ending in "/" stands for a folder
        self.methods: dict[bytes, bytes] = {}  # renamed only after . or ->
        self.unproven: set[bytes] = set()  # targets that only follow the naming rule
        self.cautions: set[bytes] = set()  # targets whose note a user must read
        self.flags: dict[bytes, Flag] = {}  # names that are only reported
        self.torch_words: tuple[bytes, ...] = ()  # names of the PyTorch layer
        self.torch_members: frozenset[bytes] = frozenset()  # kept in at::musa and c10::musa
        self.extra_words: tuple[bytes, ...] = ()  # the user's own, of any form
        self._tables: dict[str, dict[bytes, int]] = {}  # library -> name -> place in its cells
        self._cells: dict[str, list[bytes]] = {}  # library -> all cells, row after row
        self._sources: dict[str, tuple[str, ...]] = {}
        self._newer: dict[str, dict[bytes, str]] = {}  # SDK -> names that a later one brings

    def grade(self, name: bytes) -> str:
        """The grade of a name, "" for a name that no table has."""
        row = self._row(name)
        return row[3].decode() if row else ""

    def explain(self, name: str) -> Entry | None:
        """Everything known about a CUDA name or header."""
        row = self._row(name.encode())
        if row is None:
            return None
        _, musa, kind, grade, sdk, evidence, note = (cell.decode() for cell in row)
        library = next(lib for lib, rows in self._tables.items() if name.encode() in rows)
        return Entry(name, musa if musa != "-" else None, kind, grade, sdk, evidence, note, library)

    def find_header(self, name: bytes) -> bytes | None:
        """The MUSA header for a CUDA one: None when there is none, b"" when it is not CUDA's."""
        row = self.header_row(name)
        if not row:
            return b""
        target = self.headers[row]
        return None if target is None else target + name[len(row) :]

    def header_row(self, name: bytes) -> bytes:
        """The row that speaks of a header: its own or that of a folder above it; b"" for none."""
        if name in self.headers:
            return name
        end = name.rfind(b"/")
        while end > 0:
            if name[: end + 1] in self.headers:
                return name[: end + 1]
            end = name.rfind(b"/", 0, end)
        return b""

    def newer_than(self, sdk: str) -> Mapping[bytes, str]:
        """Names that no SDK up to `sdk` has -> the first SDK that has them."""
        newer = self._newer.get(sdk)
        if newer is None:
            limit = tuple(map(int, sdk.split(".")))
            newer = self._newer[sdk] = {}
            for cells in self._cells.values():
                later = {
                    cell: text
                    for cell in set(cells[4::_WIDTH]) - {b""}
                    if tuple(map(int, (text := cell.decode()[2:]).split("."))) > limit
                }
                if later:
                    rows = zip(cells[::_WIDTH], cells[2::_WIDTH], cells[4::_WIDTH], strict=True)
                    newer.update(
                        (name, later[since])
                        for name, kind, since in rows
                        if since in later and kind != b"guard"
                    )
        return newer

    def find_sources(self, musa: str) -> tuple[str, ...]:
        """The CUDA names that become a MUSA name."""
        if not self._sources:
            sources: dict[bytes, list[str]] = {}
            for library, rows in self._tables.items():
                cells = self._cells[library]
                for name, at in rows.items():
                    sources.setdefault(cells[at + 1], []).append(name.decode())
            sources.pop(b"-", None)
            self._sources = {k.decode(): tuple(sorted(v)) for k, v in sources.items()}
        return self._sources.get(musa, ())

    def find_libraries(self) -> dict[str, frozenset[bytes]]:
        """The MUSA names of every table: what its rows become, headers and methods left out."""
        found: dict[str, frozenset[bytes]] = {}
        for library, rows in self._tables.items():
            cells = self._cells[library]
            found[library] = frozenset(
                cells[at + 1]
                for at in rows.values()
                if cells[at + 1] != b"-" and cells[at + 2] not in (b"header", b"method", b"guard")
            )
        return found

    def find_similar(self, name: str, limit: int = 3) -> list[str]:
        """Known CUDA names close to an unknown one, best first."""
        from difflib import get_close_matches

        near = [
            known
            for table in self._tables.values()
            for known in map(bytes.decode, table)
            if known[:2].lower() == name[:2].lower() and abs(len(known) - len(name)) <= 3
        ]
        return get_close_matches(name, near, limit, 0.8)

    def __contains__(self, name: bytes) -> bool:
        return any(name in table for table in self._tables.values())

    def _row(self, name: bytes) -> list[bytes] | None:
        for library, rows in self._tables.items():
            at = rows.get(name)
            if at is not None:
                return self._cells[library][at : at + _WIDTH]
        return None

    def _add(self, library: str, cells: list[bytes]) -> None:
        """Take in the cells of a whole table; slices and zip keep 17,000 rows below 20 ms."""
        names, musas, kinds = cells[::_WIDTH], cells[1::_WIDTH], cells[2::_WIDTH]
        self._cells[library] = cells
        self._tables[library] = dict(zip(names, range(0, len(cells), _WIDTH), strict=True))
        grades, notes = cells[3::_WIDTH], cells[6::_WIDTH]
        self.unproven.update(n for n, g in zip(names, grades, strict=True) if g == b"rule")
        self.cautions.update(
            n for n, note in zip(names, notes, strict=True) if note and note not in _PROVENANCE
        )
        if not {b"header", b"guard", b"method"}.isdisjoint(kinds):
            for name, musa, kind, note in zip(names, musas, kinds, notes, strict=True):
                if kind == b"header":
                    self.headers[name] = None if musa == b"-" else musa
                elif kind == b"method":
                    self.methods[name] = musa
                elif kind == b"guard":
                    self.guards[name] = None if musa == b"-" else musa
                elif musa == b"-":
                    self.absent[name] = note
                elif musa == name:
                    self.same.add(name)
                else:
                    self.targets[name] = musa
            return
        pairs = dict(zip(names, musas, strict=True))
        absent = {n: note for n, m, note in zip(names, musas, notes, strict=True) if m == b"-"}
        same = [name for name, musa in pairs.items() if musa == name]
        self.absent |= absent
        self.same.update(same)
        for name in (*absent, *same):
            del pairs[name]
        self.targets |= pairs

    def _forget(self, names: Iterable[bytes]) -> None:
        for name in names:
            for rows in self._tables.values():
                rows.pop(name, None)
            self.targets.pop(name, None)
            self.guards.pop(name, None)
            self.headers.pop(name, None)
            self.methods.pop(name, None)
            self.absent.pop(name, None)
            self.same.discard(name)
            self.unproven.discard(name)
            self.cautions.discard(name)


def read_cells(path: Path) -> list[bytes]:
    """The cells of a user's table, row after row, checked; an error names the line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SigtransError(f"{path}: cannot read the name table: {error.strerror}") from None
    head, *lines = data.replace(b"\r\n", b"\n").split(b"\n")
    if head != HEAD:
        raise SigtransError(f"{path}:1: not a name table: the first line must name 7 columns")
    cells: list[bytes] = []
    for number, line in enumerate(lines, 2):
        if not line:
            continue
        row = line.split(b"\t")
        if len(row) != _WIDTH:
            raise SigtransError(
                f"{path}:{number}: a row has 7 tab-separated columns, not {len(row)}"
            )
        kind, grade = row[2].decode("utf-8", "replace"), row[3].decode("utf-8", "replace")
        if kind not in KINDS:
            raise SigtransError(f"{path}:{number}: kind {kind!r} is none of {_words(KINDS)}")
        if grade not in GRADES:
            raise SigtransError(f"{path}:{number}: grade {grade!r} is none of {_words(GRADES)}")
        cells += row
    return cells


def _words(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))


def load(
    extra: Iterable[Path] = (), rows: Iterable[tuple[str, tuple[bytes, ...]]] = ()
) -> NameTable:
    """Read every table; `extra` files and `rows` (from rules) replace what has the same name."""
    table = NameTable()
    folder = data_dir() / "names"
    paths = sorted(folder.glob("*.tsv"))
    if not paths:
        raise SigtransError(f"{folder}: no name tables; reinstall sigtrans")
    for path in paths:
        # Our own tables are checked by the tests, so here they are only cut into cells.
        cells = path.read_bytes().rstrip(b"\n").replace(b"\n", b"\t").split(b"\t")
        table._add(path.stem, cells[_WIDTH:])
        if path.stem == "torch":
            table.torch_words = tuple(cells[_WIDTH::_WIDTH])
    added = [(str(path), read_cells(path)) for path in extra]
    added += [(label, list(cells)) for label, cells in rows]
    for label, cells in added:
        table._forget(cells[::_WIDTH])
        table._add(label, cells)
        table.extra_words += tuple(cells[::_WIDTH])
    table.flags = _read_flags(data_dir() / "flags.tsv")
    members = (data_dir() / "torch-members.tsv").read_bytes().splitlines()[1:]
    table.torch_members = frozenset(line.partition(b"\t")[0] for line in members)
    return table


def _read_flags(path: Path) -> dict[bytes, Flag]:
    flags: dict[bytes, Flag] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        name, code, severity, places, rule, message, help = line.split("\t")
        code = "" if code == "-" else code
        flags[name.encode()] = Flag(code, severity, places == "all", rule, message, help)
    return flags
