"""The plain turn in one piece: a tile is laid and the next seat looks at its hand.

For speed only: two plays in three are this, and the general way (`turn`, `legal`) takes twice as
long for them. Whatever is not plain is refused here and goes the general way; tests hold both ways
against each other.
"""

from typing import Final

from .events import Event, marker_removed, marker_set, tile_drawn, tile_laid
from .legal import FITTING_PLAYS, usable_trains
from .moves import DRAW, MEXICAN, PASS, PLAYS, Move
from .round import Round
from .tiles import ENDS

_DRAW_ALONE: Final = (DRAW,)


def lay_plainly(state: Round, seat: int, move: Move, log: list[Event] | None) -> bool:
    """In a calm round, carry out a play that changes nothing but train, hand and marker.

    Returns:
        False, with nothing done, if the play is not so plain: a double, one of the last two
        tiles, a new Mexican Train. True otherwise; the next seat is to act, but its choices may
        still have to be settled: then `state.choices` is empty.
    """
    tile, train = move.tile, move.train
    high, low = ENDS[tile]
    hand = state.hands[seat] ^ 1 << tile
    ends = state.ends
    if high == low or not hand & (hand - 1) or train == len(ends) - 1:
        return False
    state.hands[seat] = hand
    state.laid |= 1 << tile
    end = ends[train] = low if ends[train] == high else high
    state.lines[train] += (tile,)
    if train < MEXICAN:
        state.started |= 1 << train
    if log is not None:
        log.append(tile_laid(seat, tile, train, end))
    if state.marked >> seat & 1 and (train == seat or state.procedure.off_any_play):
        state.marked ^= 1 << seat
        if log is not None:
            log.append(marker_removed(seat))
    _begin_next(state, seat + 1)
    return True


def draw_plainly(state: Round, seat: int, log: list[Event] | None) -> bool:
    """In a calm round, carry out a draw for want of a tile that fits.

    Returns:
        False, with nothing done, if it is not the first of the turn, or the rules let a seat draw
        on or keep a tile that fits. True otherwise: the drawn tile may be laid, or the seat is
        marked and the next one is to act, as after `lay_plainly`.
    """
    rules = state.procedure
    if state.drew or not rules.plain_draw:
        return False
    tile = state.boneyard[state.drawn_count]
    state.drawn_count += 1
    state.hands[seat] |= 1 << tile
    if log is not None:
        log.append(tile_drawn(seat, tile))
    # nothing fitted before, so what fits now is the drawn tile
    plays = _plays_with(state, tile)
    if plays:
        state.moved = rules.knock
        state.drew = True
        state.drawn = tile
        state.passes = 0
        state.choices = plays if rules.must_play_drawn else (*plays, PASS)
        return True
    if not state.marked >> seat & 1:
        state.marked |= 1 << seat
        if log is not None:
            log.append(marker_set(seat))
    _begin_next(state, seat + 1)
    return True


def _plays_with(state: Round, tile: int) -> tuple[Move, ...]:
    """The plays of one tile on the trains that the seat to act may use."""
    ends = state.ends
    either = ENDS[tile]
    plays: tuple[Move, ...] = ()
    for train in usable_trains(state):
        if ends[train] in either:
            plays += (PLAYS[train][tile],)
    return plays


def _begin_next(state: Round, seat: int) -> None:
    """The turn of the next seat begins; what a plain turn never sets needs no reset."""
    rules = state.procedure
    if seat == state.seats:
        seat = 0
    state.turn = seat
    state.turns += 1
    state.passes = 0
    state.moved = state.drew = False
    state.drawn = -1
    hand = state.hands[seat]
    ends = state.ends
    with_number = rules.with_number
    moves: tuple[Move, ...] = ()
    for train in usable_trains(state):
        fitting = hand & with_number[ends[train]]
        if fitting:
            moves += FITTING_PLAYS[train][fitting]
    if not moves and state.drawn_count < len(state.boneyard):
        state.choices = _DRAW_ALONE
    else:
        # with must_play = no there is more to choose than plays
        state.choices = moves if rules.must_play else ()
