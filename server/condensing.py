"""A table's log made short: facts that later ones have overtaken are left out.

Pure. A table made from the short log is the one that the whole log makes: `recall` reads no other.
So a log does not grow from game to game, nor with guests who come and go all day.
"""

from collections.abc import Sequence
from typing import Final

from .effects import (
    AbsenceDecided,
    GamePaused,
    GameStarted,
    HostNamed,
    SeatCodeGiven,
    SeatLeft,
    SeatReady,
    SeatTaken,
    TableFact,
    TableOpened,
    TableQuiet,
)

CONDENSE_FROM: Final = 500
"""A log is made short when it has grown by so many facts, or to twice what was left of it."""

_OF_A_SEAT: Final = (SeatTaken, SeatLeft, SeatCodeGiven)
_OF_A_SEAT_IN_GAME: Final = (SeatReady, AbsenceDecided)


def condensed(log: Sequence[TableFact]) -> list[TableFact]:
    """What still counts of a table's log, in its order.

    That is the charter; of who sits where, of codes and of hosts the last word; and all of the
    last game, but where it repeats itself. Earlier games are gone: their records could be fetched
    until the last one started.
    """
    games = [number for number, fact in enumerate(log) if isinstance(fact, GameStarted)]
    last_game = games[-1] if games else 0
    kept: list[TableFact] = []
    overtaken: set[object] = set()
    for number in range(len(log) - 1, -1, -1):
        fact = log[number]
        subject = _lasting(fact)
        if subject is None and number < last_game and not isinstance(fact, TableOpened):
            continue
        if subject is None:
            subject = _passing(fact)
        if subject is not None and subject in overtaken:
            continue
        overtaken.add(subject)
        kept.append(fact)
    return kept[::-1]


def is_due(size: int, since: int, fact: TableFact) -> bool:
    """Whether a log of so many facts is to be made short, which had `since` left the last time."""
    is_rematch = isinstance(fact, GameStarted) and fact.game > 1
    return is_rematch or size >= since + max(CONDENSE_FROM, since)


def _lasting(fact: TableFact) -> object:
    """What a fact is about that outlives games, and of which the last word alone counts."""
    if isinstance(fact, _OF_A_SEAT):
        return type(fact), fact.seat
    return type(fact) if isinstance(fact, HostNamed | TableQuiet) else None


def _passing(fact: TableFact) -> object:
    """Likewise what counts in one game alone."""
    if isinstance(fact, _OF_A_SEAT_IN_GAME):
        return type(fact), fact.seat
    return GamePaused if isinstance(fact, GamePaused) else None
