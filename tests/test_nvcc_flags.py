"""The option table: what each option of nvcc becomes, and that it says what it rests on."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sigtrans.catalogue import data_file
from sigtrans.passes.nvcc_flags import (
    CHANGED,
    LIBRARY,
    MACRO,
    RELOCATABLE,
    SEVERITY,
    STOP,
    UNIMPORTANT,
    find_library,
    translate_path,
    translate_words,
)

ONE = ("mp_31",)
RAW = yaml.safe_load(data_file("rules", "build/nvcc-flags.yaml").read_text(encoding="utf-8"))
NAMES = [name for row in RAW["flags"] for name in row["names"]]

TRANSLATED = {
    "gencode, two words": (
        "-gencode arch=compute_80,code=sm_80 -O3",
        "--offload-arch=mp_31 -O3",
    ),
    "gencode, one word": ("-gencode=arch=compute_80,code=sm_80", "--offload-arch=mp_31"),
    "architectures once": (
        "-gencode arch=compute_70,code=sm_70 -gencode=arch=compute_80,code=[sm_80,compute_80]",
        "--offload-arch=mp_31",
    ),
    "arch and code": ("-arch=compute_70 -code=sm_70", "--offload-arch=mp_31"),
    "arch, two words": ("-arch sm_70 -c", "--offload-arch=mp_31 -c"),
    "long arch": ("--gpu-architecture=compute_70 --gpu-code=sm_70", "--offload-arch=mp_31"),
    "arch from a variable": ("-arch=$(ARCH)", "--offload-arch=mp_31"),
    "Xcompiler": ("-Xcompiler -fPIC", "-fPIC"),
    "Xcompiler with =": ("-Xcompiler=-fPIC,-Wall", "-fPIC -Wall"),
    "Xcompiler with a comma": ("-Xcompiler,-fPIC", "-fPIC"),
    "compiler-options": ("--compiler-options -fno-strict-aliasing", "-fno-strict-aliasing"),
    "Xcompiler keeps -Wl whole": ("-Xcompiler -Wl,-rpath,/opt/x", "-Wl,-rpath,/opt/x"),
    "Xlinker": ("-Xlinker -rpath,/opt/x", "-Wl,-rpath,/opt/x"),
    "lambda and constexpr": ("--extended-lambda --expt-relaxed-constexpr -O2", "-O2"),
    "language": ("-x cu a.cpp", "-x musa a.cpp"),
    "language of the host": ("-x c++ a.cpp", "-x c++ a.cpp"),
    "standard": ("-std=c++17", "-std=c++17"),
    "standard, two words": ("--std c++14", "-std=c++14"),
    "debug": ("-G", "-g"),
    "debug twice": ("-g -G", "-g"),
    "line tables": ("-lineinfo", "-gline-tables-only"),
    "relocatable off": ("-rdc=false -O2", "-O2"),
    "fused multiply-add off": ("--fmad=false", "-ffp-contract=off"),
    "denormals": ("-ftz=true", "-fmusa-flush-denormals-to-zero"),
    "word size": ("-m64 --machine 64", "-m64 -m64"),
    "threads": ("--threads 4 -t=0 -O3", "-O3"),
    "dry run": ("--dryrun", "-###"),
    "libraries": ("-lcudart -lcublas -lcublasLt -lcufft", "-lmusart -lmublas -lmublasLt -lmufft"),
    "more libraries": ("-lcuda -lnccl -lcurand -lcusparse", "-lmusa -lmccl -lmurand -lmusparse"),
    "no device runtime": ("-lcudadevrt -lm", "-lm"),
    "static runtime": ("-lcudart_static -ldl", "-lmusart -ldl"),
    "folders": (
        "-I/usr/local/cuda/include -L/usr/local/cuda-11.8/lib64",
        "-I/usr/local/musa/include -L/usr/local/musa/lib",
    ),
    "long library": (
        "--library cublas --library-path /usr/local/cuda/lib64",
        "-lmublas -L/usr/local/musa/lib",
    ),
    "handed to the host compiler": ("-Xcompiler -lcudart,-fopenmp", "-lmusart -fopenmp"),
    "folder of a variable": ("-L$(CUDA_HOME)/lib64/stubs", "-L$(CUDA_HOME)/lib"),
    "cudart option": ("-cudart static", "-lmusart"),
}

SAME = {
    "plain options": "-O3 -g -Wall -fPIC -DNDEBUG -I. -Isrc/cuda -o out -c a.cpp",
    "mcc": "--offload-arch=mp_22 -x musa -lmusart -fgpu-rdc",
    "the project's libraries": "-lcudart_helpers -lmycuda -lcudax",
    "the project's macros": "-DUSE_CUDA -DWITH_CUDNN=1 -DMY__CUDA_ARCH__",
    "an output that looks like an option": "-o -G",
    "for Microsoft's compiler": "-Xcompiler /wd4819",
    "another folder": "-I/usr/local/cudax/include -L/data/usr/local/cuda2/lib64",
    "an argument of another option": "-include cuda_fix.h -MF -ptx",
    "nothing": "",
}

NOTED = {
    "ptxas": ("-Xptxas -v", UNIMPORTANT),
    "ptxas cache mode": ("-Xptxas -dlcm=ca", CHANGED),
    "host compiler": ("-ccbin g++", UNIMPORTANT),
    "registers": ("-maxrregcount=64", CHANGED),
    "fast math": ("--use_fast_math", CHANGED),
    "per-thread streams": ("--default-stream per-thread", CHANGED),
    "relocatable": ("-rdc=true", RELOCATABLE),
    "device compile": ("-dc", RELOCATABLE),
    "PTX": ("-ptx", STOP),
    "cubin": ("--cubin", STOP),
    "device link": ("-dlink", STOP),
    "cuDNN": ("-lcudnn", LIBRARY),
    "NVTX": ("-lnvToolsExt", LIBRARY),
    "NPP": ("-lnppc", LIBRARY),
    "header macro": ("-U__CUDA_NO_HALF_OPERATORS__", MACRO),
}


@pytest.mark.parametrize(("before", "after"), TRANSLATED.values(), ids=TRANSLATED)
def test_translated(before: str, after: str) -> None:
    result = translate_words(before.split(), ONE)
    assert " ".join(result.words) == after
    assert translate_words(result.words, ONE).words == result.words, "twice is once"


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_same(text: str) -> None:
    result = translate_words(text.split(), ONE)
    assert result.words == text.split()
    assert result.notes == []


@pytest.mark.parametrize(("text", "code"), NOTED.values(), ids=NOTED)
def test_noted(text: str, code: str) -> None:
    notes = translate_words(["-O2", *text.split()], ONE).notes
    assert [(index, found) for index, found, _, _ in notes] == [(1, code)]
    assert text.split()[0].partition("=")[0] in notes[0][2], "the message names the option"
    assert code in SEVERITY


def test_several_targets() -> None:
    words = translate_words(["-arch=sm_80"], ("mp_22", "mp_31")).words
    assert words == ["--offload-arch=mp_22", "--offload-arch=mp_31"]


def test_what_is_left_out_is_always_right() -> None:
    """-ffast-math would assume that no NaN occurs, which nvcc's option does not."""
    assert translate_words(["-use_fast_math"], ONE).words == []


def test_quoted_words() -> None:
    assert translate_words(["-Xcompiler", '"-fPIC -Wall"'], ONE).words == ["-fPIC", "-Wall"]
    assert translate_words(['"-gencode=arch=compute_80,code=sm_80"'], ONE).words == [
        "--offload-arch=mp_31"
    ]


def test_an_option_at_the_end_without_its_argument() -> None:
    assert translate_words(["-Xcompiler"], ONE).words == []
    assert translate_words(["-Xlinker"], ONE).words == ["-Xlinker"]
    assert translate_words(["-gencode"], ONE).words == ["--offload-arch=mp_31"]


def test_libraries() -> None:
    library = find_library("cublas")
    assert library is not None and library.to == "mublas" and not library.stop
    assert find_library("cublas_helpers") is None
    assert find_library("musart") is None


@pytest.mark.parametrize("path", ["/usr/local/cuda", "/usr/local/cuda-12.4", "/opt/cuda"])
def test_paths(path: str) -> None:
    assert translate_path(f"{path}/lib64") == "/usr/local/musa/lib"
    assert translate_path(f"{path}/bin") == "/usr/local/musa/bin"
    assert translate_path(path) == "/usr/local/musa"
    assert translate_path(f"{path}/targets/x86_64-linux/include") == "/usr/local/musa/include"


def test_every_row_has_evidence_and_a_known_deed() -> None:
    deeds = {"keep", "drop", "replace", "joined", "arch", "unwrap", "linker", "stop"}
    for row in RAW["flags"]:
        assert row["evidence"].strip(), row["names"]
        assert row["do"] in deeds, row["names"]
        assert row.get("code", "") in {"", *SEVERITY}, row["names"]
        assert ("with" in row) == (row["do"] in ("replace", "joined")), row["names"]
    for name, row in RAW["libraries"].items():
        assert row["evidence"].strip(), name
        assert ("to" in row) != ("do" in row), name
        assert row.get("do") != "stop" or row["help"].strip(), name


def test_no_option_stands_in_two_rows() -> None:
    assert len(NAMES) == len(set(NAMES))


WORDS = st.lists(
    st.sampled_from(
        [*NAMES, "-O3", "-c", "a.cu", "-lcublas", "-lcudnn", "arch=compute_80,code=sm_80", "true"]
    )
    | st.text("-=,lDIXarch$(){}\"' /", max_size=8),
    max_size=8,
)


@given(WORDS)
def test_twice_is_once_and_every_word_is_accounted_for(words: list[str]) -> None:
    once = translate_words(words, ONE)
    twice = translate_words(once.words, ONE)
    assert sum(word == "--offload-arch=mp_31" for word in once.words) <= max(
        1, words.count("--offload-arch=mp_31")
    )
    assert all(0 <= index < len(words) for index, *_ in once.notes)
    assert twice.words == once.words
