"""A game record, walked through step by step: as everybody saw it, or as one seat did.

Pure: the record is given as text. Each step holds the same `Update` that a viewer at the table got,
so that a replay and a game read alike. `verify` plays the record again and tells what it found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mexican_train import engine
from mexican_train import protocol as wire

from . import views


@dataclass(frozen=True, slots=True)
class Step:
    """One moment of a game.

    Attributes:
        at: how many moves were made before it, over all rounds.
        round: the round, from 1.
        update: what the viewer was told.
        hands: all hands, as tiles, for a viewer who may see them (None otherwise).
        position: the position string, whole or as the viewer's seat knew it.
    """

    at: int
    round: int
    update: wire.Update
    hands: tuple[tuple[wire.Tile, ...], ...] | None
    position: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What `verify` found a record to hold."""

    rules: str
    rules_hash: str
    names: tuple[str, ...]
    rounds: int
    moves: int
    is_finished: bool
    totals: tuple[int, ...]
    places: tuple[int, ...]


def verify(text: str) -> Findings:
    """Hold every line of a record against its checksum and every move against the rules.

    Raises:
        RecordError: at the first line that does not fit.
    """
    record = engine.Record.parse(text)
    game = engine.Game.replay(record).game
    return Findings(
        rules=record.rules.name,
        rules_hash=record.rules.hash,
        names=record.names,
        rounds=len(record.rounds),
        moves=sum(len(each.moves) for each in record.rounds),
        is_finished=game.phase == "over",
        totals=game.totals,
        places=game.places,
    )


def steps(text: str, seat: int | None = None) -> Iterator[Step]:
    """Every moment of a record, each deal first; with `seat` only what that seat saw.

    Raises:
        RecordError: the record does not fit.
        ValueError: there is no such seat.
    """
    record = engine.Record.parse(text)
    engine.Game.replay(record)
    if seat is not None and not 0 <= seat < len(record.names):
        raise ValueError(f"there is no seat {seat}: seats are 0 to {len(record.names) - 1}")
    yield from _Walk(record, seat).steps()


class _Walk:
    """Plays a record again and keeps count of moves and events."""

    def __init__(self, record: engine.Record, seat: int | None) -> None:
        self._record = record
        self._seat = seat
        self._game = engine.Game.start(record.rules, len(record.names), record.first_seat)
        self._views = views.PublicViews(self._game, record.names)
        self._at = 0
        self._last_event = 0

    def steps(self) -> Iterator[Step]:
        game = self._game
        for recorded in self._record.rounds:
            yield self._step(game.begin_round(recorded.deal))
            for each in recorded.moves:
                if each.move is None:
                    events = game.skip(each.seat)
                else:
                    events = game.apply(each.seat, each.move)
                self._at += 1
                yield self._step(events)

    def _step(self, events: Sequence[engine.Event]) -> Step:
        game, seat = self._game, self._seat
        seen = []
        for event in events:
            self._last_event += 1
            form = views.seen_event(self._last_event, event, game)
            seen.append(form.seen_by(seat if seat is not None else form.seat))
        update = wire.Update(
            answers=0,
            table="replay",
            events=seen,
            last_event=self._last_event,
            view=self._views.view({}),
            seat=seat,
            hand=views.hand_of(game, seat) if seat is not None else [],
            turn=self._at,
            choices=[],
            deadline_ms=None,
            unproven=True,
        )
        every = range(game.seats)
        hands = None if seat is not None else tuple(tuple(views.hand_of(game, s)) for s in every)
        return Step(self._at, game.round.number, update, hands, str(game.position(seat)))
