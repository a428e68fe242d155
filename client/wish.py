"""What the command line of `mt-client` asks for, as a value."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

NAME_CHARS_MAX = 20
THEME_NAMES = ("default", "high-contrast", "colour-blind", "none")


@dataclass(frozen=True, slots=True)
class Look:
    """How the client is to look and sound."""

    plain: bool = False
    theme: str = "default"
    ascii: bool = False
    mouse: bool = False
    bell: bool = True


@dataclass(frozen=True, slots=True)
class AccessOptions:
    """What is said of how to get in: the file of a password, TLS, a fingerprint as it was typed."""

    password_file: Path | None = None
    tls: bool = False
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """Where a game at home is open to others, and how many may sit down; None: as is usual."""

    host: str | None = None
    port: int | None = None
    seats: int | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """The options of one call, checked for what cannot be meant."""

    server: str | None
    """`HOST[:PORT]`; None for a private game."""
    name: str
    table: str | None
    create: str | None
    watch: bool
    rules: str | None
    options: Sequence[str]
    """`KEY=VALUE`, over `rules`."""
    bots: int | None
    """None: as many as are usual for the game."""
    strategy: str
    seat_code: str | None = None
    access: AccessOptions = field(default_factory=AccessOptions)
    look: Look = field(default_factory=Look)
    resume: bool | None = None
    """A game left unfinished at home: go on with it, give it up, or ask."""
    opened: OpenOptions | None = None
    """A game at home is open to others."""
