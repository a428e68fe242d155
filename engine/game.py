"""A game: rounds one after another, scores, places. The engine's face for whoever runs a table.

Ask (`legal_moves`), check (`explain`), do (`apply`, which checks first). Nothing here waits,
rolls or remembers time: deals are given, moves are asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from . import scoring
from .deal import Deal, check_table, engine_number, hand_size, round_count
from .events import Event, GameEnded, RoundEnded
from .moves import KNOCK, SEATS_MAX, Move
from .position import Position
from .procedure import procedure_of
from .reasons import IllegalMove, Reason, reason_against
from .record import Record, RecordedMove, RecordedRound, RecordError
from .round import Round
from .ruleset import RuleSet
from .setup import new_round
from .tiles import mask_of, tile, tile_set, tiles_in
from .turn import make, skip


@dataclass(frozen=True, slots=True)
class Replay:
    """A record played again: the game as it stands at the end, and every event by round."""

    game: "Game"
    events: tuple[tuple[Event, ...], ...]


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
        self._deals: list[Deal] = []
        self._moves: list[list[tuple[int, Move | None, int]]] = []

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
        state = self._round
        return state.turn if state is not None and state.turn >= 0 else None

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
        self._deals.append(deal)
        self._moves.append([])
        return self._told(log)

    def legal_moves(self, seat: int) -> tuple[Move, ...]:
        """All that `seat` may do now, out of turn too (knock, foul); never empty for `turn`."""
        state = self._round
        if state is None:
            return ()
        moves = state.choices if seat == state.turn else ()
        if not state.owed or state.turn < 0:
            return moves
        return moves + _out_of_turn(state, seat)

    def apply(self, seat: int, move: Move, *, at_ms: int = 0) -> tuple[Event, ...]:
        """Make a move; returns what happened, the end of round and game included.

        `at_ms` is the time for the record, from whatever start the table counts.

        Raises:
            IllegalMove: it may not be made; nothing has changed.
        """
        state = self._round
        if state is None or not (
            (seat == state.turn and move in state.choices) or _is_called(state, seat, move)
        ):
            raise IllegalMove(self._reason(seat, move))
        self._moves[-1].append((seat, move, at_ms))
        log: list[Event] = []
        make(state, seat, move, log)
        return self._told(log) if state.turn < 0 else tuple(log)

    def explain(self, seat: int, move: Move) -> Reason | None:
        """Why `seat` may not make `move` now, or None if it may."""
        if move in self.legal_moves(seat):
            return None
        return self._reason(seat, move)

    def skip(self, seat: int, *, at_ms: int = 0) -> tuple[Event, ...]:
        """The table's move for a seat that is away or out of time; never a chosen tile.

        Raises:
            ValueError: it is not the turn of `seat`.
        """
        if self.turn is None or seat != self.turn:
            raise ValueError(f"it is not the turn of seat {seat}")
        self._moves[-1].append((seat, None, at_ms))
        log: list[Event] = []
        skip(self.round, log)
        return self._told(log)

    def position(self, seat: int | None = None) -> Position:
        """The table in one line of text, whole or as `seat` knows it; ValueError before a deal."""
        return Position.of(self.round, self.rules, seat=seat)

    def record(self, names: Sequence[str] = ()) -> Record:
        """The game so far, hidden tiles included; `names` by seat, or `seat 0` and so on.

        Raises:
            ValueError: there are not as many names as seats.
        """
        named = tuple(names) or tuple(f"seat {seat}" for seat in range(self.seats))
        if len(named) != self.seats:
            raise ValueError(f"{len(named)} names for {self.seats} seats")
        rounds = []
        for index, (deal, played) in enumerate(zip(self._deals, self._moves, strict=True)):
            scores = self.scores[index] if index < len(self.scores) else None
            moves = tuple(RecordedMove(*each) for each in played)
            rounds.append(RecordedRound(deal, moves, scores))
        return Record(self.rules, named, self.first_seat, tuple(rounds))

    @staticmethod
    def replay(record: Record) -> Replay:
        """Play a record again, every move held against the rules.

        Raises:
            RecordError: at the first line that does not fit.
        """
        try:
            game = Game.start(record.rules, len(record.names), record.first_seat)
        except ValueError as error:
            raise RecordError(2, str(error)) from error
        events = tuple(
            tuple(_replay_round(game, record, index)) for index in range(len(record.rounds))
        )
        return Replay(game, events)

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


def _is_called(state: Round, seat: int, move: Move) -> bool:
    """Whether it is a knock or a foul that `seat` may make now."""
    return bool(state.owed) and state.turn >= 0 and move in _out_of_turn(state, seat)


def _out_of_turn(state: Round, seat: int) -> tuple[Move, ...]:
    """Knock and foul: in turn or out of it; nothing for a number that is no seat."""
    if not 0 <= seat < state.seats:
        return ()
    bit = 1 << seat
    moves: tuple[Move, ...] = (KNOCK,) if state.owed & bit else ()
    others = state.fouls & ~bit
    if others:
        moves += tuple(Move.foul(other) for other in range(SEATS_MAX) if others >> other & 1)
    return moves


def _replay_round(game: Game, record: Record, index: int) -> list[Event]:
    recorded = record.rounds[index]
    line = record.line_of(index, 0) - 1
    try:
        _refuse_wrong_deal(game.rules, recorded.deal, index + 1)
        events = list(game.begin_round(recorded.deal))
    except ValueError as error:
        raise RecordError(line, str(error)) from error
    for each in recorded.moves:
        line += 1
        try:
            if each.move is None:
                events += game.skip(each.seat, at_ms=each.at_ms)
            else:
                events += game.apply(each.seat, each.move, at_ms=each.at_ms)
        except ValueError as error:
            raise RecordError(line, str(error)) from error
    played = game.scores[index] if len(game.scores) > index else None
    if recorded.scores != played:
        raise RecordError(line + 1, "the scores are not those of the hands")
    return events


def _refuse_wrong_deal(rules: RuleSet, deal: Deal, round_number: int) -> None:
    """ValueError unless the deal is the whole set, in full hands, with the round's engine."""
    whole = 0
    for tiles in (*deal.hands, mask_of(deal.boneyard), 1 << deal.engine_tile):
        whole |= tiles
    if whole != tile_set(rules.number("set.max_pip")).whole:
        raise ValueError("the deal is not the whole set")
    number = engine_number(rules, round_number)
    if deal.engine_tile != tile(number, number):
        raise ValueError(f"the engine of round {round_number} is {number}-{number}")
    size = hand_size(rules, len(deal.hands))
    if any(hand.bit_count() != size for hand in deal.hands):
        raise ValueError(f"every hand is dealt {size} tiles")
