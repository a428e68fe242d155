"""The load of the server benchmark: hundreds of peers in one process, as cheap as Python allows.

Raw sockets and one epoll. Of an update nothing is decoded but what its seat needs: a search in
the bytes tells whether there is anything to choose, and only then the frame is unpacked.
"""

import random
import select
import socket
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types

CHUNK_BYTES = 65536
SEATS = 4
WAIT_SECONDS = 10.0
"""For any one answer; past it the run fails instead of hanging."""

# keys and short values as every msgpack encoder writes them
IS_UPDATE = b"\xa4type\xa6update"
NO_CHOICE = b"\xa7choices\x90"
LAST_EVENT = b"\xaalast_event"
IS_DECLINED = b"\xa4type\xa8declined"
IS_HEARTBEAT = b"\xa4type\xa9heartbeat"
IS_OVER = b"\xa5state\xa4over"
TURN_DEEDS = frozenset({"play", "draw", "pass", "done"})

pack = msgpack.Packer(autoreset=True).pack


class LoadError(Exception):
    """The server did not do its part; the text says what in one line."""


def frame(payload: bytes) -> bytes:
    """The payload with its length in front."""
    return len(payload).to_bytes(4, "big") + payload


@dataclass(eq=False, slots=True)
class Peer:
    """One connection; `seen` is the last event that has come to it."""

    sock: socket.socket
    group: int
    number: int
    buffer: bytes = b""
    last_id: int = 0
    seen: int = 0

    def send(self, framed: bytes) -> None:
        """Send a frame; it is small, and the kernel has room."""
        if self.sock.send(framed) != len(framed):
            raise LoadError("a socket took half a frame")

    def command(self, **fields: object) -> bytes:
        """The frame of a command with the next id."""
        self.last_id += 1
        return frame(pack({**fields, "id": self.last_id}))


@dataclass(slots=True)
class Tally:
    """What one window of a load has seen."""

    seconds: float
    moves: int
    updates: int

    @property
    def rate(self) -> float:
        """Moves, or round trips, a second."""
        return self.moves / self.seconds


class Load:
    """Some connections and what to do with what comes in.

    `select` only takes low descriptors: make every load before the first one opens connections.
    """

    def __init__(self) -> None:
        self.poller = select.epoll()
        self.peers: dict[int, Peer] = {}
        self.moves = 0
        self.updates = 0

    def close(self) -> None:
        """Close every connection."""
        for peer in self.peers.values():
            peer.sock.close()
        self.poller.close()

    def connect(self, port: int, group: int, number: int) -> Peer:
        """A new connection, blocking until `watch` takes it in."""
        sock = socket.create_connection(("127.0.0.1", port), WAIT_SECONDS)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer = Peer(sock, group, number)
        self.peers[sock.fileno()] = peer
        return peer

    def watch(self) -> None:
        """Take all connections into the loop."""
        for fd, peer in self.peers.items():
            peer.sock.setblocking(False)
            self.poller.register(fd, select.EPOLLIN)

    def window(self, seconds: float) -> Tally:
        """Let it run for so long, and count."""
        self.moves = self.updates = 0
        start = time.perf_counter()
        end = start + seconds
        poll, peers, take = self.poller.poll, self.peers, self.take
        while time.perf_counter() < end:
            for fd, _ in poll(0.05):
                take(peers[fd])
        return Tally(time.perf_counter() - start, self.moves, self.updates)

    def pump(self, seconds: float) -> None:
        """Take in what comes within so many seconds, to the microsecond; at least what is here."""
        if select.select([self.poller], [], [], max(0.0, seconds))[0]:
            for fd, _ in self.poller.poll(0):
                self.take(self.peers[fd])

    def take(self, peer: Peer) -> None:
        """Read what has come."""
        received = peer.sock.recv(CHUNK_BYTES)
        if not received:
            raise LoadError("the server has closed a connection")
        self.cut(peer, received)

    def cut(self, peer: Peer, received: bytes) -> None:
        """Cut what was kept and what has come into frames."""
        if peer.buffer:
            received = peer.buffer + received
        at, end = 0, len(received)
        while end - at >= 4:
            stop = at + 4 + int.from_bytes(received[at : at + 4], "big")
            if stop > end:
                break
            self.on_frame(peer, received[at + 4 : stop])
            at = stop
        peer.buffer = received[at:] if at < end else b""

    def on_frame(self, peer: Peer, payload: bytes) -> None:
        """Do what follows from a frame."""
        raise NotImplementedError


class Echoes(Load):
    """Connections that send the next request when the last one has come back."""

    def __init__(self) -> None:
        super().__init__()
        play = {"type": "play", "id": 70_000, "turn": 300, "tile": [12, 7], "train": "p2"}
        self._request = frame(pack(play))

    def open(self, port: int, count: int) -> None:
        """Connect, and send the first requests."""
        for number in range(count):
            self.connect(port, 0, number)
        self.watch()
        for peer in self.peers.values():
            peer.send(self._request)

    def on_frame(self, peer: Peer, payload: bytes) -> None:
        """Count, and ask again."""
        del payload
        self.moves += 1
        peer.sock.send(self._request)


class Idlers(Load):
    """Players in the lobby who do nothing."""

    def open(self, port: int, count: int) -> None:
        """Connect so many more, and be let in."""
        for _ in range(count):
            peer = self.connect(port, 0, len(self.peers))
            introduce(peer, f"idle {peer.number}")


class Tables(Load):
    """Tables of four in play: each seat makes a random legal move when it is its turn.

    A game that is over is set up again by the table's host. The seats are of the kind `bot`, so
    that no round waits for anybody to be ready.
    """

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self._choose = random.Random(1).choice

    def open(self, port: int, count: int) -> None:
        """Open so many tables, once; their games start."""
        self.count = count
        for group in range(count):
            self._open_one(port, group)
        self.watch()
        for peer in self.peers.values():
            self.cut(peer, b"")

    def _open_one(self, port: int, group: int) -> None:
        """Fill one table; it starts by itself, after the last answer."""
        name = f"table {group}"
        peers = [self.connect(port, group, number) for number in range(SEATS)]
        for peer in peers:
            introduce(peer, f"seat {group} {peer.number}")
        for peer in peers:
            if peer.number == 0:
                wanted = peer.command(type="create", name=name, seats=SEATS, start="full")
            else:
                wanted = peer.command(type="join", table=name)
            peer.send(wanted)
            while not is_answer(receive(peer)):
                continue

    def on_frame(self, peer: Peer, payload: bytes) -> None:
        """Choose and move, if there is a choice."""
        if payload.find(IS_UPDATE) < 0:
            self._on_other(peer, payload)
            return
        self.updates += 1
        self.on_update(peer, payload)
        if payload.find(NO_CHOICE) >= 0:
            return
        update = msgpack.unpackb(payload)
        if update["view"]["to_act"] != peer.number:
            return
        choices = [each for each in update["choices"] if each["do"] in TURN_DEEDS]
        choice = self._choose(choices)
        move = {"type": choice["do"], "turn": update["turn"]}
        if choice["do"] == "play":
            move |= {"tile": choice["tile"], "train": choice["train"]}
        self.on_move(peer, peer.command(**move))

    def on_update(self, peer: Peer, payload: bytes) -> None:
        """See an update of the table, before the choice from it."""

    def on_move(self, peer: Peer, framed: bytes) -> None:
        """Send the move at once."""
        self.moves += 1
        peer.sock.send(framed)

    def _on_other(self, peer: Peer, payload: bytes) -> None:
        if payload.find(IS_HEARTBEAT) >= 0:
            peer.send(frame(payload))
        elif payload.find(IS_DECLINED) >= 0:
            raise LoadError(f"declined: {msgpack.unpackb(payload)}")
        elif peer.number == 0 and payload.find(IS_OVER) >= 0:
            # the word that a game is over comes once to each seat
            peer.send(peer.command(type="rematch"))


def introduce(peer: Peer, name: str) -> None:
    """Say hello and wait for the welcome."""
    hello = {"type": "hello", "versions": [1, 1], "kind": "bot", "name": name}
    peer.send(frame(pack(hello)))
    answer = msgpack.unpackb(receive(peer))
    if answer["type"] != "welcome":
        raise LoadError(f"not let in: {answer}")


def is_answer(payload: bytes) -> bool:
    """Whether this is the table as the answer to a command."""
    message: dict[str, Any] = msgpack.unpackb(payload)
    if message["type"] == "declined":
        raise LoadError(f"declined: {message}")
    return bool(message["type"] == "table" and message["answers"])


def receive(peer: Peer) -> bytes:
    """The next payload of a blocking connection; what comes after it stays in the buffer."""
    while True:
        if len(peer.buffer) >= 4:
            end = 4 + int.from_bytes(peer.buffer[:4], "big")
            if len(peer.buffer) >= end:
                payload, peer.buffer = peer.buffer[4:end], peer.buffer[end:]
                return payload
        received = peer.sock.recv(CHUNK_BYTES)
        if not received:
            raise LoadError("the server has closed a connection")
        peer.buffer += received


# --- at a fixed rate ----------------------------------------------------------------------


@dataclass(slots=True)
class Group:
    """A table at a fixed rate: the move that is ready, and the one that is under way.

    Attributes:
        ready: who is to move, and the frame.
        due: when its next move should have gone out, while it has not.
        began: when the move under way was due, or None.
        before: the last event before that move.
        left: how many of the four have not heard of it.
    """

    ready: tuple[Peer, bytes] | None = None
    due: float | None = None
    began: float | None = None
    before: int = 0
    left: int = 0


@dataclass(slots=True)
class Paced:
    """How long it took from when each move was due until the last of the four had heard of it.

    `overrun`: moves that fell due while the one before at that table was still not sent.
    """

    latencies: list[float] = field(default_factory=list)
    overrun: int = 0


def run_paced(load: Load, seconds: float, rate: float, due: Callable[[int, float], None]) -> None:
    """Call `due(number, time)` at `rate` a second, and pump `load` between."""
    start = time.perf_counter() + 0.05
    for number in range(int(seconds * rate)):
        at = start + number / rate
        while (now := time.perf_counter()) < at:
            load.pump(at - now)
        load.pump(0)
        due(number, at)
    end = time.perf_counter() + 0.2
    while (now := time.perf_counter()) < end:
        load.pump(end - now)


class PacedTables(Tables):
    """Tables that take turns to move, at a fixed rate in all."""

    def __init__(self) -> None:
        super().__init__()
        self.update_bytes = 0
        self._groups: list[Group] = []
        self._seen = Paced()

    def open(self, port: int, count: int) -> None:
        """As for other tables."""
        self._groups = [Group() for _ in range(count)]
        super().open(port, count)

    def paced(self, seconds: float, rate: float) -> Paced:
        """Run at so many moves a second."""
        self._seen = Paced()
        self.updates = self.update_bytes = self.moves = 0
        run_paced(self, seconds, rate, self._on_due)
        return self._seen

    def _on_due(self, number: int, at: float) -> None:
        group = self._groups[number % self.count]
        if group.due is not None:
            self._seen.overrun += 1
            return
        group.due = at
        self._go(group)

    def on_move(self, peer: Peer, framed: bytes) -> None:
        """Keep the move until it is due."""
        group = self._groups[peer.group]
        group.ready = (peer, framed)
        self._go(group)

    def on_update(self, peer: Peer, payload: bytes) -> None:
        """Note who has heard of the move under way."""
        now = time.perf_counter()
        self.update_bytes += len(payload)
        group, number = self._groups[peer.group], last_event(payload)
        if group.began is not None and peer.seen <= group.before < number:
            group.left -= 1
            if group.left == 0:
                self._seen.latencies.append(now - group.began)
                group.began = None
                peer.seen = number
                self._go(group)
        peer.seen = number

    def _go(self, group: Group) -> None:
        """Send the move if it is both there and due, and the one before is over."""
        if group.ready is None or group.due is None or group.began is not None:
            return
        (peer, framed), group.ready = group.ready, None
        group.began, group.due = group.due, None
        group.before, group.left = peer.seen, SEATS
        self.moves += 1
        peer.send(framed)


def last_event(payload: bytes) -> int:
    """The number of the last event in an update, found in its bytes."""
    at = payload.index(LAST_EVENT) + len(LAST_EVENT)
    kind = payload[at]
    if kind < 0x80:
        return kind
    size = {0xCC: 1, 0xCD: 2, 0xCE: 4}[kind]
    return int.from_bytes(payload[at + 1 : at + 1 + size], "big")


class Broadcasts(Load):
    """Groups of four at the bare broadcast, which take turns to ask for one."""

    def __init__(self) -> None:
        super().__init__()
        self._groups: list[Group] = []
        self._askers: list[Sequence[Peer]] = []
        self._seen = Paced()
        self._reply_bytes = 0

    def open(self, port: int, count: int, reply_bytes: int) -> None:
        """Connect so many groups, which will ask for so many bytes."""
        self._reply_bytes = reply_bytes
        self._groups = [Group() for _ in range(count)]
        for group in range(count):
            peers = [self.connect(port, group, number) for number in range(SEATS)]
            self._askers.append(peers)
            for peer in peers:
                peer.send(self._request(group))
        self.watch()

    def _request(self, group: int) -> bytes:
        return frame(struct.pack(">II", group, self._reply_bytes))

    def paced(self, seconds: float, rate: float) -> Paced:
        """Run at so many broadcasts a second."""
        self._seen = Paced()
        run_paced(self, seconds, rate, self._on_due)
        return self._seen

    def _on_due(self, number: int, at: float) -> None:
        turn, chosen = divmod(number, len(self._groups))
        group = self._groups[chosen]
        if group.began is not None:
            self._seen.overrun += 1
            return
        group.began, group.left = at, SEATS
        self._askers[chosen][turn % SEATS].send(self._request(chosen))

    def on_frame(self, peer: Peer, payload: bytes) -> None:
        """Note who has got it."""
        del payload
        now = time.perf_counter()
        group = self._groups[peer.group]
        group.left -= 1
        if group.left == 0 and group.began is not None:
            self._seen.latencies.append(now - group.began)
            group.began = None


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which so large a share lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
