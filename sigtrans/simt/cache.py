"""What the CPU backend keeps between runs: the one place that writes there, whole files or none.

Nothing here is a user's: the folder can be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from sigtrans import __version__


def cache_folder() -> Path:
    """SIGTRANS_CACHE, else a folder in the user's cache."""
    own = os.environ.get("SIGTRANS_CACHE")
    if own:
        return Path(own)
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "sigtrans" / f"simt-{__version__}"


def digest(*parts: bytes | str) -> str:
    """A name for content; parts are kept apart by their lengths."""
    total = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        total.update(b"%d:" % len(data))
        total.update(data)
    return total.hexdigest()


def kept(path: Path, make: Callable[[Path], object]) -> Path:
    """`path`, made by `make` (which gets another name to write to) unless it is there.

    It is renamed into place when it is whole, so an interrupted build or two at the same time leave
    nothing that a later one would trust."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".making-") as folder:
        made = Path(folder) / path.name
        make(made)
        try:
            made.replace(path)
        except OSError:  # a folder that somebody else has made meanwhile
            if not path.is_dir():
                raise
    return path


def write_tree(folder: Path, files: dict[str, bytes]) -> None:
    """Files of a new folder, by relative path."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def place_link(place: Path, target: Path) -> None:
    """A link at `place`, whatever was there."""
    if not (place.is_symlink() and place.readlink() == target):
        _replace(place, lambda made: made.symlink_to(target))


def place_file(place: Path, data: bytes) -> None:
    """A file at `place`, whatever was there; not touched if it holds the same."""
    if place.is_symlink() or not place.exists() or place.read_bytes() != data:
        _replace(place, lambda made: made.write_bytes(data))


def _replace(place: Path, make: Callable[[Path], object]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    made = place.with_name(f".{place.name}.{os.getpid()}")
    made.unlink(missing_ok=True)
    make(made)
    made.replace(place)
