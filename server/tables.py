"""The open tables of a server: opened and closed, found by name, called when time demands it.

Pure. `commands` and `recovery` build on it.
"""

import heapq
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from mexican_train import engine
from mexican_train.protocol import table_left

from .clocks import Calendar
from .declines import Decline
from .effects import (
    CloseBot,
    Deliver,
    Effect,
    PlayerForgotten,
    Report,
    Save,
    SeatTaken,
    TableClosed,
    report,
)
from .lobby_settings import LobbySettings, TablePlan
from .players import BadName, Player, Players, clean_name, skeletons
from .table import Table
from .table_settings import Charter, password_digest

BOT_NAME_CHARS_MAX: Final = 14
TIMERS_SPARE: Final = 100
"""So many more timers than twice the tables may wait before the overtaken ones are dropped."""

_OTHER_RULES: Final = Report("its rules stay as they were", level="warning")


class Tables(Mapping[str, Table]):
    """All open tables, by name.

    Attributes:
        players: all players of the server.
        settings: what it keeps to.
        calendar: the time of day.
    """

    def __init__(self, settings: LobbySettings, players: Players) -> None:
        self.settings: Final = settings
        self.players: Final = players
        self._tables: Final[dict[str, Table]] = {}
        self.calendar = Calendar()
        self._closed: Final[dict[str, None]] = {}
        self._standing: Final[list[str]] = []
        self._timers: Final[list[tuple[float, int, str]]] = []
        self._tie = 0
        self._opened = 0

    def __getitem__(self, name: str) -> Table:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    # --- found ----------------------------------------------------------------------------

    def table_of(self, player: Player) -> Table | None:
        """Where the player is, or None."""
        return self._tables.get(player.table) if player.table is not None else None

    def at_table(self, player: Player) -> Table:
        """Where the player is.

        Raises:
            Decline: `not_at_table`.
        """
        table = self.table_of(player)
        if table is None:
            raise Decline("not_at_table")
        return table

    def named(self, name: str) -> Table:
        """The table of that name.

        Raises:
            Decline: `gone`, `no_such_table`.
        """
        table = self._tables.get(name)
        if table is None:
            raise Decline("gone" if name in self._closed else "no_such_table")
        return table

    def hosted(self, player: Player) -> Table:
        """The player's table, for what only its host may do."""
        table = self.at_table(player)
        if table.host is not player:
            raise Decline("not_host")
        return table

    def rules(self, name: str | None, options: Collection[str] = ()) -> engine.RuleSet:
        """The rules of this name, or the server's own, with single options over them.

        Raises:
            Decline: `bad_rules`, with the engine's sentence.
        """
        try:
            settings = self.settings
            rules = settings.own_rules if name is None else settings.rules.get(name)
            if rules is None:
                rules = engine.RuleSet.preset(name or "classic")
            changes = dict(engine.parse_option(text) for text in options)
            return rules.with_options(changes) if changes else rules
        except engine.RuleSetError as error:
            raise Decline(
                "bad_rules", str(error), option=error.option, params={"reason": error.code}
            ) from None

    # --- opened and closed ----------------------------------------------------------------

    def open_standing(self, plan: TablePlan, now: float) -> list[Effect]:
        """Open a table at the start of the server; one that was recovered is taken up again.

        So is one whose game is over: the server has crashed, and those who come back may not
        have seen yet how it ended.

        Raises:
            Decline: as `create`.
        """
        known = self._tables.get(plan.name)
        if known is not None and known.is_recalled:
            self._standing.append(known.name)
            line = report("table taken up again", table=known.label, state=known.state)
            return [line] if known.rules == plan.rules else [line, _OTHER_RULES]
        table, effects = self.open(plan, now, is_standing=True)
        self._standing.append(table.name)
        return [*effects, *self.seat_bots(table, plan.bots), *self.go_on(table, now)]

    @property
    def is_done(self) -> bool:
        """Whether there are standing tables and each has played a game to its end."""
        standing = [self._tables.get(name) for name in self._standing]
        return bool(standing) and all(
            table is None or table.state == "over" or table.closing for table in standing
        )

    @property
    def is_awaited(self) -> bool:
        """Whether somebody with a seat at a standing table is not here."""
        standing = [self._tables.get(name) for name in self._standing]
        return any(table is not None and table.seats.absent() for table in standing)

    def put_away_finished(self) -> list[Effect]:
        """Close the standing tables whose game is over, without a word: the server stops."""
        finished = [table for name in self._standing if (table := self._tables.get(name))]
        effects = [
            effect for table in finished if table.state == "over" for effect in self.close(table)
        ]
        return [effect for effect in effects if isinstance(effect, Save)]

    def go_on(self, table: Table, now: float) -> list[Effect]:
        """Start what is not waiting any more, and have the table called in time."""
        effects = table.playing.go_on_if_ready(now)
        self.schedule(table)
        return effects

    def open(
        self, plan: TablePlan, now: float, *, is_standing: bool = False
    ) -> tuple[Table, list[Effect]]:
        """A new table, without anybody at it.

        Raises:
            Decline: `bad_name`, `name_in_use`, `server_full`, `bad_seats`, `no_such_seat`,
                `no_such_strategy`.
        """
        self._check_plan(plan)
        self._opened += 1
        charter = Charter(
            name=plan.name,
            label=plan.name if is_standing else f"#{self._opened}",
            rules=plan.rules,
            seats=plan.seats,
            first_seat=plan.first_seat,
            start=plan.start,
            allows_watchers=plan.allows_watchers,
            password_digest=password_digest(plan.password),
            is_standing=is_standing,
            terms=plan.terms or self.settings.table.terms,
            hints=self.settings.table.hints if plan.hints is None else plan.hints,
        )
        table = Table(charter, self.settings.table, now, self.calendar)
        self._tables[plan.name] = table
        self._closed.pop(plan.name, None)
        line = report(
            "table opened", table=table.label, seats=plan.seats, rules=plan.rules.hash[:12]
        )
        return table, [Save((charter.opened(),)), line]

    def _check_plan(self, plan: TablePlan) -> None:
        try:
            # a number would be read as the place of a table in the list
            if clean_name(plan.name) != plan.name or plan.name.isdigit():
                raise Decline("bad_name")
        except BadName:
            raise Decline("bad_name") from None
        wanted = skeletons(plan.name)
        if any(wanted & skeletons(name) for name in self._tables):
            raise Decline("name_in_use")
        if len(self._tables) >= self.settings.tables_max:
            raise Decline("server_full")
        try:
            engine.check_table(plan.rules, plan.seats)
        except engine.RuleSetError as error:
            raise Decline("bad_seats", str(error), option=error.option) from None
        if plan.first_seat >= plan.seats or len(plan.bots) > plan.seats:
            raise Decline("no_such_seat", params={"seats": plan.seats})
        for strategy in plan.bots:
            self.check_strategy(strategy)

    def check_strategy(self, strategy: str) -> None:
        """Raise `no_such_strategy` unless there are house bots of this kind."""
        if strategy not in self.settings.strategies:
            raise Decline("no_such_strategy", params={"strategies": [*self.settings.strategies]})

    def seat_bots(self, table: Table, strategies: Collection[str]) -> list[Effect]:
        """Give new house bots their seats, one of each of these strategies."""
        return [effect for strategy in strategies for effect in self.seat_bot(table, strategy)]

    def seat_bot(self, table: Table, strategy: str) -> list[Effect]:
        """Give a new house bot a seat, and ask the shell to start it."""
        base = strategy.partition(":")[0][:BOT_NAME_CHARS_MAX]
        bot = self.players.add(self.players.free_name(base), "bot", is_house=True)
        seat = table.seats.sit_bot(bot, strategy)
        taken = SeatTaken(table.name, seat, bot.number, strategy)
        return [
            Save((bot.known(), taken)),
            table.seats.seat_bot(seat, self.settings.table.fixed_seed),
        ]

    def dismiss(self, bot: Player) -> list[Effect]:
        """Let a house bot go that has no seat any more."""
        self.players.forget(bot)
        return [Save((PlayerForgotten(bot.number),)), CloseBot(bot.number)]

    def close(self, table: Table) -> list[Effect]:
        """Close a table; whoever is still there is told."""
        word = table_left(table.name, "closed")
        effects: list[Effect] = [
            Deliver(player.number, word) for player, _ in table.seats.viewers()
        ]
        for seat in table.seats:
            player = seat.player
            if player is None:
                continue
            player.seats.discard(table.name)
            if player.table == table.name:
                player.table = None
            if player.is_house:
                effects += self.dismiss(player)
        for watcher in table.seats.watchers:
            watcher.table = None
        del self._tables[table.name]
        self._closed[table.name] = None
        while len(self._closed) > self.settings.tables_max:
            del self._closed[next(iter(self._closed))]
        line = report("table closed", table=table.label)
        return [Save((TableClosed(table.name),)), *effects, line]

    # --- known again ----------------------------------------------------------------------

    def take_in(self, table: Table) -> None:
        """Have a table that was made from its log."""
        self._tables[table.name] = table
        self._closed.pop(table.name, None)

    def take_out(self, name: str) -> Table | None:
        """Have a table no more, of which another one is made; the table, if there was one."""
        return self._tables.pop(name, None)

    def note_closed(self, name: str) -> None:
        """Remember that there was a table of this name."""
        self._closed[name] = None

    def is_closed(self, name: str) -> bool:
        """Whether there was a table of this name."""
        return name in self._closed

    def count_from(self, number: int) -> None:
        """So many tables have been opened by players so far."""
        self._opened = number

    # --- time -----------------------------------------------------------------------------

    def next_deadline(self) -> float | None:
        """When `due` may have something; None while nothing depends on time."""
        return self._timers[0][0] if self._timers else None

    def due(self, now: float) -> list[str]:
        """The tables that want a `tick`; each is named once."""
        names: dict[str, None] = {}
        while self._timers and self._timers[0][0] <= now:
            when, _, name = heapq.heappop(self._timers)
            table = self._tables.get(name)
            if table is not None and table.scheduled == when:
                table.scheduled = None
                names[name] = None
        return list(names)

    def schedule(self, table: Table) -> None:
        """Have the table called in time. A later time than the one set comes by itself."""
        deadline = table.next_deadline()
        if deadline is None or (table.scheduled is not None and table.scheduled <= deadline):
            return
        if len(self._timers) > 2 * len(self._tables) + TIMERS_SPARE:
            self._drop_overtaken()
        table.scheduled = deadline
        self._tie += 1
        heapq.heappush(self._timers, (deadline, self._tie, table.name))

    def _drop_overtaken(self) -> None:
        """Forget the timers that a nearer one of their table has overtaken.

        One of fourteen days would be there for as long, and each loss of a connection makes one.
        """
        times = {name: table.scheduled for name, table in self._tables.items()}
        self._timers[:] = [each for each in self._timers if times.get(each[2]) == each[0]]
        heapq.heapify(self._timers)
