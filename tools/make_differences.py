"""Write docs/differences.md from rules/differences.yaml, or with --check say that it is stale.

The rules and codes of an entry are not written by hand: its example is ported, and what the port
did and said is what the table shows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import yaml  # noqa: E402

from sigtrans.plan import Settings, make_plan  # noqa: E402

TABLE = ROOT / "rules" / "differences.yaml"
PAGE = ROOT / "docs" / "differences.md"
HEAD = """\
<!-- Generated from rules/differences.yaml by tools/make_differences.py; edit it there. -->

# Where MUSA is not CUDA renamed

Every known difference, what sigtrans does about it, and by which rules and diagnostics: those are
taken from a port of the entry's example ({count} entries, {tried} with an example; a test ports
them all). *edit* changes more than a name, *report* names the place, *keep* needs nothing beyond
the name tables.

每一条已知差异、sigtrans 的处理方式，以及起作用的规则和诊断代码（由示例的实际移植结果得出）。
"""
TITLES = {
    "warp": "Warps · 线程束",
    "asm": "Inline assembly · 内联汇编",
    "matrix": "Matrix units · 矩阵单元",
    "memory": "Memory, copies, barriers · 内存、拷贝与栅栏",
    "types": "Types · 类型",
    "math": "Arithmetic · 运算",
    "atomics": "Atomics · 原子操作",
    "launch": "Launch · 启动",
    "graphs": "Graphs · 图",
    "runtime": "Runtime · 运行时",
    "driver": "Driver · 驱动",
    "guards": "Guards · 条件编译",
    "language": "Language · 语言",
    "build": "Building · 构建",
    "": "Libraries and PyTorch · 库与 PyTorch",
}


def port(entry: dict[str, Any]) -> tuple[str, str]:
    """The rules and the codes of a port of the entry's example."""
    if "example" not in entry:
        return "", ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / entry.get("path", "a.cu")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(entry["example"], "utf-8")
        targets = (entry.get("target", "mp_31"),)
        settings = Settings(jobs=1, targets=targets, sdk=entry.get("sdk", "5.2"))
        (file,) = make_plan(Path(folder), settings).plan.files
    rules = sorted({e.rule for e in file.edits} - {"helpers/include"})
    codes = sorted({d.code for d in file.diagnostics} - {"SIG105", "SIG107", "SIG013"})
    return (
        ", ".join(f"`{rule}`" for rule in rules),
        ", ".join(f"[{code}](codes/{code}.md)" for code in codes),
    )


def render(entries: list[dict[str, Any]]) -> str:
    groups: dict[str, list[str]] = {title: [] for title in TITLES}
    for entry in entries:
        family = entry["id"].partition("/")[0]
        rules, codes = port(entry)
        cells = (entry["id"], entry["what"], entry["does"], entry["how"], rules, codes)
        row = "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells)
        row += f" | {str(entry['evidence']).replace('|', chr(92) + '|')} |"
        groups[family if family in groups else ""].append(row)
    tried = sum("example" in entry for entry in entries)
    parts = [HEAD.format(count=len(entries), tried=tried)]
    for family, rows in groups.items():
        if rows:
            head = "| Entry | Difference | | What you get | Rules | Codes | Evidence |\n"
            parts.append(
                f"## {TITLES[family]}\n\n{head}|---|---|---|---|---|---|---|\n" + "\n".join(rows)
            )
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when stale")
    options = parser.parse_args(arguments)
    page = render(yaml.safe_load(TABLE.read_text("utf-8")))
    if not options.check:
        PAGE.write_text(page, "utf-8", newline="\n")
    elif not PAGE.is_file() or PAGE.read_text("utf-8") != page:
        print("docs/differences.md: out of date (run make docs)", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
