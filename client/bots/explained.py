"""A choice with its reason: a code and parameters, and the sentence that they make.

A sentence stands whole in `TEXTS`, so that a catalogue can translate it: "Play 9-5 on your train:
it closes your train and keeps 5-4, 4-0 for later."
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mexican_train.protocol import Choice, Tile

from .strategies import high_low
from .view import SeatView

KEPT_SHOWN = 4
"""Tiles of a plan that a text names; `…` stands for the rest."""

TEXTS: Final[Mapping[str, str]] = {
    "knock": "Knock: you have one tile left, and whoever does not knock may be called for it.",
    "foul": "Call the foul of {name}, who has one tile left and did not knock.",
    "draw": "Draw a tile: nothing that you hold fits.",
    "draw_empty": "Draw a tile: your hand is empty, and the double still wants a cover.",
    "pass": "Pass: nothing that you hold fits, and you may not draw.",
    "done": "End your turn: what else fits is worth more where you keep it.",
    "done_double": "End your turn: the double that fits could not be covered.",
    "last_tile": "Play {tile} on {train}: it is your last tile.",
    "dump": "Play {tile} on {train}: {name} has one tile left, so the heaviest tile goes first.",
    "close": "Play {tile} on {train}: it closes your train and keeps {kept} for later.",
    "close_last": "Play {tile} on {train}: it closes your train.",
    "cover_own": "Play {tile} on {train}: it covers the double there and keeps {kept} for later.",
    "cover_own_last": "Play {tile} on {train}: it covers the double there.",
    "cover": "Play {tile} on {train}: "
    "it covers the double with the heaviest tile that your own train can spare.",
    "shed": "Play {tile} on {train}: "
    "it is the heaviest tile that fits there and keeps {kept} for your own train.",
    "shed_any": "Play {tile} on {train}: "
    "it is the heaviest tile that fits, and your own train wants none of your tiles.",
    "shed_double": "Play {tile} on {train}: it is a double that you can cover with {cover}.",
    "plan": "Play {tile} on {train}: it goes on with your train and keeps {kept} for later.",
    "plan_double": "Play {tile} on {train}: "
    "it goes on with your train, and {cover} covers the double.",
    "plan_last": "Play {tile} on {train}: it goes on with your train.",
    "only": "Play {tile} on {train}: it is the only tile that fits.",
    "free": "Play {tile} on {train}: it fits there and leaves as much for your own train.",
    "least": "Play {tile} on {train}: it costs the plan for your own train the least.",
    "double": "Play {tile} on {train}: "
    "it is a double that you cannot cover, but everything else costs more.",
}
"""By code, the English sentence; in braces the parameters, and tile and train of the choice."""


@dataclass(frozen=True, slots=True)
class Explained:
    """What to choose, and why.

    Attributes:
        choice: one of those that were offered.
        code: a key of `TEXTS`.
        params: what the sentence names beside the choice. `kept`: tiles in the order in which the
            own train will take them; `cover`: a tile; `seat` and `name`: somebody else.
        text: the sentence in English. A name in it is as the server wrote it.
    """

    choice: Choice
    code: str
    params: Mapping[str, str | int]
    text: str


def explained(view: SeatView, choice: Choice, code: str, **params: str | int) -> Explained:
    """The choice with its sentence; KeyError if `code` is none or a parameter is missing."""
    parts = dict(params)
    if choice.tile is not None and choice.train is not None:
        parts |= {"tile": tile_text(choice.tile), "train": _train_text(view, choice.train)}
    return Explained(choice, code, params, TEXTS[code].format(**parts))


def tile_text(tile: Tile) -> str:
    """A tile as it is written, the higher end first."""
    high, low = high_low(tile)
    return f"{high}-{low}"


def tiles_text(tiles: Sequence[Tile]) -> str:
    """The first few tiles of a line."""
    shown = ", ".join(tile_text(each) for each in tiles[:KEPT_SHOWN])
    return shown + (" …" if len(tiles) > KEPT_SHOWN else "")


def _train_text(view: SeatView, train: str) -> str:
    """A train as its seat calls it."""
    number = int(train[1:])
    if train.startswith("m"):
        several = number or sum(each.owner is None for each in view.trains) > 1
        return f"Mexican Train {number + 1}" if several else "the Mexican Train"
    return "your train" if number == view.seat else f"{view.names[number]}'s train"
