"""Wires: the bytes of one connection, over a socket or over any trio stream.

`deliver` hands on what comes, for a socket through the hub. `send_now` gives what can be sent
without waiting, which for a socket is nearly always all: two system calls fewer than waiting
first, and no task to wake.
"""

import socket
from collections.abc import Callable
from typing import Protocol

import trio
from trio.lowlevel import notify_closing, wait_readable, wait_writable

from .hub import CHUNK_BYTES, Hub, HubClosedError

Take = Callable[[bytes], bool]
"""Takes what has come, nothing at the end; says whether more is wanted."""


class WireClosedError(Exception):
    """The other end has gone, or this one was closed."""


class Wire(Protocol):
    """A connection's bytes."""

    async def deliver(self, take: Take) -> None:
        """Give `take` whatever comes, nothing at the end, until it says no or this is cancelled.

        Raises what it raises, and `WireClosedError`.
        """
        ...

    async def receive(self) -> bytes:
        """The next bytes; empty at the end. Raises `WireClosedError`."""
        ...

    def send_now(self, sending: bytes) -> int:
        """Send without waiting; how many bytes went out. Raises `WireClosedError`."""
        ...

    async def send_all(self, sending: bytes) -> None:
        """Send everything. Raises `WireClosedError`; cancelled, it leaves a part unsent."""
        ...

    async def send_eof(self) -> None:
        """Tell the other end that nothing more comes. Raises `WireClosedError`."""
        ...

    async def aclose(self) -> None:
        """Close at once and hard, whatever is under way."""
        ...


class SocketWire:
    """A connected stream socket, which it makes non-blocking and owns from now on.

    Without a hub it waits for itself.
    """

    def __init__(self, sock: socket.socket, hub: Hub | None = None) -> None:
        sock.setblocking(False)
        self._socket = sock
        self._hub = hub

    async def deliver(self, take: Take) -> None:
        """Give on whatever comes."""
        if self._hub is None:
            await deliver_by_waiting(self, take)
            return
        try:
            await self._hub.read(self._socket, take)
        except (OSError, HubClosedError) as error:
            raise WireClosedError from error

    async def receive(self) -> bytes:
        """The next bytes; empty at the end."""
        while True:
            try:
                await wait_readable(self._socket)
                return self._socket.recv(CHUNK_BYTES)
            except BlockingIOError:
                continue
            except (OSError, trio.ClosedResourceError) as error:
                raise WireClosedError from error

    def send_now(self, sending: bytes) -> int:
        """Send as much as the kernel takes."""
        try:
            return self._socket.send(sending)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise WireClosedError from error

    async def send_all(self, sending: bytes) -> None:
        """Send everything."""
        left = memoryview(sending)
        while left:
            try:
                await wait_writable(self._socket)
                left = left[self._socket.send(left) :]
            except BlockingIOError:
                continue
            except (OSError, trio.ClosedResourceError) as error:
                raise WireClosedError from error

    async def send_eof(self) -> None:
        """Shut the sending side down."""
        await trio.lowlevel.checkpoint()
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise WireClosedError from error

    async def aclose(self) -> None:
        """Close the socket and wake whoever waits for it."""
        if self._socket.fileno() >= 0:
            if self._hub is not None:
                self._hub.forget(self._socket)
            notify_closing(self._socket)
            self._socket.close()
        await trio.lowlevel.checkpoint()


class StreamWire:
    """Any trio stream: memory, TLS."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream

    async def deliver(self, take: Take) -> None:
        """Give on whatever comes."""
        await deliver_by_waiting(self, take)

    async def receive(self) -> bytes:
        """The next bytes; empty at the end."""
        try:
            return bytes(await self._stream.receive_some(CHUNK_BYTES))
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise WireClosedError from error

    def send_now(self, sending: bytes) -> int:
        """Nothing: a stream can only be waited for."""
        del sending
        return 0

    async def send_all(self, sending: bytes) -> None:
        """Send everything."""
        try:
            await self._stream.send_all(sending)
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise WireClosedError from error

    async def send_eof(self) -> None:
        """Tell the other end, where the stream can."""
        if isinstance(self._stream, trio.abc.HalfCloseableStream):
            try:
                await self._stream.send_eof()
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                raise WireClosedError from error

    async def aclose(self) -> None:
        """Close without waiting for anything."""
        await trio.aclose_forcefully(self._stream)


async def deliver_by_waiting(wire: Wire, take: Take) -> None:
    """`Wire.deliver` of a wire that waits for itself alone."""
    while take(await wire.receive()):
        pass
