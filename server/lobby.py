"""The lobby: every player and every table, and the one door for commands.

`Lobby.handle(player, command, now)` is synchronous and returns effects, in the order in which the
shell is to carry them out. A repeated command id gets the answer that it got; nothing happens
twice.
"""

import heapq
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from mexican_train import engine
from mexican_train.protocol import (
    PROTOCOL_VERSIONS,
    AddBot,
    AnyCommand,
    AskRecord,
    AskRules,
    AskSeatCode,
    Card,
    CreateTable,
    Done,
    Draw,
    Foul,
    Hello,
    JoinTable,
    Kick,
    Knock,
    LeaveTable,
    Limits,
    ListTables,
    Mute,
    Nudge,
    Ok,
    Pass,
    PassHost,
    Pause,
    Ping,
    Play,
    Pong,
    Ready,
    RecordPart,
    Refused,
    Rematch,
    RemoveBot,
    Resync,
    Said,
    Say,
    SeatCode,
    StartRule,
    StartTable,
    TableLeft,
    Tables,
    Vote,
    WatchTable,
    Welcome,
    common_version,
    refused,
)

from . import views
from .clocks import Terms
from .effects import (
    Admit,
    CloseBot,
    CommandAnswered,
    Deliver,
    Effect,
    Fact,
    HangUp,
    PlayerForgotten,
    PlayerKnown,
    Report,
    Save,
    SeatTaken,
    TableClosed,
    TableFact,
    TableOpened,
    TableSetAside,
    report,
)
from .players import (
    AGAIN,
    LOST,
    OK,
    PENDING,
    TABLE,
    Answer,
    BadName,
    Player,
    Players,
    clean_name,
    clean_text,
    is_token_confirmed,
    is_token_of,
    skeleton,
)
from .table import Decline, GuardedMove, Table, TableSettings, password_digest

TABLES_A_PAGE: Final = 20
"""A page of the largest tables, with 14 seats each and all their owners away, is below 60 KiB."""
BOT_NAME_CHARS_MAX: Final = 14
NUDGE_SECONDS: Final = 30
"""Between two nudges of one player."""


_ASKS: Final = (AskRecord, AskRules, ListTables, Ping, Resync)
"""The commands that change nothing: repeated, they are asked anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbySettings:
    """What the lobby needs to know of the server around it.

    Attributes:
        table: what all tables keep to.
        limits: told in every welcome.
        rules: those that `create` can name, beside the presets.
        own_rules: of a table for which `create` names none; None: `classic`.
        strategies: the house bots that there are; the first fills empty seats at `start`.
        tables_max: open tables at once.
        server, server_version: told in every welcome.
        features: what the server offers of what a hello may ask for.
    """

    table: TableSettings
    limits: Limits
    rules: Mapping[str, engine.RuleSet]
    strategies: Collection[str]
    own_rules: engine.RuleSet | None = None
    tables_max: int = 500
    server: str = "mt-server"
    server_version: str = ""
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """A table as it is to be opened."""

    name: str
    rules: engine.RuleSet
    seats: int = 4
    first_seat: int = 0
    bots: tuple[str, ...] = ()
    start: StartRule = "full"
    allows_watchers: bool = True
    password: str | None = None
    terms: Terms | None = None
    """None: those of the server."""


@dataclass(frozen=True, slots=True)
class Admission:
    """A hello that is welcome: who it is, and what follows."""

    player: int
    effects: list[Effect]


_OTHER_RULES: Final = Report("its rules stay as they were", level="warning")

_Handled = tuple[list[Effect], Answer]
_Handler = Callable[[Any, Player, Any, float], _Handled]


class Lobby:
    """All players and tables. One instance is the whole truth of a server."""

    def __init__(self, settings: LobbySettings) -> None:
        self._settings: Final = settings
        self._players: Final = Players(settings.table.random_bytes)
        self._tables: Final[dict[str, Table]] = {}
        self._closed: Final[dict[str, None]] = {}
        self._standing: Final[list[str]] = []
        self._timers: Final[list[tuple[float, int, str]]] = []
        self._tie = 0
        self._tables_opened = 0

    # --- the door -------------------------------------------------------------------------

    def hello(self, hello: Hello, now: float) -> Admission | Refused:
        """Let a player in: a new name, or one that comes back with its token or a seat code.

        Either is checked before anything is touched. The newest connection owns the player;
        an older one gets `replaced`.
        """
        version = common_version(hello.versions)
        if version is None:
            return refused("version", params={"server": [*PROTOCOL_VERSIONS]})
        try:
            name = clean_name(hello.name)
        except BadName:
            return refused("bad_name")
        known = self._players.named(name)
        if hello.token is not None:
            if known is None or known.is_house or not is_token_of(known, hello.token):
                return refused("bad_token")
            return self._admit(known, hello, version, now)
        if hello.seat_code is not None:
            if known is None or known.is_house or not self._has_code(known, hello.seat_code):
                return refused("bad_seat_code")
            return self._admit(known, hello, version, now)
        forgotten: list[Effect] = []
        if known is not None:
            if not known.is_idle:
                return refused("name_taken")
            forgotten = [self._forget(known)]
        player = self._players.add(name, hello.kind)
        admission = self._admit(player, hello, version, now)
        return Admission(player.number, [*forgotten, *admission.effects])

    def _has_code(self, player: Player, code: str) -> bool:
        """Whether the host of a table of the player's has asked for this code."""
        tables = [self._tables[name] for name in sorted(player.seats) if name in self._tables]
        return any(table.is_code_of(player, code) for table in tables)

    def hello_house(self, number: int, hello: Hello, now: float) -> Admission | Refused:
        """Let the house bot in for whom the shell opened this connection itself."""
        version = common_version(hello.versions)
        if version is None or number not in self._players:
            return refused("bad_token")
        return self._admit(self._players[number], hello, version, now)

    def _admit(self, player: Player, hello: Hello, version: int, now: float) -> Admission:
        older = HangUp(player.number, player.generation, "replaced")
        was_connected = player.is_connected
        token = self._players.issue_token(player, hello.token)
        player.generation += 1
        player.is_connected = True
        settings = self._settings
        welcome = Welcome(
            version=version,
            features=[*settings.features],
            limits=settings.limits,
            token=token,
            last_id=player.last_id,
            server=settings.server,
            server_version=settings.server_version,
            name=player.name,
            table=player.table,
        )
        effects: list[Effect] = [Save((player.known(),))]
        if was_connected:
            effects.append(older)
        for name in sorted(player.seats):
            if name in self._tables:
                effects += self._tables[name].end_code(player)
        effects.append(Admit(player.number, player.generation, welcome))
        table = self._table_of(player)
        if table is not None:
            # first of all, so that the owner is told of a clock and a hand that are its own again
            effects += table.note_presence(now)
            effects.append(table.news_for(player, now))
            effects += table.update_for(player, now, after=hello.last_event)
            if not was_connected:
                effects += table.came_or_went(player, now)
            self._schedule(table)
        return Admission(player.number, effects)

    def heard_from(self, number: int) -> list[Effect]:
        """A frame has come from a player: the newest token is in its hands, the old one ends."""
        player = self._players[number]
        return [Save((player.known(),))] if is_token_confirmed(player) else []

    def disconnected(self, number: int, generation: int, now: float) -> list[Effect]:
        """A connection has ended; one of an older generation changes nothing.

        Its player keeps the seat. One without a seat is forgotten when somebody else wants the
        name, or when there are too many.
        """
        if number not in self._players:
            return []
        player = self._players[number]
        if player.generation != generation or not player.is_connected:
            return []
        player.is_connected = False
        player.absent_since = now
        effects: list[Effect] = []
        table = self._table_of(player)
        if table is not None:
            effects += table.came_or_went(player, now)
            self._schedule(table)
        return [*effects, *(self._forget(idle) for idle in self._players.overdue())]

    def _forget(self, player: Player) -> Effect:
        self._players.forget(player)
        return Save((PlayerForgotten(player.number),))

    # --- commands -------------------------------------------------------------------------

    def handle(self, number: int, command: AnyCommand, now: float) -> list[Effect]:
        """Carry out a command of a player; every command is answered."""
        player = self._players[number]
        if command.id <= player.last_id:
            return self._answer_again(player, command, now)
        player.last_id = command.id
        return self._answer(player, command, now)

    def _answer(self, player: Player, command: AnyCommand, now: float) -> list[Effect]:
        table = self._table_of(player)
        try:
            effects, answer = self._handlers[type(command)](self, player, command, now)
        except Decline as decline:
            message = decline.message(command.id)
            player.keep_answer(command.id, Answer("declined", message))
            return [Deliver(player.number, message)]
        player.keep_answer(command.id, answer)
        now_at = self._table_of(player)
        if now_at is not None:
            self._schedule(now_at)
        if table is not None and table is not now_at:
            self._schedule(table)
        if any(isinstance(effect, Save) for effect in effects):
            effects = [Save(player.answered()), *effects]
        return effects

    def _answer_again(self, player: Player, command: AnyCommand, now: float) -> list[Effect]:
        """The answer that this id got before, and nothing else."""
        answer = player.answers.get(command.id)
        if answer is None:
            return [Deliver(player.number, Decline("too_old").message(command.id))]
        table = self._table_of(player)
        match answer.kind:
            case "pending":
                return self._answer(player, command, now) if answer is LOST else []
            case "declined" if answer.declined is not None:
                return [Deliver(player.number, answer.declined)]
            case "again" if isinstance(command, _ASKS):
                return self._answer(player, command, now)
            case "again":
                # another command under a used id: never carried out
                return [Deliver(player.number, Decline("too_old").message(command.id))]
            case "table" if table is not None:
                return [table.news_for(player, now, command.id)]
            case "update" if table is not None:
                return table.update_for(player, now, answers=command.id, between=answer.events)
        return [Deliver(player.number, Ok(answers=command.id))]

    def lane(self, number: int, command: AnyCommand | None = None) -> str | None:
        """The table that a command of this player changes; None: no table."""
        if isinstance(command, CreateTable):
            return command.name
        if isinstance(command, JoinTable | WatchTable):
            return command.table
        return self._players[number].table if number in self._players else None

    def lane_of_hello(self, hello: Hello) -> str | None:
        """The table that a hello changes, should it be welcome."""
        try:
            player = self._players.named(clean_name(hello.name))
        except BadName:
            return None
        return player.table if player is not None else None

    def owes_move(self, number: int, command: GuardedMove) -> bool:
        """Whether this is the move that a player's seat owes (it costs no message)."""
        player = self._players[number]
        table = self._table_of(player)
        return table is not None and table.owes_move(player, command.turn)

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

    def tick(self, name: str, now: float) -> list[Effect]:
        """Do what the time demands of one table."""
        table = self._tables.get(name)
        if table is None:
            return []
        effects: list[Effect] = []
        for player, command in table.take_held(now):
            effects += self._answer(player, command, now)
        effects += table.tick(now)
        if table.closing:
            return [*effects, *self._close(table)]
        self._schedule(table)
        return effects

    def _schedule(self, table: Table) -> None:
        """Have the table called in time. A later time than the one set comes by itself."""
        deadline = table.next_deadline()
        if deadline is None or (table.scheduled is not None and table.scheduled <= deadline):
            return
        table.scheduled = deadline
        self._tie += 1
        heapq.heappush(self._timers, (deadline, self._tie, table.name))

    # --- tables ---------------------------------------------------------------------------

    def open_standing(self, plan: TablePlan, now: float) -> list[Effect]:
        """Open a table at the start of the server; one that was recovered is taken up again.

        Raises:
            Decline: as `create`.
        """
        before: list[Effect] = []
        known = self._tables.get(plan.name)
        if known is not None and known.is_recalled:
            if known.state != "over":
                self._standing.append(known.name)
                line = report("table taken up again", table=known.label, state=known.state)
                return [line] if known.rules == plan.rules else [line, _OTHER_RULES]
            before = self._close(known)
        table, opened = self._open(plan, now, is_standing=True)
        effects = [*before, *opened]
        self._standing.append(table.name)
        return [*effects, *self._seat_bots(table, plan.bots), *self._go_on(table, now)]

    @property
    def is_done(self) -> bool:
        """Whether there are standing tables and each has played a game to its end."""
        standing = [self._tables.get(name) for name in self._standing]
        return bool(standing) and all(
            table is None or table.state == "over" or table.closing for table in standing
        )

    def _go_on(self, table: Table, now: float) -> list[Effect]:
        effects = table.go_on_if_ready(now)
        self._schedule(table)
        return effects

    def _open(
        self, plan: TablePlan, now: float, *, is_standing: bool = False
    ) -> tuple[Table, list[Effect]]:
        """A new table, without anybody at it.

        Raises:
            Decline: `bad_name`, `name_in_use`, `server_full`, `bad_seats`, `no_such_seat`,
                `no_such_strategy`.
        """
        self._check_plan(plan)
        self._tables_opened += 1
        table = Table(
            plan.name,
            label=plan.name if is_standing else f"#{self._tables_opened}",
            rules=plan.rules,
            seats=plan.seats,
            settings=self._settings.table,
            first_seat=plan.first_seat,
            start=plan.start,
            allows_watchers=plan.allows_watchers,
            password_digest=password_digest(plan.password),
            is_standing=is_standing,
            terms=plan.terms,
            now=now,
        )
        self._tables[plan.name] = table
        self._closed.pop(plan.name, None)
        opened = TableOpened(
            plan.name,
            label=table.label,
            rules=plan.rules.name,
            rules_hash=plan.rules.hash,
            options=plan.rules.options(),
            seats=plan.seats,
            first_seat=plan.first_seat,
            start=plan.start,
            allows_watchers=plan.allows_watchers,
            is_standing=is_standing,
            password_digest=password_digest(plan.password),
            turn_seconds=table.terms.turn_seconds,
            bank_seconds=table.terms.bank_seconds,
            on_timeout=table.terms.on_timeout,
            on_absent=table.terms.on_absent,
        )
        line = report(
            "table opened", table=table.label, seats=plan.seats, rules=plan.rules.hash[:12]
        )
        return table, [Save((opened,)), line]

    def _check_plan(self, plan: TablePlan) -> None:
        try:
            # a number would be read as the place of a table in the list
            if clean_name(plan.name) != plan.name or plan.name.isdigit():
                raise Decline("bad_name")
        except BadName:
            raise Decline("bad_name") from None
        if skeleton(plan.name) in {skeleton(name) for name in self._tables}:
            raise Decline("name_in_use")
        if len(self._tables) >= self._settings.tables_max:
            raise Decline("server_full")
        try:
            engine.check_table(plan.rules, plan.seats)
        except engine.RuleSetError as error:
            raise Decline("bad_seats", str(error), option=error.option) from None
        if plan.first_seat >= plan.seats or len(plan.bots) > plan.seats:
            raise Decline("no_such_seat", params={"seats": plan.seats})
        for strategy in plan.bots:
            self._check_strategy(strategy)

    def _check_strategy(self, strategy: str) -> None:
        if strategy not in self._settings.strategies:
            raise Decline("no_such_strategy", params={"strategies": [*self._settings.strategies]})

    def _seat_bots(self, table: Table, strategies: Collection[str]) -> list[Effect]:
        return [effect for strategy in strategies for effect in self._seat_bot(table, strategy)]

    def _seat_bot(self, table: Table, strategy: str) -> list[Effect]:
        """Give a new house bot a seat, and ask the shell to start it."""
        base = strategy.partition(":")[0][:BOT_NAME_CHARS_MAX]
        bot = self._players.add(self._players.free_name(base), "bot", is_house=True)
        seat = table.sit_bot(bot, strategy)
        taken = SeatTaken(table.name, seat, bot.number, strategy)
        return [Save((bot.known(), taken)), table.seat_bot(seat)]

    def _dismiss(self, bot: Player) -> list[Effect]:
        return [self._forget(bot), CloseBot(bot.number)]

    def _close(self, table: Table) -> list[Effect]:
        """Close a table; whoever is still there is told."""
        word = TableLeft(table=table.name, code="closed", text="The table has closed.")
        effects: list[Effect] = [Deliver(player.number, word) for player, _ in table.viewers()]
        for seat in table.seats:
            player = seat.player
            if player is None:
                continue
            player.seats.discard(table.name)
            if player.table == table.name:
                player.table = None
            if player.is_house:
                effects += self._dismiss(player)
        for watcher in table.watchers:
            watcher.table = None
        del self._tables[table.name]
        self._closed[table.name] = None
        while len(self._closed) > self._settings.tables_max:
            del self._closed[next(iter(self._closed))]
        line = report("table closed", table=table.label)
        return [Save((TableClosed(table.name),)), *effects, line]

    def _table_of(self, player: Player) -> Table | None:
        return self._tables.get(player.table) if player.table is not None else None

    def _at_table(self, player: Player) -> Table:
        table = self._table_of(player)
        if table is None:
            raise Decline("not_at_table")
        return table

    def _named(self, name: str) -> Table:
        table = self._tables.get(name)
        if table is None:
            raise Decline("gone" if name in self._closed else "no_such_table")
        return table

    def _hosted(self, player: Player) -> Table:
        """The player's table, for what only its host may do."""
        table = self._at_table(player)
        if table.host is not player:
            raise Decline("not_host")
        return table

    def _rules(self, name: str | None, options: Collection[str] = ()) -> engine.RuleSet:
        """The rules of this name, or the server's own, with single options over them.

        Raises:
            Decline: `bad_rules`, with the engine's sentence.
        """
        try:
            settings = self._settings
            rules = settings.own_rules if name is None else settings.rules.get(name)
            if rules is None:
                rules = engine.RuleSet.preset(name or "classic")
            changes = dict(engine.parse_option(text) for text in options)
            return rules.with_options(changes) if changes else rules
        except engine.RuleSetError as error:
            raise Decline(
                "bad_rules", str(error), option=error.option, params={"reason": error.code}
            ) from None

    # --- after a crash --------------------------------------------------------------------

    def recover(self, facts: Iterable[Fact], now: float) -> list[Effect]:
        """Know again what earlier runs have stored. For a lobby that knows nothing yet.

        House bots are seated again, and what waits for nobody goes on. A table whose log does
        not fit is set aside, and the others are none the worse.
        """
        tables, effects = self._recall(facts, now)
        for table in tables:
            effects += table.house_bots()
            effects += self._go_on(table, now)
        numbers = [int(table.label[1:]) for table in tables if table.label[1:].isdigit()]
        self._tables_opened = max(numbers, default=0)
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
        """Put tables and players back to what is stored of them: `facts`.

        Args:
            names: the tables to put back.
            numbers: the players to put back, `people_at` those tables included.
            facts: all that is stored of them, and of whoever has a seat at those tables.
            connected: by player, the generation of the present connection.
            watchers: by table, who looked on before what is undone here.
            now: the time.
        """
        older = {name: self._tables.pop(name, None) for name in names}
        present = {name: [*table.viewers()] if table else [] for name, table in older.items()}
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
                table.carry_over(before, [each for each in looked_on if each is not None], now)
                self._schedule(table)
            elif name in self._closed:
                word = TableLeft(table=name, code="closed", text="The table has closed.")
                effects += [Deliver(player.number, word) for player, _ in present[name]]
        return effects

    def people_at(self, names: Iterable[str]) -> set[int]:
        """The numbers of all who have a seat or look on at these tables."""
        tables = [self._tables[name] for name in names if name in self._tables]
        seated = {seat.player.number for table in tables for seat in table.seats if seat.player}
        return seated.union(*({each.number for each in table.watchers} for table in tables))

    def watchers(self, name: str | None) -> tuple[int, ...]:
        """Who looks on at a table, by number."""
        table = self._tables.get(name) if name is not None else None
        if table is None or not table.watchers:
            return ()
        return tuple(watcher.number for watcher in table.watchers)

    def present_state(self, name: str, now: float) -> list[Effect]:
        """A table and its game to everybody who is there."""
        table = self._tables.get(name)
        if table is None:
            return []
        effects = table.news(now)
        for player, _ in table.viewers():
            effects += table.update_for(player, now)
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
                    self._closed[fact.table] = None
                case TableFact():
                    logs.setdefault(fact.table, []).append(fact)
        tables: list[Table] = []
        effects: list[Effect] = []
        for name, log in logs.items():
            try:
                table = Table.recalled(log, self._players, self._settings.table, now)
            except Exception as error:  # noqa: BLE001 - a log that does not fit may raise anything
                label = log[0].label if isinstance(log[0], TableOpened) else "?"
                aside.append(TableSetAside(name, label, f"{type(error).__name__}: {error}"))
                effects.append(Save((aside[-1],)))
                continue
            self._tables[name] = table
            self._closed.pop(name, None)
            tables.append(table)
            self._schedule(table)
        for each in aside:
            values = (("table", each.label), ("reason", each.reason))
            effects += [Report("table set aside", values, "error"), *self._abandon(each.table)]
        return tables, effects

    def _abandon(self, name: str) -> list[Effect]:
        """Let nobody keep a seat at a table that is set aside."""
        effects: list[Effect] = []
        self._closed[name] = None
        for player in [*self._players]:
            player.seats.discard(name)
            if player.table == name:
                player.table = None
            if player.is_house and not player.seats:
                effects += self._dismiss(player)
        return effects

    # --- one method a command -------------------------------------------------------------

    def _list(self, player: Player, command: ListTables, now: float) -> _Handled:
        names = sorted(self._tables)
        first = command.page * TABLES_A_PAGE
        page = [self._tables[name].info(now) for name in names[first : first + TABLES_A_PAGE]]
        message = Tables(
            answers=command.id,
            tables=page,
            page=command.page,
            pages=max(1, -(-len(names) // TABLES_A_PAGE)),
        )
        return [Deliver(player.number, message)], AGAIN

    def _create(self, player: Player, command: CreateTable, now: float) -> _Handled:
        self._check_free(player)
        if player.kind == "watcher":
            raise Decline("not_seated", "A watcher takes no seat.")
        pause = self._settings.limits.create_seconds
        if player.created_at is not None and now < player.created_at + pause:
            raise Decline("slow_down", params={"seconds": pause})
        plan = TablePlan(
            name=command.name,
            rules=self._rules(command.rules, command.options),
            seats=command.seats,
            first_seat=command.first_seat,
            bots=tuple(command.bots),
            start=command.start,
            allows_watchers=command.watchers == "public",
            password=command.password,
            terms=self._terms(command),
        )
        if len(plan.bots) >= plan.seats:
            raise Decline("table_full")
        table, effects = self._open(plan, now)
        player.created_at = now
        effects += table.sit(player, None, now)
        if table.host is None:
            effects += table.name_host(player)
        effects += self._seat_bots(table, plan.bots)
        effects += table.news(now, player, command.id)
        return [*effects, *self._go_on(table, now)], TABLE

    def _terms(self, command: CreateTable) -> Terms:
        """What a new table does about time and absence; what is not said, as on this server."""
        own = self._settings.table.terms
        seconds, bank = command.turn_seconds, command.bank_seconds
        turn_seconds = own.turn_seconds if seconds is None else seconds or None
        return Terms(
            turn_seconds=turn_seconds,
            bank_seconds=(own.bank_seconds if bank is None else bank) if turn_seconds else 0,
            on_timeout=command.on_timeout or own.on_timeout,
            on_absent=command.on_absent or own.on_absent,
        )

    def _check_free(self, player: Player, table: Table | None = None) -> None:
        """Raise `already_at_table` unless the player is nowhere, or at this table."""
        here = self._table_of(player)
        if here is not None and here is not table:
            raise Decline("already_at_table", params={"table": here.name})

    def _join(self, player: Player, command: JoinTable, now: float) -> _Handled:
        if player.kind == "watcher":
            raise Decline("not_seated", "A watcher takes no seat.")
        table = self._named(command.table)
        self._check_free(player, table)
        seat = table.seat_of(player)
        if seat is None:
            table.check_password(command.password)
        is_watching = player in table.watchers
        effects: list[Effect] = []
        if seat is None or player.table != table.name:
            effects += table.sit(player, command.seat, now)
            if is_watching:
                table.watchers.remove(player)
        effects += table.news(now, player, command.id)
        effects += table.update_for(player, now)
        return [*effects, *self._go_on(table, now)], TABLE

    def _watch(self, player: Player, command: WatchTable, now: float) -> _Handled:
        table = self._named(command.table)
        self._check_free(player, table)
        if table.seat_of(player) is not None:
            raise Decline("already_at_table", params={"table": table.name})
        table.check_password(command.password)
        if player not in table.watchers:
            table.watch(player, now)
        return [*table.news(now, player, command.id), *table.update_for(player, now)], TABLE

    def _leave(self, player: Player, command: LeaveTable, now: float) -> _Handled:
        table = self._at_table(player)
        effects = table.leave(player, now)
        self._schedule(table)
        return [*effects, Deliver(player.number, Ok(answers=command.id))], OK

    def _ready(self, player: Player, command: Ready, now: float) -> _Handled:
        table = self._at_table(player)
        effects = table.set_ready(player, command.on)
        effects += table.news(now, player, command.id)
        return [*effects, *self._go_on(table, now)], TABLE

    def _start(self, player: Player, command: StartTable, now: float) -> _Handled:
        table = self._hosted(player)
        if table.state != "waiting":
            raise Decline("already_started")
        fill = next(iter(self._settings.strategies), None)
        empty = table.empty_seats()
        if empty and fill is None:
            raise Decline("no_such_strategy")
        effects = self._seat_bots(table, [fill] * len(empty) if fill is not None else [])
        effects += table.news(now, player, command.id)
        return [*effects, *table.start(now)], TABLE

    def _add_bot(self, player: Player, command: AddBot, now: float) -> _Handled:
        table = self._hosted(player)
        if table.is_in_play:
            raise Decline("already_started")
        self._check_strategy(command.strategy)
        if not table.empty_seats():
            raise Decline("table_full")
        effects = [*self._seat_bot(table, command.strategy), *table.news(now, player, command.id)]
        return [*effects, *self._go_on(table, now)], TABLE

    def _remove_bot(self, player: Player, command: RemoveBot, now: float) -> _Handled:
        table = self._hosted(player)
        bot, _ = table.named(command.name)
        if not bot.is_house:
            raise Decline("no_such_player")
        effects = [*table.send_away(bot, now), *self._dismiss(bot)]
        return [*effects, table.news_for(player, now, command.id)], TABLE

    def _kick(self, player: Player, command: Kick, now: float) -> _Handled:
        table = self._hosted(player)
        guest, _ = table.named(command.name)
        if guest is player:
            raise Decline("no_such_player")
        effects = table.send_away(guest, now)
        if guest.is_house:
            effects += self._dismiss(guest)
        return [*effects, table.news_for(player, now, command.id)], TABLE

    def _pass_host(self, player: Player, command: PassHost, now: float) -> _Handled:
        table = self._at_table(player)
        if table.host is not player and table.heir_of is not player:
            raise Decline("not_host")
        heir, seat = table.named(command.name)
        if table.host is not player and heir is not player:
            raise Decline("not_host")
        if seat is None or heir.kind != "person" or not table.is_present(heir):
            raise Decline("no_such_player")
        return [*table.name_host(heir), *table.news(now, player, command.id)], TABLE

    def _ask_seat_code(self, player: Player, command: AskSeatCode, _now: float) -> _Handled:
        owner, code, effects = self._hosted(player).give_code(command.name)
        message = SeatCode(answers=command.id, name=owner.name, code=code)
        return [*effects, Deliver(player.number, message)], OK

    def _rematch(self, player: Player, command: Rematch, now: float) -> _Handled:
        table = self._hosted(player)
        effects = table.set_up_again(now)
        effects += table.news(now, player, command.id)
        return [*effects, *self._go_on(table, now)], TABLE

    def _ask_rules(self, player: Player, command: AskRules, _now: float) -> _Handled:
        if command.name is not None:
            rules = self._rules(command.name)
        elif command.table is not None:
            rules = self._named(command.table).rules
        else:
            rules = self._at_table(player).rules
        card = Card(
            answers=command.id, rules=views.rules_info(rules), lines=views.card_lines(rules)
        )
        return [Deliver(player.number, card)], AGAIN

    def _move(self, player: Player, command: GuardedMove, now: float) -> _Handled:
        effects, answer = self._at_table(player).move(player, command, now)
        return effects, answer or PENDING

    def _knock(self, player: Player, command: Knock, now: float) -> _Handled:
        return self._at_table(player).knock(player, command, now)

    def _foul(self, player: Player, command: Foul, now: float) -> _Handled:
        return self._at_table(player).foul(player, command, now)

    def _vote(self, player: Player, command: Vote, now: float) -> _Handled:
        table = self._at_table(player)
        effects = table.vote(player, command, now)
        return [*effects, *table.news(now, player, command.id)], TABLE

    def _pause(self, player: Player, command: Pause, now: float) -> _Handled:
        table = self._hosted(player)
        effects = table.set_paused(command.on, now)
        effects += table.news(now, player, command.id)
        return [*effects, *self._go_on(table, now)], TABLE

    def _nudge(self, player: Player, command: Nudge, now: float) -> _Handled:
        table = self._at_table(player)
        nudged = table.nudge(player)
        if player.nudged_at is not None and now < player.nudged_at + NUDGE_SECONDS:
            seconds = round(player.nudged_at + NUDGE_SECONDS - now + 0.5)
            raise Decline("slow_down", params={"seconds": seconds})
        player.nudged_at = now
        effects: list[Effect] = [
            Deliver(number, nudged) for number in self._listeners(player) if number != player.number
        ]
        return [*effects, Deliver(player.number, Ok(answers=command.id))], OK

    def _mute(self, player: Player, command: Mute, _now: float) -> _Handled:
        other = self._players.named(command.name)
        if other is None or other is player:
            raise Decline("no_such_player")
        if command.on:
            player.muted.add(other.number)
        else:
            player.muted.discard(other.number)
        return [Deliver(player.number, Ok(answers=command.id))], OK

    def _say(self, player: Player, command: Say, now: float) -> _Handled:
        text = clean_text(command.text)[: self._settings.limits.chat_chars_max]
        self._check_chat(player, now)
        effects: list[Effect] = []
        if text:
            said = Said(name=player.name, text=text)
            effects += [Deliver(number, said) for number in self._listeners(player)]
        return [*effects, Deliver(player.number, Ok(answers=command.id))], OK

    def _check_chat(self, player: Player, now: float) -> None:
        limits, said_at = self._settings.limits, player.said_at
        while said_at and said_at[0] <= now - limits.chat_seconds:
            said_at.popleft()
        if len(said_at) >= limits.chat_messages:
            raise Decline("chat_limit", params={"seconds": limits.chat_seconds})
        said_at.append(now)

    def _listeners(self, player: Player) -> list[int]:
        """Who hears a player: the same table, or those who are in the lobby too, unless muted."""
        table = self._table_of(player)
        if table is not None:
            near = [viewer for viewer, _ in table.viewers()]
        else:
            near = [each for each in self._players if each.is_connected and each.table is None]
        return [each.number for each in near if player.number not in each.muted]

    def _ask_record(self, player: Player, command: AskRecord, _now: float) -> _Handled:
        table = self._named(command.table)
        if player.table != table.name and table.seat_of(player) is None:
            raise Decline("not_at_table")
        parts, text = table.record_part(command.part)
        message = RecordPart(
            answers=command.id, table=table.name, part=command.part, parts=parts, text=text
        )
        return [Deliver(player.number, message)], AGAIN

    def _ping(self, player: Player, command: Ping, _now: float) -> _Handled:
        return [Deliver(player.number, Pong(answers=command.id))], AGAIN

    def _resync(self, player: Player, command: Resync, now: float) -> _Handled:
        table = self._table_of(player)
        if table is None:
            return [Deliver(player.number, Ok(answers=command.id))], AGAIN
        news = table.news_for(player, now, command.id)
        return [news, *table.update_for(player, now)], AGAIN

    _handlers: ClassVar[Mapping[type[Any], _Handler]] = {
        ListTables: _list,
        CreateTable: _create,
        JoinTable: _join,
        WatchTable: _watch,
        LeaveTable: _leave,
        Ready: _ready,
        StartTable: _start,
        AddBot: _add_bot,
        RemoveBot: _remove_bot,
        Kick: _kick,
        PassHost: _pass_host,
        Rematch: _rematch,
        AskSeatCode: _ask_seat_code,
        AskRules: _ask_rules,
        Play: _move,
        Draw: _move,
        Pass: _move,
        Done: _move,
        Knock: _knock,
        Foul: _foul,
        Vote: _vote,
        Pause: _pause,
        AskRecord: _ask_record,
        Say: _say,
        Nudge: _nudge,
        Mute: _mute,
        Ping: _ping,
        Resync: _resync,
    }
    """Every command and who carries it out; a test compares it with the protocol's list."""
