"""The durable store: one SQLite file, written by one thread of its own.

A transaction is on the disk before `save` returns (WAL, `synchronous=FULL`). Each table has a log
of events with a chain of SHA-256 over them, since SQLite itself does not notice a flipped byte. A
log that is made short is written anew behind its own end: the chain goes on, and the table keeps
where its log starts. A lock beside the file keeps a second server away.
"""

import contextlib
import errno
import hashlib
import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from . import sqlite_schema as schema
from .condensing import condensed, is_due
from .effects import (
    CommandAnswered,
    Fact,
    PlayerForgotten,
    PlayerKnown,
    TableClosed,
    TableFact,
    TableOpened,
    TableSetAside,
)
from .facts import read_answer, read_event, write_answer, write_event
from .own_thread import OwnThread
from .players import ANSWERS_KEPT
from .store import StoreError, StoreFullError, seated

try:
    import fcntl
except ImportError:  # there is none on Windows, where SQLite's own locks must do
    fcntl = None  # type: ignore[assignment]

CLOSED_KEPT: Final = 500
"""Names of closed tables that are remembered, so that a late guest is told `gone`."""
WAL_BYTES_MAX: Final = 16 * 1024 * 1024
"""What a file of the WAL is cut down to, once it has been larger."""
LABELS_MAX: Final = 40


class SqliteStore:
    """Keeps facts in the file `path`, which is made if it does not exist.

    Its calls must come one at a time, as from one task.
    """

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._thread: Final = OwnThread("store")
        self._lock: _Lock | None = None
        self._database: sqlite3.Connection | None = None
        self._heads: dict[str, _Head] = {}

    async def load(self) -> Sequence[Fact]:
        """Open everything, and give what earlier runs have stored.

        Raises:
            StoreError: another server has the file, it is damaged, of a newer schema, or cannot be
                opened; the text is one line that says so.
        """
        return await self._thread.run(self._load)

    async def save(self, facts: Sequence[Fact]) -> None:
        """One transaction, durable on return.

        Raises:
            StoreFullError: nothing of it is stored.
            StoreError: writing or syncing failed: nobody knows what is on the disk.
        """
        await self._thread.run(lambda: self._save(facts))

    async def read(self, tables: Collection[str], players: Collection[int]) -> Sequence[Fact]:
        """What is stored of these tables and players, and of whoever has a seat there."""
        return await self._thread.run(lambda: self._read(tables, players))

    async def aclose(self) -> None:
        """Close the file and let the lock go."""
        await self._thread.run(self._close)
        self._thread.end()

    # --- opening --------------------------------------------------------------------------

    def _load(self) -> list[Fact]:
        self._lock = _Lock(self._path)
        with _told(f"cannot open {self._path}"):
            self._database = schema.open_database(self._path)
            self._database.execute(f"PRAGMA journal_size_limit={WAL_BYTES_MAX}")
            facts = [*self._facts(None, None)]
            self._note_damage(facts)
        return facts

    def _note_damage(self, facts: Sequence[Fact]) -> None:
        """Mark the tables whose log does not fit, so that their names are free from now on."""
        damaged = [fact for fact in facts if isinstance(fact, TableSetAside)]
        if damaged:
            self._save(damaged)

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    # --- reading --------------------------------------------------------------------------

    def _read(self, tables: Collection[str], players: Collection[int]) -> list[Fact]:
        with _told(f"cannot read {self._path}"):
            return [*self._facts(tables, players)]

    def _facts(
        self, names: Collection[str] | None, players: Collection[int] | None
    ) -> Iterator[Fact]:
        """Facts of these tables and players; None: all of them."""
        logs: list[Fact] = []
        for table, name, label, start, chain in self._rows(
            "SELECT number, name, label, start, start_chain FROM tables"
            " WHERE state = 'open' ORDER BY number"
        ):
            if names is None or name in names:
                logs += self._log(_Head(table, start, chain), name, label)
        (last_player,) = next(self._rows("SELECT last_player FROM counters"))
        yield PlayerForgotten(last_player)
        wanted = None if players is None else {*players, *seated(logs)}
        yield from self._players(wanted)
        yield from self._answers(wanted)
        if names is None:
            for (name,) in self._rows("SELECT name FROM tables WHERE state = 'closed'"):
                yield TableClosed(name)
        yield from logs

    def _players(self, wanted: Collection[int] | None) -> Iterator[Fact]:
        columns = "number, name, kind, confirmed_hash, newer_hashes, is_house"
        for row in self._of("players", "number", columns, "number", wanted):
            number, name, kind, confirmed, newer, is_house = row
            hashes = (confirmed, _split(newer))
            yield PlayerKnown(number, name, kind, *hashes, is_house=bool(is_house))

    def _answers(self, wanted: Collection[int] | None) -> Iterator[Fact]:
        columns = "player, command, serial, answer"
        for player, command, serial, answer in self._of(
            "answers", "player", columns, "player, serial", wanted
        ):
            # one that cannot be read is no longer kept: its command is `too_old`
            with contextlib.suppress(ValueError):
                yield read_answer(player, command, serial, answer)

    def _of(
        self, table: str, key: str, columns: str, order: str, wanted: Collection[int] | None
    ) -> Iterator[sqlite3.Row]:
        """Rows of these players; None: of all."""
        query = f"SELECT {columns} FROM {table}"  # noqa: S608 - constants of this file
        if wanted is None:
            yield from self._rows(f"{query} ORDER BY {order}")
            return
        for number in sorted(wanted):
            yield from self._rows(f"{query} WHERE {key} = ? ORDER BY {order}", (number,))

    def _log(self, start: "_Head", name: str, label: str) -> Sequence[Fact]:
        """The log of a table; that it is set aside, if the chain of its hashes is broken."""
        try:
            facts, head = self._read_log(start, name)
        except ValueError as error:
            return [TableSetAside(name, label, str(error))]
        self._heads[name] = head
        return facts

    def _read_log(self, start: "_Head", name: str) -> tuple[list[TableFact], "_Head"]:
        """The log of a table from its start on, and where it ends.

        Raises:
            ValueError: it does not fit its hashes, or cannot be read; the text says where.
        """
        head = start
        facts: list[TableFact] = []
        for n, event, chain in self._rows(
            "SELECT n, event, chain FROM events WHERE table_number = ? ORDER BY n", (start.table,)
        ):
            head = head.after(event)
            if n != head.count or chain != head.chain:
                raise ValueError(f"event {n} of its log does not fit its hash")
            try:
                facts.append(read_event(event, name))
            except ValueError:
                raise ValueError(f"event {n} of its log cannot be read") from None
        if not facts:
            raise ValueError("its log is empty")
        return facts, head

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> Iterator[sqlite3.Row]:
        return iter(self._open().execute(query, values))

    # --- writing --------------------------------------------------------------------------

    def _save(self, facts: Sequence[Fact]) -> None:
        database = self._open()
        heads: dict[str, _Head | None] = {}
        try:
            database.execute("BEGIN IMMEDIATE")
            for fact in facts:
                self._write(database, fact, heads)
            database.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            with contextlib.suppress(sqlite3.Error):
                if database.in_transaction:
                    database.execute("ROLLBACK")
            if _is_full(error):
                raise StoreFullError(f"no room for {self._path}") from error
            raise StoreError(f"the store {self._path} has failed: {_reason(error)}") from error
        for name, head in heads.items():
            if head is None:
                self._heads.pop(name, None)
            else:
                self._heads[name] = head

    def _write(
        self, database: sqlite3.Connection, fact: Fact, heads: dict[str, "_Head | None"]
    ) -> None:
        """Write one fact; `heads` are those of the transaction over those that are durable."""
        match fact:
            case CommandAnswered(player, command, serial):
                slot, answer = serial % ANSWERS_KEPT, write_answer(fact)
                database.execute(_ANSWERED, (player, slot, serial, command, answer))
            case TableOpened(name, label):
                database.execute("DELETE FROM tables WHERE name = ? AND state = 'closed'", (name,))
                opened = database.execute(
                    "INSERT INTO tables (name, label, state) VALUES (?, ?, 'open')", (name, label)
                )
                heads[name] = _Head(opened.lastrowid or 0)
                self._append(database, fact, heads)
            case TableClosed(name):
                self._forget_log(database, name, heads)
            case TableSetAside(name, _, reason):
                database.execute(
                    "UPDATE tables SET state = 'set aside', reason = ?"
                    " WHERE name = ? AND state = 'open'",
                    (reason, name),
                )
                heads[name] = None
            case TableFact(name):
                heads.setdefault(name, self._heads.get(name))
                self._append(database, fact, heads)
            case PlayerKnown(number):
                hashes = (fact.confirmed_hash, b"".join(fact.newer_hashes))
                database.execute(_KNOWN, (number, fact.name, fact.kind, *hashes, fact.is_house))
            case PlayerForgotten(number):
                database.execute("DELETE FROM players WHERE number = ?", (number,))
                database.execute("DELETE FROM answers WHERE player = ?", (number,))
                database.execute("UPDATE counters SET last_player = max(last_player, ?)", (number,))

    def _append(
        self, database: sqlite3.Connection, fact: TableFact, heads: dict[str, "_Head | None"]
    ) -> None:
        head = heads[fact.table]
        if head is None:
            raise StoreError(f"the store {self._path} knows no table for a fact")
        heads[fact.table] = head = _appended(database, head, write_event(fact))
        if is_due(head.count - head.start, head.kept, fact):
            heads[fact.table] = self._condense(database, fact.table, head)

    def _condense(self, database: sqlite3.Connection, name: str, head: "_Head") -> "_Head":
        """Write the log of a table anew behind its end, without what counts no more."""
        (row,) = self._rows("SELECT start, start_chain FROM tables WHERE number = ?", (head.table,))
        try:
            log, _ = self._read_log(_Head(head.table, *row), name)
        except ValueError:
            return head.shortened(head.start, head.count - head.start)  # the next start tells of it
        database.execute("DELETE FROM events WHERE table_number = ?", (head.table,))
        database.execute(
            "UPDATE tables SET start = ?, start_chain = ? WHERE number = ?",
            (head.count, head.chain, head.table),
        )
        end = head
        short = condensed(log)
        for fact in short:
            end = _appended(database, end, write_event(fact))
        return end.shortened(head.count, len(short))

    def _forget_log(
        self, database: sqlite3.Connection, name: str, heads: dict[str, "_Head | None"]
    ) -> None:
        database.execute(
            "DELETE FROM events WHERE table_number IN"
            " (SELECT number FROM tables WHERE name = ? AND state = 'open')",
            (name,),
        )
        database.execute(
            "UPDATE tables SET state = 'closed' WHERE name = ? AND state = 'open'", (name,)
        )
        database.execute(
            "DELETE FROM tables WHERE state = 'closed' AND number NOT IN"
            " (SELECT number FROM tables WHERE state = 'closed' ORDER BY number DESC LIMIT ?)",
            (CLOSED_KEPT,),
        )
        heads[name] = None

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            raise StoreError(f"the store {self._path} is not open")
        return self._database


_ANSWERED: Final = (
    "INSERT INTO answers (player, slot, serial, command, answer) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET serial = excluded.serial, command = excluded.command,"
    " answer = excluded.answer"
)
_KNOWN: Final = (
    "INSERT INTO players (number, name, kind, confirmed_hash, newer_hashes, is_house)"
    " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
    " confirmed_hash = excluded.confirmed_hash, newer_hashes = excluded.newer_hashes"
)


def _split(hashes: bytes) -> tuple[bytes, ...]:
    """Hashes that were joined."""
    size = hashlib.sha256().digest_size
    return tuple(hashes[at : at + size] for at in range(0, len(hashes), size))


class _Head:
    """Where the log of a table ends: how many events, and the hash over all that ever were.

    `start` events of these are no longer kept; `kept` were there when it was last made short.
    """

    __slots__ = ("chain", "count", "kept", "start", "table")

    def __init__(self, table: int, start: int = 0, chain: bytes | None = None) -> None:
        self.table: Final = table
        self.count = self.start = start
        self.chain = chain or hashlib.sha256(b"mexican-train table %d" % table).digest()
        self.kept = 0

    def after(self, event: bytes) -> "_Head":
        """The end, once this event is appended."""
        head = self.shortened(self.start, self.kept)
        head.count, head.chain = self.count + 1, hashlib.sha256(self.chain + event).digest()
        return head

    def shortened(self, start: int, kept: int) -> "_Head":
        """The same end of a log that starts there, and has so many events left."""
        head = _Head(self.table, start, self.chain)
        head.count, head.kept = self.count, kept
        return head


def _appended(database: sqlite3.Connection, head: _Head, event: bytes) -> _Head:
    """Write one event; the end of the log then."""
    head = head.after(event)
    database.execute(
        "INSERT INTO events (table_number, n, event, chain) VALUES (?, ?, ?, ?)",
        (head.table, head.count, event, head.chain),
    )
    return head


class _Lock:
    """Keeps every other server away from a file; the lock is a file beside it with our pid.

    Raises:
        StoreError: another process has it; names its pid.
    """

    def __init__(self, path: Path) -> None:
        beside = path.resolve()
        beside = beside.with_name(beside.name + ".lock")
        try:
            beside.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"cannot open {path}: {_reason(error)}") from error
        try:
            self._take()
        except BlockingIOError:
            holder = os.read(self._descriptor, LABELS_MAX).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            who = f" (pid {holder})" if holder.isdigit() else ""
            raise StoreError(f"another server{who} is using {path}") from None
        except OSError as error:
            os.close(self._descriptor)
            raise StoreError(f"cannot lock {path}: {_reason(error)}") from error

    def _take(self) -> None:
        if fcntl is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, b"%d\n" % os.getpid())

    def release(self) -> None:
        """Let others have the file. The lock file stays: removing it would let two hold it."""
        os.close(self._descriptor)


@contextlib.contextmanager
def _told(what: str) -> Iterator[None]:
    """Turn what SQLite says of a file into a `StoreError` of one line."""
    try:
        yield
    except schema.SchemaError as error:
        raise StoreError(f"{what}: {error}") from error
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{what}: {_reason(error)}") from error


def _is_full(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in {errno.ENOSPC, errno.EDQUOT}
    return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL


def _reason(error: Exception) -> str:
    """Why, in a few words."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    told = {
        sqlite3.SQLITE_CORRUPT: "it is damaged; take the last backup",
        sqlite3.SQLITE_NOTADB: "it is no database of this program",
        sqlite3.SQLITE_BUSY: "another program has locked it",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened or made",
        sqlite3.SQLITE_READONLY: "it may not be written to",
        sqlite3.SQLITE_FULL: "the disk is full",
    }
    return told.get(code) or str(error)


def back_up(path: Path, to: Path) -> None:
    """Write a copy of a store, in use or not, to a new file that only its owner may read.

    Raises:
        StoreError: there is no such store, or the copy cannot be made; nothing is left behind.
    """
    if not path.is_file():
        raise StoreError(f"there is no store {path}")
    try:
        os.close(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise StoreError(f"cannot write {to}: {_reason(error)}") from error
    try:
        with _told(f"cannot copy {path}"):
            schema.copy(path, to)
    except BaseException:
        to.unlink(missing_ok=True)
        raise
