"""What `mt-client` alone offers, from what this user holds and what is nearby."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import trio
from mexican_train.client.address import Address
from mexican_train.client.discovery import FoundServer
from mexican_train.client.kept import KeptGame, Note
from mexican_train.client.menu import Seat, held_seats, look_around, offers_for, told
from mexican_train.client.pins import FilePins
from mexican_train.client.tokens import FileTokens, HeldSeat
from mexican_train.client.wish import AccessOptions, OpenOptions, Wish

WISH = Wish(
    server=None,
    name="Ann",
    table=None,
    create=None,
    watch=False,
    rules=None,
    options=(),
    bots=None,
    strategy="planner",
)
DEN = FoundServer("the den", Address("192.0.2.7"), password=True)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def seat(address: str, name: str = "Bea", *, answers: bool = True) -> Seat:
    return Seat(HeldSeat(address, name, tls=False, since=0.0), Address.parse(address), answers)


async def hang_up(stream: trio.SocketStream) -> None:
    await trio.aclose_forcefully(stream)


async def no_servers() -> list[FoundServer]:
    await trio.lowlevel.checkpoint()
    return []


def test_seats_come_first_then_servers_then_home() -> None:
    """Choosing a seat is coming under its name; all other wishes are kept."""
    offers = offers_for(WISH, [seat("192.0.2.8:5000"), seat("x:1", answers=False)], [DEN])
    assert [re.sub(r"taken \S+ \S+", "taken then", offer.words) for offer in offers] == [
        "your place at 192.0.2.8:5000 as Bea, last taken then",
        "the den at 192.0.2.7:12012 (wants a password)",
        "a game here against bots",
        "a game here that others on this network may join",
    ]
    assert [offer.is_home for offer in offers] == [False, False, True, True]
    assert offers[0].wish == replace(WISH, server="192.0.2.8:5000", name="Bea")
    assert offers[1].wish == replace(WISH, server="192.0.2.7:12012")
    assert offers[2].wish == WISH
    assert offers[3].wish == replace(WISH, opened=OpenOptions())


def test_a_wish_for_a_server_is_not_offered_home() -> None:
    for wish in (
        replace(WISH, table="t"),
        replace(WISH, create="t"),
        replace(WISH, seat_code="ab-cd"),
        replace(WISH, access=AccessOptions(tls=True)),
    ):
        assert [offer.is_home for offer in offers_for(wish, [], [DEN])] == [False]


def test_a_game_that_was_left_is_offered_with_its_round(tmp_path: Path) -> None:
    """To go on with it, or to give it up, each by its own number."""
    kept = KeptGame.of_user("solo")
    with kept.anew():
        kept.begin(Note(began=0.0, name="Ann", round=3, rounds=13))
    on, new, _ = offers_for(WISH, [], [])
    assert re.fullmatch(r"here, against bots: the game of [\d: -]+, round 3 of 13", on.words)
    assert (on.wish.resume, new.wish.resume) == (True, False)
    assert "given up" in new.words


def test_what_is_not_in_the_list_is_told() -> None:
    assert told([], []) == ["No servers were found on this network."]
    assert told([seat("x:1", answers=False)], [DEN]) == [
        "No answer where you held a seat: x:1 (Bea).",
    ]
    assert told([seat("x:1")], []) == []


async def test_seats_are_the_tokens_that_are_held() -> None:
    """Whatever came by TLS, or from a server with a kept fingerprint, goes by TLS again."""
    tokens = FileTokens.of_user()
    await tokens.save("a:1", "Ann", b"t" * 32)
    await tokens.save("b:2", "Ann", b"t" * 32, tls=True)
    await tokens.save("c:3", "Bea", b"t" * 32)
    await tokens.save("d", "no port", b"t" * 32)
    await tokens.save("e:x", "no address", b"t" * 32)
    FilePins.of_user().save("c:3", "0" * 64)
    tokens.path("f:6", "broken").write_text("{")
    held = {(str(each.address), each.held.name) for each in held_seats()}
    assert held == {
        ("a:1", "Ann"),
        ("tls://b:2", "Ann"),
        ("tls://c:3", "Bea"),
        ("d:12012", "no port"),
    }


async def test_who_answers_is_found_out_at_once(nursery: trio.Nursery) -> None:
    """A server where a seat is held is not offered a second time."""
    listeners = await nursery.start(partial(trio.serve_tcp, hang_up, 0, host="127.0.0.1"))
    port = listeners[0].socket.getsockname()[1]
    with trio.socket.socket() as taken:
        await taken.bind(("127.0.0.1", 0))
        closed = taken.getsockname()[1]
        held = [seat(f"127.0.0.1:{port}"), seat(f"127.0.0.1:{closed}")]
        held = [replace(each, answers=False) for each in held]

        async def find() -> list[FoundServer]:
            await trio.lowlevel.checkpoint()
            return [FoundServer("again", Address("127.0.0.1", port)), DEN]

        seats, servers = await look_around(held, find)
    assert [each.answers for each in seats] == [True, False]
    assert servers == [DEN]
    assert await look_around([], no_servers) == ([], [])
