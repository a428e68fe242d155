"""The store: what makes facts durable before anybody is told.

`Store` is what the rest of the shell knows. `MemoryStore` forgets everything with the process.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, Protocol

import trio

from .condensing import condensed, is_due
from .effects import (
    CommandAnswered,
    Fact,
    HostNamed,
    PlayerForgotten,
    PlayerKnown,
    SeatTaken,
    TableClosed,
    TableFact,
    TableSetAside,
)
from .players import ANSWERS_KEPT


class StoreError(Exception):
    """The store cannot be used, now or any more; what was being saved may be lost."""


class StoreFullError(StoreError):
    """There is no room: none of the facts is stored, and all that was stored before still is."""


class Store(Protocol):
    """Keeps facts in the order in which they are given."""

    async def load(self) -> Sequence[Fact]:
        """All facts of earlier runs that still count: players first, then table by table.

        Called once, before anything else.

        Raises:
            StoreError: the store cannot be had; the text says why.
        """
        ...

    async def save(self, facts: Sequence[Fact]) -> None:
        """Make all of these durable, together, before returning.

        Raises:
            StoreFullError: none of them is stored; later there may be room again.
            StoreError: the store cannot be relied upon any more.
        """
        ...

    async def read(self, tables: Collection[str], players: Collection[int]) -> Sequence[Fact]:
        """What is stored of these tables and players, and of whoever has a seat there.

        Raises:
            StoreError: as `load`.
        """
        ...

    async def aclose(self) -> None:
        """Let go of whatever is open."""
        ...


class MemoryStore:
    """For games that need not outlive the server.

    It keeps what a durable store would keep, so that a table can be made from its log again.
    """

    def __init__(self) -> None:
        self._players: Final[dict[int, PlayerKnown]] = {}
        self._answers: Final[dict[int, dict[int, CommandAnswered]]] = {}
        self._tables: Final[dict[str, list[TableFact]]] = {}
        self._kept: Final[dict[str, int]] = {}
        self._last_player = 0

    async def load(self) -> Sequence[Fact]:
        """What was saved here; nothing at the start of a server."""
        await trio.lowlevel.checkpoint()
        return [*self._stored(self._tables, self._players)]

    async def save(self, facts: Sequence[Fact]) -> None:
        """Done at once."""
        for fact in facts:
            self._keep(fact)
        await trio.lowlevel.checkpoint()

    async def read(self, tables: Collection[str], players: Collection[int]) -> Sequence[Fact]:
        """What is kept of these, and of whoever has a seat there."""
        await trio.lowlevel.checkpoint()
        names = [name for name in tables if name in self._tables]
        people = {*players, *seated(fact for name in names for fact in self._tables[name])}
        return [*self._stored(names, people)]

    async def aclose(self) -> None:
        """Nothing is open."""
        await trio.lowlevel.checkpoint()

    def _stored(self, tables: Iterable[str], players: Iterable[int]) -> Iterator[Fact]:
        yield PlayerForgotten(self._last_player)
        known = sorted(number for number in players if number in self._players)
        yield from (self._players[number] for number in known)
        for number in known:
            answers = self._answers.get(number, {}).values()
            yield from sorted(answers, key=lambda fact: fact.serial)
        for name in tables:
            yield from self._tables[name]

    def _keep(self, fact: Fact) -> None:
        match fact:
            case PlayerKnown(number):
                self._players[number] = fact
            case PlayerForgotten(number):
                self._players.pop(number, None)
                self._answers.pop(number, None)
                self._last_player = max(self._last_player, number)
            case CommandAnswered(number):
                self._answers.setdefault(number, {})[fact.serial % ANSWERS_KEPT] = fact
            case TableClosed(name) | TableSetAside(name):
                self._tables.pop(name, None)
                self._kept.pop(name, None)
            case TableFact(name):
                log = self._tables.setdefault(name, [])
                log.append(fact)
                if is_due(len(log), self._kept.get(name, 0), fact):
                    log[:] = condensed(log)
                    self._kept[name] = len(log)


def seated(log: Iterable[Fact]) -> set[int]:
    """The players whom a table's log names."""
    return {
        fact.player
        for fact in log
        if isinstance(fact, SeatTaken | HostNamed) and fact.player is not None
    }
