"""The plain turn in one piece: a tile is laid and the next seat looks at its hand.

For speed only: two plays in three are this, and the general way (`turn`, `legal`) takes twice as
long for them. Whatever is not plain is refused here and goes the general way; tests hold both ways
against each other.
"""

from typing import Final

from .events import Event, marker_removed, tile_laid
from .legal import fitting_plays, open_trains, usable_trains
from .moves import DRAW, MEXICAN, Move
from .round import PLAY, Round
from .tiles import ENDS

_DRAW_ALONE: Final = (DRAW,)


def lay_plainly(state: Round, seat: int, move: Move, log: list[Event] | None) -> bool:
    """Carry out a play that ends the turn and changes nothing but train, hand and marker.

    Returns:
        False, with nothing done, if the play or the round is not so plain: a double, a duty, a
        knock owed, one of the last two tiles, a new Mexican Train, a turn of several tiles.
        True otherwise; the next seat is to act, but its choices may still have to be settled:
        then `state.choices` is empty.
    """
    rules = state.procedure
    tile, train = move.tile, move.train
    high, low = ENDS[tile]
    bit = 1 << tile
    hand = state.hands[seat] ^ bit
    ends = state.ends
    following = len(ends) - 1
    if (
        high == low
        or state.need is not PLAY
        or state.uncovered
        or state.out
        or state.owed
        or not hand & (hand - 1)
        or train == following
        or not (rules.plain_lap_one if state.turns < state.seats else rules.plain)
    ):
        return False
    state.hands[seat] = hand
    state.laid |= bit
    end = ends[train] = low if ends[train] == high else high
    state.lines[train] += (tile,)
    if train < MEXICAN:
        state.started |= 1 << train
    if log is not None:
        log.append(tile_laid(seat, tile, train, end))
    if state.marked >> seat & 1 and (train == seat or rules.off_any_play):
        state.marked ^= 1 << seat
        if log is not None:
            log.append(marker_removed(seat))
    # the next seat's turn begins; what a plain turn never sets needs no reset
    seat += 1
    if seat == state.seats:
        seat = 0
    state.turn = seat
    state.turns += 1
    state.passes = 0
    state.moved = state.drew = state.under_duty = False
    state.drawn = -1
    hand = state.hands[seat]
    with_number = rules.with_number
    if rules.any_train and rules.mexican_free:
        may_start = following - MEXICAN < rules.mexican_max
        trains = open_trains(seat, state.marked & ~(1 << seat), following + may_start)
    else:
        trains = usable_trains(state)
    moves: tuple[Move, ...] = ()
    for each in trains:
        fitting = hand & with_number[ends[each]]
        if fitting:
            moves += fitting_plays(each, fitting)
    if not moves and state.drawn_count < len(state.boneyard):
        state.choices = _DRAW_ALONE
    else:
        # with must_play = no there is more to choose than plays
        state.choices = moves if rules.must_play else ()
    return True
