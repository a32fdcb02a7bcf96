"""Which files of a tree are ported, which are only copied, which are left out, and why.

Choices a user can see:

- What git ignores and does not track is neither ported nor copied. A file that is tracked in spite
  of `.gitignore` is part of the project, as it is for git. Without a repository nothing says what
  is tracked: then files that `.gitignore` names are copied, and not ported. The user's global
  excludes file is not read: the plan must be the same on every machine.
- Folders of other people's code are copied, so that the port builds, but not ported.
- Build folders are recognised by what they hold; a folder that is merely called `build` is walked.
- Generated files are ported like any other, since the port must build; `find_generated` tells the
  caller that the next run of the generator would undo it.
- The tree that was asked for is always walked, even when it is ignored, vendored or a build folder
  for the repository around it.
- Content is read only where the name does not settle the kind, and never more than 64 KB of it.

Reasons have the form `group`, `group (detail)` or `group: detail`, so that reports can add them up.
"""

# ruff: noqa: PTH113, PTH116, PTH118, PTH120, SIM905
# PTH: a Path object per file would cost more than the whole walk. SIM905: word lists stay words.

from __future__ import annotations

import errno
import os
import re
import stat
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from sigtrans.source import SigtransError

HEAD_BYTES = 64 * 1024  # how much `sniff` needs to see


@dataclass(frozen=True, slots=True)
class Found:
    """One file of the tree, or one folder or link that stands for everything behind it."""

    path: str  # posix, relative to the tree; undecodable bytes are kept as surrogates
    kind: str  # source cmake make python toml bazel meson xmake shell manifest other folder link
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    mode: int
    skip: str = ""  # why it is not ported
    failed: bool = False  # it could not be looked at
    copied: bool = True  # belongs into a complete output tree
    target: str = ""  # kind "link": the path in the tree that it leads to


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for; patterns are written as in `.gitignore`, relative to the tree."""

    exclude: tuple[str, ...] = ()  # copied, not ported; wins over `include`
    include: tuple[str, ...] = ()  # ported even when ignored, vendored or in a build folder
    respect_gitignore: bool = True
    port_vendored: bool = False
    max_size: int = 8 * 1024 * 1024
    compile_commands: Path | None = None
    suffixes: tuple[str, ...] = ()  # more suffixes of C-family files, without the dot


# --- kinds by name --------------------------------------------------------------------------------

C_SUFFIXES = frozenset(
    "cu cuh c cc cpp cxx c++ cp h hh hpp hxx h++ "
    "inl ipp tpp txx tcc icc ixx cppm cuinc cuinl".split()
)
_MUSA_SUFFIXES = frozenset(("mu", "muh"))
_TEMPLATE_SUFFIXES = frozenset("in jinja jinja2 j2 template tmpl tpl mako".split())

_BINARY = (
    "png jpg jpeg gif bmp ico tif tiff webp ppm pgm pbm pnm exr hdr raw yuv dds ktx psd "
    "pdf doc docx ppt pptx xls xlsx zip gz bz2 xz zst 7z rar tar tgz whl jar egg "
    "o obj a lib so dylib dll exe pdb pyc pyd class wasm bc gcda gcno "
    "bin dat npy npz pt pth onnx pb h5 hdf5 parquet safetensors gguf ckpt pkl pickle db sqlite "
    "mp3 mp4 wav avi mov ogg flac ttf otf woff woff2 eot spv metallib hsaco"
)
_PLAIN = (
    "md markdown rst adoc html htm css scss js mjs ts tsx jsx json jsonl json5 csv tsv xml svg tex "
    "bib lock log diff patch ipynb ini cfg conf toml yaml yml properties pyi "
    "cl hlsl glsl vert frag comp metal wgsl s asm ll"
)
_PRECOMPILED = "ptx cubin fatbin"
_BACKUPS = "bak old orig rej copy save swp swo"
_FOREIGN = {
    **dict.fromkeys("pyx pxd pxi".split(), "Cython"),
    **dict.fromkeys("cuf f f90 f95 f03 f08 for fpp".split(), "Fortran"),
    **dict.fromkeys("rs".split(), "Rust"),
    **dict.fromkeys("go".split(), "Go"),
    **dict.fromkeys("java kt scala".split(), "a JVM language"),
    **dict.fromkeys("jl".split(), "Julia"),
    **dict.fromkeys("m mm".split(), "Objective-C or MATLAB"),
    **dict.fromkeys("swift".split(), "Swift"),
    **dict.fromkeys("cs".split(), "C#"),
    **dict.fromkeys("lua".split(), "Lua"),
    **dict.fromkeys("pl pm".split(), "Perl"),
    **dict.fromkeys("r".split(), "R"),
    **dict.fromkeys("i swg".split(), "SWIG"),
    **dict.fromkeys(
        "vcxproj vcproj sln props targets filters rules".split(), "a Visual Studio project"
    ),
    **dict.fromkeys("pro pri qbs".split(), "a Qt project"),
    **dict.fromkeys("ac m4".split(), "autoconf"),
    **dict.fromkeys("nix".split(), "Nix"),
    **dict.fromkeys("gyp gypi gn gni".split(), "GYP or GN"),
    **dict.fromkeys("spec ebuild".split(), "a distribution package"),
}

# A suffix settles the kind, or says how the content is judged: "musa", "binary", "precompiled",
# "foreign" (a language or build system that is not ported: reported when it mentions CUDA).
_BY_SUFFIX: dict[str, str] = {
    **dict.fromkeys(C_SUFFIXES, "source"),
    **dict.fromkeys(_MUSA_SUFFIXES, "musa"),
    "cmake": "cmake",
    "mk": "make",
    "mak": "make",
    "make": "make",
    "am": "make",
    "py": "python",
    "bzl": "bazel",
    "bazel": "bazel",
    **dict.fromkeys("sh bash zsh ksh csh bat cmd ps1 dockerfile slurm sbatch pbs".split(), "shell"),
    "hip": "hip",
    **dict.fromkeys(_BINARY.split(), "binary"),
    **dict.fromkeys(_PLAIN.split(), "other"),
    **dict.fromkeys(_PRECOMPILED.split(), "precompiled"),
    **dict.fromkeys(_BACKUPS.split(), "backup"),
    **dict.fromkeys(_FOREIGN, "foreign"),
}
_BY_NAME: dict[str, str] = {
    "cmakelists.txt": "cmake",
    "cmakecache.txt": "other",
    "makefile": "make",
    "gnumakefile": "make",
    "pyproject.toml": "toml",
    "build": "bazel",
    "build.bazel": "bazel",
    "workspace": "bazel",
    "workspace.bazel": "bazel",
    "workspace.bzlmod": "bazel",
    "module.bazel": "bazel",
    "meson.build": "meson",
    "meson_options.txt": "meson",
    "meson.options": "meson",
    "xmake.lua": "xmake",
    "jenkinsfile": "shell",
    "containerfile": "shell",
    "dockerfile": "shell",
    ".gitlab-ci.yml": "shell",
    "azure-pipelines.yml": "shell",
    ".travis.yml": "shell",
    ".cirrus.yml": "shell",
    "setup.cfg": "manifest",
    "manifest.in": "manifest",
    "conanfile.txt": "manifest",
    "vcpkg.json": "manifest",
    "meta.yaml": "manifest",
    "sconstruct": "foreign",
    "sconscript": "foreign",
    "configure": "foreign",
}
_PROSE_NAMES = (
    "readme", "license", "licence", "copying", "changelog", "changes", "history", "authors",
    "contributors", "contributing", "notice", "todo", "install", "news", "codeowners", "version",
)  # fmt: skip


def kind_by_name(path: str) -> str:
    """The kind that the name settles, "" when the content has to be asked.

    Besides the kinds of `Found`: "musa", "hip", "binary", "precompiled", "backup" and "foreign".
    """
    folder, _, name = path.rpartition("/")
    lower = name.lower()
    known = _BY_NAME.get(lower)
    if known is not None:
        # Bazel's BUILD and WORKSPACE are upper case; a file called `build` is some script.
        return "" if known == "bazel" and name == lower and "." not in name else known
    stem, dot, suffix = lower.rpartition(".")
    if not dot:
        if lower.endswith("~"):
            return "backup"
        if lower.startswith("makefile"):
            return "make"
        return "other" if lower.startswith(_PROSE_NAMES) else ""
    if suffix in ("yml", "yaml"):
        if folder.endswith((".github/workflows", ".circleci")) or folder.startswith(".github/act"):
            return "shell"
        return "manifest" if stem.startswith("environment") else "other"
    if suffix == "txt":
        if stem.startswith("requirements"):
            return "manifest"
        return "other" if stem.startswith(_PROSE_NAMES) else ""
    known = _BY_SUFFIX.get(suffix)
    if known is not None:
        return known
    if suffix in _TEMPLATE_SUFFIXES:
        inner = kind_by_name(path[: -len(suffix) - 1])
        return inner if inner in _PORTED_KINDS or inner in ("musa", "hip", "foreign") else ""
    if lower.endswith("~"):
        return "backup"
    if lower.startswith(("makefile", "make.")):
        return "make"
    if lower.startswith("dockerfile."):
        return "shell"
    return "other" if not stem else ""  # dot files: .clang-format, .gitignore


_PORTED_KINDS = frozenset("source cmake make python toml bazel meson xmake shell manifest".split())


# --- kinds by content -----------------------------------------------------------------------------

# Plain searches and patterns that start with plain text: one pattern for all reads 10 MB/s.
_CUDA_WORDS = (
    b"__global__", b"__device__", b"__shared__", b"__constant__", b"__CUDA", b"cublas", b"cufft",
    b"curand", b"cusparse", b"cusolver", b"cudnn", b"CUDA_VERSION", b"CUDART_", b"thrust::",
    b"cub::", b"cooperative_groups",
)  # fmt: skip
_CUDA_SHAPES = (
    (b"cuda", re.compile(rb"cuda[A-Z]\w")),
    (b"<<<", re.compile(rb"<<<[^<>\n]{1,400}?>>>\s*\(")),
    (b"nccl", re.compile(rb"nccl[A-Z]")),
    (b"nv", re.compile(rb"nv(?:rtc|ml)[A-Z]")),
    (b"cu", re.compile(rb"#\s*include\s*[<\"](?:cu(?:da|b/|pti)|[^>\"\n]+\.cuh?[>\"])")),
    (b"include", re.compile(rb"#\s*include\s*[<\"](?:thrust/|nvrtc|nvml|nccl)")),
)
_DRIVER = re.compile(rb"cu(?:[A-Z][a-z]+){2,}\w*\s*\(")  # cuMemAlloc(, cuLaunchKernel(
_MUSA_WORDS = (b"musa", b"MUSA")
_HINTS = (b"cu", b"__", b"<<<", b"musa", b"thrust", b"nccl", b"nvrtc", b"nvml", b"CUDA")
_MUSA = re.compile(
    rb"__MUSACC__|__MUSA_ARCH__|__MUSA__|\bmusa[A-Z]\w|#\s*include\s*[<\"]mu(?:sa|blas|fft|dnn)"
)
_BUILD_WORDS = (b"cuda", b"nvcc", b"cublas", b"cudnn")
_CODE_LINE = re.compile(rb"(?:[;{}\\,)(:>=&|+]|\*/|%\}|\}\})\s*$|^\s*(?:#\s*[a-z]|//|/\*|\*|\{%)")
_SHEBANG = re.compile(rb"#![^\n]*?\b(?:(python)[\d.]*|(?:ba|da|z|k|c)?sh)\b")


def sniff(suffix: str, head: bytes) -> str:
    """What the first `HEAD_BYTES` of a file say.

    "cuda", "musa" (MUSA and no CUDA), "c++" (C-family suffix, neither), "shell", "python", "text",
    "binary" or "utf-16".
    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\0" in head:
        return "binary"
    script = _SHEBANG.match(head)
    if script:
        return "python" if script[1] else "shell"
    c_family = suffix.lower().lstrip(".") in C_SUFFIXES
    if not c_family and not _reads_as_code(head):
        return "text"
    if _holds_cuda(head) or (c_family and _DRIVER.search(head)):
        return "cuda"
    if any(word in head for word in _MUSA_WORDS) and _MUSA.search(head):
        return "musa"
    return "c++" if c_family else "text"


def _holds_cuda(head: bytes) -> bool:
    return any(word in head for word in _CUDA_WORDS) or any(
        word in head and shape.search(head) for word, shape in _CUDA_SHAPES
    )


def _reads_as_code(head: bytes) -> bool:
    """Prose about CUDA holds the same names; most of its lines do not end as lines of C do."""
    if not any(word in head for word in _HINTS):
        return False  # tables of numbers, mostly
    lines = [line for line in head[: 16 * 1024].splitlines() if line.strip()]
    code = sum(1 for line in lines if _CODE_LINE.search(line))
    return code * 10 >= len(lines) * 6


def _mentions_cuda(head: bytes) -> bool:
    lower = head.lower()
    return any(word in lower for word in _BUILD_WORDS)


_COMMENT_LINE = re.compile(rb"\s*(?://|/\*|\*|#|--|;|<!--|\.\.|\"\"\"|rem\b)", re.I)
_GENERATED = re.compile(
    rb"(?i)@generated\b"
    rb"|\b(?:auto[- ]?|automatically |machine[- ]?)generated\b"
    rb"|\bgenerated (?:automatically|file\b|code\b|by\b|from\b|using\b|with\b)"
    rb"|\bcreated by:? the (?:qt|meta)|\bmeta object code from reading\b"
    rb"|\ba (?:bison parser|lexical scanner generated)"
)
_MARKER = re.compile(
    rb"(?i)@generated\b|do not (?:edit|modify|change)|don'?t edit|hand[- ]edit"
    rb"|auto[- ]?generated|automatically generated|machine[- ]?generated|generated automatically"
    rb"|generated by (?:the )?[\w./+-]*(?:protoc|protocol buffer|bison|yacc|flex|lex\b|moc\b|qt\b"
    rb"|swig|bindgen|cython|cmake|gperf|re2c|thrift|flatbuffers|flatc|antlr|\w+\.(?:py|pl|sh|rb|js))"
    rb"|a (?:bison parser|lexical scanner)|meta object code"
)
# Said of something else than this file: "generated by the kernel", "see autogenerated docs".
_NOT_OF_FILE = re.compile(
    rb"(?i)\b(?:not|never|un)[- ]?(?:auto|automatically )?-?generated"
    rb"|\bautomatically generated (?:at|when|if|during)|\bwill be (?:auto|generated)"
)


def find_generated(head: bytes) -> str:
    """The line among the first five that marks a file as generated, "" when none does.

    Both a word for "generated" and the shape of a marker ("do not edit", a known generator) must
    stand in one comment at the very start; "values generated by the kernel" is not enough.
    """
    lower = head[:4096].lower()
    if b"generated" not in lower and b"meta object" not in lower and b"bison" not in lower:
        return ""
    seen: list[bytes] = []
    for line in head[:4096].removeprefix(b"\xef\xbb\xbf").splitlines():
        if not line.strip():
            continue
        if not _COMMENT_LINE.match(line) and not (seen and _inside_block(seen)):
            break
        seen.append(line)
        if len(seen) == 5:
            break
    comment = b"\n".join(seen)
    if not _MARKER.search(comment) or _NOT_OF_FILE.search(comment):
        return ""
    for line in seen:
        if _GENERATED.search(line):
            return line.strip(b' \t/*#;-<!>"').decode("utf-8", "replace")[:120]
    return ""


def _inside_block(lines: list[bytes]) -> bool:
    text = b"\n".join(lines)
    return text.rfind(b"/*") > text.rfind(b"*/")


# --- patterns as in .gitignore --------------------------------------------------------------------
#
# Written here and not taken from pathspec: importing that costs 60 ms, as much as the walk itself,
# and nearly every tree has a .gitignore. The tests hold this against `git check-ignore`.

_GLOB = re.compile(r"[*?\[\\]")
_POSIX_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": r"!-/:-@\[-`{-~", "space": r" \t\n\r\f\v", "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of a `.gitignore`."""

    text: str  # as written
    negative: bool
    folder_only: bool
    body: str  # without `!` and the slashes at both ends
    anchored: bool  # holds a slash: matched against the path and not the name


class Patterns:
    """Patterns of one folder, in the syntax of `.gitignore`; the last one that matches decides."""

    __slots__ = ("_any", "_globs", "_names", "_path_globs", "_paths", "_tails", "patterns")

    def __init__(self, lines: Iterable[str]) -> None:
        self.patterns = [p for line in lines if (p := _parse_pattern(line))]
        # Most patterns are a plain name or `*.suffix`: those never become regular expressions.
        self._names: dict[str, list[int]] = {}
        self._paths: dict[str, list[int]] = {}
        self._tails: list[tuple[str, int]] = []
        self._globs: list[tuple[int, str]] = []
        self._path_globs: list[tuple[int, str]] = []
        for at, pattern in enumerate(self.patterns):
            body = pattern.body
            if not _GLOB.search(body):
                (self._paths if pattern.anchored else self._names).setdefault(body, []).append(at)
            elif not pattern.anchored and body[0] == "*" and not _GLOB.search(body, 1):
                self._tails.append((body[1:], at))
            elif (regex := _translate(body, pattern.anchored, at)) is not None:
                (self._path_globs if pattern.anchored else self._globs).append((at, regex))
        self._any: tuple[tuple[str, ...], re.Pattern[str] | None, re.Pattern[str] | None] = (
            tuple(tail for tail, _ in self._tails),
            _union(self._globs),
            _union(self._path_globs),
        )

    def find(self, path: str, name: str, folder: bool) -> Pattern | None:
        """The pattern that decides about `path` (relative to the patterns' folder)."""
        hits: list[int] = []
        if name in self._names:
            hits += self._names[name]
        if path in self._paths:
            hits += self._paths[path]
        tails, globs, path_globs = self._any
        if tails and name.endswith(tails):
            hits += [at for tail, at in self._tails if name.endswith(tail)]
        if globs is not None and globs.fullmatch(name):
            hits += [at for at, regex in self._globs if re.fullmatch(regex, name, re.S)]
        if path_globs is not None and path_globs.fullmatch(path):
            hits += [at for at, regex in self._path_globs if re.fullmatch(regex, path, re.S)]
        for at in sorted(hits, reverse=True) if hits else ():
            if folder or not self.patterns[at].folder_only:
                return self.patterns[at]
        return None

    def matches(self, path: str) -> bool:
        """Whether a file at `path` or a folder above it is matched and not taken back again."""
        at = path.find("/")
        while at >= 0:
            folder = path[:at]
            found = self.find(folder, folder[folder.rfind("/") + 1 :], True)
            if found is not None and not found.negative:
                return True
            at = path.find("/", at + 1)
        found = self.find(path, path[path.rfind("/") + 1 :], False)
        return found is not None and not found.negative


def _parse_pattern(line: str) -> Pattern | None:
    if line.startswith("#"):
        return None
    text = body = _strip_spaces(line)
    negative = body.startswith("!")
    body = body[negative:]
    folder_only = body.endswith("/")
    body = body[: -1 if folder_only else None]
    anchored = "/" in body
    body = body.removeprefix("/")
    return Pattern(text, negative, folder_only, body, anchored) if body else None


def _strip_spaces(line: str) -> str:
    """Trailing spaces do not count, except those behind a backslash."""
    end = at = 0
    while at < len(line):
        at += 2 if line[at] == "\\" else 1
        if line[at - 1 : at] != " " or line[at - 2 : at - 1] == "\\":
            end = at
    return line[:end]


def _union(globs: list[tuple[int, str]]) -> re.Pattern[str] | None:
    return re.compile("|".join(regex for _, regex in globs), re.S) if globs else None


def _translate(glob: str, anchored: bool, key: int = 0) -> str | None:
    """A regular expression for one pattern, None for one that can match nothing.

    git compares the text before the first wildcard on its own, and the rest as a pattern that
    starts there; so `a**/b` behaves as `a` followed by a leading `**/`. What stands between two
    wildcards is taken at its first place for good: no pattern of a hostile tree can make us hang.
    """
    wildcard = _GLOB.search(glob)
    at = start = wildcard.start() if anchored and wildcard else 0
    out = [re.escape(glob[:at])]
    star = 0  # where in `out` the last plain `*` stands
    while at < len(glob):
        char = glob[at]
        if char == "*":
            if star:
                name = f"g{key}_{at}"
                first = f"(?=(?P<{name}>[^/]*?{''.join(out[star + 1 :])}))(?P={name})"
                out[star:] = [first]
                star = 0
            end = at
            while end < len(glob) and glob[end] == "*":
                end += 1
            whole = anchored and end - at > 1 and (at == start or glob[at - 1] == "/")
            if whole and glob.startswith("/", end):
                out.append("(?:.*/)?")
                end += 1
            elif whole and (end == len(glob) or glob.startswith("\\/", end)):
                out.append(".*")
            else:
                star = len(out)
                out.append("[^/]*")
            at = end
        elif char == "?":
            out.append("[^/]")
            at += 1
        elif char == "[":
            bracket = _translate_bracket(glob, at)
            if bracket is None:
                return None
            at, regex = bracket
            out.append(regex)
        elif char == "\\":
            if at + 1 == len(glob):
                return None
            out.append(re.escape(glob[at + 1]))
            at += 2
        else:
            out.append(re.escape(char))
            at += 1
    return "".join(out)


def _translate_bracket(glob: str, at: int) -> tuple[int, str] | None:
    """The end and the regular expression of the set at `at`, None when it is not closed."""
    at += 1
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    items: list[str] = []
    before = ""  # the character that a range may start with
    first = True
    while first or glob[at : at + 1] != "]":
        first = False
        char = glob[at : at + 1]
        if not char:
            return None
        if char == "-" and before and glob[at + 1 : at + 2] not in ("", "]"):
            at += 1
            if glob[at] == "\\":
                at += 1
            last = glob[at : at + 1]
            if not last:
                return None
            if before <= last:
                items.append(f"{re.escape(before)}-{re.escape(last)}")
            before = ""
        elif glob.startswith("[:", at):
            end = glob.find("]", at + 2)
            if end < 0:
                return None
            if end > at + 2 and glob[end - 1] == ":":
                if glob[at + 2 : end - 1] not in _POSIX_CLASSES:
                    return None
                items.append(_POSIX_CLASSES[glob[at + 2 : end - 1]])
                before = ""
                at = end
            else:
                items.append(r"\[")
                before = "["
        else:
            if char == "\\":
                at += 1
                char = glob[at : at + 1]
                if not char:
                    return None
            items.append(re.escape(char))
            before = char
        at += 1
    if not items:
        return at + 1, "[^/]" if negated else "(?!)"
    return at + 1, f"(?!/)[{'^' if negated else ''}{''.join(items)}]"


def find_pattern_rests(text: str, way: Sequence[str]) -> Iterator[str]:
    """A pattern of some folder as it reads from a folder below; `way` names the folders between.

    None when it speaks about another place; several when `**` can end at several of them.
    """
    pattern = _parse_pattern(text)
    if pattern is None:
        return
    if not way or not pattern.anchored:
        yield text
        return
    start, end = "!" * pattern.negative, "/" * pattern.folder_only
    for rest in dict.fromkeys(_rests(tuple(pattern.body.split("/")), tuple(way))):
        yield f"{start}/{'/'.join(rest)}{end}"


def _rests(parts: tuple[str, ...], way: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not way:
        if parts:
            yield parts
    elif parts and parts[0] == "**":
        yield from _rests(parts[1:], way)
        yield from _rests(parts, way[1:])
    elif parts:
        regex = _translate(parts[0], anchored=True)
        if regex is not None and re.fullmatch(regex, way[0], re.S):
            yield from _rests(parts[1:], way[1:])


# --- the repository around and below the tree -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rules:
    """Patterns and how to turn a path of the tree into one they understand."""

    patterns: Patterns
    cut: int  # characters of the tree's path that lie above the patterns' folder
    prefix: str  # folders between the patterns' folder and the tree, when it lies above
    origin: str


@dataclass(slots=True)
class _Repository:
    """What git knows; the index is read only when something is ignored."""

    git: str  # the folder with `index`, "" when there is no repository
    cut: int = 0
    prefix: str = ""
    _tracked: tuple[set[str], set[str]] | None = None

    def tracks(self, path: str, folder: bool) -> bool:
        if not self.git:
            return False
        if self._tracked is None:
            files = set(_read_index(self.git))
            folders: set[str] = set()
            for name in files:
                parent = name.rpartition("/")[0]
                while parent and parent not in folders:
                    folders.add(parent)
                    parent = parent.rpartition("/")[0]
            self._tracked = files, folders
        return self.prefix + path[self.cut :] in self._tracked[folder]


def _read_index(git: str) -> list[str]:
    """Paths in a git index of version 2, 3 or 4; nothing when it cannot be understood."""
    data = _read_small(os.path.join(git, "index"), 256 * 1024 * 1024)
    if len(data) < 12 or data[:4] != b"DIRC":
        return []
    version, count = struct.unpack_from(">II", data, 4)
    names: list[str] = []
    at, name = 12, b""
    try:
        for _ in range(count if version in (2, 3, 4) else 0):
            (flags,) = struct.unpack_from(">H", data, at + 60)
            start = at + (64 if flags & 0x4000 else 62)
            if version == 4:
                drop, start = _read_varint(data, start)
                end = data.index(b"\0", start)
                name = name[: len(name) - drop] + data[start:end]
                at = end + 1
            else:
                end = data.index(b"\0", start)
                name = data[start:end]
                at += (end - at) // 8 * 8 + 8
            names.append(os.fsdecode(name))
    except (struct.error, ValueError, IndexError):
        return []
    return names


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    value = byte & 0x7F
    while byte & 0x80:
        at += 1
        byte = data[at]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, at + 1


def _read_small(path: str, limit: int = 1024 * 1024) -> bytes:
    """The content of a regular file, nothing when there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _read_lines(path: str) -> list[str]:
    data = _read_small(path).removeprefix(b"\xef\xbb\xbf")
    return [os.fsdecode(line.removesuffix(b"\r")) for line in data.split(b"\n")]


def _read_patterns(path: str) -> Patterns | None:
    patterns = Patterns(_read_lines(path))
    return patterns if patterns.patterns else None


def _git_folders(top: str) -> tuple[str, str]:
    """The folders that hold `index` and `info/exclude` for the repository at `top`."""
    git = os.path.join(top, ".git")
    if os.path.isfile(git):  # a work tree or a submodule: "gitdir: <path>"
        text = os.fsdecode(_read_small(git).strip())
        git = os.path.normpath(os.path.join(top, text.removeprefix("gitdir:").strip()))
    common = os.fsdecode(_read_small(os.path.join(git, "commondir")).strip())
    return git, os.path.normpath(os.path.join(git, common))


_SUBMODULE = re.compile(r"\s*path\s*=\s*(.+?)/?\s*$")


def _submodules(top: str) -> set[str]:
    lines = _read_lines(os.path.join(top, ".gitmodules"))
    return {match[1] for line in lines if (match := _SUBMODULE.match(line))}


def _around(root: str) -> tuple[_Repository, tuple[_Rules, ...], set[str]]:
    """The repository the tree lies in, the rules from above the tree, its submodules."""
    top = root
    while not os.path.lexists(os.path.join(top, ".git")):
        parent = os.path.dirname(top)
        if parent == top:
            return _Repository(""), (), set()
        top = parent
    prefix = "" if top == root else os.path.relpath(root, top).replace(os.sep, "/") + "/"
    git, common = _git_folders(top)
    rules: list[_Rules] = []
    exclude = _read_patterns(os.path.join(common, "info", "exclude"))
    if exclude is not None:
        rules.append(_Rules(exclude, 0, prefix, ".git/info/exclude"))
    folder, rest, done = top, prefix, ""
    while rest:  # one round per folder above the tree, from the top of the repository down
        patterns = _read_patterns(os.path.join(folder, ".gitignore"))
        if patterns is not None:
            rules.append(_Rules(patterns, 0, rest, ".gitignore"))
        name, _, rest = rest.partition("/")
        # Rules are seen from the tree; here they are asked about the folders that lead to it.
        for rule in rules:
            here = (done + name + "/")[len(prefix) - len(rule.prefix) :].rstrip("/")
            found = rule.patterns.find(here, name, True)
            if found is not None and not found.negative:
                rules = []  # the tree itself is ignored, but it is what the user asked for
                rest = ""
                break
        done += name + "/"
        folder = os.path.join(folder, name)
    submodules = {path.removeprefix(prefix) for path in _submodules(top) if path.startswith(prefix)}
    return _Repository(git, 0, prefix), tuple(rules), submodules


def _ignored(rules: tuple[_Rules, ...], path: str, name: str, folder: bool) -> str:
    for rule in reversed(rules):
        found = rule.patterns.find(rule.prefix + path[rule.cut :], name, folder)
        if found is not None:
            return "" if found.negative else f"ignored by {rule.origin} ({found.text})"
    return ""


# --- the walk -------------------------------------------------------------------------------------

_VENDORED = frozenset(
    "third_party thirdparty third-party 3rdparty 3rd_party external externals extern vendor "
    "vendored deps".split()
)
_VERSION_CONTROL = frozenset((".git", ".hg", ".svn", ".jj", ".bzr", "CVS"))
_BUILD_NAMES = frozenset(
    "CMakeFiles __pycache__ node_modules .tox .nox .eggs .mypy_cache .pytest_cache .ruff_cache "
    ".hypothesis .ccls-cache .xmake".split()
)
_BUILD_LISTS = frozenset(("CMakeLists.txt", "meson.build", "setup.py", "configure.ac"))
_SETUPTOOLS = re.compile(r"(?:lib|temp|bdist|scripts)[.-].+")
_TYPES = {
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def _built_by(name: str, names: set[str]) -> str:
    """Why a folder with these entries is a product and not a source, "" when it is not."""
    if "pyvenv.cfg" in names:
        return "build folder (Python environment)"
    if ".sigtrans" in names:
        return "port made by sigtrans"
    if names & _BUILD_LISTS:
        return ""  # built in place: sources and products side by side
    if "CMakeCache.txt" in names:
        return "build folder (CMake)"
    if "build.ninja" in names and names & {".ninja_log", ".ninja_deps", "meson-info"}:
        return "build folder (Ninja)"
    if "CACHEDIR.TAG" in names:
        return "build folder (cache)"
    if name == "build" and names and all(_SETUPTOOLS.fullmatch(n) for n in names):
        return "build folder (setuptools)"
    return ""


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder still to be walked, with what its parents decided for everything in it."""

    place: str
    path: str  # "" or ends in "/"
    rules: tuple[_Rules, ...]
    repository: _Repository
    submodules: frozenset[str] | set[str]
    skip: str = ""  # excluded or vendored: copied, not ported
    ignored: str = ""  # only what git tracks in here counts
    forced: bool = False  # named by --include


@dataclass(slots=True)
class _Walk:
    """The state of one `find_files`."""

    root: str
    options: Options
    commands: CompileCommands | None
    exclude: Patterns | None
    include: Patterns | None
    suffixes: frozenset[str]
    reachable: frozenset[str]  # folders on the way to what --include names
    found: list[Found] = field(default_factory=list)
    left: list[_Folder] = field(default_factory=list)
    links: list[Found] = field(default_factory=list)

    def folder(self, here: _Folder) -> None:
        try:
            with os.scandir(here.place) as scan:
                entries = list(scan)
        except OSError as fault:
            if not here.path:
                raise SigtransError(f"{here.place}: {fault.strerror}") from fault
            self.unreadable_folder(here.path, fault)
            return
        names = {entry.name for entry in entries}
        if here.path and not here.forced:
            name = here.path[here.path.rfind("/", 0, -1) + 1 : -1]
            reason = _built_by(name, names)
            if reason and here.path not in self.reachable:
                self.close_folder(here, reason, copied=False)
                return
        here = self.enter(here, names)
        if not entries and here.path:
            empty = "empty submodule" if here.path[:-1] in here.submodules else "empty folder"
            self.close_folder(here, empty, copied=not here.ignored)
        for entry in entries:
            try:
                self.entry(here, entry)
            except OSError as fault:  # it went away, or the disk fails
                self.found.append(
                    Found(
                        here.path + entry.name, "other", 0, 0, 0, 0, 0,
                        f"unreadable: {fault.strerror}", failed=True, copied=False,
                    )
                )  # fmt: skip

    def enter(self, here: _Folder, names: set[str]) -> _Folder:
        """The folder with what its own `.git`, `.gitmodules` and `.gitignore` add."""
        rules, repository, submodules, skip = (
            here.rules, here.repository, here.submodules, here.skip,
        )  # fmt: skip
        cut = len(here.path)
        if cut and ".git" in names:  # a repository of its own: outer rules end here
            git, common = _git_folders(here.place)
            repository, rules = _Repository(git, cut), ()
            exclude = _read_patterns(os.path.join(common, "info", "exclude"))
            if exclude is not None and self.options.respect_gitignore:
                rules = (_Rules(exclude, cut, "", ".git/info/exclude"),)
            if not (skip or here.forced or self.options.port_vendored):
                skip = f"vendored ({here.path[:-1]}, a repository of its own)"
        if ".gitmodules" in names:
            submodules = submodules | {here.path + path for path in _submodules(here.place)}
        if ".gitignore" in names and self.options.respect_gitignore:
            patterns = _read_patterns(os.path.join(here.place, ".gitignore"))
            if patterns is not None:
                rules = (*rules, _Rules(patterns, cut, "", ".gitignore"))
        return _Folder(
            here.place, here.path, rules, repository, submodules, skip, here.ignored, here.forced
        )

    def entry(self, here: _Folder, entry: os.DirEntry[str]) -> None:
        name = entry.name
        path = here.path + name
        is_folder = entry.is_dir(follow_symlinks=False)
        if name in _VERSION_CONTROL or name == ".sigtrans":
            reason = "version control" if name != ".sigtrans" else "records of sigtrans"
            self.left_out(path, entry, is_folder, reason)
            return
        forced = here.forced
        if self.include is not None and not forced:
            match = self.include.find(path, name, is_folder)
            forced = match is not None and not match.negative
        ignored = here.ignored
        if forced:
            ignored = ""
        elif not ignored and here.rules:
            ignored = _ignored(here.rules, path, name, is_folder)
        if ignored and not is_folder and here.repository.tracks(path, False):
            ignored = ""
        skip = "" if forced and not here.skip.startswith("excluded") else here.skip
        if self.exclude is not None and not skip.startswith("excluded"):
            match = self.exclude.find(path, name, is_folder)
            if match is not None and not match.negative:
                skip = f"excluded ({match.text})"
        if is_folder:
            self.subfolder(here, entry, path, ignored, skip, forced)
        elif ignored:
            # Without a repository nothing says whether it is tracked: then the port may need it.
            unknown = not here.repository.git and not entry.is_symlink()
            self.left_out(path, entry, False, ignored, copied=unknown)
        elif entry.is_symlink():
            self.link(path, entry, skip)
        else:
            self.file(path, entry.path, entry.stat(follow_symlinks=False), skip)

    def subfolder(
        self,
        here: _Folder,
        entry: os.DirEntry[str],
        path: str,
        ignored: str,
        skip: str,
        forced: bool,
    ) -> None:
        name = entry.name
        if ignored and not here.repository.tracks(path, True) and path + "/" not in self.reachable:
            self.left_out(path, entry, True, ignored)
            return
        built = name in _BUILD_NAMES or name.endswith((".egg-info", ".dist-info"))
        if built and not forced and path + "/" not in self.reachable:
            self.left_out(path, entry, True, f"build folder ({name})")
            return
        if not (skip or forced or self.options.port_vendored):
            if path in here.submodules:
                skip = f"vendored ({path}, a submodule)"
            elif name.lower() in _VENDORED:
                skip = f"vendored ({path})"
        self.left.append(
            _Folder(
                entry.path, path + "/", here.rules, here.repository, here.submodules,
                skip, ignored, forced,
            )
        )  # fmt: skip

    def file(self, path: str, place: str, info: os.stat_result, skip: str) -> None:
        mode = info.st_mode
        kind, failed = "other", False
        if not stat.S_ISREG(mode):
            self.add(
                path, "other", info, _TYPES.get(stat.S_IFMT(mode), "special file"), copied=False
            )
            return
        kind = kind_by_name(path)
        if self.suffixes and path[path.rfind(".") + 1 :].lower() in self.suffixes:
            kind = "source"
        if self.commands is not None and path in self.commands.files:
            kind = "source"
        # Nearly every file is readable for all; only the others cost a question.
        if mode & 0o444 != 0o444 and not os.access(place, os.R_OK):
            self.add(path, kind if kind in _PORTED_KINDS else "other", info,
                     "unreadable: Permission denied", failed=True, copied=False)  # fmt: skip
            return
        if kind not in _PORTED_KINDS and kind != "other":
            try:
                kind, reason = self.look(kind, path, place, info.st_size)
            except OSError as fault:
                kind, reason, failed = "other", f"unreadable: {fault.strerror}", True
            skip = reason if failed else skip or reason
        if not skip and kind in _PORTED_KINDS and info.st_size > self.options.max_size:
            skip = f"larger than {render_size(self.options.max_size)}"
        self.add(path, kind, info, skip, failed=failed, copied=not failed)

    def look(self, kind: str, path: str, place: str, size: int) -> tuple[str, str]:
        """Kind and reason for a file whose name does not make it one that is ported."""
        suffix = path[path.rfind(".") + 1 :].lower()
        if kind == "musa":
            return "source", f"already MUSA (.{suffix})"
        if kind == "hip":
            return "other", "HIP source, not CUDA"
        if kind == "binary":
            return "other", "binary"
        if kind == "backup":
            return "other", "backup copy"
        if kind == "precompiled":
            return "other", f"compiled for NVIDIA GPUs (.{suffix})"
        if size > self.options.max_size or size == 0:
            return "other", ""
        head = _read_head(place)
        if kind == "foreign":
            if b"\0" in head or not _mentions_cuda(head):
                return "other", ""
            what = _FOREIGN.get(suffix, path.rpartition("/")[2])
            return "other", f"mentions CUDA in a language that is not ported ({what})"
        said = sniff(suffix, head)
        if said in ("cuda", "musa"):
            return "source", ""
        if said in ("shell", "python"):
            return said, ""
        if said == "text":
            unsure = suffix != "txt" and _mentions_cuda(head)  # a .txt is prose or data
            return "other", "mentions CUDA in a file of unknown kind" if unsure else ""
        return "other", "binary" if said == "binary" else "UTF-16 text"

    def link(self, path: str, entry: os.DirEntry[str], skip: str) -> None:
        info = entry.stat(follow_symlinks=False)
        reason, target = "", ""
        try:
            os.stat(entry.path)
        except OSError as fault:
            loop = fault.errno == errno.ELOOP
            reason = "symbolic link in a circle" if loop else "symbolic link to nothing"
            if fault.errno not in (errno.ELOOP, errno.ENOENT, errno.ENOTDIR):
                reason = f"unreadable: {fault.strerror}"
        else:
            place = os.path.realpath(entry.path)
            if place == self.root:
                target = "."
            elif place.startswith(os.path.join(self.root, "")):
                target = place[len(os.path.join(self.root, "")) :].replace(os.sep, "/")
            else:
                reason = "symbolic link out of the tree"
        self.links.append(
            Found(
                path, "link", info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino,
                info.st_mode, reason or skip, reason.startswith("unreadable"), not reason, target,
            )
        )  # fmt: skip

    def left_out(
        self,
        path: str,
        entry: os.DirEntry[str],
        is_folder: bool,
        reason: str,
        copied: bool = False,
    ) -> None:
        info = entry.stat(follow_symlinks=False)
        kind = "folder" if is_folder else "link" if entry.is_symlink() else "other"
        copied = copied and stat.S_ISREG(info.st_mode)
        self.add(path + "/" * is_folder, kind, info, reason, copied=copied)

    def close_folder(self, here: _Folder, reason: str, copied: bool) -> None:
        self.add(here.path, "folder", os.lstat(here.place), reason, copied=copied)

    def unreadable_folder(self, path: str, fault: OSError) -> None:
        reason = f"unreadable: {fault.strerror}"
        self.found.append(Found(path, "folder", 0, 0, 0, 0, 0, reason, failed=True, copied=False))

    def add(
        self,
        path: str,
        kind: str,
        info: os.stat_result,
        skip: str = "",
        *,
        failed: bool = False,
        copied: bool = True,
    ) -> None:
        self.found.append(
            Found(
                path, kind, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino,
                info.st_mode, skip, failed, copied,
            )
        )  # fmt: skip

    def checked_links(self) -> Iterator[Found]:
        """The links, those to something that is left out with that as their reason."""
        if not self.links:
            return
        gone = {file.path.rstrip("/") for file in self.found if not file.copied}
        for link in self.links:
            above = {str(parent) for parent in PurePosixPath(link.target).parents}
            if link.copied and (link.target in gone or above & gone):
                yield Found(
                    link.path, "link", link.size, link.mtime_ns, link.ctime_ns, link.inode,
                    link.mode, "symbolic link to something left out", False, False, link.target,
                )  # fmt: skip
            else:
                yield link


def _read_head(place: str) -> bytes:
    # O_NOFOLLOW and O_NONBLOCK: a link or a FIFO may have taken the place of the regular file.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(place, flags)
    try:
        return os.read(descriptor, HEAD_BYTES)
    finally:
        os.close(descriptor)


def folder_of(source: Path) -> Path:
    """The tree that a run over `source` works in: itself, or the folder of a single file."""
    return source if source.is_dir() else source.parent


def find_files(root: Path, options: Options) -> list[Found]:
    """Everything under `root`, sorted by path, each thing once; of one file, only itself."""
    place = os.path.realpath(root)
    try:
        info = os.stat(place)
    except OSError as fault:
        raise SigtransError(f"{root}: {fault.strerror}") from fault
    one_file = stat.S_ISREG(info.st_mode)
    if not one_file and not stat.S_ISDIR(info.st_mode):
        raise SigtransError(f"{root}: neither a file nor a folder; give a source file or a tree")
    tree = os.path.dirname(place) if one_file else place
    commands = options.compile_commands
    walk = _Walk(
        tree,
        options,
        load_compile_commands(commands, Path(tree)) if commands is not None else None,
        Patterns(options.exclude) if options.exclude else None,
        Patterns(options.include) if options.include else None,
        frozenset(suffix.lower().lstrip(".") for suffix in options.suffixes),
        frozenset(_ways(options.include)),
    )
    if one_file:  # asked for by name: no pattern can hide it
        walk.file(root.name, place, info, "")
        return walk.found
    repository, rules, submodules = _around(place)
    if not options.respect_gitignore:
        rules = ()
    walk.left.append(_Folder(place, "", rules, repository, submodules))
    while walk.left:  # not recursive: a thousand nested folders are just input
        walk.folder(walk.left.pop())
    walk.found += walk.checked_links()
    walk.found.sort(key=lambda file: file.path)
    return walk.found


def _ways(include: Iterable[str]) -> Iterator[str]:
    """The folders above what anchored patterns name: entered even when they are left out."""
    for pattern in include:
        parts = pattern.strip("/").split("/")
        for count in range(1, len(parts)):
            if _GLOB.search(parts[count - 1]):
                break
            yield "/".join(parts[:count]) + "/"


_UNITS = (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10))


def render_size(size: int) -> str:
    """8388608 as "8 MB"."""
    for unit, factor in _UNITS:
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


# --- compile_commands.json ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CompileCommand:
    """How the build compiles one file."""

    language: str  # "cuda", "c++", "c" or what -x said
    includes: tuple[str, ...]  # absolute
    defines: tuple[str, ...]  # NAME or NAME=VALUE
    is_cuda: bool


@dataclass(frozen=True, slots=True)
class CompileCommands:
    """What a compilation database says about the files of one tree."""

    files: dict[str, CompileCommand]  # by path relative to the tree
    outside: int  # entries about files that are not in the tree


_LANGUAGES = {
    **dict.fromkeys(("cu", "cuda"), "cuda"),
    **dict.fromkeys(("c", "i"), "c"),
    **dict.fromkeys(("cc", "cpp", "cxx", "c++", "C", "cp"), "c++"),
}
_REGENERATE = "write it again, e.g. with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"


def load_compile_commands(path: Path, root: Path) -> CompileCommands:
    """Read a compilation database; several entries about one file are added up."""
    import json  # only here: its import costs as much as walking 500 files

    if path.is_dir():
        path = path / "compile_commands.json"
    try:
        entries = json.loads(path.read_bytes())
    except OSError as fault:
        raise SigtransError(f"{path}: {fault.strerror}; {_REGENERATE}") from fault
    except json.JSONDecodeError as fault:
        at = f"line {fault.lineno}, column {fault.colno}"
        raise SigtransError(f"{path}, {at}: not JSON: {fault.msg}; {_REGENERATE}") from fault
    except (ValueError, RecursionError) as fault:
        raise SigtransError(f"{path}: not JSON: {fault}; {_REGENERATE}") from fault
    if not isinstance(entries, list):
        raise SigtransError(f"{path}: expected a list of compile commands; {_REGENERATE}")
    top = os.path.join(os.path.realpath(root), "")
    files: dict[str, CompileCommand] = {}
    outside = 0
    for number, entry in enumerate(entries, 1):
        try:
            place, command = _read_command(entry)
            place = os.path.realpath(place)
        except (TypeError, KeyError, ValueError) as fault:
            what = f"no {fault}" if isinstance(fault, KeyError) else str(fault)
            raise SigtransError(f"{path}: entry {number}: {what}; {_REGENERATE}") from fault
        if not place.startswith(top):
            outside += 1
            continue
        name = place[len(top) :].replace(os.sep, "/")
        files[name] = _merge(files[name], command) if name in files else command
    return CompileCommands(files, outside)


def _merge(one: CompileCommand, two: CompileCommand) -> CompileCommand:
    return CompileCommand(
        two.language if two.is_cuda else one.language,
        tuple(dict.fromkeys(one.includes + two.includes)),
        tuple(dict.fromkeys(one.defines + two.defines)),
        one.is_cuda or two.is_cuda,
    )


def _read_command(entry: object) -> tuple[str, CompileCommand]:
    if not isinstance(entry, dict):
        raise TypeError("expected an object with 'directory', 'file' and 'command'")
    file, folder = entry["file"], entry.get("directory", ".")
    if not isinstance(file, str) or not isinstance(folder, str):
        raise TypeError("'file' and 'directory' must be strings")
    import shlex

    arguments = entry.get("arguments")
    if arguments is None:
        command = entry["command"]
        if not isinstance(command, str):
            raise TypeError("'command' must be a string")
        arguments = shlex.split(command)
    if not isinstance(arguments, list) or not all(isinstance(a, str) for a in arguments):
        raise TypeError("'arguments' must be a list of strings")
    suffix = file[file.rfind(".") + 1 :]
    language = _LANGUAGES.get(suffix, _LANGUAGES.get(suffix.lower(), "c++"))
    includes: list[str] = []
    defines: list[str] = []
    for option, value in _options(arguments[1:], folder, depth=4):
        if option == "-x":
            language = _LANGUAGES.get(value, value)
        elif option == "-D":
            defines.append(value)
        else:
            includes.append(os.path.normpath(os.path.join(folder, value)))
    return os.path.join(folder, file), CompileCommand(
        language, tuple(dict.fromkeys(includes)), tuple(dict.fromkeys(defines)), language == "cuda"
    )


_OPTIONS = {
    "-I": "-I", "--include-path": "-I", "-isystem": "-I", "--system-include": "-I",
    "-iquote": "-I", "-idirafter": "-I", "-D": "-D", "--define-macro": "-D",
    "-x": "-x", "--x": "-x", "--language": "-x",
    "-optf": "@", "--options-file": "@",
}  # fmt: skip


def _options(arguments: list[str], folder: str, depth: int) -> Iterator[tuple[str, str]]:
    """The options that matter, with response files opened (CMake hides include folders in them)."""
    import shlex

    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument in _OPTIONS:
            option, value = _OPTIONS[argument], next(rest, "")
        elif equals and name in _OPTIONS and name.startswith("--"):
            option = _OPTIONS[name]
        elif argument.startswith("-isystem"):
            option, value = "-I", argument[len("-isystem") :].removeprefix("=")
        elif argument[:2] in ("-I", "-D", "-x"):
            option, value = argument[:2], argument[2:].removeprefix("=")
        elif argument.startswith("@"):
            option, value = "@", argument[1:]
        else:
            continue
        if option != "@":
            if value:
                yield option, value
        elif depth:
            text = os.fsdecode(_read_small(os.path.join(folder, value)))
            yield from _options(shlex.split(text), folder, depth - 1)
