"""Moves: what a seat asks of the engine, and how it is written.

A train is a small int: `0` to `13` is the personal train of that seat, `14` and up are the
Mexican Trains `m0`, `m1`, … Moves are shared values: the same move is always the same object.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from .tiles import Tile, parse_tile, tile_set, tile_text

SEATS_MAX: Final = 14
MEXICAN: Final = SEATS_MAX
"""The number of the first Mexican Train."""
TRAINS_MAX: Final = SEATS_MAX + 18
"""A Mexican Train opens with a tile of the engine's number: no set has more than 18."""


def train_text(train: int) -> str:
    """`p3` for the personal train of seat 3, `m0` for the first Mexican Train."""
    return f"p{train}" if train < MEXICAN else f"m{train - MEXICAN}"


_TRAINS: Final = {train_text(train): train for train in range(TRAINS_MAX)}


def parse_train(text: str) -> int:
    """The train written `p3` or `m0`; ValueError if it is neither."""
    if text not in _TRAINS:
        raise ValueError(f"{text!r} is no train: trains are p0 to p13 and m0, m1, …")
    return _TRAINS[text]


class Deed(StrEnum):
    """The kinds of moves."""

    PLAY = "play"
    DRAW = "draw"
    PASS = "pass"  # noqa: S105 - the move, no password
    DONE = "done"
    KNOCK = "knock"
    FOUL = "foul"


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """One thing that a seat may do.

    `str(move)` and `Move.parse` are a pair: `12-7>p2`, `draw`, `pass`, `done`, `knock`,
    `foul:3`. Get moves from `Move.play`, `Move.foul`, `Move.parse` and the constants `DRAW`,
    `PASS`, `DONE` and `KNOCK`, never from the class: equal moves are the same object.

    Attributes:
        deed: what is done.
        tile: the tile played; -1 otherwise.
        train: where it goes; -1 otherwise.
        seat: foul: the seat that had not knocked; -1 otherwise.
    """

    deed: Deed
    tile: int = -1
    train: int = -1
    seat: int = -1

    @staticmethod
    def play(tile: int, train: int) -> "Move":
        """Lay `tile` on `train`; IndexError if there is no such tile or train."""
        if tile < 0 or train < 0:
            raise IndexError(f"no tile {tile} or no train {train}")
        return PLAYS[train][tile]

    @staticmethod
    def foul(seat: int) -> "Move":
        """Call `seat` for not having knocked; IndexError if no table has that seat."""
        if seat < 0:
            raise IndexError(f"no seat {seat}")
        return _FOULS[seat]

    @staticmethod
    def parse(text: str) -> "Move":
        """Read a move as `str` writes it; ValueError says what is wrong."""
        if text in _PLAIN:
            return _PLAIN[text]
        played, arrow, train = text.partition(">")
        if arrow:
            return PLAYS[parse_train(train)][parse_tile(played)]
        raise ValueError(
            f"{text!r} is no move: a move is 12-7>p2, draw, pass, done, knock or foul:3"
        )

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Move.parse, (str(self),)

    def __str__(self) -> str:
        if self.deed is Deed.PLAY:
            return f"{tile_text(self.tile)}>{train_text(self.train)}"
        if self.deed is Deed.FOUL:
            return f"foul:{self.seat}"
        return self.deed.value


DRAW: Final = Move(Deed.DRAW)
PASS: Final = Move(Deed.PASS)
DONE: Final = Move(Deed.DONE)
KNOCK: Final = Move(Deed.KNOCK)
_FOULS: Final = tuple(Move(Deed.FOUL, seat=seat) for seat in range(SEATS_MAX))
_PLAIN: Final = {str(move): move for move in (DRAW, PASS, DONE, KNOCK, *_FOULS)}

PLAYS: Final = tuple(
    tuple(Move(Deed.PLAY, Tile(number), train) for number in tile_set(18).tiles())
    for train in range(TRAINS_MAX)
)
"""By train and tile, the one Move object that plays that tile there."""
