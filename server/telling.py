"""What is told of a table: as the lobby shows it, and its game to everybody who is there.

Pure, and changes nothing.
"""

from typing import Final

from mexican_train import engine
from mexican_train.protocol import (
    SeatInfo,
    SeatVote,
    TableInfo,
    TableNews,
    Update,
    decode_server,
)

from . import views
from .course import Course
from .effects import Deliver, DeliverUpdate, Effect
from .players import Player
from .progress import Progress, Updates
from .seats import Seats
from .table_settings import Charter, TableSettings


class Telling:
    """Tells of one table."""

    def __init__(
        self, charter: Charter, seats: Seats, course: Course, settings: TableSettings
    ) -> None:
        self._charter: Final = charter
        self._seats: Final = seats
        self._course: Final = course
        self._settings: Final = settings
        self._rules_info: Final = views.rules_info(charter.rules)

    def info(self, now: float) -> TableInfo:
        """The table as the lobby shows it now."""
        game = self._course.progress.game if self._course.progress is not None else None
        terms = self._charter.terms
        return TableInfo(
            name=self._charter.name,
            state=self._course.state,
            host=self._seats.host.name if self._seats.host else "",
            start=self._charter.start,
            rules=self._rules_info,
            seats=[self._seat_info(number, now) for number in range(len(self._seats))],
            watchers=len(self._seats.watchers),
            locked=self._charter.password_digest is not None,
            round=game.round.number if game is not None else 0,
            rounds=game.rounds if game is not None else engine.round_count(self._charter.rules),
            paused=self._course.is_paused,
            turn_seconds=terms.turn_seconds,
            bank_seconds=terms.bank_seconds,
            on_timeout=terms.on_timeout,
            on_absent=terms.on_absent,
            votes=self._votes(),
            hints=self._charter.hints and self._settings.adviser is not None,
        )

    def _seat_info(self, number: int, now: float) -> SeatInfo:
        seat = self._seats[number]
        away = self._course.absences.get(number)
        is_timed = seat.kind == "person" and self._charter.terms.turn_seconds is not None
        return SeatInfo(
            seat=number,
            kind=seat.kind,
            name=seat.player.name if seat.player else "",
            ready=seat.is_ready or seat.kind == "bot",
            present=seat.player is not None and self._seats.is_present(seat.player),
            away_ms=0 if away is None else max(1, round((now - away.since) * 1000)),
            substitute=self._course.has_substitute(number),
            bank_ms=round(self._course.clocks.banks[number] * 1000) if is_timed else None,
        )

    def _votes(self) -> list[SeatVote]:
        """What is wanted and decided, by seat whose owner is away for long."""
        voters = {voter.number for voter in self._seats.voters()}
        votes = []
        for number, away in self._course.absences:
            if self._course.is_in_play and away.is_overdue and self._seats[number].kind == "person":
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
                        open=self._course.may_vote_on(number),
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
            for player, seat in self._seats.viewers()
        ]

    def news_for(self, player: Player, now: float, answers: int = 0) -> Deliver:
        """The table to one player."""
        return Deliver(
            player.number,
            TableNews(answers=answers, table=self.info(now), seat=self._seats.seat_of(player)),
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
        progress = self._course.progress
        if progress is None:
            return []
        events = []
        if after is not None:
            events = progress.events_after(after)
        elif between is not None:
            events = progress.events_between(*between)
        updates = self.updates(progress, events, now)
        payload = updates.seen_by(self._seats.seat_of(player), answers=answers)
        return [DeliverUpdate(player.number, payload)]

    def updates(self, progress: Progress, events: list[views.SeenEvent], now: float) -> Updates:
        """The updates of this moment, with these events."""
        left = self._course.clocks.left(now)
        return Updates(
            progress,
            events,
            table=self._charter.name,
            unproven=self._settings.is_fixed,
            deadline_ms=None if left is None else round(left * 1000),
            clock=self._course.turn_clock(),
        )

    def seen_by(self, seat: int, now: float, *, answers: int = 0) -> Update:
        """The present update to a seat, read from the very bytes that it would be sent."""
        payload = self.updates(self._course.game_on(), [], now).seen_by(seat, answers=answers)
        seen = decode_server(payload)
        if not isinstance(seen, Update):
            raise TypeError("an update that is none")
        return seen

    def broadcast(
        self, count: int, now: float, mover: Player | None = None, answers: int = 0
    ) -> list[Effect]:
        """The last `count` events and the new state to everybody present."""
        progress = self._course.game_on()
        events = progress.events_after(progress.last_event - count)
        updates = self.updates(progress, events, now)
        return [
            DeliverUpdate(
                player.number,
                updates.seen_by(seat, answers=answers if player is mover else 0),
            )
            for player, seat in self._seats.viewers()
        ]
