"""The state of one round: mutable, cheap to copy, read through frozen values.

What may be done with it stands in `legal`, what then happens in `turn`. Trains are numbered as
in `moves`; `ends` and `lines` have a place for each, with one place past the last Mexican Train
for the next one.
"""

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Final

from .moves import MEXICAN, Move
from .procedure import Procedure
from .tiles import TileMask, tile_ends, tiles_in


class Need(IntEnum):
    """What is awaited of the seat to act."""

    PLAY = 0
    COVER = 1
    EXTRA = 2
    GO_ON = 3


# as plain names: an enum's attribute costs a look-up each time, and turns are full of them
PLAY, COVER, EXTRA, GO_ON = Need
AWAITED: Final = ("play", "cover", "extra", "go_on")


@dataclass(frozen=True, slots=True)
class Train:
    """One train: `owner` None for a Mexican Train; `line` as `(inward, outward)` ends."""

    train: int
    owner: int | None
    line: tuple[tuple[int, int], ...]
    open_end: int
    marked: bool


@dataclass(frozen=True, slots=True)
class OpenDouble:
    """A double that waits for its cover; `binding` unless the first lap exempts it."""

    train: int
    tile: int
    seat: int
    binding: bool


@dataclass(frozen=True, slots=True)
class KnockDebt:
    """A seat with one tile that has not knocked; `foul` while it may be called for it."""

    seat: int
    foul: bool


Uncovered = tuple[int, int, int]
"""An open double as the round keeps it: train, tile, seat."""


class Round:
    """One round in play. Made by `setup.new_round`; changed by `turn` only.

    Attributes that others read:
        number: 1 for the first round of the game.
        seats: how many play.
        turn: the seat to act; -1 once the round is over.
        engine_tile: the double in the middle.
        hands: the tiles of each seat as a mask. Hidden from the others.
        lines: by train, the tiles laid on it: another tuple as soon as one is laid.
        marked: the mask of the trains that carry their marker.
        choices: what the seat to act may do, apart from knock and foul.
        blocked: whether the round ended with nobody out.
        out: the seats that went out, in that order.
    """

    __slots__ = (
        "blocked",
        "boneyard",
        "calm",
        "choices",
        "drawn",
        "drawn_count",
        "drew",
        "ends",
        "engine_number",
        "engine_tile",
        "extra_train",
        "first",
        "first_train",
        "fouls",
        "hands",
        "laid",
        "laid_count",
        "lines",
        "marked",
        "mexican_started",
        "moved",
        "need",
        "number",
        "out",
        "owed",
        "own_fitted",
        "passes",
        "procedure",
        "seats",
        "started",
        "turn",
        "turn_doubles",
        "turns",
        "uncovered",
        "under_duty",
        "used",
    )

    def __init__(
        self, procedure: Procedure, number: int, hands: list[TileMask], engine_tile: int
    ) -> None:
        engine_number = tile_ends(engine_tile)[0]
        seats = len(hands)
        self.procedure = procedure
        self.number = number
        self.seats = seats
        self.engine_tile = engine_tile
        self.engine_number = engine_number
        # the table
        self.hands = hands
        self.boneyard: tuple[int, ...] = ()
        self.drawn_count = 0
        self.ends = [engine_number] * (MEXICAN + 1)
        self.lines: list[tuple[int, ...]] = [()] * (MEXICAN + 1)
        self.marked = 0
        self.started = 0
        self.laid: TileMask = 1 << engine_tile
        self.uncovered: tuple[Uncovered, ...] = ()
        self.owed = 0
        self.fouls = 0
        self.out: tuple[int, ...] = ()
        self.blocked = False
        # the round so far
        self.first = 0
        self.turn = 0
        self.turns = 0
        self.passes = 0
        # the turn so far
        self.need: Need = PLAY
        self.under_duty = False
        self.moved = False
        self.drew = False
        self.drawn = -1
        self.laid_count = 0
        self.first_train = -1
        self.used = 0
        self.extra_train = -1
        self.turn_doubles = 0
        self.mexican_started = False
        self.own_fitted = False
        self.choices: tuple[Move, ...] = ()
        # whether plain plays and draws may take the short way (`plain`); False is always right
        self.calm = False

    def copy(self) -> "Round":
        """An independent copy; lines, boneyard and choices are shared, since never changed."""
        twin = Round.__new__(Round)
        twin.procedure = self.procedure
        twin.number = self.number
        twin.seats = self.seats
        twin.engine_tile = self.engine_tile
        twin.engine_number = self.engine_number
        twin.hands = self.hands[:]
        twin.boneyard = self.boneyard
        twin.drawn_count = self.drawn_count
        twin.ends = self.ends[:]
        twin.lines = self.lines[:]
        twin.marked = self.marked
        twin.started = self.started
        twin.laid = self.laid
        twin.uncovered = self.uncovered
        twin.owed = self.owed
        twin.fouls = self.fouls
        twin.out = self.out
        twin.blocked = self.blocked
        twin.first = self.first
        twin.turn = self.turn
        twin.turns = self.turns
        twin.passes = self.passes
        twin.need = self.need
        twin.under_duty = self.under_duty
        twin.moved = self.moved
        twin.drew = self.drew
        twin.drawn = self.drawn
        twin.laid_count = self.laid_count
        twin.first_train = self.first_train
        twin.used = self.used
        twin.extra_train = self.extra_train
        twin.turn_doubles = self.turn_doubles
        twin.mexican_started = self.mexican_started
        twin.own_fitted = self.own_fitted
        twin.choices = self.choices
        twin.calm = self.calm
        return twin

    # --- for readers ----------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""
        return self.turn < 0

    @property
    def lap(self) -> int:
        """1 until every seat has had its first turn, then 2, and so on."""
        return self.turns // self.seats + 1

    @property
    def awaited(self) -> str:
        """`play`, `cover`, `extra` or `go_on`; empty once the round is over."""
        return "" if self.is_over else AWAITED[self.need]

    @property
    def mexican_count(self) -> int:
        """How many Mexican Trains have been started."""
        return len(self.ends) - 1 - MEXICAN

    @property
    def boneyard_count(self) -> int:
        """Tiles left to draw."""
        return len(self.boneyard) - self.drawn_count

    @property
    def boneyard_left(self) -> tuple[int, ...]:
        """The tiles left to draw, the next one first. Hidden from every seat."""
        return self.boneyard[self.drawn_count :]

    @property
    def hand_counts(self) -> tuple[int, ...]:
        """Tiles in hand, by seat."""
        return tuple(map(int.bit_count, self.hands))

    def hand(self, seat: int) -> tuple[int, ...]:
        """The tiles of one seat, lowest number first. Hidden from the others."""
        return tuple(tiles_in(self.hands[seat]))

    @property
    def trains(self) -> tuple[Train, ...]:
        """The personal train of each seat, then the started Mexican Trains."""
        return tuple(map(self.train, self.train_numbers))

    @property
    def train_numbers(self) -> tuple[int, ...]:
        """The numbers of `trains`."""
        return (*range(self.seats), *range(MEXICAN, MEXICAN + self.mexican_count))

    def train(self, train: int) -> Train:
        """One train by its number."""
        marked = train < MEXICAN and bool(self.marked >> train & 1)
        return _shown_train(train, self.lines[train], self.engine_number, marked)

    @property
    def open_doubles(self) -> tuple[OpenDouble, ...]:
        """The doubles that wait for a cover, the oldest first."""
        if not self.uncovered:
            return ()
        binding = self.doubles_bind
        return tuple(OpenDouble(*each, binding) for each in self.uncovered)

    @property
    def doubles_bind(self) -> bool:
        """Whether open doubles bind the seats now (`doubles.first_turn_exempt`)."""
        return self.turns >= self.seats or not self.procedure.exempt_lap_one

    @property
    def knocks(self) -> tuple[KnockDebt, ...]:
        """The seats that owe a knock."""
        if not self.owed:
            return ()
        return tuple(
            KnockDebt(seat, bool(self.fouls >> seat & 1))
            for seat in range(self.seats)
            if self.owed >> seat & 1
        )


@lru_cache(maxsize=4096)
def _shown_train(train: int, tiles: tuple[int, ...], engine_number: int, marked: bool) -> Train:
    """A train for readers; a move changes one of them, and the others are shown again."""
    line, inward = [], engine_number
    for laid in tiles:
        high, low = tile_ends(laid)
        outward = low if high == inward else high
        line.append((inward, outward))
        inward = outward
    return Train(train, train if train < MEXICAN else None, tuple(line), inward, marked)
