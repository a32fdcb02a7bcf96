"""The only module that writes into a user's trees: all of a port or none of it, never a torn file.

A new tree is written into a hidden folder beside its place and renamed there in one step. A tree
that exists is changed by a transaction that lives in its own `.sigtrans/` folder:

    txn/new/N         what file N becomes, complete and on disk, on the same file system
    txn/old/N         what it was: the very file (a second link), or a copy where links fail
    txn/journal.json  appears by one rename once both are safe; while it is there, roll back
    txn/done.json     the journal renamed once every file is in place; from then on, finish

Each step is one atomic call and can be repeated, so `recover` may itself be killed at any point.

After power loss the same holds: contents are on disk before the journal, the journal before the
first rename, the folders before the mark. Up to `_SYNC_EACH` files are synced one by one (which
reports a failing disk); beyond that, and for a whole new tree, one `sync` covers them all.

Paths are plain strings with `/` and file-system calls go through `_os`: a few thousand files have
to be written in a fraction of a second, and tests make each call fail, or be the last, in turn.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import abspath, basename, dirname, isabs, join, normpath, realpath, relpath
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import NamedTuple

from sigtrans.source import SigtransError

FOLDER = ".sigtrans"  # ours in every tree that we write; a port must not carry it along
NEW_VERSIONS = f"{FOLDER}/new"  # here lies the new version of a file that its user had edited

_os = os  # the seam

_MARK = f"{FOLDER}/port.json"
_STATE = f"{FOLDER}/state.json"
_TXN = f"{FOLDER}/txn"
_UNDO = f"{FOLDER}/undo"
_KEPT = f"{FOLDER}/kept"
_BARE = frozenset({".gitignore", "lock"})

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a FIFO must not block us
_CHUNK = 1 << 20
_SYNC_EACH = 256
_RECENT = 50_000_000  # ns; clocks of file systems tick in steps of up to 10 ms
_NO_LINKS = frozenset(
    {errno.EPERM, errno.EACCES, errno.EXDEV, errno.EMLINK, errno.ENOSYS, errno.EOPNOTSUPP}
)


@dataclass(frozen=True, slots=True)
class Change:
    """One file of a port: `data`, or a copy of `origin`, or what the last port wrote (neither).

    A symbolic link as `origin` without `data` is made again as a relative link, and follows its
    target when that is renamed; with `data` it becomes a file. In place, `before` is the digest of
    what is expected at `path` ("": nothing is there); a `remove` without it takes what is there.
    """

    path: str
    data: bytes | None = None
    origin: Path | str | None = None
    mode: int | None = None
    remove: bool = False
    before: str = ""


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit did, by path; files that were right already are only counted."""

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    kept: tuple[str, ...] = ()  # edited in the port since, or gone from it: nothing newer to offer
    conflicts: tuple[str, ...] = ()  # edited in the port and new here: see NEW_VERSIONS/<path>
    dangling: tuple[str, ...] = ()  # links whose target is not part of the port


@dataclass(frozen=True, slots=True)
class Recovered:
    """What an interrupted run left and how it was settled."""

    how: str  # "rolled back" | "finished" | "discarded" (nothing of the tree had been changed)
    files: int = 0
    kept: tuple[str, ...] = ()  # edited between crash and recovery: moved here, not lost


@dataclass(frozen=True, slots=True)
class Undone:
    """What `undo` put back and took away."""

    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


Stamp = tuple[int, int, int]  # inode, size, mtime: equal stamps, equal bytes
_UNKNOWN: Stamp = (0, 0, 0)


class _Entry(NamedTuple):
    """What we wrote at a path; `origin` is the stamp of the file it was copied from."""

    digest: str  # sha256, or "->" and the text of a link
    mode: int
    stamp: Stamp
    origin: Stamp


class _Op(NamedTuple):
    """One file of a transaction; an empty digest means that there is no file."""

    path: str
    old: str
    new: str


class _Journal(NamedTuple):
    """All that recovery has to know; `after` says what becomes of the old files."""

    after: str  # "keep" them for undo | "drop" them | "forget" these and the last undo
    folders: list[str]  # made by this transaction, parents first
    ops: list[_Op]


class _Content(NamedTuple):
    """What a change puts at its path, with everything about its origin looked up."""

    data: bytes | None
    origin: str
    link: str
    mode: int | None
    stamp: Stamp


# --- the commits -----------------------------------------------------------------------------


def commit_copy(
    source: Path,
    out: Path,
    changes: Iterable[Change],
    *,
    only_changed: bool = False,
    state: bytes | Callable[[], bytes],
) -> Committed:
    """Make `out` the port of `source`, complete or not at all; a port that is there is updated.

    An update writes what differs and removes what is gone. A file edited in the port since is
    never touched: a newer version of it goes to `.sigtrans/new/<path>` and the file is named.
    `changes` are taken one by one; a `state` that is a function is asked for after the last.
    """
    tree, target = realpath(source), realpath(out)
    if target == tree or _inside(target, tree) or _inside(tree, target):
        raise SigtransError(
            f"{out}: source and port must not lie inside each other; choose another place with -o"
        )
    with _refusing(target):
        recover(Path(target))
        here = _lstat(target)
        if here is None or not (stat.S_ISDIR(here.st_mode) and _os.listdir(target)):
            if here is not None and not stat.S_ISDIR(here.st_mode):
                raise SigtransError(f"{out}: is a file; choose another place with -o")
            return _commit_fresh(source, target, changes, only_changed, state)
        if _lstat(join(target, _MARK)) is None:
            raise SigtransError(
                f"{out}: is not empty and was not made by sigtrans; "
                "move it away or choose another place with -o"
            )
        return _commit_update(source, target, changes, only_changed, state)


def commit_in_place(root: Path, changes: Iterable[Change], *, state: bytes = b"") -> Committed:
    """Change files of `root` itself: all or none; what was there stays until the next port."""
    tree = realpath(root)
    with _refusing(tree):
        recover(Path(tree))
        with tree_lock(Path(tree)), _Transaction(tree) as txn:
            edit = _InPlace(tree, txn)
            _walk(root, changes, True, edit.put)
            if txn.ops and state:
                txn.store(_STATE, state)
            txn.commit("keep")
            return Committed(tuple(edit.written), tuple(edit.removed), edit.unchanged)


def undo(root: Path, *, force: bool = False) -> Undone:
    """Put back what the last port in place changed, byte for byte; edits since then refuse it."""
    tree = realpath(root)
    with _refusing(tree):
        recover(Path(tree))
        with tree_lock(Path(tree)), _Transaction(tree) as txn:
            journal = _read_journal(join(tree, _UNDO, "done.json"))
            if journal is None:
                raise SigtransError(f"{root}: nothing to undo: no port in place is recorded here")
            now = [_digest(join(tree, op.path)) for op in journal.ops]
            pairs = zip(journal.ops, now, strict=True)
            edited = [op.path for op, found in pairs if found != op.new]
            if edited and not force:
                raise SigtransError(
                    f"{root}: edited since the port: {_names(edited)}; "
                    "save those edits elsewhere, then undo with --force"
                )
            restored, removed = [], []
            for n, (op, found) in enumerate(zip(journal.ops, now, strict=True)):
                if op.old:
                    txn.restore(op.path, join(tree, _UNDO, "old", str(n)), found, op.old)
                    restored.append(op.path)
                elif found:
                    txn.remove(op.path, found, _lstat(join(tree, op.path)))
                    removed.append(op.path)
            if txn.ops:
                txn.commit("forget")
            else:  # with force: all of it is gone already
                _remove_tree(join(tree, _UNDO))
            return Undone(_users(restored), _users(removed))


def recover(root: Path) -> Recovered | None:
    """Settle what a killed run left at `root` or beside it; call it before reading the tree."""
    tree = realpath(root)
    with _refusing(tree):
        found = _recover_stage(tree)
        if not _is_folder(tree):
            return found
        ours = join(tree, FOLDER)
        if not _is_folder(ours):
            return found
        if _lstat(join(tree, _TXN)) is None:
            if set(_os.listdir(ours)) <= _BARE:  # killed before it began, or while tidying up
                with suppress(SigtransError), tree_lock(Path(tree)):
                    pass
            return found
        with tree_lock(Path(tree)):
            return _recover_transaction(tree) or found


def read_state(out: Path) -> bytes | None:
    """The `state` of the last commit to this tree."""
    try:
        return b"".join(_read(join(realpath(out), _STATE)))
    except FileNotFoundError:
        return None


def find_edited(out: Path) -> tuple[str, ...]:
    """Files of a port that no longer hold what the last run wrote: edited or deleted."""
    tree = realpath(out)
    with _refusing(tree):
        if _lstat(join(tree, _MARK)) is None:
            return ()
        return tuple(
            sorted(
                path
                for path, entry in _read_record(tree).items()
                if _current(join(tree, path), entry)[0] != entry.digest
            )
        )


def find_conflicts(out: Path) -> tuple[str, ...]:
    """New versions that still wait in NEW_VERSIONS, for files that the user had edited."""
    top = join(realpath(out), NEW_VERSIONS)
    found = [
        relpath(join(folder, name), top) for folder, _, names in os.walk(top) for name in names
    ]
    return tuple(sorted(found))


def write_file(path: Path, data: bytes, mode: int | None = None, *, parents: bool = False) -> None:
    """Replace one file (a report, say): the old bytes or the new ones, never a mixture."""
    target = realpath(path)
    with _refusing(target):
        if parents:
            _os.makedirs(dirname(target), exist_ok=True)
        here = _lstat(target)
        if here is not None and not stat.S_ISREG(here.st_mode):
            if stat.S_ISDIR(here.st_mode):
                raise SigtransError(f"{path}: is a folder; name a file")
            fd = _os.open(target, os.O_WRONLY | os.O_CLOEXEC)  # a device or a pipe: just write
            try:
                _write_all(fd, data)
            finally:
                _os.close(fd)
            return
        if mode is None and here is not None:
            mode = stat.S_IMODE(here.st_mode)
        temporary = _hidden(target) + ".tmp"  # always the same name: the next run reuses a stray
        fd = _lock_file(temporary, str(path))
        try:
            _os.ftruncate(fd, 0)
            _write_all(fd, data)
            if mode is not None:
                _os.fchmod(fd, mode)
            _os.fsync(fd)
            _os.rename(temporary, target)
        except BaseException:
            with suppress(OSError):
                _os.unlink(temporary)
            raise
        finally:
            _os.close(fd)
        _sync_last(dirname(target), target)


@contextmanager
def scratch_folder(files: Mapping[str, bytes]) -> Iterator[Path]:
    """A folder of the system's temporary space with these files in it, gone at the end."""
    with TemporaryDirectory(prefix="sigtrans-") as folder:
        for name, data in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        yield Path(folder)


# --- a port beside its source ------------------------------------------------------------------


def _commit_fresh(
    source: Path,
    out: str,
    changes: Iterable[Change],
    only_changed: bool,
    state: bytes | Callable[[], bytes],
) -> Committed:
    tree, stage = realpath(source), _hidden(out)
    _os.makedirs(dirname(out), exist_ok=True)
    try:
        _os.mkdir(stage, _folder_mode(tree))
    except FileExistsError:
        raise SigtransError(f"{out}: another sigtrans is writing it; wait for that one") from None
    try:
        with tree_lock(Path(stage)):
            entries: dict[str, _Entry] = {}
            made = {""}

            def put(change: Change, content: _Content) -> None:
                path = change.path
                if content.data is None and not (content.origin or content.link):
                    raise SigtransError(f"{path}: there is no earlier port in {out} to keep")
                _make_folders(stage, path.rpartition("/")[0], made, tree)
                entries[path] = _create(f"{stage}/{path}", path, content)

            dangling = _walk(source, changes, only_changed, put)
            _create(join(stage, _STATE), _STATE, _plain(state() if callable(state) else state))
            _create(join(stage, _MARK), _MARK, _plain(_render_record(entries)))
            _os.sync()
            _os.rename(stage, out)
    except BaseException:
        with suppress(OSError):
            _remove_tree(stage)
        raise
    _sync_last(dirname(out), out)
    return Committed(written=tuple(entries), dangling=dangling)


def _commit_update(
    source: Path,
    out: str,
    changes: Iterable[Change],
    only_changed: bool,
    state: bytes | Callable[[], bytes],
) -> Committed:
    with tree_lock(Path(out)), _Transaction(out) as txn:
        update = _Update(_Folders(out), txn, _read_record(out))
        dangling = _walk(source, changes, only_changed, update.put)
        update.drop_the_rest()
        txn.store(_STATE, state() if callable(state) else state)
        txn.store(_MARK, _render_record(update.entries))
        txn.commit("drop")
        return Committed(
            tuple(update.written),
            tuple(update.removed),
            update.unchanged,
            tuple(update.kept),
            tuple(update.conflicts),
            dangling,
        )


@dataclass(slots=True)
class _Update:
    """Three versions of each file meet: what we wrote last, what is there now, what is new."""

    folders: _Folders
    txn: _Transaction
    record: dict[str, _Entry]
    entries: dict[str, _Entry] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    unchanged: int = 0
    offers: bool = field(init=False)

    def __post_init__(self) -> None:
        self.offers = _lstat(join(self.folders.root, NEW_VERSIONS)) is not None

    def put(self, change: Change, content: _Content) -> None:
        path = change.path
        last = self.record.get(path)
        place = self.folders.place(path)
        at = f"{self.folders.root}/{place}"
        now, here = _current(at, last)
        if content.data is None and not (content.origin or content.link):
            if last is None or not now:
                raise SigtransError(f"{path}: there is no earlier port of it to keep; run again")
            new = last.digest
            content = content._replace(mode=last.mode, stamp=last.origin)
        else:
            new = _new_digest(content, last)
            if content.mode is None and (last or here):
                mode = last.mode if last else stat.S_IMODE(here.st_mode) if here else None
                content = content._replace(mode=mode)
        mode = content.mode or 0
        same = last is not None and (new, mode) == (last.digest, last.mode)
        if now == new and here is not None and (same or stat.S_IMODE(here.st_mode) == mode):
            self.unchanged += 1
            self.entries[path] = _Entry(new, mode, _stamp(here), content.stamp)
            self._offer(path, None)
        elif now in ("", new) or (last is not None and now == last.digest):
            self.entries[path] = self.txn.write(place, content, now, here)
            self.written.append(path)
            self._offer(path, None)
        else:
            # The user's file stays; what was new is now known, so it is offered only once.
            self.entries[path] = _Entry(new, mode, _UNKNOWN, content.stamp)
            if last is not None and new == last.digest:
                self.kept.append(path)
                return
            self._offer(path, content)
            self.conflicts.append(path)

    def _offer(self, path: str, content: _Content | None) -> None:
        """Put the new version beside the user's; None withdraws one that has been settled."""
        if content is None and not self.offers:
            return
        beside = f"{NEW_VERSIONS}/{path}"
        at = join(self.folders.root, beside)
        here = _lstat(at)
        if content is not None:
            self.txn.write(beside, content, _digest(at, here), here)
        elif here is not None:
            self.txn.remove(beside, _digest(at, here), here)

    def drop_the_rest(self) -> None:
        """Remove what the last port had and this one has not, unless its user edited it."""
        for path in self.record.keys() - self.entries.keys():
            place = self.folders.place(path)
            now, here = _current(join(self.folders.root, place), self.record[path])
            if now == self.record[path].digest:
                self.txn.remove(place, now, here)
                self.removed.append(path)
            elif now:
                self.kept.append(path)
        self.removed.sort()


def _new_digest(content: _Content, last: _Entry | None) -> str:
    """Digest of what a change would write; a copy of an untouched file is not read again."""
    if content.link:
        return "->" + content.link
    if content.data is not None:
        return hashlib.sha256(content.data).hexdigest()
    if last is not None and content.stamp == last.origin != _UNKNOWN:
        return last.digest
    return _hash(content.origin)


def _current(at: str, last: _Entry | None) -> tuple[str, os.stat_result | None]:
    """Digest and status of what is there, without reading it when its stamp is the recorded one."""
    here = _lstat(at)
    if here is None:
        return "", None
    if last is not None and _stamp(here) == last.stamp:
        return last.digest, here
    return _digest(at, here), here


def _read_record(out: str) -> dict[str, _Entry]:
    raw = b"".join(_read(join(out, _MARK)))
    try:
        return {
            path: _Entry(digest, mode, (a, b, c), (d, e, f))
            for path, (digest, mode, (a, b, c), (d, e, f)) in json.loads(raw)["files"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SigtransError(
            f"{join(out, _MARK)}: damaged; move {out} away and port again"
        ) from None


def _render_record(entries: dict[str, _Entry]) -> bytes:
    record = {"format": 1, "files": entries}
    return json.dumps(record, check_circular=False, separators=(",", ":")).encode()


# --- a port in place ---------------------------------------------------------------------------


@dataclass(slots=True)
class _InPlace:
    """Checks each change against the tree; a refusal comes before anything is touched."""

    root: str
    txn: _Transaction
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    _folders: _Folders = field(init=False)
    _places: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._folders = _Folders(self.root)

    def put(self, change: Change, content: _Content) -> None:
        path = change.path
        place = self._folders.place(path)
        here = _lstat(join(self.root, place))
        if here is not None and stat.S_ISLNK(here.st_mode) and content.data is not None:
            place = self._through_link(path, place)
            here = _lstat(join(self.root, place))
        other = self._places.setdefault(place, path)
        if other != path:
            raise SigtransError(f"{path}: is the same file as {other}; exclude one of them")
        self._folders.check_writable(dirname(place))
        now = ""
        if here is not None:
            _check_replaceable(path, here)
            now = _digest(join(self.root, place), here)
        _check_expected(change, content, now)
        if change.remove:
            self.txn.remove(place, now, here)
            self.removed.append(path)
            return
        if content.data is None and not (content.origin or content.link):
            self.unchanged += 1
            return
        if content.mode is None and here is not None:
            content = content._replace(mode=stat.S_IMODE(here.st_mode))
        same_mode = here is not None and content.mode in (None, stat.S_IMODE(here.st_mode))
        if now == _new_digest(content, None) and same_mode:
            self.unchanged += 1
            return
        like = join(self.root, place) if here is not None else content.origin
        self.txn.write(place, content, now, here, like)
        self.written.append(path)

    def _through_link(self, path: str, place: str) -> str:
        target = realpath(join(self.root, place))
        if not _inside(target, self.root):
            raise SigtransError(f"{path}: is a link that leads out of the tree; exclude it")
        return target[len(self.root) + 1 :]


def _check_expected(change: Change, content: _Content, now: str) -> None:
    if change.before or (change.remove and not now):
        if now != change.before or not now:
            raise SigtransError(f"{change.path}: changed while it was being ported; run again")
        return
    pointed_anew = content.link and now.startswith("->")
    if now and not change.remove and not pointed_anew:
        raise SigtransError(f"{change.path}: exists already; move it away, then run again")


def _check_replaceable(path: str, here: os.stat_result) -> None:
    if stat.S_ISLNK(here.st_mode):
        return
    _check_regular(path, here)
    if here.st_nlink > 1:
        raise SigtransError(
            f"{path}: has {here.st_nlink} hard links, and a port in place would part them; "
            "make it a file of its own or exclude it"
        )
    if not here.st_mode & stat.S_IWUSR:
        raise SigtransError(f"{path}: is read-only; make it writable (chmod u+w) or exclude it")


# --- what both have in common --------------------------------------------------------------------


def _walk(
    source: Path,
    changes: Iterable[Change],
    only_changed: bool,
    put: Callable[[Change, _Content], None],
) -> tuple[str, ...]:
    """Check and resolve each change and hand it on; links come last, when all renames are known.

    Returns the links whose target is not among the files. One change at a time is in memory.
    """
    spelled, tree = abspath(source), realpath(source)
    begun = time.time_ns()
    seen: set[str] = set()
    renamed: dict[str, str] = {}
    links: list[tuple[Change, str]] = []
    homes: dict[str, str] = {}
    real: dict[str, str] = {spelled: tree, tree: tree}
    room = 4095 - len(os.fsencode(tree)) - len(FOLDER) - 32  # our own names are that much longer
    for change in changes:
        path = change.path
        _check_path(path, room)
        if path in seen:
            raise SigtransError(f"{path}: two files land here; rename or exclude one of them")
        seen.add(path)
        if change.remove:
            put(change, _Content(None, "", "", None, _UNKNOWN))
            continue
        origin, home = "", path
        if change.origin is not None:
            origin = os.fspath(change.origin)
            home = _home(origin, spelled, real, homes)
            if home != path:
                renamed[home] = path
        content = _resolve(change, origin, tree, begun)
        if content.link:
            links.append((change, home))
        elif home != path or content.data is not None or not (only_changed and origin):
            put(change, content)
    dangling = []
    reached = set(seen)
    for parent in {dirname(path) for path in seen} if links else ():
        while parent and parent not in reached:
            reached.add(parent)
            parent = dirname(parent)
    for change, home in links:
        origin = os.fspath(change.origin or "")
        text, target = _link_text(origin, home, change.path, tree, renamed)
        if only_changed and home == change.path and text == _os.readlink(origin):
            continue
        put(change, _Content(None, "", text, 0, _UNKNOWN))
        if target not in reached:
            dangling.append(change.path)
    return tuple(dangling)


def _resolve(change: Change, origin: str, tree: str, begun: int) -> _Content:
    """Look up mode and kind of the origin; `link` is set when it is a link to be made again."""
    if not origin:
        return _Content(change.data, "", "", change.mode, _UNKNOWN)
    try:
        found = _os.lstat(origin)
        if stat.S_ISLNK(found.st_mode):
            if change.data is None:
                return _Content(None, "", _os.readlink(origin), None, _UNKNOWN)
            _check_link(origin, origin, tree)
            found = _os.stat(origin)
    except FileNotFoundError:
        raise SigtransError(f"{origin}: is gone since the run began; run again") from None
    _check_regular(origin, found)
    mode = change.mode if change.mode is not None else stat.S_IMODE(found.st_mode)
    if change.data is not None:
        return _Content(change.data, origin, "", mode, _UNKNOWN)
    # A file saved just now could be saved again within one tick of the clock: no stamp for it.
    stamp = _stamp(found) if found.st_mtime_ns < begun - _RECENT else _UNKNOWN
    return _Content(None, origin, "", mode, stamp)


def _link_text(
    origin: str, home: str, path: str, tree: str, renamed: dict[str, str]
) -> tuple[str, str]:
    """Text of the link to make at `path`, and the file of the port that it points to."""
    text = _os.readlink(origin)
    real = _check_link(origin, home, tree)
    target = normpath(join(dirname(home), text))
    lexical = not isabs(text) and target.split("/", 1)[0] != ".."
    if not lexical:
        target = relpath(real, tree)
    moved = renamed.get(target, target)
    if lexical and moved == target and dirname(home) == dirname(path):
        return text, target
    return relpath(moved, dirname(path) or "."), moved


def _check_link(link: str, shown: str, tree: str) -> str:
    """Where the link ends, which must be inside the tree."""
    real = realpath(link)
    if real != tree and not _inside(real, tree):
        raise SigtransError(f"{shown}: is a link that leads out of the tree; exclude it")
    return real


def _home(origin: str, spelled: str, known: dict[str, str], homes: dict[str, str]) -> str:
    """Path of `origin` in the source tree, however that was spelled; looked up once a folder."""
    folder, _, name = origin.rpartition("/")
    home = homes.get(folder)
    if home is None:
        tree = known[spelled]
        real = _real_folder(folder, known)
        if real != tree and not _inside(real, tree):
            raise SigtransError(f"{origin}: lies outside of {tree}; it cannot be part of the port")
        home = real[len(tree) + 1 :]
        for root in (spelled, tree):
            if folder == root or _inside(folder, root):
                home = folder[len(root) + 1 :]
        homes[folder] = home
    return f"{home}/{name}" if home else name


def _real_folder(folder: str, known: dict[str, str]) -> str:
    """`realpath`, without looking again at the parents that are known."""
    real = known.get(folder)
    if real is None:
        above, _, name = folder.rpartition("/")
        parent = known.get(above)
        if parent is None or name in ("", ".", ".."):
            real = realpath(folder or "/")
        else:
            real = f"{parent}/{name}"
            found = _lstat(real)
            if found is not None and stat.S_ISLNK(found.st_mode):
                real = realpath(real)
        known[folder] = real
    return real


def _check_path(path: str, room: int) -> None:
    parts = path.split("/")
    if "\0" in path or parts[0] == FOLDER or not {"", ".", ".."}.isdisjoint(parts):
        raise SigtransError(f"{path!r}: is not the path of a file inside the tree; exclude it")
    if len(path) <= min(room, 255) and path.isascii():
        return
    try:
        longest = max(len(os.fsencode(part)) for part in parts)
        whole = len(os.fsencode(path))
    except UnicodeEncodeError:
        raise SigtransError(f"{path!r}: cannot be a file name here; exclude it") from None
    if longest > 255:
        raise SigtransError(
            f"{path}: the name has {longest} bytes, 255 are possible; shorten it, or exclude it"
        )
    if whole > room:
        raise SigtransError(f"{path}: the whole path is too long; port from a shorter folder")


def _check_regular(path: str, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = "folder" if stat.S_ISDIR(found.st_mode) else "FIFO, socket or device"
        raise SigtransError(f"{path}: is a {kind}, not a file; move it away or exclude it")


class _Folders:
    """Where paths of a tree really lie; each folder is resolved once."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._device = _os.stat(root).st_dev
        self._known = {root: root}
        self._places: dict[str, str] = {}
        self._writable: set[str] = set()

    def place(self, path: str) -> str:
        """The same path with links among its folders resolved; never one outside of the tree."""
        folder, _, name = path.rpartition("/")
        place = self._places.get(folder)
        if place is None:
            real = _real_folder(f"{self.root}/{folder}", self._known) if folder else self.root
            if real != self.root and not _inside(real, self.root):
                raise SigtransError(f"{path}: a folder on the way leads out of the tree")
            self._check_folder(folder, real)
            place = self._places[folder] = real[len(self.root) + 1 :]
        return f"{place}/{name}" if place else name

    def _check_folder(self, folder: str, real: str) -> None:
        try:
            found = _lstat(real)
            if found is None:
                return
            usable = stat.S_ISDIR(found.st_mode)
        except NotADirectoryError:
            usable = False
        if not usable:
            raise SigtransError(f"{folder}: a file lies where a folder is needed; move it away")
        if found is not None and found.st_dev != self._device:
            raise SigtransError(f"{folder}: lies on another file system; port it by itself")

    def check_writable(self, folder: str) -> None:
        """Refuse a folder in which files cannot be replaced."""
        if folder not in self._writable:
            full = join(self.root, folder)
            if _lstat(full) is not None and not _os.access(full, os.W_OK | os.X_OK):
                raise SigtransError(f"{folder or '.'}: cannot be written to; change its rights")
            self._writable.add(folder)


# --- transactions --------------------------------------------------------------------------------


class _Transaction:
    """Collects new files in `.sigtrans/txn`; the tree changes in `commit`, or not at all."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.ops: list[_Op] = []
        self._seen: list[Stamp | None] = []
        self._folder = join(root, _TXN)
        self._begun = False

    def __enter__(self) -> _Transaction:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if fault is None or _lstat_quiet(self._folder) is None:
            return
        try:
            _recover_transaction(self.root)
        except OSError as second:
            if self._begun:
                raise SigtransError(
                    f"{self.root}: {second.strerror} while writing ({_why(fault)}); "
                    "the tree is half-written: run sigtrans again and it will be put right"
                ) from fault

    def write(
        self,
        path: str,
        content: _Content,
        old: str,
        seen: os.stat_result | None,
        like: str = "",
    ) -> _Entry:
        """Make ready what `path` becomes; owner and attributes are those of `like`."""
        at = self._add(path, old, seen)
        sync = len(self.ops) < _SYNC_EACH
        entry = _create(at, path, content, like, sync)
        self.ops.append(_Op(path, old, entry.digest))
        return entry

    def store(self, path: str, data: bytes) -> None:
        """Make ready a file of our own, unless it holds just that."""
        at = join(self.root, path)
        here = _lstat(at)
        old = _digest(at, here) if here is not None else ""
        if old != hashlib.sha256(data).hexdigest():
            self.write(path, _plain(data), old, here)

    def restore(self, path: str, kept: str, old: str, new: str) -> None:
        """Make ready the very file that `kept` holds."""
        at = self._add(path, old, _lstat(join(self.root, path)))
        _retain(kept, at)
        if not new.startswith("->"):
            _os.utime(at)  # or a build would believe that objects made from the port are current
        self.ops.append(_Op(path, old, new))

    def remove(self, path: str, old: str, seen: os.stat_result | None) -> None:
        """Make ready the removal of `path`."""
        self._add(path, old, seen)
        self.ops.append(_Op(path, old, ""))

    def _add(self, path: str, old: str, seen: os.stat_result | None) -> str:
        if not self.ops and not self._seen:
            for folder in ("", "new", "old"):
                _os.mkdir(join(self._folder, folder))
        self._seen.append(_stamp(seen) if seen is not None else None)
        return join(self._folder, "new", str(len(self.ops)))

    def commit(self, after: str) -> None:
        """Keep what was, write the journal, put every file in place, mark it done, tidy up."""
        if not self.ops:
            return
        for n, op in enumerate(self.ops):
            at = join(self.root, op.path)
            here = _lstat(at)
            if (_stamp(here) if here is not None else None) != self._seen[n]:
                raise SigtransError(f"{op.path}: changed while it was being ported; run again")
            if op.old:
                _retain(at, join(self._folder, "old", str(n)))
        journal = _Journal(after, self._missing_folders(), self.ops)
        if len(self.ops) >= _SYNC_EACH:
            _os.sync()
        self._write_journal(journal)
        self._begun = True
        _apply(self.root, journal)
        done = join(self._folder, "done.json")
        _os.rename(join(self._folder, "journal.json"), done)
        _sync_last(self._folder, self.root)
        with suppress(OSError):  # done is done: what cannot be tidied now, the next run will
            _finish(self.root, journal)

    def _missing_folders(self) -> list[str]:
        missing: dict[str, None] = {}
        known: set[str] = set()
        for op in self.ops:
            folder = dirname(op.path)
            if not op.new or folder in known:
                continue
            known.add(folder)
            at = folder.find("/")
            while folder:
                part = folder if at < 0 else folder[:at]
                if part not in missing and _lstat(join(self.root, part)) is None:
                    missing[part] = None
                if at < 0:
                    break
                at = folder.find("/", at + 1)
        return list(missing)

    def _write_journal(self, journal: _Journal) -> None:
        body = json.dumps(journal).encode()
        head = hashlib.sha256(body).hexdigest().encode()
        draft = join(self._folder, "draft.json")
        _create(draft, draft, _plain(head + b"\n" + body), sync=True)
        for folder in ("new", "old"):
            _sync_folder(join(self._folder, folder))
        _os.rename(draft, join(self._folder, "journal.json"))
        _sync_folder(self._folder)
        _sync_folder(dirname(self._folder))
        _sync_folder(self.root)


def _apply(root: str, journal: _Journal) -> None:
    txn = join(root, _TXN)
    touched = {dirname(op.path) for op in journal.ops}
    for folder in journal.folders:
        _os.mkdir(join(root, folder))
        touched.add(dirname(folder))
    for n, op in enumerate(journal.ops):
        if op.new:
            _os.rename(join(txn, "new", str(n)), join(root, op.path))
        else:
            _os.unlink(join(root, op.path))
    for folder in sorted(touched):
        _sync_folder(join(root, folder))


def _roll_back(root: str, journal: _Journal) -> tuple[str, ...]:
    """Put every file back; may be cut short and repeated. Later edits of a user are moved aside."""
    txn = join(root, _TXN)
    kept: list[str] = []
    touched = {dirname(op.path) for op in journal.ops} | {dirname(f) for f in journal.folders}
    for n, op in reversed(list(enumerate(journal.ops))):
        at, old = join(root, op.path), join(txn, "old", str(n))
        if op.new:
            if _lstat(join(txn, "new", str(n))) is not None:
                continue  # it never got to its place
            found = _digest(at)
            if found not in ("", op.new, op.old):
                kept.append(_set_aside(root, op.path))
                found = ""
            if _lstat(old) is not None:
                _os.rename(old, at)
            elif found and not op.old:
                _os.unlink(at)
        elif _lstat(at) is None and _lstat(old) is not None:
            _os.rename(old, at)
    for folder in reversed(journal.folders):
        _remove_if_empty(join(root, folder))
    for folder in sorted(touched):
        if _lstat(join(root, folder)) is not None:
            _sync_folder(join(root, folder))
    _os.unlink(join(txn, "journal.json"))
    _sync_folder(txn)
    _remove_tree(txn)
    return tuple(kept)


def _finish(root: str, journal: _Journal) -> None:
    """What follows the mark `done`; may be cut short and repeated."""
    txn = join(root, _TXN)
    for op in journal.ops:
        folder = "" if op.new else dirname(op.path)
        while folder and _remove_if_empty(join(root, folder)):
            folder = dirname(folder)
    if journal.after != "drop":
        _remove_tree(join(root, _UNDO))
    if journal.after == "keep":
        _remove_tree(join(txn, "new"))
        _os.rename(txn, join(root, _UNDO))
    else:
        _remove_tree(txn)


def _recover_transaction(root: str) -> Recovered | None:
    txn = join(root, _TXN)
    journal = _read_journal(join(txn, "journal.json"))
    if journal is not None:
        kept = _roll_back(root, journal)
        return Recovered("rolled back", _count(journal), kept)
    journal = _read_journal(join(txn, "done.json"))
    if journal is not None:
        _finish(root, journal)
        return Recovered("finished", _count(journal))
    if _lstat(txn) is None:
        return None
    _remove_tree(txn)
    return Recovered("discarded")


def _recover_stage(out: str) -> Recovered | None:
    stage = _hidden(out)
    if _lstat(stage) is None:
        return None
    with tree_lock(Path(stage)):
        _remove_tree(stage)
    return Recovered("discarded")


def _read_journal(path: str) -> _Journal | None:
    try:
        head, _, body = b"".join(_read(path)).partition(b"\n")
    except FileNotFoundError:
        return None
    if hashlib.sha256(body).hexdigest().encode() != head:
        raise SigtransError(
            f"{path}: damaged by something other than sigtrans; the files as they were lie in "
            f"{join(dirname(path), 'old')}: put them back by hand, then remove {dirname(path)}"
        )
    after, folders, ops = json.loads(body)
    return _Journal(after, folders, [_Op(*op) for op in ops])


def _set_aside(root: str, path: str) -> str:
    n = 0
    while _lstat(join(root, _KEPT, str(n), path)) is not None:
        n += 1
    kept = f"{_KEPT}/{n}/{path}"
    _os.makedirs(join(root, dirname(kept)), exist_ok=True)
    _os.rename(join(root, path), join(root, kept))
    return kept


def _count(journal: _Journal) -> int:
    return len(_users(op.path for op in journal.ops))


def _users(paths: Iterable[str]) -> tuple[str, ...]:
    """Without our own files."""
    return tuple(path for path in paths if not path.startswith(f"{FOLDER}/"))


# --- locks ---------------------------------------------------------------------------------------

_held: dict[tuple[int, int], int] = {}  # device and inode of a lock file -> its descriptor


def _forget_locks() -> None:
    for fd in _held.values():
        os.close(fd)
    _held.clear()


# A worker that outlives a killed parent must not keep its lock.
os.register_at_fork(after_in_child=_forget_locks)


@contextmanager
def tree_lock(root: Path) -> Iterator[None]:
    """Only one process at a time writes to `root`; another one is refused, with its number."""
    tree = realpath(root)
    ours = join(tree, FOLDER)
    with _refusing(tree):
        fd = _take_lock(tree, ours)
    try:
        yield
    finally:
        if fd >= 0:
            _release_lock(ours, fd)


def _take_lock(tree: str, ours: str) -> int:
    """The descriptor that holds the lock, or -1 when this process has it already."""
    with suppress(FileExistsError):
        _os.mkdir(ours)
    if not _is_folder(ours):
        raise SigtransError(f"{ours}: is not a folder; move it away, sigtrans needs that name")
    with suppress(FileNotFoundError):
        here = _os.lstat(join(ours, "lock"))
        if (here.st_dev, here.st_ino) in _held:
            return -1
    fd = _lock_file(join(ours, "lock"), tree)
    try:
        _os.ftruncate(fd, 0)
        _write_all(fd, str(os.getpid()).encode())
        ignore = _os.open(
            join(ours, ".gitignore"), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666
        )
        try:
            if _os.fstat(ignore).st_size == 0:
                _write_all(ignore, b"*\n")
        finally:
            _os.close(ignore)
        found = _os.fstat(fd)
    except BaseException:
        _release_lock(ours, fd)
        raise
    _held[found.st_dev, found.st_ino] = fd
    return fd


def _release_lock(ours: str, fd: int) -> None:
    """Let go; a folder that holds nothing but the lock goes as well. No fault here matters."""
    for key in [key for key, value in _held.items() if value == fd]:
        del _held[key]
    with suppress(OSError):
        if set(_os.listdir(ours)) <= _BARE:
            _remove_tree(ours)
    with suppress(OSError):
        fcntl.flock(fd, fcntl.LOCK_UN)
    with suppress(OSError):
        _os.close(fd)


def _lock_file(path: str, shown: str) -> int:
    """Open and lock `path`; a file that was taken away while we waited for it does not count."""
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        fd = _os.open(path, flags, 0o666)
        try:
            mine = _os.fstat(fd)
            if not stat.S_ISREG(mine.st_mode) or mine.st_nlink > 1 or mine.st_uid != os.geteuid():
                raise SigtransError(f"{path}: is not a file of ours; move it away")
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            here = _lstat(path)
            if here is not None and (here.st_dev, here.st_ino) == (mine.st_dev, mine.st_ino):
                return fd
        except BlockingIOError:
            pid = _os.read(fd, 20).decode("ascii", "replace")
            who = f" (process {pid})" if pid.isdigit() else ""
            with suppress(OSError):
                _os.close(fd)
            raise SigtransError(
                f"{shown}: another sigtrans{who} is writing here; wait for it or end it"
            ) from None
        except BaseException:
            with suppress(OSError):
                _os.close(fd)
            raise
        _os.close(fd)


# --- files ---------------------------------------------------------------------------------------


def _create(at: str, shown: str, content: _Content, like: str = "", sync: bool = False) -> _Entry:
    """Make a new file or link at `at`, which must not exist."""
    if content.link:
        _os.symlink(content.link, at)
        return _Entry("->" + content.link, 0, _stamp(_os.lstat(at)), _UNKNOWN)
    data, mode = content.data, content.mode
    try:
        fd = _os.open(at, _CREATE, 0o666 if mode is None else 0o600)
        try:
            digest, size = hashlib.sha256(), 0
            for chunk in (data,) if data is not None else _read(content.origin):
                digest.update(chunk)
                _write_all(fd, chunk)
                size += len(chunk)
            if like:
                _keep_attributes(like, fd, shown)
            if mode is not None:
                _os.fchmod(fd, mode)
            if sync:
                _os.fsync(fd)
            made = _os.fstat(fd)
            if made.st_size != size:
                raise OSError(errno.EIO, "was cut short")
        finally:
            _os.close(fd)
    except OSError as fault:
        raise SigtransError(f"{shown}: {fault.strerror}; nothing was changed") from fault
    kept_mode = stat.S_IMODE(made.st_mode) if mode is None else mode
    return _Entry(digest.hexdigest(), kept_mode, _stamp(made), content.stamp)


def _plain(data: bytes) -> _Content:
    return _Content(data, "", "", None, _UNKNOWN)


def _keep_attributes(like: str, fd: int, shown: str) -> None:
    """Owner, group and extended attributes (access lists among them) of the file replaced."""
    was, now = _os.lstat(like), _os.fstat(fd)
    if stat.S_ISLNK(was.st_mode):
        return
    try:
        if (was.st_uid, was.st_gid) != (now.st_uid, now.st_gid):
            _os.chown(fd, was.st_uid, was.st_gid)
        if not hasattr(_os, "listxattr"):
            return  # only Linux has them in Python
        have = _os.listxattr(fd)
        for name in _os.listxattr(like):
            value = _os.getxattr(like, name)
            if name not in have or _os.getxattr(fd, name) != value:
                _os.setxattr(fd, name, value)
    except OSError as fault:
        if fault.errno == errno.EOPNOTSUPP:
            return
        raise SigtransError(
            f"{shown}: owner or attributes cannot be kept ({fault.strerror}); "
            "run as its owner or exclude it"
        ) from fault


def _retain(path: str, at: str) -> None:
    """Make `at` a second name of the file, or a faithful copy where that is not possible."""
    try:
        _os.link(path, at, follow_symlinks=False)
        return
    except OSError as fault:
        if fault.errno not in _NO_LINKS:
            raise
    here = _os.lstat(path)
    if stat.S_ISLNK(here.st_mode):
        _os.symlink(_os.readlink(path), at)
        return
    content = _Content(None, path, "", stat.S_IMODE(here.st_mode), _UNKNOWN)
    _create(at, path, content, path, sync=True)
    _os.utime(at, ns=(here.st_atime_ns, here.st_mtime_ns))


def _write_all(fd: int, data: bytes) -> None:
    at = 0
    while at < len(data):
        count = _os.write(fd, memoryview(data)[at:] if at else data)
        if count <= 0:
            raise OSError(errno.EIO, "nothing was written")
        at += count


def _read(path: str) -> Iterator[bytes]:
    """The bytes of a file in pieces; a file that changes meanwhile is refused."""
    fd = _os.open(path, _READ)
    try:
        before = _os.fstat(fd)
        size = 0
        while chunk := _os.read(fd, _CHUNK):
            size += len(chunk)
            yield chunk
        after = _os.fstat(fd)
        if (size, _stamp(before)) != (after.st_size, _stamp(after)):
            raise SigtransError(f"{path}: changed while it was being read; run again")
    finally:
        with suppress(OSError):  # nothing was written through it
            _os.close(fd)


def _hash(path: str) -> str:
    digest = hashlib.sha256()
    for chunk in _read(path):
        digest.update(chunk)
    return digest.hexdigest()


def _digest(path: str, here: os.stat_result | None = None) -> str:
    """What is at `path`: "" nothing, a digest, "->" and a link's text, "?" anything else."""
    here = here or _lstat(path)
    if here is None:
        return ""
    if stat.S_ISREG(here.st_mode):
        return _hash(path)
    return "->" + _os.readlink(path) if stat.S_ISLNK(here.st_mode) else "?"


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _lstat(path: str) -> os.stat_result | None:
    try:
        return _os.lstat(path)
    except FileNotFoundError:
        return None


def _lstat_quiet(path: str) -> os.stat_result | None:
    with suppress(OSError):
        return _lstat(path)
    return None


def _is_folder(path: str) -> bool:
    found = _lstat(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def _inside(path: str, folder: str) -> bool:
    return path.startswith(folder if folder.endswith("/") else folder + "/")


def _folder_mode(like: str) -> int:
    found = _lstat(like)
    return stat.S_IMODE(found.st_mode) | 0o700 if found else 0o777


def _make_folders(base: str, folder: str, made: set[str], like: str) -> None:
    """Make `folder` and its parents below `base`, as private as they are below `like`."""
    if folder in made:
        return
    at = -1
    while True:
        at = folder.find("/", at + 1)
        part = folder if at < 0 else folder[:at]
        if part not in made:
            _os.mkdir(f"{base}/{part}", _folder_mode(f"{like}/{part}"))
            made.add(part)
        if at < 0:
            return


def _hidden(path: str) -> str:
    """The name beside `path` under which it is made ready."""
    name = hashlib.sha256(os.fsencode(basename(path))).hexdigest()[:12]
    return join(dirname(path), f"{FOLDER}-{name}")


def _sync_folder(path: str) -> None:
    fd = _os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _os.fsync(fd)
    finally:
        _os.close(fd)


def _sync_last(folder: str, shown: str) -> None:
    """Sync the folder of a rename that completed the work: too late to say that nothing is done."""
    try:
        _sync_folder(folder)
    except PermissionError:
        return  # a folder that may not be listed cannot be synced either
    except OSError as fault:
        raise SigtransError(
            f"{shown}: written, but the disk reports: {fault.strerror}; check the disk"
        ) from fault


def _remove_if_empty(folder: str) -> bool:
    try:
        _os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError as fault:
        if fault.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY):
            return False
        raise
    return True


def _remove_tree(folder: str) -> None:
    """Remove a folder of ours, contents first; one that is gone already is fine."""
    found: list[str] = []
    left = [folder]
    while left:
        at = left.pop()
        found.append(at)
        with suppress(FileNotFoundError):
            for name in _os.listdir(at):
                path = join(at, name)
                if _is_folder(path):
                    left.append(path)
                else:
                    _os.unlink(path)
    for at in reversed(found):
        with suppress(FileNotFoundError):
            _os.rmdir(at)


@contextmanager
def _refusing(where: str) -> Iterator[None]:
    """A fault of the file system becomes one line for the user."""
    try:
        yield
    except OSError as fault:
        raise SigtransError(
            f"{fault.filename or where}: {fault.strerror or fault}; nothing was changed"
        ) from fault


def _why(fault: BaseException) -> str:
    return str(fault) or type(fault).__name__


def _names(paths: list[str]) -> str:
    more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
    return ", ".join(paths[:5]) + more
