from __future__ import annotations

from pathlib import Path

import pytest

from sigtrans.names import load as load_names
from sigtrans.rules import (
    Rule,
    RuleError,
    find_tables,
    load,
    load_folders,
    make_traps,
    port_text,
    render_new,
    run_tests,
)
from sigtrans.source import SigtransError

GOOD = """\
id: mine/memory
summary: Our wrappers of the allocator.
evidence: "example: src/alloc.mu"
rename:
  cudaOurAlloc: musaOurAlloc
examples:
  - before: |
      void f() { cudaOurAlloc(1); }
    after: |
      void f() { musaOurAlloc(1); }
  - same: |
      // cudaOurAlloc
"""


def write(path: Path, text: str = GOOD) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- loading --------------------------------------------------------------------------------------


def test_a_good_rule(tmp_path: Path) -> None:
    path = write(tmp_path / "a.yaml")
    (rule,) = load(path)
    assert isinstance(rule, Rule)
    assert (rule.id, rule.rename) == ("mine/memory", (("cudaOurAlloc", "musaOurAlloc"),))
    assert [e.before == e.after for e in rule.examples] == [False, True]
    label, cells = rule.rows
    assert label == f"{path}: mine/memory"
    assert cells[:5] == (b"cudaOurAlloc", b"musaOurAlloc", b"function", b"seen", b"")
    assert cells[5] == b"example: src/alloc.mu"


def test_a_file_with_two_rules(tmp_path: Path) -> None:
    body = GOOD.replace("\n", "\n  ").rstrip()
    other = body.replace("mine/memory", "mine/other")
    rules = load(write(tmp_path / "a.yaml", f"- {body}\n- {other}\n"))
    assert [r.id for r in rules] == ["mine/memory", "mine/other"]


BAD = [
    ("not-yaml", "a: [", "cannot be read"),
    ("a-list-in-itself", "- &a [*a]", "valid"),
    ("no-such-date", GOOD.replace('"example: src/alloc.mu"', "2024-13-01"), "cannot be read"),
    ("empty", "", "?"),
    ("a-word", "word", "?"),
    ("unknown-field", GOOD + "renames: {}\n", "renames"),
    ("no-id", GOOD.replace("id: mine/memory\n", ""), "id"),
    ("id-without-slash", GOOD.replace("mine/memory", "memory"), "id"),
    ("id-in-capitals", GOOD.replace("mine/memory", "Mine/memory"), "id"),
    ("no-summary", GOOD.replace("summary: Our wrappers of the allocator.\n", ""), "summary"),
    ("no-examples", GOOD[: GOOD.index("examples")], "examples"),
    ("no-same", GOOD[: GOOD.index("  - same")], "same"),
    ("no-pair", GOOD.partition("  - before")[0] + "  - same: x\n",
     "before and after"),
    ("before-only", GOOD + "  - before: x\n", "before"),
    ("same-and-before", GOOD + "  - {same: x, before: y}\n", "before"),
    ("unknown-example-field", GOOD + "  - {sane: x}\n", "sane"),
    ("two-words", GOOD.replace("cudaOurAlloc: musa", '"cuda Our": musa'), "two names"),
    ("target-no-name", GOOD.replace(": musaOurAlloc\n", ": musa-x\n"), "two names"),
    ("rename-is-a-list", GOOD.replace("\n  cudaOurAlloc: musaOurAlloc", " [a]"), "rename"),
    ("nothing-to-do", GOOD.replace("rename:\n  cudaOurAlloc: musaOurAlloc\n", ""), "rename"),
    ("duplicate-key", GOOD + "rename: {cudaA: musaA}\n", "rename"),
    ("tab-in-evidence", GOOD.replace('"example: src/alloc.mu"', '"a\\tb"'), "evidence"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "complaint"), [pytest.param(text, what, id=name) for name, text, what in BAD]
)
def test_a_bad_rule_names_file_rule_and_field(tmp_path: Path, text: str, complaint: str) -> None:
    path = write(tmp_path / "a.yaml", text)
    with pytest.raises(RuleError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert complaint in message
    assert "\n" not in message


def test_a_missing_folder_is_one_clear_line(tmp_path: Path) -> None:
    for find in (find_tables, load_folders):
        with pytest.raises(SigtransError, match="no such rule folder"):
            find([tmp_path / "nope"])


def test_folders_are_searched_in_depth_and_in_order(tmp_path: Path) -> None:
    write(tmp_path / "b" / "z.yaml", GOOD.replace("mine/memory", "mine/z"))
    write(tmp_path / "a.yml", GOOD.replace("mine/memory", "mine/a"))
    write(tmp_path / "notes.txt", "x")
    write(tmp_path / "n.tsv", "x")
    assert [label.rpartition(" ")[2] for label, _ in load_folders([tmp_path])] == [
        "mine/a",
        "mine/z",
    ]
    assert find_tables([tmp_path]) == (tmp_path / "n.tsv",)


# --- porting with a rule --------------------------------------------------------------------------


def test_a_rule_renames_functions_and_headers(tmp_path: Path) -> None:
    text = GOOD.replace("rename:\n", "headers:\n  cuda_ours.h: musa_ours.h\nrename:\n")
    (rule,) = load(write(tmp_path / "a.yaml", text))
    names = load_names(rows=[rule.rows])
    assert port_text("#include <cuda_ours.h>\nint x = cudaOurAlloc(1);", names) == (
        "#include <musa_ours.h>\nint x = musaOurAlloc(1);"
    )


def test_a_rule_wins_over_the_tables(tmp_path: Path) -> None:
    (rule,) = load(write(tmp_path / "a.yaml", GOOD.replace("OurAlloc", "Free")))
    swapped = (rule.rows[0], (b"cudaFree", b"musaFreeOurs", *rule.rows[1][2:]))
    assert port_text("cudaFree(p);", load_names(rows=[swapped])) == "musaFreeOurs(p);"


def test_names_of_any_form_can_be_renamed(tmp_path: Path) -> None:
    (rule,) = load(write(tmp_path / "a.yaml", GOOD.replace("cudaOurAlloc", "our_gpu_alloc")))
    names = load_names(rows=[rule.rows])
    assert port_text("int x = our_gpu_alloc(1);", names) == "int x = musaOurAlloc(1);"
    assert port_text("int x = our_gpu_alloc2(1);", names) == "int x = our_gpu_alloc2(1);"


@pytest.mark.parametrize("path", ["example.cu", "a/b.cpp", "c.h"])
def test_the_path_of_a_snippet_does_not_matter(path: str) -> None:
    assert port_text("cudaFree(p);", load_names(), path) == "musaFree(p);"


def test_text_outside_ascii_survives() -> None:
    assert port_text("变量 = cudaSuccess; // 注释\r\n", load_names()) == (
        "变量 = musaSuccess; // 注释\r\n"
    )


# --- traps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cudaFree", "cudaError_t", "cuInit", "ncclFloat", "CUDA_R_16F"])
def test_traps_hold_the_name_and_do_not_fire(name: str) -> None:
    names = load_names()
    assert port_text(f"x = {name};", names) != f"x = {name};", "the name itself is ported"
    traps = make_traps(name)
    assert len(traps) == len({*traps}) >= 8
    for trap in traps:
        assert name in trap
        assert port_text(trap, names) == trap


# --- a rule's own tests ---------------------------------------------------------------------------


def test_a_good_rule_passes(tmp_path: Path) -> None:
    failures, tried = run_tests(write(tmp_path / "a.yaml"))
    assert failures == []
    assert tried == 2 + len(make_traps("x")) + 1
    assert run_tests(tmp_path) == (failures, tried), "the folder is the file"


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        pytest.param("musaOurAlloc(1)", "musaOther(1)", "gives", id="wrong-result"),
        pytest.param("// cudaOurAlloc", "cudaOurAlloc(2)", "gives", id="same-is-changed"),
    ],
)
def test_a_wrong_example_fails(tmp_path: Path, before: str, after: str, complaint: str) -> None:
    failures, _ = run_tests(write(tmp_path / "a.yaml", GOOD.replace(before, after)))
    assert len(failures) == 1
    assert complaint in failures[0] and "mine/memory" in failures[0]


def test_a_rule_that_feeds_itself_fails(tmp_path: Path) -> None:
    text = GOOD.replace("rename:\n", "rename:\n  musaOurAlloc: musaTwice\n")
    failures, _ = run_tests(write(tmp_path / "a.yaml", text))
    assert any("second run" in f for f in failures)


def test_a_new_rule_can_be_tested_at_once(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "My_Rule.yaml"
    write(path, render_new(path).decode())
    (rule,) = load(path)
    assert rule.id == "mine/my-rule"
    assert run_tests(path)[0] == []


@pytest.mark.parametrize("name", ["a.txt", "a", "a.tsv"])
def test_a_new_rule_must_be_yaml(tmp_path: Path, name: str) -> None:
    with pytest.raises(SigtransError, match=r"\.yaml"):
        write(tmp_path / name, render_new(tmp_path / name).decode())
    assert not (tmp_path / name).exists()


def test_a_new_rule_never_overwrites(tmp_path: Path) -> None:
    path = write(tmp_path / "a.yaml", "mine")
    with pytest.raises(SigtransError, match="there already"):
        write(path, render_new(path).decode())
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_new_rule_has_a_valid_id_whatever_the_file_is_called(tmp_path: Path) -> None:
    for name in ("Über regel.yaml", "a.b.yaml", "-.yml"):
        write(tmp_path / name, render_new(tmp_path / name).decode())
        assert load(tmp_path / name)
