"""The hub: one wait for the sockets of all sessions, and whatever is there read in one go.

A task of its own that wakes up for each message is two thirds of what the message costs. Here one
task wakes up for a batch of sockets, and each session's part is a plain call. Nobody starves: one
read a socket and batch, in turn, and between two batches every other task has its go.
"""

import contextlib
import select
import socket
from collections.abc import Callable
from typing import Final

import trio

CHUNK_BYTES: Final = 16 * 1024
BATCH_SOCKETS: Final = 64
"""Read before anybody else has a go: under ten milliseconds, should every one of them move."""


class HubClosedError(Exception):
    """The socket that was being read, or the hub itself, has been closed at this end."""


class _Reader:
    """A socket that is being read, and the task that waits for the end of it."""

    __slots__ = ("error", "sock", "take", "task")

    def __init__(self, sock: socket.socket, take: Callable[[bytes], bool]) -> None:
        self.sock: Final = sock
        self.take: Final = take
        self.task: Final = trio.lowlevel.current_task()
        self.error: Exception | None = None


class Hub:
    """Reads sockets while `run` runs. There is none without `select.epoll`."""

    def __init__(self) -> None:
        self._epoll: Final = select.epoll()
        self._readers: Final[dict[int, _Reader]] = {}

    async def run(self) -> None:
        """Read whatever is readable, for ever."""
        while True:
            await trio.lowlevel.wait_readable(self._epoll.fileno())
            for descriptor, _ in self._epoll.poll(0, BATCH_SOCKETS):
                self._read(descriptor)

    def close(self) -> None:
        """End all reading, for good."""
        for reader in list(self._readers.values()):
            self.forget(reader.sock)
        self._epoll.close()

    async def read(self, sock: socket.socket, take: Callable[[bytes], bool]) -> None:
        """Call `take` with all that comes, and with nothing at the end, until it says no.

        `take` is called by the hub's task. Cancelled, nothing is taken any more, from that moment.

        Raises:
            OSError: the connection has failed.
            HubClosedError: see `forget` and `close`.
            Exception: what `take` has raised.
        """
        if self._epoll.closed:
            raise HubClosedError
        reader = _Reader(sock, take)
        descriptor = sock.fileno()
        self._epoll.register(descriptor, select.EPOLLIN)
        self._readers[descriptor] = reader

        def abort(_: object) -> trio.lowlevel.Abort:
            self._remove(descriptor)
            return trio.lowlevel.Abort.SUCCEEDED

        await trio.lowlevel.wait_task_rescheduled(abort)
        if reader.error is not None:
            try:
                raise reader.error
            finally:
                reader.error = None

    def forget(self, sock: socket.socket) -> None:
        """End the reading of a socket that is about to be closed, if it is being read."""
        if sock.fileno() in self._readers:
            self._end(sock.fileno(), HubClosedError())

    def _read(self, descriptor: int) -> None:
        """Read one socket once. Whatever goes wrong ends the reading of this one alone."""
        reader = self._readers.get(descriptor)
        if reader is None:
            return  # what came before in this batch has ended it
        error: Exception | None = None
        try:
            if reader.take(reader.sock.recv(CHUNK_BYTES)):
                return
        except BlockingIOError:
            return
        except Exception as failure:  # noqa: BLE001 - raised again in the task that reads
            error = failure
        if self._readers.get(descriptor) is reader:
            self._end(descriptor, error)

    def _end(self, descriptor: int, error: Exception | None) -> None:
        reader = self._remove(descriptor)
        reader.error = error
        trio.lowlevel.reschedule(reader.task)

    def _remove(self, descriptor: int) -> _Reader:
        with contextlib.suppress(OSError):  # closed by somebody else: the system knows it no more
            self._epoll.unregister(descriptor)
        return self._readers.pop(descriptor)


def open_hub() -> Hub | None:
    """A hub, where this system has what it needs; otherwise each session waits for itself."""
    return Hub() if hasattr(select, "epoll") else None
