"""Which names belong to the project: declarations in each file, merged over the whole tree.

A CUDA name that the project declares itself is its own inside the scope of that declaration. Three
kinds of declaration are not: macros, types and functions at global scope that stand in for CUDA's
(a stub for builds without CUDA, a forward declaration that avoids a header, an interposed call).
Their uses cannot be told from CUDA's, so declaration and uses are ported alike and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from sigtrans.source import SourceFile
from sigtrans.syntax import IDENTIFIER_BYTES, Lexed, Word, find_blanks, parse

if TYPE_CHECKING:
    from tree_sitter import Node

    from sigtrans.names import NameTable


class Reach(str, Enum):
    """How far a declaration owns its name."""

    RANGE = "range"  # a local, a parameter: only in `start`..`end` of its own file
    SCOPE = "scope"  # a member or a name in a namespace: in `start`..`end`, and wherever `scope` is
    FILE = "file"  # static: the whole file
    TREE = "tree"  # everywhere
    STAND_IN = "stand-in"  # owns nothing: the name stays CUDA's


@dataclass(frozen=True, slots=True)
class Own:
    """The project declares a name that is also CUDA's."""

    name: bytes
    at: int
    what: str  # for the message: parameter, local variable, member, function, type, macro
    reach: Reach
    start: int = 0
    end: int = 0
    scope: bytes = b""  # name of the class or namespace


@dataclass(frozen=True, slots=True)
class Include:
    """One #include or __has_include; `start`..`end` is the path between the delimiters."""

    start: int
    end: int
    path: bytes
    angled: bool


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What one file contributes to the project's symbol table."""

    path: str
    own: tuple[Own, ...] = ()
    declared: frozenset[bytes] = frozenset()  # look-alikes that the file declares
    includes: tuple[Include, ...] = ()
    include_macros: frozenset[bytes] = frozenset()  # NAME of #include NAME
    pasting: Mapping[bytes, Mapping[int, str]] = field(default_factory=dict)
    loads_symbols: bool = False


@dataclass(frozen=True, slots=True)
class Project:
    """The symbol table of the whole tree."""

    owned: Mapping[bytes, str] = field(default_factory=dict)  # TREE names -> where declared
    scoped: Mapping[bytes, frozenset[bytes]] = field(default_factory=dict)  # name -> its scopes
    declared: frozenset[bytes] = frozenset()
    include_macros: frozenset[bytes] = frozenset()
    pasting: Mapping[bytes, Mapping[int, str]] = field(default_factory=dict)
    loads_symbols: bool = False
    files: frozenset[str] = frozenset()  # every file of the tree
    renamed: Mapping[str, str] = field(default_factory=dict)  # source path -> port path
    by_name: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # header base name -> paths


def merge(facts: Iterable[FileFacts], files: Iterable[str], renamed: Mapping[str, str]) -> Project:
    """One table from every file's facts; the order of `facts` does not matter."""
    owned: dict[bytes, str] = {}
    scoped: dict[bytes, frozenset[bytes]] = {}
    declared: set[bytes] = set()
    macros: set[bytes] = set()
    pasting: dict[bytes, dict[int, str]] = {}
    loads = False
    for each in sorted(facts, key=lambda f: f.path):
        for own in each.own:
            if own.reach is Reach.TREE:
                owned.setdefault(own.name, each.path)
            elif own.reach is Reach.SCOPE:
                scoped[own.name] = scoped.get(own.name, frozenset()) | {own.scope}
        declared |= each.declared
        macros |= each.include_macros
        for macro, parameters in each.pasting.items():
            known = pasting.setdefault(macro, {})
            for index, how in parameters.items():
                if known.get(index) != "pastes":
                    known[index] = how
        loads = loads or each.loads_symbols
    known_files = frozenset(files)
    by_name: dict[str, list[str]] = {}
    for path in sorted(known_files):
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    return Project(
        owned,
        scoped,
        frozenset(declared),
        frozenset(macros),
        {name: dict(sorted(p.items())) for name, p in sorted(pasting.items())},
        loads,
        known_files,
        dict(renamed),
        {name: tuple(paths) for name, paths in by_name.items()},
    )


# --- one file ---------------------------------------------------------------------------------

# A name of these families that is in no table is worth a word when nobody declares it.
LOOKALIKE = re.compile(
    rb"(?:cuda[A-Z_]|cuda[A-Z]\w*_t|cu(?:blas|fft|rand|sparse|solver|dnn|pti)[A-Z_]\w"
    rb"|nccl[A-Z]|nvrtc[A-Z]|nvml[A-Z]|nvtx[A-Z]|cu[A-Z][a-z]+[A-Z]\w*"
    rb"|(?:CUDA|CUBLAS|CUFFT|CURAND|CUSPARSE|CUSOLVER|CUDNN|CUPTI|NCCL|NVRTC|NVML)_[A-Z]"
    rb"|__nv_[a-z])"
)
_INCLUDE = re.compile(rb"include(?:_next)?[ \t]*(\(?)[ \t]*([\"<])([^\">\r\n]+)[\">]")
_INCLUDE_MACRO = re.compile(rb"#[ \t]*include[ \t]+([A-Za-z_]\w*)[ \t]*(?:\r|\n|\Z|/)")
_FUNCTION_MACRO = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)\(([^)\r\n]*)\)")
_LOADER = re.compile(
    rb"\b(?:dlv?sym|GetProcAddress|cuGetProcAddress\w*|cudaGetDriverEntryPoint\w*)\s*\("
)
_ENUM = re.compile(rb"\benum\b[^;{}()]{0,200}\{([^{}]*)\}")
_ENUMERATOR = re.compile(rb"[A-Za-z_]\w*")
# Words before a name after which it is used, not declared.
_NOT_A_TYPE = frozenset(
    b"return else case goto throw delete new sizeof do and or not co_return co_yield co_await "
    b"ifdef ifndef undef elif if defined const volatile static inline extern constexpr mutable "
    b"register typename unsigned signed operator public private protected virtual template "
    b"__device__ __host__ __global__ __shared__ __constant__ __restrict__ __forceinline__ "
    b"decltype alignof typeid requires noexcept override final explicit friend while for".split()
)
_TAGS = frozenset((b"struct", b"class", b"union", b"enum", b"namespace"))


def find_facts(file: SourceFile, lexed: Lexed, table: NameTable) -> FileFacts:
    """Declarations, includes and hazards of one C-family file."""
    data = file.data
    own: list[Own] = []
    suspects: list[tuple[int, int]] = []
    declared: set[bytes] = set()
    unknown: set[bytes] = set()
    targets, absent = table.targets, table.absent
    for start, end, name in lexed.words:
        known = name in targets or name in absent
        if not known:
            if name in declared or not LOOKALIKE.match(name):
                continue
            unknown.add(name)
        how = _declaration_hint(lexed, start, end)
        if how == "macro" and known:
            own.append(Own(name, start, "macro", Reach.STAND_IN))
        elif how and known:
            suspects.append((start, end))
        elif how:
            declared.add(name)
    if unknown - declared and b"enum" in data:
        for match in _ENUM.finditer(data):
            declared.update(set(_ENUMERATOR.findall(match.group(1))) & unknown)
    if suspects:
        own += _find_declarations(data, suspects)
    includes = _find_includes(lexed) if b"include" in data else ()
    macros = (
        frozenset(m.group(1) for m in _INCLUDE_MACRO.finditer(data)) if b"include" in data else ()
    )
    return FileFacts(
        path=file.path,
        own=tuple(own),
        declared=frozenset(declared),
        includes=includes,
        include_macros=frozenset(macros),
        pasting=_find_pasting(lexed) if b"#" in data else {},
        loads_symbols=bool(lexed.words) and _LOADER.search(data) is not None,
    )


def _declaration_hint(lexed: Lexed, start: int, end: int) -> str:
    """ "" for a plain use; otherwise what the surrounding tokens suggest (never proof)."""
    data = lexed.data
    at = lexed.before(start)
    if at < 0:
        return ""
    byte = data[at]
    if byte in IDENTIFIER_BYTES:
        word = lexed.name_ending_at(at)
        if word == b"define":
            return "macro"
        if word in _NOT_A_TYPE or word.isdigit():
            return ""
        if word == b"using":
            return "type" if data[lexed.after(end) : lexed.after(end) + 1] == b"=" else ""
        after = lexed.after(end)
        follow = data[after : after + 1]
        if word in _TAGS:
            return "type" if follow in (b"{", b";", b":") else ""
        if follow == b":" and data[after : after + 2] == b"::":
            return ""
        return "name" if follow and follow in b"(=;,)[{:" else ""
    if byte in b"*&>":
        if byte == 0x3E and data[at - 1 : at] == b"-":
            return ""
        after = lexed.after(end)
        follow = data[after : after + 1]
        if byte == 0x26 and follow in (b",", b")", b";"):
            # `&name` is an address nearly always; a reference has its type right before it.
            ahead = lexed.before(at)
            if ahead < 0 or (data[ahead] not in IDENTIFIER_BYTES and data[ahead] != 0x3E):
                return ""
        return "name" if follow and follow in b"(=;,)[{" else ""
    return ""


def _find_includes(lexed: Lexed) -> tuple[Include, ...]:
    data = lexed.data
    found: list[Include] = []
    blanks: list[tuple[int, int]] | None = lexed.blanks or None
    for match in _INCLUDE.finditer(data):
        start, end = match.span(3)
        angled = match.group(2) == b"<"
        at = match.start() - 1
        if match.group(1):  # __has_include(
            if not data[: match.start()].endswith((b"__has_", b"__has_")):
                continue
        else:
            while at >= 0 and data[at] in b" \t":
                at -= 1
            if at < 0 or data[at] != 0x23:
                continue
        if blanks is None:
            blanks = find_blanks(data)
            lexed = Lexed(data, blanks, lexed.words, lexed.quoted)
        if lexed.blank_at(match.start()) is not None:
            continue
        found.append(Include(start, end, match.group(3).strip(), angled))
    return tuple(found)


def _find_pasting(lexed: Lexed) -> dict[bytes, dict[int, str]]:
    """Macros whose parameters are pasted or made into strings: name -> {index: how}."""
    data = lexed.data
    found: dict[bytes, dict[int, str]] = {}
    for match in _FUNCTION_MACRO.finditer(data):
        end = lexed.logical_line(match.end())[1]
        body = data[match.end() : end]
        if b"#" not in body:
            continue
        names = [name.strip() for name in match.group(2).split(b",")]
        for index, name in enumerate(names):
            if name.endswith(b"..."):
                name = b"__VA_ARGS__"
            quoted = re.escape(name)
            if re.search(rb"##\s*" + quoted + rb"\b|\b" + quoted + rb"\s*##", body):
                found.setdefault(match.group(1), {})[index] = "pastes"
            elif re.search(rb"(?<!#)#\s*" + quoted + rb"\b", body):
                found.setdefault(match.group(1), {})[index] = "quotes"
    return found


# --- declarations, by structure ---------------------------------------------------------------

_DECLARATORS = frozenset(
    (
        "pointer_declarator",
        "reference_declarator",
        "array_declarator",
        "parenthesized_declarator",
        "attributed_declarator",
        "function_declarator",
        "init_declarator",
        "abstract_function_declarator",
    )
)
_PARAMETERS = frozenset(("parameter_declaration", "optional_parameter_declaration"))
_CLASSES = frozenset(("class_specifier", "struct_specifier", "union_specifier"))


def _find_declarations(data: bytes, suspects: list[tuple[int, int]]) -> list[Own]:
    root = parse("cuda", data).root_node
    found: list[Own] = []
    for start, end in suspects:
        node = root.descendant_for_byte_range(start, end)
        if node is not None and (node.start_byte, node.end_byte) == (start, end):
            own = _own(node, data[start:end])
            if own is not None:
                found.append(own)
    return found


def find_declared(data: bytes, words: list[Word]) -> frozenset[bytes]:
    """Those of `words` whose place in the syntax tree is a declaration."""
    found = _find_declarations(data, [(start, end) for start, end, _ in words])
    return frozenset(own.name for own in found)


def _own(node: Node, name: bytes) -> Own | None:
    """The declaration that `node` names, or None when it is a use."""
    at = node.start_byte
    parent = node.parent
    if parent is None:
        return None
    if parent.type in _CLASSES | {"enum_specifier"}:
        if parent.child_by_field_name("name") != node:
            return None
        body = parent.child_by_field_name("body") is not None
        if not body and not _is_forward(parent):
            return None
        return _placed(parent, name, at, "type", stand_in=True)
    if parent.type == "alias_declaration":
        is_name = parent.child_by_field_name("name") == node
        return _placed(parent, name, at, "type", stand_in=True) if is_name else None
    if parent.type == "namespace_definition":
        return _placed(parent, name, at, "namespace", stand_in=False)
    if parent.type == "enumerator":
        is_name = parent.child_by_field_name("name") == node
        return _placed(parent, name, at, "enumerator", stand_in=True) if is_name else None
    is_function = False
    child: Node = node
    while parent is not None and parent.type in _DECLARATORS:
        declarator = parent.child_by_field_name("declarator")
        if declarator is None:  # the grammar leaves the field out inside parentheses
            declarator = next((c for c in parent.named_children if c.id == child.id), None)
        if declarator is None or declarator.id != child.id:
            return None
        is_function = is_function or parent.type == "function_declarator"
        child, parent = parent, parent.parent
    if parent is None:
        return None
    if parent.type == "type_definition":
        declared = child in parent.children_by_field_name("declarator")
        return _placed(parent, name, at, "type", stand_in=True) if declared else None
    if parent.type == "for_range_loop":
        is_name = parent.child_by_field_name("declarator") == child
        return Own(name, at, "local variable", Reach.RANGE, *_bytes(parent)) if is_name else None
    if parent.type not in _PARAMETERS | {"declaration", "field_declaration", "function_definition"}:
        return None
    if child not in parent.children_by_field_name("declarator"):
        return None
    if parent.type in _PARAMETERS:
        return Own(name, at, "parameter", Reach.RANGE, *_bytes(_function_of(parent)))
    if parent.type == "field_declaration":
        return _placed(parent, name, at, "member", stand_in=False)
    if is_function:
        # A function that returns what CUDA's returns, or has no body, stands in for it.
        type_node = parent.child_by_field_name("type")
        returned = (type_node.text or b"") if type_node is not None else b""
        cuda_like = re.search(rb"cudaError|CUresult|[sS]tatus_t|ncclResult|nvrtcResult", returned)
        prototype = parent.type == "declaration"
        return _placed(parent, name, at, "function", stand_in=bool(cuda_like) or prototype)
    return _placed(parent, name, at, "variable", stand_in=True)


def _is_forward(specifier: Node) -> bool:
    """`struct X;` declares; `struct X y` uses."""
    parent = specifier.parent
    if parent is None:
        return False
    if parent.type == "type_definition":
        return False
    return parent.type != "declaration" and parent.type in (
        "translation_unit",
        "declaration_list",
        "linkage_specification",
        "preproc_ifdef",
        "preproc_if",
        "preproc_else",
    )


def _bytes(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


def _function_of(node: Node) -> Node:
    """The function or lambda whose body a parameter is visible in (or the declaration itself)."""
    at: Node | None = node
    while at is not None:
        if at.type in ("function_definition", "lambda_expression", "template_declaration"):
            return at
        if at.type in ("declaration", "field_declaration", "type_definition"):
            return at
        at = at.parent
    return node


def _placed(node: Node, name: bytes, at: int, what: str, *, stand_in: bool) -> Own:
    """Where a declaration is decides how far it reaches."""
    static = any(c.type == "storage_class_specifier" and c.text == b"static" for c in node.children)
    parent = node.parent
    while parent is not None:
        if parent.type in ("compound_statement", "lambda_expression"):
            return Own(name, at, f"local {what}", Reach.RANGE, *_bytes(parent))
        if parent.type in ("for_statement", "if_statement", "while_statement", "switch_statement"):
            return Own(name, at, f"local {what}", Reach.RANGE, *_bytes(parent))
        if parent.type in _CLASSES:
            scope = parent.child_by_field_name("name")
            label = (scope.text or b"") if scope is not None else b""
            return Own(name, at, "member", Reach.SCOPE, *_bytes(parent), label)
        if parent.type == "namespace_definition":
            scope = parent.child_by_field_name("name")
            if scope is None:
                return Own(name, at, what, Reach.FILE)
            return Own(name, at, what, Reach.SCOPE, *_bytes(parent), scope.text or b"")
        parent = parent.parent
    if stand_in and what != "namespace":
        return Own(name, at, what, Reach.STAND_IN)
    return Own(name, at, what, Reach.FILE if static else Reach.TREE)


def scopes_around(data: bytes, spans: Iterable[tuple[int, int]]) -> list[frozenset[bytes]]:
    """For each span the names of the classes and namespaces whose members are visible there."""
    root = parse("cuda", data).root_node
    used = frozenset(
        match.group(1).rpartition(b"::")[2]
        for match in re.finditer(rb"\busing\s+namespace\s+([\w:]+)\s*;", data)
    )
    found: list[frozenset[bytes]] = []
    for start, end in spans:
        names = set(used)
        node = root.descendant_for_byte_range(start, end)
        while node is not None:
            if node.type in _CLASSES or node.type == "namespace_definition":
                label = node.child_by_field_name("name")
                if label is not None:
                    names.update((label.text or b"").split(b"::"))
            elif node.type == "function_definition":
                declarator = node.child_by_field_name("declarator")
                if declarator is not None:
                    head = (declarator.text or b"").partition(b"(")[0]
                    names.update(part.strip(b" *&\t\r\n") for part in head.split(b"::")[:-1])
            node = node.parent
        found.append(frozenset(names))
    return found
