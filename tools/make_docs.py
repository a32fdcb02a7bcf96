"""Write docs/codes/ from rules/diagnostics/, or with --check say which pages are stale."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from sigtrans import catalogue  # noqa: E402
from sigtrans.catalogue import Entry  # noqa: E402

PAGES = ROOT / "docs" / "codes"
NOTICE = "<!-- Generated from rules/diagnostics/ by tools/make_docs.py; edit it there. -->"
RANGES = {
    "SIG0": ("The tool and the run", "工具与运行"),
    "SIG1": ("Names and libraries", "名称与库"),
    "SIG2": ("Warps and synchronisation", "线程束与同步"),
    "SIG3": ("Memory", "内存"),
    "SIG4": ("Guards, macros and language", "条件编译、宏与语言"),
    "SIG5": ("PTX and matrix units", "PTX 与矩阵单元"),
    "SIG6": ("CUTLASS", "CUTLASS"),
    "SIG7": ("Build files", "构建文件"),
    "SIG8": ("Verification", "验证"),
    "SIG9": ("Internal", "内部"),
}


def render_page(entry: Entry) -> str:
    """The page of one code."""
    parts = [NOTICE, f"# {entry.code}: {entry.title}"]
    if entry.title_zh:
        parts.append(f"{entry.title_zh}")
    parts += [
        f"Severity: {entry.severity.value} · since {entry.since}",
        f"## What it means\n\n{entry.meaning.strip()}",
        f"## What to do\n\n{entry.action.strip()}",
    ]
    if entry.before:
        parts.append(f"## Example\n\n{_fenced(entry.before)}")
    if entry.after:
        parts.append(f"Once dealt with:\n\n{_fenced(entry.after)}")
    parts.append(
        'To silence it, see "Silencing" in [the report](../report.md). '
        "All codes: [index](README.md)."
    )
    return "\n\n".join(parts) + "\n"


def _fenced(code: str) -> str:
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}cpp\n{code.rstrip()}\n{fence}"


def render_index(entries: Mapping[str, Entry]) -> str:
    """The list of all codes, by range."""
    parts = [NOTICE, "# Diagnostic codes · 诊断代码"]
    parts.append(
        "`sigtrans explain SIG123` prints the same text in the terminal.\n"
        "`sigtrans explain SIG123` 可在终端中显示同样的内容。"
    )
    for prefix, (english, chinese) in RANGES.items():
        rows = [
            f"| [{e.code}]({e.code}.md) | {e.severity.value} | {_cell(e.title)} "
            f"| {_cell(e.title_zh)} |"
            for e in entries.values()
            if e.code.startswith(prefix)
        ]
        if rows:
            head = "| Code | Severity | Title | 标题 |\n|---|---|---|---|\n"
            parts.append(f"## {prefix}xx: {english} · {chinese}\n\n" + head + "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def make_pages(entries: Mapping[str, Entry]) -> dict[str, str]:
    """File name → text of everything that belongs into docs/codes/."""
    pages = {f"{entry.code}.md": render_page(entry) for entry in entries.values()}
    return {"README.md": render_index(entries), **pages}


def find_stale(folder: Path, pages: Mapping[str, str]) -> list[str]:
    """What is missing, outdated or left over in `folder`, one line each."""
    there = {path.name: path.read_text("utf-8") for path in folder.glob("*.md")}
    stale = [f"{name}: missing" for name in pages if name not in there]
    stale += [f"{n}: out of date" for n, text in pages.items() if there.get(n, text) != text]
    stale += [f"{name}: no such code any more" for name in there if name not in pages]
    return sorted(stale)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when stale")
    options = parser.parse_args(arguments)
    pages = make_pages(catalogue.entries())
    stale = find_stale(PAGES, pages)
    if options.check:
        for line in stale:
            print(f"docs/codes/{line} (run python tools/make_docs.py)", file=sys.stderr)
        return 1 if stale else 0
    PAGES.mkdir(parents=True, exist_ok=True)
    for path in PAGES.glob("*.md"):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        (PAGES / name).write_text(text, "utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
