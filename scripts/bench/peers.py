"""What the server is measured against: a bare trio echo, and a bare epoll broadcast.

Both do the least that a server of their kind can: no game, no state, no limits. Run as
`peers.py echo|broadcast --ready-file=PATH`; they end when standard input closes.
"""

import argparse
import contextlib
import json
import os
import select
import socket
import struct
import sys
from pathlib import Path

import msgpack  # type: ignore[import-untyped]  # it ships no types
import trio

CHUNK_BYTES = 65536
LENGTH = struct.Struct(">I")
REQUEST = struct.Struct(">III")


def announce(port: int, path: Path) -> None:
    """Write the ready file, whole or not at all."""
    unfinished = path.with_suffix(".new")
    unfinished.write_text(json.dumps({"port": port}))
    unfinished.replace(path)


# --- echo ---------------------------------------------------------------------------------


async def answer(stream: trio.SocketStream) -> None:
    """Unpack each framed request and send it back, packed and framed."""
    pack = msgpack.Packer(autoreset=True).pack
    buffer = bytearray()
    with contextlib.suppress(trio.BrokenResourceError):
        while received := await stream.receive_some(CHUNK_BYTES):
            buffer += received
            while len(buffer) >= 4:
                end = 4 + LENGTH.unpack_from(buffer)[0]
                if len(buffer) < end:
                    break
                payload = pack(msgpack.unpackb(bytes(buffer[4:end])))
                del buffer[:end]
                await stream.send_all(LENGTH.pack(len(payload)) + payload)


async def echo(ready_file: Path) -> None:
    """Serve echoes until standard input closes."""

    async def wait_for_end() -> None:
        await trio.to_thread.run_sync(os.read, sys.stdin.fileno(), 1, abandon_on_cancel=True)
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait_for_end)
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        announce(listeners[0].socket.getsockname()[1], ready_file)
        await trio.serve_listeners(answer, listeners)


# --- broadcast ----------------------------------------------------------------------------


class Broadcast:
    """Sends to all four of a group what a member asks for.

    A frame's payload is (group number, bytes wanted), two 32-bit integers. The first one of a
    connection only tells its group.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self._poller = select.epoll()
        self._members: dict[int, socket.socket] = {}
        self._groups: dict[int, list[socket.socket]] = {}
        self._known: set[int] = set()

    def run(self, ready_file: Path) -> None:
        """Serve until standard input closes."""
        stdin = sys.stdin.fileno()
        self._poller.register(self._listener, select.EPOLLIN)
        self._poller.register(stdin, select.EPOLLIN)
        announce(self._listener.getsockname()[1], ready_file)
        while True:
            for fd, _ in self._poller.poll():
                if fd == stdin:
                    return
                if fd == self._listener.fileno():
                    self._accept()
                else:
                    self._serve(fd)

    def _accept(self) -> None:
        sock, _ = self._listener.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._members[sock.fileno()] = sock
        self._poller.register(sock, select.EPOLLIN)

    def _serve(self, fd: int) -> None:
        received = self._members[fd].recv(CHUNK_BYTES)
        if not received:
            # the run is over; the socket stays open so that its group's sends do not fail
            self._poller.unregister(fd)
            return
        for at in range(0, len(received), REQUEST.size):
            _, group, wanted = REQUEST.unpack_from(received, at)
            if fd not in self._known:
                self._known.add(fd)
                self._groups.setdefault(group, []).append(self._members[fd])
                continue
            framed = LENGTH.pack(wanted) + bytes(wanted)
            for member in self._groups[group]:
                member.send(framed)


def main() -> None:
    """Run one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=["echo", "broadcast"])
    parser.add_argument("--ready-file", type=Path, required=True)
    asked = parser.parse_args()
    if asked.which == "echo":
        trio.run(echo, asked.ready_file)
    else:
        with contextlib.suppress(ConnectionError):  # the load has gone
            Broadcast().run(asked.ready_file)


if __name__ == "__main__":
    main()
