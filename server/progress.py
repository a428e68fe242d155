"""A game in progress at a table: events numbered, turns counted, choices and updates made.

Pure. Knows seats and moves, no players: the table knows who sits where. What differs from viewer
to viewer in an update is spliced onto what is the same for all, which is encoded once.
"""

from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import Final

import msgspec
from mexican_train import engine
from mexican_train.protocol import (
    AnyEvent,
    Choice,
    GameEnded,
    SharedUpdate,
    TimeUp,
    TurnClock,
    View,
    encode_own,
    encode_update_shared,
    splice,
)

from . import views
from .effects import FixedDeal, TimeRanOut

EVENTS_KEPT: Final = 400
"""Past events of a table at hand for whoever comes back: about 20 KiB of an update."""

GUARDED: Final = frozenset({engine.Deed.PLAY, engine.Deed.DRAW, engine.Deed.PASS, engine.Deed.DONE})
"""The moves that the table's `turn` counter guards."""


class Progress:
    """One game and what the wire needs beside it.

    Attributes:
        game: the engine's game.
        names: by seat, as they were when the game started.
        turn: rises whenever the seat to act, or its choices among play, draw, pass and done,
            have changed; never by a knock or foul.
        last_event: the number of the newest event of the table.
        is_broken_off: the game has ended before its time.
    """

    def __init__(
        self,
        rules: engine.RuleSet,
        names: Sequence[str],
        *,
        first_seat: int,
        turn: int,
        last_event: int,
        earlier: "Progress | None" = None,
    ) -> None:
        """A game before its first deal.

        Args:
            rules: what is played.
            names: by seat.
            first_seat: the table's.
            turn: where the table's counter stands.
            last_event: where the numbers of its events stand.
            earlier: the game before at this table, whose last events are still at hand for
                whoever comes back.
        """
        self.game: Final = engine.Game.start(rules, seats=len(names), first_seat=first_seat)
        self.names: Final = tuple(names)
        self.turn = turn
        self.last_event = last_event
        self._events: deque[views.SeenEvent] = deque(
            earlier.events_after(0) if earlier is not None else (), EVENTS_KEPT
        )
        self.debt_events: dict[int, int] = {}
        self._legal: tuple[engine.Move, ...] = ()
        self._guarded: tuple[engine.Move, ...] = ()
        self._to_act: int | None = None
        self.is_broken_off = False
        self._announces = rules["announce.mode"] == "knock"
        self._views: Final = views.PublicViews(self.game, self.names, for_sending=True)
        self._owns: Final[dict[int, tuple[int, bytes]]] = {}

    # --- what happens ---------------------------------------------------------------------

    def begin_round(self, seed: bytes, fixed: FixedDeal | None = None) -> int:
        """Deal the next round from `seed`, or as laid out by hand; how many events that made."""
        game = self.game
        if fixed is not None:
            deal = engine.Deal.fixed(*fixed)
        else:
            deal = engine.Deal.from_seed(game.rules, game.seats, seed, game.round_number + 1)
        return self._note(game.begin_round(deal))

    def apply(self, seat: int, move: engine.Move, at_ms: int = 0) -> int:
        """Make a move, so long after the start of the game; how many events that made.

        Raises:
            IllegalMove: nothing has changed.
        """
        return self._note(self.game.apply(seat, move, at_ms=at_ms))

    def skip(self, at_ms: int = 0) -> int:
        """End the turn of the seat to act for it; how many events that made."""
        seat = self.game.turn
        if seat is None:
            raise ValueError("nobody is to act")
        return self._note(self.game.skip(seat, at_ms=at_ms))

    def note_time_up(self, fact: TimeRanOut) -> int:
        """Tell that a seat's time was spent, and how; how many events that made."""
        self.last_event += 1
        told = TimeUp(
            n=self.last_event,
            seat=fact.seat,
            budget_ms=fact.budget_ms,
            bank_ms=fact.bank_ms,
            credit_ms=fact.credit_ms,
            rtt_ms=fact.rtt_ms,
        )
        self._events.append(views.encoded_event(views.SeenEvent(told)))
        return 1

    def break_off(self, seat: int) -> int:
        """End the game here, because of this seat; how many events that made."""
        self.is_broken_off = True
        self.last_event += 1
        ended = GameEnded(n=self.last_event, seat=seat, totals=list(self.game.totals))
        self._events.append(views.encoded_event(views.SeenEvent(ended)))
        self.turn += 1
        return 1

    @property
    def is_turn_fresh(self) -> bool:
        """Whether the seat to act has done nothing yet in its turn."""
        state = self.game.round
        return not (state.moved or state.drew or state.laid_count)

    def _note(self, events: Sequence[engine.Event]) -> int:
        """Number the events, and count the turn on if the choice is another one now."""
        for number, event in enumerate(events, self.last_event + 1):
            seen = views.seen_event(number, event, self.game)
            self._events.append(views.encoded_event(seen))
        if self._announces:
            self._note_debts(events)
        self.last_event += len(events)
        self._count_turn()
        return len(events)

    def _note_debts(self, events: Sequence[engine.Event]) -> None:
        """Keep, by seat that owes a knock, the event that left it with one tile."""
        last_tile = {
            event.seat: number
            for number, event in enumerate(events, self.last_event + 1)
            if isinstance(event, engine.TileLaid | engine.TileDrawn | engine.FoulCalled)
        }
        newest = self.last_event + len(events)
        owing = {debt.seat for debt in self.game.round.knocks}
        self.debt_events = {
            seat: self.debt_events.get(seat) or last_tile.get(seat, newest) for seat in owing
        }

    def _count_turn(self) -> None:
        to_act = self.game.turn
        legal = self.game.legal_moves(to_act) if to_act is not None else ()
        guarded = legal
        if self._announces:
            guarded = tuple(move for move in legal if move.deed in GUARDED)
        if to_act != self._to_act or guarded != self._guarded:
            self.turn += 1
        self._to_act, self._legal, self._guarded = to_act, legal, guarded

    # --- what is seen ---------------------------------------------------------------------

    def is_debt_of(self, seat: int, event: int) -> bool:
        """Whether `event` is the one that left `seat` with a tile and no knock yet."""
        return self.debt_events.get(seat) == event

    def legal_moves(self, seat: int) -> tuple[engine.Move, ...]:
        """What the seat may do now; for the seat to act made once a move."""
        if self.is_broken_off:
            return ()
        if seat == self._to_act:
            return self._legal
        return self.game.legal_moves(seat) if self._announces else ()

    def own(self, seat: int) -> bytes:
        """A seat and its tiles, for its own eyes; encoded anew only when they are others."""
        mask = self.game.round.hands[seat]
        kept = self._owns.get(seat)
        if kept is None or kept[0] != mask:
            kept = self._owns[seat] = (mask, encode_own(seat, views.hand_of(self.game, seat)))
        return kept[1]

    def public_view(self) -> View:
        """The table as everybody may see it."""
        view = self._views.view(self.debt_events)
        if self.is_broken_off:
            view = msgspec.structs.replace(view, phase="over", to_act=None, awaited="")
        return view

    def choices(self, seat: int) -> list[Choice]:
        """What the seat may do now, as commands to send."""
        return [views.choice_of(move, self.debt_events) for move in self.legal_moves(seat)]

    def events_after(self, number: int) -> list[views.SeenEvent]:
        """The kept events with higher numbers than this one, encoded."""
        newest_first = islice(reversed(self._events), max(0, self.last_event - number))
        return list(newest_first)[::-1]

    def events_between(self, first: int, last: int) -> list[views.SeenEvent]:
        """The kept events numbered `first` to `last`, both included."""
        newer = self.events_after(first - 1)
        return newer[: max(0, len(newer) - (self.last_event - last))]


_WATCHER: Final = encode_own(None, ())


class Updates:
    """The updates of one moment, for any number of viewers."""

    def __init__(
        self,
        progress: Progress,
        events: Sequence[views.SeenEvent],
        *,
        table: str,
        unproven: bool,
        deadline_ms: int | None,
        clock: TurnClock | None,
    ) -> None:
        self._progress = progress
        self._events = events
        self._has_private = any(event.private is not None for event in events)
        self._shared: SharedUpdate = encode_update_shared(
            table=table,
            view=progress.public_view(),
            events=[event.public for event in events],
            last_event=progress.last_event,
            turn=progress.turn,
            deadline_ms=deadline_ms,
            unproven=unproven,
            clock=clock,
        )

    def seen_by(self, seat: int | None, *, answers: int = 0) -> bytes:
        """The payload of the update for one seat, or for a watcher."""
        progress = self._progress
        if seat is None:
            return splice(self._shared, _WATCHER, answers=answers)
        events: list[AnyEvent] | None = None
        if self._has_private:
            events = [event.seen_by(seat) for event in self._events]
        return splice(
            self._shared,
            progress.own(seat),
            answers=answers,
            choices=progress.choices(seat),
            events=events,
        )
