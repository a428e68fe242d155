"""Clocks: whose time runs at a table, and how much every seat has saved.

Pure. A turn has its seconds; past them a seat spends its bank, which lasts the whole game. A
clock that stands still keeps what is left.
"""

from dataclasses import dataclass
from typing import Final

from mexican_train.protocol import AbsenceChoice, TimeoutChoice

RETURN_SECONDS: Final = 10.0
"""What at least is left to somebody who comes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a table does about time and absence.

    Attributes:
        turn_seconds: a person's time for a turn; None: no limit.
        bank_seconds: what a person may need beyond that in a whole game.
        on_timeout: what is done when both are spent.
        on_absent: what is done for who is away longer than the grace; `wait` lets the others vote.
    """

    turn_seconds: int | None = None
    bank_seconds: int = 0
    on_timeout: TimeoutChoice = "skip"
    on_absent: AbsenceChoice = "wait"


@dataclass(frozen=True, slots=True)
class Calendar:
    """Tells the time of day by the server's own clock, which begins anew with each start.

    Attributes:
        now: a time of that clock.
        unix: the same time in seconds since 1970.
    """

    now: float = 0.0
    unix: float = 0.0

    def day_time(self, now: float) -> int:
        """This time of the clock in seconds since 1970."""
        return round(self.unix + now - self.now)

    def clock_time(self, unix: float) -> float:
        """When that was, or will be, by the clock."""
        return self.now + unix - self.unix


class Clocks:
    """The clocks of one game; one at most runs.

    Attributes:
        seat: whose turn is timed, or None.
        banks: by seat, the seconds saved.
    """

    def __init__(self, seats: int, bank_seconds: float) -> None:
        self.seat: int | None = None
        self.banks: Final = [float(bank_seconds)] * seats
        self._left: float | None = None
        self._since: float | None = None
        self._has_bank = False

    def start(
        self, seat: int, seconds: float | None, now: float, *, has_bank: bool = False
    ) -> None:
        """Give a seat so much time from now on; None: no limit."""
        self.charge(now)
        self.seat, self._left, self._since, self._has_bank = seat, seconds, now, has_bank

    def stop(self, now: float) -> None:
        """Time nobody."""
        self.charge(now)
        self.seat = self._left = self._since = None

    def hold(self, now: float) -> None:
        """Stand still."""
        self.charge(now)
        self._since = None

    def go_on(self, now: float, at_least: float = 0.0) -> None:
        """Run again, if it stood still, with no less than this."""
        if self.seat is None or self._left is None:
            return
        if self._since is None:
            self._since = now
        left = self.left(now)
        if left is not None and left < at_least:
            self._left += at_least - left

    def charge(self, now: float) -> None:
        """Take what has been spent by now from the turn, and then from the bank."""
        if self.seat is None or self._left is None or self._since is None:
            return
        self._left -= max(0.0, now - self._since)
        self._since = max(now, self._since)
        if self._left < 0.0 and self._has_bank:
            self.banks[self.seat] = max(0.0, self.banks[self.seat] + self._left)
            self._left = 0.0

    def left(self, now: float) -> float | None:
        """The seconds that the seat still has; None: no limit, or nobody is timed."""
        if self.seat is None or self._left is None:
            return None
        spent = 0.0 if self._since is None else max(0.0, now - self._since)
        return max(0.0, self._left + self._bank() - spent)

    def deadline(self) -> float | None:
        """When the time is up; None: never, or not while the clock stands still."""
        if self._left is None or self._since is None:
            return None
        return self._since + self._left + self._bank()

    def _bank(self) -> float:
        return self.banks[self.seat] if self.seat is not None and self._has_bank else 0.0


def is_due(time: float | None, now: float) -> bool:
    """Whether this time has come; None never does."""
    return time is not None and now >= time
