"""Attendance: what is done about those who are away, and how the others ask and vote.

Pure. `absence` counts the votes; here they are taken, and what they decide is done.
"""

from typing import Final

from mexican_train.protocol import AbsenceChoice, Nudged, Vote

from .clocks import RETURN_SECONDS
from .course import Course
from .declines import Decline
from .effects import AbsenceDecided, Effect, Save, report
from .players import Player
from .playing import Playing
from .seats import Seats
from .table_settings import Charter
from .telling import Telling


class Attendance:
    """Sees to those who are away from one table."""

    def __init__(
        self, charter: Charter, seats: Seats, course: Course, telling: Telling, playing: Playing
    ) -> None:
        self._charter: Final = charter
        self._seats: Final = seats
        self._course: Final = course
        self._telling: Final = telling
        self._playing: Final = playing

    def note_presence(self, now: float) -> list[Effect]:
        """Note who has gone, and give back to whoever has returned what is theirs."""
        effects: list[Effect] = []
        for number, seat in enumerate(self._seats):
            since = now if self._seats.is_waited_for(seat) else None
            ended = self._course.absences.note(number, since)
            if ended is not None and ended.choice is not None:
                effects.append(Save((AbsenceDecided(self._charter.name, number, None),)))
            if ended is not None and self._course.clocks.seat == number and seat.kind == "person":
                self._course.hold_clock(now, RETURN_SECONDS)
                if self._course.clocks.left(now) != 0.0:
                    self._course.stands_in_for = None
        self._course.hold_clock(now)
        return effects

    def look_for_overdue(self, now: float) -> list[Effect]:
        """Do what the table does for those who are away longer than the grace."""
        effects: list[Effect] = []
        overdue = [
            number
            for number in self._course.absences.newly_overdue(now)
            if self._seats[number].kind == "person"
        ]
        for number in overdue:
            if self._charter.terms.on_absent != "wait" and self._course.is_in_play:
                effects += self._decide(number, self._charter.terms.on_absent, now)
        if overdue:
            self._course.hold_clock(now)
            effects += self._telling.news(now)
        return effects

    def _decide(self, number: int, choice: AbsenceChoice, now: float) -> list[Effect]:
        """Do this for a seat until its owner returns."""
        line = report("absence decided", table=self._charter.label, seat=number, choice=choice)
        if choice == "end":
            return [line, *self._playing.break_off(number, now)]
        self._course.absences.decide(number, choice, now)
        self._course.hold_clock(now)
        return [Save((AbsenceDecided(self._charter.name, number, choice),)), line]

    def vote(self, player: Player, command: Vote, now: float) -> list[Effect]:
        """Take a vote on those who are away; may decide what is done for them.

        Raises:
            Decline: `no_vote`.
        """
        voters = {voter.number for voter in self._seats.voters()}
        wanted = [
            number
            for number, _ in self._course.absences
            if self._course.may_vote_on(number) and command.seat in {None, number}
        ]
        if player.number not in voters or not wanted:
            raise Decline("no_vote")
        host = self._seats.host.number if self._seats.host is not None else None
        effects: list[Effect] = []
        for number in wanted:
            away = self._course.absences[number]
            if away.vote(player.number, command.choice, voters, host) and self._course.is_in_play:
                effects += self._decide(number, command.choice, now)
        return effects

    def nudge(self, player: Player) -> Nudged:
        """What is told when a player asks those who are awaited to go on.

        Raises:
            Decline: `not_started`, `wrong_state` if nobody else is awaited.
        """
        progress = self._course.game_on()
        if self._course.state == "playing":
            seats = [progress.game.turn] if progress.game.turn is not None else []
        else:
            seats = [
                number
                for number, seat in enumerate(self._seats)
                if seat.kind == "person" and not seat.is_ready and self._course.state != "over"
            ]
        seats = [number for number in seats if self._seats[number].player is not player]
        if not seats or self._course.is_paused:
            raise Decline("wrong_state")
        return Nudged(name=player.name, seats=seats)
