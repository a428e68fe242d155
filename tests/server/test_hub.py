"""Many sockets, one wait: turn by turn, and what goes wrong with one ends that one."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trio
from mexican_train.protocol import Hello, Ping, Pong, Welcome, frame
from mexican_train.server.hub import BATCH_SOCKETS, CHUNK_BYTES, Hub, HubClosedError, open_hub
from mexican_train.server.session import Session
from mexican_train.server.wires import SocketWire, WireClosedError
from trio.testing import MockClock, wait_all_tasks_blocked

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pairs() -> Iterator[Callable[[], Pair]]:
    """Give a function that makes two connected sockets, which do not block."""
    made: list[socket.socket] = []

    def make() -> Pair:
        near, far = socket.socketpair()
        for each in (near, far):
            each.setblocking(False)
            made.append(each)
        return near, far

    yield make
    for each in made:
        each.close()


@pytest.fixture
def hub() -> Iterator[Hub]:
    """Give a hub that does not run yet."""
    opened = open_hub()
    if opened is None:
        pytest.skip("this system has no epoll")
    yield opened
    opened.close()


def fill(sock: socket.socket) -> int:
    """Send until the kernel takes no more; how many bytes that were."""
    sent = 0
    try:
        while True:
            sent += sock.send(bytes(CHUNK_BYTES))
    except BlockingIOError:
        return sent


# --- turns --------------------------------------------------------------------------------


async def test_a_flood_is_read_a_chunk_at_a_time_and_the_others_between(
    hub: Hub, pairs: Callable[[], Pair], nursery: trio.Nursery
) -> None:
    (flood, flooded), (quiet, asked) = pairs(), pairs()
    reads: list[tuple[str, int]] = []

    def take(whose: str) -> Callable[[bytes], bool]:
        def note(received: bytes) -> bool:
            reads.append((whose, len(received)))
            return True

        return note

    sent = fill(flood)
    assert sent > 4 * CHUNK_BYTES
    nursery.start_soon(hub.read, flooded, take("flood"))
    await wait_all_tasks_blocked()
    nursery.start_soon(hub.read, asked, take("quiet"))
    quiet.send(b"here")
    await wait_all_tasks_blocked()
    nursery.start_soon(hub.run)
    await wait_all_tasks_blocked()
    assert ("quiet", 4) in reads[:2]
    assert max(length for _, length in reads) <= CHUNK_BYTES
    assert sum(length for whose, length in reads if whose == "flood") == sent


async def test_more_sockets_than_a_batch_holds_have_their_turn(
    hub: Hub, pairs: Callable[[], Pair], nursery: trio.Nursery
) -> None:
    """A batch is bounded, so that other tasks have a go, and no socket is left out."""
    count = 3 * BATCH_SOCKETS
    taken: list[int] = []
    batches: list[int] = []

    def take(number: int) -> Callable[[bytes], bool]:
        def note(_: bytes) -> bool:
            taken.append(number)
            return True

        return note

    for number in range(count):
        near, far = pairs()
        near.send(b"x")
        nursery.start_soon(hub.read, far, take(number))
    await wait_all_tasks_blocked()
    nursery.start_soon(hub.run)
    while len(taken) < count:
        before = len(taken)
        await trio.lowlevel.checkpoint()
        batches.append(len(taken) - before)
    assert sorted(taken) == list(range(count))
    # the order within a round of tasks is by chance: last in one round, first in the next
    assert max(batches) <= 2 * BATCH_SOCKETS


# --- one ends, the others do not ----------------------------------------------------------


async def test_an_exception_ends_the_one_and_the_batch_goes_on(
    hub: Hub, pairs: Callable[[], Pair], nursery: trio.Nursery
) -> None:
    (bad, bad_end), (good, good_end) = pairs(), pairs()
    taken: list[bytes] = []

    def fail(_: bytes) -> bool:
        raise ZeroDivisionError

    def take(received: bytes) -> bool:
        taken.append(received)
        return True

    nursery.start_soon(hub.read, good_end, take)
    bad.send(b"bad")
    good.send(b"good")
    await wait_all_tasks_blocked()
    nursery.start_soon(hub.run)
    with pytest.raises(ZeroDivisionError):
        await hub.read(bad_end, fail)
    good.send(b"again")
    await wait_all_tasks_blocked()
    assert taken == [b"good", b"again"]


async def test_who_is_ended_by_another_in_the_same_batch_takes_nothing_more(
    hub: Hub, pairs: Callable[[], Pair]
) -> None:
    (one, one_end), (other, other_end) = pairs(), pairs()
    scopes: dict[str, trio.CancelScope] = {"one": trio.CancelScope(), "other": trio.CancelScope()}
    taken: list[str] = []

    async def read(name: str, sock: socket.socket) -> None:
        def take(_: bytes) -> bool:
            taken.append(name)
            for each, scope in scopes.items():
                if each != name:
                    scope.cancel()
            return False

        with scopes[name]:
            await hub.read(sock, take)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read, "one", one_end)
        nursery.start_soon(read, "other", other_end)
        one.send(b"x")
        other.send(b"x")
        await wait_all_tasks_blocked()
        nursery.start_soon(hub.run)
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert len(taken) == 1


async def test_the_end_of_a_stream_is_taken_as_nothing(
    hub: Hub, pairs: Callable[[], Pair], nursery: trio.Nursery
) -> None:
    near, far = pairs()
    taken: list[bytes] = []

    def take(received: bytes) -> bool:
        taken.append(received)
        return bool(received)

    nursery.start_soon(hub.run)
    near.send(b"last")
    near.close()
    await hub.read(far, take)
    assert taken == [b"last", b""]


async def test_a_cancelled_reading_can_be_taken_up_again(
    hub: Hub, pairs: Callable[[], Pair], nursery: trio.Nursery
) -> None:
    near, far = pairs()
    taken: list[bytes] = []
    nursery.start_soon(hub.run)
    with trio.CancelScope() as scope:
        scope.cancel()
        await hub.read(far, lambda _: True)
    near.send(b"later")
    await wait_all_tasks_blocked()

    def take(received: bytes) -> bool:
        taken.append(received)
        return False

    await hub.read(far, take)
    assert taken == [b"later"]


async def test_closing_a_wire_wakes_who_reads_it(
    hub: Hub, pairs: Callable[[], Pair], nursery: trio.Nursery
) -> None:
    wire = SocketWire(pairs()[0], hub)
    nursery.start_soon(hub.run)

    async def read() -> None:
        with pytest.raises(WireClosedError):
            await wire.deliver(lambda _: True)

    nursery.start_soon(read)
    await wait_all_tasks_blocked()
    await wire.aclose()


async def test_a_socket_closed_behind_its_back_harms_nobody(
    hub: Hub, pairs: Callable[[], Pair], nursery: trio.Nursery
) -> None:
    (near, far), (_, closed) = pairs(), pairs()
    nursery.start_soon(hub.run)
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as readers:
            readers.start_soon(hub.read, closed, bool)
            await wait_all_tasks_blocked()
            closed.close()
            scope.cancel()
    near.send(b"x")
    await hub.read(far, lambda _: False)


async def test_a_closed_hub_reads_no_more(hub: Hub, pairs: Callable[[], Pair]) -> None:
    _, far = pairs()

    async def read() -> None:
        with pytest.raises(HubClosedError):
            await hub.read(far, lambda _: True)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read)
        await wait_all_tasks_blocked()
        hub.close()
    await read()


async def test_a_connection_that_is_reset_is_a_closed_wire(hub: Hub, nursery: trio.Nursery) -> None:
    nursery.start_soon(hub.run)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near = socket.create_connection(listener.getsockname())
        far, _ = listener.accept()
    # closing over a lingering nothing resets
    near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    near.close()
    wire = SocketWire(far, hub)
    with pytest.raises(WireClosedError):
        await wire.deliver(lambda _: True)
    await wire.aclose()


# --- sessions -----------------------------------------------------------------------------


@pytest.fixture(params=["hub", "socket"])
def transport(request: pytest.FixtureRequest) -> str:
    """Give sockets, with the hub and without."""
    return str(request.param)


def session_of(hall: Any, player: int) -> Session:
    """The server's end of a player's connection."""
    session: Session
    (session,) = (each for each in hall.server._sessions if each.player == player)
    return session


async def test_half_a_frame_waits_for_the_other_half_and_holds_up_nobody(
    autojump_clock: MockClock, hall: Any
) -> None:
    ann, eve = await hall.enter("ann"), await hall.enter("eve")
    ping = eve.connection.send(Ping(id=1))
    await eve.send_bytes(ping[:7])
    assert isinstance(await ann.ask(Ping), Pong)
    await eve.send_bytes(ping[7:] + eve.connection.send(Ping(id=2))[:3])
    assert isinstance(await eve.receive(), Pong)
    assert isinstance(await ann.ask(Ping), Pong)


async def test_a_fault_in_one_session_of_a_batch_ends_that_session(
    autojump_clock: MockClock, hall: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is raised outside of every command is logged, and told to this one alone."""
    ann, bob, eve = [await hall.enter(name) for name in ("ann", "bob", "eve")]
    faulty = session_of(hall, 3)

    def fail(_: bytes) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(faulty, "_take_bytes", fail)
    for peer in (ann, eve, bob):
        await peer.send(Ping(id=1))
    assert isinstance(await ann.receive(), Pong)
    assert isinstance(await bob.receive(), Pong)
    (goodbye,) = await eve.rest()
    assert goodbye.code == "internal"
    assert [line["error"] for line in hall.logged("session failed")] == ["ZeroDivisionError"]


async def test_a_full_socket_is_emptied_by_its_own_task_in_order(
    autojump_clock: MockClock, hall: Any
) -> None:
    ann, eve = await hall.enter("ann"), await hall.enter("eve")
    session = session_of(hall, 2)
    sent = 0
    while not session._is_draining:
        session.send(Pong(answers=sent))
        sent += 1
    for answers in range(sent, sent + 100):
        session.send(Pong(answers=answers))
    assert isinstance(await ann.ask(Ping), Pong)
    came = [(await eve.receive()).answers for _ in range(sent + 100)]
    assert came == list(range(sent + 100))
    await wait_all_tasks_blocked()
    assert not session._is_draining


async def test_a_full_socket_whose_reader_sleeps_is_cut(
    autojump_clock: MockClock, hall: Any
) -> None:
    ann, _eve = await hall.enter("ann"), await hall.enter("eve")
    session = session_of(hall, 2)
    while not session._is_draining:
        session.send_update(bytes(CHUNK_BYTES))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ann.answer_heartbeats)
        await trio.sleep(15)
        nursery.cancel_scope.cancel()
    assert [line["code"] for line in hall.logged("bad peer")] == ["slow_consumer"]
    assert isinstance(await ann.ask(Ping), Pong)
    assert session not in hall.server._sessions


async def test_who_goes_without_a_word_is_gone(autojump_clock: MockClock, hall: Any) -> None:
    """A connection cut in the middle of a frame, while others of the batch have sent theirs."""
    ann, eve = await hall.enter("ann"), await hall.enter("eve")
    await eve.send_bytes(frame(bytes(40))[:20])
    await ann.send(Ping(id=1))
    await eve.stream.aclose()
    assert isinstance(await ann.receive(), Pong)
    await wait_all_tasks_blocked()
    assert len(hall.server._sessions) == 1
    again = hall.connect()
    await again.send(Hello(versions=(1, 1), kind="person", name="eve"))
    assert isinstance(await again.receive(), Welcome)
