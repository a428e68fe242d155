"""The store: what makes facts durable before anybody is told.

`Store` is what the rest of the shell knows. `MemoryStore` forgets everything with the process.
"""

from collections.abc import Sequence
from typing import Protocol

import trio

from .effects import Fact


class StoreError(Exception):
    """The facts could not be stored; none of them is."""


class Store(Protocol):
    """Keeps facts in the order in which they are given."""

    async def load(self) -> Sequence[Fact]:
        """All facts of earlier runs, oldest first."""
        ...

    async def save(self, facts: Sequence[Fact]) -> None:
        """Make all of these durable, together, before returning.

        Raises:
            StoreError: none of them is stored.
        """
        ...


class MemoryStore:
    """For games that need not outlive the server: the lobby itself is the memory."""

    async def load(self) -> Sequence[Fact]:
        """Nothing: there was no earlier run."""
        await trio.lowlevel.checkpoint()
        return ()

    async def save(self, facts: Sequence[Fact]) -> None:
        """Done at once."""
        del facts
        await trio.lowlevel.checkpoint()
