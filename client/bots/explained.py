"""A choice with its reason: a code and parameters for catalogues, and an English text.

A text is what can stand after the choice and a colon: "9-5 on your train: closes your train and
keeps 5-4, 4-0 for later".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mexican_train.protocol import Choice, Tile

from .strategies import high_low

KEPT_SHOWN = 4
"""Tiles of a plan that a text names; `…` stands for the rest."""

TEXTS: Final[Mapping[str, str]] = {
    "knock": "you have one tile left, and whoever does not knock may be called for it",
    "foul": "{name} has one tile left and did not knock",
    "draw": "nothing that you hold fits",
    "draw_empty": "your hand is empty, and the double still wants a cover",
    "pass": "nothing that you hold fits, and you may not draw",
    "done": "what else fits is worth more where you keep it",
    "done_double": "the double that fits could not be covered",
    "last_tile": "is your last tile",
    "dump": "{name} has one tile left, so the heaviest tile goes first",
    "close": "closes your train and keeps {kept} for later",
    "close_last": "closes your train",
    "cover_own": "covers the double on your own train and keeps {kept} for later",
    "cover_own_last": "covers the double on your own train",
    "cover": "covers the double with the heaviest tile that your own train can spare",
    "shed": "is the heaviest tile that fits there and keeps {kept} for your own train",
    "shed_any": "is the heaviest tile that fits, and your own train wants none",
    "shed_double": "is a double that you can cover with {cover}",
    "plan": "goes on with your own train and keeps {kept} for later",
    "plan_double": "goes on with your own train, and {cover} covers the double",
    "plan_last": "goes on with your own train",
    "only": "is the only tile that fits",
    "free": "fits there too and leaves as much for your own train",
    "least": "costs the plan for your own train the least",
    "double": "is a double that you cannot cover, but everything else costs more",
}
"""By code, the English text; in braces the parameters."""


@dataclass(frozen=True, slots=True)
class Explained:
    """What to choose, and why.

    Attributes:
        choice: one of those that were offered.
        code: a key of `TEXTS`.
        params: what the text names. `kept`: tiles in the order in which the own train will take
            them; `cover`: a tile; `seat` and `name`: somebody else.
        text: the reason in English, without a full stop. A name in it is as the server wrote it.
    """

    choice: Choice
    code: str
    params: Mapping[str, str | int]
    text: str


def explained(choice: Choice, code: str, **params: str | int) -> Explained:
    """The choice with its text; KeyError if `code` is none or a parameter is missing."""
    return Explained(choice, code, params, TEXTS[code].format(**params))


def tile_text(tile: Tile) -> str:
    """A tile as it is written, the higher end first."""
    high, low = high_low(tile)
    return f"{high}-{low}"


def tiles_text(tiles: Sequence[Tile]) -> str:
    """The first few tiles of a line."""
    shown = ", ".join(tile_text(each) for each in tiles[:KEPT_SHOWN])
    return shown + (" …" if len(tiles) > KEPT_SHOWN else "")
