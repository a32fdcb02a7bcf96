from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigtrans.annotate import find_annotations
from sigtrans.source import Diagnostic, Severity, SourceFile, Span, apply, line_starts


def at(data: bytes, word: bytes, message: str = "look here", code: str = "SIG123") -> Diagnostic:
    start = data.index(word)
    return Diagnostic(Span(start, start + len(word)), code, Severity.WARNING, message)


def annotated(data: bytes, kind: str, *diagnostics: Diagnostic) -> bytes:
    edits = find_annotations(SourceFile("a", data), kind, diagnostics)
    applied = apply(data, edits)
    assert not applied.refused
    return applied.data


def everywhere(data: bytes, message: str = "look here") -> list[Diagnostic]:
    return [
        Diagnostic(Span(start, start), "SIG123", Severity.WARNING, message)
        for start in line_starts(data)
        if start < len(data)
    ]


def test_a_comment_above_the_line_indented_alike() -> None:
    data = b"void f() {\n\t  warpSize;\n}\n"
    assert annotated(data, "cuda", at(data, b"warpSize")) == (
        b"void f() {\n\t  // SIG123 warning: look here\n\t  warpSize;\n}\n"
    )


def test_newlines_and_the_byte_order_mark_stay() -> None:
    data = b"\xef\xbb\xbfint a;\r\nint b;\r\n"
    assert annotated(data, "c++", at(data, b"int a"), at(data, b"int b")) == (
        b"\xef\xbb\xbf// SIG123 warning: look here\r\nint a;\r\n"
        b"// SIG123 warning: look here\r\nint b;\r\n"
    )


@pytest.mark.parametrize(
    ("kind", "data", "above"),
    [
        ("cuda", b"int a;\n#define M(x) \\\n  one(x); \\\n  HERE\nint b;\n", b"#define M"),
        ("cuda", b"int a;\n#if defined(A) && \\\n    HERE\n#endif\n", b"#if"),
        ("cuda", b'int a;\nconst char *s = R"x(\n " HERE\n)x";\n', b"const char"),
        ("cuda", b"int a;\n/* one\n * HERE\n */\n", b"/* one"),
        ("cuda", b"int a;\n// one \\\n HERE\nint b;\n", b"// one"),
        ("cuda", b'int a;\nconst char *s = "one \\\n HERE";\n', b"const char"),
        ("cuda", b"int n = 1'000;\nchar c = '\\'';\n  HERE();\n", b"HERE"),
        ("cuda", b'int a = FOOR"(";\nHERE(")");\n', b"HERE"),
        ("cuda", b'f("a // b"); g(\'"\');\nHERE();\n', b"HERE"),
        ("cuda", b"f(a,\n  HERE);\n", b"HERE"),
        ("make", b"all:\n\tnvcc a.cu \\\n\t  HERE\n", b"\tnvcc"),
        ("make", b"define RULE\n\tHERE\nendef\n", b"define"),
        ("make", b"FLAGS = -O2 \\\n  HERE\n", b"FLAGS"),
        ("cmake", b'set(A "one\nHERE")\n', b"set"),
        ("cmake", b"set(A [=[\nHERE ]] ]=])\n", b"set"),
        ("cmake", b"#[[ one\nHERE ]]\nset(B)\n", b"#[["),
        ("cmake", b"set(A\n  HERE)\n", b"HERE"),
        ("python", b"x = '''\nHERE\n'''\n", b"x ="),
        ("python", b"x = 1 + \\\n    HERE\n", b"x ="),
        ("python", b"x = [\n    HERE,\n]\n", b"HERE"),
    ],
)
def test_never_inside_anything(kind: str, data: bytes, above: bytes) -> None:
    result = annotated(data, kind, at(data, b"HERE"))
    comment = b"//" if kind == "cuda" else b"#"
    lines = result.splitlines()
    n = next(n for n, line in enumerate(lines) if b"SIG123" in line)
    assert lines[n].lstrip() == comment + b" SIG123 warning: look here"
    assert lines[n + 1].lstrip(b" ").startswith(above)


def test_a_make_comment_is_never_part_of_a_recipe() -> None:
    data = b"all:\n\tnvcc a.cu\n"
    assert annotated(data, "make", at(data, b"nvcc")) == (
        b"all:\n# SIG123 warning: look here\n\tnvcc a.cu\n"
    )


def test_what_python_wants_in_its_first_lines_stays_there() -> None:
    data = b"#!/usr/bin/env python\n# coding: latin-1\nx = 1\n"
    result = annotated(data, "python", *everywhere(data))
    assert result == data.replace(b"x = 1", b"# SIG123 warning: look here\nx = 1")


def test_other_kinds_and_lone_carriage_returns_get_none() -> None:
    data = b"// one\rint x;\n"
    assert annotated(data, "cuda", at(data, b"int x")) == data
    assert annotated(b"HERE\n", "shell", at(b"HERE\n", b"HERE")) == b"HERE\n"


def test_an_old_annotation_is_replaced_and_foreign_comments_stay() -> None:
    data = (
        b"// SIG100 note: mine, not theirs\nint z;\n// our own words\n"
        b"  // SIG123 warning: old words\n  // SIG124 error: gone\n  HERE();\n"
    )
    assert annotated(data, "cuda", at(data, b"HERE", "new words")) == (
        b"// SIG100 note: mine, not theirs\nint z;\n// our own words\n"
        b"  // SIG123 warning: new words\n  HERE();\n"
    )


def test_a_comment_stays_a_comment_whatever_the_message_says() -> None:
    data = b"HERE();\n"
    for message in ("ends in \\", "ends in ??/", "a\nb\r\nc", "/* */ \u202e", "x" * 3000):
        lines = annotated(data, "cuda", at(data, b"HERE", message)).split(b"\n")
        assert len(lines) == 3 and lines[1] == b"HERE();"
        assert not lines[0].endswith((b"\\", b"??/"))
    quoted = at(data, b"HERE", "use // sigtrans: off or MUSIFY_EXCL_START")
    result = annotated(data, "cuda", quoted)
    assert b"sigtrans:" not in result and b"MUSIFY_EXCL_" not in result


def test_a_file_in_gbk_gets_ascii_only() -> None:
    data = "// 线程\nHERE();\n".encode("gb18030")
    result = annotated(data, "cuda", at(data, b"HERE", "线程 诚"))
    (ours,) = [line for line in result.splitlines() if b"SIG123" in line]
    assert ours.isascii()


PIECES = [
    b"int a;\n", b"/* c\n", b" */\n", b"// x \\\n", b'"str\\\n', b'"', b"'", b'R"(', b')"', b"\\\n",
    b"#define A \\\n", b"  b();\n", b"\r\n", b"\t", b"1'0", b"// SIG123 warning: look here\n",
    b"\xef\xbb\xbf", b"\xff\n", b"'''", b'"""', b"[[", b"]]", b"define X\n", b"endef\n", b"#",
]  # fmt: skip
sources = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)
kinds = st.sampled_from(["cuda", "c++", "make", "cmake", "python"])
OURS = re.compile(
    rb"(?:\A(\xef\xbb\xbf)|^)[ \t]*(?://|#) SIG123 warning:[^\r\n]*\r?\n", re.MULTILINE
)


def without_ours(data: bytes) -> bytes:
    while (less := OURS.sub(rb"\1", data)) != data:  # the mark may stand before several
        data = less
    return data


@given(sources, kinds, st.text(max_size=20))
def test_twice_is_once_and_nothing_else_changes(data: bytes, kind: str, message: str) -> None:
    once = annotated(data, kind, *everywhere(data, message))
    assert without_ours(once) == without_ours(data)
    # the same findings again, at the places the same lines have now
    moved = [
        Diagnostic(Span(start, start), "SIG123", Severity.WARNING, message)
        for start in line_starts(once)
        if start < len(once) and not OURS.match(once, start)
    ]
    assert without_ours(annotated(once, kind, *moved)) == without_ours(once)


@given(st.lists(st.sampled_from(["a();", "  b();", "\tc();"]), min_size=1, max_size=8))
def test_doing_it_twice_is_doing_it_once(lines: list[str]) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    once = annotated(data, "cuda", *everywhere(data))
    moved = [
        Diagnostic(Span(start, start), "SIG123", Severity.WARNING, "look here")
        for start in line_starts(once)
        if start < len(once) and not OURS.match(once, start)
    ]
    assert annotated(once, "cuda", *moved) == once


PYTHON = b'''#!/usr/bin/env python
"""Words
in lines."""
import os
def f(a,
      b=\'\'\'x
 # not a comment
\'\'\'):
    s = "a \\
b"
    if a and \\
       b:
        return f"{a}" + r"\\n" \\
            "tail"
    elif b:  # yes
        return {
            1: 2,
        }
    else:
        pass
'''


def test_an_annotated_python_file_means_the_same() -> None:
    result = annotated(PYTHON, "python", *everywhere(PYTHON))
    assert result.count(b"SIG123") > 8
    assert ast.dump(ast.parse(result)) == ast.dump(ast.parse(PYTHON))
