"""The connection is cut at every byte of handshake and turn, in both directions.

The real `Link` and the real `Server` over memory streams, in virtual time. Wherever the cut
falls: nobody is locked out, no move is made twice, and none that was told is lost.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio
from mexican_train.client import (
    Address,
    EndedError,
    Link,
    MemoryTokens,
    RefusedError,
    UnreachableError,
    hello_for,
    open_link,
    stream_opener,
)
from mexican_train.client.tls import PlainOpener
from mexican_train.engine import RuleSet
from mexican_train.protocol import (
    Declined,
    JoinTable,
    TableNews,
    Update,
)
from mexican_train.server import Config, Server, TablePlan
from mexican_train.server import lobby as lobby_module
from mexican_train.server.certificates import Certificate, own_certificate
from mexican_train.server.lobby import Lobby
from mexican_train.server.players import Player
from mexican_train.server.wires import StreamWire
from trio.testing import MockClock, memory_stream_pair

from .cutting import Cut, Cutting, Recorder, as_command, quiet_log

HERE = Address("server.test", 12012)
RULES = RuleSet.preset("classic").with_options({"set.max_pip": 6, "game.rounds": 1})
TURNS = 2
"""Commands that Ann gives in her turns before she is done."""
ATTEMPTS = 5
"""To come in for the first time: a client that was never welcome has nothing to resume."""


class Evening:
    """Two people at a table of two; Ann's connections are cut as planned, one after another."""

    def __init__(
        self,
        nursery: trio.Nursery,
        cuts: Sequence[Cut | None],
        certificate: Certificate | None = None,
    ) -> None:
        self.store = Recorder()
        self.streams: list[Cutting] = []
        self.told: Counter[int] = Counter()
        self.losses = 0
        self._turn_told = 0
        self._nursery = nursery
        self._cuts = list(cuts)
        plan = TablePlan(name="t", rules=RULES, seats=2)
        config = Config(tables=(plan,), fixed_seed=bytes(32), tls=certificate)
        self.server = Server(config, store=self.store, log=quiet_log(), listens=False)

    async def run(self) -> None:
        """Play until Ann has made her moves."""
        await self._nursery.start(self.server.run)
        done = trio.Event()
        async with trio.open_nursery() as players:
            players.start_soon(self._bob, done)
            await self._ann()
            done.set()
            players.cancel_scope.cancel()

    async def _open(self, cut: Cut | None) -> Cutting:
        ours, theirs = memory_stream_pair()
        self._nursery.start_soon(self.server.serve_wire, StreamWire(theirs), "192.0.2.1")
        await trio.lowlevel.checkpoint()
        return Cutting(ours, cut)

    def _opener(self, open_plain: PlainOpener) -> PlainOpener:
        """What a link opens its streams with, under TLS where there is a certificate."""
        certificate = self.server.config.tls
        fingerprint = None if certificate is None else certificate.fingerprint
        return stream_opener(fingerprint, open_plain=open_plain)

    @property
    def _address(self) -> Address:
        return replace(HERE, tls=self.server.config.tls is not None)

    async def _open_anns(self, _address: Address) -> trio.abc.Stream:
        cut = self._cuts.pop(0) if self._cuts else None
        self.streams.append(await self._open(cut))
        return self.streams[-1]

    async def _open_bobs(self, _address: Address) -> trio.abc.Stream:
        return await self._open(None)

    async def _ann(self) -> None:
        tokens = MemoryTokens()
        for _ in range(ATTEMPTS):
            try:
                await self._play_anns(tokens)
            except (UnreachableError, RefusedError) as error:
                if error.code not in {"no_server", "no_tls", "name_taken"}:
                    raise
                self.losses += 1
                await trio.sleep(1)
                continue
            return
        raise AssertionError("Ann is locked out")

    async def _play_anns(self, tokens: MemoryTokens) -> None:
        async with open_link(
            self._address,
            hello_for("Ann"),
            open_stream=self._opener(self._open_anns),
            tokens=tokens,
            rng=Random(1),
        ) as link:
            seat = await self._sit(link)
            while sum(self.told.values()) < TURNS:
                arrival = await link.receive()
                # what came before an answer is received after it, and may be old news by then
                if (
                    isinstance(arrival, Update)
                    and arrival.turn > self._turn_told
                    and arrival.view.to_act == seat
                ):
                    await self._move(link, arrival, seat)

    async def _sit(self, link: Link) -> int:
        if link.welcome.table is None:
            answer: Any = await link.ask(JoinTable(id=0, table="t"))
            assert isinstance(answer, TableNews), answer
            assert answer.seat is not None
            return answer.seat
        while not isinstance(news := await link.receive(), TableNews):
            continue
        assert news.seat is not None
        return news.seat

    async def _move(self, link: Link, update: Update, seat: int) -> None:
        while update.choices and update.view.to_act == seat and self.told.total() < TURNS:
            answer = await link.ask(as_command(update.choices[0], update.turn))
            assert isinstance(answer, Update), answer
            self._turn_told = update.turn
            self.told[answer.answers] += 1
            # what is told is stored: once
            assert self.store.moves_of(seat)[answer.answers] == 1
            update = answer

    async def _bob(self, done: trio.Event) -> None:
        async with open_link(
            self._address,
            hello_for("Bob"),
            open_stream=self._opener(self._open_bobs),
            rng=Random(2),
        ) as link:
            seat = await self._sit(link)
            while not done.is_set():
                arrival = await link.receive()
                if isinstance(arrival, Update) and arrival.view.to_act == seat and arrival.choices:
                    answer = await link.ask(as_command(arrival.choices[0], arrival.turn))
                    assert isinstance(answer, Update | Declined)


async def evening(*cuts: Cut | None, certificate: Certificate | None = None) -> Evening:
    """One evening from its start to its end."""
    async with trio.open_nursery() as nursery:
        found = Evening(nursery, cuts, certificate)
        with trio.fail_after(600):
            await found.run()
        nursery.cancel_scope.cancel()
    moves = found.store.moves_of(0) + found.store.moves_of(1)
    assert max(moves.values()) <= 2, "each seat counts its own ids, and no move is made twice"
    return found


def places(length: int, stride: int) -> range:
    """The bytes to cut at: all of them, or one in `stride`."""
    return range(0, length + 1, stride)


async def test_a_cut_at_any_byte_of_the_first_connection(
    autojump_clock: MockClock, scale: Any
) -> None:
    whole = (await evening()).streams[0].passed
    for way in ("up", "down"):
        for place in places(whole[way], scale(97 if way == "down" else 13, 1)):
            found = await evening((way, place))
            assert found.told.total() == TURNS


async def test_a_cut_at_any_byte_of_a_resume(autojump_clock: MockClock, scale: Any) -> None:
    """The first connection is lost in a turn, and the second one at any byte of its handshake."""
    first = ("up", (await evening()).streams[0].passed["up"] - 20)
    whole = (await evening(first)).streams[1].passed
    for way in ("up", "down"):
        for place in places(whole[way], scale(97 if way == "down" else 13, 1)):
            found = await evening(first, (way, place))
            assert found.told.total() == TURNS
            assert found.losses == 0


@pytest.fixture
def certificate(tmp_path: Path) -> Certificate:
    pytest.importorskip("cryptography", reason="the extra tls is not installed")
    return own_certificate(tmp_path)


@pytest.mark.parametrize("way", ["up", "down"])
async def test_a_cut_at_any_byte_under_tls(
    autojump_clock: MockClock, scale: Any, certificate: Certificate, way: str
) -> None:
    """Also inside the handshake of TLS, of the first connection and of a resume."""
    (stream, *_) = (await evening(certificate=certificate)).streams
    late = ("up", stream.passed["up"] - 20)
    for place in places(stream.passed[way], scale(131 if way == "down" else 47, 7)):
        found = await evening((way, place), certificate=certificate)
        assert found.told.total() == TURNS
        found = await evening(late, (way, place), certificate=certificate)
        assert found.told.total() == TURNS
        assert found.losses == 0


async def test_any_number_of_lost_welcomes_locks_nobody_out(
    autojump_clock: MockClock, scale: Any
) -> None:
    """Whatever becomes of the answers to a hello, the token that the client holds goes on."""
    first = ("up", (await evening()).streams[0].passed["up"] - 20)
    for place in places(900, scale(150, 10)):
        for often in (2, 3, 5):
            found = await evening(first, *[("down", place)] * often)
            assert found.told.total() == TURNS
            assert found.losses == 0


async def test_a_cut_without_end_ends_the_link(autojump_clock: MockClock) -> None:
    """If no connection ever holds, the client gives up with a reason, and the seat is kept."""
    first = ("up", (await evening()).streams[0].passed["up"] - 20)
    async with trio.open_nursery() as nursery:
        found = Evening(nursery, [first, *[("down", 10)] * 2000])
        codes = []
        try:
            await found.run()
        except* EndedError as group:
            codes = [error.code for error in group.exceptions if isinstance(error, EndedError)]
        assert codes == ["lost"]
        table = found.server.lobby._tables["t"]
        assert all(seat.player is not None for seat in table.seats)
        nursery.cancel_scope.cancel()


# --- planted faults -----------------------------------------------------------------------


def _again(lobby: Lobby, number: int, command: Any, now: float) -> Any:
    """A repeated command is a new one."""
    player = lobby._players[number]
    player.last_id = min(player.last_id, command.id - 1)
    return HANDLE(lobby, number, command, now)


def _newest_only(player: Player, token: bytes) -> bool:
    """The token before the newest no longer counts."""
    return hashlib.sha256(token).digest() == [player.confirmed_hash, *player.newer_hashes][-1]


HANDLE = Lobby.handle


@pytest.mark.parametrize(
    ("owner", "name", "planted"),
    [(Lobby, "handle", _again), (lobby_module, "is_token_of", _newest_only)],
)
async def test_a_planted_fault_is_found_at_some_byte(
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    name: str,
    planted: Any,
) -> None:
    first = ("up", (await evening()).streams[0].passed["up"] - 20)
    whole = (await evening()).streams[0].passed["down"]
    monkeypatch.setattr(owner, name, planted)
    found = []
    for place in (*range(whole - 400, whole, 80), 100, 300):
        cuts = (("down", place),) if place > 400 else (first, ("down", place))
        try:
            await evening(*cuts)
        except* (AssertionError, EndedError, RefusedError) as group:
            found.append(group)
    assert found
