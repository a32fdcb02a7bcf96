"""What nvcc's options and CUDA's libraries become when mcc compiles: one home for every build file.

The table is data (rules/build/nvcc-flags.yaml) and is read when the first build file needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from sigtrans.catalogue import data_file
from sigtrans.source import Severity

UNIMPORTANT = "SIG715"  # left out, nothing lost
CHANGED = "SIG716"  # left out, speed or behaviour may change
STOP = "SIG717"  # left as it is, mcc refuses it
RELOCATABLE = "SIG718"  # relocatable device code
LIBRARY = "SIG719"  # library without a counterpart
MACRO = "SIG720"  # a macro of CUDA's own headers on the command line

SEVERITY: Mapping[str, Severity] = {
    UNIMPORTANT: Severity.NOTE,
    CHANGED: Severity.WARNING,
    STOP: Severity.ERROR,
    RELOCATABLE: Severity.WARNING,
    LIBRARY: Severity.ERROR,
    MACRO: Severity.WARNING,
}

# What makes a build file worth reading; anything else has nothing to do with CUDA. It is asked of
# text in lower case: where each alternative begins with a plain byte, most bytes cost nothing.
CUDA_WORDS = (
    rb"cuda|nvcc|\.cuh?\b|cu(?:blas|fft|rand|sparse|solver|pti|dnn)|nvrtc|nccl|nvidia-ml"
    rb"|npp(?<=\bnpp)[a-z]|nvtoolsext|nvjpeg|gencode|-xptxas"
)

# How an option begins that only nvcc (or clang for CUDA) takes, wherever it stands.
OPTION = (
    r"(?:-Xcompiler|-Xptxas|-Xcudafe|-Xfatbin|-Xnvlink|--?gencode|--generate-code|--?expt-"
    r"|--?extended-lambda|--?use_fast_math|--?maxrregcount|--?rdc\b|--relocatable-device-code"
    r"|-lineinfo|--generate-line-info|-arch=(?:sm_|compute_|native|all)|-code=(?:sm_|compute_)"
    r"|--gpu-|--cuda-gpu-arch=sm_|-ccbin|--compiler-bindir|--?default-stream|--?dlto"
    r"|--ptxas-options|--compiler-options|-Wno-deprecated-gpu-targets|--?diag-suppress"
    r"|--forward-unknown)"
)

Note = tuple[int, str, str, str]  # index of the word, code, message, help


@dataclass(frozen=True, slots=True)
class FlagResult:
    """The words for mcc, and what a person should know about the words for nvcc."""

    words: list[str]
    notes: list[Note]


@dataclass(frozen=True, slots=True)
class Change:
    """Words `first` up to `last` (not included) become `words`."""

    first: int
    last: int
    words: tuple[str, ...]
    code: str = ""
    message: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Library:
    """A CUDA library's MUSA side: `to` is empty where there is none to link."""

    to: str
    stop: bool
    help: str


@dataclass(frozen=True, slots=True)
class _Flag:
    takes: bool
    do: str
    words: tuple[str, ...]
    code: str
    say: str
    help: str
    when: tuple[tuple[frozenset[str], _Flag], ...] = ()


@cache
def _table() -> tuple[Mapping[str, _Flag], Mapping[str, Library]]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    path = data_file("rules", "build/nvcc-flags.yaml")
    raw: dict[str, Any] = yaml.load(path.read_bytes(), Loader=loader)
    flags = {
        name: flag for row in raw["flags"] for flag in [_make_flag(row)] for name in row["names"]
    }
    libraries = {
        name: Library(row.get("to", ""), row.get("do") == "stop", row.get("help", ""))
        for name, row in raw["libraries"].items()
    }
    return flags, libraries


def _make_flag(row: Mapping[str, Any]) -> _Flag:
    """A row as a flag; a case in `when` takes from the row what it does not say itself."""
    cases = tuple(
        (frozenset(case["is"]), _make_flag({**row, **case, "when": ()}))
        for case in row.get("when", ())
    )
    return _Flag(
        takes=row.get("takes") == "one",
        do=row["do"],
        words=tuple(row.get("with", ())),
        code=row.get("code", ""),
        say=row.get("say", ""),
        help=row.get("help", ""),
        when=cases,
    )


def translate_words(words: list[str], targets: tuple[str, ...]) -> FlagResult:
    """The same command line for mcc; options nvcc and mcc share come back as they were."""
    out: list[str] = []
    notes: list[Note] = []
    at = 0
    for change in translate(words, targets):
        out += words[at : change.first]
        out += change.words
        at = change.last
        if change.code:
            notes.append((change.first, change.code, change.message, change.help))
    out += words[at:]
    return FlagResult(out, notes)


def translate(words: Sequence[str], targets: Sequence[str]) -> list[Change]:
    """What differs between the command line for nvcc and the one for mcc, in order."""
    if not any("-" in word or "/" in word for word in words):
        return []
    return list(_translated(tuple(words), tuple(targets)))


@lru_cache(maxsize=512)  # the build files of a tree repeat each other's options
def _translated(words: tuple[str, ...], targets: tuple[str, ...]) -> tuple[Change, ...]:
    return tuple(_changes(words, targets))


def find_library(name: str) -> Library | None:
    """What linking CUDA's library `name` becomes; None when it is no library of CUDA's."""
    return _table()[1].get(name)


def _changes(words: Sequence[str], targets: Sequence[str]) -> Iterator[Change]:
    flags, _ = _table()
    has_arch = any(unquote(word).startswith("--offload-arch") for word in words)
    at = 0
    while at < len(words):
        word = unquote(words[at])
        flag, argument, used = _match(flags, word, words, at)
        if flag is None:
            if change := _plain(word, words[at], at):
                yield change
            at += 1
            continue
        last = min(at + used, len(words))
        flag = next((case for values, case in flag.when if argument in values), flag)
        change = _apply(flag, argument, words, at, last, () if has_arch else targets)
        has_arch = has_arch or flag.do == "arch"
        if change:
            yield change
        at = last


def _match(
    flags: Mapping[str, _Flag], word: str, words: Sequence[str], at: int
) -> tuple[_Flag | None, str, int]:
    """The table's row for a word, its argument, and how many words both take."""
    if not word.startswith("-"):
        return None, "", 1
    if (flag := flags.get(word)) is not None:
        if not flag.takes:
            return flag, "", 1
        argument = unquote(words[at + 1]) if at + 1 < len(words) else ""
        if argument.startswith("-") and not _TAKES_OPTIONS.match(word) and flag.do != "keep":
            return flag, "", 1
        return flag, argument, 2
    name, equals, argument = word.partition("=")
    if not equals and (comma := word.find(",")) > 0:  # -Xcompiler,-fPIC
        name, argument = word[:comma], word[comma + 1 :]
        equals = "," if name.startswith("-X") else ""
    if equals and (flag := flags.get(name)) is not None and flag.takes and flag.do != "keep":
        return flag, unquote(argument), 1
    return None, "", 1


_TAKES_OPTIONS = re.compile(r"-X|--?\w+-options$")  # their argument is itself an option


def _apply(
    flag: _Flag, argument: str, words: Sequence[str], first: int, last: int, targets: Sequence[str]
) -> Change | None:
    before = tuple(words[first:last])
    code, message, help_ = "", "", ""
    if flag.code:
        code, help_ = flag.code, flag.help or _HELPS.get(flag.code, "")
        message = f"{' '.join(before)}: {flag.say or _SAYS.get(flag.code, '')}"
    match flag.do:
        case "keep":
            return None
        case "stop":
            after = before
        case "drop":
            after = ()
        case "arch":
            after = tuple(f"--offload-arch={target}" for target in targets)
        case "unwrap":
            return _unwrap(argument, before, first, last)
        case "linker":
            after = (f"-Wl,{argument}",) if argument else before
        case _:
            after = tuple(word.replace("{}", argument) for word in flag.words)
            if after == ("-g",) and "-g" in words:  # -g -G: one is enough
                after = ()
            if flag.do == "joined" and after != before:
                return _settled(Change(first, last, after, code, message, help_))
    if after == before and not code:
        return None
    return Change(first, last, after, code, message, help_)


def _unwrap(argument: str, before: tuple[str, ...], first: int, last: int) -> Change | None:
    """The host compiler's options, on their own; a list may be parted by commas or blanks."""
    if re.match(r"/[A-Za-z]", argument):  # for Microsoft's compiler, in a branch for Windows
        return None
    if argument.startswith("-Wl,") or any(quote in argument for quote in "\"'\\"):
        after: tuple[str, ...] = before[1:] or (argument,)
    else:
        after = tuple(part for part in re.split(r",(?=[-/$])|\s+", argument) if part)
    return _settled(Change(first, last, after))


def _settled(change: Change) -> Change:
    """A change whose own words may need one, as in -Xcompiler -lcudart."""
    result = translate_words(list(change.words), ())
    note = result.notes[0][1:] if result.notes and not change.code else None
    words = tuple(result.words)
    if note:
        return Change(change.first, change.last, words, *note)
    return replace(change, words=words)


_CUDA_MACRO = re.compile(r"-[DU] ?(?:__CUDA|__NVCC|__CUDACC|CUDA_API_PER_THREAD)\w*")


def _plain(word: str, raw: str, at: int) -> Change | None:
    """A word that is no option of nvcc's alone: libraries, paths, macros."""
    if word.startswith("-l") and (library := find_library(word[2:].removeprefix(":lib"))):
        if library.stop:
            message = f"{word}: MUSA has no library that takes its place by name"
            return Change(at, at + 1, (raw,), LIBRARY, message, library.help)
        return Change(at, at + 1, (f"-l{library.to}",) if library.to else ())
    if _CUDA_MACRO.match(word):
        message = f"{word}: a macro that CUDA's own headers read"
        return Change(at, at + 1, (raw,), MACRO, message, _HELPS[MACRO])
    moved = translate_path(raw)
    return Change(at, at + 1, (moved,)) if moved != raw else None


_TOOLKIT = re.compile(
    r"/usr/local/cuda(?:-\d+(?:\.\d+)*)?(?=$|[/\s\"';:,)}])|/opt/cuda(?=$|[/\s\"';:,)}])"
)
_TOOLKIT_LIB = re.compile(
    r"((?:/usr/local/musa|\$[({]\w*(?:CUDA|MUSA)\w*[)}]|\$\(?ENV\{\w*(?:CUDA|MUSA)\w*\}\)?))"
    r"/(?:lib64|targets/[\w-]+/lib|lib/x64)(?:/stubs)?(?=$|[/\s\"';:,)}])"
)
_TOOLKIT_INCLUDE = re.compile(
    r"(/usr/local/musa|\$[({]\w*(?:CUDA|MUSA)\w*[)}])/targets/[\w-]+/include"
)


def translate_path(text: str) -> str:
    """The toolkit's default folders, in the form the MUSA SDK has them: bin, include, lib."""
    if "/" not in text:
        return text
    text = _TOOLKIT.sub("/usr/local/musa", text)
    text = _TOOLKIT_INCLUDE.sub(r"\1/include", text)
    return _TOOLKIT_LIB.sub(r"\1/lib", text)


def unquote(word: str) -> str:
    """A word without the quotes around it, plain or escaped; quotes inside it stay."""
    for quote in ('\\"', '"', "'"):
        if len(word) >= 2 * len(quote) and word.startswith(quote) and word.endswith(quote):
            inner = word[len(quote) : -len(quote)]
            return inner if quote not in inner else word
    return word


_SAYS: Mapping[str, str] = {
    UNIMPORTANT: "an option of nvcc's alone, left out",
    CHANGED: "mcc has no such option, left out",
    STOP: "mcc has no such option",
    RELOCATABLE: "relocatable device code is not proven on every SDK",
}
_HELPS: Mapping[str, str] = {
    RELOCATABLE: (
        "mcc 5.2 links relocatable device code by itself; on older SDKs keep device functions that "
        "call each other in one file, or check that the device link works. Give -fgpu-rdc when "
        "linking too."
    ),
    MACRO: (
        "MUSA's headers may not read it, or know it under another name; look it up there, and see "
        "what the code relies on."
    ),
}
