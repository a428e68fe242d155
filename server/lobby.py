"""The lobby: every player and every table, and the one door for commands.

`Lobby.handle(player, command, now)` is synchronous and returns effects, in the order in which the
shell is to carry them out. A repeated command id gets the answer that it got; nothing happens
twice.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from mexican_train.protocol import (
    PROTOCOL_VERSIONS,
    AnyCommand,
    AskHint,
    AskRecord,
    AskRules,
    CreateTable,
    Hello,
    JoinTable,
    ListTables,
    Ok,
    Ping,
    Refused,
    Resync,
    WatchTable,
    Welcome,
    Why,
    common_version,
    refused,
)

from .commands import HANDLERS, Handler
from .declines import Decline
from .door import Door
from .effects import Admit, Deliver, Effect, Fact, HangUp, PlayerForgotten, Save
from .lobby_settings import LobbySettings, TablePlan
from .players import (
    LOST,
    Answer,
    BadName,
    Player,
    Players,
    clean_name,
    is_token_confirmed,
    is_token_of,
)
from .playing import GuardedMove
from .recovery import Recovery
from .tables import Tables

_ASKS: Final = (AskHint, AskRecord, AskRules, ListTables, Ping, Resync, Why)
"""The commands that change nothing: repeated, they are asked anew."""


@dataclass(frozen=True, slots=True)
class Admission:
    """A hello that is welcome: who it is, and what follows."""

    player: int
    effects: list[Effect]


class Lobby:
    """All players and tables. One instance is the whole truth of a server."""

    _handlers: ClassVar[Mapping[type[Any], Handler]] = HANDLERS

    def __init__(self, settings: LobbySettings) -> None:
        self._settings: Final = settings
        self._players: Final = Players(settings.table.random_bytes)
        self._tables: Final = Tables(settings, self._players)
        self._recovery: Final = Recovery(self._tables, self._players)
        self._door: Final = Door(settings.password_digest)

    # --- the door -------------------------------------------------------------------------

    def hello(self, hello: Hello, now: float, origin: str = "") -> Admission | Refused:
        """Let a player in: a new name, or one that comes back with its token or a seat code.

        Either is checked before anything is touched, and so is the server's password, which all
        must bring but those whose seat waits for them. `origin` is the address that wrong
        passwords are counted by. The newest connection owns the player; an older one gets
        `replaced`.
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
            if not known.seats and (closed := self._door.refusal(hello.password, origin, now)):
                return refused(closed)
            return self._admit(known, hello, version, now)
        if hello.seat_code is not None:
            if known is None or known.is_house or not self._has_code(known, hello.seat_code):
                return refused("bad_seat_code")
            return self._admit(known, hello, version, now)
        if closed := self._door.refusal(hello.password, origin, now):
            return refused(closed)
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
        return any(table.seats.is_code_of(player, code) for table in tables)

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
        player.round_trips = ()
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
                effects += self._tables[name].seats.end_code(player)
        effects.append(Admit(player.number, player.generation, welcome))
        table = self._tables.table_of(player)
        if table is not None:
            # first of all, so that the owner is told of a clock and a hand that are its own again
            effects += table.attendance.note_presence(now)
            effects.append(table.telling.news_for(player, now))
            effects += table.telling.update_for(player, now, after=hello.last_event)
            if not was_connected:
                effects += table.came_or_went(player, now)
            self._tables.schedule(table)
        return Admission(player.number, effects)

    def heard_from(self, number: int, generation: int) -> list[Effect]:
        """A frame has come on this connection of a player: its token has arrived, all others end.

        Not so on one of an older generation: a newer token is on its way.
        """
        player = self._players.get(number)
        if player is None or player.generation != generation or not is_token_confirmed(player):
            return []
        return [Save((player.known(),))]

    def note_round_trip(self, number: int, generation: int, seconds: float) -> None:
        """A heartbeat of a connection was answered after so long; counts from the next turn on."""
        player = self._players.get(number)
        if player is not None and player.generation == generation:
            player.note_round_trip(seconds)

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
        table = self._tables.table_of(player)
        if table is not None:
            effects += table.came_or_went(player, now)
            self._tables.schedule(table)
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
        table = self._tables.table_of(player)
        try:
            effects, answer = self._handlers[type(command)](self._tables, player, command, now)
        except Decline as decline:
            message = decline.message(command.id)
            player.keep_answer(command.id, Answer("declined", message))
            return [Deliver(player.number, message)]
        player.keep_answer(command.id, answer)
        now_at = self._tables.table_of(player)
        if now_at is not None:
            self._tables.schedule(now_at)
        if table is not None and table is not now_at:
            self._tables.schedule(table)
        if any(isinstance(effect, Save) for effect in effects):
            effects = [Save(player.answered()), *effects]
        return effects

    def _answer_again(self, player: Player, command: AnyCommand, now: float) -> list[Effect]:
        """The answer that this id got before, and nothing else."""
        answer = player.answers.get(command.id)
        if answer is None:
            return [Deliver(player.number, Decline("too_old").message(command.id))]
        table = self._tables.table_of(player)
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
                return [table.telling.news_for(player, now, command.id)]
            case "update" if table is not None:
                return table.telling.update_for(
                    player, now, answers=command.id, between=answer.events
                )
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
        table = self._tables.table_of(player)
        return table is not None and table.playing.owes_move(player, command.turn)

    # --- time -----------------------------------------------------------------------------

    def next_deadline(self) -> float | None:
        """When `due` may have something; None while nothing depends on time."""
        return self._tables.next_deadline()

    def due(self, now: float) -> list[str]:
        """The tables that want a `tick`; each is named once."""
        return self._tables.due(now)

    def tick(self, name: str, now: float) -> list[Effect]:
        """Do what the time demands of one table."""
        table = self._tables.get(name)
        if table is None:
            return []
        effects: list[Effect] = []
        for player, command in table.playing.take_held(now):
            effects += self._answer(player, command, now)
        effects += table.tick(now)
        if table.closing:
            return [*effects, *self._tables.close(table)]
        self._tables.schedule(table)
        return effects

    # --- tables ---------------------------------------------------------------------------

    def open_standing(self, plan: TablePlan, now: float) -> list[Effect]:
        """Open a table at the start of the server; one that was recovered is taken up again.

        Raises:
            Decline: as `create`.
        """
        return self._tables.open_standing(plan, now)

    @property
    def is_done(self) -> bool:
        """Whether there are standing tables and each has played a game to its end."""
        return self._tables.is_done

    @property
    def is_awaited(self) -> bool:
        """Whether somebody with a seat at a standing table is not here."""
        return self._tables.is_awaited

    def put_away_finished(self) -> list[Effect]:
        """Close the standing tables whose game is over, as the server stops in good order.

        All who are there have been told, so that the next start may begin anew.
        """
        return self._tables.put_away_finished()

    @property
    def has_company(self) -> bool:
        """Whether a person is connected, wherever in the server."""
        return any(player.kind == "person" and player.is_connected for player in self._players)

    def people_at(self, names: Iterable[str]) -> set[int]:
        """The numbers of all who have a seat or look on at these tables."""
        tables = [self._tables[name] for name in names if name in self._tables]
        seated = {seat.player.number for table in tables for seat in table.seats if seat.player}
        return seated.union(*({each.number for each in table.seats.watchers} for table in tables))

    def watchers(self, name: str | None) -> tuple[int, ...]:
        """Who looks on at a table, by number."""
        table = self._tables.get(name) if name is not None else None
        if table is None or not table.seats.watchers:
            return ()
        return tuple(watcher.number for watcher in table.seats.watchers)

    def present_state(self, name: str, now: float) -> list[Effect]:
        """A table and its game to everybody who is there."""
        table = self._tables.get(name)
        if table is None:
            return []
        effects = table.telling.news(now)
        for player, _ in table.seats.viewers():
            effects += table.telling.update_for(player, now)
        return effects

    # --- after a crash --------------------------------------------------------------------

    def recover(self, facts: Iterable[Fact], now: float, unix: float) -> list[Effect]:
        """Know again what earlier runs have stored. For a lobby that knows nothing yet.

        `unix` is the time of day, in seconds since 1970: games that nobody has come back to for
        long have waited in earlier runs too. `note_company` is to follow, or none would ever close.

        House bots are seated again, and what waits for nobody goes on. A table whose log does
        not fit is set aside, and the others are none the worse.
        """
        return self._recovery.recover(facts, now, unix)

    def note_company(self, now: float) -> list[Effect]:
        """Note that nobody is at the tables that were left by the end of an earlier run."""
        effects: list[Effect] = []
        for table in self._tables.values():
            effects += table.note_company(now)
            self._tables.schedule(table)
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
        return self._recovery.restore(
            names, numbers, facts, connected=connected, watchers=watchers, now=now
        )
