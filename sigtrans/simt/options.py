"""The part of nvcc's command line that a program is built with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sigtrans.source import SigtransError

_JOINED = ("-I", "-D", "-U", "-L", "-l", "-O", "-x")  # the value may follow at once
_LONG = {  # nvcc's long names -> the short ones
    "--include-path": "-I", "--define-macro": "-D", "--undefine-macro": "-U",
    "--library-path": "-L", "--library": "-l", "--optimize": "-O", "--std": "-std",
    "--pre-include": "-include", "--compiler-options": "-Xcompiler", "--linker-options": "-Xlinker",
    "--relocatable-device-code": "-rdc", "--use_fast_math": "-use_fast_math", "--debug": "-g",
    "--device-debug": "-G", "--system-include": "-isystem", "--output-file": "-o",
    "--device-c": "-dc", "--gpu-architecture": "-arch", "--gpu-code": "-code",
    "--generate-code": "-gencode", "--extended-lambda": "-extended-lambda",
    "--expt-extended-lambda": "-extended-lambda", "-expt-extended-lambda": "-extended-lambda",
    "--expt-relaxed-constexpr": "-expt-relaxed-constexpr", "--compile": "-c",
}  # fmt: skip
# Options with a value that changes nothing on a CPU.
_IGNORED_VALUES = frozenset((
    "-arch", "-code", "-gencode", "-maxrregcount", "--maxrregcount", "-ccbin", "--compiler-bindir",
    "-Xptxas", "--ptxas-options", "-Xnvlink", "-Xcudafe", "-diag-suppress", "--diag-suppress", "-t",
    "--threads", "-fmad", "--fmad", "-ftz", "--ftz", "-prec-div", "--prec-div", "-prec-sqrt",
    "--prec-sqrt", "-m", "--machine", "-cudart", "--cudart", "-Wno-deprecated-gpu-targets",
    "--default-stream", "-default-stream", "-Werror",
))  # fmt: skip
_WITH_EQUALS_ONLY = frozenset(("-Wno-deprecated-gpu-targets", "-Werror"))
_IGNORED = frozenset((
    "-lineinfo", "--generate-line-info", "-w", "-c", "-dc", "-dlink", "-res-usage", "--ptx", "-v",
    "--resource-usage", "-restrict", "--restrict", "-expt-relaxed-constexpr", "-keep", "--verbose",
    "-extra-device-vectorization", "-Wall", "-Wextra", "-m64", "-forward-unknown-to-host-compiler",
    "--forward-unknown-to-host-compiler",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Compile:
    """How the files of a program are compiled and linked."""

    includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()  # -DX and -UX, in order
    forced: tuple[str, ...] = ()  # -include
    standard: str = ""
    optimize: str = ""  # "" as nvcc's default
    libraries: tuple[str, ...] = ()  # -lX and -LX, in order
    host: tuple[str, ...] = ()  # -Xcompiler
    linker: tuple[str, ...] = ()  # -Xlinker
    relocatable: bool = False
    fast_math: bool = False
    debug: bool = False  # -G: no optimization
    all_device: bool = False  # -x cu


def split(arguments: Sequence[str]) -> tuple[Compile, list[str], list[str]]:
    """nvcc's options, everything else before `--`, and the program's arguments behind it."""
    words = list(arguments)
    program: list[str] = []
    if "--" in words:
        at = words.index("--")
        words, program = words[:at], words[at + 1 :]
    took: dict[str, list[str]] = {}
    rest: list[str] = []
    order: list[tuple[str, str]] = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        name, equals, value = word.partition("=")
        name = _LONG.get(name, name)
        takes = name in ("-I", "-D", "-U", "-L", "-l", "-O", "-x", "-std", "-include", "-Xcompiler",
                         "-Xlinker", "-isystem", "-rdc") or name in _IGNORED_VALUES  # fmt: skip
        if not word.startswith("-") or len(word) == 1:
            rest.append(word)
            continue
        if name in _WITH_EQUALS_ONLY and not equals:
            continue
        if takes and not equals:
            if at == len(words):
                raise SigtransError(f"{word}: a value must follow")
            value = words[at]
            at += 1
        elif not takes:
            joined = next(
                (j for j in _JOINED if word.startswith(j) and not word.startswith("--")), ""
            )
            if name in _IGNORED:
                continue
            if name in ("-use_fast_math", "-g", "-G", "-extended-lambda", "-pthread"):
                took.setdefault(name, []).append("")
                continue
            if not joined or word.startswith(("-isystem", "-include")):
                if word.startswith("-f"):  # nvcc's forwarding of unknown options
                    order.append(("-Xcompiler", word))
                else:
                    rest.append(word)
                continue
            name, value = joined, word[len(joined) :]
        if name in _IGNORED_VALUES:
            continue
        order.append((name, value))

    def values(*names: str) -> tuple[str, ...]:
        return tuple(v for n, v in order if n in names)

    host = tuple(w for v in values("-Xcompiler") for w in v.strip("'\"").replace(",", " ").split())
    return (
        Compile(
            includes=values("-I", "-isystem"),
            defines=tuple(f"{n}{v}" for n, v in order if n in ("-D", "-U")),
            forced=values("-include"),
            standard=(values("-std") or ("",))[-1],
            optimize=(values("-O") or ("",))[-1],
            libraries=tuple(f"{n}{v}" for n, v in order if n in ("-l", "-L")),
            host=host,
            linker=tuple(w for v in values("-Xlinker") for w in v.split(",")),
            relocatable=(values("-rdc") or ("false",))[-1] == "true"
            or any(w in ("-dc", "--device-c") for w in words),
            fast_math="-use_fast_math" in took,
            debug="-G" in took,
            all_device=(values("-x") or ("",))[-1] == "cu",
        ),
        rest,
        program,
    )
