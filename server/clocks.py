"""Clocks: whose time runs at a table, and how much every seat has saved.

Pure. A turn has its seconds, and a little for a slow connection; past them a seat spends its bank,
which lasts the whole game. A clock that stands still keeps what is left. Whoever answers late, or
is away again and again, gains no more in a turn than the bounds that are named here and there.
"""

from dataclasses import dataclass, replace
from typing import Final, Self

from mexican_train.protocol import AbsenceChoice, TimeoutChoice

RETURN_SECONDS: Final = 10.0
"""What at least is left to somebody who comes back, once a turn."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a seat was given for one turn, or a bot for one choice.

    Attributes:
        budget: seconds of its own; None: no limit.
        has_bank: what it needs beyond that comes from its bank.
        bank: the seconds that were saved when it began.
        credit: seconds on top, for the way of an update there and of a move back.
        round_trip: how long that takes, as it was measured; None: it was not yet.
    """

    budget: float | None
    has_bank: bool = False
    bank: float = 0.0
    credit: float = 0.0
    round_trip: float | None = None

    def credited(self, round_trip: float | None, most: float) -> Self:
        """The same for a connection of this round trip, which is made good up to `most` seconds."""
        credit = min(max(0.0, round_trip or 0.0), most)
        return replace(self, credit=credit, round_trip=round_trip)


class Clocks:
    """The clocks of one game; one at most runs.

    Attributes:
        seat: whose turn is timed, or None.
        grant: what that seat was given; None: nobody is timed.
        banks: by seat, the seconds saved.
    """

    def __init__(self, seats: int, bank_seconds: float) -> None:
        self.seat: int | None = None
        self.grant: Grant | None = None
        self.banks: Final = [float(bank_seconds)] * seats
        self._left: float | None = None
        self._since: float | None = None
        self._rest_began: float | None = None
        self._rested = 0.0
        self._is_topped_up = False
        self._unseen = 0.0

    def start(self, seat: int, grant: Grant, now: float) -> None:
        """Give a seat its time from now on."""
        self.charge(now)
        self.seat = seat
        self.grant = replace(grant, bank=self.banks[seat] if grant.has_bank else 0.0)
        self._left = None if grant.budget is None else grant.budget + grant.credit
        self._since = now
        self._unseen = grant.credit
        self._rest_began, self._rested, self._is_topped_up = None, 0.0, False

    def stop(self, now: float) -> None:
        """Time nobody."""
        self.charge(now)
        self.seat = self.grant = self._left = self._since = self._rest_began = None

    def hold(self, now: float) -> None:
        """Stand still."""
        self._end_rest(now)
        self.charge(now)
        self._since = None

    def rest(self, now: float, at_most: float) -> None:
        """Stand still, but since the start no longer than this in all; then it runs by itself."""
        if self._left is None or self._rest_began is not None:
            return
        self.charge(now)
        self._rest_began = now
        self._since = now + max(0.0, at_most - self._rested)

    def go_on(self, now: float, at_least: float = 0.0) -> None:
        """Run again, if it stood still, with no less than this; that helps once a start."""
        self._end_rest(now)
        if self.grant is None or self.grant.budget is None or self._left is None:
            return
        if self._since is None:
            self._since = now
        self.charge(now)
        left = self._left + self._bank()
        unseen = min(self._unseen, max(0.0, left))  # no credit is given a second time
        lacking = at_least + unseen - left
        if lacking > 0.0 and at_least > 0.0 and not self._is_topped_up:
            self._left += lacking
            self._unseen = unseen
            self.grant = replace(self.grant, budget=self.grant.budget + lacking)
            self._is_topped_up = True

    def _end_rest(self, now: float) -> None:
        if self._rest_began is None or self._since is None:
            return
        self.charge(now)
        self._rested += max(0.0, min(now, self._since) - self._rest_began)
        self._since, self._rest_began = now, None

    def charge(self, now: float) -> None:
        """Take what has been spent by now from the turn, and then from the bank."""
        if self.seat is None or self._left is None or self._since is None:
            return
        self._left -= max(0.0, now - self._since)
        self._since = max(now, self._since)
        if self._left < 0.0 and self._bank():
            self.banks[self.seat] = max(0.0, self.banks[self.seat] + self._left)
            self._left = 0.0

    def left(self, now: float) -> float | None:
        """The seconds that the seat still has, the credit aside; None: no limit, or nobody."""
        if self.grant is None or self._left is None:
            return None
        spent = 0.0 if self._since is None else max(0.0, now - self._since)
        return max(0.0, self._left + self._bank() - spent - self._unseen)

    def deadline(self) -> float | None:
        """When the time is up; None: never, or not while the clock stands still."""
        if self._left is None or self._since is None:
            return None
        return self._since + self._left + self._bank()

    def _bank(self) -> float:
        has_bank = self.grant is not None and self.grant.has_bank
        return self.banks[self.seat] if self.seat is not None and has_bank else 0.0


def is_due(time: float | None, now: float) -> bool:
    """Whether this time has come; None never does."""
    return time is not None and now >= time
