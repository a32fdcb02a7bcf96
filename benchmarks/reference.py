"""The yardstick: whole-word table replacement over a tree, in plain Python, as text tools do it.

    python benchmarks/reference.py SRC OUT [--method words|trie]

`words` cuts each file into words with a regular expression and looks each one up; it is the
quickest plain way. `trie` walks a trie of all names byte by byte, as tools built on a pure-Python
Aho-Corasick do, and checks the word's ends. Both use our tables, change comments and strings as
well, decide nothing by context, report nothing, and copy what is not text.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

RULES = Path(__file__).resolve().parent.parent / "rules" / "names"
SUFFIXES = frozenset(
    ".cu .cuh .c .cc .cpp .cxx .h .hh .hpp .hxx .inl .inc .ipp .cmake .mk .py .sh .in .toml "
    ".txt .bzl .bazel".split()  # noqa: SIM905
)
NAMES = frozenset(("Makefile", "makefile", "GNUmakefile", "BUILD", "meson.build"))
RENAMES = {".cu": ".mu", ".cuh": ".muh"}
WORD = re.compile(rb"[A-Za-z_]\w*(?:[./]\w+)*")  # also header names: cuda_runtime.h, cub/cub.cuh
PART = re.compile(rb"\w+")

Replace = Callable[[bytes], bytes]


def load_table() -> dict[bytes, bytes]:
    """Every CUDA name and header that has another name on MUSA."""
    table: dict[bytes, bytes] = {}
    for path in sorted(RULES.glob("*.tsv")):
        for line in path.read_bytes().splitlines()[1:]:
            cuda, musa = line.split(b"\t")[:2]
            if musa not in (b"-", cuda) and not cuda.endswith(b"/"):
                table[cuda] = musa
    return table


def make_words(table: dict[bytes, bytes]) -> Replace:
    """Replacement by regular expression and dictionary."""
    get = table.get

    def part(match: re.Match[bytes]) -> bytes:
        word = match.group()
        return get(word, word)

    def whole(match: re.Match[bytes]) -> bytes:
        word = match.group()
        found = get(word)
        if found is not None:
            return found
        return PART.sub(part, word) if b"." in word or b"/" in word else word

    return lambda data: WORD.sub(whole, data)


def make_trie(table: dict[bytes, bytes]) -> Replace:
    """Replacement by a trie; the longest name that ends where a word ends wins."""
    root: dict[int, object] = {}
    for cuda in table:
        node: dict[int, object] = root
        for byte in cuda:
            node = node.setdefault(byte, {})  # type: ignore[assignment]
        node[-1] = cuda
    word = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")

    def replace(data: bytes) -> bytes:
        out: list[bytes] = []
        done = at = 0
        size = len(data)
        while at < size:
            node: object = root.get(data[at])
            if node is None:
                at += 1
                continue
            end, best = at + 1, b""
            while node is not None:
                assert isinstance(node, dict)
                if -1 in node and (end == size or data[end] not in word):
                    best = node[-1]
                if end == size:
                    break
                node = node.get(data[end])
                end += 1
            if best and (at == 0 or data[at - 1] not in word):
                out += [data[done:at], table[best]]
                at = done = at + len(best)
            else:
                at += 1
        out.append(data[done:])
        return b"".join(out)

    return replace


def run(source: Path, out: Path, replace: Replace) -> tuple[int, int]:
    """Write the replaced tree; the number of text files, and their bytes."""
    files = size = 0
    for path in sorted(source.rglob("*")):
        if not path.is_file():
            continue
        place = out / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        if path.suffix in SUFFIXES or path.name in NAMES:
            files += 1
            size += len(data)
            data = replace(data)
            place = place.with_suffix(RENAMES.get(place.suffix, place.suffix))
        place.write_bytes(data)
    return files, size


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--method", choices=("words", "trie"), default="words")
    args = parser.parse_args()
    make = make_trie if args.method == "trie" else make_words
    files, size = run(args.source, args.out, make(load_table()))
    print(f"{files} files, {size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
