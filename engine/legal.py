"""What a seat may do now, apart from what then happens (`turn`).

Nothing here changes a round. The rules are those of `docs/rules.md`; each function says which.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from .moves import DONE, DRAW, MEXICAN, PASS, PLAYS, TRAINS_MAX, Move
from .round import COVER, EXTRA, PLAY, Round
from .tiles import TileMask


def plays_on(state: Round, trains: Iterable[int], hand: TileMask) -> list[Move]:
    """Every tile of `hand` on every one of `trains` that it fits."""
    moves: list[Move] = []
    ends, with_number = state.ends, state.procedure.with_number
    for train in trains:
        fitting = hand & with_number[ends[train]]
        if fitting:
            moves += FITTING_PLAYS[train][fitting]
    return moves


class _Plays(dict[TileMask, tuple[Move, ...]]):
    """By the tiles that fit, the plays on one train; made when first asked for.

    A dictionary and no `lru_cache`, which takes twice as long to find an entry. Hands meet the
    same few tiles of a number over and over; past the bound it begins anew.
    """

    def __init__(self, train: int) -> None:
        self._row = PLAYS[train]

    def __missing__(self, tiles: TileMask) -> tuple[Move, ...]:
        if len(self) >= _PLAYS_KEPT:
            self.clear()
        row, rest, moves = self._row, tiles, []
        while rest:
            lowest = rest & -rest
            moves.append(row[lowest.bit_length() - 1])
            rest ^= lowest
        self[tiles] = kept = tuple(moves)
        return kept


_PLAYS_KEPT: Final = 8192
FITTING_PLAYS: Final = tuple(map(_Plays, range(TRAINS_MAX)))
"""By train and the mask of the tiles that fit it, the plays."""


def usable_trains(state: Round) -> tuple[int, ...]:
    """The trains that the seat to act may use for an ordinary tile (section 3, point 3)."""
    rules = state.procedure
    if rules.any_train_free and not state.mexican_started:
        return open_trains(state.turn, state.marked, rules.mexican_reach[len(state.ends)])
    seat, others = state.turn, state.marked
    if not rules.any_train:
        if rules.own_only and state.turns < state.seats:
            return (seat,)
        if not state.started >> seat & 1:
            # the first player may open another train first where only it may start one (bernie)
            if rules.own_first_any and not (rules.mexican_starter and not state.turns):
                return (seat,)
            if rules.own_first_opponents:
                others = 0
    return open_trains(seat, others, len(state.ends) - 1 + may_start_mexican(state))


@lru_cache(maxsize=65536)
def open_trains(seat: int, others: int, mexican_end: int) -> tuple[int, ...]:
    """The own train, the others of `others` (a mask), the Mexican ones below `mexican_end`."""
    marked = (train for train in range(MEXICAN) if others >> train & 1 and train != seat)
    return (seat, *marked, *range(MEXICAN, mexican_end))


def may_start_mexican(state: Round) -> bool:
    """Whether the seat to act may start another Mexican Train (`mexican_train.*`).

    One a turn, by the precise points.
    """
    rules = state.procedure
    if state.mexican_started or len(state.ends) - 1 - MEXICAN >= rules.mexican_max:
        return False
    if rules.mexican_any_turn or state.turns >= state.seats:
        return not rules.mexican_after_all or state.started == (1 << state.seats) - 1
    return rules.mexican_starter and not state.turns


def cover_trains(state: Round) -> list[int]:
    """The trains whose open double may be covered next (`doubles.cover_order`)."""
    uncovered, rules = state.uncovered, state.procedure
    if rules.cover_any:
        return [train for train, _, _ in uncovered]
    return [uncovered[-1 if rules.cover_newest else 0][0]]


def is_bound(state: Round) -> bool:
    """Whether an open double must be covered before anything else (section 3, point 2)."""
    return bool(state.uncovered) and state.doubles_bind


def extra_trains(state: Round) -> list[int]:
    """Where the tile after a double may go (`doubles.extra_tile`)."""
    if not state.procedure.extra_anywhere:
        return [state.extra_train]
    trains = list(usable_trains(state))
    trains += [
        train
        for train, _, _ in state.uncovered
        if state.turn_doubles >> train & 1 and train not in trains
    ]
    return trains


def extra_hand(state: Round) -> TileMask:
    """The tiles that may follow a double: no second double but with `doubles.per_turn` many."""
    hand, rules = state.hands[state.turn], state.procedure
    if rules.extra_anywhere and not rules.many_doubles:
        return hand & ~rules.tiles.doubles
    return hand


def further_trains(state: Round) -> list[int]:
    """The trains that a seat may go on with after a tile, apart from covers."""
    rules = state.procedure
    if rules.one_per_open_train:
        return [train for train in usable_trains(state) if not state.used >> train & 1]
    if rules.build_own_train:
        return [state.turn]
    avoided = state.first_train if rules.starter_other_train else -1
    return [train for train in usable_trains(state) if train != avoided]


def go_on_trains(state: Round) -> list[int]:
    """The trains for the next tile of the same turn: only covers while a double binds."""
    if not is_bound(state):
        return further_trains(state)
    trains, rules = cover_trains(state), state.procedure
    if rules.one_per_open_train:
        return [train for train in trains if not state.used >> train & 1]
    allowed = further_trains(state)
    return [train for train in trains if train in allowed]


def may_go_on(state: Round) -> bool:
    """Whether the turn may have another tile after the one just laid."""
    rules = state.procedure
    if rules.one_per_open_train:
        return True
    if rules.build_own_train:
        return state.turns < state.seats and state.first_train == state.turn
    return rules.starter_extra and not state.turns and state.laid_count == 1


def _ordinary(state: Round) -> list[Move] | None:
    plays = plays_on(state, usable_trains(state), state.hands[state.turn])
    if state.drew:
        return _after_draw(state, plays)
    if not plays:
        return _draw_or_none(state)
    if state.procedure.must_play:
        return plays
    plays.append(DRAW if _can_draw(state) else PASS)
    return plays


def _cover(state: Round) -> list[Move] | None:
    rules = state.procedure
    plays = plays_on(state, cover_trains(state), state.hands[state.turn])
    if state.drew:
        return _after_draw(state, plays)
    if not plays:
        return _draw_or_none(state) if rules.draw_others else [PASS]
    if not rules.must_play:
        plays.append(DRAW if rules.draw_others and _can_draw(state) else PASS)
    return plays


def _extra(state: Round) -> list[Move] | None:
    plays = plays_on(state, extra_trains(state), extra_hand(state))
    if state.drew:
        return _after_draw(state, plays)
    # with go_out_uncovered = no an empty hand draws, whatever draw_self says
    if not plays and (state.procedure.draw_self or not state.hands[state.turn]):
        return _draw_or_none(state)
    return plays


def _go_on(state: Round) -> list[Move]:
    plays = plays_on(state, go_on_trains(state), state.hands[state.turn])
    if plays:
        plays.append(DONE)
    return plays


def _after_draw(state: Round, plays: list[Move]) -> list[Move] | None:
    """The choice after a draw (`draw.play_drawn`, `draw.limit`, `turn.must_play`).

    `play_drawn = may` does not reach covers and extra tiles: there a drawn tile that fits is laid.
    """
    rules, need = state.procedure, state.need
    if not plays:
        return _draw_or_none(state) if rules.until_playable else plays
    with_drawn = [move for move in plays if move.tile == state.drawn]
    may_pass = not rules.must_play and need is not EXTRA
    if with_drawn:
        if rules.must_play_drawn or need is not PLAY:
            plays = with_drawn
        else:
            may_pass = True
    if may_pass:
        plays.append(PASS)
    return plays


def _can_draw(state: Round) -> bool:
    return state.drawn_count < len(state.boneyard)


def _draw_or_none(state: Round) -> list[Move] | None:
    return [DRAW] if _can_draw(state) else None


def decide(state: Round) -> list[Move] | None:
    """All moves of the seat to act but knock and foul.

    Empty when nothing is left to decide: the turn ends by itself. None when the seat must draw
    and the boneyard is empty: the rule on blocked rounds says what follows.
    """
    need = state.need
    if need is PLAY:
        return _ordinary(state)
    if need is COVER:
        return _cover(state)
    return _extra(state) if need is EXTRA else _go_on(state)
