"""Finds servers on the local network by zeroconf (DNS-SD over multicast DNS).

Anybody there may answer anything: what comes is bounded, cleaned before it is shown, and believed
by nobody. zeroconf is loaded when somebody looks, and works in threads.
"""

import ipaddress
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio
from mexican_train.protocol import SERVICE_TYPE, Announcement

from .address import Address
from .clean import clean
from .texts import plural, text

if TYPE_CHECKING:
    from zeroconf import Zeroconf

LOOK_SECONDS = 2.0
"""Long enough for an answer that a busy network lost once."""
FOUND_MAX = 50
ASKED_MAX = 200
"""Names of services that are looked at: more are somebody's joke."""
ADDRESSES_MAX = 8
ASK_SECONDS = 0.2
PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that says it is on the local network.

    Attributes:
        name: fit for a terminal.
        address: where to try it, by TLS if it says that it wants this.
        password: it says that it wants a password.
        is_spoken: it says that it speaks a version of the protocol that this client speaks.
    """

    name: str
    address: Address
    password: bool = False
    is_spoken: bool = True


FindServers = Callable[[], Awaitable[Sequence[FoundServer]]]
"""As `find_servers`, with everything decided."""


def found_server(
    txt: Mapping[bytes, bytes | None], hosts: Sequence[str], port: int | None
) -> FoundServer | None:
    """What an answer tells, if it leads anywhere. IPv4 goes before IPv6."""
    usable = sorted(filter(None, map(_usable, hosts[:ADDRESSES_MAX])))
    if not usable or not port:
        return None
    told = Announcement.from_txt(txt)
    address = Address(usable[0][1], port, told.tls)
    name = clean(told.name).strip() or address.host
    return FoundServer(name, address, told.password, told.is_spoken_here)


def _usable(host: str) -> tuple[bool, str] | None:
    """Whether it is IPv6, and the address in its one spelling; None: no use to anybody."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    if address.is_multicast or address.is_unspecified or address.is_reserved:
        return None
    if address.version == 6 and address.is_link_local:
        return None  # it leads nowhere without the name of an interface
    return address.version == 6, str(address)


def in_order(found: Iterable[FoundServer]) -> list[FoundServer]:
    """Each address once, by name, at most `FOUND_MAX`."""
    by_address = {server.address.place: server for server in found}
    return sorted(by_address.values(), key=_rank)[:FOUND_MAX]


def _rank(server: FoundServer) -> tuple[str, str]:
    return server.name.casefold(), server.address.place


async def find_servers(
    seconds: float = LOOK_SECONDS, *, interfaces: Sequence[str] | None = None
) -> list[FoundServer]:
    """The servers that answer within `seconds`; none where the network cannot be asked.

    `interfaces`: the addresses of those to look at; None: every one that there is.
    """
    try:
        return await trio.to_thread.run_sync(_look, seconds, interfaces, abandon_on_cancel=True)
    except Exception:  # noqa: BLE001 - a library's faults with a network: then nobody is found
        return []


def _look(seconds: float, interfaces: Sequence[str] | None) -> list[FoundServer]:
    from zeroconf import (  # noqa: PLC0415 - not for who names a server
        InterfaceChoice,
        IPVersion,
        ServiceBrowser,
        ServiceStateChange,
        Zeroconf,
    )

    # it warns of each address that it cannot use, on standard error
    logging.getLogger("zeroconf").setLevel(logging.CRITICAL + 1)
    names: set[str] = set()

    def note(*, name: str, state_change: ServiceStateChange, **_: object) -> None:
        if state_change is ServiceStateChange.Removed:
            names.discard(name)
        elif len(names) < ASKED_MAX:
            names.add(name)

    here = Zeroconf(list(interfaces or ()) or InterfaceChoice.All, ip_version=IPVersion.V4Only)
    try:
        browser = ServiceBrowser(here, SERVICE_TYPE, handlers=[note])
        found = _resolved(here, names, time.monotonic() + seconds)
        browser.cancel()
    finally:
        here.close()
    return in_order(found)


def _resolved(here: "Zeroconf", names: set[str], end: float) -> list[FoundServer]:
    """Until `end`, where the services are whose names come in; each is asked for once."""
    found: dict[str, FoundServer] = {}
    asked: set[str] = set()
    while (left := end - time.monotonic()) > 0:
        told = names.copy()  # a thread of the library adds to it
        for name in told - found.keys():
            if (server := _resolve(here, name)) is not None:
                found[name] = server
        silent = sorted(told - found.keys() - asked)[:1]
        asked.update(silent)
        if silent:
            _resolve(here, silent[0], min(ASK_SECONDS, left))
        else:
            time.sleep(min(PAUSE_SECONDS, left))
    return [server for name, server in found.items() if name in names]


def _resolve(here: "Zeroconf", name: str, seconds: float = 0) -> FoundServer | None:
    """The service of this name, as far as is known; with `seconds` it is asked for so long."""
    from zeroconf import Error, ServiceInfo  # noqa: PLC0415 - as above

    try:
        info = ServiceInfo(SERVICE_TYPE, name)
        is_known = info.request(here, 1000 * seconds) if seconds else info.load_from_cache(here)
        if is_known:
            return found_server(info.properties, info.parsed_addresses(), info.port)
    except (Error, ValueError):
        pass
    return None


# --- told to a person ---------------------------------------------------------------------


def join_line(server: FoundServer) -> str:
    """What to type to come to a server."""
    return f"mt-client {server.address}"


def server_words(server: FoundServer) -> str:
    """What is to be known of a server before one goes there, in a few words; often nothing."""
    notes = []
    if server.password:
        notes.append(text("wants a password"))
    if not server.is_spoken:
        notes.append(text("of another version"))
    return f" ({', '.join(notes)})" if notes else ""


def found_lines(found: Sequence[FoundServer]) -> list[str]:
    """The servers that were found, and how to come to one of them."""
    if not found:
        return [
            text("No servers were found on this network."),
            text("Whoever has one sees in its window what to type here: mt-client HOST."),
        ]
    lines = [
        plural(
            "{number} server was found on this network. To go there, type quit and then:",
            "{number} servers were found on this network. To go there, type quit and then:",
            len(found),
        )
    ]
    return lines + [
        f"  {join_line(server)}  {server.name}{server_words(server)}" for server in found
    ]
