"""CMake: the CUDA language, packages, targets, flags and file names become MUSA's.

Patterns cannot say this: what a word means depends on the command it stands in, one CUDA setting
may become a command of its own, and file names follow the renamed sources of the whole tree.

A MUSA language exists from SDK 5.1 (module EnableMUSALanguage, Ninja only). It has no documented
property for architectures or for the C++ standard, so both become compile options.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import pairwise

from sigtrans.passes import BuildContext, Draft, nvcc_flags
from sigtrans.source import Diagnostic, Edit, Findings, Safety, Severity, SourceFile, Span

MODULE_PATH = 'list(APPEND CMAKE_MODULE_PATH "$ENV{MUSA_HOME}/cmake" /usr/local/musa/cmake)'

NO_COUNTERPART = "SIG700"
VERSION = "SIG701"
ARCHITECTURES = "SIG702"
NO_EFFECT = "SIG703"
SEPARABLE = "SIG704"
UNSEEN_NAME = "SIG705"
SOURCE_NAME = "SIG706"
NINJA = "SIG707"
LIBRARY = "SIG708"
VERSION_DROPPED = "SIG709"
COMPILER_ID = "SIG710"
PASSED_ON = "SIG711"
LEFT = "SIG712"
NO_LANGUAGE = "SIG713"
ALREADY_MUSA = "SIG714"

_SEVERITY: Mapping[str, Severity] = {
    **nvcc_flags.SEVERITY,
    NO_COUNTERPART: Severity.ERROR,
    VERSION: Severity.WARNING,
    ARCHITECTURES: Severity.NOTE,
    NO_EFFECT: Severity.NOTE,
    SEPARABLE: Severity.WARNING,
    UNSEEN_NAME: Severity.WARNING,
    SOURCE_NAME: Severity.WARNING,
    NINJA: Severity.NOTE,
    LIBRARY: Severity.ERROR,
    VERSION_DROPPED: Severity.WARNING,
    COMPILER_ID: Severity.WARNING,
    PASSED_ON: Severity.WARNING,
    LEFT: Severity.WARNING,
    NO_LANGUAGE: Severity.ERROR,
    ALREADY_MUSA: Severity.NOTE,
}

_HELP: Mapping[str, str] = {
    NO_COUNTERPART: "Write this part for MUSA by hand, or take it out of the build.",
    VERSION: "Decide what the test is for and compare MUSA's own version, or drop the test.",
    ARCHITECTURES: "The architectures come from --target now, as --offload-arch options.",
    NO_EFFECT: "Nothing reads it under MUSA; it may be removed.",
    SEPARABLE: (
        "Device code that calls across files needs -fgpu-rdc when compiling and when linking; mcc "
        "5.2 links it by itself. Without such calls remove the property."
    ),
    UNSEEN_NAME: "Check the name against the SDK's CMake modules.",
    SOURCE_NAME: "Check that CMake compiles this file as MUSA: .mu, or -x musa.",
    NINJA: "Configure with: cmake -G Ninja.",
    LIBRARY: "Take the library out or replace what it does.",
    VERSION_DROPPED: "Ask for a MUSA SDK version if the project needs one.",
    COMPILER_ID: "Test COMPILE_LANGUAGE:MUSA instead, or drop the condition.",
    PASSED_ON: "Check what the other project does with it; it may need porting itself.",
    LEFT: "Look at this line: it was left as it is.",
    NO_LANGUAGE: (
        "Port with --sdk 5.1 or newer, or build device code with musa_add_executable and "
        "musa_add_library and put its options into MUSA_MCC_FLAGS."
    ),
    ALREADY_MUSA: "Nothing; lines for CUDA beside it were not touched.",
    nvcc_flags.MACRO: "Look the macro up in MUSA's headers, and see what the code relies on.",
}

# CMake's and the toolkit modules' variables. The vendor's tutorial (MooreThreads/tutorial_on_musa,
# musa_quick_start/3_example_fft) says the MUSA modules keep CUDA's names: CUDA -> MUSA, CU -> MU.
_VARIABLES: Mapping[str, str] = {
    "CMAKE_CUDA_COMPILER": "CMAKE_MUSA_COMPILER",
    "CMAKE_CUDA_COMPILER_LOADED": "CMAKE_MUSA_COMPILER_LOADED",
    "CUDAToolkit_FOUND": "MUSAToolkit_FOUND",
    "CUDAToolkit_INCLUDE_DIRS": "MUSAToolkit_INCLUDE_DIRS",
    "CUDAToolkit_INCLUDE_DIR": "MUSAToolkit_INCLUDE_DIR",
    "CUDAToolkit_LIBRARY_DIR": "MUSAToolkit_LIBRARY_DIR",
    "CUDAToolkit_LIBRARY_ROOT": "MUSAToolkit_LIBRARY_ROOT",
    "CUDAToolkit_BIN_DIR": "MUSAToolkit_BIN_DIR",
    "CUDAToolkit_TARGET_DIR": "MUSAToolkit_TARGET_DIR",
    "CUDAToolkit_ROOT": "MUSAToolkit_ROOT",
    "CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES": "MUSAToolkit_INCLUDE_DIRS",
    "CUDA_FOUND": "MUSA_FOUND",
    "CUDA_LIBRARIES": "MUSA_LIBRARIES",
    "CUDA_INCLUDE_DIRS": "MUSA_INCLUDE_DIRS",
    "CUDA_TOOLKIT_ROOT_DIR": "MUSA_TOOLKIT_ROOT_DIR",
    "CUDA_TOOLKIT_INCLUDE": "MUSA_TOOLKIT_INCLUDE",
    "CUDA_NVCC_EXECUTABLE": "MUSA_MCC_EXECUTABLE",
    "CUDA_VERBOSE_BUILD": "MUSA_VERBOSE_BUILD",
    "CUDA_64_BIT_DEVICE_CODE": "MUSA_64_BIT_DEVICE_CODE",
    "CUDA_SOURCE_PROPERTY_FORMAT": "MUSA_SOURCE_PROPERTY_FORMAT",
    "CUDA_LINK_LIBRARIES_KEYWORD": "MUSA_LINK_LIBRARIES_KEYWORD",
    "CUDA_PROPAGATE_HOST_FLAGS": "MUSA_PROPAGATE_HOST_FLAGS",
}
# By the same rule, but seen nowhere.
_UNSEEN_VARIABLES: Mapping[str, str] = {
    "CUDA_CUDART_LIBRARY": "MUSA_MUSART_LIBRARY",
    "CUDA_CUDA_LIBRARY": "MUSA_MUSA_LIBRARY",
    "CUDA_CUBLAS_LIBRARIES": "MUSA_MUBLAS_LIBRARIES",
    "CUDA_CUFFT_LIBRARIES": "MUSA_MUFFT_LIBRARIES",
    "CUDA_cublas_LIBRARY": "MUSA_mublas_LIBRARY",
    "CUDA_cufft_LIBRARY": "MUSA_mufft_LIBRARY",
    "CUDA_curand_LIBRARY": "MUSA_murand_LIBRARY",
    "CUDA_cusparse_LIBRARY": "MUSA_musparse_LIBRARY",
    "CUDA_cusolver_LIBRARY": "MUSA_musolver_LIBRARY",
}
_FLAG_VARIABLE = re.compile(r"CMAKE_CUDA_FLAGS(_[A-Z]+)?|CUDA_NVCC_FLAGS(_[A-Z]+)?")
_ENVIRONMENT = frozenset(
    ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_DIR", "CUDA_TOOLKIT_ROOT_DIR", "CUDAToolkit_ROOT")
)
_ROOT_VARIABLE = re.compile(r"\w*(?:CUDA|MUSA)\w*?_?(?:HOME|PATH|ROOT|DIR|TARGET_DIR|PREFIX)")
_SEPARABLE = ("CMAKE_CUDA_SEPARABLE_COMPILATION", "CUDA_SEPARABLE_COMPILATION")
_IS_VERSION = re.compile(
    r"CMAKE_CUDA_COMPILER_(?:VERSION\w*|ID)|CUDAToolkit_VERSION\w*|CUDA_VERSION(?:_MAJOR|_MINOR|_STRING)?"
    r"|CUDA_NVCC_VERSION|CUDA_COMPILER_VERSION"
)
_IS_NO_EFFECT = re.compile(
    r"CMAKE_CUDA_(?:STANDARD(?:_REQUIRED)?|EXTENSIONS|HOST_COMPILER|HOST_LINK_LAUNCHER|RUNTIME_LIBRARY"
    r"|RESOLVE_DEVICE_SYMBOLS|USE_RESPONSE_FILE_FOR_\w+|COMPILER_LAUNCHER|LINKER_LAUNCHER"
    r"|COMPILER_FORCED)|CUDA_(?:STANDARD(?:_REQUIRED)?|EXTENSIONS|RUNTIME_LIBRARY"
    r"|RESOLVE_DEVICE_SYMBOLS|HOST_COMPILER|USE_STATIC_CUDA_RUNTIME|ATTACH_VS_BUILD_RULE_TO_CUDA_FILE"
    r"|HOST_COMPILATION_CPP|BUILD_CUBIN|BUILD_EMULATION)|CUDA_VISIBILITY_PRESET"
)
_IS_ARCHITECTURES = re.compile(r"CMAKE_CUDA_ARCHITECTURES\w*|CUDA_ARCHITECTURES|CUDAARCHS")
_IS_OURS = re.compile(  # names that CMake or its modules own; anything else belongs to the project
    r"CMAKE_CUDA_\w+|CUDAToolkit_\w+|CUDA_[a-zA-Z]\w*_LIBRARY|CUDA_TOOLKIT_\w+"
)
_TARGETS_SEEN = frozenset(("musart", "mublas", "mufft", "musa_driver"))

_COMMANDS: Mapping[str, str] = {
    "cuda_add_executable": "musa_add_executable",
    "cuda_add_library": "musa_add_library",
    "cuda_include_directories": "musa_include_directories",
    "cuda_compile": "musa_compile",
}
_NO_COMMANDS = frozenset(
    (
        "cuda_compile_ptx",
        "cuda_compile_cubin",
        "cuda_compile_fatbin",
        "cuda_wrap_srcs",
        "cuda_build_clean_target",
        "cuda_link_separable_compilation_objects",
        "cuda_compute_separable_compilation_object_file_name",
        "cuda_find_library_local_first",
        "torch_cuda_get_nvcc_gencode_flag",
    )
)
_PACKAGES: Mapping[str, str] = {"CUDAToolkit": "MUSAToolkit", "CUDA": "MUSA"}
_NO_PACKAGES = re.compile(
    r"(?i)cudnn|nccl|nvtx3?|nvml|cutensor|cudss|cusparselt|tensorrt|cupti|nvjpeg|npp"
)
_HEADERS: Mapping[str, str] = {
    "cuda.h": "musa.h",
    "cuda_runtime.h": "musa_runtime.h",
    "cuda_runtime_api.h": "musa_runtime_api.h",
    "cublas_v2.h": "mublas.h",
    "cublas.h": "mublas.h",
    "cufft.h": "mufft.h",
    "nccl.h": "mccl.h",
}
_TALK = frozenset(("message", "cmake_minimum_required", "cmake_policy", "endif", "endfunction"))
_OPTIONS = frozenset(
    ("target_compile_options", "add_compile_options", "target_link_options", "add_link_options")
)
_SCOPES = frozenset(("PRIVATE", "PUBLIC", "INTERFACE", "BEFORE"))
_EXTENSION_COMMANDS = frozenset(("if", "elseif", "string", "list", "set", "file", "foreach"))

# Quick look before anything is parsed or read closely.
_MAYBE = re.compile(nvcc_flags.CUDA_WORDS)
_WORTH = re.compile(
    nvcc_flags.CUDA_WORDS
    + rb"|musa|glob(?<=\bglob)|-arch\b|-xcompiler|lineinfo|expt-|extended-lambda"
)

_TOKEN = re.compile(
    r"\$ENV\{(?P<env>\w+)\}(?P<envlib>/(?:lib64|targets/[\w-]+/(?:lib|include)|lib/x64)(?:/stubs)?(?=$|[/\s\";)]))?"
    r"|\$\{(?P<ref>\w+)\}(?P<reflib>/(?:lib64|targets/[\w-]+/(?:lib|include)|lib/x64)(?:/stubs)?(?=$|[/\s\";)]))?"
    r"|(?P<root>/usr/local/cuda(?:-\d[\d.]*\d|-\d+)?|/opt/cuda)(?=$|[/\s\";):])"
    r"(?P<rootlib>/(?:lib64|targets/[\w-]+/(?:lib|include))(?:/stubs)?(?=$|[/\s\";)]))?"
    r"|\bCUDA::(?P<target>\w+)"
    r"|\$<(?P<genex>COMPILE_LANGUAGE|LINK_LANGUAGE|COMPILE_LANG_AND_ID|LINK_LANG_AND_ID):"
    r"(?P<languages>[\w,]*\bCUDA\b[\w,]*)>"
    r"|\blib(?P<file>cu[a-zA-Z]+?|nccl|nvrtc)(?:_static)?\.(?:so|a)\b"
)
_HAS_TOKEN = re.compile(r"\$|::|/cuda|lib")


@dataclass(frozen=True, slots=True)
class _Argument:
    start: int
    end: int
    text: str  # Latin-1, so that offsets in it are bytes
    kind: str  # unquoted or quoted; a [[bracket]] argument is never looked at

    @property
    def bare(self) -> str:
        """The text without quotes."""
        return self.text[1:-1] if self.kind == "quoted" else self.text


@dataclass(frozen=True, slots=True)
class _Command:
    name: str  # lower case
    start: int
    end: int
    name_end: int
    text: str
    arguments: tuple[_Argument, ...]
    depth: int  # how many blocks it stands in


@dataclass(slots=True)
class _Draft(Draft):
    """Edits and remarks on one command, and commands to add around it."""

    after: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Job:
    """One file on its way through this pass."""

    file: SourceFile
    context: BuildContext
    folder: str
    commands: tuple[_Command, ...]
    has_language: bool  # SDK 5.1 or newer
    sets_architectures: bool
    newline: str


def find(file: SourceFile, context: BuildContext) -> Findings:
    """Edits and diagnostics for one CMakeLists.txt or .cmake file."""
    if not _MAYBE.search(file.data.lower()):
        return Findings()
    commands = tuple(_commands(file.data))
    if (already := _find_musa(commands)) is not None:
        remark = Diagnostic(
            Span(already.start, already.end),
            ALREADY_MUSA,
            Severity.NOTE,
            "this file builds for MUSA already, so it was left alone",
            _HELP[ALREADY_MUSA],
            "build/cmake",
        )
        return _follow_renames(make_job(file, context, commands), remark)
    return port_commands(make_job(file, context, commands))


def _follow_renames(job: _Job, remark: Diagnostic) -> Findings:
    """A file that knows MUSA keeps its commands, but not the names of files that moved."""
    edits: list[Edit] = []
    for command in job.commands:
        if ".cu" in command.text:
            draft = _Draft("build/cmake")
            _port_sources(job, command, draft)
            edits += draft.edits
    return Findings(tuple(edits), (remark,))


def make_job(
    file: SourceFile, context: BuildContext, commands: tuple[_Command, ...] | None = None
) -> _Job:
    """What this pass has to know about a file before it looks at any one command."""
    if commands is None:
        commands = tuple(_commands(file.data))
    return _Job(
        file=file,
        context=context,
        folder=posixpath.dirname(file.path),
        commands=commands,
        has_language=_version(context.sdk) >= (5, 1),
        sets_architectures=any(_sets_architectures(command) for command in commands),
        newline="\r\n" if b"\r\n" in file.data[:4096] else "\n",
    )


def port_commands(job: _Job) -> Findings:
    """Findings for every command worth a look, whether or not the file knows MUSA already."""
    edits: list[Edit] = []
    diagnostics: list[Diagnostic] = []
    broken = tuple(command for command in job.commands if not command.name)
    for command in broken or job.commands:  # CMake reads nothing of a broken file, nor do we
        draft = _port(job, command)
        edits += _finish(job, command, draft)
        span = Span(command.start, command.end)
        diagnostics += draft.diagnose(span, _SEVERITY, _HELP)
    return Findings(tuple(edits), tuple(diagnostics))


# --- reading ---------------------------------------------------------------------------------


_ELEMENT = re.compile(
    r"#\[(?P<mark>=*)\[.*?\](?P=mark)\]|#[^\n]*|(?<![^\s])(?P<name>[A-Za-z_]\w*)[ \t]*\(", re.DOTALL
)
_INSIDE = re.compile(
    r"#\[(?P<mark>=*)\[.*?\](?P=mark)\]|#[^\n]*|\[(?P<marks>=*)\[.*?\](?P=marks)\]"
    r'|"(?:[^"\\]|\\.)*"|\\.|\$\([^()\s]*\)|(?P<next>\n[ \t]*[a-z_]+[ \t]*\()|(?P<paren>[()])',
    re.DOTALL,
)
_OPENS = frozenset(("if", "foreach", "while", "function", "macro", "block"))


def _commands(data: bytes) -> Iterator[_Command]:
    """Every command that can be about CUDA or MUSA, in source order.

    Read by the lexical rules of CMake's manual, which fit on a page. tree-sitter-cmake loses
    commands behind a stray bracket without a word, and took half of this pass's time.
    """
    text, lower = data.decode("latin-1"), data.lower()
    at, depth = 0, 0
    while (match := _ELEMENT.search(text, at)) is not None:
        at = match.end()
        if match["name"] is None:
            continue
        end, closed = _close(text, at)
        if not closed:
            start = match.start("name")
            yield _Command("", start, at, match.end("name"), match[0], (), depth)
            continue
        name = match["name"].lower()
        if name in _OPENS:
            depth += 1
        elif name.startswith("end") and name[3:] in _OPENS:
            depth -= 1
        start, at = match.start("name"), end
        if _WORTH.search(lower, start, end):
            whole = text[start:end]
            arguments = tuple(_arguments(whole, match.end() - start, start))
            yield _Command(name, start, end, match.end("name"), whole, arguments, depth)


def is_whole(data: bytes) -> bool:
    """Does every command have its closing bracket?"""
    text = data.decode("latin-1")
    at = 0
    while (match := _ELEMENT.search(text, at)) is not None:
        at = match.end()
        if match["name"] is not None:
            at, closed = _close(text, at)
            if not closed:
                return False
    return True


def _close(text: str, at: int) -> tuple[int, bool]:
    """Behind the bracket that closes the one before `at`, and whether one does.

    A next command's head at the start of a line means that the bracket was forgotten.
    """
    depth = 1
    for match in _INSIDE.finditer(text, at):
        if match["next"] is not None:
            return match.start(), False
        if match["paren"] is not None:
            depth += 1 if match["paren"] == "(" else -1
            if depth == 0:
                return match.end(), True
    return len(text), False


_ARGUMENT = re.compile(
    r"#\[(?P<hashed>=*)\[.*?\](?P=hashed)\]|#[^\n]*"
    r"|\[(?P<marks>=*)\[.*?\](?P=marks)\]"
    r'|(?P<quoted>"(?:[^"\\]|\\.)*")'
    r'|(?P<unquoted>(?:[^\s()#"\\]|\\.|\$\([^)\s]*\)|(?<!\s)"(?:[^"\\]|\\.)*")+)',
    re.DOTALL,
)


def _arguments(text: str, at: int, base: int) -> Iterator[_Argument]:
    for match in _ARGUMENT.finditer(text, at):
        kind = match.lastgroup
        if kind == "quoted" or kind == "unquoted":
            yield _Argument(base + match.start(), base + match.end(), match[0], kind)


def _find_musa(commands: Sequence[_Command]) -> _Command | None:
    """The first command that shows the file was written for MUSA."""
    for command in commands:
        first = command.arguments[0].text if command.arguments else ""
        if command.name.startswith("musa_add_") or (
            command.name in ("find_package", "enable_language", "check_language")
            and first in ("MUSA", "MUSAToolkit", "MUSAToolkits")
        ):
            return command
    return None


def _sets_architectures(command: _Command) -> bool:
    names = [argument.text for argument in command.arguments]
    if command.name == "set":
        return names[:1] == ["CMAKE_CUDA_ARCHITECTURES"] and _wants_architectures(names[1:2])
    return False


def _wants_architectures(values: Sequence[str]) -> bool:
    return bool(values) and values[0].strip('"').upper() not in ("OFF", "")


@cache
def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def _new_extension(job: _Job, command: _Command, extension: str) -> str | None:
    """What a bare ".cu" in a condition or a pattern becomes, as far as this tree renames files."""
    if command.name not in _EXTENSION_COMMANDS:
        return None
    for before, after in job.context.renamed.items():
        if before.endswith(extension) and not after.endswith(extension):
            return posixpath.splitext(after)[1]
    return None


# --- one command -----------------------------------------------------------------------------


def _port(job: _Job, command: _Command) -> _Draft:
    draft = _Draft("build/cmake")
    if not command.name:
        draft.remark(LEFT, "the command's bracket is not closed, so the file was left as it is")
        return draft
    if command.name in _NO_COMMANDS:
        draft.remark(NO_COUNTERPART, f"{command.name}() has no MUSA counterpart")
    if command.name.startswith(("target_", "set_target")) and any(
        argument.bare.startswith("-") for argument in command.arguments[:1]
    ):
        draft.remark(LEFT, "an option stands where a target is expected")
        return draft
    special = _SPECIAL.get(command.name)
    if special is not None and command.arguments:
        special(job, command, draft)
    if command.name in _COMMANDS:
        _rename_command(job, command, draft)
    talks = command.name in _TALK
    if not talks:
        if "-" in command.text:
            _port_flags(job, command, draft)
        if "-l" in command.text:
            _port_linked(command, draft)
        _port_names(command, draft)
        _port_flag_variables(job, command, draft)
        if ".cu" in command.text or (command.name == "file" and "*" in command.text):
            _port_sources(job, command, draft)
        if "$<IF:$<COMPILE_LANG" in command.text:
            draft.remark(LEFT, "$<IF:…> over the language: its options are not translated")
    _port_tokens(job, command, draft)
    if not talks and _REST.search(command.text):
        _report_rest(job, command, draft)
    return draft


def _port_project(job: _Job, command: _Command, draft: _Draft) -> None:
    """CUDA leaves the language list; MUSA is enabled right behind the command."""
    languages = _project_languages(command)
    cuda = next((a for a in languages if a.text == "CUDA"), None)
    if cuda is None:
        return
    if any(argument.text == "CXX" for argument in languages):
        _remove(job, cuda, draft)
    else:
        draft.edit(cuda.start, cuda.end, "CXX")
    draft.after += _enable_language(job, draft)


def _project_languages(command: _Command) -> list[_Argument]:
    arguments = command.arguments[1:]
    names = [argument.text for argument in arguments]
    if "LANGUAGES" in names:
        return list(arguments[names.index("LANGUAGES") + 1 :])
    found: list[_Argument] = []
    for argument in arguments:
        if argument.text in ("VERSION", "DESCRIPTION", "HOMEPAGE_URL"):
            break
        found.append(argument)
    return found


def _enable_language(job: _Job, draft: _Draft) -> list[str]:
    """The commands that make MUSA sources compile, for the SDK at hand."""
    lines = [MODULE_PATH]
    if job.has_language:
        draft.remark(NINJA, "the MUSA language of CMake works with the Ninja generator only")
        lines += ["include(EnableMUSALanguage)", "enable_language(MUSA)"]
        if not _finds_toolkit(job):
            lines.append("find_package(MUSAToolkit REQUIRED)")
        lines.append("link_libraries(MUSA::musart)")
    else:
        lines.append("find_package(MUSA REQUIRED)")
        if _uses_link_keywords(job):
            lines.append("set(MUSA_LINK_LIBRARIES_KEYWORD PRIVATE)")
    if not job.sets_architectures:
        lines.append(_options_for_all(job, _architectures(job)))
    return lines


def _finds_toolkit(job: _Job) -> bool:
    """Whether the file asks for the toolkit's targets itself, whatever else happens."""
    return any(
        command.name == "find_package"
        and command.depth == 0
        and [a.text for a in command.arguments[:1]] == ["CUDAToolkit"]
        for command in job.commands
    )


def _uses_link_keywords(job: _Job) -> bool:
    words = rb"target_link_libraries\s*\([^)]*\b(?:PRIVATE|PUBLIC|INTERFACE)\b"
    return re.search(words, job.file.data, re.I) is not None


def _architectures(job: _Job) -> list[str]:
    return [f"--offload-arch={target}" for target in job.context.targets]


def _for_musa(options: Sequence[str]) -> str:
    text = f"$<$<COMPILE_LANGUAGE:MUSA>:{';'.join(options)}>"
    return f'"{text}"' if ";" in text else text


def _options_for_all(job: _Job, options: Sequence[str]) -> str:
    if job.has_language:
        return f"add_compile_options({_for_musa(options)})"
    return f"list(APPEND MUSA_MCC_FLAGS {' '.join(options)})"


def _options_for(job: _Job, targets: Sequence[str], options: Sequence[str]) -> list[str]:
    if job.has_language:
        return [f"target_compile_options({t} PRIVATE {_for_musa(options)})" for t in targets]
    return [f"list(APPEND MUSA_MCC_FLAGS {' '.join(options)})"]


def _port_enable_language(job: _Job, command: _Command, draft: _Draft) -> None:
    languages = [argument.text for argument in command.arguments]
    if "CUDA" not in languages:
        return
    lines = _enable_language(job, draft)
    others = [language for language in languages if language not in ("CUDA", "OPTIONAL")]
    if others:
        lines.insert(0, f"enable_language({' '.join(others)})")
    _replace_command(job, command, lines, draft)


def _port_check_language(job: _Job, command: _Command, draft: _Draft) -> None:
    if [argument.text for argument in command.arguments] == ["CUDA"]:
        line = (
            'find_program(CMAKE_MUSA_COMPILER mcc HINTS "$ENV{MUSA_HOME}/bin" /usr/local/musa/bin)'
        )
        _replace_command(job, command, [line], draft)


def _port_find_package(job: _Job, command: _Command, draft: _Draft) -> None:
    package = command.arguments[0]
    name = _PACKAGES.get(package.text)
    if name is None:
        if _NO_PACKAGES.fullmatch(package.text) or package.text.startswith(("CUDA", "Cuda")):
            draft.remark(
                NO_COUNTERPART, f"the package {package.text} has no MUSA counterpart by name"
            )
        return
    draft.edit(package.start, package.end, name)
    draft.before.append(MODULE_PATH)
    if len(command.arguments) > 1:
        second = command.arguments[1]
        if re.match(r"\d", second.bare) or re.fullmatch(r"\$\{\w*VERSION\w*\}", second.bare):
            _remove(job, second, draft)
            draft.remark(
                VERSION_DROPPED,
                f"version {second.text} counts CUDA releases, so the requirement was dropped",
            )
        for argument in command.arguments[2:]:
            if argument.text == "EXACT":
                _remove(job, argument, draft)
        if any(argument.text == "COMPONENTS" for argument in command.arguments):
            draft.remark(LEFT, "the components are CUDA's names; MUSA's modules know other ones")


def _port_set(job: _Job, command: _Command, draft: _Draft) -> None:
    """Settings that have no MUSA variable become compile options in the same place."""
    name = command.arguments[0].text
    values = [argument.bare for argument in command.arguments[1:]]
    if name == "CMAKE_CUDA_ARCHITECTURES" and _wants_architectures(values):
        _replace_command(job, command, [_options_for_all(job, _architectures(job))], draft)
        draft.remark(ARCHITECTURES, f"architectures {_listed(values)} became {_named(job)}")
    elif name == "CMAKE_CUDA_STANDARD" and values and values[0]:
        _replace_command(job, command, [_options_for_all(job, [_standard(values[0])])], draft)
    else:
        _port_list_values(name, command.arguments[1:], draft)


def _port_list(job: _Job, command: _Command, draft: _Draft) -> None:
    if command.arguments[0].text in ("APPEND", "PREPEND", "INSERT") and len(command.arguments) > 2:
        _port_list_values(command.arguments[1].text, command.arguments[2:], draft)


def _port_list_values(name: str, values: Sequence[_Argument], draft: _Draft) -> None:
    """CUDA libraries in a list of the project's: renamed where its name says what it is."""
    for argument in values:
        if "LIB" in name.upper():
            _port_library_name(argument, draft, safety=Safety.REVIEW)
        elif argument.bare.startswith("cu") and nvcc_flags.find_library(argument.bare):
            draft.remark(LEFT, f"'{argument.bare}' is the name of a CUDA library")


def _standard(value: str) -> str:
    return f"-std=c++{value}"


def _listed(values: Sequence[str]) -> str:
    kept = [value for value in values if value]
    return ";".join(kept[: kept.index("CACHE")] if "CACHE" in kept else kept)


def _named(job: _Job) -> str:
    return ", ".join(job.context.targets)


def _port_properties(job: _Job, command: _Command, draft: _Draft) -> None:
    """CUDA_ARCHITECTURES and CUDA_STANDARD become options of each target; languages are renamed."""
    subjects, pairs = _properties(command)
    moved = [pair for pair in pairs if pair[0].text in ("CUDA_ARCHITECTURES", "CUDA_STANDARD")]
    lines: list[str] = []
    for key, values in moved:
        texts = [value.bare for value in values]
        if key.text == "CUDA_STANDARD" and texts:
            lines += _options_for(job, subjects, [_standard(texts[0])])
        elif _wants_architectures(texts):
            lines += _options_for(job, subjects, _architectures(job))
            draft.remark(ARCHITECTURES, f"architectures {_listed(texts)} became {_named(job)}")
    if moved and len(moved) == len(pairs):
        _replace_command(job, command, lines, draft)
        return
    for key, values in moved:
        _remove(job, key, draft)
        for value in values:
            _remove(job, value, draft)
    draft.after += lines
    for key, values in pairs:
        _port_property(job, command, key, values, draft)


def _port_property(
    job: _Job, command: _Command, key: _Argument, values: Sequence[_Argument], draft: _Draft
) -> None:
    texts = [value.bare for value in values]
    if key.text == "LINKER_LANGUAGE" and texts == ["CUDA"] and job.has_language:
        draft.edit(values[0].start, values[0].end, "MUSA")
    elif key.text == "LANGUAGE" and texts == ["CUDA"]:
        if job.has_language:
            draft.edit(values[0].start, values[0].end, "MUSA")
            draft.remark(
                SOURCE_NAME,
                "the files are MUSA by property, not by name: mcc needs -x musa for them",
            )
        else:
            draft.edit(key.start, values[0].end, "MUSA_SOURCE_PROPERTY_FORMAT OBJ")
    elif key.text in _SEPARABLE:
        draft.remark(SEPARABLE, f"{key.text} has no counterpart in the MUSA language")
    elif re.fullmatch(r"CUDA_(?:PTX|CUBIN|FATBIN|OPTIX)_COMPILATION", key.text):
        draft.remark(NO_COUNTERPART, f"{key.text}: MUSA has no such output")


def _properties(command: _Command) -> tuple[list[str], list[tuple[_Argument, list[_Argument]]]]:
    """What a property command is about, and its keys with their values."""
    names = [argument.text for argument in command.arguments]
    if command.name == "set_property":
        if "PROPERTY" not in names:
            return [], []
        at = names.index("PROPERTY")
        key = command.arguments[at + 1 : at + 2]
        subjects = [n for n in names[1:at] if n not in ("APPEND", "APPEND_STRING")]
        return subjects, [(key[0], list(command.arguments[at + 2 :]))] if key else []
    if "PROPERTIES" not in names:
        return [], []
    at = names.index("PROPERTIES")
    rest = command.arguments[at + 1 :]
    return names[:at], [(rest[n], list(rest[n + 1 : n + 2])) for n in range(0, len(rest), 2)]


def _port_features(job: _Job, command: _Command, draft: _Draft) -> None:
    """cuda_std_17 is a feature of the CUDA language only; MUSA gets the option."""
    found = [a for a in command.arguments if re.fullmatch(r"cuda_std_\d+", a.text)]
    if not found:
        return
    target = command.arguments[0].text
    scopes = [a.text for a in command.arguments if a.text in _SCOPES]
    lines = _options_for(job, [target], [_standard(found[-1].text.removeprefix("cuda_std_"))])
    if scopes and scopes[0] != "PRIVATE":
        lines = [line.replace(" PRIVATE ", f" {scopes[0]} ", 1) for line in lines]
    rest = [a for a in command.arguments[1:] if a not in found and a.text not in _SCOPES]
    if not rest:
        _replace_command(job, command, lines, draft)
        return
    for argument in found:
        _remove(job, argument, draft)
    draft.after += lines


def _port_arch_function(job: _Job, command: _Command, draft: _Draft) -> None:
    """cuda_select_nvcc_arch_flags(VAR …) fills VAR with options."""
    if command.arguments:
        options = " ".join(_architectures(job))
        _replace_command(job, command, [f"set({command.arguments[0].text} {options})"], draft)
        draft.remark(ARCHITECTURES, f"the architectures became {_named(job)}")


def _port_add_library_to_target(job: _Job, command: _Command, draft: _Draft) -> None:
    """cuda_add_cublas_to_target(t) and its sister link one library."""
    if command.arguments:
        library = "mublas" if "cublas" in command.name else "mufft"
        line = f"target_link_libraries({command.arguments[0].text} {library})"
        _replace_command(job, command, [line], draft)


def _port_find(job: _Job, command: _Command, draft: _Draft) -> None:
    """find_library, find_path, find_program: what is looked for, not the project's variable."""
    for argument in command.arguments[1:]:
        name = argument.bare
        at = argument.start + (1 if argument.kind == "quoted" else 0)
        if command.name == "find_library":
            _port_library_name(argument, draft)
        elif command.name == "find_program" and name == "nvcc":
            draft.edit(at, at + 4, "mcc")
        elif name in _HEADERS:
            draft.edit(at, at + len(name), _HEADERS[name])
        elif re.fullmatch(r"(?:cu(?:da|blas|fft|rand|sparse|solver|dnn|pti)|nv)\w*\.h", name):
            draft.remark(
                LEFT, f"{name}: a header of CUDA's that has no known place in the MUSA SDK"
            )


def _port_links(job: _Job, command: _Command, draft: _Draft) -> None:
    first = 1 if command.name == "target_link_libraries" else 0
    for argument in command.arguments[first:]:
        _port_library_name(argument, draft, job)
        for match in _IN_GENEX.finditer(argument.text):
            library = nvcc_flags.find_library(match[1])
            start, end = argument.start + match.start(1), argument.start + match.end(1)
            if library is not None and library.to and not draft.touched(start, end):
                draft.edit(start, end, library.to)
            elif library is not None:
                message = f"{match[1]}: MUSA has no library that takes its place by name"
                draft.remark(LIBRARY, message, library.help)


_IN_GENEX = re.compile(r"(?<=[:;,])(cu\w+|nccl\w*|nvrtc\w*)(?=[>;])")
_LINKED = re.compile(r"(?<![\w-])-l(\w[\w-]*)")


def _port_linked(command: _Command, draft: _Draft) -> None:
    """`-lcudart` wherever it stands: among libraries, in linker flags, in a list of the project."""
    for argument in command.arguments:
        for match in _LINKED.finditer(argument.text):
            library = nvcc_flags.find_library(match[1])
            start, end = argument.start + match.start(1), argument.start + match.end(1)
            if library is None or draft.touched(start, end):
                continue
            if library.to:
                draft.edit(start, end, library.to)
            elif library.stop:
                message = f"-l{match[1]}: MUSA has no library that takes its place by name"
                draft.remark(nvcc_flags.LIBRARY, message, library.help)
            else:
                draft.remark(LEFT, f"-l{match[1]} is part of CUDA's runtime; MUSA has none")


def _port_library_name(
    argument: _Argument,
    draft: _Draft,
    job: _Job | None = None,
    safety: Safety = Safety.EXACT,
) -> None:
    name = argument.bare
    library = nvcc_flags.find_library(name)
    if library is None:
        return
    at = argument.start + (1 if argument.kind == "quoted" else 0)
    if library.stop:
        draft.remark(
            LIBRARY, f"{name}: MUSA has no library that takes its place by name", library.help
        )
    elif library.to:
        draft.edit(at, at + len(name), library.to, safety)
    elif job is not None:
        _remove(job, argument, draft)
    else:
        draft.remark(LEFT, f"{name} is part of CUDA's runtime; MUSA has no such library")


def _port_include(job: _Job, command: _Command, draft: _Draft) -> None:
    if re.match(r"FindCUDA", command.arguments[0].bare):
        draft.remark(
            NO_COUNTERPART, f"include({command.arguments[0].text}) has no MUSA counterpart"
        )


def _port_add_target(job: _Job, command: _Command, draft: _Draft) -> None:
    """Below SDK 5.1 device sources need FindMUSA's own commands."""
    if job.has_language or not any(re.search(r"\.cu$", a.bare) for a in command.arguments):
        return
    word = "musa_add_executable" if command.name == "add_executable" else "musa_add_library"
    draft.edit(command.start, command.name_end, word)


def _rename_command(job: _Job, command: _Command, draft: _Draft) -> None:
    old = job.file.data[command.start : command.name_end].decode("latin-1")
    new = _COMMANDS[command.name]
    draft.edit(command.start, command.name_end, new.upper() if old.isupper() else new)


_SPECIAL: Mapping[str, Callable[[_Job, _Command, _Draft], None]] = {
    "project": _port_project,
    "enable_language": _port_enable_language,
    "check_language": _port_check_language,
    "find_package": _port_find_package,
    "set": _port_set,
    "list": _port_list,
    "set_target_properties": _port_properties,
    "set_source_files_properties": _port_properties,
    "set_property": _port_properties,
    "target_compile_features": _port_features,
    "cuda_select_nvcc_arch_flags": _port_arch_function,
    "cuda_add_cublas_to_target": _port_add_library_to_target,
    "cuda_add_cufft_to_target": _port_add_library_to_target,
    "target_link_libraries": _port_links,
    "link_libraries": _port_links,
    "find_library": _port_find,
    "find_path": _port_find,
    "find_file": _port_find,
    "find_program": _port_find,
    "include": _port_include,
    "add_executable": _port_add_target,
    "add_library": _port_add_target,
}


# --- flags -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int
    text: str
    cuda: bool  # inside a generator expression for the CUDA language
    joint: str  # what parts words here: " " or ";"
    argument: _Argument
    opens: bool  # nothing of the argument stands before it
    closes: bool  # nothing of the argument stands behind it


_STRONG = re.compile(nvcc_flags.OPTION)
_FLAG_NAMES = re.compile(
    r"(?i)\w*(?:nvcc\w*(?:flag|opt|arg)|cuda\w*(?:flags|options|args)|gencode)\w*"
)
_COMPILER_WORDS = re.compile(
    r"\$\{(?:CMAKE_CUDA_COMPILER|CUDA_NVCC_EXECUTABLE|CUDAToolkit_NVCC_EXECUTABLE)\}"
    r"|(?:^|/)nvcc$"
)
_FLAG_COMMANDS = _OPTIONS | {
    "set",
    "list",
    "string",
    "set_target_properties",
    "set_property",
    "set_source_files_properties",
    "target_link_libraries",
    "add_definitions",
    "link_libraries",
    "add_custom_command",
    "add_custom_target",
    "execute_process",
    "exec_program",
    "append",
}


def _port_flags(job: _Job, command: _Command, draft: _Draft) -> None:
    """Options for nvcc: everywhere in commands about CUDA, elsewhere only the unmistakable ones."""
    about_cuda = _is_about_cuda(command)
    if not about_cuda and command.name not in _FLAG_COMMANDS:
        return
    words = list(_words(command))
    if not words:
        return
    for change in nvcc_flags.translate([word.text for word in words], job.context.targets):
        first, last = words[change.first], words[change.last - 1]
        if not (
            about_cuda
            or first.cuda
            or _STRONG.match(first.text.lstrip('\\"'))
            or change.code == nvcc_flags.LIBRARY
        ):
            continue
        if not _is_one(words[change.first : change.last]):
            draft.remark(
                "SIG717", f"{first.text}: a quote or an expression tears it; left as it is"
            )
            continue
        if draft.touched(first.start, last.end):
            continue
        if change.code:
            draft.remark(change.code, change.message, change.help)
        before = [word.text for word in words[change.first : change.last]]
        if [*change.words] not in (before, [nvcc_flags.translate_path(before[0])]):
            _replace_words(job, command, first, last, change.words, draft)


def _is_one(words: Sequence[_Word]) -> bool:
    """No generator expression begins or ends between the words, and no quote inside one."""
    for a, b in pairwise(words):
        behind = a.argument.text[a.end - a.argument.start :]
        before = b.argument.text[: b.start - b.argument.start]
        if a.argument is b.argument:
            behind, before = before[a.end - a.argument.start :], ""
        if "<" in before or ">" in behind or "<" in behind:
            return False
    return not any(_TORN.search(word.text) for word in words)


_TORN = re.compile(r"(?<!\\)\"")


def _is_about_cuda(command: _Command) -> bool:
    """Whether every option in this command goes to nvcc."""
    texts = [argument.bare for argument in command.arguments]
    if command.name in _COMMANDS:
        return True
    if command.name in ("set", "list", "string", "append") and texts:
        name = texts[0] if command.name == "set" else "".join(texts[1:2])
        return _FLAG_NAMES.fullmatch(name) is not None
    if command.name in ("add_custom_command", "add_custom_target", "execute_process"):
        return any(_COMPILER_WORDS.search(text) for text in texts)
    return False


def _words(command: _Command) -> Iterator[_Word]:
    """The words of a command that may be options; heads of generator expressions are none."""
    levels: list[bool] = []  # one per open generator expression: is it for CUDA?
    for argument in command.arguments:
        yield from _argument_words(argument, levels)


def _argument_words(argument: _Argument, levels: list[bool]) -> Iterator[_Word]:
    text = argument.text
    quoted = argument.kind == "quoted"
    at, stop = (1, len(text) - 1) if quoted else (0, len(text))
    shell = text.startswith("SHELL:", at)
    at += 6 if shell else 0
    blank, outside = at, len(levels)
    while at < stop:
        char = text[at]
        if char.isspace() or char == ";":
            at += 1
        elif char == ">" and levels:
            levels.pop()
            at += 1
        elif text.startswith("$<", at):
            at, body = _enter(text, at + 2, stop)
            if body is not None:
                levels.append(_is_cuda_only(body) or (bool(levels) and levels[-1]))
                if text.startswith("SHELL:", at):
                    shell, at = True, at + 6
        else:
            end = _word_end(text, at, stop, bool(levels))
            joint = ";" if levels and not shell else _joint(text, at, end, stop)
            cuda = bool(levels) and levels[-1]
            flat = len(levels) == outside
            start, finish = argument.start + at, argument.start + end
            opens, closes = flat and at == blank, flat and end == stop
            yield _Word(start, finish, text[at:end], cuda, joint, argument, opens, closes)
            at = max(end, at + 1)


def _joint(text: str, start: int, end: int, stop: int) -> str:
    return ";" if text[start - 1 : start] == ";" or text[end : min(end + 1, stop)] == ";" else " "


def _enter(text: str, at: int, stop: int) -> tuple[int, str | None]:
    """Behind the head of a generator expression; None for the head when there is no body."""
    start, depth = at, 0
    while at < stop:
        if text.startswith("$<", at):
            depth += 1
            at += 2
            continue
        if text[at] == ">":
            if depth == 0:
                return at + 1, None
            depth -= 1
        elif text[at] == ":" and depth == 0:
            return at + 1, text[start:at]
        at += 1
    return stop, None


def _is_cuda_only(head: str) -> bool:
    return "NOT:" not in head and re.search(r"COMPILE_LANG\w*:[\w,]*\bCUDA\b", head) is not None


_PLAIN = re.compile(r"[^\s;\"<>\\$]+(?=[\s;\"]|$)")


def _word_end(text: str, at: int, stop: int, inside: bool) -> int:
    if (plain := _PLAIN.match(text, at, stop)) is not None:
        return plain.end()
    depth = 0
    while at < stop:
        char = text[at]
        if char == "\\":
            if text.startswith('\\"', at) and (close := text.find('\\"', at + 2, stop)) > 0:
                at = close + 2
            else:
                at += 2
            continue
        if text.startswith("$<", at) or text.startswith("${", at):
            depth += 1
            at += 2
            continue
        if depth and char in ">}":
            depth -= 1
        elif depth == 0 and (char.isspace() or char in ';"' or (char == ">" and inside)):
            break
        at += 1
    return min(at, stop)


_GIVES_PROPERTIES = frozenset(
    ("set_target_properties", "set_source_files_properties", "set_property")
)


def _replace_words(
    job: _Job,
    command: _Command,
    first: _Word,
    last: _Word,
    words: Sequence[str],
    draft: _Draft,
) -> None:
    same = first.argument is last.argument
    whole = first.opens and last.closes and (same or (first.closes and last.opens))
    start, end = (first.argument.start, last.argument.end) if whole else (first.start, last.end)
    between = job.file.data[first.end : last.start]
    if b"#" in between or (b'"' in between and not whole):
        draft.remark(
            LEFT, f"{first.text} {last.text}: options for nvcc that could not be taken apart"
        )
        return
    if not words and whole and command.name in _GIVES_PROPERTIES:
        draft.edit(start, end, '""')  # a property must keep a value
        return
    if words:
        text = _retoken(job, first.joint.join(words))
        draft.edit(start, end, _FILE.sub(lambda match: _new_name(job, command, match), text))
        return
    _cut(job, start, end, draft)


def _remove(job: _Job, argument: _Argument, draft: _Draft) -> None:
    _cut(job, argument.start, argument.end, draft)


def _cut(job: _Job, start: int, end: int, draft: _Draft) -> None:
    """Take bytes out together with the blank or semicolon that parts them from the rest."""
    data = job.file.data
    before = start
    while before > 0 and data[before - 1 : before] in (b" ", b"\t", b"\n", b"\r"):
        if draft.touched(before - 1, before):  # the word before went with this blank
            break
        before -= 1
    if data[before - 1 : before] == b";" and not draft.touched(before - 1, before):
        before -= 1
    elif before == start or b"#" in data[data.rfind(b"\n", 0, before) + 1 : before]:
        before = start
        while data[end : end + 1] in (b" ", b"\t", b";"):
            end += 1
    draft.edit(before, end, "")


# --- names, targets, paths -------------------------------------------------------------------


def _variable(job: _Job, name: str) -> str | None:
    if _FLAG_VARIABLE.fullmatch(name):
        if name.startswith("CMAKE") and job.has_language:
            return name.replace("CMAKE_CUDA_", "CMAKE_MUSA_")
        return "MUSA_MCC_FLAGS" + name.partition("FLAGS")[2]
    return _VARIABLES.get(name) or _UNSEEN_VARIABLES.get(name)


def _port_names(command: _Command, draft: _Draft) -> None:
    """Variables by name, as set(), list() and if() take them."""
    for argument in command.arguments:
        if argument.kind != "unquoted":
            continue
        name = argument.text
        if name in _VARIABLES:
            draft.edit(argument.start, argument.end, _VARIABLES[name])
        elif name in _UNSEEN_VARIABLES:
            draft.edit(argument.start, argument.end, _UNSEEN_VARIABLES[name], Safety.REVIEW)
            _remark_unseen(draft, _UNSEEN_VARIABLES[name])


def _port_flag_variables(job: _Job, command: _Command, draft: _Draft) -> None:
    """CMAKE_CUDA_FLAGS and CUDA_NVCC_FLAGS; below SDK 5.1 a list takes the place of the string."""
    for at, argument in enumerate(command.arguments):
        if argument.kind != "unquoted" or not _FLAG_VARIABLE.fullmatch(argument.text):
            continue
        draft.edit(argument.start, argument.end, _variable(job, argument.text) or argument.text)
        if job.has_language or not argument.text.startswith("CMAKE"):
            continue
        if command.name == "string" and command.arguments[0].text == "APPEND":
            draft.edit(command.start, command.name_end, "list")
        for value in command.arguments[at + 1 :]:
            if value.kind == "quoted" and len(value.text) > 2:
                draft.edit(value.start, value.start + 1, "")
                draft.edit(value.end - 1, value.end, "")


def _remark_unseen(draft: _Draft, name: str) -> None:
    draft.remark(UNSEEN_NAME, f"{name} follows the vendor's naming rule, its use was not seen")


_OUTSIDE = re.compile(
    r"(?:/usr/local/cuda(?:-[\d.]+)?|/opt/cuda|\$\{(?:CUDA_TOOLKIT_ROOT_DIR|CUDAToolkit_ROOT)\})"
    r"/(?:samples|extras|nvvm|compat|gds|targets/\$)"
)


def _port_tokens(job: _Job, command: _Command, draft: _Draft) -> None:
    """References, imported targets, paths and languages inside arguments of any kind but [[…]]."""
    for argument in command.arguments:
        if not _HAS_TOKEN.search(argument.text):
            continue
        if outside := _OUTSIDE.search(argument.text):
            draft.remark(LEFT, f"{outside[0]}: the MUSA SDK has no such folder")
        for match in _TOKEN.finditer(argument.text):
            if command.name in _TALK and not (match["ref"] or match["env"]):
                continue
            start, end = argument.start + match.start(), argument.start + match.end()
            if draft.touched(start, end):
                continue
            if match["target"] and _cut_target(job, argument, match["target"], draft):
                continue
            text = _token(job, match, draft)
            if text != match[0]:
                draft.edit(start, end, text)


def _cut_target(job: _Job, argument: _Argument, name: str, draft: _Draft) -> bool:
    """CUDA::cudadevrt and the like are gone; as an argument of their own they can be cut out."""
    library = nvcc_flags.find_library(name)
    if library is None or library.stop or library.to or argument.text != f"CUDA::{name}":
        return False
    _remove(job, argument, draft)
    return True


def _token(job: _Job, match: re.Match[str], draft: _Draft | None) -> str:
    if name := match["env"]:
        lib = _folder(match["envlib"] or "", name in _ENVIRONMENT)
        return f"$ENV{{{'MUSA_HOME' if name in _ENVIRONMENT else name}}}{lib}"
    if name := match["ref"]:
        new = _variable(job, name) or name
        if draft is not None and name in _UNSEEN_VARIABLES:
            _remark_unseen(draft, new)
        lib = _folder(match["reflib"] or "", _ROOT_VARIABLE.fullmatch(name) is not None)
        return f"${{{new}}}{lib}"
    if match["root"]:
        return nvcc_flags.translate_path(match[0])
    if name := match["target"]:
        return _target(name, match[0], draft)
    if name := match["file"]:
        library = nvcc_flags.find_library(name)
        if library is not None and library.to:
            return f"lib{library.to}.so"
        if library is not None and draft is not None:
            draft.remark(
                LIBRARY, f"{match[0]}: MUSA has no library that takes its place", library.help
            )
        return match[0]
    return _language(job, match, draft)


def _folder(tail: str, in_sdk: bool) -> str:
    if not tail or not in_sdk:
        return tail
    return "/include" if tail.endswith("/include") else "/lib"


def _target(name: str, text: str, draft: _Draft | None) -> str:
    library = nvcc_flags.find_library(name)
    if library is None or library.stop or not library.to:
        if draft is not None:
            help_ = library.help if library else ""
            draft.remark(LIBRARY, f"{text}: MUSA has no target that takes its place by name", help_)
        return text
    new = "musa_driver" if library.to == "musa" else library.to
    if new not in _TARGETS_SEEN and draft is not None:
        _remark_unseen(draft, f"MUSA::{new}")
    return f"MUSA::{new}"


def _language(job: _Job, match: re.Match[str], draft: _Draft | None) -> str:
    kind, languages = match["genex"], match["languages"].split(",")
    if not job.has_language:
        if draft is not None:
            draft.remark(NO_LANGUAGE, f"{match[0]}: CMake knows no MUSA language before SDK 5.1")
        return match[0]
    if not kind.endswith("_AND_ID"):
        return f"$<{kind}:{','.join('MUSA' if lang == 'CUDA' else lang for lang in languages)}>"
    if languages[0] == "CUDA" and "NVIDIA" in languages[1:]:
        return f"$<{'COMPILE' if kind.startswith('COMPILE') else 'LINK'}_LANGUAGE:MUSA>"
    if draft is not None:
        draft.remark(COMPILER_ID, f"{match[0]} asks for a CUDA compiler that is not there")
    return match[0]


def _retoken(job: _Job, text: str) -> str:
    return _TOKEN.sub(lambda match: _token(job, match, None), text)


# --- file names ------------------------------------------------------------------------------

_FILE = re.compile(
    r"(?P<path>(?:\$\{\w+\}|[^\s;\"'$<>{}():,]|\$<)*?)(?P<ext>\.cuh?)(?P<tail>(?:\.in)?)(?=$|[\s;\"'<>)$])"
)
_HERE = ("CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR")
_TOP = ("CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR")
_COMPILES = frozenset(
    (
        "add_executable",
        "add_library",
        "target_sources",
        "cuda_add_executable",
        "cuda_add_library",
        "set_source_files_properties",
    )
)


def _port_sources(job: _Job, command: _Command, draft: _Draft) -> None:
    """Names of files that the port renames, and patterns that are to find them."""
    for argument in command.arguments:
        if "*" in argument.text:
            _port_pattern(job, argument, draft)
        if ".cu" not in argument.text:
            continue
        for match in _FILE.finditer(argument.text):
            start = argument.start + match.start("ext")
            end = argument.start + match.end("ext")
            if draft.touched(start, end):
                continue
            new = _renamed(job, command, match["path"].removeprefix("$<"), match["ext"])
            if new is not None and not match["tail"]:
                exact = "$" not in match["path"] and "*" not in match["path"]
                draft.edit(start, end, new, Safety.EXACT if exact else Safety.REVIEW)
            elif command.name in _COMPILES and match["ext"] == ".cu" and not match["tail"]:
                draft.remark(
                    SOURCE_NAME, f"{match[0]} keeps its name, which the MUSA language may not know"
                )


def _port_pattern(job: _Job, argument: _Argument, draft: _Draft) -> None:
    """Patterns such as *.cu* and *.c*, which found .cu files and would find no .mu."""
    pattern = argument.bare.rpartition("/")[2]
    if not job.context.renamed or re.search(r"\.cuh?$", pattern):
        return
    if not fnmatchcase("x.cu", pattern) or fnmatchcase("x.mu", pattern):
        return
    at = argument.text.rfind(".cu")
    if at >= 0:
        draft.edit(argument.start + at, argument.start + at + 3, ".mu", Safety.REVIEW)
    else:
        draft.remark(SOURCE_NAME, f"the pattern {pattern} found .cu files, but finds no .mu file")


def _new_name(job: _Job, command: _Command, match: re.Match[str]) -> str:
    if match["tail"]:
        return match[0]
    return match["path"] + (_renamed(job, command, match["path"], match["ext"]) or match["ext"])


def _renamed(job: _Job, command: _Command, path: str, extension: str) -> str | None:
    """The extension this file has in the port; None when it is not renamed, or not known."""
    renamed = job.context.renamed
    if not renamed:
        return None
    where = path + extension
    for variable in _HERE:
        where = where.replace(f"${{{variable}}}", ".")
    for variable in _TOP:
        if where.startswith(f"${{{variable}}}/"):
            rest = where[len(variable) + 4 :]
            if re.search(r"[$*?\\]", rest):
                where = rest  # a pattern is looked for in every folder
                break
            return _lookup(job, rest) or _lookup(job, posixpath.join(job.folder, rest))
    if "$" not in where and "*" not in where and "?" not in where and "\\" not in where:
        if path in ("", ".") or path.endswith("/"):  # a bare ".cu": an extension, not a file
            return _new_extension(job, command, extension)
        return _lookup(job, posixpath.join(job.folder, where))
    if "\\" in where:
        return _new_extension(job, command, extension)
    return _lookup_pattern(job, where)


def _lookup(job: _Job, path: str) -> str | None:
    after = job.context.renamed.get(posixpath.normpath(path).lstrip("/"))
    return posixpath.splitext(after)[1] if after else None


def _lookup_pattern(job: _Job, where: str) -> str | None:
    """What `kernels/*.cu` or `${DIR}/x.cu` becomes, judged by the renamed files it can mean."""
    pattern = posixpath.normpath(re.sub(r"\$\{\w+\}", "*", where))
    here = posixpath.normpath(posixpath.join("/", job.folder, pattern))
    patterns = (here, "*/" + pattern.removeprefix("*/"))
    if "BINARY_DIR" in where:
        return None
    tail = posixpath.basename(re.split(r"[*?\[\]]", pattern)[-1])
    for before, after in job.context.renamed.items():
        if before.endswith(tail) and any(fnmatchcase("/" + before, each) for each in patterns):
            return posixpath.splitext(after)[1]
    return None


# --- what is left ----------------------------------------------------------------------------

_NAME = re.compile(
    r"(?<![\w])(?P<define>-D)?(?P<name>(?:CMAKE_CUDA_|CUDAToolkit_|CUDA_|CUDAARCHS|__CUDA)\w*)"
)
_NVCC = re.compile(r"(?:(?<=/)|(?<![\w./$-]))nvcc(?![\w.-])")
_REST = re.compile(r"CUDA|nvcc")
_RUNS = frozenset(
    ("add_custom_command", "add_custom_target", "execute_process", "exec_program", "set")
)


def _report_rest(job: _Job, command: _Command, draft: _Draft) -> None:
    for argument in command.arguments:
        if "<CUDA_COMPILER_" in argument.text:
            draft.remark(
                COMPILER_ID, "CUDA_COMPILER_ID and _VERSION are empty without the CUDA language"
            )
        for match in _NAME.finditer(argument.text):
            start = argument.start + match.start("name")
            is_code = argument.kind == "unquoted" or argument.text[: match.start("name")].endswith(
                "{"
            )
            if is_code and not draft.touched(start, start + 1):
                _report_name(command, match, draft)
        for match in _NVCC.finditer(argument.text):
            _port_nvcc(command, argument, argument.start + match.start(), draft)
        _port_language_list(job, command, argument, draft)


_NEEDS_A_LIST = frozenset(
    ("TRANSFORM", "GET", "REMOVE_AT", "SUBLIST", "POP_BACK", "POP_FRONT", "INSERT", "JOIN")
)


def _report_name(command: _Command, match: re.Match[str], draft: _Draft) -> None:
    name = match["name"]
    if match["define"] and (
        _IS_OURS.fullmatch(name) or _FLAG_VARIABLE.fullmatch(name) or name in _VARIABLES
    ):
        draft.remark(PASSED_ON, f"{name} is handed on as a definition")
    elif name.startswith("__CUDA") or name == "CUDA_API_PER_THREAD_DEFAULT_STREAM":
        if command.name.endswith("definitions"):
            draft.remark(nvcc_flags.MACRO, f"{name}: a macro that CUDA's own headers read")
    elif name == "CMAKE_CUDA_COMPILER_ID":
        draft.remark(COMPILER_ID, f"{name} is never set, so no branch for it is taken")
    elif _IS_VERSION.fullmatch(name):
        draft.remark(VERSION, f"{name} counts CUDA releases; MUSA's versions are another scale")
    elif _IS_ARCHITECTURES.fullmatch(name):
        if command.name == "list" and command.arguments[0].text in _NEEDS_A_LIST:
            draft.remark(LEFT, f"{name} is not set any more, so this list command may fail")
        else:
            draft.remark(ARCHITECTURES, f"{name} no longer selects architectures")
    elif name in _SEPARABLE:
        draft.remark(SEPARABLE, f"{name} has no counterpart in the MUSA language")
    elif _IS_NO_EFFECT.fullmatch(name):
        draft.remark(NO_EFFECT, f"{name} has no effect in a MUSA build")
    elif _IS_OURS.fullmatch(name):
        draft.remark(LEFT, f"{name} has no known MUSA counterpart")


def _port_nvcc(command: _Command, argument: _Argument, at: int, draft: _Draft) -> None:
    if draft.touched(at, at + 4) or (argument.kind == "quoted" and command.name not in _RUNS):
        return
    names = [each.bare for each in command.arguments]
    if command.name in _RUNS and (argument.bare == "nvcc" or "/bin/nvcc" in argument.bare):
        draft.edit(at, at + 4, "mcc")
        if "--version" in names or "-V" in names:
            draft.remark(VERSION, "the compiler's version is read here; mcc prints another form")
    elif argument.kind == "unquoted" and command.name not in ("project", "if", "elseif"):
        draft.remark(LEFT, "nvcc is named here")


def _port_language_list(job: _Job, command: _Command, argument: _Argument, draft: _Draft) -> None:
    if argument.bare != "CUDA" or draft.touched(argument.start, argument.end):
        return
    names = [each.bare for each in command.arguments]
    if command.name in ("if", "elseif") and "IN_LIST" in names and job.has_language:
        text = argument.text.replace("CUDA", "MUSA")
        draft.edit(argument.start, argument.end, text, Safety.REVIEW)
    elif command.name == "foreach" and "CXX" in names:
        draft.remark(LEFT, "a loop over languages has CUDA in it")


# --- writing ---------------------------------------------------------------------------------


def _replace_command(job: _Job, command: _Command, lines: Sequence[str], draft: _Draft) -> None:
    text = (job.newline + _indent(job, command)).join(lines)
    draft.edits.clear()
    draft.edit(command.start, command.end, text)


def _indent(job: _Job, command: _Command) -> str:
    data = job.file.data
    line = data.rfind(b"\n", 0, command.start) + 1
    lead = data[line : command.start]
    return lead.decode("latin-1") if not lead.strip(b" \t") else ""


_NOTHING_SET = re.compile(
    r'set\s*\(\s*(\w+)\s+"?\$\{\1\}\s*"?\s*\)|list\s*\(\s*APPEND\s+\w+\s*\)'
    r'|string\s*\(\s*APPEND\s+\w+\s+"\s*"\s*\)',
    re.I,
)
_NOTHING_GIVEN = re.compile(
    r"(?:target_compile_options\s*\(\s*[^\s()]+|add_compile_options\s*\()"
    r'(?:\s*(?:PRIVATE|PUBLIC|INTERFACE|BEFORE|"?\$<\$<COMPILE_LANGUAGE:MUSA>:\s*>"?))*\s*\)',
    re.I,
)


def _finish(job: _Job, command: _Command, draft: _Draft) -> list[Edit]:
    """The command's edits with what goes around it; a command left with nothing to say goes."""
    indent = _indent(job, command)
    edits = [
        edit for edit in draft.edits if job.file.data[edit.span.start : edit.span.end] != edit.text
    ]
    if any(not edit.text for edit in edits) and not draft.after and not draft.before:
        text = _render(job.file.data, command, edits)
        if not _is_alone(job, command):
            return edits
        if _NOTHING_SET.fullmatch(text) or _NOTHING_GIVEN.fullmatch(text):
            return [replace(edits[0], span=_whole_lines(job, command), text=b"")]
    if draft.before and not _has_module_path(job, command):
        text = "".join(f"{line}{job.newline}{indent}" for line in draft.before)
        edits.append(
            Edit(Span(command.start, command.start), text.encode("latin-1"), "build/cmake")
        )
    if draft.after:
        at = _line_end(job, command)
        text = "".join(f"{job.newline}{indent}{line}" for line in draft.after)
        edits.append(Edit(Span(at, at), text.encode("latin-1"), "build/cmake"))
    return edits


def _render(data: bytes, command: _Command, edits: Sequence[Edit]) -> str:
    out, at = b"", command.start
    for edit in sorted(edits):
        out += data[at : edit.span.start] + edit.text
        at = edit.span.end
    return (out + data[at : command.end]).decode("latin-1")


def _has_module_path(job: _Job, command: _Command) -> bool:
    """Whether the module path was added by a project(… CUDA) further up in this file."""
    return any(
        each.name == "project"
        and each.start < command.start
        and any(language.text == "CUDA" for language in _project_languages(each))
        for each in job.commands
    )


def _is_alone(job: _Job, command: _Command) -> bool:
    """Whether nothing but blanks and a comment stands on the command's lines."""
    data = job.file.data
    start = data.rfind(b"\n", 0, command.start) + 1
    end = data.find(b"\n", command.end)
    rest = data[command.end : len(data) if end < 0 else end].strip()
    return not data[start : command.start].strip() and (not rest or rest.startswith(b"#"))


def _whole_lines(job: _Job, command: _Command) -> Span:
    """The command with its line when nothing else stands on it, and one blank line of two."""
    data = job.file.data
    start = data.rfind(b"\n", 0, command.start) + 1
    end = data.find(b"\n", command.end)
    end = len(data) if end < 0 else end + 1
    if rest := data[command.end : end].strip():
        return Span(command.start, data.index(rest, command.end))
    blank = re.match(rb"[ \t]*\r?\n", data[end : end + 200])
    if blank is not None and re.search(rb"\n[ \t]*\r?\n\Z", data[max(0, start - 200) : start]):
        end += blank.end()
    return Span(start, end)


def _line_end(job: _Job, command: _Command) -> int:
    data = job.file.data
    end = data.find(b"\n", command.end)
    end = len(data) if end < 0 else end
    rest = data[command.end : end].strip()
    if rest and not rest.startswith(b"#"):
        return command.end
    if rest.startswith(b"#["):  # a bracket comment may go on over the line's end
        return command.end
    return end - 1 if data[end - 1 : end] == b"\r" else end
