"""What a peer can do wrong gets its code, ends at that peer, and nobody else notices."""

import struct
from collections.abc import Awaitable, Callable
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pytest
import trio
from mexican_train.protocol import (
    Declined,
    Goodbye,
    Heartbeat,
    HeartbeatAnswer,
    Hello,
    JoinTable,
    ListTables,
    Pass,
    Ping,
    Pong,
    Refused,
    Said,
    Say,
    TableNews,
    Tables,
    Update,
    Welcome,
    frame,
)
from mexican_train.server import Lobby
from mexican_train.server.effects import Report
from trio.testing import MockClock

OpenHall = Callable[..., Awaitable[Any]]


@pytest.fixture(params=["memory", "hub", "socket"])
def transport(request: pytest.FixtureRequest) -> Any:
    """Give each way to be connected: all of them are served alike."""
    return request.param


def framed(**fields: Any) -> bytes:
    """A frame with this map in it."""
    return frame(msgpack.packb(fields))


HELLO = framed(type="hello", versions=[1, 1], kind="person", name="eve")


# --- bad form -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (struct.pack(">I", 1_000_000), "too_long"),
        (struct.pack(">I", 1025) + bytes(1025), "too_long"),
        (frame(b"\xc1"), "not_msgpack"),
        (frame(b"\x01"), "not_msgpack"),
        (frame(b""), "not_msgpack"),
        (framed(type="ping", id=1), "before_hello"),
        (framed(type="dance"), "before_hello"),
        (HELLO + framed(type="ping", id=1), "before_welcome"),
    ],
)
async def test_before_the_welcome_a_bad_frame_is_the_last(
    autojump_clock: MockClock, hall: Any, raw: bytes, code: str
) -> None:
    bystander = await hall.enter("ann")
    peer = hall.connect()
    await peer.send_bytes(raw)
    last = (await peer.rest())[-1]
    assert isinstance(last, Goodbye | Refused)
    assert last.code == code
    assert isinstance(await bystander.ask(Ping), Pong)
    assert len(bystander.inbox) == 2


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"versions": [7, 9]}, "version"),
        ({"versions": [0, 0]}, "version"),
        ({"name": ""}, "bad_name"),
        ({"name": "a\x1b[2Jb"}, "bad_name"),
        ({"name": "ANN"}, "name_taken"),
        ({"token": bytes(32)}, "bad_token"),
        ({"kind": "ghost"}, "bad_field"),
        ({"features": ["+magic"]}, "unsupported"),
    ],
)
async def test_a_hello_is_refused_by_code(
    autojump_clock: MockClock, hall: Any, fields: dict[str, Any], code: str
) -> None:
    bystander = await hall.enter("ann")
    peer = hall.connect()
    hello = {"type": "hello", "versions": [1, 1], "kind": "person", "name": "eve"} | fields
    await peer.send_bytes(framed(**hello))
    (refused,) = await peer.rest()
    assert isinstance(refused, Refused)
    assert refused.code == code
    assert isinstance(await bystander.ask(Ping), Pong)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (framed(type="dance", id=7), "unknown_type"),
        (framed(type="play", id=7, turn=1, tile=[12, 99], train="p0"), "bad_field"),
        (framed(type="play", id=7, turn=1, tile=[12, 9], train="x9"), "bad_field"),
        (framed(type="join", id=7, table=["t"]), "bad_field"),
        (framed(type="join", id=7), "bad_field"),
    ],
)
async def test_a_bad_command_is_declined_and_the_session_lives(
    autojump_clock: MockClock, hall: Any, raw: bytes, code: str
) -> None:
    peer = await hall.enter("eve")
    await peer.send_bytes(raw)
    declined = await peer.receive()
    assert isinstance(declined, Declined)
    assert (declined.code, declined.answers) == (code, 7)
    assert isinstance(await peer.ask(Ping), Pong)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (struct.pack(">I", 4097) + bytes(100), "too_long"),
        (frame(b"\xc1"), "not_msgpack"),
        (HELLO, "protocol"),
    ],
)
async def test_after_the_welcome_a_bad_frame_ends_the_session(
    autojump_clock: MockClock, hall: Any, raw: bytes, code: str
) -> None:
    bystander = await hall.enter("ann")
    peer = await hall.enter("eve")
    await peer.send_bytes(raw)
    (goodbye,) = await peer.rest()
    assert isinstance(goodbye, Goodbye)
    assert goodbye.code == code
    assert isinstance(await bystander.ask(Ping), Pong)
    assert len(bystander.inbox) == 2
    (line,) = hall.logged("bad peer")
    assert line["code"] == code


async def test_a_frame_cut_off_ends_the_session_quietly(
    autojump_clock: MockClock, hall: Any
) -> None:
    peer = await hall.enter("eve")
    await peer.send_bytes(framed(type="ping", id=1)[:-1])
    await peer.stream.send_eof()
    assert await peer.rest() == []
    assert [line["code"] for line in hall.logged("bad peer")] == ["cut"]


async def test_a_frame_that_comes_byte_by_byte_is_read(
    autojump_clock: MockClock, hall: Any
) -> None:
    peer = await hall.enter("eve")
    for byte in framed(type="ping", id=1):
        await peer.send_bytes(bytes([byte]))
    assert isinstance(await peer.receive(), Pong)


async def test_twenty_bad_messages_in_a_minute_are_enough(
    autojump_clock: MockClock, hall: Any
) -> None:
    peer = await hall.enter("eve")
    for _ in range(20):
        await peer.send_bytes(framed(type="dance", id=1))
        await trio.sleep(1)
    messages = [each for each in await peer.rest() if not isinstance(each, Heartbeat)]
    assert [type(each) for each in messages] == [Declined] * 20 + [Goodbye]
    assert messages[-1].code == "too_many_faults"


async def test_bad_messages_far_apart_are_borne(autojump_clock: MockClock, hall: Any) -> None:
    peer = await hall.enter("eve")
    for _ in range(40):
        await peer.send_bytes(framed(type="dance", id=1))
        assert isinstance(await peer.until(Declined), Declined)
        await trio.sleep(3.5)


# --- games --------------------------------------------------------------------------------


async def test_a_table_that_does_not_exist_is_named(autojump_clock: MockClock, hall: Any) -> None:
    peer = await hall.enter("eve")
    declined = await peer.ask(JoinTable, table="nowhere")
    assert isinstance(declined, Declined)
    assert (declined.code, declined.retry) == ("no_such_table", False)


async def test_no_word_of_a_peers_gets_into_the_log(autojump_clock: MockClock, hall: Any) -> None:
    word = "XyzzyPlugh"
    peer = await hall.enter(word)
    await peer.ask(Say, text=word)
    await peer.ask(JoinTable, table=word)
    await peer.send_bytes(framed(type=word, id=3))
    await peer.send_bytes(frame(b"\xc1" + word.encode()))
    await peer.rest()
    text = str(hall.lines)
    assert word not in text
    assert word.encode().hex() not in text
    assert [line["length"] for line in hall.logged("bad peer")] == [1 + len(word)]


# --- a fault of our own -------------------------------------------------------------------


async def test_a_handler_that_raises_ends_one_connection(
    autojump_clock: MockClock, hall: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any) -> Any:
        raise ZeroDivisionError("Xyzzy")

    bystander, peer = await hall.enter("ann"), await hall.enter("eve")
    handlers: dict[type, Any] = {**Lobby._handlers, ListTables: fail}
    monkeypatch.setattr(Lobby, "_handlers", handlers)
    await peer.send(ListTables(id=1))
    (goodbye,) = await peer.rest()
    assert goodbye.code == "internal"
    assert isinstance(await bystander.ask(Ping), Pong)
    (line,) = hall.logged("command failed")
    assert line["error"] == "ZeroDivisionError"
    assert "Xyzzy" not in str(hall.lines)


async def test_a_stream_that_raises_ends_one_connection(
    autojump_clock: MockClock, hall: Any
) -> None:
    class Broken(trio.abc.Stream):
        """Fails as no stream should."""

        async def receive_some(self, _max_bytes: int | None = None) -> bytes:
            raise ZeroDivisionError

        async def send_all(self, data: bytes | bytearray | memoryview) -> None:
            raise ZeroDivisionError(len(data))

        async def wait_send_all_might_not_block(self) -> None:
            raise ZeroDivisionError

        async def aclose(self) -> None:
            await trio.lowlevel.checkpoint()

    bystander = await hall.enter("ann")
    await hall.server.serve_stream(Broken())
    assert isinstance(await bystander.ask(Ping), Pong)
    assert hall.logged("session failed")


async def test_a_message_that_cannot_be_sent_ends_one_connection(
    autojump_clock: MockClock, hall: Any
) -> None:
    """Whoever had it delivered goes on: it may be the task that stores for everybody."""
    bystander, peer = await hall.enter("ann"), await hall.enter("eve")
    (session,) = (each for each in hall.server._sessions if each.player == 2)
    session.send(Said(name="ann", text="x" * 70_000))
    (*_, last) = await peer.rest()
    assert last.code == "internal"
    assert isinstance(await bystander.ask(Ping), Pong)
    (line,) = hall.logged("session failed")
    assert line["error"] == "LocalProtocolError"


async def test_an_update_that_cannot_be_sent_likewise(autojump_clock: MockClock, hall: Any) -> None:
    peer = await hall.enter("eve")
    (session,) = hall.server._sessions
    session.send_update(bytes(70_000))
    (*_, last) = await peer.rest()
    assert last.code == "internal"


async def test_a_line_of_the_core_keeps_its_level(autojump_clock: MockClock, hall: Any) -> None:
    """A table that is set aside is an error, also for who reads nothing else."""
    hall.server._desk.follow([Report("all well"), Report("all lost", level="error")])
    levels = [line["level"] for event in ("all well", "all lost") for line in hall.logged(event)]
    assert levels == ["info", "error"]


# --- time ---------------------------------------------------------------------------------


async def test_hello_within_five_seconds(autojump_clock: MockClock, hall: Any) -> None:
    peer = hall.connect()
    await trio.sleep(4.5)
    await peer.send(Hello(versions=(1, 1), kind="person", name="slow"))
    assert isinstance(await peer.receive(), Welcome)
    silent = hall.connect()
    started = trio.current_time()
    (goodbye,) = await silent.rest()
    assert goodbye.code == "slow"
    assert 5 <= trio.current_time() - started <= 6.5


async def test_a_dripping_peer_has_ten_seconds_a_frame(
    autojump_clock: MockClock, hall: Any
) -> None:
    peer = await hall.enter("eve")
    started = trio.current_time()
    gone = trio.Event()

    async def drip() -> None:
        for byte in framed(type="say", id=1, text="x" * 100):
            if gone.is_set():
                return
            await peer.send_bytes(bytes([byte]))
            await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(drip)
        goodbye = (await peer.rest())[-1]
        gone.set()
    assert goodbye.code == "slow"
    assert 10 <= trio.current_time() - started <= 13.5


async def test_a_heartbeat_at_once_and_every_20_seconds_and_40_of_silence(
    autojump_clock: MockClock, hall: Any
) -> None:
    alive, dead = await hall.enter("ann"), await hall.enter("eve")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(alive.answer_heartbeats)
        started = trio.current_time()
        messages = await dead.rest()
        assert 40 <= trio.current_time() - started <= 43.5
        assert [type(each) for each in messages] == [Heartbeat, Heartbeat, Goodbye]
        assert messages[-1].code == "silent"
        await trio.sleep(600)
        nursery.cancel_scope.cancel()
    beats = [each.n for each in alive.inbox if isinstance(each, Heartbeat)]
    assert beats == list(range(1, len(beats) + 1))
    assert 31 <= len(beats) <= 34


async def test_the_round_trip_is_measured_by_the_newest_heartbeat_alone(
    autojump_clock: MockClock, hall: Any
) -> None:
    """An older or an unasked answer, and a second one, tell nothing."""
    ann = await hall.enter("ann")
    for late in (0.25, 3.0, 0.5):
        beat = await ann.until(Heartbeat)
        await ann.send(HeartbeatAnswer(n=beat.n - 1))
        await ann.send(HeartbeatAnswer(n=beat.n + 1))
        await trio.sleep(late)
        await ann.send(HeartbeatAnswer(n=beat.n))
        await ann.send(HeartbeatAnswer(n=beat.n))
    assert isinstance(await ann.ask(Ping), Pong)
    player = hall.server.lobby._players.named("ann")
    assert [round(each, 6) for each in player.round_trips] == [0.25, 3.0, 0.5]
    assert player.round_trip == pytest.approx(0.5)


async def test_a_reader_who_stops_is_cut(autojump_clock: MockClock, open_hall: OpenHall) -> None:
    """Whoever does not read is cut after ten seconds, and the others go on."""
    hall = await open_hall()
    bystander = await hall.enter("ann")
    ours, theirs = trio.testing.lockstep_stream_pair()
    hall._nursery.start_soon(hall.server.serve_stream, theirs)
    peer = type(bystander)(ours)
    await peer.send(Hello(versions=(1, 1), kind="person", name="eve"))
    assert isinstance(await peer.receive(), Welcome)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bystander.answer_heartbeats)
        await peer.send(ListTables(id=1))
        await trio.sleep(15)
        assert [line["code"] for line in hall.logged("bad peer")] == ["slow_consumer"]
        nursery.cancel_scope.cancel()
    assert isinstance(await bystander.ask(Ping), Pong)


async def test_an_outbox_has_512_frames(autojump_clock: MockClock, hall: Any) -> None:
    """Too many unread frames are cut at once, without waiting for the ten seconds."""
    chatter = await hall.enter("ann")
    ours, theirs = trio.testing.lockstep_stream_pair()
    hall._nursery.start_soon(hall.server.serve_stream, theirs)
    peer = type(chatter)(ours)
    await peer.send(Hello(versions=(1, 1), kind="person", name="eve"))
    assert isinstance(await peer.receive(), Welcome)
    (session,) = (each for each in hall.server._sessions if each.player == 2)
    for _ in range(512):
        session.send(Pong(answers=0))
    assert not hall.logged("bad peer")
    session.send(Pong(answers=0))
    assert [line["code"] for line in hall.logged("bad peer")] == ["slow_consumer"]
    assert isinstance(await chatter.ask(Ping), Pong)


async def test_an_outbox_has_256_kib(autojump_clock: MockClock, hall: Any) -> None:
    ours, theirs = trio.testing.lockstep_stream_pair()
    hall._nursery.start_soon(hall.server.serve_stream, theirs)
    peer = type(hall.connect())(ours)
    await peer.send(Hello(versions=(1, 1), kind="person", name="eve"))
    assert isinstance(await peer.receive(), Welcome)
    (session,) = (each for each in hall.server._sessions if each.player == 1)
    for _ in range(6):
        assert not hall.logged("bad peer")
        session.send_update(bytes(50 * 1024))
    assert [line["code"] for line in hall.logged("bad peer")] == ["slow_consumer"]


async def test_forty_at_once_and_twenty_a_second(autojump_clock: MockClock, hall: Any) -> None:
    peer = await hall.enter("eve")
    answers = [await peer.ask(Ping) for _ in range(45)]
    kinds = [type(each) for each in answers]
    assert kinds == [Pong] * 40 + [Declined] * 5
    assert {each.code for each in answers[40:]} == {"slow_down"}
    await trio.sleep(1)
    kinds = [type(await peer.ask(Ping)) for _ in range(25)]
    assert kinds == [Pong] * 20 + [Declined] * 5


async def test_the_move_that_a_seat_owes_costs_nothing(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Any
) -> None:
    hall = await open_hall(tables=(plan(seats=2),), pace_seconds=0.0)
    ann, bob = await hall.enter("ann"), await hall.enter("bob")
    for peer in (ann, bob):
        await peer.ask(JoinTable, table="t")
    update = await ann.until(Update)
    while type(await ann.ask(Ping)) is Pong:
        pass
    answer = await ann.ask(Pass, turn=update.turn)
    assert answer.code != "slow_down"
    stale = await ann.ask(Pass, turn=update.turn - 1)
    assert stale.code == "slow_down"
    again = await ann.ask(Pass, turn=update.turn)
    assert again.code == "slow_down"


async def test_a_flood_ends_the_session(autojump_clock: MockClock, hall: Any) -> None:
    peer = await hall.enter("eve")
    flood = b"".join(framed(type="ping", id=number) for number in range(1, 400))
    await peer.send_bytes(flood)
    messages = await peer.rest()
    assert messages[-1].code == "flood"


# --- coming back --------------------------------------------------------------------------


async def test_a_newer_connection_replaces_the_older(
    autojump_clock: MockClock, open_hall: OpenHall
) -> None:
    hall = await open_hall()
    first = await hall.enter("ann")
    token = first.inbox[0].token
    second = await hall.enter("ann", token=token)
    (goodbye,) = await first.rest()
    assert (type(goodbye), goodbye.code) == (Goodbye, "replaced")
    assert isinstance(await second.ask(Ping), Pong)


async def test_a_seat_is_resumed_where_it_was(
    autojump_clock: MockClock, open_hall: OpenHall, plan: Any
) -> None:
    hall = await open_hall(tables=(plan(seats=2),), pace_seconds=0.0)
    ann, bob = await hall.enter("ann"), await hall.enter("bob")
    for peer in (ann, bob):
        assert isinstance(await peer.ask(JoinTable, table="t"), TableNews)
    update = await ann.until(Update)
    await ann.stream.aclose()
    await bob.until(lambda each: isinstance(each, TableNews) and not each.table.seats[0].present)
    again = await hall.enter("ann", token=ann.inbox[0].token, last_event=update.last_event)
    assert again.inbox[0].table == "t"
    assert isinstance(await again.receive(), TableNews)
    resumed = await again.receive()
    assert (resumed.hand, resumed.turn, resumed.events) == (update.hand, update.turn, [])


async def test_a_command_repeated_after_a_resume_gets_its_answer(
    autojump_clock: MockClock, hall: Any
) -> None:
    ann = await hall.enter("ann")
    declined = await ann.ask(JoinTable, table="nowhere")
    again = await hall.enter("ann", token=ann.inbox[0].token)
    assert again.inbox[0].last_id == declined.answers
    assert await again.ask(JoinTable, table="elsewhere") == declined


async def test_beats_are_answered_by_number(autojump_clock: MockClock, hall: Any) -> None:
    peer = await hall.enter("ann")
    beat = await peer.until(Heartbeat)
    await peer.send(HeartbeatAnswer(n=beat.n))
    assert isinstance(await peer.ask(ListTables), Tables)
