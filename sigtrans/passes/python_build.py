"""Python build scripts (setup.py, pyproject.toml, MANIFEST.in), and CUDA's traces in other Python.

A rename table cannot do this: which strings are nvcc's flags, which names come from torch's
extension module and which only look alike is decided by where a value flows, not by its spelling.
What happens at run time (devices, backends, versions) is reported and never edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from sigtrans import syntax
from sigtrans.passes import BuildContext
from sigtrans.passes.python_words import (
    AT_RUN_TIME,
    BUILD_NEEDLES,
    CU_FILE,
    NEEDLES,
    SOURCE,
    find_requirement,
    find_words,
    make_diagnostic,
    make_summed,
)
from sigtrans.source import (
    Diagnostic,
    Edit,
    Findings,
    Safety,
    Severity,
    SourceFile,
    Span,
    decode,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_MUSA = re.compile(rb"^[ \t]*(?:from|import)[ \t]+torch_musa\b|^[^#\r\n]*\bMUSAExtension\b", re.M)
_BUILDS = (b"cpp_extension", b"CUDAExtension", b"setuptools", b"distutils", b"skbuild")


def find(file: SourceFile, context: BuildContext) -> Findings:
    """Edits and diagnostics for one Python file, pyproject.toml or MANIFEST.in."""
    name = PurePosixPath(file.path).name
    if name == "MANIFEST.in":
        return _find_in_manifest(file, context)
    if name.endswith(".toml"):
        return _find_in_toml(file)
    data = file.data
    if not any(needle in data for needle in NEEDLES):
        return Findings()
    builds = name == "setup.py" or any(needle in data for needle in _BUILDS)
    knows_musa = b"torch_musa" in data or b"MUSAExtension" in data
    if knows_musa and (musa := _MUSA.search(data)):
        return Findings((), tuple(_already_musa(file, context, musa.start())))
    if not builds:
        needles = NEEDLES + BUILD_NEEDLES if b"nvcc" in data else NEEDLES
        return Findings((), tuple(make_summed(find_words(file, context, needles))))
    return _find_in_script(file, context)


def _already_musa(file: SourceFile, context: BuildContext, at: int) -> Iterator[Diagnostic]:
    yield Diagnostic(
        Span(at, at),
        "SIG730",
        Severity.NOTE,
        "this file already knows MUSA; it is left as it is",
        "Nothing, unless it names files that the port renames.",
        "python/already-musa",
    )
    names = [word for word in find_words(file, context) if word.code == "SIG736"]
    yield from make_summed(names)


# --- MANIFEST.in and pyproject.toml -----------------------------------------------------------

_ARGUMENT = re.compile(rb"\S+")


def _find_in_manifest(file: SourceFile, context: BuildContext) -> Findings:
    edits: list[Edit] = []
    names = _Renames.make(file, context)
    for line in re.finditer(rb"[^\r\n]+", file.data):
        if line.group().lstrip().startswith(b"#"):
            continue
        for match in _ARGUMENT.finditer(file.data, line.start(), line.end()):
            if not CU_FILE.search(match.group()):
                continue
            if found := names.find(decode(match.group()), True):
                start = match.start() + match.group().rindex(b".")
                edits.append(Edit(Span(start, match.end()), found[0].encode(), "python/manifest"))
    return Findings(tuple(edits))


_TABLE = re.compile(rb"\[\[?([^\[\]\"',]+)\]\]?\s*(?:#.*)?")
_KEY = re.compile(rb"([\w.-]+|\"[^\"]*\")\s*=")
_REQUIREMENT = re.compile(rb"""["']([^"'\r\n]+)["']""")


def _find_in_toml(file: SourceFile) -> Findings:
    diagnostics: list[Diagnostic] = []
    table = b""
    key = b""
    for line in re.finditer(rb"[^\r\n]+", file.data):
        text = line.group().strip()
        if text.startswith(b"#"):
            continue
        if header := _TABLE.fullmatch(text):
            table, key = header[1].strip(), b""
            continue
        if match := _KEY.match(text):
            key = match.group(1)
        diagnostics += _in_toml_line(file.data, line.start(), line.end(), table, key)
    return Findings((), tuple(diagnostics))


def _in_toml_line(
    data: bytes, start: int, end: int, table: bytes, key: bytes
) -> Iterator[Diagnostic]:
    requires = (
        (table == b"build-system" and key == b"requires")
        or (table == b"project" and key == b"dependencies")
        or b"dependencies" in table
        or b"dependency-groups" in table
    )
    for match in _REQUIREMENT.finditer(data, start, end):
        span = Span(match.start(1), match.end(1))
        text = match.group(1)
        if requires and re.match(rb"torch(?![\w-])", text) and b"+cu" not in text:
            yield Diagnostic(
                span,
                "SIG744",
                Severity.NOTE,
                "torch alone does not build for MUSA",
                "Install torch and torch_musa from the vendor's wheels and build with "
                "--no-build-isolation; a torch fetched into an isolated build has no MUSA.",
                "python/torch-requirement",
            )
            continue
        if found := find_requirement(text, span):
            yield make_diagnostic(found, found.word.severity)
    line = data[start:end]
    if table.startswith(b"tool.sigtrans"):  # our own settings
        return
    if table.startswith(b"tool.") and (hit := re.search(rb"(?i)cuda|nvcc|nccl", line)):
        if line[: hit.start()].count(b"#"):
            return
        yield Diagnostic(
            Span(start + hit.start(), start + hit.end()),
            "SIG750",
            Severity.WARNING,
            f"a setting of [{decode(table)}] speaks of CUDA",
            "See what the tool does with it: settings handed to CMake have to match the ported "
            "CMakeLists.txt, file patterns the ported names (.mu, .muh).",
            "python/tool-setting",
        )


# --- build scripts ----------------------------------------------------------------------------

_TORCH = "torch.utils.cpp_extension"
_PORT = "torch_musa.utils.musa_extension"
# What torch_musa's module offers in the place of torch's (MooreThreads/torch_musa:
# torch_musa/utils/musa_extension.py); every other name stays with torch.
_MOVED: Mapping[str, str] = {
    "CUDAExtension": "MUSAExtension",
    "BuildExtension": "BuildExtension",
    "CUDA_HOME": "MUSA_HOME",
    "CUDNN_HOME": "MUDNN_HOME",
    "COMMON_NVCC_FLAGS": "COMMON_MCC_FLAGS",
    "load": "load",
    "load_inline": "load_inline",
    "include_paths": "include_paths",
    "library_paths": "library_paths",
}
_KEYWORDS: Mapping[str, Mapping[str, str]] = {
    "load": {"extra_cuda_cflags": "extra_musa_cflags", "with_cuda": "with_musa"},
    "load_inline": {
        "cuda_sources": "musa_sources",
        "extra_cuda_cflags": "extra_musa_cflags",
        "with_cuda": "with_musa",
    },
    "include_paths": {"cuda": "musa"},
    "library_paths": {"cuda": "musa"},
}
_KEYS: Mapping[str, str] = {"nvcc": "mcc", "nvcc_dlink": "mcc_dlink"}
_IS_CUDA = re.compile(
    rb"\bCUDAExtension\b|\bCUDA_HOME\b|\.cu\b|\bcuda_sources\b|\bwith_cuda\b|\bextra_cuda_cflags\b"
    rb"|_paths\(\s*(?:cuda\s*=\s*)?True"
)
_FLAG_NAME = re.compile(r"(?i)(?:nvcc|cuda)\w*(?:flag|arg|opt)|(?:flag|arg|opt)\w*(?:nvcc|cuda)")
_COMPILER_NAME = re.compile(r"(?i)compile_?(?:args|flags|opt)|(?:cxx|cc|build)_?(?:args|flags)$")
_LIBRARY_NAME = re.compile(r"(?i)(?:^|_)(?:libraries|libs)$")


# The grammar's scanner takes time by the square of a run of such lines.
_ENDLESS = re.compile(rb"(?:\\\r?\n){500}")


def _find_in_script(file: SourceFile, context: BuildContext) -> Findings:
    if _ENDLESS.search(file.data):
        said = Diagnostic(
            Span(0, 0),
            "SIG752",
            Severity.ERROR,
            "not edited: this build script continues a line over 500 lines and more",
            "Port it by hand.",
            "python/syntax",
        )
        return Findings((), (said,))
    script = _Script(file, context)
    if script.root.has_error:
        script.say(
            script.root,
            "SIG752",
            Severity.ERROR,
            "not edited: this build script does not parse as Python",
            "Port it by hand, or mend the syntax first.",
            "python/syntax",
            Span(0, 0),
        )
    else:
        script.move_imports()
        script.find_flags()
        script.find_arch_list()
        script.find_libraries()
        script.find_sources()
        script.report_leftovers()
    edits = tuple(sorted(set(script.edits)))
    covered = sorted([(e.span.start, e.span.end) for e in edits] + script.handled)
    left = [
        one
        for one in find_words(file, context, NEEDLES + BUILD_NEEDLES)
        if not _overlaps(covered, one.span)
    ]
    script.diagnostics += make_summed((o for o in left if o.code in AT_RUN_TIME), True)
    script.diagnostics += [
        make_diagnostic(o, o.word.build) for o in left if o.code not in AT_RUN_TIME
    ]
    return Findings(edits, tuple(sorted(set(script.diagnostics))))


def _overlaps(covered: Sequence[tuple[int, int]], span: Span) -> bool:
    return any(start < span.end and span.start < end for start, end in covered)


@dataclass(slots=True)
class _Script:
    """One build script, its tree, and what was found so far."""

    file: SourceFile
    context: BuildContext
    edits: list[Edit] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    handled: list[tuple[int, int]] = field(default_factory=list)  # said or looked at already
    root: Node = field(init=False)
    nodes: dict[str, list[Node]] = field(init=False)  # by type, each in source order
    functions: dict[str, Node] = field(init=False)  # local name -> definition
    moved: dict[str, str] = field(default_factory=dict)  # local text -> name in torch's module

    def report_leftovers(self) -> None:
        """What the moved names leave behind: torch's own `load`, and a folder MUSA has not."""
        data = self.file.data
        moved = sorted((edit.span.start, edit.span.end) for edit in self.edits)
        for match in re.finditer(rb"\bcpp_extension\.(load(?:_inline)?)\s*\(", data):
            if _overlaps(moved, Span(*match.span())):
                continue
            self.diagnostics.append(
                Diagnostic(
                    Span(*match.span(1)),
                    "SIG732",
                    Severity.ERROR,
                    f"cpp_extension.{match[1].decode()} is torch's own, which builds for CUDA only",
                    "Import load from torch_musa.utils.musa_extension and call that.",
                    "python/extension",
                )
            )
        if any(edit.text.startswith(b"MUSA_HOME") for edit in self.edits):
            for match in re.finditer(rb"[\"'/]lib64\b", data):
                self.diagnostics.append(
                    Diagnostic(
                        Span(match.start() + 1, match.end()),
                        "SIG742",
                        Severity.WARNING,
                        "lib64 is a folder of the CUDA toolkit; the MUSA SDK has lib",
                        'Write "lib".',
                        "python/folder",
                    )
                )

    def __post_init__(self) -> None:
        self.root = syntax.parse("python", self.file.data).root_node
        self.nodes = {}
        stack = [self.root]
        while stack:  # a walk that also keeps the way up, which the tree only finds from its root
            node = stack.pop()
            self.nodes.setdefault(node.type, []).append(node)
            children = node.children
            for child in children:
                self._parents[child.id] = node
            stack += reversed(children)
        self.functions = {}
        for node in self.of("function_definition"):
            if name := node.child_by_field_name("name"):
                self.functions[self.text(name)] = node
        self._index()

    def of(self, *types: str) -> Iterator[Node]:
        """All nodes of these types."""
        for name in types:
            yield from self.nodes.get(name, ())

    def up(self, node: Node) -> Node:
        """The parent of a node; the root is its own."""
        return self._parents.get(node.id, self.root)

    def above(self, node: Node, *types: str) -> Node | None:
        """The innermost node of one of these types around a node."""
        above = self.up(node)
        while above.type not in types and above.id != self.root.id:
            above = self.up(above)
        return above if above.type in types else None

    def text(self, node: Node) -> str:
        """The text of a node; `edit` writes its undecodable bytes back as they were."""
        return self.file.data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def say(
        self,
        node: Node,
        code: str,
        severity: Severity,
        message: str,
        help_: str,
        rule: str,
        span: Span | None = None,
    ) -> None:
        place = span or Span(node.start_byte, node.end_byte)
        shown = decode(message.encode("utf-8", "surrogateescape"))
        self.diagnostics.append(Diagnostic(place, code, severity, shown, help_, rule))

    def edit(
        self, start: int, end: int, text: str, rule: str, safety: Safety = Safety.EXACT
    ) -> None:
        new = text.encode("utf-8", "surrogateescape")
        if self.file.data[start:end] != new:
            self.edits.append(Edit(Span(start, end), new, rule, safety))

    # imports ----------------------------------------------------------------------------------

    def move_imports(self) -> None:
        """Take from torch_musa what it has, leave with torch what it has not."""
        if not _IS_CUDA.search(self.file.data):
            self._warn_about_build_extension()
            return
        for node in self.of("import_from_statement"):
            module = node.child_by_field_name("module_name")
            name = self.text(module) if module else ""
            if name == _TORCH:
                self._move_names(node)
            elif name == "torch.utils":
                self._move_module(node, "cpp_extension")
        for node in self.of("import_statement"):
            self._move_module(node, _TORCH)
        for node in self.of("call"):
            self._check_call(node)

    def _warn_about_build_extension(self) -> None:
        if re.search(rb"\bBuildExtension\b", self.file.data) and not re.search(
            rb"\bCppExtension\b", self.file.data
        ):
            at = self.file.data.index(b"BuildExtension")
            self.say(
                self.root,
                "SIG731",
                Severity.WARNING,
                "BuildExtension stays torch's: nothing in this file is built for CUDA",
                "If the extensions come from a ported file, take BuildExtension from "
                f"{_PORT}; torch's does not know .mu files.",
                "python/build-extension",
                Span(at, at + len("BuildExtension")),
            )

    def _move_names(self, node: Node) -> None:
        items = node.children_by_field_name("name")
        if not items:  # from torch.utils.cpp_extension import *
            used = {self.text(n) for n in self.of("identifier")}
            names = [
                _MOVED[name] if self._rename_uses(name) else f"{_MOVED[name]} as {name}"
                for name in sorted(used & _MOVED.keys())
            ]
            if names:
                self._insert_after(node, f"from {_PORT} import {', '.join(names)}")
            return
        moved: list[str] = []
        kept: list[str] = []
        for item in items:
            source, alias = item.child_by_field_name("name"), item.child_by_field_name("alias")
            name = self.text(source or item)
            local = self.text(alias) if alias else ""
            if name not in _MOVED:
                kept.append(self.text(item))
                if re.search("(?i)cuda|nvcc|cudnn", name):
                    self._say_without_twin(item, name)
                continue
            self.moved[local or name] = name
            if not local and not self._rename_uses(name):
                local = name
            moved.append(f"{_MOVED[name]} as {local}" if local else _MOVED[name])
        if moved and kept:
            self._split_import(node, kept, moved)
        elif moved:
            module = node.child_by_field_name("module_name")
            assert module is not None
            self.edit(module.start_byte, module.end_byte, _PORT, "python/import")
            for item, text in zip(items, moved, strict=True):
                self.edit(item.start_byte, item.end_byte, text, "python/import")

    def _say_without_twin(self, node: Node, name: str) -> None:
        self.say(
            node,
            "SIG731",
            Severity.WARNING,
            f"{name}: torch_musa's extension module has nothing of this name; it stays torch's",
            "See what is done with it: what torch says about CUDA does not hold for MUSA.",
            "python/import",
        )

    def _rename_uses(self, name: str) -> bool:
        """Follow an imported name through the file; False where it has another meaning too."""
        new = _MOVED[name]
        self.moved.setdefault(name, name)
        if new == name:
            return True
        uses = [n for n in self.of("identifier") if self.text(n) == name]
        if re.search(rb"\b%s\b" % new.encode(), self.file.data):
            return False
        wanted: list[Node] = []
        for use in uses:
            parent = self.up(use)
            field_name = _field_of(use, parent)
            if parent.type == "attribute" and field_name == "attribute":
                continue
            if (
                statement := self.above(use, "import_from_statement", "import_statement")
            ) is not None:
                module = statement.child_by_field_name("module_name")
                if module is not None and self.text(module) == _TORCH:
                    continue
                return False
            if field_name == "name" or "parameter" in parent.type:
                return False
            wanted.append(use)
        for use in wanted:
            self.edit(use.start_byte, use.end_byte, new, "python/import")
        return True

    def _split_import(self, node: Node, kept: Sequence[str], moved: Sequence[str]) -> None:
        indent, joiner = self._joiner(node)
        comments = [self.text(n) for n in syntax.walk(node) if n.type == "comment"]
        newline = self._newline()
        if comments and joiner == "; ":
            self.say(
                node,
                "SIG732",
                Severity.ERROR,
                "this import was not taken apart",
                f"Import {', '.join(moved)} from {_PORT}, the rest from {_TORCH}.",
                "python/import",
            )
            return
        lines = [
            *comments,
            _import_line(_TORCH, kept, indent, newline),
            _import_line(_PORT, moved, indent, newline),
        ]
        self.edit(node.start_byte, node.end_byte, joiner.join(lines), "python/import")

    def _insert_after(self, node: Node, statement: str) -> None:
        _, joiner = self._joiner(node)
        self.edit(node.end_byte, node.end_byte, joiner + statement, "python/import")

    def _joiner(self, node: Node) -> tuple[str, str]:
        """The indentation of a statement, and what may stand between it and a second one."""
        data = self.file.data
        line = max(data.rfind(b"\n", 0, node.start_byte), data.rfind(b"\r", 0, node.start_byte)) + 1
        before = data[line : node.start_byte].removeprefix(b"\xef\xbb\xbf")
        if before.strip():
            return "", "; "
        return decode(before), self._newline() + decode(before)

    def _newline(self) -> str:
        data = self.file.data
        if b"\r\n" in data:
            return "\r\n"
        return "\r" if b"\r" in data and b"\n" not in data else "\n"

    def _move_module(self, node: Node, wanted: str) -> None:
        items = node.children_by_field_name("name")
        for item in items:
            name = item.child_by_field_name("name") if item.type == "aliased_import" else item
            if name is None or self.text(name) != wanted:
                continue
            alias = item.child_by_field_name("alias")
            local = self.text(alias) if alias else wanted
            self._move_attributes(node, name, local, alias is not None, len(items) == 1)

    def _move_attributes(
        self, statement: Node, name: Node, local: str, aliased: bool, alone: bool
    ) -> None:
        attributes = [
            (n, target, attribute)
            for n in self.of("attribute")
            if (target := n.child_by_field_name("object")) is not None
            and (attribute := n.child_by_field_name("attribute")) is not None
            and re.sub(r"\s", "", self.text(target)) == local
        ]
        bare = [n for n in self.of("identifier") if self._is_bare(n, local)]
        for use in bare:
            self.say(
                use,
                "SIG732",
                Severity.ERROR,
                "torch's extension module is handed on as a value and cannot be followed",
                f"Where CUDAExtension and the like are taken from it, use {_PORT}.",
                "python/import",
            )
        moving = [one for one in attributes if self.text(one[2]) in _MOVED]
        if not moving:
            return
        whole = alone and not bare and len(moving) == len(attributes)
        new = local if whole and aliased else "musa_extension"
        if whole and statement.type == "import_from_statement":
            module = statement.child_by_field_name("module_name")
            assert module is not None
            self.edit(module.start_byte, module.end_byte, "torch_musa.utils", "python/import")
            self.edit(name.start_byte, name.end_byte, "musa_extension", "python/import")
        elif whole and aliased:
            self.edit(name.start_byte, name.end_byte, _PORT, "python/import")
        else:
            self._insert_after(statement, "from torch_musa.utils import musa_extension")
        for node, target, attribute in moving:
            old = self.text(attribute)
            self.moved[re.sub(r"\s", "", self.text(node))] = old
            self.edit(target.start_byte, target.end_byte, new, "python/import")
            self.edit(attribute.start_byte, attribute.end_byte, _MOVED[old], "python/import")

    def _is_bare(self, node: Node, local: str) -> bool:
        parent = self.up(node)
        if self.text(node) != local:
            return False
        if parent.type == "attribute" or _field_of(node, parent) == "alias":
            return False
        return self.above(node, "import_from_statement", "import_statement") is None

    def _check_call(self, call: Node) -> None:
        function = call.child_by_field_name("function")
        arguments = call.child_by_field_name("arguments")
        if function is None or arguments is None:
            return
        name = self.moved.get(re.sub(r"\s", "", self.text(function)))
        if name is None:
            return
        given = dict(self._keywords(arguments))
        for old, new in _KEYWORDS.get(name, {}).items():
            if old in given:
                key = given[old][0]
                self.edit(key.start_byte, key.end_byte, new, "python/keyword")
        if name == "load_inline":
            self._warn_about_source(arguments, given)
        if name == "CUDAExtension":
            self._check_compile_arguments(given)

    def _keywords(self, arguments: Node) -> Iterator[tuple[str, tuple[Node, Node]]]:
        for child in arguments.named_children:
            key, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if child.type == "keyword_argument" and key is not None and value is not None:
                yield self.text(key), (key, value)

    def _warn_about_source(self, arguments: Node, given: Mapping[str, tuple[Node, Node]]) -> None:
        positional = [
            n for n in arguments.named_children if n.type not in ("keyword_argument", "comment")
        ]
        value = given["cuda_sources"][1] if "cuda_sources" in given else None
        value = positional[2] if value is None and len(positional) > 2 else value
        if value is None or value.type == "none":
            return
        self.say(
            value,
            SOURCE.code,
            SOURCE.severity,
            SOURCE.message,
            SOURCE.help,
            SOURCE.name,
        )
        self.handled.append((value.start_byte, value.end_byte))

    def _check_compile_arguments(self, given: Mapping[str, tuple[Node, Node]]) -> None:
        if "extra_compile_args" not in given:
            return
        value = given["extra_compile_args"][1]
        values = [value]
        if (var := self._var(value)) is not None:
            values = self._assigned.get(var, [])
        if any(v.type in ("list", "tuple", "list_comprehension") for v in values):
            self.say(
                value,
                "SIG735",
                Severity.ERROR,
                "MUSAExtension takes extra_compile_args as a dictionary only",
                'Write {"cxx": [...], "mcc": [...]}; the one list went to both compilers.',
                "python/compile-arguments",
            )

    # where values flow ------------------------------------------------------------------------

    def _scope(self, node: Node, name: str) -> int:
        """The function in which a name is local, 0 for the file; Python's own rule."""
        function = self.above(node, "function_definition", "lambda")
        while function is not None and name not in self._bound.get(function.id, ()):
            function = self.above(function, "function_definition", "lambda")
        return function.id if function is not None else 0

    def _var(self, node: Node) -> tuple[int, str] | None:
        if node.type == "identifier":
            name = self.text(node)
            return self._scope(node, name), name
        if node.type == "attribute":
            return 0, self.text(node)
        return None

    def _index(self) -> None:
        """Who assigns, grows and passes which variable."""
        targets: list[tuple[Node, Node]] = []
        for node in self.of("assignment", "augmented_assignment"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is None:
                continue
            if left.type == "identifier":
                self._bind(node, self.text(left))
            if right is not None:
                targets.append((left, right))
        for node in self.of("parameters", "lambda_parameters"):
            function = self.up(node)
            for parameter in node.named_children:
                if name := self._parameter(parameter):
                    self._bound.setdefault(function.id, set()).add(name)
        for node in self.of("global_statement"):
            if f := self.above(node, "function_definition"):
                self._global.setdefault(f.id, set()).update(map(self.text, node.named_children))
        for scope, names in self._global.items():
            self._bound.get(scope, set()).difference_update(names)
        for left, right in targets:
            if (var := self._var(left)) is not None:
                self._assigned.setdefault(var, []).append(right)

    def _bind(self, node: Node, name: str) -> None:
        if function := self.above(node, "function_definition", "lambda"):
            self._bound.setdefault(function.id, set()).add(name)

    def _parameter(self, node: Node) -> str:
        if node.type == "identifier":
            return self.text(node)
        name = node.child_by_field_name("name")
        if name is None and node.type == "typed_parameter":
            name = next((n for n in node.named_children if n.type == "identifier"), None)
        return self.text(name) if name is not None else ""

    def _flow(self, seeds: Iterable[Node], variables: Iterable[tuple[int, str]] = ()) -> _Flow:
        """Everything in this file whose words can end up in the values of `seeds`."""
        flow = _Flow({}, {})
        open_nodes = list(seeds)
        open_vars = list(variables)
        seen_nodes: set[int] = set()
        seen_vars: set[tuple[int, str]] = set()
        while open_nodes or open_vars:
            if open_nodes:
                node = open_nodes.pop()
                if node.id not in seen_nodes:
                    seen_nodes.add(node.id)
                    nodes, names = self._sources(node, flow)
                    open_nodes += nodes
                    open_vars += names
                continue
            var = open_vars.pop()
            if var not in seen_vars:
                seen_vars.add(var)
                nodes, names = self._sources_of_variable(var, flow)
                open_nodes += nodes
                open_vars += names
        return flow

    def _sources(self, node: Node, flow: _Flow) -> tuple[list[Node], list[tuple[int, str]]]:
        match node.type:
            case "list" | "tuple":
                flow.lists[node.id] = node
                splats = [n for n in node.named_children if n.type == "list_splat"]
                return [c for s in splats for c in s.named_children], []
            case "identifier" | "attribute":
                var = self._var(node)
                return [], [var] if var else []
            case "binary_operator" | "boolean_operator" | "parenthesized_expression":
                return [n for n in node.named_children if n.type != "comment"], []
            case "conditional_expression":
                return [node.named_children[0], node.named_children[-1]], []
            case "call":
                return self._sources_of_call(node, flow), []
            case _:
                return [], []

    def _sources_of_call(self, call: Node, flow: _Flow) -> list[Node]:
        function = call.child_by_field_name("function")
        arguments = call.child_by_field_name("arguments")
        if function is None or arguments is None:
            return []
        if function.type == "attribute":
            target = function.child_by_field_name("object")
            method = function.child_by_field_name("attribute")
            if target is not None and method is not None:
                if self.text(method) == "copy":
                    return [target]
                if self.text(method) == "split" and target.type == "string":
                    flow.lists[call.id] = call
            return []
        name = self.text(function)
        if name in ("list", "tuple", "sorted", "set"):
            return [n for n in arguments.named_children if n.type != "comment"]
        if (definition := self.functions.get(name)) is not None:
            return [
                n.named_children[0]
                for n in syntax.walk(definition)
                if n.type == "return_statement" and n.named_children
            ]
        return []

    def _sources_of_variable(
        self, var: tuple[int, str], flow: _Flow
    ) -> tuple[list[Node], list[tuple[int, str]]]:
        nodes = list(self._assigned.get(var, ()))
        names: list[tuple[int, str]] = []
        for call in self.of("call"):
            function = call.child_by_field_name("function")
            arguments = call.child_by_field_name("arguments")
            if function is None or arguments is None:
                continue
            if function.type == "attribute":
                nodes += self._grown(call, function, arguments, var, flow)
            elif (definition := self.functions.get(self.text(function))) is not None:
                for name, value in self._passed(definition, arguments):
                    if (definition.id, name) == var:
                        nodes.append(value)
                    elif value.type in ("identifier", "attribute") and self._var(value) == var:
                        names.append((definition.id, name))
        return nodes, names

    def _grown(
        self, call: Node, function: Node, arguments: Node, var: tuple[int, str], flow: _Flow
    ) -> list[Node]:
        target = function.child_by_field_name("object")
        method = function.child_by_field_name("attribute")
        if target is None or method is None or self._var(target) != var:
            return []
        given = [n for n in arguments.named_children if n.type != "comment"]
        match self.text(method):
            case "extend":
                return given
            case "append" if len(given) == 1:
                flow.appends[call.id] = call
        return []

    def _passed(self, definition: Node, arguments: Node) -> Iterator[tuple[str, Node]]:
        parameters = definition.child_by_field_name("parameters")
        names = [self._parameter(n) for n in parameters.named_children] if parameters else []
        at = 0
        for node in arguments.named_children:
            key, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if node.type == "keyword_argument" and key is not None and value is not None:
                yield self.text(key), value
            elif node.type not in ("comment", "list_splat", "dictionary_splat"):
                if at < len(names):
                    yield names[at], node
                at += 1

    # flags ------------------------------------------------------------------------------------

    def find_flags(self) -> None:
        """The dictionary's key, and the words of every list that ends up under it."""
        nvcc, host, link = self._seeds()
        names = [
            var
            for var in self._assigned
            if _FLAG_NAME.search(var[1]) and any(self._holds_flags(e) for e in self._assigned[var])
        ]
        device = self._flow(nvcc, names)
        shared = self._flow(host)
        linked = self._flow(link)
        for node in device.lists.values():
            self._port_words(node, node.id in shared.lists)
        self._port_appends([c for key, c in device.appends.items() if key not in shared.appends])
        for node in linked.lists.values():
            if node.id not in device.lists:
                self._port_words(node, False, ("-l", "-L"))

    def _holds_flags(self, node: Node) -> bool:
        return node.type in ("list", "tuple") and any(
            (word := self._literal(n)) is not None and word.startswith("-")
            for n in node.named_children
        )

    def _seeds(self) -> tuple[list[Node], list[Node], list[Node]]:
        found: dict[str, list[Node]] = {"nvcc": [], "cxx": [], "link": []}
        for node in self.of("pair", "keyword_argument"):
            self._seed_pair(node, found)
        for node in self.of("subscript"):
            self._seed_subscript(node, found)
        for node in self.of("call"):
            self._seed_get(node, found)
        return found["nvcc"], found["cxx"], found["link"]

    def _seed_pair(self, node: Node, found: Mapping[str, list[Node]]) -> None:
        key = node.child_by_field_name("key") or node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if key is None or value is None or value.type == "string":
            return
        if node.type == "pair":
            name = self._literal(key) or ""
            if name in _KEYS and self._is_for_compilers(self.up(node)):
                self._edit_literal(key, _KEYS[name], "python/nvcc-key")
                found["nvcc"].append(value)
            elif name == "cxx":
                found["cxx"].append(value)
            return
        name = self.text(key)
        if name in ("extra_cuda_cflags", "extra_musa_cflags"):
            found["nvcc"].append(value)
        elif name in ("extra_cflags", "cxx"):
            found["cxx"].append(value)
        elif name in ("extra_link_args", "extra_ldflags"):
            found["link"].append(value)
        elif name in _KEYS and self._is_dict_call(node):
            self.edit(key.start_byte, key.end_byte, _KEYS[name], "python/nvcc-key")
            found["nvcc"].append(value)

    def _is_for_compilers(self, node: Node) -> bool:
        """Whether a dictionary, or what is looked up in, holds the compilers' arguments."""
        if node.type != "dictionary":
            if _COMPILER_NAME.search(self.text(node)):
                return True
            return any(map(self._has_cxx, self._assigned.get(self._var(node) or (0, ""), ())))
        parent = self.up(node)
        if self._has_cxx(node):
            return True
        if parent.type not in ("keyword_argument", "assignment"):
            return False
        target = parent.child_by_field_name("name") or parent.child_by_field_name("left")
        return target is not None and self._is_for_compilers(target)

    def _has_cxx(self, node: Node) -> bool:
        if node.id not in self._with_cxx:
            keys = [n.child_by_field_name("key") for n in node.named_children if n.type == "pair"]
            self._with_cxx[node.id] = any(k is not None and self._literal(k) == "cxx" for k in keys)
        return self._with_cxx[node.id]

    def _is_dict_call(self, keyword: Node) -> bool:
        call = self.above(keyword, "call")
        function = call.child_by_field_name("function") if call else None
        return function is not None and self.text(function) == "dict"

    def _seed_subscript(self, node: Node, found: Mapping[str, list[Node]]) -> None:
        key = node.child_by_field_name("subscript")
        name = (self._literal(key) if key is not None else None) or ""
        if key is None or (name not in _KEYS and name != "cxx"):
            return
        kind = "cxx" if name == "cxx" else "nvcc"
        target = node.child_by_field_name("value")
        parent = self.up(node)
        if target is None or not self._is_for_compilers(target):
            return
        if name in _KEYS:
            self._edit_literal(key, _KEYS[name], "python/nvcc-key")
        if parent.type in ("assignment", "augmented_assignment"):
            right = parent.child_by_field_name("right")
            if right is not None and right.id != node.id:
                found[kind].append(right)
        elif parent.type == "attribute":
            arguments = self.up(parent).child_by_field_name("arguments")
            method = parent.child_by_field_name("attribute")
            if arguments is not None and method is not None and self.text(method) == "extend":
                found[kind] += arguments.named_children

    def _seed_get(self, call: Node, found: Mapping[str, list[Node]]) -> None:
        function = call.child_by_field_name("function")
        arguments = call.child_by_field_name("arguments")
        if function is None or arguments is None or function.type != "attribute":
            return
        method = function.child_by_field_name("attribute")
        given = arguments.named_children
        if method is None or self.text(method) not in ("get", "setdefault", "pop") or not given:
            return
        name = self._literal(given[0]) or ""
        target = function.child_by_field_name("object")
        if name in _KEYS and target is not None and self._is_for_compilers(target):
            self._edit_literal(given[0], _KEYS[name], "python/nvcc-key")
            found["nvcc"] += given[1:2]

    def _literal(self, node: Node) -> str | None:
        """The text of a plain string; None for f-strings, escapes and anything else."""
        if node.type != "string" or len(node.children) < 2:
            return None
        opening = self.text(node.children[0])
        if len(opening) != 1 or len(node.children) > 3:
            return None
        if len(node.children) == 2:
            return ""
        content = node.children[1]
        text = self.text(content)
        return text if content.type == "string_content" and "\\" not in text else None

    def _edit_literal(
        self, node: Node, text: str, rule: str, safety: Safety = Safety.EXACT
    ) -> None:
        self.edit(node.start_byte + 1, node.end_byte - 1, text, rule, safety)

    def _port_words(self, node: Node, shared: bool, only: tuple[str, ...] = ()) -> None:
        """Put the words of one list into mcc's form; `only` limits it to words that begin so."""
        from sigtrans.passes.nvcc_flags import SEVERITY, translate

        if node.type == "call":  # "-O3 --use_fast_math".split()
            function = node.child_by_field_name("function")
            text = function.child_by_field_name("object") if function else None
            if text is not None:
                self._port_sentence(text)
            return
        elements = [n for n in node.named_children if n.type != "comment"]
        dropped: set[int] = set()
        for first, run in self._runs(elements):
            words = [self._as_word(n, i) for i, n in enumerate(run, first)]
            for change in translate(words, self.context.targets):
                before = words[change.first : change.last]
                if only and not before[0].startswith(only):
                    continue
                at = first + change.first
                place = elements[at]
                if shared and tuple(before) != change.words:
                    self._say_shared(place)
                    continue
                if change.code:
                    severity = SEVERITY[change.code]
                    self.say(
                        place, change.code, severity, change.message, change.help, "python/flags"
                    )
                if tuple(before) != change.words:
                    olds = elements[at : first + change.last]
                    dropped |= self._replace(elements, at, olds, change.words)
        for element in elements:
            if not only and element.type == "string":
                if self._is_sentence(element) and not shared:
                    self._port_sentence(element)
                if "CMAKE_" not in self.text(element):  # then the list is for CMake after all
                    self.handled.append((element.start_byte, element.end_byte))
        if dropped and node.type == "list":
            self._drop(node, elements, dropped)
        elif dropped:
            self._say_unfollowed(node)

    def _runs(self, elements: Sequence[Node]) -> Iterator[tuple[int, list[Node]]]:
        """Stretches of words that nothing of unknown length interrupts."""
        first = 0
        for i, node in enumerate([*elements, None]):
            if node is None or node.type == "list_splat" or self._is_sentence(node):
                if i > first:
                    yield first, list(elements[first:i])
                first = i + 1

    def _is_sentence(self, node: Node) -> bool:
        text = self._literal(node)
        return text is not None and len(text.split()) > 1

    def _port_sentence(self, node: Node) -> None:
        """Several words in one string; what it holds is parted at blanks by whoever runs it."""
        from sigtrans.passes.nvcc_flags import SEVERITY, translate_words

        text = self._literal(node)
        if text is None:
            return
        result = translate_words(text.split(), self.context.targets)
        for _, code, message, help_ in result.notes:
            self.say(node, code, SEVERITY[code], message, help_, "python/flags")
        if result.words != text.split():
            self._edit_literal(node, " ".join(result.words), "python/flags")
        self.handled.append((node.start_byte, node.end_byte))

    def _as_word(self, node: Node, index: int) -> str:
        """A list's element as a word of a command line; what is computed looks like a variable."""
        if (text := self._literal(node)) is not None:
            return text
        if node.type != "string" or not self.text(node.children[0]).lower().startswith("f"):
            return f"$(arg{index})"
        parts: list[str] = []
        for n, child in enumerate(node.children[1:-1]):
            parts.append(
                f"$(arg{index}_{n + 1})" if child.type == "interpolation" else self.text(child)
            )
        return "".join(parts)

    def _replace(
        self, elements: Sequence[Node], at: int, olds: Sequence[Node], words: Sequence[str]
    ) -> set[int]:
        """Write the new words over the old elements; returns those that have to go."""
        texts = [self._as_element(word, elements, olds[0]) for word in words]
        indent, joiner = self._joiner(olds[-1])
        between = f",{joiner}" if indent else ", "  # one in a line stays one in a line
        for i, old in enumerate(olds[: len(texts)]):
            text = texts[i] if i + 1 < len(olds) else between.join(texts[i:])
            self.edit(old.start_byte, old.end_byte, text, "python/flags")
        return set(range(at + len(texts), at + len(olds)))

    def _as_element(self, word: str, elements: Sequence[Node], like: Node) -> str:
        if match := re.fullmatch(r"\$\(arg(\d+)\)", word):
            return self.text(elements[int(match.group(1))])
        quote = self.text(like)[-1] if like.type == "string" else '"'

        def original(match: re.Match[str]) -> str:
            return self.text(elements[int(match.group(1))].children[int(match.group(2))])

        text, count = re.subn(r"\$\(arg(\d+)_(\d+)\)", original, word)
        if quote in text and not count:
            quote = "'" if quote == '"' else '"'
            text = text.replace(quote, f"\\{quote}")
        return f"{'f' if count else ''}{quote}{text}{quote}"

    def _drop(self, node: Node, elements: Sequence[Node], dropped: set[int]) -> None:
        """Take elements out of a list, with their commas and with nobody's comment."""
        comments = [n for n in node.children if n.type == "comment"]
        commas = [n for n in node.children if n.type == ","]
        for i in sorted(dropped):
            if i - 1 in dropped:
                continue
            j = i
            while j + 1 in dropped:
                j += 1
            if j + 1 < len(elements):
                start, end = elements[i].start_byte, elements[j + 1].start_byte
            elif i > 0:
                start, end = elements[i - 1].end_byte, elements[j].end_byte
            else:
                start = elements[i].start_byte
                end = max([elements[j].end_byte, *[c.end_byte for c in commas]])
            row = elements[j].end_point[0]  # a comment beside it would pass to its neighbour
            if not any(
                (start < c.end_byte and c.start_byte < end) or c.start_point[0] == row
                for c in comments
            ):
                self.edit(start, end, "", "python/flags")
                continue
            for element in elements[i : j + 1]:
                comma = next((c for c in commas if c.start_byte >= element.end_byte), None)
                last = comma.end_byte if comma is not None else element.end_byte
                self._drop_line(element.start_byte, last)

    def _drop_line(self, start: int, end: int) -> None:
        """Take a stretch out, with its line where nothing else stands on it."""
        data = self.file.data
        line = data.rfind(b"\n", 0, start) + 1
        rest = re.compile(rb"[ \t]*(?:\r\n|\n|\r|\Z)").match(data, end)
        if rest is not None and not data[line:start].strip():
            self.edit(line, rest.end(), "", "python/flags")
            return
        blanks = re.compile(rb"[ \t]*").match(data, end)
        self.edit(start, blanks.end() if blanks else end, "", "python/flags")

    def _port_appends(self, calls: Sequence[Node]) -> None:
        """`flags.append("-gencode")` and the call after it are read as the one line they build."""
        group: list[Node] = []
        dropped: list[Node] = []
        for call in sorted(calls, key=lambda c: c.start_byte):
            if group and not self._follows(group[-1], call):
                dropped += self._port_group(group)
                group = []
            group.append(call)
        if group:
            dropped += self._port_group(group)
        self._drop_calls(dropped)

    def _follows(self, first: Node, second: Node) -> bool:
        after = self.up(first).next_named_sibling
        while after is not None and after.type == "comment":
            after = after.next_named_sibling
        return (
            after is not None
            and after.id == self.up(second).id
            and self._target(first) == self._target(second)
        )

    def _target(self, call: Node) -> str:
        function = call.child_by_field_name("function")
        return self.text(function) if function is not None else ""

    def _port_group(self, calls: Sequence[Node]) -> list[Node]:
        from sigtrans.passes.nvcc_flags import SEVERITY, translate

        arguments = [self._only_argument(call) for call in calls]
        words = [self._as_word(node, i) for i, node in enumerate(arguments)]
        dropped: set[int] = set()
        for change in translate(words, self.context.targets):
            place = arguments[change.first]
            if change.code:
                severity = SEVERITY[change.code]
                self.say(place, change.code, severity, change.message, change.help, "python/flags")
            if tuple(words[change.first : change.last]) == change.words:
                continue
            olds = arguments[change.first : change.last]
            if len(change.words) > len(olds):  # append takes one word: more become one extend
                self._extend(calls[change.last - 1], olds, change.words, arguments)
                continue
            dropped |= self._replace(arguments, change.first, olds, change.words)
        self.handled += [(n.start_byte, n.end_byte) for n in arguments]
        return [calls[i] for i in sorted(dropped)]

    def _drop_calls(self, calls: Sequence[Node]) -> None:
        going = {self.up(call).id for call in calls}
        filled: set[int] = set()  # blocks that hold a statement still, or were given `pass`
        for call in calls:
            statement = self.up(call)
            block = self.up(statement)
            left = any(n.type != "comment" and n.id not in going for n in block.named_children)
            if not left and block.type != "module" and block.id not in filled:
                filled.add(block.id)
                self.edit(statement.start_byte, statement.end_byte, "pass", "python/flags")
            else:
                self._drop_line(statement.start_byte, statement.end_byte)

    def _extend(
        self, call: Node, olds: Sequence[Node], words: Sequence[str], arguments: Sequence[Node]
    ) -> None:
        function = call.child_by_field_name("function")
        method = function.child_by_field_name("attribute") if function is not None else None
        if method is None or len(olds) != 1:
            self._say_unfollowed(call)
            return
        texts = [self._as_element(word, arguments, olds[0]) for word in words]
        self.edit(method.start_byte, method.end_byte, "extend", "python/flags")
        old = olds[0]
        self.edit(old.start_byte, old.end_byte, f"[{', '.join(texts)}]", "python/flags")

    def _only_argument(self, call: Node) -> Node:
        arguments = call.child_by_field_name("arguments")
        assert arguments is not None
        return next(n for n in arguments.named_children if n.type != "comment")

    def _say_shared(self, node: Node) -> None:
        self.handled.append((node.start_byte, node.end_byte))
        self.say(
            node,
            "SIG734",
            Severity.WARNING,
            f"{self.text(node)}: the list it is in goes to the host compiler too, so it is kept",
            "Part the list in two and port the one under 'mcc'.",
            "python/flags",
        )

    def _say_unfollowed(self, node: Node) -> None:
        self.say(
            node,
            "SIG734",
            Severity.WARNING,
            "options for nvcc that could not be edited in place",
            "Write them as a list and run again, or port them by hand.",
            "python/flags",
        )

    # architectures, libraries, files ----------------------------------------------------------

    def find_arch_list(self) -> None:
        """TORCH_CUDA_ARCH_LIST where it gets a literal, or where only its presence counts."""
        for node in self.of("string"):
            if self._literal(node) != "TORCH_CUDA_ARCH_LIST":
                continue
            parent = self.up(node)
            value = self._value_for(node, parent)
            if value is not None:
                self._edit_literal(node, "TORCH_MUSA_ARCH_LIST", "python/arch-list")
                if self._literal(value):
                    archs = ";".join(t.removeprefix("mp_") for t in self.context.targets)
                    self._edit_literal(value, archs, "python/arch-list")
            elif self._only_asks(node, parent):
                self._edit_literal(node, "TORCH_MUSA_ARCH_LIST", "python/arch-list")

    def _value_for(self, key: Node, parent: Node) -> Node | None:
        value: Node | None = None
        if parent.type == "pair" and _field_of(key, parent) == "key":
            value = parent.child_by_field_name("value")
        elif parent.type == "subscript" and self.up(parent).type == "assignment":
            right = self.up(parent).child_by_field_name("right")
            value = right if right is not None and right.id != parent.id else None
        elif parent.type == "argument_list":
            function = self.up(parent).child_by_field_name("function")
            name = self.text(function).rpartition(".")[2] if function is not None else ""
            if name in ("setdefault", "putenv", "setenv") and len(parent.named_children) == 2:
                value = parent.named_children[1]
        return value if value is not None and self._literal(value) is not None else None

    def _only_asks(self, key: Node, parent: Node) -> bool:
        if parent.type == "comparison_operator":  # "X" in os.environ
            return any(child.type in ("in", "not in") for child in parent.children)
        call = self.up(parent)
        if parent.type != "argument_list":
            return False
        function = call.child_by_field_name("function")
        if function is None or not re.search(r"(?:environ\.get|getenv)$", self.text(function)):
            return False
        if any(n.type != "none" for n in parent.named_children[1:]):
            return False
        asked = self.up(call)
        if asked.type == "comparison_operator":
            return any(n.type == "none" for n in asked.named_children)
        return asked.type == "not_operator" or _field_of(call, asked) == "condition"

    def find_libraries(self) -> None:
        """CUDA's libraries in `libraries`, its default folders in the folder lists."""
        libraries: list[Node] = []
        folders: list[Node] = []
        for node in self.of("keyword_argument"):
            key = node.child_by_field_name("name")
            value = node.child_by_field_name("value")
            if key is None or value is None:
                continue
            if self.text(key) in ("libraries", "dlink_libraries"):
                libraries.append(value)
            elif self.text(key) in ("include_dirs", "library_dirs", "runtime_library_dirs"):
                folders.append(value)
        named = [v for v in self._assigned if _LIBRARY_NAME.search(v[1])]
        flow = self._flow(libraries, named)
        for node in flow.lists.values():
            self._port_libraries(node)
        self._port_library_appends(flow.appends.values())
        for node in self._flow(folders).lists.values():
            self._port_folders(node)

    def _port_libraries(self, node: Node) -> None:
        elements = [n for n in node.named_children if n.type != "comment"]
        dropped = {i for i, n in enumerate(elements) if self._port_library(n)}
        if dropped and node.type == "list":
            self._drop(node, elements, dropped)
        elif dropped:
            self._say_unfollowed(node)

    def _port_library_appends(self, calls: Iterable[Node]) -> None:
        for call in calls:
            node = self._only_argument(call)
            if self._port_library(node):
                self._say_unfollowed(node)

    def _port_library(self, node: Node) -> bool:
        """Give one library its MUSA name; True when it has to go instead."""
        from sigtrans.passes.nvcc_flags import LIBRARY, SEVERITY, find_library

        name = self._literal(node)
        library = find_library(name) if name else None
        if name is None or library is None:
            return False
        self.handled.append((node.start_byte, node.end_byte))
        if library.stop:
            message = f"{name}: MUSA has no library that takes its place by name"
            self.say(node, LIBRARY, SEVERITY[LIBRARY], message, library.help, "python/library")
        elif library.to:
            self._edit_literal(node, library.to, "python/library")
        return not library.stop and not library.to

    def _port_folders(self, node: Node) -> None:
        from sigtrans.passes.nvcc_flags import translate_path

        for element in node.named_children:
            text = self._literal(element)
            if text is not None and (after := translate_path(text)) != text:
                self._edit_literal(element, after, "python/folder")

    def find_sources(self) -> None:
        """File names and patterns in strings that mean files the port renames."""
        names = _Renames.make(self.file, self.context)
        for node in self.of("string"):
            if b".cu" not in self.file.data[node.start_byte : node.end_byte]:
                continue
            content = node.children[-2]
            ending = CU_FILE.search(self.file.data, content.start_byte, content.end_byte)
            if content.type != "string_content" or ending is None:
                continue
            if self._is_docstring(node) or b"\n" in self.file.data[node.start_byte : node.end_byte]:
                continue
            text = "".join(
                "*" if child.type == "interpolation" else self.text(child)
                for child in node.children[1:-1]
            )
            if not names.files:
                self._say_kept(node)
            elif found := names.find(text, self._is_asked(node)):
                after, safety = found
                self.edit(ending.start(), content.end_byte, after, "python/source", safety)

    def _say_kept(self, node: Node) -> None:
        call = self.above(node, "call")
        while call is not None and self.moved.get(self._target(call)) != "CUDAExtension":
            call = self.above(call, "call")
        if call is None:
            return
        self.say(
            node,
            "SIG753",
            Severity.ERROR,
            "MUSAExtension hands only .mu files to mcc",
            "Port without --keep-extensions, or give this file a .mu name.",
            "python/kept-extension",
        )
        self.handled.append((node.start_byte, node.end_byte))

    def _is_docstring(self, node: Node) -> bool:
        return self.up(node).type == "expression_statement"

    def _is_asked(self, node: Node) -> bool:
        """Whether a bare extension is compared with a file's, rather than put on one."""
        above = self.up(node)
        while above.type in ("tuple", "list", "set", "argument_list"):
            above = self.up(above)
        if above.type == "call":
            return self._target(above).rpartition(".")[2] in ("endswith", "glob", "rglob", "iglob")
        return above.type == "comparison_operator"

    _parents: dict[int, Node] = field(default_factory=dict)
    # filled by _index
    _bound: dict[int, set[str]] = field(default_factory=dict)
    _global: dict[int, set[str]] = field(default_factory=dict)
    _assigned: dict[tuple[int, str], list[Node]] = field(default_factory=dict)
    _with_cxx: dict[int, bool] = field(default_factory=dict)  # dictionaries looked at already


@dataclass(frozen=True, slots=True)
class _Flow:
    """Lists, and calls of `append`, whose words reach one place."""

    lists: dict[int, Node]
    appends: dict[int, Node]


@dataclass(frozen=True, slots=True)
class _Renames:
    """The renamed files, as a script in one folder may name them."""

    files: tuple[tuple[str, str, str], ...]  # path from the root, path from here, new extension
    exact: Mapping[str, str]

    @classmethod
    def make(cls, file: SourceFile, context: BuildContext) -> _Renames:
        """Only files whose extension changes."""
        folder = PurePosixPath(file.path).parent.as_posix()
        files = tuple(
            (
                source,
                source.removeprefix(f"{folder}/") if folder != "." else source,
                PurePosixPath(port).suffix,
            )
            for source, port in sorted(context.renamed.items())
            if PurePosixPath(source).suffix != PurePosixPath(port).suffix
        )
        exact = {name: after for source, local, after in files for name in (source, local)}
        return cls(files, exact)

    def find(self, text: str, asked: bool) -> tuple[str, Safety] | None:
        """The extension that `text` gets; less sure when only a part of the path is known."""
        wanted = text.replace("\\", "/").removeprefix("./").lstrip("/")
        if wanted in self.exact:
            return self.exact[wanted], Safety.EXACT
        while wanted.startswith("../"):  # from whichever folder it is run in
            wanted = wanted.removeprefix("../")
        if wanted.startswith("."):
            matches = {after for source, _, after in self.files if source.endswith(wanted)}
            return (matches.pop(), Safety.REVIEW) if asked and len(matches) == 1 else None
        matches = {
            after
            for source, local, after in self.files
            if PurePosixPath(source).suffix == PurePosixPath(wanted).suffix
            and (
                fnmatchcase(source, wanted)
                or fnmatchcase(local, wanted)
                or fnmatchcase(source, f"*/{wanted}")
            )
        }
        return (matches.pop(), Safety.REVIEW) if len(matches) == 1 else None


def _field_of(node: Node, parent: Node) -> str:
    for i, child in enumerate(parent.children):
        if child.id == node.id:
            return parent.field_name_for_child(i) or ""
    return ""


def _import_line(module: str, names: Sequence[str], indent: str, newline: str) -> str:
    line = f"from {module} import {', '.join(names)}"
    if len(indent) + len(line) <= 88:
        return line
    rows = "".join(f"{indent}    {name},{newline}" for name in names)
    return f"from {module} import ({newline}{rows}{indent})"
