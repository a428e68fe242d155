"""A table: seats round a game, from the first guest to the last score.

Pure: time is an argument, what follows comes back as effects. Every method that can refuse
raises `Decline` before anything has changed.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mexican_train import engine
from mexican_train.protocol import (
    AnyCommand,
    Declined,
    Done,
    Draw,
    Foul,
    Knock,
    Parameter,
    Pass,
    Play,
    SeatInfo,
    SeatKind,
    StartRule,
    TableInfo,
    TableLeft,
    TableNews,
    TableState,
    declined,
)

from . import views
from .effects import (
    Deliver,
    DeliverUpdate,
    Effect,
    FixedDeal,
    GameSetUp,
    GameStarted,
    HostNamed,
    MoveMade,
    RoundDealt,
    Save,
    SeatBot,
    SeatLeft,
    SeatReady,
    SeatTaken,
    TableFact,
    TableOpened,
    report,
)
from .players import Answer, Player, Players
from .progress import Progress, Updates

SEED_BYTES: Final = 32
SKIP: Final = "skip"
"""How the table's own move stands in its log."""
RETRY_SECONDS: Final = 1.0
"""After something could not be stored, before time demands it again."""
RECORD_PART_CHARS: Final = 12_288
"""A record is written in ASCII, so that these are bytes too."""

GuardedMove = Play | Draw | Pass | Done
"""The commands that carry the table's `turn`."""


class Decline(Exception):
    """A command is not carried out; nothing has changed.

    Args:
        code: one of `DECLINED_CODES`, or a code of the rules that brings its own `text`.
    """

    def __init__(
        self,
        code: str,
        text: str | None = None,
        *,
        option: str | None = None,
        params: Mapping[str, Parameter] | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.text = text
        self.option = option
        self.params = params

    def message(self, answers: int) -> Declined:
        """The answer to the command."""
        return declined(answers, self.code, text=self.text, option=self.option, params=self.params)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """What all tables of a server keep to.

    Attributes:
        pace_seconds: the shortest time between two moves where the latter is a bot's; None: 1
            while a person is seated, otherwise 0.
        between_seconds: how long the next round waits for persons who are not ready.
        bot_choice_seconds: a bot's time for one choice; then the table moves for it.
        idle_seconds: a table that is not being played closes so long after its last person left.
        seat_grace_seconds: so long a seat is kept for someone gone while no game is on.
        fixed_seed: all deals follow from it, and say so; None: from `random_bytes`.
        fixed_deal: by the number of the round, a deal laid out by hand, for tests.
        random_bytes: the source of secrets.
    """

    random_bytes: Callable[[int], bytes]
    pace_seconds: float | None = None
    between_seconds: float = 30.0
    bot_choice_seconds: float = 10.0
    idle_seconds: float = 600.0
    seat_grace_seconds: float = 60.0
    fixed_seed: bytes | None = None
    fixed_deal: Callable[[int], FixedDeal | None] | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether the deals are no secret."""
        return self.fixed_seed is not None or self.fixed_deal is not None


@dataclass(eq=False, slots=True)
class Seat:
    """A place at a table; `strategy` is that of a house bot."""

    player: Player | None = None
    is_ready: bool = False
    strategy: str = ""

    @property
    def kind(self) -> SeatKind:
        """`empty`, `person` or `bot`."""
        if self.player is None:
            return "empty"
        return "person" if self.player.kind == "person" else "bot"


@dataclass(frozen=True, slots=True)
class _Held:
    """A bot's move that came before its time."""

    player: Player
    command: GuardedMove
    due: float


class Table:
    """One table.

    Attributes:
        label: how the log calls it.
        is_standing: opened at the start of the server, not by a player: it stays until played.
        is_recalled: it was made from its log.
        host: who may start, kick and so on; None until somebody is.
        state: `waiting`, `playing`, `between` (two rounds) or `over`.
        progress: the game, from its start until the next one is set up.
        closing: set once the table is to be closed.
        scheduled: for the lobby's timers: when it will next call `tick`.
    """

    def __init__(
        self,
        name: str,
        *,
        label: str,
        rules: engine.RuleSet,
        seats: int,
        settings: TableSettings,
        first_seat: int = 0,
        start: StartRule = "ready",
        allows_watchers: bool = True,
        password_digest: bytes | None = None,
        is_standing: bool = False,
        now: float,
    ) -> None:
        self.name: Final = name
        self.label: Final = label
        self.rules: Final = rules
        self.first_seat: Final = first_seat
        self.start_rule: Final = start
        self.allows_watchers: Final = allows_watchers
        self.is_standing: Final = is_standing
        self.is_recalled = False
        self.seats: Final = tuple(Seat() for _ in range(seats))
        self.watchers: Final[list[Player]] = []
        self.host: Player | None = None
        self.state: TableState = "waiting"
        self.progress: Progress | None = None
        self.closing = False
        self.scheduled: float | None = None
        self.rules_info: Final = views.rules_info(rules)
        self._password: Final = password_digest
        self._settings: Final = settings
        self._games = 0
        self._game_began_at = now
        self._not_before = 0.0
        self._quiet_since: float | None = now
        self._choice_deadline: float | None = None
        self._round_ended_at = 0.0
        self._moved_at = 0.0
        self._held: list[_Held] = []
        self._record: str | None = None

    # --- who is here ----------------------------------------------------------------------

    def seat_of(self, player: Player) -> int | None:
        """The seat kept for a player, or None."""
        for number, seat in enumerate(self.seats):
            if seat.player is player:
                return number
        return None

    def is_present(self, player: Player) -> bool:
        """Whether the player is connected and at this table."""
        return player.is_connected and player.table == self.name

    def viewers(self) -> Iterator[tuple[Player, int | None]]:
        """Everybody present, with the seat; None for watchers."""
        for number, seat in enumerate(self.seats):
            if seat.player is not None and self.is_present(seat.player):
                yield seat.player, number
        for watcher in self.watchers:
            yield watcher, None

    def empty_seats(self) -> list[int]:
        """The numbers of the seats that nobody has."""
        return [number for number, seat in enumerate(self.seats) if seat.player is None]

    def named(self, name: str) -> tuple[Player, int | None]:
        """The one of that name at the table, and the seat.

        Raises:
            Decline: `no_such_player`.
        """
        everybody: list[tuple[Player, int | None]] = [
            (seat.player, number) for number, seat in enumerate(self.seats) if seat.player
        ]
        everybody += [(watcher, None) for watcher in self.watchers]
        for player, number in everybody:
            if player.name.casefold() == name.casefold():
                return player, number
        raise Decline("no_such_player")

    def _persons(self) -> list[Seat]:
        return [seat for seat in self.seats if seat.kind == "person"]

    def _has_company(self) -> bool:
        """Whether a person is present, in a seat or watching."""
        return any(player.kind != "bot" for player, _ in self.viewers())

    @property
    def is_in_play(self) -> bool:
        """Whether a game has started and is not over."""
        return self.state in {"playing", "between"}

    # --- what is told ---------------------------------------------------------------------

    def info(self) -> TableInfo:
        """The table as the lobby shows it."""
        game = self.progress.game if self.progress is not None else None
        return TableInfo(
            name=self.name,
            state=self.state,
            host=self.host.name if self.host else "",
            start=self.start_rule,
            rules=self.rules_info,
            seats=[
                SeatInfo(
                    seat=number,
                    kind=seat.kind,
                    name=seat.player.name if seat.player else "",
                    ready=seat.is_ready or seat.kind == "bot",
                    present=seat.player is not None and self.is_present(seat.player),
                )
                for number, seat in enumerate(self.seats)
            ],
            watchers=len(self.watchers),
            locked=self._password is not None,
            round=game.round.number if game is not None else 0,
            rounds=game.rounds if game is not None else engine.round_count(self.rules),
        )

    def news(self, asker: Player | None = None, answers: int = 0) -> list[Effect]:
        """The table to everybody present; to `asker` as the answer to a command."""
        info = self.info()
        return [
            Deliver(
                player.number,
                TableNews(
                    answers=answers if player is asker else 0,
                    table=info,
                    seat=seat,
                ),
            )
            for player, seat in self.viewers()
        ]

    def news_for(self, player: Player, answers: int = 0) -> Deliver:
        """The table to one player."""
        return Deliver(
            player.number,
            TableNews(answers=answers, table=self.info(), seat=self.seat_of(player)),
        )

    def update_for(
        self,
        player: Player,
        now: float,
        *,
        answers: int = 0,
        after: int | None = None,
        between: tuple[int, int] | None = None,
    ) -> list[Effect]:
        """The present state to one player; nothing before the first game.

        `after`: with the kept events since that number. `between`: with those of a past move.
        """
        progress = self.progress
        if progress is None:
            return []
        events = []
        if after is not None:
            events = progress.events_after(after)
        elif between is not None:
            events = progress.events_between(*between)
        updates = self._updates(progress, events, now)
        payload = updates.seen_by(self.seat_of(player), answers=answers)
        return [DeliverUpdate(player.number, payload)]

    def _updates(self, progress: Progress, events: list[views.SeenEvent], now: float) -> Updates:
        deadline = self._choice_deadline
        return Updates(
            progress,
            events,
            table=self.name,
            unproven=self._settings.is_fixed,
            deadline_ms=None if deadline is None else max(0, round((deadline - now) * 1000)),
        )

    def _broadcast(
        self, count: int, now: float, mover: Player | None = None, answers: int = 0
    ) -> list[Effect]:
        """The last `count` events and the new state to everybody present."""
        progress = self._game_on()
        events = progress.events_after(progress.last_event - count)
        updates = self._updates(progress, events, now)
        return [
            DeliverUpdate(
                player.number,
                updates.seen_by(seat, answers=answers if player is mover else 0),
            )
            for player, seat in self.viewers()
        ]

    def _game_on(self) -> Progress:
        if self.progress is None:
            raise Decline("not_started")
        return self.progress

    # --- sitting down and leaving ---------------------------------------------------------

    def check_password(self, password: str | None) -> None:
        """Raise `bad_password` unless the table has none or it is this one."""
        if self._password is None:
            return
        if not hmac.compare_digest(password_digest(password) or b"", self._password):
            raise Decline("bad_password")

    def sit(self, player: Player, wanted: int | None, now: float) -> list[Effect]:
        """Give a player a seat, or back the one that is kept; may start the game.

        Raises:
            Decline: `already_started`, `no_such_seat`, `seat_taken`, `table_full`.
        """
        kept = self.seat_of(player)
        number = kept if kept is not None else self._free_seat(wanted)
        self.seats[number].player = player
        self.seats[number].is_ready = False
        player.table = self.name
        player.seats.add(self.name)
        self._note_company(now)
        effects: list[Effect] = [Save((SeatTaken(self.name, number, player.number),))]
        if self.host is None and player.kind == "person":
            effects += self.name_host(player)
        return effects

    def _free_seat(self, wanted: int | None) -> int:
        if self.is_in_play:
            raise Decline("already_started")
        empty = self.empty_seats()
        if wanted is not None and wanted >= len(self.seats):
            raise Decline("no_such_seat", params={"seats": len(self.seats)})
        if not empty:
            raise Decline("table_full")
        if wanted is not None and wanted not in empty:
            raise Decline("seat_taken", params={"seat": wanted})
        return empty[0] if wanted is None else wanted

    def sit_bot(self, bot: Player, strategy: str) -> int:
        """Give a house bot the first empty seat; its number. ValueError if there is none."""
        number = self.empty_seats()[0]
        self.seats[number].player = bot
        self.seats[number].strategy = strategy
        bot.table = self.name
        bot.seats.add(self.name)
        return number

    def watch(self, player: Player, now: float) -> None:
        """Let a player look on.

        Raises:
            Decline: `no_watchers`.
        """
        if not self.allows_watchers:
            raise Decline("no_watchers")
        self.watchers.append(player)
        player.table = self.name
        self._note_company(now)

    def leave(self, player: Player, now: float) -> list[Effect]:
        """A player goes. In a running game the seat is kept, otherwise it is free."""
        player.table = None
        effects: list[Effect] = []
        if player in self.watchers:
            self.watchers.remove(player)
        number = self.seat_of(player)
        if number is not None:
            self.seats[number].is_ready = False
            if not self.is_in_play:
                effects += self._vacate(number)
            else:
                effects.append(Save((SeatLeft(self.name, number),)))
        self._note_company(now)
        if self.host is player:
            effects += self.name_host(self._next_host())
        return [*effects, *self.news(), *self._go_on_if_ready(now)]

    def send_away(self, player: Player, now: float) -> list[Effect]:
        """Take a player or house bot from a table that is not being played.

        Raises:
            Decline: `already_started`.
        """
        if self.is_in_play:
            raise Decline("already_started")
        word = TableLeft(table=self.name, code="kicked", text="The host has sent you away.")
        was_here = self.is_present(player)
        effects = self.leave(player, now)
        return [*([Deliver(player.number, word)] if was_here else []), *effects]

    def _vacate(self, number: int) -> list[Effect]:
        seat = self.seats[number]
        if seat.player is not None:
            seat.player.seats.discard(self.name)
            if seat.player.table == self.name:
                seat.player.table = None
        seat.player, seat.strategy, seat.is_ready = None, "", False
        return [Save((SeatTaken(self.name, number, None),))]

    def name_host(self, player: Player | None) -> list[Effect]:
        """Make somebody the host, or nobody."""
        self.host = player
        return [Save((HostNamed(self.name, player.number if player else None),))]

    def _next_host(self) -> Player | None:
        for seat in self._persons():
            if seat.player is not None and self.is_present(seat.player):
                return seat.player
        return None

    def came_or_went(self, player: Player, now: float) -> list[Effect]:
        """Tell the others that a player's connection has come or gone."""
        if player in self.watchers and not player.is_connected:
            return self.leave(player, now)
        self._note_company(now)
        return [
            effect
            for effect in self.news()
            if not (isinstance(effect, Deliver) and effect.player == player.number)
        ] + self._go_on_if_ready(now)

    def _note_company(self, now: float) -> None:
        if self._has_company():
            self._quiet_since = None
        elif self._quiet_since is None:
            self._quiet_since = now

    # --- starting, rounds, the next game --------------------------------------------------

    def set_ready(self, player: Player, on: bool) -> list[Effect]:
        """Note whether a player is ready for what comes next.

        Raises:
            Decline: `not_seated`.
        """
        number = self.seat_of(player)
        if number is None:
            raise Decline("not_seated")
        self.seats[number].is_ready = on
        return [Save((SeatReady(self.name, number, on),))]

    def go_on_if_ready(self, now: float) -> list[Effect]:
        """Start the game or the next round, if nothing is awaited any more."""
        return self._go_on_if_ready(now)

    def _go_on_if_ready(self, now: float) -> list[Effect]:
        if self.state == "waiting" and self._may_start():
            return self.start(now)
        if self.state == "between" and self._may_deal(now):
            return self._deal(now)
        return []

    def _may_start(self) -> bool:
        if self.start_rule == "manual" or self.empty_seats():
            return False
        everybody_here = all(
            seat.strategy or (seat.player is not None and self.is_present(seat.player))
            for seat in self.seats
        )
        if self.start_rule == "full":
            return everybody_here
        return everybody_here and all(seat.is_ready for seat in self._persons())

    def _may_deal(self, now: float) -> bool:
        """Whether the next round may begin: bots and the absent do not hold it up for long."""
        persons = self._persons()
        if not persons or now >= self._round_ended_at + self._settings.between_seconds:
            return True
        present = [seat for seat in persons if seat.player and self.is_present(seat.player)]
        return bool(present) and all(seat.is_ready for seat in present)

    def start(self, now: float) -> list[Effect]:
        """Begin a game; every seat must be taken.

        Raises:
            Decline: `already_started`.
        """
        if self.state != "waiting":
            raise Decline("already_started")
        names = [seat.player.name if seat.player else "" for seat in self.seats]
        before = self.progress
        started = GameStarted(
            self.name,
            self._games + 1,
            tuple(names),
            turn=before.turn if before else 0,
            last_event=before.last_event if before else 0,
        )
        self._game_began_at = now
        self.progress = self._begin(started)
        line = report(
            "game started",
            table=self.label,
            game=self._games,
            rules=self.rules.hash[:12],
            seats=len(names),
            rounds=self.progress.game.rounds,
        )
        return [Save((started,)), line, *self._deal(now)]

    def _begin(self, started: GameStarted) -> Progress:
        """The game that `started` tells of, before its first deal."""
        self._games = started.game
        self._record = None
        return Progress(
            self.rules,
            started.names,
            first_seat=self.first_seat,
            turn=started.turn,
            last_event=started.last_event,
            earlier=self.progress,
        )

    def _deal(self, now: float) -> list[Effect]:
        progress = self._game_on()
        number = progress.game.round_number + 1
        laid_out = self._settings.fixed_deal
        fixed = laid_out(number) if laid_out is not None else None
        dealt = RoundDealt(self.name, number, self._seed(number), fixed)
        count = self._lay_out(progress, dealt)
        self._moved_at = now
        self._start_clock(now)
        return [
            Save((dealt,)),
            *self.news(),
            *self._broadcast(count, now),
            *self._after_move(now),
        ]

    def _lay_out(self, progress: Progress, dealt: RoundDealt) -> int:
        """Deal a round; how many events that made."""
        count = progress.begin_round(dealt.seed, dealt.fixed)
        self.state = "playing"
        for seat in self.seats:
            seat.is_ready = False
        return count

    def _seed(self, number: int) -> bytes:
        """The secret of a round: fresh, or derived from the fixed one."""
        fixed = self._settings.fixed_seed
        if fixed is None:
            return self._settings.random_bytes(SEED_BYTES)
        text = f"mexican-train fixed seed\n{self.name}\n{self._games}\n{number}"
        return hmac.digest(fixed, text.encode(), "sha256")

    def set_up_again(self, now: float) -> list[Effect]:
        """Another game with the same seats.

        Raises:
            Decline: `wrong_state` unless the game is over.
        """
        if self.state != "over":
            raise Decline("wrong_state")
        self._await_game()
        self._note_company(now)
        return [Save((GameSetUp(self.name),))]

    def _await_game(self) -> None:
        self.state = "waiting"
        for seat in self.seats:
            seat.is_ready = False

    # --- moves ----------------------------------------------------------------------------

    def owes_move(self, player: Player, turn: int) -> bool:
        """Whether it is this player's turn, and the present one."""
        progress = self.progress
        if self.state != "playing" or progress is None or progress.turn != turn:
            return False
        seat = progress.game.turn
        return seat is not None and self.seats[seat].player is player

    def move(
        self, player: Player, command: GuardedMove, now: float
    ) -> tuple[list[Effect], Answer | None]:
        """Carry out play, draw, pass or done; the effects, and the answer.

        No answer yet: a bot's move is held until its time (`pace_seconds`).

        Raises:
            Decline: `not_seated`, `not_started`, `stale`, `out_of_turn`, `slow_down`, or what
                the rules say.
        """
        progress, seat = self._seat_in_game(player)
        to_act = progress.game.turn
        if self.state != "playing" or command.turn != progress.turn:
            raise Decline("stale", params={"turn": progress.turn})
        if to_act != seat:
            raise Decline("out_of_turn", params={"to_act": to_act})
        due = self._due(player)
        if now < due:
            if any(held.player is player for held in self._held):
                raise Decline("slow_down")
            self._held.append(_Held(player, command, due))
            return [], None
        return self._carry_out(player, seat, _engine_move(command), command, now)

    def _due(self, player: Player) -> float:
        """The earliest time for the move of this player."""
        if player.kind != "bot":
            return 0.0
        pace = self._settings.pace_seconds
        if pace is None:
            pace = 1.0 if self._persons() else 0.0
        return self._moved_at + pace

    def knock(self, player: Player, command: Knock, now: float) -> tuple[list[Effect], Answer]:
        """Knock.

        Raises:
            Decline: `not_seated`, `not_started`, or what the rules say.
        """
        _, seat = self._seat_in_game(player)
        return self._carry_out(player, seat, engine.KNOCK, command, now)

    def foul(self, player: Player, command: Foul, now: float) -> tuple[list[Effect], Answer]:
        """Call a foul on the seat that the named event left with one tile.

        Raises:
            Decline: `no_foul`, `not_seated`, `not_started`, or what the rules say.
        """
        progress, seat = self._seat_in_game(player)
        if not progress.is_debt_of(command.seat, command.event):
            raise Decline("no_foul", params={"seat": command.seat, "event": command.event})
        return self._carry_out(player, seat, engine.Move.foul(command.seat), command, now)

    def _seat_in_game(self, player: Player) -> tuple[Progress, int]:
        seat = self.seat_of(player)
        if seat is None:
            raise Decline("not_seated")
        return self._game_on(), seat

    def _carry_out(
        self, player: Player, seat: int, move: engine.Move, command: AnyCommand, now: float
    ) -> tuple[list[Effect], Answer]:
        progress = self._game_on()
        turn = progress.turn
        at_ms = self._at_ms(now)
        try:
            count = progress.apply(seat, move, at_ms)
        except engine.IllegalMove as error:
            why = error.reason
            raise Decline(why.code, why.text, option=why.option, params=why.params) from None
        made = Save((MoveMade(self.name, seat, str(move), at_ms),))
        # before what follows: the next round may be dealt at once, and is no part of the answer
        last = progress.last_event
        answer = Answer("update", events=(last - count + 1, last))
        return [made, *self._moved(count, now, turn, player, command.id)], answer

    def _moved(
        self, count: int, now: float, turn: int, mover: Player | None = None, answers: int = 0
    ) -> list[Effect]:
        """What follows from a move that is made: clocks, updates, the end of a round."""
        progress = self._game_on()
        self._moved_at = now
        if progress.turn != turn:
            self._start_clock(now)
        # the updates first: what follows may deal the next round at once
        return [*self._broadcast(count, now, mover, answers), *self._after_move(now)]

    def _at_ms(self, now: float) -> int:
        return max(0, round((now - self._game_began_at) * 1000))

    def _start_clock(self, now: float) -> None:
        """A bot has its time for the choice that is now before it; persons have no limit."""
        to_act = self._game_on().game.turn
        is_bot = to_act is not None and self.seats[to_act].kind == "bot"
        self._choice_deadline = now + self._settings.bot_choice_seconds if is_bot else None

    def _after_move(self, now: float) -> list[Effect]:
        """The end of a round or of the game, if this was it."""
        game = self._game_on().game
        if game.phase == "play":
            return []
        self._choice_deadline = None
        self._round_ended_at = now
        number, scores = game.round.number, list(game.scores[-1])
        ended = report("round over", table=self.label, round=number, scores=scores)
        if game.phase == "round_over":
            self.state = "between"
            return [ended, *self.news(), *self._go_on_if_ready(now)]
        self.state = "over"
        self._quiet_since = None if self._has_company() else now
        left = [
            number
            for number, seat in enumerate(self.seats)
            if seat.player is not None and seat.player.table != self.name
        ]
        freed = [effect for number in left for effect in self._vacate(number)]
        over = report(
            "game over",
            table=self.label,
            game=self._games,
            totals=list(game.totals),
            places=list(game.places),
        )
        return [*freed, ended, over, *self.news()]

    def record_part(self, part: int) -> tuple[int, str]:
        """How many parts the record of the finished game has, and one of them, from 0.

        Raises:
            Decline: `not_over`, `no_such_part`.
        """
        progress = self.progress
        if progress is None or progress.game.phase != "over":
            raise Decline("not_over")
        if self._record is None:
            self._record = progress.game.record(progress.names).to_text()
        parts = -(-len(self._record) // RECORD_PART_CHARS)
        if part >= parts:
            raise Decline("no_such_part", params={"parts": parts})
        first = part * RECORD_PART_CHARS
        return parts, self._record[first : first + RECORD_PART_CHARS]

    # --- after a crash --------------------------------------------------------------------

    @staticmethod
    def recalled(
        log: Sequence[TableFact], players: Players, settings: TableSettings, now: float
    ) -> "Table":
        """A table as its log tells, owners of seats included; times begin anew.

        Raises:
            ValueError: the log cannot be played again.
        """
        opened = log[0]
        if not isinstance(opened, TableOpened):
            raise ValueError("the log does not begin with its table")  # noqa: TRY004 - a bad value
        rules = engine.RuleSet.from_mapping(opened.options, name=opened.rules)
        if rules.hash != opened.rules_hash:
            raise ValueError("these rules have another hash by now")
        table = Table(
            opened.table,
            label=opened.label,
            rules=rules,
            seats=opened.seats,
            settings=settings,
            first_seat=opened.first_seat,
            start=opened.start,
            allows_watchers=opened.allows_watchers,
            password_digest=opened.password_digest,
            is_standing=opened.is_standing,
            now=now,
        )
        games = [number for number, fact in enumerate(log) if isinstance(fact, GameStarted)]
        last_game = games[-1] if games else 0
        for number, fact in enumerate(log):
            # of the games before the last one nothing is left to see
            if number >= last_game or not isinstance(fact, RoundDealt | MoveMade):
                table._recall(fact, now)
        table.is_recalled = True
        table._call_back(log, players)
        table._wake(now)
        return table

    def _call_back(self, log: Sequence[TableFact], players: Players) -> None:
        """Give the seats to their owners, who are at the table unless they have gone elsewhere."""
        owners: dict[int, SeatTaken] = {}
        away: set[int] = set()
        host: int | None = None
        for fact in log:
            match fact:
                case SeatTaken(_, number):
                    owners[number] = fact
                    away.discard(number)
                case SeatLeft(_, number):
                    away.add(number)
                case HostNamed(_, host):
                    pass
        for number, taken in owners.items():
            if taken.player is not None:
                owner = players[taken.player]
                self.seats[number].player, self.seats[number].strategy = owner, taken.strategy
                owner.seats.add(self.name)
                owner.table = owner.table if number in away else self.name
        self.host = players[host] if host is not None else None

    def _recall(self, fact: TableFact, now: float) -> None:
        """Take in one fact of the log, but for who has the seats."""
        match fact:
            case MoveMade(_, number, move, at_ms):
                self._recall_move(number, move, at_ms)
                self._game_began_at = now - at_ms / 1000
            case RoundDealt():
                self._lay_out(self._game_on(), fact)
            case GameStarted():
                self.progress = self._begin(fact)
                self._game_began_at = now
            case GameSetUp():
                self._await_game()
            case SeatTaken(_, number) | SeatLeft(_, number):
                self.seats[number].is_ready = False
            case SeatReady(_, number, is_ready):
                self.seats[number].is_ready = is_ready

    def _recall_move(self, seat: int, move: str, at_ms: int) -> None:
        progress = self._game_on()
        if move == SKIP:
            if progress.game.turn != seat:
                raise ValueError(f"it is not the turn of seat {seat}")
            progress.skip(at_ms)
        else:
            progress.apply(seat, engine.Move.parse(move), at_ms)
        phase = progress.game.phase
        if phase != "play":
            self.state = "over" if phase == "over" else "between"

    def _wake(self, now: float) -> None:
        """Set all clocks: what was under way is given its whole time again."""
        self._moved_at = self._round_ended_at = now
        if self.state == "playing":
            self._start_clock(now)
        self._note_company(now)

    def carry_over(self, before: "Table | None", watchers: Sequence[Player], now: float) -> None:
        """Take the place of the table that it was `before`, whose last deeds were not stored.

        Those present stay; bots' moves that wait for their time go on waiting; for a moment time
        demands nothing, so that a full disk is not asked without pause.
        """
        for watcher in watchers:
            if watcher.is_connected and watcher.table is None:
                self.watchers.append(watcher)
                watcher.table = self.name
        if before is not None:
            self._held = before.held_back()
        self._not_before = now + RETRY_SECONDS
        self._note_company(now)

    def seat_bot(self, number: int) -> SeatBot:
        """The house bot of a seat, as the shell is to start it; ValueError if there is none."""
        seat, fixed = self.seats[number], self._settings.fixed_seed
        if seat.player is None or not seat.strategy:
            raise ValueError(f"seat {number} is no house bot's")
        seed = int.from_bytes(fixed[:4], "big") + number if fixed is not None else None
        name = seat.player.name
        return SeatBot(seat.player.number, name, seat.strategy, self.name, number, seed)

    def house_bots(self) -> list[SeatBot]:
        """All house bots at this table, likewise."""
        return [self.seat_bot(number) for number, seat in enumerate(self.seats) if seat.strategy]

    # --- time -----------------------------------------------------------------------------

    def next_deadline(self) -> float | None:
        """When `tick` has something to do; None while nothing depends on time."""
        times = [held.due for held in self._held]
        if self._choice_deadline is not None and not self._is_held_for_turn():
            times.append(self._choice_deadline)
        if self.state == "between":
            times.append(self._round_ended_at + self._settings.between_seconds)
        if not self.is_in_play:
            if self._quiet_since is not None and not self._stays_open():
                times.append(self._quiet_since + self._settings.idle_seconds)
            times += [
                player.absent_since + self._settings.seat_grace_seconds for player in self._absent()
            ]
        return max(min(times), self._not_before) if times else None

    def _stays_open(self) -> bool:
        return self.is_standing and self.state == "waiting" and self._games == 0

    def _is_held_for_turn(self) -> bool:
        """Whether the move that is awaited has come and only waits for its time."""
        progress = self.progress
        return progress is not None and any(
            held.command.turn == progress.turn for held in self._held
        )

    def _absent(self) -> list[Player]:
        """Owners of seats, not house bots, whose connection is gone."""
        return [
            seat.player
            for seat in self.seats
            if seat.player is not None
            and not seat.strategy
            and seat.player.table == self.name
            and not seat.player.is_connected
        ]

    def held_back(self) -> list[_Held]:
        """The bots' moves that wait for their time."""
        return [*self._held]

    def take_held(self, now: float) -> list[tuple[Player, GuardedMove]]:
        """The bots' moves whose time has come, to be carried out by `move`."""
        due = [(held.player, held.command) for held in self._held if held.due <= now]
        self._held = [held for held in self._held if held.due > now]
        return due

    def tick(self, now: float) -> list[Effect]:
        """Do what the time demands; sets `closing` when the table is to be closed."""
        effects: list[Effect] = []
        if self.state == "playing":
            effects += self._skip_if_late(now)
        elif self.state == "between":
            effects += self._go_on_if_ready(now)
        if not self.is_in_play:
            effects += self._free_seats(now)
            self.closing = (
                self._quiet_since is not None
                and not self._stays_open()
                and now >= self._quiet_since + self._settings.idle_seconds
            )
        return effects

    def _skip_if_late(self, now: float) -> list[Effect]:
        deadline = self._choice_deadline
        if deadline is None or now < deadline or self._is_held_for_turn():
            return []
        progress = self._game_on()
        seat, turn = progress.game.turn, progress.turn
        if seat is None:
            return []
        # the turn may stay the same one (a draw of many), so the clock is set anew in any case
        at_ms = self._at_ms(now)
        count = progress.skip(at_ms)
        self._start_clock(now)
        made = Save((MoveMade(self.name, seat, SKIP, at_ms),))
        line = report("bot skipped", table=self.label, seat=seat)
        return [made, line, *self._moved(count, now, turn)]

    def _free_seats(self, now: float) -> list[Effect]:
        """Free the seats of those who have been gone too long while no game is on."""
        effects: list[Effect] = []
        for player in self._absent():
            if now >= player.absent_since + self._settings.seat_grace_seconds:
                effects += self.leave(player, now)
        return effects


def _engine_move(command: GuardedMove) -> engine.Move:
    """The command as a move of the engine."""
    match command:
        case Play(tile=(one, other), train=train):
            return engine.Move.play(engine.tile(one, other), engine.parse_train(train))
        case Draw():
            return engine.DRAW
        case Pass():
            return engine.PASS
        case Done():
            return engine.DONE


def password_digest(password: str | None) -> bytes | None:
    """What is kept of a table's password; None if it has none."""
    return hashlib.sha256(password.encode()).digest() if password else None
