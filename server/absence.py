"""Absence: which seats' owners are away since when, and what the others have decided.

Pure, and knows seats and voters by number alone. Those present vote; more than half of them
decide, and where all have voted and the most wanted choices are even, the host may.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from mexican_train.protocol import AbsenceChoice


@dataclass(slots=True)
class Away:
    """An owner who is away.

    Attributes:
        since: the time it began.
        is_overdue: the grace is over, and what follows from that is done.
        choice: what is done for the seat until its owner returns; None: nothing was decided.
        ballots: by voter, what the others want.
    """

    since: float
    is_overdue: bool = False
    choice: AbsenceChoice | None = None
    ballots: dict[int, AbsenceChoice] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether the others may vote; to wait can be thought over."""
        return self.is_overdue and self.choice in {None, "wait"}

    def tally(self, voters: Collection[int]) -> Counter[AbsenceChoice]:
        """How often each choice is wanted by those who may vote now."""
        return Counter(choice for voter, choice in self.ballots.items() if voter in voters)

    def vote(
        self, voter: int, choice: AbsenceChoice, voters: Collection[int], host: int | None
    ) -> bool:
        """Take a vote; whether `choice` is decided by it."""
        was_tied = choice in self._tied(voters)
        self.ballots[voter] = choice
        if voter == host and was_tied:
            return True
        return self.tally(voters)[choice] * 2 > len(voters)

    def _tied(self, voters: Collection[int]) -> set[AbsenceChoice]:
        """The most wanted choices, once all have voted and there are several."""
        tally = self.tally(voters)
        if not tally or tally.total() < len(voters):
            return set()
        most = max(tally.values())
        tied = {choice for choice, count in tally.items() if count == most}
        return tied if len(tied) > 1 else set()


class Absences:
    """The seats whose owners are away.

    `grace_seconds` is how long nothing is done about one.
    """

    def __init__(self, grace_seconds: float) -> None:
        self.grace_seconds: Final = grace_seconds
        self._away: Final[dict[int, Away]] = {}

    def __getitem__(self, seat: int) -> Away:
        return self._away[seat]

    def get(self, seat: int | None) -> Away | None:
        """The absence of this seat's owner, or None."""
        return self._away.get(seat) if seat is not None else None

    def __iter__(self) -> Iterator[tuple[int, Away]]:
        return iter(sorted(self._away.items()))

    def note(self, seat: int, since: float | None) -> Away | None:
        """The owner is away since then, or is not (None); the absence that has just ended."""
        if since is None:
            return self._away.pop(seat, None)
        self._away.setdefault(seat, Away(since))
        return None

    def choice(self, seat: int | None) -> AbsenceChoice | None:
        """What is done for a seat; None: its owner is here, or nothing is decided."""
        away = self.get(seat)
        return away.choice if away is not None else None

    def is_in_grace(self, seat: int) -> bool:
        """Whether the owner has not been away for long."""
        away = self.get(seat)
        return away is not None and not away.is_overdue

    def decide(self, seat: int, choice: AbsenceChoice | None, now: float) -> None:
        """Do this for the seat until its owner returns; None: nothing is decided any more."""
        if choice is None:
            self._away.pop(seat, None)
            return
        away = self._away.setdefault(seat, Away(now))
        away.choice = choice

    def next_deadline(self) -> float | None:
        """When the next grace is over."""
        times = [away.since for away in self._away.values() if not away.is_overdue]
        return min(times) + self.grace_seconds if times else None

    def newly_overdue(self, now: float) -> list[int]:
        """The seats whose grace is over by now; each is named once."""
        seats = [
            seat
            for seat, away in self
            if not away.is_overdue and now >= away.since + self.grace_seconds
        ]
        for seat in seats:
            self._away[seat].is_overdue = True
        return seats

    def carry_over(self, before: "Absences") -> None:
        """Take over since when those are away who still are, and how the others have voted."""
        for seat, away in self._away.items():
            was = before.get(seat)
            if was is not None:
                away.since, away.ballots = was.since, was.ballots

    def clear(self) -> None:
        """Forget everything: the game is over."""
        for away in self._away.values():
            away.choice, away.is_overdue = None, False
            away.ballots.clear()
