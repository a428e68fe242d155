"""The durable store: what is saved comes back, and every fault is told in one line."""

import os
import resource
import sqlite3
import stat
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, closing
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio
from mexican_train.engine import RuleSet
from mexican_train.protocol import (
    CreateTable,
    Declined,
    Draw,
    Goodbye,
    Hello,
    JoinTable,
    ListTables,
    Pass,
    Ping,
    Play,
    Pong,
    Refused,
    TableNews,
    Update,
    WatchTable,
    Welcome,
)
from mexican_train.server import MemoryStore, SqliteStore, StoreError, StoreFullError
from mexican_train.server.effects import (
    CommandAnswered,
    Fact,
    MoveMade,
    PlayerForgotten,
    PlayerKnown,
    TableClosed,
    TableFact,
    TableSetAside,
)
from mexican_train.server.players import ANSWERS_KEPT
from mexican_train.server.playing import Playing
from mexican_train.server.sqlite_store import back_up
from trio.testing import MockClock

OpenHall = Callable[..., Awaitable[Any]]
ONE_ROUND = RuleSet.preset("classic").with_options({"game.rounds": 1})
VERSION = 3
OLDER = {
    version: Path(__file__).with_name(f"schema_{version}.sql") for version in range(1, VERSION)
}


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[tuple[SqliteStore, Sequence[Fact]]]:
    """A store, with what it held."""
    store = SqliteStore(path)
    facts = await store.load()
    yield store, facts
    await store.aclose()


async def fault(path: Path) -> str:
    """The one line of a store that cannot be opened; afterwards nothing of it is open."""
    store = SqliteStore(path)
    with pytest.raises(StoreError) as raised:
        await store.load()
    await store.aclose()
    assert "\n" not in str(raised.value)
    return str(raised.value)


def played(desk: Any, moves: int = 60) -> list[Fact]:
    """The facts of two games under way."""
    random = Random(5)
    for table in ("good", "bad"):
        desk.open(table, seats=2, rules=ONE_ROUND)
        players = [desk.enter(f"{table} {letter}") for letter in "ab"]
        for player in players:
            desk.send(player, JoinTable, table=table)
        for _ in range(moves // 2):
            seat = desk.update(players[0]).view.to_act
            if seat is not None:
                desk.act(players[seat], random.choice(desk.update(players[seat]).choices))
    return [*desk.saved]


def change(path: Path, statement: str, *values: object) -> None:
    """Tamper with a store behind its back."""
    with closing(sqlite3.connect(path)) as database, database:
        assert database.execute(statement, values).rowcount != 0


async def test_what_is_saved_comes_back_in_order(desk: Any, tmp_path: Path) -> None:
    facts = played(desk)
    async with opened(tmp_path / "s.db") as (store, before):
        assert before == [PlayerForgotten(0)]
        for fact in facts:
            await store.save([fact])
    memory = MemoryStore()
    await memory.save(facts)
    async with opened(tmp_path / "s.db") as (store, after):
        assert [_plain(fact) for fact in after] == [_plain(fact) for fact in await memory.load()]
        some = await store.read(["good"], [4])
        assert [_plain(fact) for fact in some] == [
            _plain(fact) for fact in await memory.read(["good"], [4])
        ]


def _plain(fact: Any) -> Any:
    """A fact by its fields, lists and tuples alike."""
    options = getattr(fact, "options", None)
    values = {name: getattr(fact, name) for name in fact.__struct_fields__}
    if options is not None:
        values["options"] = RuleSet.from_mapping(options).hash
    return type(fact), values


async def test_the_last_32_answers_of_a_player_are_kept(tmp_path: Path) -> None:
    async with opened(tmp_path / "s.db") as (store, _):
        await store.save([PlayerKnown(1, "ann", "person", None, ())])
        await store.save([CommandAnswered(1, 7 * n, n, "ok") for n in range(100)])
    async with opened(tmp_path / "s.db") as (_, facts):
        commands = [fact.command for fact in facts if isinstance(fact, CommandAnswered)]
        assert commands == [7 * n for n in range(100 - ANSWERS_KEPT, 100)]


async def test_a_closed_table_leaves_its_name_and_a_forgotten_player_a_number(
    desk: Any, tmp_path: Path
) -> None:
    """What is over takes no room; a number is never given twice."""
    async with opened(tmp_path / "s.db") as (store, _):
        await store.save(played(desk))
        await store.save([TableClosed("bad"), PlayerForgotten(9)])
    with closing(sqlite3.connect(tmp_path / "s.db")) as database:
        (tables,) = database.execute("SELECT count(DISTINCT table_number) FROM events").fetchone()
    assert tables == 1
    async with opened(tmp_path / "s.db") as (_, facts):
        assert TableClosed("bad") in facts
        assert PlayerForgotten(9) in facts
        assert not any(isinstance(fact, MoveMade) and fact.table == "bad" for fact in facts)


async def test_only_the_owner_may_read_any_file_of_it(desk: Any, tmp_path: Path) -> None:
    path = tmp_path / "folder" / "s.db"
    async with opened(path) as (store, _):
        await store.save(played(desk))
        files = list(path.parent.iterdir())
        assert {each.name for each in files} == {"s.db", "s.db-wal", "s.db-shm", "s.db.lock"}
        assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        database = store._open()
        assert database.execute("PRAGMA synchronous").fetchone() == (2,)
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


# --- faults at the start ------------------------------------------------------------------


async def test_a_second_server_is_told_the_pid_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    link = tmp_path / "link.db"
    async with opened(path):
        link.symlink_to(path)
        for same in (path, link):
            assert await fault(same) == f"another server (pid {os.getpid()}) is using {same}"
    async with opened(path):
        pass


async def test_a_file_locked_by_another_program_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mexican_train.server.sqlite_schema.BUSY_MS", 1)
    path = tmp_path / "s.db"
    async with opened(path):
        pass
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        assert await fault(path) == f"cannot open {path}: another program has locked it"


async def test_a_newer_schema_is_refused_with_both_versions(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with opened(path):
        pass
    change(path, "PRAGMA user_version=7")
    content = path.read_bytes()
    line = await fault(path)
    assert "version 7" in line
    assert f"up to {VERSION}" in line
    assert path.read_bytes() == content


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\0" + bytes(99)])
async def test_a_file_of_something_else_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(content)
    assert str(path) in await fault(path)
    assert path.read_bytes() == content


async def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE birds (name)")
    content = path.read_bytes()
    assert await fault(path) == f"cannot open {path}: it is no database of this program"
    assert path.read_bytes() == content


async def test_a_damaged_page_is_named(desk: Any, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with opened(path) as (store, _):
        await store.save(played(desk))
    content = bytearray(path.read_bytes())
    for page in range(4096, len(content), 4096):
        content[page : page + 8] = b"\xff" * 8
    path.write_bytes(content)
    assert "damaged" in await fault(path)


@pytest.fixture
async def killed(desk: Any, tmp_path: Path) -> Callable[[Callable[[bytes], bytes]], Path]:
    """Give a function that leaves the files of a server that was killed, the WAL changed."""
    path = tmp_path / "s.db"
    async with opened(path) as (store, _):
        for fact in played(desk):
            await store.save([fact])
        files = {name: (tmp_path / name).read_bytes() for name in ("s.db", "s.db-wal")}

    def left(harm: Callable[[bytes], bytes]) -> Path:
        path.write_bytes(files["s.db"])
        wal = path.with_name("s.db-wal")
        wal.write_bytes(harm(files["s.db-wal"]))
        path.with_name("s.db-shm").unlink(missing_ok=True)
        return path

    return left


def flipped(content: bytes, at: int) -> bytes:
    """The same with one byte changed."""
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


FRAME_BYTES = 24 + 4096


@pytest.mark.parametrize("at", [32 + 5, 32 + 5 * FRAME_BYTES + 10, 32 + 50 * FRAME_BYTES + 2000])
async def test_a_damaged_wal_is_named_and_left_alone(
    killed: Callable[[Callable[[bytes], bytes]], Path], at: int
) -> None:
    """SQLite itself would go on without all that follows, and nobody would know."""
    path = killed(lambda content: flipped(content, at))
    wal = path.with_name("s.db-wal")
    content = wal.read_bytes()
    for _ in range(2):
        line = await fault(path)
        assert "s.db-wal beside it is damaged" in line
        assert "last backup" in line
        with pytest.raises(StoreError, match="damaged"):
            back_up(path, path.with_name("copy.db"))
        assert not path.with_name("copy.db").exists()
        assert wal.read_bytes() == content
    wal.unlink()
    async with opened(path):
        pass


async def test_what_a_crash_leaves_of_a_wal_is_no_damage(
    killed: Callable[[Callable[[bytes], bytes]], Path], scale: Any
) -> None:
    """Cut off anywhere, or with one unfinished transaction at its end."""
    whole = killed(bytes)
    size = whole.with_name("s.db-wal").stat().st_size
    cuts = scale(20, 400)
    for number in range(cuts + 1):
        length = size * number // cuts
        async with opened(killed(lambda content, length=length: content[:length])):  # type: ignore[misc]
            pass
    async with opened(killed(lambda content: flipped(content, len(content) - 9))) as (_, facts):
        assert facts


async def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "s.db"
    assert await fault(path) == f"cannot open {path}: File exists"


async def test_a_flipped_byte_sets_one_table_aside(desk: Any, tmp_path: Path) -> None:
    """SQLite does not see it; the chain of hashes does, and the other table goes on."""
    path = tmp_path / "s.db"
    async with opened(path) as (store, _):
        await store.save(played(desk))
    with closing(sqlite3.connect(path)) as database:
        (event,) = database.execute(
            "SELECT event FROM events WHERE table_number = 2 AND n = 12"
        ).fetchone()
    content = path.read_bytes()
    place = content.rindex(event) + len(event) - 1
    path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for _ in range(2):
        async with opened(path) as (_, facts):
            tables = {fact.table for fact in facts if isinstance(fact, MoveMade)}
            aside = [fact for fact in facts if isinstance(fact, TableSetAside)]
        assert tables == {"good"}
        if aside:
            assert aside == [
                TableSetAside("bad", "bad", "event 12 of its log does not fit its hash")
            ]
    assert not aside, "the second time it is no news"
    with closing(sqlite3.connect(path)) as database:
        (kept,) = database.execute("SELECT count(*) FROM events WHERE table_number = 2").fetchone()
    assert kept > 12


@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM events WHERE table_number = 2 AND n = 5",
        "DELETE FROM events WHERE table_number = 2",
        "UPDATE events SET event = x'93A46D6F7665' WHERE table_number = 2 AND n = 9",
        "UPDATE events SET chain = zeroblob(32) WHERE table_number = 2 AND n = 9",
    ],
)
async def test_a_gap_or_a_change_in_a_log_is_found(desk: Any, tmp_path: Path, harm: str) -> None:
    path = tmp_path / "s.db"
    async with opened(path) as (store, _):
        await store.save(played(desk))
    change(path, harm)
    async with opened(path) as (_, facts):
        assert [fact.table for fact in facts if isinstance(fact, TableSetAside)] == ["bad"]


# --- versions and copies ------------------------------------------------------------------


@pytest.mark.parametrize("version", OLDER)
async def test_an_older_schema_opens_and_its_game_goes_on(
    make_desk: Any, tmp_path: Path, version: int
) -> None:
    """It is brought up to date in place, a copy of it stays beside it; all tokens still count."""
    path = tmp_path / "s.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(OLDER[version].read_text())
    desk = make_desk()
    async with opened(path) as (store, facts):
        desk.carry_out(desk.lobby.recover(facts, desk.now, 0.0))
        token = bytes.fromhex("d7a56d3cfcf9a44dc716691acdaba1b8a912646543c6977a5a43ac2753cf1017")
        ann = desk.hello("ann", token=token, last_event=80)
        update = desk.update(ann)
        assert (update.turn, update.last_event, update.view.round) == (62, 81, 2)
        assert sorted(desk.lobby._players[ann].answers) == list(range(1, 32))
        bob = desk.lobby._players[2]
        kept = (bob.confirmed_hash, *bob.newer_hashes)
        assert len(kept) == version, "its newest token was not seen in use by version 2"
        desk._ids[ann] = count(100)
        desk.act(ann, update.choices[0])
        await store.save(desk.saved)
    async with opened(path) as (_, facts):
        moves = [fact for fact in facts if isinstance(fact, MoveMade)]
        assert len(moves) == 61
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (VERSION,)
    copy = tmp_path / f"s.db.schema-{version}"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (version,)


async def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    """It is one transaction: the next program finds version 1 as it was."""
    path = tmp_path / "s.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(OLDER[1].read_text())
        database.execute("ALTER TABLE tables ADD COLUMN reason TEXT")
        before = list(database.iterdump())
    assert "cannot open" in await fault(path)
    with closing(sqlite3.connect(path)) as database:
        assert list(database.iterdump()) == before
        assert database.execute("PRAGMA user_version").fetchone() == (1,)


async def test_a_backup_of_a_store_in_use_is_a_store(desk: Any, tmp_path: Path) -> None:
    path, copy = tmp_path / "s.db", tmp_path / "copy.db"
    async with opened(path) as (store, _):
        await store.save(played(desk))
        back_up(path, copy)
        whole = await store.read(["good", "bad"], range(9))
        await store.save([TableClosed("bad")])
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    async with opened(copy) as (_, facts):
        assert [each for each in facts if isinstance(each, TableFact)] == [
            each for each in whole if isinstance(each, TableFact)
        ]


def test_a_backup_goes_over_nothing_and_leaves_no_half(tmp_path: Path) -> None:
    path, copy = tmp_path / "s.db", tmp_path / "copy.db"
    with pytest.raises(StoreError, match="there is no store"):
        back_up(path, copy)
    path.write_bytes(b"something else" * 400)
    with pytest.raises(StoreError, match="no database"):
        back_up(path, copy)
    assert not copy.exists()
    copy.write_text("mine")
    with pytest.raises(StoreError, match="File exists"):
        back_up(path, copy)
    assert copy.read_text() == "mine"


# --- faults while serving -----------------------------------------------------------------


def first_move(update: Update) -> tuple[type, dict[str, Any]]:
    """The command for the first choice, but for its id."""
    choice, turn = update.choices[0], {"turn": update.turn}
    if choice.do == "play":
        return Play, {"tile": choice.tile, "train": choice.train, **turn}
    return {"draw": Draw, "pass": Pass}[choice.do], turn


class Crowd:
    """Two bots at a table of a real server over a real store."""

    def __init__(self, hall: Any, peers: Sequence[Any]) -> None:
        self.hall = hall
        self.peers = peers

    @property
    def progress(self) -> Any:
        """The game as the server has it."""
        return self.hall.server.lobby._tables["t"].progress

    @property
    def update(self) -> Update:
        """The newest update that the seat to act has."""
        to_act = newest(self.peers[0]).view.to_act
        return next(each for each in map(newest, self.peers) if each.seat == to_act)

    async def move(self) -> Any:
        """Have the seat to act take its first choice; the answer, once both have seen it."""
        update = self.update
        kind, fields = first_move(update)
        answer = await self.peers[update.seat or 0].ask(kind, **fields)
        for peer in self.peers:
            while newest(peer).last_event < self.progress.last_event:
                await peer.until(Update)
        return answer


def newest(peer: Any) -> Update:
    """The newest update that somebody has."""
    update: Update = [each for each in peer.inbox if isinstance(each, Update)][-1]
    return update


async def gathered(open_hall: OpenHall, plan: Any, store: Any, **options: Any) -> Crowd:
    """Seat two bots at a table of a server that keeps its facts in `store`."""
    hall = await open_hall(
        store=store, tables=(plan(seats=2),), pace_seconds=0.0, between_seconds=0.0, **options
    )
    peers = [await hall.enter(name) for name in ("ann", "bob")]
    for peer in peers:
        await peer.ask(JoinTable, table="t")
    for peer in peers:
        await peer.until(Update)
    return Crowd(hall, peers)


def fill(store: SqliteStore) -> None:
    """Leave no room for another page; the WAL counts only at a checkpoint, so it is emptied."""
    database = store._open()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (pages,) = database.execute("PRAGMA page_count").fetchone()
    database.execute(f"PRAGMA max_page_count={pages}")


async def test_a_full_disk_refuses_moves_and_goes_on_when_there_is_room(
    open_hall: OpenHall, plan: Any, tmp_path: Path
) -> None:
    """Nobody has seen anything, every connection is kept, and nothing is lost."""
    store = SqliteStore(tmp_path / "s.db")
    crowd = await gathered(open_hall, plan, store)
    fill(store)
    answer: Any = None
    while not isinstance(answer, Declined):
        answer = await crowd.move()
    assert (answer.code, answer.retry) == ("storage_full", True)
    before = crowd.update
    assert (crowd.progress.turn, crowd.progress.last_event) == (before.turn, before.last_event)
    for _ in range(3):
        assert (await crowd.move()).code == "storage_full"
    late = crowd.hall.connect()
    await late.send(Hello(versions=(1, 1), kind="person", name="eve"))
    assert (await late.receive()).__class__ in {Welcome, Refused}
    assert isinstance(await crowd.peers[0].ask(Ping), Pong)
    assert len(crowd.hall.logged("no room to store anything")) >= 4
    store._open().execute("PRAGMA max_page_count=100000")
    for _ in range(10):
        answer = await crowd.move()
        assert isinstance(answer, Update), answer
    memory = await store.read(["t"], [])
    assert len([fact for fact in memory if isinstance(fact, MoveMade)]) > 10
    assert not crowd.hall.logged("command failed")


async def test_a_write_that_fails_stops_the_server_untold(
    open_hall: OpenHall, plan: Any, tmp_path: Path
) -> None:
    """Nobody knows what is on the disk then, so nobody is told anything more."""
    store = SqliteStore(tmp_path / "s.db")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.RaisesGroup(
        pytest.RaisesExc(StoreError, match="has failed"), flatten_subgroups=True
    ):
        async with trio.open_nursery() as nursery:
            crowd = await gathered(open_hall, plan, store, within=nursery)
            update = crowd.update
            mover = crowd.peers[update.seat or 0]
            size = (tmp_path / "s.db-wal").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
            try:
                kind, fields = first_move(update)
                await mover.send(kind(id=99, **fields))
                told = await mover.rest()
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            assert not [each for each in told if not isinstance(each, Goodbye)]


class Moody(MemoryStore):
    """A memory that is full when the test says so."""

    is_full = False
    takes_seconds = 0.0

    async def save(self, facts: Sequence[Fact]) -> None:
        await trio.sleep(self.takes_seconds)
        assert facts, "nothing is saved for nothing"
        if self.is_full:
            raise StoreFullError("no room")
        await super().save(facts)


async def test_a_full_store_undoes_whatever_it_was(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Any
) -> None:
    """A hello is refused, a seat is free again, a new table is none; all may be tried again."""
    store = Moody()
    hall = await open_hall(store=store, tables=(plan(seats=3),), pace_seconds=0.0)
    ann = await hall.enter("ann")
    looker = await hall.enter("looker", "watcher")
    await looker.ask(WatchTable, table="t")
    store.is_full = True
    bob = hall.connect()
    await bob.send(Hello(versions=(1, 1), kind="person", name="bob"))
    refused = await bob.receive()
    assert (type(refused), refused.code) == (Refused, "storage_full")
    assert (await ann.ask(JoinTable, table="t")).code == "storage_full"
    assert (await ann.ask(CreateTable, name="mine", bots=["greedy"])).code == "storage_full"
    listed = (await ann.ask(ListTables)).tables
    assert [(each.name, each.seats[0].kind, each.watchers) for each in listed] == [
        ("t", "empty", 1)
    ]
    assert len(hall.server.lobby._players) == 2
    store.is_full = False
    assert isinstance((await hall.enter("bob")).inbox[0], Welcome)
    assert isinstance(await ann.ask(JoinTable, table="t"), TableNews)
    assert isinstance(await looker.until(TableNews), TableNews)


async def test_what_comes_while_a_store_turns_out_to_be_full_is_undone_too(
    autojump_clock: MockClock, open_hall: OpenHall
) -> None:
    """Then nothing is left to be stored, and nothing is."""
    store = Moody()
    hall = await open_hall(store=store)
    ann, bob = await hall.enter("ann"), await hall.enter("bob")
    for peer in (ann, bob):
        assert isinstance(await peer.ask(Ping), Pong)
    store.is_full, store.takes_seconds = True, 1.0
    await ann.send(CreateTable(id=50, name="one"))
    await trio.sleep(0.5)
    await bob.send(CreateTable(id=50, name="two"))
    for peer in (ann, bob):
        assert (await peer.until(Declined)).code == "storage_full"
    await trio.sleep(5)
    store.is_full, store.takes_seconds = False, 0.0
    for peer, name in ((ann, "one"), (bob, "two")):
        await peer.send(CreateTable(id=60, name=name))
        assert isinstance(await peer.until(TableNews), TableNews)


async def test_bots_alone_outlive_a_full_store(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Any
) -> None:
    """House bots are declined, ask again, and play to the end when there is room."""
    store = Moody()
    table = plan(seats=3, bots=("greedy", "random", "greedy"), rules=ONE_ROUND)
    hall = await open_hall(store=store, tables=(table,), exits_when_done=True, pace_seconds=0.1)
    await trio.sleep(2)
    store.is_full = True
    await trio.sleep(60)
    assert not hall.logged("game over")
    assert len(hall.logged("no room to store anything")) < 400
    store.is_full = False
    await hall.server._stopping.wait()
    assert hall.logged("game over")
    assert not hall.logged("command failed")


async def test_a_table_that_raises_is_made_from_its_log_again(
    autojump_clock: MockClock,
    open_hall: OpenHall,
    plan: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The one connection ends, the others get the present state, and the game goes on."""
    crowd = await gathered(open_hall, plan, MemoryStore())
    before = crowd.update
    mover, other = crowd.peers[before.seat or 0], crowd.peers[1 - (before.seat or 0)]
    real = Playing._moved

    def raises(self: Playing, *arguments: Any) -> Any:
        monkeypatch.setattr(Playing, "_moved", real)
        raise ZeroDivisionError

    monkeypatch.setattr(Playing, "_moved", raises)
    kind, fields = first_move(before)
    await mover.send(kind(id=50, **fields))
    assert (await mover.rest())[-1].code == "internal"
    state = await other.until(Update)
    assert (state.turn, state.last_event) == (before.turn, before.last_event)
    assert len(crowd.hall.logged("command failed")) == 1
    name = mover.inbox[0].name
    again = await crowd.hall.enter(name, token=mover.inbox[0].token)
    assert again.inbox[0].last_id == 1
    resumed = await again.until(Update)
    assert resumed.hand == before.hand
    await again.send(kind(id=50, **fields))
    made = await again.until(lambda each: getattr(each, "answers", 0) == 50)
    assert isinstance(made, Update)


# --- the end of a game, and a crash after it ------------------------------------------------


async def played_out(nursery: trio.Nursery, open_hall: OpenHall, plan: Any, store: Any) -> Any:
    """Play one game to its end at a server that dies right after; what the first player had."""
    table = plan(seats=2, rules=ONE_ROUND.with_options({"set.max_pip": 6}))
    async with trio.open_nursery() as life:
        hall = await open_hall(life, store=store, tables=(table,), pace_seconds=0.0)
        peers = [await hall.enter(name) for name in ("ann", "bob")]
        for peer in peers:
            await peer.ask(JoinTable, table="t")
        for peer in peers:
            await peer.until(Update)
        crowd = Crowd(hall, peers)
        while newest(peers[0]).view.phase != "over":
            await crowd.move()
        life.cancel_scope.cancel()
    options = {"store": store, "tables": (table,), "pace_seconds": 0.0}
    return peers, await open_hall(nursery, exits_when_done=True, **options)


async def test_a_server_that_is_done_waits_a_moment_for_those_who_come_back(
    autojump_clock: MockClock, nursery: trio.Nursery, open_hall: OpenHall, plan: Any
) -> None:
    """After a crash: with `--exit-when-done` too they see how the game ended."""
    (ann, _), hall = await played_out(nursery, open_hall, plan, MemoryStore())
    began = trio.current_time()
    await trio.sleep(5)
    welcome = next(each for each in ann.inbox if isinstance(each, Welcome))
    again = await hall.enter("ann", token=welcome.token)
    assert (await again.until(Update)).view == newest(ann).view
    await hall.server._stopping.wait()
    assert trio.current_time() - began == pytest.approx(12, abs=1)


async def test_a_stop_in_good_order_puts_a_finished_table_away(
    autojump_clock: MockClock, nursery: trio.Nursery, open_hall: OpenHall, plan: Any
) -> None:
    """The next start with the same words opens it anew."""
    store = MemoryStore()
    _, hall = await played_out(nursery, open_hall, plan, store)
    await hall.server._stopping.wait()
    await trio.sleep(hall.server.config.drain_seconds)
    assert not store._tables
    third = await open_hall(nursery, store=store, tables=hall.server.config.tables)
    assert third.server.lobby._tables["t"].state == "waiting"
