"""Advice: what a player asks about its own seat, why a move may not be made and what to do.

Pure, and changes nothing. Both answers rest on what that seat sees and on nothing else: a hint is
made from the very update that the seat would be sent.
"""

from collections.abc import Iterator
from typing import Final

from mexican_train import engine
from mexican_train.protocol import Hint, Reason, Why

from . import views
from .course import Course
from .declines import Decline
from .players import Player
from .progress import GUARDED, Progress
from .seats import Seats
from .table_settings import Adviser, Charter, TableSettings
from .telling import Telling

_PLAIN_MOVES: Final = {
    "draw": engine.DRAW,
    "pass": engine.PASS,
    "done": engine.DONE,
    "knock": engine.KNOCK,
}


class Advice:
    """Answers the questions of one table's players."""

    def __init__(
        self,
        charter: Charter,
        seats: Seats,
        course: Course,
        telling: Telling,
        settings: TableSettings,
    ) -> None:
        self._seats: Final = seats
        self._course: Final = course
        self._telling: Final = telling
        self._adviser: Final[Adviser | None] = settings.adviser if charter.hints else None

    # --- what to do -----------------------------------------------------------------------

    def hint(self, player: Player, answers: int, now: float) -> Hint:
        """What the adviser would do for the player's seat now, as the answer to a command.

        Raises:
            Decline: `not_seated`, `no_hints`, `not_started`, `paused`, `out_of_turn`, or
                `wrong_state` between rounds and after the game.
        """
        seat = self._seats.seat_of(player)
        if seat is None:
            raise Decline("not_seated")
        if player.kind == "bot":
            raise Decline("no_hints", "Hints are for persons.")
        if self._adviser is None:
            raise Decline("no_hints")
        progress = self._course.game_on()
        if self._course.is_paused:
            raise Decline("paused")
        seen = self._telling.seen_by(seat, now, answers=answers)
        if not seen.choices:
            raise _not_in_turn(progress)
        return self._adviser(seen)

    # --- why not --------------------------------------------------------------------------

    def reasons(self, player: Player, asked: Why) -> list[Reason]:
        """What `declined` would say to the moves asked about, the table's `turn` aside.

        Raises:
            Decline: `bad_field`, `not_seated`, `not_started`, `paused`, or `wrong_state` if the
                game was broken off.
        """
        seat = self._seats.seat_of(player)
        if seat is None:
            raise Decline("not_seated")
        progress = self._course.game_on()
        if self._course.is_paused:
            raise Decline("paused")
        if progress.is_broken_off:
            raise Decline("wrong_state")
        return [_reason(progress, seat, move) for move in _moves(progress, asked)]


def _not_in_turn(progress: Progress) -> Decline:
    """What is said to a seat that has no choice."""
    to_act = progress.game.turn
    if to_act is None or progress.is_broken_off:
        return Decline("wrong_state")
    return Decline("out_of_turn", params={"to_act": to_act})


def _moves(progress: Progress, asked: Why) -> Iterator[engine.Move]:
    """The moves that are asked about; of a tile without a train those on every train."""
    if asked.do == "foul":
        if asked.seat is None:
            raise _missing("seat")
        yield engine.Move.foul(asked.seat)
    elif asked.do != "play":
        yield _PLAIN_MOVES[asked.do]
    elif asked.tile is None:
        raise _missing("tile")
    else:
        tile = engine.tile(*asked.tile)
        trains = [engine.parse_train(asked.train)] if asked.train else _trains(progress.game)
        for train in trains:
            yield engine.Move.play(tile, train)


def _missing(path: str) -> Decline:
    text = f"The field `{path}` is wrong: this move has one."
    return Decline("bad_field", text, params={"path": path})


def _trains(game: engine.Game) -> list[int]:
    """The trains on the table, and the Mexican Train that a tile might start."""
    state = game.round
    trains = list(state.train_numbers)
    limit = game.rules.number("mexican_train.max_trains") or game.rules.number("set.max_pip")
    if state.mexican_count < limit:
        trains.append(engine.MEXICAN + state.mexican_count)
    return trains


def _reason(progress: Progress, seat: int, move: engine.Move) -> Reason:
    game = progress.game
    why = game.explain(seat, move)
    if why is None:
        return views.reason(move, None)
    if move.deed in GUARDED and game.turn not in (None, seat):
        return views.reason(move, _not_in_turn(progress).message(0))
    decline = Decline(why.code, why.text, option=why.option, params=why.params)
    return views.reason(move, decline.message(0))
