"""What a strategy or a bot is shown: the table as its seat may see it.

It holds what the server put into one update and nothing else, so that a bot needs no rules and
no bookkeeping of its own.
"""

from mexican_train.protocol import Milliseconds, SeatNumber, Tile, Turn, Update, View


class SeatView(View, frozen=True, kw_only=True):
    """The public view (all fields of the protocol's `View`) and what only this seat sees."""

    seat: SeatNumber
    """Yours."""
    hand: list[Tile]
    """Your tiles."""
    turn: Turn
    """The number of this decision."""
    deadline_ms: Milliseconds | None
    """Time left for the choice; None: no limit."""

    @property
    def name(self) -> str:
        """Your name, as the server writes it."""
        return self.names[self.seat]

    @property
    def is_my_turn(self) -> bool:
        """True while this seat is the one to act."""
        return self.to_act == self.seat


def seat_view(update: Update) -> SeatView | None:
    """What `update` shows to its seat; None for a watcher."""
    if update.seat is None:
        return None
    public = {field: getattr(update.view, field) for field in View.__struct_fields__}
    return SeatView(
        seat=update.seat,
        hand=update.hand,
        turn=update.turn,
        deadline_ms=update.deadline_ms,
        **public,
    )
