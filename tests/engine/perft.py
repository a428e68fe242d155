"""Perft: how many sequences of moves there are from a fixed deal, counted twice.

Once by the engine and once by the literal procedure. Every move counts that any seat may make,
knocks and fouls out of turn too; a round that is over adds nothing at greater depths.
"""

import tomllib
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from mexican_train.engine import Deal, Game, RuleSet, parse_tile, tile_text

from tests.engine.tabletop import twin
from tests.literal.literal_procedure import LiteralRound

TABLE = Path(__file__).with_name("perft.toml")


@dataclass(frozen=True)
class Position:
    """A deal of the table, with the engine in a hand or in the boneyard.

    Where the rules set the engine aside it is taken out of there.
    """

    name: str
    max_pip: int
    depth: int
    engine: str
    hands: tuple[tuple[str, ...], ...]
    boneyard: tuple[str, ...]

    def rules(self, preset: str) -> RuleSet:
        """The preset with the set and the number of players that the deal needs."""
        options = {"set.max_pip": self.max_pip, "game.players": [2, 8], "deal.hand_size": 3}
        return RuleSet.preset(preset).with_options(options)

    def dealt(self, preset: str) -> tuple[list[list[str]], list[str]]:
        """Hands and boneyard as they are dealt by a preset."""
        aside = RuleSet.preset(preset)["engine.source"] == "set_aside"
        taken = self.engine if aside else ""
        hands = [[tile for tile in hand if tile != taken] for hand in self.hands]
        return hands, [tile for tile in self.boneyard if tile != taken]


def positions() -> list[Position]:
    """The five deals of the table."""
    deals = tomllib.loads(TABLE.read_text(encoding="utf-8"))["deals"]
    return [
        Position(
            name,
            deal["max_pip"],
            deal["depth"],
            deal["engine"],
            tuple(tuple(hand.split()) for hand in deal["hands"]),
            tuple(deal["boneyard"].split()),
        )
        for name, deal in deals.items()
    ]


def counts() -> dict[str, dict[str, list[int]]]:
    """By preset and deal, the counted sequences of 1, 2, 3, … moves."""
    table: dict[str, dict[str, list[int]]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))[
        "counts"
    ]
    return table


def count_by_engine(position: Position, preset: str, depth: int) -> list[int]:
    """The number of sequences to each depth, by the engine."""
    hands, boneyard = position.dealt(preset)
    game = Game.start(position.rules(preset), len(hands))
    tiles = [[parse_tile(tile) for tile in hand] for hand in hands]
    game.begin_round(Deal.fixed(tiles, map(parse_tile, boneyard), parse_tile(position.engine)))
    found = [0] * depth
    _walk_engine(game, 0, found)
    return found


def _walk_engine(game: Game, level: int, found: list[int]) -> None:
    for seat in range(game.seats):
        moves = game.legal_moves(seat)
        found[level] += len(moves)
        if level + 1 < len(found):
            for move in moves:
                after = twin(game)
                after.apply(seat, move)
                _walk_engine(after, level + 1, found)


def count_by_literal(position: Position, preset: str, depth: int) -> list[int]:
    """The number of sequences to each depth, by the literal procedure."""
    hands, boneyard = position.dealt(preset)
    options = position.rules(preset).options()
    state = LiteralRound(
        {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()},
        seats=len(hands),
        hands=hands,
        boneyard=boneyard,
        engine_tile=position.engine,
        first_seat=0,
        round_number=1,
        last_winner=None,
    )
    found = [0] * depth
    _walk_literal(state, 0, found)
    return found


def _walk_literal(state: LiteralRound, level: int, found: list[int]) -> None:
    for seat in range(state.seats):
        moves = sorted(state.legal(seat))
        found[level] += len(moves)
        if level + 1 < len(found):
            for move in moves:
                after = deepcopy(state)
                after.apply(seat, move)
                _walk_literal(after, level + 1, found)


def whole_set(max_pip: int) -> set[str]:
    """Every tile of a set, as text."""
    return {tile_text(number) for number in range((max_pip + 1) * (max_pip + 2) // 2)}
