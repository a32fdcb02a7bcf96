"""Mutated inputs through the whole pipeline: porting must neither fail, hang nor damage a file."""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from checks import Fault, find_faults

from sigtrans import names
from sigtrans.discover import kind_by_name
from sigtrans.plan import Drafted, Settings

SEEDS = Path(__file__).resolve().parent / "seeds"
_KINDS = frozenset(
    ("source", "cmake", "make", "python", "toml", "bazel", "meson", "xmake", "shell", "manifest")
)
_LARGEST = 48 * 1024  # bytes of a seed from a public tree

Seed = tuple[str, bytes]  # file name, content


def load_seeds(corpora: Iterable[Path] = ()) -> list[Seed]:
    """Our own seeds, and every file of `corpora` that sigtrans would port."""
    # `.seed` keeps tools that check this repository away from files that are inputs.
    seeds = [(p.name.removesuffix(".seed"), p.read_bytes()) for p in sorted(SEEDS.iterdir())]
    for corpus in corpora:
        for path in sorted(corpus.rglob("*")):
            if kind_by_name(path.name) in _KINDS and path.is_file() and not path.is_symlink():
                data = path.read_bytes()
                if 0 < len(data) <= _LARGEST:
                    seeds.append((path.name, data))
    return seeds


# --- mutations ------------------------------------------------------------------------------------

_TOKEN = re.compile(rb"[A-Za-z_]\w*|\d[\w.]*|[ \t]+|\r\n|[\s\S]")
_NASTY = (
    b"\0", b"\r", b"\n", b"\r\n", b"\xff", b"\xef\xbb\xbf", b"\xc4\xe3\xba\xc3", b"\xe9", b'"',
    b"'", b"\\\n", b"\\\r\n", b"\\", b"/*", b"*/", b"//", b'R"(', b')"', b'R"xy(', b"#if 0\n",
    b"\n#endif\n", b"\n#else\n", b"\n#ifdef __CUDA_ARCH__\n", b"\n#if defined(USE_MUSA)\n", b"%:",
    b"??/\n", b"##", b"#", b"<<<", b">>>", b"(", b")", b"{", b"}", b"[[", b"]]", b"$", b"${", b"$<",
    b"::", b"->", b".", b"\n#define ", b"\n#include <", b'\n#include "', b"\n// sigtrans: off\n",
    b"// sigtrans: on\n", b"// sigtrans: skip-line", b"\nusing namespace ", b"namespace ",
    b"struct ", b"template <", b"asm volatile(", b"\x1a", b"\x0c", b"\t", b"1'000", b'u8R"(',
    b"'''", b'"""', b"f'{", b"[=[", b".so", b".ptx", b"a" * 3000, b"(" * 200, b"    " * 500,
)  # fmt: skip


@cache
def _known_names() -> list[bytes]:
    table = names.load()
    return sorted(
        {*table.targets, *table.absent, *table.guards, *table.headers, *table.flags, *table.same}
    )


def _tokens(data: bytes) -> list[bytes]:
    return _TOKEN.findall(data)


def _range(rng: random.Random, count: int, most: int = 12) -> tuple[int, int]:
    start = rng.randrange(count + 1)
    return start, min(count, start + rng.randint(1, most))


def _delete_tokens(rng: random.Random, data: bytes, other: bytes) -> bytes:
    tokens = _tokens(data)
    start, end = _range(rng, len(tokens))
    del tokens[start:end]
    return b"".join(tokens)


def _splice_tokens(rng: random.Random, data: bytes, other: bytes) -> bytes:
    tokens, more = _tokens(data), _tokens(other)
    start, end = _range(rng, len(more))
    at = rng.randrange(len(tokens) + 1)
    tokens[at : at + rng.randrange(3)] = more[start:end]
    return b"".join(tokens)


def _swap_tokens(rng: random.Random, data: bytes, other: bytes) -> bytes:
    tokens = _tokens(data)
    if len(tokens) > 1:
        a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        tokens[a], tokens[b] = tokens[b], tokens[a]
    return b"".join(tokens)


def _insert_name(rng: random.Random, data: bytes, other: bytes) -> bytes:
    tokens = _tokens(data)
    words = [n for n, t in enumerate(tokens) if t[:1].isalpha() or t[:1] == b"_"]
    name = rng.choice(_known_names())
    if words and rng.random() < 0.7:
        tokens[rng.choice(words)] = name
    else:
        tokens.insert(rng.randrange(len(tokens) + 1), name)
    return b"".join(tokens)


def _flip_bytes(rng: random.Random, data: bytes, other: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if out:
            at = rng.randrange(len(out))
            out[at] = rng.randrange(256) if rng.random() < 0.5 else out[at] ^ 1 << rng.randrange(8)
    return bytes(out)


def _insert_nasty(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(_NASTY) + data[at:]


def _splice_files(rng: random.Random, data: bytes, other: bytes) -> bytes:
    a, b = rng.randrange(len(data) + 1), rng.randrange(len(other) + 1)
    if rng.random() < 0.5:  # on line ends
        a = data.rfind(b"\n", 0, a) + 1
        b = other.rfind(b"\n", 0, b) + 1
    return data[:a] + other[b:]


def _insert_lines(rng: random.Random, data: bytes, other: bytes) -> bytes:
    lines, more = data.splitlines(True), other.splitlines(True)
    start, end = _range(rng, len(more), 6)
    at = rng.randrange(len(lines) + 1)
    lines[at:at] = more[start:end]
    return b"".join(lines)


def _change_lines(rng: random.Random, data: bytes, other: bytes) -> bytes:
    lines = data.splitlines(True)
    start, end = _range(rng, len(lines), 5)
    how = rng.randrange(3)
    if how == 0:
        lines[start:start] = lines[start:end]
    elif how == 1:
        del lines[start:end]
    else:
        lines[start:end] = reversed(lines[start:end])
    return b"".join(lines)


def _truncate(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] if rng.random() < 0.7 else data[at:]


def _change_line_ends(rng: random.Random, data: bytes, other: bytes) -> bytes:
    share, end = rng.choice((0.02, 0.5, 1.0)), rng.choice((b"\r\n", b"\r", b"\\\n", b"\n\n"))
    pieces = data.split(b"\n")
    out = [pieces[0]]
    for piece in pieces[1:]:
        out += [end if rng.random() < share else b"\n", piece]
    return b"".join(out)


MUTATIONS: tuple[Callable[[random.Random, bytes, bytes], bytes], ...] = (
    _delete_tokens, _splice_tokens, _swap_tokens, _insert_name, _insert_name, _flip_bytes,
    _insert_nasty, _insert_nasty, _splice_files, _insert_lines, _change_lines, _truncate,
    _change_line_ends,
)  # fmt: skip


def mutate(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """`data` after one to six mutations; `other` is what gets spliced in."""
    for _ in range(rng.choice((1, 1, 2, 2, 3, 4, 6))):
        data = rng.choice(MUTATIONS)(rng, data, other)
    return data


# --- campaigns ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ways:
    """How a tree is checked; see `find_faults`."""

    annotate: bool = False
    whole: bool = False


@dataclass(slots=True)
class Campaign:
    """What a number of cases came to."""

    cases: int = 0
    size: int = 0  # bytes of all cases
    ported: int = 0
    trees: int = 0
    faults: list[tuple[Fault, dict[str, bytes], Settings, Ways]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)  # fault kind and signature -> cases
    slowest: list[tuple[float, int, str]] = field(default_factory=list)  # CPU s, bytes, seed


def make_tree(rng: random.Random, seeds: Sequence[Seed], count: int) -> dict[str, bytes]:
    """A tree of `count` mutated files, each in a folder of its own."""
    files: dict[str, bytes] = {}
    for number in range(count):
        name, data = rng.choice(seeds)
        files[f"c{number:03d}/{name}"] = mutate(rng, data, rng.choice(seeds)[1])
    return files


def make_settings(rng: random.Random) -> Settings:
    """Settings as a user might choose them, one process."""
    return Settings(
        targets=rng.choice((("mp_31",), ("mp_21",), ("mp_22", "mp_31"))),
        keep_extensions=rng.random() < 0.2,
        strict=rng.random() < 0.2,
        jobs=1,
    )


def run_campaign(cases: int, seed: int, seeds: Sequence[Seed], each: int = 3) -> Campaign:
    """Port `cases` mutated files in trees of 1 to 64; at most `each` faults of a sort are kept."""
    rng = random.Random(seed)
    campaign = Campaign()
    with tempfile.TemporaryDirectory(dir=fast_folder()) as scratch:
        while campaign.cases < cases:
            count = min(rng.choice((1, 1, 4, 16, 64)), cases - campaign.cases)
            files = make_tree(rng, seeds, count)
            settings = make_settings(rng)
            ways = Ways(annotate=rng.random() < 0.25, whole=rng.random() < 0.5)
            _run_tree(campaign, files, settings, ways, Path(scratch), each)
    return campaign


def _run_tree(
    campaign: Campaign,
    files: dict[str, bytes],
    settings: Settings,
    ways: Ways,
    scratch: Path,
    each: int,
) -> None:
    campaign.trees += 1
    campaign.cases += len(files)
    campaign.size += sum(map(len, files.values()))
    while True:
        begun = time.process_time()
        faults, drafted = _faults(files, settings, ways, scratch)
        for fault in faults:
            sort = f"{fault.kind}: {fault.signature}"
            campaign.counts[sort] += 1
            if campaign.counts[sort] <= each:
                campaign.faults.append((fault, files, settings, ways))
        _note_slow(campaign, files, time.process_time() - begun)
        hung = {f.path for f in faults if f.kind == "hang"}
        if drafted is not None:
            campaign.ported += sum(f.path in drafted.drafts for f in drafted.plan.files)
        if not hung:
            return
        files = {path: data for path, data in files.items() if path not in hung}


def _note_slow(campaign: Campaign, files: dict[str, bytes], seconds: float) -> None:
    if len(files) == 1:
        ((path, data),) = files.items()
        campaign.slowest.append((seconds, len(data), path.rpartition("/")[2]))
        campaign.slowest.sort(reverse=True)
        del campaign.slowest[5:]


def _faults(
    files: dict[str, bytes], settings: Settings, ways: Ways, scratch: Path
) -> tuple[list[Fault], Drafted | None]:
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        return find_faults(files, settings, Path(folder), annotate=ways.annotate, whole=ways.whole)


def fast_folder() -> str | None:
    """A folder in memory where there is one: the fuzzer writes thousands of small files."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


# --- shrinking ------------------------------------------------------------------------------------


def shrink(
    fault: Fault,
    files: dict[str, bytes],
    settings: Settings,
    ways: Ways,
    seconds: float = 20.0,
) -> dict[str, bytes]:
    """A smaller tree with the same fault: fewer files, then fewer lines, then fewer bytes."""
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(dir=fast_folder()) as scratch:

        def fails(candidate: dict[str, bytes]) -> bool:
            if time.monotonic() > deadline:
                return False
            found, _ = _faults(candidate, settings, ways, Path(scratch))
            return any(
                (f.kind, f.signature, f.path) == (fault.kind, fault.signature, fault.path)
                for f in found
            )

        alone = {fault.path: files[fault.path]} if fault.path in files else files
        if fails(alone):
            files = alone
        else:
            paths = _minimise(sorted(files), lambda keep: fails({p: files[p] for p in keep}))
            files = {p: files[p] for p in paths}
        for path in sorted(files):
            for cut in (_lines, _words, _bytes):

                def still(pieces: Sequence[bytes], path: str = path) -> bool:
                    return fails({**files, path: b"".join(pieces)})

                files[path] = b"".join(_minimise(cut(files[path]), still))
    return files


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(True)


def _words(data: bytes) -> list[bytes]:
    return _tokens(data)


def _bytes(data: bytes) -> list[bytes]:
    return [data[n : n + 1] for n in range(len(data))] if len(data) < 600 else [data]


def _minimise(pieces: list, fails: Callable[[list], bool]) -> list:  # type: ignore[type-arg]
    """Delta debugging: drop ever smaller runs of pieces while the fault stays."""
    size = max(1, len(pieces) // 2)
    while True:
        at, dropped = 0, False
        while at < len(pieces):
            candidate = pieces[:at] + pieces[at + size :]
            if candidate and fails(candidate):
                pieces, dropped = candidate, True
            else:
                at += size
        if size == 1 and not dropped:
            return pieces
        size = max(1, size // 2)


def keep(folder: Path, fault: Fault, files: dict[str, bytes], settings: Settings) -> Path:
    """Write a failing tree and what is wrong with it to a folder of its own."""
    label = re.sub(r"\W+", "-", f"{fault.kind} {fault.signature}")[:60].strip("-")
    number = 1
    while (folder / f"{label}-{number}").exists():
        number += 1
    place = folder / f"{label}-{number}"
    for path, data in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(data)
    text = f"{fault.kind}: {fault.signature}\n{fault.path}\n{fault.detail}\n{settings}\n"
    (place / "FAULT.txt").write_text(text, encoding="utf-8", errors="backslashreplace")
    return place
