"""A log that is made short tells the same table, and does not grow from game to game."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mexican_train.engine import RuleSet
from mexican_train.protocol import AskRecord, Declined, JoinTable, LeaveTable, Ready, Rematch
from mexican_train.server import MemoryStore, SqliteStore
from mexican_train.server.condensing import CONDENSE_FROM, condensed
from mexican_train.server.effects import (
    Fact,
    GameStarted,
    MoveMade,
    RoundDealt,
    TableFact,
    TableOpened,
    TableSetAside,
)

SHORT = RuleSet.preset("classic").with_options({"game.rounds": 1, "set.max_pip": 6})


def evening(desk: Any, games: int) -> list[list[Fact]]:
    """Rematch after rematch of two persons; what each of them and what lies between has saved."""
    desk.open(seats=2, rules=SHORT, start="ready")
    ann, bob = desk.enter("ann"), desk.enter("bob")
    for player in (ann, bob):
        desk.send(player, JoinTable, table="t")
    saved: list[list[Fact]] = []
    for game in range(games):
        for player in (ann, bob):
            desk.send(player, Ready, on=True)
        desk.play_out([ann, bob], Random(game))
        saved.append(desk.saved)
        desk.saved = []
        if game < games - 1:
            desk.send(ann, Rematch)
    return saved


def of_table(facts: Sequence[Fact]) -> list[TableFact]:
    """The log among them."""
    return [fact for fact in facts if isinstance(fact, TableFact)]


def events_in(path: Path) -> int:
    """How many events a file holds."""
    with closing(sqlite3.connect(path)) as database:
        (events,) = database.execute("SELECT count(*) FROM events").fetchone()
    return int(events)


async def test_a_new_game_leaves_of_the_earlier_ones_who_sits_where(desk: Any) -> None:
    log = of_table([fact for part in evening(desk, 3) for fact in part])
    short = condensed(log)
    assert isinstance(short[0], TableOpened)
    assert [fact.game for fact in short if isinstance(fact, GameStarted)] == [3]
    assert len([fact for fact in short if isinstance(fact, RoundDealt)]) == 1
    assert len([fact for fact in short if isinstance(fact, MoveMade)]) > 10
    assert len([fact for fact in short if not isinstance(fact, MoveMade)]) < 10
    assert condensed(short) == short


async def test_no_store_grows_from_game_to_game(desk: Any, tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store, memory = SqliteStore(path), MemoryStore()
    await store.load()
    sizes = []
    for saved in evening(desk, 12):
        await store.save(saved)
        await memory.save(saved)
        sizes.append(events_in(path))
        assert of_table(await memory.load()) == of_table(await memory.read(["t"], []))
        assert len(of_table(await memory.load())) == sizes[-1]
    await store.aclose()
    assert max(sizes) < 100
    assert desk.lobby._tables["t"].course.games == 12


async def test_the_record_of_the_last_game_is_there_until_the_next_one_starts(
    make_desk: Any,
) -> None:
    """Also when the server was started again in between."""
    desk = make_desk()
    saved = evening(desk, 2)
    store = MemoryStore()
    for part in saved:
        await store.save(part)
    again = make_desk()
    again.carry_out(again.lobby.recover(await store.load(), again.now, 0.0))
    ann = again.hello("ann", token=desk.token(1))
    again._ids[ann] = count(900)
    again.send(ann, Rematch)
    part = again.send(ann, AskRecord, table="t", part=0)
    assert not isinstance(part, Declined)
    assert part.text == desk.lobby._tables["t"].course.record_part(0)[1]


async def test_guests_who_come_and_go_do_not_fill_the_disk(desk: Any, tmp_path: Path) -> None:
    desk.open(seats=3, start="manual")
    ann = desk.enter("ann")
    path = tmp_path / "s.db"
    store = SqliteStore(path)
    await store.load()
    for _ in range(CONDENSE_FROM):
        for kind, fields in ((JoinTable, {"table": "t"}), (Ready, {"on": True}), (LeaveTable, {})):
            desk.send(ann, kind, **fields)
    await store.save(desk.saved)
    await store.aclose()
    assert len(of_table(desk.saved)) > 4 * CONDENSE_FROM
    assert events_in(path) <= CONDENSE_FROM + 10
    again = SqliteStore(path)
    facts = await again.load()
    await again.aclose()
    desk.lobby = type(desk.lobby)(desk.lobby._settings)
    desk.carry_out(desk.lobby.recover(facts, desk.now, 0.0))
    assert desk.lobby._tables["t"].seats.empty_seats() == [0, 1, 2]


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE tables SET start_chain = zeroblob(32)",
        "UPDATE tables SET start = start + 1",
        "DELETE FROM events WHERE n = (SELECT start + 1 FROM tables)",
        "UPDATE events SET event = x'93A46D6F7665' WHERE n = (SELECT max(n) FROM events)",
    ],
)
async def test_a_short_log_fits_its_hashes_from_its_start_on(
    desk: Any, tmp_path: Path, harm: str
) -> None:
    path = tmp_path / "s.db"
    store = SqliteStore(path)
    await store.load()
    for saved in evening(desk, 3):
        await store.save(saved)
    await store.aclose()
    with closing(sqlite3.connect(path)) as database, database:
        assert database.execute(harm).rowcount == 1
    again = SqliteStore(path)
    facts = await again.load()
    await again.aclose()
    assert [type(fact) for fact in of_table(facts)] == [TableSetAside]


async def test_a_damaged_log_is_not_made_short_but_kept_as_it_is(desk: Any, tmp_path: Path) -> None:
    """Writing it anew would give the damage hashes that fit."""
    path = tmp_path / "s.db"
    store = SqliteStore(path)
    await store.load()
    first, second = evening(desk, 2)
    await store.save(first)
    kept = events_in(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE events SET event = x'93A46D6F7665' WHERE n = 9")
    await store.save(second)
    await store.aclose()
    assert events_in(path) == kept + len(of_table(second))
    again = SqliteStore(path)
    facts = await again.load()
    await again.aclose()
    assert [type(fact) for fact in of_table(facts)] == [TableSetAside]
