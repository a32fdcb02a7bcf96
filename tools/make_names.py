"""Write `rules/names/*.tsv`: every public CUDA name, its MUSA name, and what stands behind it.

    make_names.py --headers DIR [DIR ...] [--symbols FILE] [--out DIR]

Names come from real CUDA headers (several releases at once, so that removed calls are known too).
Targets come, best first, from `names_curated.tsv` beside this file, from `--symbols` (names found
in real MUSA code; without it from the tables already written), else from the vendor's naming rule.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

COLUMNS = ("cuda", "musa", "kind", "grade", "sdk", "evidence", "note")

# --- reading headers ------------------------------------------------------------------------------

# Folders and files no user includes, or whose project other rules handle.
_UNLISTED = re.compile(
    r"(cccl|thrust|cub|nv|CL|Openacc|Openmp|common|nvtxw3|nvtxDetail|nccl_device|device_launch|crt/sm_)/"
    r"|.*/(details|detail|nvtxDetail)/.*|.*\.hpp|crt/(?!mma|host_defines|host_config).*|CL/.*|nccl_device.*"
    r"|generated_.*|fatbinary_section.*|nv_decode.*|nvperf_.*|nvtxw3.*|common/.*|.*_v[89]\.h|npp.*"
)
# Listed as headers, but what they declare keeps its name or is internal.
_UNREAD = re.compile(
    r"(math|surface|texture)_functions.*|(surface|texture)_indirect.*|texture_fetch.*|nccl_net.*"
    r"|sm_\d+_.*|nvPTXCompiler.*|nvvm.*|nvblas.*|cooperative_groups/.*|curand_mtgp32dc.*|nvtx3/nvtx3.*"
)

_FAMILY = re.compile(
    r"cuda[A-Z]\w*|CUDA_\w+|CUDART_\w+|CUDAAPI|CUDARTAPI"
    r"|cu[A-Z]\w+|cuuint\d+_t|CU_\w+|CU[a-z]\w+|make_cu(?:da)?[A-Z]\w+|PFN_cu\w+"
    r"|(?:cublas|cudnn|cufft|curand|cusparse|cusolver|cupti)\w+"
    r"|(?:CUBLAS|CUDNN|CUFFT|CURAND|CUSPARSE|CUSOLVER|CUPTI)\w*_\w+"
    r"|p?nccl[A-Z]\w+|NCCL_\w+|nvrtc[A-Z]\w+|NVRTC_\w+|nvml[A-Z]\w+|NVML_\w+|nvtx[A-Z]\w+|NVTX_\w+"
    r"|nvJitLink\w+|NVJITLINK_\w+|__nv_\w+|__NV_\w+|nv_bfloat16\w*|nv_half\w*|nvcuda"
)

# Left over in headers, never written by a user: guards, generators' helpers, deprecation marks.
_JUNK = re.compile(
    r"\w*_H_*|\w*_HPP_*|\w*_H_INCLUDED|\w*INCLUDED_?|\w+__"
    r"|\w*DEPRECATED\w*|\w+_PARAMS_SIZE\w*|\w*_STRUCT_SIZE\w*"
    r"|CUDA_INCLUDE_COMPILER_INTERNAL\w*|CUDA_CB_.*|CUDART_PLATFORM\w*|CUDA_COMMON_\w+"
    r"|CU(?:BLAS|FFT|RAND|SPARSE|SOLVER|DNN)\w*_(?:WARN|EXPORT)\w*|CUSPARSE_CPP\w*"
    r"|\w+_DISABLE_\w*WARN\w*|__nv_(?!bfloat16|half|fp\d|cvt_(?!a)|saturation_t)\w*"
    r"|__NV_(?:SILENCE|NO_|ATTR|DEVICE|DIAG|BUILTIN|STATIC|IF|ATOMIC|TEX|SURF|NAME|NVHPC|DISABLE)\w*"
    r"|NVTX_(?:INLINE|DECLSPEC|API|IMPL|EXTENSION|CPP|DYNAMIC|SINGLE|VERSIONED|EXPORT|ETID|INIT|LINKONCE"
    r"|CB|CBID|CLIENT|CONSTEXPR|REPORT|TYPES|WIDEN|PAYLOAD_\w*(?:IMPL|DETAIL|_NARG\w*)|EXT_)\w*"
    r"|\w+_(?:params|ptds|ptsz)(?:_st)?|CUPTI_\w*_(?:SIZE|FORCE_INT)|\w+_FORCE_INT|\w+_FORCE_?INT"
    r"|CUDART_DEVICE|cu[A-Z]\w+_params\w*|CUPTI(?:API|UTILAPI|LP64)|cuda_\w+_params\w*"
)

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
_ATTRIBUTE = re.compile(r"__\w+__|__align__|alignas")
_TOKEN = re.compile(r"^[ \t]*#[^\n]*|[A-Za-z_]\w*|\S", re.M)
_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(\()?(.*)", re.S)


@dataclass(frozen=True, slots=True)
class Name:
    """One public name as a header declares it."""

    text: str
    kind: str
    header: str


def find_headers(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """Header files by the name they are included under, in order of that name."""
    found: dict[str, list[Path]] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*.h")) + sorted(folder.rglob("*.hpp")):
            parts = path.relative_to(folder).as_posix().split("include/")
            found.setdefault(parts[-1], []).append(path)
    return dict(sorted(found.items()))


def find_names(text: str, header: str) -> Iterator[Name]:
    """Functions, types, enumerators and macros that a header makes public."""
    text = _COMMENT.sub(lambda m: " " if m[0].startswith("/") else '""', text)
    text = text.replace("\\\r\n", " ").replace("\\\n", " ")
    scopes: list[str] = []  # t: extern "C" or namespace, e: enum, s: struct, b: body
    statement: list[str] = []
    saved: list[tuple[list[str], list[str]]] = []
    parens = 0
    enumerator_next = False
    for token in _TOKEN.findall(text):
        if token.lstrip().startswith("#"):
            yield from _macros(token, header)
            directive = token.lstrip(" \t#")
            # Alternatives of one #if open the same braces: go back to the state before it.
            if directive.startswith("if"):
                saved.append((scopes[:], statement[:]))
            elif directive.startswith("el") and saved:
                scopes, statement = saved[-1][0][:], saved[-1][1][:]
                parens = 0
            elif directive.startswith("endif") and saved:
                saved.pop()
            continue
        inside = scopes[-1] if scopes else "t"
        if inside == "e":
            if token == "}":
                scopes.pop()
            elif token in "()":
                parens += 1 if token == "(" else -1
            elif token == "," and parens == 0:
                enumerator_next = True
            elif enumerator_next and token.isidentifier():
                enumerator_next = False
                yield Name(token, "enum", header)
            continue
        if token == "{":
            opened = _scope(statement) if inside == "t" else "b"
            if inside != "t" and "enum" in statement:
                opened = "e"
            scopes.append(opened)
            if opened == "t":
                statement = []
            enumerator_next = opened == "e"
            parens = 0
        elif token == "}":
            if not scopes:
                continue
            closed = scopes.pop()
            if closed == "b" and (not scopes or scopes[-1] == "t"):
                yield from _declared(statement, header)
                statement = []
            elif closed == "t":
                statement = []
        elif token == ";":
            if inside == "t":
                yield from _declared(statement, header)
                statement = []
            elif inside == "s":
                statement = [t for t in statement if t != "enum"]
        elif inside == "t" or (inside == "s" and token == "enum"):
            statement.append(token)


def _macros(token: str, header: str) -> Iterator[Name]:
    match = _DEFINE.match(token)
    if match and (match[2] or match[3].strip()):  # an empty macro is a guard or a mark
        yield Name(match[1], "macro", header)
        # `#define cuMemAlloc cuMemAlloc_v2` is the only place that names the exported symbol.
        exported = re.search(r"\bcu[A-Z]\w*?_v\d+\b(?!_)", match[3])
        if exported:
            yield Name(exported[0], "function", header)


def _scope(statement: list[str]) -> str:
    outer = _outside_parens(statement)
    if "enum" in outer:
        return "e"
    if "namespace" in outer or outer in (["extern", '"', '"'], ["extern"]):
        return "t"
    if not {"struct", "union", "class"}.isdisjoint(outer) and "(" not in statement:
        return "s"
    return "b"


def _outside_parens(tokens: list[str]) -> list[str]:
    depth, kept = 0, []
    for token in tokens:
        if token == ")":
            depth -= 1
        if depth == 0:
            kept.append(token)
        if token == "(":
            depth += 1
    return kept


def _declared(statement: list[str], header: str) -> Iterator[Name]:
    outer = _outside_parens(statement)
    for at, word in enumerate(outer):
        if word in ("struct", "union", "class", "enum"):
            rest = (t for t in outer[at + 1 :] if t not in "()" and not _ATTRIBUTE.fullmatch(t))
            yield Name(next(rest, ""), "type", header)
    if "typedef" in outer:
        pointer = re.search(r"\( (?:\w+ )?\* (\w+) \)", " ".join(statement))
        if pointer:
            yield Name(pointer[1], "type", header)
            return
        last = ""
        for token in [*outer, ","]:
            if token in (",", "[") and last:
                yield Name(last, "type", header)
                last = ""
            last = token if token.isidentifier() else last
        return
    for name, paren in pairwise(outer):
        if paren == "(" and _FAMILY.fullmatch(name) and not name.isupper():
            yield Name(name, "function", header)
            return
    if "extern" in outer or "const" in outer or "constexpr" in outer:
        idents = [t for t in outer if t.isidentifier()]
        if idents and "(" not in outer and "=" not in outer:
            yield Name(idents[-1], "variable", header)


def find_public(folders: Iterable[Path]) -> tuple[dict[str, Name], list[str]]:
    """All public CUDA names of the headers, and the headers themselves."""
    names: dict[str, Name] = {}
    headers: list[str] = []
    rank = {"function": 0, "type": 1, "enum": 2, "variable": 3, "macro": 4}
    for header, paths in find_headers(folders).items():
        if _UNLISTED.match(header):
            continue
        headers.append(header)
        if _UNREAD.match(header):
            continue
        for path in paths:
            for name in find_names(path.read_text("utf-8", "replace"), header):
                if not _FAMILY.fullmatch(name.text) or _JUNK.fullmatch(name.text):
                    continue
                old = names.get(name.text)
                if old is None or rank[name.kind] < rank[old.kind]:
                    names[name.text] = name
    return names, headers


# --- naming ---------------------------------------------------------------------------------------

_CU_LIBRARIES = ("blas", "dnn", "fft", "rand", "sparse", "solver", "pti")
_STEMS = (
    ("CUDA", "MUSA"),
    ("Cuda", "Musa"),
    ("cuda", "musa"),
    *((f"cu{lib}", f"mu{lib}") for lib in _CU_LIBRARIES),
    *((f"CU{lib.upper()}", f"MU{lib.upper()}") for lib in _CU_LIBRARIES),
    ("nccl", "mccl"),
    ("NCCL", "MCCL"),
    ("nvrtc", "mtrtc"),
    ("NVRTC", "MTRTC"),
    ("__nv_", "__mt_"),
    ("__NV_", "__MT_"),
    ("nv_bfloat16", "mt_bfloat16"),
    ("nvcuda", "mtmusa"),
    ("NVLINK", "MTLINK"),
    ("NvLink", "MtLink"),
    ("Nvlink", "Mtlink"),
    ("NvSci", "MtSci"),
)
_LEADING = re.compile(r"^((?:PFN_|make_|MUPTI_\w+?_CBID_)?)(cu(?=[A-Z]|uint)|CU(?=_|[a-z]))")


def make_target(name: str) -> str:
    """The MUSA name by the vendor's naming rule alone."""
    if name.startswith(("nv_bfloat16", "nvcuda")):
        return name.replace("nv_", "mt_", 1).replace("nvcuda", "mtmusa", 1)
    for old, new in _STEMS:
        name = name.replace(old, new)
    return _LEADING.sub(lambda m: m[1] + ("mu" if m[2] == "cu" else "MU"), name)


_LIBRARIES = (
    (
        "interop",
        r"(?:PFN_)?(?:cuda|cu)(?:GL|EGL|Egl|egl|VDPAU|D3D|WGL|VD)\w*|cuda\w+(?:EGL|GLRegister)\w*"
        r"|(?:PFN_)?(?:cuda|cu)Graphics(?:GL|EGL|VDPAU|D3D|ResourceGetMappedEgl)\w*|\w+NvSci\w*|\w+NVSCI\w*"
        r"|CU(?:DA)?_(?:GL|EGL|D3D\d*|VDPAU)_\w+|CU(?:egl|GL|D3D|d3d|vdpau)\w*|cu\w+D3D\w*|CU_\w+_D3D\w*"
        r"|(?:PFN_)?cuEventCreateFromEGL\w*",
    ),
    ("cublaslt", r"(?i:cublas(?:lt|xt)\w*)"),
    ("cublas", r"(?i:cublas\w*)"),
    ("cudnn", r"(?i:cudnn\w*)"),
    ("cufft", r"(?i:cufft\w*)"),
    ("curand", r"(?i:curand\w*)"),
    ("cusparse", r"(?i:cusparse\w*)"),
    ("cusolver", r"(?i:cusolver\w*)"),
    ("cupti", r"(?i:cupti\w*)"),
    ("nccl", r"(?i:p?nccl\w*)"),
    ("nvrtc", r"(?i:nvrtc\w*|nvjitlink\w*)"),
    ("nvml", r"(?i:nvml\w*)"),
    ("nvtx", r"(?i:nvtx\w*)"),
    ("types", r"__(?:nv|NV)_\w+|nv_\w+|nvcuda|(?:make_)?cu(?:Double|Float)?Complex\w*|cuC\w+f?"),
    ("compiler", r"__\w+|CUDA(?:RT)?_VERSION|CUDA_(?:API_PER_THREAD|FORCE_API)\w+"),
    (
        "runtime",
        r"(?:make_)?cuda[A-Z]\w*|CUDART\w*|CUDA_(?:R|C)_\w+|CUDA_IPC_HANDLE_SIZE|CUDA_EGL\w*",
    ),
    ("driver", r"\w+"),
)
_LIBRARIES_COMPILED = tuple((lib, re.compile(pattern)) for lib, pattern in _LIBRARIES)
_WRITTEN = {"device", "headers", *(library for library, _ in _LIBRARIES)}
_COMPLEX_CALL = re.compile(
    r"cu(?:C(?:real|imag|onj|add|sub|mul|div|abs|fma)f?|ComplexDoubleToFloat|ComplexFloatToDouble)"
)


def find_library(name: str) -> str:
    """The table a name belongs to."""
    if name.startswith("cuC") and not _COMPLEX_CALL.fullmatch(name) and "Complex" not in name:
        return "driver"
    return next(lib for lib, pattern in _LIBRARIES_COMPILED if pattern.fullmatch(name))


# --- evidence -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    cuda: str
    musa: str
    kind: str
    grade: str
    sdk: str = ""
    evidence: str = ""
    note: str = ""


def read_rows(path: Path) -> list[Row]:
    """Rows of a table, without its head line."""
    lines = path.read_text("utf-8").splitlines()[1:]
    return [Row(*(line.split("\t") + [""] * 7)[:7]) for line in lines if line.strip()]


_PROFILER = "MUPTI runtime callback name"
_DROPPED_TRUST = ("api-list-renamed", "musified-only")
_DOCS_SITE = "https://docs.mthreads.com/musa-sdk/musa-sdk-doc-online/"


def _citation(evidence: str) -> str:
    """The shortest public citation among several; an index number is never public."""
    cited = []
    for part in evidence.split(";"):
        part = part.strip()
        private = re.fullmatch(r"index:\d+ \((.*)\)", part)
        if private:
            cited.append((2, private[1].removeprefix("copy of ")))
        elif part.startswith(_DOCS_SITE):
            cited.append((1, "vendor docs: " + part.removeprefix(_DOCS_SITE)))
        elif ": " in part or part.startswith("http"):
            cited.append((0, part))
        else:
            repository, _, path = part.partition("/")
            cited.append((0, f"{repository}: {path}"))
    best = min(cited, key=lambda c: (c[0], len(c[1])))
    return best[1].replace("MooreThreads/", "")


def read_symbols(path: Path) -> dict[str, Row]:
    """What hand-written MUSA code, loader lists and vendor pages prove, by CUDA name."""
    rows: dict[str, Row] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        musa, kind, cuda, _, evidence, status, trust, note = (line.split("\t") + [""] * 8)[:8]
        if status == "musa-only" or "page spelling" in note or cuda.startswith("-"):
            continue
        sdk = ">=5.1" if "SDK 5.1+" in note else ">=4.3" if "4.3 or newer" in note else ""
        weak = trust in _DROPPED_TRUST or _PROFILER in note or note.startswith("weak")
        weak = weak or "commented out" in note
        grade = "rule" if weak else "docs" if trust == "docs" else "seen"
        row = Row("", musa, kind, grade, sdk, "" if weak else _citation(evidence))
        row = replace(row, note=_remark(note, trust, grade))
        for name in cuda.partition(" (")[0].split("|"):
            if name not in rows or rows[name].grade == "rule":
                rows[name] = replace(row, cuda=name)
    return rows


def _remark(note: str, trust: str, grade: str) -> str:
    """What of a note in the list of symbols a user has to know."""
    if _PROFILER in note:
        return "profiler id"
    if trust == "musified-only":
        return "seen in converted code only"
    if "shim" in note and "4.3" in note:
        return "needs SDK 4.3; older SDKs have musolver* calls without Dn and other arguments"
    if "C++-mangled" in note or "behind a header" in note or "counts like" in note:
        return note
    if grade == "docs" and ".md" not in note:
        return re.sub(r"^(driver API, )?SDK 5\.[12]\+?(; )?|; SDK 5\.1\+$", "", note)
    return ""


class Curated:
    """Rows that win over everything; a `*` in the first column is a wildcard, elsewhere "keep"."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.exact: dict[str, Row] = {}
        self.globs: list[Row] = []
        for row in rows:
            if not {"*", "?", "["}.isdisjoint(row.cuda):
                self.globs.append(row)
            else:
                self.exact[row.cuda] = row

    def apply(self, row: Row) -> Row:
        """The row with every curated column put in."""
        over = self.exact.get(row.cuda)
        if over is None:
            # A family's grade never beats evidence for one of its names.
            unproven = row.grade == "rule"
            over = next(
                (
                    g
                    for g in self.globs
                    if (unproven or g.grade == "*") and fnmatchcase(row.cuda, g.cuda)
                ),
                None,
            )
        if over is None:
            return row
        kept = {
            column: getattr(row, column) if getattr(over, column) == "*" else getattr(over, column)
            for column in COLUMNS[1:]
        }
        if over.musa == "=":
            kept["musa"] = row.cuda
        return replace(row, **kept)


# --- tables ---------------------------------------------------------------------------------------


def make_header_target(header: str) -> str:
    """The name of a header on the MUSA side by the naming rule."""
    folder, slash, base = header.rpartition("/")
    for old, new in _STEMS:
        base = base.replace(old, new)
    return folder + slash + re.sub(r"^cu(?=[A-Z])", "mu", base)


def make_tables(
    names: dict[str, Name], headers: Iterable[str], proven: dict[str, Row], curated: Curated
) -> dict[str, list[Row]]:
    """Rows by library, sorted by CUDA name, every name once."""
    tables: dict[str, dict[str, Row]] = {}

    def add(library: str, row: Row) -> None:
        tables.setdefault(library, {})[row.cuda] = curated.apply(row)

    known = set(names) | {n for n in proven if _FAMILY.fullmatch(n) and not _JUNK.fullmatch(n)}
    known |= {row.cuda for row in curated.exact.values() if row.kind != "header"}
    for text in sorted(known):
        found = names.get(text)
        exact = curated.exact.get(text)
        kind = found.kind if found else "function"
        if exact and exact.kind != "*":
            kind = exact.kind
        library = "device" if kind == "intrinsic" else find_library(text)
        if kind == "guard" and library == "driver":
            library = "compiler"
        row = proven.get(text)
        if row is None:
            row = Row(text, make_target(text), kind, "rule")
        elif found:
            row = replace(row, kind=found.kind)
        add(library, row)
    included = {*headers, *(row.cuda for row in curated.exact.values() if row.kind == "header")}
    included |= {name for name, row in proven.items() if row.kind == "header" and "/" in name}
    for text in sorted(included):
        named = Row(text, make_header_target(text), "header", "rule")
        add("headers", proven.get(text, named))
    for text, row in sorted(proven.items()):
        builtin = row.kind == "intrinsic" or (row.kind == "macro" and text.startswith("__"))
        if builtin and text == row.musa and text.isidentifier():
            add("device", row)
    return {lib: [rows[k] for k in sorted(rows)] for lib, rows in sorted(tables.items())}


def write_tables(tables: dict[str, list[Row]], folder: Path) -> None:
    """Write one file per library."""
    folder.mkdir(parents=True, exist_ok=True)
    for library, rows in tables.items():
        lines = ["\t".join(COLUMNS)]
        lines += ["\t".join(getattr(row, column) for column in COLUMNS) for row in rows]
        (folder / f"{library}.tsv").write_text("\n".join(lines) + "\n", "utf-8")


def main() -> int:
    """Run from the command line."""
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--headers", nargs="+", type=Path, required=True, metavar="DIR")
    parser.add_argument("--symbols", type=Path, metavar="FILE", help="names seen in MUSA code")
    parser.add_argument("--curated", type=Path, default=here / "names_curated.tsv", metavar="FILE")
    parser.add_argument("--out", type=Path, default=here.parent / "rules" / "names", metavar="DIR")
    options = parser.parse_args()
    names, headers = find_public(options.headers)
    if options.symbols:
        proven = read_symbols(options.symbols)
    else:
        # Tables of other hands may lie in the same folder: only our own are read back.
        ours = [options.out / f"{library}.tsv" for library in sorted(_WRITTEN)]
        written = [row for path in ours if path.exists() for row in read_rows(path)]
        proven = {row.cuda: row for row in written}
    tables = make_tables(names, headers, proven, Curated(read_rows(options.curated)))
    write_tables(tables, options.out)
    for library, rows in tables.items():
        grades = {g: sum(r.grade == g for r in rows) for g in sorted({r.grade for r in rows})}
        print(f"{library:10} {len(rows):6}", *(f"{g} {n}" for g, n in grades.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
