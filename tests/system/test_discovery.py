"""Real multicast on the loopback interface: what a server announces a client finds."""

import socket

import pytest
import trio
from mexican_train.client.address import Address
from mexican_train.client.discovery import FoundServer, find_servers
from mexican_train.protocol import Announcement
from mexican_train.server.discovery import Service, ZeroconfResponder

# on one process, so that nobody finds what the others announce
pytestmark = [pytest.mark.system, pytest.mark.xdist_group("network")]

LOOPBACK = "127.0.0.1"
GROUP = "224.0.0.251"
LOOK_SECONDS = 0.5
LOOKS_MAX = 20
"""On a busy machine an answer may come late."""


def _try_multicast() -> None:
    """Send one datagram to a group on loopback, and get it. Raises `OSError` if it does not come.

    As the library does it, the port of multicast DNS is shared.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ours.bind(("", 0))
        member = socket.inet_aton(GROUP) + socket.inet_aton(LOOPBACK)
        ours.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        ours.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(LOOPBACK))
        ours.settimeout(5)
        ours.sendto(b"here", (GROUP, ours.getsockname()[1]))
        ours.recv(16)


@pytest.fixture
def responder() -> ZeroconfResponder:
    """Give one for loopback alone, where multicast works at all."""
    try:
        _try_multicast()
    except OSError as error:
        pytest.skip(f"no multicast on loopback: {error}")
    return ZeroconfResponder([LOOPBACK])


@pytest.fixture
def port() -> int:
    """Give a port that no other server here is announced with."""
    with socket.create_server((LOOPBACK, 0)) as free:
        found: int = free.getsockname()[1]
    return found


async def _found(port: int, *, looks: int) -> list[FoundServer]:
    for _ in range(looks):
        everybody = await find_servers(LOOK_SECONDS, interfaces=[LOOPBACK])
        found = [server for server in everybody if server.address.port == port]
        if found:
            return found
    return []


async def test_a_server_is_found_until_it_says_goodbye(
    responder: ZeroconfResponder, port: int
) -> None:
    """With its name, its address, and what it wants of whoever comes in."""
    announcement = Announcement("Ann's game. \u00c5\u202e", tls=True, password=True)
    service = Service(announcement, port, (LOOPBACK, "fd00::2"))
    await trio.to_thread.run_sync(responder.announce, service)
    there = Address(LOOPBACK, port, tls=True)
    try:
        found = await _found(port, looks=LOOKS_MAX)
        assert found == [FoundServer("Ann's game. \u00c5", there, password=True)]
    finally:
        await trio.to_thread.run_sync(responder.withdraw)
    assert await _found(port, looks=1) == []
