"""What all tables of a server keep to, and what one table was opened with.

Pure values. A charter never changes; it is the first fact of a table's log.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from mexican_train import engine
from mexican_train.protocol import Choice, Hint, StartRule, Update

from .clocks import Terms
from .declines import Decline
from .effects import FixedDeal, TableOpened

Substitute = Callable[[Update], Choice]
"""Plays for a seat: one of the update's choices, by nothing but what the update shows."""
Adviser = Callable[[Update], Hint]
"""Advises a seat, likewise; the hint answers the command that the update answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSettings:
    """What all tables of a server keep to.

    Attributes:
        pace_seconds: the shortest time between two moves where the latter is a bot's; None: 1
            while a person is seated, otherwise 0.
        between_seconds: how long the next round waits for persons who are not ready.
        bot_choice_seconds: a bot's time for one choice; then the substitute has it.
        lag_credit_seconds: the most that a turn is given on top for a slow connection.
        idle_seconds: a table that is not being played closes so long after its last person left.
        sleep_seconds: likewise one with a person's seat, in mid-game.
        grace_seconds: so long nothing is done about someone gone. Then the seat is free while no
            game is on, and otherwise `Terms.on_absent` begins.
        host_seconds: so long a host may be gone before another person is.
        terms: of a table that sets none of its own.
        substitute: who plays for the absent and the late; None: their turns are skipped.
        adviser: who gives hints; None: nobody.
        hints: whether a table that does not say so itself lets persons ask for them.
        fixed_seed: all deals follow from it, and say so; None: from `random_bytes`.
        fixed_deal: by the number of the round, a deal laid out by hand, for tests.
        random_bytes: the source of secrets.
    """

    random_bytes: Callable[[int], bytes]
    pace_seconds: float | None = None
    between_seconds: float = 30.0
    bot_choice_seconds: float = 10.0
    lag_credit_seconds: float = 1.0
    idle_seconds: float = 600.0
    sleep_seconds: float = 14 * 86_400.0
    grace_seconds: float = 60.0
    host_seconds: float = 30.0
    terms: Terms = field(default_factory=Terms)
    substitute: Substitute | None = None
    adviser: Adviser | None = None
    hints: bool = True
    fixed_seed: bytes | None = None
    fixed_deal: Callable[[int], FixedDeal | None] | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether the deals are no secret."""
        return self.fixed_seed is not None or self.fixed_deal is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Charter:
    """What one table was opened with.

    Attributes:
        label: how the log calls it.
        seats: how many.
        first_seat: who begins the first round.
        is_standing: opened at the start of the server, not by a player: it stays until played.
        terms: what is done about time and absence.
        hints: persons with a seat may ask for them.
    """

    name: str
    label: str
    rules: engine.RuleSet
    seats: int
    first_seat: int = 0
    start: StartRule = "ready"
    allows_watchers: bool = True
    password_digest: bytes | None = field(default=None, repr=False)
    is_standing: bool = False
    terms: Terms = field(default_factory=Terms)
    hints: bool = True

    @classmethod
    def recalled(cls, opened: TableOpened) -> Self:
        """The charter that this fact tells of.

        Raises:
            ValueError: the rules are not those of then.
        """
        rules = engine.RuleSet.from_mapping(opened.options, name=opened.rules)
        if rules.hash != opened.rules_hash:
            raise ValueError("these rules have another hash by now")
        return cls(
            name=opened.table,
            label=opened.label,
            rules=rules,
            seats=opened.seats,
            first_seat=opened.first_seat,
            start=opened.start,
            allows_watchers=opened.allows_watchers,
            password_digest=opened.password_digest,
            is_standing=opened.is_standing,
            terms=Terms(
                turn_seconds=opened.turn_seconds,
                bank_seconds=opened.bank_seconds,
                on_timeout=opened.on_timeout,
                on_absent=opened.on_absent,
            ),
            hints=opened.hints,
        )

    def opened(self) -> TableOpened:
        """The charter as the first fact of a log."""
        return TableOpened(
            self.name,
            label=self.label,
            rules=self.rules.name,
            rules_hash=self.rules.hash,
            options=self.rules.options(),
            seats=self.seats,
            first_seat=self.first_seat,
            start=self.start,
            allows_watchers=self.allows_watchers,
            is_standing=self.is_standing,
            password_digest=self.password_digest,
            turn_seconds=self.terms.turn_seconds,
            bank_seconds=self.terms.bank_seconds,
            on_timeout=self.terms.on_timeout,
            on_absent=self.terms.on_absent,
            hints=self.hints,
        )

    def check_password(self, password: str | None) -> None:
        """Raise `bad_password` unless the table has none or it is this one."""
        if self.password_digest is None:
            return
        if not hmac.compare_digest(password_digest(password) or b"", self.password_digest):
            raise Decline("bad_password")


def password_digest(password: str | None) -> bytes | None:
    """What is kept of a table's password; None if it has none."""
    return hashlib.sha256(password.encode()).digest() if password else None
