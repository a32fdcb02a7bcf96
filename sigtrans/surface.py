"""The MUSA libraries and language as headers that a compiler can read, made from rules/surface/.

The tables there hold facts (names, types, parameters, fields, enumerators), one file a family; the
folder `include` beside them holds what a table cannot say, written by hand: the language, 16-bit
types, cooperative groups, Thrust. `make_headers` turns both into the folder that `sigtrans check`
puts before a compiler when there is no SDK.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sigtrans.names import NameTable, data_dir

COLUMNS = ("kind", "name", "type", "detail", "side")
KINDS = frozenset(("typedef", "struct", "union", "enum", "function", "template", "macro", "loose"))


@dataclass(frozen=True, slots=True)
class Row:
    """One declaration of a family."""

    kind: str
    name: str
    type: str = ""  # result of a function
    detail: str = ""  # parameters, fields, enumerators, the other type, the value
    side: str = ""  # d, hd: for the device; +: C++ only; "head;side" for a template


# What a family's own headers include; a family that is not here needs only the base.
_NEEDS = {
    "base": (),
    "complex": ("base",),
    "runtime": ("base",),
    "texture": ("runtime", "textures"),
    "device": ("runtime", "texture"),
    "half": ("runtime", "halfs"),
    "fp8": ("half", "fp8s"),
    "driver": ("base",),
    "interop": ("runtime", "driver", "graphics"),
    "profiler": ("runtime", "driver"),
    "cublas": ("runtime", "complex", "half"),
    "cublaslt": ("cublas",),
    "cufft": ("runtime", "complex"),
    "curand": ("runtime",),
    "curand_kernel": ("curand",),
    "cusparse": ("runtime", "complex", "half"),
    "cusolver": ("cublas", "cusparse"),
    "nccl": ("runtime", "half"),
    "nvrtc": ("base",),
    "cupti": ("runtime", "driver"),
}

# The family that a MUSA header declares, by its name; the first that matches.
_HEADERS = tuple(
    (family, re.compile(pattern))
    for family, pattern in (
        ("interop", r"musa(_?gl|_?egl|_?vdpau|GL|EGL|VDPAU)\w*\.h"),
        ("complex", r"muComplex\.h"),
        ("half", r"musa_(fp16|bf16)\.h"),
        ("fp8", r"musa_fp8\.h"),
        ("profiler", r"musa_?[pP]rofiler(_api)?\.h"),
        ("driver", r"musa\.h"),
        ("cublaslt", r"mublas(Lt|Xt)\.h"),
        ("cublas", r"mublas\.h"),
        ("cufft", r"mufft(Xt)?\.h|musalibxt\.h"),
        ("curand_kernel", r"murand_\w+\.h"),
        ("curand", r"murand\.h"),
        ("cusparse", r"musparse\.h"),
        ("cusolver", r"musolver\w*\.h"),
        ("nccl", r"mccl\.h"),
        ("nvrtc", r"mtrtc\.h"),
        ("cupti", r"mupti\w*\.h"),
        (
            "runtime",
            r"(musa_runtime|musa_runtime_api|driver_types|vector_types|vector_functions|library_types"
            r"|builtin_types|channel_descriptor|common_functions|device_\w+|math_\w+|sm_\w+|texture_\w+"
            r"|surface_\w+|musa_(texture|surface)_types|musa_device_runtime_api|driver_functions"
            r"|musa_stdint|musart_platform|crt/host_\w+)\.h",
        ),
    )
)


def find_family(header: str) -> str:
    """The family whose declarations a MUSA header gives; "" when none is known here."""
    return next((family for family, pattern in _HEADERS if pattern.fullmatch(header)), "")


def surface_dir() -> Path:
    """Where the tables and the hand-written headers are."""
    return data_dir() / "surface"


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of one family, in the order of declaration."""
    for line in path.read_text("utf-8").splitlines()[1:]:
        yield Row(*line.split("\t"))


def load_rows() -> dict[str, tuple[Row, ...]]:
    """Every family's rows."""
    return {path.stem: tuple(read_rows(path)) for path in sorted(surface_dir().glob("*.tsv"))}


def find_declared(families: Mapping[str, Iterable[Row]]) -> frozenset[str]:
    """Every name that the tables declare."""
    names: set[str] = set()
    for rows in families.values():
        for row in rows:
            names.add(row.name)
            if row.kind == "enum":
                names.update(part.partition("=")[0] for part in row.detail.split(","))
    return frozenset(names - {""})


def find_assumed() -> frozenset[bytes]:
    """Guards of CUDA's headers that ours define too, since the header keeps its name on MUSA."""
    text = (surface_dir() / "include" / "base.h").read_bytes()
    return frozenset(re.findall(rb"^#define (__\w+_H__)$", text, re.MULTILINE))


def make_headers(table: NameTable) -> dict[str, bytes]:
    """The folder of headers: path in it -> content."""
    made: dict[str, bytes] = {}
    written = surface_dir() / "include"
    for path in sorted(written.rglob("*")):
        if path.name == "wrappers.tsv":  # headers that give what another gives
            for line in path.read_text("utf-8").splitlines()[1:]:
                header, other = line.split("\t")
                made[header] = f'#pragma once\n#include "{other}"\n'.encode()
        elif path.is_file():
            name = path.relative_to(written).as_posix()
            inner = name.count("/") == 0 and name.removesuffix(".h") in (*_NEEDS, *_INNER)
            made[f"sigtrans/{name}" if inner else name] = path.read_bytes()
    for family, rows in load_rows().items():
        made[f"sigtrans/{family}.h"] = render(family, rows).encode()
    for target in {*table.headers.values()}:
        if target is None or target.endswith(b"/"):
            continue
        header = target.decode()
        family = find_family(header)
        if family and header not in made:
            made[header] = _render_header(family).encode()
    return made


_INNER = ("textures", "halfs", "fp8s", "graphics", "mathematics")


def _render_header(family: str) -> str:
    lines = ["#pragma once", f'#include "sigtrans/{family}.h"']
    if family == "runtime":
        lines += ['#include "sigtrans/device.h"', '#include "sigtrans/mathematics.h"']
    return "\n".join(lines) + "\n"


def render(family: str, rows: Iterable[Row]) -> str:
    """One family as a header for C and C++."""
    lines = ["#pragma once"]
    lines += [f'#include "sigtrans/{other}.h"' for other in _NEEDS[family]]
    guard = ""
    for row in rows:
        wanted = _guard(row)
        if wanted != guard:
            lines += ["#endif"] * bool(guard) + [f"#if {wanted}"] * bool(wanted)
            guard = wanted
        lines.append(_render_row(row))
    lines += ["#endif"] * bool(guard)
    return "\n".join(lines) + "\n"


def _guard(row: Row) -> str:
    side = row.side.rpartition(";")[2]
    if row.kind == "template":
        return "defined(__MUSACC__)" if side == "d" else "defined(__cplusplus)"
    if side in ("d", "musacc"):
        return "defined(__MUSACC__)"
    return "defined(__cplusplus)" if side.endswith("+") else ""


_SIDES = {
    "d": "__device__ ",
    "hd": "__host__ __device__ ",
    "hd+": "__host__ __device__ ",
}


def _render_row(row: Row) -> str:
    name, detail = row.name, row.detail
    head, _, side = row.side.rpartition(";")
    where = _SIDES.get(side, "")
    match row.kind:
        case "macro":
            return f"#define {name} {detail}"
        case "typedef":
            return f"typedef {declare(detail, name)};"
        case "enum":
            members = detail.replace("=", " = ")
            return (
                f"typedef enum {name} {{ {members} }} {name};" if name else f"enum {{ {members} }};"
            )
        case "struct" | "union":
            body = f" {{ {detail} }}" if detail else ""
            return f"typedef {row.kind} {name}{body} {name};"
        case "function" | "template":
            parameters = detail.replace(" = {}", " SIGTRANS_OR({})")
            template = f"template <{head}> " if row.kind == "template" else ""
            return f"{template}{where}{row.type} {name}({parameters or 'void'});"
        case "loose":
            return (
                f"#ifdef __cplusplus\ntemplate <class... T> {where}{row.type} {name}(T...);\n"
                f"#else\n{row.type} {name}();\n#endif"
            )
    raise ValueError(f"a row of no known kind: {row.kind}")


_ARRAY = re.compile(r"([^()\[\]]*?) ?((?:\[\d*\])+)")


def declare(type_: str, name: str) -> str:
    """`type name` for any type: an array's bounds and a function pointer go around the name."""
    array = _ARRAY.fullmatch(type_)
    if array:
        return f"{array[1]} {name}{array[2]}"
    if "(" in type_:
        return type_.replace("(*", f"(*{name}", 1)
    return f"{type_}{'' if type_.endswith('*') else ' '}{name}"
