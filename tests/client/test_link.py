"""The link against a scripted server, in virtual time."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import pairwise
from random import Random
from typing import Any

import pytest
import trio
from mexican_train.client.link import (
    BACKOFF_SECONDS_MAX,
    INBOX_MAX,
    STEADY_SECONDS,
    EndedError,
    Link,
    LinkError,
    LinkNotice,
    RefusedError,
    UnreachableError,
    hello_for,
    open_link,
)
from mexican_train.client.tokens import MemoryTokens
from mexican_train.protocol import (
    Declined,
    Heartbeat,
    ListTables,
    Moved,
    Ok,
    Ping,
    Play,
    Pong,
    Said,
    Say,
    Tables,
    goodbye,
    refused,
)

from .peers import HERE, TOKEN, Peer, ScriptedServer, limits, update

Opened = Callable[..., AbstractAsyncContextManager[tuple[Link, Peer]]]
NEWER = b"n" * 32


@pytest.fixture
async def server() -> ScriptedServer:
    return ScriptedServer()


@pytest.fixture
async def opened(server: ScriptedServer, nursery: trio.Nursery) -> Opened:
    """Open a link and give it with its first peer."""

    @asynccontextmanager
    async def opener(**fields: Any) -> AsyncIterator[tuple[Link, Peer]]:
        greeting = {key: fields.pop(key) for key in list(fields) if key in ("then", "limits")}
        peers: list[Peer] = []

        async def greet() -> None:
            peers.append(await server.accept())
            await peers[0].greet(**greeting)

        nursery.start_soon(greet)
        settings: dict[str, Any] = {"open_stream": server.open_stream, "rng": Random(1)}
        async with open_link(HERE, hello_for("Me"), **(settings | fields)) as link:
            yield link, peers[0]

    return opener


def say(text: str) -> Say:
    return Say(id=0, text=text)


# --- opening --------------------------------------------------------------------------------


async def test_a_message_in_one_piece_with_the_welcome_is_not_lost(opened: Opened) -> None:
    async with opened(then=[Said(name="", text="hello")]) as (link, _):
        assert link.welcome.server == "the den"
        assert await link.receive() == Said(name="", text="hello")


async def test_nobody_there(server: ScriptedServer) -> None:
    """A refused connection is one sentence that names the address and the likely reason."""
    server.is_up = False
    with pytest.raises(UnreachableError) as failure:
        async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream):
            pass
    assert failure.value.text == (
        "nobody answers at server.test:12012 (connection refused). Is mt-server running there?"
    )


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\2\xc1\xc1", b""])
async def test_something_else_answers(
    server: ScriptedServer, nursery: trio.Nursery, answer: bytes
) -> None:
    """What is no server of ours is named as such, whatever it says."""

    async def talk() -> None:
        peer = await server.accept()
        await peer.receive()
        if answer:
            await peer.stream.send_all(answer)
        await peer.hang_up()

    nursery.start_soon(talk)
    with pytest.raises(UnreachableError, match=r"there is no mt-server at server\.test:12012"):
        async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream):
            pass


async def test_no_answer_to_the_hello(server: ScriptedServer, autojump_clock: object) -> None:
    with pytest.raises(UnreachableError, match="no answer to the hello"):
        async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream):
            pass


async def test_refused(server: ScriptedServer, nursery: trio.Nursery) -> None:
    """A refusal comes out with its code and the server's sentence, and nothing is tried again."""

    async def refuse() -> None:
        peer = await server.accept()
        await peer.receive()
        await peer.send(refused("name_taken"))

    nursery.start_soon(refuse)
    with pytest.raises(RefusedError) as failure:
        async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream):
            pass
    assert failure.value.code == "name_taken"
    assert len(server.attempts) == 1


async def test_a_stored_token_comes_with_the_hello(
    server: ScriptedServer, nursery: trio.Nursery
) -> None:
    tokens = MemoryTokens()
    await tokens.save(str(HERE), "Me", TOKEN)
    tokens_seen = []

    async def greet() -> None:
        hello = await (await server.accept()).greet(token=NEWER)
        tokens_seen.append(hello.token)

    nursery.start_soon(greet)
    async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream, tokens=tokens):
        assert tokens_seen == [TOKEN]
        assert await tokens.load(str(HERE), "Me") == NEWER


async def test_a_stored_token_that_the_server_forgot_is_dropped(
    server: ScriptedServer, nursery: trio.Nursery
) -> None:
    """A server that was started anew lets the player in as a new one."""
    tokens = MemoryTokens()
    await tokens.save(str(HERE), "Me", TOKEN)

    async def script() -> None:
        peer = await server.accept()
        await peer.receive()
        await peer.send(refused("bad_token"))
        hello = await (await server.accept()).greet(token=NEWER)
        assert hello.token is None

    nursery.start_soon(script)
    async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream, tokens=tokens):
        assert await tokens.load(str(HERE), "Me") == NEWER


async def test_a_refused_token_is_kept_until_a_new_one_is_welcomed(
    server: ScriptedServer, nursery: trio.Nursery
) -> None:
    """Where the name is in use too, nothing is lost that may open the seat later."""
    tokens = MemoryTokens()
    await tokens.save(str(HERE), "Me", TOKEN)

    async def script() -> None:
        for code in ("bad_token", "name_taken"):
            peer = await server.accept()
            await peer.receive()
            await peer.send(refused(code))

    nursery.start_soon(script)
    with pytest.raises(RefusedError) as failure:
        async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream, tokens=tokens):
            pass
    assert failure.value.code == "name_taken"
    assert await tokens.load(str(HERE), "Me") == TOKEN


async def test_a_token_that_cannot_be_stored_is_told(
    server: ScriptedServer, nursery: trio.Nursery
) -> None:
    """The game goes on; the player learns that a new start would not find the seat."""

    class FullDisk(MemoryTokens):
        async def save(self, address: str, name: str, token: bytes, *, tls: bool = False) -> None:
            del address, name, token, tls
            raise OSError(28, "No space left on device")

    async def greet() -> None:
        await (await server.accept()).greet()

    nursery.start_soon(greet)
    async with open_link(
        HERE, hello_for("Me"), open_stream=server.open_stream, tokens=FullDisk()
    ) as link:
        notice = await link.receive()
    assert notice == LinkNotice(
        "unsaved", "The resume token could not be stored: No space left on device."
    )


async def test_what_the_block_raises_comes_out_bare(opened: Opened) -> None:
    with pytest.raises(ZeroDivisionError):
        async with opened():
            raise ZeroDivisionError


# --- commands -------------------------------------------------------------------------------


async def test_ids_rise_from_the_last_one(server: ScriptedServer, nursery: trio.Nursery) -> None:
    async def greet() -> None:
        peer = await server.accept()
        await peer.greet(last_id=41)
        first, second = await peer.receive(), await peer.receive()
        assert first == Say(id=42, text="a")
        assert second == Say(id=43, text="b")
        await peer.send(Ok(answers=42))

    nursery.start_soon(greet)
    async with open_link(HERE, hello_for("Me"), open_stream=server.open_stream) as link:
        assert [link.send(say("a")), link.send(say("b"))] == [42, 43]
        assert list(link.unanswered) == [42, 43]
        assert await link.receive() == Ok(answers=42)
        assert list(link.unanswered) == [43]


async def test_ask_keeps_what_came_before_the_answer(opened: Opened) -> None:
    async with opened() as (link, peer):
        chat = [Said(name="Ann", text=str(number)) for number in range(3)]
        listed = Tables(answers=1, tables=[], page=0, pages=1)
        await peer.send(chat[0], chat[1], listed, chat[2])
        assert await link.ask(ListTables(id=0)) == listed
        assert [await link.receive() for _ in chat] == chat


async def test_too_many_unanswered_commands(opened: Opened) -> None:
    async with opened() as (link, _):
        for _ in range(32):
            link.send(Ping(id=0))
        with pytest.raises(LinkError, match="not answered"):
            link.send(Ping(id=0))


async def test_a_command_that_is_too_long(opened: Opened) -> None:
    """It is declined on this side, and the link goes on."""
    async with opened(limits=limits(frame_bytes_max=100)) as (link, peer):
        answer = await link.ask(say("x" * 200))
        assert isinstance(answer, Declined)
        assert (answer.answers, answer.code) == (1, "too_long")
        await peer.check_alive(1)


async def test_heartbeats_are_answered_while_nobody_reads(opened: Opened) -> None:
    async with opened() as (_, peer):
        for number in range(5):
            await peer.check_alive(number)


# --- losses ---------------------------------------------------------------------------------


async def test_resume(opened: Opened, server: ScriptedServer, autojump_clock: object) -> None:
    """Token and last event come with the new hello, and open commands under their old ids."""
    tokens = MemoryTokens()
    async with opened(tokens=tokens) as (link, peer):
        await peer.send(update(last_event=7))
        await link.receive()
        link.send(say("answered"))
        move = Play(id=0, turn=3, tile=(12, 7), train="p0")
        link.send(move)
        await peer.receive()
        await peer.send(Ok(answers=1))
        assert await link.receive() == Ok(answers=1)
        await peer.hang_up()
        notice = await link.receive()
        assert notice == LinkNotice("lost", "The server has closed the connection.")
        assert link.send(say("meanwhile")) == 3

        again = await server.accept()
        hello = await again.greet(token=NEWER, last_id=2, table="t")
        assert (hello.token, hello.last_event) == (TOKEN, 7)
        assert await again.receive() == Play(id=2, turn=3, tile=(12, 7), train="p0")
        assert await again.receive() == Say(id=3, text="meanwhile")
        assert await link.receive() == LinkNotice("back", "Back at server.test:12012.")
        assert await tokens.load(str(HERE), "Me") == NEWER
        await again.check_alive(1)


async def test_backoff_grows_to_a_bound(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    """Waits double, are spread by the random source, and patience ends them with the reason."""
    async with opened(patience_seconds=300) as (link, peer):
        server.is_up = False
        await peer.hang_up()
        assert isinstance(await link.receive(), LinkNotice)
        with pytest.raises(EndedError) as failure:
            await link.receive()
    assert failure.value.code == "lost"
    assert "connection refused" in failure.value.text
    times = server.attempts[1:]
    waits = [later - sooner for sooner, later in pairwise(times)]
    assert 0.25 <= waits[0] <= 1.0
    assert waits == sorted(waits[:4]) + waits[4:]
    assert all(BACKOFF_SECONDS_MAX / 2 <= wait <= BACKOFF_SECONDS_MAX for wait in waits[-5:])
    assert len(set(waits[-5:])) == 5


async def test_a_server_that_hangs_up_after_each_welcome_is_not_hammered(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    """A welcome alone is no success: the waits grow as where nobody answers."""
    async with opened() as (link, peer):
        await peer.hang_up()
        for _ in range(12):
            again = await server.accept()
            await again.greet()
            await again.hang_up()
            for kind in ("lost", "back"):
                notice = await link.receive()
                assert isinstance(notice, LinkNotice)
                assert notice.kind == kind
    waits = [later - sooner for sooner, later in pairwise(server.attempts)]
    assert waits[0] <= 0.5
    assert waits[:4] == sorted(waits[:4])
    assert all(BACKOFF_SECONDS_MAX / 2 <= wait <= BACKOFF_SECONDS_MAX for wait in waits[-4:])
    assert len(set(waits[-4:])) == 4
    assert sum(at - server.attempts[0] < 20 for at in server.attempts) <= 10


async def test_what_waits_for_a_stream_can_be_taken_back(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    """It is never sent; what may have gone out already cannot be taken back."""
    async with opened() as (link, peer):
        sent = link.send(say("sent"))
        await peer.receive()
        assert not link.take_back(sent)
        await peer.hang_up()
        assert isinstance(await link.receive(), LinkNotice)
        waiting, kept = link.send(say("no")), link.send(say("yes"))
        assert link.take_back(waiting)
        assert not link.take_back(waiting)
        again = await server.accept()
        await again.greet()
        assert [await again.receive() for _ in range(2)] == [
            Say(id=sent, text="sent"),
            Say(id=kept, text="yes"),
        ]
        assert not link.take_back(kept)


async def test_after_a_steady_connection_the_waits_start_anew(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    waits = []
    async with opened() as (_, first):
        peer = first
        for life_seconds in (0.0, 0.0, 0.0, 0.0, STEADY_SECONDS, 0.0):
            await trio.sleep(life_seconds)
            lost_at = trio.current_time()
            await peer.hang_up()
            peer = await server.accept()
            waits.append(server.attempts[-1] - lost_at)
            await peer.greet()
    assert waits[3] >= 1
    assert waits[4] <= 0.25
    assert waits[5] <= 0.5


async def test_where_the_game_went_on_the_waits_start_anew(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    """A server that is killed again and again is found again at once, if each life has a move."""
    waits = []
    async with opened() as (_, first):
        peer = first
        for number, news in enumerate((0, 0, 0, 0, 1, 0)):
            await peer.send(update(last_event=9 * number), update(last_event=9 * number + news))
            await trio.testing.wait_all_tasks_blocked()
            lost_at = trio.current_time()
            await peer.hang_up()
            peer = await server.accept()
            waits.append(server.attempts[-1] - lost_at)
            await peer.greet()
    assert waits[3] >= 1
    assert waits[4] <= 0.25
    assert waits[5] <= 0.5


async def test_a_silent_server_is_left(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    """No frame for `silence_seconds` is a loss, as on a machine that fell off the network."""
    async with opened(limits=limits(silence_seconds=40)) as (link, _):
        notice = await link.receive()
        assert notice == LinkNotice("lost", "The server has been silent for 40 s.")
        assert trio.current_time() >= 40
        await (await server.accept()).greet()
        notice = await link.receive()
        assert isinstance(notice, LinkNotice)
        assert notice.kind == "back"


@pytest.mark.parametrize(
    "garbage", [b"\xff\xff\xff\xff", b"\0\0\0\1\xc1", b"\0\0\0\2\x91\x01", b"HTTP/1.1 200 OK"]
)
async def test_garbage_is_a_loss(
    opened: Opened, server: ScriptedServer, autojump_clock: object, garbage: bytes
) -> None:
    async with opened() as (link, peer):
        await peer.stream.send_all(garbage)
        notice = await link.receive()
        assert isinstance(notice, LinkNotice)
        assert "cannot be read" in notice.text
        with pytest.raises(EOFError):
            await peer.receive()
        await (await server.accept()).greet()


async def test_replaced_ends_the_link(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    """The older of two links says why in a line and never fights for the seat."""
    async with opened() as (link, peer):
        await peer.send(goodbye("replaced"))
        with pytest.raises(EndedError) as failure:
            await link.receive()
        assert failure.value.code == "replaced"
        assert failure.value.text == "A newer connection has taken this player over."
        with pytest.raises(EndedError):
            link.send(say("too late"))
        await trio.sleep(1000)
        assert len(server.attempts) == 1


async def test_cut_as_a_slow_reader_it_resumes(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    async with opened() as (link, peer):
        await peer.send(goodbye("slow_consumer"))
        notice = await link.receive()
        assert isinstance(notice, LinkNotice)
        assert notice.kind == "lost"
        hello = await (await server.accept()).greet()
        assert hello.token == TOKEN


async def test_a_server_that_stops_is_named_as_such(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    async with opened() as (link, peer):
        await peer.send(goodbye("shutdown"))
        assert await link.receive() == LinkNotice("lost", "The server has stopped.")
        await (await server.accept()).greet()


async def test_refused_on_the_way_back(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    """A full server is tried again; a token that it does not know ends the link."""
    async with opened() as (link, peer):
        await peer.hang_up()
        for code in ("server_full", "bad_token"):
            again = await server.accept()
            await again.receive()
            await again.send(refused(code))
        await link.receive()
        with pytest.raises(RefusedError) as failure:
            await link.receive()
        assert failure.value.code == "bad_token"


async def test_moved_is_followed(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    """The new address gets the same token, at once and without waiting."""
    tokens = MemoryTokens()
    async with opened(tokens=tokens) as (link, peer):
        before = trio.current_time()
        await peer.send(Moved(address="[2001:db8::1]:4000"))
        again = await server.accept()
        hello = await again.greet(token=NEWER)
        assert hello.token == TOKEN
        assert str(again.address) == "[2001:db8::1]:4000"
        assert await link.receive() == LinkNotice(
            "moved", "The game has moved to [2001:db8::1]:4000."
        )
        assert await link.receive() == LinkNotice("back", "Back at [2001:db8::1]:4000.")
        assert trio.current_time() == before
        assert await tokens.load("[2001:db8::1]:4000", "Me") == NEWER


async def test_a_stream_that_cannot_be_written_is_a_loss(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    async with opened() as (link, peer):
        link.send(Ping(id=0))
        await peer.receive()
        await peer.send(Pong(answers=1), Heartbeat(n=1))
        await peer.hang_up()
        assert await link.receive() == Pong(answers=1)
        assert isinstance(await link.receive(), LinkNotice)
        await (await server.accept()).greet()


async def test_cancelling_closes_the_stream_hard(opened: Opened) -> None:
    with trio.CancelScope() as scope:
        async with opened() as (_, peer):
            scope.cancel()
            await trio.lowlevel.checkpoint()
    with pytest.raises(EOFError):
        await peer.receive()


async def test_a_program_that_never_reads_ends_the_link(
    opened: Opened, server: ScriptedServer, autojump_clock: object
) -> None:
    """What nobody takes is not piled up without end, and is not asked for again."""
    async with opened() as (link, peer):
        chat = Said(name="Ann", text="again")
        for _ in range(INBOX_MAX // 64 + 1):
            await peer.send(*[chat] * 64)
        await trio.sleep(1000)
        for _ in range(INBOX_MAX):
            assert await link.receive() == chat
        with pytest.raises(EndedError) as failure:
            await link.receive()
        assert failure.value.code == "unread"
        assert len(server.attempts) == 1
