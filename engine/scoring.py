"""Scores of a round, its winner, and the places of a game."""

from collections.abc import Sequence

from .procedure import Procedure
from .round import Round
from .tiles import TileMask, tile_pips, tiles_in


def hand_score(procedure: Procedure, hand: TileMask) -> int:
    """The pips left in a hand; 0-0 counts `score.double_blank`."""
    score = sum(tile_pips(tile) for tile in tiles_in(hand))
    return score + procedure.double_blank if hand & 1 else score


def round_scores(state: Round) -> tuple[int, ...]:
    """By seat, what a finished round costs; every seat scores its own hand."""
    return tuple(hand_score(state.procedure, hand) for hand in state.hands)


def round_winner(state: Round, scores: Sequence[int]) -> int:
    """The first seat to go out; after a block the lowest score, then the lowest seat."""
    return state.out[0] if state.out else min(range(len(scores)), key=scores.__getitem__)


def totals(rows: Sequence[Sequence[int]], seats: int) -> tuple[int, ...]:
    """By seat, the sum over the rounds played."""
    return tuple(sum(row[seat] for row in rows) for seat in range(seats))


def places(rows: Sequence[Sequence[int]], seats: int, *, zero_rounds: bool) -> tuple[int, ...]:
    """By seat, the place from 1; the lowest total is first, and shared places are skipped after.

    With `zero_rounds` (`game.tie`) equal totals are parted by more rounds with score 0, then by
    the smaller of their lowest rounds above 0.
    """

    def standing(seat: int) -> tuple[int, ...]:
        scored = [row[seat] for row in rows]
        if not zero_rounds:
            return (sum(scored),)
        above = [score for score in scored if score > 0]
        return (sum(scored), -scored.count(0), min(above, default=0))

    standings = [standing(seat) for seat in range(seats)]
    return tuple(1 + sum(other < own for other in standings) for own in standings)
