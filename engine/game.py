"""A game: rounds one after another, scores, places. The engine's face for whoever runs a table.

Ask (`legal_moves`), check (`explain`), do (`apply`, which checks first). Nothing here waits,
rolls or remembers time: deals are given, moves are asked for.
"""

from typing import Final, Literal

from . import scoring
from .deal import Deal, check_table, round_count
from .events import Event, GameEnded, RoundEnded
from .moves import KNOCK, SEATS_MAX, Deed, Move
from .procedure import procedure_of
from .reasons import IllegalMove, Reason, reason_against
from .round import Round
from .ruleset import RuleSet
from .setup import new_round
from .tiles import tiles_in
from .turn import make, skip

Phase = Literal["deal", "play", "round_over", "over"]


class Game:
    """All rounds of one game at one table; start one with `Game.start`.

    Attributes:
        rules: what is played.
        seats: how many play, from 2 on; seats are numbered from 0, to the left.
        first_seat: the table's first seat.
        rounds: how many rounds there are.
        scores: a row a finished round, by seat.
        winners: the winner of each finished round.
    """

    def __init__(self, rules: RuleSet, seats: int, first_seat: int) -> None:
        self.rules: Final = rules
        self.seats: Final = seats
        self.first_seat: Final = first_seat
        self.rounds: Final = round_count(rules)
        self.scores: list[tuple[int, ...]] = []
        self.winners: list[int] = []
        self._procedure = procedure_of(rules)
        self._round: Round | None = None

    @staticmethod
    def start(rules: RuleSet, seats: int = 4, first_seat: int = 0) -> "Game":
        """A game in phase `deal`.

        Raises:
            RuleSetError: so many cannot play by these rules; names the largest hand that works.
            ValueError: there is no such first seat.
        """
        check_table(rules, seats)
        if not 0 <= first_seat < seats:
            raise ValueError(f"first seat {first_seat} is none of {seats} seats")
        return Game(rules, seats, first_seat)

    @property
    def phase(self) -> Phase:
        """`deal` before the first round, `play`, `round_over` between rounds, `over`."""
        if self._round is None:
            return "deal"
        if not self._round.is_over:
            return "play"
        return "over" if len(self.scores) == self.rounds else "round_over"

    @property
    def turn(self) -> int | None:
        """The seat to act, or None outside of play."""
        return None if self._round is None or self._round.is_over else self._round.turn

    @property
    def round(self) -> Round:
        """The round in play, or the last one; ValueError before the first deal."""
        if self._round is None:
            raise ValueError("no round has been dealt")
        return self._round

    @property
    def round_number(self) -> int:
        """The round in play or just finished, from 1; 0 before the first deal."""
        return 0 if self._round is None else self._round.number

    @property
    def totals(self) -> tuple[int, ...]:
        """By seat, the score so far."""
        return scoring.totals(self.scores, self.seats)

    @property
    def places(self) -> tuple[int, ...]:
        """By seat, the place by the scores so far, from 1 (`game.tie`)."""
        return scoring.places(
            self.scores, self.seats, zero_rounds=self.rules["game.tie"] == "zero_rounds"
        )

    def begin_round(self, deal: Deal) -> tuple[Event, ...]:
        """Deal the next round; in phase `deal` or `round_over`.

        Raises:
            ValueError: a round is in play, the game is over, or the deal is not for this game.
        """
        if self.phase not in ("deal", "round_over"):
            raise ValueError(f"no round can begin in phase {self.phase}")
        if len(deal.hands) != self.seats:
            raise ValueError(f"a deal of {len(deal.hands)} hands is not for {self.seats} seats")
        log: list[Event] = []
        self._round = new_round(
            self._procedure,
            deal,
            self.round_number + 1,
            first_seat=self.first_seat,
            last_winner=self.winners[-1] if self.winners else None,
            log=log,
        )
        return self._told(log)

    def legal_moves(self, seat: int) -> tuple[Move, ...]:
        """All that `seat` may do now, out of turn too (knock, foul); never empty for `turn`."""
        state = self._round
        if state is None or state.turn < 0:
            return ()
        moves = tuple(state.choices) if seat == state.turn else ()
        if state.owed:
            moves += _out_of_turn(state, seat)
        return moves

    def apply(self, seat: int, move: Move) -> tuple[Event, ...]:
        """Make a move; returns what happened, the end of round and game included.

        Raises:
            IllegalMove: it may not be made; nothing has changed.
        """
        state = self._round
        if state is None or not _is_legal(state, seat, move):
            raise IllegalMove(self._reason(seat, move))
        log: list[Event] = []
        make(state, seat, move, log)
        return self._told(log) if state.turn < 0 else tuple(log)

    def explain(self, seat: int, move: Move) -> Reason | None:
        """Why `seat` may not make `move` now, or None if it may."""
        state = self._round
        if state is not None and _is_legal(state, seat, move):
            return None
        return self._reason(seat, move)

    def skip(self, seat: int) -> tuple[Event, ...]:
        """The table's move for a seat that is away or out of time; never a chosen tile.

        Raises:
            ValueError: it is not the turn of `seat`.
        """
        if self.turn is None or seat != self.turn:
            raise ValueError(f"it is not the turn of seat {seat}")
        log: list[Event] = []
        skip(self.round, log)
        return self._told(log)

    def _reason(self, seat: int, move: Move) -> Reason:
        if self._round is None:
            return Reason("round_over", None, "No round has been dealt.")
        return reason_against(self._round, seat, move)

    def _told(self, log: list[Event]) -> tuple[Event, ...]:
        """The events, with the end of the round and of the game if they have come."""
        state = self.round
        if state.turn < 0 and len(self.scores) < state.number:
            scores = scoring.round_scores(state)
            winner = scoring.round_winner(state, scores)
            self.scores.append(scores)
            self.winners.append(winner)
            hands = tuple(tuple(tiles_in(hand)) for hand in state.hands)
            log.append(RoundEnded(state.number, winner, hands, scores))
            if len(self.scores) == self.rounds:
                log.append(GameEnded(self.totals, self.places))
        return tuple(log)


def _is_legal(state: Round, seat: int, move: Move) -> bool:
    if move.deed is Deed.KNOCK or move.deed is Deed.FOUL:
        return state.turn >= 0 and move in _out_of_turn(state, seat)
    return seat == state.turn and move in state.choices


def _out_of_turn(state: Round, seat: int) -> tuple[Move, ...]:
    """Knock and foul: in turn or out of it."""
    bit = 1 << seat
    moves: tuple[Move, ...] = (KNOCK,) if state.owed & bit else ()
    others = state.fouls & ~bit
    if others:
        moves += tuple(Move.foul(other) for other in range(SEATS_MAX) if others >> other & 1)
    return moves
