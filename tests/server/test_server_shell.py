"""The shell round the lobby: nothing is told before it is stored, house bots, stopping."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
import trio
from mexican_train.client import seat_bot
from mexican_train.engine import RuleSet
from mexican_train.protocol import (
    ClosingSoon,
    CreateTable,
    Declined,
    Draw,
    Goodbye,
    Hello,
    JoinTable,
    Kick,
    LeaveTable,
    ListTables,
    Pass,
    Ping,
    Play,
    Pong,
    TableNews,
    Tables,
    Update,
    Welcome,
)
from mexican_train.server import MemoryStore, StoreError, StoreFullError
from mexican_train.server.effects import Fact, MoveMade
from trio.testing import MockClock

OpenHall = Callable[..., Awaitable[Any]]


@pytest.fixture(params=["memory", "hub", "socket"])
def transport(request: pytest.FixtureRequest) -> Any:
    """Give each way to be connected: all of them are served alike."""
    return request.param


ONE_ROUND = RuleSet.preset("classic").with_options({"game.rounds": 1})


class SlowStore(MemoryStore):
    """Stores when the test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.stored: list[Fact] = []
        self.batches: list[int] = []
        self.is_open = True
        self.is_broken = False
        self.is_full = False
        self._opened = trio.Event()

    def open(self) -> None:
        """Let everything through from now on."""
        self.is_open = True
        self._opened.set()

    def shut(self) -> None:
        """Let nothing through."""
        self.is_open = False
        self._opened = trio.Event()

    async def save(self, facts: Sequence[Fact]) -> None:
        await trio.lowlevel.checkpoint()
        if not self.is_open:
            await self._opened.wait()
        if self.is_full:
            raise StoreFullError("no room")
        if self.is_broken:
            raise StoreError("no room")
        await super().save(facts)
        self.stored += facts
        self.batches.append(len(facts))


def command_for(choice: Any, turn: int, number: int) -> Any:
    """The command that a choice says."""
    if choice.do == "play":
        return Play(id=number, turn=turn, tile=choice.tile, train=choice.train)
    return {"draw": Draw, "pass": Pass}[choice.do](id=number, turn=turn)


async def quiet() -> None:
    """Let every task do what it can do now."""
    await trio.testing.wait_all_tasks_blocked()


async def test_nobody_is_told_before_it_is_stored(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Any
) -> None:
    store = SlowStore()
    hall = await open_hall(store=store, tables=(plan(seats=2),), pace_seconds=0.0)
    ann, bob = await hall.enter("ann"), await hall.enter("bob")
    await ann.ask(JoinTable, table="t")
    store.shut()
    await bob.send(JoinTable(id=1, table="t"))
    await quiet()
    told = [len(session._outbox) for session in hall.server._sessions]
    assert told == [0, 0]
    # another table, and the lobby, go on meanwhile
    eve = hall.connect()
    await eve.send(Hello(versions=(1, 1), kind="person", name="eve"))
    store.open()
    assert isinstance(await bob.receive(), TableNews)
    assert isinstance(await bob.until(Update), Update)
    assert isinstance(await eve.receive(), Welcome)


async def test_commands_to_a_table_wait_for_its_store_in_order(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Any
) -> None:
    store = SlowStore()
    hall = await open_hall(store=store, tables=(plan(seats=2),), pace_seconds=0.0)
    ann, bob = await hall.enter("ann"), await hall.enter("bob")
    for peer in (ann, bob):
        await peer.ask(JoinTable, table="t")
    eve = await hall.enter("eve")
    await eve.ask(Ping)
    first = await ann.until(Update)
    await bob.until(Update)
    store.shut()
    choice = first.choices[0]
    await ann.send(command_for(choice, first.turn, 11))
    await ann.send(command_for(choice, first.turn, 12))
    await bob.send(Ping(id=13))
    await quiet()
    assert not [fact for fact in store.stored if isinstance(fact, MoveMade)]
    assert hall.server._desk._lanes["t"]
    # the lobby is no part of the table
    assert isinstance(await eve.ask(ListTables), Tables)
    store.open()
    answers = [await ann.until(lambda each: getattr(each, "answers", 0)) for _ in range(2)]
    assert [each.answers for each in answers] == [11, 12]
    assert isinstance(answers[0], Update)
    assert answers[1].code == "stale"
    told = [await bob.until(lambda each: isinstance(each, Update | Pong)) for _ in range(2)]
    assert [type(each) for each in told] == [Update, Pong]
    assert len([fact for fact in store.stored if isinstance(fact, MoveMade)]) == 1


@pytest.mark.parametrize("is_full", [False, True])
async def test_nobody_overtakes_itself_at_another_table(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Any, *, is_full: bool
) -> None:
    """What waits for one table keeps back what the same player asks for at another."""
    store = SlowStore()
    hall = await open_hall(store=store, tables=(plan(seats=3),), pace_seconds=0.0)
    ann, bob = await hall.enter("ann"), await hall.enter("bob")
    await bob.ask(Ping)
    await ann.ask(Ping)
    store.shut()
    await ann.send(JoinTable(id=11, table="t"))
    await quiet()
    for command in (JoinTable(id=11, table="t"), LeaveTable(id=12), CreateTable(id=13, name="b")):
        await bob.send(command)
    await quiet()
    store.is_full = is_full
    store.open()
    await quiet()
    store.is_full = False
    answers = [await bob.until(lambda each: getattr(each, "answers", 0)) for _ in range(3)]
    assert [each.answers for each in answers] == [11, 12, 13]
    codes = [getattr(each, "code", type(each).__name__) for each in answers]
    refused = ["storage_full", "not_at_table", "storage_full"]
    assert codes == (refused if is_full else ["TableNews", "Ok", "TableNews"])
    assert not hall.server._desk._behind
    assert isinstance(await bob.ask(ListTables), Declined | Tables)


async def test_what_has_queued_up_is_stored_together(
    autojump_clock: MockClock, open_hall: OpenHall
) -> None:
    store = SlowStore()
    hall = await open_hall(store=store)
    store.shut()
    peers = [hall.connect() for _ in range(6)]
    for number, peer in enumerate(peers):
        await peer.send(Hello(versions=(1, 1), kind="bot", name=f"robot {number}"))
        await quiet()
    store.open()
    for peer in peers:
        assert isinstance(await peer.receive(), Welcome)
    assert store.batches == [1, 5]


async def test_a_connection_that_ends_while_its_hello_is_stored_leaves_nothing(
    autojump_clock: MockClock, open_hall: OpenHall
) -> None:
    store = SlowStore()
    hall = await open_hall(store=store)
    store.shut()
    peer = hall.connect()
    await peer.send(Hello(versions=(1, 1), kind="person", name="ann"))
    await quiet()
    await peer.stream.aclose()
    await quiet()
    store.open()
    await quiet()
    assert not hall.server._sessions
    assert isinstance((await hall.enter("ann")).inbox[0], Welcome)


async def test_a_store_that_fails_stops_the_server_untold(
    autojump_clock: MockClock, open_hall: OpenHall
) -> None:
    store = SlowStore()
    with pytest.RaisesGroup(StoreError, flatten_subgroups=True):
        async with trio.open_nursery() as nursery:
            hall = await open_hall(store=store, within=nursery)
            store.is_broken = True
            peer = hall.connect()
            await peer.send(Hello(versions=(1, 1), kind="person", name="ann"))
            assert await peer.rest() == []


# --- house bots ---------------------------------------------------------------------------


async def test_house_bots_play_a_game_to_its_end(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Any
) -> None:
    table = plan(bots=("greedy", "random", "greedy", "random"), rules=ONE_ROUND)
    hall = await open_hall(tables=(table,), exits_when_done=True)
    await hall.server._stopping.wait()
    assert [line["event"] for line in hall.lines if "failed" in line["event"]] == []
    assert hall.logged("game over")


async def test_a_bot_sent_away_is_gone(autojump_clock: MockClock, hall: Any) -> None:
    ann = await hall.enter("ann")
    await ann.ask(CreateTable, name="t", bots=["random"])
    await ann.until(lambda each: isinstance(each, TableNews) and each.table.seats[1].present)
    assert len(hall.server._sessions) == 2
    await ann.ask(Kick, name="random-1")
    await quiet()
    assert len(hall.server._sessions) == 1


async def test_a_person_plays_a_round_against_the_house(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Any
) -> None:
    """Bots take a second a move, and the person's log has no gap."""
    hall = await open_hall(tables=(plan(seats=3, bots=("greedy", "random"), rules=ONE_ROUND),))
    ann = await hall.enter("ann")
    started = trio.current_time()
    await ann.send(JoinTable(id=1, table="t"))
    number, events = 1, []
    while True:
        update = await ann.until(Update)
        events += [event.n for event in update.events]
        if update.view.phase == "over":
            break
        if update.view.to_act == update.seat:
            number += 1
            await ann.send(command_for(update.choices[0], update.turn, number))
    assert events == list(range(1, len(events) + 1))
    assert trio.current_time() - started > 10


async def test_a_house_bot_that_fails_is_started_again(
    autojump_clock: MockClock, open_hall: OpenHall, monkeypatch: pytest.MonkeyPatch, plan: Any
) -> None:
    real, calls = seat_bot, []

    async def flaky(strategy: str, stream: Any, **fields: Any) -> None:
        calls.append(strategy)
        if len(calls) == 1:
            raise ZeroDivisionError
        await real(strategy, stream, **fields)

    monkeypatch.setattr("mexican_train.server.house.seat_bot", flaky)
    hall = await open_hall(tables=(plan(seats=2, bots=("random",), start="manual"),))
    ann = await hall.enter("ann")
    await ann.send(JoinTable(id=1, table="t"))
    await ann.until(lambda each: isinstance(each, TableNews) and each.table.seats[0].present)
    assert calls == ["random", "random"]
    assert len(hall.logged("house bot failed")) == 1


# --- stopping -----------------------------------------------------------------------------


async def test_a_stop_is_announced_and_ends_every_session(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Any
) -> None:
    hall = await open_hall(tables=(plan(seats=2, bots=("greedy",)),))
    ann = await hall.enter("ann")
    await ann.ask(JoinTable, table="t")
    hall.server.stop()
    messages = await ann.rest()
    closing = next(each for each in messages if isinstance(each, ClosingSoon))
    assert closing.seconds == 10
    assert isinstance(messages[-1], Goodbye)
    assert messages[-1].code == "shutdown"
    await ann.stream.aclose()
    await quiet()
    assert not hall.server._sessions


async def test_a_stop_right_after_the_start_is_as_quick_as_any(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Callable[..., Any]
) -> None:
    """House bots that are not at their tables yet do not come back, and that is no fault."""
    tables = tuple(plan(name=f"t{n}", seats=4, bots=("random",) * 3) for n in range(5))
    hall = await open_hall(tables=tables)
    began = trio.current_time()
    for _ in range(3):
        await trio.lowlevel.checkpoint()
    hall.server.stop()
    await trio.testing.wait_all_tasks_blocked()
    assert not hall.server._sessions
    assert not hall.logged("house bot failed")
    await trio.sleep(5)
    assert trio.current_time() - began == 5.0
    assert not hall.server._sessions


async def test_who_comes_while_the_server_stops_is_refused(
    autojump_clock: MockClock, hall: Any
) -> None:
    """Nobody would end such a connection before the drain time."""
    hall.server.stop()
    late = hall.connect()
    (refused,) = await late.rest()
    assert refused.code == "shutdown"
    assert not hall.server._sessions


async def test_a_stop_waits_ten_seconds_at_most(
    autojump_clock: MockClock, open_hall: OpenHall
) -> None:
    """A peer that does not read does not keep the server from ending."""
    async with trio.open_nursery() as nursery:
        hall = await open_hall(within=nursery)
        ours, theirs = trio.testing.lockstep_stream_pair()
        nursery.start_soon(hall.server.serve_stream, theirs)
        await ours.send_all(b"\0")
        hall.server.stop()
        started = trio.current_time()
    assert trio.current_time() - started <= 11


# --- nobody there -------------------------------------------------------------------------


async def test_a_server_stops_when_no_person_was_there_for_long(
    autojump_clock: MockClock, open_hall: OpenHall
) -> None:
    """A bot is no company, nor is one of the house."""
    async with trio.open_nursery() as nursery:
        hall = await open_hall(within=nursery, idle_seconds=600.0)
        bot = await hall.enter("bot", kind="bot")
        nursery.start_soon(bot.answer_heartbeats)
        started = trio.current_time()
        await trio.sleep(599)
        assert not hall.server.is_stopping
    assert 600 <= trio.current_time() - started < 620
    assert len(hall.logged("nobody has been here for long")) == 1


async def test_a_person_keeps_a_server_up(autojump_clock: MockClock, open_hall: OpenHall) -> None:
    """The time begins when the last one has gone, and a visit in between begins it anew."""
    async with trio.open_nursery() as nursery:
        hall = await open_hall(within=nursery, idle_seconds=600.0)
        for _ in range(2):
            ann = await hall.enter("ann")
            with trio.move_on_after(3600):
                await ann.answer_heartbeats()
            await trio.aclose_forcefully(ann.stream)
            await trio.sleep(590)
            assert not hall.server.is_stopping
        left = trio.current_time()
    assert trio.current_time() - left < 30


async def test_a_server_that_was_not_told_so_waits_for_ever(
    autojump_clock: MockClock, open_hall: OpenHall
) -> None:
    hall = await open_hall()
    await trio.sleep(3600)
    assert not hall.server.is_stopping
