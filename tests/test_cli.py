"""The command line from end to end, on a copy of the example project."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sigtrans import __version__, plan, port, store
from sigtrans.cli import main
from sigtrans.plan import Drafted

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "gridstat"
CODE_LINE = r"(?m)^\S+:\d+:\d+: (?:error|warning|note) SIG\d{3}: \S"


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: str
    err: str


class Shell:
    """Runs commands in one folder that holds a copy of the example as `src`."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.src = folder / "src"
        self.port = folder / "src-musa"
        self.capsys = capsys

    def __call__(self, *arguments: str | Path) -> Ran:
        self.capsys.readouterr()
        words: Sequence[str] = [str(argument) for argument in arguments]
        try:
            code = main(words)
        except SystemExit as ended:  # argparse: --help, --version, a wrong option
            code = int(ended.code or 0)
        out, err = self.capsys.readouterr()
        return Ran(code, out, err)

    def fails(self, *arguments: str | Path) -> str:
        """The one line that a run which cannot start prints."""
        ran = self(*arguments)
        assert ran.code == 2
        assert ran.out == ""
        assert ran.err.startswith("sigtrans: ")
        assert "Traceback" not in ran.err
        return ran.err.splitlines()[0]


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    shutil.copytree(EXAMPLE, tmp_path / "src")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return Shell(tmp_path, capsys)


def read_tree(folder: Path) -> dict[str, bytes]:
    """Every file but sigtrans's own records."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".sigtrans" not in path.parts
    }


def read_times(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        name: ((folder / name).stat().st_mtime_ns, (folder / name).stat().st_ino)
        for name in read_tree(folder)
    }


# --- help and wrong use ---------------------------------------------------------------------------


def test_help_names_every_command(shell: Shell) -> None:
    ran = shell("--help")
    assert ran.code == 0
    for command in ("port", "scan", "diff", "undo", "explain", "rule"):
        assert command in ran.out
    assert "exit codes" in ran.out


@pytest.mark.parametrize("command", ["port", "scan", "diff", "undo", "explain", "rule"])
def test_help_fits_a_terminal(shell: Shell, command: str) -> None:
    ran = shell(command, "--help")
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 80


def test_no_command_shows_help(shell: Shell) -> None:
    ran = shell()
    assert ran.code == 0
    assert ran.out.startswith("usage: sigtrans")


def run_python(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_version_from_another_process(tmp_path: Path) -> None:
    process = run_python(tmp_path, "-m", "sigtrans", "--version")
    assert process.communicate() == (f"sigtrans {__version__}\n", "")
    assert process.returncode == 0


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    process = run_python(
        tmp_path,
        "-X",
        "importtime",
        "-c",
        "from sigtrans.cli import main; main(['port', '--help'])",
    )
    loaded = process.communicate()[1]
    assert "sigtrans.cli" in loaded
    for heavy in ("tree_sitter", "rich", "pydantic", "jinja2", "yaml", "sigtrans.names"):
        assert f" {heavy}\n" not in loaded


def test_a_reader_that_goes_away_is_no_fault(shell: Shell) -> None:
    process = run_python(shell.folder, "-m", "sigtrans", "scan", "src", "--output-format", "json")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() in (0, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["port"], "source"),
        (["nope"], "invalid choice: 'nope'"),
        (["port", "src", "--bogus"], "--bogus"),
        (["port", "missing"], "missing: no such file or folder"),
        (["scan", "missing"], "missing: no such file or folder"),
        (["port", "/dev/null"], "neither a file nor a folder"),
        (["port", "src", "--target", "mp_99"], "mp_21, mp_22, mp_31"),
        (["port", "src", "--sdk", "9"], "--sdk"),
        (["port", "src", "-j", "0"], "--jobs 0"),
        (["port", "src", "--max-file-size", "big"], "--max-file-size"),
        (["port", "src", "--rules", "missing"], "missing"),
        (["port", "src", "--config", "missing.toml"], "missing.toml"),
        (["port", "src", "--in-place", "-o", "x"], "--in-place and --output"),
        (["port", "src", "--in-place", "--only-changed"], "--only-changed"),
        (["port", "src", "-o", "src/port"], "must not lie inside each other"),
        (["port", "src", "-o", "src"], "must not lie inside each other"),
        (["port", "src", "-o", "src/Makefile"], "src/Makefile"),
        (["scan", "src", "--report", "x.pdf"], "*.pdf"),
        (["scan", "src", "--report", "missing/x.json"], "missing"),
        (["diff", "src"], "holds no port made by sigtrans"),
        (["undo", "src"], "nothing to undo"),
        (["undo", "missing"], "no such folder"),
        (["explain", "SIG000"], "SIG000"),
        (["rule", "test", "missing"], "missing"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_use_is_one_line_and_exit_2(shell: Shell, arguments: list[str], said: str) -> None:
    before = read_tree(shell.folder)
    assert said in shell.fails(*arguments)
    assert read_tree(shell.folder) == before


def test_a_wrong_report_is_refused_before_anything_is_written(shell: Shell) -> None:
    shell.fails("port", "src", "--report", "x.pdf")
    assert not shell.port.exists()


# --- port -----------------------------------------------------------------------------------------


def test_port_writes_a_whole_tree_beside_the_source(shell: Shell) -> None:
    before = read_tree(shell.src)
    ran = shell("port", "src")
    assert ran.code == 1  # a warp function, a guard: the findings want a person
    assert ran.err == ""
    assert read_tree(shell.src) == before
    after = read_tree(shell.port)
    renamed = {name.replace(".cuh", ".muh").replace(".cu", ".mu") for name in before}
    assert set(after) == {*renamed, "sigtrans_ptx.h", "sigtrans_warp.h"}
    assert after["README.md"] == before["README.md"]


def test_port_changes_code_and_only_code(shell: Shell) -> None:
    shell("port", "src", "-q")
    check = (shell.port / "include/gridstat/check.h").read_text()
    assert "// Every cudaXxx call goes through this macro; cudaGetErrorString() makes" in check
    assert "T *cudaMallocHelper(std::size_t count)" in check
    assert "GRIDSTAT_CHECK(musaMalloc(&memory, count * sizeof(T)));" in check
    assert "const musaError_t status_ = (call);                                   \\\n" in check
    host = (shell.port / "src/host.cpp").read_text()
    assert '"cudaGetDeviceProperties(%d): ' in host
    assert "const char *describe(musaError_t cudaError) {" in host
    assert "cudaError == musaSuccess" in host
    assert "#include <mublas.h>" in (shell.port / "include/gridstat/gridstat.h").read_text()
    assert '#include "warp.muh"' in (shell.port / "src/sum.mu").read_text()
    row_sum = (shell.port / "torch_ext/row_sum.mu").read_text()
    assert "getCurrentMUSAStream()" in row_sum
    assert "CUDA" not in row_sum


def test_port_leaves_and_reports_what_has_no_certain_answer(shell: Shell) -> None:
    ran = shell("port", "src", "--output-format", "concise")
    warp = (shell.port / "src/warp.muh").read_text()
    assert "#if defined(__MUSA_ARCH__) && 0 /* __CUDA_ARCH__ >= 800: " in warp
    assert "lane = sigtrans::ptx_laneid();" in warp
    for place in ("src/warp.cuh:15:", "src/warp.cuh:16:", "src/warp.cuh:26:"):
        assert place in ran.out
    assert "SIG406" in ran.out
    assert "SIG507" in ran.out


def test_helper_headers_that_come_along_are_named(shell: Shell) -> None:
    ran = shell("port", "src", "--report", "report.json")
    assert "Helpers    sigtrans_ptx.h, sigtrans_warp.h, in the port's root folder" in ran.out
    report = json.loads((shell.folder / "report.json").read_text())
    assert report["helpers"] == ["sigtrans_ptx.h", "sigtrans_warp.h"]


def test_port_takes_the_build_files_along(shell: Shell) -> None:
    shell("port", "src", "-q")
    cmake = (shell.port / "CMakeLists.txt").read_text()
    assert "src/sum.mu" in cmake
    assert "MUSA::mublas" in cmake
    assert "# Users of the library need cudart and cuBLAS as well." in cmake
    make = (shell.port / "Makefile").read_text()
    assert "-lmublas -lmusart" in make
    assert "%.o: src/%.mu src/warp.muh" in make
    assert "-gencode" not in make
    setup = (shell.port / "torch_ext/setup.py").read_text()
    assert "MUSAExtension(" in setup
    assert '"row_sum.mu"' in setup


def test_output_goes_where_it_was_asked_for(shell: Shell) -> None:
    assert shell("port", "src", "-o", "deep/er/port", "-q").code == 1
    assert (shell.folder / "deep/er/port/src/sum.mu").is_file()
    assert not shell.port.exists()


def test_output_never_lands_on_foreign_files(shell: Shell) -> None:
    other = shell.folder / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    assert "not made by sigtrans" in shell.fails("port", "src", "-o", "other")
    assert read_tree(other) == {"mine.txt": b"mine"}


def test_port_of_the_folder_one_stands_in(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell("port", "src", "-o", "wanted", "-q")
    monkeypatch.chdir(shell.src)
    assert shell("port", ".", "-q").code == 1
    assert read_tree(shell.port) == read_tree(shell.folder / "wanted")


def test_port_of_one_file(shell: Shell) -> None:
    assert shell("port", "src/src/matmul.cu", "-o", "one").code == 0
    assert "musaGetLastError" in (shell.folder / "one/matmul.mu").read_text()


def test_only_changed_leaves_the_rest_out(shell: Shell) -> None:
    shell("port", "src", "-o", "all", "-q")
    shell("port", "src", "-o", "few", "--only-changed", "-q")
    everything, few = (read_tree(shell.folder / name) for name in ("all", "few"))
    assert set(everything) - set(few) == {"README.md"}
    assert few == {name: everything[name] for name in few}


@pytest.mark.parametrize("option", ["--dry-run", "--diff"])
def test_dry_runs_write_nothing(shell: Shell, option: str) -> None:
    before = read_tree(shell.folder)
    ran = shell("port", "src", option)
    assert ran.code == 1
    assert "14" in ran.out  # files
    assert read_tree(shell.folder) == before
    assert not shell.port.exists()


def test_diff_option_prints_what_port_would_write(shell: Shell) -> None:
    printed = shell("port", "src", "--diff", "-q").out
    shell("port", "src", "-q")
    assert printed == shell("diff", "src-musa").out
    assert "-    GRIDSTAT_CHECK(cudaGetLastError());\n" in printed


def test_keep_extensions(shell: Shell) -> None:
    shell("port", "src", "--keep-extensions", "-q")
    after = read_tree(shell.port)
    assert set(after) == {*read_tree(shell.src), "sigtrans_ptx.h", "sigtrans_warp.h"}
    assert b'#include "warp.cuh"' in after["src/sum.cu"]
    assert b"src/sum.cu" in after["CMakeLists.txt"]
    shell("port", "src", "-q")
    assert not list(shell.port.rglob("*.cu")), "the names of the run before are gone"


def test_annotate_puts_findings_beside_the_code(shell: Shell) -> None:
    shell("port", "src", "--annotate", "-q")
    lines = (shell.port / "src/warp.muh").read_text().splitlines()
    at = next(n for n, line in enumerate(lines) if "SIGTRANS_PTX_STOP" in line)
    assert "// SIG503 error: " in lines[at - 1]
    plain = [line for line in lines if "// SIG" not in line]
    shell("port", "src", "-q")
    assert plain == (shell.port / "src/warp.muh").read_text().splitlines()


def test_several_targets(shell: Shell) -> None:
    shell("port", "src", "--target", "mp_21,mp_22", "-q")
    make = (shell.port / "Makefile").read_text()
    assert "mp_21" in make
    assert "mp_22" in make
    assert "mp_31" not in make
    shell("port", "src", "-o", "again", "--target", "mp_22", "--target", "mp_21", "-q")
    assert read_tree(shell.folder / "again") == read_tree(shell.port)


def test_strict_refuses_names_that_only_follow_the_rule(shell: Shell) -> None:
    shell("port", "src", "--strict", "-q")
    host = (shell.port / "src/host.cpp").read_text()
    assert "cudaRuntimeGetVersion(&version)" in host
    assert "musaGetErrorName" in host


def test_excluded_files_are_copied_as_they_are(shell: Shell) -> None:
    ran = shell("port", "src", "--exclude", "torch_ext/")
    assert "3 skipped" in ran.out
    assert read_tree(shell.port / "torch_ext") == read_tree(shell.src / "torch_ext")


def test_quiet_prints_nothing(shell: Shell) -> None:
    assert shell("port", "src", "-q") == Ran(1, "", "")


def test_exit_0_when_nothing_needs_attention(shell: Shell) -> None:
    (shell.folder / "clean").mkdir()
    (shell.folder / "clean/a.cu").write_text(
        "#include <cuda_runtime.h>\nvoid f(void *p) { cudaFree(p); }\n"
    )
    assert shell("port", "clean").code == 0
    assert "musaFree(p)" in (shell.folder / "clean-musa/a.mu").read_text()


# --- again ----------------------------------------------------------------------------------------


def test_a_second_run_writes_nothing(shell: Shell) -> None:
    first = shell("port", "src")
    times = read_times(shell.port)
    second = shell("port", "src")
    assert second.code == first.code
    assert second.out.startswith(first.out)
    assert "Nothing has changed since the last run" in second.out
    assert read_times(shell.port) == times


def test_after_a_change_only_its_port_is_written(shell: Shell) -> None:
    shell("port", "src", "-q")
    before = read_times(shell.port)
    source = shell.src / "src/sum.cu"
    source.write_text(source.read_text().replace("kThreads = 256", "kThreads = 128"))
    shell("port", "src", "-q")
    after = read_times(shell.port)
    assert {name for name in after if after[name] != before.get(name)} == {"src/sum.mu"}
    assert "kThreads = 128" in (shell.port / "src/sum.mu").read_text()


def test_a_file_that_left_the_source_leaves_the_port(shell: Shell) -> None:
    shell("port", "src", "-q")
    (shell.src / "README.md").unlink()
    shell("port", "src", "-q")
    assert not (shell.port / "README.md").exists()


def test_edits_made_in_the_port_survive(shell: Shell) -> None:
    shell("port", "src", "-q")
    edited = shell.port / "src/sum.mu"
    edited.write_text(edited.read_text() + "// by hand\n")
    source = shell.src / "src/sum.cu"
    source.write_text(source.read_text().replace("kThreads = 256", "kThreads = 128"))
    ran = shell("port", "src")
    assert ran.code == 1
    assert "src/sum.mu: edited in the port since the last run" in ran.err
    assert edited.read_text().endswith("// by hand\n")
    assert "kThreads = 128" in (shell.port / ".sigtrans/new/src/sum.mu").read_text()


def test_porting_the_port_changes_nothing(shell: Shell) -> None:
    shell("port", "src", "-q")
    shell("port", "src-musa", "-o", "twice", "-q")
    assert read_tree(shell.folder / "twice") == read_tree(shell.port)


def test_jobs_do_not_change_the_result(shell: Shell) -> None:
    one = shell("scan", "src", "--output-format", "json", "-j", "1")
    two = shell("scan", "src", "--output-format", "json", "-j", "2")
    assert one == two


# --- in place -------------------------------------------------------------------------------------


def test_in_place_and_back(shell: Shell) -> None:
    before = read_tree(shell.src)
    shell("port", "src", "-q")
    ran = shell("port", "src", "--in-place")
    assert ran.code == 1
    assert "sigtrans undo src" in ran.out
    assert read_tree(shell.src) == read_tree(shell.port)
    assert shell("undo", "src").code == 0
    assert read_tree(shell.src) == before
    assert "nothing to undo" in shell.fails("undo", "src")


def test_undo_does_not_lose_edits_made_since(shell: Shell) -> None:
    before = read_tree(shell.src)
    shell("port", "src", "--in-place", "-q")
    edited = shell.src / "src/sum.mu"
    edited.write_text(edited.read_text() + "// by hand\n")
    assert "src/sum.mu" in shell.fails("undo", "src")
    assert edited.read_text().endswith("// by hand\n")
    assert shell("undo", "src", "--force").code == 0
    assert read_tree(shell.src) == before


# --- reports --------------------------------------------------------------------------------------


def test_reports_of_every_kind(shell: Shell) -> None:
    names = ("r.json", "r.sarif", "r.html", "r.txt")
    options = [word for name in names for word in ("--report", name)]
    assert shell("port", "src", "-q", *options).code == 1
    report = json.loads((shell.folder / "r.json").read_text())
    assert [file["path"] for file in report["files"]] == sorted(read_tree(shell.src))
    assert {file["status"] for file in report["files"]} == {"ported", "unchanged"}
    sarif = json.loads((shell.folder / "r.sarif").read_text())
    assert sarif["version"] == "2.1.0"
    assert sarif["runs"][0]["results"]
    page = (shell.folder / "r.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "src/warp.cuh" in page
    assert "SIG507" in (shell.folder / "r.txt").read_text()


@pytest.mark.parametrize("command", ["port", "scan"])
@pytest.mark.parametrize("form", ["json", "sarif"])
def test_formats_for_programs_are_only_that(shell: Shell, command: str, form: str) -> None:
    ran = shell(command, "src", "--output-format", form)
    assert ran.code == 1
    assert ran.err == ""
    value = json.loads(ran.out)
    assert value["version" if form == "sarif" else "schema"] in ("2.1.0", 1)


def test_concise_is_one_finding_a_line(shell: Shell) -> None:
    ran = shell("scan", "src", "--output-format", "concise")
    total = json.loads(shell("scan", "src", "--output-format", "json").out)["totals"]
    assert len(re.findall(CODE_LINE, ran.out)) == len(ran.out.splitlines())
    assert len(ran.out.splitlines()) == total["diagnostics"]


def test_github_format(shell: Shell) -> None:
    ran = shell("scan", "src", "--output-format", "github")
    assert ran.code == 1
    assert "::error file=src/warp.cuh,line=32," in ran.out
    assert all(line.startswith("::") for line in ran.out.splitlines())


def test_full_fits_the_terminal_and_has_no_colour_when_piped(shell: Shell) -> None:
    for command in ("port", "scan"):
        ran = shell(command, "src")
        assert max(map(len, ran.out.splitlines())) <= 80 + len(str(shell.folder)) * 2
        assert "\x1b" not in ran.out
    assert "\x1b[" in shell("scan", "src", "--color", "always").out


@pytest.mark.parametrize("options", [[], ["--in-place"], ["--dry-run"]], ids=" ".join)
def test_the_commands_that_a_run_names_work(shell: Shell, options: list[str]) -> None:
    ran = shell("port", "src", *options)
    named = re.findall(r"(?m)(?::  ?)sigtrans (.+)$", ran.out)
    assert named
    for words in named:
        assert shell(*words.split()).code in (0, 1), words


# --- scan, diff, explain, rule --------------------------------------------------------------------


def test_scan_writes_nothing_and_tells_the_work(shell: Shell) -> None:
    before = read_tree(shell.folder)
    ran = shell("scan", "src")
    assert ran.code == 1
    assert read_tree(shell.folder) == before
    assert not list(shell.folder.rglob(".sigtrans"))
    assert "SIG503" in ran.out
    assert "src/warp.cuh" in ran.out


def test_diff_of_chosen_files(shell: Shell) -> None:
    shell("port", "src", "-q")
    by_source = shell("diff", "src-musa", "src/sum.cu")
    assert by_source.code == 0
    assert by_source.out.startswith("--- src/sum.cu\n+++ src/sum.mu\n@@ ")
    assert shell("diff", "src-musa", "src/sum.mu").out == by_source.out
    assert "nothing.cu" in shell.fails("diff", "src-musa", "nothing.cu")


def test_diff_stat_names_every_ported_file_once(shell: Shell) -> None:
    shell("port", "src", "-q")
    ran = shell("diff", "src-musa", "--stat")
    assert ran.code == 0
    report = json.loads(shell("scan", "src", "--output-format", "json").out)
    ported = [file["path"] for file in report["files"] if file["status"] == "ported"]
    for line, path in zip(ran.out.splitlines(), ported, strict=True):
        assert line.startswith(path)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("SIG501", "What to do"),
        ("sig501", "What it means"),
        ("cudaMalloc", "cudaMalloc -> musaMalloc"),
        ("cublas_v2.h", "cublas_v2.h -> mublas.h"),
        ("musaMalloc", "is the MUSA name of cudaMalloc"),
        ("CUBLAS_OP_N", "MUBLAS_OP_N"),
    ],
)
def test_explain(shell: Shell, word: str, said: str) -> None:
    ran = shell("explain", word)
    assert ran.code == 0
    assert said in ran.out


def test_explain_an_unknown_name(shell: Shell) -> None:
    ran = shell("explain", "cudaMallox")
    assert ran.code == 1
    assert "did you mean cudaMalloc" in ran.out


def test_rule_new_is_a_rule_that_passes(shell: Shell) -> None:
    assert shell("rule", "new", "rules/mine.yaml").code == 0
    assert "is there already" in shell.fails("rule", "new", "rules/mine.yaml")
    ran = shell("rule", "test", "rules")
    assert ran.code == 0
    assert "0 failed" in ran.out


def test_rule_test_tells_a_wrong_example(shell: Shell) -> None:
    shell("rule", "new", "mine.yaml")
    rule = shell.folder / "mine.yaml"
    rule.write_text(rule.read_text().replace("{ musaNewName(); }", "{ musaOther(); }"))
    ran = shell("rule", "test", "mine.yaml")
    assert ran.code == 1
    assert "mine/mine" in ran.out
    assert "1 failed" in ran.out


def test_rules_of_the_user_are_used(shell: Shell) -> None:
    shell("rule", "new", "rules/mine.yaml")
    source = shell.src / "src/host.cpp"
    source.write_text(source.read_text() + "\nvoid more() { cudaOldName(); }\n")
    shell("port", "src", "--rules", "rules", "-q")
    assert "musaNewName();" in (shell.port / "src/host.cpp").read_text()


# --- configuration --------------------------------------------------------------------------------


def configure(shell: Shell, text: str) -> None:
    (shell.src / "sigtrans.toml").write_text(text)


def test_configuration_silences_and_says_so(shell: Shell) -> None:
    configure(shell, 'ignore = ["SIG5"]\nper-path-ignore = {"src/**" = ["SIG406"]}\n')
    ran = shell("scan", "src")
    assert "SIG503" not in ran.out
    assert "SIG406" not in ran.out
    assert "3 more silenced" in ran.out


def test_configuration_changes_severities(shell: Shell) -> None:
    configure(shell, 'severity = {SIG507 = "warning", SIG406 = "off"}\n')
    ran = shell("scan", "src", "--output-format", "concise")
    assert "src/warp.cuh:26:5: warning SIG507" in ran.out
    assert "SIG406" not in ran.out


def test_configuration_sets_targets_and_the_command_line_wins(shell: Shell) -> None:
    configure(shell, 'target = "mp_21"\nkeep-extensions = true\nexclude = ["torch_ext/"]\n')
    shell("port", "src", "-q")
    assert "--offload-arch=mp_21" in (shell.port / "Makefile").read_text()
    assert (shell.port / "src/sum.cu").is_file()
    assert read_tree(shell.port / "torch_ext") == read_tree(shell.src / "torch_ext")
    shell("port", "src", "-o", "other", "--target", "mp_22", "-q")
    assert "--offload-arch=mp_22" in (shell.folder / "other/Makefile").read_text()


def test_configuration_in_pyproject(shell: Shell) -> None:
    (shell.src / "pyproject.toml").write_text('[tool.sigtrans]\nignore = ["SIG"]\n')
    ran = shell("scan", "src", "--output-format", "concise")
    assert ran == Ran(0, "", "")


def test_configuration_faults_name_the_line(shell: Shell) -> None:
    configure(shell, '\ntargt = "mp_31"\n')
    said = shell.fails("scan", "src")
    assert "sigtrans.toml, line 2" in said
    assert "did you mean 'target'?" in said


def test_marks_leave_code_alone(shell: Shell) -> None:
    source = shell.src / "src/host.cpp"
    source.write_text(
        "// sigtrans: off\nvoid left(void *p) { cudaFree(p); }\n// sigtrans: on\n"
        "void line(void *p) { cudaFree(p); }  // sigtrans: skip-line\n" + source.read_text()
    )
    shell("port", "src", "-q")
    text = (shell.port / "src/host.cpp").read_text()
    assert "void left(void *p) { cudaFree(p); }" in text
    assert "void line(void *p) { cudaFree(p); }" in text
    assert "musaGetErrorName" in text


def test_a_diff_with_annotations_is_what_would_be_written(shell: Shell) -> None:
    shown = shell("port", "src", "--diff", "--annotate").out
    shell("port", "src", "--annotate", "-q")
    notes = [
        line
        for path in shell.port.rglob("*.mu*")
        for line in path.read_text("utf-8").splitlines()
        if "// SIG" in line
    ]
    assert notes
    assert [line for line in notes if f"+{line}" not in shown.splitlines()] == []


def test_a_file_that_changes_while_it_is_ported_ends_the_run(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = plan.make_plan

    def plan_and_touch(source: Path, *more: Any) -> Drafted:
        drafted = made(source, *more)
        for path in source.rglob("*.cu*"):
            path.write_bytes(b"// new\n" + path.read_bytes())
        return drafted

    monkeypatch.setattr(port, "make_plan", plan_and_touch)
    assert "changed while it was being ported" in shell.fails("port", "src", "--diff", "--annotate")


@pytest.mark.parametrize("killed", ["folder of a single file", "source and port"])
def test_every_interrupted_run_is_recovered_before_anything_is_read(
    shell: Shell, killed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    done = store.Recovered("rolled back", 1)

    def recover(root: Path) -> store.Recovered | None:
        seen.append(root.name)
        return done

    monkeypatch.setattr(store, "recover", recover)
    single = next(shell.src.rglob("*.cu"))
    source = single if killed == "folder of a single file" else shell.src
    ran = shell("port", source, "-o", "out")
    assert seen[:2] == [source.parent.name if source == single else "src", "out"]
    assert ran.err.count("an earlier run was interrupted") == 2


def test_grades_follow_the_users_own_tables(shell: Shell) -> None:
    rules = shell.folder / "rules"
    rules.mkdir()
    row = "cudaMyThing\tmusaMyThing\tfunction\tseen\t\tours\t\n"
    head = "cuda\tmusa\tkind\tgrade\tsdk\tevidence\tnote\n"
    (rules / "mine.tsv").write_text(head + row)
    (shell.folder / "one").mkdir()
    (shell.folder / "one" / "a.cu").write_text("void f() { cudaMyThing(); }\n")
    report = json.loads(shell("scan", "one", "--rules", rules, "--output-format", "json").out)
    (edit,) = (e for f in report["files"] for e in f["edits"])
    assert edit["grade"] == "seen"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_no_success(shell: Shell) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sigtrans", "scan", "src", "--output-format", "json"],
            cwd=shell.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr
