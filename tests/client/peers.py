"""A scripted server on memory streams, and messages with everything filled in.

The peer speaks through the real `ServerConnection`, so that a client which breaks the protocol
fails here as it would anywhere.
"""

from collections import deque
from collections.abc import Sequence
from typing import Any

import trio
import trio.testing
from mexican_train.client.address import Address
from mexican_train.protocol import (
    AnyClientMessage,
    AnyEvent,
    AnyServerMessage,
    BadMessage,
    Choice,
    Heartbeat,
    Hello,
    Limits,
    RulesInfo,
    SeatInfo,
    ServerConnection,
    TableInfo,
    TableNews,
    Tile,
    Train,
    Update,
    View,
    Welcome,
)

HERE = Address("server.test", 12012)
TOKEN = b"t" * 32


class Peer:
    """The server's end of one stream."""

    def __init__(self, stream: trio.abc.Stream, address: Address) -> None:
        self.stream = stream
        self.address = address
        self.connection = ServerConnection()
        self._messages: deque[AnyClientMessage] = deque()

    async def receive(self) -> AnyClientMessage:
        """The next message; `EOFError` when the client has gone."""
        while not self._messages:
            try:
                received = await self.stream.receive_some(4096)
            except trio.BrokenResourceError:
                raise EOFError from None
            if not received:
                raise EOFError
            for message in self.connection.receive_data(bytes(received)):
                assert not isinstance(message, BadMessage), message
                self._messages.append(message)
        return self._messages.popleft()

    async def send(self, *messages: AnyServerMessage) -> None:
        """Send messages in one piece."""
        await self.stream.send_all(b"".join(map(self.connection.send, messages)))

    async def greet(self, *, then: Sequence[AnyServerMessage] = (), **fields: Any) -> Hello:
        """Take the hello, send a welcome with `fields`, and `then` in the same piece."""
        hello = await self.receive()
        assert isinstance(hello, Hello)
        await self.send(welcome(**({"name": hello.name} | fields)), *then)
        return hello

    async def hang_up(self) -> None:
        """Cut the stream."""
        await trio.aclose_forcefully(self.stream)

    async def check_alive(self, number: int) -> None:
        """A heartbeat is answered next."""
        await self.send(Heartbeat(n=number))
        answer = await self.receive()
        assert getattr(answer, "n", None) == number


class ScriptedServer:
    """Where links under test connect; `accept` gives each new stream."""

    def __init__(self) -> None:
        self.is_up = True
        self.attempts: list[float] = []
        self._send, self._receive = trio.open_memory_channel[Peer](100)

    async def open_stream(self, address: Address) -> trio.abc.Stream:
        """What a link is given as its opener."""
        await trio.lowlevel.checkpoint()
        self.attempts.append(trio.current_time())
        if not self.is_up:
            raise ConnectionRefusedError(111, "Connection refused")
        ours, theirs = trio.testing.memory_stream_pair()
        self._send.send_nowait(Peer(ours, address))
        return theirs

    async def accept(self) -> Peer:
        """The next stream, before its hello."""
        return await self._receive.receive()


def limits(**fields: int) -> Limits:
    told = (
        dict.fromkeys(Limits.__struct_fields__, 10)
        | {
            "silence_seconds": 40,
            "frame_bytes_max": 4096,
        }
        | fields
    )
    return Limits(**told)


def welcome(**fields: Any) -> Welcome:
    told: dict[str, Any] = {
        "version": 1,
        "features": [],
        "limits": limits(),
        "token": TOKEN,
        "last_id": 0,
        "server": "the den",
        "server_version": "0",
        "name": "Me",
        "table": None,
    }
    return Welcome(**(told | fields))


def seat_info(seat: int, name: str = "", **fields: Any) -> SeatInfo:
    told: dict[str, Any] = {"kind": "person" if name else "empty", "ready": False, "present": True}
    return SeatInfo(seat=seat, name=name, **(told | fields))


def table_info(name: str = "t", seats: Sequence[SeatInfo] = (), **fields: Any) -> TableInfo:
    told: dict[str, Any] = {
        "state": "waiting",
        "host": "",
        "start": "full",
        "rules": RulesInfo(name="classic", hash="00", changed=0),
        "seats": list(seats) or [seat_info(0), seat_info(1)],
        "watchers": 0,
        "locked": False,
        "round": 0,
        "rounds": 13,
    }
    return TableInfo(name=name, **(told | fields))


def table_news(answers: int = 0, seat: int | None = 0, **fields: Any) -> TableNews:
    return TableNews(answers=answers, table=table_info(**fields), seat=seat)


def train(name: str, *tiles: Tile, marked: bool = False, end: int = 12) -> Train:
    owner = int(name[1:]) if name.startswith("p") else None
    open_end = tiles[-1][1] if tiles else end
    return Train(train=name, owner=owner, open_end=open_end, tiles=list(tiles), marked=marked)


def view(**fields: Any) -> View:
    told: dict[str, Any] = {
        "round": 1,
        "rounds": 13,
        "phase": "play",
        "max_pip": 12,
        "engine": (12, 12),
        "to_act": 0,
        "awaited": "play",
        "lap": 1,
        "names": ["Me", "Ann", "Bob"],
        "hand_counts": [3, 7, 7],
        "boneyard": 40,
        "trains": [train("p0"), train("p1"), train("p2")],
        "open_doubles": [],
        "knocks": [],
        "scores": [],
        "totals": [0, 0, 0],
    }
    return View(**(told | fields))


def update(
    events: Sequence[AnyEvent] = (),
    choices: Sequence[Choice] = (),
    *,
    on: View | None = None,
    **fields: Any,
) -> Update:
    told: dict[str, Any] = {
        "answers": 0,
        "table": "t",
        "last_event": max((event.n for event in events), default=0),
        "seat": 0,
        "hand": [(12, 7), (12, 3), (9, 9)],
        "turn": 1,
        "deadline_ms": None,
        "unproven": False,
    }
    return Update(events=list(events), choices=list(choices), view=on or view(), **(told | fields))


def plays(*texts: str) -> list[Choice]:
    """Choices as moves are written: `12-7>p0`, `draw`."""
    found = []
    for text in texts:
        tile, arrow, name = text.partition(">")
        if arrow:
            high, low = tile.split("-")
            found.append(Choice(do="play", tile=(int(high), int(low)), train=name))
        else:
            found.append(Choice(do=tile))  # type: ignore[arg-type]  # the test names a deed
    return found
