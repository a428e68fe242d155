"""Effects: what the core asks of the shell, as frozen values.

The core never sends, stores, logs or waits. It returns a list of these, and the shell carries
them out in order: each `Save` is durable before anything that follows from it leaves.
"""

from dataclasses import dataclass, field

from mexican_train.protocol import AnyServerMessage, ClientKind

# --- facts: what must outlive a crash -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that happened and must not be forgotten."""


@dataclass(frozen=True, slots=True)
class PlayerKnown(Fact):
    """A player, new or with a new token; `previous_hash` is valid until the new one is used."""

    player: int
    name: str
    kind: ClientKind
    token_hash: bytes = field(repr=False)
    previous_hash: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class PlayerForgotten(Fact):
    """A player without a seat has gone, and the name is free."""

    player: int


@dataclass(frozen=True, slots=True)
class CommandAnswered(Fact):
    """A command has changed something and got its answer."""

    player: int
    command: int


@dataclass(frozen=True, slots=True)
class TableOpened(Fact):
    """A table, with what its games are played by."""

    table: str
    rules_hash: str
    seats: int
    first_seat: int
    start: str


@dataclass(frozen=True, slots=True)
class TableClosed(Fact):
    """A table is no more."""

    table: str


@dataclass(frozen=True, slots=True)
class SeatTaken(Fact):
    """A seat has a new owner, or none; `strategy` is that of a house bot."""

    table: str
    seat: int
    player: int | None
    strategy: str = ""


@dataclass(frozen=True, slots=True)
class HostNamed(Fact):
    """A table has a new host, or none."""

    table: str
    player: int | None


@dataclass(frozen=True, slots=True)
class GameStarted(Fact):
    """Game number `game` of a table, counted from 1."""

    table: str
    game: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoundDealt(Fact):
    """A round was dealt from this secret."""

    table: str
    round: int
    seed: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class MoveMade(Fact):
    """A seat moved (`move` as the engine writes it), or the table did for it (`skip`)."""

    table: str
    seat: int
    move: str = field(repr=False)
    at: float


# --- effects ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Effect:
    """Something that the core asks of the shell."""


@dataclass(frozen=True, slots=True)
class Save(Effect):
    """Make these facts durable before any effect that comes after this one."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Deliver(Effect):
    """Send a message to a player's present connection; to none if there is none."""

    player: int
    message: AnyServerMessage


@dataclass(frozen=True, slots=True)
class DeliverUpdate(Effect):
    """Send an `update` that is encoded already."""

    player: int
    payload: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Admit(Effect):
    """From here on the connection that said hello is this player's; send it the message."""

    player: int
    generation: int
    message: AnyServerMessage = field(repr=False)


@dataclass(frozen=True, slots=True)
class HangUp(Effect):
    """Say goodbye with this code to one connection of a player and close it."""

    player: int
    generation: int
    code: str


@dataclass(frozen=True, slots=True)
class SeatBot(Effect):
    """Start a house bot: a client that says hello as this player, whose seat is kept for it."""

    player: int
    name: str
    strategy: str
    table: str
    seat: int
    seed: int | None
    """For its own randomness; None: from the system."""


@dataclass(frozen=True, slots=True)
class CloseBot(Effect):
    """Stop the house bot that plays as this player."""

    player: int


@dataclass(frozen=True, slots=True)
class Report(Effect):
    """One line for the log: an event and its values, no word of a peer's among them."""

    event: str
    values: tuple[tuple[str, object], ...] = ()


def report(event: str, **values: object) -> Report:
    """A `Report` of an event with its values."""
    return Report(event, tuple(values.items()))
