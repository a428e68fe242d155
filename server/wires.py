"""Wires: the bytes of one connection, over a socket or over any trio stream.

One task reads, one writes. `send_now` gives what can be sent without waiting, which for a socket
is nearly always all: two system calls fewer than waiting first, and no task to wake.
"""

import socket
from typing import Final, Protocol

import trio
from trio.lowlevel import notify_closing, wait_readable, wait_writable

CHUNK_BYTES: Final = 16 * 1024


class WireClosedError(Exception):
    """The other end has gone, or this one was closed."""


class Wire(Protocol):
    """A connection's bytes."""

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
    """A connected stream socket, which it makes non-blocking and owns from now on."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._socket = sock

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
            notify_closing(self._socket)
            self._socket.close()
        await trio.lowlevel.checkpoint()


class StreamWire:
    """Any trio stream: memory, TLS."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self._stream = stream

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
