"""A tree with every awkward encoding: what is not edited stays, and the plan is always the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "fuzz"))

from checks import (  # noqa: E402 - found through the line above
    SORTS,
    check_written,
    find_faults,
    render_plan,
    shuffled_folders,
    sorts_of,
    write_tree,
)
from mutations import load_seeds  # noqa: E402

from sigtrans.plan import Settings, Status, make_plan  # noqa: E402
from sigtrans.port import port_copy  # noqa: E402

_BODY = (
    "#include <cuda_runtime.h>\n// 释放内存 cudaMalloc\n__global__ void k(float *x) { *x = 1; }\n"
    "int main()\n{\n    cudaFree(nullptr);\n    return cudaDeviceSynchronize();\n}\n"
)
_PLAIN = "// 没有 CUDA\nint twice(int x)\n{\n    return 2 * x;\n}\n"
_FORMS: dict[str, Callable[[str], bytes]] = {
    "utf8": lambda text: text.encode(),
    "gbk": lambda text: text.encode("gb18030"),
    "latin1": lambda text: (
        text.replace("内存", "").encode("latin-1", "ignore") + b"// caf\xe9\xff\n"
    ),
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "bom-crlf": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
    "mixed": lambda text: text.replace("{\n", "{\r\n").encode(),
    "lone-cr": lambda text: text.replace("{\n", "{\r").encode(),
    "all-cr": lambda text: text.replace("\n", "\r").encode(),
    "no-newline": lambda text: text.rstrip("\n").encode(),
    "nul": lambda text: text.encode() + b'static char pad[] = "a\0b";\n\0',
    "control": lambda text: text.encode() + b"\x0c\x1a",
}


def make_files() -> dict[str, bytes]:
    """Each form with CUDA and without, our seeds, empty files and files that are only copied."""
    files = {
        f"forms/{name}{suffix}": form(text)
        for name, form in _FORMS.items()
        for suffix, text in ((".cu", _BODY), ("_plain.cpp", _PLAIN), ("_plain.h", _PLAIN))
    }
    files |= {f"seeds/{n:02d}/{name}": data for n, (name, data) in enumerate(load_seeds())}
    return files | {
        "empty.cu": b"",
        "newline.h": b"\n",
        "data/table.bin": bytes(range(256)),
        "docs/readme.md": "先装 CUDA cudaMalloc\r\n".encode("gb18030"),
    }


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("roundtrip") / "src"
    write_tree(folder, make_files())
    return folder


def test_every_sort_is_there_with_and_without_edits(tree: Path) -> None:
    files = make_files()
    seen: dict[bool, set[str]] = {True: set(), False: set()}
    for result in make_plan(tree, Settings(jobs=1)).plan.files:
        if result.path in files:
            seen[bool(result.edits)] |= sorts_of(files[result.path])
    assert seen == {True: set(SORTS), False: set(SORTS)}


@pytest.mark.parametrize("keep", [False, True], ids=["renamed", "keep-extensions"])
def test_only_edits_change_bytes_on_disk(tree: Path, tmp_path: Path, keep: bool) -> None:
    out, again = tmp_path / "port", tmp_path / "again"
    settings = Settings(jobs=1, keep_extensions=keep)
    plan = port_copy(tree, out, settings).plan
    assert list(check_written(plan, tree, out)) == []
    assert {r.path for r in plan.files} == set(make_files())
    second = port_copy(out, again, settings).plan
    assert [(r.path, r.edits) for r in second.files if r.edits] == []
    assert [r.path for r in second.files if r.status in (Status.PORTED, Status.FAILED)] == []
    assert _read(again) == _read(out)


def test_one_by_one(tmp_path: Path) -> None:
    for number, (path, data) in enumerate(make_files().items()):
        faults, _ = find_faults({path: data}, Settings(jobs=1), tmp_path / str(number))
        assert faults == [], path


def test_jobs_and_order_of_folders_do_not_matter(tree: Path) -> None:
    expected = render_plan(tree, Settings(jobs=1))
    for jobs in range(1, 9):
        with shuffled_folders(jobs):
            assert render_plan(tree, Settings(jobs=jobs)) == expected


def test_hash_seeds_do_not_matter(tree: Path) -> None:
    command = [sys.executable, "-m", "sigtrans", "scan", str(tree), "--output-format", "json"]
    reports = set()
    for seed in ("0", "1", "4242"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        reports.add(done.stdout)
    assert len(reports) == 1


def _read(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and p.relative_to(folder).parts[0] != ".sigtrans"
    }
