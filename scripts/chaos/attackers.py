"""Attackers against a server on loopback, all kinds at once, each at a bounded rate.

Run by `load.py` and `soak.py` as a process of its own: `attackers.py PORT --seconds 10`. They end
by themselves after that time, or when standard input closes. What each kind does stands at its
function; how often in `KINDS`.
"""

import argparse
import os
import random
import struct
import sys
from collections import Counter
from collections.abc import Awaitable, Callable

import msgpack  # type: ignore[import-untyped]  # it ships no types
import trio

pack = msgpack.Packer(autoreset=True).pack
Attack = Callable[["Attackers"], Awaitable[None]]
HOST = "127.0.0.1"
READ_BYTES = 65536


def frame(payload: bytes) -> bytes:
    """The payload with its length in front."""
    return len(payload).to_bytes(4, "big") + payload


class Attackers:
    """All of them, against one port."""

    def __init__(self, port: int, seed: int) -> None:
        self.port = port
        self.random = random.Random(seed)
        self.done: Counter[str] = Counter()
        self.cut: Counter[str] = Counter()
        self._names = 0

    async def connect(self) -> trio.SocketStream:
        """A new connection."""
        return await trio.open_tcp_stream(HOST, self.port)

    async def enter(self, name: str = "") -> trio.SocketStream:
        """A new connection that says hello and has its welcome."""
        self._names += 1
        stream = await self.connect()
        await stream.send_all(hello(name or f"rogue {os.getpid() % 1000} {self._names}"))
        await stream.receive_some(READ_BYTES)
        return stream

    async def run(self, kind: str, attack: Attack, pause: float) -> None:
        """Attack again and again; that the server hangs up is what it should do."""
        while True:
            try:
                await attack(self)
            except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                self.cut[kind] += 1
            self.done[kind] += 1
            await trio.sleep(pause * self.random.uniform(0.5, 1.5))


def hello(name: str, **fields: object) -> bytes:
    """The frame of a hello."""
    words = {"type": "hello", "versions": [1, 1], "kind": "person", "name": name}
    return frame(pack(words | fields))


async def read_on(stream: trio.SocketStream, seconds: float) -> None:
    """Take what comes for so long, or until the server hangs up."""
    with trio.move_on_after(seconds):
        while await stream.receive_some(READ_BYTES):
            pass


# --- what they do -------------------------------------------------------------------------


async def noise(all_of: Attackers) -> None:
    """Bytes by chance instead of a hello."""
    async with await all_of.connect() as stream:
        await stream.send_all(all_of.random.randbytes(all_of.random.randint(1, 3000)))
        await read_on(stream, 1)


async def drip(all_of: Attackers) -> None:
    """A hello, one byte a second, and never its end."""
    async with await all_of.connect() as stream:
        for byte in hello("x" * 20)[:-1]:
            await stream.send_all(bytes([byte]))
            await trio.sleep(1)


async def half_frame(all_of: Attackers) -> None:
    """A welcome guest stops inside a frame."""
    async with await all_of.enter() as stream:
        await stream.send_all(struct.pack(">I", 4000) + bytes(100))
        await read_on(stream, 15)


async def deaf(all_of: Attackers) -> None:
    """Asks for more and more, and reads nothing."""
    async with await all_of.enter() as stream:
        for number in range(1, 400):
            await stream.send_all(frame(pack({"type": "rules", "id": number, "name": "classic"})))
            await trio.sleep(0.05)


async def flood(all_of: Attackers) -> None:
    """As many pings as it can, until the server has had enough."""
    async with await all_of.enter() as stream, trio.open_nursery() as nursery:
        nursery.start_soon(read_on, stream, 5)
        for number in range(1, 2000, 20):
            pings = (frame(pack({"type": "ping", "id": number + each})) for each in range(20))
            await stream.send_all(b"".join(pings))
            await trio.sleep(0.02)


async def guess(all_of: Attackers) -> None:
    """A token by chance for the name of an honest player."""
    async with await all_of.connect() as stream:
        name = f"seat {all_of.random.randrange(100)} {all_of.random.randrange(4)}"
        await stream.send_all(hello(name, token=all_of.random.randbytes(32)))
        await read_on(stream, 1)


async def bomb(all_of: Attackers) -> None:
    """A frame of nests as long as one may be."""
    form = all_of.random.choice((b"\x91", b"\x81\xa1a", b"\xdd\x00\x00\x0f\xf0", b"\xc0"))
    async with await all_of.enter() as stream:
        await stream.send_all(frame((form * 4096)[:4096]))
        await read_on(stream, 1)


async def too_long(all_of: Attackers) -> None:
    """A frame that is said to be 4 GiB long."""
    async with await all_of.enter() as stream:
        await stream.send_all(b"\xff\xff\xff\xff" + bytes(4000))
        await read_on(stream, 1)


async def nonsense(all_of: Attackers) -> None:
    """Well-formed messages of unknown types and with bad fields."""
    async with await all_of.enter() as stream:
        for number in range(1, 60):
            words = {"type": all_of.random.choice(("dance", "play", "join")), "id": number}
            await stream.send_all(frame(pack(words)))
            await trio.sleep(0.01)
        await read_on(stream, 1)


async def churn(all_of: Attackers) -> None:
    """Comes and goes."""
    async with await all_of.enter():
        pass


async def tables(all_of: Attackers) -> None:
    """Opens a table, looks at all of them, chats, and leaves."""
    async with await all_of.enter() as stream:
        name = f"trap {all_of.random.randrange(10**6)}"
        words: tuple[dict[str, object], ...] = (
            {"type": "create", "id": 1, "name": name, "seats": 4, "start": "manual"},
            {"type": "list", "id": 2},
            {"type": "say", "id": 3, "text": "\x1b[2J" * 100},
            {"type": "leave", "id": 4},
        )
        for each in words:
            await stream.send_all(frame(pack(each)))
        await read_on(stream, 1)


async def gate_crash(all_of: Attackers) -> None:
    """Wants a seat, a look and a move at tables that are being played."""
    async with await all_of.enter() as stream:
        name = f"table {all_of.random.randrange(100)}"
        words: tuple[dict[str, object], ...] = (
            {"type": "join", "id": 1, "table": name},
            {"type": "watch", "id": 2, "table": name},
            {"type": "play", "id": 3, "turn": 5, "tile": [12, 7], "train": "p0"},
            {"type": "kick", "id": 4, "name": "seat 0 0"},
        )
        for each in words:
            await stream.send_all(frame(pack(each)))
        await read_on(stream, 2)


KINDS: dict[str, tuple[Attack, int, float]] = {
    "noise": (noise, 4, 0.1),
    "drip": (drip, 50, 1.0),
    "half frame": (half_frame, 30, 1.0),
    "deaf": (deaf, 4, 1.0),
    "flood": (flood, 2, 0.5),
    "guess": (guess, 4, 0.1),
    "bomb": (bomb, 4, 0.1),
    "too long": (too_long, 2, 0.1),
    "nonsense": (nonsense, 2, 0.5),
    "churn": (churn, 4, 0.05),
    "tables": (tables, 2, 0.5),
    "gate crash": (gate_crash, 4, 0.2),
}
"""By name: what it does, how many do it at once, and the pause of each between two attacks."""


async def main(port: int, seconds: float, seed: int, share: int, only: str) -> None:
    """Attack for so long."""
    all_of = Attackers(port, seed)
    kinds = {only: KINDS[only]} if only else KINDS

    async def wait_for_end() -> None:
        await trio.to_thread.run_sync(os.read, sys.stdin.fileno(), 1, abandon_on_cancel=True)
        nursery.cancel_scope.cancel()

    with trio.move_on_after(seconds):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait_for_end)
            for kind, (attack, count, pause) in kinds.items():
                for _ in range(max(1, count // share)):
                    nursery.start_soon(all_of.run, kind, attack, pause)
    told = (f"{kind} {all_of.done[kind]} ({all_of.cut[kind]} cut)" for kind in kinds)
    print("  " + ", ".join(told), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=int, default=1, help="a fraction of them: 4 is a quarter")
    parser.add_argument("--only", default="", choices=["", *KINDS], help="one kind")
    asked = parser.parse_args()
    trio.run(main, asked.port, asked.seconds, asked.seed, asked.share, asked.only)
