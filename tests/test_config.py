from __future__ import annotations

import json
import os
import pickle
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigtrans.config import (
    KEYS,
    SDKS,
    TARGETS,
    Config,
    load,
    parse_sdk,
    parse_size,
    parse_size_option,
    parse_targets,
)
from sigtrans.source import Severity, SigtransError

FULL = """\
target = ["mp_31", "mp_21"]
sdk = "4.2"
exclude = ["docs/"]
include = ["third_party/ours/"]
keep-extensions = true
port-vendored = true
max-file-size = "2MB"
rules = ["house-rules"]
strict = true
jobs = 3
respect-gitignore = false
ignore = ["SIG2"]
severity = {SIG101 = "error", SIG102 = "off"}

[per-path-ignore]
"tests/**" = ["SIG1"]
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "src"
    folder.mkdir(parents=True)
    return folder


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def message(tree: Path, text: str, name: str = "sigtrans.toml") -> str:
    write(tree / name, text)
    with pytest.raises(SigtransError) as caught:
        load(tree)
    return str(caught.value).replace(f"{tree}{os.sep}", "")


def test_without_a_file_the_defaults(tree: Path) -> None:
    config = load(tree)
    assert config == Config()
    assert config.path == "" and config.targets == ("mp_31",) and not config.given


def test_every_key_is_read(tree: Path) -> None:
    (tree / "house-rules").mkdir()
    write(tree / "sigtrans.toml", FULL)
    assert load(tree) == Config(
        path=str(tree / "sigtrans.toml"),
        targets=("mp_21", "mp_31"),
        sdk="4.2",
        exclude=("docs/",),
        include=("third_party/ours/",),
        keep_extensions=True,
        port_vendored=True,
        max_file_size=2 * 1024 * 1024,
        rules=((tree / "house-rules").resolve(),),
        strict=True,
        jobs=3,
        respect_gitignore=False,
        severity=(("SIG2", None), ("SIG101", Severity.ERROR), ("SIG102", None)),
        per_path_ignore=(("tests/**", ("SIG1",)),),
        given=frozenset(KEYS),
    )


def test_it_travels_to_other_processes(tree: Path) -> None:
    (tree / "house-rules").mkdir()
    write(tree / "sigtrans.toml", FULL)
    config = load(tree)
    assert pickle.loads(pickle.dumps(config)) == config
    assert hash(config) == hash(load(tree))


class TestWhichFile:
    def test_nearest_upward_wins(self, tree: Path) -> None:
        write(tree.parent / "sigtrans.toml", "jobs = 1")
        assert load(tree).jobs == 1
        write(tree / "sigtrans.toml", "jobs = 2")
        assert load(tree).jobs == 2

    def test_sigtrans_toml_wins_in_one_folder(self, tree: Path) -> None:
        write(tree / "pyproject.toml", "[tool.sigtrans]\njobs = 1")
        assert load(tree).jobs == 1
        write(tree / "sigtrans.toml", "jobs = 2")
        assert load(tree).jobs == 2

    def test_a_nearer_pyproject_wins_over_a_farther_sigtrans_toml(self, tree: Path) -> None:
        write(tree.parent / "sigtrans.toml", "jobs = 1")
        write(tree / "pyproject.toml", "[tool.sigtrans]\njobs = 2")
        assert load(tree).jobs == 2

    @pytest.mark.parametrize(
        "text",
        [
            "[project]\nname = 'x'",
            "[project]\nname = 'sigtrans-example'",
            "[tool.black]\nsigtrans = 1",
            "this is not TOML and mentions sigtrans",
        ],
    )
    def test_a_pyproject_that_does_not_speak_to_us_is_passed_over(
        self, tree: Path, text: str
    ) -> None:
        write(tree / "pyproject.toml", text)
        write(tree.parent / "sigtrans.toml", "jobs = 4")
        assert load(tree).jobs == 4

    def test_for_one_file_its_folder_counts(self, tree: Path) -> None:
        write(tree / "sigtrans.toml", "jobs = 5")
        assert load(write(tree / "a.cu", "")).jobs == 5

    def test_explicit_beats_the_nearest(self, tree: Path, tmp_path: Path) -> None:
        write(tree / "sigtrans.toml", "jobs = 5")
        assert load(tree, write(tmp_path / "other.toml", "jobs = 6")).jobs == 6

    def test_explicit_pyproject(self, tree: Path, tmp_path: Path) -> None:
        path = write(tmp_path / "pyproject.toml", "[tool.sigtrans]\njobs = 7")
        assert load(tree, path).jobs == 7
        write(path, "[project]")
        with pytest.raises(SigtransError, match=r"pyproject\.toml: no \[tool\.sigtrans\] table"):
            load(tree, path)

    def test_explicit_that_does_not_exist(self, tree: Path) -> None:
        with pytest.raises(SigtransError, match=r"absent\.toml: No such file"):
            load(tree, tree / "absent.toml")

    def test_a_byte_order_mark_does_no_harm(self, tree: Path) -> None:
        write(tree / "sigtrans.toml", "\ufeffjobs = 2")
        assert load(tree).jobs == 2


class TestPatternsFollowTheirFile:
    """Written relative to the configuration's folder, used relative to the tree."""

    @pytest.mark.parametrize(
        ("written", "read"),
        [
            ("*.gen.cu", ["*.gen.cu"]),
            ("tests/", ["tests/"]),
            ("src/tests/", ["/tests/"]),
            ("/src/tests", ["/tests"]),
            ("!src/tests/a.cu", ["!/tests/a.cu"]),
            ("s*/a", ["/a"]),
            ("*/a", ["/a"]),
            ("other/tests/", []),
            ("src", ["src"]),
            ("src/", ["src/"]),
            ("/src/", []),
            ("**/a", ["/**/a"]),
            ("**/src/a", ["/a", "/**/src/a"]),
            ("src/**", ["/**"]),
            ("src/**/x", ["/**/x"]),
        ],
    )
    def test_exclude(self, tree: Path, written: str, read: list[str]) -> None:
        write(tree.parent / "sigtrans.toml", f"exclude = ['{written}']")
        assert sorted(load(tree).exclude) == sorted(read)
        write(tree / "sigtrans.toml", f"exclude = ['{written}']")
        assert load(tree).exclude == (written,)

    def test_per_path_ignore(self, tree: Path) -> None:
        write(tree.parent / "sigtrans.toml", 'per-path-ignore = {"src/tests/**" = ["SIG1"]}')
        config = load(tree)
        assert config.severity_of("SIG101", "tests/deep/a.cu") is None
        assert config.severity_of("SIG101", "a.cu") is Severity.WARNING

    def test_rules_follow_the_file(self, tree: Path) -> None:
        (tree.parent / "r").mkdir()
        write(tree.parent / "sigtrans.toml", "rules = ['r']")
        assert load(tree).rules == ((tree.parent / "r").resolve(),)

    def test_a_file_from_elsewhere_speaks_about_the_tree(self, tree: Path, tmp_path: Path) -> None:
        (tmp_path / "etc").mkdir()
        path = write(tmp_path / "etc" / "s.toml", "exclude = ['/tests/']")
        assert load(tree, path).exclude == ("/tests/",)


class TestSeverity:
    def make(self, tree: Path, text: str) -> Config:
        write(tree / "sigtrans.toml", text)
        return load(tree)

    def test_default_passes_through(self) -> None:
        assert Config().severity_of("SIG101", "a.cu", Severity.NOTE) is Severity.NOTE

    def test_off_is_none(self, tree: Path) -> None:
        config = self.make(tree, 'severity = {SIG101 = "off", SIG2 = "note"}')
        assert config.severity_of("SIG101", "a.cu", Severity.ERROR) is None
        assert config.severity_of("SIG102", "a.cu", Severity.ERROR) is Severity.ERROR
        assert config.severity_of("SIG250", "", Severity.ERROR) is Severity.NOTE

    def test_the_longest_prefix_counts(self, tree: Path) -> None:
        config = self.make(tree, 'ignore = ["SIG1"]\nseverity = {SIG101 = "error"}')
        assert config.severity_of("SIG101", "a.cu") is Severity.ERROR
        assert config.severity_of("SIG102", "a.cu") is None

    def test_silence_wins_on_one_code(self, tree: Path) -> None:
        config = self.make(tree, 'ignore = ["SIG101"]\nseverity = {SIG101 = "error"}')
        assert config.severity_of("SIG101", "a.cu") is None

    def test_per_path_is_final(self, tree: Path) -> None:
        text = 'severity = {SIG101 = "error"}\nper-path-ignore = {"tests/" = ["SIG1", "SIG202"]}'
        config = self.make(tree, text)
        assert config.severity_of("SIG101", "tests/a.cu") is None
        assert config.severity_of("SIG101", "my/tests/b/a.cu") is None
        assert config.severity_of("SIG202", "tests/a.cu") is None
        assert config.severity_of("SIG203", "tests/a.cu") is Severity.WARNING
        assert config.severity_of("SIG101", "mytests/a.cu") is Severity.ERROR
        assert config.severity_of("SIG101", "") is Severity.ERROR

    @pytest.mark.parametrize(
        ("pattern", "path", "hit"),
        [
            ("*.cu", "a/b.cu", True),
            ("*.cu", "a/b.cuh", False),
            ("a/*.cu", "a/b.cu", True),
            ("a/*.cu", "a/c/b.cu", False),
            ("a/**/*.cu", "a/c/d/b.cu", True),
            ("/b.cu", "a/b.cu", False),
        ],
    )
    def test_patterns(self, tree: Path, pattern: str, path: str, hit: bool) -> None:
        config = self.make(tree, f'per-path-ignore = {{"{pattern}" = ["SIG"]}}')
        assert (config.severity_of("SIG101", path) is None) is hit


WRONG = [
    ("\n\nexlude = []", "unknown key 'exlude' in sigtrans.toml, line 3; did you mean 'exclude'?"),
    ("keep_extensions = true", "line 1; did you mean 'keep-extensions'?"),
    ("xyzzy = 1", "unknown key 'xyzzy' in sigtrans.toml, line 1; known keys: target, sdk"),
    ("[severty]\nSIG1 = 'off'", "'severty' in sigtrans.toml, line 1; did you mean 'severity'?"),
    ('target = "mp31"', "'target' in sigtrans.toml, line 1: 'mp31' is not one of mp_21, mp_22"),
    ('target = "mp31"', "did you mean 'mp_31'?"),
    ("target = []", "expected at least one of mp_21"),
    ("target = [31]", "expected a list of strings"),
    ("sdk = 4.3", 'expected a string; write "4.3"'),
    ('sdk = "9.9"', f"'9.9' is not one of {', '.join(SDKS)}"),
    ('exclude = "docs/"', "expected a list of strings, not 'docs/'; write ['docs/']"),
    ('exclude = ["docs/", "# a"]', "'# a' is a pattern that matches nothing"),
    ("exclude = [1]", "expected a list of strings"),
    ('strict = "yes"', "expected true or false, not 'yes'"),
    ("strict = 1", "expected true or false, not 1"),
    ("jobs = true", "not true"),
    ("jobs = -1", "from 1 to 1024"),
    ('max-file-size = "big"', "expected a size such as \"8MB\", not 'big'"),
    ("max-file-size = 0", "expected a size"),
    ("max-file-size = nan", "expected a size"),
    ("max-file-size = true", "expected a size"),
    ('rules = ["absent"]', "there is no folder"),
    ("ignore = ['E501']", "'E501' is not a code such as SIG101"),
    ("ignore = ['sig101']", "did you mean 'SIG101'?"),
    ("ignore = ['SIG1012']", "'SIG1012' is not a code"),
    ("severity = 'off'", "expected a table such as"),
    ("severity = {SIG101 = 'warn'}", "'severity.SIG101' in sigtrans.toml, line 1: 'warn' is not"),
    ("severity = {SIG101 = 'warn'}", "did you mean 'warning'?"),
    ("jobs = 1\n[severity]\nSIG1 = 'off'\nSIG2 = 'x'", "'severity.SIG2' in sigtrans.toml, line 4"),
    ("severity.SIG3 = 'x'", "'severity.SIG3' in sigtrans.toml, line 1"),
    ("[per-path-ignore]\n'a/*' = ['SIG1']\n'b' = 'SIG1'", ".b' in sigtrans.toml, line 3"),
    ("[per-path-ignore]\n'!b' = ['SIG1']", "cannot start with '!'"),
    ("jobs = ", "sigtrans.toml: not TOML: "),
    ("jobs = 1\njobs = 2", "sigtrans.toml: not TOML: "),
]  # fmt: skip


@pytest.mark.parametrize(("text", "part"), WRONG)
def test_what_is_wrong_is_said_with_its_place(tree: Path, text: str, part: str) -> None:
    assert part in message(tree, text)


def test_places_in_pyproject(tree: Path) -> None:
    text = "[tool.other]\nstrict = 3\n\n[tool.sigtrans]\njobs = 1\nstrict = 3\n"
    assert message(tree, text, "pyproject.toml").startswith("'strict' in pyproject.toml, line 6")


def test_a_nested_table_in_pyproject(tree: Path) -> None:
    text = "[tool.sigtrans.severity]\nSIG1 = 'off'\nSIG2 = 'loud'\n"
    found = message(tree, text, "pyproject.toml")
    assert found.startswith("'severity.SIG2' in pyproject.toml, line 3")


def test_pyproject_with_a_value_for_a_table(tree: Path) -> None:
    assert "must be a table" in message(tree, "[tool]\nsigtrans = 1", "pyproject.toml")


def test_broken_pyproject_with_our_table_is_an_error(tree: Path) -> None:
    assert "not TOML" in message(tree, "[tool.sigtrans]\njobs = ", "pyproject.toml")


def test_not_utf8(tree: Path) -> None:
    (tree / "sigtrans.toml").write_bytes(b"jobs = 1\n# \xff\n")
    with pytest.raises(SigtransError, match=r"line 2: not UTF-8"):
        load(tree)


def test_deep_nesting_is_an_error_and_no_crash(tree: Path) -> None:
    assert "sigtrans.toml" in message(tree, "exclude = " + "[" * 5000)


def test_every_allowed_value_is_taken(tree: Path) -> None:
    for sdk in SDKS:
        write(tree / "sigtrans.toml", f'sdk = "{sdk}"\ntarget = {list(TARGETS)}')
        assert (load(tree).sdk, load(tree).targets) == (sdk, TARGETS)


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("8MB", 8 << 20),
        ("8 mb", 8 << 20),
        ("1.5GiB", 3 << 29),
        ("500KB", 500 << 10),
        ("2K", 2048),
        ("77", 77),
        (77, 77),
    ],
)
def test_sizes(written: object, size: int) -> None:
    assert parse_size(written) == size


def test_values_from_the_command_line() -> None:
    assert parse_targets(["mp_31", " mp_21 ", "mp_31"], "--target") == ("mp_21", "mp_31")
    assert parse_sdk("4.3", "--sdk") == "4.3"
    assert parse_size_option("1KB", "--max-file-size") == 1024
    with pytest.raises(SigtransError, match=r"--target: 'mp31' is not .*did you mean 'mp_31'"):
        parse_targets(["mp31"], "--target")
    with pytest.raises(SigtransError, match="--target: expected at least one"):
        parse_targets([" "], "--target")
    with pytest.raises(SigtransError, match="--sdk: '9' is not one of"):
        parse_sdk("9", "--sdk")
    with pytest.raises(SigtransError, match="--max-file-size: expected a size"):
        parse_size_option("-1", "--max-file-size")


@settings(deadline=None)
@given(st.text(max_size=60), st.sampled_from(KEYS), st.booleans())
def test_any_value_is_read_or_refused_in_one_line(text: str, key: str, listed: bool) -> None:
    quoted = json.dumps(text)
    try:
        quoted.encode()
    except UnicodeEncodeError:
        return
    with tempfile.TemporaryDirectory() as folder:
        line = f"{key} = [{quoted}]" if listed else f"{key} = {quoted}"
        path = write(Path(folder) / "sigtrans.toml", line)
        try:
            config = load(Path(folder))
        except SigtransError as fault:
            assert re.search(r"sigtrans\.toml", str(fault)) and "\n" not in str(fault)
        else:
            assert config.given == {key} and config.path == str(path)
