"""A plain turn in one piece: a seat lays or draws, and the next one looks at its hand.

For speed only: three moves in four are this, and the general way (`turn`, `legal`) takes twice as
long for them. Whatever is not plain is refused here and goes the general way; tests hold both ways
against each other.
"""

from typing import Final

from .events import Event, marker_removed, marker_set, tile_drawn, tile_laid
from .legal import FITTING_PLAYS, usable_trains
from .moves import DRAW, MEXICAN, PASS, PLAYS, Move
from .round import Round
from .tiles import BITS, ENDS

_DRAW_ALONE: Final = (DRAW,)


# one function, though long and branched: three calls would cost a tenth of it
def move_plainly(state: Round, seat: int, move: Move, log: list[Event] | None) -> bool:
    """In a calm round (`Round.calm`), lay a tile or draw one where that is all that happens.

    A plain play changes nothing but train, hand and marker: no double, none of the last two
    tiles, no new Mexican Train. A plain draw is the first of a turn in which nothing fits, where
    the rules let nobody draw on or keep a tile that does.

    Returns:
        False, with nothing done, if the move is not so plain. True otherwise: the seat may lay
        what it drew, or the next one is to act; its choices may still have to be settled: then
        `state.choices` is empty.
    """
    rules, hands, ends = state.procedure, state.hands, state.ends
    tile = move.tile
    if tile >= 0:
        train = move.train
        high, low = ENDS[tile]
        hand = hands[seat] ^ BITS[tile]
        if high == low or hand.bit_count() <= 1 or train == len(ends) - 1:
            return False
        hands[seat] = hand
        state.laid |= BITS[tile]
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
    elif move is DRAW and rules.plain_draw and not state.drew:
        tile = state.boneyard[state.drawn_count]
        state.drawn_count += 1
        hands[seat] |= BITS[tile]
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
    else:
        return False
    # the next turn begins; what a plain one never sets needs no reset
    seat += 1
    if seat == state.seats:
        seat = 0
    state.turn = seat
    state.turns += 1
    state.passes = 0
    if state.drew:
        state.moved = state.drew = False
        state.drawn = -1
    hand, with_number = hands[seat], rules.with_number
    moves: tuple[Move, ...] = ()
    for each in usable_trains(state):
        fitting = hand & with_number[ends[each]]
        if fitting:
            moves += FITTING_PLAYS[each][fitting]
    if not moves and state.drawn_count < len(state.boneyard):
        state.choices = _DRAW_ALONE
    else:
        # with must_play = no there is more to choose than plays
        state.choices = moves if rules.must_play else ()
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
