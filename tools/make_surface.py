"""Write `rules/surface/*.tsv`: what the MUSA libraries declare, with types, for `sigtrans check`.

    make_surface.py --headers DIR [DIR ...] [--out DIR]

Each DIR holds the `include` folders of one CUDA release, as the nvidia-* packages of the Python
package index unpack; the first release that declares a name wins. libclang reads them, so a row is
what a compiler understood: a name, its type, parameter types, fields, enumerators. Names become
MUSA names by the tables in `rules/names`; what those call absent is left out. Forms that are known
to differ on MUSA stand in `surface_curated.tsv` beside this file, which wins.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clang import cindex
from make_names import make_target

from sigtrans.names import NameTable, load
from sigtrans.surface import COLUMNS, declare

# The family of each header; the first that matches. What matches none is not read.
_FAMILIES = (
    ("interop", r"cuda(_?gl|_?egl|_?vdpau|GL|EGL|VDPAU)\w*\.h|cuda_(gl|egl|vdpau)_interop\.h"),
    ("complex", r"cuComplex\.h"),
    ("half", r"cuda_(fp16|bf16)\.hp?p?"),
    ("fp8", r"cuda_fp8\.hp?p?"),
    ("profiler", r"cuda_?[pP]rofiler(_api)?\.h"),
    ("driver", r"cuda\.h"),
    (
        "device",
        r"(crt/)?(math|device|device_double|common|vector)_functions\.hp?p?|sm_\d+_\w+\.hp?p?"
        r"|device_atomic_functions\.hp?p?|(texture|surface)_(fetch|indirect)?_?functions\.h",
    ),
    (
        "runtime",
        r"(cuda_runtime|cuda_runtime_api|driver_types|library_types|channel_descriptor"
        r"|(cuda_)?(surface|texture)_types|driver_functions|cuda_device_runtime_api"
        r"|device_types|math_constants)\.h",
    ),
    ("cublaslt", r"cublas(Lt|Xt)\.h"),
    ("cublas", r"cublas(_api|_v2)?\.h"),
    ("cufft", r"cufft(Xt)?\.h|cudalibxt\.h"),
    ("curand_kernel", r"curand_(?!precalc|globals\.|mrg)\w+\.h"),
    ("curand", r"curand\.h"),
    ("cusparse", r"cusparse(_v2)?\.h"),
    ("cusolver", r"cusolver\w+\.h"),
    ("nccl", r"nccl\.h"),
    ("nvrtc", r"nvrtc\.h"),
    ("cupti", r"cupti\w*\.h"),
)
_PATTERNS = tuple((family, re.compile(pattern)) for family, pattern in _FAMILIES)

_INCLUDED = (
    "cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h",
    "cuComplex.h", "library_types.h", "math_constants.h", "cudaGL.h", "cuda_gl_interop.h",
    "cudaEGL.h", "cuda_egl_interop.h", "cudaProfiler.h", "cuda_profiler_api.h",
    "texture_fetch_functions.h", "texture_indirect_functions.h", "surface_functions.h",
    "surface_indirect_functions.h", "cublas_v2.h", "cublasLt.h", "cublasXt.h", "cufft.h",
    "cufftXt.h", "curand.h", "curand_kernel.h", "cusparse.h", "cusolverDn.h", "cusolverSp.h",
    "cusolverRf.h", "cusolverMg.h", "cusolverSp_LOWLEVEL_PREVIEW.h", "nccl.h", "nvrtc.h", "cupti.h",
)  # fmt: skip

# What the headers want from elsewhere; only enough to read them.
_STANDINS = {
    "nv/target": "#define NV_IF_TARGET(...)\n#define NV_IF_ELSE_TARGET(...)\n",
    "cuda_stdint.h": "#include <stdint.h>\n",
    "GL/gl.h": "typedef unsigned int GLuint;\ntypedef unsigned int GLenum;\n",
    "EGL/egl.h": (
        "typedef void *EGLImageKHR;\ntypedef void *EGLStreamKHR;\ntypedef void *EGLSyncKHR;\n"
        "typedef unsigned int EGLint;\n"
    ),
    "EGL/eglext.h": "",
    "generated_cuda_runtime_api_meta.h": "",
}

# Public names of headers whose names keep their form and so are in no table.
_PUBLIC = {
    "device": re.compile(
        r"__(?!nv|internal|cuda|cvta|pm\d|prof|barrier|uni_|brkpt|fmaf_ieee|signbit|u?int\dmask)[a-z]\w+"
        r"|(atomic|tex\d|texC|surf)\w+|make_[a-z]+\d|clock(64)?|malloc|free|memcpy|memset"
        r"|u?l?l?(max|min)|rsqrtf?|(sin|cos)pif?|sincos(pi)?f?|rcbrtf?|erfc?(inv|x)f?|normcdf(inv)?f?"
        r"|r?norm(3d|4d)?f?|rhypotf?|cyl_bessel_i[01]f?|exp10f?|fdividef|nanosleep"
    ),
    "half": re.compile(
        r"__(?!nv|internal|float_simpl|h(isnan2|cmadd)|lowhigh)\w+|h2?(a?[a-z]+\d*)|make_(half2|bfloat162)"
    ),
    "curand_kernel": re.compile(
        r"curand(_(?!M2|MRG|Ph|mtgp32_single|binary|box|poisson_|mtgp32_sp)[a-z]\w*|4|_mtgp32_\w+)?"
        r"|skipahead\w*"
    ),
}
_STATE = re.compile(
    r"curand_?[sS]tate\w*|curandDiscreteDistribution_st|mtgp32_(kernel_)?params(_fast)?(_t)?"
)
# Device functions that every C library gives the host as well.
_C_NAMES = frozenset(
    [
        "malloc",
        "free",
        "memcpy",
        "memset",
        "clock",
        "sincos",
        "sincosf",
        "exp10",
        "exp10f",
        "__finite",
        "__finitef",
        "__finitel",
        "__isinf",
        "__isinff",
        "__isinfl",
        "__isnan",
        "__isnanf",
        "__isnanl",
    ]
)
_PLAIN = frozenset(
    [
        "unsigned",
        "signed",
        "int",
        "long",
        "short",
        "char",
        "float",
        "double",
        "void",
        "const",
        "struct",
        "enum",
        "union",
        "size_t",
        "__int_as_float",
        "__longlong_as_double",
        "volatile",
        "uint64_t",
        "uint32_t",
        "int64_t",
        "int32_t",
        "uint8_t",
        "int8_t",
        "uint16_t",
        "int16_t",
        "ULL",
        "UL",
        "U",
        "LL",
        "L",
    ]
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_CUDA = re.compile(
    r"_?_?(cu[a-z]*[A-Z_]|CU[A-Z]*_?|p?nccl|NCCL|nv(rtc|_)|NV(RTC|_)|cuda|CUDA|make_cu)"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One declaration."""

    family: str
    kind: str
    name: str
    type: str = ""  # result of a function
    detail: str = ""  # parameters, fields, enumerators, the other type, the value
    side: str = ""  # d or hd for device functions; the head of a template

    def line(self) -> str:
        return "\t".join((self.kind, self.name, self.type, self.detail, self.side)).rstrip("\t")


class Mapper:
    """CUDA names inside a piece of C become MUSA names; None when one of them is absent."""

    def __init__(self, table: NameTable) -> None:
        self.table = table

    def name(self, name: str) -> str | None:
        raw = name.encode()
        for rows in (self.table.targets, self.table.guards):
            known = rows.get(raw)
            if known is not None:
                return known.decode()
        if raw in self.table.absent or raw in self.table.guards:
            return None
        if raw in self.table.same:
            return name
        # Tags of opaque structs and the like are in no table: the vendor's rule names them.
        if not _CUDA.match(name):
            return name
        target = make_target(name)
        return re.sub(r"^CU(?=[A-Z])", "MU", target) if target == name else target

    def text(self, text: str) -> str | None:
        lost = False

        def one(match: re.Match[str]) -> str:
            nonlocal lost
            target = self.name(match[0])
            lost |= target is None
            return target or ""

        text = _WORD.sub(one, text)
        return None if lost else text


def find_includes(folder: Path) -> list[str]:
    """Every `include` folder of one release."""
    found = [str(folder)] if (folder / "cuda.h").is_file() else []
    for place, folders, _ in os.walk(folder, followlinks=True):
        found += [f"{place}/{name}" for name in folders if name == "include"]
    return sorted(found)


def parse(includes: list[str], host: list[str]) -> Any:
    """The headers of one release as one translation unit, faults inside bodies left aside."""
    standins = {f"/standins/{name}": text for name, text in _STANDINS.items()}
    present = [h for h in _INCLUDED if any((Path(i) / h).is_file() for i in includes)]
    main = "".join(f"#include <{name}>\n" for name in present)
    arguments = [
        "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-host-only", "-std=c++17",
        "-ferror-limit=0", "-D__CUDACC__", "-D__CUDACC_RDC__",
        "-D__CUDACC_VER_MAJOR__=12", "-D__CUDACC_VER_MINOR__=0",
        "-I/standins", *(f"-I{folder}" for folder in includes),
        *(argument for folder in host for argument in ("-idirafter", folder)),
    ]  # fmt: skip
    options = 0x01 | 0x40 | 0x200  # macros; no bodies; go on after a missing header
    unsaved = [("main.cu", main), *standins.items()]
    return cindex.Index.create().parse("main.cu", arguments, unsaved, options)


def find_rows(unit: Any, includes: Iterable[str], mapper: Mapper) -> Iterator[Row]:
    """Every declaration of the headers of the families, in order."""
    folders = sorted({str(Path(i).resolve()) + "/" for i in includes}, key=len, reverse=True)
    families: dict[str, str] = {}

    def family(cursor: Any) -> str:
        file = cursor.location.file
        if file is None:
            return ""
        if file.name not in families:
            real = str(Path(file.name).resolve())
            inside = next((real[len(f) :] for f in folders if real.startswith(f)), "")
            found = (name for name, pattern in _PATTERNS if pattern.fullmatch(inside))
            families[file.name] = next(found, "")
        return families[file.name]

    aliases: dict[str, list[str]] = {}
    macros: list[tuple[str, str, str]] = []
    top = list(_top(unit.cursor))
    for cursor, _ in top:
        if cursor.kind is cindex.CursorKind.MACRO_DEFINITION and (home := family(cursor)):
            name, tokens = cursor.spelling, list(cursor.get_tokens())
            words = [t.spelling for t in tokens[1:]]
            if words[:1] == ["("] and tokens[0].extent.end == tokens[1].extent.start:
                continue  # takes arguments
            wrapped = len(words) == 4 and words[0].startswith("__CUDA") and words[1] == "("
            if wrapped or (len(words) == 1 and _WORD.fullmatch(words[0])):
                other = words[2 if wrapped else 0]
                if other != name:
                    aliases.setdefault(other, []).append(name)
            macros.append((home, name, " ".join(words)))
    functions: set[str] = set()
    for cursor, c in top:
        home = family(cursor)
        if home:
            for row in _declaration(cursor, home, mapper, aliases, c):
                functions.add(row.name)
                yield row
    for home, name, value in macros:
        macro = _macro(home, name, value, mapper)
        if macro is not None and macro.name not in functions:
            yield macro


def _top(cursor: Any, c: bool = False) -> Iterator[tuple[Any, bool]]:
    """Declarations, and whether they stand in `extern "C"`."""
    for child in cursor.get_children():
        if child.kind in (cindex.CursorKind.LINKAGE_SPEC, cindex.CursorKind.UNEXPOSED_DECL):
            yield from _top(child, True)
        else:
            yield child, c


def _declaration(
    cursor: Any, home: str, mapper: Mapper, aliases: dict[str, list[str]], c: bool
) -> Iterator[Row]:
    kinds = cindex.CursorKind
    name = cursor.spelling
    match cursor.kind:
        case kinds.FUNCTION_DECL | kinds.FUNCTION_TEMPLATE:
            if not _is_public(name, home, mapper):
                names = [n for n in aliases.get(name, []) if _is_public(n, home, mapper)]
            else:
                names = [name, *(n for n in aliases.get(name, []) if _is_public(n, home, mapper))]
            for each in names:
                row = _function(cursor, each, home, mapper, c)
                if row is not None:
                    yield row
        case kinds.TYPEDEF_DECL | kinds.TYPE_ALIAS_DECL:
            under = cursor.underlying_typedef_type.spelling
            target, text = mapper.name(name), mapper.text(under)
            if target and text and _is_type(name, home) and "(unnamed" not in under:
                plain = text.removeprefix("struct ").removeprefix("enum ").removeprefix("union ")
                if plain != target:
                    yield Row(home, "typedef", target, "", text)
        case kinds.ENUM_DECL:
            target = mapper.name(name) if name and "(unnamed" not in name else ""
            members = _members(cursor, mapper)
            if target is not None and members:
                yield Row(home, "enum", target, "", ",".join(members))
        case kinds.STRUCT_DECL | kinds.UNION_DECL:
            target = mapper.name(name)
            if target and _is_type(name, home) and "(unnamed" not in name:
                kind = "struct" if cursor.kind is kinds.STRUCT_DECL else "union"
                if not cursor.is_definition():
                    yield Row(home, kind, target)
                else:
                    hidden = home == "curand_kernel"
                    body = "int state[16];" if hidden else _body(cursor, mapper)
                    if body is not None:
                        yield Row(home, kind, target, "", body)
                    else:
                        print(f"left out, holds an absent type: {name}", file=sys.stderr)


def _members(cursor: Any, mapper: Mapper) -> list[str]:
    """Enumerators the tables know; for an enum that has a name at least one, so that it is one."""
    known: list[str] = []
    others: list[str] = []
    for child in cursor.get_children():
        name, member = child.spelling, mapper.name(child.spelling)
        raw = name.encode()
        if member is not None:
            listed = raw in mapper.table.targets or not _CUDA.match(name)
            (known if listed else others).append(f"{member}={child.enum_value}")
    if known or "(unnamed" in cursor.spelling or not cursor.spelling:
        return known
    return others or [f"sigtrans_{cursor.spelling}=0"]


def _is_type(name: str, home: str) -> bool:
    if home == "curand_kernel":
        return _STATE.fullmatch(name) is not None
    written = ("texture", "surface", "CUuuid_st", "CUuuid")  # by hand, beside the tables
    return (
        home not in ("half", "device", "fp8") and not name.startswith("__") and name not in written
    )


def _is_public(name: str, home: str, mapper: Mapper) -> bool:
    raw = name.encode()
    table = mapper.table
    if raw in table.targets or raw in table.same:
        return True
    flag = table.flags.get(raw)
    if raw in table.absent or (flag is not None and flag.severity == "error"):
        return False
    public = _PUBLIC.get(home)
    return public is not None and public.fullmatch(name) is not None


def _function(cursor: Any, name: str, home: str, mapper: Mapper, c: bool) -> Row | None:
    target = mapper.name(name)
    spelled = cursor.result_type.spelling
    # How the headers keep wrong texel types out: a helper of theirs, always void.
    result = "void" if "_trait<" in spelled else mapper.text(spelled)
    parameters: list[str] = []
    head: list[str] = []
    sides: set[str] = set()
    kinds = cindex.CursorKind
    for child in cursor.get_children():
        match child.kind:
            case kinds.PARM_DECL:
                words = [t.spelling for t in child.get_tokens()]
                given = " = {}" if "=" in words or "__dv" in words else ""
                parameters.append(child.type.spelling + given)
            case kinds.TEMPLATE_TYPE_PARAMETER | kinds.TEMPLATE_NON_TYPE_PARAMETER:
                words = [t.spelling for t in child.get_tokens()]
                head.append(" ".join(words))
            case kinds.CUDADEVICE_ATTR:
                sides.add("d")
            case kinds.CUDAHOST_ATTR:
                sides.add("h")
    text = mapper.text(", ".join(parameters))
    if target is None or result is None or text is None or "(unnamed" in text:
        return None
    if cursor.type.kind is cindex.TypeKind.FUNCTIONPROTO and cursor.type.is_function_variadic():
        text += ", ..."
    side = "".join(sorted(sides, reverse=True)) if "d" in sides else ""
    if home == "device" and name in _C_NAMES:
        side = "d"  # the host has it from its own C library
    elif (not c or home == "device") and home != "complex" and not name.startswith("make_"):
        side += "+" * (side != "d")  # an overload: C++ only
    if re.search(r"\b(texture|surface)<", text):
        home = "texture"  # needs the class templates, which need the runtime
    if cursor.kind is kinds.FUNCTION_TEMPLATE:
        mapped = mapper.text(", ".join(head))
        if mapped is None:
            return None
        return Row(home, "template", target, result, text, f"{mapped};{side}")
    return Row(home, "function", target, result, text, side)


def _body(cursor: Any, mapper: Mapper) -> str | None:
    """The fields in C under their own names; None when one has a type that MUSA lacks."""
    parts: list[str] = []
    kinds = cindex.CursorKind
    nested = {}
    for child in cursor.get_children():
        if child.kind in (kinds.STRUCT_DECL, kinds.UNION_DECL, kinds.ENUM_DECL):
            nested[child.hash] = child
    used: set[int] = set()
    named = {
        child.type.get_declaration().hash
        for child in cursor.get_children()
        if child.kind is kinds.FIELD_DECL
    }
    for child in cursor.get_children():
        if child.kind is kinds.FIELD_DECL:
            declared = child.type.get_declaration()
            element = child.type
            while element.kind is cindex.TypeKind.CONSTANTARRAY:
                element = element.element_type
                declared = element.get_declaration()
            if declared.hash in nested and declared.hash not in used:
                used.add(declared.hash)
                word = "union" if declared.kind is kinds.UNION_DECL else "struct"
                if "(unnamed" not in declared.spelling and not declared.is_anonymous():
                    word += f" {declared.spelling}"
                dims = re.sub(r"^.*?((\[\d+\])*)$", r"\1", child.type.spelling)
                inner = _body(declared, mapper)
                if inner is None:
                    return None
                parts.append(f"{word} {{{inner}}} {child.spelling}{dims};")
                continue
            bits = f" : {child.get_bitfield_width()}" if child.is_bitfield() else ""
            text = mapper.text(child.type.spelling)
            if text is None:
                return None
            parts.append(declare(text, child.spelling) + bits + ";")
        elif child.hash in nested and child.is_anonymous() and child.hash not in named:
            word = "union" if child.kind is kinds.UNION_DECL else "struct"
            inner = _body(child, mapper)
            if inner is None:
                return None
            parts.append(f"{word} {{{inner}}};")
    return " ".join(parts)


def _macro(home: str, name: str, value: str, mapper: Mapper) -> Row | None:
    raw = name.encode()
    table = mapper.table
    if raw not in table.targets or not value or raw in table.guards:
        return None
    words = set(
        _WORD.findall(re.sub(r"\b(0[xX][\da-fA-F]+|\d[\d.]*([eE][+-]?\d+)?)[uUlLfF]*", "", value))
    )
    if any(w not in _PLAIN and w.encode() not in table.targets for w in words):
        return None
    target, text = mapper.name(name), mapper.text(value)
    if target is None or text is None or target == text:
        return None
    return Row(home, "macro", target, "", text)


def merge(releases: Iterable[Iterable[Row]], curated: list[Row]) -> dict[str, list[Row]]:
    """Rows by family: a curated name replaces all, else the first release with the name wins."""
    ours = {row.name for row in curated if not row.family.startswith("+")}
    kept: dict[str, list[Row]] = {}
    known: set[tuple[str, str]] = set()
    enums: dict[str, tuple[str, int]] = {}  # where the row of an enum is
    members: set[str] = set()
    forms: dict[str, list[Row]] = {}
    for rows in releases:
        new: dict[tuple[str, str], None] = {}
        for row in dict.fromkeys(rows):
            if row.name and row.name in ours:
                continue
            family = kept.setdefault(row.family, [])
            if row.kind == "enum":
                parts = []
                for part in row.detail.split(","):
                    member = part.partition("=")[0]
                    if member not in members:  # two CUDA names may have become one
                        members.add(member)
                        parts.append(part)
                if row.name and row.name in enums:
                    home, at = enums[row.name]
                    old = kept[home][at]
                    kept[home][at] = replace(old, detail=",".join([old.detail, *parts]))
                elif parts:
                    enums[row.name] = (row.family, len(family))
                    family.append(replace(row, detail=",".join(parts)))
                continue
            space = row.kind if row.kind in ("macro", "typedef") else "function"
            if row.kind in ("struct", "union"):
                space = "record" if row.detail else "tag"
            key = (space, row.name)
            if key in known and row.kind == "function" and _is_another(row, forms[row.name]):
                # Which of the forms MUSA has is not known: C++ is given both.
                row = replace(row, detail=row.detail.replace(" = {}", ""), side=row.side or "+")
            elif key in known or (space == "typedef" and ("record", row.name) in known):
                continue
            new[key] = None
            if row.kind == "function":
                forms.setdefault(row.name, []).append(row)
            family.append(row)
        known.update(new)
    for row in curated:
        kept.setdefault(row.family.lstrip("+"), []).append(row)
    return {family: rows for family, rows in kept.items() if rows}


def _is_another(row: Row, forms: list[Row]) -> bool:
    """Whether no known form takes the same arguments, so that a call can tell them apart."""
    given = [_plain_type(p) for p in row.detail.split(", ")]
    for form in forms:
        taken = [_plain_type(p) for p in form.detail.split(", ")]
        if form.side.rstrip("+") != row.side.rstrip("+") or taken[: len(given)] == given:
            return False
    return True


def _plain_type(text: str) -> str:
    return re.sub(r"\b(const|struct|enum|union) | = \{\}", "", text).strip()


def read_curated(path: Path) -> list[Row]:
    """Rows written by hand; the first column is the family."""
    lines = path.read_text("utf-8").splitlines()[1:]
    return [Row(*line.split("\t")) for line in lines if line and not line.startswith("#")]


def write_tables(tables: dict[str, list[Row]], folder: Path) -> None:
    """One file a family, in the order in which things must be declared."""
    folder.mkdir(parents=True, exist_ok=True)
    for family, rows in sorted(tables.items()):
        text = "\n".join(["\t".join(COLUMNS), *(row.line() for row in rows)]) + "\n"
        (folder / f"{family}.tsv").write_text(text, encoding="utf-8")


def main() -> int:
    """Run the tool."""
    root = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--headers", nargs="+", type=Path, required=True, metavar="DIR")
    parser.add_argument("--host", nargs="*", default=[], metavar="DIR", help="C headers (stddef.h)")
    parser.add_argument("--out", type=Path, default=root.parent / "rules" / "surface")
    options = parser.parse_args()
    mapper = Mapper(load())
    releases = []
    for folder in options.headers:
        includes = find_includes(folder)
        unit = parse(includes, options.host)
        releases.append(list(find_rows(unit, includes, mapper)))
        faults = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        print(f"{folder}: {len(releases[-1])} declarations, {len(faults)} faults", file=sys.stderr)
    write_tables(merge(releases, read_curated(root / "surface_curated.tsv")), options.out)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
