"""Whom a client believes: certificates vouched for, kept, given, new and changed; real servers."""

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio
from mexican_train.client import (
    Address,
    FilePins,
    LinkNotice,
    MemoryTokens,
    UnreachableError,
    UntrustedError,
    hello_for,
    open_link,
    stream_opener,
)
from mexican_train.client import tls as client_tls
from mexican_train.protocol import Ping, Pong
from mexican_train.server import Config, Server
from mexican_train.server.certificates import Certificate, certificate_of, own_certificate

from tests.authority import Authority

from .peers import HERE, ScriptedServer


@pytest.fixture
def own(tmp_path: Path) -> Certificate:
    return own_certificate(tmp_path)


@pytest.fixture
def pins(tmp_path: Path) -> FilePins:
    return FilePins(tmp_path / "fingerprints.json")


@asynccontextmanager
async def serving(certificate: Certificate | None, port: int = 0) -> AsyncIterator[Address]:
    """Run a server on loopback; how a client finds it."""
    config = Config(host="127.0.0.1", port=port, log_level="error", tls=certificate)
    server = Server(config)
    async with trio.open_nursery() as nursery:
        await nursery.start(server.run)
        yield Address("127.0.0.1", server.addresses[0][1], tls=True)
        server.stop()


async def enter(address: Address, open_stream: Any) -> str:
    """Come in and go again; the server's name."""
    async with open_link(address, hello_for("Ann"), open_stream=open_stream) as link:
        assert isinstance(await link.ask(Ping(id=0)), Pong)
        return link.welcome.server


async def test_a_given_fingerprint_lets_in_and_is_kept(own: Certificate, pins: FilePins) -> None:
    async with serving(own) as address:
        await enter(address, stream_opener(own.fingerprint, pins=pins))
        assert pins.load(address.place) == own.fingerprint
        await enter(address, stream_opener(pins=pins))


async def test_a_given_fingerprint_is_the_only_one(own: Certificate, pins: FilePins) -> None:
    """Also where another one is kept, and nothing is kept that was not seen."""
    async with serving(own) as address:
        pins.save(address.place, own.fingerprint)
        with pytest.raises(UntrustedError, match=own.fingerprint) as failure:
            await enter(address, stream_opener("0" * 64, pins=pins))
        assert not failure.value.is_new
        assert pins.load(address.place) == own.fingerprint


async def test_a_new_certificate_is_told_and_nothing_else_happens(
    own: Certificate, pins: FilePins
) -> None:
    async with serving(own) as address:
        with pytest.raises(UntrustedError, match="self-signed certificate") as failure:
            await enter(address, stream_opener(pins=pins))
    assert failure.value.is_new
    assert failure.value.fingerprint == own.fingerprint
    assert f"--fingerprint {own.fingerprint} " in failure.value.text
    assert pins.load(address.place) is None


async def test_a_changed_certificate_is_refused(
    own: Certificate, pins: FilePins, tmp_path: Path
) -> None:
    """Until the new fingerprint is given, which then is the one that is kept."""
    newer = own_certificate(tmp_path / "newer")
    async with serving(newer) as address:
        pins.save(address.place, own.fingerprint)
        with pytest.raises(UntrustedError, match="made a new one, or somebody stands") as failure:
            await enter(address, stream_opener(pins=pins))
        assert not failure.value.is_new
        assert newer.fingerprint in failure.value.text
        await enter(address, stream_opener(newer.fingerprint, pins=pins))
        assert pins.load(address.place) == newer.fingerprint


async def test_a_certificate_that_changes_in_a_game_ends_the_link(
    own: Certificate, pins: FilePins, tmp_path: Path
) -> None:
    """Whoever comes back in the server's place is not tried again and again."""
    newer = own_certificate(tmp_path / "newer")
    async with serving(own) as first, serving(newer) as second:
        ways = [second, first]
        streams: list[trio.abc.Stream] = []

        async def open_plain(_address: Address) -> trio.abc.Stream:
            streams.append(await client_tls.open_tcp(ways.pop()))
            return streams[-1]

        pins.save(first.place, own.fingerprint)
        opener = stream_opener(pins=pins, open_plain=open_plain)
        async with open_link(first, hello_for("Ann"), open_stream=opener, rng=Random(1)) as link:
            await trio.aclose_forcefully(streams[0])
            lost = await link.receive()
            assert isinstance(lost, LinkNotice)
            with pytest.raises(UntrustedError):
                await link.receive()


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Authority]:
    """An authority that the system of the test trusts."""
    found = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(found.file))
    client_tls._vouched.cache_clear()
    yield found
    client_tls._vouched.cache_clear()


async def test_what_the_system_vouches_for_is_taken_and_not_kept(
    authority: Authority, pins: FilePins
) -> None:
    """It will be renewed; the name of the host has to be right."""
    async with serving(certificate_of(*authority.issue("localhost"))) as address:
        named = Address("localhost", address.port, tls=True)
        await enter(named, stream_opener(pins=pins))
        assert pins.load(named.place) is None
        with pytest.raises(UntrustedError, match="IP address mismatch"):
            await enter(address, stream_opener(pins=pins))


async def test_an_expired_certificate_is_told(authority: Authority) -> None:
    async with serving(certificate_of(*authority.issue("localhost", days=-1))) as address:
        with pytest.raises(UntrustedError, match="certificate has expired"):
            await enter(Address("localhost", address.port, tls=True), stream_opener())


async def test_a_server_without_tls_is_told(own: Certificate) -> None:
    """In one sentence, at once, and without trying it in the clear."""
    async with serving(None) as address:
        with pytest.raises(UnreachableError, match=r"does not speak TLS; without tls:// ") as it:
            await enter(address, stream_opener(own.fingerprint))
    assert it.value.code == "no_tls"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak TLS"),
        (b"", "hung up during the TLS handshake"),
        (b"\x15\x03\x03\x00\x02\x02\x28", "agrees to no TLS with us"),
    ],
)
async def test_something_else_answers_a_handshake(
    server: ScriptedServer, nursery: trio.Nursery, answer: bytes, says: str
) -> None:
    async def talk() -> None:
        peer = await server.accept()
        await peer.stream.receive_some()
        if answer:
            await peer.stream.send_all(answer)
        await peer.hang_up()

    nursery.start_soon(talk)
    with pytest.raises(UnreachableError, match=says):
        await enter(SECURE, stream_opener(open_plain=server.open_stream))


async def test_nobody_answers_a_handshake(server: ScriptedServer, autojump_clock: object) -> None:
    """It is given up like any connection."""
    with pytest.raises(UnreachableError, match="no answer"):
        await enter(SECURE, stream_opener(open_plain=server.open_stream))


SECURE = Address(HERE.host, HERE.port, tls=True)


@pytest.fixture
async def server() -> ScriptedServer:
    return ScriptedServer()


async def test_a_seat_is_the_same_with_tls_and_without(own: Certificate) -> None:
    """A server that takes to TLS knows its players by the tokens of before."""
    tokens = MemoryTokens()
    async with serving(own) as address:
        opener = stream_opener(own.fingerprint)
        async with open_link(address, hello_for("Ann"), open_stream=opener, tokens=tokens) as link:
            token = link.welcome.token
    assert await tokens.load(f"127.0.0.1:{address.port}", "Ann") == token


async def test_a_lost_stream_is_replaced_under_tls(own: Certificate) -> None:
    """With the token, and under the same name."""
    streams: list[trio.abc.Stream] = []

    async def open_plain(address: Address) -> trio.abc.Stream:
        streams.append(await client_tls.open_tcp(address))
        return streams[-1]

    opener = stream_opener(own.fingerprint, open_plain=open_plain)
    async with (
        serving(own) as address,
        open_link(address, hello_for("Ann"), open_stream=opener, rng=Random(1)) as link,
    ):
        await trio.aclose_forcefully(streams[0])
        kinds = []
        while "back" not in kinds:
            arrival = await link.receive()
            if isinstance(arrival, LinkNotice):
                kinds.append(arrival.kind)
        assert kinds == ["lost", "back"]
        assert isinstance(await link.ask(Ping(id=0)), Pong)
    assert len(streams) == 2


def test_the_contexts_take_no_old_tls() -> None:
    for context in (client_tls._vouched(), client_tls._unvouched()):
        assert context.minimum_version >= ssl.TLSVersion.TLSv1_2
