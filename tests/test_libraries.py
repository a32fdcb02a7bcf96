"""Calls whose arguments differ, newer SDKs, and the helper headers that stand in for libraries."""

from __future__ import annotations

import csv
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from porting import Port, find_compiler, port, port_tree, table, texts

from sigtrans.names import data_dir
from sigtrans.passes.libraries import changes, topics
from sigtrans.plan import Settings
from sigtrans.rules import make_traps

MODELS = Path(__file__).parent / "helpers"
HELPERS = data_dir().parent / "templates" / "helpers"


def rows() -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for path in sorted((data_dir() / "calls").glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            found += csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return found


ROWS = rows()
CASES = [pytest.param(row, id=f"{row['call']}-{n}") for n, row in enumerate(ROWS)]


def port_row(row: dict[str, str], text: str) -> Port:
    path = {"c": "a.c", "host": "a.cpp"}.get(row["where"], "a.cu")
    sdk = {"<": "3.1", ">": "5.2"}.get(row["sdk"][:1], "5.2")
    if row["sdk"] == "<5.1":
        sdk = "5.0"
    return port(text, path=path, sdk=sdk)


def without_includes(text: str) -> str:
    return re.sub(r'#include "sigtrans_\w+\.h"\n', "", text)


def test_the_table_is_well_formed() -> None:
    for row in ROWS:
        where = (row["call"], row["arguments"])
        assert row["call"].encode() in table().targets, where
        assert row["evidence"] and row["before"] and row["after"], where
        assert re.fullmatch(r"((\d+(-\d+)?)(,\d+(-\d+)?)*)?", row["arguments"]), where
        assert re.fullmatch(r"(\$\d+=null)?", row["if"]), where
        assert re.fullmatch(r"([<>]=?\d+\.\d+)?", row["sdk"]), where
        assert row["where"] in ("", "c", "host"), where
        assert bool(row["code"]) == bool(row["severity"]) == bool(row["message"]), where
        assert "index:" not in row["evidence"], where
    assert {row["call"].encode() for row in ROWS} == changes().keys()


@pytest.mark.parametrize("row", CASES)
def test_example(row: dict[str, str]) -> None:
    got = port_row(row, f"void f() {{ {row['before']} }}\n")
    assert without_includes(got.text) == f"void f() {{ {row['after']} }}\n"
    calls = {"SIG142", "SIG143", "SIG144", "SIG146"}
    assert calls & got.codes == ({row["code"]} if row["code"] else set())
    assert not port_row(row, got.text).edits


@pytest.mark.parametrize("name", sorted({row["call"] for row in ROWS}))
def test_traps(name: str) -> None:
    for trap in (*make_traps(name), f"// sigtrans: off\nvoid f() {{ {name}(a, b); }}\n"):
        assert port(trap).text == trap
    own = f"static int {name}(int a) {{ return a; }}\nint g() {{ return {name}(1); }}\n"
    assert without_includes(port(own).text) == own


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cudaGraphUpload(\n    e, // one\n    s // two\n);",
         "((void)(e), (void)(// one\n    s), musaSuccess // two\n);"),
        ("cudaStreamGetCaptureInfo(s, &st, // why\n  &id // last\n  );",
         "musaStreamGetCaptureInfo_v2(s, &st, // why\n"
         "  &id, nullptr, nullptr, nullptr // last\n  );"),
        ("CHECK(cudaStreamGetCaptureInfo(cudaStreamPerThread, &st));",
         "CHECK(musaStreamGetCaptureInfo_v2(musaStreamPerThread, &st, nullptr, nullptr, nullptr, "
         "nullptr));"),
        ("return cudaGraphInstantiate(&e, make(g, 1), 0);",
         "return sigtrans::graphInstantiate(&e, make(g, 1), 0);"),
        ("::cudaGraphInstantiate(&e, g, NULL, NULL, 0);",
         "::sigtrans::graphInstantiate(&e, g, NULL, NULL, 0);"),
        ("cuGetProcAddress(n, &p, v, cudaGraphUpload(e, s), (void *)0);",
         "muGetProcAddress(n, &p, v, ((void)(e), (void)(s), musaSuccess));"),
    ],
)  # fmt: skip
def test_arguments_keep_their_shape(before: str, after: str) -> None:
    got = port(f"int f() {{ {before} }}\n")
    assert without_includes(got.text) == f"int f() {{ {after} }}\n"


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("auto p = &cudaGraphUpload;", "SIG143"),
        ("f(cudaGraphInstantiate);", "SIG143"),
        ("void f() { cudaGraphUpload(e); }", "SIG143"),
        ("void f() { cudaGraphUpload(ARGUMENTS); }", "SIG143"),
        ("void f() { cudaGraphUpload(e,\n#ifdef A\n s\n#else\n t\n#endif\n); }", "SIG143"),
        ("void f() { cudaStreamGetCaptureInfo(a, b, c, d, e, f, g); }", "SIG142"),
        ("auto p = cusolverDnSsyevd;", "SIG142"),
    ],
)
def test_what_cannot_be_rewritten_is_an_error(source: str, code: str) -> None:
    got = port(source + "\n")
    assert code in got.loud
    assert "musaSuccess" not in got.text and "sigtrans::" not in got.text


@pytest.mark.parametrize(
    "head",
    ["#ifdef A\n", "#if B\n f();\n#endif\n", "START\n", "if (a) f(); else\n", "do\n", "/* x */ \n"],
)
def test_what_stands_on_the_line_before_makes_no_declaration(head: str) -> None:
    got = port(f"void f() {{\n{head}cudaGraphUpload(e, s);\n")
    assert "((void)(e), (void)(s), musaSuccess);" in got.text


@pytest.mark.parametrize(
    "head", ["extern cudaError_t ", "cudaError_t\n", "CUDARTAPI\n", "static inline cudaError_t\n"]
)
def test_a_declaration_is_no_call(head: str) -> None:
    got = port(f"{head}cudaGraphUpload(cudaGraphExec_t e, cudaStream_t s);\n")
    assert got.text.endswith("musaGraphUpload(musaGraphExec_t e, musaStream_t s);\n")
    assert "SIG143" not in got.codes


@given(
    st.lists(st.sampled_from(["a", "&b", "f(x, y)", "{1, 2}", '"s,"', "/* , */ c", "p->q"]),
             max_size=8),
    st.sampled_from([row["call"] for row in ROWS]),
)  # fmt: skip
def test_twice_is_once_and_arguments_survive(arguments: list[str], name: str) -> None:
    got = port(f"void f() {{ {name}({', '.join(arguments)}); }}\n")
    assert not port(got.text).edits
    assert all(each in got.text for each in arguments if name != "cuGetProcAddress")


# --- SDKs and cautions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "sdk", "needed"),
    [
        ("cudaMallocAsync(&p, n, s);", "5.0", "5.1"),
        ("cudaMallocAsync(&p, n, s);", "5.1", ""),
        ("cudaGraphDebugDotPrint(g, n, 0);", "4.1", "4.2"),
        ("cudaGraphDebugDotPrint(g, n, 0);", "4.10", ""),
        ("cublasLtCreate(&h);", "4.2", "4.3"),
        ("nvrtcCreateProgram(&p, s, n, 0, 0, 0);", "5.1", "5.2"),
        ("cudaMalloc(&p, n);", "3.1", ""),
    ],
)
def test_a_name_that_needs_a_newer_sdk(source: str, sdk: str, needed: str) -> None:
    got = port(f"void f() {{ {source} }}\n", sdk=sdk)
    said = [d for d in got.diagnostics if d.code == "SIG140"]
    assert bool(said) == bool(needed)
    assert all(f"MUSA SDK {needed};" in d.message for d in said)
    assert not [d for d in got.diagnostics if d.code == "SIG107"]


def test_names_with_the_same_caution_are_named_together() -> None:
    got = port(
        "int f(cublasStatus_t s) { switch (s) { case CUBLAS_STATUS_ALLOC_FAILED:"
        " case CUBLAS_STATUS_MAPPING_ERROR: return 1; } return 0; }\n"
    )
    (said,) = (d for d in got.diagnostics if d.code == "SIG107")
    assert (
        "'CUBLAS_STATUS_ALLOC_FAILED', 'CUBLAS_STATUS_MAPPING_ERROR' are not only" in said.message
    )


def test_libcudacxx_is_said_once_for_each_name() -> None:
    got = port("auto a = cuda::std::max(1, 2) + cuda::std::max(b, c) + cuda::atomic_ref(d);\n")
    said = [d.message for d in got.diagnostics if d.code == "SIG131"]
    assert len(said) == 2 and "'cuda::std::max'" in said[0] and "2 places" in said[0]


def test_the_limits_of_libcudacxx_are_there() -> None:
    got = port("auto a = cuda::std::numeric_limits<int>::max();\n")
    assert got.text == "auto a = musa::std::numeric_limits<int>::max();\n"
    assert "SIG131" not in got.codes


def test_versions_of_old_handles_lose_their_suffix() -> None:
    assert port("void f() { cublasSgemm_v2(h); }\n").text == "void f() { mublasSgemm(h); }\n"


def test_a_header_that_keeps_its_name_has_a_word_said_about_it(tmp_path: Path) -> None:
    source = "#include <cooperative_groups/reduce.h>\n"
    (said,) = (d for d in port(source).diagnostics if d.code == "SIG107")
    assert "check that the SDK has the header" in said.message
    files = {"a.cu": source, "cooperative_groups/reduce.h": "#define A 1\n"}
    drafted = port_tree(tmp_path, files, Settings(jobs=1))
    assert not [d for f in drafted.plan.files for d in f.diagnostics if d.code == "SIG107"]


# --- device launches, green contexts, CUB ---------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("__global__ void k() { c<<<1, 1>>>(); }", True),
        ("__device__ void k() { c<<<1, 1>>>(); }", True),
        ("void k() { c<<<1, 1>>>(); }", False),
        ("__host__ __device__ void k() { c<<<1, 1>>>(); }", False),
        ("__global__ void k() { /* c<<<1, 1>>>() */ }", False),
        ("__global__ void k() {} void f() { k<<<1, 1>>>(); }", False),
    ],
)
def test_a_launch_in_device_code(source: str, said: bool) -> None:
    assert ("SIG141" in port(source + "\n").codes) == said


def test_events_of_green_contexts() -> None:
    green = (
        "void f() { cuGreenCtxCreate(&g, d, v, 0); cuEventRecord(e, s); cuEventRecord(e, t); }\n"
    )
    (said,) = (d for d in port(green).diagnostics if d.code == "SIG151")
    assert "2 places" in said.message
    assert "SIG151" not in port("void f() { cuEventRecord(e, s); }\n").codes


def test_newer_parts_of_cub_and_thrust(tmp_path: Path) -> None:
    got = port("auto p = thrust::cuda::par_nosync(a).on(s);\n")
    assert got.text == "auto p = thrust::musa::par(a).on(s);\n" and got.codes == {"SIG144"}
    assert "SIG152" in port("auto p = thrust::make_tabulate_output_iterator(f);\n").codes
    assert "SIG152" not in port("auto p = thrust::cuda::par.on(s);\n").codes
    source = "void f() { cub::DeviceMergeSort::SortKeys(a); cub::DeviceScan::ExclusiveSum(b); }\n"
    (said,) = (d for d in port(source).diagnostics if d.code == "SIG152")
    assert "cub::DeviceMergeSort" in said.message
    assert "SIG152" not in port("// cub::DeviceMergeSort\nint a = cub::BlockReduce;\n").codes
    drafted = port_tree(tmp_path, {"a.cu": source, "third/cub/cub.cuh": "#define A 1\n"})
    assert not [d for f in drafted.plan.files for d in f.diagnostics if d.code == "SIG152"]


# --- helper headers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#include <nvToolsExt.h>\n",
         "// nvToolsExt.h: MUSA has none, sigtrans_nvtx.h stands in\n"),
        ("#  include <nvtx3/nvtx3.hpp> // ranges\n",
         "// nvtx3/nvtx3.hpp: MUSA has none, sigtrans_nvtx.h stands in // ranges\n"),
        ("#include <nvToolsExt.h> /* ranges */\n",
         "/* nvToolsExt.h: MUSA has none, sigtrans_nvtx.h stands in */ /* ranges */\n"),
    ],
)  # fmt: skip
def test_the_include_of_nvtx_gives_way(before: str, after: str) -> None:
    got = port(before)
    assert without_includes(got.text) == after
    assert got.helpers == {"nvtx"} and got.codes == {"SIG147"}
    assert not port(got.text).edits


def test_nvtx_calls_become_calls_that_do_nothing(tmp_path: Path) -> None:
    source = 'void f() { nvtxRangePushA("a"); nvtxRangePop(); }\n'
    got = port(source)
    assert 'sigtrans_nvtxRangePushA("a"); sigtrans_nvtxRangePop();' in got.text
    assert port("void f(S s) { s.nvtxRangePop(); }\n").text == "void f(S s) { s.nvtxRangePop(); }\n"
    own = {"a.cu": '#include "nvToolsExt.h"\n' + source, "nvToolsExt.h": "void nvtxRangePop();\n"}
    drafted = port_tree(tmp_path, own, Settings(jobs=1))
    assert '#include "nvToolsExt.h"' in texts(drafted)["a.mu"]


def test_a_declaration_of_what_a_helper_serves_has_to_go() -> None:
    got = port("extern cudnnStatus_t cudnnSetTensor4dDescriptor(int a);\n")
    assert "SIG143" in got.loud
    assert "SIG143" not in port("int a = cudnnSetTensor4dDescriptor(b);\n").codes


def test_a_string_with_such_a_name_offers_no_helper() -> None:
    said = [d for d in port('f("cudnnSoftmaxForward");\n').diagnostics if d.code == "SIG121"]
    assert len(said) == 1 and "sigtrans" not in said[0].help


def test_options_of_the_runtime_compiler() -> None:
    call = "void f() { nvrtcCompileProgram(p, 2, o); }\n"
    options = 'const char *o[] = {"--gpu-architecture=compute_80", "-DN=1", "-use_fast_math"};\n'
    said = [d.message for d in port(options + call).diagnostics if d.code == "SIG154"]
    assert len(said) == 2 and "compute_80" in said[0] and "-use_fast_math" in said[1]
    assert "SIG154" not in port(options).codes
    assert "SIG154" not in port('// "--gpu-architecture=x"\n' + call).codes


def test_cupti_is_said_once() -> None:
    got = port("#include <cupti.h>\n#include <cupti_result.h>\nCUptiResult r;\n")
    assert [d.code for d in got.diagnostics].count("SIG153") == 1
    assert not got.helpers


def test_a_c_file_cannot_have_a_helper_of_c_plus_plus() -> None:
    source = (
        "void f() { cudnnPoolingForward(a); cudnnSoftmaxForward(a); cudnnPoolingForward(b); }\n"
    )
    (said,) = (d for d in port(source, path="a.c").diagnostics if d.code == "SIG149")
    assert "'cudnnPoolingForward', 'cudnnSoftmaxForward'" in said.message
    assert "SIG149" not in port("void f() { nvtxRangePop(); }\n", path="a.c").codes


def test_every_topic_has_its_header_and_the_other_way_round() -> None:
    used = {
        t
        for e in table().targets.values()
        for t in re.findall(rb"^sigtrans(?:::([a-z]+)|_nvtx)", e)
    }
    served = {t.decode() or "nvtx" for t in used} | {"graph"}
    assert served == topics().keys() - {"cupti"}
    for topic in served:
        text = (HELPERS / f"sigtrans_{topic}.h").read_text()
        assert "// sigtrans: skip-file\n#pragma once\n" in text
        assert text.isascii() and all(len(line) <= 100 for line in text.splitlines())


def test_every_name_that_a_header_serves_is_declared_there() -> None:
    for target in table().targets.values():
        match = re.fullmatch(r"sigtrans::(\w+)", target.decode())
        if match:
            topic = "dnn" if match.group(1).startswith("DNN_") else match.group(1)
            name = re.match(r"[a-z]+", topic)
            assert name is not None
            text = (HELPERS / f"sigtrans_{name.group()}.h").read_text()
            assert re.search(rf"\b{match.group(1)}\b", text), target


def program(name: str) -> str:
    return (MODELS / name).read_text()


def run(tmp_path: Path, kind: str, source: str) -> str:
    """What a program on the helper headers prints; every warning is an error."""
    path = tmp_path / ("main.c" if kind == "c" else "main.cpp")
    path.write_text(source)
    standard = "-std=c99" if kind == "c" else "-std=c++14"
    flags = [
        standard,
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused-function",
        "-DSIGTRANS_HOST_TEST",
    ]
    folders = [f"-I{HELPERS}", f"-I{MODELS}", f"-I{tmp_path}"]
    binary = str(tmp_path / "program")
    made = subprocess.run(
        [find_compiler(kind), *flags, *folders, str(path), "-o", binary],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return subprocess.run([binary], capture_output=True, text=True, check=True).stdout


def test_nvtx_in_c(tmp_path: Path) -> None:
    assert run(tmp_path, "c", program("nvtx.c")) == "-2 -2 0"


def test_nvtx_in_c_plus_plus(tmp_path: Path) -> None:
    assert run(tmp_path, "c++", program("nvtx.cpp")) == "2"


@pytest.mark.parametrize(
    ("forms", "printed"),
    [
        ("#define FIVE\n", "five 0 0 801 five 4 0 five 0 0 801 five 0 0"),
        ("#define THREE\n", "three 0 0 three 7 0 three 0 0 three 0 0 three 7 0 three 0 0"),
        ("#define FIVE\n#define THREE\n",
         "three 0 0 three 7 0 five 4 0 five 0 0 three 7 0 five 0 0"),
    ],
    ids=["five", "three", "both"],
)  # fmt: skip
def test_graph_takes_the_form_that_is_there(tmp_path: Path, forms: str, printed: str) -> None:
    assert run(tmp_path, "c++", forms + program("graph.cpp")) == printed


def test_sparse_runs_its_stages_in_order(tmp_path: Path) -> None:
    assert run(tmp_path, "c++", program("sparse.cpp")) == (
        "mm 0 1 0|mm 1 0 1|mm 2 0 1|sv 0 1 0|sv 1 0 1|sv 2 0 1|sm 0 1 0|sm 1 0 1|sm 2 0 1|64"
    )


DNN_PRINTED = """\
nhwc 30 1 10 2
hwcn 1
softmax 0 0.0180 0.0180 0.0180 0.0009 0.9820 0.9820 0.9820 0.9991
log 0 -4.0181 -4.0181 -4.0181 -7.0009 -0.0181 -0.0181 -0.0181 -0.0009
instance 1 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000
alpha 1 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000
relu 0 0.0000 0.0000 0.0000 1.0000 2.0000 3.0000 4.0000 8.0000
clipped 0 0.0000 0.0000 0.0000 1.0000 2.0000 3.0000 3.0000 3.0000
elu 1 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000 0.0000
max 0 -1.0000 1.0000 3.0000 8.0000
mean 0 -1.5000 0.5000 2.5000 6.0000
derived 1 2 1 1
norm 0 -2.0000 -1.0000 0.0000 1.0000 1.0000 2.0000 3.0000 7.0000
activation-norm 1
filter 7 3 5 1 conv 1 2 3 4 5 6
out 0 2 7 4 6
add 0 8.0000 9.0000 10.0000 11.0000 22.0000 23.0000 24.0000 28.0000
scaled 1
gone 1
live 0
"""


def test_dnn_computes_what_cudnn_defines_and_refuses_the_rest(tmp_path: Path) -> None:
    assert run(tmp_path, "c++", program("dnn.cpp")) == DNN_PRINTED


def test_the_port_of_a_cudnn_program_computes_the_same(tmp_path: Path) -> None:
    got = port(program("cudnn_program.cpp"), path="a.cpp", is_cuda=False)
    assert got.codes == {"SIG150"}
    (tmp_path / "mudnn.h").write_text('#include "mudnn_model.h"\n')
    (tmp_path / "musa_runtime.h").write_text("")
    # Sums of 3 x 3 around the places of 0 … 15, less 40, not below 0; the largest of each 2 x 2.
    inside = range(4)
    near = {at: [k for k in (at - 1, at, at + 1) if k in inside] for at in inside}
    sums = [sum(4 * i + j for i in near[r] for j in near[c]) for r in inside for c in inside]
    kept = [max(0, each - 40) for each in sums]
    pooled = [max(kept[4 * r + c + d] for d in (0, 1, 4, 5)) for r in (0, 2) for c in (0, 2)]
    largest = max(pooled)
    log = [each - largest for each in pooled]  # the sum is all but that one term
    printed = run(tmp_path, "c++", "#undef SIGTRANS_HOST_TEST\n" + got.text)
    assert [float(each) for each in printed.split()] == [*pooled, *log]


@pytest.mark.parametrize("topic", ["dnn", "graph", "launch", "sparse"])
def test_without_the_headers_of_musa_there_is_nothing(tmp_path: Path, topic: str) -> None:
    source = f'#undef SIGTRANS_HOST_TEST\n#include "sigtrans_{topic}.h"\nint main() {{}}\n'
    assert run(tmp_path, "c++", source) == ""


def test_launch_compiles(tmp_path: Path) -> None:
    source = (
        "#define __device__\n#define __forceinline__ inline\n"
        '#include "sigtrans_launch.h"\n'
        "int main() { sigtrans::launchGridDependencySynchronize();"
        " sigtrans::launchTriggerProgrammaticLaunchCompletion(); }\n"
    )
    assert run(tmp_path, "c++", source) == ""
