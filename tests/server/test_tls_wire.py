"""TLS at the server: over memory in virtual time, and over loopback; honest peers and others."""

import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from mexican_train.protocol import (
    ClientConnection,
    Goodbye,
    Heartbeat,
    HeartbeatAnswer,
    Hello,
    Ping,
    Pong,
    Refused,
    Said,
    Welcome,
)
from mexican_train.server import Config, Server
from mexican_train.server.certificates import Certificate, certificate_of
from mexican_train.server.tls_wire import NoTlsError, TlsWire
from mexican_train.server.wires import SocketWire, StreamWire, WireClosedError

from tests.authority import Authority

HOST = "play.example"
HELLO = Hello(versions=(1, 1), kind="person", name="ann")


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Certificate, ssl.SSLContext]:
    """A certificate, and the context of a client that trusts it."""
    authority = Authority(tmp_path_factory.mktemp("authority"))
    certificate = certificate_of(*authority.issue(HOST))
    client = ssl.create_default_context(cafile=str(authority.file))
    return certificate, client


@pytest.fixture
def certificate(trusted: tuple[Certificate, ssl.SSLContext]) -> Certificate:
    return trusted[0]


@pytest.fixture
def client(trusted: tuple[Certificate, ssl.SSLContext]) -> ssl.SSLContext:
    return trusted[1]


class Guest:
    """Somebody at a server, over TLS."""

    def __init__(self, stream: trio.abc.Stream, context: ssl.SSLContext) -> None:
        self.tls = trio.SSLStream(stream, context, server_hostname=HOST)
        self._connection = ClientConnection()
        self._messages: list[Any] = []

    async def send(self, *messages: Any) -> None:
        for message in messages:
            await self.tls.send_all(self._connection.send(message))

    async def receive(self) -> Any:
        """The next message; `EOFError` at a clean end, the stream's error at another."""
        while not self._messages:
            received = bytes(await self.tls.receive_some())
            if not received:
                raise EOFError
            self._messages += self._connection.receive_data(received)
        return self._messages.pop(0)

    async def enter(self, **fields: Any) -> Welcome:
        told = {"versions": (1, 1), "kind": "person", "name": "ann", **fields}
        await self.send(Hello(**told))
        welcome = await self.receive()
        assert isinstance(welcome, Welcome), welcome
        return welcome


Connect = Callable[..., trio.abc.Stream]
OpenHall = Callable[..., Awaitable[Any]]


@pytest.fixture
async def hall(open_hall: OpenHall, certificate: Certificate) -> Any:
    return await open_hall(tls=certificate)


@pytest.fixture
def connect(hall: Any, nursery: trio.Nursery) -> Connect:
    """A raw stream in memory to a server that wants TLS."""

    def connected(*, is_full: bool = False) -> trio.abc.Stream:
        ours, theirs = trio.testing.memory_stream_pair()

        async def serve() -> None:
            await hall.server.serve_wire(StreamWire(theirs), "192.0.2.1", is_full=is_full)
            await trio.aclose_forcefully(theirs)

        nursery.start_soon(serve)
        return ours

    return connected


async def everything(stream: trio.abc.ReceiveStream) -> bytes:
    """What comes until the end, which may be a hard one."""
    came = b""
    try:
        with trio.fail_after(60):
            async for received in stream:
                came += bytes(received)
    except trio.BrokenResourceError:
        pass
    return came


# --- honest peers -------------------------------------------------------------------------


async def test_a_connection_as_without_tls(
    connect: Connect, client: ssl.SSLContext, autojump_clock: object
) -> None:
    ann = Guest(connect(), client)
    await ann.enter()
    await ann.send(Ping(id=1))
    assert isinstance(await ann.receive(), Pong)
    await ann.tls.aclose()


async def test_the_last_word_comes_with_a_clean_end(
    connect: Connect, hall: Any, client: ssl.SSLContext, autojump_clock: object
) -> None:
    """Though more was sent than the server wanted to read."""
    ann = Guest(connect(), client)
    await ann.enter()
    await ann.tls.send_all(struct.pack(">I", 5000) + bytes(20_000))
    assert (await ann.receive()).code == "too_long"
    with pytest.raises(EOFError):
        await ann.receive()


async def test_a_resume_replaces_the_older_connection(
    connect: Connect, client: ssl.SSLContext, autojump_clock: object
) -> None:
    older, newer = Guest(connect(), client), Guest(connect(), client)
    token = (await older.enter()).token
    await newer.enter(token=token)
    goodbye = await older.receive()
    assert isinstance(goodbye, Goodbye)
    assert goodbye.code == "replaced"
    await newer.send(Ping(id=1))
    assert isinstance(await newer.receive(), Pong)


async def test_heartbeats_go_on_and_silence_ends(
    connect: Connect, client: ssl.SSLContext, autojump_clock: object
) -> None:
    ann = Guest(connect(), client)
    await ann.enter()
    for _ in range(4):
        beat = await ann.receive()
        assert isinstance(beat, Heartbeat)
        await ann.send(HeartbeatAnswer(n=beat.n))
    while isinstance(last := await ann.receive(), Heartbeat):
        continue
    assert last.code == "silent"


async def test_a_stop_is_told(
    connect: Connect, hall: Any, client: ssl.SSLContext, autojump_clock: object
) -> None:
    ann = Guest(connect(), client)
    await ann.enter()
    hall.server.stop()
    assert (await ann.receive()).seconds == 10
    assert (await ann.receive()).code == "shutdown"


async def test_a_full_server_says_so_under_tls(
    connect: Connect, client: ssl.SSLContext, autojump_clock: object
) -> None:
    guest = Guest(connect(is_full=True), client)
    await guest.tls.do_handshake()
    refused = await guest.receive()
    assert refused.code == "server_full"


async def test_both_ways_at_once_lose_nothing(
    connect: Connect, hall: Any, client: ssl.SSLContext, autojump_clock: object
) -> None:
    """Much goes down while much comes up."""
    ann = Guest(connect(), client)
    await ann.enter()
    (session,) = hall.server._sessions
    lines = [f"{number} " + "x" * 400 for number in range(300)]
    got: list[Any] = []

    async def read() -> None:
        while len(got) < len(lines) + 30:
            got.append(await ann.receive())

    async with trio.open_nursery() as both:
        both.start_soon(read)
        for line in lines:
            session.send(Said(name="bob", text=line))
        for number in range(30):
            await ann.send(Ping(id=number + 1))
    assert [each.text for each in got if isinstance(each, Said)] == lines
    assert [each.answers for each in got if isinstance(each, Pong)] == [*range(1, 31)]


# --- other peers --------------------------------------------------------------------------


async def test_a_client_without_tls_is_told_in_the_clear(
    connect: Connect, hall: Any, autojump_clock: object
) -> None:
    stream = connect()
    connection = ClientConnection()
    await stream.send_all(connection.send(HELLO))
    (refused,) = connection.receive_data(await everything(stream))
    assert isinstance(refused, Refused)
    assert refused.code == "tls"
    assert "tls://" in refused.text
    assert [line["code"] for line in hall.logged("bad peer")] == ["no_tls"]


@pytest.mark.parametrize("begun", [b"", b"\x16", b"\x16\x03\x01\x02\x00\x01", b"\x16\x03\x01"])
async def test_a_stalled_handshake_ends_in_time(
    connect: Connect, hall: Any, begun: bytes, autojump_clock: trio.testing.MockClock
) -> None:
    """Within the time for a hello, and without a word."""
    stream = connect()
    if begun:
        await stream.send_all(begun)
    began = trio.current_time()
    assert await everything(stream) == b""
    assert trio.current_time() - began == hall.server.config.limits.hello_seconds
    assert not hall.server._sessions
    assert not hall.server._handshakes


async def test_a_handshake_that_drips_ends_in_time(
    connect: Connect, hall: Any, client: ssl.SSLContext, autojump_clock: object
) -> None:
    """The deadline is for the whole of it, not for each piece."""
    stream = connect()
    began = trio.current_time()

    async def drip() -> None:
        for each in first_flight(client):
            await stream.send_all(bytes([each]))
            await trio.sleep(1)

    with pytest.raises(trio.BrokenResourceError):
        await drip()
    assert trio.current_time() - began <= hall.server.config.limits.hello_seconds + 1


async def test_a_patient_but_slow_peer_comes_in(
    connect: Connect, client: ssl.SSLContext, autojump_clock: object
) -> None:
    """Byte by byte in both directions, over TLS that is itself cut into bytes."""
    ann = Guest(Dripping(connect()), client)
    await ann.enter()
    await ann.send(Ping(id=1))
    assert isinstance(await ann.receive(), Pong)


async def test_a_cut_at_any_byte_of_the_handshake_disturbs_nobody(
    connect: Connect, hall: Any, client: ssl.SSLContext, autojump_clock: object, scale: Any
) -> None:
    flight = first_flight(client)
    bob = Guest(connect(), client)
    await bob.enter(name="bob")
    for length in range(0, len(flight), scale(23, 1)):
        stream = connect()
        await stream.send_all(flight[:length])
        await trio.aclose_forcefully(stream)
    await bob.send(Ping(id=1))
    assert isinstance(await bob.receive(), Pong)
    assert not hall.server._handshakes
    assert not hall.logged("handshake failed")


@given(garbage=st.binary(min_size=1, max_size=300), keeps=st.booleans())
def test_garbage_after_any_start_ends_one_connection(
    garbage: bytes, keeps: bool, trusted: tuple[Certificate, ssl.SSLContext]
) -> None:
    """Only with the two errors that the server expects."""
    certificate, client = trusted
    flight = first_flight(client)

    async def main() -> None:
        ours, theirs = trio.testing.memory_stream_pair()
        wire = TlsWire(StreamWire(theirs), certificate.context)
        await ours.send_all((flight[:60] if keeps else b"") + garbage)
        await ours.send_eof()
        with pytest.raises((NoTlsError, WireClosedError)):
            await wire.shake_hands()
        await wire.aclose()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


async def test_garbage_in_the_middle_ends_one_connection(
    connect: Connect, hall: Any, client: ssl.SSLContext, autojump_clock: object
) -> None:
    stream = connect()
    ann, bob = Guest(stream, client), Guest(connect(), client)
    await ann.enter()
    await bob.enter(name="bob")
    await stream.send_all(b"\x17\x03\x03\x00\x20" + bytes(32))
    await everything(stream)
    await trio.aclose_forcefully(stream)
    await trio.testing.wait_all_tasks_blocked()
    await bob.send(Ping(id=1))
    assert isinstance(await bob.receive(), Pong)
    assert [session.player for session in hall.server._sessions] == [2]
    assert not hall.logged("session failed")


async def test_a_stop_does_not_wait_for_handshakes(
    connect: Connect, hall: Any, autojump_clock: object
) -> None:
    stream = connect()
    await stream.send_all(b"\x16\x03\x01")
    await trio.testing.wait_all_tasks_blocked()
    began = trio.current_time()
    hall.server.stop()
    assert await everything(stream) == b""
    assert trio.current_time() == began


async def test_after_half_a_record_nothing_more_is_sent(
    certificate: Certificate, client: ssl.SSLContext, autojump_clock: object
) -> None:
    """A cancelled write may have left a part of a record on the wire."""
    ours, theirs = trio.testing.memory_stream_pair()
    wire = TlsWire(StreamWire(theirs), certificate.context)
    wire._is_torn = True
    await ours.send_all(first_flight(client))
    with trio.fail_after(1), pytest.raises(WireClosedError):
        await wire.shake_hands()


async def test_a_reader_that_is_ended_tears_nothing_that_others_send(
    certificate: Certificate, client: ssl.SSLContext, autojump_clock: object
) -> None:
    """A session's last word ends its reading while earlier words still wait to be read."""
    ours, theirs = trio.testing.memory_stream_pair()
    inner = Gated(theirs)
    wire, guest = TlsWire(inner, certificate.context), Guest(ours, client)
    reading = trio.CancelScope()

    async def read() -> None:
        with reading:
            await wire.deliver(bool)

    async def write() -> None:
        await wire.send_all(b"one ")
        await wire.send_all(b"two")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(guest.tls.do_handshake)
        await wire.shake_hands()
        inner.close_gate()
        nursery.start_soon(read)
        nursery.start_soon(write)
        await trio.testing.wait_all_tasks_blocked()
        await guest.tls.send_all(b"heard")
        await trio.testing.wait_all_tasks_blocked()
        inner.let_one_pass()
        await trio.testing.wait_all_tasks_blocked()
        reading.cancel()
        await trio.testing.wait_all_tasks_blocked()
        inner.open_gate()
    came = b""
    while len(came) < len(b"one two"):
        came += bytes(await guest.tls.receive_some())
    assert came == b"one two"


# --- over loopback ------------------------------------------------------------------------


@asynccontextmanager
async def serving(certificate: Certificate | None) -> AsyncIterator[Server]:
    """Run a server on a free port of loopback, and stop it at the end."""
    server = Server(Config(host="127.0.0.1", port=0, log_level="error", tls=certificate))
    async with trio.open_nursery() as nursery:
        await nursery.start(server.run)
        yield server
        server.stop()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_both_versions_over_loopback(
    certificate: Certificate, client: ssl.SSLContext, version: ssl.TLSVersion, tmp_path: Path
) -> None:
    context = ssl.create_default_context()
    context.load_verify_locations(cadata=client.get_ca_certs(binary_form=True)[0])
    context.minimum_version = context.maximum_version = version
    async with serving(certificate) as server:
        ann = Guest(await trio.open_tcp_stream(*server.addresses[0]), context)
        await ann.enter()
        await ann.send(Ping(id=1))
        assert isinstance(await ann.receive(), Pong)
        assert ann.tls.version() == version.name.replace("v1_", "v1.")
        (session,) = server._sessions
        wire: Any = session._wire
        assert isinstance(wire._inner, SocketWire)
        await trio.aclose_forcefully(ann.tls)


async def test_a_tls_client_at_a_plain_server_is_no_mystery(client: ssl.SSLContext) -> None:
    """What answers is no TLS, at once."""
    async with serving(None) as server:
        ann = Guest(await trio.open_tcp_stream(*server.addresses[0]), client)
        with pytest.raises(trio.BrokenResourceError) as failure:
            await ann.tls.do_handshake()
        assert getattr(failure.value.__cause__, "reason", "") == "WRONG_VERSION_NUMBER"
        await trio.aclose_forcefully(ann.tls)


def first_flight(context: ssl.SSLContext) -> bytes:
    """What a client sends first."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname=HOST).do_handshake()
    return outgoing.read()


class Dripping(trio.abc.Stream):
    """A stream that gives and takes one byte at a time."""

    def __init__(self, inner: trio.abc.Stream) -> None:
        self._inner = inner

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        for each in bytes(data):
            await self._inner.send_all(bytes([each]))

    async def wait_send_all_might_not_block(self) -> None:
        await self._inner.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        del max_bytes
        return bytes(await self._inner.receive_some(1))

    async def aclose(self) -> None:
        await self._inner.aclose()


class Gated(StreamWire):
    """A wire whose sending waits at a gate, which is open at first."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        super().__init__(stream)
        self._passes = trio.Semaphore(1)
        self._is_open = True

    def close_gate(self) -> None:
        self._is_open = False
        self._passes.acquire_nowait()

    def let_one_pass(self) -> None:
        self._passes.release()

    def open_gate(self) -> None:
        self._is_open = True
        self._passes.release()

    async def send_all(self, sending: bytes) -> None:
        await self._passes.acquire()
        if self._is_open:
            self._passes.release()
        await super().send_all(sending)
