"""Real sockets on loopback: listening, limits, raw input, join lines, the ready file."""

import json
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from mexican_train.protocol import (
    ClientConnection,
    Goodbye,
    Hello,
    Ping,
    Pong,
    Refused,
    Said,
    Welcome,
)
from mexican_train.server import Config, ListenError, Server, app, program
from mexican_train.server.listeners import is_loopback, open_listeners
from mexican_train.server.program import join_lines, write_ready_file


@asynccontextmanager
async def serving(**options: Any) -> AsyncIterator[Server]:
    """Run a server on a free port of loopback, and stop it at the end."""
    server = Server(Config(host="127.0.0.1", port=0, log_level="error", **options))
    async with trio.open_nursery() as nursery:
        await nursery.start(server.run)
        yield server
        server.stop()


async def talk(server: Server, *messages: Any, raw: bytes = b"", at: int = 0) -> list[Any]:
    """Send messages over one connection, then end it; everything that came back."""
    stream = await trio.open_tcp_stream(*server.addresses[at])
    connection = ClientConnection()
    answers: list[Any] = []
    async with stream:
        for message in messages:
            await stream.send_all(connection.send(message))
            answers += connection.receive_data(bytes(await stream.receive_some()))
        if raw:
            await stream.send_all(raw)
        else:
            await stream.send_eof()
        async for received in stream:
            answers += connection.receive_data(bytes(received))
    return answers


HELLO = Hello(versions=(1, 1), kind="person", name="ann")


async def test_a_connection_over_tcp() -> None:
    async with serving() as server:
        welcome, pong = await talk(server, HELLO, Ping(id=1))
    assert isinstance(welcome, Welcome)
    assert isinstance(pong, Pong)


async def test_the_last_word_arrives_though_more_was_sent() -> None:
    """Closing over unread bytes would reset the connection and destroy the goodbye."""
    async with serving() as server:
        answers = await talk(server, HELLO, raw=struct.pack(">I", 5000) + bytes(50_000))
    assert isinstance(answers[-1], Goodbye)
    assert answers[-1].code == "too_long"


async def test_past_the_limit_the_server_is_full() -> None:
    async with serving(connections_max=1) as server:
        stream = await trio.open_tcp_stream(*server.addresses[0])
        async with stream:
            await stream.send_all(ClientConnection().send(HELLO))
            await stream.receive_some()
            (refused,) = await talk(server)
        assert isinstance(refused, Refused)
        assert refused.code == "server_full"


async def test_loopback_has_no_limit_an_address() -> None:
    async with serving(address_connections_max=1) as server:
        first = await trio.open_tcp_stream(*server.addresses[0])
        async with first:
            answers = await talk(server, HELLO)
        assert isinstance(answers[0], Welcome)


@pytest.fixture
async def arrive(open_hall: Any, nursery: trio.Nursery) -> AsyncIterator[Callable[..., Any]]:
    """Give a function that connects from an address, to a server with room for one from each."""
    hall = await open_hall(address_connections_max=1)
    ends: list[trio.SocketStream] = []

    def from_address(address: str) -> trio.SocketStream:
        ours, theirs = socket.socketpair()
        nursery.start_soon(hall.server._serve_socket, theirs, address)
        ends.append(trio.SocketStream(trio.socket.from_stdlib_socket(ours)))
        return ends[-1]

    yield from_address
    for each in ends:
        each.socket.close()


async def first_answer(stream: trio.SocketStream) -> Any:
    """What a hello is answered by; None at an end without a word."""
    connection = ClientConnection()
    await stream.send_all(connection.send(HELLO))
    received = bytes(await stream.receive_some())
    return next(connection.receive_data(received), None)


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8::1", "2001:db8::2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::1", "::1", False),
    ],
)
async def test_one_household_counts_as_one_address(
    autojump_clock: object, arrive: Callable[..., Any], first: str, second: str, is_one: bool
) -> None:
    """Of IPv6 whoever has one address has as many as there are in a /64."""
    assert isinstance(await first_answer(arrive(first)), Welcome)
    answer = await first_answer(arrive(second))
    assert answer.code == ("server_full" if is_one else "name_taken")


async def test_who_finds_no_room_takes_none(
    autojump_clock: object, arrive: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many are told why at a time; the next is closed at once, until one of them has gone."""
    monkeypatch.setattr(app, "TURNED_AWAY_MAX", 2)
    assert isinstance(await first_answer(arrive("192.0.2.1")), Welcome)
    told = [arrive("192.0.2.1") for _ in range(2)]
    await trio.testing.wait_all_tasks_blocked()
    assert await arrive("192.0.2.1").receive_some() == b""
    for each in told:
        assert (await first_answer(each)).code == "server_full"
        await each.aclose()
    await trio.testing.wait_all_tasks_blocked()
    assert (await first_answer(arrive("192.0.2.1"))).code == "server_full"


async def test_a_stop_ends_a_connection_with_its_reason() -> None:
    async with serving() as server:
        stream = await trio.open_tcp_stream(*server.addresses[0])
        connection = ClientConnection()
        await stream.send_all(connection.send(HELLO))
        answers = list(connection.receive_data(bytes(await stream.receive_some())))
        server.stop()
        async with stream:
            async for received in stream:
                answers += connection.receive_data(bytes(received))
    assert answers[-1].code == "shutdown"  # type: ignore[union-attr]


async def test_a_name_of_several_addresses_is_served_at_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As `localhost` is, where it is both 127.0.0.1 and ::1."""

    def both(_host: str, port: int) -> Iterator[socket.socket]:
        for host in ("127.0.0.1", "127.0.0.2"):
            yield from open_listeners(host, port)

    monkeypatch.setattr(app, "open_listeners", both)
    async with serving() as server:
        assert len(server.addresses) == 2
        for at in range(2):
            (welcome,) = await talk(server, HELLO, at=at)
            assert isinstance(welcome, Welcome)


def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=f"127.0.0.1:{port}: another program"):
            list(open_listeners("127.0.0.1", port))


def test_an_address_of_another_machine_is_named() -> None:
    with pytest.raises(ListenError, match="no such address"):
        list(open_listeners("203.0.113.9", 0))


@pytest.mark.parametrize(
    ("address", "is_own"),
    [("127.0.0.1", True), ("::1", True), ("::ffff:127.9.9.9", True), ("192.0.2.1", False)],
)
def test_loopback_is_known_in_every_form(address: str, is_own: bool) -> None:
    assert is_loopback(address) == is_own


async def test_the_ready_file_tells_scripts_where(tmp_path: Path) -> None:
    path = tmp_path / "ready.json"
    async with serving() as server:
        write_ready_file(server, path)
        ready = json.loads(await trio.Path(path).read_text())
        assert (ready["host"], ready["port"]) == server.addresses[0]
        assert ready["protocol"] == [1, 1]
        assert join_lines(server) == [f"mt-client 127.0.0.1:{ready['port']}"]
    assert [each.name for each in await trio.Path(tmp_path).iterdir()] == ["ready.json"]


@pytest.mark.parametrize(
    ("host", "lines", "own"),
    [
        (None, ["192.0.2.7", "[2001:db8::7]"], "127.0.0.1"),
        ("0.0.0.0", ["192.0.2.7"], "127.0.0.1"),  # noqa: S104 - nobody listens there
        ("::", ["[2001:db8::7]"], "::1"),
        ("192.0.2.9", ["192.0.2.9"], "192.0.2.9"),
    ],
)
def test_nobody_is_told_to_type_an_address_that_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, host: str | None, lines: list[str], own: str
) -> None:
    """Every interface has an address to listen at, but none to connect to."""
    monkeypatch.setattr(program, "network_addresses", lambda: ["192.0.2.7", "2001:db8::7"])
    server = Server(Config(host=host))
    server.addresses = [("::" if host is None else host, 7)]
    assert join_lines(server) == [f"mt-client {each}:7" for each in lines]
    write_ready_file(server, tmp_path / "ready")
    assert json.loads((tmp_path / "ready").read_text())["host"] == own


async def test_running_out_of_descriptors_only_makes_it_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The listener outlives EMFILE and serves whoever waits, once there is room."""
    import errno  # noqa: PLC0415

    failures = iter([errno.EMFILE, errno.ECONNABORTED])
    real: Callable[..., Any] = socket.socket.accept

    def accept(self: socket.socket) -> Any:
        if number := next(failures, 0):
            raise OSError(number, "no")
        return real(self)

    monkeypatch.setattr(socket.socket, "accept", accept)
    async with serving() as server:
        answers = await talk(server, HELLO)
    assert isinstance(answers[0], Welcome)


async def test_what_the_socket_does_not_take_at_once_follows_in_order() -> None:
    """A full socket makes the session queue up; a reader who wakes in time gets every frame."""
    async with serving() as server:
        stream = await trio.open_tcp_stream(*server.addresses[0])
        connection = ClientConnection()
        async with stream:
            await stream.send_all(connection.send(HELLO))
            list(connection.receive_data(bytes(await stream.receive_some())))
            (session,) = server._sessions
            wire: Any = session._wire
            wire._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            lines = [f"{number} " + "x" * 400 for number in range(500)]
            for line in lines:
                session.send(Said(name="ann", text=line))
            assert session._is_draining
            said: list[str] = []
            while len(said) < len(lines):
                received = bytes(await stream.receive_some())
                came = connection.receive_data(received)
                said += [each.text for each in came if isinstance(each, Said)]
            assert said == lines
