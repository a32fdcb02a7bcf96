"""Passes behind the names pass: what wins, where helper headers go, and that a port is settled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from porting import port, port_tree, texts, write_tree

from sigtrans import plan
from sigtrans.passes import Code, CodeFindings, pipeline
from sigtrans.plan import Settings, Status
from sigtrans.port import port_copy, port_in_place
from sigtrans.source import Edit, Span
from sigtrans.store import undo

HELPER = b"// sigtrans: skip-file\n#pragma once\n"


def wrap(code: Code) -> CodeFindings:
    """`@x@` becomes `help(x)`, with the names inside ported."""
    edits = tuple(
        Edit(Span(*m.span()), b"help(" + code.ported(*m.span(1)) + b")", "test/wrap")
        for m in re.finditer(rb"@([^@]*)@", code.data)
        if code.is_open(m.start())
    )
    return CodeFindings(edits, (), frozenset(("test",)) if edits else frozenset())


@pytest.fixture(autouse=True)
def one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "PASSES", {"test": pipeline.Pass((b"@",))})
    monkeypatch.setattr(pipeline, "_finder", lambda name: wrap)
    for module in (pipeline, plan):
        monkeypatch.setattr(module, "helper_text", lambda topic: HELPER)


def test_an_edit_takes_in_the_renames_inside_it() -> None:
    got = port("void f() { @cudaFree(p)@; cudaFree(q); }\n")
    assert got.text == (
        '#include "sigtrans_test.h"\nvoid f() { help(musaFree(p)); musaFree(q); }\n'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#include <a>\n@x@\n", "#include <a>\n{}\nhelp(x)\n"),
        ("#pragma once\n@x@\n", "#pragma once\n{}\nhelp(x)\n"),
        ("#pragma once\n#include <a>\n@x@\n", "#pragma once\n#include <a>\n{}\nhelp(x)\n"),
        ("#ifndef H\n#define H\n#include <a>\n@x@\n#endif\n",
         "#ifndef H\n#define H\n#include <a>\n{}\nhelp(x)\n#endif\n"),
        ("#ifdef A\n#include <a>\n#endif\n#include <b>\n@x@\n",
         "#ifdef A\n#include <a>\n#endif\n#include <b>\n{}\nhelp(x)\n"),
        ('extern "C" {\n#include <a>\n}\n@x@\n', '{}\nextern "C" {\n#include <a>\n}\nhelp(x)\n'),
        ("f(\n#include <a>\n);\n#include <b>\n@x@\n",
         "f(\n#include <a>\n);\n#include <b>\n{}\nhelp(x)\n"),
        ("/* #include <a>\n*/ @x@\n", "{}\n/* #include <a>\n*/ help(x)\n"),
        ("#include <a>\r\n@x@\r\n", "#include <a>\r\n{}\r\nhelp(x)\r\n"),
        ("\ufeff@x@\n", "\ufeff{}\nhelp(x)\n"),
        ("@x@\n#include <a>\n", "{}\nhelp(x)\n#include <a>\n"),
        ("#pragma once\n@x@\n#include <a>\n@x@\n",
         "#pragma once\n{}\nhelp(x)\n#include <a>\nhelp(x)\n"),
    ],
)  # fmt: skip
def test_where_the_helper_is_included(before: str, after: str) -> None:
    line = '#include "sigtrans_test.h"'
    assert port(before).text == after.replace("{}", line)


def test_paths_lead_to_the_root_of_the_port(tmp_path: Path) -> None:
    drafted = port_tree(tmp_path, {"a/b/k.cu": "__global__ void k() { @x@; }\n"})
    assert texts(drafted)["a/b/k.mu"].startswith('#include "../../sigtrans_test.h"\n')
    assert drafted.plan.helpers == {"sigtrans_test.h": HELPER}


def test_a_port_brings_the_helper_along_and_is_settled(tmp_path: Path) -> None:
    source = write_tree(tmp_path / "src", {"k.cu": "__global__ void k() { @x@; }\n"})
    first = tmp_path / "one"
    port_copy(source, first, Settings(jobs=1))
    assert (first / "sigtrans_test.h").read_bytes() == HELPER
    again = port_copy(first, tmp_path / "two", Settings(jobs=1)).plan
    assert {f.path: f.status for f in again.files if f.kind != "folder"} == {
        "k.mu": Status.SKIPPED, "sigtrans_test.h": Status.SKIPPED,
    }  # fmt: skip
    (source / "k.cu").write_text("__global__ void k() { }\n")
    port_copy(source, first, Settings(jobs=1))
    assert not (first / "sigtrans_test.h").exists()


def test_in_place_and_undo(tmp_path: Path) -> None:
    write_tree(tmp_path, {"k.cu": "__global__ void k() { @x@; }\n"})
    port_in_place(tmp_path, Settings(jobs=1))
    assert (tmp_path / "sigtrans_test.h").read_bytes() == HELPER
    undo(tmp_path)
    assert not (tmp_path / "sigtrans_test.h").exists()
    assert (tmp_path / "k.cu").read_text() == "__global__ void k() { @x@; }\n"


def test_another_file_in_the_place_of_the_helper(tmp_path: Path) -> None:
    files = {"k.cu": "__global__ void k() { @x@; }\n", "sigtrans_test.h": "int mine;\n"}
    drafted = port_tree(tmp_path, files)
    (other,) = (f for f in drafted.plan.files if f.path == "sigtrans_test.h")
    assert [d.code for d in other.diagnostics] == ["SIG017"]
    assert drafted.plan.helpers == {}


def test_a_port_that_is_not_settled_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def grow(code: Code) -> CodeFindings:
        return CodeFindings((Edit(Span(0, 0), b"@ ", "test/grow"),))

    monkeypatch.setattr(pipeline, "_finder", lambda name: grow)
    drafted = port_tree(tmp_path, {"k.cu": "__global__ void k() { @x@; }\n"})
    (file,) = drafted.plan.files
    assert (file.status, {d.code for d in file.diagnostics}) == (Status.FAILED, {"SIG998"})


def test_a_larger_edit_takes_in_the_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = [(2, 4), (0, 5), (0, 0), (3, 3), (5, 5), (5, 7)]
    found = CodeFindings(tuple(Edit(Span(*s), b"x", "test/many") for s in spans))
    monkeypatch.setattr(pipeline, "_finder", lambda name: lambda c: found)
    edits = port("@;;;;;;;;;").edits
    assert sorted((e.span.start, e.span.end) for e in edits) == [(0, 0), (0, 5), (5, 5), (5, 7)]
