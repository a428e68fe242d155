"""The order in which a person keeps a hand, and where it is kept from one start to the next.

The server knows hands as sets. The own order stands through updates and restarts: tiles that are
laid leave it, new ones come to its end. It is kept in the state folder, one file a game.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from mexican_train.protocol import Tile

from .bots import best_chain
from .bots.strategies import high_low

Ordering = Literal["own", "planned", "number"]
ORDERINGS: tuple[Ordering, ...] = ("own", "planned", "number")
KEPT_DAYS = 14
"""As long as a server keeps a game that rests."""


@dataclass(slots=True)
class HandOrder:
    """How one hand is laid out."""

    ordering: Ordering = "own"
    own: list[Tile] = field(default_factory=list)
    """The tiles as the person keeps them, higher end first."""
    round: int = 0
    """The round whose hand this is."""

    def note(self, hand: Sequence[Tile], round_number: int) -> None:
        """Bring the own order up to date with the hand of that round."""
        held = [high_low(tile) for tile in hand]
        if round_number != self.round:
            self.round, self.own = round_number, []
        kept = [tile for tile in self.own if tile in held]
        self.own = kept + [tile for tile in held if tile not in kept]

    def turn(self) -> None:
        """Go on to the next way of ordering."""
        self.ordering = ORDERINGS[(ORDERINGS.index(self.ordering) + 1) % len(ORDERINGS)]

    def arranged(self, end: int) -> list[Tile]:
        """The hand in order; in the planned one the line from `end` comes first, as it is laid."""
        if self.ordering == "own":
            return list(self.own)
        if self.ordering == "number":
            return sorted(self.own, reverse=True)
        chain = planned(tuple(sorted(self.own)), end)
        rest = sorted(set(self.own) - {high_low(tile) for tile in chain}, reverse=True)
        return [*chain, *rest]

    def move(self, tile: Tile, by: int, end: int) -> None:
        """Move `tile` by so many places; what is shown becomes the own order first."""
        shown = [high_low(each) for each in self.arranged(end)]
        self.ordering = "own"
        place = shown.index(tile)
        shown.insert(max(0, min(len(shown) - 1, place + by)), shown.pop(place))
        self.own = shown


@lru_cache(maxsize=64)
def planned(hand: tuple[Tile, ...], end: int) -> tuple[Tile, ...]:
    """The best line of a hand from `end`, each tile as it would be laid."""
    return best_chain(hand, end).tiles


class HandKeeper:
    """Keeps hand orders in `folder`, readable by the user alone; None keeps nothing.

    What cannot be read or written is let go: it is a convenience, and no game hangs on it.
    """

    def __init__(self, folder: Path | None, server: str = "", name: str = "") -> None:
        self._folder = folder
        self._owner = f"{server}\0{name}"
        self._kept: object = None

    @classmethod
    def of_user(cls, server: str, name: str) -> "HandKeeper":
        """In the platform's state folder, for this player at this server."""
        import platformdirs  # noqa: PLC0415 - only the full screen needs it

        state = platformdirs.user_state_path("mexican-train", appauthor=False)
        return cls(state / "hands", server, name)

    def path(self, folder: Path, table: str) -> Path:
        """The file for the game at `table`, whether it exists or not."""
        key = hashlib.sha256(f"{self._owner}\0{table}".encode()).hexdigest()
        return folder / f"{key[:32]}.json"

    def load(self, table: str) -> HandOrder:
        """The order kept for the game at `table`; a fresh one if there is none."""
        if self._folder is None:
            return HandOrder()
        try:
            entry = json.loads(self.path(self._folder, table).read_bytes())
            own = [high_low((int(high), int(low))) for high, low in entry["own"]]
            ordering = next(each for each in ORDERINGS if each == entry["ordering"])
            return HandOrder(ordering, own, int(entry["round"]))
        except (OSError, ValueError, KeyError, TypeError, StopIteration):
            return HandOrder()

    def save(self, table: str, order: HandOrder) -> None:
        """Keep `order` for the game at `table`, if it is not kept so already."""
        entry = {"ordering": order.ordering, "round": order.round, "own": order.own}
        told = json.dumps(entry)
        if self._folder is None or self._kept == (table, told):
            return
        self._kept = (table, told)
        with contextlib.suppress(OSError):
            self._write(self._folder, self.path(self._folder, table), told)

    def _write(self, folder: Path, path: Path, told: str) -> None:
        if not path.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _forget_old(folder)
        beside = path.with_suffix(f".{os.getpid()}.new")
        beside.unlink(missing_ok=True)
        beside.touch(mode=0o600)
        beside.write_text(told, encoding="utf-8")
        beside.replace(path)


def _forget_old(folder: Path) -> None:
    """Remove the orders of games that no server keeps any more."""
    oldest = time.time() - KEPT_DAYS * 86_400
    for path in folder.glob("*.json"):
        if path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)
