"""Recovery: players and tables known again from what is stored of them.

Pure. After a crash all of them; after a transaction that failed those that it touched.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from mexican_train.protocol import table_left

from .clocks import Calendar
from .effects import (
    CommandAnswered,
    Deliver,
    Effect,
    Fact,
    PlayerForgotten,
    PlayerKnown,
    Report,
    Save,
    TableClosed,
    TableFact,
    TableOpened,
    TableSetAside,
    report,
)
from .players import Players
from .recall import carry_over, recalled
from .table import Table
from .tables import Tables


class Recovery:
    """Puts players and tables back."""

    def __init__(self, tables: Tables, players: Players) -> None:
        self._tables: Final = tables
        self._players: Final = players
        self._settings: Final = tables.settings

    def recover(self, facts: Iterable[Fact], now: float, unix: float) -> list[Effect]:
        """As `Lobby.recover`."""
        self._tables.calendar = Calendar(now, unix)
        tables, effects = self._recall(facts, now)
        for player in self._players:
            player.absent_since = now  # nobody could come back before
        for table in tables:
            effects += table.seats.house_bots(self._settings.table.fixed_seed)
            effects += self._tables.go_on(table, now)
        numbers = [int(table.label[1:]) for table in tables if table.label[1:].isdigit()]
        self._tables.count_from(max(numbers, default=0))
        if tables:
            games = sum(table.is_in_play for table in tables)
            effects.append(report("recovered", tables=len(tables), games=games))
        return effects

    def restore(
        self,
        names: Collection[str],
        numbers: Collection[int],
        facts: Iterable[Fact],
        *,
        connected: Mapping[int, int],
        watchers: Mapping[str, Sequence[int]],
        now: float,
    ) -> list[Effect]:
        """As `Lobby.restore`."""
        older = {name: self._tables.take_out(name) for name in names}
        present = {name: [*table.seats.viewers()] if table else [] for name, table in older.items()}
        for number in numbers:
            player = self._players.get(number)
            if player is not None:
                player.seats.difference_update(names)
                player.table = None if player.table in names else player.table
        stored = [*facts]
        known = {fact.player for fact in stored if isinstance(fact, PlayerKnown)}
        for number in {*numbers} - known:
            if number in self._players:
                self._players.forget(self._players[number])
        _, effects = self._recall(stored, now)
        for number in known:
            player = self._players[number]
            player.is_connected = number in connected
            player.generation = connected.get(number, player.generation)
        for name, before in older.items():
            if (table := self._tables.get(name)) is not None:
                looked_on = [self._players.get(each) for each in watchers.get(name, ())]
                carry_over(table, before, [each for each in looked_on if each is not None], now)
                self._tables.schedule(table)
            elif self._tables.is_closed(name):
                word = table_left(name, "closed")
                effects += [Deliver(player.number, word) for player, _ in present[name]]
        return effects

    def _recall(self, facts: Iterable[Fact], now: float) -> tuple[list[Table], list[Effect]]:
        """Take facts in; the tables that they make, and what follows from those that do not fit."""
        logs: dict[str, list[TableFact]] = {}
        aside: list[TableSetAside] = []
        for fact in facts:
            match fact:
                case PlayerKnown() | PlayerForgotten():
                    self._players.recall(fact)
                case CommandAnswered():
                    self._players[fact.player].recall(fact)
                case TableSetAside():
                    aside.append(fact)
                case TableClosed():
                    self._tables.note_closed(fact.table)
                case TableFact():
                    logs.setdefault(fact.table, []).append(fact)
        tables: list[Table] = []
        effects: list[Effect] = []
        for name, log in logs.items():
            try:
                table = self._recalled(log, now)
            except Exception as error:  # noqa: BLE001 - a log that does not fit may raise anything
                label = log[0].label if isinstance(log[0], TableOpened) else "?"
                aside.append(TableSetAside(name, label, f"{type(error).__name__}: {error}"))
                effects.append(Save((aside[-1],)))
                continue
            self._tables.take_in(table)
            tables.append(table)
            self._tables.schedule(table)
        for each in aside:
            values = (("table", each.label), ("reason", each.reason))
            effects += [Report("table set aside", values, "error"), *self._abandon(each.table)]
        return tables, effects

    def _recalled(self, log: Sequence[TableFact], now: float) -> Table:
        settings, calendar = self._settings.table, self._tables.calendar
        return recalled(log, self._players, settings, now, calendar)

    def _abandon(self, name: str) -> list[Effect]:
        """Let nobody keep a seat at a table that is set aside."""
        effects: list[Effect] = []
        self._tables.note_closed(name)
        for player in [*self._players]:
            player.seats.discard(name)
            if player.table == name:
                player.table = None
            if player.is_house and not player.seats:
                effects += self._tables.dismiss(player)
        return effects
