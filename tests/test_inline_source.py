"""CUDA source in Python strings that load_inline compiles."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from porting import port_tree, table, texts

from sigtrans.passes.inline_source import find
from sigtrans.passes.pipeline import Port
from sigtrans.plan import Settings
from sigtrans.source import Findings, SourceFile, apply

HEAD = "from torch.utils.cpp_extension import load_inline\n"
PORTED = "from torch_musa.utils.musa_extension import load_inline\n"
SOURCE = "\n#include <cuda_runtime.h>\n__global__ void k(float *p) { p[0] = 1; }\n"
MUSA = SOURCE.replace("cuda_runtime", "musa_runtime")


def port_python(tmp_path: Path, text: str) -> tuple[str, set[str]]:
    drafted = port_tree(tmp_path, {"a.py": text}, Settings(jobs=1))
    (file,) = (f for f in drafted.plan.files if f.path == "a.py")
    return texts(drafted).get("a.py", text), {d.code for d in file.diagnostics}


CALL = "load_inline('m', '', cuda_sources=[s])\n"
MOVED = CALL.replace("cuda", "musa")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"s = '''{SOURCE}'''\n{CALL}", f"s = '''{MUSA}'''\n{MOVED}"),
        (
            f'load_inline("m", cuda_sources="""{SOURCE}""")\n',
            f'load_inline("m", musa_sources="""{MUSA}""")\n',
        ),
        (f"s = r'''{SOURCE}// \\n'''\n{CALL}", f"s = r'''{MUSA}// \\n'''\n{MOVED}"),
        (
            f"c = '''void f(torch::Tensor x) {{ TORCH_CHECK(x.is_cuda()); }}'''\n{CALL}",
            f"c = '''void f(torch::Tensor x) {{ TORCH_CHECK(x.is_privateuseone()); }}'''\n{MOVED}",
        ),
    ],
    ids=["variable", "argument", "raw", "host"],
)
def test_source_as_it_stands_is_ported(tmp_path: Path, before: str, after: str) -> None:
    got, codes = port_python(tmp_path, HEAD + before)
    assert got == PORTED + after
    assert "SIG741" not in codes and "SIG172" in codes


@pytest.mark.parametrize(
    "string",
    [
        f"f'''{SOURCE.replace('{', '{{').replace('}', '}}')}'''",
        f"'''{SOURCE}''' % n",
        f"'''{SOURCE}'''.replace('a', n)",
        f"'''{SOURCE}''' + tail",
        f"head + '''{SOURCE}'''",
        f"'''{SOURCE}#define A \\\\\n 1\n'''",
        f"'''{SOURCE}''' '''more'''",
        "'''__global__ void k() { nvtxRangePop(); cudaFree(0); }'''",
    ],
    ids=["f", "percent", "method", "plus", "after-plus", "escape", "joined", "needs-a-helper"],
)
def test_source_that_is_made_at_run_time_is_reported(tmp_path: Path, string: str) -> None:
    got, codes = port_python(tmp_path, f"{HEAD}s = {string}\n{CALL}")
    assert got == f"{PORTED}s = {string}\n{MOVED}"
    assert "SIG741" in codes and "SIG172" not in codes


def test_other_files_keep_their_strings(tmp_path: Path) -> None:
    text = f"import pycuda\ns = '''{SOURCE}'''\n"
    got, codes = port_python(tmp_path, text)
    assert got == text and "SIG741" in codes


def test_what_is_said_about_the_source_has_its_place_in_the_file(tmp_path: Path) -> None:
    text = HEAD + "s = '''\n__global__ void k() {}\nint a = nvmlShutdown();\n'''\n" + CALL
    drafted = port_tree(tmp_path, {"a.py": text}, Settings(jobs=1))
    (file,) = (f for f in drafted.plan.files if f.path == "a.py")
    (said,) = (d for d in file.diagnostics if d.code == "SIG101")
    assert (said.line, said.column) == (4, 9)


@given(st.text("\"'\\ \nrfa(+.%)#_glob{};", max_size=60))
def test_never_fails_and_twice_is_once(text: str) -> None:
    data = (text + "'''__global__ void k() { cudaFree(0); }''' load_inline" + text).encode()
    found = find(SourceFile("a.py", data), Findings(), table(), Port())
    once = apply(data, found.edits)
    assert not once.refused
    assert not find(SourceFile("a.py", once.data), Findings(), table(), Port()).edits
