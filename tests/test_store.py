"""Awkward trees, files and moments, and what the store does about each."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigtrans import store
from sigtrans.source import SigtransError
from sigtrans.store import Change, Committed, commit_copy, commit_in_place, recover, undo


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def files(root: Path) -> dict[str, bytes]:
    """Regular files and links (as `-> text`) of a tree, without our folder."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] == ".sigtrans":
            continue
        if path.is_symlink():
            found[name] = b"-> " + os.fsencode(path.readlink())
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


def copies(root: Path) -> Iterator[Change]:
    """Every file and link of a tree as it is; `.cu` becomes `.mu`, with `cuda` replaced."""
    for folder, folders, names in os.walk(root):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted(names + links):
            at = Path(folder, name)
            path = at.relative_to(root).as_posix()
            if path.endswith(".cu"):
                data = None if at.is_symlink() else at.read_bytes().replace(b"cuda", b"musa")
                yield Change(path[:-3] + ".mu", data, at)
            else:
                yield Change(path, origin=at)


def port(root: Path, out: Path, **options: Any) -> Committed:
    return commit_copy(root, out, copies(root), state=b"state", **options)


@pytest.fixture
def src(tmp_path: Path) -> Path:
    root = tmp_path / "src"
    (root / "sub").mkdir(parents=True)
    (root / "a.cu").write_bytes(b"cudaFree(p);\r\n")
    (root / "sub" / "b.h").write_bytes(b"left alone")
    os.utime(root / "sub" / "b.h", (1e9, 1e9))  # of a file just saved no stamp is kept
    return root


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def identities(root: Path) -> dict[str, tuple[int, int, int]]:
    return {
        str(path): (path.lstat().st_ino, path.lstat().st_mtime_ns, path.lstat().st_ctime_ns)
        for path in root.rglob("*")
        if path.name != "lock"
    }


# --- a port beside its source ------------------------------------------------------------------


def test_a_port_is_complete_and_its_source_untouched(src: Path, out: Path) -> None:
    before = files(src)
    done = port(src, out)
    assert files(out) == {"a.mu": b"musaFree(p);\r\n", "sub/b.h": b"left alone"}
    assert done == Committed(written=("a.mu", "sub/b.h"))
    assert files(src) == before
    assert not (src / ".sigtrans").exists()
    assert (out / ".sigtrans" / ".gitignore").read_text() == "*\n"
    assert store.read_state(out) == b"state"
    assert sorted(p.name for p in out.parent.iterdir()) == ["out", "src"]


def test_only_changed_leaves_out_what_is_merely_copied(src: Path, out: Path) -> None:
    (src / "kept.cu").write_bytes(b"no names in here")
    port(src, out, only_changed=True)
    assert sorted(files(out)) == ["a.mu", "kept.mu"]


def test_update_to_only_changed_gives_the_same_as_a_fresh_one(src: Path, out: Path) -> None:
    port(src, out)
    assert port(src, out, only_changed=True).removed == ("sub/b.h",)
    assert not (out / "sub").exists()
    assert sorted(files(out)) == ["a.mu"]


def test_second_run_touches_nothing(src: Path, out: Path) -> None:
    (src / "link").symlink_to("sub/b.h")
    port(src, out)
    before = identities(out)
    assert port(src, out) == Committed(unchanged=3)
    assert identities(out) == before


def test_second_run_reads_no_copied_file(
    src: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port(src, out)
    read: list[str] = []
    real = store._read

    def spy(path: str) -> Iterator[bytes]:
        read.append(Path(path).name)
        return real(path)

    monkeypatch.setattr(store, "_read", spy)
    assert port(src, out).unchanged == 2
    assert not {"b.h", "a.cu", "a.mu"} & set(read)


def test_a_change_of_equal_size_and_time_within_a_tick_is_seen(src: Path, out: Path) -> None:
    header = src / "sub" / "b.h"
    header.write_bytes(b"one")
    port(src, out)
    here = header.stat()
    header.write_bytes(b"two")
    os.utime(header, ns=(here.st_atime_ns, here.st_mtime_ns))
    assert port(src, out).written == ("sub/b.h",)


def test_update_writes_only_what_changed(src: Path, out: Path) -> None:
    port(src, out)
    kept = (out / "sub" / "b.h").stat()
    (src / "a.cu").write_bytes(b"cudaMalloc(p);")
    (src / "new" / "deep").mkdir(parents=True)
    (src / "new" / "deep" / "c.cu").write_bytes(b"")
    done = port(src, out)
    assert sorted(done.written) == ["a.mu", "new/deep/c.mu"]
    assert done.unchanged == 1
    assert files(out)["a.mu"] == b"musaMalloc(p);"
    assert (out / "sub" / "b.h").stat().st_ino == kept.st_ino


def test_files_gone_from_the_source_go_with_their_folder(src: Path, out: Path) -> None:
    port(src, out)
    (src / "sub" / "b.h").unlink()
    assert port(src, out).removed == ("sub/b.h",)
    assert not (out / "sub").exists()


def test_a_folder_with_a_file_of_the_user_stays(src: Path, out: Path) -> None:
    port(src, out)
    (out / "sub" / "mine.txt").write_bytes(b"mine")
    (src / "sub" / "b.h").unlink()
    port(src, out)
    assert files(out) == {"a.mu": b"musaFree(p);\r\n", "sub/mine.txt": b"mine"}


def test_an_edited_output_is_kept_while_its_source_stays(src: Path, out: Path) -> None:
    port(src, out)
    (out / "a.mu").write_bytes(b"by hand")
    for _ in range(2):
        assert port(src, out) == Committed(unchanged=1, kept=("a.mu",))
        assert files(out)["a.mu"] == b"by hand"
    assert store.find_edited(out) == ("a.mu",)


def test_an_edited_output_gets_the_new_version_beside_it_once(src: Path, out: Path) -> None:
    port(src, out)
    (out / "a.mu").write_bytes(b"by hand")
    (src / "a.cu").write_bytes(b"cudaNew")
    assert port(src, out).conflicts == ("a.mu",)
    assert files(out)["a.mu"] == b"by hand"
    offered = out / store.NEW_VERSIONS / "a.mu"
    assert offered.read_bytes() == b"musaNew"
    assert port(src, out) == Committed(unchanged=1, kept=("a.mu",))
    (out / "a.mu").write_bytes(b"musaNew")  # the user takes it
    assert port(src, out) == Committed(unchanged=2)
    assert not offered.exists()


def test_an_edit_that_equals_the_new_version_is_no_conflict(src: Path, out: Path) -> None:
    port(src, out)
    (out / "a.mu").write_bytes(b"musaNew")
    (src / "a.cu").write_bytes(b"cudaNew")
    assert port(src, out) == Committed(unchanged=2)


def test_an_edited_output_outlives_its_source(src: Path, out: Path) -> None:
    port(src, out)
    (out / "a.mu").write_bytes(b"by hand")
    (src / "a.cu").unlink()
    assert port(src, out).kept == ("a.mu",)
    assert files(out)["a.mu"] == b"by hand"


def test_a_deleted_output_is_written_again(src: Path, out: Path) -> None:
    port(src, out)
    (out / "a.mu").unlink()
    assert store.find_edited(out) == ("a.mu",)
    assert port(src, out).written == ("a.mu",)


def test_a_file_of_the_user_where_a_new_output_belongs_is_kept(src: Path, out: Path) -> None:
    port(src, out)
    (out / "c.mu").write_bytes(b"mine")
    (src / "c.cu").write_bytes(b"cuda")
    assert port(src, out).conflicts == ("c.mu",)
    assert files(out)["c.mu"] == b"mine"


def test_a_folder_of_the_user_where_a_file_belongs_is_kept(src: Path, out: Path) -> None:
    port(src, out)
    (out / "a.mu").unlink()
    (out / "a.mu").mkdir()
    (src / "a.cu").write_bytes(b"cudaNew")
    assert port(src, out).conflicts == ("a.mu",)
    assert (out / "a.mu").is_dir()


def test_a_file_that_becomes_a_folder_is_refused_with_advice(src: Path, out: Path) -> None:
    port(src, out)
    (src / "sub" / "b.h").unlink()
    (src / "sub" / "b.h").mkdir()
    (src / "sub" / "b.h" / "c.h").write_bytes(b"")
    before = files(out)
    with pytest.raises(SigtransError, match=r"sub/b\.h: a file lies where a folder is needed"):
        port(src, out)
    assert files(out) == before


def test_a_change_without_content_keeps_what_is_there(src: Path, out: Path) -> None:
    port(src, out)
    (src / "sub" / "b.h").write_bytes(b"changed")
    done = commit_copy(
        src, out, [Change("a.mu"), Change("sub/b.h", origin=src / "sub" / "b.h")], state=b"2"
    )
    assert done == Committed(written=("sub/b.h",), unchanged=1)
    assert store.read_state(out) == b"2"
    (out / "a.mu").unlink()
    with pytest.raises(SigtransError, match="no earlier port of it to keep"):
        commit_copy(src, out, [Change("a.mu")], state=b"3")
    assert store.read_state(out) == b"2"


def test_a_mode_changed_in_the_source_follows(src: Path, out: Path) -> None:
    port(src, out)
    (src / "sub" / "b.h").chmod(0o751)
    assert port(src, out).written == ("sub/b.h",)
    assert stat.S_IMODE((out / "sub" / "b.h").stat().st_mode) == 0o751


def test_a_generator_that_fails_leaves_nothing(src: Path, out: Path) -> None:
    def broken() -> Iterator[Change]:
        yield Change("a.mu", b"x")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        commit_copy(src, out, broken(), state=b"")
    assert [p.name for p in out.parent.iterdir()] == ["src"]


def test_an_empty_tree_gives_an_empty_port(tmp_path: Path, out: Path) -> None:
    (tmp_path / "src").mkdir()
    assert port(tmp_path / "src", out) == Committed()
    assert files(out) == {}
    assert port(tmp_path / "src", out) == Committed()


def test_an_empty_folder_is_a_fine_place(src: Path, out: Path) -> None:
    out.mkdir()
    port(src, out)
    assert "a.mu" in files(out)


@pytest.mark.parametrize(
    ("source", "target"),
    [("src", "src"), ("src", "src/out"), ("src/sub", "src"), ("src", "src/../src/sub/x")],
)
def test_source_and_port_must_lie_apart(
    tmp_path: Path, src: Path, source: str, target: str
) -> None:
    before = files(src)
    with pytest.raises(SigtransError, match="must not lie inside each other"):
        commit_copy(tmp_path / source, tmp_path / target, [], state=b"")
    assert files(src) == before


def test_a_link_to_the_source_is_the_source(tmp_path: Path, src: Path) -> None:
    (tmp_path / "alias").symlink_to("src")
    with pytest.raises(SigtransError, match="must not lie inside each other"):
        port(src, tmp_path / "alias" / "out")


def test_a_sibling_whose_name_begins_alike_is_apart(tmp_path: Path, src: Path) -> None:
    port(src, tmp_path / "src-musa")
    assert "a.mu" in files(tmp_path / "src-musa")


def test_a_strangers_folder_is_refused(src: Path, out: Path) -> None:
    out.mkdir()
    (out / "thesis.tex").write_bytes(b"years of work")
    with pytest.raises(SigtransError, match="is not empty and was not made by sigtrans"):
        port(src, out)
    assert files(out) == {"thesis.tex": b"years of work"}
    assert not (out / ".sigtrans").exists()


def test_a_file_is_no_place_for_a_port(src: Path, out: Path) -> None:
    out.write_bytes(b"a file")
    with pytest.raises(SigtransError, match="is a file"):
        port(src, out)
    assert out.read_bytes() == b"a file"


def test_a_damaged_record_is_named(src: Path, out: Path) -> None:
    port(src, out)
    (out / ".sigtrans" / "port.json").write_bytes(b'{"files": [1')
    with pytest.raises(SigtransError, match=r"port\.json: damaged"):
        port(src, out)


# --- links ---------------------------------------------------------------------------------------


def test_links_inside_are_made_again_and_follow_renames(src: Path, out: Path) -> None:
    (src / "same.h").symlink_to("sub/b.h")
    (src / "sub" / "up.cu").symlink_to("../a.cu")
    (src / "folder").symlink_to("sub")
    (src / "absolute").symlink_to(src / "sub" / "b.h")
    (src / "round").symlink_to("../src/a.cu")
    (src / "chain").symlink_to("sub/up.cu")
    done = port(src, out)
    assert done.dangling == ()
    found = files(out)
    assert found["same.h"] == b"-> sub/b.h"
    assert found["sub/up.mu"] == b"-> ../a.mu"
    assert found["folder"] == b"-> sub"
    assert found["absolute"] == b"-> sub/b.h"
    assert found["round"] == b"-> a.mu"
    assert found["chain"] == b"-> sub/up.mu"
    assert (out / "chain").read_bytes() == b"musaFree(p);\r\n"


def test_a_dangling_link_is_made_again_and_named(src: Path, out: Path) -> None:
    (src / "dangling").symlink_to("not/here")
    assert port(src, out).dangling == ("dangling",)
    assert files(out)["dangling"] == b"-> not/here"


def test_a_link_onto_itself_is_made_again(src: Path, out: Path) -> None:
    (src / "loop").symlink_to("loop")
    port(src, out)
    assert files(out)["loop"] == b"-> loop"


@pytest.mark.parametrize("text", ["/etc/hostname", "../elsewhere", "sub/../../x", "away/x"])
def test_a_link_that_leads_out_is_refused(src: Path, out: Path, text: str) -> None:
    (src / "away").symlink_to("..")
    (src / "leak").symlink_to(text)
    with pytest.raises(SigtransError, match=r"leak: is a link that leads out of the tree"):
        commit_copy(src, out, [Change("leak", origin=src / "leak")], state=b"")
    with pytest.raises(SigtransError, match="leads out of the tree"):
        commit_copy(src, out, [Change("leak", b"read through it", src / "leak")], state=b"")
    assert not out.exists()


def test_an_origin_behind_a_folder_link_that_leads_out_is_refused(src: Path, out: Path) -> None:
    (src.parent / "secret").mkdir()
    (src.parent / "secret" / "key").write_bytes(b"key")
    (src / "away").symlink_to("../secret")
    with pytest.raises(SigtransError, match="lies outside"):
        commit_copy(src, out, [Change("away/key", origin=src / "away" / "key")], state=b"")


def test_an_update_does_not_write_through_a_link_of_the_user(src: Path, out: Path) -> None:
    port(src, out)
    away = out.parent / "away"
    away.mkdir()
    (out / "sub" / "b.h").unlink()
    (out / "sub").rmdir()
    (out / "sub").symlink_to(away)
    with pytest.raises(SigtransError, match="leads out of the tree"):
        port(src, out)
    assert not list(away.iterdir())


def test_in_place_writes_through_a_link_inside_and_keeps_it(src: Path) -> None:
    (src / "link.h").symlink_to("sub/b.h")
    commit_in_place(src, [Change("link.h", b"new", before=sha(b"left alone"))])
    assert files(src)["link.h"] == b"-> sub/b.h"
    assert files(src)["sub/b.h"] == b"new"


def test_in_place_a_link_follows_its_renamed_target(src: Path) -> None:
    (src / "link").symlink_to("a.cu")
    old = b"cudaFree(p);\r\n"
    commit_in_place(
        src,
        [
            Change("a.mu", b"x", src / "a.cu"),
            Change("a.cu", remove=True, before=sha(old)),
            Change("link", origin=src / "link"),
        ],
    )
    assert files(src) == {"a.mu": b"x", "link": b"-> a.mu", "sub/b.h": b"left alone"}
    undo(src)
    assert files(src) == {"a.cu": old, "link": b"-> a.cu", "sub/b.h": b"left alone"}


# --- names, modes, kinds -------------------------------------------------------------------------

NAMES = {
    "255 bytes": "n" * 252 + ".cu",
    "unicode": "核函数 ядро.cu",
    "undecodable": os.fsdecode(b"gbk-\xc4\xda\xba\xcb.cu"),
    "newline": "two\nlines.cu",
    "braces": "{}%s{0}.cu",
    "dash": "-rf.cu",
    "dots": "...cu",
    "long path": "/".join(["d" * 200] * 15) + "/x.cu",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_awkward_names(src: Path, out: Path, name: str) -> None:
    """Written, found unchanged, updated, ported in place and taken back."""
    at = src / name
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_bytes(b"cuda")
    before = files(src)
    result = name[:-3] + ".mu"
    assert result in port(src, out).written
    assert port(src, out).written == ()
    at.write_bytes(b"cuda2")
    assert port(src, out).written == (result,)
    assert files(out)[result] == b"musa2"
    at.write_bytes(b"cuda")
    changes = [Change(result, b"musa", at), Change(name, remove=True, before=sha(b"cuda"))]
    assert commit_in_place(src, changes).written == (result,)
    assert undo(src).restored == (name,)
    assert files(src) == before


BAD_PATHS = {
    "parent": "../x",
    "inner parent": "a/../../x",
    "absolute": "/etc/x",
    "nul": "a\0b",
    "empty": "",
    "empty part": "a//b",
    "dot": "./a",
    "slash at the end": "a/",
    "our own folder": ".sigtrans/port.json",
    "256 bytes": "n" * 256,
    "256 bytes, 86 characters": "核" * 85 + "ab",
    "not a name": "\ud800",
    "4096 bytes": "/".join(["d" * 200] * 21),
}


@pytest.mark.parametrize("path", BAD_PATHS.values(), ids=BAD_PATHS)
@pytest.mark.parametrize("in_place", [False, True], ids=["copy", "in-place"])
def test_paths_that_are_refused(src: Path, out: Path, path: str, in_place: bool) -> None:
    before = files(src)
    changes = [Change("good", b"1"), Change(path, b"2")]
    with pytest.raises(SigtransError):
        if in_place:
            commit_in_place(src, changes)
        else:
            commit_copy(src, out, changes, state=b"")
    assert files(src) == before
    assert sorted(p.name for p in src.parent.iterdir()) == ["src"]
    assert not (src / ".sigtrans").exists()


@pytest.mark.parametrize("mode", [0o751, 0o600, 0o444, 0o4755, 0o777])
def test_modes_are_kept_whatever_the_umask(src: Path, out: Path, mode: int) -> None:
    (src / "a.cu").chmod(mode)
    (src / "sub" / "b.h").chmod(mode)
    port(src, out)
    for name in ("a.mu", "sub/b.h"):
        assert stat.S_IMODE((out / name).stat().st_mode) == mode
    assert port(src, out).unchanged == 2


def test_a_private_tree_gives_a_private_port(src: Path, out: Path) -> None:
    src.chmod(0o700)
    (src / "sub").chmod(0o750)
    port(src, out)
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert stat.S_IMODE((out / "sub").stat().st_mode) == 0o750


BYTES = {
    "empty": b"",
    "crlf": b"a\r\nb\r\n",
    "lone cr": b"a\rb",
    "bom": b"\xef\xbb\xbfx",
    "nul": b"\0" * 9,
    "latin-1": b"\xe9",
    "no last newline": b"x",
    "over two chunks": b"0123456789abcdef" * (3 << 16),
}


@pytest.mark.parametrize("data", BYTES.values(), ids=BYTES)
def test_bytes_come_through_as_they_are(src: Path, out: Path, data: bytes) -> None:
    (src / "copied").write_bytes(data)
    commit_copy(
        src, out, [Change("copied", origin=src / "copied"), Change("made", data)], state=b""
    )
    assert files(out) == {"copied": data, "made": data}


def make_fifo(at: Path) -> None:
    os.mkfifo(at)


def make_socket(at: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(at.parent)  # the names of sockets are short
        made.bind(at.name)
        os.chdir(here)


@pytest.mark.parametrize("make", [make_fifo, make_socket, Path.mkdir])
def test_what_is_no_file_is_refused(src: Path, out: Path, make: Callable[[Path], None]) -> None:
    make(src / "odd")
    with pytest.raises(SigtransError, match=r"odd: is a (FIFO|folder).*not a file"):
        commit_copy(src, out, [Change("odd", origin=src / "odd")], state=b"")
    assert not out.exists()
    with pytest.raises(SigtransError, match=r"odd: is a (FIFO|folder).*not a file"):
        commit_in_place(src, [Change("odd", b"", before=sha(b""))])


def test_a_missing_origin_is_named(src: Path, out: Path) -> None:
    with pytest.raises(SigtransError, match=r"gone\.h: is gone since the run began"):
        commit_copy(src, out, [Change("gone.h", origin=src / "gone.h")], state=b"")
    assert not out.exists()


def test_two_files_that_land_on_one_name_are_refused(src: Path, out: Path) -> None:
    with pytest.raises(SigtransError, match="two files land here"):
        commit_copy(src, out, [Change("x", b"1"), Change("x", b"2")], state=b"")
    assert not out.exists()


def test_a_file_where_another_needs_a_folder_is_refused(src: Path, out: Path) -> None:
    with pytest.raises(SigtransError):
        commit_copy(src, out, [Change("x", b"1"), Change("x/y", b"2")], state=b"")
    assert not out.exists()


# --- in place ------------------------------------------------------------------------------------

OLD = b"cudaFree(p);\r\n"
RENAME = [
    Change("a.mu", b"musaFree(p);\r\n"),
    Change("a.cu", remove=True, before=sha(OLD)),
    Change("sub/b.h", b"edited", before=sha(b"left alone")),
]


def test_in_place_and_back(src: Path) -> None:
    (src / "a.cu").chmod(0o751)
    before, mode = files(src), (src / "sub" / "b.h").stat().st_mode
    rename = [Change("a.mu", b"musaFree(p);\r\n", src / "a.cu"), *RENAME[1:]]
    done = commit_in_place(src, rename, state=b"s")
    assert done == Committed(written=("a.mu", "sub/b.h"), removed=("a.cu",))
    assert files(src) == {"a.mu": b"musaFree(p);\r\n", "sub/b.h": b"edited"}
    assert stat.S_IMODE((src / "a.mu").stat().st_mode) == 0o751
    assert (src / "sub" / "b.h").stat().st_mode == mode
    assert store.read_state(src) == b"s"
    back = undo(src)
    assert (sorted(back.restored), back.removed) == (["a.cu", "sub/b.h"], ("a.mu",))
    assert files(src) == before
    assert stat.S_IMODE((src / "a.cu").stat().st_mode) == 0o751
    assert not (src / ".sigtrans").exists()


def test_undo_makes_files_newer_than_what_was_built_from_the_port(src: Path) -> None:
    os.utime(src / "sub" / "b.h", (1e9, 1e9))
    commit_in_place(src, RENAME)
    (src / "b.o").write_bytes(b"built from the port")
    undo(src)
    assert (src / "sub" / "b.h").stat().st_mtime >= (src / "b.o").stat().st_mtime


def test_undo_takes_back_only_the_last_port(src: Path) -> None:
    commit_in_place(src, RENAME)
    commit_in_place(src, [Change("sub/b.h", b"again", before=sha(b"edited"))])
    undo(src)
    assert files(src) == {"a.mu": b"musaFree(p);\r\n", "sub/b.h": b"edited"}
    with pytest.raises(SigtransError, match="nothing to undo"):
        undo(src)


def test_a_port_without_changes_keeps_the_last_undo(src: Path) -> None:
    before = files(src)
    commit_in_place(src, RENAME)
    same = Change("sub/b.h", b"edited", before=sha(b"edited"))
    assert commit_in_place(src, [same], state=b"x") == Committed(unchanged=1)
    undo(src)
    assert files(src) == before


@pytest.mark.parametrize("edit", ["edit", "delete", "recreate"])
def test_undo_after_an_edit_is_refused_unless_forced(src: Path, edit: str) -> None:
    before = files(src)
    commit_in_place(src, RENAME)
    name = {"edit": "sub/b.h", "delete": "a.mu", "recreate": "a.cu"}[edit]
    if edit == "delete":
        (src / name).unlink()
    else:
        (src / name).write_bytes(b"by hand")
    now = files(src)
    with pytest.raises(SigtransError, match=f"edited since the port: {name}"):
        undo(src)
    assert files(src) == now
    undo(src, force=True)
    assert files(src) == before


def test_forced_undo_of_new_files_that_are_gone(src: Path) -> None:
    commit_in_place(src, [Change("new", b"x")])
    (src / "new").unlink()
    undo(src, force=True)
    assert not (src / ".sigtrans").exists()


def test_undo_needs_a_port(src: Path) -> None:
    with pytest.raises(SigtransError, match="nothing to undo"):
        undo(src)
    assert not (src / ".sigtrans").exists()


def make_hard_link(src: Path) -> None:
    os.link(src / "sub" / "b.h", src.parent / "twin")


def make_read_only(src: Path) -> None:
    (src / "sub" / "b.h").chmod(0o444)


def make_edit(src: Path) -> None:
    (src / "sub" / "b.h").write_bytes(b"someone typed")


def make_gone(src: Path) -> None:
    (src / "sub" / "b.h").unlink()


def make_link_out(src: Path) -> None:
    (src.parent / "b.h").write_bytes(b"left alone")
    (src / "sub" / "b.h").unlink()
    (src / "sub" / "b.h").symlink_to("../../b.h")


def make_folder_link_out(src: Path) -> None:
    (src / "sub").rename(src.parent / "sub")
    (src / "sub").symlink_to("../sub")


def make_target_exist(src: Path) -> None:
    (src / "a.mu").write_bytes(b"hand-written MUSA")


def make_source_gone(src: Path) -> None:
    (src / "a.cu").unlink()


REFUSED = [
    (make_hard_link, r"sub/b\.h: has 2 hard links"),
    (make_read_only, r"sub/b\.h: is read-only"),
    (make_edit, r"sub/b\.h: changed while it was being ported"),
    (make_gone, r"sub/b\.h: changed while it was being ported"),
    (make_link_out, r"sub/b\.h: is a link that leads out"),
    (make_folder_link_out, r"sub/b\.h: a folder on the way leads out"),
    (make_target_exist, r"a\.mu: exists already"),
    (make_source_gone, r"a\.cu: changed while it was being ported"),
]


@pytest.mark.parametrize(
    ("make", "message"), REFUSED, ids=lambda case: getattr(case, "__name__", "")
)
def test_in_place_refusals_come_before_the_first_write(
    src: Path, make: Callable[[Path], None], message: str
) -> None:
    make(src)
    before = identities(src)
    with pytest.raises(SigtransError, match=message):
        commit_in_place(src, RENAME)
    after = identities(src)
    assert {p: v for p, v in after.items() if p != str(src)} == before
    assert not (src / ".sigtrans").exists()


def test_a_file_edited_after_its_check_is_refused(src: Path) -> None:
    def changes() -> Iterator[Change]:
        yield from RENAME
        (src / "sub" / "b.h").write_bytes(b"typed meanwhile")

    with pytest.raises(SigtransError, match=r"sub/b\.h: changed while it was being ported"):
        commit_in_place(src, changes())
    assert files(src) == {"a.cu": OLD, "sub/b.h": b"typed meanwhile"}


def test_two_names_of_one_file_are_refused(src: Path) -> None:
    (src / "alias").symlink_to("sub")
    twice = [RENAME[2], Change("alias/b.h", b"other", before=sha(b"left alone"))]
    with pytest.raises(SigtransError, match=r"alias/b\.h: is the same file as sub/b\.h"):
        commit_in_place(src, twice)
    assert files(src)["sub/b.h"] == b"left alone"


def test_extended_attributes_are_kept(src: Path) -> None:
    try:
        os.setxattr(src / "a.cu", "user.origin", b"lab 3")
    except OSError as fault:
        if fault.errno == errno.EOPNOTSUPP:
            pytest.skip("this file system has none")
        raise
    commit_in_place(src, [Change("a.mu", b"x", src / "a.cu"), RENAME[1]])
    assert os.getxattr(src / "a.mu", "user.origin") == b"lab 3"


def test_owner_is_kept_or_the_port_refused(src: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(src / "sub" / "b.h", 12345, 12346)
    commit_in_place(src, RENAME)
    here = (src / "sub" / "b.h").stat()
    assert (here.st_uid, here.st_gid) == (12345, 12346)


def test_where_links_cannot_be_made_copies_serve(
    src: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class NoLinks:
        def __getattr__(self, name: str) -> Any:
            return getattr(os, name)

        def link(self, *args: object, **options: object) -> None:
            raise OSError(errno.EPERM, "no links here")

    (src / "l").symlink_to("a.cu")
    before, stamp = files(src), (src / "a.cu").stat().st_mtime_ns
    monkeypatch.setattr(store, "_os", NoLinks())
    commit_in_place(src, [*RENAME, Change("l", remove=True)])
    assert (src / ".sigtrans" / "undo" / "old" / "1").stat().st_mtime_ns == stamp
    undo(src)
    assert files(src) == before


def test_many_files_are_synced_at_once(src: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_SYNC_EACH", 2)
    commit_in_place(src, RENAME)
    assert files(src)["sub/b.h"] == b"edited"


# --- recovery and locks --------------------------------------------------------------------------


def test_recover_on_anything_that_needs_none(src: Path, tmp_path: Path) -> None:
    before = identities(tmp_path)
    assert recover(src) is None
    assert recover(src / "a.cu") is None
    assert recover(tmp_path / "not-there") is None
    assert identities(tmp_path) == before


def begin(src: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A port in place that ends after its last rename, before the mark, without clean-up."""
    monkeypatch.setattr(store._Transaction, "__exit__", lambda *_: None)
    monkeypatch.setattr(store, "_sync_last", lambda *_: None)
    real = store._apply

    def apply_and_die(root: str, journal: store._Journal) -> None:
        real(root, journal)
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "_apply", apply_and_die)
    with pytest.raises(KeyboardInterrupt):
        commit_in_place(src, RENAME)
    monkeypatch.undo()


def test_recover_rolls_back(src: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(src)
    begin(src, monkeypatch)
    assert files(src) != before
    found = recover(src)
    assert found == store.Recovered("rolled back", 3)
    assert files(src) == before
    assert recover(src) is None


def test_an_edit_between_crash_and_recovery_is_moved_aside(
    src: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files(src)
    begin(src, monkeypatch)
    (src / "sub" / "b.h").write_bytes(b"typed after the crash")
    found = recover(src)
    assert found is not None
    assert files(src) == before
    assert [(src / kept).read_bytes() for kept in found.kept] == [b"typed after the crash"]


def test_an_edit_of_a_file_not_yet_ported_simply_stays(
    src: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_apply", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    monkeypatch.setattr(store._Transaction, "__exit__", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        commit_in_place(src, RENAME)
    monkeypatch.undo()
    (src / "sub" / "b.h").write_bytes(b"typed after the crash")
    assert recover(src) == store.Recovered("rolled back", 3)
    assert files(src) == {"a.cu": OLD, "sub/b.h": b"typed after the crash"}


def test_a_lock_on_a_file_taken_away_meanwhile_does_not_count(
    src: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when another process, done, removes the folder between our open and our lock."""
    lock = src.parent / "lock"
    real = fcntl.flock
    calls: list[int] = []

    def flock(fd: int, how: int) -> None:
        if not calls:
            lock.unlink()
        calls.append(fd)
        real(fd, how)

    monkeypatch.setattr("sigtrans.store.fcntl.flock", flock)
    fd = store._lock_file(str(lock), "x")
    assert os.fstat(fd).st_ino == lock.stat().st_ino
    assert len(calls) == 2
    os.close(fd)


def test_a_damaged_journal_is_never_guessed_at(src: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(src, monkeypatch)
    journal = src / ".sigtrans" / "txn" / "journal.json"
    journal.write_bytes(journal.read_bytes()[:-3])
    now = files(src)
    with pytest.raises(SigtransError, match=r"journal\.json: damaged.*put them back by hand"):
        recover(src)
    assert files(src) == now


def test_a_torn_draft_of_a_journal_means_nothing_had_begun(src: Path) -> None:
    txn = src / ".sigtrans" / "txn"
    (txn / "new").mkdir(parents=True)
    (txn / "new" / "0").write_bytes(b"half a fi")
    (txn / "draft.json").write_bytes(b"0123")
    before = files(src)
    assert recover(src) == store.Recovered("discarded")
    assert files(src) == before
    assert not (src / ".sigtrans").exists()


def test_a_stray_staging_folder_is_removed(src: Path, out: Path) -> None:
    stage = Path(store._hidden(str(out)))
    (stage / "sub").mkdir(parents=True)
    (stage / "sub" / "x").write_bytes(b"half")
    assert recover(out) == store.Recovered("discarded")
    assert [p.name for p in out.parent.iterdir()] == ["src"]


def in_child(work: Callable[[], object]) -> int:
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except SigtransError as refused:
            os._exit(3 if f"process {os.getppid()}" in str(refused) else 4)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_one_writer_at_a_time_and_the_other_is_named(src: Path, out: Path) -> None:
    port(src, out)
    with store.tree_lock(out):
        assert in_child(lambda: port(src, out)) == 3
        port(src, out)  # the holder itself may go on
    assert in_child(lambda: port(src, out)) == 0


def test_a_fresh_port_is_locked_too(src: Path, out: Path) -> None:
    def changes() -> Iterator[Change]:
        yield Change("x", b"1")
        assert in_child(lambda: port(src, out)) == 3
        yield Change("y", b"2")

    commit_copy(src, out, changes(), state=b"")
    assert files(out) == {"x": b"1", "y": b"2"}


def test_a_worker_that_lives_on_does_not_hold_the_lock(src: Path) -> None:
    reader, writer = os.pipe()
    with store.tree_lock(src):
        pid = os.fork()
        if pid == 0:
            os.close(writer)
            os.read(reader, 1)
            os._exit(0)
        fd = next(iter(store._held.values()))
        store._held.clear()
        os.close(fd)  # as if the parent had been killed: no unlock, only closed
    with store.tree_lock(src):
        pass
    os.close(writer)
    os.waitpid(pid, 0)
    os.close(reader)


def test_our_folder_must_be_a_folder(src: Path) -> None:
    (src / ".sigtrans").symlink_to(src.parent)
    with pytest.raises(SigtransError, match=r"\.sigtrans: is not a folder"):
        commit_in_place(src, RENAME)
    assert files(src)["a.cu"] == OLD


# --- single files --------------------------------------------------------------------------------


def test_write_file(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    store.write_file(target, b"one")
    target.chmod(0o640)
    store.write_file(target, b"two")
    assert target.read_bytes() == b"two"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    store.write_file(target, b"three", 0o600)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]


def test_write_file_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    store.write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_write_file_reuses_what_a_killed_run_left(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    Path(store._hidden(str(target)) + ".tmp").write_bytes(b"much longer than what comes")
    store.write_file(target, b"new")
    assert files(tmp_path) == {"report.json": b"new"}


def test_write_file_to_a_device(tmp_path: Path) -> None:
    store.write_file(Path("/dev/null"), b"gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(SigtransError, match="is a folder"):
        store.write_file(tmp_path, b"x")
    with pytest.raises(SigtransError, match="No such file"):
        store.write_file(tmp_path / "no" / "folder", b"x")


# --- laws ----------------------------------------------------------------------------------------

TREES = st.dictionaries(
    st.sampled_from(["a", "b.cu", "d/a", "d/b.cu", "d/e/f", "g/h"]),
    st.sampled_from([b"", b"cuda", b"x\r\n"]),
)


def write_tree(root: Path, tree: dict[str, bytes]) -> None:
    for path in sorted(root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    root.mkdir(exist_ok=True)
    for name, data in tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
        os.utime(root / name, (1e9, 1e9))  # of a file just saved no stamp is kept


@settings(max_examples=40, deadline=None)
@given(first=TREES, second=TREES, only=st.booleans())
def test_an_update_gives_what_a_fresh_port_gives(
    tmp_path_factory: pytest.TempPathFactory,
    first: dict[str, bytes],
    second: dict[str, bytes],
    only: bool,
) -> None:
    base = tmp_path_factory.mktemp("law")
    write_tree(base / "src", first)
    port(base / "src", base / "out")
    write_tree(base / "src", second)
    updated = port(base / "src", base / "out", only_changed=only)
    port(base / "src", base / "fresh", only_changed=only)
    assert files(base / "out") == files(base / "fresh")
    assert not updated.kept + updated.conflicts
    folders = [
        {p.relative_to(r) for r in [base / n] for p in r.rglob("*")} for n in ("out", "fresh")
    ]
    assert folders[0] == folders[1]
    record = json.loads((base / "out" / ".sigtrans" / "port.json").read_bytes())["files"]
    assert sorted(record) == sorted(files(base / "out"))
    before = identities(base / "out")
    assert port(base / "src", base / "out", only_changed=only).written == ()
    assert identities(base / "out") == before


@settings(max_examples=40, deadline=None)
@given(tree=TREES, new=TREES)
def test_undo_takes_a_port_back(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, bytes], new: dict[str, bytes]
) -> None:
    root = tmp_path_factory.mktemp("law") / "src"
    write_tree(root, tree)
    before = files(root)
    changes = [
        Change(path, data, before=sha(tree[path]) if path in tree else "")
        for path, data in new.items()
    ]
    changes += [
        Change(path, remove=True, before=sha(data))
        for path, data in tree.items()
        if path not in new
    ]
    done = commit_in_place(root, changes)
    assert files(root) == new
    if done.written or done.removed:
        undo(root)
    assert files(root) == before
    assert not (root / ".sigtrans").exists()
