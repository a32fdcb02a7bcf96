"""Bazel, Meson, xmake, shell scripts, Dockerfiles and CI files: found and reported, never edited.

A pass and not a rule: each format has its own comments and its own words for the same thing, and
one line per kind with a count is worth more to a reader than every place.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from sigtrans.passes import BuildContext
from sigtrans.source import Diagnostic, Findings, Severity, SourceFile, Span, decode

BAZEL, MESON, XMAKE, SHELL, DOCKER, YAML, TEXT = (
    "bazel",
    "meson",
    "xmake",
    "shell",
    "docker",
    "yaml",
    "text",
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """One thing to look for, in which formats, and what to do about it."""

    name: str
    pattern: re.Pattern[bytes]
    code: str
    severity: Severity
    message: str
    help: str
    formats: frozenset[str] = frozenset()  # empty: every format


def _kind(
    name: str,
    pattern: bytes,
    code: str,
    severity: Severity,
    message: str,
    help_: str,
    *formats: str,
) -> _Kind:
    return _Kind(name, re.compile(pattern), code, severity, message, help_, frozenset(formats))


# In this order: the first kind that matches a stretch of text is the one that is said of it.
_KINDS = (
    _kind(
        "bazel/cuda",
        rb"\bcuda_(?:library|binary|test|objects|cc_library)\b|@(?:local_config_cuda|local_cuda|"
        rb"rules_cuda|cuda_[a-z]+|cuda)(?=//|\b)|\brules_cuda\b|\b(?:if_cuda|if_cuda_is_configured|"
        rb"cuda_default_copts|cuda_configure|cuda_toolchain\w*|tf_cuda_\w+|tf_gpu_\w+|"
        rb"gpu_kernel_library)\b|\brequires_cuda\w*",
        "SIG755",
        Severity.ERROR,
        "Bazel builds CUDA here",
        "There are no Bazel rules for MUSA: build the .mu files with a genrule or a toolchain that "
        "runs `mcc -x musa --offload-arch=...`, or with CMake, and link musart.",
        BAZEL,
    ),
    _kind(
        "meson/cuda",
        rb"\bproject\s*\([^)\n]{0,400}['\"]cuda['\"]|\badd_languages\s*\([^)\n]{0,400}['\"]cuda['\"]|"
        rb"\bdependency\s*\(\s*['\"]cuda['\"]|\bimport\s*\(\s*['\"](?:unstable-)?cuda['\"]|"
        rb"\bcuda_args\s*:|\bcuda\.nvcc_arch_\w+|\bfind_program\s*\(\s*['\"]nvcc['\"]|"
        rb"\bget_compiler\s*\(\s*['\"]cuda['\"]|language\s*:\s*\[?\s*['\"]cuda['\"]",
        "SIG756",
        Severity.ERROR,
        "Meson builds CUDA here",
        "Meson does not know MUSA: compile the .mu files with a custom_target that runs "
        "`mcc -x musa --offload-arch=...`, link the objects, and name musart with find_library.",
        MESON,
    ),
    _kind(
        "xmake/cuda",
        rb"add_rules\s*\([^)\n]{0,400}[\"']cuda[\w.]*[\"']|add_cugencodes|add_cuflags|add_culdflags|"
        rb"set_toolchains?\s*\([^)\n]{0,400}[\"'](?:cuda|nvcc)[\"']|"
        rb"(?:add_requires|add_packages|find_package)\s*\(?[^)\n]{0,400}[\"'](?:cuda|cudnn|nccl)[\w:]*[\"']|"
        rb"set_values\s*\(\s*[\"']cuda\.[^\n)]*",
        "SIG757",
        Severity.ERROR,
        "xmake builds CUDA here",
        "Write a rule for .mu files that runs `mcc -x musa --offload-arch=...` and link musart; "
        "add_cugencodes has no counterpart.",
        XMAKE,
    ),
    _kind(
        "build/cuda-image",
        rb"\b(?:nvcr\.io/[\w./:${}-]+|nvidia/(?:cuda|cudagl|opengl)[\w.:/${}-]*|"
        rb"pytorch/(?:pytorch|manylinux)[\w./]{0,60}:?[\w.${}-]{0,60}cuda?[\w.${}-]*)",
        "SIG761",
        Severity.ERROR,
        "a container image with CUDA inside",
        "Start from an image with the MUSA SDK and torch_musa (the vendor's registry has them), "
        "matching the driver on the host.",
    ),
    _kind(
        "build/cuda-packages",
        rb"\bcuda-(?:toolkit|nvcc|runtime|libraries|drivers?|compat|cudart|keyring|repo)[\w.${}-]*|"
        rb"\blib(?:cudnn|nccl|cublas|cufft|curand|cusparse|cusolver|nvinfer)\d*-?(?:dev)?\b"
        rb"(?!\.so|\.a\b)|\bnvidia-(?:driver|cuda-toolkit|container-toolkit|docker2?|[a-z]+-cu\d+)\b|"
        rb"\bcupy-cuda\w+|developer\.download\.nvidia\.com[\w./-]*|cuda_\d+[\w.]*\.run|"
        rb"\b[\w-]{1,60}/cuda-toolkit@[\w.]+|\bcudatoolkit\b|\bnvidia::[\w-]+|-c nvidia\b",
        "SIG762",
        Severity.ERROR,
        "CUDA or packages for it are installed here",
        "Install the MUSA SDK in their place (it brings mcc, musart and the math libraries); muDNN "
        "and MCCL are packages of their own, one for each card.",
    ),
    _kind(
        "build/cuda-wheels",
        rb"download\.pytorch\.org/whl/[\w/]*\bcu\d+|\btorch[\w.]{0,40}(?:==|@)[^\s'\"]{0,100}\+cu\d+|"
        rb"\+cu\d{2,3}\b|--extra-index-url\s+\S{0,200}pypi\.(?:nvidia|ngc)\S*",
        "SIG767",
        Severity.WARNING,
        "wheels built for CUDA are installed or published here",
        "Take torch and torch_musa from the vendor's wheels and build this project from source.",
    ),
    _kind(
        "build/gpu-containers",
        rb"--gpus(?:[ =]\S+)?|--runtime[ =]nvidia|\bnvidia-docker\b|\bdriver:\s*nvidia\b|"
        rb"\bnvidia\.com/gpu\b|NVIDIA_(?:VISIBLE_DEVICES|DRIVER_CAPABILITIES|REQUIRE_\w+)",
        "SIG763",
        Severity.WARNING,
        "NVIDIA devices are handed to a container or a job",
        "The Moore Threads container runtime reads MTHREADS_VISIBLE_DEVICES and "
        "MTHREADS_DRIVER_CAPABILITIES; ask the scheduler for the MUSA resource.",
    ),
    _kind(
        "build/nvcc",
        rb"(?<![\w.-])(?:[\w${}/.-]{0,200}/)?nvcc(?:\.exe)?(?![\w-])",
        "SIG758",
        Severity.ERROR,
        "nvcc is called or looked for",
        "Call mcc: `-x musa` for files that do not end in .mu, --offload-arch=mp_22 or mp_31 in "
        "place of -gencode and -arch, host options without -Xcompiler.",
    ),
    _kind(
        "build/arch-list",
        rb"-gencode\b|\barch=compute_\d+\w*|\bsm_\d{2,3}[af]?\b|\b(?:TORCH_CUDA_ARCH_LIST|"
        rb"CMAKE_CUDA_ARCHITECTURES|CUDAARCHS|CUDA_ARCH(?:S|_BIN|_LIST|ITECTURES)?)\b",
        "SIG764",
        Severity.WARNING,
        "CUDA architectures are chosen here",
        "MUSA's are mp_21, mp_22 and mp_31: --offload-arch for mcc, TORCH_MUSA_ARCH_LIST (22;31) "
        "for PyTorch extensions, whatever the ported CMakeLists.txt reads for CMake.",
    ),
    _kind(
        "build/cmake-setting",
        rb"-D\s*\w*CUDA\w*(?::\w+)?=?[^\s'\"]*|\bCMAKE_CUDA_\w+",
        "SIG768",
        Severity.WARNING,
        "a CUDA setting is handed to CMake or the compiler",
        "See what the ported CMakeLists.txt or source reads: CMake's own CUDA variables are gone "
        "there, this project's own options keep their names.",
    ),
    _kind(
        "build/environment",
        rb"\bCUDA_(?:VISIBLE_DEVICES|LAUNCH_BLOCKING|DEVICE_ORDER|DEVICE_MAX_CONNECTIONS|"
        rb"MODULE_LOADING|CACHE_\w+)\b|\bNCCL_[A-Z0-9_]+\b|\bPYTORCH_CUDA_ALLOC_CONF\b|"
        rb"\bCUBLAS_WORKSPACE_CONFIG\b|\bNVCC_(?:APPEND|PREPEND)_FLAGS\b",
        "SIG765",
        Severity.WARNING,
        "a variable that only CUDA's runtime or NCCL reads",
        "MUSA_VISIBLE_DEVICES takes the place of CUDA_VISIBLE_DEVICES, MCCL_... that of NCCL_...; "
        "check that each one exists.",
    ),
    _kind(
        "build/cuda-path",
        rb"(?:/usr/local/cuda|/opt/(?:nvidia/)?cuda)[\w./-]*|\b(?:CUDA|CUDNN|NCCL|CUDAToolkit)_"
        rb"(?:HOME|PATH|ROOT|ROOT_DIR|TOOLKIT_ROOT_DIR|TOOLKIT_PATH|INCLUDE\w*|LIB\w*|BIN_PATH)\b|"
        rb"\bCUDA(?:CXX|HOSTCXX)\b",
        "SIG759",
        Severity.WARNING,
        "a folder of the CUDA toolkit",
        "The MUSA SDK stands under MUSA_HOME or MUSA_PATH, usually /usr/local/musa: put its bin on "
        "PATH and its lib (not lib64) on LD_LIBRARY_PATH.",
    ),
    _kind(
        "build/cuda-libraries",
        rb"(?<![\w-])-l(?:cudart(?:_static)?|cudadevrt|cuda|cublas(?:Lt)?|cudnn|cufft|curand|"
        rb"cusparse|cusolver|nccl|nvrtc|nvToolsExt|cupti)\b|\blib(?:cudart|cublas(?:Lt)?|cudnn\w*|"
        rb"cufft|curand|cusparse|cusolver|nccl|nvrtc|cuda)(?:\.so[\w.]*|\.a\b)|"
        rb"[\"'](?:cudart(?:_static)?|cudadevrt|cublas(?:Lt)?|cudnn|cufft|curand|cusparse|cusolver|"
        rb"nccl|nvrtc)[\"']",
        "SIG766",
        Severity.ERROR,
        "CUDA libraries are linked or shipped here",
        "Link musart, musa, mublas, mublasLt, mufft, murand, musparse, musolver, mccl; there is no "
        "device runtime library, and cuDNN and NVTX are no plain renames.",
    ),
    _kind(
        "build/tools",
        rb"(?<![\w./-])(?:nvidia-smi|nvprof|nsys|ncu|nv-nsight-cu-cli|cuda-memcheck|"
        rb"compute-sanitizer|cuda-gdb|cuobjdump|nvdisasm|deviceQuery)(?![\w-])",
        "SIG769",
        Severity.WARNING,
        "a tool of the CUDA toolkit or driver",
        "mthreads-gmi shows the cards, musaInfo their properties, msys and mcu profile; the memory "
        "checkers and disassemblers have no counterpart.",
    ),
)
_FILE = re.compile(rb"[\w./${}*+-]{0,200}[\w}*-]\.cuh?(?![\w.])")
_NEEDLES = (
    b"cuda nvcc nccl nvidia nvcr.io cudnn cublas cufft curand cusparse cusolver nvrtc nvtoolsext "
    b"cupti nvprof nsys ncu compute-sanitizer nvdisasm devicequery --gpus .cu +cu /cu1 gencode sm_ "
    b"compute_ cuobjdump"
).split()
_COMMENT = {
    XMAKE: re.compile(rb"'[^'\r\n]*'|\"[^\"\r\n]*\"|--(?:\[\[.*?\]\]|[^\r\n]*)", re.S),
    DOCKER: re.compile(rb"(?m)^[ \t]*#[^\r\n]*"),
}
_HASH = re.compile(rb"(?m)(?:^|(?<=[ \t;]))#[^\r\n]*")
_MUSA = re.compile(rb"(?i)\bmusa_(?:home|path)\b|\bmcc\b|/usr/local/musa|torch_musa|\bMUSA\b")
_HELP_FILE = "Write the ported name (.mu for .cu, .muh for .cuh)."


def find(file: SourceFile, context: BuildContext) -> Findings:
    """One diagnostic for each kind of thing that ties this file to CUDA; never an edit."""
    lower = file.data.lower()
    if not any(needle in lower for needle in _NEEDLES):
        return Findings()
    form = find_format(file.path)
    code = _blank_comments(file.data, form)
    said = list(_renamed(context, code))
    left = bytearray(code)
    for kind in _KINDS:
        if kind.formats and form not in kind.formats:
            continue
        places = [m.span() for m in kind.pattern.finditer(left)]
        for start, end in places:
            left[start:end] = b" " * (end - start)
        if places:
            said.append(_say(kind, code, places))
    if said and _MUSA.search(code):
        said = [_softened(one) for one in said]
    return Findings((), tuple(sorted(said)))


def find_format(path: str) -> str:
    """Which comments and which words a file of this name has."""
    name = PurePosixPath(path).name
    if name in ("BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel") or (
        name.endswith((".bzl", ".bazel", ".bazelrc"))
    ):
        return BAZEL
    if name in ("meson.build", "meson_options.txt", "meson.options"):
        return MESON
    if name == "xmake.lua" or name.endswith(".lua"):
        return XMAKE
    if "dockerfile" in name.lower() or name == "Containerfile":
        return DOCKER
    if name.endswith((".yml", ".yaml")):
        return YAML
    if name.endswith((".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch", ".pbs")):
        return SHELL
    return TEXT


def _blank_comments(data: bytes, form: str) -> bytes:
    """The same bytes with comments blanked, so that places stay where they are."""
    return _COMMENT.get(form, _HASH).sub(
        lambda m: m[0] if m[0][:1] in (b"'", b'"') else b" " * len(m[0]), data
    )


def _say(kind: _Kind, data: bytes, places: list[tuple[int, int]]) -> Diagnostic:
    start, end = places[0]
    text = decode(data[start:end].strip()).replace("\n", " ")[:60]
    return Diagnostic(
        Span(start, end),
        kind.code,
        kind.severity,
        f"{text}: {kind.message}{_count(len(places))}",
        kind.help,
        kind.name,
    )


def _count(places: int) -> str:
    return f" ({places} places in this file, the first here)" if places > 1 else ""


def _renamed(context: BuildContext, code: bytes) -> Iterator[Diagnostic]:
    """File names that the port changes: one diagnostic, with the names of the first."""
    found = [match.span() for match in _FILE.finditer(code)] if b".cu" in code else []
    if not found:
        return
    pairs = (
        (source.rpartition("/")[2], port.rpartition("/")[2])
        for source, port in context.renamed.items()
    )
    names = {source: port for source, port in pairs if source != port}
    if not names:
        return
    endings = {posixpath.splitext(name)[1] for name in names}
    places: list[tuple[int, int]] = []
    for start, end in found:
        name = decode(code[start:end]).rpartition("/")[2]
        computed = any(mark in name for mark in "*${}")
        if name in names or (computed and PurePosixPath(name).suffix in endings):
            places.append((start, end))
    if places:
        start, end = places[0]
        text = decode(code[start:end])
        port = names.get(text.rpartition("/")[2], "")
        becomes = f" is {port} in the port" if port else ": the port renames such files"
        yield Diagnostic(
            Span(start, end),
            "SIG760",
            Severity.ERROR,
            f"{text}{becomes}{_count(len(places))}",
            _HELP_FILE,
            "build/renamed-file",
        )


def _softened(one: Diagnostic) -> Diagnostic:
    """A file that names MUSA too may have a branch for each; an error there is too loud."""
    if one.severity is not Severity.ERROR:
        return one
    return Diagnostic(one.span, one.code, Severity.WARNING, one.message, one.help, one.rule)
