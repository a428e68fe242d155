"""The perft table: move sequences from five fixed deals by each preset (`perft.toml`).

The table was written only when the engine and the literal procedure counted the same.
"""

import pytest
from mexican_train.engine import preset_names

from tests.conftest import Scale
from tests.engine.perft import (
    Position,
    count_by_engine,
    count_by_literal,
    counts,
    positions,
    whole_set,
)

POSITIONS = positions()


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: str(position.name))
@pytest.mark.parametrize("preset", preset_names())
def test_engine_counts_what_the_table_says(preset: str, position: Position) -> None:
    """To the depth of the table."""
    assert count_by_engine(position, preset, position.depth) == counts()[preset][position.name]


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: str(position.name))
@pytest.mark.parametrize("preset", preset_names())
def test_literal_procedure_counts_what_the_table_says(
    preset: str, position: Position, scale: Scale
) -> None:
    """To depth 4, and in full to the depth of the table."""
    depth = scale(4, position.depth)
    assert count_by_literal(position, preset, depth) == counts()[preset][position.name][:depth]


def test_no_preset_lacks_an_entry() -> None:
    """Every preset has all five deals, each to depth 4 or more."""
    table = counts()
    assert sorted(table) == sorted(preset_names())
    for rows in table.values():
        assert list(rows) == [position.name for position in POSITIONS]
        for position in POSITIONS:
            assert len(rows[position.name]) == position.depth >= 4
    assert len(POSITIONS) == 5


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: str(position.name))
def test_deals_are_of_their_set(position: Position) -> None:
    """Each tile at most once, the engine among them."""
    tiles = [tile for hand in position.hands for tile in hand] + [*position.boneyard]
    assert len(set(tiles)) == len(tiles)
    assert set(tiles) <= whole_set(position.max_pip)
    assert position.engine in tiles
    if position.name == "whole":
        assert set(tiles) == whole_set(position.max_pip)
