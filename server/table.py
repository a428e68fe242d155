"""A table: seats round a game, from the first guest to the last score.

Pure: time is an argument, what follows comes back as effects. Every method that can refuse
raises `Decline` before anything has changed.
"""

from typing import Final

from mexican_train import engine
from mexican_train.protocol import TableState, table_left

from .advice import Advice
from .attendance import Attendance
from .clocks import Calendar, is_due
from .course import Course
from .declines import Decline
from .effects import Deliver, Effect, GameSetUp, Save, SeatLeft, SeatReady
from .players import Player
from .playing import Playing
from .progress import Progress
from .seats import Seats
from .table_settings import Charter, TableSettings
from .telling import Telling

RETRY_SECONDS: Final = 1.0
"""After something could not be stored, before time demands it again."""


class Table:
    """One table: its parts, who comes and goes, and what time demands.

    Attributes:
        charter: what it was opened with.
        seats: who is here.
        course: which game is on.
        telling: what others hear of it.
        playing: the games.
        advice: what its players ask about them.
        attendance: what is done about those who are away.
        is_recalled: it was made from its log.
        closing: set once the table is to be closed.
        scheduled: for the lobby's timers: when it will next call `tick`.
    """

    def __init__(
        self,
        charter: Charter,
        settings: TableSettings,
        now: float,
        calendar: Calendar,
        *,
        is_recalled: bool = False,
    ) -> None:
        self.name: Final = charter.name
        self.label: Final = charter.label
        self.charter: Final = charter
        self.seats: Final = Seats(charter.name, charter.seats, now, calendar)
        self.course: Final = Course(charter, self.seats, settings, now)
        self.telling: Final = Telling(charter, self.seats, self.course, settings)
        self.playing: Final = Playing(charter, self.seats, self.course, self.telling, settings)
        self.advice: Final = Advice(charter, self.seats, self.course, self.telling, settings)
        self.attendance: Final = Attendance(
            charter, self.seats, self.course, self.telling, self.playing
        )
        self.is_recalled: Final = is_recalled
        self.closing = False
        self.scheduled: float | None = None
        self._settings: Final = settings
        self._not_before = 0.0

    @property
    def rules(self) -> engine.RuleSet:
        """What is played."""
        return self.charter.rules

    @property
    def state(self) -> TableState:
        """`waiting`, `playing`, `between` (two rounds) or `over`."""
        return self.course.state

    @property
    def is_in_play(self) -> bool:
        """Whether a game has started and is not over."""
        return self.course.is_in_play

    @property
    def progress(self) -> Progress | None:
        """The game, from its start until the next one is set up."""
        return self.course.progress

    @property
    def host(self) -> Player | None:
        """Who may start, kick and so on; None until somebody is."""
        return self.seats.host

    def seat_of(self, player: Player) -> int | None:
        """The seat kept for a player, or None."""
        return self.seats.seat_of(player)

    # --- coming and going -----------------------------------------------------------------

    def sit(self, player: Player, wanted: int | None, now: float) -> list[Effect]:
        """Give a player a seat, or back the one that is kept; may start the game.

        Raises:
            Decline: `already_started`, `no_such_seat`, `seat_taken`, `table_full`.
        """
        number = self.seats.seat_of(player)
        if number is None:
            if self.is_in_play:
                raise Decline("already_started")
            number = self.seats.empty_seat(wanted)
        effects = [self.seats.give(number, player), *self.seats.note_company(now)]
        effects += self.attendance.note_presence(now)
        if self.host is None and player.kind == "person":
            effects += self.seats.name_host(player)
        return effects

    def watch(self, player: Player, now: float) -> list[Effect]:
        """Let a player look on.

        Raises:
            Decline: `no_watchers`.
        """
        if not self.charter.allows_watchers:
            raise Decline("no_watchers")
        self.seats.watchers.append(player)
        player.table = self.name
        return self.seats.note_company(now)

    def leave(self, player: Player, now: float) -> list[Effect]:
        """A player goes. In a running game the seat is kept, otherwise it is free."""
        player.table = None
        effects: list[Effect] = []
        if player in self.seats.watchers:
            self.seats.watchers.remove(player)
        number = self.seats.seat_of(player)
        if number is not None:
            self.seats[number].is_ready = False
            if not self.is_in_play:
                effects += self.course.vacate(number)
            else:
                effects.append(Save((SeatLeft(self.name, number),)))
        effects += self.seats.note_company(now)
        effects += self.attendance.note_presence(now)
        if self.host is player:
            effects += self.seats.name_host(self.seats.next_host())
        return [*effects, *self.telling.news(now), *self.playing.go_on_if_ready(now)]

    def send_away(self, player: Player, now: float) -> list[Effect]:
        """Take a player or house bot from a table that is not being played.

        Raises:
            Decline: `already_started`.
        """
        if self.is_in_play:
            raise Decline("already_started")
        word = table_left(self.name, "kicked")
        was_here = self.seats.is_present(player)
        effects = self.leave(player, now)
        return [*([Deliver(player.number, word)] if was_here else []), *effects]

    def came_or_went(self, player: Player, now: float) -> list[Effect]:
        """Tell the others that a player's connection has come or gone."""
        if player in self.seats.watchers and not player.is_connected:
            return self.leave(player, now)
        effects = self.seats.note_company(now)
        effects += self.attendance.note_presence(now)
        effects += [
            effect
            for effect in self.telling.news(now)
            if not (isinstance(effect, Deliver) and effect.player == player.number)
        ]
        return effects + self.playing.go_on_if_ready(now)

    def note_company(self, now: float) -> list[Effect]:
        """Note since when no person is here."""
        return self.seats.note_company(now)

    # --- what comes next ------------------------------------------------------------------

    def set_ready(self, player: Player, on: bool) -> list[Effect]:
        """Note whether a player is ready for what comes next.

        Raises:
            Decline: `not_seated`.
        """
        number = self.seats.seat_of(player)
        if number is None:
            raise Decline("not_seated")
        self.seats[number].is_ready = on
        return [Save((SeatReady(self.name, number, on),))]

    def set_up_again(self, now: float) -> list[Effect]:
        """Another game with the same seats.

        Raises:
            Decline: `wrong_state` unless the game is over.
        """
        if self.state != "over":
            raise Decline("wrong_state")
        self.course.await_game()
        return [Save((GameSetUp(self.name),)), *self.seats.note_company(now)]

    def retry_later(self, now: float) -> None:
        """Let time demand nothing for a moment, so that a full disk is not asked without pause."""
        self._not_before = now + RETRY_SECONDS

    # --- time -----------------------------------------------------------------------------

    def next_deadline(self) -> float | None:
        """When `tick` has something to do; None while nothing depends on time."""
        times = self.playing.held_until()
        settings = self._settings
        if self.state == "between" and not self.course.is_paused:
            times.append(self.course.round_ended_at + settings.between_seconds)
        if self.state == "waiting":
            absent = self.seats.absent()
            times += [player.absent_since + settings.grace_seconds for player in absent]
        others = [self.playing.turn_due(), self._closing_time(), self._host_due()]
        if self.is_in_play and not self.course.is_paused:
            others.append(self.course.absences.next_deadline())
        times += [time for time in others if time is not None]
        return max(min(times), self._not_before) if times else None

    def _closing_time(self) -> float | None:
        """When the table closes because nobody has come back to it."""
        quiet_since = self.seats.quiet_since
        if quiet_since is None or self._stays_open():
            return None
        if not self.is_in_play:
            return quiet_since + self._settings.idle_seconds
        return quiet_since + self._settings.sleep_seconds if self.seats.persons() else None

    def _host_due(self) -> float | None:
        """When another person is made the host; None while nobody has to be."""
        number = self.seats.seat_of(self.host) if self.host is not None else None
        away = self.course.absences.get(number)
        if away is None or self.seats.next_host() is None:
            return None
        return away.since + self._settings.host_seconds

    def _stays_open(self) -> bool:
        return self.charter.is_standing and self.state == "waiting" and self.course.games == 0

    def tick(self, now: float) -> list[Effect]:
        """Do what the time demands; sets `closing` when the table is to be closed."""
        effects: list[Effect] = []
        if is_due(self._host_due(), now):
            before = self.seats.heir_of or self.host
            effects += self.seats.name_host(self.seats.next_host(), before)
            effects += self.telling.news(now)
        if self.is_in_play and not self.course.is_paused:
            effects += self.attendance.look_for_overdue(now)
        if self.state == "playing":
            effects += self.playing.act_if_due(now)
        elif self.state == "between":
            effects += self.playing.go_on_if_ready(now)
        if self.state == "waiting":
            effects += self._free_seats(now)
        self.closing = is_due(self._closing_time(), now)
        return effects

    def _free_seats(self, now: float) -> list[Effect]:
        """Free the seats of those who have been gone too long, so that a game can start.

        After a game they are kept: whoever comes back late still sees how it ended.
        """
        effects: list[Effect] = []
        for player in self.seats.absent():
            if now >= player.absent_since + self._settings.grace_seconds:
                effects += self.leave(player, now)
        return effects
