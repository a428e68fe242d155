"""The best line that a hand can lay from one end: an exact search, bounded for any hand.

A state is what is left in the hand and the end that goes on from there; what has been laid
follows from it, so none is looked at twice. Doubles cost no states: one is laid whenever its
number is left, which no later visit could better. Forced tiles cost none either.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from mexican_train.protocol import Tile

STEPS_MAX = 800
"""Tiles tried where there is a choice, before the best line so far is taken. Hands of 18 tiles
do not need so many; of 20 tiles one line in a hundred lacks some pips by it (measured)."""
TURNS_MAX = 200
"""More than any hand has tiles."""

_PIP = 64
"""A pip in the sum that is searched for; a tile in it counts one, for ties."""
_NUMBERS = 19
_END_BITS = 5

_Path = tuple[int, "_Path"] | None
"""The tiles laid by their places in the search, the last one first."""
_Step = tuple[int, int, int, int]
"""A tile that goes on from a number: its bit, its other end, its worth, its place."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A line of tiles from one end.

    Attributes:
        tiles: as they are laid, each `[toward the engine, open end]`.
        pips: their sum.
    """

    tiles: tuple[Tile, ...] = ()
    pips: int = 0


def best_chain(
    hand: Iterable[Tile], end: int, *, turns: int = TURNS_MAX, steps_max: int = STEPS_MAX
) -> Chain:
    """The line from `end` with the most pips; of equal ones the longest, then heavy tiles first.

    A double counts where another tile of the line covers it, or as the last tile of the whole
    hand. The order of `hand` does not matter, nor which end of a tile is written first. The line
    is the best there is, or the best found in `steps_max` steps.

    Args:
        hand: The tiles, each once.
        end: The number that the first tile must have.
        turns: How many tiles the line may have, doubles not counted.
        steps_max: The bound of the search; it always finds some line if there is one.
    """
    tiles = sorted(((max(each), min(each)) for each in hand), key=_heavy_first)
    return _told(tiles, end, _search(tiles, end, turns, steps_max))


def _heavy_first(tile: Tile) -> tuple[int, int]:
    return (-tile[0] - tile[1], -tile[0])


def _search(tiles: list[Tile], start: int, turns_max: int, steps_max: int) -> _Path:
    """The best path. Bit `n` of a mask is the tile in place `n`."""
    worths = [(high + low) * _PIP + 1 for high, low in tiles]
    numbers, doubles = [0] * _NUMBERS, [0] * _NUMBERS
    steps: list[list[_Step]] = [[] for _ in range(_NUMBERS)]
    for place, (high, low) in enumerate(tiles):
        bit = 1 << place
        if high == low:
            doubles[high] = bit
            continue
        for end, other in ((high, low), (low, high)):
            numbers[end] |= bit
            steps[end].append((bit, other, worths[place], place))
    best, best_path = 0, None
    seen: set[int] = set()
    left = steps_max

    # A closure, since attributes of an object would make it slower by half. `turns` is no part
    # of a state: it follows from the tiles that are left.
    def visit(rest: int, end: int, laid: int, turns: int, path: _Path) -> None:
        nonlocal best, best_path, left
        while True:
            free = rest & numbers[end] if turns else 0
            double = rest & doubles[end]
            if double and (free or rest == double):
                place = double.bit_length() - 1
                laid, path, rest = laid + worths[place], (place, path), rest ^ double
            if not free:
                if laid > best:
                    best, best_path = laid, path
                return
            if free & (free - 1):
                break
            for bit, other, worth, place in steps[end]:
                if bit == free:
                    laid, path, rest, end = laid + worth, (place, path), rest ^ bit, other
                    break
            turns -= 1
        state = rest << _END_BITS | end
        if state in seen:
            return
        seen.add(state)
        for bit, other, worth, place in steps[end]:
            if free & bit:
                if left <= 0 and best:
                    return
                left -= 1
                visit(rest ^ bit, other, laid + worth, turns - 1, (place, path))

    visit((1 << len(tiles)) - 1, start, 0, turns_max, None)
    return best_path


def _told(tiles: list[Tile], end: int, path: _Path) -> Chain:
    """The path as a line of tiles from `end`."""
    places: list[int] = []
    while path is not None:
        place, path = path
        places.append(place)
    line: list[Tile] = []
    for place in reversed(places):
        high, low = tiles[place]
        line.append((end, low if end == high else high))
        end = line[-1][1]
    return Chain(tuple(line), sum(map(sum, line)))
