"""A wire under TLS: another wire's bytes, encrypted, by the standard library's `ssl` in memory.

Every write waits its turn (`send_now` takes nothing), since reading may have to write as well. A
close is told by `close_notify`, and what comes after it is counted and thrown away unread.
"""

import contextlib
import ssl
from typing import Final

import trio

from .hub import CHUNK_BYTES
from .wires import Take, Wire, WireClosedError, deliver_by_waiting

HANDSHAKE: Final = 0x16
"""The first byte of everybody who speaks TLS. Frames of a hello begin with 0."""


class NoTlsError(Exception):
    """The peer does not speak TLS; nothing has been sent to it."""


class TlsWire:
    """The server's end of TLS over `inner`, which it owns from now on. `shake_hands` comes first.

    `receive` and the sending calls may be awaited side by side, by one task each.
    """

    def __init__(self, inner: Wire, context: ssl.SSLContext) -> None:
        self._inner: Final = inner
        self._incoming: Final = ssl.MemoryBIO()
        self._outgoing: Final = ssl.MemoryBIO()
        self._tls: Final = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._turn: Final = trio.Lock()
        self._is_parting = False
        self._is_torn = False

    async def shake_hands(self) -> None:
        """Agree on keys; without a deadline of its own.

        Raises:
            NoTlsError: the first byte is none of TLS.
            WireClosedError: the peer has gone, or means something else by TLS; it is told.
        """
        first = await self._inner.receive()
        if not first:
            raise WireClosedError
        if first[0] != HANDSHAKE:
            raise NoTlsError
        self._incoming.write(first)
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._flush()
                await self._pull()
            except ssl.SSLError as error:
                await self._flush()
                raise WireClosedError from error
            else:
                await self._flush()
                return

    async def deliver(self, take: Take) -> None:
        """Give on whatever comes."""
        await deliver_by_waiting(self, take)

    async def receive(self) -> bytes:
        """The next bytes; empty at the end, which the peer has to tell."""
        while not self._is_parting:
            try:
                return self._tls.read(CHUNK_BYTES)
            except ssl.SSLWantReadError:
                # whoever is sending sends what is to be said here too; doing it for others,
                # a reader that is cancelled would tear what is theirs
                if not self._turn.locked():
                    await self._flush()
                await self._pull()
            except ssl.SSLError as error:
                raise WireClosedError from error
        return await self._inner.receive()

    def send_now(self, sending: bytes) -> int:
        """Nothing: what is encrypted goes out in turn."""
        del sending
        return 0

    async def send_all(self, sending: bytes) -> None:
        """Send everything."""
        try:
            self._tls.write(sending)
        except ssl.SSLError as error:
            raise WireClosedError from error
        await self._flush()

    async def send_eof(self) -> None:
        """Tell the other end that nothing more comes, and stop decrypting."""
        self._is_parting = True
        # it would wait for the peer's, or has found unread bytes: ours is written in either case
        with contextlib.suppress(ssl.SSLError):
            self._tls.unwrap()
        await self._flush()
        await self._inner.send_eof()

    async def aclose(self) -> None:
        """Close at once and hard."""
        await self._inner.aclose()

    async def _flush(self) -> None:
        """Send what TLS has written, in its order: one sender at a time.

        Cancelled halfway it leaves a part of a record, and nothing can follow that.
        """
        async with self._turn:
            if self._is_torn:
                raise WireClosedError
            while self._outgoing.pending:
                self._is_torn = True
                await self._inner.send_all(self._outgoing.read())
                self._is_torn = False

    async def _pull(self) -> None:
        """Give TLS what comes next."""
        received = await self._inner.receive()
        if received:
            self._incoming.write(received)
        else:
            self._incoming.write_eof()
