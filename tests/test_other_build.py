from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigtrans.passes import BuildContext, other_build
from sigtrans.source import Diagnostic, Findings, Severity, SourceFile

CONTEXT = BuildContext(
    ("mp_31",), "5.2", {"src/add.cu": "src/add.mu", "src/add.cuh": "src/add.muh"}
)


def find(text: str, path: str, context: BuildContext = CONTEXT) -> list[Diagnostic]:
    file = SourceFile(path, dedent(text).encode())
    found = other_build.find(file, context)
    assert found.edits == (), "these files are reported, never edited"
    return list(file.place(found.diagnostics))


SAYS = [
    ("BUILD", 'load("@rules_cuda//cuda:defs.bzl", "cuda_library")\n', "SIG755", 1),
    ("a/BUILD.bazel", 'cc_library(deps = ["@local_config_cuda//cuda"])\n', "SIG755", 1),
    ("meson.build", "project('x', 'cpp',\n  'c')\nd = dependency('cuda')\n", "SIG756", 3),
    ("meson.build", "project('x', ['cpp', 'cuda'])\n", "SIG756", 1),
    ("xmake.lua", 'target("x")\n  add_rules("cuda")\n  add_cugencodes("native")\n', "SIG757", 2),
    ("xmake.lua", 'os.exec("run --flag; nvcc x.cu")\n', "SIG758", 1),
    ("build.sh", "set -e\nnvcc -O3 x.c -o x\n", "SIG758", 2),
    ("build.sh", "$CUDA_BIN/nvcc x\n", "SIG758", 1),
    ("env.sh", "export PATH=/usr/local/cuda-12.1/bin:$PATH\n", "SIG759", 1),
    ("env.sh", "export LD_LIBRARY_PATH=$CUDA_HOME/lib64\n", "SIG759", 1),
    ("build.sh", "cp src/add.cu out/\n", "SIG760", 1),
    ("build.sh", "for f in src/*.cu; do :; done\n", "SIG760", 1),
    ("Dockerfile", "FROM nvidia/cuda:12.1.0-devel-ubuntu22.04\n", "SIG761", 1),
    ("docker/Dockerfile.gpu", "FROM pytorch/pytorch:2.1.0-cuda12.1-cudnn8-devel\n", "SIG761", 1),
    (".github/workflows/ci.yml", "- uses: someone/cuda-toolkit@v0.2\n", "SIG762", 1),
    ("Dockerfile", "RUN apt-get install -y cuda-toolkit-12-1 libnccl2\n", "SIG762", 1),
    ("run.sh", "docker run --gpus all image\n", "SIG763", 1),
    ("build.sh", "export TORCH_CUDA_ARCH_LIST='8.0;9.0'\n", "SIG764", 1),
    ("run.sh", "CUDA_VISIBLE_DEVICES=0 ./x\n", "SIG765", 1),
    ("run.sh", "export NCCL_DEBUG=INFO\n", "SIG765", 1),
    ("build.sh", "g++ x.o -lcudart -lcublas\n", "SIG766", 1),
    ("ci.yaml", "pip install torch --index-url x/download.pytorch.org/whl/cu121\n", "SIG767", 1),
    ("build.sh", "cmake -DCMAKE_CUDA_COMPILER=x ..\n", "SIG768", 1),
    ("run.sh", "nvidia-smi -L\n", "SIG769", 1),
]


@pytest.mark.parametrize(("path", "text", "code", "line"), SAYS)
def test_says(path: str, text: str, code: str, line: int) -> None:
    found = find(text, path)
    assert (code, line) in [(d.code, d.line) for d in found]
    assert all(d.help and d.message for d in found)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("build.sh", "# nvcc x.cu\necho accumulate\n"),
        ("build.sh", "true  # nvidia-smi\n"),
        ("xmake.lua", '-- add_rules("cuda")\n--[[ nvcc\n add_cugencodes() ]]\n'),
        ("ci.yml", "name: cucumber\nimage: ubuntu\n"),
        ("BUILD", '# cuda_library\ncc_library(name = "barracuda")\n'),
        ("meson.build", "project('cuda_like', 'c')\n"),
        ("build.sh", "cc other.cup my-nvcc-wrapper\n"),
        ("build.sh", "cc other.cu\n"),
    ],
)
def test_same(path: str, text: str) -> None:
    assert find(text, path) == []


def test_one_line_for_each_kind_with_the_number_of_places() -> None:
    found = find("nvcc a\nnvcc b\nnvcc c\nCUDA_VISIBLE_DEVICES=1 ./a\n", "x.sh")
    assert [(d.code, d.line) for d in found] == [("SIG758", 1), ("SIG765", 4)]
    assert "3 places" in found[0].message


def test_a_place_is_said_once() -> None:
    found = find("FROM nvidia/cuda:12.1.0-cudnn8-devel\n", "Dockerfile")
    assert [d.code for d in found] == ["SIG761"]


def test_the_new_name_is_said() -> None:
    (found,) = find("cc -c src/add.cuh\n", "x.sh")
    assert "add.muh" in found.message


def test_no_renames_no_word_about_names() -> None:
    assert find("cc src/add.cu\n", "x.sh", BuildContext(("mp_31",), "5.2")) == []


def test_a_file_with_a_musa_side_is_told_more_quietly() -> None:
    loud = find("nvcc x\n", "x.sh")
    quiet = find("if musa; then mcc x; else nvcc x; fi\n", "x.sh")
    assert [d.severity for d in loud + quiet] == [Severity.ERROR, Severity.WARNING]


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("a/BUILD", "bazel"),
        ("x.bzl", "bazel"),
        ("meson.build", "meson"),
        ("xmake.lua", "xmake"),
        ("Dockerfile.dev", "docker"),
        (".gitlab-ci.yml", "yaml"),
        ("a.sh", "shell"),
        ("requirements.txt", "text"),
    ],
)
def test_format(path: str, form: str) -> None:
    assert other_build.find_format(path) == form


PIECES = st.lists(
    st.one_of(st.sampled_from([text for _, text, _, _ in SAYS]), st.text(max_size=5)), max_size=8
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([path for path, *_ in SAYS]), PIECES, st.binary(max_size=4))
def test_laws(path: str, pieces: list[str], noise: bytes) -> None:
    """Any input: never raises, never edits, one diagnostic for each kind, spans inside the file."""
    data = noise + "".join(pieces).encode()
    found: Findings = other_build.find(SourceFile(path, data), CONTEXT)
    assert found.edits == ()
    assert len({d.rule for d in found.diagnostics}) == len(found.diagnostics)
    for diagnostic in found.diagnostics:
        assert diagnostic.span.start < diagnostic.span.end <= len(data)
