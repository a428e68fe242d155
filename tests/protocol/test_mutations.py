"""Mutated frames: whatever comes, only documented errors come of it, and memory stays flat.

The frames are the golden vectors and what chance makes of them: flipped bits, cuts, splices,
lies about lengths, values of other types, deep nests, huge numbers.
"""

import gc
import json
import struct
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pytest
from mexican_train.protocol import (
    DECLINED_CODES,
    GOODBYE_CODES,
    REFUSED_CODES,
    SERVER_FRAME_BYTES_MAX,
    BadMessage,
    ClientConnection,
    Declined,
    Goodbye,
    Hello,
    Limits,
    Refused,
    RemoteProtocolError,
    ServerConnection,
    State,
    UnknownMessage,
    Welcome,
    decode_client,
    decode_server,
    frame,
)

VECTORS = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "protocol-vectors.json").read_text()
)["messages"]
FRAMES = {
    sender: [bytes.fromhex(each["hex"]) for each in VECTORS if each["sender"] == sender]
    for sender in ("client", "server")
}
PEAK_BYTES_MAX = 6 * 1024 * 1024
"""Over all frames of a run. One frame may claim a multiple of the 64 KiB it may be long."""
KEPT_BYTES_MAX = 3 * 1024 * 1024
HUGE = (2**63 - 1, 2**64 - 1, -(2**63), 2**32, -1, 2**31)
BOMBS = (
    b"\x91" * 500 + b"\xc0",
    b"\x91" * 3000,
    b"\x81\xa1a" * 900 + b"\xc0",
    b"\xdd\xff\xff\xff\xff",
    b"\xdf\xff\xff\xff\xff",
    b"\xdb\xff\xff\xff\xffa",
    b"\xc6\xff\xff\xff\xff",
    b"\xc9\xff\xff\xff\xff\x05",
    b"\xd4\x01\x00",
    b"\xd7\xff" + bytes(8),
    b"\xc1",
    b"\xa3\xed\xa0\x80",
    b"\xa4\xf0\x28\x8c\x28",
    b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00",
    b"\xde\x00\x02\xa1a\x01\xa1a\x02",
)


# --- what chance makes of a frame ---------------------------------------------------------


def flip(random: Random, payload: bytes) -> bytes:
    """Some bits are others."""
    changed = bytearray(payload)
    for _ in range(random.choice((1, 1, 1, 2, 8))):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def cut(random: Random, payload: bytes) -> bytes:
    """The end or the beginning is missing, or there is more."""
    at = random.randrange(len(payload))
    return random.choice((payload[:at], payload[at:], payload + payload[:at], payload + b"\x00"))


def splice(random: Random, payload: bytes) -> bytes:
    """A part is from another message."""
    other = random.choice(FRAMES["client"] + FRAMES["server"])[4:]
    start, end = sorted(random.randrange(len(payload) + 1) for _ in range(2))
    at = random.randrange(len(other))
    return payload[:start] + other[at : at + random.randrange(1, 40)] + payload[end:]


def bomb(random: Random, payload: bytes) -> bytes:
    """Something nasty stands somewhere in it."""
    at = random.randrange(len(payload) + 1)
    return payload[:at] + random.choice(BOMBS) + payload[at + random.randrange(6) :]


def lie(random: Random, payload: bytes) -> bytes:
    """A byte that tells a length or a type tells another one."""
    at = random.randrange(len(payload))
    return payload[:at] + bytes([random.randrange(0x80, 0x100)]) + payload[at + 1 :]


def swap(random: Random, payload: bytes) -> bytes:
    """One value of the map, at any depth, is of another type or size."""
    raw = msgpack.unpackb(payload, strict_map_key=False)
    holder: Any = raw
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            break
        key = random.choice(keys)
        inner = holder[key]
        if isinstance(inner, dict | list) and inner and random.random() < 0.8:
            holder = inner
            continue
        holder[key] = odd_value(random, inner)
        break
    if random.random() < 0.2:
        raw[random.choice(("id", "turn", "extra", "type", "a" * 300))] = odd_value(random, None)
    return bytes(msgpack.packb(raw))


def odd_value(random: Random, inner: Any) -> Any:
    """A value that nobody expects."""
    return random.choice(
        (
            random.choice(HUGE),
            None,
            True,
            1.5,
            float("nan"),
            float("inf"),
            b"\xff" * random.choice((0, 3, 65)),
            "x" * random.choice((0, 1, 41, 600, 2100)),
            "\x1b[2J\u202e\x00",
            [],
            {},
            [inner] * random.choice((1, 3, 300)),
            [[[[[[inner]]]]]],
            {"type": "update"},
            {str(number): number for number in range(70)},
        )
    )


MUTATIONS: tuple[Callable[[Random, bytes], bytes], ...] = (flip, cut, splice, bomb, lie, swap)


def mutated(random: Random, sender: str) -> bytes:
    """A payload that was once a good one."""
    payload = random.choice(FRAMES[sender])[4:]
    for _ in range(random.choice((1, 1, 2))):
        payload = random.choice(MUTATIONS[:-1])(random, payload) if payload else b"\x80"
    if random.random() < 0.4:
        payload = swap(random, random.choice(FRAMES[sender])[4:])
    return payload


# --- what may come of it ------------------------------------------------------------------


def check_error(error: RemoteProtocolError) -> str:
    """A documented error, with a reply that can be sent, and no word of the peer's in it."""
    reply = error.reply()
    codes = {Declined: DECLINED_CODES, Refused: REFUSED_CODES, Goodbye: GOODBYE_CODES}
    assert reply.code in codes[type(reply)]
    assert len(error.hex) <= 64
    assert len(str(error)) < 400
    assert str(error).isprintable()
    return error.code


def through_decoder(sender: str, payload: bytes) -> str:
    """What the decoder makes of it."""
    try:
        if sender == "server":
            message: Any = decode_server(payload)
        else:
            message = decode_client(payload, strict=len(payload) % 2 == 0)
    except RemoteProtocolError as error:
        return check_error(error)
    return type(message).__name__


class Ends:
    """Both kinds of connections, made anew whenever one has ended."""

    def __init__(self) -> None:
        limits = Limits(**dict.fromkeys(Limits.__struct_fields__, 4096))
        self._hello = Hello(versions=(1, 1), kind="bot", name="Bob")
        self._welcome = Welcome(
            version=1,
            features=[],
            limits=limits,
            token=bytes(32),
            last_id=0,
            server="",
            server_version="",
            name="Bob",
            table=None,
        )
        self.server = self.open_server()
        self.client = self.open_client()

    def open_server(self) -> ServerConnection:
        """A server's end that has welcomed."""
        server = ServerConnection()
        assert list(server.receive_data(ClientConnection().send(self._hello)))
        server.send(self._welcome)
        return server

    def open_client(self) -> ClientConnection:
        """A client's end that is welcome."""
        client, server = ClientConnection(), ServerConnection()
        list(server.receive_data(client.send(self._hello)))
        list(client.receive_data(server.send(self._welcome)))
        return client

    def take(self, random: Random, sender: str, sent: bytes) -> str:
        """Let the right end have these bytes, in pieces."""
        if random.random() < 0.1:
            self.server, self.client = ServerConnection(), ClientConnection()
            if random.random() < 0.7:
                self.client.send(self._hello)
        end: Any = self.server if sender == "client" else self.client
        at = random.randrange(len(sent) + 1)
        result = "nothing"
        try:
            for part in (sent[:at], sent[at:]):
                for message in end.receive_data(part):
                    result = check_message(message)
            if random.random() < 0.01:
                end.receive_eof()
        except RemoteProtocolError as error:
            result = check_error(error)
            if sender == "client" and end.state is not State.CLOSED:
                end.send(error.reply())
                assert end.state is State.CLOSED
        if end.state is not State.OPEN or end.is_mid_frame or result in GOODBYE_CODES:
            self.server, self.client = self.open_server(), self.open_client()
        return result


def check_message(message: Any) -> str:
    """What comes out of a connection can be answered, and told apart."""
    if isinstance(message, BadMessage):
        assert message.code in DECLINED_CODES
        assert message.declined().code == message.code
        return message.code
    if isinstance(message, UnknownMessage):
        return "unknown"
    return type(message).__name__


@pytest.mark.parametrize("sender", ["client", "server"])
def test_a_mutated_frame_gives_a_message_or_a_documented_error(scale: Any, sender: str) -> None:
    random = Random(f"mutations {sender}")
    results: Counter[str] = Counter()
    ends = Ends()
    count = scale(20_000, 1_000_000) // 4
    for _ in range(count):
        payload = mutated(random, sender)
        results[through_decoder(sender, payload)] += 1
        results[ends.take(random, sender, framed(random, payload))] += 1
    assert results["not_msgpack"] > count // 10
    assert results["bad_field"] > count // 20
    assert len(results) > 8


def framed(random: Random, payload: bytes) -> bytes:
    """In a frame whose length is true, mostly."""
    if random.random() < 0.95:
        return frame(payload[:SERVER_FRAME_BYTES_MAX])
    length = random.choice((0, 1, len(payload) + 1, 1025, 4097, 65537, 2**31, 2**32 - 1))
    return struct.pack(">I", length) + payload


@pytest.mark.parametrize("sender", ["client", "server"])
def test_memory_stays_flat_under_mutated_frames(scale: Any, sender: str) -> None:
    """What one frame claims is bounded, and nothing of it is kept.

    Map keys are interned, so the interpreter's own table of them may grow once while this runs.
    """
    random = Random(f"memory {sender}")
    ends = Ends()
    tracemalloc.start()
    try:
        for _ in range(scale(1_500, 20_000)):
            payload = mutated(random, sender)
            through_decoder(sender, payload)
            ends.take(random, sender, framed(random, payload))
        gc.collect()
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < PEAK_BYTES_MAX
    assert after < KEPT_BYTES_MAX


@pytest.mark.parametrize("sender", ["client", "server"])
@pytest.mark.parametrize("filler", [b"\x91", b"\x81\xa1a", b"\xa1a\xa1b", b"\xc0"])
def test_the_longest_frame_of_the_worst_form_claims_little(sender: str, filler: bytes) -> None:
    """A full frame of nests or of small values costs at most what a full frame of values costs."""
    limit = 4096 if sender == "client" else SERVER_FRAME_BYTES_MAX
    body = (filler * limit)[: limit - 5]
    heads = (b"", b"\xdc\xff\xff", b"\xdd\x00\x01\x00\x00", b"\xde\xff\xff")
    tracemalloc.start()
    try:
        for head in heads:
            through_decoder(sender, head + body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < PEAK_BYTES_MAX
