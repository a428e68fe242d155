"""The schema of the durable store: its versions, and the way from each to the next.

`PRAGMA user_version` holds the version. An older file is copied beside itself and brought up to
date in one transaction; a newer one is refused.
"""

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from .sqlite_wal import lost_transactions

VERSION: Final = 3
APPLICATION: Final = 0x4D585472
"""Marks the file as ours (`PRAGMA application_id`)."""
BUSY_MS: Final = 5000

_CREATE: Final = """
CREATE TABLE counters (last_player INTEGER NOT NULL);
INSERT INTO counters VALUES (0);
CREATE TABLE players (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    confirmed_hash BLOB,
    newer_hashes BLOB NOT NULL,
    is_house INTEGER NOT NULL
);
CREATE TABLE answers (
    player INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    serial INTEGER NOT NULL,
    command INTEGER NOT NULL,
    answer BLOB NOT NULL,
    PRIMARY KEY (player, slot)
) WITHOUT ROWID;
CREATE TABLE tables (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'closed', 'set aside')),
    reason TEXT,
    start INTEGER NOT NULL DEFAULT 0,
    start_chain BLOB
);
CREATE UNIQUE INDEX open_tables ON tables (name) WHERE state = 'open';
CREATE TABLE events (
    table_number INTEGER NOT NULL,
    n INTEGER NOT NULL,
    event BLOB NOT NULL,
    chain BLOB NOT NULL,
    PRIMARY KEY (table_number, n)
) WITHOUT ROWID;
"""
# Version 1 kept every answer of a player under its command, without end.
_FROM_1: Final = """
ALTER TABLE answers RENAME TO answers_1;
CREATE TABLE answers (
    player INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    serial INTEGER NOT NULL,
    command INTEGER NOT NULL,
    answer BLOB NOT NULL,
    PRIMARY KEY (player, slot)
) WITHOUT ROWID;
INSERT OR REPLACE INTO answers
    SELECT player, serial % 32, serial, command, answer FROM (
        SELECT player, command, answer,
            row_number() OVER (PARTITION BY player ORDER BY command) - 1 AS serial
        FROM answers_1
    ) ORDER BY player, serial;
DROP TABLE answers_1;
ALTER TABLE tables ADD COLUMN reason TEXT;
"""
# Version 2 knew the newest token and, until that was seen in use, the one shown for it. Its logs
# were never made short, so each of them starts at event 1.
_FROM_2: Final = """
ALTER TABLE players RENAME TO players_2;
CREATE TABLE players (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    confirmed_hash BLOB,
    newer_hashes BLOB NOT NULL,
    is_house INTEGER NOT NULL
);
INSERT INTO players
    SELECT number, name, kind,
        coalesce(previous_hash, CASE length(token_hash) WHEN 0 THEN NULL ELSE token_hash END),
        CASE WHEN previous_hash IS NULL THEN x'' ELSE token_hash END,
        is_house
    FROM players_2;
DROP TABLE players_2;
ALTER TABLE tables ADD COLUMN start INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tables ADD COLUMN start_chain BLOB;
"""
_MIGRATIONS: Final[Mapping[int, str]] = {1: _FROM_1, 2: _FROM_2}
"""By version, what makes the next one of it."""


class SchemaError(Exception):
    """The file is no store of ours, or one of a newer program."""


def open_database(path: Path) -> sqlite3.Connection:
    """A store's connection, made or brought up to date where need be, for one thread at a time.

    Raises:
        SchemaError: as its name says.
        sqlite3.Error, OSError: it cannot be opened, or is damaged.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    path.chmod(0o600)
    _check_wal(path.resolve())
    database = _connect(str(path))
    try:
        _set_up(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _check_wal(path: Path) -> None:
    """Raise `SchemaError` if transactions are lost that were told to be durable."""
    wal = path.with_name(f"{path.name}-wal")
    if not wal.exists():
        return
    content = wal.read_bytes()
    lost = lost_transactions(content)
    # a server that begins the file anew meanwhile makes a mixture of what is read here
    if lost > 1 and wal.read_bytes() == content:
        raise SchemaError(
            f"{wal.name} beside it is damaged, and {lost} changes in there cannot be read; take "
            "the last backup, or remove that file to go on without them"
        )


def _connect(where: str, *, uri: bool = False) -> sqlite3.Connection:
    database = sqlite3.connect(where, isolation_level=None, check_same_thread=False, uri=uri)
    database.execute(f"PRAGMA busy_timeout={BUSY_MS}")
    return database


def _set_up(database: sqlite3.Connection, path: Path) -> None:
    version, application = _number(database, "user_version"), _number(database, "application_id")
    is_empty = _number(database, "schema_version") == 0 and version == 0
    if not is_empty and application != APPLICATION:
        raise SchemaError("it is no database of this program")
    if version > VERSION:
        raise SchemaError(
            f"its schema is version {version}, and this program knows versions up to {VERSION}: "
            "use a newer mt-server"
        )
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    if is_empty:
        _change(database, _CREATE, f"PRAGMA application_id={APPLICATION}")
        return
    _check(database)
    if version < VERSION:
        _keep_older(path, version)
        for step in range(version, VERSION):
            _change(database, _MIGRATIONS[step], f"PRAGMA user_version={step + 1}")


def _check(database: sqlite3.Connection) -> None:
    """Raise `sqlite3.DatabaseError` if the pages of the file do not fit together."""
    (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise SchemaError("it is damaged; take the last backup")


def _change(database: sqlite3.Connection, *scripts: str) -> None:
    """Run all of this as one transaction, which also sets the version."""
    joined = "\n".join(f"{script.rstrip().rstrip(';')};" for script in scripts)
    if "user_version" not in joined:
        joined += f"PRAGMA user_version={VERSION};"
    try:
        database.executescript(f"BEGIN IMMEDIATE;{joined}COMMIT;")
    except sqlite3.Error:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _keep_older(path: Path, version: int) -> None:
    """Copy the file as it is before its first change, to `PATH.schema-N`."""
    beside = path.with_name(f"{path.name}.schema-{version}")
    if not beside.exists():
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        copy(path, beside)


def copy(path: Path, to: Path) -> None:
    """Copy a database as one moment saw it into `to`, an empty file; durable on return.

    Raises:
        SchemaError: it is none of ours, or not whole.
    """
    _check_wal(path.resolve())
    with closing(_connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        if _number(database, "application_id") != APPLICATION:
            raise SchemaError("it is no database of this program")
        database.execute("VACUUM INTO ?", (str(to),))
    descriptor = os.open(to, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _number(database: sqlite3.Connection, pragma: str) -> int:
    (value,) = database.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)
