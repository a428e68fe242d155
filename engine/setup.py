"""How a round begins: the engine is found and laid, and somebody moves first.

The search for an engine that nobody holds belongs to the deal: it is told as events and asks
nobody for a move (`docs/rules.md`, *Deal*).
"""

from .deal import Deal
from .events import EngineLaid, RoundStarted, SearchDrew
from .procedure import Procedure
from .round import Round
from .tiles import tile_text
from .turn import Log, begin


def new_round(
    procedure: Procedure,
    deal: Deal,
    number: int,
    *,
    first_seat: int = 0,
    last_winner: int | None = None,
    log: Log = None,
) -> Round:
    """A round in which the first player is to act.

    Args:
        procedure: how it is played.
        deal: the tiles as dealt.
        number: 1 for the first round of a game.
        first_seat: the table's first seat, the same in every round.
        last_winner: who won the round before, or None in round 1.
        log: takes the events.

    Raises:
        ValueError: the engine is in no hand and not in the boneyard, or it is there although it
            was set aside.
    """
    state = Round(procedure, number, list(deal.hands), deal.engine_tile)
    state.boneyard = deal.boneyard
    if log is not None:
        log.append(RoundStarted(number, deal.engine_tile, state.hand_counts, state.boneyard_count))
    winner_first = procedure.search_from_winner and last_winner is not None
    search_from = last_winner if winner_first and last_winner is not None else first_seat
    holder = _find_engine(state, search_from, log)
    if holder is not None and procedure.engine_holder_first:
        state.first = holder
    else:
        state.first = (first_seat + number - 1) % state.seats
    if log is not None:
        log.append(EngineLaid(holder, deal.engine_tile, state.first))
    begin(state, log)
    return state


def _find_engine(state: Round, search_from: int, log: Log) -> int | None:
    """Take the engine out of the hand that holds it, or have it searched; its holder."""
    engine = state.engine_tile
    bit = 1 << engine
    holders = [seat for seat, hand in enumerate(state.hands) if hand & bit]
    is_dealt = bool(holders) or engine in state.boneyard
    if is_dealt == state.procedure.set_aside:
        where = "was dealt although it is set aside" if is_dealt else "was not dealt"
        raise ValueError(f"the engine {tile_text(engine)} {where}")
    if state.procedure.set_aside:
        return None
    holder = holders[0] if holders else _search(state, search_from, log)
    state.hands[holder] ^= bit
    return holder


def _search(state: Round, search_from: int, log: Log) -> int:
    """Seats draw one tile each in turn until the engine appears (`engine.search`).

    With `all_draw` everybody completes the cycle in which it appears, as far as tiles go.
    """
    finder, seat = -1, search_from
    while state.drawn_count < len(state.boneyard):
        cycle_ends = state.drawn_count % state.seats == 0
        if finder >= 0 and (cycle_ends or not state.procedure.search_all_draw):
            break
        tile = state.boneyard[state.drawn_count]
        state.drawn_count += 1
        state.hands[seat] |= 1 << tile
        if log is not None:
            log.append(SearchDrew(seat, tile))
        if tile == state.engine_tile:
            finder = seat
        seat = (seat + 1) % state.seats
    return finder
