"""Effects: what the core asks of the shell, as frozen values.

The core never sends, stores, logs or waits. It returns a list of these, and the shell carries
them out in order: each `Save` is durable before anything that follows from it leaves.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import msgspec
from mexican_train.protocol import (
    AbsenceChoice,
    AnyServerMessage,
    ClientKind,
    Declined,
    StartRule,
    TimeoutChoice,
)

FixedDeal = tuple[tuple[tuple[int, ...], ...], tuple[int, ...], int]
"""Hands, boneyard and engine tile of a round that was not shuffled."""


# --- facts: what must outlive a crash -----------------------------------------------------

AnswerKind = Literal["ok", "table", "update", "declined", "again", "pending"]


class Fact(msgspec.Struct, frozen=True, gc=False):
    """Something that happened and must not be forgotten.

    Shown without its `secrets`. Facts and effects are made anew with every move, and a store in
    memory keeps the facts: as dataclasses they would cost five times as much, and the garbage
    collector would look at them again and again.
    """

    secrets: ClassVar[frozenset[str]] = frozenset()

    def __repr__(self) -> str:
        shown = [
            f"{name}={getattr(self, name)!r}"
            for name in self.__struct_fields__
            if name not in self.secrets
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


class PlayerKnown(Fact, frozen=True, gc=False):
    """A player, new or with other tokens: the last one seen in use, and those issued since."""

    secrets = frozenset({"confirmed_hash", "newer_hashes"})

    player: int
    name: str
    kind: ClientKind
    confirmed_hash: bytes | None
    newer_hashes: tuple[bytes, ...]
    is_house: bool = False


class PlayerForgotten(Fact, frozen=True, gc=False):
    """A player without a seat has gone, and the name is free; the number is never used again."""

    player: int


class CommandAnswered(Fact, frozen=True, gc=False):
    """A command and its answer; `serial` counts the answers of a player, from 0."""

    player: int
    command: int
    serial: int
    kind: AnswerKind
    declined: Declined | None = None
    events: tuple[int, int] = (0, 0)


class TableFact(Fact, frozen=True, gc=False):
    """Something that happened at a table; in their order they are the table's log."""

    table: str


class TableOpened(TableFact, frozen=True, gc=False):
    """A table, with all that its games are played by. The first fact of its log."""

    secrets = frozenset({"password_digest"})

    label: str
    rules: str
    rules_hash: str
    options: Mapping[str, Any]
    seats: int
    first_seat: int
    start: StartRule
    allows_watchers: bool
    is_standing: bool
    password_digest: bytes | None
    turn_seconds: int | None = None
    bank_seconds: int = 0
    on_timeout: TimeoutChoice = "skip"
    on_absent: AbsenceChoice = "wait"
    hints: bool = True


class TableClosed(TableFact, frozen=True, gc=False):
    """A table is no more, and its log can go."""


class TableSetAside(TableFact, frozen=True, gc=False):
    """The log of a table cannot be played again: it is kept for people to look at."""

    label: str
    reason: str


class SeatTaken(TableFact, frozen=True, gc=False):
    """A seat has a new owner, who is at the table, or none; `strategy`: that of a house bot."""

    seat: int
    player: int | None
    strategy: str = ""


class SeatLeft(TableFact, frozen=True, gc=False):
    """The owner of a seat has left a running game; the seat is kept."""

    seat: int


class SeatReady(TableFact, frozen=True, gc=False):
    """A seat is ready for what comes next, or not any more."""

    seat: int
    is_ready: bool


class HostNamed(TableFact, frozen=True, gc=False):
    """A table has a new host, or none; `heir_of` was away and may have the role back."""

    player: int | None
    heir_of: int | None = None


class SeatCodeGiven(TableFact, frozen=True, gc=False):
    """A code lets in the owner of a seat once; None: none does any more."""

    secrets = frozenset({"digest"})

    seat: int
    digest: bytes | None


class AbsenceDecided(TableFact, frozen=True, gc=False):
    """What is done for a seat until its owner returns; None: the owner has returned."""

    seat: int
    choice: AbsenceChoice | None


class TableQuiet(TableFact, frozen=True, gc=False):
    """The last person went then, in seconds since 1970; None: somebody is here."""

    since: int | None


class GamePaused(TableFact, frozen=True, gc=False):
    """Nobody may move and no clock runs, or they may again."""

    is_on: bool


class GameBrokenOff(TableFact, frozen=True, gc=False):
    """The game has ended before its time, for the owner of this seat stayed away."""

    seat: int


class GameStarted(TableFact, frozen=True, gc=False):
    """Game number `game` of a table, counted from 1, with where its counters began."""

    game: int
    names: tuple[str, ...]
    turn: int
    last_event: int


class GameSetUp(TableFact, frozen=True, gc=False):
    """The table waits for another game with the same seats."""


class RoundDealt(TableFact, frozen=True, gc=False):
    """A round was dealt from this secret, or as laid out by hand."""

    secrets = frozenset({"seed", "fixed"})

    round: int
    seed: bytes
    fixed: FixedDeal | None = None


class MoveMade(TableFact, frozen=True, gc=False):
    """A seat moved (`move` as the engine writes it), or the table did for it (`skip`).

    `at_ms` is counted from the start of the game; `by_substitute`: a substitute chose the move;
    `bank_ms` is what the seat has saved then, where it has a bank.
    """

    secrets = frozenset({"move"})

    seat: int
    move: str
    at_ms: int
    by_substitute: bool = False
    bank_ms: int | None = None


class TimeRanOut(TableFact, frozen=True, gc=False):
    """A seat's time was spent: its own, what it took from its bank, and the credit for the way.

    `rtt_ms` is the round trip that was measured when the turn began; None: none was.
    """

    seat: int
    budget_ms: int
    bank_ms: int
    credit_ms: int
    rtt_ms: int | None


# --- effects ------------------------------------------------------------------------------


class Effect(msgspec.Struct, frozen=True, gc=False):
    """Something that the core asks of the shell."""


class Save(Effect, frozen=True, gc=False):
    """Make these facts durable before any effect that comes after this one."""

    facts: tuple[Fact, ...]


class Deliver(Effect, frozen=True, gc=False):
    """Send a message to a player's present connection; to none if there is none."""

    player: int
    message: AnyServerMessage


class DeliverUpdate(Effect, frozen=True, gc=False):
    """Send an `update` that is encoded already."""

    player: int
    payload: bytes

    def __repr__(self) -> str:
        return f"DeliverUpdate({self.player}, <{len(self.payload)} bytes>)"


class Admit(Effect, frozen=True, gc=False):
    """From here on the connection that said hello is this player's; send it the message."""

    player: int
    generation: int
    message: AnyServerMessage

    def __repr__(self) -> str:
        return f"Admit({self.player}, {self.generation}, <{type(self.message).__name__}>)"


class HangUp(Effect, frozen=True, gc=False):
    """Say goodbye with this code to one connection of a player and close it."""

    player: int
    generation: int
    code: str


class SeatBot(Effect, frozen=True, gc=False):
    """Start a house bot: a client that says hello as this player, whose seat is kept for it."""

    player: int
    name: str
    strategy: str
    table: str
    seat: int
    seed: int | None
    """For its own randomness; None: from the system."""


class CloseBot(Effect, frozen=True, gc=False):
    """Stop the house bot that plays as this player."""

    player: int


class Report(Effect, frozen=True, gc=False):
    """One line for the log: an event and its values, no word of a peer's among them."""

    event: str
    values: tuple[tuple[str, object], ...] = ()
    level: Literal["info", "warning", "error"] = "info"


def report(event: str, **values: object) -> Report:
    """A `Report` of an event with its values."""
    return Report(event, tuple(values.items()))
