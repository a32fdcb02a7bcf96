"""Laws of the name tables, pairs checked by hand, and the loader."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigtrans import names
from sigtrans.source import SigtransError

FOLDER = names.data_dir() / "names"
FILES = sorted(FOLDER.glob("*.tsv"))
TABLE = names.load()


def rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]


ALL = [(path.stem, row) for path in FILES for row in rows(path)]
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
HEADER = re.compile(r"[\w.+-]+(/[\w.+-]+)*/?")

PAIRS = """
cudaMalloc musaMalloc                                cudaMemcpyAsync musaMemcpyAsync
cudaError_t musaError_t                              cudaSuccess musaSuccess
cudaStreamNonBlocking musaStreamNonBlocking          cudaEventDisableTiming musaEventDisableTiming
cudaMemcpyHostToDevice musaMemcpyHostToDevice        cudaCpuDeviceId musaCpuDeviceId
cudaStreamGetCaptureInfo musaStreamGetCaptureInfo_v2 cudaThreadSynchronize musaThreadSynchronize
cudaErrorNvlinkUncorrectable musaErrorMtlinkUncorrectable
cudaErrorCudartUnloading musaErrorMusartUnloading    cudaMemcpyToArray musaMemcpyToArray
cudaDevAttrSparseCudaArraySupported musaDevAttrSparseMusaArraySupported
cudaBindTexture musaBindTexture                      make_cudaExtent make_musaExtent
CUDART_INF_F MUSART_INF_F                            CUDART_CB MUSART_CB
CUDA_R_16F MUSA_R_16F                                CUDA_R_16BF MUSA_R_16BF
CUDA_SUCCESS MUSA_SUCCESS
CUDA_ERROR_OUT_OF_MEMORY MUSA_ERROR_OUT_OF_MEMORY
CUDA_ERROR_NVLINK_UNCORRECTABLE MUSA_ERROR_MTLINK_UNCORRECTABLE
CUstream_st MUstream_st                              CUdeviceptr MUdeviceptr
CU_MEMHOSTALLOC_PORTABLE MU_MEMHOSTALLOC_PORTABLE    CUDAAPI MUSAAPI
cuGetProcAddress muGetProcAddress                    cuMemAlloc_v2 muMemAlloc_v2
CUDA_MEMCPY3D MUSA_MEMCPY3D                          CUDA_CB MUSA_CB
CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED \
MU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED
cuuint32_t muuint32_t                                cuGreenCtxRecordEvent muGreenCtxRecordEvent
PFN_cuMemAlloc PFN_muMemAlloc                        cublasCreate_v2 mublasCreate
cublasSgemm mublasSgemm                              CUBLAS_OP_CONJG MUBLAS_OP_CONJG
CUBLAS_OP_T MUBLAS_OP_T
cublasGemmStridedBatchedEx mublasGemmStridedBatchedEx
cublasLtMatmul mublasLtMatmul                        cublasXtHandle_t mublasXtHandle_t
cudnnConvolutionForward mudnnConvolutionForward      cufftExecC2C mufftExecC2C
CUFFT_C2C MUFFT_C2C                                  curand_init murand_init
curandState_t murandState_t                          curand murand
curandStatePhilox4_32_10_t murandStatePhilox4_32_10_t
cusparseCreateCsr musparseCreateCsr                  CUSPARSE_ORDER_COL MUSPARSE_ORDER_COLUMN
cusolverDnSpotrf musolverDnSpotrf                    cusolverDnCungqr musolverDnCungqr
ncclAllReduce mcclAllReduce                          ncclCommCuDevice mcclCommMuDevice
ncclUnhandledCudaError mcclUnhandledMusaError        nvrtcCreateProgram mtrtcCreateProgram
cuptiActivityEnable muptiActivityEnable              CUpti_Activity MUpti_Activity
CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 MUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
cuComplex muComplex                                  make_cuDoubleComplex make_muDoubleComplex
cuCmulf muCmulf                                      __nv_bfloat16 __mt_bfloat16
nv_bfloat162 __mt_bfloat162                          __nv_half __half
__nv_fp8_e4m3 __mt_fp8_e4m3                          __NV_SATFINITE __MT_SATFINITE
__nv_cvt_float2_to_fp8x2 __musa_cvt_float2_to_fp8x2  nvcuda mtmusa
cudaGLMapBufferObject musaGLMapBufferObject          CUeglFrame MUeglFrame
cudaEGLStreamConsumerConnect musaEGLStreamConsumerConnect
cudaDeviceGetNvSciSyncAttributes musaDeviceGetMtSciSyncAttributes
""".replace("\\\n", "")
PAIR_WORDS = PAIRS.split()

ABSENT_WORDS = """
cudaLogsCurrent cudaMemPrefetchBatchAsync cudaMemGetDefaultMemPool cudaMemSetMemPool
cuTensorMapEncodeTiled CUtensorMap CU_TENSOR_MAP_SWIZZLE_128B cublasSgetrfBatched
cublasZmatinvBatched
cublasGemmEx_64 cublasLtHeuristicsCacheSetCapacity cufftMakePlanMany64 cufftXtSetWorkArea
cusparseSpGEMM_compute cusparseScsrgeam2 cusolverDnXpotrf cusolverDnXtrtri
ncclCommSplit ncclGetLastError nvrtcGetPTX nvJitLinkCreate nvmlInit_v2
cudnnSoftmaxBackward cudnnBackendExecute __nv_fp4_e2m1
"""

LOOK_ALIKE_WORDS = """
cudaMallocHelper cuRadius CUSTOM CURRENT custom cursor curl_easy_init NVIC_Init cuBool cuda
CUDA cu CU CUSTOMER cuDevice checkCuda cublasHandle CUDA_CHECK CUDA_KERNEL_LOOP ncclCheck nvidia
nvcc cumsum
current_device cutlass cute CUB_NAMESPACE cudaStream stream half __half
"""

GUARDS = {
    "__CUDACC__": "__MUSACC__",
    "__NVCC__": "__MUSACC__",
    "__CUDA_ARCH__": "__MUSA_ARCH__",
    "CUDART_VERSION": "MUSART_VERSION",
    "CUDA_VERSION": "MUSA_VERSION",
    "CUSPARSE_VERSION": "MUSPARSE_VERSION",
    "__CUDA_ARCH_LIST__": None,
}

HEADERS = {
    "cuda_runtime.h": b"musa_runtime.h",
    "cuda.h": b"musa.h",
    "cublas_v2.h": b"mublas.h",
    "cublas_api.h": b"mublas.h",
    "nccl.h": b"mccl.h",
    "cuComplex.h": b"muComplex.h",
    "curand_philox4x32_x.h": b"murand_philox4x32_10.h",
    "mma.h": b"mma.h",
    "cooperative_groups.h": b"cooperative_groups.h",
    "cub/cub.cuh": b"cub/cub.cuh",
    "cub/block/block_scan.cuh": b"cub/block/block_scan.cuh",
    "thrust/device_vector.h": b"thrust/device_vector.h",
    "thrust/system/cuda/execution_policy.h": b"thrust/system/musa/execution_policy.h",
    "cuda/std/tuple": b"musa/std/tuple",
    "cuda/std/bitset": None,
    "cuda/barrier": None,
    "nvtx3/nvToolsExt.h": b"sigtrans_nvtx.h",
    "npp.h": None,
    "vector": b"",
    "my/cuda.h": b"",
    "cubist/cub.h": b"",
}


def test_files_have_the_head_line_and_seven_columns() -> None:
    assert len(FILES) >= 18
    for path in FILES:
        data = path.read_bytes()
        assert data.split(b"\n", 1)[0] == names.HEAD, path.name
        assert data.endswith(b"\n") and not data.endswith(b"\n\n") and b"\r" not in data, path.name
        assert len(data) < 550_000, path.name
        wrong = [row for row in rows(path) if len(row) != 7]
        assert not wrong, (path.name, wrong[:3])


def test_files_are_sorted() -> None:
    for path in FILES:
        cudas = [row[0] for row in rows(path)]
        assert cudas == sorted(cudas), path.name


def test_no_name_stands_twice() -> None:
    seen: dict[str, str] = {}
    for library, row in ALL:
        assert row[0] not in seen, (row[0], library, seen.get(row[0]))
        seen[row[0]] = library


def test_every_row_is_well_formed() -> None:
    for library, (cuda, musa, kind, grade, sdk, evidence, note) in ALL:
        where = (library, cuda)
        assert kind in names.KINDS and grade in names.GRADES, where
        shape = HEADER if kind == "header" else IDENTIFIER
        assert shape.fullmatch(cuda), where
        # A helper header of the port serves what MUSA has under no name of its own.
        assert musa == "-" or shape.fullmatch(musa.removeprefix("sigtrans::")), where
        assert (musa == "-") == (grade == "absent"), where
        assert (evidence == "") == (grade == "rule"), where
        assert grade != "absent" or note, where
        assert re.fullmatch(r"(>=\d+\.\d+)?", sdk), where
        text = evidence + note
        assert text == text.strip() and "  " not in text, where
        assert not re.search(r"index:|(^|[\s(])/\w", text), where


def test_a_target_is_no_cuda_name_so_a_second_run_finds_nothing() -> None:
    for library, (cuda, musa, kind, *_) in ALL:
        if musa in ("-", cuda):
            continue
        again = TABLE.find_header(musa.encode()) if kind == "header" else None
        if kind == "header":
            assert again in (b"", musa.encode()), (library, cuda, musa)
        else:
            assert musa.encode() not in TABLE, (library, cuda, musa)


def test_no_target_keeps_a_cuda_stem() -> None:
    # cublasLtGetCudartVersion keeps it in the library itself.
    kept = {"mublasLtGetCudartVersion", *(row[1] for _, row in ALL if "sigtrans_nvtx" in row[1])}
    for library, (cuda, musa, kind, *_) in ALL:
        if musa != cuda and kind != "header" and musa not in kept:
            assert not re.search("cuda|CUDA|Cuda", musa), (library, cuda, musa)


@pytest.mark.parametrize(
    ("cuda", "musa"), list(zip(PAIR_WORDS[::2], PAIR_WORDS[1::2], strict=True))
)
def test_pairs_checked_by_hand(cuda: str, musa: str) -> None:
    assert TABLE.targets[cuda.encode()] == musa.encode()
    assert cuda in TABLE.find_sources(musa)


@pytest.mark.parametrize("cuda", ABSENT_WORDS.split())
def test_absent_names_say_what_to_do(cuda: str) -> None:
    assert TABLE.absent[cuda.encode()]
    entry = TABLE.explain(cuda)
    assert entry is not None and entry.musa is None and entry.grade == "absent"
    assert cuda.encode() not in TABLE.targets


@pytest.mark.parametrize("name", LOOK_ALIKE_WORDS.split())
def test_look_alikes_are_not_cuda_names(name: str) -> None:
    assert name.encode() not in TABLE
    assert TABLE.explain(name) is None and TABLE.grade(name.encode()) == ""


@pytest.mark.parametrize(("cuda", "musa"), list(GUARDS.items()))
def test_guards_are_kept_apart(cuda: str, musa: str | None) -> None:
    assert TABLE.guards[cuda.encode()] == (musa.encode() if musa else None)
    assert cuda.encode() not in TABLE.targets and cuda.encode() not in TABLE.absent


@pytest.mark.parametrize(("cuda", "musa"), list(HEADERS.items()))
def test_headers(cuda: str, musa: bytes | None) -> None:
    assert TABLE.find_header(cuda.encode()) == musa


def test_builtins_keep_their_name() -> None:
    assert {b"__shfl_sync", b"__syncthreads", b"atomicAdd", b"warpSize", b"__ldg"} <= TABLE.same


def test_grades_are_what_the_evidence_allows() -> None:
    graded = {
        "cudaMalloc": "seen",
        "cuGreenCtxCreate": "docs",
        "cudaMemcpyToArray": "rule",  # a profiler id is no proof that the library has the call
        "nvcuda": "seen",
        "__nv_half": "differs",
        "CUtensorMap": "absent",
    }
    for name, grade in graded.items():
        assert TABLE.grade(name.encode()) == grade, name
    entry = TABLE.explain("cudaMallocAsync")
    assert entry is not None and entry.sdk == ">=5.1" and entry.family == "runtime"


def test_every_name_is_in_exactly_one_collection() -> None:
    collections = (
        TABLE.targets,
        TABLE.same,
        TABLE.absent,
        TABLE.guards,
        TABLE.headers,
        TABLE.methods,
    )
    assert sum(map(len, collections)) == len(ALL)
    assert len(set().union(*collections)) == len(ALL)


@given(st.sampled_from(ALL))
def test_explain_gives_back_the_row(row: tuple[str, list[str]]) -> None:
    library, (cuda, musa, kind, grade, sdk, evidence, note) = row
    entry = TABLE.explain(cuda)
    target = None if musa == "-" else musa
    assert entry == names.Entry(cuda, target, kind, grade, sdk, evidence, note, library)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("cudaMalocc", "cudaMalloc"), ("cublasSgem", "cublasSgemm"), ("cuMemAllocc", "cuMemAlloc")],
)
def test_similar_names_are_suggested(wrong: str, right: str) -> None:
    assert right in TABLE.find_similar(wrong)


def test_nothing_is_suggested_for_an_unrelated_word() -> None:
    assert TABLE.find_similar("zebra") == []


def write_table(path: Path, *lines: str) -> Path:
    path.write_bytes(b"\n".join([names.HEAD, *(line.encode() for line in lines), b""]))
    return path


def test_extra_tables_override_and_add(tmp_path: Path) -> None:
    extra = write_table(
        tmp_path / "ours.tsv",
        "cudaMalloc\tourMalloc\tfunction\tdiffers\t\tour port\t",
        "cudaFree\t-\tfunction\tabsent\t\tour port\tkeep it",
        "acmeCudaInit\tacmeMusaInit\tfunction\trule\t\t\t",
    )
    table = names.load([extra])
    assert table.targets[b"cudaMalloc"] == b"ourMalloc"
    assert b"cudaFree" not in table.targets and table.absent[b"cudaFree"] == b"keep it"
    assert table.targets[b"acmeCudaInit"] == b"acmeMusaInit"
    entry = table.explain("cudaMalloc")
    assert entry is not None and entry.evidence == "our port"
    assert table.find_sources("musaMalloc") == ()
    assert TABLE.targets[b"cudaMalloc"] == b"musaMalloc"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a\tb\n", ":1: not a name table"),
        (names.HEAD.decode() + "\ncudaX\tmusaX\n", ":2: a row has 7"),
        (names.HEAD.decode() + "\n\ncudaX\tmusaX\tthing\trule\t\t\t\n", ":3: kind 'thing'"),
        (names.HEAD.decode() + "\ncudaX\tmusaX\tmacro\tsure\t\t\t\n", ":2: grade 'sure'"),
    ],
)
def test_a_bad_extra_table_is_one_clear_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(text, "utf-8")
    with pytest.raises(SigtransError) as error:
        names.load([path])
    assert complaint in str(error.value) and "\n" not in str(error.value)


def test_a_missing_extra_table_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SigtransError, match="cannot read the name table"):
        names.load([tmp_path / "no.tsv"])


def test_data_lies_in_the_wheel_or_beside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "sigtrans"
    package.mkdir()
    monkeypatch.setattr(names, "__file__", str(package / "names.py"))
    assert names.data_dir() == tmp_path / "rules"
    (package / "_data" / "rules").mkdir(parents=True)
    assert names.data_dir() == package / "_data" / "rules"
    with pytest.raises(SigtransError, match="no name tables"):
        names.load()


# --- the tool that writes the tables --------------------------------------------------------------


TOOL_PATH = Path(__file__).resolve().parent.parent / "tools" / "make_names.py"


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_names", TOOL_PATH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TOOL = load_tool()

SNIPPET = """
#ifndef CUDA_DEMO_H
#define CUDA_DEMO_H
/* cudaInComment(int) */
#define cudaDemoDefault 0x00
#define cuDemo cuDemo_v2
#if defined(__cplusplus)
extern "C" {
#endif
typedef struct CUdemo_st *CUdemo;
typedef enum cudaDemoKind_enum { cudaDemoA = 0, cudaDemoB = (1 << 2), cudaDemoC } cudaDemoKind;
struct __device_builtin__ cudaDemoProps { int cudaMember; enum cudaInner { cudaInnerA } kind; };
typedef void (CUDART_CB *cudaDemoFn_t)(cudaError_t cudaParam, void *data);
extern __host__ cudaError_t CUDARTAPI cudaDemoRun(CUdemo cudaHandle, int cudaCount);
#ifdef OLD
static inline int cudaDemoOld(int a) {
#else
static inline int cudaDemoNew(int a) {
#endif
  int cudaLocal = a; return cudaLocal;
}
#if defined(__cplusplus)
}
#endif
#endif
"""


def test_the_tool_reads_declarations_and_nothing_else() -> None:
    found = {
        n.text: n.kind for n in TOOL.find_names(SNIPPET, "demo.h") if n.text[:2] in ("cu", "CU")
    }
    assert found == {
        "cudaDemoDefault": "macro",
        "cuDemo": "macro",
        "cuDemo_v2": "function",
        "CUdemo_st": "type",
        "CUdemo": "type",
        "cudaDemoKind_enum": "type",
        "cudaDemoA": "enum",
        "cudaDemoB": "enum",
        "cudaDemoC": "enum",
        "cudaDemoKind": "type",
        "cudaDemoProps": "type",
        "cudaInnerA": "enum",
        "cudaDemoFn_t": "type",
        "cudaDemoRun": "function",
        "cudaDemoNew": "function",
    }


CURATED = TOOL.read_rows(TOOL_PATH.with_name("names_curated.tsv"))


def test_rule_grade_targets_follow_the_rule_unless_a_person_said_otherwise() -> None:
    curated = {row.cuda for row in CURATED}
    # Names of a loader list that was renamed by a machine, kept as they stand there.
    for library, (cuda, musa, kind, grade, *_) in ALL:
        if grade == "rule" and kind != "header" and cuda not in curated:
            assert musa == TOOL.make_target(cuda), (library, cuda, musa)


def test_curated_rows_are_well_formed() -> None:
    assert len({row.cuda for row in CURATED}) == len(CURATED)
    for row in CURATED:
        assert row.grade in names.GRADES | {"*"}, row
        assert row.kind in names.KINDS | {"*"}, row


def test_a_header_without_a_row_follows_its_folder() -> None:
    assert TABLE.header_row(b"nvtx3/other.hpp") == b"nvtx3/"
    assert TABLE.header_row(b"cuda/std/other") == b"cuda/std/"
    assert TABLE.header_row(b"cuda_runtime.h") == b"cuda_runtime.h"
    assert TABLE.header_row(b"mine/cuda_runtime.h") == b""
