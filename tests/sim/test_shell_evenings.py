"""Whole games through the real links and the real server, whose connections keep breaking.

Virtual time, memory streams, a store that takes its time. Trio's tasks run in an order of their
own, so no bytes are compared here: every game ends, all see the same end, no move is lost or
made twice.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import trio
from mexican_train.client import (
    Address,
    Link,
    MemoryTokens,
    RefusedError,
    UnreachableError,
    hello_for,
    open_link,
)
from mexican_train.engine import RuleSet
from mexican_train.protocol import Declined, JoinTable, Update
from mexican_train.server import Config, Server, TablePlan
from mexican_train.server.effects import Fact
from trio.testing import MockClock, memory_stream_pair

from .cutting import Cut, Cutting, Recorder, as_command, quiet_log

HERE = Address("server.test", 12012)
SEATS = 3
GAME_SECONDS = 4 * 3600.0


class SlowRecorder(Recorder):
    """Takes up to a fifth of a second to store anything."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self._random = random

    async def save(self, facts: Sequence[Fact]) -> None:
        await trio.sleep(self._random.uniform(0, 0.2))
        await super().save(facts)


class Guest:
    """A player with a link; each of its streams may break at some byte."""

    def __init__(self, evening: "Evening", number: int, seed: str) -> None:
        self.name = f"guest {number}"
        self.told: set[int] = set()
        self.seat: int | None = None
        self.last: Update | None = None
        self.streams = 0
        self._evening = evening
        self._random = Random(seed)

    def _cut(self) -> Cut | None:
        if self._random.random() < 0.1:
            return None
        way = self._random.choice(("up", "down"))
        return way, self._random.randrange(400 if way == "up" else 6_000)

    async def _open(self, _address: Address) -> trio.abc.Stream:
        self.streams += 1
        return Cutting(await self._evening.connect(), self._cut())

    async def play(self) -> None:
        """Come in, sit down and play to the end of the game."""
        tokens = MemoryTokens()
        while self.last is None or self.last.view.phase != "over":
            try:
                async with open_link(
                    HERE,
                    hello_for(self.name, kind="bot"),
                    open_stream=self._open,
                    tokens=tokens,
                    rng=self._random,
                ) as link:
                    await self._play(link)
            except (UnreachableError, RefusedError) as error:
                # before the first welcome there is nothing to resume: come again
                if error.code not in {"no_server", "name_taken"} or self.seat is not None:
                    raise
                await trio.sleep(1)

    async def _play(self, link: Link) -> None:
        if link.welcome.table is None:
            await link.ask(JoinTable(id=0, table="t"))
        turn = 0
        while self.last is None or self.last.view.phase != "over":
            arrival: Any = await link.receive()
            while isinstance(arrival, Update):
                self._see(arrival)
                if arrival.turn <= turn or arrival.view.to_act != arrival.seat:
                    break
                turn = arrival.turn
                choice = self._random.choice(arrival.choices)
                arrival = await link.ask(as_command(choice, arrival.turn))
                # a knock or a foul leaves the turn as it is
                turn -= choice.do in {"knock", "foul"}
                self._check(arrival)

    def _see(self, update: Update) -> None:
        self.seat = update.seat
        if self.last is None or update.last_event >= self.last.last_event:
            self.last = update

    def _check(self, answer: Any) -> None:
        """What is told is stored, once; the only refusal is that somebody was faster."""
        if isinstance(answer, Declined):
            assert answer.code in {"stale", "no_foul", "no_knock", "round_over"}, answer
            return
        assert isinstance(answer, Update)
        assert self.seat is not None
        self.told.add(answer.answers)
        assert self._evening.store.moves_of(self.seat)[answer.answers] == 1


class Evening:
    """A server and its guests, until the game is over."""

    def __init__(self, nursery: trio.Nursery, seed: int) -> None:
        random = Random(f"shell {seed}")
        preset = random.choice(("classic", "bernie", "official"))
        rules = RuleSet.preset(preset).with_options({"set.max_pip": 6, "game.rounds": 1})
        plan = TablePlan(name="t", rules=rules, seats=SEATS)
        self.store = SlowRecorder(random)
        config = Config(tables=(plan,), pace_seconds=0.0)
        self.server = Server(config, store=self.store, log=quiet_log(), listens=False)
        self.guests = [Guest(self, number, f"{seed} {number}") for number in range(SEATS)]
        self._nursery = nursery

    async def connect(self) -> trio.abc.Stream:
        """A new stream to the server."""
        ours, theirs = memory_stream_pair()
        self._nursery.start_soon(self.server.serve_stream, theirs)
        await trio.lowlevel.checkpoint()
        return ours

    async def run(self) -> None:
        """Play to the end."""
        await self._nursery.start(self.server.run)
        with trio.fail_after(GAME_SECONDS):
            async with trio.open_nursery() as players:
                for guest in self.guests:
                    players.start_soon(guest.play)


async def test_games_end_the_same_for_all_whatever_breaks(
    autojump_clock: MockClock, scale: Any
) -> None:
    streams = 0
    count = scale(10, 200)
    for seed in range(count):
        async with trio.open_nursery() as nursery:
            evening = Evening(nursery, seed)
            await evening.run()
            nursery.cancel_scope.cancel()
        ends = {tuple(guest.last.view.totals) for guest in evening.guests if guest.last}
        assert len(ends) == 1
        for guest in evening.guests:
            assert guest.seat is not None
            moves = evening.store.moves_of(guest.seat)
            assert set(moves.values()) <= {1}
            assert guest.told <= set(moves)
            streams += guest.streams
    assert streams > 2 * SEATS * count
