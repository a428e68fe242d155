"""What `mt-client` alone offers: seats that this user holds, servers nearby, a game here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import click
import trio

from .address import Address
from .asking import choose, when_words
from .discovery import FindServers, FoundServer, find_servers, server_words
from .home import words_of
from .kept import KeptGame
from .pins import FilePins
from .stopping import until_stopped
from .texts import text
from .tokens import FileTokens, HeldSeat
from .wish import OpenOptions, Wish

SEATS_MAX = 9
"""Held seats that are looked after, the latest: servers come and go."""
PROBE_SECONDS = 1.5
"""For a server to answer: on a network where one plays it takes a tenth."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat that a token is held for, at a server that answers or does not."""

    held: HeldSeat
    address: Address
    answers: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """A line of the list, and what is wished for by choosing it."""

    words: str
    wish: Wish
    is_home: bool = False


def offered(wish: Wish) -> Offer | None:
    """What the person at the terminal chooses; None if they want to stop.

    A signal meanwhile ends the program as click's `Exit`.
    """
    seats: list[Seat] = []
    servers: list[FoundServer] = []

    async def look() -> int:
        seats[:], servers[:] = await look_around(held_seats())
        return 0

    click.echo(text("Looking for servers on this network…"))
    code = trio.run(until_stopped, look)
    if code:
        raise click.exceptions.Exit(code)
    for sentence in told(seats, servers):
        click.echo(sentence)
    offers = offers_for(wish, seats, servers)
    if not offers:
        return None
    chosen = choose([offer.words for offer in offers])
    return offers[chosen - 1] if chosen is not None else None


def held_seats() -> list[Seat]:
    """The seats that this user holds tokens for, the latest first."""
    pins = FilePins.of_user()
    seats = []
    for held in FileTokens.of_user().seats():
        try:
            address = Address.parse(held.address)
        except ValueError:
            continue
        # a token that came by TLS goes no other way
        tls = held.tls or pins.load(address.place) is not None
        seats.append(Seat(held, replace(address, tls=tls)))
    return seats[:SEATS_MAX]


async def look_around(
    held: Sequence[Seat], find: FindServers = find_servers
) -> tuple[list[Seat], list[FoundServer]]:
    """At once: which of the seats' servers answer, and which servers there are nearby.

    Servers where a seat is held are not among those.
    """
    answering: set[str] = set()
    found: list[FoundServer] = []

    async def probe(seat: Seat) -> None:
        with trio.move_on_after(PROBE_SECONDS):
            try:
                stream = await trio.open_tcp_stream(seat.address.host, seat.address.port)
            except OSError:
                return
            answering.add(seat.address.place)
            await trio.aclose_forcefully(stream)

    async def find_them() -> None:
        found.extend(await find())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(find_them)
        for seat in held:
            nursery.start_soon(probe, seat)
    seats = [replace(seat, answers=seat.address.place in answering) for seat in held]
    here = {seat.address.place for seat in seats if seat.answers}
    return seats, [server for server in found if server.address.place not in here]


def told(seats: Sequence[Seat], servers: Sequence[FoundServer]) -> list[str]:
    """What is to be said before the list: what is not in it."""
    sentences = []
    silent = [f"{seat.address} ({seat.held.name})" for seat in seats if not seat.answers]
    if silent:
        places = ", ".join(silent)
        sentences.append(text("No answer where you held a seat: {places}.", places=places))
    if not servers and not any(seat.answers for seat in seats):
        sentences.append(text("No servers were found on this network."))
    return sentences


def offers_for(wish: Wish, seats: Sequence[Seat], servers: Sequence[FoundServer]) -> list[Offer]:
    """The list: held seats that can be taken again, servers nearby, games at home."""
    offers = [_seat_offer(wish, seat) for seat in seats if seat.answers]
    offers += [_server_offer(wish, server) for server in servers]
    is_for_a_server = wish.table or wish.create or wish.seat_code or wish.access.tls
    return offers if is_for_a_server else [*offers, *_home_offers(wish)]


def _seat_offer(wish: Wish, seat: Seat) -> Offer:
    words = text(
        "your place at {address} as {name}, last taken {when}",
        address=seat.address,
        name=seat.held.name,
        when=when_words(seat.held.since),
    )
    return Offer(words, replace(wish, server=str(seat.address), name=seat.held.name))


def _server_offer(wish: Wish, server: FoundServer) -> Offer:
    words = text("{name} at {address}", name=server.name, address=server.address)
    return Offer(words + server_words(server), replace(wish, server=str(server.address)))


def _home_offers(wish: Wish) -> list[Offer]:
    return [
        *(Offer(words, alone, is_home=True) for words, alone in _alone(wish)),
        Offer(_opened_words(), replace(wish, opened=OpenOptions()), is_home=True),
    ]


def _alone(wish: Wish) -> list[tuple[str, Wish]]:
    left = KeptGame.of_user("solo").unfinished()
    if left is None or not left.is_begun:
        return [(text("a game here against bots"), wish)]
    return [
        (text("here, against bots: {what}", what=words_of(left)), replace(wish, resume=True)),
        (text("a new game here against bots; that one is given up"), replace(wish, resume=False)),
    ]


def _opened_words() -> str:
    left = KeptGame.of_user("lan").unfinished()
    if left is None or not left.is_begun:
        return text("a game here that others on this network may join")
    return text("here, open to others: {what}, or a new one", what=words_of(left))
