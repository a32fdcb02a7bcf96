"""Which names belong to the project: declarations in each file, merged over the whole tree.

A CUDA name that the project declares itself is its own inside the scope of that declaration. Three
kinds of declaration are not: macros, types and functions at global scope that stand in for CUDA's
(a stub for builds without CUDA, a forward declaration that avoids a header, an interposed call).
Their uses cannot be told from CUDA's, so declaration and uses are ported alike and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from sigtrans.fragments import blank_out, uses_wmma, verdict
from sigtrans.source import SourceFile
from sigtrans.syntax import IDENTIFIER_BYTES, LINE_SPLICE, Lexed, Word, parse

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
    forwards: tuple[tuple[bytes, int, bytes, int], ...] = ()  # macro, parameter -> macro, argument
    bases: frozenset[tuple[bytes, bytes]] = frozenset()  # class, one of its bases
    loads_symbols: bool = False
    guards: frozenset[bytes] = frozenset()  # version and compiler macros that it defines
    aliases: Mapping[bytes, bytes] = field(default_factory=dict)  # its macros that stand for those
    wmma: str = ""  # what its fragments need: listed, other, open (none seen), "" (no wmma)


@dataclass(frozen=True, slots=True)
class Project:
    """The symbol table of the whole tree."""

    owned: Mapping[bytes, str] = field(default_factory=dict)  # TREE names -> where declared
    scoped: Mapping[bytes, frozenset[bytes]] = field(default_factory=dict)  # name -> its scopes
    declared: frozenset[bytes] = frozenset()
    include_macros: frozenset[bytes] = frozenset()
    pasting: Mapping[bytes, Mapping[int, str]] = field(default_factory=dict)
    pasters: frozenset[bytes] = frozenset()  # macros that paste a parameter
    loads_symbols: bool = False
    guards: frozenset[bytes] = frozenset()  # version macros that the tree defines itself
    aliases: Mapping[bytes, tuple[bytes, str]] = field(
        default_factory=dict
    )  # of headers: and where
    files: frozenset[str] = frozenset()  # every file of the tree
    renamed: Mapping[str, str] = field(default_factory=dict)  # source path -> port path
    by_name: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # header base name -> paths
    wmma: str = ""  # listed or other for all files alike, where headers use wmma; else ""


def merge(facts: Iterable[FileFacts], files: Iterable[str], renamed: Mapping[str, str]) -> Project:
    """One table from every file's facts; the order of `facts` does not matter."""
    facts = tuple(facts)
    owned: dict[bytes, str] = {}
    scoped: dict[bytes, frozenset[bytes]] = {}
    declared: set[bytes] = set()
    macros: set[bytes] = set()
    pasting: dict[bytes, dict[int, str]] = {}
    loads = False
    guards: set[bytes] = set()
    aliases: dict[bytes, tuple[bytes, str]] = {}
    forwards: set[tuple[bytes, int, bytes, int]] = set()
    derived: dict[bytes, set[bytes]] = {}
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
        forwards.update(each.forwards)
        for name, base in each.bases:
            derived.setdefault(base, set()).add(name)
        loads = loads or each.loads_symbols
        guards.update(name for name in each.guards if IS_NUMBER.search(name))
        if each.aliases and (_HEADER.search(each.path) or _is_included(each.path, facts)):
            for alias, name in each.aliases.items():
                aliases.setdefault(alias, (name, each.path))
    changed = bool(pasting)
    ordered = sorted(forwards)
    while changed:  # what a macro hands on to one that pastes, it pastes itself
        changed = False
        for macro, parameter, callee, argument in ordered:
            does = pasting.get(callee, {}).get(argument)
            if does is not None and pasting.get(macro, {}).get(parameter) not in (does, "pastes"):
                pasting.setdefault(macro, {})[parameter] = does
                changed = True
    for name, scopes in scoped.items():  # what a base class declares is visible in the derived
        scoped[name] = _close(scopes, derived)
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
        frozenset(name for name, p in pasting.items() if "pastes" in p.values()),
        loads,
        frozenset(guards),
        aliases,
        known_files,
        dict(renamed),
        {name: tuple(paths) for name, paths in by_name.items()},
        _share_wmma({f.path: f.wmma for f in facts if f.wmma}),
    )


def _is_included(path: str, facts: Iterable[FileFacts]) -> bool:
    name = path.rpartition("/")[2].encode("utf-8", "surrogateescape")
    return any(i.path.rpartition(b"/")[2] == name for each in facts for i in each.includes)


def _share_wmma(needs: Mapping[str, str]) -> str:
    """Fragments that a header passes on have to be the same types in every file."""
    if not any(_HEADER.search(path) for path in needs):
        return ""
    kinds = set(needs.values())
    return "listed" if "listed" in kinds and "other" not in kinds else "other"


def _close(scopes: frozenset[bytes], derived: Mapping[bytes, set[bytes]]) -> frozenset[bytes]:
    """`scopes` and every class derived from one of them, however far."""
    found = set(scopes)
    left = list(scopes)
    while left:
        new = derived.get(left.pop(), set()) - found
        found |= new
        left += new
    return frozenset(found)


# --- one file ---------------------------------------------------------------------------------

IS_NUMBER = re.compile(rb"VER|ARCH")  # in the name of a guard: it is compared, not only tested

# A name of these families that is in no table is worth a word when nobody declares it.
LOOKALIKE = re.compile(
    rb"(?:PFN_cu|cu(?:vid|tensor|dss|statevec)[A-Z_]|cuda[A-Z_]|cuda[A-Z]\w*_t|cu(?:blas|fft|rand|sparse|solver|dnn|pti)[A-Z_]\w"
    rb"|nccl[A-Z]|nvrtc[A-Z]|nvml[A-Z]|nvtx[A-Z]|cu[A-Z][a-z]+[A-Z]\w*"
    rb"|(?:CUDA|CUBLAS|CUFFT|CURAND|CUSPARSE|CUSOLVER|CUDNN|CUPTI|NCCL|NVRTC|NVML)_[A-Z]"
    rb"|[nN]pp[A-Zisc]|NPP_|__nv_[a-z])"
)
_GAP = rb"(?:[ \t]|/\*(?:[^*]|\*(?!/))*\*/|" + LINE_SPLICE + rb")*"
_INCLUDE = re.compile(
    rb"include(?:_next)?" + _GAP + rb"(\(?)" + _GAP + rb"([\"<])([^\">\r\n]{1,400})[\">]"
)
_IMPORT = re.compile(rb"import[ \t]*()([\"<])([^\">\r\n]{1,400})[\">]")
_INCLUDE_MACRO = re.compile(rb"#[ \t]*include[ \t]+([A-Za-z_]\w*)[ \t]*(?:\r|\n|\Z|/)")
_FUNCTION_MACRO = re.compile(rb"#[ \t]*define[ \t]+([A-Za-z_]\w*)\(([^)\r\n]*)\)")
_SHORT_CALL = re.compile(rb"\b([A-Za-z_]\w*)\s*\(([\w\s,]*)\)")
FOREIGN_HEADER = re.compile(
    rb"(?:cuvid|nvcuvid|cutensor|custatevec|cudss|cuda|cu[A-Z]|cublas|cufft|curand|cusparse|cusolver|cudnn|cupti|nccl|nvrtc|nvml|nvtx|nvtx3/"
    rb"|nvToolsExt|npp|nvjpeg|nvshmem|cufile|cuco/|ATen/cuda/|c10/cuda/|torch/cuda)[\w./-]*"
)
_TELLING = re.compile(rb"mu|mccl|torch|ATen/|c10/|cutlass/|cute/|" + FOREIGN_HEADER.pattern)
_LOADER = re.compile(
    rb"\b(?:dlv?sym|GetProcAddress|cuGetProcAddress\w*|cudaGetDriverEntryPoint\w*)\s*\("
)
_ENUM = re.compile(rb"enum(?<=\benum)\b[^;{}()]{0,200}\{([^{}]*)\}")
_HEADER = re.compile(r"\.(?:h|hh|hpp|hxx|cuh|inl|inc|ipp|tpp)$")
_ENUMERATOR = re.compile(rb"[A-Za-z_]\w*")
# Words before a name after which it is used, not declared.
KEYWORDS = frozenset(
    b"return else case goto throw delete new sizeof do and or not co_return co_yield co_await "
    b"ifdef ifndef undef elif if defined static inline extern constexpr mutable "
    b"register typename operator public private protected virtual template "
    b"__device__ __host__ __global__ __shared__ __constant__ __forceinline__ "
    b"decltype alignof typeid requires noexcept override final explicit friend while for "
    b"const volatile unsigned signed using namespace typedef define endif pragma".split()
)
# After these a declared name may still follow (`float const x;`, `unsigned x;`).
_MAY_END_A_TYPE = frozenset((b"const", b"volatile", b"unsigned", b"signed", b"long", b"short"))
_TAGS = frozenset((b"struct", b"class", b"union", b"enum", b"namespace"))


def find_facts(file: SourceFile, lexed: Lexed, table: NameTable) -> FileFacts:
    """Declarations, includes and hazards of one C-family file."""
    data = file.data
    own: list[Own] = []
    suspects: list[tuple[int, int]] = []
    declared: set[bytes] = set()
    unknown: set[bytes] = set()
    guards: set[bytes] = set()
    aliases: dict[bytes, bytes] = {}
    targets, absent = table.targets, table.absent
    for start, end, name in lexed.words:
        known = name in targets or name in absent
        if name in table.guards:
            if lexed.name_ending_at(lexed.before(start)) == b"define":
                guards.add(name)
            elif IS_NUMBER.search(name) and (alias := _alias_before(data, start, end)):
                aliases[alias] = name
            continue
        if not known:
            if name in table.methods:
                at = lexed.after(end)
                close = lexed.after(at + 1)
                is_bare = data[at : at + 1] == b"(" and data[close : close + 1] == b")"
                if is_bare and _declaration_hint(lexed, start, end):
                    declared.add(name)
                continue
            if name == b"cuda":
                if _opens_namespace(lexed, start, end):
                    declared.add(name)
                continue
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
    if _HEADER.search(file.path):  # what is static in a header is so in every file that includes it
        own = [replace(o, reach=Reach.TREE) if o.reach is Reach.FILE else o for o in own]
    includes = _find_includes(lexed, table) if b"include" in data or b"#import" in data else ()
    macros = (
        frozenset(m.group(1) for m in _INCLUDE_MACRO.finditer(data)) if b"include" in data else ()
    )
    pasting, forwards = _find_pasting(lexed) if b"#" in data else ({}, ())
    return FileFacts(
        path=file.path,
        own=tuple(own),
        declared=frozenset(declared),
        includes=includes,
        include_macros=frozenset(macros),
        pasting=pasting,
        forwards=forwards,
        bases=_find_bases(data),
        loads_symbols=(b"sym" in data or b"ProcAddress" in data or b"EntryPoint" in data)
        and _LOADER.search(data) is not None,
        guards=frozenset(guards),
        aliases=_with_second_names(lexed, aliases) if aliases else {},
        wmma=verdict(blank_out(data, lexed.with_blanks().blanks)) if uses_wmma(data) else "",
    )


# `#define X __CUDA_ARCH__`, up to the number and from there.
_ALIAS = re.compile(
    rb"(?:^|(?<=[\r\n]))[ \t]*(?:#|%:)[ \t]*define[ \t]+([A-Za-z_]\w*)(?:[ \t]|"
    + LINE_SPLICE + rb")(?:[ \t(]|" + LINE_SPLICE + rb")*\Z"
)  # fmt: skip
_ALIAS_END = re.compile(rb"[ \t)]*(?:/[/*]|[\r\n]|\Z)")
_LONGEST_ALIAS = 200


def _alias_before(data: bytes, start: int, end: int) -> bytes:
    """The macro that stands for the name at `start` and for nothing else, "" for none."""
    if not _ALIAS_END.match(data, end):
        return b""
    match = _ALIAS.search(data, max(0, start - _LONGEST_ALIAS), start)
    return match.group(1) if match is not None else b""


def _with_second_names(lexed: Lexed, aliases: dict[bytes, bytes]) -> dict[bytes, bytes]:
    """These macros of a file and those that stand for one of them, through any number of steps."""
    new = dict(aliases)
    while new:
        found: dict[bytes, bytes] = {}
        for match in re.finditer(rb"\b(?:" + b"|".join(map(re.escape, new)) + rb")\b", lexed.data):
            alias = _alias_before(lexed.data, *match.span())
            if alias and alias not in aliases and lexed.blank_at(match.start()) is None:
                found[alias] = new[match.group()]
        aliases |= found
        new = found
    return aliases


# Two patterns that begin with plain text: one for both reads a tenth of what these do in a second.
_CLASS, _STRUCT = re.compile(rb"class(?<=\bclass)\s"), re.compile(rb"struct(?<=\bstruct)\s")
_BASES = re.compile(
    rb"(?:[^;{}():=]|\([^;{}()]{0,80}\)){0,100}?\b(\w+)\s*"
    rb"(?:<[^;{}()]{0,100}>\s*)?(?:final\s*)?:(?!:)([^;{}()]{1,400})\{"
)


def _find_bases(data: bytes) -> frozenset[tuple[bytes, bytes]]:
    found: set[tuple[bytes, bytes]] = set()
    heads = [*_CLASS.finditer(data), *_STRUCT.finditer(data)]
    end = 0
    for head in sorted(match.span() for match in heads):
        match = _BASES.match(data, head[1]) if head[0] >= end else None
        if match is not None:
            end = match.end()
            found.update((match.group(1), base) for base in _ENUMERATOR.findall(match.group(2)))
    return frozenset(found)


def is_using(lexed: Lexed, start: int) -> bool:
    """`using X::name;`, with the name at `start`."""
    match = _USING_NAME.search(lexed.data, max(0, start - 400), start)
    return match is not None and lexed.blank_at(match.start()) is None


def _opens_namespace(lexed: Lexed, start: int, end: int) -> bool:
    """`namespace cuda {`, and not `using namespace cuda;`."""
    at = lexed.after(end)
    opens = lexed.data[at : at + 1] == b"{" or lexed.data[at : at + 2] == b"::"
    return opens and lexed.name_ending_at(lexed.before(start)) in (b"namespace", b"inline")


def _declaration_hint(lexed: Lexed, start: int, end: int) -> str:
    """ "" for a plain use; otherwise what the surrounding tokens suggest (never proof)."""
    data = lexed.data
    at = lexed.before(start)
    if at < 0:
        return ""
    byte = data[at]
    after = lexed.after(end)
    follow = data[after : after + 1]
    if byte in IDENTIFIER_BYTES:
        word = lexed.name_ending_at(at)
        if word == b"define":
            return "macro"
        if word == b"using":
            return "type" if follow == b"=" else ""
        if word in _TAGS:
            if word == b"namespace" and follow == b";":
                return ""  # using namespace …;
            return "type" if follow and follow in b"{;:>,=" else ""
        if word == b"typename":
            return "type" if follow and follow in b">,=" else ""
        if word in KEYWORDS and word not in _MAY_END_A_TYPE:
            return ""
        if not follow or follow not in b"(=;,)[{:>" or data[after : after + 2] == b"::":
            return ""
        if word in (b"const", b"volatile") and follow in b"),>":
            return ""  # `const cudaStream_t)`: the name is the type
        return "" if word.isdigit() else "name"
    if not follow:
        return ""
    if byte in b"*&>":
        if byte == 0x3E and data[at - 1 : at] == b"-":
            return ""
        if byte == 0x26 and follow in b",);":
            # `&name` is an address nearly always; a reference has its type right before it.
            ahead = lexed.before(at)
            if data[ahead] == 0x26:
                ahead = lexed.before(ahead)
            types = ahead >= 0 and (data[ahead] in IDENTIFIER_BYTES or data[ahead] in b">(")
            return "name" if types and not (data[ahead] == 0x28 and follow != b")") else ""
        if byte == 0x2A and data[start:end].isupper():
            return ""  # a factor: constants are not declared as pointers
        return "name" if follow in b"(=;,)[{:" else ""
    if byte == 0x2C:  # a further declarator, an enumerator, a structured binding
        if follow in b";=[]":
            return "name"
        return "name" if follow in b",}" and _is_listed(lexed, at) else ""
    if byte == 0x3A and follow == b";" and data[at - 1] == 0x3A and is_using(lexed, start):
        return "name"
    if follow == b":" and byte in b";{}":  # a label, or an initialiser of old
        return "" if data[after : after + 2] == b"::" else "name"
    if byte == 0x7B:  # { of an enum
        return "name" if follow in b",=}" else ""
    if byte == 0x5B:  # [ of a structured binding or a lambda; an index has its array before it
        ahead = lexed.before(at)
        if ahead >= 0 and (data[ahead] in IDENTIFIER_BYTES or data[ahead] in b")]"):
            indexed = lexed.name_ending_at(ahead) not in KEYWORDS | {b"auto"}
            return "" if indexed else "name"
        return "name"
    if byte == 0x7D or byte == 0x29:  # } name; of a typedef, decltype(x) name;
        if follow == b"=" and data[lexed.after(after + 1) : lexed.after(after + 1) + 1] != b"{":
            return ""  # an assignment behind a block
        return "name" if follow in b";=,[" else ""
    return ""


def _is_listed(lexed: Lexed, at: int) -> bool:
    """Does the list with the comma at `at` stand in braces, in [] or in no brackets at all?"""
    start, _ = lexed.list_start(at)
    return start >= 0 and lexed.data[start] != 0x28


def _is_telling(path: bytes, table: NameTable) -> bool:
    """Does anything depend on this include? Only then must it be told from one in a comment."""
    return (
        path.endswith((b".cuh", b".cu"))
        or table.find_header(path) != b""
        or path.rpartition(b"/")[2] in table.headers
        or _TELLING.match(path) is not None
    )


def _find_includes(lexed: Lexed, table: NameTable) -> tuple[Include, ...]:
    data = lexed.data
    found: list[Include] = []
    matches = list(_INCLUDE.finditer(data))
    if b"#import" in data:
        matches += _IMPORT.finditer(data)
    if any(_is_telling(match.group(3), table) for match in matches):
        lexed = lexed.with_blanks()
    for match in matches:
        start, end = match.span(3)
        if match.group(1):  # __has_include(
            if not data[: match.start()].endswith(b"__has_"):
                continue
        else:
            at = match.start() - 1
            if data[at : at + 1] != b"#":
                at = lexed.before(match.start())
            if at < 0 or (data[at] != 0x23 and data[at - 1 : at + 1] != b"%:"):
                continue
        if lexed.blank_at(match.start()) is None:
            found.append(Include(start, end, match.group(3).strip(), match.group(2) == b"<"))
    return tuple(found)


def _find_pasting(
    lexed: Lexed,
) -> tuple[dict[bytes, dict[int, str]], tuple[tuple[bytes, int, bytes, int], ...]]:
    """Macros that paste or quote a parameter (name -> {index: how}), and what macros hand on."""
    data = lexed.data
    forwards: list[tuple[bytes, int, bytes, int]] = []
    found: dict[bytes, dict[int, str]] = {}
    for match in _FUNCTION_MACRO.finditer(data):
        end = lexed.logical_line(match.end())[1]
        body = data[match.end() : end]
        names = [name.strip() for name in match.group(2).split(b",")]
        for call in _SHORT_CALL.finditer(body[:2000]):
            for at, argument in enumerate(call.group(2).split(b",")):
                if argument.strip() in names:
                    index = names.index(argument.strip())
                    forwards.append((match.group(1), index, call.group(1), at))
        if b"#" not in body:
            continue
        for index, name in enumerate(names):
            if name.endswith(b"..."):
                name = b"__VA_ARGS__"
            quoted = re.escape(name)
            if re.search(rb"##\s*" + quoted + rb"\b|\b" + quoted + rb"\s*##", body):
                found.setdefault(match.group(1), {})[index] = "pastes"
            elif re.search(rb"(?<!#)#\s*" + quoted + rb"\b", body):
                found.setdefault(match.group(1), {})[index] = "quotes"
    return found, tuple(forwards)


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
_TEMPLATES = frozenset(("template_declaration",))
_FUNCTIONS = frozenset(  # whose body a parameter is visible in, or the declaration itself
    (
        *("function_definition", "lambda_expression", "catch_clause"),
        *("declaration", "field_declaration", "type_definition"),
    )
)
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
        return _enumerator(parent, name, at) if is_name else None
    if parent.type in _BINDERS:
        if parent.type == "labeled_statement":  # a goto may stand before its label
            return Own(name, at, "label", Reach.RANGE, *_bytes(_around(parent, _FUNCTIONS)))
        end = _around(parent, _BLOCKS | {"for_range_loop"}).end_byte
        return Own(name, at, _BINDERS[parent.type], Reach.RANGE, at, end)
    if parent.type == "qualified_identifier":
        using = _around(parent, frozenset(("using_declaration",)))
        if using.parent is None or using.parent.type != "field_declaration_list":
            return None  # elsewhere it opens the name from here on, and declares none
        return _placed(using, name, at, "member", stand_in=False)
    is_function = False
    child: Node = node
    while parent is not None and parent.type in _DECLARATORS:
        declarator = parent.child_by_field_name("declarator")
        if declarator is None:  # the grammar leaves the field out in references and parentheses
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
        return (
            Own(name, at, "local variable", Reach.RANGE, at, parent.end_byte) if is_name else None
        )
    if parent.type in _TEMPLATE_PARAMETERS or (
        parent.parent is not None and parent.parent.type == "template_parameter_list"
    ):
        end = _around(parent, _TEMPLATES).end_byte
        return Own(name, at, "template parameter", Reach.RANGE, at, end)
    if parent.type not in _PARAMETERS | {"declaration", "field_declaration", "function_definition"}:
        return None
    if child not in parent.children_by_field_name("declarator"):
        return None
    if parent.type in _PARAMETERS:
        return Own(name, at, "parameter", Reach.RANGE, *_bytes(_around(parent, _FUNCTIONS)))
    if parent.type == "field_declaration":
        return _placed(parent, name, at, "member", stand_in=False)
    if is_function:
        if _in_body(parent):
            return None  # nearly always an unknown macro before a call; prototypes stand in anyway
        # A function that returns what CUDA's returns, or has no body, stands in for it.
        type_node = parent.child_by_field_name("type")
        returned = (type_node.text or b"") if type_node is not None else b""
        cuda_like = re.search(rb"cudaError|CUresult|[sS]tatus_t|ncclResult|nvrtcResult", returned)
        prototype = parent.type == "declaration"
        return _placed(parent, name, at, "function", stand_in=bool(cuda_like) or prototype)
    return _placed(parent, name, at, "variable", stand_in=True)


_BINDERS = {
    "structured_binding_declarator": "local variable",
    "lambda_capture_initializer": "lambda capture",
    "lambda_capture": "lambda capture",
    "labeled_statement": "label",
    "field_designator": "member",
}
_TEMPLATE_PARAMETERS = frozenset(
    (
        "type_parameter_declaration",
        "optional_type_parameter_declaration",
        "variadic_type_parameter_declaration",
    )
)
_BLOCKS = frozenset(
    (
        "compound_statement",
        "lambda_expression",
        "for_statement",
        "if_statement",
        "while_statement",
        "switch_statement",
    )
)


def _around(node: Node, types: frozenset[str]) -> Node:
    """The nearest of `types` at or above `node`, or `node` itself where there is none."""
    at: Node | None = node
    while at is not None:
        if at.type in types:
            return at
        at = at.parent
    return node


def _in_body(node: Node) -> bool:
    at = node.parent
    while at is not None:
        if at.type == "compound_statement":
            return True
        if at.type in _CLASSES:
            return False
        at = at.parent
    return False


def _enumerator(node: Node, name: bytes, at: int) -> Own:
    """Scoped enumerators belong to their enum, others to the scope around it."""
    enum = node.parent.parent if node.parent is not None else None
    if enum is not None and enum.type == "enum_specifier":
        label = enum.child_by_field_name("name")
        scoped = any(child.type in ("class", "struct") for child in enum.children)
        if scoped and label is not None:
            return Own(name, at, "enumerator", Reach.SCOPE, *_bytes(enum), label.text or b"")
    return _placed(enum or node, name, at, "enumerator", stand_in=True)


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


def _placed(node: Node, name: bytes, at: int, what: str, *, stand_in: bool) -> Own:
    """Where a declaration is decides how far it reaches."""
    static = any(c.type == "storage_class_specifier" and c.text == b"static" for c in node.children)
    parent = node.parent
    befriended = parent is not None and parent.type == "friend_declaration"
    while parent is not None:
        if parent.type in _BLOCKS:  # a local owns its name from its declaration on
            return Own(name, at, f"local {what}", Reach.RANGE, at, parent.end_byte)
        if parent.type in _CLASSES and befriended:
            befriended = False  # a friend belongs to the scope around the class
        elif parent.type in _CLASSES:
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


_USING_NAME = re.compile(rb"\busing\s[\w:\s]*$")
_USING = re.compile(rb"using\s+namespace\s+([\w:]+)")
_SCOPES_OF_USING = frozenset(
    ("translation_unit", "compound_statement", "declaration_list", "namespace_definition")
)


def _opened(node: Node) -> list[tuple[int, bytes]]:
    """The namespaces that `using namespace` opens right below `node`, and where."""
    return [
        (child.start_byte, match.group(1).rpartition(b"::")[2])
        for child in node.children
        if child.type == "using_declaration" and (match := _USING.match(child.text or b""))
    ]


def scopes_around(data: bytes, spans: Iterable[tuple[int, int]]) -> list[frozenset[bytes]]:
    """For each span the names of the classes and namespaces whose members are visible there."""
    root = parse("cuda", data).root_node
    using = b"using" in data
    opened: dict[int, list[tuple[int, bytes]]] = {}  # asked once for each node, not for each span
    found: list[frozenset[bytes]] = []
    for start, end in spans:
        names: set[bytes] = set()
        node = root.descendant_for_byte_range(start, end)
        while node is not None:
            if node.type in _CLASSES or node.type == "namespace_definition":
                label = node.child_by_field_name("name")
                if label is not None:
                    names.update((label.text or b"").split(b"::"))
                for child in node.children:  # what a base class declares is visible, too
                    if child.type == "base_class_clause":
                        names.update(_ENUMERATOR.findall(child.text or b""))
            if using and node.type in _SCOPES_OF_USING:
                if node.id not in opened:
                    opened[node.id] = _opened(node)
                names.update(name for at, name in opened[node.id] if at <= start)
            if node.type == "function_definition":
                declarator = node.child_by_field_name("declarator")
                if declarator is not None:
                    head = (declarator.text or b"").partition(b"(")[0]
                    names.update(part.strip(b" *&\t\r\n") for part in head.split(b"::")[:-1])
            node = node.parent
        found.append(frozenset(names))
    return found
