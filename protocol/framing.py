"""Frames: an unsigned 32-bit big-endian length, then so many bytes of payload.

A frame is never looked at before its last byte is there, and a length past the limit is an
error as soon as its four bytes are. So a peer can make this side hold one frame at most.
"""

import struct
from collections.abc import Iterator

from .errors import LocalProtocolError, RemoteProtocolError

HELLO_FRAME_BYTES_MAX = 1024
CLIENT_FRAME_BYTES_MAX = 4096
SERVER_FRAME_BYTES_MAX = 65536

_LENGTH = struct.Struct(">I")
_LENGTH_BYTES = _LENGTH.size


def frame(payload: bytes, limit: int = SERVER_FRAME_BYTES_MAX) -> bytes:
    """The payload with its length in front.

    Raises:
        LocalProtocolError: the payload is longer than `limit` bytes.
    """
    if len(payload) > limit:
        raise LocalProtocolError(f"a frame of {len(payload)} bytes; the limit is {limit}")
    return _LENGTH.pack(len(payload)) + payload


class FrameDecoder:
    """Cuts a stream of bytes into payloads.

    `limit` is the longest payload in bytes and may be set anew between two frames, also while
    the payloads of one `feed` are being iterated: each frame is held to the limit of its moment.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._buffer = bytearray()

    @property
    def is_mid_frame(self) -> bool:
        """Whether bytes of an unfinished frame wait here (for a deadline a frame)."""
        return bool(self._buffer)

    def feed(self, received: bytes | bytearray) -> Iterator[bytes]:
        """Take bytes in; iterate the payloads that are whole, oldest first.

        The bytes are taken at once, the payloads cut while iterating; what one iteration leaves
        comes with the next. After an error the decoder stays at the bad frame.

        Raises:
            RemoteProtocolError: `too_long`, while iterating.
        """
        self._buffer += received
        return self._payloads()

    def eof(self) -> None:
        """The stream has ended.

        Raises:
            RemoteProtocolError: `cut`, if it ended inside a frame.
        """
        if self._buffer:
            raise RemoteProtocolError("cut", payload=bytes(self._buffer[:64]))

    def clear(self) -> None:
        """Forget what has not been iterated yet."""
        self._buffer.clear()

    def _payloads(self) -> Iterator[bytes]:
        buffer = self._buffer
        while len(buffer) >= _LENGTH_BYTES:
            (length,) = _LENGTH.unpack_from(buffer)
            if length > self.limit:
                raise RemoteProtocolError(
                    "too_long",
                    params={"bytes": length, "limit": self.limit},
                    payload=bytes(buffer[:64]),
                )
            end = _LENGTH_BYTES + length
            if len(buffer) < end:
                return
            payload = bytes(buffer[_LENGTH_BYTES:end])
            del buffer[:end]
            yield payload
