"""Announces the server on the local network by zeroconf (DNS-SD over multicast DNS).

The rule: whatever goes wrong here is one line in the log and harms nobody. zeroconf is loaded
when there is something to announce, works in threads, and never holds up the loop.
"""

import logging
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

import trio
from mexican_train.protocol import SERVICE_TYPE, Announcement

from . import logs
from .listeners import is_loopback, network_addresses

RECHECK_SECONDS: Final = 60.0
"""How soon a network that came later, or another address, is noticed."""
WITHDRAW_SECONDS: Final = 2.0
"""For the goodbye: a server that stops does not wait for the network."""
INSTANCE_BYTES_MAX: Final = 63
"""Of one label in the DNS."""


@dataclass(frozen=True, slots=True)
class Service:
    """A server as it is announced: what it tells, and where it is."""

    announcement: Announcement
    port: int
    addresses: tuple[str, ...]


class Responder(Protocol):
    """Answers for a service on the network. Its methods block; they are called in threads."""

    def announce(self, service: Service) -> None:
        """Announce `service` in place of what was announced before. Raises what goes wrong."""

    def withdraw(self) -> None:
        """Say goodbye, if anything is announced, and close. Raises what goes wrong."""


class ZeroconfResponder:
    """Announces by the library zeroconf.

    `interfaces`: the addresses of those to use; None: every one that there is.
    """

    def __init__(self, interfaces: list[str] | None = None) -> None:
        self._interfaces = interfaces
        self._withdraw: Callable[[], None] | None = None

    def announce(self, service: Service) -> None:
        """As `Responder.announce`; an instance name that is taken gets a number."""
        from zeroconf import (  # noqa: PLC0415 - not for a server that announces nothing
            InterfaceChoice,
            IPVersion,
            ServiceInfo,
            Zeroconf,
        )

        # it warns of each address that it cannot use, on standard error
        logging.getLogger("zeroconf").setLevel(logging.CRITICAL + 1)
        self.withdraw()
        here = Zeroconf(self._interfaces or InterfaceChoice.All, ip_version=IPVersion.V4Only)
        self._withdraw = here.close
        info = ServiceInfo(
            SERVICE_TYPE,
            f"{instance_name(service)}.{SERVICE_TYPE}",
            port=service.port,
            parsed_addresses=[*service.addresses],
            properties=service.announcement.to_txt(),
            server=f"{host_label(socket.gethostname())}-{service.port}.local.",
        )
        here.register_service(info, allow_name_change=True)

    def withdraw(self) -> None:
        """As `Responder.withdraw`."""
        withdraw, self._withdraw = self._withdraw, None
        if withdraw is not None:
            withdraw()


def instance_name(service: Service) -> str:
    """What the service is called among others of its type: the name and the port."""
    mark = f" ({service.port})"
    name = "".join(char for char in service.announcement.name if char.isprintable()).strip()
    room = INSTANCE_BYTES_MAX - len(mark)
    return name.encode()[:room].decode("utf-8", "ignore").rstrip(". ") + mark


def host_label(name: str) -> str:
    """The first label of a host's name, as the DNS allows it."""
    kept = "".join(char for char in name.partition(".")[0] if char.isascii() and char.isalnum())
    return kept[:40] or "mexican-train"


def machine_name() -> str:
    """What this machine is called, for people."""
    return socket.gethostname().partition(".")[0] or "mt-server"


def service_of(
    announcement: Announcement, addresses: list[tuple[str, int]], *, is_everywhere: bool
) -> Service:
    """The service of a server that listens at these; on loopback alone without any address.

    `is_everywhere`: it listens on every interface. This may ask the DNS, and so block.
    """
    hosts = network_addresses() if is_everywhere else [host for host, _ in addresses]
    outward = tuple(dict.fromkeys(host for host in hosts if not is_loopback(host)))
    return Service(announcement, addresses[0][1], outward)


async def keep_announced(
    service: Callable[[], Service],
    until: Callable[[], Awaitable[object]],
    *,
    log: logs.Log,
    responder: Responder,
) -> None:
    """Announce what `service` gives until `until` returns, then say goodbye.

    A service without an address is not announced; it is looked at again once a minute. `service`
    is called in a thread.
    """
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_announce, service, log, responder)
        await until()
        nursery.cancel_scope.cancel()
    with trio.move_on_after(WITHDRAW_SECONDS, shield=True):
        await _tried(responder.withdraw)


async def _announce(service: Callable[[], Service], log: logs.Log, responder: Responder) -> None:
    announced: Service | None = None
    told = ""
    while True:
        try:
            found = await trio.to_thread.run_sync(service, abandon_on_cancel=True)
        except OSError:
            found = None
        fault = "" if found and found.addresses else "this machine has no network"
        if found is not None and found != announced and not fault:
            fault = await _tried(partial(responder.announce, found))
            announced = None if fault else found
            if announced is not None:
                name = found.announcement.name
                log.info("announced on the local network", server=name, port=found.port)
        if fault and fault != told:
            log.warning("not announced on the local network", reason=fault)
        told = fault
        await trio.sleep(RECHECK_SECONDS)


async def _tried(work: Callable[[], None]) -> str:
    """Do it in a thread; what went wrong, or nothing."""
    try:
        await trio.to_thread.run_sync(work, abandon_on_cancel=True)
    except OSError as error:
        return error.strerror or type(error).__name__
    except Exception as error:  # noqa: BLE001 - a library's faults with a network are its own
        return type(error).__name__
    return ""
