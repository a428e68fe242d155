"""Attackers against a server on loopback, all kinds at once, each at a bounded rate.

Run by `load.py` and `soak.py` as a process of its own: `attackers.py PORT --seconds 20`. They end
by themselves after that time, or when standard input closes, and print what each kind was told.
Exit code 1 if one was told something undocumented, or never what `KINDS` says it must be told.
What each kind does stands at its function; transport encryption is not attacked.
"""

import argparse
import os
import random
import struct
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgpack  # type: ignore[import-untyped]  # it ships no types
import trio
from mexican_train.protocol import DECLINED_CODES, GOODBYE_CODES, REFUSED_CODES

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.bench.load import frame

pack = msgpack.Packer(autoreset=True).pack
HOST = "127.0.0.1"
READ_BYTES = 65536
CODES = {"refused": REFUSED_CODES, "goodbye": GOODBYE_CODES, "declined": DECLINED_CODES}
SLOW_SECONDS = 12.0
"""After so long a server has given up whoever is slow, and said so."""


class Attacker:
    """All attackers of one kind: where they go, and what they were told."""

    def __init__(self, port: int, seed: int) -> None:
        self.port = port
        self.random = random.Random(seed)
        self.told: Counter[str] = Counter()
        self.done = 0
        self.cut = 0

    async def run(self, attack: "Attack", pause: float) -> None:
        """Attack again and again; that the server hangs up is what it should do."""
        while True:
            try:
                await attack(self)
            except* (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
                self.cut += 1
            self.done += 1
            await trio.sleep(pause * self.random.uniform(0.5, 1.5))

    @asynccontextmanager
    async def connect(self, buffer_bytes: int = 0) -> AsyncIterator["Wire"]:
        """A new connection, which has said nothing yet; how much the kernel takes in unread."""
        sock = trio.socket.socket()
        if buffer_bytes:
            sock.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_RCVBUF, buffer_bytes)
        with sock:
            await sock.connect((HOST, self.port))
            async with trio.SocketStream(sock) as stream:
                yield Wire(stream, self.told)

    @asynccontextmanager
    async def enter(self, buffer_bytes: int = 0) -> AsyncIterator["Wire"]:
        """A new connection that is welcome."""
        async with self.connect(buffer_bytes) as wire:
            name = f"rogue {self.random.randrange(10**9)}"
            await wire.send(hello(name))
            await wire.listen(5, until="welcome")
            yield wire

    def undocumented(self) -> list[str]:
        """What it was told that stands in no table of codes."""
        pairs = [(told, *told.split(" ", 1)) for told in self.told if " " in told]
        return [told for told, kind, code in pairs if code not in CODES[kind]]


class Wire:
    """One connection of an attacker, which notes each answer in `told`."""

    def __init__(self, stream: trio.SocketStream, told: Counter[str]) -> None:
        self._stream = stream
        self._told = told
        self._rest = b""

    async def send(self, *sent: bytes) -> None:
        """Send all of it in one piece; what was said before a hang-up is still heard."""
        try:
            await self._stream.send_all(b"".join(sent))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await self.listen(1)
            raise

    async def say(self, number: int, kind: str, **fields: object) -> None:
        """Send a message."""
        await self.send(frame(pack({"type": kind, "id": number, **fields})))

    async def listen(self, seconds: float, until: str = "") -> None:
        """Note what comes for so long, or until the server hangs up or says this."""
        with trio.move_on_after(seconds):
            while not self._note(until):
                more = await self._receive()
                if not more:
                    self._told["hang-up"] += 1
                    break
                self._rest += more

    async def _receive(self) -> bytes:
        try:
            return bytes(await self._stream.receive_some(READ_BYTES))
        except trio.BrokenResourceError:
            return b""

    def _note(self, until: str) -> bool:
        """Note whole frames; whether one of them was of the type `until`."""
        found = False
        while len(self._rest) >= 4:
            end = 4 + int.from_bytes(self._rest[:4], "big")
            if len(self._rest) < end:
                break
            message = msgpack.unpackb(self._rest[4:end])
            self._rest = self._rest[end:]
            kind = message["type"]
            found |= kind == until
            self._told[f"{kind} {message['code']}" if kind in CODES else kind] += 1
        return found


Attack = Callable[[Attacker], Awaitable[None]]


def hello(name: str, **fields: object) -> bytes:
    """The frame of a hello."""
    words = {"type": "hello", "versions": [1, 1], "kind": "person", "name": name}
    return frame(pack(words | fields))


# --- before the welcome -------------------------------------------------------------------


async def noise(every: Attacker) -> None:
    """Bytes by chance instead of a hello."""
    async with every.connect() as wire:
        await wire.send(every.random.randbytes(every.random.randint(1, 3000)))
        await wire.listen(1)


async def early(every: Attacker) -> None:
    """A command instead of a hello."""
    async with every.connect() as wire:
        await wire.say(1, "list")
        await wire.listen(1)


async def drip(every: Attacker) -> None:
    """A hello, one byte in a while, and never its end."""
    async with every.connect() as wire, trio.open_nursery() as nursery:
        nursery.start_soon(wire.listen, SLOW_SECONDS)
        for byte in hello("x" * 20)[:-1]:
            await wire.send(bytes([byte]))
            await trio.sleep(0.4)


async def crowd(every: Attacker) -> None:
    """Connections that come by the dozen, say nothing, and go."""

    async def one() -> None:
        async with every.connect() as wire:
            await wire.listen(0.2)

    async with trio.open_nursery() as nursery:
        for _ in range(24):
            nursery.start_soon(one)


async def idle(every: Attacker) -> None:
    """Connects, and says nothing."""
    async with every.connect() as wire:
        await wire.listen(SLOW_SECONDS)


async def guess(every: Attacker) -> None:
    """A token by chance for the name of an honest player."""
    async with every.connect() as wire:
        name = f"seat {every.random.randrange(4)} {every.random.randrange(4)}"
        await wire.send(hello(name, token=every.random.randbytes(32)))
        await wire.listen(1)


async def impostor(every: Attacker) -> None:
    """The name of an honest player, or one that looks like it, without a token."""
    async with every.connect() as wire:
        await wire.send(hello(f"{every.random.choice(('seat', 'SEAT', 'sеаt'))} 0 0"))  # noqa: RUF001 - letters that look alike are the attack
        await wire.listen(1)


async def churn(every: Attacker) -> None:
    """Comes and goes, each time as somebody else."""
    async with every.enter():
        pass


# --- frames -------------------------------------------------------------------------------


async def half_frame(every: Attacker) -> None:
    """A welcome guest stops inside a frame."""
    async with every.enter() as wire:
        await wire.send(struct.pack(">I", 4000) + bytes(100))
        await wire.listen(SLOW_SECONDS)


async def hellos(every: Attacker) -> None:
    """Says hello again and again over one connection."""
    async with every.enter() as wire:
        await wire.send(*(hello(f"rogue {number}") for number in range(20)))
        await wire.listen(1)


async def bomb(every: Attacker) -> None:
    """A frame of nests as long as one may be."""
    form = every.random.choice((b"\x91", b"\x81\xa1a", b"\xdd\x00\x00\x0f\xf0", b"\xc0"))
    async with every.enter() as wire:
        await wire.send(frame((form * 4096)[:4096]))
        await wire.listen(1)


async def collide(every: Attacker) -> None:
    """A frame of map keys that all have one hash: a server that takes them is slow."""
    keys = {number * ((1 << 61) - 1): None for number in range(1, 7)}
    nested = {"type": "list", "id": 1, "more": [keys] * 60}
    async with every.enter() as wire:
        await wire.send(frame(pack(nested)))
        await wire.listen(1)


async def too_long(every: Attacker) -> None:
    """A frame that is said to be 4 GiB long."""
    async with every.enter() as wire:
        await wire.send(b"\xff\xff\xff\xff" + bytes(4000))
        await wire.listen(1)


async def nonsense(every: Attacker) -> None:
    """Well-formed messages of unknown types and with bad fields."""
    async with every.enter() as wire:
        for number in range(1, 60):
            await wire.say(number, every.random.choice(("dance", "play", "join")))
            await trio.sleep(0.01)
        await wire.listen(1)


# --- floods -------------------------------------------------------------------------------


async def deaf(every: Attacker) -> None:
    """Asks for more and more, and reads nothing, until it is cut; it may not hear why."""
    async with every.enter(buffer_bytes=4096) as wire:
        for number in range(1, 1000):
            await wire.say(number, "rules", name="classic")
            await trio.sleep(0.05)


async def flood(every: Attacker) -> None:
    """As many pings as it can, until the server has had enough."""
    await _flood(every, "ping", 2000)


async def ask_rules(every: Attacker) -> None:
    """As many cards of rules as it can, which are long to answer."""
    await _flood(every, "rules", 400, name="bernie")


async def _flood(every: Attacker, kind: str, count: int, **fields: object) -> None:
    async with every.enter() as wire, trio.open_nursery() as nursery:
        nursery.start_soon(wire.listen, 5)
        for number in range(1, count, 20):
            asked = ({"type": kind, "id": number + each, **fields} for each in range(20))
            await wire.send(*(frame(pack(each)) for each in asked))
            await trio.sleep(0.02)


async def tables(every: Attacker) -> None:
    """Opens table after table, looks at all of them, and leaves."""
    async with every.enter() as wire:
        for number in range(1, 16, 3):
            name = f"trap {every.random.randrange(10**9)}"
            await wire.say(number, "create", name=name, seats=4, start="manual")
            await wire.say(number + 1, "list")
            await wire.say(number + 2, "leave")
        await wire.listen(1)


async def chat(every: Attacker) -> None:
    """Says more than anybody can read, with a terminal's control codes in it."""
    async with every.enter() as wire:
        name = f"trap {every.random.randrange(10**9)}"
        await wire.say(1, "create", name=name, seats=4, start="manual")
        for number in range(2, 30):
            await wire.say(number, "say", text="\x1b[2J" * 100)
        await wire.say(30, "leave")
        await wire.listen(1)


async def gate_crash(every: Attacker) -> None:
    """Wants a seat, a look and a move at tables that are being played."""
    async with every.enter() as wire:
        name = f"table {every.random.randrange(4)}"
        await wire.say(1, "join", table=name)
        await wire.say(2, "watch", table=name)
        await wire.say(3, "play", turn=5, tile=[12, 7], train="p0")
        await wire.say(4, "kick", name="seat 0 0")
        await wire.listen(2)


@dataclass(frozen=True)
class Kind:
    """What attackers of a kind do.

    Attributes:
        count: how many do it at once.
        pause: seconds of each between two attacks.
        told: what they must be told in the course of it.
        after: the seconds of attack after which that must have been so.
    """

    attack: Attack
    count: int
    pause: float
    told: tuple[str, ...]
    after: float = 3.0


KINDS: dict[str, Kind] = {
    "noise": Kind(noise, 4, 0.1, ("goodbye too_long",)),
    "early": Kind(early, 2, 0.1, ("goodbye before_hello",)),
    "drip": Kind(drip, 50, 1.0, ("goodbye slow",), SLOW_SECONDS),
    "crowd": Kind(crowd, 2, 0.2, ()),
    "idle": Kind(idle, 50, 1.0, ("goodbye slow",), SLOW_SECONDS),
    "guess": Kind(guess, 4, 0.1, ("refused bad_token",)),
    "impostor": Kind(impostor, 2, 0.1, ("refused name_taken",)),
    "churn": Kind(churn, 4, 0.05, ("welcome",)),
    "half frame": Kind(half_frame, 30, 1.0, ("goodbye slow",), 1.5 * SLOW_SECONDS),
    "hellos": Kind(hellos, 2, 0.2, ("goodbye protocol",)),
    "bomb": Kind(bomb, 4, 0.1, ("goodbye not_msgpack",)),
    "collide": Kind(collide, 2, 0.1, ("goodbye not_msgpack",)),
    "too long": Kind(too_long, 2, 0.1, ("goodbye too_long",)),
    "nonsense": Kind(nonsense, 2, 0.5, ("declined unknown_type", "goodbye too_many_faults")),
    "deaf": Kind(deaf, 4, 1.0, ("hang-up",), 4 * SLOW_SECONDS),
    "flood": Kind(flood, 2, 0.5, ("declined slow_down", "goodbye flood")),
    "rules": Kind(ask_rules, 2, 0.5, ("card", "declined slow_down")),
    "tables": Kind(tables, 2, 0.5, ("table", "declined slow_down")),
    "chat": Kind(chat, 2, 0.5, ("declined chat_limit",)),
    "gate crash": Kind(gate_crash, 4, 0.2, ("declined not_seated", "declined already_started")),
}


async def attack_all(
    kinds: dict[str, Kind], port: int, seconds: float, seed: int, share: int
) -> int:
    """Attack for so long with a share of all; the exit code."""
    by_kind = {name: Attacker(port, seed + at) for at, name in enumerate(kinds)}
    began = time.monotonic()

    async def wait_for_end() -> None:
        await trio.to_thread.run_sync(os.read, sys.stdin.fileno(), 1, abandon_on_cancel=True)
        nursery.cancel_scope.cancel()

    with trio.move_on_after(seconds):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait_for_end)
            for name, kind in kinds.items():
                for _ in range(max(1, kind.count // share)):
                    nursery.start_soon(by_kind[name].run, kind.attack, kind.pause)
    lasted = time.monotonic() - began
    faults = [fault for name in kinds for fault in tell(name, by_kind[name], kinds[name], lasted)]
    print("".join(f"  WRONG: {fault}\n" for fault in faults), end="", flush=True)
    return 1 if faults else 0


def tell(name: str, attacker: Attacker, kind: Kind, lasted: float) -> list[str]:
    """Print what a kind did and was told; what is wrong with that."""
    told = ", ".join(f"{count} {words}" for words, count in attacker.told.most_common())
    print(f"  {name:10} {attacker.done:5} ({attacker.cut} cut): {told}")
    faults = [f"{name} was told {words!r}" for words in attacker.undocumented()]
    if lasted >= kind.after:
        missing = [words for words in kind.told if words not in attacker.told]
        faults += [f"{name} was never told {words!r}" for words in missing]
    return faults


def main() -> int:
    """Attack as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=int, default=1, help="a fraction of them: 4 is a quarter")
    parser.add_argument("--only", default="", choices=["", *KINDS], help="one kind")
    asked = parser.parse_args()
    kinds = {asked.only: KINDS[asked.only]} if asked.only else KINDS
    return trio.run(attack_all, kinds, asked.port, asked.seconds, asked.seed, asked.share)


if __name__ == "__main__":
    sys.exit(main())
