"""The yardstick: whole-word table replacement over a tree, in plain Python, as text tools do it.

    python benchmarks/reference.py SRC OUT [--method words|trie|automaton]

`words` cuts each file into words with a regular expression and looks each one up. `trie` tries a
trie of all names at each byte. `automaton` is Aho-Corasick in plain Python, which is what the
public text tool for MUSA is built on. All use our tables, check that a name is a whole word,
change comments and strings as well, decide nothing by context, report nothing, and copy what is
not text. They write the same bytes.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

RULES = Path(__file__).resolve().parent.parent / "rules" / "names"
SUFFIXES = frozenset(
    (
        *(".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc"),
        *(".ipp", ".cmake", ".mk", ".py", ".sh", ".in", ".toml", ".txt", ".bzl", ".bazel"),
    )
)
NAMES = frozenset(("Makefile", "makefile", "GNUmakefile", "BUILD", "meson.build"))
RENAMES = {".cu": ".mu", ".cuh": ".muh"}
WORD = re.compile(rb"[A-Za-z_]\w*(?:[./]\w+)*")  # also header names: cuda_runtime.h, cub/cub.cuh
PART = re.compile(rb"\w+")
IN_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")

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
                if -1 in node and (end == size or data[end] not in IN_WORD):
                    best = node[-1]
                if end == size:
                    break
                node = node.get(data[end])
                end += 1
            if best and (at == 0 or data[at - 1] not in IN_WORD):
                out += [data[done:at], table[best]]
                at = done = at + len(best)
            else:
                at += 1
        out.append(data[done:])
        return b"".join(out)

    return replace


def make_automaton(table: dict[bytes, bytes]) -> Replace:
    """Replacement by Aho-Corasick; of overlapping whole words the first and longest wins."""
    steps: list[dict[int, int]] = [{}]
    names: list[list[bytes]] = [[]]  # names that end in a state, longest first
    for cuda in table:
        state = 0
        for byte in cuda:
            if byte not in steps[state]:
                steps[state][byte] = len(steps)
                steps.append({})
                names.append([])
            state = steps[state][byte]
        names[state].append(cuda)
    fails = [0] * len(steps)
    queue = list(steps[0].values())
    for state in queue:
        for byte, after in steps[state].items():
            fail = fails[state]
            while fail and byte not in steps[fail]:
                fail = fails[fail]
            fails[after] = steps[fail].get(byte, 0)
            names[after] += names[fails[after]]
            queue.append(after)

    def replace(data: bytes) -> bytes:
        hits: list[tuple[int, int]] = []
        state = 0
        for at, byte in enumerate(data):
            while state and byte not in steps[state]:
                state = fails[state]
            state = steps[state].get(byte, 0)
            for name in names[state]:
                start, end = at + 1 - len(name), at + 1
                ends_here = end == len(data) or data[end] not in IN_WORD
                if ends_here and (start == 0 or data[start - 1] not in IN_WORD):
                    hits.append((start, -end))
        out: list[bytes] = []
        done = 0
        for start, end in sorted(hits):
            if start >= done:
                out += [data[done:start], table[data[start:-end]]]
                done = -end
        out.append(data[done:])
        return b"".join(out)

    return replace


METHODS = {"words": make_words, "trie": make_trie, "automaton": make_automaton}


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
    parser.add_argument("--method", choices=METHODS, default="words")
    args = parser.parse_args()
    files, size = run(args.source, args.out, METHODS[args.method](load_table()))
    print(f"{files} files, {size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
