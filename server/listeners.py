"""Listening sockets, and the addresses under which others find this machine."""

import errno
import ipaddress
import socket
from collections.abc import Iterable, Iterator
from typing import Final

import trio

BACKLOG: Final = 1024


class ListenError(Exception):
    """Nobody can listen at the address; the text says which and why."""


def open_listeners(host: str | None, port: int) -> Iterator[socket.socket]:
    """Listening sockets: one for every interface (host None), or one an address of the host.

    Raises:
        ListenError: the port is taken, or the host is none of this machine's.
    """
    try:
        if host is None:
            yield _listener(_any_family(), "", port)
            return
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        free = port
        for family, address in dict.fromkeys((each[0], str(each[4][0])) for each in found):
            listener = _listener(family, address, free)
            free = listener.getsockname()[1]
            yield listener
    except OSError as error:
        where = f"port {port}" if host is None else f"{host}:{port}"
        reason = {
            errno.EADDRINUSE: "another program listens there",
            errno.EACCES: "this user may not listen there",
            errno.EADDRNOTAVAIL: "this machine has no such address",
        }.get(error.errno or 0, error.strerror or "it cannot be had")
        raise ListenError(f"cannot listen on {where}: {reason}") from error


def _any_family() -> int:
    return socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET


def _listener(family: int, host: str, port: int) -> socket.socket:
    listener = socket.create_server(
        (host, port),
        family=family,
        backlog=BACKLOG,
        dualstack_ipv6=family == socket.AF_INET6 and not host,
    )
    listener.setblocking(False)
    return listener


def tune(sock: socket.socket) -> None:
    """No delay for small frames; keep-alive as a backstop to the heartbeat."""
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    except OSError:
        return  # it has gone already; the session will notice


def close_all(listeners: Iterable[socket.socket]) -> None:
    """Close what is still open, and wake who waits for it."""
    for listener in listeners:
        if listener.fileno() >= 0:
            trio.lowlevel.notify_closing(listener)
            listener.close()


def name_of(listener: socket.socket) -> tuple[str, int]:
    """Host and port of a listening socket."""
    host, port = listener.getsockname()[:2]
    return str(host), int(port)


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own."""
    plain = address.removeprefix("::ffff:")
    return plain == "::1" or plain.startswith("127.")


def is_every_interface(host: str) -> bool:
    """Whether this address to listen at stands for all of its family."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def origin_of(address: str) -> str:
    """Where a peer is from, as far as it cannot choose: of IPv6 the network, the first 64 bits."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found, 64), strict=False))


def network_addresses() -> list[str]:
    """The addresses of this machine that others may reach, most likely first; none offline."""
    found: dict[str, None] = {}
    # nothing is sent: connecting a datagram socket only asks which interface would be used
    for family, elsewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((elsewhere, 9))
                found[str(probe.getsockname()[0])] = None
        except OSError:
            continue
    try:
        own = socket.getaddrinfo(socket.gethostname(), None, type=socket.SOCK_STREAM)
    except OSError:
        own = []
    found |= dict.fromkeys(str(each[4][0]) for each in own)
    return [
        address for address in found if not is_loopback(address) and not address.startswith("fe80:")
    ]
