"""A table: seats round a game, from the first guest to the last score.

Pure: time is an argument, what follows comes back as effects. Every method that can refuse
raises `Decline` before anything has changed.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec
from mexican_train import engine
from mexican_train.protocol import (
    AbsenceChoice,
    AnyCommand,
    Choice,
    Declined,
    Done,
    Draw,
    Foul,
    Knock,
    Nudged,
    Parameter,
    Pass,
    Play,
    SeatInfo,
    SeatKind,
    SeatVote,
    StartRule,
    TableInfo,
    TableLeft,
    TableNews,
    TableState,
    Update,
    Vote,
    declined,
    decode_server,
)

from . import views
from .absence import Absences
from .clocks import RETURN_SECONDS, Clocks, Terms
from .effects import (
    AbsenceDecided,
    Deliver,
    DeliverUpdate,
    Effect,
    FixedDeal,
    GameBrokenOff,
    GamePaused,
    GameSetUp,
    GameStarted,
    HostNamed,
    MoveMade,
    RoundDealt,
    Save,
    SeatBot,
    SeatCodeGiven,
    SeatLeft,
    SeatReady,
    SeatTaken,
    TableFact,
    TableOpened,
    report,
)
from .players import Answer, Player, Players
from .progress import Progress, Updates
from .seat_codes import code_digest, new_code

SEED_BYTES: Final = 32
SKIP: Final = "skip"
"""How the table's own move stands in its log."""
RETRY_SECONDS: Final = 1.0
"""After something could not be stored, before time demands it again."""
RECORD_PART_CHARS: Final = 12_288
"""A record is written in ASCII, so that these are bytes too."""

_PLAIN_MOVES: Final = {"draw": engine.DRAW, "pass": engine.PASS, "done": engine.DONE}

Substitute = Callable[[Update], Choice]
"""Plays for a seat: one of the update's choices, by nothing but what the update shows."""

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
        bot_choice_seconds: a bot's time for one choice; then the substitute has it.
        idle_seconds: a table that is not being played closes so long after its last person left.
        sleep_seconds: likewise one with a person's seat, in mid-game.
        grace_seconds: so long nothing is done about someone gone. Then the seat is free while no
            game is on, and otherwise `Terms.on_absent` begins.
        host_seconds: so long a host may be gone before another person is.
        terms: of a table that sets none of its own.
        substitute: who plays for the absent and the late; None: their turns are skipped.
        fixed_seed: all deals follow from it, and say so; None: from `random_bytes`.
        fixed_deal: by the number of the round, a deal laid out by hand, for tests.
        random_bytes: the source of secrets.
    """

    random_bytes: Callable[[int], bytes]
    pace_seconds: float | None = None
    between_seconds: float = 30.0
    bot_choice_seconds: float = 10.0
    idle_seconds: float = 600.0
    sleep_seconds: float = 14 * 86_400.0
    grace_seconds: float = 60.0
    host_seconds: float = 30.0
    terms: Terms = field(default_factory=Terms)
    substitute: Substitute | None = None
    fixed_seed: bytes | None = None
    fixed_deal: Callable[[int], FixedDeal | None] | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether the deals are no secret."""
        return self.fixed_seed is not None or self.fixed_deal is not None


@dataclass(eq=False, slots=True)
class Seat:
    """A place at a table; `strategy` is that of a house bot.

    `code_digest` is what is kept of the code that lets its owner in once.
    """

    player: Player | None = None
    is_ready: bool = False
    strategy: str = ""
    code_digest: bytes | None = field(default=None, repr=False)

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
        heir_of: who was host, was away for too long, and may have the role back.
        terms: what is done about time and absence.
        is_paused: nobody may move, and no clock runs.
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
        terms: Terms | None = None,
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
        self.heir_of: Player | None = None
        self.terms: Final = terms or settings.terms
        self.is_paused = False
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
        self._clocks = Clocks(seats, self.terms.bank_seconds)
        self._absences: Final = Absences(settings.grace_seconds)
        self._stands_in_for: int | None = None
        self._paused_at = now
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

    def info(self, now: float) -> TableInfo:
        """The table as the lobby shows it now."""
        game = self.progress.game if self.progress is not None else None
        terms = self.terms
        return TableInfo(
            name=self.name,
            state=self.state,
            host=self.host.name if self.host else "",
            start=self.start_rule,
            rules=self.rules_info,
            seats=[self._seat_info(number, now) for number in range(len(self.seats))],
            watchers=len(self.watchers),
            locked=self._password is not None,
            round=game.round.number if game is not None else 0,
            rounds=game.rounds if game is not None else engine.round_count(self.rules),
            paused=self.is_paused,
            turn_seconds=terms.turn_seconds,
            bank_seconds=terms.bank_seconds,
            on_timeout=terms.on_timeout,
            on_absent=terms.on_absent,
            votes=self._votes(),
        )

    def _seat_info(self, number: int, now: float) -> SeatInfo:
        seat = self.seats[number]
        away = self._absences.get(number)
        is_timed = seat.kind == "person" and self.terms.turn_seconds is not None
        return SeatInfo(
            seat=number,
            kind=seat.kind,
            name=seat.player.name if seat.player else "",
            ready=seat.is_ready or seat.kind == "bot",
            present=seat.player is not None and self.is_present(seat.player),
            away_ms=0 if away is None else max(1, round((now - away.since) * 1000)),
            substitute=self._has_substitute(number),
            bank_ms=round(self._clocks.banks[number] * 1000) if is_timed else None,
        )

    def _votes(self) -> list[SeatVote]:
        """What is wanted and decided, by seat whose owner is away for long."""
        voters = {voter.number for voter in self._voters()}
        votes = []
        for number, away in self._absences:
            if self.is_in_play and away.is_overdue and self.seats[number].kind == "person":
                tally = away.tally(voters)
                votes.append(
                    SeatVote(
                        seat=number,
                        wait=tally["wait"],
                        skip=tally["skip"],
                        bot=tally["bot"],
                        end=tally["end"],
                        voters=len(voters),
                        choice=away.choice,
                        open=self._may_vote_on(number),
                    )
                )
        return votes

    def news(self, now: float, asker: Player | None = None, answers: int = 0) -> list[Effect]:
        """The table to everybody present; to `asker` as the answer to a command."""
        info = self.info(now)
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

    def news_for(self, player: Player, now: float, answers: int = 0) -> Deliver:
        """The table to one player."""
        return Deliver(
            player.number,
            TableNews(answers=answers, table=self.info(now), seat=self.seat_of(player)),
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
        left = self._clocks.left(now)
        return Updates(
            progress,
            events,
            table=self.name,
            unproven=self._settings.is_fixed,
            deadline_ms=None if left is None else round(left * 1000),
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
        effects += self.note_presence(now)
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
        effects += self.note_presence(now)
        if self.host is player:
            effects += self.name_host(self._next_host())
        return [*effects, *self.news(now), *self._go_on_if_ready(now)]

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
        seat.player, seat.strategy, seat.is_ready, seat.code_digest = None, "", False, None
        self._absences.note(number, None)
        return [Save((SeatTaken(self.name, number, None),))]

    def name_host(self, player: Player | None, heir_of: Player | None = None) -> list[Effect]:
        """Make somebody the host, or nobody; `heir_of` may have the role back."""
        self.host, self.heir_of = player, heir_of
        before = heir_of.number if heir_of else None
        return [Save((HostNamed(self.name, player.number if player else None, before),))]

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
        effects = self.note_presence(now)
        effects += [
            effect
            for effect in self.news(now)
            if not (isinstance(effect, Deliver) and effect.player == player.number)
        ]
        return effects + self._go_on_if_ready(now)

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
        if self.is_paused:
            return False
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
        self._clocks = Clocks(len(self.seats), self.terms.bank_seconds)
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
        self._start_clock(now, is_anew=True)
        return [
            Save((dealt,)),
            *self.news(now),
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
        if self.is_paused and player.kind != "bot":
            raise Decline("paused")
        if self.state != "playing" or command.turn != progress.turn:
            raise Decline("stale", params={"turn": progress.turn})
        if to_act != seat:
            raise Decline("out_of_turn", params={"to_act": to_act})
        due = self._due(player)
        if now < due or self.is_paused:
            if any(held.player is player for held in self._held):
                raise Decline("slow_down")
            self._held.append(_Held(player, command, due))
            return [], None
        return self._carry_out(player, seat, _engine_move(command), command, now)

    def _due(self, player: Player) -> float:
        """The earliest time for the move of this player."""
        return self._moved_at + self._pace() if player.kind == "bot" else 0.0

    def _pace(self) -> float:
        """The shortest time before a move that no person makes."""
        pace = self._settings.pace_seconds
        if pace is None:
            pace = 1.0 if self._persons() else 0.0
        return pace

    def knock(self, player: Player, command: Knock, now: float) -> tuple[list[Effect], Answer]:
        """Knock.

        Raises:
            Decline: `not_seated`, `not_started`, or what the rules say.
        """
        _, seat = self._seat_in_game(player)
        self._check_going()
        return self._carry_out(player, seat, engine.KNOCK, command, now)

    def foul(self, player: Player, command: Foul, now: float) -> tuple[list[Effect], Answer]:
        """Call a foul on the seat that the named event left with one tile.

        Raises:
            Decline: `no_foul`, `not_seated`, `not_started`, or what the rules say.
        """
        progress, seat = self._seat_in_game(player)
        self._check_going()
        if not progress.is_debt_of(command.seat, command.event):
            raise Decline("no_foul", params={"seat": command.seat, "event": command.event})
        return self._carry_out(player, seat, engine.Move.foul(command.seat), command, now)

    def _seat_in_game(self, player: Player) -> tuple[Progress, int]:
        seat = self.seat_of(player)
        if seat is None:
            raise Decline("not_seated")
        return self._game_on(), seat

    def _check_going(self) -> None:
        """Raise `paused`, or `wrong_state` if the game was broken off."""
        if self.is_paused:
            raise Decline("paused")
        if self._game_on().is_broken_off:
            raise Decline("wrong_state")

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
        made = self._made(seat, str(move), now)
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
            self._start_clock(now, is_anew=progress.is_turn_fresh)
        # the updates first: what follows may deal the next round at once
        return [*self._broadcast(count, now, mover, answers), *self._after_move(now)]

    def _at_ms(self, now: float) -> int:
        return max(0, round((now - self._game_began_at) * 1000))

    def _made(self, seat: int, move: str, now: float, *, by_substitute: bool = False) -> Save:
        """The fact of a move, with what the clock says after it."""
        bank_ms = None
        if self.terms.turn_seconds is not None and self._clocks.seat == seat:
            self._clocks.charge(now)
            bank_ms = round(self._clocks.banks[seat] * 1000)
        fact = MoveMade(self.name, seat, move, self._at_ms(now), by_substitute, bank_ms)
        return Save((fact,))

    def _start_clock(self, now: float, *, is_anew: bool) -> None:
        """Time what is now before the seat to act: a bot's choice, or (`is_anew`) a person's turn.

        A person's time is for the whole turn.
        """
        to_act = self._game_on().game.turn
        if to_act != self._stands_in_for or is_anew:
            self._stands_in_for = None
        if to_act is None:
            self._clocks.stop(now)
        elif self.seats[to_act].kind == "bot":
            self._clocks.start(to_act, self._settings.bot_choice_seconds, now)
        elif is_anew or self._clocks.seat != to_act:
            seconds = self.terms.turn_seconds
            self._clocks.start(to_act, seconds, now, has_bank=seconds is not None)
        self._hold_clock(now)

    def _hold_clock(self, now: float, at_least: float = 0.0) -> None:
        """Let the clock stand still or go on, as pause and presence of its owner have it."""
        seat = self._clocks.seat
        if seat is None:
            return
        is_awaited = self.seats[seat].kind == "person" and (
            self._absences.is_in_grace(seat) or self._absences.choice(seat) == "wait"
        )
        if self.is_paused or is_awaited:
            self._clocks.hold(now)
        else:
            self._clocks.go_on(now, at_least)

    def _after_move(self, now: float) -> list[Effect]:
        """The end of a round or of the game, if this was it."""
        game = self._game_on().game
        if game.phase == "play":
            return []
        self._clocks.stop(now)
        self._round_ended_at = now
        number, scores = game.round.number, list(game.scores[-1])
        ended = report("round over", table=self.label, round=number, scores=scores)
        if game.phase == "round_over":
            self.state = "between"
            return [ended, *self.news(now), *self._go_on_if_ready(now)]
        over = report(
            "game over",
            table=self.label,
            game=self._games,
            totals=list(game.totals),
            places=list(game.places),
        )
        return [*self._finish(now), ended, over, *self.news(now)]

    def _finish(self, now: float) -> list[Effect]:
        """The game is over: nothing of it is awaited, and the seats of those who left are free."""
        self.state = "over"
        self.is_paused = False
        self._stands_in_for = None
        self._clocks.stop(now)
        self._absences.clear()
        self._quiet_since = None if self._has_company() else now
        left = [
            number
            for number, seat in enumerate(self.seats)
            if seat.player is not None and seat.player.table != self.name
        ]
        return [effect for number in left for effect in self._vacate(number)]

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
            terms=Terms(
                turn_seconds=opened.turn_seconds,
                bank_seconds=opened.bank_seconds,
                on_timeout=opened.on_timeout,
                on_absent=opened.on_absent,
            ),
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
        heir_of: int | None = None
        for fact in log:
            match fact:
                case SeatTaken(_, number):
                    owners[number] = fact
                    away.discard(number)
                case SeatLeft(_, number):
                    away.add(number)
                case HostNamed(_, host, heir_of):
                    pass
        for number, taken in owners.items():
            if taken.player is not None:
                owner = players[taken.player]
                self.seats[number].player, self.seats[number].strategy = owner, taken.strategy
                owner.seats.add(self.name)
                owner.table = owner.table if number in away else self.name
        self.host = players[host] if host is not None else None
        self.heir_of = players.get(heir_of) if heir_of is not None else None

    def _recall(self, fact: TableFact, now: float) -> None:
        """Take in one fact of the log, but for who has the seats."""
        match fact:
            case MoveMade(_, number, move, at_ms, _, bank_ms):
                self._recall_move(number, move, at_ms)
                self._game_began_at = now - at_ms / 1000
                if bank_ms is not None:
                    self._clocks.banks[number] = bank_ms / 1000
            case RoundDealt():
                self._lay_out(self._game_on(), fact)
            case GameStarted():
                self.progress = self._begin(fact)
                self._game_began_at = now
            case GameSetUp():
                self._await_game()
            case SeatTaken(_, number):
                self.seats[number].is_ready, self.seats[number].code_digest = False, None
                self._absences.note(number, None)
            case SeatLeft(_, number):
                self.seats[number].is_ready = False
            case SeatCodeGiven(_, number, digest):
                self.seats[number].code_digest = digest
            case AbsenceDecided(_, number, choice):
                self._absences.decide(number, choice, now)
            case GamePaused(_, is_on):
                self.is_paused, self._paused_at = is_on, now
            case GameBrokenOff(_, number):
                self._game_on().break_off(number)
                self._finish(now)
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
            self.state = "between"
        if phase == "over":
            self._finish(self._game_began_at)

    def _wake(self, now: float) -> None:
        """Set all clocks: what was under way is given its whole time again."""
        self._moved_at = self._round_ended_at = now
        for number, seat in enumerate(self.seats):
            if self._is_waited_for(seat):
                self._absences.note(number, now)
        if self.state == "playing":
            self._start_clock(now, is_anew=True)
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
        for number, seat in enumerate(self.seats):
            self._absences.note(number, now if self._is_waited_for(seat) else None)
        if before is not None:
            self._absences.carry_over(before.absences)
        self._hold_clock(now)
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

    # --- who is away ----------------------------------------------------------------------

    @property
    def absences(self) -> Absences:
        """Whose owners are away, by seat."""
        return self._absences

    def _is_waited_for(self, seat: Seat) -> bool:
        """Whether the seat has an owner, no house bot, who is not here."""
        player = seat.player
        return player is not None and not seat.strategy and not self.is_present(player)

    def _has_substitute(self, seat: int) -> bool:
        if self._settings.substitute is None or not self.is_in_play:
            return False
        return self._absences.choice(seat) == "bot" or self._stands_in_for == seat

    def note_presence(self, now: float) -> list[Effect]:
        """Note who has gone, and give back to whoever has returned what is theirs."""
        effects: list[Effect] = []
        for number, seat in enumerate(self.seats):
            ended = self._absences.note(number, now if self._is_waited_for(seat) else None)
            if ended is not None and ended.choice is not None:
                effects.append(Save((AbsenceDecided(self.name, number, None),)))
            if ended is not None and self._clocks.seat == number and seat.kind == "person":
                self._stands_in_for = None
                self._hold_clock(now, RETURN_SECONDS)
        self._hold_clock(now)
        return effects

    def _look_for_overdue(self, now: float) -> list[Effect]:
        """Do what the table does for those who are away longer than the grace."""
        effects: list[Effect] = []
        overdue = [
            number
            for number in self._absences.newly_overdue(now)
            if self.seats[number].kind == "person"
        ]
        for number in overdue:
            if self.terms.on_absent != "wait" and self.is_in_play:
                effects += self._decide(number, self.terms.on_absent, now)
        if overdue:
            self._hold_clock(now)
            effects += self.news(now)
        return effects

    def _decide(self, number: int, choice: AbsenceChoice, now: float) -> list[Effect]:
        """Do this for a seat until its owner returns."""
        line = report("absence decided", table=self.label, seat=number, choice=choice)
        if choice == "end":
            return [line, *self._break_off(number, now)]
        self._absences.decide(number, choice, now)
        self._hold_clock(now)
        return [Save((AbsenceDecided(self.name, number, choice),)), line]

    def _break_off(self, number: int, now: float) -> list[Effect]:
        """End the game before its time."""
        progress = self._game_on()
        broken_off = Save((GameBrokenOff(self.name, number),))
        count = progress.break_off(number)
        self._clocks.stop(now)
        told = self._broadcast(count, now)
        freed = self._finish(now)
        over = report(
            "game over",
            table=self.label,
            game=self._games,
            totals=list(progress.game.totals),
            broken_off=True,
        )
        return [broken_off, *told, *freed, over]

    def _voters(self) -> list[Player]:
        """The persons with a seat who are here."""
        return [
            seat.player for seat in self._persons() if seat.player and self.is_present(seat.player)
        ]

    def _may_vote_on(self, number: int) -> bool:
        is_voted_on = self.is_in_play and self.terms.on_absent == "wait"
        is_person = self.seats[number].kind == "person"
        return is_voted_on and is_person and self._absences[number].is_open

    def vote(self, player: Player, command: Vote, now: float) -> list[Effect]:
        """Take a vote on those who are away; may decide what is done for them.

        Raises:
            Decline: `no_vote`.
        """
        voters = {voter.number for voter in self._voters()}
        wanted = [
            number
            for number, _ in self._absences
            if self._may_vote_on(number) and command.seat in {None, number}
        ]
        if player.number not in voters or not wanted:
            raise Decline("no_vote")
        host = self.host.number if self.host is not None else None
        effects: list[Effect] = []
        for number in wanted:
            away = self._absences[number]
            if away.vote(player.number, command.choice, voters, host) and self.is_in_play:
                effects += self._decide(number, command.choice, now)
        return effects

    def set_paused(self, is_on: bool, now: float) -> list[Effect]:
        """Stop the game, or let it go on.

        Raises:
            Decline: `not_started`.
        """
        if not self.is_in_play:
            raise Decline("not_started")
        if is_on == self.is_paused:
            return []
        self.is_paused = is_on
        if is_on:
            self._paused_at = now
        else:
            self._round_ended_at += now - self._paused_at
            self._moved_at = now
        self._hold_clock(now)
        return [Save((GamePaused(self.name, is_on),))]

    def nudge(self, player: Player) -> Nudged:
        """What is told when a player asks those who are awaited to go on.

        Raises:
            Decline: `not_started`, `wrong_state` if nobody else is awaited.
        """
        progress = self._game_on()
        if self.state == "playing":
            seats = [progress.game.turn] if progress.game.turn is not None else []
        else:
            seats = [
                number
                for number, seat in enumerate(self.seats)
                if seat.kind == "person" and not seat.is_ready and self.state != "over"
            ]
        seats = [number for number in seats if self.seats[number].player is not player]
        if not seats or self.is_paused:
            raise Decline("wrong_state")
        return Nudged(name=player.name, seats=seats)

    # --- seat codes -----------------------------------------------------------------------

    def give_code(self, name: str) -> tuple[Player, str, list[Effect]]:
        """A new code for the owner of that name, who has lost the token; the older one ends.

        Raises:
            Decline: `no_such_player`, `not_away`.
        """
        player, number = self.named(name)
        if number is None or player.is_house:
            raise Decline("no_such_player")
        if player.is_connected:
            raise Decline("not_away")
        code = new_code(self._settings.random_bytes)
        self.seats[number].code_digest = code_digest(code)
        return player, code, [Save((SeatCodeGiven(self.name, number, code_digest(code)),))]

    def is_code_of(self, player: Player, code: str) -> bool:
        """Whether this code lets the player in."""
        number = self.seat_of(player)
        digest = self.seats[number].code_digest if number is not None else None
        return hmac.compare_digest(code_digest(code), digest or b"")

    def end_code(self, player: Player) -> list[Effect]:
        """No code lets the player in any more."""
        number = self.seat_of(player)
        if number is None or self.seats[number].code_digest is None:
            return []
        self.seats[number].code_digest = None
        return [Save((SeatCodeGiven(self.name, number, None),))]

    # --- time -----------------------------------------------------------------------------

    def next_deadline(self) -> float | None:
        """When `tick` has something to do; None while nothing depends on time."""
        times = [] if self.is_paused else [held.due for held in self._held]
        settings = self._settings
        if self.state == "between" and not self.is_paused:
            times.append(self._round_ended_at + settings.between_seconds)
        if not self.is_in_play:
            times += [player.absent_since + settings.grace_seconds for player in self._absent()]
        others = [self._turn_due(), self._closing_time(), self._host_due()]
        if self.is_in_play and not self.is_paused:
            others.append(self._absences.next_deadline())
        times += [time for time in others if time is not None]
        return max(min(times), self._not_before) if times else None

    def _turn_due(self) -> float | None:
        """When the table moves for the seat to act; None: it does not."""
        progress = self.progress
        if self.state != "playing" or self.is_paused or progress is None:
            return None
        seat = progress.game.turn
        if seat is None:
            return None
        if self._absences.choice(seat) in {"skip", "bot"} or self._stands_in_for == seat:
            return self._moved_at + self._pace()
        return None if self._is_held_for_turn() else self._clocks.deadline()

    def _closing_time(self) -> float | None:
        """When the table closes because nobody has come back to it."""
        if self._quiet_since is None or self._stays_open():
            return None
        if not self.is_in_play:
            return self._quiet_since + self._settings.idle_seconds
        return self._quiet_since + self._settings.sleep_seconds if self._persons() else None

    def _host_due(self) -> float | None:
        """When another person is made the host; None while nobody has to be."""
        number = self.seat_of(self.host) if self.host is not None else None
        away = self._absences.get(number)
        if away is None or self._next_host() is None:
            return None
        return away.since + self._settings.host_seconds

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
        if self.is_paused:
            return []
        due = [(held.player, held.command) for held in self._held if held.due <= now]
        self._held = [held for held in self._held if held.due > now]
        return due

    def tick(self, now: float) -> list[Effect]:
        """Do what the time demands; sets `closing` when the table is to be closed."""
        effects: list[Effect] = []
        if _is_due(self._host_due(), now):
            before = self.heir_of or self.host
            effects += [*self.name_host(self._next_host(), before), *self.news(now)]
        if self.is_in_play and not self.is_paused:
            effects += self._look_for_overdue(now)
        if self.state == "playing":
            effects += self._act_if_due(now)
        elif self.state == "between":
            effects += self._go_on_if_ready(now)
        if not self.is_in_play:
            effects += self._free_seats(now)
        self.closing = _is_due(self._closing_time(), now)
        return effects

    def _act_if_due(self, now: float) -> list[Effect]:
        """Move for a seat whose owner is away or late."""
        if not _is_due(self._turn_due(), now):
            return []
        progress = self._game_on()
        seat = progress.game.turn
        if seat is None:
            return []
        choice = self._absences.choice(seat)
        if choice == "skip":
            return self._skip(seat, now, "absent skipped")
        if choice == "bot" or self._stands_in_for == seat:
            return self._play_for(seat, now, "substitute moved")
        if self.seats[seat].kind == "bot":
            return self._play_for(seat, now, "bot late")
        if self.terms.on_timeout == "skip":
            return self._skip(seat, now, "late skipped")
        self._stands_in_for = seat
        return self._play_for(seat, now, "late replaced")

    def _skip(self, seat: int, now: float, event: str) -> list[Effect]:
        """End a turn without a chosen tile."""
        progress = self._game_on()
        turn = progress.turn
        made = self._made(seat, SKIP, now)
        count = progress.skip(self._at_ms(now))
        # the turn may stay the same one (a draw of many), so the clock is set anew in any case
        self._start_clock(now, is_anew=True)
        line = report(event, table=self.label, seat=seat)
        return [made, line, *self._moved(count, now, turn)]

    def _play_for(self, seat: int, now: float, event: str) -> list[Effect]:
        """Have the substitute move for a seat, and knock if it has to."""
        progress = self._game_on()
        turn = progress.turn
        move = self._substitute_move(seat, now)
        if move is None:
            return self._skip(seat, now, event)
        effects: list[Effect] = []
        at_ms = self._at_ms(now)
        count = progress.apply(seat, move, at_ms)
        effects.append(self._made(seat, str(move), now, by_substitute=True))
        if engine.KNOCK in progress.legal_moves(seat):
            count += progress.apply(seat, engine.KNOCK, at_ms)
            effects.append(self._made(seat, str(engine.KNOCK), now, by_substitute=True))
        effects.append(report(event, table=self.label, seat=seat, move=move.deed.value))
        return [*effects, *self._moved(count, now, turn)]

    def _substitute_move(self, seat: int, now: float) -> engine.Move | None:
        """What the substitute does for the seat to act, by what that seat sees; None: nothing."""
        if self._settings.substitute is None:
            return None
        progress = self._game_on()
        seen = decode_server(self._updates(progress, [], now).seen_by(seat))
        if not isinstance(seen, Update):
            return None
        guarded = [choice for choice in seen.choices if choice.do not in {"knock", "foul"}]
        choice = self._settings.substitute(msgspec.structs.replace(seen, choices=guarded))
        move = _chosen_move(choice)
        return move if move in progress.legal_moves(seat) else None

    def _free_seats(self, now: float) -> list[Effect]:
        """Free the seats of those who have been gone too long while no game is on."""
        effects: list[Effect] = []
        for player in self._absent():
            if now >= player.absent_since + self._settings.grace_seconds:
                effects += self.leave(player, now)
        return effects


def _chosen_move(choice: Choice) -> engine.Move | None:
    """A choice that ends nothing but a turn's decision, as a move of the engine."""
    if choice.do == "play" and choice.tile is not None and choice.train is not None:
        return engine.Move.play(engine.tile(*choice.tile), engine.parse_train(choice.train))
    return _PLAIN_MOVES.get(choice.do)


def _is_due(time: float | None, now: float) -> bool:
    """Whether this time has come; None never does."""
    return time is not None and now >= time


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
