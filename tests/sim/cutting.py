"""What the tests with real links and servers share: streams that break, a store that remembers."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import structlog
import trio
from mexican_train.protocol import Choice, Done, Draw, Foul, Knock, Pass, Play
from mexican_train.server import MemoryStore
from mexican_train.server.effects import CommandAnswered, Fact, MoveMade

from .laws import is_of_command

Cut = tuple[str, int]
"""`up` or `down`, and how many bytes pass before it."""


class Recorder(MemoryStore):
    """Keeps all facts in order."""

    def __init__(self) -> None:
        super().__init__()
        self.facts: list[Fact] = []

    async def save(self, facts: Sequence[Fact]) -> None:
        self.facts += facts
        await super().save(facts)

    def moves_of(self, seat: int) -> Counter[int]:
        """How many moves each command of a seat has made."""
        moves: Counter[int] = Counter()
        command = 0
        for fact in self.facts:
            if isinstance(fact, CommandAnswered):
                command = fact.command
            elif isinstance(fact, MoveMade) and fact.seat == seat and is_of_command(fact):
                moves[command] += 1
        return moves


class Cutting(trio.abc.Stream):
    """A stream that breaks after so many bytes in one direction."""

    def __init__(self, inner: trio.abc.Stream, cut: Cut | None) -> None:
        self.passed: Counter[str] = Counter()
        self._inner = inner
        self._cut = cut

    def _left(self, way: str, wanted: int) -> int:
        if self._cut is None or self._cut[0] != way:
            return wanted
        return min(wanted, self._cut[1] - self.passed[way])

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        left = self._left("up", len(data))
        if left:
            await self._inner.send_all(data[:left])
        self.passed["up"] += left
        if left < len(data):
            await self._break()

    async def wait_send_all_might_not_block(self) -> None:
        await self._inner.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        left = self._left("down", max_bytes or 65536)
        if not left:
            await self._break()
        received = bytes(await self._inner.receive_some(left))
        self.passed["down"] += len(received)
        return received

    async def _break(self) -> None:
        await trio.aclose_forcefully(self._inner)
        raise trio.BrokenResourceError

    async def aclose(self) -> None:
        await self._inner.aclose()


def as_command(choice: Choice, turn: int) -> Any:
    """The command that a choice stands for."""
    match choice.do:
        case "play":
            assert choice.tile is not None
            assert choice.train is not None
            return Play(id=0, tile=choice.tile, train=choice.train, turn=turn)
        case "knock":
            return Knock(id=0)
        case "foul":
            assert choice.seat is not None
            return Foul(id=0, seat=choice.seat, event=choice.event or 0)
    return {"draw": Draw, "pass": Pass, "done": Done}[choice.do](id=0, turn=turn)


def quiet_log() -> Any:
    """A log that nobody reads."""
    return structlog.wrap_logger(structlog.PrintLogger(), processors=[_drop])


def _drop(_log: Any, _method: str, _line: Any) -> Any:
    raise structlog.DropEvent
