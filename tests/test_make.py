"""Makefiles: before and after, what must stay as it is, and what is said."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from porting import check_edits, check_settled, mutants

from sigtrans.passes import BuildContext, make
from sigtrans.source import Findings, SourceFile, apply

RENAMED = {
    "a.cu": "a.mu",
    "src/k.cu": "src/k.mu",
    "src/k.cuh": "src/k.muh",
}
NEW = BuildContext(("mp_31",), "5.2", RENAMED)
TWO = BuildContext(("mp_22", "mp_31"), "5.2", RENAMED)
RUNTIME = " -L/usr/local/musa/lib -lmusart"


def port(text: str, context: BuildContext = NEW, path: str = "Makefile") -> tuple[str, Findings]:
    file = SourceFile(path, text.encode())
    findings = make.find(file, context)
    applied = apply(file.data, findings.edits)
    assert not applied.refused
    return applied.data.decode(), findings


def raw(data: bytes) -> Findings:
    """What the pass says without the look whether the file calls mcc, or is about CUDA at all."""
    return make.port_lines(make.make_job(SourceFile("Makefile", data), NEW))


def codes(findings: Findings) -> list[str]:
    return [diagnostic.code for diagnostic in findings.diagnostics]


AFTER = {
    "compiler": ("NVCC ?= nvcc\n", "NVCC ?= mcc\n"),
    "compiler in a folder": (
        "CUDA_PATH := /usr/local/cuda\nNVCC := $(CUDA_PATH)/bin/nvcc -ccbin $(HOST_COMPILER)\n",
        "CUDA_PATH := /usr/local/musa\nNVCC := $(CUDA_PATH)/bin/mcc\n",
    ),
    "compiler under another name": (
        "CC = /usr/local/cuda/bin/nvcc\na.o: a.cu\n\t$(CC) -G -arch=sm_70 -c a.cu\n",
        "CC = /usr/local/musa/bin/mcc\na.o: a.mu\n\t$(CC) -g --offload-arch=mp_31 -c a.mu\n",
    ),
    "compiler looked for": ("NVCC := $(shell which nvcc)\n", "NVCC := $(shell which mcc)\n"),
    "flags": (
        "NVCCFLAGS := -O3 -gencode arch=compute_70,code=sm_70 "
        "-gencode=arch=compute_80,code=sm_80 -Xcompiler -fPIC\n",
        "NVCCFLAGS := -O3 --offload-arch=mp_31 -fPIC\n",
    ),
    "flags over lines": (
        "NVCCFLAGS = -O3 \\\n  --expt-relaxed-constexpr \\\n  -lineinfo \\\n"
        "  --extended-lambda\nX = 1\n",
        "NVCCFLAGS = -O3 \\\n  -gline-tables-only\nX = 1\n",
    ),
    "flags in a quoted list": (
        'NVCCFLAGS += -Xcompiler "-fPIC -Wall"\n',
        "NVCCFLAGS += -fPIC -Wall\n",
    ),
    "flags added before each": (
        "ALL_NVCCFLAGS := $(NVCCFLAGS) $(addprefix -Xcompiler ,$(CCFLAGS))\n",
        "ALL_NVCCFLAGS := $(NVCCFLAGS) $(CCFLAGS)\n",
    ),
    "flags of a loop": (
        "$(foreach sm,$(SMS),$(eval GENCODE_FLAGS += -gencode arch=compute_$(sm),code=sm_$(sm)))\n",
        "$(foreach sm,$(SMS),$(eval GENCODE_FLAGS += --offload-arch=mp_31))\n",
    ),
    "flags of a condition": (
        "NVCCFLAGS += $(if $(DEBUG),-G -O0,-lineinfo)\n",
        "NVCCFLAGS += $(if $(DEBUG),-g -O0,-gline-tables-only)\n",
    ),
    "flags by way of another variable": (
        "EXTRA = -G\nFLAGS = $(EXTRA) -O2\na.o: a.cu\n\t$(NVCC) -arch=sm_80 $(FLAGS) -c a.cu\n",
        "EXTRA = -g\nFLAGS = $(EXTRA) -O2\na.o: a.mu\n"
        "\t$(NVCC) --offload-arch=mp_31 $(FLAGS) -c a.mu\n",
    ),
    "flags before a comment": (
        "NVCCFLAGS = -G # -G is for debugging with nvcc\n",
        "NVCCFLAGS = -g # -G is for debugging with nvcc\n",
    ),
    "conditional lines with a tab": (
        "ifeq ($(dbg),1)\n\tNVCCFLAGS += -G\nelse\n\tNVCCFLAGS += --extended-lambda\nendif\n",
        "ifeq ($(dbg),1)\n\tNVCCFLAGS += -g\nelse\n\tNVCCFLAGS +=\nendif\n",
    ),
    "recipe": (
        "a.o: a.cu\n\tnvcc -arch=sm_70 -Xptxas -v -c a.cu -o a.o\n",
        "a.o: a.mu\n\tmcc --offload-arch=mp_31 -c a.mu -o a.o\n",
    ),
    "recipe whose first option goes": (
        "a.o: a.cu\n\tnvcc -Xptxas -v -c a.cu -o a.o\n",
        "a.o: a.mu\n\tmcc --offload-arch=mp_31 -c a.mu -o a.o\n",
    ),
    "neighbours that go, at the start of a line": (
        "NVCCFLAGS = -O3 \\\n  --expt-relaxed-constexpr --expt-extended-lambda -g\n",
        "NVCCFLAGS = -O3 \\\n   -g\n",
    ),
    "clang's command, as far as mcc takes it": (
        "a: x\n\tclang++ --cuda-gpu-arch=sm_70 a.cc -lcudart_static\n",
        "a: x\n\tclang++ --offload-arch=mp_31 a.cc -lmusart\n",
    ),
    "include folder of the toolkit": (
        "CXXFLAGS = -I/usr/local/cuda/targets/x86_64-linux/include "
        "-I$(CUDA_HOME)/targets/x86_64-linux/include\n",
        "CXXFLAGS = -I/usr/local/musa/include -I$(CUDA_HOME)/include\n",
    ),
    "flags of a variable with any name": (
        "X = --diag-suppress=20012 -dlto -O2\nY = cuda\n",
        "X = -O2\nY = cuda\n",
    ),
    "recipe over lines": (
        "a.o: a.cu\n\t@$(NVCC) -arch=sm_70 \\\n\t\t-rdc=false \\\n\t\t-c $< -o $@\n",
        "a.o: a.mu\n\t@$(NVCC) --offload-arch=mp_31 \\\n\t\t-c $< -o $@\n",
    ),
    "recipe with other commands": (
        "a: a.o\n\tcd x && gcc -G -c y.c; nvcc -G -arch=sm_70 -c a.cu\n",
        "a: a.o\n\tcd x && gcc -G -c y.c; mcc -g --offload-arch=mp_31 -c a.mu\n",
    ),
    "recipe behind a semicolon": (
        "a.o: a.cu ; nvcc -arch=sm_70 -c a.cu\n",
        "a.o: a.mu ; mcc --offload-arch=mp_31 -c a.mu\n",
    ),
    "architecture that nvcc chose": (
        "a.o: a.cu\n\tnvcc -c a.cu\n",
        "a.o: a.mu\n\tmcc --offload-arch=mp_31 -c a.mu\n",
    ),
    "link": (
        "a: a.o\n\t$(NVCC) a.o -o a\n",
        f"a: a.o\n\t$(NVCC) a.o -o a{RUNTIME}\n",
    ),
    "link with the folder known": (
        "CUDA_HOME = /usr/local/cuda\na: a.o\n\t$(NVCC) a.o -o a # done\n",
        "CUDA_HOME = /usr/local/musa\na: a.o\n"
        "\t$(NVCC) a.o -o a -L$(CUDA_HOME)/lib -lmusart # done\n",
    ),
    "link that names the runtime": (
        "LIBS = -lcudart\na: a.o\n\t$(NVCC) a.o $(LIBS) -o a\n",
        "LIBS = -lmusart\na: a.o\n\t$(NVCC) a.o $(LIBS) -o a\n",
    ),
    "link by the host": (
        "a: a.o\n\tg++ a.o -L$(CUDA_PATH)/lib64 -lcudart -lcublas -o a\n",
        "a: a.o\n\tg++ a.o -L$(CUDA_PATH)/lib -lmusart -lmublas -o a\n",
    ),
    "language": (
        "b.o: b.cpp\n\tnvcc -arch=sm_70 -x cu -c b.cpp\n",
        "b.o: b.cpp\n\tmcc --offload-arch=mp_31 -x musa -c b.cpp\n",
    ),
    "pattern rule": (
        "%.o: %.cu\n\t$(NVCC) $(NVCCFLAGS) -arch=sm_70 -c $< -o $@\n",
        "%.o: %.mu\n\t$(NVCC) $(NVCCFLAGS) --offload-arch=mp_31 -c $< -o $@\n",
    ),
    "suffix rule": (
        ".SUFFIXES: .cu .o\n.cu.o:\n\t$(NVCC) -arch=sm_70 -c $<\n",
        ".SUFFIXES: .mu .o\n.mu.o:\n\t$(NVCC) --offload-arch=mp_31 -c $<\n",
    ),
    "lists of files": (
        "SRC := a.cu src/k.cu\nOBJ := $(SRC:.cu=.o) $(patsubst %.cu,%.cu.o,$(wildcard src/*.cu))\n",
        "SRC := a.mu src/k.mu\nOBJ := $(SRC:.mu=.o) $(patsubst %.mu,%.mu.o,$(wildcard src/*.mu))\n",
    ),
    "headers": ("a.o: src/k.cuh $(D)/k.cuh\n", "a.o: src/k.muh $(D)/k.muh\n"),
    "define": (
        "define RULE\n$(1).o: $(1).cu\n\t$(NVCC) -arch=sm_70 -c $$<\nendef\n",
        "define RULE\n$(1).o: $(1).mu\n\t$(NVCC) --offload-arch=mp_31 -c $$<\nendef\n",
    ),
    "folders": (
        "INC = -I/usr/local/cuda-11.8/include\nLIB = -L${CUDA_HOME}/lib64/stubs\n",
        "INC = -I/usr/local/musa/include\nLIB = -L${CUDA_HOME}/lib\n",
    ),
    "exported folder": (
        "export CUDA_HOME=/usr/local/cuda\n",
        "export CUDA_HOME=/usr/local/musa\n",
    ),
    "variable of a target": ("a.o: NVCCFLAGS += -G\n", "a.o: NVCCFLAGS += -g\n"),
}

SAME = {
    "comments": "# nvcc -G a.cu -lcudart /usr/local/cuda\nX = 1 # nvcc a.cu\n",
    "messages": '$(info nvcc not found)\n$(warning needs nvcc)\nall:\n\t@echo "no nvcc for CUDA"\n',
    "echo": "all:\n\techo nvcc -G\n\t@printf 'nvcc'\n",
    "names of the project": "USE_CUDA := 1\nCUDA_OBJ = x.o\nifeq ($(USE_CUDA),1)\nendif\n",
    "words that only look like it": "X = my_nvcc nvcc_helper.o nvcc.o cuda.txt a.custom\n",
    "the host's flags": "CFLAGS = -G -time -O2\nx.o: x.c\n\t$(CC) $(CFLAGS) -c x.c # no cuda\n",
    "the host's libraries": "LDFLAGS = -lcudax -L/opt/cudalib\n",
    "other suffixes": "OBJ = $(SRC:%=%.cu_o) x.cubin_list\n",
    "no file": "",
}

SAID = {
    "version": ("V := $(shell nvcc --version | grep release)\n", ["SIG701"]),
    "version test": ("ifeq ($(NVCC_VERSION),11)\nendif\n", ["SIG701"]),
    "architecture list": ("ARCH ?= sm_75 # for nvcc\n", ["SIG702"]),
    "folder from the environment": ("CUDA_PATH ?= /usr/local/cuda\n", ["SIG722"]),
    "PTX": ("%.ptx: a.x\n\t$(NVCC) -ptx $< -arch=sm_70\n", ["SIG723", "SIG717"]),
    "clang": ("a: x\n\tclang++ --cuda-gpu-arch=sm_70 a.cc\n", ["SIG724"]),
    "architecture added": ("a.o:\n\tnvcc -c a.cc\n", ["SIG725"]),
    "runtime added": ("a:\n\tnvcc a.o -o a\n", ["SIG721"]),
    "unknown file": ("X = gone.cu\n", ["SIG706"]),
    "tool": ("a:\n\tcuda-memcheck ./a\n", ["SIG712"]),
    "folder of the toolkit": ("S = /usr/local/cuda/samples/common\n", ["SIG712"]),
    "cuDNN": ("LIBS = -lcudnn -lcudart\n", ["SIG719"]),
    "relocatable": ("NVCCFLAGS = -rdc=true -arch=sm_70\n", ["SIG718"]),
}


@pytest.mark.parametrize(("before", "after"), AFTER.values(), ids=AFTER)
def test_after(before: str, after: str) -> None:
    assert port(before)[0] == after


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_same(text: str) -> None:
    after, findings = port(text)
    assert after == text
    assert findings.diagnostics == ()


@pytest.mark.parametrize(("text", "expected"), SAID.values(), ids=SAID)
def test_said(text: str, expected: list[str]) -> None:
    findings = port(text)[1]
    assert codes(findings) == expected
    assert all(diagnostic.help for diagnostic in findings.diagnostics)


def test_several_targets() -> None:
    assert port("NVCCFLAGS = -arch=sm_80\n", TWO)[0] == (
        "NVCCFLAGS = --offload-arch=mp_22 --offload-arch=mp_31\n"
    )


def test_an_architecture_behind_a_condition_is_not_enough() -> None:
    text = "ifdef SM\nF = -arch=sm_$(SM)\nendif\na.o: a.cc\n\t$(NVCC) $(F) -c a.cc\n"
    after = port(text)[0]
    assert "\t$(NVCC) --offload-arch=mp_31 $(F) -c a.cc\n" in after


def test_a_file_that_calls_mcc_is_left_alone() -> None:
    text = "MCC = mcc\nX = nvcc\na.o: a.cu\n\tnvcc -G a.cu\n"
    after, findings = port(text)
    assert after == text
    assert codes(findings) == ["SIG714"]


def test_names_are_relative_to_the_file_s_own_folder() -> None:
    assert port("X = k.cu k.cuh ../a.cu\n", path="src/rules.mk")[0] == "X = k.mu k.muh ../a.mu\n"


def test_nothing_is_renamed_when_files_keep_their_names() -> None:
    after, findings = port(
        "a.o: a.cu\n\tnvcc -arch=sm_70 -c a.cu\n", BuildContext(("mp_31",), "5.2")
    )
    assert after == "a.o: a.cu\n\tmcc --offload-arch=mp_31 -c a.cu\n"
    assert "SIG706" in codes(findings), "mcc takes a .cu file for CUDA"


def test_crlf_stays() -> None:
    before = "NVCC = nvcc\r\nF = -O3 \\\r\n  -lineinfo\r\na: a.o\r\n\t$(NVCC) a.o\r\n"
    after = port(before)[0]
    assert after.count("\n") == after.count("\r\n")
    assert "NVCC = mcc\r\n" in after
    assert after.endswith(f"a.o{RUNTIME}\r\n")


def test_bytes_that_are_no_text_stay() -> None:
    data = b"# \xb0\xa1\xff\nNVCCFLAGS = -G -D\xe9\n"
    after = apply(data, make.find(SourceFile("Makefile", data), NEW).edits).data
    assert after == b"# \xb0\xa1\xff\nNVCCFLAGS = -g -D\xe9\n"


# --- laws ------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        "nvcc",
        "$(",
        "${",
        ")",
        "}",
        '"',
        "'",
        "\n",
        "\n\t",
        "\\\n",
        "#",
        ";",
        ":",
        "=",
        " && ",
        "\0",
        ".cu",
        " -gencode ",
        "\xff",
        "\r\n",
        "endif\n",
        "define X\n",
        "$(NVCC) ",
        " -Xcompiler ",
    ]
)


SAMPLES = [*(before for before, _ in AFTER.values()), *(text for text, _ in SAID.values())]


@settings(max_examples=300, deadline=None)
@given(mutants(SAMPLES, PIECES))
def test_whatever_the_input_edits_fit_and_twice_is_once(data: bytes) -> None:
    make.find(SourceFile("Makefile", data), NEW)
    check_edits(data, raw)


@pytest.mark.parametrize("before", [b for b, _ in AFTER.values()], ids=list(AFTER))
def test_twice_is_once(before: str) -> None:
    after, findings = port(before)
    check_settled(after.encode(), findings, raw)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("before", [b for b, _ in AFTER.values()], ids=list(AFTER))
def test_make_reads_what_was_written(before: str, tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(port(before)[0] + "\nsigtrans-nothing:\n")
    done = subprocess.run(
        ["make", "-n", "sigtrans-nothing"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_variable_of_cudas_in_a_recipe_is_said() -> None:
    _, findings = port("all:\n\tCUDA_VISIBLE_DEVICES=0 ./app\n")
    assert [d.code for d in findings.diagnostics] == ["SIG712"]


def test_a_list_of_library_names_is_said() -> None:
    _, findings = port("LIBS = cudart cublas\nall:\n\tg++ a.o $(addprefix -l,$(LIBS))\n")
    assert [d.code for d in findings.diagnostics] == ["SIG712"]
