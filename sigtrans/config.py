"""What a project says about its own port, in `sigtrans.toml` or `[tool.sigtrans]`.

Patterns are written as in `.gitignore`, relative to the folder of the file they stand in; they come
out of `load` relative to the tree that is ported. The values are checked by hand and not by
pydantic: its import costs 160 ms, twice what a second run over an unchanged tree may take.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from sigtrans.discover import Patterns, find_pattern_rests
from sigtrans.source import Severity, SigtransError

TARGETS = ("mp_21", "mp_22", "mp_31")
SDKS = ("3.1", "4.0", "4.1", "4.2", "4.3", "5.0", "5.1", "5.2")
KEYS = (
    "target", "sdk", "exclude", "include", "keep-extensions", "port-vendored", "max-file-size",
    "rules", "strict", "jobs", "respect-gitignore", "severity", "ignore", "per-path-ignore",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Config:
    """Settings of one project; without a file, the defaults."""

    path: str = ""  # the file they come from, "" when there is none
    targets: tuple[str, ...] = ("mp_31",)
    sdk: str = "5.2"
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    keep_extensions: bool = False
    port_vendored: bool = False
    max_file_size: int = 8 * 1024 * 1024
    rules: tuple[Path, ...] = ()  # folders, absolute
    strict: bool = False
    jobs: int = 0  # 0: as many as there are CPUs
    respect_gitignore: bool = True
    severity: tuple[tuple[str, Severity | None], ...] = ()  # code or prefix; None: silenced
    per_path_ignore: tuple[tuple[str, tuple[str, ...]], ...] = ()  # pattern, codes or prefixes
    given: frozenset[str] = field(default=frozenset())  # the keys that the file sets

    def severity_of(
        self, code: str, path: str, default: Severity = Severity.WARNING
    ) -> Severity | None:
        """The severity of `code` in the file `path`, None when it is silenced there.

        Of several prefixes the longest counts, so `ignore = ["SIG1"]` with
        `severity = {SIG101 = "error"}` keeps SIG101; what `per-path-ignore` says is final.
        """
        for pattern, codes in self.per_path_ignore:
            if path and code.startswith(codes) and _compiled(pattern).matches(path):
                return None
        best = -1
        result: Severity | None = default
        for prefix, severity in self.severity:
            # Of two equally long ones (`ignore` and `severity` on one code), silence wins.
            longer = len(prefix) > best or (len(prefix) == best and severity is None)
            if longer and code.startswith(prefix):
                best, result = len(prefix), severity
        return result


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Patterns:
    return Patterns((pattern,))


def load(start: Path, explicit: Path | None = None) -> Config:
    """The settings for the tree (or file) `start`: from `explicit`, else from the nearest file."""
    tree = Path(os.path.realpath(start))
    if tree.is_file():
        tree = tree.parent
    if explicit is not None:
        found = _read(explicit)
        if found is None:
            raise SigtransError(
                f"{explicit}: no [tool.sigtrans] table; add one or name another file"
            )
        return _make(found, tree)
    for folder in (tree, *tree.parents):
        for name in ("sigtrans.toml", "pyproject.toml"):
            path = folder / name
            if path.is_file() and (found := _read(path)) is not None:
                return _make(found, tree)
    return Config()


@dataclass(frozen=True, slots=True)
class _Source:
    """One configuration table and where it was found."""

    path: Path
    text: str
    table: Mapping[str, object]
    header: str  # the table's name in the file, "" for the whole file


def _read(path: Path) -> _Source | None:
    """The table in `path`; None for a pyproject.toml that has none."""
    shared = path.name == "pyproject.toml"
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise SigtransError(f"{path}: {fault.strerror}; name a readable file") from fault
    if shared and b"sigtrans" not in data:
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
        raw: dict[str, object] = tomllib.loads(text)
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        raise SigtransError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from fault
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        if shared and not re.search(r"(?m)^\s*\[\s*tool\s*\.\s*[\"']?sigtrans", text):
            return None  # broken, but it is not ours to complain about
        raise SigtransError(f"{path}: not TOML: {fault}") from fault
    if not shared:
        return _Source(path, text, raw, "")
    tool = raw.get("tool")
    if not isinstance(tool, dict) or "sigtrans" not in tool:
        return None
    table = tool["sigtrans"]
    if not isinstance(table, dict):
        raise SigtransError(f"{path}: tool.sigtrans must be a table")
    return _Source(path, text, table, "tool.sigtrans")


T = TypeVar("T")


def _make(source: _Source, tree: Path) -> Config:
    for key in source.table:
        if key not in KEYS:
            hint = _nearest(key, KEYS) or f"known keys: {', '.join(KEYS)}"
            raise SigtransError(f"unknown key '{key}' in {_place(source, key)}; {hint}")

    def get(key: str, read: Callable[[object], T], default: T) -> T:
        if key not in source.table:
            return default
        try:
            return read(source.table[key])
        except _Wrong as wrong:
            place = _place(source, key, wrong.inner)
            name = f"{key}.{wrong.inner}" if wrong.inner else key
            raise SigtransError(f"'{name}' in {place}: {wrong}") from wrong

    base = source.path.parent.resolve()

    def patterns(value: object) -> tuple[str, ...]:
        return tuple(_rebase(_patterns(value), base, tree))

    def folders(value: object) -> tuple[Path, ...]:
        return tuple(_folder(base, item) for item in _strings(value))

    default = Config()
    ignored = get("ignore", _codes, tuple[str, ...]())
    return Config(
        path=str(source.path),
        targets=get("target", _targets, default.targets),
        sdk=get("sdk", _sdk, default.sdk),
        exclude=get("exclude", patterns, default.exclude),
        include=get("include", patterns, default.include),
        keep_extensions=get("keep-extensions", _flag, False),
        port_vendored=get("port-vendored", _flag, False),
        max_file_size=get("max-file-size", parse_size, default.max_file_size),
        rules=get("rules", folders, default.rules),
        strict=get("strict", _flag, False),
        jobs=get("jobs", _jobs, 0),
        respect_gitignore=get("respect-gitignore", _flag, True),
        severity=(
            *((code, None) for code in ignored),
            *get("severity", _severities, default.severity),
        ),
        per_path_ignore=tuple(
            (pattern, codes)
            for written, codes in get("per-path-ignore", _per_path, default.per_path_ignore)
            for pattern in _rebase((written,), base, tree)
        ),
        given=frozenset(source.table),
    )


def _rebase(patterns: Iterable[str], base: Path, tree: Path) -> Iterator[str]:
    """Patterns written for `base`, as they read from the tree; those about other places go."""
    try:
        way = tree.relative_to(base).parts
    except ValueError:  # --config names a file from elsewhere: it speaks about the tree itself
        way = ()
    for pattern in patterns:
        yield from find_pattern_rests(pattern, way)


# --- values ---------------------------------------------------------------------------------------


class _Wrong(ValueError):
    """A value that cannot be used; `inner` is the key inside a table value."""

    def __init__(self, message: str, inner: str = "") -> None:
        super().__init__(message)
        self.inner = inner


def _show(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _nearest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word.lower().replace("_", "-"), known, 1, 0.6)
    near = near or get_close_matches(word.lower(), known, 1, 0.6)
    return f"did you mean '{near[0]}'?" if near else ""


def _one_of(value: object, known: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in known:
        return value
    hint = _nearest(value, known) if isinstance(value, str) else ""
    allowed = f"one of {', '.join(known)}"
    raise _Wrong(f"{_show(value)} is not {allowed}" + (f"; {hint}" if hint else ""))


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise _Wrong(f"expected true or false, not {_show(value)}")


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    example = f"; write [{value!r}]" if isinstance(value, str) else ""
    raise _Wrong(f"expected a list of strings, not {_show(value)}{example}")


def _patterns(value: object) -> tuple[str, ...]:
    items = _strings(value)
    for item in items:
        if not Patterns((item,)).patterns:
            raise _Wrong(f"{item!r} is a pattern that matches nothing")
    return items


def _targets(value: object) -> tuple[str, ...]:
    items = (value,) if isinstance(value, str) else _strings(value)
    if not items:
        raise _Wrong(f"expected at least one of {', '.join(TARGETS)}")
    return tuple(sorted({_one_of(item, TARGETS) for item in items}))


def _sdk(value: object) -> str:
    if isinstance(value, float | int) and not isinstance(value, bool):
        raise _Wrong(f'expected a string; write "{value}"')
    return _one_of(value, SDKS)


def _jobs(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1024:
        return value
    raise _Wrong(f"expected a number from 1 to 1024, or 0 for all CPUs, not {_show(value)}")


_SIZE = re.compile(r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*([KMG]?)(?:i?B)?\s*", re.I | re.A)


def parse_size(value: object) -> int:
    """Bytes in 8388608, "8MB", "500 KB" or "1.5GiB" (units of 1024)."""
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    size = int(float(match[1]) * 1024 ** " KMG".index(match[2].upper() or " ")) if match else 0
    if size <= 0:
        raise _Wrong(f'expected a size such as "8MB", not {_show(value)}')
    return size


def _folder(base: Path, item: str) -> Path:
    path = base / Path(item).expanduser()
    if not path.is_dir():
        raise _Wrong(f"{item!r}: there is no folder {path}")
    return path


def parse_targets(words: Sequence[str], option: str) -> tuple[str, ...]:
    """Targets named on the command line by `option`."""
    return _from_option(option, _targets, [word.strip() for word in words if word.strip()])


def parse_sdk(word: str, option: str) -> str:
    """An SDK version named on the command line by `option`."""
    return _from_option(option, _sdk, word)


def parse_size_option(word: str, option: str) -> int:
    """A size given on the command line by `option`; a plain number counts bytes."""
    return _from_option(option, parse_size, word)


def _from_option(option: str, read: Callable[[object], T], value: object) -> T:
    try:
        return read(value)
    except _Wrong as wrong:
        raise SigtransError(f"{option}: {wrong}") from wrong


_CODE = re.compile(r"SIG\d{0,3}", re.A)


def _code(value: str, inner: str = "") -> str:
    if _CODE.fullmatch(value):
        return value
    hint = f"; did you mean '{value.upper()}'?" if _CODE.fullmatch(value.upper()) else ""
    raise _Wrong(f"{value!r} is not a code such as SIG101 or a prefix such as SIG1{hint}", inner)


def _codes(value: object) -> tuple[str, ...]:
    return tuple(_code(item) for item in _strings(value))


def _table(value: object, example: str) -> Mapping[str, object]:
    if isinstance(value, dict):
        return value
    raise _Wrong(f"expected a table such as {example}, not {_show(value)}")


_LEVELS = (*(severity.value for severity in Severity), "off")


def _severities(value: object) -> tuple[tuple[str, Severity | None], ...]:
    result: list[tuple[str, Severity | None]] = []
    for code, level in sorted(_table(value, '{SIG101 = "note"}').items()):
        _code(code, code)
        try:
            word = _one_of(level, _LEVELS)
        except _Wrong as wrong:
            raise _Wrong(str(wrong), code) from wrong
        result.append((code, None if word == "off" else Severity(word)))
    return tuple(result)


def _per_path(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    result: list[tuple[str, tuple[str, ...]]] = []
    for pattern, codes in sorted(_table(value, '{"tests/**" = ["SIG1"]}').items()):
        try:
            _patterns([pattern])
            if pattern.startswith("!"):
                raise _Wrong("a pattern here cannot start with '!'")
            result.append((pattern, _codes(codes)))
        except _Wrong as wrong:
            raise _Wrong(str(wrong), pattern) from wrong
    return tuple(result)


# --- places ---------------------------------------------------------------------------------------

_HEADER = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$")


def _place(source: _Source, key: str, inner: str = "") -> str:
    """`file, line N` of a key; only the file when the line cannot be told."""
    line = _line_of(source, (key, inner)) if inner else 0
    line = line or _line_of(source, (key,))
    return f"{source.path}, line {line}" if line else str(source.path)


def _line_of(source: _Source, keys: tuple[str, ...]) -> int:
    wanted = (*source.header.split("."), *keys) if source.header else keys
    table: tuple[str, ...] = ()
    inside = False  # a value that started on an earlier line, as `severity = {` or `[` may
    for number, line in enumerate(source.text.splitlines(), 1):
        header = _HEADER.fullmatch(line)
        if header:
            table = _split(header[1])
            inside = False
            if table[: len(wanted)] == wanted:
                return number
            continue
        name, equals, rest = line.partition("=")
        here = (*table, *_split(name)) if equals else ()
        if here[: len(wanted)] == wanted:
            return number
        if here == wanted[:-1]:
            inside = True
        if inside and re.search(
            rf"(?<![\w-])[\"']?{re.escape(wanted[-1])}[\"']?\s*=", rest or line
        ):
            return number
    return 0


def _split(name: str) -> tuple[str, ...]:
    parts = re.findall(r"\"([^\"]*)\"|'([^']*)'|([\w-]+)", name)
    return tuple(double or single or bare for double, single, bare in parts)
