"""Tiles as small ints, hands as bit masks, and the tables of each set.

A tile's number depends on its ends only: `high * (high + 1) // 2 + low`. So a smaller set is a
prefix of a larger one, and a tile has one number in all of them. A hand is an int with bit `t`
set for each tile `t` in it.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NewType

Tile = NewType("Tile", int)
TileMask = int

MAX_PIPS: Final = (6, 9, 12, 15, 18)
"""The sets: a double-6, double-9, double-12, double-15 and double-18."""

_HIGHEST = MAX_PIPS[-1]
ENDS: Final = tuple((high, low) for high in range(_HIGHEST + 1) for low in range(high + 1))
"""By tile, its ends, the higher first."""
BITS: Final[tuple[TileMask, ...]] = tuple(1 << tile for tile in range(len(ENDS)))
"""By tile, the mask of it alone; a shift that makes it costs three times the look-up."""
_PIPS: Final = tuple(high + low for high, low in ENDS)
_TEXTS: Final = tuple(f"{high}-{low}" for high, low in ENDS)
_BY_TEXT: Final = {
    text: Tile(number)
    for number, (high, low) in enumerate(ENDS)
    for text in (f"{high}-{low}", f"{low}-{high}")
}


def tile(one_end: int, other_end: int) -> Tile:
    """The tile with these two ends, in either order. Ends are 0 to 18, else ValueError."""
    high, low = max(one_end, other_end), min(one_end, other_end)
    if low < 0 or high > _HIGHEST:
        raise ValueError(f"no set has a tile {one_end}-{other_end}")
    return Tile(high * (high + 1) // 2 + low)


def tile_ends(of: int) -> tuple[int, int]:
    """The ends of a tile, the higher first."""
    return ENDS[of]


def tile_pips(of: int) -> int:
    """The sum of both ends; 0-0 counts 0 here (`score.double_blank` is the scoring's)."""
    return _PIPS[of]


def is_double(of: int) -> bool:
    """Whether both ends are equal."""
    high, low = ENDS[of]
    return high == low


def tile_text(of: int) -> str:
    """A tile as players write it, the higher end first: `12-7`."""
    return _TEXTS[of]


def parse_tile(text: str) -> Tile:
    """The tile written `12-7` or `7-12`; ValueError says what is wrong."""
    if text not in _BY_TEXT:
        raise ValueError(f"{text[:40]!r} is no tile: a tile is written 12-7, no end above 18")
    return _BY_TEXT[text]


def mask_of(tiles: Iterable[int]) -> TileMask:
    """The hand that holds these tiles."""
    mask = 0
    for each in tiles:
        mask |= BITS[each]
    return mask


def tiles_in(mask: TileMask) -> Iterator[Tile]:
    """The tiles of a hand, lowest number first."""
    while mask:
        lowest = mask & -mask
        yield Tile(lowest.bit_length() - 1)
        mask ^= lowest


class TileSet:
    """The tables of one set; `tile_set(12)` gives the shared double-12.

    Attributes:
        max_pip: the highest number.
        size: how many tiles there are.
        whole: the mask of all of them.
        with_number: by number, the mask of the `max_pip + 1` tiles that show it.
        doubles: the mask of all doubles.
    """

    __slots__ = ("doubles", "max_pip", "size", "whole", "with_number")

    def __init__(self, max_pip: int) -> None:
        if max_pip not in MAX_PIPS:
            raise ValueError(f"there is no double-{max_pip} set; the sets are {MAX_PIPS}")
        self.max_pip: Final = max_pip
        self.size: Final = (max_pip + 1) * (max_pip + 2) // 2
        self.whole: Final = (1 << self.size) - 1
        self.with_number: Final = tuple(
            mask_of(tile(number, other) for other in range(max_pip + 1))
            for number in range(max_pip + 1)
        )
        self.doubles: Final = mask_of(tile(number, number) for number in range(max_pip + 1))

    def tiles(self) -> range:
        """All tile numbers of the set."""
        return range(self.size)


@lru_cache(maxsize=len(MAX_PIPS))
def tile_set(max_pip: int) -> TileSet:
    """The shared tables of one set; ValueError if there is none with that highest number."""
    return TileSet(max_pip)
