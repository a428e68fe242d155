"""Hand sizes, and the deal of one round from a 256-bit seed.

The order is a Fisher-Yates shuffle driven by an HMAC-SHA-256 counter stream, unbiased by
rejection, so that anybody can recompute it from the seed with a standard library.
"""

import hmac
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, count
from typing import Final

from .options import RuleSetError
from .ruleset import RuleSet
from .tiles import TileMask, mask_of, tile, tile_set, tile_text

SEED_BYTES: Final = 32
HAND_MIN: Final = 3


def _row(first: int, *sizes: int) -> dict[int, int]:
    return {first + offset: size for offset, size in enumerate(sizes)}


_DOUBLE_12: Final = {
    "common": _row(2, 15, 15, 15, 12, 12, 10, 10, 8, 8),
    "parsons": _row(2, 16, 16, 15, 14, 12, 10, 9),
    "fundex": _row(2, 15, 15, 15, 11, 11, 8, 8),
    "cardinal": _row(2, 15, 15, 15, 12, 12, 11, 11),
    "nm": _row(2, 11, 11, 11, 11, 11, 11, 11),
    "spruce": _row(4, 12, 12, 12, 10, 10),
}
_ANY_TABLE: Final = {
    6: _row(2, 9, 8, 6),
    9: _row(2, 15, 13, 10, 7, 7, 7, 6),
    15: _row(2, 15, 15, 15, 15, 15, 13, 13, 11, 11, 11, 11),
    18: _row(2, 15, 15, 15, 15, 15, 13, 13, 11, 11, 11, 11, 11, 11),
}


@lru_cache(maxsize=1024)
def hand_size(rules: RuleSet, seats: int) -> int:
    """Tiles dealt to each of `seats` seats (`deal.table`, `deal.hand_size`).

    Raises:
        RuleSetError: `players` if the rules are not for so many; `hand_size` if the set is too
            small, with the largest hand that would work.
    """
    low, high = rules.range("game.players")
    if not low <= seats <= high:
        raise RuleSetError(
            "players",
            "game.players",
            f"{rules.name} is for {low} to {high} players, not for {seats}.",
        )
    max_pip = rules.number("set.max_pip")
    tiles = tile_set(max_pip).size
    size = rules.number("deal.hand_size") or _by_table(
        _DOUBLE_12[str(rules["deal.table"])] if max_pip == 12 else _ANY_TABLE[max_pip],
        seats,
        tiles,
    )
    largest = (tiles - 1) // seats
    if not size:
        raise RuleSetError(
            "hand_size",
            "deal.table",
            f"deal.table = {rules['deal.table']} has no hand for {seats} players: choose another "
            f"table, or give deal.hand_size. The largest hand that works is {largest} tiles.",
        )
    if size < HAND_MIN or size > largest:
        works = (
            f"The largest hand that works is {largest} tiles."
            if largest >= HAND_MIN
            else "No hand works: play with a larger set."
        )
        asked = f" with hands of {size}" if size >= HAND_MIN else ""
        raise RuleSetError(
            "hand_size",
            "deal.hand_size",
            f"{seats} players cannot play with a double-{max_pip} set{asked}. {works}",
        )
    return size


def check_table(rules: RuleSet, seats: int) -> str | None:
    """What the host should be warned of before `seats` seats play by `rules`, or None.

    Raises:
        RuleSetError: so many cannot play, as `hand_size`.
    """
    size = hand_size(rules, seats)
    tiles = tile_set(rules.number("set.max_pip")).size
    left = tiles - seats * size - (rules["engine.source"] == "set_aside")
    if left >= seats:
        return None
    return f"Only {left} tiles are left to draw when {seats} players have {size} each."


def _by_table(row: dict[int, int], seats: int, tiles: int) -> int:
    """The listed size, or the one that follows from the next smaller number of players."""
    if seats in row:
        return row[seats]
    smaller = [listed for listed in row if listed < seats]
    return min(row[max(smaller)], (tiles - 1 - seats) // seats) if smaller else 0


def engine_number(rules: RuleSet, round_number: int) -> int:
    """The number of the engine of round 1, 2, …: the highest first, then one less a round."""
    first = rules["game.first_engine"]
    start = first if type(first) is int else rules.number("set.max_pip")
    return start - (round_number - 1)


def round_count(rules: RuleSet) -> int:
    """How many rounds a game has (`game.rounds`, `game.first_engine`)."""
    rounds = rules["game.rounds"]
    return rounds if type(rounds) is int else engine_number(rules, 1) + 1


@dataclass(frozen=True, slots=True)
class Deal:
    """The tiles of one round as dealt, before a search for the engine.

    Attributes:
        hands: a mask a seat. With `engine.source` held, one of them may hold the engine.
        boneyard: the tiles left, the first to be drawn first.
        engine_tile: the round's engine.
    """

    hands: tuple[TileMask, ...]
    boneyard: tuple[int, ...]
    engine_tile: int

    @staticmethod
    def fixed(hands: Sequence[Iterable[int]], boneyard: Iterable[int], engine_tile: int) -> "Deal":
        """A deal laid out by hand; ValueError if a tile stands in it twice."""
        drawn = tuple(boneyard)
        dealt = [tuple(hand) for hand in hands]
        times = Counter(chain(drawn, *dealt))
        twice = [each for each, count_of in times.items() if count_of > 1]
        if twice:
            raise ValueError(f"dealt twice: {', '.join(map(tile_text, sorted(twice)))}")
        return Deal(tuple(mask_of(hand) for hand in dealt), drawn, engine_tile)

    @staticmethod
    def from_seed(rules: RuleSet, seats: int, seed: bytes, round_number: int) -> "Deal":
        """Shuffle and deal round `round_number` from a secret of 32 bytes.

        Raises:
            ValueError: the seed is not 32 bytes long.
            RuleSetError: so many cannot play, as `hand_size`.
        """
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        size = hand_size(rules, seats)
        max_pip = rules.number("set.max_pip")
        number = engine_number(rules, round_number)
        engine_tile = tile(number, number)
        order: list[int] = list(tile_set(max_pip).tiles())
        if rules["engine.source"] == "set_aside":
            order.remove(engine_tile)
        transcript = f"mexican-train deal 1 {round_number} {rules.hash} {max_pip} {seats}"
        _shuffle(order, hmac.digest(seed, transcript.encode(), "sha256"))
        hands = tuple(mask_of(order[seat * size : (seat + 1) * size]) for seat in range(seats))
        return Deal(hands, tuple(order[seats * size :]), engine_tile)


def _shuffle(order: list[int], key: bytes) -> None:
    """Fisher-Yates from the last place down, one random byte a place, no modulo bias.

    Each byte of the stream fills the last place that is open or, if it would be unfair, nothing.
    """
    last = len(order) - 1
    for block in count():
        for byte in hmac.digest(key, block.to_bytes(8, "big"), "sha256"):
            chosen = _CHOSEN[last][byte]
            if chosen <= last:
                order[last], order[chosen] = order[chosen], order[last]
                last -= 1
                if not last:
                    return


_UNFAIR: Final = 255
_CHOSEN: Final = tuple(
    bytes(byte % (last + 1) if byte < 256 - 256 % (last + 1) else _UNFAIR for byte in range(256))
    for last in range(255)
)
"""By place and random byte, the place to change with; `_UNFAIR` where that would favour some."""
