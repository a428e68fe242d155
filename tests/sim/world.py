"""A world of one heap: time, chance and wires, all from one seed.

Nothing here waits and nothing runs at the same time: every happening is an entry (time, tie,
call), and every choice of chance comes from one generator. So a seed gives the same bytes at the
same times in every run, which `trace` proves.
"""

import hashlib
import heapq
from collections.abc import Callable
from random import Random
from typing import Any


class World:
    """The heap, the clock and the dice.

    Attributes:
        now: seconds since the start.
        random: the only source of chance.
        trace: a hash over everything that was delivered, and when.
    """

    def __init__(self, seed: int | str) -> None:
        self.now = 0.0
        self.random = Random(seed)
        self.trace = hashlib.sha256()
        self.steps = 0
        self._heap: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._tie = 0

    def after(self, seconds: float, call: Callable[..., None], *given: Any) -> None:
        """Have `call(*given)` happen so much later; equal times keep their order."""
        self._tie += 1
        heapq.heappush(self._heap, (self.now + seconds, self._tie, call, given))

    def between(self, least: float, most: float) -> float:
        """A time span by chance."""
        return self.random.uniform(least, most)

    def chance(self, share: float) -> bool:
        """True in this share of cases."""
        return self.random.random() < share

    def note(self, *words: object) -> None:
        """Take something into the trace."""
        self.trace.update(repr((round(self.now, 9), *words)).encode())

    def run(self, seconds: float, is_done: Callable[[], bool] = lambda: False) -> bool:
        """Let so much time pass, or until it is done; whether it is."""
        end = self.now + seconds
        while not is_done():
            if not self._heap or self._heap[0][0] > end:
                self.now = end
                return is_done()
            when, _, call, given = heapq.heappop(self._heap)
            self.now = max(self.now, when)
            self.steps += 1
            call(*given)
        return True


class Pipe:
    """One direction of a cable: bytes arrive in order, in pieces, and late.

    `window` bytes at most are under way; `is_slow` lets little pass at a time.
    """

    def __init__(self, world: World, label: str, *, window: int = 65536) -> None:
        self._world = world
        self._label = label
        self._window = window
        self._moving = bytearray()
        self._is_scheduled = False
        self._is_ending = False
        self.is_dead = False
        self.is_slow = False
        self.latency = (0.001, 0.08)
        self.cut_in: int | None = None
        """So many more bytes pass; None: no cut is planned."""
        self.on_bytes: Callable[[bytes], None] = lambda _received: None
        self.on_end: Callable[[], None] = lambda: None
        self.on_room: Callable[[], None] = lambda: None
        self.on_cut: Callable[[], None] = lambda: None

    def write(self, sent: bytes) -> int:
        """Put bytes on the way; how many there was room for."""
        if self.is_dead or self._is_ending:
            return len(sent)
        taken = min(len(sent), self._window - len(self._moving))
        self._moving += sent[:taken]
        self._schedule()
        return taken

    def end(self) -> None:
        """Nothing more comes after what is under way."""
        self._is_ending = True
        self._schedule()

    def _schedule(self) -> None:
        if self._is_scheduled or self.is_dead or not (self._moving or self._is_ending):
            return
        self._is_scheduled = True
        wait = (0.5, 2.0) if self.is_slow else self.latency
        self._world.after(self._world.between(*wait), self._arrive)

    def _arrive(self) -> None:
        self._is_scheduled = False
        if self.is_dead:
            return
        if not self._moving:
            self._world.note(self._label, "end")
            self.is_dead = True
            self.on_end()
            return
        piece = self._piece()
        self._world.note(self._label, piece)
        if piece:
            self.on_bytes(piece)
        if self.cut_in == 0 and not self.is_dead:
            self.on_cut()
            return
        self.on_room()
        self._schedule()

    def _piece(self) -> bytes:
        """What arrives at once: mostly all, often a part, sometimes a single byte."""
        random, length = self._world.random, len(self._moving)
        if self.is_slow:
            length = min(length, 400)
        elif random.random() < 0.3:
            length = random.choice((1, random.randint(1, length), random.randint(1, length)))
        if self.cut_in is not None:
            length = min(length, self.cut_in)
            self.cut_in -= length
        piece = bytes(self._moving[:length])
        del self._moving[:length]
        return piece


class Cable:
    """Both directions of one connection; `up` leads to the server.

    A cut kills both at once; each end hears of it in its own time, the server up to 20 s later.
    """

    def __init__(self, world: World, number: int) -> None:
        self._world = world
        self.number = number
        self.up = Pipe(world, f"{number}>")
        self.down = Pipe(world, f"{number}<", window=4096)
        self.up.on_cut = self.down.on_cut = self.cut
        self.is_cut = False

    def plan_cut(self) -> None:
        """Have it cut at some byte, in one of the two directions."""
        random = self._world.random
        if random.random() < 0.5:
            self.up.cut_in = random.choice((0, 1, 3, 4, 5, random.randrange(400)))
        else:
            self.down.cut_in = random.choice((0, 1, 3, 4, 5, random.randrange(12_000)))

    def cut(self) -> None:
        """Cut it now."""
        if self.is_cut:
            return
        self.is_cut = True
        self._world.note(self.number, "cut")
        self.up.is_dead = self.down.is_dead = True
        self._world.after(self._world.between(0.001, 0.5), self.down.on_end)
        late = 20.0 if self._world.chance(0.2) else 0.3
        self._world.after(self._world.between(0.001, late), self.up.on_end)
