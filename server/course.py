"""The course of a table: which game is on, whose time runs, who is away.

Pure. What is true of the game beside the rules; it tells nobody and decides nothing: `playing` and
`attendance` do.
"""

from typing import Final

from mexican_train.protocol import TableState, TurnClock

from .absence import Absences
from .clocks import Clocks, Grant
from .declines import Decline
from .effects import Effect, GamePaused, GameStarted, MoveMade, RoundDealt, Save, TimeRanOut
from .progress import Progress
from .seats import Seats
from .table_settings import Charter, TableSettings

SKIP: Final = "skip"
"""How the table's own move stands in its log."""
RECORD_PART_CHARS: Final = 12_288
"""A record is written in ASCII, so that these are bytes too."""


class Course:
    """Where one table is, in one game after the other.

    Attributes:
        state: `waiting`, `playing`, `between` (two rounds) or `over`.
        progress: the game, from its start until the next one is set up.
        games: how many were started.
        clocks: of this game.
        absences: whose owners are away, by seat.
        is_paused: nobody may move, and no clock runs.
        stands_in_for: the late seat that the substitute plays for in this turn.
        game_began_at, moved_at, round_ended_at: when that last happened.
    """

    def __init__(self, charter: Charter, seats: Seats, settings: TableSettings, now: float) -> None:
        self.state: TableState = "waiting"
        self.progress: Progress | None = None
        self.games = 0
        self.clocks = Clocks(len(seats), charter.terms.bank_seconds)
        self.absences: Final = Absences(settings.grace_seconds)
        self.is_paused = False
        self.stands_in_for: int | None = None
        self.game_began_at = now
        self.moved_at = 0.0
        self.round_ended_at = 0.0
        self._charter: Final = charter
        self._seats: Final = seats
        self._settings: Final = settings
        self._paused_at = now
        self._record: str | None = None

    @property
    def is_in_play(self) -> bool:
        """Whether a game has started and is not over."""
        return self.state in {"playing", "between"}

    def game_on(self) -> Progress:
        """The game.

        Raises:
            Decline: `not_started`.
        """
        if self.progress is None:
            raise Decline("not_started")
        return self.progress

    # --- games and rounds -----------------------------------------------------------------

    def begin(self, started: GameStarted, now: float) -> Progress:
        """Begin the game that `started` tells of; it awaits its first deal."""
        self.games = started.game
        self.game_began_at = now
        self.clocks = Clocks(len(self._seats), self._charter.terms.bank_seconds)
        self._record = None
        self.progress = Progress(
            self._charter.rules,
            started.names,
            first_seat=self._charter.first_seat,
            turn=started.turn,
            last_event=started.last_event,
            earlier=self.progress,
        )
        return self.progress

    def lay_out(self, dealt: RoundDealt) -> int:
        """Deal a round; how many events that made."""
        count = self.game_on().begin_round(dealt.seed, dealt.fixed)
        self.state = "playing"
        for seat in self._seats:
            seat.is_ready = False
        return count

    def await_game(self) -> None:
        """Wait for the next game."""
        self.state = "waiting"
        for seat in self._seats:
            seat.is_ready = False

    def finish(self, now: float) -> list[Effect]:
        """The game is over: nothing of it is awaited, and the seats of those who left are free."""
        self.state = "over"
        self.is_paused = False
        self.stands_in_for = None
        self.clocks.stop(now)
        self.absences.clear()
        noted = self._seats.note_company(now, is_anew=True)
        left = [
            number
            for number, seat in enumerate(self._seats)
            if seat.player is not None and seat.player.table != self._charter.name
        ]
        return [*noted, *(effect for number in left for effect in self.vacate(number))]

    def vacate(self, number: int) -> list[Effect]:
        """Let nobody have the seat, and await nobody for it."""
        self.absences.note(number, None)
        return [self._seats.vacate(number)]

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

    # --- moves ----------------------------------------------------------------------------

    def at_ms(self, now: float) -> int:
        """How long the game has gone on."""
        return max(0, round((now - self.game_began_at) * 1000))

    def made(self, seat: int, move: str, now: float, *, by_substitute: bool = False) -> Save:
        """The fact of a move, with what the clock says after it."""
        bank_ms = None
        if self._charter.terms.turn_seconds is not None and self.clocks.seat == seat:
            self.clocks.charge(now)
            bank_ms = round(self.clocks.banks[seat] * 1000)
        fact = MoveMade(self._charter.name, seat, move, self.at_ms(now), by_substitute, bank_ms)
        return Save((fact,))

    def pace(self) -> float:
        """The shortest time before a move that no person makes."""
        pace = self._settings.pace_seconds
        if pace is None:
            pace = 1.0 if self._seats.persons() else 0.0
        return pace

    def has_substitute(self, seat: int) -> bool:
        """Whether the substitute plays for a seat."""
        if self._settings.substitute is None or not self.is_in_play:
            return False
        return self.absences.choice(seat) == "bot" or self.stands_in_for == seat

    def may_vote_on(self, number: int) -> bool:
        """Whether the others may vote on what is done for a seat."""
        is_voted_on = self.is_in_play and self._charter.terms.on_absent == "wait"
        is_person = self._seats[number].kind == "person"
        return is_voted_on and is_person and self.absences[number].is_open

    # --- clocks ---------------------------------------------------------------------------

    def start_clock(self, now: float, *, is_anew: bool) -> None:
        """Time what is now before the seat to act: a bot's choice, or (`is_anew`) a person's turn.

        A person's time is for the whole turn.
        """
        to_act = self.game_on().game.turn
        if to_act != self.stands_in_for or is_anew:
            self.stands_in_for = None
        if to_act is None:
            self.clocks.stop(now)
        elif self._seats[to_act].kind == "bot":
            self._grant(to_act, Grant(budget=self._settings.bot_choice_seconds), now)
        elif is_anew or self.clocks.seat != to_act:
            seconds = self._charter.terms.turn_seconds
            self._grant(to_act, Grant(budget=seconds, has_bank=seconds is not None), now)
        self.hold_clock(now)

    def _grant(self, seat: int, grant: Grant, now: float) -> None:
        """Start the clock, with something on top for a slow connection."""
        player = self._seats[seat].player
        round_trip = player.round_trip if player is not None else None
        credited = grant.credited(round_trip, self._settings.lag_credit_seconds)
        self.clocks.start(seat, credited, now)

    def hold_clock(self, now: float, at_least: float = 0.0) -> None:
        """Let the clock stand still or go on, as pause and presence of its owner have it.

        In one turn it stands still for no more than one grace, however often the owner goes,
        unless the others have decided to wait.
        """
        seat = self.clocks.seat
        if seat is None:
            return
        is_person = self._seats[seat].kind == "person"
        if self.is_paused or (is_person and self.absences.choice(seat) == "wait"):
            self.clocks.hold(now)
        elif is_person and self.absences.is_in_grace(seat):
            self.clocks.rest(now, self._settings.grace_seconds)
        else:
            self.clocks.go_on(now, at_least)

    def time_up(self, now: float) -> TimeRanOut:
        """Where the time of the seat that is timed has gone, as a fact.

        Raises:
            ValueError: nobody is timed.
        """
        self.clocks.charge(now)
        seat, grant = self.clocks.seat, self.clocks.grant
        if seat is None or grant is None or grant.budget is None:
            raise ValueError("nobody is timed")
        bank = grant.bank - self.clocks.banks[seat] if grant.has_bank else 0.0
        return TimeRanOut(
            self._charter.name,
            seat,
            budget_ms=_ms(grant.budget),
            bank_ms=_ms(bank),
            credit_ms=_ms(grant.credit),
            rtt_ms=None if grant.round_trip is None else _ms(grant.round_trip),
        )

    def turn_clock(self) -> TurnClock | None:
        """What the seat that is timed was given; None: no limit, or nobody is."""
        grant = self.clocks.grant
        if grant is None or grant.budget is None:
            return None
        return TurnClock(
            budget_ms=_ms(grant.budget),
            bank_ms=_ms(grant.bank),
            credit_ms=_ms(grant.credit),
            rtt_ms=None if grant.round_trip is None else _ms(grant.round_trip),
        )

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
            self.round_ended_at += now - self._paused_at
            self.moved_at = now
        self.hold_clock(now)
        return [Save((GamePaused(self._charter.name, is_on),))]

    def note_pause(self, is_on: bool, now: float) -> None:
        """Take in that the game was stopped, or let go on."""
        self.is_paused, self._paused_at = is_on, now


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
