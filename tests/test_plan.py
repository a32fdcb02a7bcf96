from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from porting import announced, codes, find_silent, port_tree, texts, write_tree

from sigtrans import plan as plan_module
from sigtrans.config import Config
from sigtrans.discover import Options, find_files
from sigtrans.plan import Drafted, FileResult, Settings, Status, make_plan
from sigtrans.source import Applied, Edit, Severity, SourceFile, Span, apply
from sigtrans.syntax import lex

C = "#include <cuda_runtime.h>\n"
M = "#include <musa_runtime.h>\n"
KEEP = Settings(jobs=1, keep_extensions=True)
Tree = dict[str, "str | bytes"]


def result(drafted: Drafted, path: str) -> FileResult:
    (found,) = (f for f in drafted.plan.files if f.path == path)
    return found


# --- file names and includes ----------------------------------------------------------------------

TREES = [
    pytest.param({"a.cu": C}, {"a.mu": M}, id="cu"),
    pytest.param({"a.cuh": C}, {"a.muh": M}, id="cuh"),
    pytest.param({"a.cpp": C}, {"a.cpp": M}, id="cpp-keeps-its-name"),
    pytest.param({"a.cu": ""}, {"a.mu": ""}, id="empty-kernel-file"),
    pytest.param(
        {"inc/a.cuh": C, "b.cpp": '#include "inc/a.cuh"\n'},
        {"inc/a.muh": M, "b.cpp": '#include "inc/a.muh"\n'},
        id="includer-that-is-not-renamed",
    ),
    pytest.param(
        {
            "inc/a.cuh": C,
            "b.cu": '#include "a.cuh"\n#include <inc/a.cuh>\n#include "./inc/a.cuh"\n',
        },
        {
            "inc/a.muh": M,
            "b.mu": '#include "a.muh"\n#include <inc/a.muh>\n#include "./inc/a.muh"\n',
        },
        id="three-ways-to-one-header",
    ),
    pytest.param(
        {"a.cuh": C, "d/e/b.cu": '#include "../../a.cuh"\n'},
        {"a.muh": M, "d/e/b.mu": '#include "../../a.muh"\n'},
        id="parent-folders",
    ),
    pytest.param(
        {"a.cuh": C, "b.cu": '#if __has_include("a.cuh")\n#endif\n'},
        {"a.muh": M, "b.mu": '#if __has_include("a.muh")\n#endif\n'},
        id="has-include",
    ),
    pytest.param(
        {"k.cu": C, "a.cu": '#include "k.cu"\n'},
        {"k.mu": M, "a.mu": '#include "k.mu"\n'},
        id="source-included",
    ),
    pytest.param(
        {"x.cuh": C, "y/x.cuh": C, "y/b.cu": '#include "x.cuh"\n'},
        {"x.muh": M, "y/x.muh": M, "y/b.mu": '#include "x.muh"\n'},
        id="two-of-one-name",
    ),
    pytest.param(
        {"k.cuh": C, "a.cu": '#define K "k.cuh"\n#include K\n'},
        {"k.muh": M, "a.mu": '#define K "k.muh"\n#include K\n'},
        id="macro-include-of-a-renamed-header",
    ),
    pytest.param(
        {"h.h": '#define RT "cuda_runtime.h"\n', "a.cu": '#include "h.h"\n#include RT\n'},
        {"h.h": '#define RT "musa_runtime.h"\n', "a.mu": '#include "h.h"\n#include RT\n'},
        id="macro-include-from-another-file",
    ),
    pytest.param(
        {
            "cub/x.cuh": C,
            "thrust/y.cuh": C,
            "a.cu": '#include "cub/x.cuh"\n#include <cub/cub.cuh>\n',
        },
        {
            "cub/x.cuh": M,
            "thrust/y.cuh": M,
            "a.mu": '#include "cub/x.cuh"\n#include <cub/cub.cuh>\n',
        },
        id="cub-and-thrust-keep-cuh",
    ),
    pytest.param(
        {"cuda.h": "int x;\n", "a.cu": '#include "cuda.h"\n#include <cuda.h>\n'},
        {"a.mu": '#include "cuda.h"\n#include <musa.h>\n'},
        id="own-cuda-h-beside",
    ),
    pytest.param(
        {"inc/cuda.h": "int x;\n", "a.cu": "#include <inc/cuda.h>\n#include <cuda.h>\n"},
        {"a.mu": "#include <inc/cuda.h>\n#include <musa.h>\n"},
        id="own-cuda-h-elsewhere",
    ),
    pytest.param(
        {"my_cuda_utils.h": "int x;\n", "a.cu": '#include "my_cuda_utils.h"\n' + C},
        {"a.mu": '#include "my_cuda_utils.h"\n' + M},
        id="own-header-with-cuda-in-its-name",
    ),
    pytest.param(
        {"cuda_mine.h": "int x;\n", "a.cu": '#include "cuda_mine.h"\n' + C},
        {"a.mu": '#include "cuda_mine.h"\n' + M},
        id="own-header-that-starts-with-cuda",
    ),
    pytest.param(
        {"a.cu": C + "int cudaFree(int x) { return 1; }\n", "b.cu": "int y = cudaFree(1);\n" + C},
        {"a.mu": M + "int cudaFree(int x) { return 1; }\n", "b.mu": "int y = cudaFree(1);\n" + M},
        id="own-function-used-elsewhere",
    ),
    pytest.param(
        {
            "a.cuh": "static inline int cudaFree(int x) { return 1; }\n",
            "b.cu": '#include "a.cuh"\nint y = cudaFree(1);\n',
        },
        {
            "a.muh": "static inline int cudaFree(int x) { return 1; }\n",
            "b.mu": '#include "a.muh"\nint y = cudaFree(1);\n',
        },
        id="static-function-of-a-header",
    ),
    pytest.param(
        {
            "a.cu": "static int cudaFree(int x) { return 1; }\n",
            "b.cu": "int y = cudaFree(p);\n",
        },
        {
            "a.mu": "static int cudaFree(int x) { return 1; }\n",
            "b.mu": "int y = musaFree(p);\n",
        },
        id="static-function-of-another-source",
    ),
    pytest.param(
        {
            "a.cuh": "namespace n { int cudaFree(int); }\n",
            "b.cu": "int y = n::cudaFree(1) + cudaFree(p);\n",
        },
        {
            "a.muh": "namespace n { int cudaFree(int); }\n",
            "b.mu": "int y = n::cudaFree(1) + musaFree(p);\n",
        },
        id="namespace-function-elsewhere",
    ),
    pytest.param(
        {
            "a.cuh": "struct B { void cudaFree(int); void g(); };\n",
            "b.cu": "void B::g() { cudaFree(1); }\nvoid f() { cudaFree(p); }\n",
        },
        {
            "a.muh": "struct B { void cudaFree(int); void g(); };\n",
            "b.mu": "void B::g() { cudaFree(1); }\nvoid f() { musaFree(p); }\n",
        },
        id="method-defined-elsewhere",
    ),
    pytest.param(
        {
            "stub.h": "typedef struct CUstream_st *cudaStream_t;\n",
            "b.cu": "cudaStream_t s;\n",
        },
        {
            "stub.h": "typedef struct MUstream_st *musaStream_t;\n",
            "b.mu": "musaStream_t s;\n",
        },
        id="stand-in-used-elsewhere",
    ),
    pytest.param(
        {"a.cu": f"#ifdef __MUSA__\n{M}#else\n{C}#endif\nint x = cudaSuccess;\n"},
        {"a.mu": f"#ifdef __MUSA__\n{M}#else\n{M}#endif\nint x = musaSuccess;\n"},
        id="musa-header-in-a-musa-branch",
    ),
    pytest.param(
        {"h.h": "#define CUDA_VERSION 5000\n", "a.cu": '#include "h.h"\n#ifdef CUDA_VERSION\n'},
        {"a.mu": '#include "h.h"\n#ifdef CUDA_VERSION\n'},
        id="guard-defined-by-a-header-of-the-project",
    ),
    pytest.param({"a.cu": b"\0\1cudaFree(p);"}, {"a.mu": "\0\1musaFree(p);"}, id="nul"),
    pytest.param({"d e/ä.cu": C}, {"d e/ä.mu": M}, id="odd-path"),
]


@pytest.mark.parametrize(("files", "after"), TREES)
def test_trees(tmp_path: Path, files: Tree, after: dict[str, str]) -> None:
    drafted = port_tree(tmp_path, files)
    assert texts(drafted) == after
    assert [f.path for f in drafted.plan.files] == sorted(files), "every file once"
    own = announced(d for f in drafted.plan.files for d in f.diagnostics)
    for f in drafted.plan.files:
        data = (tmp_path / f.path).read_bytes()
        assert find_silent(data, f.edits, f.diagnostics, own) == []
        assert f.size == len(data)
        assert f.status in (Status.PORTED, Status.UNCHANGED)
        assert (f.status is Status.PORTED) == (f.path in drafted.drafts)


@pytest.mark.parametrize(("files", "after"), TREES)
def test_a_port_is_left_as_it_is(tmp_path: Path, files: Tree, after: dict[str, str]) -> None:
    first = port_tree(tmp_path / "source", files)
    port: Tree = {
        f.port_path: (tmp_path / "source" / f.path).read_bytes() for f in first.plan.files
    }
    port |= {result(first, p).port_path: data for p, data in first.drafts.items()}
    assert texts(port_tree(tmp_path / "port", port)) == {}


CLASHES = [
    pytest.param({"a.cu": C, "a.mu": "int x;\n"}, "a.cu", id="taken"),
    pytest.param({"a.cu": C, "A.mu": "int x;\n"}, "a.cu", id="taken-but-for-case"),
    pytest.param({"a.cuh": C, "a.muh": "int x;\n"}, "a.cuh", id="header-taken"),
    pytest.param({"a.cu": C, "A.cu": C}, "a.cu", id="two-sources-alike-but-for-case"),
]


@pytest.mark.parametrize(("files", "path"), CLASHES)
def test_name_clashes(tmp_path: Path, files: Tree, path: str) -> None:
    drafted = port_tree(tmp_path, files)
    assert result(drafted, path).port_path == path
    assert "SIG010" in codes(drafted, path)
    ports = [f.port_path for f in drafted.plan.files]
    assert len(ports) == len({*ports}), "nothing lands on another file"
    others = [p.lower() for p in ports if p != path]
    assert path.replace(".cu", ".mu").lower() in others, "what stands in the way is kept"


def test_a_clash_leaves_the_includes_alone(tmp_path: Path) -> None:
    files: Tree = {"a.cuh": C, "a.muh": "int x;\n", "b.cu": '#include "a.cuh"\n'}
    assert texts(port_tree(tmp_path, files))["b.mu"] == '#include "a.cuh"\n'


def test_keep_extensions(tmp_path: Path) -> None:
    drafted = port_tree(tmp_path, {"k.cuh": C, "a.cu": '#include "k.cuh"\n'}, KEEP)
    assert texts(drafted) == {"k.cuh": M}
    assert result(drafted, "a.cu").status is Status.UNCHANGED


# --- what is not ported ---------------------------------------------------------------------------


def test_a_skipped_file_that_includes_a_renamed_header(tmp_path: Path) -> None:
    drafted = port_tree(tmp_path, {"a.cuh": C, "third_party/x.cpp": '#include "../a.cuh"\n'})
    found = result(drafted, "third_party/x.cpp")
    assert (found.status, found.port_path) == (Status.SKIPPED, "third_party/x.cpp")
    (said,) = found.diagnostics
    assert (said.code, said.line, said.column) == ("SIG132", 1, 11)
    assert "a.muh" in said.message and said.help


def test_an_excluded_header_is_not_renamed(tmp_path: Path) -> None:
    settings_ = Settings(jobs=1, options=Options(exclude=("a.cuh",)))
    drafted = port_tree(tmp_path, {"a.cuh": C, "b.cu": '#include "a.cuh"\n'}, settings_)
    assert texts(drafted) == {"b.mu": '#include "a.cuh"\n'}
    assert result(drafted, "a.cuh").status is Status.SKIPPED


def test_one_of_two_headers_is_vendored(tmp_path: Path) -> None:
    files: Tree = {"x.cuh": C, "third_party/x.cuh": C, "z/d.cu": '#include "x.cuh"\n'}
    drafted = port_tree(tmp_path, files)
    assert "SIG133" in codes(drafted, "z/d.cu")
    assert '#include "x.cuh"' in texts(drafted)["z/d.mu"]


@pytest.mark.parametrize(
    ("files", "path", "reason"),
    [
        pytest.param({"a.mu": "cudaFree(p);"}, "a.mu", "already MUSA", id="mu"),
        pytest.param(
            {"a.cu": "#include <musa_runtime.h>\nint x = cudaSuccess;"}, "a.cu", "already MUSA",
            id="musa-header",
        ),
        pytest.param({"third_party/a.cu": C}, "third_party/a.cu", "vendored", id="vendored"),
        pytest.param({"a.cu": b"\xff\xfec\0u\0d\0a\0"}, "a.cu", "UTF-16", id="utf-16"),
        pytest.param({"a.cu": b"\xfe\xff\0c\0u\0d\0a"}, "a.cu", "UTF-16", id="utf-16-big-endian"),
        pytest.param({"a.cu": "// sigtrans: skip-file\n" + C}, "a.cu", "mark", id="skip-file"),
    ],
)  # fmt: skip
def test_skipped_files_say_why(tmp_path: Path, files: Tree, path: str, reason: str) -> None:
    drafted = port_tree(tmp_path, files)
    found = result(drafted, path)
    assert found.status is Status.SKIPPED
    assert reason in found.reason
    assert found.port_path == path and path not in drafted.drafts


KINDS = {
    *("cuda", "c++", "cmake", "make", "python", "toml", "bazel", "meson", "xmake", "shell"),
    *("musa", "other", "folder", "link", "manifest"),
}


def test_kinds_are_those_that_reports_know(tmp_path: Path) -> None:
    files: Tree = {
        "a.cu": C, "b.cpp": "int x;\n", "c.mu": "int x;\n", "d.txt": "x\n", "third_party/e.h": C,
        "CMakeLists.txt": "project(x)\n", "Makefile": "all:\n", "setup.py": "x = 1\n",
        "f.cu": b"\xff\xfec\0", "g.cuh": "#include <musa.h>\n",
    }  # fmt: skip
    drafted = port_tree(tmp_path, files)
    assert {f.path: f.kind for f in drafted.plan.files if f.kind not in KINDS} == {}
    assert result(drafted, "c.mu").kind == "musa"
    assert result(drafted, "g.cuh").kind == "musa"


def test_a_single_file(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.cu": C, "b.cu": C})
    drafted = make_plan(tmp_path / "a.cu", Settings(jobs=1))
    assert texts(drafted) == {"a.mu": M}


def test_strings_that_name_renamed_files_are_told(tmp_path: Path) -> None:
    drafted = port_tree(tmp_path, {"src/k.cu": C, "a.cpp": 'const char *f = "src/k.cu";\n'})
    assert codes(drafted, "a.cpp")


def test_the_file_beside_is_meant(tmp_path: Path) -> None:
    files: Tree = {"a/k.cu": C, "b/k.cu": C, "b/x.cpp": 'const char *f = "k.cu";\n'}
    (said,) = result(port_tree(tmp_path, files), "b/x.cpp").diagnostics
    assert "b/k.mu" in said.message


def test_the_project_may_declare_in_one_file_what_another_pastes(tmp_path: Path) -> None:
    files: Tree = {
        "h.h": "#define API(x) my_##x\n#define CAT(a, b) a##b\n",
        "a.cu": "auto f = API(cudaFree);\n",
        "b.cu": "auto f = CAT(cuda, Free);\n",
    }
    drafted = port_tree(tmp_path, files)
    assert "SIG411" in codes(drafted, "a.cu")
    assert "SIG410" in codes(drafted, "b.cu")


def test_loading_by_name_in_one_file_counts_for_all(tmp_path: Path) -> None:
    files: Tree = {
        "load.cpp": "void *get(const char *n) { return dlsym(h, n); }\n",
        "a.cu": C + 'auto f = get("cudaMalloc");\n',
    }
    assert "SIG120" in codes(port_tree(tmp_path, files), "a.cu")


# --- faults of ours and of the machine -----------------------------------------------------------


def failing(path: str, name: str, fault: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    original = getattr(plan_module, name)

    def find(first: object, *rest: object, **more: object) -> object:
        where = first.path if isinstance(first, SourceFile) else str(first)
        if where.endswith(path):
            raise fault
        return original(first, *rest, **more)

    monkeypatch.setattr(plan_module, name, find)


@pytest.mark.parametrize("name", ["find_facts", "find_code"])
def test_a_fault_of_ours_is_one_files_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    failing("b.cu", name, ValueError("boom"), monkeypatch)
    drafted = port_tree(tmp_path, {"a.cu": C, "b.cu": C})
    assert texts(drafted).get("a.mu") == M
    found = result(drafted, "b.cu")
    assert found.status is Status.FAILED and "SIG999" in codes(drafted, "b.cu")
    assert drafted.drafts.get("b.cu", C.encode()) == C.encode()


@pytest.mark.parametrize("name", ["find_facts", "find_code", "_gate"])
def test_includers_and_a_failed_header_agree_on_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if name == "_gate":
        original = plan_module._gate
        monkeypatch.setattr(
            plan_module,
            "_gate",
            lambda held, *rest: "no" if held.file.path == "k.cuh" else original(held, *rest),
        )
    else:
        failing("k.cuh", name, ValueError("boom"), monkeypatch)
    drafted = port_tree(tmp_path, {"k.cuh": C, "a.cu": '#include "k.cuh"\n'})
    assert result(drafted, "k.cuh").status is Status.FAILED
    include = drafted.drafts["a.cu"].decode()
    assert include == f'#include "{result(drafted, "k.cuh").port_path}"\n'


def test_a_read_error_is_a_failure_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing("k.cuh", "_read", OSError(5, "Input/output error"), monkeypatch)
    drafted = port_tree(tmp_path, {"k.cuh": C, "a.cu": '#include "k.cuh"\n'})
    found = result(drafted, "k.cuh")
    assert found.status is Status.FAILED
    assert "Input/output error" in found.reason
    assert result(drafted, "a.cu").status is Status.PORTED


def test_a_gate_drops_a_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_module, "_gate", lambda *_: "the reason")
    drafted = port_tree(tmp_path, {"a.cu": C})
    found = result(drafted, "a.cu")
    assert (found.status, found.reason, found.edits) == (Status.FAILED, "the reason", ())
    assert "SIG998" in codes(drafted, "a.cu")
    assert drafted.drafts.get("a.cu", C.encode()) == C.encode()


def test_the_gate_notices_a_draft_that_is_not_the_plan(tmp_path: Path) -> None:
    data = b"cudaFree(p);"
    write_tree(tmp_path, {"a.cu": data})
    worker = plan_module.Worker(str(tmp_path), Settings(jobs=1))
    (found,) = find_files(tmp_path, Options())
    worker.scan(found)
    held = worker.held["a.cu"]
    edit = Edit(Span(0, 8), b"musaFree", "x")
    good = apply(data, [edit])
    assert plan_module._gate(held, good) == ""
    assert plan_module._gate(held, Applied(data, (edit,), ())) != ""
    assert plan_module._gate(held, Applied(good.data + b" cuInit", (edit,), ())) != ""
    joins = Edit(Span(8, 9), b"Async", "x")
    assert plan_module._gate(held, apply(data, [joins])) != ""
    assert lex(good.data).words == []


# --- configuration --------------------------------------------------------------------------------


def test_severities_and_silence_follow_the_configuration(tmp_path: Path) -> None:
    files: Tree = {"a.cu": C + "int x = nvmlShutdown(), y = cudaNope();\n"}
    config = Config(severity=(("SIG101", Severity.NOTE), ("SIG102", None)))
    drafted = port_tree(tmp_path, files, Settings(jobs=1, config=config))
    found = result(drafted, "a.cu")
    assert {(d.code, d.severity) for d in found.diagnostics} == {("SIG101", Severity.NOTE)}
    assert found.silenced == 1


def test_marks_count_as_silenced(tmp_path: Path) -> None:
    files: Tree = {"a.cu": C + "cudaFree(p); // sigtrans: skip-line\n"}
    assert result(port_tree(tmp_path, files), "a.cu").silenced == 1


# --- same input, same plan -----------------------------------------------------------------------

MANY: Tree = {
    "a.cuh": C + "namespace n { int cudaFree(int); }\n#define P(x) x##_t\n",
    "b.cu": '#include "a.cuh"\nvoid f() { cudaFree(p); n::cudaFree(1); P(cudaError); }\n',
    "c.cu": "int cudaMalloc(int a) { return a; }\n" + C,
    "d.cpp": "auto f = cudaMalloc(1); nvmlShutdown(); cudaNope(); cuNopeNope();\n",
    "e.cu": "#if __CUDA_ARCH__ >= 800 && CUDA_VERSION > 1\n#endif\nasm(x);\n",
    "third_party/f.cpp": '#include "../a.cuh"\n',
    "CMakeLists.txt": "project(x LANGUAGES CXX CUDA)\nadd_executable(b b.cu c.cu)\n",
    "g.cu": "CUstream_st *s; CUdevice d; CUarray a; cudaArray_t b;\n",
}


def dump(drafted: Drafted) -> str:
    return json.dumps(
        [
            asdict(drafted.plan),
            {k: v.hex() for k, v in drafted.drafts.items()},
            dict(drafted.digests),
        ],
        default=str,
    )


def test_one_process_or_three(tmp_path: Path) -> None:
    write_tree(tmp_path, MANY)
    plans = [make_plan(tmp_path, Settings(jobs=jobs)) for jobs in (1, 3)]
    assert dump(plans[0]) == dump(plans[1])


def test_hash_seeds_do_not_matter(tmp_path: Path) -> None:
    write_tree(tmp_path / "tree", MANY)
    program = (
        "import sys, hashlib; from pathlib import Path; sys.path.insert(0, sys.argv[2])\n"
        "from test_plan import dump, make_plan, Settings\n"
        "print(hashlib.sha256(dump(make_plan(Path(sys.argv[1]), Settings(jobs=1))).encode())"
        ".hexdigest())"
    )
    here = Path(__file__).parent
    seen = {
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "tree"), str(here)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(here.parent)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(seen) == 1


def test_the_order_of_files_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path, MANY)
    forward = make_plan(tmp_path, Settings(jobs=1))
    monkeypatch.setattr(
        plan_module, "find_files", lambda *given: tuple(reversed(find_files(*given)))
    )
    backward = make_plan(tmp_path, Settings(jobs=1))
    assert dump(forward) == dump(backward)


def collect(steps: list[tuple[str, int, int]], stage: str, done: int, total: int) -> None:
    steps.append((stage, done, total))


def test_progress_ends_at_the_total(tmp_path: Path) -> None:
    write_tree(tmp_path, MANY)
    for jobs in (1, 2):
        steps: list[tuple[str, int, int]] = []
        make_plan(tmp_path, Settings(jobs=jobs), partial(collect, steps))
        for stage in ("reading", "planning"):
            counts = [(done, total) for name, done, total in steps if name == stage]
            assert counts == sorted(counts)
            assert counts[-1][0] == counts[-1][1]


def test_diagnostics_are_placed_and_explain_themselves(tmp_path: Path) -> None:
    for f in port_tree(tmp_path, MANY).plan.files:
        for d in f.diagnostics:
            assert d.line >= 1 and d.column >= 1 and d.code.startswith("SIG")
            assert len(d.message) > 20
            assert d.help or d.severity is Severity.NOTE


SNIPPETS = st.sampled_from(
    [C, '#include "a.cuh"\n', "cudaFree(p);\n", "int cudaFree(int x) { return x; }\n",
     "namespace n { int cudaFree(int); }\n", "n::cudaFree(1);\n", "static int cudaMalloc;\n",
     "#define A(x) x##y\n", "A(cudaFree)\n", "dlsym(h, \"cudaFree\");\n", "\ufeff", "\0", '"', "/*"]
)  # fmt: skip


@given(
    st.dictionaries(
        st.sampled_from(["a.cuh", "b.cu", "c.cpp", "d/a.cuh", "d/e.cu"]),
        st.lists(SNIPPETS, max_size=4).map("".join),
        min_size=1,
    )
)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_file_once_and_drafts_are_the_edits(
    tmp_path_factory: pytest.TempPathFactory, files: Tree
) -> None:
    root = tmp_path_factory.mktemp("tree")
    drafted = port_tree(root, files)
    assert [f.path for f in drafted.plan.files] == sorted(files)
    for f in drafted.plan.files:
        data = (root / f.path).read_bytes()
        assert f.status is not Status.FAILED
        applied = apply(data, f.edits)
        assert applied.refused == ()
        assert drafted.drafts.get(f.path, data) == applied.data


def test_a_pattern_that_loses_a_kept_file_is_said(tmp_path: Path) -> None:
    files: Tree = {
        "keep.cu": "// sigtrans: skip-file\n__global__ void k();\n",
        "go.cu": C,
        "Makefile": "S = $(wildcard *.cu)\nall:\n\tnvcc $(S) -o a\n",
    }
    said = result(port_tree(tmp_path, files), "Makefile").diagnostics
    assert ["keep.cu" in d.message for d in said if d.code == "SIG706"] == [True]


def test_using_namespace_counts_in_its_own_block(tmp_path: Path) -> None:
    text = (
        "namespace n { void cudaFree(int); }\n"
        "void a() {\n  cudaFree(0);\n}\n"
        "void b() {\n  using namespace n;\n  cudaFree(1);\n}\n"
    )
    drafted = port_tree(tmp_path, {"a.cc": text})
    assert texts(drafted)["a.cc"] == text.replace("cudaFree(0)", "musaFree(0)")


def test_a_label_owns_no_call(tmp_path: Path) -> None:
    text = "void f() {\n  goto cudaFree;\ncudaFree:\n  cudaFree(p);\n}\n"
    drafted = port_tree(tmp_path, {"a.cc": text})
    assert texts(drafted)["a.cc"] == text.replace("cudaFree(p)", "musaFree(p)")


def test_a_macro_for_a_header_is_not_looked_for_in_comments(tmp_path: Path) -> None:
    head = "// #define HDR <cuda_runtime.h>\n/* #define HDR <cuda.h> */\n"
    done = port_tree(tmp_path, {"a.cu": head + '#define HDR "k.cuh"\n#include HDR\n', "k.cuh": ""})
    assert texts(done)["a.mu"] == head + '#define HDR "k.muh"\n#include HDR\n'
    assert "SIG125" not in codes(done, "a.cu")


def test_a_base_class_in_another_file_owns_its_names(tmp_path: Path) -> None:
    source = '#include "a.h"\nvoid B::h(void *q) { cudaFree(q); }\n'
    done = port_tree(
        tmp_path,
        {
            "a.h": "struct A { void cudaFree(void *); };\nstruct B : A { void h(void *); };\n",
            "b.cu": source,
        },
    )
    assert texts(done).get("b.mu", source) == source
    assert "SIG110" in codes(done, "b.cu")


def test_a_pattern_is_not_said_to_lose_what_it_never_matched(tmp_path: Path) -> None:
    files: Tree = {
        "CMakeLists.txt": "file(GLOB S src/*.cu)\nfile(GLOB T ${CMAKE_SOURCE_DIR}/kept/*.cu)\n",
        "Makefile": "S = $(wildcard $(TOP)/src/*.cu ../kept/*.cu)\nall:\n\tnvcc $(S)\n",
        "src/a.cu": C,
        "kept/go.cu": C,
        "kept/stay.cu": "// sigtrans: skip-file\n" + C,
        "third_party/x/y.cu": C,
    }
    drafted = port_tree(tmp_path, files)
    said = [
        (f.path, d.line, d.message.split("'")[1])
        for f in drafted.plan.files
        for d in f.diagnostics
        if d.code == "SIG706"
    ]
    assert said == [("CMakeLists.txt", 2, "kept/stay.cu"), ("Makefile", 1, "kept/stay.cu")]


def test_what_one_file_says_more_than_once_is_said_once_and_counts_no_other_file(
    tmp_path: Path,
) -> None:
    text = (
        "cmake_minimum_required(VERSION 3.18)\nproject(a LANGUAGES CXX CUDA)\n"
        "enable_language(CUDA)\nproject(b LANGUAGES CXX CUDA)\n"
    )
    drafted = port_tree(tmp_path, {"CMakeLists.txt": text, "a.cu": C})
    said = [d for d in result(drafted, "CMakeLists.txt").diagnostics if d.code == "SIG707"]
    assert len(said) == 1
    assert "more files" not in said[0].message
