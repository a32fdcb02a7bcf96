"""Run the commands that README.md and README.zh-CN.md show, and put their output there.

A block that is kept looks like this; the command runs in a folder that holds `examples/`:

    <!-- run: sigtrans explain cudaMalloc -->
    ```console
    ...
    ```

With --check nothing is written, and stale files are named.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", ROOT / "README.zh-CN.md")
BLOCK = re.compile(r"(<!-- run: (sigtrans [^\n]+) -->\n```console\n).*?(?=^```$)", re.S | re.M)


def run(command: str, folder: Path) -> str:
    """What a reader sees who types the command in a terminal of 80 columns."""
    ran = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    if ran.returncode > 1:
        raise SystemExit(f"{command}: exit code {ran.returncode}\n{ran.stdout}")
    return ran.stdout


def render(text: str) -> str:
    """The page with the output of today in every block."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder, "examples"))

        def fill(block: re.Match[str]) -> str:
            return f"{block[1]}$ {block[2]}\n{run(block[2], Path(folder)).rstrip()}\n"

        return BLOCK.sub(fill, text)


def main() -> int:
    """Exit code 1 when --check finds a page that is out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = False
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = render(before)
        if before == after:
            continue
        stale = True
        if check:
            print(f"{page.name}: shows old output; run: python tools/make_readme.py")
        else:
            page.write_text(after, encoding="utf-8")
            print(f"{page.name}: written")
    return 1 if stale and check else 0


if __name__ == "__main__":
    raise SystemExit(main())
