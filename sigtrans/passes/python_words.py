"""Where Python speaks of CUDA at run time: devices, backends, tools, settings, library names.

All of it is reported and none of it edited: whether the string "cuda" is a device is for a person
to say. A small lexer tells code, strings and comments apart, since a tree costs ten times as much
and a repository holds thousands of such files.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sigtrans.passes import BuildContext
from sigtrans.source import Diagnostic, Severity, SourceFile, Span, decode

# Plain substrings: looking for each of them is ten times faster than one pattern for all.
NEEDLES = (
    b"cuda CUDA nvcc NVCC nccl NCCL nvidia NVIDIA CUDNN .cu pynvml cupy nvtx __global__ libcu "
    b"libnv compute-sanitizer cuCtx cuMem cuModule cuLaunch cuDevice cuStream cuEvent cuFunc"
).split()
BUILD_NEEDLES = (
    b"gencode compute_ arch= expt- extended- Xcompiler Xptxas ptxas fast_math --threads lineinfo "
    b"cuobjdump nvdisasm sm_ .whl -ccbin -rdc maxrregcount default-stream compiler-options "
    b"resource-usage whl/cu CUBLAS nsys ncu fatbinary nvlink"
).split()


@dataclass(frozen=True, slots=True)
class Word:
    """A kind of word that means CUDA to the program; `build` is how much it matters in a build."""

    name: str
    pattern: re.Pattern[bytes]
    code: str
    message: str
    help: str
    severity: Severity = Severity.WARNING
    build: Severity = Severity.WARNING


def _word(
    name: str,
    pattern: bytes,
    code: str,
    message: str,
    help_: str,
    severity: Severity = Severity.WARNING,
    build: Severity = Severity.WARNING,
) -> Word:
    return Word(name, re.compile(pattern, re.S), code, message, help_, severity, build)


# Matched against a dotted name in code, the opening parenthesis of a call included.
_NAMES = (
    _word(
        "python/cuda-decides",
        rb"torch\.version\.cuda\b|torch\.cuda\.(?:is_available|device_count|get_device_capability|"
        rb"get_arch_list|get_device_properties)\b",
        "SIG740",
        "is empty, false or an error with torch_musa, so the CUDA side is skipped without a word",
        "After `import torch_musa`, ask torch.musa instead (torch.musa.is_available()); for a "
        "version, torch_musa.__version__ or the SDK's own. Compute capabilities do not carry over.",
        build=Severity.ERROR,
    ),
    _word(
        "python/torch-cuda",
        rb"torch\.cuda\b|torch\.backends\.(?:cuda|cudnn)\b|torch\.(?:_C\.)?_cuda\w*|"
        rb"at::cuda|c10::cuda",
        "SIG745",
        "is the CUDA side of PyTorch; MUSA devices do not answer to it",
        "Use torch.musa after `import torch_musa`; torch.backends.cuda and .cudnn switches have "
        "no effect on MUSA.",
    ),
    _word(
        "python/cuda-device",
        rb"(?:.*\.)?(?:cuda\(|is_cuda$)",
        "SIG746",
        "asks for a CUDA device",
        'Use .musa() or .to("musa"); for `is_cuda` test `tensor.device.type == "musa"`, since '
        "is_cuda is false for MUSA tensors.",
    ),
    _word(
        "python/cuda-package",
        rb"(?:cupy|cupyx|pycuda|pynvml|nvtx|numba\.cuda|cuda\.(?:bindings|core|cudart|nvrtc))\b",
        "SIG748",
        "is a Python package for NVIDIA devices",
        "There is no drop-in MUSA package for it; remove the use, put it behind a switch, or write "
        "the kernels as an extension. pynvml's place is taken by mthreads-ml-py, with other names.",
    ),
    _word(
        "python/cuda-home",
        rb"(?:.*\.)?(?:CUDA_HOME|CUDNN_HOME|CUDAExtension|_find_cuda_home)$",
        "SIG732",
        "comes from another file or has a meaning of its own here",
        "Follow it to where it is set: torch_musa.utils.musa_extension has MUSA_HOME, MUDNN_HOME, "
        "MUSAExtension and BuildExtension.",
        build=Severity.ERROR,
    ),
    _word(
        "python/cuda-api-name",
        rb".*\.(?:cuda[A-Z]\w+|nccl[A-Z]\w+|cu(?:Ctx|Mem|Module|Launch|Device|Stream|Event)\w*)\(?$",
        "SIG747",
        "is a CUDA library function called from Python",
        "Load the MUSA library and the MUSA name (libmusart.so, musaMalloc; libmccl.so, mccl...).",
    ),
)

# Looked for in the text between the quotes.
SOURCE = _word(
    "python/cuda-source",
    rb"\b__global__\b[^;{}]{0,120}?\bvoid\b|"
    rb"#[ \t]*include[ \t]*[<\"](?:cuda|cuda_runtime\w*|cuda_fp16|cuda_bf16)\.h[>\"]|"
    rb"#[ \t]*include[ \t]*[<\"](?:c10|ATen)/cuda/",
    "SIG741",
    "CUDA source in a string, not ported",
    "Move it into a .cu file and port that, or port the text by hand: names, headers, inline "
    "assembly and warp width all count.",
    Severity.ERROR,
    Severity.ERROR,
)
_LONGEST = 2000  # a longer string is no name, flag or path

# Matched against the whole text between the quotes.
_STRINGS = (
    _word(
        "python/cuda-device",
        rb"cuda(?::(?:\d+|%\w|\{[^}]*\})?)?",
        "SIG746",
        "may ask for a CUDA device",
        'Where it is a device, use "musa" and "musa:N"; `import torch_musa` has to run first.',
        build=Severity.NOTE,
    ),
    _word(
        "python/nccl-backend",
        rb"(?:[\w:,]*[:,])?nccl",
        "SIG749",
        "names the NCCL backend",
        'Use "mccl" after `import torch_musa` (and "musa:mccl" in a combined backend).',
    ),
    _word(
        "python/nvcc-call",
        rb"(?:[^\s]*/)?(?:nvcc|nvidia-smi|cuobjdump|nvdisasm|ptxas|fatbinary|nvlink|nsys|ncu|cuda-gdb|"
        rb"compute-sanitizer)(?:\.exe)?(?:\s+(?:-|\{|\").*)?",
        "SIG739",
        "names a tool of the CUDA toolkit",
        "mcc stands in nvcc's place and mthreads-gmi in nvidia-smi's; options and printed text "
        "differ, so a version read from `nvcc -V` needs rewriting (musa_version_query prints "
        "toolkit, mcc and runtime versions).",
        build=Severity.ERROR,
    ),
    _word(
        "python/cuda-arch-list",
        rb"TORCH_CUDA_ARCH_LIST",
        "SIG737",
        "is not read by torch_musa",
        'Use TORCH_MUSA_ARCH_LIST; its values are MUSA architectures such as "22" or "22;31", not '
        "compute capabilities, so code that takes them apart has to change.",
        build=Severity.ERROR,
    ),
    _word(
        "python/cuda-environment",
        rb"CUDA_(?:HOME|PATH|ROOT|BIN_PATH|TOOLKIT_ROOT_DIR|VISIBLE_DEVICES|LAUNCH_BLOCKING|"
        rb"DEVICE_ORDER|DEVICE_MAX_CONNECTIONS|MODULE_LOADING|CACHE_PATH|CACHE_DISABLE|VERSION)|"
        rb"CUDACXX|CUDAHOSTCXX|CUDAARCHS|CUDNN_(?:HOME|PATH|ROOT\w*)|NVCC_(?:APPEND|PREPEND)_FLAGS|"
        rb"NVCC_CCBIN|NCCL_[A-Z0-9_]+|NVIDIA_[A-Z_]+|CUBLAS_WORKSPACE_CONFIG|"
        rb"PYTORCH_CUDA_ALLOC_CONF|PYTORCH_NVCC|CMAKE_CUDA_\w+",
        "SIG742",
        "is a setting that CUDA's tools or libraries read",
        "MUSA reads MUSA_HOME, MUSA_PATH, MUSA_VISIBLE_DEVICES and MCCL_...; change it where it "
        "is set and where it is read.",
    ),
    _word(
        "python/cuda-switch",
        rb"[A-Z0-9_]*(?:CUDA|NVCC|NCCL)[A-Z0-9_]*",
        "SIG742",
        "looks like a setting about CUDA",
        "A switch of this project's own may keep its name; see that the MUSA build turns it on "
        "where CUDA's did.",
        Severity.NOTE,
        Severity.NOTE,
    ),
    _word(
        "python/cuda-library-file",
        rb".*\blib(?:cudart|cuda|cublas\w*|cudnn\w*|cufft\w*|curand|cusparse\w*|cusolver\w*|nccl|nvrtc|"
        rb"nvToolsExt|nvidia-ml|cupti)\b[\w.*\-]*\.(?:so|a|dll|dylib)\b.*",
        "SIG738",
        "names a CUDA library file",
        "The MUSA libraries are libmusart, libmusa, libmublas, libmufft, libmurand, libmusparse, "
        "libmusolver and libmccl; cuDNN, NVML and NVTX have no library with the same functions.",
    ),
    _word(
        "python/cuda-path",
        rb"[^\n]*(?:/usr/local/cuda|/opt/cuda|nvidia/cuda|NVIDIA GPU Computing Toolkit)[^\n]*",
        "SIG742",
        "holds a folder of the CUDA toolkit",
        "The MUSA SDK stands under $MUSA_HOME, usually /usr/local/musa, with bin, include and lib "
        "(not lib64).",
    ),
    _word(
        "python/cmake-setting",
        rb"[^\n]*-D\s*(?:CMAKE_)?CUDA_?\w*.*|[^\n]*-D\w*CUDA\w*(?:=.*)?",
        "SIG751",
        "hands a CUDA setting to a compiler or to CMake",
        "Look up what the ported CMakeLists.txt or source reads now; macros of this project's own "
        "keep their names.",
    ),
    _word(
        "python/nvcc-flag",
        rb"(?:-gencode\b.*|-arch=.*|arch=compute_.*|--?(?:expt|extended)-.*|-Xcompiler\b.*|-Xptxas\b.*|"
        rb"--ptxas-options.*|--?use_fast_math|--?threads|--?lineinfo|--?default-stream.*|-rdc=.*|"
        rb"--compiler-options.*|-ccbin.*|--?maxrregcount.*|--resource-usage|sm_\d\d+[af]?)",
        "SIG734",
        "looks like an option for nvcc, but it could not be followed to the compile arguments",
        "See where it ends up. mcc takes --offload-arch=mp_31 in place of -gencode and -arch, and "
        "none of --expt-*, --extended-lambda, -Xcompiler, -Xptxas, --threads.",
    ),
    _word(
        "python/cuda-requirement",
        rb"(?:nvidia-[\w\-]+|cupy[\w\-]*|pycuda|pynvml|nvidia-ml-py\d*|cuda-python|numba-cuda)"
        rb"(?:\[[^\]]*\])?\s*(?:[<>=!~].*)?|torch[\w]*\s*[=<>~!]=?.*\+cu\d+.*|"
        rb".*download\.pytorch\.org/whl/(?:\w+/)?cu\d+.*",
        "SIG744",
        "is a package for NVIDIA devices",
        "Take it out of what is installed on MUSA machines; torch and torch_musa come from the "
        "vendor's wheels.",
    ),
    _word(
        "python/cuda-api-name",
        rb"cuda[A-Z]\w{3,}|nccl[A-Z]\w{3,}|cu(?:Ctx|Mem|Module|Launch|Device|Stream|Event|Func)[A-Z]\w*",
        "SIG747",
        "is a CUDA function looked up by name",
        "Load the MUSA library and the MUSA name (libmusart.so, musaMalloc; libmccl.so, mccl...).",
    ),
    _word(
        "python/cuda-wheel-name",
        rb".*\+cu\{?.*\.whl.*|.*cxx11abi.*\.whl.*",
        "SIG743",
        "names a prebuilt wheel that holds CUDA binaries",
        "Make sure that the MUSA build never downloads it: force the build from source, or take "
        "the download out.",
        build=Severity.ERROR,
    ),
)
_RENAMED = _word(
    "python/renamed-file",
    rb"",
    "SIG736",
    "names CUDA source files, which the port may have renamed",
    "Write the ported name (.mu for .cu, .muh for .cuh) where this is about ported files.",
)
AT_RUN_TIME = ("SIG745", "SIG746", "SIG747", "SIG749")  # summed up in build scripts too
CU_FILE = re.compile(rb"\.cuh?$")

_TOKENS = re.compile(
    rb"#[^\r\n]*"
    rb'|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"""|\Z)'
    rb"|'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'''|\Z)"
    rb'|"[^"\\\r\n]*(?:\\(?:\r\n|.)[^"\\\r\n]*)*"?'
    rb"|'[^'\\\r\n]*(?:\\(?:\r\n|.)[^'\\\r\n]*)*'?",
    re.S,
)
_NAME_BEFORE = re.compile(rb"[\w.]*\Z")
_NAME_AFTER = re.compile(rb"[\w.]*(?:[ \t]*\()?")


@dataclass(frozen=True, slots=True)
class Found:
    """One place, before it is summed up."""

    word: Word
    span: Span
    text: str

    @property
    def code(self) -> str:
        return self.word.code


def _hits(data: bytes, needles: Iterable[bytes]) -> list[int]:
    hits: list[int] = []
    for needle in needles:
        at = data.find(needle)
        while at >= 0:
            hits.append(at)
            at = data.find(needle, at + len(needle))
    return sorted(hits)


def find_tokens(data: bytes) -> Iterator[tuple[int, int]]:
    """Where the string literals of a Python file stand, from quote to quote."""
    return (m.span() for m in _TOKENS.finditer(data) if data[m.start()] != 0x23)  # '#'


def find_words(
    file: SourceFile, context: BuildContext, needles: Sequence[bytes] = NEEDLES
) -> list[Found]:
    """Every place where code or a string speaks of CUDA, in order; comments do not count."""
    data = file.data
    tokens: list[tuple[int, int]] | None = None
    starts: list[int] = []
    found: list[Found] = []
    done = -1
    for at in _hits(data, needles):
        if at < done:
            continue
        if tokens is None:
            tokens = [m.span() for m in _TOKENS.finditer(data)]
            starts = [start for start, _ in tokens]
        index = bisect_right(starts, at) - 1
        if index >= 0 and at < tokens[index][1]:
            start, done = tokens[index]
            if data[start] != 0x23:  # '#'
                found += _in_string(data, start, done, context)
            continue
        name, done = _name_at(data, at)
        found += _in_code(data, name, done)
    return found


def _name_at(data: bytes, at: int) -> tuple[int, int]:
    before = _NAME_BEFORE.search(data, max(0, at - 120), at)
    after = _NAME_AFTER.match(data, at)
    start = before.start() if before else at
    return start, max(after.end() if after else at, at + 1)


def _in_code(data: bytes, start: int, end: int) -> Iterator[Found]:
    text = data[start:end].replace(b" ", b"")
    line = data[data.rfind(b"\n", 0, start) + 1 : start].lstrip()
    if line.startswith(b"from ") and b" import" in line:  # from numba import cuda
        text = line[5 : line.index(b" import")].strip() + b"." + text
    for word in _NAMES:
        if word.pattern.match(text):
            importing = line.startswith((b"import ", b"from "))
            if word.name == "python/cuda-package" and not importing:
                return  # said once, where it is imported
            yield Found(word, Span(start, end), decode(text).rstrip("("))
            return


def _in_string(data: bytes, start: int, end: int, context: BuildContext) -> Iterator[Found]:
    token = data[start:end]
    quote = token[:3] if token[:3] in (b'"""', b"'''") else token[:1]
    text = token[len(quote) :].removesuffix(quote)
    span = Span(start, end)
    if (
        CU_FILE.search(text)
        and b"\n" not in text
        and any(port != source for source, port in context.renamed.items())
    ):
        yield Found(_RENAMED, span, decode(text))
        return
    if SOURCE.pattern.search(text):
        yield Found(SOURCE, span, "")
        return
    if len(text) > _LONGEST:
        return
    for word in _STRINGS:
        if word.pattern.fullmatch(text):
            shown = decode(text) if len(text) <= 60 and b"\n" not in text else ""
            yield Found(word, span, shown)
            return


def find_requirement(text: bytes, span: Span) -> Found | None:
    """A requirement that only makes sense on NVIDIA devices."""
    word = next(word for word in _STRINGS if word.name == "python/cuda-requirement")
    return Found(word, span, decode(text)) if word.pattern.fullmatch(text) else None


def make_summed(found: Iterable[Found], build: bool = False) -> Iterator[Diagnostic]:
    """One diagnostic for each kind: a model's Python files would bury everything else."""
    groups: dict[str, list[Found]] = {}
    for one in found:
        groups.setdefault(one.word.name, []).append(one)
    for group in groups.values():
        first = group[0]
        severity = first.word.build if build else first.word.severity
        more = f" ({len(group)} places in this file, the first here)" if len(group) > 1 else ""
        yield make_diagnostic(first, severity, more)


def make_diagnostic(found: Found, severity: Severity, more: str = "") -> Diagnostic:
    """What is said of one place."""
    word = found.word
    message = f"{found.text}: {word.message}" if found.text else word.message
    return Diagnostic(found.span, word.code, severity, message + more, word.help, word.name)
