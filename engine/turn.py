"""What happens when a seat moves: one transition a move, and what follows by itself.

Every function changes the round and appends to `log` what happened; with `log` None no event
is built, for searches. Whether a move may be made is asked before, in `legal`.
"""

from collections.abc import Callable

from .events import (
    DoubleLapsed,
    Event,
    FoulCalled,
    Knocked,
    OneTileLeft,
    RoundBlocked,
    TurnSkipped,
    WentOut,
    double_covered,
    double_opened,
    marker_removed,
    marker_set,
    passed,
    tile_drawn,
    tile_laid,
)
from .legal import decide, may_go_on
from .moves import DONE, DRAW, KNOCK, MEXICAN, PASS, Move
from .plain import move_plainly
from .round import COVER, EXTRA, GO_ON, PLAY, Round
from .tiles import BITS, ENDS

Log = list[Event] | None


def make(state: Round, seat: int, move: Move, log: Log) -> None:
    """Carry out a legal move of `seat`; the round is settled afterwards."""
    if state.calm and move_plainly(state, seat, move, log):
        if not state.choices:
            settle(state, log)
        return
    if state.procedure.knock and not state.moved and move is not KNOCK and move.seat < 0:
        _first_move(state, seat)
    if move.tile >= 0:
        _lay(state, seat, move.tile, move.train, log)
    elif move is DRAW:
        _draw(state, seat, log)
    elif move is PASS:
        if log is not None:
            log.append(passed(seat))
        _end_turn(state, fails=True, log=log)
    elif move is DONE:
        _end_turn(state, fails=False, log=log)
    elif move is KNOCK:
        _settle_debt(state, seat)
        if log is not None:
            log.append(Knocked(seat))
    else:
        _foul(state, move.seat, seat, log)
    settle(state, log)


def play_out(state: Round, chance: Callable[[], float]) -> None:
    """Play a round to its end with random legal moves, without events; for searches.

    `chance` gives numbers from 0 up to 1, as `random.random` does.
    """
    while state.turn >= 0:
        choices = state.choices
        make(state, state.turn, choices[int(chance() * len(choices))], None)


def skip(state: Round, log: Log) -> None:
    """The table's move for the seat to act, which is away or out of time.

    It draws once if drawing is all that was offered, lays nothing and ends the turn: marked as
    by a pass, after a tile with nothing owed it is `done` (precise points, `skip`).
    """
    seat = state.turn
    if log is not None:
        log.append(TurnSkipped(seat))
    only_draw = state.choices == (DRAW,)
    if state.procedure.knock and not state.moved:
        _first_move(state, seat)
    if only_draw:
        _draw(state, seat, log)
    _end_turn(state, fails=state.need is not GO_ON, log=log)
    settle(state, log)


def begin(state: Round, log: Log) -> None:
    """Start the first turn of the round."""
    _begin_turn(state, state.first, log)
    settle(state, log)


def settle(state: Round, log: Log) -> None:
    """End turns that have nothing to decide, until a seat has a choice or the round is over."""
    while state.turn >= 0:
        choices = decide(state)
        if choices:
            state.choices = tuple(choices)
            state.calm = _is_calm(state)
            return
        if choices is not None:
            _end_turn(state, fails=state.need is not GO_ON, log=log)
        elif state.need is EXTRA and not state.hands[state.turn]:
            # the boneyard went empty under a last tile that is a double: the seat is out
            _go_out(state, state.turn, log)
        elif state.procedure.first_stuck:
            _block(state, log)
        elif state.need is EXTRA or state.drew:
            _end_turn(state, fails=True, log=log)
        else:
            state.choices = (PASS,)
            state.calm = _is_calm(state)
            return
    state.choices = ()
    state.calm = False


def _is_calm(state: Round) -> bool:
    """Whether ordinary plays and draws can be made as `plain` does: nothing else is going on."""
    rules = state.procedure
    return (
        state.need is PLAY
        and (rules.plain if state.turns >= state.seats else rules.plain_lap_one)
        and not (state.uncovered or state.out or state.owed)
    )


# --- moves --------------------------------------------------------------------------------


def _lay(state: Round, seat: int, tile: int, train: int, log: Log) -> None:
    rules = state.procedure
    high, low = ENDS[tile]
    end = low if state.ends[train] == high else high
    bit = BITS[tile]
    hand = state.hands[seat] = state.hands[seat] ^ bit
    state.laid |= bit
    state.passes = 0
    if train < MEXICAN:
        state.started |= 1 << train
    elif train == len(state.ends) - 1:
        # the place past the last Mexican Train: one starts, and leaves a place for the next
        state.mexican_started = True
        state.ends.append(state.engine_number)
        state.lines.append(())
    state.ends[train] = end
    state.lines[train] += (tile,)
    if log is not None:
        log.append(tile_laid(seat, tile, train, end))
    if state.marked >> seat & 1 and (train == seat or rules.off_any_play):
        state.marked ^= 1 << seat
        if log is not None:
            log.append(marker_removed(seat))
    if state.need is not EXTRA:
        state.laid_count += 1
    if rules.goes_on:
        state.used |= 1 << train
        if state.first_train < 0:
            state.first_train = train
    if rules.announces:
        _announce(state, seat, log)
        if rules.knock and not rules.foul_at_turn_end:
            state.fouls |= state.owed & ~(1 << seat)
    if state.uncovered:
        _cover(state, seat, train, log)
    is_double = high == low and rules.must_cover
    if is_double:
        state.uncovered += ((train, tile, seat),)
        state.turn_doubles |= 1 << train
        if log is not None:
            log.append(double_opened(seat, train, tile))
    if state.uncovered:
        _lapse(state, log)
    if is_double or rules.goes_on or not hand:
        _after_tile(state, seat, train if is_double else -1, log)
    else:
        _end_turn(state, fails=False, log=log)


def _cover(state: Round, seat: int, train: int, log: Log) -> None:
    """A tile on an open double covers it, whoever lays it and for whatever reason."""
    for double in state.uncovered:
        if double[0] == train:
            state.uncovered = tuple(each for each in state.uncovered if each is not double)
            if log is not None:
                log.append(double_covered(seat, train, double[1]))
            return


def _lapse(state: Round, log: Log) -> None:
    """Let go of open doubles that bind nobody any more (`doubles.lapse`).

    Looked at when a tile is laid and when a turn begins; a lapsed double never binds again.
    """
    rules = state.procedure
    is_empty = rules.lapse_empty and state.drawn_count >= len(state.boneyard)
    if not is_empty and not rules.lapse_dead:
        return
    with_number, laid = rules.with_number, state.laid
    for double in state.uncovered:
        train, tile, _ = double
        is_dead = rules.lapse_dead and not with_number[ENDS[tile][0]] & ~laid
        if is_dead or is_empty:
            state.uncovered = tuple(each for each in state.uncovered if each is not double)
            if log is not None:
                reason = "dead_number" if is_dead else "boneyard_empty"
                log.append(DoubleLapsed(train, tile, reason))


def _after_tile(state: Round, seat: int, double_train: int, log: Log) -> None:
    """Out, an extra tile owed, another tile allowed, or the turn over.

    `double_train` is where a double was just laid, or -1.
    """
    rules = state.procedure
    waits = False
    if double_train >= 0:
        if rules.exempt_lap_one and state.turns < state.seats:
            double_train = -1
        else:
            waits = any(each[0] == double_train for each in state.uncovered)
    if not state.hands[seat]:
        must_draw = waits and not rules.out_uncovered and state.drawn_count < len(state.boneyard)
        if not must_draw:
            _go_out(state, seat, log)
            return
    if waits or (double_train >= 0 and rules.extra_anywhere):
        state.need = EXTRA
        state.extra_train = double_train
        state.drew = False
        state.drawn = -1
    elif rules.goes_on and may_go_on(state):
        state.need = GO_ON
    else:
        _end_turn(state, fails=False, log=log)


def _draw(state: Round, seat: int, log: Log) -> None:
    rules = state.procedure
    tile = state.boneyard[state.drawn_count]
    state.drawn_count += 1
    state.hands[seat] |= BITS[tile]
    state.drew = True
    state.drawn = tile
    state.passes = 0
    if rules.own_stuck:
        _look_at_own_train(state, seat)
    if log is not None:
        log.append(tile_drawn(seat, tile))
    if rules.announces:
        _announce(state, seat, log)


def _go_out(state: Round, seat: int, log: Log) -> None:
    """The hand is empty: the round ends, or the first lap is finished (`finish_lap`)."""
    state.out += (seat,)
    if log is not None:
        log.append(WentOut(seat))
    if state.procedure.finish_lap and state.turns < state.seats:
        _next_turn(state, seat, log)
    else:
        state.turn = -1


# --- turns --------------------------------------------------------------------------------


def _begin_turn(state: Round, seat: int, log: Log) -> None:
    state.turn = seat
    if state.uncovered:
        _lapse(state, log)
    # as `is_bound`, without its calls
    state.under_duty = bool(state.uncovered) and (
        state.turns >= state.seats or not state.procedure.exempt_lap_one
    )
    state.need = COVER if state.under_duty else PLAY
    state.moved = False
    state.drew = False
    state.drawn = -1
    state.laid_count = 0
    state.first_train = -1
    state.used = 0
    state.turn_doubles = 0
    state.mexican_started = False
    if state.procedure.own_stuck:
        state.own_fitted = False
        _look_at_own_train(state, seat)


def _look_at_own_train(state: Round, seat: int) -> None:
    """`own_stuck` asks whether at any moment of the turn a tile fitted the own train."""
    if state.hands[seat] & state.procedure.with_number[state.ends[seat]]:
        state.own_fitted = True


def _end_turn(state: Round, *, fails: bool, log: Log) -> None:
    """The turn is over; `fails` if what was awaited was not laid."""
    seat, rules = state.turn, state.procedure
    if not fails and not rules.own_stuck:
        _next_turn(state, seat, log)
        return
    marks = False
    if fails:
        need = state.need
        marks = need is PLAY or (rules.mark_others if need is COVER else rules.mark_self)
    if rules.own_stuck and not state.under_duty and not state.own_fitted:
        marks = True
    if marks and not state.marked >> seat & 1:
        state.marked |= 1 << seat
        state.passes = 0
        if log is not None:
            log.append(marker_set(seat))
    elif fails and not state.drew and not state.laid_count:
        state.passes += 1
        if state.passes >= state.seats:
            _block(state, log)
            return
    _next_turn(state, seat, log)


def _next_turn(state: Round, seat: int, log: Log) -> None:
    if state.owed and state.procedure.foul_at_turn_end:
        state.fouls |= state.owed & 1 << (seat - 1) % state.seats
    state.turns += 1
    if state.out and state.turns >= state.seats:
        state.turn = -1
        return
    _begin_turn(state, (seat + 1) % state.seats, log)


def _block(state: Round, log: Log) -> None:
    state.blocked = True
    state.turn = -1
    if log is not None:
        log.append(RoundBlocked())


# --- knock and foul -----------------------------------------------------------------------


def _announce(state: Round, seat: int, log: Log) -> None:
    """A hand that comes to exactly one tile owes a knock; any other number ends the debt."""
    rules = state.procedure
    one_left = state.hands[seat].bit_count() == 1
    if rules.knock:
        _settle_debt(state, seat)
        if one_left:
            state.owed |= 1 << seat
    elif one_left and log is not None:
        log.append(OneTileLeft(seat))


def _first_move(state: Round, seat: int) -> None:
    """A debt from an earlier turn ends with the first move of the next one."""
    state.moved = True
    _settle_debt(state, seat)


def _settle_debt(state: Round, seat: int) -> None:
    if state.owed:
        state.owed &= ~(1 << seat)
        state.fouls &= ~(1 << seat)


def _foul(state: Round, offender: int, caller: int, log: Log) -> None:
    """The first call closes the window; the penalty is drawn as far as the boneyard goes."""
    _settle_debt(state, offender)
    start = state.drawn_count
    drawn = state.boneyard[start : start + state.procedure.penalty_tiles]
    for tile in drawn:
        state.hands[offender] |= BITS[tile]
    state.drawn_count += len(drawn)
    if drawn:
        state.passes = 0
        if state.procedure.own_stuck and offender == state.turn:
            _look_at_own_train(state, offender)
    if log is not None:
        log.append(FoulCalled(offender, caller, drawn))
