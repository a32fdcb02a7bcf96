from __future__ import annotations

import json
import os
import random
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigtrans import discover
from sigtrans.discover import (
    CompileCommand,
    Found,
    Options,
    Patterns,
    find_files,
    find_generated,
    kind_by_name,
    load_compile_commands,
    render_size,
    sniff,
)
from sigtrans.source import SigtransError

KERNEL = b"#include <cuda_runtime.h>\n__global__ void f(float *p) { p[0] = 1; }\n"
GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")
as_root = os.geteuid() == 0


def make(root: Path, files: Mapping[str, bytes | str]) -> Path:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(data.encode() if isinstance(data, str) else data)
    return root


def found(root: Path, options: Options | None = None) -> dict[str, Found]:
    files = find_files(root, options or Options())
    result = {file.path: file for file in files}
    assert len(result) == len(files), "each thing once"
    assert [file.path for file in files] == sorted(result), "sorted by path"
    return result


def skips(root: Path, options: Options | None = None) -> dict[str, str]:
    return {path: file.skip for path, file in found(root, options).items()}


def ported(root: Path, options: Options | None = None) -> list[str]:
    """Paths that go on to be ported."""
    files = found(root, options).values()
    return [f.path for f in files if not f.skip and f.kind not in ("other", "link", "folder")]


def git(folder: Path, *arguments: str, text: bytes = b"") -> bytes:
    assert GIT is not None
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    done = subprocess.run(
        [GIT, *arguments], cwd=folder, input=text, env=environment, capture_output=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


# --- kinds ----------------------------------------------------------------------------------------

NAMES = {
    "source": "a.cu a.cuh A.CU a.c a.C a.cc a.cpp a.cxx a.h a.hh a.hpp a.hxx a.inl a.ipp a.tpp "
    "a.cuinc a.h.in a.cu.in a.cuh.jinja a.cpp.j2 x/y/a.cu.template",
    "cmake": "CMakeLists.txt cmake/FindX.cmake x.cmake.in x/CMakeLists.txt CMakeLists.txt.in",
    "make": "Makefile makefile GNUmakefile rules.mk x.mak Makefile.am Makefile.in Makefile.linux "
    "Makefile_cuda common/make.config",
    "python": "setup.py x/y.py setup.py.in",
    "toml": "pyproject.toml",
    "manifest": "setup.cfg MANIFEST.in requirements.txt requirements-dev.txt environment.yml "
    "environment-gpu.yaml vcpkg.json",
    "bazel": "BUILD BUILD.bazel WORKSPACE MODULE.bazel x/defs.bzl x/BUILD",
    "meson": "meson.build meson_options.txt",
    "xmake": "xmake.lua",
    "shell": "a.sh Dockerfile Dockerfile.gpu docker/x.dockerfile .github/workflows/ci.yml "
    ".gitlab-ci.yml run.bat job.slurm",
    "other": "README README.md README.txt LICENSE a.json a.yml .gitignore .clang-format a.md "
    "Cargo.toml docs/x.rst a.cl",
    "musa": "a.mu a.muh",
    "binary": "a.png a.o a.so a.tar.gz",
    "precompiled": "a.ptx a.cubin",
    "backup": "a.cu~ a.cu.bak a.cu.orig Makefile~",
    "foreign": "a.pyx a.f90 a.vcxproj SConstruct configure",
    "": "a.txt a.inc a.def a.impl run build a.in a.jinja a.xyz workspace",
}


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for kind, names in NAMES.items() for name in names.split()]
)
def test_kind_by_name(name: str, kind: str) -> None:
    assert kind_by_name(name) == kind


CODE = "template <int N>\n__global__ void f(float *p)\n{\n  p[0] = N;\n}\n"
PROSE = "This program runs on the GPU.\nIt calls cudaMalloc before the kernel\nand is fast\n"


@pytest.mark.parametrize(
    ("suffix", "head", "said"),
    [
        ("cu", KERNEL, "cuda"),
        (".CU", KERNEL, "cuda"),
        ("cpp", b"int main() { return 0; }\n", "c++"),
        ("cpp", b"void f() { cuMemAlloc(&p, 1); }\n", "cuda"),
        ("cpp", b"void f() { accumulate(v); cuspid(x); }\n", "c++"),
        ("h", b'#include "kernels.cuh"\n', "cuda"),
        ("h", b'#include "acute.h"\n', "c++"),
        ("cpp", b"#include <musa_runtime.h>\n", "musa"),
        ("cpp", b"#include <musa_runtime.h>\n#include <cuda_runtime.h>\n", "cuda"),
        ("cpp", b"k<<<1, 2>>>(p);\n", "cuda"),
        ("cpp", b"<<<<<<< HEAD\nint a;\n=======\n>>>>>>> b\n", "c++"),
        ("txt", CODE.encode(), "cuda"),
        ("txt", PROSE.encode(), "text"),
        ("txt", b"1.0 2.0 3.0\n" * 5000, "text"),
        ("inc", b"int table[] = {\n 1,\n};\n", "text"),
        ("inc", b'#include "a.cuh"\nint table[] = {\n 1,\n};\n', "cuda"),
        ("jinja", b"{% for n in sizes %}\n__global__ void f_{{ n }}() {}\n{% endfor %}\n", "cuda"),
        ("", b"#!/bin/sh\nnvcc a.cu\n", "shell"),
        ("", b"#!/usr/bin/env bash\n", "shell"),
        ("", b"#!/usr/bin/env -S python3 -u\n", "python"),
        ("", b"#!/usr/bin/python3.11\n", "python"),
        ("", b"#!/usr/bin/perl\n", "text"),
        ("cu", b"int a;\0", "binary"),
        ("", b"\x7fELF\0", "binary"),
        ("h", "int a;".encode("utf-16"), "utf-16"),
        ("cu", b"", "c++"),
        ("txt", b"", "text"),
    ],
)
def test_sniff(suffix: str, head: bytes, said: str) -> None:
    assert sniff(suffix, head) == said


@settings(deadline=None)
@given(st.sampled_from(["cu", "txt", "", "h"]), st.binary(max_size=400))
def test_sniff_and_find_generated_take_any_bytes(suffix: str, head: bytes) -> None:
    said = sniff(suffix, head)
    assert said in {"cuda", "musa", "c++", "shell", "python", "text", "binary", "utf-16"}
    assert isinstance(find_generated(head), str)


@pytest.mark.parametrize(
    "head",
    [
        "// Generated by the protocol buffer compiler.  DO NOT EDIT!\n// source: a.proto\n",
        "/* A Bison parser, made by GNU Bison 3.8.2.  */\n\n/* Bison implementation\n",
        '#line 3 "lex.yy.c"\n/* A lexical scanner generated by flex */\n',
        "/****************************\n** Meta object code from reading C++ file 'a.h'\n**\n",
        "/* automatically generated by rust-bindgen 0.69.4 */\n",
        "// Copyright 2024\n// This file is auto-generated. See generate_kernels.py\n",
        "# @generated by tools/x\nimport a\n",
        "// @generated\n",
        "\ufeff// Code generated by x. DO NOT EDIT.\n",
        "/* Generated by Cython 3.0.8 */\n",
        "/*\n  This file is generated by gen.py; do not edit.\n*/\n",
    ],
)
def test_generated(head: str) -> None:
    assert find_generated(head.encode())


@pytest.mark.parametrize(
    "head",
    [
        "",
        "// Random values are generated by the kernel below.\nint a;\n",
        "// Numbers generated by cuRAND\n// do what you like\n",
        "// Please do not edit while the server runs\n",
        'const char *s = "// generated by x, do not edit";\n',
        "int a;\n// Generated by x.py. DO NOT EDIT\n",
        "// a\n// b\n// c\n// d\n// e\n// Generated by x.py. DO NOT EDIT\n",
        "// This file is not generated: do not edit the other one\n",
        "#include <a.h>\nint generated_by_moc;\n",
    ],
)
def test_not_generated(head: str) -> None:
    assert find_generated(head.encode()) == ""


# --- the walk -------------------------------------------------------------------------------------


def test_a_small_project(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "a.cu": KERNEL,
            "inc/a.h": "int a;\n",
            "CMakeLists.txt": "project(a CUDA)\n",
            "README.md": "# a\n",
            "doc/notes.txt": PROSE,
            "kernels/k.txt": CODE,
            "run": "#!/bin/sh\nnvcc a.cu\n",
        },
    )
    files = found(tmp_path)
    assert {path: file.kind for path, file in files.items()} == {
        "CMakeLists.txt": "cmake",
        "README.md": "other",
        "a.cu": "source",
        "doc/notes.txt": "other",
        "inc/a.h": "source",
        "kernels/k.txt": "source",
        "run": "shell",
    }
    assert not any(file.skip or file.failed or not file.copied for file in files.values())
    info = (tmp_path / "a.cu").stat()
    assert files["a.cu"] == Found(
        "a.cu", "source", info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino,
        info.st_mode,
    )  # fmt: skip


def test_the_order_of_the_folder_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, {f"{a}/{b}/{c}.cu": KERNEL for a in "abc" for b in "ab" for c in "xyz"})
    make(tmp_path, {"a/.gitignore": "x.cu\n", "vendor/a.cu": KERNEL, "b/CMakeFiles/a.cu": KERNEL})
    (tmp_path / "l").symlink_to("a/b/y.cu")
    expected = find_files(tmp_path, Options())
    real = os.scandir

    class Shuffled:
        def __init__(self, path: str) -> None:
            with real(path) as scan:
                self.entries = list(scan)
            random.Random(path).shuffle(self.entries)

        def __enter__(self) -> list[os.DirEntry[str]]:
            return self.entries

        def __exit__(self, *_: object) -> None:
            return None

    monkeypatch.setattr(os, "scandir", Shuffled)
    assert find_files(tmp_path, Options()) == expected


def test_one_file(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "*\n", "vendor/a.cu": KERNEL, "vendor/b.cu": KERNEL})
    files = find_files(tmp_path / "vendor" / "a.cu", Options(exclude=("*",)))
    assert [(f.path, f.kind, f.skip) for f in files] == [("a.cu", "source", "")]


@pytest.mark.parametrize("name", ["absent", "a.cu/b"])
def test_a_tree_that_is_not_there(tmp_path: Path, name: str) -> None:
    make(tmp_path, {"a.cu": KERNEL})
    with pytest.raises(SigtransError, match=r"No such file|Not a directory"):
        find_files(tmp_path / name, Options())


def test_a_tree_that_is_a_fifo(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SigtransError, match="neither a file nor a folder"):
        find_files(tmp_path / "pipe", Options())


def test_special_files_are_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.cu")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # the path of a socket is limited to 108 bytes
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock.txt")
        assert skips(tmp_path) == {"pipe": "FIFO", "pipe.cu": "FIFO", "sock.txt": "socket"}
    assert not any(file.copied for file in found(tmp_path).values())


def test_strange_names(tmp_path: Path) -> None:
    names = ["a\nb.cu", "a b.cu", "\u202ecu.a.cu", "-rf.cu", "ä.cu", "$(x).cu", "'\".cu"]
    make(tmp_path, dict.fromkeys(names, KERNEL))
    raw = os.fsencode(tmp_path) + b"/\xff\xfe.cu"
    Path(os.fsdecode(raw)).write_bytes(KERNEL)
    assert ported(tmp_path) == sorted([*names, os.fsdecode(b"\xff\xfe.cu")])


def test_size_cap(tmp_path: Path) -> None:
    make(tmp_path, {"a.cu": b"x" * 2049, "b.cu": b"x" * 2048, "c.txt": CODE + " " * 3000})
    make(tmp_path, {"d.json": b"x" * 9999})
    files = found(tmp_path, Options(max_size=2048))
    assert {p: f.skip for p, f in files.items()} == {
        "a.cu": "larger than 2 KB",
        "b.cu": "",
        "c.txt": "",
        "d.json": "",
    }
    assert files["a.cu"].copied
    assert files["c.txt"].kind == "other"


def test_render_size() -> None:
    sizes = [8 << 20, 1536, 100, 3 << 30]
    assert [render_size(n) for n in sizes] == ["8 MB", "1.5 KB", "100 bytes", "3 GB"]


def test_reasons_by_kind(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "a.mu": "musa",
            "a.png": b"\x89PNG",
            "a.ptx": ".version 7.0",
            "a.cu.bak": KERNEL,
            "a.hip": KERNEL,
            "blob": b"\0\1",
            "wide.txt": "cudaMalloc".encode("utf-16"),
            "a.pyx": 'cdef extern from "cuda_runtime.h":\n  pass\n',
            "b.pyx": "def f(): pass\n",
            "fa.def": "From: nvidia/cuda:12.4\n",
            "x.def": "From: ubuntu\n",
            "a.vcxproj": "<CudaCompile/>",
        },
    )
    files = found(tmp_path)
    language = "mentions CUDA in a language that is not ported"
    assert {p: f.skip for p, f in files.items()} == {
        "a.cu.bak": "backup copy",
        "a.hip": "HIP source, not CUDA",
        "a.mu": "already MUSA (.mu)",
        "a.png": "binary",
        "a.ptx": "compiled for NVIDIA GPUs (.ptx)",
        "a.pyx": f"{language} (Cython)",
        "a.vcxproj": f"{language} (a Visual Studio project)",
        "b.pyx": "",
        "blob": "binary",
        "fa.def": "mentions CUDA in a file of unknown kind",
        "wide.txt": "UTF-16 text",
        "x.def": "",
    }
    assert all(f.copied for f in files.values())


def test_more_suffixes(tmp_path: Path) -> None:
    make(tmp_path, {"a.tcu": "int a;", "b.xyz": "int a;"})
    assert ported(tmp_path, Options(suffixes=(".TCU",))) == ["a.tcu"]


# --- unreadable -----------------------------------------------------------------------------------


def test_unreadable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.cu": KERNEL, "closed/b.cu": KERNEL})
    real = os.scandir

    def scandir(path: str) -> object:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    files = found(tmp_path)
    assert files["closed/"].failed and files["closed/"].kind == "folder"
    assert files["closed/"].skip == "unreadable: Permission denied"
    assert not files["a.cu"].failed


def test_unreadable_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scandir(path: str) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(SigtransError, match="Permission denied"):
        find_files(tmp_path, Options())


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.cu": KERNEL, "b.cu": KERNEL, "c.txt": CODE})
    (tmp_path / "b.cu").chmod(0)
    (tmp_path / "c.txt").chmod(0)
    if as_root:  # root may read everything; the answer of the system is played
        monkeypatch.setattr(os, "access", lambda path, mode: not path.endswith(("b.cu", "c.txt")))
    files = found(tmp_path)
    for name, kind in (("b.cu", "source"), ("c.txt", "other")):
        assert files[name].kind == kind
        assert files[name].failed and files[name].skip == "unreadable: Permission denied"
        assert not files[name].copied
    assert not files["a.cu"].failed


def test_a_file_that_fails_while_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, {"a.txt": CODE, "b.txt": CODE})
    real = discover._read_head

    def read(place: str) -> bytes:
        if place.endswith("a.txt"):
            raise OSError(5, "Input/output error")
        return real(place)

    monkeypatch.setattr(discover, "_read_head", read)
    files = found(tmp_path)
    assert files["a.txt"].failed and files["a.txt"].skip == "unreadable: Input/output error"
    assert files["b.txt"].kind == "source"


def test_a_file_that_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.cu": KERNEL, "b.cu": KERNEL})
    real = os.scandir

    class Late:
        def __init__(self, path: str) -> None:
            with real(path) as scan:
                self.entries = list(scan)
            (tmp_path / "a.cu").unlink(missing_ok=True)

        def __enter__(self) -> list[os.DirEntry[str]]:
            return self.entries

        def __exit__(self, *_: object) -> None:
            return None

    monkeypatch.setattr(os, "scandir", Late)
    files = found(tmp_path)
    assert files["a.cu"].failed and files["a.cu"].skip.startswith("unreadable: No such file")
    assert not files["b.cu"].failed


# --- exclude and include --------------------------------------------------------------------------


def test_exclude_is_copied_and_not_ported(tmp_path: Path) -> None:
    make(tmp_path, {"a.cu": KERNEL, "tests/b.cu": KERNEL, "tests/c.png": b"", "x/tests.cu": KERNEL})
    files = found(tmp_path, Options(exclude=("tests/",)))
    assert {p: f.skip for p, f in files.items()} == {
        "a.cu": "",
        "tests/b.cu": "excluded (tests/)",
        "tests/c.png": "excluded (tests/)",
        "x/tests.cu": "",
    }
    assert all(file.copied for file in files.values())


def test_exclude_with_negation(tmp_path: Path) -> None:
    make(tmp_path, {"a.cu": KERNEL, "b.cu": KERNEL})
    assert ported(tmp_path, Options(exclude=("*.cu", "!a.cu"))) == ["a.cu"]


def test_exclude_wins_over_include(tmp_path: Path) -> None:
    make(tmp_path, {"vendor/a.cu": KERNEL, "vendor/b.cu": KERNEL})
    assert ported(tmp_path, Options(include=("vendor/",), exclude=("b.cu",))) == ["vendor/a.cu"]
    assert ported(tmp_path, Options(include=("b.cu",), exclude=("vendor/",))) == []


def test_include_brings_back(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            ".gitignore": "gen/\n*.tmp.cu\n",
            "gen/a.cu": KERNEL,
            "gen/b.cu": KERNEL,
            "x.tmp.cu": KERNEL,
            "third_party/ours/k.cu": KERNEL,
            "third_party/other/k.cu": KERNEL,
            "out/CMakeCache.txt": "",
            "out/k.cu": KERNEL,
        },
    )
    assert ported(tmp_path) == []
    assert ported(tmp_path, Options(include=("gen/a.cu",))) == ["gen/a.cu"]
    assert ported(tmp_path, Options(include=("*.tmp.cu",))) == ["x.tmp.cu"]
    assert ported(tmp_path, Options(include=("third_party/ours/",))) == ["third_party/ours/k.cu"]
    assert ported(tmp_path, Options(include=("out/",))) == ["out/k.cu"]
    assert ported(tmp_path, Options(include=("gen/", "!gen/b.cu"))) == ["gen/a.cu", "gen/b.cu"]


# --- folders that are left out or only copied -----------------------------------------------------


@pytest.mark.parametrize(
    "files",
    [
        {"out/CMakeCache.txt": "", "out/a.cu": KERNEL},
        {"out/CMakeFiles/a.cu": KERNEL},
        {"out/build.ninja": "", "out/.ninja_log": "", "out/a.cu": KERNEL},
        {"my_env/pyvenv.cfg": "", "my_env/lib/a.cu": KERNEL},
        {"x.egg-info/a.cu": KERNEL},
        {"__pycache__/a.cu": KERNEL},
        {"node_modules/x/a.cu": KERNEL},
        {"build/lib.linux-x86_64-cpython-311/a.cu": KERNEL, "build/temp.linux/a.cu": KERNEL},
        {"target/CACHEDIR.TAG": "", "target/a.cu": KERNEL},
    ],
)
def test_build_folders_are_one_entry_and_not_copied(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    make(tmp_path, files)
    make(tmp_path, {"keep.cu": KERNEL})
    assert ported(tmp_path) == ["keep.cu"]
    rest = [file for path, file in found(tmp_path).items() if path != "keep.cu"]
    assert len(rest) == 1
    assert rest[0].kind == "folder" and rest[0].path.endswith("/") and not rest[0].copied
    assert rest[0].skip.startswith("build folder (")


@pytest.mark.parametrize(
    "files",
    [
        {"build/a.cu": KERNEL},
        {"build/CMakeLists.txt": "", "build/a.cu": KERNEL},
        {"sub/CMakeCache.txt": "", "sub/CMakeLists.txt": "", "sub/a.cu": KERNEL},
        {"out/build.ninja": "", "out/a.cu": KERNEL},
        {"build/lib.cu": KERNEL, "build/other/x.txt": ""},
        {"CMakeCache.txt": "", "a.cu": KERNEL},
    ],
)
def test_sources_are_never_taken_for_a_build_folder(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    make(tmp_path, files)
    assert [path for path in ported(tmp_path) if path.endswith(".cu")]


def test_our_own_output_inside_the_tree_is_left_out(tmp_path: Path) -> None:
    make(tmp_path, {"out/.sigtrans/x": "", "out/a.mu": KERNEL, ".sigtrans/j": "", "a.cu": KERNEL})
    expected = {".sigtrans/": "records of sigtrans", "a.cu": "", "out/": "port made by sigtrans"}
    assert skips(tmp_path) == expected


def test_version_control_is_one_entry(tmp_path: Path) -> None:
    make(tmp_path, {".git/HEAD": "", ".hg/a.cu": KERNEL, "a/.svn/b.cu": KERNEL, "a.cu": KERNEL})
    files = found(tmp_path)
    assert sorted(files) == [".git/", ".hg/", "a.cu", "a/.svn/"]
    assert not files[".git/"].copied and files[".git/"].skip == "version control"


VENDORED = "third_party thirdparty 3rdparty external extern vendor deps Third_Party third-party"


@pytest.mark.parametrize("name", VENDORED.split())
def test_vendored_folders_are_copied_file_by_file(tmp_path: Path, name: str) -> None:
    make(tmp_path, {f"x/{name}/lib/a.cu": KERNEL, f"{name}.cu": KERNEL, "a.cu": KERNEL})
    files = found(tmp_path)
    vendored = files[f"x/{name}/lib/a.cu"]
    assert vendored.skip == f"vendored (x/{name})" and vendored.copied
    assert ported(tmp_path) == sorted(["a.cu", f"{name}.cu"])
    assert len(ported(tmp_path, Options(port_vendored=True))) == 3


def test_a_root_called_vendor_is_ported(tmp_path: Path) -> None:
    make(tmp_path / "vendor", {"a.cu": KERNEL, "b/c.cu": KERNEL})
    assert ported(tmp_path / "vendor") == ["a.cu", "b/c.cu"]


def test_submodules_and_nested_repositories(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            ".gitmodules": '[submodule "c"]\n\tpath = csrc/cutlass\n\turl = x\n'
            '[submodule "e"]\n\tpath = csrc/empty/\n',
            "csrc/cutlass/a.cu": KERNEL,
            "csrc/empty/": "",
            "csrc/own.cu": KERNEL,
            "clone/.git/HEAD": "",
            "clone/a.cu": KERNEL,
            "clone/deep/b.cu": KERNEL,
            "tree/.git": "gitdir: ../elsewhere\n",
            "tree/a.cu": KERNEL,
        },
    )
    assert {p: s for p, s in skips(tmp_path).items() if s} == {
        "clone/.git/": "version control",
        "clone/a.cu": "vendored (clone, a repository of its own)",
        "clone/deep/b.cu": "vendored (clone, a repository of its own)",
        "csrc/cutlass/a.cu": "vendored (csrc/cutlass, a submodule)",
        "csrc/empty/": "empty submodule",
        "tree/.git": "version control",
        "tree/a.cu": "vendored (tree, a repository of its own)",
    }
    assert len(ported(tmp_path, Options(port_vendored=True))) == 5


def test_submodules_seen_from_a_subfolder(tmp_path: Path) -> None:
    make(tmp_path, {".git/HEAD": "", ".gitmodules": "path = src/sub\n", "src/sub/a.cu": KERNEL})
    assert ported(tmp_path / "src") == []
    assert ported(tmp_path / "src" / "sub") == ["a.cu"]


def test_empty_folders_are_kept(tmp_path: Path) -> None:
    make(tmp_path, {"results/": "", "a.cu": KERNEL})
    entry = found(tmp_path)["results/"]
    assert (entry.kind, entry.skip, entry.copied) == ("folder", "empty folder", True)


# --- .gitignore -----------------------------------------------------------------------------------


def test_nested_files_negation_and_anchors(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            ".gitignore": "*.gen.cu\n/top.cu\nout/\ndoc/*.cu\n# a comment\n\\#x.cu\n",
            "a.gen.cu": KERNEL,
            "top.cu": KERNEL,
            "sub/top.cu": KERNEL,
            "sub/.gitignore": "!keep.gen.cu\n/b.cu\n",
            "sub/keep.gen.cu": KERNEL,
            "sub/b.cu": KERNEL,
            "sub/c/b.cu": KERNEL,
            "sub/out/x.cu": KERNEL,
            "out.cu": KERNEL,
            "doc/a.cu": KERNEL,
            "doc/x/a.cu": KERNEL,
            "#x.cu": KERNEL,
        },
    )
    assert ported(tmp_path) == [
        "doc/x/a.cu",
        "out.cu",
        "sub/c/b.cu",
        "sub/keep.gen.cu",
        "sub/top.cu",
    ]
    files = found(tmp_path)
    assert files["a.gen.cu"].skip == "ignored by .gitignore (*.gen.cu)"
    assert files["a.gen.cu"].copied, "no repository says that it is not part of the project"
    assert files["sub/out/"].kind == "folder" and not files["sub/out/"].copied
    assert len(ported(tmp_path, Options(respect_gitignore=False))) == 11


def test_crlf_and_byte_order_mark_in_gitignore(tmp_path: Path) -> None:
    make(
        tmp_path, {".gitignore": "\ufeffa.cu\r\nb.cu  \r\nc.cu", "a.cu": "", "b.cu": "", "c.cu": ""}
    )
    assert ported(tmp_path) == []


def test_info_exclude(tmp_path: Path) -> None:
    make(tmp_path, {".git/info/exclude": "a.cu\nb.cu\n", ".gitignore": "!b.cu\n"})
    make(tmp_path, {"a.cu": KERNEL, "b.cu": KERNEL, "sub/a.cu": KERNEL})
    assert ported(tmp_path) == ["b.cu"]
    assert skips(tmp_path)["a.cu"] == "ignored by .git/info/exclude (a.cu)"


def test_parents_up_to_the_repository_apply(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            ".gitignore": "e.cu\n",
            "repo/.git/HEAD": "",
            "repo/.git/info/exclude": "d.cu\n",
            "repo/.gitignore": "a.cu\n/src/tree/b.cu\nsrc/*.cu\n",
            "repo/src/.gitignore": "tree/c.cu\n",
            **{f"repo/src/tree/{name}.cu": KERNEL for name in "abcdef"},
        },
    )
    assert ported(tmp_path / "repo" / "src" / "tree") == ["e.cu", "f.cu"]


@pytest.mark.parametrize("pattern", ["*", "mine", "/mine/", "mine/**", "/mine/src"])
def test_a_tree_that_is_ignored_itself_was_asked_for(tmp_path: Path, pattern: str) -> None:
    make(tmp_path, {".git/HEAD": "", ".gitignore": pattern + "\n"})
    make(tmp_path, {"mine/src/a.cu": KERNEL, "mine/src/b/c.cu": KERNEL})
    assert ported(tmp_path / "mine" / "src") == ["a.cu", "b/c.cu"]


@needs_git
@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_tracked_files_are_not_ignored(tmp_path: Path, version: str) -> None:
    make(
        tmp_path,
        {
            ".gitignore": "gen/\n*.tmp.cu\n",
            "gen/tracked.cu": KERNEL,
            "gen/untracked.cu": KERNEL,
            "gen/deep/tracked.cu": KERNEL,
            "gen/other/x.cu": KERNEL,
            "tracked.tmp.cu": KERNEL,
            "untracked.tmp.cu": KERNEL,
            "intent.tmp.cu": KERNEL,
            "a.cu": KERNEL,
        },
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-f", "gen/tracked.cu", "gen/deep/tracked.cu", "tracked.tmp.cu", "a.cu")
    git(tmp_path, "update-index", "--index-version", "4" if version == "4" else "2")
    expected = ["a.cu", "gen/deep/tracked.cu", "gen/tracked.cu", "tracked.tmp.cu"]
    if version == "3":  # an extended entry is what makes git write version 3
        git(tmp_path, "add", "-f", "-N", "intent.tmp.cu")
        expected.insert(3, "intent.tmp.cu")
    assert (tmp_path / ".git" / "index").read_bytes()[7] == int(version)
    assert ported(tmp_path) == expected
    assert skips(tmp_path)["gen/untracked.cu"] == "ignored by .gitignore (gen/)"
    assert not found(tmp_path)["gen/other/"].copied
    assert ported(tmp_path / "gen") == [
        "deep/tracked.cu",
        "other/x.cu",
        "tracked.cu",
        "untracked.cu",
    ]


@pytest.mark.parametrize("index", [b"", b"DIRC", b"DIRC\0\0\0\2\0\0\xff\xff" + b"x" * 99])
def test_a_broken_index_only_costs_its_knowledge(tmp_path: Path, index: bytes) -> None:
    make(tmp_path, {".git/index": index, ".gitignore": "a.cu\n", "a.cu": KERNEL, "b.cu": KERNEL})
    assert ported(tmp_path) == ["b.cu"]


@needs_git
def test_work_trees_and_submodules_have_their_index_elsewhere(tmp_path: Path) -> None:
    main = make(tmp_path / "main", {".gitignore": "*.tmp.cu\n", "a.tmp.cu": KERNEL})
    git(main, "init", "-q")
    git(main, "add", "-f", ".")
    git(main, "commit", "-q", "-m", "a")
    git(main, "worktree", "add", "-q", "../tree")
    make(tmp_path, {"main/.git/info/exclude": "b.cu\n", "tree/b.cu": KERNEL, "tree/c.cu": KERNEL})
    assert ported(tmp_path / "tree") == ["a.tmp.cu", "c.cu"]


# git itself is the authority: random patterns over a tree made to be confusing.
CONFUSING = [
    "abc/a/b/a", "a.b", ".a", "a/b/ab", "a/ab", "a/a/a", "b/a", "b/a.b", "ab/a", "ab/ab/ab",
    "x[a]", "x\\a", "'a", "!a", "#a", "a-b", "b/-a", "b/]", "b/a]b", "b/,", "c/^a", "c/!a",
    "d/a*b", "d/a?b", "e/.a/b", "z/a/b/a/b", "a ", "zab/a", "zab/y/a",
]  # fmt: skip
PIECES = st.sampled_from(
    ["a", "b", "ab", "c", "*", "**", "?", "/", "/", "[", "]", "[a]", "[!a]", "[^a-b]", "[a-c]",
     "[]a]", "[[:alpha:]]", "[[:punct:]]", "[:", "!", "\\", "\\a", " ", ".", "-", "#", "**/", "/**",
     "/**/", "a/", "é", "^", "x"]
)  # fmt: skip
LINES = st.lists(st.lists(PIECES, min_size=1, max_size=6).map("".join), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def confusing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("confusing")
    make(root, dict.fromkeys(CONFUSING, KERNEL))
    git(root, "init", "-q")
    return root


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    text = "\0".join(paths).encode() + b"\0"
    output = git(root, "check-ignore", "--no-index", "--stdin", "-z", text=text)
    return {name.decode() for name in output.split(b"\0") if name}


def check_against_git(root: Path, files: Mapping[str, list[str]]) -> None:
    for name, lines in files.items():
        make(root, {name: "\n".join(lines) + "\n"})
    try:
        every = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()]
        every = [p for p in every if not p.startswith(".git/")]
        mine = found(root)
        kept = {path for path, file in mine.items() if not file.skip.startswith("ignored")}
        assert {p for p in every if p not in kept} == ignored_by_git(root, every)
    finally:
        for name in files:
            (root / name).unlink()


@needs_git
@settings(max_examples=150, deadline=None)
@given(lines=LINES, nested=LINES, parent=st.sampled_from(["", "a/", "ab/ab/"]))
def test_gitignore_means_what_git_says(
    confusing: Path, lines: list[str], nested: list[str], parent: str
) -> None:
    check_against_git(confusing, {".gitignore": lines, f"{parent}.gitignore": nested})


@needs_git
@pytest.mark.parametrize(
    "line",
    ["a**/b", "a/**", "**/a", "/**/a", "a/**/b", "**", "/*", "!/a", "a**b", "x[[]a]", "x\\[a]",
     "\\!a", "\\#a", "a\\", "[a", "a\\ ", "a ", "a/ ", "b/[]]", "b/[]-a]", "b/[a-]", "[[:bogus:]]",
     "c/[\\^]a", "c/[!^]a", "***", "a/***/b", "**/**/b", "z/**/b", "/", "//", "!", "a//b", "./a",
     "b/[,-/]a", "zab**/a", "za**/y/a", "d/a\\*b", "*/", "**/", "a/*/", "abc/**/a", "[!/]b",
     "a[/]b", "a?b"]
)  # fmt: skip
def test_known_corners_of_gitignore(confusing: Path, line: str) -> None:
    check_against_git(confusing, {".gitignore": [line]})
    check_against_git(confusing, {".gitignore": ["*", "!*/", "!" + line]})


@pytest.mark.parametrize(
    "pattern", ["*a" * 40 + "*b", "/" + "*a" * 40 + "*b", "x/" + "*[a-c]" * 40]
)
def test_no_pattern_hangs(pattern: str) -> None:
    assert not Patterns((pattern,)).matches("a" * 250)
    assert not Patterns((pattern,)).matches("x/" + "a" * 39)


def test_a_question_mark_is_one_character_and_not_one_byte() -> None:
    assert Patterns(("?.cu",)).matches("é.cu")
    assert Patterns(("[!a].cu",)).matches("é.cu")


@settings(deadline=None)
@given(st.text(alphabet="ab*?[]!\\/ -^:.", max_size=12), st.text(alphabet="ab/.-", max_size=8))
def test_any_pattern_can_be_asked(pattern: str, path: str) -> None:
    patterns = Patterns((pattern,))
    assert patterns.matches(path) in (True, False)
    assert Patterns((pattern, "!*")).matches(path.replace("/", "")) is False


# --- links ----------------------------------------------------------------------------------------


def test_links(tmp_path: Path) -> None:
    tree = make(tmp_path / "tree", {"a.cu": KERNEL, "sub/b.cu": KERNEL})
    make(tmp_path, {"outside.cu": KERNEL, "folder/c.cu": KERNEL})
    targets = {
        "file.cu": "a.cu",
        "chain.cu": "file.cu",
        "absolute.cu": str(tree / "a.cu"),
        "sub/up.cu": "../a.cu",
        "folder": "sub",
        "sub/round": "..",
        "out.cu": "../outside.cu",
        "outfolder": "../folder",
        "through.cu": "../tree/a.cu",
        "gone.cu": "absent.cu",
        "self.cu": "self.cu",
    }
    for name, target in targets.items():
        (tree / name).symlink_to(target)
    files = found(tree)
    links = {p: (f.target, f.skip, f.copied) for p, f in files.items() if f.kind == "link"}
    assert links == {
        "absolute.cu": ("a.cu", "", True),
        "chain.cu": ("a.cu", "", True),
        "file.cu": ("a.cu", "", True),
        "folder": ("sub", "", True),
        "gone.cu": ("", "symbolic link to nothing", False),
        "out.cu": ("", "symbolic link out of the tree", False),
        "outfolder": ("", "symbolic link out of the tree", False),
        "self.cu": ("", "symbolic link in a circle", False),
        "sub/round": (".", "", True),
        "sub/up.cu": ("a.cu", "", True),
        "through.cu": ("a.cu", "", True),
    }
    assert ported(tree) == ["a.cu", "sub/b.cu"]
    assert stat.S_ISLNK(files["file.cu"].mode)


def test_a_link_to_what_is_left_out(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "x.cu\n", "x.cu": KERNEL, "out/CMakeCache.txt": "", "out/a": ""})
    git(tmp_path, "init", "-q")
    (tmp_path / "l.cu").symlink_to("x.cu")
    (tmp_path / "m").symlink_to("out/a")
    (tmp_path / "n").symlink_to("out")
    files = found(tmp_path)
    for name in ("l.cu", "m", "n"):
        assert files[name].skip == "symbolic link to something left out"
        assert not files[name].copied


def test_a_root_that_is_a_link(tmp_path: Path) -> None:
    make(tmp_path / "tree", {"a.cu": KERNEL})
    (tmp_path / "tree" / "l.cu").symlink_to("a.cu")
    (tmp_path / "link").symlink_to("tree")
    assert found(tmp_path / "link") == found(tmp_path / "tree")
    (tmp_path / "one.cu").symlink_to("tree/a.cu")
    assert list(found(tmp_path / "one.cu")) == ["one.cu"]


def test_hard_links_are_files(tmp_path: Path) -> None:
    make(tmp_path, {"a.cu": KERNEL})
    os.link(tmp_path / "a.cu", tmp_path / "b.cu")
    files = found(tmp_path)
    assert ported(tmp_path) == ["a.cu", "b.cu"]
    assert files["a.cu"].inode == files["b.cu"].inode


def test_very_deep_trees(tmp_path: Path) -> None:
    make(tmp_path, {"/".join(["d"] * 900) + "/a.cu": KERNEL})
    assert len(ported(tmp_path)) == 1


# --- compile_commands.json ------------------------------------------------------------------------


def commands(tree: Path, *entries: object) -> Path:
    path = tree / "compile_commands.json"
    path.write_text(json.dumps(entries))
    return path


def test_compile_commands(tmp_path: Path) -> None:
    tree = make(tmp_path / "tree", {"a.cu": KERNEL, "b.txt": "int a;", "src/c.cpp": ""})
    make(tree, {"build/inc.rsp": '-I"/deep one" -isystem sys -DFROM_RSP'})
    folder = str(tree / "build")
    path = commands(
        tree,
        {"directory": folder, "file": "../a.cu", "command": "nvcc -I../inc -DN=1 -D M '-DS=\"x y\"'"
         " --options-file inc.rsp -I /abs -c ../a.cu"},
        {"directory": folder, "file": str(tree / "b.txt"), "arguments": ["clang++", "-x", "cuda"]},
        {"directory": folder, "file": "../src/c.cpp", "command": "c++ -isystem=/s -iquote q -c"},
        {"directory": folder, "file": "/elsewhere/d.cu", "command": "nvcc"},
        {"directory": folder, "file": "../a.cu", "command": "nvcc -DN=1 -DSECOND"},
    )  # fmt: skip
    read = load_compile_commands(path, tree)
    assert read.outside == 1
    assert read.files == {
        "a.cu": CompileCommand(
            "cuda",
            (str(tree / "inc"), "/deep one", f"{folder}/sys", "/abs"),
            ("N=1", "M", 'S="x y"', "FROM_RSP", "SECOND"),
            True,
        ),
        "b.txt": CompileCommand("cuda", (), (), True),
        "src/c.cpp": CompileCommand("c++", ("/s", f"{folder}/q"), (), False),
    }
    assert load_compile_commands(tree, tree) == read  # the folder will do
    assert ported(tree, Options(compile_commands=path)) == ["a.cu", "b.txt", "src/c.cpp"]
    assert ported(tree) == ["a.cu", "src/c.cpp"]


@pytest.mark.parametrize("option", ["-xcu", "-x=cu", "--x=cu", "--language=cu"])
def test_language_options(tmp_path: Path, option: str) -> None:
    path = commands(tmp_path, {"file": str(tmp_path / "a.cpp"), "arguments": ["nvcc", option]})
    assert load_compile_commands(path, tmp_path).files["a.cpp"].is_cuda


def test_a_response_file_that_names_itself_ends(tmp_path: Path) -> None:
    make(tmp_path, {"r.rsp": "@r.rsp -DA"})
    entry = {"directory": str(tmp_path), "file": "a.cu", "command": "nvcc @r.rsp"}
    assert load_compile_commands(commands(tmp_path, entry), tmp_path).files["a.cu"].defines == (
        "A",
    )


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[\n{,\n]", "compile_commands.json, line 2, column 2: not JSON"),
        ("{}", "expected a list"),
        ("[1]", "entry 1: expected an object"),
        ('[{"file": "a"}]', "entry 1: no 'command'"),
        ('[{"directory": "/"}]', "entry 1: no 'file'"),
        ('[{"file": 1, "command": ""}]', "entry 1: 'file' and 'directory' must be strings"),
        ('[{"file": "a", "command": 3}]', "entry 1: 'command' must be a string"),
        ('[{"file": "a", "arguments": "x"}]', "entry 1: 'arguments' must be a list"),
        ('[{"file": "a", "command": "x \'"}]', "entry 1: No closing quotation"),
        ('[{"file": "a\\u0000", "command": "x"}]', "entry 1: "),
        ("[" * 100_000, "not JSON"),
        ("\xff", "not JSON"),
    ],
)
def test_bad_compile_commands(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SigtransError) as caught:
        load_compile_commands(path, tmp_path)
    assert part in str(caught.value)
    assert "CMAKE_EXPORT_COMPILE_COMMANDS" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_absent_compile_commands(tmp_path: Path) -> None:
    with pytest.raises(SigtransError, match="No such file"):
        load_compile_commands(tmp_path / "x.json", tmp_path)


# --- cost -----------------------------------------------------------------------------------------


def test_files_with_a_telling_name_are_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(
        tmp_path, {"a.cu": KERNEL, "b.h": "", "c.png": b"", "d.json": "", "e.py": "", "f.txt": CODE}
    )
    opened: list[str] = []
    real: Callable[..., int] = os.open

    def watch(path: str, flags: int, *rest: int) -> int:
        opened.append(Path(path).name)
        return real(path, flags, *rest)

    monkeypatch.setattr(os, "open", watch)
    find_files(tmp_path, Options())
    assert opened == ["f.txt"]
