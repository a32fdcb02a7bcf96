"""How the modules may depend on each other, and where dangerous things live."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sigtrans

ROOT = Path(sigtrans.__file__).parent
MODULES = {
    ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p
    for p in sorted(ROOT.rglob("*.py"))
    if p != ROOT / "__init__.py"
}
TREES = {name: ast.parse(path.read_bytes()) for name, path in MODULES.items()}
HEAVY = {"clang", "rich", "jinja2", "yaml", "pydantic", "tree_sitter", "pathspec"}
HEAVY |= {f"tree_sitter_{language}" for language in ("cuda", "python")}

# A module may import those of lower numbers, and itself nothing of its own height or above, except
# that a pass may use helpers of its own folder.
HEIGHT = {
    "source": 0,
    "run": 1, "semantics": 1,
    "catalogue": 1, "syntax": 1, "names": 1, "fragments": 1,
    "symbols": 2, "discover": 2, "target": 2, "surface": 2,
    "config": 3, "passes": 3, "sdk": 3,
    "plan": 5,
    "store": 6, "report": 6, "explain": 6,
    "annotate": 7, "rules": 7, "units": 7,
    "port": 8, "judge": 8,
    "check": 9,
    "simt": 9,
    "cli": 10,
    "__main__": 11,
}  # fmt: skip


def height(module: str) -> int:
    return HEIGHT[module.partition(".")[0]]


def imports(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """Every imported module, full name, wherever the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield f"sigtrans.{module}" if node.level else module, node
            if node.module in ("sigtrans", "sigtrans.passes"):
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    if full.removeprefix("sigtrans.") in MODULES:
                        yield full, node


def at_start(tree: ast.Module) -> Iterator[str]:
    """Modules that are imported as soon as the file is: not in functions, not for types only."""
    stack: list[ast.stmt] = list(tree.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield from (
            name for name, _ in imports(ast.Module([node], [])) if not hasattr(node, "body")
        )
        for field in ("body", "orelse", "finalbody", "handlers"):
            stack.extend(getattr(node, field, []))


def test_every_module_has_a_height() -> None:
    assert {m.partition(".")[0] for m in MODULES} == {*HEIGHT}


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_one_way(module: str) -> None:
    for name, node in imports(TREES[module]):
        if not name.startswith("sigtrans.") or "TYPE_CHECKING" in ast.unparse(node):
            continue
        other = name.removeprefix("sigtrans.")
        inside = any(module.startswith(p) and other.startswith(p) for p in ("passes", "simt"))
        assert inside or height(other) < height(module), f"{module} imports {other}"


def test_nothing_imports_in_a_circle() -> None:
    graph = {
        m: {n.removeprefix("sigtrans.") for n, _ in imports(t) if n.startswith("sigtrans.")}
        & {*MODULES}
        for m, t in TREES.items()
    }
    done: set[str] = set()
    while len(done) < len(graph):
        free = {m for m in graph if m not in done and graph[m] - {m} <= done}
        assert free, f"a circle among {sorted({*graph} - done)}"
        done |= free


@pytest.mark.parametrize("module", MODULES)
def test_only_syntax_imports_tree_sitter(module: str) -> None:
    names = {n.partition(".")[0] for n, _ in imports(TREES[module])}
    used = {n for n in names if n.startswith("tree_sitter")}
    if module != "syntax":
        typed = {
            n.partition(".")[0]
            for node in ast.walk(TREES[module])
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            for n, _ in imports(node)
        }
        assert used <= typed, "not even by a function"
        text = MODULES[module].read_text(encoding="utf-8")
        assert 'import_module(f"tree_sitter' not in text


@pytest.mark.parametrize("module", MODULES)
def test_heavy_packages_are_imported_where_they_are_needed(module: str) -> None:
    assert not HEAVY & {name.partition(".")[0] for name in at_start(TREES[module])}


def test_the_command_line_starts_without_them() -> None:
    program = (
        "import sys, sigtrans.cli, sigtrans.plan, sigtrans.report, sigtrans.store\n"
        "print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        cwd=ROOT.parent,
    )  # fmt: skip
    assert not HEAVY & {*ran.stdout.split()}


# --- one home for each dangerous thing ------------------------------------------------------------

WRITES = {
    "write_text", "write_bytes", "unlink", "rename", "rename_at", "replace", "rmdir", "mkdir",
    "makedirs", "rmtree", "copyfile", "copytree", "copy2", "move", "symlink", "symlink_to", "link",
    "hardlink_to", "touch", "chmod", "truncate", "ftruncate", "utime", "removedirs",
}  # fmt: skip
METHODS = WRITES - {"replace", "link", "move"}  # those that only files have
FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"}


def calls(tree: ast.AST) -> Iterator[tuple[str, str, ast.Call]]:
    """(what it is called on, method, call) of every call of an attribute or a plain name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                yield ast.unparse(node.func.value), node.func.attr, node
            elif isinstance(node.func, ast.Name):
                yield "", node.func.id, node


def is_write(on: str, name: str, call: ast.Call) -> bool:
    """Whether a call changes files; `os.devnull` is no file of anyone's."""
    if name != "open":
        return name in WRITES if on in ("os", "shutil") else name in METHODS and on != "store"
    if on == "os":
        flags = {getattr(n, "attr", "") for n in ast.walk(call)}
        return bool(flags & FLAGS) and "devnull" not in flags
    position = 1 if on in ("", "io", "gzip") else 0  # path.open(mode)
    modes = call.args[position : position + 1]
    modes += [k.value for k in call.keywords if k.arg == "mode"]
    return any(getattr(m, "value", None) not in ("r", "rb", "rt") for m in modes)


def writes(tree: ast.AST) -> list[str]:
    return [
        f"line {call.lineno}: {on}.{name}"
        for on, name, call in calls(tree)
        if is_write(on, name, call)
    ]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param("open(p, 'w')", True, id="open-w"),
        pytest.param("open(p, mode=m)", True, id="open-unknown"),
        pytest.param("open(p)", False, id="open"),
        pytest.param("open(p, 'rb')", False, id="open-rb"),
        pytest.param("p.open('r+')", True, id="path-open"),
        pytest.param("os.open(p, os.O_RDONLY | os.O_CREAT)", True, id="os-open"),
        pytest.param("os.open(p, os.O_RDONLY)", False, id="os-open-read"),
        pytest.param("p.write_text(x)", True, id="write-text"),
        pytest.param("os.replace(a, b)", True, id="os-replace"),
        pytest.param("s.replace(a, b)", False, id="str-replace"),
        pytest.param("shutil.copy2(a, b)", True, id="shutil"),
    ],
)
def test_the_check_for_writes_sees(source: str, found: bool) -> None:
    assert bool(writes(ast.parse(source))) is found


@pytest.mark.parametrize("module", MODULES)
def test_only_store_writes(module: str) -> None:
    found = writes(TREES[module])
    if module == "store":
        assert found, "or the check sees nothing"
    elif module == "simt.cache":  # nobody's tree: what may be deleted at any time
        assert found
    elif module == "rules":  # the folder of a new rule; the file itself goes through store
        assert all("mkdir" in place for place in found)
    else:
        assert found == []


def handlers(module: str) -> list[str]:
    found: list[str] = []
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.ExceptHandler):
            kinds = "" if node.type is None else ast.unparse(node.type)
            reraises = any(isinstance(n, ast.Raise) and n.exc is None for n in ast.walk(node))
            if kinds == "" or "Exception" in kinds.replace("BaseException", ""):
                found.append(f"line {node.lineno}: {kinds}")
            elif "BaseException" in kinds and not reraises:
                found.append(f"line {node.lineno}: {kinds} is swallowed")
    return found


@pytest.mark.parametrize("module", MODULES)
def test_only_the_file_boundary_catches_everything(module: str) -> None:
    found = handlers(module)
    if module == "plan":
        assert 1 <= len(found) <= 2, "scanning and planning one file"
    else:
        assert found == []


@pytest.mark.parametrize("module", MODULES)
def test_code_is_not_run_and_programs_have_one_home(module: str) -> None:
    for on, name, call in calls(TREES[module]):
        assert (on, name) not in (("", "eval"), ("", "exec"), ("os", "system"), ("os", "popen")), (
            f"line {call.lineno}"
        )
        assert name not in ("loads", "load") or on not in ("pickle", "marshal", "shelve")
    found = {n for n, _ in imports(TREES[module])}
    assert not {"pickle", "marshal"} & found
    assert ("subprocess" in found) == (module == "run"), "the one home of processes"
    assert ("clang" in {n.partition(".")[0] for n in found}) == (module == "semantics")


BUILDERS = {"Draft"}  # collect a pass's findings; everything else that is shared is a value


@pytest.mark.parametrize("module", MODULES)
def test_values_are_frozen_and_slotted(module: str) -> None:
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.ClassDef):
            for mark in map(ast.unparse, node.decorator_list):
                if mark.startswith("dataclass"):
                    assert "slots=True" in mark, node.name
                    frozen = "frozen=True" in mark
                    assert frozen or node.name.startswith("_") or node.name in BUILDERS, node.name


@pytest.mark.parametrize("module", MODULES)
def test_modules_start_alike(module: str) -> None:
    body = TREES[module].body
    text = MODULES[module].read_text(encoding="utf-8")
    if module != "__main__":
        assert ast.get_docstring(TREES[module])
        assert any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in body)
    for word in ("TODO", "FIXME", "XXX"):
        assert word not in text
    assert MODULES[module].name != "utils.py"
