"""The write-ahead log of SQLite (WAL), looked at before SQLite opens it.

SQLite takes it up to the first frame that does not fit, and throws the rest away without a word.
The form is that of https://www.sqlite.org/fileformat2.html#walformat.
"""

import sys
from array import array
from collections.abc import Iterator
from typing import Final

_HEADER_BYTES: Final = 32
_FRAME_HEADER_BYTES: Final = 24
_BYTE_ORDERS: Final = {0x377F0682: "little", 0x377F0683: "big"}
"""By magic number, the order of bytes in the words that are summed."""
_WORD: Final = 0xFFFFFFFF

_Sum = tuple[int, int]


def lost_transactions(wal: bytes) -> int:
    """How many transactions end behind the first frame of the file that does not fit.

    A crash leaves one there at most, where each is synced before the next begins. A file whose
    header does not fit holds none: nobody could tell them from those of earlier times.
    """
    order = _BYTE_ORDERS.get(int.from_bytes(wal[:4], "big"))
    if order is None:
        return 0
    frames = _frames(wal, int.from_bytes(wal[8:12], "big"))
    total = _added((0, 0), wal[:24], order)
    if total != _sum_at(wal, 24):
        return 0
    lost, is_whole = 0, True
    for frame in frames:
        if frame[8:16] != wal[16:24]:
            is_whole = False  # of earlier times, as are those that follow, or damaged
            continue
        if is_whole:
            total = _added(_added(total, frame[:8], order), frame[_FRAME_HEADER_BYTES:], order)
            is_whole = total == _sum_at(frame, 16)
        is_end = any(frame[4:8])  # the size of the file, after the last page of a transaction
        lost += is_end and not is_whole
    return lost


def _frames(wal: bytes, page_bytes: int) -> Iterator[bytes]:
    size = _FRAME_HEADER_BYTES + page_bytes
    for start in range(_HEADER_BYTES, len(wal) - size + 1, size):
        yield wal[start : start + size]


def _sum_at(content: bytes, at: int) -> _Sum:
    return int.from_bytes(content[at : at + 4], "big"), int.from_bytes(
        content[at + 4 : at + 8], "big"
    )


def _added(total: _Sum, content: bytes, order: str) -> _Sum:
    """The sum over what came before, and over these words."""
    words = array("I", content)
    if order != sys.byteorder:
        words.byteswap()
    first, second = total
    pairs = iter(words)
    for even, odd in zip(pairs, pairs, strict=True):
        first = (first + even + second) & _WORD
        second = (second + odd + first) & _WORD
    return first, second
